"""Distance queries: the average l1 distance from a place to the records, as a share of d."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpviz.comparison.alternatives import joint_sensitivity
from dpviz.comparison.mechanisms import noise
from dpviz.comparison.mechanisms.task import Instance, Kind, Mechanism, Task, largest, published
from dpviz.papers.distance_queries.baselines import (
    comparison,
    continual_counting,
    noise_per_query,
    private_multiplicative_weights,
)
from dpviz.papers.distance_queries.learner import average_distance
from dpviz.papers.distance_queries.learner.average_distance import possible
from dpviz.papers.distance_queries.mechanism import l1, offline
from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet
from dpviz.privacy.curator import Curator

QUERIES = 2014  # seed of the public questions
CELLS = {1: 100, 2: 30}  # a side of the grid whose places have weights, by d


def public(task: Task) -> dict:
    """Fields that all Params of distance queries have."""
    return {"n": task.n, "d": task.d, "beta": task.beta, **task.budget, "lower": 0, "upper": 1}


def interactive(task: Task) -> l1.Params:
    """The interactive mechanism's Params; ``composition`` is the better of two by its bound."""
    return l1.Params(**public(task), k=task.k)


def grid_form(task: Task) -> offline.Params:
    """The offline form: what the interactive mechanism knows after a grid of questions."""
    return offline.Params(**public(task))


def weights(task: Task) -> private_multiplicative_weights.Params:
    """Private multiplicative weights on a grid."""
    if task.d not in CELLS:
        raise ValueError(f"d must be at most {max(CELLS)} for weights on a grid, not {task.d}")
    cells = CELLS[task.d]
    return private_multiplicative_weights.Params(**public(task), k=task.k, cells=cells)


def each(task: Task) -> noise_per_query.Params:
    """Laplace or Gaussian noise on each answer, whichever has the smaller proved error."""
    return noise_per_query.Params(**public(task), k=task.k)


def release(task: Task) -> tuple[curves.Params, curves.Params]:
    """The pure and the approximate release."""
    return curves.Params(**public(task) | {"delta": 0.0}), curves.Params(**public(task))


def tree(task: Task) -> curves.Params:
    """Noisy counts in a binary tree."""
    return curves.Params(**public(task))


def release_bound(task: Task) -> float:
    """The proved error of the release that ``comparison._best_release`` chooses."""
    pure, approximate = release(task)
    if comparison.is_pure_better(pure, approximate):
        return haar_wavelet.error_bound(pure, k=task.k)
    return average_sign.error_bound(approximate, k=task.k)


def places(task: Task) -> np.ndarray:
    """Public questions: uniform places; (k, d)."""
    return np.random.default_rng([QUERIES, task.d, task.k]).uniform(size=(task.k, task.d))


@lru_cache(maxsize=64)
def _sensitivity(d: int, k: int) -> joint_sensitivity.Sensitivity:
    return joint_sensitivity.of_distances(places(Task(n=1, d=d, k=k)))


def sensitivity(task: Task) -> joint_sensitivity.Sensitivity:
    """How far the answers to the public questions move together, times n."""
    return _sensitivity(task.d, task.k)


def nearest(instance: Instance, answers: np.ndarray) -> np.ndarray:
    """Answers clipped to the distances that a place can have; public."""
    places = instance.queries
    return possible(answers, places, np.ones(places.shape[1]))


def of_rows(task: Task, rows: np.ndarray) -> Instance:
    """Records (n, columns) in [0, 1], of which the first d count; without data they are evenly
    spread, or the distance is the middle of what it can be."""
    setting = average_distance.Setting(**public(task))
    queries = places(task)
    ready = average_distance.prepare(np.ascontiguousarray(rows[:, : task.d]), setting)
    exact = average_distance.truth(ready, queries, setting)
    even = (np.square(queries) + np.square(1 - queries)).sum(axis=1) / 2
    guesses = even, average_distance.constant(queries, setting)
    without = min(largest(guess, exact, task.d) for guess in guesses)
    return Instance(ready, queries, exact, without, scale=task.d)


def draw(task: Task, rng: np.random.Generator) -> Instance:
    """Synthetic records: in each column a mixture of two beta laws, drawn anew."""
    return of_rows(task, average_distance.mixture(task.n, task.d, rng=rng))


def _interactive(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    mechanism = l1.Interactive(instance.data, interactive(task), curator)
    return mechanism.answer_all(instance.queries)[0]


def _release(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    """The better release, as ``comparison._best_release`` chooses it."""
    pure, approximate = release(task)
    if comparison.is_pure_better(pure, approximate):
        histogram = haar_wavelet.release(instance.data, pure, curator)
    else:
        histogram = average_sign.release(instance.data, approximate, curator)
    return curves.answer(histogram, instance.queries)


def _weights(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    mechanism = private_multiplicative_weights.Interactive(instance.data, weights(task), curator)
    return mechanism.answer_all(instance.queries)[0]


KIND = Kind(
    name="distance",
    question="How far is this place from the records, on average?",
    size="columns",
    without="evenly spread records, or the middle of the possible",
    most=50,
    draw=draw,
    of_rows=of_rows,
    mechanisms=(
        Mechanism(
            key="interactive",
            name="interactive mechanism",
            origin="paper",
            cannot="answer after its updates are used up, or small tables",
            params=interactive,
            run=_interactive,
            tuned="proved bound",
            adaptive=True,
            bound=lambda task: l1.error_bound(interactive(task)) / task.d,
            paper=lambda task: l1.paper_bound(interactive(task)) / task.d,
            pure=lambda task: interactive(task).plan.composition == "pure",
        ),
        Mechanism(
            key="offline",
            name="offline form",
            origin="paper",
            cannot="say anything about small tables",
            params=grid_form,
            run=published(offline.release, grid_form, offline.answer),
            tuned="proved bound",
            bound=lambda task: offline.error_bound(grid_form(task)) / task.d,
            paper=lambda task: offline.paper_bound(grid_form(task)) / task.d,
            pure=lambda task: grid_form(task).online.plan.composition == "pure",
        ),
        Mechanism(
            key="release",
            name="one release of all",
            origin="other",
            cannot="answer other metrics than l1 without an embedding",
            params=release,
            run=_release,
            tuned="proved bound",
            bound=lambda task: release_bound(task) / task.d,
            pure=lambda task: comparison.is_pure_better(*release(task)),
        ),
        Mechanism(
            key="tree",
            name="binary tree of counts",
            origin="baseline",
            cannot="answer other metrics than l1 without an embedding",
            params=tree,
            run=published(continual_counting.release, tree, continual_counting.answer),
            tuned="nothing to tune",
            bound=lambda task: continual_counting.error_bound(tree(task), k=task.k) / task.d,
        ),
        Mechanism(
            key="grid",
            name="multiplicative weights on a grid",
            origin="baseline",
            cannot="take more than two columns",
            params=weights,
            run=_weights,
            tuned="proved bound",
            adaptive=True,
            bound=lambda task: private_multiplicative_weights.error_bound(weights(task)) / task.d,
        ),
        Mechanism(
            key="noise",
            name="noise on each answer, adaptive",
            origin="baseline",
            cannot="use that the questions are public",
            params=each,
            run=published(noise_per_query.release, each, lambda made, _: made.answers, asks=True),
            tuned="proved bound",
            adaptive=True,
            bound=lambda task: noise_per_query.error_bound(each(task)) / task.d,
            paper=lambda task: noise_per_query.paper_bound(each(task)) / task.d,
            pure=lambda task: each(task).noise == "laplace",
        ),
        noise.jointly(sensitivity, key="joint", nearest=nearest),
    ),
)
