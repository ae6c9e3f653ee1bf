"""Theorem 10 of Huang and Roth: the interactive mechanism behind random projections, over n."""

from __future__ import annotations

from dpviz.experiments.experiment import Experiment
from dpviz.papers.distance_queries.embeddings import euclidean

SIDE = 0.5**0.5  # of a square of diameter 1
PLANE = {"d": 2, "k": 100, "epsilon": 1.0, "upper": SIDE}
N = (10_000, 30_000, 100_000, 300_000, 1_000_000)
PURE_N = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
TARGETS = (16, 64, 256, 1024, 4096)

APPROXIMATE = Experiment(
    name="euclidean_approximate",
    shows="How Theorem 10's error falls with n, with the best number of projections.",
    trial=euclidean.trial,
    params=euclidean.Params(n=N[0], delta=1e-6, **PLANE),
    grid={"n": N},
    repeats=8,
    rng=2014,
)
PURE = Experiment(
    name="euclidean_pure",
    shows="The same under pure differential privacy.",
    trial=euclidean.trial,
    params=euclidean.Params(n=PURE_N[0], **PLANE),
    grid={"n": PURE_N},
    repeats=8,
    rng=2015,
)
DIMENSION = Experiment(
    name="euclidean_dimension",
    shows="Remark 7.1: the error at fixed numbers of projections, at n = 300,000.",
    trial=euclidean.trial,
    params=euclidean.Params(n=N[3], delta=1e-6, **PLANE),
    grid={"target": TARGETS},
    repeats=8,
    rng=2016,
)
