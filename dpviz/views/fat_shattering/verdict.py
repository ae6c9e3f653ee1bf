"""When is a small database worth it? The crossover the paper states, and a map of proved bounds."""

from __future__ import annotations

import numpy as np

from dpviz.papers.fat_shattering import baselines, net_mechanism, small_databases
from dpviz.views import style
from dpviz.views.errors import Line, draw_lines
from dpviz.views.style import Figure
from dpviz.views.winners import Winners, draw_winners, edges, winners

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
    known = {
        ("small database", "released"): ours,
        ("noisy table", "baseline"): np.array(histogram),
        ("noise on each answer", "baseline2"): each,
    }
    return winners(TOTALS, CELLS, known, np.broadcast_to(TOTALS / 2, ours.shape))


def figure_winners(result: Winners, mode: str = "notebook") -> Figure:
    """The map of proved bounds."""
    shares = {name: result.share(name) for name in result.names}
    fig, ax = style.figure(
        "The small database wins a strip of the map",
        f"least proved bound; {style.number(MAP_K)} queries, ε = 1, β = 0.05; public total",
        alt=f"Map over people and cells. Share of the map won: small database "
        f"{style.number(shares['small database'])}, noisy table "
        f"{style.number(shares['noisy table'])}, noise on each answer "
        f"{style.number(shares['noise on each answer'])}; nothing beats half the total on "
        f"{style.number(result.share(None))}.",
        mode=mode,
        grid=False,
        gutter=False,
    )
    xs, ys = edges(result.x), edges(result.y)
    style.log_axis(ax, "x", xs[0], xs[-1])
    style.log_axis(ax, "y", ys[0], ys[-1])
    draw_winners(ax, result, nothing="nothing beats “half of all”")
    style.axis_titles(ax, "people (log scale)", "cells (log scale)")
    return fig


def figure_crossover(total: float, cells: int, mode: str = "notebook") -> Figure:
    """Error against the number of queries: rates as the paper quotes them, and proved bounds."""
    k = np.geomspace(10, 1e7, 60)
    meet = baselines.crossover(total)
    proved = [float(small_bound(total, cells, int(q))) for q in k]
    each = [baselines.error_bound_laplace(baselines.Params(epsilon=1.0), k=int(q)) for q in k]
    lost = style.number(float(k[np.argmax(np.array(each) > total)]))
    fig, ax = style.figure(
        "Many questions: one small database answers all",
        f"{style.number(total)} people, {style.number(cells)} cells, ε = 1; bounds with β = 0.05",
        alt=f"Error in people against the number of queries, 10 to 10⁷, log-log. Proved: noise on "
        f"each answer grows with k and exceeds the total from {lost} queries on; "
        f"small database {style.number(proved[0])} to {style.number(proved[-1])}. "
        f"Rates meet near {style.number(meet)}.",
        mode=mode,
    )
    style.log_axis(ax, "x", 8, 1.2e7)
    style.log_axis(ax, "y", 10, 10 * total)
    style.vacuous_zone(ax, total, "vacuous: answers lie in [0, total]", side="left")
    ours = Line("small database,\nproved", "bound", k, proved, smooth=True)
    noise = Line("noise on each\nanswer, proved", "baseline", k, each, smooth=True)
    draw_lines(ax, [ours, noise, *rates(k, total, cells)])
    ax.plot([meet, meet], [10, total], **style.line("lattice", mode))
    style.note(
        ax, meet, 10, f"total^(4/3) = {style.number(meet)}", "muted", dx=4, dy=6, va="bottom"
    )
    style.axis_titles(ax, "k, queries (log scale)", "error, people (log scale)")
    return fig


def rates(k: np.ndarray, total: float, cells: int) -> list[Line]:
    """What the introduction compares, with the constant 1."""
    small = net_mechanism.Params(epsilon=1.0, rows=1, total=total)
    laplace = baselines.Params(epsilon=1.0)
    ours = [net_mechanism.paper_rate(small, k=int(q), cells=cells) for q in k]
    theirs = [baselines.paper_rate(laplace, k=int(q), cells=cells) for q in k]
    return [
        Line("its rate", "rate", k, ours, smooth=True),
        Line("√k rate of Hardt\nand Talwar", "other", k, theirs, smooth=True),
    ]
