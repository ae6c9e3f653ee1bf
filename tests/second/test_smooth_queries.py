"""Smooth queries: bias and noise of each bound, from integrals, exact tails and brute force."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import chebyshev as series
from scipy import integrate, optimize

from dpviz.papers.smooth_queries import (
    bounds,
    functional_mechanism,
    gaussian_kernel,
    jackson,
    minimax_rate,
    sobolev_ellipsoid,
)
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.release import Params
from second import second
from second.exact import gaussian_unit, laplace_tail, normal_tail

ROOMS = ("papers.smooth_queries",)
WITHOUT = {
    "papers.smooth_queries.bounds.by_bound": "chooses a number of terms by error_bound_kernels",
    "papers.smooth_queries.release.exact_moments": "the private moments themselves, no bound",
    "papers.smooth_queries.minimax_rate.plan": "chooses a number of terms by its error_bound",
}
QUIET, LOUD = 1e15, 1e-12  # epsilon: no noise is left; nothing but noise is left
RECORDS = 100


def kernel(degree, smoothness):
    """The paper's kernel, of integral 1: angles, and what an integral over them weighs them by."""
    r = math.ceil((smoothness + 3) / 2)
    terms, points = degree // r + 1, 1 << 15
    s = (np.arange(points) + 0.5) / points * 2 * np.pi - np.pi  # never 0
    mass = (np.sin(terms * s / 2) / np.sin(s / 2)) ** (2 * r)
    return s, mass / mass.sum()


def moment(degree, smoothness, power):
    s, mass = kernel(degree, smoothness)
    return float(mass @ np.abs(s) ** power)


def kept(degree, smoothness):
    """What I leaves of cos(m theta): its definition at the angle 0, by summation."""
    s, mass = kernel(degree, smoothness)
    shifts = range(1, smoothness + 2)
    signs = [-((-1) ** k) * math.comb(smoothness + 1, k) for k in shifts]
    return np.array(
        [
            sum(c * float(mass @ np.cos(m * k * s)) for c, k in zip(signs, shifts, strict=True))
            for m in range(degree + 1)
        ]
    )


def norm(weights):
    """Mean of |w_0 + 2 sum w_m cos(m s)|: the operator's norm in one variable, by summation."""
    s = (np.arange(1 << 14) + 0.5) / (1 << 14) * np.pi
    values = weights[0] + 2 * sum(w * np.cos(m * s) for m, w in enumerate(weights) if m)
    return float(np.abs(values).mean())


def partitions(items):
    """How many set partitions there are: each new item joins a block or opens one."""
    counts = {0: 1}
    for _ in range(items):
        more = {}
        for blocks, count in counts.items():
            for after, ways in ((blocks, blocks), (blocks + 1, 1)):
                more[after] = more.get(after, 0) + count * ways
        counts = more
    return sum(counts.values())


def largest_error_of_kinks(degree):
    """sup |f - I f| over |f'| <= 1 of f(x), K = 1: a lower bound of what must be promised.

    f - I f at a place is an integral of f' against a known function, so its size is attained. The
    function is what I does to a step, whose Chebyshev coefficients are known.
    """
    weights, y = kept(degree, 1), np.cos((np.arange(2000) + 0.5) / 2000 * np.pi)
    theta, m = np.arccos(y), np.arange(1, degree + 1)[:, None]
    steps = 2 * np.sin(m * theta) / (np.pi * m) * weights[1:, None]  # of a step up at y
    best = 0.0
    for x in np.cos(np.linspace(0, np.pi, 101)):
        smooth = theta / np.pi + np.cos(m * np.arccos(x)).ravel() @ steps
        best = max(best, float(np.pi / 2000 * (np.abs((x > y) - smooth) @ np.sqrt(1 - y**2))))
    return best


@second("papers.smooth_queries.jackson.approximation_bound")
@pytest.mark.parametrize("smoothness", [1, 2, 3])
def test_a_jackson_operator_s_error_is_a_moment_of_its_kernel(smoothness):
    """|Delta^(K+1) g| <= 2 |s|^K |g^(K)|: the moments by summation over 2^15 angles.

    For K = 1 the exact worst function is 1.9 times better: its second difference is not of
    size 2 |s| at all steps s at once.
    """
    for degree in (7, 32):
        by_hand = 2 * 0.7 * moment(degree, smoothness, smoothness)
        found = jackson.approximation_bound(degree, smoothness, derivative=0.7)
        assert found == pytest.approx(by_hand, rel=1e-5)
        by_hand = 0.7 * moment(degree, smoothness, smoothness + 1)
        found = jackson.approximation_bound(degree, smoothness, derivative=0.7, extra=True)
        assert found == pytest.approx(by_hand, rel=1e-5)
    if smoothness == 1:
        exact = largest_error_of_kinks(32)
        assert exact <= jackson.approximation_bound(32, 1, derivative=1.0) <= 1.95 * exact


@second("papers.smooth_queries.bounds.error_bound")
@pytest.mark.parametrize(("smoothness", "d"), [(1, 1), (2, 1), (3, 2)])
def test_the_class_s_error_is_made_of_its_three_parts(smoothness, d):
    """Bias with many nodes, aliasing with few, noise with much; each recomputed by summation.

    Norms and moments are sums over angles, Bell's numbers count set partitions, and the noise is
    the one that ``noise_bound`` is held to below. The package rounds norms up by 0.4 percent in
    each variable at most, that of the finer operator by 1.3.
    """
    t, size, operator = 12, 0.7, f"jackson {smoothness}"
    derivative = 2 * partitions(smoothness) * size

    def spread(degree):
        base = norm(kept(degree, smoothness))
        return derivative * moment(degree, smoothness, smoothness) * sum(base**j for j in range(d))

    for nodes, epsilon in ((120, QUIET), (16, QUIET), (16, LOUD)):
        params = Params(d=d, terms=t, epsilon=epsilon, beta=0.1, lower=-1, upper=1)
        norm_1 = norm(kept(t - 1, smoothness))
        on_grid = norm_1 * (1 + math.pi * t / (2 * nodes))
        grid = {"operator": operator, "nodes": nodes}
        both = [
            sobolev_ellipsoid.noise_bound(params, RECORDS, weighed=weighed, **grid)
            for weighed in (False, True)
        ]
        noise = size * min(both)
        by_hand = spread(t - 1) + (on_grid**d + norm_1**d) * spread(2 * nodes - t) + noise
        how = {"n": RECORDS, "size": size, "operator": operator, "nodes": nodes}
        found = bounds.error_bound(params, **how)
        assert by_hand * (1 - 1e-5) <= found <= 1.004 ** (2 * d + 2) * by_hand


def sensitivity(terms, d, power):
    """How far the moments of one record move at most, by brute force over pairs of places."""
    axis = np.cos(np.linspace(0, np.pi, 61 if d == 1 else 17))
    basis = np.cos(np.outer(np.arange(terms), np.arccos(axis)))
    rows = basis
    for _ in range(d - 1):
        rows = np.einsum("ai,bj->abij", rows, basis).reshape(len(rows) * terms, -1)
    gaps = rows[:, :, None] - rows[:, None, :]
    return float((np.abs(gaps) ** power).sum(axis=0).max() ** (1 / power))


def sensitivity_line(terms):
    """L1 movement of the cosine moments on a line, by the worst angle beside the end; dense."""
    angles = np.linspace(0, np.pi, 40 * terms)
    movement = np.zeros(len(angles))
    for m in range(terms):
        movement += 1 - np.cos(m * angles)
    return float(movement.max())


def test_the_sensitivities_used_here_are_those_of_brute_force():
    """All pairs of places, few terms: the ends are worst, other variables multiply by t."""
    for terms in (3, 4, 8):
        assert sensitivity(terms, 1, 1) <= sensitivity_line(terms) * (1 + 1e-12)
        assert sensitivity(terms, 1, 1) == pytest.approx(sensitivity_line(terms), rel=0.02)
        assert sensitivity(terms, 1, 2) <= math.sqrt(2 * terms) * (1 + 1e-12)
    assert sensitivity(4, 2, 1) == pytest.approx(4 * sensitivity_line(4), rel=0.05)
    assert sensitivity(4, 2, 2) == pytest.approx(math.sqrt(2 * 4**2), rel=0.05)


def mean_squares(d, terms, smoothness, nodes):
    """For each phi_m, by summation over the places of a torus grid of 2 ``nodes`` per variable: the
    mean square of its K-fold differences over steps pi / nodes, added up over the variables."""
    places = np.pi * (np.arange(2 * nodes) + 0.5) / nodes
    waves = np.cos(np.outer(np.arange(terms), places))
    steps = waves
    for _ in range(smoothness):
        steps = (np.roll(steps, -1, axis=1) - steps) * nodes / np.pi
    plain, moved = (np.mean(rows**2, axis=1) for rows in (waves, steps))
    total = np.zeros((terms,) * d)
    for i in range(d):
        factors = [moved if j == i else plain for j in range(d)]
        total += factors[0] if d == 1 else np.multiply.outer(*factors)
    sizes = plain if d == 1 else np.multiply.outer(plain, plain)
    return total.ravel()[1:], sizes.ravel()[1:]


@second("papers.smooth_queries.sobolev_ellipsoid.noise_bound")
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(("d", "smoothness", "terms"), [(1, 1, 40), (1, 2, 12), (2, 1, 8)])
def test_the_noise_of_a_smooth_class_is_a_quantile_of_a_weighed_length(d, smoothness, terms, delta):
    """Mean squares of differences by summation, the operator by quadrature, scales from a search
    over pairs of places, and 40,000 simulated lengths: none passes more often than beta, and the
    bound is at most 1.45 times their quantile, with weights and without."""
    beta, nodes = 0.02, 3 * terms
    params = Params(
        d=d, terms=terms, epsilon=1.0, delta=delta, beta=beta, noise_scaling="smoothness",
        smoothness=smoothness,
    lower=-1, upper=1)  # fmt: skip
    smooth, sizes = mean_squares(d, terms, smoothness, nodes)
    left = kept(terms - 1, smoothness)
    left = (left if d == 1 else np.multiply.outer(left, left)).ravel()[1:]
    limits, _ = mean_squares(d, terms, smoothness, 4000)  # derivatives instead of differences
    scales = limits ** (1 / 4 if delta else 1 / 3)
    unit = gaussian_unit(1.0, delta) if delta else 1.0
    noise = moved_most(d, terms, 1 / scales, 2 if delta else 1) / RECORDS * unit * scales
    rng = np.random.default_rng(0)
    law = rng.standard_normal if delta else rng.standard_exponential
    drawn = law((40_000, len(noise)))
    derivative = math.sqrt(d) * partitions(smoothness)
    for weighed, stretch in ((True, derivative / np.sqrt(smooth)), (False, 1 / np.sqrt(sizes))):
        lengths = np.linalg.norm(drawn * noise * left * stretch, axis=1)
        how = {"operator": f"jackson {smoothness}", "nodes": nodes, "weighed": weighed}
        found = sobolev_ellipsoid.noise_bound(params, RECORDS, **how)
        assert (lengths > found).mean() <= beta
        assert found <= 1.45 * np.quantile(lengths, 1 - beta)


def moved_most(d, terms, weights, power):
    """How far one record moves weighed moments, by search over pairs of places."""
    axis = np.linspace(0, np.pi, 1201 if d == 1 else 33)
    waves = np.cos(np.outer(np.arange(terms), axis))
    rows = waves if d == 1 else np.einsum("ai,bj->abij", waves, waves).reshape(terms**2, -1)
    rows = rows[1:] * weights[:, None]
    end = rows[:, :1]  # all angles 0: in one variable a worst place
    return float((np.abs(rows - end) ** power).sum(axis=0).max() ** (1 / power))


@second("papers.smooth_queries.sobolev_ellipsoid.square_sum_bound")
@pytest.mark.parametrize("gaussian", [True, False])
@pytest.mark.parametrize(
    "scales", [(1.0,), (3.0, 1.0, 1.0), (1.0,) * 200, tuple(1 / np.arange(1, 60))]
)
def test_a_weighed_length_passes_its_bound_as_rarely_as_promised(scales, gaussian):
    """Simulated 10^5 times: at beta = 0.1 and 0.01 never too often; too large by less
    than 1.6 times (normal) or 1.75 (exponential, where a single one is the worst case)."""
    rng = np.random.default_rng(0)
    law = rng.standard_normal if gaussian else rng.standard_exponential
    lengths = np.linalg.norm(law((100_000, len(scales))) * np.array(scales), axis=1)
    for beta in (0.1, 0.01):
        found = sobolev_ellipsoid.square_sum_bound(np.array(scales), beta=beta, gaussian=gaussian)
        assert (lengths > found).mean() <= beta
        assert found <= (1.6 if gaussian else 1.75) * np.quantile(lengths, 1 - beta)
    # one exponential, exactly: its tail is e^-x, and no moment of the first 40 does better
    one = sobolev_ellipsoid.square_sum_bound(np.ones(1), beta=1e-9, gaussian=False)
    least = min((math.factorial(2 * k) / 1e-9) ** (1 / (2 * k)) for k in range(1, 41))
    assert one == pytest.approx(least, rel=1e-9) and math.exp(-one) <= 1e-9


@second("papers.smooth_queries.sobolev_ellipsoid.truncation_bound")
@pytest.mark.parametrize("scaling", ["uniform", "smoothness"])
@pytest.mark.parametrize(("smoothness", "terms"), [(1, 60), (2, 60), (3, 8)])
def test_truncation_over_a_smooth_class_is_two_weighed_lengths(smoothness, terms, scaling):
    """The ellipsoid's largest inner products, from 40,000 draws of the noise and a summed tail.

    The noise is passed with probability beta at most, and its square is the mean square over beta,
    which is Markov's inequality: within 5 sd of the draws' own. The bias is an integral's bound of
    the tail; at degree t - 1 it is at most sqrt(2K - 1) times the sum, and some t / (t - 1).
    """
    beta, powers = 0.05, np.arange(1, terms) ** float(smoothness)
    params = Params(
        d=1, terms=terms, epsilon=1.0, beta=beta, noise_scaling=scaling, smoothness=smoothness,
    lower=-1, upper=1)  # fmt: skip
    bias, noise = sobolev_ellipsoid.truncation_bound(params, RECORDS)
    grow = powers ** (2 / 3) if scaling == "smoothness" else np.ones(terms - 1)
    scales = grow * sum(2 / RECORDS / each for each in grow)  # crude: each average moves by 2/n
    drawn = np.random.default_rng(0).laplace(size=(40_000, terms - 1)) * scales
    squares = 2 * ((drawn / powers) ** 2).sum(axis=1)
    assert (np.sqrt(squares) > noise).mean() <= beta
    sampling = squares.std() / math.sqrt(len(squares))
    assert abs(noise**2 * beta - squares.mean()) < 5 * sampling
    left = math.sqrt(2 * (np.arange(terms, 10**6) ** (-2.0 * smoothness)).sum())
    assert left < bias < left * math.sqrt(2 * smoothness - 1) * (terms / (terms - 1)) ** smoothness


@second("papers.smooth_queries.minimax_rate.error_bound")
@pytest.mark.parametrize(("d", "smoothness"), [(1, 1), (1, 2)])
def test_the_planned_error_is_bias_by_summation_and_a_simulated_length(d, smoothness):
    """t = 25: the bias by summation over angles, the noise at most 1.45 times a quantile."""
    t, nodes = 25, 16 * 25
    params = Params(
        d=d,
        terms=t,
        epsilon=1.0,
        smoothness=smoothness,
        noise_scaling="smoothness",
        lower=-1,
        upper=1,
    )
    base = norm(kept(t - 1, smoothness))
    on_grid = base * (1 + math.pi * t / (2 * nodes))
    derivative = 2 * partitions(smoothness)
    coarse, fine = (moment(u, smoothness, smoothness) for u in (t - 1, 2 * nodes - t))
    bias = derivative * (coarse + (on_grid + base) * fine)
    without_noise = minimax_rate.error_bound(params, n=10**15)
    assert bias * (1 - 1e-5) <= without_noise <= 1.004**2 * bias
    noise = minimax_rate.error_bound(params, n=RECORDS) - without_noise
    smooth, _ = mean_squares(d, t, smoothness, nodes)
    limits, _ = mean_squares(d, t, smoothness, 4000)
    scales = limits ** (1 / 3)
    sizes = moved_most(d, t, 1 / scales, 1) / RECORDS * scales * kept(t - 1, smoothness)[1:]
    drawn = np.random.default_rng(1).standard_exponential((40_000, t - 1))
    lengths = partitions(smoothness) * np.linalg.norm(drawn * sizes / np.sqrt(smooth), axis=1)
    assert (lengths > noise).mean() <= 0.05
    assert noise <= 1.45 * np.quantile(lengths, 0.95)


def coefficients(centre, width, terms):
    """Of one factor of a Gaussian kernel: interpolation at 400 nodes; what is seen beyond them is
    below 1e-14 for the widths of this file."""
    found = series.chebinterpolate(lambda x: np.exp(-((x - centre) ** 2) / (2 * width**2)), 399)
    return found[:terms], found


@second("papers.smooth_queries.gaussian_kernel.GaussianKernels.approximation_bound")
@pytest.mark.parametrize("operator", ["truncation", "jackson 2"])
@pytest.mark.parametrize("centre", [(0.0,), (0.37,), (0.37, -0.8)])
def test_a_kernel_s_bias_is_the_sum_of_what_is_left_out(operator, centre):
    """Coefficients by interpolation, weights of the operator by summation; and it is no less than
    the error at any place."""
    terms, width = 9, 0.3
    left = np.ones(terms) if operator == "truncation" else kept(terms - 1, 2)
    errors, drawn, axis = [], [], np.linspace(-1, 1, 201)
    for c in centre:
        used, whole = coefficients(c, width, terms)
        errors.append(np.abs(used * (1 - left)).sum() + np.abs(whole[terms:]).sum())
        drawn.append(series.chebval(axis, used * left))
    by_hand = math.prod(1 + e for e in errors) - 1
    query = GaussianKernels(centres=[centre], width=width, lower=-1, upper=1)
    found = float(query.approximation_bound(terms, operator=operator)[0])
    assert found == pytest.approx(by_hand, rel=1e-6)
    exact = [np.exp(-((axis - c) ** 2) / (2 * width**2)) for c in centre]
    outer = lambda parts: parts[0] if len(parts) == 1 else np.outer(*parts)  # noqa: E731
    assert np.abs(outer(exact) - outer(drawn)).max() <= found


NOISY = 1e-3  # epsilon: noise of a hundred records is far above any bias


@second("papers.smooth_queries.bounds.error_bound_kernels")
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(("k", "beta"), [(1, 0.05), (40, 0.01), (1, 1e-9)])
def test_the_noise_of_given_kernels_takes_beta_once(delta, k, beta):
    """Gaussian: the union over k of the exact tails is beta to nine digits. Laplace: with x read
    off the bound (its one free number), the exact tail of the weighted sum is at most 2 e^-x, as
    the proof says, and 2 k e^-x is beta to nine digits. So no logarithm can lose a 2, a k, or its
    beta. Of the deviation and the peak the tests of terms ask that they are nearly attained.
    """
    terms, centres = 10, np.linspace(-0.9, 0.9, k)[:, None] if k > 1 else [[0.3]]
    params = Params(d=1, terms=terms, epsilon=NOISY, delta=delta, beta=beta, lower=-1, upper=1)
    queries = GaussianKernels(centres=centres, width=0.3, lower=-1, upper=1)
    found = bounds.error_bound_kernels(params, n=RECORDS, queries=queries)
    unions = []
    for (centre,), bound in zip(queries.centres, found, strict=True):
        used, whole = coefficients(centre, 0.3, terms)
        weights, noise = used[1:], bound - np.abs(whole[terms:]).sum()
        if delta:
            # an even number of terms attains sqrt(2 t)
            sd = math.sqrt(2 * terms) / RECORDS * gaussian_unit(NOISY, delta)
            unions.append(k * normal_tail(noise / (sd * np.linalg.norm(weights))))
            continue
        scale = sensitivity_line(terms) / RECORDS / NOISY
        length, peak = math.sqrt(2) * np.linalg.norm(weights), np.abs(weights).max()
        x = optimize.brentq(
            lambda x, a=length, b=peak, c=noise / scale: math.sqrt(2 * x) * a + x * b - c, 0, 1e3
        )
        unions.append(2 * k * math.exp(-x))
        if beta > 1e-6 and len(unions) % 8 == 1:  # the inversion is exact to 1e-12
            assert laplace_tail(weights, noise / scale) <= 2 * math.exp(-x)
            assert laplace_tail(weights, noise / scale / 2.5) > 2 * math.exp(-x)
    # the places of the brute-force sensitivity are off by 1e-4 at most
    assert unions == pytest.approx(np.full(k, beta), rel=1e-7 if delta else 0.02)


@second("papers.smooth_queries.functional_mechanism.error_bound")
@pytest.mark.parametrize(("d", "k"), [(1, 1), (1, 50), (2, 7)])
def test_the_kernel_curve_s_noise_takes_beta_once(d, k):
    """Many nodes and much noise: k exact Gaussian tails add up to beta.

    The movement of F in the kernel's space is |k_x - k_x'|, the largest over all pairs of corners.
    """
    params = functional_mechanism.Params(
        d=d, width=0.7, nodes=24, epsilon=1e-3, delta=1e-6, lower=-1, upper=1
    )
    corners = [np.array(corner) for corner in itertools.product((-1.0, 1.0), repeat=d)]
    inner = [math.exp(-((a - b) @ (a - b)) / (2 * 0.7**2)) for a in corners for b in corners]
    sd = max(math.sqrt(2 - 2 * value) for value in inner) / RECORDS * gaussian_unit(1e-3, 1e-6)
    centres = np.random.default_rng(0).uniform(-1, 1, (k, d))
    found = functional_mechanism.error_bound(params, n=RECORDS, queries=centres)
    # 24 nodes: what the interpolation adds to noise and error is below 1e-8 of the noise
    assert [k * normal_tail(x / sd) for x in found] == pytest.approx(np.full(k, 0.05), rel=1e-5)


@pytest.mark.parametrize("d", [1, 2])
def test_the_kernel_curve_s_bias_is_what_interpolation_misses(d):
    """Few nodes, no noise: own Lagrange polynomials, the sum of the residual's coefficients."""
    nodes, width = 7, 0.5
    params = functional_mechanism.Params(
        d=d, width=width, nodes=nodes, epsilon=QUIET, delta=1e-6, lower=-1, upper=1
    )
    z = np.cos((np.arange(nodes) + 0.5) * np.pi / nodes)
    centres = np.array([[0.21, -0.93], [0.99, 0.4]])[:, :d]
    found = functional_mechanism.error_bound(params, n=10**9, queries=centres)
    by_hand = []
    for centre in centres:
        product = 1.0
        for y in centre:
            at = [np.prod([(y - b) / (a - b) for b in z if b != a]) for a in z]

            def missed(x, y=y, at=at):
                shape = np.exp(-((x[:, None] - z) ** 2) / (2 * width**2))
                return np.exp(-((x - y) ** 2) / (2 * width**2)) - shape @ at

            product *= 1 + np.abs(series.chebinterpolate(missed, 200)).sum()
        by_hand.append(product - 1)
    assert found == pytest.approx(by_hand, rel=1e-5)


def test_what_a_grid_cannot_see_is_less_than_is_said():
    """Sum of |c_n| beyond the nodes, by integration of each; the bound is 4 to 60 times larger,
    for an ellipse knows the largest value only. Rounding to zero it would be seen here."""
    for nodes, width in ((6, 0.5), (10, 0.5), (12, 0.3)):
        sizes = [
            abs(
                integrate.quad(
                    lambda a, n=n, w=width: (
                        math.exp(-((math.cos(a) - 1) ** 2) / (2 * w**2)) * math.cos(n * a)
                    ),
                    0,
                    math.pi,
                    limit=200,
                )[0]
            )
            * 2
            / math.pi
            for n in range(nodes, nodes + 40)
        ]
        assert sum(sizes) <= gaussian_kernel.unseen(nodes, width) <= 60 * sum(sizes)


def test_a_smaller_beta_never_promises_less():
    """All bounds at once, so that an exchanged beta and 1 - beta shows."""
    queries = GaussianKernels(centres=[[0.3]], width=0.3, lower=-1, upper=1)
    for params in (
        Params(d=1, terms=9, epsilon=1.0, lower=-1, upper=1),
        Params(d=1, terms=9, epsilon=1.0, delta=1e-6, lower=-1, upper=1),
    ):
        strict = replace(params, beta=1e-6)
        for bound in (
            lambda p: bounds.error_bound(p, n=RECORDS, size=1.0),
            lambda p: float(bounds.error_bound_kernels(p, n=RECORDS, queries=queries)[0]),
        ):
            assert bound(strict) > bound(params)
