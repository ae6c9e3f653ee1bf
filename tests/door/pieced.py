"""Every mechanism whose sum over the records may be taken in pieces, as a call on a source."""

import functools

import numpy as np
import pytest

import dpviz
from dpviz.door import readings
from dpviz.papers.distance_queries.embeddings import metrics
from dpviz.papers.distance_queries.releases import anchored

RNG = np.random.default_rng(5)
POINTS = RNG.random((5000, 2)) * 10
NAMES = np.array([f"u{i}" for i in RNG.zipf(1.5, 5000) % 300])
PLACES = np.where(POINTS[:, 0] < 3, "near", "far")
CELLS = (POINTS[:, 0] // 1).astype(int)
GROUPED = np.concatenate([RNG.normal(4, 0.1, (3000, 2)), RNG.normal(8, 0.1, (2000, 2)), POINTS])
TWO = metrics.finite([[0, 1], [1, 0]], names=["near", "far"])
BOX = {"bounds": [(0, 10), (0, 10)]}
PURE = {"epsilon": 1, "rng": 1}
BOTH = {**PURE, "delta": 1e-6}
SQUARE = {"lower": 0.0, "upper": 10.0, "epsilon": 1.0, "delta": 1e-6}
BALLS = {**BOX, **BOTH, "epsilon": 4, "seed": 1}


def by_module(module, params, source):
    """A mechanism that no function of the front door takes, with the front door's reading."""
    data = readings.summed(readings.table("points", source), module.statistic, params)
    return module.release(data, params, params.curator(rng=1))


def verb(function, *more, **how):
    """A function of the front door, all of whose arguments but the source are given."""
    return functools.partial(function, *more, **how)


# What one pass takes; a source may then be read only once.
ONE_PASS = {
    "signs": (POINTS, verb(dpviz.distances, **BOX, **BOTH)),
    "haar": (POINTS, verb(dpviz.distances, **BOX, **PURE)),
    "finite": (PLACES, verb(dpviz.distances, metric=TWO, **PURE)),
    "mean": (POINTS[:, 0], verb(dpviz.mean, bounds=(0, 10), **PURE)),
    "means": (POINTS, verb(dpviz.means, **BOX, **PURE)),
    "counts": (NAMES, verb(dpviz.sparse_counts, **PURE)),
    "sparse": (NAMES, verb(dpviz.sparse_queries, queries=[["u1", "u2"], ["u3"]], **PURE)),
    "anchored": (
        POINTS,
        verb(by_module, anchored, anchored.Params(n=5000, d=2, diameter=5.0, **SQUARE)),
    ),
}
# Products of matrices, whose last bits hang on the shape of a piece.
OF_PRODUCTS = {
    "euclidean": (POINTS[:500], verb(dpviz.distances, **BOX, metric="euclidean", seed=1, **PURE)),
    "moments": (POINTS, verb(dpviz.smooth_summary, **BOX, **PURE)),
    "moments, delta": (POINTS, verb(dpviz.smooth_summary, **BOX, terms=4, **BOTH)),
}
SAME_IN_MEMORY = {**ONE_PASS, **OF_PRODUCTS}
# In memory these take counts instead of records, draw noise in another order, or keep the records.
FROM_PIECES = {
    "linear": (CELLS, verb(dpviz.linear_queries, queries=np.eye(10), **PURE)),
    "one cluster": (GROUPED, verb(dpviz.one_cluster, t=2500, **BALLS)),
    "clusters": (GROUPED, verb(dpviz.clusters, k=2, t=1800, **BALLS)),
    "euclidean, delta": (
        POINTS[:500],
        verb(dpviz.distances, **BOX, metric="euclidean", seed=1, **BOTH),
    ),
}
EVERY = {**SAME_IN_MEMORY, **FROM_PIECES}


def quick(names, *few):
    """Names of mechanisms: many passes, and hundreds of coordinates, are marked as slow."""
    few = few or [name for name in names if "cluster" not in name and "euclidean" not in name]
    return [pytest.param(name, marks=() if name in few else pytest.mark.slow) for name in names]


def released(result):
    """The public numbers of a result, as one array."""
    release = getattr(result, "release", result)
    if isinstance(release, dict):  # of linear queries
        return result.values
    if isinstance(release, tuple):  # balls
        return np.concatenate([released(ball) for ball in release])
    if hasattr(release, "radius"):
        return np.append(release.center, [release.radius, release.z])
    for name in ("summary", "counts", "values", "shares"):
        if hasattr(release, name):
            return np.asarray(getattr(release, name))
    return np.asarray(release.curves.values if hasattr(release, "curves") else release)


def same(name, one, other):
    """Whether two results are the same, bit for bit but where pieces went through a product."""
    if name.partition(",")[0] in ("euclidean", "moments"):
        np.testing.assert_allclose(released(one), released(other), rtol=0, atol=1e-9)
    else:
        assert np.array_equal(released(one), released(other))


def fresh(data, cuts):
    """A function that gives an iterator over so many pieces, some of them empty."""
    return lambda: iter([data[:0], *np.array_split(data, cuts), data[:0]])
