"""Multiplicative weights on a grid: the bound, rounding, and where it stops."""

import math

import numpy as np
import pytest
from scipy import stats

from dpviz.papers.distance_queries.baselines.private_multiplicative_weights import (
    LIMIT,
    Interactive,
    Params,
    _centers,
    _rounded,
    error_bound,
)
from dpviz.papers.distance_queries.learner.average_distance import (
    mixture,
    prepare,
    run_trial,
    truth,
)
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.papers.distance_queries.mechanism.reduction import GAMMAS
from dpviz.privacy.curator import BudgetExceeded, Curator

BUDGET = {"epsilon": 1, "delta": 1e-6, "lower": 0, "upper": 1}


def run(params, data, queries=None, *, rng):
    """All queries in order, with a fresh budget."""
    return run_trial(Interactive, params, data, queries, bound=error_bound(params), rng=rng)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_bound_holds_in_100_runs(delta):
    """All records in one corner, far from the uniform prior; binomial at 0.05, alarm 1e-6."""
    params = Params(n=20_000, d=2, k=40, epsilon=20, delta=delta, cells=20, lower=0, upper=1)
    data = prepare(np.full((20_000, 2), 0.02), params)
    results = [run(params, data, rng=seed) for seed in range(100)]
    bad = sum(bool(result["violations"] or result["exhausted"]) for result in results)
    assert bad <= stats.binom.ppf(1 - 1e-6, 100, 0.05)
    assert min(result["updates"] for result in results) >= 1


def test_at_small_n_it_serves_its_prior():
    """n = 10^4, m = 1000, at (1, 1e-6): no update in 300 queries, the error is the prior's."""
    params = Params(n=10_000, d=1, k=300, **BUDGET, cells=1000)
    data = prepare(mixture(10_000, 1, rng=0), params)
    queries = np.linspace(0, 1, 300)
    result = run(params, data, queries, rng=0)
    prior = np.abs(_centers(1000)[:, None] - queries).mean(axis=0)
    assert result["updates"] == 0
    assert result["error"] == pytest.approx(np.abs(prior - truth(data, queries, params)).max())
    assert result["error"] < result["bound"] / 3


# Statements: HR Section 1 (grid).
def test_the_error_falls_like_one_over_the_root_of_n_and_the_paper_s_faster():
    sizes = np.array([10**5, 10**6, 10**7])
    generic = [error_bound(Params(n=int(n), d=1, k=2000, **BUDGET, cells=20_000)) for n in sizes]
    special = [l1.error_bound(l1.Params(n=int(n), d=1, k=2000, **BUDGET)) for n in sizes]
    assert np.polyfit(np.log(sizes), np.log(generic), 1)[0] == pytest.approx(-0.5, abs=0.03)
    assert np.less(special, generic).all()


def test_rounding_moves_no_answer_by_more_than_half_a_cell():
    params = Params(n=200, d=2, k=10, epsilon=100, cells=7, upper=(1, 3), lower=0)
    data = mixture(200, 2, rng=0) * (1, 3)
    queries = np.random.default_rng(1).uniform(0, (1, 3), (100, 2))
    moved = truth(_rounded(data, params), queries, params) - truth(data, queries, params)
    assert 0 < np.abs(moved).max() <= 4 / 14 + 1e-12  # D/(2 m), rounding of sums
    assert (
        _rounded([1.0, 0.0], Params(n=2, d=1, k=1, epsilon=1000, cells=4, lower=0, upper=1)).value(
            0.0
        )
        == 0.5
    )


def test_a_question_is_the_mean_over_the_grid():
    """The learner's uniform guess equals the plain mean of all U = m^d distances."""
    params = Params(n=50, d=3, k=10, epsilon=100, cells=4, upper=(1, 2, 3), lower=0)
    distances = Interactive(np.zeros((50, 3)), params, Curator(epsilon=100, rng=0))
    places = np.stack(np.meshgrid(*[_centers(4)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    y = np.array([0.1, 0.5, 0.9])
    expected = (np.abs(places - y) * (1, 2, 3)).sum(axis=1) / 6
    assert distances._distances(y.tolist()) == pytest.approx(expected)
    assert distances._online.learner.predict(y.tolist()) == pytest.approx(expected.mean())


def test_too_large_a_grid_is_refused_with_the_number_and_the_limit():
    with pytest.raises(
        ValueError, match=r"cells must be at most 20 for d = 5: 100\^5 = 1e\+10 places"
    ):
        Params(n=100, d=5, k=10, epsilon=1, cells=100, lower=0, upper=1)
    assert Params(n=10**6, d=5, k=10, epsilon=1, cells=20, lower=0, upper=1).size == 20**5 <= LIMIT
    assert Params(n=10**6, d=2, k=10, epsilon=1, cells=2000, lower=0, upper=1).size == LIMIT


def test_too_few_records_are_refused():
    with pytest.raises(ValueError, match="n must be larger: with 3 records"):
        Params(n=3, d=2, k=10, **BUDGET, cells=10)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_plan_spends_the_budget_and_is_the_best_gamma(delta):
    params = Params(n=10_000, d=1, k=100, epsilon=1, delta=delta, cells=50, lower=0, upper=1)
    plan = params.plan
    payer = Curator(epsilon=1, delta=delta, rng=0)
    distances = Interactive(np.full(10_000, 0.5), params, payer)
    distances._threshold._threshold = -50.0
    for _ in range(plan.total):
        assert distances.answer(0.5).kind == "measured"
    assert distances.answer(0.5).kind == "frozen"
    spent, budget = distances._sub_curator.ledger.spent, distances._sub_curator.budget
    assert spent.rho + spent.epsilon == pytest.approx(budget.rho + budget.epsilon)
    assert plan.total == math.floor(4 * math.log(50) / plan.gamma**2)
    assert GAMMAS.min() < plan.gamma < GAMMAS.max()


def test_an_update_certifies_a_gap_of_gamma_however_bad_the_noise_of_the_test():
    """The threshold stands the accuracy of the test above gamma: at worst it is passed by gamma."""
    params = Params(n=20_000, d=1, k=40, **BUDGET, cells=20)
    distances, plan = Interactive(np.zeros(20_000), params, params.curator(rng=0)), params.plan
    worst = distances._threshold._threshold - plan.test_accuracy
    assert 0 < plan.gamma == pytest.approx(worst, rel=1e-12)


def test_bad_queries_and_a_poor_curator():
    params = Params(n=100, d=1, k=10, epsilon=10, cells=5, lower=0, upper=1)
    distances = Interactive(np.zeros(100), params, Curator(epsilon=10, rng=0))
    with pytest.raises(ValueError, match="queries must lie"):
        distances.answer(1.5)
    with pytest.raises(BudgetExceeded):
        Interactive(np.zeros(100), params, Curator(epsilon=1, rng=0))
