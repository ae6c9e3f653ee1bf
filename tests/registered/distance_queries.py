"""Huang and Roth (2014), and the releases beyond it."""

import numpy as np
from registry import Entry

from dpviz.papers.distance_queries.baselines import (
    continual_counting,
    finite_metric,
    noise_per_query,
    private_multiplicative_weights,
)
from dpviz.papers.distance_queries.embeddings import (
    any_metric,
    cut_metric,
    frechet,
    johnson_lindenstrauss,
    l1_embedding,
    metrics,
    negative_type,
    weighted_hamming,
)
from dpviz.papers.distance_queries.mechanism import l1, offline, sum_test
from dpviz.papers.distance_queries.releases import anchored, average_sign, curves, haar_wavelet
from dpviz.privacy.ledger import Cost

EPSILON, DELTA = 1000.0, 1e-6
BUDGET = {"epsilon": EPSILON, "delta": DELTA}
PURE, BOTH = Cost(epsilon=EPSILON), Cost(**BUDGET)
ENDS = [np.array([[0.0], [0.0]]), np.array([[0.0], [1.0]])]
CORNERS = [np.zeros((2, 2)), np.array([[0.0, 0.0], [1.0, 1.0]])]
# A tangent at 0.005: the changed record stands left, then right of it, near the end of the box.
SIDES = [np.array([[0.0], [1.0]]), np.array([[0.01], [1.0]])]
ASKED = np.array([0.005, 0.0, 1.0, 0.5, 0.25, 0.75])


def entry(name, run, cost, pairs, **more):
    return Entry(name=name, run=run, cost=cost, pairs=pairs, budget=BUDGET, **more)


def online(make, params, queries):
    """Answers to the queries; enough updates for a tangent at each."""

    def run(data, curator):
        mechanism = make(data, params, curator)
        return [mechanism.answer(query) for query in queries]

    return run


def l1_params(kind=l1.Params, *, d=1, delta=0.0, **more):
    return kind(n=2, d=d, k=10, epsilon=EPSILON, delta=delta, updates=8, lower=0, upper=1, **more)


LINES = [[y] * 2 for y in ASKED]
GRID = private_multiplicative_weights.Params(
    n=2, d=1, k=10, epsilon=EPSILON, cells=200, lower=0, upper=1
)
CURVES = {"n": 2, "epsilon": EPSILON, "cells": 8}


def released(module, **how):
    params = curves.Params(lower=0, upper=1, **CURVES, **how)
    return lambda data, curator: module.release(data, params, curator)


STEPS = metrics.finite(np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2)
POINTS = {"n": 2, "metric": STEPS, "queries": STEPS.points, "epsilon": EPSILON}
CODES = [[0, 0], [0, 2]]
HALF = [np.array([[0.0], [0.125]]), np.array([[0.0], [0.625]])]  # half a box apart: most wavelets


def table(method, **more):
    params = finite_metric.Params(**POINTS, method=method, **more)
    return lambda data, curator: finite_metric.release(data, params, curator)


def figure_two(**how):
    drawn = frechet.Params(metric=STEPS, queries=STEPS.points, subsets=4).draw(rng=1)
    params = any_metric.Params(
        n=2, metric=STEPS, embedding=drawn, epsilon=EPSILON, k=3, cells=8, **how
    )
    return lambda data, curator: any_metric.release(data, params, curator)


def fitted_cuts(**how):
    """Cuts of which the two records lie on different sides, and a center between them."""
    cuts = cut_metric.Params(metric=STEPS, cuts=cut_metric.bisector_cuts(STEPS.table)).fit()
    params = any_metric.Params(
        n=2, metric=STEPS, embedding=cuts, epsilon=EPSILON, k=3, cells=8, **how
    )
    return lambda data, curator: any_metric.release(data, params, curator)


def figure_two_online(data, curator):
    lines = johnson_lindenstrauss.Params(d=2, target=2, lower=0, upper=1).draw(rng=1)
    box = metrics.norm([0.0, 0.0], [1.0, 1.0])
    how = {"k": 3, "cells": 8, "epsilon": EPSILON}
    asked = any_metric.Interactive(
        data, any_metric.Params(n=2, metric=box, embedding=lines, **how), curator
    )
    return [asked.answer(query) for query in ([0.0, 0.0], [1.0, 1.0], [0.5, 0.25])]


def figure_two_in_blocks(**how):
    """An embedding of which one record moves two rows (Remark 8.1)."""
    line = l1_embedding.linear([[1.0]], 0, 1)
    params = any_metric.Params(
        n=2,
        metric=metrics.norm([0.0], [1.0]),
        embedding=l1_embedding.BlockMaximum(line, 2),
        epsilon=EPSILON,
        cells=8,
        **how,
    )
    return lambda data, curator: any_metric.release(data, params, curator)


# Levy's field moves most between a point at R from the center and the center, or its antipode.
SQUARE = negative_type.Params(
    n=2,
    metric=metrics.norm([0.0, 0.0], [1.0, 1.0]),
    epsilon=EPSILON,
    delta=DELTA,
    method="levy",
)
SEEN = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]])


def levy_online(data, curator):
    asked = negative_type.Interactive(data, SQUARE, curator)
    return [asked.answer(SEEN[0]), asked.answer_all(SEEN), asked.answer(SEEN[2])]


def field_of_table(data, curator):
    params = negative_type.Params(n=2, metric=STEPS, epsilon=EPSILON, delta=DELTA)
    return negative_type.release(data, params, curator, queries=STEPS.points)


INNER = dict.fromkeys(
    ("average sign function", "gap", "tangent"),
    "paid for the box of the embedding, whose corners no point of the metric reaches",
)

ENTRIES = [
    entry("distance.l1, pure", online(l1.Interactive, l1_params(), ASKED), PURE, [ENDS, SIDES]),
    entry(
        "distance.l1, zCDP",
        online(l1.Interactive, l1_params(delta=DELTA, composition="zcdp"), ASKED),
        BOTH,
        [ENDS, SIDES],
    ),
    entry(
        "distance.sum_test",
        online(sum_test.Interactive, l1_params(sum_test.Params, d=2), LINES),
        PURE,
        [CORNERS],
    ),
    entry(
        "distance.offline",
        lambda d, c: offline.release(
            d, offline.Params(n=2, d=1, epsilon=EPSILON, cells=4, lower=0, upper=1), c
        ),
        PURE,
        [ENDS],
        loose={
            "tangent": "that of distance.l1, which attains it, but no grid point is near an end"
        },
    ),
    entry(
        "distance.private_multiplicative_weights",
        online(private_multiplicative_weights.Interactive, GRID, ASKED),
        PURE,
        [ENDS],
    ),
    *(
        entry(
            f"distance.noise_per_query, {method}",
            lambda d, c, method=method, delta=delta: noise_per_query.release(
                d,
                noise_per_query.Params(
                    n=2, d=1, k=1, epsilon=EPSILON, delta=delta, method=method, lower=0, upper=1
                ),
                c,
                queries=[0.0],
            ),
            cost,
            [ENDS],
        )
        for method, delta, cost in (("laplace", 0.0, PURE), ("gaussian", DELTA, BOTH))
    ),
    entry("distance.average_sign", released(average_sign, delta=DELTA), BOTH, [ENDS]),
    entry("distance.haar_wavelet", released(haar_wavelet), PURE, [HALF]),
    entry("distance.continual_counting, pure", released(continual_counting), PURE, [ENDS]),
    entry(
        "distance.continual_counting, Gauss",
        released(continual_counting, delta=DELTA),
        BOTH,
        [ENDS],
    ),
    entry("distance.anchored", released(anchored, delta=DELTA, diameter=0.5), BOTH, [ENDS]),
    entry("distance.finite_metric.histogram, pure", table("histogram"), PURE, [CODES]),
    entry(
        "distance.finite_metric.histogram, Gauss",
        table("histogram", delta=DELTA),
        BOTH,
        [CODES],
    ),
    entry("distance.finite_metric.joint, pure", table("joint"), PURE, [CODES]),
    entry(
        "distance.finite_metric.joint, Gauss",
        table("joint", delta=DELTA),
        BOTH,
        [CODES],
    ),
    *(
        entry(
            f"distance.weighted_hamming, delta {delta}",
            lambda d, c, delta=delta: weighted_hamming.release(
                d, weighted_hamming.Params(n=2, sizes=(2, 3), epsilon=EPSILON, delta=delta), c
            ),
            cost,
            [([[0, 0], [0, 0]], [[0, 0], [1, 2]])],
        )
        for delta, cost in ((0.0, PURE), (DELTA, BOTH))
    ),
    entry(
        "distance.negative_type",
        lambda d, c: negative_type.release(d, SQUARE, c, queries=SEEN),
        BOTH,
        [CORNERS],
    ),
    entry("distance.negative_type, interactive", levy_online, BOTH, [CORNERS]),
    entry("distance.negative_type, Table", field_of_table, BOTH, [CODES]),
    entry("distance.any_metric", figure_two(delta=DELTA), BOTH, [CODES], loose=INNER),
    entry("distance.any_metric, cuts", fitted_cuts(delta=DELTA), BOTH, [CODES]),
    entry("distance.any_metric, interactive", figure_two_online, PURE, [CORNERS], loose=INNER),
    *(
        entry(
            f"distance.any_metric, Theorem 2, delta {delta}",
            figure_two(method="offline", delta=delta),
            PURE,  # at this budget pure composition is the better one
            [CODES],
            loose=INNER,
        )
        for delta in (0.0, DELTA)
    ),
    entry("distance.any_metric, 2-sensitive, pure", figure_two_in_blocks(), PURE, [HALF]),
    entry(
        "distance.any_metric, 2-sensitive, Gauss", figure_two_in_blocks(delta=DELTA), BOTH, [ENDS]
    ),
]
