"""Levy's Brownian field: all queries of a metric of negative type, at the noise of about one.

**Paper.** Beside Huang and Roth (2014), Theorem 10, whose projections it does without. The noise is
that of the functional mechanism (Hall, Rinaldo and Wasserman 2013).

**Setting.** n private records and any number of queries in a public metric space (X, d) of
negative type: sum of w(a) w(b) d(a, b) <= 0 whenever the weights w add up to 0. Such are the
Euclidean distance, l_p for 1 <= p <= 2, trees, cuts; a finite metric is tested. delta > 0.

**Idea.** Minus such a distance is a covariance, but for what depends on one point alone: some
Gaussian field Z has E (Z(y) - Z(y'))^2 = 2 d(y, y'). Add it to the whole function F. One record
changes F by little in the norm that belongs to this noise, so every answer has about the noise
that a single one would need, whatever the dimension. Nothing is embedded or approximated.

**Symbols.**

===========  ========================  ===================================================  =======
usual        here                      meaning                                              unit
===========  ========================  ===================================================  =======
K            ``covariance``            of the field, before it is scaled                    of d
q(y)         ``offset``                d(y, c), or the average of d(y, z) under public      of d
                                       weights of z, less half of their mean distance
a^2          ``level``                 K(c, c): variance of the field at the center         of d
S            ``sensitivity`` squared   n^2 times a record's squared change of F, in K's     of d
                                       norm
R            half the ``diameter``     records and queries lie within R of c                of d
c_d          ``crofton``               1 / E|u_1|, u a random direction of R^d              1
===========  ========================  ===================================================  =======

**Departures.** Beyond the paper, and no priority is claimed. (1) Two covariances: Levy's, for every
metric of negative type, and one made from directions, for few Euclidean coordinates; the one with
less noise is used. (2) 1e-6 of the largest variance is added on the diagonal, so that no rounding
is amplified: it only adds noise. (3) A distance of negative type need not obey the triangle
inequality here: :func:`nearest` may return such a table. (4) Without delta there is no such
noise; projections with the Haar release then have an error of order (n epsilon)^(-1/2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import accounting, checks
from dpviz.papers.distance_queries.embeddings.metrics import Norm, Table, codes
from dpviz.papers.distance_queries.releases.noise_suprema import normal_union
from dpviz.privacy.account import Single, Turn
from dpviz.privacy.curator import APPROXIMATE, Curator, Promise
from dpviz.privacy.online import Answer

METHODS = ("levy", "directions")
LARGEST = 4096  # queries: their covariance is a matrix of as many rows
JITTER = 1e-6  # of the largest variance, added to every one
ROUNDING = 1e-10  # of the largest distance, for each point: what is smaller breaks no rule
RARE = 1e-3  # share of beta for what is added on the diagonal
LEVELS = 200  # of the chain of grids; what is left is below 1e-29 of the first
STEPS = 10_000  # towards the center of the smallest ball
BLOCK = 2**22  # distances at a time
LABEL = "average distances"


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """The metric and the budget, all public.

    Attributes
    ----------
    n : int >= 1, number of records; metric : Table or Norm (p <= 2) of negative type
    epsilon : float > 0; delta : float in (0, 1)
    method : "levy" or "directions" (Euclidean only), the covariance; None: the one with less noise

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> plane = norm([0, 0], [1, 1], unit=False)
    >>> Params(n=100, metric=plane, epsilon=1.0, delta=1e-6).field.__class__.__name__
    'Directions'
    """

    delta_range = APPROXIMATE

    n: checks.Count
    metric: Table | Norm
    method: str | None = None

    def __post_init__(self):
        super().__post_init__()
        check_negative_type(self.metric)
        if not self.metric.diameter > 0:
            raise ValueError("metric must have two points that are apart")
        if self.method is not None:
            checks.choice("method", self.method, METHODS)
            if self.method == "directions" and not _euclidean(self.metric):
                raise ValueError("method must be 'levy' unless the metric is Euclidean")

    @cached_property
    def field(self) -> Levy | Directions:
        """The Gaussian field, before it is scaled."""
        levy = _levy_of_table if isinstance(self.metric, Table) else _levy_of_norm
        makers: list[Any] = [] if self.method == "directions" else [levy]
        if self.method != "levy" and _euclidean(self.metric):
            makers.append(_directions)
        return min((make(self.metric) for make in makers), key=_worst)

    @property
    def unit(self) -> float:
        """Standard deviation of the Gaussian mechanism for sensitivity 1."""
        return accounting.gaussian_sd(epsilon=self.epsilon, delta=self.delta)


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees: answers to the queries that were handed in.

    Attributes
    ----------
    queries : codes (k,), or array (k, d); answers : array (k,)
    """

    params: Params
    queries: NDArray
    answers: NDArray


class Interactive(Single):
    """Answers any queries, one by one. Costs (epsilon, delta), charged when it is made.

    Each new query gets the field's value there, drawn given all that was drawn before: one row of
    a Cholesky factor L of K. What is released are the noisy coordinates L^(-1) (F - public part)
    at the queries so far, whose squared change is the squared norm of F's change, seen through
    those queries alone: at most S / n^2, whatever is asked (``Curator.lazy_gaussian``). The same
    query gets the same answer, in every thread: a second draw would average the noise away.

    Parameters
    ----------
    data : n private records: codes of a Table, rows of numbers for a Norm
    curator : a basic one that can pay (epsilon, delta)

    Raises BudgetExceeded, ValueError or TypeError; nothing is spent then.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> params = Params(n=2, metric=norm([0, 0], [3, 4], unit=False), epsilon=1e7, delta=0.1)
    >>> field = Interactive([[0, 0], [3, 4]], params, params.curator(rng=0))
    >>> field.answer([0, 0])
    Answer(value=2.50, kind='measured')
    """

    def __init__(self, data: ArrayLike, params: Params, curator: Curator):
        _check(params, curator)
        self.params = params
        self._records = _records(data, params)
        self._noise = curator.lazy_gaussian(**_charge(params))
        self._turn = Turn()
        self._places: dict[tuple, int] = {}
        self._asked: NDArray | None = None
        self._factor = np.zeros((0, 0))
        self._clean = np.zeros(0)
        self._noisy = np.zeros(0)
        self._answers = np.zeros(0)

    def answer(self, query: ArrayLike) -> Answer:
        """Average distance from one query, "measured"."""
        return Answer(float(self.answer_all([query])[0][0]), "measured")

    def answer_all(self, queries: ArrayLike) -> tuple[NDArray, NDArray]:
        """Values (k,) and kinds (k,) of many queries, in order."""
        points = _points(queries, self.params)
        keys = _keys(points)
        with self._turn:
            new = {key: i for key, i in _first(keys).items() if key not in self._places}
            if new:
                old = len(self._answers)
                self._extend(points[list(new.values())])
                self._places |= {key: old + i for i, key in enumerate(new)}
            values = self._answers[[self._places[key] for key in keys]]
        return values, np.full(len(values), "measured")

    def _extend(self, points: NDArray) -> None:
        """Draw the field at new points, given what was drawn."""
        from scipy.linalg import cholesky, solve_triangular

        old, more = len(self._noisy), len(points)
        _check_number(old + more)
        field = self.params.field
        cross = np.zeros((more, old))
        if self._asked is not None:
            joint = field.covariance(self._asked, points)
            cross = solve_triangular(self._factor, joint, lower=True).T
        corner = cholesky(_jittered(points, self.params) - cross @ cross.T, lower=True)
        private = _averages(self._records, points, self.params) - field.offset(points)
        white = solve_triangular(corner, private - cross @ self._clean, lower=True)
        noisy = self._noise.coordinates(white)
        upper = np.concatenate([self._factor, np.zeros((old, more))], axis=1)
        self._factor = np.concatenate([upper, np.concatenate([cross, corner], axis=1)])
        self._asked = points if self._asked is None else np.concatenate([self._asked, points])
        self._clean = np.append(self._clean, white)
        self._noisy = np.append(self._noisy, noisy)
        values = self._factor[old:] @ self._noisy + field.offset(points)
        self._answers = np.append(self._answers, _possible(values, points, self.params))


def release(data: ArrayLike, params: Params, curator: Curator, *, queries: ArrayLike) -> Release:
    """Answer all queries at once. Costs (epsilon, delta), one Gaussian charge.

    Statements: lesson Theorem 4.10; lesson Theorem 4.11.
    White noise on L^(-1) (F - public part) at the queries, L L' = K there, seen through L: the
    noise has covariance K. Proof of the sensitivity: what a record changes, as a vector v over any
    queries, has v' K^(-1) v at most the squared norm of its change in the space of K.

    *Levy.* With g_x(y) = d(x, y) - q(y) = (1 + q(x) / a^2) K(c, y) - K(x, y) and the reproducing
    property, |g_x - g_x'|^2 = (q(x) - q(x'))^2 / a^2 + 2 d(x, x'). If c is a point, d(x, x') <=
    q(x) + q(x'), and for a^2 = R / 2 this is at most S = 4 R: it is convex in the larger q, which
    is R or equals the other one. K(y, y) = a^2 + 2 q(y) <= 5 R / 2, so the standard deviation is
    at most sqrt(10) R / n times that of the mechanism for sensitivity 1, and one query asked alone
    has sensitivity 2 R / n: sqrt(10) / 2 = 1.58 times. A Table has S computed over all pairs.

    *Directions* (Euclidean). |x - y| = c_d (R - <s_x, s_y> / 2), s_x(u, t) = sign(t - <u, x>) over
    directions u and t in [-R, R] (a segment's projections have the length |x - y| / c_d on
    average), |s_x - s_x'|^2 = 4 |x - x'| / c_d. Of this 2 |x - x'|^2 / (R d) lies in what is
    constant in t; the rest is given the variance r, so S = 8 R / (c_d r) - 8 R (1 / r - 1) / d,
    if d >= 2 c_d (1 - r), for then it grows with |x - x'| up to 2 R. The best r makes the ratio
    c_d (1/d + sqrt((1/c_d - 1/d) (1 - 1/d))): 1, 1.20, 1.33, 1.44, 1.53 for d = 1 to 5.

    Parameters
    ----------
    data : n private records: codes of a Table, rows of numbers for a Norm
    queries : codes, or rows of numbers in the box; at most 4096 different ones

    Raises BudgetExceeded, ValueError or TypeError; nothing is spent then.
    """
    _check(params, curator)
    return _release(_records(data, params), params, curator, queries=queries)


def answer(release: Release, queries: ArrayLike) -> NDArray:
    """Answers (k,) to queries of the release; ``ValueError`` for others. Free: post-processing."""
    place = {key: i for i, key in enumerate(_keys(release.queries))}
    asked = _keys(_points(queries, release.params))
    if not place.keys() >= set(asked):
        raise ValueError("queries must be among those of the release: Interactive answers any")
    return release.answers[[place[key] for key in asked]]


def truth(data: ArrayLike, queries: ArrayLike, params: Params) -> NDArray:
    """Exact average distances, shape (k,). For comparison only: not private."""
    return _averages(_admitted(data, params), _points(queries, params), params)


def error_bound(params: Params, *, k: int | None = None) -> float:
    """Proved: with probability 1 - beta no answer is off by more, for any data.

    Statements: lesson Theorem 4.10.
    With ``k`` for k queries that are chosen without looking at the answers; without it for all, so
    also for queries that depend on earlier answers, which can look for the places where the noise
    is large.

    Proof. *k.* Each error is normal with at most :func:`worst_sd`; a union bound. *All of a Table*:
    its points. *All of a box*: the centers of its cells, 2^j a side, j = J, J + 1, ...: a center
    and that of its cell one level up are R / 2^(j + 1) apart, so the field differs there with the
    variance i R / 2^(j + 1), i = 2 or c_d (``increment``). N normals exceed sqrt(2 ln(N / b)) of
    their standard deviation with probability at most b. Of (1 - 1/1000) beta, one half is for the
    2^(J d) first centers, 1 / 2^(j - J + 2) for the 2^((j + 1) d) steps of level j; the field is
    continuous. The rest of beta is for what is added on the diagonal, anew at each of at most 4096
    queries. Clipping enlarges no error.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> params = Params(n=1000, metric=norm([0, 0], [1, 1]), epsilon=1.0, delta=1e-6)
    >>> 1000 * error_bound(params, k=1), 1000 * error_bound(params)
    (9.9, 33.4)
    """
    worst = worst_sd(params)
    if isinstance(params.metric, Table):
        many = len(params.metric.names)
        everywhere = worst * normal_union(params.beta, many)
    else:
        everywhere = _chained(params)
    if k is None:
        return everywhere
    return min(everywhere, worst * normal_union(params.beta, k))


def trial(
    params: Params, data: ArrayLike, queries: ArrayLike, *, rng: checks.Seed
) -> dict[str, float]:
    """One release with a fresh budget, and its errors.

    Parameters
    ----------
    data : n private records; if fewer, each stands for equally many equal ones

    Returns a dict with ``error`` (largest), ``rms``, ``sd`` (:func:`worst_sd`), ``bound`` (for so
    many queries).

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> params = Params(n=600, metric=norm([0, 0], [1, 1]), epsilon=1.0, delta=1e-6)
    >>> found = trial(params, [[0, 0], [1, 0]], [[0.5, 0.5], [0, 1]], rng=0)
    >>> found["rms"] <= found["error"] <= found["bound"]
    True
    """
    own = _admitted(data, params)
    if params.n % len(own):
        raise ValueError(f"n must be a multiple of the number of rows, not {params.n}")
    curator = params.curator(rng=rng)
    points = _points(queries, params)
    released = _release(own, params, curator, queries=points)
    gap = answer(released, points) - _averages(own, points, params)
    return {
        "error": float(np.abs(gap).max()),
        "rms": float(np.sqrt(np.mean(gap**2))),
        "sd": worst_sd(params),
        "bound": error_bound(params, k=len(points)),
    }


def worst_sd(params: Params) -> float:
    """Largest standard deviation of an answer's noise, over all queries.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> params = Params(n=10, metric=norm(np.zeros(9), np.ones(9)), epsilon=1.0, delta=1e-6)
    >>> (worst_sd(params) / single_query_sd(params)) ** 2
    2.5
    """
    field = params.field
    return field.sensitivity * params.unit / params.n * math.sqrt(field.variance * (1 + JITTER))


def standard_deviation(params: Params, queries: ArrayLike) -> NDArray:
    """Standard deviation of each answer's noise, before answers are clipped; shape (k,).

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> params = Params(n=10, metric=norm([0, 0], [1, 1]), epsilon=1.0, delta=1e-6)
    >>> standard_deviation(params, [[0.5, 0.5], [1, 1]]) / single_query_sd(params)
    array([0.99, 1.20])
    """
    field = params.field
    points = _points(queries, params)
    own = np.array([field.covariance(point[None], point[None])[0, 0] for point in points])
    scale = field.sensitivity * params.unit / params.n
    return scale * np.sqrt(own + JITTER * field.variance)


def single_query_sd(params: Params) -> float:
    """Standard deviation that the worst query needs if it is asked alone: its diameter's.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> params = Params(n=10, metric=norm([0, 0], [1, 1]), epsilon=1.0, delta=1e-6)
    >>> single_query_sd(params) == params.unit / 10
    True
    """
    return params.unit * params.metric.diameter / params.n


def least_ratio(d: int) -> float:
    """Least worst sd of Gaussian noise for all queries of a ball in R^d, over a single one's.

    Statements: lesson Theorem 4.11.
    sqrt(1 + (e_d - 1)^2), e_d the mean distance of two points of the unit sphere: at most 1.083.
    Proof. Let Sigma be the noise's covariance at N random points of the sphere, C that of the
    records' differences v over any law of pairs. Privacy means v' Sigma^(-1) v <= 1 (in units of
    the Gaussian mechanism), so tr(Sigma^(-1) C) <= 1 and by Cauchy and Schwarz tr Sigma >= (tr
    C^(1/2))^2. A share p of pairs are antipodes, the others independent. As N grows, C / N has the
    eigenvalues of the integral operator: l_j^2 (4 p [j odd] + 2 (1 - p)), N_j times each, where
    |x - y| = R sum of l_j Z_j on the sphere (spherical harmonics), l_j <= 0 for j > 0. The sum of
    N_j |l_j| is 1 over odd j (from x and -x) and e_d - 1 over even j > 0 (from x and x): the
    largest (sqrt(2 + 2 p) + (e_d - 1) sqrt(2 - 2 p))^2 over p is 4 (1 + (e_d - 1)^2), against the
    square of the sensitivity 2 of one query.

    >>> [least_ratio(d) for d in (1, 2, 3, 10**6)]
    [1.0, 1.037, 1.054, 1.082]
    """
    checks.integer("d", d, at_least=1)
    log = (d - 1) * math.log(2) + 2 * math.lgamma(d / 2) - math.lgamma(d - 0.5)
    return math.hypot(1.0, math.exp(log) / math.sqrt(math.pi) - 1)


def records_needed(params: Params, *, k: int | None = None) -> int:
    """How many records it takes until the bound is below half the diameter, a constant's error.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> params = Params(n=1, metric=norm([0, 0], [1, 1]), epsilon=1.0, delta=1e-6)
    >>> records_needed(params, k=1), records_needed(params)
    (20, 67)
    """
    half = params.metric.diameter / 2
    return math.ceil(params.n * error_bound(params, k=k) / half)


@dataclass(frozen=True, eq=False)
class Levy:
    """K(y, y') = a^2 + q(y) + q(y') - d(y, y'): Levy's Brownian field, and a constant.

    Attributes
    ----------
    metric : Table or Norm
    center : public points, codes or rows, and their ``weights``, which add up to 1
    half : float, half of the mean distance of two of them
    level : float > 0, a^2
    sensitivity, variance : float, sqrt(S) and the largest K(y, y)

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> field = _levy_of_norm(norm([0, 0], [3, 4], unit=False))
    >>> field.covariance(np.array([[1.5, 2.0]]), np.array([[0.0, 0.0], [1.5, 2.0]])).tolist()
    [[1.25, 1.25]]
    """

    metric: Table | Norm
    center: NDArray
    weights: NDArray
    half: float
    level: float
    sensitivity: float
    variance: float
    increment: float = 2.0

    def offset(self, points: NDArray) -> NDArray:
        """q at some points; shape (k,)."""
        return self.weights @ self.metric.distances(self.center, points) - self.half

    def covariance(self, points: NDArray, others: NDArray) -> NDArray:
        """K, shape (k, m)."""
        mine, theirs = self.offset(points), self.offset(others)
        return self.level + mine[:, None] + theirs - self.metric.distances(points, others)


@dataclass(frozen=True, eq=False)
class Directions:
    """(c_d^2 / 4) <s_y, s_y'>, all but its part that is constant in t with the variance r.

    Attributes
    ----------
    metric : Norm, Euclidean; share : float, r
    sensitivity, variance, increment : float, as of :class:`Levy`

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> field = _directions(norm([0], [2], unit=False))
    >>> field.covariance(np.array([[0.0]]), np.array([[0.0], [1.0], [2.0]])).tolist()
    [[0.5, 0.0, -0.5]]
    """

    metric: Norm
    share: float
    sensitivity: float
    variance: float
    increment: float

    def offset(self, points: NDArray) -> NDArray:
        """c_d R, the same everywhere: the average over all directions and places; shape (k,)."""
        radius = self.metric.diameter / 2
        return np.full(len(points), _crofton(self.metric.box.d) * radius)

    def covariance(self, points: NDArray, others: NDArray) -> NDArray:
        """K, shape (k, m)."""
        box, d = self.metric.box, self.metric.box.d
        radius, c = self.metric.diameter / 2, _crofton(d)
        middle = np.add(box.lower, box.upper) / 2
        inner = (points - middle) @ (others - middle).T / self.metric.scale**2
        apart = self.metric.distances(points, others)
        flat, whole = 2 * inner / (radius * d), 2 * radius - 2 * apart / c
        return c**2 / 4 * (self.share * whole + (1 - self.share) * flat)


def _levy_of_norm(metric: Norm) -> Levy:
    """Levy's field around the middle of a box, with a^2 = R / 2 and S = 4 R."""
    radius = metric.diameter / 2
    middle = np.add(metric.box.lower, metric.box.upper)[None] / 2
    sensitivity, variance = 2 * math.sqrt(radius), 5 * radius / 2
    return Levy(metric, middle, np.ones(1), 0.0, radius / 2, sensitivity, variance)


def _levy_of_table(metric: Table) -> Levy:
    """Levy's field of a finite metric, around a point or the middle of all, whichever is better.

    The middle is the center of the smallest ball around the points in the Hilbert space in which
    d is a squared distance, nearly (Badoiu and Clarkson's iteration); whatever the center is, S is
    the largest over all pairs of points, and a^2 the level with the least noise.
    """
    table = metric.table
    near = np.eye(len(table))[table.max(axis=0).argmin()]
    centers = [near, _center(table.astype(float).tobytes(), int(near.argmax()))]
    return min((_leveled(metric, each) for each in centers), key=_worst)


@lru_cache(maxsize=2)
def _center(stored: bytes, start: int) -> NDArray:
    """Weights of the center of the smallest ball: a release asks for the same a few times."""
    table = np.frombuffer(stored).reshape(math.isqrt(len(stored) // 8), -1)
    place = np.eye(len(table))
    weights, distances = place[start], table[:, start]
    for step in range(STEPS):
        farthest = distances.argmax()
        weights = weights + (place[farthest] - weights) / (step + 2)
        distances = distances + (table[farthest] - distances) / (step + 2)
    return weights


def _directions(metric: Norm) -> Directions:
    """The field made from directions, with the best r."""
    d, radius = metric.box.d, metric.diameter / 2
    c = _crofton(d)
    share = 0.5 if d == 1 else math.sqrt((1 / c - 1 / d) / (1 - 1 / d))
    squared = 8 * radius * (1 / (c * share) - (1 / share - 1) / d)
    variance = c**2 / 2 * radius * (1 / d + share * (1 - 1 / d))
    return Directions(metric, share, math.sqrt(squared), variance, c)


def _crofton(d: int) -> float:
    """c_d = 1 / E|u_1| = sqrt(pi) Gamma((d + 1) / 2) / Gamma(d / 2) over directions u of R^d."""
    return math.sqrt(math.pi) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))


def check_negative_type(metric: object) -> None:
    """Raise unless a metric is known to be of negative type; a message names public points.

    Statements: lesson Definition 4.9.

    A Table is of negative type if and only if J T J has no eigenvalue above 0, J taking out means
    (Schoenberg). The l_p distance is for p <= 2: |t|^p is an integral of 1 - cos(t s) with positive
    weights, hence of negative type, and so is a root of it, an integral of 1 - exp(-t s).

    >>> from dpviz.papers.distance_queries.embeddings.metrics import shortest_paths
    >>> ties = [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4]]
    >>> check_negative_type(shortest_paths(ties, "abxyz", unit=False))
    Traceback (most recent call last):
    ...
    ValueError: metric must be of negative type, but with the weights 0.55 of a, 0.55 of b, -0.37 \
of x, -0.37 of y, -0.37 of z the sum of w w d is 0.4, above 0
    """
    if isinstance(metric, Norm):
        if metric.p > 2:
            rule = "p must be at most 2"
            raise ValueError(f"metric must be of negative type: {rule}, not {metric.p}")
        return
    if not isinstance(metric, Table):
        kind = type(metric).__name__
        raise TypeError(f"metric must be a Table or a Norm of negative type, not {kind}")
    sizes, vectors = np.linalg.eigh(_centred(metric.table))
    if sizes[-1] > ROUNDING * len(metric.table) * metric.diameter:
        weights = vectors[:, -1] * np.sign(vectors[np.abs(vectors[:, -1]).argmax(), -1])
        largest = np.argsort(-np.abs(weights), kind="stable")[:6]
        named = ", ".join(f"{weights[i]:.2g} of {metric.names[i]}" for i in sorted(largest))
        more = " and others" if len(weights) > len(largest) else ""
        raise ValueError(
            f"metric must be of negative type, but with the weights {named}{more} the sum of w w d "
            f"is {sizes[-1]:.2g}, above 0"
        )


def nearest(metric: Table, *, steps: int = 300) -> Table:
    """The table of negative type that is nearest to a finite metric, by least squares, nearly.

    Dykstra's alternating projections between the tables of negative type and those with a
    diagonal of 0 (Glunt, Hayden, Hong and Wells 1990). What is left above 0 after the last step is
    added to all distances, so the result is of negative type exactly; it need not obey the triangle
    inequality. Public: no record is used.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import shortest_paths
    >>> ties = [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4]]
    >>> nearest(shortest_paths(ties, "abxyz", unit=False)).table[0].tolist()
    [0.0, 1.84, 1.10, 1.10, 1.10]
    """
    if not isinstance(metric, Table):
        raise TypeError(f"metric must be a Table, not {type(metric).__name__}")
    checks.integer("steps", steps, at_least=1)
    table = metric.table.copy()
    correction = np.zeros_like(table)
    for _ in range(steps):
        before = table + correction
        sizes, vectors = np.linalg.eigh(_centred(before))
        above = (vectors * np.maximum(sizes, 0)) @ vectors.T
        correction = above
        table = before - above
        np.fill_diagonal(table, 0.0)
    table = (table + table.T) / 2
    left = max(0.0, float(np.linalg.eigvalsh(_centred(table))[-1]))
    return Table(metric.names, np.maximum(table + left * (1 - np.eye(len(table))), 0.0))


def _centred(table: NDArray) -> NDArray:
    """J T J: means of rows and columns taken out."""
    rows = table - table.mean(axis=0)
    return rows - rows.mean(axis=1, keepdims=True)


def _leveled(metric: Table, weights: NDArray) -> Levy:
    """Levy's field around a center, with the level that makes the worst variance least."""
    from scipy.optimize import minimize_scalar

    table = metric.table
    half = float(weights @ table @ weights) / 2
    offsets = table @ weights - half
    squares = (offsets[:, None] - offsets) ** 2
    top = float(offsets.max())

    def squared(level: float) -> float:
        return float((squares / level + 2 * table).max())

    def worst(log: float) -> float:
        return squared(math.exp(log)) * (math.exp(log) + 2 * top)

    span = math.log(metric.diameter)
    found = minimize_scalar(worst, bounds=(span - 16, span + 2), method="bounded")
    level = math.exp(found.x)
    sensitivity = math.sqrt(squared(level))
    return Levy(metric, metric.points, weights, half, level, sensitivity, level + 2 * top)


def _worst(field: Levy | Directions) -> float:
    """What a field's worst answer has to pay, squared and without the mechanism's unit."""
    return field.sensitivity**2 * field.variance


def _euclidean(metric: Table | Norm) -> bool:
    """Whether directions measure it."""
    return isinstance(metric, Norm) and (metric.p == 2 or metric.box.d == 1)


def _chained(params: Params) -> float:
    """The bound for all of a box: grids, each finer than the one before."""
    field, d = params.field, params.metric.box.d
    scale = field.sensitivity * params.unit / params.n
    level = np.arange(LEVELS)
    step = scale * np.sqrt(field.increment * params.metric.diameter / 4 / 2.0**level)
    beta = params.beta * (1 - RARE)
    bounds = []
    for first in range(30):
        start = worst_sd(params) * _union(first * d + 1, beta)
        finer = level[first:]
        steps = _union((finer + 1) * d + finer - first + 2, beta)
        bounds.append(start + float(step[finer] @ steps))
    jitter = math.sqrt(JITTER) * worst_sd(params)
    return float(min(bounds) + jitter * _union(math.log2(LARGEST), RARE * params.beta))


def _union(bits: ArrayLike, beta: float) -> NDArray:
    """sqrt(2 ln(2^bits / beta)): 2^bits normals exceed it in size with probability at most beta."""
    return np.sqrt(2 * (np.asarray(bits) * math.log(2) + math.log(1 / beta)))


def _release(own: NDArray, params: Params, curator: Curator, *, queries: ArrayLike) -> Release:
    """Answers from admitted records, which may be few that occur equally often."""
    from scipy.linalg import cholesky, solve_triangular

    points = _points(queries, params)
    points = points[list(_first(_keys(points)).values())]
    _check_number(len(points))
    factor = cholesky(_jittered(points, params), lower=True)
    public = params.field.offset(points)
    white = solve_triangular(factor, _averages(own, points, params) - public, lower=True)
    noisy = curator.gaussian(white, factor=factor, **_charge(params))
    return Release(params, points, _possible(np.asarray(noisy) + public, points, params))


def _jittered(points: NDArray, params: Params) -> NDArray:
    """K at some points, with a little more on its diagonal."""
    field = params.field
    return field.covariance(points, points) + JITTER * field.variance * np.eye(len(points))


def _charge(params: Params) -> dict[str, Any]:
    """What the one release costs, and its sensitivity."""
    return {
        "sensitivity": params.field.sensitivity / params.n,
        "epsilon": params.epsilon,
        "delta": params.delta,
        "label": LABEL,
    }


def _check(params: Params, curator: Curator) -> None:
    """Raise a ``TypeError`` or ``ValueError`` before anything is spent."""
    checks.instance("params", params, Params)
    params.payable_by(curator)
    needed = records_needed(params, k=1)
    if params.n < needed:
        rule = "with fewer records one answer is worse than a constant"
        raise ValueError(f"n must be at least {needed}, not {params.n}: {rule}")


def _check_number(queries: int) -> None:
    """Raise a ``ValueError`` if a matrix of so many rows is too large."""
    if queries > LARGEST:
        rule = "any_metric answers more, from projections"
        raise ValueError(f"queries must be at most {LARGEST} different ones, not {queries}: {rule}")


def _admitted(data: ArrayLike, params: Params) -> NDArray:
    """Records put into the public space, one by one."""
    metric = params.metric
    if isinstance(metric, Table):
        return codes("data", data, len(metric.names))
    return metric.box.clipped(data)


def _records(data: ArrayLike, params: Params) -> NDArray:
    """As many records as ``params`` says, admitted."""
    own = _admitted(data, params)
    if len(own) != params.n:
        raise ValueError(f"data must have n = {params.n} records, as params says")
    return own


def _points(queries: ArrayLike, params: Params) -> NDArray:
    """Public queries: codes (k,), or rows (k, d) in the box."""
    metric = params.metric
    if isinstance(metric, Table):
        return codes("queries", queries, len(metric.names))
    points = metric.box.admitted(checks.matrix("queries", queries, metric.box.d))
    if not len(points):
        raise ValueError("queries must hold at least one query")
    return points


def _keys(points: NDArray) -> list[tuple]:
    """Something that equal queries share and others do not."""
    return [tuple(row) for row in points.reshape(len(points), -1).tolist()]


def _first(keys: list[tuple]) -> dict[tuple, int]:
    """Where each different key stands first, in their order."""
    places: dict[tuple, int] = {}
    for i, key in enumerate(keys):
        places.setdefault(key, i)
    return places


def _averages(own: NDArray, points: NDArray, params: Params) -> NDArray:
    """Exact average distances of admitted records from points; shape (k,). Private."""
    step = max(1, BLOCK // len(points))
    starts = range(0, len(own), step)
    sums = [params.metric.distances(own[i : i + step], points).sum(axis=0) for i in starts]
    return np.sum(sums, axis=0) / len(own)


def _possible(answers: NDArray, points: NDArray, params: Params) -> NDArray:
    """Answers clipped to the distances that a query has to any point."""
    metric = params.metric
    if isinstance(metric, Table):
        rows = metric.distances(metric.points, points)
        return np.clip(answers, rows.min(axis=0), rows.max(axis=0))
    lower, upper = np.array(metric.box.lower), np.array(metric.box.upper)
    farthest = np.maximum(points - lower, upper - points)
    return np.clip(answers, 0.0, np.linalg.norm(farthest, metric.p, axis=1) / metric.scale)
