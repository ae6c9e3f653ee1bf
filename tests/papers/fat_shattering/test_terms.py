"""Each term of each promise of the fat-shattering paper's code has a case where it dominates."""

import math

import numpy as np
import pytest

from dpviz.papers.fat_shattering import (
    lower_bounds,
    median_mechanism,
    net_mechanism,
    reconstruction,
    small_databases,
    threshold_learner,
)
from dpviz.papers.fat_shattering.net_scores import histogram, law
from dpviz.privacy.online import Answer

BETA = 0.01


def failing(loss, count, epsilon):
    """Chance that the exponential mechanism takes one of ``count`` that are ``loss`` worse."""
    weight = count * math.exp(-epsilon * loss / 2)
    return weight / (1 + weight)


@pytest.mark.parametrize("exponent", ["sharp", "paper"])
def test_the_price_of_a_public_total_is_nearly_attained(exponent):
    """All candidates but one as bad as the bound: one of them is drawn with nearly beta."""
    params = net_mechanism.Params(epsilon=1.0, rows=6, total=1000, exponent=exponent)
    loss = net_mechanism.error_bound_noise(params, 8, beta=BETA)
    charged = 1.0 if exponent == "sharp" else 0.5
    chance = failing(loss, small_databases.how_many(8, 6) - 1, charged)
    assert BETA / 1.02 <= chance <= BETA


def test_a_private_total_has_both_its_terms():
    """Half of beta each: the choice at 0.9 epsilon, and a Laplace noise whose tail is exact."""
    params = net_mechanism.Params(epsilon=1.0, rows=6, share=0.1)
    loud = net_mechanism.Params(epsilon=1.0, rows=6, share=1e-6)
    tail = math.log(2 / BETA) / 1e-6  # P(|noise| > x) = exp(-x / scale)
    assert tail <= net_mechanism.error_bound_noise(loud, 8, beta=BETA) <= 1.0001 * tail
    loss = net_mechanism.error_bound_noise(params, 8, beta=BETA) - math.log(2 / BETA) / 0.1
    chance = failing(loss, small_databases.how_many(8, 6) - 1, 0.9)
    assert BETA / 2 / 1.02 <= chance <= BETA / 2


def test_the_best_small_database_is_paid_for_in_people():
    """Two cells, three rows, a database halfway between two small ones: eta = 1/6, attained."""
    params = net_mechanism.Params(epsilon=1e9, rows=3, total=600)
    data, queries = [300.0, 300.0], [[1.0, 0.0]]
    run = net_mechanism.trial(params, queries, data, rng=0)
    assert run["error"] == pytest.approx(100)
    assert 100 <= run["bound"] <= 100.001


class Adversary:
    """A curator whose noises are as bad as the plan allows: tests silent, or eager."""

    def __init__(self, params, *, eager=False, lie=0.0):
        self.compared, _ = params.slack()
        self.positives_left, self.eager, self.lie = params.positives, eager, lie

    def part(self, **_):
        return self

    def above_threshold(self, level, **_):
        self.level = level
        return self

    def above(self, gap):
        hit = gap >= self.level + (-1 if self.eager else 1) * self.compared
        self.positives_left -= hit
        return hit

    def laplace(self, value, **_):
        return value + self.lie


def median_of(first, **adversary):
    """The first answer (in shares) of two cells, the first of which holds so many of the people."""
    params = median_mechanism.Params(
        epsilon=1.0, cells=2, rows=64, total=1e6, queries=50, beta=BETA
    )
    data = np.array([first, 1 - first]) * params.total
    mechanism = median_mechanism.InteractiveMedian(data, params, Adversary(params, **adversary))
    found = mechanism.answer([1.0, 0.0])
    return params, Answer(found.value / params.total, found.kind)


def test_a_median_that_stands_can_be_off_by_the_whole_promise():
    """2 a + max(eta, b): the gap is just not seen, for its two noises are at their worst."""
    params = median_of(0.5)[0]
    compared, answered = params.slack()
    far = 2 * compared + max(params.best, answered)
    _, found = median_of(0.5 + far - 1e-9)
    assert found.kind == "guess"
    error = (0.5 + far - 1e-9 - found.value) * params.total
    assert error <= median_mechanism.error_bound(params) <= error * (1 + 1e-6)
    assert median_of(0.5 + far + 1e-9)[1].kind == "measured"


def test_an_update_comes_where_reply_and_best_candidate_are_on_the_right_side():
    """Not before the median is off by max(eta, b): then a reply off by b is still beyond it."""
    params = median_of(0.5)[0]
    _, answered = params.slack()
    least = max(params.best, answered)
    for extra, kind in ((-1e-6, "guess"), (1e-6, "measured")):
        assert median_of(0.5 + least + extra, eager=True, lie=-answered)[1].kind == kind
    _, found = median_of(0.5 + least + 1e-6, eager=True, lie=-answered)
    assert found.value > 0.5


@pytest.mark.parametrize("queries", [1, 10**6])
def test_each_noise_of_the_median_has_its_exact_tail(queries):
    """beta / 3 each for one threshold, all comparisons, all answers; Laplace tails are exact."""
    params = median_mechanism.Params(
        epsilon=1.0, cells=3, rows=20, total=100.0, queries=queries, beta=0.03, share=0.5
    )
    positives = math.floor(math.log2(small_databases.how_many(3, 20)))
    assert params.positives == positives == 7
    first = 0.5 / (1 + (2 * positives) ** (2 / 3))
    compared = math.log(100) / first + 2 * positives * math.log(100 * queries) / (0.5 - first)
    answered = positives / 0.5 * math.log(100 * positives)
    assert params.slack() == pytest.approx((compared / 100, answered / 100), rel=1e-12)


def test_learning_pays_for_the_choice_and_twice_for_the_sample():
    """The choice: all rules but one as bad as the bound. The sample: Hoeffding, by hand."""
    loud = threshold_learner.Params(epsilon=1e-5, cells=1000)
    loss = threshold_learner.error_bound(loud, 100, beta=BETA) * 100
    chance = failing(loss, 1000, 1e-5)
    assert BETA / 2 / 2.1 <= chance <= BETA / 2  # of beta / 2: ln(2 R / beta)
    quiet = threshold_learner.error_bound(
        threshold_learner.Params(epsilon=1e9, cells=1000), 10**4, beta=BETA
    )
    assert quiet == pytest.approx(2 * math.sqrt(math.log(4 * 1001 / BETA) / 2e4), rel=1e-6)


@pytest.mark.parametrize("points", range(2, 20))
def test_the_fullest_bucket_is_no_fuller_than_it_must_be(points):
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
    kept = reconstruction.close_pairs(np.minimum(levels, 0.9), 0.1)
    assert len(kept) == lower_bounds.least_pairs(0.1, points)


def test_counts_below_zero_are_none():
    """Each by itself: neighbours stay neighbours, and the score of an empty cell is its own."""
    assert histogram([3.0, -1.0, 0.0], 3, outside="clip", total=2).tolist() == [3.0, 0.0, 0.0]
    out = law([4.0, -2.0], [[0.0, 1.0]], net_mechanism.Params(epsilon=1.0, rows=1, total=2))
    weights = np.exp(np.array([-4.0, 0.0]) / 2)  # of the databases (0, 1) and (1, 0)
    assert out == pytest.approx(weights / weights.sum())
