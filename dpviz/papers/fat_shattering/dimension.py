"""Fat-shattering dimension (Definition 3): exact search with a certificate; linear programs.

**Paper.** Roth (2010), section 2.1, Definition 3 and Observation 1.

**Setting.** A finite class of queries with values in [0, 1]. Points are gamma-shattered if for
every pattern of "high" and "low" on them some query is at least gamma above a level of each
point where the pattern says high, and gamma below it where it says low. An infinite class is given
as a polytope of queries (`dpviz.papers.fat_shattering.classes.Polytope`).

**Idea.** Shattered sets of 1, 2, 3, ... points are looked for until there is none. A point and a
level split the queries into low, high and neither, and d points need 2^d blocks of queries that are
not empty. Raising a level enlarges the low side and shrinks the high one, so the levels that split
all blocks well enough form a run, and the run only shrinks as blocks are split: a point whose run
is empty is never looked at again. What is found comes with a certificate that anyone can check:
points, levels, and for each pattern the query that shows it. In a polytope every pattern may use a
query of its own, so 2^d copies of the polytope, the levels and gamma itself are the unknowns of one
linear program; its value is the largest gamma at which given points are shattered.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
gamma        ``gamma``              distance from the levels                      (0, 1/2]
S            ``points``             the shattered points                          (d,) indices
r            ``witness``            their levels                                  (d,)
b, q_b       ``rows``               the query that shows pattern b                (2^d,) indices
FSD, d       ``d``                  size of the largest shattered set             count
r_i          ``splits[i][c][0]``    the c-th level of point i                     [0, 1]
(none)       ``blocks``             queries that show each pattern so far         2^d bit sets
(none)       ``need``               queries that must stay on each side           count
C            ``polytope``           all q in [0, 1]^cells, matrix @ q <= limits   class
gamma        ``largest_gamma``      the largest, for given points of a polytope   [0, 1/2]
===========  =====================  ============================================  ============

**Departures.** The paper says nothing of how a dimension is found. (1) Levels lie in [gamma,
1 - gamma] of themselves: some query is high and some is low. (2) For queries with values 0 and 1
the dimension is that of Vapnik and Chervonenkis at every gamma up to 1/2, not only at 1/2.
(3) Comparisons allow 1e-12: without it the values 0.1 and 0.3 are not 0.2 apart.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.fat_shattering.classes import Polytope, unit_queries

ROUNDING = 1e-12
MOST_POINTS = 8  # 2^8 copies of a polytope
SMALLEST = int.bit_count  # small blocks come first: they rule most levels out

Split = list[tuple[float, int, int]]
Run = tuple[int, int, int]  # a point, its first level and the end of its levels
Chosen = tuple[tuple[int, int], ...]  # points, each with the index of its level


@dataclass(frozen=True, eq=False)
class Shattering:
    """A shattered set and its certificate.

    Attributes
    ----------
    gamma : float; points : int array (d,), ascending; witness : array (d,), the level of each point
    rows : int array (2^d,); query ``rows[b]`` is high at point j exactly if bit j of b is set
    exact : whether no larger set is shattered; False if the search was cut short
    nodes : how many splits were tried
    """

    gamma: float
    points: np.ndarray
    witness: np.ndarray
    rows: np.ndarray
    exact: bool
    nodes: int

    @property
    def d(self) -> int:
        """Number of points."""
        return len(self.points)


def shatter(queries: ArrayLike, gamma: float, *, nodes: int = 3_000_000) -> Shattering:
    """A largest gamma-shattered set of a finite class.

    Subsets of shattered sets are shattered, so the first size without one is the end. In the
    worst case quasi-polynomial: (cells k)^(log2 k) splits.
    Statements: R10 Definition 3; R10 Section 2.1 (VC dimension); R10 Observation 1.

    Parameters
    ----------
    queries : array (k, cells) in [0, 1], public; gamma : float in (0, 1/2]
    nodes : int, after so many splits the best so far is returned, with ``exact`` False

    Raises ValueError or TypeError if a coefficient leaves [0, 1], the class is empty or gamma is
    out of range.

    >>> found = shatter([[0, 0], [0, 1], [1, 0], [1, 1]], 0.5)
    >>> found.d, found.witness.tolist(), found.rows.tolist(), found.exact
    (2, [0.5, 0.5], [0, 2, 1, 3], True)
    """
    table, gamma = unit_queries(queries), margin(gamma)
    checks.integer("nodes", nodes, at_least=1)
    distinct = np.unique(table, axis=0)
    splits = [candidates(column, gamma) for column in distinct.T]
    search = Search(splits, nodes)
    best = ()
    exact = True
    try:
        for size in range(1, len(distinct).bit_length()):
            subset = search.start(len(distinct), size)
            if subset is None:
                break
            best = subset
    except Exhausted:
        exact = False
    return _certificate(table, gamma, splits, best, exact, search.nodes)


def is_shattered(queries: ArrayLike, found: Shattering) -> bool:
    """Check a certificate: every pattern, at every point, on the right side of its level.

    >>> found = shatter([[0.0], [1.0]], 0.5)
    >>> is_shattered([[0.0], [1.0]], found), is_shattered([[0.0], [0.9]], found)
    (True, False)
    """
    values = unit_queries(queries)[np.ix_(found.rows, found.points)] - found.witness
    high = patterns(found.d)
    apart = np.where(high, values, -values)
    return bool((apart >= found.gamma - ROUNDING).all())


def patterns(d: int) -> np.ndarray:
    """All patterns on d points as a bool array (2^d, d): bit j of the row's number.

    >>> patterns(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return (np.arange(2**d)[:, None] >> np.arange(d) & 1).astype(bool)


def margin(gamma: float) -> float:
    """The distance from the levels, checked."""
    return checks.number("gamma", gamma, above=0, at_most=0.5)


def _certificate(
    table: np.ndarray,
    gamma: float,
    splits: Sequence[Split],
    chosen: Chosen,
    exact: bool,
    nodes: int,
) -> Shattering:
    """Points, levels, and for each pattern the first query that shows it."""
    points = np.array([point for point, _ in chosen], dtype=int)
    witness = np.array([splits[point][c][0] for point, c in chosen])
    rows = _realise(table[:, points] - witness, gamma)
    return Shattering(gamma, points, witness, rows, exact, nodes)


def _realise(above: np.ndarray, gamma: float) -> np.ndarray:
    """First row that shows each pattern; ``above`` (k, d) is how far values lie above the levels.

    Raises ``ValueError`` if a pattern is shown by no row.
    """
    d = above.shape[1]
    clear = (np.abs(above) >= gamma - ROUNDING).all(axis=1)
    patterns = np.where(clear, (above > 0) @ (1 << np.arange(d)), -1)
    numbers, first = np.unique(patterns, return_index=True)
    clear_rows = numbers >= 0
    if clear_rows.sum() != 2**d:
        raise ValueError("the class does not shatter these points with these levels")
    return first[clear_rows]


class Exhausted(Exception):
    """The search used up its nodes."""


class Search:
    """Depth-first over points in ascending order; blocks are integers read as bits.

    >>> columns = np.array([[0, 1, 0, 1], [0, 0, 1, 1]])
    >>> Search([candidates(column, 0.5) for column in columns], limit=9).start(k=4, size=2)
    ((0, 0), (1, 0))
    """

    def __init__(self, splits: Sequence[Split], limit: int):
        self._splits = splits
        self._limit = limit
        self.nodes = 0

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
            for c in _from_the_middle(start, stop):
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
        clear: list[Run] = []
        for i, (point, *levels) in enumerate(runs):
            if len(clear) + len(runs) - i < size:
                return []
            span = tuple(levels)
            for block in blocks:
                span = _narrowed(self._splits[point], block, 1 << (size - 1), *span)
                if span[0] >= span[1]:
                    break
            else:
                clear.append((point, *span))
        return clear if len(clear) >= size else []

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
    splits: Split = []
    for value in np.unique(column):
        high = _bits(column >= value + 2 * gamma - ROUNDING)
        if not high:
            break
        if splits and splits[-1][2] == high:
            splits.pop()
        splits.append((float(value) + gamma, _bits(column <= value), high))
    return splits


def _bits(flags: np.ndarray) -> int:
    """Flags as the bits of one integer."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _narrowed(split: Split, block: int, need: int, start: int, stop: int) -> tuple[int, int]:
    """The part of [start, stop) whose levels leave ``need`` queries of a block on both sides."""
    start = bisect_left(split, need, start, stop, key=lambda s: (block & s[1]).bit_count())
    stop = bisect_right(split, -need, start, stop, key=lambda s: -(block & s[2]).bit_count())
    return start, stop


def _from_the_middle(start: int, stop: int) -> list[int]:
    """The whole numbers of [start, stop), those in the middle first."""
    return sorted(range(start, stop), key=lambda c: abs(2 * c - (start + stop - 1)))


def _largest_gamma(polytope: Polytope, points: Sequence[int]) -> float:
    """The largest gamma at which a polytope of queries shatters these points.

    Parameters
    ----------
    points : distinct cells, at most 8

    Raises ValueError if the points are no distinct cells.
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_diag, csr_array, hstack, vstack

    matrix = polytope.matrix
    limits = polytope.limits
    cells = polytope.cells
    points = _points(points, cells)
    d = len(points)
    signs = np.where(patterns(d), 1.0, -1.0)
    inside = hstack(
        [block_diag([csr_array(matrix)] * 2**d), csr_array((len(limits) * 2**d, d + 1))]
    )
    apart = np.zeros((2**d * d, 2**d * cells + d + 1))  # gamma - sign (q_b(i_j) - r_j) <= 0
    b, j = np.divmod(np.arange(2**d * d), d)
    place = np.arange(2**d * d)
    apart[place, b * cells + np.array(points)[j]] = -signs[b, j]
    apart[place, 2**d * cells + j] = signs[b, j]
    apart[:, -1] = 1
    goal = np.zeros(apart.shape[1])
    goal[-1] = -1
    room = np.concatenate([np.tile(limits, 2**d), np.zeros(len(apart))])
    box = [(0, 1)] * (len(goal) - 1) + [(None, 0.5)]
    solution = linprog(goal, A_ub=vstack([inside, csr_array(apart)]), b_ub=room, bounds=box)
    return float(solution.x[-1])


def polytope_dimension(polytope: Polytope, gamma: float) -> int:
    """The gamma-fat-shattering dimension of all queries of a polytope, by linear programs.

    Statements: R10 Definition 3.

    >>> from dpviz.papers.fat_shattering.classes import monotone_polytope
    >>> polytope_dimension(monotone_polytope(3), 0.25)
    2
    """
    gamma = margin(gamma)
    cells = polytope.cells
    checks.integer("cells", cells, at_least=1, at_most=MOST_POINTS)
    kept = [()]
    for size in range(1, cells + 1):
        tried = (c for c in itertools.combinations(range(cells), size) if c[:-1] in set(kept))
        larger = [c for c in tried if _largest_gamma(polytope, c) >= gamma - 1e3 * ROUNDING]
        if not larger:
            return size - 1
        kept = larger
    return cells


def _points(points: Sequence[int], cells: int) -> tuple[int, ...]:
    chosen = tuple(checks.integer("points", p, at_least=0, at_most=cells - 1) for p in points)
    if not 0 < len(chosen) == len(set(chosen)) <= MOST_POINTS:
        raise ValueError(f"points must be 1 to {MOST_POINTS} distinct cells, not {points!r}")
    return chosen
