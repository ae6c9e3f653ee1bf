"""Exercises as ipywidgets: a place for the answer, buttons, and what is said.

What is right is the exercise's to say; its face only shows it and passes on what was done.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets as widgets

from dpviz.drawing.live import Output
from dpviz.drawing.page import PICTURE, SCRIPT
from dpviz.exercises.answers import Answer, Curve, Pick
from dpviz.exercises.drawn import Canvas
from dpviz.exercises.formulas import BETWEEN, Formula, Order, Parts
from dpviz.exercises.predictions import review
from dpviz.instruments.faces import ScreenFace, button_of, follow_size, leave_size, size, wires
from dpviz.instruments.instrument import Instrument
from dpviz.words import say

# The theme's own colour of text: readable on its ground, light or dark; elsewhere the page's.
INK = "var(--jp-ui-font-color1, currentColor)"
NARROW = {"max_width": "100%"}
TOLD = "margin:0 0 0 2px;padding-left:8px"


class ExerciseFace(Instrument):
    """The question, a place for the answer, buttons, what is said, the solution folded.

    Enter checks what was typed. What a prediction holds back comes onto the page when it opens.

    Parameters
    ----------
    exercise : :class:`dpviz.exercises.exercise.Exercise`, which knows nothing of its face
    """

    wake = "instrument.answer"

    def __init__(self, exercise: Any):
        self.exercise = exercise
        if isinstance(exercise.answer, Curve):
            self.scripts = SCRIPT, PICTURE
        self.entry = entry_of(exercise.answer).add_class("dpviz-answer")
        self.blank = self.entry.value
        self.entry.on_msg(self._submitted)
        self.feedback = widgets.HTML().add_class("dpviz-feedback")
        self.solution = widgets.HTML(exercise.below).add_class("dpviz-solution")
        row = [
            self.entry,
            *(
                button_of(say(f"answer.{name}"), getattr(self, name), name)
                for name in exercise.buttons
            ),
        ]
        if exercise.held or exercise.asked:
            row.insert(2, button_of(say("answer.waive"), self.waive, "waive", width="80px"))
        question = widgets.HTML(exercise.task)
        bar = widgets.HBox(row)
        bar.layout.flex_flow = "row wrap"
        super().__init__([question, bar, self.feedback, self.solution])
        self.layout = {"width": "760px", "max_width": "100%"}
        self.add_class("dpviz-exercise")
        self._say(exercise.said)
        follow_size(self._follow)
        self._follow()

    def check(self) -> None:
        """Judge what stands in the entry."""
        self._say(self.exercise.check(self.entry.value))

    def waive(self) -> None:
        """Show what happened without a prediction."""
        self._say(self.exercise.waive())

    def hint(self) -> None:
        """Show one more hint."""
        self._say(self.exercise.hint())

    def reset(self) -> None:
        """As if untouched."""
        self.exercise.reset()
        self.feedback.value = ""
        self.entry.value = self.blank
        self.solution.value = self.exercise.below
        self._open_curve()

    def still(self) -> tuple[list[Output], str]:
        """The question with its choices; hints and solution are folded."""
        return [], self.exercise.page()

    def leave(self) -> None:
        """Follow the size of everything no longer, and close."""
        leave_size(self._follow)
        if isinstance(self.entry, DrawnCurve):
            self.entry.screen.leave()
        super().leave()

    def _follow(self, change: Mapping[str, object] | None = None) -> None:
        """Show what happened in the size of everything."""
        self.exercise.mode = size()
        self.solution.value = self.exercise.below
        if self.exercise.asked:
            review().changed()

    def _submitted(self, _: widgets.Widget, content: object, buffers: object) -> None:
        """A line of text sends this when Enter is pressed."""
        if isinstance(content, dict) and content.get("event") == "submit":
            self.check()

    def _say(self, reply: Any) -> None:
        first, *others = [_line(text, reply.right) for text in reply.lines] or [""]
        self.feedback.value = "".join([first, reply.reveal, *others])
        self.solution.value = self.exercise.below
        self._open_curve()

    def _open_curve(self) -> None:
        """The truth is drawn over a reader's curve once it may be seen."""
        if isinstance(self.entry, DrawnCurve):
            self.entry.canvas.show_truth(self.exercise.open)


class DrawnCurve(widgets.VBox):
    """A curve that is drawn by hand; ``value`` is the tuple of its heights."""

    def __init__(self, answer: Curve):
        self.canvas = Canvas(answer)
        self.screen = ScreenFace(self.canvas.explorer.screen)
        self.canvas.explorer.watchers.append(self.screen.tell)
        hand = [*wires(self.canvas.explorer, self.screen), self.screen.answer]
        super().__init__([self.screen.picture, self.screen.sentence, *hand])
        self.layout.width = "100%"

    @property
    def value(self) -> tuple[float, ...]:
        """The heights, from left to right."""
        return self.canvas.heights

    @value.setter
    def value(self, heights: Sequence[float]) -> None:
        self.canvas.heights = tuple(heights)


class Places(widgets.VBox):
    """A place for each part of an answer; ``value`` is all of them in one text."""

    def __init__(self, answer: Parts):
        self.answer = answer
        places = [entry_of(part, label) for label, part in answer.parts.items()]
        super().__init__(places, layout=NARROW)
        self.blanks = [place.value for place in self.children]

    @property
    def value(self) -> str:
        """What stands in the places; nothing where nothing was typed or chosen."""
        places = zip(self.children, self.blanks, strict=True)
        return BETWEEN.join("" if place.value == blank else place.value for place, blank in places)

    @value.setter
    def value(self, value: str) -> None:
        typed = zip(self.children, self.answer.split(value), self.blanks, strict=True)
        for place, text, blank in typed:
            place.value = text or blank

    def on_msg(self, callback: Any, remove: bool = False) -> None:
        """Enter in any place is Enter in the answer."""
        for place in self.children:
            place.on_msg(callback, remove)


def entry_of(answer: Answer, label: str = "answer.answer") -> widgets.Widget:
    """Where an answer is given: a line, a list of choices, places, a curve to draw, the cell."""
    if hasattr(answer, "solution"):
        return widgets.HTML(f"<small>{say('program.runs')}</small>")
    if isinstance(answer, Curve):
        return DrawnCurve(answer)
    if isinstance(answer, Parts):
        return Places(answer)
    look = {"description": say(label), "style": {"description_width": "initial"}}
    if isinstance(answer, Pick):
        words = [say("answer.choose"), *answer.options]
        return widgets.Dropdown(options=words, layout={"width": "360px", **NARROW}, **look)
    if isinstance(answer, Formula | Order):
        words = "answer.formula" if isinstance(answer, Formula) else "answer.letters"
        return widgets.Text(placeholder=say(words), layout={"width": "480px", **NARROW}, **look)
    many = hasattr(answer, "count")
    return widgets.Text(
        placeholder=say("answer.numbers" if many else "answer.number"),
        layout={"width": "480px" if many else "220px", **NARROW},
        **look,
    )


def _line(text: str, right: bool) -> str:
    """A sentence in the theme's colour of text; a bar beside it says that the answer is right."""
    bar = f"border-left:4px solid {INK}" if right else "border-left:4px solid transparent"
    return f'<p role="status" style="{TOLD};{bar};color:{INK}">{html.escape(text)}</p>'
