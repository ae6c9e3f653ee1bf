"""Baselines: noise on each answer, a Laplace histogram or MWEM on a grid, a constant answer.

**Paper.** Wang, Fan, Zhang and Wang (2013), introduction and conclusion, name noise on each answer
(Dwork et al. 2006) and private multiplicative weights on a grid (Hardt and Rothblum 2010), here
for a known list of queries (Hardt, Ligett and McSherry 2012, "MWEM").

**Setting.** k public queries with answers in [0, 1], known in advance; n records in a box.

**Idea.** Noise on each answer grows with their number: k in scale, or sqrt(k) for Gaussian
noise. Multiplicative weights on a grid learn from a few noisy answers to the queries on which they
are furthest off: each answer is met exactly, by the distribution nearest to the last one.

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
helps it. The paper's grid has about sqrt(n) cells per variable: n^(d/2) in all. The textbook step
moves half of the way; here the weights are projected on the measurement.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries.chebyshev import LARGEST, Boxed
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.release import rescaled
from dpviz.privacy.curator import Curator
from dpviz.privacy.simplex import nearest_on_simplex

GRID = {1: 32, 2: 12, 3: 8}  # a side of MWEM's grid, by d
PURE_ROUNDS = 5  # up to which pure steps are the cheaper ones
LARGEST_GRID = 2**12  # cells of a histogram whose number ``cells_for`` chooses
EDGE = 1e-3  # of a query's range, by which its mean stays away from the ends
ROUNDING = 1e-10
STEEPEST = 1e4  # of a projection's exponent
STEPS = 100  # of Newton's method, or halvings, for it


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """Budget and grid; all public.

    Attributes
    ----------
    cells : int >= 1, per variable (of the grid); rounds : int >= 1, queries measured (MWEM only)
    share : float in (0, 1), of the budget, for measuring; the rest is for choosing (MWEM only)

    >>> Params(d=9, epsilon=1, cells=100, lower=-1, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: cells must satisfy cells^d <= 16777216, not 100^9
    """

    cells: int = 16
    rounds: checks.Count = 10
    share: checks.Share = 0.5

    def __post_init__(self):
        super().__post_init__()
        if checks.integer("cells", self.cells, at_least=1) ** self.d > LARGEST:
            raise ValueError(f"cells must satisfy cells^d <= {LARGEST}, not {self.cells}^{self.d}")


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

    def projected(self) -> Release:
        """The same with the nearest shares that are possible: at least 0, sum 1. Free."""
        return replace(self, distribution=nearest_on_simplex(self.distribution, 1.0))


def release_additive_noise(
    data: ArrayLike, params: Params, curator: Curator, *, queries: GaussianKernels
) -> np.ndarray:
    """Laplace or Gaussian mechanism: noise on each of k answers; array (k,).

    Statements: W13 Section 1 (noise per answer).
    Costs ``params.epsilon`` and ``params.delta``. One record changes each answer by 1 / n at most:
    all k by k / n in L1 and sqrt(k) / n in L2.

    >>> queries = GaussianKernels(centres=[[0.0]], width=1.0, lower=-1, upper=1)
    >>> params = Params(d=1, epsilon=1e9, lower=-1, upper=1)
    >>> release_additive_noise([[0.0]], params, params.curator(rng=0), queries=queries)
    array([1.00])
    """
    checks.instance("queries", queries, GaussianKernels)
    points = rescaled(data, params)
    exact = queries.in_box(params.lower, params.upper, params.d).mean(points)
    k = len(queries.centres)
    n = len(points)
    return params.noisy(exact, curator, l1=k / n, l2=k**0.5 / n, label="answers")


def release_mwem(
    data: ArrayLike, params: Params, curator: Curator, *, queries: GaussianKernels
) -> Release:
    """MWEM: multiplicative weights on a grid, corrected in ``rounds`` rounds at the worst query.

    Statements: W13 Section 5 (comparison).
    Costs ``params.epsilon`` and ``params.delta``, in equal rounds, of which the share ``share``
    is for measuring and the rest for choosing. One record changes each answer by 1 / n at most.
    Without a delta both steps are pure; with one the rounds compose by zCDP, a measurement has
    Gaussian noise and an exponential mechanism at epsilon costs epsilon^2 / 8. After each
    measurement the weights are projected on it (``_projection``), then on all of
    them again, which is free.

    >>> params = Params(d=1, epsilon=10, cells=4, rounds=2, lower=-1, upper=1)
    >>> queries = GaussianKernels(centres=[[0.9], [-0.9]], width=0.3, lower=-1, upper=1)
    >>> found = release_mwem([[0.9]] * 99, params, Curator(epsilon=10, rng=0), queries=queries)
    >>> int(found.distribution.argmax())
    3
    """
    checks.instance("queries", queries, GaussianKernels)
    points = rescaled(data, params)
    queries = queries.in_box(params.lower, params.upper, params.d)
    exact = queries.mean(points)
    moved = 1 / len(points)
    centres = _cell_centres(params)
    values = queries.value(centres).T
    logs = np.zeros(len(centres))
    measured: list[tuple[np.ndarray, float]] = []
    payer, choose, measure, noise = _allocation(params, curator)
    for _ in range(params.rounds):
        gaps = np.abs(exact - values @ _normalised(logs))
        worst = payer.choose(gaps, sensitivity=moved, label="worst query", **choose)
        noisy = noise(exact[worst], sensitivity=moved, label="its answer", **measure)
        measured.append((values[worst], float(noisy)))
        for each in [*measured[-1:], *measured]:
            logs = _projection(logs, *each)
    return Release(centres, _normalised(logs))


def release_mwem_textbook(
    data: ArrayLike, params: Params, curator: Curator, *, queries: GaussianKernels
) -> Release:
    """MWEM with its paper's steps: pure, half of the way each time, the average of all rounds.

    Costs ``params.epsilon``, half for choosing the worst queries and half for measuring them,
    equal in all rounds. One record changes each answer by 1 / n at most. Beside
    :func:`release_mwem` it shows what the form of the budget and free passes are worth.

    >>> params = Params(d=1, epsilon=10, cells=4, rounds=2, lower=-1, upper=1)
    >>> queries = GaussianKernels(centres=[[0.9], [-0.9]], width=0.3, lower=-1, upper=1)
    >>> curator = Curator(epsilon=10, rng=0)
    >>> found = release_mwem_textbook([[0.9]] * 99, params, curator, queries=queries)
    >>> int(found.distribution.argmax())
    3
    """
    checks.instance("queries", queries, GaussianKernels)
    points = rescaled(data, params)
    queries = queries.in_box(params.lower, params.upper, params.d)
    exact = queries.mean(points)
    step = {"sensitivity": 1 / len(points)}
    centres = _cell_centres(params)
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

    Costs ``params.epsilon``. Replacing a record moves two shares by 1 / n each.

    >>> found = release_histogram(
    ...     [[0.9]] * 99,
    ...     Params(d=1, epsilon=10, cells=4, lower=-1, upper=1),
    ...     Curator(epsilon=10, rng=0),
    ... )
    >>> int(found.distribution.argmax()), float(found.centres[3, 0])
    (3, 0.75)
    """
    points = rescaled(data, params)
    places = np.minimum(((points + 1) / 2 * params.cells).astype(int), params.cells - 1)
    flat = np.ravel_multi_index(places.T, (params.cells,) * params.d)
    shares = np.bincount(flat, minlength=params.cells**params.d) / len(points)
    charge = {"epsilon": params.epsilon, "label": "histogram"}
    noisy = curator.laplace(shares, sensitivity=2 / len(points), **charge)
    return Release(_cell_centres(params), noisy)


def _projection(logs: np.ndarray, values: np.ndarray, answer: float) -> np.ndarray:
    """Log-weights of the distribution nearest in relative entropy that has this answer.

    It is proportional to exp(logs + s values), at the s where its mean of the values is the
    answer. An answer at an end of the values' range, or beyond, is moved inside a little.

    Parameters
    ----------
    logs : array (cells,), of the distribution so far, up to a constant
    values : array (cells,), of the query; answer : float
    """
    low = float(values.min())
    high = float(values.max())
    margin = EDGE * (high - low)
    target = min(max(answer, low + margin), high - margin)
    least = -STEEPEST
    most = STEEPEST
    tilt = 0.0
    for _ in range(STEPS):
        weights = _normalised(logs + tilt * values)
        mean = float(weights @ values)
        if abs(mean - target) <= ROUNDING:
            break
        least, most = (tilt, most) if mean < target else (least, tilt)
        tilt += (target - mean) / max(float(weights @ (values - mean) ** 2), ROUNDING)
        if not least < tilt < most:
            tilt = (least + most) / 2
    tilted = logs + tilt * values
    return tilted - tilted.max()


def _normalised(logs: np.ndarray) -> np.ndarray:
    """The distribution with these logarithms, up to a constant."""
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


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


def _rounds_for(n: int, *, epsilon: float, delta: float) -> int:
    """Rounds of MWEM by a rule of thumb, about sqrt(epsilon n / 30); from 2 to 20; public.

    Chosen on synthetic records of another seed, n = 300 to 30,000 and d = 1 to 3. Pure
    steps pay more for a round: a third of the records count.
    """
    checks.integer("n", n, at_least=1)
    counted = checks.number("epsilon", epsilon, above=0) * n / (30 if delta else 90)
    return min(20, max(2, round(math.sqrt(counted))))


def params_for(
    n: int, *, d: int, epsilon: float, delta: float, lower: ArrayLike, upper: ArrayLike
) -> Params:
    """MWEM's grid, rounds and form of the budget by rules of thumb; public.

    More rounds for more records, pure where these are few. Chosen as in ``_rounds_for``.

    >>> params = params_for(300, d=2, epsilon=1.0, delta=1e-6, lower=-1, upper=1)
    >>> params.cells, params.rounds, params.delta
    (12, 2, 0.0)
    """
    checks.integer("d", d, at_least=1, at_most=max(GRID))
    box = {"d": d, "cells": GRID[d], "lower": lower, "upper": upper, "epsilon": epsilon}
    rounds = _rounds_for(n, epsilon=epsilon, delta=0.0)
    if delta and rounds > PURE_ROUNDS:
        box["delta"] = delta
        rounds = _rounds_for(n, epsilon=epsilon, delta=delta)
    return Params(rounds=rounds, **box)


def _cell_centres(params: Params) -> np.ndarray:
    """Middles of the cells of [-1, 1]^d; array (cells^d, d)."""
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


def _allocation(params: Params, curator: Curator) -> tuple[Curator, dict, dict, Callable]:
    """Who pays the rounds, the budget of one choice and of one measurement, and its noise."""
    if not params.delta:
        each = params.epsilon / params.rounds
        costs = {"epsilon": (1 - params.share) * each}, {"epsilon": params.share * each}
        return curator, *costs, curator.laplace
    payer = curator.sub_curator_zcdp(epsilon=params.epsilon, delta=params.delta, label="rounds")
    each = payer.budget.rho / params.rounds
    costs = {"epsilon": math.sqrt(8 * (1 - params.share) * each)}, {"rho": params.share * each}
    return payer, *costs, payer.gaussian
