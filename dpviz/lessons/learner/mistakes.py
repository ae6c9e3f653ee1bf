"""How many mistakes the learner makes, against alpha and d (lesson 02)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Rectangle

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, Vacuous, doubling, linear, log, measured
from dpviz.drawing.live import View
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.lessons.learner.experiments import Counted
from dpviz.papers.distance_queries.learner import mistake_bounds
from dpviz.papers.distance_queries.learner.convex_learner import Run
from dpviz.sweeps import slope
from dpviz.sweeps.sweep import Sweep

Slope: TypeAlias = Callable[[np.ndarray], np.ndarray]


@still
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
        f"slope of G between neighbouring mistakes; the box is 2 × 1; α = {style.number(alpha)}",
        alt="Boxes 1 wide (place) and 2 tall (slope), rectangles in each, corner to corner. "
        f"Mistakes: {', '.join(map(str, counts))}; proved bound "
        f"{mistake_bounds.mistake_bound(alpha)}.",
        mode=mode,
        columns=len(runs),
        names=[f"{name}: {count} mistakes" for name, count in zip(runs, counts, strict=True)],
    )
    for ax, (run, slope_of) in zip(axes, runs.values(), strict=True):
        places = np.sort(run.queries[run.missed])
        draw_rectangles(ax, places, slope_of(places))
        style.linear_axis(ax, "x", 0, 1, [0.2, 0.4, 0.6, 0.8])
        style.linear_axis(ax, "y", -1.08, 1.08, [-1, -0.5, 0, 0.5, 1])
    style.axis_titles(axes[-1], "place y")
    return fig


def draw_rectangles(ax: Axes, places: np.ndarray, slopes: np.ndarray) -> None:
    """A rectangle for each pair of neighbouring mistakes, and the smallest area.

    Parameters
    ----------
    places, slopes : arrays (m,) of the mistakes, ascending, and the slopes measured there
    """
    colour = style.ROLES["bound"].colour
    wide = np.diff(places)
    tall = np.diff(slopes)
    corners = zip(places[:-1], slopes[:-1], wide, tall, strict=True)
    boxes = [Rectangle((place, slope), w, h) for place, slope, w, h in corners]
    ax.add_collection(PatchCollection(boxes, fc=colour, alpha=0.16, lw=0, zorder=2))
    ax.add_collection(PatchCollection(boxes, fc="none", ec=colour, lw=1.1, zorder=5))
    ax.plot(places, slopes, **style.points("released", ax.get_figure(root=True).mode))
    if len(boxes):
        words = f"smallest area {style.number(np.min(wide * tall))}"
        style.note(ax, 0.97, 0.05, words, "muted", at="axes", ha="right", va="bottom")


@still
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
    words = "; ".join(f"{name}, α {a}: {min(v)} to {max(v)}" for (name, a), v in counts.items())
    fig, ax = style.figure(
        f"Real columns need at most {style.number(100 * max(shares))} % of the bound",
        "one dot a column: the largest of three orders; square: proved; diamond: paper, 3/√α",
        alt=f"Mistakes on each column, in four rows. {words}. All bounds stand to the right.",
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
    style.axis_titles(ax, "mistakes")
    return fig


def _dots_in_a_row(ax: Axes, row: int, mistakes: Sequence[int], mode: str) -> None:
    """One dot for each column, stacked upwards where counts are equal."""
    values, repeats = np.unique(mistakes, return_counts=True)
    for value, times in zip(values, repeats, strict=True):
        heights = row - 0.05 * np.arange(times)
        ax.plot([value] * times, heights, **style.points("released", mode) | {"ms": 4, "mew": 0.4})


@still
def figure_dimension(sweep: Sweep, alpha: float, mode: str = "notebook") -> Figure:
    """Mistakes of tangent planes and of one learner per coordinate, against the dimension.

    Parameters
    ----------
    sweep : over ``d``, with the fields of ``learner.other_learners.trial``
    alpha : tolerated error of the sum
    """
    d = np.array(sweep.axes["d"])
    planes = sweep.quantile("planes")
    parts = sweep.quantile("coordinates")
    growth = (planes[-1] / planes[0]) ** (1 / (d[-1] - d[0]))
    axes = ErrorAxes(
        linear("d, coordinates", d[0] - 0.2, d[-1] + 0.2, list(d)),
        log("mistakes", 2, 140_000),
        # who asks the oracle at each query needs no learner
        Vacuous(20_000, "only 20\u202f000 queries are asked", side="left"),
    )
    lines = [
        measured("tangent planes", "released", d, sweep["planes"]),
        measured("proved, planes", "bound", d, sweep["planes_bound"]),
        measured("one learner\nper coordinate", "baseline", d, sweep["coordinates"]),
        measured("proved, coordinates", "bound", d, sweep["coordinates_bound"]),
    ]
    return axes.figure(
        f"Each dimension multiplies the mistakes by {style.number(growth)}",
        f"20\u202f000 uniform queries, α = {style.number(alpha)}, records spread evenly",
        lines,
        alt=f"Mistakes against dimension {d[0]} to {d[-1]}. Tangent planes "
        f"{', '.join(style.number(v) for v in planes)}; one learner per coordinate "
        f"{', '.join(style.number(v) for v in parts)}.",
        mode=mode,
    )


K = 1000  # queries asked
EXPONENTS = range(-16, -2)  # of the lesson's figure; the explorer goes down to SMALLEST


def counted_axes(exponents: range) -> ErrorAxes:
    """Log-log axes and the zone beyond the number of questions."""
    return ErrorAxes(
        doubling("α, tolerated error", [2.0**i for i in exponents]),
        log("mistakes", 0.8, 7000),
        # who asks the oracle at each query needs no learner
        Vacuous(K, f"only {style.number(K)} queries are asked"),
    )


def paint_counted(fig: Figure, result: Counted) -> None:
    """Measured mistakes with their band, both bounds, the fitted exponent."""
    ax = fig.axes[0]
    runs = result.sweep.repeats
    orders = f"median and 5–95 % of {runs} runs" if runs > 1 else "1 run"
    style.retitle(fig, _title(result), f"{result.what}: {orders} of {style.number(K)} queries")
    draw_counted(ax, result)
    fitted = result.fitted
    style.slope_triangle(ax, fitted.value, (fitted.low, fitted.high), result.predicted, width=8)


def draw_counted(ax: Axes, result: Counted) -> None:
    """The lines and their names."""
    mode = ax.get_figure(root=True).mode
    alphas = np.array(result.sweep.axes["alpha"])
    measured, bound, paper = _medians(result)
    lower = np.array([mistake_bounds.lower_bound(a) for a in alphas])
    low, high = result.sweep.quantile("mistakes", [0.05, 0.95])
    style.band(ax, alphas, low, high)
    ax.plot(alphas, measured, **style.line("released", mode))
    ax.plot(alphas, bound, **style.line("bound", mode))
    ax.plot(alphas, paper, **style.line("paper", mode))
    ax.plot(alphas[lower > 0], lower[lower > 0], **style.line("bound", mode, marker=False))
    names = [
        (paper[-1], "paper's bound", "paper"),
        (bound[-1], "proved bound", "bound"),
        (measured[-1], "measured", "released"),
        (lower[-1], "lower bound\nfor any learner", "bound"),
    ]
    if len(result.forced):
        worst = style.points("event", mode) | {"marker": "o", "ms": 6, "mew": 0.9}
        ax.plot(alphas, result.forced, **worst)
        names[1] = (bound[-1], "proved bound, and\nworst data (forced)", "bound")
    style.label_ends(ax, [(alphas[-1], *name) for name in names if np.isfinite(name[0])])


def _title(result: Counted) -> str:
    """What halving alpha costs, from the fitted exponent."""
    factor = 2**-result.fitted.value
    return f"Halving α multiplies the mistakes by {style.number(factor)}"


def say_counted(result: Counted) -> str:
    """One sentence of reading, from the smallest alpha."""
    measured, bound, paper = (numbers[0] for numbers in _medians(result))
    alpha = result.sweep.axes["alpha"][0]
    fitted = result.fitted
    return (
        f"Mistakes against α, log-log; {result.what}. At α = {_two(alpha)}: paper's "
        f"bound {style.number(paper, 3)}, proved bound {style.number(bound, 3)}, measured "
        f"{style.number(measured, 3)}; any learner can be forced to "
        f"{mistake_bounds.lower_bound(alpha)}."
        f" Fitted slope {style.fixed(fitted.value)} {style.interval(fitted.low, fitted.high)}."
    )


def table_counted(result: Counted) -> list[list[str]]:
    """Five of the alphas: measured median, proved, the paper's."""
    rows = [["α", "measured", "proved", "paper"]]
    fields = _medians(result)
    alphas = result.sweep.axes["alpha"]
    for i in range(0, len(alphas), math.ceil(len(alphas) / 5)):
        numbers = [style.number(field[i], 3) for field in fields]
        rows.append([_two(alphas[i]), *numbers])
    return rows


def _medians(result: Counted) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Measured, proved and the paper's mistakes at each alpha; limits are the same in every run."""
    sweep = result.sweep
    return sweep.quantile("mistakes"), sweep["bound"][:, 0], sweep["paper"][:, 0]


def _two(alpha: float) -> str:
    return style.power(2, round(math.log2(alpha)))


def counted_view(exponents: range) -> View:
    """The view over a range of alpha = 2^exponent."""
    return View(counted_axes(exponents).frame, paint_counted, say_counted, table_counted)


def _paper_bound(alpha: float) -> float:
    """The paper's limit at one alpha."""
    return mistake_bounds.paper_bound(mistake_bounds.Params(alpha=alpha))


@still
def figure_mistakes(
    sweep: Sweep, forced: Sequence[int], fitted: slope.Slope, what: str, mode: str = "notebook"
) -> Figure:
    """The still figure of the lesson; see :class:`Counted`.

    Parameters
    ----------
    sweep : over :data:`EXPONENTS`, with fields ``mistakes`` and ``bound``
    """
    paper = np.array([_paper_bound(alpha) for alpha in sweep.axes["alpha"]])
    values = {**sweep.values, "paper": np.repeat(paper[:, None], sweep.repeats, axis=1)}
    full = Sweep(sweep.axes, sweep.repeats, sweep.header, values)
    return counted_view(EXPONENTS).figure(Counted(what, full, forced, fitted), mode)
