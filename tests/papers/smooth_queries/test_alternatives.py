"""Baselines, the choice of terms, Table 1, and the comparison on real data."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.audit.transcript import faults
from dpviz.data import real_sets as sets
from dpviz.papers.smooth_queries import (
    baselines,
    choose_degree,
    comparison,
    costs,
    functional_mechanism,
)
from dpviz.papers.smooth_queries.bounds import trial
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.release import answer_kernels, release, rescaled
from dpviz.papers.smooth_queries.summary import Params, paper_terms
from dpviz.privacy.curator import Curator

UNIT = st.integers(-8, 8).map(lambda i: i / 8)


@given(
    st.lists(UNIT, min_size=1, max_size=6), UNIT, st.integers(0, 10**6), st.sampled_from([0, 1e-6])
)
@settings(max_examples=40)
def test_the_baselines_show_no_fault_in_their_transcripts(records, other, seed, delta):
    data, neighbour = np.array(records)[:, None], np.array([other, *records[1:]])[:, None]
    params = baselines.Params(d=1, epsilon=1.0, delta=delta, cells=8, rounds=3)
    queries = GaussianKernels.draw(4, d=1, width=0.5, rng=0)
    for mechanism in (baselines.release_additive_noise, baselines.release_mwem):
        run = lambda x, c, m=mechanism: m(x, params, c, queries=queries)  # noqa: E731
        assert faults(run, data, neighbour, rng=seed, epsilon=1.0, delta=delta) == []


def test_understated_noise_on_answers_is_caught():
    """A mechanism that forgets that there are k answers."""
    queries = GaussianKernels(centres=[[-0.9], [0.9]], width=0.3)

    def forgetful(data, curator):
        return curator.laplace(queries.mean(np.array(data)), sensitivity=1.0, epsilon=1, label="x")

    assert "moved by" in faults(forgetful, [[0.9]], [[-0.9]], rng=0, epsilon=1)[0]


def test_weights_spend_all_they_may_and_learn():
    rng = np.random.default_rng(0)
    data, queries = (
        2 * rng.beta(2, 3, (2000, 1)) - 1,
        GaussianKernels.draw(200, d=1, width=0.5, rng=1),
    )
    curator = Curator(epsilon=1, rng=0)
    params = baselines.Params(d=1, epsilon=1, cells=64, rounds=10)
    found = baselines.release_mwem(data, params, curator, queries=queries)
    assert curator.ledger.spent.epsilon == pytest.approx(1)
    exact = queries.mean(data)
    learnt = np.abs(baselines.answer_mwem(found, queries) - exact).max()
    assert learnt < 0.5 * np.abs(baselines.constant(queries) - exact).max()


def test_the_summary_beats_noise_on_each_answer_and_weights_in_one_variable():
    """n = 569, k = 10,000, epsilon = 1, seven numbers: by two orders and by a factor."""
    data, queries = clinic(1), GaussianKernels.draw(10_000, d=1, width=0.5, rng=0)
    low, high = bounds(1)
    ours = trial(Params(d=1, terms=7, epsilon=1, lower=low, upper=high), data, queries, rng=1)
    grid = baselines.Params(d=1, epsilon=1, cells=48, lower=low, upper=high)
    theirs = baselines.trial(grid, data, queries, rng=1)
    assert theirs["additive noise"] > 20 * ours["error"]
    assert theirs["mwem"] > ours["error"]


def clinic(d):
    return sets.breast_cancer().data[:, :d]


def bounds(d):
    real = sets.breast_cancer()
    return tuple(real.lower[:d].tolist()), tuple(real.upper[:d].tolist())


# Worst error over 10,000 mixtures on the clinic scaled by its own least and largest values (for
# comparison only: that scaling leaks), 20 draws, a guard against getting worse:
# (width, d, epsilon) -> (the paper's algorithm, Laplace tensor, Gaussian tensor, Gaussian total
# degree, weighted Gaussian).
BEFORE = {
    (0.5, 1, 0.1): (0.114, 0.074, 0.104, None, 0.192),
    (0.5, 1, 1.0): (0.050, 0.010, 0.016, None, 0.025),
    (0.5, 2, 0.1): (0.348, 0.202, 0.179, 0.245, 0.322),
    (0.5, 2, 1.0): (0.352, 0.056, 0.038, 0.059, 0.046),
    (0.5, 3, 0.1): (0.336, 0.249, 0.270, 0.236, 0.338),
    (0.5, 3, 1.0): (0.327, 0.072, 0.073, 0.083, 0.073),
    (0.5, 5, 0.1): (0.166, 0.162, 0.162, 0.134, 0.176),
    (0.5, 5, 1.0): (0.162, 0.118, 0.074, 0.070, 0.067),
    (2.0, 1, 0.1): (0.078, 0.010, 0.023, None, 0.043),
    (2.0, 1, 1.0): (0.024, 0.002, 0.003, None, 0.005),
    (2.0, 2, 0.1): (0.253, 0.050, 0.074, 0.072, 0.080),
    (2.0, 2, 1.0): (0.141, 0.007, 0.011, 0.011, 0.010),
    (2.0, 3, 0.1): (0.305, 0.118, 0.115, 0.098, 0.123),
    (2.0, 3, 1.0): (0.160, 0.017, 0.016, 0.029, 0.015),
    (2.0, 5, 0.1): (0.357, 0.217, 0.217, 0.164, 0.184),
    (2.0, 5, 1.0): (0.222, 0.149, 0.052, 0.055, 0.025),
}
MOST = {1: 24, 2: 16, 3: 10, 5: 6}


def plans(width, d, epsilon, queries, box):
    """The paper's algorithm, then the tuned ones; None where there is none."""
    n, sample = 569, queries.some(300)
    t = paper_terms(n - 1, d=d, smoothness=2) + 1  # rounded up, as it was then
    yield (
        Params(d=d, terms=t, epsilon=epsilon, **box),
        {"operator": "jackson 2", "allow_data_independent": True},
    )
    for delta, index in ((0.0, "tensor"), (1e-6, "tensor"), (1e-6, "total degree")):
        plan = Params(d=d, terms=1, epsilon=epsilon, delta=delta, index_set=index, **box)
        most = min(MOST[d], 5) if (d, index) == (5, "tensor") else MOST[d]
        terms = choose_degree.by_sample(plan, n, sample, most=most, rng=0)
        yield (None if d == 1 and index == "total degree" else replace(plan, terms=terms)), {}
    weighted = Params(
        d=d, terms=MOST[d], epsilon=epsilon, delta=1e-6, index_set="total degree", **box
    )
    yield (
        replace(
            weighted, noise_scaling="custom", scales=choose_degree.scales_for(weighted, sample)
        ),
        {},
    )


def compared(width, d, epsilon, seed, draws, q):
    """Worst errors of all plans, averaged over the draws."""
    data = clinic(d)
    box = {"lower": tuple(data.min(axis=0)), "upper": tuple(data.max(axis=0))}
    queries = choose_degree.Mixtures.draw(q, d=d, width=width, rng=seed)
    points = rescaled(data, Params(d=d, terms=1, epsilon=1, **box))
    exact, found = queries.of(queries.pool.mean(points)), []
    for plan, how in plans(width, d, epsilon, queries, box):
        errors = []
        for draw in range(draws if plan else 0):
            curator = plan.curator(rng=1000 * seed + draw)
            released = release(data, plan, curator).clipped()
            answers = queries.of(answer_kernels(released, queries.pool, **how))
            errors.append(np.abs(answers - exact).max())
        found.append(np.mean(errors) if errors else np.nan)
    return np.array(found)


def ratios(cell, seeds, draws, q):
    before = np.array([np.nan if x is None else x for x in BEFORE[cell]])
    return np.mean([compared(*cell, seed, draws, q) for seed in seeds], axis=0) / before


@pytest.mark.parametrize("cell", [(0.5, 1, 1.0), (0.5, 2, 1.0), (2.0, 3, 1.0), (2.0, 5, 1.0)])
def test_the_clinic_is_answered_no_worse_than_before(cell):
    """Three pools, 10 draws, 2,000 mixtures; 1.2 is three of the standard errors then."""
    assert np.nanmax(ratios(cell, (0, 1, 2), 10, 2000)) <= 1.2


@pytest.mark.slow
@pytest.mark.parametrize("cell", BEFORE)
def test_the_whole_table_of_the_clinic(cell):
    """One entry is known to be worse: Gaussian tensor at d = 5, a near tie of 4 and 5 terms."""
    found = ratios(cell, (0, 1, 2), 20, 10_000)
    if cell == (0.5, 5, 1.0):
        assert found[2] <= 1.8
        found[2] = np.nan
    assert np.nanmax(found) <= 1.2


def test_nothing_beats_the_constant_when_there_is_too_little_to_see():
    """d = 5, epsilon = 0.1, n = 569: the rule says one term, an answer without data."""
    queries = choose_degree.Mixtures.draw(300, d=5, width=0.5, rng=0)
    plan = Params(d=5, terms=1, epsilon=0.1)
    assert choose_degree.by_sample(plan, 569, queries, most=4, rng=0) == 1


def test_the_choice_grows_with_n_and_epsilon():
    queries = choose_degree.Mixtures.draw(200, d=1, width=0.5, pool=200, rng=0)
    plan = Params(d=1, terms=1, epsilon=1)
    by_n = [choose_degree.by_sample(plan, n, queries, most=14, rng=0) for n in (10, 10**3, 10**6)]
    assert by_n == sorted(by_n) and by_n[-1] > by_n[0]
    loud = replace(plan, epsilon=0.01)
    assert choose_degree.by_sample(loud, 1000, queries, most=14, rng=0) < by_n[1]


def test_scales_for_the_sample_beat_equal_noise():
    queries = choose_degree.Mixtures.draw(200, d=2, width=0.5, pool=200, rng=0)
    points = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    values = queries.of(queries.pool.value(points))
    for delta in (0.0, 1e-6):
        equal = Params(d=2, terms=12, epsilon=1, delta=delta, index_set="total degree")
        shaped = replace(
            equal, noise_scaling="custom", scales=choose_degree.scales_for(equal, queries)
        )
        expected = [
            choose_degree.expected(p, 569, queries, points, values) for p in (equal, shaped)
        ]
        assert expected[1] < 0.8 * expected[0]


@pytest.mark.parametrize("d", [1, 2])
def test_error_against_n_no_worse_than_before(d):
    """Worst error over 400 kernels, epsilon = 1: the paper's algorithm, truncation at best t."""
    before = {
        1: ([0.051, 0.091, 0.038], [(6, 5.4e-3), (6, 7.0e-4), (8, 8.2e-5)]),
        2: ([0.371, 0.059, 0.058], [(4, 2.1e-2), (5, 3.7e-3), (6, 5.1e-4)]),
    }[d]
    for i, n in enumerate((10**3, 10**4, 10**5)):
        plan = Params(d=d, terms=paper_terms(n, d=d, smoothness=2), epsilon=1)
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
    """The three rows: K = 1, K = 2d, and d / K small, from Theorem 3.1's formulas."""
    for d in (1, 2, 3):
        rate = costs.paper_rate(costs.Params(d=d, smoothness=1))
        assert rate["error"] == pytest.approx(-1 / (2 * d + 1))
        assert rate["query"] == pytest.approx(3 / 2 + 1 / (4 * d + 2))
        if 2 * d <= 4:
            rate = costs.paper_rate(costs.Params(d=d, smoothness=2 * d))
            assert rate["error"] == pytest.approx(-1 / 2)
            assert (rate["summary"], rate["query"]) == pytest.approx((5 / 4, 1 / 4 + 3 / (4 * d)))


def test_table_1_measured_where_the_plan_is_not_data_independent():
    """d = 1: errors fall at least as fast as the theorem says, within 0.15; work as it says."""
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
    """K = 4, d = 1 promises n^(-2/3); below 5^6 = 15,625 records the kernel is constant."""
    setup = costs.Params(d=1, smoothness=4)
    found = [costs.trial(setup, n=n, rng=0)["approximation_error"] for n in (1000, 10_000)]
    assert found[1] > 0.7 * found[0] > 3 * 10 ** (-2 / 3) * found[0]


def test_a_grid_of_two_nodes_a_basis_function_costs_less_than_the_paper_says():
    """Lemma 4.4's conclusion in t^d evaluations: an exponent below Theorem 3.1's for all d, K."""
    for d in range(1, 9):
        for k in range(1, 5):
            assert d / (2 * d + k) < costs.paper_rate(costs.Params(d=d, smoothness=k))["query"]


@pytest.mark.parametrize(
    "change",
    [{"d": 0}, {"epsilon": 0}, {"delta": 1}, {"cells": 0}, {"rounds": 0}, {"outside": "no"}],
)
def test_bad_baselines_name_what_is_wrong(change):
    with pytest.raises(ValueError, match=f"^{next(iter(change))} must"):
        baselines.Params(**{"d": 1, "epsilon": 1.0, **change})


@pytest.mark.parametrize("change", [{"d": 0}, {"d": 4}, {"epsilon": 0}, {"delta": 0}])
def test_bad_comparisons_name_what_is_wrong(change):
    with pytest.raises(ValueError, match=f"^{next(iter(change))} must"):
        comparison.Params(**{"d": 1, **change})


def test_the_comparison_on_the_clinic_in_two_variables():
    """The paper's algorithm is data-independent there; the functional mechanism wins."""
    low, high = bounds(2)
    some = GaussianKernels.draw(100, d=2, width=0.5, rng=0)
    found = comparison.trial(comparison.Params(d=2, lower=low, upper=high), clinic(2), some, rng=1)
    assert found["paper's algorithm"] == pytest.approx(found["constant answer"], rel=1e-9)
    assert min(found, key=found.get) == "functional mechanism"
    assert found["noise on each answer"] > 1


def test_kernels_in_another_number_of_variables_are_refused_by_name():
    wrong = GaussianKernels(centres=[[0.1, 0.2]], width=0.5)
    budget = {"d": 1, "epsilon": 1.0, "delta": 1e-6}
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
