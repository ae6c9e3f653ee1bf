"""Sparse linear queries (Definition 2): a query, a batch of queries, and the private records.

**Paper.** Blum and Roth (2013); Roth's lecture 13, Definition 2.

**Setting.** A record is one name: a word, a number, any hashable thing, from a universe that
need not be finite. A linear query gives each name a coefficient in [0, 1]; it is m-sparse if
at most m of them are above 0. Its value is the mean coefficient of the records.

**Idea.** A query is the list of its names: its asker can read it out loud. So nothing here
is ever as large as the universe.

**Symbols.**

============  ==================  ==========================================  ===========
paper         here                meaning                                     shape, unit
============  ==================  ==========================================  ===========
X             ``vocabulary``      public universe of names; may be infinite   anything "in"
D^            ``Records``         private names and how often each occurs     counts
Q(x)          ``values``          coefficient of each name of the query       (m,), (0, 1]
supp Q        ``names``           names with a coefficient above 0            m names
Q(D^)         ``truth``           mean coefficient of the records             [0, 1]
============  ==================  ==========================================  ===========

**Departures.** The names of a query must be public, so they are checked against a vocabulary
that the caller gives: a support read off the data ("all words seen in it") is itself a leak.
Replacing one of the n records moves a value by at most 1/n, since n is public.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.privacy.pieces import Sums, merge

__all__ = ["merge"]
NAMES = "records by name"
Data = Sequence[Hashable] | NDArray  # private: one name for each record


class Query:
    """A sparse linear query: names and their coefficients, all public.

    Statements: L13 Definition 2; L13 Section 2 (assumption).

    Parameters
    ----------
    names : hashable names, none twice; or a dict from each name to its coefficient
    values : float in [0, 1], or one for each name; names with 0 are dropped

    Raises TypeError or ValueError for a name that cannot be hashed, a name given twice, a
    coefficient outside [0, 1], or if no coefficient is above 0.

    >>> query = Query(["cat", "dog"], [1, 0.5])
    >>> query.names, query.values.tolist(), len(query)
    (('cat', 'dog'), [1.0, 0.5], 2)
    >>> Query({"cat": 1, "dog": 0.5}) == query
    True
    >>> Query(["cat", "cat"])
    Traceback (most recent call last):
    ...
    ValueError: names must not repeat, but 'cat' stands there twice
    """

    def __init__(
        self, names: Iterable[Hashable] | Mapping[Hashable, float], values: ArrayLike | None = None
    ):
        if isinstance(names, Mapping):
            if values is not None:
                raise ValueError("values must not be given where names is a dict with coefficients")
            values = list(names.values())
            names = list(names)
        names = _hashable(names)
        if values is None and names:  # the usual query; a workload has thousands of them
            self.names, self.values, self.binary = names, _ones(len(names)), True
            return
        values = checks.queries("values", 1.0 if values is None else values)
        if values.shape not in ((), (len(names),)):
            raise ValueError(f"values must be one for each of the {len(names)} names")
        values = np.broadcast_to(values, len(names))
        if len(values) and not 0 <= values.min() <= values.max() <= 1:
            raise ValueError("values must lie in [0, 1], as a linear query's coefficients do")
        if not values.any():
            raise ValueError("names must hold at least one with a coefficient above 0")
        positive = values > 0
        self.names = names if positive.all() else tuple(np.array(names, dtype=object)[positive])
        self.binary = bool((values[positive] == 1).all())
        self.values = _ones(len(self.names)) if self.binary else _fixed(values[positive])

    def __len__(self) -> int:
        return len(self.names)

    @property
    def width(self) -> int:
        """Number of its names."""
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Query):
            return NotImplemented
        return dict(zip(self.names, self.values, strict=True)) == dict(
            zip(other.names, other.values, strict=True)
        )

    def __hash__(self) -> int:
        return hash(frozenset(self.names))

    def __repr__(self) -> str:
        names = ", ".join(f"{name!r}" for name in self.names[:3])
        return f"Query({names}{', ...' if len(self) > 3 else ''})"


class Batch:
    """Many queries, their names numbered once: a sparse matrix, row by row.

    Attributes
    ----------
    queries : tuple of Query; names : list, every name that occurs
    ids : int array, the names of all queries one after another, as positions in ``names``
    values : array, their coefficients; starts : int array (k,), where each query begins

    >>> batch = Batch([Query(["a", "b"]), Query(["b"], 0.5)])
    >>> batch.apply(np.array([0.1, 0.2])).round(2).tolist()
    [0.3, 0.1]
    """

    def __init__(self, queries: Iterable[Query]):
        if isinstance(queries, Query | str | Mapping):
            raise TypeError("queries must be a list of queries, not one")
        self.queries = tuple(each if isinstance(each, Query) else _meant(each) for each in queries)
        if not self.queries:
            raise ValueError("queries must hold at least one query")
        sizes = [len(query) for query in self.queries]
        self._number(chain.from_iterable(query.names for query in self.queries))
        every = chain.from_iterable(query.names for query in self.queries)
        self._hold(np.fromiter(map(self.number.__getitem__, every), np.intp, sum(sizes)), sizes)
        if not all(query.binary for query in self.queries):
            self.binary = False
            self.values = _fixed(np.concatenate([query.values for query in self.queries]))

    @classmethod
    def of_unions(cls, groups: NDArray, unions: NDArray) -> Batch:
        """Query i names all of ``groups[unions[i]]``; no name stands twice in the groups.

        Only numbers are written down; its queries are made when they are asked for.

        >>> batch = Batch.of_unions(np.array([[7, 8], [5, 6], [3, 4]]), np.array([[2, 0], [0, 1]]))
        >>> batch.ids.tolist(), batch.names, batch.queries[1].names
        ([0, 1, 2, 3, 2, 3, 4, 5], [3, 4, 7, 8, 5, 6], (7, 8, 5, 6))
        """
        batch, width = cls.__new__(cls), groups.shape[1]
        met = list(dict.fromkeys(unions.ravel().tolist()))
        batch._number(groups[met].ravel().tolist())
        start = np.zeros(len(groups), dtype=np.intp)
        start[met] = width * np.arange(len(met))
        ids = (start[unions][..., None] + np.arange(width)).ravel()
        batch._hold(ids, [unions.shape[1] * width] * len(unions))
        return batch

    @cached_property
    def queries(self) -> tuple[Query, ...]:
        """The queries one by one, all of whose coefficients are 1."""
        rows = np.split(self.ids, self.starts[1:])
        return tuple(Query(self.names[i] for i in row.tolist()) for row in rows)

    def _number(self, names: Iterable[Hashable]) -> None:
        """Each name has the number of those that are met before it."""
        self.names = list(dict.fromkeys(names))
        self.number = dict(zip(self.names, range(len(self.names)), strict=True))

    def _hold(self, ids: NDArray, sizes: Sequence[int]) -> None:
        """The numbers of all queries' names, whose coefficients are 1."""
        self.ids, self.binary = _fixed(ids), True
        self.values = np.broadcast_to(1.0, len(ids))  # as wide as a batch can be, one number
        self.starts = _fixed(np.cumsum([0, *sizes[:-1]]))
        self.width = max(sizes)

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[Query]:
        return iter(self.queries)

    def apply(self, weights: np.ndarray) -> np.ndarray:
        """Value of every query when name i weighs ``weights[i]``; shape (k,)."""
        weights = weights[self.ids]
        return np.add.reduceat(weights if self.binary else self.values * weights, self.starts)


def batch_of(queries: Iterable[Query]) -> Batch:
    """The queries as a batch; one that is given is taken as it is.

    >>> len(batch_of([Query(["a"]), Query(["b"])]))
    2
    """
    return queries if isinstance(queries, Batch) else Batch(queries)


class Records:
    """The private records, counted by name. Not private: what leaves must pass a curator.

    Parameters
    ----------
    data : sequence of hashable names, one for each record; or other ``Records``

    Raises TypeError or ValueError if ``data`` is no such thing. The message never shows a record.

    >>> Records(["cat", "dog", "cat", "eel"]).truth(Query(["cat", "ape"]))
    0.5
    """

    def __init__(self, data: Data | Records):
        try:
            self.counts = Counter() if isinstance(data, str | Mapping) else _count(data)
        except TypeError:
            raise TypeError("data must be a sequence of hashable names") from None
        self.n: int = data.n if isinstance(data, Records) else self.counts.total()
        if not self.n:
            raise ValueError("data must be a sequence of names, one for each record, at least one")

    @classmethod
    def of(cls, counts: Mapping[Hashable, int], n: int) -> Records:
        """Of n records so many carry these names; of other names nothing is known.

        >>> Records.of({"cat": 2}, 4).truth(Query(["cat", "ape"]))
        0.5
        """
        records = cls.__new__(cls)
        records.counts = Counter(counts)
        records.n = n
        return records

    def truth(self, query: Query) -> float:
        """Mean coefficient of the records. For comparison only: not private."""
        counts = [self.counts[name] for name in query.names]
        return float(query.values @ counts) / self.n

    def truths(self, batch: Batch) -> np.ndarray:
        """Value of every query of a batch, shape (k,). For comparison only: not private."""
        get = self.counts.get
        return batch.apply(np.array([get(name, 0) for name in batch.names])) / self.n


def statistic(data: Data | Records, params: Iterable[Query]) -> Sums:
    """What queries that are known beforehand need of some of the records: counts of their names.

    Private. Merged over all pieces, :func:`records_of` makes of it what a ``release`` takes.

    Parameters
    ----------
    params : the queries

    >>> batch = Batch([Query(["cat"]), Query(["ape", "cat"])])
    >>> both = merge(statistic(["cat", "eel"], batch), statistic(["cat"], batch))
    >>> records_of(both, batch).truths(batch).round(2).tolist()
    [0.67, 0.67]
    """
    names = batch_of(params).names
    counts = _count(data)
    n = data.n if isinstance(data, Records) else counts.total()
    found = np.array([counts.get(name, 0) for name in names], dtype=np.int64)
    return Sums(n=n, totals={NAMES: found})


def records_of(sums: Sums, queries: Iterable[Query]) -> Records:
    """The records as far as these queries ask of them, from the merged :func:`statistic`."""
    names = batch_of(queries).names
    counts = sums.value(NAMES, (len(names),)).astype(int).tolist()
    return Records.of(dict(zip(names, counts, strict=True)), sums.n)


def truth(data: Data, queries: Iterable[Query], params: object = None) -> np.ndarray:
    """Exact values, shape (k,). For comparison only: not private."""
    return Records(data).truths(batch_of(queries))


class Strings:
    """The universe of all strings: a vocabulary without end.

    Statements: L13 Remark (infinite universe).

    >>> "cat" in Strings(), "c" * 10**6 in Strings(), 7 in Strings()
    (True, True, False)
    """

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)


def public_vocabulary(vocabulary: Container | None) -> Container:
    """The vocabulary, ready to be searched; ValueError if there is none.

    >>> public_vocabulary(["cat", "dog"]) == {"cat", "dog"}
    True
    """
    if isinstance(vocabulary, str | bytes):
        raise ValueError(
            f"vocabulary must be a set of names, not the one string {vocabulary!r}, whose parts "
            "would all count as names"
        )
    if vocabulary is None or not hasattr(vocabulary, "__contains__"):
        raise ValueError(
            "vocabulary must be given: the public names that queries may use (a set, a range, "
            "Strings()); names taken from the data would give them away"
        )
    return frozenset(vocabulary) if isinstance(vocabulary, list | tuple) else vocabulary


def checked_query(
    query: Query | Batch, vocabulary: Container, m: int, *, query_type: type = Query
) -> Query | Batch:
    """The query (or batch, if that is the ``query_type``), at most m wide and made of public names.

    >>> checked_query(Query(["cat", "dog"]), {"cat", "dog"}, m=1)
    Traceback (most recent call last):
    ...
    ValueError: query must name at most m = 1 names, not 2
    """
    if not isinstance(query, query_type):
        raise TypeError(f"query must be a {query_type.__name__}, not {type(query).__name__}")
    if query.width > m:
        raise ValueError(f"query must name at most m = {m} names, not {query.width}")
    for name in query.names:
        if name not in vocabulary:
            raise ValueError(f"query must use names of the vocabulary, but {name!r} is not in it")
    return query


def check_universe(vocabulary: Container, universe: int | None) -> None:
    """ValueError if there may be more names than the universe was said to have.

    >>> check_universe({"cat", "dog"}, 1)
    Traceback (most recent call last):
    ...
    ValueError: universe must be at least 2, the length of the vocabulary, not 1
    """
    if universe is None:
        return
    try:
        names = len(vocabulary)
    except (TypeError, OverflowError):
        raise ValueError("universe must be None for a vocabulary without a length") from None
    if names > universe:
        raise ValueError(
            f"universe must be at least {names}, the length of the vocabulary, not {universe}"
        )


def _meant(query: object) -> Query:
    """A list of names, or a dict with coefficients, as the query that is meant by it."""
    if isinstance(query, Mapping | list | tuple | set | frozenset | range | np.ndarray):
        return Query(query)
    raise TypeError(f"queries must hold Query after Query, not {type(query).__name__}")


@lru_cache(64)
def _ones(width: int) -> np.ndarray:
    """Coefficients of a query whose names all count, the same array for all of its width."""
    return _fixed(np.ones(width))


def _fixed(array: np.ndarray) -> np.ndarray:
    """The array, read-only: what was checked stays so."""
    array.setflags(write=False)
    return array


def _hashable(names: Iterable[Hashable]) -> tuple:
    """The names as a tuple, each of them hashable, none twice."""
    if isinstance(names, str):
        raise TypeError(f"names must be a list of names, not the one string {names!r}")
    names = tuple(names.tolist() if isinstance(names, np.ndarray) else names)
    try:
        if len(set(names)) == len(names):
            return names
    except TypeError:
        raise TypeError("names must be hashable: strings, numbers, tuples of them") from None
    twice = next(name for name, count in Counter(names).items() if count > 1)
    raise ValueError(f"names must not repeat, but {twice!r} stands there twice")


def _count(data: Data | Records) -> Counter:
    """How often each name occurs; arrays of plain numbers or words are counted as such.

    >>> _count(np.array([3, 3, 5])) == _count([3, 5, 3])
    True
    """
    if isinstance(data, Records):
        return data.counts
    if isinstance(data, np.ndarray) and data.ndim == 1 and data.dtype.kind in "iuU":
        names, counts = np.unique(data, return_counts=True)
        return Counter(dict(zip(names.tolist(), counts.tolist(), strict=True)))
    return Counter(data.tolist() if isinstance(data, np.ndarray) else data)
