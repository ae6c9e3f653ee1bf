"""Classes of linear queries, finite ones listed and infinite ones as polytopes.

**Paper.** Roth (2010), sections 1 and 2: a class C of queries in [0, 1]^n.

**Setting.** A database counts the people in each of some cells; a query weighs the cells with
numbers between 0 and 1. Cells are in an order where the class needs one.

**Idea.** A finite class is a table, one query a row. An infinite class that is a polytope is the
table of its inequalities; a linear question about it is a linear program, and the largest error
over it is the largest over its corners.

**Symbols.**

==========  ====================  ==============================================  ============
paper       here                  meaning                                         shape, unit
==========  ====================  ==============================================  ============
n           ``cells``             number of cells (the paper's universe)          count
C           ``queries``           a finite class, one query a row                 (k, cells)
k           ``k``                 its size                                        count
(none)      ``matrix, limits``    an infinite one: matrix @ q <= limits, q in     (c, cells), (c,)
                                  [0, 1]^cells
==========  ====================  ==============================================  ============

**Departures.** n is the paper's length of a database; here n stays the number of records, and
the length is ``cells``.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks

LARGEST = 2_000_000  # entries of a table that is still listed
MOST_CHOICES = 500_000  # of inequalities that meet in a corner
DEGENERATE = 1e-9  # a smaller determinant, or gap, is rounding


def unit_queries(queries: Queries | None) -> np.ndarray:
    """A public class as floats (k, cells): a finite one, or the corners of a polytope.

    Statements: R10 Definition 2.
    ``ValueError`` if it is missing or empty, or leaves [0, 1].

    >>> unit_queries([[0, 1]]).shape
    (1, 2)
    >>> unit_queries([[0, 1.5]])
    Traceback (most recent call last):
    ...
    ValueError: queries must have coefficients in [0, 1], not from 0 to 1.5
    """
    if queries is None:
        raise ValueError("queries must be given: an array (k, cells) of weights in [0, 1]")
    if isinstance(queries, Polytope):
        return queries.corners
    table = checks.queries("queries", queries)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(
            f"queries must have shape (k, cells), with k and cells at least 1, not {table.shape}"
        )
    if table.min() < 0 or table.max() > 1:
        raise ValueError(
            f"queries must have coefficients in [0, 1], not from {table.min():g} to {table.max():g}"
        )
    return table


def thresholds(cells: int) -> np.ndarray:
    """The queries "at or beyond cell t", t = 0 ... cells; shape (cells + 1, cells).

    They are the corners of the polytope of all non-decreasing functions, so the largest error
    over that infinite class is the largest over these.

    >>> thresholds(2).tolist()
    [[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    """
    checks.integer("cells", cells, at_least=1)
    places = np.arange(cells)
    return (places >= np.arange(cells + 1)[:, None]).astype(float)


def intervals(cells: int) -> np.ndarray:
    """The empty query, and "from cell s to cell t" for s <= t.

    >>> len(intervals(3))
    7
    """
    checks.integer("cells", cells, at_least=1)
    places = np.arange(cells)
    ends = itertools.combinations_with_replacement(range(cells), 2)
    rows = [(places >= low) & (places <= high) for low, high in ends]
    return np.array([np.zeros(cells, dtype=bool), *rows], dtype=float)


def subsets(cells: int, *, at_most: int | None = None) -> np.ndarray:
    """All 0/1 queries, or those with at most so many ones.

    >>> len(subsets(4)), len(subsets(4, at_most=2))
    (16, 11)
    """
    checks.integer("cells", cells, at_least=1)
    most = cells if at_most is None else checks.integer("at_most", at_most, at_least=0)
    most = min(most, cells)
    check_size("subsets", sum(math.comb(cells, i) for i in range(most + 1)), cells)
    chosen = (c for i in range(most + 1) for c in itertools.combinations(range(cells), i))
    return np.array([np.isin(np.arange(cells), c) for c in chosen], dtype=float)


def monotone(cells: int, *, steps: int) -> np.ndarray:
    """All monotone (non-decreasing) functions with values 0, 1/steps, ..., 1.

    >>> len(monotone(3, steps=2))
    10
    """
    checks.integer("cells", cells, at_least=1)
    checks.integer("steps", steps, at_least=1)
    check_size("monotone functions", math.comb(cells + steps, cells), cells)
    rows = itertools.combinations_with_replacement(range(steps + 1), cells)
    return np.array(list(rows)) / steps


def lipschitz(cells: int, *, steps: int, slope: int) -> np.ndarray:
    """Lipschitz functions with values 0, 1/steps, ..., 1: they move by at most slope/steps a cell.

    >>> len(lipschitz(2, steps=2, slope=1))
    7
    """
    checks.integer("cells", cells, at_least=1)
    checks.integer("steps", steps, at_least=1)
    checks.integer("slope", slope, at_least=0)
    check_size(
        "Lipschitz functions", (steps + 1) * min(2 * slope + 1, steps + 1) ** (cells - 1), cells
    )
    rows = [(start,) for start in range(steps + 1)]
    for _ in range(cells - 1):
        near = range(-slope, slope + 1)
        rows = [(*row, row[-1] + s) for row in rows for s in near if 0 <= row[-1] + s <= steps]
    return np.array(rows) / steps


def lp_ball(cells: int, *, steps: int, p: float, radius: float) -> np.ndarray:
    """All functions with values 0, 1/steps, ..., 1 whose p-norm is at most ``radius``.

    >>> len(lp_ball(2, steps=1, p=1, radius=1))
    3
    """
    checks.integer("cells", cells, at_least=1)
    checks.integer("steps", steps, at_least=1)
    checks.number("p", p, at_least=1)
    checks.number("radius", radius, at_least=0)
    check_size("grid functions", (steps + 1) ** cells, cells)
    rows = np.array(list(itertools.product(range(steps + 1), repeat=cells))) / steps
    return rows[(rows**p).sum(axis=1) <= radius**p * (1 + 1e-12)]  # ties count as inside


@dataclass(frozen=True, eq=False)
class Polytope:
    """An infinite class: all queries q in [0, 1]^cells with ``matrix @ q <= limits``.

    The largest error over such a class is attained at a corner, because an error is convex in the
    query. So wherever a finite class is taken, a polytope is taken too, by its corners.
    Statements: R10 Section 1 (infinite classes).

    Attributes
    ----------
    matrix, limits : arrays (c, cells) and (c,)

    Raises ValueError if the shapes do not fit, or no query of [0, 1]^cells keeps the inequalities.

    >>> Polytope([[1.0, 1.0]], [1.0]).corners.tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """

    matrix: np.ndarray
    limits: np.ndarray

    def __post_init__(self):
        limits = checks.queries("limits", self.limits).ravel()
        matrix = checks.queries("matrix", self.matrix)
        if matrix.ndim != 2 or len(matrix) != len(limits) or not matrix.shape[1]:
            raise ValueError(
                f"matrix must have shape (c, cells), limits (c,), not {matrix.shape}, "
                f"{limits.shape}"
            )
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "limits", limits)
        self.largest(np.zeros(matrix.shape[1]))

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.matrix.shape[1]

    def largest(self, direction: ArrayLike) -> float:
        """The largest q @ direction over the class, by a linear program."""
        from scipy.optimize import linprog

        direction = checks.queries("direction", direction)
        solution = linprog(-direction, A_ub=self.matrix, b_ub=self.limits, bounds=(0, 1))
        if solution.x is None:
            raise ValueError("matrix and limits leave no query in [0, 1]: the class is empty")
        return float(solution.x @ direction)

    @cached_property
    def corners(self) -> np.ndarray:
        """Its corners (k, cells): wherever ``cells`` independent inequalities are tight.

        Raises ``ValueError`` if there are too many choices of inequalities to go through.
        """
        unit = np.eye(self.cells)
        matrix = np.vstack([self.matrix, unit, -unit])
        limits = np.concatenate([self.limits, np.ones(self.cells), np.zeros(self.cells)])
        count = math.comb(len(matrix), self.cells)
        if count > MOST_CHOICES:
            raise ValueError(
                f"queries: {count} ways to choose {self.cells} of {len(matrix)} inequalities of "
                f"the polytope are too many to list its corners (at most {MOST_CHOICES})"
            )
        tight = np.array(list(itertools.combinations(range(len(matrix)), self.cells)))
        tight = tight[np.abs(np.linalg.det(matrix[tight])) > DEGENERATE]
        met = np.linalg.solve(matrix[tight], limits[tight][..., None])[..., 0]
        inside = (met @ matrix.T <= limits + DEGENERATE).all(axis=1)
        return np.unique(np.clip(met[inside], 0, 1).round(12) + 0.0, axis=0)


Queries: TypeAlias = ArrayLike | Polytope


def monotone_polytope(cells: int) -> Polytope:
    """All non-decreasing functions with values in [0, 1]; their corners are :func:`thresholds`.

    >>> monotone_polytope(3).corners.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    return Polytope(_falls(cells), np.zeros(cells - 1))


def lipschitz_polytope(cells: int, *, slope: float) -> Polytope:
    """All Lipschitz functions into [0, 1]: they change by at most ``slope`` from cell to cell.

    >>> lipschitz_polytope(2, slope=0.5).limits.tolist()
    [0.5, 0.5]
    """
    steps = _falls(cells)
    limits = np.full(2 * len(steps), checks.number("slope", slope, above=0))
    return Polytope(np.vstack([steps, -steps]), limits)


def _falls(cells: int) -> np.ndarray:
    """How much a function falls from each cell to the next, as rows (cells - 1, cells)."""
    unit = np.eye(checks.integer("cells", cells, at_least=2))
    return unit[:-1] - unit[1:]


def check_size(name: str, count: int, width: int) -> None:
    """Refuse to list a table that is too large, and say how large it is.

    >>> check_size("subsets", 2**40, 40)
    Traceback (most recent call last):
    ...
    ValueError: subsets: 1099511627776 rows of 40 are too many to list (at most 2000000 entries)
    """
    if count * width > LARGEST:
        raise ValueError(
            f"{name}: {count} rows of {width} are too many to list (at most {LARGEST} entries)"
        )
