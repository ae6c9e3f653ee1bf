"""T13: the exact fat-shattering dimension, and decoding n = 256 by linear programming."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.papers.fat_shattering import linear_reconstruction
from dpviz.papers.fat_shattering.dimension import candidates, is_shattered, patterns, shatter


def timed(work: Callable[[], Any], runs: int = 3) -> tuple[float, Any]:
    """Least processor time of several runs, and what the last one gave."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        found = work()
        times.append(time.process_time() - start)
    return min(times), found


def line(id_: str, what: str, value: float, target: str, holds: bool, **more: str) -> dict:
    """One line of the table."""
    row = {"id": id_, "what": what, "value": value, "unit": "s", "target": target}
    return {**row, "holds": bool(holds), "peer": "", **more}


def lines() -> Iterator[dict]:
    """Search, decoding, and the search against an integer program."""
    queries = np.random.default_rng(128).uniform(size=(128, 10))
    seconds, found = timed(lambda: shatter(queries, 0.1))
    holds = seconds <= 5 and found.exact and is_shattered(queries, found)
    what = f"dimension of 128 random queries, 10 cells, gamma 0.1 (d = {found.d}, exact)"
    yield line("T13a", what, seconds, "<= 5", holds)
    bits = np.random.default_rng(0).integers(0, 2, 256)
    params = linear_reconstruction.Params(ratio=4, noise=0.1, method="L1")
    seconds, result = timed(lambda: linear_reconstruction.trial(params, bits, rng=1), runs=2)
    what = f"L1 decoding, n = 256, k = 1024 (recovered {result['recovered']:.3f})"
    yield line("T13b", what, seconds, "<= 5", seconds <= 5)
    small = np.random.default_rng(1).uniform(size=(24, 8))
    search, found = timed(lambda: shatter(small, 0.25))
    program, _ = timed(lambda: shatters(small, 0.25, found.d + 1), runs=1)
    what = "an integer program's time over the search's, 24 queries, 8 cells, gamma 0.25"
    ratio = {"unit": "ratio", "peer": "scipy.optimize.milp (HiGHS)"}
    yield line("T13c", what, program / search, ">= 10", program >= 10 * search, **ratio)


def shatters(queries: ArrayLike, gamma: float, size: int) -> bool:
    """Whether some ``size`` points are gamma-shattered, by mixed-integer programming.

    Position j holds one (point, level), in ascending order of points; each pattern b takes one
    query, and a query may serve b only if it lies on the side b_j of what position j holds.
    Slow: for checks only.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    table = np.unique(queries, axis=0)
    items = [(i, *c[1:]) for i, x in enumerate(table.T) for c in candidates(x, gamma)]
    if not items or 2**size > len(table):
        return False
    rows, lower, upper = [], [], []
    for row, least, most in _constraints(items, size, len(table)):
        rows.append(row)
        lower.append(least)
        upper.append(most)
    ones = np.ones(rows[0].size)
    limits = LinearConstraint(np.array(rows), np.array(lower), np.array(upper))
    return milp(0 * ones, integrality=ones, bounds=Bounds(0, 1), constraints=limits).success


def _constraints(
    items: list[tuple[int, int, int]], size: int, k: int
) -> Iterator[tuple[np.ndarray, float, float]]:
    """(row, least, most) over the unknowns: positions x items, then patterns x queries."""
    m, total = len(items), size * len(items) + 2**size * k
    places = np.array([i for i, _, _ in items])
    sides = np.array([[[side >> q & 1 for q in range(k)] for side in item[1:]] for item in items])
    for j in range(size):
        position = slice(j * m, (j + 1) * m)
        yield _row(total, (position, 1)), 1, 1
        if j:
            yield _row(total, (position, places), (slice((j - 1) * m, j * m), -places)), 1, np.inf
    for b, pattern in enumerate(patterns(size)):
        start = size * m + b * k
        yield _row(total, (slice(start, start + k), 1)), 1, 1
        for j, q in itertools.product(range(size), range(k)):
            allowed = -sides[:, int(pattern[j]), q]
            held, query = slice(j * m, (j + 1) * m), slice(start + q, start + q + 1)
            yield _row(total, (held, allowed), (query, 1)), -np.inf, 0


def _row(total: int, *entries: tuple[slice, ArrayLike]) -> np.ndarray:
    row = np.zeros(total)
    for where, what in entries:
        row[where] = what
    return row
