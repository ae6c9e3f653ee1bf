"""1-cluster problem: three exponential mechanisms and three averages of the practical solver.

**Paper.** Nissim, Stemmer and Vadhan (2016), Algorithms 1 and 2, calibrated anew.

**Setting.** See module ``one_cluster``, whose steps 1, 2 and 3, and 7 these are. Every score is
moved by at most 1 when a record is replaced; a sub-curator that composes by zCDP pays.

**Idea.** Lay out the candidates before looking (radii, shifted grids, balls about a published
centre), score them all, and choose one with the exponential mechanism.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
z               ``z``           chosen radius                                 side of cube
a_i             ``shifts``      places of the grids' boundaries, in sides     (m, k, d)
(none)          ``level``       count from which boxes are equally good       count
(none)          ``aim``         rows that the reported ball should hold       count
==============  ==============  ============================================  =============

**Departures.** See module ``one_cluster``.
"""

from __future__ import annotations

import math

import numpy as np

from dpviz.papers.small_cluster.boxes import box_scores, cells
from dpviz.papers.small_cluster.one_cluster_params import STEPS, Params
from dpviz.papers.small_cluster.radius_quality import quality_function, radius_grid, score
from dpviz.privacy.curator import Curator

FAR = 1e9  # where rows are put that no ball may hold


def choose_radius(
    points: np.ndarray, params: Params, curator: Curator, public_rng: np.random.Generator
) -> tuple[float, float]:
    """Step 1: a radius chosen by its quality Q, and a count up to which boxes are compared.

    Only ``params.sample`` rows are sample at, at public random positions: replacing a
    record replaces one of them, or none.

    Parameters
    ----------
    points : array (n, d) in grid steps, private
    public_rng : Generator of the public randomness
    """
    n, sample = len(points), points
    if n > params.sample:
        sample = points[np.sort(public_rng.choice(n, params.sample, replace=False))]
    t = max(1, round(params.t * len(sample) / n))
    quality = quality_function(score(sample, t, params.size), t, params.loss)
    epsilon = math.sqrt(8 * params.rho[0])
    best = curator.choose(quality, sensitivity=1, epsilon=epsilon, label=STEPS[0])
    z = max(1.0, float(radius_grid(params.size, params.d)[best])) / (params.size - 1)
    return z, max(1.0, (t - params.loss) * n / len(sample))


def choose_box(
    rows: np.ndarray,
    z: float,
    level: float,
    params: Params,
    curator: Curator,
    public_rng: np.random.Generator,
) -> tuple[np.ndarray | None, float, np.ndarray]:
    """Steps 2 and 3: one of the shifted grids, then its heaviest box.

    A grid's score is its heaviest box's count, at most ``level``, less a public penalty for
    large boxes: moved by at most 1.

    Returns
    -------
    box : array (d,), centre of the box, or None
    side : float
    inside : bool array (n,), which rows lie in it; private
    """
    d, sides = params.d, params.sides
    lengths = z * (4 * d + 4) ** (np.arange(sides) / 23)
    shifts = public_rng.uniform(size=(sides, params.shifts, d))
    scores = np.minimum(box_scores(rows, lengths, shifts), level)
    scores -= level / 2 * np.arange(sides)[:, None] / sides
    epsilon = math.sqrt(8 * params.rho[1])
    best = curator.choose(scores.ravel(), sensitivity=1, epsilon=epsilon, label=STEPS[1])
    side, shift = float(lengths[best // params.shifts]), shifts.reshape(-1, d)[best]
    index = cells(rows, side, shift)
    keys = [None if math.isnan(key[0]) else key for key in map(tuple, index.tolist())]
    found = curator.heaviest_cell(keys, rho=params.rho[2], delta=params.slack, label=STEPS[2])
    if found is None:
        return None, side, np.zeros(len(rows), dtype=bool)
    return (np.array(found[0]) + 0.5 - shift) * side, side, (index == found[0]).all(axis=1)


def averages(
    rows: np.ndarray, inside: np.ndarray, start: tuple, params: Params, curator: Curator
) -> tuple[np.ndarray, np.ndarray]:
    """Steps 4 to 6: the mean of the box, then twice that of a smaller ball about the last mean.

    A ball's radius is 1.1 times the length of the last noise plus 1.5 z, then 1.2 z. Centres
    are moved into the cube, which takes them nearer to every row.

    Returns
    -------
    means : array (m, d), m < 3 if an average found too few rows
    radii : array, of the balls that were averaged; one more than means if one failed
    """
    center, side, z = start
    means, radii, radius = [], [], side * math.sqrt(params.d) / 2
    seen = np.where(inside[:, None], rows, FAR)
    for step, reach in zip((3, 4, 5), (1.5, 1.2, 0.0), strict=True):
        cost = {"rho": params.rho[step], "label": STEPS[step]}
        mean = curator.average(seen, center=center, radius=radius, **cost)
        radii.append(radius)
        if mean is None:
            break
        center, seen = np.clip(mean.center, 0, 1), np.where(np.isnan(rows), FAR, rows)
        means.append(center)
        radius = min(radius, 1.1 * mean.sd * math.sqrt(params.d) + reach * z)
    return np.array(means).reshape(-1, params.d), np.array(radii)


def choose_report(
    rows: np.ndarray, center: np.ndarray, grid: np.ndarray, aim: float, curator: Curator, rho: float
) -> int:
    """Step 7: index of a radius whose ball holds about ``aim`` rows, and the one before fewer.

    Quality: the lesser of aim - N(radius before) and N(radius) - aim, moved by at most 1.
    """
    far = np.sqrt(((rows - center) ** 2).sum(axis=1))
    held = np.searchsorted(np.sort(far[~np.isnan(far)]), grid, side="right")
    quality = np.minimum(aim - np.append(0, held[:-1]), held - aim)
    return curator.choose(quality, sensitivity=1, epsilon=math.sqrt(8 * rho), label=STEPS[6])


def report_grid(z: float, d: int) -> np.ndarray:
    """Radii from z / 4 to beyond the cube's diagonal, each 2^(1/16) = 1.044 times the last.

    >>> grid = report_grid(0.02, 2)
    >>> len(grid), round(float(grid[1] / grid[0]), 3)
    (132, 1.044)
    """
    last = math.ceil(16 * math.log2(4 * math.sqrt(d) / z))
    return z / 4 * 2 ** (np.arange(max(1, last) + 1) / 16)


def check_size(n: int, d: int, params: Params) -> None:
    """Refuse what cannot work at this budget, before anything is spent.

    >>> from types import SimpleNamespace
    >>> check_size(1000, 2, SimpleNamespace(t=250, d=2, loss=231, sample=10_000))
    """
    if d != params.d:
        raise ValueError(f"data must have d = {params.d} columns, as params say, not {d}")
    if params.t > n:
        raise ValueError(f"t must be at most the number of records, {n}, not {params.t}")
    if params.t * min(n, params.sample) / n <= params.loss:
        need = math.floor(params.loss * n / params.t) + 1
        raise ValueError(
            f"t = {params.t} of n = {n} is too few at this budget: the choice of a radius alone "
            f"may lose {params.loss:.0f} rows; with the same share, n = {need} would do"
        )


def nothing(d: int) -> dict[str, float | np.ndarray]:
    """What a release holds of the steps that were not reached.

    >>> nothing(2)["radius"]
    nan
    """
    unknown = np.full(d, np.nan)
    numbers = dict.fromkeys(("radius", "holds", "z", "side"), math.nan)
    lists = {"means": np.empty((0, d)), "radii": np.empty(0)}
    return {"center": unknown, "box": unknown, **numbers, **lists}
