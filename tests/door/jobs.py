"""Ten jobs that should be a line each: what a reader types, and what the papers' modules say."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import dpviz
from dpviz.papers.distance_queries.baselines import finite_metric
from dpviz.papers.distance_queries.embeddings import metrics, negative_type
from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet
from dpviz.papers.fat_shattering import baselines as tables
from dpviz.papers.small_cluster import one_cluster, several_clusters
from dpviz.papers.smooth_queries import bounds, gaussian_kernel
from dpviz.papers.smooth_queries import release as smooth
from dpviz.papers.sparse_queries import baselines, hashed_histogram, plan
from dpviz.papers.sparse_queries.queries import Batch, Query
from dpviz.privacy.box import Box
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import column_sums

# What a reader types: {p} points, {c} one column, {q} places, {b} bounds, {w} a width; ``rng`` and
# ``seed`` only so that two runs can be compared.
LINES = {
    "mean": "dpviz.mean({c}, bounds={c_bounds}, epsilon=1, rng=7).value",
    "distances": "dpviz.distances({p}, bounds={b}, epsilon=1, delta=1e-6, rng=7).answer({q})",
    "metric": "dpviz.distances({p}, bounds={b}, epsilon=1, delta=1e-6, metric='euclidean', "
    "rng=7, seed=3).answer({q})",
    "counts": "dpviz.sparse_counts(names, epsilon=1, rng=7, seed=3)['u1']",
    "sparse": "dpviz.sparse_queries(names, [['u1', 'u2'], ['u3']], epsilon=1, rng=7).values",
    "linear": "dpviz.linear_queries(table, [[1, 0, 0], [1, 1, 0]], epsilon=1, rng=7).values",
    "cluster": "dpviz.one_cluster({p}, t=1800, bounds={b}, epsilon=1, delta=1e-6, rng=7, seed=3)"
    ".center",
    "clusters": "np.array([ball.center for ball in dpviz.clusters({p}, k=2, t=1800, bounds={b}, "
    "epsilon=2, delta=1e-6, rng=7, seed=3)])",
    "kernels": "dpviz.smooth_summary({p}, bounds={b}, epsilon=1, rng=7).kernels({q}, {w}).values",
    "audit": "dpviz.audit(lambda data, rng: dpviz.mean(data, bounds=(0, 1), epsilon=1, rng=rng), "
    "[0, 1], [1, 1], samples=400, rng=7).lower",
}


@dataclass(frozen=True)
class Unit:
    """Two columns in some unit: what is typed for them, and the numbers."""

    scale: np.ndarray
    shift: np.ndarray

    def of(self, points: np.ndarray) -> np.ndarray:
        """Points of the unit square in this unit."""
        return self.shift + self.scale * points


PLAIN = Unit(np.ones(2), np.zeros(2))
ODD = Unit(np.array([1000.0, 1000.0]), np.array([-7.0, 40_000.0]))


def square() -> np.ndarray:
    """4,000 records in the unit square, half of them near one place, a quarter near another."""
    rng = np.random.default_rng(11)
    near = rng.normal([0.4, 0.6], 0.01, (2000, 2)), rng.normal([0.8, 0.2], 0.01, (2000, 2))
    return np.clip(np.concatenate(near), 0, 1)


NAMES = ["u1"] * 600 + ["u2"] * 300 + ["u3"] * 100
TABLE = [700, 200, 100]
PLACES = np.array([[0.2, 0.9], [0.5, 0.5]])


def typed(job: str, points: str = "points", column: str = "column") -> str:
    """The line of one job."""
    words = {"p": points, "c": column, "q": "queries", "b": "bounds", "w": "width"}
    return LINES[job].format(**words, c_bounds="column_bounds")


def variables(unit: Unit) -> dict[str, Any]:
    """What the lines name, as arrays in a unit."""
    points = unit.of(square())
    low, high = unit.of(np.zeros((1, 2)))[0], unit.of(np.ones((1, 2)))[0]
    return {
        "np": np,
        "dpviz": dpviz,
        "points": points,
        "column": points[:, 0],
        "queries": unit.of(PLACES),
        "bounds": list(zip(low.tolist(), high.tolist(), strict=True)),
        "column_bounds": (low[0], high[0]),
        "width": (0.25 * unit.scale).tolist(),
        "names": NAMES,
        "table": TABLE,
    }


def run(job: str, given: dict[str, Any]) -> np.ndarray:
    """What one job gives."""
    return np.asarray(eval(typed(job), given))


def lines() -> int:
    """Lines of all ten jobs, the import and the printing included."""
    return 1 + len(LINES)


def concepts() -> set[str]:
    """Names and arguments of dpviz that all ten jobs use together."""
    found: set[str] = set()
    for job in LINES:
        for node in ast.walk(ast.parse(typed(job))):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            if isinstance(node, ast.keyword) and node.arg:
                found.add(node.arg)
    return found - {"array"}  # numpy's


def by_papers(unit: Unit) -> dict[str, Callable[[], np.ndarray]]:
    """The same jobs through the modules below the front door."""
    given = variables(unit)
    points, places = given["points"], given["queries"]
    lower, upper = (tuple(side) for side in zip(*given["bounds"], strict=True))
    box: dict[str, Any] = {"lower": lower, "upper": upper}
    both: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}
    n = len(points)

    def mean():
        one = Box(lower[:1], upper[:1])
        share = column_sums([one.private(points[:, :1])], 1).value.item() / n
        return Curator(epsilon=1, rng=7).laplace(
            one.lower[0] + one.total * share,
            sensitivity=one.total / n,
            epsilon=1,
            label="mean",
        )

    def distances():
        params = curves.Params(n=n, d=2, **both, **box)
        return curves.answer(average_sign.release(points, params, params.curator(rng=7)), places)

    def metric():
        plane = metrics.norm(lower, upper, unit=False)
        params = negative_type.Params(n=n, metric=plane, **both)
        field = negative_type.Interactive(points, params, Curator(**both, rng=7))
        return field.answer_all(places)[0]

    def counts():
        params = hashed_histogram.Params.draw(epsilon=1, m=1, k=1, size=8192, rng=3)
        found = hashed_histogram.release(NAMES, params, params.curator(rng=7))
        return hashed_histogram.answer(found, [Query(["u1"])])[0] * len(NAMES)

    def sparse():
        batch = Batch([Query(["u1", "u2"]), Query(["u3"])])
        params = plan.Params(epsilon=1, m=2, k=2)
        return baselines.release_laplace(NAMES, params, params.curator(rng=7), queries=batch)

    def linear():
        params = tables.Params(epsilon=1)
        exact = np.array([[1.0, 0, 0], [1, 1, 0]]) @ np.array(TABLE, dtype=float)
        cost = {"sensitivity": 2, "epsilon": 1, "label": "answers"}
        return params.curator(rng=7).laplace(exact, **cost)

    def cluster():
        params = one_cluster.Params(t=1800, d=2, beta=0.05, seed=3, **both, **box)
        return one_cluster.release(points, params, params.curator(rng=7)).center

    def clusters():
        wide = {"epsilon": 2, "delta": 1e-6, "runs": 2, "beta": 0.05}
        params = one_cluster.Params(t=1800, d=2, seed=3, **wide, **box)
        found = several_clusters.release(points, params, params.curator(rng=7))
        return np.array([ball.center for ball in found])

    def kernels():
        params = smooth.Params(d=2, terms=1, epsilon=1, noise_scaling="smoothness", **box)
        middles = np.array([[x, y] for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)])
        few = gaussian_kernel.GaussianKernels(centres=middles, width=0.5, lower=-1, upper=1)
        terms = bounds.by_bound(params, n, few, most=10)
        params = replace(params, terms=terms)  # of 1, 2 and 3, smoothness 2 proves the least here
        asked = gaussian_kernel.GaussianKernels(centres=places, width=given["width"], **box)
        return gaussian_kernel.answer_kernels(
            smooth.release(points, params, params.curator(rng=7)), asked
        )

    def audit():
        from dpviz.audit import auditor

        def once(data, rng):
            return Curator(epsilon=1, rng=rng).laplace(
                float(np.mean(data)), sensitivity=0.5, epsilon=1, label="mean"
            )

        many = lambda data, samples, rng: np.array([once(data, rng) for _ in range(samples)])  # noqa: E731
        return auditor.audit(many, [0.0, 1.0], [1.0, 1.0], samples=400, rng=7).lower

    every = (mean, distances, metric, counts, sparse, linear, cluster, clusters, kernels, audit)
    return dict(zip(LINES, every, strict=True))


__all__ = ["LINES", "ODD", "PLAIN", "by_papers", "concepts", "finite_metric", "haar_wavelet"]
