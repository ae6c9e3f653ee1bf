"""The learner at work (lesson 02)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from dpviz.drawing import style
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import FirstOrder, Run, Tangents

GRID = np.linspace(0, 1, 401)
ROW = 0.011  # height of a stacked record, in the unit of the y axis


@still
def figure_question(
    function: FirstOrder, data: np.ndarray, *, what: str, x_title: str, mode: str = "notebook"
) -> Figure:
    """The curve to be learnt, above the records it is the average distance to.

    Parameters
    ----------
    function : has ``value``
    data : array (n,) in [0, 1], drawn as stacked hollow circles
    what : one record in a word, e.g. "bottle"
    """
    lowest = GRID[np.argmin(function.value(GRID))]
    fig, ax = style.figure(
        f"Its average distance says how unusual a {what} is",
        f"average distance to all {len(data)} records, each of which is one {what}",
        alt=f"Curve of average distance against a place from 0 to 1: {_ends(function)}, lowest "
        f"{style.number(function.value(lowest))} at {style.number(lowest)}. "
        f"Below it the {len(data)} records, stacked.",
        mode=mode,
    )
    stacked = np.array(list(_stacks(data)))
    ax.plot(*stacked.T, **style.points("records", mode))
    ax.plot(GRID, function.value(GRID), **style.line("truth", mode))
    _unit_axes(ax, top=0.7)
    style.axis_titles(ax, x_title, "average distance to all records")
    style.label_ends(
        ax,
        [
            (1, float(function.value(1.0)), "truth G\n(private)", "truth"),
            (1, 0.01, "records (private)", "truth"),
        ],
    )
    return fig


@still
def figure_idea(data: Sequence[float], places: Sequence[float], mode: str = "notebook") -> Figure:
    """Left: the mean of V's is convex. Right: every tangent of a convex curve lies below it.

    Parameters
    ----------
    data : a few records in [0, 1]
    places : where the tangents on the right touch
    """
    function = AverageDistance(data)
    fig, (left, right) = style.figure(
        "An average of V's lies above its tangents",
        f"left: distance to each of {len(data)} records; right: {len(places)} tangents of the mean",
        alt=f"Two panels over 0 to 1. Left: {len(data)} V shapes and their mean, which is convex. "
        f"Right: the mean and {len(places)} tangents, nowhere above it.",
        mode=mode,
        columns=2,
        names=["each record is a V", "each tangent, a lower bound"],
    )
    for x in data:
        left.plot(GRID, np.abs(GRID - x), **style.line("truth", mode) | {"lw": 0.8, "alpha": 0.45})
    for y in places:
        height = float(function.value(y))
        slope = float(function.slope(y))
        right.plot(GRID, height + slope * (GRID - y), **style.line("public", mode))
        right.plot([y], [height], **style.points("released", mode))
    for ax in (left, right):
        ax.plot(GRID, function.value(GRID), **style.line("truth", mode))
        _unit_axes(ax, top=1, ticks=[0.2, 0.4, 0.6, 0.8])
    style.note(left, 0.5, float(function.value(0.5)), "their mean", "truth", dy=-12, ha="center")
    style.note(right, 0.66, 0.1, "tangents", "public")
    style.axis_titles(right, "place y")
    return fig


@still
def figure_steps(
    function: FirstOrder,
    run: Run,
    lines: Sequence[tuple[float, float]],
    alpha: float,
    mode="notebook",
) -> Figure:
    """The first five mistakes and the end: the max-affine lower bound grows where it failed.

    Parameters
    ----------
    function : has ``value``
    run, lines : what ``learner.convex_learner.learn`` returned, and the tangents
    """
    places = run.queries[run.missed]
    misses = run.mistakes
    steps = [*range(min(5, misses)), misses]
    fig, axes = style.figure(
        f"The lower bound improves only at its {misses} mistakes",
        f"average distance; {style.number(len(run.queries))} queries, α = "
        f"{style.number(alpha)}; star: off by more than α, a mistake",
        alt="Six steps of learning a curve. The maximum of the tangents starts at zero and is "
        f"raised at {misses} places; at the end it is within {style.number(alpha)} at every query.",
        mode=mode,
        rows=2,
        columns=3,
        names=[f"mistake {t + 1}" if t < misses else f"after {misses} mistakes" for t in steps],
    )
    for ax, t in zip(axes.flat, steps, strict=False):
        draw_step(ax, function, lines[: t + 1], places[t] if t < misses else None)
        _unit_axes(ax, top=0.7, ticks=[0.2, 0.5, 0.8])
    style.axis_titles(axes[1, 2], "place y")
    style.note(axes[0, 0], 0.5, 0.34, "truth", "truth", ha="center")
    style.note(axes[0, 0], 0.5, 0.05, "guess", "released", ha="center")
    style.note(axes[0, 1], 0.97, 0.03, "tangents", "public", ha="right", dy=2)
    return fig


def draw_step(
    ax: Axes, function: FirstOrder, lines: Sequence[tuple[float, float]], miss: float | None
) -> None:
    """Truth, old tangents, the guess (their maximum), and the place where it now fails."""
    mode = ax.get_figure(root=True).mode
    guess = Tangents(lines).predict
    draw_tangents(ax, lines[1:])
    ax.plot(GRID, function.value(GRID), **style.line("truth", mode))
    ax.plot(GRID, guess(GRID), **style.line("released", mode, marker=False))
    if miss is not None:
        height = float(function.value(miss))
        ax.plot([miss, miss], [float(guess(miss)), height], **style.line("truth", mode))
        style.event_star(ax, miss, height)


def draw_tangents(ax: Axes, lines: Sequence[tuple[float, float]]) -> None:
    """Lines over the whole width, public and thin."""
    role = style.ROLES["public"]
    ends = [[(0, intercept), (1, intercept + slope)] for slope, intercept in dict.fromkeys(lines)]
    look = {"colors": role.colour, "linewidths": role.width * style.mode_of(ax).line_scale}
    ax.add_collection(LineCollection(ends, zorder=role.z, **look), autolim=False)


@still
def figure_tent(run: Run, lines: Sequence[tuple[float, float]], mode: str = "notebook") -> Figure:
    """Where Figure 1 fails: a tent, one tangent too high, and no way down."""
    fig, ax = style.figure(
        "Tangents fail on a curve that is not convex",
        f"G(y) = min(y, 1 − y), not convex; asked once at {style.number(run.queries[0])}, "
        f"then {style.number(len(run.queries) - 1)} times at 1: "
        f"{style.number(run.mistakes - 1)} mistakes there",
        alt=f"Tent of height 0.5 over 0 to 1, and one tangent, the diagonal, 1 at the right end "
        f"where the tent is 0. {run.mistakes - 1} further mistakes in {len(run.queries) - 1} "
        "questions there.",
        mode=mode,
    )
    ax.plot(GRID, np.minimum(GRID, 1 - GRID), **style.line("truth", mode))
    ax.plot(GRID, Tangents(lines).predict(GRID), **style.line("released", mode, marker=False))
    ax.plot([1, 1], [0, 1], **style.line("truth", mode) | {"lw": 1.1}, clip_on=False)
    style.event_star(ax, 1, 0)
    style.note(ax, 0.7, 0.6, "learnt on the left slope", "released", ha="right", dy=10)
    style.note(ax, 0.97, 0.5, "off by 1, for ever", ha="right")
    _unit_axes(ax, top=1.05)
    style.axis_titles(ax, "place y", "G(y)")
    ends = [(1, 1, "guess", "released"), (1, 0, "truth G", "truth")]
    style.label_ends(ax, ends)
    return fig


@still
def figure_noisy_oracle(
    function: FirstOrder,
    learnt: dict[str, Sequence[tuple[float, float]]],
    alpha: float,
    error: float,
    mode: str = "notebook",
) -> Figure:
    """Guess minus truth, for exact and for noisy oracles.

    Parameters
    ----------
    learnt : dict from the panel's name to the tangents learnt
    alpha : tolerated error
    error : largest error of the oracle in a value, and in a slope
    """
    truth = function.value(GRID)
    gaps = {name: Tangents(lines).predict(GRID) - truth for name, lines in learnt.items()}
    ends = {name: (_thousandths(gap.min()), _thousandths(gap.max())) for name, gap in gaps.items()}
    words = "; ".join(f"{name}: {low} to {high}" for name, (low, high) in ends.items())
    fig, axes = style.figure(
        "Oracle errors of α/4 lift the guess over the curve",
        f"guess − truth in thousandths, after all queries; α = {style.number(alpha)}",
        alt=f"Guess minus truth in thousandths. {words}. Proved limits "
        f"−{_thousandths(alpha)} and {_thousandths(2 * error)}.",
        mode=mode,
        columns=len(gaps),
        names=list(gaps),
    )
    for ax, gap in zip(axes, gaps.values(), strict=True):
        ax.plot(GRID, 1000 * gap, **style.line("released", mode, marker=False))
        ax.axhline(0, **style.line("truth", mode, marker=False) | {"lw": 1.2})
        for limit in (-alpha, 2 * error):
            ax.axhline(1000 * limit, **style.line("bound", mode, marker=False) | {"lw": 0.9})
        style.linear_axis(ax, "x", 0, 1, [0.2, 0.5, 0.8])
        style.linear_axis(ax, "y", -1500 * alpha, 1000 * alpha)
    style.note(axes[0], 0.02, -1000 * alpha, "−α", "bound", dy=-7)
    style.note(axes[0], 0.02, 2000 * error, "both errors together", "bound", dy=7)
    style.axis_titles(axes[-1], "place y")
    return fig


def _stacks(data: np.ndarray, bins: int = 80) -> Iterator[tuple[float, float]]:
    """Places for records as dots: stacked where they share a bin of the x axis."""
    filled = np.zeros(bins + 1, dtype=int)
    for x in np.sort(data):
        cell = round(float(x) * bins)
        yield cell / bins, ROW * (filled[cell] + 1)
        filled[cell] += 1


def _unit_axes(ax: Axes, top: float, ticks: Sequence[float] | None = None) -> None:
    style.linear_axis(ax, "x", 0, 1, ticks)
    style.linear_axis(ax, "y", 0, top)


def _ends(function: FirstOrder) -> str:
    left, right = (style.number(float(function.value(y))) for y in (0.0, 1.0))
    return f"{left} at the left end, {right} at the right"


def _thousandths(value: float) -> str:
    return style.number(round(1000 * float(value), 3))
