"""GoodCenter: given a radius, find the centre of a ball that holds about t rows.

**Paper.** Nissim, Stemmer and Vadhan (2016), Algorithm 2 (GoodCenter, as corrected in the
second version) and Appendix A (NoisyAVG).

**Setting.** n points of the unit cube; a ball of a known radius r holds t of them. Neighbours
replace one record.

**Idea.** In few dimensions a box of side a few r, at a lucky random place, holds the cluster.
So project to k dimensions, try shifted grids until a box is full, and keep the rows in it. In
d dimensions they lie in a ball, but where? Look along d axes and take an interval on each.
On the given axes the product of the intervals would be sqrt(d) too wide; after a random
rotation each interval is sqrt(d) narrower. Average what lies in the ball around that box.

**Symbols.**

==============  =================  ==========================================  ============
paper           here               meaning                                     shape, unit
==============  =================  ==========================================  ============
k, f            ``k``, ``project`` dimension and map of the projection         count, (k, d)
300 r           ``side`` r         side of a box                               side of cube
900 r ...       ``interval`` r     length of an interval                       side of cube
R               ``rounds``         grids tried at most                         count
z_1 ... z_d     ``basis``          rotated axes                                (d, d)
D, C, D'        ``inside``         rows in the box, in the ball, in both       (n,)
R_C             ``reach``          radius of C; enforced; sets the noise       side of cube
y^              ``center``         the answer                                  (d,)
==============  =================  ==========================================  ============

**Departures.** (1) ``Params.paper`` has the printed constants (k = 46 log2(2n / beta): in base
2, or the projection's lemma fails), ``Params.practical`` lengths that a few thousand rows
allow: both are private, for no length matters to privacy. (2) R_C is the half diagonal of the
extended box; the printed 2700 is twice that. (3) The intervals share (epsilon, delta) / 4
exactly; the printed share is smaller, and below basic composition for d < 6.25 ln(8 / delta).
(4) The average is `Curator.count_average`: the same two noises, 4 times smaller.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz import accounting, checks
from dpviz.papers.small_cluster.good_center_steps import (
    box,
    full_grid,
    middle,
    projection,
    rotation,
)
from dpviz.papers.small_cluster.planted import plant
from dpviz.papers.small_cluster.radius_methods import threshold_room
from dpviz.privacy.private_data import OUTSIDE, unit_points

STEPS = ("rounds", "box", "axes", "average")
FAR = 1e9  # where rows are put that no ball may hold


@dataclass(frozen=True, kw_only=True)
class Params:
    """Radius, count, price, lengths, public coins; all public.

    Attributes
    ----------
    t : int >= 1; d : int >= 1; radius : float > 0 (released before, or known)
    epsilon, delta : the price of the whole
    beta : float in (0, 1)
    k : int >= 1, dimension of the projection
    side, interval : float > 0, lengths in units of ``radius``
    rounds : int >= 1, grids tried at most
    room : float >= 0, rows below t at which the threshold stands
    printed : bool, whether each interval has the printed share of the price
    seed : int >= 0, of the public coins (projection, shifts, rotation)
    outside : "clip" or "refuse"

    >>> Params.practical(t=100, d=10, radius=0.02, epsilon=1, delta=1e-6, n=1000).side
    8.0
    """

    t: int
    d: int
    radius: float
    epsilon: float
    delta: float
    k: int
    side: float
    interval: float
    rounds: int
    room: float
    beta: float = 0.1
    printed: bool = False
    seed: int = 0
    outside: str = "clip"

    def __post_init__(self):
        for name, least in {"t": 1, "d": 1, "k": 1, "rounds": 1, "seed": 0}.items():
            checks.integer(name, getattr(self, name), at_least=least)
        for name in ("radius", "epsilon", "side", "interval"):
            checks.number(name, getattr(self, name), above=0)
        checks.number("delta", self.delta, above=0, at_most=0.5)
        checks.number("beta", self.beta, above=0, below=1)
        checks.number("room", self.room, at_least=0)
        checks.choice("outside", self.outside, OUTSIDE)

    @classmethod
    def paper(cls, *, n: int, t: int, d: int, radius: float, epsilon: float, **rest) -> Params:
        """The printed constants for n rows; rounds are cut at 10^6."""
        beta = rest.get("beta", 0.1)
        bits = math.log2(2 * n / beta)
        k, rounds = math.ceil(46 * bits), math.ceil(min(1e6, 2 * n / beta * math.log2(1 / beta)))
        long = 900 * math.sqrt(k * math.log(d * n / beta) / d)
        lengths = {"side": 300.0, "interval": long, "room": 100 / epsilon * bits}
        price = {"epsilon": epsilon, "printed": True}
        return cls(t=t, d=d, radius=radius, k=k, rounds=rounds, **price, **lengths, **rest)

    @classmethod
    def practical(cls, *, n: int, t: int, d: int, epsilon: float, **rest) -> Params:
        """Four dimensions at most, boxes of 8 radii, intervals as long as a ball is wide."""
        beta, k, rounds = rest.get("beta", 0.1), rest.pop("k", min(4, d)), 200
        width = 2 * min(1.0, 2 * math.sqrt(math.log(d * n / beta) / d))
        room = threshold_room(rounds, epsilon=epsilon / 4, beta=beta)
        lengths = {"side": 8.0, "interval": width, "room": room}
        return cls(t=t, d=d, k=k, rounds=rounds, epsilon=epsilon, **lengths, **rest)

    @property
    def reach(self) -> float:
        """R_C: half the diagonal of a cube of three intervals."""
        return 1.5 * self.interval * self.radius * math.sqrt(self.d)

    @property
    def axis(self) -> tuple[float, float]:
        """(epsilon, delta) of one interval; all d cost a quarter of the price at most."""
        delta = self.delta / (8 * self.d)
        if self.printed:
            return self.epsilon / (10 * math.sqrt(self.d * math.log(8 / self.delta))), delta
        quarter = {"total": self.epsilon / 4, "delta": self.delta / 8}
        return accounting.step_for(**quarter, k=self.d, rule="exact"), delta


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees; ``failed`` is "" or the step that found nothing.

    Attributes
    ----------
    failed : str, "" or one of ``STEPS``
    center : array (d,), NaN if not found
    reach : float, radius of the ball that was averaged
    tries : int, grids tried
    corner : array (d,), centre of that ball, NaN before its step
    """

    failed: str
    center: np.ndarray
    reach: float
    tries: int
    corner: np.ndarray

    @property
    def found(self) -> bool:
        """Whether there is a centre."""
        return not self.failed


def release(data: Any, params: Params, curator: Any) -> Release:
    """Find a centre. Costs ``params.epsilon``, ``params.delta``, found or not.

    Four quarters: AboveThreshold, the box, the intervals, the average. Each step is private
    for every earlier output; projection, shifts and axes are public coins.

    Parameters
    ----------
    data : array (n, d) in the unit cube, private

    Raises
    ------
    ValueError
        If t > n or the columns are not d; nothing is spent.
    """
    rows = unit_points(data, outside=params.outside)
    checks.integer("t", params.t, at_least=1, at_most=len(rows))
    if rows.shape[1] != params.d:
        raise ValueError(f"data must have d = {params.d} columns, not {rows.shape[1]}")
    part = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="centre")
    coins, unknown = np.random.default_rng(params.seed), np.full(params.d, np.nan)
    low = rows @ projection(params.k, params.d, coins).T  # step 1, all rows before any is left out
    shift, tries = full_grid(low, params, part, coins)  # steps 2-6
    if shift is None:
        return Release("rounds", unknown, params.reach, tries, unknown)
    inside = box(low, shift, params, part)  # step 7
    if inside is None:
        return Release("box", unknown, params.reach, tries, unknown)
    corner = middle(rows, inside, rotation(params.d, coins), params, part)  # steps 8-10
    if corner is None:
        return Release("axes", unknown, params.reach, tries, unknown)
    kept = np.where(inside[:, None], rows, FAR)  # step 11: D' = D and C, enforced by the verb
    price = {"epsilon": params.epsilon / 4, "delta": params.delta / 4, "label": "average"}
    mean = part.count_average(kept, center=corner, radius=params.reach, **price)
    center = unknown if mean is None else np.clip(mean.center, 0, 1)
    return Release("" if mean else "average", center, params.reach, tries, corner)


def error_bound(params: Params, n: int) -> float:
    """Proved: but for beta, a box that is released lacks at most this many of t rows.

    Proof. All noises of AboveThreshold within x = ``threshold_room`` (at beta / 2): a hit has
    at least t - room - x rows in its fullest box. Then at most n counts have Laplace noise of
    scale 8 / epsilon, all within (8 / epsilon) ln(2 n / beta) but for beta / 2; the box with
    the largest noisy count has at most twice that fewer.

    >>> params = Params.practical(t=25_000, d=10, radius=0.03, epsilon=1, delta=1e-6, n=100_000)
    >>> round(error_bound(params, 100_000))
    527
    """
    room = threshold_room(params.rounds, epsilon=params.epsilon / 4, beta=params.beta / 2)
    return params.room + room + 16 / params.epsilon * math.log(2 * n / params.beta)


def paper_bound(params: Params) -> float:
    """Lemma 4.12: the radius 451 r sqrt(k) about the centre.

    >>> paper = Params.paper(n=10**5, t=25_000, d=10, radius=0.02, epsilon=1, delta=1e-6)
    >>> round(paper_bound(paper))
    280
    """
    return 451 * params.radius * math.sqrt(params.k)


def trial(params: Params, n: int, spread: float = 0.02, *, rng: checks.Seed) -> dict[str, float]:
    """Plant a ball, look for its centre once with fresh public coins.

    Returns
    -------
    dict with ``found``, ``off`` (centre's distance from the truth, over ``spread``), ``ratio``
    (radius about the centre that holds nine tenths of the cluster, over ``spread``), ``tries``,
    ``reach`` over ``spread``

    >>> params = Params.practical(t=5000, d=2, radius=0.03, epsilon=2, delta=1e-6, n=10_000)
    >>> trial(params, 10_000, rng=0)["off"] < 1
    True
    """
    from dpviz.privacy.curator import Curator

    rng = checks.generator(rng)
    planted = plant(n, params.t, params.d, spread, rng=rng)
    params = replace(params, seed=int(rng.integers(2**62)))
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    found = release(planted.data, params, curator)
    own = planted.data[planted.clusters[0]]
    away = np.linalg.norm(own - found.center, axis=1)
    return {
        "found": float(found.found),
        "off": float(np.linalg.norm(found.center - planted.centers[0])) / spread,
        "ratio": float(np.quantile(away, 0.9)) / spread if found.found else math.nan,
        "tries": found.tries,
        "reach": found.reach / spread,
    }
