"""Controls -> compute -> picture: move a slider and see what changes.

Which values there are, what is computed, drawn and said, which controls act: all that stands
here, and nothing here knows a widget; `dpviz.instruments.faces` puts an explorer on a page.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from dpviz.drawing.held import Held, Reach
from dpviz.drawing.live import Output, Result, Screen, View
from dpviz.instruments.controls import (
    Cases,
    Choice,
    Click,
    Control,
    Handle,
    Places,
    Points,
    Slider,
    Value,
    stops,
)
from dpviz.sweeps import seeds
from dpviz.words import say

__all__ = ["Choice", "Click", "Explorer", "Handle", "Points", "Slider", "View", "stops"]

SLOW = 0.05  # s of a processor; a slider that computes longer reacts on release only
# What a setting, or a result that it leads to, may end in; the reader is told.
UNDRAWN = (ValueError, TypeError, ArithmeticError, NotImplementedError)


class Explorer:
    """A picture with controls; the last good picture stays when a value makes no sense.

    Parameters
    ----------
    compute : callable, pure: ``compute(**values, seed=...)`` returns a result
    view : how a result is drawn, said and tabled
    controls : at most six of :class:`Slider`, :class:`Choice` and :class:`Points`
    presets : dict from a name to the values it sets; the others go back to their start
    random : whether the seed matters, or the cases in which it does; if never, there is
        nothing to draw again
    handles : marks of the picture that move controls, or set them when they are pressed

    Attributes
    ----------
    values : dict, what the controls say now, with the seed
    screen : picture, sentence and table of the last good result
    problem : why the values of now have no picture, or ""
    grows : whether a hand may add and remove records (a page without Python stores no such setting)
    watchers : what is called when anything has changed: a face tells itself anew

    Raises
    ------
    ValueError
        If a control starts at, or a preset or a handle names, an unknown control or value.
    """

    def __init__(
        self,
        compute: Callable[..., Result],
        view: View[Result],
        controls: Sequence[Control],
        presets: Mapping[str, Mapping[str, Value]] | None = None,
        *,
        random: bool | Cases = True,
        handles: Sequence[Handle | Click] = (),
    ):
        self.compute = compute
        self.random = random
        self.controls = {control.name: control for control in controls}
        start = self._own("start", {control.name: control.start for control in controls})
        self.presets = {
            name: {**start, **self._own(f"preset {name!r}", some)}
            for name, some in (presets or {}).items()
        }
        self.values: dict[str, Value] = {**start, "seed": seeds.seed(1)}
        self.handles = {handle.mark: handle for handle in handles}
        for handle in handles:
            self._own_handle(handle)
        self.grows = True
        self.problem, self.watchers = "", list[Callable[[], None]]()
        self._reaches: dict[tuple[str, str], tuple[float, float]] = {}
        self.screen = Screen(view, compute(**self.values), self.held())

    def set(self, **values: Value) -> None:
        """Move several controls and draw once; ``seed`` too.

        Raises
        ------
        ValueError
            If there is no such control or value; then nothing has moved.
        """
        seed = values.pop("seed", self.values["seed"])
        self.values = {**self.values, **self._own("a move", values), "seed": seed}
        self.update()

    def again(self) -> None:
        """Draw with the next seed."""
        self.set(seed=self.values["seed"] + 1)

    def update(self) -> None:
        """Compute and show; what a value makes impossible becomes a sentence."""
        try:
            self.screen.show(self.compute(**self.values), self.held())
            self.problem = ""
        except UNDRAWN as problem:
            why = str(problem) or type(problem).__name__
            self.problem = say("explorer.problem", why=why)
        self._tell()

    def _tell(self) -> None:
        """Call all watchers."""
        for changed in self.watchers:
            changed()

    def hand(self, mark: str, act: str, *numbers: float | None) -> None:
        """Do what a hand has done in the picture; what cannot be done changes nothing.

        Parameters
        ----------
        mark : name of a mark that can be taken hold of, with ":i" for the i-th record
        act : "to" coordinates, "by" so many values, "add" a record at coordinates, or "remove" it;
            "press"; "rest" where it is, or "let" go, which move nothing
        numbers : along x and y, None where the mark does not move
        """
        name, _, record = mark.partition(":")
        handle = self.handles.get(name)
        if act in ("rest", "let"):
            self._tell()
        if handle is None:
            return
        if isinstance(handle, Click):
            if act == "press":
                now = self.values[handle.control]
                self.set(**{handle.control: handle.to(now, int(record or 0))})
            return
        numbers = (*numbers, None, None)[:2]
        along = dict(zip((handle.x, handle.y), numbers, strict=True))
        chosen: dict[str, Value] = {}
        for control, number in along.items():
            told = self.controls.get(control)
            if isinstance(told, Points):
                chosen[control] = self._records(told, handle, act, int(record or 0), numbers)
            elif told is not None and number is not None and self.acts(control):
                chosen[control] = self._stop(told, handle, act, number)
        if any(self.values[control] != value for control, value in chosen.items()):
            self.set(**chosen)

    def held(self) -> list[Held]:
        """Which marks can be taken hold of now, and how."""
        return [self._held(handle) for handle in self.handles.values() if self._leads(handle)]

    @property
    def movable(self) -> str:
        """What a hand can do in the picture now, in words; or ""."""
        handles = [handle for handle in self.handles.values() if self._leads(handle)]
        drags = [handle for handle in handles if isinstance(handle, Handle)]
        presses = [handle for handle in handles if isinstance(handle, Click)]
        moved = [self.controls[name] for each in drags for name in self._moved(each).values()]
        records = {each.name: each for each in moved if isinstance(each, Points)}.values()
        acts = []
        for verb, some in (("explorer.drag", drags), ("explorer.press", presses)):
            labels = dict.fromkeys(label for each in some for label in self._labels(each))
            acts += [say(verb, labels=say("explorer.or").join(labels))] if labels else []
        acts += [
            say("explorer.records", label=each.label)
            for each in records
            if self.grows and each.fewest < each.most
        ]
        keys = [
            say("explorer.tab"),
            *[say("explorer.arrows")] * bool(drags),
            *[say("explorer.enter")] * bool(presses),
            *[say("explorer.next")] * any(each.most > 1 for each in records),
        ]
        return say("explorer.hand", acts="; ".join(acts), keys=", ".join(keys)) if acts else ""

    def acts(self, name: str, values: Mapping[str, Value] | None = None) -> bool:
        """Whether a control, or "seed", changes something now, or where such values are set."""
        cases = self._cases(name)
        now = self.values if values is None else values
        return not cases or any(all(now[k] in case[k] for k in case) for case in cases)

    @property
    def idle(self) -> str:
        """What cannot act now, and why; or ""."""
        return self.idle_of((*self.controls, "seed"))

    def idle_of(self, names: Iterable[str]) -> str:
        """Which of some controls cannot act now, and why; or ""."""
        reasons: dict[str, list[str]] = {}
        for name in names:
            if not self.acts(name):
                control = self.controls.get(name)
                label = control.label if control else say("explorer.redraw")
                why = say("explorer.or").join(map(self._told, self._cases(name)))
                reasons.setdefault(why, []).append(label)
        only = [
            say("explorer.only", labels=", ".join(labels), why=why)
            for why, labels in reasons.items()
        ]
        return say("explorer.idle", reasons="; ".join(only)) if only else ""

    def is_slow(self) -> bool:
        """By processor time of ``compute`` alone, the least of three: others do not slow it."""
        for _ in range(3):
            begin = time.process_time()
            self.compute(**self.values)
            if time.process_time() - begin <= SLOW:
                return False
        return True

    def still(self) -> tuple[list[Output], str]:
        """The picture, the sentence and the table of now."""
        return self.screen.still()

    def _own_handle(self, handle: Handle | Click) -> None:
        """ValueError unless what it changes is there, and can be changed so."""
        if isinstance(handle, Click):
            if handle.control not in self.controls:
                raise ValueError(f"a handle sets {handle.control!r}: no such control")
            return
        for name in filter(None, (handle.x, handle.y)):
            if isinstance(self.controls.get(name), Choice | None):
                raise ValueError(f"a handle moves {name!r}: no slider and no points")

    def _leads(self, handle: Handle | Click) -> bool:
        if isinstance(handle, Click):
            return self.acts(handle.control)
        return any(name and self.acts(name) for name in (handle.x, handle.y))

    def _held(self, handle: Handle | Click) -> Held:
        """A handle as the picture tells it to a page."""
        label = self._label(handle)
        if isinstance(handle, Click):
            return Held(handle.mark, label, "", (), True, names=handle.names)
        names = self._moved(handle)
        told = [self.controls[name] for name in names.values()]
        if isinstance(told[0], Points):
            points, control = self.values[told[0].name], told[0]
            reaches = tuple(
                tuple(
                    Reach(axis, at, control.lower, control.upper)
                    for axis, at in zip(names, point, strict=False)
                )
                for point in points
            )
            more, fewer = control.most - len(points), len(points) - control.fewest
            room = (more, fewer) if self.grows else (0, 0)
            return Held(handle.mark, label, "", reaches, True, handle.jump, *room)
        along = []
        for axis, name in names.items():
            value = self.values[name]
            now = None if isinstance(value, str) else handle.place(name, value)
            along.append(Reach(axis, now, *self._ends(handle, name)))
        said = [
            getattr(self.controls[name], "show", str)(self.values[name]) for name in names.values()
        ]
        return Held(handle.mark, label, ", ".join(said), (tuple(along),), jump=handle.jump)

    def _moved(self, handle: Handle) -> dict[str, str]:
        """By axis the controls that a handle moves now."""
        names = {axis: getattr(handle, axis) for axis in "xy"}
        return {axis: name for axis, name in names.items() if name and self.acts(name)}

    def _label(self, handle: Handle | Click) -> str:
        return say("explorer.and").join(self._labels(handle))

    def _labels(self, handle: Handle | Click) -> list[str]:
        """Of the controls that a handle moves now, each once."""
        names = [handle.control] if isinstance(handle, Click) else self._moved(handle).values()
        return list(dict.fromkeys(self.controls[name].label for name in names))

    def _ends(self, handle: Handle, name: str) -> tuple[float, float]:
        """The least and the greatest coordinate of a slider, which stay."""
        key = handle.mark, name
        if key not in self._reaches:
            values = [each for each in self.controls[name].values if not isinstance(each, str)]
            places = [handle.place(name, each) for each in values]
            self._reaches[key] = min(places), max(places)
        return self._reaches[key]

    def _stop(self, control: Control, handle: Handle, act: str, number: float) -> Value:
        """The value of a slider that is nearest to a coordinate, or so many values further."""
        # A word among the numbers, such as "best", stands nowhere on an axis.
        values = [value for value in control.values if not isinstance(value, str)]
        now = self.values[control.name]
        at = values.index(now) if now in values else 0
        if act == "by":
            # A hand moves along the axis: where the coordinate falls, it goes backwards.
            ends = handle.place(control.name, values[0]), handle.place(control.name, values[-1])
            step = int(number) if ends[0] <= ends[1] else -int(number)
            return values[min(max(at + step, 0), len(values) - 1)]
        if act != "to":
            return now
        return min(values, key=lambda value: abs(handle.place(control.name, value) - number))

    def _records(
        self,
        control: Points,
        handle: Handle,
        act: str,
        i: int,
        numbers: Sequence[float | None],
    ) -> Places:
        """All places, after a hand has moved, added or removed one."""
        points = [list(point) for point in self.values[control.name]]
        axes = [k for k, name in enumerate((handle.x, handle.y)) if name == control.name]
        wanted = [numbers[k] for k in axes]
        if act == "add" and None not in wanted:
            points.append([float(x) for x in wanted if x is not None])
        elif act == "remove" and i < len(points):
            points.pop(i)
        elif act in ("to", "by") and i < len(points):
            unit = (control.upper - control.lower) / 100
            for k, x in enumerate(wanted):
                if x is not None:
                    points[i][k] = x if act == "to" else points[i][k] + x * unit
        try:
            return control.placed(points)
        except ValueError:  # one too many, or too few
            return control.placed(self.values[control.name])

    def _cases(self, name: str) -> Cases:
        """Where a control acts, or drawing again."""
        if name in self.controls:
            return self.controls[name].acts
        return () if isinstance(self.random, bool) else self.random

    def _told(self, case: Mapping[str, Sequence[Value]]) -> str:
        """One case in words: control and values, a long one by its ends, or by what it is not."""
        words = []
        for name, values in case.items():
            control = self.controls[name]
            show = getattr(control, "show", str)
            ends = say("explorer.or").join(map(show, values))
            if len(values) > 3 and isinstance(control, Choice):  # words have no order
                others = [show(value) for value in control.values if value not in values]
                ends = say("explorer.other", values=say("explorer.or").join(others))
            elif len(values) > 3:
                ends = say("explorer.range", first=show(values[0]), last=show(values[-1]))
            words.append(f"{control.label} {ends}")
        return say("explorer.and").join(words)

    def _own(self, who: str, chosen: Mapping[str, Value]) -> dict[str, Value]:
        """What is chosen, as its controls list it: 2 for 2.0."""
        own: dict[str, Value] = {}
        for key, value in chosen.items():
            control = self.controls.get(key)
            if isinstance(control, Points):
                own[key] = control.placed(value)
                continue
            listed = list(control.values) if control else []
            if value not in listed:
                raise ValueError(f"{who} sets {key}={value!r}: no such control or value")
            own[key] = listed[listed.index(value)]
        return own

    def _ipython_display_(self, **kwargs: object) -> None:
        from dpviz.instruments.faces import ExplorerFace

        ExplorerFace(self)._ipython_display_(**kwargs)
