"""Axes that do not move: limits and tick positions are fixed, labels short, titles horizontal."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator, NullFormatter
from matplotlib.transforms import offset_copy

from dpviz.drawing.labels import whole_clauses
from dpviz.drawing.numerals import decade, fixed, number, octave
from dpviz.drawing.roles import GRID, MUTED, SPINE, mode_of

LETTER, TALL = 0.6, 1.3  # of the size of the type: the width of a figure, the height of a line
EDGE = 0.05  # in, between a title and the edge of the picture
TITLE_RISE = 7  # pt from the top of the axes to the y title's baseline


def dress(ax: Axes, *, grid: bool = True) -> None:
    """Spines left and bottom, short ticks, a pale grid under everything."""
    size = mode_of(ax)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(color=SPINE, linewidth=0.8 * size.line_scale)
    ax.set_axisbelow(True)
    ax.set_facecolor("white")
    if grid:
        ax.grid(True, which="major", color=GRID, lw=0.7 * size.line_scale)
    wide = 0.8 * size.line_scale
    look = {"color": SPINE, "labelcolor": MUTED, "labelsize": size.small}
    ax.tick_params(length=3.5, width=wide, pad=3.5 * size.line_scale, **look)
    ax.tick_params(which="minor", length=1.8, width=0.6 * size.line_scale, color=SPINE)


def axis_titles(ax: Axes, x: str = "", y: str = "") -> None:
    """Name the axes: y above its axis, horizontally; x under the ticks at the right end.

    Say "(log scale)" in the name of a logarithmic axis, and the unit of an error. Large type keeps
    as many clauses as are as wide as the axes.
    """
    size = mode_of(ax)
    root = ax.get_figure(root=True)
    box = ax.get_position()
    wide = box.width * root.get_figwidth()
    # Words may be as wide as the axes; where a picture is narrow, as far as its edge.
    far = size.lines > 1
    rooms = (box.x1 * root.get_figwidth() - EDGE, (1 - box.x0) * root.get_figwidth() - EDGE)
    style = {"color": MUTED, "fontsize": size.small, "va": "baseline"}
    for text, at, shift, ha, room in (
        (x, (1, 0), -72 * size.x_drop, "right", rooms[0]),
        (y, (0, 1), TITLE_RISE, "left", rooms[1]),
    ):
        if text:
            words = whole_clauses(root, text, room if far else wide) if size.tight else text
            place = offset_copy(ax.transAxes, root, 0, shift, units="points")
            ax.text(*at, words, transform=place, ha=ha, **style)


def log_axis(ax: Axes, which: str, low: float, high: float, *, every: int = 1) -> None:
    """Make one axis logarithmic from ``low`` to ``high``, with ticks at the decades.

    Beyond seven decades every second one is labelled, or in a narrow panel with ``every`` = 2;
    below two, 2 and 5 are labelled too.

    Raises
    ------
    ValueError
        If not 0 < low < high.

    >>> from dpviz.drawing.picture import Figure
    >>> ax = Figure().add_subplot()
    >>> log_axis(ax, "y", 5e-4, 7)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['10⁻³', '0.01', '0.1', '1']
    """
    if not 0 < low < high:
        raise ValueError("a log axis needs 0 < low < high")
    ends = math.log10(low), math.log10(high)
    decades = range(math.ceil(ends[0] - 1e-9), math.floor(ends[1] + 1e-9) + 1)
    major, minor = _decade_ticks(decades, ends, every)
    _scale(ax, which, 10, low, high)
    labels = [_log_label(value) for value in major]
    _ticks(ax, which, major, labels, minor)


def base2_axis(ax: Axes, which: str, values: Sequence[float], pad: float = 0.3) -> None:
    """Make one axis logarithmic with a tick at each value; for values that double.

    Parameters
    ----------
    values : measured values, positive; with more than eight, every second one is labelled
    pad : room beyond the first and last value, in doublings

    >>> from dpviz.drawing.picture import Figure
    >>> ax = Figure().add_subplot()
    >>> base2_axis(ax, "x", [1 / 8, 1 / 4, 1 / 2, 1, 2])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['2⁻³', '2⁻²', '2⁻¹', '1', '2¹']
    """
    values = sorted(values)
    if not values or values[0] <= 0:
        raise ValueError("a base-2 axis needs positive values")
    step = 2 if len(values) > 8 else 1
    exact = all(math.frexp(value)[0] == 0.5 for value in values)
    plain = values[0] >= 1 and values[-1] < 1000
    shown = values[::-1][::step][::-1]
    names = [_base2_label(value, plain) if exact else number(value, 3) for value in shown]
    _scale(ax, which, 2, values[0] * 2**-pad, values[-1] * 2**pad)
    _ticks(ax, which, shown, names, [])


def linear_axis(
    ax: Axes, which: str, low: float, high: float, ticks: Sequence[float] | None = None
) -> None:
    """Fix one linear axis from ``low`` to ``high``; ``ticks`` defaults to a few round ones.

    >>> from dpviz.drawing.picture import Figure
    >>> ax = Figure().add_subplot()
    >>> linear_axis(ax, "x", -0.5, 1)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['−0.4', '−0.2', '0.0', '0.2', '0.4', '0.6', '0.8', '1.0']
    """
    if ticks is None:
        places = MaxNLocator(mode_of(ax).ticks, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        slack = 1e-9 * (high - low)
        ticks = [float(t) for t in places if low - slack <= t <= high + slack]
    getattr(ax, f"set_{which}lim")(low, high)
    _ticks(ax, which, ticks, _equal_places(ticks), [])


def _decade_ticks(decades: range, ends: tuple[float, float], every: int) -> tuple[list, list]:
    """Positions of labelled and of unlabelled ticks of a log axis."""
    powers = [10.0**k for k in decades]
    between = [m * 10.0**k for k in range(math.floor(ends[0]), decades.stop) for m in (2, 5)]
    between = [t for t in between if ends[0] <= math.log10(t) <= ends[1]]
    if len(powers) > 7 or every == 2:
        even = [10.0**k for k in decades if k % 2 == 0]
        return even, [t for t in powers if t not in even]
    return (powers, between) if len(powers) >= 2 else (sorted(powers + between), [])


def _log_label(value: float) -> str:
    exponent = math.log10(value)
    return decade(round(exponent)) if abs(exponent - round(exponent)) < 1e-9 else number(value, 1)


def _base2_label(value: float, plain: bool) -> str:
    return octave(round(math.log2(value)), plain=plain)


def _equal_places(ticks: Sequence[float]) -> list[str]:
    """Labels with the same number of decimals, as many as the ticks need."""
    for places in range(5):
        if np.allclose(ticks, np.round(ticks, places), rtol=0, atol=1e-9):
            return [fixed(t, places) for t in ticks]
    return [number(t, 3) for t in ticks]


def _scale(ax: Axes, which: str, base: int, low: float, high: float) -> None:
    getattr(ax, f"set_{which}scale")("log", base=base)
    getattr(ax, f"set_{which}lim")(low, high)


def _ticks(
    ax: Axes, which: str, at: Sequence[float], labels: list[str], minor: Sequence[float]
) -> None:
    axis = getattr(ax, f"{which}axis")
    if mode_of(ax).tight:
        labels = _apart(ax, which, at, labels)
    axis.set_major_locator(FixedLocator(at))
    axis.set_major_formatter(FixedFormatter(labels))
    axis.set_minor_locator(FixedLocator(minor))
    axis.set_minor_formatter(NullFormatter())


def _apart(ax: Axes, which: str, at: Sequence[float], labels: list[str]) -> list[str]:
    """Every label, or every second, third ... one, so that none touches the next; others empty."""
    size = mode_of(ax)
    root = ax.get_figure(root=True)
    across = which == "x"
    box = ax.get_position()
    inches = root.get_size_inches()
    room = 72 * (box.width * inches[0] if across else box.height * inches[1])
    wide = np.array([LETTER * (len(label) + 1) if across else TALL for label in labels])
    points = np.column_stack([at, at]).reshape(-1, 2)
    places = room * (ax.transScale + ax.transLimits).transform(points)[:, 0 if across else 1]
    for step in range(1, len(labels)):
        shown = np.arange(len(labels))[::-step]
        needed = size.small * (wide[shown][1:] + wide[shown][:-1]) / 2
        if (np.abs(np.diff(places[shown])) >= needed).all():
            return [label if i in shown else "" for i, label in enumerate(labels)]
    return labels
