"""Counts over names without end, and sparse queries about them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from numpy.typing import NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.terms import Answers, Mechanism, Result, settled
from dpviz.papers.sparse_queries import hashed_histogram
from dpviz.papers.sparse_queries.queries import Batch, Query, batch_of, records_of, statistic
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import Sums

FEWEST = 2**12  # buckets at least


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Counts(Result):
    """Noisy counts of any names: ``counts["u1"]``, also of names that nobody carries."""

    def __getitem__(self, name: Hashable) -> float:
        """Number of records that carry this name. Free: post-processing."""
        return float(self.answer([name])[0])

    def answer(self, names: Iterable[Hashable]) -> NDArray:
        """Number of records that carry each of these names; array (k,). Free: post-processing."""
        if isinstance(names, str):
            raise TypeError(f"names must be a list of names, not the one string {names!r}")
        queries = [Query([name]) for name in names]
        return hashed_histogram.answer(self.release, queries) * self.n

    def summary(self) -> str:
        """How they are asked."""
        return f"{self.params.size} buckets, of any name"


def sparse_counts(
    names: Iterable[Hashable] | frames.Frame,
    *,
    epsilon: float | None = None,
    curator: Curator | None = None,
    seed: int | None = None,
    rng: checks.Seed | None = None,
) -> Counts:
    """How many records carry a name, of a universe that nobody can list. Costs ``epsilon``.

    A public hash function sends names to buckets; their counts get Laplace noise
    (`dpviz.papers.sparse_queries.hashed_histogram`). As many buckets as keep what two names in one
    bucket can do below the noise, if memory allows. The proved error is that of one name, chosen
    without looking at the counts.

    Parameters
    ----------
    names : one for each record: strings, numbers or tuples of them; a list, an array, a series, a
        frame of one column, or a source of them (``dpviz.pieces``)
    epsilon, curator, rng : as in ``dpviz.mean``
    seed : of the public hash function; None: spawned from ``rng``, or fresh

    Raises
    ------
    TypeError, ValueError, BudgetExceeded
        Before anything is paid.

    >>> import dpviz
    >>> counts = dpviz.sparse_counts(["u1"] * 700 + ["u2"] * 300, epsilon=1, rng=7)
    >>> round(counts["u1"], -1), round(counts["nobody"], -1)
    (700.0, 0.0)
    """
    read = readings.names("names", names)
    n = read.n
    amount, _ = payment.budget_of(curator, rng, epsilon=epsilon)
    params = hashed_histogram.Params.draw(
        epsilon=amount,
        m=1,
        k=1,
        size=buckets(n, epsilon=amount),
        rng=payment.public_seed(seed, rng),
    )
    data = readings.summed(read, hashed_histogram.statistic, params, curator, known={})
    mechanism = Mechanism(
        name="a hashed histogram",
        params=params,
        bound=partial(_counts_bound, params, n),
        release=partial(hashed_histogram.release, data, params),
    )
    return settled(
        [mechanism],
        Counts,
        title="counts of names",
        unit="records, of one name",
        n=n,
        curator=curator,
        rng=rng,
    )


def buckets(n: int, *, epsilon: float) -> int:
    """Buckets at which the proved effect of collisions is no more than that of noise; public.

    Markov's bound of collisions is 2 n / (s beta) records, the noise about 2 ln(4 / beta) /
    epsilon.

    >>> buckets(1000, epsilon=1.0), buckets(10**9, epsilon=1.0)
    (8192, 10000000)
    """
    wanted = n * epsilon / (0.05 * math.log(4 / 0.05))
    size = 2 ** max(0, math.ceil(math.log2(max(1.0, wanted))))
    return min(max(FEWEST, size), hashed_histogram.LARGEST)


def sparse_queries(
    names: Iterable[Hashable] | frames.Frame,
    queries: Iterable[Query | Iterable[Hashable] | Mapping[Hashable, float]],
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    method: str | None = None,
    curator: Curator | None = None,
    rng: checks.Seed | None = None,
) -> Answers:
    """Which share of the records carries one of these names? Costs ``epsilon`` and ``delta``.

    Each query lists a few names, whose universe nobody could list. Of the lazily perturbed
    histogram, Laplace noise on each answer and, with a delta, Gaussian noise on each answer the one
    with the least proved error is taken; sparse multiplicative weights (Blum and Roth) where it is
    asked for.

    Parameters
    ----------
    names : one for each record, as in ``dpviz.sparse_counts``
    queries : each a list of names, a dict from name to coefficient in [0, 1], or a ``Query``;
        public: names that were read off the data would give them away
    epsilon, delta : the cost, pure without delta; without both all that is left of the ``curator``.
        Pure methods leave the delta unspent
    method : one of "lazy histogram", "laplace", "gaussian", "multiplicative weights"; None: the
        first three by their proved error
    curator, rng : as in ``dpviz.mean``

    Raises
    ------
    TypeError, ValueError, BudgetExceeded
        Before anything is paid.

    >>> import dpviz
    >>> pets = ["cat"] * 600 + ["dog"] * 300 + ["eel"] * 100
    >>> answers = dpviz.sparse_queries(pets, [["cat", "dog"], ["eel"]], epsilon=1, rng=7)
    >>> answers.values.round(1)
    array([0.9, 0.1])
    """
    read = readings.names("names", names)
    batch = _batch(queries)
    amount, rare = payment.budget_of(curator, rng, epsilon=epsilon, delta=delta)
    data = readings.summed(read, statistic, batch)
    if isinstance(data, Sums):
        data = records_of(data, batch)
    mechanism = _methods().chosen(method, batch, data, read.n, epsilon=amount, delta=rare)
    return settled(
        [mechanism],
        _answers,
        title=f"{len(batch)} sparse queries, by {mechanism.name}",
        unit="(share of the records), all queries together",
        n=read.n,
        curator=curator,
        rng=rng,
    )


def _answers(*, release: NDArray, **fields: Any) -> Answers:
    return Answers(**fields, release=release, values=release)


def _batch(queries: Any) -> Batch:
    """The queries, public, as the paper's modules take them."""
    if hasattr(queries, "__next__"):
        queries = list(queries)
    if isinstance(queries, str | Mapping | Query):
        raise TypeError("queries must be a list of queries, each a list of names")
    try:
        return batch_of([_query(query) for query in queries])
    except (TypeError, ValueError) as problem:
        raise type(problem)(f"queries must be lists of names: {problem}") from problem


def _query(query: Any) -> Query:
    if isinstance(query, str):
        raise TypeError(f"a query must be a list, not the one string {query!r}")
    return query if isinstance(query, Query) else Query(query)


def _methods() -> Any:
    """What answers sparse queries; loaded where it is asked for."""
    from dpviz.door import sparse_methods

    return sparse_methods


def _counts_bound(params: hashed_histogram.Params, n: int, beta: float) -> float:
    """Of one name, in records. Which name does not matter: each falls into one bucket."""
    one = Batch([Query(["any"])])
    bound = hashed_histogram.error_bound(replace(params, beta=beta), n=n, queries=one)
    return n * min(1.0, bound)
