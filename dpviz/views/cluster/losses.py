"""Rows that each method to choose a radius may lose, and an explorer of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.papers.small_cluster import radius_methods, rec_concave
from dpviz.views import style
from dpviz.views.errors import Line, draw_lines
from dpviz.views.explorer import Explorer, Slider
from dpviz.views.live import View
from dpviz.views.style import Figure

BITS = (4, 8, 16, 32, 64, 128, 256, 512, 1000)
NAMES = {
    "exponential": ("exponential", "released"),
    "binary search": ("binary search", "baseline"),
    "AboveThreshold": ("AboveThreshold", "baseline2"),
    "RecConcave": ("RecConcave", "bound"),
}


@dataclass(frozen=True, eq=False)
class Losses:
    """Rows lost at most, by method: {method: array (len(BITS),)}; and what was asked."""

    epsilon: float
    beta: float
    t: int
    lost: dict[str, np.ndarray]
    paper: np.ndarray


def rows_lost(*, epsilon: float, beta: float, t: int, seed: int = 0) -> Losses:
    """Formulas only: no data, no noise; d = 10, delta = 1e-6."""
    lost: dict[str, list[float]] = {method: [] for method in NAMES}
    paper = []
    for bits in BITS:
        radii = 2 * (2 * bits + 4) + 3  # of ``radius_grid`` in ten dimensions
        half = {"epsilon": epsilon / 2, "delta": 1e-6, "beta": beta / 2}
        line = rec_concave.Params(candidates=8 * 2**bits + 1, **half)
        promise = rec_concave.error_bound(line)
        paper.append(4 * rec_concave.paper_bound(line))
        for method in NAMES:
            found = radius_methods.loss(method, radii, epsilon=epsilon, beta=beta, promise=promise)
            lost[method].append(found)
    found = {method: np.array(values) for method, values in lost.items()}
    return Losses(epsilon, beta, t, found, np.array(paper))


def frame_losses(mode: str) -> Figure:
    """Axes: bits of the grid, rows."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.log_axis(ax, "x", 3.5, 1200)
    style.log_axis(ax, "y", 5, 2e6)
    style.axis_titles(ax, "bits of a coordinate (log scale)", "rows lost at most (log scale)")
    return fig


def paint_losses(fig: Figure, result: Losses) -> None:
    """Four methods, the paper's constants off the scale, and t."""
    ax = fig.axes[0]
    able = sum(lost[BITS.index(16)] < result.t for lost in result.lost.values())
    style.retitle(
        fig,
        f"With {style.number(result.t)} rows, {able} of 4 methods promise a radius",
        f"d = 10, ε = {style.number(result.epsilon)}, δ = 10⁻⁶, β = {style.number(result.beta)}",
    )
    lines = [Line(name, role, BITS, result.lost[method]) for method, (name, role) in NAMES.items()]
    draw_lines(ax, [*lines, Line("paper", "paper", BITS, result.paper)])
    ax.axhline(result.t, **style.line("truth", fig.mode, marker=False) | {"lw": 1})
    style.note(ax, 4, result.t, "t, rows wanted", "truth", dy=7)


def say_losses(result: Losses) -> str:
    """Rows lost on a grid of 16 bits."""
    at = BITS.index(16)
    words = ", ".join(f"{NAMES[m][0]} {style.number(v[at], 3)}" for m, v in result.lost.items())
    return (
        f"Rows that a method to choose the radius may lose, against the bits of a coordinate. At "
        f"16 bits and ε = {style.number(result.epsilon)}: {words}; the paper's constants: "
        f"{style.number(result.paper[at], 2)}. Wanted: {style.number(result.t)}."
    )


def table_losses(result: Losses) -> list[list[str]]:
    """One row a method, at 16 and 1,000 bits."""
    rows = [["rows lost of", style.number(result.t), "wanted"], ["method", "16 bits", "1,000 bits"]]
    for method, (name, _) in NAMES.items():
        values = result.lost[method]
        rows.append([name, style.number(values[2], 3), style.number(values[-1], 3)])
    return rows


LOSSES = View(frame_losses, paint_losses, say_losses, table_losses)


def figure_losses(result: Losses, mode: str = "notebook") -> Figure:
    """The same, still."""
    return LOSSES.figure(result, mode)


def explore_losses() -> Explorer:
    """Epsilon, beta and t: which method can promise anything?"""
    controls = [
        Slider(name="epsilon", label="ε", values=[0.1, 0.3, 0.5, 1, 2, 4, 10], start=1),
        Slider(name="beta", label="β, chance to fail", values=[0.01, 0.05, 0.1, 0.3], start=0.05),
        Slider(name="t", label="t", values=[30, 100, 300, 1000, 3000, 10_000], start=1000),
    ]
    presets = {"A hundred rows": {"t": 100}, "A rich budget": {"epsilon": 10}}
    return Explorer(rows_lost, LOSSES, controls, presets, random=False)
