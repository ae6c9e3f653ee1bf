"""L by brute force: its values, its exact sensitivity, its trap."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.papers.small_cluster import good_radius
from dpviz.papers.small_cluster.public_grid import grid_points, squared_distances
from dpviz.papers.small_cluster.radius_quality import (
    _counts,
    _radius_index,
    quality_steps,
    radius_grid,
    score,
    score_at,
    score_breakpoints,
)

ROOM = 1 + 1e-12  # the grid's radii are square roots, rounded once


def brute(points, t, radii):
    """L by its definition; null rows have count 0."""
    alive = points[~np.isnan(points[:, 0])]
    far = np.sqrt(((alive[:, None] - alive[None]) ** 2).sum(-1))
    scores = []
    for r in radii:
        counts = np.zeros(len(points))
        counts[: len(alive)] = np.minimum((far <= r * ROOM).sum(axis=1), t)
        scores.append(np.sort(counts)[len(points) - t :].sum() / t)
    return np.array(scores)


@st.composite
def tables(draw):
    """Rows on a small grid with ties and null rows, and t."""
    size, d = draw(st.integers(2, 40)), draw(st.integers(1, 3))
    row = st.tuples(*[st.integers(0, size - 1)] * d)
    rows = draw(st.lists(st.one_of(row, st.just((np.nan,) * d)), min_size=1, max_size=25))
    return np.array(rows, dtype=float), draw(st.integers(1, len(rows))), size


@given(tables())
def test_both_methods_to_count_agree_with_the_definition_ties_and_null_rows_included(case):
    points, t, size = case
    radii = radius_grid(size, points.shape[1])
    expected = brute(points, t, radii)
    assert np.allclose(score(points, t, size), expected, atol=1e-9)  # sums of whole numbers / t
    assert np.allclose(score_at(score_breakpoints(points, t), t, radii * ROOM), expected, atol=1e-9)


# Statements: NSV Remark 4.4.
@given(tables(), st.integers(0, 50))
def test_the_quality_by_intervals_is_that_of_every_half_step(case, margin):
    """Against the definition at each half step; there are at most 2 t^2 + 1 intervals."""
    points, t, size = case
    radii = np.arange(2 * size * points.shape[1] + 1) / 2
    steps = quality_steps(score_breakpoints(points, t), t, margin, len(radii))
    before, here = brute(points, t, radii / 2), brute(points, t, radii)
    expected = np.minimum(t - before, here - t + margin) / 2
    assert np.allclose(steps.at(np.arange(len(radii))), expected, atol=1e-9)  # whole numbers / t
    assert len(steps.starts) <= 2 * t**2 + 1


@pytest.mark.parametrize("spread", [1.0, 0.02], ids=["all near", "three places far apart"])
def test_many_rows_in_blocks_count_like_one_table(spread):
    """Blocks that are too far apart for any pair are passed over, and only those."""
    rng = np.random.default_rng(0)
    places = rng.choice([0.0, 0.5, 0.98], (1300, 1)) if spread < 1 else 0.0
    points = grid_points(places + spread * rng.uniform(size=(1300, 2)), 200)
    blocks = score_at(score_breakpoints(points, 300), 300, radius_grid(200, 2) * ROOM)
    assert score(points, 300, 200) == pytest.approx(blocks, rel=1e-9)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 1.0])
def test_rows_near_each_other_are_counted_whether_few_pairs_are_near_or_most(share):
    """Blocks in which most pairs are near are counted as a whole, others pair by pair."""
    points = grid_points(np.random.default_rng(0).uniform(size=(600, 2)), 200)
    squares = squared_distances(points, points)
    radii = radius_grid(200, 2)
    last = int(np.searchsorted(radii, np.sqrt(np.quantile(squares, share))))
    expected = [(squares <= radius**2 * ROOM).sum(axis=1) for radius in radii[: last + 1]]
    assert np.array_equal(_counts(points, radii, last), np.transpose(expected))


@given(st.integers(0, 2**40))
def test_the_place_of_a_squared_distance_is_the_first_radius_that_reaches_it(square):
    squares = [0.0, *(2.0**k * m for k in range(-1, 42) for m in (1.0, 1.5))]
    assert _radius_index(np.array([float(square)]))[0] == np.searchsorted(squares, square)


def largest_change(n, t, places, null):
    """Of L at any radius, over all data sets of n rows on a line or in the plane, one replaced."""
    rows = [*places, (np.nan,) * len(places[0])] if null else places
    span = max(max(place) for place in places)
    radii = np.sqrt(np.arange(2 * span**2 + 1))
    worst = 0.0
    for base in itertools.combinations_with_replacement(rows, n - 1):
        scores = [brute(np.array([*base, row], dtype=float), t, radii) for row in rows]
        worst = max(worst, *(np.abs(a - b).max() for a in scores for b in scores))
    return worst


LINE, PLANE = [(i,) for i in range(5)], list(itertools.product(range(2), repeat=2))


# Statements: NSV Section 3.1 (score).
@pytest.mark.parametrize(("places", "n"), [(LINE, 3), (LINE, 4), (PLANE, 4)])
@pytest.mark.parametrize("null", [False, True])
def test_the_sensitivity_is_exactly_2_less_2_over_t_and_1_over_t_with_null_rows(places, n, null):
    """By brute force. With null rows the worst case needs t = n."""
    for t in range(1, n + 1):
        exact = 2 - (1 if null and t == n else 2) / t
        found = largest_change(n, t, places, null)
        assert found <= (2 - 1 / t if null else 2 - 2 / t) + 1e-9
        if t == n:
            assert found == pytest.approx(exact)


def test_the_heaviest_ball_is_a_bad_score_one_record_halves_it():
    """Two clusters at 0 and 2: a record at 1 sees both, another sees one."""
    two_clusters = [(0.0,)] * 20 + [(2.0,)] * 20
    whole, halved = (np.array([*two_clusters, (x,)]) for x in (1.0, 9.0))
    heaviest = [
        (squared_distances(points, points) <= 1).sum(axis=1).max() for points in (whole, halved)
    ]
    assert heaviest == [41, 20]
    change = np.abs(score(whole, 40, 10) - score(halved, 40, 10)).max()
    assert change <= 2 - 2 / 40


def test_squared_distances_are_exact_up_to_the_largest_grid():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2**16, size=(300, 50))
    exact = ((rows[:, None].astype(object) - rows[None, :5].astype(object)) ** 2).sum(-1)
    assert (
        squared_distances(rows.astype(float), rows[:5].astype(float)) == exact.astype(float)
    ).all()


# Statements: NSV Remark 3.3.
def test_points_off_the_grid_are_rounded_one_by_one_and_outside_the_cube_clipped():
    params = good_radius.Params(t=1, d=1, epsilon=1, lower=0, upper=1)
    assert grid_points(params.rows_of([[0.26], [-3.0], [7.0]]), 5).ravel().tolist() == [1, 0, 4]
    with pytest.raises(ValueError, match="public bounds"):
        replace(params, outside="refuse").rows_of([[1.5]])


def test_neighbouring_radii_are_at_most_a_factor_1_225_apart():
    radii = radius_grid(2**16, 10)
    assert (radii[2:] / radii[1:-1]).max() <= np.sqrt(1.5) * ROOM
    assert radii[-1] >= np.sqrt(10) * (2**16 - 1)
    assert len(radii) == 75
