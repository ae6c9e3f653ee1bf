"""Lesson 04 in the hand: towns on a map, and their projections onto turning lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Explorer, Handle, Points, Slider, View

TOWNS = ((-0.7, -0.4), (0.6, -0.6), (0.7, 0.5), (-0.1, 0.8), (-0.2, 0.0))
CLASSES = (0.15, 0.3625, 0.575, 0.7875, 1.0)  # tints of a tie


@dataclass(frozen=True, eq=False)
class Projected:
    """True distances, and the average length of projections onto some lines, times pi/2.

    Attributes
    ----------
    towns : array (n, 2)
    lines : how many
    true, embedded : arrays (n (n-1) / 2,), of each pair in the order of :func:`pairs`
    """

    towns: np.ndarray
    lines: int
    true: np.ndarray
    embedded: np.ndarray

    @property
    def quotients(self) -> np.ndarray:
        """Embedded over true distance; 1 where two towns are one."""
        apart = np.where(self.true > 0, self.true, 1.0)
        return np.where(self.true > 0, self.embedded / apart, 1.0)

    @property
    def distortion(self) -> float:
        """The largest quotient over the smallest."""
        return float(self.quotients.max() / self.quotients.min())

    @property
    def bound(self) -> float:
        """What no map of towns can exceed: with N even directions 1 / cos(pi / 2N)."""
        return 1 / math.cos(math.pi / (2 * self.lines)) if self.lines > 1 else math.inf


def pairs(n: int) -> list[tuple[int, int]]:
    """All pairs of n towns."""
    return list(combinations(range(n), 2))


def project(*, towns: Places, lines: int, seed: int = 1) -> Projected:
    """Projections onto evenly turned lines; nothing is random, ``seed`` is not used.

    >>> found = project(towns=((0, 0), (1, 0), (1, 1)), lines=2)
    >>> found.distortion <= found.bound + 1e-9
    True
    """
    at = np.array(towns)
    angles = math.pi * np.arange(lines) / lines
    directions = np.stack([np.cos(angles), np.sin(angles)])
    first, second = np.array(pairs(len(at))).T
    ties = at[first] - at[second]
    embedded = math.pi / 2 * np.abs(ties @ directions).mean(axis=1)
    return Projected(at, lines, np.hypot(*ties.T), embedded)


def frame_projected(mode: str) -> Figure:
    """Left the map, right the quotient of each pair."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.1, 1], square=1, sharex=False, sharey=False
    )
    for which in ("x", "y"):
        style.linear_axis(left, which, -1, 1, [-1, 0, 1])
    left.set_box_aspect(1)
    style.linear_axis(right, "x", 0, 2.9, [0, 1, 2])
    style.linear_axis(right, "y", 0, 1.7, [0, 0.5, 1, 1.5])
    style.axis_titles(left, "east", "north")
    style.axis_titles(right, "true distance", "embedded over true")
    right.axhline(1, **style.line("public", mode))
    return fig


def paint_projected(fig: Figure, result: Projected) -> None:
    """The lines, each tie darker the longer its embedded distance, and the quotients."""
    (left, right), mode = fig.axes, fig.mode
    style.retitle(
        fig,
        f"The worst stretch is {style.fixed(result.distortion, 3)} with {_lines(result.lines)}",
        f"largest ratio over the smallest: {_bound(result)}; the bluer a pair, the larger",
    )
    for angle in math.pi * np.arange(result.lines) / result.lines:
        reach = 1 / max(abs(math.cos(angle)), abs(math.sin(angle)))
        ends = np.array([-reach, reach])
        left.plot(ends * math.cos(angle), ends * math.sin(angle), **style.line("lattice", mode))
    low, high = result.quotients.min(), result.quotients.max()
    share = (result.quotients - low) / max(high - low, 1e-9)
    for (i, j), part in zip(pairs(len(result.towns)), share, strict=True):
        tint = style.tint("released", CLASSES[min(int(part * len(CLASSES)), len(CLASSES) - 1)])
        left.plot(*result.towns[[i, j]].T, color=tint, lw=2, zorder=2)
    town = style.points("records", mode) | {"ms": 9, "mfc": "white", "gid": "town"}
    left.plot(*result.towns.T, **town, clip_on=False)
    right.plot(result.true, result.quotients, **style.points("released", mode))
    if math.isfinite(result.bound):
        for limit in (high, high / result.bound):
            right.axhline(limit, **style.line("bound", mode, marker=False) | {"lw": 1.2})
        words = f"proved: within a factor {style.fixed(result.bound, 3)}"
        above = 3 * style.mode_of(right).marker_scale ** 3  # clear of the large dots on the line
        corner = {"dx": -4, "dy": above, "ha": "right", "va": "bottom"}
        style.note(right, right.get_xlim()[1], high, words, "bound", **corner)


def _lines(many: int) -> str:
    return "1 line" if many == 1 else f"{many} lines"


def _bound(result: Projected) -> str:
    if not math.isfinite(result.bound):
        return "no limit is proved"
    return f"at most {style.fixed(result.bound, 3)} is proved"


def say_projected(result: Projected) -> str:
    """One sentence of reading."""
    low, high = float(result.quotients.min()), float(result.quotients.max())
    return (
        f"{len(result.towns)} towns, {_lines(result.lines)}: embedded over true distances from "
        f"{style.fixed(low, 3)} to {style.fixed(high, 3)}, a factor of "
        f"{style.fixed(result.distortion, 3)}; {_bound(result)}."
    )


def table_projected(result: Projected) -> list[list[str]]:
    """Of each pair both distances."""
    rows = zip(pairs(len(result.towns)), result.true, result.embedded, strict=True)
    return [
        ["towns", "true", "embedded"],
        *([f"{i + 1}, {j + 1}", f"{a:.2f}", f"{b:.2f}"] for (i, j), a, b in rows),
    ]


PROJECTED = View(frame_projected, paint_projected, say_projected, table_projected)


def explore_towns() -> Explorer:
    """Drag a town; turn more lines: every distance is kept better."""
    towns = {"lower": -1, "upper": 1, "fewest": 3, "most": 8}
    controls = [
        Points(name="towns", label="town", start=TOWNS, **towns),
        Slider(name="lines", label="N, lines", values=range(1, 17), start=2),
    ]
    presets = {"Two lines": {}, "Four lines": {"lines": 4}, "Sixteen": {"lines": 16}}
    handles = [Handle(mark="town", x="towns", y="towns")]
    return Explorer(project, PROJECTED, controls, presets, random=False, handles=handles)
