"""1-cluster problem (Definition 1.2): a practical solver, in seven private steps.

**Paper.** Nissim, Stemmer and Vadhan (2016): the same ideas as GoodRadius and GoodCenter
(modules ``good_radius``, ``good_center``), calibrated for thousands of records instead of
billions. The algorithm of Theorem 3.2 itself is module ``radius_then_center``.

**Setting.** n points of a public box; t of them may stand close together. Neighbours replace
one record. Null rows (screened out earlier) count nowhere.

**Idea.** Choose a radius by its score. Lay many randomly shifted grids of boxes, choose one that
has a heavy box, and name that box. The mean of the box is near the cluster, so a smaller ball
about it can be averaged with less noise, twice. At last choose the radius to report: that step
alone says how many rows the ball holds.

**Symbols.** Lengths inside are in sides of the box (the longest one); those of ``Release`` are
in the unit of the data.

==============  =================  ==========================================  ============
paper           here               meaning                                     shape, unit
==============  =================  ==========================================  ============
t               ``t``              rows the ball should hold                   count
z               ``z``              radius chosen by its score                  side of box
(none)          ``loss``           2a: how far the score at z may lie below t  count
(none)          ``level``          count from which boxes are equally good     count
a_i             ``shifts``         places of the boundaries, in box sides      (m, k, d)
(none)          ``side``           of the boxes: c z, c from 1 to 4d + 4       side of box
y^              ``center``         centre of the published ball                (d,)
(none)          ``gap``            a of step 7                                 count
(none)          ``shares``         of the zCDP budget, step by step            sum 1
==============  =================  ==========================================  ============

**Departures.** (1) The exponential mechanism over partitions that are laid out beforehand, instead
of AboveThreshold over one after the other: loss (2 / epsilon) ln R instead of (16 / epsilon) ln 2R.
(2) Boxes in all coordinates, no random projection, so no rotation and no intervals. (3) Steps share
one zCDP budget; the average's count is free. The shares were set once by hand, not optimised. (4)
The radius looks at ``sample`` rows at most, at public random positions. (5) What steps 1 to 6 do
for usefulness is measured, not proved; :func:`error_bound` is about step 7, whatever they did.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.papers.small_cluster.good_center import box_scores, cell_keys, cells
from dpviz.papers.small_cluster.planted import Planted, plant
from dpviz.papers.small_cluster.public_grid import FAR, Ball, Boxed, check_grid, grid_points
from dpviz.papers.small_cluster.radius_quality import quality_function, radius_grid, score
from dpviz.privacy.curator import AT_MOST_HALF, Curator
from dpviz.privacy.pieces import Sums

STEPS = ("radius", "grid", "box", "mean", "recentre", "recentre again", "report")
SLACK = 0.2  # share of delta for the release of a box
GRIDS = 2**16  # shifted grids at most


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """What is looked for, the budget, the public randomness; all public.

    Attributes
    ----------
    t : int >= 1, rows that the ball should hold
    size : int >= 2, grid points on the longest side; points are rounded record by record
    sides, shifts : int >= 1, how many box sides, and shifted grids of each; 65,536 grids at most
    sample : int >= 1, rows at most that step 1 looks at
    shares : 7 numbers > 0 with sum 1, of the budget
    runs : int >= 1, clusters that share the budget (module ``several_clusters``)
    seed : int >= 0, of the public randomness (positions of the sample, shifts)
    outside : "clip" or "refuse", records outside the box

    >>> Params(t=0, d=2, epsilon=1, delta=1e-6, lower=0, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: t must be a whole number, at least 1, not 0
    """

    delta_range = AT_MOST_HALF

    t: checks.Count
    size: int = 2**16
    sides: checks.Count = 12
    shifts: checks.Count = 30
    sample: checks.Count = 10_000
    shares: tuple[float, ...] = (0.27, 0.10, 0.10, 0.13, 0.13, 0.17, 0.10)
    runs: checks.Count = 1
    seed: int = 0

    def __post_init__(self):
        super().__post_init__()
        checks.integer("sides * shifts", self.sides * self.shifts, at_least=1, at_most=GRIDS)
        checks.integer("seed", self.seed, at_least=0)
        check_grid(self.size, self.d)
        if len(self.shares) != len(STEPS) or min(self.shares) <= 0:
            raise ValueError(f"shares must be {len(STEPS)} numbers > 0, not {self.shares}")
        if not math.isclose(sum(self.shares), 1):
            raise ValueError(f"shares must add up to 1, not to {sum(self.shares):g}")

    @classmethod
    def draw(cls, *, rng: checks.Seed, **numbers: Any) -> Params:
        """Parameters with fresh public randomness."""
        return cls(seed=int(checks.generator(rng).integers(2**62)), **numbers)

    @property
    def rho(self) -> tuple[float, ...]:
        """What each step of one run pays in zCDP."""
        slack = SLACK * self.delta
        whole = accounting.zcdp_rho(epsilon=self.epsilon, delta=self.delta, slack=slack)
        return tuple(share * whole / self.runs for share in self.shares)

    @property
    def slack(self) -> float:
        """delta of the one step of a run that needs one: the release of a box."""
        return SLACK * self.delta / self.runs

    @property
    def loss(self) -> float:
        """2a of step 1: rows (among those it looks at) by which the score may miss t."""
        radii = len(radius_grid(self.size, self.d))
        return 8 / math.sqrt(8 * self.rho[0]) * math.log(radii / self.beta)

    def gap(self, candidates: int) -> float:
        """a of step 7: rows by which the choice among so many radii may miss its aim."""
        return 2 / math.sqrt(8 * self.rho[6]) * math.log(candidates / self.beta)


@dataclass(frozen=True, eq=False)
class Release(Ball):
    """What the public sees: a :class:`Ball`; ``failed`` is "" or one of ``STEPS``.

    Attributes
    ----------
    holds : NaN also in later runs of `several_clusters.release`: fewer than t rows may be left
    z, side : floats, radius and box side that were chosen (NaN before their step)
    box : array (d,), centre of the box
    means : array (m, d), centres of the three averages, as far as it came
    radii : array (m,), of the balls that were averaged
    """

    z: float
    side: float
    box: np.ndarray
    means: np.ndarray
    radii: np.ndarray


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """Find a ball of about t rows. Costs ``params.epsilon``, ``params.delta``, found or not.

    Statements: NSV Definition 1.2; NSV Definition 3.1; NSV Section 1.1 (exploration).
    Proof. In the sub-curator each score moves by at most 1 and ``choose`` costs epsilon^2 / 8;
    the box costs its rho with slack; averages cost theirs. Which rows are averaged is fixed by
    earlier outputs, row by row. The sub-curator's rho and slack imply (epsilon, delta).

    Parameters
    ----------
    data : array (n, d), private; rows of NaN are not allowed here

    Raises ValueError if t > n, or t is so small at this budget that step 1 could say nothing;
    nothing is spent then. BudgetExceeded if the curator cannot pay.
    """
    points = admit(data, params)
    return in_data_units(locate(points, params, sub_curator_for(params, curator)), params)


def locate(points: np.ndarray, params: Params, curator: Curator) -> Release:
    """One run on rows in grid steps, paid by a zCDP sub-curator; lengths in sides of the box.

    Parameters
    ----------
    points : array (n, d) of whole numbers below ``params.size``, or NaN (null) rows; private
    """
    public_rng = np.random.default_rng(params.seed)
    z, level = _choose_radius(points, params, curator, public_rng)
    rows = points / (params.size - 1)
    box, side, inside = _choose_box(rows, z, level, params, curator, public_rng)
    if box is None:
        return Release(failed="box", **nothing(params.d) | {"z": z, "side": side})
    means, radii = _averages(rows, inside, (box, side, z), params, curator)
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

    Statements: NSV Section 1.1 (outliers).

    Parameters
    ----------
    queries : array (k, d), public or private points to be screened
    """
    return release.inside(queries)


def error_bound(params: Params) -> float:
    """Proved: with probability at least 1 - beta, a published ball lacks at most so many of t rows.

    Statements: lesson Theorem 7.4.
    Whatever steps 1 to 6 did, if t rows are not null. Proof. Of M radii the last covers the
    box. The least one whose ball holds t - a rows has quality at least 0. The choice loses
    less than a = (2 / epsilon) ln(M / beta), so the ball chosen holds more than t - 2a rows
    (and the ball one size smaller, fewer than t). M is largest for z of one grid step. Half
    a cell's diagonal is added to the radius, because rounding moved no row farther.

    >>> round(error_bound(Params(t=2500, d=2, epsilon=1, delta=1e-6, lower=0, upper=1)))
    231
    """
    return 2 * params.gap(len(report_grid(1 / (params.size - 1), params.d)))


def trial(
    params: Params,
    data: Planted | None = None,
    *,
    rng: checks.Seed,
    n: int = 10_000,
    spread: float = 0.02,
    shape: str = "ball",
) -> dict[str, float]:
    """Look once for a planted cluster, with fresh public randomness, and compare.

    Parameters
    ----------
    data : Planted, rows and what was planted among them; by default n rows of the largest cube in
        the lower corner of the box, with a cluster of t
    n, spread, shape : rows, radius in sides of that cube and shape (`planted.SHAPES`) where data
        are not given

    Returns a dict with ``error`` (of t rows, those that the ball lacks), ``bound``, ``found``,
    ``ratio`` (published radius over ``spread``), ``captured`` (share of the planted rows in the
    ball), ``off`` (centre's distance from the nearest planted centre, over ``spread``), ``z`` over
    ``spread``, ``success`` (found, ratio at most 2, more than half captured).

    >>> trial(Params(t=2000, d=2, epsilon=1, delta=1e-6, lower=0, upper=1), rng=1, n=5000)[
    ...     "success"
    ... ]
    1.0
    """
    rng = checks.generator(rng)
    if data is None:
        data = plant(n, params.t, params.d, spread, shape, rng=rng).within(params.box)
    params = replace(params, seed=int(rng.integers(2**62)))
    ball = release(data.data, params, params.curator(rng=rng))
    inside = answer(ball, data.data)
    away = np.linalg.norm(data.centers - ball.center, axis=1).min(initial=math.inf)
    captured = max((inside[rows].mean() for rows in data.clusters), default=math.nan)
    ratio = ball.radius / data.spread
    return {
        "error": max(0.0, params.t - inside.sum()),
        "bound": params.t - ball.holds,
        "found": float(ball.found),
        "ratio": ratio,
        "captured": captured,
        "off": away / data.spread,
        "z": ball.z / data.spread,
        "success": float(ball.found and ratio <= 2 and captured > 0.5),
    }


def admit(data: ArrayLike, params: Params) -> np.ndarray:
    """Private records as grid points; refuses what cannot work, before anything is spent.

    >>> admit([[0.0, 1.0]] * 400, Params(t=300, d=2, epsilon=1, delta=1e-6, lower=0, upper=1)).shape
    (400, 2)
    """
    rows = params.rows_of(data)
    check_size(len(rows), params)
    return grid_points(rows, params.size)


def check_size(n: int, params: Params) -> None:
    """Refuse so many records if they cannot work at this budget.

    >>> check_size(1000, Params(t=250, d=2, epsilon=1, delta=1e-6, lower=0, upper=1))
    """
    if params.t > n:
        raise ValueError(f"t must be at most the number of records, {n}, not {params.t}")
    if params.t * min(n, params.sample) / n > params.loss:
        return
    need = math.floor(params.loss * n / params.t) + 1
    would = f"with the same share, n = {need} would do"
    if need > params.sample:
        would += f", with sample = {need} instead of {params.sample}"
    raise ValueError(
        f"t = {params.t} of n = {n} is too few at this budget: the choice of a radius alone "
        f"may lose {params.loss:.0f} records; {would}"
    )


def sub_curator_for(params: Params, curator: Curator) -> Curator:
    """The sub-curator that pays for all runs. Costs ``params.epsilon``, ``params.delta``.

    >>> params = Params(t=300, d=2, epsilon=1, delta=1e-6, lower=0, upper=1)
    >>> sub_curator_for(params, params.curator(rng=0)).composition
    'zcdp'
    """
    budget = {"epsilon": params.epsilon, "delta": params.delta, "slack": SLACK * params.delta}
    return curator.sub_curator_zcdp(**budget, label="cluster")


def _choose_radius(
    points: np.ndarray, params: Params, curator: Curator, public_rng: np.random.Generator
) -> tuple[float, float]:
    """Step 1: a radius chosen by its quality Q, and a count up to which boxes are compared.

    Only ``params.sample`` rows are looked at, at public random positions: replacing a record
    replaces one of them, or none.

    Parameters
    ----------
    points : array (n, d) in grid steps, private; public_rng : Generator of the public randomness
    """
    n = len(points)
    sample = points
    if n > params.sample:
        sample = points[np.sort(public_rng.choice(n, params.sample, replace=False))]
    return radius_of(sample, n, params, curator)


def radius_of(sample: np.ndarray, n: int, params: Params, curator: Curator) -> tuple[float, float]:
    """Step 1 on a public sample of n rows: what ``_choose_radius`` returns.

    >>> params = Params(t=300, d=1, epsilon=9, delta=1e-6, lower=0, upper=1)
    >>> payer = sub_curator_for(params, params.curator(rng=0))
    >>> radius_of(np.full((400, 1), 7.0), 400, params, payer)[0] * (params.size - 1)
    1.0
    """
    t = max(1, round(params.t * len(sample) / n))
    quality = quality_function(score(sample, t, params.size), t, params.loss)
    epsilon = math.sqrt(8 * params.rho[0])
    best = curator.choose(quality, sensitivity=1, epsilon=epsilon, label=STEPS[0])
    z = max(1.0, float(radius_grid(params.size, params.d)[best])) / (params.size - 1)
    return z, max(1.0, (t - params.loss) * n / len(sample))


def _choose_box(
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

    Returns the centre of the box (d,), or None; its side; which rows lie in it, (n,), private.
    """
    d = params.d
    sides = params.sides
    lengths = z * (4 * d + 4) ** (np.arange(sides) / 23)
    shifts = public_rng.uniform(size=(sides, params.shifts, d))
    best = choose_grid(box_scores(rows, lengths, shifts), level, params, curator)
    side = float(lengths[best // params.shifts])
    shift = shifts.reshape(-1, d)[best]
    index = cells(rows, side, shift)
    cost = {"rho": params.rho[2], "delta": params.slack, "label": STEPS[2]}
    cell = curator.heaviest_cell(cell_keys(index), **cost)
    if cell is None:
        return None, side, np.zeros(len(rows), dtype=bool)
    box = np.frombuffer(cell[0])
    return (box + 0.5 - shift) * side, side, (index == box).all(axis=1)


def choose_grid(heaviest: np.ndarray, level: float, params: Params, curator: Curator) -> int:
    """Step 2: place of a grid in the list of all, by the count of its heaviest box.

    Parameters
    ----------
    heaviest : array (sides, shifts), from the smallest boxes on; private

    >>> params = Params(t=300, d=1, epsilon=9, delta=1e-6, sides=2, shifts=2, lower=0, upper=1)
    >>> payer = sub_curator_for(params, params.curator(rng=0))
    >>> choose_grid(np.array([[0, 300], [0, 0]]), 300.0, params, payer)
    1
    """
    sides = params.sides
    scores = np.minimum(heaviest, level)
    scores -= level / 2 * np.arange(sides - len(scores), sides)[:, None] / sides
    epsilon = math.sqrt(8 * params.rho[1])
    return curator.choose(scores.ravel(), sensitivity=1, epsilon=epsilon, label=STEPS[1])


def _averages(
    rows: np.ndarray, inside: np.ndarray, start: tuple, params: Params, curator: Curator
) -> tuple[np.ndarray, np.ndarray]:
    """Steps 4 to 6: the mean of the box, then twice that of a smaller ball about the last mean.

    A ball's radius is 1.1 times the length of the last noise plus 1.5 z, then 1.2 z. Centres
    are moved into the public box, which takes them nearer to every row.

    Returns the means (m, d), m < 3 if an average found too few rows, and the radii of the balls
    that were averaged, one more than means if one failed.
    """
    boxed = np.where(inside[:, None], rows, FAR)
    every = np.where(np.isnan(rows), FAR, rows)
    return averaged(
        lambda step, center, radius: every if step > 3 else boxed, start, params, curator
    )


def averaged(
    found: Callable[[int, np.ndarray, float], np.ndarray | Sums],
    start: tuple,
    params: Params,
    curator: Curator,
) -> tuple[np.ndarray, np.ndarray]:
    """Steps 4 to 6, of the rows that each step averages, or of their sums in its ball.

    Parameters
    ----------
    found : (step, center, radius) -> rows (n, d), or ``additive_noise.ball_sums`` of them; private

    >>> params = Params(t=300, d=1, epsilon=9, delta=1e-6, lower=0, upper=1)
    >>> payer, start = sub_curator_for(params, params.curator(rng=0)), ([0.5], 0.2, 0.1)
    >>> averaged(lambda *_: np.full((400, 1), 0.5), start, params, payer)[0].round(2).tolist()
    [[0.5], [0.5], [0.5]]
    """
    center, side, z = start
    means = []
    radii = []
    radius = side * math.sqrt(params.d) / 2
    for step, reach in zip((3, 4, 5), (1.5, 1.2, 0.0), strict=True):
        cost = {"rho": params.rho[step], "label": STEPS[step]}
        mean = curator.average(found(step, center, radius), center=center, radius=radius, **cost)
        radii.append(radius)
        if mean is None:
            break
        center = np.clip(mean.center, 0, params.top)
        means.append(center)
        radius = min(radius, 1.1 * mean.sd * math.sqrt(params.d) + reach * z)
    return np.array(means).reshape(-1, params.d), np.array(radii)


def choose_report(
    rows: np.ndarray, center: np.ndarray, grid: np.ndarray, aim: float, curator: Curator, rho: float
) -> int:
    """Step 7: index of a radius whose ball holds about ``aim`` rows, and the one before fewer.

    Quality: the lesser of aim - N(radius before) and N(radius) - aim, moved by at most 1.

    >>> curator, grid = Curator(rho=9, rng=0), np.array([0.1, 0.2, 0.3])
    >>> choose_report(np.linspace(0, 1, 101)[:, None], np.zeros(1), grid, 20, curator, 9)
    1
    """
    far = np.sqrt(((rows - center) ** 2).sum(axis=1))
    counts = np.searchsorted(np.sort(far[~np.isnan(far)]), grid, side="right")
    return choose_count(counts, aim, curator, rho)


def choose_count(counts: np.ndarray, aim: float, curator: Curator, rho: float) -> int:
    """Step 7, of how many rows lie within each radius; (k,), private.

    >>> choose_count(np.array([5, 21, 40]), 20, Curator(rho=9, rng=0), 9)
    1
    """
    quality = np.minimum(aim - np.append(0, counts[:-1]), counts - aim)
    return curator.choose(quality, sensitivity=1, epsilon=math.sqrt(8 * rho), label=STEPS[6])


def report_grid(z: float, d: int) -> np.ndarray:
    """Radii from z / 4 to beyond the cube's diagonal, each 2^(1/16) = 1.044 times the last.

    >>> grid = report_grid(0.02, 2)
    >>> len(grid), round(float(grid[1] / grid[0]), 3)
    (132, 1.044)
    """
    last = math.ceil(16 * math.log2(4 * math.sqrt(d) / z))
    return z / 4 * 2 ** (np.arange(max(1, last) + 1) / 16)


def in_data_units(found: Release, params: Params) -> Release:
    """A release in sides of the box, in the unit of the data.

    >>> params = Params(t=9, d=1, epsilon=1, delta=1e-6, lower=10, upper=30)
    >>> unit = Release("", **nothing(1) | {"center": np.array([0.5]), "radius": 0.1})
    >>> moved = in_data_units(unit, params)
    >>> moved.center.tolist(), moved.radius
    ([20.0], 2.0)
    """
    points = {name: params.place(getattr(found, name)) for name in ("center", "box", "means")}
    lengths = {name: getattr(found, name) * params.unit for name in ("radius", "z", "side")}
    return replace(found, **points, **lengths, radii=found.radii * params.unit)


def nothing(d: int) -> dict[str, float | np.ndarray]:
    """What a release holds of the steps that were not reached.

    >>> nothing(2)["radius"]
    nan
    """
    unknown = np.full(d, np.nan)
    numbers = dict.fromkeys(("radius", "holds", "z", "side"), math.nan)
    lists = {"means": np.empty((0, d)), "radii": np.empty(0)}
    return {"center": unknown, "box": unknown, **numbers, **lists}
