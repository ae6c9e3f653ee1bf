"""Private multiplicative weights with a sparse domain beside its baselines."""

from __future__ import annotations

from dpviz.experiments.experiment import Experiment
from dpviz.papers.sparse_queries import baselines, hashed_histogram, plan

SEED = 13
BASE = {"epsilon": 1.0, "delta": 1e-6, "m": 50, "k": 1000}
HERE = 10**5  # records, where n is not what varies


def _over(
    name: str, shows: str, grid: dict, repeats: int = 10, k: int = 1000, **fixed
) -> Experiment:
    """All mechanisms over one grid."""
    return Experiment(
        name=f"sparse_{name}",
        shows=shows,
        trial=baselines.trial_all,
        params=plan.Params(**BASE | {"k": k}),
        grid=grid,
        repeats=repeats,
        rng=SEED,
        fixed=lambda: {"recipe": "uneven", **fixed},
    )


RECORDS = _over(
    "records",
    "How the errors fall with the number of records.",
    {"n": [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000]},
    repeats=20,
    k=5000,
)
EPSILON = _over(
    "epsilon", "How the errors fall with epsilon.", {"epsilon": [0.1, 0.3, 1.0, 3.0, 10.0]}, n=HERE
)
WIDTH = _over(
    "width",
    "How the errors grow with the size of a query.",
    {"m": [2, 5, 20, 50, 200, 500]},
    n=HERE,
)
QUERIES = _over(
    "queries",
    "How the errors grow with the number of queries.",
    {"k": [30, 100, 300, 1000, 3000]},
    n=HERE,
)
WINNERS = _over(
    "winners",
    "Which mechanism has the smallest error, over the size and the number of queries.",
    {"m": [50, 150, 500, 1500, 5000], "k": [50, 150, 500, 1500]},
    repeats=3,
    recipe="wide",
    n=500,
)


def _hashed(name: str, shows: str, grid: dict, **fixed) -> Experiment:
    """What can be published at once, over one grid."""
    public = {"epsilon": 1.0, "m": 20, "k": 300, "size": 10**7, "coefficients": (1, 2)}
    return Experiment(
        name=f"sparse_hashed_{name}",
        shows=shows,
        trial=baselines.trial_published,
        params=hashed_histogram.Params(**public),
        grid=grid,
        repeats=10,
        rng=SEED,
        fixed=lambda: fixed,
    )


HASHED_RECORDS = _hashed(
    "records",
    "How the errors of the hashed histogram and others fall with the number of records.",
    {"n": [1000, 10_000, 100_000, 1_000_000]},
)
HASHED_WIDTH = _hashed(
    "width",
    "How the errors of the hashed histogram and others grow with the size of a query.",
    {"m": [2, 20, 200]},
    n=HERE,
)
HASHED_QUERIES = _hashed(
    "queries",
    "How the errors of the hashed histogram and others grow with the number of queries.",
    {"k": [30, 300, 3000]},
    n=HERE,
)
