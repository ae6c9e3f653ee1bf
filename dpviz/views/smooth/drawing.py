"""Drawing with few waves: the kernel, the drawing and its error, and how fast it falls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.papers.smooth_queries.chebyshev import chebyshev, expand
from dpviz.papers.smooth_queries.operators import OPERATORS, weights
from dpviz.views import style
from dpviz.views.explorer import Choice, Explorer, Slider
from dpviz.views.live import View
from dpviz.views.smooth import residue
from dpviz.views.style import Figure

ANGLES = np.linspace(-np.pi, np.pi, 801)
X = np.cos(np.linspace(0, np.pi, 801))
SHAPES = {
    "bump": lambda x: np.exp(-2 * (x - 0.2) ** 2),
    "narrow bump": lambda x: np.exp(-8 * (x - 0.2) ** 2),
    "kink |x|": np.abs,
    "|x|³": lambda x: np.abs(x) ** 3,
    "smooth step": lambda x: 1 / (1 + np.exp(-10 * x)),
    "two waves": lambda x: (x + 2 * x**2 - 1) / 2,
}


@dataclass(frozen=True, eq=False)
class Drawn:
    """A function and its drawing.

    Attributes
    ----------
    what : shape, operator and t in words
    kernel : array (801,), the weight that each angle's shift gets (times the circle's length)
    values, drawing : arrays (801,) over X
    worst, usual : largest error, and root-mean-square error over even angles
    size : sum of |coefficients|, which multiplies the noise
    degree : highest wave that is used
    """

    what: str
    kernel: np.ndarray
    values: np.ndarray
    drawing: np.ndarray
    worst: float
    usual: float
    size: float
    degree: int

    def said(self, error: float, digits: int = 2) -> str:
        """An error in words, "rounding" where it is too small beside the function to be one."""
        return residue.error(error, float(np.abs(self.values).max()), digits)


@lru_cache(maxsize=64)
def spectrum(shape: str, waves: int = 257) -> np.ndarray:
    """The function's own waves; array (waves,)."""
    return expand(SHAPES[shape], 1, waves, nodes=4096).coefficients


@lru_cache
def _table() -> tuple[np.ndarray, np.ndarray]:
    """Waves at the angles of the kernel and at the places of the function."""
    return np.cos(np.outer(np.arange(257), ANGLES)), chebyshev(X, 257)


def draw(*, t: int, operator: str, shape: str, seed: int = 1) -> Drawn:
    """Draw a function by waves 0, ..., t - 1; a blind operator draws its mean."""
    kept = weights(operator, t, blind=True)
    at_angles, at_places = _table()
    kernel = 2 * kept @ at_angles[:t] - kept[0]
    shares = kept * spectrum(shape)[:t]
    values, drawing = SHAPES[shape](X), shares @ at_places[:t]
    error = drawing - values
    what = f"{shape}, {operator}, t = {t}"
    degree = int(np.flatnonzero(kept)[-1])
    worst, usual = np.abs(error).max(), np.sqrt(np.mean(error**2))
    return Drawn(what, kernel, values, drawing, worst, usual, np.abs(shares).sum(), degree)


def frame_drawn(mode: str) -> Figure:
    """Left the kernel over angles, right the function over its range."""
    fig, (left, right) = style.figure(
        "",
        alt="",
        mode=mode,
        columns=2,
        sharey=False,
        widths=[1, 1.25],
        names=["kernel", "drawing"],
    )
    style.linear_axis(left, "x", -np.pi, np.pi, [-3, -2, -1, 0, 1, 2, 3])
    style.linear_axis(left, "y", -10, 65, [0, 20, 40, 60])
    style.linear_axis(right, "x", -1, 1, [-1, -0.5, 0, 0.5, 1])
    style.linear_axis(right, "y", -0.25, 1.25, [0, 0.5, 1])
    style.axis_titles(left, "shift of the angle")
    style.axis_titles(right, "x")
    return fig


def paint_drawn(fig: Figure, result: Drawn) -> None:
    """The kernel; truth and drawing with the gap between them shaded."""
    (left, right), mode = fig.axes, fig.mode
    title = f"Largest error {result.said(result.worst)}, degree {result.degree}"
    style.retitle(fig, title, result.what)
    top = np.clip(result.kernel, -10, 65)
    left.fill_between(ANGLES, 0, top, color=style.ROLES["public"].colour, alpha=0.2, lw=0)
    left.plot(ANGLES, top, **style.line("public", mode) | {"lw": 1.4})
    right.fill_between(X, result.values, result.drawing, color="#ffc52e", alpha=0.5, lw=0)
    right.plot(X, result.values, **style.line("truth", mode, marker=False))
    right.plot(
        X, np.clip(result.drawing, -0.25, 1.25), **style.line("released", mode, marker=False)
    )
    style.note(right, -0.97, 1.18, "truth", "truth", halo="white")
    style.note(right, -0.97, 1.06, "drawing", "released", halo="white")


def say_drawn(result: Drawn) -> str:
    """One sentence of reading."""
    return (
        f"A kernel over angles and a function with its drawing: {result.what}; highest wave used "
        f"{result.degree}. Largest error {result.said(result.worst)}, root mean square "
        f"{result.said(result.usual)}; the coefficients' sizes add up to "
        f"{style.number(result.size, 3)}."
    )


def table_drawn(result: Drawn) -> list[list[str]]:
    """Errors, degree and what multiplies the noise."""
    return [
        ["", "number"],
        ["largest error", result.said(result.worst, 3)],
        ["root mean square error", result.said(result.usual, 3)],
        ["highest wave used", str(result.degree)],
        ["sum of |coefficients|", style.number(result.size, 4)],
        ["kernel's peak", style.number(result.kernel.max(), 3)],
    ]


DRAWN = View(frame_drawn, paint_drawn, say_drawn, table_drawn)


def figure_drawn(result: Drawn, mode: str = "notebook") -> Figure:
    """A function drawn by few waves (:func:`draw`)."""
    return DRAWN.figure(result, mode)


def explore_drawing() -> Explorer:
    """t, operator, function."""
    controls = [
        Slider(name="t", label="t, waves", values=range(1, 33), start=9),
        Choice(name="operator", label="operator", values=OPERATORS, start="jackson 2"),
        Choice(name="shape", label="function", values=list(SHAPES), start="bump"),
    ]
    presets = {
        "The bump": {},
        "Cut off": {"operator": "truncation"},
        "Kink": {"shape": "kink |x|", "operator": "jackson 1", "t": 16},
        "Blind": {"t": 3},
        "Two waves": {"shape": "two waves", "operator": "truncation", "t": 3},
    }
    return Explorer(draw, DRAWN, controls, presets, random=False)


def figure_slopes(
    degrees: Sequence[int], errors: Mapping[str, Mapping[str, np.ndarray]], mode: str = "notebook"
) -> Figure:
    """Largest error against the degree, for two functions and some operators.

    Parameters
    ----------
    degrees : the highest waves
    errors : panel -> operator -> array (len(degrees),)
    """
    fits = {
        panel: {name: slope(degrees, e) for name, e in some.items()}
        for panel, some in errors.items()
    }
    said = "; ".join(
        f"{panel}: " + ", ".join(f"{name} {_slope_said(v)}" for name, v in some.items())
        for panel, some in fits.items()
    )
    fig, axes = style.figure(
        "A kink holds all back; a bump only kernels",
        "largest error against the highest wave, log-log; beside each name its last slope",
        alt=f"Error against the highest wave, log-log. Last slopes: {said}."[:300],
        mode=mode,
        columns=len(errors),
        names=list(errors),
        gutter=False,
    )
    for ax, (panel, some) in zip(axes, errors.items(), strict=True):
        style.base2_axis(ax, "x", degrees, pad=0.5)
        style.log_axis(ax, "y", residue.RELATIVE, 2)
        _panel(ax, degrees, some, fits[panel], mode)
    style.axis_titles(axes[-1], "highest wave (log scale)")
    style.axis_titles(axes[0], "", "")
    return fig


LINES = {
    "truncation": "truth",
    "vallee poussin": "bound",
    "fejer": "other",
    "jackson 0": "baseline",
}


def _panel(ax, degrees: Sequence[int], some: Mapping, fits: Mapping, mode: str) -> None:
    """One function: a line for each operator, the names inside where the lines leave room."""
    for i, (name, error) in enumerate(some.items()):
        role = LINES.get(name, "paper")
        inside = np.where(error > 1.1 * residue.RELATIVE, error, np.nan)
        ax.plot(degrees, inside, **style.line(role, mode))
        words = f"{name}  {_slope_said(fits[name])}"
        style.note(ax, 0.04, 0.29 - 0.085 * i, words, role, at="axes")


def slope(degrees: Sequence[int], errors: np.ndarray) -> float:
    """Log-log slope between the last two degrees at which rounding is not yet reached.

    Not a number if fewer than two errors are more than rounding.

    >>> slope([1, 2, 4, 8], np.array([1.0, 0.5, 0.25, 4e-16]))
    -1.0
    """
    last = int((np.asarray(errors) > residue.RELATIVE).sum())
    if last < 2:
        return float("nan")
    x, y = np.log(degrees[last - 2 : last]), np.log(errors[last - 2 : last])
    return float((y[1] - y[0]) / (x[1] - x[0]))


def _slope_said(value: float) -> str:
    return "rounding" if np.isnan(value) else style.fixed(value, 1)


def errors_of(function: Callable, operators: Sequence[str], degrees: Sequence[int]) -> dict:
    """Largest errors for :func:`figure_slopes`: operator -> array.

    >>> errors_of(np.abs, ["truncation"], [8, 16])["truncation"].round(2)
    array([0.07, 0.04])
    """
    from dpviz.papers.smooth_queries.chebyshev import drawing_error

    return {
        name: np.array([drawing_error(function, name, t + 1) for t in degrees])
        for name in operators
    }
