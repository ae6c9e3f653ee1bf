"""What you have done: all that was answered in the lessons, on one page, for its reader alone.

It shows the file that `dpviz.exercises.record` keeps, gives it to download, sets marks, and erases
it. What a notebook stores of it says only what it is for, never an answer: a lesson that runs anew
does not depend on what somebody answered.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator

import ipywidgets as widgets

from dpviz.drawing.live import Output
from dpviz.drawing.page import table
from dpviz.exercises.answers import RIGHT
from dpviz.exercises.record import FILE, LESSONS, MARKS, Entry, Record, here, packed, solved
from dpviz.instruments.instrument import Instrument
from dpviz.words import say

HEAD = ("done.question", "done.first", "done.answers", "done.right", "done.mark")
# Of a reader's mark the message that says it.
MARKED = dict(zip(MARKS, ("done.none", "done.finished", "done.again"), strict=True))
LOOK = (
    "<style>.dpviz-done :is(td, th) { padding: 2px 14px 2px 0; text-align: left; "
    "vertical-align: top; }</style>"
)


class Done:
    """The page of one record.

    Parameters
    ----------
    record : what was answered; that of this kernel's folder if not given
    """

    def __init__(self, record: Record | None = None):
        self.record = record or here()

    def rows(self) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
        """Of each lesson that was begun: its name, and a row for each question."""
        entries = self.record.entries()
        for i, lesson in enumerate(LESSONS):
            met = [entry for name, entry in entries.items() if name.startswith(f"{lesson}.")]
            if met:
                yield f"{i:02} {lesson.replace('_', '-')}", list(map(row, met))

    def page(self) -> str:
        """HTML: a table for each lesson, and how many questions were answered right."""
        parts = []
        for lesson, rows in self.rows():
            right = sum(cells[3] != say("done.unsolved") for cells in rows)
            words = say("done.count", lesson=lesson, right=right, all=len(rows))
            parts.append(f"<p><b>{words}</b></p>{table([[*map(say, HEAD)], *rows])}")
        problem = f'<p role="alert">{html.escape(self.record.problem)}</p>'
        return "".join(parts or [f"<p>{say('done.nothing')}</p>"]) + (
            problem if self.record.problem else ""
        )

    def file(self) -> str:
        """HTML: a link that downloads the file."""
        data = base64.b64encode(packed(self.record.entries()).encode()).decode()
        link = f'href="data:application/json;base64,{data}" download="{FILE}"'
        look = 'class="dpviz-download" style="text-decoration:underline"'
        return f"<a {look} {link}>{say('done.download')}</a>"

    def _ipython_display_(self, **kwargs: object) -> None:
        DoneFace(self)._ipython_display_(**kwargs)


def row(entry: Entry) -> tuple[str, ...]:
    """One question: text, first answer, how many answers, whether one was right, mark."""
    first = entry["tries"][0][0] if entry["tries"] else say("done.shown")
    at_once = bool(entry["tries"]) and entry["tries"][0][1] == RIGHT
    right = say("done.once" if at_once else "done.solved" if solved(entry) else "done.unsolved")
    mark = say(MARKED[entry["mark"]]) if entry["mark"] else ""
    return entry["question"], first, str(len(entry["tries"])), right, mark


def kept() -> str:
    """What the file is for, HTML."""
    return f"<p>{say('done.kept')}</p>"


class DoneFace(Instrument):
    """The tables; a question and a mark to choose; download; erase, asked twice.

    Parameters
    ----------
    done : :class:`Done`, which knows nothing of its face
    """

    wake = "instrument.see"

    def __init__(self, done: Done):
        self.done = done
        self.page, self.link = widgets.HTML(), widgets.HTML()
        look = {"style": {"description_width": "initial"}, "layout": {"width": "360px"}}
        self.question = widgets.Dropdown(description=say("done.choose"), **look)
        self.mark = widgets.Dropdown(
            options=[(say(words), mark) for mark, words in MARKED.items()],
            layout={"width": "140px"},
            tooltip=say("done.put"),
        )
        self.put = button(say("done.put"), self._mark)
        self.erase = button(say("done.erase"), self._erase)
        bar = widgets.HBox([self.question, self.mark, self.put, self.link, self.erase])
        bar.layout = {"flex_flow": "row wrap", "align_items": "center", "grid_gap": "8px"}
        super().__init__([widgets.HTML(LOOK + kept()), self.page, bar])
        self.layout.max_width = "100%"
        self.add_class("dpviz-done")
        self.tell()
        done.record.watchers.append(self.tell)

    def tell(self) -> None:
        """Show what is kept now."""
        entries = self.done.record.entries()
        self.page.value, self.link.value = self.done.page(), self.done.file()
        chosen = self.question.value
        options = [(entry["question"][:70], name) for name, entry in entries.items()]
        self.question.options = options
        if options:
            self.question.value = chosen if chosen in entries else options[0][1]
        for each in (self.question, self.mark, self.put, self.erase):
            each.disabled = not options
        self.erase.description = say("done.erase")

    def leave(self) -> None:
        """Follow the record no longer, and close."""
        self.done.record.watchers.remove(self.tell)
        super().leave()

    def still(self) -> tuple[list[Output], str]:
        """What it is for; never what was answered."""
        return [], kept()

    def _mark(self) -> None:
        try:
            self.done.record.mark(self.question.value, self.mark.value)
        except ValueError:  # erased meanwhile, in another lesson
            self.tell()

    def _erase(self) -> None:
        if self.erase.description != say("done.sure"):
            self.erase.description = say("done.sure")
        else:
            self.done.record.erase()


def button(text: str, act) -> widgets.Button:
    """A button as wide as its words."""
    widget = widgets.Button(description=text, layout={"width": "auto"})
    widget.on_click(lambda _: act())
    return widget
