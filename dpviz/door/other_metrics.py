"""Average distances in the Euclidean metric and in finite ones."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.terms import Result, Terms, settled
from dpviz.papers.distance_queries.baselines import finite_metric
from dpviz.papers.distance_queries.embeddings import any_metric, johnson_lindenstrauss, metrics
from dpviz.papers.sparse_queries.queries import Records
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import Sums

R = TypeVar("R", bound=Result)
METRICS = ("l1", "euclidean")
LINES = 1000  # random projections at most
ROWS = 2**24  # numbers in the projected records at most: 128 MiB


def distances(
    points: ArrayLike | frames.Frame,
    *,
    bounds: frames.Bounds,
    metric: Any,
    seed: int | None,
    outside: str = "clip",
    epsilon: float | None,
    delta: float | None,
    curator: Curator | None,
    rng: checks.Seed | None,
    make: type[R],
) -> R:
    """What ``dpviz.distances`` does where the metric is not l1; see there.

    Parameters
    ----------
    make : the class of the result

    >>> two = metrics.finite([[0, 1], [1, 0]], names=["near", "far"])
    >>> how = {"bounds": None, "seed": None, "curator": None, "rng": 1, "make": Result}
    >>> found = distances(["near", "far"] * 500, metric=two, epsilon=1.0, delta=0.0, **how)
    >>> answer(found.release, ["near"], found.terms).round(1)
    array([0.5])
    """
    budget = payment.budget_of(curator, rng, epsilon=epsilon, delta=delta)
    if isinstance(metric, metrics.Table):
        return _finite(points, metric, budget, curator, rng, make)
    if not isinstance(metric, str):
        raise TypeError(
            "metric must be 'l1', 'euclidean' or a finite metric of "
            "dpviz.papers.distance_queries.embeddings.metrics; for any other see the module "
            "any_metric there"
        )
    checks.choice("metric", metric, METRICS)
    read = readings.table("points", points)
    lower, upper = frames.box(bounds, read, outside=outside)
    drawn = _projected(read, lower, upper, budget, payment.public_seed(seed, rng))
    data = readings.summed(read, any_metric.statistic, drawn, curator)
    terms = Terms(
        title=f"average Euclidean distances over {', '.join(read.columns)}",
        n=read.n,
        epsilon=budget[0],
        delta=budget[1],
        columns=read.columns,
        bounds=dict(zip(read.columns, zip(lower, upper, strict=True), strict=True)),
        unit="(unit of the columns), at every place at once",
        params=drawn,
        bound=partial(_euclidean_bound, drawn, read.d),
    )
    spend = partial(any_metric.release, data, drawn)
    return settled(terms, curator, rng, spend, make)


def answer(release: Any, queries: Any, terms: Terms) -> NDArray:
    """Answers from what was released.

    Parameters
    ----------
    queries : places in the unit of the data, or the names of points
    """
    if isinstance(release, finite_metric.Release):
        return finite_metric.answer(release, release.params.metric.codes(list(queries)))
    places = frames.places("queries", queries, terms.columns).reshape(-1, len(terms.columns))
    release.params.metric.box.admitted(places)
    return any_metric.answer(release, places)


def projections(n: int) -> int:
    """How many random lines: as many as keep the projected records small, at most ``LINES``.

    >>> projections(1000), projections(10**6)
    (1000, 16)
    """
    return max(16, min(LINES, ROWS // n))


def _projected(
    read: frames.Table | readings.Reading,
    lower: tuple[float, ...],
    upper: tuple[float, ...],
    budget: tuple[float, float],
    seed: int,
) -> any_metric.Params:
    """The map, drawn without the records, and what Figure 2 is told."""
    box: dict[str, Any] = {"lower": lower, "upper": upper}
    size = johnson_lindenstrauss.Params(d=read.d, target=projections(read.n), **box)
    metric: Any = metrics.norm(lower, upper, unit=False)
    embedding: Any = size.draw(rng=seed)
    public = {"n": read.n, "metric": metric, "embedding": embedding}
    return any_metric.Params(**public, epsilon=budget[0], delta=budget[1])


def _finite(
    points: Any,
    metric: metrics.Table,
    budget: tuple[float, float],
    curator: Curator | None,
    rng: checks.Seed | None,
    make: type[R],
) -> R:
    """From a noisy histogram of the metric's points."""
    read = readings.names("points", points)
    params = finite_metric.Params(
        n=1, metric=metric, queries=metric.points, epsilon=budget[0], delta=budget[1]
    )
    data = readings.summed_names(read, _at_points, params, curator)
    if isinstance(read, readings.Names):
        data = _at_points(Records(read.values), params)
    params = replace(params, n=read.n)
    terms = Terms(
        title=f"average distances among {len(metric.names)} points",
        n=read.n,
        epsilon=budget[0],
        delta=budget[1],
        unit="(unit of the metric), at every point at once",
        params=params,
        bound=partial(_finite_bound, params),
    )
    spend = partial(finite_metric.release, data, params)
    return settled(terms, curator, rng, spend, make)


def _at_points(records: Records, params: finite_metric.Params) -> Sums:
    """How many records are at each point of the metric, from their names."""
    code = {label: i for i, label in enumerate(params.metric.names)}
    if not code.keys() >= set(map(str, records.counts)):
        raise ValueError("points must hold names of the metric's points and no others")
    counts = np.zeros(len(code), dtype=np.int64)
    for label, count in records.counts.items():
        counts[code[str(label)]] += count
    return Sums(n=records.n, totals={finite_metric.POINTS: counts})


def _finite_bound(params: finite_metric.Params, beta: float) -> float:
    return finite_metric.error_bound(replace(params, beta=beta))


def _euclidean_bound(params: any_metric.Params, d: int, beta: float) -> float:
    """Half of beta for the projections, everywhere at once, half for the noise.

    A relative error a of all averages is at most a times the largest average distance, the
    diagonal of the box. The noise is bounded for all places, so for any queries.
    """
    share = beta / 2
    size = johnson_lindenstrauss.Params(
        d=d,
        target=len(params.embedding.lower),
        beta=share,
        lower=params.metric.box.lower,  # type: ignore[attr-defined]
        upper=params.metric.box.upper,  # type: ignore[attr-defined]
    )
    relative = min(1.0, johnson_lindenstrauss.error_bound(size))
    inner = replace(params.inner, beta=share)
    noise = any_metric.RELEASES[params.chosen_method].error_bound(inner)
    return relative * params.metric.diameter + noise
