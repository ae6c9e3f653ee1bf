"""Predict, check, hint, reveal: an exercise that says what is wrong without saying the answer.

The kinds of answers stand in `dpviz.views.answers`. Earlier answers are kept and shown. Nothing
here knows a widget: `dpviz.views.faces` puts an exercise on a page.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from dpviz.views.answers import RIGHT, Answer, Given, Pick


@dataclass(frozen=True)
class Reply:
    """What is said to an answer, or as a hint.

    Attributes
    ----------
    lines : sentences
    right : whether the answer was right
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
    answer : an :class:`Answer`
    hints : sentences, shown one by one
    solution : HTML, folded
    reveal : HTML shown after the first answer, right or wrong
    """

    def __init__(
        self,
        question: str,
        answer: Answer[Given],
        hints: Sequence[str],
        solution: str,
        reveal: str = "",
    ):
        self.question, self.answer, self.hints, self.reveal = question, answer, hints, reveal
        self.solution = f"<details><summary>Solution</summary>{solution}</details>"
        self.tries: list[str] = []
        self.hinted = 0

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
        if self.tries[-1:] != [str(given)]:
            self.tries.append(str(given))
        said = self.answer.judge(given)
        earlier = "Your answers so far: " + "; ".join(self.tries)
        return Reply((said, earlier)[: len(self.tries)], said == RIGHT, self.reveal)

    def hint(self) -> Reply:
        """One more hint, below the earlier ones."""
        self.hinted = min(self.hinted + 1, len(self.hints))
        shown = enumerate(self.hints[: self.hinted], start=1)
        return Reply(tuple(f"Hint {i}. {text}" for i, text in shown))

    def reset(self) -> None:
        """As if untouched."""
        self.tries, self.hinted = [], 0

    def page(self) -> str:
        """HTML for a reader without a kernel: choices listed, hints and solution folded."""
        words = self.answer.options if isinstance(self.answer, Pick) else ()
        choices = "".join(f"<li>{html.escape(word)}</li>" for word in words)
        hints = "".join(
            f"<details><summary>Hint {i}</summary>{html.escape(text)}</details>"
            for i, text in enumerate(self.hints, start=1)
        )
        listed = f"<ul>{choices}</ul>" if choices else ""
        return f"{self.question}{listed}{hints}{self.solution}"

    def _ipython_display_(self, **kwargs: object) -> None:
        from dpviz.views.faces import ExerciseFace

        ExerciseFace(self)._ipython_display_(**kwargs)
