"""Maps of winners: which mechanism has the least error, and by how much, over two parameters.

The colour is the winner's role in three strengths, a clear win, a win and a tie; each region
that is large enough is named in it. Where nothing beats an answer that uses no data, it is
hatched: there every mechanism says nothing.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from dpviz.drawing.labels import note
from dpviz.drawing.picture import again
from dpviz.drawing.roles import HATCH, SPINE, ZONE, mode_of, tint
from dpviz.words import say

CLEAR, CLOSE = 2.0, 1.25  # times better than the runner-up
STRENGTHS = (0.22, 0.42, 0.68)
WIDE = 14  # letters of a line of large type
NAMED = 12  # cells; smaller regions are not named
NOTHING = -1
UNCLEAR = -2


@dataclass(frozen=True, eq=False)
class Winners:
    """Who wins where.

    Attributes
    ----------
    x, y : ascending positive arrays, the centres of the cells
    names, roles : of the mechanisms
    winner : int array (len(y), len(x)), index into names; ``NOTHING`` where none beats an answer
        without data, ``UNCLEAR`` where it is not clear which is best
    margin : array, error of the runner-up over the winner's (the floor counts as one)
    """

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    roles: tuple[str, ...]
    winner: np.ndarray
    margin: np.ndarray

    def share(self, name: str | None) -> float:
        """Share of the cells that ``name`` wins; None for those that nothing wins."""
        index = NOTHING if name is None else self.names.index(name)
        return float(np.mean(self.winner == index))


def winners(
    x: Sequence[float],
    y: Sequence[float],
    errors: Mapping[tuple[str, str], np.ndarray],
    floor: float | np.ndarray,
) -> Winners:
    """Compare errors cell by cell.

    Parameters
    ----------
    x, y : centres of the cells
    errors : dict from (name, role) to an array (len(y), len(x)), inf where it says nothing
    floor : error of an answer without data

    >>> found = winners([1, 2], [1], {("a", "released"): [[0.1, 3]], ("b", "other"): [[0.4, 2]]}, 1)
    >>> found.winner.tolist(), found.margin.tolist()
    ([[0, -1]], [[4.0, 1.0]])
    """
    table = np.array([np.broadcast_to(e, (len(y), len(x))) for e in errors.values()], dtype=float)
    best = table.argmin(axis=0)
    everything = np.sort(np.concatenate([table, np.broadcast_to(floor, table[:1].shape)]), axis=0)
    beaten = table.min(axis=0) >= floor
    margin = np.where(beaten, 1.0, everything[1] / everything[0])
    names, roles = zip(*errors, strict=True)
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return Winners(x, y, names, roles, np.where(beaten, NOTHING, best), margin)


def draw_winners(
    ax: Axes, result: Winners, *, nothing: str = "picture.constant", key: bool = False
) -> None:
    """Paint the map on two log axes whose limits are the outer edges of the cells.

    With ``key`` the winners are named beside the map, in the gutter, and not over its cells:
    where there are few cells.
    """
    xs = edges(result.x)
    ys = edges(result.y)
    cells = xs, ys, _colours(result)
    mesh = {"zorder": 0.6, "rasterized": True}
    again(ax, tuple(each.tobytes() for each in cells), lambda: ax.pcolormesh(*cells, **mesh))
    _hatch(ax, xs, ys, result.winner == NOTHING)
    look = {"color": "white", "lw": 1.6 * mode_of(ax).line_scale, "solid_capstyle": "butt"}
    ax.plot(*_borders(xs, ys, result.winner), **look, zorder=1, scalex=False, scaley=False)
    if key:
        _key(ax, result, say(nothing))
        return
    for index, name in [*enumerate(result.names), (NOTHING, say(nothing))]:
        _name(ax, result, index, name)


def edges(centres: np.ndarray) -> np.ndarray:
    """Edges of cells on a log axis: half way between centres, the outer ones symmetric.

    >>> edges(np.array([1.0, 4.0, 16.0])).tolist()
    [0.5, 2.0, 8.0, 32.0]
    """
    logs = np.log2(centres)
    inner = (logs[1:] + logs[:-1]) / 2
    return np.exp2([2 * logs[0] - inner[0], *inner, 2 * logs[-1] - inner[-1]])


def _colours(result: Winners) -> np.ndarray:
    """RGB of each cell, (len(y), len(x), 3)."""
    strength = np.digitize(result.margin, [CLOSE, CLEAR])
    palette = np.array([[to_rgb(tint(role, s)) for s in STRENGTHS] for role in result.roles])
    painted = palette[np.maximum(result.winner, 0), strength]
    for code, ground in ((NOTHING, ZONE), (UNCLEAR, "white")):
        painted = np.where((result.winner == code)[..., None], to_rgb(ground), painted)
    return painted


def _hatch(ax: Axes, xs: np.ndarray, ys: np.ndarray, where: np.ndarray) -> None:
    """Hatch runs of cells, row by row."""
    for row, flags in enumerate(where):
        turns = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
        for start, stop in turns.reshape(-1, 2):
            zone = ax.fill_between(
                xs[[start, stop]], ys[row], ys[row + 1], fc="none", ec=HATCH, lw=0, hatch="////"
            )
            zone.set(hatch_linewidth=0.6 * mode_of(ax).line_scale, zorder=0.8)


def _borders(xs: np.ndarray, ys: np.ndarray, winner: np.ndarray) -> np.ndarray:
    """Lines between cells that different mechanisms win, parted by nan; (2, points)."""
    gap = (np.nan, np.nan)
    across = [
        [(xs[j + 1], ys[i]), (xs[j + 1], ys[i + 1]), gap]
        for i, j in np.argwhere(np.diff(winner, axis=1) != 0)
    ]
    along = [
        [(xs[j], ys[i + 1]), (xs[j + 1], ys[i + 1]), gap]
        for i, j in np.argwhere(np.diff(winner, axis=0) != 0)
    ]
    return np.array(across + along).reshape(-1, 2).T


def _key(ax: Axes, result: Winners, nothing: str) -> None:
    """A swatch and a name in the gutter for each winner that has a cell."""
    others = {UNCLEAR: say("picture.unclear"), NOTHING: nothing}
    shown = [i for i in (*range(len(result.names)), *others) if (result.winner == i).any()]
    box = ax.get_position()
    root = ax.get_figure(root=True)
    line = 1.3 * mode_of(ax).small / (72 * box.height * root.get_figheight())
    y = 0.95
    for index in shown:
        if index == NOTHING:
            fill = {"fc": ZONE, "ec": HATCH, "hatch": "////", "lw": 0}
        elif index == UNCLEAR:
            fill = {"fc": "white", "ec": SPINE, "lw": 0.8}
        else:
            clearest = result.margin[result.winner == index].max()
            strength = STRENGTHS[int(np.digitize(clearest, [CLOSE, CLEAR]))]
            fill = {"fc": tint(result.roles[index], strength), "lw": 0}
        name = others.get(index) or result.names[index]
        words = name.replace(" ", "\n", 2).replace("\n", " ", 1)
        half = line * (1 + words.count("\n")) / 2
        y -= half
        _swatch(ax, y - 0.025, **fill)
        note(ax, 1.08, y, words, at="axes", halo="none")
        y -= half + line / 2


def _swatch(ax: Axes, y: float, **fill: Any) -> None:
    """A small box beside the axes, from a height in their shares."""
    look = {"transform": ax.transAxes, "clip_on": False, "width": 0.035, "height": 0.05} | fill
    box = again(ax, ("swatch", *fill.items()), lambda: ax.add_patch(Rectangle((1.03, 0), **look)))
    box.set_y(y)


def _name(ax: Axes, result: Winners, index: int, name: str) -> None:
    """The winner's name in the middle of its region, in the row where the region is widest."""
    cells = result.winner == index
    if cells.sum() < NAMED:
        return
    row = _widest_row(cells)
    columns = np.flatnonzero(cells[row])
    x = np.exp(np.log(result.x[columns]).mean())
    if mode_of(ax).tight:
        name = textwrap.fill(name, WIDE)
    note(ax, float(x), float(result.y[row]), name, ha="center", bold=True)


def _widest_row(cells: np.ndarray) -> int:
    """Of the rows that are nearly as wide as the widest, the one nearest to the region's middle.

    >>> _widest_row(np.array([[1, 1, 1], [1, 1, 0], [1, 1, 0]], dtype=bool))
    1
    """
    counts = cells.sum(axis=1)
    rows = np.flatnonzero(counts >= 0.6 * counts.max())
    middle = np.argwhere(cells)[:, 0].mean()
    return int(rows[np.abs(rows - middle).argmin()])
