"""The picture of lesson 05: indexed elements as bars, the untouched ones as one flat line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.papers.sparse_queries.indexed_weights import IndexedWeights
from dpviz.papers.sparse_queries.queries import Query
from dpviz.views import style
from dpviz.views.style import Figure

SHOWN = 12  # indexed elements drawn one by one
END = 17  # right end of the axis: beyond the indexed elements lies the line of the untouched
LEFT_OUT = "…"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The weights at one moment: public.

    Attributes
    ----------
    names : indexed elements in order; weights : array, their probabilities
    untouched_weight : probability of each untouched element
    size : number of indices
    """

    names: tuple[str, ...]
    weights: np.ndarray
    untouched_weight: float
    size: int


def snapshot(hypothesis: IndexedWeights) -> Snapshot:
    """A copy of what the picture needs.

    >>> snapshot(IndexedWeights(10)).untouched_weight
    0.1
    """
    names = tuple(map(str, hypothesis.names))
    return Snapshot(names, hypothesis.weights.copy(), hypothesis.untouched_weight, hypothesis.size)


def figure_indexed_weights(
    hypothesis: IndexedWeights, title: str, mode: str = "notebook"
) -> Figure:
    """Bars of the indexed elements and the common weight of all others.

    Parameters
    ----------
    hypothesis : IndexedWeights
    title : one sentence that says what is seen
    """
    now = snapshot(hypothesis)
    free = _many(now.size - len(now.names))
    fig, ax = style.figure(
        title,
        f"{len(now.names)} elements are indexed, {free} indices are free",
        alt=f"Bars, log scale: {_heights(now)}. One flat line at "
        f"{style.number(now.untouched_weight)} stands for all {free} free indices.",
        mode=mode,
    )
    frame_weights(ax, low=min(1e-7, now.untouched_weight / 3))
    style.axis_titles(ax, "index", "probability (log scale)")
    draw_weights(ax, now, asked=())
    words = f"{free} free indices,\none number"
    style.label_ends(ax, [(END, now.untouched_weight, words, "public")])
    return fig


def frame_weights(ax: Axes, low: float) -> None:
    """Indices across, probabilities up."""
    style.linear_axis(ax, "x", 0, END, [1, 4, 8, 12, 16])
    style.log_axis(ax, "y", low, 2)


def draw_weights(ax: Axes, now: Snapshot, asked: Sequence[str]) -> None:
    """Indexed elements blue, those of the query yellow; the untouched ones grey to the right."""
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
    if now.untouched_weight > 0:
        look = style.line("public", marker=False) | {"lw": 3}
        ax.plot([shown + 0.6, END], [now.untouched_weight] * 2, **look)


def _heights(now: Snapshot) -> str:
    """The first indexed elements with their probabilities, in words."""
    pairs = zip(now.names[:4], now.weights, strict=False)
    said = ", ".join(f"{name[:12]} {style.number(weight)}" for name, weight in pairs)
    more = len(now.names) - 4
    return (said or "none yet") + (f" and {more} more" if more > 0 else "")


def _many(count: float) -> str:
    """A count; from a million up to two digits."""
    return style.number(count if count < 10**6 else float(count))


def names_of(query: Query) -> tuple[str, ...]:
    """The names of a query as the picture writes them."""
    return tuple(map(str, query.names))
