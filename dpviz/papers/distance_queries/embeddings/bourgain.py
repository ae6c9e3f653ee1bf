"""Bourgain's theorem for records and queries (Theorem 11): how far Frechet coordinates distort.

**Paper.** Huang and Roth (2014), section 4.3, Theorem 11, Lemmas 12 and 13, Corollary 14.

**Setting.** The embedding of Figure 3 (module ``frechet``): L scales of K random subsets of
the queries. One point of a pair is any record, the other a query.

**Idea.** Grow balls around both points until they hold 2, 4, 8, ... queries. At the scale
where one ball must grow most, a set often lies near one point and far from the other.

**Symbols.**

===========  =================  ============================================  ===============
paper        here               meaning                                       shape, unit
===========  =================  ============================================  ===============
log k        L                  number of scales, floor(log2 k) + 1
K            ``subsets``        random subsets at each scale but the first
r*_i         r_i                radius at which both balls hold 2^(i-1)       of the metric
1 / 16       ``SEPARATION``     probability that a set shows the difference   0.1447 here
===========  =================  ============================================  ===============

**Departures.** (1) The proof of Theorem 11 enlarges a radius that was chosen largest, which
breaks the count of the balls; with min(r_i, d / 2) it holds. (2) Lemma 12 states its
inequality reversed; from a chance of 1/16 its exponent would be 0.0146 bits a set, not 1/64
(test ``test_lemma_12_needs_more_than_one_sixteenth``). (3) The constants of
:func:`contraction_bound` are smaller: 27.7 L against 64 log2 k, with fewer sets.
"""

from __future__ import annotations

import math
from dataclasses import replace

from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.frechet import Params, scales
from dpviz.papers.distance_queries.embeddings.l1_embedding import distances, measure

# At least so likely a random subset misses 2^(i-1) points and meets 2^(i-2) others.
SEPARATION = math.exp(-1) * (1 - math.exp(-0.5))


def truth(data: ArrayLike, queries: ArrayLike, params: Params) -> NDArray:
    """Average distance from each query; shape (k,). For comparison only: not private."""
    return params.metric.distances(data, queries).mean(axis=0)


def contraction_bound(k: int, subsets: int, *, pairs: int) -> tuple[float, float]:
    """Proved: the contraction is at most the first number, except with the second as probability.

    (The expansion is at most 1 surely: |d(x, S) - d(y, S)| <= d(x, y), and the weights add up
    to 1.) Proof, for a point x and a query y at distance d. Let r_i be the larger of the two
    radii at which closed balls around x and y hold 2^(i-1) queries, and t_i = min(r_i, d/2).
    At the last scale t_L = d / 2: two disjoint balls would hold 2^L > k queries. Where
    t_(i-1) < t_i, the open ball of radius t_i around one centre holds fewer than 2^(i-1)
    queries, the closed ball of radius t_(i-1) around the other at least 2^(i-2), and they
    are disjoint. A set of scale i misses the first and meets the second with probability at
    least q = (1 - e^(-1/2)) / e (drawing empty sets again only helps), and then contributes
    t_i - t_(i-1). By Chernoff, fewer than half of the expected q K do so with probability at
    most exp(-K D), D = relative entropy of q/2 against q. Scale 1 gives t_1 in full. So the
    embedded distance is at least (q / 2) (d / 2) / L: contraction at most 4 L / q, for all
    pairs and scales except with probability pairs (L - 1) exp(-K D).

    Parameters
    ----------
    k : int >= 1, queries
    subsets : int >= 1, K, random subsets at each scale
    pairs : int >= 1, records times queries

    Returns
    -------
    contraction, probability of failure (at most 1)

    >>> contraction, failure = contraction_bound(38, 700, pairs=77 * 38)
    >>> round(contraction, 1), failure < 1e-3
    (165.8, True)
    """
    levels = scales(checks.integer("k", k, at_least=1))
    subsets = checks.integer("subsets", subsets, at_least=1)
    pairs = checks.integer("pairs", pairs, at_least=1)
    if levels == 1:
        return 1.0, 0.0  # one coordinate, the distance itself
    return 4 * levels / SEPARATION, min(
        1.0, pairs * (levels - 1) * math.exp(-subsets * _exponent())
    )


def paper_contraction(k: int) -> float:
    """Theorem 11: contraction at most 64 log2 k.

    >>> round(paper_contraction(38))
    336
    """
    return 64 * math.log2(checks.integer("k", k, at_least=2))


def trial(
    params: Params, data: ArrayLike, queries: ArrayLike | None = None, *, rng: checks.Seed
) -> dict[str, float]:
    """Draw the subsets and measure what they distort.

    Parameters
    ----------
    queries : what stands in place of the queries of ``params``; None: those

    Returns
    -------
    dict with ``expansion``, ``contraction``, ``median`` (of embedded over true distance),
    ``bound`` (proved contraction), ``failure`` (its probability), ``paper``

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> line = Params(metric=norm([0], [1]), queries=[[0.0], [0.5], [1.0]], subsets=8)
    >>> found = trial(line, [[0.2], [0.9]], rng=0)
    >>> found["expansion"] <= 1 + 1e-12
    True
    """
    params = params if queries is None else replace(params, queries=queries)
    true = params.metric.distances(data, params.queries)
    found = measure(true, distances(params.draw(rng=rng), data, params.queries))
    k = len(params.queries)
    bound, failure = contraction_bound(k, params.subsets, pairs=len(data) * k)
    return {
        "expansion": found.expansion,
        "contraction": found.contraction,
        "median": found.median,
        "bound": bound,
        "failure": failure,
        "paper": paper_contraction(k) if k > 1 else 1.0,
    }


def subsets_for(n: int, k: int, beta: float) -> int:
    """Fewest sets at a scale for which the proved contraction fails with probability <= beta.

    >>> subsets_for(77, 38, 0.05)
    500
    """
    beta, levels = checks.number("beta", beta, above=0, below=1), scales(k)
    pairs = checks.integer("n", n, at_least=1) * checks.integer("k", k, at_least=1)
    return math.ceil(math.log(max(pairs * (levels - 1) / beta, 1.01)) / _exponent())


def paper_subsets(n: int, k: int) -> int:
    """Figure 3: K = 512 (log2 k + log2 n) sets at each scale.

    >>> paper_subsets(1640, 38)
    8155
    """
    return math.ceil(512 * math.log2(k * n))


def _exponent() -> float:
    """Relative entropy of q/2 against q, q = SEPARATION: the exponent of the Chernoff bound."""
    q = SEPARATION
    return q / 2 * math.log(0.5) + (1 - q / 2) * math.log((1 - q / 2) / (1 - q))
