"""The shared parts of the releases: the box, the counted cells, curves, files, post-processing."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.releases.curves import (
    Curves,
    Params,
    answer,
    cell_slopes,
    convex,
    from_slopes,
    prepare,
    resolution,
    truth,
)

UNIT = st.integers(0, 24).map(lambda i: i / 24)  # multiples of 1/8 among them: grid points
COLUMN = st.lists(UNIT, min_size=1, max_size=12)
ROUNDING = 2**-33  # of records, to the nearest multiple of 2^-30 of a cell; 4 cells or more


def exact_curves(data, params):
    """The release without noise."""
    values = from_slopes(cell_slopes(prepare(data, params), params), params)
    lower = np.broadcast_to(params.lower, params.d)
    return Curves(lower, lower + params.widths, values)


@given(COLUMN)
def test_at_grid_points_the_curve_is_exact(data):
    params = Params(n=len(data), epsilon=1, cells=8, lower=0, upper=1)
    gap = answer(exact_curves(data, params), np.arange(9) / 8) - AverageDistance(data).value(
        np.arange(9) / 8
    )
    assert np.abs(gap).max() <= ROUNDING


@given(COLUMN, st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_between_them_it_is_too_high_by_half_a_cell_times_the_cell_s_share(data, queries):
    params, y = Params(n=len(data), epsilon=1, cells=8, lower=0, upper=1), np.array(queries)
    bias = answer(exact_curves(data, params), y) - truth(data, y, params)
    cell = np.minimum((8 * y).astype(int), 7)
    share = prepare(data, params).cell_counts(params.cells)[0][0, cell] / len(data)
    assert (bias >= -ROUNDING).all()
    assert (bias <= share / 16 + ROUNDING).all()


def test_the_resolution_is_attained_by_records_in_one_place():
    params = Params(n=5, d=2, epsilon=1, cells=4, upper=(1.0, 4.0), lower=0)
    data, y = np.tile([0.125, 0.5], (5, 1)), np.array([[0.125, 0.5]])
    bias = answer(exact_curves(data, params), y) - truth(data, y, params)
    assert bias[0] == pytest.approx(resolution(params), abs=ROUNDING)


def test_boxes_are_answered_in_their_own_units():
    rng = np.random.default_rng(0)
    params = Params(n=200, d=3, epsilon=1, lower=(-1.0, 0.0, 5.0), upper=(1.0, 10.0, 5.5), cells=2)
    low, high = np.array(params.lower), np.array(params.upper)
    data, y = rng.uniform(low, high, (200, 3)), rng.choice([0.0, 0.5, 1.0], (50, 3))
    y = low + y * (high - low)  # grid points
    scan = np.abs(data[None] - y[:, None]).sum(axis=2).mean(axis=1)
    assert truth(data, y, params) == pytest.approx(scan, abs=1e-11)  # sums of 200 numbers up to 10
    assert answer(exact_curves(data, params), y) == pytest.approx(scan, abs=12.5 / 2 * 2**-31)


def test_answers_do_not_depend_on_how_they_are_asked():
    rng = np.random.default_rng(1)
    release = Curves(np.zeros(3), np.ones(3), rng.normal(size=(3, 9)))
    y = rng.uniform(size=(40_000, 3))  # several blocks
    together = answer(release, y)
    assert together[[0, 17, 39_999]] == pytest.approx(
        np.concatenate([answer(release, y[[i]]) for i in (0, 17, 39_999)]), abs=ROUNDING
    )
    slow = sum(np.interp(y[:, i], release.grid[i], release.values[i]) for i in range(3))
    far = np.maximum(y, 1 - y).sum(axis=1)
    assert together == pytest.approx(np.clip(slow, 0, far), abs=ROUNDING)
    one = Curves([0.0], [1.0], [[1.0, 0.0, 0.5]])
    assert answer(one, 0.25).shape == ()
    assert answer(one, np.zeros((2, 0, 3))).shape == (2, 0, 3)
    assert answer(one, [[0.0, 0.5], [0.75, 1.0]]).tolist() == [[1.0, 0.0], [0.25, 0.5]]


@pytest.mark.parametrize(
    ("queries", "error", "words"),
    [
        ([[0.5, 1.5]], ValueError, "in the public box"),
        ([[0.5, -0.1]], ValueError, "in the public box"),
        ([[np.nan, 0.5]], ValueError, "finite"),
        ([[np.inf, 0.5]], ValueError, "finite"),
        ([0.5, 0.5], ValueError, "shape"),
        ([[0.5]], ValueError, "shape"),
        ([["x", 0.5]], TypeError, "real numbers"),
    ],
)
def test_bad_queries_are_refused_by_name(queries, error, words):
    release = Curves([0.0, 0.0], [1.0, 1.0], np.zeros((2, 5)))
    with pytest.raises(error, match=f"^queries must.*{words}"):
        answer(release, queries)
    params = Params(n=1, d=2, epsilon=1, lower=0, upper=1)
    with pytest.raises(error, match=r"^queries must"):
        truth([[0.5, 0.5]], queries, params)


@pytest.mark.parametrize(
    "change",
    [
        {"n": 0},
        {"d": 0},
        {"epsilon": 0},
        {"delta": 1},
        {"beta": 1},
        {"cells": 1000},
        {"cells": 1},
        {"outside": "drop"},
        {"diameter": 2.5},
        {"diameter": 0},
        {"convex": "yes"},
        {"lower": (0.0, 0.0, 0.0)},
        {"center": (0.5, 1.5)},
    ],
)
def test_bad_parameters_name_themselves_and_show_their_value(change):
    ((name, value),) = change.items()
    with pytest.raises(ValueError, match=f"^{name} must") as caught:
        Params(**({"lower": 0, "upper": 1} | {"n": 9, "d": 2, "epsilon": 1.0, **change}))
    assert str(value) in str(caught.value)


def test_an_empty_box_is_refused():
    with pytest.raises(ValueError, match="lower must be below upper everywhere, not"):
        Params(n=9, epsilon=1, lower=1.0, upper=1.0)


SECRET = 0.8125


@pytest.mark.parametrize(
    ("data", "outside", "error"),
    [
        ([[SECRET, np.nan]] * 3, "clip", ValueError),
        ([[SECRET, np.inf]] * 3, "clip", ValueError),
        ([[SECRET, SECRET + 1]] * 3, "refuse", ValueError),
        ([[SECRET, 0.9]] * 3, "refuse", ValueError),  # inside the box, beyond the diameter
        ([[SECRET]] * 3, "clip", ValueError),
        ([[SECRET, 0.5]] * 4, "clip", ValueError),
        ([[SECRET, "x"]] * 3, "clip", TypeError),
        ([[SECRET, 0.5], [SECRET], [0.5, 0.5]], "clip", TypeError),
        (None, "clip", TypeError),
    ],
)
def test_bad_data_are_refused_without_showing_them(data, outside, error):
    params = Params(n=3, d=2, epsilon=1, diameter=1.0, outside=outside, lower=0, upper=1)
    with pytest.raises(error, match=r"^data must") as caught:
        prepare(data, params)
    assert "8125" not in str(caught.value)
    assert "4" not in str(caught.value)  # nor how many there were


def test_records_outside_the_box_are_clipped_one_by_one():
    params = Params(n=2, d=2, epsilon=1, cells=4, lower=0, upper=1)
    outside, clipped = [[-3.0, 0.4], [0.2, 9.0]], [[0.0, 0.4], [0.2, 1.0]]
    assert np.array_equal(
        cell_slopes(prepare(outside, params), params), cell_slopes(prepare(clipped, params), params)
    )


@given(st.integers(0, 10**6), st.floats(0.05, 1.0), UNIT)
def test_rows_are_confined_one_by_one_and_admissible_ones_stay(seed, part, place):
    rng = np.random.default_rng(seed)
    params = Params(n=20, d=3, epsilon=1, upper=(1.0, 2.0, 0.5), center=(place, 0.3, 0.1), lower=0)
    params = replace(params, diameter=part * params.total_width)
    data = rng.uniform(size=(20, 3)) * params.upper
    rows = prepare(data, params).points * params.widths
    far = np.abs(data - params.center_point).sum(axis=1)
    assert (
        np.abs(rows - params.center_point).sum(axis=1) <= params.diameter / 2 * (1 + 1e-12)
    ).all()
    near = far <= params.diameter / 2
    assert np.abs(rows - data)[near].max(initial=0) <= ROUNDING
    alone = prepare(data[:1], replace(params, n=1)).points * params.widths
    assert alone == pytest.approx(rows[:1], rel=1e-9)  # whatever the other records are


def test_prepared_data_stand_for_the_records_of_their_own_box_only():
    params, rng = Params(n=50, d=2, epsilon=1, cells=16, lower=0, upper=1), np.random.default_rng(3)
    data = rng.uniform(size=(50, 2))
    ready = prepare(data, params)
    assert prepare(ready, replace(params, epsilon=2.0, beta=0.1)) is ready
    assert prepare(ready, replace(params, cells=8)) is ready  # counted anew, not prepared anew
    with pytest.raises(ValueError, match="prepared for another box"):
        prepare(ready, replace(params, diameter=1.0))


def test_many_records_are_counted_as_a_few_are():
    """Blocks: 20,000 records at once, against one histogram."""
    rng = np.random.default_rng(4)
    data = rng.uniform(size=(20_000, 2))
    params = Params(n=20_000, d=2, epsilon=1, cells=64, lower=0, upper=1)
    counts, inside = prepare(data, params).cell_counts(64)
    for i in range(2):
        assert np.array_equal(counts[i], np.histogram(data[:, i], 64, (0, 1))[0])
    assert inside.sum() == pytest.approx((64 * data % 1).sum(), rel=1e-9)  # 40,000 doubles


# Post-processing


def band(release, true):
    """How far curves lie below and above others, at most, at grid points; arrays (d,)."""
    gap = release.values - true.values
    return np.maximum(0, -gap.min(axis=1)), np.maximum(0, gap.max(axis=1))


@given(COLUMN, st.integers(0, 10**6), st.floats(0.001, 1.0))
@settings(max_examples=200)
def test_convex_curves_are_never_lower_and_higher_by_no_more_than_was_proved(data, seed, size):
    params = Params(n=len(data), epsilon=1, cells=8, lower=0, upper=1)
    true = exact_curves(data, params)
    noise = size * np.random.default_rng(seed).normal(size=(1, 9))
    noise[:, -1] = -noise[:, 0]  # as in every release but the anchored one
    noisy = Curves(true.lower, true.upper, true.values + noise)
    again = convex(noisy)
    slopes = np.diff(again.values[0]) * 8
    assert (np.diff(slopes) >= -1e-9).all()  # differences of doubles, times 8
    assert np.abs(slopes).max() <= 1 + 1e-9
    assert again.values[0, [0, -1]].sum() == pytest.approx(1, abs=ROUNDING)
    (below,), (above,) = band(noisy, true)
    (below_now,), (above_now,) = band(again, true)
    assert below_now <= below + ROUNDING
    assert above_now <= above + below + ROUNDING


@given(COLUMN)
def test_true_curves_are_left_alone(data):
    true = exact_curves(data, Params(n=len(data), epsilon=1, cells=8, lower=0, upper=1))
    assert convex(true).values == pytest.approx(true.values, abs=ROUNDING)


def test_convex_curves_can_be_too_high_by_more_than_the_released_ones():
    """Why the proved bound doubles: a wedge whose ends noise has pulled up and its tip too."""
    true = Curves([0.0], [1.0], [[0.5, 0.25, 0.0, 0.25, 0.5]])
    noise = np.array([[0.0, -0.1, 0.1, -0.1, 0.0]])
    noisy = Curves(true.lower, true.upper, true.values + noise)
    assert band(convex(noisy), true)[1][0] > band(noisy, true)[1][0] + 0.02


def test_without_ends_that_add_up_to_the_width_errors_can_nearly_triple():
    """Why the bound of the anchored release triples: both ends too high, the slopes clipped."""
    grid = np.linspace(0, 1, 65)
    true = Curves([0.0], [1.0], np.abs(grid - 0.5)[None])
    values = np.full((1, 65), 0.25)
    values[0, [0, -1]] = 0.75
    noisy = Curves([0.0], [1.0], values)
    assert max(band(noisy, true)) == 0.25
    below, above = band(convex(noisy), true)
    assert below == 0
    assert above[0] == pytest.approx(0.75 - 1 / 64, abs=ROUNDING)  # 2.9 times 0.25


@given(COLUMN, st.integers(0, 10**6), st.floats(0.001, 1.0))
@settings(max_examples=200)
def test_whatever_the_ends_errors_at_most_triple(data, seed, size):
    true = exact_curves(data, Params(n=len(data), epsilon=1, cells=8, lower=0, upper=1))
    noise = size * np.random.default_rng(seed).normal(size=(1, 9))
    noisy = Curves(true.lower, true.upper, true.values + noise)
    (below,), (above,) = band(noisy, true)
    (below_now,), (above_now,) = band(convex(noisy), true)
    assert below_now <= below + ROUNDING
    assert above_now <= below + 2 * above + ROUNDING


@pytest.mark.parametrize(("lower", "upper"), [((2,), (3,)), ((3,), (2,)), ((), (2,)), ((2,), ())])
def test_a_box_of_the_wrong_shape_is_refused_on_either_side(lower, upper):
    with pytest.raises(ValueError, match="curves must have shapes"):
        Curves(np.zeros(lower), np.ones(upper), np.zeros((2, 5)))
