"""The question, the updates, the release and the running example of lesson 03."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.errors import (
    ErrorAxes,
    Exponent,
    Line,
    Vacuous,
    doubling,
    log,
    measured,
    trials_said,
    without_data,
)
from dpviz.drawing.live import View
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.lessons.distance.experiments import GROWERS, bottles, exact_share
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import FirstOrder
from dpviz.papers.distance_queries.releases import average_sign, curves
from dpviz.sweeps.slope import Slope
from dpviz.sweeps.sweep import Sweep

GRID = np.linspace(0, 1, 401)


@still
def figure_question(
    curves: Mapping[str, FirstOrder], place: float, *, x_title: str, mode: str = "notebook"
) -> Figure:
    """Average distance to the records of several archives, and which is lowest at one place.

    Parameters
    ----------
    curves : dict from the archive's name to its function, which has ``value``
    place : the newcomer, in [0, 1]
    """
    heights = {name: float(function.value(place)) for name, function in curves.items()}
    nearest = min(heights, key=heights.get)
    words = ", ".join(f"{name} {style.number(height)}" for name, height in heights.items())
    fig, ax = style.figure(
        f"A newcomer at {style.number(place)} is nearest to {nearest}",
        f"average distance to the bottles of each of {len(curves)} archives; star: the newcomer",
        alt=f"{len(curves)} curves of average distance over 0 to 1. At {style.number(place)} they "
        f"stand at {words}; the lowest is {nearest}.",
        mode=mode,
    )
    ends = []
    for name, function in curves.items():
        height = function.value(GRID)
        ax.plot(GRID, height, **style.line("truth", mode))
        ends.append((1, float(height[-1]), f"{name} (private)", "truth"))
    ax.axvline(place, **style.line("public", mode))
    style.event_star(ax, place, heights[nearest])
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", 0, 0.9)
    style.axis_titles(ax, x_title, "average distance")
    style.label_ends(ax, ends)
    return fig


@still
def figure_updates(
    errors: np.ndarray, updates: np.ndarray, bound: float, allowed: int, mode: str = "notebook"
) -> Figure:
    """Question by question: how wrong the answer was, and which ones were measured.

    Parameters
    ----------
    errors : array (k,), answer minus truth
    updates : int array, numbers of the questions that were measured, from 1
    bound : proved for all k
    allowed : how many may be
    """
    k = len(errors)
    worst = style.number(float(np.abs(errors).max()))
    beyond = int((np.abs(errors) > bound).sum())
    last = int(updates.max(initial=1))
    words = "all answers are" if not beyond else f"all answers but {beyond} are"
    fig, ax = style.figure(
        f"{len(updates)} of {style.number(k)} queries cause an update",
        f"stars: updates, of which {allowed} are allowed; {words} within the proved error",
        alt=f"Answer minus truth against the number of the query, 1 to {style.number(k)}, log "
        f"scale. {len(updates)} stars, all among the first {style.number(last)}. "
        f"The worst answer is off by {worst}, proved {style.number(bound)}.",
        mode=mode,
    )
    _draw_updates(ax, errors, updates, bound)
    style.axis_titles(ax, "query (log scale)", "answer − truth")
    ends = [(k, bound, "proved for all", "bound"), (k, -bound, "proved for all", "bound")]
    style.label_ends(ax, [*ends, (k, float(errors[-1]), "answers", "released")])
    return fig


def _draw_updates(ax: Axes, errors: np.ndarray, updates: np.ndarray, bound: float) -> None:
    """Errors as dots, the proved limits, a star where a question was measured."""
    k = len(errors)
    mode = ax.get_figure(root=True).mode
    style.log_axis(ax, "x", 0.8, 1.3 * k)
    style.linear_axis(ax, "y", -1.6 * bound, 1.6 * bound)
    x = np.arange(1, k + 1)
    ax.plot(x, errors, **style.points("released", mode) | {"ms": 2, "mew": 0})
    for side in (-1, 1):
        ax.axhline(side * bound, **style.line("bound", mode, marker=False) | {"lw": 0.9})
    for number in updates:
        style.event_star(ax, float(number), float(errors[number - 1]))


@still
def figure_release(
    truth: AverageDistance, release: curves.Curves, params: curves.Params, mode: str = "notebook"
) -> Figure:
    """Left: the released slopes, noisy. Right: the curve that they add up to, smooth.

    Parameters
    ----------
    truth : AverageDistance of one column
    release : what was published of it
    """
    values = release.values[0]
    grid = release.grid[0]
    m = len(values) - 1
    exact = truth.value(grid)
    gap = float(np.abs(values - exact).max())
    fig, (left, right) = style.figure(
        "Noise added to slopes almost cancels in their sum",
        f"n = {style.number(params.n)}, ε = {style.number(params.epsilon)}, δ = 10⁻⁶, {m} cells",
        alt=f"Left: {m} slopes from −1 to 1 over the places, exact and released with noise. Right: "
        f"the curves that they add up to, which differ by at most {style.number(gap)}.",
        mode=mode,
        columns=2,
        sharey=False,
        names=["slope in each cell", "the curve: slopes added up"],
    )
    middles = (grid[1:] + grid[:-1]) / 2
    left.plot(middles, m * np.diff(values), **style.points("released", mode) | {"ms": 3, "mew": 0})
    left.plot(middles, m * np.diff(exact), **style.line("truth", mode))
    right.plot(grid, exact, **style.line("truth", mode))
    right.plot(grid, values, **style.line("released", mode, marker=False))
    for ax, (low, high) in ((left, (-3, 3)), (right, (0, 0.8))):
        style.linear_axis(ax, "x", 0, 1, [0.2, 0.5, 0.8])
        style.linear_axis(ax, "y", low, high)
    style.note(left, 0.04, 0.97, "exact (private)", "truth", at="axes", va="top")
    style.note(left, 0.04, 0.87, "released", "released", at="axes", va="top")
    style.axis_titles(right, "place y")
    return fig


@still
def figure_cost(
    params: curves.Params, places: np.ndarray, spread: np.ndarray, mode: str = "notebook"
) -> Figure:
    """What one answer of the average sign release costs beside a question asked alone; one column.

    Parameters
    ----------
    places : array (p,), where it was measured
    spread : array (p,), standard deviation of released answers there, over many releases
    """
    one = average_sign.single_query_sd(params)
    exact = average_sign.standard_deviation(params, GRID) / one
    alone = np.maximum(GRID, 1 - GRID)
    ends = float(exact[0])
    middle = float(exact[200])
    fig, ax = style.figure(
        "No answer is noisier than the worst query alone",
        f"one column, n = {style.number(params.n)}; 1: the largest-variance query, asked alone",
        alt=f"Standard deviation against place, as a share of the largest of a single answer. "
        f"Average sign function: {style.fixed(ends, 2)} at the ends, {style.fixed(middle, 2)} in "
        "the middle; white noise 1 everywhere; asked alone 1 at the ends, 0.5 in the middle.",
        mode=mode,
    )
    for height, role in ((exact, "bound"), (0 * GRID + 1, "baseline2"), (alone, "baseline")):
        ax.plot(GRID, height, **style.line(role, mode, marker=False))
    ax.plot(places, spread / one, **style.points("released", mode))
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", 0, 1.2)
    style.axis_titles(ax, "place y", "standard deviation, in units of one answer")
    names = {"white noise": "baseline2", "exact law": "bound", "asked alone": "baseline"}
    ends = [(1, 1.0, name, role) for name, role in names.items()]
    style.label_ends(ax, [*ends, (1, float(spread[-1] / one), "measured", "released")])
    return fig


@still
def figure_errors(
    interactive: Sweep,
    baselines: Sweep,
    proved: np.ndarray,
    fitted: Slope,
    mode="notebook",
) -> Figure:
    """The error figure: every method against n, for one column and ten thousand questions.

    Parameters
    ----------
    interactive, baselines : over n, the stored trials
    proved : array, error proved for the interactive mechanism, over the same n
    fitted : Slope of the interactive mechanism from n = 10 000 on
    """
    n = np.array(interactive.axes["n"], dtype=float)
    errors = interactive["error"]
    release = np.median(baselines["release 1"], axis=1)
    lines = [
        measured("paper's mechanism", "released", n, errors),
        Line("proved for it", "bound", n, proved),
        measured("noise on each", "baseline", n, baselines["noise 1"]),
        measured("release of all", "other", n, baselines["release 1"]),
    ]
    constant = without_data(baselines["constant"])
    vacuous = Vacuous(constant, "a constant does as well", low=True)
    axes = ErrorAxes(log("n, records", 700, 1.6e6), log("largest error", 3e-6, 7), vacuous)
    return axes.figure(
        f"The paper's error falls with exponent {style.fixed(fitted.value, 2)}",
        "one column, ε = 1, δ = 10⁻⁶, 10\u202f000 queries; medians of 40 trials, band 5–95 %",
        lines,
        alt=f"Log-log chart, largest error against n from {style.number(n[0])} to "
        f"{style.number(n[-1])}. At the right end: paper's mechanism "
        f"{style.number(np.median(errors[-1]))}, proved {style.number(proved[-1])}, "
        f"noise {style.number(np.median(baselines['noise 1'][-1]))}, release "
        f"{style.number(release[-1])}.",
        mode=mode,
        exponent=Exponent(fitted, -0.8),
    )


@still
def figure_dimension(
    found: Mapping[str, Sweep], fitted: Mapping[str, Slope], mode: str = "notebook"
) -> Figure:
    """How the error of the paper's mechanism grows with the columns, and what is proved.

    Parameters
    ----------
    found : dict with "zcdp" and "pure", stored trials over d with ``error`` and ``bound``
    fitted : dict with "zcdp" and "pure", the exponents of the errors
    """
    d = np.array(found["zcdp"].axes["d"])
    said = {name: style.number(each.value, 3) for name, each in fitted.items()}
    lines = [Line("d/2, without data", "baseline", d, d / 2)]
    for name, words, role in (("pure", "pure", "other"), ("zcdp", "δ = 10⁻⁶", "released")):
        lines += [
            Line(f"proved, {words}", "bound", d, found[name]["bound"][:, 0]),
            measured(f"{words}:\nexponent {said[name]}", role, d, found[name]["error"]),
        ]
    first = found["zcdp"]
    axes = ErrorAxes(doubling("d, columns", d, pad=0.1), log("largest error", 0.003, 7))
    return axes.figure(
        "Each column costs less than the paper states",
        f"n = 300\u202f000, ε = 1, 1\u202f000 queries; {trials_said(first.repeats, 'runs')}",
        lines,
        alt=f"Largest error against the number of columns {d[0]} to {d[-1]}, log-log. With δ = "
        f"10⁻⁶ it grows with exponent {said['zcdp']}, pure with {said['pure']}; the paper states "
        f"1.8 and 2.33. At {d[-1]} columns {style.number(np.median(first['error'][-1]))}, proved "
        f"{style.number(first['bound'][-1, 0])}.",
        mode=mode,
    )


@dataclass(frozen=True, eq=False)
class Shares:
    """How often the right grower is named, for 1, 2, ... columns.

    Attributes
    ----------
    epsilon : float
    d : int, the number of columns of the moment
    exact : array (13,), with exact distances
    private : array (13, repeats), with released curves
    largest : float, if always the largest archive is named
    """

    epsilon: float
    d: int
    exact: np.ndarray
    private: np.ndarray
    largest: float


def shares(*, d: int, epsilon: float, seed: int) -> Shares:
    """What the explorer shows at one epsilon; the seed is that of the stored trials."""
    grower = bottles()[1]
    private = GROWERS.stored().select(epsilon=epsilon)["right"]
    return Shares(
        epsilon, d, exact_share(), private, float(np.bincount(grower).max() / len(grower))
    )


def frame_shares(mode: str) -> Figure:
    """Axes of the share against the number of columns, and the naive answer."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0.5, 13.5, [1, 3, 5, 7, 9, 11, 13])
    style.linear_axis(ax, "y", 0.2, 1, [0.2, 0.4, 0.6, 0.8, 1])
    style.axis_titles(ax, "columns published by each archive", "share of newcomers named correctly")
    return fig


def paint_shares(fig: Figure, result: Shares) -> None:
    """Exact shares, private shares with every trial as a dot, and here."""
    ax = fig.axes[0]
    mode = fig.mode
    x = np.arange(1, 14)
    median = np.median(result.private, axis=1)
    here = median[result.d - 1]
    style.retitle(
        fig,
        _title(result),
        f"ε = {style.number(result.epsilon)}, {GROWERS.repeats} releases each",
    )
    ax.plot(x, result.exact, **style.line("truth", mode))
    style.dots(ax, x, result.private)
    ax.plot(x, median, **style.line("released", mode))
    ax.plot(x, 0 * x + result.largest, **style.line("baseline2", mode, marker=False))
    style.event(ax, result.d, here, "here", name="here")
    style.label_ends(
        ax,
        [
            (13, result.exact[-1], "exact distances\n(private)", "truth"),
            (13, median[-1], "released curves", "released"),
            (13, result.largest, "always the\nlargest archive", "baseline2"),
        ],
    )


def _title(result: Shares) -> str:
    share = float(np.median(result.private[result.d - 1]))
    word = "column" if result.d == 1 else "columns"
    return f"{result.d} {word}: {style.number(100 * share)} % named correctly"


def say_shares(result: Shares) -> str:
    """One sentence of reading."""
    median = np.median(result.private, axis=1)
    best = int(median.argmax())
    at = [result.d - 1, best]
    (here, top), (exact, top_exact) = (map(style.number, of[at]) for of in (median, result.exact))
    return (
        f"Share of newcomers named correctly against the number of columns, ε = "
        f"{style.number(result.epsilon)}: {here} with {result.d} (exact distances {exact}), at "
        f"best {top} with {best + 1} (exact distances {top_exact}); always the largest archive "
        f"{style.number(result.largest)}."
    )


def table_shares(result: Shares) -> list[list[str]]:
    """Exact and private shares."""
    rows = [["columns", "exact", "private, median"]]
    for d in (1, 3, 5, 13, result.d):
        name = f"here: {d}" if len(rows) == 5 else str(d)
        exact = result.exact[d - 1]
        private = np.median(result.private[d - 1])
        rows.append([name, style.number(exact, 3), style.number(private, 3)])
    return rows


SHARES = View(frame_shares, paint_shares, say_shares, table_shares)
