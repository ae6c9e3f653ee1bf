"""The error figure of lesson 07: how small, how full and how often, against n."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.small_cluster import bounds, one_cluster
from dpviz.papers.small_cluster.planted import Planted
from dpviz.sweeps.sweep import Sweep, load, sweep
from dpviz.views import style
from dpviz.views.errors import Line, draw_lines
from dpviz.views.style import Figure

FILE = Path(__file__).with_name("planted.jsonl")
SIZES, DIMENSIONS, REPEATS, SEED = (1000, 1500, 2000, 3000, 5000, 10_000), (2, 10, 50), 20, 2016
LABELS = {2: (0, {"dx": 6, "dy": 9}), 10: (0, {"dx": 8, "dy": 4}), 50: (2, {"dx": 8, "dy": 2})}
STYLES = {2: "released", 10: "baseline", 50: "baseline2"}


def planted_trial(
    params: one_cluster.Params,
    data: Planted | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
    n: int = 10_000,
) -> dict[str, float]:
    """One trial with t a quarter of n; only what the figures need."""
    run = one_cluster.trial(replace(params, t=n // 4), data, queries, rng=rng, n=n)
    kept = ("ratio", "captured", "success", "error", "bound")
    return {name: run[name] if run[name] == run[name] else -1.0 for name in kept}


def make_planted(file: Path | None = None) -> Sweep:
    """Run the stored sweep again (about a minute): what ``planted.jsonl`` was made by."""
    params = one_cluster.Params(t=1, d=2, epsilon=1.0, delta=1e-6)
    grid = {"d": DIMENSIONS, "n": SIZES}
    return sweep(planted_trial, params, grid, repeats=REPEATS, rng=SEED, file=file)


def planted() -> Sweep:
    """The stored sweep: a ball of radius 0.02 with a quarter of the rows, (1, 1e-6)."""
    return load(FILE)


def figure_ratio(runs: Sweep, everyone: np.ndarray, mode: str = "notebook") -> Figure:
    """Published radius over the planted one, against n; the mean of all; the paper's promise.

    Parameters
    ----------
    runs : as :func:`planted`
    everyone : array (len(n),), ratio of a ball about the mean of all rows, d = 2
    """
    n = runs.axes["n"]
    fig, ax = style.figure(
        "2,000 rows suffice in 10 axes, 3,000 in 50",
        "radius published / planted 0.02; t = n/4, ε = 1, δ = 10⁻⁶; 20 trials, dots: d = 2",
        alt=say_ratio(runs),
        mode=mode,
    )
    style.log_axis(ax, "x", 900, 12_000)
    style.log_axis(ax, "y", 0.5, 100)
    lines = []
    for d in DIMENSIONS:
        kept = np.where(runs.select(d=d)["ratio"] > 0, runs.select(d=d)["ratio"], np.nan)
        middle = np.nanmedian(kept, axis=1)
        trials = kept if d == 2 else None
        lines.append(Line(f"d = {d}", STYLES[d], n, middle, trials))
    lines.append(Line("mean of all, d = 2", "other", n, everyone))
    wider = [bounds.paper_guarantee(m, 2, epsilon=1, delta=1e-6)["wider"] for m in n]
    lines.append(Line("the paper's promise", "paper", n, wider))
    ax.axhline(1, **style.line("truth", mode, marker=False) | {"lw": 0.9})
    draw_lines(ax, lines, spread="released")
    style.axis_titles(ax, "n, records (log scale)", "radius ratio (log scale)")
    return fig


def say_ratio(runs: Sweep) -> str:
    """The medians at both ends."""
    ends = []
    for d in DIMENSIONS:
        middle = np.median(runs.select(d=d)["ratio"], axis=1)
        ends.append(f"{style.number(middle[2], 3)} and {style.number(middle[-1], 3)} at d = {d}")
    return (
        "Radius ratio against n. Medians at n = 2,000 and 10,000: " + ", ".join(ends) + ". The "
        "mean of all rows needs a ball many times as large; the paper's promise is off the scale."
    )


def figure_captured(runs: Sweep, mode: str = "notebook") -> Figure:
    """Left: share of the cluster in the ball. Right: share of searches that fail."""
    n = runs.axes["n"]
    fig, (left, right) = style.figure(
        "Captured and failed: read them with the ratio",
        "failed: not found, or over 2 radii, or under half captured; 20 trials a point",
        alt=say_captured(runs),
        mode=mode,
        columns=2,
        sharey=False,
        names=["share of the cluster in the ball", "share of searches that fail"],
    )
    for d in DIMENSIONS:
        kept = runs.select(d=d)
        captured = np.median(kept["captured"], axis=1)
        failed = 1 - kept["success"].mean(axis=1)
        left.plot(n, captured, **style.line(STYLES[d], mode))
        right.plot(n, failed, **style.line(STYLES[d], mode))
        at, shift = LABELS[d]
        style.note(right, n[at], failed[at], f"d = {d}", STYLES[d], **shift)
    for ax in (left, right):
        style.log_axis(ax, "x", 900, 12_000)
        style.linear_axis(ax, "y", -0.05, 1.05, [0, 0.5, 1])
    style.axis_titles(right, "n, records (log scale)")
    return fig


def say_captured(runs: Sweep) -> str:
    """What fails at which n."""
    failed = {d: 1 - runs.select(d=d)["success"].mean(axis=1) for d in DIMENSIONS}
    words = "; ".join(
        f"d = {d}: {failed[d][0]:.0%} at n = 1,000, {failed[d][2]:.0%} at 2,000, "
        f"{failed[d][-1]:.0%} at 10,000"
        for d in DIMENSIONS
    )
    return f"Two panels against n: share of the cluster captured, and share of failures: {words}."
