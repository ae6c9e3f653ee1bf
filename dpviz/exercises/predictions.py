"""What a prediction holds back, and all predictions of a lesson beside what happened.

A cell computes what happens and hands it to :meth:`dpviz.exercises.exercise.Exercise.hold`; it is
shown once the question was answered or waived. A page without a kernel folds it. Nothing here
knows a widget.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

from dpviz.drawing.page import table
from dpviz.words import say

REVIEW = "all"  # who shows every prediction
HEAD = ("prediction.question", "prediction.yours", "prediction.happened")


class Kept:
    """The predictions of one lesson, in the order of the page.

    Attributes
    ----------
    held : dict from a question to the exercise that asks it
    watchers : by their names, what is called when one was answered, waived or reset
    """

    def __init__(self) -> None:
        self.held: dict[str, Any] = {}
        self.watchers: dict[str, Callable[[], object]] = {}

    def add(self, exercise: Any) -> None:
        """Keep an exercise; if its cell ran before, what was predicted then stays."""
        earlier = self.held.get(exercise.question)
        if earlier and not exercise.open:
            for name in ("tries", "predicted", "met", "waived"):
                setattr(exercise, name, getattr(earlier, name))
        self.held[exercise.question] = exercise

    def changed(self) -> None:
        """Tell whoever shows them."""
        for watch in self.watchers.values():
            watch()

    def rows(self) -> list[tuple[str, str, str]]:
        """Question (HTML), what was predicted, what is right: of those that are open."""
        return [
            (question, exercise.predicted or say("prediction.waived"), exercise.right)
            for question, exercise in self.held.items()
            if exercise.open
        ]

    def page(self) -> str:
        """HTML: a table of what was predicted and what happened, or that nothing was.

        >>> Kept().page()[:33]
        '<p>Nothing was predicted yet. The'
        """
        rows = self.rows()
        if not rows:
            return f"<p>{say('prediction.none', count=len(self.held))}</p>"
        met = sum(exercise.met for exercise in self.held.values())
        cells = [(question, *map(html.escape, answers)) for question, *answers in rows]
        left = len(self.held) - len(rows)
        words = say("prediction.met", met=met, all=len(rows), left=left)
        return f"{table([[*map(say, HEAD)], *cells], str)}<p>{words}</p>"

    def _ipython_display_(self, **kwargs: object) -> None:
        from IPython.display import HTML, display

        handle = display(HTML(self.page()), display_id=True)
        self.watchers[REVIEW] = lambda: handle.update(HTML(self.page()))


_LESSON = Kept()


def review() -> Kept:
    """The predictions of the lesson that runs in this kernel; follows what is answered later."""
    return _LESSON


def page_of(shown: object) -> str:
    """HTML of something that is held back.

    Parameters
    ----------
    shown : text; rows of words and numbers, the first being the head; or whatever has an HTML form,
        e.g. a :class:`dpviz.drawing.picture.Figure` with its alt text

    Raises TypeError if it has none.

    >>> page_of([("n", "error"), (10, 0.5)])[:47]
    '<table><tr><th scope="col">n</th><th scope="col'
    """
    if isinstance(shown, str):
        return f'<pre style="white-space:pre-wrap;color:inherit">{html.escape(shown)}</pre>'
    if isinstance(shown, Sequence):
        return table(shown)
    if bundle := getattr(shown, "_repr_mimebundle_", None):
        return str(bundle()["text/html"])
    if page := getattr(shown, "_repr_html_", None):
        return str(page())
    raise TypeError(f"a {type(shown).__name__} has no HTML form and cannot be held back")
