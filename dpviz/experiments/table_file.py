"""A private table from a CSV file, and its public bounds from another; no message shows a value.

Public here are the number of records n, the columns' names and their number, and how the file is
written. Neighbours replace one record. A refusal names a rule that the file breaks; it says no
value, no line and no count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpviz.privacy.private_data import unit_points

DELIMITERS = (";", "\t", ",")


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


def read_bounds(file: str | Path) -> Bounds:
    """Public bounds: one line for each column, "name, lower, upper"; a first line of words may say
    so.

    Raises
    ------
    ValueError
        If there is no such file, or a line is no name and two numbers, or not lower < upper, or
        a name comes twice. These values are public and shown.
    """
    lines = _lines(file, "bounds")
    delimiter = max(DELIMITERS, key=lines[0].count)
    found = [[cell.strip() for cell in row] for row in _cells(lines, delimiter)]
    if len(found[0]) == 3 and _number(found[0][1], delimiter) is None:
        found = found[1:]
    names, numbers = [row[0] for row in found], []
    for row in found:
        pair = [_number(cell, delimiter) for cell in row[1:]]
        if len(pair) != 2 or None in pair or not pair[0] < pair[1]:
            raise ValueError(
                f"each line of the bounds must be a name and two numbers, lower < upper, not {row}"
            )
        numbers.append(pair)
    if not names or len(set(names)) < len(names):
        raise ValueError("the bounds must name at least one column, and each only once")
    lower, upper = np.array(numbers).T
    return Bounds(tuple(names), lower, upper)


def read(file: str | Path, bounds: Bounds) -> Table:
    """A private table: records in lines, cells parted by comma, semicolon or tab.

    A first line of names chooses the columns by their names; without one the columns are those of
    the bounds, in their order. After a semicolon or tab a comma is a decimal comma. Values outside
    of the bounds are clipped, and not counted.

    Raises
    ------
    ValueError
        If the file breaks one of these rules, has words or empty cells among its numbers, or no
        record. The message says nothing of any record.
    """
    lines = _lines(file, "table")
    delimiter, columns = _header(lines[0], bounds)
    body = lines[1:] if columns else lines
    columns = columns or bounds.columns
    rows = _cells(body, delimiter)
    if not rows:
        raise ValueError("the table must have at least one record below its line of names")
    if any(len(row) != len(columns) for row in rows):
        raise ValueError(f"each record of the table must have {len(columns)} cells")
    values = [[_number(cell, delimiter) for cell in row] for row in rows]
    if any(value is None for row in values for value in row):
        raise ValueError(
            "each cell of the table must be a number: no words, none missing. Drop such columns; "
            "replace what is missing by a public value, or leave out such records, before. If the "
            "numbers have decimal commas, semicolons or tabs must part the cells"
        )
    at = [bounds.columns.index(name) for name in columns]
    table = np.array(values, dtype=float)
    return Table(columns, unit_points(table, bounds.lower[at], bounds.upper[at]))


def _lines(file: str | Path, what: str) -> list[str]:
    """The lines that are not empty."""
    problem = ""
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        problem = f"the {what} must be text in UTF-8; save it so"
    except OSError as error:
        problem = f"the {what} cannot be read: {error.strerror}"
    if problem:
        raise ValueError(problem)
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise ValueError(f"the {what} must not be empty")
    return lines


def _cells(lines: list[str], delimiter: str) -> list[list[str]]:
    """The cells of each line."""
    import csv

    return list(csv.reader(lines, delimiter=delimiter))


def _header(first: str, bounds: Bounds) -> tuple[str, tuple[str, ...]]:
    """Delimiter, and the names if the first line has them."""
    cells = {mark: [c.strip() for c in _cells([first], mark)[0]] for mark in DELIMITERS}
    for mark, names in cells.items():
        if set(names) <= set(bounds.columns):
            if len(set(names)) < len(names):
                raise ValueError("the table must name each column only once")
            return mark, tuple(names)
    for mark, found in cells.items():
        numbers = [_number(cell, mark) for cell in found]
        if len(found) == len(bounds.columns) and None not in numbers:
            return mark, ()
    raise ValueError(
        "the first line of the table must hold names that all have bounds, or one number for each "
        f"of the {len(bounds.columns)} columns with bounds; parted by comma, semicolon or tab. "
        "Give bounds to every column, and drop those that have none: an index, a date, a name"
    )


def _number(cell: str, delimiter: str) -> float | None:
    """A finite number, or None."""
    text = cell.strip()
    if delimiter != "," and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def write(file: str | Path, columns: Sequence[str] | None, rows: np.ndarray) -> None:
    """Write a table as CSV, with a line of names or without; for examples and tests."""
    lines = [",".join(columns)] if columns else []
    lines += [",".join(f"{value:.17g}" for value in row) for row in np.atleast_2d(rows)]
    Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_bounds(
    file: str | Path, columns: Sequence[str], lower: Sequence[float], upper: Sequence[float]
) -> None:
    """Write public bounds as CSV."""
    rows = zip(columns, lower, upper, strict=True)
    lines = ["column,lower,upper", *(f"{name},{a:.17g},{b:.17g}" for name, a, b in rows)]
    Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
