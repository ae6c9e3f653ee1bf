"""Time, as a number of operations: how many of the records' numbers are looked at."""

import bisect
import math

import numpy as np
import pytest

from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.mechanism import l1, offline

BUDGET = {"epsilon": 1, "delta": 1e-6, "lower": 0, "upper": 1}


class Counted:
    """Sorted columns, or their sums, that count every number that is read.

    Reading it as an array, as a scan would, counts all of its numbers.
    """

    def __init__(self, array, looks):
        self.array, self.looks = array, looks

    def __getitem__(self, key):
        found = self.array[key]
        if self.array.ndim == 2 and isinstance(key, int):
            return Counted(found, self.looks)
        self.looks.append(np.size(found))
        return found

    def item(self, i):
        self.looks.append(1)
        return self.array.item(i)

    def __array__(self, dtype=None, copy=None):
        self.looks.append(self.array.size)
        return self.array

    def searchsorted(self, t, side="left", sorter=None):
        search = bisect.bisect_left if side == "left" else bisect.bisect_right
        counts = [search(self.array, float(x), key=self._look) for x in np.ravel(t)]
        return np.reshape(counts, np.shape(t))

    def _look(self, x):
        self.looks.append(1)
        return x


def counted(n, d):
    """Records whose numbers are counted when they are read, sorted already; and the counts."""
    data = AverageDistance(np.tile(np.random.default_rng(0).uniform(size=(n, 1)), d))
    looks = []
    arrays = {name: getattr(data, name) for name in ("_data", "_data_sums")}
    data.__dict__.update({name: Counted(array, looks) for name, array in arrays.items()})
    data.points = None  # nothing is read of the records but these
    return data, looks


def of_a_query(n, d):
    """Numbers that an answer looks at, the mean of fifty; with all that is learnt."""
    data, looks = counted(n, d)
    params = l1.Params(n=n, d=d, k=50, **BUDGET)
    machine = l1.Interactive(data, params, params.curator(rng=0))
    queries = np.random.default_rng(1).uniform(size=(50, 1)) * np.ones(d)
    for query in queries:
        machine.answer(query)
    assert sum(len(learner.lines) - 1 for learner in machine.learners) <= params.plan.total
    return sum(looks) / len(queries)


# Statements: HR Theorem 1 (time).
def test_a_query_looks_at_fewer_than_l_n_numbers():
    """O(l log n), with a tangent besides for an update: 2 log2 n + 4 numbers a coordinate at most.

    Twice the coordinates are twice the numbers, but for updates (at most one search more); a
    hundred times the records are 7 comparisons more. A scan would be l n.
    """
    looks = {(n, d): of_a_query(n, d) for n in (100, 10_000) for d in (1, 8)}
    for (n, d), count in looks.items():
        assert count <= d * (2 * math.log2(n) + 4) < 0.35 * d * n
    for n in (100, 10_000):
        assert looks[n, 8] <= 2 * 8 * looks[n, 1]
    for d in (1, 8):
        assert looks[10_000, d] / d - looks[100, d] / d <= 2 * math.log2(100)


# Statements: HR Theorem 2 (time).
@pytest.mark.parametrize("n", [1000, 30_000])
@pytest.mark.parametrize("d", [1, 3])
def test_a_release_looks_at_a_grid_and_a_query_at_nothing(n, d):
    """l searches for each of the grid's points; their number is of order l / alpha, whatever k.

    The statement allows l^3 n^2 / alpha. 8 l / alpha is the grid in units of the proved error of
    a coordinate: the best power of two is within a factor 2 of the least.
    """
    counts = []
    for k in (10, 10**6):
        data, looks = counted(n, d)
        params = offline.Params(n=n, d=d, k=k, **BUDGET)
        found = offline.release(data, params, params.curator(rng=0))
        points = params.grid + 1
        assert sum(looks) <= d * points * (2 * math.log2(n) + 4)
        alpha = found.error
        assert points <= 8 * d / alpha
        assert sum(looks) < 0.1 * d**3 * n**2 / alpha
        counts.append(sum(looks))
        offline.answer(found, np.random.default_rng(2).uniform(size=(1000, d)))
        assert sum(looks) == counts[-1], "answers read no record"
    assert counts[0] == counts[1]
