"""An exam: lessons and a level, and a seed from which all its numbers are drawn."""

from __future__ import annotations

import secrets
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, wraps
from importlib import import_module
from importlib.resources import files
from typing import Any

import numpy as np

from dpviz.exams.question import LEVELS, Instance, Question, Template, draw

LESSONS = {
    "00": "start",
    "01": "privacy",
    "02": "learner",
    "03": "distance",
    "04": "embedding",
    "05": "sparse",
    "06": "smooth",
    "07": "cluster",
    "08": "fat_shattering",
    "09": "compare",
}
BITS = 128  # of a seed that nobody gave: too many to be tried


@dataclass(frozen=True)
class Exam:
    """A drawn exam.

    Attributes
    ----------
    lessons : numbers of lessons, such as "03"; level : 1 (apply), 2 (derive) or 3 (prove or design)
    seed : all numbers come from it; with it anybody draws the same exam
    questions : pairs of a lesson and a question, in the order of the lessons
    """

    lessons: tuple[str, ...]
    level: int
    seed: int
    questions: tuple[tuple[str, Question], ...]

    @property
    def marks(self) -> int:
        """What all questions are worth."""
        return sum(question.marks for _, question in self.questions)


def templates(lesson: str, level: int) -> tuple[Template, ...]:
    """The templates of a lesson at a level.

    Raises ValueError if there is no such lesson or level, or the lesson has none at this level.
    """
    if lesson not in LESSONS:
        raise ValueError(f"lessons must be of {' '.join(LESSONS)}, not {lesson!r}")
    if level not in LEVELS:
        raise ValueError(f"level must be 1, 2 or 3, not {level!r}")
    module = import_module(f"dpviz.exams.{LESSONS[lesson]}")
    tables = declarations(LESSONS[lesson]).items()
    asked = {name: table for name, table in tables if table["level"] == level}
    if not asked:
        raise ValueError(f"lesson {lesson} has no questions of level {level} ({LEVELS[level]})")
    return tuple(_template(getattr(module, name), table) for name, table in asked.items())


@cache
def declarations(name: str) -> dict[str, Any]:
    """The texts of a lesson's questions, by the names of the functions that draw them."""
    return tomllib.loads(files("dpviz.exams").joinpath(f"{name}.toml").read_text("utf-8"))


def _template(draws: Callable[[np.random.Generator], Instance], table: dict[str, Any]) -> Template:
    @wraps(draws)
    def question(rng: np.random.Generator) -> Question:
        return draws(rng).question(table["question"], table["steps"])

    return question


def draw_exam(lessons: Iterable[str], level: int, seed: int | None = None) -> Exam:
    """Draw an exam: every template of these lessons at this level, with fresh numbers.

    Parameters
    ----------
    lessons : numbers of lessons, such as "03"; level : 1 (apply), 2 (derive) or 3 (prove or design)
    seed : int >= 0; 128 fresh random bits without it, as a short one can be guessed

    Raises ValueError if a lesson or the level is unknown, a lesson is named twice or none is, or
    the seed is negative.

    >>> exam = draw_exam(["01"], level=3, seed=7)
    >>> [(lesson, question.marks) for lesson, question in exam.questions]
    [('01', 7)]
    """
    chosen = tuple(lessons)
    if not chosen or len(set(chosen)) < len(chosen):
        raise ValueError("lessons must name at least one lesson, and none twice")
    if seed is None:
        seed = secrets.randbits(BITS)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed must be an int >= 0, not {seed!r}")
    questions = []
    for lesson in chosen:
        for at, template in enumerate(templates(lesson, level)):
            stream = np.random.SeedSequence(seed, spawn_key=(int(lesson), level, at))
            questions.append((lesson, draw(template, np.random.default_rng(stream))))
    return Exam(chosen, level, seed, tuple(questions))
