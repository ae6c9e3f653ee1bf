"""Choice of the degree: the bias-variance trade-off, resolved by public numbers only.

**Paper.** Wang, Fan, Zhang and Wang (2013) set t = n^(1/(2d+K)), which knows neither
epsilon nor the queries.

**Setting.** A public sample of queries; n, epsilon, delta. Choosing costs no privacy.

**Idea.** For each t add the approximation error, as seen at public points, to twice the noise of
the sampled queries; take the t where the worst of them is least. t = 1, an answer without data, is
a candidate: what does not beat it releases nothing useful.

**Symbols.**

===========  ================  ==============================================  ============
paper        here              meaning                                         shape, unit
===========  ================  ==============================================  ============
t            ``terms``         degrees 0, ..., t - 1 per variable              whole number
(none)       ``Mixtures``      queries: weighted kernels of a pool             (q, k)
(none)       ``expected``      approximation error + 2 sd, worst of a sample   unit of f
===========  ================  ==============================================  ============

**Departures.** A rule of thumb, not a bound: the approximation error is seen at finitely many
points, and 2 sd is no tail. ``bounds.error_bound_kernels`` is the proof. Never choose t by measured
private errors: that would cost, and is not done here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries import bounds
from dpviz.papers.smooth_queries.chebyshev import chebyshev
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, synthetic
from dpviz.papers.smooth_queries.moments import multi_indices
from dpviz.papers.smooth_queries.release import product_coefficients
from dpviz.papers.smooth_queries.summary import Params, noise_sd, paper_terms

METHODS = ("paper", "truncation")


@dataclass(frozen=True, eq=False)
class Mixtures:
    """Queries as in Wang et al. (2016): each the weighted mean of ten kernels of a pool.

    Attributes
    ----------
    pool : GaussianKernels
    members : int array (q, 10)
    weights : array (q, 10), each row adds up to 1

    >>> Mixtures.draw(4, d=2, width=0.5, pool=20, rng=0).of(np.ones(20))
    array([1., 1., 1., 1.])
    """

    pool: GaussianKernels
    members: np.ndarray
    weights: np.ndarray

    @classmethod
    def draw(cls, q: int, *, d: int, width: float, pool: int = 1000, rng: checks.Seed) -> Mixtures:
        """Random centres, members with replacement, uniform weights: public randomness."""
        rng = checks.generator(rng)
        kernels = GaussianKernels.draw(pool, d=d, width=width, rng=rng)
        weights = rng.uniform(size=(checks.integer("q", q, at_least=1), 10))
        members = rng.integers(pool, size=(q, 10))
        return cls(kernels, members, weights / weights.sum(axis=1)[:, None])

    def of(self, answers: np.ndarray) -> np.ndarray:
        """The mixtures' answers from the pool's; arrays (..., k) to (..., q)."""
        mixed = 0.0
        for member, weight in zip(self.members.T, self.weights.T, strict=True):
            mixed = mixed + answers[..., member] * weight
        return mixed

    def some(self, q: int) -> Mixtures:
        """The first q of them."""
        return replace(self, members=self.members[:q], weights=self.weights[:q])


def trial_methods(
    params: Params,
    data: ArrayLike | None = None,
    queries: GaussianKernels | None = None,
    *,
    method: str,
    n: int = 1000,
    k: int = 100,
    rng: checks.Seed,
) -> dict[str, float]:
    """The paper's t and Jackson kernel (K = 2), or truncation at the t of the least proved bound.

    The fields of ``bounds.trial``; ``params.terms`` is not used.

    >>> found = trial_methods(Params(d=1, terms=1, epsilon=1), method="truncation", rng=0)
    >>> found["error"] < 0.1
    True
    """
    rng = checks.generator(rng)
    data, queries = synthetic(data, queries, d=params.d, n=n, k=k, width=0.5, rng=rng)
    n = len(data)
    if checks.choice("method", method, METHODS) == "paper":
        terms = paper_terms(n, d=params.d, smoothness=2)
        how = {"operator": "jackson 2", "allow_data_independent": True}
    else:
        terms, how = by_bound(params, n, queries, most=14), {}
    return bounds.trial(replace(params, terms=terms), data, queries, **how, rng=rng)


def by_bound(params: Params, n: int, queries: GaussianKernels, *, most: int) -> int:
    """The number of terms for which the proved bound for these kernels is least: public, free.

    >>> queries = GaussianKernels.draw(9, d=1, width=0.5, rng=0)
    >>> by_bound(Params(d=1, terms=1, epsilon=1), 569, queries, most=12)
    6
    """
    tried = [replace(params, terms=t) for t in _up_to(most)]
    found = [bounds.error_bound_kernels(each, n=n, queries=queries).max() for each in tried]
    return int(np.argmin(found)) + 1


def by_sample(
    params: Params,
    n: int,
    queries: Mixtures,
    *,
    most: int,
    operator: str = "truncation",
    rng: checks.Seed,
) -> int:
    """The number of terms, from 1 to ``most``, whose expected worst error is least.

    Parameters
    ----------
    params : Params, of which everything but the terms is used
    n : int
    queries : Mixtures, a public sample
    rng : seed or Generator, for the public points

    >>> queries = Mixtures.draw(50, d=1, width=0.5, pool=100, rng=0)
    >>> by_sample(Params(d=1, terms=1, epsilon=1), 569, queries, most=12, rng=1)
    6
    """
    rng = checks.generator(rng)
    points = rng.uniform(-1, 1, (100, params.d))
    values = queries.of(queries.pool.value(points))
    found = [
        expected(replace(params, terms=t), n, queries, points, values, operator=operator)
        for t in _up_to(most)
    ]
    return int(np.argmin(found)) + 1


def expected(
    params: Params,
    n: int,
    queries: Mixtures,
    points: np.ndarray,
    values: np.ndarray,
    *,
    operator: str = "truncation",
) -> float:
    """Approximation error at the points plus 2 sd of the noise, for the worst query.

    Parameters
    ----------
    points : array (p, d) in [-1, 1], public
    values : array (p, q), the queries at the points

    >>> queries = Mixtures.draw(50, d=1, width=0.5, pool=100, rng=0)
    >>> points = np.linspace(-1, 1, 99)[:, None]
    >>> values = queries.of(queries.pool.value(points))
    >>> expected(Params(d=1, terms=7, epsilon=1), 569, queries, points, values) < 0.05
    True
    """
    coefficients = mixed_coefficients(params, queries, operator=operator)
    noise = 2 * np.sqrt(coefficients**2 @ noise_sd(params, n) ** 2)
    index = multi_indices(params.index_set, params.d, params.terms)
    features = np.ones((len(points), len(index)))
    for column, numbers in zip(points.T, index.T, strict=True):
        features *= chebyshev(column, params.terms)[numbers].T
    return float((np.abs(features @ coefficients.T - values).max(axis=0) + noise).max())


def mixed_coefficients(
    params: Params, queries: Mixtures, *, operator: str = "truncation"
) -> np.ndarray:
    """The mixtures' coefficients; array (q, N).

    >>> queries = Mixtures.draw(5, d=1, width=0.5, pool=9, rng=0)
    >>> mixed_coefficients(Params(d=1, terms=3, epsilon=1), queries).shape
    (5, 3)
    """
    how = {"operator": operator, "allow_data_independent": True}
    factors = queries.pool.factors(params.terms, **how)
    pool = np.concatenate(list(product_coefficients(factors, params)))
    return queries.of(pool.T).T


def scales_for(params: Params, queries: Mixtures) -> tuple[float, ...]:
    """Relative scales that suit a sample: v_m^(-1/4), or v_m^(-1/3) for Laplace noise.

    v_m is the largest squared coefficient of phi_m in the sample, floored at 1e-12 of the largest;
    the powers minimise sum v_m r_m^2 at a given budget (Lagrange).

    >>> queries = Mixtures.draw(50, d=1, width=0.5, pool=100, rng=0)
    >>> scales = scales_for(Params(d=1, terms=9, epsilon=1, delta=1e-6), queries)
    >>> len(scales), scales[0] < scales[-1]
    (8, True)
    """
    most = (mixed_coefficients(params, queries)[:, 1:] ** 2).max(axis=0)
    most = np.maximum(most, 1e-12 * most.max(initial=1e-300))
    relative = most ** (-1 / 4 if params.delta else -1 / 3)
    return tuple((relative / relative.min()).tolist()) if len(relative) else ()


def _up_to(most: int) -> range:
    """The numbers of terms that are tried."""
    return range(1, checks.integer("most", most, at_least=1) + 1)
