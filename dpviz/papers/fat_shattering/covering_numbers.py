"""Covering numbers of a class by its fat-shattering dimension, every constant said (Theorem 3).

**Paper.** Roth (2010), Theorem 3, quotes a rate of Bartlett and Long (1995) without constants.
The bound here is of the kind of Alon, Ben-David, Cesa-Bianchi and Haussler (1997), proved anew by
the counting argument of Mendelson and Vershynin (2003).

**Setting.** A class of functions from n points into [0, 1]. It is covered at a radius if each
of its functions is within the radius of one of a few, at every point.

**Idea.** Functions that are far apart at some point can be told apart by a level there, half of
the distance above one and below the other. So a large class whose functions are all far apart
can be split again and again, and each split doubles the shattered sets. But shattered sets have
at most d points, so there are not many of them, and the class was not large.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
(none)       ``radius``             distance at every point, rho                  (0, 1)
gamma        ``gamma``              distance from the levels, below rho/2         (0, 1/2]
d_gamma      ``dimension(gamma)``   fat-shattering dimension                      count
n            ``points``             points on which the class is covered          count
(none)       ``levels``             levels that are enough, J                     count
===========  =====================  ============================================  ============

**Departures.** (1) ln n stands where Bartlett and Long have ln(1/eta): they resample, which costs
constants nobody has printed. (2) Levels are a grid of our own choice, so gamma may be any number
below half of the radius (a quarter in Alon et al.), and the exponent is half of theirs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from dpviz import checks
from dpviz.papers.fat_shattering.dimension import margin

Dimension: TypeAlias = Callable[[float], float]  # gamma -> fat-shattering dimension

LISTED = 64  # terms of a sum that are added up


def log_packing_bound(radius: float, gamma: float, *, dimension: Dimension, points: int) -> float:
    """Proved: ln of the largest number of functions that are pairwise further apart than
    ``radius`` at some point; as many cover the class at that radius.

    With J levels, K = n J and Y = sum over i <= d of C(n, i) J^i it is ln(Y) log2(4 K) / 2.

    Proof. Let tau = radius - 2 gamma, and take the levels gamma + tau, gamma + 2 tau, ... below
    1 - gamma: J of them. If g(x) - f(x) > radius, one lies in [f(x) + gamma, g(x) - gamma].
    Call (x, level) a cut: F_- are the functions at most level - gamma at x, F_+ those at least
    level + gamma. Let F have N >= 2 functions, pairwise further apart than the radius. Each pair
    lies on the two sides of one of K cuts, so some cut has |F_-| |F_+| >= N (N - 1) / (2 K) >=
    N^2 / (4 K). Let S(F) count the pairs (A, levels on A) that F gamma-shatters, the empty set
    too. Then S(F) >= S(F_-) + S(F_+): what both shatter cannot use x (its level would have to
    be 2 gamma below and above the cut's), and F shatters it with x added at the cut's level,
    which neither of them does. So S(F) >= N^theta with theta = 2 / log2(4 K), by induction: for a =
    |F_-| and b = |F_+|, a^theta + b^theta >= 2 (a b)^(theta/2) >= 2 N^theta (4 K)^(-theta/2) =
    N^theta. But S(F) <= Y.
    Statements: R10 Theorem 3.

    Parameters
    ----------
    dimension : gamma -> dimension of the class; points : int >= 1

    Raises ValueError if the dimension is infinite at this gamma, or gamma is not below half of the
    radius.

    >>> round(math.exp(log_packing_bound(0.9, 0.3, dimension=lambda gamma: 1, points=1)), 6)
    2.0
    """
    checks.number("radius", radius, above=0, below=1)
    checks.integer("points", points, at_least=1)
    if not margin(gamma) < radius / 2:
        raise ValueError(f"gamma must be below half of the radius {radius}, not {gamma}")
    d = _finite(dimension(gamma), gamma, points)
    levels = math.floor((1 - 2 * gamma) / (radius - 2 * gamma))
    return _log_sum(d, points, levels) * math.log2(4 * points * levels) / 2


def log_growth_bound(*, dimension: Dimension, points: int) -> float:
    """Proved (Sauer, Shelah): ln of the number of different functions on so many points, for a
    class with values 0 and 1: sum over i <= d of C(n, i).

    >>> round(math.exp(log_growth_bound(dimension=lambda gamma: 2, points=4)))
    11
    """
    checks.integer("points", points, at_least=1)
    return _log_sum(_finite(dimension(0.5), 0.5, points), points, 1)


def _log_sum(d: int, points: int, levels: int) -> float:
    """ln of the sum over i <= d of C(points, i) levels^i; of more than 64 terms a bound on it,
    the lesser of (1 + levels)^points and (e points levels / d)^d."""
    if d > LISTED:
        all_of_them = points * math.log1p(levels)
        return min(all_of_them, d * (1 + math.log(points * levels / d)))
    return math.log(sum(math.comb(points, i) * levels**i for i in range(d + 1)))


def _finite(d: float, gamma: float, points: int) -> int:
    """A dimension on so many points; an infinite one is refused."""
    if d == math.inf:
        raise ValueError(
            f"dimension is infinite at gamma = {gamma:.3g}: no number of rows answers such a class"
        )
    return min(checks.integer("dimension", d, at_least=0), points)
