"""Lesson 03 in the hand, before any noise: a guess, a purse, and a coin for each mistake."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Explorer, Handle, Points, Slider, View, stops
from dpviz.lessons.learner.figures import draw_tangents
from dpviz.lessons.learner.toy import BOTTLES, distance, tangent
from dpviz.papers.distance_queries.learner.convex_learner import Tangents
from dpviz.papers.distance_queries.learner.mistake_bounds import mistake_bound

QUERIES = ((0.5,), (0.25,))
MOST = 12  # queries
ROUNDING = 1e-9  # a gap of alpha, computed, may be a last digit more
GRID = np.linspace(0, 1, 201)
FIRST, STEP, HEIGHT = 0.05, 0.045, 0.72  # the purse: first coin, distance of the next, height


@dataclass(frozen=True, eq=False)
class Paid:
    """Queries in order, each answered by a guess or paid with a coin.

    Attributes
    ----------
    bottles, queries : arrays of places in [0, 1]
    alpha : a guess may be off by so much
    guesses, truths : arrays, one for each query, when it was asked
    mistakes : bool array, whether a coin was paid
    lines : tangents that were bought, the line zero first
    coins : how many the purse holds at first
    """

    bottles: np.ndarray
    queries: np.ndarray
    alpha: float
    guesses: np.ndarray
    truths: np.ndarray
    mistakes: np.ndarray
    lines: list[tuple[float, float]]
    coins: int

    @property
    def worst(self) -> float:
        """How far the worst guess that stands is off."""
        return float(np.max((self.truths - self.guesses)[~self.mistakes], initial=0))


def buy(*, bottles: Places, queries: Places, alpha: float, seed: int = 1) -> Paid:
    """Ask in order; a guess off by more than ``alpha`` costs a coin, which buys a tangent.

    Nothing is random, ``seed`` is not used.

    >>> buy(bottles=BOTTLES, queries=((0.5,), (0.25,), (0.0,), (1.0,)), alpha=0.2).mistakes.tolist()
    [True, False, True, False]
    """
    at = np.array([place for (place,) in bottles])
    places = np.array([place for (place,) in queries])
    truths = distance(at, places)
    learner = Tangents()
    guesses = []
    mistakes = []
    for place, truth in zip(places.tolist(), truths.tolist(), strict=True):
        guess = learner.height(place)
        mistake = truth - guess > alpha + ROUNDING
        if mistake:
            learner.update(place, truth, tangent(at, place)[0])
        guesses.append(guess)
        mistakes.append(mistake)
    asked = at, places, alpha, np.array(guesses), truths, np.array(mistakes)
    return Paid(*asked, learner.lines, mistake_bound(alpha))


def frame_bought(mode: str) -> Figure:
    """Axes of the curve."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", -0.05, 0.8, [0, 0.2, 0.4, 0.6])
    style.axis_titles(ax, "place y", "average distance to the bottles")
    return fig


def paint_bought(fig: Figure, result: Paid) -> None:
    """The bottles, their curve, the guess, each query with its gap, and the coins."""
    ax, mode = fig.axes[0], fig.mode
    style.retitle(fig, _title(result), _last(result))
    draw_tangents(ax, result.lines[1:])
    curve = distance(result.bottles, GRID)
    guess = Tangents(result.lines).predict(GRID)
    ax.plot(GRID, curve, **style.line("truth", mode))
    ax.plot(GRID, guess, **style.line("released", mode, marker=False))
    ax.vlines(result.queries, result.guesses, result.truths, color=style.INK, lw=1.2, zorder=3)
    bottle = style.points("records", mode) | {"ms": 9, "mfc": "white", "gid": "bottle"}
    ax.plot(result.bottles, 0 * result.bottles, **bottle, clip_on=False)
    asked = style.points("released", mode) | {"ms": 10, "gid": "query"}
    answers = np.where(result.mistakes, result.truths, result.guesses)
    ax.plot(result.queries, answers, **asked, clip_on=False)
    _draw_coins(ax, result)
    ends = [(1, curve[-1], "truth\n(private)", "truth"), (1, guess[-1], "guess", "released")]
    style.label_ends(ax, [*ends, (1, 0, "bottles\n(private)", "truth")])


def _draw_coins(ax: Axes, result: Paid) -> None:
    """A coin stands in the purse, or on the truth at the query that it has paid for."""
    mode = ax.get_figure(root=True).mode
    paid = np.column_stack([result.queries, result.truths])[result.mistakes]
    places = FIRST + STEP * np.arange(result.coins) * (2 if mode == "phone" else 1)
    gone, left = np.split(places, [len(paid)])
    rest = np.column_stack([left, np.full(len(left), HEIGHT)])
    coin = style.points("event", mode) | {"marker": "o", "ms": 10, "clip_on": False}
    ax.plot(gone, 0 * gone + HEIGHT, **coin | {"mfc": "none"})
    ax.plot(*np.concatenate([paid, rest]).T, **coin | {"zorder": 7})
    style.note(ax, FIRST, HEIGHT, "purse", "muted", dy=-11, va="top")


def _title(result: Paid) -> str:
    many = len(result.queries)
    asked = "1 query costs" if many == 1 else f"{many} queries cost"
    return f"{asked} {result.mistakes.sum()} of {result.coins} coins"


def _last(result: Paid) -> str:
    guess, truth = result.guesses[-1], result.truths[-1]
    verdict = "a coin" if result.mistakes[-1] else "free"
    return (
        f"α = {style.number(result.alpha)}; the last query: guess {guess:.2f}, truth {truth:.2f}, "
        f"gap {truth - guess:.2f}, so {verdict}"
    )


def say_bought(result: Paid) -> str:
    """One sentence of reading."""
    return (
        f"{len(result.bottles)} bottles. {_title(result)}; where none is spent, the guess is "
        f"off by at most {style.number(round(result.worst, 9))}."
    )


def table_bought(result: Paid) -> list[list[str]]:
    """Of each query the guess, the truth and what it cost."""
    rows = zip(result.queries, result.guesses, result.truths, result.mistakes, strict=True)
    return [
        ["query", "guess", "truth", "cost"],
        *(
            [
                style.number(float(y), 3),
                f"{guess:.2f}",
                f"{truth:.2f}",
                "a coin" if paid else "free",
            ]
            for y, guess, truth, paid in rows
        ),
    ]


BOUGHT = View(frame_bought, paint_bought, say_bought, table_bought)


def explore_queries() -> Explorer:
    """Drag a query or a bottle; a double click asks another query, Delete takes one back."""
    controls = [
        Points(name="bottles", label="bottle", start=BOTTLES, lower=0, upper=1, fewest=5, most=5),
        Points(name="queries", label="query", start=QUERIES, lower=0, upper=1, most=MOST),
        Slider(
            name="alpha",
            label="α, tolerated error",
            values=stops(0.05, 0.5, also=[0.1, 0.2]),
            start=0.2,
        ),
    ]
    presets = {
        "Two queries": {},
        "Three queries": {"queries": ((1.0,), (0.8,), (0.46,))},
        "Nine queries": {"queries": tuple((round(0.1 * i, 1),) for i in range(1, 10))},
        "α = 0.1": {"alpha": 0.1},
    }
    handles = [Handle(mark="query", x="queries"), Handle(mark="bottle", x="bottles")]
    return Explorer(buy, BOUGHT, controls, presets, random=False, handles=handles)
