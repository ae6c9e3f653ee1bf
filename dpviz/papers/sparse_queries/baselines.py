"""What is often better: a noisy table that remembers, and noise for each question.

**Paper.** Not in the lecture; Korolova et al. (2009) for the table of heavy names.

**Setting.** As in ``online``: sparse queries about n private names, replace one record.

**Idea.** A name's count moves by one when a record comes or goes. So draw each name's noise
once, when it is first asked about, and keep it: any number of questions, of any universe, at
one price. The error grows with the width of a query, not with the number of queries.

**Symbols.**

============  ==================  ==================================================  ======
paper         here                meaning                                             unit
============  ==================  ==================================================  ======
(none)        ``RememberingTable``  count + Laplace(2 / epsilon), drawn at first touch  counts
m, k, n       m, k, n             width and number of queries, records                count
N             ``touched``         names touched in all, a limit set beforehand        count
============  ==================  ==================================================  ======

**Departures.** None from a paper. That it serves adaptive queries over an infinite universe is
proved at ``Curator.lazy_histogram``; that its *error* can be hunted by adaptive queries is shown
by :func:`trial`.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from typing import Any

import numpy as np

from dpviz import accounting, checks
from dpviz.papers.sparse_queries.queries import Batch, Query, Records, allowed, public_vocabulary
from dpviz.privacy.curator import Curator


class RememberingTable:
    """One noisy count for each name, drawn at first touch. Costs ``epsilon``, for ever.

    Do not cut negative counts off: over many names that is a bias. Answers are clipped to
    [0, 1], which can only help.

    Parameters
    ----------
    data : sequence of n hashable names, private
    vocabulary : public names that queries may use

    >>> curator = Curator(epsilon=1.0, rng=0)
    >>> table = RememberingTable(["cat"] * 9, curator, epsilon=1.0, vocabulary={"cat", "dog"})
    >>> query = Query(["dog", "cat"])
    >>> table.answer(query) == table.answer(query)
    True
    """

    def __init__(
        self, data: Any, curator: Curator, *, epsilon: float, vocabulary: Container | None = None
    ):
        self._vocabulary, self._records = public_vocabulary(vocabulary), Records(data)
        self._table = curator.lazy_histogram(sensitivity=2.0, epsilon=epsilon, label="names")
        self._seen: dict[Any, float] = {}

    def answer(self, query: Query) -> float:
        """Sum of the noisy counts over n; any number of queries."""
        allowed(query, self._vocabulary, query.width if isinstance(query, Query) else 1)
        total = float(query.values @ [self._count(name) for name in query.names])
        return min(1.0, max(0.0, total / self._records.n))

    def answer_all(self, queries: Batch) -> np.ndarray:
        """Answers to a batch, shape (k,): the same as one by one."""
        allowed(queries, self._vocabulary, queries.width, kind=Batch)
        counts = np.array([self._count(name) for name in queries.names])
        return np.clip(queries.apply(counts) / self._records.n, 0.0, 1.0)

    def _count(self, name: Any) -> float:
        """The noisy count, asked of the curator once."""
        if name not in self._seen:
            self._seen[name] = self._table.entry(name, self._records.counts[name])
        return self._seen[name]


def release_table(data: Any, queries: Batch, curator: Curator, *, epsilon: float, delta=0.0):
    """Answers of the table that remembers. Costs ``epsilon``."""
    table = RememberingTable(data, curator, epsilon=epsilon, vocabulary=queries.number)
    return table.answer_all(queries)


def release_heavy(data: Any, queries: Batch, curator: Curator, *, epsilon: float, delta: float):
    """Answers from the names that are common enough to be told. Costs (epsilon, delta)."""
    data = list(data) if isinstance(data, Iterator) else data
    records = Records(data)
    names = data.tolist() if isinstance(data, np.ndarray) else list(data)
    heavy = curator.stable_histogram(names, epsilon=epsilon, delta=delta, label="common names")
    counts = np.array([heavy.get(name, 0.0) for name in queries.names])
    return np.clip(queries.apply(counts) / records.n, 0.0, 1.0)


def release_gaussian(data: Any, queries: Batch, curator: Curator, *, epsilon: float, delta: float):
    """Gaussian noise on each query, L2 sensitivity sqrt(k)/n. Costs (epsilon, delta)."""
    records = Records(data)
    price = {"epsilon": epsilon, "delta": delta, "label": "every query"}
    values = records.truths(queries)
    far = math.sqrt(len(queries)) / records.n
    return np.clip(curator.gaussian(values, sensitivity=far, **price), 0.0, 1.0)


def release_laplace(data: Any, queries: Batch, curator: Curator, *, epsilon: float, delta=0.0):
    """Laplace noise on each query, L1 sensitivity k/n. Costs epsilon."""
    records = Records(data)
    values, far = records.truths(queries), len(queries) / records.n
    noisy = curator.laplace(values, sensitivity=far, epsilon=epsilon, label="every query")
    return np.clip(noisy, 0.0, 1.0)


def release_nothing(data: Any, queries: Batch, curator: Curator, *, epsilon: float, delta=0.0):
    """Zero for every query. Costs nothing."""
    return np.zeros(len(queries))


def release_constant(data: Any, queries: Batch, curator: Curator, *, epsilon: float, delta=0.0):
    """One half for every query: never off by more than that. Costs nothing."""
    return np.full(len(queries), 0.5)


def error_bound_table(*, m: int, k: int, n: int, epsilon: float, beta: float = 0.05) -> float:
    """Proved, for queries that do not depend on the answers: all k errors are below this.

    Proof. A sum of m Laplace(2/epsilon) variables, coefficients in [0, 1], has moment
    generating function at most (1 - 4 x^2 / epsilon^2)^-m for 0 < x < epsilon/2; Chernoff's
    bound for both signs and k queries, at the best x of a grid (each x is valid).

    >>> error_bound_table(m=1000, k=1000, n=10**5, epsilon=1.0) < 0.01
    True
    """
    x = epsilon / 2 * np.linspace(0.005, 0.995, 199)
    tails = -m * np.log1p(-4 * x**2 / epsilon**2) + math.log(2 * k / beta)
    return float((tails / x).min()) / n


def error_bound_hunted(
    *, m: int, touched: int, n: int, epsilon: float, beta: float = 0.05
) -> float:
    """Proved for all queries, adaptive ones too, that touch at most ``touched`` names in all.

    Proof. Each name's noise is independent of what was shown before its first touch, so with
    probability 1 - beta all of them are below (2/epsilon) ln(touched / beta); a query sums m.

    >>> round(error_bound_hunted(m=1000, touched=2000, n=1000, epsilon=1.0), 1)
    21.2
    """
    return 2 * m * math.log(touched / beta) / (epsilon * n)


def error_bound_gaussian(
    *, k: int, n: int, epsilon: float, delta: float, beta: float = 0.05
) -> float:
    """Proved: all k errors are below sd sqrt(2 ln(2k/beta)), also for adaptive queries.

    A Gaussian exceeds t sd with probability at most 2 exp(-t^2/2); union bound.

    >>> error_bound_gaussian(k=1000, n=10**5, epsilon=1.0, delta=1e-6) < 0.01
    True
    """
    sd = math.sqrt(k) / n * accounting.gaussian_sd(epsilon=epsilon, delta=delta)
    return sd * math.sqrt(2 * math.log(2 * k / beta))


def trial(*, n: int, m: int, absent: int, epsilon: float, rng: checks.Seed) -> dict[str, float]:
    """Hunt the table's noise: ask names known to be absent, then the m that came out largest.

    Returns
    -------
    dict with ``hunted`` (error of the last query), ``honest`` (of a query of m absent names
    chosen beforehand), ``expected`` (2 m (1 + ln(N / 2m)) / (epsilon n)), ``bound``

    >>> run = trial(n=1000, m=100, absent=200, epsilon=1.0, rng=1)
    >>> run["honest"] < run["hunted"] < run["bound"]
    True
    """
    checks.integer("absent", absent, at_least=2 * m)
    curator, vocabulary = Curator(epsilon=epsilon, rng=rng), range(absent)
    data = [-1] * n  # a name of which no question asks: every truth is 0
    table = RememberingTable(data, curator, epsilon=epsilon, vocabulary=vocabulary)
    noise = np.array([table._count(name) for name in vocabulary])
    largest = np.argsort(noise)[-m:]
    return {
        "hunted": float(noise[largest].sum()) / n,
        "honest": abs(float(noise[:m].sum())) / n,
        "expected": 2 * m * (1 + math.log(absent / (2 * m))) / (epsilon * n),
        "bound": error_bound_hunted(m=m, touched=absent, n=n, epsilon=epsilon),
    }


MECHANISMS = {
    "table": release_table,
    "heavy": release_heavy,
    "gaussian": release_gaussian,
    "laplace": release_laplace,
    "nothing": release_nothing,
    "constant": release_constant,
}


def largest_error(name: str, params: Any, data: Any, queries: Batch, *, rng: checks.Seed) -> float:
    """Largest error of one rival on one instance, with the budget of ``params``.

    >>> from dpviz.papers.sparse_queries.plan import Params
    >>> largest_error("nothing", Params(epsilon=1.0, m=1, k=1), ["a"], Batch([Query(["a"])]), rng=0)
    1.0
    """
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    price = {"epsilon": params.epsilon, "delta": params.delta}
    answers = MECHANISMS[name](data, queries, curator, **price)
    return float(np.abs(answers - Records(data).truths(queries)).max())
