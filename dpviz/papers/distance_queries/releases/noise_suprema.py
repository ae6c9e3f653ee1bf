"""Suprema of noise over all queries at once, by Chernoff's bound on sums of their moments.

**Paper.** Beside Huang and Roth (2014); the method is Chernoff's (1952).

**Setting.** Independent random numbers R_1, ..., R_d, one for each coordinate: the largest
value that the noise on that coordinate's curve takes anywhere. A query picks its place in each
coordinate freely, so the largest noise over all queries is s_1 R_1 + ... + s_d R_d.

**Idea.** P(sum > t) <= exp(sum of ln E exp(theta s_i R_i) - theta t) for every theta >= 0:
choose the theta that says most.

**Symbols.**

=========  ============  ==================================================  ==============
usual      here          meaning                                             shape
=========  ============  ==================================================  ==============
theta      ``thetas``    where the moments are known, from 0 upwards         (g,)
ln E e^..  ``logs``      upper bounds on ln E exp(theta R)                   (g,)
s_i        ``scales``    factor of each number                               (d,)
ln(1/p)    ``level``     the chance that is left: p = exp(-level)
=========  ============  ==================================================  ==============

**Departures.** ln E exp(theta R) is convex in theta, so between the entries of the table a
straight line is still an upper bound: the table loses a little sharpness, never the proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpviz import checks

MOST = 10**300  # queries that a float can count


class Moments(NamedTuple):
    """Upper bounds on ln E exp(theta R) at some theta >= 0, the first of them 0."""

    thetas: NDArray
    logs: NDArray


def chernoff_bound(moments: Moments, scales: NDArray, *, level: float, sd: float = 0.0) -> float:
    """Proved: s_1 R_1 + ... + s_d R_d + sd N exceeds this with probability at most exp(-level).

    Proof. N is standard normal and independent of the R_i, so the logarithm of the moment of
    the sum at theta is at most sum of logs at theta s_i + (theta sd)^2 / 2; Chernoff's
    inequality holds for each theta that is tried.

    Parameters
    ----------
    moments : Moments of each of the independent R_i
    scales : array (d,), each >= 0, one of them above 0; level : float > 0; sd : float >= 0

    >>> normal = Moments(np.linspace(0, 9, 901), np.linspace(0, 9, 901) ** 2 / 2)
    >>> chernoff_bound(normal, np.array([3.0, 4.0]), level=2.0)  # sqrt(2 * 2) * 5
    10.0
    """
    scales = np.asarray(scales, dtype=float)
    tried = moments.thetas[1:] / scales.max()
    sizes, copies = np.unique(scales, return_counts=True)
    logs = np.interp(np.outer(tried, sizes), *moments) @ copies
    return float(np.min((logs + (tried * sd) ** 2 / 2 + level) / tried))


def from_tail(x: NDArray, tail: NDArray, thetas: NDArray) -> Moments:
    """Moments of a number R >= 0 from P(R > x): an upper sum of 1 + theta int e^(theta x) P(R > x).

    P(R > x) falls, so on each step it is at most its value at the left end.

    Parameters
    ----------
    x : array (g + 1,), from 0 to a place that R passes with a negligible probability
    tail : array (g,), P(R > x) at all but the last x; thetas : array (h,), from 0 upwards

    >>> x = np.linspace(0, 4, 401)
    >>> sharp = from_tail(x, (x[:-1] < 2).astype(float), np.linspace(0, 8, 81))  # R = 2
    >>> chernoff_bound(sharp, np.ones(1), level=1e-9)
    2.00
    """
    growth = np.exp(np.outer(thetas, x))
    return Moments(thetas, np.log1p(np.diff(growth, axis=1) @ tail))


def bridge_tail(x: NDArray, r: float) -> NDArray:
    """P(R > x) for R = sqrt(G^2 + r chi^2_2), G normal: the supremum of a tied-down path.

    P(|G| > x) + E[exp(-(x^2 - G^2) / (2 r)); |G| <= x], for r in [1/2, 1]. R is the largest value
    of a Brownian bridge of variance 4 r that leads from G to -G; r = 1 gives chi_3, the Bessel
    law of Pitman (1975).

    >>> bridge_tail(np.array([0.0, 2.5]), 0.5).tolist()
    [1.0, 0.030]
    """
    from scipy.special import dawsn, erfc

    c = max(1 / r - 1, 1e-12)
    inner = np.exp(-np.square(x) / 2) * 2 / math.sqrt(math.pi * c)
    return erfc(x / math.sqrt(2)) + inner * dawsn(x * math.sqrt(c / 2))


@lru_cache(maxsize=32)
def bridge_moments(r: float) -> Moments:
    """Moments of R, computed once for each r.

    >>> chernoff_bound(bridge_moments(1.0), np.ones(9), level=3.0) > 9 * math.sqrt(8 / math.pi)
    True
    """
    x = np.linspace(0, 40, 4001)  # P(R > 40) < exp(-790)
    return from_tail(x, bridge_tail(x[:-1], r), np.linspace(0, 8, 321))


def normal_union(beta: float, k: int) -> float:
    """What k standard normals exceed in size with probability at most ``beta``, however joined.

    >>> normal_union(0.05, 1)
    1.96
    """
    from scipy.special import ndtri

    return -float(ndtri(beta / (2 * checks.integer("k", k, at_least=1, at_most=MOST))))


def exact_quantile(tail: Callable[[float], float], probability: float) -> float:
    """The x with P(R > x) = ``probability``, for a tail that falls from 1 to 0.

    >>> exact_quantile(lambda x: math.exp(-x), 0.5)
    0.693
    """
    from scipy.optimize import brentq

    return float(brentq(lambda x: tail(x) - probability, 0.0, 100.0, xtol=1e-12))


@lru_cache(maxsize=1)
def path_moments() -> Moments:
    """Moments of a number R with P(R > x) = min(1, 4 P(N > x)): a Brownian path's two arms.

    >>> chernoff_bound(path_moments(), np.ones(1), level=3.0) > math.sqrt(6.0)
    True
    """
    from scipy.special import ndtr

    x = np.linspace(0, 40, 4001)
    return from_tail(x, np.minimum(1.0, 4 * ndtr(-x[:-1])), np.linspace(0, 8, 321))
