"""The counting tree: least squares, sensitivity, bounds."""

import numpy as np
import pytest
from scipy import stats

from dpviz.papers.distance_queries.baselines import continual_counting
from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet
from dpviz.papers.distance_queries.releases.curves import Params, prepare, resolution, truth
from dpviz.privacy.curator import Curator


def incidence(J):
    """Which cells each dyadic interval of levels 1 ... J holds; (2 m - 2, m)."""
    rows = [np.kron(np.eye(2**j), np.ones(2 ** (J - j))) for j in range(1, J + 1)]
    return np.vstack(rows)


@pytest.mark.parametrize("J", [1, 2, 3, 5])
def test_consistent_counts_are_the_least_squares_ones(J):
    """With the known n as an equation of great weight."""
    rng, m = np.random.default_rng(J), 2**J
    noisy = rng.normal(size=(2, 2 * m - 2)) * 10
    matrix = np.vstack([incidence(J), 1e5 * np.ones((1, m))])
    for row, ours in zip(noisy, continual_counting._consistent(noisy, 7), strict=True):
        exact = np.linalg.lstsq(matrix, np.append(row, 7e5), rcond=None)[0]
        assert ours == pytest.approx(exact, abs=1e-5)  # the weight stands for infinity


def test_dyadic_counts_are_sums_of_cells():
    counts = np.random.default_rng(0).integers(0, 9, (3, 16))
    assert np.array_equal(continual_counting._dyadic_counts(counts), counts @ incidence(4).T)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_sensitivity_is_reached_by_opposite_corners_and_never_passed(delta):
    params = Params(n=1, d=2, epsilon=1, delta=delta, upper=(1.0, 3.0), cells=16, lower=0)
    rng, moved = np.random.default_rng(1), []
    rows = np.vstack([rng.uniform(size=(40, 2)), [[0, 0], [1, 1]]]) * params.upper
    share = continual_counting._shares(params)[:, None]
    v = [
        continual_counting._dyadic_counts(prepare(row[None], params).cell_counts(params.cells)[0])
        * share
        for row in rows
    ]
    for one in v:
        gap = np.abs(np.array(v) - one)
        moved.append(gap.sum(axis=(1, 2)) if not delta else np.sqrt((gap**2).sum(axis=(1, 2))))
    assert np.max(moved) == pytest.approx(continual_counting._sensitivity(params))


@pytest.mark.parametrize("delta", [0.0, 0.5])
def test_without_noise_it_is_off_by_the_grid_alone(delta):
    params = Params(n=50, d=2, epsilon=1e7, delta=delta, upper=(1.0, 2.0), cells=32, lower=0)
    rng = np.random.default_rng(2)
    data, y = rng.uniform(size=(50, 2)) * params.upper, rng.uniform(size=(300, 2)) * params.upper
    release = continual_counting.release(data, params, Curator(epsilon=1e7, delta=delta, rng=0))
    gap = np.abs(continual_counting.answer(release, y) - truth(data, y, params))
    assert gap.max() <= resolution(params) + 1e-3  # the noise left at this epsilon


def root_of_mean_square(gaps):
    return np.sqrt(np.mean(gaps**2))


def error_of(mechanism, params, data, queries, seed, norm=np.max):
    """The largest error of one release with a fresh budget, or another norm of its errors."""
    made = mechanism.release(data, params, params.curator(rng=seed))
    return norm(np.abs(curves.answer(made, queries) - truth(data, queries, params)))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("queries", [20, None])
def test_the_bounds_hold_over_seeds(delta, queries):
    """500 runs at random queries and corners: exceedances within the binomial (1e-6)."""
    params = Params(n=300, d=2, epsilon=1, delta=delta, upper=(1.0, 2.0), cells=64, lower=0)
    rng = np.random.default_rng(3)
    y = np.vstack([rng.uniform(size=(16, 2)), [[0, 0], [0, 1], [1, 0], [1, 1]]]) * params.upper
    ready = prepare(rng.uniform(size=(300, 2)) * params.upper, params)
    bound = continual_counting.error_bound(params, k=queries)
    errors = np.array([error_of(continual_counting, params, ready, y, i) for i in range(500)])
    assert (errors > bound).sum() <= stats.binom.isf(1e-6, 500, params.beta)
    if queries:
        assert bound <= 6 * np.quantile(errors, 0.95)  # before least squares


def test_it_loses_to_the_releases_without_a_tree():
    """Mean of 200 runs, d = 3: rms above that of signs, and of haar without delta."""
    rng, n = np.random.default_rng(4), 1000
    data, y = rng.uniform(size=(n, 3)), rng.uniform(size=(200, 3))
    for delta, other in ((1e-6, average_sign), (0.0, haar_wavelet)):
        params = Params(n=n, d=3, epsilon=1, delta=delta, lower=0, upper=1)
        ready = prepare(data, params)
        rms = [
            np.mean(
                [
                    error_of(mechanism, params, ready, y, seed, root_of_mean_square)
                    for seed in range(200)
                ]
            )
            for mechanism in (continual_counting, other)
        ]
        assert rms[0] > 1.2 * rms[1]
