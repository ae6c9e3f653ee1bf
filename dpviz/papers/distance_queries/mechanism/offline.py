"""Offline query release (Theorem 2): ask the interactive mechanism a grid, publish what it knows.

**Paper.** Huang and Roth (2014), section 3, Theorem 2.

**Setting.** As in module ``l1``, but the queries need not be known, and may be a million.

**Idea.** Curve and hypothesis are convex with slopes in [-1, 1]. Where both are known to be near
at the ends of a short cell, they are near inside. So ask the interactive mechanism the points
of a grid, and publish its hypothesis.

**Symbols.**

==========  ================  ======================================================  ==========
paper       here              meaning                                                 unit
==========  ================  ======================================================  ==========
T           0, h, ..., 1      the grid in each coordinate, h = 1 / ``cells``          coordinate
alpha / l   (none)            ``plan.error`` + h/4                                    coordinate
F^          ``lines``         slope and intercept of each line, by coordinate         (d,)
(none)      ``shift``         half of how much too low a hypothesis can be            coordinate
==========  ================  ======================================================  ==========

**Departures.** (1) The paper's grid has step alpha/(2 l) and, as it counts, 2 l^2/alpha points;
there are l more. Here the step is chosen to make the error least. (2) It uses the distance to
the grid as if only the hypothesis changed over it; the curve changes too. Convexity gives more
than both Lipschitz constants: h/2 on one side, nothing on the other, so h/4 after centring. (3)
Time: the paper states O(l^3 n^2/alpha); l^3 n/alpha is enough for what it does, and with sorted
columns it is O(l n log n) and a look-up for each grid point. (4) The paper does not say how the
data structure is stored; here it is JSON, which holds numbers to the last bit and runs nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import (
    AverageDistance,
    Setting,
    check_call,
)
from dpviz.papers.distance_queries.learner.convex_learner import Tangents
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.privacy.box import Box
from dpviz.privacy.curator import Curator

MOST_CELLS = 2**24


@dataclass(frozen=True, kw_only=True)
class Params(Setting):
    """What the mechanism may know; all public. More than :class:`Setting` has:

    Attributes
    ----------
    k : int >= 1, queries that a run asks; the promise is for all there are
    composition : "zcdp", "pure", "advanced"; None for the better of the first two
    constants : "practical", or "paper" (those of Lemma 3)
    cells : int >= 1, of the grid in each coordinate; None for the best power of two

    >>> Params(n=10_000, d=1, epsilon=1, delta=1e-6, lower=0, upper=1).grid
    64
    """

    k: checks.Count = 10_000
    composition: str | None = None
    constants: str = "practical"
    cells: int | None = None

    def __post_init__(self):
        super().__post_init__()
        if self.cells is not None:
            checks.integer("cells", self.cells, at_least=1, at_most=MOST_CELLS)
        self.online  # noqa: B018 - made here, so that what is bad is refused here

    @cached_property
    def grid(self) -> int:
        """Cells of the grid in each coordinate."""
        return self.cells or _best_cells(self)

    @cached_property
    def online(self) -> l1.Params:
        """The interactive mechanism that is asked the grid."""
        return self.asking(self.grid + 1)

    def asking(self, points: int) -> l1.Params:
        """The interactive mechanism for so many queries."""
        names = [*(field.name for field in fields(Setting)), "composition", "constants"]
        return l1.Params(k=points, **{name: getattr(self, name) for name in names})


@dataclass(frozen=True, eq=False)
class Release:
    """All that the public sees.

    Attributes
    ----------
    lines : tuple (d,) of tuples of (slope, intercept), in rescaled coordinates
    shift : float, added to each coordinate's max-affine lower bound
    error : float, proved for all queries, with probability at least 1 - beta
    """

    box: Box
    lines: tuple[tuple[tuple[float, float], ...], ...]
    shift: float
    error: float


def release(data: ArrayLike | AverageDistance, params: Params, curator: Curator) -> Release:
    """Ask the grid, publish the hypothesis. Costs (epsilon, delta) of ``params``.

    Statements: HR Theorem 2; HR Remark 2.1.
    The hypothesis is a function of what the interactive mechanism lets out.

    Parameters
    ----------
    data : array (n, d) private, or what ``prepare`` made of it
    curator : a basic one

    >>> params = Params(n=4, d=1, epsilon=1000, lower=0, upper=1)
    >>> found = release([0.2, 0.4, 0.4, 0.9], params, params.curator(rng=1))
    >>> bool(abs(answer(found, [0.4])[0] - 0.175) <= found.error)
    True
    """
    check_call(params, Params, curator, basic=True)
    online = l1.Interactive(data, params.online, curator)
    places = _scattered(params.grid + 1)[:, None]  # T, in an order that is fixed beforehand
    lower = np.array(params.box.lower)
    upper = np.array(params.box.upper)
    online.answer_all(np.clip(lower + (upper - lower) * places, lower, upper))
    lines = tuple(tuple(learner.lines) for learner in online.learners)
    shift = online.plan.shift + 1 / (4 * params.grid)
    return Release(params.box, lines, shift, error_bound(params))


def answer(release: Release, queries: ArrayLike) -> np.ndarray:
    """Average distances from any number of queries. Free: post-processing.

    Parameters
    ----------
    queries : array (k, d) in the box; also (k,) if d = 1

    Returns an array (k,).

    >>> release = Release(Box.of(1, lower=0, upper=2), (((0.0, 0.0), (1.0, -0.5)),), 0.125, 0.3)
    >>> answer(release, [0.0, 2.0]).tolist()
    [0.25, 1.25]
    """
    places = release.box.units(queries)
    total = 0.0
    for width, lines, column in zip(release.box.widths, release.lines, places.T, strict=True):
        summand = Tangents(lines).predict(column) + release.shift
        # a coordinate's average distance lies between 0 and that to the further end
        total = total + width * np.clip(summand, 0.0, np.maximum(column, 1 - column))
    return total


def error_bound(params: Params) -> float:
    """Proved: with probability at least 1 - beta no query whatever is answered worse than this.

    Statements: HR Theorem 2; HR Section 3.3 (proof of Theorem 2).
    Sum of the widths times (``plan.error`` + h/4). Proof. At both ends of a cell the curve is at
    most g + 2 s + tau above the hypothesis (module ``l1``; later lines only raise it). Inside, the
    curve is below its chord, and the hypothesis, convex with slopes in [-1, 1], at most h/2 below
    its own. And the hypothesis is nowhere more than tau above the curve. So the gap lies in
    [-tau, g + 2 s + tau + h/2]; the shift is its middle, less what tau adds on both sides.

    >>> error_bound(Params(n=10_000, d=1, epsilon=1, delta=1e-6, lower=0, upper=1))
    0.0847
    """
    return params.total_width * (params.online.plan.error + 1 / (4 * params.grid))


def paper_bound(params: Params) -> float:
    """Theorem 2 by its proof: alpha/2 from Lemma 3 (with its 3000) for 2 d^2/alpha queries.

    The equation is solved by iteration; a box counts as its longest side.

    >>> paper_bound(Params(n=10**6, d=1, epsilon=1, delta=1e-6, lower=0, upper=1))
    2.53
    """
    alpha = 1.0
    for _ in range(100):  # k enters by its logarithm only: a contraction
        k = max(1, math.ceil(2 * params.d**2 / alpha))
        alpha = 2 * l1.paper_alpha(params.asking(k))
    return float(params.widths.max()) * alpha


def _best_cells(params: Params) -> int:
    """The power of two that makes ``plan.error`` + h/4 least."""

    def error(cells: int) -> float:
        return params.asking(cells + 1).plan.error + 1 / (4 * cells)

    cells = 1
    while cells < MOST_CELLS and error(2 * cells) < error(cells):
        cells *= 2
    return cells


def _scattered(count: int) -> np.ndarray:
    """Evenly spaced points of [0, 1] in an order that jumps about; (count,)."""
    golden = (math.sqrt(5) - 1) / 2
    order = np.argsort(np.arange(count) * golden % 1)
    return np.linspace(0, 1, count)[order]
