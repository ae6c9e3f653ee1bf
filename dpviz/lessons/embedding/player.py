"""The player of lesson 04: the novel's map and its embedded picture, subset by subset."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from dpviz.data import real_sets
from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.embedding.experiments import metric_space
from dpviz.papers.distance_queries.embeddings import frechet, metrics

SUBSETS = 3
SEED = 4
PAIR = ("Cosette", "Jondrette")
CLASSES = 5  # tints of a tie, by the share of its length that is kept
PASSES = 60  # of stress majorization for each picture
CORNERS = (-0.72, -0.6, "left"), (0.72, -0.5, "right")  # free of characters: there stand the names
KEY = np.linspace(-0.3, 0.3, CLASSES + 1)  # where the swatches of the key begin and end


@dataclass(frozen=True, eq=False)
class Step:
    """The embedding up to one random subset: pure data.

    Attributes
    ----------
    index, of : which subset of how many; 0 is the novel itself, with its true distances
    scale, scales : its scale, of how many
    kept : codes of its members
    pair : codes of the two characters
    to_subset : distance of each to the subset
    true : their distance
    before, after : embedded distance without and with this subset
    largest : hops from end to end, to say distances in hops
    picture : array (77, 2), a map of the embedded distances so far
    shares : array (254,), embedded distance so far over true distance, of each tie
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
    picture: np.ndarray
    shares: np.ndarray

    @property
    def enlarged(self) -> float:
        """How many times the picture is enlarged to reach as far as the network's map."""
        reach = float(np.abs(self.picture).max())
        return float(np.abs(network_map()).max()) / reach if reach > 1e-9 else 1.0


def majorized(places: np.ndarray, target: np.ndarray, passes: int = PASSES) -> np.ndarray:
    """Move points so that their distances in the plane come near given ones.

    Stress majorization (de Leeuw 1977): the sum of squared differences never rises.

    Parameters
    ----------
    places : array (k, 2), where they start
    target : array (k, k), the distances that are wanted
    passes : over all points

    >>> places = majorized(np.array([[0.0, 0.0], [0.1, 0.0]]), np.array([[0, 3], [3, 0]]))
    >>> round(float(np.linalg.norm(places[0] - places[1])), 6)
    3.0
    """
    for _ in range(passes):
        apart = np.linalg.norm(places[:, None] - places, axis=2)
        pull = np.divide(target, apart, out=np.zeros_like(apart), where=apart > 1e-9)
        places = (pull.sum(axis=1)[:, None] * places - pull @ places) / len(places)
    return places


@cache
def network_map() -> np.ndarray:
    """A map of the novel by its true distances, in units of the largest; shape (77, 2). Public."""
    import networkx

    novel = real_sets.les_miserables_network()
    graph = networkx.Graph(novel.ties.tolist())
    places = networkx.kamada_kawai_layout(graph)
    at = np.array([places[i] for i in range(len(novel.names))]) / 2
    return majorized(at, _steps().table)


def _steps() -> metrics.Table:
    """How many ties lie between two characters."""
    metric = metric_space("hops").metric
    assert isinstance(metric, metrics.Table)
    return metric


def record(pair: tuple[str, str] = PAIR, subsets: int = SUBSETS, seed: int = SEED) -> list[Step]:
    """Draw an embedding of the novel and add up what each subset says, for a pair and all ties.

    The first state is the novel itself, the others have one subset more each.
    """
    hops = metric_space("hops")
    ties = real_sets.les_miserables_network().ties
    embedding = frechet.Params(metric=hops.metric, queries=hops.points, subsets=subsets)
    drawn = embedding.draw(rng=seed)
    table = _steps().table
    rows = drawn.map(hops.points)
    codes = _steps().codes(pair)
    largest = round(1 / table[table > 0].min())
    sums = np.cumsum(np.abs(rows[:, None] - rows), axis=2)
    to_subset = rows[codes] / drawn.weights
    true = float(table[tuple(codes)])
    pictures = list(accumulate(np.moveaxis(sums, 2, 0), _next_map, initial=network_map()))
    public = tuple(codes.tolist())

    def step(i: int) -> Step:
        embedded = sums[..., i]
        kept = drawn.random_subsets[i]
        level = int(drawn.levels[i])
        before = float(sums[(*codes, i - 1)]) if i else 0.0
        known = public, tuple(to_subset[:, i].tolist()), true, before, float(embedded[tuple(codes)])
        shares = embedded[tuple(ties.T)] / table[tuple(ties.T)]
        place = i + 1, drawn.size, level, drawn.scales
        return Step(*place, kept, *known, largest, pictures[i + 1], shares)

    start = 0, drawn.size, 0, drawn.scales, np.array([], dtype=int), public, (0.0, 0.0), true
    novel = Step(*start, true, true, largest, pictures[0], np.ones(len(ties)))
    return [novel, *(step(i) for i in range(drawn.size))]


def _next_map(places: np.ndarray, embedded: np.ndarray) -> np.ndarray:
    """From the last map; where that is a single point, from a small copy of the network's."""
    started = places if np.ptp(places) > 1e-9 else network_map() * embedded.mean()
    return majorized(started, embedded)


def frame_step(mode: str) -> Figure:
    """Left room for the novel's network, right for its embedded picture."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.1, 1], sharex=False, sharey=False, grid=False
    )
    for ax, title in ((left, "the novel: true distances"), (right, "embedded so far")):
        style.linear_axis(ax, "x", -0.72, 0.72, [])
        style.linear_axis(ax, "y", -0.78, 0.7, [])
        for spine in ax.spines.values():
            spine.set_visible(False)
        style.axis_titles(ax, "", title)
    for i, (start, end) in enumerate(pairwise(KEY)):
        left.plot([start, end], [-0.75] * 2, color=_colour(i), lw=5, solid_capstyle="butt")
    style.note(left, KEY[0], -0.75, "lost", "muted", ha="right", dx=-4)
    style.note(left, KEY[-1], -0.75, "kept", "muted", dx=4)
    return fig


def _colour(index: int) -> str:
    """The more of a tie is kept, the darker it is."""
    return style.tint("released", round(0.15 + 0.85 * index / (CLASSES - 1), 4))


def paint_step(fig: Figure, step: Step) -> None:
    """The subset, the two characters, their distances to it; ties by what is kept of them."""
    left, right = fig.axes
    style.retitle(fig, _title(step), _subtitle(step))
    _draw_ties(left, step)
    _draw_network(left, step)
    _draw_embedded(right, step)


def _title(step: Step) -> str:
    if step.index == 0:
        return "The novel, twice: its true distances"
    gap = abs(step.to_subset[0] - step.to_subset[1]) * step.largest
    words = "says nothing" if gap < 1e-9 else f"tells them apart by {_hops(gap)}"
    return f"This subset {words}"


def _segments(places: np.ndarray, ties: np.ndarray, **appearance: float | str) -> PathPatch:
    """All ties as one shape, with as many points in every state: a page leads it as a whole."""
    codes = np.tile([Path.MOVETO, Path.LINETO], len(ties))
    path = Path(places[ties].reshape(-1, 2), codes)
    path.should_simplify = False
    return PathPatch(path, fc="none", **appearance)


def _draw_ties(ax: Axes, step: Step) -> None:
    """The ties of the network in tints: how much of each the embedding keeps."""
    at = network_map()
    ties = real_sets.les_miserables_network().ties
    which = np.minimum((step.shares * CLASSES).astype(int), CLASSES - 1)
    for index in np.unique(which):
        appearance = {"ec": _colour(index), "lw": 1.1 * style.mode_of(ax).line_scale, "zorder": 1}
        ax.add_patch(_segments(at, ties[which == index], **appearance))


def _draw_network(ax: Axes, step: Step) -> None:
    """Members glow; the two characters are named, with their distance to the subset."""
    at = network_map()
    scale = style.mode_of(ax).marker_scale
    dot = {"ms": 3.4 * scale, "mew": 0, "color": style.ROLES["public"].colour, "zorder": 2}
    ax.plot(*at.T, "o", **dot)
    appearance = {"mfc": style.ROLES["event"].colour, "mec": style.INK, "mew": 0.9}
    ax.plot(*at[step.kept].T, "o", ms=7.5 * scale, zorder=5, **appearance)
    names = real_sets.les_miserables_network().names
    # Projected, the letters are large: the distances then stand in the sentence only.
    said = step.index and ax.get_figure(root=True).mode == "notebook"
    for code, far, (x, y, ha) in zip(step.pair, step.to_subset, CORNERS, strict=True):
        ax.plot(*at[[code]].T, "o", **_lit(scale))
        words = f"{names[code]}: {_hops(far * step.largest)}" if said else names[code]
        style.note(ax, x, y, words, "released", bold=True, ha=ha, target=tuple(at[code]))


def _lit(scale: float) -> dict[str, float | str]:
    colour = style.ROLES["released"].colour
    return {"ms": 6 * scale, "mfc": colour, "mec": "white", "mew": 0.9, "zorder": 7}


def _draw_embedded(ax: Axes, step: Step) -> None:
    """All characters where the embedded distances put them; the pair and what lies between.

    The picture is enlarged until it reaches as far as the network's map.
    """
    at = step.enlarged * step.picture
    mode = style.mode_of(ax)
    words = f"enlarged {style.number(step.enlarged)} times" if step.index > 1 else ""
    style.note(ax, 0, -0.75, words, "muted", ha="center")
    ties = real_sets.les_miserables_network().ties
    appearance = {"ec": style.ROLES["lattice"].colour, "lw": 0.6 * mode.line_scale, "zorder": 1}
    ax.add_patch(_segments(at, ties, **appearance))
    dot = {"ms": 3.4 * mode.marker_scale, "mew": 0, "color": style.ROLES["public"].colour}
    ax.plot(*at.T, "o", zorder=2, **dot)
    pair = at[list(step.pair)]
    ax.plot(*pair.T, **style.line("released", ax.get_figure(root=True).mode, marker=False))
    for place in pair:
        ax.plot(*place[:, None], "o", **_lit(mode.marker_scale))


def _hops(value: float) -> str:
    count = round(value)
    return "1 hop" if count == 1 else f"{count} hops"


def _subtitle(step: Step) -> str:
    if step.index == 0:
        return (
            f"{len(step.picture)} characters, {len(step.shares)} ties; the same map on both sides"
        )
    members = "all characters" if step.scale == 1 else _members(len(step.kept))
    reached = f"embedded {style.fixed(step.after)}, true {style.number(step.true)}"
    return f"subset {step.index} of {step.of}, {members}; {reached}"


def _members(count: int) -> str:
    return "1 member" if count == 1 else f"{count} members"


def say_step(step: Step) -> str:
    """One sentence of reading."""
    names = [real_sets.les_miserables_network().names[code] for code in step.pair]
    if step.index == 0:
        return (
            f"The novel's network, and a map of its true distances. {names[0]} and {names[1]} are "
            f"{style.number(step.true)} apart, in units of the largest distance."
        )
    far = [_hops(far * step.largest) for far in step.to_subset]
    return (
        f"Subset {step.index}: {names[0]} is {far[0]} from it, {names[1]} {far[1]}. "
        f"Ties keep {_kept(step)} of their length."
    )


def _kept(step: Step) -> str:
    """The least, the middle and the largest share."""
    if step.shares.max() == 0:
        return "nothing"
    low, middle, high = (f"{100 * share:.0f}" for share in np.quantile(step.shares, [0, 0.5, 1]))
    return f"{low} to {high} %, at the median {middle} %,"


def table_step(step: Step) -> list[list[str]]:
    """Distances, weight and sums."""
    return [
        ["", "value"],
        ["added", style.fixed(step.after - step.before, 4)],
        ["embedded so far", style.fixed(step.after, 4)],
        ["true", style.fixed(step.true, 4)],
    ]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_frechet(pair: tuple[str, str] = PAIR, start: int = 8, seed: int = SEED) -> Player:
    """Subset by subset: two characters of the novel told apart, and all ties."""
    return Player(STEP, record(pair, seed=seed), start)
