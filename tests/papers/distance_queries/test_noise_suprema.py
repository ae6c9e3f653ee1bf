"""The law of the largest noise: closed forms against simulation, Chernoff against quantiles."""

import math

import numpy as np
import pytest
from scipy import stats

from dpviz.papers.distance_queries.releases.noise_suprema import (
    Moments,
    bridge_moments,
    bridge_tail,
    chernoff_bound,
    exact_quantile,
    from_tail,
    normal_union,
    path_moments,
)


def test_without_tilt_the_law_is_that_of_chi_3():
    x = np.linspace(0, 6, 25)
    assert bridge_tail(x, 1.0) == pytest.approx(stats.chi(3).sf(x), abs=1e-9)  # c is 1e-12, not 0


@pytest.mark.parametrize("r", [0.5, 0.7, 1.0])
def test_the_tail_is_that_of_the_sum_of_squares(r):
    """P(G^2 + r chi^2_2 > x^2), by integrating over G."""
    from scipy.integrate import quad

    for x in (0.5, 1.5, 3.0):
        inside = quad(lambda g, x=x: stats.norm.pdf(g) * math.exp((g * g - x * x) / (2 * r)), -x, x)
        assert bridge_tail(x, r) == pytest.approx(inside[0] + 2 * stats.norm.sf(x), rel=1e-8)


@pytest.mark.parametrize("r", [0.5, 1.0])
def test_a_tied_down_path_has_this_supremum(r):
    """4000 paths of 4096 steps: their 5 % point lies below the law's by the steps alone."""
    rng, m, draws = np.random.default_rng(1), 4096, 4000
    steps = rng.normal(size=(draws, m)) / math.sqrt(m)
    path = np.concatenate([np.zeros((draws, 1)), np.cumsum(steps, axis=1)], axis=1)
    u = np.linspace(0, 1, m + 1)
    bridge = path - u * path[:, -1:]
    top = (rng.normal(size=(draws, 1)) * (1 - 2 * u) - 2 * math.sqrt(r) * bridge).max(axis=1)
    for share in (0.05, 0.5):
        x = exact_quantile(lambda x: bridge_tail(x, r), share)
        # 1e-6: what chance alone would trespass; a step of the path is 1 / 64, at most 0.05 here.
        assert (top > x).sum() <= stats.binom.isf(1e-6, draws, share)
        assert (top > x - 0.1).sum() >= stats.binom.ppf(1e-6, draws, share)


def test_chernoff_s_bound_holds_and_is_close():
    """Sums of d independent numbers: never below the simulated quantile, at most 1.25 times it."""
    rng, draws = np.random.default_rng(2), 200_000
    for d in (2, 5, 20):
        scales = rng.uniform(0.2, 1, d)
        squares = rng.normal(size=(draws, d)) ** 2 + rng.standard_exponential((draws, d))
        quantile = np.quantile(np.sqrt(squares) @ scales, 0.975)
        bound = chernoff_bound(bridge_moments(0.5), scales, level=math.log(40))
        assert quantile <= bound <= 1.25 * quantile


def test_moments_from_a_tail_are_never_too_small():
    """An exponential number: E exp(theta R) = 1 / (1 - theta); the upper sum loses a step."""
    x, thetas = np.linspace(0, 200, 20_001), np.linspace(0, 0.8, 41)
    logs = from_tail(x, np.exp(-x[:-1]), thetas).logs
    assert (logs >= -np.log1p(-thetas) - 1e-12).all()
    assert (logs <= -np.log1p(-thetas * 1.02) + 1e-12).all()


def test_a_table_with_few_entries_gives_a_larger_bound():
    fine = Moments(np.linspace(0, 8, 801), np.linspace(0, 8, 801) ** 2 / 2)
    rough = Moments(fine.thetas[::100], fine.logs[::100])
    for level in (1.0, 5.0):
        sharp = math.sqrt(2 * level * 4)
        bounds = [chernoff_bound(table, np.ones(4), level=level) for table in (rough, fine)]
        assert bounds[0] > bounds[1] >= sharp - 1e-12


def test_a_normal_number_beside_the_sum_enters_by_its_variance():
    zero = Moments(np.linspace(0, 20, 2001), np.zeros(2001))
    assert chernoff_bound(zero, np.ones(3), level=2.0, sd=3.0) == pytest.approx(6.0, rel=1e-3)


def test_two_arms_of_a_path_stay_below_their_law():
    """2000 paths each way: sup / sqrt(longer arm) has moments below the table's."""
    rng = np.random.default_rng(3)
    arms = np.cumsum(rng.normal(size=(2, 2000, 1000)) / math.sqrt(1000), axis=2)
    top = np.maximum(0, arms.max(axis=(0, 2)))
    thetas, logs = path_moments()
    assert (np.log(np.exp(np.outer(thetas[1:80], top)).mean(axis=1)) <= logs[1:80]).all()


def test_the_union_bound_is_exact_for_one():
    assert normal_union(0.05, 1) == pytest.approx(stats.norm.isf(0.025))
    assert normal_union(0.05, 100) == pytest.approx(stats.norm.isf(0.00025))
