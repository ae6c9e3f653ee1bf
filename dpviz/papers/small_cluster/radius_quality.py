"""GoodRadius's score L of a radius, and the quality function Q made of it.

**Paper.** Nissim, Stemmer and Vadhan (2016), section 3.1: the functions L and Q.

**Setting.** n points of a public grid (module ``public_grid``). A ball has a point of the
data as its centre and holds at most t of them.

**Idea.** The count of the heaviest ball is a bad score, because one record can be the only
centre that sees both halves of the data. Cap each count at t and average the t largest: then
one record moves the score by less than 2. Q is large where L is nearly t and was less just
before; it rises and then falls, and it moves by at most 1.

**Symbols.**

==============  ===============  ============================================  =============
paper           here             meaning                                       shape, unit
==============  ===============  ============================================  =============
S               ``points``       rows in grid steps (whole numbers), NaN rows  (n, d)
                                 are null: far from everything, and uncounted
B_i(r)          ``counts``       rows within r of row i, itself included       (n, M)
L(r, S)         ``score``        mean of the t largest counts, each capped     (M,), [0, t]
                                 at t; a step function of r
Q(r, S)         ``quality``      half the lesser of t - L(before r) and        (M,)
                                 L(r) - t + ``margin``
(none)          ``radius_grid``  the radii: squares 1/2, 3/4, 1, 3/2, 2, ...   grid steps
==============  ===============  ============================================  =============

**Departures.** (1) The paper says sensitivity 2; it is exactly 2 - 2/t, and 2 - 1/t where a record
may be null, so 2 is what the mechanisms pay for. Proof: replace row j. Every other count moves by
at most 1. If j is not among the new best t, the sum grows by at most t. If it is, its own count is
at most t and the others' sum grew by t - 1 at most, while the old sum of those others with j was at
least theirs + 1 (j sees itself; + 0 if j was null). (2) All of L at once: t L(r) is the number of
distances <= r among the t smallest of each column of the table "row i, its v-th nearest row",
because the t largest of the counts hold, level by level, min(t, number of rows with B_i >= v).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpviz import checks
from dpviz.papers.small_cluster.public_grid import lifted, squared_distances
from dpviz.privacy.exponential_mechanism import StepFunction

BLOCK = 256  # rows compared with so many others at a time: the table of distances stays in cache


def radius_grid(size: int, d: int) -> np.ndarray:
    """0 and radii whose squares are 1/2, 3/4, 1, 3/2, 2, ... steps, up to the cube's diagonal.

    Neighbouring radii are at most sqrt(3/2) = 1.225 apart.

    >>> (radius_grid(3, 1) ** 2).round(9).tolist()
    [0.0, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0]
    """
    top = d * (size - 1) ** 2
    squares = [2.0**k * m for k in range(-1, int(np.log2(top)) + 2) for m in (1.0, 1.5)]
    needed = int(np.searchsorted(squares, top)) + 1
    return np.sqrt([0.0, *squares[:needed]])


def score_breakpoints(points: np.ndarray, t: int) -> np.ndarray:
    """Breakpoints of the step function L(r), which is the number of them that are <= r, over t.

    Parameters
    ----------
    points : array (n, d) of whole numbers, NaN rows null; private
    t : int in [1, n]

    Returns an array (at most t * t,), sorted radii in grid steps.

    >>> breakpoints = score_breakpoints(np.array([[0.0], [1.0], [5.0]]), 2)
    >>> breakpoints.tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    alive = points[~np.isnan(points[:, 0])]
    blocks = [
        np.sort(squared_distances(alive[a : a + BLOCK], alive), axis=1)[:, :t]
        for a in range(0, len(alive), BLOCK)
    ]
    nearest = np.sort(np.concatenate(blocks or [np.empty((0, 1))]), axis=0)[:t]
    return np.sqrt(np.sort(nearest, axis=None))


def score_at(breakpoints: np.ndarray, t: int, radii: np.ndarray) -> np.ndarray:
    """L at given radii, from its breakpoints; 0 for negative radii.

    >>> score_at(np.array([0.0, 0.0, 1.0, 1.0]), 2, np.array([-1.0, 0.5, 1.0])).tolist()
    [0.0, 1.0, 2.0]
    """
    return np.searchsorted(breakpoints, radii, side="right") / t


def quality_function(scores: np.ndarray, t: int, margin: float) -> np.ndarray:
    """Q: quality of each radius of a grid, from L on it; sensitivity 1.

    Statements: NSV Section 3.1 (score); NSV Definition 4.1; NSV Definition 4.2.

    >>> quality_function(np.array([1.0, 2.0, 8.0, 8.0]), 8, 4).tolist()
    [-1.5, -1.0, 2.0, 0.0]
    """
    before = np.append(0.0, scores[:-1])
    return np.minimum(t - before, scores - t + margin) / 2


def quality_steps(breakpoints: np.ndarray, t: int, margin: float, candidates: int) -> StepFunction:
    """Q of the paper on the radii 0, 1/2, 1, 3/2 ... grid steps, with r / 2 before r.

    Statements: NSV Remark 4.4.
    L changes at its breakpoints only, so Q is constant on at most 2 t^2 + 1 intervals, however
    many radii there are: place i is r = i / 2, and a breakpoint b counts in L(r) from place 2 b
    on, in L(r / 2) from place 4 b on.

    Parameters
    ----------
    breakpoints : array of :func:`score_breakpoints`, private
    t : int >= 1; margin : float, as in :func:`quality_function`; candidates : int >= 1, radii

    >>> breakpoints = score_breakpoints(np.array([[0.0], [1.0], [5.0]]), 2)
    >>> steps = quality_steps(breakpoints, 2, 1.0, 2**40)
    >>> steps.starts.tolist(), steps.values.tolist()
    ([0, 2, 4], [0.0, 0.5, 0.0])
    """
    starts = np.unique(np.ceil(np.outer([2.0, 4.0], breakpoints)))
    starts = np.append(0.0, starts[(starts > 0) & (starts < candidates)])
    before, here = (score_at(breakpoints, t, starts / parts) for parts in (4, 2))
    quality = np.minimum(t - before, here - t + margin) / 2
    first = np.append(True, np.diff(quality) != 0)
    return StepFunction(starts[first], quality[first], candidates)


def score(points: np.ndarray, t: int, size: int) -> np.ndarray:
    """L at every radius of ``radius_grid``: pairs are counted once, and only as far as needed.

    Statements: NSV Section 3.1 (score).
    From some radius on, L is t, and pairs farther apart are not counted. A guess of that radius
    only saves time: it is raised until L there is t.

    Parameters
    ----------
    points : array (n, d) of whole numbers in [0, size), NaN rows null; private
    t : int in [1, n]; size : int, grid points on an axis

    Returns an array (M,).

    >>> score(np.array([[0.0], [1.0], [2.0]]), 2, 3).round(2).tolist()
    [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    """
    checks.integer("t", t, at_least=1, at_most=len(points))
    alive = points[~np.isnan(points[:, 0])]
    radii = radius_grid(size, points.shape[1])
    last = _likely_last_index(alive, t, radii)
    if len(alive):
        alive = alive[np.argsort(alive[:, alive.std(axis=0).argmax()])]
    while True:
        scores = mean_of_largest(_counts(alive, radii, last), t)
        if scores[-1] >= t or last == len(radii) - 1:
            return np.append(scores, np.full(len(radii) - len(scores), scores[-1]))
        last = min(len(radii) - 1, last + 4)


def _likely_last_index(points: np.ndarray, t: int, radii: np.ndarray) -> int:
    """Index of a radius at which L is probably t, from some of the rows.

    L is t once a share t / n of all rows have t rows near them. Among a few rows that share is
    uncertain, so three quarters of it decide: with a planted ball of t rows, one row too many
    would be a row outside, and its radius would take in nearly every pair.
    """
    if len(points) < t:
        return len(radii) - 1
    few = min(100, 25 + len(points) // 160)  # a guess may take no longer than it saves
    some = points[:: max(1, len(points) // few)]
    nearest = np.partition(squared_distances(some, points), t - 1, axis=1)[:, t - 1]
    enough = np.quantile(nearest, 0.75 * t / len(points), method="higher")
    return int(min(len(radii) - 1, np.searchsorted(radii, np.sqrt(enough)) + 1))


def _counts(points: np.ndarray, radii: np.ndarray, last: int) -> np.ndarray:
    """How many rows lie within each of the first radii of each row; (n, last + 1).

    Two blocks of rows whose bounding boxes are farther apart than the last radius hold no such
    pair and are passed over: sorted by a wide column, few pairs of blocks are left.
    """
    n = len(points)
    bins = last + 1
    tallies = np.zeros((n, bins + 1), dtype=np.int64)  # the last: too far
    left = lifted(points, -2.0)
    right = lifted(points, 1.0)
    right[:, -2:] = right[:, [-1, -2]]
    most = radii[last] ** 2 * (1 + 1e-12)
    for a, b in _near_blocks(points, most):
        table = left[a : a + BLOCK] @ right[b : b + BLOCK].T
        near = table <= most
        rows, columns = table.shape
        row, column = np.ogrid[:rows, :columns]
        if 2 * np.count_nonzero(near) > table.size:
            code = np.minimum(_radius_index(table), bins)
        else:  # to look at all pairs would take longer
            places = np.flatnonzero(near)
            row = places // columns
            column = places - row * columns
            code = _radius_index(table.ravel()[places])
        tallies[a : a + BLOCK] += _tally(row, code, rows, bins + 1)
        if a < b:
            tallies[b : b + BLOCK] += _tally(column, code, columns, bins + 1)
    return tallies[:, :bins].cumsum(axis=1)


def _near_blocks(points: np.ndarray, most: float) -> Iterator[tuple[int, int]]:
    """First rows of blocks a <= b whose bounding boxes are, squared, at most so far apart."""
    starts = np.arange(0, len(points), BLOCK)
    lows = np.minimum.reduceat(points, starts) if len(points) else points
    highs = np.maximum.reduceat(points, starts) if len(points) else points
    for i, a in enumerate(starts):
        gaps = np.maximum(0.0, np.maximum(lows[i:] - highs[i], lows[i] - highs[i:]))
        for b in starts[i:][(gaps**2).sum(axis=1) <= most]:
            yield int(a), int(b)


def _tally(row: np.ndarray, code: np.ndarray, rows: int, bins: int) -> np.ndarray:
    """How often each (row, code) occurs; (rows, bins)."""
    cells = row * bins + code
    return np.bincount(cells.ravel(), minlength=rows * bins).reshape(rows, bins)


def _radius_index(squares: np.ndarray) -> np.ndarray:
    """Index in ``radius_grid`` of the least radius whose square is >= a whole number.

    A double is an exponent followed by its leading digits, so its first bits, read as a whole
    number, count the steps 1, 1.5, 2, 3, 4, ...
    """
    index = squares.view(np.int64) - 1
    index >>= 51
    index -= (np.float64(0.5).view(np.int64) >> 51) - 2
    return np.maximum(index, 0, out=index)


def mean_of_largest(counted: np.ndarray, t: int) -> np.ndarray:
    """Mean of the t largest entries of each column, each capped at t; missing rows count 0.

    >>> mean_of_largest(np.array([[5, 1], [3, 3], [1, 0]]), 2).tolist()
    [2.0, 1.5]
    """
    capped = np.minimum(counted, t)
    if len(capped) > t:
        capped = np.partition(capped, len(capped) - t, axis=0)[len(capped) - t :]
    return capped.sum(axis=0) / t
