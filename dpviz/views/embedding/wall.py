"""The picture of lesson 04: true against embedded distance, and the wall between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.papers.distance import bourgain, exact, landmarks, stable
from dpviz.papers.distance.embedding import Distortion, distances, measure
from dpviz.views import style
from dpviz.views.embedding.worlds import KINDS, World, thirds, world
from dpviz.views.explorer import Choice, Explorer, Slider
from dpviz.views.live import View
from dpviz.views.style import Figure

SUBSETS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SHADOWS = (10, 20, 50, 100, 200, 500, 1000, 2000, 4000)
POWERS = (1.1, 1.25, 1.5, 1.75, 2.0)
MAPS = ("repaired", "plain")


@dataclass(frozen=True, eq=False)
class Distorted:
    """One drawn embedding and what it does to the distances of some points and queries.

    Attributes
    ----------
    what : the setting in words
    found : true and embedded distances, (n, k), and their quotients
    ceiling, floor : proved limits of embedded over true; inf and 0 if there is none
    paper : the paper's floor; nan if it has none
    pair : names of the worst pair
    size : number of coordinates
    """

    what: str
    found: Distortion
    ceiling: float
    floor: float
    paper: float
    pair: tuple[str, str]
    size: int


def distort(
    *, space: str, subsets: int, k: int, target: int, p: float, kind: str, seed: int
) -> Distorted:
    """Draw one embedding of one of the worlds and measure it."""
    here, rng = world(space), np.random.default_rng(seed)
    k = min(k, len(here.points))
    chosen = np.sort(rng.permutation(len(here.points))[:k])
    if space == "wine":
        return _by_shadows(here, chosen, target, p, kind, rng)
    if space == "categories":
        return _by_category(here, chosen)
    return _by_landmarks(here, chosen, subsets, rng)


def _by_landmarks(here: World, chosen: np.ndarray, subsets: int, rng) -> Distorted:
    """Figure 3 on a finite metric."""
    params = landmarks.Params(metric=here.metric, queries=here.points[chosen], subsets=subsets)
    embedding, k = params.draw(rng=rng), len(chosen)
    contraction, _ = bourgain.error_bound(k, subsets, pairs=k * len(here.points))
    what = f"{here.name}: {len(here.points)} points, {k} queries, K = {subsets}"
    paper = 1 / bourgain.paper_bound(k) if k > 1 else 1.0
    return _made(what, here, chosen, embedding, (1.0, 1 / contraction, paper))


def _by_category(here: World, chosen: np.ndarray) -> Distorted:
    """An isometry: nothing to choose."""
    rows = thirds()[: len(here.points)]
    embedding = exact.categories((3,) * rows.shape[1])
    table = distances(embedding, rows, rows[chosen])
    what = f"categories: {len(rows)} bottles, {len(chosen)} queries, exact"
    return _found(what, here, chosen, table, (1.0, 1.0, math.nan), len(embedding.low))


def _by_shadows(here: World, chosen, target: int, p: float, kind: str, rng) -> Distorted:
    """A drawn linear map of the wine data; distances are divided by the box's diameter."""
    d = here.points.shape[1]
    words = {"plain": "plain", "repaired": "bounded"}
    params = stable.Params(d=d, target=target, p=p, kind=words[kind])
    embedding = params.draw(rng=rng)
    pairs = len(here.points) * len(chosen)
    alpha = stable.error_bound(params, k=pairs)
    true = _lengths(here.points, here.points[chosen], p)
    table = distances(embedding, here.points, here.points[chosen]) / d ** (1 / p)
    what = f"wine: {len(true)} bottles, {len(chosen)} queries, p = {p:g}, {target} shadows, {kind}"
    limits = (1 + alpha, max(0.0, 1 - alpha), math.nan)
    return _found(what, here, chosen, table, limits, target, true / d ** (1 / p))


def _lengths(data: np.ndarray, queries: np.ndarray, p: float) -> np.ndarray:
    return (np.abs(data[:, None] - queries) ** p).sum(axis=2) ** (1 / p)


def _made(what: str, here: World, chosen: np.ndarray, embedding, limits: tuple) -> Distorted:
    table = distances(embedding, here.points, here.points[chosen])
    return _found(what, here, chosen, table, limits, len(embedding.low))


def _found(what, here: World, chosen, table, limits: tuple, size: int, true=None) -> Distorted:
    """Measure, and name the pair that is worst."""
    true = here.metric.distances(here.points, here.points[chosen]) if true is None else true
    found = measure(true, table)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.where(true > 1e-12, table / true, 1.0)
        off = np.maximum(quotient, 1 / quotient)
    i, j = np.unravel_index(np.argmax(off), off.shape)
    return Distorted(what, found, *limits, (here.names[i], here.names[chosen[j]]), size)


def frame_wall(mode: str) -> Figure:
    """Two distances, both from 0 to 1, and the diagonal."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0, 1.02, [0, 0.2, 0.4, 0.6, 0.8, 1])
    style.linear_axis(ax, "y", 0, 1.05, [0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.plot([0, 1], [0, 1], **style.line("public", mode) | {"lw": 1.4})
    style.axis_titles(ax, "true distance, share of the largest possible", "embedded distance")
    return fig


def paint_wall(fig: Figure, result: Distorted | None) -> None:
    """The pairs as dots, the proved limits, the median quotient, the worst pair."""
    ax = fig.axes[0]
    if result is None:
        style.retitle(fig, "The wall: no dot may cross the diagonal", "one dot a pair; none yet")
        style.label_ends(ax, [(1, 1, "embedded = true", "public")])
        return
    style.retitle(fig, _title(result), result.what)
    true, embedded = result.found.true.ravel(), result.found.embedded.ravel()
    look = {"mew": 0, "alpha": 0.35, "ms": 3.2 * style.mode_of(ax).marker_scale}
    inside = embedded <= 1.05
    ax.plot(true[inside], embedded[inside], "o", color=style.ROLES["released"].colour, **look)
    if not inside.all():
        style.off_scale(ax, true[~inside][:1], [embedded.max()], "released")
    _draw_limits(ax, result)
    _draw_worst(ax, result)


def _draw_limits(ax: Axes, result: Distorted) -> None:
    """Ceiling, floor and the paper's floor as rays; the median quotient in blue."""
    mode, ends = ax.get_figure(root=True).mode, []
    median = result.found.median
    rays = [
        (result.ceiling, "bound", _ceiling(result.ceiling)),
        (median, "released", f"median {style.number(median)}"),
        (result.floor, "bound", f"proved: at least\n{_factor(result.floor)}"),
        (result.paper, "paper", f"paper: at least\n{_factor(result.paper)}"),
    ]
    if result.ceiling == result.floor == 1:
        rays = [(1.0, "bound", "proved: equal")]
    for slope, role, words in rays:
        if math.isfinite(slope) and slope > 0:
            x = min(1.0, 1.05 / slope)
            ax.plot([0, x], [0, slope * x], **style.line(role, mode, marker=False) | {"lw": 1.4})
            ends.append((1, min(slope, 1.05), words, role))
    if not math.isfinite(result.ceiling):
        ends.append((1, 1.05, "nothing is proved", "bound"))
    style.label_ends(ax, ends)


def _draw_worst(ax: Axes, result: Distorted) -> None:
    """Mark the pair that is farthest from its true distance."""
    found = result.found
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.where(found.true > 1e-12, found.embedded / found.true, 1.0)
        off = np.maximum(quotient, 1 / quotient).ravel()
    worst = int(np.argmax(off))
    if off[worst] > 1 + 1e-9:
        y = min(found.embedded.ravel()[worst], 1.05)
        style.event(ax, found.true.ravel()[worst], y, "worst")


def _ceiling(slope: float) -> str:
    return "proved: never\nabove the wall" if slope == 1 else f"proved: at most\n{_factor(slope)}"


def _factor(slope: float) -> str:
    """A ray's slope as words: 1.13 times, or 1/166 of it."""
    if not slope or slope >= 0.1:
        return f"{style.number(slope, 3)} times true"
    return f"1/{style.number(1 / slope, 3)} of true"


def _title(result: Distorted) -> str:
    """Median and worst in one sentence."""
    found = result.found
    if found.expansion <= 1 + 1e-9 and found.contraction <= 1 + 1e-9:
        return "Every embedded distance is exact"
    worst = style.number(found.contraction)
    if found.expansion <= 1 + 1e-9:
        return f"No dot crosses the wall; the worst falls {worst} times"
    return f"Embedded over true: {_span(found)}"


def _span(found: Distortion) -> str:
    return f"{style.number(1 / found.contraction)} to {style.number(found.expansion)}"


def say_wall(result: Distorted | None) -> str:
    """One sentence of reading."""
    if result is None:
        return "Empty axes: true against embedded distance, both from 0 to 1, with the diagonal."
    found = result.found
    return (
        f"Embedded against true distance; {result.what}; {result.size} coordinates. Quotients "
        f"from {_span(found)}, median {style.number(found.median)}. Worst pair: {result.pair[0]} "
        f"and {result.pair[1]}. Averages over all points err by up to "
        f"{style.number(100 * found.average_error)} %."
    )


def table_wall(result: Distorted | None) -> list[list[str]]:
    """Expansion, contraction, near and far, with what is proved."""
    if result is None:
        return []
    found, proved = result.found, 1 / result.floor if result.floor else math.inf
    return [
        ["", "measured", "proved"],
        ["expansion", style.number(found.expansion, 3), style.number(result.ceiling, 3)],
        ["contraction", style.number(found.contraction, 3), style.number(proved, 3)],
        ["... of the nearer half", style.number(found.near, 3), ""],
        ["... of the farther half", style.number(found.far, 3), ""],
        ["the paper's contraction", "", style.number(1 / result.paper, 3)],
    ]


WALL = View(frame_wall, paint_wall, say_wall, table_wall)


def figure_wall(result: Distorted | None = None, mode: str = "notebook") -> Figure:
    """The still picture; empty axes if there is no result yet."""
    return WALL.figure(result, mode)


def explore_wall() -> Explorer:
    """True against embedded distance: metric, sets, queries, shadows, p, map."""
    controls = [
        Choice(name="space", label="metric", values=KINDS, start="hops"),
        Choice(name="kind", label="shadows", values=MAPS, start="repaired"),
        Slider(name="subsets", label="K, sets at a scale", values=SUBSETS, start=16),
        Slider(name="k", label="k, queries", values=(2, 4, 8, 16, 38, 60, 77), start=38),
        Slider(name="target", label="ℓ′, shadows", values=SHADOWS, start=200),
        Slider(name="p", label="p, the norm", values=POWERS, start=2.0),
    ]
    presets = {
        "Sixteen": {},
        "One set": {"subsets": 1},
        "Names": {"space": "names"},
        "Categories": {"space": "categories"},
        "Shadows": {"space": "wine"},
        "p = 1.1, plain": {"space": "wine", "p": 1.1, "kind": "plain", "target": 4000},
        "p = 1.1, repaired": {"space": "wine", "p": 1.1, "target": 4000},
    }
    return Explorer(distort, WALL, controls, presets)
