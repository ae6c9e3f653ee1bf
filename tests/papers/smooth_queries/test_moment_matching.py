"""Matched moments: exact ones are met, noisy ones become possible, and errors fall."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.papers.smooth_queries import moment_matching
from dpviz.papers.smooth_queries import release as summary
from dpviz.papers.smooth_queries.chebyshev import chebyshev_nodes
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, answer_kernels, synthetic


@given(st.integers(0, 2**32), st.integers(1, 2), st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_exact_moments_are_met(seed, d, terms):
    rng = np.random.default_rng(seed)
    nodes = 7
    places = chebyshev_nodes(nodes)[rng.integers(0, nodes, (20, d))]
    params = summary.Params(d=d, terms=terms, epsilon=1e12)
    noisy = summary.release(places, params, params.curator(rng=0))
    found = moment_matching.nearest(noisy, nodes=nodes)
    assert found.distribution.min() >= 0 and found.distribution.sum() == pytest.approx(1)
    moments = moment_matching.moments_on(found.places, params) @ found.distribution
    assert moments == pytest.approx(noisy.summary, abs=1e-6)


def test_no_distribution_on_the_grid_is_nearer():
    params = summary.Params(d=1, terms=6, epsilon=0.5)
    data = np.random.default_rng(0).uniform(-1, 1, (50, 1))
    noisy = summary.release(data, params, params.curator(rng=1))
    found = moment_matching.nearest(noisy, nodes=12)
    table = moment_matching.moments_on(found.places, params)[1:]
    gap = lambda w: np.square((table @ w - noisy.summary[1:]) / noisy.sd[1:]).sum()  # noqa: E731
    rng = np.random.default_rng(2)
    for _ in range(200):
        other = rng.dirichlet(np.full(12, 0.3))
        for share in (0.01, 0.3, 1.0):
            mixed = (1 - share) * found.distribution + share * other
            assert gap(mixed) >= gap(found.distribution) - 1e-6


def test_a_constant_summary_is_matched_by_the_even_distribution():
    params = summary.Params(d=2, terms=1, epsilon=1.0)
    noisy = summary.release([[0.0, 0.0]], params, params.curator(rng=0))
    assert moment_matching.nearest(noisy, nodes=3).distribution == pytest.approx(np.full(9, 1 / 9))


def test_matching_takes_noise_off_in_the_plane():
    """The same noisy summary, read by its coefficients and by the nearest distribution."""
    gains = []
    params = summary.Params(d=2, terms=8, epsilon=1.0, noise_scaling="smoothness", smoothness=2)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        how = {"d": 2, "n": 1000, "k": 200, "width": 0.5, "lower": -1, "upper": 1}
        data, queries = synthetic(None, None, **how, rng=rng)
        noisy = summary.release(data, params, params.curator(rng=rng))
        exact = queries.mean(np.asarray(data))
        read = np.abs(answer_kernels(noisy, queries) - exact).max()
        matched = moment_matching.answer(moment_matching.nearest(noisy, nodes=10), queries)
        gains.append(read / np.abs(matched - exact).max())
    assert np.median(gains) > 1.2


@pytest.mark.parametrize("nodes", [0, 65, 1.5])
def test_a_grid_that_is_none_or_too_large_is_refused(nodes):
    params = summary.Params(d=2, terms=2, epsilon=1.0)
    noisy = summary.release([[0.0, 0.0]], params, params.curator(rng=0))
    with pytest.raises((ValueError, TypeError), match=r"^nodes must"):
        moment_matching.nearest(noisy, nodes=nodes)
    with pytest.raises(TypeError, match=r"^noisy must"):
        moment_matching.nearest(replace(params), nodes=2)
    with pytest.raises(TypeError, match=r"^queries must"):
        found = moment_matching.nearest(noisy, nodes=2)
        moment_matching.answer(found, np.zeros((1, 2)))


def test_kernels_are_read_in_the_box_of_the_release():
    params = summary.Params(d=1, terms=6, epsilon=1e9, lower=0, upper=10)
    noisy = summary.release([[5.0]] * 9, params, params.curator(rng=0))
    found = moment_matching.nearest(noisy, nodes=21)
    queries = GaussianKernels(centres=[[5.0]], width=2.0, lower=0, upper=10)
    assert moment_matching.answer(found, queries) == pytest.approx([1.0], abs=0.05)
