"""The player of lesson 05: query by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.papers.sparse_queries import potential
from dpviz.papers.sparse_queries.queries import Data, Query, Records
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import SparseWeights, mistake_bound
from dpviz.views import style
from dpviz.views.live import View
from dpviz.views.player import Player
from dpviz.views.sparse.figures import Snapshot, draw_weights, frame_weights, names_of, snapshot
from dpviz.views.style import Figure


@dataclass(frozen=True, eq=False)
class Step:
    """The state after one question: pure data.

    Attributes
    ----------
    number, of : which question of how many
    asked : its names; guess, truth : before the update, if there was one
    alpha : tolerated error
    snapshot : the weights now
    stated, corrected : arrays, both potentials after 0, 1, ... updates so far
    limit : proved limit on the updates
    """

    number: int
    of: int
    asked: tuple[str, ...]
    guess: float
    truth: float
    alpha: float
    snapshot: Snapshot
    stated: np.ndarray
    corrected: np.ndarray
    limit: int

    @property
    def updated(self) -> bool:
        """Whether the guess was off by alpha or more."""
        return abs(self.truth - self.guess) >= self.alpha


def record(
    data: Data, queries: Sequence[Query], *, alpha: float, size: int, update_rule: str
) -> list[Step]:
    """Ask the queries in order, without noise, and write down every state.

    Parameters
    ----------
    data : sequence of names, private: the trace shows truths, as a lesson may
    size : number of indices
    """
    records = Records(data)
    learner = SparseWeights(size, alpha=alpha, update_rule=update_rule)
    used = {name for query in queries for name in query.names}
    shares = {name: records.counts[name] / records.n for name in sorted(used)}
    falls = [potential.potentials(learner.hypothesis, shares)]
    limit, trace = mistake_bound(size, alpha, update_rule), []
    for i, query in enumerate(queries):
        guess, truth = learner.predict(query), records.truth(query)
        if abs(truth - guess) >= alpha:
            learner.update(query, truth)
            falls.append(potential.potentials(learner.hypothesis, shares))
        past = np.array(falls).T
        asked, now = names_of(query), snapshot(learner.hypothesis)
        place = (i + 1, len(queries), asked, guess, truth, alpha, now)
        trace.append(Step(*place, *past, limit))
    return trace


def frame_step(mode: str) -> Figure:
    """Left the weights, right the relative entropy that is left."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.9, 1], sharey=False, names=["", ""]
    )
    frame_weights(left, low=1e-7)
    style.linear_axis(right, "x", 0, 16, [0, 4, 8, 12, 16])
    style.linear_axis(right, "y", 0, 16, [0, 5, 10, 15])
    style.axis_titles(left, "index", "probability (log scale)")
    style.axis_titles(right, "updates", "relative entropy left, nats")
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """The question's names in yellow, the untouched ones, both potentials so far."""
    left, right = fig.axes
    verdict = "its names are indexed" if step.updated else "near enough: free"
    style.retitle(fig, f"Query {step.number}: {verdict}", _subtitle(step))
    draw_weights(left, step.snapshot, step.asked)
    for values, role in ((step.stated, "paper"), (step.corrected, "bound")):
        right.plot(np.arange(len(values)), values, **style.line(role, fig.mode))
    style.note(right, 0.97, 0.97, "corrected", "bound", at="axes", ha="right", va="top")
    style.note(right, 0.97, 0.03, "as stated", "paper", at="axes", ha="right", va="bottom")


def _subtitle(step: Step) -> str:
    gap, sign = abs(step.truth - step.guess), "≥" if step.updated else "<"
    return (
        f"of {step.of}; guess {style.number(step.guess)}, truth {style.number(step.truth)}: off by "
        f"{style.number(gap)} {sign} α = {style.number(step.alpha)}"
    )


def say_step(step: Step) -> str:
    """One sentence of reading."""
    verdict = "so its names are indexed now" if step.updated else "so nothing changes"
    return (
        f"Question {step.number} ({', '.join(step.asked)[:60]}): guess {style.number(step.guess)}, "
        f"truth {style.number(step.truth)}, {verdict}; {len(step.corrected) - 1} updates so far, "
        f"at most {step.limit} by proof; relative entropy left: "
        f"{style.number(step.corrected[-1])} nats."
    )


def table_step(step: Step) -> list[list[str]]:
    """The question and the count."""
    return [
        ["", "number"],
        ["guess", style.number(step.guess, 3)],
        ["truth", style.number(step.truth, 3)],
        ["indexed elements", str(len(step.snapshot.names))],
        ["weight of each untouched one", style.number(step.snapshot.untouched_weight, 3)],
        ["relative entropy left, nats", style.number(step.corrected[-1], 3)],
    ]


STEP = View(frame_step, paint_step, say_step, table_step)


def play_sparse_weights(
    data: Data,
    queries: Sequence[Query],
    *,
    alpha: float,
    size: int = 10**6,
    update_rule: str = "projection",
) -> Player:
    """Step through the questions; arguments as in :func:`record`."""
    trace = record(data, queries, alpha=alpha, size=size, update_rule=update_rule)
    updates = [i for i, each in enumerate(trace) if each.updated]
    return Player(STEP, trace, start=updates[len(updates) // 2] if updates else 0)
