"""Small databases (Corollary 1): a net in which every database has one that answers alike.

**Paper.** Roth (2010), section 4, Theorem 3 (Bartlett and Long 1995) and Corollary 1.

**Setting.** A database spreads W people over cells; q(D)/W is the average of q over them. A small
database has m rows.

**Idea.** Draw m people at random. Averages of m draws are off by about 1/sqrt(m), and so few
queries are off by much more that all of them hold together.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
D / ||D||    ``data``               share of the people in each cell              (cells,)
D'           ``counts``             a small database                              (cells,) int
||D'||, m    ``rows``               its rows                                      count
eta          returned               largest |q(D)/W - q(D')/m| over the class     share
d_eta/5      ``dimension``          fat-shattering dimension at eta/5             count
delta        ``beta``               probability of a larger error                 (0, 1]
===========  =====================  ============================================  ============

**Departures.** (1) Theorem 3 gives no constant. Its bound by the dimension has all of them here
(:func:`error_bound_dimension`); for finite classes and few cells three others are far smaller, and
the least of these is used. (2) Corollary 1 needs + 1 in m: where the dimension is 0 it states
m = 0. (3) Its proof leaves out the largest over q, and writes ||D*|| for ||D||.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.fat_shattering.classes import Queries, unit_queries
from dpviz.papers.fat_shattering.covering_numbers import (
    Dimension,
    log_growth_bound,
    log_packing_bound,
)
from dpviz.privacy.private_data import finite

LARGEST = 1_000_000  # databases that are still listed
RADII = np.geomspace(1e-3, 0.6, 40).tolist()  # of covers that are tried
COVERS = [(radius, share * radius) for radius in RADII for share in (0.05, 0.25, 0.4, 0.48)]


@dataclass(frozen=True, kw_only=True)
class Params:
    """The size of the small database.

    Attributes
    ----------
    rows : int >= 1
    beta : float in (0, 1], probability that random rows have a larger error than
        `error_bound_sampled`

    >>> Params(rows=0)
    Traceback (most recent call last):
    ...
    ValueError: rows must be a whole number, at least 1, not 0
    """

    rows: int
    beta: float = 0.05

    def __post_init__(self):
        checks.integer("rows", self.rows, at_least=1)
        checks.number("beta", self.beta, above=0, at_most=1)


def error_bound(params: Params, *, queries: Queries | None = None) -> float:
    """Proved: every database has one of so many rows within this of it, relatively.

    The least of three. (i) sqrt(ln(2 k) / (2 m)): by Hoeffding's inequality m random rows are
    further off on some query with probability below 1 beyond it. (ii) cells / (4 m): round by
    largest remainders; if r cells are rounded up, half the l1 distance is at most r (cells - r) /
    (cells m). (iii) 1 / (2 m), if every query is non-decreasing: round the shares of "at or
    beyond t" to the nearest multiple of 1/m; the largest error over all non-decreasing queries is
    that of one of these.
    Statements: R10 Corollary 1; R10 Remark 1.

    >>> error_bound(Params(rows=10), queries=[[0, 1], [1, 0]])
    0.05
    """
    table = unit_queries(queries)
    monotone = 1 / (2 * params.rows) if (np.diff(table, axis=1) >= 0).all() else math.inf
    k, cells = table.shape
    return min(error_bound_any(params, k=k, cells=cells), monotone)


def error_bound_any(params: Params, *, k: int, cells: int) -> float:
    """Proved: (i) and (ii) of :func:`error_bound`, for any k queries on so many cells.

    >>> error_bound_any(Params(rows=10), k=2, cells=2)
    0.05
    """
    checks.integer("cells", cells, at_least=1, at_most=10**18)
    certain = replace(params, beta=1.0)
    return min(error_bound_sampled(certain, k=k), cells / (4 * params.rows))


def error_bound_sampled(params: Params, *, k: int) -> float:
    """Proved (Hoeffding and a union bound): with probability at least 1 - beta random rows are
    within this on all k queries.

    >>> round(error_bound_sampled(Params(rows=100, beta=0.5), k=100), 3)
    0.173
    """
    checks.integer("k", k, at_least=1)
    logs = math.log(2 * k) - math.log(params.beta)  # of k that no float holds, too
    return math.sqrt(logs / (2 * params.rows))


def error_bound_uniform(
    params: Params, *, dimension: Dimension, cells: int | None, boolean: bool = False
) -> float:
    """Proved (Theorem 3 with constants): with probability at least 1 - beta the mean of each
    function over ``params.rows`` random points is within this of its expectation.

    The least over radii rho and gamma < rho/2 of two bounds, M_n being the packing number on n
    points. (i) Cells known: 2 rho + sqrt(ln(2 M_cells / beta) / (2 m)), by Hoeffding's inequality
    for a cover, fixed before the rows are drawn. (ii) Any domain: 2 rho + sqrt(2 ln(2 M_m) / m) +
    sqrt(ln(1/beta) / (2 m)). Proof of (ii): the expected largest difference is at most twice that
    of sum s_i (f(x_i) - 1/2) / m with random signs s_i (a second sample; the 1/2 cancels); on the
    m drawn points a cover costs rho, and the largest of 2 M sums, each of variance proxy
    1/(4 m), has mean at most sqrt(ln(2 M) / (2 m)). One row moves the largest difference by at
    most 1/m, so McDiarmid's inequality gives the last term. A class with values 0 and 1 needs no
    radius: M is its growth function.
    Statements: R10 Theorem 3.

    Parameters
    ----------
    dimension : gamma -> dimension; must be finite at the gammas tried
    cells : points of the domain, or None if it is infinite
    boolean : whether all values are 0 and 1

    Raises ValueError if the dimension is infinite at one of them.

    >>> always_1 = lambda gamma: 1
    >>> round(error_bound_uniform(Params(rows=10_000), dimension=always_1, cells=None), 2)
    0.21
    """
    rows = params.rows
    rare = math.log(1 / params.beta)
    if cells is not None:
        checks.integer("cells", cells, at_least=1)
    sample = rows if cells is None else min(rows, cells)
    bounds = []
    for radius, gamma in [(0.0, 0.5)] if boolean else COVERS:
        size = partial(_log_size, radius, gamma, dimension)
        root = math.sqrt(2 * (math.log(2) + size(sample)) / rows)
        bounds.append(2 * radius + root + math.sqrt(rare / (2 * rows)))
        if cells is not None:
            known = math.log(2) + size(cells) + rare
            bounds.append(2 * radius + math.sqrt(known / (2 * rows)))
    return min(bounds)


def error_bound_dimension(
    params: Params, *, dimension: Dimension, cells: int | None, boolean: bool = False
) -> float:
    """Proved (Corollary 1 with constants): every database has one of so many rows within this of
    it, relatively, on all queries of a class of this dimension, be it infinite.

    The proof is that of :func:`error_bound_uniform`: what random rows do with positive probability
    some rows do.
    Statements: R10 Corollary 1; R10 Section 5 (necessary and sufficient).

    >>> always_1 = lambda gamma: 1
    >>> round(error_bound_dimension(Params(rows=10_000), dimension=always_1, cells=100), 3)
    0.073
    """
    certain = replace(params, beta=1.0)
    return error_bound_uniform(certain, dimension=dimension, cells=cells, boolean=boolean)


def paper_rows(eta: float, dimension: int) -> float:
    """Corollary 1: rows (d / eta^2) ln^2(1/eta), here with the constant 1 and its missing + 1.

    Statements: R10 Corollary 1.

    >>> round(paper_rows(0.1, 2))
    1061
    """
    checks.number("eta", eta, above=0, below=1)
    checks.integer("dimension", dimension, at_least=0)
    return dimension * (math.log(1 / eta) / eta) ** 2 + 1


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: Queries | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Draw rows at random; how far off is the worst query?

    Parameters
    ----------
    data : array (cells,), share of the people in each cell; None for equal shares
    queries : array (k, cells) in [0, 1]; they must be given

    Returns a dict with ``error`` (relative), ``rounded`` (of rounding by largest remainders),
    ``bound`` (:func:`error_bound`: of the best database).

    >>> trial(Params(rows=4), [0.5, 0.5], [[0, 1]], rng=0)["rounded"]
    0.0
    """
    table = unit_queries(queries)
    cells = table.shape[1]
    shares = np.full(cells, 1 / cells) if data is None else finite(data, "data")
    counts = checks.generator(rng).multinomial(params.rows, shares)
    best = rounded(shares, params.rows)
    errors = [float(np.abs(table @ (c / params.rows - shares)).max()) for c in (counts, best)]
    return {"error": errors[0], "rounded": errors[1], "bound": error_bound(params, queries=table)}


def rounded(fractions: np.ndarray, rows: int) -> np.ndarray:
    """Counts that add up to ``rows``, by largest remainders.

    >>> rounded(np.array([0.4, 0.35, 0.25]), 10).tolist()
    [4, 4, 2]
    """
    exact = np.asarray(fractions) * rows
    counts = np.floor(exact + 1e-9).astype(int)
    up = np.argsort(counts - exact, kind="stable")[: rows - counts.sum()]
    counts[up] += 1
    return counts


def consistent_database(
    queries: Queries, answers: ArrayLike, *, error: float | None = None, total: float | None = None
) -> np.ndarray:
    """The database whose largest difference from given answers is least, by a linear program.

    If the answers are within e of those of some database, this one's are within 2 e of them: its
    largest difference t from the answers is at most e, and e + t <= 2 e. So a mechanism that
    publishes answers can publish a database instead. Free: post-processing.
    Statements: R10 Footnote 1.

    Parameters
    ----------
    queries : array (k, cells) in [0, 1], or a `classes.Polytope`, with an answer for each corner
    answers : array (k,), in people
    error : float >= 0, the largest difference that is acceptable; None for any
    total : float >= 0, the number of people if it is known; None for any

    Returns an array (cells,) of counts >= 0, not whole numbers in general. Raises ValueError if the
    shapes do not fit, or no database comes within ``error`` of all answers.

    >>> consistent_database([[1, 0], [0, 1], [1, 1]], [3.0, 1.0, 5.0]).round(3).tolist()
    [3.333, 1.333]
    """
    from scipy.optimize import linprog

    table, answers = unit_queries(queries), checks.queries("answers", answers)
    k, cells = table.shape
    if answers.shape != (k,):
        raise ValueError(f"answers must have shape ({k},), one for each query, not {answers.shape}")
    for name, value in (("error", error), ("total", total)):
        if value is not None:
            checks.number(name, value, at_least=0)
    ones = np.ones((k, 1))
    program = {"A_ub": np.block([[table, -ones], [-table, -ones]])}
    program["b_ub"] = np.concatenate([answers, -answers])
    if total is not None:
        program |= {"A_eq": np.append(np.ones(cells), 0.0)[None], "b_eq": [total]}
    solution = linprog(np.append(np.zeros(cells), 1.0), bounds=(0, None), **program)
    if error is not None and solution.fun > error + 1e-6 * (1 + error):  # the solver's tolerance
        raise ValueError(
            "answers: the linear program has no solution; every database is off by "
            f"{solution.fun:g} somewhere, more than the error {error:g}"
        )
    return solution.x[:-1]


def count_databases(cells: int, rows: int) -> int:
    """Databases with so many rows in so many cells: C(cells + rows - 1, rows), below cells^rows.

    >>> count_databases(10, 10)
    92378
    """
    checks.integer("cells", cells, at_least=1)
    checks.integer("rows", rows, at_least=1)
    return math.comb(cells + rows - 1, rows)


def databases(cells: int, rows: int) -> np.ndarray:
    """All of them, int array (how_many, cells).

    Raises ValueError if they are too many to list; the message says how many, and what to use
    instead.

    >>> databases(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    count = count_databases(cells, rows)
    if count > LARGEST:
        raise ValueError(
            f"rows: {count} databases of {rows} rows in {cells} cells are too many to list (at "
            f"most {LARGEST}); take fewer rows, or steps in the params of "
            "dpviz.papers.fat_shattering.net_mechanism, which walks"
        )
    counts = np.zeros((1, 1), dtype=np.int16)  # cumulative counts, cell by cell
    for _ in range(cells - 1):
        counts = np.vstack(list(_extended(counts, rows)))
    ends = np.hstack([counts[:, 1:], np.full((len(counts), 1), rows, dtype=np.int16)])
    counts = np.diff(ends, axis=1, prepend=0)
    return counts[np.lexsort(counts.T[::-1])]


def _extended(cumulative: np.ndarray, rows: int) -> Iterator[np.ndarray]:
    """Each table of cumulative counts with one more cell, for each possible next value."""
    for value in range(rows + 1):
        fits = cumulative[cumulative[:, -1] <= value]
        yield np.hstack([fits, np.full((len(fits), 1), value, dtype=np.int16)])


def _log_size(radius: float, gamma: float, dimension: Dimension, points: int) -> float:
    """ln of the size of a cover; radius 0 is for values 0 and 1."""
    if not radius:
        return log_growth_bound(dimension=dimension, points=points)
    return log_packing_bound(radius, gamma, dimension=dimension, points=points)
