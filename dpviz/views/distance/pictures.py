"""Still pictures of lesson 03: the question, and which answers were measured."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from dpviz.papers.distance_queries.learner.convex_learner import FirstOrder
from dpviz.views import style
from dpviz.views.style import Figure

GRID = np.linspace(0, 1, 401)


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
    said = ", ".join(f"{name} {style.number(height)}" for name, height in heights.items())
    fig, ax = style.figure(
        f"A newcomer at {style.number(place)} is nearest to {nearest}",
        f"average distance to the bottles of each of {len(curves)} archives; star: the newcomer",
        alt=f"{len(curves)} bowls of average distance over 0 to 1. At {style.number(place)} they "
        f"stand at {said}; the lowest is {nearest}.",
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
    worst, beyond = style.number(float(np.abs(errors).max())), int((np.abs(errors) > bound).sum())
    last = int(updates.max(initial=1))
    kept = "all answers are" if not beyond else f"all answers but {beyond} are"
    fig, ax = style.figure(
        f"Of {style.number(k)} questions {len(updates)} are paid for",
        f"stars: paid; {allowed} are allowed; {kept} within the proved error",
        alt=f"Answer minus truth against the number of the question, 1 to {style.number(k)}, log "
        f"scale. {len(updates)} stars, all among the first {style.number(last)}. "
        f"The worst answer is off by {worst}, proved {style.number(bound)}.",
        mode=mode,
    )
    _draw_updates(ax, errors, updates, bound)
    style.axis_titles(ax, "question (log scale)", "answer − truth")
    ends = [(k, bound, "proved for all", "bound"), (k, -bound, "proved for all", "bound")]
    style.label_ends(ax, [*ends, (k, float(errors[-1]), "answers", "released")])
    return fig


def _draw_updates(ax: Axes, errors: np.ndarray, updates: np.ndarray, bound: float) -> None:
    """Errors as dots, the proved limits, a star where a question was measured."""
    k, mode = len(errors), ax.get_figure(root=True).mode
    style.log_axis(ax, "x", 0.8, 1.3 * k)
    style.linear_axis(ax, "y", -1.6 * bound, 1.6 * bound)
    x = np.arange(1, k + 1)
    ax.plot(x, errors, **style.points("released", mode) | {"ms": 2, "mew": 0})
    for side in (-1, 1):
        ax.axhline(side * bound, **style.line("bound", mode, marker=False) | {"lw": 0.9})
    for number in updates:
        style.event_star(ax, float(number), float(errors[number - 1]))
