"""What a notebook keeps of an instrument: its picture and its words, seen while it sleeps.

A live widget ends with its kernel. A notebook that was run and saved is trusted, and of an
output that holds a widget JupyterLab then shows the dead widget, whatever else it holds. So an
instrument is up to three outputs: its picture, its words, itself. The words bring the rules of
style by which the first two hide while the widget lives, and the third while it does not. A
page that does not trust them, or knows no widgets, leaves the rules and the widget out. A script
that they bring works for the whole page, so one cell stores it: the first that needs it, also when
that runs again.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets
from IPython import get_ipython
from IPython.display import display

from dpviz.drawing.live import Output
from dpviz.drawing.page import SCRIPT
from dpviz.words import SOURCE, interface, other, say

VIEW = "application/vnd.jupyter.widget-view+json"
STYLE = (
    ".jp-OutputArea-child{"
    "&:has(+& .dpviz-pictured):has(+&+& .dpviz-live),"
    "&:has(.dpviz-words):has(+& .dpviz-live),"
    "&:has(.dpviz-words)+&:not(:has(.dpviz-live))"
    "{display:none}}"
)
# There each cell's outputs are a page of their own, which needs its own script.
APART = "google.colab"


# Of each cell, its last run and the instruments that this showed.
_seen: dict[str | None, tuple[str | None, list[Instrument]]] = {}
_stores: dict[str, str] = {}  # of each script the cell that stores it


def once(script: str) -> str:
    """A script in the outputs of the first cell of a kernel that needs it; elsewhere nothing.

    >>> once("<script></script>")
    '<script></script>'
    """
    shell: Any = get_ipython()
    asked = getattr(shell, "parent_header", {})
    # Its name, or, where a front end does not give it, its source.
    cell = asked.get("metadata", {}).get("cellId") or asked.get("content", {}).get("code")
    cell = cell or getattr(shell, "user_ns", {}).get("In", [""])[-1]
    return script if APART in sys.modules or _stores.setdefault(script, cell) == cell else ""


class Instrument(widgets.VBox):
    """A widget that leaves a picture and words behind.

    >>> class Asleep(Instrument):
    ...     def still(self):
    ...         return [], "<p>A line of height 3.</p>"
    >>> words, live = Asleep().outputs()
    >>> words["text/plain"]
    'This picture moves in JupyterLab: Run > Run All Above Selected Cell, then this cell.'
    """

    wake = "instrument.wake"
    scripts: tuple[str, ...] = (SCRIPT,)

    def __init__(self, children: Sequence[widgets.Widget] = (), **more: Any):
        super().__init__(children, **more)
        self.add_class("dpviz-live")

    def still(self) -> tuple[list[Output], str]:
        """At most one picture, and HTML: what is seen without a kernel."""
        raise NotImplementedError

    def outputs(self) -> list[Output]:
        """What a cell that shows it stores."""
        pictures, words = self.still()
        language = other(interface(), SOURCE)
        kind = "dpviz-words dpviz-pictured" if pictures else "dpviz-words"
        line = say(self.wake, advice=say("instrument.advice"))
        scripts = "".join(map(once, self.scripts))
        page = f"<style>{STYLE}</style>{scripts}{words}<p><small>{html.escape(line)}</small></p>"
        stored: Output = {
            "text/html": f'<div class="{kind}"{language}>{page}</div>',
            "text/plain": line,
        }
        # What knows no widgets shows nothing in its place; an empty text would be an empty box.
        live: Output = {VIEW: self._repr_mimebundle_()[VIEW], "text/html": ""}
        return [*pictures, stored, live]

    def leave(self) -> None:
        """Stop following others, and close: its cell has run again, nobody sees it any more."""
        self.close()

    def _ipython_display_(self, **kwargs: object) -> None:
        header = getattr(get_ipython(), "parent_header", {})
        cell = header.get("metadata", {}).get("cellId")
        run = header.get("header", {}).get("msg_id")
        former, seen = _seen.get(cell, (run, []))
        if cell and run != former:
            for instrument in seen:
                instrument.leave()
            seen = []
        _seen[cell] = run, [*seen, self] if cell else []
        for data in self.outputs():
            display(data, raw=True)
