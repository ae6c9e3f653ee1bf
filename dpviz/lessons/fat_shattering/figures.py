"""The errors of lesson 08: small databases and a histogram; and where they are worth it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpviz.drawing import style
from dpviz.drawing.errors import (
    ErrorAxes,
    Exponent,
    Line,
    Vacuous,
    linear,
    log,
    measured,
    trials_said,
)
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.drawing.winners import Winners, draw_winners, edges, winners
from dpviz.lessons.fat_shattering import experiments
from dpviz.papers.fat_shattering import baselines, lower_bounds, net_mechanism, small_databases
from dpviz.sweeps.sweep import Sweep

DRAWN = ("error", "histogram_error", "bound")  # of the release


@still
def figure_rows(sweep: Sweep, k: int, mode: str = "notebook") -> Figure:
    """Error of a few random rows against their number.

    Parameters
    ----------
    sweep : of `small_databases.trial` over ``rows``
    k : number of queries
    """
    rows = np.array(sweep.axes["rows"], dtype=float)
    fitted = sweep.slope("error", rng=0)
    bound = [
        small_databases.error_bound_sampled(small_databases.Params(rows=int(m), beta=0.05), k=k)
        for m in sweep.axes["rows"]
    ]
    middle = float(np.median(sweep["error"][2]))
    axes = ErrorAxes(
        log("m, rows", rows[0] * 0.8, rows[-1] * 1.2),
        log("largest error, share of the people", 0.005, 7),
        Vacuous(),
    )
    lines = [
        measured("measured", "released", rows, sweep["error"]),
        Line("proved bound", "bound", rows, bound),
    ]
    return axes.figure(
        f"{style.number(rows[2])} rows answer all {k} queries to within {style.number(middle)}",
        f"relative error; {trials_said(sweep.repeats, 'random small databases')}; β = 0.05",
        lines,
        alt=f"Largest error against rows, {style.number(rows[0])} to {style.number(rows[-1])}, "
        f"log-log: measured slope {style.fixed(fitted.value)} "
        f"{style.interval(fitted.low, fitted.high)}, predicted −0.5; proved bound "
        f"{style.number(bound[0])} to {style.number(bound[-1])}, above the measured.",
        mode=mode,
        exponent=Exponent(fitted, -0.5, width=5),
    )


def best_rows(total: float, method: str) -> int:
    """Rows with the least proved bound: a public choice."""
    bounds = {
        m: net_mechanism.error_bound(
            net_mechanism.Params(epsilon=1.0, rows=m, method=method),
            queries=experiments.queries(),
            total=total,
        )
        for m in experiments.ROWS
    }
    return min(bounds, key=bounds.get)


def chosen(sweep: Sweep, method: str, field: str) -> np.ndarray:
    """Relative errors at the publicly best rows; array (totals, repeats)."""
    swept = sweep.select(method=method)
    return np.array(
        [
            swept.select(rows=best_rows(total, method), people_in_all=total)[field] / total
            for total in swept.axes["people_in_all"]
        ]
    )


def paper_rates(totals: np.ndarray) -> list[float]:
    """The rate of the introduction, as a share of the people."""
    params = net_mechanism.Params(epsilon=1.0, rows=1)
    size = {"k": experiments.K, "cells": experiments.CELLS}
    return [net_mechanism.paper_rate(params, **size, total=t) / t for t in totals]


def without_data() -> float:
    """Largest error of a uniform table on the data of the release, as a share of the people."""
    people = experiments.people(experiments.TOTALS[-1])
    gaps = experiments.queries() @ (people - people.mean())
    return float(np.abs(gaps).max() / experiments.TOTALS[-1])


@still
def figure_release(sweep: Sweep, mode: str = "notebook") -> Figure:
    """The error figure: the exponential mechanism against a noisy histogram, by number of people.

    Parameters
    ----------
    sweep : over method, rows and people, as `experiments.released`
    """
    totals = np.array(sweep.axes["people_in_all"], dtype=float)
    ours, histogram, bound = (chosen(sweep, "corrected", field) for field in DRAWN)
    as_stated = chosen(sweep, "as stated", "error")
    ends = [style.number(np.median(x[-1])) for x in (bound, as_stated, ours, histogram)]
    ratio = float((np.median(ours, axis=1) / np.median(histogram, axis=1)).max())
    axes = ErrorAxes(
        log("people", 8, 3800),
        log("largest error, share of the people", 5e-4, 30),
        Vacuous(without_data(), "a uniform table does as well"),
    )
    lines = [
        measured("exponent ε/2", "released", totals, ours),
        measured("Laplace histogram", "baseline", totals, histogram),
        measured("exponent ε/4,\nas stated", "other", totals, as_stated),
        Line("proved bound", "bound", totals, bound[:, 0]),
        Line("paper's rate", "rate", totals, paper_rates(totals), smooth=True),
    ]
    return axes.figure(
        f"A histogram is up to {style.number(ratio)} times as accurate",
        f"six cells, {experiments.K} queries, ε = 1, rows chosen by the bound; "
        f"{trials_said(sweep.repeats, 'releases')}",
        lines,
        alt=f"Relative error against people, 10 to 3000, log-log. At 3000: proved bound {ends[0]}, "
        f"exponent as stated {ends[1]}, corrected exponent {ends[2]}, Laplace histogram {ends[3]}. "
        "The bound is vacuous at few people.",
        mode=mode,
    )


@still
def figure_points(
    cells: Sequence[int], errors: ArrayLike, *, epsilon: float, mode: str = "notebook"
) -> Figure:
    """Point queries: dimension 1, and the log of the cells is real.

    Parameters
    ----------
    cells : numbers of cells
    errors : array (len(cells), repeats), largest error of a noisy histogram
    """
    cells = np.asarray(cells, dtype=float)
    beta = 0.05
    below = [lower_bounds.lower_bound_points(int(n), epsilon=epsilon, beta=beta) for n in cells]
    above = -np.log1p(-((1 - beta) ** (1 / cells))) / epsilon
    flat = lower_bounds.paper_lower_rate(0.5, 1, epsilon=epsilon)  # they shatter one point
    axes = ErrorAxes(
        log("cells", cells[0] * 0.8, cells[-1] * 1.25),
        linear("largest error, people", -0.06 * float(above[-1]), float(1.25 * above[-1])),
    )
    lines = [
        Line("its proved bound", "bound", cells, above),
        measured("Laplace histogram", "released", cells, errors),
        Line("any private\nanswer: at least\n(proved)", "bound", cells, below),
        Line("rate of Theorem 2", "rate", cells, np.full(len(cells), flat), smooth=True),
    ]
    return axes.figure(
        "Error must grow with the logarithm of the cells",
        f"ε = {style.number(epsilon)}, β = 0.05; {trials_said(np.shape(errors)[1], 'tables')}",
        lines,
        alt=f"Largest error in people against {style.number(cells[0])} to "
        f"{style.number(cells[-1])} cells: Laplace histogram, its proved bound "
        f"{style.number(above[0])} to {style.number(above[-1])}, and a proved limit for every "
        f"private answer, {style.number(below[0])} to {style.number(below[-1])}. The dimension is "
        f"1 throughout, the rate of Theorem 2 {style.number(flat)}.",
        mode=mode,
    )


TOTALS = np.geomspace(30, 1e6, 28)
CELLS = np.geomspace(4, 4.0**13, 25)
MAP_K = 1000
TRIED = np.unique(np.geomspace(1, 3000, 40).astype(int))


def small_bound(totals: np.ndarray, cells: int, k: int) -> np.ndarray:
    """Proved errors of the exponential mechanism at the rows with the least bound; public total."""
    etas = [
        small_databases.error_bound_any(small_databases.Params(rows=m), k=k, cells=cells)
        for m in TRIED.tolist()
    ]
    paid = [
        net_mechanism.error_bound_noise(
            net_mechanism.Params(epsilon=1.0, rows=m, total=1.0), cells=cells
        )
        for m in TRIED.tolist()
    ]
    return (np.multiply.outer(np.asarray(totals), etas) + paid).min(axis=-1)


def compare() -> Winners:
    """Who has the least proved bound, over people and cells, for a thousand queries at ε = 1."""
    ours = np.array([small_bound(TOTALS, int(n), MAP_K) for n in CELLS])
    replaced, one_more = (baselines.Params(epsilon=1.0, l1_distance=d) for d in (2.0, 1.0))
    histogram = [
        [baselines.error_bound_histogram(replaced, cells=int(n), k=MAP_K)] * len(TOTALS)
        for n in CELLS
    ]
    each = np.full(ours.shape, baselines.error_bound_laplace(one_more, k=MAP_K))
    public = {
        ("small database", "released"): ours,
        ("Laplace histogram", "baseline"): np.array(histogram),
        ("noise on each answer", "baseline2"): each,
    }
    return winners(TOTALS, CELLS, public, np.broadcast_to(TOTALS / 2, ours.shape))


@still
def figure_winners(result: Winners, mode: str = "notebook") -> Figure:
    """The map of proved bounds."""
    shares = {name: result.share(name) for name in result.names}
    fig, ax = style.figure(
        "Small databases are best in a strip and a corner",
        f"least proved bound; {style.number(MAP_K)} queries, ε = 1, β = 0.05; public total",
        alt=f"Map over people and cells. Share of the map won: small database "
        f"{style.number(shares['small database'])}, Laplace histogram "
        f"{style.number(shares['Laplace histogram'])}, noise on each answer "
        f"{style.number(shares['noise on each answer'])}; nothing beats half the total on "
        f"{style.number(result.share(None))}.",
        mode=mode,
        grid=False,
        gutter=False,
    )
    xs = edges(result.x)
    ys = edges(result.y)
    style.log_axis(ax, "x", xs[0], xs[-1])
    style.log_axis(ax, "y", ys[0], ys[-1])
    draw_winners(ax, result, nothing="nothing beats “half of all”")
    style.axis_titles(ax, "people (log scale)", "cells (log scale)")
    return fig


@still
def figure_crossover(total: float, cells: int, mode: str = "notebook") -> Figure:
    """Error against the number of queries: rates as the paper quotes them, and proved bounds."""
    k = np.geomspace(10, 1e7, 60)
    meet = baselines.crossover(total)
    lines = crossing_lines(k, total, cells)
    proved, each = (line.y for line in lines[:2])
    lost = style.number(float(k[np.argmax(each > total)]))
    axes = ErrorAxes(
        log("k, queries", 8, 1.2e7),
        log("error, people", 10, 10 * total),
        # a count lies in [0, total], so half of it is never further off
        Vacuous(total / 2, "half of all does as well", side="left"),
    )
    fig = axes.figure(
        "The rates cross; the proved bounds lie far above",
        f"{style.number(total)} people, {style.number(cells)} cells, ε = 1; bounds with β = 0.05",
        lines,
        alt=f"Error in people against the number of queries, 10 to 10⁷, log-log. Proved: noise on "
        f"each answer grows with k and exceeds the total from {lost} queries on; "
        f"small database {style.number(proved[0])} to {style.number(proved[-1])}. "
        f"Rates meet near {style.number(meet)}.",
        mode=mode,
    )
    ax = fig.axes[0]
    words = f"rates meet at {style.number(meet)}"
    ax.plot([meet, meet], [10, total / 2], **style.line("lattice", mode))
    style.note(ax, meet, 10, words, "muted", dx=4, dy=6, va="bottom")
    return fig


def crossing_lines(k: np.ndarray, total: float, cells: int) -> list[Line]:
    """Two proved bounds, and the two rates that the introduction compares, with the constant 1."""
    small = net_mechanism.Params(epsilon=1.0, rows=1, total=total)
    laplace = baselines.Params(epsilon=1.0)
    proved = [float(small_bound(total, cells, int(q))) for q in k]
    each = [baselines.error_bound_laplace(laplace, k=int(q)) for q in k]
    ours = [net_mechanism.paper_rate(small, k=int(q), cells=cells) for q in k]
    theirs = [baselines.paper_rate(laplace, k=int(q), cells=cells) for q in k]
    return [
        Line("small database,\nproved", "bound", k, proved, smooth=True),
        Line("noise on each\nanswer, proved", "baseline", k, each, smooth=True),
        Line("its rate", "rate", k, ours, smooth=True),
        Line("√k rate of Hardt\nand Talwar", "other", k, theirs, smooth=True),
    ]
