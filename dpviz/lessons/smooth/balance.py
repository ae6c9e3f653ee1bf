"""The balance of lesson 06: more cosines draw sharper kernels, but all share one budget."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, log
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Handle, Slider, View, stops
from dpviz.papers.smooth_queries.release import Params
from dpviz.papers.smooth_queries.sobolev_ellipsoid import truncation_bound

MOST = 1000  # cosines
TERMS = np.array(sorted({round(terms) for terms in np.geomspace(2, MOST, 100)}))
NOISES = {"equal": "uniform", "growing with the degree": "smoothness"}
LOW, HIGH = 1e-5, 30.0


@dataclass(frozen=True, eq=False)
class Balance:
    """The two parts of the proved error for each number of cosines, and one of them.

    Attributes
    ----------
    n, terms, smoothness : int; noise : a key of ``NOISES``
    bias, spread : arrays like ``TERMS``: what is left out, and the noise
    """

    n: int
    terms: int
    smoothness: int
    noise: str
    bias: np.ndarray
    spread: np.ndarray

    @property
    def error(self) -> np.ndarray:
        """Their sum, like ``TERMS``."""
        return self.bias + self.spread

    @property
    def at(self) -> int:
        """Where the chosen number of cosines stands in ``TERMS``."""
        return int(np.searchsorted(TERMS, self.terms))

    @property
    def best(self) -> int:
        """The number of cosines with the smallest sum."""
        return int(TERMS[self.error.argmin()])


def weigh(*, n: int, terms: int, smoothness: int, noise: str, seed: int = 1) -> Balance:
    """The terms of Theorem 6.1 at epsilon = 1; nothing is random, ``seed`` is not used.

    >>> equal = weigh(n=100_000, terms=200, smoothness=2, noise="equal")
    >>> equal.best, round(float(equal.error.min()), 3)
    (43, 0.013)
    """
    bias, spread = _parts(int(smoothness), NOISES[noise])
    return Balance(int(n), int(terms), int(smoothness), noise, bias, spread / n)


@lru_cache
def _parts(smoothness: int, scaling: str) -> tuple[np.ndarray, np.ndarray]:
    """Bias and noise of one record for each of ``TERMS``."""
    how = {"d": 1, "epsilon": 1.0, "smoothness": smoothness, "lower": -1.0, "upper": 1.0}
    tried = [Params(terms=int(t), noise_scaling=scaling, **how) for t in TERMS]
    bias, spread = np.array([truncation_bound(params, 1) for params in tried]).T
    return bias, spread


frame_weighed = ErrorAxes(log("t, cosines", 1.8, 1.1 * MOST), log("error", LOW, HIGH)).frame


def paint_weighed(fig: Figure, result: Balance) -> None:
    """The two parts, their sum with its smallest place, and the chosen number of cosines."""
    ax, mode, at = fig.axes[0], fig.mode, result.at
    bias, spread, error = (
        np.clip(part, LOW, HIGH) for part in (result.bias, result.spread, result.error)
    )
    parts = f"bias {style.number(result.bias[at])} + noise {style.number(result.spread[at])}"
    style.retitle(
        fig,
        f"t = {style.number(result.terms)}: {parts} = {style.number(result.error[at])}",
        f"n = {style.number(result.n)}, ε = 1, K = {result.smoothness}; noise "
        f"{result.noise}; star: the smallest sum",
    )
    ax.axvline(
        result.terms, **style.line("event", mode, marker=False) | {"zorder": 1.4, "gid": "terms"}
    )
    ax.plot(TERMS, bias, **style.line("public", mode))
    ax.plot(TERMS, spread, **style.line("public", mode) | {"ls": "--"})
    ax.plot(TERMS, error, **style.line("bound", mode, marker=False))
    ax.plot([result.terms] * 2, [bias[at], spread[at]], **style.points("public", mode) | {"ms": 6})
    ax.plot([result.terms], [error[at]], **style.points("released", mode) | {"ms": 8})
    style.event_star(ax, result.best, float(error.min()))
    ends = [
        (MOST, error[-1], "their sum, proved", "bound"),
        (MOST, spread[-1], "noise", "public"),
        (MOST, bias[-1], "bias", "public"),
    ]
    style.label_ends(ax, ends)


def say_weighed(result: Balance) -> str:
    """One sentence of reading."""
    at = result.at
    bias, spread, error = (
        style.number(part[at]) for part in (result.bias, result.spread, result.error)
    )
    return (
        f"t = {style.number(result.terms)}: bias {bias} + noise {spread} = {error}; the smallest "
        f"sum, {style.number(float(result.error.min()))}, is that of {style.number(result.best)} "
        "cosines."
    )


def tabulate_weighed(result: Balance) -> list[list[str]]:
    """The parts at the chosen and at the best number of cosines."""
    parts = (result.bias, result.spread, result.error)
    rows = [
        [style.number(TERMS[i]), *(style.number(part[i], 3) for part in parts)]
        for i in (result.at, int(result.error.argmin()))
    ]
    return [["cosines", "bias", "noise", "sum"], *rows]


WEIGHED = View(frame_weighed, paint_weighed, say_weighed, tabulate_weighed)


def explore_cosines() -> Explorer:
    """Drag the number of cosines: few leave much out, many share one budget."""
    sizes = stops(1000, 10_000_000, log=True, whole=True, also=[100_000])
    controls = [
        Slider(name="terms", label="t, cosines", values=TERMS.tolist(), start=5),
        Slider(name="n", label="n, records", values=sizes, start=100_000),
        Slider(name="smoothness", label="K, derivatives", values=[1, 2, 3], start=2),
        Choice(name="noise", label="noise", values=list(NOISES), start="equal"),
    ]
    presets = {
        "Five cosines": {},
        "Too many": {"terms": 1000},
        "Noise that grows": {"terms": 1000, "noise": "growing with the degree"},
        "A kink": {"smoothness": 1},
    }
    handles = [Handle(mark="terms", x="terms", jump=True)]
    return Explorer(weigh, WEIGHED, controls, presets, random=False, handles=handles)
