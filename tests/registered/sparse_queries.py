"""Blum and Roth (2013), Roth's lecture 13, and what is often better."""

from registry import Entry

from dpviz.papers.sparse_queries import baselines, mwem, online, plan
from dpviz.papers.sparse_queries.queries import Batch, Query
from dpviz.privacy.ledger import Cost

EPSILON, DELTA = 100.0, 1e-6
BUDGET = {"epsilon": EPSILON, "delta": DELTA}
PURE, BOTH = Cost(epsilon=EPSILON), Cost(**BUDGET)
WORDS = {"a", "b", "c"}
PAIR = (list("aaab"), list("aaac"))
QUERIES = [Query(["b"]), Query(["c"]), Query(["b", "a"])]


def entry(name, run, cost, **more):
    return Entry(name=name, run=run, cost=cost, pairs=[PAIR], budget=BUDGET, **more)


def one_by_one(kind, delta):
    how = {"m": 2, "k": 3, "updates": 3, "threshold": 0.2, "kind": kind}
    params = plan.Params(epsilon=EPSILON, delta=delta, **how)
    return lambda d, c: online.release(d, params, c, queries=QUERIES, vocabulary=WORDS)


def offline(delta):
    params = mwem.Params(epsilon=EPSILON, delta=delta, m=2, rounds=2, size=9)

    def run(data, curator):
        out = mwem.release(data, params, curator, queries=QUERIES, vocabulary=WORDS)
        return mwem.answer(out, QUERIES), out.measured

    return run


def rival(name, queries, delta=0.0):
    price = {"epsilon": EPSILON, "delta": delta}
    return lambda d, c: baselines.MECHANISMS[name](d, Batch(queries), c, **price)


ALIKE = [Query(["b"]), Query(["b", "a"])]  # a record that leaves "b" for "c" moves both

ENTRIES = [
    entry("sparse.online, pure", one_by_one("pure", 0.0), PURE),
    entry("sparse.online, zCDP", one_by_one("zcdp", DELTA), BOTH),
    entry("sparse.rounds, pure", offline(0.0), PURE),
    entry("sparse.rounds, zCDP", offline(DELTA), BOTH),
    entry("sparse.rivals.table", rival("table", QUERIES), PURE),
    entry("sparse.rivals.heavy", rival("heavy", QUERIES, DELTA), BOTH),
    entry("sparse.rivals.gaussian", rival("gaussian", ALIKE, DELTA), BOTH),
    entry("sparse.rivals.laplace", rival("laplace", ALIKE), PURE),
    entry("sparse.rivals.nothing", rival("nothing", QUERIES), Cost()),
    entry("sparse.rivals.constant", rival("constant", QUERIES), Cost()),
]
