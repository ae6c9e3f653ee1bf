"""Radius of the published ball, share of the cluster in it, failures: against n (lesson 07)."""

from __future__ import annotations

import math

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, Line, Vacuous, draw_line, log, measured
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.lessons.cluster.experiments import PLANTED
from dpviz.sweeps.sweep import Sweep

THEOREM_LINES = {"ratio_bound": "bound", "ratio": "released", "practical": "baseline"}
THEOREM_WORDS = {"ratio_bound": "proved", "ratio": "published", "practical": "practical solver"}
DIMENSIONS = PLANTED.grid["d"]
LABELS = {2: (0, {"dx": 6, "dy": 9}), 10: (0, {"dx": 8, "dy": 4}), 50: (2, {"dx": 8, "dy": 2})}
STYLES = {2: "released", 10: "baseline", 50: "baseline2"}


@still
def figure_ratio(runs: Sweep, everyone: np.ndarray, mode: str = "notebook") -> Figure:
    """Published radius over the planted one, against n, and about the mean of all.

    Parameters
    ----------
    runs : over d and n, as ``PLANTED.stored()``
    everyone : array (len(n),), ratio of a ball about the mean of all rows, d = 2
    """
    n = runs.axes["n"]
    lines = []
    for d in DIMENSIONS:
        ratios = np.where(runs.select(d=d)["ratio"] > 0, runs.select(d=d)["ratio"], np.nan)
        middle = np.nanmedian(ratios, axis=1)
        trials = ratios if d == 2 else None
        lines.append(Line(f"d = {d}", STYLES[d], n, middle, trials))
    lines.append(Line("mean of all, d = 2", "other", n, everyone))
    widest = max(line.y[-1] for line in lines[: len(DIMENSIONS)])
    largest = max(runs.select(d=d)["ratio"][-1].max() for d in DIMENSIONS)
    fig = ErrorAxes(log("n, records", 900, 12_000), log("radius ratio", 0.5, 100)).figure(
        f"n = {style.number(n[-1])}: ratios up to {style.number(largest, 3)}, "
        f"medians up to {style.number(widest, 3)}",
        "radius published / planted 0.02; t = n/4, ε = 1, δ = 10⁻⁶; 20 trials, dots: d = 2",
        lines,
        alt=say_ratio(runs),
        mode=mode,
    )
    fig.axes[0].axhline(1, **style.line("truth", mode, marker=False) | {"lw": 0.9})
    return fig


def say_ratio(runs: Sweep) -> str:
    """The medians at both ends, and the largest ratios."""
    ends = []
    for d in DIMENSIONS:
        middle = np.median(runs.select(d=d)["ratio"], axis=1)
        ends.append(f"{style.number(middle[2], 3)} and {style.number(middle[-1], 3)} at d = {d}")
    worst = [np.max([runs.select(d=d)["ratio"][i].max() for d in DIMENSIONS]) for i in (2, -1)]
    largest = " and ".join(style.number(ratio, 3) for ratio in worst)
    return (
        "Radius ratio against n. At n = 2,000 and 10,000 the medians are "
        + ", ".join(ends)
        + f", the largest ratios {largest}. The mean of all records: many times as large."
    )


@still
def figure_theorem(runs: Sweep, mode: str = "notebook") -> Figure:
    """The theorem's algorithm: radius published and proved, beside the practical solver's.

    Parameters
    ----------
    runs : as ``experiments.cluster.THEOREM.stored()``
    """
    n = runs.axes["n"]
    last = [np.median(runs.select(d=d)["ratio"][-1]) for d in runs.axes["d"]]
    fig, axes = style.figure(
        f"The theorem's ball is {' to '.join(map(style.number, last))} times too large",
        "radius over the planted 0.02; t = n/4, ε = 1, δ = 10⁻⁶; medians of 12 trials",
        alt=say_theorem(runs),
        mode=mode,
        columns=2,
        names=[f"d = {d}" for d in runs.axes["d"]],
    )
    for ax, d in zip(axes, runs.axes["d"], strict=True):
        chosen = runs.select(d=d)
        # a ball of this radius about the middle of the unit cube holds every row
        zone = Vacuous(math.sqrt(d) / 2 / 0.02, "the whole cube")
        spans = log("", 36_000, 115_000), log("", 0.1, 1000)
        ErrorAxes(*spans, zone).dress(ax, titles=False)
        for name, role in THEOREM_LINES.items():
            middle = measured("", role, n, chosen[name])
            draw_line(ax, middle)
            below = name != "ratio_bound"  # the line next to it is above
            style.note(ax, n[0], middle.y[0], THEOREM_WORDS[name], role, dy=-9 if below else 7)
    style.axis_titles(axes[1], "n, records (log scale)")
    return fig


def say_theorem(runs: Sweep) -> str:
    """The medians at the largest n."""
    words = []
    for d in runs.axes["d"]:
        last = {name: np.median(runs.select(d=d)[name][-1]) for name in THEOREM_LINES}
        proved, own, solver = (style.number(last[name], 2) for name in THEOREM_LINES)
        words.append(f"d = {d}: proved {proved}, published {own}, practical solver {solver}")
    return "Radius over the planted one at n = 100,000; " + "; ".join(words) + "."


@still
def figure_captured(runs: Sweep, mode: str = "notebook") -> Figure:
    """Left: share of the cluster in the ball. Right: share of searches that fail."""
    n = runs.axes["n"]
    succeed = runs["success"]
    fails = [style.number(100 * (1 - succeed[:, i].mean())) for i in (0, -1)]
    fig, (left, right) = style.figure(
        f"{fails[0]} % fail at {style.number(n[0])} records, {fails[1]} % at {style.number(n[-1])}",
        "failed: not found, or over 2 radii, or under half captured; 20 trials a point",
        alt=say_captured(runs),
        mode=mode,
        columns=2,
        sharey=False,
        names=["share of the cluster in the ball", "share of searches that fail"],
    )
    for ax in (left, right):
        style.log_axis(ax, "x", 900, 12_000)
        style.linear_axis(ax, "y", -0.05, 1.05, [0, 0.5, 1])
    for d in DIMENSIONS:
        chosen = runs.select(d=d)
        captured = np.median(chosen["captured"], axis=1)
        failed = 1 - chosen["success"].mean(axis=1)
        left.plot(n, captured, **style.line(STYLES[d], mode))
        right.plot(n, failed, **style.line(STYLES[d], mode))
        at, shift = LABELS[d]
        style.note(right, n[at], failed[at], f"d = {d}", STYLES[d], **shift)
    style.axis_titles(right, "n, records (log scale)")
    return fig


def say_captured(runs: Sweep) -> str:
    """What fails at which n."""
    failed = {d: 1 - runs.select(d=d)["success"].mean(axis=1) for d in DIMENSIONS}
    words = "; ".join(
        f"d = {d}: {100 * failed[d][0]:.0f} % at n = 1,000, {100 * failed[d][2]:.0f} % at 2,000, "
        f"{100 * failed[d][-1]:.0f} % at 10,000"
        for d in DIMENSIONS
    )
    return f"Two panels against n: share of the cluster captured, and share of failures: {words}."
