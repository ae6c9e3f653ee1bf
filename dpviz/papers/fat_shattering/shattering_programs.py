"""Fat-shattering (Definition 3) by integer and linear programming, also for infinite classes.

**Paper.** Roth (2010), section 2.1, Definition 3, for finite and for infinite classes.

**Setting.** A finite class as in module ``dimension``, or all queries of a polytope.

**Idea.** Finite: which points, which levels and which query for which pattern are yes/no
unknowns of an integer program. Polytope: for given points every pattern may use a query of its
own, so 2^d copies of the polytope, the levels and gamma itself are the unknowns of one linear
program; its value is the largest gamma at which these points are shattered.

**Symbols.**

===========  ======================  ===========================================  ============
paper        here                    meaning                                      shape, unit
===========  ======================  ===========================================  ============
C            ``queries``             a finite class                               (k, cells)
C            ``matrix, limits``      all q in [0, 1]^cells, matrix @ q <= limits  (c, cells), (c,)
S            ``points``              points that are to be shattered              (d,) indices
gamma        ``largest_gamma``       distance from the levels                     [0, 1/2]
===========  ======================  ===========================================  ============

**Departures.** The paper says nothing of how a dimension is found.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.fat_shattering.classes import unit_queries
from dpviz.papers.fat_shattering.dimension import margin, patterns
from dpviz.papers.fat_shattering.shattering_search import ROUNDING, candidates

MOST_POINTS = 8  # 2^8 copies of a polytope


def shatters(queries: ArrayLike, gamma: float, size: int) -> bool:
    """Whether some ``size`` points are gamma-shattered, by mixed-integer programming.

    Position j holds one (point, level), in ascending order of points; each pattern b takes one
    query, and a query may serve b only if it lies on the side b_j of what position j holds.
    Slow: for checks only.

    >>> shatters([[0, 0], [0, 1], [1, 0], [1, 1]], 0.5, 2), shatters([[0, 1], [1, 0]], 0.5, 2)
    (True, False)
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    table, gamma = np.unique(unit_queries(queries), axis=0), margin(gamma)
    checks.integer("size", size, at_least=1)
    items = [(i, *c[1:]) for i, x in enumerate(table.T) for c in candidates(x, gamma)]
    if not items or 2**size > len(table):
        return False
    rows, lower, upper = [], [], []
    for row, least, most in _constraints(items, size, len(table)):
        rows.append(row)
        lower.append(least)
        upper.append(most)
    ones = np.ones(rows[0].size)
    limits = LinearConstraint(np.array(rows), np.array(lower), np.array(upper))
    return milp(0 * ones, integrality=ones, bounds=Bounds(0, 1), constraints=limits).success


def _constraints(
    items: list[tuple[int, int, int]], size: int, k: int
) -> Iterator[tuple[np.ndarray, float, float]]:
    """(row, least, most) over the unknowns: positions x items, then patterns x queries."""
    m, total = len(items), size * len(items) + 2**size * k
    places = np.array([i for i, _, _ in items])
    sides = np.array([[[side >> q & 1 for q in range(k)] for side in item[1:]] for item in items])
    for j in range(size):
        position = slice(j * m, (j + 1) * m)
        yield _row(total, (position, 1)), 1, 1
        if j:
            yield _row(total, (position, places), (slice((j - 1) * m, j * m), -places)), 1, np.inf
    for b, pattern in enumerate(patterns(size)):
        start = size * m + b * k
        yield _row(total, (slice(start, start + k), 1)), 1, 1
        for j, q in itertools.product(range(size), range(k)):
            allowed = -sides[:, int(pattern[j]), q]
            held, query = slice(j * m, (j + 1) * m), slice(start + q, start + q + 1)
            yield _row(total, (held, allowed), (query, 1)), -np.inf, 0


def _row(total: int, *entries: tuple[slice, ArrayLike]) -> np.ndarray:
    row = np.zeros(total)
    for where, what in entries:
        row[where] = what
    return row


def largest_gamma(matrix: ArrayLike, limits: ArrayLike, points: Sequence[int]) -> float:
    """The largest gamma at which a polytope of queries shatters these points.

    Parameters
    ----------
    matrix, limits : arrays (c, cells) and (c,): all q in [0, 1]^cells with matrix @ q <= limits
    points : distinct cells, at most 8

    Raises
    ------
    ValueError
        If the polytope is empty, or the points are no distinct cells.

    >>> round(largest_gamma([[1.0, -1.0]], [0.0], [0, 1]), 12)  # monotone on two cells
    0.25
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_diag, csr_array, hstack, vstack

    matrix, limits = _polytope(matrix, limits)
    cells, points = matrix.shape[1], _points(points, matrix.shape[1])
    d = len(points)
    signs = np.where(patterns(d), 1.0, -1.0)
    inside = hstack(
        [block_diag([csr_array(matrix)] * 2**d), csr_array((len(limits) * 2**d, d + 1))]
    )
    apart = np.zeros((2**d * d, 2**d * cells + d + 1))  # gamma - sign (q_b(i_j) - r_j) <= 0
    b, j = np.divmod(np.arange(2**d * d), d)
    place = np.arange(2**d * d)
    apart[place, b * cells + np.array(points)[j]] = -signs[b, j]
    apart[place, 2**d * cells + j] = signs[b, j]
    apart[:, -1] = 1
    goal = np.zeros(apart.shape[1])
    goal[-1] = -1
    room = np.concatenate([np.tile(limits, 2**d), np.zeros(len(apart))])
    box = [(0, 1)] * (len(goal) - 1) + [(None, 0.5)]
    found = linprog(goal, A_ub=vstack([inside, csr_array(apart)]), b_ub=room, bounds=box)
    if found.x is None:
        raise ValueError("matrix and limits leave no query in [0, 1]: the class is empty")
    return float(found.x[-1])


def polytope_dimension(matrix: ArrayLike, limits: ArrayLike, gamma: float) -> int:
    """The gamma-fat-shattering dimension of all queries of a polytope, by linear programs.

    >>> polytope_dimension([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]], [0.0, 0.0], 0.25)
    2
    """
    matrix, limits = _polytope(matrix, limits)
    gamma, cells = margin(gamma), matrix.shape[1]
    checks.integer("cells", cells, at_least=1, at_most=MOST_POINTS)
    kept = [()]
    for size in range(1, cells + 1):
        tried = (c for c in itertools.combinations(range(cells), size) if c[:-1] in set(kept))
        larger = [c for c in tried if largest_gamma(matrix, limits, c) >= gamma - 1e3 * ROUNDING]
        if not larger:
            return size - 1
        kept = larger
    return cells


def _polytope(matrix: ArrayLike, limits: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    limits = checks.queries("limits", limits).ravel()
    table = checks.queries("matrix", matrix)
    if table.ndim != 2 or len(table) != len(limits) or not table.shape[1]:
        raise ValueError(
            f"matrix must have shape (c, cells), limits (c,), not {table.shape}, {limits.shape}"
        )
    return table, limits


def _points(points: Sequence[int], cells: int) -> tuple[int, ...]:
    chosen = tuple(checks.integer("points", p, at_least=0, at_most=cells - 1) for p in points)
    if not 0 < len(chosen) == len(set(chosen)) <= MOST_POINTS:
        raise ValueError(f"points must be 1 to {MOST_POINTS} distinct cells, not {points!r}")
    return chosen
