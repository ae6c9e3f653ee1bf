"""Approximation operators: the generalised Jackson kernel (Definition 4.1, Theorem 4.1), others.

**Paper.** Wang, Fan, Zhang and Wang (2013), Definition 4.1, equation (2), Theorem 4.1, Fact 4.2;
de la Vallee-Poussin (1919), Jackson (1930) and Fejer (1904) for the others.

**Setting.** A function of x in [-1, 1] becomes an even periodic one, g(theta) = f(cos theta). It
is to be approximated by a trigonometric polynomial, a sum of cos(n theta) with n <= degree, close
to it everywhere, not only on average.

**Idea.** Convolve g with a narrow kernel H, but combine several shifts of it so that smooth
functions lose little. On a Fourier basis this is a multiplication: cos(n theta) keeps mu(n).
Truncation keeps every coefficient it can; the others damp the upper ones. Damping costs smooth
functions orders of magnitude, and saves rough ones a logarithm at most.

**Symbols.**

==============  =======================  =======================================  ============
paper           here                     meaning                                  shape, unit
==============  =======================  =======================================  ============
t               ``degree``               no cosine above this is used             whole number
K               ``smoothness``           derivatives that stay bounded            whole number
r               ``order``                half the kernel's power, ceil((K+3)/2)   whole number
t'              ``degree // r + 1``      terms in the kernel's root               whole number
H_{t,r}         ``kernel``               the kernel, of integral 1                1/radian
a_l             ``integers``             its coefficients: a_l = b_l / (pi b_0)   integers b_l
I_{t,K}         ``multipliers``          mu(n), what is kept of cos(n theta)      (degree + 1,)
C in Thm 4.1    ``approximation_bound``  error of I, every constant               unit of g
(summary's) t   ``terms``                degrees 0, ..., t - 1 are published      whole number
I_{t-1,K}       "jackson K"              the paper's operator on a summary        (terms,)
(none)          "truncation"             keep all; "L2-approximation" there       (terms,)
(none)          "vallee poussin"         keep the lower half, damp the upper      (terms,)
(none)          "fejer", "jackson 0"     damp from the start; positive kernels    (terms,)
==============  =======================  =======================================  ============

**Departures.** (1) Theorem 4.1 promises t^-(K+1) for a bounded K-th derivative; a kink (K = 1)
refutes it. Proved here: t^-K, and t^-(K+1) if one more derivative is bounded. (2) H has degree
r floor(t / r), often below t, so the error is a step function of t. (3) For t < r the kernel is
constant and I g is the mean of g, whatever g is: ``is_data_independent`` says so. (4) I_{t,K} has
degree t, but the summary ends at t - 1: ``terms`` coefficients go with I_{t-1,K}. (5) The paper
says that truncation "does not guarantee (worst case) accuracy". It does, up to a logarithm: its
norm is 4/pi^2 ln(terms) + 1.3, which ``lebesgue`` bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dpviz import checks

if TYPE_CHECKING:
    from fractions import Fraction

JACKSON = ("jackson 1", "jackson 2", "jackson 3", "jackson 4")
OPERATORS = ("truncation", "vallee poussin", *JACKSON, "jackson 0", "fejer")


def approximation_bound(
    degree: int, smoothness: int, *, derivative: float, extra: bool = False
) -> float:
    """An upper bound of the largest error of I_{degree,smoothness} g, one variable.

    Statements: W13 Theorem 4.1.
    g - I g is, up to sign, the mean under H(s) of the (K+1)-th difference of g with step s;
    that is at most 2 |s|^K max|g^(K)|, and at most |s|^(K+1) max|g^(K+1)|.

    Parameters
    ----------
    degree, smoothness : the operator's
    derivative : float >= 0. Bound of the K-th derivative of g in theta; with ``extra`` of the
        (K+1)-th.

    >>> approximation_bound(64, 1, derivative=1)
    0.0803
    >>> approximation_bound(64, 1, derivative=1, extra=True)
    0.00279
    """
    derivative = checks.number("derivative", derivative, at_least=0)
    if extra:
        return derivative * _moment(degree, smoothness, smoothness + 1)
    return 2 * derivative * _moment(degree, smoothness, smoothness)


def order(smoothness: int) -> int:
    """r = ceil((K + 3) / 2): the kernel's (K+1)-th moment must still be small.

    >>> [order(smoothness) for smoothness in (0, 1, 2, 3, 4)]
    [2, 2, 3, 3, 4]
    """
    return (checks.integer("smoothness", smoothness, at_least=0) + 4) // 2


def _is_data_independent(degree: int, smoothness: int) -> bool:
    """Whether I_{degree,smoothness} keeps the mean only: no answer then depends on the data."""
    return checks.integer("degree", degree, at_least=0) < order(smoothness)


def integers(degree: int, smoothness: int) -> tuple[int, ...]:
    """The coefficients b_0, ..., b_N of (sin(t's/2) / sin(s/2))^2r, N = r floor(degree / r).

    Statements: W13 Definition 4.1.
    Python's integers: they pass 2^53 soon.

    >>> integers(4, 1), integers(6, 2)
    ((19, 16, 10, 4, 1), (141, 126, 90, 50, 21, 6, 1))
    """
    r = order(smoothness)
    root = checks.integer("degree", degree, at_least=0) // r
    return tuple(_coefficient(left, root + 1, r) for left in range(r * root, -1, -1))


def _coefficient(left: int, t: int, r: int) -> int:
    """Of z^left in (1 + z + ... + z^(t - 1))^2r, by inclusion and exclusion."""
    top = 2 * r - 1
    return sum(
        (-1) ** p * math.comb(2 * r, p) * math.comb(left - p * t + top, top)
        for p in range(min(2 * r, left // t) + 1)
    )


def multipliers_exact(degree: int, smoothness: int) -> tuple[Fraction, ...]:
    """The multiplier mu(n) of cos(n theta) under I, n = 0, ..., degree, as fractions.

    Statements: W13 Equation 2; W13 Fact 4.2.
    H takes cos(l s) to b_l / b_0, so equation (2) takes cos(n theta) to mu(n) times itself,
    mu(n) = sum over k = 1, ..., K + 1 of (-1)^(k+1) binom(K+1, k) b_(kn) / b_0. This is Fact
    4.2, where a_0 is half as large as a_l's formula would have it.

    >>> print(*multipliers_exact(6, 1))
    1 49/44 13/11 39/44 5/11 2/11 1/22
    """
    from fractions import Fraction

    return tuple(Fraction(*both) for both in _ratios(degree, smoothness))


def multipliers(degree: int, smoothness: int) -> np.ndarray:
    """:func:`multipliers_exact`, each rounded once; array (degree + 1,).

    >>> multipliers(4, 2)
    array([1.  , 1.4 , 0.9 , 0.15, 0.  ])
    """
    return _rounded(degree, smoothness).copy()


@lru_cache(maxsize=512)
def _rounded(degree: int, smoothness: int) -> np.ndarray:
    return np.array([above / below for above, below in _ratios(degree, smoothness)])


def _ratios(degree: int, smoothness: int) -> Iterator[tuple[int, int]]:
    """Numerator and denominator of each multiplier; Python rounds their quotient once."""
    b = integers(degree, smoothness)
    signed = [-math.comb(smoothness + 1, k) * (-1) ** k for k in range(smoothness + 2)]
    for n in range(degree + 1):
        shifts = (k for k in range(1, smoothness + 2) if k * n < len(b))
        yield sum(signed[k] * b[k * n] for k in shifts), b[0]


def kernel(s: np.ndarray, degree: int, smoothness: int) -> np.ndarray:
    """H at angles ``s``, any shape: never negative, of integral 1 over [-pi, pi].

    Statements: W13 Definition 4.1.

    >>> kernel(np.array([0.0, np.pi]), 4, 1)
    array([0.67850265, 0.00837658])
    """
    r = order(smoothness)
    t = degree // r + 1
    half = np.asarray(s, dtype=float) / 2
    small = np.abs(np.sin(half)) < 1e-9  # there the ratio is t to 16 digits
    ratio = np.where(small, t, np.sin(t * half) / np.where(small, 1.0, np.sin(half)))
    peak = t ** (2 * r) / _coefficient(r * (t - 1), t, r) / (2 * np.pi)  # b_0
    return peak * (ratio / t) ** (2 * r)


def by_quadrature(
    function: Callable[[np.ndarray], np.ndarray],
    theta: np.ndarray,
    degree: int,
    smoothness: int,
    *,
    points: int = 4096,
) -> np.ndarray:
    """Equation (2) as it stands, by the trapezoid rule: what the multipliers must agree with.

    Statements: W13 Equation 2.

    Parameters
    ----------
    function : callable on angles, of any shape
    theta : array, where to evaluate; the result has its shape (and the function's further axes)

    >>> by_quadrature(np.cos, np.zeros(1), 6, 1) * 44
    array([49.])
    """
    s = 2 * np.pi * np.arange(points) / points - np.pi
    mass = kernel(s, degree, smoothness) * (2 * np.pi / points)
    shifts = range(1, smoothness + 2)
    total = sum(
        (-1) ** k
        * math.comb(smoothness + 1, k)
        * np.tensordot(
            mass, function(np.asarray(theta) + k * s.reshape(-1, *[1] * np.ndim(theta))), 1
        )
        for k in shifts
    )
    return -total


def _moment(degree: int, smoothness: int, power: int) -> float:
    """The mean of |s|^power under H: of order degree^-power while power <= K + 1.

    By Gauss's rule of 40 nodes on pieces in which no cosine of H makes more than six turns; every
    term is positive.
    """
    from scipy.special import roots_legendre

    x, weights = roots_legendre(40)
    width = np.pi / (degree // 12 + 1)
    s = (np.arange(0, np.pi - width / 2, width)[:, None] + (x + 1) * width / 2).ravel()
    mass = np.tile(weights, len(s) // 40) * kernel(s, degree, smoothness)
    return float(width * np.sum(mass * s**power))


def operator_weights(
    operator: str, terms: int, *, allow_data_independent: bool = False
) -> np.ndarray:
    """What an operator multiplies each coefficient by; array (terms,), the first is 1.

    Parameters
    ----------
    operator : one of ``OPERATORS``, or "jackson K" for any K
    terms : int >= 1
    allow_data_independent : bool, whether a Jackson operator may keep the constant only

    Raises ValueError if the operator is unknown, or keeps nothing but the constant and that is not
    allowed.

    >>> operator_weights("vallee poussin", 5).round(2).tolist()
    [1.0, 1.0, 1.0, 0.67, 0.33]
    >>> operator_weights("jackson 2", 4).round(2).tolist()
    [1.0, 1.4, 0.9, 0.15]
    """
    n = np.arange(checks.integer("terms", terms, at_least=1))
    if operator == "truncation":
        return np.ones(terms)
    if operator == "fejer":
        return 1 - n / terms
    if operator == "vallee poussin":
        return np.minimum(1.0, (terms - n) / (terms - terms // 2))
    smoothness = smoothness_of(operator)
    if _is_data_independent(terms - 1, smoothness) and not allow_data_independent:
        least = order(smoothness) + 1
        raise ValueError(
            f"{operator!r} needs terms >= {least}, not {terms}: with fewer its kernel is constant "
            "and the answer does not depend on the data (allow_data_independent=True allows that)"
        )
    return multipliers(terms - 1, smoothness)


def smoothness_of(operator: str) -> int:
    """K of the operator "jackson K", any whole number; ValueError for another operator.

    >>> smoothness_of("jackson 12")
    12
    """
    name, _, number = str(operator).partition(" ")
    if name != "jackson" or not number.isdecimal():
        raise ValueError(f"operator must be one of {OPERATORS}, or 'jackson K', not {operator!r}")
    return int(number)


def lebesgue(weights: np.ndarray, *, points: int = 1024) -> float:
    """An upper bound, at most 0.4 % high, of the norm of the operator with these multipliers.

    Statements: W13 Section 5 (worst case).
    The norm is at most the mean of |M|, M = w_0 + 2 sum w_n cos(n s). The mean over P even
    points is short of it by at most pi N / P of it (Bernstein's inequality for the mean of
    |M'|, N = top degree).

    Parameters
    ----------
    weights : array (degree + 1,)
    points : int, P for each degree; with 256 the bound is at most 1.3 % high

    >>> lebesgue(np.ones(9)), lebesgue(multipliers(6, 2))
    (2.14, 1.88)
    """
    degree = len(weights) - 1
    points *= max(1, degree)
    sampled = np.fft.irfft(weights, points)
    total = np.abs(sampled, out=sampled).mean() * points
    return float(total / (1 - math.pi * degree / points))
