"""Fat-shattering dimension (Definition 3) of a polytope of queries, by linear programs.

**Paper.** Roth (2010), section 2.1, Definition 3, for infinite classes.

**Setting.** All queries of a polytope, `dpviz.papers.fat_shattering.classes.Polytope`.

**Idea.** For given points every pattern may use a query of its own, so 2^d copies of the polytope,
the levels and gamma itself are the unknowns of one linear program; its value is the largest gamma
at which these points are shattered.

**Symbols.**

===========  ======================  ===========================================  ============
paper        here                    meaning                                      shape, unit
===========  ======================  ===========================================  ============
C            ``polytope``            all q in [0, 1]^cells, matrix @ q <= limits  class
S            ``points``              points that are to be shattered              (d,) indices
gamma        ``largest_gamma``       distance from the levels                     [0, 1/2]
===========  ======================  ===========================================  ============

**Departures.** The paper says nothing of how a dimension is found.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from dpviz import checks
from dpviz.papers.fat_shattering.classes import Polytope
from dpviz.papers.fat_shattering.dimension import ROUNDING, margin, patterns

MOST_POINTS = 8  # 2^8 copies of a polytope


def largest_gamma(polytope: Polytope, points: Sequence[int]) -> float:
    """The largest gamma at which a polytope of queries shatters these points.

    Parameters
    ----------
    points : distinct cells, at most 8

    Raises
    ------
    ValueError
        If the points are no distinct cells.

    >>> from dpviz.papers.fat_shattering.classes import monotone_polytope
    >>> round(largest_gamma(monotone_polytope(2), [0, 1]), 12)
    0.25
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_diag, csr_array, hstack, vstack

    matrix, limits, cells = polytope.matrix, polytope.limits, polytope.cells
    points = _points(points, cells)
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
    return float(found.x[-1])


def polytope_dimension(polytope: Polytope, gamma: float) -> int:
    """The gamma-fat-shattering dimension of all queries of a polytope, by linear programs.

    Statements: R10 Definition 3.

    >>> from dpviz.papers.fat_shattering.classes import monotone_polytope
    >>> polytope_dimension(monotone_polytope(3), 0.25)
    2
    """
    gamma, cells = margin(gamma), polytope.cells
    checks.integer("cells", cells, at_least=1, at_most=MOST_POINTS)
    kept = [()]
    for size in range(1, cells + 1):
        tried = (c for c in itertools.combinations(range(cells), size) if c[:-1] in set(kept))
        larger = [c for c in tried if largest_gamma(polytope, c) >= gamma - 1e3 * ROUNDING]
        if not larger:
            return size - 1
        kept = larger
    return cells


def _points(points: Sequence[int], cells: int) -> tuple[int, ...]:
    chosen = tuple(checks.integer("points", p, at_least=0, at_most=cells - 1) for p in points)
    if not 0 < len(chosen) == len(set(chosen)) <= MOST_POINTS:
        raise ValueError(f"points must be 1 to {MOST_POINTS} distinct cells, not {points!r}")
    return chosen
