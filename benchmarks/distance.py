"""T3: exact average distances, batched, against the best scan over all records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from dpviz.papers.distance_queries.learner.average_distance import AverageDistance, prepare
from dpviz.papers.distance_queries.mechanism.l1 import Interactive, Params


def seconds(work: Callable[[], object], runs: int = 5) -> float:
    """Least processor time of several runs after a warm-up."""
    work()
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def scan(data: np.ndarray, room: np.ndarray, y: float) -> float:
    """One query by reading every record, in place: no array is made."""
    np.subtract(data, y, out=room)
    np.abs(room, out=room)
    return float(room.mean())


def lines() -> Iterator[dict]:
    """One column of a million records: 100,000 queries at once, then one by one, privately."""
    yield batched()
    yield adaptive()


def adaptive() -> dict:
    """Each query depends on the answer before; test, ledger and noise included."""
    rng = np.random.default_rng(0)
    data = rng.uniform(size=10**6)
    room, few = np.empty_like(data), rng.uniform(size=20)
    params = Params(n=10**6, d=1, k=10**4, epsilon=1, delta=1e-6, lower=0, upper=1)
    function = prepare(data, params)
    steps = rng.uniform(size=10**4).tolist()

    def ask() -> None:
        distances = Interactive(function, params, params.curator(rng=0))
        y = 0.5
        for step in steps:
            y = (distances.answer(y).value + step) % 1.0

    slow = seconds(lambda: [scan(data, room, y) for y in few]) / len(few)
    fast = seconds(ask) / len(steps)
    return {
        "id": "T3b",
        "what": "one adaptive query through the private l1 mechanism, n = 1e6, over a scan",
        "value": slow / fast,
        "unit": "ratio",
        "target": ">= 20",
        "holds": bool(slow / fast >= 20),
        "peer": "numpy: subtract, abs, mean in place",
    }


def batched() -> dict:
    """Exact answers, in any order."""
    rng = np.random.default_rng(0)
    data, queries = rng.uniform(size=10**6), rng.uniform(size=10**5)
    function, room = AverageDistance(data), np.empty_like(data)
    few = queries[:20]
    slow = seconds(lambda: [scan(data, room, y) for y in few]) / len(few)
    fast = seconds(lambda: function.value(queries)) / len(queries)
    gap = max(abs(function.value(few) - [scan(data, room, y) for y in few]))
    return {
        "id": "T3a",
        "what": f"average distance, n = 1e6, batched after a sort, over a scan (differ {gap:.0e})",
        "value": slow / fast,
        "unit": "ratio",
        "target": ">= 500",
        "holds": bool(slow / fast >= 500 and gap <= 1e-12),
        "peer": "numpy: subtract, abs, mean in place",
    }
