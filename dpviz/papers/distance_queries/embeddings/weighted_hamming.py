"""Weighted Hamming distances and tree metrics: isometric to l1; one noisy histogram per feature.

**Paper.** Huang and Roth (2014), sections 1 (the retailer) and 4; beyond the paper.

**Setting.** n records, each a row of f category codes, or a node of a public tree with lengths; a
query is such a row. Its answer is the average over the records of the total weight of the
features that differ.

**Idea.** Two customers differ by the sum over the features on which they disagree; two nodes
by the sum over the edges between them. Write each such yes or no into a coordinate of its own,
and the distance is an l1 distance, exactly. And the answer is a sum over features of weight
times (1 - share of the query's category). So release all shares once, with less noise where the
weight is larger.

**Symbols.**

=========  ==============  ============================================  ===============
paper      here            meaning                                       shape, unit
=========  ==============  ============================================  ===============
pi         ``map``         an isometry: expansion = contraction = 1      (n, m)
(none)     ``sizes``       number s of categories of each feature        (f,)
(none)     ``weights``     what a disagreement counts                    (f,), sum 1
(none)     ``lengths``     of the edge from each node to its parent      (N,)
(none)     ``shares``      noisy share of each category, feature after   (sum of sizes,)
                           feature
=========  ==============  ============================================  ===============

**Departures.** The paper treats general metrics by Bourgain's theorem, at a factor O(log k), and
would learn the curves; two-valued coordinates need no curve. The shares of a feature add up to 1,
which is public: taking out the noise's mean is free and makes a feature of two categories cost
what one query costs. Answers are clipped to what is possible, which is free as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.metrics import codes
from dpviz.privacy import noise_laws
from dpviz.privacy.curator import Curator, Promise
from dpviz.privacy.pieces import NUMBERS


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """The features and the budget; all public.

    Attributes
    ----------
    n : int >= 1, number of records; sizes : tuple of int >= 2
    weights : tuple of numbers > 0, or None: equal, 1 in all
    delta : float in [0, 1); 0 means pure privacy, by Laplace noise

    >>> Params(n=100, sizes=(1, 3), epsilon=1.0)
    Traceback (most recent call last):
    ...
    ValueError: sizes must be a whole number, at least 2, not 1
    """

    n: checks.Count
    sizes: tuple[int, ...]
    weights: tuple[float, ...] | None = None

    def __post_init__(self):
        super().__post_init__()
        _check_features(self.sizes, self.weights)


@dataclass(frozen=True, eq=False)
class Release:
    """Noisy shares of all categories; they add up to 1 in each feature.

    Attributes
    ----------
    shares : array (sum of sizes,)
    """

    params: Params
    shares: NDArray


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """Release the shares of all categories. Costs ``epsilon`` and ``delta``, in one charge.

    Statements: HR Section 1 (retailer).
    Each feature's shares are first multiplied by a public number a (``_feature_scaling``).
    Replacing a record moves two shares of a feature by 1 / n each: L1 sensitivity 2 sum(a) / n,
    L2 sensitivity sqrt(2 sum(a^2)) / n.
    Raises ValueError or TypeError if ``data`` holds no such codes; nothing is spent.

    Parameters
    ----------
    data : int array (n, f), private codes
    """
    if not isinstance(params, Params):
        raise TypeError(f"params must be weighted_hamming.Params, not {params!r}")
    params.payable_by(curator)
    columns = _feature_codes("data", data, params.sizes)
    if len(columns[0]) != params.n:
        raise ValueError(f"data must have n = {params.n} rows, as params says")
    counts = [np.bincount(c, minlength=s) for c, s in zip(columns, params.sizes, strict=True)]
    scaling = _feature_scaling(params)
    scaled = np.concatenate([c * a for c, a in zip(counts, scaling, strict=True)]) / params.n
    noisy = params.noisy(scaled, curator, **_moved(scaling, params.n), label="shares")
    blocks = np.split(noisy, np.cumsum(params.sizes)[:-1])
    shares = [block / a for block, a in zip(blocks, scaling, strict=True)]
    return Release(params, np.concatenate([s + (1 - s.sum()) / len(s) for s in shares]))


def answer(release: Release, queries: ArrayLike) -> NDArray:
    """Average weighted Hamming distance from each query; shape (k,). Free: post-processing."""
    sizes, weights = _check_features(release.params.sizes, release.params.weights)
    columns = _feature_codes("queries", queries, sizes)
    starts = np.cumsum(sizes) - sizes
    picked = [release.shares[start + c] for start, c in zip(starts, columns, strict=True)]
    return np.clip(weights.sum() - weights @ np.array(picked), 0.0, weights.sum())


def truth(data: ArrayLike, queries: ArrayLike, params: Params) -> NDArray:
    """Exact answers, shape (k,). For comparison only: not private."""
    sizes, weights = _check_features(params.sizes, params.weights)
    rows, asked = (
        np.column_stack(_feature_codes(name, value, sizes))
        for name, value in (("data", data), ("queries", queries))
    )
    few = max(1, NUMBERS // asked.size)  # records at a time: the pairs of all can be many
    blocks = (rows[start : start + few, None] for start in range(0, len(rows), few))
    return np.concatenate([(block != asked) @ weights for block in blocks]).mean(axis=0)


def error_bound(params: Params, *, k: int | None = None) -> float:
    """Proved: with probability 1 - beta no answer to k fixed queries has a larger error.

    k = None: no answer to any query at all. Proof. An answer's noise is a weighted sum of
    independent variables (``_share_scales``): feature f gives its weight times its share's noise
    with the mean taken out. Gaussian: exact tail of its standard deviation; Laplace: Chernoff
    (``privacy.noise_laws``); union over the queries, of which there are at most prod(sizes).

    >>> params = Params(n=178, sizes=(3,) * 13, epsilon=1.0, delta=1e-6)
    >>> round(error_bound(params, k=5000), 3)
    0.121
    """
    sizes, weights = _check_features(params.sizes, params.weights)
    log_k = float(np.log(sizes).sum())  # of all queries there are: often too many for a float
    if k is not None:
        log_k = min(log_k, math.log(checks.integer("k", k, at_least=1)))
    return _tail(params, weights * _share_scales(params), sizes, log_k)


def trial(
    params: Params, data: ArrayLike, queries: ArrayLike, *, rng: checks.Seed
) -> dict[str, float]:
    """One release and its largest error over the queries.

    Returns a dict with ``error``, ``bound``.

    >>> params = Params(n=3, sizes=(2,), epsilon=1.0)
    >>> sorted(trial(params, [[0], [1], [1]], [[0], [1]], rng=1))
    ['bound', 'error']
    """
    curator = params.curator(rng=rng)
    answers = answer(release(data, params, curator), queries)
    error = np.abs(answers - truth(data, queries, params)).max()
    return {"error": float(error), "bound": error_bound(params, k=len(queries))}


@dataclass(frozen=True, eq=False)
class Incidence:
    """An isometry that looks each point up in a public table of yes and no.

    Attributes
    ----------
    tables : tuple of arrays (N_f, m_f), one for each column of the records
    lower, upper : arrays (m,), the public box

    >>> Incidence((np.eye(2),), np.zeros(2), np.ones(2)).map([1]).tolist()
    [[0.0, 1.0]]
    """

    tables: tuple[NDArray, ...]
    lower: NDArray
    upper: NDArray
    oblivious: bool = True

    def map(self, points: ArrayLike) -> NDArray:
        """Rows of the points, given as codes, one column a feature; shape (n, m)."""
        columns = _feature_codes("data", points, [len(table) for table in self.tables])
        return np.hstack([table[c] for table, c in zip(self.tables, columns, strict=True)])


def categories(sizes: Sequence[int], weights: Sequence[float] | None = None) -> Incidence:
    """Weighted Hamming distance: the sum of the weights of the features that differ.

    One coordinate a category, worth half of its feature's weight: two different categories
    differ in two of them.

    Parameters
    ----------
    sizes : number of categories of each feature, at least 2
    weights : numbers > 0; by default equal, and 1 in all

    >>> shop = categories([2, 3], [0.25, 0.75])
    >>> shop.map([[0, 2], [1, 2]]).tolist()
    [[0.125, 0.0, 0.0, 0.0, 0.375], [0.0, 0.125, 0.0, 0.0, 0.375]]
    """
    sizes, weights = _check_features(sizes, weights)
    tables = tuple(w / 2 * np.eye(s) for s, w in zip(sizes, weights, strict=True))
    upper = np.repeat(weights / 2, sizes)
    return Incidence(tables, np.zeros_like(upper), upper)


def tree(parents: Sequence[int], lengths: Sequence[float] | None = None) -> Incidence:
    """Distance in a public tree: one coordinate an edge, set for the nodes beyond it.

    Parameters
    ----------
    parents : parent of each node, a smaller number; -1 for node 0, the root
    lengths : length > 0 of the edge to the parent; the root's is not used. By default 1.

    >>> tree([-1, 0, 1, 1], [0, 2, 1, 1]).map([3]).tolist()
    [[2.0, 0.0, 1.0]]
    """
    parents = np.asarray(parents)
    nodes = np.arange(len(parents))
    if not len(nodes) or parents[0] != -1 or ((parents < 0) | (parents >= nodes))[1:].any():
        raise ValueError(f"parents must begin with -1, then each be a smaller node, not {parents}")
    lengths = checks.queries("lengths", np.ones(len(nodes)) if lengths is None else lengths)
    if lengths.shape != nodes.shape or not (lengths[1:] > 0).all():
        raise ValueError(f"lengths must be {len(nodes)} numbers, above 0 except at the root")
    beyond = np.eye(len(nodes))
    for node in nodes[1:]:
        beyond[node] += beyond[parents[node]]
    table = (beyond * lengths)[:, 1:]
    return Incidence((table,), np.zeros(len(nodes) - 1), lengths[1:])


def _feature_scaling(params: Params) -> NDArray:
    """What each feature's shares are multiplied by before the noise; shape (f,).

    The answer's variance is a sum of w^2 v / a^2 (v = 1 - 1/s, noise with its mean taken
    out) times the squared sensitivity of the scaled shares. Smallest at a^2 = w sqrt(v) for the L2
    norm, at a^3 = w^2 v for the L1 norm (Cauchy-Schwarz; Hoelder).
    """
    sizes, weights = _check_features(params.sizes, params.weights)
    size = weights * np.sqrt(1 - 1 / sizes)
    return np.sqrt(size) if params.delta else size ** (2 / 3)


def _share_scales(params: Params) -> NDArray:
    """Scale of the noise on each feature's shares, before the mean is taken out; shape (f,).

    Gaussian: standard deviation; Laplace: scale.
    """
    scaling = _feature_scaling(params)
    return params.noise_scale(**_moved(scaling, params.n)) / scaling


def _moved(scaling: NDArray, n: int) -> dict[str, float]:
    """How far a replaced record moves the scaled shares, in either norm."""
    return {"l1": 2 * scaling.sum() / n, "l2": math.sqrt(2 * (scaling**2).sum()) / n}


def _check_features(sizes: ArrayLike, weights: ArrayLike) -> tuple[NDArray, NDArray]:
    """Sizes and weights as arrays, or an error that shows them (they are public)."""
    sizes = np.array([checks.integer("sizes", size, at_least=2) for size in sizes])
    if not len(sizes):
        raise ValueError("sizes must name at least one feature")
    shares = np.full(len(sizes), 1 / len(sizes)) if weights is None else weights
    weights = checks.queries("weights", shares)
    if weights.shape != sizes.shape or not (weights > 0).all():
        raise ValueError(f"weights must be {len(sizes)} numbers above 0, not {weights.tolist()}")
    return sizes, weights


def _feature_codes(name: str, value: ArrayLike, sizes: Sequence[int]) -> list[NDArray]:
    """Columns of category codes, checked; the message shows none of them."""
    table = np.asarray(value)
    table = table[:, None] if table.ndim == 1 and len(sizes) == 1 else table
    if table.ndim != 2 or table.shape[1] != len(sizes):
        raise ValueError(f"{name} must have shape (n, {len(sizes)}), one column a feature")
    columns = []
    for i, size in enumerate(sizes):
        try:
            columns.append(codes(name, table[:, i], size))
        except (TypeError, ValueError) as problem:
            raise type(problem)(f"{problem}, in column {i}") from None
    return columns


def _tail(params: Params, spread: ArrayLike, sizes: ArrayLike, log_k: float) -> float:
    """Bound on k answers: entry 1 - 1/s of the asked share, -1/s of the others."""
    centred = [w * (np.eye(s)[0] - 1 / s) for w, s in zip(spread, sizes, strict=True)]
    noise = np.concatenate(centred)
    if params.delta:
        return float(np.linalg.norm(noise)) * noise_laws.normal(params.beta, log_k=log_k)
    return noise_laws.laplace_sum(noise, params.beta, log_k=log_k)
