"""The remark on non-convex functions: false as stated, true for another learner."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.papers.distance_queries.learner.convex_learner import Function, Tangents, learn
from dpviz.papers.distance_queries.learner.other_learners import (
    NearestConstant,
    mistake_bound_nearest,
    tent,
)


def test_erratum_figure_1_errs_without_end_on_a_tent():
    """Stated: at most 1/alpha mistakes. One question at 0.3, then 1,000 times the right end."""
    alpha, queries = 0.1, np.append(0.3, np.ones(1000))
    run = learn(Tangents(), tent(), queries, alpha)
    assert not run.mistakes <= 1 / alpha
    assert run.missed[1:].sum() == 1000
    corrected = learn(NearestConstant(), tent(), queries, alpha)
    assert corrected.mistakes <= mistake_bound_nearest(alpha)


def test_erratum_a_tangent_is_good_only_up_to_half_of_alpha():
    """Stated: within alpha at distance alpha. At the peak of the tent it is off by 2 alpha."""
    alpha, learner = 0.1, Tangents()
    learner.update(0.5, 0.5, 1.0)
    gap = float(learner.predict(0.5 + alpha) - tent().value(0.5 + alpha))
    assert not gap <= alpha
    assert gap == pytest.approx(2 * alpha)


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=40, max_size=40), st.integers(0, 10**6))
def test_the_nearest_value_keeps_its_bound_on_any_walk(steps, seed):
    walk = 0.5 + np.cumsum(steps) / 40
    places = np.linspace(1 / 40, 1, 40)
    function = Function(lambda y: np.interp(y, places, walk), np.zeros_like)
    queries = np.random.default_rng(seed).uniform(size=300)
    for alpha in (0.3, 0.05, 0.01):
        assert learn(NearestConstant(), function, queries, alpha).mistakes <= mistake_bound_nearest(
            alpha
        )


def zigzag_mistakes(learner, alpha):
    """Forced on any learner: at points s > 2 alpha apart a 1-Lipschitz value may be 1/2 + s/2 or
    1/2 - s/2, whatever it was before, and one of the two is at least s/2 > alpha off the guess."""
    count = math.ceil(1 / (2 * alpha))
    half = 1 / (2 * (count - 1))
    missed = 0
    for y in np.linspace(0, 1, count):
        guess = learner.predict(y)
        value = 0.5 + (half if guess < 0.5 else -half)
        learner.update(y, value, 0.0)
        missed += abs(value - guess) > alpha
    return missed


@pytest.mark.parametrize("make", [NearestConstant, Tangents])
def test_the_zigzag_forces_half_of_the_bound_on_any_learner(make):
    counts = [zigzag_mistakes(make(), 2.0**-i) for i in range(3, 12)]
    assert counts == [2**i for i in range(2, 11)]
    assert all(2 * many == mistake_bound_nearest(2.0**-i) for i, many in enumerate(counts, 3))


def test_at_equal_distance_the_left_place_decides():
    learner = NearestConstant()
    learner.update(0.0, 0.25, 0.0)
    learner.update(1.0, 0.75, 0.0)
    assert learner.predict(np.array([0.49, 0.5, 0.51])).tolist() == [0.25, 0.25, 0.75]
