"""The error figure, the signature of dpviz: measured errors between bounds and baselines.

A :class:`Line` is one curve with its role; :func:`draw_lines` draws them all, names each in
the gutter, and writes at the edge what lies off the axes, for a bound is never left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.views.labels import label_ends
from dpviz.views.marks import band, dots, off_scale, vacuous_zone
from dpviz.views.numerals import number
from dpviz.views.roles import line, mode_of

# An answer in [0, 1] is never further than this from 1/2, which needs no data.
HALF = 0.5


@dataclass(frozen=True, eq=False)
class Line:
    """One curve of an error figure.

    Attributes
    ----------
    name : its words in the gutter; several lines may be parted by a newline
    role : whose statement it is, a name in ``roles.ROLES``
    x, y : arrays (points,); of measured errors y is the median
    trials : array (points, repeats), the measured errors themselves; None for a formula
    smooth : whether it is a formula on a fine grid, drawn without markers
    since : x from which the statement holds; the line begins there

    >>> Line("Gauss", "baseline", [100, 1000], [0.1, 0.01]).y.tolist()
    [0.1, 0.01]
    >>> Line("proved", "bound", [100, 1000], [0.1, 0.01], since=500).shown.tolist()
    [False, True]
    """

    name: str
    role: str
    x: np.ndarray
    y: np.ndarray
    trials: np.ndarray | None = None
    smooth: bool = False
    since: float = -np.inf

    def __post_init__(self):
        for field in ("x", "y"):
            object.__setattr__(self, field, np.asarray(getattr(self, field), dtype=float))

    @property
    def shown(self) -> np.ndarray:
        """Where it is finite and the statement holds; bools (points,)."""
        return np.isfinite(self.y) & (self.x >= self.since)

    @property
    def end(self) -> tuple[float, float]:
        """The last finite point."""
        last = np.flatnonzero(np.isfinite(self.y))[-1]
        return float(self.x[last]), float(self.y[last])


def measured(name: str, role: str, x: Sequence[float], trials: np.ndarray) -> Line:
    """A line through the medians of trials, array (points, repeats).

    >>> measured("release", "released", [1, 10], [[3.0, 1.0, 2.0], [0.1, 0.3, 0.2]]).y.tolist()
    [2.0, 0.2]
    """
    trials = np.asarray(trials, dtype=float)
    return Line(name, role, np.asarray(x), np.median(trials, axis=1), trials)


def vacuous_above(
    ax: Axes,
    without_data: float,
    words: str = "½ without data does as well",
    *,
    side: str = "right",
    low: bool = False,
) -> None:
    """Hatch where an error says nothing: one rule for every error figure.

    Parameters
    ----------
    without_data : largest error of the best answer that uses no data: of 1/2 where answers lie in
        [0, 1], whatever the data, of a uniform table or of half the total for counts
    words : which answer that is; empty for no label
    side, low : as of `marks.vacuous_zone`
    """
    vacuous_zone(ax, without_data, words and f"vacuous: {words}", side=side, low=low)


def draw_lines(ax: Axes, lines: Sequence[Line], *, spread: str = "") -> None:
    """Draw lines on axes whose limits are fixed, and name them at their ends.

    Parameters
    ----------
    lines : of which at most two have ``trials`` whose spread is shown
    spread : role of the one line whose trials are shown: as a band from the 5 to the 95 %
        quantile, or each as a dot where there are fewer than forty
    """
    for each in lines:
        _draw(ax, each)
        if each.trials is not None and each.role == spread:
            _draw_trials(ax, each)
    label_ends(ax, [(*each.end, _label(ax, each), each.role) for each in lines])


def _draw(ax: Axes, each: Line) -> None:
    look = line(each.role, ax.get_figure(root=True).mode, marker=not each.smooth)
    ax.plot(each.x, np.where(each.shown, each.y, np.nan), **look)
    shown = each.shown & (not each.smooth)
    words = "" if mode_of(ax).line_scale > 1 else None  # projected: no room for values
    off_scale(ax, each.x[shown][:-1], each.y[shown][:-1], each.role, words)
    off_scale(ax, each.x[shown][-1:], each.y[shown][-1:], each.role, text="")


def _draw_trials(ax: Axes, each: Line) -> None:
    if each.trials.shape[1] < 40:
        dots(ax, each.x, each.trials, each.role)
    else:
        band(ax, each.x, *np.quantile(each.trials, [0.05, 0.95], axis=1), each.role)


def _label(ax: Axes, each: Line) -> str:
    """The name; with its values where the line ends beyond the axes, or holds beyond them."""
    if not each.shown.any():
        return f"{each.name}:\nfrom {number(each.since)} on"
    low, high = sorted(ax.get_ylim())
    inside = each.shown & (each.y >= low) & (each.y <= high)
    if inside.any() or mode_of(ax).line_scale > 1:
        return each.name if inside.any() else f"{each.name}\n{number(each.end[1])}"
    finite = each.y[each.shown]
    return f"{each.name},\n{number(finite.min())} to {number(finite.max())}"
