"""Reconstruction attacks on 64 patients, and the release from small databases."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpviz import checks
from dpviz.data import real_sets
from dpviz.experiments.experiment import Experiment
from dpviz.papers.fat_shattering import linear_reconstruction, net_mechanism, small_databases

RATIOS = (2, 4, 8)
NOISES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0, 4.0)
TOTALS = (10, 30, 100, 300, 1000, 3000)
ROWS = (2, 4, 8, 16)
CELLS, K = 6, 40  # of the release


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
)
