"""The curator: the only door through which a private value leaves.

It owns the two things that have state, the random stream and the ledger. Whoever wants a
private number states its sensitivity and pays; nothing is drawn before it is paid.

The noise is floating point: right as mathematics, not safe against an adversary who reads
the last bits of a double (Mironov 2012). It is for teaching, not for production.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

from dpviz.base import check

ROUNDING = 1e-12  # share of a budget that may be lost to adding floats, e.g. 11 x (1/11)


class BudgetExceeded(Exception):
    """A charge that cannot be paid. Nothing was drawn; the ledger is as before."""


@dataclass(frozen=True)
class Charge:
    """One line of the ledger: what left, through which verb, and what it cost."""

    label: str
    verb: str
    sensitivity: float
    scale: float
    epsilon: float


@dataclass(frozen=True)
class Ledger:
    """The charges so far against a budget; prints as a table."""

    budget: float
    charges: tuple[Charge, ...] = ()

    @property
    def spent(self) -> float:
        """Sum of the charges: basic composition."""
        return math.fsum(charge.epsilon for charge in self.charges)

    def __str__(self) -> str:
        names = [field.name for field in fields(Charge)]
        rows = [[_text(cell) for cell in astuple(charge)] for charge in self.charges]
        widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in [names, *rows]]
        return "\n".join([*lines, f"spent {_text(self.spent)} of {_text(self.budget)}"])


class Curator:
    """Holds a privacy budget and the random stream that pays it out.

    Composition is basic: the epsilons of the charges add up (Dwork, McSherry, Nissim and
    Smith 2006). Neighbouring data sets differ in one replaced record.

    Parameters
    ----------
    epsilon : float > 0
        The whole budget of pure differential privacy.
    rng : anything ``numpy.random.default_rng`` takes

    Raises
    ------
    ValueError, TypeError
        If ``epsilon`` is not a positive number, or ``rng`` not a seed.

    >>> curator = Curator(epsilon=1.0, rng=0)
    >>> noisy = curator.laplace(212, sensitivity=1, epsilon=0.5, label="malignant")
    >>> print(curator.ledger)
    label      verb     sensitivity  scale  epsilon
    malignant  laplace  1            2      0.5
    spent 0.5 of 1
    """

    def __init__(self, *, epsilon: float, rng: Any):
        self._rng = check.generator(rng)
        self._ledger = Ledger(check.number("epsilon", epsilon, above=0))

    @property
    def ledger(self) -> Ledger:
        """What was spent so far, as a frozen table."""
        return self._ledger

    def laplace(
        self, value: Any, *, sensitivity: float, epsilon: float, label: str
    ) -> float | np.ndarray:
        """Release ``value`` plus Laplace noise of scale ``sensitivity / epsilon``.

        Costs ``epsilon``. Proof: the density of the output at any point changes by a factor of
        at most exp(||change||_1 / scale) = exp(epsilon) between neighbours (Dwork, McSherry,
        Nissim and Smith 2006, Proposition 1).

        Parameters
        ----------
        value : float or array, private
        sensitivity : float > 0
            Largest L1 change of ``value`` when one record is replaced. The caller proves it.
        epsilon : float > 0
        label : str
            Name of the line in the ledger.

        Returns
        -------
        float or array of the shape of ``value``

        Raises
        ------
        BudgetExceeded
            If less than ``epsilon`` is left. ValueError or TypeError for bad arguments. In
            either case nothing is drawn and the ledger is unchanged.
        """
        sensitivity = check.number("sensitivity", sensitivity, above=0)
        epsilon = check.number("epsilon", epsilon, above=0)
        private = np.asarray(value, dtype=float)
        if not np.isfinite(private).all():
            raise ValueError("value must be finite")
        scale = sensitivity / epsilon
        self._pay(Charge(label, "laplace", sensitivity, scale, epsilon))
        noise = self._rng.standard_exponential((2, *private.shape))
        released = private + scale * (noise[0] - noise[1])
        return released if private.ndim else float(released)

    def _pay(self, charge: Charge) -> None:
        """Enter the charge, or raise ``BudgetExceeded`` and leave the ledger as it was."""
        after = Ledger(self._ledger.budget, (*self._ledger.charges, charge))
        if after.spent > after.budget * (1 + ROUNDING):
            left = after.budget - self._ledger.spent
            raise BudgetExceeded(
                f"{charge.label!r} asks for epsilon {_text(charge.epsilon)}, "
                f"but {_text(left)} of {_text(after.budget)} is left"
            )
        self._ledger = after


def _text(cell: Any) -> str:
    """A cell of the ledger: words as they are, numbers to four digits."""
    return cell if isinstance(cell, str) else f"{cell:.4g}"
