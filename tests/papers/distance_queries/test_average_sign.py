"""The sign release: sensitivity by brute force, exact variance, the law of the largest noise."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet
from dpviz.papers.distance_queries.releases.average_sign import Params
from dpviz.papers.distance_queries.releases.curves import (
    cell_slopes,
    convex,
    from_slopes,
    interpolated,
    prepare,
    resolution,
)
from dpviz.privacy.curator import BudgetExceeded, Curator

PLACES = np.unique(np.append(np.linspace(0, 1, 129), np.random.default_rng(0).uniform(size=60)))
PRICE = {"epsilon": 1.0, "delta": 1e-6}
WIDE = (0.4, 1.0, 2.6)  # W = 4


def vectors(params, records):
    """What gets white noise, for each record alone; shape (records, d m)."""
    alone = replace(params, n=1)
    return np.array(
        [
            average_sign._whitened(cell_slopes(prepare(x[None], alone), alone), alone).ravel()
            for x in records
        ]
    )


def largest_move(params, records):
    """Largest squared L2 distance over all pairs."""
    v = vectors(params, records)
    squares = (v**2).sum(axis=1)
    return float((squares[:, None] + squares - 2 * v @ v.T).max())


@pytest.mark.parametrize("r", [0.5, 0.7, 1.0])
def test_one_coordinate_moves_by_two_and_no_more(monkeypatch, r):
    monkeypatch.setattr(average_sign, "_detail_variance", lambda params: r)
    params = Params(n=1, cells=32, lower=0, upper=1, **PRICE)
    assert largest_move(params, PLACES[:, None]) == pytest.approx(4, rel=1e-9)  # doubles
    assert average_sign.sensitivity(params) == pytest.approx(2)


@pytest.mark.parametrize("r", [0.35, 0.45])
def test_less_than_half_the_variance_on_the_details_is_not_free(monkeypatch, r):
    """On a full box S_r = W / (r (1 - r)) there, more than the 4 W that would be paid."""
    monkeypatch.setattr(average_sign, "_detail_variance", lambda params: r)
    moved = largest_move(Params(n=1, cells=32, lower=0, upper=1, **PRICE), PLACES[:, None])
    assert 4.01 < moved <= 1 / (r * (1 - r)) * (1 + 1e-9)
    assert moved == pytest.approx(1 / (r * (1 - r)), rel=0.005)  # places are 1 / 128 apart


@pytest.mark.parametrize("share", [1.0, 0.8, 0.5, 0.2])
def test_boxes_with_confined_rows_never_move_by_more(share):
    params = Params(n=1, d=3, upper=WIDE, cells=32, diameter=4 * share, lower=0, **PRICE)
    rng = np.random.default_rng(1)
    some = params.center_point + rng.uniform(-1, 1, (400, 3)) * params.widths * share
    ends = params.center_point + np.array([[0.5], [-0.5]]) * share * params.widths
    most = largest_move(params, np.vstack([some, ends]))
    bound = average_sign.sensitivity(params) ** 2
    assert bound * 0.98 <= most <= bound * (1 + 1e-9)  # 0.98: cells of 1 / 32


def test_the_tilt_is_the_best_one_for_uniform_queries():
    for share in np.linspace(0.05, 1, 39):
        params = Params(n=1, diameter=share, lower=0, upper=1, **PRICE)
        tried = np.linspace(0.5, 1, 501)
        variance = (share + (1 - share) / tried) * (1 + 2 * tried)
        r = average_sign._detail_variance(params)
        assert (share + (1 - share) / r) * (1 + 2 * r) <= variance.min() * (1 + 1e-9)


def noise_map(params):
    """The curve's noise for each unit of noise in each cell of one coordinate; (m, m + 1)."""
    many = replace(params, d=params.cells)
    unit = average_sign._unwhitened(np.eye(params.cells), many)
    return from_slopes(unit, many) - from_slopes(0 * unit, many)


def test_the_standard_deviation_is_exact_everywhere():
    params = Params(n=1, cells=16, lower=0, upper=1, **PRICE)
    y = np.random.default_rng(2).uniform(size=50)
    grid = np.linspace(0, 1, 17)
    weights = np.array([np.interp(y, grid, row) for row in noise_map(params)])
    sd = np.sqrt((weights**2).sum(axis=0)) * average_sign._white_noise_sd(params)
    assert average_sign.standard_deviation(params, y) == pytest.approx(sd, rel=1e-9)


def test_corner_centre_and_between_have_the_stated_noise():
    """10,000 releases; chi-square interval with false-alarm probability 1e-5 for each place."""
    draws, y = 10_000, np.array([0.0, 0.5, 0.25])
    params = Params(
        n=1, d=draws, cells=32, lower=0, upper=1, **PRICE
    )  # 10,000 coordinates, each a release
    rng = np.random.default_rng(3)
    white = average_sign._white_noise_sd(replace(params, d=1)) * rng.normal(size=(draws, 32))
    curves = from_slopes(average_sign._unwhitened(white, params), params) - 0.5
    sd = curves[:, [0, 16, 8]] / average_sign.single_query_sd(replace(params, d=1))
    exact = np.sqrt([1.0, 0.5, 0.625])
    low, high = stats.chi2.interval(1 - 1e-5, draws)
    for measured, variance in zip((sd**2).sum(axis=0), exact**2, strict=True):
        assert low <= measured / variance <= high
    stated = average_sign.standard_deviation(replace(params, d=1), y)
    assert stated / average_sign.single_query_sd(replace(params, d=1)) == pytest.approx(exact)


def test_the_release_draws_this_noise():
    """2,000 releases in a box: variance at three queries, interval 1e-5 for each."""
    params = Params(n=4, d=2, upper=(1.0, 3.0), cells=8, convex=False, lower=0, **PRICE)
    y = np.array([[0.0, 0.0], [0.5, 1.5], [0.3, 2.9]])
    ready = prepare(np.full((4, 2), 0.5), params)
    answers = np.array(
        [
            interpolated(average_sign.release(ready, params, Curator(rng=seed, **PRICE)), y)
            for seed in range(2000)
        ]
    )
    ratio = ((answers - answers.mean(axis=0)) ** 2).sum(axis=0)
    ratio /= average_sign.standard_deviation(params, y) ** 2
    low, high = stats.chi2.interval(1 - 1e-5, 1999)
    assert (low <= ratio).all()
    assert (ratio <= high).all()


@pytest.mark.parametrize("d", [1, 10])
def test_every_query_costs_about_what_the_worst_one_alone_does(d):
    params = Params(n=1000, d=d, convex=False, lower=0, upper=1, **PRICE)
    rng = np.random.default_rng(4)
    y = rng.uniform(size=(20_000, d)) if d > 1 else rng.uniform(size=20_000)
    sd = average_sign.standard_deviation(params, y) / average_sign.single_query_sd(params)
    assert sd.max() <= 1 + 1e-12
    assert np.sqrt((sd**2).mean()) == pytest.approx(math.sqrt(2 / 3), rel=0.01)  # 20,000 queries
    corner = average_sign.standard_deviation(params, np.zeros((1, d)))
    assert corner.ravel()[0] == pytest.approx(average_sign.single_query_sd(params))


def largest_noise(params, draws, rng):
    """Largest absolute noise over all queries, in many releases (public law)."""
    total = np.zeros((2, draws))
    for width in params.widths:
        one = replace(params, d=draws, lower=0.0, upper=float(width), center=None)
        white = average_sign._white_noise_sd(params) * rng.normal(size=(draws, params.cells))
        curves = from_slopes(average_sign._unwhitened(white, one), one) - width / 2
        total += [curves.max(axis=1), -curves.min(axis=1)]
    return total.max(axis=0)


@pytest.mark.parametrize("upper", [(1.0,), (1.0, 1.0), WIDE, (1.0,) * 10])
def test_the_bound_for_all_queries_holds_and_is_close(upper):
    """4,000 releases: exceedances within the binomial (1e-6); at most 1.35 times the quantile."""
    params = Params(n=1000, d=len(upper), upper=upper, cells=512, convex=False, lower=0, **PRICE)
    top = largest_noise(params, 4000, np.random.default_rng(5))
    bound = average_sign.error_bound(params) - resolution(params)
    assert (top > bound).sum() <= stats.binom.isf(1e-6, len(top), params.beta)
    assert bound <= 1.35 * np.quantile(top, 1 - params.beta)


def error_of(mechanism, params, data, queries, seed):
    """The largest error of one release with a fresh budget."""
    made = mechanism.release(data, params, params.curator(rng=seed))
    return np.abs(curves.answer(made, queries) - curves.truth(data, queries, params)).max()


def test_the_bound_for_k_queries_holds_over_seeds():
    """500 runs at 200 random queries: exceedances within the binomial (1e-6)."""
    params = Params(n=200, d=3, cells=64, convex=False, lower=0, upper=1, **PRICE)
    rng = np.random.default_rng(7)
    data, y = rng.uniform(size=(200, 3)), rng.uniform(size=(200, 3))
    ready = prepare(data, params)
    bound = average_sign.error_bound(params, k=200)
    errors = np.array([error_of(average_sign, params, ready, y, seed) for seed in range(500)])
    assert (errors > bound).sum() <= stats.binom.isf(1e-6, 500, params.beta)
    assert bound <= 1.5 * np.quantile(errors, 0.95)


def test_the_bound_allows_for_the_grid():
    """All records in the middle of a cell, a great epsilon: the error is the resolution."""
    params = Params(n=10, epsilon=1e6, delta=0.5, cells=4, convex=False, lower=0, upper=1)
    error = error_of(average_sign, params, np.full(10, 0.125), [0.125], 0)
    assert error == pytest.approx(resolution(params), rel=1e-3)
    assert error <= average_sign.error_bound(params, k=1) <= 1.01 * resolution(params)


def test_post_processing_doubles_what_is_proved():
    params = Params(n=100, d=3, cells=64, convex=False, lower=0, upper=1, **PRICE)
    grid, smooth = resolution(params), replace(params, convex=True)
    assert average_sign.error_bound(smooth) - grid == pytest.approx(
        2 * (average_sign.error_bound(params) - grid)
    )
    assert average_sign.error_bound(smooth, k=1) == average_sign.error_bound(smooth)


def ratios(data, repeats, rng):
    """After over before post-processing: rms at random queries, and the largest error."""
    n, d = data.shape
    params = Params(n=n, d=d, convex=False, lower=0, upper=1, **PRICE)
    ready = prepare(data, params)
    true = from_slopes(cell_slopes(ready, params), params)
    y = rng.uniform(size=(1000, d))
    y = y[:, 0] if d == 1 else y
    found = []
    for seed in range(repeats):
        before = average_sign.release(ready, params, Curator(rng=seed, **PRICE))
        exact = type(before)(before.lower, before.upper, true)
        for made in (before, convex(before)):
            gap = average_sign.answer(made, y) - average_sign.answer(exact, y)
            tops = (
                (made.values - true).max(axis=1).sum(),
                (true - made.values).max(axis=1).sum(),
            )
            found.append([np.mean(gap**2), max(tops)])
    found = np.array(found).reshape(repeats, 2, 2)
    mean = found.mean(axis=0)
    return math.sqrt(mean[1, 0] / mean[0, 0]), mean[1, 1] / mean[0, 1]


def test_convex_post_processing_helps_one_curve_and_not_a_sum_of_ten():
    """Why it is off unless asked for: n = 10,000, 60 releases each, with the same noise."""
    rng = np.random.default_rng(8)
    rms, top = ratios(rng.choice([0.3, 0.7], (10_000, 1)), 60, rng)
    assert rms < 0.9
    assert top < 0.8
    rms, top = ratios(rng.beta(2, 5, (10_000, 1)), 60, rng)
    assert rms < 1.02  # nothing to gain on smooth data
    assert top < 0.97
    rms, top = ratios(rng.beta(2, 5, (10_000, 10)), 60, rng)
    assert rms > 1.03
    assert top < 0.95


def test_at_one_coordinate_the_pure_release_is_better():
    """(1, 1e-6), d = 1: smaller rms and smaller worst noise, with delta = 0 besides."""
    params = Params(n=1000, convex=False, lower=0, upper=1, **PRICE)
    y = (np.arange(4000) + 0.5) / 4000
    ours, pure = (
        f(params, y) for f in (average_sign.standard_deviation, haar_wavelet.standard_deviation)
    )
    assert np.sqrt((pure**2).mean()) < np.sqrt((ours**2).mean())
    assert pure.max() < ours.max()
    two = replace(params, d=2)
    y = np.stack([y, y[::-1]], axis=1)
    assert (
        haar_wavelet.standard_deviation(two, y).mean()
        > average_sign.standard_deviation(two, y).mean()
    )


def test_nothing_is_spent_on_a_refusal():
    curator = Curator(epsilon=1, delta=1e-6, rng=0)
    pure = Params(n=2, epsilon=1, cells=4, lower=0, upper=1)
    with pytest.raises(ValueError, match=r"delta must be a number with 0 < delta < 1, not 0\.0"):
        average_sign.release([0.1, 0.2], pure, curator)
    with pytest.raises(ValueError, match="data must be finite"):
        average_sign.release(
            [0.1, np.nan], Params(n=2, cells=4, lower=0, upper=1, **PRICE), curator
        )
    with pytest.raises(BudgetExceeded):
        average_sign.release(
            [0.1, 0.2], Params(n=2, cells=4, epsilon=2, delta=1e-6, lower=0, upper=1), curator
        )
    assert curator.ledger.charges == ()
    with pytest.raises(ValueError, match=r"k must be a whole number, at least 1 .*, not 0"):
        average_sign.error_bound(Params(n=2, lower=0, upper=1, **PRICE), k=0)
