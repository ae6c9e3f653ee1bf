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

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpviz import checks

BITS = 52  # of the fraction of a real number
ONE = 1 << BITS
BY_CELL = ("counts", "inside")  # what `cell_sums` takes
RECORDS = 1 << 14  # at a time, in `cell_sums`: sums of their places stay exact in a float
SPLIT, SHARED = 23, 38  # high bits of a place, and where the count begins in their sum
BLOCK = 1 << 14  # records at a time, in `column_sums`


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
    counts : int64 array (k,), private
    size : int, number of places
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
        every = np.zeros(self.size, dtype=np.int64)
        every[self.places] = self.counts
        return every


Total: TypeAlias = NDArray | Exact | Few  # int64, or real numbers


@dataclass(frozen=True, eq=False, repr=False)
class Sums:
    """What a mechanism needs of some of the records, added up; private.

    Attributes
    ----------
    n : int, how many records
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
        found = total if total is None or isinstance(total, np.ndarray) else total.value
        if found is None or found.shape != shape:
            raise ValueError("data must be sums that were taken with the same params")
        return found.astype(float)


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


def column_sums(units: NDArray) -> Exact:
    """Exact sum of each column, every number first rounded to a multiple of 2^-52.

    Parameters
    ----------
    units : array (n, d) of numbers in [-1, 1], private

    >>> column_sums(np.full((10, 1), 0.1)).value.tolist()
    [1.0]
    """
    high = np.zeros(units.shape[1], dtype=np.int64)
    low = np.zeros(units.shape[1], dtype=np.int64)
    for start in range(0, len(units), BLOCK):
        scaled = units[start : start + BLOCK] * float(1 << 26)
        floor = np.floor(scaled)
        high += floor.sum(axis=0).astype(np.int64)  # below 2^42: exact
        scaled -= floor
        scaled *= 1 << 26
        low += np.rint(scaled, out=scaled).sum(axis=0).astype(np.int64)
    return _joined(high, low, 26)


def cell_sums(blocks: Iterable[NDArray], d: int, cells: int) -> Sums:
    """Records in each of so many equal cells of each column, and the sum of their places there.

    Each place, from 0 to 1 within its cell, is first rounded to a multiple of 2^-52.

    Parameters
    ----------
    blocks : arrays (m, d) of numbers in [0, 1], private

    Returns
    -------
    Sums with "counts" and "inside" of shape (d, cells)

    >>> sums = cell_sums([np.array([[0.125], [1.0]])], 1, 2)
    >>> [sums.value(name, (1, 2)).tolist() for name in BY_CELL]
    [[[1.0, 1.0]], [[0.25, 1.0]]]
    """
    n = 0
    size = d * cells
    counts, high, low = (np.zeros(size, dtype=np.int64) for _ in range(3))
    first = np.tile(np.arange(d) * cells, RECORDS)
    for block in blocks:
        n += len(block)
        for start in range(0, len(block), RECORDS):
            places = block[start : start + RECORDS].ravel() * cells
            cell = places.astype(np.intp)
            np.minimum(cell, cells - 1, out=cell)
            places -= cell
            cell += first[: cell.size]
            places *= 1 << SPLIT
            above = np.floor(places)
            places -= above
            places *= 1 << (BITS - SPLIT)
            # The count shares a float with the high bits; both sums stay below 2^53: exact.
            above += float(1 << SHARED)
            packed = np.bincount(cell, above, minlength=size).astype(np.int64)
            counts += packed >> SHARED
            packed &= (1 << SHARED) - 1
            high += packed
            low += np.bincount(cell, np.rint(places, out=places), minlength=size).astype(np.int64)
    inside = _joined(high.reshape(d, cells), low.reshape(d, cells), SPLIT)
    return Sums(n=n, totals={"counts": counts.reshape(d, cells), "inside": inside})


def check_sums(data: Sums, n: int) -> None:
    """Raise ``ValueError`` unless there are n records.

    >>> check_sums(Sums(n=3, totals={}), 3)
    """
    checks.instance("data", data, Sums)
    if data.n != n:
        raise ValueError("data must be sums over all n records")


def _joined(high: NDArray, low: NDArray, split: int) -> Exact:
    """high / 2^split + low / 2^52."""
    below = high & ((1 << split) - 1)
    return Exact._carried(high >> split, (below << (BITS - split)) + low)


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
