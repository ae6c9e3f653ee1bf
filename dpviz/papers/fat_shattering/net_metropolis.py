"""Exponential mechanism over small databases (equation (2)) by Metropolis-Hastings.

**Paper.** Roth (2010), section 4, equation (2). The paper does not say how to draw from it.

**Setting.** As in module ``net_mechanism``, with C(n + m - 1, m) databases in the millions and
more.

**Idea.** Start anywhere public. Propose to move one row to another cell; accept if that helps, and
sometimes if it does not. In the long run each database is visited as often as the exponential
mechanism would choose it.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
D'           ``State.rows``         cell of each row                              (m,) int
q(D')        ``State.sums``         answer of each query, kept up to date         (k,)
(none)       ``steps``              moves proposed                                count
(none)       ``distance``           total variation to the long run               [0, 1]
===========  =====================  ============================================  ============

**Departures.** (1) A row is picked at random, so cell i is left with chance D'_i / m and the way
back has (D'_j + 1)/m: acceptance needs the factor (D'_j + 1)/D'_i. Without it, which is
``base_measure="sequences"``, the walk has another stationary distribution, in which a database
counts as often as its rows can be ordered: private too, and what |D| = n^m in the paper would be
right for. (2) The distribution after finitely many steps is not exactly the stationary one, so it
is not exactly epsilon-private: it costs (epsilon, delta) if it is within delta / (1 + e^epsilon)
of it in total variation for every data set. **That is taken on trust**: nothing of the kind is
proved here for walks of useful length, and walks over large databases freeze. For teaching only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.fat_shattering import net_mechanism as listed
from dpviz.papers.fat_shattering.classes import unit_queries
from dpviz.privacy.budgeted import Budgeted
from dpviz.privacy.curator import Curator

BASE_MEASURES = ("databases", "sequences")


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """What is public. The other fields are those of `net_mechanism.Params`.

    Attributes
    ----------
    delta : float in (0, 1), part of the cost: (1 + e^epsilon) times a distance that is taken on
        trust, see the module
    steps : int >= 1, length of the walk
    base_measure : "databases" (each counts once, as in `net_mechanism`) or "sequences" (each
        counts as often as its rows can be ordered: without the factor)

    >>> Params(epsilon=1.0, delta=0.0, rows=5)
    Traceback (most recent call last):
    ...
    ValueError: delta must be a number with 0 < delta < 1, not 0.0
    """

    epsilon: float
    delta: float = 1e-6
    rows: int
    total: float | None = None
    share: float = 0.1
    method: str = "corrected"
    outside: str = "clip"
    steps: int = 10_000
    base_measure: str = "databases"

    def __post_init__(self):
        checks.number("delta", self.delta, above=0, below=1)
        self.listed  # noqa: B018  (checks the others)
        checks.integer("steps", self.steps, at_least=1)
        checks.choice("base_measure", self.base_measure, BASE_MEASURES)

    @property
    def listed(self) -> listed.Params:
        """The same for module ``net_mechanism``."""
        names = ("epsilon", "rows", "total", "share", "method", "outside")
        return listed.Params(**{name: getattr(self, name) for name in names})

    @property
    def distance(self) -> float:
        """Total variation from the stationary distribution that is taken on trust."""
        return self.delta / (1 + math.exp(min(self.listed.choice_epsilon, 700)))


@dataclass(frozen=True, eq=False)
class State:
    """Where a walk is: the cell of each row, people in each cell, the queries' sums."""

    rows: np.ndarray
    counts: np.ndarray
    sums: np.ndarray


def release(
    data: ArrayLike, params: Params, curator: Curator, *, queries: ArrayLike | None = None
) -> listed.Release:
    """Walk to a small database. Costs (``params.epsilon``, ``params.delta``), if the walk is
    long enough; see the module.

    Arguments, sensitivity and errors as in `dpviz.papers.fat_shattering.net_mechanism.release`.

    >>> params = Params(epsilon=5.0, rows=10, total=100, steps=300)
    >>> release([90, 10], params, params.curator(rng=0), queries=[[1, 0]]).fractions
    array([0.9, 0.1])
    """
    table, known = unit_queries(queries), params.listed
    counts = known.histogram(data, table.shape[1])
    exact, scale = table @ counts, counts.sum() / params.rows
    whole = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="release")
    chosen = whole.choose_metropolis(
        lambda state: -float(np.abs(exact - scale * state.sums).max()),
        initial_state(table, params.rows),
        Proposal(table, hastings=params.base_measure == "databases"),
        steps=params.steps,
        sensitivity=known.sensitivity,
        epsilon=known.choice_epsilon,
        distance=params.distance,
        label="small database",
    )
    total = known.publish_total(counts, whole)
    return listed.Release(chosen.counts / params.rows, total)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """One walk.

    Returns
    -------
    dict with ``error`` (largest over the class, people) and ``relative`` (share of the people)

    >>> params = Params(epsilon=1.0, rows=5, total=50, steps=100)
    >>> trial(params, [40, 10], [[0, 1]], rng=0)["error"] < 50
    True
    """
    out = release(data, params, params.curator(rng=checks.generator(rng)), queries=queries)
    exact = listed.truth(data, queries)
    error = float(np.abs(listed.answer(out, queries) - exact).max())
    return {"error": error, "relative": error / float(np.sum(data))}


def initial_state(queries: np.ndarray, rows: int) -> State:
    """A public start: the rows spread over the cells in turn.

    >>> initial_state(np.eye(3), 4).counts.tolist()
    [2, 1, 1]
    """
    places = np.arange(rows) % queries.shape[1]
    counts = np.bincount(places, minlength=queries.shape[1])
    return State(places, counts, queries @ counts)


class Proposal:
    """Proposes to move one row to any cell; says how much likelier the way back is.

    >>> rng = np.random.default_rng(0)
    >>> state, log_ratio = Proposal(np.eye(2))(initial_state(np.eye(2), 1), rng)
    >>> state.counts.tolist(), log_ratio
    ([0, 1], 0.0)
    """

    def __init__(self, queries: np.ndarray, *, hastings: bool = True):
        self._columns, self._hastings = np.ascontiguousarray(queries.T), hastings

    def __call__(self, state: State, rng: np.random.Generator) -> tuple[State, float]:
        """One proposal and the log of (D'_j + 1) / D'_i, or of 1 without the factor."""
        row, j = rng.integers(len(state.rows)), rng.integers(len(state.counts))
        i = state.rows[row]
        if i == j:
            return state, 0.0
        rows, counts = state.rows.copy(), state.counts.copy()
        rows[row], ratio = j, (counts[j] + 1) / counts[i]
        counts[i] -= 1
        counts[j] += 1
        moved = State(rows, counts, state.sums + self._columns[j] - self._columns[i])
        return moved, math.log(ratio) if self._hastings else 0.0
