"""Still figures follow the size of everything: what drew one draws it again, in another size.

A figure that a cell shows is an output that can be replaced, which needs a kernel, as its size
does. Nothing here knows a widget.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Drawn = TypeVar("Drawn")


def still(draw: Callable[Given, Drawn]) -> Callable[Given, Drawn]:
    """Let what a function draws be drawn again: its figure gets ``again(mode)``.

    Parameters
    ----------
    draw : takes ``mode``, and gives a figure

    >>> @still
    ... def figure_line(height, mode="notebook"):
    ...     from dpviz.drawing.style import figure
    ...     return figure(f"A line of height {height}", alt="A line.", mode=mode)[0]
    >>> small = figure_line(3)
    >>> small.again("projector").mode, small.again("projector").texts[0].get_text()
    ('projector', 'A line of height 3')
    """
    takes = inspect.signature(draw)

    @wraps(draw)
    def drawn(*given: Given.args, **named: Given.kwargs) -> Drawn:
        figure: Any = draw(*given, **named)
        bound = takes.bind(*given, **named).arguments
        again: Any = draw
        figure.again = lambda mode: again(**{**bound, "mode": mode})
        return figure

    return drawn


def drawn_in(mode: str, shown: Any) -> Any:
    """A figure in the size of a mode; anything else, and what cannot be drawn again, as it is."""
    again = getattr(shown, "again", None)
    return again(mode) if again and shown.mode != mode else shown


class Still:
    """A figure in the output of a cell; in each size it is drawn once."""

    def __init__(self, figure: Any, mode: str):
        from IPython.display import display

        self.figure = figure
        self.bundles: dict[str, Any] = {}
        self.output = display(self._bundle(mode), raw=True, display_id=True)

    def use(self, mode: str) -> None:
        """Show it in another size."""
        self.output.update(self._bundle(mode), raw=True)

    def _bundle(self, mode: str) -> dict[str, str]:
        if mode not in self.bundles:
            self.bundles[mode] = drawn_in(mode, self.figure)._repr_mimebundle_()
        return self.bundles[mode]


class Stills:
    """The figures that the cells of a lesson show, all in one size: ``mode``."""

    def __init__(self) -> None:
        self.mode = "notebook"
        # Of each cell, its last run and the figures that this showed.
        self._shown: dict[str, tuple[str | None, list[Still]]] = {}

    def show(self, figure: Any) -> None:
        """Show a figure as an output of the cell that runs; what its last run showed is gone."""
        from IPython import get_ipython

        header = getattr(get_ipython(), "parent_header", {})
        cell = header.get("metadata", {}).get("cellId")
        run = header.get("header", {}).get("msg_id")
        still = Still(figure, self.mode)
        if cell:
            former, seen = self._shown.get(cell, (run, []))
            self._shown[cell] = run, [*(seen if run == former else []), still]

    def use(self, mode: str) -> None:
        """Show every figure in the size of a mode."""
        self.mode = mode
        for _, some in list(self._shown.values()):
            for each in some:
                each.use(mode)


LESSON = Stills()  # the one that runs in this kernel
