"""All average l1 distance queries in one release: a public convex curve for each coordinate.

**Paper.** Beside Huang and Roth (2014), section 3, which answers queries one by one and stops
after a number of updates. What is released here answers all queries, for ever.

**Setting.** n private records in a public box; a query y in the box asks for the average l1
distance F(y), the sum over coordinates of one convex curve each. Neighbours differ in one replaced
record.

**Idea.** Count the records in m even cells of each coordinate: from the counts, and from where in
their cells the records lie on average, follow the curves at m + 1 grid points. Release them with
noise, by one of the mechanisms ``average_sign`` (Gaussian noise), ``haar_wavelet`` (Laplace noise),
``anchored`` (rows and queries near a center) and ``continual_counting`` (for comparison). An answer
is a sum of d numbers between grid points.

**Symbols.**

==========  =========================  ===========================================  ===========
usual       here                       meaning                                      shape, unit
==========  =========================  ===========================================  ===========
w_i, W      ``widths, total_width``    width of each column of the box, their sum   unit of y
m           ``cells``                  cells of the grid in each coordinate         count
Delta       ``admissible_diameter``    largest l1 distance of two admissible rows   unit of y
c           ``center_point``           point towards which rows are confined        (d,)
s           ``cell_slopes``            mean of sign(t - x) over x and a cell's t    (d, m)
F^(i)(t)    ``values``                 the part of coordinate i, at grid points     (d, m + 1)
==========  =========================  ===========================================  ===========

**Departures.** No budget of queries, nothing interactive, no refusal. Not in the paper, and nothing
here claims to be new: the three building blocks are the Gaussian mechanism (Balle and Wang 2018),
the Laplace mechanism (Dwork et al. 2006) and isotonic regression. A public l1 diameter below W is
enforced record by record: a row further than Delta / 2 from c is moved towards c until it is not.
Both maps, into the box and towards c, treat each record by itself, so neighbours stay neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import (
    AverageDistance,
    Setting,
    admitted_blocks,
    answers_shape,
    possible,
    prepare,
    truth,
)
from dpviz.privacy.box import Box
from dpviz.privacy.pieces import BY_CELL, Columns, Sums, blocks_of, cell_sums, check_sums, merge
from dpviz.privacy.private_data import records_of

__all__ = ["Curves", "Params", "answer", "convex", "merge", "prepare", "truth"]
BLOCK = 32768  # numbers looked up at a time, so that all of them stay in the cache


@dataclass(frozen=True, kw_only=True)
class Params(Setting):
    """Everything public about a release of curves. More than :class:`Setting` has:

    Attributes
    ----------
    cells : a power of two from 2 to 2^20, cells of the grid in each coordinate
    diameter : float in (0, W] or None; l1 diameter of the admissible rows, which lie within half of
        it from the center. None: the whole box is admissible, W its diameter.
    center : float, or tuple (d,), in the box; None: its middle
    convex : bool, whether a release ends with :func:`convex`: smaller errors as a rule for d = 1,
        but a weaker proof

    >>> Params(n=100, d=2, epsilon=1, upper=(1.0, 3.0), lower=0).total_width
    4.0
    >>> Params(n=100, epsilon=1, cells=1000, lower=0, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: cells must be a power of two from 2 to 1048576, not 1000
    """

    d: int = 1
    cells: int = 1024
    diameter: float | None = None
    center: float | tuple[float, ...] | None = None
    convex: bool = False

    def __post_init__(self):
        super().__post_init__()
        cells = checks.integer("cells", self.cells, at_least=2, at_most=2**20)
        if cells & (cells - 1):
            raise ValueError(f"cells must be a power of two from 2 to {2**20}, not {cells}")
        if not isinstance(self.convex, bool):
            raise ValueError(f"convex must be True or False, not {self.convex!r}")
        if self.center is not None:
            self._freeze("center")
        if ((self.center_point < self.box.lower) | (self.center_point > self.box.upper)).any():
            raise ValueError(f"center must lie in the box, not at {self.center!r}")
        if self.diameter is not None:
            checks.number("diameter", self.diameter, above=0, at_most=self.total_width)

    @property
    def admissible_diameter(self) -> float:
        """Delta, the largest l1 distance of two admissible rows."""
        return self.total_width if self.diameter is None else self.diameter

    @property
    def center_point(self) -> NDArray:
        """The point towards which rows are confined; shape (d,)."""
        if self.center is None:
            return np.add(self.box.lower, self.box.upper) / 2
        return np.broadcast_to(self.center, self.d)

    @property
    def admission(self) -> tuple:
        """As for :class:`Setting`; a diameter and its center are part of it."""
        confined = () if self.diameter is None else (self.diameter, tuple(self.center_point))
        return (*super().admission, *confined)

    def admitted(self, data: ArrayLike) -> NDArray:
        """Private records put into the box, rescaled to [0, 1] and confined to the diameter."""
        rows = super().admitted(data)
        if self.diameter is None:
            return rows
        center = (self.center_point - self.box.lower) / self.widths
        rows -= center  # in place: rows can be wide, and a page has little memory
        far = np.abs(rows) @ self.widths
        if self.outside == "refuse" and (far > self.diameter / 2 * (1 + 1e-12)).any():
            raise ValueError("data must lie within half the public diameter from the center")
        rows *= np.minimum(1.0, self.diameter / 2 / np.maximum(far, 1e-300))[:, None]
        rows += center
        return np.clip(rows, 0.0, 1.0, out=rows)


def gaussian_budget(params: Params) -> dict[str, float]:
    """Budget of one Gaussian charge for all curves; ValueError if delta is 0."""
    checks.number("delta", params.delta, above=0, below=1)
    return {"epsilon": params.epsilon, "delta": params.delta}


@dataclass(frozen=True, eq=False)
class Curves:
    """What the public sees: one curve for each coordinate, at evenly spaced grid points.

    Attributes
    ----------
    lower, upper : arrays (d,), the public box
    values : array (d, m + 1); the answer at y is the sum over i of curve i at y_i

    >>> Curves([0.0], [2.0], [[1.0, 0.5, 1.0]]).grid.tolist()
    [[0.0, 1.0, 2.0]]
    """

    lower: NDArray
    upper: NDArray
    values: NDArray

    def __post_init__(self):
        for name in ("lower", "upper", "values"):
            array = checks.queries(name, getattr(self, name))
            object.__setattr__(self, name, np.ascontiguousarray(array))
        d = len(self.values) if self.values.ndim == 2 else 0
        shapes = self.lower.shape, self.upper.shape
        if not d or self.values.shape[1] < 2 or shapes != ((d,), (d,)):
            raise ValueError("curves must have shapes (d,), (d,) and (d, m + 1), m at least 1")
        self.box  # noqa: B018 - made here, so that a bad one is refused here

    @cached_property
    def box(self) -> Box:
        """The public box."""
        return Box.of(len(self.values), lower=self.lower, upper=self.upper)

    @property
    def grid(self) -> NDArray:
        """The grid points of each coordinate; shape (d, m + 1)."""
        return np.linspace(self.lower, self.upper, self.values.shape[1], axis=1)


def answer(release: Curves, queries: ArrayLike) -> NDArray:
    """Answer any number of queries, clipped to what is possible in the box. Free: post-processing.

    Parameters
    ----------
    queries : array (k, d) in the public box; if d = 1 also places of any other shape

    Returns an array (k,), or of the shape of the places. Raises TypeError or ValueError if the
    queries are no such array, or one lies outside the box.

    >>> line = Curves([0.0], [2.0], [[1.0, 0.0, 1.0]])
    >>> answer(line, [0.0, 0.5, 1.0]).tolist()
    [1.0, 0.5, 0.0]
    """
    if not isinstance(release, Curves):
        raise TypeError(f"release must be Curves, not {release!r}")
    d = len(release.values)
    points = _table(queries, len(release.values))
    table = points.reshape(-1, d)
    step = max(1, BLOCK // d)
    answers = np.empty(len(table))
    for start in range(0, len(table), step):
        block = table[start : start + step]
        answers[start : start + step] = _possible(
            release.box, interpolated(release, block, start), block
        )
    return answers.reshape(answers_shape(points, d))


def convex(release: Curves) -> Curves:
    """Make every curve convex with slopes in [-1, 1], as true ones are; its ends keep their sum.

    Free: post-processing. Isotonic regression of the slopes gives the largest convex curve below
    the released one; then its slopes are clipped, and it is lifted until its two ends add up to
    what they did (except in ``anchored``, the width of the box: true without noise too).

    *What it does to errors.* Let a coordinate's curve lie between truth - a and truth + b at the
    grid points. truth - a is convex with such slopes, so it lies below the convex curve (Marshall's
    lemma) and below the clipped one. Lifting takes at most a if the ends add up to the true sum,
    always at most a + b, as the ends were at most b too high. So errors below the truth never grow,
    errors above it by at most a: at most double, all queries together; for ``anchored`` by at most
    a + b: at most triple. That is what is proved. Measured: the largest error over all queries
    falls always, that of one curve by up to a third; but the root mean square of a sum over many
    coordinates can rise, because the result is off to one side in each.

    >>> convex(Curves([0.0], [3.0], [[1.0, 0.0, 0.5, 0.0]])).values.tolist()
    [[1.0, 0.0, 0.0, 0.0]]
    """
    from scipy.optimize import isotonic_regression

    h = (release.upper - release.lower) / (release.values.shape[1] - 1)
    values = np.zeros_like(release.values)
    for i, curve in enumerate(release.values):
        slopes = np.clip(isotonic_regression(np.diff(curve) / h[i]).x, -1.0, 1.0)
        values[i, 1:] = h[i] * np.cumsum(slopes)
    ends = release.values[:, [0, -1]] - values[:, [0, -1]]
    return Curves(release.lower, release.upper, values + ends.mean(axis=1, keepdims=True))


def from_values(values: NDArray, params: Params) -> Curves:
    """Noisy curves (d, m + 1) in the params' box, made convex if the params say so.

    >>> params = Params(n=5, epsilon=1, convex=True, lower=0, upper=1)
    >>> from_values(np.array([[0.0, 1.0, 0.0]]), params).values.tolist()
    [[0.0, 0.0, 0.0]]
    """
    lower = np.array(params.box.lower)
    release = Curves(lower, lower + params.widths, values)
    return convex(release) if params.convex else release


def from_slopes(slopes: NDArray, params: Params) -> NDArray:
    """Integrate slopes (d, m) to curves (d, m + 1) whose ends add up to the width, as true ones do.

    |x - lo| + |x - hi| = w for every record, so the level of a curve follows from its slopes.

    >>> from_slopes(np.array([[-0.5, 0.5]]), Params(n=2, epsilon=1, lower=0, upper=1)).tolist()
    [[0.5, 0.25, 0.5]]
    """
    width = params.widths[:, None]
    rise = np.cumsum(slopes, axis=1) * (width / slopes.shape[1])
    rise = np.concatenate([np.zeros((len(rise), 1)), rise], axis=1)
    return rise + (width - rise[:, -1:]) / 2


def statistic(data: ArrayLike | AverageDistance, params: Params) -> Sums:
    """What a release of curves needs of some of the records: counts by cell, and places in cells.

    Private. Sums of pieces are merged (`dpviz.privacy.pieces.merge`), and :func:`sums_of` takes
    them in the place of all records. The params' ``n`` is not read.

    Parameters
    ----------
    data : array (m, d), some records; or what ``prepare`` made of all of them

    >>> params = Params(n=2, epsilon=1, cells=2, lower=0, upper=1)
    >>> both = merge(statistic([0.25], params), statistic([0.75], params))
    >>> both.n, cell_slopes(both, params).tolist()
    (2, [[-0.5, 0.5]])
    """
    if isinstance(data, AverageDistance):
        return data.cell_sums(params.cells)
    table = data if isinstance(data, Columns) else records_of(data)
    blocks = map(params.admitted, blocks_of(table))
    return cell_sums(blocks, params.d, params.cells)


def sums_of(data: ArrayLike | AverageDistance | Sums, params: Params) -> Sums:
    """The statistic of all n records, whatever form they come in; checked as by ``prepare``.

    >>> params = Params(n=2, epsilon=1, cells=2, lower=0, upper=1)
    >>> sums_of([0.25, 0.75], params).n
    2
    """
    if isinstance(data, Sums):
        check_sums(data, params.n)
        return data
    if isinstance(data, Columns) and data.shape == (params.n, params.d):  # all at once are many
        return cell_sums(admitted_blocks(data, params.admitted), params.d, params.cells)
    return statistic(prepare(data, params), params)


def cell_slopes(data: ArrayLike | AverageDistance | Sums, params: Params) -> NDArray:
    """Mean slope of each coordinate's curve in each cell: private, exact; shape (d, m).

    The curve of one record x is |x - t|, of slope sign(t - x): at most 1 in size. Between grid
    points the exact curve rises by this times the width of a cell.

    >>> params = Params(n=2, epsilon=1, cells=2, lower=0, upper=1)
    >>> cell_slopes([0.25, 0.75], params).tolist()
    [[-0.5, 0.5]]
    """
    sums = sums_of(data, params)
    counts, inside = (sums.value(name, (params.d, params.cells)) for name in BY_CELL)
    return (2 * (np.cumsum(counts, axis=1) - inside) - params.n) / params.n


def resolution(params: Params) -> float:
    """How far an interpolated curve can be off by its grid alone: W / (2 m), for any data.

    Between grid points the chord lies above |x - y| by at most half a cell, and only if x and y
    share the cell; at grid points it is exact. For spread records it is far less.

    >>> resolution(Params(n=9, d=3, epsilon=1, cells=8, lower=0, upper=1))
    0.1875
    """
    return params.total_width / (2 * params.cells)


def rescaled_queries(queries: ArrayLike, box: Box) -> tuple[NDArray, tuple[int, ...]]:
    """Public queries rescaled to [0, 1], as a table (k, d), and the shape of their answers.

    Raises ValueError if a query lies outside the box, TypeError or ValueError if it is none.

    >>> rescaled_queries([1.0, 2.0], Box.of(1, lower=0, upper=4))[0].tolist()
    [[0.25], [0.5]]
    """
    points = checks.queries("queries", queries, box.d)
    return box.rescaled(points.reshape(-1, box.d)), answers_shape(points, box.d)


def _table(queries: ArrayLike, d: int) -> NDArray:
    """Queries as an array of the right shape; whether they are finite is seen block by block."""
    if checks.is_masked(queries) or checks.is_unreal(queries):
        raise TypeError("queries must be an array of real numbers without a mask")
    try:
        points = np.asarray(queries, dtype=float)
    except (TypeError, ValueError, OverflowError) as problem:
        raise TypeError("queries must be an array of real numbers") from problem
    if d > 1 and (points.ndim != 2 or points.shape[1] != d):
        raise ValueError(f"queries must have shape (k, {d}), not {points.shape}")
    return points


def interpolated(release: Curves, points: NDArray, first: int = 0) -> NDArray:
    """Sums of the released curves at points (k, d), as noisy as they are; (k,).

    ``first`` is the number of the first point, for a message.

    >>> interpolated(Curves([0.0], [2.0], [[1.0, -1.0, 1.0]]), np.array([[1.0]])).tolist()
    [-1.0]
    """
    d = release.values.shape[0]
    m = release.values.shape[1] - 1
    unit = release.box.rescaled(points, first=first)
    unit *= m
    cell = unit.astype(np.intp)
    np.minimum(cell, m - 1, out=cell)
    unit -= cell
    cell += np.arange(d) * (m + 1)
    left = release.values.take(cell)
    cell += 1
    rise = release.values.take(cell)
    rise -= left
    rise *= unit
    rise += left
    return rise @ np.ones(d)


def _possible(box: Box, answers: NDArray, points: NDArray) -> NDArray:
    """Answers at points (k, d) clipped to what is possible: never below 0, never too far."""
    np.maximum(answers, 0.0, out=answers)
    # the farthest corner of the box is half of its diameter away from every point, or more
    high = np.flatnonzero(answers > box.total / 2)
    if high.size:
        answers[high] = possible(answers[high], box.rescaled(points[high]), box.widths)
    return answers
