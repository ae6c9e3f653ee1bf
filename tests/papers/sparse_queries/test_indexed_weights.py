"""Indexed weights: the same as dense ones and the lecture's, and never larger than use."""

import math
import sys
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.papers.sparse_queries.indexed_weights import (
    RESUM_AFTER,
    BatchEvaluator,
    CapacityExceeded,
    IndexedWeights,
)
from dpviz.papers.sparse_queries.queries import Batch, Query, Records, Strings, public_vocabulary
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import SparseWeights
from dpviz.privacy.multiplicative_weights import Weights


class AsStated:
    """The lecture's structure, word by word: s numbers, all rewritten at each update."""

    def __init__(self, s):
        self.s, self.D, self.h, self.ind = s, np.full(s + 2, 1 / s), {}, 1
        self.D[s + 1] = 0.0  # D[i] = 0 for i > s

    def evaluate(self, query):
        pairs = list(zip(query.names, query.values, strict=True))
        indexed = sum(v * self.D[self.h[x]] for x, v in pairs if x in self.h)
        return indexed + sum(v * self.D[self.ind] for x, v in pairs if x not in self.h)

    def update(self, query, step):
        for name in query.names:
            if name not in self.h:
                self.h[name], self.ind = self.ind, self.ind + 1
        for name, value in zip(query.names, query.values, strict=True):
            self.D[self.h[name]] *= math.exp(step * value)
        self.D[1 : self.s + 1] /= self.D[1 : self.s + 1].sum()


def random_query(rng, universe, widest=12):
    names = rng.choice(universe, rng.integers(1, widest + 1), replace=False)
    values = rng.uniform(0.05, 1, len(names)) if rng.random() < 0.5 else 1.0
    return Query(names, values)


def test_it_equals_dense_multiplicative_weights_over_thousands_of_updates():
    """Step alpha/2 on a universe of 200: 6,000 updates, every answer to 1e-12."""
    rng, size, alpha = np.random.default_rng(0), 200, 0.1
    sparse, dense = (
        SparseWeights(size, alpha=alpha, update_rule="paper"),
        Weights(size, alpha=alpha),
    )
    for _ in range(6000):
        query = random_query(rng, size)
        row = np.zeros(size)
        row[list(query.names)] = query.values
        assert abs(sparse.predict(query) - dense.predict(row)) < 1e-12
        reply = rng.random()
        sparse.update(query, reply)
        dense.update(row, reply)


def test_it_equals_the_lecture_word_by_word():
    """Statements: L13 Definition 3; L13 Section 2 (evaluation); L13 Algorithm 1."""
    rng = np.random.default_rng(1)
    hypothesis, stated = IndexedWeights(500), AsStated(500)
    for _ in range(2000):
        query, step = random_query(rng, 400), rng.normal(0, 0.3)
        assert hypothesis.evaluate(query) == pytest.approx(stated.evaluate(query), rel=1e-11)
        hypothesis.update(query, step)
        stated.update(query, step)
    assert hypothesis.untouched_weight == pytest.approx(stated.D[stated.ind], rel=1e-11)
    assert hypothesis.used == stated.ind - 1


@given(st.integers(0, 2**32), st.integers(1, 40))
@settings(max_examples=60)
def test_adding_names_changes_no_value(seed, updates):
    rng, hypothesis = np.random.default_rng(seed), IndexedWeights(1000)
    for _ in range(updates):
        hypothesis.update(random_query(rng, 300), rng.normal())
    query = random_query(rng, 300)
    before = hypothesis.evaluate(query)
    hypothesis.add(query.names)
    assert hypothesis.evaluate(query) == pytest.approx(before, rel=1e-13)
    assert hypothesis.evaluate(Query(["new"])) == pytest.approx(
        hypothesis.untouched_weight, rel=1e-15
    )


def test_failure_comes_exactly_when_it_is_full():
    hypothesis = IndexedWeights(3)
    hypothesis.add(["a", "b"])
    with pytest.raises(CapacityExceeded, match="2 names need indices, but only 1 of 3 are free"):
        hypothesis.add(["c", "d"])
    assert (hypothesis.used, hypothesis.free) == (2, 1)
    hypothesis.add(["c", "a"])
    assert (hypothesis.free, hypothesis.untouched_weight, hypothesis.value("z")) == (0, 0.0, 0.0)
    hypothesis.add(["a", "b", "c"])
    with pytest.raises(CapacityExceeded):
        hypothesis.add(["d"])
    hypothesis.update(Query(["a"]), 0.5)
    assert hypothesis.weights.sum() == pytest.approx(1)


def test_a_full_structure_is_unchanged_by_a_failed_update():
    hypothesis = IndexedWeights(4)
    hypothesis.update(Query(["a", "b"]), 1.0)
    before = hypothesis.weights.copy(), hypothesis.untouched_weight, list(hypothesis.names)
    with pytest.raises(CapacityExceeded):
        hypothesis.update(Query(["c", "d", "e"]), 1.0)
    with pytest.raises(ValueError, match="step must be a finite number"):
        hypothesis.update(Query(["c"]), math.nan)
    assert np.array_equal(before[0], hypothesis.weights)
    assert (before[1], before[2]) == (hypothesis.untouched_weight, hypothesis.names)


def test_erratum_the_stated_sum_counts_indices_that_do_not_exist():
    """s = 5, 3 indexed, 7 untouched names: the lecture's sum exceeds 1; here it is an error."""
    hypothesis, stated = IndexedWeights(5), AsStated(5)
    first = Query(["a", "b", "c"])
    hypothesis.update(first, -0.5)
    stated.update(first, -0.5)
    wide = Query(list("defghij"))
    assert stated.evaluate(wide) > 1
    with pytest.raises(CapacityExceeded, match="7 names need indices"):
        hypothesis.evaluate(wide)


def test_values_stay_exact_on_a_long_one_sided_push_and_on_swings():
    """20,000 updates; the sum is compared with one taken afresh (relative 1e-9, by its rule)."""
    rng = np.random.default_rng(2)
    for steps in (np.full(20_000, 0.2), np.repeat(np.tile([40.0, -40.0], 50), 20)):
        hypothesis = IndexedWeights(10**6)
        for step in steps:
            hypothesis.update(random_query(rng, 50, 5), step)
        kept = hypothesis.weights.copy(), hypothesis.untouched_weight
        hypothesis._resum()
        assert np.allclose(hypothesis.weights, kept[0], rtol=1e-9, atol=0)
        assert hypothesis.untouched_weight == pytest.approx(kept[1], rel=1e-9)


def test_a_sinking_full_structure_never_divides_by_zero():
    hypothesis = IndexedWeights(2)
    for _ in range(3000):
        hypothesis.update(Query(["a", "b"]), -5.0)
    assert hypothesis.weights.tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("size", [10**4, 10**9, 10**18])
def test_memory_grows_with_touched_names_only(size):
    """Statements: L13 Remark (infinite universe)."""
    hypothesis, rng = IndexedWeights(size), np.random.default_rng(0)
    for _ in range(100):
        hypothesis.update(Query(rng.choice(9000, 20, replace=False)), 0.1)
    held = hypothesis._logs.nbytes + hypothesis._weights.nbytes + sys.getsizeof(hypothesis.index)
    assert hypothesis.used <= 2000
    assert held < 300_000  # 2,000 names in growing arrays and a dict; not 8 bytes an index


class Looked(dict):
    """An index that counts how often a name is looked up."""

    looks = 0

    def get(self, *args):
        Looked.looks += 1
        return super().get(*args)

    def __contains__(self, name):
        Looked.looks += 1
        return super().__contains__(name)


class Touched(np.ndarray):
    """An array that counts the numbers that are read from it, written to it, or computed."""

    numbers = 0

    def __getitem__(self, key):
        found = super().__getitem__(key)
        Touched.numbers += np.size(found)
        return found

    def __setitem__(self, key, value):
        Touched.numbers += np.size(np.ndarray.__getitem__(self, key))
        super().__setitem__(key, value)

    def __array_ufunc__(self, ufunc, method, *inputs, **how):
        Touched.numbers += max(np.size(each) for each in inputs)
        plain = [np.asarray(each) if isinstance(each, Touched) else each for each in inputs]
        return getattr(ufunc, method)(*plain, **how)


def watched(size, used):
    """Weights with so many names indexed; every look from here on is counted."""
    hypothesis = IndexedWeights(size)
    hypothesis.add(range(used))
    hypothesis.index = Looked(hypothesis.index)
    for name in ("_logs", "_weights"):
        setattr(hypothesis, name, getattr(hypothesis, name).view(Touched))
    Looked.looks = Touched.numbers = 0
    return hypothesis


@pytest.mark.parametrize("m", [1, 20, 300])
@pytest.mark.parametrize("used", [400, 40_000])
@pytest.mark.parametrize("size", [10**5, 10**18])
def test_a_query_costs_its_own_width_however_much_is_stored(m, used, size):
    """A guess and an update: 5 look-ups and 20 numbers a name at most; neither N nor s counts.

    All is summed anew once in many updates: by that rule a share of the stored names is added to
    each. As m B of them are stored, that is the m / alpha^2 of the statement.

    Statements: L13 Theorem 7 (time).
    """
    hypothesis, rng = watched(size, used), np.random.default_rng(0)
    queries = [Query(rng.choice(used, m, replace=False).tolist()) for _ in range(50)]
    for query in queries:
        hypothesis.evaluate(query)
        hypothesis.update(query, 0.01)
    assert 2 * m * len(queries) <= Looked.looks <= 5 * m * len(queries)
    assert 2 * m * len(queries) <= Touched.numbers <= (20 * m + 20) * len(queries)
    sums, anew = [], hypothesis._resum
    hypothesis._resum = lambda: (sums.append(1), anew())
    for _ in range(RESUM_AFTER):
        hypothesis.update(queries[0], 1e-9)
    assert len(sums) == 1


def test_names_may_be_any_strings_and_tuples():
    hypothesis = IndexedWeights(10**12)
    names = ["x" * 10**5, ("a", 3), "", 7]
    hypothesis.update(Query(names), 1.0)
    assert hypothesis.used == 4
    assert hypothesis.value("x" * 10**5) == pytest.approx(hypothesis.value(7))
    assert hypothesis.value("x" * (10**5 - 1)) == hypothesis.untouched_weight


def test_the_reader_follows_names_added_elsewhere():
    hypothesis = IndexedWeights(300)
    batch = Batch([Query([1, 2]), Query([2, 3], [0.5, 1]), Query([9])])
    read = BatchEvaluator(hypothesis, batch)
    rng = np.random.default_rng(0)
    for _ in range(200):
        hypothesis.update(random_query(rng, 20), rng.normal())
        assert np.allclose(
            read(), [hypothesis.evaluate(q) for q in batch.queries], rtol=1e-12, atol=0
        )


BAD = [
    (["a"], 1.5, ValueError, r"values must lie in \[0, 1\]"),
    (["a"], -0.1, ValueError, r"values must lie in \[0, 1\]"),
    (["a"], math.nan, ValueError, "values must be finite"),
    (["a", "a"], 1.0, ValueError, "names must not repeat, but 'a'"),
    ([["a"]], 1.0, TypeError, "names must be hashable"),
    (["a", "b"], [1.0], ValueError, "one for each of the 2 names"),
    (["a"], 0.0, ValueError, "at least one with a coefficient above 0"),
    ([], 1.0, ValueError, "at least one with a coefficient above 0"),
    ("cat", 1.0, TypeError, "not the one string 'cat'"),
    (["a"], "x", TypeError, "values must be an array of real numbers"),
]


@pytest.mark.parametrize(("names", "values", "error", "words"), BAD)
def test_bad_queries_are_refused(names, values, error, words):
    """Statements: L13 Definition 2."""
    with pytest.raises(error, match=words):
        Query(names, values)


def test_names_with_coefficient_zero_are_not_in_the_support():
    """Statements: L13 Definition 2; L13 Section 2 (assumption)."""
    query = Query(["a", "b", "c"], [0.5, 0, 1])
    assert (query.names, query.values.tolist(), query.width) == (("a", "c"), [0.5, 1.0], 2)
    assert repr(query) == "Query('a', 'c')"


def test_bad_records_are_refused_without_being_shown():
    for data in (["secret", ["secret"]], 7):
        with pytest.raises(TypeError, match="data must be a sequence of hashable names") as told:
            Records(data)
        assert "secret" not in str(told.value)
    for data in ([], "secret", {"secret": 2}):
        with pytest.raises(ValueError, match="data must be a sequence of names") as told:
            Records(data)
        assert "secret" not in str(told.value)


def test_a_vocabulary_must_be_given_and_may_be_infinite():
    with pytest.raises(ValueError, match="vocabulary must be given"):
        public_vocabulary(None)
    assert 10**8 in public_vocabulary(range(10**9))
    assert "any" * 1000 in public_vocabulary(Strings())
    with pytest.raises(ValueError, match="queries must hold at least one"):
        Batch([])


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(0, 9), st.integers(0, 2**32)
)
def test_one_record_moves_a_value_by_at_most_one_over_n(data, other, seed):
    query = random_query(np.random.default_rng(seed), 10, 9)
    changed = [other, *data[1:]]
    moved = abs(Records(data).truth(query) - Records(changed).truth(query))
    assert moved <= 1 / len(data) + 1e-12  # rounding of two sums of doubles
    arrays = Records(np.array(data)).truths(Batch([query]))
    assert arrays[0] == pytest.approx(Records(data).truth(query))


def test_what_was_checked_cannot_be_written_to():
    query = Query(["a", "b"], [1, 0.5])
    batch = Batch([query, Query(["b"])])
    for array in (query.values, Query(["a"]).values, batch.values, batch.ids, batch.starts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


@pytest.mark.parametrize("kind", [dict, MappingProxyType])
def test_counts_are_no_records_and_the_error_shows_none(kind):
    with pytest.raises(ValueError, match="data must be a sequence of names") as caught:
        Records(kind({"secret": "hidden"}))
    assert "secret" not in str(caught.value)
    assert "hidden" not in str(caught.value)
