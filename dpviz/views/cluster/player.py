"""The player of lesson 07: from the records to the released ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.papers.small_cluster import one_cluster
from dpviz.papers.small_cluster.planted import Planted
from dpviz.views import style
from dpviz.views.cluster.explorers import draw_ball, draw_box, draw_rows
from dpviz.views.cluster.figures import draw_score, dress_score
from dpviz.views.live import View
from dpviz.views.player import Player
from dpviz.views.style import Figure

TOLD = {
    "score": "L rises to t; the quality Q is large where a radius should be",
    "radius": "a radius is chosen by the exponential mechanism",
    "grid": "of 12 sides and 30 shifts, one grid of boxes is chosen",
    "box": "its heaviest box is named, if its count is clearly large",
    "mean": "the noisy mean of the box: the noise is as wide as the box",
    "recentre": "a smaller ball about the mean is averaged: less noise",
    "recentre again": "a still smaller ball is averaged",
    "report": "the radius to publish is chosen; only this is a promise",
}


@dataclass(frozen=True, eq=False)
class Step:
    """The state after one step: pure data.

    Attributes
    ----------
    name : "score" or one of the solver's steps
    spent : steps paid for so far
    planted, params, found : as given, and what the public sees in the end
    """

    name: str
    spent: int
    planted: Planted
    params: one_cluster.Params
    found: one_cluster.Release


def record(planted: Planted, params: one_cluster.Params, *, rng: checks.Seed) -> list[Step]:
    """The trace of one search in the plane; it ends where a step found nothing."""
    found = one_cluster.release(planted.data, params, params.curator(rng=rng))
    names = ["score", *one_cluster.STEPS]
    last = names.index(found.failed) if found.failed else len(names) - 1
    return [Step(name, i, planted, params, found) for i, name in enumerate(names[: last + 1])]


def frame_step(mode: str) -> Figure:
    """Left the plane around the cluster, right the score."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, sharey=False, grid=False, names=["", ""]
    )
    style.linear_axis(left, "x", -2.8, 2.8, [-2, 0, 2])
    style.linear_axis(left, "y", -2.8, 2.8, [-2, 0, 2])
    left.set_box_aspect(1)
    dress_score(right)
    style.axis_titles(left, "from the planted centre, in R", "the rows")
    style.axis_titles(right, "radius over R (log scale)", "share of t: L(r), and quality")
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """What this step published, over the private rows."""
    left, right = fig.axes
    R, found = step.planted.spread, step.found
    failed = found.failed == step.name
    title = f"Step {step.name!r}: " + ("nothing was found" if failed else "paid and published")
    title = "The score, before anything is paid" if step.spent == 0 else title
    style.retitle(fig, title, "" if failed else TOLD[step.name])
    style.pips(fig, step.spent, 7, "paid")
    middle = step.planted.centers[0]
    draw_rows(left, (step.planted.data - middle) / R, size=1.4)
    draw_score(right, step.planted.data, step.params, R)
    if step.spent >= 1:
        right.axvline(found.z / R, **style.line("released", fig.mode, marker=False))
    if step.spent >= 2 and not failed:
        _draw_published(left, step, middle, R)


def _draw_published(ax, step: Step, middle: np.ndarray, unit: float) -> None:
    """Boxes' side, the box, centres so far, the ball."""
    found, mode = step.found, ax.get_figure(root=True).mode
    if step.name == "grid":
        draw_box(ax, np.zeros(2), found.side / unit)
        style.note(ax, 0, 2.55, "its place is not known yet", "muted", ha="center")
        return
    draw_box(ax, (found.box - middle) / unit, found.side / unit)
    means = (found.means[: max(0, step.spent - 3)] - middle) / unit
    if len(means):
        ax.plot(*means.T, **style.line("released", mode) | {"lw": 1, "ms": 4})
    if step.name in ("recentre", "recentre again"):
        draw_ball(ax, means[-2], found.radii[step.spent - 4] / unit, "public")
    if step.name == "report":
        draw_ball(ax, means[-1], found.radius / unit, "released")


def say_step(step: Step) -> str:
    """One sentence of reading."""
    if step.found.failed == step.name:
        return f"Step {step.spent} of 7, {step.name}: nothing was found; an honest, paid end."
    ratio = ""
    if step.name == "report":
        ratio = f": {style.number(step.found.radius / step.planted.spread, 3)} planted radii"
    return f"Step {step.spent} of 7, {step.name}: {TOLD[step.name]}{ratio}."


def table_step(step: Step) -> list[list[str]]:
    """What each step cost so far, in shares of rho."""
    shares = step.params.shares[: step.spent]
    rows = [[name, f"{share:.0%}"] for name, share in zip(one_cluster.STEPS, shares, strict=False)]
    return [["step", "share of ρ"], *rows]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_cluster(planted: Planted, params: one_cluster.Params, *, rng: checks.Seed) -> Player:
    """Step through a search in the plane; it starts at the box."""
    trace = record(planted, params, rng=rng)
    return Player(STEP, trace, start=min(4, len(trace) - 1))
