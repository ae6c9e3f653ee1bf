"""Adding up budgets four ways, and from which n privacy is free (lesson 01)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz import accounting
from dpviz.views import style
from dpviz.views.explorer import Explorer, Slider
from dpviz.views.live import View
from dpviz.views.style import Figure

DELTA = 1e-6
COUNTS = sorted({round(10 ** (i / 12)) for i in range(32)} | {20, 35, 100, 400})
STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
RULES = {
    "basic": "baseline",
    "advanced": "baseline2",
    "zCDP": "other",
    "exact": "bound",
}


@dataclass(frozen=True, eq=False)
class Totals:
    """Total epsilon at delta = 1e-6 of k pure steps, by four rules.

    Attributes
    ----------
    step : epsilon of one step
    k : the number of steps asked about
    curves : dict from rule to array over :data:`COUNTS`
    here : dict from rule to the total at k
    """

    step: float
    k: int
    curves: dict[str, np.ndarray]
    here: dict[str, float]

    @property
    def first(self) -> int:
        """The first k at which advanced composition beats basic, or 0 if none up to 1,000."""
        for k in range(1, 1001):
            if accounting.pure_advanced(epsilon=self.step, k=k, delta=DELTA) < k * self.step:
                return k
        return 0


@lru_cache(maxsize=10_000)
def total(rule: str, step: float, k: int) -> float:
    """Total epsilon of k steps by one rule."""
    if rule == "basic":
        return k * step
    if rule == "advanced":
        return accounting.pure_advanced(epsilon=step, k=k, delta=DELTA)
    if rule == "zCDP":
        return accounting.zcdp_epsilon(rho=k * step**2 / 2, delta=DELTA)
    return accounting.pure_exact(epsilon=step, k=k, delta=DELTA)


def totals(*, k: int, step: float, seed: int = 1) -> Totals:
    """All four rules; nothing is random, ``seed`` is not used."""
    curves = {rule: np.array([total(rule, step, n) for n in COUNTS]) for rule in RULES}
    return Totals(step, k, curves, {rule: total(rule, step, k) for rule in RULES})


def frame_totals(mode: str) -> Figure:
    """Log-log axes."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.log_axis(ax, "x", 1, 450)
    style.log_axis(ax, "y", 0.01, 500)
    style.axis_titles(ax, "k, answers (log scale)", "total ε at δ = 10⁻⁶ (log scale)")
    return fig


def paint_totals(fig: Figure, result: Totals) -> None:
    """Four curves, and a plus where k is."""
    ax = fig.axes[0]
    here = result.here
    style.retitle(
        fig,
        f"{result.k} answers cost ε = {style.number(here['exact'], 3)}",
        f"each of ε = {style.number(result.step)}; by adding up: {style.number(here['basic'], 3)}",
    )
    for rule, role in RULES.items():
        ax.plot(COUNTS, result.curves[rule], **style.line(role, fig.mode, marker=False))
    style.event(ax, result.k, here["exact"], "here")
    ends = [(450, result.curves[rule][-1], rule, role) for rule, role in RULES.items()]
    style.label_ends(ax, ends)


def say_totals(result: Totals) -> str:
    """One sentence of reading."""
    said = ", ".join(f"{rule} {style.number(value, 3)}" for rule, value in result.here.items())
    least = min(("basic", "advanced", "zCDP"), key=lambda rule: result.here[rule])
    return (
        "Total ε at δ = 10⁻⁶ against the number of steps, each of "
        f"{style.number(result.step)}; for {result.k}: {said}. Of the simple rules {least} is the "
        "best here."
    )


def table_totals(result: Totals) -> list[list[str]]:
    """The four totals at k."""
    rows = [[rule, style.number(value, 3)] for rule, value in result.here.items()]
    return [["rule", "total ε"], *rows]


TOTALS = View(frame_totals, paint_totals, say_totals, table_totals)


def figure_totals(result: Totals, mode: str = "notebook") -> Figure:
    """The still picture of the four rules."""
    return TOTALS.figure(result, mode)


def explore_totals() -> Explorer:
    """The number of answers and the cost of each."""
    ks = [1, 2, 5, 10, 15, 20, 25, 30, 34, 35, 40, 50, 70, 100, 150, 200, 300, 400]
    controls = [
        Slider(name="k", label="k, answers", values=ks, start=20),
        Slider(
            name="step", label="ε of each", values=[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1], start=0.1
        ),
    ]
    presets = {"Twenty questions": {}, "A hundred": {"k": 100}, "Large steps": {"step": 1, "k": 20}}
    return Explorer(totals, TOTALS, controls, presets, random=False)


def free_from(*, epsilon: float, delta: float = 0.0) -> int:
    """The n from which privacy noise on a share is below its sampling error.

    Noise of standard deviation s/n, with s = sqrt(2)/epsilon (Laplace) or the analytic Gaussian
    one, is at most the largest sampling error 1/(2 sqrt(n)) from n = 4 s^2 on.

    >>> free_from(epsilon=1), free_from(epsilon=0.1), free_from(epsilon=1, delta=1e-6)
    (8, 800, 72)
    """
    if delta:
        return math.ceil(4 * accounting.gaussian_sd(epsilon=epsilon, delta=delta) ** 2)
    return math.ceil(8 / epsilon**2 - 1e-9)


def figure_free(mode: str = "notebook") -> Figure:
    """Sampling error and privacy noise of a share, against n."""
    n = np.logspace(0, 6, 61)
    promises = [(1.0, 0.0), (0.1, 0.0), (0.01, 0.0), (1.0, DELTA)]
    places = [free_from(epsilon=e, delta=d) for e, d in promises]
    fig, ax = style.figure(
        f"At ε = 1 privacy is free from n = {places[0]}",
        "a share of n records: standard deviations; yellow: noise meets sampling error",
        alt="Log-log chart against n, 1 to 10⁶: sampling error falls like 1/√n, privacy noise like "
        f"1/n; they meet at {places[0]}, {places[1]} and {places[2]} for ε = 1, 0.1, 0.01 "
        f"(Laplace) and at {places[3]} for Gauss at ε = 1, δ = 10⁻⁶.",
        mode=mode,
    )
    style.log_axis(ax, "x", 1, 1e6)
    style.log_axis(ax, "y", 1e-6, 10)
    ax.plot(n, 0.5 / np.sqrt(n), **style.line("public", mode) | {"lw": 2})
    names = [(1e6, 0.5e-3, "sampling error", "public")]
    for (epsilon, delta), place in zip(promises, places, strict=True):
        role, sd = "released", math.sqrt(2) / epsilon
        if delta:
            role, sd = "baseline2", accounting.gaussian_sd(epsilon=epsilon, delta=delta)
        ax.plot(n, sd / n, **style.line(role, mode, marker=False))
        style.event(ax, place, 0.5 / math.sqrt(place), "worst")
        kind = "Gauss, ε = 1" if delta else f"Laplace, ε = {style.number(epsilon)}"
        names.append((1e6, sd / 1e6, kind, role))
    style.label_ends(ax, names)
    style.axis_titles(ax, "n, records (log scale)", "standard deviation of a share (log scale)")
    return fig
