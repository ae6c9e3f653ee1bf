"""How the budget is allocated, what error is proved, and what the lecture states."""

import math

import numpy as np
import pytest

from dpviz import accounting
from dpviz.papers.sparse_queries import online, sparse_multiplicative_weights
from dpviz.papers.sparse_queries import plan as planning
from dpviz.papers.sparse_queries.plan import (
    Params,
    _fixed_point,
    _noise,
    error_bound,
    paper_bound,
    plan,
)
from dpviz.papers.sparse_queries.queries import Batch, Query
from dpviz.privacy.curator import Curator

USUAL = {"epsilon": 1.0, "delta": 1e-6, "m": 10, "k": 1000}
NS = [10**4, 10**5, 10**6, 10**7, 10**8]


@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("c", [1, 7, 300])
def test_the_allocation_adds_up_to_the_budget(c, share):
    params = Params(**USUAL)
    _, _, test, measure = _noise(params, 1000, "basic", share, c)
    assert test + c * measure == pytest.approx(1.0, rel=1e-12)
    _, _, test, measure = _noise(params, 1000, "zcdp", share, c)
    rho = accounting.zcdp_rho(epsilon=1.0, delta=1e-6)
    assert c * accounting.zcdp_pure(epsilon=test) + c * measure == pytest.approx(rho, rel=1e-12)


@pytest.mark.parametrize("composition", ["basic", "zcdp"])
def test_the_noise_of_the_plan_is_that_of_the_curators_threshold(composition):
    """test_error = threshold scale ln(levels / failure) + value scale ln(k / failure)."""
    params, c, n = Params(**USUAL), 20, 5000
    test_error, answer_error, test, measure = _noise(params, n, composition, 0.2, c)
    how = {"positives": c, "method": "once" if composition == "basic" else "fresh", "label": "x"}
    threshold = Curator(epsilon=9.0, rng=0).above_threshold(
        0.5, sensitivity=1 / n, epsilon=test, **how
    )
    failure, levels = params.beta / 3, 1 if composition == "basic" else c
    expected = threshold.threshold_scale * math.log(levels / failure)
    expected += threshold.value_scale * math.log(params.k / failure)
    assert test_error == pytest.approx(expected, rel=1e-12)
    scale = 1 / measure if composition == "basic" else 1 / math.sqrt(2 * measure)
    gaussian = math.sqrt(2 * math.log(2 * c / failure))
    tail = math.log(c / failure) if composition == "basic" else gaussian
    assert answer_error == pytest.approx(scale * tail / n, rel=1e-12)


@pytest.mark.parametrize("composition", ["basic", "zcdp"])
@pytest.mark.parametrize("n", NS[:3])
def test_the_fixed_point_holds_and_fails_just_below(composition, n):
    params = Params(**USUAL | {"k": 10**6})

    def worst(alpha):
        return max(_noise(params, n, composition, 0.3, planning.updates(params, alpha)[0])[:2])

    alpha = _fixed_point(params, n, composition, 0.3)
    assert worst(alpha) <= alpha
    assert worst(alpha * (1 - 1e-6)) > alpha * (1 - 1e-6)


def test_the_promise_falls_with_n_and_epsilon_and_grows_with_m_and_k():
    bounds = [error_bound(Params(**USUAL), n=n) for n in NS]
    assert np.all(np.diff(bounds) < 0)
    for name, values in (
        ("epsilon", [2.0, 1.0, 0.5]),
        ("m", [1, 10, 1000]),
        ("k", [10, 999, 10**5]),
    ):
        grown = [error_bound(Params(**USUAL | {name: value}), n=10**5) for value in values]
        assert np.all(np.diff(grown) > 0), name


def test_the_promise_is_never_above_the_simple_three_alpha():
    for n in NS:
        for composition in ("basic", "zcdp"):
            params = Params(**USUAL, composition=composition)
            simple = min(
                3 * _fixed_point(params, n, composition, share) for share in planning.SHARES
            )
            assert plan(params, n).error <= simple * (1 + 1e-3)  # the plan's own tolerance


# alpha_0 by the simple recipe (share 0.3, the paper's size of the structure), n = 1e4 ... 1e8.
SIMPLE = {
    ("basic", "projection", 10): [0.248, 0.120, 0.061, 0.031, 0.015],
    ("basic", "projection", 1000): [0.285, 0.136, 0.068, 0.034, 0.017],
    ("basic", "paper", 10): [0.463, 0.232, 0.119, 0.060, 0.030],
    ("zcdp", "projection", 10): [0.274, 0.097, 0.034, 0.0115, 0.0039],
    ("zcdp", "projection", 1000): [0.307, 0.106, 0.036, 0.0123, 0.0042],
    ("zcdp", "paper", 10): [0.454, 0.161, 0.056, 0.019, 0.0066],
}


@pytest.mark.parametrize("case", SIMPLE, ids=str)
def test_a_third_of_the_promise_beats_the_simple_recipe(case):
    composition, update_rule, m = case
    params = Params(**USUAL | {"m": m}, composition=composition, update_rule=update_rule)
    ours = np.array([plan(params, n).error / 3 for n in NS])
    assert np.all(ours <= SIMPLE[case])


def test_theorem_1_as_stated_has_the_values_of_its_formula():
    """Statements: L13 Theorem 1."""
    params = Params(**USUAL)
    stated = [paper_bound(params, n=n) / 3 for n in NS]
    assert np.allclose(stated, [0.496, 0.246, 0.121, 0.059, 0.028], atol=5e-4)
    for n, alpha in zip(NS, stated, strict=True):
        size = sparse_multiplicative_weights.paper_size(10, alpha)
        updates = 4 * math.log(size) / alpha**2
        right = 4 * updates * (math.log(1000) + math.log(2 / 0.05)) / n
        assert alpha == pytest.approx(right, rel=1e-5)


def best_alpha(params, c):
    """Least noise for c updates at n = 1 over the shares: the correct plan."""
    shares = np.linspace(0.01, 0.9, 90)
    return min(max(_noise(params, 1, "basic", share, c)[:2]) for share in shares)


def test_theorem_1s_constant_is_attained_privately_but_for_few_updates():
    """The correct plan, with fresh answer noise, stays below 4 c ln(2k/beta) from c = 5 on.

    Statements: L13 Theorem 1.
    """
    params = Params(**USUAL)
    ratio = {
        c: best_alpha(params, c) / (4 * c * math.log(2 * params.k / params.beta))
        for c in (1, 2, 5, 10, 100)
    }
    assert ratio[1] > 1
    assert max(ratio[c] for c in (5, 10, 100)) < 1
    assert ratio[100] < ratio[10] < ratio[5]


def test_erratum_theorem_7_promises_no_error_at_m_1():
    """Statements: L13 Theorem 7 (rate)."""
    params = Params(**USUAL | {"m": 1})
    assert planning.paper_rate(params, n=100) == 0
    assert planning.paper_rate(params, n=100, corrected=True) > 0
    assert error_bound(params, n=100) > 0.5
    with pytest.raises(ValueError, match="delta must be above 0"):
        planning.paper_rate(Params(epsilon=1.0, m=2, k=5), n=100)


def test_erratum_theorem_7s_delta_needs_only_the_power_one_quarter():
    """zCDP: alpha grows like ln(1/delta)^(1/4); fitted between 0.2 and 0.3, far below 1/2."""
    deltas = 10.0 ** -np.arange(6, 61, 6)
    params = [Params(**USUAL | {"delta": d, "k": 10**6}, composition="zcdp") for d in deltas]
    errors = [plan(p, 10**6).error for p in params]
    slope = np.polyfit(np.log(np.log(1 / deltas)), np.log(errors), 1)[0]
    assert 0.2 < slope < 0.3


def slope_of(x, params, ns):
    errors = [_fixed_point(p, n, p.composition, 0.3) for p, n in zip(params, ns, strict=True)]
    return np.polyfit(np.log(x), np.log(errors), 1)[0]


def test_the_slopes_of_the_fixed_point():
    """Theory -1/3 (pure) and -1/2 (zCDP) in n up to logarithms, 1/4 in ln s.

    Statements: L13 Theorem 7 (rate).
    """
    many = {"k": 10**9}
    pure = Params(**USUAL | many, composition="basic")
    zcdp = Params(**USUAL | many, composition="zcdp")
    assert -1 / 3 < slope_of(NS, [pure] * 5, NS) < -0.28
    assert -1 / 2 < slope_of(NS, [zcdp] * 5, NS) < -0.44
    epsilons = np.array([0.1, 0.3, 1.0, 3.0, 10.0])
    several = [Params(**USUAL | many | {"epsilon": e}, composition="basic") for e in epsilons]
    assert -1 / 3 < slope_of(epsilons, several, [10**6] * 5) < -0.28
    widths = [1, 10, 100, 1000, 10_000]
    wide = [Params(**USUAL | many | {"m": m}, composition="zcdp") for m in widths]
    alphas = [_fixed_point(p, 10**6, "zcdp", 0.3) for p in wide]
    logs = [math.log(planning.updates(p, a)[1]) for p, a in zip(wide, alphas, strict=True)]
    assert 0.2 < np.polyfit(np.log(logs), np.log(alphas), 1)[0] < 0.3


def test_a_finite_universe_needs_one_index_more_than_names():
    assert plan(Params(**USUAL, universe=256), 10**5).size == 257
    assert plan(Params(**USUAL, universe=256, updates=30), 10**5).size == 257
    dense, sparse = (error_bound(Params(**USUAL, universe=u), n=10**5) for u in (256, None))
    assert dense < sparse


def test_the_promise_holds_for_records_outside_a_finite_universe():
    """Half of them, one query over all names: without an aggregate element every guess is 1."""
    params = Params(epsilon=1.0, m=3, k=5000, universe=3)
    data, queries = ["a", "other"] * 50_000, Batch([Query(["a", "b", "c"])] * 5000)
    run = online.trial(params, data, queries, rng=1)
    assert run["error"] <= run["bound"] < 0.5
    assert run["frozen"] == 0


def test_the_practical_plan_promises_nothing_and_always_has_room():
    chosen = plan(Params(**USUAL, updates=30, threshold=0.2), 1000)
    assert (chosen.error, chosen.updates, chosen.threshold) == (math.inf, 30, 0.2)
    assert chosen.size == 10 * 31 + 1


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"epsilon": 0}, "epsilon must be"),
        ({"delta": 1.0}, "delta must be"),
        ({"k": 0}, "k must be"),
        ({"beta": 0.0}, "beta must be"),
        ({"update_rule": "far"}, "update_rule must be one of"),
        ({"composition": "x"}, "composition must be one of"),
        ({"delta": 0.0, "composition": "zcdp"}, "delta must be above 0"),
        ({"universe": 0}, "universe must be"),
        ({"updates": 0}, "updates must be"),
        ({"threshold": 0.1}, "only together with updates"),
        ({"updates": 3, "threshold": 2.0}, "threshold must be"),
    ],
)
def test_bad_parameters_are_refused(how, words):
    with pytest.raises(ValueError, match=words):
        Params(**USUAL | how)


def test_the_lectures_own_size_and_number_of_updates_can_be_run_online():
    """Statements: L13 Algorithm 1; L13 Theorem 4."""
    params = Params(**USUAL | {"k": 10**6}, method="paper", update_rule="paper")
    alpha = plan(params, 10**6).alpha
    c, size = planning.updates(params, alpha)
    assert size == sparse_multiplicative_weights.paper_size(10, alpha)
    assert c == math.floor(4 * math.log(size) / alpha**2)
    assert error_bound(params, n=10**6) > error_bound(Params(**USUAL | {"k": 10**6}), n=10**6)
    queries = Batch([Query([0, 1]), Query([2, 3]), Query([1, 2], 0.5)])
    run = online.trial(
        Params(epsilon=1.0, m=2, k=3, method="paper", update_rule="paper"),
        [0, 1, 2, 2] * 10**4,
        queries,
        rng=1,
    )
    assert run["error"] <= run["bound"]
    with pytest.raises(ValueError, match="update_rule must be 'paper'"):
        Params(**USUAL, method="paper")
