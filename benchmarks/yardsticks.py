"""T2: a million private l1 distance queries, n = 100,000 records in ten coordinates."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from dpviz import accounting
from dpviz.papers.distance_queries.releases import average_sign
from dpviz.papers.distance_queries.releases.curves import Params, prepare, truth
from dpviz.privacy.curator import Curator

N, D, K, RELEASES = 10**5, 10, 10**6, 1000
PRICE = {"epsilon": 1.0, "delta": 1e-6}
PARAMS = Params(n=N, d=D, lower=0, upper=1, **PRICE)


def seconds(work: Callable[[], object], runs: int = 7) -> float:
    """Least processor time of several runs after a warm-up."""
    work()
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def release(data: object, seed: int = 0) -> average_sign.Curves:
    """One release of the sign mechanism, curator included."""
    return average_sign.release(data, PARAMS, Curator(rng=seed, **PRICE))


def errors(data: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Root mean square error over uniform queries, and at corners, over many releases."""
    ready, uniform = prepare(data, PARAMS), rng.uniform(size=(1000, D))
    queries = np.vstack([uniform, rng.choice([0.0, 1.0], (200, D))])
    exact = truth(ready, queries, PARAMS)
    squares = np.mean(
        [
            (average_sign.answer(release(ready, seed), queries) - exact) ** 2
            for seed in range(RELEASES)
        ],
        axis=0,
    )
    return float(np.sqrt(squares[:1000].mean())), float(np.sqrt(squares[1000:].mean()))


def lines() -> Iterator[dict]:
    """Time of the release and of the answers; errors in units of one Gaussian answer alone."""
    rng = np.random.default_rng(0)
    data, queries = rng.beta(2, 5, (N, D)), rng.uniform(size=(K, D))
    ours = release(data)
    one = average_sign.single_query_sd(PARAMS)
    rms, worst = errors(data, rng)
    sd = accounting.gaussian_sd(**PRICE) * D / N * np.sqrt(K)
    plain = seconds(lambda: sd * rng.standard_normal(K))
    peer = f"numpy: one Gaussian per query, sd {sd:.2f}, noise alone {plain:.3f} s"
    named = [
        ("T2a", "release of all distance queries", seconds(lambda: release(data)), "s", 0.010),
        (
            "T2b",
            "a million answers",
            seconds(lambda: average_sign.answer(ours, queries)),
            "s",
            0.100,
        ),
        ("T2c", f"rms over uniform queries, {RELEASES} releases", rms / one, "ratio", 0.85),
        ("T2d", f"rms at corners, the worst queries; sd {one:.1e}", worst / one, "ratio", 1.05),
    ]
    for name, what, value, unit, target in named:
        yield {
            "id": name,
            "what": what,
            "value": value,
            "unit": unit,
            "target": f"<= {target:g}",
            "holds": value <= target,
            "peer": peer,
        }
