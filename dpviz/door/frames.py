"""Private tables, public places and public bounds, from arrays and from frames: names are kept.

A frame is anything with named columns: of pandas, of polars, or with the interchange protocol
(``__dataframe__``). An array is anything that numpy reads. What a message says of private data is
the name of the argument or of a column, never a value, a row or a count.
"""

from __future__ import annotations

import ctypes
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.privacy import private_data
from dpviz.privacy.box import EDGE
from dpviz.privacy.pieces import Columns

Bounds: TypeAlias = Any  # pairs, a dict from column to pair, or a frame
Frame: TypeAlias = Any  # of pandas, polars or whoever speaks the interchange protocol
NUMBERS = {0: "i", 1: "u", 2: "f"}  # kinds of columns in the interchange protocol
TIDY = ("name", "lower", "upper")  # columns of a frame of bounds


@dataclass(frozen=True, eq=False)
class Table:
    """Private records as numbers, with the public names of their columns.

    Attributes
    ----------
    name : str, the argument they came in
    values : array (n, d), private
    columns : tuple (d,) of str, public
    named : bool, whether the names came with the records
    """

    name: str
    values: NDArray
    columns: tuple[str, ...]
    named: bool

    @property
    def n(self) -> int:
        """Number of records: public."""
        return len(self.values)

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.columns)

    def refuse_outside(self, lower: NDArray, upper: NDArray) -> None:
        """Raise ``ValueError`` if a record does not."""
        if ((self.values < lower) | (self.values > upper)).any():
            raise ValueError(f"{self.name} must lie within the bounds in every column")


@dataclass(frozen=True, eq=False)
class Size(Table):
    """How many records there will be, before there are any: what a promise can be asked of.

    Attributes
    ----------
    many : int >= 2, records
    values : None, or sums of so many records that somebody has added up

    >>> read = table("points", Size.of(10**12, 2))
    >>> read.n, read.d
    (1000000000000, 2)
    """

    many: int

    @classmethod
    def of(cls, n: int, d: int, values: Any = None) -> Size:
        """So many records with d columns."""
        return cls("records", values, tuple(f"column {i}" for i in range(d)), False, n)

    @property
    def n(self) -> int:
        """Number of records: public."""
        return self.many


def table(name: str, value: ArrayLike | Frame | Size) -> Table:
    """Private records, checked before anything is paid.

    Raises
    ------
    TypeError
        If they are no numbers (text, dates, complex), are masked, or can be read only once.
    ValueError
        If there are fewer than two records, a value is missing or infinite, or two columns share
        a name.

    >>> table("points", [[1, 2], [3, 4], [5, 6]]).columns
    ('column 0', 'column 1')
    >>> table("points", [[1.0, 2.0]])
    Traceback (most recent call last):
    ...
    ValueError: points must hold at least two records: with one there is nobody to hide among
    """
    if isinstance(value, Size):
        return value
    names, found = _named(name, value)
    values = np.asarray(found)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or not values.shape[1]:
        raise ValueError(f"{name} must have shape (n,) or (n, d): a row for each record")
    many(name, len(values))
    columns = names or tuple(f"column {i}" for i in range(values.shape[1]))
    return Table(name, values, columns, names is not None)


def names_of(name: str, value: Any) -> list[Hashable]:
    """Private names, one for each record, checked.

    Parameters
    ----------
    value : a list, an array, a series, or a frame of one column

    >>> names_of("names", np.array(["cat", "dog"]))
    ['cat', 'dog']
    """
    listed = labels_of(name, value)
    many(name, len(listed))
    return listed


def labels_of(name: str, value: Any) -> list[Hashable]:
    """As :func:`names_of`, of any number of records.

    >>> labels_of("names", ["cat"])
    ['cat']
    """
    _refuse_once(name, value)
    if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
        raise TypeError(f"{name} must be a list of names, one for each record")
    labels = _columns(value)
    if labels is not None and not _is_series(value):
        if len(labels) != 1:
            raise ValueError(f"{name} must be one column, not {len(labels)} of them")
        value = value[labels[0]]
    if checks.is_masked(value):
        raise TypeError(f"{name} must have no mask")
    array = np.asarray(value) if hasattr(value, "__array__") else None
    listed = list(value) if array is None else array.tolist()
    if array is not None and array.ndim != 1:
        raise ValueError(f"{name} must be one column: a name for each record")
    if not all(map(private_data.hashable, listed)):
        raise TypeError(f"{name} must be strings, numbers, or tuples of them")
    # A missing name is None, NaN or NaT: none equals itself or is a name.
    if any(label is None or label != label for label in listed):
        raise ValueError(f"{name} must hold no missing name")
    return listed


def many(name: str, n: int) -> None:
    """Refuse fewer than two records."""
    if n == 0:
        raise ValueError(f"{name} must hold records, but is empty")
    if n == 1:
        raise ValueError(
            f"{name} must hold at least two records: with one there is nobody to hide among"
        )


def places(
    name: str, value: Any, columns: tuple[str, ...], bounds: Mapping[str, Any] | None = None
) -> NDArray:
    """Public places in the unit of the data, array (k, d), or of any shape if d is 1.

    Parameters
    ----------
    value : an array, or a frame, whose columns are brought into order by their names
    bounds : pair by column, which the places must keep; None for places anywhere

    >>> places("queries", [[1, 2]], ("a", "b")).tolist()
    [[1.0, 2.0]]
    """
    _refuse_once(name, value)
    labels = _columns(value)
    if labels is not None and not _is_series(value):
        _same(name, labels, columns)
        values = np.column_stack([_numbers(f"{name}[{c!r}]", value[c]) for c in columns])
    else:
        values = checks.queries(name, value)
    values = checks.queries(name, values, len(columns))
    if bounds:
        low, high = np.transpose([bounds[label] for label in columns])
        rows = values.reshape(-1, len(columns))
        slack = EDGE * (high - low)
        for k, i in np.argwhere((rows < low - slack) | (rows > high + slack))[:1]:
            raise ValueError(
                f"{name} must lie in the box of the bounds, in the unit of the records: "
                f"{columns[i]!r} must be between {low[i]:g} and {high[i]:g}, not {rows[k, i]:g}"
            )
    return values


def box(
    bounds: Bounds, read: Any, *, outside: str = "clip"
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Lower and upper public bounds of a table's columns.

    Parameters
    ----------
    bounds : a pair (lower, upper) for all columns; one pair for each, in their order; a dict from
        column to pair; or a frame with the columns name, lower and upper
    read : Table, or a ``readings.Reading``; but for ``outside`` only its columns are used
    outside : "clip", or "refuse": then records outside of the bounds are an error, which tells
        that there are some

    Raises
    ------
    ValueError, TypeError
        If a bound is missing, there is one too many, or lower is not below upper.

    >>> box((0, 10), table("points", [[1, 2], [3, 4]]))
    ((0.0, 0.0), (10.0, 10.0))
    >>> box([(0, 5), (10, 0)], table("points", [[1, 2], [3, 4]]))
    Traceback (most recent call last):
    ...
    ValueError: bounds of 'column 1' must be a pair (lower, upper) with lower below upper, not 10, 0
    """
    if bounds is None:
        raise TypeError(
            "bounds must be given: what is known of each column without looking at the data"
        )
    pairs = _pairs(bounds, read)
    for label, (low, high) in zip(read.columns, pairs, strict=True):
        if not low < high:
            raise ValueError(
                f"bounds of {label!r} must be a pair (lower, upper) with lower below upper, "
                f"not {low:g}, {high:g}"
            )
    if checks.choice("outside", outside, private_data.OUTSIDE) == "refuse":
        read.refuse_outside(*pairs.T)
    return tuple(pairs[:, 0].tolist()), tuple(pairs[:, 1].tolist())


def lengths(
    name: str, value: ArrayLike | Mapping[str, float], bounds: Mapping[str, Any], *, least: float
) -> NDArray:
    """Public lengths in the unit of the data, one for each column or one for all; array (d,).

    Parameters
    ----------
    bounds : pair by column
    least : share of a side of the bounds; nothing shorter is admitted

    >>> lengths("width", {"b": 2, "a": 1}, {"a": (0, 9), "b": (0, 9)}, least=0.01).tolist()
    [1.0, 2.0]
    """
    if isinstance(value, Mapping):
        _same(name, tuple(value), tuple(bounds))
        value = [value[label] for label in bounds]
    array = checks.queries(name, value)
    if array.shape not in ((), (len(bounds),)):
        raise ValueError(f"{name} must be a number or {len(bounds)} of them, one for each column")
    array = np.broadcast_to(array, len(bounds))
    for length, (label, (low, high)) in zip(array, bounds.items(), strict=True):
        shortest = least * (high - low)
        if length < shortest * (1 - EDGE):
            raise ValueError(
                f"{name} must be at least {shortest:g} for {label!r}, {least:.0%} of a side of "
                f"the bounds, not {length:g}"
            )
    return array


def _pairs(bounds: Bounds, read: Any) -> NDArray:
    """Bounds as an array (d, 2) in the order of the columns."""
    labels = _columns(bounds)
    if labels is not None:
        if not set(TIDY) <= set(labels):
            raise ValueError(f"bounds, as a frame, must have the columns {', '.join(TIDY)}")
        rows = zip(*(np.asarray(bounds[key]).tolist() for key in TIDY), strict=True)
        bounds = {str(label): (low, high) for label, low, high in rows}
    if isinstance(bounds, Mapping):
        if not read.named:
            raise ValueError(
                f"bounds must be pairs in the order of the columns: {read.name} has no names"
            )
        _same("bounds", tuple(bounds), read.columns)
        bounds = [bounds[label] for label in read.columns]
    pairs = checks.queries("bounds", bounds)
    if pairs.shape == (2,):
        return np.tile(pairs, (read.d, 1))
    if pairs.shape != (read.d, 2):
        wanted = "a pair (lower, upper)"
        if read.d > 1:
            wanted = f"{wanted} or {read.d} of them, one for each column"
        raise ValueError(f"bounds must be {wanted}, not an array of shape {pairs.shape}")
    return pairs


def _same(name: str, labels: Sequence[str], columns: tuple[str, ...]) -> None:
    """Raise a ``ValueError`` that names the column which is missing or unknown."""
    for label in labels:
        if label not in columns:
            raise ValueError(f"{name} must be of the columns {list(columns)}: {label!r} is unknown")
    for label in columns:
        if label not in labels:
            raise ValueError(f"{name} must be given for every column: {label!r} is missing")


def _named(name: str, value: ArrayLike | Frame) -> tuple[tuple[str, ...] | None, NDArray | Columns]:
    """Names of the columns, if there are any, and the values, checked."""
    _refuse_once(name, value)
    labels = _columns(value)
    if labels is None:
        return None, _numbers(name, value)
    if _is_series(value):
        return labels, _numbers(name, value)
    if not labels:
        raise ValueError(f"{name} must have columns")
    parts = [_numbers(f"{name}[{label!r}]", part) for label, part in _parts(value, labels)]
    return tuple(map(str, labels)), parts[0][:, None] if len(parts) == 1 else Columns(parts)


def _refuse_once(name: str, value: object) -> None:
    """Refuse what has no order, and what cannot be read again after a refusal."""
    if hasattr(value, "__next__"):
        raise TypeError(
            f"{name} must be a list, an array or a frame, not a {type(value).__name__}: make a "
            "list of it, or see dpviz.pieces for records that do not fit into memory"
        )
    if value is None or isinstance(value, set | frozenset | Mapping):
        kind = type(value).__name__
        raise TypeError(f"{name} must be a list, an array or a frame, not a {kind}")


def _is_series(value: object) -> bool:
    """One column that knows its name."""
    return getattr(value, "ndim", None) == 1 or (
        hasattr(value, "name") and not hasattr(value, "columns")
    )


def _columns(value: object) -> tuple[Any, ...] | None:
    """Names of the columns of a frame, or the name of a series; None if there are none."""
    if isinstance(value, np.ndarray | Mapping | list | tuple):
        return None
    labels = getattr(value, "column_names", getattr(value, "columns", None))
    if labels is None or callable(labels):
        if hasattr(value, "__dataframe__"):
            return tuple(value.__dataframe__().column_names())
        label = getattr(value, "name", None) if hasattr(value, "__array__") else None
        return (label,) if isinstance(label, str) and label else None
    labels = tuple(labels)
    if len(set(labels)) < len(labels):
        raise ValueError("a frame must have one column of each name")
    return labels


def _parts(value: Frame, labels: tuple[Any, ...]) -> Iterable[tuple[Any, Any]]:
    """Each column by its name."""
    if hasattr(value, "__getitem__"):
        return ((label, value[label]) for label in labels)
    exchanged = value.__dataframe__()
    return ((label, _exchanged(exchanged.get_column_by_name(label))) for label in labels)


def _exchanged(part: Any) -> NDArray:
    """A column of numbers from the interchange protocol's buffers."""
    chunks = []
    for chunk in part.get_chunks():
        kind, bits, *_ = chunk.dtype
        if kind not in NUMBERS:
            return np.array(["no numbers"])
        if chunk.null_count:
            return np.array([np.nan])
        buffer, _ = chunk.get_buffers()["data"]
        block = (ctypes.c_char * buffer.bufsize).from_address(buffer.ptr)
        whole = np.frombuffer(block, dtype=f"{NUMBERS[kind]}{bits // 8}").copy()
        chunks.append(whole[chunk.offset : chunk.offset + chunk.size()])
    return np.concatenate(chunks)


def _numbers(name: str, value: object) -> NDArray:
    """Private numbers; messages show nothing of them."""
    if checks.is_masked(value):
        raise TypeError(f"{name} must be numbers without a mask: fill it first, by filled()")
    try:
        return private_data.finite(value, name)
    except TypeError:
        raise TypeError(
            f"{name} must be numbers: turn text, dates and categories into numbers first"
        ) from None
    except ValueError as problem:
        raise ValueError(f"{problem}; drop or fill what is missing first") from None
