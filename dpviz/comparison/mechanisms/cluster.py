"""The 1-cluster problem: where does a quarter of the records stand close together?

The error is a radius: that of the ball about the published centre which holds nine tenths of t
rows, t a quarter of n, over the radius that covers the box from its middle.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.comparison.mechanisms.task import Instance, Kind, Mechanism, Run, Task
from dpviz.papers.small_cluster import baselines, one_cluster, radius_then_center
from dpviz.papers.small_cluster.planted import plant
from dpviz.privacy.curator import Curator

SHARE, HELD = 4, 0.9  # t = n / 4 rows; nine tenths of them are to lie in the ball
SPREAD = 0.02  # of the synthetic cluster, in sides of the box
SIZES = {1: 2**10, 2: 2**6}  # grids of the methods that score every ball


def wanted(task: Task) -> dict:
    """Fields that all Params of the 1-cluster problem have."""
    return {"t": max(1, task.n // SHARE), "d": task.d, **task.budget}


def practical(task: Task) -> one_cluster.Params:
    """The practical solver, if it can find so few rows at this budget."""
    params = one_cluster.Params(**wanted(task), beta=task.beta)
    one_cluster.check_size(task.n, params)
    return params


def theorem(task: Task) -> radius_then_center.Params:
    """The theorem's algorithm, if it is promised a ball."""
    params = radius_then_center.Params(**wanted(task), beta=task.beta)
    radius_then_center.check_size(task.n, params)
    return params


def baseline(method: str) -> Callable[[Task], baselines.Params]:
    """Params of one of ``baselines.METHODS``."""

    def params(task: Task) -> baselines.Params:
        size = SIZES.get(task.d, 2**6) if method == "all balls" else 2**10
        return baselines.Params(**wanted(task), method=method, size=size, beta=task.beta)

    return params


def of_rows(task: Task, rows: np.ndarray) -> Instance:
    """Records (n, columns) in [0, 1], of which the first d count; without data: the middle."""
    rows = np.ascontiguousarray(rows[:, : task.d])
    return Instance(rows, None, None, reach(rows, np.full(task.d, 0.5)))


def draw(task: Task, rng: np.random.Generator) -> Instance:
    """A ball of a quarter of the records at a random place; the others are uniform."""
    return of_rows(task, plant(task.n, max(1, task.n // SHARE), task.d, SPREAD, rng=rng).data)


def hidden(n: int, d: int, *, rng: checks.Seed) -> np.ndarray:
    """A cluster that no axis shows: as :func:`draw`, but every column has a popular value, which
    each of the other records takes with probability one half; array (n, d).

    >>> rows = hidden(4000, 3, rng=0)
    >>> rows.shape, bool(0 <= rows.min() <= rows.max() <= 1)
    ((4000, 3), True)
    """
    rng = checks.generator(rng)
    planted = plant(n, max(1, n // SHARE), d, SPREAD, rng=rng)
    values = rng.uniform(0.1, 0.9, d) + rng.normal(0, SPREAD / 2, (n, d))
    takes = rng.random((n, d)) < 0.5
    takes[planted.clusters[0]] = False
    return np.where(takes, np.clip(values, 0, 1), planted.data)


def reach(rows: np.ndarray, center: np.ndarray) -> float:
    """Radius about a centre that holds nine tenths of t rows, over half the box's diagonal.

    >>> reach(np.array([[0.0], [0.5], [0.75], [1.0]]), np.array([0.5]))
    0.0
    """
    inside = max(1, math.ceil(HELD * max(1, len(rows) // SHARE)))
    away = np.square(rows - center).sum(axis=1)
    return math.sqrt(np.partition(away, inside - 1)[inside - 1]) / (math.sqrt(rows.shape[1]) / 2)


def _seed(rng: np.random.Generator) -> int:
    """Of a solver's public randomness."""
    return int(rng.integers(2**62))


def _solver(module: Any, choose: Callable[[Task], Any]) -> Callable[..., float]:
    """A solver with public randomness of its own; "not found" is answered by the middle."""

    def run(task: Task, instance: Instance, curator: Curator, *, randomness: int) -> float:
        found = module.release(instance.data, replace(choose(task), seed=randomness), curator)
        if not np.isfinite(found.center).all():
            return instance.without_data
        return reach(instance.data, found.center)

    return run


def _baseline(method: str) -> Run:
    def run(task: Task, instance: Instance, curator: Curator) -> float:
        found = baselines.release(instance.data, baseline(method)(task), curator)
        return reach(instance.data, found.center)

    return run


def _radius_bound(task: Task) -> float:
    """For the synthetic records, of which t lie in a ball of radius ``SPREAD``.

    The published ball holds nine tenths of t only if the theorem's loss leaves so many.
    """
    params = theorem(task)
    if radius_then_center.error_bound(params, n=task.n) > (1 - HELD) * params.t:
        return math.inf
    radius = radius_then_center.error_bound_radius(params, n=task.n, least=SPREAD)
    return radius / (math.sqrt(task.d) / 2)


def _other(key: str, name: str, method: str, cannot: str) -> Mechanism:
    return Mechanism(
        key=key,
        name=name,
        origin="baseline",
        module="small_cluster.baselines",
        cannot=cannot,
        params=baseline(method),
        run=_baseline(method),
    )


KIND = Kind(
    name="cluster",
    question="Where does a quarter of the records stand close together?",
    size="columns",
    without="the middle of the box",
    most=50,
    draw=draw,
    of_rows=of_rows,
    mechanisms=(
        Mechanism(
            key="solver",
            name="1-cluster, practical",
            origin="paper",
            module="small_cluster.one_cluster",
            cannot="prove its radius, or find few rows",
            params=practical,
            run=_solver(one_cluster, practical),
            randomness=_seed,
        ),
        Mechanism(
            key="theorem",
            name="1-cluster theorem",
            origin="paper",
            module="small_cluster.radius_then_center",
            cannot="take fewer rows than it promises a ball for",
            params=theorem,
            run=_solver(radius_then_center, theorem),
            randomness=_seed,
            bound=_radius_bound,
        ),
        _other("medians", "private medians", "private aggregation", "find a minority"),
        _other("mean", "noisy mean", "mean of all", "find a minority"),
        _other("all balls", "all balls of a grid", "all balls", "take more than two columns"),
        _other("axes", "axis by axis", "axis by axis", "see what no axis shows"),
        _other("intervals", "all intervals", "threshold release", "take more than one column"),
    ),
)
