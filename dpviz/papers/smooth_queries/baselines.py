"""What else one could do: noise on every answer, weights on a grid, or no data at all.

**Paper.** Wang, Fan, Zhang and Wang (2013), introduction and conclusion, name noise on each answer
(Dwork et al. 2006) and private multiplicative weights on a grid (Hardt and Rothblum 2010), here
for a known list of questions (Hardt, Ligett and McSherry 2012, "MWEM").

**Setting.** k public questions with answers in [0, 1], known in advance; n records in a box.

**Idea.** Noise on each answer grows with their number: k in scale, or sqrt(k) for Gaussian
noise. Weights on a grid learn from a few noisy answers at the questions that they miss most.

**Symbols.**

===========  ================  ============================================  ===============
paper        here              meaning                                       shape, unit
===========  ================  ============================================  ===============
(none)       ``bumps``         the questions, public                         k of them
n^(1/2)      ``cells``         cells of the grid, per variable               whole number
(none)       ``rounds``        questions measured for the weights            whole number
(none)       ``Release``       a distribution over the cells                 (cells^d,)
===========  ================  ============================================  ===============

**Departures.** The paper compares with the online form; the form here knows all questions, which
helps it. The paper's grid has about sqrt(n) cells per variable: n^(d/2) in all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries.chebyshev import LARGEST
from dpviz.papers.smooth_queries.gaussian_kernel import Bumps
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import OUTSIDE, unit_points


@dataclass(frozen=True, kw_only=True)
class Params:
    """Price and grid; all public.

    Attributes
    ----------
    d : int >= 1
    epsilon : float > 0; delta : float in [0, 1), 0 for Laplace noise
    cells : int >= 1, per variable (weights only)
    rounds : int >= 1, questions measured (weights only)
    low, high : public bounds of each variable
    outside : "clip" or "refuse"

    >>> Params(d=9, epsilon=1, cells=100)
    Traceback (most recent call last):
    ...
    ValueError: cells must satisfy cells^d <= 16777216, not 100^9
    """

    d: int
    epsilon: float
    delta: float = 0.0
    cells: int = 16
    rounds: int = 10
    low: Any = -1.0
    high: Any = 1.0
    outside: str = "clip"

    def __post_init__(self):
        checks.integer("d", self.d, at_least=1)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.integer("rounds", self.rounds, at_least=1)
        if checks.integer("cells", self.cells, at_least=1) ** self.d > LARGEST:
            raise ValueError(f"cells must satisfy cells^d <= {LARGEST}, not {self.cells}^{self.d}")
        checks.choice("outside", self.outside, OUTSIDE)


@dataclass(frozen=True, eq=False)
class Release:
    """A public distribution over the cells' centres.

    Attributes
    ----------
    centres : array (cells^d, d)
    distribution : array (cells^d,)
    """

    centres: np.ndarray
    distribution: np.ndarray


def release_direct(data: Any, params: Params, curator: Curator, *, bumps: Bumps) -> np.ndarray:
    """Noise on each of k answers; array (k,).

    Costs ``params.epsilon`` and ``params.delta``. One record moves each answer by 1 / n at most:
    all k by k / n in L1 and sqrt(k) / n in L2.

    >>> release_direct([[0.0]], Params(d=1, epsilon=1e9), Curator(epsilon=1e9, rng=0),
    ...                bumps=Bumps(centres=[[0.0]], width=1.0))
    array([1.00])
    """
    points = _points(data, params)
    exact, k = bumps.within(params.d).mean(points), len(bumps.centres)
    price = {"epsilon": params.epsilon, "label": "answers"}
    if params.delta:
        price |= {"delta": params.delta}
        return curator.gaussian(exact, sensitivity=k**0.5 / len(points), **price)
    return curator.laplace(exact, sensitivity=k / len(points), **price)


def release_weights(data: Any, params: Params, curator: Curator, *, bumps: Bumps) -> Release:
    """Multiplicative weights on a grid, corrected in ``rounds`` rounds at the worst question.

    Costs ``params.epsilon``, half for choosing the worst questions and half for measuring them,
    equal in all rounds. One record moves each answer by 1 / n at most.

    >>> params = Params(d=1, epsilon=10, cells=4, rounds=2)
    >>> found = release_weights([[0.9]] * 99, params, Curator(epsilon=10, rng=0),
    ...                         bumps=Bumps(centres=[[0.9], [-0.9]], width=0.3))
    >>> int(found.distribution.argmax())
    3
    """
    points = _points(data, params)
    exact, step = bumps.mean(points), {"sensitivity": 1 / len(points)}
    axis = (2 * np.arange(params.cells) + 1) / params.cells - 1
    centres = np.stack(np.meshgrid(*[axis] * params.d, indexing="ij"), -1).reshape(-1, params.d)
    questions, logs = bumps.value(centres).T, np.zeros(len(centres))
    total = np.zeros(len(centres))
    step["epsilon"] = params.epsilon / (2 * params.rounds)
    for i in range(params.rounds):
        guess = questions @ _normalised(logs)
        worst = curator.choose(np.abs(exact - guess), label=f"worst {i}", **step)
        measured = curator.laplace(exact[worst], label=f"measure {i}", **step)
        logs += questions[worst] * (measured - guess[worst]) / 2
        total += _normalised(logs) / params.rounds
    return Release(centres, total)


def answer_weights(release: Release, bumps: Bumps) -> np.ndarray:
    """The bumps' means under the distribution; array (k,). Free: post-processing.

    >>> answer_weights(Release(np.zeros((1, 1)), np.ones(1)), Bumps(centres=[[0.0]], width=1.0))
    array([1.])
    """
    return release.distribution @ bumps.value(release.centres)


def constant(bumps: Bumps) -> np.ndarray:
    """The mean of each bump over evenly spread angles: an answer without data; array (k,).

    >>> constant(Bumps(centres=[[0.0]], width=1.0))
    array([0.79])
    """
    return np.prod([factor[:, 0] for factor in bumps.factors(1)], axis=0)


def trial(params: Params, data: Any, bumps: Bumps, *, rng: checks.Seed) -> dict[str, float]:
    """Worst and mean error of each alternative; noisy answers clipped to [0, 1].

    >>> bumps = Bumps.draw(9, d=1, width=0.5, rng=0)
    >>> found = trial(Params(d=1, epsilon=1), [[0.1]] * 50, bumps, rng=1)
    >>> sorted(found)
    ['constant', 'direct', 'direct mean', 'weights', 'weights mean']
    """
    rng, exact = checks.generator(rng), bumps.mean(_points(data, params))
    budget = {"epsilon": params.epsilon, "delta": params.delta}
    direct = release_direct(data, params, Curator(rng=rng, **budget), bumps=bumps)
    weights = release_weights(data, params, Curator(rng=rng, **budget), bumps=bumps)
    direct_errors = np.abs(np.clip(direct, 0, 1) - exact)
    weights_errors = np.abs(answer_weights(weights, bumps) - exact)
    return {
        "direct": float(direct_errors.max()),
        "direct mean": float(direct_errors.mean()),
        "weights": float(weights_errors.max()),
        "weights mean": float(weights_errors.mean()),
        "constant": float(np.abs(constant(bumps) - exact).max()),
    }


def _points(data: Any, params: Params) -> np.ndarray:
    """Records in [-1, 1]^d. Private."""
    points = unit_points(data, params.low, params.high, outside=params.outside)
    if points.shape[1] != params.d:
        raise ValueError(f"data must have d = {params.d} columns")
    return 2 * points - 1


def _normalised(logs: np.ndarray) -> np.ndarray:
    """The distribution with these logarithms."""
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()
