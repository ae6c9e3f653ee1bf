"""Baselines: noise on each answer, a Laplace histogram or MWEM on a grid, a constant answer.

**Paper.** Wang, Fan, Zhang and Wang (2013), introduction and conclusion, name noise on each answer
(Dwork et al. 2006) and private multiplicative weights on a grid (Hardt and Rothblum 2010), here
for a known list of queries (Hardt, Ligett and McSherry 2012, "MWEM").

**Setting.** k public queries with answers in [0, 1], known in advance; n records in a box.

**Idea.** Noise on each answer grows with their number: k in scale, or sqrt(k) for Gaussian
noise. Multiplicative weights on a grid learn from a few noisy answers to the queries on which they
are furthest off.

**Symbols.**

===========  ================  ============================================  ===============
paper        here              meaning                                       shape, unit
===========  ================  ============================================  ===============
(none)       ``queries``       Gaussian kernels, public                      k of them
n^(1/2)      ``cells``         cells of the grid, per variable               whole number
(none)       ``rounds``        queries measured by MWEM                      whole number
(none)       ``Release``       a distribution over the cells                 (cells^d,)
===========  ================  ============================================  ===============

**Departures.** The paper compares with the online form; the form here knows all queries, which
helps it. The paper's grid has about sqrt(n) cells per variable: n^(d/2) in all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries.chebyshev import LARGEST
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, synthetic
from dpviz.papers.smooth_queries.release import rescaled
from dpviz.privacy.curator import Budgeted, Curator
from dpviz.privacy.private_data import OUTSIDE

LARGEST_GRID = 2**12  # cells of a histogram whose number ``cells_for`` chooses


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """Budget and grid; all public.

    Attributes
    ----------
    d : int >= 1
    epsilon : float > 0; delta : float in [0, 1), 0 for Laplace noise
    cells : int >= 1, per variable (of the grid)
    rounds : int >= 1, queries measured (MWEM only)
    lower, upper : public bounds of each variable
    outside : "clip" or "refuse"

    >>> Params(d=9, epsilon=1, cells=100)
    Traceback (most recent call last):
    ...
    ValueError: cells must satisfy cells^d <= 16777216, not 100^9
    """

    d: int
    cells: int = 16
    rounds: int = 10
    lower: ArrayLike = -1.0
    upper: ArrayLike = 1.0
    outside: str = "clip"

    def __post_init__(self):
        super().__post_init__()
        checks.integer("d", self.d, at_least=1, at_most=64)
        checks.integer("rounds", self.rounds, at_least=1)
        if checks.integer("cells", self.cells, at_least=1) ** self.d > LARGEST:
            raise ValueError(f"cells must satisfy cells^d <= {LARGEST}, not {self.cells}^{self.d}")
        checks.choice("outside", self.outside, OUTSIDE)


@dataclass(frozen=True, eq=False)
class Release:
    """Public shares of the records at the cells' centres.

    Attributes
    ----------
    centres : array (cells^d, d)
    distribution : array (cells^d,); those of the histogram may be negative, as noise is
    """

    centres: np.ndarray
    distribution: np.ndarray


def release_additive_noise(
    data: ArrayLike, params: Params, curator: Curator, *, queries: GaussianKernels
) -> np.ndarray:
    """Laplace or Gaussian mechanism: noise on each of k answers; array (k,).

    Statements: W13 Section 1 (noise per answer).

    Costs ``params.epsilon`` and ``params.delta``. One record changes each answer by 1 / n at most:
    all k by k / n in L1 and sqrt(k) / n in L2.

    >>> queries = GaussianKernels(centres=[[0.0]], width=1.0, lower=-1, upper=1)
    >>> params = Params(d=1, epsilon=1e9)
    >>> release_additive_noise([[0.0]], params, params.curator(rng=0), queries=queries)
    array([1.00])
    """
    checks.instance("queries", queries, GaussianKernels)
    points = rescaled(data, params)
    exact = queries.in_box(params.lower, params.upper, params.d).mean(points)
    k = len(queries.centres)
    charge = {"epsilon": params.epsilon, "label": "answers"}
    if params.delta:
        charge |= {"delta": params.delta}
        return curator.gaussian(exact, sensitivity=k**0.5 / len(points), **charge)
    return curator.laplace(exact, sensitivity=k / len(points), **charge)


def release_mwem(
    data: ArrayLike, params: Params, curator: Curator, *, queries: GaussianKernels
) -> Release:
    """MWEM: multiplicative weights on a grid, corrected in ``rounds`` rounds at the worst query.

    Statements: W13 Section 5 (comparison).

    Costs ``params.epsilon``, half for choosing the worst queries and half for measuring them,
    equal in all rounds. One record changes each answer by 1 / n at most.

    >>> params = Params(d=1, epsilon=10, cells=4, rounds=2)
    >>> queries = GaussianKernels(centres=[[0.9], [-0.9]], width=0.3, lower=-1, upper=1)
    >>> found = release_mwem([[0.9]] * 99, params, Curator(epsilon=10, rng=0), queries=queries)
    >>> int(found.distribution.argmax())
    3
    """
    checks.instance("queries", queries, GaussianKernels)
    points = rescaled(data, params)
    queries = queries.in_box(params.lower, params.upper, params.d)
    exact = queries.mean(points)
    step = {"sensitivity": 1 / len(points)}
    centres = cell_centres(params)
    values = queries.value(centres).T
    logs = np.zeros(len(centres))
    total = np.zeros(len(centres))
    step["epsilon"] = params.epsilon / (2 * params.rounds)
    for i in range(params.rounds):
        guess = values @ _normalised(logs)
        worst = curator.choose(np.abs(exact - guess), label=f"worst {i}", **step)
        measured = curator.laplace(exact[worst], label=f"measure {i}", **step)
        logs += values[worst] * (measured - guess[worst]) / 2
        total += _normalised(logs) / params.rounds
    return Release(centres, total)


def release_histogram(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """Laplace histogram on the grid: the noisy share of the records in each cell.

    ``queries`` are not looked at: one histogram answers all.

    Costs ``params.epsilon``. Replacing a record moves two shares by 1 / n each.

    >>> found = release_histogram([[0.9]] * 99, Params(d=1, epsilon=10, cells=4),
    ...                           Curator(epsilon=10, rng=0))
    >>> int(found.distribution.argmax()), float(found.centres[3, 0])
    (3, 0.75)
    """
    points = rescaled(data, params)
    places = np.minimum(((points + 1) / 2 * params.cells).astype(int), params.cells - 1)
    flat = np.ravel_multi_index(places.T, (params.cells,) * params.d)
    shares = np.bincount(flat, minlength=params.cells**params.d) / len(points)
    charge = {"epsilon": params.epsilon, "label": "histogram"}
    noisy = curator.laplace(shares, sensitivity=2 / len(points), **charge)
    return Release(cell_centres(params), noisy)


def cells_for(n: int, *, d: int, k: int, epsilon: float, width: float) -> int:
    """Cells per variable of a histogram for k Gaussian kernels, by a rule of thumb; public.

    They balance what a cell's middle misses, d / (6 cells^2 width^2) at a kernel's top, with the
    noise of k answers, each a sum over the (cells width)^d or so cells under a kernel.

    >>> [cells_for(n, d=2, k=30, epsilon=1.0, width=0.5) for n in (300, 30_000)]
    [6, 28]
    """
    for name, value in (("n", n), ("d", d), ("k", k)):
        checks.integer(name, value, at_least=1)
    for name, value in (("epsilon", epsilon), ("width", width)):
        checks.number(name, value, above=0)
    cells = np.arange(1, math.floor(LARGEST_GRID ** (1 / d) + 1e-9) + 1)
    missed = d / (6 * (cells * width) ** 2)
    under = (cells * width * math.sqrt(math.pi) / 2) ** d
    noise = math.sqrt(8 * 2 * math.log(2 * k)) / (epsilon * n) * np.sqrt(np.maximum(under, 1))
    return int(cells[np.argmin(missed + noise)])


def cell_centres(params: Params) -> np.ndarray:
    """Middles of the cells of [-1, 1]^d; array (cells^d, d).

    >>> cell_centres(Params(d=1, epsilon=1, cells=2)).ravel().tolist()
    [-0.5, 0.5]
    """
    axis = (2 * np.arange(params.cells) + 1) / params.cells - 1
    return np.stack(np.meshgrid(*[axis] * params.d, indexing="ij"), -1).reshape(-1, params.d)


def answer_grid(release: Release, queries: GaussianKernels) -> np.ndarray:
    """The queries' means under the distribution; array (k,). Free: post-processing.

    >>> release = Release(np.zeros((1, 1)), np.ones(1))
    >>> answer_grid(release, GaussianKernels(centres=[[0.0]], width=1.0, lower=-1, upper=1))
    array([1.])
    """
    checks.instance("queries", queries, GaussianKernels)
    return release.distribution @ queries.unit.value(release.centres)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: GaussianKernels | None = None,
    *,
    n: int = 1000,
    k: int = 100,
    width: float = 0.5,
    rng: checks.Seed,
) -> dict[str, float]:
    """Worst and mean error of each alternative; noisy answers clipped to [0, 1].

    Without ``data`` and ``queries`` on n records and k kernels of ``gaussian_kernel.synthetic``.

    >>> found = trial(Params(d=1, epsilon=1), n=50, k=9, rng=1)
    >>> sorted(found)
    ['additive noise', 'additive noise mean', 'constant', 'mwem', 'mwem mean']
    """
    rng = checks.generator(rng)
    box = {"lower": params.lower, "upper": params.upper}
    data, queries = synthetic(data, queries, d=params.d, n=n, k=k, width=width, **box, rng=rng)
    queries = queries.in_box(**box, d=params.d)
    exact = queries.mean(rescaled(data, params))
    noisy = release_additive_noise(data, params, params.curator(rng=rng), queries=queries)
    learnt = release_mwem(data, params, params.curator(rng=rng), queries=queries)
    noisy_errors = np.abs(np.clip(noisy, 0, 1) - exact)
    mwem_errors = np.abs(answer_grid(learnt, queries) - exact)
    return {
        "additive noise": float(noisy_errors.max()),
        "additive noise mean": float(noisy_errors.mean()),
        "mwem": float(mwem_errors.max()),
        "mwem mean": float(mwem_errors.mean()),
        "constant": float(np.abs(queries.constant() - exact).max()),
    }


def _normalised(logs: np.ndarray) -> np.ndarray:
    """The distribution with these logarithms."""
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()
