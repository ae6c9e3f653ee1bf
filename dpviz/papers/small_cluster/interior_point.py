"""IntPoint (Algorithm 3, Theorem 5.3): the interior point problem reduces to 1-cluster.

**Paper.** Nissim, Stemmer and Vadhan (2016), section 5: Theorems 5.2 and 5.3, Algorithm 3.

**Setting.** m points of a line of ``size`` grid points. An interior point is one between the
least and the greatest of them, no more. Neighbours replace one record.

**Idea.** Give the middle rows to a solver for one cluster. Its ball holds some of them, and
pieces of the ball that are shorter than the least ball cannot hold them all: so some end of a
piece lies between two rows. Choosing among the few ends is easy. Interior points need at
least log* size records, hence so do clusters: none can be found privately on an infinite line.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
m, n            ``len(data)``   rows in all, and in the middle                count
rho             ``outer``       rows on each side of the middle               count
w               ``wider``       solver's radius over the least, at most       ratio
J               ``ends``        end points of the pieces                      (2w + 1,)
==============  ==============  ============================================  =============

**Departures.** (1) The exponential mechanism chooses among the ends, 17 if w = 8; RecConcave would
need more rows. (2) Any ``Solver`` may be handed in. Without one: a radius among 0, 1, 2, 4, ... by
its score, then the heaviest cell of two grids of cells of four radii, one shifted by half a cell.
A solver must not look at the order of its rows (the paper says so too): the middle rows of
neighbouring data differ in one element, but perhaps everywhere in order. They are handed over
in a public random order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.small_cluster.radius_quality import mean_of_largest, quality_function
from dpviz.papers.small_cluster.rec_concave import log_star
from dpviz.privacy.curator import AT_MOST_HALF, Curator, Promise
from dpviz.privacy.private_data import OUTSIDE, finite, unit_points

WIDER = 8
ENDS = 2 * WIDER + 1
Ball = tuple[float, float]
FAMILIES = ("two neighbours", "all scales", "half on one point")


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """The line and the budget; all public.

    Attributes
    ----------
    size : int in [2, 2^50], grid points on the line; outside : "clip" or "refuse"

    >>> Params(epsilon=1, delta=1e-6).outer
    21
    """

    delta_range = AT_MOST_HALF

    beta: float = 0.1
    size: int = 2**16
    outside: str = "clip"

    def __post_init__(self):
        super().__post_init__()
        checks.integer("size", self.size, at_least=2, at_most=2**50)
        checks.choice("outside", self.outside, OUTSIDE)

    @property
    def outer(self) -> int:
        """Rows on each side of the middle: more than the last choice may lose."""
        return self.outer_for(ENDS)

    def outer_for(self, ends: int) -> int:
        """The same if the choice is among so many ends."""
        return math.floor(4 / self.epsilon * math.log(ends / self.beta)) + 1

    @property
    def radii(self) -> np.ndarray:
        """0, 1, 2, 4, ... up to the length of the line."""
        powers = 2.0 ** np.arange(math.ceil(math.log2(self.size)) + 1)
        return np.append(0.0, powers)


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A private solver of the 1-cluster problem on a line, and the form that it promises.

    Statements: NSV Theorem 5.3; NSV Algorithm 3.

    Attributes
    ----------
    find : (rows, curator) -> (centre, radius) or None; rows (n, 1) in [0, 1], private, in no order
        that means anything; it pays from the curator
    wider : float >= 1, its radius is at most so many times the least that holds ``rows`` rows
    epsilon, delta : what it costs; rows : int >= 1, rows that it needs

    >>> Solver(find=None, wider=2, epsilon=1, delta=0, rows=1)
    Traceback (most recent call last):
    ...
    TypeError: find must be a function of rows and a curator, not None
    """

    find: Callable[[np.ndarray, Curator], Ball | None]
    wider: float
    epsilon: float
    delta: float
    rows: int

    def __post_init__(self):
        if not callable(self.find):
            raise TypeError(f"find must be a function of rows and a curator, not {self.find!r}")
        checks.number("wider", self.wider, at_least=1, at_most=10_000)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, at_most=0.5)
        checks.integer("rows", self.rows, at_least=1)


@dataclass(frozen=True)
class Release:
    """The point, on the line [0, 1]."""

    point: float


def release(
    data: ArrayLike, params: Params, curator: Curator, *, solver: Solver | None = None
) -> Release:
    """A point between the least and the greatest, likely. Costs ``epsilon``, ``delta``.

    Statements: NSV Theorem 5.3; NSV Algorithm 3; NSV Definition 5.1.
    Half of epsilon goes to the solver with all of delta, half to the last choice.
    Raises ValueError or TypeError if no row, or fewer than the solver needs, would be left for the
    middle, or the solver is none or costs more than half of epsilon. Nothing is spent.

    Parameters
    ----------
    data : array (m,) in [0, 1], private; solver : Solver, by default the one described above
    """
    rows = np.rint(
        unit_points(data, outside=params.outside, lower=0, upper=1)[:, 0] * (params.size - 1)
    )
    solver = _own_solver(params) if solver is None else _admitted(solver, params)
    outer = params.outer_for(_pieces(solver) + 1)
    need = 2 * outer + solver.rows
    if len(rows) < need:
        raise ValueError(f"data must hold at least {need} records at this budget, not {len(rows)}")
    budget = {"epsilon": params.epsilon, "delta": params.delta}
    payer = curator.sub_curator(**budget, label="interior point")
    last = params.size - 1
    ball = solver.find(_shuffled(_middle(rows, outer))[:, None] / last, payer)
    if ball is None:
        return Release(0.0)
    center, radius = (float(number) * last for number in ball)
    ends = np.floor(np.linspace(center - radius, center + radius, _pieces(solver) + 1))
    ends = np.clip(np.nan_to_num(ends), 0, last)
    below = (rows[:, None] <= ends).sum(axis=0)
    depth = np.minimum(below, (rows[:, None] >= ends).sum(axis=0))
    best = payer.choose(depth, sensitivity=1, epsilon=params.epsilon / 2, label="end")
    return Release(float(ends[best]) / last)


def error_bound(params: Params) -> float:
    """Proved: if the solver's ball is good, so many records are enough for the last choice.

    With probability at least 1 - beta. Proof. Some end is an interior point of the middle, so
    ``outer`` rows lie on each side of it, and the choice among 17 loses less than
    (4 / epsilon) ln(17 / beta) < ``outer``. The solver's own need is 1 + (16 / epsilon)
    ln(1 / delta) and more, see module ``good_radius``.

    >>> error_bound(Params(epsilon=1, delta=1e-6))
    43
    """
    return 2 * params.outer + 1


def paper_bound(params: Params, *, n: int, w: float = WIDER) -> float:
    """Theorem 5.3: rows with which IntPoint works, from a solver that needs n and has ratio w.

    Statements: NSV Theorem 5.3.

    >>> round(paper_bound(Params(epsilon=1, delta=1e-6), n=1000) / 1e6, 1)
    4.4
    """
    h = log_star(2 * w)
    tail = math.log(12 * h / (params.beta * params.delta))
    return n + 8**h * 144 * h / params.epsilon * tail


def paper_rate(params: Params) -> int:
    """Theorem 5.2: at least of the order of log* size records, for any mechanism.

    Statements: NSV Theorem 5.2; NSV Remark 3.4; NSV Corollary 5.4.
    By Corollary 5.4 so does every 1-cluster solver whose ratio w is below :func:`widest_ratio`:
    IntPoint adds records that do not depend on the domain, so without the growth there would be
    interior points with fewer than Theorem 5.2 allows. On an infinite domain none can exist.

    >>> [paper_rate(Params(epsilon=1, delta=1e-6, size=2**bits)) for bits in (16, 48)]
    [4, 5]
    """
    return log_star(params.size)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    *,
    rng: checks.Seed,
    n: int = 400,
    family: str = "all scales",
) -> dict[str, float]:
    """One run; whether the point was interior.

    Parameters
    ----------
    data : array (m,) in [0, 1]; by default n rows of a hard family
    n, family : rows, and one of ``FAMILIES``, where data are not given

    Returns a dict with ``success``.

    >>> trial(Params(epsilon=8, delta=1e-3), rng=0, family="half on one point")
    {'success': 1.0}
    """
    rng = checks.generator(rng)
    last = params.size - 1
    rows = (
        _hard_rows(params, n, family, rng)
        if data is None
        else np.clip(finite(data, "data"), 0, 1) * last
    )
    point = release(rows / last, params, params.curator(rng=rng)).point * last
    return {"success": float(rows.min() - 1e-6 <= point <= rows.max() + 1e-6)}


def _hard_rows(params: Params, n: int, family: str, rng: np.random.Generator) -> np.ndarray:
    """n rows of a family that is hard for interior points, in grid steps; (n,)."""
    checks.choice("family", family, FAMILIES)
    start = int(rng.integers(params.size // 4, params.size // 2))
    if family == "two neighbours":
        return start + rng.integers(0, 2, n)
    if family == "all scales":
        return np.floor(2.0 ** rng.uniform(0, np.log2(params.size - 1), n))
    return np.where(rng.uniform(size=n) < 0.5, start, rng.integers(1, params.size, n))


def _own_solver(params: Params) -> Solver:
    """The solver that is used if none is handed in, in the form that a reduction wants."""
    last = params.size - 1

    def find(rows: np.ndarray, curator: Curator) -> Ball | None:
        """The ball of ``_solve``, on the line [0, 1]."""
        ball = _solve(np.sort(np.rint(rows[:, 0] * last)), params, curator)
        return None if ball is None else (ball[0] / last, ball[1] / last)

    cost = {"epsilon": params.epsilon / 2, "delta": params.delta}
    return Solver(find=find, wider=WIDER, **cost, rows=1)


def _admitted(solver: Solver, params: Params) -> Solver:
    """A solver whose promise fits the budget; else an error before anything is spent."""
    if not isinstance(solver, Solver):
        raise TypeError(f"solver must be a Solver, which says what it promises, not {solver!r}")
    half = params.epsilon / 2
    if solver.epsilon > half * (1 + 1e-12) or solver.delta > params.delta * (1 + 1e-12):
        raise ValueError(
            f"solver must cost at most half of epsilon, {half:g}, and delta {params.delta:g}; it "
            f"costs {solver.epsilon:g} and {solver.delta:g}"
        )
    return solver


def _pieces(solver: Solver) -> int:
    """Pieces of a ball, each shorter than the diameter of the least ball."""
    return 2 * math.ceil(solver.wider)


def _shuffled(rows: np.ndarray) -> np.ndarray:
    """The rows in a public random order: what a solver could read off their order is nothing."""
    return rows[np.random.default_rng(0).permutation(len(rows))]


def widest_ratio(stars: float) -> float:
    """Corollary 5.4: the ratio w up to which log* |X| = ``stars`` is a lower bound on n.

    Statements: NSV Corollary 5.4.
    Half of a tower of (log2 stars) / 4 twos: then 8^(log* 2w) is at most stars^(3/4), and the rows
    that IntPoint adds are fewer than those that Theorem 5.2 demands. On every domain that fits
    into a computer log* is at most 5, and the corollary says nothing (w < 1).

    >>> widest_ratio(5) < 1, widest_ratio(2**16)
    (True, 32768.0)
    """
    tower = 1.0
    for _ in range(math.floor(math.log2(stars) / 4)):
        tower = 2.0**tower
    return tower / 2


def _middle(rows: np.ndarray, outer: int) -> np.ndarray:
    """Rows without the ``outer`` least and greatest, sorted; as a multiset it changes by one."""
    return np.sort(rows)[outer : len(rows) - outer]


def _solve(rows: np.ndarray, params: Params, curator: Curator) -> tuple[float, float] | None:
    """A ball (centre, radius) with most of the sorted rows, in grid steps, or None.

    Costs half of epsilon and all of delta: a quarter of epsilon for the radius, an eighth for
    each grid of cells.
    """
    t = len(rows)
    epsilon = params.epsilon
    scores = mean_of_largest(_line_counts(rows, params.radii), t)
    margin = 32 / epsilon * math.log(len(params.radii) / params.beta)
    quality = quality_function(scores, t, margin)
    best = curator.choose(quality, sensitivity=1, epsilon=epsilon / 4, label="radius")
    z = max(0.25, float(params.radii[best]))
    balls = []
    for shift in (0.0, 0.5):
        keys = np.floor(rows / (4 * z) + shift).tolist()
        cost = {"epsilon": epsilon / 8, "delta": params.delta / 2, "label": f"cells {shift}"}
        cell = curator.heaviest_cell(keys, **cost)
        if cell is not None:
            balls.append((cell[1], ((cell[0] + 0.5 - shift) * 4 * z, 2 * z)))
    return max(balls)[1] if balls else None


def _line_counts(rows: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Rows within each radius of each of the sorted rows; (n, M)."""
    up_to = np.searchsorted(rows, rows[:, None] + radii, side="right")
    return up_to - np.searchsorted(rows, rows[:, None] - radii, side="left")
