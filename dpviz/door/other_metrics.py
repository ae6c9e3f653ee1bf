"""Average distances in the Euclidean metric and in finite ones."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.l1_release import l1_mechanism
from dpviz.door.terms import Mechanism, Result, Terms, asked, least, settled, terms_of
from dpviz.papers.distance_queries.baselines import finite_metric
from dpviz.papers.distance_queries.embeddings import (
    any_metric,
    johnson_lindenstrauss,
    metrics,
    negative_type,
)
from dpviz.papers.distance_queries.releases import curves
from dpviz.papers.sparse_queries.queries import Records
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import Sums

R = TypeVar("R", bound=Result)
METRICS = ("l1", "euclidean")
LINES = 1000  # random projections at most
POINTS = 1024  # of a finite metric, so that its eigenvalues and a covariance cost a second
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
    how: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "curator": curator, "rng": rng}
    if isinstance(metric, metrics.Table):
        return _finite(points, metric, make, **how)
    if not isinstance(metric, str):
        raise TypeError(
            "metric must be 'l1', 'euclidean' or a finite metric of "
            "dpviz.papers.distance_queries.embeddings.metrics; for any other see the module "
            "any_metric there"
        )
    checks.choice("metric", metric, METRICS)
    read, public = asked("points", points, bounds, outside=outside, **how)
    mechanism, chosen = least(
        _euclidean_mechanisms(read, public, curator, payment.public_seed(seed, rng))
    )
    terms = terms_of(
        read,
        public,
        title=f"average Euclidean distances over {', '.join(read.columns)}",
        unit="(unit of the columns), at every place at once",
        params=mechanism.params,
        bound=mechanism.bound,
        chosen=chosen,
    )
    return settled(terms, curator, rng, mechanism.release, make)


def answer(release: Any, queries: Any, terms: Terms) -> NDArray:
    """Answers from what was released.

    Parameters
    ----------
    queries : places in the unit of the data, or the names of points
    """
    if not terms.columns:
        codes = release.params.metric.codes(list(queries))
        module: Any = finite_metric if isinstance(release, finite_metric.Release) else negative_type
        return module.answer(release, codes)
    places = frames.places("queries", queries, terms.columns).reshape(-1, len(terms.columns))
    if isinstance(release, curves.Curves):
        return curves.answer(release, places)
    if isinstance(release, negative_type.Interactive):
        return release.answer_all(places)[0]
    release.params.metric.box.admitted(places)
    return any_metric.answer(release, places)


def projections(n: int) -> int:
    """How many random lines: as many as keep the projected records small, at most ``LINES``.

    >>> projections(1000), projections(10**6)
    (1000, 16)
    """
    return max(16, min(LINES, ROWS // n))


def _euclidean_mechanisms(
    read: frames.Table | readings.Reading,
    public: dict[str, Any],
    curator: Curator | None,
    seed: int,
) -> list[Mechanism]:
    """Levy's field, projections, and in one column the release of l1, which is the same metric.

    Levy's field asks the records again at each query, so it is for records in memory.
    """
    lower, upper = public["lower"], public["upper"]
    budget: dict[str, Any] = {"epsilon": public["epsilon"], "delta": public["delta"]}
    metric: Any = metrics.norm(lower, upper, unit=False)
    mechanisms = []
    if isinstance(read, frames.Table):
        mechanisms = _levy_mechanisms(read.values, read.n, metric, budget, curator, everything=None)
    if read.d == 1:
        return [*mechanisms, l1_mechanism(read, public, curator)]
    size = johnson_lindenstrauss.Params(
        d=read.d, target=projections(read.n), lower=lower, upper=upper
    )
    embedding: Any = size.draw(rng=seed)  # public: the records have no part in it
    asks = any_metric.Params(n=read.n, metric=metric, embedding=embedding, **budget)
    projected = Mechanism(
        name="random projections",
        params=asks,
        bound=partial(_euclidean_bound, asks, read.d),
        release=partial(_release_projected, read, asks),
    )
    return [*mechanisms, projected]


def _release_projected(
    read: frames.Table | readings.Reading, params: any_metric.Params, curator: Any
) -> any_metric.Release:
    data = readings.summed(read, any_metric.statistic, params, curator)
    return any_metric.release(data, params, curator)


def _levy_mechanisms(
    data: Any,
    n: int,
    metric: Any,
    budget: dict[str, Any],
    curator: Curator | None,
    *,
    everything: NDArray | None,
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
    bound = partial(_levy_bound, asks)
    return [Mechanism(name="Levy's field", params=asks, bound=bound, release=release)]


def _finite(
    points: Any,
    metric: metrics.Table,
    make: type[R],
    *,
    epsilon: float | None,
    delta: float | None,
    curator: Curator | None,
    rng: checks.Seed | None,
) -> R:
    """From a noisy histogram of the metric's points, or noise on all answers."""
    amount, rare = payment.budget_of(curator, rng, epsilon=epsilon, delta=delta)
    budget: dict[str, Any] = {"epsilon": amount, "delta": rare}
    read = readings.names("points", points)
    params = finite_metric.Params(n=1, metric=metric, queries=metric.points, **budget)
    data = readings.summed_names(read, _at_points, params, curator)
    mechanisms = []
    if isinstance(read, readings.Names):
        data = _at_points(Records(read.values), params)
        code = {label: i for i, label in enumerate(metric.names)}
        codes = np.array([code[str(label)] for label in read.values])
        everything = metric.points
        mechanisms = _levy_mechanisms(codes, read.n, metric, budget, curator, everything=everything)
    n = read.n
    for method, name in (("histogram", "a histogram"), ("joint", "noise on all answers")):
        asks = finite_metric.Params(
            n=n, metric=metric, queries=metric.points, method=method, **budget
        )
        bound = partial(_finite_bound, asks)
        release = partial(finite_metric.release, data, asks)
        mechanisms.append(Mechanism(name=name, params=asks, bound=bound, release=release))
    mechanism, chosen = least(mechanisms)
    terms = Terms(
        title=f"average distances among {len(metric.names)} points",
        n=n,
        unit="(unit of the metric), at every point at once",
        params=mechanism.params,
        bound=mechanism.bound,
        chosen=chosen,
        epsilon=amount,
        delta=rare,
    )
    return settled(terms, curator, rng, mechanism.release, make)


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


def _levy_bound(params: negative_type.Params, beta: float) -> float:
    return negative_type.error_bound(replace(params, beta=beta))


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
