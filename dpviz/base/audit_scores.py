"""What tells two samples apart: cells on every coordinate, and scores made from their counts.

A score is high where an output speaks for the first side and low where it speaks for the
second: a smoothed log-ratio of counts. Ding et al. (2018) count single events; Bichsel et al.
(2021) rank outputs by a learnt score, as here. Any score is valid, because a fresh sample
judges the event that it proposes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

RESOLUTIONS = (2, 4, 8, 16, 32, 64)  # cells a coordinate, for values that are not few
SMOOTH = 0.5  # added to each count: a cell that nobody visited scores 0
ODD = np.uint64(0x9E3779B97F4A7C15)  # mixes the cells of several coordinates into one key
PLACING = 16_384  # at most so many finite values place the borders of the cells
INFINITE, MISSING = 254, 255  # coarse cells of infinity and of nan; minus infinity has 0


@dataclass(frozen=True, eq=False)
class Cells:
    """Left ends of the cells of every coordinate: quantiles, or all values where they are few.

    Cell 0 holds minus infinity; infinity and nan have the last two.
    """

    borders: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, outputs: np.ndarray) -> Cells:
        """Cells fitted to outputs, shape (d, samples).

        >>> cells = Cells.of(np.array([[0.0, 0.0, 1.0, np.nan]]))
        >>> cells.codes(np.array([[-np.inf, 0.0, 1.0, np.inf, np.nan]])).tolist()
        [[0, 1, 2, 3, 4]]
        """
        return cls(tuple(_borders(column) for column in outputs))

    def codes(self, outputs: np.ndarray) -> np.ndarray:
        """The cell of every output, small integers of the same shape (d, samples)."""
        codes = np.empty(outputs.shape, dtype=np.uint8)
        for row, border, column in zip(codes, self.borders, outputs, strict=True):
            row[:] = np.searchsorted(border, column, side="right")
        return codes

    def coarser(self, resolution: int) -> list[np.ndarray]:
        """For every coordinate, the table from its cells to at most ``resolution`` finite ones."""
        return [_coarser(len(border) - 2, resolution) for border in self.borders]

    def finest(self) -> int:
        """The largest number of finite cells on a coordinate."""
        return max(len(border) - 2 for border in self.borders)


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
    for resolution in RESOLUTIONS:
        joint = Joint(ones, zeros, cells.coarser(resolution))
        yield joint
        if len(joint.keys) > ones.shape[1] or cells.finest() <= resolution:
            return


def _borders(column: np.ndarray) -> np.ndarray:
    """Left ends of the cells of one coordinate, from minus infinity's successor to nan."""
    finite = column[np.isfinite(column)]
    finite = finite[:: 1 + len(finite) // PLACING]  # evenly from both sides
    inner = np.unique(finite)[1:]
    if len(inner) >= RESOLUTIONS[-1]:
        shares = np.arange(1, RESOLUTIONS[-1]) / RESOLUTIONS[-1]
        quantiles = np.quantile(finite, shares, method="lower")
        atoms = quantiles[1:][np.diff(quantiles) == 0]  # a cell of their own
        inner = np.unique(np.concatenate([quantiles, np.nextafter(atoms, np.inf)]))
    return np.concatenate([[np.finfo(float).min], inner, [np.inf, np.nan]])


def _coarser(finite: int, resolution: int) -> np.ndarray:
    """Table from cells to coarser ones: neighbours are merged if there are too many.

    >>> _coarser(4, 2).tolist()
    [0, 1, 1, 2, 2, 254, 255]
    """
    merged = np.arange(finite) * min(resolution, finite) // finite + 1
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
    hits, others = (np.bincount(side, minlength=size) + SMOOTH for side in (ones, zeros))
    return np.log(hits / others)
