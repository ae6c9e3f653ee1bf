"""The bounds are attained: by data against Figure 1, by answers against any learner."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Function, Tangents, learn
from dpviz.papers.distance_queries.learner.mistake_bounds import (
    lower_bound,
    mistake_bound,
    worst_data,
)
from dpviz.papers.distance_queries.learner.other_learners import NearestConstant

POWERS = 2.0 ** -np.arange(3, 17)
FORCED = [4, 6, 8, 12, 16, 23, 32, 46, 64, 91, 128, 182, 256, 363]


def forced(alpha, side="left", copies=1):
    data, queries = worst_data(alpha)
    distance = AverageDistance(np.repeat(data, copies))
    function = Function(distance.value, lambda y: distance.slope(y, side))
    return learn(Tangents(), function, queries, alpha).mistakes


def test_the_worst_data_force_every_mistake_the_bound_allows():
    counts = [forced(alpha) for alpha in POWERS]
    assert counts == FORCED == [mistake_bound(alpha) for alpha in POWERS]
    assert np.polyfit(np.log(POWERS), np.log(counts), 1)[0] == pytest.approx(-0.5, abs=0.01)


@given(st.floats(1e-4, 0.2499), st.integers(1, 5))
def test_they_do_so_for_any_alpha_below_a_quarter(alpha, copies):
    assert forced(alpha, copies=copies) == mistake_bound(alpha)


def test_other_slopes_at_ties_cost_half():
    """With the right or the middle derivative the same questions force half as many."""
    for side in ("right", "middle"):
        assert [forced(alpha, side) for alpha in POWERS] == [-(-count // 2) for count in FORCED]


@pytest.mark.parametrize("alpha", [0.25, 0.9, 0, -1])
def test_worst_data_refuse_an_alpha_they_cannot_serve(alpha):
    with pytest.raises(ValueError, match=r"alpha must be a number with 0 < alpha < 0\.25"):
        worst_data(alpha)


class MiddleOfEnvelopes:
    """Guess the middle between the highest tangent and the lowest chord known."""

    def __init__(self):
        self.tangents, self.places, self.values = Tangents(), [0.0, 1.0], [1.0, 1.0]

    def predict(self, y):
        order = np.argsort(self.places)
        chord = np.interp(y, np.array(self.places)[order], np.array(self.values)[order])
        return (self.tangents.predict(y) + chord) / 2

    def update(self, y, value, slope):
        self.tangents.update(y, value, slope)
        self.places.append(y)
        self.values.append(value)


def parabola(y):
    """The average distance to records spread evenly over [0, 1]."""
    return (y - 0.5) ** 2 + 0.25


def force_mistakes(learner, alpha):
    """The adversary of ``lower_bound``: questions, values, errors, corners of its function."""
    m = lower_bound(alpha)
    middles = (np.arange(m) + 0.5) / max(m, 1)
    truth, answers = np.empty(m), np.empty(m)
    for i, y in enumerate(middles):
        answers[i] = learner.predict(y)
        truth[i] = parabola(y) + (1 if answers[i] < parabola(y) else -1) / (4 * m**2)
        learner.update(y, truth[i], 2 * y - 1)
    ends = np.arange(m + 1) / max(m, 1)
    places = np.concatenate([ends, middles])
    order = places.argsort()
    heights = np.concatenate([parabola(ends), truth])[order]
    return middles, truth, np.abs(truth - answers), places[order], heights


@pytest.mark.parametrize("make", [Tangents, NearestConstant, MiddleOfEnvelopes])
@pytest.mark.parametrize("alpha", [2**-3, 0.01, 2**-13])
def test_every_learner_is_forced_in_full_and_by_an_honest_function(make, alpha):
    queries, truth, errors, places, heights = force_mistakes(make(), alpha)
    assert (errors > alpha).all() and len(queries) == lower_bound(alpha)
    slopes = np.diff(heights) / np.diff(places)
    assert (np.diff(slopes) >= -1e-9).all(), "convex, up to rounding"
    assert (np.abs(slopes) <= 1 + 1e-9).all(), "1-Lipschitz, up to rounding"
    assert ((heights >= 0) & (heights <= 1)).all()
    assert np.interp(queries, places, heights) == pytest.approx(truth)


def test_the_lower_bound_meets_the_upper_within_its_factor():
    """sqrt(2) above against 1/2 below: at most 2 sqrt(2) apart, up to the rounding of counts."""
    for alpha in POWERS[4:]:
        assert mistake_bound(alpha) <= 2 * np.sqrt(2) * (lower_bound(alpha) + 1) + 1
