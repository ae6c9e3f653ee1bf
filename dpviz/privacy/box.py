"""A public box: where records and queries live, and its rescaling to the unit cube.

Records outside are clipped or refused, each by itself (`dpviz.privacy.private_data`);
queries outside are an error, because they are public.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.privacy.private_data import OUTSIDE, Corner, corners, finite_table, rescaled, table_of

MOST = 10**8  # coordinates
EDGE = 1e-12  # of a side: a query may lie outside by this much, since its rescaling is rounded


@dataclass(frozen=True)
class Box:
    """The product of d public intervals.

    Attributes
    ----------
    lower, upper : tuples (d,) of floats, lower < upper in each coordinate

    >>> box = Box.of(2, lower=0, upper=(1, 4))
    >>> box.widths.tolist(), box.total, box.units([[1, 1]]).tolist()
    ([1.0, 4.0], 5.0, [[1.0, 0.25]])
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    @classmethod
    def of(cls, d: int, *, lower: ArrayLike, upper: ArrayLike) -> Box:
        """The box of d coordinates; a number stands for all of them.

        Raises ``ValueError`` or ``TypeError``, naming d or the bound, if they are no box.
        """
        checks.integer("d", d, at_least=1, at_most=MOST)
        corners = []
        for name, bound in (("lower", lower), ("upper", upper)):
            corner = checks.queries(name, bound)
            if corner.shape not in ((), (d,)):
                raise ValueError(f"{name} must be a number or {d} of them, not {bound!r}")
            corners.append(corner)
        if not (corners[0] < corners[1]).all():
            raise ValueError(f"lower must be below upper everywhere, not {lower!r} and {upper!r}")
        # One number stands for all as one object: a bound is asked of millions of coordinates.
        return cls(*(tuple(c.tolist()) if c.ndim else (c.item(),) * d for c in corners))

    @property
    def d(self) -> int:
        """Number of coordinates."""
        return len(self.lower)

    @cached_property
    def widths(self) -> NDArray:
        """Length of each side; (d,)."""
        return np.subtract(self.upper, self.lower)

    @property
    def total(self) -> float:
        """Sum of the widths: the l1 diameter."""
        return float(self.widths.sum())

    def admitted(self, queries: ArrayLike) -> NDArray:
        """Public queries as they are, checked; array (k, d).

        Parameters and errors as in :meth:`units`.
        """
        points = self._points(queries)
        self.rescaled(points)
        return points

    def units(self, queries: ArrayLike) -> NDArray:
        """Public queries, rescaled to the unit cube; array (k, d).

        Parameters
        ----------
        queries : array (k, d); also (k,) if d = 1

        Raises TypeError or ValueError if they are no such array, not finite, or outside the box.
        """
        return np.clip(self.rescaled(self._points(queries)), 0.0, 1.0)

    def rescaled(self, points: NDArray, *, first: int = 0) -> NDArray:
        """Public points (k, d), rescaled: not above 1 or below 0 by more than ``EDGE``.

        For blocks of many queries: what is refused is checked on the result. ``first`` is the
        number of the first of them, for the message.
        """
        with np.errstate(over="ignore"):
            unit = (points - self.lower) / self.widths
        if unit.size and not (unit.min() >= -EDGE and unit.max() <= 1 + EDGE):
            self._refuse(points, unit, first)
        return unit

    def _points(self, queries: ArrayLike) -> NDArray:
        """Public queries as an array (k, d)."""
        points = checks.queries("queries", queries, self.d)
        if self.d > 1:
            return points
        if points.ndim > 2 or (points.ndim == 2 and points.shape[1] != 1):
            raise ValueError(f"queries must have shape (k,) or (k, 1), not {points.shape}")
        return points.reshape(-1, 1)

    def _refuse(self, points: NDArray, unit: NDArray, first: int) -> None:
        """Raise a ``ValueError`` that names the first point outside."""
        checks.queries("queries", points)
        k, i = np.argwhere(~((unit >= -EDGE) & (unit <= 1 + EDGE)))[0]
        sides = f"{self.lower[i]:g} and {self.upper[i]:g}"
        raise ValueError(
            f"queries must lie in the public box: coordinate {i} of query {first + k} must be "
            f"between {sides}, not {points[k, i]:g}"
        )

    def unit(self, query: ArrayLike) -> list[float]:
        """One public query, rescaled: as :meth:`units`, faster for a plain number if d = 1."""
        if self.d == 1 and isinstance(query, float) and self.lower[0] <= query <= self.upper[0]:
            return [(query - self.lower[0]) / self._width]
        point = checks.queries("query", query)
        if point.shape != (self.d,) and (self.d, point.shape) != (1, ()):
            raise ValueError(f"query must have {self.d} coordinates, not shape {point.shape}")
        return self.units(point.reshape(1, self.d))[0].tolist()

    def private(self, data: ArrayLike, *, outside: str = "clip") -> NDArray:
        """Private records, clipped (or refused) and rescaled; see ``private_data.unit_points``."""
        checks.choice("outside", outside, OUTSIDE)
        return rescaled(self._columns(table_of(data)), *self._corners, outside)

    def clipped(self, data: ArrayLike) -> NDArray:
        """Private records, each put into the box, not rescaled; shape (n, d).

        >>> Box.of(1, lower=0, upper=2).clipped([1.5, 7.0]).tolist()
        [[1.5], [2.0]]
        """
        return np.clip(self._columns(finite_table(data)), self.lower, self.upper)

    def _columns(self, points: NDArray) -> NDArray:
        """Private records of d columns; the message shows none of them."""
        if points.shape[1] != self.d:
            raise ValueError(f"data must have d = {self.d} columns, as the public box has")
        return points

    @cached_property
    def _corners(self) -> tuple[Corner, Corner]:
        return corners(self.lower, self.upper, self.d)

    @cached_property
    def _width(self) -> float:
        return float(self.widths[0])
