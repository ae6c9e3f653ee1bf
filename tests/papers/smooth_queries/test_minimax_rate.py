"""The minimax rate: sensitivities of weighed moments, the plan, its bound, its worst members."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import chebyshev as series
from scipy.stats import binom

from dpviz.papers.smooth_queries import minimax_rate, moments, sobolev_ellipsoid
from dpviz.papers.smooth_queries.chebyshev import chebyshev, expand
from dpviz.papers.smooth_queries.release import (
    Params,
    answer,
    exact_moments,
    relative_scales,
    release,
    sensitivity_of,
)

TRIALS, BETA = 400, 0.1
# P(Binomial(400, 0.1) > 67) = 1e-5: what a right bound is accused with
ALLOWED = int(binom.isf(1e-5, TRIALS, BETA))
OUR = {"epsilon": 1.0, "noise_scaling": "smoothness", "lower": -1, "upper": 1}


def basis(index, points):
    """phi_m at points (n, d); array (N, n)."""
    angles = np.arccos(points)
    return np.cos(index[:, None, :] * angles).prod(axis=2)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(
    ("d", "terms", "smoothness"), [(1, 9, 1), (1, 16, 3), (2, 5, 1), (2, 6, 2)]
)
def test_no_pair_of_records_moves_the_scaled_moments_by_more(d, terms, smoothness, delta):
    """All pairs of a grid; in one variable the bound is attained, in two nearly."""
    params = Params(d=d, terms=terms, smoothness=smoothness, delta=delta, **OUR)
    axis = np.cos(np.linspace(0, np.pi, 181 if d == 1 else 25))
    grid = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    index = moments.multi_indices(d, terms)[1:]
    rows = basis(index, grid) / relative_scales(params)[:, None]
    power = 2 if delta else 1
    most = max(
        float((np.abs(rows - row[:, None]) ** power).sum(axis=0).max() ** (1 / power))
        for row in rows.T
    )
    claimed = sensitivity_of(params)
    assert most <= claimed * (1 + 1e-12)
    assert claimed <= (1.002 if d == 1 else 1.2) * most
    crude = 2 * np.linalg.norm(1 / relative_scales(params), ord=power)
    assert claimed < 0.95 * crude


def test_equal_weights_give_the_sensitivities_that_are_known():
    for terms in (2, 3, 8):
        index = moments.multi_indices(1, terms)[1:]
        ones = np.ones(len(index))
        assert moments.l1_set(ones, index) == pytest.approx(moments.l1_tensor(terms, 1), rel=1e-3)
        assert moments.l2_set(ones, index) <= moments.l2_tensor(terms, 1) * 1.001
    index = moments.multi_indices(3, 4)[1:]
    assert moments.l1_set(np.ones(len(index)), index) <= moments.l1_any(np.ones(len(index)))


def test_a_set_too_large_to_look_at_has_the_plain_sensitivity():
    index = moments.multi_indices(12, 2)[1:]
    weights = np.ones(len(index))
    assert moments.l1_set(weights, index) == moments.l1_any(weights)
    assert moments.l2_set(weights, index) == 2 * len(index) ** 0.5


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_shape_makes_the_noise_least(delta):
    """Other powers of v_m, and random changes, leave the expected square of the length larger.

    With the plain sensitivity, the sum or the length of 2 / r_m, as the statement says.
    """
    index = moments.multi_indices(2, 7)[1:]
    weights = moments.derivatives(index, 2)

    def length(scales):
        size = np.sum(1 / scales) if not delta else np.linalg.norm(1 / scales)
        return size * np.linalg.norm(scales / np.sqrt(weights))

    params = Params(d=2, terms=7, smoothness=2, delta=delta, **OUR)
    least = length(relative_scales(params))
    rng = np.random.default_rng(0)
    for power in (0, 0.15, 0.4, 0.5):
        assert length(weights**power) > 1.01 * least
    for _ in range(20):
        assert length(relative_scales(params) * rng.uniform(0.7, 1.4, len(weights))) > least


@pytest.mark.parametrize(("d", "smoothness", "nodes"), [(1, 1, 24), (1, 3, 60), (2, 2, 24)])
def test_the_coefficients_of_members_lie_in_the_ellipsoid(d, smoothness, nodes):
    """Ridges with a jump in the K-th derivative: the sum on the grid is at most d Bell(K)^2."""
    rng = np.random.default_rng(1)
    terms = 12
    index = moments.multi_indices(d, terms)[1:]
    scale = math.factorial(smoothness) * 1.5**smoothness
    for _ in range(8):
        a = rng.dirichlet(np.ones(d)) * rng.choice([-1, 1], d)
        place = rng.uniform(-0.5, 0.5)

        def ridge(x, a=a, place=place):
            u = (x[:, None] if x.ndim == 1 else x) @ a - place
            return np.abs(u) ** smoothness * np.sign(u) ** (smoothness + 1) / scale

        found = expand(ridge, d, terms, nodes=nodes, lower=-1, upper=1).coefficients.ravel()[1:]
        inside = moments.derivatives(index, smoothness, nodes) @ found**2
        assert 0 < inside <= d * sobolev_ellipsoid.bell(smoothness) ** 2


def test_one_chebyshev_polynomial_has_its_weight():
    """cos(m theta) has the mean square m^(2K) / 2 of its K-th derivative; two variables add up."""
    theta = (np.arange(512) + 0.5) / 512 * 2 * np.pi
    for m, k in ((3, 1), (5, 2)):
        by_hand = float(np.mean((m**k * np.cos(m * theta + k * np.pi / 2)) ** 2))
        assert moments.derivatives(np.array([[m]]), k)[0] == pytest.approx(by_hand)
    assert moments.derivatives(np.array([[2, 3]]), 2)[0] == (2**4 + 3**4) / 4
    fine = moments.derivatives(np.array([[2, 3]]), 2, 10**6)[0]
    assert fine == pytest.approx((2**4 + 3**4) / 4, rel=1e-9)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(("d", "smoothness", "terms"), [(1, 1, 33), (1, 2, 64), (2, 2, 10)])
def test_the_noise_of_a_release_passes_its_bound_as_rarely_as_promised(d, smoothness, terms, delta):
    """400 releases at beta = 0.1, and the bound is at most 1.5 times their quantile."""
    params = Params(d=d, terms=terms, smoothness=smoothness, delta=delta, beta=BETA, **OUR)
    how = {"operator": f"jackson {smoothness}", "nodes": 4 * terms}
    points = np.random.default_rng(0).uniform(-1, 1, (50, d))
    exact = exact_moments(points, params)
    rng = np.random.default_rng(1)
    found = []
    for _ in range(TRIALS):
        noise = (release(points, params, params.curator(rng=rng)).summary - exact)[1:]
        found.append(sobolev_ellipsoid.supremum(noise, params, **how))
    bound = sobolev_ellipsoid.noise_bound(params, 50, **how)
    assert (np.array(found) > bound).sum() <= ALLOWED
    assert bound <= 1.5 * np.quantile(found, 1 - BETA)


@pytest.mark.parametrize(("d", "smoothness"), [(1, 1), (1, 2), (2, 1)])
def test_members_are_answered_within_the_bound_that_is_proved_for_all(d, smoothness):
    """The worst of the ridges lies below what the draw can do, and that below the bound."""
    n = 4000
    asks = Params(d=d, terms=1, smoothness=smoothness, delta=1e-6, beta=1e-6, **OUR)
    for seed in range(3):
        run = minimax_rate.trial(asks, n=n, directions=3, rng=seed)
        assert 0 < run["error"] < run["most"] < run["bound"]


@pytest.mark.parametrize(("d", "smoothness"), [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)])
def test_the_worst_ridge_is_a_query_that_the_release_answers_so_badly(d, smoothness, monkeypatch):
    """The ridge written out, expanded on the grid and answered, has the error that is reported."""
    monkeypatch.setattr(minimax_rate, "CELLS", 8)
    params = Params(d=d, terms=9, smoothness=smoothness, delta=1e-6, **OUR)
    how = minimax_rate.operator_of(params)
    rng = np.random.default_rng(3)
    points = rng.uniform(-1, 1, (30, d))
    released = release(points, params, params.curator(rng=rng))
    best = 0.0
    for signs in np.ndindex(*[2] * 8):  # F^(K) is 1 or -1 in each of eight cells

        def ridge(x, signs=signs):
            u = x if x.ndim == 1 else x[:, 0]
            total = np.zeros(len(u))
            for cell, sign in enumerate(signs):
                # the K-fold integral from 0 of the indicator of one cell
                low, high = -1 + cell / 4, -0.75 + cell / 4
                side = 1 if low >= 0 else -1
                near, far = (low, high) if side > 0 else (-high, -low)
                s = side * u
                part = np.clip(s - near, 0, None) ** smoothness
                part = part - np.clip(s - far, 0, None) ** smoothness
                part = part / math.factorial(smoothness)
                total += (2 * sign - 1) * part * (side**smoothness)
            return total

        if signs[0]:  # the other half are their negatives
            continue
        coefficients = expand(ridge, d, 9, lower=-1, upper=1, **how).coefficients
        truth = ridge(points[:, 0] if d == 1 else points).mean()
        best = max(best, abs(answer(released, coefficients) - truth))
    found = minimax_rate.worst_ridge(released, points, directions=1)
    assert found == pytest.approx(best, rel=1e-9)


def test_the_plan_takes_few_terms_and_nothing_that_says_nothing():
    asks = Params(d=1, terms=1, delta=1e-6, **OUR)
    for n in (100, 3000, 10**6):
        planned = minimax_rate.plan(asks, n=n)
        found = minimax_rate.error_bound(planned, n=n)
        for terms in (planned.terms // 2, planned.terms + 60, 1999):
            other = replace(planned, terms=min(terms, 1999))
            assert found <= 1.06 * minimax_rate.error_bound(other, n=n)
        assert found < 1
    with pytest.raises(ValueError, match=r"^n must be at least \d+ for a proved error below B = 1"):
        minimax_rate.plan(asks, n=3)
    least = minimax_rate.smallest_n(asks, error=1.0)
    minimax_rate.plan(asks, n=least)
    with pytest.raises(ValueError, match=f"at least {least}"):
        minimax_rate.plan(asks, n=least - 1)


def test_from_the_smallest_n_on_the_error_is_as_small_as_asked():
    asks = Params(d=1, terms=1, smoothness=1, **OUR)
    n = minimax_rate.smallest_n(asks, error=0.2)

    def least(n):
        tried = [replace(asks, terms=t) for t in range(3, 400, 2)]
        return min(minimax_rate.error_bound(params, n=n) for params in tried)

    assert minimax_rate.error_bound(minimax_rate.plan(asks, n=n), n=n) <= 0.2 * 1.05
    assert least(int(0.97 * n)) > 0.2  # between two terms of the ladder up to 1 percent is lost
    with pytest.raises(ValueError, match=r"^error must be above 0\.00.*t\^d <= 65536"):
        minimax_rate.smallest_n(asks, error=1e-5)
    twice = minimax_rate.smallest_n(asks, error=0.4, size=2.0)
    assert twice == n


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"smoothness": 0}, "smoothness must be"),
        ({"d": 20}, "d must be smaller"),
    ],
)
def test_what_has_no_plan_is_refused_by_name(change, words):
    with pytest.raises(ValueError, match=words):
        minimax_rate.plan(
            Params(**({"lower": -1, "upper": 1} | {"d": 1, "terms": 1, **OUR, **change})), n=1000
        )


@pytest.mark.parametrize(("d", "smoothness"), [(1, 2), (2, 1), (2, 3), (3, 1)])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_exponent_of_the_noise_sums(d, smoothness, delta):
    """sum v^(-1/2), or (sum v^(-1/3))^(3/2), against t^-K, as t grows: balanced, its exponent.

    Statements: lesson Theorem 6.10.

    The exponent is read off the weights themselves, at t = 30 to 60 (d = 3: 15 to 30); where the
    sums converge it is 1.
    """
    params = Params(d=d, terms=1, smoothness=smoothness, delta=delta, **OUR)
    sums = []
    terms = np.array([15, 30] if d == 3 else [30, 60])
    for t in terms:
        weights = moments.derivatives(moments.multi_indices(d, int(t))[1:], smoothness)
        sums.append((weights ** (-1 / 2)).sum() if delta else (weights ** (-1 / 3)).sum() ** 1.5)
    growth = max(0.0, math.log(sums[1] / sums[0]) / math.log(2))
    assert minimax_rate.exponent(params) == pytest.approx(
        smoothness / (smoothness + growth), abs=0.14
    )


def test_moments_of_the_grid_are_those_of_its_cosines():
    """The grid's cosines are orthogonal: of T_5 the grid sees T_5 alone."""
    found = expand(
        lambda x: series.chebval(x, np.eye(6)[5]), 1, 8, nodes=9, lower=-1, upper=1
    ).coefficients
    assert found == pytest.approx(np.eye(8)[5], abs=1e-12)
    assert chebyshev(np.array([1.0]), 3).ravel().tolist() == [1.0, 1.0, 1.0]
