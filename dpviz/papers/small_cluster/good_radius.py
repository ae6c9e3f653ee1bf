"""GoodRadius (Algorithm 1, Lemma 3.6): a radius at which some ball holds about t rows.

**Paper.** Nissim, Stemmer and Vadhan (2016), Algorithm 1 (GoodRadius) and section 4.1.

**Setting.** n points of the unit cube, rounded to a public grid. Wanted: a radius z, at most
a few times the least radius of a ball that holds t rows, at which the score L (module
``radius_quality``) is near t. Neighbours replace one record.

**Idea.** L rises with the radius, and one record moves it by less than 2. Ask for a radius where
L is nearly t and where it was less than t just before. That is a quality function, which any
private method of choice can maximise.

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

**Departures.** (1) Method "RecConcave" is the paper's: Laplace test at 0, then RecConcave on
the line 0, 1/2, 1, 3/2 ... grid steps, with r / 2 before r. Its cost is exact (module
``rec_concave``). (2) The others choose on ``radius_grid``, whose radii are at most 1.225 apart,
and compare with the radius before: then z < 2.45 times the least radius instead of 4 times.
Radius 0 is one of the candidates and needs no test. (3) The answer is never below one grid
step, for the centre's sake.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.small_cluster import radius_methods, rec_concave
from dpviz.papers.small_cluster.planted import plant
from dpviz.papers.small_cluster.radius_methods import Params
from dpviz.papers.small_cluster.radius_quality import (
    grid_points,
    score_at,
    score_breakpoints,
    squared_distances,
)
from dpviz.privacy.curator import Curator

METHODS = radius_methods.METHODS


@dataclass(frozen=True)
class Release:
    """What the public sees: the radius, in sides of the cube, and who chose it."""

    radius: float
    method: str


def release(
    data: ArrayLike, params: Params, curator: Curator, *, queries: ArrayLike | None = None
) -> Release:
    """Choose a radius. Costs ``params.epsilon`` (and ``params.delta`` if "RecConcave").

    Parameters
    ----------
    data : array (n, d) in the unit cube, private
    params : Params
    curator : Curator that can pay
    queries : unused

    Raises
    ------
    ValueError
        If t > n or the columns are not d; nothing is spent.
    """
    points = grid_points(data, params.size, outside=params.outside)
    checks.integer("t", params.t, at_least=1, at_most=len(points))
    if points.shape[1] != params.d:
        raise ValueError(f"data must have d = {params.d} columns, not {points.shape[1]}")
    steps = radius_methods.BY[params.method](points, params, curator)
    return Release(max(1.0, steps) / (params.size - 1), params.method)


def truth(data: ArrayLike, queries: ArrayLike | None, params: Params) -> float:
    """Radius of :func:`least_ball`. For comparison only: not private."""
    return least_ball(data, params.t)[0]


def error_bound(params: Params) -> float:
    """Proved: L(z) > t - this, and z < 2.45 (4 if "RecConcave") times the least radius.

    With probability at least 1 - beta. Proof, with M candidates. If the score before z is below
    t, no ball of half the radius before z holds t rows (else L there would be t), so z < 2.45 r.
    *exponential*: with margin 2a = (8 / epsilon) ln(M / beta), the least radius with L >= t - a
    has quality a / 2 at least, and the choice loses less than (2 / epsilon) ln(M / beta) =
    a / 2: both terms of the quality are above 0. *binary search*: s = log2 M comparisons with
    Laplace noise of scale 2 s / epsilon, all within b = (2 s / epsilon) ln(s / beta): two b.
    *AboveThreshold*: L / 2 against t / 2 - x; if the noises stay within x in sum, the radius
    taken has L / 2 >= t / 2 - 2 x and each one before it L / 2 < t / 2: four x. *RecConcave*:
    3 Gamma, or 2 Gamma + (8 / epsilon) ln(2 / beta) if 0 was taken.

    >>> [round(error_bound(Params(t=1, d=10, epsilon=1, beta=0.05, method=m))) for m in METHODS[:2]]
    [59, 138]
    """
    return params.loss


def paper_bound(params: Params) -> float:
    """Lemma 3.6 with the constants of Theorem 4.3: 4 Gamma + (4 / epsilon) ln(1 / beta).

    >>> paper_bound(Params(t=1, d=10, epsilon=1, delta=1e-6)) > 1e9
    True
    """
    line = math.ceil(2 * params.size * math.sqrt(params.d))
    gamma = rec_concave.paper_bound(replace(params.rec_concave_params, candidates=line))
    return 4 * gamma + 4 / params.epsilon * math.log(1 / params.beta)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
    n: int = 10_000,
    spread: float = 0.02,
) -> dict[str, float]:
    """Choose a radius once; how many rows it lost, and how large it is.

    Parameters
    ----------
    data : array (m, d) in the unit cube; by default n rows with a planted ball of t
    queries : unused
    n, spread : rows, and radius of the planted ball, where data are not given

    Returns
    -------
    dict with ``error`` (t - L(z), at least 0), ``bound``, ``radius``, ``ratio`` (to the least
    ball about a row)

    >>> data = np.full((300, 1), 0.5)
    >>> trial(Params(t=200, d=1, epsilon=2), data, rng=0)["error"]
    0.0
    """
    rng = checks.generator(rng)
    if data is None:
        data = plant(n, params.t, params.d, spread, rng=rng).data
    z = release(data, params, params.curator(rng=rng)).radius
    points = grid_points(data, params.size, outside=params.outside)
    radii = np.array([z * (params.size - 1) * (1 + 1e-12)])
    held = score_at(score_breakpoints(points, params.t), params.t, radii)[0]
    best = least_ball(points, params.t)[0] / (params.size - 1)
    return {
        "error": max(0.0, params.t - held),
        "bound": error_bound(params),
        "radius": z,
        "ratio": z / best if best else math.inf,
    }


def least_ball(data: ArrayLike, t: int) -> tuple[float, int]:
    """Least ball about a row that holds t rows: (radius, row). For comparison only: not private.

    Its radius is at most twice the least of all balls.

    >>> least_ball([[0.0], [0.1], [0.3], [1.0]], 3)
    (0.2, 1)
    """
    points = np.asarray(data, dtype=float)
    blocks = range(0, len(points), 512)
    far = [squared_distances(points[a : a + 512], points) for a in blocks]
    nearest = np.concatenate([np.partition(table, t - 1, axis=1)[:, t - 1] for table in far])
    row = int(np.argmin(nearest))
    return math.sqrt(max(0.0, float(nearest[row]))), row
