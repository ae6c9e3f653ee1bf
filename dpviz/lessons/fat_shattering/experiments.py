"""Reconstruction attacks on 64 patients, the release from small databases, a learner by it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from dpviz import checks
from dpviz.data import real_sets
from dpviz.papers.fat_shattering import (
    classes,
    linear_reconstruction,
    net_mechanism,
    regression_learner,
    small_databases,
)
from dpviz.sweeps.experiment import Experiment

FOLDER = Path(__file__).parent

RATIOS = (2, 4, 8)
NOISES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0, 4.0)
TOTALS = (10, 30, 100, 300, 1000, 3000)
ROWS = (2, 4, 8, 16)
CELLS, K = 6, 40  # of the release
DIMENSIONS = (1, 2, 3, 4, 5, 6)
WIDE, PEOPLE = 8, 10_000  # cells and people of the classes by their dimension
SAMPLES = (30, 100, 300, 1000, 3000, 10_000, 30_000)  # of the learner
MOST_ROWS = 60


def patients(n: int = 64) -> np.ndarray:
    """Evenly chosen patients of the clinic: 1 if malignant; array (n,)."""
    everyone = _everyone()
    return everyone[:: len(everyone) // n][:n].copy()


@lru_cache(maxsize=1)
def _everyone() -> np.ndarray:
    """All patients; read from their file once, as an attack is drawn hundreds of times."""
    return real_sets.diagnoses().data[:, 0]


def queries() -> np.ndarray:
    """The public class of the release: K random queries on six cells."""
    return np.random.default_rng(2010).uniform(size=(K, CELLS))


def people(total: int) -> np.ndarray:
    """The data of the release: so many people in six cells, in fixed shares."""
    return small_databases.rounded(np.array([0.31, 0.24, 0.17, 0.13, 0.09, 0.06]), total).astype(
        float
    )


def trial(
    params: net_mechanism.Params, people_in_all: int, *, rng: checks.Seed
) -> dict[str, float]:
    """One release at a number of people."""
    return net_mechanism.trial(params, people(people_in_all), queries(), rng=rng)


DECODED = Experiment(
    name="fat_decoded",
    shows="Share of 64 patients recovered, over decoding method, questions for each and noise.",
    trial=linear_reconstruction.trial,
    params=linear_reconstruction.Params(),
    grid={"method": ("least squares", "L1"), "ratio": RATIOS, "noise": NOISES},
    repeats=40,
    rng=2010,
    folder=FOLDER,
    fixed=lambda: {"data": patients()},
)
RELEASED = Experiment(
    name="fat_released",
    shows="Error of the release with a private total, over method, rows and people.",
    trial=trial,
    params=net_mechanism.Params(epsilon=1.0, rows=4),
    grid={"method": net_mechanism.METHODS, "rows": ROWS, "people_in_all": TOTALS},
    repeats=40,
    rng=2010,
    folder=FOLDER,
)


def trial_dimension(
    params: net_mechanism.Params, dimension: int, *, rng: checks.Seed
) -> dict[str, float]:
    """One release for all subsets of at most so many cells: a class of this dimension."""
    class_ = classes.subsets(WIDE, at_most=dimension)
    return net_mechanism.trial(params, many_people(), class_, rng=rng)


def many_people() -> np.ndarray:
    """The data of the classes by their dimension, in fixed uneven shares."""
    shares = np.array([0.26, 0.2, 0.15, 0.12, 0.1, 0.08, 0.05, 0.04])
    return small_databases.rounded(shares, PEOPLE).astype(float)


def trial_regression(
    params: regression_learner.Params, n: int, *, rng: checks.Seed
) -> dict[str, float]:
    """Learn once, with as many rows as the proved bound finds best."""
    rows = regression_learner.best_rows(params, n=n, most=params.rows)
    return regression_learner.trial(replace(params, rows=rows), n=n, rng=rng)


BY_DIMENSION = Experiment(
    name="fat_dimension",
    shows="Error of the release and of a Laplace histogram, over the dimension of the class.",
    trial=trial_dimension,
    params=net_mechanism.Params(epsilon=0.1, rows=12, total=float(PEOPLE)),
    grid={"dimension": DIMENSIONS},
    repeats=20,
    rng=2010,
    folder=FOLDER,
)
LEARNT_BY_PEOPLE = Experiment(
    name="fat_learnt_people",
    shows="Excess loss of private and ordinary isotonic regression, over the number of people.",
    trial=trial_regression,
    params=regression_learner.Params(epsilon=1.0, cells=2, rows=MOST_ROWS),
    grid={"n": SAMPLES},
    repeats=40,
    rng=2010,
    folder=FOLDER,
)
LEARNT_BY_DIMENSION = replace(
    LEARNT_BY_PEOPLE,
    name="fat_learnt_dimension",
    shows="Excess loss of private and ordinary isotonic regression, over the dimension.",
    params=regression_learner.Params(epsilon=1.0, cells=3, rows=8),
    grid={"cells": DIMENSIONS, "n": (3000,)},
)
