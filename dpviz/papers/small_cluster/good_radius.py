"""GoodRadius: a radius at which some ball of the data holds about t rows.

**Paper.** Nissim, Stemmer and Vadhan (2016), Algorithm 1 (GoodRadius) and section 4.1.

**Setting.** n points of the unit cube, rounded to a public grid. Wanted: a radius z, at most
a few times the least radius of a ball that holds t rows, at which the score L (module
``score``) is near t. Neighbours replace one record.

**Idea.** L rises with the radius, slowly in the data (one record moves it by less than 2). Ask
for a radius where L is nearly t and where it was less than t just before: a hill of quality,
on which any private choice will do.

**Symbols.**

==============  ==============  ============================================  ===============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  ===============
t               ``t``           rows wanted in the ball                       count
L(r, S)         ``score``       see module ``radius_quality``                 count
Q(r, S)         ``quality``     half the lesser of t - L(before r) and        count
                                L(r) - t + room
Gamma           ``promise``     what RecConcave is promised                   count
z               ``radius``      the answer                                    side of cube
==============  ==============  ============================================  ===============

**Departures.** (1) Method "recursive" is the paper's: Laplace test at 0, then RecConcave on
the line 0, 1/2, 1, 3/2 ... grid steps, with r / 2 before r. Its price is exact (module
``concave``). (2) The others choose on ``radius_grid``, whose radii are at most 1.225 apart,
and compare with the radius before: then z < 2.45 times the least radius instead of 4 times.
Radius 0 is one of the candidates and needs no test. (3) The answer is never below one grid
step, for the centre's sake.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.small_cluster import radius_methods, rec_concave
from dpviz.papers.small_cluster.radius_quality import (
    grid_points,
    radius_grid,
    score_at,
    squared_distances,
    staircase,
)
from dpviz.privacy.private_data import OUTSIDE

METHODS = tuple(radius_methods.WAYS)


@dataclass(frozen=True, kw_only=True)
class Params:
    """What is wanted and what it costs; all public.

    Attributes
    ----------
    t : int >= 1, rows wanted
    d : int >= 1, columns
    epsilon, delta : the price; only "recursive" spends (and needs) delta
    beta : float in (0, 1), chance that :func:`error_bound` fails
    size : int >= 2, grid points on an axis
    method : one of ``METHODS``
    outside : "clip" or "refuse"

    >>> Params(t=10, d=1, epsilon=1, method="guess")
    Traceback (most recent call last):
    ...
    ValueError: method must be one of 'exponential', 'search', 'threshold', 'recursive', not 'guess'
    """

    t: int
    d: int
    epsilon: float
    delta: float = 0.0
    beta: float = 0.1
    size: int = 2**16
    method: str = "exponential"
    outside: str = "clip"

    def __post_init__(self):
        for name, least in {"t": 1, "d": 1, "size": 2}.items():
            checks.integer(name, getattr(self, name), at_least=least)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, at_most=0.5)
        checks.number("beta", self.beta, above=0, below=1)
        checks.choice("method", self.method, METHODS)
        checks.choice("outside", self.outside, OUTSIDE)
        if 4 * self.d * (self.size - 1) ** 2 >= 2**53:
            raise ValueError("size must keep squared distances exact: 4 d (size - 1)^2 < 2^53")
        if self.method == "recursive" and self.delta == 0:
            raise ValueError("delta must be above 0 for the method 'recursive'")

    @property
    def candidates(self) -> int:
        """How many radii the method chooses among."""
        if self.method == "recursive":
            return 2 * self.size * math.ceil(math.sqrt(self.d)) + 1
        return len(radius_grid(self.size, self.d))

    @property
    def promise(self) -> float:
        """Gamma: what RecConcave needs at half of epsilon and of beta."""
        budget = {"epsilon": self.epsilon / 2, "delta": self.delta, "beta": self.beta / 2}
        return rec_concave.error_bound(self.candidates, **budget)

    @property
    def loss(self) -> float:
        """Rows that may be lost: see :func:`error_bound`."""
        promise = self.promise if self.method == "recursive" else 0.0
        price = {"epsilon": self.epsilon, "beta": self.beta}
        return radius_methods.loss(self.method, self.candidates, **price, promise=promise)


@dataclass(frozen=True)
class Release:
    """What the public sees: the radius, in sides of the cube, and who chose it."""

    radius: float
    method: str


def release(data: Any, params: Params, curator: Any) -> Release:
    """Choose a radius. Costs ``params.epsilon`` (and ``params.delta`` if "recursive").

    Parameters
    ----------
    data : array (n, d) in the unit cube, private
    params : Params
    curator : Curator that can pay

    Raises
    ------
    ValueError
        If t > n or the columns are not d; nothing is spent.
    """
    points = grid_points(data, params.size, outside=params.outside)
    checks.integer("t", params.t, at_least=1, at_most=len(points))
    if points.shape[1] != params.d:
        raise ValueError(f"data must have d = {params.d} columns, not {points.shape[1]}")
    steps = radius_methods.WAYS[params.method](points, params, curator)
    return Release(max(1.0, steps) / (params.size - 1), params.method)


def truth(data: Any, t: int) -> tuple[float, int]:
    """Least ball about a row that holds t rows: (radius, row). For comparison only: not private.

    Its radius is at most twice the least of all balls.

    >>> truth([[0.0], [0.1], [0.3], [1.0]], 3)
    (0.2, 1)
    """
    points = np.asarray(data, dtype=float)
    blocks = range(0, len(points), 512)
    far = [squared_distances(points[a : a + 512], points) for a in blocks]
    nearest = np.concatenate([np.partition(table, t - 1, axis=1)[:, t - 1] for table in far])
    row = int(np.argmin(nearest))
    return math.sqrt(max(0.0, float(nearest[row]))), row


def error_bound(params: Params) -> float:
    """Proved: but for beta, L(z) > t - this, and z < 2.45 (4 if "recursive") least radii.

    Proof, M candidates. If the score before z is below t, no ball of half the radius before z
    holds t rows (else L there would be t), so z < 2.45 r. *exponential*: with room
    2a = (8 / epsilon) ln(M / beta), the least radius with L >= t - a has quality a / 2 at
    least, and the choice loses less than (2 / epsilon) ln(M / beta) = a / 2: both parts of
    the quality are above 0. *search*: s = log2 M comparisons with Laplace noise of scale
    2 s / epsilon, all within b = (2 s / epsilon) ln(s / beta): two b. *threshold*: L / 2
    against t / 2 - x; if the noises stay within x in sum, the hit has L / 2 >= t / 2 - 2 x and
    every miss L / 2 < t / 2: four x. *recursive*: 3 Gamma, or 2 Gamma + (8 / epsilon)
    ln(2 / beta) if 0 was taken.

    >>> [round(error_bound(Params(t=1, d=10, epsilon=1, beta=0.05, method=m))) for m in METHODS[:2]]
    [59, 138]
    """
    return params.loss


def paper_bound(params: Params) -> float:
    """Lemma 3.6 with the constants of Theorem 4.3: 4 Gamma + (4 / epsilon) ln(1 / beta).

    >>> paper_bound(Params(t=1, d=10, epsilon=1, delta=1e-6)) > 1e9
    True
    """
    budget = {"epsilon": params.epsilon / 2, "delta": params.delta, "beta": params.beta / 2}
    gamma = rec_concave.paper_bound(2 * params.size * math.sqrt(params.d), **budget)
    return 4 * gamma + 4 / params.epsilon * math.log(1 / params.beta)


def trial(params: Params, data: Any, *, rng: checks.Seed) -> dict[str, float]:
    """Choose a radius once; how many rows it lost, and how large it is.

    Returns
    -------
    dict with ``error`` (t - L(z), at least 0), ``bound``, ``radius``, ``ratio`` (to the least
    ball about a row)

    >>> data = np.full((300, 1), 0.5)
    >>> trial(Params(t=200, d=1, epsilon=2), data, rng=0)["error"]
    0.0
    """
    from dpviz.privacy.curator import Curator

    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    z = release(data, params, curator).radius
    points = grid_points(data, params.size, outside=params.outside)
    radii = np.array([z * (params.size - 1) * (1 + 1e-12)])
    held = score_at(staircase(points, params.t), params.t, radii)[0]
    best = truth(points, params.t)[0] / (params.size - 1)
    return {
        "error": max(0.0, params.t - held),
        "bound": error_bound(params),
        "radius": z,
        "ratio": z / best if best else math.inf,
    }
