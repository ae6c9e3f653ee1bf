"""The convex learner (lesson 02): one run on a column or a made curve; mistakes of many runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from dpviz import checks
from dpviz.data import real_sets
from dpviz.papers.distance_queries.learner import mistake_bounds, other_learners
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import (
    FirstOrder,
    Learner,
    Run,
    Tangents,
    learn,
)
from dpviz.sweeps.slope import Slope
from dpviz.sweeps.sweep import Sweep

COLUMNS = {
    "wine: alcohol": ("wine", "alcohol"),
    "wine: proline": ("wine", "proline"),
    "clinic: mean radius": ("breast cancer", "mean radius"),
    "clinic: mean area": ("breast cancer", "mean area"),
}

ORDERS = mistake_bounds.ORDERS
WORST = "worst data"
TENT = "a tent (not convex)"
LEARNERS = {"tangents": Tangents, "nearest value": other_learners.NearestConstant}
ORACLE_ERRORS = {"none": 0.0, "α/8": 1 / 8, "α/4": 1 / 4, "α/2": 1 / 2}


@dataclass(frozen=True, eq=False)
class Learnt:
    """One run and what it is compared with.

    Attributes
    ----------
    what : the data, the order and the oracle in words
    function, learner, run : the curve, the learner after all questions, what happened
    alpha : tolerated error of this coordinate
    d, total : number of coordinates, and mistakes of all of them together
    bound, paper : proved limit and the paper's, for all coordinates; inf where there is none
    """

    what: str
    function: FirstOrder
    learner: Learner
    run: Run
    alpha: float
    d: int
    total: int
    bound: float
    paper: float


@lru_cache
def columns(name: str) -> list[tuple[str, AverageDistance]]:
    """The named column first, then the others of its set in order, each as a function."""
    real = real_sets.SETS[COLUMNS[name][0]]()
    first = real.columns.index(COLUMNS[name][1])
    order = [*range(first, len(real.columns)), *range(first)]
    names = [real.columns[i] for i in order]
    return [(column, AverageDistance(real.column(column))) for column in names]


def functions(source: str, d: int, alpha: float) -> list[FirstOrder]:
    """The functions to be learnt: d columns of a real set, or one made curve."""
    if source == TENT:
        return [other_learners.tent()]
    if source == WORST:
        return [AverageDistance(mistake_bounds.worst_data(alpha)[0])]
    return [function for _, function in columns(source)[:d]]


def learn_all(
    *, source: str, alpha: float, order: str, oracle_error: str, d: int, learner: str, seed: int
) -> Learnt:
    """Learn d coordinates, each to alpha / d, from the same kind of questions.

    Raises ``ValueError`` if the arguments do not fit together (Params, ``worst_data``).
    """
    made = source in (WORST, TENT)
    if made and d > 1:
        raise ValueError(f"d must be 1 for {source!r}, which has one coordinate, not {d}")
    share = alpha / d
    error = ORACLE_ERRORS[oracle_error] * alpha / d
    params = mistake_bounds.Params(alpha=share, order=order, value_error=error, slope_error=error)
    rng = np.random.default_rng(seed)
    runs = [_learn(f, params, source, learner, rng) for f in functions(source, d, share)]
    function, first, run = runs[0]
    bound, paper = _limits(source, learner, params)
    what = f"{source}, {order}, oracle error: {oracle_error}"
    total = sum(each.mistakes for _, _, each in runs)
    return Learnt(what, function, first, run, share, d, total, d * bound, d * paper)


def _learn(
    function: FirstOrder, params: mistake_bounds.Params, source: str, learner: str, rng: checks.Seed
) -> tuple:
    """One coordinate: the worst data come with their own questions."""
    queries = mistake_bounds.draw_queries(params, rng)
    if source == WORST:
        places = mistake_bounds.worst_data(params.alpha)[1]
        orders = {"random": rng.permutation(places), "right to left": places[::-1]}
        queries = orders.get(params.order, places)
    pupil = LEARNERS[learner]()
    oracle = mistake_bounds.noisy_oracle(function, params, rng)
    return function, pupil, learn(pupil, function, queries, params.alpha, oracle=oracle)


def _limits(source: str, learner: str, params: mistake_bounds.Params) -> tuple[float, float]:
    """Proved limit and the paper's for one coordinate."""
    if learner == "nearest value":
        noisy = params.value_error > 0
        return (math.inf if noisy else other_learners.mistake_bound_nearest(params.alpha)), math.inf
    if source == TENT:
        return math.inf, 1 / params.alpha  # the remark before Lemma 4, which is false
    errors = {"value_error": params.value_error, "slope_error": params.slope_error}
    proved = mistake_bounds.mistake_bound(params.alpha, **errors)
    return proved, mistake_bounds.paper_bound(params)


@dataclass(frozen=True, eq=False)
class Counted:
    """Mistakes over a range of alpha.

    Attributes
    ----------
    what : the data in words
    sweep : over alpha (ascending), with fields ``mistakes``, ``bound`` and ``paper``
    forced : mistakes on the worst data for each alpha; empty where that is not defined
    fitted : exponent of the mistakes
    predicted : exponent by the theory, -1/2 for tangents
    """

    what: str
    sweep: Sweep
    forced: Sequence[int]
    fitted: Slope
    predicted: float = -0.5


def count(
    *, runs: int, smallest: int, source: str, order: str, oracle_error: str, learner: str, seed: int
) -> Counted:
    """Runs at each alpha from 2^smallest to 1/8, one seed for each run."""
    alphas = tuple(2.0**i for i in range(smallest, -2))
    one = partial(_mistakes, source=source, order=order, oracle_error=oracle_error, learner=learner)
    table = np.array([[one(alpha, seed=1000 * seed + i) for i in range(runs)] for alpha in alphas])
    values = dict(zip(("mistakes", "bound", "paper"), np.moveaxis(table, 2, 0), strict=True))
    sweep = Sweep({"alpha": alphas}, runs, {}, values)
    what = f"{source}, {order}, {learner}, oracle error: {oracle_error}"
    plain = learner == "tangents" and oracle_error == "none"
    forced = [mistake_bounds.mistake_bound(alpha) for alpha in alphas] if plain else []
    fitted = sweep.slope("mistakes", rng=0, resamples=200)
    return Counted(what, sweep, forced, fitted, -0.5 if learner == "tangents" else -1.0)


@lru_cache(maxsize=10_000)
def _mistakes(alpha: float, **how) -> tuple[float, float, float]:
    """Mistakes, proved limit and the paper's for one run."""
    result = learn_all(alpha=alpha, d=1, **how)
    return result.total, result.bound, result.paper
