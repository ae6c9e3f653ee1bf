"""Pictures that follow a slider: what stays is drawn once, what moves is painted anew.

A :class:`View` is one picture in four parts; the still figure of a lesson and its explorer
are drawn by the same functions, so they cannot differ. Nothing here knows a widget.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from matplotlib.artist import Artist
from matplotlib.collections import QuadMesh
from matplotlib.text import Text

from dpviz.drawing import style, svg
from dpviz.drawing.held import Held, by_mark
from dpviz.drawing.labels import settled
from dpviz.drawing.page import table
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.drawing.vector import Vector, marked, placed, stack
from dpviz.words import interface, lesson, other, say

Output: TypeAlias = dict[str, str | dict[str, str | int]]  # text, or JSON, by kind

Result = TypeVar("Result")  # what a view draws
KNOWN = 500  # elements that a live picture remembers


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

    @still
    def figure(self, result: Result, mode: str = "notebook") -> Figure:
        """The still picture of a result."""
        figure = self.frame(mode)
        self.paint(figure, result)
        figure.alt = self.say(result)
        return figure


class Live(Generic[Result]):
    """A view as SVG: the elements of its frame are kept, those of the result made anew.

    Its ``elements`` are those of the latest picture, one for each artist.

    >>> def frame(mode):
    ...     return style.figure("", alt="", mode=mode)[0]
    >>> def paint(figure, result):
    ...     figure.axes[0].plot([0, 1], [0, result], color="black")
    >>> live = Live(View(frame, paint, str, lambda result: []), "notebook")
    >>> live.svg(0.5) == live.svg(0.5) != live.svg(0.6)
    True
    """

    def __init__(self, view: View[Result], mode: str):
        self.view, self.figure = view, settled(view.frame(mode))
        self.figure.dpi = style.MODES[mode].shown
        self._vector, self._painted = Vector(self.figure), set[Artist]()
        self._known: dict[tuple, str] = {}
        self._frame = {artist: self._element(artist) for artist in stack(self.figure)}

    def svg(self, result: Result, held: Sequence[Held] = ()) -> str:
        """The picture of a result: what a full draw shows, from back to front.

        ``held`` says which marks can be taken hold of, and how.
        """
        artists = self._repaint(result)
        self.figure.alt = self.view.say(result)
        names = marked(self.figure, self._painted)
        hands = by_mark(held)
        elements = (
            self._frame[artist]
            if artist in self._frame
            else self._element(artist, names.get(artist, ""), hands.get(names.get(artist, "")))
            for artist in artists
        )
        self.elements = list(filter(None, elements))
        return self.figure.page(self.elements, held)

    def _element(self, artist: Artist, mark: str = "", held: Held | None = None) -> str:
        """Its words; most of a picture stands in one before it, and is not drawn again."""
        key = placed(artist), mark, held
        if key in self._known:
            return self._known[key]
        # What is the first of its look is drawn by matplotlib, whose last bits are not ours.
        kept = (
            isinstance(artist, (QuadMesh, Text))
            or getattr(artist, "model", None) in self._vector.recipes
        )
        words = svg.themed(self._vector.elements(artist, mark, held))
        words = words if mark or not words else f"<g>{words}</g>"
        if key[0] and kept:
            if len(self._known) == KNOWN:
                del self._known[next(iter(self._known))]  # the oldest one
            self._known[key] = words
        return words

    def _repaint(self, result: Result) -> list[Artist]:
        """Take away what was painted before, and paint; all that stands there then.

        What was painted is known also if painting fails half way.
        """
        for artist in self._painted:
            artist.remove()
        try:
            self.view.paint(self.figure, result)
        finally:
            artists = list(stack(self.figure))
            self._painted = set(artists) - self._frame.keys()
        settled(self.figure, self._painted)
        return artists


class Screen(Generic[Result]):
    """Picture, sentence and table of the latest result that could be drawn.

    Attributes
    ----------
    view, result : how it is drawn, and what
    held : which marks can be taken hold of
    mode : a name in `roles.MODES`
    picture : SVG
    elements : what it draws, one for each artist
    sentence : what is said of it
    table : rows of words and numbers, the first row being the head
    """

    def __init__(self, view: View[Result], result: Result, held: Sequence[Held] = ()):
        self.view = view
        self.result = result
        self.held = held
        self._lives: dict[str, Live[Result]] = {}
        self.use("notebook")

    def use(self, mode: str) -> None:
        """Draw in the size of a mode from now on; what stays there is drawn once."""
        self.mode = mode
        self._live = self._lives[mode] = self._lives.get(mode) or Live(self.view, mode)
        self.show(self.result, self.held)

    def show(self, result: Result, held: Sequence[Held] = ()) -> None:
        """Draw a result; if that fails, the last good picture stays."""
        picture = self._live.svg(result, held)
        self.held = held
        table = self.view.table(result)
        self.picture, self.elements = picture, self._live.elements
        self.table = table
        self.result = result
        self.sentence = self._live.figure.alt

    def since(self, before: Sequence[str]) -> str:
        """The picture for a page that shows ``before``: of what stays, only that it does."""
        if len(before) != len(self.elements):
            return self.picture
        pairs = zip(before, self.elements, strict=True)
        news = [svg.SAME if old == new else new for old, new in pairs]
        return self.picture.replace("".join(self.elements), "".join(news))

    def words(self) -> tuple[str, str]:
        """Sentence and folded table in HTML."""
        return _html_sentence(self.sentence), _html_table(self.table)

    def still(self) -> tuple[list[Output], str]:
        """For readers without a kernel: the picture, and sentence and table in HTML."""
        still = self.view.figure(self.result)
        rows = ["  ".join(map(str, row)) for row in self.table]
        words = "\n".join([still.alt, *rows])
        return [{**still._repr_mimebundle_(), "text/plain": words}], "".join(self.words())


def _html_sentence(said: str) -> str:
    language = other(lesson(), interface())
    return f'<p role="status"{language} style="margin:0">{html.escape(said)}</p>'


def _html_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a folded table; the first row is the head."""
    if not rows:
        return ""
    language = other(lesson(), interface())
    folded = table(rows).replace("<table", f"<table{language}", 1)
    return f"<details><summary>{say('instrument.numbers')}</summary>{folded}</details>"
