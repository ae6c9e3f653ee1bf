"""Minimax rate over C^K_B: the summary of the least proved bound, and what a draw of it does.

**Paper.** Beside Wang, Fan, Zhang and Wang (2013), Theorem 3.1, whose exponent K/(2d + K) is not
the best. Under (epsilon, delta) the exponent min(1, K/d), and that no mechanism has a better one,
is due to Ding, He and Zhu (2026), known here from their abstract; proofs, constants and code are
ours. The lower bound with constants is ``dpviz.papers.fat_shattering.smooth_functions``.

**Setting.** The release of module ``release`` with ``noise_scaling`` "smoothness"; all queries of
C^K_B at once, by the Jackson operator for K on a fine grid.

**Idea.** The proved error of t terms is a bias, of order t^(-K), plus a noise that is proportional
to 1/n: (sum v_m^(-1/2)) / n (Gaussian) or (sum v_m^(-1/3))^(3/2) / n (Laplace), so of order
t^(d-K) / n and t^(3d/2-K) / n until the sums converge. Both are known for every t before anything
is spent: take the t of the least sum, or a smaller one that is as good within 5 percent.

**Symbols.**

===========  =====================  =============================================  ============
paper        here                   meaning                                        shape, unit
===========  =====================  =============================================  ============
t            ``terms``              chosen by :func:`plan`                         whole number
(none)       ``most_terms``         the cap on t                                   whole number
alpha        ``error_bound``        error of all queries, probability 1 - beta     unit of f
(none)       ``exponent``           of 1 / (n epsilon) in that error               (0, 1]
(none)       ``worst_ridge``        a member of C^K_1 that is answered badly       unit of f
===========  =====================  =============================================  ============

**Departures.** (1) t is at most 2,000 and t^d at most 65,536, so that a summary stays small. For
K <= d the best t^d is of the order of n, so that the cap ends the fall of the error; for K > d it
is of the order of n^(d/K). (2) Pure privacy: the exponent 2K/(3d) is not the best for K = 1 and
d >= 2, where synthetic data with error of order (epsilon n)^(-1/d) are known (Boedihardjo, Strohmer
and Vershynin 2024; He, Vershynin and Zhu 2023, from whose abstract this is).
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries import bounds, jackson
from dpviz.papers.smooth_queries.chebyshev import chebyshev_nodes
from dpviz.papers.smooth_queries.release import Params, Release, exact_moments, release, rescaled
from dpviz.papers.smooth_queries.sobolev_ellipsoid import noise_bound, supremum

MOST_TERMS = 2000
MOST_MOMENTS = 2**16
MOST_NODES = 2**22  # of a grid
CELLS = 512  # on which the K-th derivative of a ridge is constant
SPARED = 1.05  # a bound that is so much above the least is taken if it needs fewer terms
LADDER = 1.25  # each number of terms that is tried is about this multiple of the one before


def error_bound(params: Params, *, n: int, size: float = 1.0) -> float:
    """``bounds.error_bound`` for the operator of K = ``params.smoothness`` on a fine grid.

    Proved: with probability 1 - beta all f with derivatives up to K at most ``size`` are answered
    within this.

    >>> params = plan(Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1), n=10_000)
    >>> params.terms, error_bound(params, n=10_000)
    (427, 0.00763)
    """
    return bounds.error_bound(params, n=n, size=size, **operator_of(params))


def trial(
    params: Params,
    data: ArrayLike | None = None,
    *,
    n: int = 1000,
    directions: int = 6,
    rng: checks.Seed,
) -> dict[str, float]:
    """One release with the planned number of terms; what it does to the worst query of C^K_1.

    ``params.terms`` is not used. Without ``data`` on n uniform records in [-1, 1]^d. Returns a dict
    with ``error`` (of the worst member that was found: below the worst of the class), ``most``
    (bias and :func:`~dpviz.papers.smooth_queries.sobolev_ellipsoid.supremum` of this draw: above
    it), ``noise`` (the latter), ``bound`` (proved, probability 1 - beta), ``terms``.

    >>> asks = Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1)
    >>> run = trial(asks, n=10_000, rng=0)
    >>> run["error"] < run["most"] < run["bound"] < 0.01
    True
    """
    rng = checks.generator(rng)
    data = rng.uniform(-1, 1, (n, params.d)) if data is None else data
    points = rescaled(data, params)
    params = _planned(params, len(points))
    released = release(data, params, params.curator(rng=rng))
    noise = (released.summary - exact_moments(points, params))[1:]
    moved = supremum(noise, params, **operator_of(params))
    bias = bounds.class_bias(params.terms, d=params.d, size=1.0, **operator_of(params))
    return {
        "error": worst_ridge(released, points, directions=directions),
        "most": bias + moved,
        "noise": moved,
        "bound": error_bound(params, n=len(points)),
        "terms": float(params.terms),
    }


def plan(params: Params, *, n: int, size: float = 1.0) -> Params:
    """The fewest terms whose proved bound is within 5 percent of the least; free.

    The noise has the shape of smoothness.
    Statements: lesson Theorem 6.10.

    Parameters
    ----------
    params : Params, of which ``terms`` and ``noise_scaling`` are replaced
    n : int, records; size : float > 0, B

    Raises ValueError if the least bound is not below B, the error of answering 0 to everything; the
    message says from which n on it is.

    >>> plan(Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1), n=10)
    Traceback (most recent call last):
    ...
    ValueError: n must be at least 73 for a proved error below B = 1, not 10: at 10 it is 7.27
    """
    checks.instance("params", params, Params)
    n = checks.integer("n", n, at_least=1, at_most=bounds.MOST)
    size = checks.number("size", size, above=0)
    _, bias, noise = tried(params)
    least = float((bias + noise / n).min())
    if least >= 1:
        enough = smallest_n(params, error=size, size=size)
        raise ValueError(
            f"n must be at least {enough} for a proved error below B = {size:g}, not {n}: at {n} "
            f"it is {size * least:.3g}"
        )
    return _planned(params, n)


def smallest_n(params: Params, *, error: float, size: float = 1.0) -> int:
    """From how many records on the least proved error of all f in C^K_B is at most ``error``.

    Raises ValueError if it never is, because the bias alone is larger at every number of terms up
    to the cap.

    >>> smallest_n(Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1), error=0.01)
    7282
    """
    checks.instance("params", params, Params)
    size = checks.number("size", size, above=0)
    left = checks.number("error", error, above=0) / size
    terms, bias, noise = tried(params)
    enough = bias < left
    if not enough.any():
        raise ValueError(
            f"error must be above {size * bias.min():.3g}, the bias of {terms[bias.argmin()]} terms"
            f" per variable, the most that are tried (t^d <= {MOST_MOMENTS}), not {error:g}"
        )
    # a hair more, so that rounding does not leave the bound above what was asked
    return math.ceil((noise[enough] / (left - bias[enough])).min() * (1 + 1e-9))


def exponent(params: Params) -> float:
    """Of 1 / (n epsilon) in the proved error, up to logarithms: min(1, K/d), pure min(1, 2K/(3d)).

    >>> exponent(Params(d=3, terms=1, epsilon=1, smoothness=2, lower=-1, upper=1))
    0.444
    """
    dimension = params.d if params.delta else 1.5 * params.d
    return min(1.0, params.smoothness / dimension)


def most_terms(d: int) -> int:
    """The cap on t: 2,000, and t^d at most 65,536.

    >>> [most_terms(d) for d in (1, 2, 3, 4)]
    [2000, 256, 40, 16]
    """
    largest = int(MOST_MOMENTS ** (1 / checks.integer("d", d, at_least=1)) + 1e-9)
    return min(MOST_TERMS, largest)


def operator_of(params: Params) -> dict:
    """The Jackson operator of K, on 16 nodes a term if the grid allows it; public.

    >>> operator_of(Params(d=1, terms=9, epsilon=1, lower=-1, upper=1))
    {'operator': 'jackson 2', 'nodes': 144}
    """
    nodes = min(16 * params.terms, int(MOST_NODES ** (1 / params.d) + 1e-9))
    return {"operator": f"jackson {params.smoothness}", "nodes": max(params.terms, nodes)}


def tried(params: Params) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of terms, and of each the bias and the noise at n = 1, for B = 1; public.

    The proved error is bias + noise / n.

    >>> terms, bias, noise = tried(Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1))
    >>> int(terms[-1]), bool(np.diff(bias).max() < 0), float(noise[-1])
    (1999, True, 72.7)
    """
    checks.integer("smoothness", params.smoothness, at_least=1, at_most=12)
    return _curve(replace(params, terms=1, noise_scaling="smoothness", lower=-1, upper=1))


def worst_ridge(released: Release, points: np.ndarray, *, directions: int) -> float:
    """The largest error that is found of f(x) = F(a x), |a|_1 <= 1: members of C^K_1 (or limits).

    For each direction a it is the largest over all F with F^(K) constant on ``CELLS`` cells of
    [-1, 1] and no derivative below K at 0: |F^(j)| <= 1 then, and D^k f is a product of at most K
    numbers a_i times F^(|k|). The error is linear in F^(K), which so is +1 or -1 in each cell. The
    answer is a weighted sum of f over the grid, and the truth is one over the records.

    Parameters
    ----------
    points : array (n, d) in [-1, 1]^d
    directions : int >= 1: the first d are the axes; in one variable the axis is the only one

    >>> params = plan(Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1), n=10_000)
    >>> points = np.zeros((10_000, 1))
    >>> worst_ridge(release(points, params, params.curator(rng=0)), points, directions=1) < 0.005
    True
    """
    params = released.params
    d = params.d
    axis = chebyshev_nodes(operator_of(params)["nodes"])
    weights = _answer_weights(released)
    drawn = np.random.default_rng(0).uniform(-1, 1, (max(1, directions), d))
    drawn[:d] = np.eye(d)[: len(drawn)]
    drawn /= np.abs(drawn).sum(axis=1, keepdims=True)
    errors = []
    for a in drawn[:1] if d == 1 else drawn:
        places = np.zeros(())
        for step in a:
            places = np.add.outer(places, step * axis)
        truths = np.full(len(points), -1 / len(points))
        both = np.append(places.ravel(), points @ a), np.append(weights.ravel(), truths)
        errors.append(_worst_profile(*both, params.smoothness))
    return max(errors)


def _worst_profile(places: np.ndarray, weights: np.ndarray, smoothness: int) -> float:
    """The largest sum of w_j F(s_j) over F as in :func:`worst_ridge`: sum of |effect of a cell|."""
    edges = np.linspace(0, 1, CELLS // 2 + 1)
    total = 0.0
    for sign in (1, -1):
        side = sign * places > 0
        s = sign * places[side]
        cell = np.minimum((s * (len(edges) - 1)).astype(int), len(edges) - 2)
        # for each edge e the sum over s > e of w (s - e)^K / K!, by powers of s in cells above
        powers = []
        for j in range(smoothness + 1):
            sums = np.bincount(cell, weights[side] * s**j, minlength=len(edges) - 1)
            powers.append(np.append(sums[::-1].cumsum()[::-1], 0.0))
        beyond = sum(
            math.comb(smoothness, j) * powers[j] * (-edges) ** (smoothness - j)
            for j in range(smoothness + 1)
        )
        total += float(np.abs(np.diff(beyond)).sum()) / math.factorial(smoothness)
    return total


def _answer_weights(released: Release) -> np.ndarray:
    """The answer to f is the sum of these times f over the grid; array (nodes,) * d."""
    from scipy.fft import dctn

    params = released.params
    how = operator_of(params)
    multipliers = jackson.operator_weights(how["operator"], params.terms)
    weighed = released.summary.reshape((params.terms,) * params.d)
    for i in range(params.d):
        weighed = np.moveaxis(np.moveaxis(weighed, i, -1) * multipliers, -1, i)
    padded = np.pad(weighed, [(0, how["nodes"] - params.terms)] * params.d)
    return dctn(padded, type=3) / how["nodes"] ** params.d


def _planned(params: Params, n: int) -> Params:
    """The summary that :func:`plan` takes, even where its bound says nothing."""
    terms, bias, noise = tried(params)
    total = bias + noise / n
    limit = SPARED * total.min()
    if total.min() < 1:
        limit = min(limit, 1.0)
    fewest = int(terms[(total <= limit).argmax()])
    return replace(params, terms=fewest, noise_scaling="smoothness")


@lru_cache(maxsize=64)
def _curve(params: Params) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of terms, and of each the bias and the noise at n = 1, for B = 1."""
    terms, bias = _biases(params.d, params.smoothness)
    each = [replace(params, terms=t) for t in terms.tolist()]
    return terms, bias, np.array([noise_bound(one, 1, **operator_of(one)) for one in each])


@lru_cache(maxsize=64)
def _biases(d: int, smoothness: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of terms, and of each the bias, for B = 1: no budget changes it.

    A Jackson kernel's degree is a multiple of its order, so only such t - 1 are tried.
    """
    order = jackson.order(smoothness)
    most = (most_terms(d) - 1) // order
    if not most:
        raise ValueError(
            f"d must be smaller for smoothness {smoothness}: its operator needs {order + 1} terms "
            f"per variable, and at most {most_terms(d)} are tried, so that t^d <= {MOST_MOMENTS}"
        )
    steps = [most]
    step = 1.0
    while step < most:
        steps.append(int(step))
        step = max(step + 1, step * LADDER)
    terms = order * np.array(sorted(set(steps))) + 1
    public = Params(d=d, terms=1, epsilon=1.0, smoothness=smoothness, lower=-1, upper=1)
    how = {t: operator_of(replace(public, terms=t)) for t in terms.tolist()}
    bias = [bounds.class_bias(t, d=d, size=1.0, **each) for t, each in how.items()]
    return terms, np.array(bias)
