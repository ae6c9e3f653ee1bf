"""1-cluster theorem (Theorem 3.2): GoodRadius, then GoodCenter, and a ball of a proved radius.

**Paper.** Nissim, Stemmer and Vadhan (2016), Theorem 3.2, made of Lemma 3.6 (GoodRadius) and
Lemma 3.7 (GoodCenter, proved as Lemma 4.12).

**Setting.** n points of a public box, of which some ball of radius r_opt holds t. Neighbours
replace one record.

**Idea.** Half of the budget finds a radius z at which some ball holds nearly t rows; the other
half finds, for that radius, a box of side s z with nearly as many, and their noisy average. All of
them lie within the diagonal of the box from their average: that, and the noise, is the radius. One
inequality says whether a ball is found at all, and is tested before anything is paid.

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
beta            ``beta``          12 shares: 3 for GoodRadius, 1 for each of    probability
                                  9 other events
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
from dpviz.accounting.roots import first
from dpviz.papers.small_cluster import good_center, good_radius
from dpviz.papers.small_cluster.planted import Planted, plant
from dpviz.papers.small_cluster.public_grid import Ball, Boxed, check_grid
from dpviz.privacy.curator import AT_MOST_HALF, Curator
from dpviz.privacy.sparse_vector import threshold_accuracy

WIDER = {"RecConcave": 4.0}  # z over the least radius; 2.45 for the other methods
SHARES = 12  # of beta: 3 for GoodRadius, 1 each for 9 other events
MOST = 10**9  # records, in the search for an n that would do


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """What is looked for, the budget, the public randomness; all public.

    Attributes
    ----------
    t, d : int >= 1, rows that the ball should hold, columns
    epsilon, delta : the budget of the whole, half for each step
    size : int >= 2, grid points on the longest side; rounds : int >= 1, shifted grids tried at most
    sample : int >= 1, rows at most that GoodRadius looks at
    method : how GoodRadius chooses, one of ``good_radius.METHODS``
    seed : int >= 0, of the public randomness (sample, shifts, rotation)

    >>> round(Params(t=5000, d=2, epsilon=1, delta=1e-6, lower=0, upper=1).side, 2)
    2.36
    """

    delta_range = AT_MOST_HALF

    t: checks.Count
    size: int = 2**16
    rounds: int = 200
    sample: checks.Count = 10_000
    method: str = "exponential"
    seed: int = 0

    def __post_init__(self):
        super().__post_init__()
        checks.integer("rounds", self.rounds, at_least=10)
        checks.integer("seed", self.seed, at_least=0)
        check_grid(self.size, self.d)
        self.radius_params(self.t)

    @property
    def side(self) -> float:
        """s: a shifted grid holds a given ball of radius z whole with probability (1 - 2 / s)^d.

        All ``rounds`` of them miss it with probability ``share``.
        """
        often = -math.expm1(math.log(self.share) / self.rounds)
        return 2 / (1 - often ** (1 / self.d))

    @property
    def share(self) -> float:
        """One share of beta."""
        return self.beta / SHARES

    @property
    def public_box(self) -> dict:
        """What both steps are told of the box."""
        names = ("d", "lower", "upper", "outside")
        return {name: getattr(self, name) for name in names}

    def radius_params(self, t: int) -> good_radius.Params:
        """What GoodRadius is asked, for t of the rows that it looks at."""
        budget = {"epsilon": self.epsilon / 2, "delta": self.delta / 2, "beta": 3 * self.share}
        how = {"size": self.size, "method": self.method, **self.public_box}
        return good_radius.Params(t=t, **budget, **how)

    def center_params(self, z: float, *, n: int, seed: int = 0) -> good_center.Params:
        """What GoodCenter is asked, once z is known; ``seed`` of its public randomness."""
        budget = {"epsilon": self.epsilon / 2, "delta": self.delta / 2, "beta": 2 * self.share}
        gap = threshold_accuracy(checks=self.rounds, runs=1, beta=self.share)
        turned = good_center.turned_share(self.d, n=n, beta=self.share)
        lengths = {"side": self.side, "interval": self.side * math.sqrt(self.d) * turned}
        radius = z + math.sqrt(self.d) / (self.size - 1) * self.unit  # two roundings
        public = {"k": self.d, "rounds": self.rounds, "seed": seed, **self.public_box}
        rows = max(1, guaranteed(self, n))
        margin = 8 / self.epsilon * float(gap)
        return good_center.Params(
            t=rows, radius=radius, margin=margin, **lengths, **public, **budget
        )


@dataclass(frozen=True, eq=False)
class Release(Ball):
    """What the public sees: a :class:`Ball`; ``failed`` is "" or one of ``good_center.STEPS``.

    Attributes
    ----------
    z : float, what GoodRadius chose
    """

    promise = "that it is found, and its radius: promised"

    z: float


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """GoodRadius, then GoodCenter. Costs ``params.epsilon``, ``params.delta``, half each.

    Statements: NSV Theorem 3.2.

    Parameters
    ----------
    data : array (n, d), private

    Raises ValueError if t > n, or so few that no ball is promised (the message says how many would
    do); BudgetExceeded if the curator cannot pay. Nothing is spent then.
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
    z = good_radius.release(sample, params.radius_params(_share_of_sample(params, n)), payer).radius
    # The same stream goes on: the grids are independent of the sample, and so of z.
    step = params.center_params(z, n=n, seed=int(public_rng.integers(2**62)))
    center = good_center.release(rows, step, payer)
    radius = step.side * step.radius * math.sqrt(params.d) + _noise_length(center.sd, params)
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
    """Proved: with probability at least 1 - beta a ball is found, and lacks at most so many of t.

    Statements: NSV Theorem 3.2; NSV Lemma 3.7; NSV Lemma 4.12.
    Infinite if n is too small for a promise (:func:`promised`). The radius is that of
    :func:`error_bound_radius`, in the same event. Proof, with shares of beta, 12 in all. Some ball
    of radius z about a row holds T rows (:func:`guaranteed`, 5: sample 1, GoodRadius 3, balls 1).
    One of the shifted grids holds it in one box (1). By Lemma 4.9 (1) the rows of a box, which are
    within its diagonal of each other, are not wider than an interval on any rotated axis. So T is
    what `good_center.needed` asks of a ball: GoodCenter takes a grid, names a box that lacks at
    most ``good_center.error_bound`` of the T rows (2: comparisons, counts), an interval on each
    axis (1), and an average (1). No row D of the box is cut off, because the interval chosen holds
    a row of D (only rows of D are counted), so three intervals hold all of D. The average of D is
    in the box, hence within its diagonal of each row of D; the noise is longer than
    ``_noise_length`` with probability beta / 12 (1). Moving the centre into the public box moves
    it nearer to every row.

    >>> params = Params(t=5000, d=2, epsilon=1, delta=1e-6, lower=0, upper=1)
    >>> round(error_bound(params, n=20_000)), error_bound(params, n=10**8)
    (1777, inf)
    """
    params = replace(params, seed=0)  # which changes nothing, so that what is cached is found
    if not promised(params, n):
        return math.inf
    step = params.center_params(1.0, n=n)
    return params.t - guaranteed(params, n) + good_center.error_bound(step, n=n)


def error_bound_radius(params: Params, *, n: int, least: float) -> float:
    """Proved: within the event of :func:`error_bound`, the radius published is at most this.

    Statements: NSV Theorem 3.2.
    If a ball of radius ``least`` holds t of the n rows; infinite where nothing is promised. Proof.
    It holds the rows that GoodRadius wants of its sample, so z is less than 2.45 times (4 times,
    with RecConcave) that radius and half the diagonal of a cell. The average's noisy count is at
    least the rows held, less its shift and the noise's quantile.

    >>> params = Params(t=5000, d=2, epsilon=1, delta=1e-6, lower=0, upper=1)
    >>> round(error_bound_radius(params, n=20_000, least=0.02), 3)
    0.235
    """
    checks.number("least", least, at_least=0)
    lost = error_bound(params, n=n)
    if lost == math.inf:
        return math.inf
    cell = math.sqrt(params.d) / 2 / (params.size - 1) * params.unit
    step = params.unit / (params.size - 1)
    z = max(step, WIDER.get(params.method, 2 * math.sqrt(1.5)) * (least + cell))
    center_params = params.center_params(z, n=n)
    quarter = params.epsilon / 8
    delta = params.delta / 8
    shift = math.log(1 / delta) + math.log(1 / (2 * params.share))
    count = params.t - lost - 2 / quarter * shift
    unit = accounting.gaussian_sd(epsilon=quarter / 2, delta=delta / 2)
    sd = 2 * center_params.reach * unit / count
    diagonal = center_params.side * center_params.radius * math.sqrt(params.d)
    return diagonal + _noise_length(sd, params)


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

    Returns a dict with ``found``, ``error`` (of t rows, those that the ball lacks), ``bound``,
    ``ratio`` (published radius over ``spread``), ``ratio_bound`` (proved), ``measured`` (radius
    about the centre that holds as many rows as were proved, over ``spread``), ``off`` (of the
    centre), ``z``, all over ``spread``.

    >>> trial(Params(t=5000, d=2, epsilon=1, delta=1e-6, lower=0, upper=1), rng=0)["found"]
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
        **data.compared(ball),
        "ratio_bound": error_bound_radius(params, n=n, least=data.spread) / data.spread,
        "measured": float(away[rows - 1]) / data.spread,
        "z": ball.z / data.spread,
    }


def _noise_length(sd: float, params: Params) -> float:
    """What the noise of an average is longer than with probability beta / 12 at most."""
    return sd * (math.sqrt(params.d) + math.sqrt(2 * math.log(1 / params.share)))


def _share_of_sample(params: Params, n: int) -> int:
    """Rows of a ball of t in a sample with probability 1 - beta / 12; t without a sample."""
    if n <= params.sample:
        return params.t
    return max(1, _least_sampled(params.t, n, params.sample, params.share))


@cache
def _least_sampled(marked: int, n: int, sample: int, share: float) -> int:
    """Least x of which a sample of n rows holds at most x marked ones with probability share."""

    def often(x: int) -> bool:
        """Whether at least the rest of the sample is unmarked with probability share."""
        return _hypergeometric_tail(sample - x, n, n - marked, sample) >= share

    return first(often, -1, min(marked, sample))


def _hypergeometric_tail(least: int, n: int, marked: int, sample: int) -> float:
    """Probability that a sample of n rows, without replacement, holds ``least`` marked ones.

    On the far side of the mean, so that every factor of a further row is below 1; on the near side
    it is 1 less the far side of the unmarked. The relative error is below 1e-7 up to 10^7 rows and
    below 1e-5 up to 10^9; `scipy.stats` agrees, but takes longer to load than the search does.
    """
    if least * n < marked * sample:
        return 1 - _hypergeometric_tail(sample - least + 1, n, n - marked, sample)
    most = min(marked, sample)
    if least > most:
        return 0.0
    x = np.arange(least, most, dtype=float)
    further = (marked - x) * (sample - x) / ((x + 1) * (n - marked - sample + x + 1))
    log_count = _log_choose(marked, least) + _log_choose(n - marked, sample - least)
    first = math.exp(log_count - _log_choose(n, sample))
    return first * (1 + float(np.cumprod(further).sum()))


def _log_choose(n: int, k: int) -> float:
    """ln of the number of ways to take k of n."""
    from scipy.special import betaln

    return -math.log(n + 1) - float(betaln(n - k + 1, k + 1))


@cache
def guaranteed(params: Params, n: int) -> int:
    """T: rows of all n that some ball of radius z about a row holds, but for 5 shares of beta.

    Proof. By Lemma 3.6 (3 shares) some ball of radius z about a row of the sample holds more
    than its share less ``loss`` of the sample. A ball of fewer than T of all rows holds so many
    with the hypergeometric law's tail; there are n centres and as many radii as candidates
    (together 1; and 1 for the share).

    >>> guaranteed(Params(t=5000, d=2, epsilon=1, delta=1e-6, lower=0, upper=1), 20_000)
    4271
    """
    radius_params = params.radius_params(_share_of_sample(params, n))
    enough = math.floor(radius_params.t - radius_params.loss) + 1
    if n <= params.sample or enough <= 0:
        return max(0, enough)
    rare = params.share / (n * radius_params.candidates)
    sample = params.sample
    return first(lambda x: _hypergeometric_tail(enough, n, x, sample) > rare, -1, params.t)


def needed(params: Params, n: int) -> good_center.Needed:
    """Rows of a ball from which on the box, the intervals and the average are found.

    Statements: NSV Lemma 3.7; NSV Lemma 4.12.

    >>> params = Params(t=5000, d=2, epsilon=1, delta=1e-6, lower=0, upper=1)
    >>> [round(rows) for rows in vars(needed(params, 20_000)).values()]
    [1057, 2243, 1369]
    """
    return good_center.needed(params.center_params(1.0, n=n), n=n)


@cache
def promised(params: Params, n: int) -> bool:
    """Whether the theorem promises a ball: T of :func:`guaranteed` are as many as are needed.

    Statements: NSV Theorem 3.2.

    >>> params = Params(t=2500, d=10, epsilon=1, delta=1e-6, lower=0, upper=1)
    >>> promised(params, 10_000), promised(replace(params, t=10_000), 40_000)
    (False, True)
    """
    n = checks.integer("n", n, at_least=1, at_most=10**18)
    checks.integer("t", params.t, at_least=1, at_most=n)
    return guaranteed(params, n) >= needed(params, n).most


def smallest_t(params: Params, *, n: int) -> int | None:
    """Least t that is promised a ball among n rows; None if not even n are.

    T rises with t, and what is needed does not depend on it.
    Statements: NSV Theorem 3.2.

    >>> smallest_t(Params(t=1, d=10, epsilon=1, delta=1e-6, lower=0, upper=1), n=40_000)
    9478
    """
    if not promised(replace(params, t=n), n):
        return None
    return first(lambda t: promised(replace(params, t=t), n), 0, n)


def smallest_n(params: Params, *, share: float) -> int | None:
    """Least n from which on t = share n rows are promised a ball; None if not even 10^9 are.

    By halving: the rows that are sure rise with n, what is needed only like ln n. Where t stays as
    n rises by one, T may fall by a row, so the next 4 / share n (64 at most) are looked at, too.
    Statements: NSV Theorem 3.2.

    >>> smallest_n(Params(t=1, d=10, epsilon=1, delta=1e-6, lower=0, upper=1), share=0.25)
    37531
    """
    checks.number("share", share, above=0, at_most=1)

    def enough(n: int) -> bool:
        """Whether so many are."""
        return promised(replace(params, t=max(1, math.floor(share * n))), n)

    if not enough(MOST):
        return None
    high = 1000
    while not enough(high):
        high *= 2
    high = first(enough, 0, high)
    more = math.ceil(min(64, 4 / share))
    last = high + more
    while high < last:
        last -= 1
        if not enough(last):
            high = last + 1
            last = high + more
    return high


def check_size(n: int, params: Params) -> None:
    """Refuse what is promised nothing at this budget, before anything is spent.

    >>> check_size(20_000, Params(t=5000, d=2, epsilon=1, delta=1e-6, lower=0, upper=1))
    """
    checks.integer("t", params.t, at_least=1, at_most=n)
    params = replace(params, seed=0)  # which changes nothing, so that what is cached is found
    if promised(params, n):
        return
    rows = guaranteed(params, n)
    steps = needed(params, n)
    most = max(vars(steps), key=vars(steps).__getitem__)
    t = smallest_t(params, n=n)
    n_enough = smallest_n(params, share=params.t / n)
    would = [] if t is None else [f"t = {t} of these n"]
    would += [] if n_enough is None else [f"n = {n_enough} with the same share"]
    raise ValueError(
        f"t = {params.t} of n = {n} is too few at this budget for a promise: a ball of "
        f"{rows} rows is sure, the step {most!r} needs {steps.most:.0f}; "
        f"{' or '.join(would) or f'with sample = {params.sample} no n up to 10^9'} would do"
    )
