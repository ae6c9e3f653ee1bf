"""Fat-shattering dimension of smooth functions, and what no private answer to them can avoid.

**Paper.** Roth (2010), Definition 3 and Theorem 2, applied to the class of Wang, Fan, Zhang and
Wang (2013). The rate n^(-min(1, K/d)) of the lower bound is Ding, He and Zhu's (2026), known here
from their abstract; this proof and its constants are ours.

**Setting.** Queries are means over n records in [-1, 1]^d of functions whose derivatives up to
order K are at most B; n is public, and neighbours differ in one *replaced* record. A mechanism is
(epsilon, delta)-private, and with probability 1 - beta all its answers are within an error.

**Idea.** Cut the box into q^d cells with a smooth peak in each. Peaks of height B q^(-K) / Gamma,
up or down in each cell as one likes, are still smooth: all cells are shattered. So accurate answers
say in which of two cells each record lies, and privacy forbids that.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
C            ``smoothness, size``   derivatives up to K at most B                 class
FSD          ``dimension``          cells that are shattered for sure             count
gamma        ``gamma``              height of the peaks, levels 0                 unit of B
(none)       ``peak_norm``          Gamma: derivatives of the peak of height 1    (1, ...)
alpha        ``epsilon``            privacy, for one replaced record              1
delta        ``beta``               probability that some answer is worse         [0, 1)
(none)       ``group``              records that move together                    count
===========  =====================  ============================================  ============

**Departures.** Roth's neighbours have one person more or less, and the queries values in [0, 1];
here a record moves from one cell to another and values may be negative. Points are paired as in
``reconstruction.pairing_attack``; a guess is right with probability exp(epsilon) / (1 +
exp(epsilon)) at most, which randomized response attains.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dpviz import checks

MOST = 10**300


def lower_bound(
    n: int,
    *,
    d: int,
    smoothness: int,
    epsilon: float,
    delta: float = 0.0,
    beta: float = 0.05,
    size: float = 1.0,
) -> float:
    """Proved: if all f of C^K_B are answered within e with probability 1 - beta, e is at least it.

    Of order (n epsilon)^(-min(1, K/d)): the larger of :func:`lower_bound_peaks`, at its best group,
    and :func:`lower_bound_one`.

    Parameters
    ----------
    n : int, records; d : int, variables; smoothness : int >= 1, K
    epsilon : float > 0; delta : float in [0, 1)
    beta : float in [0, 1); size : float > 0, B

    >>> budget = {"epsilon": 1.0, "delta": 1e-6}
    >>> [lower_bound(10**4, d=2, smoothness=k, **budget) for k in (1, 2)]
    [0.00105, 0.0002]
    """
    n = checks.integer("n", n, at_least=1, at_most=MOST)
    budget = {"epsilon": epsilon, "delta": delta, "beta": beta, "size": size}
    where = {"d": d, "smoothness": smoothness}
    most = _largest_group(n, epsilon=epsilon, delta=delta, beta=beta)
    groups = sorted({min(most, max(1, round(most * step / 24))) for step in range(1, 25)})
    peaks = max(lower_bound_peaks(n, group=group, **where, **budget) for group in groups)
    return max(peaks, lower_bound_one(n, **budget))


def lower_bound_peaks(
    n: int,
    *,
    d: int,
    smoothness: int,
    group: int,
    epsilon: float,
    delta: float = 0.0,
    beta: float = 0.05,
    size: float = 1.0,
) -> float:
    """Proved: the same by peaks, where ``group`` records at a time choose between two cells.

    Proof. Let g be the group, N = floor(n / g), q the least with q^d >= 2 N, and h = B q^(-K) /
    Gamma. Group i stands in the middle of cell 2 i or 2 i + 1, by a fair bit b_i; what is left of n
    stands where all peaks are 0. For signs s the function f_s = h sum_i s_i (peak of cell 2 i + 1
    less that of cell 2 i) is in C^K_B, and its mean is (g h / n) sum_i s_i (2 b_i - 1). Guess any
    bits b' whose means are within e of all answers; the truth is such if the answers are within e.
    Then with s the signs of b - b', (g h / n) 2 |b - b'|_1 <= 2 e: at most u N bits are wrong,
    u = e n / (g h N). So a random bit is guessed right with probability P >= (1 - beta) (1 - u).
    Flip b_i: g records are replaced, and by group privacy the same guess, now wrong, has at least
    exp(-g epsilon) (P - delta_g), delta_g = delta (exp(g epsilon) - 1) / (exp(epsilon) - 1). As
    b_i is fair, 1 - P >= exp(-g epsilon) (P - delta_g). Solve for u.
    Statements: R10 Theorem 2.

    >>> where = {"d": 1, "smoothness": 1, "epsilon": 1.0}
    >>> 1e4 * lower_bound_peaks(100, group=1, **where)
    7.48
    """
    n = checks.integer("n", n, at_least=1, at_most=MOST)
    group = checks.integer("group", group, at_least=1, at_most=n)
    size = checks.number("size", size, above=0)
    right = _most_guessed(group, epsilon=epsilon, delta=delta)
    wrong = 1 - right / (1 - checks.number("beta", beta, at_least=0, below=1))
    groups = n // group
    height = size / peak_norm(d, smoothness) / _cells(2 * groups, d) ** smoothness
    return max(0.0, wrong) * height * (groups * group / n)


def lower_bound_one(
    n: int, *, epsilon: float, delta: float = 0.0, beta: float = 0.05, size: float = 1.0
) -> float:
    """Proved: the same by the single query f(x) = B x_1: B m / n for the largest m that it allows.

    Proof. All records at -1, or m of them at 1: the means differ by 2 B m / n. If every error was
    below B m / n with probability 1 - beta, the two events would exclude each other, so that
    1 - beta <= exp(m epsilon) beta + delta_m by group privacy.

    >>> lower_bound_one(1000, epsilon=1.0)
    0.002
    """
    n = checks.integer("n", n, at_least=1, at_most=MOST)
    size = checks.number("size", size, above=0)
    beta = checks.number("beta", beta, at_least=0, below=1)
    epsilon, delta = _budget(epsilon=epsilon, delta=delta)
    # exp(m epsilon) (beta + delta') - delta' < 1 - beta, delta' = delta / (exp(epsilon) - 1)
    unit = delta / math.expm1(min(epsilon, 700.0))
    if beta + unit == 0:
        return size
    most = math.log1p((1 - 2 * beta) / (beta + unit)) / epsilon if beta < 1 / 2 else 0.0
    moved = min(n, math.ceil(most) - 1)
    return size * max(0, moved) / n


def dimension(gamma: float, *, d: int, smoothness: int, size: float = 1.0) -> int:
    """A lower bound of FSD_gamma of C^K_B: floor((B / (Gamma gamma))^(1/K))^d cells.

    Proved by the peaks: q^d cells have peaks of height B q^(-K) / Gamma >= gamma, levels 0.
    Statements: R10 Definition 3.

    >>> [dimension(gamma, d=2, smoothness=1) for gamma in (0.1, 0.05, 0.025)]
    [36, 144, 625]
    """
    gamma = checks.number("gamma", gamma, above=0)
    ratio = checks.number("size", size, above=0) / peak_norm(d, smoothness) / gamma
    cells = math.floor(ratio ** (1 / smoothness) * (1 + 1e-12))
    return cells**d


def peak_norm(d: int, smoothness: int) -> float:
    """Gamma: the largest derivative of order at most K of prod_i (1 - x_i^2)^(K+1) on [-1, 1]^d.

    Its derivatives up to K vanish at the ends, so that peaks side by side are smooth. That of a
    product is a product, and each factor is largest at a zero of its own derivative.

    >>> peak_norm(1, 1), peak_norm(2, 2)
    (1.54, 6.00)
    """
    d = checks.integer("d", d, at_least=1, at_most=64)
    smoothness = checks.integer("smoothness", smoothness, at_least=1, at_most=12)
    one = _peak_derivatives(smoothness)
    best = list(one)
    for _ in range(d - 1):
        best = [max(best[i] * one[j - i] for i in range(j + 1)) for j in range(len(one))]
    return max(best)


def peak(x: np.ndarray, smoothness: int) -> np.ndarray:
    """prod_i (1 - x_i^2)^(K+1) inside [-1, 1]^d, and 0 outside; array (m, d) to (m,).

    >>> peak(np.array([[0.0, 0.5], [0.0, 2.0]]), 1)
    array([0.5625, 0.    ])
    """
    return np.prod(np.clip(1 - np.square(x), 0, None) ** (smoothness + 1), axis=1)


@lru_cache
def _peak_derivatives(smoothness: int) -> tuple[float, ...]:
    """The largest size of each derivative, 0 to K, of (1 - x^2)^(K+1) on [-1, 1]."""
    profile = np.polynomial.Polynomial([1.0, 0.0, -1.0]) ** (smoothness + 1)
    sizes = []
    for order in range(smoothness + 1):
        derivative = profile.deriv(order) if order else profile
        stationary = derivative.deriv().roots()
        places = np.clip(np.append(np.real(stationary), (-1.0, 1.0)), -1, 1)
        sizes.append(float(np.abs(derivative(places)).max()))
    return tuple(sizes)


def _cells(count: int, d: int) -> int:
    """The least q with q^d >= count, in whole numbers."""
    q = max(1, math.floor(count ** (1 / d)))
    while q**d < count:
        q += 1
    while q > 1 and (q - 1) ** d >= count:
        q -= 1
    return q


def _budget(*, epsilon: float, delta: float) -> tuple[float, float]:
    """Both, checked."""
    epsilon = checks.number("epsilon", epsilon, above=0)
    return epsilon, checks.number("delta", delta, at_least=0, below=1)


def _most_guessed(group: int, *, epsilon: float, delta: float) -> float:
    """P at most: (exp(g epsilon) + delta_g) / (1 + exp(g epsilon)), at most 1."""
    epsilon, delta = _budget(epsilon=epsilon, delta=delta)
    moved = group * epsilon
    if moved > 700:
        return 1.0
    together = delta * math.expm1(moved) / math.expm1(epsilon)
    return min(1.0, (math.exp(moved) + together) / (1 + math.exp(moved)))


def _largest_group(n: int, *, epsilon: float, delta: float, beta: float) -> int:
    """A power of two from which on the proof says nothing, or n."""
    beta = checks.number("beta", beta, at_least=0, below=1)
    group = 1
    while group < n and _most_guessed(group, epsilon=epsilon, delta=delta) < 1 - beta:
        group *= 2
    return min(n, group)
