"""All mechanisms on the same records and Gaussian kernel queries: worst errors side by side.

**Paper.** Wang, Fan, Zhang and Wang (2013) beside what else there is; the queries
are kernels as in Wang, Jin, Fan, Zhang, Huang, Zhong and Wang (2016).

**Setting.** n records in a public box, k public Gaussian kernels, one budget for each mechanism.

**Idea.** Run each once, take the worst error over the queries, and put an answer without data
beside them: what does not beat it has released nothing.

**Symbols.**

===========  =======================  =============================================  ===========
paper        here                     meaning                                        shape, unit
===========  =======================  =============================================  ===========
Alg. 1, 2    "paper's algorithm, K"   t = n^(1/(2d+K)), Jackson K = 1, 2, Laplace    worst error
(none)       "truncation, ..."        truncation at the t of the least proved bound  worst error
(none)       "functional mechanism"   Gaussian noise with the kernel's covariance    worst error
(none)       "MWEM on a grid"         multiplicative weights, zCDP, projections      worst error
(none)       "projected histogram"    Laplace noise, then the nearest possible       worst error
(none)       "private measure"        noisy counts on a binary partition             worst error
(none)       "Bernstein mechanism"    noisy values on a lattice                      worst error
(none)       "..., each answer"       Laplace, Gaussian mechanism on each answer     worst error
(none)       "constant answer"        no data: the first coefficient                 worst error
(none)       "1/2 for every query"    no data: never off by more than 1/2            worst error
===========  =======================  =============================================  ===========

**Departures.** The paper's algorithm gets the exact noise scale here, a little more than is
stated. Answers are not clipped to [0, 1], so that noise on each answer shows its size; it is
the adaptive form, for any k queries, and ``dpviz.comparison`` has that for public ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries import (
    baselines,
    bernstein,
    bounds,
    functional_mechanism,
    private_measure,
)
from dpviz.papers.smooth_queries import release as smooth
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, synthetic
from dpviz.papers.smooth_queries.release import rescaled

MOST = {1: 14, 2: 10, 3: 8}  # terms that are tried


@dataclass(frozen=True, kw_only=True)
class Params:
    """The common setting; all public.

    Attributes
    ----------
    d : 1, 2 or 3
    epsilon : float > 0; delta : float in (0, 1), used by Gaussian noise only
    lower, upper : public bounds of each variable

    >>> Params(d=4, lower=-1, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: d must be a whole number, at least 1 and at most 3, not 4
    """

    d: int
    epsilon: float = 1.0
    delta: float = 1e-6
    lower: ArrayLike
    upper: ArrayLike

    def __post_init__(self):
        checks.integer("d", self.d, at_least=1, at_most=3)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, above=0, below=1)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: GaussianKernels | None = None,
    *,
    n: int = 500,
    k: int = 100,
    width: float = 0.5,
    rng: checks.Seed,
) -> dict[str, float]:
    """The worst error of each mechanism over the queries, one run each.

    Without ``data`` and ``queries`` on n records and k kernels of ``gaussian_kernel.synthetic``.

    >>> found = trial(Params(d=1, lower=-1, upper=1), k=9, rng=1)
    >>> found["truncation, Laplace"] < found["constant answer"]
    True
    """
    rng = checks.generator(rng)
    box = {"lower": params.lower, "upper": params.upper}
    data, queries = synthetic(data, queries, d=params.d, n=n, k=k, width=width, **box, rng=rng)
    queries = queries.in_box(**box, d=params.d)
    n = len(data)
    pure = smooth.Params(d=params.d, terms=1, epsilon=params.epsilon, **box)
    errors = {}
    for smoothness in (1, 2):
        terms = smooth.paper_terms(n, d=params.d, smoothness=smoothness)
        how = {"operator": f"jackson {smoothness}", "allow_data_independent": True}
        row = bounds.trial(replace(pure, terms=terms), data, queries, **how, rng=rng)
        errors[f"paper's algorithm, K = {smoothness}"] = row["error"]
    for name, each in (("Laplace", pure), ("Gaussian", replace(pure, delta=params.delta))):
        terms = bounds.by_bound(each, n, queries, most=MOST[params.d])
        row = bounds.trial(replace(each, terms=terms), data, queries, rng=rng)
        errors[f"truncation, {name}"] = row["error"]
    errors["functional mechanism"] = _functional(params, data, queries, rng)
    grid = baselines.Params(d=params.d, epsilon=params.epsilon, **box)
    return errors | _others(grid, data, queries, rng, delta=params.delta)


def _functional(
    params: Params, data: ArrayLike, queries: GaussianKernels, rng: np.random.Generator
) -> float:
    """Noise with the kernel's covariance, 12 nodes per variable."""
    public = {"d": params.d, "width": float(queries.width[0]), "nodes": 12}
    public |= {"lower": params.lower, "upper": params.upper}
    errors = functional_mechanism.trial(
        functional_mechanism.Params(epsilon=params.epsilon, delta=params.delta, **public),
        data,
        queries.centres,
        rng=rng,
    )
    return errors["error"]


def _others(
    grid: baselines.Params,
    data: ArrayLike,
    queries: GaussianKernels,
    rng: np.random.Generator,
    *,
    delta: float,
) -> dict[str, float]:
    """MWEM, private measure, Bernstein mechanism, noise on each answer, no data."""
    n = len(data)
    public = {"d": grid.d, "lower": grid.lower, "upper": grid.upper}
    public |= {"epsilon": grid.epsilon, "delta": delta}
    row = baselines.trial(baselines.params_for(n, **public), data, queries, rng=rng)
    box = smooth.Params(d=grid.d, terms=1, epsilon=1.0, lower=grid.lower, upper=grid.upper)
    exact = queries.mean(rescaled(data, box))
    errors = {"MWEM on a grid": row["mwem"]}
    cells = baselines.cells_for(
        n, d=grid.d, k=len(exact), epsilon=grid.epsilon, width=float(queries.width[0])
    )
    counted = baselines.release_histogram(
        data, replace(grid, cells=cells), grid.curator(rng=rng)
    ).projected()
    gaps = np.abs(baselines.answer_grid(counted, queries) - exact)
    errors["projected histogram"] = float(gaps.max())
    measure = private_measure.params_for(n, **public)
    polynomial = bernstein.params_for(n, width=float(queries.width[0]), **public)
    for name, mechanism, each in (
        ("private measure", private_measure, measure),
        ("Bernstein mechanism", bernstein, polynomial),
    ):
        released = mechanism.release(data, each, each.curator(rng=rng))
        errors[name] = float(np.abs(mechanism.answer(released, queries) - exact).max())
    for name, each in (("Laplace", grid), ("Gaussian", replace(grid, delta=delta))):
        noisy = baselines.release_additive_noise(data, each, each.curator(rng=rng), queries=queries)
        errors[f"{name}, each answer"] = float(np.abs(noisy - exact).max())
    constant = {"constant answer": row["constant"]}
    return errors | constant | {"1/2 for every query": float(np.abs(0.5 - exact).max())}
