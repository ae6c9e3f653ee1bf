"""How ``dpviz.sparse_queries`` answers: four mechanisms, the first three by their proved error."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.door.terms import BETA, Mechanism, planned, proved
from dpviz.papers.sparse_queries import baselines, online, plan
from dpviz.papers.sparse_queries.queries import Batch
from dpviz.privacy.curator import Curator

METHODS = ("lazy histogram", "laplace", "gaussian", "multiplicative weights")


def chosen(
    method: str | None, batch: Batch, data: Any, n: int, *, epsilon: float, delta: float
) -> Mechanism:
    """The method that was asked for, or the one of the first three with the least proved error.

    >>> from dpviz.papers.sparse_queries.queries import Query
    >>> batch = Batch([Query(["a", "b"]), Query(["c"])])
    >>> chosen(None, batch, ["a"] * 1000, 1000, epsilon=1.0, delta=0.0).name
    'laplace'
    """
    pure = plan.Params(epsilon=epsilon, m=batch.width, k=len(batch))
    both = replace(pure, delta=delta)
    if method == "gaussian" and not delta:
        raise ValueError("delta must be above 0 for method 'gaussian'")
    if method is not None and checks.choice("method", method, METHODS) == METHODS[-1]:
        return _multiplicative_weights(both, batch, data, n)
    lazy = baselines.release_lazy_histogram, baselines.error_bound_lazy_histogram, pure
    laplace = baselines.release_laplace, _laplace_bound, pure
    gaussian = baselines.release_gaussian, baselines.error_bound_gaussian, both
    mechanisms = {
        name: Mechanism(
            name=name,
            params=params,
            bound=partial(proved, error_bound, params, n=n),
            release=partial(release, data, params, queries=batch),
        )
        for name, (release, error_bound, params) in zip(
            METHODS, (lazy, laplace, gaussian)[: 3 if delta else 2], strict=False
        )
    }
    if method is not None:
        return mechanisms[method]
    return min(mechanisms.values(), key=lambda mechanism: mechanism.bound(BETA))


def _laplace_bound(params: plan.Params, *, n: int) -> float:
    """Of all answers at once, as a share of the records."""
    return params.k * math.log(params.k / params.beta) / (params.epsilon * n)


def _multiplicative_weights(params: plan.Params, batch: Batch, data: Any, n: int) -> Mechanism:
    if not math.isfinite(plan.plan(params, n).error):
        params = plan.rule_of_thumb(params, n)
    if plan.plan(params, n).composition != "zcdp":
        params = replace(params, delta=0.0)
    most = plan.plan(params, n).error if params.updates is None else math.inf
    return Mechanism(
        name=METHODS[-1],
        params=params,
        bound=partial(planned, most, params.beta),
        release=partial(_asked_in_turn, data, params, batch),
    )


def _asked_in_turn(data: Any, params: plan.Params, batch: Batch, curator: Curator) -> NDArray:
    mechanism = online.InteractiveSparse(data, params, curator, vocabulary=batch.number)
    return np.array([mechanism.answer(query).value for query in batch])
