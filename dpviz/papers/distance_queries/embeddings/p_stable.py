"""p-stable projections (Indyk's sketch): l_p into l1 for 1 < p <= 2, importance-sampled.

**Paper.** Huang and Roth (2014), section 4.2, the remark after Theorem 10.

**Setting.** As in module ``johnson_lindenstrauss``, with the l_p norm. The map ignores records and
queries.

**Idea.** A p-stable sum of a vector's entries is as large as its l_p norm times a number of
fixed law. The law has no variance for p < 2, so a plain average converges slowly. Draw each
row with weight proportional to its own l1 norm and divide by it: the mean stays exact, and no
row can be large any more.

**Symbols.**

=========  ==============  =============================================  ===============
paper      here            meaning                                        shape, unit
=========  ==============  =============================================  ===============
l          d               coordinates of a record
l'         ``target``      number of projections
p          ``p``           the norm                                       (1, 2]
(none)     S               p-stable: E exp(i t S) = exp(-|t|^p)
(none)     theta           an importance-sampled row, S / ||S||_1         (d,), l1 norm 1
=========  ==============  =============================================  ===============

**Departures.** The paper remarks that Lemma 9 also holds for l_p. As a statement about what
exists that is not disputed here; but the analogue of its l2 construction (``method="plain"``)
does not have O(1 / alpha^2) dimensions: its error falls like l'^-(1 - 1/p), l'^-0.09 at
p = 1.1. The size-biased rows (``method="importance-sampled"``) are beyond the paper: exact in
expectation, with a proved O(d / alpha^2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.l1_embedding import Linear, distances, linear, measure
from dpviz.privacy.box import Box

METHODS = ("importance-sampled", "plain")
CELLS = 4096  # of the tabulated angle; its law is smooth, so halving them moves means by < 1e-5


@dataclass(frozen=True, kw_only=True)
class Params(checks.Declared):
    """Size and method of the map and the public box of the records.

    Attributes
    ----------
    d, target : int >= 1; p : float, 1 < p <= 2
    method : "importance-sampled" (rows size-biased, recommended) or "plain" (the textbook's average
        of p-stable projections, to see it fail)
    lower, upper : float or d floats, the public box
    beta : float in (0, 1), failure probability of the bound

    >>> Params(d=5, target=10, p=1.0, lower=0, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: p must be a number with 1 < p <= 2, not 1.0
    """

    d: checks.Count
    target: checks.Count
    p: float
    method: str = "importance-sampled"
    lower: float | tuple[float, ...]
    upper: float | tuple[float, ...]
    beta: checks.Share = 0.05

    def __post_init__(self):
        super().__post_init__()
        if not 1 < checks.number("p", self.p) <= 2:
            raise ValueError(f"p must be a number with 1 < p <= 2, not {self.p!r}")
        checks.choice("method", self.method, METHODS)
        Box.of(self.d, lower=self.lower, upper=self.upper)

    def draw(self, *, rng: checks.Seed) -> Linear:
        """Draw the map, independently of records and queries.

        >>> row = Params(d=4, target=2, p=1.1, lower=0, upper=1).draw(rng=0).matrix[0]
        >>> round(float(abs(row).sum()), 12)  # d / target
        2.0
        """
        rng = checks.generator(rng)
        shape = (self.target, self.d)
        if self.method == "plain":
            logs, signs = _log_stable(self.p, shape, rng=rng)
            matrix = signs * np.exp(logs) / (_mean_size(self.p) * self.target)
        else:
            matrix = importance_sampled_rows(self.p, shape, rng=rng) * (self.d / self.target)
        return linear(matrix, self.lower, self.upper)


def error_bound(params: Params, *, k: int) -> float:
    """Proved, importance-sampled: with probability 1 - beta no average of k has a larger error.

    Relative error. Proof. One projection's share Z of an average lies in [0, d F], because |<theta,
    u>| <= max|u_i| <= ||u||_p, and has mean F. So its variance is at most F (d F) - F^2 = (d - 1)
    F^2. Bernstein's inequality for l' independent projections and a union over k queries: 2 k
    exp(-l' a^2 / (2 (d - 1) (1 + a / 3))) = beta, solved for a. The queries are fixed before the
    map is drawn. For the plain average nothing of this kind holds (no variance): infinity, except
    at p = 2, where module ``johnson_lindenstrauss`` has the proof.

    >>> round(error_bound(Params(d=10, target=4000, p=1.1, lower=0, upper=1), k=100), 2)
    0.2
    """
    if params.method == "plain" and params.p < 2:
        return math.inf
    logs = math.log(2 * checks.integer("k", k, at_least=1) / params.beta)
    if params.method == "plain":
        return math.sqrt(math.pi * logs / params.target)
    c = 2 * (params.d - 1) * logs / params.target  # a^2 = c (1 + a / 3)
    return c / 6 + math.sqrt(c * c / 36 + c)


def trial(
    params: Params, data: ArrayLike, queries: ArrayLike, *, rng: checks.Seed
) -> dict[str, float]:
    """Draw one map and measure what it distorts.

    Returns a dict with ``error`` (largest relative error of an average), ``bound``, ``distortion``
    (expansion times contraction), ``median`` (of embedded over true distance).

    >>> found = trial(
    ...     Params(d=2, target=900, p=1.5, lower=0, upper=1), [[0, 0], [1, 0]], [[0.5, 0.5]], rng=1
    ... )
    >>> found["error"] <= found["bound"]
    True
    """
    from scipy.spatial.distance import cdist

    true = cdist(data, queries, "minkowski", p=params.p)
    distortion = measure(true, distances(params.draw(rng=rng), data, queries))
    return {
        "error": distortion.average_error,
        "bound": error_bound(params, k=len(queries)),
        "distortion": distortion.expansion * distortion.contraction,
        "median": distortion.median,
    }


def _mean_size(p: float) -> float:
    """E|S| = (2 / pi) Gamma(1 - 1/p) of the p-stable law with E exp(i t S) = exp(-|t|^p)."""
    return 2 / math.pi * math.gamma(1 - 1 / p)


def _log_stable(
    p: float, shape: tuple[int, ...], *, rng: np.random.Generator, sized: bool = False
) -> tuple[NDArray, NDArray]:
    """log|S| and the sign of p-stable draws; ``sized`` draws from |s| f(s) / E|S| instead.

    S = sqrt(2 A) N with N normal and A positive (p/2)-stable by Kanter's formula (1975),
    A = (K(U) / E)^((1 - a) / a), a = p/2. The size |S| is a product of powers of N, E and
    U, so weighting by it weights each factor by itself: sqrt(2 Exp), a Gamma variable, and an
    angle with density K^((1 - a) / 2a). Logarithms keep p near 1 from overflowing.
    """
    a, power = p / 2, (2 - p) / (2 * p)  # |S| = sqrt(2) |N| (K / E)^power
    signs = rng.choice([-1.0, 1.0], shape)
    sizes = (
        np.sqrt(2 * rng.exponential(size=shape)) if sized else np.abs(rng.standard_normal(shape))
    )
    logs = 0.5 * math.log(2) + np.log(sizes)
    if p < 2:
        waiting = rng.gamma(1 - power, size=shape) if sized else rng.exponential(size=shape)
        log_gap = (
            _gaps(p, rng.uniform(size=shape)) if sized else np.log(rng.uniform(0, np.pi, shape))
        )
        logs += power * (_log_k(log_gap, a) - np.log(waiting))
    return logs, signs


def importance_sampled_rows(
    p: float, shape: tuple[int, int], *, rng: np.random.Generator
) -> NDArray:
    """Rows theta with l1 norm 1 and E|<theta, u>| = ||u||_p / d for every u; shape (m, d).

    Statements: HR Section 4.2 (l_p).
    One entry of each row, chosen evenly, is drawn from the size-biased law, the others from
    the law itself. Such a row S has density f(s_1) ... f(s_d) ||s||_1 / (d E|S|); divided by
    its norm, it has d E|<theta, u>| = E|<S, u>| / E|S| = ||u||_p.

    >>> theta = importance_sampled_rows(1.1, (3, 5), rng=np.random.default_rng(0))
    >>> abs(theta).sum(axis=1).round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    logs, signs = _log_stable(p, shape, rng=rng)
    chosen = (np.arange(shape[0]), rng.integers(shape[1], size=shape[0]))
    logs[chosen], signs[chosen] = _log_stable(p, (shape[0],), rng=rng, sized=True)
    sizes = np.exp(logs - logs.max(axis=1, keepdims=True))
    return signs * sizes / sizes.sum(axis=1, keepdims=True)


def _log_k(log_gap: NDArray, a: float) -> NDArray:
    """log K(u) at u = pi - gap, from log gap: near u = pi the gap keeps what u has lost.

    K(u) = sin((1-a) u) sin(a u)^(a / (1-a)) / sin(u)^(1 / (1-a)); sin(u) = sin(gap).
    """
    gap = np.exp(log_gap)
    log_sine = log_gap + np.log(np.sinc(gap / np.pi))
    top = np.log(np.sin((1 - a) * (np.pi - gap)))
    return top + (a * np.log(np.sin(a * (np.pi - gap))) - log_sine) / (1 - a)


def _gaps(p: float, uniform: NDArray) -> NDArray:
    """log of pi - U, U with density K^((1 - a) / 2a), by a tabulated inverse.

    The density is like gap^(-1/p) at the end; in v = gap^(1 - 1/p) it is flat there.
    """
    edges = np.linspace(0, np.pi ** (1 - 1 / p), CELLS + 1)
    log_v = np.log((edges[1:] + edges[:-1]) / 2)
    log_gap = log_v * p / (p - 1)
    weight = np.exp((2 - p) / (2 * p) * _log_k(log_gap, p / 2) + log_v / (p - 1))
    v = np.interp(uniform, np.append(0, np.cumsum(weight) / weight.sum()), edges)
    return np.log(v) * p / (p - 1)
