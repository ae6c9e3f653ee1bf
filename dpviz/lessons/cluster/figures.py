"""The score, and the first ideas and how each of them fails (lesson 07)."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes

from dpviz import checks
from dpviz.drawing import style
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.lessons.cluster.explorers import draw_box, draw_rows
from dpviz.papers.small_cluster import one_cluster
from dpviz.papers.small_cluster.public_grid import grid_points, squared_distances
from dpviz.papers.small_cluster.radius_quality import quality_function, radius_grid, score


def two_clusters(m: int, place: float) -> np.ndarray:
    """m rows at 0, m rows at 2, and one somewhere; (2 m + 1, 1)."""
    return np.array([[0.0]] * m + [[2.0]] * m + [[place]])


def heaviest_and_mean(points: np.ndarray, t: int) -> tuple[float, float]:
    """Rows in the heaviest ball of radius 1 about a row, and L(1): the capped mean."""
    counts = (squared_distances(points, points) <= 1).sum(axis=1)
    return float(counts.max()), float(np.sort(np.minimum(counts, t))[-t:].mean())


@still
def figure_maximum(m: int, mode: str = "notebook") -> Figure:
    """One record moves: the heaviest ball halves, the mean of the best hardly moves.

    Parameters
    ----------
    m : rows in each of two clusters; t = 2 m
    """
    pairs = [heaviest_and_mean(two_clusters(m, place), 2 * m) for place in (1.0, 9.0)]
    changes = [pairs[0][i] - pairs[1][i] for i in (0, 1)]
    fig, axes = style.figure(
        "One record moves: the maximum halves, not the mean",
        f"two clusters of {m} records, 2 apart, and one between them, which moves away; r = 1",
        alt=f"Two panels. The heaviest ball about a record holds {pairs[0][0]:.0f} records, "
        f"after one moved {pairs[1][0]:.0f}. The mean of the {2 * m} best capped counts moves by "
        f"{changes[1]:.3g} only.",
        mode=mode,
        columns=2,
        names=["heaviest ball", "mean of the t best, L(1)"],
    )
    for ax, pair, change in zip(axes, zip(*pairs, strict=True), changes, strict=True):
        ax.bar([0, 1], pair, width=0.5, color=[style.INK, style.tint("truth", 0.42)], zorder=3)
        style.linear_axis(ax, "x", -0.6, 1.6, [])
        style.linear_axis(ax, "y", 0, 2.5 * m)
        for x, value, word in zip((0, 1), pair, ("before", "after"), strict=True):
            words = f"{word}: {style.number(value, 4)}"
            style.note(ax, x, value, words, ha="center", va="bottom", dy=3)
        if not style.MODES[mode].tight:
            moved = f"moved by {style.number(change, 3)}"
            style.note(ax, 0.5, 2.35 * m, moved, "muted", ha="center")
    return fig


def draw_score(ax: Axes, points: np.ndarray, params: one_cluster.Params, unit: float) -> None:
    """L(r) / t, and the quality Q over its greatest possible height; radii in ``unit``."""
    mode = ax.get_figure(root=True).mode
    radii, scores, quality = score_and_quality(points, params)
    positive = radii > 0
    ax.plot(radii[positive] / unit, scores[positive] / params.t, **style.line("truth", mode))
    look = style.line("public", mode, marker=False) | {"lw": 2}
    ax.plot(radii[positive] / unit, np.maximum(quality[positive], 0) / params.loss * 2, **look)


def score_and_quality(points: np.ndarray, params: one_cluster.Params) -> tuple[np.ndarray, ...]:
    """Radii (sides of the cube), L at them, quality; as step 1 sees them."""
    scores = score(grid_points(points, params.size), params.t, params.size)
    radii = radius_grid(params.size, params.d) / (params.size - 1)
    return radii, scores, quality_function(scores, params.t, params.loss)


@still
def figure_score(
    points: np.ndarray, params: one_cluster.Params, z: float, unit: float, mode: str = "notebook"
) -> Figure:
    """The step function L, the quality Q made of it, and the radius that was chosen.

    Parameters
    ----------
    points : array (n, d), private
    z : the radius chosen
    unit : the planted radius
    """
    fig, ax = style.figure(
        "The quality peaks where the count reaches t",
        f"n = {style.number(len(points))}, d = {params.d}, t = {style.number(params.t)}; the "
        f"score at the radius chosen may lie {params.loss:.0f} records below t",
        alt=f"Share of t records against the radius in planted radii: a step function that rises "
        f"to 1, and the quality (0 where it is negative), large where it does. The radius chosen "
        f"is {style.number(z / unit, 3)}; up to {params.loss:.0f} records may be lost.",
        mode=mode,
    )
    dress_score(ax)
    draw_score(ax, points, params, unit)
    ax.axvline(z / unit, **style.line("released", mode, marker=False))
    style.note(ax, z / unit, 1.08, "radius chosen", "released", dx=5)
    ends = [(30, 1, "L(r) / t\n(private)", "truth"), (30, 0, "quality Q\n(at least 0)", "public")]
    style.label_ends(ax, ends)
    style.axis_titles(ax, "radius over the planted radius R (log scale)", "share of the most")
    return fig


def dress_score(ax: Axes) -> None:
    """Limits of every picture of the score."""
    style.log_axis(ax, "x", 0.03, 30)
    style.linear_axis(ax, "y", -0.03, 1.15, [0, 0.5, 1])


@still
def figure_cut(points: np.ndarray, side: float, shift: float, mode: str = "notebook") -> Figure:
    """A grid that cuts the cluster, and the same grid shifted.

    Parameters
    ----------
    points : array (n, 2) around 0, the cluster
    side, shift : of the boxes; the first grid has a corner at 0
    """
    fig, axes = style.figure(
        "A grid may cut the cluster; a shifted one need not",
        f"{len(points)} records of a cluster; boxes {style.number(side)} radii wide",
        alt="",
        mode=mode,
        columns=2,
        grid=False,
        names=["boxes that begin at 0", "the same boxes, shifted"],
    )
    pairs = zip(axes, (0.0, shift), strict=True)
    cut, whole = (_draw_grid(ax, points, side, start) for ax, start in pairs)
    style.axis_titles(axes[1], "in radii")
    fig.alt = (
        f"The same disc of {len(points)} records under two grids of boxes. The heaviest box holds "
        f"{cut} where the grid has a corner inside the disc, {whole} after a shift."
    )
    return fig


def _draw_grid(ax: Axes, points: np.ndarray, side: float, start: float) -> int:
    """Rows, grid and heaviest box; how many rows are in it."""
    style.linear_axis(ax, "x", -3, 3, [-2, 0, 2])
    style.linear_axis(ax, "y", -3, 3, [-2, 0, 2])
    ax.set(aspect="equal", anchor="NW")
    draw_rows(ax, points, size=1.6)
    look = style.line("lattice", ax.get_figure(root=True).mode, marker=False)
    for place in start + side * np.arange(-3, 4):
        ax.axvline(place, **look)
        ax.axhline(place, **look)
    cells = np.floor((points - start) / side)
    places, many = np.unique(cells, axis=0, return_counts=True)
    best = int(np.argmax(many))
    draw_box(ax, start + (places[best] + 0.5) * side, side)
    style.note(ax, 0.03, 0.95, f"heaviest box: {many[best]}", at="axes")
    return int(many[best])


@still
def figure_attempts(
    n: int, beta: float = 0.1, mode: str = "notebook", *, rng: checks.Seed
) -> Figure:
    """Two attempts at the centre that fail, and the one that does not.

    Parameters
    ----------
    n, beta : for the width of rotated intervals
    rng : seed of the rows on the left
    """
    fig, (left, right) = style.figure(
        "Intervals may miss each other; boxes grow with √d",
        f"left: two clusters on the axes; right: a ball of radius 1 in d axes, "
        f"n = {style.number(n)}",
        alt="Left: each axis alone prefers an interval with half of the records, but their "
        "intersection holds none. Right: the box around a ball of radius 1 is √d wide on the "
        "given axes; after a random rotation its width stops growing with d.",
        mode=mode,
        columns=2,
        sharey=False,
        names=["1. intersect the intervals", "2. and 3. radius, around the box"],
    )
    _draw_empty(left, checks.generator(rng))
    dims = np.round(2.0 ** np.arange(1, 15)).astype(int)
    square_roots = np.sqrt(dims)
    turned = box_radius(dims, n, beta)
    right.plot(dims, square_roots, **style.line("baseline", mode, marker=False))
    right.plot(dims, turned, **style.line("bound", mode, marker=False))
    style.log_axis(right, "x", 2, 2e4)
    style.log_axis(right, "y", 1, 200)
    style.note(right, 300, math.sqrt(300) * 1.5, "given axes: √d", "baseline", ha="right")
    style.note(right, 1.8e4, turned[-1] * 0.8, "rotated: a bound", "bound", ha="right", va="top")
    style.axis_titles(right, "d, axes (log scale)")
    return fig


def box_radius(dims: np.ndarray, n: int, beta: float) -> np.ndarray:
    """Half diagonal of the rotated box of a ball of radius 1: sqrt(d), or less for large d."""
    return np.minimum(np.sqrt(dims), 2 * np.sqrt(np.log(dims * n / beta)))


def _draw_empty(ax: Axes, rng: np.random.Generator) -> None:
    """Half of the rows at x near 0 and y spread, half the other way round."""
    near = rng.normal(0, 0.25, 200)
    spread = rng.uniform(1.2, 3, 200)
    rows = np.vstack([np.column_stack([near, spread]), np.column_stack([spread, near])])
    style.linear_axis(ax, "x", -1, 3.2, [0, 1, 2, 3])
    style.linear_axis(ax, "y", -1, 3.2, [0, 1, 2, 3])
    draw_rows(ax, rows, size=1.6)
    colour = style.tint("public", 0.22)
    ax.axvspan(-0.6, 0.6, color=colour, lw=0, zorder=0.5)
    ax.axhspan(-0.6, 0.6, color=colour, lw=0, zorder=0.5)
    draw_box(ax, np.zeros(2), 1.2)
    style.note(ax, 0.66, 0.86, "in both: nobody", dx=2)


WORKS = (  # year, place on the axis of factors, who
    (2016, 3, "Nissim, Stemmer, Vadhan 2016: this lesson"),
    (2018, 2, "Nissim, Stemmer 2018"),
    (2018, 0, "Kaplan, Stemmer\n2018: k-means"),
    (2020, 1, "Ghazi, Kumar,\nManurangsi 2020"),
    (2022, 1, "Mahpud, Sheffet\n2022: nearly all"),
    (2022, 0, "FriendlyCore\n2022"),
)
UP = {(2018, 0): 8, (2020, 1): 6}  # pt, on a telephone: the next mark is near
FACTORS = ("other", "1 + γ", "const.", "√log n")


@still
def figure_since(mode: str = "notebook") -> Figure:
    """How wide a ball must be, compared with the least, in what came after 2016."""
    fig, ax = style.figure(
        "In four years the factor fell from √log n to 1 + γ",
        "how many times as wide as the least a private ball is, as each work states it",
        alt="Years 2016 to 2022 against the factor by which a private ball is wider than the least "
        "one: the root of log n in 2016, a constant in 2018, 1 + gamma in 2020 and, for nearly all "
        "points, in 2022. Beside them k-means (2018) and FriendlyCore (2022), other problems.",
        mode=mode,
        gutter=False,
        height=0.84,
    )
    years = [2016, 2018, 2020, 2022]
    style.linear_axis(ax, "x", 2015.6, 2025.8, years)
    ax.set_xticklabels(map(str, years))  # no thousands
    style.linear_axis(ax, "y", -0.5, 3.5, range(4))
    ax.set_yticklabels(FACTORS)
    style.axis_titles(ax, "year", "factor")
    for year, factor, words in WORKS:
        role = "paper" if year == 2016 else "other"
        ax.plot([year], [factor], **style.points(role, mode) | {"ms": 8})
        side = {"dx": -8, "ha": "right"} if year == 2020 else {"dx": 8}
        up = UP.get((year, factor), 0) if mode == "phone" else 0
        style.note(ax, year, factor, words, role, dy=up, stays=True, **side)
    return fig
