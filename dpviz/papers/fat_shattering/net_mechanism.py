"""Net mechanism (SmallDB; Theorem 5): the exponential mechanism over all small databases.

**Paper.** Roth (2010), section 4, Definition 4, equation (2) and Theorem 5.

**Setting.** A database counts people in cells; neighbours are at l1 distance 1 (one person more or
less, or fractions of people). All queries of a class are to be answered at once.

**Idea.** Some database of a few rows answers nearly as the true one does. There are not too many
of these, so draw one of them at random, good ones far more often. Where they are too many to list
(``steps``), start anywhere public and propose to move one row to another cell; accept if that
helps, and sometimes if it does not: Metropolis-Hastings. In the long run each database is visited
as often as the exponential mechanism would choose it.

**Symbols.**

==============  ====================  =============================================  ============
paper           here                  meaning                                        shape, unit
==============  ====================  =============================================  ============
D               ``data``              people in each cell                            (cells,)
n               ``cells``             number of cells                                count
||D||           ``total``             number of people                               people
C, k            ``queries``           the class, one query a row                     (k, cells)
||D'||, m       ``rows``              rows of a small database                       count
D'              ``State.rows``        cell of each row                               (m,) int
q(D')           ``State.sums``        answer of each query, kept up to date          (k,)
(none)          ``steps``             moves proposed                                 count
(none)          ``distance``          total variation to the long run                [0, 1]
alpha           ``epsilon``           privacy at l1 distance 1                       1
delta           ``beta``              probability of a larger error                  (0, 1)
eta             ``eta``               relative error of the best small database      share
==============  ====================  =============================================  ============

**Departures.** (1) The score moves by at most 1 between neighbours, not by 1 + 1/m (see `release`):
so the exponent is epsilon/2 times the score; epsilon/4 (``method="as stated"``) is
epsilon/2-private and less accurate. (2) The output as stated is scaled by ||D||, which gives ||D||
away exactly. Here the shares are published, and the total separately, with noise; or ``total``
is public and neighbours have it in common (one person replaced: the score moves by at most 1 too).
(3) There are C(n + m - 1, m) <= n^m databases, not n^m. (4) The ratio of probabilities in Theorem 5
has exponent eta ||D|| alpha / 4, not / 2. (5) In its last line ln(1/delta) is to be divided by
eta alpha. (6) Theorems 5 and 6 hold with FSD at eta/10, not at 2 eta/5. (7) The paper does not say
how to draw. In a walk a row is picked at random, so cell i is left with chance D'_i / m and the way
back has (D'_j + 1)/m: acceptance needs the factor (D'_j + 1)/D'_i. Without it
the walk has another stationary distribution, in which a database counts as often as its rows can
be ordered: private too, and what |D| = n^m would be right for.
(8) The distribution after finitely many steps is not exactly the stationary one, so a walk is not
exactly epsilon-private: it costs (epsilon, delta) if it is within delta / (1 + e^epsilon) of it in
total variation for every data set. **That is taken on trust**: nothing of the kind is proved here
for walks of useful length, and walks over large databases freeze. For teaching only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.fat_shattering import small_databases
from dpviz.papers.fat_shattering.classes import Queries, unit_queries
from dpviz.papers.fat_shattering.covering_numbers import Dimension
from dpviz.privacy.curator import Curator, Promise
from dpviz.privacy.private_data import OUTSIDE, finite_table

METHODS = ("corrected", "as stated")
CHUNK = 1 << 14  # databases scored at a time


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """What is public; privacy holds for databases at l1 distance 1 (with equal totals: one
    person replaced).

    Attributes
    ----------
    epsilon : float > 0, cost of everything
    delta : 0 if all small databases are listed, because the mechanism is pure; of a walk in (0, 1):
        (1 + e^epsilon) times a distance that is taken on trust, see the module
    rows : int >= 1, rows of the small database; to be chosen without looking at the data
    total : float > 0 if the number of people is public; None if it is private
    share : float in (0, 1), the part of epsilon for the total, if that is private
    method : "corrected" (exponent epsilon/2) or "as stated" in the paper (epsilon/4)
    outside : "clip" or "refuse", what happens to negative counts
    steps : int >= 1, length of a Metropolis-Hastings walk; None to list all small databases

    >>> Params(epsilon=1.0, rows=0)
    Traceback (most recent call last):
    ...
    ValueError: rows must be a whole number, at least 1, not 0
    """

    rows: checks.Count
    total: checks.Positive | None = None
    share: checks.Share = 0.1
    method: str = "corrected"
    outside: str = "clip"
    steps: int | None = None

    def __post_init__(self):
        super().__post_init__()
        if self.steps is None:
            checks.number("delta", self.delta, at_least=0, at_most=0)
        else:
            checks.integer("steps", self.steps, at_least=1)
            checks.number("delta", self.delta, above=0, below=1)
        checks.choice("method", self.method, METHODS)
        checks.choice("outside", self.outside, OUTSIDE)

    @property
    def choice_epsilon(self) -> float:
        """What the choice costs."""
        return self.epsilon if self.total is not None else (1 - self.share) * self.epsilon

    @property
    def sensitivity(self) -> float:
        """What the choice is charged for: 1, or the paper's 2."""
        return 1.0 if self.method == "corrected" else 2.0

    @property
    def distance(self) -> float:
        """Total variation of a walk from its stationary distribution, taken on trust."""
        return self.delta / (1 + math.exp(min(self.choice_epsilon, 700)))


@dataclass(frozen=True, eq=False)
class Release:
    """All that the public sees.

    Attributes
    ----------
    fractions : array (cells,), multiples of 1/rows that add up to 1
    total : float >= 0, the public number of people, or a noisy one
    """

    fractions: np.ndarray
    total: float


def release(
    data: ArrayLike, params: Params, curator: Curator, *, queries: Queries | None = None
) -> Release:
    """Draw a small database. Costs ``params.epsilon``, and ``params.delta`` if it walks.

    Sensitivity of the score -max_q |q(D) - ||D|| t_q| with t_q = q(D')/m in [0, 1]: what is inside
    changes by sum_i (D_1 - D_2)_i (q_i - t_q), and |q_i - t_q| <= 1, so by at most ||D_1 - D_2||;
    with equal totals and one person replaced t_q drops out, and |q_i - q_j| <= 1. The largest
    over q moves by no more.
    Statements: R10 Equation 2; R10 Theorem 5; R10 Definition 2.

    Parameters
    ----------
    data : array (cells,) of counts, private; negative ones are clipped (or refused)
    queries : array (k, cells) in [0, 1], or a `classes.Polytope`, which is taken by its corners:
        the largest error over all its queries is attained there. Public; they must be given

    Raises ValueError, TypeError or BudgetExceeded before anything is spent, if an argument is bad
    or there are too many databases to list.

    >>> params = Params(epsilon=5.0, rows=10, total=100)
    >>> release([90, 10], params, params.curator(rng=0), queries=[[1, 0]]).fractions
    array([0.9, 0.1])
    """
    table = unit_queries(queries)
    counts = histogram(data, table.shape[1], outside=params.outside, total=params.total)
    if params.steps is not None:
        return _walked(table, counts, params, curator)
    candidates = small_databases.databases(table.shape[1], params.rows)
    scores = -_errors(table, counts, candidates / params.rows)
    make = curator.sub_curator if curator.composition == "basic" else curator.sub_curator_pure
    whole = make(epsilon=params.epsilon, label="release")
    cost = {"sensitivity": params.sensitivity, "epsilon": params.choice_epsilon}
    chosen = candidates[whole.choose(scores, **cost, label="small database")]  # equation (2)
    return Release(chosen / params.rows, _published_total(counts, params, whole))


def answer(release: Release, queries: Queries) -> np.ndarray:
    """Free: post-processing. Answers (k,) in people.

    >>> answer(Release(np.array([0.75, 0.25]), 100.0), [[1, 0], [0.5, 1]]).tolist()
    [75.0, 62.5]
    """
    return release.total * (unit_queries(queries) @ release.fractions)


def truth(
    data: ArrayLike, queries: Queries | None = None, params: Params | None = None
) -> np.ndarray:
    """For comparison only: not private. Exact answers (k,).

    >>> truth([3, 1], [[1, 0]]).tolist()
    [3.0]
    """
    return unit_queries(queries) @ finite_table(data).ravel()


def error_bound(
    params: Params, *, queries: Queries | None = None, total: float | None = None
) -> float:
    """Proved: with probability at least 1 - beta no answer is off by more people than this.

    Proof. Among N candidates the exponential mechanism falls short of the best score by more
    than (2 s / epsilon)(ln N + ln(1/b)) with probability at most b (McSherry and Talwar 2007), s
    being the sensitivity it is charged for. The best score is at least -eta total
    (`small_databases.error_bound`). A private total is off by at most ln(1/b) / (share epsilon),
    and so are the answers, as they are shares of it. b is beta, or beta/2 where both may fail.
    Statements: R10 Theorem 5; R10 Definition 1.

    Parameters
    ----------
    queries : array (k, cells) in [0, 1]; they must be given
    total : number of people, if ``params`` does not say it

    >>> round(error_bound(Params(epsilon=1.0, rows=4, total=1000), queries=[[0, 1]]))
    134
    """
    table = unit_queries(queries)
    small = small_databases.Params(rows=params.rows)
    eta = small_databases.error_bound(small, queries=table)
    return eta * _people(params, total) + error_bound_noise(params, cells=table.shape[1])


def error_bound_noise(params: Params, *, cells: int) -> float:
    """Proved: the part of :func:`error_bound` that privacy costs; its proof stands there.

    >>> round(error_bound_noise(Params(epsilon=1.0, rows=4, total=1000), cells=2), 1)
    9.2

    Raises ``ValueError`` for a walk: how near it is to its distribution is not proved.
    """
    if params.steps is not None:
        raise ValueError("steps must be None: of a walk nothing is proved")
    public = params.total is not None
    failure = params.beta / (1 if public else 2)
    candidates = math.log(small_databases.count_databases(cells, params.rows)) - math.log(failure)
    counted = 0.0 if public else -math.log(failure) / (params.share * params.epsilon)
    return 2 * params.sensitivity / params.choice_epsilon * candidates + counted


def error_bound_dimension(
    params: Params,
    *,
    dimension: Dimension,
    cells: int,
    total: float | None = None,
    boolean: bool = False,
) -> float:
    """Proved (Theorem 5 with constants): :func:`error_bound` for a class of which only the
    fat-shattering dimension is known, finite or infinite.

    The proof is the same, with `small_databases.error_bound_dimension` for eta: a draw
    from the mechanism is within this, however it is made. Where ``steps`` or the enumeration of
    `small_databases.databases` end, the bound goes on.
    Statements: R10 Theorem 5.

    Parameters
    ----------
    dimension : gamma -> fat-shattering dimension; boolean : whether all coefficients are 0 and 1

    >>> params = Params(epsilon=1.0, rows=1000, total=1e7)
    >>> round(error_bound_dimension(params, dimension=lambda gamma: 1, cells=100) / 1e7, 2)
    0.21
    """
    small = small_databases.Params(rows=params.rows)
    public = {"dimension": dimension, "cells": cells, "boolean": boolean}
    eta = small_databases.error_bound_dimension(small, **public)
    return eta * _people(params, total) + error_bound_noise(params, cells=cells)


def relative_size(params: Params, *, eta: float, best_error: float, cells: int) -> float:
    """Proved (Definition 1, relative form): the mechanism is (eta, beta)-relatively useful for all
    databases of at least so many people.

    Proof. With W people the bound is best_error W plus a part that does not depend on W
    (:func:`error_bound_noise`), so at most eta W from that part / (eta - best_error) on. If the
    total is private, neither ``rows`` nor this size depends on it.
    Statements: R10 Definition 1.

    Parameters
    ----------
    eta : float in (0, 1], the relative error
    best_error : float >= 0, of the best small database: `small_databases.error_bound` for a finite
        class, `small_databases.error_bound_dimension` for any

    Raises ValueError if eta is not above ``best_error``: then no number of people is enough.

    >>> round(relative_size(Params(epsilon=1.0, rows=4), eta=0.2, best_error=0.125, cells=2))
    649
    """
    checks.number("best_error", best_error, at_least=0)
    if checks.number("eta", eta, above=0, at_most=1) <= best_error:
        raise ValueError(
            f"eta must be above the error {best_error:.3g} of the best small database, not {eta}; "
            "take more rows"
        )
    return error_bound_noise(params, cells=cells) / (eta - best_error)


def paper_bound(
    params: Params, *, queries: Queries | None = None, total: float | None = None
) -> float:
    """Theorem 5's proof as stated: error 2 eta total once n^m exp(-eta total alpha / 2) <= beta.

    It is not true: the exponent is to be divided by 2 (a test shows it failing).
    Statements: R10 Theorem 5.

    >>> round(paper_bound(Params(epsilon=1.0, rows=4, total=1000), queries=[[0, 1]]))
    250
    """
    table = unit_queries(queries)
    likely = params.rows * math.log(table.shape[1]) + math.log(1 / params.beta)
    small = small_databases.Params(rows=params.rows)
    eta = small_databases.error_bound(small, queries=table)
    return 2 * max(eta * _people(params, total), 2 / params.epsilon * likely)


def paper_rate(params: Params, *, k: int, cells: int, total: float | None = None) -> float:
    """Section 1.1: error total^(2/3) (ln k ln n / alpha)^(1/3); here with the constant 1.

    Statements: R10 Section 1.1 (rate).

    >>> round(paper_rate(Params(epsilon=1.0, rows=1, total=1000), k=100, cells=10))
    220
    """
    logs = math.log(k) * math.log(cells) / params.epsilon
    return _people(params, total) ** (2 / 3) * logs ** (1 / 3)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: Queries | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Release once, and publish a Laplace histogram of all cells at the same cost.

    Returns a dict with ``error``, ``histogram_error`` (largest errors over the class, people),
    ``best_error`` (that of the best small database), ``bound`` (:func:`error_bound`),
    ``paper_bound``.

    >>> trial(Params(epsilon=1.0, rows=4, total=40), [30, 10], [[0, 1]], rng=0)["best_error"]
    0.0
    """
    rng = checks.generator(rng)
    table = unit_queries(queries)
    exact = truth(data, queries)
    counts = histogram(data, table.shape[1], outside=params.outside, total=params.total)
    out = release(counts, params, params.curator(rng=rng), queries=table)
    l1_distance = 1.0 if params.total is None else 2.0  # of neighbours
    cost = {"sensitivity": l1_distance, "epsilon": params.epsilon, "label": "histogram"}
    noisy = params.curator(rng=rng).laplace(counts, **cost)
    candidates = small_databases.databases(table.shape[1], params.rows) / params.rows
    return {
        "error": float(np.abs(answer(out, table) - exact).max()),
        "histogram_error": float(np.abs(table @ noisy - exact).max()),
        "best_error": float(_errors(table, counts, candidates).min()),
        "bound": error_bound(params, queries=table, total=counts.sum()),
        "paper_bound": paper_bound(params, queries=table, total=counts.sum()),
    }


def histogram(
    data: ArrayLike | None, cells: int, *, outside: str, total: float | None
) -> np.ndarray:
    """Private counts (cells,), checked; messages show nothing of them.

    Clipping at 0 moves each cell of two databases no further apart. The public total is that of
    the counts as they came in: neighbours share it, but after clipping they need not.
    The score still moves by at most 1: with u <= 1 added to one cell and v <= 1 taken from another,
    an error moves by (u - v) a - u q_i + v q_j for a, q in [0, 1], so by at most max(u, v).

    >>> histogram([3, -1], 2, outside="clip", total=None)
    array([3., 0.])
    """
    counts = finite_table(data)
    if counts.shape != (cells, 1):
        raise ValueError("data must have one count for each cell, as the queries do")
    counts = counts.ravel()
    if outside == "refuse" and (counts < 0).any():
        raise ValueError("data must not hold negative counts")
    if total is not None and not math.isclose(counts.sum(), total, rel_tol=1e-9):
        raise ValueError("data must add up to the public total")
    return np.maximum(counts, 0)


def _errors(queries: np.ndarray, counts: np.ndarray, fractions: np.ndarray) -> np.ndarray:
    """Largest error over the class of each small database, in people.

    Parameters
    ----------
    counts : array (cells,), private; fractions : array (c, cells), public
    """
    exact = queries @ counts
    total = counts.sum()
    chunks = (fractions[i : i + CHUNK] for i in range(0, len(fractions), CHUNK))
    worst = [np.abs(total * (chunk @ queries.T) - exact).max(axis=1) for chunk in chunks]
    return np.concatenate(worst)


def _people(params: Params, total: float | None) -> float:
    """The number of people: given, or public."""
    return checks.number("total", params.total if total is None else total, above=0)


@dataclass(frozen=True, eq=False)
class State:
    """Where a walk is: the cell of each row, rows in each cell, the queries' sums.

    >>> State(np.array([0, 1]), np.array([1, 1]), np.array([1.0])).counts.tolist()
    [1, 1]
    """

    rows: np.ndarray
    counts: np.ndarray
    sums: np.ndarray


def _initial_state(queries: np.ndarray, rows: int) -> State:
    """A public start: the rows spread over the cells in turn."""
    places = np.arange(rows) % queries.shape[1]
    counts = np.bincount(places, minlength=queries.shape[1])
    return State(places, counts, queries @ counts)


class Proposal:
    """Proposes to move one row to any cell; says how much likelier the way back is.

    >>> rng = np.random.default_rng(0)
    >>> state, log_ratio = Proposal(np.eye(2))(_initial_state(np.eye(2), 1), rng)
    >>> state.counts.tolist(), log_ratio
    ([0, 1], 0.0)
    """

    def __init__(self, queries: np.ndarray):
        self._columns = np.ascontiguousarray(queries.T)

    def __call__(self, state: State, rng: np.random.Generator) -> tuple[State, float]:
        """One proposal and the log of (D'_j + 1) / D'_i."""
        row = rng.integers(len(state.rows))
        j = rng.integers(len(state.counts))
        i = state.rows[row]
        if i == j:
            return state, 0.0
        rows = state.rows.copy()
        counts = state.counts.copy()
        rows[row], ratio = j, (counts[j] + 1) / counts[i]
        counts[i] -= 1
        counts[j] += 1
        moved = State(rows, counts, state.sums + self._columns[j] - self._columns[i])
        return moved, math.log(ratio)


def _walked(table: np.ndarray, counts: np.ndarray, params: Params, curator: Curator) -> Release:
    """The release by a walk."""
    exact = table @ counts
    scale = counts.sum() / params.rows
    whole = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="release")
    chosen = whole.choose_metropolis(
        lambda state: -float(np.abs(exact - scale * state.sums).max()),
        _initial_state(table, params.rows),
        Proposal(table),
        steps=params.steps,
        sensitivity=params.sensitivity,
        epsilon=params.choice_epsilon,
        distance=params.distance,
        label="small database",
    )
    return Release(chosen.counts / params.rows, _published_total(counts, params, whole))


def _published_total(counts: np.ndarray, params: Params, curator: Curator) -> float:
    """The public total, or a noisy one that is not negative (footnote 2); one person moves the
    total by one.

    Statements: R10 Footnote 2.
    """
    if params.total is not None:
        return float(params.total)
    cost = {"sensitivity": 1.0, "epsilon": params.share * params.epsilon, "label": "total"}
    return max(0.0, curator.laplace(counts.sum(), **cost))  # clipping is post-processing
