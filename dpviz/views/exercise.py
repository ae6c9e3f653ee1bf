"""Predict, check, hint, reveal: an exercise that says what is wrong without saying the answer.

The kinds of answers stand in `dpviz.views.answers`. Earlier answers are kept and shown.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

import ipywidgets as widgets

from dpviz.views import style
from dpviz.views.answers import RIGHT, Answer, Given, Pick
from dpviz.views.instrument import Instrument, Output


class Exercise(Instrument):
    """A question with its answer, hints, solution and what is revealed after the first try.

    Parameters
    ----------
    question : the task in HTML (its text is what a page without widgets shows)
    answer : an :class:`Answer`
    hints : sentences, shown one by one
    solution : HTML, folded
    reveal : HTML shown after the first answer, right or wrong
    """

    wake = "To answer"

    def __init__(
        self,
        question: str,
        answer: Answer[Given],
        hints: Sequence[str],
        solution: str,
        reveal: str = "",
    ):
        self.question, self.answer, self.hints, self.reveal = question, answer, hints, reveal
        self.tries: list[str] = []
        self.hinted = 0
        self.entry = answer.input().add_class("dpviz-answer")
        self.feedback = widgets.HTML().add_class("dpviz-feedback")
        folded = f"<details><summary>Solution</summary>{solution}</details>"
        self.solution = widgets.HTML(folded).add_class("dpviz-solution")
        buttons = {"check": self.check, "hint": self.hint, "reset": self.reset}
        row = [self.entry, *(_button(name, act) for name, act in buttons.items())]
        parts = [widgets.HTML(question), widgets.HBox(row), self.feedback, self.solution]
        super().__init__(parts, layout={"width": "760px", "max_width": "100%"})
        self.add_class("dpviz-exercise")

    @property
    def right(self) -> str:
        """An answer that is right, as it would be given."""
        return self.answer.right

    @property
    def wrong(self) -> str:
        """An answer that is wrong."""
        return self.answer.wrong

    def check(self) -> None:
        """Judge the answer; keep it beside the earlier ones."""
        self.tries.append(str(self.entry.value))
        said = self.answer.judge(self.entry.value)
        lines = [_said(said, right=said == RIGHT), self.reveal]
        if len(self.tries) > 1:
            lines.append(_said("Your answers so far: " + "; ".join(self.tries)))
        self.feedback.value = "".join(lines)

    def hint(self) -> None:
        """Show one more hint."""
        self.hinted = min(self.hinted + 1, len(self.hints))
        shown = enumerate(self.hints[: self.hinted], start=1)
        self.feedback.value = "".join(_said(f"Hint {i}. {text}") for i, text in shown)

    def reset(self) -> None:
        """As if untouched."""
        self.tries, self.hinted, self.feedback.value = [], 0, ""
        self.entry.value = self.answer.input().value

    def still(self) -> tuple[list[Output], str]:
        """The question with its choices; hints and solution are folded."""
        words = self.answer.options if isinstance(self.answer, Pick) else ()
        choices = "".join(f"<li>{html.escape(word)}</li>" for word in words)
        hints = "".join(
            f"<details><summary>Hint {i}</summary>{html.escape(text)}</details>"
            for i, text in enumerate(self.hints, start=1)
        )
        listed = f"<ul>{choices}</ul>" if choices else ""
        return [], f"{self.question}{listed}{hints}{self.solution.value}"


def _said(text: str, right: bool = False) -> str:
    colour = style.text_colour("released" if right else "truth")
    return f'<p role="status" style="margin:0;color:{colour}">{html.escape(text)}</p>'


def _button(name: str, act: Callable[[], None]) -> widgets.Button:
    button = widgets.Button(description=name, layout={"width": "70px"})
    button.on_click(lambda _: act())
    return button.add_class(f"dpviz-{name}")
