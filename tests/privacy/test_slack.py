"""The accuracy of AboveThreshold: each step of its proof, and how tight it is."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpviz.privacy.curator import Curator
from dpviz.privacy.sparse_vector import threshold_accuracy

TEST = Curator(epsilon=1, rng=0).above_threshold(0, sensitivity=1, epsilon=1, label="x")
B1, B2 = TEST.threshold_scale, TEST.value_scale


@pytest.mark.parametrize("s", [1.0, 10.0, 60.0])
@pytest.mark.parametrize("m", [0.0, 0.5, 5.0, 30.0, 90.0])
def test_one_check_errs_as_seldom_as_the_proof_says(s, m):
    """P(|v - m| > s), exactly, is at most exp(-s/b2) cosh(m/b2); equal while m <= s."""
    exact = stats.laplace.sf(m + s, scale=B2) + stats.laplace.cdf(m - s, scale=B2)
    claimed = math.exp(-s / B2) * math.cosh(m / B2)
    assert exact <= claimed * (1 + 1e-12)  # rounding
    if m <= s:
        assert exact == pytest.approx(claimed)


@pytest.mark.parametrize("runs", [1, 6, 50])
def test_the_mean_over_the_largest_threshold_noise(runs):
    """E cosh(M/b2) by quadrature of the law of the largest of c exponentials."""

    def integrand(m):
        density = runs * math.exp(-m / B1) * (1 - math.exp(-m / B1)) ** (runs - 1) / B1
        return density * math.cosh(m / B2)

    mean = (
        integrate.quad(integrand, 0, 60 * B1, limit=500)[0]
        + integrate.quad(lambda m: runs * math.exp(m / B2 - m / B1) / (2 * B1), 60 * B1, np.inf)[0]
    )
    s = B2 * math.log(1000 * mean / 0.01)
    assert threshold_accuracy(checks=1000, runs=runs, beta=0.01) == pytest.approx(s, rel=1e-5)


def simulate(rng, *, checks, runs, knows):
    """The largest wrong decision: runs of equal length, or all checks at the worst threshold."""
    levels = rng.laplace(scale=B1, size=runs)
    met = levels[np.abs(levels).argmax()] if knows else levels[np.arange(checks) * runs // checks]
    return np.abs(rng.laplace(scale=B2, size=checks) - met).max()


@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize(("checks", "runs"), [(100, 1), (2000, 6), (2000, 40)])
def test_it_holds_and_is_not_loose(checks, runs, knows):
    """4000 simulations at beta = 0.05; a false alarm has probability 1e-6.

    The proof allows for an analyst who knows which threshold is worst: then it is within 1.15
    of the quantile; with runs of equal length within 1.3.
    """
    # Statements: NSV Theorem 4.8.
    rng = np.random.default_rng(checks + runs)
    draws = [simulate(rng, checks=checks, runs=runs, knows=knows) for _ in range(4000)]
    s = threshold_accuracy(checks=checks, runs=runs, beta=0.05)
    assert (np.array(draws) > s).sum() <= stats.binom.ppf(1 - 1e-6, 4000, 0.05)
    assert s <= (1.15 if knows else 1.3) * np.quantile(draws, 0.95)


@pytest.mark.parametrize(("checks", "runs"), [(1000, 1), (10_000, 6), (50_000, 130)])
def test_it_is_smaller_than_bounding_both_noises_apart(checks, runs):
    """With thirds of beta = 0.05 each and the best split: (sqrt(L1) + sqrt(2 L2))^2."""
    apart = (math.sqrt(math.log(3 * runs / 0.05)) + math.sqrt(2 * math.log(3 * checks / 0.05))) ** 2
    assert threshold_accuracy(checks=checks, runs=runs, beta=0.1 / 3) <= 0.9 * apart


def test_it_takes_arrays_and_refuses_a_bad_beta():
    assert threshold_accuracy(checks=10, runs=np.array([1, 2]), beta=0.1).shape == (2,)
    with pytest.raises(ValueError, match=r"beta must be a number with 0 < beta < 1, not 0"):
        threshold_accuracy(checks=10, runs=1, beta=0)


@pytest.mark.parametrize("bad", [0, -3, [5, 0], 0.5, np.nan])
@pytest.mark.parametrize("name", ["checks", "runs"])
def test_it_refuses_counts_below_one(name, bad):
    with pytest.raises(ValueError, match=f"{name} must be"):
        threshold_accuracy(**{"checks": 10, "runs": 1, "beta": 0.1, name: bad})
