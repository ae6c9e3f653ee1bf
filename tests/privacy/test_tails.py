"""Tails of noise, against exact laws and against draws."""

import numpy as np
import pytest
from scipy import stats

from dpviz.privacy import noise_laws
from dpviz.privacy.curator import Budgeted


@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-9])
def test_the_normal_tail_is_exact(beta):
    assert 2 * stats.norm.sf(noise_laws.normal(beta)) == pytest.approx(beta, rel=1e-9)


@pytest.mark.parametrize("scales", [[1.0], [1, 1], [1, -2, 0, 0.5], np.linspace(0.1, 1, 50)])
def test_the_laplace_tail_holds_and_is_not_far_off(scales):
    """40,000 draws; more than 0.05 x 40,000 + 5 sd = 2,218 beyond it has probability < 1e-6.

    Chernoff loses most where the terms are few: a factor of 1.83 for three at beta = 0.05.
    """
    draws = np.random.default_rng(1).laplace(size=(40_000, len(scales))) @ np.array(scales)
    bound = noise_laws.laplace_sum(scales, 0.05)
    assert (np.abs(draws) > bound).sum() <= 2218
    assert bound <= 1.9 * np.quantile(np.abs(draws), 0.95)


def test_the_laplace_tail_scales_with_the_noise():
    one, ten = noise_laws.laplace_sum([1, 2, 3], 0.1), noise_laws.laplace_sum([10, 20, 30], 0.1)
    assert ten == pytest.approx(10 * one, rel=1e-12)


@pytest.mark.parametrize("beta", [0, 1, -1])
def test_beta_outside_0_1_is_refused(beta):
    with pytest.raises(ValueError, match="beta must be a number with 0 < beta < 1"):
        noise_laws.laplace_sum([1.0], beta)


@pytest.mark.parametrize("k", [1, 7, 10**9])
def test_k_divides_beta(k):
    assert noise_laws.normal(0.05, log_k=np.log(k)) == pytest.approx(
        noise_laws.normal(0.05 / k), rel=1e-9
    )
    for scales in ([2.0], [1.0, 2.0, 3.0]):
        shared = noise_laws.laplace_sum(scales, 0.05, log_k=np.log(k))
        assert shared == pytest.approx(noise_laws.laplace_sum(scales, 0.05 / k), rel=1e-9)


@pytest.mark.parametrize("k", [1, 7, 10**6])
@pytest.mark.parametrize(("delta", "law"), [(0.0, stats.laplace), (1e-6, stats.norm)])
def test_all_of_k_noises_are_within_the_largest_with_probability_1_less_beta(k, delta, law):
    budget, moved = Budgeted(epsilon=0.5, delta=delta), {"l1": 2.0, "l2": 3.0}
    most = budget.largest_noise(k, 0.05, **moved)
    beyond = 2 * law.sf(most, scale=budget.noise_scale(**moved))
    assert k * np.log1p(-beyond) == pytest.approx(np.log(0.95), rel=1e-9)
