"""T4: a planted ball of a quarter of the rows: how small, how often, how fast it is found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpviz.papers.small_cluster import baselines, one_cluster
from dpviz.papers.small_cluster.planted import plant

SEEDS, SPREAD, BUDGET = 60, 0.02, {"epsilon": 1.0, "delta": 1e-6, "lower": 0, "upper": 1}
PEER = "Google's clustering with k = 16 and an oracle's pick (not installed here)"


def sixty(trial: Callable[..., dict], params: Any, n: int, spread: float) -> list[dict]:
    """Sixty trials, on two cores: nothing is timed here."""
    from joblib import Parallel, delayed

    return Parallel(n_jobs=2)(
        delayed(trial)(params, rng=seed, n=n, spread=spread) for seed in range(SEEDS)
    )


def runs(n: int, d: int, spread: float = SPREAD) -> list[dict]:
    """Sixty trials of the practical solver."""
    return sixty(one_cluster.trial, one_cluster.Params(t=n // 4, d=d, **BUDGET), n, spread)


def seconds(n: int, d: int) -> float:
    """Least processor time of three releases on one core, data already drawn."""
    data = plant(n, n // 4, d, SPREAD, rng=0).data
    params, times = one_cluster.Params(t=n // 4, d=d, **BUDGET), []
    for seed in range(3):
        start = time.process_time()
        one_cluster.release(data, params, params.curator(rng=seed))
        times.append(time.process_time() - start)
    return min(times)


def row(id_: str, what: str, value: float, unit: str, limit: float) -> dict:
    """One line of the table."""
    line = {"id": id_, "what": what, "value": float(value), "unit": unit, "peer": PEER}
    target = f"<= {limit:g}" if limit < np.inf else "none"
    return {**line, "target": target, "holds": bool(value <= limit)}


def found(id_: str, n: int, d: int, limit: float, spread: float = SPREAD) -> tuple[dict, int]:
    """Median radius ratio of sixty runs, with the share captured; and the failures."""
    results = runs(n, d, spread)
    failures = sum(not run["success"] for run in results)
    ratio, captured = (np.median([run[name] for run in results]) for name in ("ratio", "captured"))
    what = (
        f"radius ratio, n = {n}, d = {d}, R = {spread} (captured {captured:.3f}, {failures} fail)"
    )
    return row(id_, what, ratio, "ratio", limit), failures


def lines() -> Iterator[dict]:
    """Ten thousand rows: how small a ball, how often none, how long."""
    failed = 0
    for id_, d in (("T4a", 2), ("T4b", 10), ("T4c", 50)):
        line, failures = found(id_, 10_000, d, 1.10)
        failed = max(failed, failures)
        yield line
    yield row("T4d", "largest share of failures at n = 1e4", failed / SEEDS, "share", 1 / SEEDS)
    yield row("T4e", "one release, n = 1e4, d = 50", seconds(10_000, 50), "s", 1)
    yield row("T4f", "one release, n = 1e5, d = 10", seconds(100_000, 10), "s", 10)


def harder_lines() -> Iterator[dict]:
    """Fewer rows, a larger ball, and what the mean of all rows does."""
    for id_, n, d, limit in (
        ("T4g", 5000, 10, 1.10),
        ("T4h", 5000, 50, 1.25),
        ("T4i", 2000, 2, 1.25),
        ("T4j", 2000, 10, 1.25),
    ):
        yield found(id_, n, d, limit)[0]
    for id_, d in (("T4k", 2), ("T4l", 10), ("T4m", 50)):
        yield found(id_, 10_000, d, 1.10, 0.05)[0]
    params = baselines.Params(t=2500, d=10, **BUDGET, method="mean of all", size=2**16)
    ratio = np.median([run["ratio"] for run in sixty(baselines.trial, params, 10_000, SPREAD)])
    yield row("T4n", "the noisy mean of all rows instead, d = 10", ratio, "ratio", np.inf)
