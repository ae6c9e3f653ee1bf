"""The player of lesson 05: two bars for each query, and a potential that every update lowers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.sparse.figures import Snapshot, draw_weights, frame_weights, names_of, snapshot
from dpviz.papers.sparse_queries.queries import Data, Query, Records
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import (
    SparseWeights,
    mistake_bound,
    potentials,
)

BARS, TANK = (0, 1.4), (2.4, 3.6)  # where truth and guess stand, and the walls of the tank


@dataclass(frozen=True, eq=False)
class Step:
    """The state when a query was asked, or after the update that it led to: pure data.

    Attributes
    ----------
    number, of : which question of how many
    asked : its names; truth : their share of the records
    before, guess : the guess when it was asked, and now
    alpha : tolerated error
    snapshot : the weights now
    stated, corrected : arrays, both potentials after 0, 1, ... updates so far
    limit : proved limit on the updates
    updated : whether this is the state after the update
    floor : what no update can take from the corrected potential: the names that are never asked
        share their records in a way that nobody learns, (1 - p) ln(number of them) nats
    top : largest truth or guess of the whole run: the height of the bars
    """

    number: int
    of: int
    asked: tuple[str, ...]
    truth: float
    before: float
    guess: float
    alpha: float
    snapshot: Snapshot
    stated: np.ndarray
    corrected: np.ndarray
    limit: int
    updated: bool
    floor: float
    top: float = 1.0

    @property
    def left(self) -> np.ndarray:
        """Relative entropy above the floor, after 0, 1, ... updates: what is left to learn."""
        return self.corrected - self.floor

    @property
    def missed(self) -> bool:
        """Whether the guess was off by alpha or more."""
        return abs(self.truth - self.before) >= self.alpha


def record(
    data: Data, queries: Sequence[Query], *, alpha: float, size: int, update_rule: str
) -> list[Step]:
    """Ask the queries in order, without noise, and write down every state.

    A query that is off by alpha has two states: asked, and updated.

    Parameters
    ----------
    data : sequence of names, private: the trace shows truths, as a lesson may
    size : number of indices
    """
    records = Records(data)
    learner = SparseWeights(size, alpha=alpha, update_rule=update_rule)
    used = {name for query in queries for name in query.names}
    shares = {name: records.counts[name] / records.n for name in sorted(used)}
    falls = [potentials(learner.hypothesis, shares)]
    limit = mistake_bound(size, alpha, update_rule)
    trace = []
    floor = (1 - sum(shares.values())) * math.log(size - len(shares))

    def write_down(i: int, before: float, *, updated: bool) -> Step:
        query = queries[i]
        stated, corrected = np.array(falls).T
        step = Step(
            number=i + 1,
            of=len(queries),
            asked=names_of(query),
            truth=records.truth(query),
            before=before,
            guess=learner.predict(query),
            alpha=alpha,
            snapshot=snapshot(learner.hypothesis),
            stated=stated,
            corrected=corrected,
            limit=limit,
            updated=updated,
            floor=floor,
        )
        trace.append(step)
        return step

    for i, query in enumerate(queries):
        first = write_down(i, learner.predict(query), updated=False)
        if first.missed:
            learner.update(query, first.truth)
            falls.append(potentials(learner.hypothesis, shares))
            write_down(i, first.before, updated=True)
    top = max(max(step.truth, step.guess) for step in trace)
    return [replace(step, top=top) for step in trace]


def frame_step(mode: str) -> Figure:
    """Left the weights; right truth and guess as bars, and a tank with what is left to learn."""
    look = {"mode": mode, "columns": 2, "widths": [1.5, 1], "sharey": False}
    fig, (left, right) = style.figure("", alt="", names=["", ""], **look)
    frame_weights(left, low=1e-7)
    style.linear_axis(right, "x", -0.7, 3.9, [])
    style.linear_axis(right, "y", -0.02, 1.36, [])
    right.spines["left"].set_visible(False)
    style.axis_titles(left, "index", "probability (log scale)")
    style.axis_titles(right, "", "share of the records, and nats")
    for x, words in zip((*BARS, np.mean(TANK)), ("truth", "guess", "potential"), strict=True):
        style.note(right, x, 0, words, "muted", dy=-5, ha="center", va="top")
    for y, words, role in ((1, "corrected", "bound"), (0.9, "as stated", "paper")):
        style.note(right, 1, y, words, role, at="axes", ha="right", va="top")
    walls = [[TANK[0], TANK[0], TANK[1], TANK[1]], [1.05, 0, 0, 1.05]]
    right.plot(*walls, **style.line("public", mode) | {"lw": 2})
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """The question's names in yellow, its two bars, the level of the potential."""
    left, right = fig.axes
    style.retitle(fig, _title(step), f"of {step.of}; α = {style.number(step.alpha)}")
    draw_weights(left, step.snapshot, step.asked)
    _draw_bars(right, step)
    _draw_levels(right, step)


def _title(step: Step) -> str:
    if step.updated:
        return f"Query {step.number}: an update moves the guess"
    return f"Query {step.number}: " + ("off by α or more" if step.missed else "near enough: free")


def _draw_bars(ax: Axes, step: Step) -> None:
    """Truth and guess as bars; after an update a line where the guess was."""
    mode = ax.get_figure(root=True).mode
    shares = (step.truth, step.guess)
    for x, share, role in zip(BARS, shares, ("truth", "released"), strict=True):
        colour = style.tint(role, 0.15 if role == "truth" else 0.68)
        ax.bar(x, share / step.top, 0.9, fc=colour, ec=style.INK, lw=0.8, zorder=3)
        look = {"dy": 4, "ha": "center", "va": "bottom", "halo": "none"}
        words = style.number(share) if share >= 0.001 else "< 0.001"
        style.note(ax, x, share / step.top, words, role, **look)
    if step.updated:
        old = style.line("other", mode, marker=False) | {"zorder": 4}
        ax.plot([BARS[1] - 0.6, BARS[1] + 0.6], [step.before / step.top] * 2, **old)


def _draw_levels(ax: Axes, step: Step) -> None:
    """What is left to learn as water in the tank, its former levels; the potential as stated."""
    mode = ax.get_figure(root=True).mode
    unit = max(step.left[0], step.stated[0])
    level = step.left[-1] / unit
    stated = step.stated[-1] / unit
    for past in step.left[:-1] / unit:
        ax.plot(TANK, [past] * 2, **style.line("lattice", mode))
    ax.fill_between(TANK, 0, level, color=style.tint("bound", 0.3), lw=0, zorder=2)
    ax.plot(TANK, [level] * 2, **style.line("bound", mode, marker=False))
    ax.plot(TANK, [stated] * 2, **style.line("paper", mode, marker=False))


def say_step(step: Step) -> str:
    """One sentence of reading."""
    verdict = "within α, so nothing changes"
    if step.missed:
        verdict = "off by α or more, so an update follows"
    if step.updated:
        verdict = f"so its names are indexed and the guess is {style.number(step.guess)} now"
    return (
        f"Query {step.number} ({', '.join(step.asked)[:60]}): guess "
        f"{style.number(step.before)}, truth {style.number(step.truth)}, {verdict}; "
        f"{len(step.left) - 1} updates so far, at most {step.limit} by proof; left to "
        f"learn: {style.number(step.left[-1])} nats of relative entropy."
    )


def table_step(step: Step) -> list[list[str]]:
    """The question and the count."""
    return [
        ["", "number"],
        ["guess when asked", style.number(step.before, 3)],
        ["guess now", style.number(step.guess, 3)],
        ["truth (private)", style.number(step.truth, 3)],
        ["indexed elements", str(len(step.snapshot.names))],
        ["weight of each untouched one", style.number(step.snapshot.untouched_weight, 3)],
        ["corrected potential, nats", style.number(step.corrected[-1], 4)],
        ["of it left to learn, nats", style.number(step.left[-1], 3)],
        ["potential as stated, nats", style.number(step.stated[-1], 3)],
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
