"""Moment matching: the distribution on a grid with the nearest Chebyshev moments.

**Paper.** Beside Wang, Fan, Zhang and Wang (2013): Musco, Musco, Rosenblatt and Singh, *Sharper
bounds for Chebyshev moment matching, with applications* (2025).

**Setting.** A summary of noisy moments was released (module ``release``); everybody may do with it
what they like.

**Idea.** Noisy moments belong to no records. The nearest moments that some records have are free,
and much of the noise is gone, because few moments are possible together. And a distribution
answers every query, not only the smooth ones.

**Symbols.**

=========  =================  ==================================================  ============
paper      here               meaning                                             shape
=========  =================  ==================================================  ============
k          ``terms``          moments of degree below t in each variable          whole number
g          ``nodes``          Chebyshev nodes of the grid, per variable           whole number
q          ``Release``        a distribution over the grid                        (nodes^d,)
=========  =================  ==================================================  ============

**Departures.** The paper weighs the moments by 1 / degree, in one variable; here each is weighed by
its own noise, whatever its shape, in any number of variables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries import moments
from dpviz.papers.smooth_queries import release as summary
from dpviz.papers.smooth_queries.chebyshev import chebyshev_nodes
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, synthetic

LARGEST = 4096  # nodes of a grid
EXACT = 100  # times as much as any other moment the known first one weighs


@dataclass(frozen=True, eq=False)
class Release:
    """A public distribution over the nodes of a grid.

    Attributes
    ----------
    params : of the summary
    places : array (nodes^d, d) in [-1, 1]
    distribution : array (nodes^d,), at least 0, sum 1
    """

    params: summary.Params
    places: np.ndarray
    distribution: np.ndarray


def answer(release: Release, queries: GaussianKernels) -> np.ndarray:
    """The queries' means under the distribution; array (k,). Free: post-processing.

    >>> params = summary.Params(d=1, terms=1, epsilon=1.0)
    >>> queries = GaussianKernels(centres=[[0.5]], width=1.0, lower=-1, upper=1)
    >>> answer(Release(params, np.array([[0.5]]), np.ones(1)), queries)
    array([1.])
    """
    checks.instance("queries", queries, GaussianKernels)
    params = release.params
    own = queries.in_box(params.lower, params.upper, params.d)
    return release.distribution @ own.value(release.places)


def trial(
    params: summary.Params,
    data: ArrayLike | None = None,
    queries: GaussianKernels | None = None,
    *,
    nodes: int = 32,
    n: int = 1000,
    k: int = 100,
    width: float = 0.5,
    rng: checks.Seed,
) -> dict[str, float]:
    """One summary: its matched answers' largest error, and how far its moments were moved.

    Without ``data`` and ``queries`` on n records and k kernels of ``gaussian_kernel.synthetic``.

    >>> trial(summary.Params(d=1, terms=8, epsilon=1.0), n=10_000, k=9, rng=1)["error"] < 0.01
    True
    """
    rng = checks.generator(rng)
    box = {"lower": params.lower, "upper": params.upper}
    data, queries = synthetic(data, queries, d=params.d, n=n, k=k, width=width, **box, rng=rng)
    noisy = summary.release(data, params, params.curator(rng=rng))
    matched = nearest(noisy, nodes=nodes)
    exact = queries.in_box(**box, d=params.d).mean(summary.rescaled(data, params))
    moved = noisy.summary - moments_on(matched.places, params) @ matched.distribution
    return {
        "error": float(np.abs(answer(matched, queries) - exact).max()),
        "moved": float(np.abs(moved).max()),
    }


def nearest(noisy: summary.Release, *, nodes: int) -> Release:
    """The distribution on a grid of Chebyshev nodes whose moments are nearest; free.

    Nearest in least squares, each moment in units of its noise; non-negative, by Lawson and
    Hanson's algorithm.

    Parameters
    ----------
    noisy : release of ``release``
    nodes : int >= 1, nodes^d of at most 4,096

    >>> params = summary.Params(d=1, terms=3, epsilon=1e9)
    >>> noisy = summary.release([[0.0]] * 9, params, params.curator(rng=0))
    >>> found = nearest(noisy, nodes=3)
    >>> found.places.ravel().round(2).tolist(), found.distribution.round(3).tolist()
    ([0.87, 0.0, -0.87], [0.0, 1.0, 0.0])
    """
    from scipy.optimize import nnls

    checks.instance("noisy", noisy, summary.Release)
    params = noisy.params
    if checks.integer("nodes", nodes, at_least=1) ** params.d > LARGEST:
        raise ValueError(f"nodes must satisfy nodes^d <= {LARGEST}, not {nodes}^{params.d}")
    axis = chebyshev_nodes(nodes)
    places = np.stack(np.meshgrid(*[axis] * params.d, indexing="ij"), -1).reshape(-1, params.d)
    if len(noisy.summary) == 1:
        return Release(params, places, np.full(len(places), 1 / len(places)))
    weights = np.append(EXACT / noisy.sd[1:].min(), 1 / noisy.sd[1:])
    table = weights[:, None] * moments_on(places, params)
    shares = nnls(table, weights * noisy.summary, maxiter=100 * len(places))[0]
    return Release(params, places, shares / shares.sum())


def moments_on(places: np.ndarray, params: summary.Params) -> np.ndarray:
    """The basis functions of a summary at places in [-1, 1]^d; array (N, places).

    >>> moments_on(np.array([[0.5]]), summary.Params(d=1, terms=3, epsilon=1.0)).ravel()
    array([ 1. ,  0.5, -0.5])
    """
    degrees = np.arange(params.terms)[:, None]
    index = moments.multi_indices(params.index_set, params.d, params.terms)
    table = np.ones((len(index), len(places)))
    for variable in range(params.d):
        waves = np.cos(degrees * np.arccos(places[:, variable]))
        table *= waves[index[:, variable]]
    return table
