"""Records that do not fit into memory: read piece by piece, on one machine or on a Dask cluster.

Every piece is read, checked, clipped record by record and added up by itself
(`dpviz.privacy.pieces`); the sums of all pieces meet on the machine that asks, where the curator is
paid once and draws the noise once. A piece is a pure function of its place in the source, so one
that is run again, because its worker died, gives the same sums, and each place is added once.

What is private stays out of sight. The names of tasks are random, not made from what they work on.
What is wrong with a piece comes back as a sentence instead of an exception, because a worker writes
the arguments of a task that fails into its log. A scheduler may still write records or sums to the
disk of a worker whose memory is full: they are as safe there as the records themselves.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz import checks
from dpviz.privacy.pieces import Running, Sums

if TYPE_CHECKING:
    from distributed import Client

    from dpviz.door.checkpoints import Checkpoint

Work = Callable[..., Sums]  # what is done with a chunk that is not empty
ROWS = 2**20  # records at a time, out of a file
SUFFIXES = (".parquet", ".csv")


class Stream:
    """Arrays or frames one after the other: from a function again and again, or once."""

    def __init__(self, source: Callable[[], Iterable[Any]] | Iterator[Any]):
        self._source = source
        self.once = not callable(source)
        self._ahead: list[Any] = []

    def first(self) -> Any:
        """A chunk that shows how all are made; of what is read once it stays the first."""
        if not callable(self._source):
            self._ahead = self._ahead or list(islice(self._source, 1))
            return self._ahead[0] if self._ahead else None
        return next(iter(self._source()), None)

    def __iter__(self) -> Iterator[Any]:
        if callable(self._source):
            yield from self._source()
            return
        while self._ahead:
            yield self._ahead.pop()
        yield from self._source


@dataclass(frozen=True, eq=False, repr=False)
class File:
    """A part of a file, as it was when it was first seen: a row group of Parquet, or a CSV file."""

    path: str
    stamp: tuple[int, int]
    columns: tuple[str, ...]
    rows: int
    group: int | None
    names: bool = False

    def __call__(self) -> Iterator[Any]:
        """Its records, a few at a time.

        Raises ``ValueError`` if the file cannot be read, or has changed. No value is shown.
        """
        try:
            _must_be(self.path, self.stamp)
            yield from self._csv() if self.group is None else self._parquet()
            _must_be(self.path, self.stamp)
        except (OSError, LookupError) as problem:
            raise ValueError(f"a file could not be read: {type(problem).__name__}") from None
        except ValueError as problem:  # pyarrow's own say what they met
            ours = type(problem) is ValueError
            words = str(problem) if ours else "a file is damaged, or has values of two kinds"
            raise ValueError(words) from None

    def _parquet(self) -> Iterator[Any]:
        from pyarrow import parquet

        keep = list(self.columns)
        text = keep if self.names else None
        # Without a buffer before it a column is copied once less.
        with parquet.ParquetFile(self.path, read_dictionary=text, pre_buffer=False) as file:
            how: dict[str, Any] = {"columns": keep, "use_threads": False}
            yield from file.iter_batches(self.rows, row_groups=[self.group], **how)

    def _csv(self) -> Iterator[Any]:
        from pyarrow import csv

        names = csv.ConvertOptions(include_columns=list(self.columns))
        read = csv.ReadOptions(use_threads=False, block_size=max(1 << 16, 16 * self.rows))
        with csv.open_csv(self.path, read_options=read, convert_options=names) as batches:
            yield from batches


@dataclass(frozen=True, eq=False, repr=False)
class Pieces:
    """A source of records; made by :func:`pieces`, given to the functions of the front door.

    Attributes
    ----------
    parts : files' parts or delayed pieces of Dask, each read by itself; or None
    stream : arrays or frames in this process, where there are no parts
    columns : names of the columns, if they are known before anything is read
    d : int, number of columns, if it is known
    n : int, number of records, if it is known; counted all the same
    client, checkpoint : where the parts are read, and where finished ones are kept
    """

    parts: Sequence[Any] | None = None
    stream: Stream | None = None
    columns: tuple[str, ...] | None = None
    d: int | None = None
    n: int | None = None
    client: Client | None = None
    checkpoint: Path | None = None

    def __repr__(self) -> str:
        many = "" if self.parts is None else f" in {len(self.parts)} pieces"
        return f"records{many}, not read yet"

    @property
    def once(self) -> bool:
        """Whether it can be read only once."""
        return self.stream is not None and self.stream.once

    def of_names(self) -> Pieces:
        """The same, with columns of text left as they are stored, which saves time."""
        if self.parts is None or not isinstance(self.parts[0], File):
            return self
        return replace(self, parts=[replace(part, names=True) for part in self.parts])


def pieces(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    n: int | None = None,
    rows: int = ROWS,
    client: Client | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Pieces:
    """Records that are read piece by piece, for any function of the front door that takes records.

    Nothing is read yet. At any time one piece for each worker is in memory, and the sums that the
    mechanism needs: `dpviz.door.readings.memory` says how many bytes.

    Parameters
    ----------
    source : names of Parquet or CSV files (with ``*``, or a list; needs pyarrow); a Dask array,
        bag, dataframe or series; a function that gives a fresh iterator over arrays or frames; or
        such an iterator, which mechanisms of one pass can read
    columns : names of the columns to read from files or frames; None: all of them
    n : number of records, where it must be known before the pass (``sparse_counts``, and
        ``smooth_summary`` without ``terms``). Records are counted, and a wrong n is refused; of
        files and arrays it is known, of other sources that can be read again it is counted first
    rows : records at a time out of a file
    client : a ``distributed.Client``, whose workers read files or Dask's pieces. None: files are
        read here, Dask's pieces where Dask would compute them
    checkpoint : a file, in which finished pieces are kept if a pass is interrupted or fails; the
        same call then goes on from there. It holds sums of private records without noise; it is
        written for nobody else to read (mode 600), and removed when the pass is complete. Not for
        clusters: each of their passes hangs on the noise of those before

    Raises
    ------
    TypeError, ValueError
        If the source is none of these, there is no such file, or pyarrow is missing.

    >>> import dpviz, numpy as np
    >>> year = lambda: (np.full(1000, month) for month in range(12))
    >>> dpviz.mean(dpviz.pieces(year), bounds=(0, 12), epsilon=1, rng=7).value
    5.50
    """
    if isinstance(columns, str) or not all(isinstance(name, str) for name in columns or ()):
        raise TypeError("columns must be a list of names")
    names = None if columns is None else tuple(columns)
    if n is not None:
        checks.integer("n", n, at_least=2)
    checks.integer("rows", rows, at_least=1)
    kept = None if checkpoint is None else Path(checkpoint)
    how: dict[str, Any] = {"n": n, "client": client, "checkpoint": kept}
    if is_dask(source):
        return _of_dask(source, names, **how)
    if isinstance(source, str | os.PathLike) or _listed(source):
        return _of_files(source, names, rows, **how)
    if client is not None:
        raise ValueError("client must be None for a source that only this process can read")
    if callable(source) or hasattr(source, "__next__"):
        return Pieces(stream=Stream(source), columns=names, **how)
    raise TypeError(
        "source must be names of files, a collection of Dask, an iterator over arrays or frames, "
        f"or a function that gives one, not a {type(source).__name__}"
    )


def is_dask(value: object) -> bool:
    """Whether it is a collection of Dask.

    >>> is_dask([1, 2])
    False
    """
    return hasattr(value, "__dask_graph__") and hasattr(value, "to_delayed")


def add_up(
    source: Pieces,
    work: Work,
    checkpoint: Checkpoint | None = None,
    *,
    starts: Sequence[int] | None = None,
    bar: bool = True,
) -> Sums:
    """One pass over the source: the sums of all pieces, each read once.

    Parameters
    ----------
    work : what is done with each chunk of a piece
    checkpoint : where finished pieces are kept, or None
    starts : number of the first record of each piece, where ``work`` is told of each chunk's first
    bar : whether a progress bar is shown, where there is a terminal

    Raises
    ------
    ValueError, TypeError
        As ``work`` does, or if the source cannot be read.
    ConnectionError
        If the scheduler of Dask went away, or ended a piece too often.
    """
    running = Running()
    keep_memory()
    done: set[int] = set()
    if checkpoint is not None:
        done = checkpoint.load(running)
    try:
        for place, found in _progress(_results(source, work, done, starts), source, len(done), bar):
            if isinstance(found, Fault):
                raise found.kind(found.words)
            if found is not None:
                running.add(found)
            done.add(place)
            if checkpoint is not None:
                checkpoint.keep(running.sums, done)
    except BaseException:
        if checkpoint is not None:
            checkpoint.keep(running.sums, done, now=True)
        raise
    if checkpoint is not None:
        checkpoint.remove()
    return Sums(n=0, totals={}) if running.sums is None else running.sums


@dataclass(frozen=True)
class Fault:
    """What was wrong with a piece, in a sentence without a private value."""

    kind: type[Exception]
    words: str


Found = Sums | Fault | None  # None: a piece without records


def read(work: Work, part: Any, start: int | None = None) -> Found:
    """The sums of one part: what a task of Dask does. It raises nothing: see the module."""
    running = Running()
    keep_memory()
    try:
        for chunk in part() if isinstance(part, File) else [part]:
            if not length(chunk):
                continue
            if start is None:
                running.add(work(chunk))
            else:
                running.add(work(chunk, start))
                start += length(chunk)
    except (ValueError, TypeError) as problem:
        ours = type(problem) in (ValueError, TypeError)
        words = str(problem) if ours else "a piece could not be read"
        return Fault(type(problem) if ours else ValueError, words)
    except Exception as problem:
        return Fault(ValueError, f"a piece could not be read: {type(problem).__name__}")
    return running.sums


def keep_memory() -> None:
    """Free 16 MB that were never touched: from here on the C library of Linux keeps what is freed.

    Else it returns each block of half a megabyte, and the next one costs a page fault for every
    4 kB, which took a third of the time of a pass.
    """
    np.empty(2**21)


def length(chunk: Any) -> int:
    """How many records a chunk has; what has no length is left to the checks that follow."""
    shape = getattr(chunk, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    rows = getattr(chunk, "num_rows", None)
    if rows is not None:
        return int(rows)
    return len(chunk) if hasattr(chunk, "__len__") else 1


def lengths(source: Pieces, work: Work | None = None) -> list[int]:
    """How many records each piece has: one pass, in which ``work`` may check them."""
    found: dict[int, int] = {}
    for place, sums in _results(source, work or count, set(), None):
        if isinstance(sums, Fault):
            raise sums.kind(sums.words)
        found[place] = 0 if sums is None else sums.n
    return [found[place] for place in sorted(found)]


def count(chunk: Any) -> Sums:
    """Only how many records there are."""
    return Sums(n=length(chunk), totals={})


def _results(
    source: Pieces, work: Work, done: set[int], starts: Sequence[int] | None
) -> Iterator[tuple[int, Found]]:
    """The place of each piece that is not done yet, and its sums, as they come."""
    if source.stream is not None:
        for place, chunk in enumerate(source.stream):
            if place in done or not length(chunk):
                yield place, None
            else:
                yield place, work(chunk) if starts is None else work(chunk, starts[place])
        return
    parts = {place: part for place, part in enumerate(source.parts or ()) if place not in done}
    client = source.client
    if client is None and parts and not isinstance(next(iter(parts.values())), File):
        client = _current_client()
        if client is None:
            yield from _by_dask(work, parts, starts)
            return
    if client is not None:
        yield from _by_client(client, work, parts, starts)
        return
    for place, part in parts.items():
        yield place, read(work, part, None if starts is None else starts[place])


def _current_client() -> Client | None:
    """The client that Dask would use, if the program made one."""
    import sys

    if "distributed" not in sys.modules:
        return None
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None


def _tasks(
    work: Work, parts: dict[int, Any], starts: Sequence[int] | None = None
) -> dict[int, Any]:
    """A delayed call for each part, with a name that says nothing of it."""
    from uuid import uuid4

    from dask import delayed

    run = uuid4().hex
    call = delayed(read, pure=False, name=f"dpviz-read-{run}", traverse=False)
    return {
        place: call(
            work,
            part,
            None if starts is None else starts[place],
            dask_key_name=f"dpviz-sums-{run}-{place}",
        )
        for place, part in parts.items()
    }


def _by_dask(
    work: Work, parts: dict[int, Any], starts: Sequence[int] | None
) -> Iterator[tuple[int, Found]]:
    """By the scheduler that Dask's settings name, in this process or in others of this machine."""
    import dask

    tasks = _tasks(work, parts, starts)
    places = list(tasks)
    step = 2 * (os.cpu_count() or 1)
    for start in range(0, len(places), step):
        some = places[start : start + step]
        try:
            found = dask.compute(*(tasks[place] for place in some))
        except Exception as problem:
            yield some[0], _unreadable(problem)
            return
        yield from zip(some, found, strict=True)


def _by_client(
    client: Client, work: Work, parts: dict[int, Any], starts: Sequence[int] | None
) -> Iterator[tuple[int, Found]]:
    """By the workers of a cluster, in any order; what a dead worker had is run again."""
    from distributed import as_completed

    tasks = _tasks(work, parts, starts)
    try:
        futures = dict(zip(client.compute(list(tasks.values())), tasks, strict=True))
        for future in as_completed(futures):
            yield futures[future], future.result()
            future.release()
    except GeneratorExit:
        client.cancel(list(futures))
        raise
    except Exception as problem:
        if isinstance(problem, ValueError | TypeError) and not _of_scheduler(problem):
            yield -1, _unreadable(problem)
            return
        words = "the scheduler went away or gave a piece up; nothing was charged"
        raise ConnectionError(f"{words} ({type(problem).__name__})") from None


def _of_scheduler(problem: Exception) -> bool:
    return type(problem).__module__.startswith(("distributed", "asyncio", "concurrent"))


def _unreadable(problem: Exception) -> Fault:
    """An error of the program that made the pieces: its words may show records."""
    return Fault(ValueError, f"a piece could not be computed: {type(problem).__name__}")


def _progress(
    results: Iterator[tuple[int, Found]], source: Pieces, done: int, bar: bool
) -> Iterable[tuple[int, Found]]:
    """The same behind one bar, with the rate and the time left; silent without a terminal."""
    if not bar:
        return results
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return results
    total = None if source.parts is None else len(source.parts)
    return tqdm(results, total=total, initial=done, disable=None, unit=" pieces")


def _of_dask(source: Any, columns: tuple[str, ...] | None, **how: Any) -> Pieces:
    """Pieces of a Dask array, bag, dataframe or series."""
    shape: tuple[Any, ...] = getattr(source, "shape", ())
    if columns is not None:
        if not hasattr(source, "columns"):
            raise ValueError("columns must be None: this collection has no named columns")
        source = source[list(columns)]
    labels = getattr(source, "columns", None)
    d = None
    if labels is not None:
        columns = tuple(map(str, labels))
    elif hasattr(source, "chunks"):
        if len(shape) not in (1, 2):
            raise ValueError("source must have shape (n,) or (n, d): a row for each record")
        d = int(shape[1]) if len(shape) == 2 else 1
        source = source.rechunk({1: -1}) if len(shape) == 2 else source
        n = shape[0]
        if how["n"] is None and n == n:  # NaN where Dask does not know it
            how["n"] = int(n)
    elif getattr(source, "name", None) and hasattr(source, "dtype"):
        columns = (str(source.name),)
    delayed = source.to_delayed()
    parts = delayed.ravel().tolist() if hasattr(delayed, "ravel") else list(delayed)
    return Pieces(parts=parts, columns=columns, d=d, **how)


def _listed(source: Any) -> bool:
    """Whether it is a list of names of files."""
    paths = isinstance(source, list | tuple) and len(source) > 0
    return paths and all(isinstance(name, str | os.PathLike) for name in source)


def _of_files(source: Any, columns: tuple[str, ...] | None, rows: int, **how: Any) -> Pieces:
    """Parts of Parquet and CSV files, with the columns of the first."""
    given = [source] if isinstance(source, str | os.PathLike) else list(source)
    paths = [path for name in given for path in _matching(os.fspath(name))]
    try:
        import pyarrow  # noqa: F401 - asked for here, so that a sentence says what is missing
    except ModuleNotFoundError:
        raise ValueError("files need pyarrow: pip install pyarrow") from None
    parts: list[File] = []
    known: int | None = 0
    for path in paths:
        stamp = _stamp(path)
        names, groups, count = _parquet(path) if path.endswith(SUFFIXES[0]) else _csv(path)
        columns = names if columns is None else columns
        if missing := [name for name in columns if name not in names]:
            raise ValueError(f"files must have the same columns: {missing[0]!r} is missing in one")
        known = None if known is None or count is None else known + count
        parts += [File(path, stamp, columns, rows, group) for group in groups]
    if not parts:
        raise ValueError("source must be files that hold records")
    if how["n"] is None:
        how["n"] = known
    return Pieces(parts=parts, columns=columns, **how)


def _matching(name: str) -> list[str]:
    """Files of this name, in the order of their names."""
    paths = sorted(glob.glob(name)) if glob.has_magic(name) else [name]
    if not paths or not all(os.path.isfile(path) for path in paths):
        raise ValueError(f"source must be files that exist, not {name!r}")
    if not all(path.endswith(SUFFIXES) for path in paths):
        raise ValueError(f"source must be files that end in {' or '.join(SUFFIXES)}, not {name!r}")
    return paths


def _parquet(path: str) -> tuple[tuple[str, ...], list[int | None], int | None]:
    """Columns, row groups and number of records, as the file says."""
    from pyarrow import ArrowException, parquet

    try:
        with parquet.ParquetFile(path) as file:
            groups: list[int | None] = list(range(file.num_row_groups))
            return tuple(file.schema_arrow.names), groups, file.metadata.num_rows
    except ArrowException:
        raise ValueError(f"source must be Parquet files: {path!r} is none") from None


def _csv(path: str) -> tuple[tuple[str, ...], list[int | None], int | None]:
    """Columns of a CSV file, which is read as one part; how many records is not known."""
    from pyarrow import ArrowException, csv

    try:
        with csv.open_csv(path, read_options=csv.ReadOptions(use_threads=False)) as file:
            return tuple(file.schema.names), [None], None
    except ArrowException:
        raise ValueError(f"source must be CSV files with names of columns: {path!r}") from None


def _stamp(path: str) -> tuple[int, int]:
    """Size and time of a file's last change."""
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def _must_be(path: str, stamp: tuple[int, int]) -> None:
    """Raise ``ValueError`` if a file has changed."""
    if not os.path.exists(path) or _stamp(path) != stamp:
        raise ValueError("files must not change while they are read: one grew, or is gone")
