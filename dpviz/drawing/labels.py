"""Words in a picture: names at the ends of lines, notes beside the thing they are about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import offset_copy

from dpviz.drawing.picture import again
from dpviz.drawing.roles import INK, MODES, MUTED, ON_EVENT, mode_of, role_of
from dpviz.drawing.vector import DIGITS

HALO = 1.3  # pt of ground kept free around a note
SPACING = 1.25  # line heights between two labels in the gutter
FAR = 0.4  # in, from the end of a line to the gutter, beyond which its leader begins there
LINE = 1.17  # of the size of the type, a line of a note
LEAST = 0.9  # in; a note is not broken into narrower lines
OPEN = 0.05  # of the size of the type, a word: as far as a sum of words may be off a line
CELL = 0.02  # in, between places of a line that a note keeps off
DOT = 2  # pt, of marks of a cloud, on which words may stand
MOST = 400  # places between two points of a line
ROUND = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)])[:, None]  # a mark's edge
# Inches by which a note moves, the nearest first; along its row rather than out of it.
SHIFTS = np.array([(x / 20, y / 20) for x in range(-40, 41) for y in range(-20, 21)])
LENGTHS = np.hypot(*(SHIFTS * (1, 1.5)).T)
SHIFTS, LENGTHS = SHIFTS[np.argsort(LENGTHS, kind="stable")].T.copy(), np.sort(LENGTHS)
MOVED = 1.0  # in, by which one of a live picture moves at most
SLACK = 1e-9  # in, of rounding
AIR = 2  # pt between words and the edge of the picture


def label_ends(ax: Axes, labels: Sequence[tuple], *, inside: bool = False) -> list[Text]:
    """Name lines in the gutter right of the axes, spread so that no two labels touch.

    Call it after the limits are fixed. Labels keep the order of the line ends (of equal ends,
    the one given first stands above).

    Parameters
    ----------
    labels : (x, y, text, role) each, x and y in data units; text may have several lines
    inside : whether the gutter begins where the last line ends: nothing is drawn right of that

    Raises
    ------
    ValueError
        If the labels need more height than the axes have.
    """
    size = mode_of(ax)
    root = ax.get_figure(root=True)
    ax.apply_aspect()
    points = np.reshape([entry[:2] for entry in labels], (-1, 2))
    places_of = ax.transData.transform(points) / root.dpi
    ends = [float(y) for _, y in places_of]
    rising = sorted(range(len(labels)), key=ends.__getitem__, reverse=True)[::-1]
    _, bottom, right, top = ax.bbox.extents / root.dpi
    right = float(max(x for x, _ in places_of)) if inside else right
    start, stop, words = (right + shift / 72 for shift in size.leader)
    if size.lines > 1:
        room = root.get_figwidth() - words - AIR / 72
        labels = [(x, y, wrapped(text, room, size.small), role) for x, y, text, role in labels]
    labels, ends = [labels[i] for i in rising], [ends[i] for i in rising]
    begins = [float(places_of[i][0]) for i in rising]
    row = SPACING * size.small / 72
    heights = [row * (1 + entry[2].count("\n")) for entry in labels]
    wanted = np.clip(ends, bottom, top)
    over = row if size.lines == 1 else row / 4  # below a y title that is as wide as the picture
    places = spread(wanted, heights, bottom - row, top + over)
    texts = []
    for (_, _, text, role), x, y, place in zip(labels, begins, wanted, places, strict=True):
        # What ends far from the gutter is led there.
        far = [x + size.leader[0] / 72] if right - x > FAR else []
        _leader(root, [*far, start, stop], [*[y] * len(far), y, place], role)
        texts.append(_gutter_text(root, words, place, text, role, ground=inside))
    return texts


def spread(
    wanted: Sequence[float], heights: Sequence[float], low: float, high: float
) -> np.ndarray:
    """Move labels as little as possible (least squares) until none overlap.

    Parameters
    ----------
    wanted : ascending centres, any unit of length
    heights : height of each label, same unit
    low, high : the room they must stay in

    Returns
    -------
    array of centres in the order of ``wanted``

    Raises
    ------
    ValueError
        If the heights do not fit between ``low`` and ``high``.

    >>> [round(float(y), 2) for y in spread([1, 1.2, 5], [1, 1, 1], 0, 6)]
    [0.6, 1.6, 5.0]
    """
    if not len(wanted):
        return np.array([])
    heights = np.asarray(heights, float)
    below = np.concatenate([[0.0], np.cumsum((heights[:-1] + heights[1:]) / 2)])
    first = low + heights[0] / 2
    last = high - heights[-1] / 2 - below[-1]
    if last < first:
        raise ValueError(f"{len(heights)} labels do not fit in the gutter")
    return np.clip(_rising(np.asarray(wanted) - below), first, last) + below


def note(
    ax: Axes,
    x: float,
    y: float,
    text: str,
    role: str | None = None,
    *,
    at: str = "data",
    dx: float = 0,
    dy: float = 0,
    ha: str = "left",
    va: str = "center",
    bold: bool = False,
    halo: str = "white",
    target: tuple[float, float] | None = None,
    stays: bool = False,
) -> Text:
    """Write inside the axes, on a thin ground that keeps the words apart from lines.

    Parameters
    ----------
    x, y : place, in data units, or in shares of the axes with ``at="axes"``
    role : whose text colour to use; ink if None, "muted" for remarks,
        "on event" for words on yellow
    dx, dy : shift in points
    halo : colour of the ground the words stand on; "none" for none
    target : point in data units to which a thin line leads
    stays : whether it never moves off lines and marks (`settled`)
    """
    if target is not None:
        _pointer(ax, (x, y), target, at)
    if mode_of(ax).lines > 1:
        text, dx = _fitted(ax, (x, y), text, (at, ha, va, bold), (dx, dy))

    def make() -> Text:
        frame = ax.transAxes if at == "axes" else ax.transData
        root = ax.get_figure(root=True)
        ground = {"facecolor": halo, "edgecolor": "none", "alpha": 0.85, "pad": HALO}
        style = {"color": _ink(role), "fontsize": mode_of(ax).small, "zorder": 9, "bbox": ground}
        style |= {"weight": "bold" if bold else "normal", "ha": ha, "va": va}
        return ax.text(
            0, 0, "", transform=offset_copy(frame, root, dx, dy, units="points"), **style
        )

    look = ("note", role, at, dx, dy, ha, va, bold, halo)
    words = worded(again(ax, look, make), x, y, text)
    words.place = at, ha, va, bold, dx, dy
    words.stays = stays or bold or target is not None  # a name in bold stands on what it names
    return words


def _fitted(
    ax: Axes,
    point: tuple[float, float],
    text: str,
    look: tuple[str, str, str, bool],
    shift: tuple[float, float],
) -> tuple[str, float]:
    """Words in lines that fit a narrow picture, and a shift across that keeps them inside."""
    size = mode_of(ax)
    _, ha, _, bold = look
    wide = ax.get_figure(root=True).get_figwidth() - 2 * AIR / 72
    x = _noted(ax, point, "", look, shift)[0]
    room = {"left": wide - x, "right": x, "center": 2 * min(x, wide - x)}[ha]
    if text.count("\n") == 0:
        text = wrapped(text, max(room, LEAST), size.small, "bold" if bold else "normal")
    left, _, right, _ = _noted(ax, point, text, look, shift)
    return text, shift[0] + 72 * (max(AIR / 72 - left, 0) - max(right - wide, 0))


def settled(figure: Any, notes: Collection[Artist] | None = None) -> Any:
    """A picture on a telephone once its notes have moved off lines and marks; any other as it is.

    Each note (of ``notes``, where only these may move) takes the nearest free place in its axes,
    or the one that fewest lines cross. Call it when all is drawn: what stands in the way of a
    note is often drawn after it.
    """
    live = notes is not None
    if getattr(figure, "mode", "") == "phone":
        for ax in figure.axes:
            words = [each for each in ax.texts if hasattr(each, "place") and each.get_text()]
            stays = [each for each in words if each.stays or not (notes is None or each in notes)]
            lines = _lines(ax) if len(stays) < len(words) else None
            for each in words:
                if each not in stays:
                    key = live and any(_beside(each, other) for other in words)
                    _settle(each, lines, stays, key, MOVED if live else np.inf)
                    stays.append(each)
    return figure


def _settle(words: Text, lines: np.ndarray, others: Sequence[Text], key: bool, most: float) -> None:
    """Move a note to the nearest place that is free of lines, (points, 2), and of other notes.

    At ``most`` so many inches; one of a ``key`` stays above or below the others where it can.
    """
    ax = words.axes
    root = ax.get_figure(root=True)
    taken: list[np.ndarray] = [
        np.array(_noted(ax, each.get_position(), each.get_text(), each.place[:4], each.place[4:]))
        for each in (words, *others)
    ]
    own = taken.pop(0)
    low, high = ax.bbox.extents[:2] / root.dpi, ax.bbox.extents[2:] / root.dpi
    shifts = SHIFTS[:, : np.searchsorted(LENGTHS, most, "right")]
    lows, highs = own[:2, None] + shifts, own[2:, None] + shifts
    out = (lows < np.minimum(low, own[:2])[:, None] - SLACK).any(axis=0)
    out |= (highs > np.maximum(high, own[2:])[:, None] + SLACK).any(axis=0)
    for box in taken:
        over = np.minimum(highs, box[2:, None]) - np.maximum(lows, box[:2, None])
        out |= (over > 0).all(axis=0)
    apart = (shifts[0] != 0) | (np.abs(shifts[1]) > SPACING * words.get_size() / 72)
    if key and not (out | apart).all():
        out |= apart
    # So many points lie left of and below each corner of a lattice: four of them count a box.
    size = np.ceil((high - low) / CELL).astype(int) + 1
    cells = ((lines - low) / CELL).astype(int).clip(0, size - 1)
    sums = np.zeros(size + 1)
    sums[1:, 1:] = np.bincount(cells @ [size[1], 1], minlength=size.prod()).reshape(size)
    sums = sums.cumsum(axis=0).cumsum(axis=1)
    ends = (np.floor((lows.T - low) / CELL), np.ceil((highs.T - low) / CELL))
    (left, bottom), (right, top) = (end.astype(int).clip(0, size).T for end in ends)
    crossed = sums[right, top] - sums[left, top] - sums[right, bottom] + sums[left, bottom]
    best = shifts[:, np.argmin(np.where(out, np.inf, crossed))]  # of equals the first, the nearest
    if best.any():
        at, ha, va, bold, dx, dy = words.place
        dx, dy = (dx, dy) + 72 * best
        frame = ax.transAxes if at == "axes" else ax.transData
        words.set_transform(offset_copy(frame, root, dx, dy, units="points"))
        words.place = at, ha, va, bold, dx, dy
        words.model = object()  # no copy's look, for a copy stands elsewhere


def _beside(one: Text, other: Text) -> bool:
    """Whether two notes begin, or end, at the same place of their axes, as lines of a key do."""
    same = (
        one is not other
        and one.place[:2] == other.place[:2]
        and one.get_position()[0] == other.get_position()[0]
    )
    return same and one.place[0] == "axes"


def _lines(ax: Axes) -> np.ndarray:
    """Places of lines and marks inside the axes, close to each other, in inches; (points, 2)."""
    ax.apply_aspect()
    root = ax.get_figure(root=True)
    dpi = root.dpi
    low, high = ax.bbox.extents[:2] / dpi, ax.bbox.extents[2:] / dpi
    found = [np.empty((0, 2))]
    outlines = [each for each in ax.patches if not each.get_fill()]
    lines = [*ax.lines, *(each for each in root.artists if isinstance(each, Line2D))]  # leaders
    joined = [line for line in lines if line.get_linestyle() not in ("None", "none")]
    for each in [*joined, *outlines]:
        path = each.get_transform().transform_path(each.get_path())
        for outline in path.to_polygons(closed_only=False):
            outline[~np.isfinite(outline)] = np.nan  # of a zero on a log axis
            at, sides = outline[:-1] / dpi, np.diff(outline, axis=0) / dpi
            steps = np.nan_to_num(np.hypot(*sides.T) / CELL, posinf=0).clip(0, MOST).astype(int) + 1
            share = (np.arange(steps.sum()) - np.repeat(steps.cumsum() - steps, steps))[:, None]
            share = share / np.repeat(steps, steps)[:, None]
            found.append(np.repeat(at, steps, axis=0) + share * np.repeat(sides, steps, axis=0))
    for line in ax.lines:
        if line.get_marker() not in ("None", "none", "") and line.get_markersize() > DOT:
            at = line.get_transform().transform(line.get_xydata()) / dpi
            found += list(at + line.get_markersize() / 144 * ROUND)
    at = np.concatenate(found)
    return at[((at >= low - CELL) & (at <= high + CELL)).all(axis=1)]  # no NaN is


def _noted(
    ax: Axes,
    point: tuple[float, float],
    text: str,
    look: tuple[str, str, str, bool],
    shift: tuple[float, float],
) -> tuple[float, float, float, float]:
    """Left, low, right and high side of a note, in inches of the picture."""
    size = mode_of(ax).small
    at, ha, va, bold = look
    frame = ax.transAxes if at == "axes" else ax.transData
    ax.apply_aspect()
    x, y = frame.transform(point) / ax.get_figure(root=True).dpi + np.array(shift) / 72
    lines = text.split("\n")
    wide = max(inches_wide(line, size, "bold" if bold else "normal") for line in lines)
    tall = len(lines) * LINE * size / 72
    left = x - wide * {"left": 0, "center": 0.5, "right": 1}[ha]
    low = (
        y
        - tall * {"bottom": 0, "baseline": 0.2, "center": 0.5, "center_baseline": 0.5, "top": 1}[va]
    )
    return left, low, left + wide, low + tall


def whole_clauses(
    figure: Figure, words: str, room: float, weight: str = "normal", lines: int = 1
) -> str:
    """The first clauses of small words, as many as fit lines ``room`` inches wide; at least one.

    >>> from dpviz.drawing.picture import Figure
    >>> whole_clauses(Figure(), "n = 5, one release for each t", 1.5)
    'n = 5'
    >>> whole_clauses(Figure(), "black: the query, blue: its approximation", 2.0)
    'black: the query'
    """
    look = MODES[figure.mode].small, weight, figure.dpi
    while wrapped(words, room, *look).count("\n") >= lines or not _fits(words, lines * room, *look):
        cut = max(words.rfind(mark) for mark in (", ", "; ", " ("))
        cut = words.rfind(": ") if cut < 0 else cut  # what is named stays with its name
        if cut < 0:
            break
        words = words[:cut]
    return wrapped(words, room, *look) if lines > 1 else words


@lru_cache(500)
def wrapped(words: str, room: float, size: float, weight: str = "normal", dpi: float = 100) -> str:
    """Words in lines of type at most ``room`` inches wide, broken between words.

    >>> wrapped("proved for every n", 0.8, 8.3)
    'proved for\\nevery n'
    """
    rows: list[str] = []
    for line in words.split("\n"):
        row = ""
        for word in line.split(" "):
            longer = f"{row} {word}" if row else word
            if row and not _fits(longer, room, size, weight, dpi):
                rows.append(row)
                longer = word
            row = longer
        rows.append(row)
    return "\n".join(rows)


def _fits(words: str, room: float, *look: Any) -> bool:
    """Whether a line is at most ``room`` inches wide."""
    return _fit(words.translate(DIGITS), room, *look)


@lru_cache(2000)
def _fit(words: str, room: float, *look: Any) -> bool:
    """The same of a line whose digits are zeros.

    Its words are measured, each once, and the whole line only where their sum leaves it open:
    a line is new in each picture, its words are not.
    """
    parts = words.split(" ")
    space = inches_wide("n n", *look) - 2 * inches_wide("n", *look)
    about = sum(inches_wide(part, *look) for part in parts) + space * (len(parts) - 1)
    open_ = OPEN * len(parts) * look[0] / 72
    return about < room if abs(about - room) > open_ else inches_wide(words, *look) <= room


def inches_wide(words: str, size: float, weight: str = "normal", dpi: float = 100) -> float:
    """Width of a line of type of ``size`` points, as drawn at so many dots per inch."""
    return _wide(words.translate(DIGITS), size, weight, dpi)


@lru_cache(2000)
def _wide(words: str, size: float, weight: str, dpi: float) -> float:
    look = FontProperties(size=size, weight=weight)
    return RendererAgg(1, 1, dpi).get_text_width_height_descent(words, look, False)[0] / dpi


def _ink(role: str | None) -> str:
    if role is None:
        return INK
    return {"muted": MUTED, "on event": ON_EVENT}.get(role) or role_of(role).text


def _rising(values: np.ndarray) -> np.ndarray:
    """Closest non-decreasing sequence: neighbours out of order are pooled to their mean."""
    pools: list[tuple[float, int]] = []
    for value in values:
        mean = float(value)
        count = 1
        while pools and pools[-1][0] >= mean:
            other, more = pools.pop()
            mean, count = (mean * count + other * more) / (count + more), count + more
        pools.append((mean, count))
    return np.repeat([mean for mean, _ in pools], [count for _, count in pools])


def _leader(root: Figure, xs: list[float], ys: list[float], role: str) -> None:
    colour = role_of(role).text if role == "event" else role_of(role).colour
    look = {"color": colour, "lw": 0.9, "transform": root.dpi_scale_trans, "zorder": 3}
    line = again(root, ("leader", colour), lambda: root.add_artist(Line2D([], [], **look)))
    line.set_data(xs, ys)


def _gutter_text(
    root: Figure, x: float, y: float, text: str, role: str, *, ground: bool = False
) -> Text:
    style = {"color": role_of(role).text, "fontsize": mode_of(root).small, "va": "center"}
    style |= {"ha": "left", "zorder": 9, "transform": root.dpi_scale_trans}
    if ground:  # inside of the axes, where there may be a grid or a hatch
        style["bbox"] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": HALO}
    look = ("gutter", role, ground)
    return worded(again(root, look, lambda: root.text(0, 0, "", **style)), x, y, text)


def worded(text: Text, x: float, y: float, words: str) -> Text:
    """The text, with its place and its words."""
    text.set_position((x, y))
    text.set_text(words)
    return text


def _pointer(ax: Axes, start: tuple, target: tuple, at: str) -> None:
    """Thin ink line from the note to its target, under the note."""
    if at == "axes":
        start = ax.transData.inverted().transform(ax.transAxes.transform(start))
    ends = list(zip(start, target, strict=True))
    ax.plot(*ends, color=INK, lw=0.8, zorder=7, scalex=False, scaley=False)
