"""All mechanisms on the same records and questions: what is published, what it is worth.

**Paper.** Wang, Fan, Zhang and Wang (2013) beside what else there is; the questions
are kernels as in Wang, Jin, Fan, Zhang, Huang, Zhong and Wang (2016).

**Setting.** n records in a public box, k public bumps, one price for everybody.

**Idea.** Run each once, take the worst error over the questions, and put an answer without data
beside them: what does not beat it has released nothing.

**Symbols.**

===========  ===============  =================================================  ============
paper        here             meaning                                            shape, unit
===========  ===============  =================================================  ============
Alg. 1, 2    "paper's plan"   t = n^(1/(2d+2)), kernel with K = 2, Laplace       worst error
(none)       "cut, ..."       truncation at the t of the least proved bound      worst error
(none)       "their shape"    noise with the bumps' covariance                   worst error
(none)       "grid", "each"   multiplicative weights; noise on each answer       worst error
===========  ===============  =================================================  ============

**Departures.** The paper's plan gets the exact noise scale here, a little more than is printed.
Answers are not clipped to [0, 1], so that noise on each answer shows its size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries import baselines, bounds, choose_degree, functional_mechanism
from dpviz.papers.smooth_queries.gaussian_kernel import Bumps
from dpviz.papers.smooth_queries.release import rescaled
from dpviz.papers.smooth_queries.summary import Params as Table
from dpviz.papers.smooth_queries.summary import paper_waves
from dpviz.privacy.curator import Curator

MOST = {1: 14, 2: 10, 3: 8}  # waves that are tried
CELLS = {1: 48, 2: 48, 3: 16}  # of the grid, per variable


@dataclass(frozen=True, kw_only=True)
class Params:
    """The common setting; all public.

    Attributes
    ----------
    d : 1, 2 or 3
    epsilon : float > 0; delta : float in (0, 1), used by Gaussian noise only
    low, high : public bounds of each variable

    >>> Params(d=4)
    Traceback (most recent call last):
    ...
    ValueError: d must be a whole number, at least 1 and at most 3, not 4
    """

    d: int
    epsilon: float = 1.0
    delta: float = 1e-6
    low: Any = -1.0
    high: Any = 1.0

    def __post_init__(self):
        checks.integer("d", self.d, at_least=1, at_most=3)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, above=0, below=1)


def trial(params: Params, data: Any, bumps: Bumps, *, rng: checks.Seed) -> dict[str, float]:
    """The worst error of each mechanism over the bumps, one run each.

    >>> found = trial(Params(d=1), [[0.1]] * 500, Bumps.draw(9, d=1, width=0.5, rng=0), rng=1)
    >>> min(found, key=found.get)
    'cut, Gauss'
    """
    n, rng = len(data), checks.generator(rng)
    box = {"low": params.low, "high": params.high}
    pure = Table(d=params.d, waves=1, epsilon=params.epsilon, **box)
    plain = replace(pure, waves=paper_waves(n, d=params.d, smoothness=2))
    how = {"operator": "jackson 2", "blind": True}
    errors = {"the paper's plan": bounds.trial(plain, data, bumps, **how, rng=rng)["error"]}
    for name, plan in (("Laplace", pure), ("Gauss", replace(pure, delta=params.delta))):
        waves = choose_degree.by_bound(plan, n, bumps, most=MOST[params.d])
        errors[f"cut, {name}"] = bounds.trial(replace(plan, waves=waves), data, bumps, rng=rng)[
            "error"
        ]
    errors["noise in their shape"] = _shaped(params, data, bumps, rng)
    grid = baselines.Params(d=params.d, epsilon=params.epsilon, cells=CELLS[params.d], **box)
    return errors | _others(grid, data, bumps, rng)


def _shaped(params: Params, data: Any, bumps: Bumps, rng: checks.Seed) -> float:
    """Noise with the kernel's covariance, 12 nodes per variable."""
    price = {"epsilon": params.epsilon, "delta": params.delta}
    box = {"low": params.low, "high": params.high}
    plan = functional_mechanism.Params(d=params.d, width=bumps.width, waves=12, **price, **box)
    released = functional_mechanism.release(data, plan, Curator(**price, rng=rng))
    exact = functional_mechanism.truth(data, bumps.centres, plan)
    return float(np.abs(functional_mechanism.answer(released, bumps.centres) - exact).max())


def _others(grid: baselines.Params, data: Any, bumps: Bumps, rng: checks.Seed) -> dict[str, float]:
    """Weights on a grid, noise on each answer, no data."""
    found = baselines.trial(grid, data, bumps, rng=rng)
    budget = {"epsilon": grid.epsilon, "rng": rng}
    rich = Table(d=grid.d, waves=1, epsilon=1.0, low=grid.low, high=grid.high)
    exact = bumps.mean(rescaled(data, rich))
    each = baselines.release_direct(data, grid, Curator(**budget), bumps=bumps)
    return {
        "weights on a grid": found["weights"],
        "noise on each answer": float(np.abs(each - exact).max()),
        "no data at all": found["constant"],
    }
