"""Frechet embedding (Figure 3): coordinates are distances to random subsets of the queries.

**Paper.** Huang and Roth (2014), section 4.3, Figure 3.

**Setting.** Any metric that a computer can ask (module ``metrics``), and k public queries.
The subsets are drawn from the queries, never from the records.

**Idea.** The distances of two points to one set differ by at most the distance of the points.
So the average over many sets never exaggerates, whatever the sets are.

**Symbols.**

===========  ==================  ============================================  ===============
paper        here                meaning                                       shape, unit
===========  ==================  ============================================  ===============
Q, k         ``queries``, k      public query points and their number          k points
log k        ``scales``          floor(log2 k) + 1                             L
K            ``subsets``         random subsets at each scale but the first
S_ij         ``random_subsets``  j-th subset of scale i: indices into Q        kept w.p. 2^(1-i)
pi_ij(x)     ``map``             distance of x to S_ij, divided by K L         [0, 1 / (K L)]
===========  ==================  ============================================  ===============

**Departures.** (1) Figure 3 counts the scales in two ways; here there are floor(log2 k) + 1,
and the same number divides (else the expansion is 1 + 1 / log k). (2) An empty set has no
distance; it is drawn again. (3) The paper caps embedded distances at 1 "in case the expansion
fails". It cannot fail, and the cap would break the sum over coordinates that the l1
mechanism lives on. (4) All sets of scale 1 are Q: one coordinate. (5) If the metric's points
can be listed, each coordinate's box ends at its largest value over them, not at 1 / (K L).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.metrics import Metric, Table, check_metric

SAMPLE = 50  # queries on which the rules of a metric are checked


@dataclass(frozen=True, kw_only=True)
class Params:
    """The metric, the queries and the number of random subsets; all public.

    Attributes
    ----------
    metric : has ``distances`` and ``diameter``
    queries : k >= 1 points of it
    subsets : int >= 1, K, random subsets at each scale but the first

    Raises
    ------
    ValueError
        If a rule of a metric is broken among the first queries; the message names them.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> Params(metric=finite([[0, 1], [1, 0]]), queries=[], subsets=4)
    Traceback (most recent call last):
    ...
    ValueError: queries must hold at least one point
    """

    metric: Metric
    queries: ArrayLike
    subsets: int = 16

    def __post_init__(self):
        if not len(self.queries):
            raise ValueError("queries must hold at least one point")
        self.metric.distances(self.queries, self.queries[:1])  # refuses what are no points of it
        some = self.queries[:SAMPLE]
        check_metric(self.metric.distances(some, some), _spelled(self.metric, some))
        checks.integer("subsets", self.subsets, at_least=1)

    def draw(self, *, rng: checks.Seed) -> FrechetEmbedding:
        """Draw the subsets, independently of the records.

        >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
        >>> line = Params(metric=norm([0], [1]), queries=[[0.0], [0.5], [1.0]], subsets=2)
        >>> embedding = line.draw(rng=0)
        >>> embedding.scales, embedding.size, embedding.random_subsets[0].tolist()
        (2, 3, [0, 1, 2])
        """
        rng, k = checks.generator(rng), len(self.queries)
        levels = np.append(1, np.repeat(np.arange(2, scales(k) + 1), self.subsets))
        kept = rng.uniform(size=(len(levels), k)) < 2.0 ** (1 - levels[:, None])
        random_subsets = tuple(
            np.flatnonzero(row) if row.any() else draw_subset(k, 2.0 ** (1 - level), rng=rng)
            for row, level in zip(kept, levels, strict=True)
        )
        return FrechetEmbedding(self.metric, self.queries, random_subsets, levels, self.subsets)


@dataclass(frozen=True, eq=False)
class FrechetEmbedding:
    """The embedding of Figure 3, drawn.

    Attributes
    ----------
    metric, queries : as in Params
    random_subsets : tuple of int arrays, indices into ``queries``; the first is all of them
    levels : int array (m,), scale i of each subset, from 1
    subsets : int, K
    oblivious : False: it depends on the queries, so it serves these queries only (Remark 8.2)
    """

    metric: Metric
    queries: ArrayLike
    random_subsets: tuple[NDArray, ...]
    levels: NDArray
    subsets: int
    oblivious: bool = False

    @property
    def scales(self) -> int:
        """L."""
        return scales(len(self.queries))

    @property
    def size(self) -> int:
        """Number of coordinates, (L - 1) K + 1."""
        return len(self.random_subsets)

    @property
    def weights(self) -> NDArray:
        """What divides each coordinate: L for scale 1, else K L; shape (m,). Sums up to 1."""
        return np.where(self.levels == 1, 1 / self.scales, 1 / (self.subsets * self.scales))

    @property
    def lower(self) -> NDArray:
        """Lower end of the box: 0; shape (m,)."""
        return np.zeros(self.size)

    @property
    def upper(self) -> NDArray:
        """Upper end of the box, from the public metric alone; shape (m,)."""
        points = getattr(self.metric, "points", None)
        if points is None:
            return self.weights * self.metric.diameter
        return self.map(points).max(axis=0)

    def map(self, points: ArrayLike) -> NDArray:
        """Weighted distance of each point to each subset; shape (n, m).

        O(k) distances a point, then minima.
        """
        columns = np.ascontiguousarray(self.metric.distances(points, self.queries).T)
        rows = np.empty((self.size, columns.shape[1]))
        for row, members in zip(rows, self.random_subsets, strict=True):
            columns[members].min(axis=0, out=row)
        rows *= self.weights[:, None]
        return rows.T


def scales(k: int) -> int:
    """L = floor(log2 k) + 1: sets from all k queries down to about one.

    >>> [scales(k) for k in (1, 2, 3, 64, 77)]
    [1, 2, 2, 7, 7]
    """
    return int(k).bit_length()


def draw_subset(k: int, share: float, *, rng: np.random.Generator) -> NDArray:
    """A random set of indices below k, each kept with probability ``share``, never empty.

    >>> draw_subset(4, 1.0, rng=np.random.default_rng(0)).tolist()
    [0, 1, 2, 3]
    """
    while not (kept := rng.uniform(size=k) < share).any():
        pass
    return np.flatnonzero(kept)


def _spelled(metric: Metric, points: ArrayLike) -> list[str]:
    """How public points are called in a message."""
    if isinstance(metric, Table):
        return [metric.names[int(code)] for code in points]
    return [str(point) for point in points]
