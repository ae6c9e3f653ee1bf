"""The player of lesson 07: a grid slides over the rows, then the noise about their mean shrinks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from dpviz import checks
from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.cluster.explorers import draw_ball, draw_rows
from dpviz.papers.small_cluster import one_cluster
from dpviz.papers.small_cluster.good_center import cells
from dpviz.papers.small_cluster.planted import Planted
from dpviz.privacy.curator import Curator

SHIFT, SLID = "shift", 4  # so many grids are seen before the one that was chosen
WINDOW, LINES = 3.4, np.arange(-8, 9)  # half of the plane that is seen, in R; lines of a grid
TITLES = {
    SHIFT: "The grid slides over the records",
    "radius": "A radius is chosen",
    "grid": "One grid is chosen",
    "box": "Its heaviest box is named",
    "mean": "The noisy mean of the box",
    "recentre": "The mean of a {size} ball",
    "recentre again": "Once more: a {size} ball",
    "report": "The ball that is published",
}
TOLD = {
    "radius": "a radius is chosen by the exponential mechanism",
    "grid": "of 12 sides and 30 shifts, one grid of boxes is chosen",
    "box": "its heaviest box is named, if its count is clearly large",
    "mean": "the noisy mean of the box: the noise grows with the ball around the box",
    "recentre": "a {size} ball about the mean is averaged",
    "recentre again": "a {size} ball about the new mean is averaged",
    "report": "the radius to publish is chosen; only this is a promise",
}


@dataclass(frozen=True)
class Grid:
    """A grid of boxes and its heaviest box, in the unit of the data.

    Attributes
    ----------
    number : which of the shifted grids
    start, box : arrays (d,), a corner of the boxes, and the centre of the heaviest one
    side : of a box
    inside : bool array (n,), the rows in the heaviest box; private
    """

    number: int
    start: np.ndarray
    box: np.ndarray
    side: float
    inside: np.ndarray


@dataclass(frozen=True, eq=False)
class Step:
    """The state after one step: pure data.

    Attributes
    ----------
    name : "shift" or one of the solver's steps
    spent : steps paid for so far
    planted, params, found : as given, and what the public sees in the end
    sds : standard deviations of the averages' noise on each axis, as far as it came
    grid : what is seen of the boxes; None if nothing
    """

    name: str
    spent: int
    planted: Planted
    params: one_cluster.Params
    found: one_cluster.Release
    sds: tuple[float, ...]
    grid: Grid | None = None

    @property
    def size(self) -> str:
        """How the ball that is averaged now compares with the one before."""
        radii = self.found.radii[max(0, self.spent - 5) : self.spent - 3]
        return "smaller" if len(radii) == 2 and radii[1] < radii[0] else "second"

    @property
    def noise(self) -> np.ndarray:
        """Root mean squared length of the noise of each average, in the unit of the data."""
        return np.sqrt(self.params.d) * np.array(self.sds)


class Watching:
    """A curator that also notes what is public: what it chose, and how noisy each average was."""

    def __init__(self, curator: Curator):
        self.curator = curator
        self.sds: list[float] = []
        self.chosen: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.curator, name)

    def choose(self, *how: Any, label: str, **more: Any) -> int:
        """As of any curator."""
        self.chosen[label] = self.curator.choose(*how, label=label, **more)
        return self.chosen[label]

    def average(self, *how: Any, **more: Any) -> Any:
        """As of any curator."""
        mean = self.curator.average(*how, **more)
        self.sds += [] if mean is None else [mean.sd]
        return mean


def record(planted: Planted, params: one_cluster.Params, *, rng: checks.Seed) -> list[Step]:
    """The trace of one search in the plane; it ends where a step found nothing.

    The search of ``one_cluster.release``, paid in the same way, with a note of its noise.
    """
    payer = Watching(one_cluster.sub_curator_for(params, params.curator(rng=rng)))
    points = one_cluster.admit(planted.data, params)
    release = one_cluster.in_data_units(one_cluster.locate(points, params, payer), params)
    side, chosen = divmod(payer.chosen["grid"], params.shifts)
    slid = [i for i in range(params.shifts) if i != chosen][:SLID]
    setting = planted, params, release, tuple(sd * params.unit for sd in payer.sds)
    grids = {i: heaviest(points, params, release.side, side, i) for i in (*slid, chosen)}
    names = one_cluster.STEPS
    last = names.index(release.failed) if release.failed else len(names) - 1
    trace = [Step(name, i, *setting) for i, name in enumerate(names[: last + 1], start=1)]
    trace[1:3] = [replace(step, grid=grids[chosen]) for step in trace[1:3]]
    trace[1:1] = [Step(SHIFT, 1, *setting, grids[i]) for i in slid]
    return trace


def heaviest(
    points: np.ndarray, params: one_cluster.Params, length: float, side: int, shift: int
) -> Grid:
    """One of the public grids, and its heaviest box.

    Parameters
    ----------
    points : array (n, d) in grid steps, private
    length : of a box, in the unit of the data
    side, shift : which of the sides, and of the shifted grids of each
    """
    public_rng = np.random.default_rng(params.seed)
    n = len(points)
    if n > params.sample:  # as in step 1, which draws before
        public_rng.choice(n, params.sample, replace=False)
    start = public_rng.uniform(size=(params.sides, params.shifts, params.d))[side, shift]
    unit = length / params.unit
    index = cells(points / (params.size - 1), unit, start)
    boxes, counts = np.unique(index, axis=0, return_counts=True)
    best = boxes[counts.argmax()]
    corner = params.place(-start * unit)
    box = params.place((best + 0.5 - start) * unit)
    return Grid(shift, corner, box, length, (index == best).all(axis=1))


def frame_step(mode: str) -> Figure:
    """Left the plane around the cluster, right the lengths of what is averaged."""
    look = {"mode": mode, "columns": 2, "sharey": False, "grid": False, "names": ["", ""]}
    fig, (left, right) = style.figure("", alt="", widths=[1.2, 1], square=1, **look)
    for which in ("x", "y"):
        style.linear_axis(left, which, -WINDOW, WINDOW, [-2, 0, 2])
    left.set_box_aspect(1)
    style.linear_axis(right, "x", 0.5, 4.5, [1, 2, 3, 4])
    right.set_xticklabels(["mean", "again", "again", "report"])
    style.log_axis(right, "y", 0.02, 50)
    style.axis_titles(
        left, "from the planted centre, in R", "columns 1 and 2 of the records (private)"
    )
    style.axis_titles(right, "step", "length in R (log scale)")
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """What this step published, over the private rows."""
    left, right = fig.axes
    R = step.planted.spread
    failed = step.found.failed == step.name
    title = f"{step.name.capitalize()}: nothing was found"
    title = title if failed else TITLES[step.name].format(size=step.size)
    style.retitle(fig, title, f"ε = {style.number(step.params.epsilon)}, t = {step.params.t}")
    style.pips(fig, step.spent, 7, "paid")
    rows = (step.planted.data - step.planted.centers[0])[:, :2] / R
    visible = (np.abs(rows) < WINDOW).all(axis=1)
    bold = visible if step.grid is None else visible & step.grid.inside
    draw_rows(left, rows[bold], size=1.4)
    if step.grid is not None:
        left.plot(*rows[visible & ~bold].T, "o", ms=1.4, mew=0, color=style.ROLES["lattice"].colour)
    left.plot([-3, -3 + step.found.z / R], [-3, -3], **style.line("released", fig.mode))
    style.note(left, -3, -3, "radius chosen", "released", va="bottom", dy=4)
    _draw_lengths(right, step)
    if failed:
        return
    if step.grid is not None:
        _draw_grid(left, step)
    elif step.spent > 3:
        _draw_averages(left, step)


def _draw_grid(ax: Axes, step: Step) -> None:
    """All lines of the grid, and its heaviest box with the number of its rows."""
    grid = step.grid
    mode = ax.get_figure(root=True).mode
    R = step.planted.spread
    middle = step.planted.centers[0][:2]
    side = grid.side / R
    if step.name != "box":
        look = style.line("public", mode, marker=False)
        start = np.mod((grid.start[:2] - middle) / R, side)
        for x, y in start + side * LINES[:, None]:
            ax.plot([x, x], [-WINDOW, WINDOW], **look)
            ax.plot([-WINDOW, WINDOW], [y, y], **look)
    corner = (grid.box[:2] - middle) / R - side / 2
    yellow = style.ROLES["event"].colour
    scale = style.mode_of(ax).line_scale
    ax.add_patch(Rectangle(tuple(corner), side, side, fc=yellow, alpha=0.35, zorder=2))
    edge = {"fill": False, "ec": style.INK, "lw": 1.1 * scale, "zorder": 5}
    ax.add_patch(Rectangle(tuple(corner), side, side, **edge))
    words = f"heaviest box: {grid.inside.sum()} records"
    style.note(ax, 0.03, 0.97, words, at="axes", va="top")


def _draw_averages(ax: Axes, step: Step) -> None:
    """The ball that was averaged, its noisy mean and the noise's length; at last the ball."""
    center = step.found
    R = step.planted.spread
    middle = step.planted.centers[0]
    last = min(step.spent - 3, len(center.means))
    means = ((center.means[:last] - middle) / R)[:, :2]
    ax.plot(*means.T, **style.line("released", ax.get_figure(root=True).mode) | {"lw": 1, "ms": 3})
    if step.name == "report":
        draw_ball(ax, means[-1], center.radius / R, "released")
        top = means[-1] + [0, center.radius / R]
        style.note(ax, *top, "released ball", "released", dy=3, ha="center", va="bottom")
        return
    centers = np.vstack([((center.box - middle) / R)[:2], means])
    averaged = center.radii[last - 1] / R
    draw_ball(ax, centers[last - 1], averaged, "public")
    reach = step.noise[last - 1] / R
    blue = style.ROLES["released"].colour
    for look in ({"fc": blue, "alpha": 0.34}, {"fill": False, "ec": blue, "lw": 1.6}):
        ax.add_patch(Circle(tuple(means[-1]), reach, zorder=5, **look))
    style.note(ax, *(means[-1] + [0, reach]), "noise", "released", dy=3, ha="center", va="bottom")
    x, y = centers[last - 1] - [0, averaged]
    beyond = y < 1 - WINDOW  # then its name stands beside the radius that was chosen
    x, y, va, dy = (1.6, -WINDOW, "bottom", 3) if beyond else (x, y, "top", -3)
    style.note(ax, x, y, "averaged ball", "public", ha="center", va=va, dy=dy)


def _draw_lengths(ax: Axes, step: Step) -> None:
    """Radius of each ball that was averaged, and the length of the noise of its mean."""
    mode = ax.get_figure(root=True).mode
    R = step.planted.spread
    paid = max(0, step.spent - 3)
    balls = step.found.radii[:paid] / R
    noises = step.noise[:paid] / R
    places = np.arange(1, 4)
    look = style.line("public", mode) | {"marker": "o", "ms": 5}
    ax.plot(places[: len(balls)], balls, **look)
    ax.plot(places[: len(noises)], noises, **style.line("released", mode))
    if step.name == "report" and step.found.found:
        ax.plot([4], [step.found.radius / R], **style.points("released", mode) | {"ms": 9})
    for lengths, words, role in (
        (balls, "ball that is averaged", "public"),
        (noises, "noise of its mean", "released"),
    ):
        if len(lengths):
            style.note(ax, 1, lengths[0], words, role, va="bottom", dy=5)


def say_step(step: Step) -> str:
    """One sentence of reading."""
    if step.found.failed == step.name:
        return f"Step {step.spent} of 7, {step.name}: nothing was found; an honest, paid end."
    more = ""
    R = step.planted.spread
    if step.name == SHIFT:
        return (
            f"Before step 2: one of {step.params.shifts} public shifts of the grid; the heaviest "
            f"box holds {step.grid.inside.sum()} records, which stays private."
        )
    if 4 <= step.spent <= 6:
        more = f"; the noise is about {style.number(step.noise[step.spent - 4] / R)} R long"
    if step.name == "report":
        more = f": {style.number(step.found.radius / R, 3)} planted radii"
    words = TOLD[step.name].format(size=step.size)
    return f"Step {step.spent} of 7, {step.name}: {words}{more}."


def table_step(step: Step) -> list[list[str]]:
    """What each step cost so far, in shares of the budget."""
    shares = step.params.shares[: step.spent]
    steps = zip(one_cluster.STEPS, shares, strict=False)
    rows = [[name, f"{100 * share:.0f} %"] for name, share in steps]
    return [["step", "share of the budget"], *rows]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_cluster(planted: Planted, params: one_cluster.Params, *, rng: checks.Seed) -> Player:
    """Step through a search in the plane; it starts at the box."""
    trace = record(planted, params, rng=rng)
    return Player(STEP, trace, start=min(2 + SLID, len(trace) - 1))
