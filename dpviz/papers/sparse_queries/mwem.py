"""All questions known beforehand: the worst guess is measured, round after round.

**Paper.** Hardt, Ligett and McSherry (2012), on the slots of Roth's lecture 13 (Blum and Roth
2013): the offline form of sparse multiplicative weights.

**Setting.** k queries are given at once. In each round a private choice names a query whose
guess is far off, a noisy measurement says where it should be, and the slots are moved there.

**Idea.** Paying for 30 rounds and not for 1,000 questions leaves each round 30 times more
budget; the other 970 answers follow from the slots.

**Symbols.**

============  ==============  ======================================================  =======
paper         here            meaning                                                 unit
============  ==============  ======================================================  =======
T             ``rounds``      how often a query is chosen and measured                count
(none)        ``share``       share of the budget that the measurements get           (0, 1)
(none)        ``passes``      how often all measurements are moved to again, for free  count
|X|           ``size``        number of slots: that of the universe, or any large one count
============  ==============  ======================================================  =======

**Departures.** (1) The textbook step makes no progress over a large universe within 30 rounds;
here the slots are moved to the measured value exactly
(``sparse_multiplicative_weights.projection``). (2) Moving to the older measurements again is
post-processing, so free. (3) For this form nothing is proved about the error, so there is no
``error_bound``: parameters are fixed beforehand, errors measured. Privacy holds whatever they are.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries.indexed_weights import Reader, Slots
from dpviz.papers.sparse_queries.queries import Batch, Query, Records, allowed, public_vocabulary
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import projection
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, kw_only=True)
class Params:
    """Public numbers of the offline form.

    Attributes
    ----------
    epsilon, delta : price of the whole release; with delta = 0 it is pure
    m : int >= 1, width of the queries at most
    rounds : int >= 1
    size : int, number of slots, at least m rounds + 1
    share : float in (0, 1), share of the budget for measuring; the rest is for choosing
    passes : int >= 0

    >>> Params(epsilon=1.0, m=20, size=100)
    Traceback (most recent call last):
    ...
    ValueError: size must be a whole number, at least 601, not 100
    """

    epsilon: float
    delta: float = 0.0
    m: int
    rounds: int = 30
    size: int = 10**9
    share: float = 0.3
    passes: int = 1

    def __post_init__(self):
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.integer("m", self.m, at_least=1)
        checks.integer("rounds", self.rounds, at_least=1)
        checks.integer("size", self.size, at_least=self.m * self.rounds + 1)
        checks.number("share", self.share, above=0, below=1)
        checks.integer("passes", self.passes, at_least=0)


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees.

    Attributes
    ----------
    slots : Slots, the touched names with their weights; answers any query
    measured : tuple of (number of the query, noisy value) in the order of the rounds
    """

    slots: Slots = field(repr=False)
    measured: tuple[tuple[int, float], ...]


def release(
    data: Any,
    params: Params,
    curator: Curator,
    *,
    queries: Batch | Sequence[Query],
    vocabulary: Container | None = None,
) -> Release:
    """Choose, measure and move, ``rounds`` times. Costs (``epsilon``, ``delta``).

    Each round costs a choice, whose scores |Q(D^) - Q(D)| move by at most 1/n, and a
    measurement of sensitivity 1/n, both pure. With ``delta`` all rounds are one part that
    composes by zCDP.

    Parameters
    ----------
    data : sequence of n names, private
    queries : Batch, or a sequence of Query
    vocabulary : public names that queries may use

    Raises
    ------
    ValueError, TypeError
        If a query is too wide or uses other names. ``BudgetExceeded`` if the curator cannot pay.
    """
    vocabulary = public_vocabulary(vocabulary)
    batch = queries if isinstance(queries, Batch) else Batch(queries)
    allowed(batch, vocabulary, params.m, kind=Batch)
    records = Records(data)
    truths, slots, measured = records.truths(batch), Slots(params.size), []
    read = Reader(slots, batch)
    part, choose, measure = prices(params, curator)
    for _ in range(params.rounds):
        gaps = np.abs(truths - read())
        worst = part.choose(gaps, sensitivity=1 / records.n, label="worst guess", **choose)
        value = part.laplace(truths[worst], sensitivity=1 / records.n, label="value", **measure)
        measured.append((worst, min(1.0, max(0.0, value))))
        move(slots, batch, measured, params.passes)
    return Release(slots, tuple(measured))


def answer(release: Release, queries: Iterable[Query]) -> np.ndarray:
    """Answer any queries from the slots. Free: post-processing."""
    return np.array([min(1.0, release.slots.evaluate(query)) for query in queries])


def truth(data: Any, queries: Iterable[Query]) -> np.ndarray:
    """Exact values. For comparison only: not private."""
    return Records(data).truths(Batch(queries))


def trial(params: Params, data: Any, queries: Batch, *, rng: checks.Seed) -> dict[str, float]:
    """One release of a batch; its largest error.

    >>> batch = Batch([Query(["a", "b"]), Query(["c"])])
    >>> params = Params(epsilon=1.0, m=2, rounds=8)
    >>> trial(params, ["a", "c"] * 5000, batch, rng=1)["error"] < 0.05
    True
    """
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    out = release(data, params, curator, queries=queries, vocabulary=queries.number)
    gaps = np.abs(Reader(out.slots, queries)() - Records(data).truths(queries))
    return {"error": float(gaps.max()), "mean": float(gaps.mean()), "used": out.slots.used}


def prices(params: Params, curator: Curator) -> tuple[Curator, dict, dict]:
    """The part that pays, and the price of one choice and of one measurement.

    Pure: epsilon (1 - share) / rounds and epsilon share / rounds. zCDP: a choice at epsilon
    costs epsilon^2 / 8, a measurement epsilon^2 / 2.

    >>> _, choose, measure = prices(Params(epsilon=3.0, m=1), Curator(epsilon=3.0, rng=0))
    >>> round(choose["epsilon"], 3), round(measure["epsilon"], 3)
    (0.07, 0.03)
    """
    label, share, rounds = "rounds", params.share, params.rounds
    if not params.delta:
        part = curator.sub_curator(epsilon=params.epsilon, label=label)
        each = params.epsilon / rounds
        return part, {"epsilon": (1 - share) * each}, {"epsilon": share * each}
    part = curator.sub_curator_zcdp(epsilon=params.epsilon, delta=params.delta, label=label)
    each = part.budget.rho / rounds
    return (
        part,
        {"epsilon": (8 * (1 - share) * each) ** 0.5},
        {"epsilon": (2 * share * each) ** 0.5},
    )


def move(slots: Slots, batch: Batch, measured: Sequence[tuple[int, float]], passes: int) -> None:
    """Move the slots to the newest measurement, then to all of them again, ``passes`` times.

    >>> slots, batch = Slots(9), Batch([Query(["a"]), Query(["b"])])
    >>> move(slots, batch, [(0, 0.5), (1, 0.4)], passes=0)
    >>> round(slots.value("b"), 9)
    0.4
    """
    for worst, value in [*measured[-1:], *[each for _ in range(passes) for each in measured]]:
        query = batch.queries[worst]
        slots.update(query, projection(slots, query, value))
