"""T18: how each mechanism's work grows with n, d, k, the universe and the degree.

Each curve is measured at a few sizes, and its slope is that of the line through them, log-log. It
may be below what the algorithm should have, where what is done once still counts at these sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from distance import seconds

import dpviz
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet
from dpviz.papers.smooth_queries import release as moments
from dpviz.papers.sparse_queries import baselines, mwem, plan
from dpviz.papers.sparse_queries.queries import Batch, Query

CURVES = Path(__file__).with_name("curves.svg")
ABOVE = 0.15  # of a slope, before it is too steep
UNIT: dict[str, Any] = {"lower": 0, "upper": 1, "epsilon": 1.0, "delta": 1e-6}
BOX: dict[str, Any] = {"bounds": (0, 1), "epsilon": 1.0, "delta": 1e-6, "rng": 1}
Job = Callable[[], object]


def rows(n: int, d: int) -> np.ndarray:
    """Records in the unit cube, a third of them in a small ball."""
    rng = np.random.default_rng(0)
    data = rng.uniform(size=(n, d))
    data[: n // 3] = np.clip(rng.normal(0.5, 0.01, (n // 3, d)), 0, 1)
    return data


def all_distances(module: Any, *, n: int = 20_000, d: int = 1) -> Job:
    """A release of all l1 distances."""
    delta = {"delta": 0.0} if module is haar_wavelet else {}
    data, params = rows(n, d), curves.Params(n=n, d=d, **UNIT | delta)
    return lambda: module.release(data, params, params.curator(rng=0))


def their_answers(*, k: int) -> Job:
    """Answers from such a release."""
    found, queries = all_distances(average_sign, d=2)(), rows(k, 2)
    return lambda: curves.answer(found, queries)


def one_by_one(*, n: int = 20_000, d: int = 1, k: int = 1000) -> Job:
    """Huang and Roth's mechanism, whose records are sorted beforehand."""
    params = l1.Params(n=n, d=d, k=k, **UNIT)
    data, queries = curves.prepare(rows(n, d), params), rows(k, d)

    def ask() -> None:
        distances = l1.Interactive(data, params, params.curator(rng=0))
        for query in queries:
            distances.answer(query)

    return ask


def euclidean(*, n: int = 20_000, d: int = 2, k: int = 0) -> Job:
    """Euclidean distances: a release, or answers of Levy's field at k new places."""
    delta = 1e-6 if k else None
    call = partial(dpviz.distances, rows(n, d), metric="euclidean", **BOX | {"delta": delta})
    return lambda: call().answer(rows(k, d)) if k else call()


def of_names(release: Any, *, k: int = 1000, universe: int = 10**5) -> Job:
    """Sparse queries about names out of a universe that nobody lists."""
    rng = np.random.default_rng(0)
    data = rng.integers(universe, size=10_000)
    batch = Batch([Query(np.unique(rng.integers(universe, size=10))) for _ in range(k)])
    params: Any = plan.Params(epsilon=1.0, m=10, k=k)
    if release is mwem.release:
        params = mwem.Params(epsilon=1.0, m=10, size=universe)
        release = partial(release, vocabulary=range(universe))
    return lambda: release(data, params, params.curator(rng=0), queries=batch)


def summary(*, n: int = 10**5, d: int = 2, degree: int = 8) -> Job:
    """A summary of smooth queries."""
    params = moments.Params(d=d, terms=degree, **UNIT)
    data = rows(n, d)
    return lambda: moments.release(data, params, params.curator(rng=0))


def kernels(*, k: int) -> Job:
    """Kernel queries from such a summary."""
    found, places = dpviz.smooth_summary(rows(10_000, 2), terms=8, **BOX), rows(k, 2)
    return lambda: found.kernels(places, width=0.3)


def ball(*, n: int = 6000, d: int = 3) -> Job:
    """One cluster, by the solver."""
    return partial(dpviz.one_cluster, rows(n, d), t=n // 4, seed=1, **BOX)


def table(*, k: int = 1000, universe: int = 1000) -> Job:
    """Linear queries on a table of counts, from its noisy cells."""
    rng = np.random.default_rng(0)
    queries, counts = rng.uniform(size=(k, universe)), rng.integers(100, size=universe)
    how = {"method": "histogram", "epsilon": 1.0, "rng": 1}
    return partial(dpviz.linear_queries, counts, queries, **how)


@dataclass(frozen=True)
class Curve:
    """A mechanism, what grows, how far, and the slope that its algorithm should have."""

    what: str
    axis: str
    slope: float
    sizes: tuple[int, ...]
    job: Callable[..., Job]

    def measured(self) -> list[float]:
        """Processor time at each size."""
        return [seconds(self.job(**{self.axis: size}), runs=3) for size in self.sizes]


WIDE, MANY, LARGE = (8, 32, 128), (300, 3000, 30_000), (10**4, 10**5, 10**6)
LAZY = baselines.release_lazy_histogram
EVERY = (
    Curve("all l1 distances", "d", 1, WIDE, partial(all_distances, average_sign)),
    Curve("all l1 distances, pure", "d", 1, WIDE, partial(all_distances, haar_wavelet)),
    Curve("answers of all l1 distances", "k", 1, LARGE, their_answers),
    Curve("l1 distances one by one", "n", 0, LARGE, one_by_one),
    Curve("l1 distances one by one", "d", 1, WIDE, one_by_one),
    Curve("l1 distances one by one", "k", 1, (10**3, 3162, 10**4), one_by_one),
    Curve("Euclidean distances, projected", "n", 1, (10**4, 10**5, 4 * 10**5), euclidean),
    Curve("Euclidean distances, projected", "d", 1, WIDE, euclidean),
    Curve("Levy's field", "k", 3, (500, 1000, 2000), euclidean),
    Curve("the lazy histogram", "k", 1, MANY, partial(of_names, LAZY)),
    Curve("the lazy histogram", "universe", 0, (10**4, 10**6, 10**9), partial(of_names, LAZY)),
    Curve("sparse MWEM", "k", 1, MANY, partial(of_names, mwem.release)),
    Curve("sparse MWEM", "universe", 0, (10**4, 10**6, 10**9), partial(of_names, mwem.release)),
    Curve("a smooth summary", "degree", 2, (32, 64, 128), summary),
    Curve("kernels of a smooth summary", "k", 1, MANY, kernels),
    Curve("one cluster", "n", 1, (6000, 24_000, 96_000), ball),
    Curve("one cluster", "d", 1, (4, 16, 64), ball),
    Curve("linear queries", "k", 1, MANY, table),
    Curve("linear queries", "universe", 1, MANY, table),
)  # fmt: skip


def lines() -> Iterator[dict]:
    """One line a curve, and the picture of all of them."""
    times = [curve.measured() for curve in EVERY]
    for curve, spent in zip(EVERY, times, strict=True):
        slope = float(np.polyfit(np.log(curve.sizes), np.log(spent), 1)[0])
        most = curve.slope + ABOVE
        sizes = f"{curve.sizes[0]:g} to {curve.sizes[-1]:g}"
        what = f"slope in {curve.axis} of {curve.what}, {sizes}; it should be {curve.slope:g}"
        row = {"id": "T18", "what": what, "value": slope, "unit": "slope", "peer": ""}
        yield row | {"target": f"<= {most:g}", "holds": slope <= most}
    draw(times)


def draw(times: list[list[float]]) -> None:
    """A panel for each thing that grows; dotted: as it should grow."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    axes = list(dict.fromkeys(curve.axis for curve in EVERY))
    figure = Figure(figsize=(11.0, 10.0), layout="constrained")
    panels = dict(zip(axes, figure.subplots(2, 3).flat, strict=False))
    for curve, spent in zip(EVERY, times, strict=True):
        panel, sizes = panels[curve.axis], np.array(curve.sizes)
        drawn = panel.loglog(sizes, spent, marker="o", label=curve.what)
        ideal = spent[-1] * (sizes / sizes[-1]) ** curve.slope
        panel.loglog(sizes, ideal, ls=":", color=drawn[0].get_color())
    for axis, panel in panels.items():
        panel.set(xlabel=f"{axis} (log scale)", ylabel="processor time, s (log scale)")
        panel.xaxis.set_minor_formatter("")
        panel.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.16))
    for unused in figure.axes[len(axes) :]:
        unused.remove()
    with rc_context({"svg.fonttype": "none"}):
        figure.savefig(CURVES, metadata={"Date": None})
