"""What each step of the 1-cluster theorem takes of the t records, added up (lesson 07)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Explorer, Handle, Slider, View, stops
from dpviz.papers.small_cluster import good_center, radius_then_center

COLUMNS = (1, 2, 5, 10)
DELTA = 1e-6
LARGEST = 12_000  # records on the axis
STEPS = ("radius", "grid and cell", "axes")
FILLS = (("bound", 0.68), ("bound", 0.42), ("bound", 0.15))


@dataclass(frozen=True, eq=False)
class Added:
    """The parts of the condition on t, by number of columns.

    Attributes
    ----------
    t : records that stand close together, a quarter of all
    epsilon : of the whole
    parts : array (columns, steps), records that each step takes
    """

    t: int
    epsilon: float
    parts: np.ndarray

    @property
    def promised(self) -> list[int]:
        """For which numbers of columns t suffices."""
        return [d for d, parts in zip(COLUMNS, self.parts, strict=True) if parts.sum() <= self.t]


@lru_cache(maxsize=4096)
def parts(d: int, t: int, *, epsilon: float) -> tuple[float, float, float]:
    """Records that the radius, the grid with its cell, and the axes take; t a quarter of n.

    >>> sum(parts(2, 2345, epsilon=1.0)) <= 2345, sum(parts(2, 2344, epsilon=1.0)) <= 2344
    (True, False)
    """
    n = 4 * t
    params = radius_then_center.Params(t=t, d=d, epsilon=epsilon, delta=DELTA, lower=0.0, upper=1.0)
    radius = t - radius_then_center.guaranteed(params, n)
    step = params.center_params(1.0, n=n)
    box = good_center.error_bound(step, n=n)
    return float(radius), box, good_center.needed(step, n=n).axes - box


def add(*, t: int, epsilon: float, seed: int = 1) -> Added:
    """Formulas only; nothing is random, ``seed`` is not used.

    >>> add(t=2345, epsilon=1.0).promised
    [1, 2]
    """
    return Added(int(t), epsilon, np.array([parts(d, int(t), epsilon=epsilon) for d in COLUMNS]))


def frame_added(mode: str) -> Figure:
    """A bar for each number of columns."""
    fig, ax = style.figure("", alt="", mode=mode, grid=False, gutter=False)
    style.linear_axis(ax, "x", 0, LARGEST, [0, 4000, 8000])
    style.linear_axis(ax, "y", -0.6, len(COLUMNS) - 0.2, range(len(COLUMNS)))
    ax.set_yticklabels(map(str, COLUMNS))
    style.axis_titles(ax, "records", "d, columns")
    return fig


def paint_added(fig: Figure, result: Added) -> None:
    """What each step takes, one behind the other, and t."""
    ax, mode = fig.axes[0], fig.mode
    tall = 0.6 if mode == "notebook" else 0.4  # else a name is as high as the room between bars
    style.retitle(fig, _title(result), _subtitle(result))
    for place, some in enumerate(result.parts):
        begin = 0.0
        for width, (role, strength) in zip(some, FILLS, strict=True):
            look = {"fc": style.tint(role, strength), "ec": style.INK, "lw": 0.8, "zorder": 2}
            ax.barh(place, min(width, LARGEST - begin), tall, left=begin, **look)
            begin = min(begin + width, LARGEST)
    ax.axvline(result.t, **style.line("event", mode, marker=False) | {"lw": 3, "gid": "t"})
    top = len(COLUMNS) - 1 + tall / 2
    style.note(ax, 0, top, f"from the left: {', '.join(STEPS)}", "muted", va="bottom", dy=2)
    right = result.t > 0.9 * LARGEST
    style.note(ax, result.t, -0.5, "t", dx=-5 if right else 5, ha="right" if right else "left")


def _title(result: Added) -> str:
    if not result.promised:
        return f"t = {style.number(result.t)} is too few even at d = 1: refused"
    return f"t = {style.number(result.t)} is enough up to d = {result.promised[-1]}"


def _subtitle(result: Added) -> str:
    return f"n = 4 t, ε = {style.number(result.epsilon)}, δ = 10⁻⁶, β = 0.1"


def say_added(result: Added) -> str:
    """One sentence of reading."""
    sums = ", ".join(
        f"{style.number(round(some.sum()), 5)} at d = {d}"
        for d, some in zip(COLUMNS, result.parts, strict=True)
    )
    verdict = f"enough up to d = {result.promised[-1]}" if result.promised else "too few, refused"
    return f"t = {style.number(result.t)}: {verdict}. Sums: {sums}."


def table_added(result: Added) -> list[list[str]]:
    """Each step's records."""
    rows = [
        [str(d), *(style.number(round(part), 5) for part in (*some, some.sum()))]
        for d, some in zip(COLUMNS, result.parts, strict=True)
    ]
    return [["d", *STEPS, "sum"], *rows]


ADDED = View(frame_added, paint_added, say_added, table_added)


def explore_losses() -> Explorer:
    """Drag t until the theorem promises a ball."""
    controls = [
        Slider(
            name="t",
            label="t",
            values=stops(200, LARGEST, whole=True, also=[1250, 2345, 9500]),
            start=1250,
        ),
        Slider(
            name="epsilon", label="ε", values=stops(0.2, 4, log=True, also=[0.5, 1, 2]), start=1
        ),
    ]
    presets = {
        "Too few": {},
        "The plane": {"t": 2345},
        "Ten columns": {"t": 9500},
        "Twice the ε": {"t": 1250, "epsilon": 2},
    }
    handles = [Handle(mark="t", x="t", jump=True)]
    return Explorer(add, ADDED, controls, presets, random=False, handles=handles)
