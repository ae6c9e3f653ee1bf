"""Why finitely many indices suffice: a straight line overtakes a logarithm (lesson 05)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, log
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Explorer, Handle, Slider, View, stops
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import mistake_bound, size_rule

LARGEST = 10**4  # indices on the axis
SIZES = np.array(sorted({round(size) for size in np.geomspace(1, LARGEST, 600)}))


@dataclass(frozen=True, eq=False)
class Room:
    """How many indices there are, and how many may be needed.

    Attributes
    ----------
    size, m : int; alpha : float
    updates : proved limit with so many indices
    needed : indices that one update more could take, and one that stays free
    curve : array, ``needed`` for each of ``SIZES``
    enough : the least size that is enough
    """

    size: int
    m: int
    alpha: float
    updates: int
    needed: int
    curve: np.ndarray
    enough: int


def room(*, size: int, m: int, alpha: float, seed: int = 1) -> Room:
    """Count; nothing is random, ``seed`` is not used.

    >>> found = room(size=28, m=1, alpha=0.25)
    >>> found.updates, found.needed, found.enough
    (26, 28, 28)
    """
    size, m = int(size), int(m)
    curve = np.array([needed(each, m, alpha) for each in SIZES])
    return Room(
        size=size,
        m=m,
        alpha=alpha,
        updates=mistake_bound(size, alpha),
        needed=needed(size, m, alpha),
        curve=curve,
        enough=size_rule(m, alpha),
    )


def needed(size: int, m: int, alpha: float) -> int:
    """Indices for one update more than can happen, and one free one.

    >>> needed(27, 1, 0.25)
    28
    """
    return m * (mistake_bound(int(size), alpha) + 1) + 1


frame_room = ErrorAxes(log("S, indices", 0.9, LARGEST), log("indices", 0.9, LARGEST)).frame


def paint_room(fig: Figure, result: Room) -> None:
    """The line of what there is, the curve of what may be needed, the chosen size."""
    ax, mode = fig.axes[0], fig.mode
    verdict = "enough" if result.size >= result.needed else "too few"
    style.retitle(
        fig,
        f"{_many(result.size)}: {style.number(result.needed)} may be needed, so {verdict}",
        f"m = {result.m}, α = {style.number(result.alpha, 3)}; star: the smallest S that is enough",
    )
    ax.axvline(
        result.size, **style.line("event", mode, marker=False) | {"zorder": 1.4, "gid": "size"}
    )
    ax.plot(SIZES, SIZES, **style.line("public", mode))
    ax.plot(SIZES, result.curve, **style.line("bound", mode, marker=False))
    ends = [result.size, result.needed]
    ax.plot([result.size] * 2, ends, **style.points("released", mode) | {"ms": 7})
    style.event_star(ax, result.enough, float(result.enough))
    labels = [
        (LARGEST, LARGEST, "there are S", "public"),
        (LARGEST, result.curve[-1], "may be needed:\nm (B + 1) + 1", "bound"),
    ]
    style.label_ends(ax, labels)


def _many(count: int) -> str:
    return "1 index" if count == 1 else f"{style.number(count)} indices"


def say_room(result: Room) -> str:
    """One sentence of reading."""
    verdict = "enough" if result.size >= result.needed else "too few"
    return (
        f"S = {style.number(result.size)}: at most {style.number(result.updates)} updates, "
        f"which may need {style.number(result.needed)} indices: {verdict}. Enough from "
        f"{style.number(result.enough)} on."
    )


def table_room(result: Room) -> list[list[str]]:
    """The counts at the chosen and at the smallest number of indices."""
    sizes = [result.size, result.enough]
    rows = [
        [
            style.number(size),
            style.number(mistake_bound(size, result.alpha)),
            style.number(needed(size, result.m, result.alpha)),
        ]
        for size in sizes
    ]
    return [["indices", "updates", "needed"], *rows]


ROOM = View(frame_room, paint_room, say_room, table_room)


def explore_indices() -> Explorer:
    """Drag the number of indices to where the line overtakes the curve."""
    alphas = stops(0.1, 0.5, also=[0.125, 0.25])
    sizes = stops(1, LARGEST, log=True, whole=True, also=[10, 27, 28])
    controls = [
        Slider(name="size", label="S, indices", values=sizes, start=10),
        Slider(name="m", label="m, names", values=range(1, 21), start=1),
        Slider(name="alpha", label="α, error", values=alphas, start=0.25),
    ]
    presets = {
        "Ten indices": {},
        "Just enough": {"size": 28},
        "Long lists": {"m": 10},
        "Half the α": {"alpha": 0.125},
    }
    handles = [Handle(mark="size", x="size", jump=True)]
    return Explorer(room, ROOM, controls, presets, random=False, handles=handles)
