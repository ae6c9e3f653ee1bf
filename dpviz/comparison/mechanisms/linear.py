"""Linear queries: the share of records in a set of cells.

A record has d yes-or-no attributes, so there are 2^d cells. Up to four attributes a question is a
random half of the cells; from there on it is about three attributes, and asks whether an odd
number of them is yes, or whether all three are as given: parities and marginals.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dpviz.comparison.alternatives import (
    adaptive_projection,
    dense_weights,
    factorization,
    joint_sensitivity,
)
from dpviz.comparison.mechanisms import noise, sparse
from dpviz.comparison.mechanisms.task import Instance, Kind, Mechanism, Run, Task, largest
from dpviz.papers.fat_shattering import baselines, median_mechanism, net_mechanism, small_databases
from dpviz.papers.sparse_queries import plan
from dpviz.papers.sparse_queries.queries import Batch, Query, Records
from dpviz.privacy.curator import Curator

QUERIES = 2010  # seed of the public questions
LISTED = 20_000  # small databases that may be listed
SCORED = 1_000_000  # pairs of a small database and a question that may be scored
MOST_ROWS = 80  # of a small database
EXACT = (1, 2, 4, 8, 16, 32, 64)  # rows whose shares have no rounding: medians tell equals apart
HALVES = 4  # attributes, up to which a question is any half of the cells
MOST = 16
RECORDS, LEAST_ROUNDS, MOST_ROUNDS = 50, 10, (20, 100)  # of MWEM, over few cells and many
MEASURING = 0.25  # of the budget of private multiplicative weights; the rest is for tests
CLASSES = 4  # of the synthetic records with many attributes


@lru_cache(maxsize=64)
def sets(d: int, k: int) -> np.ndarray:
    """The public questions: random halves of the 2^d cells; (k, 2^d) of 0 and 1."""
    rng = np.random.default_rng([QUERIES, d, k])
    cells = 2**d
    return np.array([rng.permutation(cells) < cells / 2 for _ in range(k)], dtype=float)


@lru_cache(maxsize=64)
def distinct(d: int, k: int) -> np.ndarray:
    """Each of :func:`sets` once."""
    return np.unique(sets(d, k), axis=0)


@lru_cache(maxsize=16)
def many(d: int, k: int) -> factorization.Walsh:
    """The public questions about many attributes."""
    return factorization.questions(d, k, rng=np.random.default_rng([QUERIES, d, k]))


def questions(task: Task) -> np.ndarray | factorization.Walsh:
    """The public questions; (k, 2^d), an array or a linear operator."""
    return sets(task.d, task.k) if task.d <= HALVES else many(task.d, task.k)


@lru_cache(maxsize=64)
def groups(d: int, k: int) -> np.ndarray:
    """Of each question, which of the distinct ones it is; (k,)."""
    if d <= HALVES:
        return np.unique(sets(d, k), axis=0, return_inverse=True)[1]
    return np.arange(k)


@lru_cache(maxsize=64)
def _sensitivity(d: int, k: int) -> joint_sensitivity.Sensitivity:
    if d <= HALVES:
        return joint_sensitivity.of_values(distinct(d, k))
    l2 = many(d, k).sensitivity
    return joint_sensitivity.Sensitivity(l1=l2**2, l2=l2)  # the answers move by 0 or 1


def sensitivity(task: Task) -> joint_sensitivity.Sensitivity:
    """How far the answers to the distinct public questions move together, times n."""
    return _sensitivity(task.d, task.k)


@lru_cache(maxsize=4096)
def net(task: Task) -> net_mechanism.Params:
    """As many rows as the proved bound finds best, of those that can be listed."""
    public: dict[str, Any] = {"epsilon": task.epsilon, "beta": task.beta, "total": float(task.n)}
    tried = [net_mechanism.Params(rows=rows, **public) for rows in listed(task)]
    return min(tried, key=lambda each: approximation(task.d, task.k, each.rows) * task.n
               + net_mechanism.error_bound_noise(each, cells=2**task.d))  # fmt: skip


@lru_cache(maxsize=4096)
def median(task: Task) -> median_mechanism.Params:
    """As many rows as its proved bound finds best, of those that can be listed."""
    public: dict[str, Any] = {
        "epsilon": task.epsilon,
        "beta": task.beta,
        "k": len(distinct(few(task), task.k)),
        "cells": 2**task.d,
    }
    tried = [
        median_mechanism.Params(
            rows=rows, total=float(task.n), eta=approximation(task.d, task.k, rows), **public
        )
        for rows in listed(task)
        if rows in EXACT
    ]
    return min(tried, key=median_mechanism.error_bound)


def few(task: Task) -> int:
    """Attributes, if all sets of cells can be handled; ``ValueError`` if they are too many."""
    if task.d > HALVES:
        raise ValueError(f"d must be at most {HALVES} for a list of small databases, not {task.d}")
    return task.d


def listed(task: Task) -> list[int]:
    """Numbers of rows of which all small databases can be listed and scored."""
    cells = 2 ** few(task)
    most = min(LISTED, SCORED // len(distinct(task.d, task.k)))
    rows = range(1, MOST_ROWS + 1)
    return [each for each in rows if small_databases.count_databases(cells, each) <= most]


@lru_cache(maxsize=256)
def approximation(d: int, k: int, rows: int) -> float:
    """How far the best small database is from any data, proved."""
    return small_databases.error_bound(small_databases.Params(rows=rows), queries=distinct(d, k))


def laplace(task: Task) -> baselines.Params:
    """Laplace noise; neighbours replace one record, so cells move by 2 in all."""
    return baselines.Params(epsilon=task.epsilon, l1_distance=2.0, beta=task.beta)


def with_delta(task: Task) -> Task:
    """The task, if it allows Gaussian noise."""
    if not task.delta:
        raise ValueError("delta must be above 0 for Gaussian noise, not 0")
    return task


def rounds(task: Task) -> dense_weights.Params:
    """MWEM over the cells: more rounds the less the noise, as synthetic records had it best."""
    most = MOST_ROUNDS[task.d > HALVES]
    wanted = round(task.n * task.epsilon / RECORDS)
    return dense_weights.Params(n=task.n, rounds=min(most, max(LEAST_ROUNDS, wanted)))


def online(task: Task) -> dense_weights.Params:
    """Private multiplicative weights over the cells: as many updates as MWEM has rounds."""
    return replace(rounds(task), share=MEASURING)


def adaptive(task: Task) -> adaptive_projection.Params:
    """Adaptive projection, with as many rounds as synthetic records of other seeds had it best."""
    return adaptive_projection.Params(n=task.n)


def weights(task: Task) -> plan.Params:
    """Multiplicative weights over a few cells."""
    cells = 2 ** few(task)
    public: dict[str, Any] = {"m": cells, "universe": cells, "k": task.k, "beta": task.beta}
    return plan.rule_of_thumb(plan.Params(**public, **task.budget), task.n)


def of_counts(task: Task, counts: np.ndarray) -> Instance:
    """Counts of the cells; without data ½, or the answer of as many records in each cell."""
    queries = questions(task)
    exact = queries @ (counts / task.n)
    even = queries @ np.full(len(counts), 1 / len(counts))
    without = min(largest(0.5, exact), largest(even, exact))
    return Instance(counts.astype(float), queries, exact, without)


def of_rows(task: Task, rows: np.ndarray) -> Instance:
    """Records (n, columns) in [0, 1]: whether each of the first d is above the middle."""
    cell = (rows[:, : task.d] > 0.5) @ 2 ** np.arange(task.d)
    return of_counts(task, np.bincount(cell, minlength=2**task.d))


def draw(task: Task, rng: np.random.Generator) -> Instance:
    """Synthetic records: uneven shares of a few cells (Dirichlet, ½), drawn anew; of many
    attributes a mixture of classes, in each of which the attributes are independent."""
    if task.d <= HALVES:
        return of_counts(task, rng.multinomial(task.n, rng.dirichlet(np.full(2**task.d, 0.5))))
    chances = rng.beta(0.5, 0.5, (CLASSES, task.d))
    classes = rng.choice(CLASSES, task.n, p=rng.dirichlet(np.ones(CLASSES)))
    cell = (rng.random((task.n, task.d)) < chances[classes]) @ 2 ** np.arange(task.d)
    return of_counts(task, np.bincount(cell, minlength=2**task.d))


@lru_cache(maxsize=64)
def _optimized(d: int, k: int) -> tuple[Any, float]:
    """A good factor of the public questions, and its sensitivity."""
    if d > HALVES:
        best = many(d, k).best
        return best, best.sensitivity
    factor = factorization.optimized(distinct(d, k))
    return factor, joint_sensitivity.of_values(factor).l2


def _factor(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    factor, sensitivity = _optimized(task.d, task.k)
    how: dict[str, Any] = {"factor": factor, "sensitivity": sensitivity, "n": task.n}
    return instance.queries @ factorization.release(instance.data, curator, **how)


def _asked(task: Task) -> np.ndarray | factorization.Walsh:
    """The public questions, each once."""
    return distinct(task.d, task.k) if task.d <= HALVES else many(task.d, task.k)


def _adaptive(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    how = {"queries": _asked(task)}
    shares = adaptive_projection.release(instance.data, adaptive(task), curator, **how)
    return instance.queries @ shares


def _gaussian(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    asked = _asked(task)
    how: dict[str, Any] = {"factor": asked, "sensitivity": sensitivity(task).l2, "n": task.n}
    return instance.queries @ factorization.release(instance.data, curator, **how)


def _mwem(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    queries = instance.queries
    label = "MWEM"
    payer = curator.sub_curator_zcdp(**task.budget, label=label) if task.delta else curator
    return queries @ dense_weights.release(instance.data, rounds(task), payer, queries=queries)


def _once(task: Task) -> tuple[np.ndarray, np.ndarray]:
    """The first place of each distinct question, as they come; and of each which of these it is."""
    number = groups(task.d, task.k)
    first = np.unique(number, return_index=True)[1]
    order = np.argsort(first)
    return first[order], np.argsort(order)[number]


def _online(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    first, number = _once(task)
    queries = instance.queries[first] if task.d <= HALVES else instance.queries
    how = {"queries": queries}
    return dense_weights.answers(instance.data, online(task), curator, **how)[number]


def _net(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    asked = distinct(task.d, task.k)
    release = net_mechanism.release(instance.data, net(task), curator, queries=asked)
    return net_mechanism.answer(release, instance.queries) / task.n


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
    first, number = _once(task)
    return (median_of.answer_all(instance.queries[first])[0] / task.n)[number]


def _by_names(mechanism: Run) -> Run:
    """A mechanism for lists of names, here of cells; a question that comes again is not asked."""

    def run(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
        data = np.repeat(np.arange(2**task.d), instance.data.astype(int))
        first, number = _once(task)
        batch = Batch(Query(np.flatnonzero(row)) for row in instance.queries[first])
        named = Instance(data, batch, Records(data).truths(batch), instance.without_data)
        return np.asarray(mechanism(task, named, curator))[number]

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
    return net_mechanism.paper_bound(net(task), queries=distinct(task.d, task.k)) / task.n


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
            cannot="promise an error, or answer before all k are known",
            params=rounds,
            run=_mwem,
            tuned="public data of another seed",
            pure=lambda task: not task.delta,
        ),
        Mechanism(
            key="gaussian",
            name="projected Gaussian mechanism",
            origin="other",
            cannot="promise an error, or work without a delta",
            params=with_delta,
            run=_gaussian,
            tuned="nothing to tune",
            pure=lambda task: False,
        ),
        Mechanism(
            key="factor",
            name="optimised factorization, projected",
            origin="other",
            cannot="promise an error, or work without a delta",
            params=with_delta,
            run=_factor,
            tuned="nothing to tune",
            pure=lambda task: False,
        ),
        Mechanism(
            key="histogram",
            name="Laplace histogram",
            origin="baseline",
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
            cannot="promise an error, or list the cells of many attributes",
            params=laplace,
            run=_projected,
            tuned="nothing to tune",
        ),
        noise.adaptive(),
        noise.jointly(sensitivity, key="joint", groups=lambda task: groups(task.d, task.k)),
        Mechanism(
            key="pmw",
            name="private multiplicative weights",
            origin="other",
            cannot="promise an error, or learn after its updates are used up",
            params=online,
            run=_online,
            tuned="public data of another seed",
            adaptive=True,
            zcdp=True,
        ),
        Mechanism(
            key="adaptive",
            name="adaptive projection",
            origin="other",
            cannot="promise an error, or answer before all k are known",
            params=adaptive,
            run=_adaptive,
            tuned="public data of another seed",
            zcdp=True,
        ),
    ),
)
