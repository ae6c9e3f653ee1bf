"""MWEM on hash-indexed weights (Hardt, Ligett, McSherry): measure the worst guess, round by round.

**Paper.** Hardt, Ligett and McSherry (2012), on the indexed weights of Roth's lecture 13 (Blum and
Roth 2013): the offline form of sparse multiplicative weights.

**Setting.** k queries are given at once. In each round the exponential mechanism names a query
whose guess is far off, a noisy measurement says where it should be, and the weights go there.

**Idea.** Paying for 30 rounds and not for 1,000 queries leaves each round 30 times more
budget; the other 970 answers follow from the weights.

**Symbols.**

============  ==============  ======================================================  =======
paper         here            meaning                                                 unit
============  ==============  ======================================================  =======
T             ``rounds``      how often a query is chosen and measured                count
(none)        ``share``       share of the budget that the measurements get           (0, 1)
|X|           ``size``        number of indices: that of the universe, or any larger  count
============  ==============  ======================================================  =======

**Departures.** (1) The textbook step makes no progress over a large universe within 30 rounds;
here the weights are moved to the measured value exactly
(``sparse_multiplicative_weights.projection``). (2) Moving to the older measurements again is
post-processing, so free. (3) For this form nothing is proved about the error, so there is no
``error_bound``: parameters are fixed beforehand, errors measured. Privacy holds whatever they are.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries import workloads
from dpviz.papers.sparse_queries.indexed_weights import BatchEvaluator, IndexedWeights
from dpviz.papers.sparse_queries.queries import (
    Batch,
    Data,
    Query,
    Records,
    batch_of,
    checked_query,
    public_vocabulary,
    truth,
)
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import projection
from dpviz.privacy.curator import Budgeted, Curator


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """Public numbers of the offline form.

    Attributes
    ----------
    epsilon, delta : budget of the whole release; with delta = 0 it is pure
    m : int >= 1, width of the queries at most; rounds : int >= 1
    size : int, number of indices, at least m rounds + 1
    share : float in (0, 1), share of the budget for measuring; the rest is for choosing

    >>> Params(epsilon=1.0, m=20, size=100)
    Traceback (most recent call last):
    ...
    ValueError: size must be a whole number, at least 601, not 100
    """

    m: checks.Count
    rounds: checks.Count = 30
    size: int = 10**9
    share: checks.Share = 0.3

    def __post_init__(self):
        super().__post_init__()
        checks.integer("size", self.size, at_least=self.m * self.rounds + 1)


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees.

    Attributes
    ----------
    hypothesis : IndexedWeights, the indexed names with their weights; answers any query
    measured : tuple of (number of the query, noisy value) in the order of the rounds
    """

    hypothesis: IndexedWeights = field(repr=False)
    measured: tuple[tuple[int, float], ...]


def release(
    data: Data,
    params: Params,
    curator: Curator,
    *,
    queries: Iterable[Query],
    vocabulary: Container | None = None,
) -> Release:
    """Choose, measure and update, ``rounds`` times. Costs (``epsilon``, ``delta``).

    Each round costs one exponential mechanism, whose scores |Q(D^) - Q(D)| move by at most 1/n, and
    a measurement of sensitivity 1/n, both pure. With ``delta`` all rounds are charged to one
    sub-curator that composes by zCDP. Raises ValueError or TypeError if a query is too wide or uses
    other names. BudgetExceeded if the curator cannot pay.

    Parameters
    ----------
    data : sequence of n names, private; queries : Batch, or Query after Query
    vocabulary : public names that queries may use
    """
    vocabulary = public_vocabulary(vocabulary)
    batch = batch_of(queries)
    checked_query(batch, vocabulary, params.m, query_type=Batch)
    records = Records(data)
    truths = records.truths(batch)
    hypothesis = IndexedWeights(params.size)
    measured = []
    read = BatchEvaluator(hypothesis, batch)
    payer, choose, measure = _allocation(params, curator)
    for _ in range(params.rounds):
        gaps = np.abs(truths - read())
        worst = payer.choose(gaps, sensitivity=1 / records.n, label="worst guess", **choose)
        value = payer.laplace(truths[worst], sensitivity=1 / records.n, label="value", **measure)
        measured.append((worst, min(1.0, max(0.0, value))))
        _apply_measurements(hypothesis, batch, measured)
    return Release(hypothesis, tuple(measured))


def answer(release: Release, queries: Iterable[Query]) -> np.ndarray:
    """Answer any queries from the weights. Free: post-processing."""
    return np.array([min(1.0, release.hypothesis.evaluate(query)) for query in batch_of(queries)])


def trial(
    params: Params,
    data: Data | None = None,
    queries: Iterable[Query] | None = None,
    *,
    rng: checks.Seed,
    recipe: str = "uneven",
    n: int = 1000,
    k: int = 100,
) -> dict[str, float]:
    """One release of a batch; its largest and mean error.

    Parameters
    ----------
    data, queries : the instance; drawn by ``workloads.draw`` if they are not given
    recipe, n, k : how it is drawn

    >>> batch = Batch([Query(["a", "b"]), Query(["c"])])
    >>> params = Params(epsilon=1.0, m=2, rounds=8)
    >>> trial(params, ["a", "c"] * 5000, batch, rng=1)["error"] < 0.05
    True
    """
    instance = {"recipe": recipe, "n": n, "m": params.m, "k": k}
    data, batch, rng = workloads.instance(data, queries, **instance, rng=rng)
    out = release(data, params, params.curator(rng=rng), queries=batch, vocabulary=batch.number)
    gaps = np.abs(BatchEvaluator(out.hypothesis, batch)() - truth(data, batch))
    return {"error": float(gaps.max()), "mean": float(gaps.mean()), "used": out.hypothesis.used}


def _allocation(params: Params, curator: Curator) -> tuple[Curator, dict, dict]:
    """The sub-curator that pays, and the budget of one choice and of one measurement.

    Pure: epsilon (1 - share) / rounds and epsilon share / rounds. zCDP: a choice at epsilon
    costs epsilon^2 / 8, a measurement epsilon^2 / 2.
    """
    label = "rounds"
    share = params.share
    rounds = params.rounds
    if not params.delta:
        payer = curator.sub_curator(epsilon=params.epsilon, label=label)
        each = params.epsilon / rounds
        return payer, {"epsilon": (1 - share) * each}, {"epsilon": share * each}
    payer = curator.sub_curator_zcdp(epsilon=params.epsilon, delta=params.delta, label=label)
    each = payer.budget.rho / rounds
    return (
        payer,
        {"epsilon": (8 * (1 - share) * each) ** 0.5},
        {"epsilon": (2 * share * each) ** 0.5},
    )


def _apply_measurements(
    hypothesis: IndexedWeights, batch: Batch, measured: Sequence[tuple[int, float]]
) -> None:
    """Project onto the newest measurement, then onto all of them again, which is free."""
    for worst, value in [*measured[-1:], *measured]:
        query = batch.queries[worst]
        hypothesis.update(query, projection(hypothesis, query, value))
