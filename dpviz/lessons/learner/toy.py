"""Lesson 02 in the hand: five bottles, their average distance, and tangents where you ask."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Explorer, Handle, Points, View
from dpviz.papers.distance_queries.learner.mistake_bounds import mistake_bound

BOTTLES = ((0.1,), (0.3,), (0.4,), (0.6,), (0.9,))

FORTY = tuple((place,) for place in (0.0, 0.25, 0.5, 0.75) for _ in range(10))
ALPHA = 0.1  # a guess may be off by this much
STACK = 0.02  # height of a bottle on another one

PARALLEL = 1e-9  # slopes that differ by less are those of one line


@dataclass(frozen=True, eq=False)
class Asked:
    """A curve and the best guess that its tangents allow.

    Attributes
    ----------
    bottles, queries : arrays of places in [0, 1]
    kinks : sorted array, both ends and every place where curve or guess may bend
    curve, guess : arrays, the average distance and the largest tangent at the kinks
    mistakes : queries at which the guess was off by more than ``ALPHA``
    """

    bottles: np.ndarray
    queries: np.ndarray
    kinks: np.ndarray
    curve: np.ndarray
    guess: np.ndarray
    mistakes: int

    @property
    def gap(self) -> float:
        """How far the guess is off where it is worst."""
        return round(float((self.curve - self.guess).max()), 9)

    @property
    def area(self) -> float:
        """What lies between curve and guess."""
        return round(float(np.trapezoid(self.curve - self.guess, self.kinks)), 9)


def distance(bottles: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The average distance of some places to all bottles.

    >>> distance(np.array([0.1, 0.3, 0.4, 0.6, 0.9]), np.array([0.0])).round(2).tolist()
    [0.46]
    """
    return np.abs(bottles[:, None] - places).mean(axis=0)


def tangent(bottles: np.ndarray, place: float) -> tuple[float, float]:
    """Slope and value at zero of the tangent at a place; at a bottle the one to its left."""
    slope = float(np.mean(np.where(bottles < place, 1.0, -1.0)))
    return slope, float(distance(bottles, np.array([place]))[0] - slope * place)


def ask(*, bottles: Places, queries: Places, seed: int = 1) -> Asked:
    """Ask for a tangent at each place; nothing is random, ``seed`` is not used."""
    at = np.array([place for (place,) in bottles])
    places = np.array([place for (place,) in queries])
    lines = [tangent(at, place) for place in places] + [(0.0, 0.0)]
    kinks = np.unique(np.clip([0.0, 1.0, *at, *crossings(lines)], 0, 1))
    guess = np.max([slope * kinks + start for slope, start in lines], axis=0)
    return Asked(at, places, kinks, distance(at, kinks), guess, _mistakes(at, places))


def _mistakes(bottles: np.ndarray, places: np.ndarray) -> int:
    """How often the largest tangent was off by more than ``ALPHA`` when it was asked.

    >>> _mistakes(np.repeat([0, 0.25, 0.5, 0.75], 10), np.linspace(0, 1, 5))
    5
    """
    learnt = [(0.0, 0.0)]
    mistakes = 0
    for place, truth in zip(places.tolist(), distance(bottles, places).tolist(), strict=True):
        guess = max(slope * place + start for slope, start in learnt)
        mistakes += truth - guess > ALPHA + PARALLEL
        learnt.append(tangent(bottles, place))
    return mistakes


def crossings(lines: list[tuple[float, float]]) -> list[float]:
    """Where two of some lines (slope, value at zero) meet.

    >>> crossings([(1, 0), (-1, 1), (1, 5)])
    [0.5, -2.0]
    """
    pairs = itertools.combinations(lines, 2)
    return [(d - b) / (a - c) for (a, b), (c, d) in pairs if abs(a - c) > PARALLEL]


def frame_asked(mode: str) -> Figure:
    """Axes of the curve."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", -0.05, 0.8, [0, 0.2, 0.4, 0.6, 0.8])
    style.axis_titles(ax, "place y", "average distance to the bottles")
    return fig


def paint_asked(fig: Figure, result: Asked) -> None:
    """The bottles, their curve, a tangent at each query, and what the tangents leave open."""
    ax, mode = fig.axes[0], fig.mode
    style.retitle(fig, _title(result), _subtitle(result))
    left = style.tint("released", 0.2)
    ax.fill_between(result.kinks, result.guess, result.curve, color=left, lw=0, zorder=1.2)
    for place in result.queries:
        slope, start = tangent(result.bottles, float(place))
        ax.plot([0, 1], [start, start + slope], **style.line("public", mode))
    ax.plot(result.kinks, result.curve, **style.line("truth", mode))
    ax.plot(result.kinks, result.guess, **style.line("released", mode, marker=False))
    bottle = style.points("records", mode) | {"ms": 9, "mfc": "white", "gid": "bottle"}
    ax.plot(result.bottles, STACK * _below(result.bottles), **bottle, clip_on=False)
    query = style.points("event", mode) | {"marker": "o", "ms": 9, "gid": "query"}
    ax.plot(result.queries, distance(result.bottles, result.queries), **query, clip_on=False)
    ends = [(1, result.curve[-1], "truth G\n(private)", "truth")]
    ends += [
        (1, result.guess[-1], "largest\ntangent", "released"),
        (1, 0, "bottles\n(private)", "truth"),
    ]
    style.label_ends(ax, ends)


def paint_counted(fig: Figure, result: Asked) -> None:
    """The same, with the mistakes counted."""
    paint_asked(fig, result)
    style.retitle(fig, _title(result), f"{_subtitle(result)}; {_counted(result)} at α = {ALPHA}")


def _title(result: Asked) -> str:
    many = len(result.queries)
    tangents = "1 tangent" if many == 1 else f"{many} tangents"
    return f"{tangents}: {_off(result)}"


def _off(result: Asked) -> str:
    exact = result.gap < 1e-9
    return "exact everywhere" if exact else f"off by at most {style.number(result.gap)}"


def _subtitle(result: Asked) -> str:
    return f"{len(result.bottles)} bottles; shaded area {style.number(result.area)}"


def _counted(result: Asked) -> str:
    mistakes = "1 mistake" if result.mistakes == 1 else f"{result.mistakes} mistakes"
    return f"{mistakes} of at most {mistake_bound(ALPHA)}"


def _below(bottles: np.ndarray) -> np.ndarray:
    """How many bottles before it stand at the same place.

    >>> _below(np.array([0.5, 0.2, 0.5])).tolist()
    [0, 0, 1]
    """
    return np.array([np.count_nonzero(bottles[:i] == place) for i, place in enumerate(bottles)])


def say_asked(result: Asked) -> str:
    """One sentence of reading."""
    worst = float(result.kinks[np.argmax(result.curve - result.guess)])
    at = f", at {style.number(worst)}" if result.gap >= 1e-9 else ""
    many = len(result.queries)
    tangents = "a tangent" if many == 1 else f"the largest of {many} tangents"
    return f"{len(result.bottles)} bottles and {tangents}: the guess is {_off(result)}{at}."


def say_counted(result: Asked) -> str:
    """The same, with the mistakes counted."""
    return f"{say_asked(result)[:-1]}; {_counted(result)}."


def table_asked(result: Asked) -> list[list[str]]:
    """Of each query its tangent."""
    rows = [
        [style.number(float(y), 3), *(style.fixed(x, 2) for x in tangent(result.bottles, y))]
        for y in np.sort(result.queries)
    ]
    return [["query", "slope", "value at 0"], *rows]


ASKED = View(frame_asked, paint_asked, say_asked, table_asked)
COUNTED = View(frame_asked, paint_counted, say_counted, table_asked)


def explore_bottles() -> Explorer:
    """Drag a bottle or a query; a double click asks at another place, Delete takes one back."""
    controls = [
        Points(name="bottles", label="bottle", start=BOTTLES, lower=0, upper=1, fewest=5, most=5),
        Points(name="queries", label="query", start=((0.5,),), lower=0, upper=1, most=12),
    ]
    presets = {
        "One query": {},
        "Three": {"queries": ((0.05,), (0.5,), (0.75,))},
        "All six slopes": {"queries": ((0.05,), (0.2,), (0.35,), (0.5,), (0.7,), (0.95,))},
        "Two groups": {"bottles": ((0.1,), (0.15,), (0.8,), (0.85,), (0.9,))},
    }
    handles = [Handle(mark="bottle", x="bottles"), Handle(mark="query", x="queries")]
    return Explorer(ask, ASKED, controls, presets, random=False, handles=handles)


def explore_forty() -> Explorer:
    """Make as many mistakes as the bound allows: forty bottles, so many kinks are there."""
    controls = [
        Points(name="bottles", label="bottle", start=FORTY, lower=0, upper=1, fewest=40, most=40),
        Points(name="queries", label="query", start=((0.0,),), lower=0, upper=1, most=12),
    ]
    presets = {
        "One query": {},
        "From left to right": {"queries": ((0.0,), (0.25,), (0.5,), (0.75,), (1.0,))},
        "The middle first": {"queries": ((0.5,), (1.0,), (0.0,), (0.75,), (0.25,))},
    }
    handles = [Handle(mark="query", x="queries"), Handle(mark="bottle", x="bottles")]
    return Explorer(ask, COUNTED, controls, presets, random=False, handles=handles)
