"""Smooth queries: means of Gaussian kernels of width ½ about public centres in [-1, 1]^d."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpviz.comparison.alternatives import joint_sensitivity
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
from dpviz.papers.smooth_queries import (
    baselines,
    bernstein,
    bounds,
    functional_mechanism,
    gaussian_kernel,
    private_measure,
)
from dpviz.papers.smooth_queries import release as moments
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, answer_kernels
from dpviz.privacy.curator import Curator

WIDTH = 0.5
QUERIES = 2016  # seed of the public centres
MOST = {1: 14, 2: 10, 3: 8}  # terms that are tried
NODES = 12
SHOWN = 100  # kernels by whose bounds the number of terms is chosen
JACKSON: dict[str, Any] = {"operator": "jackson 2", "allow_data_independent": True}


@lru_cache(maxsize=64)
def kernels(d: int, k: int) -> GaussianKernels:
    """Public questions: k kernels with uniform centres."""
    rng = np.random.default_rng([QUERIES, d, k])
    return GaussianKernels.draw(k, d=d, width=WIDTH, lower=-1, upper=1, rng=rng)


def base(task: Task, *, delta: float) -> moments.Params:
    """Fields that both summaries of moments have."""
    if task.d not in MOST:
        raise ValueError(f"d must be at most {max(MOST)} for a summary of moments, not {task.d}")
    public: dict[str, Any] = {"epsilon": task.epsilon, "delta": delta, "beta": task.beta}
    return moments.Params(d=task.d, terms=1, lower=-1, upper=1, **public)


def as_stated(task: Task) -> moments.Params:
    """The paper's number of terms, K = 2, Laplace noise."""
    return replace(base(task, delta=0.0), terms=moments.paper_terms(task.n, d=task.d, smoothness=2))


@lru_cache(maxsize=4096)
def truncated(task: Task) -> moments.Params:
    """Truncation at the number of terms of least proved bound; the better of both noises."""
    return _best_params(task)


def functional(task: Task) -> functional_mechanism.Params:
    """Gaussian-process noise with the kernel's covariance, 12 nodes per variable."""
    public: dict[str, Any] = {"width": WIDTH, "nodes": NODES, "beta": task.beta, **task.budget}
    return functional_mechanism.Params(d=task.d, lower=-1, upper=1, **public)


def grid(task: Task) -> baselines.Params:
    """MWEM on a grid of 16 cells a side, ten rounds, pure."""
    return baselines.Params(d=base(task, delta=0.0).d, epsilon=task.epsilon, lower=-1, upper=1)


def learner(task: Task) -> baselines.Params:
    """MWEM on a grid; more rounds for more records, pure where these are few."""
    columns = base(task, delta=0.0).d
    return baselines.params_for(task.n, d=columns, lower=-1, upper=1, **task.budget)


@lru_cache(maxsize=4096)
def shaped(task: Task) -> moments.Params:
    """As ``truncated``, with noise in the shape of K = 1 derivatives on a line, else K = 2."""
    return _best_params(task, noise_scaling="smoothness", smoothness=min(task.d, 2))


def _best_params(task: Task, **shape: Any) -> moments.Params:
    """The form of the budget and the number of terms of least proved bound."""
    few = kernels(task.d, min(task.k, SHOWN))
    tried = []
    for delta in dict.fromkeys((0.0, task.delta)):
        form = replace(base(task, delta=delta), **shape)
        each = replace(form, terms=bounds.by_bound(form, task.n, few, most=MOST[task.d]))
        tried.append((bounds.error_bound_kernels(each, n=task.n, queries=few).max(), each))
    return min(tried, key=lambda found: found[0])[1]


def measure(task: Task) -> private_measure.Params:
    """The private measure at its paper's depth, with the noise of which it needs less."""
    columns = base(task, delta=0.0).d
    return private_measure.params_for(task.n, d=columns, lower=-1, upper=1, **task.budget)


def polynomial(task: Task) -> bernstein.Params:
    """The Bernstein mechanism, on twice its paper's lattice; the smaller of both noises."""
    columns = base(task, delta=0.0).d
    how: dict[str, Any] = {"width": WIDTH, "lower": -1, "upper": 1}
    return bernstein.params_for(task.n, d=columns, **how, **task.budget)


def histogram(task: Task) -> baselines.Params:
    """A Laplace histogram on as many cells as the rule of thumb says; pure."""
    size: dict[str, Any] = {"d": base(task, delta=0.0).d, "epsilon": task.epsilon}
    cells = baselines.cells_for(task.n, k=task.k, width=WIDTH, **size)
    return baselines.Params(lower=-1, upper=1, **size, cells=cells)


@lru_cache(maxsize=64)
def _sensitivity(d: int, k: int) -> joint_sensitivity.Sensitivity:
    return joint_sensitivity.of_kernels(np.asarray(kernels(d, k).centres), WIDTH)


def sensitivity(task: Task) -> joint_sensitivity.Sensitivity:
    """How far the answers to the public kernels move together, times n."""
    return _sensitivity(task.d, task.k)


def even(queries: GaussianKernels) -> np.ndarray:
    """Means of the kernels over points that are evenly spread in [-1, 1]^d; array (k,).

    >>> even(GaussianKernels(centres=[[0.0]], width=100.0, lower=-1, upper=1)).round(3)
    array([1.])
    """
    from scipy.special import ndtr

    centres = np.asarray(queries.centres)
    width = queries.width
    inside = ndtr((1 - centres) / width) - ndtr((-1 - centres) / width)
    return (inside * width * math.sqrt(math.pi / 2)).prod(axis=1)


def of_rows(task: Task, rows: np.ndarray) -> Instance:
    """Records (n, columns) in [0, 1], of which the first d count; without data they, or their
    angles, are evenly spread, or the answer is ½."""
    queries = kernels(task.d, task.k)
    points = 2 * rows[:, : task.d] - 1
    exact = queries.mean(points)
    guesses = even(queries), queries.constant(), 0.5
    return Instance(points, queries, exact, min(largest(each, exact) for each in guesses))


def draw(task: Task, rng: np.random.Generator) -> Instance:
    """Synthetic records whose entries are 2 Beta(2, 3) - 1."""
    how: dict[str, Any] = {"d": task.d, "n": task.n, "k": 1, "width": WIDTH, "rng": rng}
    how |= {"lower": -1, "upper": 1}
    points, _ = gaussian_kernel.synthetic(None, None, **how)
    return of_rows(task, (np.asarray(points) + 1) / 2)


def _moments(choose: Callable[[Task], moments.Params], **how: Any) -> Run:
    """A summary of moments, with the Params that ``choose`` makes."""
    return published(moments.release, choose, partial(answer_kernels, **how))


def error_with(task: Task, instance: Instance, terms: int, rng: np.random.Generator) -> float:
    """Error of one run of truncated moments with so many terms and Laplace noise."""
    params = replace(base(task, delta=0.0), terms=terms)
    return instance.error(_moments(lambda _: params)(task, instance, params.curator(rng=rng)))


def _moments_bound(choose: Callable[[Task], moments.Params], **how: Any) -> Callable[[Task], float]:
    def bound(task: Task) -> float:
        queries = kernels(task.d, task.k)
        bound = bounds.error_bound_kernels(choose(task), n=task.n, queries=queries, **how)
        return float(bound.max())

    return bound


def _functional_bound(task: Task) -> float:
    centres = kernels(task.d, task.k).centres
    return float(
        functional_mechanism.error_bound(functional(task), n=task.n, queries=centres).max()
    )


def _counted(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    """The histogram, projected."""
    release = baselines.release_histogram(instance.data, histogram(task), curator)
    return baselines.answer_grid(release.projected(), instance.queries)


KIND = Kind(
    name="smooth",
    question="How many records lie near this place, with a soft edge?",
    size="columns",
    without="evenly spread records or angles, or ½",
    most=3,
    draw=draw,
    of_rows=of_rows,
    mechanisms=(
        Mechanism(
            key="paper",
            name="Jackson kernel, as stated",
            origin="paper",
            cannot="tell anything of the data with fewer than 4 terms",
            params=as_stated,
            run=_moments(as_stated, **JACKSON),
            tuned="nothing to tune",
            bound=_moments_bound(as_stated, **JACKSON),
        ),
        Mechanism(
            key="truncation",
            name="truncated moments",
            origin="paper",
            cannot="answer in more than a few columns, or kinks",
            params=truncated,
            run=_moments(truncated),
            tuned="proved bound",
            bound=_moments_bound(truncated),
        ),
        Mechanism(
            key="functional",
            name="functional mechanism",
            origin="other",
            cannot="answer kernels of another width",
            params=functional,
            run=published(
                functional_mechanism.release,
                functional,
                lambda made, queries: functional_mechanism.answer(made, queries.centres),
            ),
            tuned="public data of another seed",
            bound=_functional_bound,
        ),
        Mechanism(
            key="mwem",
            name="MWEM on a grid, textbook steps",
            origin="other",
            cannot="promise an error, or answer before all k are known",
            params=grid,
            run=published(baselines.release_mwem_textbook, grid, baselines.answer_grid, asks=True),
            tuned="public data of another seed",
        ),
        Mechanism(
            key="histogram",
            name="Laplace histogram on a grid",
            origin="baseline",
            cannot="promise an error, or take many columns",
            params=histogram,
            run=published(baselines.release_histogram, histogram, baselines.answer_grid),
            tuned="public data of another seed",
        ),
        noise.adaptive(),
        Mechanism(
            key="projected",
            name="projected histogram on a grid",
            origin="baseline",
            cannot="promise an error, or take many columns",
            params=histogram,
            run=_counted,
            tuned="public data of another seed",
        ),
        Mechanism(
            key="learner",
            name="MWEM on a grid, projected",
            origin="other",
            cannot="promise an error, or answer before all k are known",
            params=learner,
            run=published(baselines.release_mwem, learner, baselines.answer_grid, asks=True),
            tuned="public data of another seed",
        ),
        Mechanism(
            key="shaped",
            name="truncated moments, noise in shape",
            origin="paper",
            cannot="answer in more than a few columns, or kinks",
            params=shaped,
            run=_moments(shaped),
            tuned="proved bound",
            bound=_moments_bound(shaped),
        ),
        Mechanism(
            key="measure",
            name="private measure",
            origin="other",
            cannot="use more smoothness than that of Lipschitz queries",
            params=measure,
            run=published(private_measure.release, measure, private_measure.answer),
            tuned="nothing to tune",
        ),
        Mechanism(
            key="bernstein",
            name="Bernstein mechanism",
            origin="other",
            cannot="answer kernels of another width",
            params=polynomial,
            run=published(bernstein.release, polynomial, bernstein.answer),
            tuned="public data of another seed",
        ),
        noise.jointly(sensitivity, key="joint"),
    ),
)
