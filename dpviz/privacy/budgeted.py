"""Parameters that promise a budget, and the curator that pays exactly that."""

from __future__ import annotations

from dpviz.checks import Seed
from dpviz.privacy.curator import Curator


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
