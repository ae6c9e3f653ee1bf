"""T1: a million noisy numbers through the curator, ledger included, beside numpy's sampler."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from dpviz.privacy.curator import Curator

SIZE = 10**6


def lines() -> Iterator[dict]:
    """Least time of 25 releases of a million values each, taken in turn with numpy's own."""
    curator, rng = Curator(epsilon=100, rng=0), np.random.default_rng(0)
    values, ours, theirs = np.zeros(SIZE), [], []
    for _ in range(25):
        start = time.process_time()
        curator.laplace(values, sensitivity=1, epsilon=1, label="noise")
        middle = time.process_time()
        rng.laplace(size=SIZE)
        ours.append((middle - start) / SIZE)
        theirs.append((time.process_time() - middle) / SIZE)
    ratio = min(ours) / min(theirs)
    yield {
        "id": "T1",
        "what": f"one Laplace sample in a million ({1e9 * min(ours):.0f} ns) over numpy's own",
        "value": ratio,
        "unit": "ratio",
        "target": "<= 0.8",
        "holds": ratio <= 0.8,
        "peer": "numpy.random.Generator.laplace",
    }
