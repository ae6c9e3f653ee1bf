"""Roth (2010)."""

import numpy as np
from registry import Entry

from dpviz.papers.fat_shattering import (
    classes,
    linear_reconstruction,
    median_mechanism,
    net_mechanism,
    regression_learner,
    threshold_learner,
)
from dpviz.privacy.ledger import Cost

BUDGET = {"epsilon": 4.0, "delta": 1e-6}
PURE, BOTH = Cost(epsilon=4.0), Cost(**BUDGET)
CELLS = 3
SUBSETS = classes.subsets(CELLS)
MORE = (np.array([4.0, 0.0, 1.0]), np.array([5.0, 0.0, 1.0]))  # one person comes
MOVED = (np.array([5.0, 0.0, 1.0]), np.array([4.0, 1.0, 1.0]))  # one person is replaced

BIT = (np.array([0, 1]), np.array([1, 1]))  # one bit is the other


def entry(name, run, cost, pairs, **more):
    return Entry(name=name, run=run, cost=cost, pairs=pairs, budget=BUDGET, **more)


def small(**options):
    params = net_mechanism.Params(epsilon=4.0, rows=2, **options)
    return lambda d, c: net_mechanism.release(d, params, c, queries=SUBSETS)


def metropolis(data, curator):
    params = net_mechanism.Params(**BUDGET, rows=2, steps=9)
    return net_mechanism.release(data, params, curator, queries=SUBSETS)


def by_median(data, curator):
    params = median_mechanism.Params(epsilon=4.0, cells=CELLS, rows=2, total=6.0, k=9)
    mechanism = median_mechanism.InteractiveMedian(data, params, curator)
    queries = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    return [(answer.value, answer.kind) for answer in map(mechanism.answer, queries)]


def counts(data, curator):
    subsets = np.array([[1, 1], [1, 0], [1, 1]])
    params = linear_reconstruction.Params(epsilon=4.0)
    return linear_reconstruction.release(data, params, curator, queries=subsets)


def rule(data, curator):
    return threshold_learner.release(data, threshold_learner.Params(epsilon=4.0, cells=5), curator)


def function(data, curator):
    params = regression_learner.Params(epsilon=4.0, cells=2, rows=2)
    return regression_learner.release(data, params, curator).values


def by_corners(data, curator):
    params = net_mechanism.Params(epsilon=4.0, rows=2, total=6.0)
    return net_mechanism.release(data, params, curator, queries=classes.monotone_polytope(CELLS))


ENTRIES = [
    entry("fat_shattering.net_mechanism, private total", small(), PURE, [MORE]),
    entry("fat_shattering.net_mechanism, public total", small(total=6.0), PURE, [MOVED]),
    entry(
        "fat_shattering.net_mechanism, Metropolis-Hastings",
        metropolis,
        BOTH,
        [(np.zeros(3), np.array([0.0, 0.0, 1.0]))],
    ),
    entry("fat_shattering.median_mechanism", by_median, PURE, [MOVED]),
    entry("fat_shattering.linear_reconstruction", counts, PURE, [BIT]),
    entry(
        "fat_shattering.net_mechanism, polytope",
        by_corners,
        PURE,
        [(np.array([5.0, 0.0, 1.0]), np.array([4.0, 0.0, 2.0]))],
    ),
    entry(
        "fat_shattering.regression_learner",
        function,
        PURE,
        [([[0, 0], [0, 0]], [[0, 0], [0, 1]])],
    ),
    entry("fat_shattering.threshold_learner", rule, PURE, [([[0, 1], [3, 1]], [[0, 1], [3, 0]])]),
]
