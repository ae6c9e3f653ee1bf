"""1-cluster problem (Definition 1.2): a practical solver, in seven private steps.

**Paper.** Nissim, Stemmer and Vadhan (2016): the same ideas as GoodRadius and GoodCenter
(modules ``good_radius``, ``good_center``), calibrated for thousands of records instead of billions.

**Setting.** n points of the unit cube; t of them may stand close together. Neighbours replace
one record. Null rows (screened out earlier) count nowhere.

**Idea.** Choose a radius by its score. Lay many randomly shifted grids of boxes, choose one that
has a heavy box, and name that box. The mean of the box is near the cluster, so a smaller ball
about it can be averaged with less noise, twice. At last choose the radius to report: that step
alone says how many rows the ball holds.

**Symbols.**

==============  =================  ==========================================  ================
paper           here               meaning                                     shape, unit
==============  =================  ==========================================  ================
t               ``t``              rows the ball should hold                   count
z               ``z``              radius chosen by its score                  side of cube
(none)          ``loss``           2a: how far the score at z may lie below t  count
(none)          ``side``           of the boxes: c z, c from ``SIDES``         side of cube
y^              ``center``         centre of the published ball                (d,)
(none)          ``shares``         of the zCDP budget, step by step            sum 1
==============  =================  ==========================================  ================

**Departures.** (1) The exponential mechanism over partitions that are laid out beforehand,
instead of AboveThreshold over one after the other: loss (2 / epsilon) ln R instead of
(16 / epsilon) ln 2R. (2) Boxes in all coordinates, no random projection, so no rotation and
no intervals. (3) Steps share one zCDP budget; the average's count is free. (4) The radius
looks at ``sample`` rows at most, at public random positions. (5) What steps 1 to 6 do
for usefulness is measured, not proved; :func:`error_bound` is about step 7, whatever they did.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.small_cluster.one_cluster_params import SLACK, STEPS, Params
from dpviz.papers.small_cluster.one_cluster_steps import (
    averages,
    check_size,
    choose_box,
    choose_radius,
    choose_report,
    nothing,
    report_grid,
)
from dpviz.papers.small_cluster.planted import Planted, plant
from dpviz.papers.small_cluster.radius_quality import grid_points
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees; ``failed`` names the step that found nothing, or is "".

    Attributes
    ----------
    failed : str, "" or one of ``STEPS``
    center : array (d,), NaN if not found
    radius : float, of the published ball; NaN if not found
    holds : float, rows that the ball holds at least, with probability 1 - beta; NaN if not
        found, and in later runs of `several_clusters.release`, where fewer than t rows may be left
    z, side : floats, radius and box side that were chosen (NaN before their step)
    box : array (d,), centre of the box
    means : array (m, d), centres of the three averages, as far as it came
    radii : array (m,), of the balls that were averaged
    """

    failed: str
    center: np.ndarray
    radius: float
    holds: float
    z: float
    side: float
    box: np.ndarray
    means: np.ndarray
    radii: np.ndarray

    @property
    def found(self) -> bool:
        """Whether a ball was published."""
        return not self.failed


def release(
    data: ArrayLike, params: Params, curator: Curator, *, queries: ArrayLike | None = None
) -> Release:
    """Find a ball of about t rows. Costs ``params.epsilon``, ``params.delta``, found or not.

    Proof. In the sub-curator each score moves by at most 1 and ``choose`` costs epsilon^2 / 8;
    the box costs its rho with slack; averages cost theirs. Which rows are averaged is fixed by
    earlier outputs, row by row. The sub-curator's rho and slack imply (epsilon, delta).

    Parameters
    ----------
    data : array (n, d) in the unit cube, private; rows of NaN are not allowed here
    params : Params
    curator : Curator that can pay (epsilon, delta)
    queries : unused; any points may be asked of the release

    Raises
    ------
    ValueError
        If t > n, or t is so small at this budget that step 1 could say nothing; nothing is
        spent then. BudgetExceeded if the curator cannot pay.
    """
    points = grid_points(data, params.size, outside=params.outside)
    check_size(len(points), points.shape[1], params)
    return locate(points, params, sub_curator_for(params, curator))


def sub_curator_for(params: Params, curator: Curator) -> Curator:
    """The sub-curator that pays for all runs. Costs ``params.epsilon``, ``params.delta``."""
    budget = {"epsilon": params.epsilon, "delta": params.delta, "slack": SLACK * params.delta}
    return curator.sub_curator_zcdp(**budget, label="cluster")


def locate(points: np.ndarray, params: Params, curator: Curator) -> Release:
    """One run on rows in grid steps, of which NaN rows are null, paid by a zCDP sub-curator.

    Parameters
    ----------
    points : array (n, d) of whole numbers below ``params.size``, or NaN rows; private
    """
    public_rng = np.random.default_rng(params.seed)
    z, level = choose_radius(points, params, curator, public_rng)
    rows = points / (params.size - 1)
    box, side, inside = choose_box(rows, z, level, params, curator, public_rng)
    if box is None:
        return Release(failed="box", **nothing(params.d) | {"z": z, "side": side})
    means, radii = averages(rows, inside, (box, side, z), params, curator)
    trace = {"z": z, "side": side, "box": box, "means": means, "radii": radii}
    if len(means) < len(radii):
        return Release(failed=STEPS[2 + len(radii)], **nothing(params.d) | trace)
    grid = report_grid(z, params.d)
    gap = params.gap(len(grid))
    chosen = choose_report(rows, means[-1], grid, params.t - gap, curator, params.rho[6])
    radius = float(grid[chosen]) + math.sqrt(params.d) / 2 / (params.size - 1)  # rounding
    return Release("", means[-1], radius, max(0.0, params.t - 2 * gap), **trace)


def answer(release: Release, queries: ArrayLike) -> np.ndarray:
    """Whether points lie in the published ball; nowhere if none was found. Free: post-processing.

    Parameters
    ----------
    queries : array (k, d), public or private points to be screened
    """
    points = checks.queries("queries", queries, len(release.center))
    if not release.found:
        return np.zeros(len(points), dtype=bool)
    return ((points - release.center) ** 2).sum(axis=1) <= release.radius**2


def error_bound(params: Params) -> float:
    """Proved: with probability at least 1 - beta, a published ball lacks at most so many of t rows.

    Whatever steps 1 to 6 did, if t rows are not null. Proof. Of M radii the last covers the
    cube. The least one whose ball holds t - a rows has quality at least 0. The choice loses
    less than a = (2 / epsilon) ln(M / beta), so the ball chosen holds more than t - 2a rows
    (and the ball one size smaller, fewer than t). M is largest for z of one grid step. Half
    a cell's diagonal is added to the radius, because rounding moved no row farther.

    >>> round(error_bound(Params(t=2500, d=2, epsilon=1, delta=1e-6)))
    231
    """
    return 2 * params.gap(len(report_grid(1 / (params.size - 1), params.d)))


def trial(
    params: Params,
    data: Planted | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
    n: int = 10_000,
    spread: float = 0.02,
    shape: str = "ball",
) -> dict[str, float]:
    """Look once for a planted cluster, with fresh public randomness, and compare.

    Parameters
    ----------
    data : Planted, rows and what was planted among them; by default n rows with a cluster of t
    queries : unused
    n, spread, shape : rows, radius and shape (`planted.SHAPES`) where data are not given

    Returns
    -------
    dict with ``error`` (of t rows, those that the ball lacks), ``bound``, ``found``, ``ratio``
    (published radius over ``spread``), ``captured`` (share of the planted rows in the ball),
    ``off`` (centre's distance from the nearest planted centre, over ``spread``), ``z`` over
    ``spread``, ``success`` (found, ratio at most 2, more than half captured)

    >>> trial(Params(t=2000, d=2, epsilon=1, delta=1e-6), rng=1, n=5000)["success"]
    1.0
    """
    rng = checks.generator(rng)
    planted = plant(n, params.t, params.d, spread, shape, rng=rng) if data is None else data
    params = replace(params, seed=int(rng.integers(2**62)))
    found = release(planted.data, params, params.curator(rng=rng))
    inside = answer(found, planted.data)
    away = np.linalg.norm(planted.centers - found.center, axis=1).min(initial=math.inf)
    captured = max((inside[rows].mean() for rows in planted.clusters), default=math.nan)
    ratio = found.radius / planted.spread
    return {
        "error": max(0.0, params.t - inside.sum()),
        "bound": params.t - found.holds,
        "found": float(found.found),
        "ratio": ratio,
        "captured": captured,
        "off": away / planted.spread,
        "z": found.z / planted.spread,
        "success": float(found.found and ratio <= 2 and captured > 0.5),
    }
