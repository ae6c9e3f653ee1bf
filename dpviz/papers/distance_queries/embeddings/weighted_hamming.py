"""Weighted Hamming distance queries on categorical records: one noisy histogram per feature.

**Paper.** Huang and Roth (2014), section 1 (the retailer); beyond the paper.

**Setting.** n records, each a row of f category codes; a query is such a row; its answer is the
average over the records of the total weight of the features that differ.

**Idea.** The answer is a sum over features of weight times (1 - share of the query's
category). So release all shares once, with less noise where the weight is larger.

**Symbols.**

=========  ==============  ============================================  ===============
paper      here            meaning                                       shape, unit
=========  ==============  ============================================  ===============
(none)     ``sizes``       number s of categories of each feature        (f,)
(none)     ``weights``     what a disagreement counts                    (f,), sum 1
(none)     ``shares``      noisy share of each category, feature after   (sum of sizes,)
                           feature
=========  ==============  ============================================  ===============

**Departures.** The paper would embed the categories in l1 and learn the curves; two-valued
coordinates need no curve. The shares of a feature add up to 1, which is public: taking out
the noise's mean is free and makes a feature of two categories cost what one query costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import accounting, checks
from dpviz.papers.distance_queries.embeddings.exact_embeddings import check_features, feature_codes
from dpviz.privacy import tail_bounds
from dpviz.privacy.budgeted import Budgeted
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """The features and the budget; all public.

    Attributes
    ----------
    n : int >= 1, number of records
    sizes : tuple of int >= 2
    weights : tuple of numbers > 0, or None: equal, 1 in all
    epsilon : float > 0
    delta : float in [0, 1); 0 means pure privacy, by Laplace noise
    beta : float in (0, 1), failure probability of the bound

    >>> Params(n=100, sizes=(1, 3), epsilon=1.0)
    Traceback (most recent call last):
    ...
    ValueError: sizes must be a whole number, at least 2, not 1
    """

    n: int
    sizes: tuple[int, ...]
    epsilon: float
    delta: float = 0.0
    weights: tuple[float, ...] | None = None
    beta: float = 0.05

    def __post_init__(self):
        checks.integer("n", self.n, at_least=1)
        check_features(self.sizes, self.weights)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.number("beta", self.beta, above=0, below=1)


@dataclass(frozen=True, eq=False)
class Release:
    """Noisy shares of all categories; they add up to 1 in each feature.

    Attributes
    ----------
    params : Params
    shares : array (sum of sizes,)
    """

    params: Params
    shares: NDArray


def release(
    data: ArrayLike, params: Params, curator: Curator, *, queries: ArrayLike | None = None
) -> Release:
    """Release the shares of all categories. Costs ``epsilon`` and ``delta``, in one charge.

    Each feature's shares are first multiplied by a public number a (:func:`feature_scaling`).
    Replacing a record moves two shares of a feature by 1 / n each: L1 sensitivity 2 sum(a) / n,
    L2 sensitivity sqrt(2 sum(a^2)) / n.

    Parameters
    ----------
    data : int array (n, f), private codes
    queries : not needed, because every query is answered

    Raises
    ------
    ValueError, TypeError
        If ``data`` holds no such codes; nothing is spent.
    """
    columns = feature_codes("data", data, params.sizes)
    if len(columns[0]) != params.n:
        raise ValueError(f"data must have n = {params.n} rows, as params says")
    counts = [np.bincount(c, minlength=s) for c, s in zip(columns, params.sizes, strict=True)]
    scaling = feature_scaling(params)
    scaled = np.concatenate([c * a for c, a in zip(counts, scaling, strict=True)]) / params.n
    if params.delta:
        noisy = curator.gaussian(
            scaled,
            sensitivity=math.sqrt(2 * (scaling**2).sum()) / params.n,
            epsilon=params.epsilon,
            delta=params.delta,
            label="shares",
        )
    else:
        sensitivity = 2 * scaling.sum() / params.n
        noisy = curator.laplace(
            scaled, sensitivity=sensitivity, epsilon=params.epsilon, label="shares"
        )
    blocks = np.split(noisy, np.cumsum(params.sizes)[:-1])
    shares = [block / a for block, a in zip(blocks, scaling, strict=True)]
    return Release(params, np.concatenate([s + (1 - s.sum()) / len(s) for s in shares]))


def answer(release: Release, queries: ArrayLike) -> NDArray:
    """Average weighted Hamming distance from each query; shape (k,). Free: post-processing."""
    sizes, weights = check_features(release.params.sizes, release.params.weights)
    columns = feature_codes("queries", queries, sizes)
    starts = np.cumsum(sizes) - sizes
    picked = [release.shares[start + c] for start, c in zip(starts, columns, strict=True)]
    return weights.sum() - weights @ np.array(picked)


def truth(data: ArrayLike, queries: ArrayLike, params: Params) -> NDArray:
    """Exact answers, shape (k,). For comparison only: not private."""
    _, weights = check_features(params.sizes, params.weights)
    differ = np.asarray(data)[:, None, :] != np.asarray(queries)[None]
    return (differ @ weights).mean(axis=0)


def error_bound(params: Params, *, k: int | None = None) -> float:
    """Proved: with probability 1 - beta no answer to k fixed queries has a larger error.

    k = None: no answer to any query at all. Proof. An answer's noise is a weighted sum of
    independent variables (:func:`share_scales`): feature f gives its weight times its share's
    noise with the mean taken out. Gaussian: exact tail of its standard deviation; Laplace:
    Chernoff (``privacy.tail_bounds``); union over the queries, of which there are at most
    prod(sizes).

    >>> params = Params(n=178, sizes=(3,) * 13, epsilon=1.0, delta=1e-6)
    >>> round(error_bound(params, k=5000), 3)
    0.121
    """
    sizes, weights = check_features(params.sizes, params.weights)
    log_k = float(np.log(sizes).sum())  # of all queries there are: often too many for a float
    if k is not None:
        log_k = min(log_k, math.log(checks.integer("k", k, at_least=1)))
    return _tail(params, weights * share_scales(params), sizes, log_k)


def paper_rate(params: Params) -> float:
    """Theorem 15: O((n epsilon)^(-4/5)) beside a factor O(log k); here with the constant 1.

    >>> round(paper_rate(Params(n=1000, sizes=(2,), epsilon=1.0)), 4)
    0.004
    """
    return (params.n * params.epsilon) ** -0.8


def trial(
    params: Params, data: ArrayLike, queries: ArrayLike, *, rng: checks.Seed
) -> dict[str, float]:
    """One release and its largest error over the queries.

    Returns
    -------
    dict with ``error``, ``bound``

    >>> params = Params(n=3, sizes=(2,), epsilon=1.0)
    >>> sorted(trial(params, [[0], [1], [1]], [[0], [1]], rng=1))
    ['bound', 'error']
    """
    curator = params.curator(rng=rng)
    answers = answer(release(data, params, curator), queries)
    error = np.abs(answers - truth(data, queries, params)).max()
    return {"error": float(error), "bound": error_bound(params, k=len(queries))}


def feature_scaling(params: Params) -> NDArray:
    """What each feature's shares are multiplied by before the noise; shape (f,).

    The answer's variance is a sum of w^2 v / a^2 (v = 1 - 1/s, noise with its mean taken
    out) times the squared sensitivity of the scaled shares. Smallest at a^2 = w sqrt(v) for the L2
    norm, at a^3 = w^2 v for the L1 norm (Cauchy-Schwarz; Hoelder).

    >>> params = Params(n=9, sizes=(2, 2), weights=(1.0, 8.0), epsilon=1.0)
    >>> feature_scaling(params).round(2).tolist()
    [0.79, 3.17]
    """
    sizes, weights = check_features(params.sizes, params.weights)
    size = weights * np.sqrt(1 - 1 / sizes)
    return np.sqrt(size) if params.delta else size ** (2 / 3)


def share_scales(params: Params) -> NDArray:
    """Scale of the noise on each feature's shares, before the mean is taken out; shape (f,).

    Gaussian: standard deviation; Laplace: scale.

    >>> share_scales(Params(n=4, sizes=(2,), epsilon=1.0)).tolist()
    [0.5]
    """
    scaling = feature_scaling(params)
    if not params.delta:
        return 2 * scaling.sum() / (params.n * params.epsilon * scaling)
    unit = accounting.gaussian_sd(epsilon=params.epsilon, delta=params.delta)
    return unit * math.sqrt(2 * (scaling**2).sum()) / (params.n * scaling)


def _tail(params: Params, spread: ArrayLike, sizes: ArrayLike, log_k: float) -> float:
    """Bound on k answers: entry 1 - 1/s of the asked share, -1/s of the others."""
    centred = [w * (np.eye(s)[0] - 1 / s) for w, s in zip(spread, sizes, strict=True)]
    noise = np.concatenate(centred)
    if params.delta:
        return float(np.linalg.norm(noise)) * tail_bounds.normal(params.beta, log_k=log_k)
    return tail_bounds.laplace_sum(noise, params.beta, log_k=log_k)
