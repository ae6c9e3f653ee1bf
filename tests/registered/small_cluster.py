"""Nissim, Stemmer and Vadhan (2016), the solver, and the baselines of their Table 1."""

import numpy as np
from registry import Entry

from dpviz.papers.small_cluster import (
    baselines,
    enclosing_ball,
    good_center,
    good_radius,
    interior_point,
    one_cluster,
    radius_then_center,
    rec_concave,
    sample_and_aggregate,
    several_clusters,
)
from dpviz.privacy.exponential_mechanism import StepFunction
from dpviz.privacy.ledger import Cost

BUDGET = {"epsilon": 4e7, "delta": 0.3}  # so that a grid's count is not cut below t
PURE, BOTH = Cost(epsilon=BUDGET["epsilon"]), Cost(**BUDGET)
T = 128  # L moves by 2 - 2 / t: with so many rows by 0.992 of what is paid for
# The last row joins a cluster of t - 1: each of their counts moves by one, its own by t - 1.
JOINS = (np.array([*[[0.5, 0.5]] * (T - 1), [1.0, 1.0]]), np.full((T, 2), 0.5))
LINE = tuple(data[:, :1] for data in JOINS)
# Everywhere by one, and on intervals of which only some are the same.
INTERVALS = tuple(
    StepFunction(starts, np.full(3, height), 2**40)
    for starts, height in (([0, 5, 99], 0.0), ([0, 5, 2**30], 1.0))
)
BALL = dict.fromkeys(
    ("mean", "recentre", "recentre again", "mean of inliers"),
    "Curator.average attains it at a ball's edge; where this ball lies is up to the noise",
)


def entry(name, run, cost, pairs=(JOINS,), **more):
    return Entry(name=name, run=run, cost=cost, pairs=pairs, budget=BUDGET, **more)


def plain(found):
    return {key: np.nan_to_num(value) for key, value in vars(found).items() if key != "failed"}


def one(solver, **how):
    small = {"size": 2**6, "sides": 2, "shifts": 2, **how}
    params = one_cluster.Params(t=T, d=2, lower=0, upper=1, **BUDGET, **small)

    def run(data, curator):
        released = solver(data, params, curator)
        return [plain(ball) for ball in (released if isinstance(released, tuple) else [released])]

    return run


def chosen(method):
    params = good_radius.Params(t=T, d=2, size=2**6, lower=0, upper=1, **BUDGET, method=method)
    return lambda d, c: good_radius.release(d, params, c)


def found_center(data, curator):
    lengths = {"k": 2, "side": 4.0, "interval": 2.0, "rounds": 5, "margin": 1.0, "radius": 0.3}
    found = good_center.release(
        data, good_center.Params(t=T, d=2, lower=0, upper=1, **lengths, **BUDGET), curator
    )
    return found.tries, np.nan_to_num([found.center, found.corner])


def repeated(data, curator):
    lengths = {"k": 2, "side": 4.0, "interval": 2.0, "rounds": 5, "margin": 1.0, "radius": 0.3}
    params = good_center.Params(t=T, d=2, lower=0, upper=1, **lengths, **BUDGET)
    found = good_center.release_repeated(data, params, curator, repeats=2)
    return found.tries, np.nan_to_num([found.center, found.corner])


def reduced(data, curator):
    half = {"epsilon": BUDGET["epsilon"] / 2, "delta": 0.0}

    def find(rows, payer):
        middle = float((rows > 0.45).sum())
        noisy = payer.laplace(middle, sensitivity=1, epsilon=half["epsilon"], label="solver")
        return 0.5, min(0.5, abs(noisy) / 100)

    solver = interior_point.Solver(find=find, wider=2, **half, rows=1)
    params = interior_point.Params(**BUDGET, size=16)
    return interior_point.release(data, params, curator, solver=solver).point


def theorem(data, curator):
    params = radius_then_center.Params(t=T, d=2, size=2**6, rounds=10, lower=0, upper=1, **BUDGET)
    return plain(radius_then_center.release(data, params, curator))


def enclosing(data, curator):
    params = enclosing_ball.Params(
        center=(0.5, 0.5), reach=0.8, gamma=1.0, d=2, lower=0, upper=1, **BUDGET
    )
    found = enclosing_ball.release(data, params, curator)
    return found.tries, found.center, found.radius


def recursion(scores, curator):
    size = scores.size  # of an array and of a step function
    params = rec_concave.Params(candidates=size, promise=20, **BUDGET)
    return rec_concave.release(scores, params, curator)


def baseline(name, **how):
    params = baselines.Params(t=T, lower=0, upper=1, **BUDGET, method=name, size=2**4, **how)
    return lambda d, c: plain(baselines.release(d, params, c))


def aggregated(method, budget=BUDGET):
    params = sample_and_aggregate.Params(
        block=1, d=1, alpha=1.0, lower=0, upper=1, **budget, method=method
    )

    def run(data, curator):
        found = sample_and_aggregate.release(
            data, params, curator, function=lambda block: block.max(axis=0)
        )
        return np.nan_to_num([found.ball.center[0], found.ball.radius, found.share])

    return run


def inside(data, curator):
    params = interior_point.Params(**BUDGET, size=16)
    return np.nan_to_num(interior_point.release(data, params, curator).point)


def mean_of_inliers(data, curator):
    params = one_cluster.Params(t=T, d=2, lower=0, upper=1, **BUDGET)
    ball = one_cluster.release(JOINS[1], params, params.curator(rng=1))
    return several_clusters.mean_of_inliers(data, ball, curator, epsilon=1.0, delta=0.01)


ENDS = (np.zeros((T, 1)), np.append(np.zeros((T - 1, 1)), [[1.0]], axis=0))
MANY = tuple(np.append(np.full((4095, 1), 0.5), [[last]], axis=0) for last in (0.5, 1.0))
SOME = {"epsilon": 400.0, "delta": 0.3}
SOLVER = dict.fromkeys(
    ("radius", "grid", "box", "mean", "recentre", "recentre again", "report"),
    "a question of the solver, which small_cluster.one_cluster attains",
)
LOOSE = {
    "tree": "a replaced record never moves the root's count, which is paid for all the same",
    "crossing": "the row that moves stands near the middle; privacy.average attains it at the edge",
    "cells 0.0": "this pair changes cells in the other of the two shifted partitions",
}
THEOREM = dict.fromkeys(
    ("heavy box?", "box", "axis 1", "axis 2", "average"),
    "a question of GoodCenter, which small_cluster.good_center attains",
)
WALK = dict.fromkeys(
    ("step", "outside"),
    "Curator.average attains it; which rows are outside is up to the noise",
)
BEST = {"best": "a count about a centre that is up to the noise"}
HALVES = [tuple(np.array([0.4] * 20 + [last] + [0.6] * 19) for last in (0.4, 0.6))]

ENTRIES = [
    entry("small_cluster.one_cluster", one(one_cluster.release), BOTH, loose=BALL),
    entry(
        "small_cluster.several_clusters", one(several_clusters.release, runs=2), BOTH, loose=BALL
    ),
    entry(
        "small_cluster.several_clusters, mean of inliers",
        mean_of_inliers,
        Cost(epsilon=1.0, delta=0.01),
        loose=BALL,
    ),
    *(
        entry(f"small_cluster.good_radius, {method}", chosen(method), BOTH if delta else PURE)
        for method in good_radius.METHODS
        for delta in [method == "RecConcave"]
    ),
    entry("small_cluster.good_center", found_center, BOTH),
    entry(
        "small_cluster.radius_then_center",
        theorem,
        Cost(epsilon=BUDGET["epsilon"], delta=BUDGET["delta"]),
        loose=THEOREM,
    ),
    entry("small_cluster.enclosing_ball", enclosing, BOTH, loose=WALK),
    entry("small_cluster.rec_concave", recursion, BOTH, [(np.zeros(90), np.ones(90))]),
    entry("small_cluster.rec_concave, intervals", recursion, BOTH, [INTERVALS]),
    *(
        entry(
            f"small_cluster.baselines, {name}", baseline(name, d=1), BOTH, [LINE, ENDS], loose=LOOSE
        )
        for name in baselines.METHODS
    ),
    entry(
        "small_cluster.sample_and_aggregate, disjoint",
        aggregated("disjoint"),
        BOTH,
        [LINE],
        loose=SOLVER,
    ),
    entry(
        "small_cluster.sample_and_aggregate, holdout",
        aggregated("holdout"),
        BOTH,
        [LINE],
        loose=SOLVER,
    ),
    Entry(
        name="small_cluster.sample_and_aggregate, resampled",
        run=aggregated("resampled", SOME),
        pairs=[MANY],
        budget=SOME,
        cost=Cost(**SOME),
        loose=SOLVER,
    ),
    entry("small_cluster.good_center, repeated", repeated, BOTH, loose=THEOREM | BEST),
    entry("small_cluster.interior_point, solver", reduced, BOTH, HALVES, loose=SOLVER | LOOSE),
    entry("small_cluster.interior_point", inside, BOTH, HALVES, loose=SOLVER | LOOSE),
]
