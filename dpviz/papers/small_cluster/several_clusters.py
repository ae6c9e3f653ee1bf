"""k-clustering and outlier screening by repeated 1-cluster searches (Observation 3.5).

**Paper.** Nissim, Stemmer and Vadhan (2016), sections 1.1 and 3.3 (Observation 3.5).

**Setting.** As in module ``one_cluster``. Several clusters are sought one after the other, or one
large ball (t = 0.9 n, say), so that a later analysis can leave the outliers out.

**Idea.** A published ball is a public predicate. Rows in an earlier ball become null rows:
they stay in the data, so that n and the neighbours stay what they were, but count nowhere.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
k               ``runs``        clusters sought                               count
h(x)            ``answer``      whether x lies in the ball                    bool
==============  ==============  ============================================  =============

**Departures.** (1) The runs share one zCDP budget, so each costs a k-th of it in rho: about
epsilon / sqrt(k). (2) There is no theorem that balls do not split a cluster.
(3) Only the first run certifies its ball: later ones may have fewer than t rows left, so ``holds``
is NaN there.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.accounting.roots import first
from dpviz.papers.small_cluster import one_cluster
from dpviz.papers.small_cluster.planted import Planted, plant
from dpviz.papers.small_cluster.public_grid import FAR
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import finite_table


def release(
    data: ArrayLike, params: one_cluster.Params, curator: Curator
) -> tuple[one_cluster.Release, ...]:
    """Find ``params.runs`` balls. Costs ``params.epsilon``, ``params.delta`` for all of them.

    Statements: NSV Observation 3.5.

    Parameters
    ----------
    data : array (n, d), private
    params : with ``runs`` >= 1; t is wanted of each ball

    Returns a tuple of releases; ``holds`` is NaN after the first: fewer than t rows may be left.
    Raises ValueError as ``one_cluster.release``, with the share of one run; nothing is spent.
    """
    points = one_cluster.admit(data, params)
    sub_curator = one_cluster.sub_curator_for(params, curator)
    balls = []
    for run in range(params.runs):
        balls.append(
            one_cluster.locate(points, replace(params, seed=params.seed + run), sub_curator)
        )
        points = _screened(points, balls[-1], params.size)
    first, *later = (one_cluster.in_data_units(ball, params) for ball in balls)
    return (first, *(replace(ball, holds=math.nan) for ball in later))


def mean_of_inliers(
    data: ArrayLike, ball: one_cluster.Release, curator: Curator, *, epsilon: float, delta: float
) -> np.ndarray | None:
    """Mean of the rows in a published ball.

    Statements: NSV Section 1.1 (less noise).
    Costs ``epsilon``, ``delta``.

    Its noise is in proportion to the ball's radius, not to the cube's.

    Returns an array (d,), or None if there is no ball or too few rows are found in it.
    """
    rows = finite_table(data)
    if not ball.found:
        return None
    cost = {"epsilon": epsilon, "delta": delta, "label": "mean of inliers"}
    mean = curator.average(rows, center=ball.center, radius=ball.radius, **cost)
    return None if mean is None else mean.center


def paper_rate(params: one_cluster.Params, *, n: int) -> float:
    """Observation 3.5: about how many clusters of n / k rows each: (epsilon n)^(2/3) / d^(1/3).

    Statements: NSV Observation 3.5.

    >>> round(
    ...     paper_rate(
    ...         one_cluster.Params(t=1, d=2, epsilon=1, delta=1e-6, lower=0, upper=1), n=10**6
    ...     )
    ... )
    7937
    """
    return (params.epsilon * n) ** (2 / 3) / params.d ** (1 / 3)


def trial(
    params: one_cluster.Params,
    data: Planted | None = None,
    *,
    rng: checks.Seed,
    n: int = 10_000,
    spread: float = 0.02,
) -> dict[str, float]:
    """Look for several planted balls.

    Parameters
    ----------
    data : Planted, rows and the balls planted among them; by default n rows with ``params.runs``
        balls of t
    n, spread : rows, and radius of the planted balls, where data are not given

    Returns a dict with ``found`` (balls published), ``covered`` (planted centres that lie in one of
    them).

    >>> params = one_cluster.Params(t=2000, d=2, epsilon=2, delta=1e-6, runs=2, lower=0, upper=1)
    >>> trial(params, rng=0, n=6000)["covered"]
    2.0
    """
    rng = checks.generator(rng)
    if data is None:
        data = _plant_several(params, n, spread, rng).within(params.box)
    params = replace(params, seed=int(rng.integers(2**62)))
    balls = release(data.data, params, params.curator(rng=rng))
    inside = np.array([one_cluster.answer(ball, data.centers) for ball in balls])
    return {
        "found": float(sum(ball.found for ball in balls)),
        "covered": float(inside.any(axis=0).sum()),
    }


def most_clusters(params: one_cluster.Params, *, n: int) -> int:
    """The largest number k of clusters of n / k rows at which the solver starts at all.

    Statements: NSV Observation 3.5.
    Each of k runs has a k-th of the zCDP budget, so a choice loses sqrt(k) times as many rows:
    n / k must exceed c sqrt(k) / epsilon, hence k grows as (epsilon n)^(2/3).

    >>> most_clusters(
    ...     one_cluster.Params(t=1, d=2, epsilon=1, delta=1e-6, lower=0, upper=1), n=10**6
    ... )
    265
    """

    def fails(k: int) -> bool:
        """Whether a k-th of the rows is less than a choice may lose."""
        one = replace(params, t=n // k, runs=k, sample=n)
        return one.t <= one.loss

    return first(fails, 0, n + 1) - 1


def _plant_several(
    params: one_cluster.Params, n: int, spread: float, rng: np.random.Generator
) -> Planted:
    """n rows with ``params.runs`` balls of t among them."""
    t = params.t
    runs = params.runs
    balls = [plant(t, t, params.d, spread, rng=rng) for _ in range(runs)]
    rest = rng.uniform(size=(n - runs * t, params.d))
    rows = np.vstack([*(ball.data for ball in balls), rest])
    clusters = tuple(np.arange(n) // t == i for i in range(runs))
    return Planted(rows, clusters, np.vstack([ball.centers for ball in balls]), spread)


def _screened(points: np.ndarray, ball: one_cluster.Release, size: int) -> np.ndarray:
    """The same rows, those in the ball (in sides of the box) null; row by row."""
    inside = one_cluster.answer(ball, np.nan_to_num(points / (size - 1), nan=FAR))
    return np.where(inside[:, None], np.nan, points)
