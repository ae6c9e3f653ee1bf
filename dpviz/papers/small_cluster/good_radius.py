"""GoodRadius (Algorithm 1, Lemma 3.6): a radius at which some ball holds about t rows.

**Paper.** Nissim, Stemmer and Vadhan (2016), Algorithm 1 (GoodRadius) and section 4.1 for
"RecConcave"; Theorem 4.8 (AboveThreshold, the sparse vector technique) for "AboveThreshold".

**Setting.** n points of a public box, rounded to its grid. Wanted: a radius z, at most
a few times the least radius of a ball that holds t rows, at which the score L (module
``radius_quality``) is near t. Neighbours replace one record.

**Idea.** L rises with the radius, and one record moves it by less than 2. Ask for a radius where L
is nearly t and where it was less than t just before. That is a quality function. One question, four
tools: the exponential mechanism; a binary search by noisy comparisons; AboveThreshold from the
least radius on; or RecConcave, whose loss hardly grows with the number of radii.

**Symbols.**

==============  ==============  ============================================  ===============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  ===============
t               ``t``           rows wanted in the ball                       count
L(r, S)         ``score``       see module ``radius_quality``                 count
Q(r, S)         ``quality``     half the lesser of t - L(before r) and        count
                                L(r) - t + ``margin``
Gamma           ``promise``     what RecConcave is promised                   count
z               ``radius``      the answer                                    side of cube
==============  ==============  ============================================  ===============

**Departures.** (1) Method "RecConcave" is the paper's: Laplace test at 0, then RecConcave on the
line 0, 1/2, 1, 3/2 ... grid steps, with r / 2 before r. Its cost is exact (module ``rec_concave``).
Time and memory grow with n^2 and t^2, not with the number of radii. (2) The others choose on
``radius_grid``, whose radii are at most 1.225 apart, and compare with the radius before: then
z < 2.45 times the least radius instead of 4 times. Radius 0 is one of the candidates and needs no
test. (3) The answer is never below one grid step, for the centre's sake.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.small_cluster import rec_concave
from dpviz.papers.small_cluster.public_grid import Boxed, check_grid, grid_points, squared_distances
from dpviz.papers.small_cluster.radius_quality import (
    quality_function,
    quality_steps,
    radius_grid,
    score,
    score_at,
    score_breakpoints,
)
from dpviz.privacy.curator import UP_TO_HALF, Curator
from dpviz.privacy.private_data import finite
from dpviz.privacy.sparse_vector import threshold_accuracy

METHODS = ("exponential", "binary search", "AboveThreshold", "RecConcave")
MOST = 2**22  # intervals of the quality that RecConcave holds at most
TABLE = 2**27  # distances, n times t, from which its intervals are made


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """What GoodRadius is asked, and its budget; all public.

    Attributes
    ----------
    t : int >= 1, rows wanted
    epsilon, delta : the budget; only "RecConcave" spends (and needs) delta
    size : int >= 2, grid points on the longest side; method : one of ``METHODS``

    >>> Params(t=10, d=1, epsilon=1, method="guess", lower=0, upper=1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: method must be one of 'exponential', 'binary search', 'AboveThreshold', ...
    """

    delta_range = UP_TO_HALF

    t: checks.Count
    size: int = 2**16
    method: str = "exponential"

    def __post_init__(self):
        super().__post_init__()
        checks.choice("method", self.method, METHODS)
        check_grid(self.size, self.d)
        if self.method == "RecConcave" and self.intervals > MOST:
            raise ValueError(
                f"size or t is too large for 'RecConcave', which holds {self.intervals} intervals "
                f"of radii; at most {MOST}"
            )
        if self.method == "RecConcave" and self.delta == 0:
            raise ValueError("delta must be above 0 for the method 'RecConcave'")

    @property
    def candidates(self) -> int:
        """How many radii the method chooses among."""
        if self.method == "RecConcave":
            return 2 * self.size * math.ceil(math.sqrt(self.d)) + 1
        return len(radius_grid(self.size, self.d))

    @property
    def intervals(self) -> int:
        """On how many intervals of radii RecConcave's quality is constant, at most."""
        return min(self.candidates, 2 * self.t**2 + 1)

    @property
    def rec_concave_params(self) -> rec_concave.Params:
        """What RecConcave is asked: half of epsilon and of beta are its own."""
        half = {"epsilon": self.epsilon / 2, "delta": self.delta, "beta": self.beta / 2}
        return rec_concave.Params(candidates=self.candidates, **half)

    @property
    def promise(self) -> float:
        """Gamma: what RecConcave needs to be promised."""
        return rec_concave.error_bound(self.rec_concave_params)

    @property
    def loss(self) -> float:
        """Rows that may be lost: see :func:`error_bound`."""
        promise = self.promise if self.method == "RecConcave" else 0.0
        budget = {"epsilon": self.epsilon, "beta": self.beta}
        return loss(self.method, self.candidates, **budget, promise=promise)


@dataclass(frozen=True)
class Release:
    """What the public sees: the radius, in the unit of the data, and who chose it."""

    radius: float
    method: str


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """Choose a radius. Costs ``params.epsilon`` (and ``params.delta`` if "RecConcave").

    Statements: NSV Algorithm 1; NSV Lemma 4.5.

    Parameters
    ----------
    data : array (n, d), private

    Raises ValueError if t > n or the columns are not d, or "RecConcave" has n t > 2^27; nothing is
    spent.
    """
    points = grid_points(params.rows_of(data), params.size)
    checks.integer("t", params.t, at_least=1, at_most=len(points))
    if params.method == "RecConcave" and len(points) * params.t > TABLE:
        raise ValueError(f"n times t must be at most {TABLE} for 'RecConcave'")
    by = {
        "exponential": _by_exponential_mechanism,
        "binary search": _by_binary_search,
        "AboveThreshold": _by_above_threshold,
        "RecConcave": by_rec_concave,
    }
    steps = by[params.method](points, params, curator)
    return Release(max(1.0, steps) / (params.size - 1) * params.unit, params.method)


def truth(data: ArrayLike, queries: ArrayLike | None, params: Params) -> float:
    """Radius of :func:`least_ball`. For comparison only: not private."""
    return least_ball(data, params.t)[0]


def error_bound(params: Params) -> float:
    """Proved: L(z) > t - this, and z < 2.45 (4 if "RecConcave") times the least radius.

    Statements: NSV Lemma 3.6; NSV Lemma 4.6; NSV Footnote 2.
    With probability at least 1 - beta, for the rows on the grid; or z is one grid step, the least
    that is published. Proof, with M candidates. If the score before z is below
    t, no ball of half the radius before z holds t rows (else L there would be t), so z < 2.45 r.
    *exponential*: with margin 2a = (8 / epsilon) ln(M / beta), the least radius with L >= t - a
    has quality a / 2 at least, and the choice loses less than (2 / epsilon) ln(M / beta) =
    a / 2: both terms of the quality are above 0. *binary search*: s = log2 M comparisons with
    Laplace noise of scale 2 s / epsilon, all within b = (2 s / epsilon) ln(s / beta): two b.
    *AboveThreshold*: L / 2 against t / 2 - x; if nothing is decided against a gap of more than x
    (`dpviz.privacy.sparse_vector`, for the sensitivity 1 of L / 2), the radius taken has
    L / 2 >= t / 2 - 2 x and each one before it L / 2 < t / 2: four x. *RecConcave*:
    3 Gamma, or 2 Gamma + (8 / epsilon) ln(2 / beta) if 0 was taken.

    >>> [
    ...     round(error_bound(Params(t=1, d=10, epsilon=1, beta=0.05, method=m, lower=0, upper=1)))
    ...     for m in METHODS[:2]
    ... ]
    [59, 138]
    """
    return params.loss


def paper_bound(params: Params) -> float:
    """Lemma 3.6 with the constants of Theorem 4.3: 4 Gamma + (4 / epsilon) ln(1 / beta).

    >>> paper_bound(Params(t=1, d=10, epsilon=1, delta=1e-6, lower=0, upper=1)) > 1e9
    True
    """
    line = math.ceil(2 * params.size * math.sqrt(params.d))
    gamma = rec_concave.paper_bound(replace(params.rec_concave_params, candidates=line))
    return 4 * gamma + 4 / params.epsilon * math.log(1 / params.beta)


def least_ball(data: ArrayLike, t: int) -> tuple[float, int]:
    """Least ball about a row that holds t rows: (radius, row). For comparison only: not private.

    Statements: NSV Section 3 (facts); NSV Definition 3.1.
    Its radius is at most twice the least of all balls.

    >>> least_ball([[0.0], [0.1], [0.3], [1.0]], 3)
    (0.2, 1)
    """
    points = finite(data, "data")
    blocks = range(0, len(points), 512)
    with np.errstate(over="ignore", invalid="ignore"):  # rows as far out as floats go
        far = [squared_distances(points[a : a + 512], points) for a in blocks]
        nearest = np.concatenate([np.partition(table, t - 1, axis=1)[:, t - 1] for table in far])
    row = int(np.argmin(nearest))
    return math.sqrt(max(0.0, float(nearest[row]))), row


def _by_exponential_mechanism(points: np.ndarray, params: Params, curator: Curator) -> float:
    """The exponential mechanism with quality Q; radius in grid steps. Costs ``params.epsilon``."""
    scores = score(points, params.t, params.size)
    quality = quality_function(scores, params.t, params.loss)
    best = curator.choose(quality, sensitivity=1, epsilon=params.epsilon, label="radius")
    return float(radius_grid(params.size, params.d)[best])


def _by_binary_search(points: np.ndarray, params: Params, curator: Curator) -> float:
    """Binary search by noisy comparisons; radius in grid steps. Costs ``params.epsilon``."""
    scores = score(points, params.t, params.size)
    sub_curator = curator.sub_curator(epsilon=params.epsilon, label="binary search")
    below = -1
    above = len(scores) - 1
    steps = _steps_of_search(len(scores))
    level = params.t - params.loss / 2
    epsilon = params.epsilon / steps
    while above - below > 1:
        middle = (below + above) // 2
        noisy = sub_curator.laplace(scores[middle], sensitivity=2, epsilon=epsilon, label="score")
        below, above = (below, middle) if noisy >= level else (middle, above)
    return float(radius_grid(params.size, params.d)[above])


def _by_above_threshold(points: np.ndarray, params: Params, curator: Curator) -> float:
    """AboveThreshold from the least radius on; radius in grid steps. Costs ``params.epsilon``."""
    scores = score(points, params.t, params.size)
    accuracy = params.loss / 4
    cost = {"sensitivity": 1, "epsilon": params.epsilon, "label": "radius"}
    stream = curator.above_threshold(params.t / 2 - accuracy, **cost)
    radii = radius_grid(params.size, params.d)
    positives = (r for r, value in zip(radii, scores, strict=True) if stream.above(value / 2))
    return float(next(positives, radii[-1]))


def by_rec_concave(points: np.ndarray, params: Params, curator: Curator) -> float:
    """Algorithm 1: is 0 good enough? If not, RecConcave on all half grid steps, by intervals.

    Statements: NSV Remark 4.4.
    Costs ``params.epsilon``, ``params.delta``.

    >>> params = Params(
    ...     t=400, d=1, epsilon=9, delta=0.1, size=2**8, method="RecConcave", lower=0, upper=1
    ... )
    >>> by_rec_concave(np.full((500, 1), 7.0), params, params.curator(rng=0))
    0.0
    """
    t = params.t
    promise = params.promise
    half = params.epsilon / 2
    sub_curator = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="radius")
    breakpoints = score_breakpoints(points, t)
    at_zero = float(score_at(breakpoints, t, np.zeros(1))[0])
    noisy = sub_curator.laplace(at_zero, sensitivity=2, epsilon=half, label="score at 0")
    quality = quality_steps(breakpoints, t, 4 * promise, params.candidates)  # step 3
    chosen = rec_concave.release(quality, params.rec_concave_params, sub_curator)
    zero = noisy > t - 2 * promise - 4 / params.epsilon * math.log(2 / params.beta)  # step 2
    return 0.0 if zero else chosen / 2


def _steps_of_search(candidates: int) -> int:
    """Comparisons that a binary search makes at most."""
    return max(1, math.ceil(math.log2(candidates)))


def loss(
    method: str, candidates: int, *, epsilon: float, beta: float, promise: float = 0.0
) -> float:
    """Rows that a method may lose, with probability 1 - beta; proved in :func:`error_bound`.

    >>> [round(loss(method, 21, epsilon=1, beta=0.05)) for method in METHODS[:2]]
    [48, 92]
    """
    if method == "exponential":
        return 8 / epsilon * math.log(candidates / beta)
    if method == "binary search":
        steps = _steps_of_search(candidates)
        return 4 * steps / epsilon * math.log(steps / beta)
    if method == "AboveThreshold":
        return 4 / epsilon * float(threshold_accuracy(checks=candidates, runs=1, beta=beta))
    return max(3 * promise, 2 * promise + 8 / epsilon * math.log(2 / beta))
