"""Indexed elements as bars, the potential and the updates (lesson 05)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.roles import ON_EVENT
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.papers.sparse_queries import sparse_multiplicative_weights
from dpviz.papers.sparse_queries.indexed_weights import IndexedWeights
from dpviz.papers.sparse_queries.queries import Query

# Indexed elements drawn one by one, and the right end of the axis: beyond them lies the line of the
# untouched. Projected, a bar is as wide as a letter is tall.
SHOWN = {"notebook": 12, "projector": 8, "phone": 6}
END = {"notebook": 17, "projector": 11, "phone": 9}
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


def frame_weights(ax: Axes, low: float) -> None:
    """Indices across, probabilities up."""
    end = END[ax.get_figure(root=True).mode]
    style.linear_axis(ax, "x", 0, end, [i for i in (1, 4, 8, 12, 16) if i < end])
    style.log_axis(ax, "y", low, 2)


def draw_weights(ax: Axes, now: Snapshot, asked: Sequence[str]) -> None:
    """Indexed elements blue, those of the query yellow; the untouched ones grey to the right."""
    mode = ax.get_figure(root=True).mode
    low = ax.get_ylim()[0]
    count = min(len(now.names), SHOWN[mode])
    highest = 0.12 if not style.MODES[mode].tight else 1e-3
    blue = style.tint("released", 0.68)
    yellow = style.ROLES["event"].colour
    colours = [yellow if name in asked else blue for name in now.names[:count]]
    at = np.arange(1, count + 1)
    heights = now.weights[:count]
    ax.bar(at, heights - low, 0.8, low, color=colours, ec=style.INK, lw=0.8, zorder=3)
    for x, name, height in zip(at, now.names, heights, strict=False):
        turn = {"rotation": 90, "ha": "center", "va": "bottom", "zorder": 9}
        size = style.mode_of(ax).small
        above = max(height, 2 * low) * 1.25
        short = name if len(name) <= 9 else name[:8] + LEFT_OUT
        if above < highest:  # else its name stands in the bar
            ax.text(x, above, short, color=style.INK, fontsize=size, **turn)
        else:
            inside = turn | {"va": "bottom"}
            ax.text(
                x,
                low * 1.5,
                short,
                color=ON_EVENT if name in asked else style.INK,
                fontsize=size,
                **inside,
            )
    if now.untouched_weight > 0:
        look = style.line("public", marker=False) | {"lw": 3}
        ax.plot([count + 0.6, END[mode]], [now.untouched_weight] * 2, **look)


def names_of(query: Query) -> tuple[str, ...]:
    """The names of a query as the picture writes them."""
    return tuple(map(str, query.names))


@still
def figure_potential(
    states: Sequence[tuple[float, float, float]], alpha: float, mode: str = "notebook"
) -> Figure:
    """How much each update takes from the potential as stated and from the corrected one.

    Parameters
    ----------
    states : as ``potential_trace`` gives them: (side, stated, corrected)
    alpha : tolerated error; the step is the paper's, alpha / 2
    """
    table = np.array(states)
    falls = -np.diff(table[:, 1:], axis=0)
    lowered = table[1:, 0] < 0
    wrong = int((falls[:, 0] < alpha**2 / 4).sum())
    fig, axes = style.figure(
        f"{wrong} of {len(falls)} updates break the lemma as stated",
        f"fall of the potential at each update, in thousandths; α = {style.number(alpha)}",
        alt="Two panels over the updates. Potential as stated: falls from "
        f"{_range(falls[:, 0])} thousandths, {wrong} below the claimed {_milli(alpha**2 / 4)}. "
        f"Corrected: {_range(falls[:, 1])}, none below the proved {_milli(15 / 32 * alpha**2)}.",
        mode=mode,
        columns=2,
        names=["as stated", "corrected: one aggregate element"],
    )
    limits = (("paper", alpha**2 / 4, "claimed"), ("bound", 15 / 32 * alpha**2, "proved"))
    for ax, fall, (role, limit, word) in zip(axes, falls.T, limits, strict=True):
        _draw_falls(ax, fall, lowered)
        ax.axhline(1000 * limit, **style.line(role, mode, marker=False))
        style.note(ax, len(falls), 1000 * limit, word, role, dy=-8, ha="right")
        style.linear_axis(ax, "x", 0, len(falls) + 5)
        style.linear_axis(ax, "y", -4, 26, [0, 5, 10, 15, 20, 25])
    corner = {"at": "axes", "ha": "right", "va": "top"}
    style.note(axes[0], 0.97, 0.97, "raises a guess: blue", "released", **corner)
    style.note(axes[0], 0.97, 0.88, "lowers a guess: yellow", "event", **corner)
    style.axis_titles(axes[1], "update")
    return fig


def _draw_falls(ax: Axes, fall: np.ndarray, lowered: np.ndarray) -> None:
    """One dot an update; those that lower a guess in yellow with an ink edge."""
    mode = ax.get_figure(root=True).mode
    at = np.arange(1, len(fall) + 1)
    small = {"ms": 3.4, "mew": 0.3, "clip_on": True}
    ax.axhline(0, color=style.INK, lw=0.8, zorder=1.4)
    ax.plot(at[~lowered], 1000 * fall[~lowered], **style.points("released", mode) | small)
    look = style.points("event", mode) | {"marker": "o", "ms": 3.8, "mew": 0.5}
    ax.plot(at[lowered], 1000 * fall[lowered], **look)


@still
def figure_updates(
    counts: Mapping[str, Mapping[float, Sequence[int]]], m: int, mode: str = "notebook"
) -> Figure:
    """Updates against alpha for each update rule: three orders, the proved limit, the stated one.

    Parameters
    ----------
    counts : update rule -> alpha -> updates in each order
    m : width of the queries
    """
    worst = {rule: max(by_alpha[min(by_alpha)]) for rule, by_alpha in counts.items()}
    words = "; ".join(f"{rule}: {most}" for rule, most in worst.items())
    small = min(next(iter(counts.values())))
    fig, axes = style.figure(
        "Larger steps need fewer updates",
        f"updates (log scale), queries of {m} names, no noise; dots: greedy, random, least gap",
        alt=f"Updates against α, log-log, one panel a step. Most at α = {style.number(small)}: "
        f"{words}. Every dot lies below the proved limit, that below the stated one.",
        mode=mode,
        columns=len(counts),
        names=[f"step: {rule}" for rule in counts],
    )
    for ax, (update_rule, by_alpha) in zip(axes, counts.items(), strict=True):
        _draw_updates(ax, update_rule, by_alpha, m)
    line = 1.4 * style.mode_of(axes[0]).small
    style.note(axes[0], 0.06, 0.03, "proved", "bound", at="axes", dy=line)
    style.note(axes[0], 0.06, 0.03, "as stated", "paper", at="axes")
    style.axis_titles(axes[-1], "α (log scale)")
    return fig


def _draw_updates(
    ax: Axes, update_rule: str, by_alpha: Mapping[float, Sequence[int]], m: int
) -> None:
    """Dots and the two limits."""
    mode = ax.get_figure(root=True).mode
    alphas = np.array(sorted(by_alpha))
    sizes = [sparse_multiplicative_weights.paper_size(m, alpha) for alpha in alphas]
    pairs = list(zip(sizes, alphas, strict=True))
    stated = [
        sparse_multiplicative_weights.paper_mistake_bound(size, alpha) for size, alpha in pairs
    ]
    ax.plot(alphas, stated, **style.line("paper", mode))
    proved = [
        sparse_multiplicative_weights.mistake_bound(size, alpha, update_rule)
        for size, alpha in pairs
    ]
    ax.plot(alphas, proved, **style.line("bound", mode))
    for alpha in alphas:
        here = by_alpha[alpha]
        ax.plot([alpha] * len(here), here, **style.points("released", mode))
    style.log_axis(ax, "x", 0.04, 0.5)
    style.log_axis(ax, "y", 1, 100_000)


def _milli(value: float) -> str:
    return style.number(1000 * float(value))


def _range(values: np.ndarray) -> str:
    return f"{_milli(values.min())} to {_milli(values.max())}"
