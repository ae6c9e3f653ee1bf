"""Mistakes against alpha over many runs: the error figure of lesson 02, still and alive."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from matplotlib.axes import Axes

from dpviz.papers.distance_queries.learner import adversary, mistake_bounds
from dpviz.sweeps import slope
from dpviz.sweeps.sweep import Sweep
from dpviz.views import style
from dpviz.views.explorer import Choice, Explorer, Slider
from dpviz.views.learner.explore import (
    COLUMNS,
    LEARNERS,
    ORACLE_ERRORS,
    K,
    learn_all,
)
from dpviz.views.live import View
from dpviz.views.style import Figure

EXPONENTS = range(-16, -2)  # of the lesson's figure; the explorer goes down to SMALLEST
SMALLEST = -12


@dataclass(frozen=True, eq=False)
class Counted:
    """Mistakes over a range of alpha.

    Attributes
    ----------
    what : the data in words
    sweep : over alpha (ascending), with fields ``mistakes``, ``bound`` and ``paper``
    forced : mistakes on the worst data for each alpha; empty where that is not defined
    fitted : exponent of the mistakes
    predicted : exponent by the theory, -1/2 for tangents
    """

    what: str
    sweep: Sweep
    forced: Sequence[int]
    fitted: slope.Slope
    predicted: float = -0.5


def frame_counted(mode: str, exponents: range) -> Figure:
    """Log-log axes and the zone beyond the number of questions."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.base2_axis(ax, "x", [2.0**i for i in exponents])
    style.log_axis(ax, "y", 0.8, 7000)
    style.vacuous_zone(ax, K, f"vacuous: only {style.number(K)} questions are asked")
    style.axis_titles(ax, "α, tolerated error (log scale)", "looks (log scale)")
    return fig


def paint_counted(fig: Figure, result: Counted) -> None:
    """Measured mistakes with their band, both bounds, the fitted exponent."""
    ax, runs = fig.axes[0], result.sweep.repeats
    orders = f"median and 5–95 % of {runs} runs" if runs > 1 else "1 run"
    style.retitle(fig, _title(result), f"{result.what}: {orders} of {style.number(K)} questions")
    draw_counted(ax, result)
    fitted = result.fitted
    style.slope_triangle(ax, fitted.value, (fitted.low, fitted.high), result.predicted, width=8)


def draw_counted(ax: Axes, result: Counted) -> None:
    """The lines and their names."""
    mode, alphas = ax.get_figure(root=True).mode, np.array(result.sweep.axes["alpha"])
    measured, bound, paper = _medians(result)
    lower = np.array([adversary.lower_bound(a) for a in alphas])
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
        (lower[-1], "proved: any learner\nmust err as often", "bound"),
    ]
    if len(result.forced):
        worst = style.points("event", mode) | {"marker": "o", "ms": 6, "mew": 0.9}
        ax.plot(alphas, result.forced, **worst)
        names[1] = (bound[-1], "proved bound, and\nworst data (forced)", "bound")
    style.label_ends(ax, [(alphas[-1], *name) for name in names if np.isfinite(name[0])])


def _title(result: Counted) -> str:
    """What halving alpha costs, from the fitted exponent."""
    factor = 2**-result.fitted.value
    return f"Halving α costs {style.number(factor)} times the looks"


def say_counted(result: Counted) -> str:
    """One sentence of reading, from the smallest alpha."""
    measured, bound, paper = (numbers[0] for numbers in _medians(result))
    alpha, fitted = result.sweep.axes["alpha"][0], result.fitted
    return (
        f"Looks against α, log-log; {result.what}. At α = {_two(alpha)}: paper's "
        f"bound {style.number(paper, 3)}, proved bound {style.number(bound, 3)}, measured "
        f"{style.number(measured, 3)}; any learner can be forced to {adversary.lower_bound(alpha)}."
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
    frame = partial(frame_counted, exponents=exponents)
    return View(frame, paint_counted, say_counted, table_counted)


def _paper_bound(alpha: float) -> float:
    """The paper's limit at one alpha."""
    return mistake_bounds.paper_bound(mistake_bounds.Params(alpha=alpha))


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


def count(
    *, runs: int, smallest: int, source: str, order: str, oracle_error: str, learner: str, seed: int
) -> Counted:
    """Runs at each alpha from 2^smallest to 1/8, one seed for each run."""
    alphas = tuple(2.0**i for i in range(smallest, -2))
    one = partial(_mistakes, source=source, order=order, oracle_error=oracle_error, learner=learner)
    table = np.array([[one(alpha, seed=1000 * seed + i) for i in range(runs)] for alpha in alphas])
    values = dict(zip(("mistakes", "bound", "paper"), np.moveaxis(table, 2, 0), strict=True))
    sweep = Sweep({"alpha": alphas}, runs, {}, values)
    what = f"{source}, {order}, {learner}, lies: {oracle_error}"
    plain = learner == "tangents" and oracle_error == "none"
    forced = [mistake_bounds.mistake_bound(alpha) for alpha in alphas] if plain else []
    fitted = slope.fit(alphas, values["mistakes"], rng=0, resamples=200)
    return Counted(what, sweep, forced, fitted, -0.5 if learner == "tangents" else -1.0)


@lru_cache(maxsize=10_000)
def _mistakes(alpha: float, **how) -> tuple[float, float, float]:
    """Mistakes, proved limit and the paper's for one run."""
    result = learn_all(alpha=alpha, d=1, **how)
    return result.total, result.bound, result.paper


def explore_mistakes() -> Explorer:
    """Mistakes against alpha over many runs: runs, range, data, order, oracle, learner."""
    controls = [
        Slider(name="runs", label="runs", values=range(1, 21), start=5),
        Slider(
            name="smallest",
            label="smallest α",
            values=range(SMALLEST, -5),
            start=-10,
            show=partial(style.power, 2),
        ),
        Choice(name="source", label="data", values=list(COLUMNS), start="wine: alcohol"),
        Choice(name="order", label="order", values=mistake_bounds.ORDERS, start="random"),
        Choice(
            name="oracle_error",
            label="the oracle's lies",
            values=list(ORACLE_ERRORS),
            start="none",
        ),
        Choice(name="learner", label="learner", values=list(LEARNERS), start="tangents"),
    ]
    presets = {
        "Alcohol": {},
        "Left to right": {"order": "left to right", "runs": 1},
        "Lies of α/4": {"oracle_error": "α/4"},
        "Nearest value": {"learner": "nearest value", "smallest": -9},
    }
    return Explorer(count, counted_view(range(SMALLEST, -2)), controls, presets)
