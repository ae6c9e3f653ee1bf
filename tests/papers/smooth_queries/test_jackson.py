"""The kernel in exact integers, the operator as multipliers, and what Theorem 4.1 may claim."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.papers.smooth_queries import jackson

SMOOTHNESS = range(5)


def convolved(degree, smoothness):
    """The same integers by multiplying polynomials, without a formula."""
    r = jackson.order(smoothness)
    product = [1]
    for _ in range(2 * r):
        longer = [0] * (len(product) + degree // r)
        for i, x in enumerate(product):
            for j in range(degree // r + 1):
                longer[i + j] += x
        product = longer
    return tuple(product[len(product) // 2 :])


@pytest.mark.parametrize("smoothness", SMOOTHNESS)
def test_the_integers_are_those_of_the_multiplied_polynomial(smoothness):
    """Statements: W13 Definition 4.1."""
    for degree in range(40):
        assert jackson.integers(degree, smoothness) == convolved(degree, smoothness)


def test_the_integers_pass_what_doubles_hold():
    assert jackson.integers(1024, 4)[0] > 2**53


def test_the_lists_of_fractions_at_degree_six():
    """Worked out by hand from the integers (1, 2, 3, ... convolved) with b_0 = 44 and 141."""
    lists = {
        1: "1 49/44 13/11 39/44 5/11 2/11 1/22",
        2: "1 158/141 208/141 49/47 21/47 6/47 1/47",
        3: "1 143/141 238/141 194/141 28/47 8/47 4/141",
    }
    for smoothness, fractions in lists.items():
        expected = tuple(map(Fraction, fractions.split()))
        assert jackson.multipliers_exact(6, smoothness) == expected


@given(st.integers(0, 80), st.integers(0, 5))
def test_the_constant_is_kept_and_nothing_lies_above_the_attained_degree(degree, smoothness):
    shares = jackson.multipliers_exact(degree, smoothness)
    r = jackson.order(smoothness)
    attained = r * (degree // r)
    assert shares[0] == 1
    assert all(share == 0 for share in shares[attained + 1 :])
    assert shares[attained] != 0
    assert jackson._is_data_independent(degree, smoothness) == (attained == 0)


@given(st.integers(1, 31), st.integers(0, 5), st.integers(0, 10**6))
@settings(max_examples=40)
def test_equation_2_by_quadrature_equals_the_multipliers_in_one_variable(degree, k, seed):
    """Statements: W13 Equation 2; W13 Fact 4.2."""
    rng = np.random.default_rng(seed)
    shares, theta = rng.normal(size=40), rng.uniform(-np.pi, np.pi, 11)

    def terms(x):
        return np.cos(x[..., None] * np.arange(40)) @ shares

    kept = np.zeros(40)
    mu = jackson.multipliers(degree, k)
    kept[: len(mu[:40])] = mu[:40]
    direct = jackson.by_quadrature(terms, theta, degree, k, points=512)
    assert direct == pytest.approx(
        np.cos(np.outer(theta, np.arange(40))) @ (kept * shares), abs=1e-10
    )


@pytest.mark.parametrize("smoothness", [1, 2, 3])
@pytest.mark.parametrize("degree", [5, 9, 14])
def test_equation_2_by_quadrature_equals_the_multipliers_in_two_variables(degree, smoothness):
    """On exp(x y + sin 2x), which is no product; 400 points resolve it to 1e-13.

    Statements: W13 Equation 2.
    """
    from dpviz.papers.smooth_queries.chebyshev import transform

    def g(a, b):
        return np.exp(np.cos(a) * np.cos(b) + np.sin(2 * np.cos(a)))

    theta = np.linspace(0, np.pi, 5)

    def inner_rows(a):  # by_quadrature wants the angle's axes first
        flat = np.ravel(a)
        rows = [
            jackson.by_quadrature(lambda b, x=x: g(x, b), theta, degree, smoothness, points=400)
            for x in flat
        ]
        return np.reshape(rows, (*np.shape(a), len(theta)))

    s = 2 * np.pi * np.arange(400) / 400
    table = inner_rows(s)  # the operator along b at every shift of a that can occur

    def outer(a):
        index = np.round(np.asarray(a) / (2 * np.pi / 400)).astype(int) % 400
        assert np.allclose(np.cos(s[index]), np.cos(a), atol=1e-12)
        return table[index]

    places = s[[0, 37, 90, 200]]
    direct = jackson.by_quadrature(outer, places, degree, smoothness, points=400)
    shares = transform(lambda x: np.exp(x[:, 0] * x[:, 1] + np.sin(2 * x[:, 0])), 2, 64)
    mu = np.zeros(64)
    mu[: degree + 1] = jackson.multipliers(degree, smoothness)
    n = np.arange(64)
    drawn = np.cos(np.outer(places, n)) @ (mu[:, None] * mu * shares) @ np.cos(np.outer(n, theta))
    assert direct == pytest.approx(drawn, abs=1e-10)


@pytest.mark.parametrize("smoothness", SMOOTHNESS)
def test_the_kernel_has_integral_one_and_the_stated_coefficients(smoothness):
    """Statements: W13 Definition 4.1."""
    s = 2 * np.pi * np.arange(256) / 256
    h = jackson.kernel(s, 12, smoothness)
    assert h.min() >= 0
    shares = np.array(jackson.integers(12, smoothness)) / jackson.integers(12, smoothness)[0]
    seen = [np.mean(h * np.cos(n * s)) * 2 * np.pi for n in range(len(shares))]
    assert seen == pytest.approx(shares, abs=1e-12)


@pytest.mark.parametrize("smoothness", [1, 2, 3, 4])
def test_the_norm_is_below_its_proved_bound_and_above_what_is_measured(smoothness):
    """The norm is attained by the sign of the kernel: measure the mean of |M| on another grid."""
    for degree in (2, 6, 11, 40, 128):
        mu = jackson.multipliers(degree, smoothness)
        bound = jackson.lebesgue(mu)
        s = np.linspace(0, np.pi, 20001)
        m = 1 + 2 * np.cos(np.outer(s, np.arange(1, degree + 1))) @ mu[1:]
        measured = np.trapezoid(np.abs(m), s) / np.pi
        assert measured <= bound <= 1.005 * measured  # the margin of the grid is 0.3 %
        assert bound <= 2 ** (smoothness + 1) - 1 + 0.01
        assert np.abs(mu).max() <= bound


@pytest.mark.parametrize("smoothness", [0, 1, 2, 3, 4])
def test_moments_fall_as_the_theory_wants(smoothness):
    for power in range(smoothness + 2):
        scaled = [t**power * jackson._moment(t, smoothness, power) for t in (60, 120, 240)]
        assert max(scaled) <= 1.3 * min(scaled)
    assert jackson._moment(60, smoothness, 0) == pytest.approx(1, abs=1e-12)


def error(g, degree, smoothness, points=4000):
    """Largest error of I on an even function of the angle, seen at multiples of pi / points."""
    from scipy.fft import dct, idct

    theta = np.pi * (np.arange(points) + 0.5) / points
    shares = dct(g(theta))
    mu = np.zeros(points)
    mu[: degree + 1] = jackson.multipliers(degree, smoothness)
    return np.abs(g(theta) - idct(mu * shares)).max()


@pytest.mark.parametrize("smoothness", [1, 2, 3])
def test_erratum_theorem_4_1_promises_one_power_too_much(smoothness):
    """|cos|^K has a bounded K-th derivative; the stated t^-(K+1) fails, t^-K holds.

    Statements: W13 Theorem 4.1.
    """
    degrees = np.array([48, 96, 192, 384])  # multiples of r = 2 and 3: no staircase between

    def kinked(theta):
        return np.abs(np.cos(theta)) ** smoothness * np.sign(np.cos(theta)) ** (smoothness - 1)

    errors = np.array([error(kinked, t, smoothness) for t in degrees])
    stated = errors * degrees ** (smoothness + 1.0)
    assert stated[-1] > 4 * stated[0]  # no constant will do
    corrected = errors * degrees**smoothness
    assert corrected.max() <= 2 * corrected.min()  # the constant settles slowly for K = 3
    slope = np.polyfit(np.log(degrees), np.log(errors), 1)[0]
    assert slope == pytest.approx(-smoothness, abs=0.2)


def test_erratum_theorem_4_1_fails_for_smooth_functions_too():
    """A kink rounded at scale 1/t^2 is smooth, has |g'| <= 1, and errs by c / t all the same.

    Statements: W13 Theorem 4.1.
    """
    for degree in (32, 64, 128):
        rounded = lambda theta, t=degree: np.sqrt(np.cos(theta) ** 2 + t**-4.0)  # noqa: E731
        assert degree * error(rounded, degree, 1, points=40_000) > 1.2


@pytest.mark.parametrize(("power", "smoothness"), [(1, 1), (3, 2), (3, 3)])
def test_the_proved_approximation_bound_holds_and_is_not_idle(power, smoothness):
    """|cos|^power: its derivatives by differences on a fine grid; ratio at most 12."""
    theta = np.linspace(0, np.pi, 200_001)
    step = theta[1]
    for extra in (False, True):
        if extra and power < smoothness + 1:
            continue
        values = np.abs(np.cos(theta)) ** power
        derivative = np.abs(np.diff(values, smoothness + extra)).max() / step ** (
            smoothness + extra
        )
        for degree in (8, 32, 100):
            bound = jackson.approximation_bound(
                degree, smoothness, derivative=derivative, extra=extra
            )
            measured = error(lambda x: np.abs(np.cos(x)) ** power, degree, smoothness)
            assert measured <= bound <= 60 * measured


def test_the_approximation_bound_for_one_more_derivative():
    """cos has every derivative at most 1."""
    for smoothness in (1, 2, 3):
        for degree in (6, 12, 48):
            bound = jackson.approximation_bound(degree, smoothness, derivative=1, extra=True)
            assert error(np.cos, degree, smoothness) <= bound


def test_the_error_is_a_staircase_and_can_rise():
    """More terms, worse: the kernel at 0 with K = 2 and degrees 3, 6, 9; equal in between."""
    bump = lambda theta: np.exp(-2 * np.cos(theta) ** 2)  # noqa: E731
    errors = [error(bump, degree, 2) for degree in range(3, 12)]
    assert errors[0] == pytest.approx(errors[2], rel=1e-12)
    assert errors[3] == pytest.approx(errors[5], rel=1e-12)
    assert errors[3] > 1.4 * errors[0] and errors[6] < errors[0]


def test_a_basis_function_of_analytic_smoothness_gains_no_more_than_one_power_beyond():
    """1 - mu(n) falls like t^-(K+1) for odd K and t^-(K+2) for even K: saturation."""
    for smoothness, power in [(1, 2), (2, 4), (3, 4), (4, 6)]:
        lost = [abs(1 - jackson.multipliers(t, smoothness)[1]) for t in (1024, 2048)]
        assert np.log2(lost[0] / lost[1]) == pytest.approx(power, abs=0.05)


@pytest.mark.parametrize("smoothness", [-1, 1.5, "two", np.nan])
def test_smoothness_must_be_a_whole_number(smoothness):
    with pytest.raises((ValueError, TypeError), match="smoothness"):
        jackson.order(smoothness)
