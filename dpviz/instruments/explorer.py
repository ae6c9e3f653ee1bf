"""Controls -> compute -> picture: move a slider and see what changes.

Which values there are, what is computed, drawn and said, which controls act: all that stands
here, and nothing here knows a widget; `dpviz.instruments.faces` puts an explorer on a page.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from dpviz.drawing.live import Output, Result, Screen, View
from dpviz.instruments.controls import Cases, Choice, Slider, Value
from dpviz.sweeps import seeds

SLOW = 0.05  # s of a processor; a slider that computes longer reacts on release only
# What a setting, or a result that it leads to, may end in; the reader is told.
UNDRAWN = (ValueError, TypeError, ArithmeticError, NotImplementedError)


class Explorer:
    """A picture with controls; the last good picture stays when a value makes no sense.

    Parameters
    ----------
    compute : callable, pure: ``compute(**values, seed=...)`` returns a result
    view : how a result is drawn, said and tabled
    controls : at most six of :class:`Slider` and :class:`Choice`
    presets : dict from a name to the values it sets; the others go back to their start
    random : whether the seed matters, or the cases in which it does; if never, there is
        nothing to draw again

    Attributes
    ----------
    values : dict, what the controls say now, with the seed
    screen : picture, sentence and table of the last good result
    problem : why the values of now have no picture, or ""
    watchers : what is called when anything has changed: a face tells itself anew

    Raises
    ------
    ValueError
        If a control starts at, or a preset names, an unknown control or value.
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
        self.compute = compute
        self.random = random
        self.controls = {control.name: control for control in controls}
        start = self._own("start", {control.name: control.start for control in controls})
        self.presets = {
            name: {**start, **self._own(f"preset {name!r}", some)}
            for name, some in (presets or {}).items()
        }
        self.values: dict[str, Value] = {**start, "seed": seeds.seed(1)}
        self.problem, self.watchers = "", list[Callable[[], None]]()
        self.screen = Screen(view, compute(**self.values))

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
            self.screen.show(self.compute(**self.values))
            self.problem = ""
        except UNDRAWN as problem:
            why = str(problem) or type(problem).__name__
            self.problem = f"{why}. The picture is the last good one."
        for changed in self.watchers:
            changed()

    def acts(self, name: str) -> bool:
        """Whether a control, or "seed", changes something now."""
        _, cases = self._acting()[name]
        now = self.values
        return not cases or any(all(now[k] in case[k] for k in case) for case in cases)

    @property
    def idle(self) -> str:
        """What cannot act now, and why; or ""."""
        reasons: dict[str, list[str]] = {}
        for name, (label, cases) in self._acting().items():
            if not self.acts(name):
                reasons.setdefault(" or ".join(map(self._told, cases)), []).append(label)
        reasons_told = [f"{', '.join(labels)}: only with {why}" for why, labels in reasons.items()]
        return f"Without effect now: {'; '.join(reasons_told)}." if reasons_told else ""

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

    def _acting(self) -> dict[str, tuple[str, Cases]]:
        """Label of each control and of drawing again, and where it acts."""
        again = () if isinstance(self.random, bool) else self.random
        named = {name: (control.label, control.acts) for name, control in self.controls.items()}
        return {**named, "seed": ("draw again", again)}

    def _told(self, case: Mapping[str, Sequence[Value]]) -> str:
        """One case in words: control and values, a long list by its ends."""
        words = []
        for name, values in case.items():
            settings = [getattr(self.controls[name], "show", str)(value) for value in values]
            ends = (
                f"{settings[0]} to {settings[-1]}" if len(settings) > 3 else " or ".join(settings)
            )
            words.append(f"{self.controls[name].label} {ends}")
        return " and ".join(words)

    def _own(self, who: str, chosen: Mapping[str, Value]) -> dict[str, Value]:
        """What is chosen, as its controls list it: 2 for 2.0."""
        own = {}
        for key, value in chosen.items():
            listed = list(self.controls[key].values) if key in self.controls else []
            if value not in listed:
                raise ValueError(f"{who} sets {key}={value!r}: no such control or value")
            own[key] = listed[listed.index(value)]
        return own

    def _ipython_display_(self, **kwargs: object) -> None:
        from dpviz.instruments.faces import ExplorerFace

        ExplorerFace(self)._ipython_display_(**kwargs)
