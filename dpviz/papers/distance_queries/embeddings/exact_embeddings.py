"""Isometric embeddings into l1: weighted Hamming distances and tree metrics.

**Paper.** Huang and Roth (2014), section 4; beyond the paper. Its introduction speaks of a
retailer whose customers have categorical features.

**Setting.** Records are rows of category codes, or nodes of a public tree with lengths.

**Idea.** Two customers differ by the sum over the features on which they disagree; two nodes
by the sum over the edges between them. Write each such yes or no into a coordinate of its own,
and the distance is an l1 distance, exactly.

**Symbols.**

=========  ==============  ============================================  ===============
paper      here            meaning                                       shape, unit
=========  ==============  ============================================  ===============
pi         ``map``         an isometry: expansion = contraction = 1      (n, m)
(none)     ``sizes``       number of categories of each feature          (f,)
(none)     ``weights``     what a disagreement counts                    (f,), sum 1
(none)     ``lengths``     of the edge from each node to its parent      (N,)
=========  ==============  ============================================  ===============

**Departures.** The paper treats general metrics by Bourgain's theorem, at a factor O(log k).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.metrics import codes


@dataclass(frozen=True, eq=False)
class Incidence:
    """An isometry that looks each point up in a public table of yes and no.

    Attributes
    ----------
    tables : tuple of arrays (N_f, m_f), one for each column of the records
    lower, upper : arrays (m,), the public box
    oblivious : True
    """

    tables: tuple[NDArray, ...]
    lower: NDArray
    upper: NDArray
    oblivious: bool = True

    def map(self, points: ArrayLike) -> NDArray:
        """Rows of the points, given as codes, one column a feature; shape (n, m)."""
        columns = feature_codes("data", points, [len(table) for table in self.tables])
        return np.hstack([table[c] for table, c in zip(self.tables, columns, strict=True)])


def categories(sizes: Sequence[int], weights: Sequence[float] | None = None) -> Incidence:
    """Weighted Hamming distance: the sum of the weights of the features that differ.

    One coordinate a category, worth half of its feature's weight: two different categories
    differ in two of them.

    Parameters
    ----------
    sizes : number of categories of each feature, at least 2
    weights : numbers > 0; by default equal, and 1 in all

    >>> shop = categories([2, 3], [0.25, 0.75])
    >>> shop.map([[0, 2], [1, 2]]).tolist()
    [[0.125, 0.0, 0.0, 0.0, 0.375], [0.0, 0.125, 0.0, 0.0, 0.375]]
    """
    sizes, weights = check_features(sizes, weights)
    tables = tuple(w / 2 * np.eye(s) for s, w in zip(sizes, weights, strict=True))
    upper = np.repeat(weights / 2, sizes)
    return Incidence(tables, np.zeros_like(upper), upper)


def tree(parents: Sequence[int], lengths: Sequence[float] | None = None) -> Incidence:
    """Distance in a public tree: one coordinate an edge, set for the nodes beyond it.

    Parameters
    ----------
    parents : parent of each node, a smaller number; -1 for node 0, the root
    lengths : length > 0 of the edge to the parent; the root's is not used. By default 1.

    >>> tree([-1, 0, 1, 1], [0, 2, 1, 1]).map([3]).tolist()
    [[2.0, 0.0, 1.0]]
    """
    parents = np.asarray(parents)
    nodes = np.arange(len(parents))
    if not len(nodes) or parents[0] != -1 or ((parents < 0) | (parents >= nodes))[1:].any():
        raise ValueError(f"parents must begin with -1, then each be a smaller node, not {parents}")
    lengths = checks.queries("lengths", np.ones(len(nodes)) if lengths is None else lengths)
    if lengths.shape != nodes.shape or not (lengths[1:] > 0).all():
        raise ValueError(f"lengths must be {len(nodes)} numbers, above 0 except at the root")
    beyond = np.eye(len(nodes))
    for node in nodes[1:]:
        beyond[node] += beyond[parents[node]]
    table = (beyond * lengths)[:, 1:]
    return Incidence((table,), np.zeros(len(nodes) - 1), lengths[1:])


def check_features(sizes: ArrayLike, weights: ArrayLike) -> tuple[NDArray, NDArray]:
    """Sizes and weights as arrays, or an error that shows them (they are public).

    >>> check_features([2, 2], None)[1].tolist()
    [0.5, 0.5]
    """
    sizes = np.array([checks.integer("sizes", size, at_least=2) for size in sizes])
    if not len(sizes):
        raise ValueError("sizes must name at least one feature")
    shares = np.full(len(sizes), 1 / len(sizes)) if weights is None else weights
    weights = checks.queries("weights", shares)
    if weights.shape != sizes.shape or not (weights > 0).all():
        raise ValueError(f"weights must be {len(sizes)} numbers above 0, not {weights.tolist()}")
    return sizes, weights


def feature_codes(name: str, value: ArrayLike, sizes: Sequence[int]) -> list[NDArray]:
    """Columns of category codes, checked; the message shows none of them.

    >>> feature_codes("data", [[0, 3]], [2, 3])
    Traceback (most recent call last):
    ...
    ValueError: data must hold codes, whole numbers from 0 to 2, in column 1
    """
    table = np.asarray(value)
    table = table[:, None] if table.ndim == 1 and len(sizes) == 1 else table
    if table.ndim != 2 or table.shape[1] != len(sizes):
        raise ValueError(f"{name} must have shape (n, {len(sizes)}), one column a feature")
    columns = []
    for i, size in enumerate(sizes):
        try:
            columns.append(codes(name, table[:, i], size))
        except (TypeError, ValueError) as problem:
            raise type(problem)(f"{problem}, in column {i}") from None
    return columns
