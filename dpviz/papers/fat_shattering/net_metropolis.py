"""The same choice among databases too many to list: a Metropolis walk.

**Paper.** Roth (2010), section 4, equation (2). The paper does not say how to draw from it.

**Setting.** As in module ``net_mechanism``, with C(n + m - 1, m) databases in the millions and
more.

**Idea.** Start anywhere public. Propose to move one row to another cell; accept if that helps, and
sometimes if it does not. In the long run each database is visited as often as the law says.

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
``base="sequences"``, the walk tends to another law, where a database counts as often as its rows
can be ordered: private too, and what |D| = n^m in the paper would be right for. (2) A finite walk
is not exactly the law, so not exactly epsilon-private: it costs (epsilon, delta) if it is within
delta / (1 + e^epsilon) of it in total variation for every data set. **That is taken on trust**:
nothing of the kind is proved here for walks of useful length, and walks over large databases
freeze. For teaching only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.fat_shattering import net_mechanism as listed
from dpviz.papers.fat_shattering.classes import unit_queries
from dpviz.privacy.curator import Curator

BASES = ("databases", "sequences")


@dataclass(frozen=True, kw_only=True)
class Params:
    """What is public. The first seven are as in `release.Params`, but

    Attributes
    ----------
    delta : float in (0, 1), part of the price: (1 + e^epsilon) times a distance that is taken on
        trust, see the module
    steps : int >= 1, length of the walk
    base : "databases" (the law of `release`) or "sequences" (without the factor)

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
    exponent: str = "sharp"
    outside: str = "clip"
    steps: int = 10_000
    base: str = "databases"

    def __post_init__(self):
        checks.number("delta", self.delta, above=0, below=1)
        self.listed  # noqa: B018  (checks the others)
        checks.integer("steps", self.steps, at_least=1)
        checks.choice("base", self.base, BASES)

    @property
    def listed(self) -> listed.Params:
        """The same for module ``net_mechanism``."""
        names = ("epsilon", "rows", "total", "share", "exponent", "outside")
        return listed.Params(**{name: getattr(self, name) for name in names})

    @property
    def distance(self) -> float:
        """Total variation from the law that is taken on trust."""
        return self.delta / (1 + math.exp(min(self.listed.step, 700)))


@dataclass(frozen=True, eq=False)
class State:
    """Where a walk is: the cell of each row, people in each cell, the queries' sums."""

    rows: np.ndarray
    counts: np.ndarray
    sums: np.ndarray


def release(data: Any, queries: Any, params: Params, curator: Curator) -> listed.Release:
    """Walk to a small database. Costs (``params.epsilon``, ``params.delta``), if the walk is
    long enough; see the module.

    Arguments, sensitivity and errors as in `dpviz.papers.fat_shattering.net_mechanism.release`.

    >>> params = Params(epsilon=5.0, rows=10, total=100, steps=300)
    >>> curator = Curator(epsilon=5.0, delta=1e-6, rng=0)
    >>> release([90, 10], [[1, 0]], params, curator).fractions
    array([0.9, 0.1])
    """
    table, known = unit_queries(queries), params.listed
    counts = known.histogram(data, table.shape[1])
    exact, scale = table @ counts, counts.sum() / params.rows
    part = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="release")
    chosen = part.choose_metropolis(
        lambda state: -float(np.abs(exact - scale * state.sums).max()),
        even(table, params.rows),
        Mover(table, factor=params.base == "databases"),
        steps=params.steps,
        sensitivity=known.sensitivity,
        epsilon=known.step,
        distance=params.distance,
        label="small database",
    )
    total = known.publish_total(counts, part)
    return listed.Release(chosen.counts / params.rows, total)


def trial(params: Params, queries: Any, data: Any, *, rng: checks.Seed) -> dict[str, float]:
    """One walk.

    Returns
    -------
    dict with ``error`` (largest over the class, people) and ``relative`` (share of the people)

    >>> params = Params(epsilon=1.0, rows=5, total=50, steps=100)
    >>> trial(params, [[0, 1]], [40, 10], rng=0)["error"] < 50
    True
    """
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=checks.generator(rng))
    out = release(data, queries, params, curator)
    exact = listed.truth(data, queries)
    error = float(np.abs(listed.answer(out, queries) - exact).max())
    return {"error": error, "relative": error / float(np.sum(data))}


def even(queries: np.ndarray, rows: int) -> State:
    """A public start: the rows spread over the cells in turn.

    >>> even(np.eye(3), 4).counts.tolist()
    [2, 1, 1]
    """
    places = np.arange(rows) % queries.shape[1]
    counts = np.bincount(places, minlength=queries.shape[1])
    return State(places, counts, queries @ counts)


class Mover:
    """Proposes to move one row to any cell; says how much likelier the way back is.

    >>> state, log_ratio = Mover(np.eye(2))(even(np.eye(2), 1), np.random.default_rng(0))
    >>> state.counts.tolist(), log_ratio
    ([0, 1], 0.0)
    """

    def __init__(self, queries: np.ndarray, *, factor: bool = True):
        self._columns, self._factor = np.ascontiguousarray(queries.T), factor

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
        return moved, math.log(ratio) if self._factor else 0.0
