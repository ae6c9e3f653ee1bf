"""The player of lesson 01: the sparse vector technique, check by check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.start.explorers import radii
from dpviz.privacy.curator import BudgetExceeded, Curator
from dpviz.privacy.sparse_vector import Threshold

THRESHOLD = 0.5
POSITIVES = 2
EPSILON = 0.1
SEED = 71

FIRST, STRIDE, FINER = (22.0, 2.0, 4)  # radii go down from 22 by 2; then by a quarter of it

ROOM = 10  # questions that fit into the picture
ASKED_AT, TOLD_AT = -0.16, -0.45  # rows below the bars: the question, the answer


@dataclass(frozen=True)
class Check:
    """One question and all that decided its answer.

    Attributes
    ----------
    radius : the question: does half of the patients have a mean radius above it? Public
    value, noise, level : the true share, its fresh noise, the noisy threshold; they never leave
    above : the answer, which leaves
    """

    radius: float
    value: float
    noise: float
    level: float
    above: bool


@dataclass(frozen=True)
class Step:
    """The state after one event: pure data.

    Attributes
    ----------
    index, of : which step of how many
    kind : "draw" (of a threshold), "check" or "refused"
    checks : questions answered so far
    levels : noisy threshold of each run so far
    paid : epsilon of each line of the ledger so far
    budget : epsilon in all
    asked : the radius that was asked, or will be asked next
    """

    index: int
    of: int
    kind: str
    checks: tuple[Check, ...]
    levels: tuple[float, ...]
    paid: tuple[float, ...]
    budget: float
    asked: float

    @property
    def positives(self) -> int:
        """How often the answer was "above"."""
        return sum(check.above for check in self.checks)


class Watched(Threshold):
    """Sparse vector that writes its noise down, for the lesson only."""

    def __init__(self, *how: Any, **more: Any):
        self.noises: list[float] = []
        super().__init__(*how, **more)

    def _start(self) -> None:
        super()._start()
        self.noises.append(self.level - self.threshold)

    def _compare(self, value: float) -> bool:
        above = super()._compare(value)
        self.noises.append(self._noise.item(self._next - 1))
        return above


def share_above(radius: float) -> float:
    """The private share of patients whose mean radius lies above a public number."""
    return float(np.mean(radii() > radius))


def record(*, epsilon: float = EPSILON, positives: int = POSITIVES, seed: int = SEED) -> list[Step]:
    """Search for the median radius: down in large steps to a positive answer, then in small ones.

    One search in six asks more than the picture holds; it stops where that is full.
    """
    curator = Curator(epsilon=positives * epsilon, rng=seed)
    cost = {"sensitivity": 1 / len(radii()), "epsilon": epsilon}
    stream = Watched(
        curator, THRESHOLD, **cost, positives=positives, method="fresh", label="median radius"
    )
    events = []
    checks = ()
    levels = ()
    radius = FIRST
    stride = STRIDE
    while stream.positives_left and len(checks) < ROOM - 1:  # the refused one has room too
        value = share_above(radius)
        before = len(stream.noises)
        above = stream.above(value)
        *noises, noise = stream.noises[before:]
        paid = tuple(charge.cost.epsilon for charge in curator.ledger.charges)
        if noises:
            levels = (*levels, THRESHOLD + noises[0])
            events.append(("draw", checks, levels, paid, positives * epsilon, radius))
        checks = (*checks, Check(radius, value, noise, levels[-1], above))
        events.append(("check", checks, levels, paid, positives * epsilon, radius))
        radius, stride = (radius + stride, stride / FINER) if above else (radius, stride)
        radius = round(radius - stride, 1)
    try:
        if not stream.positives_left:
            stream.above(share_above(radius))
    except BudgetExceeded:
        events.append(("refused", checks, levels, paid, positives * epsilon, radius))
    return [Step(i, len(events), *event) for i, event in enumerate(events)]


def frame_step(mode: str) -> Figure:
    """Questions above, the ledger below."""
    fig, (top, bottom) = style.figure(
        "", alt="", mode=mode, rows=2, heights=[4, 1], sharex=False, gutter=True
    )
    style.linear_axis(top, "x", -0.6, ROOM - 0.4, [])
    style.linear_axis(top, "y", -0.58, 0.9, [0, 0.2, 0.4, 0.6, 0.8])
    style.linear_axis(bottom, "x", 0, POSITIVES * EPSILON, [0, 0.05, 0.1, 0.15, 0.2])
    style.linear_axis(bottom, "y", 0, 1, [])
    style.axis_titles(top, "", "share of patients with a mean radius above y")
    style.axis_titles(bottom, "ε", "ledger: one line for each run of checks")
    top.axhline(THRESHOLD, **style.line("public", mode))
    top.axhline(0, **style.line("lattice", mode))
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """The questions so far with their secrets, the noisy level, the ledger."""
    top, bottom = fig.axes
    style.retitle(fig, _title(step), f"step {step.index + 1} of {step.of}; {_how(step)}")
    style.pips(fig, step.positives, POSITIVES, "positives")
    for i, check in enumerate(step.checks):
        _draw_check(top, i, check, now=step.kind == "check" and i == len(step.checks) - 1)
    _draw_levels(top, step)
    if step.kind == "refused":
        _draw_question(top, len(step.checks), step.asked)
        style.event(top, len(step.checks), TOLD_AT, "refused")
    _draw_ledger(bottom, step)


def _draw_check(ax: Axes, i: int, check: Check, *, now: bool) -> None:
    """The true share as a bar, its noise as a thin line to a hollow circle, the answer below."""
    mode = ax.get_figure(root=True).mode
    faint = 1 if now else 0.35
    look = {"fc": style.tint("truth", 0.15), "ec": style.INK, "lw": 0.8, "alpha": faint}
    ax.bar(i, check.value, 0.5, **look, zorder=2)
    noisy = check.value + check.noise
    thin = style.line("truth", mode) | {"lw": 1.0, "alpha": faint}
    ax.plot([i, i], [check.value, noisy], **thin)
    hollow = style.points("records", mode) | {"mfc": "white", "alpha": faint, "zorder": 5}
    ax.plot([i], [noisy], **hollow | {"ms": 1.8 * hollow["ms"], "mew": 1.2})
    if now or not style.MODES[mode].tight:  # of large words only one has room
        words = "above" if check.above else "below"
        _draw_question(ax, i, check.radius)
        style.note(ax, i, TOLD_AT, words, "released", ha="center", halo="none")
    if check.above:
        style.event_star(ax, i, noisy)


def _draw_question(ax: Axes, i: int, radius: float) -> None:
    style.note(ax, i, ASKED_AT, f"{radius:g}", "public", ha="center", halo="none")


def _draw_levels(ax: Axes, step: Step) -> None:
    """The noisy threshold of each run over its questions, and what the lines are called."""
    mode = ax.get_figure(root=True).mode
    dashed = style.line("truth", mode) | {"ls": (0, (3, 1.6)), "lw": 1.2}
    run = np.cumsum([0, *(check.above for check in step.checks)])[: len(step.checks)]
    for i, level in enumerate(step.levels):
        start = int(np.searchsorted(run, i)) - 0.5
        old = i < len(step.levels) - 1
        stop = np.searchsorted(run, i, side="right") - 0.5 if old else ROOM - 0.4
        ax.plot([start, stop], [level] * 2, **dashed | {"alpha": 0.35 if old else 1})
    edge = ROOM - 0.4
    ends = [(edge, step.levels[-1], "noisy threshold\n(private)", "truth")]
    ends += [(edge, THRESHOLD, "threshold (public)", "public")]
    ends += [(edge, ASKED_AT, "y (public)", "public"), (edge, TOLD_AT, "answer", "released")]
    style.label_ends(ax, ends)


def _draw_ledger(ax: Axes, step: Step) -> None:
    """One block for each line, with the questions that it paid for."""
    colour = style.ROLES["released"].colour
    start = 0.0
    for i, paid in enumerate(step.paid):
        count = sum(check.level == step.levels[i] for check in step.checks)
        ax.axvspan(start, start + paid, fc=colour, ec="white", lw=1.6, alpha=0.34)
        words = f"run {i + 1}: {count} check" + "s" * (count != 1)
        style.note(ax, start + paid / 2, 0.5, words, ha="center", halo="none")
        start += paid


def _title(step: Step) -> str:
    if step.kind == "draw":
        return f"Run {len(step.levels)}: noise is added to the threshold"
    if step.kind == "refused":
        return "Both positive answers are used"
    if step.checks[-1].above:
        return f"y = {step.asked:g}: above, which ends the run"
    return f"y = {step.asked:g}: below, and that costs nothing"


def _how(step: Step) -> str:
    """What happens, in a few words."""
    if step.kind == "draw":
        return f"first ε = {step.paid[-1]:g} is paid, then the noise is drawn"
    if step.kind == "refused":
        return f"y = {step.asked:g} is refused, and nothing is drawn"
    check = step.checks[-1]
    noisy = check.value + check.noise
    sign = "≥" if check.above else "<"
    return f"in secret {noisy:.2f} {sign} {check.level:.2f}; only the word is published"


def say_step(step: Step) -> str:
    """One sentence of reading."""
    spent = f"ε = {sum(step.paid):g} of {step.budget:g} is spent"
    if step.kind != "check":
        return f"{_title(step)}; {_how(step)}; {len(step.checks)} checks so far, {spent}."
    check = step.checks[-1]
    words = "above" if step.checks[-1].above else "below"
    return (
        f"Check {len(step.checks)}: the share above radius {check.radius:g} is "
        f"{check.value:.2f} (bar), with its noise {check.value + check.noise:.2f} (circle), "
        f"against the noisy threshold {check.level:.2f} (dashed): {words}. "
        f"Only the word is published; {spent}."
    )


def table_step(step: Step) -> list[list[str]]:
    """The question, what decided it, and the ledger."""
    last = step.checks[-1:] if step.kind == "check" else ()
    rows = [[f"true share above {c.radius:g} (private)", f"{c.value:.3f}"] for c in last]
    rows += [["with its fresh noise (private)", f"{c.value + c.noise:.3f}"] for c in last]
    rows += [["noisy threshold (private)", f"{step.levels[-1]:.3f}"]]
    rows += [["checks, positive answers", f"{len(step.checks)}, {step.positives}"]]
    return [["", "number"], *rows, ["ε spent", f"{sum(step.paid):g} of {step.budget:g}"]]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_threshold(seed: int = SEED) -> Player:
    """Step through a search for the median radius; it starts at the first positive answer."""
    trace = record(seed=seed)
    return Player(STEP, trace, start=next(i for i, step in enumerate(trace) if step.positives))
