"""Cost of the release (Table 1), measured: error, work for the summary, work for an answer.

**Paper.** Wang, Fan, Zhang and Wang (2013), Theorem 3.1 and Table 1.

**Setting.** The paper's own parameters: t = n^(1/(2d+K)), I_{t-1,K}, Laplace noise. The queries
have a K-th derivative that is bounded and jumps, the roughest that the class holds.

**Idea.** Powers of n are claims about slopes: run, count, fit, and set them side by side.

**Symbols.**

===========  ==================  =============================================  ============
paper        here                meaning                                        shape, unit
===========  ==================  =============================================  ============
K, d         ``smoothness, d``   derivatives, variables                         whole numbers
t            ``paper_terms``     n^(1/(2d+K)), rounded down                     whole number
alpha        "error"             worst error over the queries                   power of n
(3), (4)     "summary, query"    multiplications; evaluations of f, additions   power of n
===========  ==================  =============================================  ============

**Departures.** Work is counted, not timed (the benchmarks time it). The query's work is that of
2 t nodes per variable (module ``chebyshev``), which is below the paper's for all d and K.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries import release as smooth
from dpviz.papers.smooth_queries.chebyshev import expand
from dpviz.papers.smooth_queries.jackson import order
from dpviz.papers.smooth_queries.release import answer, paper_terms, release
from dpviz.privacy.curator import PURE, Budgeted


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """One row of Table 1; all public.

    Attributes
    ----------
    d, smoothness : int >= 1

    >>> Params(d=1, smoothness=0)
    Traceback (most recent call last):
    ...
    ValueError: smoothness must be a whole number, at least 1 and at most 20, not 0
    """

    delta_range = PURE

    d: checks.Count
    smoothness: int
    epsilon: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        checks.integer("smoothness", self.smoothness, at_least=1, at_most=20)

    def summary(self, n: int) -> smooth.Params:
        """The paper's summary at n records."""
        t = paper_terms(n, d=self.d, smoothness=self.smoothness)
        return smooth.Params(d=self.d, terms=t, epsilon=self.epsilon, lower=-1, upper=1)


def paper_rate(params: Params) -> dict[str, float]:
    """Theorem 3.1's exponents of n: error, summary, query (up to logarithms).

    Statements: W13 Theorem 3.1 (time of the summary); W13 Theorem 3.1 (time of a query); W13
    Table 1.

    >>> paper_rate(Params(d=1, smoothness=2))
    {'error': -0.5, 'summary': 1.25, 'query': 1.0}
    """
    d = params.d
    k = params.smoothness
    whole = 2 * d + k
    return {
        "error": -k / whole,
        "summary": (3 * d + k) / whole,
        "query": (d + 2 + 2 * d / k) / whole,
    }


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    n: int = 1000,
    k: int = 20,
    rng: checks.Seed,
) -> dict[str, float]:
    """The paper's algorithm with queries that are kinks at the places ``queries``, array (k,).

    Statements: W13 Table 1; W13 Section 3 (observations).
    Without ``data`` and ``queries`` on n uniform records in [-1, 1]^d and k random places.
    Returns a dict with ``error`` and ``approximation_error`` (without noise), the worst over the
    kinks; ``summary`` and ``query`` (counted work); ``terms``.

    >>> trial(Params(d=1, smoothness=1), n=1000, k=3, rng=0)["terms"]
    10.0
    """
    rng = checks.generator(rng)
    data = rng.uniform(-1, 1, (n, params.d)) if data is None else np.asarray(data, dtype=float)
    size = params.summary(len(data))
    sums = smooth.statistic(data, size)
    released = release(sums, size, params.curator(rng=rng))
    places = rng.uniform(-0.8, 0.8, k) if queries is None else checks.queries("queries", queries)
    exact = smooth.exact_moments(sums, size)
    along = np.mean(data, axis=1)
    errors = []
    how = {"operator": f"jackson {params.smoothness}", "nodes": 2 * size.terms}
    for place in places:
        ask = partial(_ridge, place=place, smoothness=params.smoothness)
        expansion = expand(
            ask, params.d, size.terms, allow_data_independent=True, **how, lower=-1, upper=1
        )
        coefficients = expansion.coefficients.ravel()
        mean = ask(along).mean()
        noiseless = coefficients @ exact
        errors.append([abs(answer(released, coefficients) - mean), abs(noiseless - mean)])
    error, approximation_error = np.max(errors, axis=0)
    counted = {"terms": float(size.terms), **work(params, len(data))}
    return {"error": error, "approximation_error": approximation_error, **counted}


def work(params: Params, n: int) -> dict[str, float]:
    """Counted: multiplications for the summary; evaluations and additions for one answer.

    Statements: W13 Theorem 3.1 (time of the summary); W13 Theorem 3.1 (time of a query).

    >>> work(Params(d=1, smoothness=2), 10_000)
    {'summary': 100000.0, 'query': 106.4}
    """
    t = params.summary(n).terms
    nodes = 2 * params.summary(n).terms
    grid = float(nodes**params.d)
    return {"summary": float(n * t**params.d), "query": grid * (1 + math.log2(nodes))}


def least_records(params: Params) -> int:
    """The n from which the paper's t reaches the degree at which its operator reads the data.

    Below, I_{t-1,K} keeps the mean only: (r + 1)^(2d + K), r = ceil((K + 3) / 2).
    Statements: W13 Table 1 (K = 2d); W13 Table 1 (K >> d).

    >>> [least_records(Params(d=d, smoothness=2 * d)) for d in (1, 2, 3)]
    [256, 390625, 2176782336]
    """
    return (order(params.smoothness) + 1) ** (2 * params.d + params.smoothness)


def _ridge(x: np.ndarray, place: float, smoothness: int) -> np.ndarray:
    """A kink along the mean u of the variables: (u - place)^K sign(u - place)^(K+1) / (2^K K!).

    Its K-th derivative jumps. Array (m, d) or (m,) to array (m,).
    """
    offset = (x if x.ndim == 1 else x.mean(axis=1)) - place
    jump = np.abs(offset)
    jump **= smoothness
    jump /= 2**smoothness * math.factorial(smoothness)
    return jump if smoothness % 2 else np.copysign(jump, offset, out=jump)
