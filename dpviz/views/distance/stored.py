"""The stored trials of lesson 03, and the calls that made them.

Each file is a journal of :func:`dpviz.sweeps.sweep.sweep`: run the call again without a file and
the same numbers come out. They take minutes, so the lesson reads them.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from dpviz.papers.distance_queries.baselines import comparison
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.sweeps.sweep import Sweep, load, sweep

FOLDER = Path(__file__).parent
N = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
D = (1, 2, 5, 10)
K = (1, 100, 10_000, 100_000)
EPSILONS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
COMPOSITIONS = ("zcdp", "pure")


def sweep_methods(**options: Any) -> Sweep:
    """All methods over n, d and k at each epsilon; ``options`` go to the sweep."""
    params = comparison.Params(n=100, d=1, k=1, epsilons=EPSILONS)
    grid = {"n": N, "d": D, "k": K}
    return sweep(comparison.trial, params, grid, repeats=3, rng=2014, **options)


def sweep_slopes(**options: Any) -> Sweep:
    """The interactive mechanism in both compositions, over n: one column, 10 000 questions."""
    params = l1.Params(n=1000, d=1, k=10_000, epsilon=1, delta=1e-6, composition="zcdp")
    grid = {"composition": COMPOSITIONS, "n": N[2:]}
    return sweep(l1.trial, params, grid, repeats=40, rng=2014, **options)


def sweep_baselines(**options: Any) -> Sweep:
    """All methods over n: one column, 10 000 questions."""
    params = comparison.Params(n=1000, d=1, k=10_000)
    return sweep(comparison.trial, params, {"n": N[2:]}, repeats=40, rng=2015, **options)


@lru_cache
def methods() -> Sweep:
    """What :func:`sweep_methods` found."""
    return load(FOLDER / "methods.jsonl")


@lru_cache
def slopes() -> Sweep:
    """What :func:`sweep_slopes` found."""
    return load(FOLDER / "slopes.jsonl")


@lru_cache
def baselines() -> Sweep:
    """What :func:`sweep_baselines` found."""
    return load(FOLDER / "baselines.jsonl")
