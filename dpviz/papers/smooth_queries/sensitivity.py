"""L1 and L2 sensitivity of the summary (Theorem 3.1, part 1): exactly, with proofs.

**Paper.** Wang, Fan, Zhang and Wang (2013), Theorem 3.1, part 1.

**Setting.** A summary of moments: for each multi-index m the mean over n records of phi_m(x) =
prod_i cos(m_i arccos x_i). One record is replaced.

**Idea.** The basis functions cannot all be at their worst at once. For one variable the worst pair
is the end x = 1 and the angle where the sum of cosines is lowest; more variables only multiply.

**Symbols.**

===========  =====================  ==========================================  ==============
paper        here                   meaning                                     shape, unit
===========  =====================  ==========================================  ==============
t            ``terms``              degrees 0, ..., t - 1 per variable          whole number
t^d          (none)                 what the paper's noise scale pays for       of the sum
(none)       ``excess``             kappa_t: the fraction by which it is short  0 ... 0.2173
(none)       ``weights``            public weights w_m of the basis functions   (terms,), (N,)
===========  =====================  ==========================================  ==============

**Departures.** The paper adds noise of scale t^d / (n epsilon). The L1 sensitivity is exactly
(1 + kappa_t) t^d / n, so the noise as stated spends (1 + kappa_t) epsilon: 4 % more than
claimed at t = 3, at most 21.8 % more. All figures here are for sums: divide by n for means.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dpviz import checks


def cosine_minimum(weights: np.ndarray) -> tuple[float, float]:
    """Bounds below and above of the minimum over angles of D(a) = sum_m w_m cos(m a).

    Above: the least value on a grid of step h. Below: less by h^2 / 8 sum w_m m^2, as the
    minimiser is within h / 2 of a node, D' is 0 there, and |D''| <= sum w_m m^2.

    Parameters
    ----------
    weights : array (terms,), not negative

    >>> cosine_minimum(np.ones(3))
    (-0.125000, -0.125000)
    """
    m = np.arange(len(weights))
    points = 2000 * max(1, len(weights))
    spectrum = np.zeros(points + 1)
    spectrum[: len(weights)] = weights / 2
    spectrum[0] = weights[0]
    seen = float((np.fft.irfft(spectrum, 2 * points) * 2 * points).min())
    return seen - (math.pi / points) ** 2 / 8 * float(weights @ m**2), seen


@lru_cache(maxsize=1024)
def excess(terms: int) -> float:
    """kappa_t = -min D / t with equal weights, from above (by 1e-6 at most); 0 for t <= 2.

    Never above 0.2172337 = -min sin(x) / x, for D(a) = sin^2(ta/2) + sin(ta) cot(a/2) / 2 and
    cot(a/2) <= 2 / a.

    >>> [excess(terms) for terms in (2, 3, 4, 8, 256)]
    [0.0, 0.04167, 0.07889, 0.14424, 0.21486]
    """
    checks.integer("terms", terms, at_least=1)
    return max(0.0, -cosine_minimum(np.ones(terms))[0] / terms) if terms > 2 else 0.0


def worst_angle(terms: int) -> float:
    """Where D is lowest: the records (1, ..., 1) and (cos of this, 1, ..., 1) are a worst pair.

    >>> math.degrees(worst_angle(3))
    104.5
    """
    angles = np.linspace(0, np.pi, 2000 * terms + 1)
    return float(angles[np.cos(np.outer(angles, np.arange(terms))).sum(axis=1).argmin()])


def l1_tensor(terms: int, d: int) -> float:
    """The L1 sensitivity of all t^d sums: (1 + kappa_t) t^d, and 0 if there is only the constant.

    Statements: W13 Theorem 3.1 (privacy).

    Proof. One variable: sum |cos ma - cos mb| = 2 sum |sin mu| |sin mv|, u, v = (a +- b) / 2,
    is at most 2 max_u sum sin^2 mu = t - min D (Cauchy and Schwarz), with equality at b = 0.
    More: :func:`l1_product`.

    >>> l1_tensor(1, 3), l1_tensor(2, 3), l1_tensor(3, 1)
    (0.0, 8.0, 3.125)
    """
    checks.integer("d", d, at_least=1)
    return 0.0 if terms == 1 else (1 + excess(terms)) * float(terms**d)


def l1_product(weights: np.ndarray, d: int) -> float:
    """The L1 sensitivity of w_m phi_m, w_m = prod_i weights[m_i], over all terms^d sums.

    With W = sum of weights and v = min D: W^d + W^(d-1) |v| if v <= 0, else W^d - v^d; exact,
    from above by the margin of :func:`cosine_minimum`. Proof by induction on d: for features a, b
    of one variable and A, B of the others, a A - b B = [(a - b)(A + B) + (a + b)(A - B)] / 2.
    In the weighted norm p = |a - b|, P = |A - B|, and |a + b| <= 2 W - p, |A + B| <= 2 T - P
    with T = W^(d-1), as the entries lie in [-1, 1]. So the norm is at most
    W T - (W - p)(T - P) = W T (1 - x X), p = W (1 + x), P = T (1 + X), x in [-1, k],
    k = -v / W, X in [-1, K], and x X is least at a corner. Attained at (1, ..., 1) and one
    (v <= 0) or all (v >= 0) angles at the minimum of D.

    Parameters
    ----------
    weights : array (terms,), not negative
    d : int >= 1

    >>> l1_product(np.ones(3), 2), l1_product(np.array([1.0, 0.1]), 2)
    (9.375, 0.4)
    """
    weights = np.asarray(weights, dtype=float)
    total, least = float(weights.sum()), cosine_minimum(weights)[0]
    if least <= 0:
        return total**d - total ** (d - 1) * least
    return total**d - least**d


def l1_any(weights: np.ndarray) -> float:
    """Any index set: |phi_m(x) - phi_m(y)| <= 2, so 2 times the sum of the weights.

    Parameters
    ----------
    weights : array (N,), not negative, of all m but the constant

    >>> l1_any(np.ones(20))
    40.0
    """
    return 2 * float(np.sum(weights))


def l2_tensor(terms: int, d: int) -> float:
    """An upper bound, attained for even t, of the L2 sensitivity of all t^d sums: sqrt(2 t^d).

    Proof. One variable: sum (cos ma - cos mb)^2 = 4 sum sin^2 mu sin^2 mv is at most 4 max
    sum sin^4 mu = max_p of 3t/2 - 2 D(p) + D(2p)/2, and that is at most 2t: D(2p) - 4 D(p) <= t
    by the closed form of D, case by case on the signs of sin tp and cos tp (a test runs the
    inequality up to t = 400). More variables, by induction: with s = |a|^2, s' = |b|^2 <= t,
    c = <a, b> and capitals alike with T = t^(d-1), |a A - b B|^2 = s S + s' S' - 2 c C. If
    c C >= 0 this is at most 2 t T. If c <= 0 <= C, then -2c <= 2t - s - s' and
    C <= (S + S')/2, so it is at most t (S + S') + (s - s')(S - S')/2 <= 2 t T; and so the
    other way round.

    >>> l2_tensor(8, 2) ** 2, l2_tensor(1, 2)
    (128.0, 0.0)
    """
    checks.integer("d", d, at_least=1)
    return 0.0 if checks.integer("terms", terms, at_least=1) == 1 else math.sqrt(2 * terms**d)


def l2_any(weights: np.ndarray) -> float:
    """Any index set, w_m phi_m: sqrt(4 sum w_m^2), as each changes by at most 2 w_m.

    >>> l2_any(np.ones(9))
    6.0
    """
    return 2 * float(np.sqrt(np.sum(np.square(weights))))


def l2_product(weights: np.ndarray, d: int) -> float:
    """Product weights on all terms^d sums: sqrt(2 L1) with squared weights, |.|^2 <= 2 |.|.

    Parameters
    ----------
    weights : array (terms,), not negative

    >>> l2_product(np.ones(8), 2) ** 2  # 2.29 times 64: the equal weights have 2 (l2_tensor)
    146.46
    """
    return math.sqrt(2 * l1_product(np.square(weights), d))
