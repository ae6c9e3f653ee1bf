"""Releases of distance curves and their baselines: every proved bound a second time.

The noise of what is released is read off the mechanism itself, an impulse at a time
(``laws.response``); its exact or simulated law is held against the bound.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, special

from dpviz.papers.distance_queries.baselines import (
    continual_counting,
    finite_metric,
    noise_per_query,
)
from dpviz.papers.distance_queries.embeddings.metrics import finite
from dpviz.papers.distance_queries.releases import (
    anchored,
    average_sign,
    curves,
    haar_wavelet,
    noise_suprema,
)
from second import laws, second

ROOMS = (
    "papers.distance_queries.releases",
    "papers.distance_queries.baselines.comparison",
    "papers.distance_queries.baselines.continual_counting",
    "papers.distance_queries.baselines.finite_metric",
    "papers.distance_queries.baselines.noise_per_query",
)
WITHOUT = {
    "papers.distance_queries.baselines.comparison._noise": (
        "runs noise_per_query: no bound of its own"
    ),
}
WIDE = {"lower": (0.0, 1.0), "upper": (1.0, 4.0), "d": 2}


def curves_noise(mechanism, params):
    """Noise of each coordinate's curve at the grid points, (d, m + 1, N), and its law."""
    data = np.tile(np.add(params.box.lower, params.box.upper) / 2, (params.n, 1))
    matrix, law = laws.response(lambda probe: mechanism.release(data, params, probe).values)
    return matrix.reshape(params.d, params.cells + 1, -1), law


def suprema(noise, law, count, seed):
    """Largest and smallest noise over all queries, (2, count), by simulation."""
    total = np.zeros((2, count))
    drawn = laws.draws(law, (count, noise.shape[2]), seed)
    for rows in noise:
        values = drawn @ rows.T
        total += values.max(axis=1), -values.min(axis=1)
    return total


def exceeds(bound, params, noise, law, *, ratio, count=20_000):
    """The bound less its grid part is passed with chance beta at most; its known ratio.

    The ratio to the simulated quantile is guarded on both sides: 4 per cent are more than five
    standard deviations of a quantile at .95 of 20,000 draws (about .7 per cent each).
    """
    largest = suprema(noise, law, count, 7).max(axis=0)
    level = bound - curves.resolution(params)
    assert np.mean(largest > level) <= params.beta + laws.spread(params.beta, count)
    assert level / np.quantile(largest, 1 - params.beta) == pytest.approx(ratio, rel=0.04)


def drawn_bound(largest, scales, beta, *, sd=0.0):
    """Chernoff's bound of the sum of scales times independent copies, from many draws of one."""
    most = 1 / np.max(scales) * np.linspace(0.05, 4, 40)
    values = []
    for theta in most:
        pairs = zip(*np.unique(scales, return_counts=True), strict=True)
        logs = [copies * math.log(np.exp(theta * s * largest).mean()) for s, copies in pairs]
        values.append((math.fsum(logs) + (theta * sd) ** 2 / 2 + math.log(2 / beta)) / theta)
    return min(values)


@second("papers.distance_queries.releases.curves.resolution")
def test_a_chord_is_off_by_half_a_cell():
    """All places of a record and a query on a fine grid; the worst is the middle of a cell."""
    params = curves.Params(n=1, epsilon=1, cells=4, **WIDE)
    worst = 0.0
    for low, width in zip(params.box.lower, params.widths, strict=True):
        x = np.linspace(low, low + width, 8 * params.cells + 1)
        grid = x[::8]
        gaps = [np.interp(x, grid, np.abs(grid - record)) - np.abs(x - record) for record in x]
        assert np.min(gaps) >= -1e-12
        worst += np.max(gaps)
    assert curves.resolution(params) == pytest.approx(worst)


ENDS = {continual_counting: 0, average_sign: 0, haar_wavelet: 0, anchored: 1}


@second(
    "papers.distance_queries.baselines.continual_counting.error_bound",
    "papers.distance_queries.releases.average_sign.error_bound",
    "papers.distance_queries.releases.haar_wavelet.error_bound",
    "papers.distance_queries.releases.anchored.error_bound",
)
@pytest.mark.parametrize("mechanism", ENDS)
def test_convex_curves_may_double_or_triple_an_error(mechanism):
    """Noise of size a, the worst there is: clipped slopes lift the middle by what the ends lost.

    Twice where the ends add up to the width, three times where they may be a too high.
    """
    a, v = 0.01, np.abs(np.linspace(0, 1, 5) - 0.5)
    released = v + a * np.array([ENDS[mechanism], -1, 1, -1, ENDS[mechanism]])
    after = curves.convex(curves.Curves([0.0], [1.0], [released])).values[0]
    factor = np.abs(after - v).max() / a
    delta = 0.0 if mechanism is haar_wavelet else 1e-6
    public = {"n": 9, "d": 2, "epsilon": 1, "delta": delta, "cells": 8, "diameter": 1.0}
    part = curves.resolution(curves.Params(lower=0, upper=1, **public))
    plain, convex = (
        mechanism.error_bound(curves.Params(lower=0, upper=1, **public, convex=convex)) - part
        for convex in (False, True)
    )
    assert convex == pytest.approx(factor * plain)
    with_k = (
        mechanism.error_bound(curves.Params(lower=0, upper=1, **public, convex=True), k=1) - part
    )
    assert with_k == pytest.approx(convex), "nothing is proved for one query of a convex curve"


def counted(J):
    """Noise of a curve on [0, 1] from unit noise in each dyadic share, by left siblings alone.

    Rows: grid points; columns: intervals of levels 1 ... J. Shares up to a grid point are sums of
    left siblings; a slope is twice such a share less one, the level makes the ends add up.
    """
    m = 2**J
    prefix = np.zeros((m + 1, 2 * m - 2))
    for point in range(m):
        for level in range(1, J + 1):
            index = point >> (J - level)
            if index % 2:
                prefix[point, 2**level - 2 + index - 1] = 1
    rise = np.vstack([np.zeros(2 * m - 2), np.cumsum(prefix[:-1] + prefix[1:], axis=0) / m])
    return rise - rise[-1] / 2


def least_squares(J):
    """The same by least squares on all counts, their whole being known."""
    m = 2**J
    tree = np.vstack([np.kron(np.eye(2**j), np.ones(2 ** (J - j))) for j in range(1, J + 1)])
    basis = np.vstack([np.eye(m - 1), -np.ones(m - 1)])  # cells that add up to nothing
    cells = basis @ np.linalg.pinv(tree @ basis)
    prefix = np.vstack([np.zeros(len(tree)), np.cumsum(cells, axis=0)])
    rise = np.vstack([np.zeros(len(tree)), np.cumsum(prefix[:-1] + prefix[1:], axis=0) / m])
    return rise - rise[-1] / 2


@second("papers.distance_queries.baselines.continual_counting.error_bound")
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("beta", [0.05, 0.9])
@pytest.mark.parametrize("k", [None, 1, 7])
def test_continual_counting_step_by_step(delta, beta, k):
    """The release is least squares; left siblings alone have variance at most 1/2, nearly so.

    Then two sides of (m + 1)^d places, or k queries, have beta in all, for the moments of that
    variance: exp(t / (1 - t)) is above those of the left siblings' Laplace noise.
    """
    J = 3
    params = continual_counting.Params(n=40, epsilon=1, delta=delta, beta=beta, cells=2**J, **WIDE)
    noise, law = curves_noise(continual_counting, params)
    sizes = []
    for rows, width in zip(noise, params.widths, strict=True):
        pattern = least_squares(J)
        blocks = rows.reshape(len(rows), params.d, -1)
        own = blocks[:, np.argmax(np.linalg.norm(blocks, axis=(0, 2)))]
        scale = np.linalg.norm(own) / np.linalg.norm(pattern)
        assert np.abs(own) == pytest.approx(np.abs(scale * pattern), abs=1e-9 * scale)
        sizes.append(scale)
        assert width > 0
    single, left = laws_of(law), counted(J)
    variance = np.square(left).sum(axis=1).max()
    assert np.square(least_squares(J)).sum(axis=1).max() <= variance <= 0.5
    assert np.square(counted(8)).sum(axis=1).max() >= 0.49, "the half is nearly attained"
    theta = np.linspace(0, 0.95, 20)
    for row in left:
        logs = laws.log_mgf(law, np.outer(theta, row)).sum(axis=1)
        assert (logs <= single(theta * math.sqrt(0.5)) * (1 + 1e-12) + 1e-15).all()
    half = np.array(sizes) * math.sqrt(0.5)
    places = len(list(itertools.product(range(2**J + 1), repeat=params.d)))
    level = continual_counting.error_bound(params, k=k) - curves.resolution(params)
    one = laws.least_tail(
        lambda theta: single(np.outer(theta, half)).sum(axis=1),
        (1 if law == "laplace" else 60) / half.max(),
        level,
    )
    assert 0.97 * beta <= 2 * (k or places) * one <= beta * (1 + 1e-6)


def laws_of(law):
    """Logarithm of the moment that the proof grants to a sum of variance v at theta sqrt(v)."""
    if law == "gaussian":
        return lambda theta: theta**2 / 2
    return lambda theta: theta**2 * 2 / 2 / (1 - np.minimum(theta**2, 1 - 1e-12))


@pytest.mark.parametrize(("delta", "ratio"), [(0.0, 6.2), (1e-6, 3.25)])
def test_continual_counting_is_passed_with_chance_beta_at_most(delta, ratio):
    """``ratio``: least squares lessens the noise of left siblings; the grid's union is blunt."""
    params = continual_counting.Params(n=40, epsilon=1, delta=delta, cells=16, **WIDE)
    noise, law = curves_noise(continual_counting, params)
    exceeds(continual_counting.error_bound(params), params, noise, law, ratio=ratio)


@second("papers.distance_queries.releases.average_sign.error_bound")
@pytest.mark.parametrize(
    ("d", "confined", "ratio"),
    [(1, False, 1.08), (1, True, 1.05), (3, False, 1.26), (3, True, 1.225)],
)
def test_average_sign_by_the_largest_value_of_a_bridge(d, confined, ratio):
    """End and middle of the curve's noise give scale and r of a bridge; a million draws of R.

    ``ratio`` to a path on a grid; for d = 3 Chernoff's inequality besides.
    """
    public = {"n": 50, "epsilon": 1, "delta": 1e-6, "cells": 64}
    params = curves.Params(lower=0, upper=1, **public, d=d, diameter=0.3 * d if confined else None)
    noise, law = curves_noise(average_sign, params)
    bound = average_sign.error_bound(params)
    exceeds(bound, params, noise, law, ratio=ratio)
    scale, largest = bridge(noise[0])
    level = bound - curves.resolution(params)
    if d == 1:
        share = params.beta / 2
        passed = np.mean(scale * largest > level)
        assert passed == pytest.approx(share, abs=laws.spread(share, len(largest)))
    else:
        assert level == pytest.approx(drawn_bound(largest, [scale] * d, params.beta), rel=0.01)


def bridge(rows):
    """Scale of a bridge's noise, and a million draws of its largest value over the scale."""
    scale, r = np.linalg.norm(rows[0]), 0.0
    r = (np.linalg.norm(rows[len(rows) // 2]) / scale) ** 2
    rng = np.random.default_rng(1)
    squares = rng.standard_normal(10**6) ** 2 + 2 * r * rng.standard_exponential(10**6)
    return scale, np.sqrt(squares)


@second("papers.distance_queries.releases.average_sign.error_bound")
@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("diameter", [None, 1.0])
def test_average_sign_of_few_queries_at_a_corner(k, diameter):
    """Every place and a corner's variance; k of them have beta, exactly."""
    params = curves.Params(n=50, epsilon=1, delta=1e-6, cells=8, diameter=diameter, **WIDE)
    noise, law = curves_noise(average_sign, params)
    rows = (noise[0][:, None] + noise[1][None]).reshape(-1, noise.shape[2])
    corner = rows[np.argmax(np.linalg.norm(rows, axis=1))]
    level = average_sign.error_bound(params, k=k) - curves.resolution(params)
    assert k * laws.tail(corner, level, law) == pytest.approx(params.beta, rel=1e-6)


@second("papers.distance_queries.releases.anchored.error_bound")
@pytest.mark.parametrize("k", [1, 5, None])
def test_anchored_curves_step_by_step(k):
    """k: the worst place within the radius, exactly. All: two arms of a path.

    An arm's variance is read off the noise at its end; R has the tail 4 P(N > x), by inversion.
    The ratio 1.3: both arms as one union, and Chernoff's inequality.
    """
    params = curves.Params(
        n=50, d=2, epsilon=1, delta=1e-6, cells=64, diameter=1.0, lower=0, upper=1
    )
    noise, law = curves_noise(anchored, params)
    if k is None:
        bound = anchored.error_bound(params)
        exceeds(bound, params, noise, law, ratio=1.3)
        chances = (np.arange(10**6) + 0.5) / 10**6
        largest = -special.ndtri(chances / 4)
        arms = [np.linalg.norm(rows[-1] - rows[32]) for rows in noise]
        center = np.linalg.norm(noise[0][32] + noise[1][32])
        proved = drawn_bound(largest, arms, params.beta, sd=center)
        assert bound - curves.resolution(params) == pytest.approx(proved, rel=0.01)
        return
    grid = np.linspace(0, 1, 65)
    far = np.abs(grid - 0.5)[:, None] + np.abs(grid - 0.5)[None]
    rows = (noise[0][:, None] + noise[1][None])[far <= 0.5 + 1e-12]
    worst = rows[np.argmax(np.linalg.norm(rows, axis=1))]
    level = anchored.error_bound(params, k=k) - curves.resolution(params)
    assert k * laws.tail(worst, level, law) == pytest.approx(params.beta, rel=1e-6)


@second(
    "papers.distance_queries.releases.haar_wavelet.error_bound",
    "papers.distance_queries.releases.haar_wavelet._moments",
)
@pytest.mark.parametrize(("d", "ratio"), [(1, 1.67), (3, 2.01)])
def test_haar_curves_by_the_law_of_larger_halves(d, ratio):
    """What a unit of each coefficient adds at most is read off the noise; then the recursion.

    S_j = c_j max(L, 0) + the larger of two S_(j+1), and the ends: 100,000 draws of all of a
    column's numbers. The law on the package's grid is a step above. ``ratio`` to the curves.
    """
    params = curves.Params(n=50, epsilon=1, cells=64, d=d, lower=0, upper=1)
    noise, law = curves_noise(haar_wavelet, params)
    bound = haar_wavelet.error_bound(params)
    exceeds(bound, params, noise, law, ratio=ratio)
    heights = np.abs(noise[0]).max(axis=0)
    heights = heights[heights > 1e-9][[0, 1, 2, 4, 8, 16, 32]]  # the mean, then level by level
    rng, halves = np.random.default_rng(6), np.zeros((100_000, 64))
    for height in heights[:0:-1]:
        halves = np.maximum(halves[:, ::2], halves[:, 1::2])
        halves = halves + height * np.maximum(rng.laplace(size=halves.shape), 0)
    largest = halves[:, 0] + heights[0] * np.abs(rng.laplace(size=100_000))
    level = bound - curves.resolution(params)
    if d == 1:
        exact = np.quantile(largest, 1 - params.beta / 2)
        assert level == pytest.approx(exact, rel=0.04) and level >= 0.99 * exact
        moments = haar_wavelet._moments(6)
        unit = largest / haar_wavelet._scales(params)[0]
        for theta in moments.thetas[[20, 60]]:
            granted = np.interp(theta, *moments)
            assert math.log(np.exp(theta * unit).mean()) == pytest.approx(granted, rel=0.03)
    else:
        scaled = largest / heights.max()
        proved = drawn_bound_below(scaled, d, params.beta, most=0.6) * heights.max()
        assert level == pytest.approx(proved, rel=0.03)


def drawn_bound_below(largest, d, beta, *, most):
    """As ``drawn_bound`` for d equal scales, theta at most ``most``: moments end at 1."""
    thetas = np.linspace(0.02, most, 60)
    logs = np.array([math.log(np.exp(theta * largest).mean()) for theta in thetas])
    return np.min((d * logs + math.log(2 / beta)) / thetas)


@second(
    "papers.distance_queries.releases.haar_wavelet.error_bound",
    "papers.distance_queries.releases.haar_wavelet._moments_at",
)
@pytest.mark.parametrize(("d", "k"), [(1, 1), (1, 5), (2, 3)])
def test_haar_of_few_queries_at_the_worst_place(d, k):
    """Two sides of k queries at the worst grid point have beta by Chernoff's inequality."""
    params = curves.Params(n=50, epsilon=1, cells=32, d=d, lower=0, upper=1)
    noise, law = curves_noise(haar_wavelet, params)
    rows = noise[0] if d == 1 else (noise[0][:, None] + noise[1][None]).reshape(-1, noise.shape[2])
    level = haar_wavelet.error_bound(params, k=k) - curves.resolution(params)
    tails = [laws.chernoff_tail(row, level, law) for row in rows]
    assert 0.95 * params.beta <= 2 * k * max(tails) <= params.beta * (1 + 1e-6)


@second("papers.distance_queries.releases.haar_wavelet.joint_sensitivity")
@pytest.mark.parametrize("J", [1, 3, 5])
def test_the_sensitivity_of_haar_coefficients_by_all_pairs(J):
    """Every pair of grid points, every hat evaluated by itself."""
    rng = np.random.default_rng(J)
    x = np.linspace(0, 1, 2**J + 1)
    for _ in range(5):
        p = rng.uniform(0, 1, J + 1)
        parts = [p[0] * (1 - 2 * x)]
        for level in range(J):
            for i in range(2**level):
                place = x * 2**level - i
                parts.append(p[level + 1] * np.clip(1 - np.abs(2 * place - 1), 0, None))
        table = np.array(parts)
        moved = np.abs(table[:, :, None] - table[:, None]).sum(axis=0).max()
        assert haar_wavelet.joint_sensitivity(p) == pytest.approx(moved)


@second("papers.distance_queries.releases.noise_suprema.chernoff_bound")
@pytest.mark.parametrize("sd", [0.0, 2.0])
@pytest.mark.parametrize("level", [0.7, 9.0])
def test_chernoff_bounds_of_weighted_sums(sd, level):
    """For normal moments the sum is normal: its tail at the bound is exp(-level)."""
    thetas = np.linspace(0, 9, 2001)
    normal = noise_suprema.Moments(thetas, thetas**2 / 2)
    scales = np.array([1.0, 3.0, 3.0])
    bound = noise_suprema.chernoff_bound(normal, scales, level=level, sd=sd)
    tail = laws.chernoff_tail(np.append(scales, sd), bound, "gaussian")
    assert tail == pytest.approx(math.exp(-level), rel=0.01)


@second("papers.distance_queries.releases.noise_suprema.from_tail")
def test_moments_from_a_tail():
    """Of an exponential number, by the integral of its density; an upper sum adds a step."""
    x = np.linspace(0, 60, 6001)
    thetas = np.array([0.0, 0.3, 0.7])
    moments = noise_suprema.from_tail(x, np.exp(-x[:-1]), thetas)
    for theta, log in zip(thetas, moments.logs, strict=True):
        exact, _ = integrate.quad(lambda y, t=theta: math.exp((t - 1) * y), 0, 400)
        assert math.log(exact) <= log + 1e-12 and log <= math.log(exact) + 0.01


def bridges(r, count, steps, seed):
    """Largest value of a path from G to -G whose variance is 4 r, on a grid of ``steps``."""
    rng = np.random.default_rng(seed)
    ends = rng.standard_normal(count)
    path = np.cumsum(rng.standard_normal((count, steps)) * math.sqrt(4 * r / steps), axis=1)
    share = np.arange(1, steps + 1) / steps
    path += -share * path[:, -1:] + ends[:, None] * (1 - 2 * share)
    return np.maximum(ends, path.max(axis=1))


@second(
    "papers.distance_queries.releases.noise_suprema.bridge_tail",
    "papers.distance_queries.releases.noise_suprema.bridge_moments",
)
@pytest.mark.parametrize("r", [0.5, 0.8, 1.0])
def test_the_largest_value_of_a_bridge(r):
    """The law of R by a million draws; above the path's own largest value, by the grid's gap."""
    rng, count = np.random.default_rng(2), 10**6
    largest = np.sqrt(rng.standard_normal(count) ** 2 + 2 * r * rng.standard_exponential(count))
    x = np.array([0.5, 1.5, 2.5, 3.5])
    tails = noise_suprema.bridge_tail(x, r)
    for place, tail in zip(x, tails, strict=True):
        assert np.mean(largest > place) == pytest.approx(tail, abs=laws.spread(tail, count))
    moments = noise_suprema.bridge_moments(r)
    for theta in (0.5, 1.5):
        drawn = np.exp(theta * largest)
        granted = np.interp(theta, *moments)
        error = 5 * drawn.std() / math.sqrt(count) / drawn.mean()
        assert math.log(drawn.mean()) == pytest.approx(granted, abs=error + 0.01 * theta)
    paths = bridges(r, 10_000, 400, 3)
    gap = 0.583 * math.sqrt(4 * r / 400)  # mean height of a path above its grid points
    for place, tail in zip(x, tails, strict=True):
        above = np.mean(paths > place)
        assert above <= tail + laws.spread(tail, 10_000)
        here = noise_suprema.bridge_tail(np.array([place + gap]), r)[0]
        assert above >= here - laws.spread(tail, 10_000) - 0.02 * tail or place < 1


@second(
    "papers.distance_queries.releases.noise_suprema.normal_union",
    "papers.distance_queries.releases.noise_suprema.exact_quantile",
)
def test_unions_and_quantiles():
    for k in (1, 1000):
        x = noise_suprema.normal_union(0.05, k)
        assert k * laws.tail(np.ones(1), x, "gaussian") == pytest.approx(0.05)
    x = noise_suprema.exact_quantile(lambda y: laws.tail(np.ones(2), y, "laplace"), 0.01)
    assert laws.tail(np.ones(2), x, "laplace") == pytest.approx(0.01)


@second("papers.distance_queries.releases.noise_suprema.path_moments")
def test_two_arms_of_a_path():
    """Paths from 0 both ways: their tail is granted at each place; moments by an integral."""
    rng, steps = np.random.default_rng(4), 400
    largest = np.zeros(10_000)
    for _ in range(2):
        arm = np.cumsum(rng.standard_normal((len(largest), steps)) / math.sqrt(steps), axis=1)
        largest = np.maximum(largest, arm.max(axis=1))

    def granted(x):
        return min(1.0, 2 * laws.tail(np.ones(1), x, "gaussian"))

    for x in (1.5, 2.5):
        assert (
            0.75 * granted(x) <= np.mean(largest > x) <= granted(x) + laws.spread(granted(x), 10**4)
        )
    for theta in (0.4, 2.0):
        area, _ = integrate.quad(lambda x, t=theta: math.exp(t * x) * granted(x), 0, 30, limit=200)
        exact = math.log1p(theta * area)
        assert exact <= np.interp(theta, *noise_suprema.path_moments()) <= exact + 0.012 * theta


@second(
    "papers.distance_queries.baselines.noise_per_query.error_bound",
    "papers.distance_queries.baselines.noise_per_query._error_quantile",
    "papers.distance_queries.baselines.noise_per_query.Params.noise",
)
@pytest.mark.parametrize("k", [1, 30])
@pytest.mark.parametrize("beta", [0.05, 0.9])
def test_noise_for_each_query_has_its_exact_quantile(k, beta):
    """No impulse reaches another answer: k independent tails miss with chance beta together."""
    public = {"n": 50, "epsilon": 1, "delta": 1e-6, "k": k, "beta": beta, **WIDE}
    data = np.tile([0.5, 2.0], (50, 1))
    queries = np.tile([0.2, 3.0], (k, 1))
    bounds = {}
    for method in ("laplace", "gaussian"):
        params = noise_per_query.Params(**public, method=method)
        matrix, law = laws.response(
            lambda probe, p=params: (
                noise_per_query.release(data, p, probe, queries=queries).answers
            ),
            1e-6,
        )
        bounds[method] = noise_per_query.error_bound(params)
        assert np.count_nonzero(np.abs(matrix) > 1e-9) == k and law == method
        one = laws.tail(matrix[0][:1], bounds[method], law)
        assert -math.expm1(k * math.log1p(-one)) == pytest.approx(beta, rel=1e-5)
    chosen = noise_per_query.Params(**public)
    assert chosen.noise == min(bounds, key=bounds.get)
    assert noise_per_query.error_bound(chosen) == min(bounds.values())


def points():
    """A metric on seven points, from a plane."""
    rng = np.random.default_rng(0)
    places = rng.uniform(size=(7, 2))
    table = np.abs(places[:, None] - places[None]).sum(axis=2)
    return finite(table / table.max())


@second("papers.distance_queries.baselines.finite_metric.joint_sensitivity")
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_joint_sensitivity_by_all_pairs_of_points(delta):
    params = finite_metric.Params(
        n=10, metric=points(), queries=[0, 3, 4], epsilon=1.0, delta=delta
    )
    table = points().distances(range(7), [0, 3, 4])
    moved = 0.0
    for one, other in itertools.product(table, table):
        change = [abs(a - b) for a, b in zip(one, other, strict=True)]
        moved = max(moved, math.sqrt(sum(c * c for c in change)) if delta else sum(change))
    assert finite_metric.joint_sensitivity(params) == pytest.approx(moved / 10)


@second(
    "papers.distance_queries.baselines.finite_metric.error_bound",
    "papers.distance_queries.baselines.finite_metric._histogram_bound",
    "papers.distance_queries.baselines.finite_metric._joint_bound",
)
@pytest.mark.parametrize("method", ["histogram", "joint"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("queries", [[2], [0, 3, 4, 6]])
@pytest.mark.parametrize("beta", [0.05, 0.9])
def test_answers_on_a_finite_metric(method, delta, queries, beta):
    """The worst of k answers has beta / k: exactly, or by Chernoff for sums of Laplace noise."""
    params = finite_metric.Params(
        n=100, metric=points(), queries=queries, epsilon=1.0, delta=delta, beta=beta, method=method
    )
    data, table = np.arange(100) % 7, points().distances(range(7), queries)
    bound, k = finite_metric.error_bound(params), len(queries)
    if method == "joint":
        run = lambda probe: finite_metric.release(data, params, probe).answers  # noqa: E731
        matrix, law = laws.response(run, 1e-6)
    else:
        run = lambda probe: finite_metric.release(data, params, probe).shares  # noqa: E731
        shares, law = laws.response(run, 1e-6)
        matrix = table.T @ shares
    exact = [laws.tail(row[np.abs(row) > 1e-9], bound, law) for row in matrix]
    assert max(exact) <= beta / k * (1 + 1e-5)
    if delta or method == "joint":
        assert max(exact) == pytest.approx(beta / k, rel=1e-5)
    else:
        most = max(laws.chernoff_tail(row, bound, law) for row in matrix)
        assert 0.97 * beta / k <= 2 * most <= beta / k * (1 + 1e-6)


@second("papers.distance_queries.releases.haar_wavelet.lower_bound")
@pytest.mark.parametrize("d", [5, 8, 11])
def test_no_pure_mechanism_is_better_by_a_code_that_is_written_down(d):
    """A greedy code, word by word: as large as counted or larger, and the means are that far apart.

    k: so many changed records leave each word's event a chance of half e^(-k epsilon), and more
    than one in all is impossible. Correlating exact corner answers gives the means.
    """
    epsilon, n, apart = 0.05, 500, math.ceil(d / 4)
    corners = (np.arange(2**d)[:, None] >> np.arange(d)) & 1
    code = []
    for word in corners:
        if all((word != other).sum() >= apart for other in code):
            code.append(word)
    params = curves.Params(n=n, d=d, epsilon=epsilon, lower=0, upper=1)
    bound = haar_wavelet.lower_bound(params)
    counted = 2**d / sum(math.comb(d, i) for i in range(apart))
    assert len(code) >= counted
    changed = 0
    while counted / 2 * math.exp(-(changed + 1) * epsilon) > 1:
        changed += 1
    assert bound == pytest.approx(changed / n * math.sqrt(apart) / 2)
    answers = []
    for word in code[:2]:
        data = np.zeros((n, d))
        data[:changed] = word
        answers.append(np.abs(data[:, None] - corners[None]).sum(axis=2).mean(axis=0))
    signs = 1 - 2 * corners
    means = [signs.T @ (answer - d / 2) / 2**d + 0.5 for answer in answers]
    distance = np.linalg.norm(means[0] - means[1])
    assert distance == pytest.approx(changed / n * math.sqrt((code[0] != code[1]).sum()))
    gap = np.sqrt(np.mean((answers[0] - answers[1]) ** 2))
    assert gap >= distance * (1 - 1e-9), "Bessel"
    assert 2 * bound <= distance * (1 + 1e-9)
