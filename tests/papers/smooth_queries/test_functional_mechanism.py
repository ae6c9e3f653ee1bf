"""Noise with the kernel's covariance: its sensitivity by brute force, its law, its bound."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from dpviz.audit.transcript import faults
from dpviz.papers.smooth_queries import functional_mechanism
from dpviz.papers.smooth_queries.functional_mechanism import (
    Params,
    _factor,
    answer,
    error_bound,
    release,
    trial,
    truth,
)
from dpviz.privacy.curator import BudgetExceeded, Curator

BUDGET = {"epsilon": 1.0, "delta": 1e-6}
UNIT = st.floats(-1, 1)


def plan(**change):
    return Params(
        **({"lower": -1, "upper": 1} | {"d": 1, "width": 0.5, "nodes": 10, **BUDGET, **change})
    )


@given(st.integers(1, 2), st.sampled_from([0.25, 0.5, 1.0, 2.0]), st.integers(2, 16), st.data())
@settings(max_examples=120)
def test_one_record_moves_the_coordinates_by_the_kernel_s_length_at_most(d, width, nodes, data):
    """|k_x - k_x'|^2 = 2 - 2 k(x, x') bounds the grid's length: brute force on pairs."""
    params = plan(d=d, width=width, nodes=nodes)
    x, y = (np.array([data.draw(st.lists(UNIT, min_size=d, max_size=d))]) for _ in range(2))
    moved = functional_mechanism._white_mean(x, params) - functional_mechanism._white_mean(
        y, params
    )
    alike = np.exp(-((x - y) ** 2).sum() / (2 * width**2))
    allowed = np.sqrt(2 - 2 * alike)
    assert np.linalg.norm(moved) <= allowed + 1e-6 * params.rkhs_sensitivity  # the stated rounding
    assert allowed <= params.rkhs_sensitivity * (1 + 1e-12)


def test_the_sensitivity_is_nearly_attained_in_opposite_corners():
    for d in (1, 2, 3):
        params = plan(d=d, width=1.0, nodes=12)
        x = np.ones((1, d))
        moved = functional_mechanism._white_mean(x, params) - functional_mechanism._white_mean(
            -x, params
        )
        assert np.linalg.norm(moved) == pytest.approx(params.rkhs_sensitivity, rel=1e-4)


@given(st.lists(UNIT, min_size=1, max_size=5), UNIT, st.integers(0, 10**6))
@settings(max_examples=50)
def test_the_transcript_shows_no_fault(records, other, seed):
    data, neighbour = np.array(records)[:, None], np.array([other, *records[1:]])[:, None]
    run = lambda data, curator: release(data, plan(), curator)  # noqa: E731
    assert faults(run, data, neighbour, rng=seed, **BUDGET) == []


def test_too_small_a_length_is_caught():
    class Half(Params):
        @property
        def rkhs_sensitivity(self):
            return super().rkhs_sensitivity / 2

    short = Half(d=1, width=0.5, nodes=10, lower=-1, upper=1, **BUDGET)
    found = faults(lambda x, c: release(x, short, c), [[1.0]], [[-1.0]], rng=0, **BUDGET)
    assert "moved by" in found[0]


def test_the_noise_has_the_stated_deviation_and_the_kernel_s_correlations():
    """2,000 releases at five places: exact chi-squared intervals, 1e-6 false alarms each."""
    params, places = plan(nodes=12), np.array([[-1.0], [-0.3], [0.0], [0.5], [1.0]])
    data = np.zeros((100, 1))
    exact, rng = truth(data, places, params), np.random.default_rng(0)
    errors = np.array(
        [
            answer(release(data, params, params.curator(rng=rng)), places) - exact
            for _ in range(2000)
        ]
    )
    ratio = (errors**2).sum(axis=0) / params.sd(100) ** 2
    low, high = chi2.ppf([5e-7, 1 - 5e-7], 2000)
    assert ((low <= ratio) & (ratio <= high)).all()
    seen = np.corrcoef(errors.T)
    wanted = np.exp(-((places - places.T) ** 2) / (2 * 0.5**2))
    assert seen == pytest.approx(wanted, abs=5 / np.sqrt(2000))  # 5 standard errors


def test_the_noise_is_within_five_per_cent_of_its_formula_in_three_variables():
    """T7b: rms over 300 kernels, 60 releases; d = 3, h = 1/2, 12 nodes; few records, for speed."""
    params = plan(d=3, nodes=12)
    found = [trial(params, n=300, k=300, rng=seed) for seed in range(60)]
    rms = np.sqrt(np.mean([row["rms"] ** 2 for row in found]))
    assert rms == pytest.approx(params.sd(300), rel=0.05)
    kappa = 4.22468  # analytic Gaussian at (1, 1e-6)
    assert params.sd(300) == pytest.approx(kappa * np.sqrt(2 - 2 * np.exp(-24)) / 300, rel=1e-5)


def test_it_beats_equal_noise_on_the_moments_by_an_order():
    """For kernels of the one width it is made for: the same queries, size and budget."""
    from dpviz.papers.smooth_queries import release as smooth
    from dpviz.papers.smooth_queries.bounds import noise_of
    from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels

    queries = GaussianKernels.draw(200, d=3, width=0.5, lower=-1, upper=1, rng=0)
    curve = plan(d=3, nodes=12).sd(10**5)
    for delta, least in ((1e-6, 12), (0.0, 140)):
        equal = smooth.Params(d=3, terms=12, epsilon=1.0, delta=delta, lower=-1, upper=1)
        sd = noise_of(queries.factors(12), equal, 10**5)[0]
        assert np.sqrt((sd**2).mean()) / curve > least


@pytest.mark.parametrize(("d", "nodes"), [(1, 6), (1, 12), (2, 10)])
def test_the_bound_holds_and_is_not_idle(d, nodes):
    """300 trials, beta = 0.1: more than 54 exceedances have probability 1e-5."""
    params, rng = plan(d=d, nodes=nodes, width=0.7), np.random.default_rng(0)
    data, centres = rng.uniform(-1, 1, (200, d)), rng.uniform(-1, 1, (20, d))
    exact = truth(data, centres, params)
    bound = error_bound(replace(params, beta=0.1), n=200, queries=centres)
    ratios = []
    for _ in range(300):
        found = answer(release(data, params, params.curator(rng=rng)), centres)
        ratios.append((np.abs(found - exact) / bound).max())
    assert np.greater(ratios, 1).sum() <= binom.isf(1e-5, 300, 0.1)
    assert np.quantile(ratios, 0.9) >= 0.5


def test_without_noise_the_reading_error_is_below_its_bound():
    rich = {"epsilon": 1e9, "delta": 0.5}
    for nodes in (4, 8, 14):
        params = plan(nodes=nodes, **rich)
        data = np.array([[-1.0], [0.77], [0.1]])
        places = np.linspace(-1, 1, 50)[:, None]
        found = answer(release(data, params, params.curator(rng=0)), places)
        gap = np.abs(found - truth(data, places, params))
        bound = error_bound(replace(params, beta=0.01), n=3, queries=places)
        assert (gap <= bound).all()


def test_the_factor_is_a_root_of_the_kernel():
    for nodes, width in ((5, 0.3), (12, 0.5), (30, 1.0)):
        z = np.cos(np.pi * (np.arange(nodes) + 0.5) / nodes)
        wanted = np.exp(-((z[:, None] - z) ** 2) / (2 * width**2))
        root = _factor(nodes, width)
        assert root @ root.T == pytest.approx(wanted, abs=nodes * 1e-11)


@pytest.mark.parametrize(
    "change",
    [
        {"d": 0},
        {"width": 0},
        {"nodes": 1},
        {"nodes": 10**9},
        {"epsilon": -1},
        {"delta": 0},
        {"outside": "no"},
    ],
)
def test_bad_plans_name_what_is_wrong(change):
    with pytest.raises(ValueError, match=f"^{next(iter(change))} must"):
        plan(**change)


def test_bad_data_and_centres_are_refused_before_anything_is_spent():
    curator = Curator(rng=0, **BUDGET)
    for data in ([[np.nan]], [[0.1, 0.2]], []):
        with pytest.raises(ValueError, match=r"^data must"):
            release(data, plan(), curator)
    assert curator.ledger.charges == ()
    released = release([[0.0]], plan(), curator)
    for centres in ([[2.0]], [[0.0, 0.0]]):
        with pytest.raises(ValueError, match=r"^centres must"):
            answer(released, centres)
    with pytest.raises(BudgetExceeded):
        release([[0.0]], plan(), curator)
