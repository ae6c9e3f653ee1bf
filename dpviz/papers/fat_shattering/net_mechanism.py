"""Choose a small database: the exponential mechanism over all of them.

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
eta             ``small_databases.error_bound`` relative error of the best small database      share
==============  ====================  =============================================  ============

**Departures.** (1) The score moves by at most 1 between neighbours, not by 1 + 1/m (see `release`):
so the exponent is epsilon/2 times the score; the printed epsilon/4 (``exponent="paper"``) is
epsilon/2-private and less accurate. (2) The printed output is scaled by ||D||, which gives ||D||
away exactly. Here the shares are published, and the total separately, with noise; or ``total``
is public and neighbours have it in common (one person replaced: the score moves by at most 1 too).
(3) There are C(n + m - 1, m) <= n^m databases, not n^m. (4) The ratio of probabilities in Theorem 5
has exponent eta ||D|| alpha / 4, not / 2. (5) In its last line ln(1/delta) is to be divided by
eta alpha. (6) Theorems 5 and 6 hold with FSD at eta/10, not at 2 eta/5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.fat_shattering import small_databases
from dpviz.papers.fat_shattering.classes import unit_queries
from dpviz.papers.fat_shattering.net_scores import errors, histogram, published_total
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import OUTSIDE, finite_table

EXPONENTS = ("sharp", "paper")


@dataclass(frozen=True, kw_only=True)
class Params:
    """What is public; privacy holds for databases at l1 distance 1 (with equal totals: one
    person replaced).

    Attributes
    ----------
    epsilon : float > 0, price of everything
    delta : 0, for this is pure
    rows : int >= 1, rows of the small database; to be chosen without looking at the data
    total : float > 0 if the number of people is public; None if it is private
    share : float in (0, 1), the part of epsilon for the total, if that is private
    exponent : "sharp" (epsilon/2) or "paper" (epsilon/4)
    outside : "clip" or "refuse", what happens to negative counts

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
    exponent: str = "sharp"
    outside: str = "clip"

    def __post_init__(self):
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, at_most=0)
        checks.integer("rows", self.rows, at_least=1)
        if self.total is not None:
            checks.number("total", self.total, above=0)
        checks.number("share", self.share, above=0, below=1)
        checks.choice("exponent", self.exponent, EXPONENTS)
        checks.choice("outside", self.outside, OUTSIDE)

    @property
    def step(self) -> float:
        """What the choice costs."""
        return self.epsilon if self.total is not None else (1 - self.share) * self.epsilon

    @property
    def sensitivity(self) -> float:
        """What the choice is charged for: 1, or the paper's 2."""
        return 1.0 if self.exponent == "sharp" else 2.0

    def histogram(self, data: Any, cells: int) -> np.ndarray:
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


def release(data: Any, queries: Any, params: Params, curator: Curator) -> Release:
    """Draw a small database. Costs ``params.epsilon``.

    Sensitivity of the score -max_q |q(D) - ||D|| t_q| with t_q = q(D')/m in [0, 1]: what is inside
    changes by sum_i (D_1 - D_2)_i (q_i - t_q), and |q_i - t_q| <= 1, so by at most ||D_1 - D_2||;
    with equal totals and one person replaced t_q drops out, and |q_i - q_j| <= 1. The largest
    over q moves by no more.

    Parameters
    ----------
    data : array (cells,) of counts, private; negative ones are clipped (or refused)
    queries : array (k, cells) in [0, 1], public; `classes.thresholds` stands for all
        non-decreasing functions, for the largest error is attained there

    Raises
    ------
    ValueError, TypeError, BudgetExceeded
        Before anything is spent, if an argument is bad or there are too many databases to list.

    >>> curator = Curator(epsilon=5.0, rng=0)
    >>> release([90, 10], [[1, 0]], Params(epsilon=5.0, rows=10, total=100), curator).fractions
    array([0.9, 0.1])
    """
    table = unit_queries(queries)
    counts = params.histogram(data, table.shape[1])
    found = small_databases.databases(table.shape[1], params.rows)
    scores = -errors(table, counts, found / params.rows)
    make = curator.sub_curator if curator.composition == "basic" else curator.sub_curator_pure
    part = make(epsilon=params.epsilon, label="release")
    price = {"sensitivity": params.sensitivity, "epsilon": params.step}
    chosen = found[part.choose(scores, **price, label="small database")]  # equation (2)
    return Release(chosen / params.rows, params.publish_total(counts, part))


def answer(release: Release, queries: Any) -> np.ndarray:
    """Free: post-processing. Answers (k,) in people.

    >>> answer(Release(np.array([0.75, 0.25]), 100.0), [[1, 0], [0.5, 1]]).tolist()
    [75.0, 62.5]
    """
    return release.total * (unit_queries(queries) @ release.fractions)


def truth(data: Any, queries: Any) -> np.ndarray:
    """For comparison only: not private. Exact answers (k,).

    >>> truth([3, 1], [[1, 0]]).tolist()
    [3.0]
    """
    return unit_queries(queries) @ finite_table(data).ravel()


def error_bound(params: Params, queries: Any, total: float, *, beta: float = 0.05) -> float:
    """Proved: with probability 1 - beta no answer is off by more people than this.

    Proof. Among N candidates the exponential mechanism falls short of the best score by more
    than (2 s / epsilon)(ln N + ln(1/b)) with probability at most b (McSherry and Talwar 2007), s
    being the sensitivity it is charged for. The best score is at least -eta total
    (`small_databases.error_bound`). A private total is off by at most ln(1/b)/epsilon, and so are
    the answers, as they are shares of it. b is beta, or beta/2 where both may fail.

    >>> round(error_bound(Params(epsilon=1.0, rows=4, total=1000), [[0, 1]], 1000))
    134
    """
    table = unit_queries(queries)
    checks.number("total", total, above=0)
    return small_databases.error_bound(params, table) * total + error_bound_noise(
        params, table.shape[1], beta=beta
    )


def error_bound_noise(params: Params, cells: int, *, beta: float = 0.05) -> float:
    """Proved: the part of :func:`error_bound` that privacy costs; its proof stands there.

    >>> round(error_bound_noise(Params(epsilon=1.0, rows=4, total=1000), 2), 1)
    9.2
    """
    public = params.total is not None
    failure = checks.number("beta", beta, above=0, below=1) / (1 if public else 2)
    candidates = math.log(small_databases.how_many(cells, params.rows)) - math.log(failure)
    counted = 0.0 if public else -math.log(failure) / (params.share * params.epsilon)
    return 2 * params.sensitivity / params.step * candidates + counted


def paper_bound(params: Params, queries: Any, total: float, *, beta: float = 0.05) -> float:
    """Theorem 5's proof as printed: error 2 eta total once n^m exp(-eta total alpha / 2) <= beta.

    It is not true: the exponent is to be divided by 2 (a test shows it failing).

    >>> round(paper_bound(Params(epsilon=1.0, rows=4, total=1000), [[0, 1]], 1000))
    250
    """
    table = unit_queries(queries)
    enough = 2 / params.epsilon * (params.rows * math.log(table.shape[1]) + math.log(1 / beta))
    return 2 * max(small_databases.error_bound(params, table) * total, enough)


def paper_rate(total: float, k: int, cells: int, *, epsilon: float) -> float:
    """Section 1.1: error total^(2/3) (ln k ln n / alpha)^(1/3); here with the constant 1.

    >>> round(paper_rate(1000, 100, 10, epsilon=1.0))
    220
    """
    return total ** (2 / 3) * (math.log(k) * math.log(cells) / epsilon) ** (1 / 3)


def trial(params: Params, queries: Any, data: Any, *, rng: checks.Seed) -> dict[str, float]:
    """Release once, and a noisy table of all cells for the same price.

    Returns
    -------
    dict with ``error``, ``table`` (largest errors over the class, people), ``best`` (that of the
    best small database), ``bound`` (:func:`error_bound`), ``paper`` (:func:`paper_bound`)

    >>> trial(Params(epsilon=1.0, rows=4, total=40), [[0, 1]], [30, 10], rng=0)["best"]
    0.0
    """
    rng, table, exact = checks.generator(rng), unit_queries(queries), truth(data, queries)
    counts = params.histogram(data, table.shape[1])
    out = release(counts, table, params, Curator(epsilon=params.epsilon, rng=rng))
    apart = 1.0 if params.total is None else 2.0  # l1 distance of neighbours
    price = {"sensitivity": apart, "epsilon": params.epsilon, "label": "table"}
    noisy = Curator(epsilon=params.epsilon, rng=rng).laplace(counts, **price)
    found = small_databases.databases(table.shape[1], params.rows) / params.rows
    return {
        "error": float(np.abs(answer(out, table) - exact).max()),
        "table": float(np.abs(table @ noisy - exact).max()),
        "best": float(errors(table, counts, found).min()),
        "bound": error_bound(params, table, counts.sum()),
        "paper": paper_bound(params, table, counts.sum()),
    }
