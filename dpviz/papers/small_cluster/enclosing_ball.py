"""Minimum enclosing ball of nearly all rows: small steps towards the rows that are still outside.

**Paper.** Mahpud and Sheffet (NeurIPS 2022, arXiv 2206.03319), Algorithms 3 and 4, Claim 3.3 and
Lemma 4.3: a result of the years after Nissim, Stemmer and Vadhan (2016), with w near 1.

**Setting.** A public ball B(c, R), of a 1-cluster solver say, holds nearly all rows; the least
ball of those in it has a radius r_opt, at least R / ``ratio``. Neighbours replace one record.

**Idea.** Guess the radius r. If r is at least r_opt, a row outside B(centre, r) is nearer to the
centre of the least ball than to this one, so that a step towards the mean of all such rows leads
there. Few steps suffice, and only the mean needs noise. If few rows are outside, stop.

**Symbols.**

==============  ==============  ==========================================  =============
paper           here            meaning                                     shape, unit
==============  ==============  ==========================================  =============
gamma           ``gamma``       the radius may be (1 + gamma)^2 too large   ratio
theta_0, r_0    ``center``,     the public ball to start from               unit of data
                ``reach``
theta_t         ``place``       centre after t steps                        side of box
T               ``steps``       steps for one radius                        count
(none)          ``within``      D_t: how far the centre may still be off    radii
n_w             ``enough``      K: rows outside below which it stops        count
==============  ==============  ==========================================  =============

**Departures.** (1) The paper repeats 4,096 / gamma^2 ln(484 / gamma^2) steps until one series
succeeds with constant probability each; here every noise is bounded, and the steps are as long as
the bound on the distance that is left makes them (``_schedule``). (2) A step looks at rows
within r + D_t of the centre, where all are if r is at least r_opt, so that its noise shrinks with
D_t; each radius ends by a count of all rows outside. (3) Sum and count are one Gaussian release.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.papers.small_cluster.planted import Planted, offsets
from dpviz.papers.small_cluster.public_grid import FAR, Ball, Boxed
from dpviz.privacy.curator import AT_MOST_HALF, Curator

LONGEST = 2**14  # steps for one radius at most


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """The ball to start from, how near the radius shall be, the budget; all public.

    Attributes
    ----------
    center : tuple (d,), reach : float > 0, a public ball; rows outside are left out
    gamma : float in (0, 1]
    ratio : float > 1 + gamma, of ``reach`` to the least radius that is tried
    d, epsilon, delta, beta, lower, upper, outside : as in ``one_cluster``

    >>> Params(
    ...     center=(0.5,), reach=0.1, gamma=0.5, d=1, epsilon=1, delta=1e-6, lower=0, upper=1
    ... ).calls
    2
    """

    delta_range = AT_MOST_HALF

    center: tuple[float, ...]
    reach: checks.Positive
    gamma: float
    ratio: float = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.number("gamma", self.gamma, above=0, at_most=1)
        checks.number("ratio", self.ratio, above=1 + self.gamma)
        if np.shape(self.center) != (self.d,):
            raise ValueError(f"center must have d = {self.d} numbers")
        checks.queries("center", self.center)

    @property
    def radii(self) -> np.ndarray:
        """Radii that are tried, in units of the data; 1 + gamma times each is below ``reach``."""
        many = math.ceil(math.log(self.ratio) / math.log1p(self.gamma) - 1e-9) - 1
        return self.reach / self.ratio * (1 + self.gamma) ** np.arange(many)

    @property
    def calls(self) -> int:
        """How many radii a binary search tries at most."""
        return math.ceil(math.log2(len(self.radii) + 1))

    @property
    def rho(self) -> float:
        """The whole budget in zCDP."""
        return accounting.zcdp_rho(epsilon=self.epsilon, delta=self.delta)


@dataclass(frozen=True)
class Schedule:
    """Steps for one radius, in units of it; see ``_schedule``.

    Attributes
    ----------
    steps : array (T,), length of each step, as a share of the way to the mean of the rows outside
    within : array (T + 1,), how far the centre is off at most before each step and at the end
    enough : float, rows outside below which no further step is taken
    noise : float, by which a count is wrong at most
    sd : float, of the noise of one release, for sensitivity 2
    """

    steps: np.ndarray
    within: np.ndarray
    enough: float
    noise: float
    sd: float


@dataclass(frozen=True, eq=False)
class Release(Ball):
    """What the public sees: a :class:`Ball`, always found.

    Attributes
    ----------
    holds : NaN: how many rows the public ball had is not known, only how many of them are left out
    tries : int, radii that were tried
    """

    promise = "its radius, and how many rows of the first ball it lacks: promised"

    tries: int


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """Find a ball of nearly all rows. Costs ``params.epsilon``, ``params.delta``.

    Statements: lesson Theorem 7.7.

    Parameters
    ----------
    data : array (n, d), private

    Raises ValueError if no number of rows would do at this budget (``_schedule``); nothing is
    spent then.
    """
    rows = params.rows_of(data)
    corner = np.asarray(params.box.lower)
    start = (np.asarray(params.center) - corner) / params.unit
    reach = params.reach / params.unit
    plan = _schedule(params)
    payer = curator.sub_curator_zcdp(epsilon=params.epsilon, delta=params.delta, label="ball")
    rows = np.where(_outside(rows, start, reach)[:, None], FAR, rows)
    radii = params.radii / params.unit
    low = 0
    high = len(radii)
    best = start, reach
    tries = 0
    while low < high:
        middle = (low + high) // 2
        tries += 1
        place = _walk(rows, start, float(radii[middle]), plan, params, payer)
        larger = (1 + params.gamma) * float(radii[middle])
        left = _left(rows, place, larger)
        cost = {"rho": _share(params, plan), "label": "outside"}
        mean = payer.average(left, center=start, radius=reach, **cost)
        if mean is None or mean.count < plan.enough + 2 * plan.noise:
            high = middle
            best = place, larger
        else:
            low = middle + 1
    return Release("", params.place(best[0]), best[1] * params.unit, math.nan, tries)


def answer(release: Release, queries: ArrayLike) -> np.ndarray:
    """Whether points lie in the published ball. Free: post-processing."""
    return release.inside(queries)


def error_bound(params: Params) -> float:
    """Proved: with probability at least 1 - beta the ball lacks at most so many rows of the first.

    Statements: lesson Theorem 7.7.
    And its radius is at most (1 + gamma)^2 r_opt, if r_opt is at least ``reach`` / ``ratio``.
    Proof, where all noises keep the bounds of ``_distances``, whose union is beta. *Rows*: a
    radius is taken if its noisy count is below K + 2 e, e the noise of a count: K + 3 e rows at
    most are outside. The first ball itself, if no radius is taken, lacks none. *Radius*: let r be
    at least r_opt, D the distance of the centre from that of the least ball. Claim 3.3: a row x of
    the least ball that is not in B(centre, r) is nearer to the least ball's centre than to this
    one, so x - centre has at least D / 2 in that direction. So has the mean of all m such rows; it
    is at most r + D long, and all are in the ball of radius r + D that is averaged. The noisy mean
    divides by m' with |m - m'| <= e and m' >= K, so m / m' is in 1 -+ e / K; its noise is at most a
    in that direction and b in all. A step of share s gives D'^2 <= D^2 - s (1 - e / K) D^2 + 2 s a
    D + s^2 ((1 + e / K) (r + D) + b)^2, which rises with D: so D stays below ``within``, whose last
    is at most gamma r, and then no row is outside B(centre, (1 + gamma) r). Had the walk stopped,
    fewer than K + e rows were outside. So the count at the end is below K + 2 e, and r is taken. A
    binary search ends at a radius that is taken, all of at least r_opt are, and neighbouring radii
    are a factor 1 + gamma apart; ``reach`` is at most (1 + gamma)^2 times the last.

    >>> params = Params(
    ...     center=(0.5,) * 10, reach=0.1, gamma=0.5, d=10, epsilon=1, delta=1e-6, lower=0, upper=1
    ... )
    >>> round(error_bound(params))
    10889
    """
    plan = _schedule(params)
    return plan.enough + 3 * plan.noise


def paper_bound(params: Params) -> float:
    """Lemma 4.3 with its constants, for each of the radii that Algorithm 3 tries.

    >>> params = Params(
    ...     center=(0.5,) * 10, reach=0.1, gamma=0.5, d=10, epsilon=1, delta=1e-6, lower=0, upper=1
    ... )
    >>> paper_bound(params) > 1e7
    True
    """
    tries = math.ceil(math.log2(math.log(4) / math.log1p(params.gamma)))
    tries = max(1, tries)
    rho = params.rho / tries
    beta = params.beta / tries
    repeats = math.ceil(math.log(1 / beta) / math.log(8 / 7))
    steps = 4096 / params.gamma**2 * math.log(484 / params.gamma**2)
    small = 1 / (16 * repeats * steps)
    length = math.sqrt(params.d) + math.sqrt(2 * math.log(4 * repeats * steps / small))
    count = 2 * repeats * (steps + 1) * math.log(4 * repeats * (steps + 1) / small) / rho
    return 88 * math.sqrt(repeats * steps / rho) * length + math.sqrt(count)


def trial(
    params: Params,
    data: Planted | None = None,
    *,
    rng: checks.Seed,
    n: int = 100_000,
    spread: float = 0.02,
) -> dict[str, float]:
    """Find the ball of rows that fill one, from a public ball that lies beside it.

    Parameters
    ----------
    data : Planted; by default n rows of a ball of radius ``spread``, somewhere in the first ball
    n, spread : rows and their radius, where data are not given

    Returns a dict with ``error`` (rows of the first ball that the ball lacks), ``bound``, ``ratio``
    (radius over ``spread``), ``off`` (centre from that of the rows, over ``spread``), ``tries``.

    >>> params = Params(
    ...     center=(0.5,) * 2, reach=0.08, gamma=1, d=2, epsilon=20, delta=1e-6, lower=0, upper=1
    ... )
    >>> trial(params, rng=0, n=20_000)["ratio"] <= 4
    True
    """
    rng = checks.generator(rng)
    if data is None:
        away = offsets(1, params.d, "ball", rng)[0] * (params.reach - spread)
        middle = np.asarray(params.center) + away
        rows = middle + spread * offsets(n, params.d, "ball", rng)
        data = Planted(rows, (np.ones(n, dtype=bool),), middle[None], spread)
    ball = release(data.data, params, params.curator(rng=rng))
    first = ~_outside(data.data, np.asarray(params.center), params.reach)
    return {
        "error": float((first & ~answer(ball, data.data)).sum()),
        "bound": error_bound(params),
        **data.compared(ball),
        "tries": float(ball.tries),
    }


def _walk(
    rows: np.ndarray,
    start: np.ndarray,
    radius: float,
    plan: Schedule,
    params: Params,
    curator: Curator,
) -> np.ndarray:
    """Algorithm 4 for one radius: the centre after its steps; (d,), in sides of the box.

    Parameters
    ----------
    rows : array (n, d), private; those that do not count are ``FAR``
    """
    place = start
    for step, within in zip(plan.steps, plan.within[:-1], strict=True):
        left = _left(rows, place, radius)
        cost = {"rho": _share(params, plan), "label": "step"}
        mean = curator.average(left, center=place, radius=radius * (1 + float(within)), **cost)
        if mean is None or mean.count < plan.enough:
            break
        place = place + step * (mean.center - place)
    return place


def _left(rows: np.ndarray, center: np.ndarray, radius: float) -> np.ndarray:
    """The rows outside a ball, in their order, and one that is ``FAR``, as there may be none."""
    return np.vstack([rows[_outside(rows, center, radius)], np.full_like(center, FAR)])


def _outside(rows: np.ndarray, center: np.ndarray, radius: float) -> np.ndarray:
    """Which rows lie outside a ball; (n,), row by row."""
    offsets = rows - center
    return np.einsum("ij,ij->i", offsets, offsets) > radius**2


def _share(params: Params, plan: Schedule) -> float:
    """rho of one release: all steps and the last count of all radii that are tried."""
    return params.rho / (params.calls * (len(plan.steps) + 1))


@cache
def _schedule(params: Params) -> Schedule:
    """The number of steps, of doubled ones, that stops at the fewest rows; proof: `error_bound`.

    Raises ValueError if no number of rows would do.
    """
    best = None
    steps = 1
    while steps <= LONGEST:
        plan = _shortest(params, steps)
        if plan is not None and (best is None or plan.enough < best.enough):
            best = plan
        elif best is not None:
            break
        steps = math.ceil(1.25 * steps)
    if best is None:
        raise ValueError(f"gamma = {params.gamma} is too small: no {LONGEST} steps would do")
    return best


def _shortest(params: Params, steps: int) -> Schedule | None:
    """So many steps with the smallest K for which they suffice (within a thousandth), or None."""
    sd = 2 / math.sqrt(2 * params.rho / (params.calls * (steps + 1)))
    low = math.sqrt(3) * sd  # below it, an average says nothing
    high = 1e9 * sd
    best = _distances(params, steps, sd, high)
    if best is None:
        return None
    while high > 1.001 * low:
        middle = math.sqrt(low * high)
        plan = _distances(params, steps, sd, middle)
        low, high = (middle, high) if plan is None else (low, middle)
        best = plan or best
    return best


def _distances(params: Params, steps: int, sd: float, enough: float) -> Schedule | None:
    """Bounds on the distance after each step, each step as long as is best; None if not near."""
    from scipy.special import ndtri

    rare = params.beta / (3 * params.calls * (steps + 1))  # count, direction and length of a noise
    noise = -float(ndtri(rare / 2)) * sd / math.sqrt(3)
    along = -float(ndtri(rare)) * sd / enough
    length = (math.sqrt(params.d) + math.sqrt(2 * math.log(1 / rare))) * sd / enough
    wrong = noise / enough
    if wrong >= 1:
        return None
    within = [params.ratio]
    lengths = []
    for _ in range(steps):
        distance = within[-1]
        reach = 1 + distance
        bias = 2 * along * reach * distance
        slope = (1 - wrong) * distance**2 - bias
        curve = ((1 + wrong) * reach + length * reach) ** 2
        step = min(1.0, slope / (2 * curve))
        if step <= 0:
            return None
        lengths.append(step)
        within.append(math.sqrt(distance**2 - step * slope + step**2 * curve))
    if within[-1] > params.gamma:
        return None
    return Schedule(np.array(lengths), np.array(within), enough, noise, sd)
