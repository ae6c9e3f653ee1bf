"""Private release of smooth queries (Algorithms 1 and 2): noisy Chebyshev moments, published once.

**Paper.** Wang, Fan, Zhang and Wang (2013), Algorithms 1 and 2, Theorem 3.1.

**Setting.** n records in a public box of R^d, rescaled to [-1, 1]^d. A query is the mean of
a public smooth function over the records. Neighbours: one record replaced, n public.

**Idea.** Smooth functions are nearly polynomials of low degree. So the means of the Chebyshev
polynomials, noisy once, answer all of them: a higher degree has a smaller bias and more noise.

**Symbols.**

============  ====================  ===========================================  ==============
paper         here                  meaning                                      shape, unit
============  ====================  ===========================================  ==============
D             ``data``              records, private                             (n, d)
t             ``terms``             degrees 0, ..., t - 1 per variable           whole number
t^d           ``size``              N, moments, the constant included            whole number
Su(D)         ``Release.summary``   noisy means of phi_m; the first is 1         (N,)
c             ``queries``           coefficients of each query                   (N,), (k, N)
(none)        ``relative_scales``   r_m: how the noise grows with the degree     (N - 1,)
K             ``smoothness``        derivatives that are bounded                 whole number
beta          ``beta``              failure probability of the error bounds      in (0, 1)
============  ====================  ===========================================  ==============

**Departures.** (1) The noise scale is (1 + kappa_t) t^d / (n epsilon): the paper's lacks kappa_t
and spends (1 + kappa_t) epsilon. (2) The constant moment is 1: no noise. (3) The paper's
t = n^(1/(2d+K)) is one choice (:func:`paper_terms`); ``bounds.by_bound`` has another.
(4) Gaussian noise. (5) The paper's noise is equal on all moments. Noise may grow
with the degree: divide each moment by a public scale r_m, release all with one noise, multiply
again. What a smooth query weighs little may be noisy: the scales v_m^(1/3) (Laplace) and v_m^(1/4)
(Gaussian) of "smoothness" make the expected square of the noise least, over all queries whose
coefficients satisfy sum v_m c_m^2 <= 1 and as each moment moves by 2/n at most (module
``sobolev_ellipsoid``). In one variable they are m^(2K/3) and m^(K/2).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries import moments
from dpviz.papers.smooth_queries.chebyshev import Boxed, Expansion, same_box
from dpviz.privacy.curator import Curator, Promise
from dpviz.privacy.pieces import Exact, Sums, merge
from dpviz.privacy.private_data import unit_points

__all__ = ["merge"]
SUMS = "sums of phi_m"
NOISE_SCALINGS = ("uniform", "smoothness")


@dataclass(frozen=True, kw_only=True)
class Params(Boxed, Promise):
    """The summary's size and its budget; all public.

    Attributes
    ----------
    terms : int >= 1, basis functions per variable: degrees 0, ..., terms - 1
    noise_scaling : how the noise's scale depends on the multi-index m: "uniform", or "smoothness"
        (v_m^(1/3), or v_m^(1/4) for Gaussian noise; v_m: ``moments.derivatives``)
    smoothness : int >= 0, K in v_m and in ``bounds.paper_rate``

    >>> Params(d=0, terms=3, epsilon=1, lower=-1, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: d must be a whole number, at least 1 and at most 64, not 0
    """

    terms: checks.Count
    noise_scaling: str = "uniform"
    smoothness: int = 2

    def __post_init__(self):
        super().__post_init__()
        most = moments.LARGEST_SUMMARY
        if self.size > most:
            raise ValueError(f"terms must give at most {most} moments, not {self.size}: take fewer")
        checks.choice("noise_scaling", self.noise_scaling, NOISE_SCALINGS)
        checks.integer("smoothness", self.smoothness, at_least=0)

    @property
    def size(self) -> int:
        """N, the number of moments, the constant included."""
        return self.terms**self.d


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees.

    Attributes
    ----------
    summary : array (N,), noisy means of phi_m; the first is 1 exactly
    sd : array (N,), standard deviation of each entry's noise, 0 for the first
    sensitivity : float, what the noise was calibrated to, for the means of scaled phi_m
    """

    summary: np.ndarray
    sd: np.ndarray
    params: Params
    n: int
    sensitivity: float

    def clipped(self) -> Release:
        """The same with every moment clipped to [-1, 1], where it must lie. Free."""
        return replace(self, summary=np.clip(self.summary, -1, 1))


def release(data: ArrayLike | Sums, params: Params, curator: Curator) -> Release:
    """Algorithm 1: the summary of noisy moments.

    Statements: W13 Definition 2.1; W13 Algorithm 1.
    Costs ``params.epsilon`` and ``params.delta``, in one charge: Laplace noise by the exact L1
    sensitivity, or Gaussian noise by a proved L2 sensitivity (module ``moments``). With
    scales r_m the moments divided by r_m are released and multiplied again, which is free. One
    term per variable is a constant: nothing is charged.

    Parameters
    ----------
    data : array (n, d), private; or the merged :func:`statistic` of its pieces
    curator : Curator with basic composition

    Raises ValueError or TypeError if ``data`` has another number of columns or is no array of
    finite numbers; if ``params`` or ``curator`` is something else, or the curator cannot compose
    what is asked; BudgetExceeded if it cannot pay.

    >>> curator = Curator(epsilon=1, rng=0)
    >>> found = release([[0.5], [0.7]], Params(d=1, terms=3, epsilon=1, lower=-1, upper=1), curator)
    >>> float(found.summary[0]), found.sensitivity  # (1 + kappa_3) 3 / 2
    (1.0, 1.5625)
    """
    checks.instance("params", params, Params)
    checks.instance("curator", curator, Curator)
    if params.delta and curator.composition != "basic":
        raise ValueError("curator must be made with epsilon and delta, as params has both, not rho")
    sums = data if isinstance(data, Sums) else statistic(data, params)
    scales = relative_scales(params)
    n = sums.n
    summary = np.ones(params.size)
    bound = sensitivity_of(params) / n
    if params.size > 1:
        scaled = exact_moments(sums, params)[1:] / scales  # line "Compute"; the first is 1
        noisy = params.noisy(scaled, curator, l1=bound, l2=bound, label="moments")  # "Sum + Lap"
        summary[1:] = noisy * scales
    return Release(summary, noise_sd(params, n), params, n, bound)


def answer(release: Release, queries: ArrayLike | Expansion) -> float | np.ndarray:
    """Algorithm 2, last line: the inner product with the summary. Free: post-processing.

    Statements: W13 Algorithm 2.

    Parameters
    ----------
    queries : coefficients, array (N,) or (k, N), or an expansion or its (terms,) * d. An
        expansion of which more is left out than kept gives a warning

    Returns a float, or array (k,). Raises ValueError if there is a coefficient for a moment that
    was not released.

    >>> found = release(
    ...     [[0.5]],
    ...     Params(d=1, terms=3, epsilon=1e9, lower=-1, upper=1),
    ...     Curator(epsilon=1e9, rng=0),
    ... )
    >>> answer(found, [1.0, 2.0, 0.0])
    2.0000
    """
    checks.instance("release", release, Release)
    if isinstance(queries, Expansion):
        public = release.params
        same_box("queries", queries.lower, queries.upper, public.lower, public.upper)
        norm = float(np.abs(queries.coefficients).sum() - abs(queries.coefficients.flat[0]))
        if queries.tail > norm:
            warnings.warn(
                f"the function is not smooth enough for {release.params.terms} terms: coefficients "
                f"of total size {queries.tail:.3g} are left out, {norm:.3g} kept",
                stacklevel=2,
            )
        queries = queries.coefficients
    return _inner_products(queries, release.summary, release.params)


def truth(data: ArrayLike, queries: ArrayLike | None, params: Params) -> float | np.ndarray:
    """The exact answers; for ``queries`` None the exact moments, array (N,).

    For comparison only: not private.

    >>> params = Params(d=1, terms=3, epsilon=1, lower=-1, upper=1)
    >>> truth([[0.5], [1.0]], None, params), truth([[0.5], [1.0]], [0.0, 2.0, 0.0], params)
    (array([1.  , 0.75, 0.25]), 1.5)
    """
    exact = exact_moments(rescaled(data, params), params)
    return exact if queries is None else _inner_products(queries, exact, params)


def rescaled(data: ArrayLike, params: Params) -> np.ndarray:
    """The records in [-1, 1]^d, array (n, d), clipped one by one or refused as params say. Private.

    >>> rescaled([[5.0], [99.0]], Params(d=1, terms=3, epsilon=1, lower=0, upper=10)).tolist()
    [[0.0], [1.0]]
    """
    points = unit_points(data, params.lower, params.upper, outside=params.outside)
    if points.shape[1] != params.d:
        raise ValueError(f"data must have d = {params.d} columns")
    points *= 2  # in place: a piece of records does not fit into the cache
    points -= 1
    return points


def statistic(data: ArrayLike, params: Params) -> Sums:
    """What a release needs of some of the records: the sums of phi_m. Private.

    The sums of one piece are those of a matrix product, rounded as it rounds; sums of pieces are
    added without rounding (`dpviz.privacy.pieces.merge`).

    Parameters
    ----------
    data : array (m, d), some of the records

    >>> params = Params(d=1, terms=3, epsilon=1, lower=-1, upper=1)
    >>> both = merge(statistic([[0.5]], params), statistic([[1.0]], params))
    >>> exact_moments(both, params).tolist()
    [1.0, 0.75, 0.25]
    """
    return _sums(rescaled(data, params), params)


def exact_moments(points: np.ndarray | Sums, params: Params) -> np.ndarray:
    """The moments of records in [-1, 1]^d, or of the sums over them; array (N,). Private.

    >>> exact_moments(
    ...     np.array([[0.5]]), Params(d=1, terms=3, epsilon=1, lower=-1, upper=1)
    ... ).tolist()
    [1.0, 0.5, -0.5]
    """
    sums = points if isinstance(points, Sums) else _sums(points, params)
    return sums.value(SUMS, (params.size,)) / sums.n


def _sums(points: np.ndarray, params: Params) -> Sums:
    """Of records in [-1, 1]^d."""
    total = moments.sums(points, params.terms).ravel()
    return Sums(n=len(points), totals={SUMS: Exact.of(total)})


def _padded(coefficients: ArrayLike, params: Params) -> np.ndarray:
    """A tensor of coefficients, with zeros for the further moments; array (N,)."""
    coefficients = checks.queries("queries", coefficients)
    if coefficients.ndim != params.d or max(coefficients.shape) > params.terms:
        wanted = f"({params.size},), (k, {params.size}) or up to {(params.terms,) * params.d}"
        raise ValueError(
            f"queries must have shape {wanted}, not {coefficients.shape}: no other moments were "
            "released"
        )
    return np.pad(coefficients, [(0, params.terms - size) for size in coefficients.shape]).ravel()


def paper_terms(n: int, *, d: int, smoothness: int, delta: float = 0.0) -> int:
    """Algorithm 1's t = n^(1/(2d + K)), with delta section 5's n^(2/(3d + 2K)); rounded down.

    Statements: W13 Algorithm 1; W13 Section 5 (approximate privacy).
    In whole numbers. Trap: in floating point 1000000 ** (1 / 6) is below 10.

    >>> paper_terms(10**6, d=2, smoothness=2), int((10**6) ** (1 / 6))
    (10, 9)
    >>> paper_terms(10**6, d=2, smoothness=2, delta=1e-6)
    15
    """
    d = checks.integer("d", d, at_least=1)
    smoothness = checks.integer("smoothness", smoothness, at_least=0)
    n = checks.integer("n", n, at_least=1)
    power, n = (3 * d + 2 * smoothness, n**2) if delta else (2 * d + smoothness, n)
    if power >= n.bit_length():
        return 1
    t = round(n ** (1 / power))
    while t**power > n:
        t -= 1
    while (t + 1) ** power <= n:
        t += 1
    return t


def relative_scales(params: Params) -> np.ndarray:
    """r_m for every moment but the constant; array (N - 1,).

    >>> how = {"delta": 1e-6, "noise_scaling": "smoothness", "lower": -1, "upper": 1}
    >>> scales = relative_scales(Params(d=1, terms=4, epsilon=1, **how))
    >>> (scales / scales[0]).round(9).tolist()
    [1.0, 2.0, 3.0]
    """
    if params.noise_scaling == "uniform":
        return np.ones(params.size - 1)
    index = moments.multi_indices(params.d, params.terms)[1:]
    return moments.derivatives(index, params.smoothness) ** (1 / 4 if params.delta else 1 / 3)


def sensitivity_of(params: Params) -> float:
    """L1 (delta = 0) or L2 sensitivity of the sums of scaled basis functions: the least proved.

    >>> sensitivity_of(Params(d=2, terms=3, epsilon=1, lower=-1, upper=1))
    9.375
    """
    gauss = 0.5 if params.delta else 0.0
    box = {"lower": -1.0, "upper": 1.0}
    return _sensitivity(replace(params, epsilon=1.0, delta=gauss, beta=0.5, **box))


@lru_cache(maxsize=256)
def _sensitivity(params: Params) -> float:
    """Of what has the same moments, the same scales and the same norm."""
    if params.noise_scaling == "uniform" or params.size == 1:
        tensor = moments.l2_tensor if params.delta else moments.l1_tensor
        return tensor(params.terms, params.d)
    index = moments.multi_indices(params.d, params.terms)[1:]
    every = moments.l2_set if params.delta else moments.l1_set
    return every(1 / relative_scales(params), index)


def noise_sd(params: Params, n: int) -> np.ndarray:
    """Standard deviation of the noise on each moment; array (N,), the first 0.

    >>> noise_sd(Params(d=1, terms=2, epsilon=1, lower=-1, upper=1), 100).round(3)
    array([0.   , 0.028])
    """
    checks.integer("n", n, at_least=1)
    moved = sensitivity_of(params) / n
    return np.append(0.0, params.noise_sd(l1=moved, l2=moved) * relative_scales(params))


def _inner_products(queries: ArrayLike, summary: np.ndarray, params: Params) -> float | np.ndarray:
    """Coefficients times moments."""
    coefficients = checks.queries("queries", queries)
    if coefficients.shape[-1:] != summary.shape:
        coefficients = _padded(coefficients, params)
    with np.errstate(over="ignore", invalid="ignore"):
        answers = coefficients @ summary
    if not np.isfinite(answers).all():
        raise ValueError("queries must have smaller coefficients: an answer is no finite number")
    return answers if np.ndim(answers) else float(answers)
