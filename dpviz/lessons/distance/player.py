"""The player of lesson 03: query by query, with the noisy tests and a purse of updates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.learner.figures import draw_tangents
from dpviz.papers.distance_queries.learner.convex_learner import Tangents
from dpviz.papers.distance_queries.mechanism import l1

GRID = np.linspace(0, 1, 201)
PURSE = (0.03, 0.43, 0.6, 0.77)  # left, right, lower and upper end of its coins, in data units


@dataclass(frozen=True, eq=False)
class Step:
    """The state at one question, or before the first.

    Attributes
    ----------
    number, of : which question of how many; 0 before the first, with a full purse
    place, measured : where it was asked (nan before the first), and whether a tangent was measured
    curve : array, the truth on the grid (private: for the lesson only)
    lines, after : tangents before and after the question
    gaps, noises, levels : arrays (number,), so far: truth minus guess, the noise that was added to
        it, and the noisy threshold with which the sum was compared (private)
    positives : bool array (number,), what the test said
    threshold : float, public
    shift : float, added to guesses that stand
    paid : places of the updates so far, this question included; each cost a coin
    allowed : coins that the purse held at first, one for each update of the plan
    """

    number: int
    of: int
    place: float
    measured: bool
    curve: np.ndarray
    lines: list[tuple[float, float]]
    after: list[tuple[float, float]]
    gaps: np.ndarray
    noises: np.ndarray
    levels: np.ndarray
    positives: np.ndarray
    threshold: float
    shift: float
    paid: tuple[float, ...]
    allowed: int

    @property
    def compared(self) -> np.ndarray:
        """What was held against the noisy threshold."""
        return self.gaps + self.noises

    @property
    def used(self) -> int:
        """Updates so far, this question included."""
        return len(self.paid)


def record(mechanism: l1.Interactive) -> list[Step]:
    """The trace of a run on one column: the state before it, then one a question.

    Parameters
    ----------
    mechanism : l1.Interactive made with ``record=True, trace=True``, after its questions
    """
    plan = mechanism.plan
    lines = mechanism.learners[0].lines
    curve = mechanism.curve(0, GRID)
    positives = np.array([event.kind == "measured" for event in mechanism.history])
    seen = np.array(mechanism.trace, dtype=float).reshape(-1, 3)
    public = (plan.threshold, plan.shift)
    none = np.array([])
    start = (math.nan, False, curve, lines[:1], lines[:1])
    full = none, none, none, none.astype(bool), *public, (), plan.total
    trace = [Step(0, len(seen), *start, *full)]
    paid = ()
    for i, event in enumerate(mechanism.history[: len(seen)]):
        now = i + 1
        gaps, levels, noises = seen[: i + 1].T
        before = lines[: event.lines]
        after = lines[: event.lines + positives[i]]
        paid += (event.place,) * (plan.total - event.left - len(paid))
        kept = gaps, noises, levels, positives[:now]
        state = (before, after, *kept, *public, paid, plan.total)
        trace.append(Step(now, len(seen), event.place, bool(positives[i]), curve, *state))
    return trace


def frame_step(mode: str) -> Figure:
    """Left the curve; right the test, question by question."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.2, 1], sharey=False, names=["", ""]
    )
    style.linear_axis(left, "x", 0, 1, [0.2, 0.4, 0.6, 0.8])
    style.linear_axis(left, "y", -0.05, 0.8, [0, 0.2, 0.4, 0.6])
    style.linear_axis(right, "x", 0, 41, [10, 20, 30, 40])
    style.linear_axis(right, "y", -0.6, 4.9, [0, 1, 2, 3, 4])
    style.axis_titles(left, "place y", "average distance")
    style.axis_titles(right, "query", "truth − guess + noise, ÷ threshold")
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """The question, the hypothesis before and after, the purse; gap against threshold."""
    queries = f"of {step.of}" if step.number else f"{step.of} queries will come"
    style.retitle(fig, _title(step), f"{queries}; {step.allowed - step.used} coins left")
    _draw_curve(fig.axes[0], step)
    _draw_purse(fig.axes[0], step)
    draw_test(fig.axes[1], step)


def _title(step: Step) -> str:
    if step.number == 0:
        return "Before the first query: a full purse"
    verdict = "above the threshold, a coin leaves" if step.measured else "below, so it is free"
    return f"Query {step.number}: {verdict}"


def _draw_curve(ax: Axes, step: Step) -> None:
    mode = ax.get_figure(root=True).mode
    guess = Tangents(step.lines).predict
    draw_tangents(ax, step.after[1:])
    ax.plot(GRID, step.curve, **style.line("truth", mode))
    if step.measured:
        ax.plot(GRID, guess(GRID), **style.line("public", mode))
        guess = Tangents(step.after).predict
    ax.plot(GRID, guess(GRID), **style.line("released", mode, marker=False))
    if step.number:
        answer = float(guess(step.place)) + (0 if step.measured else step.shift)
        ax.plot([step.place], [answer], **style.points("released", mode))
    style.note(ax, 0.97, 0.97, "truth (private)", "truth", at="axes", ha="right", va="top")
    style.note(ax, 0.97, 0.89, "guess", "released", at="axes", ha="right", va="top")


def coins(step: Step) -> np.ndarray:
    """Where each coin is, (allowed, 2): in the purse, or at the tangent that it has paid for."""
    left, right, low, high = PURSE
    columns = math.ceil(step.allowed / (2 if step.allowed <= 12 else 3))
    row, column = np.divmod(np.arange(step.allowed), columns)
    step_x = (right - left) / columns
    step_y = (high - low) / (row[-1] + 1)
    places = np.column_stack([left + (column + 0.5) * step_x, high - (row + 0.5) * step_y])
    places[: step.used] = np.column_stack([step.paid, np.interp(step.paid, GRID, step.curve)])
    return places


def _draw_purse(ax: Axes, step: Step) -> None:
    """A purse that is open above, and all coins; one circle each, so that a page leads it."""
    left, right, low, high = PURSE
    x = np.array([left + 0.03, left, left, left + 0.02, right - 0.02, right, right, right - 0.03])
    up = np.array([high + 0.02, high - 0.02, low + 0.03, low])
    y = np.append(up, up[::-1])
    mode = ax.get_figure(root=True).mode
    size = 9 if step.allowed <= 12 else 6
    ax.fill(x, y, fc=style.tint("public", 0.12), ec="none", zorder=2)
    ax.plot(x, y, **style.line("public", mode) | {"lw": 2, "zorder": 2})
    coin = style.points("event", mode) | {"marker": "o", "clip_on": False}
    ax.plot(*coins(step).T, **coin | {"ms": size * style.mode_of(ax).marker_scale})


def draw_test(ax: Axes, step: Step) -> None:
    """What was compared so far: noisy gaps, the noisy threshold of each run; the public one.

    All in units of the public threshold, what is beyond 4 at 4; a thin line leads from each gap
    to what its noise has made of it.
    """
    mode = ax.get_figure(root=True).mode
    x = np.arange(1, step.number + 1)
    gaps, compared = (np.minimum(y / step.threshold, 4) for y in (step.gaps, step.compared))
    levels = step.levels / step.threshold
    ax.axhline(1, **style.line("public", mode))
    ends = np.flatnonzero(step.positives) + 1
    for start, stop in zip([0, *ends], [*ends, step.number], strict=True):
        if stop > start:
            span = [x[start] - 0.5, x[stop - 1] + 0.5]
            ax.plot(span, [levels[start]] * 2, **style.line("truth", mode))
    ax.vlines(x, gaps, compared, color=style.INK, lw=0.6, zorder=2)
    ax.plot(x, compared, **style.points("records", mode) | {"ms": 4})
    for i in np.flatnonzero(step.positives):
        style.event_star(ax, float(x[i]), float(compared[i]))
    style.note(
        ax, 0.97, 0.97, "noisy threshold (private)", "truth", at="axes", ha="right", va="top"
    )
    style.note(ax, 0.97, 0.89, "threshold (public)", "public", at="axes", ha="right", va="top")


def say_step(step: Step) -> str:
    """One sentence of reading."""
    if step.number == 0:
        return (
            f"Before the first of {step.of} questions: the hypothesis is zero everywhere, and the "
            f"purse holds {step.allowed} coins, one for each tangent that may be measured."
        )
    if step.measured:
        end = "above, so a tangent is measured"
    else:
        end = "below, so the guess is the answer"
    return (
        f"Query {step.number} at {style.number(step.place)}: the gap with noise, "
        f"{style.number(step.compared[-1])}, against the noisy threshold, "
        f"{style.number(step.levels[-1])}: {end}; {step.used} of {step.allowed} coins spent."
    )


def table_step(step: Step) -> list[list[str]]:
    """The question and the budget."""
    left = ["tangents used, of those allowed", f"{step.used} of {step.allowed}"]
    if step.number == 0:
        return [["", "number"], left]
    return [
        ["", "number"],
        ["place", style.number(step.place, 3)],
        ["truth − guess (private)", style.number(step.gaps[-1], 3)],
        ["truth − guess + noise (private)", style.number(step.compared[-1], 3)],
        ["noisy threshold (private)", style.number(step.levels[-1], 3)],
        left,
    ]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_distance(mechanism: l1.Interactive) -> Player:
    """Step through a run; see :func:`record`. It starts at the second tangent."""
    trace = record(mechanism)
    measured = [i for i, step in enumerate(trace) if step.measured]
    return Player(STEP, trace, start=measured[min(1, len(measured) - 1)] if measured else 0)
