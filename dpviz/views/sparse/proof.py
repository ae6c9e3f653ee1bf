"""Two relative entropy potentials, and updates against their mistake bounds (lesson 05)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from dpviz.papers.sparse_queries import sparse_multiplicative_weights
from dpviz.views import style
from dpviz.views.style import Figure


def figure_potential(
    states: Sequence[tuple[float, float, float]], alpha: float, mode: str = "notebook"
) -> Figure:
    """How much each update takes from the potential as stated and from the corrected one.

    Parameters
    ----------
    states : as ``potential.trace`` gives them: (side, stated, corrected)
    alpha : tolerated error; the step is the paper's, alpha / 2
    """
    table = np.array(states)
    falls, lowered = -np.diff(table[:, 1:], axis=0), table[1:, 0] < 0
    wrong = int((falls[:, 0] < alpha**2 / 4).sum())
    fig, axes = style.figure(
        f"{wrong} of {len(falls)} updates break the lemma as stated",
        f"fall of the potential at each update, in thousandths; α = {style.number(alpha)}",
        alt="Two panels over the updates. Potential as stated: falls from "
        f"{_range(falls[:, 0])} thousandths, {wrong} below the claimed {_milli(alpha**2 / 4)}. "
        f"Corrected: {_range(falls[:, 1])}, none below the proved {_milli(15 / 32 * alpha**2)}.",
        mode=mode,
        columns=2,
        names=["as stated", "corrected: one aggregate element"],
    )
    limits = (("paper", alpha**2 / 4, "claimed"), ("bound", 15 / 32 * alpha**2, "proved"))
    for ax, fall, (role, limit, word) in zip(axes, falls.T, limits, strict=True):
        _draw_falls(ax, fall, lowered)
        ax.axhline(1000 * limit, **style.line(role, mode, marker=False))
        style.note(ax, len(falls), 1000 * limit, word, role, dy=-8, ha="right")
        style.linear_axis(ax, "x", 0, len(falls) + 5)
        style.linear_axis(ax, "y", -4, 26, [0, 5, 10, 15, 20, 25])
    corner = {"at": "axes", "ha": "right", "va": "top"}
    style.note(axes[0], 0.97, 0.97, "raises a guess: blue", "released", **corner)
    style.note(axes[0], 0.97, 0.88, "lowers a guess: yellow", "event", **corner)
    style.axis_titles(axes[1], "update")
    return fig


def _draw_falls(ax: Axes, fall: np.ndarray, lowered: np.ndarray) -> None:
    """One dot an update; those that lower a guess in yellow with an ink edge."""
    mode, at = ax.get_figure(root=True).mode, np.arange(1, len(fall) + 1)
    small = {"ms": 3.4, "mew": 0.3, "clip_on": True}
    ax.axhline(0, color=style.INK, lw=0.8, zorder=1.4)
    ax.plot(at[~lowered], 1000 * fall[~lowered], **style.points("released", mode) | small)
    look = style.points("event", mode) | {"marker": "o", "ms": 3.8, "mew": 0.5}
    ax.plot(at[lowered], 1000 * fall[lowered], **look)


def figure_updates(
    counts: Mapping[str, Mapping[float, Sequence[int]]], m: int, mode: str = "notebook"
) -> Figure:
    """Updates against alpha for each update rule: three orders, the proved limit, the stated one.

    Parameters
    ----------
    counts : update rule -> alpha -> updates in each order
    m : width of the queries
    """
    worst = {rule: max(by_alpha[min(by_alpha)]) for rule, by_alpha in counts.items()}
    said = "; ".join(f"{rule}: {most}" for rule, most in worst.items())
    small = min(next(iter(counts.values())))
    fig, axes = style.figure(
        "A longer step needs fewer updates",
        f"queries of {m} names, no noise; one dot for each order: greedy, random, least gap",
        alt=f"Updates against α, log-log, one panel a step. Most at α = {style.number(small)}: "
        f"{said}. Every dot lies below the proved limit, that below the stated one.",
        mode=mode,
        columns=len(counts),
        names=[f"step: {rule}" for rule in counts],
    )
    for ax, (update_rule, by_alpha) in zip(axes, counts.items(), strict=True):
        _draw_updates(ax, update_rule, by_alpha, m)
    style.note(axes[0], 0.06, 0.10, "proved", "bound", at="axes")
    style.note(axes[0], 0.06, 0.03, "as stated", "paper", at="axes")
    style.axis_titles(axes[-1], "α (log scale)")
    return fig


def _draw_updates(
    ax: Axes, update_rule: str, by_alpha: Mapping[float, Sequence[int]], m: int
) -> None:
    """Dots and the two limits."""
    mode, alphas = ax.get_figure(root=True).mode, np.array(sorted(by_alpha))
    sizes = [sparse_multiplicative_weights.paper_size(m, alpha) for alpha in alphas]
    pairs = list(zip(sizes, alphas, strict=True))
    stated = [
        sparse_multiplicative_weights.paper_mistake_bound(size, alpha) for size, alpha in pairs
    ]
    ax.plot(alphas, stated, **style.line("paper", mode))
    proved = [
        sparse_multiplicative_weights.mistake_bound(size, alpha, update_rule)
        for size, alpha in pairs
    ]
    ax.plot(alphas, proved, **style.line("bound", mode))
    for alpha in alphas:
        here = by_alpha[alpha]
        ax.plot([alpha] * len(here), here, **style.points("released", mode))
    style.log_axis(ax, "x", 0.04, 0.5)
    style.log_axis(ax, "y", 1, 100_000)


def _milli(value: float) -> str:
    return style.number(1000 * float(value))


def _range(values: np.ndarray) -> str:
    return f"{_milli(values.min())} to {_milli(values.max())}"
