"""The Haar wavelet mechanism: all l1 distance queries under pure epsilon, by Laplace noise.

**Paper.** Beside Huang and Roth (2014), Theorem 1 with delta = 0. Wavelets under Laplace noise are
Privelet's idea (Xiao, Wang and Gehrke 2010), who put it on Haar wavelets of counts; here they are
those of sign functions, the hats of Faber and Schauder. No priority is claimed.

**Setting.** n private records in a public box (module ``curves``); pure epsilon. A
``delta`` in the params is not used, nor is a ``diameter`` beyond confining the records.

**Idea.** On a column [0, 1], |x - y| = (1 - (1 - 2x)(1 - 2y)) / 2 - sum over levels, x and y in one
cell of level j, of 2^(-j-1) T_j(x) T_j(y): the Haar coefficients of sign(t - x) are hats T_jk(x).
So averages of 1 - 2x and of all hats give every answer. Release them, each level with noise
of its own, all in one charge: a record touches one hat on each level, and what a pair of records
moves *jointly* is less than the levels' worst cases together.

**Symbols.**

===========  =======================  =================================================
usual        here                     meaning
===========  =======================  =================================================
J            ``levels``               m = 2^J cells; levels 0 ... J - 1
T_j(x)       ``hat``                  1 - |2 u - 1| at the share u of x's cell of level j
L_1(p)       ``joint_sensitivity``    largest p-weighted change by one record
p            ``weights``              precisions (p_c, p_0, ..., p_(J-1)); noise is 1 / p
q_i          ``shares``               part of epsilon that coordinate i gets
s_i          ``scales``               w_i / (q_i n epsilon), unit of y
===========  =======================  =================================================

**Departures.** Privelet adds up what each level can move at most; here only what a pair moves
jointly is paid, and the scales follow from it. (1) The weights are proved best (as J grows) for
the mean over uniform queries; at finite J they are rescaled by the exact joint sensitivity. (2)
The error grows like d^1.5: pure privacy has to (:func:`lower_bound`, by packing, the method of
Hardt and Talwar 2010).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance, check_call
from dpviz.papers.distance_queries.releases import noise_suprema
from dpviz.papers.distance_queries.releases.curves import (
    Curves,
    Params,
    answer,
    from_values,
    rescaled_queries,
    resolution,
    statistic,
    sums_of,
)
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import BY_CELL, Sums, merge

__all__ = ["Params", "answer", "joint_sensitivity", "merge", "statistic"]
COARSE = 10  # levels whose 2^10 + 1 grid points a bound examines one by one
SAFE = 1e-8  # chances below are not read off a law on a grid: too near to its rounding
PAIR = (7 / 6, 1 / 2, 1.0, 4 / 3)  # what the records 1/12 and 2/3 move: mean, levels 0, 1, 2 ...


def release(
    data: ArrayLike | AverageDistance | Sums,
    params: Params,
    curator: Curator,
) -> Curves:
    """Release a curve for each coordinate. Costs (epsilon, 0), one Laplace charge.

    Parameters
    ----------
    data : array (n, d), private; or what ``prepare`` made of it, or the merged ``statistic`` of its
        pieces

    Raises BudgetExceeded, TypeError or ValueError before anything is spent.

    >>> params = Params(n=4, epsilon=50, cells=8, lower=0, upper=1)
    >>> curves = release([0, 0, 1, 1], params, Curator(epsilon=50, rng=0))
    >>> answer(curves, [0.5])  # the truth is 0.5
    array([0.5])
    """
    check_call(params, Params, curator)
    each = np.repeat(_weights(_levels(params)), _sizes(_levels(params)))
    precision = _shares(params)[:, None] * each
    clean = _coefficients(data, params) * precision
    noisy = curator.laplace(
        clean, sensitivity=1 / params.n, epsilon=params.epsilon, label="Haar coefficients"
    )
    return from_values(params.widths[:, None] * _synthesis(noisy / precision), params)


def error_bound(params: Params, *, k: int | None = None) -> float:
    """Proved: with probability 1 - beta no answer is off by more, for any data.

    Without ``k`` for all queries in the box at once; with it for k queries chosen without
    looking at the release, where that is smaller. Both add ``curves.resolution``.

    Proof. *All.* On a cell of level j the noise is at most the larger of its values at the ends
    plus S_j, where S_j <= c_j max(L, 0) + the larger of two independent copies of S_(j+1) in law:
    half of the cell's own hat is linear. For the whole column the ends are +-L / (2 p_c). This law
    is computed on a grid, every number rounded up; beta / 2 for either sign (read off for
    d = 1 unless tiny, else Chernoff's inequality, module ``noise_suprema``). *k queries.*
    The moment of one answer is a product of 1 / (1 - theta^2 c^2), convex in its place between
    grid points: take its largest there (levels after the tenth at full height), and a union bound.
    *With convex=True* twice the bound for all (``curves.convex``).

    >>> params = Params(n=1000, d=10, epsilon=1, lower=0, upper=1)
    >>> error_bound(params) > error_bound(params, k=10**6) > error_bound(params, k=1)
    True
    """
    J = _levels(params)
    sizes = _scales(params)
    x, tail = _largest(J)
    small = tail <= params.beta / 2
    if params.d == 1 and params.beta / 2 >= SAFE and small.any():
        bound = float(sizes[0] * x[np.argmax(small)])
    else:
        bound = noise_suprema.chernoff_bound(_moments(J), sizes, level=math.log(2 / params.beta))
    if params.convex:
        return 2 * bound + resolution(params)
    if k is not None:
        k = checks.integer("k", k, at_least=1, at_most=noise_suprema.MOST)
        level = math.log(2 * k / params.beta)
        bound = min(bound, noise_suprema.chernoff_bound(_moments_at(J), sizes, level=level))
    return bound + resolution(params)


def standard_deviation(params: Params, queries: ArrayLike) -> NDArray:
    """Exact standard deviation of each answer (without convex post-processing).

    Its square is the sum over coordinates of s_i^2 / 2 times ((1 - 2u)^2 / p_c^2 + sum over
    levels of 4^-j T_j(u)^2 / p_j^2), with s_i = w_i / (q_i n epsilon).

    >>> standard_deviation(Params(n=1, epsilon=1, lower=0, upper=1), [0.0, 0.5, 1 / 12]).tolist()
    [2.71, 2.04, 3.07]
    """
    unit, shape = rescaled_queries(queries, params.box)
    p = _weights(_levels(params))
    variance = ((1 - 2 * unit) / p[0]) ** 2 / 2
    for j, precision in enumerate(p[1:]):
        variance += (_hat(j, unit) / (2**j * precision)) ** 2 / 2
    return np.sqrt(variance @ _scales(params) ** 2).reshape(shape)


def lower_bound(params: Params) -> float:
    """No pure mechanism has a smaller rms error over all corners of the cube, with chance 1/2.

    Of order d^(3/2) / (n epsilon), with a constant near .033 for many coordinates. For a box: that
    of the cube times its shortest side, as a corner's error is then no smaller.

    Statements: lesson Theorem 3.11.
    Proof. A corner's answer is d / 2 + sum of (mu_i - 1/2) z_i, mu the means of the columns and z
    its signs, which are orthonormal over the corners: correlating the answers with the signs gives
    means within the rms error (Bessel). Greedily, m >= 2^d / (sum of binomials C(d, i) over i < h)
    words in {0, 1}^d differ in h = d/4 places or more, rounded up. Let a word's data be k records
    at it and n - k at 0: means of two words are (k / n) sqrt(h) apart, so with an rms error below
    (k / n) sqrt(h) / 2 the nearest word is the right one. From any word's data to zeros k
    records change, so each of the m disjoint events has a probability of at least e^(-k epsilon) /
    2 there, and m e^(-k epsilon) <= 2. The largest k for which this fails is used.

    >>> cube = Params(n=10**4, d=200, epsilon=1, lower=0, upper=1)
    >>> lower_bound(cube) * 10**4 / 200**1.5
    0.0350
    """
    d = params.d
    apart = -(-d // 4)
    logs = [math.lgamma(d + 1) - math.lgamma(i + 1) - math.lgamma(d - i + 1) for i in range(apart)]
    words = d * math.log(2) - float(np.logaddexp.reduce(logs))
    room = (words - math.log(2)) / params.epsilon
    changed = min(params.n, math.ceil(room) - 1)
    return max(0, changed) / params.n * math.sqrt(apart) / 2 * float(params.widths.min())


def _levels(params: Params) -> int:
    """J, with 2^J cells."""
    return params.cells.bit_length() - 1


def _shares(params: Params) -> NDArray:
    """Part of epsilon of each coordinate: q_i ~ w_i^(2/3) minimises the sum of (w_i / q_i)^2."""
    parts = np.cbrt(params.widths) ** 2
    return parts / parts.sum()


def _scales(params: Params) -> NDArray:
    """Noise of coordinate i for precision 1: w_i / (q_i n epsilon); shape (d,)."""
    return params.widths / (_shares(params) * params.n * params.epsilon)


def _hat(j: int, u: NDArray) -> NDArray:
    """T_j at places u in [0, 1]; same shape."""
    return 1 - np.abs(2 * (2.0**j * u % 1) - 1)


def _sizes(J: int) -> list[int]:
    """How many coefficients there are: the mean, then 2^j on each level; m in all."""
    return [1, *(2**j for j in range(J))]


@lru_cache(maxsize=64)
def _weights(J: int) -> NDArray:
    """Precisions (p_c, p_0, ..., p_(J-1)) whose joint sensitivity is 1; shape (J + 1,).

    Every p obeys the one constraint of the pair (1/12, 2/3): a . p <= 1 with a = 7/6, 1/2, 1,
    4/3, 4/3, ... Under it Hoelder makes p ~ (v / a)^(1/3) minimise sum of v / p^2, v the mean
    weights of the variance (1, 4^-j). So no p does better than this does under that constraint;
    here it is rescaled by what all pairs move.
    """
    v = np.append(1.0, 4.0 ** -np.arange(J))
    a = np.array([*PAIR[:3], *[PAIR[3]] * J])[: J + 1]
    p = np.cbrt(v / a)
    return p / joint_sensitivity(p)


def joint_sensitivity(p: NDArray) -> float:
    """L_1(p): the largest p_c |2x - 2x'| + sum of p_jk |T_jk(x) - T_jk(x')|, exactly, in O(m).

    Proof. Let x, x' be separated at level s: the midpoint of their smallest common cell lies
    between, at distances u and v <= 2^-s. The mean and the coarser hats move by
    A = 2 p_c + sum over j < s - 1 of 2^(j+1) p_j times u + v; the common cell's own hat by
    B = 2^s p_(s-1) times |u - v|; the finer ones lie in different cells and move by G(u) + G(v).
    By symmetry |u - v| may be read u - v. All is linear between the 2^J grid points.

    Parameters
    ----------
    p : array (J + 1,) of numbers >= 0: p_c, p_0, ..., p_(J-1)

    >>> joint_sensitivity(np.array([1.0, 0.0]))  # 1 - 2x alone
    2.0
    """
    J = len(p) - 1
    finer = np.zeros(2)
    most = 0.0
    for s in range(J, 0, -1):  # ``finer`` is G_s on [0, 2^-s], at grid points
        place = np.linspace(0, 2.0**-s, len(finer))
        coarser = 2 * p[0] + p[1:s] @ 2.0 ** np.arange(1, s)
        own = 2.0**s * p[s]
        sides = [np.max((coarser + sign * own) * place + finer) for sign in (1, -1)]
        most = max(most, float(sum(sides)))
        ramp = np.linspace(0, 1, len(finer))
        finer = p[s] * np.append(ramp, ramp[-2::-1]) + np.append(finer, finer[1:])
    return most


def _coefficients(data: ArrayLike | AverageDistance | Sums, params: Params) -> NDArray:
    """Averages of 1 - 2x and of all hats, level by level: private; shape (d, m).

    A cell's hat sums, over its left half, the places in that half; over its right half, one
    minus them. Counts and places are folded from the finest cells upwards.
    """
    sums = sums_of(data, params)
    counts, inside = (sums.value(name, (params.d, params.cells)) for name in BY_CELL)
    rows = []
    while counts.shape[1] > 1:
        (left, right), (first, second) = _halves(counts), _halves(inside)
        rows.append(first + right - second)
        counts = left + right
        inside = (first + second + right) / 2
    rows.append(counts - 2 * inside)
    return np.concatenate(rows[::-1], axis=1) / params.n


def _synthesis(coefficients: NDArray) -> NDArray:
    """Curves on the unit interval from coefficients: (d, m) to (d, m + 1).

    The ends are (1 - c) / 2 and (1 + c) / 2; each midpoint lies 2^-(j+1) T_jk below the chord.
    """
    mean = coefficients[:, :1]
    curve = np.concatenate([1 - mean, 1 + mean], axis=1) / 2
    for j in range(coefficients.shape[1].bit_length() - 1):
        finer = np.empty((len(curve), 2 * curve.shape[1] - 1))
        finer[:, ::2] = curve
        finer[:, 1::2] = (curve[:, :-1] + curve[:, 1:]) / 2
        finer[:, 1::2] -= 0.5 ** (j + 1) * coefficients[:, 2**j : 2 ** (j + 1)]
        curve = finer
    return curve


def _amplitudes(J: int) -> tuple[float, NDArray]:
    """What one unit of Laplace noise of the mean, and of each level, adds to a curve at most."""
    p = _weights(J)
    return 0.5 / float(p[0]), 0.5 ** np.arange(1, J + 1) / p[1:]


@lru_cache(maxsize=64)
def _largest(J: int) -> tuple[NDArray, NDArray]:
    """P(R > x) on a grid for a number R that is, in law, above all noise on one curve.

    Returns x (8193,) and tail (8192,). Rounded up, also for the last bits of the convolutions.
    """
    ends, c = _amplitudes(J)
    x = np.linspace(0, 82 * max(ends, c.max()) / 1.93, 8193)
    law = np.zeros(8192)
    law[0] = 1.0
    for size in c[::-1]:
        law = np.diff(np.cumsum(law) ** 2, prepend=0.0)
        law = _add(law, 1 - 0.5 * np.exp(-x[:-1] / size))
    law = _add(law, 1 - np.exp(-x[:-1] / ends))
    return x, np.clip(1 - np.cumsum(law) + 1e-14, 0.0, 1.0)


def _add(law: NDArray, chances: NDArray) -> NDArray:
    """Law, on the grid, of a sum with an independent number; ``chances`` are its P(V <= x)."""
    size = 2 * len(law)
    product = np.fft.rfft(law, size) * np.fft.rfft(np.diff(chances, prepend=0.0), size)
    return np.maximum(np.fft.irfft(product, size)[: len(law)], 0.0)


@lru_cache(maxsize=64)
def _moments(J: int) -> noise_suprema.Moments:
    """Moments of the largest noise on a curve; up to thetas at which the rounding adds nothing."""
    ends, c = _amplitudes(J)
    return noise_suprema.from_tail(*_largest(J), np.linspace(0, 0.6 / max(ends, c.max()), 121))


@lru_cache(maxsize=64)
def _moments_at(J: int) -> noise_suprema.Moments:
    """Moments of the noise at the worst single place of a curve."""
    ends, c = _amplitudes(J)
    last = min(J, COARSE)
    t = np.linspace(0, 1, 2**last + 1)
    thetas = np.linspace(0, 0.98, 99)[:, None] / max(ends, c.max())
    logs = _laplace_log(thetas * ends * (1 - 2 * t))
    for j, size in enumerate(c):
        logs += _laplace_log(thetas * size * (_hat(j, t) if j < last else 1.0))
    return noise_suprema.Moments(thetas[:, 0], logs.max(axis=1))


def _laplace_log(size: NDArray) -> NDArray:
    """ln E exp(size L) for a Laplace number L of scale 1, |size| < 1."""
    return -np.log1p(-(size**2))


def _halves(table: NDArray) -> tuple[NDArray, NDArray]:
    """Left and right halves of each pair of cells."""
    return table[:, ::2], table[:, 1::2]
