"""T13: the exact fat-shattering dimension, and decoding n = 256 by linear programming."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpviz.papers.fat_shattering import linear_reconstruction, shattering_programs
from dpviz.papers.fat_shattering.dimension import is_shattered, shatter


def timed(work: Callable[[], Any], runs: int = 3) -> tuple[float, Any]:
    """Least time of several runs, and what the last one gave."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - start)
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
    program, _ = timed(lambda: shattering_programs.shatters(small, 0.25, found.d + 1), runs=1)
    what = "an integer program's time over the search's, 24 queries, 8 cells, gamma 0.25"
    ratio = {"unit": "ratio", "peer": "scipy.optimize.milp (HiGHS)"}
    yield line("T13c", what, program / search, ">= 10", program >= 10 * search, **ratio)
