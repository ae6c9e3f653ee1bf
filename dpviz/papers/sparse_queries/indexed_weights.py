"""The slots: a distribution over a universe without end, of which only the touched part is kept.

**Paper.** Roth's lecture 13, Definition 3 and Algorithm 1.

**Setting.** s slots, each with a probability, 1/s at first. A name owns a slot once it has been
in a question that changed something; until then it owns none.

**Idea.** All slots without an owner are alike: they were never touched, so they share one
value. One number stands for all of them, however many there are.

**Symbols.**

==========  =====================  =============================================  =========
paper       here                   meaning                                        unit
==========  =====================  =============================================  =========
s           ``size``               number of slots                                count
h           ``slot``               name to its slot, 1, 2, ...; 0 if it has none  dict
ind         ``used`` + 1           first slot without an owner                    count
D[h(x)]     ``value(x)``           probability of a name                          [0, 1]
D[ind]      ``level``              probability of each free slot, 0 if none       [0, 1]
Q(D)        ``evaluate``           mean coefficient under the slots               [0, 1]
FAILURE     ``Full``               a name needs a slot and none is free
==========  =====================  =============================================  =========

**Departures.** (1) The printed evaluation repeats one term without end (a fault of the scan);
it is the owned part plus the free part, and "ind(x)" is ind. (2) The paper rewrites all s
slots at each update; here one sum is kept, so an update costs O(m), whatever s. Weights are
kept as logarithms above a common shift, so nothing overflows. (3) If a query names more
free names than there are free slots, the paper's sum counts slots that do not exist (it can
exceed 1): that is an error here. It cannot happen while m slots are free.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries.queries import Batch, Query

OFTEN = 4096  # updates after which the sum is taken anew: rounding cannot pile up
STEEP = 30.0  # a logarithm so far above the shift moves the shift: no overflow
SUNK = 1e-3  # a sum fallen to this share of its largest is taken anew: no cancellation


class Full(Exception):
    """The paper's FAILURE: a name needs a slot, and none is free. Nothing was changed."""


class Slots:
    """Sparse multiplicative weights over a universe of any size; memory grows with use only.

    Parameters
    ----------
    size : int >= 1, number of slots; nothing of that size is ever made

    >>> slots = Slots(10**9)
    >>> query = Query(["cat", "dog"])
    >>> slots.evaluate(query)
    2e-09
    >>> slots.update(query, 21.0)
    >>> round(slots.evaluate(query), 3), slots.used, slots.free
    (0.725, 2, 999999998)
    """

    def __init__(self, size: int):
        self.size = checks.integer("size", size, at_least=1)
        self.slot: dict[Hashable, int] = {}
        self.names: list[Hashable] = []  # owners in the order of their slots
        self._logs = np.zeros(16)  # of the owned slots, from 1 on; entry 0 is the free level's
        self._weights = np.ones(16)  # exp(log - shift)
        self._shift, self._total, self._peak = 0.0, float(size), float(size)
        self._updates = 0  # since the sum was taken anew

    @property
    def used(self) -> int:
        """Number of slots with an owner."""
        return len(self.slot)

    @property
    def free(self) -> int:
        """Number of slots without one."""
        return self.size - len(self.slot)

    @property
    def level(self) -> float:
        """Probability of each free slot; 0 if there is none."""
        return float(self._weights[0]) / self._total

    @property
    def weights(self) -> np.ndarray:
        """Probabilities of the owned slots in order; shape (used,)."""
        return self._weights[1 : self.used + 1] / self._total

    def value(self, name: Hashable) -> float:
        """Probability of one name."""
        return float(self._weights[self.slot.get(name, 0)]) / self._total

    @property
    def log_level(self) -> float:
        """Natural logarithm of the level; -inf if no slot is free."""
        return -self._shift - math.log(self._total) if self.free else -math.inf

    def log_value(self, name: Hashable) -> float:
        """Natural logarithm of :meth:`value`; finite also where that is too small for a float."""
        i = self.slot.get(name, 0)
        if not i:
            return self.log_level
        return float(self._logs[i]) - self._shift - math.log(self._total)

    def evaluate(self, query: Query) -> float:
        """Mean of the query: owned names at their own value, all others at the common level.

        Raises ``Full`` if it has more free names than there are free slots, but some.
        """
        places = self._places(query)
        if 0 < self.free < len(places):
            self._must_have_room(places.count(0))
        return float(query.values @ self._weights[places]) / self._total

    def add(self, names: Iterable[Hashable]) -> None:
        """Give each name a slot of its own if it has none: no query's value changes.

        Raises ``Full`` if there are not enough; then nothing is changed.
        """
        new = [name for name in names if name not in self.slot]
        if not new:
            return
        self._must_have_room(len(new))
        first = self.used + 1
        self._grow(first + len(new))
        self.slot.update(zip(new, range(first, first + len(new)), strict=True))
        self.names += new
        self._logs[first : first + len(new)] = 0.0
        self._weights[first : first + len(new)] = self._weights[0]
        if not self.free:
            self._weights[0] = 0.0

    def update(self, query: Query, step: float) -> None:
        """Multiply each name's weight by exp(step coefficient) and normalise; O(m).

        Raises ``Full`` as :meth:`add` does, ValueError if the step is not finite.
        """
        if not math.isfinite(step):
            raise ValueError(f"step must be a finite number, not {step!r}")
        places = self._places(query)
        if 0 in places:
            self.add(query.names)
            places = self._places(query)
        places = np.array(places)  # indexed four times below
        logs = self._logs[places] + step * query.values
        new = np.exp(logs - self._shift) if logs.max() - self._shift < STEEP else None
        self._logs[places] = logs
        if new is not None:
            self._total += float((new - self._weights[places]).sum())
            self._weights[places] = new
        self._updates += 1
        self._peak = max(self._peak, self._total)
        if new is None or self._updates >= OFTEN or self._total < SUNK * self._peak:
            self._sum_anew()

    def _places(self, query: Query) -> list[int]:
        """The slot of each name of a query, 0 for those that have none."""
        get = self.slot.get
        return [get(name, 0) for name in query.names]

    def _must_have_room(self, wanted: int) -> None:
        if wanted > self.free:
            raise Full(f"{wanted} names need slots, but only {self.free} of {self.size} are free")

    def _grow(self, wanted: int) -> None:
        """Make room for so many entries, at least twice what was there."""
        if wanted > len(self._logs):
            more = np.zeros(max(wanted, 2 * len(self._logs)) - len(self._logs))
            self._logs = np.concatenate([self._logs, more])
            self._weights = np.concatenate([self._weights, more])

    def _sum_anew(self) -> None:
        """Shift and sum afresh, free slots at logarithm 0 as always."""
        logs = self._logs[1 : self.used + 1]
        self._shift = max(float(logs.max()), 0.0) if self.free else float(logs.max())
        self._weights[1 : self.used + 1] = np.exp(logs - self._shift)
        self._weights[0] = math.exp(-self._shift) if self.free else 0.0
        owned = float(self._weights[1 : self.used + 1].sum())
        self._total = self._peak = owned + self.free * float(self._weights[0])
        self._updates = 0


class Reader:
    """Evaluates a whole batch on the slots: one sparse product.

    It follows the structure by looking only at the names that were added since.

    >>> slots, batch = Slots(100), Batch([Query(["a", "b"]), Query(["b", "c"])])
    >>> read = Reader(slots, batch)
    >>> slots.update(batch.queries[0], 3.0)
    >>> bool(np.allclose(read(), [slots.evaluate(query) for query in batch.queries]))
    True
    """

    def __init__(self, slots: Slots, batch: Batch):
        self._slots, self._batch = slots, batch
        self._places = np.array([slots.slot.get(name, 0) for name in batch.names])
        self._known = slots.used

    def __call__(self) -> np.ndarray:
        """Values of the batch's queries now; shape (k,)."""
        slots = self._slots
        for name in slots.names[self._known :]:
            i = self._batch.number.get(name)
            if i is not None:
                self._places[i] = slots.slot[name]
        self._known = slots.used
        return self._batch.apply(slots._weights[self._places]) / slots._total
