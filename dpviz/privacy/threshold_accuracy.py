"""Accuracy of AboveThreshold (sparse vector): how far a noisy comparison can be wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpviz.checks import number, queries

FIRST = 1 / (1 + 2 ** (2 / 3))  # share of epsilon that goes to the threshold, plan "fresh"


def threshold_accuracy(*, checks: ArrayLike, runs: ArrayLike, beta: float) -> np.ndarray:
    """Proved: with probability 1 - beta no check is decided against a gap of more than this.

    Statements: NSV Theorem 4.8.

    For :class:`dpviz.privacy.sparse_vector.Threshold`, plan "fresh", sensitivity 1 and epsilon 1;
    for others multiply by sensitivity / epsilon. Then every positive answer has a value above
    threshold - s, every negative one a value below threshold + s, however the values were chosen.

    Proof. Let b1, b2 be the scales of the noises on the threshold and on the values, r = b1/b2
    < 1, and M the largest of the ``runs`` noises on thresholds, in absolute value. Given all
    of these, a check with noise v on its value is wrong with probability at most
    P(|v - m| > s) <= exp(-s/b2) cosh(M/b2), whichever run it belongs to (for |m| <= s this is
    the exact tail at m. Beyond, with b2 = 1: at m = s both sides agree in value and slope; then
    the right one, e^-s cosh m, is convex, the tail, 1 - e^-m sinh s, concave: it stays below).
    Sum over ``check`` and take the
    mean over M, the largest of c exponentials: E exp(u M) = c! G(1 - u b1) / G(c + 1 - u b1)
    with the gamma function G (M is a sum of independent exponentials of means b1/j). So
    s = b2 ln(checks E cosh(M/b2) / beta) will do. Nothing was assumed about which check meets
    which threshold, so questions may be adaptive.

    Parameters
    ----------
    checks, runs : int >= 1, or arrays of them: all checks, and all thresholds drawn
    beta : float in (0, 1)

    Returns
    -------
    float or array

    Raises
    ------
    ValueError, TypeError
        If a count is below 1 or ``beta`` out of range.

    >>> float(threshold_accuracy(checks=10_000, runs=6, beta=0.1 / 3))
    48.43
    """
    from scipy.special import gammaln

    beta = number("beta", beta, above=0, below=1)
    checks, runs = _counts("checks", checks), _counts("runs", runs)
    b1, b2 = 1 / FIRST, 2 / (1 - FIRST)
    r = b1 / b2
    up = gammaln(runs + 1) + gammaln(1 - r) - gammaln(runs + 1 - r)
    down = gammaln(runs + 1) + gammaln(1 + r) - gammaln(runs + 1 + r)
    return b2 * (np.log(checks / (2 * beta)) + np.logaddexp(up, down))


def _counts(name: str, value: ArrayLike) -> np.ndarray:
    """Public counts as floats; one at least, or there is nothing to bound."""
    counts = queries(name, value)
    if (counts < 1).any():
        raise ValueError(f"{name} must be at least 1, not {value!r}")
    return counts
