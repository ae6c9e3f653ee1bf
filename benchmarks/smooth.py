"""T6, T7: a table of moments, and kernel queries from a published table, beside their peers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from dpviz.papers.smooth_queries import functional_mechanism
from dpviz.papers.smooth_queries.moments import sums


def cpu(work: Callable[[], object], runs: int = 25) -> float:
    """Least processor time of several runs after a warm-up; one thread is assumed."""
    work()
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def einsum(points: np.ndarray, terms: int) -> np.ndarray:
    """The plain way: three tables of waves, one einsum."""
    x, y, z = np.polynomial.chebyshev.chebvander(points.T, terms - 1)
    return np.einsum("na,nb,nc->abc", x, y, z, optimize=True) / len(points)


def chebvander3d(points: np.ndarray, terms: int) -> np.ndarray:
    """numpy's own table of all products, averaged; in blocks, as it is large."""
    total = np.zeros(terms**3)
    for start in range(0, len(points), 1000):
        block = points[start : start + 1000].T
        total += np.polynomial.chebyshev.chebvander3d(*block, [terms - 1] * 3).sum(axis=0)
    return total.reshape((terms,) * 3) / len(points)


def moment_lines() -> Iterator[dict]:
    """n = 1e5, d = 3, 12 waves per variable."""
    points = np.random.default_rng(0).uniform(-1, 1, (10**5, 3))
    square = np.random.default_rng(1).normal(size=(1000, 1000))
    ours = cpu(lambda: sums(points, 12))
    peak = 2e9 / cpu(lambda: square @ square)
    peers = {"einsum": einsum, "chebvander3d": chebvander3d}
    times = {name: cpu(lambda f=f: f(points, 12), runs=3) for name, f in peers.items()}
    gap = np.abs(sums(points, 12) - einsum(points, 12)).max()
    share = 2 * 12**3 * 10**5 / ours / peak
    what = f"12^3 moments of 1e5 records (differ from einsum by {gap:.0e})"
    yield line("T6", what, ours, "s", "<= 0.02", ours <= 0.02 and gap < 1e-13, "numpy")
    yield line(
        "T6b", "share of the matrix-product peak", share, "share", ">= 0.33", share >= 0.33, ""
    )
    for name, seconds in times.items():
        ratio = seconds / ours
        yield line("T6c", f"{name} over dpviz", ratio, "ratio", ">= 7", ratio >= 7, name)


def slope_lines() -> Iterator[dict]:
    """Table 1's time for the summary, timed: slope over n at the paper's t, K = 1, 2 and 4."""
    rng = np.random.default_rng(0)
    for d, smoothness in ((1, 2), (2, 1), (2, 4)):
        n = np.array([10**4, 10**5, 10**6])
        terms = [int(m ** (1 / (2 * d + smoothness)) + 1e-9) for m in n]
        seconds = [
            cpu(partial(sums, rng.uniform(-1, 1, (m, d)), t), runs=3)
            for m, t in zip(n, terms, strict=True)
        ]
        slope = np.polyfit(np.log(n), np.log(seconds), 1)[0]
        stated = (3 * d + smoothness) / (2 * d + smoothness)
        what = (
            f"Table 1: slope of the table's time, d = {d}, K = {smoothness}, printed {stated:.2f}"
        )
        yield line("T6d", what, slope, "slope", f"<= {stated + 0.1:.2f}", slope <= stated + 0.1, "")


def kernel_lines() -> Iterator[dict]:
    """1e4 bumps of width 1/2 from a table of 12^3 numbers; n = 1e5, d = 3."""
    rng = np.random.default_rng(0)
    data, centres = rng.uniform(-1, 1, (10**5, 3)), rng.uniform(-1, 1, (10**4, 3))
    budget = {"epsilon": 1.0, "delta": 1e-6, "lower": -1, "upper": 1}
    params = functional_mechanism.Params(d=3, width=0.5, nodes=12, **budget)
    released = functional_mechanism.release(data, params, params.curator(rng=0))
    ours = cpu(lambda: functional_mechanism.answer(released, centres))
    few = centres[:50]
    slow = (
        cpu(lambda: functional_mechanism.truth(data, few, params), runs=2) * len(centres) / len(few)
    )
    small = [
        functional_mechanism.trial(params, n=300, k=300, rng=seed)["rms"] for seed in range(60)
    ]
    ratio = float(np.sqrt(np.mean(np.square(small)))) / params.sd(300)
    what = f"1e4 Gaussian-kernel queries ({slow / ours:.0f} times faster than a scan)"
    yield line("T7", what, ours, "s", "<= 0.005", ours <= 0.005, "numpy: one product and exp")
    what = "rms noise over kappa sqrt(2 - 2 k_min) / n"
    yield line("T7b", what, ratio, "ratio", "<= 1.05", ratio <= 1.05, "")


def line(id: str, what: str, value: float, unit: str, target: str, holds: bool, peer: str) -> dict:
    """One line of the table."""
    names = ("id", "what", "value", "unit", "target", "holds", "peer")
    return dict(zip(names, (id, what, float(value), unit, target, bool(holds), peer), strict=True))


def lines() -> Iterator[dict]:
    """T6 and T7."""
    yield from moment_lines()
    yield from slope_lines()
    yield from kernel_lines()
