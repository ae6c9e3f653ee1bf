"""Baselines on a finite metric: a noisy histogram of its points, or joint noise on k answers.

**Paper.** Huang and Roth (2014) compare with neither; these are the plain baselines of its
section 4.

**Setting.** A finite public metric of N points; each record is one of them; k public queries.

**Idea.** (1) Histogram: release the noisy share of records at every point; any answer is a
weighted sum of shares. (2) Joint: release the k answers together, with noise for how far one
record can move all of them at once, which is far less than k times (or sqrt(k) times) one.

**Symbols.**

=========  ==============  ============================================  ===============
paper      here            meaning                                       shape, unit
=========  ==============  ============================================  ===============
X          ``metric``      the public table                              (N, N), [0, 1]
Q, k       ``queries``     codes of the queries                          (k,)
(none)     ``shares``      noisy share of the records at each point      (N,)
(none)     S               joint sensitivity of the k answers            of the metric
=========  ==============  ============================================  ===============

**Departures.** Beyond the paper. The histogram's shares add up to 1, which is public, so the
noise's mean is taken out: what is left of a query is how its distances *vary*. Answers are clipped
to the distances that the query has to any point: an average of them lies between, and it is free.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import accounting, checks
from dpviz.papers.distance_queries.embeddings.metrics import Table, codes
from dpviz.privacy import noise_laws
from dpviz.privacy.curator import Curator, Promise
from dpviz.privacy.pieces import Sums, merge

__all__ = ["merge"]
POINTS = "records at each point"
METHODS = ("histogram", "joint")


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """The metric, the queries, the budget and the method; all public.

    Attributes
    ----------
    n : int >= 1, number of records; metric : Table; queries : codes of k >= 1 points
    delta : float in [0, 1); 0 means pure privacy, by Laplace noise
    method : "histogram" or "joint"

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> Params(n=5, metric=finite([[0, 1], [1, 0]]), queries=[2], epsilon=1.0)
    Traceback (most recent call last):
    ...
    ValueError: queries must hold codes, whole numbers from 0 to 1
    """

    n: checks.Count
    metric: Table
    queries: ArrayLike
    method: str = "histogram"

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.metric, Table):
            raise TypeError(f"metric must be a finite Table, not {self.metric!r}")
        codes("queries", self.queries, len(self.metric.names))
        checks.choice("method", self.method, METHODS)

    @property
    def table(self) -> NDArray:
        """Distance of each point to each query; shape (N, k)."""
        return self.metric.distances(self.metric.points, self.queries)


@dataclass(frozen=True, eq=False)
class Release:
    """Answers to the queries; from the histogram also the shares behind them.

    Attributes
    ----------
    answers : array (k,); shares : array (N,), or None
    """

    params: Params
    answers: NDArray
    shares: NDArray | None = None


def release(
    data: ArrayLike | Sums, params: Params, curator: Curator, *, queries: ArrayLike | None = None
) -> Release:
    """Release the answers by the method of ``params``. Costs (epsilon, delta), one charge.

    *Histogram.* The share of records at each point. Replacing a record moves two shares by 1 / n:
    L1 sensitivity 2 / n, L2 sqrt(2) / n. *Joint.* Replacing record x by x' moves the vector of k
    answers by (row x - row x') / n of the public table: :func:`joint_sensitivity`, computed from
    all pairs of points.

    Parameters
    ----------
    data : codes of n points, private; or the merged :func:`statistic` of their pieces
    queries : codes to be answered in place of those of ``params``; None: those
    """
    if not isinstance(params, Params):
        raise TypeError(f"params must be finite_metric.Params, not {params!r}")
    params.payable_by(curator)
    params = params if queries is None else replace(params, queries=queries)
    counts = _counts(data, params)
    if params.method == "joint":
        answers = counts @ params.table / params.n
        moved = joint_sensitivity(params)
        noisy = params.noisy(answers, curator, l1=moved, l2=moved, label="joint")
        return Release(params, _possible(noisy, params.table))
    moved = {"l1": 2 / params.n, "l2": math.sqrt(2) / params.n}
    noisy = params.noisy(counts / params.n, curator, **moved, label=params.method)
    noisy = noisy + (1 - noisy.sum()) / len(noisy)
    return Release(params, _possible(noisy @ params.table, params.table), noisy)


def statistic(data: ArrayLike, params: Params) -> Sums:
    """What the release needs of some of the records: how many are at each point. Private.

    Parameters
    ----------
    data : codes of some of the records

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> params = Params(n=3, metric=finite([[0, 1], [1, 0]]), queries=[0, 1], epsilon=1.0)
    >>> both = merge(statistic([0, 1], params), statistic([1], params))
    >>> both.value(POINTS, (2,)).tolist()
    [1.0, 2.0]
    """
    own = codes("data", data, len(params.metric.names))
    counts = np.bincount(own, minlength=len(params.metric.names)).astype(np.int64)
    return Sums(n=len(own), totals={POINTS: counts})


def answer(release: Release, queries: ArrayLike) -> NDArray:
    """Answers, shape (k,). Free: post-processing.

    From a histogram to any points, also to those never announced. After joint noise only to the
    queries of the release; ``ValueError`` for others.
    """
    metric = release.params.metric
    measured_at = release.params.queries
    if release.shares is not None:
        table = metric.distances(metric.points, queries)
        return _possible(release.shares @ table, table)
    place = {
        code: i for i, code in enumerate(codes("queries", measured_at, len(metric.names)).tolist())
    }
    wanted = codes("queries", queries, len(metric.names)).tolist()
    if not place.keys() >= set(wanted):
        raise ValueError("queries must be among those that the joint noise was drawn for")
    return release.answers[[place[code] for code in wanted]]


def truth(data: ArrayLike, queries: ArrayLike, params: Params) -> NDArray:
    """Exact answers, shape (k,). For comparison only: not private."""
    return _counts(data, params) @ replace(params, queries=queries).table / params.n


def error_bound(params: Params) -> float:
    """Proved: with probability 1 - beta none of the k answers has a larger error.

    Proof. *Histogram.* An answer's noise is the sum of the shares' noises times (distance - mean
    distance): exact normal tail, or Chernoff for Laplace. *Joint.* Independent noise of known
    scale on each answer. A union over the k queries.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> params = Params(n=100, metric=finite([[0, 1], [1, 0]]), queries=[0], epsilon=1.0)
    >>> round(error_bound(params), 3), round(error_bound(replace(params, method="joint")), 3)
    (0.071, 0.03)
    """
    return _histogram_bound(params) if params.method == "histogram" else _joint_bound(params)


def trial(
    params: Params, data: ArrayLike, queries: ArrayLike | None = None, *, rng: checks.Seed
) -> dict[str, float]:
    """One release and its largest error over the queries.

    Parameters
    ----------
    queries : codes to be answered in place of those of ``params``; None: those

    Returns a dict with ``error``, ``bound``.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> pair = {"n": 2, "metric": finite([[0, 1], [1, 0]]), "queries": [0]}
    >>> sorted(trial(Params(**pair, epsilon=1.0, method="joint"), [0, 1], rng=1))
    ['bound', 'error']
    """
    params = params if queries is None else replace(params, queries=queries)
    answers = release(data, params, params.curator(rng=rng)).answers
    error = np.abs(answers - truth(data, params.queries, params)).max()
    return {"error": float(error), "bound": error_bound(params)}


def joint_sensitivity(params: Params) -> float:
    """Farthest that one replaced record moves the k answers: L2 norm (pure: L1 norm).

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> table = finite([[0, 1], [1, 0]])
    >>> joint_sensitivity(Params(n=10, metric=table, queries=[0, 1], epsilon=1.0))
    0.2
    """
    from scipy.spatial.distance import pdist

    pairs = pdist(params.table, "euclidean" if params.delta else "cityblock")
    return float(pairs.max()) / params.n


def _counts(data: ArrayLike | Sums, params: Params) -> NDArray:
    """How many records are at each point; shape (N,)."""
    sums = data if isinstance(data, Sums) else statistic(data, params)
    if sums.n != params.n:
        raise ValueError(f"data must have n = {params.n} records, as params says")
    return sums.value(POINTS, (len(params.metric.names),))


def _possible(answers: NDArray, table: NDArray) -> NDArray:
    """Answers clipped to the smallest and largest distance of their query from any point."""
    return np.clip(answers, table.min(axis=0), table.max(axis=0))


def _histogram_bound(params: Params) -> float:
    """Of k weighted sums of the shares' noises, their mean taken out."""
    centred = (params.table - params.table.mean(axis=0)).T
    beta = params.beta / len(centred)
    if params.delta:
        sd = math.sqrt(2) * _unit(params) / params.n
        return sd * noise_laws.normal(beta) * float(np.linalg.norm(centred, axis=1).max())
    return 2 / (params.n * params.epsilon) * _largest_sum(centred.tobytes(), len(centred), beta)


@lru_cache(maxsize=64)
def _largest_sum(rows: bytes, k: int, beta: float) -> float:
    """Of k weighted sums of standard Laplace noises; the same weights serve at every budget."""
    weights = np.frombuffer(rows).reshape(k, -1)
    return max(noise_laws.laplace_sum(row, beta) for row in weights)


def _joint_bound(params: Params) -> float:
    """Of k independent noises."""
    beta = params.beta / len(params.queries)
    if params.delta:
        return joint_sensitivity(params) * _unit(params) * noise_laws.normal(beta)
    return joint_sensitivity(params) / params.epsilon * math.log(1 / beta)


def _unit(params: Params) -> float:
    """Standard deviation for sensitivity 1."""
    return accounting.gaussian_sd(epsilon=params.epsilon, delta=params.delta)
