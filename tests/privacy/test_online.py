"""The online reduction with a toy learner and with multiplicative weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.audit.transcript import faults
from dpviz.privacy.curator import BudgetExceeded, Curator
from dpviz.privacy.multiplicative_weights import Weights
from dpviz.privacy.online import Online


class Constant:
    """Always guesses the last reply, at first 0."""

    def __init__(self):
        self.last, self.seen = 0.0, []

    def predict(self, query):
        return self.last

    def update(self, query, reply):
        self.last = reply
        self.seen.append(query)


def counting(data, curator, learner=None, **how):
    """Answers "what share lies above y?" by a constant; budget for three updates."""
    n = len(data)
    options = {"sensitivity": 1 / n, "epsilon": 1, "positives": 3, "label": "test"}
    threshold = curator.above_threshold(0.2, **options, method=how.pop("method", "fresh"))

    def truth(y):
        return float((data > y).mean())

    def oracle(y):
        return curator.laplace(truth(y), sensitivity=1 / n, epsilon=1, label="look")

    return Online(learner or Constant(), truth=truth, oracle=oracle, threshold=threshold, **how)


def stream(data, curator, **how):
    online = counting(data, curator, after="freeze", **how)
    return [online.answer(y) for y in np.linspace(0, 1, 13)]


@pytest.mark.parametrize("how", [{}, {"method": "once"}, {"sides": "one", "answers": "oracle"}])
@given(st.integers(0, 10**6), st.integers(2, 8))
@settings(max_examples=25)
def test_it_is_private_by_its_transcript(how, seed, n):
    data = np.random.default_rng(seed).integers(0, 5, n) / 4
    other = data.copy()
    other[seed % n] = (other[seed % n] + 0.5) % 1.25
    found = faults(lambda d, c: stream(d, c, **how), data, other, rng=seed, epsilon=9, delta=0.1)
    assert found == []


def test_a_leaky_oracle_is_caught():
    def leaks(data, curator):
        online = counting(data, curator, after="freeze")
        online._oracle = lambda y: float((data > y).mean())
        return [online.answer(0.5).value for _ in range(20)]

    data = np.array([0.1, 0.3, 0.9, 0.9])
    found = faults(leaks, data, np.array([0.1, 0.3, 0.9, 0.2]), rng=1, epsilon=9)
    assert "the releases differ although all replies were equal" in found


BIG = np.random.default_rng(0).uniform(size=100_000)


def test_guesses_that_stand_are_near_and_misses_are_learnt():
    """n = 1e5: the noises are below 0.001 but with probability 1e-9."""
    # Statements: HR Definition 3; L13 Theorem 1.
    online = counting(BIG, Curator(epsilon=9, rng=1))
    first = online.answer(0.5)
    assert (first.kind, online.learner.seen) == ("measured", [0.5])
    assert first.value == pytest.approx(0.5, abs=0.01)
    near = online.answer(0.6)
    assert near.kind == "guess"
    assert abs(near.value - 0.4) < 0.2 + 0.01


def test_after_its_updates_it_refuses_or_freezes():
    online = counting(BIG, Curator(epsilon=9, rng=1))
    for y in (0.1, 0.9, 0.1):
        assert online.answer(y).kind == "measured"
    with pytest.raises(BudgetExceeded, match="all updates are used"):
        online.answer(0.5)
    frozen = counting(BIG, Curator(epsilon=9, rng=1), after="freeze")
    kinds = [frozen.answer(y).kind for y in (0.1, 0.9, 0.1, 0.9, 0.9)]
    assert kinds == ["measured"] * 3 + ["frozen"] * 2


def test_one_side_and_a_shift():
    high = Constant()
    high.last = 1.0
    online = counting(BIG, Curator(epsilon=9, rng=1), learner=high, sides="one", shift=-0.25)
    answer = online.answer(0.9)  # far too high, but a one-sided test lets it stand
    assert (answer.kind, answer.value) == ("guess", 0.75)


def test_several_checks_of_one_question_add_up():
    online = counting(BIG, Curator(epsilon=9, rng=1), checks=lambda pair: pair, answers="oracle")
    answer = online.answer((0.5, 0.9))
    assert answer.kind == "measured"
    assert answer.value == pytest.approx(0.5 + 0.1, abs=0.02)
    assert online.learner.seen == [0.5, 0.9]


@pytest.mark.parametrize("how", [{"sides": "three"}, {"answers": "x"}, {"after": "stop"}])
def test_unknown_words_are_refused(how):
    with pytest.raises(ValueError, match="must be one of"):
        counting(BIG, Curator(epsilon=9, rng=1), **how)


def weights_run(seed):
    """Multiplicative weights over 16 cells, 300 random questions, oracle that tells the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(16, 0.3))
    learner, mistakes = Weights(16, alpha=0.1), 0
    for query in rng.integers(0, 2, size=(300, 16)).astype(float):
        if abs(query @ truth - learner.predict(query)) >= 0.1:
            mistakes += 1
            learner.update(query, query @ truth)
    return mistakes, learner


@pytest.mark.parametrize("seed", range(20))
def test_multiplicative_weights_keep_their_mistake_bound(seed):
    mistakes, learner = weights_run(seed)
    assert 1 <= mistakes <= learner.mistake_bound == 1109
    assert learner.distribution.sum() == pytest.approx(1)


@pytest.mark.parametrize("seed", range(10))
def test_each_update_lowers_the_divergence_by_a_quarter_of_alpha_squared(seed):
    """The step of the proof, on random data and queries."""
    rng = np.random.default_rng(seed)
    truth, learner = rng.dirichlet(np.full(8, 0.3)), Weights(8, alpha=0.1)

    def divergence():
        return float((truth * np.log(truth / learner.distribution)).sum())

    for query in rng.uniform(size=(200, 8)):
        if abs(query @ truth - learner.predict(query)) >= 0.1:
            before = divergence()
            learner.update(query, query @ truth)
            assert before - divergence() >= 0.1**2 / 4


def test_weights_answer_privately_through_the_reduction():
    """n = 1e5 records over 16 cells; answers within threshold + noise of the truth."""
    rng = np.random.default_rng(2)
    data = rng.choice(16, p=rng.dirichlet(np.full(16, 0.3)), size=100_000)
    shares, curator = np.bincount(data, minlength=16) / len(data), Curator(epsilon=400, rng=3)
    threshold = curator.above_threshold(
        0.15, sensitivity=1e-5, epsilon=1, positives=100, label="test"
    )

    def truth(query):
        return float(query @ shares)

    def oracle(query):
        return curator.laplace(truth(query), sensitivity=1e-5, epsilon=1, label="look")

    learner = Weights(16, alpha=0.1)
    online = Online(learner, truth=truth, oracle=oracle, threshold=threshold, answers="oracle")
    queries = rng.integers(0, 2, size=(200, 16)).astype(float)
    errors = [abs(online.answer(q).value - q @ shares) for q in queries]
    assert max(errors) < 0.15 + 0.01
    assert 1 <= len(curator.ledger.charges) < 200


@pytest.mark.parametrize("query", [[2.0, 0], [0.5], [-1.0, 0], [np.nan, 0]])
def test_weights_refuse_bad_queries(query):
    with pytest.raises(ValueError, match="query must"):
        Weights(2, alpha=0.1).predict(query)
