"""Sparse linear queries: the share of records whose name is on a list of d names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dpviz.comparison.alternatives import dense_weights, joint_sensitivity
from dpviz.comparison.mechanisms import noise
from dpviz.comparison.mechanisms.task import (
    Instance,
    Kind,
    Mechanism,
    Run,
    Task,
    largest,
    published,
)
from dpviz.papers.sparse_queries import (
    baselines,
    count_sketch,
    hashed_histogram,
    mwem,
    online,
    plan,
    workloads,
)
from dpviz.papers.sparse_queries.indexed_weights import BatchEvaluator
from dpviz.papers.sparse_queries.queries import Batch, Query, Records
from dpviz.privacy.curator import Curator

QUERIES = 2013  # seed of the public questions about a table
LEVELS, COLUMNS = 3, 6  # a record of a table is named by the thirds of its first columns
BUCKETS = 10**6
ROWS, WIDTH = 3, 10**5  # of a sketch


def params(task: Task) -> plan.Params:
    """Public numbers of the proved form and of all baselines."""
    return plan.Params(m=task.d, k=task.k, beta=task.beta, **task.budget)


def quick(task: Task) -> plan.Params:
    """The rule of thumb, which knows n and epsilon only."""
    return plan.rule_of_thumb(params(task), task.n)


def hashed(task: Task) -> hashed_histogram.Params:
    """A hashed histogram; its hash function is drawn at each trial."""
    size: dict[str, Any] = {"m": task.d, "k": task.k, "size": BUCKETS, "beta": task.beta}
    return hashed_histogram.Params(epsilon=task.epsilon, coefficients=(1, 2), **size)


def sketched(task: Task) -> count_sketch.Params:
    """A count-sketch with the smaller of both noises; its hashes are drawn at each trial."""
    size: dict[str, Any] = {"size": WIDTH, "coefficients": ((1, 2),) * ROWS}
    pure = count_sketch.Params(**size, epsilon=task.epsilon)
    if not task.delta:
        return pure
    return min(pure, count_sketch.Params(**size, **task.budget), key=count_sketch.noise)


def rounds(task: Task) -> mwem.Params:
    """MWEM, thirty rounds whatever is asked."""
    return mwem.Params(m=task.d, **task.budget)


def common(task: Task) -> plan.Params:
    """The stability-based histogram, which needs a delta."""
    if not task.delta:
        raise ValueError("delta must be above 0 for a stability-based histogram, not 0")
    return params(task)


def draw(task: Task, rng: np.random.Generator) -> Instance:
    """Recipe "uneven": 4 d names, a few of which have nearly all records."""
    data, queries = workloads.draw("uneven", n=task.n, m=task.d, k=task.k, rng=rng)
    return instance(data, queries, 4 * task.d)


def of_rows(task: Task, rows: np.ndarray) -> Instance:
    """Records (n, columns) in [0, 1], named by the thirds of at most six columns; the lists are
    random d of all such names."""
    used = np.minimum((rows[:, :COLUMNS] * LEVELS).astype(int), LEVELS - 1)
    many = LEVELS ** used.shape[1]
    names = used @ LEVELS ** np.arange(used.shape[1])
    rng = np.random.default_rng([QUERIES, task.d, task.k, many])
    lists = [rng.choice(many, min(task.d, many), replace=False) for _ in range(task.k)]
    return instance(names, Batch(Query(each) for each in lists), many)


def instance(data: np.ndarray, queries: Batch, universe: int) -> Instance:
    """With the best of four answers without data: 0, ¼, ½, and the share of all names listed."""
    exact = Records(data).truths(queries)
    share = np.array([query.width for query in queries]) / universe
    without = min(largest(guess, exact) for guess in (0.0, 0.25, 0.5, share))
    return Instance(data, queries, exact, without)


def _baseline(method: str, choose: Callable[[Task], plan.Params]) -> Run:
    """One of the baselines by its name."""
    return published(baselines.BASELINES[method], choose, asks=True)


def sensitivity(instance: Instance) -> joint_sensitivity.Sensitivity:
    """How far the answers to the public lists move together, times n."""
    return _sensitivity(instance.queries)


@lru_cache(maxsize=1)  # all budgets ask the same lists
def _sensitivity(batch: Batch) -> joint_sensitivity.Sensitivity:
    return joint_sensitivity.of_lists(np.split(batch.ids, batch.starts[1:]), len(batch.names))


def online_form(choose: Callable[[Task], plan.Params]) -> Run:
    """The online form, with the Params that ``choose`` makes."""

    def run(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
        names = {"vocabulary": instance.queries.number}
        mechanism = online.InteractiveSparse(instance.data, choose(task), curator, **names)
        answers = mechanism.answer_all(instance.queries)
        return np.array([each.value for each in answers])

    return run


def cells(task: Task) -> dense_weights.Params:
    """MWEM on the names that are asked for, and all others as one."""
    return dense_weights.Params(n=task.n)


def table(batch: Batch) -> Any:
    """Public lists as 0 and 1 on the names that are asked for; sparse array (k, names + 1)."""
    from scipy import sparse

    ends = np.append(batch.starts, len(batch.ids))
    shape = len(batch), len(batch.names) + 1
    return sparse.csr_array((np.ones(len(batch.ids)), batch.ids, ends), shape=shape)


def counts(instance: Instance) -> np.ndarray:
    """Records of each name that is asked for, then all others; private."""
    records = Records(instance.data)
    asked = [records.counts.get(name, 0) for name in instance.queries.names]
    return np.append(asked, records.n - sum(asked)).astype(float)


def _dense(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    queries = table(instance.queries)
    payer = curator.sub_curator_zcdp(**task.budget, label="MWEM") if task.delta else curator
    return queries @ dense_weights.release(counts(instance), cells(task), payer, queries=queries)


def _is_pure(choose: Callable[[Task], plan.Params]) -> Callable[[Task], bool]:
    """Whether the online form adds up its steps without a delta, by its plan."""
    return lambda task: plan.plan(choose(task), task.n).composition == "basic"


def _coefficients(rng: np.random.Generator) -> tuple[int, int]:
    """A public hash function."""
    first, second = rng.integers(0, hashed_histogram.PRIME, 2).tolist()
    return first, second


def _hashed(
    task: Task, instance: Instance, curator: Curator, *, randomness: tuple[int, int]
) -> np.ndarray:
    params = replace(hashed(task), coefficients=randomness)
    release = hashed_histogram.release(instance.data, params, curator)
    return hashed_histogram.answer(release, instance.queries)


def _rows_of_coefficients(rng: np.random.Generator) -> tuple[tuple[int, int], ...]:
    """A public hash function for each row of a sketch."""
    return tuple(_coefficients(rng) for _ in range(ROWS))


def _sketched(
    task: Task, instance: Instance, curator: Curator, *, randomness: tuple[tuple[int, int], ...]
) -> np.ndarray:
    params = replace(sketched(task), coefficients=randomness)
    release = count_sketch.release(instance.data, params, curator)
    return count_sketch.answer(release, instance.queries)


def by_mwem(choose: Callable[[Task], mwem.Params]) -> Run:
    """MWEM, with the Params that ``choose`` makes."""

    def run(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
        batch = instance.queries
        public = {"queries": batch, "vocabulary": batch.number}
        release = mwem.release(instance.data, choose(task), curator, **public)
        return BatchEvaluator(release.hypothesis, batch)()

    return run


KIND = Kind(
    name="sparse",
    question="Which share of the records has a name on this list?",
    size="names on a list",
    without="0, ¼, ½, or the share of all names that is listed",
    most=500,
    draw=draw,
    of_rows=of_rows,
    mechanisms=(
        Mechanism(
            key="weights",
            name="sparse weights, as proved",
            origin="paper",
            cannot="answer after its updates are used up, or small tables",
            params=params,
            run=online_form(params),
            tuned="proved bound",
            adaptive=True,
            bound=lambda task: plan.error_bound(params(task), n=task.n),
            paper=lambda task: plan.paper_bound(params(task), n=task.n),
            pure=_is_pure(params),
        ),
        Mechanism(
            key="thumb",
            name="sparse weights, rule of thumb",
            origin="paper",
            cannot="promise an error",
            params=quick,
            run=online_form(quick),
            tuned="public data of another seed",
            adaptive=True,
            pure=_is_pure(quick),
        ),
        Mechanism(
            key="mwem",
            name="MWEM",
            origin="other",
            cannot="promise an error, or answer before all k are known",
            params=rounds,
            run=by_mwem(rounds),
            tuned="public data of another seed",
        ),
        Mechanism(
            key="stable",
            name="stability-based histogram",
            origin="baseline",
            cannot="tell of rare names, or work without a delta",
            params=common,
            run=_baseline("stable_histogram", params),
            tuned="nothing to tune",
        ),
        Mechanism(
            key="lazy",
            name="lazily perturbed histogram",
            origin="baseline",
            cannot="keep its error against an adaptive analyst",
            params=params,
            run=_baseline("lazy_histogram", params),
            tuned="nothing to tune",
            adaptive=True,
            bound=lambda task: baselines.error_bound_lazy_histogram(params(task), n=task.n),
            pure=lambda task: True,
        ),
        Mechanism(
            key="hashed",
            name="hashed histogram",
            origin="paper",
            cannot="promise an error before the hash function is drawn",
            params=hashed,
            run=_hashed,
            tuned="nothing to tune",
            randomness=_coefficients,
        ),
        noise.adaptive(),
        Mechanism(
            key="projected",
            name="projected histogram",
            origin="baseline",
            cannot="answer about a name that was not among those asked for",
            params=params,
            run=_baseline("projected_histogram", params),
            tuned="nothing to tune",
            pure=lambda task: True,
        ),
        Mechanism(
            key="dense",
            name="MWEM on the asked names",
            origin="other",
            cannot="promise an error, or answer before all k are known",
            params=cells,
            run=_dense,
            tuned="public data of another seed",
            pure=lambda task: not task.delta,
        ),
        noise.jointly(of_instance=sensitivity, key="joint"),
        Mechanism(
            key="sketch",
            name="count-sketch",
            origin="other",
            cannot="promise an error before the hash functions are drawn",
            params=sketched,
            run=_sketched,
            tuned="nothing to tune",
            randomness=_rows_of_coefficients,
        ),
    ),
)
