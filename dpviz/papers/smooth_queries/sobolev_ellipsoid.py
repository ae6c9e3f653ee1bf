"""Sobolev ellipsoid of a class C^K_B: smooth queries weigh high moments little, so noise may grow.

**Paper.** Beside Wang, Fan, Zhang and Wang (2013), Lemma 4.3 and Theorem 3.1, which bound every
coefficient by one constant. That smooth functions weigh high Chebyshev moments less is the idea of
Musco, Musco, Rosenblatt and Singh (2025) for Lipschitz functions; the rate that it leads to is
Ding, He and Zhu's (2026). Of both papers only the abstracts were read; constants and proofs are
ours.

**Setting.** The release of module ``release``. All queries of C^K_B are answered from one summary;
their coefficients come from a grid under a Jackson operator.

**Idea.** The K-th derivatives of g(theta) = f(cos theta) are bounded, so by Parseval the squares of
its coefficients, each times the weight v_m of ``moments.derivatives``, have a bounded sum: they lie
in an ellipsoid. Over an ellipsoid the largest inner product with the noise is one weighed length,
whose high moments count little; noise that grows with v_m balances the two.

**Symbols.**

===========  =====================  =============================================  ============
paper        here                   meaning                                        shape, unit
===========  =====================  =============================================  ============
K, B         ``smoothness, size``   derivatives up to K at most B                  unit of f
c_m          in the proof           mu_m g_m: operator times grid coefficient      unit of f
(none)       ``bell``               Bell(K): |D^K g| <= Bell(K) B                  whole number
(none)       ``stretches``          most that noise in moment m moves an answer    (N - 1,)
(none)       ``supremum``           largest effect of given noise on any answer    unit of f
b_m          in the proof           scale of the Laplace noise z_m of a moment     unit of f
===========  =====================  =============================================  ============

**Departures.** The paper adds up the sizes of all noises, each times one constant.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries import moments
from dpviz.papers.smooth_queries.jackson import operator_weights, smoothness_of
from dpviz.papers.smooth_queries.release import Params, noise_sd, relative_scales

ORDERS = 40  # moments of a sum that are tried


def noise_bound(
    params: Params, n: int, *, operator: str, nodes: int, weighed: bool = True
) -> float:
    """Of the noise in the answers to all f of C^K_1 at once, K the operator's.

    Proved: with probability 1 - beta no f with derivatives up to K at most 1 has more noise in its
    answer, its coefficients taken by the operator from a grid of ``nodes`` per variable. A K-fold
    difference of g over steps h = pi / nodes in variable i is at most h^K Bell(K), at every place
    of the grid of 2 nodes per turn, on which the grid's cosines are orthogonal; in coefficient m it
    is a factor (2 sin(m_i h / 2))^K. So Parseval's sum over the grid, added up over i, gives
    sum v_m g_m^2 <= d Bell(K)^2, and the noise sum mu_m g_m z_m is at most :func:`supremum`, by
    Cauchy and Schwarz. Its law: :func:`square_sum_bound`.

    Parameters
    ----------
    params : Params; n : int, records
    operator : "jackson K"; nodes : int >= terms
    weighed : bool; False for Parseval without weights, sum 2^-(variables in m) g_m^2 <= 1, which
        uses the size of f only

    >>> params = Params(
    ...     d=1, terms=64, epsilon=1, delta=1e-6, noise_scaling="smoothness", lower=-1, upper=1
    ... )
    >>> [noise_bound(params, 1000, operator="jackson 2", nodes=128, weighed=w) for w in (1, 0)]
    [0.0727, 1.87]
    """
    stretch = _stretches(params, operator=operator, nodes=nodes, weighed=weighed)
    sd = noise_sd(params, n)[1:]
    if params.delta:
        return square_sum_bound(stretch * sd, beta=params.beta, gaussian=True)
    return square_sum_bound(stretch * sd / math.sqrt(2), beta=params.beta, gaussian=False)


def truncation_bound(params: Params, n: int) -> tuple[float, float]:
    """Bias and noise of truncated cosine series: one variable, Laplace noise, all f at once.

    Statements: lesson Theorem 6.1.
    Proved: with probability 1 - beta all f for which the K-th derivative of g(theta) = f(cos theta)
    is at most 1 are answered within the sum of both, from t = ``params.terms`` averages and their
    exact Chebyshev coefficients c_m; K = ``params.smoothness``. By Parseval
    sum m^(2K) c_m^2 <= 2, so by Cauchy and Schwarz sum c_m z_m over m < t is at most
    sqrt(2 sum z_m^2 m^(-2K)), and what is left out, sum c_m A_m over m >= t with |A_m| <= 1, is at
    most sqrt(2 sum m^(-2K)) <= sqrt(2) (t - 1)^(1/2 - K). Noise of scale b_m has E z_m^2 = 2 b_m^2,
    and Markov's inequality bounds the sum. The scales are those of the crude sensitivity 2/n of
    each average (``moments.l1_any``); a release has less noise.

    Parameters
    ----------
    params : of one variable and pure; n : int, records

    >>> how = {"d": 1, "terms": 200, "epsilon": 1, "lower": -1, "upper": 1}
    >>> truncation_bound(Params(**how), 100_000)
    (0.000504, 0.0371)
    >>> truncation_bound(Params(**how, noise_scaling="smoothness"), 100_000)
    (0.000504, 0.00097)
    """
    if params.d != 1 or params.delta:
        raise ValueError("params must be of one variable (d = 1) and pure (delta = 0)")
    k = checks.integer("smoothness", params.smoothness, at_least=1)
    terms = checks.integer("terms", params.terms, at_least=2)
    shape = relative_scales(params)
    unit = moments.l1_any(1 / shape) / (checks.integer("n", n, at_least=1) * params.epsilon)
    weighed = unit * shape / np.arange(1, terms) ** float(k)
    bias = math.sqrt(2) * (terms - 1) ** (0.5 - k)
    return bias, 2 * float(np.linalg.norm(weighed)) / math.sqrt(params.beta)


def square_sum_bound(scales: np.ndarray, *, beta: float, gaussian: bool) -> float:
    """A bound of sqrt(sum s_m^2 X_m^2), X standard normal, or exponential (Laplace's size).

    Proved: it is passed with probability beta at most. By Markov's inequality for the k-th power of
    Y = sum s_m^2 X_m^2, Y passes (E Y^k / beta)^(1/k) with probability beta at most; the least of
    k = 1, ..., 40 is taken. The moments are exact: cumulants of independent variables add up, that
    of order j of X^2 is 2^(j-1) (j-1)! (normal) or follows from E X^(2j) = (2j)! (exponential),
    and E Y^k = sum_j binom(k-1, j-1) kappa_j E Y^(k-j).

    Parameters
    ----------
    scales : array (N,), not negative

    >>> square_sum_bound(np.ones(1), beta=0.05, gaussian=True)  # the exact quantile is 1.96
    2.59
    """
    squares = np.square(scales)
    total = float(squares.sum())
    if total == 0:
        return 0.0
    shares = squares / total
    powers = np.ones_like(shares)
    kappa, raw, least = [], [1.0], math.inf
    for k, cumulant in enumerate(_cumulants(gaussian), start=1):
        powers = powers * shares
        kappa.append(float(cumulant) * float(powers.sum()))
        raw.append(
            sum(math.comb(k - 1, j - 1) * kappa[j - 1] * raw[k - j] for j in range(1, k + 1))
        )
        least = min(least, (math.log(raw[k]) - math.log(beta)) / k)
    return math.sqrt(total * math.exp(least))


def supremum(noise: ArrayLike, params: Params, *, operator: str, nodes: int) -> float:
    """The largest effect of given noise over the ellipsoid that contains C^K_1.

    Parameters
    ----------
    noise : array (N - 1,), of each moment but the constant

    >>> supremum(
    ...     [0.1, 0.0],
    ...     Params(d=1, terms=3, epsilon=1, lower=-1, upper=1),
    ...     operator="jackson 1",
    ...     nodes=99,
    ... )
    0.165
    """
    return float(np.linalg.norm(_stretches(params, operator=operator, nodes=nodes) * noise))


def _stretches(params: Params, *, operator: str, nodes: int, weighed: bool = True) -> np.ndarray:
    """sqrt(d) Bell(K) |mu_m| / sqrt(v_m), or without weights |mu_m| 2^(variables in m / 2)."""
    smoothness = smoothness_of(operator)
    index = moments.multi_indices(params.d, params.terms)[1:]
    checks.integer("nodes", nodes, at_least=params.terms)
    multipliers = operator_weights(operator, params.terms, allow_data_independent=True)
    kept = np.abs(multipliers[index].prod(axis=1))
    if not weighed:
        return kept * np.sqrt(np.ldexp(1.0, (index > 0).sum(axis=1)))
    derivative = math.sqrt(params.d) * bell(smoothness)
    return derivative * kept / np.sqrt(moments.derivatives(index, smoothness, nodes))


def bell(smoothness: int) -> int:
    """Bell's number: of g = f(cos), |D^K g| <= Bell(K) B, by Faa di Bruno's formula.

    >>> [bell(smoothness) for smoothness in range(6)]
    [1, 1, 2, 5, 15, 52]
    """
    row = [1]
    for _ in range(smoothness):
        row = list(accumulate(row, initial=row[-1]))
    return row[0]


@lru_cache
def _cumulants(gaussian: bool) -> tuple[int, ...]:
    """Of X^2: the first ``ORDERS``, exactly."""
    if gaussian:
        return tuple(2 ** (j - 1) * math.factorial(j - 1) for j in range(1, ORDERS + 1))
    raw = [math.factorial(2 * j) for j in range(ORDERS + 1)]
    kappa: list[int] = []
    for k in range(1, ORDERS + 1):
        earlier = sum(math.comb(k - 1, j - 1) * kappa[j - 1] * raw[k - j] for j in range(1, k))
        kappa.append(raw[k] - earlier)
    return tuple(kappa)
