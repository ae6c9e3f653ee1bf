"""1-cluster problem (Definition 1.2) by passes over records that do not fit: each step is a sum.

**Paper.** Nissim, Stemmer and Vadhan (2016); the solver is that of module ``one_cluster``.

**Setting.** As there, but the n records come in pieces, which can be read again and again.

**Idea.** Step 1 looks at a public sample. All other steps ask for sums over the records: counts of
the boxes of shifted grids, of one grid's boxes, offsets in a ball, counts by distance. So each is a
pass over the pieces, and what is chosen is public before the next pass begins.

**Symbols.** As in ``one_cluster``; besides:

==============  ================  ============================================  =============
usual           here              meaning                                       shape, unit
==============  ================  ============================================  =============
(none)          ``BOXES``         boxes of a grid at most                       count
(none)          ``TABLE``         boxes of all grids of one pass at most        count
==============  ================  ============================================  =============

**Departures.** (1) A grid of more than ``BOXES`` boxes is not laid: which sides of boxes remain is
public once z is. If none does, no box is found. Where all remain, each choice is made from the very
scores that ``one_cluster`` has. (2) The noise of boxes is drawn in the order of their numbers, not
in that of their first rows, so a ball of the same law is found, not with the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.papers.small_cluster import one_cluster
from dpviz.papers.small_cluster.one_cluster import STEPS, Params, Release, answer, error_bound
from dpviz.papers.small_cluster.public_grid import FAR, grid_points
from dpviz.privacy.additive_noise import ball_sums
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import Few, Sums

__all__ = ["Params", "Release", "answer", "error_bound"]
BOXES = 2**22  # of one grid: 32 MB
TABLE = 2**23  # boxes of all grids that are counted in one pass: 64 MB
ROWS = 2**17  # records at a time
SAMPLE, COUNTS = "rows of the sample", "records by box"
WITHIN = "records by radius"
Statistic = Callable[[NDArray, int], Sums]  # of a piece, and the number of its first record
Balls: TypeAlias = tuple[Release, ...]  # in sides of the box: rows in them count no more


@dataclass(frozen=True, eq=False, repr=False)
class Passes:
    """Private records in pieces.

    Attributes
    ----------
    n : int, how many records there are: public; scan : one pass: the merged statistic of all pieces
    """

    n: int
    scan: Callable[[Statistic], Sums]


def release(data: Passes, params: Params, curator: Curator) -> tuple[Release, ...]:
    """Find ``params.runs`` balls of about t rows. Costs ``params.epsilon``, ``params.delta``.

    Proof. As of ``one_cluster.release`` and ``several_clusters.release``: the questions to the
    curator are the same.

    Returns a tuple of releases; ``holds`` is NaN after the first: fewer than t rows may be left.
    Raises ValueError as ``one_cluster.release``, or if the first pass meets what is no record;
    nothing is spent then. Later passes read what was read before: if that has changed, the budget
    is spent. BudgetExceeded if the curator cannot pay.
    """
    checks.instance("data", data, Passes)
    one_cluster.check_size(data.n, params)
    balls: list[Release] = []
    payer = None
    for run in range(params.runs):
        public_rng = np.random.default_rng(params.seed + run)
        places = np.arange(data.n)
        if data.n > params.sample:
            places = np.sort(public_rng.choice(data.n, params.sample, replace=False))
        left = Passes(n=data.n, scan=partial(_left, data, params, tuple(balls)))
        sums = left.scan(partial(_sample_rows, places=places))
        sample = sums.value(SAMPLE, (len(places) * params.d,)).reshape(-1, params.d)
        sample[sample < 0] = np.nan
        payer = payer or one_cluster.sub_curator_for(params, curator)
        balls.append(_locate(left, sample, params, payer, public_rng))
    first, *later = (one_cluster.in_data_units(ball, params) for ball in balls)
    return (first, *(replace(ball, holds=math.nan) for ball in later))


def _left(data: Passes, params: Params, balls: Balls, statistic: Callable[..., Sums]) -> Sums:
    """One pass in which rows count that lie in none of these balls."""
    return data.scan(partial(statistic, params=params, balls=balls))


def _locate(
    data: Passes, sample: NDArray, params: Params, curator: Curator, public_rng: np.random.Generator
) -> Release:
    """As ``one_cluster.locate``, from the sample of step 1 on."""
    d = params.d
    z, level = one_cluster.radius_of(sample, data.n, params, curator)
    found, side = _box(data, z, level, params, curator, public_rng)
    if found is None:
        return Release(failed="box", **one_cluster.nothing(d) | {"z": z, "side": side})
    box, shift = found

    def in_ball(step: int, center: NDArray, radius: float) -> Sums:
        own = (side, shift, box) if step == 3 else None
        ball = {"center": center, "radius": radius, "box": own}
        return data.scan(partial(ball_rows, **ball))

    middle = (box + 0.5 - shift) * side
    means, radii = one_cluster.averaged(in_ball, (middle, side, z), params, curator)
    trace = {"z": z, "side": side, "box": middle, "means": means, "radii": radii}
    if len(means) < len(radii):
        return Release(failed=STEPS[2 + len(radii)], **one_cluster.nothing(d) | trace)
    grid = one_cluster.report_grid(z, d)
    gap = params.gap(len(grid))
    near = data.scan(partial(_by_radius, center=means[-1], grid=grid))
    counts = near.value(WITHIN, grid.shape).cumsum()
    chosen = one_cluster.choose_count(counts, params.t - gap, curator, params.rho[6])
    radius = float(grid[chosen]) + math.sqrt(d) / 2 / (params.size - 1)  # rounding
    return Release("", means[-1], radius, max(0.0, params.t - 2 * gap), **trace)


def _box(
    data: Passes,
    z: float,
    level: float,
    params: Params,
    curator: Curator,
    public_rng: np.random.Generator,
) -> tuple[tuple[NDArray, NDArray] | None, float]:
    """Steps 2 and 3: the numbers of the heaviest box and the grid's shift, or None; the side."""
    d = params.d
    lengths = z * (4 * d + 4) ** (np.arange(params.sides) / 23)
    shifts = public_rng.uniform(size=(params.sides, params.shifts, d))
    laid = np.array([_boxes(side, d) <= BOXES for side in lengths])
    if not laid.any():
        return None, math.nan
    lengths, shifts = lengths[laid], shifts[laid]
    grids = [(side, shift) for side, some in zip(lengths, shifts, strict=True) for shift in some]
    heaviest = np.concatenate(
        [_heaviest(data.scan(partial(_by_box, grids=some)), some, d) for some in _batches(grids, d)]
    ).reshape(len(lengths), params.shifts)
    best = one_cluster.choose_grid(heaviest, level, params, curator)
    side, shift = grids[best]
    cost = {"rho": params.rho[2], "delta": params.slack, "label": STEPS[2]}
    counts = data.scan(partial(_by_box, grids=[(side, shift)]))
    every = counts.value(COUNTS, (_boxes(side, d),)).astype(np.int64)
    cell = curator.heaviest_cell(Few(np.arange(len(every)), every, len(every)), **cost)
    if cell is None:
        return None, float(side)
    number = np.array(np.unravel_index(int(cell[0]), (_axis_boxes(side),) * d), dtype=float)
    return (number, shift), float(side)


def _axis_boxes(side: float) -> int:
    """Boxes on an axis of length 1 and what sticks out of it, wherever the grid begins."""
    return math.floor(1 / side) + 2


def _boxes(side: float, d: int) -> int:
    """Boxes of a grid."""
    return _axis_boxes(side) ** d


def _batches(grids: list[tuple[float, NDArray]], d: int) -> Iterable[list[tuple[float, NDArray]]]:
    """The grids, in order, as many at a time as ``TABLE`` allows."""
    some: list[tuple[float, NDArray]] = []
    size = 0
    for side, shift in grids:
        if some and size + _boxes(side, d) > TABLE:
            yield some
            some, size = [], 0
        some.append((side, shift))
        size += _boxes(side, d)
    yield some


def _sample_rows(
    chunk: NDArray, first: int, params: Params, places: NDArray, balls: Balls = ()
) -> Sums:
    """Step 1: the rows at public places, in grid steps; -1 in the balls. Private.

    Parameters
    ----------
    chunk : array (m, d), some of the records; first : int, number of the first of them
    places : sorted array (k,)

    >>> params = Params(t=1, d=1, epsilon=1, delta=1e-6, size=11, lower=0, upper=1)
    >>> sums = _sample_rows(np.array([[0.5], [1.0]]), 3, params, np.array([0, 4]))
    >>> sums.value(SAMPLE, (2,)).tolist()
    [0.0, 10.0]
    """
    d = params.d
    low, high = np.searchsorted(places, [first, first + len(chunk)])
    found = np.zeros((0, d), dtype=np.int64)
    if high > low:
        some = params.rows_of(chunk[places[low:high] - first])
        found = grid_points(some, params.size).astype(np.int64)
        found[_inside(found / (params.size - 1), balls)] = -1
    numbers = np.arange(low * d, high * d)
    return Sums(n=len(chunk), totals={SAMPLE: Few(numbers, found.ravel(), len(places) * d)})


def _by_box(
    chunk: NDArray,
    first: int,
    params: Params,
    grids: list[tuple[float, NDArray]],
    balls: Balls = (),
) -> Sums:
    """Steps 2 and 3: how many rows lie in each box of some grids, one after the other. Private."""
    d = params.d
    sizes = [_boxes(side, d) for side, _ in grids]
    ends = np.cumsum(sizes)
    # Half as long, twice as many of them stay cached; no more than 2^31 rows are in memory.
    counts = np.zeros(ends[-1], dtype=np.int32)
    for rows in _blocks(chunk, params, balls):
        columns, scale = np.ascontiguousarray(rows.T), 0.0
        for (side, shift), size, end in zip(grids, sizes, ends, strict=True):
            if scale != side:
                in_sides, scale = columns * (1 / side), side
            np.add.at(counts[end - size : end], _numbers(in_sides, side, shift), np.int32(1))
    return Sums(n=len(chunk), totals={COUNTS: counts.astype(np.int64)})


def ball_rows(
    chunk: NDArray,
    first: int,
    params: Params,
    center: NDArray,
    radius: float,
    box: tuple[float, NDArray, NDArray] | None,
    balls: Balls = (),
) -> Sums:
    """Steps 4 to 6: ``ball_sums`` of the rows, or of those in the box (side, shift, number)."""
    totals = ball_sums(center[None] + FAR, center, radius).totals  # of no row
    for rows in _blocks(chunk, params, balls):
        held = rows
        if box is not None:
            side, shift, number = box
            index = rows * (1 / side)
            index += shift
            held = rows[(np.floor(index, out=index) == number).all(axis=1)]
        if len(held):
            more = ball_sums(held, center, radius).totals
            totals = {name: total + more[name] for name, total in totals.items()}
    return Sums(n=len(chunk), totals=totals)


def _by_radius(
    chunk: NDArray, first: int, params: Params, center: NDArray, grid: NDArray, balls: Balls = ()
) -> Sums:
    """Step 7: how many rows lie within each radius and outside of the one before. Private."""
    counts = np.zeros(len(grid) + 1, dtype=np.int64)
    for rows in _blocks(chunk, params, balls):
        far = np.sqrt(((rows - center) ** 2).sum(axis=1))
        counts += np.bincount(np.searchsorted(grid, far), minlength=len(counts))
    return Sums(n=len(chunk), totals={WITHIN: counts[:-1]})


def _blocks(chunk: NDArray, params: Params, balls: Balls) -> Iterable[NDArray]:
    """The rows of a piece outside of the balls, on the grid, in sides of the box, few at a time."""
    for start in range(0, len(chunk), ROWS):
        rows = params.rows_of(chunk[start : start + ROWS])
        rows = grid_points(rows, params.size) / (params.size - 1)
        yield rows[~_inside(rows, balls)] if balls else rows


def _inside(rows: NDArray, balls: Balls) -> NDArray:
    """Which rows lie in some of the balls; bool (m,)."""
    inside = np.zeros(len(rows), dtype=bool)
    for ball in balls:
        inside |= answer(ball, rows)
    return inside


def _numbers(in_sides: NDArray, side: float, shift: NDArray) -> NDArray:
    """Number of each row's box in its grid; (m,). There are fewer than 2^31 boxes."""
    base = np.int32(_axis_boxes(side))
    place = np.empty_like(in_sides[0])
    numbers, index = np.zeros((2, len(place)), dtype=np.int32)
    for column, moved in zip(in_sides, shift, strict=True):
        index[:] = np.add(column, moved, out=place)  # rounded down, as none is negative
        numbers *= base
        numbers += index
    return numbers.astype(np.intp)


def _heaviest(sums: Sums, grids: list[tuple[float, NDArray]], d: int) -> NDArray:
    """The count of the heaviest box of each grid."""
    sizes = np.array([_boxes(side, d) for side, _ in grids])
    counts = sums.value(COUNTS, (int(sizes.sum()),))
    return np.maximum.reduceat(counts, np.cumsum(sizes) - sizes)
