"""IntPoint: whoever finds small clusters finds interior points, and that has a price.

**Paper.** Nissim, Stemmer and Vadhan (2016), section 5: Theorems 5.2 and 5.3, Algorithm 3.

**Setting.** m points of a line of ``size`` grid points. An interior point is one between the
least and the greatest of them, no more. Neighbours replace one record.

**Idea.** Give the middle rows to a solver for one cluster. Its ball holds some of them, and
pieces of the ball that are shorter than the least ball cannot hold them all: so some end of a
piece lies between two rows. Choosing among the few ends is easy. Interior points need at
least log* size records, so clusters do: none can be found privately on an infinite line.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
m, n            ``len(data)``   rows in all, and in the middle                count
rho             ``outer``       rows on each side of the middle               count
w               ``WIDER``       solver's radius over the least, at most 8     ratio
J               ``ends``        end points of the pieces                      (17,)
==============  ==============  ============================================  =============

**Departures.** (1) The exponential mechanism chooses among the 17 ends; RecConcave would need
more rows. (2) The solver: a radius among 0, 1, 2, 4, ... by its score, then the fullest cell
of two grids of cells of four radii, one shifted by half a cell. It does not look at the order
of the rows: the middle of neighbouring data differs in one element, but perhaps everywhere in
order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.small_cluster.radius_methods import hill
from dpviz.papers.small_cluster.radius_quality import mean_of_best
from dpviz.papers.small_cluster.rec_concave import log_star
from dpviz.privacy.private_data import OUTSIDE, unit_points

WIDER = 8
ENDS = 2 * WIDER + 1


@dataclass(frozen=True, kw_only=True)
class Params:
    """The line and the price; all public.

    Attributes
    ----------
    epsilon, delta : the price of the whole
    beta : float in (0, 1)
    size : int in [2, 2^50], grid points on the line
    outside : "clip" or "refuse"

    >>> Params(epsilon=1, delta=1e-6).outer
    21
    """

    epsilon: float
    delta: float
    beta: float = 0.1
    size: int = 2**16
    outside: str = "clip"

    def __post_init__(self):
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, above=0, at_most=0.5)
        checks.number("beta", self.beta, above=0, below=1)
        checks.integer("size", self.size, at_least=2, at_most=2**50)
        checks.choice("outside", self.outside, OUTSIDE)

    @property
    def outer(self) -> int:
        """Rows on each side of the middle: more than the last choice may lose."""
        return math.floor(4 / self.epsilon * math.log(ENDS / self.beta)) + 1

    @property
    def radii(self) -> np.ndarray:
        """0, 1, 2, 4, ... up to the length of the line."""
        powers = 2.0 ** np.arange(math.ceil(math.log2(self.size)) + 1)
        return np.append(0.0, powers)


@dataclass(frozen=True)
class Release:
    """The point, on the line [0, 1]."""

    point: float


def release(data: Any, params: Params, curator: Any) -> Release:
    """A point between the least and the greatest, likely. Costs ``epsilon``, ``delta``.

    Half of epsilon goes to the solver with all of delta, half to the last choice.

    Parameters
    ----------
    data : array (m,) in [0, 1], private

    Raises
    ------
    ValueError
        If m is at most 2 ``outer``: no row would be left for the middle. Nothing is spent.
    """
    rows = np.rint(unit_points(data, outside=params.outside)[:, 0] * (params.size - 1))
    if len(rows) <= 2 * params.outer:
        need = 2 * params.outer + 1
        raise ValueError(f"data must hold at least {need} records at this budget, not {len(rows)}")
    part = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="interior point")
    ball = solve(middle(rows, params.outer), params, part)
    if ball is None:
        return Release(0.0)
    ends = np.floor(np.linspace(ball[0] - ball[1], ball[0] + ball[1], ENDS))
    ends = np.clip(ends, 0, params.size - 1)
    below = (rows[:, None] <= ends).sum(axis=0)
    depth = np.minimum(below, (rows[:, None] >= ends).sum(axis=0))
    best = part.choose(depth, sensitivity=1, epsilon=params.epsilon / 2, label="end")
    return Release(float(ends[best]) / (params.size - 1))


def error_bound(params: Params) -> float:
    """Proved: if the solver's ball is good, records enough for the last choice; but for beta.

    Proof. Then some end is an interior point of the middle, so ``outer`` rows lie on each side
    of it, and the choice among 17 loses less than (4 / epsilon) ln(17 / beta) < ``outer``. The
    solver's own need is 1 + (16 / epsilon) ln(1 / delta) and more, see module ``good_radius``.

    >>> error_bound(Params(epsilon=1, delta=1e-6))
    43
    """
    return 2 * params.outer + 1


def paper_bound(n: int, *, w: float, epsilon: float, delta: float, beta: float) -> float:
    """Theorem 5.3: rows with which IntPoint works, from a solver that needs n.

    >>> round(paper_bound(1000, w=8, epsilon=1, delta=1e-6, beta=0.1) / 1e6, 1)
    4.4
    """
    h = log_star(2 * w)
    return n + 8**h * 144 * h / epsilon * math.log(12 * h / (beta * delta))


def paper_rate(size: float) -> int:
    """Theorem 5.2: at least of the order of log* size records, for any mechanism.

    >>> paper_rate(2.0**16), paper_rate(2.0**48)
    (4, 5)
    """
    return log_star(size)


FAMILIES = ("two neighbours", "all scales", "half on one point")


def trial(params: Params, m: int, family: str, *, rng: checks.Seed) -> dict[str, float]:
    """One run on m rows of a hard family; whether the point was interior.

    Returns
    -------
    dict with ``success``

    >>> trial(Params(epsilon=8, delta=1e-3), 400, "half on one point", rng=0)
    {'success': 1.0}
    """
    from dpviz.privacy.curator import Curator

    rng = checks.generator(rng)
    checks.choice("family", family, FAMILIES)
    start = int(rng.integers(params.size // 4, params.size // 2))
    rows = {
        "two neighbours": lambda: start + rng.integers(0, 2, m),
        "all scales": lambda: np.floor(2.0 ** rng.uniform(0, np.log2(params.size - 1), m)),
        "half on one point": lambda: np.where(
            rng.uniform(size=m) < 0.5, start, rng.integers(1, params.size, m)
        ),
    }[family]()
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    point = release(rows / (params.size - 1), params, curator).point * (params.size - 1)
    return {"success": float(rows.min() - 1e-6 <= point <= rows.max() + 1e-6)}


def middle(rows: np.ndarray, outer: int) -> np.ndarray:
    """The rows without the ``outer`` least and greatest; sorted. As a multiset it changes by one.

    >>> middle(np.array([5.0, 1.0, 3.0]), 1).tolist()
    [3.0]
    """
    return np.sort(rows)[outer : len(rows) - outer]


def solve(rows: np.ndarray, params: Params, part: Any) -> tuple[float, float] | None:
    """A ball (centre, radius) with most of the sorted rows, in grid steps, or None.

    Costs half of epsilon and all of delta: a quarter of epsilon for the radius, an eighth for
    each grid of cells.

    >>> from dpviz.privacy.curator import Curator
    >>> part = Curator(epsilon=8, delta=1e-3, rng=0)
    >>> solve(np.full(100, 40.0), Params(epsilon=8, delta=1e-3), part)
    (40.0, 0.5)
    """
    t, epsilon = len(rows), params.epsilon
    heights = mean_of_best(line_counts(rows, params.radii), t)
    room = 32 / epsilon * math.log(len(params.radii) / params.beta)
    quality = hill(heights, t, room)
    best = part.choose(quality, sensitivity=1, epsilon=epsilon / 4, label="radius")
    z = max(0.25, float(params.radii[best]))
    balls = []
    for shift in (0.0, 0.5):
        keys = np.floor(rows / (4 * z) + shift).tolist()
        price = {"epsilon": epsilon / 8, "delta": params.delta / 2, "label": f"cells {shift}"}
        full = part.heaviest_cell(keys, **price)
        if full is not None:
            balls.append((full[1], ((full[0] + 0.5 - shift) * 4 * z, 2 * z)))
    return max(balls)[1] if balls else None


def line_counts(rows: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Rows within each radius of each of the sorted rows; (n, M).

    >>> line_counts(np.array([0.0, 1.0, 5.0]), np.array([0.0, 1.0])).tolist()
    [[1, 2], [1, 2], [1, 1]]
    """
    high = np.searchsorted(rows, rows[:, None] + radii, side="right")
    return high - np.searchsorted(rows, rows[:, None] - radii, side="left")
