"""The other rows of Table 1, and a plain baseline: the same task by other means.

**Paper.** Nissim, Stemmer and Vadhan (2016), Table 1 and section 1.2.

**Setting.** As in module ``one_cluster``: a ball that holds about t of n rows. Neighbours replace
one record.

**Idea.** If more than half of the rows stand together, the median of each coordinate is near
them. In one or two dimensions all balls of a grid can be scored. On a line, noisy counts of
all intervals tell the shortest full one. Or forget the cluster, and take the mean of all.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
X               ``size``        grid points of an axis                        count
t               ``t``           rows wanted                                   count
w               (ratio)         published radius over the least               ratio
==============  ==============  ============================================  =============

**Departures.** (1) "majority": the median of each coordinate by the exponential mechanism,
instead of smooth sensitivity: the same promise, a radius sqrt(d) too large, from t > n / 2.
(2) "intervals" (d = 1): a Gaussian tree of counts, whose error grows as log^1.5 of the grid,
instead of the release with 2^(log* X), for which no practical algorithm is known. (3)
"balls" (d <= 2): radii by halving, and for each the exponential mechanism over all centres.
(4) Each ends with the report of module ``one_cluster`` where it needs one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.small_cluster.one_cluster_steps import choose_report, report_grid
from dpviz.papers.small_cluster.planted import plant
from dpviz.papers.small_cluster.radius_quality import grid_points, squared_distances
from dpviz.privacy.private_data import OUTSIDE

RIVALS = ("majority", "balls", "intervals", "mean of all")


@dataclass(frozen=True, kw_only=True)
class Params:
    """What is wanted, of whom, and the price; all public.

    Attributes
    ----------
    t, d : int >= 1
    epsilon, delta : the price of the whole
    rival : one of ``RIVALS``
    beta : float in (0, 1)
    size : int >= 2, grid points of an axis
    outside : "clip" or "refuse"

    >>> Params(t=10, d=3, epsilon=1, delta=1e-6, rival="balls")
    Traceback (most recent call last):
    ...
    ValueError: d must be at most 2 for 'balls', not 3
    """

    t: int
    d: int
    epsilon: float
    delta: float
    rival: str
    beta: float = 0.1
    size: int = 2**6
    outside: str = "clip"

    def __post_init__(self):
        checks.integer("t", self.t, at_least=1)
        checks.integer("d", self.d, at_least=1)
        checks.integer("size", self.size, at_least=2)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, above=0, at_most=0.5)
        checks.number("beta", self.beta, above=0, below=1)
        checks.choice("rival", self.rival, RIVALS)
        checks.choice("outside", self.outside, OUTSIDE)
        most = {"balls": 2, "intervals": 1}.get(self.rival, math.inf)
        if self.d > most:
            raise ValueError(f"d must be at most {most} for {self.rival!r}, not {self.d}")
        places = {"balls": self.size**self.d, "intervals": self.size**2}.get(self.rival, 0)
        if places > 2**22:
            raise ValueError(f"size is too large for {self.rival!r}: it would score {places} balls")


@dataclass(frozen=True, eq=False)
class Release:
    """A ball: center (d,), radius, in sides of the cube."""

    center: np.ndarray
    radius: float


def release(data: Any, params: Params, curator: Any) -> Release:
    """A ball by the chosen rival. Costs ``params.epsilon``, ``params.delta``.

    Parameters
    ----------
    data : array (n, d) in the unit cube, private; rounded to the grid record by record

    Raises
    ------
    ValueError
        If t > n or the columns are not d; nothing is spent.
    """
    points = grid_points(data, params.size, outside=params.outside)
    checks.integer("t", params.t, at_least=1, at_most=len(points))
    if points.shape[1] != params.d:
        raise ValueError(f"data must have d = {params.d} columns, not {points.shape[1]}")
    ways = {"majority": majority, "balls": balls, "intervals": intervals, "mean of all": mean}
    part = curator.sub_curator_zcdp(epsilon=params.epsilon, delta=params.delta, label=params.rival)
    return ways[params.rival](points, params, part)


def majority(points: np.ndarray, params: Params, part: Any) -> Release:
    """Private aggregation: the median of each coordinate; nine tenths of rho."""
    n, rho = len(points), 0.9 * part.budget.rho / params.d
    center = []
    for column in points.T:
        ranks = np.searchsorted(np.sort(column), np.arange(params.size), side="right")
        score = -np.abs(ranks - n / 2)
        price = {"sensitivity": 1, "epsilon": math.sqrt(8 * rho), "label": "median"}
        center.append(part.choose(score, **price))
    return reported(points, np.array(center, dtype=float), 0.1 * part.budget.rho, params, part)


def mean(points: np.ndarray, params: Params, part: Any) -> Release:
    """The noisy mean of all rows, as clustering with k = 1 would have it; half of rho."""
    middle = np.full(params.d, (params.size - 1) / 2)
    reach = float(np.linalg.norm(middle)) * (1 + 1e-9)  # so that corners count, rounded or not
    rho = part.budget.rho / 2
    found = part.average(points, center=middle, radius=reach, rho=rho, label="mean")
    center = middle if found is None else np.clip(found.center, 0, params.size - 1)
    return reported(points, center, rho, params, part)


def reported(points: np.ndarray, center: np.ndarray, rho: float, params: Params, part: Any):
    """The ball about a centre (in grid steps) that holds about t rows."""
    step = 1 / (params.size - 1)
    grid = report_grid(step, params.d)
    gap = 2 / math.sqrt(8 * rho) * math.log(len(grid) / params.beta)
    best = choose_report(points * step, center * step, grid, params.t - gap, part, rho)
    return Release(center * step, float(grid[best]))


def balls(points: np.ndarray, params: Params, part: Any) -> Release:
    """The exponential mechanism over all balls of a grid; radii by halving.

    Each of s steps has half of its share for a centre, half for a noisy count.
    """
    axis = np.arange(params.size)
    centers = np.stack(np.meshgrid(*[axis] * params.d, indexing="ij"), -1).reshape(-1, params.d)
    radii = np.unique(np.ceil(report_grid(1 / (params.size - 1), params.d) * (params.size - 1)))
    steps = math.ceil(math.log2(len(radii))) + 1
    rho = part.budget.rho / (2 * steps)
    epsilon, sd = math.sqrt(8 * rho), 1 / math.sqrt(2 * rho)
    room = 2 / epsilon * math.log(len(centers) / params.beta) + 2 * sd
    low, high, best = -1, len(radii) - 1, centers[len(centers) // 2]
    for _ in range(steps):
        at = (low + high) // 2 if high - low > 1 else high
        held = held_by(points, centers, radii[at])
        chosen = part.choose(held, sensitivity=1, epsilon=epsilon, label="centre")
        noisy = part.gaussian(float(held[chosen]), sensitivity=1, rho=rho, label="count")
        if noisy >= params.t - room:
            high, best = at, centers[chosen]
        else:
            low = min(at, high - 1)
    return Release(best / (params.size - 1), float(radii[high]) / (params.size - 1))


def intervals(points: np.ndarray, params: Params, part: Any) -> Release:
    """Threshold release on a line: a noisy tree of counts, then the shortest full interval.

    Replacing a row moves two counts of each level by one: L2 length sqrt(2 levels).
    """
    levels = (params.size - 1).bit_length() + 1
    counts = np.bincount(points[:, 0].astype(int), minlength=2 ** (levels - 1)).astype(float)
    tree = [counts]
    while len(tree[-1]) > 1:
        tree.append(tree[-1].reshape(-1, 2).sum(axis=1))
    price = {"sensitivity": math.sqrt(2 * levels), "rho": part.budget.rho, "label": "tree"}
    noisy = part.gaussian(np.concatenate(tree), **price)
    below = prefix_sums(np.split(noisy, np.cumsum([len(level) for level in tree])[:-1]))
    sd = math.sqrt(levels / part.budget.rho) * math.sqrt(2 * levels)
    held = below[None, 1:] - below[:-1, None] >= params.t - sd * 2
    lengths = np.arange(1, params.size + 1)[None] - np.arange(params.size)[:, None]
    full = np.where(held[: params.size, : params.size] & (lengths > 0), lengths, params.size)
    left, right = np.unravel_index(int(np.argmin(full)), full.shape)
    width = float(full.min()) - 1
    center = (left + right) / 2 if full.min() < params.size else (params.size - 1) / 2
    return Release(np.array([center]) / (params.size - 1), width / 2 / (params.size - 1))


def trial(params: Params, n: int, spread: float = 0.05, *, rng: checks.Seed) -> dict[str, float]:
    """Plant a ball, let the rival look for it.

    Returns
    -------
    dict with ``ratio`` (radius over ``spread``), ``captured``, ``off`` over ``spread``

    >>> params = Params(t=1200, d=1, epsilon=1, delta=1e-6, rival="intervals", size=2**10)
    >>> trial(params, 2000, rng=0)["ratio"] < 2
    True
    """
    from dpviz.privacy.curator import Curator

    rng = checks.generator(rng)
    planted = plant(n, params.t, params.d, spread, rng=rng)
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    ball = release(planted.data, params, curator)
    away = np.linalg.norm(planted.data[planted.clusters[0]] - ball.center, axis=1)
    return {
        "ratio": ball.radius / spread,
        "captured": float((away <= ball.radius).mean()),
        "off": float(np.linalg.norm(ball.center - planted.centers[0])) / spread,
    }


def held_by(points: np.ndarray, centers: np.ndarray, radius: float) -> np.ndarray:
    """Rows within a radius of each grid point; (centres,).

    >>> held_by(np.array([[0.0], [1.0]]), np.array([[0], [1], [2]]), 1.0).tolist()
    [2.0, 2.0, 1.0]
    """
    places, many = np.unique(points, axis=0, return_counts=True)
    held = [
        (squared_distances(centers[a : a + 512].astype(float), places) <= radius**2) @ many
        for a in range(0, len(centers), 512)
    ]
    return np.concatenate(held).astype(float)


def prefix_sums(tree: list[np.ndarray]) -> np.ndarray:
    """Number of rows below each grid point, from the counts of a tree; (leaves + 1,).

    >>> prefix_sums([np.array([1.0, 2.0]), np.array([3.0])]).tolist()
    [0.0, 1.0, 3.0]
    """
    ends = np.arange(len(tree[0]) + 1)
    total = np.zeros(len(ends))
    for level, counts in enumerate(tree):
        block = ends >> level
        odd = (block & 1) == 1
        total[odd] += counts[block[odd] - 1]
    return total
