"""Baselines, the choice of terms, and Table 1."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpviz import accounting
from dpviz.audit.transcript import faults
from dpviz.data import real_sets as sets
from dpviz.papers.smooth_queries import (
    baselines,
    costs,
    functional_mechanism,
)
from dpviz.papers.smooth_queries.bounds import trial
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, answer_kernels
from dpviz.papers.smooth_queries.jackson import operator_weights
from dpviz.papers.smooth_queries.release import Params, paper_terms, release, rescaled
from dpviz.privacy.curator import Curator

UNIT = st.integers(-8, 8).map(lambda i: i / 8)


@given(
    st.lists(UNIT, min_size=1, max_size=6), UNIT, st.integers(0, 10**6), st.sampled_from([0, 1e-6])
)
@settings(max_examples=40)
def test_the_baselines_show_no_fault_in_their_transcripts(records, other, seed, delta):
    data, neighbour = np.array(records)[:, None], np.array([other, *records[1:]])[:, None]
    params = baselines.Params(d=1, epsilon=1.0, delta=delta, cells=8, rounds=3, lower=-1, upper=1)
    queries = GaussianKernels.draw(4, d=1, width=0.5, rng=0, lower=-1, upper=1)
    for mechanism in (baselines.release_additive_noise, baselines.release_mwem):
        run = lambda x, c, m=mechanism: m(x, params, c, queries=queries)  # noqa: E731
        assert faults(run, data, neighbour, rng=seed, epsilon=1.0, delta=delta) == []


def test_understated_noise_on_answers_is_caught():
    """A mechanism that forgets that there are k answers.

    Statements: W13 Section 1 (noise per answer).
    """
    queries = GaussianKernels(centres=[[-0.9], [0.9]], width=0.3, lower=-1, upper=1)

    def forgetful(data, curator):
        return curator.laplace(queries.mean(np.array(data)), sensitivity=1.0, epsilon=1, label="x")

    assert "moved by" in faults(forgetful, [[0.9]], [[-0.9]], rng=0, epsilon=1)[0]


def test_weights_spend_all_they_may_and_learn():
    """Statements: W13 Section 5 (comparison)."""
    rng = np.random.default_rng(0)
    data, queries = (
        2 * rng.beta(2, 3, (2000, 1)) - 1,
        GaussianKernels.draw(200, d=1, width=0.5, rng=1, lower=-1, upper=1),
    )
    curator = Curator(epsilon=1, rng=0)
    params = baselines.Params(d=1, epsilon=1, cells=64, rounds=10, lower=-1, upper=1)
    found = baselines.release_mwem(data, params, curator, queries=queries)
    assert curator.ledger.spent.epsilon == pytest.approx(1)
    exact = queries.mean(data)
    learnt = np.abs(baselines.answer_grid(found, queries) - exact).max()
    assert learnt < 0.5 * np.abs(queries.constant() - exact).max()


def test_the_summary_beats_noise_on_each_answer_and_weights_in_one_variable():
    """n = 569, k = 10,000, epsilon = 1, seven numbers: by two orders and by a factor."""
    data, queries = (
        clinic(1),
        GaussianKernels.draw(10_000, d=1, width=0.5, rng=0, lower=-1, upper=1),
    )
    low, high = bounds(1)
    ours = trial(Params(d=1, terms=7, epsilon=1, lower=low, upper=high), data, queries, rng=1)
    grid = baselines.Params(d=1, epsilon=1, cells=48, lower=low, upper=high)
    exact = queries.mean(rescaled(data, grid))
    noisy = baselines.release_additive_noise(data, grid, grid.curator(rng=1), queries=queries)
    learnt = baselines.release_mwem(data, grid, grid.curator(rng=1), queries=queries)
    assert np.abs(np.clip(noisy, 0, 1) - exact).max() > 20 * ours["error"]
    assert np.abs(baselines.answer_grid(learnt, queries) - exact).max() > ours["error"]


def clinic(d):
    return sets.breast_cancer().data[:, :d]


def bounds(d):
    real = sets.breast_cancer()
    return tuple(real.lower[:d].tolist()), tuple(real.upper[:d].tolist())


@pytest.mark.parametrize("d", [1, 2])
def test_error_against_n_no_worse_than_before(d):
    """Worst error over 400 kernels, epsilon = 1: the paper's algorithm, truncation at best t."""
    before = {
        1: ([0.051, 0.091, 0.038], [(6, 5.4e-3), (6, 7.0e-4), (8, 8.2e-5)]),
        2: ([0.371, 0.059, 0.058], [(4, 2.1e-2), (5, 3.7e-3), (6, 5.1e-4)]),
    }[d]
    for i, n in enumerate((10**3, 10**4, 10**5)):
        plan = Params(d=d, terms=paper_terms(n, d=d, smoothness=2), epsilon=1, lower=-1, upper=1)
        draws = 8 if n < 10**5 else 3
        jackson = {"operator": "jackson 2", "allow_data_independent": True}
        paper = [trial(plan, n=n, **jackson, rng=s)["error"] for s in range(3)]
        assert np.mean(paper) <= 1.2 * before[0][i]
        terms, error = before[1][i]
        cut = replace(plan, terms=terms)
        found = [trial(cut, n=n, rng=s)["error"] for s in range(draws)]
        spread = np.std(found) / np.sqrt(draws)
        assert np.mean(found) <= 1.2 * error + 3 * spread


def test_table_1_the_exponents_are_those_that_the_theorem_derives():
    """The three rows: K = 1, K = 2d, and d / K small, from Theorem 3.1's formulas.

    Statements: W13 Table 1.
    """
    for d in (1, 2, 3):
        rate = costs.paper_rate(costs.Params(d=d, smoothness=1))
        assert rate["error"] == pytest.approx(-1 / (2 * d + 1))
        assert rate["query"] == pytest.approx(3 / 2 + 1 / (4 * d + 2))
        rate = costs.paper_rate(costs.Params(d=d, smoothness=2 * d))
        assert rate["error"] == pytest.approx(-1 / 2)
        assert (rate["summary"], rate["query"]) == pytest.approx((5 / 4, 1 / 4 + 3 / (4 * d)))


def test_table_1_measured_where_the_plan_is_not_data_independent():
    """d = 1: errors fall at least as fast as the theorem says, within 0.15; work as it says.

    Statements: W13 Theorem 3.1 (time of the summary); W13 Table 1 (K = 1).
    """
    n = np.array([10**4, 10**5, 10**6])

    def slopes(smoothness):
        setup = costs.Params(d=1, smoothness=smoothness)
        rows = [costs.trial(setup, n=int(m), rng=0) for m in n]
        fit = {k: np.polyfit(np.log(n), np.log([r[k] for r in rows]), 1)[0] for k in rows[0]}
        return fit, costs.paper_rate(setup)

    for smoothness in (1, 2):
        measured, stated = slopes(smoothness)
        assert measured["error"] <= stated["error"] + 0.15
        assert measured["summary"] == pytest.approx(stated["summary"], abs=0.05)  # t is rounded
        assert measured["query"] < stated["query"] - 0.4


def test_table_1_is_out_of_reach_for_large_smoothness():
    """K = 4, d = 1 promises n^(-2/3); below 5^6 = 15,625 records the kernel is constant.

    Statements: W13 Table 1 (K >> d).
    """
    setup = costs.Params(d=1, smoothness=4)
    found = [costs.trial(setup, n=n, rng=0)["approximation_error"] for n in (1000, 10_000)]
    assert found[1] > 0.7 * found[0] > 3 * 10 ** (-2 / 3) * found[0]


@pytest.mark.parametrize(("d", "least"), [(1, 256), (2, 390_625), (3, 2_176_782_336)])
def test_table_1_with_k_2d_begins_where_the_operator_reads_the_data(d, least):
    """One record fewer leaves a constant answer; with as many the answers depend on the data.

    Statements: W13 Table 1 (K = 2d).
    """
    setup = costs.Params(d=d, smoothness=2 * d)
    assert costs.least_records(setup) == least
    terms = [setup.summary(n).terms for n in (least - 1, least)]
    operator = f"jackson {2 * d}"
    weights = [operator_weights(operator, t, allow_data_independent=True) for t in terms]
    assert not weights[0][1:].any() and weights[1][1:].any()
    if d == 3:
        return  # 2e9 records are not drawn
    below, at = (costs.trial(setup, n=n, rng=0) for n in (least - 1, least))
    assert below["error"] == pytest.approx(below["approximation_error"], rel=1e-9)
    assert at["approximation_error"] < below["approximation_error"]
    # the rate with constant 1 holds there, and no less for the constant answer
    assert at["error"] < least**-0.5
    assert below["error"] < (least - 1) ** -0.5


def test_section_3_the_error_is_below_sampling_exactly_for_k_above_2d():
    """-K / (2d + K) < -1/2; the summary's work n^((3d+K)/(2d+K)) tends to n.

    Statements: W13 Section 3 (observations).
    """
    for d in (1, 2, 3):
        rates = [costs.paper_rate(costs.Params(d=d, smoothness=k)) for k in range(1, 21)]
        assert [rate["error"] < -0.5 for rate in rates] == [k > 2 * d for k in range(1, 21)]
        summary, query = ([rate[name] for rate in rates] for name in ("summary", "query"))
        assert (np.diff(summary) < 0).all() and (np.diff(query) < 0).all()
        assert summary[-1] - 1 == pytest.approx(d / (2 * d + 20))


def test_a_grid_of_two_nodes_a_basis_function_costs_less_than_the_paper_says():
    """Lemma 4.4's conclusion in t^d evaluations: an exponent below Theorem 3.1's for all d, K.

    Statements: W13 Theorem 3.1 (time of a query).
    """
    for d in range(1, 9):
        for k in range(1, 5):
            assert d / (2 * d + k) < costs.paper_rate(costs.Params(d=d, smoothness=k))["query"]


@pytest.mark.parametrize(
    "change",
    [{"d": 0}, {"epsilon": 0}, {"delta": 1}, {"cells": 0}, {"rounds": 0}, {"outside": "no"}],
)
def test_bad_baselines_name_what_is_wrong(change):
    with pytest.raises(ValueError, match=f"^{next(iter(change))} must"):
        baselines.Params(**({"lower": -1, "upper": 1} | {"d": 1, "epsilon": 1.0, **change}))


def noise(delta):
    """Standard deviation of noise on each of 100 answers about 569 records, adaptive."""
    if not delta:
        return math.sqrt(2) * 100 / 569
    return 10 / 569 * accounting.gaussian_sd(epsilon=1.0, delta=delta)


def within_law(error, law, sd):
    """Whether the largest of 100 independent noises lies where all but 2 in 10,000 do: it is
    below x exactly if each is, so P(|noise| <= x) to the power 100 is uniform."""
    scale = sd / math.sqrt(2) if law is stats.laplace else sd
    low, high = (law.ppf((1 + p ** (1 / 100)) / 2, scale=scale) for p in (1e-4, 1 - 1e-4))
    return low < error < high


@pytest.mark.parametrize(("delta", "law"), [(0.0, stats.laplace), (1e-6, stats.norm)])
def test_noise_on_each_answer_follows_its_law(delta, law):
    low, high = bounds(2)
    some = GaussianKernels.draw(100, d=2, width=0.5, rng=0, lower=-1, upper=1)
    params = baselines.Params(d=2, epsilon=1.0, delta=delta, lower=low, upper=high)
    curator = params.curator(rng=1)
    noisy = baselines.release_additive_noise(clinic(2), params, curator, queries=some)
    gaps = np.abs(noisy - some.mean(rescaled(clinic(2), params)))
    assert within_law(gaps.max(), law, noise(delta))


def test_kernels_in_another_number_of_variables_are_refused_by_name():
    wrong = GaussianKernels(centres=[[0.1, 0.2]], width=0.5, lower=-1, upper=1)
    budget = {"d": 1, "epsilon": 1.0, "delta": 1e-6, "lower": -1, "upper": 1}
    curator = Curator(epsilon=9.0, delta=1e-3, rng=0)
    summary = release([[0.0]], Params(terms=4, **budget), curator)
    kernel = functional_mechanism.Params(width=0.5, nodes=8, **budget)
    spent = len(curator.ledger.charges)
    for ask in (
        lambda: answer_kernels(summary, wrong),
        lambda: baselines.release_additive_noise(
            [[0.0]], baselines.Params(**budget), curator, queries=wrong
        ),
        lambda: functional_mechanism.truth([[0.0]], wrong.centres, kernel),
        lambda: functional_mechanism.error_bound(
            replace(kernel, beta=0.1), n=9, queries=wrong.centres
        ),
        lambda: wrong.mean(np.zeros((3, 1))),
    ):
        with pytest.raises(ValueError, match="centres must have d = 1 columns, not 2"):
            ask()
    assert len(curator.ledger.charges) == spent


@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_histogram_without_noise_misses_what_a_cells_middle_misses(d):
    """At most d / (6 cells^2 width^2) at a kernel's top, and the rule takes more cells for more."""
    rng, how = np.random.default_rng(1), {"d": d, "k": 100, "width": 0.5}
    points = rng.uniform(-1, 1, (20_000, d))
    queries = GaussianKernels.draw(100, d=d, width=0.5, rng=rng, lower=-1, upper=1)
    cells = baselines.cells_for(20_000, epsilon=1.0, **how)
    params = baselines.Params(d=d, epsilon=1e9, cells=cells, lower=-1, upper=1)
    found = baselines.release_histogram(points, params, params.curator(rng=rng))
    assert found.distribution.sum() == pytest.approx(1)
    missed = np.abs(baselines.answer_grid(found, queries) - queries.mean(points)).max()
    assert missed <= d / (6 * (cells * 0.5) ** 2)
    tried = [baselines.cells_for(n, epsilon=1.0, **how) for n in (1, 100, 10_000)]
    assert 1 <= tried[0] < tried[1] < tried[2] and tried[-1] ** d <= baselines.LARGEST_GRID


@pytest.mark.parametrize("wrong", [{"n": 0}, {"d": 0}, {"k": 0}, {"epsilon": 0.0}, {"width": 0.0}])
def test_a_bad_argument_of_the_rule_for_cells_is_named(wrong):
    how = {"n": 100, "d": 1, "k": 5, "epsilon": 1.0, "width": 0.5} | wrong
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        baselines.cells_for(how.pop("n"), **how)
