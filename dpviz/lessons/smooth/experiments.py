"""Smooth queries: the errors of the paper's algorithm, of truncation, and of a whole class."""

from __future__ import annotations

from pathlib import Path

from dpviz.papers.smooth_queries import bounds, minimax_rate
from dpviz.papers.smooth_queries.release import Params
from dpviz.sweeps.experiment import Experiment

FOLDER = Path(__file__).parent

ERRORS = Experiment(
    name="smooth_errors",
    shows="How the worst error over 100 Gaussian kernels falls with n, for two choices of degree.",
    trial=bounds.trial_methods,
    params=Params(d=1, terms=1, epsilon=1.0, lower=-1.0, upper=1.0),
    grid={"n": [100, 1000, 10_000, 100_000], "method": list(bounds.METHODS)},
    repeats=12,
    rng=2013,
    folder=FOLDER,
)

CLASS = Experiment(
    name="smooth_class",
    shows="The worst error over all functions with bounded derivatives, between two bounds.",
    trial=minimax_rate.trial,
    params=Params(d=1, terms=1, epsilon=1.0, noise_scaling="smoothness", lower=-1.0, upper=1.0),
    grid={
        "delta": [0.0, 1e-6],
        "d": [1, 2],
        "smoothness": [1, 2],
        "n": [3000, 10_000, 30_000, 100_000],
    },
    repeats=6,
    rng=2026,
    folder=FOLDER,
)
