"""Allocation of the privacy budget to test and measurements; error bounds (Theorems 1 and 7).

**Paper.** Roth's lecture 13, Theorems 1 and 7 (OnlineIC with sparse multiplicative weights).

**Setting.** k queries, each m-sparse, come one by one. A threshold test says when a guess is
off; then a fresh noisy value is measured. n records, n public.

**Idea.** The more updates are paid for, the more noise each bears; the more noise, the larger
the error alpha that the learner must bear, and the fewer updates it needs. So there is one place
where both agree: alpha stands on both sides of Theorem 1's equation.

**Symbols.**

===========  ==================  =====================================================  ======
paper        here                meaning                                                unit
===========  ==================  =====================================================  ======
alpha        ``alpha``           the learner's: an update means a gap of alpha or more  [0, 1]
c, B(alpha)  ``updates``         how many updates are paid for                          count
s            ``size``            number of indices                                      count
T            ``threshold``       of the test: alpha + ``test_error``                    [0, 1]
epsilon_1    test                budget of the test: of all of it, or of each run       budget
epsilon_3    measure             budget of each measurement                             budget
(none)       ``test_error``      the test's noises are smaller, with prob. 1 - 2 b/3    [0, 1]
(none)       ``answer_error``    a measurement's too, with prob. 1 - b/3                [0, 1]
beta, b      ``beta``            probability that the promise fails                     (0, 1)
===========  ==================  =====================================================  ======

**Departures.** (1) Theorem 1 promises 3 alpha; here alpha + 2 ``test_error``, which is less, and
the alpha that makes it least. (2) Comparison noise and answer noise are two draws, always; the
constant as stated, 4 B (ln k + ln(2/beta)) / (epsilon n), is twice the tail of the comparison noise
alone. The lecture does not print OnlineIC; a known variant that releases the compared value is not
private (``dpviz.audit.broken``, "printed comparison"). (3) Theorem 1's log |C| is infinite for all
sparse queries: read k. (4) Theorem 7's bound is 0 at m = 1, which is false; log m must be
log(m / alpha) <= log(m epsilon n), and its delta needs the power 1/4 only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from dpviz import accounting, checks
from dpviz.papers.sparse_queries import sparse_multiplicative_weights
from dpviz.privacy.curator import Promise

METHODS = ("corrected", "paper")
COMPOSITIONS = ("best", "basic", "zcdp")
SHARES = (0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)  # of the budget, for the measurements
LARGER = tuple(np.linspace(1.0, 2.0, 11).tolist())  # multiples of the fixed point that are tried


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """Public numbers of the online form.

    Attributes
    ----------
    epsilon, delta : budget of the whole mechanism; with delta = 0 it is pure
    m : int >= 1, width of the queries at most
    k : int >= 1, number of queries for which the error is promised
    method : "corrected", or "paper": the lecture's own s and B = 4 ln s / alpha^2, with its step
        alpha / 2 (then ``update_rule`` must be "paper")
    update_rule : "projection", "best" or "paper", see ``sparse_multiplicative_weights``
    composition : "basic", "zcdp" or "best" (of those that delta allows, the smaller error)
    universe : int or None, number of names of the vocabulary if it is finite: no more indices are
        needed than those and one, for the aggregate of the records that no query can name
    updates : int or None; if given, so many are paid for and nothing is promised
    threshold : float or None, of the test, only with ``updates``

    >>> Params(epsilon=1.0, m=0, k=10)
    Traceback (most recent call last):
    ...
    ValueError: m must be a whole number, at least 1, not 0
    """

    m: checks.Count
    k: checks.Count
    update_rule: str = "projection"
    composition: str = "best"
    universe: int | None = None
    updates: int | None = None
    threshold: float | None = None
    method: str = "corrected"

    def __post_init__(self):
        super().__post_init__()
        checks.choice("update_rule", self.update_rule, sparse_multiplicative_weights.UPDATE_RULES)
        checks.choice("composition", self.composition, COMPOSITIONS)
        if checks.choice("method", self.method, METHODS) == "paper" and self.update_rule != "paper":
            raise ValueError("update_rule must be 'paper' with method 'paper'")
        if self.composition == "zcdp" and not self.delta:
            raise ValueError("delta must be above 0 for composition 'zcdp'")
        for name in ("universe", "updates"):
            if getattr(self, name) is not None:
                checks.integer(name, getattr(self, name), at_least=1)
        if self.threshold is not None:
            checks.number("threshold", self.threshold, above=0, at_most=1)
            if self.updates is None:
                raise ValueError("threshold can be given only together with updates")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What will be spent on what, and what it buys; see the symbols of the module.

    Attributes
    ----------
    composition : "basic" (one threshold, drawn once) or "zcdp" (a fresh one after each update)
    test : epsilon of the whole test (basic) or of each of its runs (zcdp)
    measure : epsilon (basic) or rho (zcdp) of each measurement
    error : what is promised for every answer; inf if nothing is
    """

    composition: str
    alpha: float
    updates: int
    size: int
    test: float
    measure: float
    test_error: float
    answer_error: float
    threshold: float
    error: float


@lru_cache(maxsize=4096)
def plan(params: Params, n: int) -> Plan:
    """The split with the smallest promised error.

    >>> best = plan(Params(epsilon=1.0, delta=1e-6, m=10, k=1000), n=10**6)
    >>> best.composition, best.error < 0.1, best.threshold < best.error
    ('zcdp', True, True)
    """
    checks.integer("n", n, at_least=1)
    compositions = ("basic", "zcdp") if params.delta else ("basic",)
    compositions = compositions if params.composition == "best" else (params.composition,)
    if params.updates:
        return min(
            (_practical(params, n, composition) for composition in compositions),
            key=lambda p: p.test_error,
        )
    plans = [
        each
        for composition in compositions
        for share in SHARES
        for each in _plans(params, n, composition, share)
    ]
    return min(plans, key=lambda p: (p.error, p.alpha))


def rule_of_thumb(params: Params, n: int) -> Params:
    """The same with a number of updates and a threshold that served well; no promise.

    updates = (epsilon n)^0.7 / 20 and threshold = 0.65 / sqrt(updates). Found on the recipes
    "uneven" and "wide" of ``workloads``, with seeds that no lesson uses; it knows n and epsilon,
    and nothing of the data.

    >>> chosen = rule_of_thumb(Params(epsilon=1.0, m=10, k=1000), 2000)
    >>> chosen.updates, round(chosen.threshold, 2)
    (10, 0.21)
    """
    c = max(2, round((params.epsilon * n) ** 0.7 / 20))
    return replace(params, updates=c, threshold=min(1.0, 0.65 / math.sqrt(c)))


def error_bound(params: Params, *, n: int) -> float:
    """Proved: with probability 1 - beta each of k answers is off by at most this.

    Statements: L13 Theorem 1.
    Proof. All noise is fresh, so a union bound holds for adaptive queries: with probability
    1 - beta no comparison's noises exceed ``test_error`` together and no measurement's exceeds
    ``answer_error`` <= alpha. Then an update means a gap of at least threshold - test_error =
    alpha, the noisy value lies on the right side, and by
    ``sparse_multiplicative_weights.mistake_bound`` the updates never run out (fewer than k + 1 are
    possible anyhow). A guess that stands is within threshold + test_error = alpha + 2 test_error; a
    measured value within answer_error. Where no alpha up to 1 does, it is inf (answers in [0, 1]
    are off by at most 1 anyhow).

    >>> error_bound(Params(epsilon=1.0, m=10, k=1000), n=100) > 1
    True
    """
    return plan(params, n).error


def paper_bound(params: Params, *, n: int) -> float:
    """Theorem 1 with Theorem 4: 3 alpha, alpha = 4 B (ln k + ln(2/beta)) / (epsilon n).

    Statements: L13 Theorem 1.
    B = 4 ln s / alpha^2 with the paper's s; log |C| is read as ln k.

    >>> round(paper_bound(Params(epsilon=1.0, m=10, k=1000), n=10**6) / 3, 3)
    0.121
    """
    scale = 4 * (math.log(params.k) + math.log(2 / params.beta)) / (params.epsilon * n)

    def wanted(alpha: float) -> float:
        size = sparse_multiplicative_weights.paper_size(params.m, min(1.0, alpha))
        return scale * sparse_multiplicative_weights.paper_mistake_bound(size, alpha)

    return 3 * _root(wanted, 1e-6, 1e6, 1e-7)


def paper_rate(params: Params, *, n: int, corrected: bool = False) -> float:
    """Theorem 7: (ln m)^(1/4) (ln(4/delta) ln(k/beta))^(1/2) / (epsilon n)^(1/2).

    Statements: L13 Theorem 7 (rate).
    ``corrected`` reads ln m as ln(m epsilon n), and takes ln(4/delta) to the power 1/4.

    >>> paper_rate(Params(epsilon=1.0, delta=1e-6, m=1, k=1000), n=100)
    0.0
    """
    if not params.delta:
        raise ValueError("delta must be above 0: Theorem 7 is about (epsilon, delta)")
    spread = math.log(params.m * params.epsilon * n if corrected else params.m) ** 0.25
    cost = math.log(4 / params.delta) ** (0.25 if corrected else 0.5)
    return spread * cost * math.sqrt(math.log(params.k / params.beta) / (params.epsilon * n))


def _fixed_point(
    params: Params, n: int, composition: str, share: float, *, within: float = 1e-7
) -> float:
    """The least alpha whose updates leave no noise above alpha; at most 1.

    It is found from above, too large by a factor of at most 1 + ``within``.

    The noise falls in steps as alpha grows, so there need not be an exact root.
    """

    def worst(alpha: float) -> float:
        return max(_noise(params, n, composition, share, updates(params, alpha)[0])[:2])

    return _root(worst, 1e-6, 1.0, within)


def updates(params: Params, alpha: float) -> tuple[int, int]:
    """How many updates can be needed at alpha, and the number of indices.

    >>> updates(Params(epsilon=1.0, m=100, k=10**6), 0.1)
    (545, 54601)
    """
    if params.method == "paper":
        size = sparse_multiplicative_weights.paper_size(params.m, alpha)
    else:
        size = _size_rule(params.m, alpha, params.update_rule)
    size = size if params.universe is None else min(size, params.universe + 1)
    if params.method == "paper":
        most = math.floor(sparse_multiplicative_weights.paper_mistake_bound(size, alpha))
    else:
        most = _mistake_bound(size, alpha, params.update_rule)
    return max(1, min(params.k, most)), size


def _noise(
    params: Params, n: int, composition: str, share: float, c: int
) -> tuple[float, float, float, float]:
    """Largest noise of the test and of the measurements, and the budget of each.

    Scales are those of ``Threshold`` (drawn once for basic composition, fresh for zcdp) and of one
    Laplace or Gaussian value, for sensitivity 1/n; tails are union bounds, beta/3 each.

    Returns both errors, and the budgets of a test and a measurement, as in :class:`Plan`.
    """
    failure = params.beta / 3
    if composition == "basic":
        test = (1 - share) * params.epsilon
        measure = share * params.epsilon / c
        first = test / (1 + (2 * c) ** (2 / 3))
        per = c
        levels = 1
        answer = math.log(c / failure) / measure
    else:
        rho = _rho(epsilon=params.epsilon, delta=params.delta)
        test = math.sqrt(2 * (1 - share) * rho / c)
        measure = share * rho / c
        first = test / (1 + 2 ** (2 / 3))
        per = 1
        levels = c
        answer = math.sqrt(math.log(2 * c / failure) / measure)
    compared = math.log(levels / failure) / first + 2 * per * math.log(params.k / failure) / (
        test - first
    )
    return compared / n, answer / n, test, measure


_rho = lru_cache(accounting.zcdp_rho)
# Every search for a fixed point halves the same interval: most of its alphas were met before.
_size_rule = lru_cache(10_000)(sparse_multiplicative_weights.size_rule)
_mistake_bound = lru_cache(10_000)(sparse_multiplicative_weights.mistake_bound)


def _root(wanted: Callable[[float], float], lower: float, upper: float, within: float) -> float:
    """The least x in [lower, upper] with wanted(x) <= x, wanted falling; ``upper`` if none."""
    lower, upper = math.log(lower), math.log(upper)
    while upper - lower > within:
        middle = (lower + upper) / 2
        x = math.exp(middle)
        lower, upper = (lower, middle) if wanted(x) <= x else (middle, upper)
    return math.exp(upper)


def _plans(params: Params, n: int, composition: str, share: float) -> list[Plan]:
    """Plans at the fixed point and above it, where fewer updates mean less noise."""
    least = _fixed_point(params, n, composition, share, within=1e-3)
    plans = []
    for alpha in (min(1.0, least * factor) for factor in LARGER):
        c, size = updates(params, alpha)
        test_error, answer_error, test, measure = _noise(params, n, composition, share, c)
        promised = answer_error <= alpha
        plans.append(
            Plan(
                composition=composition,
                alpha=alpha,
                updates=c,
                size=size,
                test=test,
                measure=measure,
                test_error=test_error,
                answer_error=answer_error,
                threshold=alpha + test_error,
                error=alpha + 2 * test_error if promised else math.inf,
            )
        )
    return plans


def _practical(params: Params, n: int, composition: str) -> Plan:
    """So many updates, the least structure that holds them, a threshold they should last for."""
    c = min(params.updates, params.k)
    share = 0.3 if composition == "basic" else 0.1
    size = params.m * (c + 1) + 1
    size = size if params.universe is None else min(size, params.universe + 1)
    test_error, _, test, measure = _noise(params, n, composition, share, c)
    heuristic = 0.3 * math.sqrt(math.log(size) / (2 * c))
    threshold = params.threshold or max(test_error, heuristic)
    return Plan(
        composition=composition,
        alpha=min(1.0, max(1e-6, threshold - test_error)),
        updates=c,
        size=size,
        test=test,
        measure=measure,
        test_error=test_error,
        answer_error=0.0,
        threshold=threshold,
        error=math.inf,
    )
