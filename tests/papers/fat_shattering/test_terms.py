"""Each term of each promise of the fat-shattering paper's code has a case where it dominates."""

import math

import numpy as np
import pytest
from second.exact import output_distribution

from dpviz.papers.fat_shattering import (
    lower_bounds,
    median_mechanism,
    net_mechanism,
    reconstruction,
    small_databases,
    threshold_learner,
)
from dpviz.papers.fat_shattering.net_mechanism import histogram
from dpviz.privacy.online import Answer

BETA = 0.01


def failing(loss, count, epsilon):
    """Chance that the exponential mechanism takes one of ``count`` that are ``loss`` worse."""
    weight = count * math.exp(-epsilon * loss / 2)
    return weight / (1 + weight)


@pytest.mark.parametrize("method", net_mechanism.METHODS)
def test_the_price_of_a_public_total_is_nearly_attained(method):
    """All candidates but one as bad as the bound: one of them is drawn with nearly beta."""
    params = net_mechanism.Params(epsilon=1.0, rows=6, total=1000, method=method, beta=BETA)
    loss = net_mechanism.error_bound_noise(params, cells=8)
    charged = 1.0 if method == "corrected" else 0.5
    chance = failing(loss, small_databases.count_databases(8, 6) - 1, charged)
    assert BETA / 1.02 <= chance <= BETA


def test_a_private_total_has_both_its_terms():
    """Half of beta each: the choice at 0.9 epsilon, and a Laplace noise whose tail is exact."""
    params = net_mechanism.Params(epsilon=1.0, rows=6, share=0.1, beta=BETA)
    loud = net_mechanism.Params(epsilon=1.0, rows=6, share=1e-6, beta=BETA)
    tail = math.log(2 / BETA) / 1e-6  # P(|noise| > x) = exp(-x / scale)
    assert tail <= net_mechanism.error_bound_noise(loud, cells=8) <= 1.0001 * tail
    loss = net_mechanism.error_bound_noise(params, cells=8) - math.log(2 / BETA) / 0.1
    chance = failing(loss, small_databases.count_databases(8, 6) - 1, 0.9)
    assert BETA / 2 / 1.02 <= chance <= BETA / 2


def test_the_best_small_database_is_paid_for_in_people():
    """Two cells, three rows, a database halfway between two small ones: eta = 1/6, attained."""
    params = net_mechanism.Params(epsilon=1e9, rows=3, total=600)
    data, queries = [300.0, 300.0], [[1.0, 0.0]]
    run = net_mechanism.trial(params, data, queries, rng=0)
    assert run["error"] == pytest.approx(100)
    assert 100 <= run["bound"] <= 100.001


class Adversary:
    """A curator whose noises are as bad as the plan allows: tests stay below, or are eager."""

    def __init__(self, params, *, eager=False, error=0.0):
        self.compared, _ = params.accuracy()
        self.positives_left, self.eager, self.error = params.positives, eager, error

    def sub_curator(self, **_):
        return self

    def above_threshold(self, level, **_):
        self.level = level
        return self

    def above(self, gap):
        positive = gap >= self.level + (-1 if self.eager else 1) * self.compared
        self.positives_left -= positive
        return positive

    def laplace(self, value, **_):
        return value + self.error


def median_of(first, **adversary):
    """The first answer (in shares) of two cells, the first of which holds so many of the people."""
    params = median_mechanism.Params(epsilon=1.0, cells=2, rows=64, total=1e6, k=50, beta=BETA)
    data = np.array([first, 1 - first]) * params.total
    mechanism = median_mechanism.InteractiveMedian(data, params, Adversary(params, **adversary))
    found = mechanism.answer([1.0, 0.0])
    return params, Answer(found.value / params.total, found.kind)


def test_a_median_that_stands_can_be_off_by_the_whole_promise():
    """2 a + max(eta, b): the gap is just not seen, for its two noises are at their worst."""
    params = median_of(0.5)[0]
    compared, answered = params.accuracy()
    far = 2 * compared + max(params.best_error, answered)
    _, found = median_of(0.5 + far - 1e-9)
    assert found.kind == "guess"
    error = (0.5 + far - 1e-9 - found.value) * params.total
    assert error <= median_mechanism.error_bound(params) <= error * (1 + 1e-6)
    assert median_of(0.5 + far + 1e-9)[1].kind == "measured"


def test_an_update_comes_where_reply_and_best_candidate_are_on_the_right_side():
    """Not before the median is off by max(eta, b): then a reply off by b is still beyond it."""
    params = median_of(0.5)[0]
    _, answered = params.accuracy()
    least = max(params.best_error, answered)
    for extra, kind in ((-1e-6, "guess"), (1e-6, "measured")):
        assert median_of(0.5 + least + extra, eager=True, error=-answered)[1].kind == kind
    _, found = median_of(0.5 + least + 1e-6, eager=True, error=-answered)
    assert found.value > 0.5


@pytest.mark.parametrize("k", [1, 10**6])
def test_each_noise_of_the_median_has_its_exact_tail(k):
    """beta / 3 each for one threshold, all comparisons, all answers; Laplace tails are exact."""
    params = median_mechanism.Params(
        epsilon=1.0, cells=3, rows=20, total=100.0, k=k, beta=0.03, share=0.5
    )
    positives = math.floor(math.log2(small_databases.count_databases(3, 20)))
    assert params.positives == positives == 7
    first = 0.5 / (1 + (2 * positives) ** (2 / 3))
    compared = math.log(100) / first + 2 * positives * math.log(100 * k) / (0.5 - first)
    answered = positives / 0.5 * math.log(100 * positives)
    assert params.accuracy() == pytest.approx((compared / 100, answered / 100), rel=1e-12)


def test_learning_pays_for_the_choice_and_twice_for_the_sample():
    """The choice: all rules but one as bad as the bound. The sample: Hoeffding, by hand."""
    loud = threshold_learner.Params(epsilon=1e-5, cells=1000, beta=BETA)
    loss = threshold_learner.error_bound(loud, n=100) * 100
    chance = failing(loss, 1000, 1e-5)
    assert BETA / 2 / 2.1 <= chance <= BETA / 2  # of beta / 2: ln(2 R / beta)
    quiet = threshold_learner.Params(epsilon=1e9, cells=1000, beta=BETA)
    assert threshold_learner.error_bound(quiet, n=10**4) == pytest.approx(
        2 * math.sqrt(math.log(4 * 1001 / BETA) / 2e4), rel=1e-6
    )


@pytest.mark.parametrize("points", range(2, 20))
def test_the_largest_bucket_is_no_larger_than_it_must_be(points):
    """Levels spread evenly over all buckets: the promised number is what the attack finds."""
    evenly = np.array([0.25, 0.5, 0.75])[np.arange(points) % 3]
    assert len(reconstruction.bucket_members(evenly, 0.25)) == lower_bounds.least_bucket(
        0.25, points
    )


@pytest.mark.parametrize("points", range(2, 20))
def test_as_many_pairs_are_too_wide_as_may_be(points):
    """gamma = 0.1: seven wide pairs fit between 0.1 and 0.9; the rest are close."""
    wide = min(7, points // 2)
    ends = 0.1 + 0.114 * np.arange(8)
    levels = np.repeat(ends, 2)[1 : 2 * wide + 1].tolist()
    levels += [0.9] * (points - len(levels))
    kept = reconstruction._close_pairs(np.minimum(levels, 0.9), 0.1)
    assert len(kept) == lower_bounds.least_pairs(0.1, points)


def test_counts_below_zero_are_none():
    """Each by itself: neighbours stay neighbours, and the score of an empty cell is its own."""
    assert histogram([3.0, -1.0, 0.0], 3, outside="clip", total=2).tolist() == [3.0, 0.0, 0.0]
    params = net_mechanism.Params(epsilon=1.0, rows=1, total=2)
    out = output_distribution([4.0, -2.0], params, queries=[[0.0, 1.0]])
    weights = np.exp(np.array([-4.0, 0.0]) / 2)  # of the databases (0, 1) and (1, 0)
    assert out == pytest.approx(weights / weights.sum())
