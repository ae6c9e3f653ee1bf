"""Lemma 6 as written, with the private choice: its bound, its cost against the other test."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpviz.papers.distance_queries.learner.average_distance import (
    AverageDistance,
    mixture,
    prepare,
    run_trial,
    truth,
)
from dpviz.papers.distance_queries.mechanism import l1, sum_test
from dpviz.privacy.curator import BudgetExceeded

BUDGET = {"epsilon": 1, "delta": 1e-6, "lower": 0, "upper": 1}


def curator(params, rng=0):
    return params.curator(rng=rng)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_tangents_of_all_coordinates_have_the_sensitivities_that_are_paid_for(n):
    """Brute force over corners and the query: 2 d/n in L1 and sqrt(2 d)/n in L2 are not passed."""
    rng, d = np.random.default_rng(n), 3
    worst = np.zeros(2)
    for _ in range(300):
        y = rng.choice([1e-9, 0.5, 1 - 1e-9], d)
        rest = rng.integers(0, 3, (n - 1, d)) / 2
        sides = rng.choice([0, 2e-9, 0.5, 1 - 2e-9, 1], (2, 1, d))
        both = [AverageDistance(np.vstack([rest, side])) for side in sides]
        tangents = [np.array([each.tangent_at(i, t) for i, t in enumerate(y)]) for each in both]
        moved = tangents[0] - tangents[1]
        worst = np.maximum(worst, [np.abs(moved).sum(), np.linalg.norm(moved)])
    assert worst[0] <= 2 * d / n + 1e-12  # rounding
    assert worst[1] <= np.sqrt(2 * d) / n + 1e-12
    assert worst[1] > 0.8 * np.sqrt(2 * d) / n


# Statements: HR Lemma 6.
@pytest.mark.parametrize(("composition", "n"), [("zcdp", 20_000), ("pure", 20_000)])
def test_the_bound_holds_in_100_runs_and_is_not_loose(composition, n):
    """Binomial at beta = 0.05, false alarm 1e-6; ratio to the 0.95 quantile at most 1.5."""
    params = sum_test.Params(n=n, d=2, k=500, **BUDGET, composition=composition)
    data = prepare(mixture(n, 2, rng=0), params)
    bound = sum_test.error_bound(params)
    runs = [
        run_trial(sum_test.Interactive, params, data, None, bound=bound, rng=seed)
        for seed in range(100)
    ]
    bad = sum(bool(result["violations"] or result["exhausted"]) for result in runs)
    assert bad <= stats.binom.ppf(1 - 1e-6, 100, 0.05)
    errors = [result["error"] for result in runs]
    assert bound <= 1.5 * np.quantile(errors, 0.95)


@pytest.mark.parametrize("d", [2, 5, 20])
@pytest.mark.parametrize("n", [10**4, 10**6, 10**8])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_testing_each_coordinate_is_better_wherever_we_try(d, n, delta):
    setting = {"n": n, "d": d, "k": 10_000, "epsilon": 1, "delta": delta}
    assert l1.error_bound(l1.Params(lower=0, upper=1, **setting)) < sum_test.error_bound(
        sum_test.Params(lower=0, upper=1, **setting)
    )


def test_in_one_dimension_both_are_the_same():
    setting = {"n": 1000, "d": 1, "k": 100, "epsilon": 30}
    data, queries = mixture(1000, 1, rng=0), np.linspace(0, 1, 100)
    params = sum_test.Params(lower=0, upper=1, **setting)
    other = l1.Params(lower=0, upper=1, **setting)
    assert params.plan == other.plan
    one = sum_test.Interactive(data, params, curator(params)).answer_all(queries)
    two = l1.Interactive(data, other, curator(other)).answer_all(queries)
    guessed = one[1] == "guess"
    assert one[1].tolist() == two[1].tolist()
    assert one[0][guessed] == pytest.approx(two[0][guessed])


@given(st.integers(0, 2**32), st.integers(1, 3))
@settings(max_examples=30)
def test_many_queries_get_the_answers_of_one_by_one(seed, d):
    params = sum_test.Params(n=20, d=d, k=40, epsilon=600 * d, updates=3, upper=2, lower=0)
    rng = np.random.default_rng(seed)
    data, queries = rng.uniform(0, 2, (20, d)), rng.uniform(0, 2, (40, d))
    single, many = (sum_test.Interactive(data, params, curator(params, seed)) for _ in "ab")
    answers = [single.answer(query) for query in queries]
    values, kinds = many.answer_all(queries)
    # Products of two shapes: the last bits are the machine's.
    assert values == pytest.approx([answer.value for answer in answers], rel=1e-9)
    assert kinds.tolist() == [answer.kind for answer in answers]
    assert many.updates_used == (kinds == "measured").sum()


def test_an_update_teaches_at_least_one_coordinate_and_only_those_that_were_too_low():
    params = sum_test.Params(n=1000, d=2, k=40, epsilon=500, lower=0, upper=1)
    data = np.column_stack([np.zeros(1000), np.ones(1000)])
    distances = sum_test.Interactive(data, params, curator(params))
    assert distances.answer([1.0, 1.0]).kind == "measured"  # gaps 1 and 0
    assert [len(learner.lines) for learner in distances.learners] == [2, 1]
    found = distances.answer([1.0, 1.0])
    assert found.kind == "guess"
    exact = truth(data, [[1.0, 1.0]], params)[0]
    assert abs(found.value - exact) <= sum_test.error_bound(params)


def test_refusal_and_bad_queries():
    params = sum_test.Params(
        n=50, d=2, k=40, epsilon=500, updates=1, after="refuse", lower=0, upper=1
    )
    distances = sum_test.Interactive(np.zeros((50, 2)), params, curator(params))
    with pytest.raises(ValueError, match="queries must lie in the public box"):
        distances.answer([0.5, 2.0])
    distances._online.threshold._threshold = -50.0
    _, kinds = distances.answer_all(np.full((9, 2), 0.5))
    assert kinds.tolist() == ["measured"] * 2
    with pytest.raises(BudgetExceeded):
        distances.answer([0.5, 0.5])
