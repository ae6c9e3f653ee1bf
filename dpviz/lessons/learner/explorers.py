"""The explorers of lesson 02: one run, and mistakes against alpha over many runs."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Slider, View
from dpviz.lessons.learner.experiments import (
    COLUMNS,
    LEARNERS,
    ORACLE_ERRORS,
    ORDERS,
    TENT,
    WORST,
    Learnt,
    count,
    learn_all,
)
from dpviz.lessons.learner.figures import GRID, draw_tangents
from dpviz.lessons.learner.mistakes import counted_view

ALPHAS = [0.001, 0.002, 0.003, 0.005, 0.008, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2]


def frame_learnt(mode: str) -> Figure:
    """Axes of the curve."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", -0.05, 1.05, [0, 0.2, 0.4, 0.6, 0.8, 1])
    style.axis_titles(ax, "place y, on the public range of the column", "average distance")
    return fig


def paint_learnt(fig: Figure, result: Learnt) -> None:
    """Truth, guess with its band, tangents, mistakes; what was needed and allowed."""
    ax = fig.axes[0]
    mode = fig.mode
    run = result.run
    style.retitle(fig, _title(result), _subtitle(result))
    guess = result.learner.predict(GRID)
    truth = result.function.value(GRID)
    style.band(ax, GRID, guess - result.alpha, guess + result.alpha, alpha=0.13)
    draw_tangents(ax, getattr(result.learner, "lines", [])[1:])
    ax.plot(GRID, truth, **style.line("truth", mode))
    ax.plot(GRID, guess, **style.line("released", mode, marker=False))
    places = run.queries[run.missed]
    ax.plot(places, 0 * places - 0.03, **style.points("event", mode) | {"marker": "|", "ms": 9})
    ends = [(1, truth[-1], "truth G\n(private)", "truth"), (1, guess[-1], "guess", "released")]
    style.label_ends(ax, [*ends, (1, -0.03, "mistakes", "event")])


def _title(result: Learnt) -> str:
    """Mistakes of all coordinates beside the proved limit."""
    if math.isinf(result.bound):
        return f"{result.total} mistakes; no bound is proved"
    return f"{result.total} mistakes; at most {result.bound:.0f} are possible"


def _subtitle(result: Learnt) -> str:
    """The run; of many coordinates the share of α that each has, and what is drawn."""
    alpha = style.number(result.alpha)
    if result.d == 1:
        return f"{result.what}; α = {alpha}"
    drawn = f"drawn: 1 of {result.d} columns, with {result.run.mistakes} mistakes"
    return f"{result.what}; α/{result.d} = {alpha}; {drawn}"


def say_learnt(result: Learnt) -> str:
    """One sentence of reading."""
    worst = np.max(np.abs(result.run.truth - result.run.answers)[~result.run.missed], initial=0)
    drawn = f"the one drawn: {result.run.mistakes}"
    parts = "" if result.d == 1 else f"all {result.d} coordinates, {drawn}; "
    proved = "none proved" if math.isinf(result.bound) else f"proved {result.bound:.0f}"
    paper = "none in the paper"
    if math.isfinite(result.paper):
        paper = f"paper {style.number(result.paper)}"
    return (
        f"A curve and its guess: {style.number(len(result.run.queries))} queries, with "
        f"{result.total} mistakes ({parts}{result.what}). Bounds: {proved}, {paper}. Guesses that "
        f"stood were off by at most {style.number(round(worst, 12))}."
    )


def table_learnt(result: Learnt) -> list[list[str]]:
    """Mistakes, limits and the tolerated error."""
    return [
        ["", "number"],
        ["mistakes, all coordinates", str(result.total)],
        ["mistakes, the one drawn", str(result.run.mistakes)],
        ["proved bound", style.number(result.bound, 4)],
        ["the paper's bound", style.number(result.paper, 3)],
        ["α of each coordinate", style.number(result.alpha, 3)],
    ]


LEARNT = View(frame_learnt, paint_learnt, say_learnt, table_learnt)


HOW = (  # a run is made, in both explorers
    Choice(name="order", label="order", values=ORDERS, start="random"),
    Choice(name="oracle_error", label="oracle error", values=list(ORACLE_ERRORS), start="none"),
    Choice(name="learner", label="learner", values=list(LEARNERS), start="tangents"),
)
# In a fixed order, an oracle that tells the truth leaves nothing to chance.
DRAWN = [{"order": ["random"]}, {"oracle_error": [*ORACLE_ERRORS][1:]}]


def explore_learner() -> Explorer:
    """One run of the learner: choose the data, the order of the queries and the oracle."""
    controls = [
        Slider(name="alpha", label="α, tolerated error", values=ALPHAS, start=0.01),
        Slider(name="d", label="d, coordinates", values=range(1, 14), start=1),
        Choice(name="source", label="data", values=[*COLUMNS, WORST, TENT], start="wine: alcohol"),
        *HOW,
    ]
    presets = {
        "Alcohol, random": {},
        "Left to right": {"order": "left to right"},
        "The worst data": {"source": WORST, "order": "left to right", "alpha": 0.02},
        "Noisy oracle": {"oracle_error": "α/4", "alpha": 0.05},
        "A tent": {"source": TENT, "alpha": 0.1},
        "Nearest value": {"learner": "nearest value", "alpha": 0.05},
        "All 13 columns": {"d": 13, "alpha": 0.1},
    }
    return Explorer(learn_all, LEARNT, controls, presets, random=DRAWN)


SMALLEST = -12


def explore_mistakes() -> Explorer:
    """Mistakes against alpha over many runs, beside the bound."""
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
        *HOW,
    ]
    presets = {
        "Alcohol": {},
        "Left to right": {"order": "left to right", "runs": 1},
        "Oracle error α/4": {"oracle_error": "α/4"},
        "Nearest value": {"learner": "nearest value", "smallest": -9},
    }
    return Explorer(count, counted_view(range(SMALLEST, -2)), controls, presets, random=DRAWN)
