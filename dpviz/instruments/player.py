"""Step through what an algorithm recorded: back, step, position, speed.

Nothing here knows a widget: `dpviz.instruments.faces` puts a player on a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpviz.drawing.live import Output, Result, Screen, View
from dpviz.words import say

# ms a state; the fastest stays below three changes a second, which nobody's eyes are harmed by.
SPEEDS = {"slow": 1000, "normal": 500, "fast": 350}


class Player:
    """A trace, one state at a time. It starts at its most telling step.

    Parameters
    ----------
    view : how a state is drawn, said and tabled
    trace : states that an algorithm recorded: pure data
    start : index of the first state shown, which is also the stored picture

    Attributes
    ----------
    position : index of the state shown now
    speed : one of ``speeds``, a dict from names to ms a state
    screen : picture, sentence and table of that state; None if the trace is empty
    watchers : what is called when anything has changed: a face tells itself anew
    """

    speeds = SPEEDS

    def __init__(self, view: View[Result], trace: Sequence[Result], start: int = 0):
        self.trace, self.position, self.speed = trace, self._within(trace, start), "normal"
        self.watchers: list[Callable[[], None]] = []
        self.screen = Screen(view, trace[self.position]) if trace else None

    def go(self, position: int) -> None:
        """Show the state of an index, or the first or last if it is none."""
        self.position = self._within(self.trace, position)
        if self.screen is not None:
            self.screen.show(self.trace[self.position])
        self._changed()

    def step(self, by: int) -> None:
        """Go ``by`` states forward (negative: back), as far as there are any."""
        self.go(self.position + by)

    def play_at(self, speed: str) -> None:
        """Change the speed.

        Raises
        ------
        ValueError
            If it is none of ``speeds``.
        """
        if speed not in self.speeds:
            raise ValueError(f"speed must be one of {list(self.speeds)}, not {speed!r}")
        self.speed = speed
        self._changed()

    def still(self) -> tuple[list[Output], str]:
        """The picture, the sentence and the table of the state shown now."""
        return ([], f"<p>{say('player.empty')}</p>") if self.screen is None else self.screen.still()

    def _changed(self) -> None:
        for changed in self.watchers:
            changed()

    @staticmethod
    def _within(trace: Sequence[Result], position: int) -> int:
        return min(max(position, 0), max(len(trace) - 1, 0))

    def _ipython_display_(self, **kwargs: object) -> None:
        from dpviz.instruments.faces import PlayerFace

        PlayerFace(self)._ipython_display_(**kwargs)
