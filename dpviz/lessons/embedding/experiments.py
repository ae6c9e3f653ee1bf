"""Lesson 04: its metric spaces, the distortion of one drawn embedding, and Theorem 10 over n."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from dpviz.data import real_sets
from dpviz.drawing.numerals import number
from dpviz.papers.distance_queries.embeddings import (
    euclidean,
    frechet,
    metrics,
    p_stable,
    weighted_hamming,
)
from dpviz.papers.distance_queries.embeddings.l1_embedding import Distortion, distances, measure
from dpviz.sweeps.experiment import Experiment

FOLDER = Path(__file__).parent

BETA = 0.05  # a lower limit that fails more often than this is not called proved
COLUMNS = 5  # of the wine data, for random projections
LONGEST = 16  # letters of the longest name
SPACES = ("hops", "weighted ties", "names", "karate", "categories", "wine")

SQUARE = {"d": 2, "k": 100, "epsilon": 1.0, "upper": 0.5**0.5}  # of diameter 1
EUCLIDEAN_N = (10_000, 30_000, 100_000, 300_000, 1_000_000)
PURE_N = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
TARGETS = (16, 64, 256, 1024, 4096)


@dataclass(frozen=True, eq=False)
class MetricSpace:
    """A metric space with a few points that may be shown.

    Attributes
    ----------
    name : one of SPACES
    metric : has ``distances`` and ``diameter``
    points : what ``distances`` takes; public, or shown for the lesson only
    names : what the points are called
    """

    name: str
    metric: metrics.Metric
    points: np.ndarray
    names: tuple[str, ...]


@cache
def metric_space(name: str) -> MetricSpace:
    """A metric space by its name."""
    makers = {"karate": _karate, "categories": _categories, "wine": _wine, "names": _names}
    return makers[name]() if name in makers else _novel(name)


def _novel(name: str) -> MetricSpace:
    """The characters of the novel, by hops or by weighted ties."""
    novel = real_sets.les_miserables_network()
    lengths = 1 / novel.counts if name == "weighted ties" else None
    return _listed(name, metrics.shortest_paths(novel.ties, novel.names, lengths))


def _karate() -> MetricSpace:
    """The members of the karate club by hops."""
    club = real_sets.karate_network()
    names = [f"member {name}" for name in club.names]
    return _listed("karate", metrics.shortest_paths(club.ties, names))


def _names() -> MetricSpace:
    """The characters' names by edit distance."""
    names = real_sets.les_miserables_network().names
    table = metrics.edit(longest=LONGEST).distances(names, names)
    return _listed("names", metrics.finite(table, names))


def _categories() -> MetricSpace:
    """Bottles by thirds of each column's public range: weighted Hamming distance."""
    rows = thirds()[:77]
    table = distances(weighted_hamming.categories((3,) * rows.shape[1]), rows, rows)
    names = [f"bottle {i + 1}" for i in range(len(rows))]
    return _listed("categories", metrics.Table(tuple(names), table))


def _wine() -> MetricSpace:
    """Sixty bottles by five laboratory results, straight-line distance."""
    rows = real_sets.wine().unit()[::3, :COLUMNS]
    box = metrics.norm(np.zeros(COLUMNS), np.ones(COLUMNS))
    return MetricSpace("wine", box, rows, tuple(f"bottle {3 * i + 1}" for i in range(len(rows))))


def _listed(name: str, metric: metrics.Table) -> MetricSpace:
    return MetricSpace(name, metric, metric.points, metric.names)


def thirds() -> np.ndarray:
    """Wine by public thirds of each column's public range: 0 weak, 1 middle, 2 strong."""
    return np.minimum((real_sets.wine().unit() * 3).astype(int), 2)


def appearances() -> np.ndarray:
    """The private records of the novel: codes of characters, shape (1640,)."""
    return real_sets.les_miserables().data[:, 0].astype(int)


@dataclass(frozen=True, eq=False)
class MeasuredEmbedding:
    """One drawn embedding and what it does to the distances of some points and queries.

    Attributes
    ----------
    what : the setting in words
    found : true and embedded distances, (n, k), and their quotients
    ceiling, floor : proved limits of embedded over true; inf and 0 if there is none
    paper : the paper's floor; nan if it has none
    needed : subsets at a scale from which the floor is proved, for us and for the paper
    pair : names of the worst pair
    size : number of coordinates
    """

    what: str
    found: Distortion
    ceiling: float
    floor: float
    paper: float
    pair: tuple[str, str]
    size: int
    needed: tuple[int, int] = (0, 0)


def measure_embedding(
    *, space: str, subsets: int, k: int, target: int, p: float, method: str, seed: int
) -> MeasuredEmbedding:
    """Draw one embedding of one of the metric spaces and measure its distortion."""
    here = metric_space(space)
    rng = np.random.default_rng(seed)
    k = min(k, len(here.points))
    chosen = np.sort(rng.permutation(len(here.points))[:k])
    if space == "wine":
        return _by_projections(here, chosen, target, p, method, rng)
    if space == "categories":
        return _by_category(here, chosen)
    return _by_frechet(here, chosen, subsets, rng)


def _by_frechet(here: MetricSpace, chosen: np.ndarray, subsets: int, rng) -> MeasuredEmbedding:
    """Figure 3 on a finite metric."""
    from scipy.spatial.distance import cdist

    params = frechet.Params(metric=here.metric, queries=here.points[chosen], subsets=subsets)
    embedding = params.draw(rng=rng)
    k = len(chosen)
    n = len(here.points)
    contraction, failure = frechet.contraction_bound(k, subsets, pairs=k * n)
    floor = 1 / contraction if failure <= BETA else 0.0
    rows = embedding.map(here.points)
    table = cdist(rows, rows[chosen], "cityblock")
    measured = _found(
        f"{here.name}: {n} points, {k} queries, K = {subsets}",
        here,
        chosen,
        table,
        (1.0, floor, 1 / frechet.paper_contraction(k)),
        embedding.size,
    )
    return replace(measured, needed=(frechet.subsets_for(n, k, BETA), frechet.paper_subsets(n, k)))


def _by_category(here: MetricSpace, chosen: np.ndarray) -> MeasuredEmbedding:
    """An isometry: nothing to choose."""
    rows = thirds()[: len(here.points)]
    embedding = weighted_hamming.categories((3,) * rows.shape[1])
    table = distances(embedding, rows, rows[chosen])
    what = f"categories: {len(rows)} bottles, {len(chosen)} queries, exact"
    return _found(what, here, chosen, table, (1.0, 1.0, math.nan), len(embedding.lower))


def _by_projections(
    here: MetricSpace, chosen, target: int, p: float, method: str, rng
) -> MeasuredEmbedding:
    """A drawn linear map of the wine data; distances are divided by the box's diameter."""
    d = here.points.shape[1]
    params = p_stable.Params(d=d, target=target, p=p, method=method, lower=0.0, upper=1.0)
    embedding = params.draw(rng=rng)
    pairs = len(here.points) * len(chosen)
    alpha = p_stable.error_bound(params, k=pairs)
    true = _lengths(here.points, here.points[chosen], p)
    table = distances(embedding, here.points, here.points[chosen]) / d ** (1 / p)
    words = f"wine: {len(true)} bottles, {len(chosen)} queries"
    what = f"{words}, p = {p:g}, {number(target)} {method} projections"
    limits = (1 + alpha, max(0.0, 1 - alpha), math.nan)
    return _found(what, here, chosen, table, limits, target, true / d ** (1 / p))


def _lengths(data: np.ndarray, queries: np.ndarray, p: float) -> np.ndarray:
    return (np.abs(data[:, None] - queries) ** p).sum(axis=2) ** (1 / p)


def _found(
    what, here: MetricSpace, chosen, table, limits: tuple, size: int, true=None
) -> MeasuredEmbedding:
    """Measure, and name the pair that is worst."""
    true = here.metric.distances(here.points, here.points[chosen]) if true is None else true
    distortion = measure(true, table)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.where(true > 1e-12, table / true, 1.0)
        off = np.maximum(quotient, 1 / quotient)
    i, j = np.unravel_index(np.argmax(off), off.shape)
    ceiling, floor, paper = limits
    pair = here.names[i], here.names[chosen[j]]
    return MeasuredEmbedding(what, distortion, ceiling, floor, paper, pair, size)


EUCLIDEAN = Experiment(
    name="euclidean_approximate",
    shows="How Theorem 10's error falls with n, with the best number of projections.",
    trial=euclidean.trial,
    params=euclidean.Params(n=EUCLIDEAN_N[0], delta=1e-6, lower=0.0, **SQUARE),
    grid={"n": EUCLIDEAN_N},
    repeats=8,
    rng=2014,
    folder=FOLDER,
)
EUCLIDEAN_PURE = replace(
    EUCLIDEAN,
    name="euclidean_pure",
    shows="The same under pure differential privacy.",
    params=replace(EUCLIDEAN.params, n=PURE_N[0], delta=0.0),
    grid={"n": PURE_N},
    rng=2015,
)
EUCLIDEAN_DIMENSION = replace(
    EUCLIDEAN,
    name="euclidean_dimension",
    shows="Remark 7.1: the error at fixed numbers of projections, at n = 300,000.",
    params=replace(EUCLIDEAN.params, n=EUCLIDEAN_N[3]),
    grid={"target": TARGETS},
    rng=2016,
)
