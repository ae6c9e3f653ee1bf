"""Whether something that is seen above a question gives its answer away.

Seen is all that is not folded: text, visible code with its names, what was printed, the words of
pictures and their alternative texts, questions asked before, and the tags of the cells. A number
is found however it is written: 5,002, 5_002, 5e3, 5{,}002.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

import anatomy

from dpviz.exercises.answers import Number, Pick, readings, several
from dpviz.lesson import Cell, Lesson

DIGITS = re.compile(r"[-−]?(?:\d[\d_, \u202f\u00a0]*\d|\d)?(?:\.\d+|\d)(?:[eE][+-]?\d+)?\s?%?")
FOLDED = re.compile(r"<details\b(?![^>]*\bopen\b).*?</details>", re.DOTALL)


def seen(cell: Cell) -> str:
    """Everything of a cell that a reader sees without unfolding it, and its tags."""
    parts = [" ".join(sorted(cell.tags))]
    if cell.is_text:
        parts.append(unwrapped(cell.source))
    elif not (cell.is_folded or cell.is_check):
        parts.append(cell.source)
    if not cell.is_text and not cell.is_check:
        parts += [anatomy.plain(FOLDED.sub(" ", text)) for text in anatomy.outputs(cell)]
    return "\n".join(parts)


def unwrapped(text: str) -> str:
    """A text without what is folded in it."""
    former = ""
    while former != text:
        former, text = text, FOLDED.sub(" ", text)
    return text


def numbers(text: str) -> Iterator[float]:
    """Every number that a text can be read to hold, in its digits."""
    text = text.replace("{,}", ",").replace("\\,", "")
    for digits in DIGITS.findall(text):
        token = digits.replace("_", "").strip(" ,")
        yield from readings(token)
        for part in re.split(r"[, ]+", token):
            yield from readings(part)


def plainly(text: str) -> str:
    """Words in small letters, with nothing between them but blanks."""
    return " ".join(re.findall(r"[\w.%]+", text.lower().replace("_", " ")))


def spoilers(answer: object, text: str, other: tuple[float | str, ...] = ()) -> list[str]:
    """What in a text gives an answer away.

    Parameters
    ----------
    answer : of an exercise: a number, a choice, several numbers
    text : what is seen
    other : numbers and names that do not give it away there
    """
    right = answer.right
    if right in other:
        return []
    if isinstance(answer, Number):
        values, within = [answer.value], answer.within
    elif isinstance(answer, Pick):
        found = [right] if f" {plainly(right)} " in f" {plainly(text)} " else []
        large = [value for value in numbers(right) if abs(value) >= 10 or value % 1]
        values, within = ([] if found else large), 0.0
        if found:
            return found
    else:
        listed = several(right)
        found = plainly(right) in plainly(text)
        return [right] if found and not isinstance(listed, str) else []
    known = [
        number
        for number in numbers(text)
        for value in values
        if abs(abs(number) - abs(value)) <= max(within, 0.005 * abs(value))
    ]
    return [f"{number:g}" for number in known if number not in other]


def questions(lesson: Lesson) -> Iterator[tuple[Cell, object]]:
    """The cells that ask for a prediction before it is computed, with the exercise."""
    room = lesson_room(lesson)
    for cell in lesson.tagged("prediction"):
        for maker in re.findall(r"exercises\.(\w+)\(\)\.ask\(\)", cell.source):
            yield cell, getattr(room, maker)()


def lesson_room(lesson: Lesson) -> object:
    """The module of a lesson's exercises, as its code imports it."""
    code = "\n".join(cell.source for cell in lesson.cells if not cell.is_text)
    name = re.search(r"^from (dpviz\.lessons\.\w+) import (?:.*, )?exercises", code, re.MULTILINE)[
        1
    ]
    return importlib.import_module(f"{name}.exercises")


def faults(lesson: Lesson) -> Iterator[str]:
    """Every question of a lesson that is given away, and by what."""
    for asked, exercise in questions(lesson):
        other = tuple(asked.stored["metadata"].get("elsewhere", ()))
        for cell in lesson.cells[: asked.at + 1]:
            text = seen(cell)
            if cell is asked:  # its choices are among what is asked
                text = re.sub(r"<ul>.*?</ul>", " ", text) if cell.is_text else cell.source
                text += "\n" + anatomy.plain(exercise.question)
            for found in spoilers(exercise.answer, text, other):
                yield f"cell {asked.at} ({exercise.name}): {found} stands in cell {cell.at}"
