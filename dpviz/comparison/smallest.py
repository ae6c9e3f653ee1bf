"""Smallest n, measured and checked: below it the error fails, above it the error holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from dpviz import checks
from dpviz.comparison import calculator
from dpviz.comparison.mechanisms.kinds import KINDS
from dpviz.comparison.mechanisms.task import Task
from dpviz.sweeps.experiment import Experiment

FOLDER = Path(__file__).parent

ALPHA = 0.05
SEED = 2014
FACTORS = (0.8, 1.25)


@dataclass(frozen=True, kw_only=True)
class Case:
    """Whose smallest n is measured: ``name`` is one of ``CASES``; then at ``factor`` times it."""

    name: str
    factor: float = 1.0


CASES = {
    "distance, release": ("distance", "release", Task(n=1, d=2, k=100)),
    "distance, noise": ("distance", "noise", Task(n=1, d=2, k=100)),
    "distance, interactive": ("distance", "interactive", Task(n=1, d=1, k=100)),
    "sparse, lazy": ("sparse", "lazy", Task(n=1, d=50, k=30)),
    "smooth, truncation": ("smooth", "truncation", Task(n=1, d=1, k=30)),
    "smooth, functional": ("smooth", "functional", Task(n=1, d=1, k=30)),
    "linear, histogram": ("linear", "histogram", Task(n=1, d=3, k=30)),
    "linear, noise": ("linear", "noise", Task(n=1, d=3, k=30)),
}


def task_of(case: str) -> dict:
    """What ``calculator.smallest_n`` is asked about a case, but for the source.

    >>> task_of("linear, noise")["alpha"]
    0.05
    """
    kind, mechanism, task = CASES[case]
    return {"task": task, "kind": kind, "mechanism": mechanism, "alpha": ALPHA}


def trial_found(params: Case, *, rng: checks.Seed) -> dict[str, float]:
    """One measurement of the smallest n of a case."""
    return {"n": calculator.smallest_n(**task_of(params.name), source="measured", rng=rng)}


FOUND = Experiment(
    name="smallest_n_found",
    shows="The smallest n for error 0.05, measured several times for each mechanism.",
    trial=trial_found,
    params=Case(name="linear, noise"),
    grid={"name": tuple(CASES)},
    repeats=5,
    rng=SEED,
    folder=FOLDER,
)


@lru_cache
def found_n() -> dict[str, float]:
    """The median of the stored measurements of each case."""
    return dict(zip(CASES, FOUND.stored().quantile("n").tolist(), strict=True))


def trial_checked(params: Case, *, rng: checks.Seed) -> dict[str, float]:
    """The error of one fresh trial at ``factor`` times the smallest n that was measured."""
    rng, (name, key, task) = checks.generator(rng), CASES[params.name]
    kind = KINDS[name]
    n = round(params.factor * found_n()[params.name])
    task = replace(task, n=n)
    return {"error": kind.mechanism(key).outcome(task, kind.draw(task, rng), rng=rng).error}


CHECKED = Experiment(
    name="smallest_n_checked",
    shows="Errors in fresh trials at 0.8 and 1.25 times the smallest n that was measured.",
    trial=trial_checked,
    params=Case(name="linear, noise"),
    grid={"name": tuple(CASES), "factor": FACTORS},
    repeats=200,
    rng=SEED + 1,
    folder=FOLDER,
)


def failures() -> np.ndarray:
    """Share of the stored fresh trials with a larger error; (cases, factors)."""
    return (CHECKED.stored()["error"] > ALPHA).mean(axis=-1)
