"""The explorer of lesson 00: an average published again and again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes

from dpviz.data import real_sets
from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Click, Explorer, Handle, Slider, View, stops
from dpviz.privacy.curator import Curator
from dpviz.words import say

UPPER = 30.0  # public upper bound of the radius
EPSILONS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 7, 10, 20, 50]
REPEATS = [1, 2, 5, 10, 20, 50, 100, 200, 400]
OUT, BACK = "taken out", "put back"
ROWS = ["Monday's mean", "Tuesday's mean", "recovered, each", "recovered, average"]


@dataclass(frozen=True, eq=False)
class Recovered:
    """Both averages as published, and what follows about one patient.

    Attributes
    ----------
    monday, tuesday : arrays (repeats,), the published means
    truth : the patient's value
    patient : number of the patient, from 1
    there : whether the patient's record is in the data on Tuesday
    n : number of patients
    how : rounding or noise, in words
    spent : epsilon of all publications; 0 without noise, which promises nothing
    sd : standard deviation of the average of all recoveries
    """

    monday: np.ndarray
    tuesday: np.ndarray
    truth: float
    patient: int
    there: bool
    n: int
    how: str
    spent: float
    sd: float

    @property
    def values(self) -> np.ndarray:
        """The recovered value of each repeat."""
        return self.n * (self.monday - self.tuesday)


@lru_cache
def radii() -> np.ndarray:
    """Mean radius of the cell nuclei of each patient."""
    clinic = real_sets.breast_cancer()
    return clinic.data[:, clinic.columns.index("mean radius")]


def recover(
    *,
    decimals: int,
    noise: str,
    epsilon: float,
    repeats: int,
    patient: int,
    tuesday: str = OUT,
    seed: int,
) -> Recovered:
    """Publish the mean with the patient and, on Tuesday, with 0 in the patient's place."""
    before = radii()
    after = before.copy()
    if tuesday == OUT:
        after[patient - 1] = 0.0
    means = [before.mean(), after.mean()]
    n = len(before)
    if noise == "off":
        first, second = (np.full(repeats, round(mean, decimals)) for mean in means)
        how = say("{decimals} decimals, no noise", decimals=decimals)
        spent = sd = 0.0
    else:
        curator = Curator(epsilon=2 * repeats * epsilon, rng=seed)
        cost = {"epsilon": epsilon, "repeats": repeats}
        first, second = (_publish(curator, mean, n, **cost) for mean in means)
        how = say("noise, ε = {epsilon} a mean", epsilon=style.number(epsilon))
        spent = curator.ledger.spent.epsilon
        sd = 2 * UPPER / epsilon / math.sqrt(repeats)  # of two Laplace noises of scale UPPER / εn
    truth = float(before[patient - 1])
    return Recovered(first, second, truth, patient, tuesday == BACK, n, how, spent, sd)


def _publish(curator: Curator, mean: float, n: int, *, epsilon: float, repeats: int) -> np.ndarray:
    """The same mean published ``repeats`` times, each at ``epsilon``."""
    cost = {"sensitivity": repeats * UPPER / n, "epsilon": repeats * epsilon}
    return curator.laplace(np.full(repeats, mean), label="mean radius", **cost)


@lru_cache
def piles() -> np.ndarray:
    """A dot for each patient: radius, and how many of its half millimetre lie below it."""
    at = np.floor(2 * radii()) / 2
    below = np.array([(at[:i] == each).sum() for i, each in enumerate(at)])
    return np.column_stack([radii(), below])


def frame_recovered(mode: str) -> Figure:
    """Above all patients, below four rows, over the public range of the radius."""
    fig, (top, bottom) = style.figure(
        "", alt="", mode=mode, rows=2, heights=[1, 1.35], gutter=True, height=1.15
    )
    for ax in (top, bottom):
        style.linear_axis(ax, "x", 0, UPPER)
    style.linear_axis(top, "y", -2, 1.08 * (1 + piles()[:, 1].max()), [])
    style.linear_axis(bottom, "y", len(ROWS) - 0.5, -0.5, [])
    for row in range(len(ROWS)):
        bottom.axhline(row, **style.line("lattice", mode))
    style.label_ends(bottom, [(UPPER, row, say(name), "released") for row, name in enumerate(ROWS)])
    dots = style.points("records", mode) | {"mfc": style.INK, "mew": 0, "ms": 2, "alpha": 0.6}
    top.plot(*piles().T, **dots)
    style.label_ends(top, [(UPPER, 8, say("{n} patients\n(private)", n=len(radii())), "truth")])
    style.axis_titles(top, "", say("radius of the cell nuclei, a dot for each patient"))
    words = say("what is published, and what follows")
    style.axis_titles(bottom, say("radius of the cell nuclei"), words)
    return fig


def paint_recovered(fig: Figure, result: Recovered) -> None:
    """The published means hardly move; the recovered value does."""
    top = fig.axes[0]
    values = result.values
    times = say("once") if len(values) == 1 else say("{many} times", many=len(values))
    found = style.fixed(values.mean(), 1)
    title = say("Recovered {found}; the truth is {truth:.1f}", found=found, truth=result.truth)
    subtitle = "{how}; published {times}; line: the true value (private)"
    style.retitle(fig, title, say(subtitle, how=result.how, times=times))
    for each in fig.axes:
        each.axvline(result.truth, **style.line("truth", fig.mode))
    _draw_means(top, result)
    height = piles()[result.patient - 1, 1]
    chosen = style.points("event", fig.mode) | {"marker": "o", "ms": 9, "gid": "patient"}
    top.plot([result.truth], [height], **chosen)
    # On Tuesday the public value 0 takes the place, or nothing does.
    hollow = style.points("records", fig.mode) | {"ms": 9, "mfc": "white", "gid": "record"}
    top.plot(
        [result.truth if result.there else 0], [-1 if result.there else 0], **hollow, clip_on=False
    )
    rows = [result.monday, result.tuesday, values, values[:1] * 0 + values.mean()]
    for row, numbers in enumerate(rows):
        _paint_row(fig, row, numbers)


def _draw_means(ax: Axes, result: Recovered) -> None:
    """Both means, of which only a lens as strong as n sees the difference."""
    mode = ax.get_figure(root=True).mode
    for mean in (result.monday[0], result.tuesday[0]):
        ax.axvline(np.clip(mean, 0, UPPER), **style.line("released", mode, marker=False))
    apart = style.number(abs(result.monday[0] - result.tuesday[0]), 3)
    words = say("two means, {apart} apart", apart=apart)
    means = np.clip([result.monday[0], result.tuesday[0]], 0, UPPER)
    left = means.mean() < UPPER / 2  # the words stand on the side with room
    x, side = (means.max(), "left") if left else (means.min(), "right")
    look = {"dx": 6 if left else -6, "ha": side, "va": "top"}
    style.note(ax, x, ax.get_ylim()[1], words, "released", **look)


def _paint_row(fig: Figure, row: int, numbers: np.ndarray) -> None:
    """Dots where they fit, counts at the edges where they do not."""
    ax = fig.axes[1]
    on = numbers[(numbers >= 0) & (numbers <= UPPER)]
    look = style.points("released", fig.mode) | {"alpha": 1 if len(numbers) < 40 else 0.35}
    ax.plot(on, np.full(len(on), row), **look, clip_on=False)
    left = int((numbers < 0).sum())
    right = int((numbers > UPPER).sum())
    if left:
        style.note(ax, 0, row, f"◂ {left}", "released", dx=4, dy=9)
    if right:
        style.note(ax, UPPER, row, f"▸ {right}", "released", dx=-4, dy=9, ha="right")


def say_recovered(result: Recovered) -> str:
    """One sentence of reading."""
    once = len(result.values) == 1
    times = say("1 publication") if once else say("{many} publications", many=len(result.values))
    promise = say("nothing is promised")
    if result.spent:
        promise = say("ε = {spent} was spent", spent=style.number(result.spent, 3))
    return say(
        "The means are {monday:.4f} and {tuesday:.4f}; averaged over {times} the recovered radius "
        "is {found}, off by {off} from {truth:.2f} ({how}; {promise}).",
        monday=result.monday[0],
        tuesday=result.tuesday[0],
        times=times,
        found=style.fixed(result.values.mean(), 2),
        off=style.number(abs(result.values.mean() - result.truth)),
        truth=result.truth,
        how=result.how,
        promise=promise,
    )


def table_recovered(result: Recovered) -> list[list[str]]:
    """Truth, recovery, its standard deviation and cost."""
    return [
        ["", say("number")],
        [say("true value"), style.fixed(result.truth, 2)],
        [say("recovered, average"), style.fixed(result.values.mean(), 2)],
        [say("its standard deviation"), style.number(result.sd)],
        [say("ε spent on both days"), style.number(result.spent, 3)],
    ]


RECOVERED = View(frame_recovered, paint_recovered, say_recovered, table_recovered)


def turn(tuesday: str, _: int) -> str:
    """Take the record out, or put it back.

    >>> turn("taken out", 0)
    'put back'
    """
    return BACK if tuesday == OUT else OUT


def explore_averages() -> Explorer:
    """Take a patient's record out: what do two published means tell, with noise and without?"""
    epsilons = stops(EPSILONS[0], EPSILONS[-1], log=True, also=[0.5])
    on = [{"noise": ["on"]}]
    off = [{"noise": ["off"]}]
    controls = [
        Slider(name="patient", label=say("patient"), values=range(1, 570), start=201),
        Slider(name="decimals", label=say("decimals"), values=range(7), start=4, acts=off),
        Choice(name="noise", label=say("noise"), values=("off", "on"), start="off"),
        Slider(name="epsilon", label=say("ε for each mean"), values=epsilons, start=0.5, acts=on),
        Slider(name="repeats", label=say("repeats"), values=REPEATS, start=1, acts=on),
        Choice(name="tuesday", label=say("record on Tuesday"), values=(OUT, BACK), start=OUT),
    ]
    presets = {
        say("Exact"): {"decimals": 6},
        say("Two decimals"): {"decimals": 2},
        say("Half an ε"): {"noise": "on", "repeats": 20},
        say("Asked 400 times"): {"noise": "on", "repeats": 400},
        say("Generous"): {"noise": "on", "epsilon": 50},
    }
    places = {"patient": lambda patient: radii()[patient - 1]}
    press = Click(mark="record", control="tuesday", names=(say("(press to move it)"),), to=turn)
    handles = [Handle(mark="patient", x="patient", at=places, jump=True), press]
    return Explorer(recover, RECOVERED, controls, presets, random=on, handles=handles)
