"""The player of lesson 04: coordinate by coordinate, one random subset each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from dpviz.data import real_sets
from dpviz.experiments.embedding import metric_space
from dpviz.papers.distance_queries.embeddings import frechet
from dpviz.views import style
from dpviz.views.player import Player, View
from dpviz.views.style import Figure

SUBSETS, SEED = 3, 4
PAIR = ("Cosette", "Jondrette")


@dataclass(frozen=True, eq=False)
class Step:
    """One random subset and how far it tells two characters apart: pure data.

    Attributes
    ----------
    index, of : which subset of how many
    scale, scales : its scale, of how many
    kept : codes of its members
    pair : codes of the two characters
    to_subset : distance of each to the subset
    true : their distance
    before, after : embedded distance without and with this subset
    largest : hops from end to end, to say distances in hops
    """

    index: int
    of: int
    scale: int
    scales: int
    kept: np.ndarray
    pair: tuple[int, int]
    to_subset: tuple[float, float]
    true: float
    before: float
    after: float
    largest: int


@cache
def places() -> np.ndarray:
    """Where the characters stand in the picture; shape (77, 2), in [0, 1]. Public."""
    import networkx

    novel = real_sets.les_miserables_network()
    graph = networkx.Graph(novel.ties.tolist())
    found = networkx.kamada_kawai_layout(graph)
    at = np.array([found[i] for i in range(len(novel.names))])
    return (at - at.min(axis=0)) / np.ptp(at, axis=0)


def record(pair: tuple[str, str] = PAIR, subsets: int = SUBSETS, seed: int = SEED) -> list[Step]:
    """Draw an embedding of the novel and add up what each subset says about two characters."""
    hops = metric_space("hops")
    embedding = frechet.Params(metric=hops.metric, queries=hops.points, subsets=subsets)
    drawn = embedding.draw(rng=seed)
    codes = hops.metric.codes(pair)
    rows, largest = drawn.map(codes), round(1 / hops.metric.table[hops.metric.table > 0].min())
    parts = np.abs(rows[0] - rows[1])
    sums = np.concatenate([[0.0], np.cumsum(parts)])
    to_subset = rows / drawn.weights
    true = float(hops.metric.table[codes[0], codes[1]])
    return [
        Step(i + 1, drawn.size, int(level), drawn.scales, kept, tuple(codes.tolist()),
             tuple(to_subset[:, i].tolist()), true, float(sums[i]), float(sums[i + 1]), largest)
        for i, (kept, level) in enumerate(zip(drawn.random_subsets, drawn.levels, strict=True))
    ]  # fmt: skip


def frame_step(mode: str) -> Figure:
    """Left the novel's network, right true against embedded distance."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.7, 1], sharex=False, sharey=False, grid=False
    )
    novel, at = real_sets.les_miserables_network(), places()
    appearance = {"colors": style.ROLES["lattice"].colour, "linewidths": 0.6}
    left.add_collection(LineCollection(at[novel.ties], zorder=1, **appearance), autolim=False)
    size = 4.5 * style.mode_of(left).marker_scale
    left.plot(*at.T, "o", ms=size, mfc="white", mec=style.ROLES["public"].colour, mew=0.8, zorder=2)
    style.linear_axis(left, "x", -0.05, 1.05, [])
    style.linear_axis(left, "y", -0.05, 1.05, [])
    for spine in left.spines.values():
        spine.set_visible(False)
    style.linear_axis(right, "x", 0, 1.02, [0, 0.5, 1])
    style.linear_axis(right, "y", 0, 1.02, [0, 0.5, 1])
    right.plot([0, 1], [0, 1], **style.line("bound", mode, marker=False))
    style.note(right, 0.62, 0.72, "embedded = true", "bound", ha="right")
    style.axis_titles(right, "true distance", "embedded so far")
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """The subset, the two characters, their distances to it; the dot before and after."""
    left, right = fig.axes
    gap = abs(step.to_subset[0] - step.to_subset[1]) * step.largest
    words = "says nothing" if gap < 1e-9 else f"tells them {_hops(gap)} apart"
    style.retitle(fig, f"Scale {step.scale} of {step.scales}: this subset {words}", _subtitle(step))
    _draw_network(left, step)
    _draw_dot(right, step)


def _draw_network(ax: Axes, step: Step) -> None:
    """Members glow; the two characters are named, with their distance to the subset."""
    at, scale = places(), style.mode_of(ax).marker_scale
    appearance = {"mfc": style.ROLES["event"].colour, "mec": style.INK, "mew": 0.9}
    ax.plot(*at[step.kept].T, "o", ms=7.5 * scale, zorder=5, **appearance)
    names = real_sets.les_miserables_network().names
    for code, far in zip(step.pair, step.to_subset, strict=True):
        ax.plot(*at[[code]].T, "o", ms=6 * scale, mfc=style.ROLES["released"].colour,
                mec="white", mew=0.9, zorder=7)  # fmt: skip
        x, y = at[code]
        side = {"ha": "right", "dx": -6} if x > 0.5 else {"ha": "left", "dx": 6}
        words = f"{names[code]}: {_hops(far * step.largest)}"
        style.note(ax, x, y, words, "released", dy=9 if y < 0.9 else -9, bold=True, **side)


def _draw_dot(ax: Axes, step: Step) -> None:
    """Where the pair was before this set, and where it is now."""
    mode = ax.get_figure(root=True).mode
    ax.plot([step.true] * 2, [0, step.after], **style.line("released", mode, marker=False))
    ax.plot([step.true], [step.before], **style.points("public", mode) | {"marker": "o", "ms": 5})
    style.event(ax, step.true, step.after, "worst")


def _hops(value: float) -> str:
    count = round(value)
    return "1 hop" if count == 1 else f"{count} hops"


def _subtitle(step: Step) -> str:
    kept = "all characters" if step.scale == 1 else _members(len(step.kept))
    reached = f"embedded {style.fixed(step.after)}, true {style.number(step.true)}"
    return f"subset {step.index} of {step.of}, {kept}; {reached}"


def _members(count: int) -> str:
    return "1 query" if count == 1 else f"{count} queries"


def say_step(step: Step) -> str:
    """One sentence of reading."""
    names = [real_sets.les_miserables_network().names[code] for code in step.pair]
    far = [_hops(far * step.largest) for far in step.to_subset]
    return (
        f"The novel's network; subset {step.index} of {step.of}, scale {step.scale}, "
        f"{_members(len(step.kept))}. {names[0]} is {far[0]} from it, {names[1]} {far[1]}. "
        f"Embedded distance so far {style.fixed(step.after)}; true {style.number(step.true)}."
    )


def table_step(step: Step) -> list[list[str]]:
    """Distances, weight and sums."""
    return [
        ["", "value"],
        ["distance to the subset", " and ".join(_hops(r * step.largest) for r in step.to_subset)],
        ["added", style.fixed(step.after - step.before, 4)],
        ["embedded so far", style.fixed(step.after, 4)],
        ["true", style.fixed(step.true, 4)],
    ]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_frechet(pair: tuple[str, str] = PAIR, start: int = 7, seed: int = SEED) -> Player:
    """Subset by subset: two characters of the novel told apart."""
    return Player(STEP, record(pair, seed=seed), start)
