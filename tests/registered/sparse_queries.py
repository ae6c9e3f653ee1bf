"""Blum and Roth (2013), Roth's lecture 13, and what is often better."""

import numpy as np
from registry import Entry

from dpviz.comparison.mechanisms import sparse
from dpviz.comparison.mechanisms.task import Instance, Task
from dpviz.papers.sparse_queries import (
    baselines,
    count_sketch,
    hashed_histogram,
    mwem,
    online,
    plan,
)
from dpviz.papers.sparse_queries.queries import Batch, Query, Records
from dpviz.privacy.ledger import Cost

EPSILON, DELTA = 100.0, 1e-6
BUDGET = {"epsilon": EPSILON, "delta": DELTA}
PURE, BOTH = Cost(epsilon=EPSILON), Cost(**BUDGET)
WORDS = {"a", "b", "c"}
PAIR = (list("aaab"), list("aaac"))
QUERIES = [Query(["b"]), Query(["c"]), Query(["b", "a"])]


def entry(name, run, cost, **more):
    return Entry(name=name, run=run, cost=cost, pairs=[PAIR], budget=BUDGET, **more)


def one_by_one(composition, delta):
    how = {"m": 2, "k": 3, "updates": 3, "threshold": 0.2, "composition": composition}
    params = plan.Params(epsilon=EPSILON, delta=delta, **how)
    return lambda data, curator: online.InteractiveSparse(
        data, params, curator, vocabulary=WORDS
    ).answer_all(QUERIES)


def offline(delta):
    params = mwem.Params(epsilon=EPSILON, delta=delta, m=2, rounds=2, size=9)

    def run(data, curator):
        out = mwem.release(data, params, curator, queries=QUERIES, vocabulary=WORDS)
        return mwem.answer(out, QUERIES), out.measured

    return run


def baseline(name, queries, delta=0.0):
    params = plan.Params(epsilon=EPSILON, delta=delta, m=2, k=3)
    return lambda d, c: baselines.MECHANISMS[name](d, params, c, queries=queries)


def hashed(data, curator):
    public = {"epsilon": EPSILON, "m": 2, "k": 3, "size": 50}
    params = hashed_histogram.Params.draw(**public, rng=0)  # "b" and "c" in two buckets
    out = hashed_histogram.release(data, params, curator)
    return hashed_histogram.answer(out, QUERIES), out.counts


def sketched(delta):
    """One bucket, in which "b" and "c" have opposite signs."""
    public = {"epsilon": EPSILON, "delta": delta, "size": 1, "rows": 1}
    drawn = (count_sketch.Params.draw(**public, rng=seed) for seed in range(99))
    params = next(each for each in drawn if np.ptp(count_sketch.buckets(["b", "c"], each)[1]))
    return lambda d, c: count_sketch.release(d, params, c).sketch


def asked(key):
    """A rival for the names that are asked for, under the protocol of the comparison."""
    task = Task(n=4, d=2, k=len(QUERIES), **BUDGET)
    batch = Batch(QUERIES)

    def run(data, curator):
        instance = Instance(data, batch, Records(data).truths(batch), 0.5)
        return sparse.KIND.mechanism(key).run(task, instance, curator)

    return run


ALIKE = [Query(["b"]), Query(["b", "a"])]  # a record that leaves "b" for "c" moves both

ENTRIES = [
    entry("sparse_queries.online, basic", one_by_one("basic", 0.0), PURE),
    entry("sparse_queries.online, zCDP", one_by_one("zcdp", DELTA), BOTH),
    entry("sparse_queries.mwem, basic", offline(0.0), PURE),
    entry("sparse_queries.mwem, zCDP", offline(DELTA), BOTH),
    entry("sparse_queries.baselines.lazy_histogram", baseline("lazy_histogram", QUERIES), PURE),
    entry(
        "sparse_queries.baselines.stable_histogram",
        baseline("stable_histogram", QUERIES, DELTA),
        BOTH,
    ),
    entry("sparse_queries.baselines.gaussian", baseline("gaussian", ALIKE, DELTA), BOTH),
    entry("sparse_queries.baselines.laplace", baseline("laplace", ALIKE), PURE),
    entry("sparse_queries.hashed_histogram", hashed, PURE),
    entry("comparison.sparse.projected", asked("projected"), PURE),
    entry("comparison.sparse.dense", asked("dense"), BOTH),
    entry("sparse_queries.count_sketch, pure", sketched(0.0), PURE),
    entry("sparse_queries.count_sketch, Gaussian", sketched(DELTA), BOTH),
    entry("sparse_queries.baselines.zero", baseline("zero", QUERIES), Cost()),
    entry("sparse_queries.baselines.constant", baseline("constant", QUERIES), Cost()),
]
