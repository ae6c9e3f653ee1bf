"""What an exercise may ask for: a number, a choice, several numbers, a curve.

Each kind knows its input widget, reads what was given, and says which kind of slip it was
without giving the answer away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import ipywidgets as widgets
import numpy as np

from dpviz.views import style

SIGMAS = 4.9  # a normal value is further off with probability 9.6e-7
RIGHT = "Yes."
Given = TypeVar("Given", contravariant=True)  # what an input widget holds


def tolerance(sd: float, trials: int) -> float:
    """How far a right answer read off the mean of random trials may lie: once in a million.

    Parameters
    ----------
    sd : standard deviation of one trial
    trials : number of trials averaged

    >>> round(tolerance(120.0, 400), 1)
    29.4
    """
    return SIGMAS * sd / math.sqrt(trials)


class Answer(Protocol[Given]):
    """What an exercise asks for."""

    right: str
    wrong: str

    def input(self) -> widgets.Widget:
        """The widget in which the answer is given; its ``value`` is judged."""

    def judge(self, value: Given) -> str:
        """``RIGHT``, or one or two sentences about what went wrong."""


@dataclass(frozen=True, kw_only=True)
class Number:
    """A number, typed; fractions and powers like 1/9 or 2**-10 are not needed.

    Attributes
    ----------
    value : the right number
    within : how far a right answer may be off (0: exactly)
    slips : dict from a wrong number to what to say about it (as close as ``within``, or 1 %)
    otherwise : what to say about any other number
    """

    value: float
    slips: Mapping[float, str] = field(default_factory=dict)
    within: float = 0.0
    otherwise: str = "Not this one. Which relation did you use, and what did you put in?"

    @property
    def right(self) -> str:
        """A right answer, as it would be typed."""
        return f"{self.value:.10g}"

    @property
    def wrong(self) -> str:
        """A wrong one."""
        return f"{next(iter(self.slips), self.value + 10 * self.within + 1):.10g}"

    def input(self) -> widgets.Text:
        """A line to type in."""
        return widgets.Text(placeholder="a number", layout={"width": "160px"})

    def judge(self, value: str) -> str:
        """Read a number and compare it."""
        try:
            number = float(value.replace(",", "").replace("−", "-"))
        except ValueError:
            return f"Please type one number, not {value!r}." if value else "Please type a number."
        if abs(number - self.value) <= self.within + 1e-9 * abs(self.value):
            return RIGHT
        for slip, said in self.slips.items():
            if abs(number - slip) <= max(self.within, 0.01 * abs(slip)):
                return said
        return self.otherwise


@dataclass(frozen=True, kw_only=True)
class Pick:
    """One of several words.

    Attributes
    ----------
    options : dict from each choice to what to say about it; exactly one says ``RIGHT``
    """

    options: Mapping[str, str]

    @property
    def right(self) -> str:
        """The right choice."""
        return next(word for word, said in self.options.items() if said == RIGHT)

    @property
    def wrong(self) -> str:
        """A wrong one."""
        return next(word for word, said in self.options.items() if said != RIGHT)

    def input(self) -> widgets.Dropdown:
        """The list to choose from."""
        return widgets.Dropdown(options=["choose ...", *self.options], layout={"width": "300px"})

    def judge(self, value: str) -> str:
        """What is said about the choice."""
        return self.options.get(value, "Please choose one.")


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Several numbers, typed with commas: a curve at stated places, or a construction.

    Attributes
    ----------
    check : array -> ``RIGHT`` or what is wrong
    right, wrong : examples, as typed
    count : how many numbers are asked for; any number of them if 0
    """

    check: Callable[[np.ndarray], str]
    right: str
    wrong: str
    count: int = 0

    def input(self) -> widgets.Text:
        """A line to type in."""
        return widgets.Text(placeholder="numbers, with commas", layout={"width": "420px"})

    def judge(self, value: str) -> str:
        """Read the numbers and let ``check`` say what is wrong."""
        words = [word for word in value.replace(",", " ").split() if word]
        try:
            numbers = np.array([_fraction(word) for word in words])
        except (ValueError, ZeroDivisionError):
            return "Please type numbers with commas, such as 0, 1/4, 0.5."
        if not len(numbers) or (self.count and len(numbers) != self.count):
            return f"Please type {self.count or 'some'} numbers, not {len(numbers)}."
        if not np.isfinite(numbers).all():
            return "Please type finite numbers."
        return self.check(numbers)


class Sliders(widgets.HBox):
    """Upright sliders side by side; ``value`` is the tuple of their heights."""

    def __init__(self, places: Sequence[float], low: float, high: float):
        look = {"min": low, "max": high, "step": (high - low) / 100, "orientation": "vertical"}
        names = [style.number(place) for place in places]
        self.bars = [
            widgets.FloatSlider(value=low, description=name, layout={"width": "64px"}, **look)
            for name in names
        ]
        super().__init__(self.bars)

    @property
    def value(self) -> tuple[float, ...]:
        """The heights, from left to right."""
        return tuple(bar.value for bar in self.bars)

    @value.setter
    def value(self, heights: Sequence[float]) -> None:
        for bar, height in zip(self.bars, heights, strict=True):
            bar.value = height


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A curve at stated places, dragged with upright sliders.

    Attributes
    ----------
    places : where the heights are asked
    heights : the right heights
    within : how far each may be off
    low, high : range of the sliders
    """

    places: Sequence[float]
    heights: Sequence[float]
    within: float
    low: float
    high: float

    @property
    def right(self) -> str:
        """The right heights."""
        return ", ".join(f"{height:.4g}" for height in self.heights)

    @property
    def wrong(self) -> str:
        """Everything at the bottom."""
        return ", ".join([f"{self.low:g}"] * len(self.places))

    def input(self) -> Sliders:
        """One slider for each place."""
        return Sliders(self.places, self.low, self.high)

    def judge(self, value: Sequence[float]) -> str:
        """Level, direction or shape: which is off?"""
        drawn, truth = np.array(value), np.array(self.heights)
        if np.abs(drawn - truth).max() <= self.within:
            return RIGHT
        if np.ptp(drawn) == 0:
            return "A flat line: does the answer not depend on the place?"
        if np.abs((drawn - truth) - np.mean(drawn - truth)).max() <= self.within:
            return "The shape is right, the level is not. What is the value at one end?"
        if np.corrcoef(drawn, truth)[0, 1] < 0:
            return "It goes the other way. Where is it lowest?"
        return "The level is about right, the shape is not. How steep can it be at the ends?"


def _fraction(word: str) -> float:
    """0.25 or 1/4."""
    top, _, bottom = word.partition("/")
    return float(top) / float(bottom) if bottom else float(top)
