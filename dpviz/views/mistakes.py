"""Pictures of how many looks the learner needs (lesson 02)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from dpviz.base.slope import Slope
from dpviz.base.sweep import Sweep
from dpviz.papers.distance import adversary, mistakes
from dpviz.papers.distance.learner import Run
from dpviz.views import style
from dpviz.views.style import Figure


def figure_rectangles(runs: Mapping[str, tuple[Run, Any]], alpha: float, mode="notebook") -> Figure:
    """Each pair of neighbouring looks owns a rectangle; how many fit into the box?

    Parameters
    ----------
    runs : dict from the panel's name to (run, slope function)
    alpha : each area is larger than this
    """
    counts = [run.mistakes for run, _ in runs.values()]
    fig, axes = style.figure(
        "Every rectangle is larger than α, so few fit",
        f"slope of G between neighbouring looks; the box is 2 × 1; α = {style.number(alpha)}",
        alt="Boxes 1 wide (place) and 2 tall (slope), a staircase of rectangles in each. Looks: "
        f"{', '.join(map(str, counts))}; proved limit {mistakes.mistake_bound(alpha)}.",
        mode=mode,
        columns=len(runs),
        names=[f"{name}: {count} looks" for name, count in zip(runs, counts, strict=True)],
    )
    for ax, (run, slope) in zip(axes, runs.values(), strict=True):
        draw_rectangles(ax, run, slope)
    style.axis_titles(axes[-1], "place y")
    return fig


def draw_rectangles(ax: Axes, run: Run, slope: Any) -> None:
    """The staircase of one run: steps in place and in slope, and the smallest area."""
    y = np.sort(run.queries[run.missed])
    g = slope(y)
    colour = style.ROLES["bound"].colour
    for place, height, wide, tall in zip(y[:-1], g[:-1], np.diff(y), np.diff(g), strict=True):
        box = (place, height), wide, tall
        ax.add_patch(Rectangle(*box, fc=colour, alpha=0.16, lw=0, zorder=2))
        ax.add_patch(Rectangle(*box, fill=False, ec=colour, lw=1.1, zorder=5))
    ax.plot(y, g, **style.points("released", ax.get_figure(root=True).mode))
    style.linear_axis(ax, "x", 0, 1, [0.2, 0.4, 0.6, 0.8])
    style.linear_axis(ax, "y", -1.08, 1.08, [-1, -0.5, 0, 0.5, 1])
    words = f"smallest area {style.number(np.min(np.diff(y) * np.diff(g)))}"
    style.note(ax, 0.97, 0.05, words, "bound", at="axes", ha="right", va="bottom")


def figure_mistakes(
    sweep: Sweep, forced: Sequence[int], slope: Slope, what: str, mode: str = "notebook"
) -> Figure:
    """Looks against alpha: measured, forced, and what is proved and printed.

    Parameters
    ----------
    sweep : over alpha (ascending), with fields ``mistakes`` and ``bound``
    forced : looks on the worst data, for each alpha
    slope : fitted exponent of ``forced``
    what : the measured data in a word or two
    """
    smallest = sweep.axes["alpha"][0]
    bound, measured = (sweep.quantile(field)[0] for field in ("bound", "mistakes"))
    fig, ax = style.figure(
        "Halving α costs 1.4 times the looks, not twice",
        f"{what}: median and 5–95 % of {sweep.repeats} random orders of 1\u202f000 questions",
        alt="Log-log chart of looks against alpha. At the smallest alpha, from the top: paper's "
        f"bound {mistakes.paper_bound(smallest):.0f}, proved bound {bound:.0f} (attained by the "
        f"worst data), any learner {adversary.lower_bound(smallest)}, measured {measured:.0f}. "
        f"Fitted slope {style.fixed(slope.value)}.",
        mode=mode,
    )
    style.base2_axis(ax, "x", sweep.axes["alpha"])
    style.log_axis(ax, "y", 0.8, 7000)
    style.vacuous_zone(ax, 1000, "vacuous: only 1\u202f000 questions are asked")
    draw_mistakes(ax, sweep, forced, what)
    style.slope_triangle(ax, slope.value, (slope.low, slope.high), -0.5, width=8)
    style.axis_titles(ax, "α, tolerated error (log scale)", "looks (log scale)")
    return fig


def draw_mistakes(ax: Axes, sweep: Sweep, forced: Sequence[int], what: str) -> None:
    """The lines of :func:`figure_mistakes` and their names."""
    mode, alphas = ax.get_figure(root=True).mode, np.array(sweep.axes["alpha"])
    measured, bound = sweep.quantile("mistakes"), sweep.quantile("bound")
    paper = [mistakes.paper_bound(a) for a in alphas]
    lower = np.array([adversary.lower_bound(a) for a in alphas])
    style.band(ax, alphas, sweep.quantile("mistakes", 0.05), sweep.quantile("mistakes", 0.95))
    ax.plot(alphas, measured, **style.line("released", mode))
    ax.plot(alphas, bound, **style.line("bound", mode))
    ax.plot(alphas, forced, **style.points("event", mode) | {"marker": "o", "ms": 6, "mew": 0.9})
    ax.plot(alphas, paper, **style.line("paper", mode))
    ax.plot(alphas[lower > 0], lower[lower > 0], **style.line("bound", mode, marker=False))
    names = [
        (paper[-1], "paper's bound\n3/√α", "paper"),
        (bound[-1], "proved bound, and\nworst data (forced)", "bound"),
        (measured[-1], f"measured, {what}", "released"),
        (lower[-1], "proved: any learner\nmust err as often", "bound"),
    ]
    style.label_ends(ax, [(alphas[-1], *name) for name in names])


def figure_columns(counts: Mapping[tuple[str, float], Sequence[int]], mode="notebook") -> Figure:
    """Every column of the real sets: looks, and how far they stay below the bounds.

    Parameters
    ----------
    counts : dict from (name of the set, alpha) to the looks of each of its columns
    """
    shares = [max(looks) / mistakes.mistake_bound(alpha) for (_, alpha), looks in counts.items()]
    said = "; ".join(f"{name}, α {a}: {min(v)} to {max(v)}" for (name, a), v in counts.items())
    fig, ax = style.figure(
        f"Real columns need at most {style.number(100 * max(shares))} % of the bound",
        "one dot a column: the largest of three orders; square: proved; diamond: paper, 3/√α",
        alt=f"Looks of each column, in four rows. {said}. Bounds stand to the right of all dots.",
        mode=mode,
    )
    style.linear_axis(ax, "x", 0, 100)
    style.linear_axis(ax, "y", len(counts) - 0.5, -0.7, [])
    for row, ((_, alpha), looks) in enumerate(counts.items()):
        ax.axhline(row, **style.line("lattice", mode))
        _dots_in_a_row(ax, row, looks, mode)
        ax.plot([mistakes.mistake_bound(alpha)], [row], **style.points("bound", mode) | {"ms": 7})
        ax.plot([mistakes.paper_bound(alpha)], [row], **style.points("paper", mode) | {"ms": 6})
    names = [(100, i, f"{name}\nα = {a}", "public") for i, (name, a) in enumerate(counts)]
    style.label_ends(ax, names)
    style.axis_titles(ax, "looks")
    return fig


def _dots_in_a_row(ax: Axes, row: int, looks: Sequence[int], mode: str) -> None:
    """One dot for each column, stacked upwards where counts are equal."""
    values, repeats = np.unique(looks, return_counts=True)
    for value, times in zip(values, repeats, strict=True):
        heights = row - 0.05 * np.arange(times)
        ax.plot([value] * times, heights, **style.points("released", mode) | {"ms": 4, "mew": 0.4})


def figure_dimension(sweep: Sweep, alpha: float, mode: str = "notebook") -> Figure:
    """Looks of tangent planes and of one learner per coordinate, against the dimension.

    Parameters
    ----------
    sweep : over ``d``, with the fields of :func:`dpviz.papers.distance.planes.trial`
    alpha : tolerated error of the sum
    """
    d = np.array(sweep.axes["d"])
    planes, parts = sweep.quantile("planes"), sweep.quantile("coordinates")
    growth = (planes[-1] / planes[0]) ** (1 / (d[-1] - d[0]))
    fig, ax = style.figure(
        f"Each dimension costs planes {style.number(growth)} times the looks",
        f"20\u202f000 uniform questions, α = {style.number(alpha)}, records spread evenly",
        alt=f"Looks against dimension {d[0]} to {d[-1]}. Tangent planes "
        f"{', '.join(style.number(v) for v in planes)}; one learner per coordinate "
        f"{', '.join(style.number(v) for v in parts)}.",
        mode=mode,
    )
    style.linear_axis(ax, "x", d[0] - 0.2, d[-1] + 0.2, list(d))
    style.log_axis(ax, "y", 2, 140_000)
    style.vacuous_zone(ax, 20_000, "vacuous: only 20\u202f000 questions are asked", side="left")
    draw_dimension(ax, sweep)
    style.axis_titles(ax, "d, coordinates", "looks (log scale)")
    return fig


def draw_dimension(ax: Axes, sweep: Sweep) -> None:
    """The lines of :func:`figure_dimension` and their names."""
    mode, d = ax.get_figure(root=True).mode, sweep.axes["d"]
    names = []
    for field, role, words in (
        ("planes", "released", "tangent planes"),
        ("planes_bound", "bound", "proved, planes"),
        ("coordinates", "baseline", "one learner\nper coordinate"),
        ("coordinates_bound", "bound", "proved, coordinates"),
    ):
        looks = sweep.quantile(field)
        ax.plot(d, looks, **style.line(role, mode))
        names.append((d[-1], looks[-1], words, role))
    style.off_scale(ax, d, sweep.quantile("planes_bound"), "bound")
    style.label_ends(ax, names)
