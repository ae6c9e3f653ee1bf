"""Linear reconstruction attack (Dinur and Nissim 2003): secret bits from noisy counts.

**Paper.** Roth (2010), section 1.1; Dinur and Nissim (2003); Dwork, McSherry and Talwar (2007).

**Setting.** n people, one secret bit each. Counts of the bit in k public random subsets are
published, each with an error. The attacker knows the subsets.

**Idea.** The counts are k blurred equations for n numbers between 0 and 1. Solve them as well as
they can be solved, and round.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
D            ``data``               the secret bits                               (n,)
n            ``n``                  people                                        count
k            ``k = ratio * n``      counts                                        count
q            ``queries``            who is counted                                (k, n) of 0, 1
a            ``answers``            what is published                             (k,) people
(none)       ``noise``              size of an error in units of sqrt(n)          sqrt(n) people
(none)       ``corrupted``          answers with an arbitrary error               share
===========  =====================  ============================================  ============

**Departures.** (1) In the paper n is the number of cells; here each cell is one person. (2) With
``epsilon`` the counts are private: a count moves by one when one bit does, all of them together
by at most the largest number of subsets that one person is in. (3) `least squares` is not in those
papers; it is as good under Gaussian noise, and helpless where a few answers are corrupted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.privacy.curator import Budgeted, Curator
from dpviz.privacy.private_data import finite

METHODS = ("least squares", "L1")
DISTRIBUTIONS = ("gaussian", "uniform")


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """What is published, and how it is attacked; all public.

    Attributes
    ----------
    ratio : int >= 1, subsets for each person
    noise : float >= 0, standard deviation (or bound) of the error, in units of sqrt(n)
    distribution : "gaussian" or "uniform", of the error
    corrupted : float in [0, 1], share of the answers that are arbitrary: uniform in [0, n]
    epsilon : float > 0, instead of these errors answers that are private for this much; or None
    delta : 0, because Laplace noise is pure
    method : "least squares" or "L1", how the bits are decoded

    >>> Params(ratio=0)
    Traceback (most recent call last):
    ...
    ValueError: ratio must be a whole number, at least 1, not 0
    """

    ratio: int = 4
    noise: float = 0.1
    distribution: str = "gaussian"
    corrupted: float = 0.0
    epsilon: float | None = None
    delta: float = 0.0
    method: str = "least squares"

    def __post_init__(self):
        checks.integer("ratio", self.ratio, at_least=1)
        checks.number("noise", self.noise, at_least=0)
        checks.choice("distribution", self.distribution, DISTRIBUTIONS)
        checks.number("corrupted", self.corrupted, at_least=0, at_most=1)
        if self.epsilon is not None:
            checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, at_most=0)
        checks.choice("method", self.method, METHODS)


@dataclass(frozen=True, eq=False)
class Release:
    """The published counts: all that the attacker sees.

    Attributes
    ----------
    queries : bool array (k, n), the subsets that were counted
    answers : array (k,)
    """

    queries: np.ndarray
    answers: np.ndarray


def release(
    data: ArrayLike, params: Params, curator: Curator, *, queries: ArrayLike | None = None
) -> Release:
    """Publish private counts of a bit. Costs ``params.epsilon``, one record being one bit.

    Sensitivity: one bit moves each count that holds the person by one, so all counts together
    by at most the largest number of subsets that one person is in.

    Parameters
    ----------
    data : array (n,) of 0 and 1, private (other values are clipped to [0, 1])
    queries : bool array (k, n), public subsets; they must be given

    >>> params = Params(epsilon=1e9)
    >>> release([1, 0], params, params.curator(rng=0), queries=[[1, 1], [1, 0]]).answers
    array([1., 1.])
    """
    if params.epsilon is None:
        raise ValueError("epsilon must be a number in the params of a private release, not None")
    bits = _bits(data)
    subsets = _subsets(queries, len(bits))
    most = float(subsets.sum(axis=0).max())
    cost = {"sensitivity": max(most, 1.0), "epsilon": params.epsilon}
    return Release(subsets, curator.laplace(subsets @ bits, **cost, label="counts"))


def attack_accuracy_bound(*, epsilon: float, delta: float = 0.0) -> float:
    """Proved: no attack on private answers guesses a uniform bit correctly with a higher
    probability than this.

    Proof. Let p be the chance of saying 1 when the bit is 1, q when it is 0: p <= e^epsilon q +
    delta and 1 - q <= e^epsilon (1 - p) + delta. Add up: (p + 1 - q)/2 is at most this.

    >>> round(attack_accuracy_bound(epsilon=1.0), 3)
    0.731
    """
    grown = math.exp(min(checks.number("epsilon", epsilon, at_least=0), 700.0))
    return min(1.0, (grown + checks.number("delta", delta, at_least=0, below=1)) / (1 + grown))


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
    n: int = 64,
) -> dict[str, float]:
    """Publish counts, decode them, count the bits that are right.

    Parameters
    ----------
    data : array (n,) of 0 and 1; None for n uniform bits
    queries : array (k, n) of 0 and 1, the subsets; None for ``ratio`` n random ones

    Returns a dict with ``recovered`` (share of right bits), ``error`` (largest error of an answer),
    ``base_rate`` (share when every bit is guessed to be the commoner one).

    >>> trial(Params(noise=0.05), [0, 1, 1, 0] * 8, rng=1)["recovered"]
    1.0
    """
    rng = checks.generator(rng)
    if data is None:
        data = rng.integers(0, 2, checks.integer("n", n, at_least=1))
    bits, guess, published = attack(params, data, queries, rng=rng)
    truth = published.queries @ bits
    return {
        "recovered": float((guess == bits).mean()),
        "error": float(np.abs(published.answers - truth).max()),
        "base_rate": float(max(bits.mean(), 1 - bits.mean())),
    }


def attack(
    params: Params, data: ArrayLike, queries: ArrayLike | None = None, *, rng: checks.Seed
) -> tuple[np.ndarray, np.ndarray, Release]:
    """What :func:`trial` counts: true bits, guessed bits, and what was published.

    >>> bits, found, _ = attack(Params(noise=0.0), [0, 1, 1, 0] * 4, rng=1)
    >>> bool((bits == found).all())
    True
    """
    rng = checks.generator(rng)
    bits = _bits(data)
    published = _publish(bits, params, rng, queries=queries)
    guess = decode(published.queries, published.answers, params.method)
    return bits, guess, published


def _publish(
    data: np.ndarray, params: Params, rng: np.random.Generator, *, queries: ArrayLike | None = None
) -> Release:
    """Counts in given or random subsets with the errors that ``params`` says."""
    n = len(data)
    if queries is None:
        queries = rng.random((params.ratio * n, n)) < 0.5
    if params.epsilon is not None:
        return release(data, params, params.curator(rng=rng), queries=queries)
    subsets = _subsets(queries, n)
    answers = subsets @ data
    k = len(subsets)
    errors = rng.standard_normal(k) if params.distribution == "gaussian" else rng.uniform(-1, 1, k)
    answers = answers + params.noise * math.sqrt(n) * errors
    corrupted = rng.permutation(k) < round(params.corrupted * k)
    return Release(subsets, np.where(corrupted, rng.uniform(0, n, k), answers))


def decode(queries: ArrayLike, answers: ArrayLike, method: str = "L1") -> np.ndarray:
    """Guess the bits from the counts, by one of two methods.

    "L1" minimises the sum of the misfits over [0, 1]^n, "least squares" the sum of their squares
    over all numbers. Then it rounds.
    Statements: R10 Section 1.1 (blatant non-privacy).

    Parameters
    ----------
    queries : array (k, n) of 0 and 1; answers : array (k,)

    Raises ValueError if there is no such method, or the shapes do not fit.

    >>> decode([[1, 0], [1, 1], [0, 1]], [0.9, 1.2, 0.1]).tolist()
    [1.0, 0.0]
    """
    checks.choice("method", method, METHODS)
    table = _subsets(queries).astype(float)
    answers = checks.queries("answers", answers)
    if answers.shape != table.shape[:1]:
        raise ValueError(f"answers must have shape ({len(table)},), not {answers.shape}")
    if method == "least squares":
        from scipy.linalg import lstsq

        # by a QR decomposition, which takes less than half of the time of one in singular values
        solved = lstsq(table, answers, lapack_driver="gelsy", check_finite=False)[0]
    else:
        solved = _programmed(table, answers)
    return (solved >= 0.5).astype(float)


def _programmed(table: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """The linear program: the sum of the misfits as small as can be."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack

    k, n = table.shape
    matrix = hstack([csr_array(table), eye_array(k), -eye_array(k)])
    goal = np.concatenate([np.zeros(n), np.ones(2 * k)])  # answers = table x + up - down
    bounds = np.array([(0, 1)] * n + [(0, np.inf)] * (2 * k))
    solution = linprog(goal, A_eq=matrix, b_eq=answers, bounds=bounds, method="highs")
    if solution.x is None:
        raise ValueError(f"answers: the linear program has no solution ({solution.message})")
    return solution.x[:n]


def _bits(data: ArrayLike) -> np.ndarray:
    """Private bits as floats in [0, 1]; messages show nothing of them."""
    try:
        bits = finite(data)
    except (TypeError, ValueError):
        raise ValueError("data must be a vector of zeros and ones") from None
    if bits.ndim != 1 or not len(bits):
        raise ValueError("data must be a vector of zeros and ones")
    return np.clip(bits, 0, 1)


def _subsets(queries: ArrayLike | None, n: int | None = None) -> np.ndarray:
    """Public subsets as a bool array (k, n); ``ValueError`` if they are no such thing."""
    if queries is None:
        raise ValueError("queries must be given: an array (k, n) of zeros and ones")
    table = checks.queries("queries", queries)
    if table.ndim != 2 or 0 in table.shape or n not in (None, table.shape[1]):
        raise ValueError(f"queries must have shape (k, {n or 'n'}), not {table.shape}")
    if not np.isin(table, (0, 1)).all():
        raise ValueError("queries must hold zeros and ones")
    return table.astype(bool)
