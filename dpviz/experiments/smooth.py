"""Smooth queries: the errors of the paper's algorithm and of truncation, over n."""

from __future__ import annotations

from dpviz.experiments.experiment import Experiment
from dpviz.papers.smooth_queries import bounds
from dpviz.papers.smooth_queries.release import Params

ERRORS = Experiment(
    name="smooth_errors",
    shows="How the worst error over 100 Gaussian kernels falls with n, for two choices of degree.",
    trial=bounds.trial_methods,
    params=Params(d=1, terms=1, epsilon=1.0),
    grid={"n": [100, 1000, 10_000, 100_000], "method": list(bounds.METHODS)},
    repeats=12,
    rng=2013,
)
