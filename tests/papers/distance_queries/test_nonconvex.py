"""The remark on non-convex functions: false as stated, true for another learner."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.papers.distance_queries.learner.convex_learner import Function, Tangents, learn
from dpviz.papers.distance_queries.learner.other_learners import (
    NearestConstant,
    force_mistakes_lipschitz,
    lower_bound_lipschitz,
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


@pytest.mark.parametrize("make", [NearestConstant, Tangents])
def test_the_zigzag_forces_its_bound_on_any_learner(make):
    counts = [force_mistakes_lipschitz(make(), 2.0**-i).mistakes for i in range(3, 12)]
    assert (
        counts
        == [2**i for i in range(2, 11)]
        == [lower_bound_lipschitz(2.0**-i) for i in range(3, 12)]
    )


@given(st.floats(0.001, 0.49))
def test_the_zigzag_is_1_lipschitz(alpha):
    run = force_mistakes_lipschitz(NearestConstant(), alpha)
    steps = np.abs(np.diff(run.truth)) / np.diff(run.queries)
    assert steps.max() <= 1 + 1e-9
    assert run.missed.all()
    assert lower_bound_lipschitz(alpha) <= mistake_bound_nearest(alpha)


def test_from_a_half_on_the_zigzag_forces_nothing():
    """The bound is refused there: its one value is never further than 1/2 from a guess of 1/2."""
    for alpha in (0.5, 0.6):
        with pytest.raises(ValueError, match=r"alpha < 0\.5"):
            lower_bound_lipschitz(alpha)


def test_at_equal_distance_the_left_place_decides():
    learner = NearestConstant()
    learner.update(0.0, 0.25, 0.0)
    learner.update(1.0, 0.75, 0.0)
    assert learner.predict(np.array([0.49, 0.5, 0.51])).tolist() == [0.25, 0.25, 0.75]
