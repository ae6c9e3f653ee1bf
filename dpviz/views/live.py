"""Pictures that follow a slider: what stays is drawn once, what moves is painted anew.

A :class:`View` is one picture in four parts; the still figure of a lesson and its explorer
are drawn by the same functions, so they cannot differ.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import ipywidgets as widgets
import numpy as np
from matplotlib.artist import Artist
from matplotlib.text import Text

from dpviz.views import style
from dpviz.views.instrument import ADVICE, Output
from dpviz.views.stamps import Stamps
from dpviz.views.style import Figure

# What a page can say by itself when its kernel is gone: it stands there all the time.
NOTICE = f'<small style="color:{style.MUTED}">Nothing moves? {html.escape(ADVICE)}.</small>'

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


class Layers(Generic[Result]):
    """A view at screen size: the frame as cached pixels, the result painted over them.

    >>> def frame(mode):
    ...     return style.figure("", alt="", mode=mode)[0]
    >>> def paint(figure, result):
    ...     figure.axes[0].plot([0, 1], [0, result], color="black")
    >>> layers = Layers(View(frame, paint, str, lambda result: []), "notebook")
    >>> layers.png(0.5) == layers.png(0.5) != layers.png(0.6)
    True
    """

    def __init__(self, view: View[Result], mode: str):
        self.figure = view.frame(mode)
        self.figure.dpi = style.MODES[mode].live
        self._paint = view.paint
        self._painted: list[Artist] = []
        self._ground: object = None  # pixels, in matplotlib's own keeping
        width, height = self.figure.canvas.get_width_height()
        self._stamps = Stamps(width, height, self.figure.dpi)

    def png(self, result: Result) -> bytes:
        """The picture of a result; the same pixels as a full draw."""
        self._repaint(result)
        if self._ground is None:
            self._ground = self._draw_ground()
        self.figure.canvas.restore_region(self._ground)
        pixels = np.asarray(self.figure.canvas.buffer_rgba())
        for artist in sorted(self._painted, key=lambda artist: artist.get_zorder()):
            if isinstance(artist, Text):
                self._stamps.draw(artist, pixels)
            else:
                (getattr(artist, "axes", None) or self.figure).draw_artist(artist)
        return style.palette_png(pixels)

    def _repaint(self, result: Result) -> None:
        """Take away what was painted before, and paint; also if painting fails half way."""
        for artist in self._painted:
            artist.remove()
        kept = set(self._artists())
        try:
            self._paint(self.figure, result)
        finally:
            self._painted = [artist for artist in self._artists() if artist not in kept]

    def _artists(self) -> list[Artist]:
        """Everything drawn: of the figure itself, and of each of its axes."""
        own = [artist for artist in self.figure.get_children() if artist not in self.figure.axes]
        return own + [artist for ax in self.figure.axes for artist in ax.get_children()]

    def _draw_ground(self) -> object:
        """The pixels of the frame alone."""
        for artist in self._painted:
            artist.set_visible(False)
        self.figure.canvas.draw()
        for artist in self._painted:
            artist.set_visible(True)
        return self.figure.canvas.copy_from_bbox(self.figure.bbox)


class Screen(Generic[Result]):
    """Picture, sentence and table of the latest result, as widgets that explorers arrange."""

    def __init__(self, view: View[Result]):
        self.view, self.mode = view, "notebook"
        self.result: Result | None = None
        self.picture = widgets.Image(format="png").add_class("dpviz-picture")
        self.sentence = widgets.HTML(layout={"height": "3.2em"}).add_class("dpviz-sentence")
        self.table = widgets.HTML().add_class("dpviz-table")
        self.notice = widgets.HTML(NOTICE).add_class("dpviz-notice")
        self.use(self.mode)

    def use(self, mode: str) -> None:
        """Switch between the sizes "notebook" and "projector"."""
        self.mode, self._layers = mode, Layers(self.view, mode)
        size = style.MODES[mode]
        self.picture.layout = {
            "width": f"{size.width * size.live:.0f}px",
            "max_width": "100%",
            "object_fit": "contain",
        }
        if self.result is not None:
            self.show(self.result)

    def show(self, result: Result) -> None:
        """Draw a result; if that fails, the last good picture stays."""
        png, said = self._layers.png(result), self.view.say(result)
        self.picture.value, self.result = png, result
        self.sentence.value = _html_sentence(said)
        self.table.value = _html_table(self.view.table(result))

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
