"""Lesson 04 by hand: cuts of a network are coordinates, and their distances add up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Click, Explorer, View

BUTTONS = ("first", "second", "third", "fourth")
SOME = tuple(
    " ".join(chosen) or "none"
    for size in range(len(BUTTONS) + 1)
    for chosen in combinations(BUTTONS, size)
)
BELOW = -1.42  # where the buttons stand, below the towns
ACROSS = (-0.9, -0.3, 0.3, 0.9)
ROWS = 9  # of pairs, at most, less one


@dataclass(frozen=True)
class Network:
    """A small network and four offers of cuts.

    Attributes
    ----------
    towns : name -> place on the map
    ties : pairs of names, each of length 1
    offers : words of a button -> one side of each cut that it draws, a string of names
    weight : what each side adds to the distance of two towns that it separates
    """

    towns: Mapping[str, tuple[float, float]]
    ties: tuple[str, ...]
    offers: Mapping[str, tuple[str, ...]]
    weight: float = 1.0


def placed(names: str, *places: tuple[float, float]) -> Mapping[str, tuple[float, float]]:
    """Towns with names of one letter each.

    >>> placed("ab", (0.0, 0.0), (1.0, 0.0))
    {'a': (0.0, 0.0), 'b': (1.0, 0.0)}
    """
    return dict(zip(names, places, strict=True))


NETWORKS = {
    "star": Network(
        placed("mabc", (0.0, 0.0), (0.0, 0.95), (-0.85, -0.55), (0.85, -0.55)),
        ("ma", "mb", "mc"),
        {name: (name,) for name in "abcm"},
    ),
    "square": Network(
        placed("abcd", (-0.7, 0.7), (0.7, 0.7), (0.7, -0.7), (-0.7, -0.7)),
        ("ab", "bc", "cd", "da"),
        {"ad": ("ad",), "ab": ("ab",), "a": ("a",), "ac": ("ac",)},
    ),
    "K₂,₃": Network(
        placed("uvxyz", (-1.0, 0.0), (1.0, 0.0), (0.0, 0.8), (0.0, 0.0), (0.0, -0.8)),
        ("ux", "uy", "uz", "vx", "vy", "vz"),
        {
            "xyz": ("x", "y", "z"),
            "+ u": ("xu", "yu", "zu"),
            "+ v": ("xv", "yv", "zv"),
            "uv": ("uv",),
        },
        0.25,
    ),
}


@dataclass(frozen=True, eq=False)
class Cut:
    """Distances of a small network, and what some cuts make of them.

    Attributes
    ----------
    network : its name in ``NETWORKS``
    chosen : which of the four buttons are pressed, in order
    true, embedded : arrays, of each pair in the order of :meth:`pairs`
    """

    network: str
    chosen: tuple[int, ...]
    true: np.ndarray
    embedded: np.ndarray

    @property
    def pairs(self) -> list[str]:
        """All pairs of towns, such as "ab"."""
        return [a + b for a, b in combinations(NETWORKS[self.network].towns, 2)]

    @property
    def distortion(self) -> float:
        """The largest quotient of the two distances over the smallest; inf if a pair is lost."""
        quotients = self.embedded / self.true
        return float(quotients.max() / quotients.min()) if quotients.min() > 0 else math.inf

    @property
    def sides(self) -> list[str]:
        """One side of each cut that is pressed."""
        offers = list(NETWORKS[self.network].offers.values())
        return [side for i in self.chosen for side in offers[i]]


def cut(*, network: str, cuts: str, seed: int = 1) -> Cut:
    """Add up the cuts that separate two towns; nothing is random, ``seed`` is not used.

    >>> cut(network="square", cuts="first second").distortion
    1.0
    >>> round(cut(network="K₂,₃", cuts="first second third").distortion, 3)
    1.333
    """
    of = NETWORKS[network]
    chosen = tuple(i for i, name in enumerate(BUTTONS) if name in cuts.split())
    result = Cut(network, chosen, hops(of), np.zeros(0))
    apart = [
        of.weight * sum((a in side) != (b in side) for side in result.sides)
        for a, b in result.pairs
    ]
    return Cut(network, chosen, result.true, np.array(apart))


def hops(network: Network) -> np.ndarray:
    """Fewest ties between two towns, of each pair."""
    names = list(network.towns)
    table = np.full((len(names), len(names)), np.inf)
    np.fill_diagonal(table, 0)
    for a, b in network.ties:
        table[names.index(a), names.index(b)] = table[names.index(b), names.index(a)] = 1
    for middle in range(len(names)):
        table = np.minimum(table, table[:, [middle]] + table[middle])
    return table[np.triu_indices(len(names), 1)]


def frame_cut(mode: str) -> Figure:
    """Left the network and the buttons, right both distances of each pair."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.1, 1], sharex=False, sharey=False
    )
    style.linear_axis(left, "x", -1.3, 1.3, [])
    style.linear_axis(left, "y", -1.75, 1.25, [])
    style.linear_axis(right, "x", -0.75, 3.3, [0, 1, 2, 3])
    style.linear_axis(right, "y", -ROWS - 0.6, 0.6, [])
    style.axis_titles(left, "press: one side of a cut", "")
    pair = "" if mode == "projector" else "of a pair: "  # its large type has no room for more
    style.axis_titles(right, f"{pair}○ hops, ● sum of cuts", "")
    return fig


def paint_cut(fig: Figure, result: Cut) -> None:
    """A stroke through a tie for each cut that separates its ends."""
    (left, right), mode = fig.axes, fig.mode
    style.retitle(fig, _title(result), _subtitle(result))
    _draw_network(left, result)
    _draw_buttons(left, result)
    rows = -np.arange(len(result.pairs)) * ROWS / max(len(result.pairs) - 1, 1)
    right.hlines(rows, result.true, result.embedded, color=style.INK, lw=0.8, zorder=2)
    right.plot(result.true, rows, **style.points("records", mode) | {"ms": 9, "mfc": "white"})
    right.plot(result.embedded, rows, **style.points("released", mode) | {"ms": 5})
    for i, (name, row) in enumerate(zip(result.pairs, rows, strict=True)):
        aside = i % 2 if mode == "phone" else 0  # rows stand close on a telephone
        style.note(right, (-0.3, -0.6)[aside], row, name, ha="center", va="center")


def _title(result: Cut) -> str:
    if not result.chosen:
        return "No cut yet: all towns fall into one point"
    if math.isinf(result.distortion):
        return f"{_pairs(int((result.embedded == 0).sum()))} not separated by any cut"
    if result.distortion == 1:
        return "Every distance is the sum of the cuts"
    return f"The worst stretch by these cuts is {style.fixed(result.distortion, 2)}"


def _pairs(many: int) -> str:
    return "1 pair is" if many == 1 else f"{many} pairs are"


def _subtitle(result: Cut) -> str:
    weight = NETWORKS[result.network].weight
    sides = len(result.sides)
    words = "1 cut" if sides == 1 else f"{sides} cuts"
    return f"{words}, each adds {style.number(weight)} to the pairs that it separates"


def _draw_network(ax: Axes, result: Cut) -> None:
    """Ties with their strokes, then the towns over them."""
    of, mode = NETWORKS[result.network], ax.get_figure(root=True).mode
    quotient = dict(zip(result.pairs, result.embedded / result.true, strict=True))
    for a, b in of.ties:
        start, end = np.array(of.towns[a]), np.array(of.towns[b])
        name = a + b if a + b in quotient else b + a
        appearance = style.line("released" if quotient[name] == 1 else "public", mode, marker=False)
        ax.plot(*np.stack([start, end]).T, **appearance)
        strokes = sum((a in side) != (b in side) for side in result.sides)
        for place in (np.arange(strokes) - (strokes - 1) / 2) * 0.07 + 0.5:
            middle = start + place * (end - start)
            across = np.array([start[1] - end[1], end[0] - start[0]])
            across *= 0.09 / np.hypot(*across)
            ends = np.stack([middle - across, middle + across])
            ax.plot(*ends.T, **style.line("event", mode, marker=False) | {"lw": 2})
    towns = np.array(list(of.towns.values()))
    size = style.mode_of(ax)
    round_ = {"ms": 13 * size.marker_scale, "mfc": "white", "zorder": 7}
    ax.plot(*towns.T, **style.points("records", mode) | round_)
    ground = {} if size.marker_scale == 1 else {"halo": "none"}  # a large letter fills its circle
    for name, (x, y) in of.towns.items():
        style.note(ax, x, y, name, ha="center", va="center", **ground)


def _draw_buttons(ax: Axes, result: Cut) -> None:
    mode = ax.get_figure(root=True).mode
    across, below = np.array(ACROSS), np.full(len(BUTTONS), BELOW)
    button = style.points("event", mode) | {"marker": "o", "ms": 10}
    ax.plot(across, below, **button | {"mfc": "white", "gid": "cut"})
    ax.plot(across[list(result.chosen)], below[list(result.chosen)], **button)
    for x, words in zip(across, NETWORKS[result.network].offers, strict=True):
        style.note(ax, x, BELOW, words, dx=8, halo="none")


def say_cut(result: Cut) -> str:
    """One sentence of reading."""
    return f"{result.network}: {_title(result)}."


def table_cut(result: Cut) -> list[list[str]]:
    """Of each pair both distances."""
    rows = zip(result.pairs, result.true, result.embedded, strict=True)
    return [
        ["towns", "hops", "sum of cuts"],
        *([pair, f"{t:.0f}", f"{e:.2f}"] for pair, t, e in rows),
    ]


CUT = View(frame_cut, paint_cut, say_cut, table_cut)


def toggle(cuts: str, i: int) -> str:
    """The cuts with the i-th button pressed or let go.

    >>> toggle("none", 1), toggle("first second", 0), toggle("first", 0)
    ('second', 'second', 'none')
    """
    chosen = set(cuts.split()) ^ {BUTTONS[i]}
    return " ".join(name for name in BUTTONS if name in chosen) or "none"


def explore_cuts() -> Explorer:
    """Press cuts until their sum is the distance of every two towns."""
    controls = [
        Choice(name="network", label="network", values=tuple(NETWORKS), start="star"),
        Choice(name="cuts", label="cuts", values=SOME, start="first"),
    ]
    presets = {
        "Three towns on a star": {},
        "A square": {"network": "square"},
        "K₂,₃": {"network": "K₂,₃"},
        "The least stretch": {"network": "K₂,₃", "cuts": "first second third"},
    }
    handles = [Click(mark="cut", control="cuts", names=BUTTONS, to=toggle)]
    return Explorer(cut, CUT, controls, presets, random=False, handles=handles)
