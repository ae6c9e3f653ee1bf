"""When the metric is a finite public list: count its points, or ask only what was asked.

**Paper.** Huang and Roth (2014) compare with neither; these are the plain rivals of its
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
noise's mean is taken out: what is left of a query is how its distances *vary*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import accounting, checks
from dpviz.papers.distance_queries.embeddings.metrics import Table, codes
from dpviz.privacy import tail_bounds
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, kw_only=True)
class Params:
    """The metric, the queries and the price; all public.

    Attributes
    ----------
    n : int >= 1, number of records
    metric : Table
    queries : codes of k >= 1 points
    epsilon : float > 0
    delta : float in [0, 1); 0 means pure privacy, by Laplace noise
    beta : float in (0, 1), failure probability of the bounds

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> Params(n=5, metric=finite([[0, 1], [1, 0]]), queries=[2], epsilon=1.0)
    Traceback (most recent call last):
    ...
    ValueError: queries must hold codes, whole numbers from 0 to 1
    """

    n: int
    metric: Table
    queries: Any
    epsilon: float
    delta: float = 0.0
    beta: float = 0.05

    def __post_init__(self):
        checks.integer("n", self.n, at_least=1)
        codes("queries", self.queries, len(self.metric.names))
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.number("beta", self.beta, above=0, below=1)

    @property
    def table(self) -> np.ndarray:
        """Distance of each point to each query; shape (N, k)."""
        return self.metric.distances(self.metric.points, self.queries)


@dataclass(frozen=True, eq=False)
class Release:
    """Answers to the queries; from the histogram also the shares behind them.

    Attributes
    ----------
    params : Params
    answers : array (k,)
    shares : array (N,), or None
    """

    params: Params
    answers: np.ndarray
    shares: np.ndarray | None = None


def release_histogram(data: Any, params: Params, curator: Curator) -> Release:
    """Release the share of records at each point. Costs ``epsilon`` and ``delta``, one charge.

    Replacing a record moves two shares by 1 / n: L1 sensitivity 2 / n, L2 sqrt(2) / n.
    """
    shares = _counts(data, params) / params.n
    sensitivity = (math.sqrt(2) if params.delta else 2) / params.n
    noisy = _noisy(shares, sensitivity, params, curator, "histogram")
    noisy = noisy + (1 - noisy.sum()) / len(noisy)
    return Release(params, noisy @ params.table, noisy)


def release_joint(data: Any, params: Params, curator: Curator) -> Release:
    """Release the k answers together. Costs ``epsilon`` and ``delta``, in one charge.

    Replacing record x by x' moves the vector of answers by (row x - row x') / n of the public
    table: :func:`joint_sensitivity`, computed from all pairs of points.
    """
    answers = _counts(data, params) @ params.table / params.n
    return Release(params, _noisy(answers, joint_sensitivity(params), params, curator, "joint"))


def answer_histogram(release: Release, queries: Any) -> np.ndarray:
    """Answers to any points, shape (k,); also to those never announced. Free: post-processing."""
    metric = release.params.metric
    return release.shares @ metric.distances(metric.points, queries)


def truth(data: Any, params: Params) -> np.ndarray:
    """Exact answers, shape (k,). For comparison only: not private."""
    return _counts(data, params) @ params.table / params.n


def error_bound_histogram(params: Params) -> float:
    """Proved: with probability 1 - beta none of the k answers errs by more.

    Proof: an answer's noise is the sum of the shares' noises times (distance - mean
    distance): exact normal tail, or Chernoff for Laplace; union over the k queries.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> params = Params(n=100, metric=finite([[0, 1], [1, 0]]), queries=[0], epsilon=1.0)
    >>> round(error_bound_histogram(params), 3)
    0.071
    """
    centred = (params.table - params.table.mean(axis=0)).T
    beta = params.beta / len(centred)
    if params.delta:
        sd = math.sqrt(2) * _unit(params) / params.n
        return sd * tail_bounds.normal(beta) * float(np.linalg.norm(centred, axis=1).max())
    scale = 2 / (params.n * params.epsilon)
    return max(tail_bounds.laplace_sum(scale * row, beta) for row in centred)


def error_bound_joint(params: Params) -> float:
    """Proved: with probability 1 - beta none of the k answers errs by more.

    Proof: independent noise of known scale on each answer; union over the k queries.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> params = Params(n=100, metric=finite([[0, 1], [1, 0]]), queries=[0], epsilon=1.0)
    >>> round(error_bound_joint(params), 3)
    0.03
    """
    beta = params.beta / len(params.queries)
    if params.delta:
        return joint_sensitivity(params) * _unit(params) * tail_bounds.normal(beta)
    return joint_sensitivity(params) / params.epsilon * math.log(1 / beta)


def trial(
    params: Params, data: Any, *, how: str = "histogram", rng: checks.Seed
) -> dict[str, float]:
    """One release and its largest error over the queries.

    Parameters
    ----------
    how : "histogram" or "joint"

    Returns
    -------
    dict with ``error``, ``bound``

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> params = Params(n=2, metric=finite([[0, 1], [1, 0]]), queries=[0], epsilon=1.0)
    >>> sorted(trial(params, [0, 1], how="joint", rng=1))
    ['bound', 'error']
    """
    run, bound = {
        "histogram": (release_histogram, error_bound_histogram),
        "joint": (release_joint, error_bound_joint),
    }[checks.choice("how", how, ("histogram", "joint"))]
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    error = np.abs(run(data, params, curator).answers - truth(data, params)).max()
    return {"error": float(error), "bound": bound(params)}


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


def _counts(data: Any, params: Params) -> np.ndarray:
    """How many records are at each point; shape (N,)."""
    own = codes("data", data, len(params.metric.names))
    if len(own) != params.n:
        raise ValueError(f"data must have n = {params.n} records, as params says")
    return np.bincount(own, minlength=len(params.metric.names))


def _noisy(value, sensitivity: float, params: Params, curator: Curator, label: str) -> np.ndarray:
    """One charge: Gaussian noise if there is a delta, else Laplace noise."""
    price = {"sensitivity": sensitivity, "epsilon": params.epsilon, "label": label}
    if params.delta:
        return curator.gaussian(value, delta=params.delta, **price)
    return curator.laplace(value, **price)


def _unit(params: Params) -> float:
    """Standard deviation for sensitivity 1."""
    return accounting.gaussian_sd(epsilon=params.epsilon, delta=params.delta)
