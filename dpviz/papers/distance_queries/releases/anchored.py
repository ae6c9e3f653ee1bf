"""The anchored release: average sign function and F(c), for records near a public center c.

**Paper.** Beside Huang and Roth (2014), who let a small diameter lower every sensitivity. The
average sign function alone cannot: its noise grows with the whole box. No priority is claimed.

**Setting.** n private records within l1 distance rho of a public point c of a public box (module
``curves``: ``diameter`` = 2 rho, ``center``); queries as near, though all of the box is answered.

**Idea.** F(y) = F(c) + the integral of the average sign function from c to y. Release F(c) beside
the average sign function: a query near c then integrates little of the noise. This is Levy's
Brownian field of the l1 distance (module ``negative_type``) with its best level: the worst answer
has sqrt(10) / 2 = 1.58 times the noise of the worst single one.

**Symbols.**

=======  ================  ==================================================
usual    here              meaning
=======  ================  ==================================================
rho      ``radius``        rows lie within this l1 distance of c
alpha    2 / sqrt(rho)     weight of F(c) beside the average sign function
c        ``center_point``  the center
=======  ================  ==================================================

**Departures.** alpha is the best one for queries within rho of c, by the joint sensitivity: two
rows cannot be far apart *and* at very different distances from c. The single curves share the
level F(c) evenly: only their sum means something.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import accounting
from dpviz.papers.distance_queries.learner.average_distance import (
    AverageDistance,
    check_call,
    prepare,
)
from dpviz.papers.distance_queries.releases import average_sign, noise_suprema
from dpviz.papers.distance_queries.releases.curves import (
    Curves,
    Params,
    answer,
    cell_slopes,
    from_slopes,
    from_values,
    gaussian_budget,
    interpolated,
    rescaled_queries,
    resolution,
)
from dpviz.papers.distance_queries.releases.curves import statistic as curves_statistic
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import Sums, blocks_of, column_sums, merge

__all__ = ["Params", "answer", "merge"]
LABEL = "F(c), average sign function"
LEVEL = "distances from the center"


def release(data: ArrayLike | AverageDistance | Sums, params: Params, curator: Curator) -> Curves:
    """Release a curve for each coordinate. Costs (epsilon, delta), one Gaussian charge.

    Parameters and errors as in ``average_sign``; but ``params`` has a diameter.

    >>> params = Params(n=2, d=2, epsilon=50, delta=1e-6, diameter=0.5, cells=8, lower=0, upper=1)
    >>> curves = release([[0.5, 0.6], [0.4, 0.5]], params, Curator(epsilon=50, delta=0.1, rng=0))
    >>> answer(curves, [[0.5, 0.5]])  # the truth is 0.1
    array([0.1])
    """
    check_call(params, Params, curator)
    budget = gaussian_budget(params)
    alpha = 2 / math.sqrt(_radius(params))
    sums = data if isinstance(data, Sums) else statistic(prepare(data, params), params)
    cell = np.sqrt(params.widths[:, None] / params.cells)
    level = float(sums.value(LEVEL, (params.d,)) / params.n @ params.widths)
    clean = np.append(alpha * level, cell_slopes(sums, params) * cell)
    noisy = curator.gaussian(clean, sensitivity=_sensitivity(params), label=LABEL, **budget)
    values = from_slopes(noisy[1:].reshape(params.d, -1) / cell, params)
    lower = np.array(params.box.lower)
    free = Curves(lower, lower + params.widths, values)
    values += (
        noisy[0] / alpha - interpolated(free, np.atleast_2d(params.center_point))[0]
    ) / params.d
    return from_values(values, params)


def statistic(data: ArrayLike | AverageDistance, params: Params) -> Sums:
    """As ``curves.statistic``, and the sums of distances from the center. Private.

    >>> params = Params(n=2, epsilon=1, delta=1e-6, diameter=1.0, lower=0, upper=1)
    >>> both = merge(statistic([0.25], params), statistic([1.0], params))
    >>> both.value(LEVEL, (1,)).tolist()
    [0.75]
    """
    if not isinstance(data, AverageDistance):
        data = AverageDistance(data, admit=params.admitted)
    center = (params.center_point - params.box.lower) / params.widths
    sums = curves_statistic(data, params)
    away = (np.abs(block - center) for block in blocks_of(data.points))
    level = column_sums(away, params.d)
    return Sums(n=sums.n, totals={**sums.totals, LEVEL: level})


def error_bound(params: Params, *, k: int | None = None) -> float:
    """Proved: with probability 1 - beta no answer is off by more, for any data.

    Without ``k`` for all queries in the box at once; with it for k queries within the radius,
    chosen without looking at the release. Both add ``curves.resolution``.

    Proof. *k.* Each error is normal with variance at most sd_0^2 (1 / alpha^2 + rho); a union
    bound. *All.* The noise is that of F(c) plus, in each coordinate, a Brownian path from c_i both
    ways, at most sqrt(length of its longer arm) times R in size, P(R > x) <= 4 P(N > x) by
    reflection, both signs alike; Chernoff (module ``noise_suprema``), beta / 2 for either sign. The
    grid adds at most half a cell in each coordinate, at y's end above and at c's below.
    *With convex=True* three times the noise's bound for all (``curves.convex``): the ends of
    these curves do not add up to the width.

    >>> params = Params(n=1000, d=50, epsilon=1, delta=1e-6, diameter=2.0, lower=0, upper=1)
    >>> error_bound(params) > error_bound(params, k=10**6) > error_bound(params, k=1)
    True
    """
    sd = _white_noise_sd(params)
    alpha = 2 / math.sqrt(_radius(params))
    if k is not None and not params.convex:
        worst = sd * math.sqrt(alpha**-2 + _radius(params))
        return noise_suprema.normal_union(params.beta, k) * worst + resolution(params)
    side = params.center_point - params.box.lower
    arms = sd * np.sqrt(np.maximum(side, params.widths - side))
    level = math.log(2 / params.beta)
    path = noise_suprema.chernoff_bound(
        noise_suprema.path_moments(), arms, level=level, sd=sd / alpha
    )
    return (3 if params.convex else 1) * path + resolution(params)


def standard_deviation(params: Params, queries: ArrayLike) -> NDArray:
    """Exact standard deviation of each answer (without convex post-processing).

    sd_0^2 (1 / alpha^2 + |y - c|_1) if y and c lie on the grid; less between its points, where a
    path through part of a cell, of length f h, has the variance f^2 h.

    >>> params = Params(n=1, d=2, epsilon=1, delta=1e-6, diameter=2.0, lower=0, upper=1)
    >>> sd = standard_deviation(params, [[0.5, 0.5], [0.0, 0.0]])
    >>> ((sd / average_sign.single_query_sd(params)) ** 2).tolist()  # 1/2 and 5/2
    [0.50, 2.50]
    """
    unit, shape = rescaled_queries(queries, params.box)
    ends = np.stack(
        np.broadcast_arrays(unit, (params.center_point - params.box.lower) / params.widths)
    )
    first, last = np.sort(ends * params.cells, axis=0)
    whole = np.floor(last) - np.floor(first) - 1
    apart = (np.floor(first) + 1 - first) ** 2 + whole + (last - np.floor(last)) ** 2
    length = np.where(whole < 0, (last - first) ** 2, apart) @ params.widths / params.cells
    return (_white_noise_sd(params) * np.sqrt(_radius(params) / 4 + length)).reshape(shape)


def advantage(params: Params) -> float:
    """Worst standard deviation of the average sign function over this one's: take this one above 1.

    Its maximum-variance query is a corner of the box, that of this one lies rho from the center.

    >>> advantage(
    ...     Params(n=1, d=50, epsilon=1, delta=1e-6, diameter=2.0, center=0.0, lower=0, upper=1)
    ... )
    3.16
    """
    corner = float(average_sign.standard_deviation(params, [params.box.upper])[0])
    return corner / (_white_noise_sd(params) * math.sqrt(1.25 * _radius(params)))


def _radius(params: Params) -> float:
    """rho, half the diameter; ValueError if none is given."""
    if params.diameter is None:
        raise ValueError("diameter must be a number here: the anchored release needs confined rows")
    return params.diameter / 2


def _sensitivity(params: Params) -> float:
    """L2 sensitivity of (alpha F(c), average sign function): sqrt(8 rho) / n for alpha^2 = 4 / rho.

    Proof. Rows at distances a, b <= rho from c differ by at most a + b, so the squared change is
    at most alpha^2 (a - b)^2 + 4 (a + b), convex in each: largest at (rho, 0) or (rho, rho), which
    is max(alpha^2 rho^2 + 4 rho, 8 rho). The variance of a query rho away, this times 1 / alpha^2
    + rho, falls in alpha up to alpha^2 = 4 / rho and rises after it.
    """
    return math.sqrt(8 * _radius(params)) / params.n


def _white_noise_sd(params: Params) -> float:
    """Standard deviation of the white noise."""
    return accounting.gaussian_sd(**gaussian_budget(params)) * _sensitivity(params)
