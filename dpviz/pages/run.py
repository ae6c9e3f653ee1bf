"""One run of a lesson for all of its pages: each cell, with the instruments that it shows.

What is read comes from the notebook as it is stored; the lesson is run only for its instruments:
explorers and players with the states that fit a page, predictions and exercises whose answers are
a number or a choice.
"""

from __future__ import annotations

import contextlib
import html
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpviz.pages.text import joined, prose

VIEW = "application/vnd.jupyter.widget-view+json"
REVIEW = "<p>Nothing was predicted yet"  # the script fills it as predictions are answered


@dataclass(frozen=True)
class Piece:
    """A cell of a lesson after its run.

    Attributes
    ----------
    cell : as the notebook stores it
    instruments : explorers, players, predictions and exercises that it shows, in order
    woken : each of them as a section of a page
    """

    cell: dict[str, Any]
    instruments: list[Any]
    woken: list[str]

    @property
    def text(self) -> str:
        """Its source if it is a cell of text, or ""."""
        return joined(self.cell["source"]) if self.cell["cell_type"] == "markdown" else ""


def pieces(path: Path) -> Iterator[Piece]:
    """Each cell of a lesson, from a run in this process and in the folder of the lessons.

    Raises
    ------
    ValueError
        If a cell fails.
    """
    cells = json.loads(path.read_text("utf-8"))["cells"]
    for cell, awake in zip(cells, instruments(cells), strict=True):
        yield Piece(cell, awake, [moved(instrument) for instrument in awake])


def shown(piece: Piece) -> Iterator[str]:
    """The outputs of a cell; an instrument's picture, words and widget become the instrument."""
    outputs, live = piece.cell.get("outputs", []), iter(piece.woken)
    asleep = set()
    for place, output in enumerate(outputs):
        if VIEW in output.get("data", {}):
            words = joined(outputs[place - 1]["data"]["text/html"])
            pictured = "dpviz-pictured" in words.partition("<style>")[0]
            asleep |= {place - 1, place - 2} if pictured else {place - 1}
    for place, output in enumerate(outputs):
        data = output.get("data", {})
        if VIEW in data:
            yield next(live)
        elif place in asleep:
            continue
        elif "text/html" in data:
            told = joined(data["text/html"])
            kind = "review" if told.startswith(REVIEW) else "output"
            yield f'<div class="{kind}">{told}</div>'
        elif "text/markdown" in data:
            yield f'<div class="output">{prose(joined(data["text/markdown"]))}</div>'
        else:
            told = joined(output.get("text") or data.get("text/plain") or "")
            yield f'<pre class="output">{html.escape(told)}</pre>'


def moved(instrument: Any) -> str:
    """An instrument for a page without Python."""
    from dpviz.pages import stored
    from dpviz.views.explorer import Explorer
    from dpviz.views.player import Player

    if not isinstance(instrument, (Explorer, Player)):
        return asked(instrument)
    screen = instrument.screen
    if screen is None:
        return instrument.still()[1]
    kind = "explorer" if isinstance(instrument, Explorer) else "player"
    sentence, table = screen.words()
    told = stored.packed(getattr(stored, kind)(instrument))
    return (
        f'<section class="instrument dpviz-{kind}">'
        f'<div class="panel"></div><div class="dpviz-picture">{screen.picture}</div>'
        f'<div class="sentence">{sentence}</div><div class="table">{table}</div>'
        f'<script type="text/plain">{told}</script></section>'
    )


def asked(exercise: Any) -> str:
    """A question; its answer is judged in the page if it is a number or a choice."""
    from dpviz.views.answers import Number, Pick

    answer, told = exercise.answer, {}
    if isinstance(answer, Pick):
        told = {"kind": "choice", "options": dict(answer.options)}
    elif isinstance(answer, Number):
        slips = [
            [slip, max(answer.within, 0.01 * abs(slip)), said]
            for slip, said in answer.slips.items()
        ]
        within = answer.within + 1e-9 * abs(answer.value)
        told = {"kind": "number", "value": answer.value, "within": within, "slips": slips}
        told["otherwise"] = answer.otherwise
    more = json.dumps({**told, "right": exercise.right}).replace("</", "<\\/") if told else ""
    data = f'<script type="application/json">{more}</script>' if told else ""
    lab = "" if told else "<p><small>Answered in the lab, where Python checks it.</small></p>"
    kind = "prediction" if exercise.held else "exercise"
    return f'<section class="instrument {kind}">{exercise.page()}{lab}{data}</section>'


def instruments(cells: list[dict[str, Any]]) -> Iterator[list[Any]]:
    """Of each cell the instruments that it shows, from a run of the lesson in this process.

    Raises
    ------
    ValueError
        If a cell fails.
    """

    from IPython.core.interactiveshell import InteractiveShell

    from dpviz.views.exercise import Exercise
    from dpviz.views.explorer import Explorer
    from dpviz.views.player import Player

    met: list[Any] = []
    for kind in (Exercise, Explorer, Player):
        kind._ipython_display_ = lambda self, **more: met.append(self)
    shell = InteractiveShell.instance()
    for cell in cells:
        met.clear()
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                done = shell.run_cell(joined(cell["source"]))
            if not done.success:
                raise ValueError(f"a cell fails: {done.error_in_exec or done.error_before_exec!r}")
        yield list(met)


def code(source: str) -> str:
    """A listing, its words coloured."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return f"<pre>{highlight(source, PythonLexer(), HtmlFormatter(nowrap=True))}</pre>"
