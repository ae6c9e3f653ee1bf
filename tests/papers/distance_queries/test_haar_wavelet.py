"""The Haar release: the joint sensitivity by brute force, best weights, exact variance."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.releases import curves, haar_wavelet
from dpviz.papers.distance_queries.releases.curves import (
    Params,
    cell_slopes,
    from_slopes,
    interpolated,
    prepare,
    resolution,
)
from dpviz.papers.distance_queries.releases.haar_wavelet import (
    PAIR,
    _coefficients,
    _sizes,
    _synthesis,
    _weights,
    joint_sensitivity,
)
from dpviz.privacy.curator import Curator


def features(J, records):
    """Coefficients of each record alone; shape (records, 2^J)."""
    params = Params(n=1, epsilon=1, cells=2**J, lower=0, upper=1)
    return np.array([_coefficients(prepare([x], params), params)[0] for x in records])


def brute_force(p, records):
    """Largest weighted L1 distance over all pairs of records, and the pair."""
    J = len(p) - 1
    v = features(J, records) * np.repeat(p, _sizes(J))
    moves = np.abs(v[:, None] - v[None]).sum(axis=2)
    pair = np.unravel_index(moves.argmax(), moves.shape)
    return moves.max(), records[list(pair)]


@given(st.integers(1, 6), st.integers(0, 10**6))
@settings(max_examples=60)
def test_the_joint_sensitivity_equals_brute_force(J, seed):
    rng = np.random.default_rng(seed)
    p = rng.exponential(size=J + 1) * 2.0 ** (-rng.uniform() * np.arange(J + 1))
    most, _ = brute_force(p, np.linspace(0, 1, 2**J + 1))
    assert joint_sensitivity(p) == pytest.approx(most, rel=1e-12)


def test_records_between_grid_points_move_no_more():
    rng = np.random.default_rng(0)
    for J in (1, 3, 5):
        p = rng.exponential(size=J + 1)
        most, _ = brute_force(p, rng.uniform(size=300))
        assert most <= joint_sensitivity(p) * (1 + 1e-12)


def test_the_levels_worst_cases_together_are_far_from_joint():
    """What Privelet's kind of count would pay: 2 p_c + p_0 + 2 (p_1 + ...)."""
    p = _weights(10)
    assert 2 * p[0] + p[1] + 2 * p[2:].sum() > 1.3 * joint_sensitivity(p)


def test_the_closed_form_is_the_best_that_the_pair_allows():
    """Hoelder: S = sum v^(1/3) a^(2/3); the limit of the rms error as J grows."""
    v = np.append(1.0, 4.0 ** -np.arange(200.0))
    a = np.concatenate([PAIR[:3], np.full(len(v) - 3, PAIR[3])])
    total = float((np.cbrt(v) * np.cbrt(a) ** 2).sum())
    assert math.sqrt(total**3 / 6) == pytest.approx(2.86715, abs=5e-6)


def test_the_pair_moves_what_is_said():
    moved = np.abs(np.subtract(*features(6, [1 / 12, 2 / 3])))
    levels = [part.sum() for part in np.split(moved, np.cumsum(_sizes(6))[:-1])]
    assert levels[:5] == pytest.approx([*PAIR, PAIR[3]])


def test_the_pair_is_the_one_that_binds():
    """J = 12: the records nearest to 1/12 and 2/3 come within 1e-3 of the sensitivity."""
    p = _weights(12)
    moved = np.abs(np.subtract(*features(12, [round(4096 / 12) / 4096, round(8192 / 3) / 4096])))
    assert moved @ np.repeat(p, _sizes(12)) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("J", [1, 2, 5, 10, 14])
def test_the_weights_use_the_whole_budget(J):
    assert joint_sensitivity(_weights(J)) == pytest.approx(1)


def test_no_other_weights_do_better():
    """Random changes of the weights at J = 6, rescaled to sensitivity 1."""
    rng = np.random.default_rng(1)
    best = mean_square(_weights(6))
    for _ in range(300):
        p = _weights(6) * np.exp(0.3 * rng.normal(size=7))
        p /= joint_sensitivity(p)
        assert mean_square(p) >= 0.99 * best  # 0.99: best is best as J grows


def mean_square(p):
    """Mean over uniform queries of the variance, by its formula."""
    return (1 / p[0] ** 2 + (4.0 ** -np.arange(len(p) - 1) / p[1:] ** 2).sum()) / 6


def variance(p, y):
    """The variance at grid points from the definition: squared weights of all coefficients."""
    J = len(p) - 1
    maps = _synthesis(np.eye(2**J)) - 0.5
    at = np.array([np.interp(y, np.linspace(0, 1, 2**J + 1), row) for row in maps])
    return 2 * (np.repeat(1 / p, _sizes(J)) ** 2) @ at**2


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_synthesis_of_the_coefficients_is_the_exact_curve(data):
    params = Params(n=len(data), epsilon=1, cells=16, lower=0, upper=1)
    ready = prepare(data, params)
    curve = _synthesis(_coefficients(ready, params))
    exact = from_slopes(cell_slopes(ready, params), params)
    assert curve == pytest.approx(exact, abs=1e-12)  # doubles
    truth = AverageDistance(data).value(np.linspace(0, 1, 17))
    assert curve[0] == pytest.approx(truth, abs=2**-35)  # records, to 2^-30 of a cell


def test_the_standard_deviation_is_exact_everywhere():
    params = Params(n=1, epsilon=1, cells=32, lower=0, upper=1)
    y = np.random.default_rng(2).uniform(size=40)
    sd = np.sqrt(variance(_weights(5), y))
    assert haar_wavelet.standard_deviation(params, y) == pytest.approx(sd, rel=1e-9)


def test_the_error_at_a_thousand_cells_is_the_stated_one():
    """rms 2.834, in 1 / (n epsilon)."""
    params = Params(n=1, epsilon=1, convex=False, lower=0, upper=1)
    y = (np.arange(20_000) + 0.5) / 20_000
    assert np.sqrt((haar_wavelet.standard_deviation(params, y) ** 2).mean()) == pytest.approx(
        2.834, abs=1e-3
    )


def test_the_release_draws_this_noise():
    """2,000 releases: variances within 5 sd of their own sampling error (chance below 1e-5)."""
    params = Params(n=4, d=2, epsilon=1, upper=(1.0, 3.0), cells=16, convex=False, lower=0)
    y = np.array([[0.0, 0.0], [0.5, 1.5], [1 / 12, 0.25], [1 / 3, 1.0]])
    ready = prepare(np.full((4, 2), 0.5), params)
    answers = np.array(
        [
            interpolated(haar_wavelet.release(ready, params, Curator(epsilon=1, rng=seed)), y)
            for seed in range(2000)
        ]
    )
    ratio = answers.var(axis=0) / haar_wavelet.standard_deviation(params, y) ** 2
    # A sum of Laplace numbers has kurtosis at most 6, so its sample variance sd sqrt(5 / draws).
    assert ratio == pytest.approx(1, abs=5 * math.sqrt(5 / 2000))


def test_shares_by_width_are_the_best_ones():
    """d = 3: the split by w^(2/3) has rms c (sum w^(2/3))^(3/2), and no other split has less."""
    params = Params(n=1, d=3, epsilon=1, upper=(0.5, 1.0, 4.0), lower=0)
    one = math.sqrt(mean_square(_weights(10)))
    total = math.sqrt(mean_square(_weights(10)) * (haar_wavelet._scales(params) ** 2).sum())
    assert total == pytest.approx(one * (np.cbrt(params.widths) ** 2).sum() ** 1.5)
    rng = np.random.default_rng(3)
    for other in rng.dirichlet(np.ones(3), 200):
        assert ((params.widths / other) ** 2).sum() >= (haar_wavelet._scales(params) ** 2).sum() * (
            1 - 1e-9
        )


@pytest.mark.parametrize(("d", "close"), [(1, 1.9), (2, 2.3), (10, 2.2)])
def test_the_bound_for_all_queries_holds_and_is_close(d, close):
    """2,000 releases: exceedances within the binomial (1e-6); about twice the quantile."""
    params = Params(n=1, d=d, epsilon=1, cells=256, convex=False, lower=0, upper=1)
    bound = haar_wavelet.error_bound(params) - resolution(params)
    rng, total = np.random.default_rng(4), np.zeros((2, 2000))
    for scale in haar_wavelet._scales(params):
        noise = rng.laplace(size=(2000, 256)) / np.repeat(_weights(8), _sizes(8))
        curves = scale * (_synthesis(noise) - 0.5)
        total += [curves.max(axis=1), -curves.min(axis=1)]
    top = total.max(axis=0)
    assert (top > bound).sum() <= stats.binom.isf(1e-6, 2000, params.beta)
    assert bound <= close * np.quantile(top, 0.95)


def error_of(mechanism, params, data, queries, seed):
    """The largest error of one release with a fresh budget."""
    made = mechanism.release(data, params, params.curator(rng=seed))
    return np.abs(curves.answer(made, queries) - curves.truth(data, queries, params)).max()


def test_the_bound_for_k_queries_holds_over_seeds():
    """500 runs at 100 random queries: exceedances within the binomial (1e-6)."""
    params = Params(n=200, d=3, epsilon=1, cells=64, convex=False, lower=0, upper=1)
    rng = np.random.default_rng(5)
    data, y = rng.uniform(size=(200, 3)), rng.uniform(size=(100, 3))
    ready = prepare(data, params)
    bound = haar_wavelet.error_bound(params, k=100)
    errors = np.array([error_of(haar_wavelet, params, ready, y, seed) for seed in range(500)])
    assert (errors > bound).sum() <= stats.binom.isf(1e-6, 500, params.beta)
    assert bound <= 2 * np.quantile(errors, 0.95)


def test_the_bound_for_one_query_is_within_twice_its_quantile():
    """The noise of one answer at its worst place; Chernoff's bound on Laplace sums is not sharp."""
    params = Params(n=1, epsilon=1, cells=64, convex=False, lower=0, upper=1)
    rng = np.random.default_rng(6)
    noise = rng.laplace(size=(20_000, 64)) / np.repeat(_weights(6), _sizes(6))
    worst = haar_wavelet.standard_deviation(params, np.linspace(0, 1, 65)).argmax()
    measured = np.quantile(np.abs(_synthesis(noise)[:, worst] - 0.5), 0.95)
    bound = haar_wavelet.error_bound(params, k=1) - resolution(params)
    assert measured <= bound <= 2 * measured


def test_the_bound_keeps_growing_where_the_law_on_the_grid_is_mere_rounding():
    params = Params(n=1, epsilon=1, cells=1024, convex=False, lower=0, upper=1)
    betas = [0.05, 1e-6, 2.1 * haar_wavelet.SAFE, 1.9 * haar_wavelet.SAFE, 1e-12, 1e-15, 1e-40]
    bounds = [haar_wavelet.error_bound(replace(params, beta=beta)) for beta in betas]
    assert (np.diff(bounds) > 0).all()
    assert haar_wavelet.error_bound(replace(params, beta=1e-15), k=1) > haar_wavelet.error_bound(
        params, k=1
    )


def test_the_pure_error_grows_like_d_to_one_and_a_half():
    y = np.full((1, 8), 0.3)
    one, eight = (Params(n=10, d=d, epsilon=1, lower=0, upper=1) for d in (1, 8))
    ratio = haar_wavelet.standard_deviation(eight, y) / haar_wavelet.standard_deviation(
        one, y[0, :1]
    )
    assert ratio[0] == pytest.approx(8**1.5)


def test_nothing_is_spent_on_a_refusal():
    curator, params = Curator(epsilon=1, rng=0), Params(n=2, epsilon=1, cells=4, lower=0, upper=1)
    with pytest.raises(ValueError, match="data must have n = 2 records"):
        haar_wavelet.release([0.1], params, curator)
    assert curator.ledger.charges == ()
    with pytest.raises(ValueError, match="k must be a whole number"):
        haar_wavelet.error_bound(replace(params, convex=False), k=0)


def test_the_growth_with_the_dimension_is_needed():
    """The lower bound over d^(3/2) / (n epsilon) tends to .0327; the release's corner has 2.7.

    Statements: lesson Theorem 3.11.
    """
    for d in (30, 100, 1000):
        cube = Params(n=10**6, d=d, epsilon=0.01, lower=0, upper=1)
        unit = d**1.5 / (1e6 * 0.01)
        assert 0.0327 < haar_wavelet.lower_bound(cube) / unit < 0.046
        corner = haar_wavelet.standard_deviation(cube, np.zeros((1, d)))[0]
        assert corner / unit == pytest.approx(2.71, abs=0.05)
    asymptotic = (1 + 0.25 * math.log2(0.25) + 0.75 * math.log2(0.75)) * math.log(2) / 4
    assert asymptotic == pytest.approx(0.0327, abs=1e-4)
    wide = Params(n=10**6, d=30, epsilon=0.01, upper=(2.0,) * 29 + (5.0,), lower=0)
    cube = Params(n=10**6, d=30, epsilon=0.01, lower=0, upper=1)
    assert haar_wavelet.lower_bound(wide) == pytest.approx(2 * haar_wavelet.lower_bound(cube))
    assert haar_wavelet.lower_bound(Params(n=100, d=1, epsilon=1, lower=0, upper=1)) == 0
    few = Params(n=3, d=200, epsilon=0.01, lower=0, upper=1)
    assert haar_wavelet.lower_bound(few) == pytest.approx(math.sqrt(50) / 2)  # all three records
