"""Learners beside Figure 1: nearest values for any Lipschitz function, tangent planes in a cube.

**Paper.** Huang and Roth (2014): the remark before Lemma 4 (on *any* 1-Lipschitz function Figure 1
makes at most 1/alpha mistakes); section 1 ("necessarily grows exponentially") and Lemma 6 (one
learner per coordinate, each to alpha / d).

**Setting.** *Nearest values.* G on [0, 1] has slopes in [-1, 1] but need not be convex. *Tangent
planes.* G on [0, 1]^d is the average l1 distance to records spread evenly over the cube: the sum
over coordinates of (y_i - 1/2)^2 + 1/4. Questions are uniform points.

**Idea.** The maximum of the tangents can never come down: on a tent one tangent learnt on the left
slope overshoots the right end for ever, and remembering values instead of tangents avoids this. A
tangent plane is right near the place where it was learnt, and a cube has exponentially many places;
a sum of one-dimensional functions can be learnt coordinate by coordinate.

**Symbols.**

==========  ============  =================================================  ==========
paper       here          meaning                                            unit
==========  ============  =================================================  ==========
l           ``d``         number of coordinates                              count
alpha       ``alpha``     a guess may be off by this much                    unit of G
alpha_1     alpha / d     what each coordinate may be off by                 unit of G
==========  ============  =================================================  ==========

**Departures.** (1) The remark is false for Figure 1: besides the tent, a tangent is only sure to
be within alpha up to a distance of alpha/2, for value and line may part at rate 2. It is true, as
ceil(1/alpha), for the learner that repeats the nearest value. (2) The paper names the exponential
growth without a proof; the packing bound here is ours and is proved for this G only. (3) In
``trial`` each coordinate tests itself, in Lemma 6 the sum is tested first; so these counts are an
upper limit for Lemma 6's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner import mistake_bounds
from dpviz.papers.distance_queries.learner.convex_learner import Function, Tangents, learn


@dataclass(frozen=True, kw_only=True)
class Params(checks.Declared):
    """What is asked of both learners; all public.

    Attributes
    ----------
    alpha : float in (0, 1), tolerated error of the sum; d : int >= 1, number of coordinates
    k : int >= 1, number of uniform points asked

    >>> Params(alpha=0.02, d=0)
    Traceback (most recent call last):
    ...
    ValueError: d must be a whole number, at least 1, not 0
    """

    alpha: checks.Share
    d: checks.Count
    k: checks.Count = 20_000


def mistake_bound_nearest(alpha: float) -> int:
    """Proved: :class:`NearestConstant` makes at most ceil(1/alpha) mistakes.

    Proof. There is no mistake at a distance of at most alpha from an earlier one, since values
    differ by at most the distance. So any two mistakes are more than alpha apart.

    >>> mistake_bound_nearest(0.01), mistake_bound_nearest(2**-11)
    (100, 2048)
    """
    from fractions import Fraction

    return math.ceil(1 / Fraction(checks.number("alpha", alpha, above=0, below=1)))


def mistake_bound_planes(alpha: float, d: int) -> int:
    """Proved: on ``_bowl``, tangent planes make at most this many mistakes.

    Statements: HR Section 1.1 (direct generalisation).
    Proof. The plane learnt at x is |y - x|^2 too low at y, so mistakes are more
    than 2 r = sqrt(alpha) apart: balls of radius r about them are disjoint and lie in the cube
    grown by r, whose volume Steiner's formula gives.

    >>> mistake_bound_planes(0.02, 1), mistake_bound_planes(0.02, 4)
    (8, 13503)
    """
    r = math.sqrt(checks.number("alpha", alpha, above=0, below=1)) / 2
    checks.integer("d", d, at_least=1)
    grown = sum(math.comb(d, j) * _ball(j) * r**j for j in range(d + 1))
    return math.floor(grown / (_ball(d) * r**d))


def trial(
    params: Params, data: None = None, queries: ArrayLike | None = None, *, rng: checks.Seed
) -> dict[str, float]:
    """Learn ``_bowl`` from the same questions in d dimensions and by coordinates.

    Parameters
    ----------
    data : None; the records are spread evenly, which is what the bound is proved for
    queries : array (k, d) in [0, 1]; None: uniform points

    Returns a dict with ``planes`` (mistakes of the d-dimensional learner), ``coordinates``
    (mistakes of d learners, each to alpha / d) and their proved bounds ``planes_bound``,
    ``coordinates_bound``.

    >>> result = trial(Params(alpha=0.1, d=2, k=500), rng=1)
    >>> result["planes"] <= result["planes_bound"]
    True
    """
    if data is not None:
        raise ValueError("data must be None: the bounds hold for records spread evenly only")
    if queries is None:
        queries = checks.generator(rng).uniform(size=(params.k, params.d))
    queries = checks.queries("queries", queries).reshape(-1, params.d)
    whole = learn(TangentPlanes(params.d), _bowl(params.d), queries, params.alpha)
    share = params.alpha / params.d
    single = Function(lambda y: (y - 0.5) ** 2 + 0.25, lambda y: 2 * y - 1)
    parts = [learn(Tangents(), single, column, share).mistakes for column in queries.T]
    return {
        "planes": whole.mistakes,
        "planes_bound": mistake_bound_planes(params.alpha, params.d),
        "coordinates": sum(parts),
        "coordinates_bound": params.d * mistake_bounds.mistake_bound(share),
    }


def tent() -> Function:
    """G(y) = min(y, 1 - y), with the left derivative: the smallest counterexample.

    >>> float(tent().value(np.array(1.0))), float(tent().slope(np.array(0.5)))
    (0.0, 1.0)
    """
    return Function(
        value=lambda y: np.minimum(y, 1 - y), slope=lambda y: np.where(y <= 0.5, 1.0, -1.0)
    )


class NearestConstant:
    """Guess the value at the nearest place learnt so far, at first 0.

    Statements: HR Section 3.2 (any Lipschitz function).

    >>> learner = NearestConstant()
    >>> learner.update(0.2, 0.7, 0.0)
    >>> learner.predict(np.array([0.0, 1.0])).tolist()
    [0.7, 0.7]
    """

    def __init__(self):
        self._places = np.empty(0)
        self._values = np.empty(0)
        self._between = np.empty(0)  # from where on the next place is nearer

    def predict(self, y: ArrayLike) -> np.ndarray:
        """Value at the learnt place nearest to ``y``; same shape."""
        if not len(self._places):
            return np.zeros(np.shape(y))
        return self._values[np.searchsorted(self._between, y)]

    def update(self, y: float, value: float, slope: float) -> None:
        """Remember the value; the slope is not used."""
        i = self._places.searchsorted(y)
        self._places = _inserted(self._places, i, y)
        self._values = _inserted(self._values, i, value)
        self._between = (self._places[1:] + self._places[:-1]) / 2


def _inserted(values: np.ndarray, i: int, value: float) -> np.ndarray:
    """As ``np.insert`` of one value, which costs ten times as much.

    >>> _inserted(np.array([1.0, 3.0]), 1, 2.0).tolist()
    [1.0, 2.0, 3.0]
    """
    return np.concatenate([values[:i], [value], values[i:]])


class TangentPlanes:
    """Figure 1 in d dimensions: guess the maximum of tangent planes, at first the zero plane.

    >>> learner = TangentPlanes(2)
    >>> learner.update(np.zeros(2), 1.0, -np.ones(2))
    >>> learner.predict(np.array([[0.0, 0.0], [1.0, 1.0]])).tolist()
    [1.0, 0.0]
    """

    def __init__(self, d: int):
        self._slopes = np.zeros((1, d))
        self._heights = np.zeros(1)  # at the origin

    def predict(self, y: np.ndarray) -> np.ndarray:
        """Height of the highest plane at each row of ``y``; shape (k,)."""
        return (y @ self._slopes.T + self._heights).max(axis=1)

    def update(self, y: np.ndarray, value: float, slope: np.ndarray) -> None:
        """Keep the tangent plane at the point ``y``; slopes are clipped to [-1, 1]."""
        slope = np.clip(slope, -1, 1)
        self._slopes = np.vstack([self._slopes, slope])
        self._heights = np.append(self._heights, value - slope @ y)


def _bowl(d: int) -> Function:
    """Average l1 distance to records spread evenly over [0, 1]^d; shapes (k, d) to (k,)."""
    return Function(value=lambda y: ((y - 0.5) ** 2).sum(axis=1) + d / 4, slope=lambda y: 2 * y - 1)


def _ball(d: int) -> float:
    """Volume of the unit ball in d dimensions."""
    return math.pi ** (d / 2) / math.gamma(d / 2 + 1)
