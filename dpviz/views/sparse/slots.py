"""The picture of lesson 05: owned slots as bars, all others as one flat level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from dpviz.papers.sparse_queries.indexed_weights import Slots
from dpviz.views import style
from dpviz.views.style import Figure

SHOWN = 12  # owned slots drawn one by one
END = 17  # right end of the axis: what lies beyond the owned ones is the level's line
LEFT_OUT = "…"


@dataclass(frozen=True, eq=False)
class Shelf:
    """The slots at one moment: public.

    Attributes
    ----------
    names : owners, in the order of their slots; weights : array, their probabilities
    level : probability of each free slot
    size : number of slots
    """

    names: tuple[str, ...]
    weights: np.ndarray
    level: float
    size: int


def shelf(slots: Slots) -> Shelf:
    """A copy of what the picture needs.

    >>> shelf(Slots(10)).level
    0.1
    """
    names = tuple(map(str, slots.names))
    return Shelf(names, slots.weights.copy(), slots.level, slots.size)


def figure_slots(slots: Slots, title: str, mode: str = "notebook") -> Figure:
    """Bars of the owned slots and the level of all others.

    Parameters
    ----------
    slots : Slots
    title : one sentence that says what is seen
    """
    now = shelf(slots)
    fig, ax = style.figure(
        title,
        f"{len(now.names)} slots have an owner, {_many(now.size - len(now.names))} have none",
        alt=f"Bars, log scale: {_heights(now)}. One flat line at {style.number(now.level)} stands "
        f"for all {_many(now.size - len(now.names))} slots without an owner.",
        mode=mode,
    )
    frame_slots(ax, low=min(1e-7, now.level / 3))
    style.axis_titles(ax, "slot", "probability (log scale)")
    draw_slots(ax, now, asked=())
    words = f"{_many(now.size - len(now.names))} free slots,\none number"
    style.label_ends(ax, [(END, now.level, words, "public")])
    return fig


def frame_slots(ax: Axes, low: float) -> None:
    """Slot numbers across, probabilities up."""
    style.linear_axis(ax, "x", 0, END, [1, 4, 8, 12, 16])
    style.log_axis(ax, "y", low, 2)


def draw_slots(ax: Axes, now: Shelf, asked: Sequence[str]) -> None:
    """Owned slots blue, those of the question asked yellow; the level grey to the right end."""
    low, shown = ax.get_ylim()[0], min(len(now.names), SHOWN)
    blue, yellow = style.tint("released", 0.68), style.ROLES["event"].colour
    colours = [yellow if name in asked else blue for name in now.names[:shown]]
    at, heights = np.arange(1, shown + 1), now.weights[:shown]
    ax.bar(at, heights - low, 0.8, low, color=colours, ec=style.INK, lw=0.8, zorder=3)
    for x, name, height in zip(at, now.names, heights, strict=False):
        turn = {"rotation": 90, "ha": "center", "va": "bottom", "zorder": 9}
        size = style.mode_of(ax).small
        above = max(height, 2 * low) * 1.25
        short = name if len(name) <= 9 else name[:8] + LEFT_OUT
        if above < 0.12:
            ax.text(x, above, short, color=style.INK, fontsize=size, **turn)
        else:
            inside = turn | {"va": "bottom"}
            ax.text(x, low * 1.5, short, color=style.INK, fontsize=size, **inside)
    if now.level > 0:
        free = [shown + 0.6, END]
        ax.plot(free, [now.level] * 2, **style.line("public", marker=False) | {"lw": 3})


def _heights(now: Shelf) -> str:
    """The first owners with their probabilities, in words."""
    pairs = zip(now.names[:4], now.weights, strict=False)
    said = ", ".join(f"{name[:12]} {style.number(weight)}" for name, weight in pairs)
    more = len(now.names) - 4
    return (said or "none yet") + (f" and {more} more" if more > 0 else "")


def _many(count: float) -> str:
    """A count; from a million up to two digits."""
    return style.number(count if count < 10**6 else float(count))


def names_of(query: Any) -> tuple[str, ...]:
    """The names of a query as the picture writes them."""
    return tuple(map(str, query.names))
