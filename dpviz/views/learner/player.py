"""The player of lesson 02: query by query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.papers.distance_queries.learner import mistake_bounds
from dpviz.papers.distance_queries.learner.convex_learner import FirstOrder, Run, Tangents
from dpviz.views import style
from dpviz.views.learner.figures import GRID, draw_tangents
from dpviz.views.learner.mistakes import draw_rectangles
from dpviz.views.player import Player, View
from dpviz.views.style import Figure


@dataclass(frozen=True, eq=False)
class Step:
    """The state at one question: pure data.

    Attributes
    ----------
    number, of : which question of how many
    alpha : tolerated error
    place, truth, guess, missed : the question asked
    curve : array, the truth on the grid of the pictures
    lines : tangents known before the question
    places, slopes : arrays, of the mistakes so far (this question included), and G's slopes there
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
    lines: list[tuple[float, float]]
    places: np.ndarray
    slopes: np.ndarray
    limit: int


def record(
    function: FirstOrder, run: Run, lines: list[tuple[float, float]], alpha: float
) -> list[Step]:
    """The trace of a run, one state a question.

    Parameters
    ----------
    function : has ``value`` and ``slope``
    run, lines : what was asked and learnt (``learner.convex_learner.learn``)
    """
    curve, limit = function.value(GRID), mistake_bounds.mistake_bound(alpha)
    mistakes = np.concatenate([[0], np.cumsum(run.missed)])
    asked = run.queries[run.missed]
    questions = zip(run.queries, run.truth, run.answers, run.missed, strict=True)
    trace = []
    for i, question in enumerate(questions):
        places = np.sort(asked[: mistakes[i + 1]])
        known = lines[: 1 + mistakes[i]]
        slopes = function.slope(places)
        trace.append(
            Step(i + 1, len(run.queries), alpha, *question, curve, known, places, slopes, limit)
        )
    return trace


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
    """The question, the gap, the tangents; the rectangles so far."""
    left, right = fig.axes
    verdict = "a mistake, so update" if step.missed else "within α, no update"
    style.retitle(fig, f"Query {step.number}: {verdict}", _subtitle(step))
    style.pips(fig, len(step.places), step.limit, "mistakes")
    _draw_question(left, step)
    draw_rectangles(right, step.places, step.slopes)


def _draw_question(ax: Axes, step: Step) -> None:
    """Truth, guess, tangents, and the point asked."""
    mode = ax.get_figure(root=True).mode
    draw_tangents(ax, step.lines[1:])
    ax.plot(GRID, step.curve, **style.line("truth", mode))
    guess = Tangents(step.lines).predict(GRID)
    ax.plot(GRID, guess, **style.line("released", mode, marker=False))
    if step.missed:
        ax.plot([step.place] * 2, [step.guess, step.truth], **style.line("truth", mode))
        style.event_star(ax, step.place, step.truth)
    else:
        ax.plot([step.place], [step.guess], **style.points("released", mode))


def _subtitle(step: Step) -> str:
    gap = style.number(abs(step.truth - step.guess))
    sign = ">" if step.missed else "≤"
    return f"of {step.of}; off by {gap} {sign} α = {style.number(step.alpha)}"


def say_step(step: Step) -> str:
    """One sentence of reading."""
    verdict = "so the tangent there is added" if step.missed else "so nothing is learnt"
    return (
        f"Question {step.number} at {style.number(step.place)}: the guess "
        f"{style.number(step.guess, 3)} is off by {style.number(abs(step.truth - step.guess))}, "
        f"{verdict}; {len(step.places)} mistakes so far; at most {step.limit} are possible."
    )


def table_step(step: Step) -> list[list[str]]:
    """The question and the count."""
    return [
        ["", "number"],
        ["place", style.number(step.place, 3)],
        ["guess", style.number(step.guess, 3)],
        ["truth", style.number(step.truth, 3)],
        ["mistakes so far", str(len(step.places))],
    ]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_learner(
    function: FirstOrder, run: Run, lines: list[tuple[float, float]], alpha: float
) -> Player:
    """Step through a run; arguments as in :func:`record`. It starts at the third mistake."""
    trace = record(function, run, lines, alpha)
    mistakes = [i for i, step in enumerate(trace) if step.missed]
    return Player(STEP, trace, start=mistakes[min(2, len(mistakes) - 1)] if mistakes else 0)
