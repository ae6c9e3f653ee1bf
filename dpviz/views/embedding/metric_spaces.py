"""The metric spaces of lesson 04, public parts only made once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from dpviz.data import real_sets
from dpviz.papers.distance_queries.embeddings import metrics, weighted_hamming
from dpviz.papers.distance_queries.embeddings.l1_embedding import distances

COLUMNS = 5  # of the wine data, for random projections
LONGEST = 16  # letters of the longest name
SPACES = ("hops", "weighted ties", "names", "karate", "categories", "wine")


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
