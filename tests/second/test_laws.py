"""The laws that second derivations start from, against integrals and simulations."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from second import laws

N = 10**6


@pytest.mark.parametrize("theta", [0.1, 0.7, 0.95])
def test_the_moments_are_the_integrals(theta):
    total, _ = integrate.quad(lambda x: math.cosh(theta * x) * math.exp(-x), 0, 400, limit=200)
    assert math.exp(laws.log_mgf("laplace", theta)) == pytest.approx(total, rel=1e-7)
    density = stats.norm.pdf
    total, _ = integrate.quad(lambda x: math.exp(theta * x) * density(x), -30, 30)
    assert math.exp(laws.log_mgf("gaussian", theta)) == pytest.approx(total, rel=1e-7)


@pytest.mark.parametrize("weights", [[2.0], [1.0, 3.0], [0.5, 0.5, 1.0, 0.1]])
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_tails_are_those_of_a_simulation(weights, law):
    weights = np.array(weights)
    sums = np.abs(laws.draws(law, (N // 4, len(weights)), 1) @ weights)
    for x in (1.0, 3.0, 6.0):
        share = np.mean(sums > x)
        exact = laws.tail(weights, x, law)
        assert share == pytest.approx(exact, abs=laws.spread(exact, N // 4) + 1e-9)
        assert exact <= 2 * laws.chernoff_tail(weights, x, law)
    assert laws.tail(weights, laws.quantile(weights, 1e-5, law), law) == pytest.approx(1e-5)


def test_the_tail_of_two_equal_laplace_variables_is_known():
    """Its density is (1 + |x|) exp(-|x|) / 4: P(|S| > x) = (1 + x / 2) exp(-x)."""
    for x in (0.5, 4.0, 20.0):
        exact = (1 + x / 2) * math.exp(-x)
        assert laws.tail(np.ones(2), x, "laplace") == pytest.approx(exact, rel=1e-4, abs=1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-6), (0.1, 1e-3), (5, 1e-9)])
def test_the_least_gaussian_noise_by_two_normal_tails(epsilon, delta):
    """P(loss > epsilon) - e^epsilon P(loss of the neighbour > epsilon)."""
    sd = laws.gaussian_unit(epsilon, delta)
    above = stats.norm.sf(epsilon * sd - 0.5 / sd) - math.exp(epsilon) * stats.norm.sf(
        epsilon * sd + 0.5 / sd
    )
    assert above == pytest.approx(delta, rel=1e-6)


def test_a_probe_reads_off_a_linear_map():
    def run(probe):
        return 2 * probe.laplace(np.zeros(2), sensitivity=3.0, epsilon=1.0, label="x")[::-1]

    matrix, law = laws.response(run)
    assert law == "laplace" and matrix.tolist() == [[0.0, 6.0], [6.0, 0.0]]
