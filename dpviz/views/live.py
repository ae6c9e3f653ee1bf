"""Pictures that follow a slider: what stays is drawn once, what moves is painted anew.

A :class:`View` is one picture in four parts; the still figure of a lesson and its explorer
are drawn by the same functions, so they cannot differ.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

import ipywidgets as widgets
from matplotlib.artist import Artist

from dpviz.views import style
from dpviz.views.instrument import ADVICE, Output
from dpviz.views.page_style import STYLE
from dpviz.views.style import Figure
from dpviz.views.vector import Vector, page, stack

# What a page can say by itself when its kernel is gone: it stands there all the time.
NOTICE = f"{STYLE}<small>Nothing moves? {html.escape(ADVICE)}.</small>"

Result = TypeVar("Result")  # what a view draws


@dataclass(frozen=True)
class View(Generic[Result]):
    """One picture of one kind of result.

    Attributes
    ----------
    frame : mode -> Figure, everything that no result changes: axes, limits, public marks
    paint : (Figure, result) -> None, everything else, the title too
    say : result -> one sentence of reading, which is also the alt text (at most 300 characters)
    table : result -> rows of words and numbers, the first row being the head
    """

    frame: Callable[[str], Figure]
    paint: Callable[[Figure, Result], None]
    say: Callable[[Result], str]
    table: Callable[[Result], Sequence[Sequence[str]]]

    def figure(self, result: Result, mode: str = "notebook") -> Figure:
        """The still picture of a result."""
        figure = self.frame(mode)
        self.paint(figure, result)
        figure.alt = self.say(result)
        return figure


class Live(Generic[Result]):
    """A view as SVG: the elements of its frame are kept, those of the result made anew.

    >>> def frame(mode):
    ...     return style.figure("", alt="", mode=mode)[0]
    >>> def paint(figure, result):
    ...     figure.axes[0].plot([0, 1], [0, result], color="black")
    >>> live = Live(View(frame, paint, str, lambda result: []), "notebook")
    >>> live.svg(0.5) == live.svg(0.5) != live.svg(0.6)
    True
    """

    def __init__(self, view: View[Result], mode: str):
        self.view, self.figure = view, view.frame(mode)
        self.figure.dpi = style.MODES[mode].shown
        self._vector, self._painted = Vector(self.figure), set[Artist]()
        self._frame = {artist: self._vector.elements(artist) for artist in stack(self.figure)}

    def svg(self, result: Result) -> str:
        """The picture of a result: what a full draw shows, from back to front."""
        self._repaint(result)
        self.figure.alt = self.view.say(result)
        elements = (
            self._frame[artist] if artist in self._frame else self._vector.elements(artist)
            for artist in stack(self.figure)
        )  # fmt: skip
        return page(self.figure, elements)

    def _repaint(self, result: Result) -> None:
        """Take away what was painted before, and paint; also if painting fails half way."""
        for artist in self._painted:
            artist.remove()
        kept = set(stack(self.figure))
        try:
            self.view.paint(self.figure, result)
        finally:
            self._painted = set(stack(self.figure)) - kept


@lru_cache
def projector() -> widgets.ToggleButton:
    """The one switch of a lesson: every live picture has it, and follows it."""
    look = {"tooltip": "everything larger, in the whole lesson", "layout": {"width": "auto"}}
    return widgets.ToggleButton(description="projector", **look).add_class("dpviz-projector")


class Screen(Generic[Result]):
    """Picture, sentence and table of the latest result, as widgets that explorers arrange."""

    def __init__(self, view: View[Result]):
        self.view, self.result = view, None
        self.picture = widgets.HTML().add_class("dpviz-picture")
        self.sentence = widgets.HTML().add_class("dpviz-sentence")
        self.table = widgets.HTML().add_class("dpviz-table")
        self.notice = widgets.HTML(NOTICE).add_class("dpviz-notice")
        self._use("projector" if projector().value else "notebook")
        projector().observe(self._switched, names="value")

    def _switched(self, change: Mapping[str, object]) -> None:
        self._use("projector" if change["new"] else "notebook")

    def _use(self, mode: str) -> None:
        """Switch between the sizes "notebook" and "projector"."""
        self._live = Live(self.view, mode)
        if mode == "projector":
            self.picture.add_class("dpviz-projected")
        else:
            self.picture.remove_class("dpviz-projected")
        if self.result is not None:
            self.show(self.result)

    def show(self, result: Result) -> None:
        """Draw a result; if that fails, the last good picture stays."""
        svg, table = self._live.svg(result), _html_table(self.view.table(result))
        self.picture.value, self.table.value, self.result = svg, table, result
        self.sentence.value = _html_sentence(self._live.figure.alt)

    def still(self) -> tuple[list[Output], str]:
        """For readers without a kernel: the picture, and sentence and table in HTML."""
        still, table = self.view.figure(self.result), self.view.table(self.result)
        data, metadata = still._repr_mimebundle_()
        rows = ["  ".join(map(str, row)) for row in table]
        pictured = {**data, "text/plain": "\n".join([still.alt, *rows])}, metadata
        return [pictured], _html_sentence(still.alt) + _html_table(table)


def _html_sentence(said: str) -> str:
    return f'<p role="status" style="margin:0">{html.escape(said)}</p>'


def _html_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a folded table; the first row is the head."""
    if not rows:
        return ""
    head, *body = [[html.escape(str(cell)) for cell in row] for row in rows]
    first = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in body]
    inside = "".join(f"<tr>{line}</tr>" for line in [first, *lines])
    return f"<details><summary>the numbers</summary><table>{inside}</table></details>"
