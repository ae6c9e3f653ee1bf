"""How far off the answers are: Theorem 3.1 with every constant, and for given questions.

**Paper.** Wang, Fan, Zhang and Wang (2013), Theorems 3.1 and 3.2, Lemmas 4.3 and 4.4.

**Setting.** The release of module ``release``; questions from the class C^K_B (derivatives up
to order K at most B), all at once, or a public list of bumps.

**Idea.** Error is what few waves cannot draw, plus the noise of the moments that the question
weighs. The first falls with the number of waves, the second rises.

**Symbols.**

============  ======================  ========================================  =============
paper         here                    meaning                                   shape, unit
============  ======================  ========================================  =============
alpha, beta   ``error_bound, beta``   error, probability to exceed it           unit of f
K, B          ``smoothness, size``    derivatives up to K are at most B         unit of f
M (4.3)       in the proof            |c_m| <= 2^d L^d B                        unit of f
(none)        ``norm``                L: norm of the operator, one variable     1 to 2.7
============  ======================  ========================================  =============

**Departures.** (1) Theorem 3.1 promises O(n^(-K/(2d+K)) / epsilon) "for any epsilon"; its t
does not depend on epsilon, so what the waves cannot draw stays: the rate is
n^(-K/(2d+K)) max(1, 1/epsilon). (2) Theorem 3.2 promises an error of at most gamma with
degree below gamma^(-1/K), constant 1; a tall kink refutes it. With a constant C(K, d, B), which
is given here, it holds. (3) For given questions the noise adds up in squares, not in sizes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries import jackson
from dpviz.papers.smooth_queries.gaussian_kernel import Bumps
from dpviz.papers.smooth_queries.operators import JACKSON, weights
from dpviz.papers.smooth_queries.release import (
    answer_bumps,
    exact_moments,
    product_answers,
    product_shares,
    release,
    rescaled,
)
from dpviz.papers.smooth_queries.summary import Params, noise_sd
from dpviz.privacy.curator import Curator

BELL = (1, 1, 2, 5, 15)  # of g = f(cos): |D^K g| <= Bell(K) B, by Faa di Bruno


def error_bound(
    params: Params,
    n: int,
    *,
    size: float,
    beta: float,
    operator: str = "jackson 2",
    nodes: int | None = None,
) -> float:
    """Theorem 3.1 with every constant, for all questions of C^K_B at once (tensor tables).

    Proved: with probability 1 - beta every f with derivatives up to K at most ``size`` = B is
    answered within this, its coefficients taken by a Jackson operator I = I_{t-1,K} from a
    grid of ``nodes`` per variable (default 2 t).
    Drawing: each D_j^K g is at most Bell(K) B, so |g - I g| <= s(t - 1), with s(u) = sum_j L^(j-1)
    2 Bell(K) B m_K(u). On the grid I becomes I', of norm at most L'^d,
    L' = (1 + pi t / (2 nodes)) L, and equals I up to degree u = 2 nodes - t, so
    |I' g - I g| <= (L'^d + L^d) s(u). Noise: |c_m| <= 2^d L'^d B, sum |c_m|^2 <= 2^d (L'^d B)^2
    (Parseval); :func:`noise_norm` does the rest.

    Parameters
    ----------
    n : int, records
    size : float > 0, B
    beta : float in (0, 1)
    operator : "jackson K"; K is the smoothness that is used

    >>> params = Params(d=1, waves=63, epsilon=1)
    >>> error_bound(params, 63**4, size=1.0, beta=0.05)
    0.0286
    """
    checks.integer("n", n, at_least=1)
    checks.choice("index", params.index, ("tensor",))
    size, beta = checks.number("size", size, above=0), checks.number("beta", beta, above=0, below=1)
    t, k = params.waves, int(checks.choice("operator", operator, JACKSON)[-1])
    kept = weights(operator, t)
    nodes = 2 * t if nodes is None else checks.integer("nodes", nodes, at_least=t)
    norm = jackson.lebesgue(kept)
    grid_norm = norm * (1 + math.pi * t / (2 * nodes))
    fine = 2 * nodes - t
    fine_norm = jackson.lebesgue(jackson.multipliers(fine, k))
    drawing = class_error(t - 1, k, norm=norm, size=size, d=params.d)
    drawing += (grid_norm**params.d + norm**params.d) * class_error(
        fine, k, norm=fine_norm, size=size, d=params.d
    )
    return drawing + grid_norm**params.d * size * noise_norm(params, n, beta=beta)


def error_bound_bumps(
    params: Params,
    n: int,
    bumps: Bumps,
    *,
    beta: float,
    operator: str = "truncation",
    blind: bool = False,
) -> np.ndarray:
    """The same for a public list of bumps, each with its own bound; array (k,).

    Proved: with probability 1 - beta all k answers of :func:`answer_bumps` are within these.
    Drawing by :meth:`Bumps.drawing` (and by the sum of |c_m| outside the table). Noise: with
    x = ln(2 k / beta), a sum of a_m Lap(b_m) passes sqrt(2 x) sd + x max|a_m| b_m with probability
    at most beta / k (sub-gamma tail; the Gaussian quantile would be too small); a Gaussian one
    its quantile.

    >>> params = Params(d=1, waves=7, epsilon=1)
    >>> error_bound_bumps(params, 569, Bumps(centres=[[0.2]], width=0.5), beta=0.05)
    array([0.049])
    """
    from scipy.special import ndtri

    checks.integer("n", n, at_least=1)
    k = len(bumps.centres) / checks.number("beta", beta, above=0, below=1)
    factors = bumps.within(params.d).factors(params.waves, operator=operator, blind=blind)
    drawing = bumps.drawing(params.waves, operator=operator, blind=blind)
    drawing = drawing + outside(factors, params)
    sd, peak = noise_of(factors, params, n)
    if params.delta:
        return drawing + sd * float(-ndtri(0.5 / k))
    return drawing + math.sqrt(2 * math.log(2 * k)) * sd + math.log(2 * k) * peak


def paper_rate(n: int, *, d: int, smoothness: int, epsilon: float) -> float:
    """Theorem 3.1 as printed, with the constant 1: n^(-K/(2d+K)) / epsilon. No constant is printed.

    >>> paper_rate(569, d=1, smoothness=2, epsilon=1)
    0.0419
    """
    checks.number("epsilon", epsilon, above=0)
    return checks.integer("n", n, at_least=1) ** (-smoothness / (2 * d + smoothness)) / epsilon


def trial(
    params: Params,
    data: Any,
    bumps: Bumps,
    *,
    operator: str = "truncation",
    beta: float = 0.05,
    blind: bool = False,
    rng: checks.Seed,
) -> dict[str, float]:
    """Release once, ask all bumps; the worst errors.

    Returns
    -------
    dict with ``error``, ``mean`` (over the bumps), ``drawing`` (the same without noise),
    ``constant`` (answering without data), ``bound`` (of the error, with probability 1 - beta)

    >>> data, bumps = np.linspace(-1, 1, 99)[:, None], Bumps.draw(5, d=1, width=0.5, rng=0)
    >>> sorted(trial(Params(d=1, waves=7, epsilon=1), data, bumps, rng=1))
    ['bound', 'constant', 'drawing', 'error', 'mean']
    """
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    released, points = release(data, params, curator), rescaled(data, params)
    exact = bumps.mean(points)
    factors = bumps.factors(params.waves, operator=operator, blind=blind)
    drawn = product_answers(exact_moments(points, params), factors, params)
    errors = np.abs(answer_bumps(released, bumps, operator=operator, blind=blind) - exact)
    bounds = error_bound_bumps(
        params, len(points), bumps, beta=beta, operator=operator, blind=blind
    )
    constant = np.prod([factor[:, 0] for factor in bumps.factors(1)], axis=0)
    return {
        "error": float(errors.max()),
        "mean": float(errors.mean()),
        "drawing": float(np.abs(drawn - exact).max()),
        "constant": float(np.abs(constant - exact).max()),
        "bound": float(bounds.max()),
    }


def trial_synthetic(
    params: Params,
    n: int,
    *,
    width: float = 0.5,
    k: int = 400,
    operator: str = "truncation",
    rng: checks.Seed,
) -> dict[str, float]:
    """:func:`trial` on n records whose entries are 2 Beta(2, 3) - 1, and k random bumps.

    >>> trial_synthetic(Params(d=1, waves=6, epsilon=1), 1000, rng=1)["error"] < 0.02
    True
    """
    rng = checks.generator(rng)
    data = 2 * rng.beta(2, 3, (n, params.d)) - 1
    bumps = Bumps.draw(k, d=params.d, width=width, rng=rng)
    return trial(params, data, bumps, operator=operator, blind=True, rng=rng)


def class_error(degree: int, smoothness: int, *, norm: float, size: float, d: int) -> float:
    """The drawing error of I on all of C^K_B: sum over variables of L^(j-1) 2 Bell(K) B m_K.

    >>> class_error(62, 2, norm=1.9, size=1.0, d=1)
    0.0165
    """
    per_axis = jackson.drawing_bound(degree, smoothness, derivative=BELL[smoothness] * size)
    return per_axis * sum(norm**j for j in range(d))


def noise_norm(params: Params, n: int, *, beta: float) -> float:
    """Bound of |<c, noise>| over all c of polynomials that are at most 1; probability 1 - beta.

    |c_m| <= 2^d, and |c|^2 <= 2^d. A sum of b_m Exp(1) passes sum b + sqrt(2 x sum b^2) + x max b
    with probability exp(-x) at most; the length of Gaussian noise passes sqrt(sum s^2) by
    max s sqrt(2 x). (By its sizes it is never bounded better: 2^d sqrt(2 / pi) > 2^(d/2).)

    >>> noise_norm(Params(d=1, waves=2, epsilon=1), 100, beta=0.05)
    0.26
    """
    x, sd = -math.log(beta), noise_sd(params, n)[1:]
    total, length, most = float(sd.sum()), float(np.linalg.norm(sd)), float(sd.max(initial=0.0))
    if not params.delta:
        sizes = total + math.sqrt(2 * x) * length + x * most  # sd = sqrt(2) b
        return 2**params.d * sizes / math.sqrt(2)
    return 2 ** (params.d / 2) * (length + math.sqrt(2 * x) * most)


def noise_of(factors: list[np.ndarray], params: Params, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Standard deviation of each product question's noise, and its largest single scale; (k,).

    >>> noise_of([np.array([[9.0, 1.0]])], Params(d=1, waves=2, epsilon=1), 100)
    (array([0.028]), array([0.02]))
    """
    sd, both = noise_sd(params, n), []
    for shares in product_shares(factors, params):
        scaled = np.abs(shares) * sd
        both.append((np.linalg.norm(scaled, axis=1), scaled.max(axis=1) / math.sqrt(2)))
    deviations, peaks = zip(*both, strict=True)
    return np.concatenate(deviations), np.concatenate(peaks)


def outside(factors: list[np.ndarray], params: Params) -> np.ndarray:
    """Sum of |c_m| over the cube's waves that the table does not hold; array (k,).

    >>> outside([np.ones((1, 2))] * 2, Params(d=2, waves=2, epsilon=1, index="total"))
    array([1.])
    """
    if params.index == "tensor":
        return np.zeros(len(factors[0]))
    whole = np.prod([np.abs(factor).sum(axis=1) for factor in factors], axis=0)
    kept = [np.abs(shares).sum(axis=1) for shares in product_shares(factors, params)]
    return np.maximum(0.0, whole - np.concatenate(kept))
