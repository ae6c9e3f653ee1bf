"""The player of lesson 05: question by question, slots get owners and the surprise falls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.papers.sparse_queries import potential, sparse_multiplicative_weights
from dpviz.papers.sparse_queries.queries import Query, Records
from dpviz.views import style
from dpviz.views.live import View
from dpviz.views.player import Player
from dpviz.views.sparse.slots import Shelf, draw_slots, frame_slots, names_of, shelf
from dpviz.views.style import Figure


@dataclass(frozen=True, eq=False)
class Step:
    """The state after one question: pure data.

    Attributes
    ----------
    number, of : which question of how many
    asked : its names; guess, truth : before the update, if there was one
    alpha : tolerated error
    shelf : the slots now
    printed, mended : arrays, both potentials after 0, 1, ... updates so far
    limit : proved limit on the updates
    """

    number: int
    of: int
    asked: tuple[str, ...]
    guess: float
    truth: float
    alpha: float
    shelf: Shelf
    printed: np.ndarray
    mended: np.ndarray
    limit: int

    @property
    def updated(self) -> bool:
        """Whether the guess was off by alpha or more."""
        return abs(self.truth - self.guess) >= self.alpha


def record(data, queries: Sequence[Query], *, alpha: float, size: int, step: str) -> list[Step]:
    """Ask the queries in order, without noise, and write down every state.

    Parameters
    ----------
    data : sequence of names, private: the trace shows truths, as a lesson may
    size : number of slots
    """
    records, pupil = (
        Records(data),
        sparse_multiplicative_weights.SparseWeights(size, alpha=alpha, step=step),
    )
    used = {name for query in queries for name in query.names}
    shares = {name: records.counts[name] / records.n for name in sorted(used)}
    falls = [potential.both(pupil.slots, shares)]
    limit, trace = sparse_multiplicative_weights.mistake_bound(size, alpha, step), []
    for i, query in enumerate(queries):
        guess, truth = pupil.predict(query), records.truth(query)
        if abs(truth - guess) >= alpha:
            pupil.update(query, truth)
            falls.append(potential.both(pupil.slots, shares))
        past = np.array(falls).T
        asked, now = names_of(query), shelf(pupil.slots)
        place = (i + 1, len(queries), asked, guess, truth, alpha, now)
        trace.append(Step(*place, *past, limit))
    return trace


def frame_step(mode: str) -> Figure:
    """Left the slots, right the surprise that is left."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.9, 1], sharey=False, names=["", ""]
    )
    frame_slots(left, low=1e-7)
    style.linear_axis(right, "x", 0, 16, [0, 4, 8, 12, 16])
    style.linear_axis(right, "y", 0, 16, [0, 5, 10, 15])
    style.axis_titles(left, "slot", "probability (log scale)")
    style.axis_titles(right, "updates", "surprise left, nats")
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """The question's names in yellow, the level, both potentials so far."""
    left, right = fig.axes
    verdict = "its names get slots" if step.updated else "near enough: free"
    style.retitle(fig, f"Question {step.number}: {verdict}", _subtitle(step))
    draw_slots(left, step.shelf, step.asked)
    for values, role in ((step.printed, "paper"), (step.mended, "bound")):
        right.plot(np.arange(len(values)), values, **style.line(role, fig.mode))
    style.note(right, 0.97, 0.97, "mended", "bound", at="axes", ha="right", va="top")
    style.note(right, 0.97, 0.03, "printed", "paper", at="axes", ha="right", va="bottom")


def _subtitle(step: Step) -> str:
    gap, sign = abs(step.truth - step.guess), "≥" if step.updated else "<"
    return (
        f"of {step.of}; guess {style.number(step.guess)}, truth {style.number(step.truth)}: off by "
        f"{style.number(gap)} {sign} α = {style.number(step.alpha)}"
    )


def say_step(step: Step) -> str:
    """One sentence of reading."""
    verdict = "so its names own slots now" if step.updated else "so nothing changes"
    return (
        f"Question {step.number} ({', '.join(step.asked)[:60]}): guess {style.number(step.guess)}, "
        f"truth {style.number(step.truth)}, {verdict}; {len(step.mended) - 1} updates so far, at "
        f"most {step.limit} by proof; surprise left {style.number(step.mended[-1])} nats."
    )


def table_step(step: Step) -> list[list[str]]:
    """The question and the count."""
    return [
        ["", "number"],
        ["guess", style.number(step.guess, 3)],
        ["truth", style.number(step.truth, 3)],
        ["slots with an owner", str(len(step.shelf.names))],
        ["level of all others", style.number(step.shelf.level, 3)],
        ["surprise left, nats", style.number(step.mended[-1], 3)],
    ]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_slots(
    data, queries: Sequence[Query], *, alpha: float, size: int = 10**6, step: str = "projection"
) -> Player:
    """Step through the questions; arguments as in :func:`record`."""
    trace = record(data, queries, alpha=alpha, size=size, step=step)
    updates = [i for i, each in enumerate(trace) if each.updated]
    return Player(STEP, trace, start=updates[len(updates) // 2] if updates else 0)
