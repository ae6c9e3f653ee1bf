"""The front door: what it pays, on the pairs at which the papers' mechanisms are registered."""

from dataclasses import replace

import numpy as np
from registry import Entry

import dpviz
from dpviz.papers.distance_queries.embeddings import metrics
from dpviz.papers.sparse_queries.queries import Batch, Query
from dpviz.privacy.ledger import Cost

BUDGET = {"epsilon": 400.0, "delta": 0.3}
PURE, BOTH = Cost(epsilon=400.0), Cost(**BUDGET)
UNIT = {"bounds": [(0.0, 1.0)]}
SQUARE = {"bounds": [(0.0, 1.0)] * 2}
ENDS = (np.array([[0.0], [0.0]]), np.array([[0.0], [1.0]]))
HALF = (np.array([[0.5], [1 / 12]]), np.array([[0.5], [2 / 3]]))
CORNERS = (np.zeros((2, 2)), np.array([[0.0, 0.0], [1.0, 1.0]]))
SEEN = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]])
JOINS = (np.array([*[[0.5, 0.5]] * 127, [1.0, 1.0]]), np.full((128, 2), 0.5))
NAMES = (["a", "a"], ["a", "b"])
MOVED = (np.array([5.0, 0.0, 1.0]), np.array([4.0, 1.0, 1.0]))
TWO = metrics.finite([[0, 1], [1, 0]], names=["a", "b"])
SOLVER = ("radius", "grid", "box", "mean", "recentre", "recentre again", "report")
THEOREM = ("radius", "heavy box?", "box", "axis 1", "axis 2", "average")
ELSEWHERE = "attained by the entry of the paper's own mechanism"


def entry(name, run, cost, pair, *loose):
    return Entry(
        name=f"door.{name}",
        run=run,
        cost=cost,
        pairs=[pair],
        budget=BUDGET,
        loose=dict.fromkeys(loose, ELSEWHERE),
    )


def distances(box, **how):
    return lambda d, c: dpviz.distances(d, **box, epsilon=400.0, curator=c, **how).release.__dict__


def euclidean(data, curator):
    """Levy's field holds the records, so what is public are its answers; else projections."""
    how = {"metric": "euclidean", "seed": 1, "epsilon": 400.0, "delta": 0.3}
    return dpviz.distances(data, **SQUARE, **how, curator=curator).answer(SEEN)


def sparse(method, **how):
    queries = Batch([Query(["a"]), Query(["b"])]).queries
    if method in ("laplace", "gaussian"):  # both move together
        queries = [["a"], ["a"]]
    return lambda d, c: (
        dpviz.sparse_queries(d, queries, method=method, epsilon=400.0, curator=c, **how).values
    )


def linear(method):
    queries = np.array([[1.0, 0, 0], [1.0, 0, 1.0]])
    return lambda d, c: (
        dpviz.linear_queries(d, queries, method=method, epsilon=400.0, curator=c).values
    )


def mean(data, curator):
    """Asked first what it would promise: that is no question to the curator."""
    promised = dpviz.promise(dpviz.mean, data, bounds=(0, 1), curator=curator)
    found = dpviz.mean(data, bounds=(0, 1), curator=curator)
    return found.value, promised.error_bound() == found.error_bound()


def plain(ball):
    return {**ball.__dict__, "failed": ball.failed}


def theorem(data, curator):
    how = {"t": 128, "method": "theorem", "seed": 0, **SQUARE}
    return plain(dpviz.one_cluster(data, **how, curator=curator).release)


def cluster(data, curator):
    return plain(dpviz.one_cluster(data, t=128, seed=0, **SQUARE, curator=curator).release)


def clusters(data, curator):
    balls = dpviz.clusters(data, k=2, t=64, seed=0, **SQUARE, curator=curator)
    return [plain(ball) for ball in balls.release]


def summary(delta):
    return lambda d, c: (
        dpviz.smooth_summary(
            d, **UNIT, terms=4, epsilon=400.0, delta=delta, curator=c
        ).release.summary
    )


def in_pieces(run):
    """The same call over a source of one record at a time."""

    def parted(data, curator):
        records = np.asarray(data)
        pieces = dpviz.pieces(lambda: iter(np.array_split(records, len(records))), n=len(records))
        return run(pieces, curator)

    return parted


SUMMED = [
    entry("mean", mean, PURE, ENDS),
    entry("distances", distances(UNIT, delta=0.3), BOTH, ENDS),
    entry("distances, pure", distances(UNIT), PURE, HALF, "Haar coefficients"),
    replace(
        entry("distances, Euclidean", euclidean, BOTH, CORNERS),
        loose={
            "average distances": "paid for all half spaces, of which three places see 0.965",
            "average sign function": ELSEWHERE,
        },
    ),
    entry(
        "distances, finite",
        lambda d, c: dpviz.distances(d, metric=TWO, epsilon=400.0, curator=c).release.shares,
        PURE,
        NAMES,
    ),
    entry(
        "sparse_counts",
        lambda d, c: dpviz.sparse_counts(d, seed=1, curator=c).release.counts,
        PURE,
        NAMES,
    ),
    entry("sparse_queries, lazy", sparse("lazy histogram"), PURE, NAMES),
    entry("sparse_queries, Laplace", sparse("laplace"), PURE, NAMES),
    entry("sparse_queries, Gauss", sparse("gaussian", delta=0.3), BOTH, NAMES),
    entry(
        "sparse_queries, weights",
        sparse("multiplicative weights"),
        PURE,
        NAMES,
        "is the guess off?",
        "value",
    ),
    entry("smooth_summary, pure", summary(0.0), PURE, ENDS, "moments"),
    entry("smooth_summary, Gauss", summary(0.3), BOTH, ENDS),
]
CELLS = (np.array([0, 0, 2]), np.array([1, 0, 2]))
ENTRIES = [
    *SUMMED,
    *(replace(each, name=f"{each.name}, pieces", run=in_pieces(each.run)) for each in SUMMED),
    entry("linear_queries, histogram, pieces", in_pieces(linear("histogram")), PURE, CELLS),
    entry("linear_queries, histogram", linear("histogram"), PURE, MOVED),
    entry("linear_queries, net", linear("net"), PURE, MOVED, "small database"),
    entry("linear_queries, Laplace", linear("laplace"), PURE, MOVED),
    entry("one_cluster", cluster, BOTH, JOINS, *SOLVER),
    entry("one_cluster, pieces", in_pieces(cluster), BOTH, JOINS, *SOLVER),
    entry("one_cluster, theorem", theorem, BOTH, JOINS, *THEOREM),
    entry("clusters", clusters, BOTH, JOINS, *SOLVER),
    entry("clusters, pieces", in_pieces(clusters), BOTH, JOINS, *SOLVER),
]
