"""Words in a picture: names at the ends of lines, notes beside the thing they are about."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
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
TRIES = 16  # half lines by which a note moves at most
OPEN = 0.05  # of the size of the type, a word: as far as a sum of words may be off a line
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
    places_of = [_inches(ax, *entry[:2]) for entry in labels]
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
    """
    if target is not None:
        _pointer(ax, (x, y), target, at)
    if mode_of(ax).lines > 1:
        text, dx, dy = _apart(ax, (x, y), text, (at, ha, va, bold), (dx, dy))

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
    return words


def _apart(
    ax: Axes,
    point: tuple[float, float],
    text: str,
    look: tuple[str, str, str, bool],
    shift: tuple[float, float],
) -> tuple[str, float, float]:
    """Words in lines that fit a narrow picture, and a shift that keeps them off the notes there.

    They move to the side where the axes have more room, by whole lines.
    """
    size = mode_of(ax)
    root = ax.get_figure(root=True)
    _, ha, _, bold = look
    wide = root.get_figwidth() - 2 * AIR / 72
    x = _noted(ax, point, "", look, shift)[0]
    room = {"left": wide - x, "right": x, "center": 2 * min(x, wide - x)}[ha]
    if text.count("\n") == 0:
        text = wrapped(text, max(room, LEAST), size.small, "bold" if bold else "normal")
    dx, dy = shift
    left, low, right, high = _noted(ax, point, text, look, shift)
    dx += 72 * (max(AIR / 72 - left, 0) - max(right - wide, 0))
    others = [
        _noted(ax, other.get_position(), other.get_text(), other.place[:4], other.place[4:])
        for other in ax.texts
        if hasattr(other, "place")
    ]
    middle = ax.get_position().y0 + ax.get_position().y1
    sign = 1 if low + high < middle * root.get_figheight() else -1
    for lines in range(TRIES):
        moved = dy + sign * lines * size.small / 2
        box = _noted(ax, point, text, look, (dx, moved))
        if not any(_meet(box, other) for other in others):
            return text, dx, moved
    return text, dx, dy


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


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    across = min(one[2], other[2]) - max(one[0], other[0])
    up = min(one[3], other[3]) - max(one[1], other[1])
    return across > 0 and up > 0


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
    """Whether a line is at most ``room`` inches wide.

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


def _inches(ax: Axes, x: float, y: float) -> np.ndarray:
    """A data point in inches from the picture's lower left corner."""
    ax.apply_aspect()
    return ax.transData.transform((x, y)) / ax.get_figure(root=True).dpi


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
