"""How a mark can be taken hold of: where a hand may lead it, and what it is called.

A page's script reads this from the mark: along which axes it moves and how far, which coordinate
stands at which pixel, and, for keyboard and screen reader, name, value and limits.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
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

    def attributes(self, artist: Artist, height: float, i: int = 0) -> str:
        """What the i-th mark carries; ``height`` of the picture in pixels.

        Tab leads to the first only; from there keys lead to the others (`picture.js`).
        """
        stop = f'tabindex="{-1 if i else 0}"'
        if self.names:
            label = html.escape(f"{self.label} {self.names[i]}")
            button = f'{stop} role="button" aria-label="{label}"'
            return f' data-held="{html.escape(self.mark)}" {button}'
        axes: Any = artist.axes
        reaches = [(reach, _now(artist, reach)) for reach in self.reaches[i]]
        words = [f' data-held="{html.escape(self.mark)}"', stop, 'role="slider"']
        label = f"{self.label} {i + 1}" if len(self.reaches) > 1 else self.label
        numbers = [f"{now:.3g}" for _, now in reaches]
        first, now = reaches[0]
        value = ", ".join(numbers) if self.records else self.value
        spoken = {"label": label, "valuetext": value, "valuenow": _plain(now)}
        spoken |= {"valuemin": _plain(first.lower), "valuemax": _plain(first.upper)}
        words += [f'aria-{name}="{html.escape(said)}"' for name, said in spoken.items()]
        words += [
            f'data-{reach.axis}="{_scale(axes, reach, now, height)}"' for reach, now in reaches
        ]
        if self.jump:
            words.append(f'data-jump="{_box(axes, height)}"')
        if self.more:
            words.append(f'data-more="{_box(axes, height)}"')
        if self.fewer:
            words.append('data-fewer=""')
        return " ".join(words)


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


def _scale(axes: Axes, reach: Reach, now: float, height: float) -> str:
    """ "lin" or "log", pixel of zero, pixels of a unit; pixels of now and of both ends."""
    x0, y0, x1, y1 = axes.bbox.extents.tolist()
    first, last = (height - y0, height - y1) if reach.axis == "y" else (x0, x1)
    log = getattr(axes, f"get_{reach.axis}scale")() == "log"
    limits = getattr(axes, f"get_{reach.axis}lim")()
    units = [math.log(end) for end in limits] if log else limits
    per = (last - first) / (units[1] - units[0])
    zero = first - per * units[0]
    places = [zero + per * (math.log(v) if log else v) for v in (now, reach.lower, reach.upper)]
    return " ".join(["log" if log else "lin", *(f"{x:.5g}" for x in (zero, per, *places))])


def _box(axes: Axes, height: float) -> str:
    """Left, top, right and bottom of the axes."""
    x0, y0, x1, y1 = axes.bbox.extents.tolist()
    return " ".join(f"{x:.4g}" for x in (x0, height - y1, x1, height - y0))


def by_mark(held: Sequence[Held]) -> dict[str, Held]:
    """By the name of the mark."""
    return {each.mark: each for each in held}
