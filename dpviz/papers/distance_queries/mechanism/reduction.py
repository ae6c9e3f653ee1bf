"""The reduction from online learning to private query release (Lemma 3): from m(alpha) to alpha.

**Paper.** Huang and Roth (2014), section 3.1, Lemma 3, after Roth and Roughgarden (2010), Hardt and
Rothblum (2010), Gupta, Roth and Ullman (2012) and Jain and Thakurta (2012).

**Setting.** A learner that predicts the answers to k adaptive queries and makes at most m(gamma)
mistakes of gamma, if each update tells it |S| numbers that are right up to c gamma. Queries and
those numbers move by at most 1/n when one of n records is replaced.

**Idea.** AboveThreshold compares prediction and truth; only where it says "above" are the |S|
numbers measured, with noise. A large gamma is a coarse answer, a small one needs many updates, each
with a smaller share of the budget. Of each share the measurement takes the least that keeps it
within c gamma; the test gets the rest. Then take the best gamma.

**Symbols.**

==========  =================  =====================================================  ==========
paper       here               meaning                                                unit
==========  =================  =====================================================  ==========
m(alpha)    ``mistakes``       mistake bound of the learner, a function of gamma      count
|S|         ``functions``      numbers that an update measures                        count
c           ``tolerance``      they may be off by c gamma                             ratio
(none)      ``gamma``          a prediction counts as wrong beyond this               answer
(none)      ``test_accuracy``  s: that of AboveThreshold                              answer
alpha       ``Plan.error``     gamma + 2 s: predictions that stand are this near      answer
==========  =================  =====================================================  ==========

**Departures.** The paper's constant is 3000 (:func:`paper_alpha`); in :func:`best_plan` all are
computed for the noise that is used. The l1 mechanism has a plan of its own (module ``l1``), since
its learner never guesses too high: that saves half of gamma and one s.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpviz import accounting, checks
from dpviz.privacy.sparse_vector import threshold_accuracy

GAMMAS = np.geomspace(1e-4, 0.999, 400)


@dataclass(frozen=True, kw_only=True)
class Task(checks.Declared):
    """What the reduction is asked for; all public.

    Attributes
    ----------
    n, k : int >= 1, records and queries
    epsilon : float > 0, delta : float in [0, 1), the whole budget; delta = 0 means pure
    beta : float in (0, 1), failure probability
    functions : int >= 1, numbers measured in an update, each of sensitivity 1/n
    tolerance : float > 0, c: each may be off by c gamma

    >>> Task(n=0, k=1, epsilon=1)
    Traceback (most recent call last):
    ...
    ValueError: n must be a whole number, at least 1, not 0
    """

    n: checks.Count
    k: checks.Count
    epsilon: checks.Positive
    delta: float = 0.0
    beta: float = 0.05
    functions: checks.Count = 1
    tolerance: checks.Positive = 1.0

    def __post_init__(self):
        super().__post_init__()
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.number("beta", self.beta, above=1e-300, below=1)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the budget is spent; lengths in the unit of the answers.

    Attributes
    ----------
    gamma : float, an update certifies a gap of gamma
    test_accuracy : float, tests are right up to this; total : int, updates that are paid for
    test_epsilon : float, epsilon of each run of the threshold
    measurement_budget : float, of each measured number: its rho (with delta) or epsilon (pure)
    """

    gamma: float
    test_accuracy: float
    total: int
    test_epsilon: float
    measurement_budget: float

    @property
    def error(self) -> float:
        """gamma + 2 s."""
        return self.gamma + 2 * self.test_accuracy


def best_plan(mistakes: Callable[[np.ndarray], np.ndarray], task: Task) -> Plan:
    """Lemma 3 with computed constants: the gamma that makes gamma + 2 s least.

    Statements: HR Lemma 3.
    Proof. Outside an event of probability beta all tests are right up to s (2 beta / 3) and all
    measured numbers up to c gamma (beta / 3; they get the budget that this takes). A gap above the
    threshold gamma + s is one of gamma, a mistake; so there are at most m(gamma) updates, as many
    as are paid for, and after the last no gap of gamma is left. A prediction that stands is off by
    at most gamma + 2 s.

    Parameters
    ----------
    mistakes : array of gammas to array of counts, the learner's mistake bound m

    Raises ``ValueError`` if n is so small that no gamma below 1 is possible.

    >>> best_plan(lambda gamma: 1 / gamma, Task(n=100_000, k=2000, epsilon=1)).error
    0.0628
    """
    updates = np.maximum(np.floor(mistakes(GAMMAS)), 1)
    measurement, test = _allocate(task, updates)
    unit = threshold_accuracy(checks=task.k, runs=updates, beta=2 * task.beta / 3)
    accuracy = unit / task.n / test
    errors = np.where(np.isnan(test), np.inf, GAMMAS + 2 * accuracy)
    best = int(errors.argmin())
    if not math.isfinite(errors[best]):
        raise ValueError(f"n must be larger: with {task.n} records no gap below 1 can be seen")
    return Plan(
        gamma=float(GAMMAS[best]),
        test_accuracy=float(accuracy[best]),
        total=int(updates[best]),
        test_epsilon=float(test[best]),
        measurement_budget=float(measurement[best]),
    )


def paper_alpha(mistakes: Callable[[float], float], task: Task) -> float:
    """Lemma 3 as it is stated, with its constant 3000: the alpha that solves its equation.

    Statements: HR Lemma 3.
    c alpha = 3000 sqrt(|S| m(alpha)) ln(4/delta) ln(k/beta) / (n epsilon); pure: |S| m(alpha)
    without the root, and no ln(4/delta). The left side rises and the right side falls.

    >>> task = Task(n=10**6, k=10**4, epsilon=1, delta=1e-6, functions=2, tolerance=1 / 4)
    >>> paper_alpha(lambda alpha: 3 / math.sqrt(alpha), task)  # the l1 mechanism in one dimension
    3.88
    """
    from scipy.optimize import brentq

    def excess(log_alpha: float) -> float:
        alpha = math.exp(log_alpha)
        size = task.functions * mistakes(alpha)
        size = math.sqrt(size) * math.log(4 / task.delta) if task.delta else size
        right = 3000 * size * math.log(task.k / task.beta) / (task.n * task.epsilon)
        return math.log(task.tolerance) + log_alpha - math.log(right)

    return math.exp(brentq(excess, -200.0, 200.0, xtol=1e-14))


def _allocate(task: Task, updates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least budget of a number with an error of at most c gamma; what is left for a test."""
    from scipy.special import ndtri

    beta = task.beta / 3
    numbers = updates * task.functions
    most = task.tolerance * GAMMAS
    with np.errstate(invalid="ignore"):
        if task.delta:
            whole = accounting.zcdp_rho(epsilon=task.epsilon, delta=task.delta) / updates
            least = (ndtri(beta / (2 * numbers)) / (task.n * most)) ** 2 / 2
            return least, np.sqrt(2 * (whole - task.functions * least))
        least = np.log(numbers / beta) / (task.n * most)
        left = task.epsilon / updates - task.functions * least
        return least, np.where(left > 0, left, np.nan)
