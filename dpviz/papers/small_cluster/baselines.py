"""Baselines for the 1-cluster problem: the other rows of Table 1, and the noisy mean.

**Paper.** Nissim, Stemmer and Vadhan (2016), Table 1 and section 1.2.

**Setting.** As in module ``one_cluster``: a ball that holds about t of n rows. Neighbours replace
one record.

**Idea.** If more than half of the rows stand together, the median of each coordinate is near them.
In one or two dimensions all balls of a grid can be scored. On a line, noisy counts of all intervals
tell the shortest one that holds t rows. Or forget the cluster, and take the mean of all.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
X               ``size``        grid points of an axis                        count
t               ``t``           rows wanted                                   count
w               (ratio)         published radius over the least               ratio
==============  ==============  ============================================  =============

**Departures.** (1) "private aggregation": the median of each coordinate by the exponential
mechanism, instead of smooth sensitivity: the same promise, a radius sqrt(d) too large, from
t > n / 2. (2) "threshold release" (d = 1): a Gaussian tree of counts (prefix sums), whose error
grows as log^1.5 of the grid, instead of the release with 2^(log* X), for which no practical
algorithm is known. (3) "axis by axis" is no row of the table: the densest interval of each axis,
then the noisy mean of the rows near their crossing; right where the cluster is what is dense on
every axis. (4) "all balls" (d <= 2): a binary search for the radius, and for each radius
the exponential mechanism over all centres. (5) Each ends with the report of module
``one_cluster`` where it needs one.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.small_cluster.one_cluster import choose_report, report_grid
from dpviz.papers.small_cluster.planted import Planted, plant
from dpviz.papers.small_cluster.public_grid import Boxed, grid_points
from dpviz.privacy.curator import AT_MOST_HALF, Curator

METHODS = ("private aggregation", "all balls", "threshold release", "mean of all", "axis by axis")
BINS, WINDOW = 64, 3  # bins of an axis, and how many of them an interval has


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """What is wanted, by which method, and the budget; all public.

    Attributes
    ----------
    t, d : int >= 1; method : one of ``METHODS``; size : int >= 2, grid points on the longest side

    >>> Params(t=10, d=3, epsilon=1, delta=1e-6, method="all balls", lower=0, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: d must be at most 2 for 'all balls', not 3
    """

    delta_range = AT_MOST_HALF

    t: checks.Count
    method: str
    size: int = 2**6

    def __post_init__(self):
        super().__post_init__()
        checks.integer("size", self.size, at_least=2)
        checks.choice("method", self.method, METHODS)
        most = {"all balls": 2, "threshold release": 1}.get(self.method, math.inf)
        if self.d > most:
            raise ValueError(f"d must be at most {most} for {self.method!r}, not {self.d}")
        places = {"all balls": self.size**self.d, "threshold release": self.size**2}.get(
            self.method, 0
        )
        if places > 2**22:
            raise ValueError(
                f"size is too large for {self.method!r}: it would score {places} balls"
            )


@dataclass(frozen=True, eq=False)
class Release:
    """A ball: center (d,), radius, in the unit of the data."""

    center: np.ndarray
    radius: float


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """A ball by the chosen method. Costs ``params.epsilon``, ``params.delta``.

    Parameters
    ----------
    data : array (n, d), private; rounded to the grid record by record

    Raises ValueError if t > n or the columns are not d; nothing is spent.
    """
    points = grid_points(params.rows_of(data), params.size)
    checks.integer("t", params.t, at_least=1, at_most=len(points))
    budget = {"epsilon": params.epsilon, "delta": params.delta}
    payer = curator.sub_curator_zcdp(**budget, label=params.method)
    methods = {
        "private aggregation": private_aggregation,
        "all balls": all_balls,
        "threshold release": threshold_release,
        "mean of all": _mean_of_all,
        "axis by axis": _axis_by_axis,
    }
    ball = methods[params.method](points, params, payer)
    return Release(params.place(ball.center), ball.radius * params.unit)


def private_aggregation(points: np.ndarray, params: Params, curator: Curator) -> Release:
    """Private aggregation: the median of each coordinate; nine tenths of rho.

    Statements: NSV Section 1.2 (aggregation); NSV Theorem 6.2.
    """
    n = len(points)
    rho = 0.9 * curator.budget.rho / params.d
    center = []
    for column in points.T:
        ranks = np.searchsorted(np.sort(column), np.arange(params.size), side="right")
        score = -np.abs(ranks - n / 2)
        cost = {"sensitivity": 1, "epsilon": math.sqrt(8 * rho), "label": "median"}
        center.append(curator.choose(score, **cost))
    return _reported(
        points, np.array(center, dtype=float), 0.1 * curator.budget.rho, params, curator
    )


def _mean_of_all(points: np.ndarray, params: Params, curator: Curator) -> Release:
    """The noisy mean of all rows, as clustering with k = 1 would have it; half of rho."""
    middle = np.full(params.d, (params.size - 1) / 2)
    reach = float(np.linalg.norm(middle)) * (1 + 1e-9)  # so that corners count, rounded or not
    rho = curator.budget.rho / 2
    mean = curator.average(points, center=middle, radius=reach, rho=rho, label="mean")
    center = middle if mean is None else np.clip(mean.center, 0, params.size - 1)
    return _reported(points, center, rho, params, curator)


def _axis_by_axis(points: np.ndarray, params: Params, curator: Curator) -> Release:
    """The densest interval of each axis, then the mean of the rows near their crossing.

    Half of rho for noisy counts of ``BINS`` bins of each axis, of which replacing a row moves two
    by one; an interval is ``WINDOW`` bins. 0.4 of rho for the mean, a tenth for the report.
    """
    rho = curator.budget.rho
    width = params.size / BINS
    cost = {"sensitivity": math.sqrt(2), "rho": 0.5 * rho / params.d, "label": "bins"}
    middle = []
    for column in points.T:
        counts = np.bincount((column // width).astype(int), minlength=BINS).astype(float)
        windows = np.convolve(curator.gaussian(counts, **cost), np.ones(WINDOW), mode="valid")
        middle.append((int(np.argmax(windows)) + WINDOW / 2) * width - 0.5)
    center = np.array(middle)
    reach = math.sqrt(params.d) * WINDOW / 2 * width
    mean = curator.average(points, center=center, radius=reach, rho=0.4 * rho, label="crossing")
    if mean is not None:
        center = np.clip(mean.center, 0, params.size - 1)
    return _reported(points, center, 0.1 * rho, params, curator)


def _reported(
    points: np.ndarray, center: np.ndarray, rho: float, params: Params, curator: Curator
) -> Release:
    """The ball about a centre (in grid steps) that holds about t rows."""
    step = 1 / (params.size - 1)
    grid = report_grid(step, params.d)
    gap = 2 / math.sqrt(8 * rho) * math.log(len(grid) / params.beta)
    best = choose_report(points * step, center * step, grid, params.t - gap, curator, rho)
    return Release(center * step, float(grid[best]))


def all_balls(points: np.ndarray, params: Params, curator: Curator) -> Release:
    """The exponential mechanism over all balls of a grid; a binary search for the radius.

    Statements: NSV Section 1.2 (all balls).
    Each of s steps has half of its share for a centre, half for a noisy count.
    """
    axis = np.arange(params.size)
    centers = np.stack(np.meshgrid(*[axis] * params.d, indexing="ij"), -1).reshape(-1, params.d)
    radii = np.unique(np.ceil(report_grid(1 / (params.size - 1), params.d) * (params.size - 1)))
    steps = math.ceil(math.log2(len(radii))) + 1
    rho = curator.budget.rho / (2 * steps)
    epsilon = math.sqrt(8 * rho)
    sd = 1 / math.sqrt(2 * rho)
    margin = 2 / epsilon * math.log(len(centers) / params.beta) + 2 * sd
    below = -1
    above = len(radii) - 1
    best = centers[len(centers) // 2]
    for _ in range(steps):
        at = (below + above) // 2 if above - below > 1 else above
        counts = _held_by(points, params.size, radii[at])
        chosen = curator.choose(counts, sensitivity=1, epsilon=epsilon, label="centre")
        noisy = curator.gaussian(float(counts[chosen]), sensitivity=1, rho=rho, label="count")
        if noisy >= params.t - margin:
            above = at
            best = centers[chosen]
        else:
            below = min(at, above - 1)
    return Release(best / (params.size - 1), float(radii[above]) / (params.size - 1))


def threshold_release(points: np.ndarray, params: Params, curator: Curator) -> Release:
    """Threshold release on a line: noisy prefix sums, then the shortest interval with t rows.

    Statements: NSV Section 1.2 (thresholds).
    Replacing a row moves two counts of each level by one: L2 length sqrt(2 levels).
    """
    levels = (params.size - 1).bit_length() + 1
    counts = np.bincount(points[:, 0].astype(int), minlength=2 ** (levels - 1)).astype(float)
    tree = [counts]
    while len(tree[-1]) > 1:
        tree.append(tree[-1].reshape(-1, 2).sum(axis=1))
    cost = {"sensitivity": math.sqrt(2 * levels), "rho": curator.budget.rho, "label": "tree"}
    noisy = curator.gaussian(np.concatenate(tree), **cost)
    sums = _prefix_sums(np.split(noisy, np.cumsum([len(level) for level in tree])[:-1]))
    sd = math.sqrt(levels / curator.budget.rho) * math.sqrt(2 * levels)
    enough = sums[None, 1:] - sums[:-1, None] >= params.t - sd * 2
    lengths = np.arange(1, params.size + 1)[None] - np.arange(params.size)[:, None]
    full = np.where(enough[: params.size, : params.size] & (lengths > 0), lengths, params.size)
    left, right = np.unravel_index(int(np.argmin(full)), full.shape)
    width = float(full.min()) - 1
    center = (left + right) / 2 if full.min() < params.size else (params.size - 1) / 2
    return Release(np.array([center]) / (params.size - 1), width / 2 / (params.size - 1))


def trial(
    params: Params,
    data: Planted | None = None,
    *,
    rng: checks.Seed,
    n: int = 10_000,
    spread: float = 0.05,
) -> dict[str, float]:
    """Look once for a planted ball by the chosen method.

    Parameters
    ----------
    data : Planted, rows and what was planted among them; by default n rows with a ball of t
    n, spread : rows, and radius of the planted ball, where data are not given

    Returns a dict with ``ratio`` (radius over ``spread``), ``captured``, ``off`` over ``spread``.

    >>> line = {"d": 1, "method": "threshold release", "size": 2**10, "lower": 0, "upper": 1}
    >>> trial(Params(t=1200, epsilon=1, delta=1e-6, **line), rng=0, n=2000)["ratio"] < 2
    True
    """
    rng = checks.generator(rng)
    if data is None:
        data = plant(n, params.t, params.d, spread, rng=rng).within(params.box)
    ball = release(data.data, params, params.curator(rng=rng))
    away = np.linalg.norm(data.data[data.clusters[0]] - ball.center, axis=1)
    return {
        "ratio": ball.radius / data.spread,
        "captured": float((away <= ball.radius).mean()),
        "off": float(np.linalg.norm(ball.center - data.centers[0])) / data.spread,
    }


def _held_by(points: np.ndarray, size: int, radius: float) -> np.ndarray:
    """Rows within a radius, in steps of the grid, of each of its points; (size^d,).

    A ball meets each line of the grid in an interval, whose rows are a difference of two sums.
    """
    d = points.shape[1]
    table = np.zeros((size,) * d)
    np.add.at(table, tuple(points.astype(int).T), 1)
    below = np.concatenate([np.zeros_like(table[..., :1]), table.cumsum(axis=-1)], axis=-1)
    counts, ends, reach = np.zeros_like(table), np.arange(size), min(int(radius), size - 1)
    for line in itertools.product(range(-reach, reach + 1), repeat=d - 1):
        if (left := radius**2 - sum(step**2 for step in line)) >= 0:
            half = math.isqrt(int(left))
            last, first = np.minimum(ends + half + 1, size), np.maximum(ends - half, 0)
            centers = tuple(slice(max(0, -step), size - max(0, step)) for step in line)
            places = tuple(slice(max(0, step), size - max(0, -step)) for step in line)
            counts[centers] += below[places][..., last] - below[places][..., first]
    return counts.ravel()


def _prefix_sums(tree: list[np.ndarray]) -> np.ndarray:
    """Number of rows below each grid point, from the counts of a tree; (leaves + 1,)."""
    ends = np.arange(len(tree[0]) + 1)
    total = np.zeros(len(ends))
    for level, counts in enumerate(tree):
        block = ends >> level
        odd = (block & 1) == 1
        total[odd] += counts[block[odd] - 1]
    return total
