"""Publish a short table of noisy moments once; answer every smooth question from it.

**Paper.** Wang, Fan, Zhang and Wang (2013), Algorithms 1 and 2, Theorem 3.1.

**Setting.** n records in a public box of R^d, rescaled to [-1, 1]^d. A question is the mean of
a public smooth function over the records. Neighbours: one record replaced, n public.

**Idea.** Smooth functions are nearly sums of few waves. So the means of those waves, noisy
once, answer all of them. More waves draw better and carry more noise.

**Symbols.**

============  ====================  ==========================================  ==============
paper         here                  meaning                                     shape, unit
============  ====================  ==========================================  ==============
D             ``data``              records, private                            (n, d)
(Alg. 1)      ``params``            the plan, module ``summary``                  ``Params``
Su(D)         ``Release.table``     noisy means of the waves; the first is 1    (N,)
c             ``coefficients``      share of each wave in a question            (N,), (k, N)
f             ``Bumps``             questions whose shares are products         k of them
============  ====================  ==========================================  ==============

**Departures.** (1) The noise scale is (1 + kappa_t) t^d / (n epsilon): the paper's lacks kappa_t
and spends (1 + kappa_t) epsilon. (2) The constant wave is 1: no noise. (3) The paper's
t = n^(1/(2d+K)) is one choice (``summary.paper_waves``); module ``choose_degree`` has another.
(4) Gaussian noise, other sets of waves, noise that grows with the degree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries import moments
from dpviz.papers.smooth_queries.gaussian_kernel import Bumps
from dpviz.papers.smooth_queries.summary import Params, noise_sd, relative_scales, sensitivity_of
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import unit_points


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees.

    Attributes
    ----------
    table : array (N,), noisy means of the waves; the first is 1 exactly
    sd : array (N,), standard deviation of each entry's noise, 0 for the first
    params : Params
    n : int, number of records
    sensitivity : float, what the noise was calibrated to, for the mean of scaled waves
    """

    table: np.ndarray
    sd: np.ndarray
    params: Params
    n: int
    sensitivity: float

    def clipped(self) -> Release:
        """The same with every moment clipped to [-1, 1], where it must lie. Free."""
        return replace(self, table=np.clip(self.table, -1, 1))


def release(data: Any, params: Params, curator: Curator) -> Release:
    """Algorithm 1: the table of noisy moments.

    Costs ``params.epsilon`` and ``params.delta``, in one charge: Laplace noise by the exact L1
    sensitivity, or Gaussian noise by a proved L2 sensitivity (module ``sensitivity``). With
    scales r_m the waves divided by r_m are released and multiplied again, which is free. One
    wave per variable is a constant: nothing is charged.

    Parameters
    ----------
    data : array (n, d), private
    params : Params
    curator : Curator with basic composition

    Raises
    ------
    ValueError, TypeError
        If ``data`` has another number of columns or is no array of finite numbers.
    BudgetExceeded
        If the curator cannot pay.

    >>> curator = Curator(epsilon=1, rng=0)
    >>> found = release([[0.5], [0.7]], Params(d=1, waves=3, epsilon=1), curator)
    >>> float(found.table[0]), found.sensitivity  # (1 + kappa_3) 3 / 2
    (1.0, 1.5625)
    """
    points, scales = rescaled(data, params), relative_scales(params)
    n, table = len(points), np.ones(params.size)
    bound = sensitivity_of(params) / n
    if params.size > 1:
        scaled = exact_moments(points, params)[1:] / scales  # line "Compute"; the first is 1
        price = {"epsilon": params.epsilon, "sensitivity": bound, "label": "moments"}
        if params.delta:
            noisy = curator.gaussian(scaled, delta=params.delta, **price)
        else:
            noisy = curator.laplace(scaled, **price)  # line "Sum + Lap"
        table[1:] = noisy * scales
    return Release(table, noise_sd(params, n), params, n, bound)


def answer(release: Release, coefficients: Any) -> np.ndarray:
    """Algorithm 2, last line: the inner product with the table. Free: post-processing.

    Parameters
    ----------
    release : Release
    coefficients : array (N,) or (k, N), or an expansion's (waves,) * d (see :func:`on_table`)

    Returns
    -------
    float, or array (k,)

    Raises
    ------
    ValueError
        If there is a coefficient for a moment that was not released.

    >>> found = release([[0.5]], Params(d=1, waves=3, epsilon=1e9), Curator(epsilon=1e9, rng=0))
    >>> answer(found, [1.0, 2.0, 0.0])
    2.0000
    """
    shares = checks.queries("coefficients", coefficients)
    if shares.shape[-1:] != release.table.shape:
        shares = on_table(shares, release.params)
    answers = shares @ release.table
    return answers if np.ndim(answers) else float(answers)


def answer_bumps(
    release: Release, bumps: Bumps, *, operator: str = "truncation", blind: bool = False
) -> np.ndarray:
    """Algorithm 2 for bumps, whose coefficients are products; array (k,). Free: post-processing.

    >>> found = release([[0.5]], Params(d=1, waves=9, epsilon=1e9), Curator(epsilon=1e9, rng=0))
    >>> answer_bumps(found, Bumps(centres=[[0.5]], width=0.5))
    array([1.000])
    """
    bumps.within(release.params.d)
    factors = bumps.factors(release.params.waves, operator=operator, blind=blind)
    return product_answers(release.table, factors, release.params)


def truth(data: Any, params: Params) -> np.ndarray:
    """The exact moments; array (N,). For comparison only: not private.

    >>> truth([[0.5], [1.0]], Params(d=1, waves=3, epsilon=1))
    array([1.  , 0.75, 0.25])
    """
    return exact_moments(rescaled(data, params), params)


def rescaled(data: Any, params: Params) -> np.ndarray:
    """The records in [-1, 1]^d, clipped one by one; array (n, d). Private.

    >>> rescaled([[5.0], [99.0]], Params(d=1, waves=3, epsilon=1, low=0, high=10)).tolist()
    [[0.0], [1.0]]
    """
    points = unit_points(data, params.low, params.high, outside=params.outside)
    if points.shape[1] != params.d:
        raise ValueError(f"data must have d = {params.d} columns")
    return 2 * points - 1


def exact_moments(points: np.ndarray, params: Params) -> np.ndarray:
    """The moments of records in [-1, 1]^d; array (N,). Private.

    >>> exact_moments(np.array([[0.5]]), Params(d=1, waves=3, epsilon=1)).tolist()
    [1.0, 0.5, -0.5]
    """
    if params.index == "tensor":
        return moments.means(points, params.waves).ravel()
    return moments.selected_means(points, moments.index_set(params.index, params.d, params.waves))


def on_table(coefficients: Any, params: Params) -> np.ndarray:
    """A tensor of shares, brought to the table's waves; array (N,).

    Shares inside the cube of waves that are not in the index set are dropped: that is part
    of the drawing. Raises ValueError beyond the cube: those moments are not released.

    >>> on_table(np.ones((2, 2)), Params(d=2, waves=2, epsilon=1, index="total")).tolist()
    [1.0, 1.0, 1.0]
    """
    shares = checks.queries("coefficients", coefficients)
    if shares.ndim != params.d or max(shares.shape) > params.waves:
        wanted = f"({params.size},), (k, {params.size}) or up to {(params.waves,) * params.d}"
        raise ValueError(
            f"coefficients must have shape {wanted}, not {shares.shape}: no other moments were "
            "released"
        )
    padded = np.pad(shares, [(0, params.waves - size) for size in shares.shape])
    return padded[tuple(moments.index_set(params.index, params.d, params.waves).T)]


def product_shares(factors: list[np.ndarray], params: Params) -> Iterator[np.ndarray]:
    """The shares of product questions, some at a time; arrays (some, N).

    >>> params = Params(d=2, waves=2, epsilon=1)
    >>> factors = [np.array([[1.0, 2]]), np.array([[3.0, 4]])]
    >>> [part.tolist() for part in product_shares(factors, params)]
    [[[3.0, 4.0, 6.0, 8.0]]]
    """
    index = moments.index_set(params.index, params.d, params.waves)
    step = max(1, 2**20 // len(index))
    for start in range(0, len(factors[0]), step):
        shares = np.ones(())
        for factor, numbers in zip(factors, index.T, strict=True):
            shares = shares * factor[start : start + step][:, numbers]
        yield shares


def product_answers(table: np.ndarray, factors: list[np.ndarray], params: Params) -> np.ndarray:
    """Inner products of product questions with a table; array (k,).

    >>> params = Params(d=1, waves=2, epsilon=1)
    >>> product_answers(np.array([1.0, 0.5]), [np.array([[1.0, 2.0]])], params).tolist()
    [2.0]
    """
    if params.index == "tensor":
        return moments.contract(table.reshape((params.waves,) * params.d), factors)
    return np.concatenate([shares @ table for shares in product_shares(factors, params)])
