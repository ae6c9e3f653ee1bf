"""The average distance: equal to a scan, fast, and its sensitivities by brute force."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.papers.distance_queries.learner.average_distance import AverageDistance

GRID = st.integers(0, 8).map(lambda i: i / 8)
COLUMN = st.lists(GRID, min_size=1, max_size=12)


def scan(data, y):
    return np.abs(np.asarray(data)[None, :] - np.asarray(y)[:, None]).mean(axis=1)


@given(COLUMN, st.lists(GRID, min_size=1, max_size=9))
def test_values_equal_a_scan_also_at_ties(data, y):
    assert np.abs(AverageDistance(data).value(y) - scan(data, y)).max() <= 1e-15


@given(COLUMN, GRID)
def test_slopes_are_the_one_sided_derivatives(data, y):
    distance, h = AverageDistance(data), 2.0**-10  # less than the grid: no record in between
    left = (scan(data, [y]) - scan(data, [y - h]))[0] / h
    right = (scan(data, [y + h]) - scan(data, [y]))[0] / h
    assert distance.slope(y) == pytest.approx(left, abs=1e-9)
    assert distance.slope(y, "right") == pytest.approx(right, abs=1e-9)
    assert distance.slope(y, "middle") == pytest.approx((left + right) / 2, abs=1e-9)


# Statements: HR Section 3.1 (decomposition).
def test_several_columns_add_up():
    rng = np.random.default_rng(0)
    data, y = rng.uniform(size=(50, 3)), rng.uniform(-0.5, 1.5, size=(20, 3))
    distance = AverageDistance(data)
    truth = np.abs(data[None] - y[:, None]).mean(axis=1)
    assert np.allclose(distance.values(y), truth, atol=1e-14, rtol=0)
    assert np.allclose(distance.value(y), truth.sum(axis=1), atol=1e-14, rtol=0)
    assert distance.slope(y).shape == (20, 3)


def test_few_columns_at_a_time_give_the_same_values_also_after_all_were_sorted():
    rng = np.random.default_rng(4)
    own, y = AverageDistance(rng.uniform(size=(3000, 7))), rng.uniform(size=(9, 7))
    assert np.array_equal(own.values(y), own.values_once(y))


def test_a_million_records_lose_no_digit():
    """1e-12 is what the learner's tolerance relies on; the truth is an exact sum."""
    rng = np.random.default_rng(1)
    data, y = rng.uniform(size=10**6), rng.uniform(size=5)
    exact = [math.fsum(np.abs(data - t)) / len(data) for t in y]
    assert np.abs(AverageDistance(data).value(y) - exact).max() <= 1e-12


def test_shapes_follow_the_queries():
    distance = AverageDistance([0.2, 0.8])
    assert distance.value(0.5).shape == ()
    assert distance.value([]).shape == (0,)
    assert distance.value(np.zeros((2, 3))).shape == (2, 3)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_sensitivities_by_brute_force(m):
    """Replace one record: values move by max(t, 1 - t)/n, slopes by 2/n; both are reached."""
    records = places = np.arange(9) / 8
    value_moves, slope_moves = [], []
    for rest in itertools.combinations_with_replacement(records, m - 1):
        both = [AverageDistance([*rest, x]) for x in records]
        values = np.array([distance.value(places) for distance in both])
        slopes = np.array([distance.slope(places) for distance in both])
        value_moves.append(np.ptp(values, axis=0))
        slope_moves.append(np.ptp(slopes, axis=0))
    assert np.max(value_moves, axis=0) == pytest.approx(np.maximum(places, 1 - places) / m)
    assert np.max(slope_moves) == pytest.approx(2 / m)


# Statements: HR Section 3.2 (proof of Theorem 1).
def test_erratum_the_slope_is_not_1_over_n_sensitive():
    """Lemma 6 asks for 1/n: one record that crosses y moves the slope by 2/n."""
    rest = [0.1, 0.9]
    before, after = AverageDistance([*rest, 0.4]), AverageDistance([*rest, 0.6])
    moved = float(after.slope(0.5) - before.slope(0.5))
    assert not abs(moved) <= 1 / 3
    assert abs(moved) == pytest.approx(2 / 3)


def test_erratum_the_function_is_1_lipschitz_not_1_over_n():
    """Section 3 calls F 1/n-Lipschitz: with all records at 0 its slope is 1 whatever n is."""
    steep = AverageDistance(np.zeros(100)).value([0.5, 1.0])
    assert not (steep[1] - steep[0]) / 0.5 <= 1 / 100
    assert (steep[1] - steep[0]) / 0.5 == pytest.approx(1)


def test_erratum_the_cube_has_diameter_d_not_1():
    """Section 3 takes diameter 1 and the cube: one replaced record moves F by d/n there."""
    d, rest = 3, np.full((4, 3), 0.5)
    before, after = (AverageDistance(np.vstack([rest, np.full(d, x)])) for x in (0.0, 1.0))
    moved = float((after.value(np.zeros((1, d))) - before.value(np.zeros((1, d))))[0])
    assert not moved <= 1 / 5
    assert moved == pytest.approx(d / 5)


def test_erratum_a_part_depends_on_its_own_coordinate_only():
    """F^(i) is stated as a function of y; moving the other coordinates changes nothing."""
    distance = AverageDistance(np.random.default_rng(4).uniform(size=(20, 3)))
    y, z = np.array([[0.3, 0.1, 0.9]]), np.array([[0.3, 0.8, 0.2]])
    assert distance.values(y)[0, 0] == pytest.approx(distance.values(z)[0, 0], rel=1e-9)
    assert abs(distance.value(y) - distance.value(z)) > 0.01


@pytest.mark.parametrize(
    ("data", "error"),
    [([], ValueError), ([np.nan], ValueError), ([0.5, 13.2], ValueError), (["x"], TypeError)],
)
def test_bad_data_are_refused_without_showing_them(data, error):
    with pytest.raises(error, match=r"^data must") as caught:
        AverageDistance(data)
    assert "13" not in str(caught.value)


@pytest.mark.parametrize(("y", "error"), [([np.nan], ValueError), ("x", TypeError)])
def test_bad_queries_are_refused(y, error):
    with pytest.raises(error, match=r"^y must"):
        AverageDistance([0.5]).value(y)


def test_a_side_that_is_none_is_refused():
    with pytest.raises(ValueError, match="side must be one of 'left', 'right', 'middle'"):
        AverageDistance([0.5]).slope(0.5, side="up")
