"""Explorers and players as ipywidgets: what a reader moves and presses.

What is computed and drawn is theirs; a face only shows it and passes on what was done.
"""

from __future__ import annotations

import gc
import html
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

import ipywidgets as widgets
import traitlets

from dpviz.drawing.live import Output, Screen
from dpviz.drawing.page import PICTURE, PLAYER, SCRIPT, STYLE
from dpviz.drawing.stills import LESSON
from dpviz.instruments.controls import Choice, Points, Slider
from dpviz.instruments.instrument import Instrument
from dpviz.words import interface, lesson, say

# Of a kind of button, the message that says what it does.
TIPS = {"check": "answer.judge", "hint": "answer.help", "reset": "answer.restart"}
TIPS |= {"waive": "answer.skip", "back": "player.before", "step": "player.after"}
# What only a page's scripts say, by the names under which they find it in the notice.
LATER = {"lost": "instrument.lost", "stopped": "player.stopped"}
LATER |= {"play": "player.play", "pause": "player.pause"}


DRAGS = {"to", "rest", "let"}  # acts of a hand that holds a mark
TOGETHER = 8  # answers to a drag, of which one moves the sliders too


@lru_cache
def projector() -> widgets.ToggleButton:
    """The one switch of a lesson: every live picture has it, and follows it."""
    look = {"description": say("instrument.projector"), "tooltip": say("instrument.larger")}
    switch = widgets.ToggleButton(**look, layout={"width": "auto"}).add_class("dpviz-projector")
    switch.observe(_resize_stills, names="value")
    return switch


@lru_cache
def narrow() -> widgets.Text:
    """What pages say of their width: "phone" below 480 pixels, else nothing (`page.SCRIPT`)."""
    field = widgets.Text().add_class("dpviz-narrow")
    field.observe(_resize_stills, names="value")
    return field


def follow_size(changed: Callable[[Mapping[str, object]], None]) -> None:
    """Call ``changed`` at each change of size; what nobody works with comes last."""
    for switch in (projector(), narrow()):
        switch.unobserve(_resize_stills, names="value")
        for each in (changed, _resize_stills):
            switch.observe(each, names="value")


def leave_size(changed: Callable[[Mapping[str, object]], None]) -> None:
    """Call ``changed`` no longer."""
    for switch in (projector(), narrow()):
        switch.unobserve(changed, names="value")


def _resize_stills(change: Mapping[str, object]) -> None:
    LESSON.use(size())


def size() -> str:
    """The size in which everything is shown now: the reader's choice, else the page's."""
    if projector().value:
        return "projector"
    return "phone" if narrow().value == "phone" else "notebook"


def notice() -> str:
    """What a page can say by itself when its kernel is gone, and in which languages all is said.

    It stands there all the time; scripts of the page read off it what they say.
    """
    words = {**{name: say(key) for name, key in LATER.items()}, "lesson": lesson()}
    told = " ".join(f'data-{name}="{html.escape(text)}"' for name, text in words.items())
    asleep = say("instrument.asleep", advice=say("instrument.advice"))
    return f'{STYLE}<small lang="{interface()}" {told}>{html.escape(asleep)}</small>'


class Part(widgets.HTML):
    """HTML that can change without a message; the next message then says it."""

    quiet, late = False, False

    def tell(self, value: str, *, quiet: bool) -> None:
        """Change it; if ``quiet``, the page is shown it by other means."""
        self.quiet = quiet
        self.value = value
        if self.late and not quiet:
            self.late = False
            self.send_state("value")

    def notify_change(self, change: Any) -> None:
        """Send what has changed, unless it is quiet."""
        if change["name"] == "value":
            self.late = self.quiet
        if not (change["name"] == "value" and self.quiet):
            super().notify_change(change)


class ScreenFace:
    """Picture, sentence, table and advice, for a face to arrange.

    While a hand drags a mark, picture, sentence and table leave together, as one answer, of the
    picture what has changed, which the page puts in the place of what it shows; each for itself,
    and whole, they follow when it lets go. All else
    follows every eighth answer, and when the hand rests: a message costs a page as much as half a
    picture.

    Parameters
    ----------
    screen : what they show

    Attributes
    ----------
    done : number of the latest act of a hand that is done
    passing : whether a hand leads a mark on just now, so that all but the picture can wait
    """

    def __init__(self, screen: Screen):
        self.screen = screen
        self.picture = Part().add_class("dpviz-picture")
        self.sentence = Part().add_class("dpviz-sentence")
        self.table = Part().add_class("dpviz-table")
        self.notice = widgets.HTML(notice()).add_class("dpviz-notice")
        self.answer = widgets.HTML().add_class("dpviz-reply")
        self.parts = [self.picture, self.sentence, self.table, self.notice, narrow()]
        self.done = 0.0
        self.passing = False
        self._drags = self._leads = False
        self._answers = 0
        self._answered: tuple[str, ...] = ()
        self._stands: list[str] = []
        self._follow()
        follow_size(self._follow)

    def tell(self) -> None:
        """Show what the screen shows."""
        if not self._drags:
            self._answered, self._stands = (), []
        for part, value in zip(self._shown, self._told(), strict=True):
            part.tell(value, quiet=self._drags)

    def reply(self) -> None:
        """Answer a hand: up to which of its acts all is done; what it leads to, if that is new."""
        told = self._told()
        late = any(part.late for part in self._shown)
        new = late and told != self._answered
        parts = [self.screen.since(self._stands), *told[1:]] if new else []
        self._answered, self._stands = told, self.screen.elements
        words = "".join(f"<div>{text}</div>" for text in parts)
        more = ' data-new=""' * new
        self.answer.value = f'<div data-done="{self.done:.0f}"{more}>{words}</div>'

    @contextmanager
    def dragged(self, acts: set[str]) -> Iterator[None]:
        """Within it, what is told waits for :meth:`reply` if a hand only drags a mark."""
        self._drags = acts <= DRAGS
        if "to" in acts and not self._leads:
            self._leads = True
            gc.freeze()  # a look at all objects would hold a drag back for a quarter of a second
        self._answers += 1
        self.passing = acts == {"to"} and self._answers % TOGETHER != 0
        try:
            yield
        finally:
            self._drags = self.passing = False

    def let_go(self) -> None:
        """A hand drags no longer: each part is sent for itself."""
        self._leads = False
        gc.unfreeze()
        self.tell()

    @property
    def _shown(self) -> tuple[Part, ...]:
        return self.picture, self.sentence, self.table

    def _told(self) -> tuple[str, ...]:
        return self.screen.picture, *self.screen.words()

    def leave(self) -> None:
        """Follow the size of everything no longer."""
        leave_size(self._follow)

    def _follow(self, change: Mapping[str, object] | None = None) -> None:
        """Be as large as everything."""
        if self.screen.mode != size():
            self.screen.use(size())
        mark = self.picture.add_class if projector().value else self.picture.remove_class
        mark("dpviz-projected")
        self.tell()


class Wire(widgets.Text):
    """A hidden field in which a page writes what a hand has done in the picture.

    ipywidgets sends the next value of a widget only after the kernel has finished with the last. So
    an instrument has two: while the kernel works at what one has sent, the other's is on its way.

    Parameters
    ----------
    explorer : :class:`dpviz.instruments.explorer.Explorer`, which does it
    screen : what answers the page
    """

    value = traitlets.Unicode().tag(sync=True, echo_update=False)

    def __init__(self, explorer: Any, screen: ScreenFace):
        super().__init__()
        self.add_class("dpviz-wire")
        self.explorer, self.screen = explorer, screen
        self.observe(self._handed, names="value")

    def _handed(self, change: Mapping[str, Any]) -> None:
        """Do what a hand has done in the picture, each act once, and answer.

        A page writes the latest acts as JSON: of each its number, which grows, the mark, the act
        and its numbers. What is no list of acts is none.
        """
        try:
            acts = [
                (float(serial), str(mark), str(act), *numbers)
                for serial, mark, act, *numbers in json.loads(change["new"])
            ]
        except (ValueError, TypeError):
            return
        new = [act for act in acts if act[0] > self.screen.done]
        kinds = {act for _, _, act, *_ in new}
        if not kinds <= DRAGS:
            self.screen.let_go()  # what a drag that did not end has left
        with self.screen.dragged(kinds):
            for self.screen.done, mark, act, *numbers in new:
                self.explorer.hand(mark, act, *(_finite(number) for number in numbers))
            self.screen.reply()
        if new and new[-1][2] == "let":
            self.screen.let_go()


def wires(explorer: Any, screen: ScreenFace) -> list[Wire]:
    """The two by which a hand reaches an explorer."""
    return [Wire(explorer, screen) for _ in range(2)]


class ExplorerFace(Instrument):
    """Left or above: buttons, controls, what is wrong. Then picture, sentence, table.

    Parameters
    ----------
    explorer : :class:`dpviz.instruments.explorer.Explorer`, which knows nothing of its face
    """

    scripts = SCRIPT, PICTURE

    def __init__(self, explorer: Any):
        self.explorer, self.screen = explorer, ScreenFace(explorer.screen)
        self.inputs = {
            name: input_of(control)
            for name, control in explorer.controls.items()
            if not isinstance(control, Points)  # they are moved in the picture
        }
        self.wires = wires(explorer, self.screen)
        self.problem = widgets.HTML().add_class("dpviz-problem")
        self.idle = widgets.HTML().add_class("dpviz-idle")
        self.again = button_of("", explorer.again, "again", width="auto")
        super().__init__(self._arrange(), layout={"max_width": "100%"})
        self.add_class("dpviz-explorer")
        self.tell()
        for name, widget in self.inputs.items():
            widget.add_class("dpviz-control").observe(partial(self._moved, name), names="value")
        if explorer.is_slow():
            for widget in self.inputs.values():
                if isinstance(widget, widgets.SelectionSlider):
                    widget.continuous_update = False
        explorer.watchers.append(self.tell)

    def tell(self) -> None:
        """Show what the explorer says now."""
        explorer = self.explorer
        if not self.screen.passing:
            self._tell_controls()
        self.problem.value = _warning(explorer.problem) if explorer.problem else ""
        self.screen.tell()

    def _tell_controls(self) -> None:
        """Set them to the explorer's values, and switch off what cannot act."""
        explorer = self.explorer
        self.again.description = say("explorer.again", seed=explorer.values["seed"])
        for name, widget in {**self.inputs, "seed": self.again}.items():
            widget.disabled = not explorer.acts(name)
        for name, widget in self.inputs.items():
            widget.value = explorer.values[name]
        said = " ".join(filter(None, [explorer.movable, explorer.idle]))
        self.idle.value = f"<small>{html.escape(said)}</small>"

    def leave(self) -> None:
        """Stop following the explorer and the size of everything, and close."""
        self.explorer.watchers.remove(self.tell)
        self.screen.leave()
        super().leave()

    def still(self) -> tuple[list[Output], str]:
        """The picture, the sentence and the table of now."""
        return self.explorer.still()

    def _moved(self, name: str, change: Mapping[str, Any]) -> None:
        """Pass on what a reader has moved; what :meth:`tell` moves is known already."""
        if change["new"] != self.explorer.values[name]:
            self.explorer.set(**{name: change["new"]})

    def _arrange(self) -> list[widgets.Widget]:
        presets = [
            button_of(name, partial(self.explorer.set, **chosen), "preset", width="auto")
            for name, chosen in self.explorer.presets.items()
        ]
        self.projector = projector()
        buttons = [self.again, self.projector] if self.explorer.random else [self.projector]
        # No row of their own: they stand behind the presets, or else behind the controls.
        last = [] if presets else [widgets.HBox(buttons)]
        presets += buttons if presets else []
        controls = _box([*self.inputs.values(), *last], "controls")
        panel = _box([controls, self.idle, self.problem], "panel")
        hand = [*self.wires, self.screen.answer] if self.explorer.handles else []
        stage = _box([*self.screen.parts, *hand], "stage")
        return [_box([_box(presets, "presets"), panel, stage], "body")]


class PlayerFace(Instrument):
    """Play, back, step, position and speed; the picture; the sentence; the table.

    Nothing moves before somebody steps or presses play; then what is in both states moves from
    one to the other in the page (`player.js`), unless its reader asks for reduced
    motion. Keyboard: arrows step, Home and End jump; Tab to play, space plays and pauses.

    Parameters
    ----------
    player : :class:`dpviz.instruments.player.Player`, which knows nothing of its face
    """

    scripts = SCRIPT, PICTURE, PLAYER

    def __init__(self, player: Any):
        self.player = player
        if player.screen is None:
            super().__init__([widgets.HTML(player.still()[1])])
            self.add_class("dpviz-player")
            return
        self.screen = ScreenFace(player.screen)
        panel = _box([self._bar()], "panel")
        stage = _box(self.screen.parts, "stage")
        super().__init__([_box([panel, stage], "body")], layout={"max_width": "100%"})
        self.add_class("dpviz-player")
        player.watchers.append(self.tell)

    def tell(self) -> None:
        """Show the state and the speed of the player."""
        self.position.value = self.player.position
        self.speed.value = self.player.speeds[self.player.speed]
        self.screen.tell()

    def leave(self) -> None:
        """Stop following the player and the size of everything, and close."""
        if self.player.screen is not None:
            self.player.watchers.remove(self.tell)
            self.screen.leave()
        super().leave()

    def still(self) -> tuple[list[Output], str]:
        """The picture, the sentence and the table of the state shown now."""
        return self.player.still()

    def _bar(self) -> widgets.HBox:
        player = self.player
        limits = {"value": player.position, "min": 0, "max": len(player.trace) - 1}
        look = {"readout": False, "layout": {"width": "300px"}}
        self.position = widgets.IntSlider(**limits, **look, tooltip=say("player.position"))
        self.position.add_class("dpviz-position").observe(self._moved, names="value")
        interval = player.speeds[player.speed]
        self.play = widgets.Play(
            **limits, interval=interval, show_repeat=False, tooltip=say("player.either")
        ).add_class("dpviz-play")
        widgets.link((self.play, "value"), (self.position, "value"))
        named = {say(f"player.{name}"): ms for name, ms in player.speeds.items()}
        look = {"description": say("player.speed"), "tooltip": say("player.speed")}
        self.speed = widgets.Dropdown(options=named, value=interval, **look)
        self.speed.style.description_width = "initial"
        self.speed.layout.width = "auto"
        self.speed.layout.margin = "2px 2px 2px 10px"  # the handle of the position ends there
        speeds = {ms: name for name, ms in player.speeds.items()}
        self.speed.observe(lambda change: player.play_at(speeds[change["new"]]), names="value")
        widgets.link((self.speed, "value"), (self.play, "interval"))
        back = button_of(say("player.back"), partial(player.step, -1), "back")
        step = button_of(say("player.step"), partial(player.step, 1), "step")
        bar = [self.play, back, step, self.position, self.speed]
        return widgets.HBox(bar)

    def _moved(self, change: Mapping[str, Any]) -> None:
        if change["new"] != self.player.position:
            self.player.go(change["new"])


def input_of(control: Slider | Choice) -> widgets.SelectionSlider | widgets.Dropdown:
    """Where a value is set: a slider or a list. The width of its label is the grid's."""
    look = {"description": control.label, "tooltip": control.label, "layout": {"width": "auto"}}
    look |= {"value": control.start, "style": {"description_width": "11em"}}
    if isinstance(control, Choice):
        words = [(control.show(value), value) for value in control.values]
        return widgets.Dropdown(options=words, **look)
    options = [(control.show(value), value) for value in control.values]
    return widgets.SelectionSlider(options=options, **look)


def _box(children: Sequence[widgets.Widget], kind: str) -> widgets.Box:
    return widgets.Box(children).add_class(f"dpviz-{kind}")


def button_of(text: str, act: Callable[[], None], kind: str, width: str = "70px") -> widgets.Button:
    """A button; of most kinds the kind says what it does."""
    layout = {"width": "auto", "min_width": width}
    tip = say(TIPS[kind]) if kind in TIPS else None
    button = widgets.Button(description=text, tooltip=tip, layout=layout)
    button.on_click(lambda _: act())
    return button.add_class(f"dpviz-{kind}")


def _finite(number: Any) -> float | None:
    """A number that a page has sent; None if it is none."""
    return float(number) if isinstance(number, int | float) and math.isfinite(number) else None


def _warning(text: str) -> str:
    return f'<p role="alert" class="dpviz-warning">{html.escape(text)}</p>'
