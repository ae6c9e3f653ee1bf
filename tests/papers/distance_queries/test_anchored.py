"""The anchored release: joint sensitivity, exact variance, and when it beats the sign release."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpviz.audit.transcript import Recorder
from dpviz.papers.distance_queries.releases import anchored, average_sign, curves
from dpviz.papers.distance_queries.releases.anchored import Params
from dpviz.papers.distance_queries.releases.curves import interpolated, prepare, resolution, truth
from dpviz.privacy.curator import Curator

PRICE = {"epsilon": 1.0, "delta": 1e-6}


def vector(params, record):
    """What gets white noise, for one record alone."""
    curator = Recorder(rng=0, **PRICE)
    anchored.release(record[None], replace(params, n=1), curator)
    return curator.questions[0][0].private


@pytest.mark.parametrize("center", [None, 0.0, (0.2, 0.5, 0.9)])
def test_no_two_rows_move_by_more_and_some_move_by_all(center):
    """Rows anywhere in the ball, on its axes and in its middle: squared moves up to 8 rho."""
    params = Params(n=1, d=3, diameter=0.8, center=center, cells=64, lower=0, upper=1, **PRICE)
    rng = np.random.default_rng(1)
    middle, radius = params.center_point, anchored._radius(params)
    steps = np.vstack([np.eye(3), -np.eye(3), np.zeros((1, 3)), rng.laplace(size=(60, 3)) * 0.3])
    rows = np.clip(middle + radius * steps, 0, 1)
    v = np.array([vector(params, row) for row in rows])
    most = ((v[:, None] - v[None]) ** 2).sum(axis=2).max()
    bound = anchored._sensitivity(params) ** 2
    assert most <= bound * (1 + 1e-9)
    assert most >= 0.97 * bound  # the cells are 1 / 64


def test_the_weight_of_the_center_is_the_best_one():
    """The worst variance over queries in the ball, for other weights of F(c)."""
    for tried in np.linspace(0.2, 4, 77) ** 2:  # alpha^2 rho
        moved = max(tried + 4, 8)  # over rho
        assert moved * (1 / tried + 1) >= 8 * 1.25 - 1e-12


def test_the_standard_deviation_is_exact_everywhere():
    """Against the covariance of the released curves, from the noise of each cell."""
    params = Params(n=1, d=1, diameter=0.9, center=0.3, cells=16, lower=0, upper=1, **PRICE)
    y, grid = np.random.default_rng(2).uniform(size=60), np.linspace(0, 1, 17)
    paths = np.concatenate([np.zeros((16, 1)), np.cumsum(np.eye(16), axis=1)], axis=1) / 4
    weights = np.array([np.interp(y, grid, path) - np.interp(0.3, grid, path) for path in paths])
    variance = (weights**2).sum(axis=0) + anchored._radius(params) / 4
    exact = anchored._white_noise_sd(params) * np.sqrt(variance)
    assert anchored.standard_deviation(params, y) == pytest.approx(exact, rel=1e-9)


def test_the_release_draws_this_noise():
    """2,000 releases in a box with an odd center: chi-square intervals, 1e-5 for each query."""
    params = Params(
        n=3, d=2, upper=(1.0, 2.0), diameter=0.8, center=(0.3, 1.1), cells=8, lower=0, **PRICE
    )
    y = np.array([[0.3, 1.1], [0.5, 1.0], [0.05, 1.2], [1.0, 2.0]])
    ready = prepare(np.full((3, 2), 0.4), params)
    answers = np.array(
        [
            interpolated(anchored.release(ready, params, Curator(rng=seed, **PRICE)), y)
            for seed in range(2000)
        ]
    )
    ratio = ((answers - answers.mean(axis=0)) ** 2).sum(axis=0)
    ratio /= anchored.standard_deviation(params, y) ** 2
    low, high = stats.chi2.interval(1 - 1e-5, 1999)
    assert ((low <= ratio) & (ratio <= high)).all()


def test_without_noise_the_answers_are_exact_but_for_the_grid():
    params = Params(
        n=30, d=3, epsilon=1e7, delta=0.5, diameter=1.0, center=(0.3, 0.5, 0.7), lower=0, upper=1
    )
    params = replace(params, cells=64)
    rng = np.random.default_rng(3)
    data, y = rng.uniform(size=(30, 3)), rng.uniform(size=(200, 3))
    release = anchored.release(data, params, Curator(epsilon=1e7, delta=0.5, rng=0))
    gap = np.abs(anchored.answer(release, y) - truth(data, y, params))
    assert gap.max() <= resolution(params) + 1e-4  # the noise left at this epsilon
    at_center = anchored.answer(release, params.center_point[None])
    assert at_center == pytest.approx(truth(data, params.center_point[None], params), abs=1e-4)


def test_in_the_simplex_the_price_does_not_grow_with_the_dimension():
    """Rows with sum at most 1, queries too: sqrt(10) kappa / n whatever d is; signs sqrt(2 d)."""
    for d in (6, 50, 500):
        params = Params(n=1000, d=d, diameter=2.0, center=0.0, cells=64, lower=0, upper=1, **PRICE)
        unit = average_sign.single_query_sd(params) / 2  # kappa / n
        worst = anchored.standard_deviation(params, np.eye(d)[:1])[0]
        assert worst / unit == pytest.approx(math.sqrt(10))
        assert anchored.advantage(params) == pytest.approx(math.sqrt(2 * d / 10))


def test_it_is_sharper_than_the_sum_of_both_parts_worst_cases():
    """delta_c + 2 sqrt(Delta R) with R = delta_c = Delta / 2 would be 1.92 Delta; it is 1.58."""
    params = Params(n=1, d=4, diameter=1.0, cells=64, lower=0, upper=1, **PRICE)
    edge = np.add(params.center_point, [[0.5, 0, 0, 0]])
    ratio = anchored.standard_deviation(params, edge)[0] / average_sign.single_query_sd(params)
    assert ratio == pytest.approx(math.sqrt(2.5))
    assert ratio < 0.5 + 2 * math.sqrt(0.5)


def test_on_a_full_box_the_sign_release_is_better():
    params = Params(n=1, d=4, diameter=4.0, lower=0, upper=1, **PRICE)
    assert anchored.advantage(params) < 1


def error_of(mechanism, params, data, queries, seed):
    """The largest error of one release with a fresh budget."""
    made = mechanism.release(data, params, params.curator(rng=seed))
    return np.abs(curves.answer(made, queries) - curves.truth(data, queries, params)).max()


def test_the_bounds_hold_over_seeds_and_are_close():
    """400 runs: 100 queries in the ball, and the corners of the box too; chance below 1e-6."""
    params = Params(n=200, d=3, diameter=1.0, cells=512, lower=0, upper=1, **PRICE)
    rng = np.random.default_rng(4)
    near = params.center_point + 0.5 * rng.dirichlet(np.ones(3), 100) * rng.choice(
        [-1, 1], (100, 3)
    )
    far = np.vstack([near, rng.choice([0.0, 1.0], (100, 3))])
    ready = prepare(rng.uniform(size=(200, 3)), params)
    for y, close in ((near, 1.6), (far, 2.5)):
        bound = anchored.error_bound(params, k=len(y))
        errors = np.array([error_of(anchored, params, ready, y, seed) for seed in range(400)])
        assert (errors > bound).sum() <= stats.binom.isf(1e-6, 400, params.beta)
        assert bound <= close * np.quantile(errors, 0.95)


def test_it_needs_a_diameter_and_says_so_before_anything_is_spent():
    curator = Curator(rng=0, **PRICE)
    with pytest.raises(ValueError, match="diameter must be a number here"):
        anchored.release([[0.1, 0.2]], Params(n=1, d=2, lower=0, upper=1, **PRICE), curator)
    with pytest.raises(ValueError, match="delta must be"):
        anchored.release(
            [[0.1, 0.2]], Params(n=1, d=2, epsilon=1, diameter=1.0, lower=0, upper=1), curator
        )
    assert curator.ledger.charges == ()


def test_made_convex_the_noise_may_triple():
    params = Params(n=200, d=3, diameter=1.0, convex=False, lower=0, upper=1, **PRICE)
    noise = anchored.error_bound(params) - resolution(params)
    smooth = anchored.error_bound(replace(params, convex=True)) - resolution(params)
    assert smooth == pytest.approx(3 * noise)
