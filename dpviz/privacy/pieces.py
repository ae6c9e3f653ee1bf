"""Sums over private records that are taken piece by piece: exact, so that no order shows in them.

Most mechanisms begin with a sum over the records. A module that does has a ``statistic(data,
params)``, which takes that sum over some of the records, and its ``release`` accepts
:class:`Sums` in the place of the records; records in an array are the case of one piece. Sums are
added up by :func:`merge`, two of them, or by :func:`gathered`, any number.

Whole numbers are added as such. Real numbers are kept as whole multiples of 2^-52
(:class:`Exact`), so that they too have one sum, whatever the order. Where each *record* is rounded
to such a multiple (:func:`column_sums`, :func:`cell_sums`), the sum is the same for every
division into pieces, too; where a piece has first been added up in floating point (a matrix
product), it is the same for the same pieces.

Sums are as private as the records: they show nothing when they are printed. They can be pickled,
because they travel between processes; what leaves goes through a curator.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpviz import checks

BITS = 52  # of the fraction of a real number
ONE = 1 << BITS
BY_CELL = ("counts", "inside")  # what `cell_sums` takes
NUMBERS = 1 << 16  # at a time: 512 kB
COUNT = 46  # bits of the places of 2^16 records, above which they are counted
LIFT = np.float64((1 << 52) + (1 << COUNT))  # a number that is added to it becomes whole


@dataclass(frozen=True, eq=False, repr=False)
class Exact:
    """Real numbers as whole multiples of 2^-52: added, they are never rounded.

    Attributes
    ----------
    whole, parts : int64 arrays of one shape, private; the value is whole + parts / 2^52 and
        0 <= parts < 2^52
    """

    whole: NDArray
    parts: NDArray

    @classmethod
    def of(cls, values: NDArray) -> Exact:
        """Floats of less than 2^62 in size, each rounded to the nearest multiple.

        >>> Exact.of(np.array([-0.25, 3.5])).value.tolist()
        [-0.25, 3.5]
        """
        floor = np.floor(values)
        return cls._carried(floor.astype(np.int64), _whole((values - floor) * ONE))

    @classmethod
    def _carried(cls, whole: NDArray, parts: NDArray) -> Exact:
        return cls(whole + (parts >> BITS), parts & (ONE - 1))

    @property
    def value(self) -> NDArray:
        """As floats, rounded once."""
        return self.whole + self.parts / ONE

    def __add__(self, other: Exact) -> Exact:
        return self._carried(self.whole + other.whole, self.parts + other.parts)


@dataclass(frozen=True, eq=False, repr=False)
class Few:
    """Counts that are 0 in most places.

    Attributes
    ----------
    places : int array (k,), different from each other; private
    counts : int64 array (k,), private; size : int, number of places
    """

    places: NDArray
    counts: NDArray
    size: int

    @property
    def value(self) -> NDArray:
        """All counts; int64 array (size,).

        >>> Few(np.array([2]), np.array([5]), 4).value.tolist()
        [0, 0, 5, 0]
        """
        return self.spread(np.int64)

    def spread(self, kind: type) -> NDArray:
        """All counts as numbers of a kind."""
        every: NDArray = np.zeros(self.size, dtype=kind)
        every[self.places] = self.counts
        return every


Total: TypeAlias = NDArray | Exact | Few  # int64, or real numbers


@dataclass(frozen=True, eq=False, repr=False)
class Sums:
    """What a mechanism needs of some of the records, added up; private.

    Attributes
    ----------
    totals : dict of int64 arrays, of :class:`Exact` or of :class:`Few`, by name

    >>> Sums(n=3, totals={"counts": np.array([1, 2])})
    Sums of private records
    """

    n: int
    totals: Mapping[str, Total]

    def __repr__(self) -> str:
        return "Sums of private records"

    def value(self, name: str, shape: tuple[int, ...]) -> NDArray:
        """One of the totals as floats, exact up to one rounding.

        Raises ``ValueError`` if these sums were taken for something else.

        >>> Sums(n=3, totals={"counts": np.array([1, 2])}).value("counts", (2,)).tolist()
        [1.0, 2.0]
        """
        total = self.totals.get(name)
        found: NDArray | None
        if isinstance(total, Few):  # of 10^7 buckets each array is 80 MB
            found = total.spread(float)
        else:
            found = total.value if isinstance(total, Exact) else total
        if found is None or found.shape != shape:
            raise ValueError("data must be sums that were taken with the same params")
        return found.astype(float, copy=found is total)


def merge(one: Sums, other: Sums) -> Sums:
    """The sums over the records of both; the order does not show.

    Raises ``ValueError`` if they are not sums of one kind.

    >>> a, b = (Sums(n=n, totals={"counts": np.array([n, 1])}) for n in (3, 4))
    >>> both = merge(a, b)
    >>> both.n, both.totals["counts"].tolist()
    (7, [7, 2])
    """
    return gathered([one, other])


def gathered(pieces: Iterable[Sums]) -> Sums:
    """The sums over the records of all pieces, each added in its turn; at least one piece.

    >>> gathered(Sums(n=1, totals={"x": Exact.of(np.array(0.1))}) for _ in range(10)).n
    10
    """
    running = Running()
    for piece in pieces:
        running.add(piece)
    if running.sums is None:
        raise ValueError("pieces must be at least one")
    return running.sums


class Running:
    """Sums that grow piece by piece; what is added stays as it was.

    >>> running = Running()
    >>> for n in (3, 4):
    ...     running.add(Sums(n=n, totals={"counts": np.array([n, 1])}))
    >>> running.sums.n, running.sums.totals["counts"].tolist()
    (7, [7, 2])
    """

    def __init__(self) -> None:
        self.sums: Sums | None = None
        self._own: dict[str, NDArray] = {}  # counts that were made here, and may be changed

    def add(self, piece: Sums) -> None:
        """Add the sums of one piece.

        Raises ``ValueError`` if they are of another kind.
        """
        if self.sums is None:
            self.sums = piece
            return
        old = self.sums.totals
        if _shapes(old) != _shapes(piece.totals):
            raise ValueError("pieces must be sums that were taken with the same params")
        totals = {name: self._added(name, old[name], more) for name, more in piece.totals.items()}
        self.sums = Sums(n=self.sums.n + piece.n, totals=totals)

    def _added(self, name: str, total: Total, more: Total) -> Total:
        if isinstance(total, Exact) and isinstance(more, Exact):
            return total + more
        if name not in self._own:
            self._own[name] = np.array(total) if isinstance(total, np.ndarray) else total.value
        counts = self._own[name]
        if isinstance(more, Few):
            counts[more.places] += more.counts
        else:
            counts += more
        return counts


class Columns:
    """Columns in arrays of their own, as frames hold them; rows are brought together when taken.

    So a table of a million rows, which no cache holds, is not made where blocks of it suffice.

    Parameters
    ----------
    columns : d arrays (n,), private

    >>> table = Columns([np.array([1, 2, 3]), np.array([4, 5, 6])])
    >>> table.shape, table[1:].tolist()
    ((3, 2), [[2, 5], [3, 6]])
    """

    ndim = 2

    def __init__(self, columns: Sequence[NDArray]):
        self._columns = columns
        self.shape = (len(columns[0]), len(columns))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | NDArray) -> NDArray:
        return np.array([column[rows] for column in self._columns]).T

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return self[:] if dtype is None else self[:].astype(dtype, copy=False)


def blocks_of(table: NDArray | Columns) -> Iterable[NDArray]:
    """The rows of an array (n, ...), so few at a time that what is made of them stays cached.

    >>> [len(block) for block in blocks_of(np.zeros((100_000, 1)))]
    [65536, 34464]
    """
    rows = max(1, NUMBERS // math.prod(table.shape[1:]))
    return (table[start : start + rows] for start in range(0, len(table), rows))


def column_sums(blocks: Iterable[NDArray], d: int) -> Exact:
    """Exact sum of each column, every number first rounded to a multiple of 2^-52.

    Parameters
    ----------
    blocks : arrays (m, d) of numbers in [-1, 1], private; best those of :func:`blocks_of`

    >>> column_sums([np.full((10, 1), 0.1)], 1).value.tolist()
    [1.0]
    """
    total = Exact.of(np.zeros(d))
    for some in chain.from_iterable(map(blocks_of, blocks)):
        # 2^10 numbers of at most 2^52 at a time: their sums fit into 63 bits.
        at = range(0, len(some), 1 << 10)
        if some.size and some.min() >= 0:  # the last bits of 1 + x are x, rounded
            units = np.add(some.T, 1.0, order="C").view(np.int64)
            lengths = np.diff([*at, len(some)])
            sums = np.add.reduceat(units, at, axis=1) - lengths * np.float64(1).view(np.int64)
        else:
            units = np.rint(np.multiply(some.T, float(ONE), order="C")).astype(np.int64)
            sums = np.add.reduceat(units, at, axis=1)
        total += Exact._carried((sums >> BITS).sum(axis=1), (sums & (ONE - 1)).sum(axis=1))
    return total


def cell_sums(blocks: Iterable[NDArray], d: int, cells: int) -> Sums:
    """Records in each of so many equal cells of each column, and the sum of their places there.

    Each number is first rounded to the nearest multiple of 2^-30 of a cell, or of 2^-45 where there
    are more than 2^15 cells. Where it is added to 2^52 + 2^46, so many of them are the last bits of
    the float, cell and place; the place, with a count of one above it, is then added into the cell
    as an integer, exactly.

    Parameters
    ----------
    blocks : arrays (m, d) of numbers in [0, 1], private; best those of :func:`blocks_of`
    cells : from 1 to 2^20

    Returns the Sums with "counts" and "inside" of shape (d, cells).

    >>> sums = cell_sums([np.array([[0.125], [1.0]])], 1, 2)
    >>> [sums.value(name, (1, 2)).tolist() for name in BY_CELL]
    [[[1.0, 1.0]], [[0.25, 1.0]]]
    """
    n = waiting = 0
    bins = cells + 1  # the last for the number 1 alone
    place = min(30, COUNT - cells.bit_length())  # bits of a place in a cell
    both, held, places = np.zeros((3, d * bins), dtype=np.int64)
    lift, scale = LIFT, float(cells << place)
    if cells & (cells - 1) == 0:  # scaled by a power of two, a sum has the same bits: a pass less
        lift, scale = LIFT / scale, 1.0
    first: Any = lift.view(np.int64) >> place  # what a number's bits are before its cell
    lifted = np.empty((0, 0))
    cell = np.empty((0, 0), dtype=np.int64)
    for some in chain.from_iterable(map(blocks_of, blocks)):
        if waiting + len(some) > NUMBERS:  # more would not fit into 63 bits
            _divide(both, held, places)
            waiting = 0
        if lifted.shape != some.shape:  # laid out as the block is
            lifted = np.empty_like(some, dtype=float)
            cell = np.empty_like(some, dtype=np.int64)
            if d > 1:
                first = np.empty_like(cell)
                first[:] = (lift.view(np.int64) >> place) - np.arange(d) * bins
        if scale == 1:
            np.add(some, lift, out=lifted)
        else:
            np.multiply(some, scale, out=lifted)
            lifted += lift
        bits = lifted.view(np.int64)
        np.subtract(np.right_shift(bits, place, out=cell), first, out=cell)
        bits &= 1 << COUNT | (1 << place) - 1
        np.add.at(both, cell.ravel("K"), bits.ravel("K"))
        n += len(some)
        waiting += len(some)
    _divide(both, held, places)
    counts, inside = held.reshape(d, bins), places.reshape(d, bins)
    counts[:, -2] += counts[:, -1]  # 1 is the end of the last cell
    inside[:, -2] += counts[:, -1] << place
    whole = inside[:, :-1] >> place
    parts = (inside[:, :-1] - (whole << place)) << (BITS - place)
    return Sums(n=n, totals={"counts": counts[:, :-1], "inside": Exact(whole, parts)})


def check_sums(data: Sums, n: int) -> None:
    """Raise ``ValueError`` unless there are n records.

    >>> check_sums(Sums(n=3, totals={}), 3)
    """
    checks.instance("data", data, Sums)
    if data.n != n:
        raise ValueError("data must be sums over all n records")


def _divide(both: NDArray, held: NDArray, places: NDArray) -> None:
    """Take counts and places apart, add them up and begin anew."""
    held += both >> COUNT
    places += both & ((1 << COUNT) - 1)
    both[:] = 0


def _whole(values: NDArray) -> NDArray:
    return np.rint(values).astype(np.int64)


def _shapes(totals: Mapping[str, Total]) -> dict[str, tuple]:
    """What two sums must share to be added."""
    shapes: dict[str, tuple] = {}
    for name, total in totals.items():
        if isinstance(total, Exact):
            shapes[name] = ("reals", total.whole.shape)
        else:
            shapes[name] = ("counts", (total.size,) if isinstance(total, Few) else total.shape)
    return shapes
