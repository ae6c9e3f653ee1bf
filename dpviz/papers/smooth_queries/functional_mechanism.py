"""Noise in the shape of the questions: bumps for about the price of one.

**Paper.** Hall, Rinaldo and Wasserman (2013), Gaussian-process noise; beside Wang, Fan, Zhang and
Wang (2013), whose equal noise on all moments it outdoes for bumps of one width.

**Setting.** Questions F(y) = mean over the records x of k(x, y), k(x, y) =
exp(-|x - y|^2 / (2 h^2)), for every y in [-1, 1]^d; Gaussian noise, delta > 0.

**Idea.** Add to the curve F a random curve whose values at y and y' are as alike as k(y, y').
One record moves F within the kernel's own space by a length of at most sqrt(2 - 2 k_min):
the same noise covers every y at once. Publish the curve at a few nodes; read it between them.

**Symbols.**

===========  ================  =============================================  ==============
paper        here              meaning                                        shape, unit
===========  ================  =============================================  ==============
k            ``width``         h, width of the bump, box = [-1, 1]^d          unit of x
(none)       ``waves``         nodes per variable of the published table      whole number
(none)       ``Release.table`` shares of the waves of the noisy curve         (waves,) * d
Delta        ``length``        sqrt(2 - 2 k_min), k_min = exp(-2 d / h^2)     RKHS norm
===========  ================  =============================================  ==============

**Departures.** A finite table is published instead of a curve. Restricting to nodes does not
lengthen anything, so privacy is exact for any number of nodes; what the nodes cannot draw is
an error, not a leak. Directions in which the kernel has less than 1e-12 of its size are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import accounting, checks
from dpviz.papers.smooth_queries.chebyshev import (
    LARGEST,
    chebyshev,
    chebyshev_nodes,
    transform_rows,
)
from dpviz.papers.smooth_queries.gaussian_kernel import ROUNDING as SMALLEST
from dpviz.papers.smooth_queries.gaussian_kernel import Bumps, grid, unseen
from dpviz.papers.smooth_queries.moments import add_products, contract
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import OUTSIDE, unit_points

LEAST = 1e-12  # of the kernel's largest direction; below it rounding would be amplified
ROUNDING = 1e-6  # relative, on the sensitivity: rounding / sqrt(LEAST)
RECORDS = 504  # at a time


@dataclass(frozen=True, kw_only=True)
class Params:
    """The curve and its price, all public; ``waves`` is the number of nodes per variable.

    ``low``, ``high``, ``outside`` as in :class:`dpviz.papers.smooth_queries.summary.Params`.

    >>> Params(d=3, width=0.5, waves=12, epsilon=1, delta=0)
    Traceback (most recent call last):
    ...
    ValueError: delta must be a number with 0 < delta < 1, not 0
    """

    d: int
    width: float
    waves: int
    epsilon: float
    delta: float
    low: Any = -1.0
    high: Any = 1.0
    outside: str = "clip"

    def __post_init__(self):
        checks.integer("d", self.d, at_least=1)
        checks.number("width", self.width, at_least=0.02)
        if checks.integer("waves", self.waves, at_least=2) ** self.d > LARGEST:
            raise ValueError(f"waves must satisfy waves^d <= {LARGEST}, not {self.waves}^{self.d}")
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, above=0, below=1)
        checks.choice("outside", self.outside, OUTSIDE)

    @property
    def length(self) -> float:
        """How far one record moves the sum of bumps, in the kernel's norm: |k_x - k_x'|.

        |k_x - k_x'|^2 = 2 - 2 k(x, x'), by the reproducing property.
        """
        return math.sqrt(-2 * math.expm1(-2 * self.d / self.width**2))

    def sd(self, n: int) -> float:
        """Standard deviation of the noise in an answer: kappa sqrt(2 - 2 k_min) / n."""
        unit = accounting.gaussian_sd(epsilon=self.epsilon, delta=self.delta)
        return unit * self.length / checks.integer("n", n, at_least=1)


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees: ``table``, array (waves,) * d, shares of the noisy curve's waves."""

    table: np.ndarray
    params: Params
    n: int


def release(data: Any, params: Params, curator: Curator) -> Release:
    """Publish the noisy curve.

    Costs ``params.epsilon`` and ``params.delta``: one Gaussian release of the curve in
    coordinates in which the kernel's norm is the Euclidean length (white noise), seen through
    the factor that leads back, which is free. Per variable K(z, z) = U diag(l) U' on the
    nodes z; a record's coordinates are diag(l)^(-1/2) U' k(z, x), a projection of k_x.

    >>> curator = Curator(epsilon=1, delta=1e-6, rng=0)
    >>> params = Params(d=1, width=0.5, waves=8, epsilon=1, delta=1e-6)
    >>> release(np.zeros((1000, 1)), params, curator).table.shape
    (8,)
    """
    points = unit_points(data, params.low, params.high, outside=params.outside)
    if points.shape[1] != params.d:
        raise ValueError(f"data must have d = {params.d} columns")
    white = _white_mean(2 * points - 1, params)
    noisy = curator.gaussian(
        white.ravel(),
        sensitivity=params.length * (1 + ROUNDING) / len(points),
        epsilon=params.epsilon,
        delta=params.delta,
        label="kernel curve",
    ).reshape(white.shape)
    colour = transform_rows(factor(params.waves, params.width).T, params.waves).T
    for i in range(params.d):
        noisy = np.moveaxis(np.tensordot(colour, noisy, (1, i)), 0, i)
    return Release(noisy, params, len(points))


def answer(release: Release, centres: Any) -> np.ndarray:
    """The noisy curve at public centres, array (k, d) in [-1, 1]; (k,). Free: post-processing.

    >>> params = Params(d=1, width=0.5, waves=16, epsilon=1e6, delta=1e-6)
    >>> found = release([[0.0]] * 9, params, Curator(epsilon=1e6, delta=1e-6, rng=0))
    >>> answer(found, [[0.0], [0.5]])
    array([1.00, 0.61])
    """
    params = release.params
    y = Bumps(centres=centres, width=params.width).within(params.d).centres
    rows = chebyshev(np.ascontiguousarray(y.T), params.waves)
    return contract(release.table, [rows[:, i].T for i in range(params.d)])


def truth(data: Any, centres: Any, params: Params) -> np.ndarray:
    """The exact answers; array (k,). For comparison only: not private.

    >>> truth([[0.0]], [[0.5]], Params(d=1, width=0.5, waves=8, epsilon=1, delta=1e-6))
    array([0.61])
    """
    points = 2 * unit_points(data, params.low, params.high, outside=params.outside) - 1
    return Bumps(centres=centres, width=params.width).within(params.d).mean(points)


def error_bound(params: Params, n: int, *, centres: Any, beta: float) -> np.ndarray:
    """For k public questions at once, each its own bound; array (k,).

    Proved: with probability 1 - beta all k answers are within these. The noise at y is Gaussian
    with sd ``sd(n)`` times prod_i |L' l(y_i)|, l the reading of the nodes. Reading a record's
    bump errs in one variable by e(y), the sum of |shares|, as a function of the record, of
    k(., y) - sum_a l_a(y) k(., z_a), and of what its grid cannot see; in all by prod (1 + e) - 1.

    Parameters
    ----------
    n : int
    centres : array (k, d)
    beta : float in (0, 1)

    >>> params = Params(d=3, width=0.5, waves=12, epsilon=1, delta=1e-6)
    >>> 1e5 * error_bound(params, 10**5, centres=[[0.1, 0.5, -0.9]], beta=0.05)
    array([18.4])
    """
    from scipy.special import ndtri

    y = Bumps(centres=centres, width=params.width).within(params.d).centres
    beta = checks.number("beta", beta, above=0, below=1)
    both = [reading(column, params) for column in y.T]
    stretch = np.prod([stretch for _, stretch in both], axis=0)
    drawing = np.prod([1 + error for error, _ in both], axis=0) - 1
    return drawing + stretch * params.sd(n) * float(-ndtri(beta / (2 * len(y))))


def trial(params: Params, n: int, *, k: int = 1000, rng: checks.Seed) -> dict[str, float]:
    """Uniform records and centres: worst and root-mean-square error over k bumps.

    >>> sorted(trial(Params(d=1, width=0.5, waves=10, epsilon=1, delta=1e-6), 100, k=9, rng=0))
    ['bound', 'error', 'rms', 'sd']
    """
    rng = checks.generator(rng)
    data, centres = rng.uniform(-1, 1, (n, params.d)), rng.uniform(-1, 1, (k, params.d))
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    errors = answer(release(data, params, curator), centres) - truth(data, centres, params)
    return {
        "error": float(np.abs(errors).max()),
        "rms": float(np.sqrt(np.mean(errors**2))),
        "sd": params.sd(n),
        "bound": float(error_bound(params, n, centres=centres, beta=0.05).max()),
    }


def factor(waves: int, width: float) -> np.ndarray:
    """L with L L' = K(z, z) on the nodes of one variable, up to ``LEAST``; array (waves, rank).

    >>> L = factor(4, 0.5)
    >>> np.allclose((L @ L.T).diagonal(), 1)
    True
    """
    sizes, directions = _eigen(waves, width)
    return directions * np.sqrt(sizes)


def reading(y: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    """One variable: how far reading at y (k,) errs for any record, and how it stretches noise.

    >>> params = Params(d=1, width=0.5, waves=12, epsilon=1, delta=1e-6)
    >>> error, stretch = reading(np.linspace(-1, 1, 99), params)
    >>> bool(error.max() < 1e-4), float(stretch.max())
    (True, 1.000)
    """
    t, nodes = params.waves, grid(2 * params.waves, params.width)
    spread = transform_rows(np.eye(t), t)  # shares of each node's polynomial
    at = chebyshev(y, t).T @ spread.T
    directions = _eigen(t, params.width)[1]
    kept = at @ directions @ directions.T
    places, records = np.append(y, chebyshev_nodes(t)), chebyshev_nodes(nodes)
    shapes = np.exp(-((places[:, None] - records) ** 2) / (2 * params.width**2))
    shares = transform_rows(shapes, nodes)
    error = np.abs(shares[: len(y)] - kept @ shares[len(y) :]).sum(axis=1)
    tail = 2 * (1 + np.abs(kept).sum(axis=1)) * unseen(nodes, params.width) + SMALLEST
    return error + tail, np.linalg.norm(at @ factor(t, params.width), axis=1)


def _eigen(waves: int, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Sizes and directions of the kernel on the nodes, the large ones."""
    z = chebyshev_nodes(waves)
    sizes, directions = np.linalg.eigh(np.exp(-((z[:, None] - z) ** 2) / (2 * width**2)))
    large = sizes > LEAST * sizes[-1]
    return sizes[large], directions[:, large]


def _white_mean(points: np.ndarray, params: Params) -> np.ndarray:
    """The mean of the records' coordinates; array (rank,) * d. Private."""
    sizes, directions = _eigen(params.waves, params.width)
    back = directions.T / np.sqrt(sizes)[:, None]
    z, d, rank = chebyshev_nodes(params.waves), params.d, len(sizes)
    total = np.zeros((rank ** ((d + 1) // 2), rank ** (d // 2)))
    room = np.empty((len(total), RECORDS)), np.empty((total.shape[1], RECORDS))
    for start in range(0, len(points), RECORDS):
        offsets = z[:, None] - points[start : start + RECORDS].T[:, None]
        rows = [*(back @ np.exp(-(offsets**2) / (2 * params.width**2)))]
        add_products(total, rows[: (d + 1) // 2], rows[(d + 1) // 2 :], room)
    return total.reshape((rank,) * d) / len(points)
