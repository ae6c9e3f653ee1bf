"""Linear queries over a few cells: the share of records in a set of cells.

A record has d yes-or-no attributes, so there are 2^d cells; a question is a random set of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dpviz.comparison.mechanisms import noise, sparse
from dpviz.comparison.mechanisms.task import Instance, Kind, Mechanism, Run, Task, largest
from dpviz.papers.fat_shattering import (
    baselines,
    median_mechanism,
    net_mechanism,
    small_databases,
)
from dpviz.papers.sparse_queries import mwem, plan
from dpviz.papers.sparse_queries.queries import Batch, Query, Records
from dpviz.privacy.curator import Curator

QUERIES = 2010  # seed of the public questions
LISTED = 20_000  # small databases that may be listed
ROWS = (1, 2, 3, 4, 6, 8, 12, 16)  # of a small database
EXACT = (1, 2, 4, 8, 16)  # rows whose shares have no rounding: medians tell equals from others
MOST = 4


@lru_cache(maxsize=64)
def sets(d: int, k: int) -> np.ndarray:
    """Public questions: random halves of the 2^d cells; (k, 2^d) of 0 and 1."""
    rng = np.random.default_rng([QUERIES, d, k])
    cells = 2**d
    return np.array([rng.permutation(cells) < cells / 2 for _ in range(k)], dtype=float)


@lru_cache(maxsize=4096)
def net(task: Task) -> net_mechanism.Params:
    """As many rows as the proved bound finds best, of those that can be listed."""
    public: dict[str, Any] = {"epsilon": task.epsilon, "beta": task.beta, "total": float(task.n)}
    tried = [net_mechanism.Params(rows=rows, **public) for rows in listed(task, ROWS)]
    return min(tried, key=lambda each: approximation(task.d, task.k, each.rows) * task.n
               + net_mechanism.error_bound_noise(each, cells=2**task.d))  # fmt: skip


@lru_cache(maxsize=4096)
def median(task: Task) -> median_mechanism.Params:
    """As many rows as its proved bound finds best, of those that can be listed."""
    public: dict[str, Any] = {
        "epsilon": task.epsilon,
        "beta": task.beta,
        "k": task.k,
        "cells": 2**task.d,
    }
    tried = [
        median_mechanism.Params(
            rows=rows, total=float(task.n), eta=approximation(task.d, task.k, rows), **public
        )
        for rows in listed(task, EXACT)
    ]
    return min(tried, key=median_mechanism.error_bound)


def listed(task: Task, rows: Sequence[int]) -> list[int]:
    """Of some numbers of rows those at which all small databases can be listed."""
    if task.d > MOST:
        raise ValueError(f"d must be at most {MOST} for a list of small databases, not {task.d}")
    return [m for m in rows if small_databases.count_databases(2**task.d, m) <= LISTED]


@lru_cache(maxsize=256)
def approximation(d: int, k: int, rows: int) -> float:
    """How far the best small database is from any data, proved."""
    return small_databases.error_bound(small_databases.Params(rows=rows), queries=sets(d, k))


def laplace(task: Task) -> baselines.Params:
    """Laplace noise; neighbours replace one record, so cells move by 2 in all."""
    return baselines.Params(epsilon=task.epsilon, l1_distance=2.0, beta=task.beta)


def rounds(task: Task) -> mwem.Params:
    """MWEM over the cells, thirty rounds whatever is asked."""
    return mwem.Params(m=2**task.d, size=30 * 2**task.d + 1, **task.budget)


def weights(task: Task) -> plan.Params:
    """Multiplicative weights over the cells."""
    cells = 2**task.d
    public: dict[str, Any] = {"m": cells, "universe": cells, "k": task.k, "beta": task.beta}
    return plan.rule_of_thumb(plan.Params(**public, **task.budget), task.n)


def of_counts(task: Task, counts: np.ndarray) -> Instance:
    """Counts of the cells; without data the answer is ½: each question asks for half the cells."""
    queries = sets(task.d, task.k)
    exact = queries @ counts / task.n
    return Instance(counts.astype(float), queries, exact, largest(0.5, exact))


def of_rows(task: Task, rows: np.ndarray) -> Instance:
    """Records (n, columns) in [0, 1]: whether each of the first d is above the middle."""
    cell = (rows[:, : task.d] > 0.5) @ 2 ** np.arange(task.d)
    return of_counts(task, np.bincount(cell, minlength=2**task.d))


def draw(task: Task, rng: np.random.Generator) -> Instance:
    """Synthetic records: uneven shares of the cells (Dirichlet, ½), drawn anew."""
    return of_counts(task, rng.multinomial(task.n, rng.dirichlet(np.full(2**task.d, 0.5))))


def _net(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    queries = instance.queries
    release = net_mechanism.release(instance.data, net(task), curator, queries=queries)
    return net_mechanism.answer(release, queries) / task.n


def _histogram(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    return instance.queries @ _noisy(task, instance, curator) / task.n


def _projected(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    counts = baselines.nearest_possible(_noisy(task, instance, curator), task.n)
    return instance.queries @ counts / task.n


def _noisy(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    cost: dict[str, Any] = {"sensitivity": 2.0, "epsilon": task.epsilon, "label": "histogram"}
    return np.asarray(curator.laplace(instance.data, **cost))


def _median(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    median_of = median_mechanism.InteractiveMedian(instance.data, median(task), curator)
    return median_of.answer_all(instance.queries)[0] / task.n


def _by_names(mechanism: Run) -> Run:
    """A mechanism for lists of names, here of cells."""

    def run(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
        data = np.repeat(np.arange(2**task.d), instance.data.astype(int))
        batch = Batch(Query(np.flatnonzero(row)) for row in instance.queries)
        named = Instance(data, batch, Records(data).truths(batch), instance.without_data)
        return mechanism(task, named, curator)

    return run


def _histogram_bound(task: Task) -> float:
    bound = baselines.error_bound_histogram(laplace(task), cells=2**task.d, k=task.k)
    return bound / task.n


def _net_bound(task: Task) -> float:
    params = net(task)
    cells = 2**task.d
    noise = net_mechanism.error_bound_noise(params, cells=cells) / task.n
    return approximation(task.d, task.k, params.rows) + noise


def _net_paper(task: Task) -> float:
    """Theorem 5's proof as stated, at the same rows; a test shows that it is not true."""
    return net_mechanism.paper_bound(net(task), queries=sets(task.d, task.k)) / task.n


KIND = Kind(
    name="linear",
    question="Which share of the records lies in this set of cells?",
    size="yes-or-no attributes",
    without="as many records in each cell, or ½",
    most=MOST,
    draw=draw,
    of_rows=of_rows,
    mechanisms=(
        Mechanism(
            key="net",
            name="net mechanism",
            origin="paper",
            module="papers.fat_shattering.net_mechanism",
            cannot="list the small databases of many cells",
            params=net,
            run=_net,
            tuned="proved bound",
            bound=_net_bound,
            paper=_net_paper,
        ),
        Mechanism(
            key="median",
            name="median mechanism",
            origin="paper",
            module="papers.fat_shattering.median_mechanism",
            cannot="list the small databases of many cells",
            params=median,
            run=_median,
            tuned="proved bound",
            adaptive=True,
            bound=lambda task: median_mechanism.error_bound(median(task)) / task.n,
        ),
        Mechanism(
            key="weights",
            name="multiplicative weights, rule of thumb",
            origin="paper",
            module="papers.sparse_queries.online",
            cannot="promise an error",
            params=weights,
            run=_by_names(sparse.online_form(weights)),
            tuned="public data of another seed",
            adaptive=True,
            pure=lambda task: plan.plan(weights(task), task.n).composition == "basic",
        ),
        Mechanism(
            key="mwem",
            name="MWEM",
            origin="other",
            module="papers.sparse_queries.mwem",
            cannot="promise an error, or answer before all k are known",
            params=rounds,
            run=_by_names(sparse.by_mwem(rounds)),
            tuned="public data of another seed",
        ),
        Mechanism(
            key="histogram",
            name="Laplace histogram",
            origin="baseline",
            module="papers.fat_shattering.baselines",
            cannot="list the cells of many attributes",
            params=laplace,
            run=_histogram,
            tuned="nothing to tune",
            bound=_histogram_bound,
        ),
        Mechanism(
            key="projected",
            name="projected histogram",
            origin="baseline",
            module="papers.fat_shattering.baselines",
            cannot="promise an error, or list the cells of many attributes",
            params=laplace,
            run=_projected,
            tuned="nothing to tune",
        ),
        Mechanism(
            key="noise",
            name="noise on each answer",
            origin="baseline",
            module="papers.fat_shattering.baselines",
            cannot="answer a question that was not among the k",
            params=laplace,
            run=noise.run,
            tuned="proved bound",
            bound=noise.error_bound,
            pure=noise.is_laplace,
        ),
    ),
)
