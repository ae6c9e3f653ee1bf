"""The curator: the only door through which a private value leaves.

Statements: HR Definition 1; W13 Definition 2.1; NSV Definition 1.1; lesson Definition 1.1.
It owns the two things that have state, the random stream and the ledger. A mechanism that wants a
private number states its sensitivity and pays; nothing is drawn before it is paid.

Composition is fixed when the curator is made. With ``epsilon`` (and ``delta``) the costs of
(epsilon, delta)-differential privacy add up: basic composition (Dwork et al. 2006). With ``rho``
those of zero-concentrated differential privacy do (Bun and Steinke 2016), and a ``delta`` beside it
pays for the events of approximate zCDP. A part of an analysis that composes otherwise is a
sub-curator (a privacy filter) that is paid as a whole, so the ledger is a tree.

Neighbouring data sets differ in one replaced record; the number of records is public.

The noise is floating point: right as mathematics, not safe against an adversary who reads
the last bits of a double (Mironov 2012). It is for teaching, not for production.

A curator guards against mistakes, not against malice. It cannot be copied, pickled or used in
a forked process, its threads take turns, its public state is read-only, and what it refuses it
does not charge. But Python has no walls inside a process: code that reads an attribute which
begins with an underscore, a frame of the stack, or the data themselves, finds them. Code that
is not trusted with the data must run in another process, and see only what is released.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.checks import Seed
from dpviz.privacy.account import Account
from dpviz.privacy.additive_noise import AdditiveNoise
from dpviz.privacy.exponential_mechanism import ExponentialMechanism
from dpviz.privacy.histograms import LazyHistograms, StableHistogram
from dpviz.privacy.ledger import BudgetExceeded, Charge, Cost, Ledger, Question, line
from dpviz.privacy.private_data import records_of
from dpviz.privacy.sparse_vector import SparseVector

__all__ = [
    "BudgetExceeded",
    "Budgeted",
    "Charge",
    "Cost",
    "Curator",
    "Ledger",
    "Promise",
    "Question",
]


class SubCurators(Account):
    """The verbs that hand out sub-curators.

    Each is charged in full when it is made, also if not all of it is used later; what it
    then spends stands below that line in the ledger's tree. It is a curator itself. Proof: all
    that leaves through it is one output with the guarantee that is charged; what is asked may
    be chosen adaptively.
    """

    def sub_curator(
        self,
        *,
        epsilon: float | None = None,
        rho: float | None = None,
        delta: float = 0.0,
        label: str,
    ) -> Self:
        """A sub-curator that composes as this curator does, with a budget of its own."""
        own, other = (epsilon, rho) if self.composition == "basic" else (rho, epsilon)
        if own is None or other is not None:
            name = "epsilon" if self.composition == "basic" else "rho"
            raise ValueError(
                f"this curator composes otherwise: give the sub-curator's budget as {name}"
            )
        budget = {"epsilon": epsilon, "rho": rho, "delta": delta}
        return self._make(label, "sub_curator", budget, None)

    def sub_curator_zcdp(
        self, *, epsilon: float, delta: float, slack: float = 0.0, label: str
    ) -> Self:
        """A sub-curator that composes by zCDP inside basic composition; costs (epsilon, delta).

        Its rho is the largest that implies (epsilon, delta) (Bun and Steinke 2016; tight
        conversion of Canonne, Kamath and Steinke 2020). ``slack``, below delta, is kept for
        steps that are zCDP only outside a rare event: it is the sub-curator's own delta.
        """
        self._must_be("basic")
        rho = accounting.zcdp_rho(epsilon=epsilon, delta=delta, slack=slack)
        budget = {"rho": rho, "delta": slack}
        return self._make(label, "sub_curator_zcdp", budget, Cost(epsilon=epsilon, delta=delta))

    def sub_curator_pure(self, *, epsilon: float, label: str) -> Self:
        """A sub-curator that adds up pure epsilons inside zCDP; costs rho = epsilon^2 / 2."""
        self._must_be("zcdp")
        epsilon = checks.epsilon(epsilon)
        return self._make(
            label,
            "sub_curator_pure",
            {"epsilon": epsilon},
            Cost(rho=accounting.zcdp_pure(epsilon=epsilon)),
        )

    def sub_curator_steps(
        self, *, epsilon: float, k: int, delta: float, step_delta: float = 0.0, label: str
    ) -> Self:
        """At most k steps, each (``epsilon``, ``step_delta``) or less, composed exactly.

        Costs the smallest (epsilon', delta) that k such steps have (Kairouz, Oh and Viswanath
        2015, Theorem 3.3): for many steps far less than k epsilon.
        """
        self._must_be("basic")
        whole = accounting.pure_exact(epsilon=epsilon, k=k, delta=delta, step_delta=step_delta)
        cost = Cost(epsilon=whole, delta=delta)
        budget = {"epsilon": k * epsilon, "delta": k * step_delta}
        child = self._make(label, "sub_curator_steps", budget, cost)
        child._steps, child._step = k, Cost(epsilon=epsilon, delta=step_delta)
        return child

    def sub_curator_subsampled(
        self, data: ArrayLike, *, size: int, epsilon: float, delta: float = 0.0, label: str
    ) -> tuple[np.ndarray, Self]:
        """A secret random sample of the records, and a sub-curator with which to work on it.

        The sample is drawn without replacement. It has the budget (epsilon, delta); what
        is charged is the smaller cost that remains because each record is in the sample with
        probability size / n only (Balle, Barthe and Gaboardi 2018, Theorem 9).

        Parameters
        ----------
        data : array (n, ...), private; size : int in [1, n], public

        Returns the sample (size, ...), private, and its curator.
        """
        self._must_be("basic")
        records = records_of(data)
        size = checks.integer("size", size, at_least=1, at_most=len(records))
        rate = size / len(records)
        whole, rest = accounting.subsample(epsilon=epsilon, delta=delta, rate=rate)
        budget = {"epsilon": epsilon, "delta": delta}
        child = self._make(label, "sub_curator_subsampled", budget, Cost(epsilon=whole, delta=rest))
        free = line(label, "sample", 0.0, 0.0, Cost())
        rows = self._ask(free, 0.0, "max", lambda: self._rng.choice(len(records), size, False))
        return records[rows], child

    def sub_curator_resampled(
        self, data: ArrayLike, *, size: int, epsilon: float, delta: float = 0.0, label: str
    ) -> tuple[np.ndarray, Self]:
        """As :meth:`sub_curator_subsampled`, but drawn with replacement.

        A record may come several times.

        Charged is ``accounting.resample_step`` of the sub-curator's budget (epsilon, delta).
        """
        self._must_be("basic")
        records = records_of(data)
        size = checks.integer("size", size, at_least=1, at_most=10**9)
        n = len(records)
        whole, rest = accounting.resample_step(epsilon=epsilon, delta=delta, draws=size, n=n)
        budget = {"epsilon": epsilon, "delta": delta}
        child = self._make(label, "sub_curator_resampled", budget, Cost(epsilon=whole, delta=rest))
        free = line(label, "sample", 0.0, 0.0, Cost())
        rows = self._ask(free, 0.0, "max", lambda: self._rng.integers(n, size=size))
        return records[rows], child

    def _make(self, label: str, verb: str, budget: dict[str, Any], cost: Cost | None) -> Self:
        """Make the sub-curator, then charge it; if it cannot be paid, it is not handed out."""
        child = self._child({k: v for k, v in budget.items() if v is not None})
        child._turn = self._turn
        with self._turn:
            self._pay(line(label, verb, 0.0, 0.0, cost or child.budget), child)
        return child

    def _child(self, budget: dict[str, Any]) -> Self:
        """A curator of the same kind, whose noise comes from the same stream."""
        return type(self)(**budget, rng=self._rng)


class Curator(
    AdditiveNoise, ExponentialMechanism, SparseVector, StableHistogram, LazyHistograms, SubCurators
):
    """Holds a privacy budget and the random stream that pays it out.

    Parameters
    ----------
    epsilon : float > 0, or
    rho : float > 0. The whole budget; one of the two.
    delta : float in [0, 1)
    rng : anything ``numpy.random.default_rng`` takes. Anyone who knows the seed knows the noise. A
        lesson fixes it, to be reproducible; where the data are not public it must be secret:
        ``numpy.random.SeedSequence()`` takes a fresh one from the system. Two curators never share
        a seed (`dpviz.sweeps.seeds.spawn`).

    Raises ValueError or TypeError if the budget is not such, or ``rng`` not a seed.

    >>> curator = Curator(epsilon=1.0, rng=0)
    >>> noisy = curator.laplace(212, sensitivity=1, epsilon=0.5, label="malignant")
    >>> print(curator.ledger)
    label      verb     sensitivity  scale  cost         share
    malignant  laplace  1            2      epsilon 0.5  50%
    spent epsilon 0.5 of epsilon 1
    """


# Which delta a mechanism is proved for: none, or one without which there is no proof.
PURE = {"at_least": 0, "at_most": 0}
APPROXIMATE = {"above": 0, "below": 1}
AT_MOST_HALF = {"above": 0, "at_most": 0.5}
UP_TO_HALF = {"at_least": 0, "at_most": 0.5}


@dataclass(frozen=True, kw_only=True)
class Budgeted(checks.Declared):
    """Base of the Params of a mechanism that costs (``epsilon``, ``delta``).

    Attributes
    ----------
    epsilon : float > 0
    delta : float in [0, 1), or in the ``delta_range`` of the mechanism; 0 (default) means pure

    >>> class Params(Budgeted):
    ...     delta_range = PURE
    >>> print(Budgeted(epsilon=0.5, delta=1e-6).curator(rng=0).budget)
    epsilon 0.5, delta 1e-06
    >>> Params(epsilon=0.5, delta=1e-6)
    Traceback (most recent call last):
    ...
    ValueError: delta must be a number with 0 <= delta <= 0, not 1e-06
    """

    delta_range: ClassVar[dict[str, float]] = {"at_least": 0, "below": 1}

    epsilon: checks.Positive
    delta: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.number("delta", self.delta, **self.delta_range)

    def curator(self, *, rng: Seed) -> Curator:
        """A fresh curator with exactly the promised budget, by basic composition.

        Parameters
        ----------
        rng : anything ``numpy.random.default_rng`` takes; the same seed gives the same noise
        """
        return Curator(epsilon=self.epsilon, delta=self.delta, rng=rng)

    def noisy(
        self, value: ArrayLike, curator: Curator, *, l1: float, l2: float, label: str
    ) -> float | np.ndarray:
        """A private value with Laplace noise, or with Gaussian noise if ``delta`` is above 0.

        Costs ``epsilon``, ``delta``. A replaced record moves the value by at most ``l1`` in L1 and
        ``l2`` in L2.

        >>> budget = Budgeted(epsilon=1e9)
        >>> budget.noisy(2.0, budget.curator(rng=0), l1=1.0, l2=1.0, label="count")
        2.000
        """
        cost: dict[str, Any] = {"epsilon": self.epsilon, "label": label}
        if self.delta:
            return curator.gaussian(value, sensitivity=l2, delta=self.delta, **cost)
        return curator.laplace(value, sensitivity=l1, **cost)

    def noise_scale(self, *, l1: float, l2: float) -> float:
        """Scale of the Laplace noise of :meth:`noisy`, or standard deviation of the Gaussian.

        >>> Budgeted(epsilon=0.5).noise_scale(l1=1.0, l2=1.0)
        2.0
        """
        if self.delta:
            return l2 * accounting.gaussian_sd(epsilon=self.epsilon, delta=self.delta)
        return l1 / self.epsilon

    def noise_sd(self, *, l1: float, l2: float) -> float:
        """Standard deviation of the noise of :meth:`noisy`.

        >>> Budgeted(epsilon=0.5).noise_sd(l1=1.0, l2=1.0)
        2.828
        """
        return self.noise_scale(l1=l1, l2=l2) * (1.0 if self.delta else math.sqrt(2))

    def largest_noise(self, k: int, beta: float, *, l1: float, l2: float) -> float:
        """Proved: what none of k noises of :meth:`noisy` exceeds, with probability 1 - ``beta``.

        Exactly: they are independent, so all are below t with that probability if each is with
        (1 - beta)^(1/k), and t is a quantile of the law.

        >>> Budgeted(epsilon=1.0).largest_noise(1, 0.05, l1=1.0, l2=1.0)  # ln 20
        2.996
        """
        outside = -math.expm1(math.log1p(-beta) / k)
        if not self.delta:
            return -math.log(outside) * self.noise_scale(l1=l1, l2=l2)
        from scipy.special import ndtri

        return -float(ndtri(outside / 2)) * self.noise_scale(l1=l1, l2=l2)

    def payable_by(self, curator: Curator, *, basic: bool = False) -> None:
        """Raise unless a curator is of the kind that can pay; how much it has is asked later.

        Parameters
        ----------
        curator : Curator, or what stands in front of one
        basic : whether basic composition is needed also for a pure budget

        Raises TypeError if it is no curator, ValueError if it composes by zCDP: this budget is an
        (epsilon, delta).
        """
        if not hasattr(curator, "ledger"):
            raise TypeError(f"curator must be a Curator, not {curator!r}")
        if (basic or self.delta) and curator.composition != "basic":
            raise ValueError("curator must have a budget epsilon (and delta), not rho")


@dataclass(frozen=True, kw_only=True)
class Promise(Budgeted):
    """Base of Params whose error bound holds with probability 1 - ``beta``.

    Attributes
    ----------
    beta : float in (0, 1)

    >>> Promise(epsilon=1.0, beta=0.0)
    Traceback (most recent call last):
    ...
    ValueError: beta must be a number with 0 < beta < 1, not 0.0
    """

    beta: checks.Share = 0.05
