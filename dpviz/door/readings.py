"""Private records in memory, or still to be read: one form for the functions of the front door.

``table`` and ``names`` take what a caller gave; ``summed`` makes of it what a ``release`` takes,
which is the records themselves, or the merged statistic of their pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.door import frames, payment
from dpviz.door.sources import ROWS, Pieces, add_up, is_dask, lengths, pieces
from dpviz.privacy import private_data
from dpviz.privacy.curator import BudgetExceeded, Cost, Curator
from dpviz.privacy.pieces import Columns, Sums

ONCE = "is a source that can be read only once: give a function that makes it anew"
COPIES = 5  # of a piece at most while it is read, checked and clipped
NAME = 300  # bytes of a name that is counted
REMEMBERED = 2**27  # bytes of names whose buckets are known
LEAST = 2**24  # bytes for all that is small


@dataclass(frozen=True, eq=False, repr=False)
class Names:
    """Private names in memory."""

    values: list[Hashable]

    @property
    def n(self) -> int:
        """Number of records: public."""
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Rules:
    """What every piece of a source must obey: public, and sent to the workers.

    Attributes
    ----------
    name : str, the argument that the records came in
    wanted : names of the columns to be taken, or None for all
    named, d : names of the columns, if they have some; how many there are
    box : lower and upper bounds outside of which a record is refused, or None
    """

    name: str
    wanted: tuple[str, ...] | None
    named: tuple[str, ...] | None
    d: int
    box: tuple[NDArray, NDArray] | None

    def numbers(self, chunk: Any) -> NDArray | Columns:
        """The records of one piece, checked; (m, d)."""
        names, values = frames._named(self.name, _selected(chunk, self.wanted))
        values = np.asarray(values)[:, None] if values.ndim == 1 else values
        alike = values.ndim == 2 and values.shape[1] == self.d
        if not alike or (self.named and names is not None and names != self.named):
            raise ValueError(f"{self.name} must have the same columns in every piece")
        if self.box:
            values = np.asarray(values)
            if ((values < self.box[0]) | (values > self.box[1])).any():
                raise ValueError(f"{self.name} must lie within the bounds in every column")
        return values


@dataclass(eq=False, repr=False)
class Reading:
    """Private records that are still to be read; stands where a ``frames.Table`` does.

    Attributes
    ----------
    name : str, the argument they came in
    source : Pieces
    columns, named : as of a ``frames.Table``
    of_names : bool, whether the records are names instead of numbers
    """

    name: str
    source: Pieces
    columns: tuple[str, ...]
    named: bool
    of_names: bool = False
    _n: int | None = None
    _box: tuple[NDArray, NDArray] | None = None

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @property
    def n(self) -> int:
        """Number of records: as a pass counted them; before it as it is known, or counted now."""
        if self._n is None:
            self._n = self.source.n
        if self._n is None:
            if self.source.once:
                raise ValueError(f"{self.name} {ONCE}, or n=")
            self._n = sum(lengths(self.source))
        return self._n

    def refuse_outside(self, lower: NDArray, upper: NDArray) -> None:
        """Have every piece refused that does not."""
        self._box = (lower, upper)

    @property
    def rules(self) -> Rules:
        """What every piece must obey."""
        named = self.columns if self.named else None
        return Rules(self.name, self.source.columns, named, self.d, self._box)

    def passed(self, statistic: Callable[[Any], Sums], mark: tuple) -> Sums:
        """One pass; from here on n is what it counted."""
        kept = None
        if self.source.checkpoint is not None:
            from dpviz.door.checkpoints import Checkpoint, mark_of

            files = [getattr(part, "stamp", None) for part in self.source.parts or ()]
            kept = Checkpoint(self.source.checkpoint, mark_of(self.columns, files, *mark))
        sums = add_up(self.source, statistic, kept)
        frames.many(self.name, sums.n)
        if self._n is None:
            self._n = self.source.n
        if self._n is not None and sums.n != self._n:
            raise ValueError(
                f"{self.name} must hold as many records as n says, or as it held before"
            )
        self._n = sums.n
        return sums


def passes(read: Reading) -> Any:
    """The records for a mechanism of several passes: ``Passes`` of the cluster's solver.

    Raises ``ValueError`` if the source can be read only once, or has a checkpoint, which is one
    pass's.
    """
    from dpviz.papers.small_cluster.passes import Passes

    source = read.source
    if source.once:
        raise ValueError(f"{read.name} {ONCE}, because this takes several passes")
    if source.checkpoint is not None:
        raise ValueError(
            "checkpoint must be None for a mechanism of several passes, because what a pass asks "
            "hangs on the noise of those before: to go on, the noise would have to be stored too"
        )
    rules = read.rules
    each = lengths(source, partial(_checked, rules))
    frames.many(read.name, sum(each))
    starts = np.cumsum([0, *each]).tolist()

    def scan(statistic: Callable[..., Sums]) -> Sums:
        sums = add_up(source, partial(_summed, rules.numbers, statistic), starts=starts)
        if sums.n != starts[-1]:
            raise ValueError(f"{read.name} must hold as many records in each pass")
        return sums

    return Passes(n=starts[-1], scan=scan)


def pieces_of(value: Any) -> Pieces | None:
    """The source, if it is one."""
    if isinstance(value, Pieces):
        return value
    return pieces(value) if is_dask(value) else None


def table(name: str, value: Any) -> frames.Table | Reading:
    """As ``frames.table``; of a source, its columns, and the records are still to be read.

    >>> table("points", [[1, 2], [3, 4]]).columns
    ('column 0', 'column 1')
    """
    source = pieces_of(value)
    if source is None:
        return frames.table(name, value)
    columns = source.columns
    if columns is not None:
        return Reading(name, source, columns, True)
    d = source.d
    if d is None and source.stream is not None:
        chunk = source.stream.first()
        if chunk is None:
            frames.many(name, 0)
        labels, values = frames._named(name, chunk)
        if labels is not None:
            return Reading(name, source, labels, True)
        d = values.shape[1] if values.ndim == 2 else 1
    return Reading(name, source, tuple(f"column {i}" for i in range(d or 1)), False)


def column(name: str, value: Any) -> frames.Table | Reading:
    """Private records of one column."""
    read = table(name, value)
    if read.d != 1:
        raise ValueError(f"{name} must be one column, not {read.d} of them")
    return read


def names(name: str, value: Any) -> Names | Reading | frames.Size:
    """As ``frames.names_of``.

    >>> names("names", ["a", "b"]).n
    2
    """
    if isinstance(value, frames.Size):
        return value
    source = pieces_of(value)
    if source is None:
        return Names(frames.names_of(name, value))
    if len(source.columns or "1") != 1:
        raise ValueError(f"{name} must be one column, not {len(source.columns or ())} of them")
    return Reading(name, source.of_names(), source.columns or ("names",), False, of_names=True)


def summed(
    read: frames.Table | Names | Reading,
    statistic: Callable[..., Sums],
    params: Any,
    curator: Any = None,
    **how: Any,
) -> Any:
    """What a release takes: the records in memory, or the merged statistic of their pieces.

    A curator who could not pay is asked before the pass, which may take long.

    Parameters
    ----------
    statistic : of a module of `dpviz.papers`, called with a piece (names are counted first),
        ``params`` and ``how``
    params : its ``n`` is not read
    """
    if not isinstance(read, Reading):
        return read.values
    affordable(curator, params)
    taken = partial(tallied, read.name) if read.of_names else read.rules.numbers
    work = partial(_summed, taken, partial(statistic, params=params, **how))
    return read.passed(work, (statistic.__module__, getattr(params, "names", params)))


def affordable(curator: Any, params: Any) -> None:
    """Raise ``BudgetExceeded`` if a curator could not pay, before a long pass.

    >>> affordable(None, None)
    """
    payer = curator.of if isinstance(curator, payment.Quote) else curator
    if not isinstance(payer, Curator) or payer.composition != "basic":
        return
    cost = Cost(epsilon=params.epsilon, delta=getattr(params, "delta", 0.0))
    if not payer.ledger.left.covers(cost):
        raise BudgetExceeded(f"{cost} is asked for, but {payer.ledger.left} is left")


def memory(params: Any, *, d: int = 1, rows: int = ROWS) -> int:
    """Bytes that a process needs at most for a pass, beyond what was loaded before it.

    A piece with the copies that are made while it is checked and clipped, and the sums: those of
    the whole, those of a piece, and what they are taken with. It depends on public numbers only.
    Mechanisms that ask the records again at each query (``Interactive...``) need all of them in
    memory, sorted by column or counted by name, and take no source: a released summary answers.

    Parameters
    ----------
    params : of the mechanism that runs
    d : columns that are read
    rows : records of the largest piece

    >>> from dpviz.papers.distance_queries.releases.curves import Params
    >>> memory(Params(n=1, epsilon=1, lower=0, upper=1)) < 100e6
    True
    """
    names = hasattr(params, "coefficients")
    numbers = 4 * getattr(params, "size", 0)
    if hasattr(params, "cells"):
        numbers = 9 * params.d * params.cells
    if hasattr(params, "shifts"):
        from dpviz.papers.small_cluster.passes import TABLE

        numbers = 4 * TABLE
    piece = rows * (NAME if names else 8 * d * COPIES)
    return LEAST + piece + 8 * numbers + (REMEMBERED if names else 0)


def _summed(
    taken: Callable[[Any], Any], statistic: Callable[..., Sums], chunk: Any, *first: int
) -> Sums:
    return statistic(taken(chunk), *first)


def _checked(rules: Rules, chunk: Any) -> Sums:
    return Sums(n=len(rules.numbers(chunk)), totals={})


def tallied(name: str, chunk: Any) -> Any:
    """A piece of names, counted; ``Records`` of `dpviz.papers.sparse_queries.queries`.

    >>> tallied("names", ["cat", "dog", "cat"]).counts["cat"]
    2
    """
    from dpviz.papers.sparse_queries.queries import Records

    part = _one_column(name, chunk)
    if hasattr(part, "value_counts") and hasattr(part, "null_count"):  # pyarrow's
        if part.null_count:
            raise ValueError(f"{name} must hold no missing name")
        counted = _tally(part)
        if "string" not in str(part.type) or None in counted:  # text has no NaN, and is hashable
            _must_be_names(name, counted)
        return Records.of(counted, len(part))
    listed = frames.labels_of(name, part)
    return Records(listed)


def _tally(part: Any) -> dict:
    """How often each value of an array of pyarrow occurs; a dictionary's codes are counted."""
    if hasattr(part, "dictionary"):
        labels = part.dictionary.to_pylist()
        often = np.bincount(part.indices, minlength=len(labels)).tolist()
        counted = {label: many for label, many in zip(labels, often, strict=True) if many}
        if sum(counted.values()) == len(part):  # else two places hold one name
            return counted
        part = part.dictionary_decode()
    pairs = part.value_counts()
    return dict(zip(pairs.field(0).to_pylist(), pairs.field(1).to_pylist(), strict=True))


def _must_be_names(name: str, counted: dict) -> None:
    if any(label is None or label != label for label in counted):
        raise ValueError(f"{name} must hold no missing name")
    if not all(map(private_data.hashable, counted)):
        raise TypeError(f"{name} must be strings, numbers, or tuples of them")


def _one_column(name: str, chunk: Any) -> Any:
    """The only column of a frame of pyarrow; anything else as it is."""
    if not hasattr(chunk, "num_columns") or not hasattr(chunk, "column"):
        return chunk
    if chunk.num_columns != 1:
        raise ValueError(f"{name} must be one column in every piece")
    part = chunk.column(0)
    return part.combine_chunks() if hasattr(part, "combine_chunks") else part


def _selected(chunk: Any, columns: tuple[str, ...] | None) -> Any:
    """The columns that were asked for, of a frame that has more."""
    labels = frames._columns(chunk)
    if columns is None or labels is None or tuple(map(str, labels)) == columns:
        return chunk
    if not set(columns) <= set(map(str, labels)):
        return chunk  # refused: these are other columns
    return chunk[list(columns)] if not hasattr(chunk, "select") else chunk.select(list(columns))
