"""What an explorer can be asked to change: sliders, lists of words, records that are moved."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from dpviz.drawing import style
from dpviz.words import say

Places: TypeAlias = tuple[tuple[float, ...], ...]  # of records: a number each, or a pair
Value: TypeAlias = float | str | Places  # of a slider, of a list of words, of records
Cases: TypeAlias = Sequence[Mapping[str, Sequence[Value]]]

STOPS = 240  # of a slider that is continuous to a hand: more than its track has pixels
ALONG = 9  # places where a page without Python stores each record


def stops(
    lower: float,
    upper: float,
    *,
    log: bool = False,
    whole: bool = False,
    also: Sequence[float] = (),
) -> list[float]:
    """So many values from end to end that a slider never jumps, each with three digits.

    Parameters
    ----------
    lower, upper : ends, which are values themselves
    log : whether equal steps are equal factors
    whole : whether they are whole numbers
    also : values that must be among them

    >>> stops(0.1, 10, log=True, also=[0.5])[:3], len(stops(0, 1))
    ([0.1, 0.102, 0.104], 241)
    """
    space = np.geomspace if log else np.linspace
    digits = 3 if log else 4
    rounded = {float(f"{value:.{digits}g}") for value in space(lower, upper, STOPS + 1)}
    values = rounded | {float(value) for value in (*also, lower, upper)}
    return sorted({round(value) for value in values} if whole else values)


@dataclass(frozen=True, kw_only=True)
class Slider:
    """A slider over listed values.

    Attributes
    ----------
    name : argument of the compute function
    label : what stands beside it
    values : numbers in order; :func:`stops` lists those of a continuous quantity
    start : one of the values
    show : value -> text
    acts : where it changes something: cases, each a dict from other controls to their values
    """

    name: str
    label: str
    values: Sequence[float]
    start: float
    show: Callable[[float], str] = style.number
    acts: Cases = ()


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A list of words to choose from; arguments as in :class:`Slider`."""

    name: str
    label: str
    values: Sequence[str]
    start: str
    show: Callable[[str], str] = say
    acts: Cases = ()


@dataclass(frozen=True, kw_only=True)
class Points:
    """A few toy records, moved in the picture; its value is a tuple of places.

    Attributes
    ----------
    name, acts : as of a :class:`Slider`
    label : what one of them is called
    start : tuples of one or two numbers
    lower, upper : ends of each number; a place outside is moved to the edge
    fewest, most : how many there can be; equal if none can be added or taken away

    >>> bottles = Points(name="bottles", label="bottle", start=((0.2,), (0.4,)), lower=0, upper=1)
    >>> bottles.placed([[0.2], [1.7]])
    ((0.2,), (1.0,))
    """

    name: str
    label: str
    start: Places
    lower: float
    upper: float
    fewest: int = 1
    most: int = 30
    acts: Cases = ()

    @property
    def places(self) -> Sequence[float]:
        """Where a page without Python stores each record."""
        return [float(f"{at:.3g}") for at in np.linspace(self.lower, self.upper, ALONG)]

    @cached_property
    def values(self) -> list[Places]:
        """The start, and each record alone at each of :attr:`places`."""
        return self.around(self.start)

    def around(self, centre: Places, step: int = 1) -> list[Places]:
        """Some records, and each alone at every so many of :attr:`places`.

        >>> two = Points(name="two", label="dot", start=((0.5,), (0.2,)), lower=0, upper=1)
        >>> two.around(two.start, step=8)[:3]
        [((0.5,), (0.2,)), ((0.0,), (0.2,)), ((1.0,), (0.2,))]
        """
        moved = [
            (*centre[:i], (*point[:axis], at, *point[axis + 1 :]), *centre[i + 1 :])
            for i, point in enumerate(centre)
            for axis in range(len(point))
            for at in self.places[::step]
        ]
        return list(dict.fromkeys([centre, *moved]))

    def show(self, value: Places) -> str:
        """All places in words."""
        return ", ".join("(" + ", ".join(map(style.number, at)) + ")" for at in value)

    def placed(self, value: Sequence[Sequence[float]]) -> Places:
        """Places of records, each within its ends; ``ValueError`` if there cannot be so many."""
        width = len(self.start[0])
        told = [[float(x) for x in point] for point in value]
        if not self.fewest <= len(told) <= self.most:
            raise ValueError(
                f"{self.name} must be {self.fewest} to {self.most} places, not {len(told)}"
            )
        if any(len(point) != width or not all(map(math.isfinite, point)) for point in told):
            raise ValueError(f"{self.name} must be places of {width} finite numbers each")
        inside = np.clip(np.array(told), self.lower, self.upper).round(3)
        return tuple(tuple(point) for point in inside.tolist())


Control: TypeAlias = Slider | Choice | Points


@dataclass(frozen=True, kw_only=True)
class Handle:
    """A mark of the picture that moves a control: by pointer, by finger, by arrow keys.

    Attributes
    ----------
    mark : name of the mark, its matplotlib ``gid``; of :class:`Points`, of the line whose markers
        they are
    x, y : the control that a move along this axis changes; "" if none
    at : of each control that is not where its value is: value -> coordinate on the axis
    jump : whether a click anywhere in its panel brings it there
    """

    mark: str
    x: str = ""
    y: str = ""
    at: Mapping[str, Callable[..., float]] | None = None
    jump: bool = False

    def place(self, control: str, value: Value) -> float:
        """Coordinate of a control's value on its axis."""
        where = (self.at or {}).get(control)
        return float(where(value) if where else value)


@dataclass(frozen=True, kw_only=True)
class Click:
    """Marks of the picture that are pressed, each like a button, and set a control.

    Attributes
    ----------
    mark : name of a line, whose markers are pressed
    control : what they set
    names : of each marker, what it is called
    to : (value now, i) -> value after the i-th was pressed
    """

    mark: str
    control: str
    names: tuple[str, ...]
    to: Callable[[Any, int], Value]
