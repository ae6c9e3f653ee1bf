"""Allocation of the privacy budget to the steps of the l1 mechanism (Lemma 3).

**Paper.** Huang and Roth (2014), section 3.1, Lemma 3, which hides the sizes of the noises behind
one constant.

**Setting.** A budget (epsilon, delta) pays for C runs of AboveThreshold and C noisy measurements
of a tangent of a coordinate's curve, in turns. Coordinates are rescaled to [0, 1].

**Idea.** Each number of updates C_1 per coordinate leaves a budget for a run and one for a
measurement; each budget gives a size of noise that is exceeded with probability beta at most.
The share of the tests that makes the sum of both sizes least has a closed form.

**Symbols.**

==========  ====================  ==================================================  ==========
paper       here                  meaning                                             unit
==========  ====================  ==================================================  ==========
m(alpha)    ``total``, C          updates that are paid for, d C_1                    count
(none)      A, h                  height of a tangent at 1/2, and half its slope      coordinate
(none)      ``test_accuracy``, s  accuracy of AboveThreshold: no check is decided     coordinate
                                  wrongly by more
(none)      ``tau``               no noisy tangent is off by more, anywhere on        coordinate
                                  [0, 1]
==========  ====================  ==================================================  ==========

**Departures.** (1) Lemma 6 asks for derivatives of sensitivity 1/n; replacing a record moves
one by 2/n. What is measured is (A, h) instead: it moves by at most 2/n in L1 and sqrt(2)/n in L2.
Proof: a record left of y adds (1/2 - x, 1/2), one to the right (x - 1/2, -1/2). On the same
side the pair moves by (at most 1, 0), else by (|1 - x - x'|, 1) with |1 - x - x'| <= 1; and a
record at y adds a point between both. (2) "advanced" composes its 2 C equal steps exactly
(Kairouz, Oh and Viswanath 2015), which is never worse than the theorem that the paper uses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

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
    test_epsilon : float, epsilon of each run of the threshold
    measurement_budget : float, of each noisy tangent: its rho (zcdp) or epsilon
    gap, test_accuracy, tau : float, see the module
    threshold, shift : float
    error : float, alpha_1: proved for each coordinate, with probability 1 - beta for all
    """

    composition: str
    updates: int
    total: int
    share: float
    test_epsilon: float
    measurement_budget: float
    gap: float
    test_accuracy: float
    tau: float
    threshold: float
    shift: float
    error: float

    def sub_curator(self, curator: Curator, *, epsilon: float, delta: float, label: str) -> Curator:
        """A sub-curator with the budget that this plan spends; costs (epsilon, delta).

        Parameters
        ----------
        curator : a basic one

        Pure plans cost epsilon alone, "advanced" ones what their steps compose to, exactly.
        Raises ``BudgetExceeded`` if that much is not left.
        """
        if self.composition == "zcdp":
            return curator.sub_curator_zcdp(epsilon=epsilon, delta=delta, label=label)
        if self.composition == "pure":
            return curator.sub_curator(epsilon=epsilon, label=label)
        steps = {"epsilon": self.test_epsilon, "k": 2 * self.total, "delta": delta}
        return curator.sub_curator_steps(**steps, label=label)

    def measure(
        self,
        curator: Curator,
        value: ArrayLike,
        *,
        l1_sensitivity: float,
        l2_sensitivity: float,
        label: str,
    ) -> np.ndarray:
        """A noisy measurement of a private vector, paid for by :meth:`sub_curator`'s."""
        cost = self.measurement_budget
        if self.composition == "zcdp":
            return curator.gaussian(value, sensitivity=l2_sensitivity, rho=cost, label=label)
        return curator.laplace(value, sensitivity=l1_sensitivity, epsilon=cost, label=label)


def allocate(n: int, task: Task, composition: str, updates: np.ndarray) -> dict[str, np.ndarray]:
    """Budgets, share and the sizes s and tau of the noises, for arrays of numbers of updates.

    zCDP: a run of the test costs epsilon_s^2/2, a measurement rho_o; both together rho/C. The
    errors at the two ends of a noisy tangent are normal with sd sqrt(2) sigma, where sigma =
    1/(n sqrt(rho_o)). Pure: epsilon_s + epsilon_o = epsilon/C; the larger error at an end is
    |a| + |h| of two Laplace noises of scale 2/(n epsilon_o). The best share has a closed form.
    Advanced: 2 C steps of one size. A joint measurement has d tangents together, sqrt(d) or d
    times as sensitive.
    """
    runs = task.d * updates
    compared, tangents = (task.k, task.d * runs) if task.joint else (task.d * task.k, runs)
    accuracy = threshold_accuracy(checks=compared, runs=runs, beta=2 * task.beta / 3) / n
    tau = tangent_error_quantile(composition, tangents, task.beta / 3) / n
    if task.joint:
        tau = tau * (math.sqrt(task.d) if composition == "zcdp" else task.d)
    if composition == "advanced":
        step = np.array([_step(2 * int(c), epsilon=task.epsilon, delta=task.delta) for c in runs])
        budgets = {"share": np.full(len(step), 0.5), "test_epsilon": step}
        budgets |= {"measurement_budget": step}
        return {**budgets, "test_accuracy": accuracy / step, "tau": tau / step}
    if composition == "pure":
        each = task.epsilon / runs
        share = task.share or 1 / (1 + np.sqrt(tau / accuracy))
        test, tangent = share * each, (1 - share) * each
        sizes = {"test_accuracy": accuracy / test, "tau": tau / tangent}
    else:
        each = accounting.zcdp_rho(epsilon=task.epsilon, delta=task.delta) / runs
        share = task.share or 1 / (1 + (math.sqrt(2) * tau / accuracy) ** (2 / 3))
        test, tangent = np.sqrt(2 * share * each), (1 - share) * each
        sizes = {"test_accuracy": accuracy / test, "tau": tau / np.sqrt(tangent)}
    budgets = {"share": share + 0 * each, "test_epsilon": test, "measurement_budget": tangent}
    return {**budgets, **sizes}


def tangent_error_quantile(composition: str, tangents: np.ndarray, beta: float) -> np.ndarray:
    """Largest error of so many noisy tangents, with probability at least 1 - beta.

    For a budget of 1 (rho or epsilon) for each tangent, and n = 1.
    """
    from scipy.special import lambertw, ndtri

    if composition == "zcdp":  # 4 one-sided tails for each tangent: two ends, two signs
        return -math.sqrt(2) * ndtri(beta / (4 * tangents))
    # tangents exp(-u) (1 + u) = beta
    return 2 * (-1 - lambertw(-beta / (math.e * tangents), -1).real)


@lru_cache(maxsize=4096)
def _step(k: int, *, epsilon: float, delta: float) -> float:
    """The largest step that k times costs (epsilon, delta), composed exactly."""
    return accounting.step_for(total=epsilon, k=k, delta=delta, rule="exact")
