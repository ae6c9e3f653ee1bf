"""The player of lesson 05: the private mechanism, query by query, with the noise of its tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.distance.player import draw_test
from dpviz.lessons.sparse.figures import Snapshot, draw_weights, frame_weights, names_of, snapshot
from dpviz.papers.sparse_queries.online import InteractiveSparse
from dpviz.papers.sparse_queries.queries import Data, Query, Records
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import potentials


@dataclass(frozen=True, eq=False)
class Step:
    """The state after one query, or before the first.

    Attributes
    ----------
    number, of : which query of how many; 0 before the first
    asked : its names; kind : "guess", "measured" or "frozen"
    truth, guess, answer : shares of the records: of the data, guessed when asked, given out
    snapshot : the weights now
    gaps, noises, levels : arrays (number,), so far: how far the guess was off, the noise that was
        added to that, and the noisy threshold with which the sum was compared (private)
    positives : bool array (number,), what the test said
    threshold : float, public
    allowed : how many can be measured
    left : array, nats of relative entropy above its floor, after 0, 1, ... updates so far; the
        floor is what names that are never asked about keep for themselves
    """

    number: int
    of: int
    asked: tuple[str, ...]
    kind: str
    truth: float
    guess: float
    answer: float
    snapshot: Snapshot
    gaps: np.ndarray
    noises: np.ndarray
    levels: np.ndarray
    positives: np.ndarray
    threshold: float
    allowed: int
    left: np.ndarray

    @property
    def compared(self) -> np.ndarray:
        """What was held against the noisy threshold."""
        return self.gaps + self.noises

    @property
    def fallen(self) -> float:
        """By how much the relative entropy has fallen, in nats."""
        return float(self.left[0] - self.left[-1])

    @property
    def used(self) -> int:
        """Updates so far."""
        return int(self.positives.sum())


def record(mechanism: InteractiveSparse, data: Data, queries: Sequence[Query]) -> list[Step]:
    """Ask the queries in order, and write down every state, private values too.

    Parameters
    ----------
    mechanism : a fresh one, made of ``data``
    data : sequence of names, private: the trace shows truths, as a lesson may
    queries : no more than the mechanism can measure, so that every one is tested
    """
    records = Records(data)
    hypothesis, test = mechanism.hypothesis, mechanism.threshold
    used = sorted({name for query in queries for name in query.names})
    shares = {name: records.counts[name] / records.n for name in used}
    floor = (1 - math.fsum(shares.values())) * math.log(hypothesis.size - len(shares))
    left = [potentials(hypothesis, shares)[1] - floor]
    compared: list[tuple[float, float, float]] = []
    positives: list[bool] = []
    allowed = mechanism.updates_left
    trace = []

    def write_down(
        asked: tuple[str, ...], kind: str, truth: float, guess: float, answer: float
    ) -> None:
        gaps, noises, levels = np.array(compared).reshape(-1, 3).T
        trace.append(
            Step(
                number=len(positives),
                of=len(queries),
                asked=asked,
                kind=kind,
                truth=truth,
                guess=guess,
                answer=answer,
                snapshot=snapshot(hypothesis),
                gaps=gaps,
                noises=noises,
                levels=levels,
                positives=np.array(positives, dtype=bool),
                threshold=test.threshold,
                allowed=allowed,
                left=np.array(left),
            )
        )

    write_down((), "", 0.0, 0.0, 0.0)
    for query in queries:
        truth, guess = records.truth(query), hypothesis.evaluate(query)
        answer = mechanism.answer(query)
        compared.append((abs(truth - guess), test.noise, test.level))
        positives.append(answer.kind == "measured")
        if answer.kind == "measured":
            left.append(potentials(hypothesis, shares)[1] - floor)
        write_down(names_of(query), answer.kind, truth, guess, answer.value)
    return trace


def frame_step(mode: str) -> Figure:
    """Left the weights; right the test, query by query."""
    look = {"mode": mode, "columns": 2, "widths": [1.2, 1], "sharey": False}
    fig, (left, right) = style.figure("", alt="", names=["", ""], **look)
    frame_weights(left, low=1e-5)
    style.linear_axis(right, "x", 0, 41, [10, 20, 30, 40])
    style.linear_axis(right, "y", -0.6, 4.9, [0, 1, 2, 3, 4])
    style.axis_titles(left, "index", "probability (log scale)")
    style.axis_titles(right, "list", "gap + noise, ÷ threshold")
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """The query's names in yellow; noisy gap against noisy threshold."""
    left, right = fig.axes
    spent = f"{step.used} of {step.allowed} updates; KL fell by {style.number(step.fallen)}"
    style.retitle(fig, _title(step), f"of {step.of} lists; {spent}")
    draw_weights(left, step.snapshot, step.asked)
    draw_test(right, step)


def _title(step: Step) -> str:
    if step.number == 0:
        return "Before the first list: all names have one weight"
    gap = f"guess {style.number(step.guess)}, private truth {style.number(step.truth)}"
    verdict = "above" if step.kind == "measured" else "below"
    return f"List {step.number}: {gap}: {verdict}"


def say_step(step: Step) -> str:
    """One sentence of reading."""
    spent = f"{step.used} of {step.allowed} updates"
    if step.number == 0:
        return f"Before the first of {step.of} lists all names have one weight."
    verdict = "below, so nothing is paid"
    if step.kind == "measured":
        verdict = f"above, so {style.number(step.answer)} is measured"
    return (
        f"List {step.number}: gap with noise {style.number(step.compared[-1])}, noisy threshold "
        f"{style.number(step.levels[-1])}: {verdict}; {spent}."
    )


def table_step(step: Step) -> list[list[str]]:
    """The query, what was compared, and what was learnt."""
    learnt = [
        ["indexed names", str(len(step.snapshot.names))],
        ["weight of others", style.number(step.snapshot.untouched_weight, 3)],
        ["KL fell by", style.number(step.fallen, 3)],
    ]
    if step.number == 0:
        return [["", "number"], *learnt]
    return [
        ["", "number"],
        ["guess", style.number(step.guess, 3)],
        ["truth (private)", style.number(step.truth, 3)],
        *learnt,
    ]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_sparse_weights(
    mechanism: InteractiveSparse, data: Data, queries: Sequence[Query]
) -> Player:
    """Step through the queries; arguments as in :func:`record`. It starts at the second update."""
    trace = record(mechanism, data, queries)
    updates = [step.number for step in trace if step.kind == "measured"]
    return Player(STEP, trace, start=updates[min(1, len(updates) - 1)] if updates else 0)
