"""Prefix sums by a binary tree of noisy counts (continual counting): a baseline of the releases.

**Paper.** Beside Huang and Roth (2014). Dyadic counts under noise, made consistent: Hay, Rastogi,
Miklau and Suciu (2010); Honaker (2015).

**Setting.** n private records in a public box (module ``curves``); pure epsilon if delta =
0, else (epsilon, delta).

**Idea.** Count the records in every dyadic interval, add equal noise to all counts, make them add
up, sum them to a distribution function C, and integrate: the curve's slope is 2 C - 1.

**Symbols.**

=======  ==============  =====================================================
usual    here            meaning
=======  ==============  =====================================================
J        ``levels``      2^J cells; counts on levels 1 ... J (level 0 is n)
b, sd    ``scales``      noise of each count of coordinate i
C        ``chances``     share of records up to a grid point
=======  ==============  =====================================================

**Departures.** All levels get the same noise, as is usual, and coordinates get shares by their
widths. Within a cell records count as half at either end. The error keeps a factor that grows
with J, which ``average_sign`` and ``haar_wavelet`` do not have.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import (
    AverageDistance,
    check_call,
    prepare,
)
from dpviz.papers.distance_queries.releases import noise_suprema
from dpviz.papers.distance_queries.releases.curves import (
    Curves,
    Params,
    answer,
    from_slopes,
    from_values,
    resolution,
)
from dpviz.privacy.curator import Curator

__all__ = ["Params", "answer"]
LABEL = "dyadic counts"


def release(data: ArrayLike | AverageDistance, params: Params, curator: Curator) -> Curves:
    """Release a curve for each coordinate. Costs (epsilon, delta), one charge.

    Laplace noise if delta = 0, else Gaussian. Parameters and errors as in ``average_sign``.

    >>> params = Params(n=4, epsilon=500, cells=8, lower=0, upper=1)
    >>> curves = release([0, 0, 1, 1], params, Curator(epsilon=500, rng=0))
    >>> answer(curves, [0.5])  # the truth is 0.5
    array([0.5])
    """
    check_call(params, Params, curator)
    share = _shares(params)[:, None]
    clean = _dyadic_counts(prepare(data, params).cell_counts(params.cells)[0]) * share
    moved = _sensitivity(params)
    noisy = params.noisy(clean, curator, l1=moved, l2=moved, label=LABEL)
    cells = _consistent(noisy / share, params.n)
    after = np.cumsum(cells, axis=1) / params.n
    slopes = 2 * after - cells / params.n - 1  # C before a cell plus C after it, less 1
    return from_values(from_slopes(slopes, params), params)


def error_bound(params: Params, *, k: int | None = None) -> float:
    """Proved: with probability 1 - beta no answer is off by more, for any data.

    Without ``k`` for all queries in the box at once; with it for k queries chosen without
    looking at the release, where that is smaller. Both add ``curves.resolution``.

    Proof. Summing only left siblings' counts, a count on level j gets a weight of size at most
    2^-j in the curve, and there are 2^(j-1) of them: variance at most 1/2 of a count's, in units
    of w / n. Making the counts consistent is least squares, so no variance grows (Gauss and
    Markov), and no weight exceeds the root of the sum of their squares. With noise of scale b and
    v = (b w / n)^2 / 2, a Gaussian moment is at most exp(theta^2 v / 2), a Laplace one at most
    exp(t / (1 - t)), t = theta^2 v. The noise is linear between the grid points: a union over
    them ((m + 1)^d combinations) or over the k queries. *With convex=True* twice the bound for
    all (``curves.convex``).

    >>> params = Params(n=1000, d=10, epsilon=1, delta=1e-6, lower=0, upper=1)
    >>> error_bound(params) > error_bound(params, k=10**6) > error_bound(params, k=1)
    True
    """
    level = math.log(2 / params.beta)
    every = level + params.d * math.log(params.cells + 1)
    if k is not None and not params.convex:
        every = min(every, level + math.log(checks.integer("k", k, at_least=1)))
    sizes = _scales(params) * params.widths / params.n / math.sqrt(2)
    if params.delta:
        noise = math.sqrt(2 * every * float(sizes @ sizes))
    else:
        thetas = np.linspace(0, 0.98, 99)
        moments = noise_suprema.Moments(thetas, thetas**2 / (1 - thetas**2))
        noise = noise_suprema.chernoff_bound(moments, sizes, level=every)
    return (2 if params.convex else 1) * noise + resolution(params)


def _shares(params: Params) -> NDArray:
    """Weight of each coordinate's counts; shape (d,).

    If pure ~ w^(2/3) with sum 1, else ~ w^(1/2) with squares that sum to 1. They minimise the
    sum of the variances (w_i / weight)^2.
    """
    if params.delta:
        return np.sqrt(params.widths / params.total_width)
    parts = np.cbrt(params.widths) ** 2
    return parts / parts.sum()


def _sensitivity(params: Params) -> float:
    """Of the weighted counts: 2 J in L1 if pure, sqrt(2 J) in L2 else.

    Proof. On each of J levels a replaced record leaves one count and enters another, in each
    coordinate; the weights (pure), or their squares, add up to 1.
    """
    moved = 2.0 * (params.cells.bit_length() - 1)
    return math.sqrt(moved) if params.delta else moved


def _scales(params: Params) -> NDArray:
    """Noise of each count: standard deviation if Gaussian, else Laplace scale; shape (d,)."""
    moved = _sensitivity(params)
    return params.noise_scale(l1=moved, l2=moved) / _shares(params)


def _dyadic_counts(counts: NDArray) -> NDArray:
    """Counts on levels 1 ... J from those of the cells: (d, m) to (d, 2 m - 2), level by level."""
    table = [counts]
    while table[-1].shape[1] > 2:
        table.append(table[-1][:, ::2] + table[-1][:, 1::2])
    return np.concatenate(table[::-1], axis=1)


def _consistent(noisy: NDArray, n: int) -> NDArray:
    """Least-squares counts of the cells, from noisy dyadic ones and the known n; (d, m).

    Upwards, each count is averaged with its children's sum (weights by their variances);
    downwards, what the children lack of their parent is shared between them.
    """
    J = (noisy.shape[1] // 2 + 1).bit_length() - 1
    levels = [noisy[:, 2**j - 2 : 2 ** (j + 1) - 2] for j in range(1, J + 1)]
    up = [levels[-1]]
    for height, own in enumerate(levels[-2::-1], start=2):
        children = up[-1][:, ::2] + up[-1][:, 1::2]
        up.append((2 ** (height - 1) * own + (2 ** (height - 1) - 1) * children) / (2**height - 1))
    whole = np.full((len(noisy), 1), float(n))
    for level in up[::-1]:
        lack = whole - level[:, ::2] - level[:, 1::2]
        whole = level + np.repeat(lack / 2, 2, axis=1)
    return whole
