"""Allocation of the privacy budget in private multiplicative weights (PMW).

**Paper.** Hardt and Rothblum (2010), as used by Huang and Roth (2014), section 1.

**Setting.** Weights over U places that learn from at most 4 ln(U)/gamma^2 noisy answers.

**Idea.** A large gamma is a coarse answer, a small one needs many updates, each with a smaller
share of the budget. Of each share the noisy answer takes the least that keeps it within gamma;
the test gets the rest. Then take the best gamma.

**Symbols.**

==========  ================  =====================================================  ==========
paper       here              meaning                                                unit
==========  ================  =====================================================  ==========
(none)      ``gamma``         an answer counts as wrong beyond this                  diameter
(none)      s                 ``test_accuracy``: that of AboveThreshold              diameter
(none)      ``updates``       floor(4 ln(U)/gamma^2)                                 count
==========  ================  =====================================================  ==========

**Departures.** All constants are computed; the papers give O() only.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dpviz import accounting
from dpviz.papers.distance_queries.mechanism.setting import Setting
from dpviz.privacy.threshold_accuracy import threshold_accuracy

GAMMAS = np.geomspace(1e-4, 0.999, 400)


class Plan(NamedTuple):
    """How the budget is spent; lengths in diameters.

    Attributes
    ----------
    gamma : float, an update certifies a gap of gamma
    test_accuracy : float, tests are right up to this
    updates : int
    test_epsilon : float, epsilon of each run of the threshold
    measurement_budget : float, rho (with delta) or epsilon (pure) of each noisy answer
    """

    gamma: float
    test_accuracy: float
    updates: int
    test_epsilon: float
    measurement_budget: float


def best_plan(params: Setting, size: int) -> Plan:
    """The gamma that makes gamma + 2 s least; what measurements leave of the budget goes to tests.

    Raises ``ValueError`` if n is so small that no gamma below 1 is possible.

    >>> best_plan(Setting(n=100_000, d=1, k=2000, epsilon=1), 1000).updates
    159
    """
    updates = np.floor(4 * math.log(size) / GAMMAS**2)
    measurement, test = _allocate(params, updates)
    unit = threshold_accuracy(checks=params.k, runs=updates, beta=2 * params.beta / 3)
    accuracy = unit / params.n / test
    errors = np.where(np.isnan(test), np.inf, GAMMAS + 2 * accuracy)
    best = int(errors.argmin())
    if not math.isfinite(errors[best]):
        raise ValueError(f"n must be larger: with {params.n} records no gap below 1 can be seen")
    sizes = (float(GAMMAS[best]), float(accuracy[best]), int(updates[best]))
    return Plan(*sizes, float(test[best]), float(measurement[best]))


def _allocate(params: Setting, updates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least budget of a measurement with an error of at most gamma; what is left for a test."""
    from scipy.special import ndtri

    beta = params.beta / 3
    with np.errstate(invalid="ignore"):
        if params.delta:
            whole = accounting.zcdp_rho(epsilon=params.epsilon, delta=params.delta) / updates
            least = (ndtri(beta / (2 * updates)) / (params.n * GAMMAS)) ** 2 / 2
            return least, np.sqrt(2 * (whole - least))
        least = np.log(updates / beta) / (params.n * GAMMAS)
        left = params.epsilon / updates - least
        return least, np.where(left > 0, left, np.nan)
