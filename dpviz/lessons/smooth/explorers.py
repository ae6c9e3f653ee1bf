"""The explorers of lesson 06: approximation by a kernel, and the bias-variance trade-off."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Slider, View
from dpviz.lessons.smooth.bias_variance import (
    BIAS_VARIANCE,
    EPSILONS,
    MECHANISMS,
    OPERATORS_SHOWN,
    RECORDS,
    START,
    WIDTHS,
    BiasVariance,
    error_said,
    operator_name,
    trade_off,
)
from dpviz.papers.smooth_queries.chebyshev import chebyshev, expand
from dpviz.papers.smooth_queries.jackson import OPERATORS, operator_weights

OPERATOR = {"name": "operator", "label": "operator", "show": operator_name}
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
        return error_said(error, float(np.abs(self.values).max()), digits)


@lru_cache(maxsize=64)
def spectrum(function: str, terms: int = 257) -> np.ndarray:
    """The function's own Chebyshev coefficients; array (terms,)."""
    return expand(FUNCTIONS[function], 1, terms, nodes=4096, lower=-1, upper=1).coefficients


@lru_cache
def _bases() -> tuple[np.ndarray, np.ndarray]:
    """The basis at the angles of the kernel and at the places of the function."""
    return np.cos(np.outer(np.arange(257), ANGLES)), chebyshev(X, 257)


def approximate(*, t: int, operator: str, function: str, seed: int = 1) -> Approximated:
    """Approximate a function by degrees 0, ..., t - 1; an operator that keeps the constant only
    gives its mean."""
    weights = operator_weights(operator, t, allow_data_independent=True)
    at_angles, at_places = _bases()
    kernel = 2 * weights @ at_angles[:t] - weights[0]
    coefficients = weights * spectrum(function)[:t]
    values = FUNCTIONS[function](X)
    approximation = coefficients @ at_places[:t]
    error = approximation - values
    what = f"{function}, {operator_name(operator)}, t = {t}"
    degree = int(np.flatnonzero(weights)[-1])
    worst = np.abs(error).max()
    usual = np.sqrt(np.mean(error**2))
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
    style.linear_axis(right, "y", -1.1, 1.5, [-1, -0.5, 0, 0.5, 1])
    style.axis_titles(left, "shift of the angle")
    style.axis_titles(right, "x")
    return fig


def paint_approximation(fig: Figure, result: Approximated) -> None:
    """The kernel; truth and approximation with the gap between them shaded."""
    (left, right), mode = fig.axes, fig.mode
    title = f"Largest error of the approximation: {result.said(result.worst)}"
    style.retitle(fig, title, result.what)
    top = np.clip(result.kernel, -10, 65)
    left.fill_between(ANGLES, 0, top, color=style.ROLES["public"].colour, alpha=0.2, lw=0)
    left.plot(ANGLES, top, **style.line("public", mode) | {"lw": 1.4})
    gap = {"color": style.ROLES["event"].colour, "alpha": 0.5, "lw": 0}
    right.fill_between(X, result.values, result.approximation, **gap)
    right.plot(X, result.values, **style.line("truth", mode, marker=False))
    right.plot(
        X, np.clip(result.approximation, -1.1, 1.5), **style.line("released", mode, marker=False)
    )
    style.note(right, -0.97, 1.38, "truth", "truth", halo="white")
    style.note(right, -0.97, 1.17, "approximation", "released", halo="white")


def say_approximation(result: Approximated) -> str:
    """One sentence of reading."""
    return (
        f"A kernel over angles, a function and its approximation: {result.what}; highest degree "
        f"{result.degree}. Largest error: {result.said(result.worst)}; root mean square "
        f"error: {result.said(result.usual)}. The coefficients' sizes add up to "
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
figure_approximation = APPROXIMATION.figure


def explore_approximation() -> Explorer:
    """Approximate a function by polynomials: choose the degree t and the operator."""
    controls = [
        Slider(name="t", label="t, terms", values=range(1, 33), start=9),
        Choice(**OPERATOR, values=OPERATORS, start="jackson 2"),
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


def explore_bias_variance() -> Explorer:
    """Error against the degree: approximation falls, noise grows, one degree is the best."""
    controls = [
        Slider(name="n", label="n, records", values=RECORDS, start=569),
        Slider(name="d", label="d, variables", values=range(1, 6), start=1),
        Slider(name="epsilon", label="ε", values=EPSILONS, start=1.0),
        Slider(name="width", label="width of the kernels", values=WIDTHS, start=0.5),
        Choice(**OPERATOR, values=OPERATORS_SHOWN, start="truncation"),
        Choice(name="mechanism", label="noise", values=list(MECHANISMS), start="Laplace"),
    ]
    presets = {
        "Clinic, one axis": {},
        "Clinic, three axes": {"d": 3},
        "Data-independent": {"d": 2, "operator": "jackson 2"},
        "Too many terms": {"epsilon": 0.1, "d": 5},
        "A million patients": {"n": 10**6},
    }
    for d in range(1, 6):  # what a slider will ask first is computed before it moves
        _explored(**{**START, "d": d, "seed": 1})
    return Explorer(_explored, BIAS_VARIANCE, controls, presets)


def _explored(**values) -> BiasVariance:
    return trade_off(**{**values, "population": "skewed"})
