"""A private table from a CSV file, and its public bounds from another; no message shows a value.

Public here are the number of records n, the columns' names and their number, and how the file is
written. Neighbours replace one record. A refusal is one sentence for whoever holds the file: which
file, which line, which rule, and never a value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpviz import checks
from dpviz.privacy.private_data import unit_points

DELIMITERS = ("\t", ";", ",")  # the first where no line has any: a table of one column
# A number by its decimal mark: digits, or groups of three with the other mark between them.
NUMBER = r"[+-]?(?:\d+(?:{0}\d*)?|{0}\d+|[1-9]\d{{0,2}}(?:{1}\d{{3}})+(?:{0}\d*)?)(?:e[+-]?\d+)?"
OTHER = {".": ",", ",": "."}
FORMS = {
    mark: re.compile(NUMBER.format(re.escape(mark), re.escape(other)), re.ASCII | re.IGNORECASE)
    for mark, other in OTHER.items()
}
UNCLEAR = "a number could mean two: say --decimal . or --decimal , for the mark of its decimals"


@dataclass(frozen=True, eq=False)
class Bounds:
    """Public bounds: ``columns``, a tuple of names; ``lower`` and ``upper``, arrays as long."""

    columns: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray


@dataclass(frozen=True, eq=False)
class Table:
    """A private table.

    Attributes
    ----------
    columns : names, public
    rows : array (n, columns) in [0, 1], private: clipped to the public bounds and rescaled
    """

    columns: tuple[str, ...]
    rows: np.ndarray

    @property
    def n(self) -> int:
        """Number of records, public."""
        return len(self.rows)


def read_bounds(file: str | Path, decimal: str | None = None) -> Bounds:
    """Public bounds: one line for each column, "name, lower, upper"; the first may be these words.

    Parameters
    ----------
    file : path
    decimal : "." or ","; if None, a number that could mean two is refused

    Raises
    ------
    ValueError
        If there is no such file, or a line is no name and two numbers, or not lower < upper, or
        a name comes twice. No cell is shown: the two files are easily taken for each other.
    """
    _check(decimal)
    lines = [(place, line) for place, line in _lines(file, "bounds") if line.strip()]
    delimiter = max(DELIMITERS, key=lines[0][1].count)
    names = []
    pairs: list[list[float]] = []
    for place, line in lines:
        name, *cells = _cells(line, delimiter) or [""]
        if not pairs and [cell.lower() for cell in cells] == ["lower", "upper"]:
            continue
        readings = [_values(cell, delimiter, decimal) for cell in cells]
        if any(len(values) > 1 for values in readings):
            raise ValueError(f"{place}: {UNCLEAR}")
        pair = [value for values in readings for value in values]
        named = name and not _values(name, delimiter, decimal)
        if not (named and len(cells) == len(pair) == 2 and pair[0] < pair[1]):
            raise ValueError(
                f"{place}: each line of the bounds must be a name, which is no number, and two "
                "finite numbers, lower < upper; the first may be a heading 'name, lower, upper'"
            )
        names.append(name)
        pairs.append(pair)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"{file}: the bounds must name at least one column, and each only once")
    lower, upper = np.array(pairs).T
    return Bounds(tuple(names), lower, upper)


def read(file: str | Path, bounds: Bounds, decimal: str | None = None) -> Table:
    """A private table: records in lines, cells parted by comma, semicolon or tab.

    A first line of names chooses the columns by their names; without one the columns are those of
    the bounds, in their order. Blank lines are passed over where a record has several cells, and
    refused where it has one. Values outside of the bounds are clipped, and not counted.

    Parameters
    ----------
    file : path
    bounds : of its columns
    decimal : "." or ","; if None, a number that could mean two, as 12,345 could, is refused

    Raises
    ------
    ValueError
        If the file breaks one of these rules, has words or empty cells among its numbers, or no
        record. The message names file and line, and says nothing of any record.
    """
    _check(decimal)
    lines = _lines(file, "table")
    top = next(i for i, (_, line) in enumerate(lines) if line.strip())
    delimiter, columns = _header(*lines[top], bounds, decimal)
    body = lines[top + 1 :] if columns else lines
    columns = columns or bounds.columns
    if len(columns) > 1:
        body = [(place, line) for place, line in body if line.strip(" ")]
    if not body:
        raise ValueError(f"{file}: the table must have at least one record below its line of names")
    rows = [_record(place, line, delimiter, len(columns), decimal) for place, line in body]
    position = {name: i for i, name in enumerate(bounds.columns)}
    at = [position[name] for name in columns]
    return Table(columns, unit_points(np.array(rows), bounds.lower[at], bounds.upper[at]))


def _check(decimal: str | None) -> None:
    if decimal is not None:
        checks.choice("decimal", decimal, OTHER)


def _lines(file: str | Path, what: str) -> list[tuple[str, str]]:
    """Each line with its place, "FILE, line 3"."""
    problem = ""
    text = ""
    try:
        text = Path(file).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        problem = f"{file}, line {line}: the {what} must be text in UTF-8; save it so"
    except OSError as error:
        problem = f"{file}: the {what} cannot be read: {error.strerror}"
    if not problem and not text.strip():
        problem = f"{file}: the {what} must not be empty"
    if problem:
        raise ValueError(problem)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
    return [(f"{file}, line {i}", line) for i, line in enumerate(lines, start=1)]


def _cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line; none if a quotation mark is not closed in it, or a cell is too long."""
    import csv

    try:
        cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []
    return [cell.strip() for cell in cells]


def _header(
    place: str, first: str, bounds: Bounds, decimal: str | None
) -> tuple[str, tuple[str, ...]]:
    """Delimiter, and the names if the first line has them."""
    cells = {mark: _cells(first, mark) for mark in DELIMITERS}
    for mark, names in cells.items():
        if names and set(names) <= set(bounds.columns):
            if len(set(names)) < len(names):
                raise ValueError(f"{place}: the table must name each column only once")
            return mark, tuple(names)
    for mark, places in cells.items():
        numbers = [_values(cell, mark, decimal) for cell in places]
        if len(places) == len(bounds.columns) and all(numbers):
            return mark, ()
    heard = {name for names in cells.values() for name in names}
    missing = [name for name in bounds.columns if name not in heard]
    lacks = f"; of the bounds' names it lacks {missing[0]!r}" if missing else ""
    raise ValueError(
        f"{place}: the first line of the table must hold names that all have bounds, or one number "
        f"for each of the {len(bounds.columns)} columns with bounds, parted by comma, semicolon or "
        f"tab: drop columns that have none, such as an index, a date, a name{lacks}"
    )


def _record(place: str, line: str, delimiter: str, width: int, decimal: str | None) -> list[float]:
    """The numbers of one line."""
    if not line.strip():
        raise ValueError(
            f"{place}: a blank line is a record without its number: write a public value there, or "
            "leave the line out, before"
        )
    cells = _cells(line, delimiter)
    if not cells:
        raise ValueError(
            f"{place}: each quotation mark of the table must be closed in its line, around a whole "
            "cell of at most 131072 characters"
        )
    if len(cells) != width:
        raise ValueError(f"{place}: each record of the table must have {width} cells")
    readings = [_values(cell, delimiter, decimal) for cell in cells]
    if not all(readings):
        raise ValueError(
            f"{place}: each cell of the table must be a finite number, no words, none missing: "
            "drop such columns, and replace what is missing by a public value, or leave out such "
            "records, before"
        )
    if any(len(values) > 1 for values in readings):
        raise ValueError(f"{place}: {UNCLEAR}")
    return [value for (value,) in readings]


def _values(cell: str, delimiter: str, decimal: str | None) -> list[float]:
    """The finite numbers that a cell could mean: none, one, or two.

    That hangs on the cell and on what is public, never on another record, which could else move
    this one. A point is taken for the mark of thousands only where semicolons part the cells.

    >>> _values("1.234,5", ";", None), _values("12,345", "\t", None), _values("12,345", "\t", ",")
    ([1234.5], [12345.0, 12.345], [12.345])
    """
    readings = [
        float(cell.replace(OTHER[mark], "").replace(mark, "."))
        for mark in ([decimal] if decimal else OTHER)
        if FORMS[mark].fullmatch(cell)
    ]
    readings = list(dict.fromkeys(filter(math.isfinite, readings)))
    return readings if delimiter == ";" or "," in cell else readings[:1]


def write(file: str | Path, columns: Sequence[str] | None, rows: np.ndarray) -> None:
    """Write a table as CSV, with a line of names or without; for examples and tests."""
    lines = [",".join(columns)] if columns else []
    lines += [",".join(f"{value:.17g}" for value in row) for row in np.atleast_2d(rows)]
    Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_bounds(
    file: str | Path, columns: Sequence[str], lower: Iterable[float], upper: Iterable[float]
) -> None:
    """Write public bounds as CSV."""
    rows = zip(columns, lower, upper, strict=True)
    lines = ["column,lower,upper", *(f"{name},{a:.17g},{b:.17g}" for name, a, b in rows)]
    Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
