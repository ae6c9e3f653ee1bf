"""Private records, public bounds and public questions from files; no message shows a value.

Public are the columns' names, their order, the number of records and how the file is written. What
a cell stands for hangs on that cell and on what is public, never on another record:

* a missing cell (empty, NA, N/A, NaN, null, None) stands for a public value: the middle of its
  column's bounds, or the one that is handed in. No record is dropped, so that n stays public;
* a date (2024-05-31, or with a time) in a column whose bounds are dates is days since 1970-01-01;
* any other cell that is no number is refused. The sentence names the column and the rule; the
  number of the line only where it is asked for (``lines``), because it depends on the records;
* an empty line is passed over, or, in a file of one column, is a record whose cell is missing.

CSV is read by pyarrow where it is installed, else by the standard library; Parquet needs pyarrow.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks

DELIMITERS = (",", ";", "\t")
MARKS = (".", ",")
SWAPPED = str.maketrans(".,", ",.")
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
BLOCK = 10_000  # records at a time
LINES = 200  # of a wide table at a time
WIDEST = 20  # bytes of a cell, about
DAY = 86_400.0  # seconds


@dataclass(frozen=True, eq=False)
class Bounds:
    """Public bounds: ``columns``, names; ``pairs`` by name; ``dates``, the names of dates."""

    pairs: dict[str, tuple[float, float]]
    dates: frozenset[str] = frozenset()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in their order."""
        return tuple(self.pairs)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a table is written and what is read of it: all of it public.

    Attributes
    ----------
    file : its name
    columns : to be read, by their names
    dates : those that hold dates
    missing : what a missing cell stands for, for each column; None where it is refused
    decimal : mark of decimals
    text : whether cells are names instead of numbers
    lines : whether a refusal names the line, which depends on the records
    """

    file: str
    columns: tuple[str, ...]
    dates: frozenset[str] = frozenset()
    missing: tuple[Any, ...]
    decimal: str | None = None
    text: bool = False
    lines: bool = False

    def __post_init__(self) -> None:
        if self.decimal is not None:
            checks.choice("decimal", self.decimal, MARKS)

    def mark(self, delimiter: str) -> str:
        """The mark of decimals: as given, else a comma where semicolons part the cells."""
        return self.decimal or ("," if delimiter == ";" else ".")

    def refused(self, rule: str, line: int | None = None) -> ValueError:
        """The sentence for what breaks a rule."""
        where = f", line {line}" if self.lines and line is not None else ""
        return ValueError(f"{self.file}{where}: {rule}")

    def no_number(self, column: str, mark: str, line: int | None = None) -> ValueError:
        """The sentence for a cell that is no number, or no date."""
        what = "a date such as 2024-05-31" if column in self.dates else "a finite number"
        how = f"; decimals are written with {mark!r} here, --decimal says otherwise"
        return self.refused(
            f"every cell of {column!r} must be {what}, or missing where --missing says what that "
            f"stands for{how if column not in self.dates else ''}", line
        )  # fmt: skip


def read_bounds(file: str | Path, decimal: str | None = None) -> Bounds:
    """Public bounds: one line for each column, "name, lower, upper"; the first may be these words.

    Parameters
    ----------
    file : path
    decimal : "." or ","; None: a comma where semicolons part the cells, else a point

    Raises
    ------
    ValueError
        If there is no such file, or a line is no name and two numbers or dates, or not lower <
        upper, or a name comes twice. No cell is shown: the file could be that of the records.
    """
    header, delimiter = _header(file, ())
    layout = Layout(file=str(file), columns=(), missing=(), decimal=decimal)
    mark = layout.mark(delimiter)
    pairs: dict[str, tuple[float, float]] = {}
    dates = set()
    for line, cells in _rows(layout, delimiter, len(header)):
        name, *sides = [cell.strip() for cell in cells]
        if line == 1 and [side.lower() for side in sides] == ["lower", "upper"]:
            continue
        are_dates = bool(sides) and all(math.isfinite(_day(side)) for side in sides)
        values = [_day(side) if are_dates else _number(side, mark) for side in sides]
        if len(values) != 2 or not (name and -math.inf < values[0] < values[1] < math.inf):
            raise ValueError(
                f"{file}, line {line}: each line of the bounds must be a name and two numbers or "
                "dates, lower < upper; the first may be a heading 'name,lower,upper'"
            )
        if name in pairs:
            raise ValueError(f"{file}, line {line}: the bounds must name each column only once")
        pairs[name] = values[0], values[1]
        dates |= {name} if are_dates else set()
    if not pairs:
        raise ValueError(f"{file}: the bounds must name at least one column")
    return Bounds(pairs, frozenset(dates))


def layout(
    file: str | Path,
    bounds: Bounds,
    columns: Sequence[str] | None = None,
    *,
    decimal: str | None = None,
    missing: str | None = None,
    lines: bool = False,
) -> Layout:
    """How the columns of numbers of a table are read.

    Parameters
    ----------
    file : path of the table
    bounds : of its columns
    columns : names, in the order of the questions; None: all that have bounds
    decimal, lines : as of :class:`Layout`
    missing : what a missing cell stands for; None: the middle of its column's bounds
    """
    names = bounds.columns if columns is None else tuple(columns)
    if lacking := [name for name in names if name not in bounds.pairs]:
        checks.choice("columns", lacking[0], bounds.columns)
    how: dict[str, Any] = {"decimal": decimal, "lines": lines, "dates": bounds.dates}
    middles = tuple((low + high) / 2 for low, high in map(bounds.pairs.__getitem__, names))
    if missing is not None:
        middles = tuple(_public(missing, name in bounds.dates, decimal) for name in names)
    return Layout(file=str(file), columns=names, missing=middles, **how)


def places(file: str | Path, how: Layout) -> Layout:
    """How public places in the columns of a table are read: none may be missing, and a refusal
    names the line."""
    none = (None,) * len(how.columns)
    return replace(how, file=str(file), missing=none, lines=True)


def names_layout(
    file: str | Path, columns: Sequence[str] | None, *, missing: str | None = None, **how: Any
) -> Layout:
    """How one column of names is read: the only one of the file, or the one that is chosen.

    A missing name is the public name ``missing``, "" if none is given.
    """
    chosen = _one(file, columns)
    return Layout(file=str(file), columns=chosen, missing=(missing or "",), text=True, **how)


def cells_layout(
    file: str | Path, columns: Sequence[str] | None, *, missing: str | None = None, **how: Any
) -> Layout:
    """How one column of numbers of cells is read; a missing one is ``missing``, else refused."""
    public = None if missing is None else _public(missing, False, how.get("decimal"))
    return Layout(file=str(file), columns=_one(file, columns), missing=(public,), **how)


def blocks(how: Layout) -> Iterator[NDArray]:
    """The records, some thousands at a time: numbers (m, d), or names (m,).

    Raises
    ------
    ValueError
        If the file breaks a rule of this module.
    """
    if how.file.endswith(".parquet"):
        return _parquet(how)
    header, delimiter = _header(how.file, how.columns)
    if find_spec("pyarrow") is None or how.lines:
        return _plain(how, header, delimiter)
    return _by_arrow(how, header, delimiter)


def read(how: Layout) -> NDArray:
    """All records: numbers (n, d), or names (n,); as :func:`blocks`."""
    parts = list(blocks(how))
    if not parts:
        raise how.refused("the table must hold records below its line of names")
    return np.concatenate(parts)


def _plain(how: Layout, header: Sequence[str], delimiter: str) -> Iterator[NDArray]:
    """By the standard library."""
    place_of = {name: place for place, name in enumerate(header)}
    places = [place_of[name] for name in how.columns]
    mark = how.mark(delimiter)
    rows = islice(_rows(how, delimiter, len(header)), 1, None)
    while part := list(islice(rows, BLOCK)):
        numbers = [line for line, _ in part]
        chosen = [[cells[place] for _, cells in part] for place in places]
        columns = [_column(how, i, cells, numbers, mark) for i, cells in enumerate(chosen)]
        yield columns[0] if how.text else np.stack(columns, axis=1)


def _column(
    how: Layout, i: int, cells: Sequence[str], numbers: Sequence[int], mark: str
) -> NDArray:
    """What the cells of one column stand for."""
    public = how.missing[i]
    if how.text:
        return np.array([public if cell in MISSING else cell for cell in cells], dtype=object)
    name = how.columns[i]
    values = _numbers(cells, mark) if name not in how.dates else np.array([*map(_day, cells)])
    for place in map(int, np.flatnonzero(~np.isfinite(values))):
        if cells[place] not in MISSING or public is None:
            raise how.no_number(name, mark, numbers[place])
        values[place] = public
    return values


def _by_arrow(how: Layout, header: Sequence[str], delimiter: str) -> Iterator[NDArray]:
    """By pyarrow: the same records."""
    import pyarrow
    from pyarrow import csv

    mark = how.mark(delimiter)
    names = [f"c{i}" for i in range(len(header))]  # two columns may share a name
    key_of = dict(zip(header, names, strict=True))
    wanted = [key_of[name] for name in how.columns]
    kind = pyarrow.string() if how.text else pyarrow.float64()
    day = pyarrow.timestamp("us")
    types = {
        key: day if name in how.dates else kind
        for key, name in zip(wanted, how.columns, strict=True)
    }
    options: dict[str, Any] = {
        "read_options": csv.ReadOptions(
            column_names=names, skip_rows=1, use_threads=False,
            block_size=max(2**22, LINES * WIDEST * len(names)),
        ),
        "parse_options": csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=len(names) > 1
        ),
        "convert_options": csv.ConvertOptions(
            include_columns=wanted, column_types=types, decimal_point=mark,
            null_values=list(MISSING), strings_can_be_null=True,
        ),
    }  # fmt: skip
    problem = ""
    try:
        with csv.open_csv(how.file, **options) as batches:
            for batch in batches:
                if batch.num_rows:
                    yield _values(how, batch)
    except pyarrow.ArrowInvalid as refusal:
        problem = str(refusal)
    if problem:
        # Arrow's sentence shows cells; only the public number of a column is taken from it.
        raise _rule(how, problem, wanted, len(header), mark)


def _rule(how: Layout, problem: str, wanted: Sequence[str], width: int, mark: str) -> ValueError:
    """Our sentence for a refusal of Arrow's."""
    if "no records" in problem or "Empty CSV" in problem:
        return how.refused("the table must hold records below its line of names")
    if "In CSV column" in problem:
        at = problem.partition("#")[2].partition(":")[0]
        name = how.columns[wanted.index(f"c{at}") if f"c{at}" in wanted else 0]
        return how.no_number(name, mark)
    return how.refused(_cells_rule(width))


def _parquet(how: Layout) -> Iterator[NDArray]:
    """From a Parquet file, which knows its types."""
    if find_spec("pyarrow") is None:
        raise ValueError(f"{how.file}: Parquet files need pyarrow: pip install pyarrow")
    import pyarrow
    from pyarrow import parquet

    problem = ""
    try:
        with parquet.ParquetFile(how.file) as file:
            names = file.schema_arrow.names
            if lacking := [name for name in how.columns if name not in names]:
                problem = f"the table must have a column {lacking[0]!r}"
            batches = file.iter_batches(BLOCK * 10, columns=list(how.columns))
            for batch in () if problem else batches:
                yield _values(how, batch.select(list(how.columns)))
    except (OSError, pyarrow.ArrowException, UnicodeDecodeError):  # whose sentence shows a byte
        problem = "the table must be a Parquet file of numbers, dates or text"
    if problem:
        raise how.refused(problem)


def _values(how: Layout, batch: Any) -> NDArray:
    """A batch of Arrow's as numbers (m, d), or names (m,)."""
    import pyarrow

    if how.text:
        cells = batch.columns[0].cast(pyarrow.string()).to_pylist()
        return np.array([how.missing[0] if cell is None else cell for cell in cells], dtype=object)
    columns = []
    for name, public, cells in zip(how.columns, how.missing, batch.columns, strict=True):
        gaps = cells.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
        unit = 1.0
        if name in how.dates:
            cells = cells.cast(pyarrow.timestamp("us")).cast(pyarrow.int64())  # noqa: PLW2901
            unit = DAY * 1e6
        numbers = cells.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False) / unit
        if public is not None:
            numbers[gaps] = public
        if not np.isfinite(numbers).all():
            raise how.no_number(name, how.decimal or ".")
        columns.append(numbers)
    return np.stack(columns, axis=1)


def _one(file: str | Path, columns: Sequence[str] | None) -> tuple[str, ...]:
    """The name of the one column that is read."""
    names = tuple(columns or ())
    if not names and not str(file).endswith(".parquet"):
        header, _ = _header(file, ())
        names = tuple(header)
    if len(names) != 1:
        raise ValueError(f"{file}: --columns must name the one column that the plan asks about")
    return names


def _header(file: str | Path, columns: Sequence[str]) -> tuple[list[str], str]:
    """The names of the first line, and what parts them: that which finds the columns."""
    import csv

    problem = ""
    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as text:
            first = text.readline()
    except UnicodeDecodeError:
        problem = "it must be text in UTF-8; save it so"
    except OSError as error:
        problem = f"it cannot be read: {error.strerror}"
    if problem or not first.strip():
        raise ValueError(f"{file}: {problem or 'its first line must name the columns'}")
    csv.field_size_limit(max(csv.field_size_limit(), len(first)))
    splits = [[name.strip() for name in next(csv.reader([first], delimiter=mark), [])]
            for mark in DELIMITERS]  # fmt: skip
    found = [len(set(columns) & set(names)) or len(names) / len(first) for names in splits]
    best = max(range(len(splits)), key=found.__getitem__)
    names = splits[best]
    often = Counter(names)
    for name in columns:
        if often[name] != 1:
            raise ValueError(
                f"{file}: its first line must name the column {name!r} once; names are parted by "
                "comma, semicolon or tab"
            )
    return names, DELIMITERS[best]


def _rows(how: Layout, delimiter: str, width: int) -> Iterator[tuple[int, list[str]]]:
    """Each row with the number of its line, the first one's too; all as wide as the first."""
    import csv

    line = 0
    problem = ""
    try:
        with Path(how.file).open(encoding="utf-8-sig", newline="") as text:
            rows = csv.reader(text, delimiter=delimiter, strict=True)
            for cells in rows:
                line = rows.line_num
                if not cells and width > 1:
                    continue
                if len(cells or [""]) != width:
                    problem = _cells_rule(width)
                    break
                yield line, cells or [""]
    except csv.Error:
        problem = _cells_rule(width)
        line += 1
    except UnicodeDecodeError:
        problem = "it must be text in UTF-8; save it so"
        line += 1
    if problem:
        raise how.refused(problem, line)


def _cells_rule(width: int) -> str:
    return (
        f"each line must have {width} cells, as the first one has, in UTF-8, with quotation marks "
        "closed around a whole cell"
    )


def _numbers(cells: Sequence[str], mark: str) -> NDArray:
    """All of a column at once, if they are numbers; else one by one."""
    try:
        swapped = cells if mark == "." else [cell.translate(SWAPPED) for cell in cells]
        if _is_plain("".join(swapped)):
            return np.array([*map(float, swapped)])
    except ValueError:
        pass
    return np.array([_number(cell, mark) for cell in cells])


def _is_plain(text: str) -> bool:
    """Whether Python reads digits as pyarrow does: no 1_000, and none of another script."""
    return text.isascii() and "_" not in text


def _number(cell: str, mark: str) -> float:
    """A number, NaN if it is none.

    >>> _number("1,5", ","), _number("1.5", ","), _number("2e3", ".")
    (1.5, nan, 2000.0)
    """
    try:
        return (
            float(cell if mark == "." else cell.translate(SWAPPED)) if _is_plain(cell) else math.nan
        )
    except ValueError:
        return math.nan


def _day(cell: str) -> float:
    """Days since 1970-01-01 of an ISO date, NaN if it is none.

    >>> _day("1970-01-03"), _day("1970-01-01T12:00"), _day("soon")
    (2.0, 0.5, nan)
    """
    try:
        moment = datetime.fromisoformat(cell.strip() if cell[4:5] == "-" else "")
    except ValueError:
        return math.nan
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp() / DAY


def _public(cell: str, is_date: bool, decimal: str | None) -> float:
    """A public value that stands for missing cells."""
    value = _day(cell) if is_date else _number(cell, decimal or ".")
    if not math.isfinite(value):
        raise ValueError(f"missing must be {'a date' if is_date else 'a number'}, not {cell!r}")
    return value
