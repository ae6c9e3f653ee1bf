"""The 1-cluster problem on a planted ball; the rows of lesson 07; one search of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import nan
from pathlib import Path

import numpy as np

from dpviz import checks
from dpviz.data import real_sets
from dpviz.papers.small_cluster import baselines, one_cluster, radius_then_center
from dpviz.papers.small_cluster.planted import Planted, plant
from dpviz.sweeps import seeds
from dpviz.sweeps.experiment import Experiment

FOLDER = Path(__file__).parent

SPREAD = 0.02  # radius of what is planted, in sides of the box
SHAPES = {"planted ball": "ball", "ring": "ring", "two balls": "two", "no cluster": "none"}
DIGITS = "digits"
CLINIC = "clinic"
WINE = "wine"
DELTA = 1e-6  # of one search
QUICK = {"sample": 2000, "shifts": 10}  # the search of the explorer, which says so
FREQUENCIES = [(a, b) for a in range(4) for b in range(4) if 0 < a + b <= 3]


def trial(
    params: one_cluster.Params,
    data: Planted | None = None,
    *,
    rng: checks.Seed,
    n: int = 10_000,
) -> dict[str, float]:
    """One trial with t a quarter of n; only what the figures need."""
    run = one_cluster.trial(replace(params, t=n // 4), data, rng=rng, n=n)
    fields = ("ratio", "captured", "success", "error", "bound")
    return {name: run[name] if run[name] == run[name] else -1.0 for name in fields}


PLANTED = Experiment(
    name="cluster_planted",
    shows="Radius, capture and failures against n for a planted ball with a quarter of the rows.",
    trial=trial,
    params=one_cluster.Params(t=1, d=2, epsilon=1.0, delta=1e-6, lower=0.0, upper=1.0),
    grid={"d": (2, 10, 50), "n": (1000, 1500, 2000, 3000, 5000, 10_000)},
    repeats=20,
    rng=2016,
    folder=FOLDER,
)


def theorem_trial(
    params: radius_then_center.Params,
    data: Planted | None = None,
    *,
    rng: checks.Seed,
    n: int = 20_000,
) -> dict[str, float]:
    """The theorem's algorithm and the practical solver on the same rows, t a quarter of n."""
    rng = checks.generator(rng)
    params = replace(params, t=n // 4)
    rows = plant(n, params.t, params.d, rng=rng) if data is None else data
    run = radius_then_center.trial(params, rows, rng=rng)
    budget = {"epsilon": params.epsilon, "delta": params.delta}
    solver = one_cluster.Params(t=params.t, d=params.d, lower=0.0, upper=1.0, **budget)
    practical = one_cluster.trial(solver, rows, rng=rng)["ratio"]
    fields = ("found", "error", "bound", "ratio", "ratio_bound", "measured")
    numbers = {name: run[name] for name in fields} | {"practical": practical}
    return {name: value if value == value else -1.0 for name, value in numbers.items()}


THEOREM = Experiment(
    name="cluster_theorem",
    shows="Radius published and proved by the 1-cluster theorem's algorithm, and the solver's.",
    trial=theorem_trial,
    params=radius_then_center.Params(t=1, d=2, epsilon=1.0, delta=1e-6, lower=0.0, upper=1.0),
    grid={"d": (2, 10), "n": (40_000, 60_000, 100_000)},
    repeats=12,
    rng=2016,
    folder=FOLDER,
)

# From which n on a quarter of the rows are promised a ball, by d, at epsilon 1 and delta 1e-6.
PROMISED = {1: 6820, 2: 9380, 5: 19_924, 10: 37_531, 20: 66_140, 30: 83_317, 50: 113_879}


def promise_trial(
    params: radius_then_center.Params, data: Planted | None = None, *, rng: checks.Seed
) -> dict[str, float]:
    """The theorem's algorithm on the fewest rows that it promises anything for."""
    n = PROMISED[params.d]
    run = radius_then_center.trial(replace(params, t=n // 4), data, rng=rng, n=n)
    fields = ("found", "error", "bound", "ratio", "ratio_bound")
    return {name: run[name] if run[name] == run[name] else -1.0 for name in fields}


PROMISE = Experiment(
    name="cluster_promise",
    shows="Whether a ball is found within the promise, at the smallest n that it is made for.",
    trial=promise_trial,
    params=radius_then_center.Params(t=1, d=2, epsilon=1.0, delta=DELTA, lower=0.0, upper=1.0),
    grid={"d": (2, 10)},
    repeats=200,
    rng=2016,
    folder=FOLDER,
)
PROMISE_WIDE = replace(PROMISE, name="cluster_promise_wide", grid={"d": (30, 50)}, repeats=60)


@lru_cache
def dct_coefficients() -> np.ndarray:
    """Nine coefficients of the discrete cosine transform of each picture, in [0, 1]; (1797, 9).

    The frequencies and the scale are public. No coefficient can leave [0, 1], because the
    positive and negative values of a cosine weigh the same.

    >>> dct_coefficients().shape
    (1797, 9)
    """
    at = np.pi * (np.arange(8) + 0.5) / 8
    cosines = np.array([np.outer(np.cos(a * at), np.cos(b * at)).ravel() for a, b in FREQUENCIES])
    coefficients = real_sets.digits().unit() @ cosines.T / np.abs(cosines).sum(axis=1)
    return coefficients + 0.5


@lru_cache
def digit_labels() -> np.ndarray:
    """Which figure each picture shows, 0 to 9; only to judge what was found; (1797,)."""
    return real_sets.bundled("digits.csv.gz")[:, -1].astype(int)


def rows_of(source: str, n: int, d: int, t: int, rng: checks.Seed) -> Planted:
    """Rows in the unit cube, which of them were planted, and their radius.

    A real set has its own n, at most d of its columns (two at least), and nothing planted.

    >>> rows_of(WINE, 1, 3, 1, 0).data.shape, rows_of("ring", 9, 3, 4, 0).data.shape
    ((178, 3), (9, 3))
    """
    if source in SHAPES:
        return plant(n, t, d, SPREAD, SHAPES[source], rng=rng)
    real = {
        DIGITS: dct_coefficients,
        CLINIC: real_sets.breast_cancer().unit,
        WINE: real_sets.wine().unit,
    }[source]()
    real = real[:, : max(d, 2)]
    return Planted(real, (), np.empty((0, real.shape[1])), nan)


@dataclass(frozen=True, eq=False)
class Seen:
    """One search and what it is compared with.

    Attributes
    ----------
    source : which data: one of SHAPES, or a real set
    planted : Planted, the private rows and what was planted among them (nothing in real sets)
    params : one_cluster.Params
    found : one_cluster.Release, or None if the search was refused before anything was spent
    refused : why, or ""
    mean : array (d,), noisy mean of all rows with the same budget
    held : rows in the ball; private
    ratio, captured : to the planted radius and of the planted rows; NaN where unknown
    pin : array (d,), where a reader guesses the cluster, or None
    """

    source: str
    planted: Planted
    params: one_cluster.Params
    found: one_cluster.Release | None
    refused: str
    mean: np.ndarray
    held: int
    ratio: float
    captured: float
    pin: np.ndarray | None = None

    @property
    def points(self) -> np.ndarray:
        """The rows, (n, d); private."""
        return self.planted.data

    @property
    def reach(self) -> float:
        """Radius of the smallest ball around the pin that holds t rows; private."""
        away = np.linalg.norm(self.points - self.pin, axis=1)
        return float(np.partition(away, self.params.t - 1)[self.params.t - 1])


def find_ball(
    *, source: str, n: int, d: int, share: float, epsilon: float, seed: int, quick: bool = True
) -> Seen:
    """Search once, by a smaller search than the default if ``quick``; rows as :func:`rows_of`.

    The rows, the public randomness, the search and the mean of all draw from a stream each.
    """
    checks.integer("n", n, at_least=2)
    rows, public_rng, search, other = seeds.spawn(seed, 4)
    t = max(1, int(share * n)) if source != "two balls" else max(1, int(min(share, 0.5) * n))
    planted = rows_of(source, n, d, t, rows)
    n, d = planted.data.shape
    t = t if source in SHAPES else max(1, int(share * n))
    budget = {"epsilon": epsilon, "delta": DELTA}
    params = one_cluster.Params.draw(
        rng=public_rng, t=t, d=d, lower=0.0, upper=1.0, **budget, **(QUICK if quick else {})
    )
    everyone = baselines.Params(
        t=t, d=d, lower=0.0, upper=1.0, **budget, method="mean of all", size=2**16
    )
    mean = baselines.release(planted.data, everyone, everyone.curator(rng=other)).center
    try:
        ball = one_cluster.release(planted.data, params, params.curator(rng=search))
    except ValueError as refusal:
        return Seen(source, planted, params, None, str(refusal), mean, 0, nan, nan)
    inside = one_cluster.answer(ball, planted.data)
    captured = max((float(inside[own].mean()) for own in planted.clusters), default=nan)
    ratio = ball.radius / planted.spread
    return Seen(source, planted, params, ball, "", mean, int(inside.sum()), ratio, captured)
