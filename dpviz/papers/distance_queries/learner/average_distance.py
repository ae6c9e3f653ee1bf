"""The average l1 distance F from a query to private records, and the setting of section 3.

**Paper.** Huang and Roth (2014), section 2.1 and section 3: F(y) = (1/n) sum of ||x - y||_1 over
the records x.

**Setting.** n private records in a public box of d coordinates; a query is a point y of the same
box. Neighbours differ in one replaced record; n is public.

**Idea.** Rescale each coordinate to [0, 1] by its public bounds: F is then a weighted sum of convex
curves that rise or fall by at most one per unit, and only their weights, the widths, remember the
box. Sort each column once and keep its running sums: a query then needs only the number of
records to its left.

**Symbols.**

==========  ==============  =================================================  =================
paper       here            meaning                                            shape, unit
==========  ==============  =================================================  =================
D, n        ``data``, n     the records and their number (public)              (n, d), of the box
l           d               number of coordinates                              count
(none)      ``box``         public bounds; the paper: [0, 1]^l                 of the box
F(y)        ``truth``       average l1 distance from y                         of the box
F^(i)(y)    ``values``      the summand of coordinate i, rescaled              in [0, 1]
F^(i)'      ``slope``       left or right derivative of that                   in [-1, 1]
==========  ==============  =================================================  =================

**Departures.** (1) The paper scans all records, O(d n) a query; here it is O(d log n) after one
sort. (2) It writes F^(i) as a function of y; it depends on y_i only. (3) It calls F
"1/n-Lipschitz", which we read as two statements: F is 1-Lipschitz in the l1 distance of queries,
and replacing a record moves F by at most the diameter of the box over n. (4) Section 3 speaks of
records of diameter 1 and of the cube [0, 1]^l, whose diameter is l: a subset of the cube is
meant. Here F moves by the box's own l1 diameter over n, the sum of its widths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.privacy.box import Box
from dpviz.privacy.curator import Curator, Promise
from dpviz.privacy.pieces import BY_CELL, Columns, Sums, cell_sums
from dpviz.privacy.private_data import OUTSIDE, records_of, unit_points

SIDES = ("left", "right", "middle")
BLOCK = 8192  # records at a time: they stay in the cache
WIDE = 1 << 20  # numbers at a time, of records of many coordinates


@dataclass(frozen=True, kw_only=True)
class Setting(Promise):
    """Public numbers that all mechanisms share; their ``Params`` add their own.

    Statements: HR Section 2.1 (model).

    Attributes
    ----------
    n, d : int >= 1, records and coordinates
    epsilon : float > 0, delta : float in [0, 1). The privacy budget of the whole mechanism;
        delta = 0 (default) means pure.
    beta : float in (0, 1), probability that the promised error is not kept
    lower, upper : float or tuple (d,), the public box
    outside : "clip" or "refuse" records outside the box

    >>> Setting(n=10, d=2, epsilon=1, upper=(1, 4), lower=0).total_width
    5.0
    """

    n: int
    d: checks.Count
    lower: ArrayLike
    upper: ArrayLike
    outside: str = "clip"

    def __post_init__(self):
        super().__post_init__()
        checks.integer("n", self.n, at_least=1, at_most=10**18)
        checks.choice("outside", self.outside, OUTSIDE)
        for name in ("lower", "upper"):
            self._freeze(name)
        self.box  # noqa: B018 - made here, so that a bad one is refused here

    def _freeze(self, name: str) -> None:
        """Keep a public number, or d of them as a tuple: what is hashable can be compared."""
        value = getattr(self, name)
        array = checks.queries(name, value)
        if array.shape not in ((), (self.d,)):
            raise ValueError(f"{name} must be a number or {self.d} of them, not {value!r}")
        object.__setattr__(self, name, tuple(array.tolist()) if array.ndim else array.item())

    @cached_property
    def box(self) -> Box:
        """The public box."""
        return Box.of(self.d, lower=self.lower, upper=self.upper)

    @property
    def widths(self) -> NDArray:
        """Width of each side of the box; (d,)."""
        return self.box.widths

    @property
    def total_width(self) -> float:
        """Sum of the widths: the l1 diameter of the box."""
        return math.fsum(self.widths)

    @property
    def admission(self) -> tuple:
        """All that :meth:`admitted` depends on."""
        return self.box, self.outside

    def admitted(self, data: ArrayLike) -> NDArray:
        """Private records put into the box, each by itself, and rescaled to [0, 1]; (n, d)."""
        return self.box.private(data, outside=self.outside)


class AverageDistance:
    """Average l1 distance from a query to the records, exact, in O(d log n) a query.

    Statements: HR Section 3.1 (decomposition); HR Theorem 1 (time).
    Not private: it reads the records. What leaves must pass a curator.
    Raises TypeError or ValueError if ``data`` is no such array. The message never shows a value.

    Parameters
    ----------
    data : array, shape (n,) or (n, d), every entry in [0, 1]. Private records. :func:`prepare`
        rescales raw ones.

    >>> distance = AverageDistance([0.25, 0.75])
    >>> distance.value([0.0, 0.5]).tolist()
    [0.5, 0.25]
    >>> float(distance.slope(0.25, side="left")), float(distance.slope(0.25, side="right"))
    (-1.0, 0.0)
    """

    # How the records were put into their box: ``Setting.admission``.
    origin: tuple | None = None

    def __init__(self, data: ArrayLike, *, admit: Callable[[ArrayLike], NDArray] | None = None):
        table = data if isinstance(data, Columns) else records_of(data)
        admit = admit or (lambda block: unit_points(block, outside="refuse", lower=0, upper=1))
        end = 0
        for block in admitted_blocks(table, admit):
            if not end:
                points = np.empty((len(table), block.shape[1]))
            end += len(block)
            points[end - len(block) : end] = block
        self._hold(points)

    @classmethod
    def _of_units(cls, points: NDArray) -> AverageDistance:
        """Of records (n, d) that are in the unit cube, which is not looked at again."""
        own = cls.__new__(cls)
        own._hold(points)
        return own

    def _hold(self, points: NDArray) -> None:
        self.points = points
        self.n, self.d = points.shape
        self._sums: dict[int, Sums] = {}

    def values(self, y: ArrayLike) -> np.ndarray:
        """Average distance in each coordinate; shape ``(k, d)``, or that of ``y`` if d = 1."""
        y = checks.queries("y", y, self.d)
        return self._each_column(y, self._column_values)

    def values_once(self, y: NDArray) -> NDArray:
        """As :meth:`values` of a table (k, d), but few columns at a time are in order."""
        few = max(1, BLOCK // max(1, self.n))
        parts = [slice(start, start + few) for start in range(0, self.d, few)]
        return np.hstack([self._of_units(self.points[:, p]).values(y[:, p]) for p in parts])

    def value(self, y: ArrayLike) -> np.ndarray:
        """Average l1 distance F(y); shape ``(k,)``, or that of ``y`` if d = 1."""
        values = self.values(y)
        return values if self.d == 1 else values.sum(axis=1)

    def value_at(self, i: int, t: float) -> float:
        """The summand of coordinate i at one place, as :meth:`values` but without its checks."""
        r = int(self._data[i].searchsorted(t, "right"))
        sums = self._data_sums[i]
        return (t * (2 * r - self.n) + sums.item(self.n) - 2 * sums.item(r)) / self.n

    def tangent_at(self, i: int, t: float) -> tuple[float, float]:
        """The left tangent of that summand at one place: its height A at 1/2, half its slope h.

        Statements: HR Section 3.2 (proof of Theorem 1).
        Replacing a record moves (A, h) by at most 2/n in L1 and sqrt(2)/n in L2. Proof: a record
        left of t adds (1/2 - x, 1/2) / n, one to the right (x - 1/2, -1/2) / n. On the same side
        the pair moves by (at most 1, 0) / n, else by (|1 - x - x'|, 1) / n with |1 - x - x'| <= 1;
        and a record at t adds a point between both.
        """
        slope = (2 * int(self._data[i].searchsorted(t)) - self.n) / self.n
        return self.value_at(i, t) + slope * (0.5 - t), slope / 2

    def slope(self, y: ArrayLike, side: str = "left") -> np.ndarray:
        """One-sided derivative in each coordinate; shapes as in :meth:`values`.

        ``side`` is "left" (records at y count as right of it), "right" or "middle" (the mean
        of the two). They differ only where y equals a record.
        """
        y = checks.queries("y", y, self.d)
        checks.choice("side", side, SIDES)
        return self._each_column(y, lambda i, t: self._column_slopes(i, t, side))

    def cell_counts(self, cells: int) -> tuple[NDArray, NDArray]:
        """Records in each of so many equal cells, and the sum of their places in it, 0 to 1.

        Two arrays (d, cells), exact.
        """
        counts, inside = (self.cell_sums(cells).value(x, (self.d, cells)) for x in BY_CELL)
        return counts, inside

    def cell_sums(self, cells: int) -> Sums:
        """The same as sums that can be merged with those of other records; taken once and kept."""
        if cells not in self._sums:
            self._sums[cells] = cell_sums([self.points], self.d, cells)
        return self._sums[cells]

    def moved(self, move: Callable[[np.ndarray], np.ndarray]) -> AverageDistance:
        """The same after every entry was moved, by an elementwise function into [0, 1]."""
        moved = AverageDistance(move(self.points))
        moved.origin = self.origin
        return moved

    @cached_property
    def _data(self) -> NDArray:
        """Each column in order; (d, n). Sorted when it is first needed."""
        columns = self.points.T.copy()
        columns.sort(axis=1)
        return columns

    @cached_property
    def _data_sums(self) -> NDArray:
        """Running sums of each sorted column; (d, n + 1)."""
        sums = np.zeros((self.d, self.n + 1))
        np.cumsum(self._data, axis=1, out=sums[:, 1:])
        return sums

    def _each_column(self, y: np.ndarray, function: Callable) -> np.ndarray:
        """Apply ``function(i, column)`` to each coordinate of the queries."""
        if self.d == 1:
            return _in_sorted_order(lambda t: function(0, t), y)
        columns = [_in_sorted_order(lambda t, i=i: function(i, t), y[:, i]) for i in range(self.d)]
        return np.stack(columns, axis=1)

    def _column_values(self, i: int, t: np.ndarray) -> np.ndarray:
        """(t (2r - n) + P_n - 2 P_r) / n, with r records up to t and their sum P_r."""
        sums = self._data_sums[i]
        r = np.searchsorted(self._data[i], t, side="right")
        return (t * (2 * r - self.n) + sums[-1] - 2 * sums[r]) / self.n

    def _column_slopes(self, i: int, t: np.ndarray, side: str) -> np.ndarray:
        """(share of records left of t) - (share right of t), ties counted by ``side``."""
        if side == "middle":
            return (self._column_slopes(i, t, "left") + self._column_slopes(i, t, "right")) / 2
        r = np.searchsorted(self._data[i], t, side=side)
        return (2 * r - self.n) / self.n


def prepare(data: ArrayLike | AverageDistance, params: Setting) -> AverageDistance:
    """Private records, checked, clipped and rescaled once, for many runs of any mechanism.

    Not private: it holds the records. What was made before, for the same box and ``outside``,
    passes through; so does an ``AverageDistance`` of one's own, if the box is the unit cube.
    Raises ``ValueError`` or ``TypeError`` if they are not n records of d coordinates, or were
    prepared for another box. Nothing of them is shown.

    >>> prepare([[0.2, 7.0]], Setting(n=1, d=2, epsilon=1, lower=0, upper=1)).points.tolist()
    [[0.2, 1.0]]
    """
    if not isinstance(params, Setting):
        raise TypeError(f"params must be the Params of a mechanism, not {params!r}")
    if not isinstance(data, AverageDistance):
        table = data if isinstance(data, Columns) else records_of(data)
        if (table.shape if table.ndim > 1 else (*table.shape, 1)) != (params.n, params.d):
            raise ValueError(f"data must have n = {params.n} records of d = {params.d} coordinates")
        data = AverageDistance(table, admit=params.admitted)
        data.origin = params.admission
    if (data.n, data.d) != (params.n, params.d):
        raise ValueError(f"data must have n = {params.n} records of d = {params.d} coordinates")
    cube = Box.of(params.d, lower=0, upper=1), params.outside
    if (data.origin or cube) != params.admission:
        raise ValueError("data must not be prepared for another box, or for another outside")
    return data


def admitted_blocks(
    table: NDArray | Columns, admit: Callable[[ArrayLike], NDArray]
) -> Iterator[NDArray]:
    """The records as ``admit`` puts them into the box, some at a time.

    >>> [block.tolist() for block in admitted_blocks(np.array([1, 2]), lambda some: some / 2)]
    [[0.5, 1.0]]
    """
    step = min(BLOCK, max(1, WIDE // math.prod(table.shape[1:])))
    starts = range(0, max(len(table), 1), step)
    return (admit(table[start : start + step]) for start in starts)


def check_call(params: Setting, kind: type, curator: Curator, *, basic: bool = False) -> None:
    """Name what a mechanism cannot work with, before anything is read or paid.

    Raises ``TypeError`` unless ``params`` are of the ``kind`` that the mechanism needs, and what
    :meth:`dpviz.privacy.curator.Budgeted.payable_by` raises for the curator.

    >>> check_call(None, Setting, None)
    Traceback (most recent call last):
    ...
    TypeError: params must be the Params of this mechanism, not None
    """
    if not isinstance(params, kind):
        raise TypeError(f"params must be the Params of this mechanism, not {params!r}")
    params.payable_by(curator, basic=basic)


def truth(data: ArrayLike | AverageDistance, queries: ArrayLike, params: Setting) -> np.ndarray:
    """Average distances F(y), records put into the box. For comparison only: not private.

    Parameters
    ----------
    data : array (n, d), or what :func:`prepare` made of it
    queries : array (k, d) in the box; if d = 1 also places of any other shape

    Returns an array (k,), or of the shape of the places.

    >>> params = Setting(n=2, d=1, epsilon=1, upper=10, lower=0)
    >>> truth([1.0, 4.0], [0.0, 10.0], params).tolist()
    [2.5, 7.5]
    """
    points = checks.queries("queries", queries, params.d)
    units = params.box.units(points.reshape(-1, params.d))
    if isinstance(data, AverageDistance):
        values = prepare(data, params).values(units)
    else:
        values = np.hstack([own.values_once(units[:, few]) for few, own in _some(data, params)])
    answers = values @ params.widths
    return answers.reshape(answers_shape(points, params.d))


def _some(data: ArrayLike, params: Setting) -> Iterator[tuple[slice, AverageDistance]]:
    """Some coordinates at a time where the records are made when they are taken, else all."""
    if not isinstance(data, Columns) or data.shape != (params.n, params.d):
        yield slice(None), prepare(data, params)
        return
    step = max(1, 2 * WIDE // params.n)
    for start in range(0, params.d, step):
        few = slice(start, start + step)
        blocks = admitted_blocks(data, params.admitted)
        rows = np.concatenate([block[:, few].copy() for block in blocks])
        yield few, AverageDistance._of_units(rows)


def answers_shape(points: NDArray, d: int) -> tuple[int, ...]:
    """One answer a query: (k,) for a table (k, d), else (d = 1) the shape of the places.

    >>> answers_shape(np.zeros((5, 1)), 1), answers_shape(np.zeros((5, 3)), 1)
    ((5,), (5, 3))
    """
    table = points.ndim == 2 and points.shape[1] == d
    return points.shape[:1] if table else points.shape


def _farthest(places: NDArray, widths: NDArray) -> NDArray:
    """The largest average distance that any records in the box could have from each query; (k,).

    The summand of coordinate i lies between 0 (all records at y) and the distance to the further
    end of its side.

    Parameters
    ----------
    places : array (k, d), queries rescaled to [0, 1]; widths : array (d,), of the box
    """
    return np.maximum(places, 1 - places) @ widths


def possible(answers: NDArray, places: NDArray, widths: NDArray) -> NDArray:
    """Answers (k,) clipped to what an average distance from each query can be.

    Free: post-processing by public bounds. The truth lies there, so no error grows.

    >>> possible(np.array([-0.1, 9.0]), np.array([[0.5], [0.25]]), np.array([2.0])).tolist()
    [0.0, 1.5]
    """
    return np.clip(answers, 0.0, _farthest(places, widths))


def constant(queries: ArrayLike, params: Setting) -> np.ndarray:
    """The best answers without any data: the middle of what F(y) can be; (k,).

    >>> constant([0.5, 1.0], Setting(n=1, d=1, epsilon=1, lower=0, upper=1)).tolist()
    [0.25, 0.5]
    """
    return _farthest(params.box.units(queries), params.widths) / 2


def mixture(n: int, d: int, *, rng: checks.Seed) -> np.ndarray:
    """Synthetic records: in each coordinate a mixture of two betas, drawn anew.

    Weights (0.6, 0.4); the shapes a and b of both are uniform in [1, 6]. Public: it serves to
    try things out.

    Returns an array (n, d) in [0, 1].

    >>> mixture(3, 2, rng=0).shape
    (3, 2)
    """
    rng = checks.generator(rng)
    first = rng.uniform(size=(n, d)) < 0.6
    shapes = rng.uniform(1, 6, size=(2, 2, d))
    return np.where(first, *(rng.beta(a, b, size=(n, d)) for a, b in shapes))


def drawn(
    params: Any,
    data: ArrayLike | AverageDistance | None,
    queries: ArrayLike | None,
    rng: np.random.Generator,
) -> tuple[AverageDistance, np.ndarray]:
    """Records and ``params.k`` queries of a trial; None: :func:`mixture` and uniform ones."""
    lower = np.array(params.box.lower)
    widths = params.widths
    if data is None:
        data = lower + widths * mixture(params.n, params.d, rng=rng)
    if queries is None:
        queries = lower + widths * rng.uniform(size=(params.k, params.d))
        queries = np.minimum(queries, params.box.upper)
    return prepare(data, params), queries


def run_trial(
    make: Callable[..., Any],
    params: Setting,
    data: ArrayLike | AverageDistance | None,
    queries: ArrayLike | None,
    *,
    bound: float,
    rng: checks.Seed,
) -> dict[str, float]:
    """One trial of an interactive mechanism, ``make(data, params, curator)``; see ``l1.trial``."""
    rng = checks.generator(rng)
    data, queries = drawn(params, data, queries, rng)
    mechanism = make(data, params, params.curator(rng=rng))
    answers, _ = mechanism.answer_all(queries)
    errors = np.abs(answers - truth(data, queries, params)[: len(answers)])
    used = mechanism.updates_used
    return {**judged(errors, bound), "updates": used, "exhausted": used == mechanism.plan.total}


def judged(errors: np.ndarray, bound: float) -> dict[str, float]:
    """What a trial says of its errors, (k,), and of the bound that was promised.

    Statements: HR Definition 2.

    >>> judged(np.array([0.1, 0.3]), 0.25)
    {'error': 0.3, 'mean_error': 0.2, 'bound': 0.25, 'violations': 1}
    """
    return {
        "error": float(errors.max()),
        "mean_error": float(errors.mean()),
        "bound": bound,
        "violations": int((errors > bound).sum()),
    }


def _in_sorted_order(function: Callable, y: np.ndarray) -> np.ndarray:
    """Evaluate an elementwise function on sorted queries: neighbours share the cache.

    >>> _in_sorted_order(np.sqrt, np.array([[4.0, 1.0], [9.0, 0.0]])).tolist()
    [[2.0, 1.0], [3.0, 0.0]]
    """
    if y.size < 2:
        return function(y)
    order = np.argsort(y, axis=None)
    result = np.empty(y.size)
    result[order] = function(y.ravel()[order])
    return result.reshape(y.shape)
