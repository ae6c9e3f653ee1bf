"""What an exam question is: what is asked, and the steps of its solution with their marks.

A number of a solution is computed twice: by the package or its formula, and by another way that
knows nothing of the first (an integral, an enumeration, a root). A drawing in which both could not
be asked for, or in which the answer gives nothing to do, is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TypeVar

import numpy as np

LEVELS = {1: "apply", 2: "derive", 3: "prove or design"}
TRIES = 100  # drawings of one question until it is none that is refused
T = TypeVar("T")


class DegenerateError(Exception):
    """A drawing that leaves nothing to ask: it is drawn again."""


@dataclass(frozen=True)
class Step:
    """A step of a solution.

    Attributes
    ----------
    text : Markdown; its number stands where it has ``{}``
    marks : int >= 1, what it is worth
    value, again : the number, and the same by a second way; None where there is none
    """

    text: str
    marks: int
    value: float | None = None
    again: float | None = None

    def __str__(self) -> str:
        return self.text if self.value is None else self.text.replace("{}", written(self.value))


@dataclass(frozen=True)
class Question:
    """A drawn question.

    Attributes
    ----------
    asked : Markdown; steps : of the model solution, in order
    """

    asked: str
    steps: tuple[Step, ...]

    @property
    def marks(self) -> int:
        """What the whole question is worth."""
        return sum(step.marks for step in self.steps)


Template = Callable[[np.random.Generator], Question]


def draw(template: Template, rng: np.random.Generator) -> Question:
    """A question, drawn until it is not degenerate.

    Raises ValueError if a hundred drawings were.
    """
    for _ in range(TRIES):
        try:
            return template(rng)
        except DegenerateError:
            continue
    raise ValueError(f"{template.__name__} gave {TRIES} degenerate questions, one after the other")


def one_of(rng: np.random.Generator, *values: T) -> T:
    """One of some values, each as likely as another."""
    return values[int(rng.integers(len(values)))]


def written(value: float) -> str:
    """A number as a solution writes it: whole, or with three significant digits.

    >>> [written(each) for each in (12_000.0, 0.0375, 1234.56, 3.5e-7)]
    ['12,000', '0.0375', '1,235', '0.00000035']
    """
    if value == round(value):
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:,.0f}"


def power(base: str, exponent: float | str) -> str:
    """A power as a question writes it; the first is the base itself.

    >>> power("C", 1.0), power("t", 0.5), power("n", "2/3")
    ('C', 't^(0.5)', 'n^(2/3)')
    """
    return base if exponent == 1 else f"{base}^({exponent})"


def root(function: Callable[[float], float], lower: float, upper: float) -> float:
    """Where a function that changes its sign once is 0, by halving.

    >>> round(root(lambda x: x * x - 2, 0, 2), 9)
    1.414213562
    """
    rises = function(upper) > function(lower)
    for _ in range(70):
        middle = (lower + upper) / 2
        lower, upper = (lower, middle) if (function(middle) > 0) == rises else (middle, upper)
    return (lower + upper) / 2


def integral(function: Callable[[np.ndarray], np.ndarray], *ends: float) -> float:
    """An integral over neighbouring intervals, in each of which the function is smooth.

    >>> round(integral(np.exp, 0, 1), 12) == round(np.e - 1, 12)
    True
    """
    nodes, weights = rule()
    halves = [(b - a) / 2 for a, b in pairwise(ends)]
    middles = [(b + a) / 2 for a, b in pairwise(ends)]
    return float(
        sum(
            half * weights @ function(middle + half * nodes)
            for half, middle in zip(halves, middles, strict=True)
        )
    )


@cache
def rule() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre on [-1, 1]."""
    return np.polynomial.legendre.leggauss(200)


def least(function: Callable[[float], float], lower: float, upper: float) -> tuple[float, float]:
    """Where a function that falls and then rises is least, over a wide range, and its value.

    >>> [round(each, 6) for each in least(lambda x: x + 4 / x, 0.01, 100)]
    [2.0, 4.0]
    """
    golden = (math.sqrt(5) - 1) / 2
    left, right = math.log(lower), math.log(upper)
    for _ in range(80):
        low, high = right - golden * (right - left), left + golden * (right - left)
        if function(math.exp(low)) < function(math.exp(high)):
            right = high
        else:
            left = low
    place = math.exp((left + right) / 2)
    return place, function(place)


def numbers(question: Question) -> Iterator[tuple[float, float]]:
    """Each number of a solution, by both ways."""
    for step in question.steps:
        if step.value is not None and step.again is not None:
            yield float(step.value), float(step.again)
