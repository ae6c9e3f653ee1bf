"""Frechet embedding (Figure 3) and Bourgain's theorem for records and queries (Theorem 11).

**Paper.** Huang and Roth (2014), section 4.3, Figure 3, Theorem 11, Lemmas 12 and 13, Corollary 14.

**Setting.** Any metric that a computer can ask (module ``metrics``), and k public queries.
The subsets are drawn from the queries, never from the records. Of a pair of points one is any
record, the other a query.

**Idea.** A coordinate is the distance to a random set of queries. The distances of two points to
one set differ by at most the distance of the points, so the average over many sets never
exaggerates, whatever the sets are. How much it loses: grow balls around both points until they
hold 2, 4, 8, ... queries. At the scale where one ball must grow most, a set often lies near one
point and far from the other.

**Symbols.**

===========  ==================  ============================================  ===============
paper        here                meaning                                       shape, unit
===========  ==================  ============================================  ===============
Q, k         ``queries``, k      public query points and their number          k points
log k        ``scales``          L = floor(log2 k) + 1
K            ``subsets``         random subsets at each scale but the first
S_ij         ``random_subsets``  j-th subset of scale i: indices into Q        kept w.p. 2^(1-i)
pi_ij(x)     ``map``             distance of x to S_ij, divided by K L         [0, 1 / (K L)]
r*_i         r_i                 radius at which both balls hold 2^(i-1)       of the metric
1 / 16       ``SEPARATION``      probability that a set shows the difference   0.1447 here
===========  ==================  ============================================  ===============

**Departures.** (1) Figure 3 counts the scales in two ways; here there are floor(log2 k) + 1, and
the same number divides (else the expansion is 1 + 1 / log k). (2) An empty set has no distance; it
is drawn again. (3) The paper caps embedded distances at 1 "in case the expansion fails". It cannot
fail, and the cap would break the sum over coordinates that the l1 mechanism lives on. (4) All sets
of scale 1 are Q: one coordinate. (5) If the metric's points can be listed, each coordinate's box
ends at its largest value over them, not at 1 / (K L). (6) The proof of Theorem 11 enlarges its last
radius, r_i', to d - r_(i'-1), after which the open ball may hold more points than Lemma 12 counts;
with min(r_i, d / 2) for every i the count is right. (7) Lemma 12 states one inequality reversed,
and its exponent K/64 needs the chance 0.098 that its proof finds, not the 1/16 to which it then
rounds that down. Neither touches what it concludes. (8) The constants of :func:`contraction_bound`
are smaller: 27.7 L against 64 log2 k, with fewer sets.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.l1_embedding import distances, measure
from dpviz.papers.distance_queries.embeddings.metrics import Metric, Table, check_kind, check_metric

SAMPLE = 50  # queries on which the rules of a metric are checked
# At least so likely a random subset misses 2^(i-1) points and meets 2^(i-2) others.
SEPARATION = math.exp(-1) * (1 - math.exp(-0.5))


@dataclass(frozen=True, kw_only=True)
class Params:
    """The metric, the queries and the number of random subsets; all public.

    Attributes
    ----------
    metric : has ``distances`` and ``diameter``; queries : k >= 1 points of it
    subsets : int >= 1, K, random subsets at each scale but the first

    Raises ValueError if a rule of a metric is broken among the first queries; the message names
    them.

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
        check_kind("metric", self.metric, "distances", "diameter")
        check_kind("queries", self.queries, "__len__", "__getitem__")
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
        rng = checks.generator(rng)
        k = len(self.queries)
        levels = np.append(1, np.repeat(np.arange(2, scales(k) + 1), self.subsets))
        members = rng.uniform(size=(len(levels), k)) < 2.0 ** (1 - levels[:, None])
        random_subsets = tuple(
            np.flatnonzero(row) if row.any() else draw_subset(k, 2.0 ** (1 - level), rng=rng)
            for row, level in zip(members, levels, strict=True)
        )
        return FrechetEmbedding(self.metric, self.queries, random_subsets, levels, self.subsets)


@dataclass(frozen=True, eq=False)
class FrechetEmbedding:
    """The embedding of Figure 3, drawn.

    Statements: HR Figure 3; HR Lemma 13; HR Section 4.3 (cap).

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
        return _largest_coordinates(self)

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


@functools.lru_cache(maxsize=8)  # every use of a map asks for its box
def _largest_coordinates(drawn: FrechetEmbedding) -> NDArray:
    """Upper end of a map's box."""
    points = getattr(drawn.metric, "points", None)
    if points is None:
        return drawn.weights * drawn.metric.diameter
    ends = drawn.map(points).max(axis=0)
    ends.flags.writeable = False
    return ends


def contraction_bound(k: int, subsets: int, *, pairs: int) -> tuple[float, float]:
    """Proved: (c, beta): with probability at least 1 - beta the contraction is at most c.

    Statements: HR Theorem 11; HR Lemma 12; HR Corollary 14.
    (The expansion is at most 1 surely: |d(x, S) - d(y, S)| <= d(x, y), and the weights add up to
    1.) Proof, for a point x and a query y at distance d. Let r_i be the larger of the two radii at
    which closed balls around x and y hold 2^(i-1) queries, and t_i = min(r_i, d/2). At the last
    scale t_L = d / 2: two disjoint balls would hold 2^L > k queries. Where t_(i-1) < t_i, the open
    ball of radius t_i around one centre holds fewer than 2^(i-1) queries, the closed ball of radius
    t_(i-1) around the other at least 2^(i-2), and they are disjoint. A set of scale i misses the
    first and meets the second with probability at least q = (1 - e^(-1/2)) / e (drawing empty sets
    again only helps), and then contributes t_i - t_(i-1). By Chernoff, fewer than half of the
    expected q K do so with probability at most exp(-K D), D = relative entropy of q/2 against q.
    Scale 1 gives t_1 in full. So the embedded distance is at least (q / 2) (d / 2) / L: contraction
    at most 4 L / q, for all pairs and scales except with probability pairs (L - 1) exp(-K D).

    Parameters
    ----------
    k : int >= 1, queries; subsets : int >= 1, K, random subsets at each scale
    pairs : int >= 1, records times queries

    Returns contraction, probability of failure (at most 1).

    >>> contraction, failure = contraction_bound(38, 700, pairs=77 * 38)
    >>> round(contraction, 1), failure < 1e-3
    (165.8, True)
    """
    levels = scales(checks.integer("k", k, at_least=1))
    subsets = checks.integer("subsets", subsets, at_least=1)
    pairs = checks.integer("pairs", pairs, at_least=1)
    if levels == 1:
        return 1.0, 0.0  # one coordinate, the distance itself
    return 4 * levels / SEPARATION, min(
        1.0, pairs * (levels - 1) * math.exp(-subsets * _exponent())
    )


def paper_contraction(k: int) -> float:
    """Theorem 11: contraction at most 64 log2 k.

    Statements: HR Theorem 11.

    >>> round(paper_contraction(38))
    336
    """
    return 64 * math.log2(checks.integer("k", k, at_least=2))


def trial(
    params: Params, data: ArrayLike, queries: ArrayLike | None = None, *, rng: checks.Seed
) -> dict[str, float]:
    """Draw the subsets and measure what they distort.

    Parameters
    ----------
    queries : what stands in place of the queries of ``params``; None: those

    Returns a dict with ``expansion``, ``contraction``, ``median`` (of embedded over true distance),
    ``bound`` (proved contraction), ``failure`` (its probability), ``paper``.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> line = Params(metric=norm([0], [1]), queries=[[0.0], [0.5], [1.0]], subsets=8)
    >>> found = trial(line, [[0.2], [0.9]], rng=0)
    >>> found["expansion"] <= 1 + 1e-12
    True
    """
    params = params if queries is None else replace(params, queries=queries)
    true = params.metric.distances(data, params.queries)
    distortion = measure(true, distances(params.draw(rng=rng), data, params.queries))
    k = len(params.queries)
    bound, failure = contraction_bound(k, params.subsets, pairs=len(data) * k)
    return {
        "expansion": distortion.expansion,
        "contraction": distortion.contraction,
        "median": distortion.median,
        "bound": bound,
        "failure": failure,
        "paper": paper_contraction(k) if k > 1 else 1.0,
    }


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
    while not (members := rng.uniform(size=k) < share).any():
        pass
    return np.flatnonzero(members)


def subsets_for(n: int, k: int, beta: float) -> int:
    """Fewest sets at a scale for which the proved contraction fails with probability <= beta.

    >>> subsets_for(77, 38, 0.05)
    500
    """
    beta = checks.number("beta", beta, above=0, below=1)
    levels = scales(k)
    pairs = checks.integer("n", n, at_least=1) * checks.integer("k", k, at_least=1)
    return math.ceil(math.log(max(pairs * (levels - 1) / beta, 1.01)) / _exponent())


def paper_subsets(n: int, k: int) -> int:
    """Figure 3: K = 512 (log2 k + log2 n) sets at each scale.

    >>> paper_subsets(1640, 38)
    8155
    """
    return math.ceil(512 * math.log2(k * n))


def _exponent() -> float:
    """Relative entropy of q/2 against q, q = SEPARATION: the exponent of the Chernoff bound."""
    q = SEPARATION
    return q / 2 * math.log(0.5) + (1 - q / 2) * math.log((1 - q / 2) / (1 - q))


def _spelled(metric: Metric, points: ArrayLike) -> list[str]:
    """How public points are called in a message."""
    if isinstance(metric, Table):
        return [metric.names[int(code)] for code in points]
    return [str(point) for point in points]
