"""Error bounds of the release: Theorem 3.1 with every constant, and for Gaussian kernel queries.

**Paper.** Wang, Fan, Zhang and Wang (2013), section 3, Theorems 3.1 and 3.2, Lemmas 4.3 and 4.4.

**Setting.** The release of module ``release``; queries from the class C^K_B (derivatives up
to order K at most B), all at once, or a public list of Gaussian kernels.

**Idea.** The error is a bias, what a polynomial of low degree cannot approximate, plus the noise of
the moments that the query weighs. The first falls with the number of terms, the second rises. What
bounds the first is the K-norm of a query: its largest derivative of order at most K, by size.

**Symbols.**

============  =================================  =============================  =============
paper         here                               meaning                        shape, unit
============  =================================  =============================  =============
alpha, beta   ``error_bound``, ``Params.beta``   error, probability to pass it  unit of f
K, B          ``smoothness, size``               derivatives up to K at most B  unit of f
||f||_K       ``kernel_norm``                    the least such B               unit of f
M (4.3)       in the proof                       |c_m| <= 2^d L^d B             unit of f
(none)        ``norm``                           L: the operator's norm, d = 1  1 to 2.7
============  =================================  =============================  =============

**Departures.** (1) Theorem 3.1 promises O(n^(-K/(2d+K)) / epsilon) "for any epsilon"; its t
does not depend on epsilon, so the approximation error stays: the rate is
n^(-K/(2d+K)) max(1, 1/epsilon). (2) Theorem 3.2 promises an error of at most gamma with
degree below gamma^(-1/K), constant 1; a tall kink refutes it. With a constant C(K, d, B), which
is given here, it holds. (3) For given queries the noise adds up in squares, not in sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries import jackson
from dpviz.papers.smooth_queries.gaussian_kernel import (
    GaussianKernels,
    answer_kernels,
    product_answers,
    product_coefficients,
    synthetic,
)
from dpviz.papers.smooth_queries.jackson import operator_weights, smoothness_of
from dpviz.papers.smooth_queries.release import (
    Params,
    exact_moments,
    noise_sd,
    paper_terms,
    release,
    rescaled,
)
from dpviz.papers.smooth_queries.sobolev_ellipsoid import bell, noise_bound
from dpviz.privacy.noise_laws import normal

MOST = 10**300  # records that a float can count

METHODS = ("paper", "truncation")


def error_bound(
    params: Params,
    *,
    n: int,
    size: float,
    operator: str = "jackson 2",
    nodes: int | None = None,
    smoothness: int | None = None,
) -> float:
    """Theorem 3.1 with every constant, for all queries of C^K_B at once (tensor summaries).

    Statements: W13 Definition 2.2; W13 Theorem 3.1 (accuracy); W13 Theorem 3.2 (coefficients);
    W13 Lemma 4.3.
    Proved: with probability 1 - beta every f with derivatives up to K at most ``size`` = B is
    answered within this, its coefficients taken by a Jackson operator I = I_{t-1,K} from a
    grid of ``nodes`` per variable (default 2 t). The bias is :func:`class_bias`. The noise is the
    less of two lengths: by Parseval alone, and weighed by how smooth the class is
    (``sobolev_ellipsoid.noise_bound``). With ``noise_scaling`` "smoothness" the latter gives the
    exponents min(1, K/d) (Gaussian) and min(1, 2K/(3d)) (Laplace) of n epsilon; Parseval alone,
    with equal noise, K/(d+K) and 2K/(3d+2K).

    Parameters
    ----------
    n : int, records; size : float > 0, B
    operator : "jackson K"; K is the smoothness that is used
    smoothness : int, up to which order ``size`` bounds the derivatives; None for the operator's K.
        A smaller one than the operator's raises ValueError: the proof would use a derivative of
        which nothing is known

    >>> error_bound(Params(d=1, terms=63, epsilon=1, lower=-1, upper=1), n=63**4, size=1.0)
    0.0259
    """
    checks.integer("n", n, at_least=1, at_most=MOST)
    size = checks.number("size", size, above=0)
    t = params.terms
    k = smoothness_of(operator)
    order = k if smoothness is None else checks.integer("smoothness", smoothness, at_least=0)
    if order < k:
        raise ValueError(
            f"operator must be at most 'jackson {order}' for smoothness {order}, not "
            f"{operator!r}: it uses derivatives up to order {k}"
        )
    nodes = 2 * t if nodes is None else checks.integer("nodes", nodes, at_least=t)
    how = {"operator": operator, "nodes": nodes}
    noise = [noise_bound(params, n, weighed=weighed, **how) for weighed in (False, True)]
    return class_bias(t, d=params.d, size=size, **how) + size * min(noise)


def error_bound_kernels(
    params: Params,
    *,
    n: int,
    queries: GaussianKernels,
    operator: str = "truncation",
    allow_data_independent: bool = False,
) -> np.ndarray:
    """The same for a public list of kernels, each with its own bound; array (k,).

    Statements: lesson Theorem 6.8.
    Proved: with probability 1 - beta all k answers of ``answer_kernels`` are within these.
    Approximation by ``GaussianKernels.approximation_bound``. Noise: with x = ln(2 k / beta), a sum
    of a_m Lap(b_m) passes sqrt(2 x) sd + x max|a_m| b_m with probability at most beta / k
    (sub-gamma tail; the Gaussian quantile would be too small); a Gaussian one its quantile.

    >>> params = Params(d=1, terms=7, epsilon=1, lower=-1, upper=1)
    >>> queries = GaussianKernels(centres=[[0.2]], width=0.5, lower=-1, upper=1)
    >>> error_bound_kernels(params, n=569, queries=queries)
    array([0.049])
    """
    checks.integer("n", n, at_least=1, at_most=MOST)
    checks.instance("queries", queries, GaussianKernels)
    k = len(queries.centres) / params.beta
    how = {"operator": operator, "allow_data_independent": allow_data_independent}
    queries = queries.in_box(params.lower, params.upper, params.d)
    factors = queries.factors(params.terms, **how)
    approximation = queries.approximation_bound(params.terms, **how)
    sd, peak = noise_of(factors, params, n)
    if params.delta:
        return approximation + sd * normal(params.beta, log_k=math.log(len(queries.centres)))
    return approximation + math.sqrt(2 * math.log(2 * k)) * sd + math.log(2 * k) * peak


def paper_rate(params: Params, *, n: int) -> float:
    """As stated, K = ``params.smoothness``, with constant 1: Theorem 3.1, n^(-K/(2d+K)) / epsilon.

    With delta that of section 5, (ln(1/delta)^(1/2) / (epsilon n))^(2K/(3d+2K)); the epsilon in it
    is our reading, for the text leaves it out.

    Statements: W13 Theorem 3.1 (accuracy); W13 Section 5 (approximate privacy).
    The paper gives no constant.

    >>> paper_rate(Params(d=1, terms=1, epsilon=1, lower=-1, upper=1), n=569)
    0.0419
    """
    n = checks.integer("n", n, at_least=1, at_most=MOST)
    k = params.smoothness
    if params.delta:
        noise = math.sqrt(math.log(1 / params.delta)) / (params.epsilon * n)
        return noise ** (2 * k / (3 * params.d + 2 * k))
    return n ** (-k / (2 * params.d + k)) / params.epsilon


def paper_least_beta(params: Params, *, n: int) -> float:
    """The condition of Theorem 3.1(2), as stated: beta >= 10 exp(-n^(d/(2d+K)) / 5).

    Statements: W13 Theorem 3.1 (accuracy).
    A value of 1 or more leaves no beta: at this n the theorem promises nothing.

    >>> paper_least_beta(Params(d=1, terms=1, epsilon=1, lower=-1, upper=1), n=569)
    3.765
    """
    n = checks.integer("n", n, at_least=1, at_most=MOST)
    d = params.d
    return 10 * math.exp(-(n ** (d / (2 * d + params.smoothness))) / 5)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: GaussianKernels | None = None,
    *,
    n: int = 1000,
    k: int = 400,
    width: float = 0.5,
    operator: str = "truncation",
    allow_data_independent: bool = False,
    rng: checks.Seed,
) -> dict[str, float]:
    """Release once, ask all kernels; the worst errors.

    Without ``data`` and ``queries`` on n records and k kernels of ``synthetic``. Returns a dict
    with ``error``, ``mean`` (over the queries), ``approximation_error`` (the same without noise),
    ``constant`` (answering without data), ``bound`` (of the error, with probability 1 - beta).

    >>> sorted(trial(Params(d=1, terms=7, epsilon=1, lower=-1, upper=1), n=99, k=5, rng=1))
    ['approximation_error', 'bound', 'constant', 'error', 'mean']
    """
    rng = checks.generator(rng)
    how = {"operator": operator, "allow_data_independent": allow_data_independent}
    box = {"lower": params.lower, "upper": params.upper}
    given = synthetic(data, queries, d=params.d, n=n, k=k, width=width, **box, rng=rng)
    return trials(params, *given, rngs=[rng], **how)[0]


def trials(
    params: Params,
    data: ArrayLike,
    queries: GaussianKernels,
    *,
    rngs: Iterable[checks.Seed],
    operator: str = "truncation",
    allow_data_independent: bool = False,
) -> list[dict[str, float]]:
    """A :func:`trial` with each random stream, on the same records and kernels.

    What is exact, and what is proved, is found once.

    >>> queries = GaussianKernels(centres=[[0.0]], width=1.0, lower=-1, upper=1)
    >>> params = Params(d=1, terms=7, epsilon=1, lower=-1, upper=1)
    >>> both = trials(params, [[0.5]] * 99, queries, rngs=[1, 2])
    >>> both[1] == trial(params, [[0.5]] * 99, queries, rng=2)
    True
    """
    queries = queries.in_box(params.lower, params.upper, params.d)
    points = rescaled(data, params)
    exact = queries.mean(points)
    how = {"operator": operator, "allow_data_independent": allow_data_independent}
    factors = queries.factors(params.terms, **how)
    noiseless = product_answers(exact_moments(points, params), factors, params)
    known = {
        "approximation_error": float(np.abs(noiseless - exact).max()),
        "constant": float(np.abs(queries.constant() - exact).max()),
        "bound": float(error_bound_kernels(params, n=len(points), queries=queries, **how).max()),
    }
    runs = []
    for rng in rngs:
        released = release(data, params, params.curator(rng=rng))
        errors = np.abs(answer_kernels(released, queries, **how) - exact)
        runs.append({"error": float(errors.max()), "mean": float(errors.mean()), **known})
    return runs


def trial_methods(
    params: Params,
    data: ArrayLike | None = None,
    queries: GaussianKernels | None = None,
    *,
    method: str,
    n: int = 1000,
    k: int = 100,
    rng: checks.Seed,
) -> dict[str, float]:
    """The paper's t and Jackson kernel (K = 2), or truncation at the t of the least proved bound.

    The fields of :func:`trial`; ``params.terms`` is not used.

    >>> found = trial_methods(
    ...     Params(d=1, terms=1, epsilon=1, lower=-1, upper=1), method="truncation", rng=0
    ... )
    >>> found["error"] < 0.1
    True
    """
    rng = checks.generator(rng)
    box = {"lower": params.lower, "upper": params.upper}
    data, queries = synthetic(data, queries, d=params.d, n=n, k=k, width=0.5, **box, rng=rng)
    n = len(data)
    if checks.choice("method", method, METHODS) == "paper":
        terms = paper_terms(n, d=params.d, smoothness=2)
        how = {"operator": "jackson 2", "allow_data_independent": True}
    else:
        terms = by_bound(params, n, queries, most=14)
        how = {}
    return trial(replace(params, terms=terms), data, queries, **how, rng=rng)


def by_bound(params: Params, n: int, queries: GaussianKernels, *, most: int, least: int = 1) -> int:
    """The number of terms for which the proved bound for these kernels is least: public, free.

    From ``least`` on: where noise is less than in another summary, more terms pay than there.

    >>> queries = GaussianKernels.draw(9, d=1, width=0.5, rng=0, lower=-1, upper=1)
    >>> by_bound(Params(d=1, terms=1, epsilon=1, lower=-1, upper=1), 569, queries, most=12)
    6
    """
    checks.integer("most", most, at_least=1)
    checks.integer("least", least, at_least=1, at_most=most)
    tried = [replace(params, terms=t) for t in range(least, most + 1)]
    errors = [error_bound_kernels(each, n=n, queries=queries).max() for each in tried]
    return tried[int(np.argmin(errors))].terms


def class_bias(terms: int, *, d: int, size: float, operator: str, nodes: int) -> float:
    """The error of all of C^K_B without noise: of the operator, and of reading it off a grid.

    Proved: each D_j^K g is at most Bell(K) B, so |g - I g| <= s(t - 1), with s(u) = sum_j L^(j-1) 2
    Bell(K) B m_K(u). On the grid I becomes I', of norm at most L'^d, L' = (1 + pi t / (2 nodes)) L,
    and equals I up to degree u = 2 nodes - t, so |I' g - I g| <= (L'^d + L^d) s(u).
    Statements: W13 Theorem 3.2 (degree).

    >>> class_bias(63, d=1, size=1.0, operator="jackson 2", nodes=126)
    0.0258
    """
    k = smoothness_of(operator)
    norm = jackson.lebesgue(operator_weights(operator, terms))
    grid_norm = norm * (1 + math.pi * terms / (2 * nodes))
    fine = 2 * nodes - terms
    # the norm of the finer operator counts from the second variable on
    fine_norm = jackson.lebesgue(jackson.multipliers(fine, k), points=256) if d > 1 else 1.0
    approximation = class_error(terms - 1, k, norm=norm, size=size, d=d)
    approximation += (grid_norm**d + norm**d) * class_error(fine, k, norm=fine_norm, size=size, d=d)
    return approximation


def class_error(degree: int, smoothness: int, *, norm: float, size: float, d: int) -> float:
    """The approximation error of I on all of C^K_B: sum over variables of L^(j-1) 2 Bell(K) B m_K.

    Statements: W13 Theorem 3.2 (degree).

    >>> class_error(62, 2, norm=1.9, size=1.0, d=1)
    0.0165
    """
    per_axis = jackson.approximation_bound(degree, smoothness, derivative=bell(smoothness) * size)
    return per_axis * sum(norm**j for j in range(d))


def noise_of(factors: list[np.ndarray], params: Params, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Standard deviation of each product query's noise, and its largest single scale; (k,).

    >>> noise_of([np.array([[9.0, 1.0]])], Params(d=1, terms=2, epsilon=1, lower=-1, upper=1), 100)
    (array([0.028]), array([0.02]))
    """
    sd = noise_sd(params, n)
    both = []
    for coefficients in product_coefficients(factors, params):
        scaled = np.abs(coefficients) * sd
        both.append((np.linalg.norm(scaled, axis=1), scaled.max(axis=1) / math.sqrt(2)))
    deviations, peaks = zip(*both, strict=True)
    return np.concatenate(deviations), np.concatenate(peaks)


def kernel_norm(queries: GaussianKernels, smoothness: int) -> np.ndarray:
    """||f||_K of Gaussian kernels, exact up to rounding; array (k,).

    Statements: W13 Section 3 (smooth functions).
    In one variable the derivative of order j is He_j(u) exp(-u^2 / 2) / h^j in size, with
    u = (x - c) / h and Hermite's He_j. It is largest at a zero of He_(j+1) or at an end of the box.
    A derivative of the product is a product of such factors, and the box is one of intervals.

    >>> kernel_norm(GaussianKernels(centres=[[0.2]], width=0.5, lower=-1, upper=1), 2)
    array([4.])
    """
    from numpy.polynomial import hermite_e

    checks.instance("queries", queries, GaussianKernels)
    order = checks.integer("smoothness", smoothness, at_least=0, at_most=20)
    queries = queries.unit
    width = queries.width
    largest = np.zeros((order + 1, *queries.centres.shape))
    for j in range(order + 1):
        unit = np.eye(order + 2)[j]
        after = np.eye(order + 2)[j + 1]
        # All are real; on some machines rounding leaves them an imaginary part.
        roots = np.real(hermite_e.hermeroots(np.trim_zeros(after, "b")))
        for u in (*roots, -np.inf, np.inf):
            at = np.clip(u, (-1 - queries.centres) / width, (1 - queries.centres) / width)
            size = np.abs(hermite_e.hermeval(at, unit)) * np.exp(-(at**2) / 2) / width**j
            largest[j] = np.maximum(largest[j], size)
    return _largest_product(largest)


def _largest_product(largest: np.ndarray) -> np.ndarray:
    """The largest product of one factor per variable whose orders add up to K at most; (k,).

    ``largest`` has shape (K + 1, k, d).
    """
    best = largest[:, :, 0]
    for axis in range(1, largest.shape[2]):
        pairs = [
            np.max([best[i] * largest[j - i, :, axis] for i in range(j + 1)], axis=0)
            for j in range(len(largest))
        ]
        best = np.array(pairs)
    return best.max(axis=0)
