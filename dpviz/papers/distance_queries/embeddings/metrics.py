"""Metric spaces (X, d): tables, shortest paths, l_p norms, edit distance; the axioms, checked.

**Paper.** Huang and Roth (2014), section 2: data and queries live in a metric space (X, d) of
diameter 1. Section 1 names strings among the examples; the edit distance is Levenshtein's (1966).

**Setting.** The metric is public. The records and the queries are points of it: codes of a
finite table, rows of numbers, or words of a public length at most.

**Idea.** All that an embedding asks of a metric is a table of distances between some points
and others. So a metric is one method, ``distances(data, queries)``, and a diameter.

**Symbols.**

=======  =====================  =====================================  ===============
paper    here                   meaning                                shape, unit
=======  =====================  =====================================  ===============
X        a metric's domain      all admissible points (public)
d        ``distances``          distance of each pair                  (n, k), [0, 1]
diam     ``diameter``           largest distance (public)              after scaling: 1
=======  =====================  =====================================  ===============

**Departures.** The paper takes a diameter of 1 for granted; here each metric is divided by a
public diameter (``unit=True``), which the records cannot exceed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.privacy.box import Box
from dpviz.privacy.private_data import OUTSIDE

ROUNDING = 1e-9  # relative; a sum of a path's lengths depends on the order of its ties


class Metric(Protocol):
    """Whatever knows the distance of two points."""

    diameter: float

    def distances(self, data: ArrayLike, queries: ArrayLike) -> NDArray:
        """Distance of each record to each query; shape (n, k)."""


@dataclass(frozen=True, eq=False)
class Table:
    """A finite metric: points are codes 0 to N - 1 into a public table.

    Attributes
    ----------
    names : tuple of str, the points; table : array (N, N)

    >>> line = finite([[0, 1, 2], [1, 0, 1], [2, 1, 0]], names="abc")
    >>> line.distances([2, 2], [0, 1]).tolist(), line.diameter, line.codes(["c"]).tolist()
    ([[1.0, 0.5], [1.0, 0.5]], 1.0, [2])
    """

    names: tuple[str, ...]
    table: NDArray

    @property
    def diameter(self) -> float:
        """Largest distance."""
        return float(self.table.max())

    @property
    def points(self) -> NDArray:
        """Codes of all points: a finite metric can be listed."""
        return np.arange(len(self.names))

    def codes(self, names: Sequence[str]) -> NDArray:
        """Codes of public names."""
        return np.array(
            [self.names.index(checks.choice("name", name, self.names)) for name in names]
        )

    def distances(self, data: ArrayLike, queries: ArrayLike) -> NDArray:
        """Distance of each record to each query; shape (n, k). Both are codes."""
        rows = self.table[:, codes("queries", queries, len(self.names))]
        return rows[codes("data", data, len(self.names))]


@dataclass(frozen=True, eq=False)
class Norm:
    """Distance of rows of numbers in a public box: their l_p norm, by default Euclidean.

    Attributes
    ----------
    box : Box, public; records outside are clipped to it, one by one
    p : float >= 1; scale : float, what a distance is divided by

    >>> plane = norm([0, 0], [3, 4])
    >>> plane.distances([[0, 0], [9, 9]], [[3, 4]]).ravel().tolist(), plane.diameter
    ([1.0, 0.0], 1.0)
    """

    box: Box
    p: float
    scale: float

    @property
    def diameter(self) -> float:
        """Distance of opposite corners of the box."""
        return float(np.linalg.norm(self.box.widths, self.p)) / self.scale

    def distances(self, data: ArrayLike, queries: ArrayLike) -> NDArray:
        """Distance of each record to each query; shape (n, k)."""
        from scipy.spatial.distance import cdist

        places = self.box.admitted(checks.matrix("queries", queries, self.box.d))
        return cdist(self.box.clipped(data), places, "minkowski", p=self.p) / self.scale


@dataclass(frozen=True, eq=False)
class Edit:
    """Edit distance of words: fewest letters inserted, removed or replaced (Levenshtein 1966).

    Attributes
    ----------
    longest : int, public; a longer record loses its end (or is refused)
    outside : "clip" or "refuse"; scale : float, what a distance is divided by

    >>> words = edit(longest=7, unit=False)
    >>> words.distances(["kitten", "", "sitting"], ["sitting"]).ravel().tolist()
    [3.0, 7.0, 0.0]
    """

    longest: int
    outside: str
    scale: float

    @property
    def diameter(self) -> float:
        """Two words without a common letter are as far apart as the longer is long."""
        return self.longest / self.scale

    def distances(self, data: ArrayLike, queries: ArrayLike) -> NDArray:
        """Distance of each record to each query; shape (n, k)."""
        own = _letters("data", data, self.longest, self.outside)
        words = _letters("queries", queries, self.longest, "refuse")
        blocks = [_edits(own[i : i + 256], words) for i in range(0, len(own), 256)]
        return np.concatenate(blocks) / self.scale


def finite(table: ArrayLike, names: Sequence[str] | None = None, *, unit: bool = True) -> Table:
    """A finite metric from its public table, which is checked in full.

    Parameters
    ----------
    table : array (N, N)
    names : N strings; by default "0", "1", ...
    unit : whether to divide by the diameter

    Raises ValueError if the table is no metric; the message names the points that break the rule.
    """
    square = checks.queries("table", table)
    names = tuple(names) if names is not None else tuple(map(str, range(len(square))))
    check_metric(square, names)
    return Table(names, square / square.max() if unit and square.max() > 0 else square)


def shortest_paths(
    ties: ArrayLike, names: Sequence[str], lengths: ArrayLike | None = None, *, unit: bool = True
) -> Table:
    """The metric of shortest paths in a public network.

    Parameters
    ----------
    ties : int array (m, 2), codes of the ends; names : N strings
    lengths : array (m,) of numbers > 0; by default each tie counts one hop

    Raises ValueError if a length is not positive, or the network falls apart: the message names two
    points without a path.

    >>> shortest_paths([[0, 1], [1, 2]], "abc", unit=False).table[0].tolist()
    [0.0, 1.0, 2.0]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    ends = codes("ties", np.ravel(ties), len(names)).reshape(-1, 2)
    size = len(names)
    lengths = checks.queries("lengths", np.ones(len(ends)) if lengths is None else lengths)
    if lengths.shape != (len(ends),) or not (lengths > 0).all():
        raise ValueError(f"lengths must be {len(ends)} numbers above 0, one for each tie")
    shorter = np.lexsort((lengths, ends.max(axis=1), ends.min(axis=1)))  # of two ties the shorter
    pairs = np.sort(ends, axis=1)[shorter]
    first = np.append(True, (np.diff(pairs, axis=0) != 0).any(axis=1))[: len(pairs)]
    a, b = pairs[first].T if len(pairs) else np.zeros((2, 0), dtype=int)
    graph = coo_array((lengths[shorter][first], (a, b)), shape=(size, size)).tocsr()
    table = shortest_path(graph, directed=False, unweighted=bool((lengths == 1).all()))
    if not np.isfinite(table).all():
        i, j = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"the network must hang together: no path from {names[i]} to {names[j]}")
    return Table(tuple(names), table / table.max() if unit and table.max() > 0 else table)


def norm(lower: ArrayLike, upper: ArrayLike, p: float = 2.0, *, unit: bool = True) -> Norm:
    """The l_p distance in a public box of as many coordinates as ``lower`` has.

    ``unit`` divides by its diameter.

    >>> norm([0], [2], p=1, unit=False).diameter
    2.0
    """
    box = Box.of(np.size(lower), lower=lower, upper=upper)
    plain = Norm(box, checks.number("p", p, at_least=1), 1.0)
    return Norm(box, plain.p, plain.diameter) if unit else plain


def edit(*, longest: int, outside: str = "clip", unit: bool = True) -> Edit:
    """Edit distance of words of at most ``longest`` letters; ``unit`` divides by that.

    >>> edit(longest=4).distances(["list", "lists"], ["last"]).ravel().tolist()
    [0.25, 0.25]
    """
    longest = checks.integer("longest", longest, at_least=1)
    return Edit(
        longest, checks.choice("outside", outside, OUTSIDE), float(longest) if unit else 1.0
    )


def check_kind(name: str, value: object, *needs: str) -> None:
    """Raise a ``TypeError`` that says what a public argument must have.

    >>> check_kind("metric", None, "distances", "diameter")
    Traceback (most recent call last):
    ...
    TypeError: metric must have distances, diameter, not None
    """
    if isinstance(value, type) or not all(hasattr(value, need) for need in needs):
        raise TypeError(f"{name} must have {', '.join(needs)}, not {value!r}")


def check_metric(table: NDArray, names: Sequence[str]) -> None:
    """Raise a ``ValueError`` that names the public points which break a rule of a metric.

    O(N^3) time; for an oracle, hand in the table of a public sample of points.

    >>> check_metric(np.array([[0.0, 1, 5], [1, 0, 1], [5, 1, 0]]), "abc")
    Traceback (most recent call last):
    ...
    ValueError: a metric needs d(a, c) <= d(a, b) + d(b, c), but 5 > 1 + 1
    """
    if table.ndim != 2 or table.shape != (len(names), len(names)) or not len(names):
        raise ValueError(f"table must have shape (N, N), one row a name, not {table.shape}")
    tolerance = ROUNDING * float(np.abs(table).max())
    _none(np.diagonal(table)[:, None] != 0, names, "a metric needs d({0}, {0}) = 0")
    _none(np.abs(table - table.T) > tolerance, names, "a metric needs d({0}, {1}) = d({1}, {0})")
    _none(table < 0, names, "a metric needs d({0}, {1}) >= 0")
    for j, middle in enumerate(names):
        detour = table[:, [j]] + table[j]
        if (table > detour + tolerance).any():
            i, k = np.argwhere(table > detour + tolerance)[0]
            a, b, c = (f"{x:g}" for x in (table[i, k], table[i, j], table[j, k]))
            path = f"d({names[i]}, {middle}) + d({middle}, {names[k]})"
            rule = f"d({names[i]}, {names[k]}) <= {path}"
            raise ValueError(f"a metric needs {rule}, but {a} > {b} + {c}")


def _none(broken: NDArray, names: Sequence[str], rule: str) -> None:
    """Raise the rule with the names of the first pair that breaks it."""
    if broken.any():
        raise ValueError(rule.format(*(names[i] for i in np.argwhere(broken)[0])))


def codes(name: str, value: ArrayLike, size: int) -> NDArray:
    """Whole numbers from 0 to size - 1, as an array (n,); the message shows none of them.

    >>> codes("data", [[1.0], [0.0]], 2).tolist()
    [1, 0]
    >>> codes("data", [5], 2)
    Traceback (most recent call last):
    ...
    ValueError: data must hold codes, whole numbers from 0 to 1
    """
    numbers = _numbers(value)
    if numbers is None:
        raise TypeError(f"{name} must hold codes, whole numbers from 0 to {size - 1}")
    if not numbers.size:
        raise ValueError(f"{name} must hold at least one code")
    if not ((numbers >= 0) & (numbers < size) & (numbers == np.floor(numbers))).all():
        raise ValueError(f"{name} must hold codes, whole numbers from 0 to {size - 1}")
    return numbers.astype(int)


def _numbers(value: ArrayLike) -> NDArray | None:
    """As floats, flat; or None if that needs more than a conversion: no mask, no complex."""
    if checks.is_masked(value) or checks.is_unreal(value) or isinstance(value, dict | set):
        return None
    try:
        return np.asarray(value, dtype=float).ravel()
    except (TypeError, ValueError, OverflowError):
        return None


def _letters(name: str, value: ArrayLike, longest: int, outside: str) -> NDArray:
    """Words as rows of letter codes, 0 after the end; shape (n, longest)."""
    listed = isinstance(value, list | tuple | np.ndarray) and not checks.is_masked(value)
    if not listed or not all(isinstance(word, str) for word in value):
        raise TypeError(f"{name} must be a list of words, each a str")
    if not len(value):
        raise ValueError(f"{name} must hold at least one word")
    if outside == "refuse" and any(len(word) > longest for word in value):
        raise ValueError(f"{name} must hold words of at most {longest} letters")
    letters = np.zeros((len(value), longest), dtype=np.int32)
    for row, word in zip(letters, value, strict=True):
        row[: len(word)] = [ord(letter) + 1 for letter in word[:longest]]
    return letters


def _edits(own: NDArray, asked: NDArray) -> NDArray:
    """Edit distances by the usual table, a row of it for all pairs at a time; shape (n, k).

    ``best[i, j, m]``: distance of the letters read so far of record i to the first m of query
    j. An insertion looks at the entry to its left in the same row; a running minimum of
    ``best - m`` does that for the whole row.
    """
    ends = (asked > 0).sum(axis=1)
    lengths = (own > 0).sum(axis=1)
    places = np.arange(asked.shape[1] + 1, dtype=np.int32)
    best = np.broadcast_to(places, (len(own), len(asked), len(places))).copy()
    result = np.empty((len(own), len(asked)))
    for read in range(own.shape[1] + 1):
        here = lengths == read
        result[here] = best[here][:, np.arange(len(asked)), ends]
        if read == own.shape[1]:
            return result
        swapped = best[:, :, :-1] + (own[:, read, None, None] != asked)
        best += 1  # one letter of the record is removed
        np.minimum(best[:, :, 1:], swapped, out=best[:, :, 1:])
        best = np.minimum.accumulate(best - places, axis=2) + places
    return result
