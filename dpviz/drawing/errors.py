"""The error figure, the signature of dpviz: measured errors between bounds and baselines.

:class:`ErrorAxes` says what stands still, a :class:`Line` is one curve with its role, and
``ErrorAxes(...).figure(title, subtitle, lines, alt=...)`` draws them: each line is named in the
gutter, and what lies off the axes is written at their edge, because a bound is never left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing.labels import label_ends
from dpviz.drawing.marks import band, dots, off_scale, slope_triangle, vacuous_zone
from dpviz.drawing.numerals import number
from dpviz.drawing.picture import Figure
from dpviz.drawing.roles import line, mode_of, points
from dpviz.drawing.scales import axis_titles, base2_axis, linear_axis, log_axis
from dpviz.drawing.style import figure, retitle
from dpviz.sweeps.slope import Slope
from dpviz.words import say

FEWEST = 40  # trials of which a band is drawn; fewer are dots

# An answer in [0, 1] is never further than this from 1/2, which needs no data.
HALF = 0.5


@dataclass(frozen=True, eq=False)
class Line:
    """One curve of an error figure.

    Attributes
    ----------
    name : its words in the gutter; several lines may be parted by a newline; empty for none
    role : whose statement it is, a name in ``roles.ROLES``
    x, y : arrays (points,); of measured errors y is the median
    trials : array (points, repeats), the measured errors themselves; None for a formula
    smooth : whether it is a formula on a fine grid, drawn without markers
    since : x from which the statement holds; the line begins there
    joined : False draws its markers alone

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
    joined: bool = True

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


@dataclass(frozen=True)
class Axis:
    """One axis of an error figure: its title, and what fixes its limits and ticks."""

    title: str
    fix: Callable[[Axes, str], None]


def log(title: str, low: float, high: float) -> Axis:
    """A logarithmic axis from ``low`` to ``high``, which its title says.

    >>> log("n, records", 10, 1000).title
    'n, records (log scale)'
    """
    return Axis(say("picture.log", title=title), lambda ax, which: log_axis(ax, which, low, high))


def linear(title: str, low: float, high: float, ticks: Sequence[float] | None = None) -> Axis:
    """A linear axis, as `scales.linear_axis` fixes it."""
    return Axis(title, lambda ax, which: linear_axis(ax, which, low, high, ticks))


def doubling(title: str, values: Sequence[float], pad: float = 0.3) -> Axis:
    """A logarithmic axis with a tick at each value, as `scales.base2_axis` fixes it."""
    said = say("picture.log", title=title)
    return Axis(said, lambda ax, which: base2_axis(ax, which, values, pad))


def without_data(trials: np.ndarray | float = HALF) -> float:
    """Largest error of the best answer that uses no data, where answers lie in [0, 1].

    Parameters
    ----------
    trials : largest errors of a constant answer on the data of the figure; their median counts
        where it is below 1/2, which the constant 1/2 never exceeds, whatever the data

    >>> without_data([0.1, 0.2, 0.3]), without_data(0.66)
    (0.2, 0.5)
    """
    return min(HALF, float(np.median(trials)))


@dataclass(frozen=True)
class Vacuous:
    """Where an error says nothing: one rule for every error figure.

    Attributes
    ----------
    without_data : largest error of the best answer that uses no data: :func:`without_data` where
        answers lie in [0, 1]; of a uniform table or of half the total for counts
    words : which answer that is; empty for no label
    side, low : as of `marks.vacuous_zone`
    """

    without_data: float = HALF
    words: str = "picture.half"
    side: str = "right"
    low: bool = False

    def draw(self, ax: Axes) -> None:
        """Hatch everything from there up."""
        words = self.words and say("picture.vacuous", words=say(self.words))
        vacuous_zone(ax, self.without_data, words, side=self.side, low=self.low)


@dataclass(frozen=True)
class Exponent:
    """A fitted exponent beside the predicted one, shown as a triangle in the lower left corner.

    Attributes
    ----------
    fitted : Slope, with its interval
    predicted : by theory
    width : factor in x that the triangle spans
    """

    fitted: Slope
    predicted: float
    width: float = 10.0


@dataclass(frozen=True)
class ErrorAxes:
    """What an error figure shows before its lines: two fixed axes and the zone of vacuous errors.

    >>> axes = ErrorAxes(log("n, records", 10, 1e4), log("error", 0.001, 7), Vacuous())
    >>> lines = [Line("proved", "bound", [10, 1e4], [1, 0.01])]
    >>> axes.figure("Errors fall", "invented", lines, alt="A falling line.").alt
    'A falling line.'
    """

    x: Axis
    y: Axis
    vacuous: Vacuous | None = None

    def dress(self, ax: Axes, *, titles: bool = True) -> None:
        """Fix a panel's axes, and hatch; ``titles`` are left out where panels share one."""
        self.x.fix(ax, "x")
        self.y.fix(ax, "y")
        if self.vacuous:
            self.vacuous.draw(ax)
        if titles:
            axis_titles(ax, self.x.title, self.y.title)

    def frame(self, mode: str = "notebook") -> Figure:
        """A picture of one panel without lines, for a `live.View` to paint on."""
        fig, ax = figure("", alt="", mode=mode)
        self.dress(ax)
        return fig

    def figure(
        self,
        title: str,
        subtitle: str,
        lines: Sequence[Line],
        *,
        alt: str,
        mode: str = "notebook",
        exponent: Exponent | None = None,
    ) -> Figure:
        """The error figure: lines that are named at their ends, the trials of "released" shown."""
        fig = self.frame(mode)
        retitle(fig, title, subtitle)
        fig.alt = alt
        draw_lines(fig.axes[0], lines, spread="released")
        if exponent:
            fitted = exponent.fitted
            limits = (fitted.low, fitted.high)
            width = exponent.width
            slope_triangle(fig.axes[0], fitted.value, limits, exponent.predicted, width=width)
        return fig


def trials_said(repeats: int, what: str) -> str:
    """How the trials at a point are shown, for the subtitle.

    >>> trials_said(20, "runs"), trials_said(100, "draws")
    ('median and each of 20 runs', 'median and 5–95 % of 100 draws')
    """
    kind = "picture.each" if repeats < FEWEST else "picture.quantiles"
    return say(kind, repeats=repeats, what=what)


def draw_lines(ax: Axes, lines: Sequence[Line], *, spread: str = "") -> None:
    """Draw lines on axes whose limits are fixed, and name them at their ends.

    Parameters
    ----------
    lines : of which at most two have ``trials`` whose spread is shown
    spread : role of the one line whose trials are shown: as a band from the 5 to the 95 %
        quantile, or each as a dot where there are fewer than :data:`FEWEST`
    """
    for each in lines:
        draw_line(ax, each)
        if each.trials is not None and each.role == spread:
            _draw_trials(ax, each)
    label_ends(
        ax, [(*_seen_end(ax, each), _label(ax, each), each.role) for each in lines if each.name]
    )


def _seen_end(ax: Axes, each: Line) -> tuple[float, float]:
    """Where a smooth line is seen last; of others the last point, which has a mark on the edge."""
    low, high = sorted(ax.get_ylim())
    seen = np.flatnonzero(each.shown & (each.y >= low) & (each.y <= high))
    if not each.smooth or not len(seen):
        return each.end
    return float(each.x[seen[-1]]), float(each.y[seen[-1]])


def draw_line(ax: Axes, each: Line) -> None:
    """One line without its name, and triangles on the edge where it leaves the axes."""
    mode = ax.get_figure(root=True).mode
    look = line(each.role, mode, marker=not each.smooth) if each.joined else points(each.role, mode)
    ax.plot(each.x, np.where(each.shown, each.y, np.nan), **look)
    shown = each.shown & (not each.smooth)
    low, high = sorted(ax.get_ylim())
    inside = shown & (each.y >= low) & (each.y <= high)
    # Projected there is no room for values; of what is nowhere inside, the gutter says them.
    words = "" if mode_of(ax).tight or not inside.any() else None
    off_scale(ax, each.x[shown][:-1], each.y[shown][:-1], each.role, words)
    off_scale(ax, each.x[shown][-1:], each.y[shown][-1:], each.role, text="")


def _draw_trials(ax: Axes, each: Line) -> None:
    if each.trials.shape[1] < FEWEST:
        dots(ax, each.x, each.trials, each.role)
    else:
        low, high = np.quantile(each.trials, [0.05, 0.95], axis=1)
        band(ax, each.x, low, high, each.role)


def _label(ax: Axes, each: Line) -> str:
    """The name; with its values where the line ends beyond the axes, or holds beyond them."""
    if not each.shown.any():
        return say("picture.since", name=each.name, since=number(each.since))
    low, high = sorted(ax.get_ylim())
    inside = each.shown & (each.y >= low) & (each.y <= high)
    if inside.any() or mode_of(ax).tight:
        return each.name if inside.any() else f"{each.name}\n{number(each.end[1])}"
    finite = each.y[each.shown]
    ends = {"low": number(finite.min()), "high": number(finite.max())}
    return say("picture.range", name=each.name, **ends)
