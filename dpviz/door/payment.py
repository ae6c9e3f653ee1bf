"""The curator of the front door, and who pays for what.

With ``rng=None`` noise comes from fresh entropy of the operating system: the one place in dpviz
where randomness is not handed in, because a reader who forgets a seed must not get a known one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.privacy import curator as _curator
from dpviz.privacy import safe_noise
from dpviz.privacy.ledger import BudgetExceeded, Question
from dpviz.privacy.sparse_vector import Threshold

T = TypeVar("T")
NOISE = ("floats", "opendp")


class Curator(_curator.Curator):
    """A privacy budget that pays for any number of calls; printed, it is its ledger.

    Parameters
    ----------
    epsilon : float > 0, or
    rho : float > 0
        The whole budget; one of the two.
    delta : float in [0, 1)
    rng : a seed, where noise must be reproducible; None takes fresh entropy from the system
    noise : "floats" (numpy's), or "opendp": Laplace noise, Gaussian noise and selections are drawn
        by OpenDP, exactly and safe against the last bits of a float (``pip install dpviz[safe]``).
        Verbs that it cannot draw refuse, before anything is paid. It covers sampling only: sums
        are still rounded as floats are, which can move them by more than the sensitivity that is
        paid for, in their last bits.

    Raises
    ------
    ValueError, TypeError
        If the budget or the seed is none, or a seed is given with OpenDP, which takes none.
    ModuleNotFoundError
        If OpenDP is asked for and not installed.

    >>> curator = Curator(epsilon=1.0, rng=7)
    >>> noisy = curator.laplace(212, sensitivity=1, epsilon=0.5, label="malignant")
    >>> curator
    label      verb     sensitivity  scale  cost         share
    malignant  laplace  1            2      epsilon 0.5  50%
    spent epsilon 0.5 of epsilon 1
    """

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        rho: float | None = None,
        delta: float = 0.0,
        rng: checks.Seed | None = None,
        noise: str = "floats",
    ) -> None:
        self.noise = checks.choice("noise", noise, NOISE)
        if noise == "opendp":
            if rng is not None:
                raise ValueError("rng must be None with noise='opendp', which takes no seed")
            safe_noise.check_installed()
        super().__init__(epsilon=epsilon, rho=rho, delta=delta, rng=fresh(rng))

    def above_threshold(self, threshold: float, **how: Any) -> Threshold:
        """As of any curator; refused with noise="opendp", which compares with no threshold."""
        self._must_draw("above_threshold")
        return super().above_threshold(threshold, **how)

    def sub_curator_subsampled(self, data: ArrayLike, **how: Any) -> tuple[np.ndarray, Self]:
        """As of any curator; refused with noise="opendp", which draws no samples."""
        self._must_draw("sub_curator_subsampled")
        return super().sub_curator_subsampled(data, **how)

    def sub_curator_resampled(self, data: ArrayLike, **how: Any) -> tuple[np.ndarray, Self]:
        """As of any curator; refused with noise="opendp", which draws no samples."""
        self._must_draw("sub_curator_resampled")
        return super().sub_curator_resampled(data, **how)

    def _reply(self, question: Question, draw: Callable[[], T]) -> T:
        if self.noise == "floats":
            return super()._reply(question, draw)
        self._must_draw(question.charge.verb)
        return cast(T, safe_noise.reply(question, pay=self._pay))

    def _must_draw(self, verb: str) -> None:
        """Refuse a verb that OpenDP cannot draw, before anything is paid."""
        if self.noise == "opendp" and verb not in safe_noise.VERBS:
            drawn = ", ".join(safe_noise.VERBS)
            raise ValueError(f"noise='opendp' draws {drawn}; {verb!r} needs noise='floats'")

    def _child(self, budget: dict[str, Any]) -> Self:
        if self.noise == "floats":
            return super()._child(budget)
        return type(self)(**budget, noise=self.noise)


@dataclass(frozen=True)
class Quote:
    """In the place of a curator: only the terms are asked for, or how to run it (``again``)."""

    of: _curator.Curator | None
    again: bool = False

    def __getattr__(self, name: str) -> NoReturn:
        raise TypeError("verb must be a function of the front door that pays a curator")


def fresh(rng: checks.Seed | None) -> checks.Seed:
    """The seed, or fresh entropy where there is none."""
    return np.random.SeedSequence() if rng is None else rng


def public_seed(seed: int | None, rng: checks.Seed | None) -> int:
    """A seed of public randomness: as given, else spawned from ``rng``, else fresh.

    What is spawned leaves the stream of the noise as it was.

    >>> public_seed(5, None), public_seed(None, 1) == public_seed(None, 1)
    (5, True)
    """
    if seed is not None:
        return checks.integer("seed", seed, at_least=0)
    stream = checks.generator(fresh(rng))
    known = isinstance(rng, int | np.integer | list | tuple)  # a generator would be used up
    stream = stream.spawn(1)[0] if known else np.random.default_rng(np.random.SeedSequence())
    return int(stream.integers(2**62))


def budget_of(
    curator: _curator.Curator | Quote | None,
    rng: checks.Seed | None,
    *,
    epsilon: float | None,
    delta: float | None = 0.0,
    pure: bool = True,
) -> tuple[float, float]:
    """What a call costs: as it says; with a curator and nothing said, all that is left.

    Parameters
    ----------
    delta : None stands for 0, or for all that is left of it where that is so for epsilon
    pure : whether a delta of 0 serves

    Raises
    ------
    TypeError, ValueError
        If neither budget nor curator is given, a seed is given beside a curator, or a curator who
        composes by zCDP is to give all that is left.
    BudgetExceeded
        If nothing is left.

    >>> budget_of(None, None, epsilon=1)
    (1.0, 0.0)
    """
    payer = curator.of if isinstance(curator, Quote) else curator
    if payer is not None:
        if rng is not None:
            raise ValueError("rng must be None beside a curator, who has a stream of his own")
        checks.instance("curator", payer, _curator.Curator)
    if payer is not None and epsilon is None:
        if payer.composition != "basic":
            raise ValueError("epsilon must be given where the curator has a budget rho")
        left = payer.ledger.left
        if not left.epsilon:
            raise BudgetExceeded(f"nothing is left of the curator's {payer.budget}")
        return left.epsilon, left.delta if delta is None else delta
    if epsilon is None:
        raise TypeError("epsilon must be given, or a curator= that pays")
    if delta is None and not pure:
        raise TypeError("delta must be given, above 0, or a curator= that pays")
    rare = 0.0 if delta is None else checks.number("delta", delta, at_least=0, below=1)
    return checks.epsilon(epsilon), rare
