"""One run of a lesson for all of its pages: each cell, with the instruments that it shows.

What is read comes from the notebook as it is stored; the lesson is run only for its instruments:
explorers and players with the states that fit a page, predictions and exercises whose answers are
a number, a choice or a drawn curve.

A page to read holds its pictures in two sizes, for a screen and for a telephone. Explorers share
what is left of its bytes, a quarter of it for the telephone's pictures: there a control has fewer
stops. The slides are a page of their own.
"""

from __future__ import annotations

import contextlib
import html
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpviz.lesson import Cell, Lesson, joined, picture_of
from dpviz.pages.text import prose
from dpviz.words import say

VIEW = "application/vnd.jupyter.widget-view+json"
READ = ("notebook", "phone")  # sizes of a page to read
EXPLORERS = {"notebook": 980_000, "phone": 390_000}  # bytes of all explorers of a page
SLIDES = {"projector": 1_580_000}  # the same of all slides
IMAGE = re.compile(r'<picture>.*?</picture>|<img (?:[^>"]|"[^"]*")*>')
OPENING = {"notebook": 90_000, "phone": 60_000}  # of one on the first page


@dataclass(frozen=True, kw_only=True)
class Opening:
    """What opens a lesson: of its explorer pictures and packed states by size, and its words."""

    pictures: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)
    words: Sequence[str] = ()
    sentence: str = ""


@dataclass(frozen=True)
class Piece:
    """A cell of a lesson after its run.

    Attributes
    ----------
    cell : as the lesson has it
    instruments : explorers, players, predictions and exercises that it shows, in order
    woken : each of them as a section of a page
    projected : the same in the projector's size; of a question ""
    figures : the still pictures that it shows, as images in the projector's size
    small : the same in the telephone's size
    opening : what the first page shows of it, if it opens the lesson
    """

    cell: Cell
    instruments: list[Any]
    woken: list[str]
    projected: list[str]
    figures: list[str]
    small: list[str]
    opening: Opening | None = None


@dataclass
class Room:
    """Bytes of a page that its explorers share: each may take as much of what is left.

    >>> room = Room(2, {"phone": 100})
    >>> [room.taken("phone", size) for size in (20, 80)], room.budget("phone")
    ([None, None], 0)
    """

    explorers: int
    left: dict[str, int]

    def budget(self, mode: str) -> int:
        """What the next explorer may take in the size of a mode."""
        return self.left[mode] // max(self.explorers, 1)

    def taken(self, mode: str, size: int) -> None:
        """An explorer takes so many bytes; with the last size of the page it is done."""
        self.left[mode] -= size
        self.explorers -= mode == list(self.left)[-1]


def pieces(lesson: Lesson, processes: int = 1) -> Iterator[Piece]:
    """Each cell of a lesson, from a run in this process and in the folder of the lessons.

    ``processes`` draw its explorers at the same time.

    Raises
    ------
    ValueError
        If a cell fails.
    """
    from dpviz.instruments.explorer import Explorer

    run = list(worked(lesson.cells))
    explorers = sum(isinstance(one, Explorer) for awake, _ in run for one in awake)
    room = Room(explorers, EXPLORERS | SLIDES)
    opens = next((cell for cell in lesson.cells if "explorer" in cell.tags), None)
    for cell, (awake, figures) in zip(lesson.cells, run, strict=True):
        # A lesson opens with one explorer, whose drawn states the first page has too.
        seen: dict[str, Any] | None = {} if cell is opens else None
        stored = [records(one, list(room.left), room, processes, seen) for one in awake]
        first = opening(awake[-1], processes, seen) if cell is opens and awake else None
        woken = [moved(one, READ, some) for one, some in zip(awake, stored, strict=True)]
        projected = [
            "" if asks(one) else moved(one, list(SLIDES), some)
            for one, some in zip(awake, stored, strict=True)
        ]
        large, small = (
            [image(figure, mode) for figure in figures] for mode in ("projector", "phone")
        )
        yield Piece(cell, awake, woken, projected, large, small, first)


def use(instrument: Any, mode: str = "projector") -> Any:
    """An instrument whose pictures have the size of a mode from now on."""
    if asks(instrument):
        instrument.mode = mode
    elif screen := getattr(instrument, "screen", None):
        screen.use(mode)
    return instrument


def asks(instrument: Any) -> bool:
    """Whether it is a prediction or an exercise."""
    return hasattr(instrument, "question")


def image(figure: Any, mode: str) -> str:
    """A still picture in the size of a mode."""
    from dpviz.drawing import picture
    from dpviz.drawing.labels import settled
    from dpviz.drawing.roles import MODES
    from dpviz.drawing.stills import drawn_in

    figure_sized = settled(drawn_in(mode, figure))
    width = round(MODES[mode].width * MODES[mode].shown)
    return picture.image(figure_sized.svg(), figure_sized.alt, width)


def sized(wide: str, small: Sequence[str]) -> str:
    """HTML whose images come in two sizes, of which a page shows the one that fits.

    >>> sized('<p><img src="a"></p>', ['<img src="b">'])
    '<p><span class="sizes"><img src="a"><img src="b"></span></p>'
    """
    images = iter(small)
    return IMAGE.sub(lambda match: f'<span class="sizes">{match[0]}{next(images, "")}</span>', wide)


def outputs(piece: Piece) -> Iterator[tuple[str, str]]:
    """What a cell showed, with its kind: "instrument" (which one, from 0), "picture" (as HTML),
    "html", "markdown" or "text"."""
    stored = [output.get("data", {}) for output in piece.cell.outputs]
    widgets = [place for place, data in enumerate(stored) if VIEW in data]
    asleep = set()
    for place in widgets:  # before a widget stand its words, and before these its picture
        words = joined(stored[place - 1]["text/html"]).partition("<style>")[0]
        asleep |= {place - 1, place - 2} if "dpviz-pictured" in words else {place - 1}
    for place, (data, output) in enumerate(zip(stored, piece.cell.outputs, strict=True)):
        if place in widgets:
            yield "instrument", str(widgets.index(place))
        elif place in asleep:
            continue
        elif picture := picture_of(output):
            yield "picture", picture
        elif kind := next((kind for kind in ("html", "markdown") if f"text/{kind}" in data), ""):
            yield kind, joined(data[f"text/{kind}"])
        else:
            yield "text", joined(output.get("text") or data.get("text/plain") or "")


def shown(piece: Piece) -> Iterator[str]:
    """The outputs of a cell as a page to read has them: each widget is a woken instrument."""
    small = iter(piece.small)
    for kind, content in outputs(piece):
        if kind == "instrument":
            yield piece.woken[int(content)]
        elif kind == "picture":
            yield f'<div class="output">{sized(content, [next(small, "")])}</div>'
        elif kind == "html":
            # What was predicted is filled by the script, as predictions are answered.
            begun = f"<p>{say('prediction.none').partition('{')[0]}"
            named = "review" if content.startswith(begun) else "output"
            yield f'<div class="{named}">{content}</div>'
        elif kind == "markdown":
            yield f'<div class="output">{prose(content)}</div>'
        else:
            yield f'<pre class="output">{html.escape(content)}</pre>'


def moved(instrument: Any, modes: Sequence[str], stored: Mapping[str, str] | None = None) -> str:
    """An instrument for a page without Python, in the sizes of some modes.

    Before it wakes, it shows its picture in the first one. ``stored`` are its :func:`records`, if
    they are made.
    """
    from dpviz.exercises.done import Done
    from dpviz.instruments.explorer import Explorer
    from dpviz.instruments.player import Player
    from dpviz.pages import done

    if isinstance(instrument, Done):
        return done.section()
    if not isinstance(instrument, (Explorer, Player)):
        return asked(instrument)
    if instrument.screen is None:
        return instrument.still()[1]
    made = records(instrument, modes) if stored is None else stored
    states = scripts({mode: made[mode] for mode in modes if mode in made})
    picture = use(instrument, modes[0]).screen.picture
    kind = "explorer" if isinstance(instrument, Explorer) else "player"
    seen = f'<div class="panel"></div>{framed(picture)}'
    return section(kind, seen, instrument.screen.words(), states)


def records(
    instrument: Any,
    modes: Sequence[str],
    room: Room | None = None,
    processes: int = 1,
    seen: dict[str, Any] | None = None,
) -> dict[str, str]:
    """What an explorer or a player shows in each of some modes, packed; nothing of a question.

    Of an explorer a telephone's size is left out that does not fit into what ``room`` leaves it;
    ``seen`` is what was drawn of it before.
    """
    from dpviz.instruments.explorer import Explorer
    from dpviz.instruments.player import Player
    from dpviz.pages import stored

    if isinstance(instrument, Player) and instrument.screen is not None:
        return {mode: stored.packed(stored.player(use(instrument, mode))) for mode in modes}
    if not isinstance(instrument, Explorer):
        return {}
    budgets = {mode: room.budget(mode) if room else stored.BUDGET for mode in modes}
    packed = {}
    for mode, text in stored.explorer(instrument, budgets, processes, seen).items():
        # What does not fit at all leaves a telephone the pictures of a screen.
        fits = mode != "phone" or len(text) <= budgets[mode]
        if room:
            room.taken(mode, len(text) if fits else 0)
        if fits:
            packed[mode] = text
    return packed


def opening(explorer: Any, processes: int = 1, seen: dict[str, Any] | None = None) -> Opening:
    """What the first page shows of the explorer that opens a lesson."""
    states = records(explorer, READ, Room(1, dict(OPENING)), processes, seen)
    pictures = {mode: use(explorer, mode).screen.picture for mode in READ[::-1]}
    words, sentence = [*explorer.screen.words()], explorer.screen.sentence
    return Opening(pictures=pictures, states=states, words=words, sentence=sentence)


def scripts(states: Mapping[str, str]) -> str:
    """Packed states by their modes, as a page holds them."""
    return "".join(
        f'<script type="text/plain" class="{mode}">{states[mode]}</script>' for mode in states
    )


def framed(picture: str) -> str:
    """A picture where the states of its instrument are shown."""
    return f'<div class="dpviz-picture">{picture}</div>'


def section(kind: str, seen: str, words: Sequence[str], states: str = "", marks: str = "") -> str:
    """An explorer or a player before it wakes: its picture and its panel, words, states.

    ``marks`` are further attributes of the element.
    """
    sentence, table = words
    return (
        f'<section class="instrument dpviz-{kind}"{marks}>{seen}'
        f'<div class="sentence">{sentence}</div><div class="table">{table}</div>'
        f"{states}</section>"
    )


def asked(exercise: Any) -> str:
    """A question with its hints and what is folded below it."""
    from dpviz.exercises.answers import Curve

    kind = "prediction" if exercise.held else "exercise"
    task = exercise.question
    small, wide = (use(exercise, mode).page().removeprefix(task) for mode in ("phone", "notebook"))
    below = drawn(exercise) + sized(wide, IMAGE.findall(small))
    lab = "" if judge(exercise) else f"<p><small>{say('exercise.lab')}</small></p>"
    body = f"<div>{task}</div>{below}{lab}{judge(exercise)}"
    held = " dpviz-exercise" if isinstance(exercise.answer, Curve) else ""
    return f'<section class="instrument {kind}{held}">{body}</section>'


def drawn(exercise: Any) -> str:
    """Where a curve is drawn by hand, in two sizes; "" for any other answer."""
    from dpviz.exercises.answers import Curve
    from dpviz.exercises.drawn import Canvas

    if not isinstance(exercise.answer, Curve):
        return ""
    screen = Canvas(exercise.answer).explorer.screen
    wide = screen.picture
    sentence, _ = screen.words()
    screen.use("phone")
    return (
        f"{framed(wide)}"
        f'<template class="phone">{screen.picture}</template>'
        f'<div class="sentence">{sentence}</div>'
    )


def judge(exercise: Any) -> str:
    """What the page judges an answer by, if it is a number, a choice or a curve; else ""."""
    from dpviz.exercises.answers import DRAWN, Curve, Number, Pick
    from dpviz.exercises.record import plain

    answer = exercise.answer
    rule = {}
    if isinstance(answer, Pick):
        rule = {"kind": "choice", "options": dict(answer.options)}
    elif isinstance(answer, Curve):
        slips = {slip: say(words) for slip, words in DRAWN.items()}
        rule = {"kind": "curve", "said": slips, **vars(answer)}
    elif isinstance(answer, Number):
        slips = [
            [slip, max(answer.within, 0.01 * abs(slip)), say(said)]
            for slip, said in answer.slips.items()
        ]
        within = answer.within + 1e-9 * abs(answer.value)
        rule = {"kind": "number", "value": answer.value, "within": within, "slips": slips}
        rule["otherwise"] = say(answer.otherwise)
    asked_as = {"name": exercise.name, "question": plain(exercise.question)}
    more = json.dumps({**rule, **asked_as, "right": exercise.right}).replace("</", "<\\/")
    return f'<script type="application/json">{more}</script>' if rule else ""


def worked(cells: Iterable[Cell]) -> Iterator[tuple[list[Any], list[Any]]]:
    """Of each cell the instruments and the figures that it shows, from a run in this process.

    Raises
    ------
    ValueError
        If a cell fails.
    """
    from IPython.core.interactiveshell import InteractiveShell

    from dpviz.drawing import stills
    from dpviz.exercises.done import Done
    from dpviz.exercises.exercise import Exercise
    from dpviz.instruments.explorer import Explorer
    from dpviz.instruments.player import Player

    met: list[Any] = []
    figures: list[Any] = []
    for kind in (Exercise, Explorer, Player, Done):
        kind._ipython_display_ = lambda self, **more: met.append(self)
    stills.LESSON.show = figures.append
    shell = InteractiveShell.instance()
    for cell in cells:
        met.clear()
        figures.clear()
        if not cell.is_text:
            with contextlib.redirect_stdout(io.StringIO()):
                done = shell.run_cell(cell.source)
            if not done.success:
                raise ValueError(f"a cell fails: {done.error_in_exec or done.error_before_exec!r}")
        yield list(met), list(figures)


def code(source: str) -> str:
    """A listing, its words coloured."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return f"<pre>{highlight(source, PythonLexer(), HtmlFormatter(nowrap=True))}</pre>"
