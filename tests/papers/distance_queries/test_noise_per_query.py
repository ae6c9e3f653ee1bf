"""Noise per query: exact sensitivity, an exact bound, and where it wins."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpviz.papers.distance_queries.baselines.noise_per_query import (
    Params,
    _error_quantile,
    error_bound,
    paper_bound,
    release,
    trial,
)
from dpviz.papers.distance_queries.learner.average_distance import (
    Setting,
    constant,
    mixture,
    prepare,
    truth,
)
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.privacy.curator import Curator

BUDGET = {"epsilon": 1, "delta": 1e-6}


# Statements: HR Section 2.1 (model).
@pytest.mark.parametrize("n", [1, 3])
def test_answers_move_by_the_diameter_over_n_and_no_more(n):
    """Brute force at corners of a box (1, 3): k D/n in L1 and sqrt(k) D/n in L2, both reached."""
    params = Setting(n=n, d=2, epsilon=1, upper=(1, 3), lower=0)
    corners = [np.array(c, dtype=float) for c in itertools.product((0, 0.5, 1), (0, 1.5, 3))]
    queries = np.tile([[0.0, 0.0]], (4, 1))
    answers = [truth([c] + [[0.5, 1]] * (n - 1), queries, params) for c in corners]
    moved = [one - two for one, two in itertools.combinations(answers, 2)]
    assert max(np.abs(each).sum() for each in moved) == pytest.approx(4 * 4 / n)
    assert max(np.linalg.norm(each) for each in moved) == pytest.approx(2 * 4 / n)
    for seed in range(20):
        far = np.random.default_rng(seed).uniform(0, (1, 3), (4, 2))
        answers = [truth([c] + [[0.5, 1]] * (n - 1), far, params) for c in corners]
        moved = [np.abs(one - two).max() for one, two in itertools.combinations(answers, 2)]
        assert max(moved) <= 4 / n + 1e-12  # rounding


@pytest.mark.parametrize("method", ["laplace", "gaussian"])
def test_the_bound_is_the_quantile(method):
    """2000 runs: exceeded with probability beta = 0.2, as exactly as the binomial can tell."""
    # So many records that no noise leaves what is possible, where it would be clipped.
    params = Params(
        n=10_000, d=1, k=20, epsilon=1, delta=1e-6, beta=0.2, method=method, lower=0, upper=1
    )
    data = prepare(mixture(10_000, 1, rng=0), params)
    queries = np.linspace(0, 1, 20)
    bad = sum(trial(params, data, queries, rng=seed)["violations"] > 0 for seed in range(2000))
    low, high = stats.binom(2000, 0.2).ppf([5e-7, 1 - 5e-7])
    assert low <= bad <= high


def test_the_gaussian_wins_for_many_queries_and_laplace_for_one():
    assert Params(n=100, d=1, k=1, lower=0, upper=1, **BUDGET).noise == "laplace"
    assert Params(n=100, d=1, k=100, lower=0, upper=1, **BUDGET).noise == "gaussian"
    assert Params(n=100, d=1, k=100, epsilon=1, lower=0, upper=1).noise == "laplace"
    with pytest.raises(ValueError, match="method must be 'laplace' if delta is 0"):
        Params(n=100, d=1, k=100, epsilon=1, method="gaussian", lower=0, upper=1)
    many = Params(n=100, d=1, k=100, lower=0, upper=1, **BUDGET)
    assert error_bound(many) == _error_quantile(many, "gaussian") < _error_quantile(many, "laplace")


def test_the_textbook_bound_is_above_the_exact_one():
    params = Params(n=1000, d=2, k=100, epsilon=1, lower=0, upper=1)
    assert error_bound(params) < paper_bound(params)


def test_where_the_paper_s_mechanism_loses_to_it():
    """k = 10^4: equal near n = 10^5 in one dimension; from d = 5 on the noise per query wins."""
    for d, n in [(1, 10**6), (5, 10**4), (5, 10**5), (5, 10**6)]:
        setting = {"n": n, "d": d, "k": 10_000, **BUDGET, "lower": 0, "upper": 1}
        assert error_bound(Params(**setting)) < l1.error_bound(l1.Params(**setting))
    few = {"n": 10**4, "d": 1, "k": 10_000, **BUDGET, "lower": 0, "upper": 1}
    assert l1.error_bound(l1.Params(**few)) < error_bound(Params(**few))
    many = {"n": 10**6, "d": 5, "k": 10**7, **BUDGET}
    assert l1.error_bound(l1.Params(lower=0, upper=1, **many)) < error_bound(
        Params(lower=0, upper=1, **many)
    )


@pytest.mark.parametrize("d", [1, 2])
def test_a_constant_is_the_best_answer_without_data(d):
    """Records all at y, or all at the far corner: both are off by the same; no other is better."""
    params = Setting(n=2, d=d, epsilon=1, lower=-1, upper=3)
    queries = np.random.default_rng(0).uniform(-1, 3, (50, d))
    said = constant(queries, params)
    for y, guess in zip(queries, said, strict=True):
        far = np.where(y < 1, 3, -1)
        ends = [truth([end] * 2, y[None], params)[0] for end in (y, far)]
        assert ends[0] == pytest.approx(0, abs=1e-12)
        assert guess - ends[0] == pytest.approx(ends[1] - guess)
    assert said.max() <= params.total_width / 2 == 2 * d


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([0.1] * 4, "queries must be at most k = 3"),
        ([2.0], "queries must lie in the public box"),
        (None, "queries must be given"),
    ],
)
def test_bad_queries_are_refused_before_anything_is_paid(queries, message):
    payer = Curator(epsilon=1, rng=0)
    with pytest.raises(ValueError, match=message):
        release([0.5], Params(n=1, d=1, k=3, epsilon=1, lower=0, upper=1), payer, queries=queries)
    assert payer.ledger.charges == ()


def test_an_answer_is_private_noise_around_the_truth():
    params = Params(n=10_000, d=2, k=3, epsilon=1, delta=1e-6, method="gaussian", lower=0, upper=1)
    payer = Curator(epsilon=1, delta=1e-6, rng=0)
    data, queries = mixture(10_000, 2, rng=0), np.eye(3)[:, :2]
    released = release(data, params, payer, queries=queries)
    assert 0 < np.abs(released.answers - truth(data, queries, params)).max() <= error_bound(params)
    assert [charge.verb for charge in payer.ledger.charges] == ["gaussian"]
    assert math.isclose(payer.ledger.spent.epsilon, 1)
