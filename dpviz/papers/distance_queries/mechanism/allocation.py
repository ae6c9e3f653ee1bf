"""What the steps of the l1 mechanism cost, and how large their noises are.

**Paper.** Huang and Roth (2014), section 3.1, Lemma 3, which hides both behind one constant.

**Setting.** A budget (epsilon, delta) pays for C runs of a threshold test and C noisy looks at
a tangent of a coordinate's curve, in turns. Coordinates are rescaled to [0, 1].

**Idea.** Each number of updates C_1 per coordinate gives a price for a run and one for a look;
each price gives a size of noise that is exceeded with probability beta at most. The share of
the tests that makes the sum of both sizes least has a closed form.

**Symbols.**

==========  =================  =====================================================  ==========
paper       here               meaning                                                unit
==========  =================  =====================================================  ==========
m(alpha)    ``total``, C       updates that are paid for, d C_1                       count
(none)      A, h               height of a tangent at 1/2, and half its slope         coordinate
(none)      ``slack``, s       no check is decided wrongly by more                    coordinate
(none)      ``tau``            no noisy tangent is off by more, anywhere on [0, 1]    coordinate
==========  =================  =====================================================  ==========

**Departures.** (1) Lemma 6 asks for derivatives of sensitivity 1/n; replacing a record moves
one by 2/n. Looks are at (A, h) instead: that moves by at most 2/n in L1 and sqrt(2)/n in L2.
Proof: a record left of y adds (1/2 - x, 1/2), one to the right (x - 1/2, -1/2). On the same
side the pair moves by (at most 1, 0), else by (|1 - x - x'|, 1) with |1 - x - x'| <= 1; and a
record at y adds a point between both. (2) "advanced" composes its 2 C equal steps exactly
(Kairouz, Oh and Viswanath 2015), which is never worse than the theorem that the paper uses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz import accounting, checks
from dpviz.privacy.threshold_accuracy import threshold_accuracy

if TYPE_CHECKING:
    from dpviz.privacy.curator import Curator

COMPOSITIONS = ("zcdp", "pure", "advanced")
CONSTANTS = ("practical", "paper")
MOST = 10**6  # updates per coordinate


@dataclass(frozen=True, kw_only=True)
class Task:
    """All that a plan depends on but n; checked when made. See :func:`plan`."""

    d: int
    k: int
    epsilon: float
    delta: float = 0.0
    beta: float = 0.05
    composition: str | None = None
    updates: int | None = None
    share: float | None = None
    constants: str = "practical"
    joint: bool = False

    def __post_init__(self):
        checks.integer("d", self.d, at_least=1)
        checks.integer("k", self.k, at_least=1)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.number("beta", self.beta, above=0, below=1)
        if self.updates is not None:
            checks.integer("updates", self.updates, at_least=1, at_most=MOST)
        if self.share is not None:
            checks.number("share", self.share, above=0, below=1)
        checks.choice("constants", self.constants, CONSTANTS)
        if self.constants == "paper" and (self.updates, self.share) != (None, None):
            raise ValueError("constants must not be 'paper' if updates or share are given")
        if self.composition is not None:
            checks.choice("composition", self.composition, COMPOSITIONS)
            if self.delta == 0 and self.composition != "pure":
                raise ValueError(
                    f"composition must be 'pure' if delta is 0, not {self.composition!r}"
                )

    @property
    def compositions(self) -> tuple[str, ...]:
        """Those to choose from."""
        if self.composition:
            return (self.composition,)
        both = ("advanced",) if self.constants == "paper" else ("zcdp", "pure")
        return both if self.delta else ("pure",)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the budget is spent; every length is that of a coordinate rescaled to [0, 1].

    Attributes
    ----------
    composition : "zcdp", "pure" or "advanced"
    updates, total : int, C_1 and d C_1
    share : float, of the budget that goes to the tests
    test_price : float, epsilon of each run of the threshold
    look_price : float, of each noisy look: its rho (zcdp) or epsilon
    gap, slack, tau : float, see the module
    threshold, shift : float
    error : float, alpha_1: proved for each coordinate, with probability 1 - beta for all
    """

    composition: str
    updates: int
    total: int
    share: float
    test_price: float
    look_price: float
    gap: float
    slack: float
    tau: float
    threshold: float
    shift: float
    error: float

    def open(self, curator: Curator, *, epsilon: float, delta: float, label: str) -> Curator:
        """The part of a basic curator's budget that this plan spends; costs (epsilon, delta).

        Pure plans cost epsilon alone, "advanced" ones what their steps compose to, exactly.
        Raises ``BudgetExceeded`` if that much is not left.
        """
        if self.composition == "zcdp":
            return curator.sub_curator_zcdp(epsilon=epsilon, delta=delta, label=label)
        if self.composition == "pure":
            return curator.sub_curator(epsilon=epsilon, label=label)
        steps = {"epsilon": self.test_price, "k": 2 * self.total, "delta": delta}
        return curator.sub_curator_steps(**steps, label=label)

    def look(self, part: Curator, value: Any, *, moves: tuple[float, float], label: str) -> Any:
        """A noisy look at a private vector whose L1 and L2 norms move by at most ``moves``."""
        if self.composition == "zcdp":
            return part.gaussian(value, sensitivity=moves[1], rho=self.look_price, label=label)
        return part.laplace(value, sensitivity=moves[0], epsilon=self.look_price, label=label)


def noises(n: int, task: Task, composition: str, updates: np.ndarray) -> dict[str, np.ndarray]:
    """Prices, share and the sizes s and tau of the noises, for arrays of numbers of updates.

    zCDP: a run of the test costs epsilon_s^2/2, a look rho_o; both together rho/C. The errors at
    the two ends of a noisy tangent are normal with sd sqrt(2) sigma, sigma = 1/(n sqrt(rho_o)).
    Pure: epsilon_s + epsilon_o = epsilon/C; the larger error at an end is |a| + |h| of two
    Laplace noises of scale 2/(n epsilon_o). The best share has a closed form. Advanced: 2 C
    steps of one size. A joint look is at d tangents together, sqrt(d) or d times as sensitive.
    """
    positives = task.d * updates
    compared, looks = (task.k, task.d * positives) if task.joint else (task.d * task.k, positives)
    slack = threshold_accuracy(checks=compared, runs=positives, beta=2 * task.beta / 3) / n
    tau = tail(composition, looks, task.beta / 3) / n
    if task.joint:
        tau = tau * (math.sqrt(task.d) if composition == "zcdp" else task.d)
    if composition == "advanced":
        step = np.array(
            [_step(2 * int(c), epsilon=task.epsilon, delta=task.delta) for c in positives]
        )
        prices = {"share": np.full(len(step), 0.5), "test_price": step, "look_price": step}
        return {**prices, "slack": slack / step, "tau": tau / step}
    if composition == "pure":
        each = task.epsilon / positives
        share = task.share or 1 / (1 + np.sqrt(tau / slack))
        test, look = share * each, (1 - share) * each
        sizes = {"slack": slack / test, "tau": tau / look}
    else:
        each = accounting.zcdp_rho(epsilon=task.epsilon, delta=task.delta) / positives
        share = task.share or 1 / (1 + (math.sqrt(2) * tau / slack) ** (2 / 3))
        test, look = np.sqrt(2 * share * each), (1 - share) * each
        sizes = {"slack": slack / test, "tau": tau / np.sqrt(look)}
    return {"share": share + 0 * each, "test_price": test, "look_price": look, **sizes}


def tail(composition: str, looks: np.ndarray, beta: float) -> np.ndarray:
    """Largest error of so many noisy tangents at price 1 and n = 1, but with probability beta."""
    from scipy.special import lambertw, ndtri

    if composition == "zcdp":  # 4 one-sided tails for each look: two ends, two signs
        return -math.sqrt(2) * ndtri(beta / (4 * looks))
    return 2 * (-1 - lambertw(-beta / (math.e * looks), -1).real)  # looks exp(-u) (1 + u) = beta


@lru_cache(maxsize=4096)
def _step(k: int, *, epsilon: float, delta: float) -> float:
    """The largest step that k times costs (epsilon, delta), composed exactly."""
    return accounting.step_for(total=epsilon, k=k, delta=delta, rule="exact")
