"""Sparse queries (lesson 05): all mechanisms over n, m, k and epsilon; one run; promised errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from dpviz.papers.sparse_queries import baselines, hashed_histogram, online, plan, workloads
from dpviz.papers.sparse_queries.queries import Records
from dpviz.sweeps.experiment import Experiment

FOLDER = Path(__file__).parent

SEED = 13
BASE = {"epsilon": 1.0, "delta": 1e-6, "m": 50, "k": 1000}
HERE = 10**5  # records, where n is not what varies
DELTA = 1e-6
AIMS = ("promised", "rule of thumb")
ASKED = ("fixed", "adaptive")  # how the queries are chosen
GRID = (10**3, 10**4, 10**5, 10**6, 10**7)  # records, of the promises


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
        folder=FOLDER,
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
        folder=FOLDER,
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


@dataclass(frozen=True, eq=False)
class Ran:
    """One run of the online form.

    Attributes
    ----------
    n, params, aim : what was asked: records, plan.Params, one of AIMS
    truths, values : arrays (k,); kinds : array (k,) of words
    split : plan.Plan
    used : number of indexed elements in the end
    """

    n: int
    params: plan.Params
    aim: str
    truths: np.ndarray
    values: np.ndarray
    kinds: np.ndarray
    split: plan.Plan
    used: int

    @property
    def error(self) -> float:
        """Largest error."""
        return float(np.abs(self.values - self.truths).max())


@lru_cache(maxsize=64)
def _instance(n: int, m: int, k: int, seed: int) -> tuple:
    """Records and queries of the recipe "uneven", with their truths."""
    data, queries = workloads.draw("uneven", n=n, m=m, k=k, rng=seed)
    return data, queries, Records(data).truths(queries)


def run(*, n: int, m: int, k: int, epsilon: float, update_rule: str, aim: str, seed: int) -> Ran:
    """Ask k questions once.

    >>> ran = run(n=10**4, m=5, k=30, epsilon=1.0, update_rule="best", aim="promised", seed=1)
    >>> ran.error <= ran.split.error
    True
    """
    data, queries, truths = _instance(n, m, k, seed)
    public = plan.Params(epsilon=epsilon, delta=DELTA, m=m, k=k, update_rule=update_rule)
    params = public if aim == "promised" else plan.rule_of_thumb(public, n)
    curator = params.curator(rng=seed)
    mechanism = online.InteractiveSparse(data, params, curator, vocabulary=range(4 * m))
    answers = [mechanism.answer(query) for query in queries.queries]
    values = np.array([each.value for each in answers])
    kinds = np.array([each.kind for each in answers])
    used = mechanism.hypothesis.used
    return Ran(n, public, aim, truths, values, kinds, mechanism.plan, used)


@dataclass(frozen=True, eq=False)
class Promise:
    """Promised largest errors over n.

    Attributes
    ----------
    params : plan.Params; n : the number of records chosen
    queries : one of ASKED
    lines : name -> array over GRID; here : name -> value at n
    split : plan.Plan at n
    """

    params: plan.Params
    n: int
    queries: str
    lines: dict[str, np.ndarray]
    here: dict[str, float]
    split: plan.Plan

    @property
    def winner(self) -> str:
        """Whose promise is smallest at n, among those below one half; "nobody" if none is."""
        ours = {name: self.here[name] for name in ("ours", "lazy_histogram", "gaussian")}
        best = min(ours, key=ours.get)
        return best if ours[best] < 0.5 else "nobody"


def promise(
    *, n: int, m: int, k: int, epsilon: float, update_rule: str, queries: str, seed: int = 1
) -> Promise:
    """All promises over the grid and at n; nothing random in it.

    >>> how = {"n": 10**5, "m": 50, "k": 2000, "update_rule": "projection", "queries": "fixed"}
    >>> promise(epsilon=1.0, **how).winner
    'lazy_histogram'
    """
    params = plan.Params(epsilon=epsilon, delta=DELTA, m=m, k=k, update_rule=update_rule)
    points = {each: _promises(params, each, queries) for each in (*GRID, n)}
    lines = {name: np.array([points[each][name] for each in GRID]) for name in points[n]}
    return Promise(params, n, queries, lines, points[n], plan.plan(params, n))


@lru_cache(maxsize=4096)
def _promises(params: plan.Params, n: int, queries: str) -> dict[str, float]:
    """The four promises at one n."""
    if queries == "fixed":
        histogram = baselines.error_bound_lazy_histogram(params, n=n)
    else:
        histogram = baselines.error_bound_adaptive(params, n=n, touched=params.m * params.k)
    return {
        "ours": plan.error_bound(params, n=n),
        "paper": plan.paper_bound(params, n=n),
        "lazy_histogram": histogram,
        "gaussian": baselines.error_bound_gaussian(params, n=n),
    }
