"""A run of checks is the same as its checks one by one: answers, noise, ledger, transcript."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.audit.transcript import Recorder, faults
from dpviz.privacy.curator import BudgetExceeded, Curator
from dpviz.privacy.online import KINDS, Online

METHOD = st.sampled_from(["fresh", "once"])


def test_of(curator, method="fresh", positives=3):
    price = {"sensitivity": 1, "epsilon": 1, "positives": positives, "method": method, "label": "t"}
    return curator.above_threshold(5, **price)


test_of.__test__ = False


def one_by_one(values, curator, method):
    """Indices of the hits, asked singly, up to the last that is allowed."""
    test, found = test_of(curator, method), []
    for i, value in enumerate(values):
        if test.positives_left and test.above(value):
            found.append(i)
    return found


def at_once(values, curator, method):
    """The same with runs."""
    test, found, now = test_of(curator, method), [], 0
    while test.positives_left and (first := test.above_first(values[now:])) is not None:
        found.append(now + first)
        now += first + 1
    return found


@given(st.integers(0, 300), st.integers(0, 2**32), METHOD)
def test_runs_answer_as_single_checks_do(m, seed, method):
    values = np.random.default_rng(seed).normal(0, 4, m)
    single, many = Recorder(epsilon=9, rng=seed), Recorder(epsilon=9, rng=seed)
    assert one_by_one(values.tolist(), single, method) == at_once(values, many, method)
    assert str(single.ledger) == str(many.ledger)
    assert single.laplace(0, sensitivity=1, epsilon=1, label="x") == many.laplace(
        0, sensitivity=1, epsilon=1, label="x"
    )
    asked = [[(q.private, reply) for q, reply in side.questions] for side in (single, many)]
    assert asked[0] == asked[1]


def test_a_run_past_many_blocks_of_noise():
    values = np.full(20_000, -1e6)
    values[[9_000, 15_000]] = 1e6
    for seed in range(3):
        found = [f(values, Curator(epsilon=9, rng=seed), "fresh") for f in (one_by_one, at_once)]
        assert found == [[9_000, 15_000]] * 2


def test_noise_is_never_used_twice():
    """The noise of all checks, read off at level 0 by bisection, has no two equal values."""
    test = test_of(Curator(epsilon=9, rng=1))
    test._start()
    blocks = []
    for _ in range(8):
        test._draw_block()
        blocks.append(test._noise)
    noise = np.concatenate(blocks)
    assert len(set(noise)) == len(noise) == sum(min(64 * 2**i, 4096) for i in range(8))


@pytest.mark.parametrize(
    ("values", "error"), [([0.0, np.nan], ValueError), (["x"], TypeError), ([[1.0]], ValueError)]
)
def test_bad_values_are_refused_unseen_and_draw_nothing(values, error):
    troubled, calm = Curator(epsilon=9, rng=0), Curator(epsilon=9, rng=0)
    with pytest.raises(error, match=r"^value"):
        test_of(troubled).above_first(values)
    assert test_of(troubled).above_first([]) is None
    assert troubled.ledger == calm.ledger
    assert troubled.laplace(0, sensitivity=1, epsilon=1, label="x") == calm.laplace(
        0, sensitivity=1, epsilon=1, label="x"
    )


def test_no_run_without_budget_and_none_after_the_last_hit():
    poor = Curator(epsilon=0.5, rng=0)
    with pytest.raises(BudgetExceeded):
        test_of(poor).above_first([0.0])
    rich = test_of(Curator(epsilon=9, rng=0), positives=1)
    assert rich.above_first(np.array([1e6])) == 0
    with pytest.raises(BudgetExceeded, match="given all its positive answers"):
        rich.above_first([0.0])


def run(data, curator):
    test = test_of(curator)
    return test.above_first(data), test.above(float(data[0]))


@given(st.lists(st.integers(-2, 12), min_size=1, max_size=6), st.integers(0, 2**32))
def test_a_run_keeps_what_it_promises(values, seed):
    """Every entry may move by 1, up or down: the sensitivity of a stream."""
    data = np.array(values, dtype=float)
    other = data + np.random.default_rng(seed).choice([-1, 0, 1], len(data))
    assert faults(run, data, other, rng=seed, epsilon=9) == []


def test_a_run_that_moves_too_far_is_caught():
    low = np.full(3, -99.0)
    found = faults(run, low, np.array([-99.0, -97.5, -99.0]), rng=1, epsilon=9)
    assert found == ["'t' (above) moved by 1.5, paid for 1 (max)"]


def test_what_stands_after_the_hit_is_not_looked_at():
    """It never leaves, so it may move as it likes: single checks would not have come to it."""

    def mechanism(data, curator):
        return test_of(curator).above_first(data)

    far = np.array([1e6, 0.0]), np.array([1e6, 99.0])
    assert faults(mechanism, *far, rng=1, epsilon=9) == []


def test_runs_of_different_length_are_caught():
    def mechanism(data, curator):
        return test_of(curator).above_first(np.full(2 if data[0] else 3, -99.0))

    found = faults(mechanism, [0.0], [1.0], rng=1, epsilon=9)
    assert any("on one side only" in sentence for sentence in found)


class Steps:
    """Guesses the last reply; knows many questions at once."""

    def __init__(self, truths):
        self.last, self.values, self.parts = 0.0, truths, range(len(truths))

    def predict(self, part):
        return self.last

    def update(self, part, reply):
        self.last = reply

    def truths(self):
        return self.values

    def guesses(self):
        return np.full(len(self.values), self.last)


def online(seed, values, **how):
    curator, learner = Curator(epsilon=99, rng=seed), Steps(values)
    price = {"sensitivity": 0.01, "epsilon": 1, "positives": 3, "label": "t"}
    oracle = lambda i: curator.laplace(values[i], sensitivity=0.01, epsilon=1, label="look")  # noqa: E731
    test = curator.above_threshold(0.3, **price)
    return Online(learner, truth=lambda i: values[i], oracle=oracle, threshold=test, **how), learner


@given(
    st.integers(0, 12), st.integers(1, 3), st.integers(0, 2**32), st.sampled_from(["one", "two"])
)
def test_many_questions_get_the_answers_of_one_by_one(k, each, seed, sides):
    values = np.random.default_rng(seed).uniform(size=k * each)
    how = {"sides": sides, "answers": "oracle", "after": "freeze", "shift": 0.1}
    single, _ = online(seed, values, **how)
    parts = [p for q in range(k) for p in single.parts(range(q * each, (q + 1) * each))]
    many, learner = online(seed, values, **how)
    found, kinds = many.answer_all(learner, each=each)
    assert found.shape == kinds.shape == (k, each)
    assert found.ravel().tolist() == [part.value for part in parts]
    assert [KINDS[code] for code in kinds.ravel()] == [part.kind for part in parts]


@given(st.integers(1, 3), st.integers(0, 2**32))
def test_with_refusal_the_answers_end_where_single_ones_would(each, seed):
    values = np.tile([0.0, 1.0, 0.0, 0.9, 0.1], 6)[: 24 // each * each]
    single, _ = online(seed, values)
    parts = []
    with pytest.raises(BudgetExceeded):
        for q in range(len(values) // each):
            parts += single.parts(range(q * each, (q + 1) * each))
    many, learner = online(seed, values)
    found, _ = many.answer_all(learner, each=each)
    assert found.ravel().tolist() == [part.value for part in parts]
    with pytest.raises(BudgetExceeded, match="all updates are used"):
        many.answer_all(learner, each=each)
