"""T5: a thousand sparse queries, thirty rounds, universes up to 1e9, by indexed weights."""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np

from dpviz.papers.sparse_queries import baselines, mwem, plan, workloads
from dpviz.papers.sparse_queries.indexed_weights import BatchEvaluator, IndexedWeights
from dpviz.papers.sparse_queries.queries import Batch, Query, Records

N, M, K, SEEDS = 10**5, 20, 1000, 15
UNIVERSES = (10**4, 10**6, 10**9)


def seconds(work: Callable[[], object], runs: int) -> float:
    """Least processor time of several runs after a warm-up: other programs do not count."""
    work()
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def spread(universe: int, seed: int) -> tuple[np.ndarray, list[Query]]:
    """The Zipf set of the recipes, its names moved into a universe of any size."""
    data, queries = workloads.draw("zipf", n=N, m=M, k=K, rng=seed)
    step = universe // 10**4
    return data * step, [Query(np.array(query.names) * step) for query in queries.queries]


def run(data: np.ndarray, queries: list[Query], universe: int, seed: int = 0) -> np.ndarray:
    """The whole job, from raw records to a thousand answers."""
    batch, params = Batch(queries), mwem.Params(epsilon=1.0, m=M, size=universe)
    curator, words = params.curator(rng=seed), range(universe)
    out = mwem.release(data, params, curator, queries=batch, vocabulary=words)
    return BatchEvaluator(out.hypothesis, batch)()


def errors(universe: int) -> SimpleNamespace:
    """Median largest error over the seeds: ours, the lazy histogram's, Laplace on every query."""
    found: dict[str, list[float]] = {"ours": [], "lazy_histogram": [], "laplace": []}
    params = plan.Params(epsilon=1.0, m=M, k=K)
    for seed in range(SEEDS):
        data, queries = spread(universe, seed)
        batch = Batch(queries)
        truths = Records(data).truths(batch)
        answers = {"ours": run(data, queries, universe, seed)}
        for name in ("lazy_histogram", "laplace"):
            curator = params.curator(rng=seed)
            answers[name] = baselines.MECHANISMS[name](data, params, curator, queries=batch)
        for name, values in answers.items():
            found[name].append(float(np.abs(values - truths).max()))
    return SimpleNamespace(**{name: float(np.median(values)) for name, values in found.items()})


def megabytes(data: np.ndarray, queries: list[Query], universe: int) -> float:
    """Largest memory that the job asks for, beyond its input."""
    tracemalloc.start()
    run(data, queries, universe)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def dense() -> tuple[float, float]:
    """The dense form at 1e4, replaying the same measurements: largest difference, seconds."""
    data, queries = spread(10**4, 0)
    batch, params = Batch(queries), mwem.Params(epsilon=1.0, m=M, size=10**4)
    curator = params.curator(rng=0)
    out = mwem.release(data, params, curator, queries=batch, vocabulary=range(10**4))
    start, weights = time.process_time(), np.full(10**4, 1e-4)
    for last in range(len(out.measured)):
        for worst, value in [out.measured[last], *out.measured[: last + 1]]:
            names = list(queries[worst].names)
            now = weights[names].sum()
            odds = value * (1 - now) / (now * (1 - value)) if 0 < value < 1 else np.exp(-60.0)
            weights[names] *= odds
            weights /= weights.sum()
    expected = [weights[list(query.names)].sum() for query in queries]
    took = time.process_time() - start
    return float(np.abs(BatchEvaluator(out.hypothesis, batch)() - expected).max()), took


def update_seconds(size: int) -> float:
    """One lazy update of a query of ten names."""
    rng, hypothesis = np.random.default_rng(0), IndexedWeights(size)
    queries = [Query(rng.choice(5000, 10, replace=False)) for _ in range(500)]
    return seconds(lambda: [hypothesis.update(query, 0.01) for query in queries], 9) / len(queries)


def graded(low: float, seeds: int = 24) -> float:
    """Median largest error of MWEM where coefficients are in [low, 1]; a warning is an error."""
    found = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        shares = rng.dirichlet(np.full(80, 0.05))
        data = rng.choice(80, 10**4, p=shares / shares.sum())
        queries = [
            Query(rng.choice(80, 20, replace=False), np.append(low, rng.uniform(low, 1, 19)))
            for _ in range(200)
        ]
        found.append(mwem.trial(mwem.Params(epsilon=1.0, m=20), data, queries, rng=rng)["error"])
    return float(np.median(found))


def many_names() -> float:
    """Seconds for 1e5 new names of the lazily perturbed histogram."""
    batch = Batch([Query(range(100 * i, 100 * i + 100)) for i in range(1000)])
    params = plan.Params(epsilon=1.0, m=100, k=1000)
    ask = baselines.release_lazy_histogram
    return seconds(lambda: ask([1] * 1000, params, params.curator(rng=0), queries=batch), 3)


def line(name: str, what: str, value: float, unit: str, target: str, holds: bool) -> dict:
    """One line of the report; the peer is the best-known one for this job."""
    peer = "dense numpy; smartnoise and private-pgm in P5"
    figures = {"id": name, "what": what, "value": value, "unit": unit}
    return figures | {"target": target, "holds": bool(holds), "peer": peer}


def lines() -> Iterator[dict]:
    """Every figure at universe 1e9; what changes with the universe stands in the words."""
    sets = {universe: spread(universe, 0) for universe in UNIVERSES}
    times = {u: seconds(lambda u=u: run(*sets[u], u), 15) for u in UNIVERSES}
    sizes = {u: megabytes(*sets[u], u) for u in UNIVERSES}
    said = ", ".join(f"{1e3 * t:.1f} ms" for t in times.values())
    what = f"{K} queries of up to {M} names, 30 rounds, n = 1e5; 1e4, 1e6, 1e9: {said}"
    worst = max(times.values())
    yield line("T5a", what, times[10**9], "s", "<= 0.02", worst <= 0.02)
    what = "memory: " + ", ".join(f"{mb:.1f} MB" for mb in sizes.values())
    yield line("T5b", what, sizes[10**9], "MB", "<= 50", max(sizes.values()) <= 50)
    found = errors(10**9)
    ratio = found.laplace / found.ours
    what = f"largest error, median of {SEEDS}; Laplace per query {found.laplace:.4f} ({ratio:.1f}"
    what += f" times); the lazy histogram {found.lazy_histogram:.5f}, which is better"
    yield line("T5c", what, found.ours, "", "<= 0.0075", found.ours <= 0.0075 and ratio >= 9)
    gap, took = dense()
    what = "largest difference to the dense form's answers, 1e4 names; its updates and answers "
    what += f"alone took {1e3 * took:.0f} ms"
    yield line("T5d", what, gap, "", "<= 1e-12", gap <= 1e-12)
    each = {size: update_seconds(size) for size in (10**4, 10**9)}
    what = "one update of 10 names; s = 1e4, 1e9: " + ", ".join(
        f"{1e6 * t:.1f} us" for t in each.values()
    )
    yield line("T5e", what, each[10**9], "s", "<= 1.5e-5", max(each.values()) <= 1.5e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {low: graded(low) for low in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)}
    what = "coefficients from .5, .2, .1, .05, .02, .01 up to 1, median of 24: "
    what += ", ".join(f"{error:.3f}" for error in found.values())
    worst = max(found.values())
    yield line("T5f", what, worst, "", "<= 0.15", worst <= 0.15)
    took = many_names()
    yield line("T5g", "1e5 new names of the lazy histogram", took, "s", "<= 1", took <= 1)
