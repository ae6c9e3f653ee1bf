"""The public box and its grid: private rows as whole numbers, exact distances, published balls.

**Paper.** Nissim, Stemmer and Vadhan (2016), section 3 (the finite domain X^d) and Remark 3.3
(axes of other lengths and steps).

**Setting.** Records lie in a public box [lower, upper]. The unit of length is its longest side, so
that balls stay balls; the grid has ``size`` points on that side. Neighbours replace one record.

**Idea.** Clip each record to the box and round it to the grid, record by record. Squared distances
are then sums of whole numbers below 2^53: exact, and a function of two rows and of nothing else.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
\\|X\\|           ``size``        grid points on the longest side               count
S               ``points``      rows in grid steps; NaN rows are null         (n, d)
(none)          ``unit``        longest side of the box                       unit of data
==============  ==============  ============================================  =============

**Departures.** The paper's box is the unit cube; rows outside are not its concern.
Statements: NSV Remark 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.privacy.box import Box
from dpviz.privacy.curator import Promise
from dpviz.privacy.private_data import OUTSIDE, unit_points

FAR = 1e9  # sides of the box: where rows are put that no ball may hold


@dataclass(frozen=True, kw_only=True)
class Boxed(Promise):
    """Base of Params that name a public box.

    Attributes
    ----------
    d : int >= 1, columns
    lower, upper : float, or tuple (d,), the public box in the unit of the data
    outside : "clip" or "refuse" records outside the box
    """

    beta: float = 0.1
    d: checks.Count
    lower: float | tuple[float, ...]
    upper: float | tuple[float, ...]
    outside: str = "clip"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.choice("outside", self.outside, OUTSIDE)
        checks.number("upper - lower", self.unit, above=0)

    @cached_property
    def box(self) -> Box:
        """The public box."""
        return Box.of(self.d, lower=self.lower, upper=self.upper)

    @property
    def unit(self) -> float:
        """The longest side of the box."""
        return float(self.box.widths.max())

    @property
    def top(self) -> np.ndarray:
        """The upper corner in units; the lower one is 0. Array (d,)."""
        return self.box.widths / self.unit

    def rows_of(self, data: ArrayLike) -> np.ndarray:
        """Private records clipped (or refused), in units from the lower corner; (n, d)."""
        rows = unit_points(data, self.lower, self.upper, outside=self.outside)
        if rows.shape[1] != self.d:
            raise ValueError(f"data must have d = {self.d} columns, not {rows.shape[1]}")
        return rows * self.top

    def place(self, points: np.ndarray) -> np.ndarray:
        """Points in units, in the unit of the data."""
        return np.asarray(self.box.lower) + points * self.unit


@dataclass(frozen=True, eq=False)
class Ball:
    """A published ball; ``failed`` is "" or the step that found nothing.

    Attributes
    ----------
    failed : str, "" or one of the solver's ``STEPS``; center : array (d,), NaN if not found
    radius : float, in the unit of the data; NaN if not found
    holds : float, rows that the ball holds at least, with probability 1 - beta; NaN if not found
    """

    promise: ClassVar[str] = "that it is found, and its radius: not promised"

    failed: str
    center: np.ndarray
    radius: float
    holds: float

    def __str__(self) -> str:
        """One sentence: the ball, and what of it was promised.

        >>> print(Ball("", np.zeros(2), 0.25, 5.0))
        ball of radius 0.25, holds at least 5 rows; that it is found, and its radius: not promised
        """
        ball = f"no ball ({self.failed})"
        if self.found:
            rows = "" if np.isnan(self.holds) else f", holds at least {self.holds:.0f} rows"
            ball = f"ball of radius {self.radius:.3g}{rows}"
        return f"{ball}; {self.promise}"

    @property
    def found(self) -> bool:
        """Whether a ball was published."""
        return not self.failed

    def inside(self, points: ArrayLike) -> np.ndarray:
        """Whether points (k, d) lie in it, array (k,); none if it was not found.

        >>> Ball("", np.zeros(2), 1.0, 5.0).inside([[0.6, 0.8], [1.0, 0.1]]).tolist()
        [True, False]
        """
        points = checks.queries("queries", points, len(self.center))
        if not self.found:
            return np.zeros(len(points), dtype=bool)
        with np.errstate(over="ignore"):  # so far out is outside
            return ((points - self.center) ** 2).sum(axis=1) <= self.radius**2


def check_grid(size: int, d: int) -> None:
    """Refuse a grid on which squared distances would be rounded.

    >>> check_grid(2**16, 10)
    """
    checks.integer("size", size, at_least=2)
    if 4 * d * (size - 1) ** 2 >= 2**53:
        raise ValueError("size must keep squared distances exact: 4 d (size - 1)^2 < 2^53")


def grid_points(rows: ArrayLike, size: int) -> np.ndarray:
    """Rows in units rounded to the grid, record by record; whole numbers of steps, as floats.

    >>> grid_points([[0.0, 0.51], [1.0, 0.2]], 11).tolist()
    [[0.0, 5.0], [10.0, 2.0]]
    """
    return np.rint(np.asarray(rows) * (size - 1))


def squared_distances(rows: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Exact squared distances between whole-number rows; (m, n).

    >>> squared_distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[25.0, 0.0]]
    """
    return lifted(rows, -2.0) @ lifted(points, 1.0)[:, [*range(points.shape[1]), -1, -2]].T


def lifted(points: np.ndarray, factor: float) -> np.ndarray:
    """Rows (factor x, |x|^2, 1): products of such rows are squared distances; (n, d + 2).

    >>> lifted(np.array([[3.0, 4.0]]), -2.0).tolist()
    [[-6.0, -8.0, 25.0, 1.0]]
    """
    squares = (points**2).sum(axis=1, keepdims=True)
    return np.hstack([factor * points, squares, np.ones_like(squares)])
