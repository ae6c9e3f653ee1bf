"""Distance queries: every method over n, d, k and epsilon; the mechanism's error over n."""

from __future__ import annotations

from dpviz.experiments.experiment import Experiment
from dpviz.papers.distance_queries.baselines import comparison
from dpviz.papers.distance_queries.mechanism import l1

N = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
D = (1, 2, 5, 10)
K = (1, 100, 10_000, 100_000)
EPSILONS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
COMPOSITIONS = ("zcdp", "pure")

METHODS = Experiment(
    name="distance_methods",
    shows="Which method has the smallest error at each n, d, k and epsilon.",
    trial=comparison.trial,
    params=comparison.Params(n=100, d=1, k=1, epsilons=EPSILONS),
    grid={"n": N, "d": D, "k": K},
    repeats=3,
    rng=2014,
)
SLOPES = Experiment(
    name="distance_slopes",
    shows="How the interactive mechanism's error falls with n, in both compositions.",
    trial=l1.trial,
    params=l1.Params(n=1000, d=1, k=10_000, epsilon=1, delta=1e-6, composition="zcdp"),
    grid={"composition": COMPOSITIONS, "n": N[2:]},
    repeats=40,
    rng=2014,
)
BASELINES = Experiment(
    name="distance_baselines",
    shows="How the errors of all methods fall with n: one column, ten thousand queries.",
    trial=comparison.trial,
    params=comparison.Params(n=1000, d=1, k=10_000),
    grid={"n": N[2:]},
    repeats=40,
    rng=2015,
)
