"""Baselines: lazily perturbed Laplace histogram, stability-based histogram, noise on each query.

**Paper.** Not in the lecture; Korolova et al. (2009) for the stability-based histogram.

**Setting.** As in ``online``: sparse queries about n private names, replace one record.

**Idea.** A name's count moves by one when a record comes or goes. So draw each name's noise
once, when it is first asked about, and keep it: any number of queries, over any universe, for
one budget. The error grows with the width of a query, not with the number of queries.

**Symbols.**

============  ============================  ===========================================  ======
paper         here                          meaning                                      unit
============  ============================  ===========================================  ======
(none)        ``InteractiveLazyHistogram``  count + Laplace(2 / epsilon), memoised       counts
m, k, n       m, k, n                       width and number of queries, records         count
N             ``touched``                   names asked about in all, a limit set first  count
============  ============================  ===========================================  ======

**Departures.** None from a paper. That it serves adaptive queries over an infinite universe is
proved at ``Curator.lazy_histogram``; that its *error* is not safe from an adaptive analyst is
shown by :func:`adaptive_analyst`.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Iterable, Iterator, Sequence

import numpy as np

from dpviz import accounting, checks
from dpviz.papers.sparse_queries import hashed_histogram, mwem, online, workloads
from dpviz.papers.sparse_queries.plan import Params, rule_of_thumb
from dpviz.papers.sparse_queries.queries import (
    Batch,
    Data,
    Query,
    Records,
    batch_of,
    checked_query,
    public_vocabulary,
)
from dpviz.privacy.curator import Curator
from dpviz.privacy.simplex import nearest_on_simplex


class InteractiveLazyHistogram:
    """One noisy count for each name, drawn when first asked. Costs ``epsilon``, once.

    Do not truncate negative counts: over many names that is a bias. Answers are clipped to
    [0, 1], which can only help.

    Parameters
    ----------
    data : sequence of n hashable names, private
    params : Params; queries may be wider than its m, and more than its k
    curator : Curator, basic, which can pay epsilon; vocabulary : public names that queries may use

    >>> params = Params(epsilon=1.0, m=2, k=2)
    >>> words, curator = {"cat", "dog"}, params.curator(rng=0)
    >>> mechanism = InteractiveLazyHistogram(["cat"] * 9, params, curator, vocabulary=words)
    >>> query = Query(["dog", "cat"])
    >>> mechanism.answer(query) == mechanism.answer(query)
    True
    """

    def __init__(
        self, data: Data, params: Params, curator: Curator, *, vocabulary: Container | None = None
    ):
        self._vocabulary, self._records = public_vocabulary(vocabulary), Records(data)
        self._histogram = curator.lazy_histogram(
            sensitivity=2.0, epsilon=params.epsilon, label="names"
        )

    def answer(self, query: Query) -> float:
        """Sum of the noisy counts over n; any number of queries."""
        checked_query(query, self._vocabulary, query.width if isinstance(query, Query) else 1)
        total = float(query.values @ self._counts(query.names))
        return min(1.0, max(0.0, total / self._records.n))

    def answer_all(self, queries: Batch) -> np.ndarray:
        """Answers to a batch, shape (k,): the same as one by one."""
        checks.instance("queries", queries, Batch)
        checked_query(queries, self._vocabulary, queries.width, query_type=Batch)
        return np.clip(queries.apply(self._counts(queries.names)) / self._records.n, 0.0, 1.0)

    def _counts(self, names: Sequence[Hashable]) -> np.ndarray:
        """The noisy counts, in one question to the curator."""
        get = self._records.counts.get
        return self._histogram.entries(names, [get(name, 0) for name in names])


def release_lazy_histogram(
    data: Data, params: Params, curator: Curator, *, queries: Iterable[Query]
) -> np.ndarray:
    """Answers of the lazily perturbed Laplace histogram. Costs ``epsilon``."""
    batch = batch_of(queries)
    mechanism = InteractiveLazyHistogram(data, params, curator, vocabulary=batch.number)
    return mechanism.answer_all(batch)


def release_stable_histogram(
    data: Data, params: Params, curator: Curator, *, queries: Iterable[Query]
) -> np.ndarray:
    """Answers from the names that are common enough to be told. Costs (epsilon, delta)."""
    batch = batch_of(queries)
    cost = {"epsilon": params.epsilon, "delta": params.delta}
    data = list(data) if isinstance(data, Iterator) else data
    records = Records(data)
    names = data.tolist() if isinstance(data, np.ndarray) else list(data)
    common = curator.stable_histogram(names, **cost, label="common names")
    counts = np.array([common.get(name, 0.0) for name in batch.names])
    return np.clip(batch.apply(counts) / records.n, 0.0, 1.0)


def release_projected_histogram(
    data: Data, params: Params, curator: Curator, *, queries: Iterable[Query]
) -> np.ndarray:
    """Answers of the nearest possible counts to noisy ones of the names asked for. Costs epsilon.

    The queries are public, and so are their names: each is counted, and all other names as one.
    Replacing a record moves two counts by one. The counts add up to n, which is public, and none
    is negative: the nearest such table (``privacy.simplex``) has lost most of the noise of names
    that are rare. It cannot answer about a name that no query had.

    >>> params = Params(epsilon=1.0, m=1, k=1)
    >>> curator = params.curator(rng=0)
    >>> release_projected_histogram(["a", "a", "b"], params, curator, queries=[Query(["c"])])
    array([0.])
    """
    batch = batch_of(queries)
    records = Records(data)
    asked = [records.counts.get(name, 0) for name in batch.names]
    counts = np.append(asked, records.n - sum(asked)).astype(float)
    cost = {"sensitivity": 2.0, "epsilon": params.epsilon, "label": "names asked for"}
    possible = nearest_on_simplex(curator.laplace(counts, **cost), records.n)
    return batch.apply(possible[:-1]) / records.n


def release_gaussian(
    data: Data, params: Params, curator: Curator, *, queries: Iterable[Query]
) -> np.ndarray:
    """Gaussian noise on each query, L2 sensitivity sqrt(k)/n. Costs (epsilon, delta)."""
    batch = batch_of(queries)
    records = Records(data)
    cost = {"epsilon": params.epsilon, "delta": params.delta, "label": "every query"}
    l2_sensitivity = math.sqrt(len(batch)) / records.n
    noisy = curator.gaussian(records.truths(batch), sensitivity=l2_sensitivity, **cost)
    return np.clip(noisy, 0.0, 1.0)


def release_laplace(
    data: Data, params: Params, curator: Curator, *, queries: Iterable[Query]
) -> np.ndarray:
    """Laplace noise on each query, L1 sensitivity k/n. Costs epsilon."""
    batch = batch_of(queries)
    records = Records(data)
    cost = {"epsilon": params.epsilon, "label": "every query"}
    noisy = curator.laplace(records.truths(batch), sensitivity=len(batch) / records.n, **cost)
    return np.clip(noisy, 0.0, 1.0)


def release_zero(
    data: Data, params: Params, curator: Curator, *, queries: Iterable[Query]
) -> np.ndarray:
    """Zero for every query. Costs nothing."""
    return np.zeros(len(batch_of(queries)))


def release_constant(
    data: Data, params: Params, curator: Curator, *, queries: Iterable[Query]
) -> np.ndarray:
    """One half for every query: never off by more than that. Costs nothing."""
    return np.full(len(batch_of(queries)), 0.5)


def error_bound_lazy_histogram(params: Params, *, n: int) -> float:
    """Proved, for queries that do not depend on the answers: all k errors are below this.

    Statements: lesson Theorem 5.7.
    It holds with probability at least 1 - beta.

    Proof. A sum of m Laplace(2/epsilon) variables, coefficients in [0, 1], has moment
    generating function at most (1 - 4 x^2 / epsilon^2)^-m for 0 < x < epsilon/2; Chernoff's
    bound for both signs and k queries, at the best x of a grid (each x is valid).

    >>> error_bound_lazy_histogram(Params(epsilon=1.0, m=1000, k=1000), n=10**5) < 0.01
    True
    """
    m = params.m
    k = params.k
    epsilon = params.epsilon
    beta = params.beta
    x = epsilon / 2 * np.linspace(0.005, 0.995, 199)
    tails = -m * np.log1p(-4 * x**2 / epsilon**2) + math.log(2 * k / beta)
    return float((tails / x).min()) / n


def error_bound_adaptive(params: Params, *, n: int, touched: int) -> float:
    """Proved for all queries, adaptive ones too, that touch at most ``touched`` names in all.

    Statements: lesson Theorem 5.7.
    It bounds the lazily perturbed Laplace histogram, with probability at least 1 - beta.

    Proof. Each name's noise is independent of what was shown before its first touch, so with
    probability 1 - beta all of them are below (2/epsilon) ln(touched / beta); a query sums m.

    >>> round(error_bound_adaptive(Params(epsilon=1.0, m=1000, k=1), n=1000, touched=2000), 1)
    21.2
    """
    return 2 * params.m * math.log(touched / params.beta) / (params.epsilon * n)


def error_bound_gaussian(params: Params, *, n: int) -> float:
    """Proved: all k errors are below sd sqrt(2 ln(2k/beta)), also for adaptive queries.

    A Gaussian exceeds t sd with probability at most 2 exp(-t^2/2); union bound.

    >>> params = Params(epsilon=1.0, delta=1e-6, m=1, k=1000)
    >>> error_bound_gaussian(params, n=10**5) < 0.01
    True
    """
    sd = accounting.gaussian_sd(epsilon=params.epsilon, delta=params.delta)
    sd = math.sqrt(params.k) / n * sd
    return sd * math.sqrt(2 * math.log(2 * params.k / params.beta))


MECHANISMS = {
    "lazy_histogram": release_lazy_histogram,
    "stable_histogram": release_stable_histogram,
    "gaussian": release_gaussian,
    "laplace": release_laplace,
    "zero": release_zero,
    "constant": release_constant,
}
BASELINES = {**MECHANISMS, "projected_histogram": release_projected_histogram}


def trial(
    params: Params,
    data: Data | None = None,
    queries: Iterable[Query] | None = None,
    *,
    rng: checks.Seed,
    method: str = "lazy_histogram",
    recipe: str = "uneven",
    n: int = 1000,
) -> dict[str, float]:
    """Let one baseline answer one instance; its largest ``error``.

    Parameters
    ----------
    params : Params; its m and k are those of the instance
    data, queries : the instance; drawn if they are not given
    method : a name in ``BASELINES``
    recipe, n : how data and queries are drawn, see ``workloads.draw``

    >>> params = Params(epsilon=1.0, m=4, k=20)
    >>> trial(params, rng=1, method="lazy_histogram", recipe="zipf")["error"] < 0.1
    True
    """
    rng = checks.generator(rng)
    instance = {"recipe": recipe, "n": n, "m": params.m, "k": params.k}
    data, batch, rng = workloads.instance(data, queries, **instance, rng=rng)
    run = BASELINES[checks.choice("method", method, tuple(BASELINES))]
    answers = run(data, params, params.curator(rng=rng), queries=batch)
    return {"error": float(np.abs(answers - Records(data).truths(batch)).max())}


def trial_all(
    params: Params,
    data: Data | None = None,
    queries: Iterable[Query] | None = None,
    *,
    rng: checks.Seed,
    recipe: str = "uneven",
    n: int = 1000,
) -> dict[str, float]:
    """Let every mechanism answer one instance: largest errors, side by side.

    Parameters as for :func:`trial`.
    Returns a dict with ``online`` (as promised: ``bound``, ``updates``), ``rule_of_thumb`` (online
    by ``plan.rule_of_thumb``) and one entry for each of ``MECHANISMS``.

    >>> params = Params(epsilon=1.0, delta=1e-6, m=4, k=20)
    >>> sorted(trial_all(params, rng=1))[:3]
    ['bound', 'constant', 'gaussian']
    """
    rng = checks.generator(rng)
    instance = {"recipe": recipe, "n": n, "m": params.m, "k": params.k}
    data, batch, rng = workloads.instance(data, queries, **instance, rng=rng)
    promised = online.trial(params, data, batch, rng=rng)
    quick = online.trial(rule_of_thumb(params, len(data)), data, batch, rng=rng)
    errors = {
        name: trial(params, data, batch, method=name, rng=rng)["error"] for name in MECHANISMS
    }
    run = {"online": promised["error"], "bound": promised["bound"], "updates": promised["updates"]}
    return run | {"rule_of_thumb": quick["error"]} | errors


def trial_published(
    params: hashed_histogram.Params,
    data: Data | None = None,
    queries: Iterable[Query] | None = None,
    *,
    rng: checks.Seed,
    recipe: str = "zipf",
    n: int = 1000,
) -> dict[str, float]:
    """Answer one instance without interaction, under pure epsilon: largest errors, side by side.

    Parameters
    ----------
    params : hashed_histogram.Params, whose hash function is not used
    data, queries : the instance; drawn if they are not given
    recipe, n : how data and queries are drawn, see ``workloads.draw``

    Returns a dict with ``hashed``, its ``collisions`` (error without noise) and ``bound``,
    ``lazy_histogram`` and its ``lazy_bound``, ``mwem`` (30 rounds, 10^9 elements), ``laplace`` and
    ``constant`` (the best one, chosen with hindsight).

    >>> params = hashed_histogram.Params.draw(epsilon=1.0, m=4, k=20, size=10**5, rng=0)
    >>> run = trial_published(params, rng=1, n=10**4)
    >>> run["collisions"] < run["hashed"] < run["laplace"], run["lazy_bound"] < run["bound"]
    (True, True)
    """
    rng = checks.generator(rng)
    m = params.m
    k = params.k
    data, batch, rng = workloads.instance(data, queries, recipe=recipe, n=n, m=m, k=k, rng=rng)
    hashed = hashed_histogram.trial(params, data, batch, rng=rng)
    same = Params(epsilon=params.epsilon, m=m, k=k, beta=params.beta)
    others = {
        name: trial(same, data, batch, method=name, rng=rng)["error"]
        for name in ("lazy_histogram", "laplace")
    }
    rounds = mwem.Params(epsilon=params.epsilon, m=m)
    return others | {
        "hashed": hashed["error"],
        "collisions": hashed["collisions"],
        "bound": hashed["bound"],
        "lazy_bound": error_bound_lazy_histogram(same, n=len(data)),
        "mwem": mwem.trial(rounds, data, batch, rng=rng)["error"],
        "constant": float(np.ptp(Records(data).truths(batch))) / 2,
    }


def adaptive_analyst(params: Params, *, n: int, absent: int, rng: checks.Seed) -> dict[str, float]:
    """Ask about names known to be absent, then for the m whose noise came out largest.

    Parameters
    ----------
    params : Params; the queries have its width m
    absent : int >= 2 m, names that are asked about, one by one

    Returns a dict with ``adaptive`` (error of the last query), ``fixed`` (of a query of m absent
    names chosen beforehand), ``expected`` (2 m (1 + ln(N / 2m)) / (epsilon n)), ``bound``
    (:func:`error_bound_adaptive`).

    >>> run = adaptive_analyst(Params(epsilon=1.0, m=100, k=1), n=1000, absent=200, rng=1)
    >>> run["fixed"] < run["adaptive"] < run["bound"]
    True
    """
    m = params.m
    checks.integer("absent", absent, at_least=2 * m)
    vocabulary, data = range(absent), [-1] * n  # -1: no query asks about it, every truth is 0
    curator = params.curator(rng=rng)
    mechanism = InteractiveLazyHistogram(data, params, curator, vocabulary=vocabulary)
    noise = mechanism._counts(vocabulary)
    largest = np.argsort(noise)[-m:]
    return {
        "adaptive": float(noise[largest].sum()) / n,
        "fixed": abs(float(noise[:m].sum())) / n,
        "expected": 2 * m * (1 + math.log(absent / (2 * m))) / (params.epsilon * n),
        "bound": error_bound_adaptive(params, n=n, touched=absent),
    }
