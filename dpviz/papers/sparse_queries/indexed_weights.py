"""Hash-indexed weights: a distribution over a universe of any size (Definition 3, Algorithm 1).

**Paper.** Roth's lecture 13, Definition 3 and Algorithm 1; Blum and Roth (2013).

**Setting.** A distribution on s indices, 1/s each at first. An element of the universe is indexed
once it has been in a query that led to an update; until then it is untouched and has no index.

**Idea.** All untouched elements are alike: no update ever changed one of them by itself, so they
share one weight. One number stands for all free indices, however many there are.

**Symbols.**

==========  ====================  =============================================  =========
paper       here                  meaning                                        unit
==========  ====================  =============================================  =========
s           ``size``              number of indices                              count
h           ``index``             element to its index, 1, 2, ...; 0 without     dict
ind         ``used`` + 1          first free index                               count
D[h(x)]     ``value(x)``          probability of an element                      [0, 1]
D[ind]      ``untouched_weight``  probability of each free index, 0 if none      [0, 1]
Q(D)        ``evaluate``          mean coefficient under the weights             [0, 1]
FAILURE     ``CapacityExceeded``  an element needs an index and none is free     exception
==========  ====================  =============================================  =========

**Departures.** (1) The evaluation as stated repeats one term without end (a fault of the scan);
it is the indexed part plus the untouched part, and "ind(x)" is ind. (2) The paper rewrites all s
weights at each update; here one sum is kept, so an update costs O(m), whatever s. Weights are
kept as logarithms above a common shift, so nothing overflows. (3) If a query names more
untouched elements than there are free indices, the paper's sum counts indices that do not exist
(it can exceed 1): that is an error here. It cannot happen while m indices are free.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries.queries import Batch, Query

RESUM_AFTER = 4096  # updates after which the sum is taken anew: rounding cannot pile up
SHIFT_ABOVE = 30.0  # a logarithm so far above the shift moves the shift: no overflow
RESUM_BELOW = 1e-3  # a sum fallen to this share of its largest is taken anew: no cancellation


class CapacityExceeded(Exception):
    """The paper's FAILURE: an element needs an index, none is free. Nothing was changed."""


class IndexedWeights:
    """A distribution over a universe of any size; memory grows with the indexed elements only.

    Statements: L13 Definition 3; L13 Remark (infinite universe).

    Parameters
    ----------
    size : int >= 1, number of indices; nothing of that size is ever made

    >>> hypothesis = IndexedWeights(10**9)
    >>> query = Query(["cat", "dog"])
    >>> hypothesis.evaluate(query)
    2e-09
    >>> hypothesis.update(query, 21.0)
    >>> round(hypothesis.evaluate(query), 3), hypothesis.used, hypothesis.free
    (0.725, 2, 999999998)
    """

    def __init__(self, size: int):
        self.size = checks.integer("size", size, at_least=1)
        self.index: dict[Hashable, int] = {}
        self.names: list[Hashable] = []  # indexed elements, in the order of their indices
        self._logs = np.zeros(16)  # of the indexed, from 1 on; entry 0: the untouched weight's
        self._weights = np.ones(16)  # exp(log - shift)
        self._shift, self._total, self._peak = 0.0, float(size), float(size)
        self._updates = 0  # since the sum was taken anew
        self._updated: dict[int, tuple[Query, np.ndarray]] = {}  # by id: queries whose names stay

    @property
    def used(self) -> int:
        """Number of indexed elements."""
        return len(self.index)

    @property
    def free(self) -> int:
        """Number of free indices."""
        return self.size - len(self.index)

    @property
    def untouched_weight(self) -> float:
        """The common weight of untouched elements: of each free index; 0 if there is none."""
        return float(self._weights[0]) / self._total

    @property
    def weights(self) -> np.ndarray:
        """Probabilities of the indexed elements in order; shape (used,)."""
        return self._weights[1 : self.used + 1] / self._total

    def value(self, name: Hashable) -> float:
        """Probability of one element."""
        return float(self._weights[self.index.get(name, 0)]) / self._total

    @property
    def log_untouched_weight(self) -> float:
        """Natural logarithm of :attr:`untouched_weight`; -inf if no index is free."""
        return -self._shift - math.log(self._total) if self.free else -math.inf

    def log_value(self, name: Hashable) -> float:
        """Natural logarithm of :meth:`value`; finite also where that is too small for a float."""
        i = self.index.get(name, 0)
        if not i:
            return self.log_untouched_weight
        return float(self._logs[i]) - self._shift - math.log(self._total)

    def log_rest(self, query: Query) -> float:
        """Natural logarithm of the probability of all names but the query's; -inf if none is left.

        One less the query's own would be rounding where that is nearly everything; O(used).
        """
        free = self.free - sum(name not in self.index for name in query.names)
        mine = np.zeros(self.used + 1, dtype=bool)
        mine[self._indices(query)] = True
        logs = self._logs[1 : self.used + 1][~mine[1:]]
        if not len(logs) and not free:
            return -math.inf
        top = max(float(logs.max(initial=-math.inf)), 0.0 if free else -math.inf)
        mass = float(np.exp(logs - top).sum()) + free * math.exp(-top)
        return top + math.log(mass) - self._shift - math.log(self._total)

    def log_own(self, query: Query) -> float:
        """Natural logarithm of the probability of the query's names, however small that is."""
        logs = self._logs[self._indices(query)]
        top = float(logs.max())
        return top + math.log(np.exp(logs - top).sum()) - self._shift - math.log(self._total)

    def evaluate(self, query: Query) -> float:
        """Mean of the query: indexed elements at their own weight, others at the untouched one.

        Statements: L13 Section 2 (evaluation).
        Raises ``CapacityExceeded`` if it has more untouched names than there are free indices.
        """
        version, indices = self._updated.get(id(query), (None, None))
        if version is not query:
            indices = self._indices(query)
            if 0 < self.free < len(indices):
                self._must_have_room(indices.count(0))
        return float(query.values @ self._weights[indices]) / self._total

    def add(self, names: Iterable[Hashable]) -> None:
        """Give each name an index of its own if it has none: no query's value changes.

        Raises ``CapacityExceeded`` if there are not enough; then nothing is changed.
        """
        new = [name for name in names if name not in self.index]
        if not new:
            return
        self._must_have_room(len(new))
        first = self.used + 1
        self._grow(first + len(new))
        self.index.update(zip(new, range(first, first + len(new)), strict=True))
        self.names += new
        self._logs[first : first + len(new)] = 0.0
        self._weights[first : first + len(new)] = self._weights[0]
        if not self.free:
            self._weights[0] = 0.0

    def update(self, query: Query, step: float) -> None:
        """Multiply each name's weight by exp(step coefficient) and normalise; O(m).

        Statements: L13 Algorithm 1; L13 Theorem 7 (time).
        Raises ``CapacityExceeded`` as :meth:`add` does, ValueError if the step is not finite.
        """
        if not math.isfinite(step):
            raise ValueError(f"step must be a finite number, not {step!r}")
        version, indices = self._updated.get(id(query), (None, None))
        if version is not query:  # from now on its names have indices, which never change
            self.add(query.names)
            indices = np.array(self._indices(query))
            self._updated[id(query)] = query, indices
        logs = self._logs[indices] + step * query.values
        new = np.exp(logs - self._shift) if logs.max() - self._shift < SHIFT_ABOVE else None
        self._logs[indices] = logs
        if new is not None:
            self._total += float((new - self._weights[indices]).sum())
            self._weights[indices] = new
        self._updates += 1
        self._peak = max(self._peak, self._total)
        if new is None or self._updates >= RESUM_AFTER or self._total < RESUM_BELOW * self._peak:
            self._resum()

    def _indices(self, query: Query) -> list[int]:
        """The index of each name of a query, 0 for those that have none."""
        get = self.index.get
        return [get(name, 0) for name in query.names]

    def _must_have_room(self, wanted: int) -> None:
        if wanted > self.free:
            free = f"only {self.free} of {self.size} are free"
            raise CapacityExceeded(f"{wanted} names need indices, but {free}")

    def _grow(self, wanted: int) -> None:
        """Make room for so many entries, at least twice what was there."""
        if wanted > len(self._logs):
            more = np.zeros(max(wanted, 2 * len(self._logs)) - len(self._logs))
            self._logs = np.concatenate([self._logs, more])
            self._weights = np.concatenate([self._weights, more])

    def _resum(self) -> None:
        """Shift and sum afresh, free indices at logarithm 0 as always."""
        logs = self._logs[1 : self.used + 1]
        self._shift = max(float(logs.max()), 0.0) if self.free else float(logs.max())
        self._weights[1 : self.used + 1] = np.exp(logs - self._shift)
        self._weights[0] = math.exp(-self._shift) if self.free else 0.0
        indexed = float(self._weights[1 : self.used + 1].sum())
        self._total = self._peak = indexed + self.free * float(self._weights[0])
        self._updates = 0


class BatchEvaluator:
    """Evaluates a whole batch on the indexed weights: one sparse product.

    It follows the weights by reading only the names that were indexed since.

    >>> hypothesis, batch = IndexedWeights(100), Batch([Query(["a", "b"]), Query(["b", "c"])])
    >>> read = BatchEvaluator(hypothesis, batch)
    >>> hypothesis.update(batch.queries[0], 3.0)
    >>> bool(np.allclose(read(), [hypothesis.evaluate(query) for query in batch.queries]))
    True
    """

    def __init__(self, hypothesis: IndexedWeights, batch: Batch):
        self._hypothesis = hypothesis
        self._batch = batch
        self._indices = np.array([hypothesis.index.get(name, 0) for name in batch.names])
        self._known = hypothesis.used

    def __call__(self) -> np.ndarray:
        """Values of the batch's queries now; shape (k,)."""
        hypothesis = self._hypothesis
        for name in hypothesis.names[self._known :]:
            i = self._batch.number.get(name)
            if i is not None:
                self._indices[i] = hypothesis.index[name]
        self._known = hypothesis.used
        return self._batch.apply(hypothesis._weights[self._indices]) / hypothesis._total
