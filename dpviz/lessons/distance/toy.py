"""Lesson 03 in the hand: five bottles, queries of your own, a purse that pays for mistakes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Explorer, Handle, Points, Slider, View, stops
from dpviz.lessons.distance.player import GRID, Step, record
from dpviz.lessons.learner.figures import draw_tangents
from dpviz.lessons.learner.toy import BOTTLES, distance
from dpviz.papers.distance_queries.learner.convex_learner import Tangents
from dpviz.papers.distance_queries.mechanism import l1

RECORDS = 2000  # equal ones that a bottle stands for, so that noise is not all there is
DELTA = 1e-6
QUESTIONS = ((0.05,), (0.95,), (0.5,), (0.25,), (0.75,), (0.4,), (0.1,), (0.6,))
MOST = 12  # questions
COINS = range(1, 9)
COIN = 0.06, 0.06, 1.08  # of the purse: place of its first coin, step to the next, height


@dataclass(frozen=True, eq=False)
class Paid:
    """A run of the mechanism on the bottles.

    Attributes
    ----------
    bottles : array of places in [0, 1]
    epsilon : of the whole run
    last : the state after the last question
    places, answers : arrays, one for each question
    error : proved, with probability 0.95
    """

    bottles: np.ndarray
    epsilon: float
    last: Step
    places: np.ndarray
    answers: np.ndarray
    error: float

    @property
    def worst(self) -> float:
        """How far the worst answer is off."""
        return float(np.abs(self.answers - distance(self.bottles, self.places)).max())


def pay(*, questions: Places, coins: int, epsilon: float, seed: int = 1) -> Paid:
    """Ask in order; each comparison and each tangent is noisy, and a coin pays for a tangent."""
    bottles = np.array([place for (place,) in BOTTLES])
    places = np.array([place for (place,) in questions])
    params = l1.Params(
        n=RECORDS * len(bottles),
        d=1,
        k=MOST,
        epsilon=epsilon,
        delta=DELTA,
        updates=int(coins),
        lower=0,
        upper=1,
    )
    curator = params.curator(rng=seed)
    mechanism = l1.Interactive(np.repeat(bottles, RECORDS), params, curator, trace=True)
    answers = np.array([mechanism.answer(place).value for place in places.tolist()])
    return Paid(bottles, epsilon, record(mechanism)[-1], places, answers, params.plan.error)


def frame_paid(mode: str) -> Figure:
    """Left the curve, the questions and the purse; right what was compared."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.35, 1], sharey=False, names=["", ""]
    )
    style.linear_axis(left, "x", 0, 1, [0.2, 0.4, 0.6, 0.8])
    style.linear_axis(left, "y", -0.05, 1.18, [0, 0.2, 0.4, 0.6, 0.8, 1])
    style.linear_axis(right, "x", 0, MOST + 1, [2, 4, 6, 8, 10, 12])
    style.linear_axis(right, "y", -0.3, 0.75, [-0.2, 0, 0.2, 0.4, 0.6])
    style.axis_titles(left, "place y", "average distance")
    style.axis_titles(right, "query", "truth − guess + noise")
    return fig


def paint_paid(fig: Figure, result: Paid) -> None:
    """Each answer at its question, the guess that was learnt, the coins that are left."""
    last = result.last
    asked = "1 query costs" if len(result.places) == 1 else f"{len(result.places)} queries cost"
    style.retitle(
        fig,
        f"{asked} {_coins(result)}; off by at most {style.number(result.worst)}",
        f"ε = {style.number(result.epsilon)}, proved {style.number(result.error)}; a bottle stands "
        f"for {style.number(RECORDS)} records",
    )
    left, right = fig.axes
    _draw_answers(left, result)
    _draw_purse(left, last)
    _draw_comparisons(right, last)


def _draw_answers(ax: Axes, result: Paid) -> None:
    mode = ax.get_figure(root=True).mode
    draw_tangents(ax, result.last.after[1:])
    ax.plot(GRID, distance(result.bottles, GRID), **style.line("truth", mode))
    guess = Tangents(result.last.after).predict
    ax.plot(GRID, guess(GRID), **style.line("released", mode, marker=False))
    ax.plot(result.bottles, 0 * result.bottles, **style.points("records", mode) | {"ms": 6})
    query = style.points("released", mode) | {"ms": 9, "gid": "query", "clip_on": False}
    ax.plot(result.places, result.answers, **query)
    style.note(ax, 0.97, 0.97, "truth (private)", "truth", at="axes", ha="right", va="top")
    style.note(ax, 0.97, 0.89, "answers", "released", at="axes", ha="right", va="top")


def _draw_purse(ax: Axes, last: Step) -> None:
    """A coin for each update that may happen; the last one can be pulled."""
    mode = ax.get_figure(root=True).mode
    start, step, height = COIN
    x = start + step * np.arange(last.allowed)
    coin = style.points("event", mode) | {"marker": "o", "ms": 9}
    ax.plot(x[last.used :], 0 * x[last.used :] + height, **coin)
    ax.plot(x[: last.used], 0 * x[: last.used] + height, **coin | {"mfc": "none"})
    edge = style.line("public", mode) | {"lw": 3, "gid": "purse"}
    ax.plot([x[-1] + step / 2] * 2, [height - 0.06, height + 0.06], **edge)


def _draw_comparisons(ax: Axes, last: Step) -> None:
    """What was compared, query by query: a noisy gap with a noisy threshold; a star where above.

    A line leads from each exact gap, a small dot, to what its noise has made of it.
    """
    mode = ax.get_figure(root=True).mode
    x = np.arange(1, last.number + 1)
    low, high = ax.get_ylim()
    compared = np.clip(last.compared, low, high)
    levels = np.clip(last.levels, low, high)
    gaps = np.clip(last.gaps, low, high)
    ax.axhline(last.threshold, **style.line("public", mode))
    ax.hlines(levels, x - 0.35, x + 0.35, color=style.INK, lw=1.8, zorder=4)
    ax.vlines(x, gaps, compared, color=style.INK, lw=1, zorder=2)
    ax.plot(x, gaps, **style.points("public", mode) | {"ms": 3})
    ax.plot(x, compared, **style.points("records", mode) | {"ms": 6})
    for i in np.flatnonzero(last.positives):
        style.event_star(ax, float(x[i]), float(compared[i]))
    style.note(ax, 0.97, 0.97, "— noisy threshold", "truth", at="axes", ha="right", va="top")
    style.note(ax, 0.97, 0.89, "○ gap with noise", "truth", at="axes", ha="right", va="top")


def _coins(result: Paid) -> str:
    """Of how many coins how many are spent."""
    last = result.last
    return f"{last.used} of {last.allowed} coin{'s' * (last.allowed > 1)}"


def say_paid(result: Paid) -> str:
    """One sentence of reading."""
    free = len(result.places) - result.last.used
    return (
        f"Below the noisy threshold and free: {free} of {len(result.places)}; paid: "
        f"{_coins(result)}. The worst answer is off by "
        f"{style.number(result.worst)}; proved: {style.number(result.error)}."
    )


def table_paid(result: Paid) -> list[list[str]]:
    """What was compared at each question."""
    last = result.last
    rows = zip(result.places, result.answers, last.compared, last.levels, strict=False)
    return [
        ["query", "answer", "gap + noise", "noisy threshold"],
        *([style.number(float(x), 3) for x in row] for row in rows),
    ]


PAID = View(frame_paid, paint_paid, say_paid, table_paid)


def explore_purse() -> Explorer:
    """Drag a query; a double click asks another one; pull the purse open for more coins."""
    epsilons = stops(0.01, 1, log=True, also=[0.03, 0.1, 0.2])
    controls = [
        Points(
            name="questions", label="query", start=QUESTIONS, lower=0, upper=1, fewest=1, most=MOST
        ),
        Slider(name="coins", label="C, coins", values=COINS, start=4),
        Slider(name="epsilon", label="ε", values=epsilons, start=0.2),
    ]
    presets = {
        "Four coins": {},
        "One coin": {"coins": 1},
        "Eight coins": {"coins": 8},
        "The same query": {"questions": ((0.9,),) * 8},
        "ε = 1": {"epsilon": 1},
        "ε = 0.03": {"epsilon": 0.03},
    }
    start, step, _ = COIN
    handles = [
        Handle(mark="query", x="questions"),
        Handle(mark="purse", x="coins", at={"coins": lambda count: start + step * (count - 0.5)}),
    ]
    return Explorer(pay, PAID, controls, presets, handles=handles)
