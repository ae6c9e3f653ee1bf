"""Net mechanism (SmallDB; Theorem 5): the exponential mechanism over all small databases.

**Paper.** Roth (2010), section 4, Definition 4, equation (2) and Theorem 5.

**Setting.** A database counts people in cells; neighbours are at l1 distance 1 (one person more or
less, or fractions of people). All queries of a class are to be answered at once.

**Idea.** Some database of a few rows answers nearly as the true one does. There are not too many
of these, so draw one of them at random, good ones far more often.

**Symbols.**

==============  ====================  =============================================  ============
paper           here                  meaning                                        shape, unit
==============  ====================  =============================================  ============
D               ``data``              people in each cell                            (cells,)
n               ``cells``             number of cells                                count
||D||           ``total``             number of people                               people
C, k            ``queries``           the class, one query a row                     (k, cells)
||D'||, m       ``rows``              rows of a small database                       count
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
eta alpha. (6) Theorems 5 and 6 hold with FSD at eta/10, not at 2 eta/5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.fat_shattering import small_databases
from dpviz.papers.fat_shattering.classes import unit_queries
from dpviz.papers.fat_shattering.net_scores import errors, histogram, published_total
from dpviz.privacy.budgeted import Budgeted
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import OUTSIDE, finite_table

METHODS = ("corrected", "as stated")


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """What is public; privacy holds for databases at l1 distance 1 (with equal totals: one
    person replaced).

    Attributes
    ----------
    epsilon : float > 0, cost of everything
    delta : 0, because the mechanism is pure
    rows : int >= 1, rows of the small database; to be chosen without looking at the data
    total : float > 0 if the number of people is public; None if it is private
    share : float in (0, 1), the part of epsilon for the total, if that is private
    method : "corrected" (exponent epsilon/2) or "as stated" in the paper (epsilon/4)
    outside : "clip" or "refuse", what happens to negative counts
    beta : float in (0, 1), probability that some answer is further off than `error_bound`

    >>> Params(epsilon=1.0, rows=0)
    Traceback (most recent call last):
    ...
    ValueError: rows must be a whole number, at least 1, not 0
    """

    epsilon: float
    delta: float = 0.0
    rows: int
    total: float | None = None
    share: float = 0.1
    method: str = "corrected"
    outside: str = "clip"
    beta: float = 0.05

    def __post_init__(self):
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, at_most=0)
        checks.integer("rows", self.rows, at_least=1)
        if self.total is not None:
            checks.number("total", self.total, above=0)
        checks.number("share", self.share, above=0, below=1)
        checks.choice("method", self.method, METHODS)
        checks.choice("outside", self.outside, OUTSIDE)
        checks.number("beta", self.beta, above=0, below=1)

    @property
    def choice_epsilon(self) -> float:
        """What the choice costs."""
        return self.epsilon if self.total is not None else (1 - self.share) * self.epsilon

    @property
    def sensitivity(self) -> float:
        """What the choice is charged for: 1, or the paper's 2."""
        return 1.0 if self.method == "corrected" else 2.0

    def histogram(self, data: ArrayLike | None, cells: int) -> np.ndarray:
        """Private counts (cells,), checked and clipped."""
        return histogram(data, cells, outside=self.outside, total=self.total)

    def publish_total(self, counts: np.ndarray, curator: Curator) -> float:
        """The total that goes with the shares."""
        return published_total(counts, self.total, curator, epsilon=self.share * self.epsilon)


@dataclass(frozen=True, eq=False)
class Release:
    """All that the public sees.

    Attributes
    ----------
    fractions : array (cells,), multiples of 1/rows that add up to 1
    total : float, the public number of people, or a noisy one
    """

    fractions: np.ndarray
    total: float


def release(
    data: ArrayLike, params: Params, curator: Curator, *, queries: ArrayLike | None = None
) -> Release:
    """Draw a small database. Costs ``params.epsilon``.

    Sensitivity of the score -max_q |q(D) - ||D|| t_q| with t_q = q(D')/m in [0, 1]: what is inside
    changes by sum_i (D_1 - D_2)_i (q_i - t_q), and |q_i - t_q| <= 1, so by at most ||D_1 - D_2||;
    with equal totals and one person replaced t_q drops out, and |q_i - q_j| <= 1. The largest
    over q moves by no more.

    Parameters
    ----------
    data : array (cells,) of counts, private; negative ones are clipped (or refused)
    queries : array (k, cells) in [0, 1], public; they must be given. `classes.thresholds` stands
        for all monotone functions, because the largest error is attained there

    Raises
    ------
    ValueError, TypeError, BudgetExceeded
        Before anything is spent, if an argument is bad or there are too many databases to list.

    >>> params = Params(epsilon=5.0, rows=10, total=100)
    >>> release([90, 10], params, params.curator(rng=0), queries=[[1, 0]]).fractions
    array([0.9, 0.1])
    """
    table = unit_queries(queries)
    counts = params.histogram(data, table.shape[1])
    found = small_databases.databases(table.shape[1], params.rows)
    scores = -errors(table, counts, found / params.rows)
    make = curator.sub_curator if curator.composition == "basic" else curator.sub_curator_pure
    whole = make(epsilon=params.epsilon, label="release")
    cost = {"sensitivity": params.sensitivity, "epsilon": params.choice_epsilon}
    chosen = found[whole.choose(scores, **cost, label="small database")]  # equation (2)
    return Release(chosen / params.rows, params.publish_total(counts, whole))


def answer(release: Release, queries: ArrayLike) -> np.ndarray:
    """Free: post-processing. Answers (k,) in people.

    >>> answer(Release(np.array([0.75, 0.25]), 100.0), [[1, 0], [0.5, 1]]).tolist()
    [75.0, 62.5]
    """
    return release.total * (unit_queries(queries) @ release.fractions)


def truth(
    data: ArrayLike, queries: ArrayLike | None = None, params: Params | None = None
) -> np.ndarray:
    """For comparison only: not private. Exact answers (k,).

    >>> truth([3, 1], [[1, 0]]).tolist()
    [3.0]
    """
    return unit_queries(queries) @ finite_table(data).ravel()


def error_bound(
    params: Params, *, queries: ArrayLike | None = None, total: float | None = None
) -> float:
    """Proved: with probability at least 1 - beta no answer is off by more people than this.

    Proof. Among N candidates the exponential mechanism falls short of the best score by more
    than (2 s / epsilon)(ln N + ln(1/b)) with probability at most b (McSherry and Talwar 2007), s
    being the sensitivity it is charged for. The best score is at least -eta total
    (`small_databases.error_bound`). A private total is off by at most ln(1/b)/epsilon, and so are
    the answers, as they are shares of it. b is beta, or beta/2 where both may fail.

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
    """
    public = params.total is not None
    failure = params.beta / (1 if public else 2)
    candidates = math.log(small_databases.count_databases(cells, params.rows)) - math.log(failure)
    counted = 0.0 if public else -math.log(failure) / (params.share * params.epsilon)
    return 2 * params.sensitivity / params.choice_epsilon * candidates + counted


def paper_bound(
    params: Params, *, queries: ArrayLike | None = None, total: float | None = None
) -> float:
    """Theorem 5's proof as stated: error 2 eta total once n^m exp(-eta total alpha / 2) <= beta.

    It is not true: the exponent is to be divided by 2 (a test shows it failing).

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

    >>> round(paper_rate(Params(epsilon=1.0, rows=1, total=1000), k=100, cells=10))
    220
    """
    logs = math.log(k) * math.log(cells) / params.epsilon
    return _people(params, total) ** (2 / 3) * logs ** (1 / 3)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Release once, and publish a Laplace histogram of all cells at the same cost.

    Returns
    -------
    dict with ``error``, ``histogram_error`` (largest errors over the class, people),
    ``best_error`` (that of the best small database), ``bound`` (:func:`error_bound`),
    ``paper_bound``

    >>> trial(Params(epsilon=1.0, rows=4, total=40), [30, 10], [[0, 1]], rng=0)["best_error"]
    0.0
    """
    rng, table, exact = checks.generator(rng), unit_queries(queries), truth(data, queries)
    counts = params.histogram(data, table.shape[1])
    out = release(counts, params, params.curator(rng=rng), queries=table)
    l1_distance = 1.0 if params.total is None else 2.0  # of neighbours
    cost = {"sensitivity": l1_distance, "epsilon": params.epsilon, "label": "histogram"}
    noisy = params.curator(rng=rng).laplace(counts, **cost)
    found = small_databases.databases(table.shape[1], params.rows) / params.rows
    return {
        "error": float(np.abs(answer(out, table) - exact).max()),
        "histogram_error": float(np.abs(table @ noisy - exact).max()),
        "best_error": float(errors(table, counts, found).min()),
        "bound": error_bound(params, queries=table, total=counts.sum()),
        "paper_bound": paper_bound(params, queries=table, total=counts.sum()),
    }


def output_distribution(
    data: ArrayLike, params: Params, *, queries: ArrayLike | None = None
) -> np.ndarray:
    """Probability of each small database, in the order of `small_databases.databases`.

    For tests and pictures only: not private.

    >>> params = Params(epsilon=1e-9, rows=2, total=2)
    >>> output_distribution([1, 1], params, queries=[[0, 1]]).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    table = unit_queries(queries)
    counts = params.histogram(data, table.shape[1])
    found = small_databases.databases(table.shape[1], params.rows) / params.rows
    scale = -params.choice_epsilon / (2 * params.sensitivity)
    weights = scale * errors(table, counts, found)
    weights = np.exp(weights - weights.max())
    return weights / weights.sum()


def _people(params: Params, total: float | None) -> float:
    """The number of people: given, or public."""
    return checks.number("total", params.total if total is None else total, above=0)
