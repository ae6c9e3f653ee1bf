"""Accuracy of the online mechanism (Theorem 1): the noise that a number of updates leaves.

**Paper.** Roth's lecture 13, Theorem 1: alpha stands on both sides of its equation.

**Setting.** A budget of epsilon (and delta), c updates, k questions, n records.

**Idea.** More updates mean more noise each; more noise means a larger alpha; a larger alpha means
fewer updates. So there is one place where they meet.

**Symbols.**

===========  ==================  =====================================================  ======
paper        here                meaning                                                unit
===========  ==================  =====================================================  ======
alpha        ``alpha``           the learner's: an update means a gap of alpha or more  [0, 1]
c, B(alpha)  ``updates``         how many updates are paid for                          count
epsilon_1    test                budget of the test: of all of it, or of each run       budget
epsilon_3    measure             budget of each measurement                             budget
beta         ``beta``            probability that a noise exceeds its tail              (0, 1)
===========  ==================  =====================================================  ======

**Departures.** The constant as stated, 4 B (ln k + ln(2/beta)) / (epsilon n), is twice the tail of
the comparison noise alone; here threshold, comparison and answer each have their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from dpviz import accounting, checks
from dpviz.papers.sparse_queries import sparse_multiplicative_weights
from dpviz.privacy.budgeted import Budgeted

COMPOSITIONS = ("best", "basic", "zcdp")


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """Public numbers of the online form.

    Attributes
    ----------
    epsilon, delta : budget of the whole mechanism; with delta = 0 it is pure
    m : int >= 1, width of the queries at most
    k : int >= 1, number of queries for which the error is promised
    beta : float in (0, 1), probability that the promise fails
    update_rule : "projection", "best" or "paper", see ``sparse_multiplicative_weights``
    composition : "basic", "zcdp" or "best" (of those that delta allows, the smaller error)
    universe : int or None, number of names of the vocabulary if it is finite: no more indices
        are needed than those and one, for the aggregate of the records that no query can name
    updates : int or None; if given, so many are paid for and nothing is promised
    threshold : float or None, of the test, only with ``updates``

    >>> Params(epsilon=1.0, m=0, k=10)
    Traceback (most recent call last):
    ...
    ValueError: m must be a whole number, at least 1, not 0
    """

    epsilon: float
    delta: float = 0.0
    m: int
    k: int
    beta: float = 0.05
    update_rule: str = "projection"
    composition: str = "best"
    universe: int | None = None
    updates: int | None = None
    threshold: float | None = None

    def __post_init__(self):
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.integer("m", self.m, at_least=1)
        checks.integer("k", self.k, at_least=1)
        checks.number("beta", self.beta, above=0, below=1)
        checks.choice("update_rule", self.update_rule, sparse_multiplicative_weights.UPDATE_RULES)
        checks.choice("composition", self.composition, COMPOSITIONS)
        if self.composition == "zcdp" and not self.delta:
            raise ValueError("delta must be above 0 for composition 'zcdp'")
        for name in ("universe", "updates"):
            if getattr(self, name) is not None:
                checks.integer(name, getattr(self, name), at_least=1)
        if self.threshold is not None:
            checks.number("threshold", self.threshold, above=0, at_most=1)
            if self.updates is None:
                raise ValueError("threshold can be given only together with updates")


def fixed_point(
    params: Params, n: int, composition: str, share: float, *, within: float = 1e-7
) -> float:
    """The least alpha whose updates leave no noise above alpha; at most 1.

    It is found from above, too large by a factor of at most 1 + ``within``.

    The noise falls in steps as alpha grows, so there need not be an exact root.

    >>> params = Params(epsilon=1.0, m=10, k=10**6)
    >>> alpha = fixed_point(params, 10**6, "basic", 0.3)
    >>> noise(params, 10**6, "basic", 0.3, updates(params, alpha)[0])[0] <= alpha
    True
    """

    def worst(alpha: float) -> float:
        return max(noise(params, n, composition, share, updates(params, alpha)[0])[:2])

    return root(worst, 1e-6, 1.0, within)


def updates(params: Params, alpha: float) -> tuple[int, int]:
    """How many updates can be needed at alpha, and the number of indices.

    >>> updates(Params(epsilon=1.0, m=100, k=10**6), 0.1)
    (545, 54601)
    """
    size = sparse_multiplicative_weights.size_rule(params.m, alpha, params.update_rule)
    size = size if params.universe is None else min(size, params.universe + 1)
    return max(
        1,
        min(params.k, sparse_multiplicative_weights.mistake_bound(size, alpha, params.update_rule)),
    ), size


def noise(
    params: Params, n: int, composition: str, share: float, c: int
) -> tuple[float, float, float, float]:
    """Largest noise of the test and of the measurements, and the budget of each.

    Scales are those of ``Threshold`` (drawn once for basic composition, fresh for zcdp) and of one
    Laplace or Gaussian value, for sensitivity 1/n; tails are union bounds, beta/3 each.

    Returns
    -------
    test_error, answer_error : floats
    test, measure : budgets, as in :class:`Plan`

    >>> noise(Params(epsilon=1.0, m=1, k=1000), 1000, "basic", 0.5, c=1)[2:]
    (0.5, 0.5)
    """
    failure = params.beta / 3
    if composition == "basic":
        test, measure = (1 - share) * params.epsilon, share * params.epsilon / c
        first, per, levels = test / (1 + (2 * c) ** (2 / 3)), c, 1
        answer = math.log(c / failure) / measure
    else:
        rho = _rho(epsilon=params.epsilon, delta=params.delta)
        test, measure = math.sqrt(2 * (1 - share) * rho / c), share * rho / c
        first, per, levels = test / (1 + 2 ** (2 / 3)), 1, c
        answer = math.sqrt(math.log(2 * c / failure) / measure)
    compared = math.log(levels / failure) / first + 2 * per * math.log(params.k / failure) / (
        test - first
    )
    return compared / n, answer / n, test, measure


_rho = lru_cache(accounting.zcdp_rho)


def root(wanted: Callable[[float], float], lower: float, upper: float, within: float) -> float:
    """The least x in [lower, upper] with wanted(x) <= x, wanted falling; ``upper`` if none.

    >>> round(root(lambda x: 1 / x, 0.1, 10.0, 1e-9), 6)
    1.0
    """
    lower, upper = math.log(lower), math.log(upper)
    while upper - lower > within:
        middle = (lower + upper) / 2
        x = math.exp(middle)
        lower, upper = (lower, middle) if wanted(x) <= x else (middle, upper)
    return math.exp(upper)
