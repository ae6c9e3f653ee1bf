"""Zero-concentrated differential privacy: what steps cost in rho, and rho in (epsilon, delta).

rho-zCDP (Bun and Steinke 2016, Definition 1.1): the Rényi divergence of every order a > 1
between the outputs on neighbours is at most a rho. Adaptive steps add their rhos (Lemma 1.7).
A step that keeps this only outside an event of probability ``slack`` is slack-approximate
rho-zCDP (Definition 8.1); the slacks add too. Neighbours differ in one replaced record.
"""

from __future__ import annotations

import math

from dpviz import checks
from dpviz.accounting.roots import least


def zcdp_pure(*, epsilon: float) -> float:
    """Return the rho of an epsilon-DP step: epsilon^2 / 2.

    Bun and Steinke 2016, Proposition 1.4: randomized response is the worst such step, and its
    divergences are at most a epsilon^2 / 2. For an (epsilon, delta)-DP step the same rho holds
    with slack delta (their Section 8).

    >>> zcdp_pure(epsilon=0.1)
    0.005
    """
    return checks.epsilon(epsilon) ** 2 / 2


def zcdp_choose(*, epsilon: float) -> float:
    """Return the rho of the exponential mechanism of budget epsilon: epsilon^2 / 8.

    A quarter of ``zcdp_pure``, for its loss Z lies in an interval of length epsilon (Dong,
    Durfee and Rogers 2020; Cesar and Rogers 2021). Proof: Hoeffding's lemma on
    1 = E exp(-Z) gives E Z <= epsilon^2 / 8, and on E exp((a - 1) Z) a divergence of order a
    of at most E Z + (a - 1) epsilon^2 / 8 <= a epsilon^2 / 8.

    >>> zcdp_choose(epsilon=0.2)
    0.005
    """
    return checks.epsilon(epsilon) ** 2 / 8


def zcdp_delta(*, rho: float, epsilon: float, slack: float = 0.0) -> float:
    """Return a delta for which rho-zCDP implies (epsilon, delta)-DP.

    The least over orders a > 1 of exp((a - 1)(a rho - epsilon)) (1 - 1/a)^a / (a - 1)
    (Canonne, Kamath and Steinke 2020, Section 2.3). Every a is a bound; with t = a - 1 the
    logarithm is convex, and its slope (2 t + 1) rho - epsilon - ln(1 + 1/t) is 0 at the best.

    With ``slack`` s the answer is s + (1 - s) delta. Proof: outside events of probability at
    most s the conditional outputs P, Q are (epsilon, delta)-close, so an outcome has
    probability at most s + (1 - s) P <= s + (1 - s) delta + exp(epsilon) (1 - s) Q, and
    (1 - s) Q is at most its probability on the neighbour.

    Parameters
    ----------
    rho : float >= 0; slack : float in [0, 1)

    >>> 1e6 * zcdp_delta(rho=0.024356, epsilon=1)
    1.000
    """
    rho = checks.number("rho", rho, at_least=0)
    epsilon = checks.epsilon(epsilon)
    slack = checks.number("slack", slack, at_least=0, below=1)
    if rho == 0:
        return slack
    t = least(lambda t: epsilon + math.log1p(1 / t) - (2 * t + 1) * rho, (1 + epsilon / rho) / 2)
    delta = math.exp(min(0.0, t * ((1 + t) * rho - epsilon) - _gain(t)))
    return slack + (1 - slack) * delta


def zcdp_epsilon(*, rho: float, delta: float, slack: float = 0.0) -> float:
    """Return the least epsilon >= 0 with ``zcdp_delta(rho, epsilon, slack) <= delta``.

    At the best order of ``zcdp_delta``, ln(1/delta) = rho t^2 + ln(1 + t), which rises in t.

    Parameters
    ----------
    rho : float >= 0; slack : float in [0, delta)

    >>> zcdp_epsilon(rho=0.5, delta=1e-6)
    5.22
    """
    rho = checks.number("rho", rho, at_least=0)
    depth = _depth(delta=delta, slack=slack)
    if rho == 0:
        return 0.0
    t = least(lambda t: depth - rho * t * t - math.log1p(t), math.sqrt(depth / rho))
    return max(0.0, (1 + t) * rho + (depth - _gain(t)) / t)


def zcdp_rho(*, epsilon: float, delta: float, slack: float = 0.0) -> float:
    """Return the largest rho that implies (epsilon, delta)-DP by ``zcdp_delta``.

    The rho of ``zcdp_epsilon``'s equation, put into that of ``zcdp_delta``, leaves one equation
    for t, whose left side falls.

    Parameters
    ----------
    slack : float in [0, delta)

    >>> zcdp_rho(epsilon=1, delta=1e-6)
    0.024356
    """
    epsilon = checks.epsilon(epsilon)
    depth = _depth(delta=delta, slack=slack)

    def excess(t: float) -> float:
        """How far the epsilon of the order 1 + t lies above the one allowed."""
        return (2 / t + 1 / t**2) * (depth - math.log1p(t)) - math.log1p(1 / t) - epsilon

    t = least(excess, 2 * depth / epsilon)
    return max(0.0, (epsilon - (depth - _gain(t)) / t) / (1 + t))


def _depth(*, delta: float, slack: float = 0.0) -> float:
    """Check both and return ln(1 / what the slack leaves of delta)."""
    delta = checks.number("delta", delta, above=0, below=1)
    slack = checks.number("slack", slack, at_least=0, below=delta)
    return math.log1p(-slack) - math.log(delta - slack)


def _gain(t: float) -> float:
    """Minus the logarithm of (1 - 1/a)^a / (a - 1) at the order a = 1 + t."""
    return math.log(t) + (1 + t) * math.log1p(1 / t)
