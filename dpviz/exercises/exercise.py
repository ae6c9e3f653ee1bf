"""Predict, check, hint, reveal: an exercise that says what is wrong without saying the answer.

The kinds of answers stand in `dpviz.exercises.answers`; functions that a reader writes, in
`dpviz.exercises.program`. Earlier answers are kept and shown. A prediction holds back what happened
until it was answered or waived. What was answered to an exercise on a page is kept beside the
lessons (`dpviz.exercises.record`). Nothing here knows a widget:
`dpviz.exercises.faces` puts an exercise on a page.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpviz.drawing.stills import drawn_in
from dpviz.exercises.answers import RIGHT, Answer, Given, Pick, spoken, written
from dpviz.exercises.predictions import page_of, review
from dpviz.exercises.record import Record, here
from dpviz.words import interface, lesson, other, say


@dataclass(frozen=True)
class Reply:
    """What is said to an answer, or as a hint.

    Attributes
    ----------
    lines : sentences; right : whether the answer was right
    reveal : HTML shown between the first sentence and the others
    """

    lines: tuple[str, ...]
    right: bool = False
    reveal: str = ""


class Exercise:
    """A question with its answer, hints, solution and what is revealed after the first try.

    Parameters
    ----------
    question : the task in HTML (its text is what a page without widgets shows)
    answer : an :class:`Answer`; hints : sentences, shown one by one; solution : HTML, folded
    reveal : HTML shown after the first answer, right or wrong

    Attributes
    ----------
    tries : what was answered, as typed or chosen; predicted : the first answer that could be read
    met : whether that was right; waived : whether the reader asked to be shown
    asked : whether it was asked before what happens is computed (:meth:`ask`)
    mode : a name in `roles.MODES`, the size of the pictures that are held back
    buttons : what its face offers to press; said : what is said before anything was pressed
    name : its lesson's folder and its own, e.g. "start.half_the_noise"; "" if it has none
    record : where its answers are kept, once it is shown on a page
    solutions : whether solutions are shown at all; not in a student build
    marks : what its solution is worth; 0 where it is not marked
    """

    buttons: tuple[str, ...] = ("check", "hint", "reset")
    said = Reply(())
    name = ""
    asked = False
    record: Record | None = None
    solutions = True
    marks = 0

    def __init__(
        self,
        question: str,
        answer: Answer[Any],
        hints: Sequence[str],
        solution: str,
        reveal: str = "",
    ):
        self.question = say(question)
        self.answer = answer
        self.hints = list(map(say, hints))
        self.reveal = reveal
        summary = f"<summary>{say('exercise.solution')}</summary>"
        folded = f"<details>{summary}{say(solution)}</details>"
        self.solution = folded if self.solutions else ""
        self.tries: list[str] = []
        self.hinted = 0
        self.mode = "notebook"
        self._shown: tuple[object, ...] = ()
        self._pages: dict[str, str] = {}
        self.predicted = ""
        self.met = False
        self.waived = False

    def hold(self, *shown: object, truth: object = None) -> Exercise:
        """Hold back what happened until the question was answered or waived.

        Parameters
        ----------
        shown : texts, tables and pictures (:func:`dpviz.exercises.predictions.page_of`)
        truth : the answer as the cell computed it: a number, several, or one of the choices

        Raises ValueError if the exercise would not take ``truth`` as right.

        >>> from dpviz.exercises.answers import Number
        >>> sum_of = Exercise("1 + 1?", Number(value=2), [], "Count.").hold("It is 2.", truth=2)
        >>> _ = sum_of.check("3")
        >>> "You predicted: 3" in sum_of.below and "It is 2." in sum_of.below
        True
        """
        if truth is not None and self.answer.judge(written(truth)) != RIGHT:
            raise ValueError(f"computed {written(truth)}, but the exercise expects {self.right}")
        self._shown, self._pages = shown, {"notebook": "".join(map(page_of, shown))}
        review().add(self)
        return self

    def ask(self) -> Exercise:
        """Show the question now; a later cell computes what happens, and gives it to :meth:`show`.

        >>> from dpviz.exercises.answers import Number
        >>> question = Exercise("1 + 1?", Number(value=2), [], "Count.").ask()  # doctest: +SKIP
        >>> question.show("It is 2.", truth=2)  # doctest: +SKIP
        """
        self.asked = True
        self._ipython_display_()
        return self

    def show(self, *shown: object, truth: object = None) -> Happened:
        """What happened, to stand below the cell that computed it: see :meth:`hold`.

        It opens there when the question was answered or waived.

        >>> from dpviz.exercises.answers import Number
        >>> question = Exercise("1 + 2?", Number(value=3), [], "Count.")
        >>> happened = question.show("It is 3.", truth=3)
        >>> "It is 3." in happened.page()
        False
        >>> _ = question.check("4")
        >>> "You predicted: 4" in happened.page() and "It is 3." in happened.page()
        True
        """
        self.asked = True
        self.hold(*shown, truth=truth)
        return Happened(self)

    @property
    def held(self) -> str:
        """HTML of what :meth:`hold` was given, in the size ``mode``."""
        if self.mode not in self._pages:
            from dpviz.drawing.labels import settled

            pictures = (settled(drawn_in(self.mode, each)) for each in self._shown)
            self._pages[self.mode] = "".join(map(page_of, pictures))
        return self._pages[self.mode]

    @property
    def open(self) -> bool:
        """Whether what is held back may be seen."""
        return self.waived or bool(self.predicted)

    @property
    def below(self) -> str:
        """HTML below the answer: the solution, or what happened as soon as it may be seen."""
        if self.asked:
            return ""
        return self.happened if self._shown else self.solution

    @property
    def happened(self) -> str:
        """HTML of what happened beside what was predicted, as soon as it may be seen; else ""."""
        if not self._shown or not self.open:
            return ""
        words = say("exercise.shown")
        if self.predicted:
            words = say("exercise.predicted", answer=html.escape(self.predicted))
        return f"<p>{words}</p>{self.held}{self.solution}"

    def waive(self) -> Reply:
        """Open it without a prediction."""
        self.waived = True
        review().changed()
        if self.record:
            self.record.waived(self)
        return Reply(self._unkept())

    @property
    def right(self) -> str:
        """An answer that is right, as it would be given."""
        return self.answer.right

    @property
    def wrong(self) -> str:
        """An answer that is wrong."""
        return self.answer.wrong

    def check(self, given: Given) -> Reply:
        """Judge an answer; keep it beside the earlier ones (the same one twice is one)."""
        verdict, kept = self.answer.judge(given), ()
        if self.answer.reads(given):
            if self.tries[-1:] != [str(given)]:
                self.tries.append(str(given))
            kept = self.keep(written(given), verdict)
            if not self.predicted:
                self.predicted = written(given)
                self.met = verdict == RIGHT
                review().changed()
        earlier = say("exercise.earlier", answers="; ".join(self.tries))
        lines = (spoken(verdict), *[earlier] * (len(self.tries) > 1), *kept)
        return Reply(lines, verdict == RIGHT, self.reveal)

    def keep(self, given: str, said: str) -> tuple[str, ...]:
        """Keep an answer with what was said to it; a sentence if it could not be kept."""
        if self.record:
            self.record.tried(self, given, said)
        return self._unkept()

    def _unkept(self) -> tuple[str, ...]:
        return (self.record.problem,) if self.record and self.record.problem else ()

    def hint(self) -> Reply:
        """One more hint, below the earlier ones."""
        self.hinted = min(self.hinted + 1, len(self.hints))
        numbered = enumerate(self.hints[: self.hinted], start=1)
        return Reply(tuple(say("exercise.hinted", i=i, text=text) for i, text in numbered))

    def reset(self) -> None:
        """As if untouched."""
        self.tries = []
        self.hinted = 0
        self.predicted = ""
        self.met = False
        self.waived = False
        review().changed()

    def page(self) -> str:
        """HTML for a reader without a kernel: choices listed, hints and solution folded."""
        words = self.answer.options if isinstance(self.answer, Pick) else ()
        choices = "".join(f"<li>{html.escape(word)}</li>" for word in words)
        hints = "".join(
            f"<details><summary>{say('exercise.hint', i=i)}</summary>{html.escape(text)}</details>"
            for i, text in enumerate(self.hints, start=1)
        )
        listed = f"<ul>{choices}</ul>" if choices else ""
        happened = f"<summary>{say('exercise.happened')}</summary>{self.held}{self.solution}"
        last = "" if self.asked else self.solution
        last = f'<details class="dpviz-held">{happened}</details>' if self.held else last
        return f"{self.task}{listed}{hints}{last}"

    @property
    def task(self) -> str:
        """HTML of the question, which speaks the language of the lesson."""
        language = other(lesson(), interface())
        return f"<div{language}>{self.question}</div>" if language else self.question

    def _ipython_display_(self, **kwargs: object) -> None:
        from dpviz.exercises.faces import ExerciseFace

        self.record = here()
        ExerciseFace(self)._ipython_display_(**kwargs)


class Happened:
    """What happened, below the cell that computed it; it opens with its question.

    Parameters
    ----------
    exercise : the question, which was handed what happened
    """

    def __init__(self, exercise: Exercise):
        self.exercise = exercise

    def page(self) -> str:
        """HTML: where it will open, or what happened."""
        shown = self.exercise.happened or f"<p><small>{say('exercise.closed')}</small></p>"
        return f'<div class="dpviz-happened" data-of="{self.exercise.name}">{shown}</div>'

    def _ipython_display_(self, **kwargs: object) -> None:
        from IPython.display import HTML, display

        handle = display(HTML(self.page()), display_id=True)
        review().watchers[self.exercise.question] = lambda: handle.update(HTML(self.page()))


def hide_solutions() -> None:
    """From now on exercises are made without their solutions, as in a student build."""
    Exercise.solutions = False
