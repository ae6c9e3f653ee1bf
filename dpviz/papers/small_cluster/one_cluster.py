"""The practical solver: find a ball that holds about t rows, in seven paid steps.

**Paper.** Nissim, Stemmer and Vadhan (2016): the same ideas as GoodRadius and GoodCenter
(modules ``good_radius``, ``good_center``), calibrated for thousands of records instead of billions.

**Setting.** n points of the unit cube; t of them may stand close together. Neighbours replace
one record. Null rows (screened out earlier) count nowhere.

**Idea.** Choose a radius by its score. Lay many shifted grids of boxes; choose one in which
some box is full, and that box. The mean of the box is near the cluster, so a smaller ball
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
looks at ``sample`` rows at most, at positions drawn by public coins. (5) What steps 1 to 6 do
for usefulness is measured, not proved; :func:`error_bound` is about step 7, whatever they did.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.small_cluster.one_cluster_plan import SLACK, STEPS, Params
from dpviz.papers.small_cluster.one_cluster_steps import (
    averages,
    check_size,
    choose_box,
    choose_radius,
    choose_report,
    nothing,
    report_grid,
)
from dpviz.papers.small_cluster.planted import plant
from dpviz.papers.small_cluster.radius_quality import grid_points


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


def release(data: Any, params: Params, curator: Any) -> Release:
    """Find a ball of about t rows. Costs ``params.epsilon``, ``params.delta``, found or not.

    Proof. In the part: each score moves by at most 1 and ``choose`` costs epsilon^2 / 8; the
    box costs its rho with slack; averages cost theirs. Which rows are averaged is fixed by
    earlier outputs, row by row. The part's rho and slack imply (epsilon, delta).

    Parameters
    ----------
    data : array (n, d) in the unit cube, private; rows of NaN are not allowed here
    params : Params
    curator : Curator that can pay (epsilon, delta)

    Raises
    ------
    ValueError
        If t > n, or t is so small at this budget that step 1 could say nothing; nothing is
        spent then. BudgetExceeded if the curator cannot pay.
    """
    points = grid_points(data, params.size, outside=params.outside)
    check_size(len(points), points.shape[1], params)
    return locate(points, params, part_for(params, curator))


def part_for(params: Params, curator: Any) -> Any:
    """The part that all runs pay from. Costs ``params.epsilon``, ``params.delta``."""
    price = {"epsilon": params.epsilon, "delta": params.delta, "slack": SLACK * params.delta}
    return curator.sub_curator_zcdp(**price, label="cluster")


def locate(points: np.ndarray, params: Params, part: Any) -> Release:
    """One run on rows in grid steps, of which NaN rows are null, paid by a zCDP part.

    Parameters
    ----------
    points : array (n, d) of whole numbers below ``params.size``, or NaN rows; private
    """
    coins = np.random.default_rng(params.seed)
    z, level = choose_radius(points, params, part, coins)
    rows = points / (params.size - 1)
    box, side, inside = choose_box(rows, z, level, params, part, coins)
    if box is None:
        return Release(failed="box", **nothing(params.d) | {"z": z, "side": side})
    means, radii = averages(rows, inside, (box, side, z), params, part)
    trace = {"z": z, "side": side, "box": box, "means": means, "radii": radii}
    if len(means) < len(radii):
        return Release(failed=STEPS[2 + len(radii)], **nothing(params.d) | trace)
    grid = report_grid(z, params.d)
    gap = params.gap(len(grid))
    chosen = choose_report(rows, means[-1], grid, params.t - gap, part, params.rho[6])
    radius = float(grid[chosen]) + math.sqrt(params.d) / 2 / (params.size - 1)  # rounding
    return Release("", means[-1], radius, max(0.0, params.t - 2 * gap), **trace)


def answer(release: Release, queries: Any) -> np.ndarray:
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
    """Proved: but for beta, a published ball lacks at most this many of t rows.

    Whatever steps 1 to 6 did, if t rows are not null. Proof. Of M radii the last covers the
    cube. The least one whose ball holds t - a rows has quality at least 0. The choice loses
    less than a = (2 / epsilon) ln(M / beta), so the ball drawn holds more than t - 2a rows
    (and the ball one size smaller, fewer than t). M is largest for z of one grid step. Half
    a cell's diagonal is added to the radius, for rounding moved no row farther.

    >>> round(error_bound(Params(t=2500, d=2, epsilon=1, delta=1e-6)))
    231
    """
    return 2 * params.gap(len(report_grid(1 / (params.size - 1), params.d)))


def trial(
    params: Params, n: int, spread: float = 0.02, shape: str = "ball", *, rng: checks.Seed
) -> dict[str, float]:
    """Plant a cluster, look for it once with fresh public coins, compare.

    Returns
    -------
    dict with ``error`` (of t rows, those that the ball lacks), ``bound``, ``found``, ``ratio``
    (published radius over ``spread``), ``captured`` (share of the planted rows in the ball),
    ``off`` (centre's distance from the nearest planted centre, over ``spread``), ``z`` over
    ``spread``, ``success`` (found, ratio at most 2, more than half captured)

    >>> trial(Params(t=2000, d=2, epsilon=1, delta=1e-6), 5000, rng=1)["success"]
    1.0
    """
    from dpviz.privacy.curator import Curator

    rng = checks.generator(rng)
    planted = plant(n, params.t, params.d, spread, shape, rng=rng)
    params = replace(params, seed=int(rng.integers(2**62)))
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    found = release(planted.data, params, curator)
    inside = answer(found, planted.data)
    away = np.linalg.norm(planted.centers - found.center, axis=1).min(initial=math.inf)
    captured = max((inside[own].mean() for own in planted.clusters), default=math.nan)
    ratio = found.radius / spread
    return {
        "error": max(0.0, params.t - inside.sum()),
        "bound": params.t - found.holds,
        "found": float(found.found),
        "ratio": ratio,
        "captured": captured,
        "off": away / spread,
        "z": found.z / spread,
        "success": float(found.found and ratio <= 2 and captured > 0.5),
    }
