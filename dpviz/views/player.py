"""Step through what an algorithm recorded: play, pause, back, step, by keyboard too."""

from __future__ import annotations

from collections.abc import Sequence

import ipywidgets as widgets

from dpviz.views.instrument import Instrument, Output
from dpviz.views.live import Result, Screen, View

EMPTY = "<p>Nothing was recorded: the trace is empty.</p>"
# ms a state; the fastest stays below three changes a second, which nobody's eyes are harmed by.
SPEEDS = {"slow": 1000, "normal": 500, "fast": 350}
TIPS = {"back": "one state back", "step": "one state forward"}


class Player(Instrument):
    """A trace, one state at a time. It starts still, at its most telling step.

    Nothing moves before somebody presses play, and between two states nothing moves at all, which
    is also what a reader who asks for reduced motion is owed. Keyboard: Tab to the slider, arrows
    step, Home and End jump; Tab to play, space plays and pauses.

    Parameters
    ----------
    view : how a state is drawn, said and tabled
    trace : states that an algorithm recorded: pure data
    start : index of the first state shown, which is also the stored picture
    """

    def __init__(self, view: View[Result], trace: Sequence[Result], start: int = 0):
        self.trace, last = trace, len(trace) - 1
        if not trace:
            super().__init__([widgets.HTML(EMPTY)])
            self.add_class("dpviz-player")
            return
        self.screen = Screen(view)
        self.position = widgets.IntSlider(
            min=0,
            max=last,
            value=start,
            readout=False,
            tooltip="position",
            layout={"width": "300px"},
        ).add_class("dpviz-position")
        self.position.observe(lambda change: self._show(), names="value")
        super().__init__(self._arrange(), layout={"max_width": "100%"})
        self.add_class("dpviz-player")
        self._show()

    def step(self, by: int) -> None:
        """Go ``by`` states forward (negative: back), as far as there are any."""
        self.position.value = min(max(self.position.value + by, 0), len(self.trace) - 1)

    def _show(self) -> None:
        self.screen.show(self.trace[self.position.value])

    def _arrange(self) -> list[widgets.Widget]:
        """Play, back, step, position and speed; the picture; the sentence; the table."""
        now, last = self.position.value, self.position.max
        limits = {"value": now, "min": 0, "max": last}
        play = widgets.Play(**limits, interval=500, show_repeat=False, tooltip="play or pause")
        play.add_class("dpviz-play")
        widgets.link((play, "value"), (self.position, "value"))
        self.speed = widgets.Dropdown(
            options=SPEEDS, value=play.interval, description="speed", tooltip="speed"
        )
        self.speed.style.description_width, self.speed.layout.width = "50px", "130px"
        widgets.link((self.speed, "value"), (play, "interval"))
        bar = [play, self._button("back", -1), self._button("step", 1), self.position, self.speed]
        screen = self.screen
        parts = [screen.picture, screen.sentence, screen.table, screen.notice]
        return [widgets.HBox(bar, layout={"flex_flow": "row wrap"}), *parts]

    def _button(self, text: str, by: int) -> widgets.Button:
        button = widgets.Button(description=text, tooltip=TIPS[text], layout={"width": "70px"})
        button.on_click(lambda _: self.step(by))
        return button.add_class(f"dpviz-{text}")

    def still(self) -> tuple[list[Output], str]:
        """The picture, the sentence and the table of the state shown now."""
        return self.screen.still() if self.trace else ([], EMPTY)
