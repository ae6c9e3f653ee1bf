"""Embeddings into l1: expansion, contraction (Definition 5) and sensitivity (Definition 6).

**Paper.** Huang and Roth (2014), section 4, Definitions 5 and 6, Remark 8.1.

**Setting.** A public map sends each point of a metric space to a row of numbers. The l1
distance of two rows stands in for the distance of the two points.

**Idea.** A mechanism for l1 then answers any metric. How well depends on the distortion; how
privately does not: it is enough that each record's row depends on that record alone, and that
the rows lie in a box which is known without the records.

**Symbols.**

============  ====================  =========================================  =================
paper         here                  meaning                                    shape, unit
============  ====================  =========================================  =================
pi            ``Embedding.map``     the embedding                              points to (n, m)
l             m                     coordinates of a row
expansion     ``expansion``         largest embedded over true distance        ratio
contraction   ``contraction``       largest true over embedded distance        ratio
(none)        ``lower``, ``upper``  public box in which every row lies         (m,)
s             ``sensitivity``       rows that one record changes, at most      count
============  ====================  =========================================  =================

**Departures.** (1) Definition 5 takes a maximum of quotients that are 0/0 for a record at a
query; such pairs are left out, and 1/0 is infinite; a residue of rounding counts as 0. (2) The
paper bounds the image by its diameter, "since the expansion is 1"; Definition 5 compares records
with queries only, so two records can be farther apart than 1 (test
``test_expansion_one_says_nothing_of_two_records``). Here the box comes from the public map
alone. (3) Infinite or one-sided quotients are reported, never hidden. (4) Remark 8.1 knows no
useful s-sensitive embedding for s > 1, and neither do we: :class:`BlockMaximum` is there to show
what one costs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.metrics import check_kind
from dpviz.privacy.box import Box

if TYPE_CHECKING:
    from dpviz.privacy.curator import Curator

ROUNDING = 1e-12  # of the largest distance: what is smaller is no distance


class Embedding(Protocol):
    """A public map into a public box. ``oblivious``: it was made without the queries.

    It is 1-sensitive, unless it has a ``sensitivity`` and a ``map_records`` of its own.
    Statements: HR Definition 6.
    """

    lower: NDArray
    upper: NDArray
    oblivious: bool

    def map(self, points: ArrayLike) -> NDArray:
        """Rows of the points, each from its own point alone; shape (n, m)."""


@dataclass(frozen=True, eq=False)
class Linear:
    """The embedding x -> M x of a public box.

    Attributes
    ----------
    matrix : array (m, d), drawn independently of the records
    domain : Box, the public box of the records
    lower, upper : arrays (m,), what M makes of that box, exactly

    >>> turn = linear([[1.0, -1.0]], [0, 0], [1, 1])
    >>> turn.lower.tolist(), turn.upper.tolist(), turn.map([[1, 0], [7, 7]]).ravel().tolist()
    ([-1.0], [1.0], [1.0, 0.0])
    """

    matrix: NDArray
    domain: Box
    lower: NDArray
    upper: NDArray
    oblivious: bool = True

    def map(self, points: ArrayLike, out: NDArray | None = None) -> NDArray:
        """Rows of the points, which are clipped to the public box one by one; shape (n, m)."""
        return np.matmul(self.domain.clipped(points), self.matrix.T, out=out)


def linear(matrix: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Linear:
    """The linear embedding with its box: each end takes the worse corner, entry by entry."""
    matrix = checks.queries("matrix", matrix)
    domain = Box.of(matrix.shape[1], lower=lower, upper=upper)
    corners = np.array([domain.lower, domain.upper])
    ends = np.minimum(matrix, 0), np.maximum(matrix, 0)
    bottom = ends[1] @ corners[0] + ends[0] @ corners[1]
    top = ends[1] @ corners[1] + ends[0] @ corners[0]
    return Linear(matrix, domain, bottom, top)


@dataclass(frozen=True, eq=False)
class BlockMaximum:
    """An s-sensitive embedding: a record's row is the largest of its block of s records.

    Coordinate by coordinate; the blocks are s consecutive records, the last one may be shorter.
    One record can be the largest of its block in every coordinate, so it changes up to s rows.
    A query is a point by itself, and embedded as such.
    Statements: HR Remark 8.1.

    Attributes
    ----------
    inner : Embedding, 1-sensitive; sensitivity : int >= 1, s

    >>> line = linear([[1.0]], 0, 9)
    >>> BlockMaximum(line, 2).map_records([[1.0], [5.0], [2.0]]).ravel().tolist()
    [5.0, 5.0, 2.0]
    """

    inner: Embedding
    sensitivity: int

    def __post_init__(self):
        check_embedding(self.inner)
        checks.integer("sensitivity", self.sensitivity, at_least=1)

    @property
    def lower(self) -> NDArray:
        """Lower end of the box; shape (m,)."""
        return self.inner.lower

    @property
    def upper(self) -> NDArray:
        """Upper end of the box; shape (m,)."""
        return self.inner.upper

    @property
    def oblivious(self) -> bool:
        """Whether it was made without the queries."""
        return self.inner.oblivious

    def map(self, points: ArrayLike) -> NDArray:
        """Rows of points by themselves, such as queries; shape (n, m)."""
        return self.inner.map(points)

    def map_records(self, data: ArrayLike) -> NDArray:
        """Rows of the records; shape (n, m)."""
        rows = self.inner.map(data)
        s = self.sensitivity
        largest = np.maximum.reduceat(rows, np.arange(0, len(rows), s), axis=0)
        return largest.repeat(s, axis=0)[: len(rows)]


class Grouped:
    """A curator for rows of which one record changes s: it multiplies every sensitivity by s.

    Group privacy, paid in noise: what moves by at most a sensitivity when one row is replaced
    moves by at most s times that when s rows are (the triangle inequality along s replacements),
    so at the same cost the noise is s times as large. It has the two verbs of the releases;
    asked for any other, it raises ``AttributeError`` and spends nothing.
    Statements: HR Remark 8.1.

    >>> from dpviz.privacy.curator import Curator
    >>> curator = Curator(epsilon=1, rng=0)
    >>> _ = Grouped(curator, 3).laplace(0.0, sensitivity=0.1, epsilon=1, label="sum")
    >>> round(curator.ledger.charges[0].sensitivity, 3)
    0.3
    """

    def __init__(self, curator: Curator, rows: int):
        self._curator, self._rows = curator, checks.integer("rows", rows, at_least=1)
        self.composition = curator.composition
        self.ledger = curator.ledger

    def laplace(self, value: ArrayLike, *, sensitivity: float, **how: object) -> NDArray:
        """As the curator's, for s rows."""
        return self._curator.laplace(value, sensitivity=self._rows * sensitivity, **how)

    def gaussian(self, value: ArrayLike, *, sensitivity: float, **how: object) -> NDArray:
        """As the curator's, for s rows."""
        return self._curator.gaussian(value, sensitivity=self._rows * sensitivity, **how)


@dataclass(frozen=True, eq=False)
class Distortion:
    """True against embedded distances of records and queries.

    Attributes
    ----------
    true, embedded : arrays (n, k)
    expansion, contraction : float, largest quotients of Definition 5
    median : float, median of embedded over true
    near, far : float, contraction among the nearer half of the pairs, and the farther half
    average_error : float, largest relative error of an average over the records
    """

    true: NDArray
    embedded: NDArray
    expansion: float
    contraction: float
    median: float
    near: float
    far: float
    average_error: float


def measure(true: ArrayLike, embedded: ArrayLike) -> Distortion:
    """Compare true and embedded distances; pairs at distance 0 that stay there are left out.

    Statements: HR Definition 5.
    A distance below 1e-12 of the largest of either table is taken for 0: two equal points can
    get rows that differ in the last bits, as a matrix product may round the same row otherwise
    at another place. That is thousands of roundings wide, and far below any distance meant.

    Parameters
    ----------
    true, embedded : arrays (n, k), at least one true distance above 0

    >>> found = measure([[1.0, 2.0, 0.0]], [[0.5, 1.8, 0.0]])
    >>> found.expansion, found.contraction, found.near, round(found.far, 2)
    (0.9, 2.0, 2.0, 1.11)
    """
    true, embedded = checks.queries("true", true), checks.queries("embedded", embedded)
    if true.ndim != 2 or true.shape != embedded.shape or not (true > 0).any():
        raise ValueError("true and embedded must be two (n, k) tables, some true distance above 0")
    residue = ROUNDING * max(true.max(), embedded.max())
    true, embedded = (np.where(table < residue, 0, table) for table in (true, embedded))
    apart = (true > 0) | (embedded > 0)
    a = true[apart]
    b = embedded[apart]
    with np.errstate(divide="ignore"):
        ratio = b / a
        back = a / b
    near = a <= np.median(a)
    averages = true.mean(axis=0), embedded.mean(axis=0)
    positive = averages[0] > 0
    error = np.abs(averages[1][positive] / averages[0][positive] - 1).max()
    largest = (ratio.max(), back.max(), np.median(ratio), back[near].max())
    far = back[~near].max(initial=0.0)
    return Distortion(true, embedded, *map(float, (*largest, far, error)))


def distances(embedding: Embedding, data: ArrayLike, queries: ArrayLike) -> NDArray:
    """l1 distances of embedded records and queries; shape (n, k).

    For comparison only: not private.

    >>> distances(linear([[1.0, 0], [0, 2]], 0, 1), [[0, 0]], [[1, 1]]).tolist()
    [[3.0]]
    """
    from scipy.spatial.distance import cdist

    return cdist(embedding.map(data), embedding.map(queries), "cityblock")


def check_embedding(embedding: Embedding) -> None:
    """Raise a ``TypeError`` unless it has what an embedding needs, and a box of one shape.

    >>> check_embedding(3)
    Traceback (most recent call last):
    ...
    TypeError: embedding must have map, lower, upper, oblivious, not 3
    """
    check_kind("embedding", embedding, "map", "lower", "upper", "oblivious")
    checks.integer("sensitivity", sensitivity_of(embedding), at_least=1)
    lower = np.asarray(embedding.lower)
    upper = np.asarray(embedding.upper)
    if lower.ndim != 1 or lower.shape != upper.shape or not (lower <= upper).all():
        raise ValueError("embedding must have a box: lower and upper of one length, in order")


def sensitivity_of(embedding: Embedding) -> int:
    """s: how many rows one record changes, at most (Definition 6: 1).

    >>> sensitivity_of(linear([[1.0]], 0, 1))
    1
    """
    return getattr(embedding, "sensitivity", 1)


def map_records(embedding: Embedding, data: ArrayLike) -> NDArray:
    """Rows of the records, each from its own record alone unless the embedding says otherwise.

    >>> map_records(linear([[2.0]], 0, 1), [[0.5]]).tolist()
    [[1.0]]
    """
    return getattr(embedding, "map_records", embedding.map)(data)


def rows_changed(
    embed: Callable[[ArrayLike], NDArray], data: ArrayLike, neighbour: ArrayLike
) -> int:
    """How many rows change when one record does. 1-sensitive (Definition 6): at most one.

    Statements: HR Definition 6; HR Remark 8.1.

    Parameters
    ----------
    embed : callable, from all records to all rows (n, m); randomness must be the same in both calls
    data, neighbour : private, of the same length, differing in one record

    >>> centred = lambda data: np.array(data)[:, None] - np.mean(data)
    >>> rows_changed(centred, [0.0, 1.0, 2.0], [0.0, 1.0, 5.0])
    3
    """
    before = embed(data)
    after = embed(neighbour)
    if before.shape != after.shape:
        return len(before)
    return int((before != after).any(axis=1).sum())
