"""Distance queries (lesson 03): all methods over n, d, k, epsilon; one column; the nearest grower.

The running example: three growers each publish the distance curves of their archive once, and a
newcomer is told to which one it is nearest on average. Newcomers are bottles that no archive holds:
a tenth of the wines at a time is kept out of the archives, and asks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from dpviz import checks
from dpviz.data import real_sets
from dpviz.papers.distance_queries.baselines import comparison
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance, mixture
from dpviz.papers.distance_queries.learner.convex_learner import Tangents
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet
from dpviz.privacy.curator import Curator
from dpviz.sweeps.experiment import Experiment

FOLDER = Path(__file__).parent

N = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
D = (1, 2, 5, 10)
K = (1, 100, 10_000, 100_000)
EPSILONS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
COMPOSITIONS = ("zcdp", "pure")
ORDER = (12, 6, 9, 0, 5, 11, 10, 1, 4, 8, 3, 7, 2)  # columns; chosen by someone who had looked
FOLDS = 10
DELTA = 1e-6  # of each archive, and of one column
MADE = "made up"
PROLINE = "wine: proline (n = 178)"
GRID = np.linspace(0, 1, 201)
ASKED = 10_000  # questions about one column
UPDATES = [1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 50, 60]
BEST = "best"  # number of updates
BUDGETS = {"zCDP": "zcdp", "pure ε": "pure"}  # how they add, in words
GROWERS_EPSILONS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]


@dataclass(frozen=True, kw_only=True)
class Archives:
    """How the archives are run: the first ``d`` columns of ORDER, at (epsilon, DELTA)."""

    d: int
    epsilon: float


@lru_cache(maxsize=16)
def column(source: str, n: int) -> AverageDistance:
    """One column of private records, sorted once: n made up, or the proline of the wines.

    >>> column(MADE, 5).n, column(PROLINE, 5).n
    (5, 178)
    """
    if source == PROLINE:
        return AverageDistance(real_sets.wine().column("proline"))
    return AverageDistance(mixture(n, 1, rng=2014))


@dataclass(frozen=True, eq=False)
class Answered:
    """One run on one column, beside the plans it could have had.

    Attributes
    ----------
    params : l1.Params
    curve : array (201,), the true curve on the grid
    hypothesis : Tangents, what was learnt
    updates : array, their places
    error : float, of the worst of all answers
    terms : dict of arrays over UPDATES: "test_accuracy" and "tau", terms of the proved error
    """

    params: l1.Params
    curve: np.ndarray
    hypothesis: Tangents
    updates: np.ndarray
    error: float
    terms: dict[str, np.ndarray]


def bounds(sizes: np.ndarray) -> np.ndarray:
    """The proved error of one column by zCDP at epsilon = 1 for each size.

    >>> bounds(np.array([100_000])).round(4).tolist()
    [0.017]
    """
    params = [asked(int(n), "zcdp", BEST, epsilon=1.0) for n in sizes]
    return np.array([l1.error_bound(each) for each in params])


@lru_cache(maxsize=512)
def bound_terms(n: int, composition: str, *, epsilon: float) -> dict[str, np.ndarray]:
    """The terms of the proved error for every number of updates."""
    plans = [asked(n, composition, updates, epsilon=epsilon).plan for updates in UPDATES]
    return {term: np.array([getattr(p, term) for p in plans]) for term in ("test_accuracy", "tau")}


def asked(n: int, composition: str, updates: int | str, *, epsilon: float) -> l1.Params:
    """The public numbers of one run."""
    return l1.Params(
        n=n,
        d=1,
        k=ASKED,
        epsilon=epsilon,
        delta=DELTA if composition == "zcdp" else 0.0,
        composition=composition,
        updates=None if updates == BEST else updates,
        lower=0.0,
        upper=1.0,
    )


def answer_column(
    *, n: int, epsilon: float, updates: int | str, composition: str, source: str, seed: int
) -> Answered:
    """Ask ASKED uniform questions of one column."""
    data = column(source, n)
    name = BUDGETS[composition]
    params = asked(data.n, name, updates, epsilon=epsilon)
    rng = np.random.default_rng(seed)
    queries = rng.uniform(size=ASKED)
    mechanism = l1.Interactive(data, params, params.curator(rng=rng))
    values, _ = mechanism.answer_all(queries)
    error = float(np.abs(values - data.values(queries[:, None])[:, 0]).max())
    places = np.array([event.place for event in mechanism.history if event.kind == "measured"])
    curve = data.values(GRID[:, None])[:, 0]
    terms = bound_terms(data.n, name, epsilon=epsilon)
    return Answered(params, curve, mechanism.learners[0], places, error, terms)


@lru_cache
def bottles() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Records (178, 13) in the lesson's order of columns, growers, and the fold of each."""
    rows = real_sets.wine().unit()[:, ORDER]
    grower = real_sets.growers().data[:, 0].astype(int)
    return rows, grower, np.random.default_rng(0).permutation(len(rows)) % FOLDS


def archives(fold: int) -> list[np.ndarray]:
    """The records of each grower without those of one fold; list of (n_g, 13)."""
    rows, grower, folds = bottles()
    return [rows[(grower == g) & (folds != fold)] for g in range(3)]


def trial_growers(params: Archives, *, rng: checks.Seed) -> dict[str, float]:
    """Share of newcomers whose grower is named correctly; an archive is released for each fold.

    Returns
    -------
    dict with ``right`` in [0, 1]
    """
    rows, grower, folds = bottles()
    rng = np.random.default_rng(rng)
    right = 0
    for fold in range(FOLDS):
        new = folds == fold
        updates = [
            curves.answer(released(own, params, rng), rows[new, : params.d])
            for own in archives(fold)
        ]
        right += int((np.argmin(updates, axis=0) == grower[new]).sum())
    return {"right": right / len(rows)}


def released(own: np.ndarray, params: Archives, rng: np.random.Generator) -> curves.Curves:
    """One archive's curves, by whichever release has the smaller error: Haar for one column."""
    pure = params.d == 1
    public = curves.Params(
        n=len(own),
        d=params.d,
        epsilon=params.epsilon,
        delta=0.0 if pure else DELTA,
        cells=256,
        lower=0.0,
        upper=1.0,
    )
    curator = Curator(epsilon=params.epsilon, delta=public.delta, rng=rng)
    return (haar_wavelet if pure else average_sign).release(own[:, : params.d], public, curator)


@lru_cache
def exact_share() -> np.ndarray:
    """Share of newcomers that exact distances assign to the right grower; (13,)."""
    rows, grower, folds = bottles()
    right = np.zeros(rows.shape)
    for fold in range(FOLDS):
        new = folds == fold
        distances = [np.abs(rows[new][:, None] - own).mean(axis=1) for own in archives(fold)]
        nearest = np.cumsum(distances, axis=2).argmin(axis=0)
        right[new] = nearest == grower[new, None]
    return right.mean(axis=0)


METHODS = Experiment(
    name="distance_methods",
    shows="Which method has the smallest error at each n, d, k and epsilon.",
    trial=comparison.trial,
    params=comparison.Params(n=100, d=1, k=1, epsilons=EPSILONS),
    grid={"n": N, "d": D, "k": K},
    repeats=3,
    rng=2014,
    folder=FOLDER,
)
SLOPES = Experiment(
    name="distance_slopes",
    shows="How the interactive mechanism's error falls with n, in both compositions.",
    trial=l1.trial,
    params=l1.Params(
        n=1000, d=1, k=10_000, epsilon=1, delta=1e-6, composition="zcdp", lower=0.0, upper=1.0
    ),
    grid={"composition": COMPOSITIONS, "n": N[2:]},
    repeats=40,
    rng=2014,
    folder=FOLDER,
)
DIMENSION = replace(
    SLOPES,
    name="distance_dimension",
    shows="How the interactive mechanism's error grows with the columns, in both compositions.",
    params=replace(SLOPES.params, n=300_000, k=1000),
    grid={"composition": COMPOSITIONS, "d": (1, 2, 4, 8)},
    repeats=12,
    rng=2016,
)
BASELINES = replace(
    METHODS,
    name="distance_baselines",
    shows="How the errors of all methods fall with n: one column, ten thousand queries.",
    params=comparison.Params(n=1000, d=1, k=10_000),
    grid={"n": N[2:]},
    repeats=40,
    rng=2015,
)
GROWERS = Experiment(
    name="distance_growers",
    shows="How often a newcomer's grower is named correctly from released curves.",
    trial=trial_growers,
    params=Archives(d=1, epsilon=1),
    grid={"d": range(1, 14), "epsilon": GROWERS_EPSILONS},
    repeats=10,
    rng=2014,
    folder=FOLDER,
)
