"""Private measure: noisy counts on a binary partition of the box, made consistent.

**Paper.** Beside Wang, Fan, Zhang and Wang (2013): He, Vershynin and Zhu, *Algorithmically
effective differentially private synthetic data* (COLT 2023), after Boedihardjo, Strohmer and
Vershynin, *Private measures, random walks, and synthetic data* (PTRF 2024).

**Setting.** n private records in a public box; a distribution over small cells is published, from
which every Lipschitz query can be answered.

**Idea.** Halve the box along one variable after the other and count the records in every part, with
noise that is shaped by the level: small parts are many, so their noise adds up, but moving mass
inside a small part costs little. Then share each part's count out among its halves.

**Symbols.**

=========  ==================  =================================================  =============
paper      here                meaning                                            shape
=========  ==================  =================================================  =============
r          ``depth``           levels below the whole box                         whole number
sigma_j    ``noise_scales``    scale of the noise on level j = 1 ... r            (r,)
nu         ``Release``         a distribution over the cells of level r           (2^r,)
W_1        ``transport_cost``  what it costs to repair all levels, bounds W_1     float
=========  ==================  =================================================  =============

**Departures.** (1) Neighbours replace a record and n is public, so the whole box is counted without
noise, and a record moves two counts of a level. (2) Real Laplace noise for whole numbers, and
Gaussian noise where a delta is given. (3) Halves are made consistent by sharing out what they lack
equally, then by clipping; the paper leaves the choice free. (4) Mass stands at the cells' middles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries.chebyshev import Boxed
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.release import rescaled
from dpviz.privacy.curator import Curator

DEEPEST = 14  # levels that are chosen: 2^14 cells


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """Budget and partition; all public.

    Attributes
    ----------
    depth : int in [1, 20]

    >>> Params(d=1, epsilon=1.0, depth=0, lower=-1, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: depth must be a whole number, at least 1 and at most 20, not 0
    """

    depth: int

    def __post_init__(self):
        super().__post_init__()
        checks.integer("depth", self.depth, at_least=1, at_most=20)


@dataclass(frozen=True, eq=False)
class Release:
    """A public distribution over the cells of the last level.

    Attributes
    ----------
    distribution : array (2^depth,), at least 0, sum 1
    """

    params: Params
    distribution: np.ndarray


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """Count on every level, with noise, and share out. Costs ``epsilon`` and ``delta``, at once.

    Proof. Level j's counts are multiplied by a public weight a_j first. A replaced record leaves
    one part of each level and enters one, so it moves the weighted counts by at most 2 sum(a_j) in
    L1 and sqrt(2 sum(a_j^2)) in L2. The rest is post-processing.

    >>> params = Params(d=1, epsilon=100.0, depth=3, lower=-1, upper=1)
    >>> release([[0.9]] * 50, params, params.curator(rng=0)).distribution.round(2).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    points = rescaled(data, params)
    levels = _level_counts(points, params)
    weights = _level_weights(params)
    scaled = np.concatenate([w * level for w, level in zip(weights, levels, strict=True)])
    noisy = params.noisy(scaled, curator, **_moved(weights), label="counts of all levels")
    blocks = np.split(noisy, 2 ** np.arange(2, params.depth + 1) - 2)
    counts = [block / w for w, block in zip(weights, blocks, strict=True)]
    return Release(params, _shared_out(counts, len(points)) / len(points))


def answer(release: Release, queries: GaussianKernels) -> np.ndarray:
    """The queries' means under the distribution; array (k,). Free: post-processing.

    >>> params = Params(d=1, epsilon=1.0, depth=1, lower=-1, upper=1)
    >>> queries = GaussianKernels(centres=[[0.5]], width=1.0, lower=-1, upper=1)
    >>> answer(Release(params, np.array([0.0, 1.0])), queries)
    array([1.])
    """
    checks.instance("queries", queries, GaussianKernels)
    params = release.params
    inside = release.distribution > 0
    own = queries.in_box(params.lower, params.upper, params.d)
    values = own.value(_cell_middles(params)[inside])
    return release.distribution[inside] @ values


def _depth_for(n: int, *, epsilon: float) -> int:
    """The paper's depth: as many levels as log2(epsilon n), of at most 14; public."""
    levels = math.log2(max(2.0, checks.number("epsilon", epsilon, above=0) * n))
    return min(DEEPEST, max(1, math.ceil(levels)))


def params_for(n: int, *, epsilon: float, delta: float = 0.0, **public: Any) -> Params:
    """Params at the paper's depth, with the noise of which all levels together need less; public.

    Parameters
    ----------
    delta : float in [0, 1); with 0 the noise is Laplace
    public : the other fields of :class:`Params`

    >>> how = {"d": 1, "lower": -1, "upper": 1, "epsilon": 1.0, "delta": 1e-6}
    >>> [bool(params_for(n, **how).delta) for n in (4, 4000)]
    [False, True]
    """
    pure = Params(depth=_depth_for(n, epsilon=epsilon), epsilon=epsilon, **public)
    if not delta:
        return pure
    return min(pure, replace(pure, delta=delta), key=_expected_noise)


def _level_weights(params: Params) -> np.ndarray:
    """What the counts of levels 1 ... r are multiplied by; array (r,).

    They minimise sum_j 2^j delta_j sigma_j, the noise of a level times the side delta_j = 2^(-j/d)
    of a part, under the budget: sum 1/sigma_j fixed for Laplace noise, so 1/sigma_j ~ (2^j
    delta_j)^(1/2), the paper's; sum 1/sigma_j^2 for Gaussian noise, so 1/sigma_j ~ (2^j
    delta_j)^(1/3).
    """
    levels = np.arange(1, params.depth + 1)
    spread = 2 ** (levels * (1 - 1 / params.d))
    return spread ** (1 / 3 if params.delta else 1 / 2)


def _noise_scales(params: Params) -> np.ndarray:
    """Laplace scale, or standard deviation, of the counts of levels 1 ... r; array (r,)."""
    weights = _level_weights(params)
    return params.noise_scale(**_moved(weights)) / weights


def _moved(weights: np.ndarray) -> dict[str, float]:
    """How far a replaced record moves the weighted counts, in either norm."""
    return {"l1": 2 * float(weights.sum()), "l2": math.sqrt(2 * float(weights @ weights))}


def _expected_noise(params: Params) -> float:
    """The sum of the proof: standard deviations of all counts times the sides of their parts.

    Over n it bounds what the noise adds to the transport cost, up to a constant.
    """
    levels = np.arange(1, params.depth + 1)
    spread = 2 ** (levels * (1 - 1 / params.d))
    law = 1.0 if params.delta else math.sqrt(2)
    return law * float(spread @ _noise_scales(params))


def _level_counts(points: np.ndarray, params: Params) -> list[np.ndarray]:
    """Records in each part of levels 1 ... r: arrays (2,), (4,), ..., (2^r,); private."""
    place = np.zeros(len(points), dtype=int)
    unit = np.clip((points + 1) / 2, 0, np.nextafter(1, 0))
    for level in range(params.depth):
        fine = (unit[:, level % params.d] * 2 ** (level // params.d + 1)).astype(int)
        place = 2 * place + fine % 2
    levels = [np.bincount(place, minlength=2**params.depth)]
    while len(levels) < params.depth:
        levels.append(levels[-1][::2] + levels[-1][1::2])
    return levels[::-1]


def _shared_out(counts: list[np.ndarray], total: float) -> np.ndarray:
    """Counts of the last level, at least 0, that add up to ``total``; free.

    From the top: what two halves lack of their part is shared between them equally, and a half
    below 0 gives the whole part to the other.
    """
    whole = np.array([float(total)])
    for level in counts:
        first = level[::2]
        lack = whole - first - level[1::2]
        one = np.clip(first + lack / 2, 0.0, whole)
        whole = np.column_stack([one, whole - one]).ravel()
    return whole


def _cell_middles(params: Params) -> np.ndarray:
    """Middles of the cells of the last level in [-1, 1]^d; array (2^r, d)."""
    codes = np.arange(2**params.depth)
    middles = np.zeros((len(codes), params.d))
    for level in range(params.depth):
        bit = (codes >> (params.depth - 1 - level)) & 1
        middles[:, level % params.d] += (2 * bit - 1) * 2.0 ** -(level // params.d + 1)
    return middles
