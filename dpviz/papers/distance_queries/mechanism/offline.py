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
F^          ``Release``       the frozen tangents, and the shift that centres them    (none)
==========  ================  ======================================================  ==========

**Departures.** (1) The paper's grid has step alpha/(2 l) and, as it counts, 2 l^2/alpha points;
there are l more. Here the step is chosen to make the error least. (2) It uses the distance to
the grid as if only the hypothesis changed over it; the curve changes too. Convexity gives more
than both Lipschitz constants: h/2 on one side, nothing on the other, so h/4 after centring. (3)
Time: the paper states O(l^3 n^2/alpha); l^3 n/alpha is enough for what it does, and with sorted
columns it is O(l n log n) and a look-up for each grid point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.mechanism import interactive
from dpviz.papers.distance_queries.mechanism.allocation import COMPOSITIONS, Task
from dpviz.papers.distance_queries.mechanism.calibration import paper_alpha, plan_for
from dpviz.papers.distance_queries.mechanism.frozen_hypothesis import Release, answer, load
from dpviz.papers.distance_queries.mechanism.setting import Setting, judged, prepared, truth
from dpviz.privacy.curator import Curator

__all__ = [
    "Params",
    "Release",
    "answer",
    "error_bound",
    "load",
    "paper_bound",
    "paper_rate",
    "release",
    "trial",
    "truth",
]

MOST_CELLS = 2**24


@dataclass(frozen=True, kw_only=True)
class Params(Setting):
    """What the mechanism may know; all public. More than :class:`Setting` has:

    Attributes
    ----------
    k : int >= 1, queries that :func:`trial` asks; the promise is for all there are
    composition : "zcdp", "pure", "advanced"; None for the better of the first two
    cells : int >= 1, of the grid in each coordinate; None for the best power of two

    >>> Params(n=10_000, d=1, epsilon=1, delta=1e-6).grid
    64
    """

    k: int = 10_000
    composition: str | None = None
    cells: int | None = None

    def __post_init__(self):
        super().__post_init__()
        if self.composition is not None:
            checks.choice("composition", self.composition, COMPOSITIONS)
        if self.cells is not None:
            checks.integer("cells", self.cells, at_least=1, at_most=MOST_CELLS)
        self.online  # noqa: B018 - made here, so that what is bad is refused here

    @cached_property
    def grid(self) -> int:
        """Cells of the grid in each coordinate."""
        return self.cells or best_cells(self.n, self._task(1))

    @cached_property
    def online(self) -> interactive.Params:
        """The interactive mechanism that is asked the grid."""
        names = [*Setting.__dataclass_fields__, "composition"]
        given = {name: getattr(self, name) for name in names}
        return interactive.Params(**{**given, "k": self.grid + 1})

    def _task(self, cells: int) -> Task:
        names = ("d", "epsilon", "delta", "beta", "composition")
        return Task(**{name: getattr(self, name) for name in names}, k=cells + 1)


def release(
    data: ArrayLike | AverageDistance,
    params: Params,
    curator: Curator,
    *,
    queries: ArrayLike | None = None,
) -> Release:
    """Ask the grid, publish the hypothesis. Costs (epsilon, delta) of ``params``.

    The hypothesis is a function of what the interactive mechanism lets out.

    Parameters
    ----------
    data : array (n, d) private, or what ``columns`` made of it
    curator : a basic one
    queries : not used: the release answers all there are

    >>> params = Params(n=4, d=1, epsilon=1000)
    >>> found = release([0.2, 0.4, 0.4, 0.9], params, params.curator(rng=1))
    >>> bool(abs(answer(found, [0.4])[0] - 0.175) <= found.error)
    True
    """
    asked = interactive.Interactive(data, params.online, curator)
    places = scattered(params.grid + 1)[:, None]  # T, in an order that is fixed beforehand
    lower, upper = np.array(params.box.lower), np.array(params.box.upper)
    asked.answer_all(np.clip(lower + (upper - lower) * places, lower, upper))
    lines = tuple(tuple(learner.lines) for learner in asked.learners)
    shift = asked.plan.shift + 1 / (4 * params.grid)
    return Release(params.box, lines, shift, error_bound(params))


def error_bound(params: Params) -> float:
    """Proved: with probability at least 1 - beta no query whatever is answered worse than this.

    Sum of the widths times (``plan.error`` + h/4). Proof. At both ends of a cell the curve is at
    most g + 2 s + tau above the hypothesis (module ``calibration``; later lines only raise it).
    Inside, the curve is below its chord, and the hypothesis, convex with slopes in [-1, 1], at
    most h/2 below its own. And the hypothesis is nowhere more than tau above the curve. So the
    gap lies in [-tau, g + 2 s + tau + h/2]; the shift is its middle, less what tau adds on both
    sides.

    >>> error_bound(Params(n=10_000, d=1, epsilon=1, delta=1e-6))
    0.0847
    """
    return params.diameter * (params.online.plan.error + 1 / (4 * params.grid))


def paper_bound(params: Params) -> float:
    """Theorem 2 by its proof: alpha/2 from Lemma 3 (with its 3000) for 2 d^2/alpha queries.

    The equation is solved by iteration; a box counts as its longest side.

    >>> paper_bound(Params(n=10**6, d=1, epsilon=1, delta=1e-6))
    2.53
    """
    alpha, task = 1.0, params._task(1)
    for _ in range(100):  # k enters by its logarithm only: a contraction
        k = max(1, math.ceil(2 * params.d**2 / alpha))
        alpha = 2 * paper_alpha(params.n, replace(task, k=k))
    return float(params.box.widths.max()) * alpha


def paper_rate(params: Params) -> float:
    """Theorem 2 with constant 1: as Theorem 1, with ln(n d / beta) in the place of ln(k / beta).

    >>> paper_rate(Params(n=10**6, d=1, epsilon=1))
    0.000656
    """
    longest, d = float(params.box.widths.max()), params.d
    size = math.log(params.n * d / params.beta) / (params.n * params.epsilon)
    if params.delta == 0:
        return longest * d ** (7 / 3) * size ** (2 / 3)
    return longest * d**1.8 * (size * math.log(4 / params.delta)) ** 0.8


def trial(
    params: Params,
    data: ArrayLike | AverageDistance | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Release once with a fresh budget, then answer all queries.

    Parameters and result as :func:`dpviz.papers.distance_queries.mechanism.l1.trial`.

    >>> result = trial(Params(n=10_000, d=1, epsilon=1), rng=0)
    >>> result["error"] <= result["bound"]
    True
    """
    rng = checks.generator(rng)
    data, queries = prepared(params, data, queries, rng)
    released = release(data, params, params.curator(rng=rng))
    errors = np.abs(answer(released, queries) - truth(data, queries, params))
    updates = sum(len(lines) - 1 for lines in released.lines)
    exhausted = updates == params.online.plan.total
    return {**judged(errors, released.error), "updates": updates, "exhausted": exhausted}


def best_cells(n: int, task: Task) -> int:
    """The power of two that makes ``plan.error`` + h/4 least.

    >>> best_cells(10_000, Task(d=1, k=1, epsilon=1, delta=1e-6))
    64
    """

    def error(cells: int) -> float:
        return plan_for(n, replace(task, k=cells + 1)).error + 1 / (4 * cells)

    cells = 1
    while cells < MOST_CELLS and error(2 * cells) < error(cells):
        cells *= 2
    return cells


def scattered(count: int) -> np.ndarray:
    """Evenly spaced points of [0, 1] in an order that jumps about; (count,).

    >>> scattered(5).tolist()
    [0.0, 0.5, 1.0, 0.25, 0.75]
    """
    golden = (math.sqrt(5) - 1) / 2
    order = np.argsort(np.arange(count) * golden % 1)
    return np.linspace(0, 1, count)[order]
