"""A public box: where records and queries live, and its rescaling to the unit cube.

Records outside are clipped or refused, each by itself (`dpviz.privacy.private_data`);
queries outside are an error, for they are public.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.privacy.private_data import finite_table, unit_points


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

        Raises ``ValueError`` or ``TypeError``, naming the bound, if they are no box.
        """
        low, high = checks.queries("lower", lower), checks.queries("upper", upper)
        for name, bound in (("lower", low), ("upper", high)):
            if bound.shape not in ((), (d,)):
                raise ValueError(f"{name} must be a number or {d} of them, not {bound.shape}")
        if not (low < high).all():
            raise ValueError(f"lower must be below upper everywhere, not {lower!r} and {upper!r}")
        return cls(*(tuple(np.broadcast_to(side, d).tolist()) for side in (low, high)))

    @property
    def d(self) -> int:
        """Number of coordinates."""
        return len(self.lower)

    @cached_property
    def widths(self) -> np.ndarray:
        """Length of each side; (d,)."""
        return np.subtract(self.upper, self.lower)

    @property
    def total(self) -> float:
        """Sum of the widths: the l1 diameter."""
        return float(self.widths.sum())

    def units(self, queries: ArrayLike) -> np.ndarray:
        """Public queries, rescaled to the unit cube; array (k, d).

        Parameters
        ----------
        queries : array (k, d); also (k,) if d = 1

        Raises
        ------
        TypeError, ValueError
            If they are no such array, not finite, or outside the box.
        """
        points = checks.queries("queries", queries, self.d)
        points = points.reshape(-1, 1) if self.d == 1 else points
        outside = (points < self.lower) | (points > self.upper)
        if outside.any():
            k, i = np.argwhere(outside)[0]
            sides = f"{self.lower[i]:g} and {self.upper[i]:g}"
            raise ValueError(
                f"queries must lie in the public box: coordinate {i} of query {k} must be "
                f"between {sides}, not {points[k, i]:g}"
            )
        return (points - self.lower) / self.widths

    def unit(self, query: ArrayLike) -> list[float]:
        """One public query, rescaled: as :meth:`units`, faster for a plain number if d = 1."""
        if self.d == 1 and isinstance(query, float) and self.lower[0] <= query <= self.upper[0]:
            return [(query - self.lower[0]) / self._width]
        point = checks.queries("query", query)
        if point.shape != (self.d,) and (self.d, point.shape) != (1, ()):
            raise ValueError(f"query must have {self.d} coordinates, not shape {point.shape}")
        return self.units(point.reshape(1, self.d))[0].tolist()

    def private(self, data: ArrayLike, *, outside: str = "clip") -> np.ndarray:
        """Private records, clipped (or refused) and rescaled; see :func:`unit_points`."""
        points = finite_table(data)
        if points.shape[1] != self.d:
            raise ValueError(f"data must have d = {self.d} columns")
        return unit_points(points, self.lower, self.upper, outside=outside)

    @cached_property
    def _width(self) -> float:
        return float(self.widths[0])
