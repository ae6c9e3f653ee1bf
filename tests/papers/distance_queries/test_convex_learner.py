"""Figure 1: the max-affine lower bound, against brute force and against its own promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Tangents, _upper_envelope, learn

LINES = st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=1, max_size=12)
UNIT = st.integers(0, 64).map(lambda i: i / 64)


# Statements: HR Figure 1.
@given(LINES)
def test_the_envelope_is_the_maximum(lines):
    """Rounding of an end may hand over a little early: within 1e-12 of the highest line."""
    y = np.linspace(-1, 2, 61)
    slopes, intercepts, ends = _upper_envelope(lines)
    top = np.searchsorted(ends, y)
    highest = np.array([a * y + b for a, b in lines]).max(axis=0)
    assert np.abs(slopes[top] * y + intercepts[top] - highest).max() <= 1e-12
    assert (np.diff(ends) > 0).all()
    assert (np.diff(slopes) > 0).all()


@given(st.lists(UNIT, min_size=1, max_size=9), st.lists(UNIT, min_size=1, max_size=40))
def test_the_guess_never_rises_above_a_convex_function(data, queries):
    function, learner = AverageDistance(data), Tangents()
    learn(learner, function, np.array(queries), 0.01)
    grid = np.linspace(0, 1, 129)
    assert (learner.predict(grid) <= function.value(grid) + 1e-12).all()


def plain(learner, function, queries, alpha):
    """The loop of Figure 1, one question at a time."""
    answers, missed = [], []
    for y in queries:
        answers.append(float(learner.predict(y)))
        missed.append(abs(float(function.value(y)) - answers[-1]) > alpha + 1e-12)
        if missed[-1]:
            learner.update(y, float(function.value(y)), float(function.slope(y)))
    return answers, missed


@given(st.lists(UNIT, min_size=1, max_size=9), st.integers(0, 10**6))
def test_looking_ahead_changes_nothing(data, seed):
    queries = np.random.default_rng(seed).uniform(size=200)
    function = AverageDistance(data)
    run = learn(Tangents(), function, queries, 0.005)
    answers, missed = plain(Tangents(), function, queries, 0.005)
    assert run.missed.tolist() == missed
    assert np.abs(run.answers - answers).max() <= 1e-12


def test_noisy_slopes_are_clipped():
    learner = Tangents()
    learner.update(0.5, 0.25, 1.75)
    assert learner.lines[-1] == (1.0, -0.25)


@pytest.mark.parametrize("alpha", [0, 1, -0.5, np.nan])
def test_alpha_outside_0_1_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha must be a number with 0 < alpha < 1"):
        learn(Tangents(), AverageDistance([0.5]), np.array([0.1]), alpha)
