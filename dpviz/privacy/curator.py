"""The curator: the only door through which a private value leaves.

Statements: HR Definition 1; W13 Definition 2.1; NSV Definition 1.1.

It owns the two things that have state, the random stream and the ledger. A mechanism that wants a
private number states its sensitivity and pays; nothing is drawn before it is paid.

Composition is fixed when the curator is made. With ``epsilon`` (and ``delta``) the costs of
(epsilon, delta)-differential privacy add up: basic composition (Dwork et al. 2006). With
``rho`` those of zero-concentrated differential privacy do (Bun and Steinke 2016), and a
``delta`` beside it pays for the events of approximate zCDP. A part of an analysis that
composes otherwise is a sub-curator that is paid as a whole (`dpviz.privacy.sub_curators`), so the
ledger is a tree.

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

from dpviz.checks import Seed
from dpviz.privacy.additive_noise import AdditiveNoise
from dpviz.privacy.exponential_mechanism import ExponentialMechanism
from dpviz.privacy.lazy_histogram import LazyHistograms
from dpviz.privacy.ledger import BudgetExceeded, Charge, Cost, Ledger, Question
from dpviz.privacy.sparse_vector import SparseVector
from dpviz.privacy.stable_histogram import StableHistogram
from dpviz.privacy.sub_curators import SubCurators

__all__ = ["BudgetExceeded", "Budgeted", "Charge", "Cost", "Curator", "Ledger", "Question"]


class Curator(
    AdditiveNoise, ExponentialMechanism, SparseVector, StableHistogram, LazyHistograms, SubCurators
):
    """Holds a privacy budget and the random stream that pays it out.

    Parameters
    ----------
    epsilon : float > 0, or
    rho : float > 0
        The whole budget; one of the two.
    delta : float in [0, 1)
    rng : anything ``numpy.random.default_rng`` takes
        Anyone who knows the seed knows the noise. A lesson fixes it, to be reproducible; where the
        data are not public it must be secret: ``numpy.random.SeedSequence()`` takes a fresh
        one from the system. Two curators never share a seed (`dpviz.sweeps.seeds.spawn`).

    Raises
    ------
    ValueError, TypeError
        If the budget is not such, or ``rng`` not a seed.

    >>> curator = Curator(epsilon=1.0, rng=0)
    >>> noisy = curator.laplace(212, sensitivity=1, epsilon=0.5, label="malignant")
    >>> print(curator.ledger)
    label      verb     sensitivity  scale  cost         share
    malignant  laplace  1            2      epsilon 0.5  50%
    spent epsilon 0.5 of epsilon 1
    """


class Budgeted:
    """Base of the Params of a mechanism that costs (``epsilon``, ``delta``).

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Params(Budgeted):
    ...     epsilon: float
    ...     delta: float = 0.0
    >>> print(Params(epsilon=0.5, delta=1e-6).curator(rng=0).budget)
    epsilon 0.5, delta 1e-06
    """

    epsilon: float
    delta: float = 0.0

    def curator(self, *, rng: Seed) -> Curator:
        """A fresh curator with exactly the promised budget, by basic composition.

        Parameters
        ----------
        rng : anything ``numpy.random.default_rng`` takes; the same seed gives the same noise
        """
        return Curator(epsilon=self.epsilon, delta=self.delta, rng=rng)

    def payable_by(self, curator: Curator, *, basic: bool = False) -> None:
        """Raise unless a curator is of the kind that can pay; how much it has is asked later.

        Parameters
        ----------
        curator : Curator, or what stands in front of one
        basic : whether basic composition is needed also for a pure budget

        Raises
        ------
        TypeError
            If it is no curator.
        ValueError
            If it composes by zCDP: this budget is an (epsilon, delta).
        """
        if not hasattr(curator, "ledger"):
            raise TypeError(f"curator must be a Curator, not {curator!r}")
        if (basic or self.delta) and curator.composition != "basic":
            raise ValueError("curator must have a budget epsilon (and delta), not rho")
