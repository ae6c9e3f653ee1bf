"""The 1-cluster problem: where does a quarter of the records stand close together?

The error is a radius: that of the ball about the published centre which holds nine tenths of t
rows, t a quarter of n, over the radius that covers the box from its middle.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.comparison.alternatives import closest_pairs, column_groups, friendly_core, quadtree
from dpviz.comparison.mechanisms.task import Instance, Kind, Mechanism, Run, Task
from dpviz.papers.small_cluster import baselines, one_cluster, radius_then_center
from dpviz.papers.small_cluster.planted import plant
from dpviz.privacy.curator import Curator

SHARE, HELD = 4, 0.9  # t = n / 4 rows; nine tenths of them are to lie in the ball
SPREAD = 0.02  # of the synthetic cluster, in sides of the box
FEWEST = 20  # groups whose closest pairs are counted
RARE = 0.5  # of delta, for the event that a friendly core is smaller than was found
SIZES = {1: 2**10, 2: 2**6}  # grids of the methods that score every ball


def wanted(task: Task) -> dict:
    """Fields that all Params of the 1-cluster problem have."""
    return {"t": max(1, task.n // SHARE), "d": task.d, **task.budget, "lower": 0, "upper": 1}


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


def grouped(size: int) -> Callable[[Task], column_groups.Params]:
    """Params of the densest windows of so many columns at a time."""
    return lambda task: column_groups.Params(d=task.d, size=size)


def tree(task: Task) -> quadtree.Params:
    """Params of the adaptive grid."""
    return quadtree.Params(d=task.d)


def friendly(task: Task) -> friendly_core.Params:
    """Params of the friendly core of closest pairs, if there are a few groups of them."""
    return _enough(task, friendly_core.Params(d=task.d), "a friendly core")


def _enough(task: Task, params: Any, what: str) -> Any:
    """The Params, if the records make ``FEWEST`` groups."""
    if task.n < FEWEST * params.size:
        raise ValueError(f"n must be at least {FEWEST * params.size} for {what}, not {task.n}")
    return params


def of_rows(task: Task, rows: np.ndarray) -> Instance:
    """Records (n, columns) in [0, 1], of which the first d count; without data: the middle."""
    rows = np.ascontiguousarray(rows[:, : task.d])
    middle = reach(rows, np.full(task.d, 0.5))
    return Instance(rows, None, None, middle, judge=partial(reach, rows))


def draw(task: Task, rng: np.random.Generator) -> Instance:
    """A ball of a quarter of the records at a random place; the others are uniform."""
    return of_rows(task, plant(task.n, max(1, task.n // SHARE), task.d, SPREAD, rng=rng).data)


def hidden(n: int, d: int, *, rng: checks.Seed, share: float = 0.5) -> np.ndarray:
    """A cluster that no axis shows: as :func:`draw`, but every column has a popular value, which
    each of the other records takes with probability ``share``; array (n, d).

    Of j columns together the cluster has a quarter of the records in its values, and the popular
    values have 3/4 share^j: so from a share of 1/3 on no axis shows it, from .58 on no pair of
    columns, from .70 on no triple.

    >>> rows = hidden(4000, 3, rng=0)
    >>> rows.shape, bool(0 <= rows.min() <= rows.max() <= 1)
    ((4000, 3), True)
    """
    checks.number("share", share, at_least=0, at_most=1)
    rng = checks.generator(rng)
    planted = plant(n, max(1, n // SHARE), d, SPREAD, rng=rng)
    values = rng.uniform(0.1, 0.9, d) + rng.normal(0, SPREAD / 2, (n, d))
    takes = rng.random((n, d)) < share
    takes[planted.clusters[0]] = False
    return np.where(takes, np.clip(values, 0, 1), planted.data)


def several(n: int, d: int, *, rng: checks.Seed) -> np.ndarray:
    """Three balls: one of a quarter of the records, two of a tenth each; the others uniform."""
    rng = checks.generator(rng)
    rows = plant(n, max(1, n // SHARE), d, SPREAD, rng=rng).data
    many = max(1, n // 10)
    for place in (1, 2):
        smaller = plant(many, many, d, SPREAD, rng=rng).data
        rows[len(rows) - place * many : len(rows) - (place - 1) * many] = smaller
    return rows


def heavy_tailed(n: int, d: int, *, rng: checks.Seed) -> np.ndarray:
    """The cluster's quarter at a random place; the others about it by Cauchy's law, clipped."""
    rng = checks.generator(rng)
    planted = plant(n, max(1, n // SHARE), d, SPREAD, rng=rng)
    wide = planted.centers[0] + 0.2 * rng.standard_cauchy((n, d))
    return np.where(planted.clusters[0][:, None], planted.data, np.clip(wide, 0, 1))


LAWS: dict[str, Callable[..., np.ndarray]] = {
    "hidden": hidden,
    "hidden in pairs": partial(hidden, share=0.65),
    "hidden in triples": partial(hidden, share=0.8),
    "several": several,
    "heavy tails": heavy_tailed,
}


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


def _solver(module: Any, choose: Callable[[Task], Any]) -> Run:
    """A solver with public randomness of its own; "not found" is answered by the middle."""

    def run(task: Task, instance: Instance, curator: Curator, *, randomness: int) -> np.ndarray:
        found = module.release(instance.data, replace(choose(task), seed=randomness), curator)
        if not np.isfinite(found.center).all():
            return np.full(task.d, 0.5)
        return found.center

    return run


def _baseline(method: str) -> Run:
    def run(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
        return baselines.release(instance.data, baseline(method)(task), curator).center

    return run


def _center(release: Callable[..., Any], choose: Callable[[Task], Any], **draws: Any) -> Run:
    """A centre that a function publishes, with public randomness that is drawn by its name."""

    def run(task: Task, instance: Instance, curator: Curator, **seed: int) -> np.ndarray:
        public = {}
        if draws:
            rng = np.random.default_rng(seed["randomness"])
            public = {name: draw(rng, task) for name, draw in draws.items()}
        found = release(instance.data, choose(task), curator, **public)
        return np.full(task.d, 0.5) if found is None else found

    return run


def _order(rng: np.random.Generator, task: Task) -> np.ndarray:
    return rng.permutation(task.n)


def _corner(rng: np.random.Generator, task: Task) -> np.ndarray:
    return rng.random(task.d)


def _radius_bound(task: Task) -> float:
    """For the synthetic records, of which t lie in a ball of radius ``SPREAD``.

    The published ball holds nine tenths of t only if the theorem's loss leaves so many.
    """
    params = theorem(task)
    if radius_then_center.error_bound(params, n=task.n) > (1 - HELD) * params.t:
        return math.inf
    radius = radius_then_center.error_bound_radius(params, n=task.n, least=SPREAD)
    return radius / (math.sqrt(task.d) / 2)


def _from_elsewhere(
    key: str,
    name: str,
    cannot: str,
    release: Callable[..., Any],
    choose: Callable[[Task], Any],
    *,
    slack: float = 0.0,
    **draws: Any,
) -> Mechanism:
    """Tuned on public data of another seed, under zCDP; ``draws`` as of :func:`_center`."""
    return Mechanism(
        key=key,
        name=name,
        origin="other",
        cannot=cannot,
        params=choose,
        run=_center(release, choose, **draws),
        tuned="public data of another seed",
        zcdp=True,
        slack=slack,
        randomness=_seed if draws else None,
    )


def _other(key: str, name: str, method: str, cannot: str) -> Mechanism:
    return Mechanism(
        key=key,
        name=name,
        origin="baseline",
        cannot=cannot,
        params=baseline(method),
        run=_baseline(method),
        tuned="nothing to tune",
    )


def closest(**setting: Any) -> Mechanism:
    """The closest pair of each few records, by fields of ``closest_pairs.Params``."""
    return _from_elsewhere(
        "closest",
        "closest pairs of few records",
        "find a cluster of few records, or prove its radius",
        closest_pairs.release,
        lambda task: _enough(task, closest_pairs.Params(d=task.d, **setting), "closest pairs"),
        order=_order,
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
            cannot="prove its radius, or find few rows",
            params=practical,
            run=_solver(one_cluster, practical),
            tuned="public data of another seed",
            randomness=_seed,
        ),
        Mechanism(
            key="theorem",
            name="1-cluster theorem",
            origin="paper",
            cannot="take fewer rows than it promises a ball for",
            params=theorem,
            run=_solver(radius_then_center, theorem),
            tuned="proved bound",
            randomness=_seed,
            bound=_radius_bound,
        ),
        _from_elsewhere(
            "pairs",
            "pairs of columns",
            "see what no two columns show",
            column_groups.release,
            grouped(2),
        ),
        _from_elsewhere(
            "triples",
            "triples of columns",
            "see what no three columns show",
            column_groups.release,
            grouped(3),
        ),
        _from_elsewhere(
            "tree",
            "adaptive grid",
            "take more than twelve columns, or prove its radius",
            quadtree.release,
            tree,
            corner=_corner,
        ),
        _other("medians", "private medians", "private aggregation", "find a minority"),
        _other("mean", "noisy mean", "mean of all", "find a minority"),
        _other("all balls", "all balls of a grid", "all balls", "take more than two columns"),
        _other("axes", "axis by axis", "axis by axis", "see what no axis shows"),
        _other("intervals", "all intervals", "threshold release", "take more than one column"),
        closest(),
        _from_elsewhere(
            "friendly",
            "friendly core of closest pairs",
            "find a cluster of few records, or prove its radius",
            friendly_core.release,
            friendly,
            slack=RARE,
            order=_order,
        ),
    ),
)
