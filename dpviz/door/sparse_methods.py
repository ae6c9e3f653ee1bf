"""How ``dpviz.sparse_queries`` answers: four mechanisms, the first three by their proved error."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.papers.sparse_queries import baselines, online, plan
from dpviz.papers.sparse_queries.queries import Batch
from dpviz.privacy.curator import Curator

METHODS = ("lazy histogram", "laplace", "gaussian", "multiplicative weights")


@dataclass(frozen=True)
class Method:
    """A mechanism by name, with the Params it runs with."""

    name: str
    params: plan.Params


def chosen(method: str | None, batch: Batch, n: int, *, epsilon: float, delta: float) -> Method:
    """The method that was asked for, or the one of the first three with the least proved error.

    >>> from dpviz.papers.sparse_queries.queries import Query
    >>> batch = Batch([Query(["a", "b"]), Query(["c"])])
    >>> chosen(None, batch, 1000, epsilon=1.0, delta=0.0).name
    'laplace'
    """
    public: dict[str, Any] = {"m": batch.width, "k": len(batch)}
    pure = plan.Params(epsilon=epsilon, **public)
    both = replace(pure, delta=delta)
    if method == "gaussian" and not delta:
        raise ValueError("delta must be above 0 for method 'gaussian'")
    methods = {name: Method(name, pure) for name in METHODS[:2]}
    if delta:
        methods["gaussian"] = Method("gaussian", both)
    if method is None:
        return min(methods.values(), key=lambda each: error_bound(each, n, 0.05))
    if checks.choice("method", method, METHODS) == "multiplicative weights":
        best = plan.plan(both, n)
        if not math.isfinite(best.error):
            both = plan.rule_of_thumb(both, n)
        kind = plan.plan(both, n).composition
        return Method(method, both if kind == "zcdp" else replace(both, delta=0.0))
    return methods[method]


def error_bound(method: Method, n: int, beta: float) -> float:
    """Proved for all queries of the batch at once, as a share of the records.

    Multiplicative weights are planned for one beta; what holds with it holds for a larger one.
    """
    params = replace(method.params, beta=beta)
    if method.name == "multiplicative weights":
        kept = method.params.updates is None and beta >= method.params.beta
        return plan.plan(method.params, n).error if kept else math.inf
    if method.name == "lazy histogram":
        return baselines.error_bound_lazy_histogram(params, n=n)
    if method.name == "gaussian":
        return baselines.error_bound_gaussian(params, n=n)
    return params.k * math.log(params.k / beta) / (params.epsilon * n)


def release(names: list[Hashable], method: Method, batch: Batch, curator: Curator) -> NDArray:
    """Answers to the batch, (k,)."""
    params = method.params
    if method.name == "multiplicative weights":
        mechanism = online.InteractiveSparse(names, params, curator, vocabulary=batch.number)
        return np.array([mechanism.answer(query).value for query in batch])
    make = {
        "lazy histogram": baselines.release_lazy_histogram,
        "laplace": baselines.release_laplace,
        "gaussian": baselines.release_gaussian,
    }[method.name]
    return make(names, params, curator, queries=batch)
