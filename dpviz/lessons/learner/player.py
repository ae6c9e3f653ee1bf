"""The player of lesson 02: at each mistake a tangent rises, and less of the area is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.learner.figures import GRID, draw_tangents
from dpviz.lessons.learner.mistakes import draw_rectangles
from dpviz.papers.distance_queries.learner import mistake_bounds
from dpviz.papers.distance_queries.learner.convex_learner import FirstOrder, Run, Tangents

SHADED = GRID[::4]  # where the edges of a shaded area have their corners


@dataclass(frozen=True, eq=False)
class Step:
    """The state when a query was asked, or after the update that it led to: pure data.

    Attributes
    ----------
    number, of : which question of how many
    alpha : tolerated error
    place, truth, guess, missed : the question asked, and the guess at that time
    curve : array (401,), the truth on the grid of the pictures
    lines : (slope, intercept) of the tangents known when it was asked
    tangent : (slope, intercept) of the one that a mistake teaches; None without a mistake
    updated : whether this is the state after the update
    places, slopes : arrays, of the updates so far, ascending, and G's slopes there
    areas : array, area between G and the guess after 0, 1, ... updates so far
    mistakes : so far, this question included
    limit : proved limit of mistakes
    """

    number: int
    of: int
    alpha: float
    place: float
    truth: float
    guess: float
    missed: bool
    curve: np.ndarray
    lines: Sequence[tuple[float, float]]
    tangent: tuple[float, float] | None
    updated: bool
    places: np.ndarray
    slopes: np.ndarray
    areas: np.ndarray
    mistakes: int
    limit: int

    @property
    def known(self) -> list[tuple[float, float]]:
        """The tangents known now."""
        return [*self.lines, self.tangent] if self.updated else list(self.lines)

    @property
    def rising(self) -> tuple[float, float]:
        """The new tangent where it starts, at the height of the guess, or where it ends."""
        slope, intercept = self.tangent
        return (slope, intercept if self.updated else self.guess - slope * self.place)


def record(
    function: FirstOrder, run: Run, lines: Sequence[tuple[float, float]], alpha: float
) -> list[Step]:
    """The trace of a run; a mistake has two states: asked, and updated.

    Parameters
    ----------
    function : has ``value`` and ``slope``
    run, lines : what was asked and learnt (``learner.convex_learner.learn``)
    """
    curve = function.value(GRID)
    limit = mistake_bounds.mistake_bound(alpha)
    misses = run.queries[run.missed]
    areas = np.array([area_left(curve, lines[:t]) for t in range(1, len(lines) + 1)])
    questions = zip(run.queries, run.truth, run.answers, run.missed, strict=True)
    trace = []
    t = 0
    for i, question in enumerate(questions):
        known = lines[: 1 + t]
        missed = bool(question[-1])
        tangent = lines[1 + t] if missed else None
        for updated in (False, True)[: 1 + missed]:
            places = np.sort(misses[: t + updated])
            state = places, function.slope(places), areas[: 1 + t + updated], t + missed, limit
            place = i + 1, len(run.queries), alpha
            trace.append(Step(*place, *question, curve, known, tangent, updated, *state))
        t += missed
    return trace


def area_left(curve: np.ndarray, lines: Sequence[tuple[float, float]]) -> float:
    """Area between G, (401,) on the grid of the pictures, and the maximum of some lines."""
    return float(np.trapezoid(curve - Tangents(lines).predict(GRID), GRID))


def frame_step(mode: str) -> Figure:
    """Left the curve, right the box of 2 by 1 that the rectangles must fit into."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.7, 1], sharey=False, names=["", ""]
    )
    style.linear_axis(left, "x", 0, 1, [0.2, 0.4, 0.6, 0.8])
    style.linear_axis(left, "y", -0.05, 0.8, [0, 0.2, 0.4, 0.6])
    style.linear_axis(right, "x", 0, 1, [0.2, 0.5, 0.8])
    style.linear_axis(right, "y", -1.08, 1.08, [-1, 0, 1])
    style.axis_titles(left, "place y", "average distance")
    style.axis_titles(right, "place y", "slope of G, at the mistakes")
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """The question, the gap, the tangent that rises, the area left; the rectangles so far."""
    left, right = fig.axes
    style.retitle(fig, f"Query {step.number} of {step.of}: {_verdict(step)}", _subtitle(step))
    style.pips(fig, step.mistakes, step.limit, "mistakes")
    _draw_areas(left, step)
    _draw_question(left, step)
    draw_rectangles(right, step.places, step.slopes)


def _verdict(step: Step) -> str:
    if step.updated:
        return "its tangent rises"
    return "a mistake" if step.missed else "within α, no update"


def _subtitle(step: Step) -> str:
    gap = style.number(abs(step.truth - step.guess))
    sign = ">" if step.missed else "≤"
    return f"off by {gap} {sign} α = {style.number(step.alpha)}"


def _draw_areas(ax: Axes, step: Step) -> None:
    """Between G and the guess, what is left; in yellow what this update took."""
    old, now = (Tangents(lines).predict(SHADED) for lines in (step.lines, step.known))
    appearance = {"lw": 0, "zorder": 1.2}
    ax.fill_between(SHADED, now, step.curve[::4], color=style.tint("released", 0.2), **appearance)
    if step.updated:
        ax.fill_between(SHADED, old, now, color=style.tint("event", 0.6), **appearance)
    words = f"area left: {style.number(step.areas[-1])}"
    style.note(ax, 0.03, 0.97, words, at="axes", va="top")


def _draw_question(ax: Axes, step: Step) -> None:
    """Truth, guess, tangents, and the point asked."""
    mode = ax.get_figure(root=True).mode
    draw_tangents(ax, step.lines[1:])
    if step.missed:
        slope, intercept = step.rising
        appearance = style.line("public", mode)
        ax.plot([0, 1], [intercept, intercept + slope], **appearance | {"lw": 2 * appearance["lw"]})
    ax.plot(GRID, step.curve, **style.line("truth", mode))
    guess = Tangents(step.known).predict(GRID)
    ax.plot(GRID, guess, **style.line("released", mode, marker=False))
    style.note(ax, 0.97, 0.97, "G (private)", "truth", at="axes", ha="right", va="top")
    style.note(ax, 0.97, 0.89, "guess", "released", at="axes", ha="right", va="top")
    if not step.missed:
        ax.plot([step.place], [step.guess], **style.points("released", mode))
        return
    if not step.updated:
        ax.plot([step.place] * 2, [step.guess, step.truth], **style.line("truth", mode))
    style.event_star(ax, step.place, step.truth)


def say_step(step: Step) -> str:
    """One sentence of reading."""
    question = f"Query {step.number} at {style.number(step.place)}"
    gap = step.truth - step.guess
    left = style.number(step.areas[-1])
    if step.updated:
        happened = (
            f"{question}: the line with the slope of G rises by {style.number(gap)} to touch G "
            f"and joins the tangents, so the area between G and the guess falls from "
            f"{style.number(step.areas[-2])} to {left}"
        )
    else:
        verdict = "a mistake, so the oracle tells value and slope" if step.missed else "near enough"
        happened = (
            f"{question}: the guess {style.number(step.guess, 3)} is off by "
            f"{style.number(abs(gap))}, {verdict}; the area between G and the guess is {left}"
        )
    return f"{happened}; {_counted(step.mistakes)} so far; at most {step.limit} are possible."


def _counted(mistakes: int) -> str:
    return "1 mistake" if mistakes == 1 else f"{mistakes} mistakes"


def table_step(step: Step) -> list[list[str]]:
    """The question, the count and the area."""
    return [
        ["", "number"],
        ["place", style.number(step.place, 3)],
        ["guess when asked", style.number(step.guess, 3)],
        ["truth", style.number(step.truth, 3)],
        ["mistakes so far", str(step.mistakes)],
        ["area between G and the guess", style.number(step.areas[-1], 3)],
    ]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_learner(
    function: FirstOrder, run: Run, lines: Sequence[tuple[float, float]], alpha: float
) -> Player:
    """Step through a run; arguments as in :func:`record`. It starts after the second update."""
    trace = record(function, run, lines, alpha)
    updates = [i for i, step in enumerate(trace) if step.updated]
    return Player(STEP, trace, start=updates[min(1, len(updates) - 1)] if updates else 0)
