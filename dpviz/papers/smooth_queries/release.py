"""Private release of smooth queries (Algorithms 1 and 2): noisy Chebyshev moments, published once.

**Paper.** Wang, Fan, Zhang and Wang (2013), Algorithms 1 and 2, Theorem 3.1.

**Setting.** n records in a public box of R^d, rescaled to [-1, 1]^d. A query is the mean of
a public smooth function over the records. Neighbours: one record replaced, n public.

**Idea.** Smooth functions are nearly polynomials of low degree. So the means of the Chebyshev
polynomials, noisy once, answer all of them: a higher degree has a smaller bias and more noise.

**Symbols.**

============  ====================  ===========================================  ==============
paper         here                  meaning                                      shape, unit
============  ====================  ===========================================  ==============
D             ``data``              records, private                             (n, d)
(Alg. 1)      ``params``            size and budget, module ``summary``          ``Params``
Su(D)         ``Release.summary``   noisy means of phi_m; the first is 1         (N,)
c             ``queries``           coefficients of each query                   (N,), (k, N)
f             ``GaussianKernels``   queries whose coefficients are products      k of them
============  ====================  ===========================================  ==============

**Departures.** (1) The noise scale is (1 + kappa_t) t^d / (n epsilon): the paper's lacks kappa_t
and spends (1 + kappa_t) epsilon. (2) The constant moment is 1: no noise. (3) The paper's
t = n^(1/(2d+K)) is one choice (``summary.paper_terms``); module ``choose_degree`` has another.
(4) Gaussian noise, other index sets, noise that grows with the degree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries import moments
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.summary import Params, noise_sd, relative_scales, sensitivity_of
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import unit_points


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees.

    Attributes
    ----------
    summary : array (N,), noisy means of phi_m; the first is 1 exactly
    sd : array (N,), standard deviation of each entry's noise, 0 for the first
    params : Params
    n : int, number of records
    sensitivity : float, what the noise was calibrated to, for the means of scaled phi_m
    """

    summary: np.ndarray
    sd: np.ndarray
    params: Params
    n: int
    sensitivity: float

    def clipped(self) -> Release:
        """The same with every moment clipped to [-1, 1], where it must lie. Free."""
        return replace(self, summary=np.clip(self.summary, -1, 1))


def release(
    data: ArrayLike, params: Params, curator: Curator, *, queries: object = None
) -> Release:
    """Algorithm 1: the summary of noisy moments.

    Costs ``params.epsilon`` and ``params.delta``, in one charge: Laplace noise by the exact L1
    sensitivity, or Gaussian noise by a proved L2 sensitivity (module ``sensitivity``). With
    scales r_m the moments divided by r_m are released and multiplied again, which is free. One
    term per variable is a constant: nothing is charged.

    Parameters
    ----------
    data : array (n, d), private
    params : Params
    curator : Curator with basic composition
    queries : not used: the summary answers every smooth query

    Raises
    ------
    ValueError, TypeError
        If ``data`` has another number of columns or is no array of finite numbers.
    BudgetExceeded
        If the curator cannot pay.

    >>> curator = Curator(epsilon=1, rng=0)
    >>> found = release([[0.5], [0.7]], Params(d=1, terms=3, epsilon=1), curator)
    >>> float(found.summary[0]), found.sensitivity  # (1 + kappa_3) 3 / 2
    (1.0, 1.5625)
    """
    points, scales = rescaled(data, params), relative_scales(params)
    n, summary = len(points), np.ones(params.size)
    bound = sensitivity_of(params) / n
    if params.size > 1:
        scaled = exact_moments(points, params)[1:] / scales  # line "Compute"; the first is 1
        budget = {"epsilon": params.epsilon, "sensitivity": bound, "label": "moments"}
        if params.delta:
            noisy = curator.gaussian(scaled, delta=params.delta, **budget)
        else:
            noisy = curator.laplace(scaled, **budget)  # line "Sum + Lap"
        summary[1:] = noisy * scales
    return Release(summary, noise_sd(params, n), params, n, bound)


def answer(release: Release, queries: ArrayLike) -> float | np.ndarray:
    """Algorithm 2, last line: the inner product with the summary. Free: post-processing.

    Parameters
    ----------
    release : Release
    queries : coefficients, array (N,) or (k, N), or an expansion's (terms,) * d (see
        :func:`on_index_set`)

    Returns
    -------
    float, or array (k,)

    Raises
    ------
    ValueError
        If there is a coefficient for a moment that was not released.

    >>> found = release([[0.5]], Params(d=1, terms=3, epsilon=1e9), Curator(epsilon=1e9, rng=0))
    >>> answer(found, [1.0, 2.0, 0.0])
    2.0000
    """
    return _inner_products(queries, release.summary, release.params)


def answer_kernels(
    release: Release,
    queries: GaussianKernels,
    *,
    operator: str = "truncation",
    allow_data_independent: bool = False,
) -> np.ndarray:
    """Algorithm 2 for Gaussian kernels, whose coefficients are products; array (k,).

    Free: post-processing.

    >>> found = release([[0.5]], Params(d=1, terms=9, epsilon=1e9), Curator(epsilon=1e9, rng=0))
    >>> answer_kernels(found, GaussianKernels(centres=[[0.5]], width=0.5))
    array([1.000])
    """
    params = release.params
    how = {"operator": operator, "allow_data_independent": allow_data_independent}
    factors = queries.within(params.d).factors(params.terms, **how)
    return product_answers(release.summary, factors, params)


def truth(data: ArrayLike, queries: ArrayLike | None, params: Params) -> float | np.ndarray:
    """The exact answers; for ``queries`` None the exact moments, array (N,).

    For comparison only: not private.

    >>> params = Params(d=1, terms=3, epsilon=1)
    >>> truth([[0.5], [1.0]], None, params), truth([[0.5], [1.0]], [0.0, 2.0, 0.0], params)
    (array([1.  , 0.75, 0.25]), 1.5)
    """
    exact = exact_moments(rescaled(data, params), params)
    return exact if queries is None else _inner_products(queries, exact, params)


def rescaled(data: ArrayLike, params: Params) -> np.ndarray:
    """The records in [-1, 1]^d, clipped one by one; array (n, d). Private.

    >>> rescaled([[5.0], [99.0]], Params(d=1, terms=3, epsilon=1, lower=0, upper=10)).tolist()
    [[0.0], [1.0]]
    """
    points = unit_points(data, params.lower, params.upper, outside=params.outside)
    if points.shape[1] != params.d:
        raise ValueError(f"data must have d = {params.d} columns")
    return 2 * points - 1


def exact_moments(points: np.ndarray, params: Params) -> np.ndarray:
    """The moments of records in [-1, 1]^d; array (N,). Private.

    >>> exact_moments(np.array([[0.5]]), Params(d=1, terms=3, epsilon=1)).tolist()
    [1.0, 0.5, -0.5]
    """
    if params.index_set == "tensor":
        return moments.means(points, params.terms).ravel()
    return moments.selected_means(
        points, moments.multi_indices(params.index_set, params.d, params.terms)
    )


def on_index_set(coefficients: ArrayLike, params: Params) -> np.ndarray:
    """A tensor of coefficients, brought to the summary's multi-indices; array (N,).

    Coefficients inside the cube but not in the index set are dropped: that is part of the
    approximation error. Raises ValueError beyond the cube: those moments are not released.

    >>> params = Params(d=2, terms=2, epsilon=1, index_set="total degree")
    >>> on_index_set(np.ones((2, 2)), params).tolist()
    [1.0, 1.0, 1.0]
    """
    coefficients = checks.queries("queries", coefficients)
    if coefficients.ndim != params.d or max(coefficients.shape) > params.terms:
        wanted = f"({params.size},), (k, {params.size}) or up to {(params.terms,) * params.d}"
        raise ValueError(
            f"queries must have shape {wanted}, not {coefficients.shape}: no other moments were "
            "released"
        )
    padded = np.pad(coefficients, [(0, params.terms - size) for size in coefficients.shape])
    return padded[tuple(moments.multi_indices(params.index_set, params.d, params.terms).T)]


def product_coefficients(factors: list[np.ndarray], params: Params) -> Iterator[np.ndarray]:
    """The coefficients of product queries, some at a time; arrays (some, N).

    >>> params = Params(d=2, terms=2, epsilon=1)
    >>> factors = [np.array([[1.0, 2]]), np.array([[3.0, 4]])]
    >>> [block.tolist() for block in product_coefficients(factors, params)]
    [[[3.0, 4.0, 6.0, 8.0]]]
    """
    index = moments.multi_indices(params.index_set, params.d, params.terms)
    step = max(1, 2**20 // len(index))
    for start in range(0, len(factors[0]), step):
        coefficients = np.ones(())
        for factor, numbers in zip(factors, index.T, strict=True):
            coefficients = coefficients * factor[start : start + step][:, numbers]
        yield coefficients


def product_answers(summary: np.ndarray, factors: list[np.ndarray], params: Params) -> np.ndarray:
    """Inner products of product queries with a summary; array (k,).

    >>> params = Params(d=1, terms=2, epsilon=1)
    >>> product_answers(np.array([1.0, 0.5]), [np.array([[1.0, 2.0]])], params).tolist()
    [2.0]
    """
    if params.index_set == "tensor":
        return moments.contract(summary.reshape((params.terms,) * params.d), factors)
    return np.concatenate([block @ summary for block in product_coefficients(factors, params)])


def _inner_products(queries: ArrayLike, summary: np.ndarray, params: Params) -> float | np.ndarray:
    """Coefficients times moments."""
    coefficients = checks.queries("queries", queries)
    if coefficients.shape[-1:] != summary.shape:
        coefficients = on_index_set(coefficients, params)
    answers = coefficients @ summary
    return answers if np.ndim(answers) else float(answers)
