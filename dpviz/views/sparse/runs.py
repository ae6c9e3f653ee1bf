"""The stored sweeps of lesson 05: what was run, with which seed, and the file it went into.

``make(name)`` runs one again (it continues a file that is there); a test repeats some trials of
each bit by bit.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from dpviz.papers.sparse_queries import baselines, plan
from dpviz.sweeps.sweep import Sweep, load, sweep

FOLDER = Path(__file__).parent
SEED = 13
BASE = {"epsilon": 1.0, "delta": 1e-6, "m": 50, "k": 1000}
HERE = 10**5  # records, where n is not what varies

# name: (parameters, grid, what else the trial is told, repeats)
SWEEPS = {
    "records": (
        BASE | {"k": 5000},
        {"n": [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000]},
        {"recipe": "uneven"},
        20,
    ),
    "epsilon": (BASE, {"epsilon": [0.1, 0.3, 1.0, 3.0, 10.0]}, {"recipe": "uneven", "n": HERE}, 10),
    "width": (BASE, {"m": [2, 5, 20, 50, 200, 500]}, {"recipe": "uneven", "n": HERE}, 10),
    "queries": (BASE, {"k": [30, 100, 300, 1000, 3000]}, {"recipe": "uneven", "n": HERE}, 10),
    "winners": (
        BASE,
        {"m": [50, 150, 500, 1500, 5000], "k": [50, 150, 500, 1500]},
        {"recipe": "wide", "n": 500},
        3,
    ),
}


def make(name: str, *, jobs: int = 1) -> Sweep:
    """Run a sweep into its file; what is there already is kept."""
    params, grid, fixed, repeats = SWEEPS[name]
    return sweep(
        baselines.trial_all,
        plan.Params(**params),
        grid,
        repeats=repeats,
        rng=SEED,
        fixed=fixed,
        jobs=jobs,
        file=FOLDER / f"{name}.jsonl",
    )


@lru_cache
def stored(name: str) -> Sweep:
    """A sweep as it was stored.

    >>> stored("records")["online"].shape
    (7, 20)
    """
    return load(FOLDER / f"{name}.jsonl")
