"""Lesson 00 in the hand: one dot of 569 is taken out; two worlds that noise makes alike."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Click, Explorer, Handle, Slider, View, stops
from dpviz.lessons.start.explorers import UPPER, piles, radii
from dpviz.privacy.curator import Curator
from dpviz.sweeps import seeds
from dpviz.words import say

IN, OUT = "yours", "0 in its place"
PATIENT = 201
FLOOR = -2.2  # below the piles, where the public value 0 stands
FLOORS = 0.0, 1.15  # where each world's numbers fall
REACH, BIN = 4.0, 0.5  # of the axis to both sides; of a heap
FIFTY, MOST = 50, 5000  # numbers that are guessed by hand, and in all
GRID = np.linspace(-REACH, REACH + 1, 541)


@dataclass(frozen=True, eq=False)
class Taken:
    """The mean with one record in, or with the public value 0 in its place.

    Attributes
    ----------
    patient : number of the patient, from 1
    value : the private value of the record
    mean : mean of all n records
    there : whether the record is in
    """

    patient: int
    value: float
    mean: float
    there: bool

    @property
    def now(self) -> float:
        """The mean that is published now."""
        return self.mean - self.moved

    @property
    def moved(self) -> float:
        """By how much the mean has moved."""
        return 0.0 if self.there else self.value / len(radii())

    @property
    def seen(self) -> float:
        """What a lens that magnifies n times shows."""
        return len(radii()) * self.moved


def take(*, patient: int, record: str, seed: int = 1) -> Taken:
    """Publish the mean with or without a record; nothing is random, ``seed`` is not used."""
    value = float(radii()[patient - 1])
    return Taken(patient, value, float(radii().mean()), record == IN)


def frame_taken(mode: str) -> Figure:
    """Above all patients, below a lens, over the same public range."""
    look = {"rows": 2, "heights": [2.3, 1], "gutter": True, "height": 0.8}
    fig, (top, bottom) = style.figure("", alt="", mode=mode, **look)
    for ax in (top, bottom):
        style.linear_axis(ax, "x", 0, UPPER)
    style.linear_axis(top, "y", FLOOR - 1.2, 1.12 * (1 + piles()[:, 1].max()), [])
    style.linear_axis(bottom, "y", 0, 1, [])
    style.axis_titles(top, "", say("radius of cell nuclei, a dot for each patient (private)"))
    words = say("how far the mean has moved, drawn 569 times as large")
    style.axis_titles(bottom, say("radius"), words)
    dots = style.points("records", mode) | {"mfc": style.INK, "mew": 0, "ms": 2, "alpha": 0.6}
    top.plot(*piles().T, **dots)
    return fig


def paint_taken(fig: Figure, result: Taken) -> None:
    """The chosen dot in its pile or at 0; the mean; the lens."""
    top, bottom = fig.axes
    n = len(radii())
    if result.there:
        title = say("The mean of {n} patients is {now:.3f}", n=n, now=result.now)
        subtitle = say("press the circle to put a 0 in your place")
    else:
        words = "The mean moves by {moved:.4f}; {n} times that is {seen:.2f}"
        title = say(words, moved=result.moved, n=n, seen=result.seen)
        subtitle = say("a 0 is in your place; press it to go back")
    style.retitle(fig, title, subtitle)
    top.axvline(result.now, **style.line("released", fig.mode, marker=False))
    mean = say("mean {now:.3f}\n(published)", now=result.now)
    style.label_ends(top, [(UPPER, 0.9 * top.get_ylim()[1], mean, "released")])
    height = piles()[result.patient - 1, 1]
    mark = style.points("event", fig.mode) | {"marker": "o", "ms": 9, "gid": "patient"}
    top.plot([result.value], [height], **mark)
    at = (result.value, height + 9) if result.there else (0.0, FLOOR)
    circle = style.points("records", fig.mode) | {"ms": 11, "mfc": "white", "gid": "record"}
    top.plot([at[0]], [at[1]], **circle, clip_on=False)
    _draw_lens(bottom, result)


def _draw_lens(ax: Axes, result: Taken) -> None:
    """From nothing to n times the step of the mean, beside the private value."""
    mode = ax.get_figure(root=True).mode
    blue = style.ROLES["released"].colour
    ax.axvline(result.value, **style.line("truth", mode))
    if result.seen:
        ax.barh(0.45, result.seen, 0.34, fc=blue, alpha=0.34, lw=0)
    ax.plot([result.seen], [0.45], **style.points("released", mode), clip_on=False)
    style.label_ends(
        ax,
        [
            (UPPER, 0.7, say("line: the value\n(private)"), "truth"),
            (UPPER, 0.2, say("move × 569"), "released"),
        ],
    )


def say_taken(result: Taken) -> str:
    """One sentence of reading."""
    n = len(radii())
    if result.there:
        words = "You are patient {patient} of {n}: the mean is {now:.4f}."
        return say(words, patient=result.patient, n=n, now=result.now)
    moved = {"patient": result.patient, "now": result.now, "mean": result.mean}
    return say(
        "With 0 in the place of patient {patient} the mean is {now:.4f} instead of {mean:.4f}: a "
        "step of {moved:.4f}, and {n} times that is {seen:.2f}, the patient's radius.",
        **moved,
        moved=result.moved,
        n=n,
        seen=result.seen,
    )


def table_taken(result: Taken) -> list[list[str]]:
    """The mean and the lens."""
    return [
        ["", say("number")],
        [say("patient"), f"{result.patient}"],
        [say("mean"), say("{now:.4f}", now=result.now)],
        [say("its step"), say("{moved:.4f}", moved=result.moved)],
        [say("step × 569"), say("{seen:.2f}", seen=result.seen)],
    ]


TAKEN = View(frame_taken, paint_taken, say_taken, table_taken)


def turn(record: str, _: int) -> str:
    """Take the record out, or put it back.

    >>> turn("yours", 0)
    '0 in its place'
    """
    return OUT if record == IN else IN


def explore_record() -> Explorer:
    """Press a dot to take its record out; drag it to be somebody else."""
    controls = [
        Slider(name="patient", label=say("patient"), values=range(1, 570), start=PATIENT),
        Choice(name="record", label=say("record"), values=(IN, OUT), start=IN),
    ]
    places = {"patient": lambda patient: radii()[patient - 1]}
    press = Click(mark="record", control="record", names=(say("(press to move it)"),), to=turn)
    handles = [Handle(mark="patient", x="patient", at=places, jump=True), press]
    return Explorer(take, TAKEN, controls, random=False, handles=handles)


@dataclass(frozen=True, eq=False)
class Worlds:
    """The published mean in two worlds, with a record and with 0 in its place; numbers from both.

    The exact mean of the world without the record is 0, and one sensitivity is the unit.

    Attributes
    ----------
    epsilon : of one publication
    value : the record's value, between 0 and 30
    numbers : how many published means have been guessed
    published : array (MOST,), what is published in each round
    sides : bool array (MOST,), whether the record was in
    """

    epsilon: float
    value: float
    numbers: int
    published: np.ndarray
    sides: np.ndarray

    @property
    def apart(self) -> float:
        """How far the worlds are apart."""
        return self.value / UPPER

    @property
    def right(self) -> int:
        """How many guesses of the nearer world were right."""
        guesses = self.published[: self.numbers] > self.apart / 2
        return int((guesses == self.sides[: self.numbers]).sum())

    @property
    def best(self) -> float:
        """Probability that the best guess is right, if both worlds were equally likely."""
        return 1 - math.exp(-self.epsilon * self.apart / 2) / 2

    @property
    def limit(self) -> float:
        """The largest such probability that any epsilon-private mechanism has."""
        return 1 / (1 + math.exp(-self.epsilon))


def compare_worlds(*, epsilon: float, value: float, numbers: int, seed: int = 1) -> Worlds:
    """A coin chooses the world in each round, and the mean is published."""
    coins, noise = seeds.spawn(seeds.seed(seed), 2)
    sides = np.random.default_rng(coins).random(MOST) < 0.5
    # As many publications, each at epsilon.
    curator = Curator(epsilon=MOST * epsilon, rng=noise)
    cost = {"sensitivity": MOST, "epsilon": MOST * epsilon, "label": "mean radius"}
    published = curator.laplace(sides * value / UPPER, **cost)
    return Worlds(epsilon, value, int(numbers), published, sides)


def frame_worlds(mode: str) -> Figure:
    """Left a floor for each world, right how often a guess was right."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[2.6, 1], sharex=False, sharey=False
    )
    style.linear_axis(left, "x", -REACH, REACH + 1, [-2, 0, 1, 3])
    left.set_xticklabels(["−2Δ", "0", "Δ", "3Δ"])
    style.linear_axis(left, "y", 0, 2.35, [])
    style.linear_axis(right, "x", 0, 1, [])
    style.linear_axis(right, "y", 0, 1, [0, 0.25, 0.5, 0.75, 1])
    style.axis_titles(left, say("published mean, from the one without you"), say("two worlds"))
    style.axis_titles(right, "", say("right guesses"))
    for floor, words in zip(FLOORS, ("without you", "with you"), strict=True):
        left.axhline(floor, **style.line("lattice", mode))
        style.note(left, -REACH, floor + 0.85, say(words), "truth", dx=4)
    return fig


def paint_worlds(fig: Figure, result: Worlds) -> None:
    """The two laws, what fell from each, the number that waits; the score."""
    (left, right), mode = fig.axes, fig.mode
    title = say("Which world does the yellow number come from?")
    if result.numbers:
        words = "{right} of {numbers} guesses right; in the long run {best}"
        score = {"right": style.number(result.right), "numbers": style.number(result.numbers)}
        title = say(words, **score, best=style.number(result.best, 3))
    more = say("guess “with you” right of the grey line")
    if result.numbers > FIFTY:
        more = say("a dot stands for {many} numbers", many=result.numbers // FIFTY)
    style.retitle(fig, title, f"ε = {style.number(result.epsilon)}; {more}")
    blue = style.line("released", mode, marker=False)
    for floor, centre in zip(FLOORS, (0.0, result.apart), strict=True):
        law = 0.9 * np.exp(-result.epsilon * np.abs(GRID - centre))
        left.fill_between(GRID, floor, floor + law, color=blue["color"], alpha=0.18, lw=0)
        left.plot(GRID, floor + law, **blue | {"lw": 1.2})
    left.axvline(result.apart / 2, **style.line("public", mode))
    _draw_numbers(left, result)
    hold = style.points("records", mode) | {"mfc": "white", "ms": 9}
    left.plot([result.apart], [FLOORS[1] + 0.9], **hold | {"gid": "you"})
    width = 1 / result.epsilon
    left.plot([-width], [0.9 * math.exp(-1)], **hold | {"gid": "scale"})
    style.note(left, -width, 0.9 * math.exp(-1), "ε", dx=-8, ha="right", va="bottom")
    if result.numbers:
        share = result.right / result.numbers
        right.bar(0.5, share, 0.5, fc=blue["color"], alpha=0.34, lw=0)
    right.axhline(result.limit, **style.line("bound", mode, marker=False))
    look = {"va": "top", "dy": -2} if result.limit > 0.93 else {"va": "bottom", "dy": 2}
    words = say("limit {limit}", limit=style.fixed(result.limit, 3))
    style.note(right, 0.5, result.limit, words, "bound", ha="center", **look)


def _draw_numbers(ax: Axes, result: Worlds) -> None:
    """A dot for each number in the heap of its world; the next one waits above."""
    mode = ax.get_figure(root=True).mode
    at = np.clip(result.published, -REACH + 0.01, REACH + 0.99)
    heaps = np.floor(at[: result.numbers] / BIN)
    tall = max(1.0, result.numbers / FIFTY)
    for floor, side in zip(FLOORS, (False, True), strict=True):
        there = heaps[result.sides[: result.numbers] == side]
        for heap, count in zip(*np.unique(there, return_counts=True), strict=True):
            dots = np.arange(round(count / tall))
            look = style.points("released", mode) | {"ms": 4.5}
            ax.plot([(heap + 0.5) * BIN] * len(dots), floor + 0.04 + 0.075 * dots, **look)
    if result.numbers < FIFTY:
        event = style.points("event", mode) | {"marker": "o", "ms": 8}
        ax.plot([at[result.numbers]], [2.2], **event)


def say_worlds(result: Worlds) -> str:
    """One sentence of reading."""
    return say(
        "At ε = {epsilon} and radius {value} the best guess is right with probability {best} "
        "({right} of {numbers} here); the limit is {limit}.",
        epsilon=style.number(result.epsilon),
        **{name: style.number(getattr(result, name), 3) for name in ("value", "best", "limit")},
        right=style.number(result.right),
        numbers=style.number(result.numbers),
    )


def table_worlds(result: Worlds) -> list[list[str]]:
    """The score and both probabilities."""
    numbers = {name: style.number(getattr(result, name)) for name in ("right", "numbers")}
    score = say("{right} of {numbers}", **numbers)
    rows = [(say("right"), score)]
    rows += [(say("best guess"), style.fixed(result.best, 3))]
    rows += [(say("limit"), style.fixed(result.limit, 3))]
    return [["", say("number")], *map(list, rows)]


WORLDS = View(frame_worlds, paint_worlds, say_worlds, table_worlds)


def explore_worlds() -> Explorer:
    """Guess number by number; drag epsilon by the flank of a density, your value by a peak."""
    epsilons = stops(0.3, 5, log=True, also=[0.5, 1, 2])
    controls = [
        Slider(
            name="numbers",
            label=say("numbers guessed"),
            values=[*range(FIFTY + 1), MOST],
            start=10,
        ),
        Slider(name="epsilon", label="ε", values=epsilons, start=1),
        Slider(name="value", label=say("your radius"), values=stops(0, UPPER), start=UPPER),
    ]
    presets = {
        say("From the first"): {"numbers": 0},
        say("5,000 guesses"): {"numbers": MOST},
        "ε = 5": {"epsilon": 5, "numbers": MOST},
        say("Radius 12"): {"value": 12, "numbers": MOST},
    }
    handles = [
        Handle(mark="you", x="value", at={"value": lambda value: value / UPPER}),
        Handle(mark="scale", x="epsilon", at={"epsilon": lambda epsilon: -1 / epsilon}),
    ]
    return Explorer(compare_worlds, WORLDS, controls, presets, handles=handles)
