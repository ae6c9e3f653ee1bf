"""Things an error figure says besides its lines: bands, limits, slopes and events."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Text
from numpy.typing import ArrayLike

from dpviz.drawing.labels import inches_wide, note
from dpviz.drawing.numerals import fixed, interval, number
from dpviz.drawing.picture import Figure
from dpviz.drawing.roles import HATCH, INK, MUTED, ZONE, Look, line, mode_of, role_of
from dpviz.words import say

EVENTS = {"miss": ("*", 14), "here": ("P", 10), "worst": ("o", 7.5), "refused": ("X", 9)}
APART = 1.16  # the predicted line stands this factor above the fitted one
CORNER = 0.13  # in, from the corner of a narrow picture to an allowance
BESIDE = 6  # pt from a mark on the edge to its words
INSET = (0.085, 0.065)  # of the axes, between a corner and the slope triangle in it


def band(
    ax: Axes,
    x: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    role: str = "released",
    alpha: float = 0.18,
) -> None:
    """Shade between two quantiles of the trials (or the ±α band of a hypothesis at .13)."""
    ax.fill_between(x, low, high, color=role_of(role).colour, alpha=alpha, lw=0, zorder=2)


def dots(ax: Axes, x: Sequence[float], trials: np.ndarray, role: str = "released") -> None:
    """Draw every trial as a dot, where there are fewer than forty.

    Parameters
    ----------
    x : grid points
    trials : array (len(x), trials)
    """
    trials = np.asarray(trials)
    xs = np.repeat(np.asarray(x), trials.shape[1])
    look = {"color": role_of(role).colour, "alpha": 0.35, "mew": 0, "zorder": 2.5}
    look |= {"marker": "o", "ls": "none"}
    ax.plot(xs, trials.ravel(), ms=2.2 * mode_of(ax).marker_scale, **look)


def vacuous_zone(
    ax: Axes, limit: float, text: str, *, side: str = "right", low: bool = False
) -> None:
    """Hatch everything from ``limit`` up: there a bound says nothing.

    Parameters
    ----------
    limit : the answers' range, in data units
    text : "vacuous: answers lie in [0, 1]"; a projected picture keeps what precedes the colon
    side : where the label stands, "right" where curves fall
    low : the label stands on the limit, and leaves the upper edge to values off the scale

    Raises
    ------
    ValueError
        If less than .6 of a decade is left above the limit on a log axis.
    """
    size = mode_of(ax)
    top = ax.get_ylim()[1]
    if ax.get_yscale() == "log" and top < limit * 10**0.6:
        raise ValueError(f"the y limit must be at least {number(limit * 10**0.6)}")
    zone = ax.axhspan(limit, top, facecolor=ZONE, edgecolor=HATCH, lw=0, hatch="////", zorder=0.5)
    zone.set_hatch_linewidth(0.6 * size.line_scale)
    ax.axhline(limit, color=HATCH, lw=1.1 * size.line_scale, zorder=1.2)
    right = side == "right"
    words = text.split(":")[0] if size.tight else text
    look = {"dx": -4 if right else 4, "ha": side, "halo": ZONE}
    if words and low:
        note(ax, ax.get_xlim()[right], limit, words, "muted", dy=3, va="bottom", **look)
    elif words:
        note(ax, float(right), 1, words, "muted", at="axes", dy=-3, va="top", **look)


def off_scale(
    ax: Axes, x: ArrayLike, y: ArrayLike, role: str, text: str | None = None
) -> list[Text]:
    """Mark values beyond the y limits by triangles on the edge, with the value beside each.

    Parameters
    ----------
    x, y : numbers or arrays in data units; points within the limits are passed over
    text : instead of the value; "" writes nothing (the value then belongs into the gutter)

    Returns
    -------
    the texts written; a value that would touch the one before it is left out
    """
    low, high = sorted(ax.get_ylim())
    x, y = np.atleast_1d(x), np.atleast_1d(y)
    for marker, edge, beyond in (("^", high, y > high), ("v", low, ~(y >= low))):
        if beyond.any():
            look = {"marker": marker, "ms": 6 * mode_of(ax).marker_scale, "ls": "none"}
            look |= {"color": role_of(role).colour, "mec": "white", "mew": 0.6}
            places = x[beyond], np.full(beyond.sum(), edge)
            (marks,) = ax.plot(*places, **_fixed(look), clip_on=False, zorder=10)
            marks.told = y[beyond]  # the edge, where they stand, is not their value
    beyond = [(a, b) for a, b in zip(x, y, strict=True) if text != "" and not low <= b <= high]
    kept: list[Text] = []
    taken: tuple[float, float, float] = -math.inf, -math.inf, low
    for a, b in beyond:
        words = number(b) if text is None else text
        edge = high if b > high else low
        start, stop, side = _room(ax, a, edge, words)
        if edge != taken[2] or stop <= taken[0] or start >= taken[1]:
            kept.append(_edge_words(ax, a, edge, words, role, side, edge == high))
            taken = start, stop, edge
    return kept


def slope_triangle(
    ax: Axes,
    fitted: float,
    limits: tuple[float, float],
    predicted: float,
    corner: str = "lower left",
    *,
    width: float = 10.0,
) -> None:
    """Show a fitted exponent beside the predicted one, true to the angles of log-log axes.

    Parameters
    ----------
    fitted, predicted : exponents
    limits : confidence interval of the fitted one, (low, high)
    corner : "lower" or "upper", then "left" or "right"; the emptiest corner
    width : factor in x that the triangle spans, a decade unless there is no room

    Raises
    ------
    ValueError
        If an axis is not logarithmic (call it after the axes are made).
    """
    if ax.get_xscale() != "log" or ax.get_yscale() != "log":
        raise ValueError("a slope triangle needs two log axes")
    start, stop, base = _triangle_place(ax, fitted, corner, width)
    rise = width**fitted
    ends = [base, base * rise] if rise > 1 else [base / rise, base]
    _fitted_side(ax, [start, stop], ends)
    ahead = APART * ends[0]
    dashed = [ahead, ahead * width**predicted]
    ax.plot([start, stop], dashed, **_fixed(line("rate", _mode(ax))))
    words = _slope_texts(ax, fitted, limits, predicted)
    if rise < 1 and corner.endswith("left"):
        _words_beside(ax, [start, stop], ends, dashed, words)
    else:
        top = max(ends + dashed)
        left = corner.endswith("left")
        _words_above(ax, start if left else stop, top, words, "left" if left else "right")


def event(ax: Axes, x: float, y: float, kind: str = "miss", name: str | None = None) -> None:
    """Mark one thing in yellow: "miss" (star), "here" (plus), "worst" (circle), "refused" (X).

    ``name`` is the mark's; a handle takes hold of it by that.
    """
    shape, size = EVENTS[kind]
    look = line("event", _mode(ax)) | {"marker": shape, "ms": size * mode_of(ax).marker_scale}
    ax.plot([x], [y], **_fixed(look | {"ls": "none", "clip_on": False, "gid": name}))


def event_star(ax: Axes, x: float, y: float) -> None:
    """Mark a miss: a yellow star with an ink edge."""
    event(ax, x, y, "miss")


def pips(fig: Figure, used: int, total: int, text: str = "updates") -> None:
    """Show a spent allowance top right, ●●●○○; beyond twelve in words ("13 of 40").

    >>> pips(Figure(), 3, 5)
    """
    size = mode_of(fig)
    many = total > 12
    step = 0.135 * size.marker_scale
    words = say("picture.spent", text=text, used=used, total=total) if many else text
    edge = size.width - 0.4
    y = fig.get_figheight() - size.title_drop + 0.035 * size.marker_scale
    if size.lines > 1:  # the title takes the whole width, so at the lower left
        edge = CORNER + inches_wide(words, size.small) + step * (0 if many else total)
        y = CORNER
    xs = edge - step * np.arange(0 if many else total)[::-1]
    place = edge if many else xs[0] - step if total else edge
    scale = fig.dpi_scale_trans
    look = {"ha": "right", "va": "center", "color": MUTED, "fontsize": size.small}
    fig.text(place, y, words, transform=scale, **look)
    for part, fill in ((xs[:used], INK), (xs[used:], "white")):
        dot = {"marker": "o", "ms": 5.6 * size.marker_scale, "mec": INK, "mew": 0.8, "mfc": fill}
        fig.add_artist(Line2D(part, [y] * len(part), ls="none", transform=scale, **dot))


def _mode(ax: Axes) -> str:
    return getattr(ax.get_figure(root=True), "mode", "notebook")


def _fixed(look: Look) -> Look:
    """Plot arguments that leave the limits alone."""
    return look | {"scalex": False, "scaley": False}


def _room(ax: Axes, x: float, edge: float, words: str) -> tuple[float, float, str]:
    """Where words beside a mark on the edge start and stop, in inches, and on which side of it."""
    root = ax.get_figure(root=True)
    place = ax.transData.transform((x, edge))
    wide = inches_wide(words, mode_of(ax).small)
    last = ax.transAxes.inverted().transform(place)[0] > 0.92
    at = float(place[0]) / root.dpi
    start = at - BESIDE / 72 - wide if last else at + BESIDE / 72
    return start, start + wide, "right" if last else "left"


def _edge_words(
    ax: Axes, x: float, edge: float, words: str, role: str, side: str, top: bool
) -> Text:
    shift = {"dx": BESIDE if side == "left" else -BESIDE, "ha": side}
    shift |= {"dy": -2, "va": "top", "halo": ZONE} if top else {"dy": 2, "va": "bottom"}
    return note(ax, x, edge, words, role, **shift)


def _triangle_place(ax: Axes, slope: float, corner: str, width: float) -> tuple:
    """Data x of the left and the right end, data y of the lower side."""
    (left, right), (low, high) = np.log10(ax.get_xlim()), np.log10(ax.get_ylim())
    wide = math.log10(width)
    tall = abs(slope) * math.log10(width)
    inset = INSET[0] * (right - left), INSET[1] * (high - low)
    x = left + inset[0] if "left" in corner else right - inset[0] - wide
    y = low + inset[1] if "lower" in corner else high - 2.5 * inset[1] - tall
    return 10**x, 10 ** (x + wide), 10**y


def _fitted_side(ax: Axes, xs: list[float], ys: list[float]) -> None:
    """The triangle: pale fill, thin legs, the hypotenuse heavy."""
    colour = role_of("released").colour
    scale = mode_of(ax).line_scale
    foot = (xs[0], ys[1]) if ys[0] > ys[1] else (xs[1], ys[0])
    corners = [(xs[0], ys[0]), foot, (xs[1], ys[1])]
    ax.add_patch(Polygon(corners, closed=True, fc=colour, alpha=0.12, lw=0, zorder=2))
    legs = _fixed({"color": colour, "lw": 0.9 * scale, "zorder": 3})
    ax.plot(*zip(*corners, strict=True), **legs)
    ax.plot(xs, ys, **_fixed(line("released", _mode(ax), marker=False)))


def _slope_texts(ax: Axes, fitted: float, limits: tuple, predicted: float) -> tuple[str, str]:
    """What stands beside the triangle; intervals become "±" when projected, a phone has no room."""
    low, high = limits
    if _mode(ax) == "phone":
        exponent = fixed(fitted, 2)
    elif mode_of(ax).tight:
        exponent = f"{fixed(fitted, 2)} ± {number((high - low) / 2, 1)}"
    else:
        exponent = f"{fixed(fitted)} {interval(low, high)}"
    words = say("picture.fitted", exponent=exponent)
    return words, say("picture.predicted", exponent=number(predicted, 3))


def _words_beside(ax: Axes, xs: list, ends: list, dashed: list, words: tuple[str, str]) -> None:
    """Falling slope in a left corner: each text right of its own line."""
    share = 0.45
    x = xs[0] ** (1 - share) * xs[1] ** share
    y = dashed[0] ** (1 - share) * dashed[1] ** share
    note(ax, xs[1], ends[1], words[0], "released", dx=4)
    note(ax, x, y, words[1], "rate", dy=4, va="bottom")


def _words_above(ax: Axes, x: float, y: float, words: tuple[str, str], ha: str) -> None:
    row = 1.25 * mode_of(ax).small
    note(ax, x, y, words[1], "rate", dy=4, ha=ha, va="bottom")
    note(ax, x, y, words[0], "released", dy=4 + row, ha=ha, va="bottom")
