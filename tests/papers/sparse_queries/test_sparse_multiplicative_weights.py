"""How often the learner errs, how far it moves, how large it must be."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.papers.sparse_queries import sparse_multiplicative_weights
from dpviz.papers.sparse_queries.indexed_weights import IndexedWeights
from dpviz.papers.sparse_queries.queries import Batch, Query, Records
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import (
    SparseWeights,
    mistake_bound,
    projection,
)


def instance(seed, names=30, k=12, m=6, outside=0.5):
    """Records on few of many names, some never asked about; queries with and without weights."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(names, 0.2))
    data = rng.choice(names, 500, p=shares)
    data[: int(500 * outside * rng.random())] = -1  # a name that no query uses
    queries = []
    for i in range(k):
        chosen = rng.choice(names, rng.integers(1, m + 1), replace=False)
        queries.append(Query(chosen, rng.uniform(0.1, 1, len(chosen)) if i % 2 else 1.0))
    batch = Batch(queries)
    return batch, Records(data).truths(batch), data


@given(
    st.integers(0, 2**32),
    st.sampled_from(sparse_multiplicative_weights.UPDATE_RULES),
    st.sampled_from([0.05, 0.1, 0.3, 0.7]),
    st.lists(st.integers(0, 11), max_size=300),
)
@settings(max_examples=120)
def test_updates_stay_below_the_bound_in_any_order(seed, update_rule, alpha, order):
    """Hypothesis picks the order; replies are off by up to alpha, on the right side.

    Statements: L13 Theorem 4.
    """
    batch, truths, _ = instance(seed)
    rng = np.random.default_rng(seed)
    size = sparse_multiplicative_weights.size_rule(batch.width, alpha, update_rule)
    learner, made = SparseWeights(size, alpha=alpha, update_rule=update_rule), 0
    for i in order:
        query, truth = batch.queries[i], truths[i]
        gap = truth - learner.predict(query)
        if abs(gap) >= alpha:
            error = rng.uniform(-1, 1) * 0.99 * alpha
            learner.reply_error = abs(error)
            learner.update(query, truth + error)
            made += 1
    assert (
        made
        <= mistake_bound(size, alpha, update_rule)
        <= sparse_multiplicative_weights.paper_mistake_bound(size, alpha)
    )
    assert learner.hypothesis.free >= 1


@pytest.mark.parametrize("order", sparse_multiplicative_weights.ORDERS)
@pytest.mark.parametrize("update_rule", sparse_multiplicative_weights.UPDATE_RULES)
def test_the_limit_holds_to_the_end_and_then_every_query_is_near(order, update_rule):
    batch, truths, _ = instance(4, names=60, k=40, m=10)
    run = sparse_multiplicative_weights.count_updates(
        batch, truths, alpha=0.05, update_rule=update_rule, order=order, rng=1
    )
    assert 0 < run["updates"] <= run["bound"] < run["paper_bound"]
    assert run["error"] < 0.05


def test_the_best_step_needs_an_eighth_and_the_projection_no_more():
    """On data with two names the updates go down 6 times and more from step to step."""
    batch = Batch([Query(["a"]), Query(["b"]), Query(["a", "c"])])
    runs = {
        update_rule: sparse_multiplicative_weights.count_updates(
            batch, [0.6, 0.3, 0.6], alpha=0.05, update_rule=update_rule, order="greedy", rng=1
        )
        for update_rule in sparse_multiplicative_weights.UPDATE_RULES
    }
    rules = sparse_multiplicative_weights.UPDATE_RULES
    paper, best, exact = (runs[rule]["updates"] for rule in rules)
    assert paper > 6 * best > 6 * exact


@given(st.integers(0, 2**32), st.floats(0.02, 0.9))
@settings(max_examples=200)
def test_each_update_lowers_the_corrected_potential_by_what_is_proved(seed, alpha):
    """eta gap - eta^2/8 for a fixed step; 2 gap^2 for the projection (rounding 1e-9)."""
    batch, truths, data = instance(seed)
    n, names = len(data), np.unique(np.concatenate([q.names for q in batch.queries]))
    counts = Records(data).counts
    shares = {name: counts[name] / n for name in names.tolist()}
    rng = np.random.default_rng(seed)
    learners = [
        SparseWeights(10**4, alpha=alpha, update_rule=rule)
        for rule in sparse_multiplicative_weights.UPDATE_RULES
    ]
    for i in rng.integers(0, len(batch), 30):
        for learner in learners:
            query, truth = batch.queries[i], truths[i]
            gap = abs(truth - learner.predict(query))
            if gap < 1e-6:
                continue
            learner.alpha = min(alpha, gap)
            eta = abs(learner.step_size(query, truth))
            before = sparse_multiplicative_weights.potentials(learner.hypothesis, shares)[1]
            learner.update(query, truth)
            fall = before - sparse_multiplicative_weights.potentials(learner.hypothesis, shares)[1]
            least = 2 * gap**2 if learner.update_rule == "projection" else eta * gap - eta**2 / 8
            assert fall >= least - 1e-9


@given(st.integers(0, 2**32), st.floats(0.001, 0.999), st.booleans())
@settings(max_examples=150)
def test_the_projection_reaches_its_target_unless_that_is_too_far(seed, target, binary):
    rng, hypothesis = np.random.default_rng(seed), IndexedWeights(10**6)
    for _ in range(5):
        hypothesis.update(Query(rng.choice(20, 3, replace=False)), rng.normal(0, 4))
    names = rng.choice(20, 4, replace=False)
    query = Query(names, 1.0 if binary else rng.uniform(0.05, 1, 4))
    step = projection(hypothesis, query, target)
    hypothesis.update(query, step)
    if abs(step) < 0.99 * sparse_multiplicative_weights.LARGEST_STEP / query.values.max():
        assert hypothesis.evaluate(query) == pytest.approx(target, rel=1e-8)
    else:  # no value there, or one that is nearly the largest coefficient: not past it, at least
        assert step > 0
        assert hypothesis.evaluate(query) <= target * (1 + 1e-9)  # but for rounding


@given(st.integers(0, 2**32), st.floats(0.01, 0.99))
@settings(max_examples=100)
def test_away_from_0_and_1_a_projection_is_a_difference_of_log_odds(seed, target):
    rng, hypothesis = np.random.default_rng(seed), IndexedWeights(20)
    for _ in range(5):
        hypothesis.update(Query(rng.choice(20, 6, replace=False)), rng.normal(0, 1))
    query = Query(rng.choice(20, 5, replace=False))
    now = hypothesis.evaluate(query)
    plain = np.log(target / (1 - target)) - np.log(now / (1 - now))
    assert 0 < now < 1 and projection(hypothesis, query, target) == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize("far", [30.0, -30.0, 59.0, -59.0])
def test_near_0_and_1_it_is_exact_where_floats_see_0_and_1(far):
    """From odds of e^59 to even odds is a step of -59, also in other bits of the sum."""
    query, steps = Query(["a", "b"]), []
    for bits in (0.0, 1e-15, -1e-15, 3e-16):
        hypothesis = IndexedWeights(4)  # two names, two free indices: even odds at first
        hypothesis.update(query, far)
        hypothesis._total *= 1 + bits
        steps.append(projection(hypothesis, query, 0.5))
    assert steps == pytest.approx([-far] * 4, abs=1e-9)


@pytest.mark.parametrize("target", [0.0, 1.0])
def test_moving_to_0_or_1_twice_is_moving_once(target):
    hypothesis, query = IndexedWeights(4), Query(["a", "b"])
    for _ in range(30):
        hypothesis.update(query, projection(hypothesis, query, target))
        assert hypothesis.evaluate(query) == pytest.approx(target, abs=1e-20)
    assert abs(projection(hypothesis, query, target)) < 1e-9
    for _ in range(2):  # back from odds of e^60 is a little farther than one step
        hypothesis.update(query, projection(hypothesis, query, 0.3))
    assert hypothesis.evaluate(query) == pytest.approx(0.3, rel=1e-9)


def test_where_nothing_else_is_left_it_comes_down_by_the_longest_step():
    hypothesis, query = IndexedWeights(2), Query(["a", "b"])
    hypothesis.add(query.names)
    assert projection(hypothesis, query, 0.5) == -sparse_multiplicative_weights.LARGEST_STEP


def test_names_that_had_sunk_rise_again():
    """A coefficient of 1 beside one of 0.05: a reply of 0 does not sink the first for ever."""
    hypothesis, query = IndexedWeights(1000), Query(["a", "b"], [1, 0.05])
    for target, reached in ((0.6, 0.6), (0.0, 0.0), (0.6, 0.6), (1.0, 1.0), (0.3, 0.3), (0.9, 0.9)):
        hypothesis.update(query, projection(hypothesis, query, target))
        assert hypothesis.evaluate(query) == pytest.approx(reached, abs=1e-5)


def test_a_target_above_the_largest_coefficient_sinks_nothing_for_ever():
    hypothesis, query = IndexedWeights(1000), Query(["a", "b"], [0.05, 0.02])
    hypothesis.update(query, projection(hypothesis, query, 0.6))
    assert 0.049 < hypothesis.evaluate(query) <= 0.05
    for _ in range(2):  # one step of exp(60) may not do
        hypothesis.update(query, projection(hypothesis, query, 0.01))
    assert hypothesis.evaluate(query) == pytest.approx(0.01, rel=1e-8)


@pytest.mark.parametrize("low", [0.5, 0.1, 0.01])
def test_each_update_at_real_coefficients_takes_twice_alpha_squared(low):
    """KL from the data to the weights, names never asked on one free index: 2 alpha^2 or more."""
    rng, alpha = np.random.default_rng(3), 0.05
    shares = rng.dirichlet(np.full(60, 0.1)) * 0.8
    learner, updates = SparseWeights(500, alpha=alpha), 0

    def divergence():
        weights = np.array([learner.hypothesis.log_value(name) for name in range(60)])
        kept = shares > 0
        data = float(shares[kept] @ (np.log(shares[kept]) - weights[kept]))
        return data + 0.2 * (np.log(0.2) - learner.hypothesis.log_untouched_weight)

    learner.hypothesis.add(range(60))
    for _ in range(400):
        query = Query(rng.choice(60, 12, replace=False), np.append(low, rng.uniform(low, 1, 11)))
        truth, before = float(query.values @ shares[list(query.names)]), divergence()
        if abs(truth - learner.predict(query)) >= alpha:
            learner.update(query, truth)
            updates += 1
            assert before - divergence() >= 2 * alpha**2 * (1 - 1e-6)  # rounding
    assert 3 < updates <= mistake_bound(500, alpha)


@given(st.floats(0.0, 0.99), st.floats(0.01, 0.3), st.floats(-1, 1), st.integers(0, 2**32))
@settings(max_examples=300)
def test_the_safe_target_lies_between_guess_and_truth(truth, alpha, error, seed):
    """Whenever the gap is alpha or more and the reply is off by its error or less."""
    rng, hypothesis, query = np.random.default_rng(seed), IndexedWeights(1000), Query(["a", "b"])
    hypothesis.update(query, rng.uniform(0, 12))
    guess = hypothesis.evaluate(query)
    if abs(truth - guess) < alpha:
        return
    learner = SparseWeights(1000, alpha=alpha, reply_error=0.999 * alpha)
    learner.hypothesis = hypothesis
    learner.update(query, truth + error * learner.reply_error)
    after = hypothesis.evaluate(query)
    lower, upper = sorted((guess, truth))
    assert lower - 1e-9 <= after <= upper + 1e-9
    assert abs(after - guess) >= min(alpha, abs(truth - guess)) - 1e-9


def test_the_reply_less_its_error_can_point_the_wrong_way():
    """Guess 0.30, truth 0.40, reply 0.31 within its error 0.09: reply - error lies below 0.30."""
    guess, truth, reply, reply_error, alpha = 0.30, 0.40, 0.31, 0.09, 0.1
    assert abs(reply - truth) <= reply_error + 1e-12 and abs(truth - guess) >= alpha - 1e-12
    assert reply - reply_error < guess
    safe = guess + max(alpha, abs(reply - guess) - reply_error)
    assert guess < safe <= truth + 1e-12


@pytest.mark.parametrize("m", [1, 7, 100, 1000])
@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.5, 1.0])
def test_the_size_rules_hold_and_fail_one_below(m, alpha):
    s = sparse_multiplicative_weights.paper_size(m, alpha)
    assert s / (math.log(s) + 1) >= 4 * m / alpha**2 > (s - 1) / (math.log(s - 1) + 1)
    for update_rule in sparse_multiplicative_weights.UPDATE_RULES:
        s = sparse_multiplicative_weights.size_rule(m, alpha, update_rule)
        assert s >= m * (mistake_bound(s, alpha, update_rule) + 1) + 1
        below = s - 1
        assert below < m * (mistake_bound(below, alpha, update_rule) + 1) + 1


def test_the_numbers_of_the_size_rule():
    """Statements: L13 Algorithm 1."""
    sizes = [
        sparse_multiplicative_weights.paper_size(m, a)
        for m, a in ((1, 0.1), (10, 0.1), (100, 0.1), (1000, 0.05))
    ]
    assert sizes == [3685, 47035, 570146, 29097882]
    assert sparse_multiplicative_weights.size_rule(100, 0.1) == 54601


def test_erratum_the_theorem_and_its_proof_state_two_limits():
    """4 ln s / alpha^2 and 4 (ln s + 1) / alpha^2; 32/15 ln s / alpha^2 is proved, below both."""
    s = sparse_multiplicative_weights.paper_size(10, 0.1)
    assert mistake_bound(s, 0.1, "paper") < 4 * math.log(s) / 0.1**2
    stated = sparse_multiplicative_weights.paper_mistake_bound(s, 0.1)
    assert stated < 4 * (math.log(s) + 1) / 0.1**2


def test_erratum_indices_used_reach_m_times_updates_plus_one():
    """As stated: ind <= m T. One update of a 2-sparse query leaves ind = 3."""
    hypothesis = IndexedWeights(100)
    hypothesis.update(Query(["a", "b"]), 0.1)
    assert hypothesis.used + 1 == 3 > 2 * 1


def test_a_step_capped_at_one_would_break_the_bound_for_large_alpha():
    """At alpha = 1/2: eta alpha - eta^2/8 is 3/8 at eta = 1 but 1/2 = 2 alpha^2 at eta = 2."""
    assert 1 * 0.5 - 1 / 8 < 2 * 0.5**2 == 2 * 0.5 - 2**2 / 8


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"alpha": 0.0}, "alpha must be"),
        ({"update_rule": "long"}, "update_rule must be one of"),
        ({"reply_error": -1.0}, "reply_error must be"),
        ({"size": 0}, "size must be"),
    ],
)
def test_bad_arguments_are_refused(how, words):
    with pytest.raises(ValueError, match=words):
        SparseWeights(**({"size": 10, "alpha": 0.1} | how))
