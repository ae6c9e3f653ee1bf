"""Controls -> compute -> picture: move a slider and see what changes."""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import ipywidgets as widgets

from dpviz.sweeps import seeds
from dpviz.views import style
from dpviz.views.instrument import Instrument, Output
from dpviz.views.live import Result, Screen, View, projector

SLOW = 0.05  # s of a processor; a slider that computes longer reacts on release only
# What a setting, or a result that it leads to, may end in; the reader is told.
UNDRAWN = (ValueError, TypeError, ArithmeticError, NotImplementedError)
Value: TypeAlias = float | str  # of a slider, or of a list of words
Cases: TypeAlias = Sequence[Mapping[str, Sequence[Value]]]


@dataclass(frozen=True, kw_only=True)
class Slider:
    """A slider over listed values.

    Attributes
    ----------
    name : argument of the compute function
    label : what stands beside it
    values : numbers in order
    start : one of the values
    show : value -> text
    acts : where it changes something: cases, each a dict from other controls to their values
    """

    name: str
    label: str
    values: Sequence[float]
    start: float
    show: Callable[[float], str] = style.number
    acts: Cases = ()

    def widget(self) -> widgets.SelectionSlider:
        """The slider itself."""
        options = [(self.show(value), value) for value in self.values]
        return widgets.SelectionSlider(options=options, value=self.start, **_look(self.label))


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A list of words to choose from; arguments as in :class:`Slider`."""

    name: str
    label: str
    values: Sequence[str]
    start: str
    acts: Cases = ()

    def widget(self) -> widgets.Dropdown:
        """The list itself."""
        return widgets.Dropdown(options=list(self.values), value=self.start, **_look(self.label))


class Explorer(Instrument):
    """A picture with controls; the last good picture stays when a value makes no sense.

    Parameters
    ----------
    compute : callable, pure: ``compute(**values, seed=...)`` returns a result
    view : how a result is drawn, said and tabled
    controls : at most six of :class:`Slider` and :class:`Choice`
    presets : dict from a name to the values it sets; the others go back to their start
    random : whether the seed matters, or the cases in which it does; if never, there is
        nothing to draw again

    Raises
    ------
    ValueError
        If a preset names an unknown control or value.
    """

    def __init__(
        self,
        compute: Callable[..., Result],
        view: View[Result],
        controls: Sequence[Slider | Choice],
        presets: Mapping[str, Mapping[str, Value]] | None = None,
        *,
        random: bool | Cases = True,
    ):
        self.compute, self._random = compute, random
        self.controls = {control.name: control for control in controls}
        self.presets = {name: self._preset(name, some) for name, some in (presets or {}).items()}
        self.inputs = {name: c.widget() for name, c in self.controls.items()}
        self.screen, self.problem = Screen(view), widgets.HTML().add_class("dpviz-problem")
        self.idle = widgets.HTML().add_class("dpviz-idle")
        self.seed, self._paused = seeds.seed(1), False
        super().__init__(self._arrange(), layout={"max_width": "100%"})
        self.add_class("dpviz-explorer")
        for widget in self.inputs.values():
            widget.add_class("dpviz-control").observe(self._moved, names="value")
        self._react_on_release_if_slow()

    @property
    def values(self) -> dict[str, Value]:
        """What the controls say now, with the seed."""
        return {**{name: w.value for name, w in self.inputs.items()}, "seed": self.seed}

    def set(self, **values: Value) -> None:
        """Move several controls and draw once; ``seed`` too."""
        self._paused = True
        try:
            self._seed_is(values.pop("seed", self.seed))
            for name, value in values.items():
                self.inputs[name].value = value
        finally:
            self._paused = False
        self.update()

    def update(self) -> None:
        """Compute and show; what a value makes impossible becomes a sentence."""
        self._tell_idle()
        try:
            self.screen.show(self.compute(**self.values))
            self.problem.value = ""
        except UNDRAWN as problem:
            why = str(problem) or type(problem).__name__
            self.problem.value = _warning(f"{why}. The picture is the last good one.")

    def _tell_idle(self) -> None:
        """Switch off what cannot act now, and say why."""
        again = () if isinstance(self._random, bool) else self._random
        acting = {c.label: (self.inputs[name], c.acts) for name, c in self.controls.items()}
        reasons: dict[str, list[str]] = {}
        for label, (widget, cases) in {**acting, "draw again": (self.again, again)}.items():
            widget.disabled = not self._holds(cases)
            if widget.disabled:
                reasons.setdefault(" or ".join(map(self._told, cases)), []).append(label)
        told = [f"{', '.join(labels)}: only with {why}" for why, labels in reasons.items()]
        words = html.escape(f"Without effect now: {'; '.join(told)}." if told else "")
        self.idle.value = f"<small>{words}</small>"

    def _holds(self, cases: Cases) -> bool:
        now = self.values
        return not cases or any(all(now[k] in case[k] for k in case) for case in cases)

    def _told(self, case: Mapping[str, Sequence[Value]]) -> str:
        """One case in words: control and values, a long list by its ends."""
        words = []
        for name, values in case.items():
            shown = [getattr(self.controls[name], "show", str)(value) for value in values]
            ends = f"{shown[0]} to {shown[-1]}" if len(shown) > 3 else " or ".join(shown)
            words.append(f"{self.controls[name].label} {ends}")
        return " and ".join(words)

    def _moved(self, change: Mapping[str, object]) -> None:
        if not self._paused:
            self.update()

    def _seed_is(self, seed: int) -> None:
        self.seed = seed
        self.again.description = f"draw again (seed {seed})"

    def _preset(self, name: str, chosen: Mapping[str, Value]) -> dict[str, Value]:
        """All values of a preset, checked."""
        start = {control.name: control.start for control in self.controls.values()}
        for key, value in chosen.items():
            if key not in start or value not in self.controls[key].values:
                raise ValueError(f"preset {name!r} sets {key}={value!r}: no such control or value")
        return {**start, **chosen}

    def _react_on_release_if_slow(self) -> None:
        """Draw for the first time; how busy the machine is does not decide how sliders react."""
        self._tell_idle()
        self.screen.show(self.compute(**self.values))
        if self._is_slow():
            for widget in self.inputs.values():
                if isinstance(widget, widgets.SelectionSlider):
                    widget.continuous_update = False

    def _is_slow(self) -> bool:
        """By processor time of ``compute`` alone, the least of three."""
        for _ in range(3):
            begin = time.process_time()
            self.compute(**self.values)
            if time.process_time() - begin <= SLOW:
                return False
        return True

    def _arrange(self) -> list[widgets.Widget]:
        """Left or above: presets, controls, what is wrong. Then picture, sentence, table."""
        self.again = _button("", lambda: self.set(seed=self.seed + 1), "again")
        self._seed_is(self.seed)
        presets = [
            _button(name, lambda chosen=chosen: self.set(**chosen), "preset")
            for name, chosen in self.presets.items()
        ]
        self.projector = projector()
        buttons = [self.again, self.projector] if self._random else [self.projector]
        controls = _box([*self.inputs.values(), widgets.HBox(buttons)], "controls")
        panel = [controls, self.idle, self.problem]
        screen = self.screen
        stage = [screen.picture, screen.sentence, screen.table, screen.notice]
        parts = [_box(presets, "presets"), _box(panel, "panel"), _box(stage, "stage")]
        return [_box(parts, "body")]

    def still(self) -> tuple[list[Output], str]:
        """The picture, the sentence and the table of now."""
        return self.screen.still()


def _box(children: Sequence[widgets.Widget], kind: str) -> widgets.Box:
    return widgets.Box(children).add_class(f"dpviz-{kind}")


def _button(text: str, act: Callable[[], None], kind: str) -> widgets.Button:
    button = widgets.Button(description=text, layout={"width": "auto"})
    button.on_click(lambda _: act())
    return button.add_class(f"dpviz-{kind}")


def _look(label: str) -> dict[str, str | dict[str, str]]:
    """Label of a control; its width is the grid's."""
    look = {"description": label, "tooltip": label, "layout": {"width": "auto"}}
    return {**look, "style": {"description_width": "10em"}}


def _warning(text: str) -> str:
    return f'<p role="alert" class="dpviz-warning">{html.escape(text)}</p>'
