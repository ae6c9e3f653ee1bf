"""The K-norm: which class of smooth functions a public query belongs to.

**Paper.** Wang, Fan, Zhang and Wang (2013), section 3: the class C^K_B.

**Setting.** A public function f on the box [-1, 1]^d, given as a Gaussian kernel or by Chebyshev
coefficients. No data are read.

**Idea.** ||f||_K is the largest absolute value of any partial derivative of order at most K.
Theorem 3.1 is about all f with ||f||_K <= B, so B has to be known before it can be applied.

**Symbols.**

===========  =================  ================================================  ============
paper        here               meaning                                           shape, unit
===========  =================  ================================================  ============
K            ``smoothness``     derivatives that are bounded                      whole number
B            the value          largest derivative of order at most K             unit of f
k            (multi-indices)    how often each variable is differentiated         (d,)
===========  =================  ================================================  ============

**Departures.** None.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels


def kernel_norm(queries: GaussianKernels, smoothness: int) -> np.ndarray:
    """||f||_K of Gaussian kernels, exact up to rounding; array (k,).

    Statements: W13 Section 3 (smooth functions).

    In one variable the derivative of order j is He_j(u) exp(-u^2 / 2) / h^j in size, with
    u = (x - c) / h and Hermite's He_j. It is largest at a zero of He_(j+1) or at an end of the box.
    A derivative of the product is a product of such factors, and the box is one of intervals.

    >>> kernel_norm(GaussianKernels(centres=[[0.2]], width=0.5), 2)
    array([4.])
    """
    from numpy.polynomial import hermite_e

    checks.instance("queries", queries, GaussianKernels)
    order = checks.integer("smoothness", smoothness, at_least=0, at_most=20)
    width = queries.width
    largest = np.zeros((order + 1, *queries.centres.shape))
    for j in range(order + 1):
        unit, after = np.eye(order + 2)[j], np.eye(order + 2)[j + 1]
        # All are real; on some machines rounding leaves them an imaginary part.
        roots = np.real(hermite_e.hermeroots(np.trim_zeros(after, "b")))
        for u in (*roots, -np.inf, np.inf):
            at = np.clip(u, (-1 - queries.centres) / width, (1 - queries.centres) / width)
            size = np.abs(hermite_e.hermeval(at, unit)) * np.exp(-(at**2) / 2) / width**j
            largest[j] = np.maximum(largest[j], size)
    return _largest_product(largest)


def chebyshev_norm(coefficients: ArrayLike, smoothness: int) -> float:
    """A proved upper bound of ||f||_K for f = sum c_m T_m, m multi-indices; exact where c >= 0.

    Statements: W13 Section 3 (smooth functions).

    Each derivative of T_n is largest in size at 1, where that of order j is the product of
    (n^2 - i^2) / (2 i + 1) over i < j. So a derivative of f is at most the sum of |c_m| times
    these, which f attains in the corner (1, ..., 1) if no coefficient is negative.

    Parameters
    ----------
    coefficients : array (terms, ..., terms), one axis for each variable

    >>> chebyshev_norm([0.0, 0.0, 1.0], 2), chebyshev_norm([0.5, 0.0, -0.5], 1)
    (4.0, 2.0)
    """
    sizes = np.abs(checks.queries("coefficients", coefficients))
    order = checks.integer("smoothness", smoothness, at_least=0, at_most=20)
    for axis in range(sizes.ndim):
        derivatives = _at_one(sizes.shape[axis], order)
        sizes = np.moveaxis(np.tensordot(derivatives, sizes, axes=(1, axis)), 0, axis)
    total = np.indices(sizes.shape).sum(axis=0)
    return float(sizes[total <= order].max())


def _at_one(terms: int, order: int) -> np.ndarray:
    """The derivative of order j of T_n at 1; array (order + 1, terms)."""
    squares = np.arange(terms, dtype=float) ** 2
    found = [np.ones(terms)]
    for i in range(order):
        found.append(found[-1] * (squares - i**2) / (2 * i + 1))
    return np.array(found)


def _largest_product(largest: np.ndarray) -> np.ndarray:
    """The largest product of one factor per variable whose orders add up to K at most; (k,).

    ``largest`` has shape (K + 1, k, d).
    """
    best = largest[:, :, 0]
    for axis in range(1, largest.shape[2]):
        pairs = [
            np.max([best[i] * largest[j - i, :, axis] for i in range(j + 1)], axis=0)
            for j in range(len(largest))
        ]
        best = np.array(pairs)
    return best.max(axis=0)
