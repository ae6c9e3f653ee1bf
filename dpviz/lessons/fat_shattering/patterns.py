"""Shattering in the hand: three patients, eight patterns, levels that are dragged (lesson 08)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Choice, Click, Explorer, Handle, Points, Slider, View, stops
from dpviz.lessons.fat_shattering.explorers import draw_margin
from dpviz.papers.fat_shattering.dimension import ROUNDING

PATIENTS = ("A", "B", "C")
PLACES = np.arange(len(PATIENTS), dtype=float)
PATTERNS = tuple("".join(map(str, bits)) for bits in np.ndindex(2, 2, 2))
GROUPS, RISING, THRESHOLDS = "all groups", "rising functions", "thresholds"
LEVELS = ((0.5,), (0.5,), (0.5,))
PART = ((0.2,), (0.5,), (0.5,))  # from here one level leads to all patterns
APART = ((0.2,), (0.5,), (0.8,))


@dataclass(frozen=True, eq=False)
class Patterns:
    """What a class of queries shows on three patients.

    Attributes
    ----------
    name, gamma, pattern : the class, the margin, the pattern that is looked at
    levels : array (3,)
    queries : for each pattern the values (3,) of a query that shows it, or None
    """

    name: str
    gamma: float
    pattern: str
    levels: np.ndarray
    queries: dict[str, np.ndarray | None]

    @property
    def shown(self) -> list[str]:
        """The patterns that some query shows."""
        return [word for word, values in self.queries.items() if values is not None]

    @cached_property
    def shattered(self) -> int:
        """Of how many patients, at most, all patterns are shown at these levels."""
        sizes = [
            size
            for size in (1, 2, 3)
            for some in combinations(range(3), size)
            if len({tuple(word[i] for i in some) for word in self.possible(some)}) == 2**size
        ]
        return max(sizes, default=0)

    def possible(self, some: tuple[int, ...]) -> list[str]:
        """The patterns that are shown at some of the patients, whatever happens at the others."""
        return [
            word
            for word in PATTERNS
            if query(self.name, word, self.levels, self.gamma, some) is not None
        ]


def query(
    name: str, pattern: str, levels: np.ndarray, gamma: float, some: tuple[int, ...] = (0, 1, 2)
) -> np.ndarray | None:
    """Values of a query that is high or low at some of the patients as a pattern says.

    Returns
    -------
    array (3,), or None if the class has no such query

    >>> query("thresholds", "011", np.full(3, 0.5), 0.25).tolist()
    [0.0, 1.0, 1.0]
    >>> query("thresholds", "100", np.full(3, 0.5), 0.25) is None
    True
    """
    least, most = np.zeros(3), np.ones(3)
    for i in some:
        if pattern[i] == "1":
            least[i] = levels[i] + gamma
        else:
            most[i] = levels[i] - gamma
    if name != RISING:
        least, most = np.ceil(least - ROUNDING), np.floor(most + ROUNDING)
    values = least if name == GROUPS else np.maximum.accumulate(least)
    return values if (values <= most + ROUNDING).all() else None


def show(*, levels: Places, name: str, gamma: float, pattern: str, seed: int = 1) -> Patterns:
    """Look for a query for each pattern; nothing is random, ``seed`` is not used.

    >>> found = show(levels=LEVELS, name=THRESHOLDS, gamma=0.25, pattern="011")
    >>> found.shown, found.shattered
    (['000', '001', '011', '111'], 1)
    """
    heights = np.array([height for (height,) in levels])
    queries = {word: query(name, word, heights, gamma) for word in PATTERNS}
    return Patterns(name, gamma, pattern, heights, queries)


def frame_patterns(mode: str) -> Figure:
    """Left the three patients, right the eight patterns."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.7, 1], sharex=False, sharey=False
    )
    style.linear_axis(left, "x", -0.5, 2.5, list(PLACES))
    left.set_xticklabels(PATIENTS)
    style.linear_axis(left, "y", -0.04, 1.04, [0, 0.25, 0.5, 0.75, 1])
    style.axis_titles(left, "patient", "value of a query")
    right.set_axis_off()
    right.set(xlim=(0, 2), ylim=(-3.6, 0.6))
    return fig


def paint_patterns(fig: Figure, result: Patterns) -> None:
    """Levels with their margins, the query that shows the pattern; all patterns."""
    (left, right), mode = fig.axes, fig.mode
    chosen = result.queries[result.pattern]
    style.retitle(
        fig,
        f"{len(result.shown)} of 8 patterns shown: {_patients(result)} shattered",
        f"{result.name}, γ = {style.number(result.gamma)}; line: "
        + (f"a query that shows {result.pattern}" if chosen is not None else "none"),
    )
    for x, level, bit in zip(PLACES, result.levels, result.pattern, strict=True):
        draw_margin(left, x, level, result.gamma, bit == "1", clip=True)
    if chosen is not None:
        left.plot(PLACES, chosen, **style.line("public", mode) | {"lw": 2.4, "marker": "o"})
    hold = style.points("records", mode) | {"ms": 9, "mfc": "white", "gid": "level"}
    left.plot(PLACES, result.levels, **hold, clip_on=False)
    rows, columns = np.arange(8) % 4, np.arange(8) // 4
    button = style.points("event", mode) | {"marker": "s", "ms": 13}
    places = 0.3 + columns, -rows.astype(float)
    right.plot(*places, **button | {"mfc": "white", "gid": "pattern"})
    realised = np.array([result.queries[word] is not None for word in PATTERNS])
    right.plot(places[0][realised], places[1][realised], **button)
    for x, y, word in zip(*places, PATTERNS, strict=True):
        style.note(right, x + 0.2, y, word, bold=word == result.pattern)


def _patients(result: Patterns) -> str:
    """How many patients are shattered."""
    return "1 patient" if result.shattered == 1 else f"{result.shattered} patients"


def say_patterns(result: Patterns) -> str:
    """One sentence of reading."""
    verdict = "is" if result.pattern in result.shown else "is not"
    levels = ", ".join(style.number(level) for level in result.levels)
    return (
        f"{result.name[0].upper()}{result.name[1:]}, levels {levels}, γ = "
        f"{style.number(result.gamma)}: {len(result.shown)} of 8 patterns, {_patients(result)} "
        f"shattered. {result.pattern} {verdict} shown."
    )


def table_patterns(result: Patterns) -> list[list[str]]:
    """Each pattern, and a query that shows it."""
    rows = [["pattern", *PATIENTS]]
    for word, values in result.queries.items():
        cells = ["-"] * 3 if values is None else [style.number(value, 3) for value in values]
        rows.append([word, *cells])
    return rows


SHOWN = View(frame_patterns, paint_patterns, say_patterns, table_patterns)


def explore_patterns() -> Explorer:
    """Press a pattern, drag the levels, choose the class."""
    controls = [
        Points(name="levels", label="level", start=LEVELS, lower=0, upper=1, fewest=3, most=3),
        Choice(name="name", label="class", values=(THRESHOLDS, RISING, GROUPS), start=THRESHOLDS),
        Slider(
            name="gamma",
            label="γ",
            values=stops(0.02, 0.5, also=[0.1]),
            start=0.25,
            show=lambda gamma: style.number(gamma, 4),
        ),
        Choice(name="pattern", label="pattern", values=PATTERNS, start="011"),
    ]
    presets = {
        "Thresholds": {},
        "Rising": {"name": RISING, "levels": PART, "gamma": 0.1, "pattern": "110"},
        "Levels apart": {"name": RISING, "levels": APART, "gamma": 0.1, "pattern": "101"},
        "All groups": {"name": GROUPS, "pattern": "101"},
    }
    handles = [
        Handle(mark="level", y="levels"),
        Click(mark="pattern", control="pattern", names=PATTERNS, to=lambda now, i: PATTERNS[i]),
    ]
    return Explorer(show, SHOWN, controls, presets, random=False, handles=handles)
