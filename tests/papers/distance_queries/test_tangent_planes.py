"""Tangent planes make exponentially many mistakes; one learner per coordinate does not."""

import numpy as np
import pytest

from dpviz.papers.distance_queries.learner.convex_learner import Tangents, learn
from dpviz.papers.distance_queries.learner.other_learners import (
    Params,
    TangentPlanes,
    _bowl,
    mistake_bound_planes,
    trial,
)
from dpviz.sweeps.sweep import sweep


@pytest.fixture(scope="module")
def mistakes():
    """20,000 uniform questions, alpha = 0.02 and 0.005, one to four coordinates."""
    grid = {"alpha": [0.02, 0.005], "d": [1, 2, 3, 4]}
    return sweep(trial, Params(alpha=0.02, d=1), grid, repeats=1, rng=1)


def test_the_proved_bounds_hold(mistakes):
    assert (mistakes["planes"] <= mistakes["planes_bound"]).all()
    assert (mistakes["coordinates"] <= mistakes["coordinates_bound"]).all()


# Statements: HR Section 1.1 (direct generalisation).
def test_planes_grow_exponentially_and_coordinates_do_not(mistakes):
    """From d = 3 to 4 planes grow more than 5 times, coordinates less than 2 times."""
    planes, coordinates = mistakes["planes"][..., 0], mistakes["coordinates"][..., 0]
    assert (planes[:, 1:] / planes[:, :-1] > 5).all()
    assert (coordinates[:, 3] / coordinates[:, 2] < 2).all()
    assert (planes[:, 3] / coordinates[:, 3] > 30).all()


def test_one_dimension_is_figure_1():
    queries = np.random.default_rng(2).uniform(size=(500, 1))
    plane = learn(TangentPlanes(1), _bowl(1), queries, 0.01)
    curve = _bowl(1)
    flat = type(curve)(lambda y: curve.value(np.atleast_1d(y)[:, None]), lambda y: 2 * y - 1)
    assert plane.missed.tolist() == learn(Tangents(), flat, queries[:, 0], 0.01).missed.tolist()


def test_a_plane_is_too_low_by_the_squared_distance():
    """The identity behind the packing bound."""
    rng = np.random.default_rng(3)
    x, y = rng.uniform(size=(2, 3))
    learner = TangentPlanes(3)
    learner.update(x, _bowl(3).value(x[None])[0], _bowl(3).slope(x))
    gap = _bowl(3).value(y[None])[0] - learner.predict(y[None])[0]
    assert gap == pytest.approx(((x - y) ** 2).sum())


def test_the_packing_bound_in_one_dimension_is_the_interval_s():
    """Mistakes more than s apart on [0, 1]: at most 1/s + 1, by hand."""
    for alpha in (0.3, 0.02, 0.001):
        assert mistake_bound_planes(alpha, 1) == int(1 / alpha**0.5 + 1)


@pytest.mark.parametrize("change", [{"alpha": 1}, {"d": 0}, {"k": 0}])
def test_bad_parameters_are_refused(change):
    ((name, value),) = change.items()
    with pytest.raises(ValueError, match=f"^{name} must .* not {value}"):
        Params(**{"alpha": 0.1, "d": 2, **change})
