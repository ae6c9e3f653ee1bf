"""How much an attack recovers, against the size of the errors (lesson 08)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from dpviz.papers.fat_shattering import linear_reconstruction, reconstruction
from dpviz.sweeps.sweep import Sweep
from dpviz.views import style
from dpviz.views.errors import Line, draw_lines
from dpviz.views.style import Figure


def figure_guess(
    runs: Mapping[str, Sweep], gamma: float, people: int, mode: str = "notebook"
) -> Figure:
    """Share of the people that the choice among sets recovers, against the answers' error.

    Parameters
    ----------
    runs : dict from "uniform", "gaussian" and "laplace" to a sweep over ``scale``
    people : in each database
    """
    ends = {noise: found["recovered"].mean(axis=1) for noise, found in runs.items()}
    scales = np.array(runs["uniform"].axes["scale"])
    said = "; ".join(
        f"{noise} {style.number(y[0])} to {style.number(y[-1])}" for noise, y in ends.items()
    )
    fig, ax = style.figure(
        "Good answers give the set back",
        f"{people} of {2 * people} cells, γ = {style.number(gamma)}; mean of "
        f"{runs['uniform'].repeats} attacks",
        alt=f"Share of people recovered against the size of the error, {scales[0]} to "
        f"{scales[-1]}, log scale. {said}. Proved: at least 1 − 2e/(γ {people}) where answers "
        "are within e. A coin gets 0.5.",
        mode=mode,
    )
    style.log_axis(ax, "x", 0.04, 12)
    style.linear_axis(ax, "y", 0.4, 1.03, [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
    lines = [
        Line("uniform,\nup to e", "released", scales, ends["uniform"]),
        Line("Gauss,\nsd e", "baseline", scales, ends["gaussian"]),
        Line("private table,\nscale e", "baseline2", scales, ends["laplace"]),
    ]
    draw_lines(ax, lines)
    draw_limits(ax, gamma, people)
    style.axis_titles(ax, "e, size of the errors (log scale)", "share of the people recovered")
    return fig


def draw_limits(ax: Axes, gamma: float, people: int) -> None:
    """What must be recovered from answers within e; what no private histogram gives away."""
    mode, fine = ax.get_figure(root=True).mode, np.geomspace(0.04, 12, 200)
    proved = 1 - reconstruction.reconstruction_bound(1.0, gamma) * fine / (2 * people)
    privately = [linear_reconstruction.attack_accuracy_bound(epsilon=2 / scale) for scale in fine]
    look = style.line("bound", mode, marker=False)
    ax.plot(fine, np.where(proved >= 0.4, proved, np.nan), **look)
    ax.plot(fine, privately, **look | {"lw": 1})
    least, most = (
        ("proved: at least", "table: at most") if mode == "notebook" else ("at least", "at most")
    )
    style.note(ax, 0.28, 0.62, least, "bound")
    style.note(ax, 1.3, 0.96, most, "bound", dx=4, va="bottom")


def figure_recovery(sweep: Sweep, base_rate: float, mode: str = "notebook") -> Figure:
    """Share of patients recovered against the noise, for 2, 4 and 8 questions each.

    Parameters
    ----------
    sweep : over ratio and noise, as `stored.decoded` for one method
    base_rate : share if the commoner answer is given to all
    """
    noises = np.array(sweep.axes["noise"])
    curves = {r: sweep.select(ratio=r)["recovered"] for r in sweep.axes["ratio"]}
    at = noises.tolist().index(0.35)
    said = ", ".join(style.number(found[at].mean()) for found in curves.values())
    fig, ax = style.figure(
        "More questions undo more noise",
        f"64 patients; mean of {sweep.repeats} attacks; band: 5–95 % for 4 questions each",
        alt="Share recovered against noise in units of √n, 0.02 to 4, log scale: from 1 down to a "
        f"coin's 0.5. At noise 0.35 with 2, 4 and 8 questions each: {said}. “Benign” to all gets "
        f"{style.number(base_rate, 3)}.",
        mode=mode,
    )
    style.log_axis(ax, "x", 0.015, 5)
    style.linear_axis(ax, "y", 0.42, 1.03, [0.5, 0.6, 0.7, 0.8, 0.9, 1])
    style.band(ax, noises, *np.quantile(curves[4], [0.05, 0.95], axis=1))
    for found in curves.values():
        ax.plot(noises, found.mean(axis=1), **style.line("released", mode))
    for value, role in ((base_rate, "baseline"), (0.5, "baseline2")):
        ax.axhline(value, **style.line(role, mode, marker=False))
    ends = [(5, base_rate, "“benign”\nto all", "baseline"), (5, 0.5, "coin flip", "baseline2")]
    style.label_ends(ax, ends)
    for ratio, x, dx, ha in ((2, 0.2, -8, "right"), (8, 0.5, 8, "left")):
        y = curves[ratio].mean(axis=1)[noises.tolist().index(x)]
        style.note(ax, x, y, f"{ratio} questions each", "released", dx=dx, ha=ha)
    style.axis_titles(ax, "noise in units of √n (log scale)", "share recovered")
    return fig
