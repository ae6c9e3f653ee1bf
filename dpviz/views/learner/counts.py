"""Pictures of how many mistakes the learner makes (lesson 02)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Rectangle

from dpviz.papers.distance_queries.learner import mistake_bounds
from dpviz.papers.distance_queries.learner.convex_learner import Run
from dpviz.sweeps.sweep import Sweep
from dpviz.views import style
from dpviz.views.style import Figure

Slope: TypeAlias = Callable[[np.ndarray], np.ndarray]


def figure_rectangles(
    runs: Mapping[str, tuple[Run, Slope]], alpha: float, mode="notebook"
) -> Figure:
    """Each pair of neighbouring mistakes owns a rectangle; how many fit into the box?

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
        f"{', '.join(map(str, counts))}; proved limit {mistake_bounds.mistake_bound(alpha)}.",
        mode=mode,
        columns=len(runs),
        names=[f"{name}: {count} looks" for name, count in zip(runs, counts, strict=True)],
    )
    for ax, (run, slope) in zip(axes, runs.values(), strict=True):
        places = np.sort(run.queries[run.missed])
        draw_rectangles(ax, places, slope(places))
        style.linear_axis(ax, "x", 0, 1, [0.2, 0.4, 0.6, 0.8])
        style.linear_axis(ax, "y", -1.08, 1.08, [-1, -0.5, 0, 0.5, 1])
    style.axis_titles(axes[-1], "place y")
    return fig


def draw_rectangles(ax: Axes, places: np.ndarray, slopes: np.ndarray) -> None:
    """The staircase of mistakes, sorted: steps in place and in slope, and the smallest area."""
    colour = style.ROLES["bound"].colour
    wide, tall = np.diff(places), np.diff(slopes)
    corners = zip(places[:-1], slopes[:-1], wide, tall, strict=True)
    boxes = [Rectangle((place, slope), w, h) for place, slope, w, h in corners]
    ax.add_collection(PatchCollection(boxes, fc=colour, alpha=0.16, lw=0, zorder=2))
    ax.add_collection(PatchCollection(boxes, fc="none", ec=colour, lw=1.1, zorder=5))
    ax.plot(places, slopes, **style.points("released", ax.get_figure(root=True).mode))
    if len(boxes):
        words = f"smallest area {style.number(np.min(wide * tall))}"
        style.note(ax, 0.97, 0.05, words, "bound", at="axes", ha="right", va="bottom")


def figure_columns(counts: Mapping[tuple[str, float], Sequence[int]], mode="notebook") -> Figure:
    """Every column of the real sets: mistakes, and how far they stay below the bounds.

    Parameters
    ----------
    counts : dict from (name of the set, alpha) to the mistakes of each of its columns
    """
    shares = [
        max(mistakes) / mistake_bounds.mistake_bound(alpha)
        for (_, alpha), mistakes in counts.items()
    ]
    said = "; ".join(f"{name}, α {a}: {min(v)} to {max(v)}" for (name, a), v in counts.items())
    fig, ax = style.figure(
        f"Real columns need at most {style.number(100 * max(shares))} % of the bound",
        "one dot a column: the largest of three orders; square: proved; diamond: paper, 3/√α",
        alt=f"Looks of each column, in four rows. {said}. Bounds stand to the right of all dots.",
        mode=mode,
    )
    style.linear_axis(ax, "x", 0, 100)
    style.linear_axis(ax, "y", len(counts) - 0.5, -0.7, [])
    for row, ((_, alpha), mistakes) in enumerate(counts.items()):
        ax.axhline(row, **style.line("lattice", mode))
        _dots_in_a_row(ax, row, mistakes, mode)
        ax.plot(
            [mistake_bounds.mistake_bound(alpha)], [row], **style.points("bound", mode) | {"ms": 7}
        )
        paper = mistake_bounds.paper_bound(mistake_bounds.Params(alpha=alpha))
        ax.plot([paper], [row], **style.points("paper", mode) | {"ms": 6})
    names = [(100, i, f"{name}\nα = {a}", "public") for i, (name, a) in enumerate(counts)]
    style.label_ends(ax, names)
    style.axis_titles(ax, "looks")
    return fig


def _dots_in_a_row(ax: Axes, row: int, mistakes: Sequence[int], mode: str) -> None:
    """One dot for each column, stacked upwards where counts are equal."""
    values, repeats = np.unique(mistakes, return_counts=True)
    for value, times in zip(values, repeats, strict=True):
        heights = row - 0.05 * np.arange(times)
        ax.plot([value] * times, heights, **style.points("released", mode) | {"ms": 4, "mew": 0.4})


def figure_dimension(sweep: Sweep, alpha: float, mode: str = "notebook") -> Figure:
    """Mistakes of tangent planes and of one learner per coordinate, against the dimension.

    Parameters
    ----------
    sweep : over ``d``, with the fields of ``learner.tangent_planes.trial``
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
        mistakes = sweep.quantile(field)
        ax.plot(d, mistakes, **style.line(role, mode))
        names.append((d[-1], mistakes[-1], words, role))
    style.off_scale(ax, d, sweep.quantile("planes_bound"), "bound")
    style.label_ends(ax, names)
