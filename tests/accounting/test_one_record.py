"""Draws with replacement from one record are that record each time: group privacy, nothing else."""

import math

import pytest

from dpviz import accounting


@pytest.mark.parametrize(
    ("epsilon", "delta", "draws"), [(0.5, 1e-6, 3), (0.1, 0.0, 7), (2, 0.1, 1)]
)
def test_a_step_is_paid_for_each_draw(epsilon, delta, draws):
    group = sum(math.exp(i * epsilon) for i in range(draws))  # the exact factor of group privacy
    total, spent = accounting.resample_step(epsilon=epsilon, delta=delta, draws=draws, n=1)
    assert total == pytest.approx(draws * epsilon)
    assert group * delta <= spent <= draws * math.exp((draws - 1) * epsilon) * delta * (1 + 1e-12)


@pytest.mark.parametrize("draws", [1, 2, 5])
def test_a_profile_is_read_once_at_as_many_places_as_draws(draws):
    profile = accounting.pure_profile(epsilon=0.5)
    here = accounting.resample(epsilon=0.7, draws=draws, n=1, profile=profile)
    assert here == pytest.approx((0.7, profile(draws, 0.7)))
