"""Lesson 07 in the hand: nine records on a line, their best interval, counts, probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Explorer, Handle, Points, Slider, View, stops

PLACES = (0.08, 0.2, 0.24, 0.29, 0.33, 0.55, 0.68, 0.72, 0.95)
RECORDS = tuple((place,) for place in PLACES)
JUMPED = {"records": (*RECORDS[:3], (0.62,), *RECORDS[4:])}
T = 4  # records that an interval should hold
LENGTH = 0.2  # of the public intervals, which begin at every tenth
STARTS = np.arange(9) / 10
BELOW = -0.16  # where records stand, in heights of the axis


@dataclass(frozen=True, eq=False)
class Crowd:
    """Where T records stand close together, and how many there are in the cells of a grid.

    Attributes
    ----------
    places : array (9,), the records
    best, before : (start, end) of the shortest interval with T of them, now and at first
    edges : array, of the grid's cells from 0 to 1
    counts, earlier : int arrays, records in each cell, now and at first
    shift, side : where one line of the grid stands, and how far its lines are apart
    """

    places: np.ndarray
    best: tuple[float, float]
    before: tuple[float, float]
    edges: np.ndarray
    counts: np.ndarray
    earlier: np.ndarray
    shift: float
    side: float

    @property
    def swallowed(self) -> bool:
        """Whether one cell holds the whole interval."""
        first, last = np.searchsorted(self.edges, self.best, "right")
        return bool(first == last)


def shortest(places: np.ndarray) -> tuple[float, float]:
    """Start and end of the shortest interval that holds T records.

    >>> shortest(np.array(PLACES))
    (0.2, 0.33)
    """
    at = np.sort(places)
    first = int((at[T - 1 :] - at[: len(at) - T + 1]).argmin())
    return float(at[first]), float(at[first + T - 1])


def crowd(*, records: Places, side: float, shift: float, seed: int = 1) -> Crowd:
    """The best interval and the counts of a grid; nothing is random, ``seed`` is not used."""
    places = np.array([place for (place,) in records])
    lines = shift + side * np.arange(-10, 11)
    edges = np.concatenate([[0.0], lines[(lines > 1e-9) & (lines < 1 - 1e-9)], [1.0]])
    counts, earlier = (np.histogram(some, edges)[0] for some in (places, PLACES))
    before = shortest(np.array(PLACES))
    return Crowd(places, shortest(places), before, edges, counts, earlier, shift, side)


def moved(places: np.ndarray) -> int:
    """How many records stand elsewhere than at first."""
    return int((places != PLACES).sum())


def _many(count: int) -> str:
    return "1 record" if count == 1 else f"{count or 'no'} records"


def _ends(interval: tuple[float, float]) -> str:
    return " to ".join(style.fixed(end, 2) for end in interval)


def frame_crowd(mode: str) -> Figure:
    """Cells above the line with the records."""
    fig, ax = style.figure("", alt="", mode=mode, height=0.82, grid=False)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", 8 * BELOW * 1.6, 8, [0, 2, 4, 6, 8])
    style.axis_titles(ax, "place", "records in each cell of a public grid")
    return fig


def paint_crowd(fig: Figure, result: Crowd) -> None:
    """The shortest interval, whose place jumps; the counts, which move by one."""
    ax, mode = fig.axes[0], fig.mode
    change = int(np.abs(result.counts - result.earlier).max())
    where = f"with {T}: {_ends(result.best)}"
    style.retitle(
        fig,
        f"Shortest {where}; one cell holds it"
        if result.swallowed
        else f"Shortest interval {where}",
        f"{_many(moved(result.places))} moved; counts changed by at most {change}",
    )
    low = ax.get_ylim()[0]
    for (start, end), fill in ((result.before, 0.22), (result.best, 1)):
        span = {"fc": style.tint("event", fill), "ec": style.INK, "lw": 0.8, "zorder": 1}
        ax.bar(start, low, end - start, align="edge", **span)
    whole = zip(result.edges, result.edges[1:], result.counts, strict=False)
    for start, end, count in whole:
        holds = result.swallowed and start <= result.best[0] < end
        fill = style.tint("event", 0.68) if holds else style.tint("truth", 0.2)
        ax.bar(start, count, end - start, align="edge", fc=fill, ec=style.INK, lw=0.8, zorder=2)
    middles = (result.edges[1:] + result.edges[:-1]) / 2
    ax.plot(middles, result.earlier, **style.points("other", mode))
    ax.axvline(result.shift, **style.line("public", mode) | {"lw": 3, "gid": "grid"})
    draw_records(ax, result.places)
    left = {"dx": -5, "ha": "right"} if result.shift > 0.7 else {"dx": 5}
    style.note(ax, result.shift, 8, "grid (public)", "public", va="top", **left)
    last = float(result.counts[-1])
    ends = [(1, last, "counts (private)\n◇ before", "truth")]
    style.label_ends(ax, [*ends, (1, 8 * BELOW, "records\n(private)", "truth")])


def draw_records(ax: Axes, places: np.ndarray) -> None:
    """The records below the line; each can be dragged."""
    ax.axhline(0, color=style.INK, lw=0.8, zorder=2)
    mode = ax.get_figure(root=True).mode
    record = style.points("records", mode) | {"ms": 9, "mfc": "white", "gid": "record"}
    ax.plot(places, 0 * places + BELOW * ax.get_ylim()[1], **record, clip_on=False)


def say_crowd(result: Crowd) -> str:
    """One sentence of reading."""
    change = int(np.abs(result.counts - result.earlier).max())
    cell = "one cell holds them" if result.swallowed else "the grid cuts them apart"
    return (
        f"{T} of {len(PLACES)} records lie in {_ends(result.best)}, at first in "
        f"{_ends(result.before)}; {cell}. {_many(moved(result.places)).capitalize()} moved; "
        f"counts changed by at most {change}."
    )


def table_crowd(result: Crowd) -> list[list[str]]:
    """The counts of the cells, now and at first."""
    rows = zip(result.edges, result.edges[1:], result.earlier, result.counts, strict=False)
    cells = [[_ends((low, high)), str(first), str(now)] for low, high, first, now in rows]
    return [["cell", "before", "now"], *cells]


CROWD = View(frame_crowd, paint_crowd, say_crowd, table_crowd)


def _records() -> Points:
    return Points(name="records", label="record", start=RECORDS, lower=0, upper=1, fewest=9, most=9)


def explore_line() -> Explorer:
    """Drag a record: the shortest interval jumps, counts move by one. Drag the grid."""
    controls = [
        _records(),
        Slider(
            name="shift",
            label="a line of the grid",
            values=stops(0.02, 0.98, also=[0.26, 0.4]),
            start=0.26,
            show=lambda place: style.number(place, 4),
        ),
        Slider(
            name="side",
            label="side of a cell",
            values=stops(0.1, 0.4, also=[0.2]),
            start=0.2,
            show=lambda side: style.number(side, 4),
        ),
    ]
    presets = {
        "Nine records": {},
        "The interval jumps": JUMPED,
        "A cell swallows it": {"shift": 0.4},
    }
    handles = [Handle(mark="record", x="records"), Handle(mark="grid", x="shift")]
    return Explorer(crowd, CROWD, controls, presets, random=False, handles=handles)


@dataclass(frozen=True, eq=False)
class Chances:
    """The exponential mechanism on nine public intervals.

    Attributes
    ----------
    places : array (9,), the records
    factor : by which one record more multiplies an interval's weight
    counts, earlier : int arrays (9,), records in each interval, now and at first
    """

    places: np.ndarray
    factor: float
    counts: np.ndarray
    earlier: np.ndarray

    @property
    def laws(self) -> tuple[np.ndarray, np.ndarray]:
        """Probability of each interval, now and at first; (9,) each."""
        weights = [self.factor**counts for counts in (self.counts, self.earlier)]
        return tuple(some / some.sum() for some in weights)

    @property
    def ratio(self) -> float:
        """The largest factor by which a probability changed."""
        now, first = self.laws
        return float(np.exp(np.abs(np.log(now / first)).max()))


def held(places: np.ndarray) -> np.ndarray:
    """Records in each of the public intervals, which hold their start and not their end.

    >>> held(np.array(PLACES)).tolist()
    [1, 3, 4, 1, 1, 2, 2, 1, 1]
    """
    inside = (places[:, None] >= STARTS) & (places[:, None] < np.round(STARTS + LENGTH, 9))
    return inside.sum(axis=0)


def choose(*, records: Places, factor: float, seed: int = 1) -> Chances:
    """Count and weigh; nothing is drawn, ``seed`` is not used.

    >>> chances = choose(records=JUMPED["records"], factor=2)
    >>> chances.laws[0].max().round(3), round(chances.ratio, 2)
    (np.float64(0.211), 2.21)
    """
    places = np.array([place for (place,) in records])
    return Chances(places, factor, held(places), held(np.array(PLACES)))


def frame_chances(mode: str) -> Figure:
    """A bar for each interval above the line with the records."""
    fig, ax = style.figure("", alt="", mode=mode, height=0.9, grid=False)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", BELOW * 1.6, 1, [0, 0.25, 0.5, 0.75, 1])
    style.axis_titles(
        ax, "middle of the interval", "probability; numbers: records in the interval (private)"
    )
    return fig


def paint_chances(fig: Figure, result: Chances) -> None:
    """Probabilities now as bars, at first as diamonds; counts above the bars."""
    ax, mode = fig.axes[0], fig.mode
    now, first = result.laws
    limit = result.factor ** (2 * moved(result.places))
    style.retitle(
        fig,
        f"Probabilities changed by a factor of at most {style.number(result.ratio, 3)}",
        f"{_many(moved(result.places))} moved: {style.number(limit, 3)} is allowed; each record "
        f"multiplies a weight by {style.number(result.factor)}",
    )
    middles = STARTS + LENGTH / 2
    look = {"fc": style.tint("released", 0.42), "ec": style.INK, "lw": 0.8, "zorder": 2}
    ax.bar(middles, now, 0.07, **look)
    for middle, chance, count in zip(middles, now, result.counts, strict=True):
        style.note(ax, middle, chance, str(count), ha="center", va="bottom", dy=6)
    ax.plot(middles, now, **style.points("released", mode) | {"ms": 6})
    ax.plot(middles, first, **style.points("other", mode))
    draw_records(ax, result.places)
    ends = [
        (1, float(now[-1]), "probability", "released"),
        (1, float(first[-1]), "◇ before", "other"),
    ]
    ends += [(1, BELOW, "records\n(private)", "truth")]
    style.label_ends(ax, ends)


def say_chances(result: Chances) -> str:
    """One sentence of reading."""
    now, first = result.laws
    at = int(first.argmax())
    ends = _ends((float(STARTS[at]), float(STARTS[at] + LENGTH)))
    return (
        f"{ends} holds {result.counts[at]}: probability {style.fixed(now[at], 2)}, at first "
        f"{style.fixed(first[at], 2)}. {_many(moved(result.places)).capitalize()} moved; largest "
        f"change: a factor of {style.number(result.ratio, 3)}. "
        f"ε = {style.number(2 * math.log(result.factor), 3)}."
    )


def table_chances(result: Chances) -> list[list[str]]:
    """The heaviest five intervals: count, weight, probability."""
    now, first = result.laws
    rows = [["interval", "records", "weight", "now", "before"]]
    for at in np.sort(np.argsort(-now, kind="stable")[:5]):
        ends = _ends((float(STARTS[at]), float(STARTS[at] + LENGTH)))
        weight = style.number(result.factor ** result.counts[at])
        chances = [style.fixed(law[at], 3) for law in (now, first)]
        rows.append([ends, str(result.counts[at]), weight, *chances])
    return rows


CHANCES = View(frame_chances, paint_chances, say_chances, table_chances)


def explore_chances() -> Explorer:
    """Drag a record: no probability changes by more than the factor squared."""
    factors = stops(1, 8, log=True, also=[2, 4])
    controls = [
        _records(),
        Slider(name="factor", label="factor of a record", values=factors, start=2),
    ]
    presets = {
        "Nine records": {},
        "One has moved": JUMPED,
        "Weights × 8": {**JUMPED, "factor": 8},
        "All alike": {"factor": 1},
    }
    return Explorer(
        choose,
        CHANCES,
        controls,
        presets,
        random=False,
        handles=[Handle(mark="record", x="records")],
    )
