"""The average sign function under Gaussian noise: all l1 distance queries at the cost of one.

**Paper.** Beside Huang and Roth (2014), Theorem 1, which answers the same queries with error of
order n^(-4/5); here it is of order 1/n, for all queries at once. The ingredients are known: the
exact Gaussian mechanism (Balle and Wang 2018) and noise shaped by the geometry of the answers
(Hardt and Talwar 2010; Hall, Rinaldo and Wasserman 2013). No priority is claimed.

**Setting.** n private records in a public box (module ``curves``), (epsilon, delta) with delta > 0.

**Idea.** With s_x(t) = sign(t - x) on a column of width w, |x - y| = (w - <s_x, s_y>) / 2: the
average distance is linear in the average sign function. So release that function with white
noise, once; every answer is an integral of it.

**Symbols.**

==========  =====================  =======================================================
usual       here                   meaning
==========  =====================  =======================================================
s           ``slopes``             average sign function, one mean for each cell; (d, m)
r           ``detail_variance``    share of the noise's variance that the details get
S_r         ``sensitivity``        its square root over n: L2 sensitivity of what is noised
kappa       ``gaussian_sd``        standard deviation for sensitivity 1
a           1 - 2 u                place of a query in a column, from 1 to -1
==========  =====================  =======================================================

**Departures.** (1) Replacing x by x' moves s_x by 4 |x - x'| in squared length, of which the
mean of s_x over the column has 4 |x - x'|^2 / w. On a full box both cannot be large at once, so
the details (s minus its mean) may get half the variance at no cost: r = 1/2. (2) The noise is
floating point: for teaching.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import accounting
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance, check_call
from dpviz.papers.distance_queries.releases import noise_suprema
from dpviz.papers.distance_queries.releases.curves import (
    Curves,
    Params,
    answer,
    cell_slopes,
    from_slopes,
    from_values,
    gaussian_budget,
    rescaled_queries,
    resolution,
    statistic,
)
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import Sums, merge

__all__ = ["Params", "answer", "merge", "statistic"]
LABEL = "average sign function"


def release(data: ArrayLike | AverageDistance | Sums, params: Params, curator: Curator) -> Curves:
    """Release a curve for each coordinate. Costs (epsilon, delta), one Gaussian charge.

    Parameters
    ----------
    data : array (n, d), private; or what ``prepare`` made of it, or the merged ``statistic`` of its
        pieces
    params : Params with delta > 0
    curator : Curator of basic composition that can pay epsilon and delta

    Raises BudgetExceeded, TypeError or ValueError before anything is spent.

    >>> params = Params(n=4, epsilon=50, delta=1e-6, cells=8, lower=0, upper=1)
    >>> curves = release([0, 0, 1, 1], params, Curator(epsilon=50, delta=1e-6, rng=0))
    >>> answer(curves, [0.5])  # the truth is 0.5
    array([0.5])
    """
    check_call(params, Params, curator)
    budget = gaussian_budget(params)
    clean = _whitened(cell_slopes(data, params), params)
    noisy = curator.gaussian(clean, sensitivity=sensitivity(params), label=LABEL, **budget)
    return from_values(from_slopes(_unwhitened(noisy, params), params), params)


def error_bound(params: Params, *, k: int | None = None) -> float:
    """Proved: with probability 1 - beta no answer is off by more, for any data.

    Without ``k`` for all queries in the box at once; with it for k queries chosen without
    looking at the release, where that is smaller. Both add ``curves.resolution``.

    Proof. *All.* The noise of a coordinate's curve is (sd_0 sqrt(w) / 2) times a Brownian bridge
    of variance 4 r from G to -G at grid points, G standard normal. Given G it exceeds x > |G|
    with probability exp(-(x^2 - G^2) / (2 r)), so its supremum is at most R = sqrt(G^2 + r
    chi^2_2) in law. Coordinates are independent and a query is free in each: the largest noise
    is at most sd_0 / 2 times the sum of sqrt(w_i) R_i. The same holds for the smallest; each may
    fail with beta / 2 (exact for d = 1, else Chernoff's bound, module ``noise_suprema``). *k
    queries.* Each error is normal, its variance largest at a corner; the union bound. *With
    convex=True* twice the bound for all (``curves.convex``).

    >>> params = Params(n=1000, d=10, epsilon=1, delta=1e-6, lower=0, upper=1)
    >>> error_bound(params) > error_bound(params, k=10**6) > error_bound(params, k=1)
    True
    """
    level = math.log(2 / params.beta)
    half = _white_noise_sd(params) / 2
    scales = np.sqrt(params.widths)
    r = _detail_variance(params)
    if params.d == 1:
        one = noise_suprema.exact_quantile(
            lambda x: noise_suprema.bridge_tail(x, r), params.beta / 2
        )
        noise = half * float(scales[0]) * one
    else:
        noise = half * noise_suprema.chernoff_bound(
            noise_suprema.bridge_moments(r), scales, level=level
        )
    if params.convex:
        return 2 * noise + resolution(params)
    if k is not None:
        noise = min(
            noise, noise_suprema.normal_union(params.beta, k) * half * math.sqrt(params.total_width)
        )
    return noise + resolution(params)


def standard_deviation(params: Params, queries: ArrayLike) -> NDArray:
    """Exact standard deviation of each answer (without convex post-processing).

    sd_0^2 / 4 times the sum over coordinates of w (a^2 + r (1 - a^2)), less what straight lines
    between grid points average out: 4 r f (1 - f) / m at the share f of a cell.

    >>> params = Params(n=1, epsilon=1, delta=1e-6, lower=0, upper=1)
    >>> (standard_deviation(params, [0.0, 0.5]) / single_query_sd(params)).tolist()
    [1.0000, 0.7071]
    """
    unit, shape = rescaled_queries(queries, params.box)
    r = _detail_variance(params)
    share = (unit * params.cells) % 1
    a = (1 - 2 * unit) ** 2
    variance = a + r * (1 - a) - 4 * r * share * (1 - share) / params.cells
    return (_white_noise_sd(params) / 2 * np.sqrt(variance @ params.widths)).reshape(shape)


def single_query_sd(params: Params) -> float:
    """Standard deviation of Gaussian noise on the maximum-variance query alone: kappa Delta / n.

    >>> single_query_sd(Params(n=1000, d=2, epsilon=1, delta=1e-6, lower=0, upper=1))
    0.00844936
    """
    return accounting.gaussian_sd(**gaussian_budget(params)) * params.admissible_diameter / params.n


def _detail_variance(params: Params) -> float:
    """r = sqrt((1 - t) / (2 t)) within [1/2, 1], for t = Delta / W.

    It minimises the mean variance over uniform queries, S_r (1 + 2 r): 1/2 on a full box (and
    down to t = 2/3), 1 where t <= 1/3.
    """
    share = params.admissible_diameter / params.total_width
    return min(1.0, max(0.5, math.sqrt((1 - share) / (2 * share))))


def sensitivity(params: Params) -> float:
    """L2 sensitivity of ``_whitened`` slopes: sqrt(S_r) / n, S_r = 4 Delta (t + (1 - t) / r).

    Statements: lesson Theorem 3.9.
    Proof. Replacing x by x' at distance d_i in coordinate i moves the mean part by 4 d_i^2 / w_i
    and the details by 4 d_i - 4 d_i^2 / w_i (squared; for sign functions this is exact, and cell
    means are a projection that keeps the mean part). The details count 1 / r:
    sum of 4 d_i / r - 4 (1/r - 1) d_i^2 / w_i, concave in d, rising in each d_i for r >= 1/2. So
    the largest value under sum d_i <= Delta has d_i = t w_i, with t = Delta / W.

    >>> sensitivity(Params(n=2, d=3, epsilon=1, lower=0, upper=1)) ** 2  # 4 W / n^2
    3.0
    """
    share = params.admissible_diameter / params.total_width
    return (
        math.sqrt(4 * params.admissible_diameter * (share + (1 - share) / _detail_variance(params)))
        / params.n
    )


def _whitened(slopes: NDArray, params: Params) -> NDArray:
    """Slopes (d, m) as the vector that gets white noise: in L2 units, details over sqrt(r)."""
    return _scale_details(slopes * np.sqrt(_cell(params)), _detail_variance(params) ** -0.5)


def _unwhitened(vector: NDArray, params: Params) -> NDArray:
    """The inverse of ``_whitened``: noisy slopes, their details' noise times sqrt(r)."""
    return _scale_details(vector, _detail_variance(params) ** 0.5) / np.sqrt(_cell(params))


def _scale_details(vector: NDArray, factor: float) -> NDArray:
    """Multiply all but the mean of each row."""
    mean = vector.mean(axis=1, keepdims=True)
    return mean + factor * (vector - mean)


def _cell(params: Params) -> NDArray:
    """Width of a cell of each coordinate; shape (d, 1)."""
    return params.widths[:, None] / params.cells


def _white_noise_sd(params: Params) -> float:
    """Standard deviation of the white noise: kappa sqrt(S_r) / n."""
    return accounting.gaussian_sd(**gaussian_budget(params)) * sensitivity(params)
