"""Errors side by side, the exponents of Table 1, and how truncation falls (lesson 06)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from dpviz.drawing import style
from dpviz.drawing.errors import (
    ErrorAxes,
    Exponent,
    Line,
    Vacuous,
    log,
    measured,
    without_data,
)
from dpviz.drawing.roles import GRID, ZONE
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.lessons.smooth.bias_variance import RELATIVE, operator_name
from dpviz.lessons.smooth.experiments import ERRORS
from dpviz.papers.smooth_queries import bounds
from dpviz.papers.smooth_queries.bounds import paper_rate
from dpviz.sweeps.slope import Slope
from dpviz.sweeps.sweep import Sweep

SPANS = {  # of the exponents in Table 1: lower, upper, ticks
    "error": (-0.9, 0.25, [-0.5, 0]),
    "summary": (0.9, 1.6, [1, 1.5]),
    "query": (0, 2, [0, 1, 2]),
}


@still
def figure_errors(found: Sweep, slopes: Mapping[str, Slope], mode: str = "notebook") -> Figure:
    """Worst error over n: the paper's algorithm, truncation where a proved bound is least, no data.

    Parameters
    ----------
    found : over n and method ("paper", "truncation"), with fields error, bound, constant
    slopes : fitted exponents of the medians of both methods
    """
    n, paper, truncation = (
        np.array(found.axes["n"]),
        *(found.select(method=p) for p in bounds.METHODS),
    )
    rate = np.array([paper_rate(ERRORS.params, n=int(m)) for m in n])
    last = {p.header["at"]["method"]: p.quantile("error")[-1] for p in (paper, truncation)}
    vacuous = Vacuous(without_data(truncation["constant"]), "a constant does as well", side="left")
    axes = ErrorAxes(log("n, records", 80, 1.25e5), log("largest error", 1e-5, 30), vacuous)
    return axes.figure(
        "Bias limits the paper's algorithm",
        f"d = 1, ε = 1, worst of 100 kernels; median of {found.repeats} runs, dots: truncation",
        _error_lines(n, rate, paper, truncation, slopes["paper"]),
        alt=f"Worst error against n, log-log. Paper's algorithm {style.number(last['paper'])} at "
        f"n = {style.number(n[-1])}, slope {style.fixed(slopes['paper'].value)}; truncation "
        f"{style.number(last['truncation'])}, slope {style.fixed(slopes['truncation'].value)}.",
        mode=mode,
        exponent=Exponent(slopes["truncation"], -1.0),
    )


def _error_lines(
    n: np.ndarray, rate: np.ndarray, paper: Sweep, truncation: Sweep, fitted: Slope
) -> list:
    """The curves of the error figure, each with its name."""
    bound = np.median(truncation["bound"], axis=-1)
    return [
        measured(f"the paper's {style.fixed(fitted.value, 2)}", "paper", n, paper["error"]),
        Line("paper's rate −0.50", "rate", n, rate, smooth=True),
        Line("proved, truncation", "bound", n, bound),
        measured("truncation", "released", n, truncation["error"]),
    ]


@still
def figure_spent(
    terms: Sequence[int], spent: Sequence[float], limit: float, mode: str = "notebook"
) -> Figure:
    """What the noise as stated really spends, for a claimed epsilon of 1.

    Parameters
    ----------
    terms : numbers of terms; spent : 1 + kappa_t at each; limit : proved for all of them
    """
    fig, ax = style.figure(
        "Noise as stated spends more privacy than it claims",
        "claimed ε = 1; exact, attained by two rows that can be named",
        alt=f"True epsilon against the number of terms: 1 at t = 2, {style.fixed(spent[1], 3)} at "
        f"t = {terms[1]}, {style.fixed(spent[-1], 3)} at t = {terms[-1]}; never above "
        f"{style.fixed(limit, 4)}.",
        mode=mode,
        height=0.84,
    )
    style.base2_axis(ax, "x", [2, 4, 8, 16, 32, 64, 128, 256])
    style.linear_axis(ax, "y", 0.98, 1.25, [1, 1.05, 1.1, 1.15, 1.2])
    ax.axhline(1, **style.line("paper", mode, marker=False))
    ax.axhline(limit, **style.line("bound", mode, marker=False))
    ax.plot(terms, spent, **style.line("released", mode))
    style.axis_titles(ax, "t, terms per variable (log scale)", "ε that is really spent")
    ends = [(terms[-1], 1, "claimed", "paper"), (terms[-1], limit, "proved limit", "bound")]
    style.label_ends(ax, [*ends, (terms[-1], spent[-1], "spent", "released")])
    return fig


TOP = 1.9  # of the axis of rows: above the first one there is room for words
NO_DATA = "without data"  # what the best answer errs that never saw the clinic


@still
def figure_clinic(
    rows: Mapping[str, Mapping[str, float]], setting: str, mode: str = "notebook"
) -> Figure:
    """Worst errors of mechanisms on the clinic, one row each, one mark for each d.

    Parameters
    ----------
    rows : mechanism -> {"d = 1": error, ...}, and ``NO_DATA``, from which on the zone begins
    setting : what is asked, in words
    """
    least = rows[NO_DATA]
    others = {name: row for name, row in rows.items() if name != NO_DATA}
    best = min((min(row.values()), name) for name, row in others.items())
    useful = [row for row in others.values() if all(row[d] < least[d] for d in least)]
    fig, ax = style.figure(
        f"{len(useful)} of {len(others)} beat an answer without data at each d",
        setting,
        alt=f"Worst errors on a log axis, {len(others)} mechanisms, marks for "
        f"{', '.join(least)}. Least {style.number(best[0])} ({best[1]}).",
        mode=mode,
        height=1.7 if mode == "phone" else None,  # names of two lines
    )
    style.log_axis(ax, "x", 3e-3, 20)
    style.linear_axis(ax, "y", -len(others) + 0.4, TOP, [])
    _clinic_zone(ax, list(least.values()), len(others))
    _clinic_marks(ax, others)
    tight = style.MODES[mode].tight
    words = "vacuous" if tight else "vacuous: as good without data, for this d"
    style.note(ax, 19, TOP - 0.1, words, "muted", ha="right", va="top", halo=ZONE)
    style.label_ends(ax, [(20, -i, name, "truth") for i, name in enumerate(others)])
    style.axis_titles(ax, "worst error over all queries (log scale)")
    return fig


def _heights(row: int, many: int) -> np.ndarray:
    """Where the marks of a row stand, one for each d: below each other in a stripe of their own."""
    return -row + ((many - 1) / 2 - np.arange(many)) / many


def _clinic_zone(ax: Axes, least: Sequence[float], rows: int) -> None:
    """In the stripe of each d, of every row: what is no better than an answer without data."""
    half = 0.5 / len(least)
    starts: list[float] = []
    ends: list[float] = []
    for row in range(rows):
        for start, y in zip(least, _heights(row, len(least)), strict=True):
            starts += [start, start]
            ends += [y + half, y - half]
    top = [(20, TOP), (starts[0], TOP)]
    edge = [*top, *zip(starts, ends, strict=True), (20, ends[-1])]
    ax.add_patch(Polygon(edge, closed=True, fc=ZONE, lw=0, zorder=0.5))


def _clinic_marks(ax: Axes, rows: Mapping[str, Mapping[str, float]]) -> None:
    """A mark for each error, and the names of the marks above."""
    mode = ax.get_figure(root=True).mode
    blue = style.line("released")["color"]
    fills = {
        "d = 1": ("o", blue),
        "d = 2": ("s", "white"),
        "d = 3": ("D", style.tint("released", 0.42)),
    }
    for i, row in enumerate(rows.values()):
        ax.axhline(-i, color=GRID, lw=0.7, zorder=1)
        for y, (d, error) in zip(_heights(i, len(row)), row.items(), strict=True):
            marker, fill = fills[d]
            look = {"marker": marker, "ms": 5.5, "mfc": fill, "mec": blue, "mew": 1.2}
            ax.plot([error], [y], **style.points("released", mode) | look)
    words = "   ".join(f"{glyph} {d}" for glyph, d in zip("●□◆", fills, strict=True))
    style.note(ax, 3.3e-3, TOP - 0.1, words, "released", va="top")


@still
def figure_exponents(
    rows: Mapping[str, Mapping[str, tuple[float, float]]], mode: str = "notebook"
) -> Figure:
    """Table 1 measured: for each row and cost the stated exponent of n and the fitted one.

    Parameters
    ----------
    rows : "d = 1, K = 1" -> {"error": (stated, fitted), "summary": ..., "query": ...}
    """
    costs = list(next(iter(rows.values())))
    faster = all(fitted < stated for stated, fitted in (row["query"] for row in rows.values()))
    fig, axes = style.figure(
        f"Query time grows {'slower' if faster else 'not always slower'} than Table 1 states",
        "diamond: stated; circle: fitted from n = 10³ to 10⁶ with the paper's own t",
        alt=_exponents_said(rows),
        mode=mode,
        columns=len(costs),
        # one length for one unit of the exponent in every panel, unless its name needs more
        widths=[SPANS[cost][1] - SPANS[cost][0] for cost in costs]
        if not style.MODES[mode].tight
        else None,
        names=costs,
        gutter=True,
    )
    for ax, cost in zip(axes, costs, strict=True):
        lower, upper, ticks = SPANS[cost]
        style.linear_axis(ax, "x", lower, upper, ticks)
        style.linear_axis(ax, "y", -len(rows) + 0.4, 0.6, [])
        _stated_and_fitted(ax, [row[cost] for row in rows.values()])
    style.label_ends(axes[-1], [(2, -i, name, "truth") for i, name in enumerate(rows)])
    style.axis_titles(axes[-1], "exponent of n")
    return fig


def _exponents_said(rows: Mapping[str, Mapping[str, tuple[float, float]]]) -> str:
    """The exponents of the error."""
    words = "; ".join(
        f"{name} {style.fixed(row['error'][0])} and {style.fixed(row['error'][1])}"
        for name, row in rows.items()
    )
    return f"Exponents of n in three panels; of the error, stated and fitted: {words}."[:300]


def _stated_and_fitted(ax: Axes, pairs: Sequence[tuple[float, float]]) -> None:
    """One row for each pair: both exponents, and a line between them."""
    mode = ax.get_figure(root=True).mode
    for i, (stated, fitted) in enumerate(pairs):
        between = {"color": style.ROLES["lattice"].colour, "lw": 1.2, "zorder": 1}
        ax.plot([stated, fitted], [-i, -i], **between)
        ax.plot([stated], [-i], **style.points("paper", mode) | {"ms": 7})
        ax.plot([fitted], [-i], **style.points("released", mode) | {"ms": 7})


@still
def figure_slopes(
    degrees: Sequence[int], errors: Mapping[str, Mapping[str, np.ndarray]], mode: str = "notebook"
) -> Figure:
    """Largest error against the degree, for two functions and some operators.

    Parameters
    ----------
    degrees : the highest degrees
    errors : panel -> operator -> array (len(degrees),)
    """
    fits = {
        panel: {name: slope(degrees, e) for name, e in some.items()}
        for panel, some in errors.items()
    }
    words = "; ".join(
        f"{panel}: " + ", ".join(f"{name} {_slope_said(v)}" for name, v in some.items())
        for panel, some in fits.items()
    )
    fig, axes = style.figure(
        "A kink makes every operator's error fall slowly",
        "largest error against the degree, log-log; beside each name its last slope",
        alt=f"Error against the degree, log-log. Last slopes: {words}."[:300],
        mode=mode,
        columns=len(errors),
        names=list(errors),
        gutter=False,
    )
    for ax, (panel, some) in zip(axes, errors.items(), strict=True):
        style.base2_axis(ax, "x", degrees, pad=0.5)
        style.log_axis(ax, "y", RELATIVE, 2)
        _panel(ax, degrees, some, fits[panel], mode)
    style.axis_titles(axes[-1], "degree (log scale)")
    style.axis_titles(axes[0], "", "")
    return fig


LINES = {
    "truncation": "truth",
    "vallee poussin": "bound",
    "fejer": "other",
    "jackson 0": "baseline",
    "jackson 2": "baseline",
}


def _panel(ax, degrees: Sequence[int], some: Mapping, fits: Mapping, mode: str) -> None:
    """One function: a line for each operator, the names inside where the lines leave room."""
    for i, (name, error) in enumerate(some.items()):
        role = LINES.get(name, "paper")
        inside = np.where(error > 1.1 * RELATIVE, error, np.nan)
        ax.plot(degrees, inside, **style.line(role, mode))
        words = f"{operator_name(name)}  {_slope_said(fits[name])}"
        style.note(ax, 0.04, 0.29 - 0.085 * i, words, role, at="axes")


def slope(degrees: Sequence[int], errors: np.ndarray) -> float:
    """Log-log slope between the last two degrees at which rounding is not yet reached.

    Not a number if fewer than two errors are more than rounding.

    >>> slope([1, 2, 4, 8], np.array([1.0, 0.5, 0.25, 4e-16]))
    -1.0
    """
    last = int((np.asarray(errors) > RELATIVE).sum())
    if last < 2:
        return float("nan")
    x = np.log(degrees[last - 2 : last])
    y = np.log(errors[last - 2 : last])
    return float((y[1] - y[0]) / (x[1] - x[0]))


def _slope_said(value: float) -> str:
    return "rounding" if np.isnan(value) else style.fixed(value, 1)


def errors_of(function: Callable, operators: Sequence[str], degrees: Sequence[int]) -> dict:
    """Largest errors for :func:`figure_slopes`: operator -> array.

    >>> errors_of(np.abs, ["truncation"], [8, 16])["truncation"].round(2)
    array([0.07, 0.04])
    """
    from dpviz.papers.smooth_queries.chebyshev import approximation_error

    return {
        name: np.array([approximation_error(function, name, t + 1) for t in degrees])
        for name in operators
    }
