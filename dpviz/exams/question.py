"""What an exam question is: what is asked, and the steps of its solution with their marks.

A number of a solution is computed twice: by the package or its formula, and by another way that
knows nothing of the first (an integral, an enumeration, a root). A drawing in which both could not
be asked for, or in which the answer gives nothing to do, is drawn again.

What is said stands in a lesson's TOML file, by the name of the function that draws the numbers:
``level``, ``question``, and ``steps``, pairs of marks and text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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


class Instance:
    """What was drawn for a question: an instance of its template.

    Parameters
    ----------
    numbers : of each step that has a number, in order: the number, and the same by a second way
    letters : what the texts call by these names
    """

    def __init__(self, *numbers: tuple[float, float], **letters: object):
        self.numbers = numbers
        self.letters = letters

    def question(self, text: str, steps: Sequence[tuple[int, str]]) -> Question:
        """The question with what was drawn in the places of its texts.

        >>> instance = Instance((4, 2 + 2), x=2)
        >>> str(instance.question("Double {x}.", [(1, "2·{x} is {}.")]).steps[0])
        '2·2 is 4.'
        """
        numbered = [i for i, (_, words) in enumerate(steps) if "{}" in words]
        numbers = dict(zip(numbered, self.numbers, strict=True))
        return Question(
            self._filled(text),
            tuple(
                Step(self._filled(words), marks, *numbers.get(i, ()))
                for i, (marks, words) in enumerate(steps)
            ),
        )

    def _filled(self, text: str) -> str:
        """A text without its line breaks; the place of a number stays open."""
        return " ".join(text.split()).replace("{}", "{{}}").format(**self.letters)


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
    """Where a function that changes its sign once is 0.

    >>> round(root(lambda x: x * x - 2, 0, 2), 9)
    1.414213562
    """
    from scipy.optimize import brentq

    return float(brentq(function, lower, upper))


def integral(function: Callable[[float], float], *ends: float) -> float:
    """An integral over neighbouring intervals, in each of which the function is smooth.

    >>> round(integral(np.exp, 0, 1), 12) == round(np.e - 1, 12)
    True
    """
    from scipy.integrate import quad

    return float(quad(function, ends[0], ends[-1], points=ends[1:-1] or None, epsrel=1e-10)[0])


def least(function: Callable[[float], float], lower: float, upper: float) -> tuple[float, float]:
    """Where a function that falls and then rises is least, over a wide range, and its value.

    >>> [round(each, 6) for each in least(lambda x: x + 4 / x, 0.01, 100)]
    [2.0, 4.0]
    """
    from scipy.optimize import minimize_scalar

    ends = math.log(lower), math.log(upper)
    best = minimize_scalar(
        lambda place: function(math.exp(place)), bounds=ends, options={"xatol": 1e-10}
    )
    return math.exp(best.x), float(best.fun)


def numbers(question: Question) -> Iterator[tuple[float, float]]:
    """Each number of a solution, by both ways."""
    for step in question.steps:
        if step.value is not None and step.again is not None:
            yield float(step.value), float(step.again)
