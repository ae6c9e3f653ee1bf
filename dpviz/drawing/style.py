"""The drawing style, one door for all pictures: ``from dpviz.drawing import style``.

What each colour means stands in `dpviz.drawing.roles`; here a picture is laid out. Margins are
fixed in inches, the right one is the gutter in which lines are named; there are no legends.

>>> fig, ax = figure("The error falls", "invented numbers", alt="One falling line.")
>>> log_axis(ax, "x", 100, 1e4)
>>> log_axis(ax, "y", 0.01, 1)
>>> lines = ax.plot([100, 1e4], [0.5, 0.05], **line("released"))
>>> labels = label_ends(ax, [(1e4, 0.05, "measured", "released")])
>>> axis_titles(ax, "n, records (log scale)", "error (log scale)")
>>> fig.png()[:4]
b'\\x89PNG'
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import offset_copy

from dpviz.drawing.labels import label_ends, note, spread, whole_clauses, worded, wrapped
from dpviz.drawing.marks import (
    band,
    dots,
    event,
    event_star,
    off_scale,
    pips,
    slope_triangle,
    vacuous_zone,
)
from dpviz.drawing.numerals import fixed, interval, number, power, signed
from dpviz.drawing.picture import Figure, Panel, again
from dpviz.drawing.roles import (
    INK,
    MODES,
    MUTED,
    ROLES,
    Mode,
    Role,
    line,
    mode_of,
    points,
    text_colour,
    tint,
)
from dpviz.drawing.scales import axis_titles, base2_axis, dress, linear_axis, log_axis

__all__ = [
    "INK",
    "MODES",
    "MUTED",
    "ROLES",
    "Figure",
    "Mode",
    "Role",
    "axis_titles",
    "band",
    "base2_axis",
    "dots",
    "dress",
    "event",
    "event_star",
    "figure",
    "fixed",
    "interval",
    "label_ends",
    "line",
    "linear_axis",
    "log_axis",
    "mode_of",
    "note",
    "number",
    "off_scale",
    "pips",
    "points",
    "power",
    "retitle",
    "signed",
    "slope_triangle",
    "spread",
    "text_colour",
    "tint",
    "vacuous_zone",
]

FLUSH = 0.119  # in from the picture's left edge to title and subtitle
NO_GUTTER = 0.2  # in, right margin of small multiples
NARROW = re.compile("[⁰¹²³⁴-⁹⁻\u202f]")
ROW = 1.25  # of the size of the type, a line of a title
# in, between panels that stand below each other: with the numbers of the upper one, and without
BETWEEN = (0.66, 0.34)
MANY, FEWER = 3, 0.75  # so many panels below each other are lower, by this factor
SQUARE = 1.5  # by so much a square panel is higher than another one below it


def figure(
    title: str,
    subtitle: str = "",
    *,
    alt: str,
    mode: str = "notebook",
    height: float | None = None,
    gutter: bool | None = None,
    rows: int = 1,
    columns: int = 1,
    sharex: bool | str = "col",
    sharey: bool | str = "row",
    names: Sequence[str] = (),
    heights: Sequence[float] | None = None,
    widths: Sequence[float] | None = None,
    square: int = 0,
    grid: bool = True,
) -> tuple[Figure, Any]:
    """Lay out a picture: fixed margins, title and subtitle top left, dressed axes.

    Parameters
    ----------
    title : one sentence that says what is seen, at most 70 characters (50 projected)
    subtitle : fixed parameters, trials, band
    alt : what a reader without the picture is told, at most 300 characters
    mode : "notebook", "projector" or "phone", where panels stand below each other
    height : share of the mode's height (0.84 for a ledger, 1.12 for a plane), 1 if None; a
        projected picture has the screen's shape
    gutter : keep room for labels on the right; if None, only with a single panel
    rows, columns : panels
    sharex, sharey : which panels share an axis, as in matplotlib: a column its x, a row its y
    names : bold names above the panels, row by row
    heights, widths : relative sizes of the rows and columns
    square : how many columns, from the left, hold what is square: it needs height
    grid : False for maps and planes

    Returns
    -------
    the figure, and one Axes, or an array of them, (rows, columns) or flat if one of these is 1

    Raises
    ------
    ValueError
        If the title is too long or the alt text has more than 300 characters.
    """
    single = rows * columns == 1
    gutter = single if gutter is None else gutter
    stacks = mode in MODES and MODES[mode].panel > 0 and not single
    if stacks:
        shape, shared = (rows, columns), (sharex, sharey)
        of_rows = np.ones(rows) if heights is None else np.array(heights) / np.mean(heights)
        high = np.outer(of_rows, np.where(np.arange(columns) < square, SQUARE, 1.0))
        fig, panels = _stacked(mode, alt, shape, shared, gutter, high, height or 1.0)
    else:
        fig = Figure(mode, 1.0 if height is None or mode == "projector" else height, alt)
        frame = _frame(fig, rows, columns, (sharex, sharey), gutter)
        cells = fig.add_gridspec(rows, columns, height_ratios=heights, width_ratios=widths, **frame)
        look = {"sharex": sharex, "sharey": sharey, "subplot_kw": {"axes_class": Panel}}
        panels = cells.subplots(**look, squeeze=False)
    retitle(fig, title, subtitle)
    for ax in panels.flat:
        dress(ax, grid=grid)
    for ax, name in zip(panels.flat, names, strict=False):
        _panel_name(ax, name)
    return fig, panels[0, 0] if single else panels.squeeze()


def letters(title: str) -> int:
    """How long a title is; of exponents and thin spaces two count as one.

    >>> letters("noise 6.8×10⁻⁴"), letters("noise 0.00068")
    (13, 13)
    """
    return len(title) - math.ceil(len(NARROW.findall(title)) / 2)


def retitle(fig: Figure, title: str, subtitle: str = "") -> None:
    """Write title and subtitle, in place of the ones that are there.

    Large type shows as many clauses of a subtitle as have room.

    Raises
    ------
    ValueError
        If the title has more than 70 :func:`letters` (50 projected).
    """
    size = MODES[fig.mode]
    if letters(title) > size.title_length:
        raise ValueError(
            f"title has {letters(title)} characters; at most {size.title_length}: {title}"
        )
    for old in [text for text in fig.texts if text.get_gid() in ("title", "subtitle")]:
        old.remove()
    room = fig.get_figwidth() - 2 * FLUSH
    if size.lines > 1:
        title = wrapped(title, room, size.title, "bold", fig.dpi)
    if size.tight:
        subtitle = whole_clauses(fig, subtitle, room, lines=size.lines)
    drop = size.subtitle_drop + title.count("\n") * ROW * size.title / 72
    _headline(fig, "title", title, size.title_drop, size.title, weight="bold", color=INK)
    _headline(fig, "subtitle", subtitle, drop, size.small, color=MUTED)


def _headline(fig: Figure, gid: str, words: str, drop: float, type_: float, **look: str) -> None:
    """Each line of words is a text of its own."""
    style = {**look, "va": "baseline", "gid": gid, "transform": fig.dpi_scale_trans}
    style |= {"fontsize": type_, "zorder": 9}
    for row, said in enumerate(words.split("\n")):
        y = fig.get_figheight() - drop - row * ROW * type_ / 72
        worded(again(fig, gid, lambda: fig.text(0, 0, "", **style)), FLUSH, y, said)


def _stacked(
    mode: str,
    alt: str,
    shape: tuple[int, int],
    shared: tuple[bool | str, bool | str],
    gutter: bool,
    high: np.ndarray,
    height: float,
) -> tuple[Figure, np.ndarray]:
    """A picture whose panels stand below each other, row by row; (rows, columns) of Axes.

    Panels share their axes as they do side by side. Only in one column the numbers of a shared x
    stand under the last panel alone.
    """
    size = MODES[mode]
    rows, columns = shape
    many = rows * columns
    panel = size.panel * height * (1 if many < MANY else FEWER) * high.mean()
    gap = BETWEEN[columns == 1 and shared[0] not in (False, "none", "row")]
    tall = size.top + many * panel + (many - 1) * gap + size.bottom
    fig = Figure(mode, tall / size.height, alt)
    wide = fig.get_figwidth()
    frame = {
        "left": size.left / wide,
        "right": 1 - (size.right if gutter else NO_GUTTER) / wide,
        "bottom": size.bottom / tall,
        "top": 1 - size.top / tall,
        "hspace": gap / panel,
    }
    cells = fig.add_gridspec(many, 1, height_ratios=high.ravel(), **frame)
    panels = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        look = {
            f"share{which}": _leading(panels, place, how)
            for which, how in zip("xy", shared, strict=True)
        }
        number = place[0] * columns + place[1]
        panels[place] = fig.add_subplot(cells[number], axes_class=Panel, **look)
        if gap == BETWEEN[1] and place[0] < rows - 1:
            panels[place].tick_params(labelbottom=False)
    return fig, panels


def _leading(panels: np.ndarray, place: tuple[int, ...], how: bool | str) -> Axes | None:
    """The panel whose axis another one shares, or none."""
    row, column = place
    leading: dict[bool | str, Axes] = {"col": panels[0, column], "row": panels[row, 0]}
    leading |= dict.fromkeys((True, "all"), panels[0, 0])
    return leading.get(how)


def _frame(fig: Figure, rows: int, columns: int, shared: tuple, gutter: bool) -> dict[str, float]:
    """Margins and gaps, as the shares of the picture that a grid of axes is told."""
    size, (wide, tall) = MODES[fig.mode], fig.get_size_inches()
    right = size.right if gutter else NO_GUTTER
    scale = size.small / MODES["notebook"].small
    gap_x = (0.16 if shared[1] else 0.62) * scale
    gap_y = (0.36 if shared[0] else 0.64) * scale
    cell_x = (wide - size.left - right - (columns - 1) * gap_x) / columns
    cell_y = (tall - size.top - size.bottom - (rows - 1) * gap_y) / rows
    return {
        "left": size.left / wide,
        "right": 1 - right / wide,
        "bottom": size.bottom / tall,
        "top": 1 - size.top / tall,
        "wspace": gap_x / cell_x,
        "hspace": gap_y / cell_y,
    }


def _panel_name(ax: Axes, name: str) -> None:
    root = ax.get_figure(root=True)
    size = mode_of(ax)
    place = offset_copy(ax.transAxes, root, 0, 5, units="points")
    look: dict[str, Any] = {"color": INK, "fontsize": size.base, "weight": "bold"}
    if size.tight:
        name = whole_clauses(root, name, ax.get_position().width * root.get_figwidth(), "bold")
    ax.text(0, 1, name, transform=place, va="baseline", ha="left", **look)
