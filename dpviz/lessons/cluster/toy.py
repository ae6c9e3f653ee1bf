"""Lesson 07 in the hand: nine records on a line, the shortest interval, and a public grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Explorer, Handle, Points, Slider, View, stops

PIN = 0.7  # height at which the pinned ball is drawn
RECORDS = ((0.08,), (0.2,), (0.24,), (0.29,), (0.33,), (0.55,), (0.68,), (0.72,), (0.95,))


@dataclass(frozen=True, eq=False)
class Crowded:
    """Where records stand close together, in private and on a public grid.

    Attributes
    ----------
    records : array
    t : how many an interval must hold
    start, length : of the shortest such interval
    edges : of the public grid's cells, from 0 to 1
    counts : records in each cell
    shift : where one line of the grid stands; the others follow it
    pin : centre of a fixed interval, as long as a cell; side : their length
    inside : records in it
    """

    records: np.ndarray
    t: int
    start: float
    length: float
    edges: np.ndarray
    counts: np.ndarray
    shift: float
    pin: float
    side: float
    inside: int


def crowd(
    *, records: Places, t: int, side: float, shift: float, pin: float, seed: int = 1
) -> Crowded:
    """The shortest interval that holds t records, the count around a pin, the counts of a grid.

    Nothing is random, ``seed`` is not used.

    Raises
    ------
    ValueError
        If there are fewer than t records.
    """
    places = np.array([place for (place,) in records])
    at = np.sort(places)
    if len(at) < t:
        raise ValueError(f"t must be at most the number of records, not {t}")
    lengths = at[t - 1 :] - at[: len(at) - t + 1]
    best = int(lengths.argmin())
    lines = shift + side * np.arange(-np.ceil(1 / side), np.ceil(1 / side) + 1)
    edges = np.concatenate([[0.0], lines[(lines > 1e-9) & (lines < 1 - 1e-9)], [1.0]])
    counts = np.histogram(at, edges)[0]
    inside = int((np.abs(at - pin) <= side / 2).sum())
    shortest = float(at[best]), float(lengths[best])
    return Crowded(places, t, *shortest, edges, counts, shift, pin, side, inside)


def frame_crowded(mode: str) -> Figure:
    """Above the line with its records, below the counts of the cells."""
    fig, (top, bottom) = style.figure(
        "", alt="", mode=mode, rows=2, heights=[1, 1.6], gutter=True, grid=False
    )
    for ax in (top, bottom):
        style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(top, "y", -1, 1, [])
    style.linear_axis(bottom, "y", 0, 9, [0, 3, 6, 9])
    style.axis_titles(top, "", "records (private)")
    style.axis_titles(bottom, "place", "records in each cell of a public grid")
    top.axhline(0, **style.line("lattice", mode))
    return fig


def paint_crowded(fig: Figure, result: Crowded) -> None:
    """The shortest interval, whose place jumps; the cells' counts, which move by one."""
    (top, bottom), mode = fig.axes, fig.mode
    where = f"{style.fixed(result.start, 2)} to {style.fixed(result.start + result.length, 2)}"
    title = f"The shortest interval with {result.t}: {where}"
    held = f"the pinned ball holds {result.inside} records, the heaviest cell {result.counts.max()}"
    style.retitle(fig, title, held)
    end = result.start + result.length
    top.axvspan(result.start, end, fc=style.tint("event", 0.6), lw=0, zorder=1)
    ball = np.array([result.pin - result.side / 2, result.pin + result.side / 2])
    public = style.line("public", mode)
    top.plot(ball, [PIN, PIN], **public | {"lw": 2, "clip_on": True})
    pin = public | {"marker": "o", "ms": 9, "gid": "pin"}
    top.plot([result.pin], [PIN], **pin, clip_on=False)
    record = style.points("records", mode) | {"ms": 9, "mfc": "white", "gid": "record"}
    top.plot(result.records, 0 * result.records, **record, clip_on=False)
    heaviest = int(result.counts.argmax())
    sides = np.diff(result.edges)
    for i, (start, side, count) in enumerate(zip(result.edges, sides, result.counts, strict=False)):
        fill = style.tint("truth", 0.42 if i == heaviest else 0.15)
        bottom.bar(start, count, side, align="edge", fc=fill, ec=style.INK, lw=0.8, zorder=2)
    bottom.axvline(result.shift, **style.line("public", mode) | {"lw": 3, "gid": "grid"})
    ends = [(1, 0, f"{len(result.records)} records", "truth"), (1, PIN, "ball (public)", "public")]
    style.label_ends(top, ends)
    ends = [
        (1, float(result.counts.max()), "heaviest", "truth"),
        (1, 0.4, "grid (public)", "public"),
    ]
    style.label_ends(bottom, ends)


def say_crowded(result: Crowded) -> str:
    """One sentence of reading."""
    heaviest = int(result.counts.argmax())
    low, high = result.edges[heaviest : heaviest + 2]
    return (
        f"{len(result.records)} records on a line. The shortest interval with {result.t} of them "
        f"is {style.fixed(result.length, 2)} long and starts at {style.fixed(result.start, 2)}: "
        f"one record can make it jump, so its place is not published. The count in a fixed ball "
        f"moves by at most one: {result.inside} are within {style.number(result.side / 2)} of "
        f"{style.fixed(result.pin, 2)}; the heaviest cell, {style.fixed(low, 2)} to "
        f"{style.fixed(high, 2)}, holds {result.counts[heaviest]}."
    )


def table_crowded(result: Crowded) -> list[list[str]]:
    """The counts of the shortest interval, of the ball and of the cells."""
    rows = zip(result.edges, result.edges[1:], result.counts, strict=False)
    shortest = f"{result.start:.2f} to {result.start + result.length:.2f}"
    ball = f"{result.pin - result.side / 2:.3f} to {result.pin + result.side / 2:.3f}"
    return [
        ["place", "records"],
        [f"shortest interval, {shortest}", str(result.t)],
        [f"pinned ball, {ball}", str(result.inside)],
        *([f"cell, {low:.2f} to {high:.2f}", str(count)] for low, high, count in rows),
    ]


CROWDED = View(frame_crowded, paint_crowded, say_crowded, table_crowded)


def explore_line() -> Explorer:
    """Drag a record: the shortest interval jumps, counts move by one. Drag the pin, the grid."""
    controls = [
        Points(name="records", label="record", start=RECORDS, lower=0, upper=1, fewest=4, most=12),
        Slider(name="t", label="t", values=range(2, 10), start=4),
        Slider(
            name="side", label="side of a cell", values=stops(0.1, 0.5, also=[0.2, 0.4]), start=0.2
        ),
        Slider(
            name="shift",
            label="a line of the grid",
            values=stops(0.02, 0.98, also=[0.26, 0.4, 0.5]),
            start=0.4,
        ),
        Slider(name="pin", label="centre of the ball", values=stops(0, 1, also=[0.27]), start=0.27),
    ]
    presets = {
        "Nine records": {},
        "The interval jumps": {"records": (*RECORDS[:3], (0.62,), *RECORDS[4:])},
        "The grid cuts the crowd": {"shift": 0.26},
        "A cell swallows it": {"shift": 0.5, "side": 0.4},
    }
    handles = [
        Handle(mark="record", x="records"),
        Handle(mark="pin", x="pin"),
        Handle(mark="grid", x="shift"),
    ]
    return Explorer(crowd, CROWDED, controls, presets, random=False, handles=handles)
