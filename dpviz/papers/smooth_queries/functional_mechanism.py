"""Functional mechanism (Hall, Rinaldo and Wasserman 2013): Gaussian-process noise with the kernel's
covariance answers all Gaussian kernel queries of one width at about the cost of one.

**Paper.** Hall, Rinaldo and Wasserman (2013), Gaussian-process noise; beside Wang, Fan, Zhang and
Wang (2013), whose equal noise on all moments it outdoes for kernels of one width.

**Setting.** Queries F(y) = mean over the records x of k(x, y), k(x, y) =
exp(-|x - y|^2 / (2 h^2)), for every y in [-1, 1]^d; Gaussian noise, delta > 0.

**Idea.** Add to the function F a random function whose values at y and y' have covariance k(y, y').
One record changes F by at most sqrt(2 - 2 k_min) in the norm of the kernel's reproducing kernel
Hilbert space (RKHS): the same noise covers every y at once. Publish the noisy function at a few
nodes; interpolate between them.

**Symbols.**

===========  ========================  =======================================  ==============
paper        here                      meaning                                  shape, unit
===========  ========================  =======================================  ==============
k            ``width``                 h, width of the kernel                   box = [-1, 1]
(none)       ``nodes``                 Chebyshev nodes per variable             whole number
(none)       ``Release.coefficients``  of the interpolated noisy function       (nodes,) * d
Delta        ``rkhs_sensitivity``      sqrt(2 - 2 k_min), k_min = e^(-2d/h^2)   RKHS norm
===========  ========================  =======================================  ==============

**Departures.** Finitely many numbers are published instead of a function. Restricting to nodes
increases no norm, so privacy is exact for any number of nodes; interpolation is an error, not a
leak. Directions in which the kernel has less than 1e-12 of its size are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.papers.smooth_queries.chebyshev import (
    LARGEST,
    Boxed,
    chebyshev,
    chebyshev_nodes,
    transform_rows,
)
from dpviz.papers.smooth_queries.gaussian_kernel import ROUNDING as SMALLEST
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, grid, unseen
from dpviz.papers.smooth_queries.moments import add_products, contract
from dpviz.papers.smooth_queries.release import rescaled
from dpviz.privacy.curator import APPROXIMATE, Curator, Promise

LEAST = 1e-12  # of the kernel's largest direction; below it rounding would be amplified
ROUNDING = 1e-6  # relative, on the sensitivity: rounding / sqrt(LEAST)
RECORDS = 504  # at a time


@dataclass(frozen=True, kw_only=True)
class Params(Boxed, Promise):
    """The noisy function and its budget, all public.

    Attributes
    ----------
    width : float >= 0.02, h
    nodes : int >= 2, Chebyshev nodes per variable

    >>> Params(d=3, width=0.5, nodes=12, epsilon=1, delta=0, lower=-1, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: delta must be a number with 0 < delta < 1, not 0
    """

    delta_range = APPROXIMATE

    width: float
    nodes: int

    def __post_init__(self):
        super().__post_init__()
        checks.number("width", self.width, at_least=0.02)
        if checks.integer("nodes", self.nodes, at_least=2) ** self.d > LARGEST:
            raise ValueError(f"nodes must satisfy nodes^d <= {LARGEST}, not {self.nodes}^{self.d}")

    @property
    def rkhs_sensitivity(self) -> float:
        """How far one record changes the sum of kernels in the RKHS norm: |k_x - k_x'|.

        |k_x - k_x'|^2 = 2 - 2 k(x, x'), by the reproducing property.
        """
        return math.sqrt(-2 * math.expm1(-2 * self.d / self.width**2))

    def sd(self, n: int) -> float:
        """Standard deviation of the noise in an answer: kappa sqrt(2 - 2 k_min) / n."""
        unit = accounting.gaussian_sd(epsilon=self.epsilon, delta=self.delta)
        return unit * self.rkhs_sensitivity / checks.integer("n", n, at_least=1)


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees: ``coefficients`` of the noisy function, array (nodes,) * d."""

    coefficients: np.ndarray
    params: Params
    n: int


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """Publish the noisy function; ``queries`` are not used: it answers every centre.

    Costs ``params.epsilon`` and ``params.delta``: one Gaussian release of F in
    coordinates in which the kernel's norm is the Euclidean length (white noise), seen through
    the factor that leads back, which is free. Per variable K(z, z) = U diag(l) U' on the
    nodes z; a record's coordinates are diag(l)^(-1/2) U' k(z, x), a projection of k_x.

    >>> curator = Curator(epsilon=1, delta=1e-6, rng=0)
    >>> params = Params(d=1, width=0.5, nodes=8, epsilon=1, delta=1e-6, lower=-1, upper=1)
    >>> release(np.zeros((1000, 1)), params, curator).coefficients.shape
    (8,)
    """
    points = rescaled(data, params)
    white = _white_mean(points, params)
    noisy = curator.gaussian(
        white.ravel(),
        sensitivity=params.rkhs_sensitivity * (1 + ROUNDING) / len(points),
        epsilon=params.epsilon,
        delta=params.delta,
        label="kernel curve",
    ).reshape(white.shape)
    colour = transform_rows(_factor(params.nodes, params.width).T, params.nodes).T
    for i in range(params.d):
        noisy = np.moveaxis(np.tensordot(colour, noisy, (1, i)), 0, i)
    return Release(noisy, params, len(points))


def answer(release: Release, queries: ArrayLike) -> np.ndarray:
    """The noisy function at public centres ``queries``, array (k, d) in [-1, 1]; (k,).

    Free: post-processing.

    >>> params = Params(d=1, width=0.5, nodes=16, epsilon=1e6, delta=1e-6, lower=-1, upper=1)
    >>> found = release([[0.0]] * 9, params, params.curator(rng=0))
    >>> answer(found, [[0.0], [0.5]])
    array([1.00, 0.61])
    """
    params = release.params
    y = _kernels(queries, params).centres
    rows = chebyshev(np.ascontiguousarray(y.T), params.nodes)
    return contract(release.coefficients, [rows[:, i].T for i in range(params.d)])


def truth(data: ArrayLike, queries: ArrayLike, params: Params) -> np.ndarray:
    """The exact answers at the centres ``queries``; array (k,). For comparison only: not private.

    >>> truth(
    ...     [[0.0]],
    ...     [[0.5]],
    ...     Params(d=1, width=0.5, nodes=8, epsilon=1, delta=1e-6, lower=-1, upper=1),
    ... )
    array([0.61])
    """
    return _kernels(queries, params).mean(rescaled(data, params))


def error_bound(params: Params, *, n: int, queries: ArrayLike) -> np.ndarray:
    """For k public centres at once, each its own bound; array (k,).

    Proved: with probability 1 - beta all k answers are within these. The noise at y is Gaussian
    with sd ``sd(n)`` times prod_i |L' l(y_i)|, l the interpolation weights of the nodes. A record's
    interpolated kernel is off in one variable by e(y), the sum of |coefficients|, as a function of
    the record, of k(., y) - sum_a l_a(y) k(., z_a), and of what its grid cannot see; in all by
    prod (1 + e) - 1.

    Parameters
    ----------
    n : int; queries : centres, array (k, d)

    >>> params = Params(d=3, width=0.5, nodes=12, epsilon=1, delta=1e-6, lower=-1, upper=1)
    >>> 1e5 * error_bound(params, n=10**5, queries=[[0.1, 0.5, -0.9]])
    array([18.4])
    """
    from scipy.special import ndtri

    y = _kernels(queries, params).centres
    both = [_interpolation(column, params) for column in y.T]
    stretch = np.prod([stretch for _, stretch in both], axis=0)
    approximation = np.prod([1 + error for error, _ in both], axis=0) - 1
    return approximation + stretch * params.sd(n) * float(-ndtri(params.beta / (2 * len(y))))


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    n: int = 1000,
    k: int = 1000,
    rng: checks.Seed,
) -> dict[str, float]:
    """Worst and root-mean-square error; without data on n uniform records and k uniform centres.

    >>> params = Params(d=1, width=0.5, nodes=10, epsilon=1, delta=1e-6, lower=-1, upper=1)
    >>> sorted(trial(params, n=100, k=9, rng=0))
    ['bound', 'error', 'rms', 'sd']
    """
    rng = checks.generator(rng)
    data = rng.uniform(-1, 1, (n, params.d)) if data is None else data
    queries = rng.uniform(-1, 1, (k, params.d)) if queries is None else queries
    released = release(data, params, params.curator(rng=rng))
    errors = answer(released, queries) - truth(data, queries, params)
    return {
        "error": float(np.abs(errors).max()),
        "rms": float(np.sqrt(np.mean(errors**2))),
        "sd": params.sd(released.n),
        "bound": float(error_bound(params, n=released.n, queries=queries).max()),
    }


def _factor(nodes: int, width: float) -> np.ndarray:
    """L with L L' = K(z, z) on the nodes of one variable, up to ``LEAST``; array (nodes, rank)."""
    sizes, directions = _eigen(nodes, width)
    return directions * np.sqrt(sizes)


def _interpolation(y: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    """One variable: how far interpolating at y (k,) is off for any record, and how it stretches
    noise.
    """
    t = params.nodes
    fine = grid(2 * params.nodes, params.width)
    spread = transform_rows(np.eye(t), t)  # coefficients of each node's polynomial
    at = chebyshev(y, t).T @ spread.T
    directions = _eigen(t, params.width)[1]
    projection = at @ directions @ directions.T
    places = np.append(y, chebyshev_nodes(t))
    records = chebyshev_nodes(fine)
    shapes = np.exp(-((places[:, None] - records) ** 2) / (2 * params.width**2))
    coefficients = transform_rows(shapes, fine)
    error = np.abs(coefficients[: len(y)] - projection @ coefficients[len(y) :]).sum(axis=1)
    tail = 2 * (1 + np.abs(projection).sum(axis=1)) * unseen(fine, params.width) + SMALLEST
    return error + tail, np.linalg.norm(at @ _factor(t, params.width), axis=1)


def _kernels(centres: ArrayLike, params: Params) -> GaussianKernels:
    """The queries at these centres, checked."""
    kernels = GaussianKernels(centres=centres, width=params.width, lower=-1, upper=1)
    return kernels.within(params.d)


def _eigen(nodes: int, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Sizes and directions of the kernel on the nodes, the large ones."""
    z = chebyshev_nodes(nodes)
    sizes, directions = np.linalg.eigh(np.exp(-((z[:, None] - z) ** 2) / (2 * width**2)))
    large = sizes > LEAST * sizes[-1]
    return sizes[large], directions[:, large]


def _white_mean(points: np.ndarray, params: Params) -> np.ndarray:
    """The mean of the records' coordinates; array (rank,) * d. Private."""
    sizes, directions = _eigen(params.nodes, params.width)
    back = directions.T / np.sqrt(sizes)[:, None]
    z = chebyshev_nodes(params.nodes)
    d = params.d
    rank = len(sizes)
    total = np.zeros((rank ** ((d + 1) // 2), rank ** (d // 2)))
    workspace = np.empty((len(total), RECORDS)), np.empty((total.shape[1], RECORDS))
    for start in range(0, len(points), RECORDS):
        offsets = z[:, None] - points[start : start + RECORDS].T[:, None]
        rows = [*(back @ np.exp(-(offsets**2) / (2 * params.width**2)))]
        add_products(total, rows[: (d + 1) // 2], rows[(d + 1) // 2 :], workspace)
    return total.reshape((rank,) * d) / len(points)
