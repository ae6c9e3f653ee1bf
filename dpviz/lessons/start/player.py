"""The player of lesson 00: publication by publication."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.start.explorers import UPPER, radii
from dpviz.privacy.curator import Curator
from dpviz.words import say

STEPS = ["clip", "sum", "charge", "draw", "divide"]
KINDS = ["private", "private", "public", "private", "published"]

MARKS = {
    "private": ("records", "truth"),
    "public": ("public", "public"),
    "published": ("released", "released"),
}


@dataclass(frozen=True)
class Step:
    """One step of a publication: pure data.

    Attributes
    ----------
    index : place in :data:`STEPS`
    numbers : what each step so far gave, as text
    spent, budget : epsilon in the ledger now, and in all
    said : what happens
    """

    index: int
    numbers: tuple[str, ...]
    spent: float
    budget: float
    said: str


def record(*, epsilon: float = 0.5, budget: float = 1.0, seed: int = 1) -> list[Step]:
    """Publish the mean radius once, and write down each step."""
    clipped = np.clip(radii(), 0, UPPER)
    n = len(clipped)
    total = clipped.sum()
    curator = Curator(epsilon=budget, rng=seed)
    noisy = curator.laplace(total, sensitivity=UPPER, epsilon=epsilon, label="sum of radii")
    spent = curator.ledger.spent.epsilon
    paid = 0.0, 0.0, spent, spent, spent
    numbers = (
        say("0 to {upper:g}", upper=UPPER),
        f"{total:.0f}",
        say("ε = {epsilon:g}", epsilon=epsilon),
        style.signed(round(noisy - total)),
        say("{mean:.2f}", mean=noisy / n),
    )
    said = (
        say("Each radius is clipped to the public range, by itself."),
        say("One record moves the sum by at most {upper:g}.", upper=UPPER),
        say("The charge is recorded before noise is drawn."),
        say("Laplace noise of scale {scale:g}.", scale=UPPER / epsilon),
        say("Divided by n = {n}, which is public: it may leave.", n=n),
    )
    return [Step(i, numbers[: i + 1], paid[i], budget, said[i]) for i in range(len(STEPS))]


def frame_step(mode: str) -> Figure:
    """Five places above, the budget below."""
    fig, (top, bottom) = style.figure(
        "", alt="", mode=mode, height=0.7, rows=2, heights=[2, 1], sharex=False, grid=False
    )
    style.linear_axis(top, "x", -0.5, len(STEPS) - 0.5, [])
    style.linear_axis(top, "y", 0, 1, [])
    top.spines[["left", "bottom"]].set_visible(False)
    style.linear_axis(bottom, "x", 0, 1)
    style.linear_axis(bottom, "y", 0, 1, [])
    style.axis_titles(bottom, "ε", say("ledger: spent of the budget"))
    top.plot(range(len(STEPS)), [0.55] * len(STEPS), **style.line("lattice", mode))
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """The steps so far with their numbers, and the ledger."""
    top, bottom = fig.axes
    place = {"step": step.index + 1, "steps": len(STEPS), "name": say(STEPS[step.index])}
    style.retitle(fig, say("Step {step} of {steps}: {name}", **place), step.said)
    for i, name in enumerate(STEPS):
        past = i <= step.index
        look = {"ha": "center", "bold": i == step.index}
        style.note(top, i, 0.8, say(name), None if past else "muted", **look)
        if past:
            role, words = MARKS[KINDS[i]]
            top.plot([i], [0.55], **style.points(role, fig.mode) | {"ms": 11})
            style.note(top, i, 0.28, step.numbers[i], words, ha="center")
    colour = style.ROLES["released"].colour
    bottom.axvspan(0, step.spent / step.budget, fc=colour, alpha=0.34)


def say_step(step: Step) -> str:
    """One sentence of reading."""
    return say(
        "Step {step}, {name}: {said} Here {number} ({kind}); {spent:g} of {budget:g} is spent.",
        step=step.index + 1,
        name=say(STEPS[step.index]),
        said=step.said,
        number=step.numbers[-1],
        kind=say(KINDS[step.index]),
        spent=step.spent,
        budget=step.budget,
    )


def table_step(step: Step) -> list[list[str]]:
    """Each step so far and its number."""
    rows = zip(map(say, STEPS[: step.index + 1]), step.numbers, strict=True)
    return [[say("step"), say("number")], *([name, number] for name, number in rows)]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_publication(seed: int = 1) -> Player:
    """Step through one publication; it starts where the ledger grows."""
    return Player(STEP, record(seed=seed), start=STEPS.index("charge"))
