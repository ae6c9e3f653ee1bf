"""1-cluster theorem (Theorem 3.2): GoodRadius, then GoodCenter, and a ball of a proved radius.

**Paper.** Nissim, Stemmer and Vadhan (2016), Theorem 3.2, made of Lemma 3.6 (GoodRadius) and
Lemma 3.7 (GoodCenter, proved as Lemma 4.12).

**Setting.** n points of a public box, of which some ball of radius r_opt holds t. Neighbours
replace one record.

**Idea.** Half of the budget finds a radius z at which some ball holds nearly t rows; the other
half finds, for that radius, a box of side s z with nearly as many, and their noisy average. All of
them lie within the diagonal of the box from their average: that, and the noise, is the radius.

**Symbols.**

==============  ================  ============================================  =============
paper           here              meaning                                       shape, unit
==============  ================  ============================================  =============
t               ``t``             rows wanted in the ball                       count
z               ``z``             what GoodRadius publishes                     unit of data
300             ``side``          s: side of a box over z                       ratio
Delta           ``error_bound``   rows that the ball may lack                   count
w r_opt         ``radius``        of the ball that is published                 unit of data
R               ``rounds``        shifted grids tried at most                   count
==============  ================  ============================================  =============

**Departures.** (1) No projection: the paper's k = 46 log2(2 n / beta) exceeds every d below 800,
so the identity serves (k = d) and no length is distorted. (2) s is the least side whose grids hold
the ball in one of ``rounds`` shifts, instead of 300. (3) An interval is as long as the box is wide
after the rotation (Lemma 4.9), at most its diagonal. (4) The radius is the diagonal plus a
quantile of the noise that was really added, instead of 451 z sqrt(k). (5) GoodRadius looks at
``sample`` rows at most, at public random positions; the proof pays for that. Its method is the
exponential mechanism; "RecConcave", the paper's, may be asked for. The theorem has no constants in
the text at hand; all that stand here are ours, and proved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.papers.small_cluster import good_center, good_radius
from dpviz.papers.small_cluster.planted import Planted, plant
from dpviz.papers.small_cluster.public_grid import Ball, Boxed, check_grid
from dpviz.privacy.curator import AT_MOST_HALF, Curator
from dpviz.privacy.sparse_vector import threshold_accuracy

WIDER = {"RecConcave": 4.0}  # z over the least radius; 2.45 for the other methods


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """What is looked for, the budget, the public randomness; all public.

    Attributes
    ----------
    t, d : int >= 1, rows that the ball should hold, columns
    epsilon, delta : the budget of the whole, half for each step
    beta : float in (0, 1), chance that the theorem fails
    size : int >= 2, grid points on the longest side
    rounds : int >= 1, shifted grids tried at most
    sample : int >= 1, rows at most that GoodRadius looks at
    method : how GoodRadius chooses, one of ``good_radius.METHODS``
    seed : int >= 0, of the public randomness (sample, shifts, rotation)
    lower, upper : float, or tuple (d,), the public box in the unit of the data
    outside : "clip" or "refuse"

    >>> round(Params(t=5000, d=2, epsilon=1, delta=1e-6).side, 2)
    2.35
    """

    delta_range = AT_MOST_HALF

    t: int
    size: int = 2**16
    rounds: int = 200
    sample: int = 10_000
    method: str = "exponential"
    seed: int = 0

    def __post_init__(self):
        super().__post_init__()
        for name in ("t", "sample"):
            checks.integer(name, getattr(self, name), at_least=1)
        checks.integer("rounds", self.rounds, at_least=10)
        checks.integer("seed", self.seed, at_least=0)
        check_grid(self.size, self.d)
        self.radius_params(self.t)

    @property
    def side(self) -> float:
        """s: a shifted grid holds a given ball of radius z whole with probability (1 - 2 / s)^d."""
        often = min(0.9, math.log(8 / self.beta) / self.rounds)
        return 2 / (1 - often ** (1 / self.d))

    @property
    def public_box(self) -> dict:
        """What both steps are told of the box."""
        names = ("d", "lower", "upper", "outside")
        return {name: getattr(self, name) for name in names}

    def radius_params(self, t: int) -> good_radius.Params:
        """What GoodRadius is asked, for t of the rows that it looks at."""
        budget = {"epsilon": self.epsilon / 2, "delta": self.delta / 2, "beta": self.beta / 4}
        how = {"size": self.size, "method": self.method, **self.public_box}
        return good_radius.Params(t=t, **budget, **how)

    def center_params(self, z: float, *, n: int) -> good_center.Params:
        """What GoodCenter is asked, once z is known."""
        budget = {"epsilon": self.epsilon / 2, "delta": self.delta / 2, "beta": self.beta / 4}
        share = self.beta / 8
        margin = 8 / self.epsilon * threshold_accuracy(checks=self.rounds, runs=1, beta=share)
        turned = good_center.turned_share(self.d, n=n, beta=share)
        lengths = {"side": self.side, "interval": self.side * math.sqrt(self.d) * turned}
        radius = z + math.sqrt(self.d) / (self.size - 1) * self.unit  # two roundings
        public = {"k": self.d, "rounds": self.rounds, "seed": self.seed, **self.public_box}
        rows = max(1, guaranteed(self, n))
        return good_center.Params(
            t=rows, radius=radius, margin=float(margin), **lengths, **public, **budget
        )


@dataclass(frozen=True, eq=False)
class Release(Ball):
    """What the public sees: a :class:`Ball`; ``failed`` is "" or one of ``good_center.STEPS``.

    Attributes
    ----------
    z : float, what GoodRadius chose
    """

    z: float


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """GoodRadius, then GoodCenter. Costs ``params.epsilon``, ``params.delta``, half each.

    Statements: NSV Theorem 3.2.

    Parameters
    ----------
    data : array (n, d), private
    params : Params
    curator : Curator that can pay (epsilon, delta)

    Raises
    ------
    ValueError
        If t > n, or so few that nothing is promised; BudgetExceeded if the curator cannot pay.
        Nothing is spent then.
    """
    rows = params.place(params.rows_of(data))
    n = len(rows)
    check_size(n, params)
    whole = {"epsilon": params.epsilon, "delta": params.delta}
    payer = curator.sub_curator(**whole, label="GoodRadius, then GoodCenter")
    sample = rows
    public_rng = np.random.default_rng(params.seed)
    if n > params.sample:
        sample = rows[np.sort(public_rng.choice(n, params.sample, replace=False))]
    z = good_radius.release(sample, params.radius_params(share_of_sample(params, n)), payer).radius
    step = params.center_params(z, n=n)
    center = good_center.release(rows, step, payer)
    radius = step.side * step.radius * math.sqrt(params.d) + noise_length(center.sd, params)
    holds = params.t - error_bound(params, n=n)
    if not center.found:
        radius = holds = math.nan
    return Release(center.failed, center.center, radius, holds, z)


def answer(release: Release, queries: ArrayLike) -> np.ndarray:
    """Whether points lie in the published ball; nowhere if none was found. Free: post-processing.

    Parameters
    ----------
    queries : array (k, d), public points, or private ones to be screened
    """
    return release.inside(queries)


def error_bound(params: Params, *, n: int) -> float:
    """Proved: with probability at least 1 - beta, a published ball lacks at most so many of t rows.

    Statements: NSV Theorem 3.2; NSV Lemma 3.7; NSV Lemma 4.12.

    Proof. Some ball of radius z about a row holds :func:`guaranteed` rows (beta / 2). The box
    that GoodCenter releases lacks at most ``good_center.error_bound`` of them (beta / 4); all rows
    D of the box are within its diagonal of each other. By Lemma 4.9 (beta / 8) an interval is
    longer than D is wide on each axis, and the one chosen holds a row of D, for only rows of D
    are counted: three intervals hold all of D, so none is cut off. The average of D is in the box,
    hence within its diagonal of each row of D; the noise is longer than :func:`noise_length` with
    probability beta / 8. Moving the centre into the public box moves it nearer to every row.

    >>> round(error_bound(Params(t=5000, d=2, epsilon=1, delta=1e-6), n=20_000))
    1731
    """
    n = checks.integer("n", n, at_least=1, at_most=10**18)
    step = params.center_params(1.0, n=n)
    return params.t - guaranteed(params, n) + good_center.error_bound(step, n=n)


def error_bound_radius(params: Params, *, n: int, least: float) -> float:
    """Proved: with probability at least 1 - beta, a published radius is at most this.

    Statements: NSV Theorem 3.2.

    If a ball of radius ``least`` holds t of the n rows. Proof. With probability 1 - beta / 8 it
    holds the rows that GoodRadius wants of its sample, so z is less than 2.45 times (4 times, with
    RecConcave) that radius and half the diagonal of a cell. The average's noisy count is at
    least the rows held, less the noise's quantile; inf if that is below 1.

    >>> params = Params(t=5000, d=2, epsilon=1, delta=1e-6)
    >>> round(error_bound_radius(params, n=20_000, least=0.02), 3)
    0.231
    """
    cell = math.sqrt(params.d) / 2 / (params.size - 1) * params.unit
    step = params.unit / (params.size - 1)
    z = max(step, WIDER.get(params.method, 2 * math.sqrt(1.5)) * (least + cell))
    center_params = params.center_params(z, n=n)
    quarter = params.epsilon / 8
    share = params.delta / 8
    held = params.t - error_bound(params, n=n)
    held -= 2 / quarter * (math.log(1 / share) + math.log(8 / params.beta))
    if held <= 1:
        return math.inf
    sd = (
        2
        * center_params.reach
        * accounting.gaussian_sd(epsilon=quarter / 2, delta=share / 2)
        / held
    )
    return center_params.side * center_params.radius * math.sqrt(params.d) + noise_length(
        sd, params
    )


def paper_bound(params: Params, *, n: int) -> float:
    """w with the constants of the lemmas, as far as they can be read: 4 times 451 sqrt(k).

    >>> round(paper_bound(Params(t=5000, d=2, epsilon=1, delta=1e-6), n=20_000))
    52811
    """
    return 4 * 451 * math.sqrt(math.ceil(46 * math.log2(2 * n / params.beta)))


def trial(
    params: Params,
    data: Planted | None = None,
    *,
    rng: checks.Seed,
    n: int = 20_000,
    spread: float = 0.02,
) -> dict[str, float]:
    """Look once for a planted ball, with fresh public randomness.

    Parameters
    ----------
    data : Planted, rows and what was planted among them; by default n rows with a ball of t
    n, spread : rows, and radius of the planted ball, where data are not given

    Returns
    -------
    dict with ``found``, ``error`` (of t rows, those that the ball lacks), ``bound``, ``ratio``
    (published radius over ``spread``), ``ratio_bound`` (proved), ``measured`` (radius about the
    centre that holds as many rows as were proved, over ``spread``), ``off`` (of the centre),
    ``z``, all over ``spread``

    >>> trial(Params(t=5000, d=2, epsilon=1, delta=1e-6), rng=0)["found"]
    1.0
    """
    rng = checks.generator(rng)
    if data is None:
        data = plant(n, params.t, params.d, spread, rng=rng).within(params.box)
    n, params = len(data.data), replace(params, seed=int(rng.integers(2**62)))
    ball = release(data.data, params, params.curator(rng=rng))
    bound = error_bound(params, n=n)
    away = np.sort(np.linalg.norm(data.data - ball.center, axis=1))
    rows = max(1, math.floor(params.t - bound))
    return {
        "found": float(ball.found),
        "error": max(0.0, params.t - float(answer(ball, data.data).sum())),
        "bound": bound,
        "ratio": ball.radius / data.spread,
        "ratio_bound": error_bound_radius(params, n=n, least=data.spread) / data.spread,
        "measured": float(away[rows - 1]) / data.spread,
        "off": float(np.linalg.norm(ball.center - data.centers[0])) / data.spread,
        "z": ball.z / data.spread,
    }


def noise_length(sd: float, params: Params) -> float:
    """What the noise of an average is longer than with probability beta / 8 at most.

    >>> round(noise_length(1.0, Params(t=5000, d=2, epsilon=1, delta=1e-6)), 2)
    4.37
    """
    return sd * (math.sqrt(params.d) + math.sqrt(2 * math.log(8 / params.beta)))


def share_of_sample(params: Params, n: int) -> int:
    """Rows of a ball of t that a sample holds with probability 1 - beta / 8; t without a sample.

    >>> share_of_sample(Params(t=5000, d=2, epsilon=1, delta=1e-6), 20_000)
    2431
    """
    if n <= params.sample:
        return params.t
    from scipy.stats import hypergeom

    return max(1, int(hypergeom.ppf(params.beta / 8, n, params.t, params.sample)))


@cache
def guaranteed(params: Params, n: int) -> int:
    """Rows of all n that some ball of radius z about a row holds, with probability 1 - beta / 2.

    Proof. By Lemma 3.6 (beta / 4) some ball of radius z about a row of the sample holds more
    than its share less ``loss`` of the sample. A ball of fewer than T of all rows holds so many
    with the hypergeometric law's tail; there are n centres and as many radii as candidates
    (together beta / 8; and beta / 8 for the share).

    >>> guaranteed(Params(t=5000, d=2, epsilon=1, delta=1e-6), 20_000)
    4283
    """
    radius_params = params.radius_params(share_of_sample(params, n))
    enough = math.floor(radius_params.t - radius_params.loss) + 1
    if n <= params.sample or enough <= 0:
        return max(0, enough)
    from scipy.stats import hypergeom

    rare = params.beta / 8 / (n * radius_params.candidates)
    low = 0
    high = params.t
    while low < high:
        middle = (low + high + 1) // 2
        rarely = hypergeom.sf(enough - 1, n, middle - 1, params.sample) <= rare
        low, high = (middle, high) if rarely else (low, middle - 1)
    return low


def check_size(n: int, params: Params) -> None:
    """Refuse what cannot work at this budget, before anything is spent.

    >>> check_size(20_000, Params(t=5000, d=2, epsilon=1, delta=1e-6))
    """
    checks.integer("t", params.t, at_least=1, at_most=n)
    lost = error_bound(params, n=n)
    if lost >= params.t:
        raise ValueError(
            f"t = {params.t} of n = {n} is too few at this budget: the theorem lets the ball lack "
            f"{lost:.0f} rows"
        )
