"""Many pure steps: what k adaptive epsilon-DP answers cost together, by four rules.

Neighbouring data sets differ in one replaced record. Basic and advanced are here to be
compared; :func:`pure_exact` is the best possible (for steps that differ, none is known that
is not #P-hard: Murtagh and Vadhan 2016).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dpviz import checks
from dpviz.accounting.roots import least
from dpviz.accounting.zcdp import zcdp_rho

RULES = ("basic", "advanced", "zcdp", "exact")
MOST = 10**6  # steps: the exact rule keeps k / 2 numbers


def pure_basic(*, epsilon: float, k: int) -> float:
    """Return k epsilon: the total of k steps, pure as they are.

    Statements: NSV Theorem 2.1.
    Dwork, McSherry, Nissim and Smith 2006: likelihood ratios multiply. The deltas of
    (epsilon, delta)-DP steps add in the same way.

    Parameters
    ----------
    k : int >= 1

    >>> pure_basic(epsilon=0.1, k=20)
    2.00
    """
    epsilon, k = _step(epsilon=epsilon, k=k)
    return k * epsilon


def pure_advanced(*, epsilon: float, k: int, delta: float) -> float:
    """Return sqrt(2 k ln(1/delta)) epsilon + k epsilon (exp(epsilon) - 1).

    Statements: NSV Theorem 4.7.
    Dwork, Rothblum and Vadhan 2010: the losses are bounded by epsilon, their
    conditional means by epsilon (exp(epsilon) - 1); Azuma's inequality does the rest. Worse
    than ``pure_basic`` for few steps: for epsilon = 0.1, delta = 1e-6 up to k = 34.

    Parameters
    ----------
    epsilon : float in (0, 600]; k : int >= 1

    >>> pure_advanced(epsilon=0.1, k=20, delta=1e-6), pure_advanced(epsilon=0.1, k=100, delta=1e-6)
    (2.56, 6.31)
    """
    epsilon, k = _step(epsilon=checks.number("epsilon", epsilon, above=0, at_most=600), k=k)
    return _advanced(epsilon, k, delta=checks.number("delta", delta, above=0, below=1))


def pure_exact(*, epsilon: float, k: int, delta: float, step_delta: float = 0.0) -> float:
    """Return the least total for which k steps are (total, delta)-DP, whatever the steps are.

    Every epsilon-DP step is a randomized response, processed further (Kairouz, Oh and
    Viswanath 2015, Theorem 3.3), so k of these are the worst. Their delta is piecewise linear
    in exp(total) between the losses (k - 2 j) epsilon; over one piece it grows by the sum of
    P(i lies) exp(-2 (j - i) epsilon) over i <= j, times 1 - exp(-2 epsilon). Only positive
    terms are added, so no digit is lost; then the piece that holds delta is solved.

    Parameters
    ----------
    k : int in [1, 10^6]
    delta : float in [0, 1); 0 gives k epsilon.
    step_delta : float in [0, 1). For steps that are only (epsilon, step_delta)-DP: they cost
        1 - (1 - step_delta)^k of delta (the same theorem).

    >>> pure_exact(epsilon=0.1, k=20, delta=1e-6), pure_exact(epsilon=0.1, k=100, delta=1e-6)
    (1.7886, 4.7746)
    """
    epsilon, k = _step(epsilon=epsilon, k=k, most=MOST)
    delta = _rest(delta=delta, step_delta=step_delta, k=k)
    if delta == 0:
        return k * epsilon
    mean = k * math.exp(-_softplus(epsilon))
    wide = math.sqrt(350 * k)
    whole = (0, k // 2 + 1)
    # Hoeffding: other numbers of flips have probability at most 2 exp(-700).
    near = (max(0, math.floor(mean - wide)), min(whole[1], math.ceil(mean + wide) + 1))
    least = _total(*near, epsilon=epsilon, k=k, delta=delta) if delta > 1e-280 else None
    return _total(*whole, epsilon=epsilon, k=k, delta=delta) or 0.0 if least is None else least


def pure_exact_delta(*, epsilon: float, k: int, total: float, step_delta: float = 0.0) -> float:
    """Return the least delta for which k steps are (total, delta)-DP: inverse of ``pure_exact``.

    Sum over the number i of lies with loss (k - 2 i) epsilon above total, of
    P(i) (1 - exp(total - loss)): Kairouz, Oh and Viswanath 2015, Theorem 3.3.

    Parameters
    ----------
    k : int in [1, 10^6]; total : float >= 0; step_delta : float in [0, 1), as in ``pure_exact``

    >>> pure_exact_delta(epsilon=0.1, k=1, total=0)
    0.04996
    """
    epsilon, k = _step(epsilon=epsilon, k=k, most=MOST)
    total = checks.number("total", total, at_least=0)
    step_delta = checks.number("step_delta", step_delta, at_least=0, below=1)
    delta = _divergence(epsilon=epsilon, k=k, total=total)
    return -math.expm1(k * math.log1p(-step_delta) + math.log1p(-min(delta, 1 - 2**-53)))


def step_for(*, total: float, k: int, delta: float, rule: str) -> float:
    """Return the largest epsilon of k steps that cost (total, delta) together by a rule.

    Parameters
    ----------
    total : float in (0, 10^9]; k : int in [1, 10^6]
    delta : float in (0, 1); 0 also for "basic" and "exact"
    rule : "basic", "advanced", "zcdp" or "exact"

    >>> [step_for(total=1, k=100, delta=1e-6, rule=rule) for rule in RULES]
    [0.0100, 0.0184, 0.0221, 0.0240]
    """
    rule = checks.choice("rule", rule, RULES)
    total = checks.number("total", total, above=0, at_most=1e9)
    k = checks.integer("k", k, at_least=1, at_most=MOST)
    delta = checks.number("delta", delta, at_least=0, below=1)
    if rule == "basic" or (rule == "exact" and delta == 0):
        return total / k
    step = math.sqrt(2 * zcdp_rho(epsilon=total, delta=delta) / k)
    if rule == "zcdp":
        return step
    if rule == "advanced":
        step = min(step, 1.0)
        return 1 / least(lambda x: _advanced(1 / x, k, delta=delta) - total, 1 / step)
    step = max(step, total / k)
    return 1 / least(lambda x: _log_divergence(1 / x, k, total, delta=delta), 1 / step)


def _step(*, epsilon: float, k: int, most: float = math.inf) -> tuple[float, int]:
    """Check what every rule takes."""
    epsilon = checks.epsilon(epsilon)
    return epsilon, checks.integer("k", k, at_least=1, at_most=most)


def _rest(*, delta: float, step_delta: float, k: int) -> float:
    """Check what k steps spend of ``delta`` themselves, and return the rest."""
    delta = checks.number("delta", delta, at_least=0, below=1)
    step_delta = checks.number("step_delta", step_delta, at_least=0, below=1)
    log_share = k * math.log1p(-step_delta)
    if delta < -math.expm1(log_share):
        raise ValueError(f"delta must be at least 1 - (1 - step_delta)^k, not {delta!r}")
    return max(0.0, -math.expm1(math.log1p(-delta) - log_share)) if step_delta else delta


def _advanced(step: float, k: int, *, delta: float) -> float:
    """See ``pure_advanced``; no overflow while the solver looks for its bracket."""
    return step * (math.sqrt(-2 * k * math.log(delta)) + k * math.expm1(min(step, 600)))


def _softplus(x: float) -> float:
    """ln(1 + exp(x)) for x > 0."""
    return x + math.log1p(math.exp(-x))


@lru_cache(maxsize=8)
def _log_choose(k: int) -> np.ndarray:
    """ln(k choose i) for i up to k / 2."""
    from scipy.special import gammaln

    i = np.arange(k // 2 + 1)
    logs = gammaln(k + 1) - gammaln(i + 1) - gammaln(k - i + 1)
    logs.flags.writeable = False
    return logs


def _log_divergence(step: float, k: int, total: float, *, delta: float) -> float:
    """Logarithm of ``_divergence`` over the delta allowed, kept finite for the solver."""
    ratio = _divergence(epsilon=step, k=k, total=total) / delta
    return math.log(min(max(ratio, 1e-300), 1e300))


def _total(first: int, last: int, *, epsilon: float, k: int, delta: float) -> float | None:
    """The total of ``pure_exact`` by so many flips; None if delta is not reached by then."""
    flips = np.arange(first, last)
    loss = (k - 2 * flips) * epsilon
    log_p = _log_choose(k)[first:last] + flips * epsilon - k * _softplus(epsilon)
    reach = np.exp(np.logaddexp.accumulate(log_p) + loss)
    curve = np.concatenate(([0.0], -math.expm1(-2 * epsilon) * np.cumsum(reach)))
    j = int(np.searchsorted(curve, delta)) - 1
    if j == len(reach):
        return None
    share = min((delta - curve[j]) / reach[j], -math.expm1(-2 * epsilon))
    return max(0.0, float(loss[j]) + (math.log1p(-share) if share < 1 else -2 * epsilon))


def _divergence(*, epsilon: float, k: int, total: float) -> float:
    """The delta of k randomized responses: see ``pure_exact_delta``."""
    last = max(0, min(k // 2 + 1, math.ceil((k - total / epsilon) / 2)))
    # Hoeffding: fewer flips than this have probability at most exp(-700).
    first = min(last, max(0, math.floor(k * math.exp(-_softplus(epsilon)) - math.sqrt(350 * k))))
    flips = np.arange(first, last)  # how many of the k responses are false
    excess = np.maximum((k - 2 * flips) * epsilon - total, 0.0)
    log_p = _log_choose(k)[first:last] + (k - flips) * epsilon - k * _softplus(epsilon)
    return float(np.exp(log_p) @ -np.expm1(-excess))
