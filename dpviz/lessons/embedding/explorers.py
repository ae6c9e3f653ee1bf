"""The explorer of lesson 04 and its still picture: true against embedded distances."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Slider, View
from dpviz.lessons.embedding.experiments import SPACES, MeasuredEmbedding, measure_embedding
from dpviz.papers.distance_queries.embeddings import p_stable
from dpviz.papers.distance_queries.embeddings.l1_embedding import Distortion

SUBSETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
DIMENSIONS = (10, 20, 50, 100, 200, 500, 1000, 2000, 4000)
SAMPLED = "importance-sampled"
POWERS = (1.1, 1.25, 1.5, 1.75, 2.0)


def frame_distortion(mode: str) -> Figure:
    """Two distances, both from 0 to 1, and the diagonal."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0, 1.02, [0, 0.2, 0.4, 0.6, 0.8, 1])
    style.linear_axis(ax, "y", 0, 1.05, [0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.plot([0, 1], [0, 1], **style.line("public", mode) | {"lw": 1.4})
    style.axis_titles(ax, "true distance, share of the largest possible", "embedded distance")
    return fig


def paint_distortion(fig: Figure, result: MeasuredEmbedding | None) -> None:
    """The pairs as dots, the proved limits, the median quotient, the worst pair."""
    ax = fig.axes[0]
    if result is None:
        style.retitle(
            fig, "No dot can lie above the diagonal", "one dot for each pair; none is drawn yet"
        )
        style.label_ends(ax, [(1, 1, "embedded = true", "public")])
        return
    style.retitle(fig, _title(result), result.what)
    true = result.found.true.ravel()
    embedded = result.found.embedded.ravel()
    appearance = {"mew": 0, "alpha": 0.35, "ms": 3.2 * style.mode_of(ax).marker_scale}
    inside = embedded <= 1.05
    ax.plot(true[inside], embedded[inside], "o", color=style.ROLES["released"].colour, **appearance)
    if not inside.all():
        style.off_scale(ax, true[~inside][:1], [embedded.max()], "released")
    _draw_limits(ax, result)
    _draw_worst(ax, result)


def _draw_limits(ax: Axes, result: MeasuredEmbedding) -> None:
    """Ceiling, floor and the paper's floor as rays; the median quotient."""
    mode = ax.get_figure(root=True).mode
    ends = []
    median = result.found.median
    rays = [
        (result.ceiling, "bound", _ceiling(result.ceiling)),
        (median, "released", f"median {style.number(median)}"),
        (result.floor, "bound", f"proved: at least\n{_factor(result.floor)}"),
        (
            result.paper,
            "paper",
            f"paper, K = {style.number(result.needed[1])}:\n{_factor(result.paper)}",
        ),
    ]
    if math.isfinite(result.ceiling):
        fan = np.array([result.floor, result.ceiling])[:, None] * np.array([0, 1.02])
        style.band(ax, [0, 1.02], *fan, role="bound", alpha=0.08)
    if result.ceiling == result.floor == 1:
        rays = [(1.0, "bound", "proved: equal")]
    for slope, role, words in rays:
        if math.isfinite(slope) and slope > 0:
            x = min(1.0, 1.05 / slope)
            ax.plot([0, x], [0, slope * x], **style.line(role, mode, marker=False) | {"lw": 1.4})
            ends.append((1, min(slope, 1.05), words, role))
    if result.needed[0] and not result.floor:
        ends.append((1, 0.02, f"no floor is proved\nbelow K = {result.needed[0]}", "bound"))
    if not math.isfinite(result.ceiling):
        ends.append((1, 1.05, "nothing is proved", "bound"))
    style.label_ends(ax, ends)


def _draw_worst(ax: Axes, result: MeasuredEmbedding) -> None:
    """Mark the pair that is farthest from its true distance."""
    distortion = result.found
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.where(distortion.true > 1e-12, distortion.embedded / distortion.true, 1.0)
        off = np.maximum(quotient, 1 / quotient).ravel()
    worst = int(np.argmax(off))
    if off[worst] > 1 + 1e-9:
        y = min(distortion.embedded.ravel()[worst], 1.05)
        style.event(ax, distortion.true.ravel()[worst], y, "worst")


def _ceiling(slope: float) -> str:
    return "proved:\nexpansion ≤ 1" if slope == 1 else f"proved: at most\n{_factor(slope)}"


def _factor(slope: float) -> str:
    """A ray's slope as words: 1.13 times, or 1/166 of it."""
    if not slope or slope >= 0.1:
        return f"{style.number(slope, 3)} times true"
    return f"1/{style.number(1 / slope, 3)} of true"


def _title(result: MeasuredEmbedding) -> str:
    """Median and worst in one sentence."""
    distortion = result.found
    if distortion.expansion <= 1 + 1e-9 and distortion.contraction <= 1 + 1e-9:
        return "Every embedded distance is exact"
    worst = style.number(distortion.contraction)
    if math.isinf(distortion.contraction):
        return "Distances never grow, but some shrink to 0"
    if distortion.expansion <= 1 + 1e-9:
        return f"Distances never grow, but shrink up to {worst}-fold"
    return f"Embedded over true: {_span(distortion)}"


def _span(found: Distortion) -> str:
    return f"{style.number(1 / found.contraction)} to {style.number(found.expansion)}"


def say_distortion(result: MeasuredEmbedding | None) -> str:
    """One sentence of reading."""
    if result is None:
        return "Empty axes: true against embedded distance, both from 0 to 1, with the diagonal."
    distortion = result.found
    return (
        f"Embedded against true distance; {result.what}; "
        f"{style.number(result.size)} coordinates. Quotients "
        f"from {_span(distortion)}, median {style.number(distortion.median)}. Worst pair: "
        f"{result.pair[0]} and {result.pair[1]}. Averages over all points are off by up to "
        f"{style.number(100 * distortion.average_error)} %."
    )


def table_distortion(result: MeasuredEmbedding | None) -> list[list[str]]:
    """Expansion, contraction, near and far, with what is proved."""
    if result is None:
        return []
    distortion = result.found
    proved = 1 / result.floor if result.floor else math.inf
    return [
        ["", "measured", "proved"],
        ["expansion", style.number(distortion.expansion, 3), style.number(result.ceiling, 3)],
        ["contraction", style.number(distortion.contraction, 3), style.number(proved, 3)],
        ["... of the nearer half", style.number(distortion.near, 3), ""],
        ["... of the farther half", style.number(distortion.far, 3), ""],
        ["the paper's contraction", "", style.number(1 / result.paper, 3)],
    ]


DISTORTION = View(frame_distortion, paint_distortion, say_distortion, table_distortion)


@still
def figure_distortion(result: MeasuredEmbedding | None = None, mode: str = "notebook") -> Figure:
    """The still picture; empty axes if there is no result yet."""
    return DISTORTION.figure(result, mode)


def explore_distortion() -> Explorer:
    """Compare true distances with embedded ones: choose the metric and its embedding."""
    p = [{"space": ["wine"]}]
    sets = [{"space": [*SPACES[:-2]]}]
    controls = [
        Choice(name="space", label="metric", values=SPACES, start="hops"),
        Choice(name="method", label="projections", values=p_stable.METHODS, start=SAMPLED, acts=p),
        Slider(name="subsets", label="K, subsets a scale", values=SUBSETS, start=16, acts=sets),
        Slider(name="k", label="k, queries", values=(2, 4, 8, 16, 38, 60, 77), start=38),
        Slider(name="target", label="ℓ′, projections", values=DIMENSIONS, start=200, acts=p),
        Slider(name="p", label="p, the norm", values=POWERS, start=2.0, acts=p),
    ]
    presets = {
        "Sixteen": {},
        "One subset": {"subsets": 1},
        "Names": {"space": "names"},
        "Categories": {"space": "categories"},
        "Projections": {"space": "wine"},
        "p = 1.1, plain": {"space": "wine", "p": 1.1, "method": "plain", "target": 4000},
        "p = 1.1, sampled": {"space": "wine", "p": 1.1, "target": 4000},
    }
    return Explorer(measure_embedding, DISTORTION, controls, presets)
