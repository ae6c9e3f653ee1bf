"""The player of lesson 09: a month of questions, one budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.comparison.mechanisms.kinds import KINDS
from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.privacy.curator import BudgetExceeded, Curator

BUDGET = {"epsilon": 1.0, "delta": 1e-6}
DAYS = (  # day, kind, mechanism ("" if none is clearly better than no data), epsilon, delta
    (2, "linear", "projected", 0.2, 0.0),
    (9, "cluster", "medians", 0.2, 5e-7),
    (16, "distance", "", 0.1, 0.0),
    (18, "smooth", "functional", 0.3, 5e-7),
    (23, "sparse", "projected", 0.4, 0.0),
    (24, "sparse", "projected", 0.3, 0.0),
)


@dataclass(frozen=True)
class Day:
    """One day of the month: pure data.

    Attributes
    ----------
    index, of : which question of how many
    day, kind : when, and what was asked
    tool : name of the mechanism that the guide offers; "" for none
    epsilon : what it would cost
    spent : epsilon in the ledger so far, after each question
    outcome : "answered", "refused" (nothing was drawn) or "not published"
    """

    index: int
    of: int
    day: int
    kind: str
    tool: str
    epsilon: float
    spent: tuple[float, ...]
    outcome: str


def record(seed: int = 1) -> list[Day]:
    """Ask the clinic six times, and write down the ledger after each question."""
    rng = np.random.default_rng(seed)
    curator = Curator(**BUDGET, rng=rng)
    spent = []
    days = []
    for i, (day, kind, key, epsilon, delta) in enumerate(DAYS):
        outcome = "not published"
        if key:
            try:
                curator.sub_curator(epsilon=epsilon, delta=delta, label=f"day {day}, {kind}")
                outcome = "answered"
            except BudgetExceeded:
                outcome = "refused"
        spent.append(curator.ledger.spent.epsilon)
        tool = KINDS[kind].mechanism(key).name if key else ""
        days.append(Day(i, len(DAYS), day, kind, tool, epsilon, tuple(spent), outcome))
    return days


def frame_day(mode: str) -> Figure:
    """The budget as a bar for each question so far."""
    fig, ax = style.figure("", alt="", mode=mode, grid=False)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", len(DAYS) - 0.4, -0.6, [])
    style.axis_titles(ax, "ε spent of 1", "")
    ax.axvline(1.0, **style.line("bound", mode, marker=False))
    return fig


def paint_day(fig: Figure, step: Day) -> None:
    """What was asked until now, and what each question left."""
    ax, mode = fig.axes[0], fig.mode
    style.retitle(fig, f"Day {step.day}: {step.kind} queries, {step.outcome}", _subtitle(step))
    before = 0.0
    ends = []
    to_come = [step.spent[-1]] * (step.of - len(step.spent))  # bars without width: they grow later
    for i, (spent, question) in enumerate(zip([*step.spent, *to_come], DAYS, strict=True)):
        here = i < len(step.spent)
        draw_bar(ax, i, 0.0, before if here else 0.0, fc=style.tint("released", 0.22))
        draw_bar(ax, i, before, spent, fc=style.tint("released", 0.68))
        if here and question[2] and spent == before:  # it would not fit
            ax.plot([before, 1.0], [i, i], **style.line("truth", mode, marker=False))
            style.event(ax, (before + 1) / 2, i, "refused")
        if here:
            ends.append((1.0, i, f"day {question[0]}: {question[1]}", "released"))
        before = spent
    style.label_ends(ax, ends)


def draw_bar(ax: Axes, row: int, start: float, end: float, **look: object) -> None:
    """A bar from one total to another."""
    ax.barh(row, end - start, left=start, height=0.6, zorder=2, **look)


def _subtitle(step: Day) -> str:
    left = style.number(1 - step.spent[-1])
    if step.outcome == "not published":
        offered = style.number(step.epsilon)
        return f"for ε = {offered} nothing is clearly better than no data; ε = {left} is left"
    return f"{step.tool} for ε = {style.number(step.epsilon)}; ε = {left} is left"


def say_day(step: Day) -> str:
    """One sentence of reading."""
    return (
        f"Question {step.index + 1} of {step.of}, day {step.day}: {step.kind} queries, "
        f"{step.outcome}: {_subtitle(step)}. Spent so far: ε = {style.number(step.spent[-1])} of 1."
    )


def table_day(step: Day) -> list[list[str]]:
    """Each question so far."""
    rows = zip(DAYS, step.spent, strict=False)
    return [["day", "asked", "ε spent in all"],
            *([str(day[0]), day[1], style.number(spent)] for day, spent in rows)]  # fmt: skip


DAY = View(frame_day, paint_day, say_day, table_day)


def play_month(seed: int = 1) -> Player:
    """Step through the month; it starts at the refusal."""
    days = record(seed)
    return Player(DAY, days, start=[each.outcome for each in days].index("refused"))
