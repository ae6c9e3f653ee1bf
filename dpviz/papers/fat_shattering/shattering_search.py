"""Exact search for a fat-shattered set (Definition 3): blocks of queries that must split again.

**Paper.** Roth (2010), section 2.1, Definition 3; the search is not in the paper.

**Setting.** As in module ``dimension``: a finite class, and a distance gamma from the levels.

**Idea.** A point and a level split the queries into low, high and neither. d points need 2^d
blocks that are not empty. Raising a level enlarges the low side and shrinks the high one, so the
levels that split all blocks well enough form a run, and the run only shrinks as blocks are split:
a point whose run is empty is never looked at again.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
gamma        ``gamma``              distance from the levels                      (0, 1/2]
r_i          ``splits[i][c][0]``    the c-th level of point i                     [0, 1]
b            ``blocks``             queries that show each pattern so far         2^d bit sets
(none)       ``need``               queries that must stay on each side           count
===========  =====================  ============================================  ============

**Departures.** The paper says nothing of how a dimension is found.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

ROUNDING = 1e-12
SMALLEST = int.bit_count  # small blocks come first: they rule most levels out

Split = list[tuple[float, int, int]]
Run = tuple[int, int, int]  # a point, its first level and the end of its levels
Chosen = tuple[tuple[int, int], ...]  # points, each with the index of its level


class Exhausted(Exception):
    """The search used up its nodes."""


class Search:
    """Depth-first over points in ascending order; blocks are integers read as bits.

    >>> columns = np.array([[0, 1, 0, 1], [0, 0, 1, 1]])
    >>> Search([candidates(column, 0.5) for column in columns], limit=9).start(k=4, size=2)
    ((0, 0), (1, 0))
    """

    def __init__(self, splits: Sequence[Split], limit: int):
        self._splits, self._limit, self.nodes = splits, limit, 0

    def start(self, k: int, size: int) -> Chosen | None:
        """``size`` pairs (point, index of its level) that shatter all k queries, or None."""
        runs = [(point, 0, len(split)) for point, split in enumerate(self._splits)]
        blocks = ((1 << k) - 1,)
        return self._find(size, blocks, self._runs(runs, blocks, size))

    def _find(self, size: int, blocks: Sequence[int], runs: list[Run]) -> Chosen | None:
        """``size`` more pairs that split every block each time; ``runs`` are all that can."""
        if size == 1 and runs:
            return ((runs[0][0], runs[0][1]),)
        for i, (point, start, stop) in enumerate(runs[: len(runs) - size + 1]):
            for c in from_the_middle(start, stop):
                self._count()
                _, low, high = self._splits[point][c]
                finer = sorted([b & low for b in blocks] + [b & high for b in blocks], key=SMALLEST)
                rest = self._find(size - 1, finer, self._runs(runs[i + 1 :], finer, size - 1))
                if rest is not None:
                    return ((point, c), *rest)
        return None

    def _runs(self, runs: list[Run], blocks: Sequence[int], size: int) -> list[Run]:
        """The runs as they are for these blocks: each side of each split must keep
        2^(size - 1) queries of each block. None at all if fewer than ``size`` points remain."""
        kept: list[Run] = []
        for i, (point, *levels) in enumerate(runs):
            if len(kept) + len(runs) - i < size:
                return []
            span = tuple(levels)
            for block in blocks:
                span = narrowed(self._splits[point], block, 1 << (size - 1), *span)
                if span[0] >= span[1]:
                    break
            else:
                kept.append((point, *span))
        return kept if len(kept) >= size else []

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > self._limit:
            raise Exhausted


def candidates(column: np.ndarray, gamma: float) -> Split:
    """The levels of one point that matter: (level, low set, high set), sets as bits of an int.

    A level between two values has the low set of the value below it; moving it down to that
    value plus gamma can only enlarge the high set. Of levels with the same high set the last
    has the largest low set. From first to last low sets grow and high sets shrink.

    >>> candidates(np.array([0.0, 0.25, 1.0]), 0.25)
    [(0.5, 3, 4)]
    """
    found: Split = []
    for value in np.unique(column):
        high = bits(column >= value + 2 * gamma - ROUNDING)
        if not high:
            break
        if found and found[-1][2] == high:
            found.pop()
        found.append((float(value) + gamma, bits(column <= value), high))
    return found


def bits(flags: np.ndarray) -> int:
    """Flags as the bits of one integer.

    >>> bits(np.array([True, False, True]))
    5
    """
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def narrowed(split: Split, block: int, need: int, start: int, stop: int) -> tuple[int, int]:
    """The part of [start, stop) whose levels leave ``need`` queries of a block on both sides.

    >>> narrowed(candidates(np.array([0.0, 0.2, 0.6, 0.8, 1.0]), 0.1), 0b11111, 2, 0, 4)
    (1, 3)
    """
    start = bisect_left(split, need, start, stop, key=lambda s: (block & s[1]).bit_count())
    stop = bisect_right(split, -need, start, stop, key=lambda s: -(block & s[2]).bit_count())
    return start, stop


def from_the_middle(start: int, stop: int) -> list[int]:
    """The whole numbers of [start, stop), those in the middle first.

    >>> from_the_middle(0, 5)
    [2, 1, 3, 0, 4]
    """
    return sorted(range(start, stop), key=lambda c: abs(2 * c - (start + stop - 1)))
