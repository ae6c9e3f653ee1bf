"""Approximation by Chebyshev series: the Jackson kernel, the error, and how fast it falls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.papers.smooth_queries.chebyshev import chebyshev, expand
from dpviz.papers.smooth_queries.operators import OPERATORS, multipliers
from dpviz.views import style
from dpviz.views.explorer import Choice, Explorer, Slider
from dpviz.views.live import View
from dpviz.views.smooth import rounding
from dpviz.views.style import Figure

ANGLES = np.linspace(-np.pi, np.pi, 801)
X = np.cos(np.linspace(0, np.pi, 801))
FUNCTIONS = {
    "Gaussian kernel": lambda x: np.exp(-2 * (x - 0.2) ** 2),
    "narrow Gaussian kernel": lambda x: np.exp(-8 * (x - 0.2) ** 2),
    "kink |x|": np.abs,
    "|x|³": lambda x: np.abs(x) ** 3,
    "smooth step": lambda x: 1 / (1 + np.exp(-10 * x)),
    "degree 2": lambda x: (x + 2 * x**2 - 1) / 2,
}


@dataclass(frozen=True, eq=False)
class Approximated:
    """A function and its approximation.

    Attributes
    ----------
    what : function, operator and t in words
    kernel : array (801,), the weight that each angle's shift gets (times the circle's length)
    values, approximation : arrays (801,) over X
    worst, usual : largest error, and root-mean-square error over even angles
    size : sum of |coefficients|, which multiplies the noise
    degree : highest degree that is used
    """

    what: str
    kernel: np.ndarray
    values: np.ndarray
    approximation: np.ndarray
    worst: float
    usual: float
    size: float
    degree: int

    def said(self, error: float, digits: int = 2) -> str:
        """An error in words, "rounding" where it is too small beside the function to be one."""
        return rounding.error(error, float(np.abs(self.values).max()), digits)


@lru_cache(maxsize=64)
def spectrum(function: str, terms: int = 257) -> np.ndarray:
    """The function's own Chebyshev coefficients; array (terms,)."""
    return expand(FUNCTIONS[function], 1, terms, nodes=4096).coefficients


@lru_cache
def _bases() -> tuple[np.ndarray, np.ndarray]:
    """The basis at the angles of the kernel and at the places of the function."""
    return np.cos(np.outer(np.arange(257), ANGLES)), chebyshev(X, 257)


def approximate(*, t: int, operator: str, function: str, seed: int = 1) -> Approximated:
    """Approximate a function by degrees 0, ..., t - 1; an operator that keeps the constant only
    gives its mean."""
    kept = multipliers(operator, t, allow_data_independent=True)
    at_angles, at_places = _bases()
    kernel = 2 * kept @ at_angles[:t] - kept[0]
    coefficients = kept * spectrum(function)[:t]
    values, approximation = FUNCTIONS[function](X), coefficients @ at_places[:t]
    error = approximation - values
    what = f"{function}, {operator}, t = {t}"
    degree = int(np.flatnonzero(kept)[-1])
    worst, usual = np.abs(error).max(), np.sqrt(np.mean(error**2))
    size = np.abs(coefficients).sum()
    return Approximated(what, kernel, values, approximation, worst, usual, size, degree)


def frame_approximation(mode: str) -> Figure:
    """Left the kernel over angles, right the function over its range."""
    fig, (left, right) = style.figure(
        "",
        alt="",
        mode=mode,
        columns=2,
        sharey=False,
        widths=[1, 1.25],
        names=["kernel", "approximation"],
    )
    style.linear_axis(left, "x", -np.pi, np.pi, [-3, -2, -1, 0, 1, 2, 3])
    style.linear_axis(left, "y", -10, 65, [0, 20, 40, 60])
    style.linear_axis(right, "x", -1, 1, [-1, -0.5, 0, 0.5, 1])
    style.linear_axis(right, "y", -0.25, 1.25, [0, 0.5, 1])
    style.axis_titles(left, "shift of the angle")
    style.axis_titles(right, "x")
    return fig


def paint_approximation(fig: Figure, result: Approximated) -> None:
    """The kernel; truth and approximation with the gap between them shaded."""
    (left, right), mode = fig.axes, fig.mode
    title = f"Largest error {result.said(result.worst)}, degree {result.degree}"
    style.retitle(fig, title, result.what)
    top = np.clip(result.kernel, -10, 65)
    left.fill_between(ANGLES, 0, top, color=style.ROLES["public"].colour, alpha=0.2, lw=0)
    left.plot(ANGLES, top, **style.line("public", mode) | {"lw": 1.4})
    right.fill_between(X, result.values, result.approximation, color="#ffc52e", alpha=0.5, lw=0)
    right.plot(X, result.values, **style.line("truth", mode, marker=False))
    right.plot(
        X, np.clip(result.approximation, -0.25, 1.25), **style.line("released", mode, marker=False)
    )
    style.note(right, -0.97, 1.18, "truth", "truth", halo="white")
    style.note(right, -0.97, 1.06, "approximation", "released", halo="white")


def say_approximation(result: Approximated) -> str:
    """One sentence of reading."""
    return (
        f"A kernel over angles, a function and its approximation: {result.what}; highest degree "
        f"{result.degree}. Largest error {result.said(result.worst)}, root mean square "
        f"{result.said(result.usual)}; the coefficients' sizes add up to "
        f"{style.number(result.size, 3)}."
    )


def tabulate_approximation(result: Approximated) -> list[list[str]]:
    """Errors, degree and what multiplies the noise."""
    return [
        ["", "number"],
        ["largest error", result.said(result.worst, 3)],
        ["root mean square error", result.said(result.usual, 3)],
        ["highest degree used", str(result.degree)],
        ["sum of |coefficients|", style.number(result.size, 4)],
        ["kernel's peak", style.number(result.kernel.max(), 3)],
    ]


APPROXIMATION = View(
    frame_approximation, paint_approximation, say_approximation, tabulate_approximation
)


def figure_approximation(result: Approximated, mode: str = "notebook") -> Figure:
    """A function and its approximation (:func:`approximate`)."""
    return APPROXIMATION.figure(result, mode)


def explore_approximation() -> Explorer:
    """t, operator, function."""
    controls = [
        Slider(name="t", label="t, terms", values=range(1, 33), start=9),
        Choice(name="operator", label="operator", values=OPERATORS, start="jackson 2"),
        Choice(name="function", label="function", values=list(FUNCTIONS), start="Gaussian kernel"),
    ]
    presets = {
        "Gaussian kernel": {},
        "Truncation": {"operator": "truncation"},
        "Kink": {"function": "kink |x|", "operator": "jackson 1", "t": 16},
        "Data-independent": {"t": 3},
        "Degree 2": {"function": "degree 2", "operator": "truncation", "t": 3},
    }
    return Explorer(approximate, APPROXIMATION, controls, presets, random=False)


def figure_slopes(
    degrees: Sequence[int], errors: Mapping[str, Mapping[str, np.ndarray]], mode: str = "notebook"
) -> Figure:
    """Largest error against the degree, for two functions and some operators.

    Parameters
    ----------
    degrees : the highest degrees
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
        "A kink slows all; a smooth kernel only Jackson",
        "largest error against the degree, log-log; beside each name its last slope",
        alt=f"Error against the degree, log-log. Last slopes: {said}."[:300],
        mode=mode,
        columns=len(errors),
        names=list(errors),
        gutter=False,
    )
    for ax, (panel, some) in zip(axes, errors.items(), strict=True):
        style.base2_axis(ax, "x", degrees, pad=0.5)
        style.log_axis(ax, "y", rounding.RELATIVE, 2)
        _panel(ax, degrees, some, fits[panel], mode)
    style.axis_titles(axes[-1], "degree (log scale)")
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
        inside = np.where(error > 1.1 * rounding.RELATIVE, error, np.nan)
        ax.plot(degrees, inside, **style.line(role, mode))
        words = f"{name}  {_slope_said(fits[name])}"
        style.note(ax, 0.04, 0.29 - 0.085 * i, words, role, at="axes")


def slope(degrees: Sequence[int], errors: np.ndarray) -> float:
    """Log-log slope between the last two degrees at which rounding is not yet reached.

    Not a number if fewer than two errors are more than rounding.

    >>> slope([1, 2, 4, 8], np.array([1.0, 0.5, 0.25, 4e-16]))
    -1.0
    """
    last = int((np.asarray(errors) > rounding.RELATIVE).sum())
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
    from dpviz.papers.smooth_queries.chebyshev import approximation_error

    return {
        name: np.array([approximation_error(function, name, t + 1) for t in degrees])
        for name in operators
    }
