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

**Departures.** (1) Theorem 3 gives no constant; three bounds with constants are proved here, and
the least of them is used. (2) Corollary 1 needs + 1 in m: where the dimension is 0 it states m = 0.
(3) Its proof leaves out the largest over q, and writes ||D*|| for ||D||.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.fat_shattering.classes import unit_queries
from dpviz.privacy.private_data import finite

LARGEST = 1_000_000  # databases that are still listed


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


def error_bound(params: Params, *, queries: ArrayLike | None = None) -> float:
    """Proved: every database has one of so many rows within this of it, relatively.

    The least of three. (i) sqrt(ln(2 k) / (2 m)): by Hoeffding's inequality m random rows are
    further off on some query with probability below 1 beyond it. (ii) cells / (4 m): round by
    largest remainders; if r cells are rounded up, half the l1 distance is at most r (cells - r) /
    (cells m). (iii) 1 / (2 m), if every query is non-decreasing: round the shares of "at or
    beyond t" to the nearest multiple of 1/m; the largest error over all non-decreasing queries is
    that of one of these.

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
    checks.integer("cells", cells, at_least=1)
    certain = replace(params, beta=1.0)
    return min(error_bound_sampled(certain, k=k), cells / (4 * params.rows))


def error_bound_sampled(params: Params, *, k: int) -> float:
    """Proved (Hoeffding and a union bound): with probability at least 1 - beta random rows are
    within this on all k queries.

    >>> round(error_bound_sampled(Params(rows=100, beta=0.5), k=100), 3)
    0.173
    """
    checks.integer("k", k, at_least=1)
    return math.sqrt(math.log(2 * k / params.beta) / (2 * params.rows))


def paper_rows(eta: float, dimension: int) -> float:
    """Corollary 1: rows (d / eta^2) ln^2(1/eta), here with the constant 1 and its missing + 1.

    >>> round(paper_rows(0.1, 2))
    1061
    """
    checks.number("eta", eta, above=0, below=1)
    checks.integer("dimension", dimension, at_least=0)
    return dimension * (math.log(1 / eta) / eta) ** 2 + 1


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Draw rows at random; how far off is the worst query?

    Parameters
    ----------
    data : array (cells,), share of the people in each cell; None for equal shares
    queries : array (k, cells) in [0, 1]; they must be given

    Returns
    -------
    dict with ``error`` (relative), ``rounded`` (of rounding by largest remainders), ``bound``
    (:func:`error_bound`: of the best database)

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

    Raises
    ------
    ValueError
        If they are too many to list; the message says how many, and what to use instead.

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
    found = np.zeros((1, 1), dtype=np.int16)  # cumulative counts, cell by cell
    for _ in range(cells - 1):
        found = np.vstack(list(_extended(found, rows)))
    ends = np.hstack([found[:, 1:], np.full((len(found), 1), rows, dtype=np.int16)])
    found = np.diff(ends, axis=1, prepend=0)
    return found[np.lexsort(found.T[::-1])]


def _extended(cumulative: np.ndarray, rows: int) -> Iterator[np.ndarray]:
    """Each table of cumulative counts with one more cell, for each possible next value."""
    for value in range(rows + 1):
        fits = cumulative[cumulative[:, -1] <= value]
        yield np.hstack([fits, np.full((len(fits), 1), value, dtype=np.int16)])
