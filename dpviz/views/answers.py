"""What an exercise may ask for: a number, a choice, several numbers, a curve.

Each kind says which kind of slip an answer was, without giving the right one away. Nothing here
knows a widget: the face of an exercise stands in `dpviz.views.faces`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np

from dpviz.views.reading import several, single

SIGMAS = 4.9  # a normal value is further off with probability 9.6e-7
RIGHT = "Yes."
Given = TypeVar("Given", contravariant=True)  # what was typed, chosen or dragged


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


def written(value: object) -> str:
    """A computed answer as a reader would give it.

    >>> written(0.569), written((2, 1)), written("to the left")
    ('0.569', '2, 1', 'to the left')
    """
    if isinstance(value, str):
        return value
    return ", ".join(f"{number:.10g}" for number in np.atleast_1d(np.asarray(value, float)))


class Answer(Protocol[Given]):
    """What an exercise asks for."""

    right: str
    wrong: str

    def reads(self, value: Given) -> bool:
        """Whether it is an answer at all, right or wrong."""

    def judge(self, value: Given) -> str:
        """``RIGHT``, or one or two sentences about what went wrong."""


@dataclass(frozen=True, kw_only=True)
class Number:
    """A number, typed as a person writes one: 0.5, 1/2, ½, 0,5, 50 %, 2e-3.

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

    def reads(self, value: str) -> bool:
        """Whether one number was typed."""
        return not isinstance(single(value), str)

    def judge(self, value: str) -> str:
        """Read a number and compare it."""
        found = single(value)
        if isinstance(found, str):
            return found
        (number,) = found
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

    def reads(self, value: str) -> bool:
        """Whether it is one of the choices."""
        return value in self.options

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

    def reads(self, value: str) -> bool:
        """Whether so many numbers were typed."""
        return not isinstance(several(value, self.count), str)

    def judge(self, value: str) -> str:
        """Read the numbers and let ``check`` say what is wrong."""
        found = several(value, self.count)
        return found if isinstance(found, str) else self.check(np.array(found))


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

    def reads(self, value: Sequence[float]) -> bool:
        """Any heights."""
        return len(value) == len(self.places)

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
