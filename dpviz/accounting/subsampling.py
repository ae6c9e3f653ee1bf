"""What a step costs when it sees only a secret random part of the data.

The part is drawn by the mechanism and never published. Two ways to draw it need two
statements (Balle, Barthe and Gaboardi 2018), with one proof. Let the changed record be drawn
with probability ``rate``. Both outputs are mixtures with a common part C, the output when it
is not drawn: (1 - rate) C + rate A and (1 - rate) C + rate B. Write d(A, B, x) for the delta
of A against B at the level x. If exp(e) = 1 + rate (exp(x) - 1) and b = exp(e - x), then the
mixtures have at e exactly the delta rate d(A, (1 - b) C + b B, x) (their Theorem 2), at most
rate ((1 - b) d(A, C, x) + b d(A, B, x)). So A must be close to B and to C.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpviz import checks


def subsample(*, epsilon: float, delta: float = 0.0, rate: float) -> tuple[float, float]:
    """Return the (epsilon, delta) of a step run on m of n records, drawn without replacement.

    Neighbours replace one record, for the step and for the answer; ``rate`` = m / n. Exactly
    ln(1 + rate (exp(epsilon) - 1)) and rate delta: Theorem 9. A sample without the changed
    record is one with it in which it was replaced by another: A is close to C as to B.

    Parameters
    ----------
    delta : float in [0, 1); rate : float in (0, 1]

    >>> subsample(epsilon=1, delta=1e-6, rate=0.01)
    (0.01704, 1e-08)
    """
    epsilon, delta, rate = _checked(epsilon=epsilon, delta=delta, rate=rate)
    return _amplified(rate, epsilon=epsilon), rate * delta


def resample(
    *, epsilon: float, draws: int, n: int, profile: Callable[[int, float], float]
) -> tuple[float, float]:
    """Return the (epsilon, delta) of a step run on draws with replacement from n records.

    Statements: NSV Lemma 6.4.
    Neighbours replace one record. It may be drawn j times, so the step's whole group profile
    counts: ``profile(j, epsilon)`` is a delta for which the step is (epsilon, delta)-DP on
    samples that differ in j places. With rate = 1 - (1 - 1/n)^draws the answer is
    ln(1 + rate (exp(epsilon) - 1)) and the sum over j >= 1 of P(j) profile(j, epsilon), P the
    binomial law of j (Theorem 10). For C the j places are drawn again from the other records.
    Terms too rare to matter are counted as if their profile were 1.

    Parameters
    ----------
    epsilon : float > 0, the level at which the step's profile is read
    draws, n : int >= 1
    profile : callable, e.g. ``pure_profile`` or a Gaussian's ``gaussian_delta`` at sd / j

    >>> resample(epsilon=1, draws=10, n=1000, profile=pure_profile(epsilon=0.5))
    (0.01696, 3.84e-08)
    """
    epsilon = checks.epsilon(epsilon)
    times, chances, tail = _multiplicity(draws, n)
    delta = sum(p * profile(j, epsilon) for j, p in zip(times, chances, strict=True))
    return _amplified(_chance_of_a_draw(draws, n), epsilon=epsilon), min(1.0, delta + tail)


def resample_step(*, epsilon: float, delta: float = 0.0, draws: int, n: int) -> tuple[float, float]:
    """Return an (epsilon, delta) of any (epsilon, delta)-DP step run on draws with replacement.

    Neighbours replace one of n records; it is drawn K times, K binomial (draws, 1/n). Proof.
    Draw these K places again from the other records: that couples each K with K = 0, which is
    the same on both sides. Group privacy gives P_K <= e^(K epsilon) P_0 + K e^((K - 1) epsilon)
    delta and Q_K >= e^(-K epsilon) P_0 - K e^(-epsilon) delta. Average, with the mean of e^(s K)
    = (1 + (e^s - 1) / n)^draws, and divide. Better than Bun, Nissim, Stemmer and Vadhan's
    (6 epsilon draws / n, ...), and for pure steps attained by rare events.

    Parameters
    ----------
    delta : float in [0, 1); draws, n : int >= 1

    >>> resample_step(epsilon=1, draws=100, n=900)
    (0.2609, 0.0)
    """
    epsilon = checks.epsilon(epsilon)
    delta = checks.number("delta", delta, at_least=0, below=1)
    draws, n = checks.integer("draws", draws, at_least=1), checks.integer("n", n, at_least=1)
    if n == 1:
        return draws * epsilon, min(
            1.0, draws * math.exp(min(700.0, (draws - 1) * epsilon)) * delta
        )
    up = _amplified(1 / n, epsilon=epsilon)
    down = math.log1p(math.expm1(-epsilon) / n)
    total = draws * (up - down)
    often = math.exp(min(700.0, (draws - 1) * up)) + math.exp(min(700.0, total - epsilon))
    return total, min(1.0, draws / n * delta * often)


def resample_budget(*, epsilon: float, draws: int, n: int) -> float:
    """Return the largest epsilon of a step that costs at most this by ``resample_step``.

    Parameters
    ----------
    draws, n : int >= 1

    >>> resample_budget(epsilon=1, draws=1000, n=9000)
    2.2097
    """
    low = 0.0
    high = checks.epsilon(epsilon) + 40.0
    for _ in range(60):
        middle = (low + high) / 2
        fits = resample_step(epsilon=middle, draws=draws, n=n)[0] <= epsilon
        low, high = (middle, high) if fits else (low, middle)
    return low


def pure_profile(*, epsilon: float) -> Callable[[int, float], float]:
    """Return the group profile of any epsilon-DP step, for ``resample``.

    Statements: lesson Theorem 1.5.
    j replaced records are a j epsilon-DP step; the worst, randomized response, has at the
    level x the delta (exp(j epsilon) - exp(x)) / (exp(j epsilon) + 1) or 0 (Kairouz, Oh and
    Viswanath 2015).

    >>> pure_profile(epsilon=0.5)(2, 0.5)
    0.2876
    """
    epsilon = checks.epsilon(epsilon)

    def profile(group: int, level: float) -> float:
        """Delta at ``level`` when ``group`` records are replaced."""
        loss = group * epsilon
        return max(0.0, -math.expm1(level - loss)) / (1 + math.exp(-loss)) if loss > level else 0.0

    return profile


def _checked(*, epsilon: float, delta: float, rate: float) -> tuple[float, float, float]:
    """The three arguments of every subsampled step."""
    epsilon = checks.epsilon(epsilon)
    delta = checks.number("delta", delta, at_least=0, below=1)
    return epsilon, delta, checks.number("rate", rate, above=0, at_most=1)


def _amplified(rate: float, *, epsilon: float) -> float:
    """ln(1 + rate (exp(epsilon) - 1)), also where exp(epsilon) overflows."""
    if epsilon < 30:
        return math.log1p(rate * math.expm1(epsilon))
    return epsilon + math.log(rate + (1 - rate) * math.exp(-epsilon))


def _chance_of_a_draw(draws: int, n: int) -> float:
    """Probability that one record is drawn at least once."""
    draws, n = checks.integer("draws", draws, at_least=1), checks.integer("n", n, at_least=1)
    return -math.expm1(draws * math.log1p(-1 / n)) if n > 1 else 1.0


def _multiplicity(draws: int, n: int) -> tuple[list[int], list[float], float]:
    """How often a record is drawn: the likely numbers >= 1, their chances, the rest's."""
    from scipy.special import bdtr, bdtrc, gammaln

    draws, n = checks.integer("draws", draws, at_least=1), checks.integer("n", n, at_least=1)
    if n == 1:
        return [draws], [1.0], 0.0
    mean = draws / n
    reach = math.ceil(8 * math.sqrt(mean)) + 30
    j = np.arange(max(1, math.floor(mean) - reach), min(draws, math.floor(mean) + reach) + 1)
    logs = gammaln(draws + 1) - gammaln(j + 1) - gammaln(draws - j + 1) - j * math.log(n)
    chances = np.exp(logs + (draws - j) * math.log1p(-1 / n))
    below = bdtr(j[0] - 1, draws, 1 / n) - (1 - 1 / n) ** draws
    return j.tolist(), chances.tolist(), float(max(0.0, below) + bdtrc(j[-1], draws, 1 / n))
