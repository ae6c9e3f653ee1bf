"""How a mark can be taken hold of: where a hand may lead it, and what it is called.

A page's script reads this from the mark: along which axes it moves and how far, which coordinate
stands at which pixel, and, for keyboard and screen reader, name, value and limits.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes


@dataclass(frozen=True)
class Reach:
    """Along one axis: where the mark is now and where it may go, in the axis's units.

    ``now`` is None if only the picture knows it.
    """

    axis: str
    now: float | None
    lower: float
    upper: float


@dataclass(frozen=True)
class Held:
    """A mark, or each marker of a line, that a hand can lead.

    Attributes
    ----------
    mark : its name
    label, value : in words
    reaches : of the mark, along one axis or two; of records, those of each; none if it is pressed
    names : of marks that are pressed, what each is called
    records : whether each marker is held by itself
    jump : whether a click anywhere in its axes brings it there
    more : how many records can still be added
    fewer : how many can be taken away
    """

    mark: str
    label: str
    value: str
    reaches: tuple[tuple[Reach, ...], ...]
    records: bool = False
    jump: bool = False
    more: int = 0
    fewer: int = 0
    names: tuple[str, ...] = ()

    def attributes(self, artist: Artist, height: float) -> list[str]:
        """What each mark carries; ``height`` of the picture in pixels.

        Tab leads to the first only; from there keys lead to the others (`picture.js`).
        """
        held = f' data-held="{html.escape(self.mark)}" tabindex='
        if self.names:
            labels = [html.escape(f"{self.label} {name}") for name in self.names]
            return [
                f'{held}"{-(i > 0)}" role="button" aria-label="{label}"'
                for i, label in enumerate(labels)
            ]
        axes: Any = artist.axes
        axis_of = [reach.axis for reaches in self.reaches[:1] for reach in reaches]
        scales = {axis: _scale(axes, axis, height) for axis in axis_of}
        more = f' data-jump="{_box(axes, height)}"' * self.jump
        more += f' data-more="{_box(axes, height)}"' * bool(self.more)
        more += ' data-fewer=""' * bool(self.fewer)
        marks = []
        for i, reaches in enumerate(self.reaches):
            places = [_now(artist, reach) for reach in reaches]
            label = f"{self.label} {i + 1}" if len(self.reaches) > 1 else self.label
            value = ", ".join(f"{now:.3g}" for now in places) if self.records else self.value
            spoken = {"label": label, "valuetext": value, "valuenow": _plain(places[0])}
            spoken |= {"valuemin": _plain(reaches[0].lower), "valuemax": _plain(reaches[0].upper)}
            words = [f'{held}"{-(i > 0)}" role="slider"']
            words += [f'aria-{name}="{html.escape(said)}"' for name, said in spoken.items()]
            words += [
                f'data-{reach.axis}="{scales[reach.axis](now, reach.lower, reach.upper)}"'
                for reach, now in zip(reaches, places, strict=True)
            ]
            marks.append(" ".join(words) + more)
        return marks


def _plain(number: float) -> str:
    """Six digits without an exponent, which no screen reader is told to read.

    >>> _plain(1e6), _plain(2.5e-7)
    ('1000000', '0.00000025')
    """
    return format(Decimal(f"{number:.6g}"), "f")


def _now(artist: Artist, reach: Reach) -> float:
    """Where a mark stands on its axis."""
    if reach.now is not None:
        return reach.now
    return float(getattr(artist, f"get_{reach.axis}data")()[0])


def _scale(axes: Axes, axis: str, height: float) -> Callable[..., str]:
    """Of places: "lin" or "log", pixel of zero, pixels of a unit, and the pixel of each."""
    x0, y0, x1, y1 = axes.bbox.extents.tolist()
    first, last = (height - y0, height - y1) if axis == "y" else (x0, x1)
    log = getattr(axes, f"get_{axis}scale")() == "log"
    unit = math.log if log else float
    low, high = map(unit, getattr(axes, f"get_{axis}lim")())
    per = (last - first) / (high - low)
    zero = first - per * low
    begin = f"{'log' if log else 'lin'} {zero:.5g} {per:.5g}"
    return lambda *places: " ".join([begin, *(f"{zero + per * unit(x):.5g}" for x in places)])


def _box(axes: Axes, height: float) -> str:
    """Left, top, right and bottom of the axes."""
    x0, y0, x1, y1 = axes.bbox.extents.tolist()
    return " ".join(f"{x:.4g}" for x in (x0, height - y1, x1, height - y0))


def by_mark(held: Sequence[Held]) -> dict[str, Held]:
    """By the name of the mark."""
    return {each.mark: each for each in held}
