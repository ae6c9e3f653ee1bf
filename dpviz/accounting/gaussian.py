"""Gaussian noise on a value of L2 sensitivity 1: exact (epsilon, delta), both ways.

For sensitivity D, noise of sd D s costs what s costs here. The k adaptive answers with noise
s each are exactly one answer with noise s / sqrt(k) (Dong, Roth and Su 2022, Corollary 3.3).
Neighbours differ in one replaced record.
"""

from __future__ import annotations

import math

from dpviz import checks
from dpviz.accounting.normal import erfcx
from dpviz.accounting.roots import least

ROOT = math.sqrt(2)


def gaussian_delta(*, sd: float, epsilon: float) -> float:
    """Return the exact delta of Gaussian noise on a value of L2 sensitivity 1.

    delta = Phi(1/(2 sd) - epsilon sd) - exp(epsilon) Phi(-1/(2 sd) - epsilon sd) (Balle and
    Wang 2018, Theorem 8), because the loss is N(1/(2 sd^2), 1/sd^2).

    Parameters
    ----------
    sd, epsilon : float > 0. Raises ValueError or TypeError otherwise.

    >>> 1e6 * gaussian_delta(sd=4.22468, epsilon=1)
    1.000
    """
    sd = checks.number("sd", sd, above=0)
    return _hockey_stick(sd, checks.epsilon(epsilon))


def gaussian_epsilon(*, sd: float, delta: float) -> float:
    """Return the least epsilon >= 0 with ``gaussian_delta(sd, epsilon) <= delta``.

    Parameters
    ----------
    sd : float > 0

    >>> gaussian_epsilon(sd=4.22468, delta=1e-6)
    1.00000
    """
    sd = checks.number("sd", sd, above=0)
    depth = _depth(delta=delta)
    if _hockey_stick(sd, 0) <= delta:
        return 0.0
    start = 0.5 / sd**2 + math.sqrt(2 * depth) / sd
    return least(lambda x: _log(_hockey_stick(sd, x) / delta), start)


def gaussian_sd(*, epsilon: float, delta: float) -> float:
    """Return the least noise that makes L2 sensitivity 1 (epsilon, delta)-DP: Balle and Wang 2018.

    >>> gaussian_sd(epsilon=1, delta=1e-6), gaussian_sd(epsilon=0.1, delta=1e-6)
    (4.22468, 36.305)
    """
    epsilon = checks.epsilon(epsilon)
    depth = _depth(delta=delta)
    start = math.sqrt(2 * depth) / epsilon + 1 / math.sqrt(2 * epsilon)
    return least(lambda sd: _log(_hockey_stick(sd, epsilon) / delta), start)


def gaussian_sd_classical(*, epsilon: float, delta: float) -> float:
    """Return sqrt(2 ln(1.25/delta)) / epsilon, to show what ``gaussian_sd`` saves.

    Statements: NSV Theorem 2.4.
    Dwork and Roth 2014, Theorem A.1, from a tail bound on the loss. Only for epsilon <= 1.

    Parameters
    ----------
    epsilon : float in (0, 1]

    >>> gaussian_sd_classical(epsilon=1, delta=1e-6)
    5.30
    """
    epsilon = checks.number("epsilon", epsilon, above=0, at_most=1)
    return math.sqrt(2 * (math.log(1.25) + _depth(delta=delta))) / epsilon


def _depth(*, delta: float) -> float:
    """Check delta and return ln(1 / delta)."""
    return -math.log(checks.number("delta", delta, above=0, below=1))


def _hockey_stick(sd: float, level: float) -> float:
    """The delta of N(0, sd^2) and N(1, sd^2), rounded up: never below what it is exactly.

    exp(epsilon) phi(far) = phi(near), so both terms share the factor phi(near). Rounding, u =
    2^-53: ``near`` and ``far`` err by at most 2 u far each, which moves the first term by at most
    2 u far (far + 1) of it (phi(x) <= (x + 1) Phi(-x)) and the second by 2 u (far^2 + far); the
    exponent errs by u far^2 / 2, and what is left (:mod:`dpviz.accounting.normal`) by 22 u. That is
    less than 8 u (far^2 + 4) of their sum, which is added.
    """
    near = level * sd - 0.5 / sd
    far = level * sd + 0.5 / sd
    peak = 0.5 * math.exp(-near * near / 2)
    first = 0.5 * math.erfc(near / ROOT) if near < 0 else peak * erfcx(near / ROOT)
    second = peak * erfcx(far / ROOT)
    rounding = 2**-50 * (min(far, 1e100) ** 2 + 4) * (first + second)
    return min(1.0, max(0.0, first - second) + rounding)


def _log(ratio: float) -> float:
    """Logarithm that stays finite, with the sign of ratio - 1."""
    return math.log(min(max(ratio, 1e-300), 1e300))
