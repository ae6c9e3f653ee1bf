"""Average distances in the Euclidean metric and in finite ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.terms import Mechanism, Result, proved, released, settled
from dpviz.papers.distance_queries.baselines import finite_metric
from dpviz.papers.distance_queries.embeddings import (
    any_metric,
    johnson_lindenstrauss,
    metrics,
    negative_type,
)
from dpviz.papers.sparse_queries.queries import Records
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import Sums

R = TypeVar("R", bound=Result)
LINES = 1000  # random projections at most
POINTS = 1024  # of a finite metric, so that its eigenvalues and a covariance cost a second
ROWS = 2**24  # numbers in the projected records at most: 128 MiB


def answer(release: Any, places: NDArray) -> NDArray:
    """Average Euclidean distances from places (k, d)."""
    if isinstance(release, negative_type.Interactive):
        return release.answer_all(places)[0]
    return any_metric.answer(release, places)


def answer_names(release: Any, names: Iterable[Hashable]) -> NDArray:
    """Average distances from points of a finite metric, by their names."""
    codes = release.params.metric.codes(list(names))
    module: Any = finite_metric if isinstance(release, finite_metric.Release) else negative_type
    return module.answer(release, codes)


def projections(n: int) -> int:
    """How many random lines: as many as keep the projected records small, at most ``LINES``.

    >>> projections(1000), projections(10**6)
    (1000, 16)
    """
    return max(16, min(LINES, ROWS // n))


def euclidean(
    read: frames.Table | readings.Reading,
    public: dict[str, Any],
    curator: Curator | None,
    seed: int,
) -> list[Mechanism]:
    """Levy's field and random projections; of one column the latter are the l1 metric.

    Levy's field asks the records again at each query, so it is for records in memory.

    Parameters
    ----------
    seed : of the projections, which are public: the records have no part in them
    """
    lower, upper = public["lower"], public["upper"]
    budget: dict[str, Any] = {"epsilon": public["epsilon"], "delta": public["delta"]}
    metric: Any = metrics.norm(lower, upper, unit=False)
    mechanisms = []
    if isinstance(read, frames.Table):
        mechanisms = _levy(read.values, read.n, metric, budget, curator)
    if read.d == 1:
        return mechanisms
    size = johnson_lindenstrauss.Params(
        d=read.d, target=projections(read.n), lower=lower, upper=upper
    )
    embedding: Any = size.draw(rng=seed)
    asks = any_metric.Params(n=read.n, metric=metric, embedding=embedding, **budget)
    projected = Mechanism(
        name="random projections",
        params=asks,
        bound=partial(_euclidean_bound, asks, read.d),
        release=partial(released, any_metric, read, asks),
    )
    return [*mechanisms, projected]


def _levy(
    data: Any,
    n: int,
    metric: Any,
    budget: dict[str, Any],
    curator: Curator | None,
    *,
    everything: NDArray | None = None,
) -> list[Mechanism]:
    """Levy's field, where it can be drawn: a list of one mechanism or none.

    It needs a delta, a metric of negative type, noise of numpy, and so many records that one
    answer is better than a constant.

    Parameters
    ----------
    everything : all points of a finite metric, which are asked at once; None: of a box, on demand
    """
    payer = getattr(curator, "of", curator)
    if not budget["delta"] or getattr(payer, "noise", "floats") != "floats":
        return []
    if everything is not None and len(everything) > POINTS:
        return []
    try:
        asks = negative_type.Params(n=n, metric=metric, **budget)
    except ValueError:  # not of negative type
        return []
    if n < negative_type.records_needed(asks, k=1):
        return []
    release: Any = partial(negative_type.Interactive, data, asks)
    if everything is not None:
        release = partial(negative_type.release, data, asks, queries=everything)
    bound = partial(proved, negative_type.error_bound, asks)
    return [Mechanism(name="Levy's field", params=asks, bound=bound, release=release)]


def finite(
    points: Any,
    metric: Any,
    make: Callable[..., R],
    *,
    epsilon: float | None,
    delta: float | None,
    curator: Curator | None,
    rng: checks.Seed | None,
) -> R:
    """What ``dpviz.distances`` does in a finite metric: Levy's field, a noisy histogram of the
    metric's points, or noise on all answers.

    >>> two = metrics.finite([[0, 1], [1, 0]], names=["near", "far"])
    >>> how = {"epsilon": 1.0, "delta": 0.0, "curator": None, "rng": 1}
    >>> answer_names(finite(["near", "far"] * 500, two, Result, **how).release, ["near"]).round(1)
    array([0.5])
    """
    if not isinstance(metric, metrics.Table):
        raise TypeError(
            "metric must be 'l1', 'euclidean' or a finite metric of "
            "dpviz.papers.distance_queries.embeddings.metrics; for any other see the module "
            "any_metric there"
        )
    amount, rare = payment.budget_of(curator, rng, epsilon=epsilon, delta=delta)
    budget: dict[str, Any] = {"epsilon": amount, "delta": rare}
    read = readings.names("points", points)
    params = finite_metric.Params(n=1, metric=metric, queries=metric.points, **budget)
    data = readings.summed(read, _at_points, params, curator)
    mechanisms = []
    if isinstance(read, readings.Names):
        data = _at_points(Records(read.values), params)
        code = {label: i for i, label in enumerate(metric.names)}
        codes = np.array([code[str(label)] for label in read.values])
        mechanisms = _levy(codes, read.n, metric, budget, curator, everything=metric.points)
    for method, name in (("histogram", "a histogram"), ("joint", "noise on all answers")):
        asks = replace(params, n=read.n, method=method)
        bound = partial(proved, finite_metric.error_bound, asks)
        release = partial(finite_metric.release, data, asks)
        mechanisms.append(Mechanism(name=name, params=asks, bound=bound, release=release))
    return settled(
        mechanisms,
        make,
        title=f"average distances among {len(metric.names)} points",
        unit="(unit of the metric), at every point at once",
        n=read.n,
        curator=curator,
        rng=rng,
    )


def _at_points(records: Records, params: finite_metric.Params) -> Sums:
    """How many records are at each point of the metric, from their names."""
    code = {label: i for i, label in enumerate(params.metric.names)}
    if not code.keys() >= set(map(str, records.counts)):
        raise ValueError("points must hold names of the metric's points and no others")
    counts = np.zeros(len(code), dtype=np.int64)
    for label, count in records.counts.items():
        counts[code[str(label)]] += count
    return Sums(n=records.n, totals={finite_metric.POINTS: counts})


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
