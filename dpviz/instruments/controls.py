"""What an explorer can be asked to change: sliders over listed values, lists of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dpviz.drawing import style

Value: TypeAlias = float | str  # of a slider, or of a list of words
Cases: TypeAlias = Sequence[Mapping[str, Sequence[Value]]]


@dataclass(frozen=True, kw_only=True)
class Slider:
    """A slider over listed values.

    Attributes
    ----------
    name : argument of the compute function
    label : what stands beside it
    values : numbers in order
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
    acts: Cases = ()
