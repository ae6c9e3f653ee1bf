"""What tells two samples apart: cells on every coordinate, and scores made from their counts.

A score is high where an output speaks for the first side and low where it speaks for the
second: a smoothed log-ratio of counts. Ding et al. (2018) count single events; Bichsel et al.
(2021) rank outputs by a learnt score, as here. Any score is valid, because a fresh sample
judges the event that it proposes.

Quantile cells alone dilute what is rarer than a cell. So the ends have cells of half the share,
down to 1/4096, what lies beyond a wide gap is apart from what lies before it, and a value that
comes again and again has its own cell, wherever it lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

RESOLUTIONS = (2, 4, 8, 16, 32, 64)  # quantile cells a coordinate, for values that are not few
ALL = 255  # the last resolution: all cells, those of rare outputs too
TAILS = 1 / 2 ** np.arange(7, 13)  # shares beyond the borders of the cells at either end
GAPS = 4  # the widest gaps between values have a border
ATOMS, REPEATS = 16, 8  # at most so many values, seen so often or more, have their own cells
SMOOTH = 0.5  # added to each count: a cell that nobody visited scores 0
ODD = np.uint64(0x9E3779B97F4A7C15)  # mixes the cells of several coordinates into one key
PLACING = 65_536  # at most so many finite values place the borders of the cells
INFINITE, MISSING = 254, 255  # coarse cells of infinity and of nan; minus infinity has 0


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of every coordinate: quantiles with finer ends, or all values where they are few.

    Cell 0 holds minus infinity; infinity and nan have the last two.

    Attributes
    ----------
    borders : for every coordinate, the left ends of its cells but the first
    quantile : for every coordinate, which quantile cell each finite cell lies in
    """

    borders: tuple[np.ndarray, ...]
    quantile: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, outputs: np.ndarray) -> Cells:
        """Cells fitted to outputs, shape (d, samples).

        >>> cells = Cells.of(np.array([[0.0, 0.0, 1.0, np.nan]]))
        >>> cells.codes(np.array([[-np.inf, 0.0, 1.0, np.inf, np.nan]])).tolist()
        [[0, 1, 2, 3, 4]]
        """
        return cls(*zip(*map(_borders, outputs), strict=True))

    def codes(self, outputs: np.ndarray) -> np.ndarray:
        """The cell of every output, small integers of the same shape (d, samples)."""
        codes = np.empty(outputs.shape, dtype=np.uint8)
        for row, border, column in zip(codes, self.borders, outputs, strict=True):
            row[:] = np.searchsorted(border, column, side="right")
        return codes

    def coarser(self, resolution: int) -> list[np.ndarray]:
        """For every coordinate, the table from its cells to ``resolution`` quantiles, or to all."""
        if resolution == ALL:
            return [_coarser(np.arange(len(cells)), ALL) for cells in self.quantile]
        return [_coarser(cells, resolution) for cells in self.quantile]

    def finest(self) -> int:
        """The largest number of finite cells on a coordinate."""
        return max(len(cells) for cells in self.quantile)


class Score:
    """A number for every output: the sum of log-ratios of the counts of its cells."""

    name = "sum of log-ratios"

    def __init__(self, ones: np.ndarray, zeros: np.ndarray):
        self.tables = [_table(*pair) for pair in zip(ones, zeros, strict=True)]

    def of(self, codes: np.ndarray) -> np.ndarray:
        """Scores of outputs given by their cells, shape (d, samples) -> (samples,)."""
        return sum(table[row] for table, row in zip(self.tables, codes, strict=True))


class Joint(Score):
    """The log-ratio of the counts of all coordinates' cells together."""

    def __init__(self, ones: np.ndarray, zeros: np.ndarray, coarser: list[np.ndarray]):
        self.coarser = coarser
        both = np.concatenate([_keys(ones, coarser), _keys(zeros, coarser)])
        self.keys, place = np.unique(both, return_inverse=True)
        self.name = f"joint histogram of {len(self.keys)} cells"
        self.tables = [_table(place[: ones.shape[1]], place[ones.shape[1] :])]

    def of(self, codes: np.ndarray) -> np.ndarray:
        """Scores of outputs; 0 where their joint cell was not seen before."""
        keys = _keys(codes, self.coarser)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.tables[0][place], 0.0)


def scores(cells: Cells, ones: np.ndarray, zeros: np.ndarray) -> Iterator[Score]:
    """Scores fitted to the cells of two samples, each (d, samples): the sum, then joint ones.

    Joint histograms get finer until a cell holds one output on average, or the cells are all
    there are.
    """
    if len(ones) > 1:  # else the finest joint histogram says the same
        yield Score(ones, zeros)
    for resolution in (*RESOLUTIONS, ALL):
        joint = Joint(ones, zeros, cells.coarser(resolution))
        yield joint
        if len(joint.keys) > ones.shape[1] or cells.finest() <= resolution:
            return


def _borders(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Left ends of one coordinate's cells, minus infinity's successor to nan; their quantiles."""
    finite = column[np.isfinite(column)]
    finite = np.sort(finite[:: 1 + len(finite) // PLACING])  # evenly from both sides
    first = np.flatnonzero(np.diff(finite, prepend=-np.inf))
    values, counts = finite[first], np.diff(first, append=len(finite))
    coarse = inner = values[1:]
    if len(values) > RESOLUTIONS[-1]:
        shares = np.arange(1, RESOLUTIONS[-1]) / RESOLUTIONS[-1]
        quantiles = _quantiles(finite, shares)
        coarse = _apart(quantiles, quantiles[1:][np.diff(quantiles) == 0])
        often = np.argsort(counts, kind="stable")[-ATOMS:]
        ends = _quantiles(finite, np.concatenate([TAILS, 1 - TAILS]))
        beyond = values[1:][np.argpartition(np.diff(values), -GAPS)[-GAPS:]]
        inner = np.concatenate([coarse, ends, beyond])
        inner = _apart(inner, values[often[counts[often] >= REPEATS]])
    borders = np.concatenate([[np.finfo(float).min], inner, [np.inf, np.nan]])
    return borders, np.searchsorted(coarse, borders[:-2], side="right")


def _quantiles(ordered: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The values with at most these shares of all below them."""
    return ordered[(shares * (len(ordered) - 1)).astype(int)]


def _apart(borders: np.ndarray, atoms: np.ndarray) -> np.ndarray:
    """Borders, and more of them that give every atom a cell of its own.

    >>> _apart(np.array([0.0, 1.0]), np.array([1.0])).round(9).tolist()
    [0.0, 1.0, 1.0]
    """
    return np.unique(np.concatenate([borders, atoms, np.nextafter(atoms, np.inf)]))


def _coarser(cells: np.ndarray, resolution: int) -> np.ndarray:
    """Table from finite cells, given by their quantiles, to coarser ones; neighbours are merged.

    >>> _coarser(np.array([0, 1, 2, 3, 3]), 2).tolist()
    [0, 1, 1, 2, 2, 2, 254, 255]
    """
    quantiles = int(cells[-1]) + 1
    merged = cells * min(resolution, quantiles) // quantiles + 1
    return np.concatenate([[0], merged, [INFINITE, MISSING]]).astype(np.uint64)


def _keys(codes: np.ndarray, coarser: list[np.ndarray]) -> np.ndarray:
    """One number for the coarse cells of all coordinates; that two meet is harmless and rare."""
    keys = np.zeros(codes.shape[1], dtype=np.uint64)
    for row, table in zip(codes, coarser, strict=True):
        keys *= ODD
        keys += table[row]
    return keys


def _table(ones: np.ndarray, zeros: np.ndarray) -> np.ndarray:
    """Smoothed log-ratio of the counts of every cell, one more than the largest in ``ones``.

    >>> _table(np.array([0, 0, 1]), np.array([0, 1, 1])).round(3).tolist()[:2]
    [0.511, -0.511]
    """
    size = 256 if ones.dtype == np.uint8 else int(max(ones.max(), zeros.max())) + 1
    positives, others = (np.bincount(side, minlength=size) + SMOOTH for side in (ones, zeros))
    return np.log(positives / others)
