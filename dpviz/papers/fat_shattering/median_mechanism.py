"""Median mechanism (Theorem 6): small databases answer queries interactively.

**Paper.** Roth (2010), section 4, Theorem 6, after Roth and Roughgarden (2010).

**Setting.** The number of people is public; neighbours differ in one replaced person. Questions
come one by one and may depend on all answers so far; their number k is fixed in advance.

**Idea.** Keep all small databases that are still credible, and answer by their median. If the truth
is far from it, at least half of them are wrong: measure, and drop those. One good database is
never dropped, so this can happen only log2 of their number times.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       unit
===========  =====================  ============================================  ============
D_m          ``Candidates``         small databases, of ``rows`` rows             shares
eta          ``eta``                public bound on the best candidate's error    share
alpha        ``epsilon``            privacy                                       1
(none)       ``k``                  questions in all                              count
delta        ``beta``               probability of a larger error                 (0, 1)
===========  =====================  ============================================  ============

**Departures.** (1) Theorem 6 promises (alpha, tau)-differential privacy and has no term for the
number of queries. This form is pure (tau = 0), with threshold noise that is drawn once; in exchange
k is fixed in advance and ln k stands in the bound, because each comparison has noise of its own.
That replaces the statement and does not refute it: on few cells an error without k is possible, as
one release for all subsets shows. (2) It says "useful" for "relatively useful". (3) eta must be
public (`small_databases.error_bound`): the true best error is private. (4) FSD at eta/10, not
2 eta/5, as in module ``net_mechanism``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.fat_shattering import small_databases
from dpviz.papers.fat_shattering.classes import unit_queries
from dpviz.papers.fat_shattering.net_mechanism import histogram
from dpviz.privacy.curator import PURE, Curator, Promise
from dpviz.privacy.ledger import BudgetExceeded
from dpviz.privacy.online import Answer, Online

ROWS = 1000  # candidates compared at a time with all queries


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """What is public.

    Attributes
    ----------
    epsilon : float > 0, cost of everything, one person replaced
    delta : 0, because this form is pure; cells, rows : int >= 1, size of the candidates
    total : float > 0, the number of people; k : int >= 1, number of queries, fixed in advance
    eta : float >= 0, public bound on the best candidate's relative error for the queries that will
        come; None for cells / (4 rows), which holds for all
    share : float in (0, 1), part of epsilon for the comparisons; the rest is for the answers
    outside : "clip" or "refuse", what happens to negative counts

    >>> Params(epsilon=1.0, cells=3, rows=4, total=0, k=9)
    Traceback (most recent call last):
    ...
    ValueError: total must be a number with 0 < total, not 0
    """

    delta_range = PURE

    cells: checks.Count
    rows: checks.Count
    total: checks.Positive
    k: checks.Count
    eta: float | None = None
    share: checks.Share = 0.8
    outside: str = "clip"

    def __post_init__(self):
        super().__post_init__()
        if self.eta is not None:
            checks.number("eta", self.eta, at_least=0)

    @property
    def positives(self) -> int:
        """At most so many updates: log2 of the number of candidates, rounded down; at least 1."""
        return max(1, small_databases.count_databases(self.cells, self.rows).bit_length() - 1)

    @property
    def best_error(self) -> float:
        """Public bound on the relative error of the best candidate."""
        return self.cells / (4 * self.rows) if self.eta is None else self.eta

    def accuracy(self) -> tuple[float, float]:
        """Accuracy of AboveThreshold and of the answers: bounds on their noises, all of which hold
        with probability at least 1 - beta.

        Laplace noise of scale b is beyond b ln(1/p) with probability p; one threshold, k
        comparisons and ``positives`` answers get beta/3 together each.
        """
        third = math.log(3 / self.beta)
        compare = self.share * self.epsilon
        # the split of AboveThreshold with one threshold: `privacy.sparse_vector.Threshold`
        first = compare / (1 + (2 * self.positives) ** (2 / 3))
        compared = third / first
        compared += 2 * self.positives / (compare - first) * (third + math.log(self.k))
        answered = self.positives / (self.epsilon - compare) * (third + math.log(self.positives))
        return compared / self.total, answered / self.total


class Candidates:
    """The learner: databases consistent with all measurements, and the median of their answers.

    >>> learner = Candidates(small_databases.databases(2, 2) / 2)
    >>> learner.predict(np.array([0.0, 1.0]))
    0.5
    >>> learner.update(np.array([0.0, 1.0]), 0.9)
    >>> learner.consistent.tolist()
    [[0.0, 1.0]]
    """

    def __init__(self, fractions: np.ndarray):
        self.consistent = fractions
        self._medians: dict[bytes, float] = {}  # of queries asked since the last update

    def predict(self, query: np.ndarray) -> float:
        """Median of the candidates' answers."""
        name = query.tobytes()
        if name not in self._medians:
            self._medians[name] = float(np.median(self.consistent @ query))
        return self._medians[name]

    def update(self, query: np.ndarray, reply: float) -> None:
        """Keep those strictly on the reply's side of the median: at most half of them."""
        values = self.consistent @ query
        side = np.sign(reply - np.median(values))
        consistent = self.consistent[side * (values - np.median(values)) > 0]
        if len(
            consistent
        ):  # if none is left, a noise was beyond its bound: no promise, but private
            self.consistent = consistent
            self._medians = {}


class InteractiveMedian:
    """Answers questions one by one. Costs ``params.epsilon`` when it is made.

    Privacy: q(D)/total moves by at most 1/total when one person is replaced, and so does its
    distance to a guess; `dpviz.privacy.online` and the costs of its parts do the rest.
    Statements: R10 Theorem 6.

    Parameters
    ----------
    data : array (cells,) of counts that add up to the public total, private

    >>> params = Params(epsilon=50.0, cells=2, rows=8, total=1000, k=3)
    >>> median = InteractiveMedian([750, 250], params, params.curator(rng=0))
    >>> median.answer([1.0, 0.0]).value > 500
    True
    """

    def __init__(self, data: ArrayLike, params: Params, curator: Curator):
        counts = histogram(data, params.cells, outside=params.outside, total=params.total)
        self.learner = Candidates(
            small_databases.databases(params.cells, params.rows) / params.rows
        )
        self.params = params
        self._shares = counts / params.total
        compared, answered = params.accuracy()
        level = compared + max(params.best_error, answered)
        epsilon = (1 - params.share) * params.epsilon
        whole = curator.sub_curator(epsilon=params.epsilon, label="median")
        self._answers = whole.sub_curator(epsilon=epsilon, label="answers")
        self._each = epsilon / params.positives
        self._left = params.k
        truth = lambda query: float(query @ self._shares)  # noqa: E731
        cost = {"sensitivity": 1 / params.total, "epsilon": params.share * params.epsilon}
        count = {"positives": params.positives, "method": "once", "label": "compare"}
        test = whole.above_threshold(level, **cost, **count)
        options = {"answers": "oracle", "after": "freeze", "threshold": test}
        self._online = Online(self.learner, truth=truth, oracle=self._measure, **options)

    @property
    def updates(self) -> int:
        """Measurements so far."""
        return self.params.positives - self._online.threshold.positives_left

    def answer(self, query: ArrayLike) -> Answer:
        """Answer one query (cells,) in [0, 1], in people.

        Raises ``BudgetExceeded`` after ``params.k`` queries: beyond them nothing is promised.
        """
        row = unit_queries(np.asarray(query)[None] if np.ndim(query) == 1 else query)
        if row.shape != (1, self.params.cells):
            raise ValueError(f"query must have shape ({self.params.cells},)")
        if not self._left:
            raise BudgetExceeded(f"all {self.params.k} queries of the params are answered")
        self._left -= 1
        reply = self._online.answer(row[0])
        return Answer(self.params.total * reply.value, reply.kind)

    def answer_all(self, queries: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Answer queries (k, cells) in order: values in people, and kinds; two arrays (k,).

        Raises ``BudgetExceeded``, before any is answered, if they are more than are left.
        """
        table = unit_queries(queries)
        if len(table) > self._left:
            raise BudgetExceeded(
                f"{len(table)} queries are more than the {self._left} left of {self.params.k}"
            )
        replies = [self.answer(query) for query in table]
        return np.array([one.value for one in replies]), np.array([one.kind for one in replies])

    def _measure(self, query: np.ndarray) -> float:
        cost = {"sensitivity": 1 / self.params.total, "epsilon": self._each}
        return self._answers.laplace(query @ self._shares, **cost, label="measure")


def error_bound(params: Params) -> float:
    """Proved: with probability at least 1 - beta none of the k answers is off by more people
    than this.

    Proof. Let all noises stay within their bounds a (comparisons) and b (answers),
    `Params.accuracy`, and T = a + max(eta, b). A median that stands is within T + a of the truth.
    One that does not is off by more than T - a, so a reply is on the right side of it (b), and so
    is the best candidate, within eta of the truth: it is kept. At most half of the candidates lie
    strictly on one side of a median, so after log2 of their number updates one is left, the
    best. Hence every answer is within max(T + a, b, eta) = 2 a + max(eta, b).
    Statements: R10 Theorem 6.

    >>> params = Params(epsilon=1.0, cells=6, rows=8, total=1e6, k=400)
    >>> round(error_bound(params) / params.total, 4)
    0.1882
    """
    compared, answered = params.accuracy()
    return params.total * (2 * compared + max(params.best_error, answered))


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Ask all queries in order.

    Returns a dict with ``error`` (largest, people), ``bound`` (:func:`error_bound`), ``updates``,
    ``consistent`` (candidates at the end), ``best_kept`` (1 if the best candidate is among them).

    >>> params = Params(epsilon=9.0, cells=2, rows=8, total=1000, k=2)
    >>> trial(params, [750, 250], [[1, 0], [0, 1]], rng=0)["best_kept"]
    1.0
    """
    table = unit_queries(queries)
    median = InteractiveMedian(data, params, params.curator(rng=checks.generator(rng)))
    answers, _ = median.answer_all(table)
    shares = np.asarray(data) / params.total
    candidates = small_databases.databases(params.cells, params.rows) / params.rows
    consistent = median.learner.consistent
    best, left = (_least_error(some, shares, table) for some in (candidates, consistent))
    return {
        "error": float(np.abs(answers - table @ np.asarray(data)).max()),
        "bound": error_bound(params),
        "updates": float(median.updates),
        "consistent": float(len(consistent)),
        "best_kept": float(left <= best + 1e-12),
    }


def _least_error(candidates: np.ndarray, shares: np.ndarray, table: np.ndarray) -> float:
    """The largest error of the best candidate."""
    blocks = np.array_split(candidates - shares, 1 + len(candidates) // ROWS)
    return min(float(np.abs(some @ table.T).max(axis=1).min()) for some in blocks)
