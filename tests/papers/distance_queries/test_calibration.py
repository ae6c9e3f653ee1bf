"""The plan: its sensitivities by brute force, its sizes, its optimum, its refusals."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpviz import accounting
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.mistake_bounds import mistake_bound
from dpviz.papers.distance_queries.mechanism import l1, sum_test
from dpviz.papers.distance_queries.mechanism.l1 import (
    COMPOSITIONS,
    _paper_plan,
    _tangent_error_quantile,
    allocate,
    paper_alpha,
)
from dpviz.privacy.curator import BudgetExceeded, Curator

ZCDP = {"epsilon": 1, "delta": 1e-6}


def plan(n, d, k, *, joint=False, **options):
    """The plan of the mechanism with these public numbers."""
    public = {"n": n, "d": d, "k": k, "lower": 0, "upper": 1}
    return (sum_test.Params if joint else l1.Params)(**public, **options).plan


@pytest.mark.parametrize("m", [1, 2, 3])
def test_tangents_move_by_two_over_n_in_l1_and_the_root_of_that_in_l2(m):
    """Replace one record, brute force, ties included; near an end of [0, 1] both are reached."""
    records = places = np.append(np.arange(9) / 8, 1e-9)
    sums, roots = np.zeros(10), np.zeros(10)
    for rest in itertools.combinations_with_replacement(records, m - 1):
        both = [AverageDistance([*rest, x]) for x in records]
        tangents = np.array([[each.tangent_at(0, t) for each in both] for t in places])
        moved = tangents[:, :, None] - tangents[:, None]
        sums = np.maximum(sums, np.abs(moved).sum(axis=-1).max(axis=(1, 2)))
        roots = np.maximum(roots, np.linalg.norm(moved, axis=-1).max(axis=(1, 2)))
    reach = np.maximum(places, 1 - places)
    assert (sums <= (1 + reach) / m + 1e-12).all()  # rounding of sums of doubles
    assert (roots <= np.sqrt(1 + reach**2) / m + 1e-12).all()
    assert sums.max() == pytest.approx(2 / m)
    assert roots.max() == pytest.approx(math.sqrt(2) / m)


def test_tangents_of_all_coordinates_move_d_times_as_far_even_if_the_diameter_is_one():
    """A record near the query in every coordinate: values hardly move, slopes do."""
    d, n, y = 4, 5, 0.5
    rest = np.full((n - 1, d), 0.1)
    sides = [AverageDistance(np.vstack([rest, np.full(d, y + e)])) for e in (-1e-9, 1e-9)]
    tangents = [np.array([side.tangent_at(i, y) for i in range(d)]) for side in sides]
    assert np.linalg.norm(tangents[0] - tangents[1]) == pytest.approx(math.sqrt(d) / n)
    assert np.abs(tangents[0] - tangents[1]).sum() == pytest.approx(d / n)


def test_erratum_slopes_with_noise_for_one_over_n_cost_twice_their_budget():
    """Lemma 6 asks for sensitivity 1/n; Laplace noise calibrated so has log-ratio 2 epsilon."""
    n, epsilon = 10, 1.0
    slopes = [AverageDistance([0.5 + e] + [0.1] * (n - 1)).slope(0.5) for e in (-0.1, 0.1)]
    noise = stats.laplace(scale=1 / (n * epsilon))
    ratio = noise.logpdf(0.0) - noise.logpdf(float(slopes[1] - slopes[0]))
    assert not ratio <= epsilon
    assert ratio == pytest.approx(2 * epsilon)


@pytest.mark.parametrize("composition", ["zcdp", "pure"])
@pytest.mark.parametrize("count", [1, 20])
def test_noisy_tangents_stay_within_tau(composition, count):
    """20,000 rounds at beta = 0.05 (false alarm 1e-6); within 1.05 of the quantile."""
    rng, rounds = np.random.default_rng(count), 20_000
    if composition == "zcdp":
        a, h = rng.standard_normal((2, rounds, count))  # sigma = 1 / (n sqrt(rho)), here 1
    else:
        a, h = rng.laplace(scale=2, size=(2, rounds, count))
    worst = np.maximum(np.abs(a - h), np.abs(a + h)).max(axis=1)
    tau = float(_tangent_error_quantile(composition, np.array([count]), 0.05)[0])
    assert (worst > tau).sum() <= stats.binom.ppf(1 - 1e-6, rounds, 0.05)
    assert tau <= 1.05 * np.quantile(worst, 0.95)


@given(st.floats(-1, 1), st.floats(-0.5, 0.5), st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1))
def test_clipping_the_slope_about_the_middle_keeps_the_error_at_the_ends(a, h, da, dh, y):
    clipped = min(0.5, max(-0.5, h + dh))
    off = abs(da + 2 * (clipped - h) * (y - 0.5))
    assert off <= abs(da) + abs(dh) + 1e-12  # rounding


@pytest.mark.parametrize("updates", range(1, 60))
def test_a_gap_of_two_over_c_squared_allows_c_updates(updates):
    gap = math.nextafter(2 / updates**2, 3)
    assert updates == 1 or mistake_bound(gap) <= updates


@pytest.mark.parametrize("composition", COMPOSITIONS)
@pytest.mark.parametrize(("n", "d"), [(1000, 1), (100_000, 2), (10**7, 5)])
def test_the_plan_is_the_best_of_all_numbers_of_updates_and_shares(composition, n, d):
    options = {**ZCDP, "composition": composition}
    best = plan(n, d, 1000, **options)
    around = [max(1, best.updates + i) for i in (-40, -3, -2, -1, 0, 1, 2, 3, 40)]
    others = [plan(n, d, 1000, **options, updates=u).error for u in around]
    assert best.error <= min(others) * (1 + 1e-12)
    if composition != "advanced":
        shares = [best.share + e for e in (-0.1, -0.01, 0.01, 0.1)]
        assert best.error < min(plan(n, d, 1000, **options, share=f).error for f in shares)


@pytest.mark.parametrize("composition", COMPOSITIONS)
@pytest.mark.parametrize("joint", [False, True])
def test_the_allocation_adds_up_to_the_budget(composition, joint):
    """C runs and C measurements, paid by the sub-curator: nothing is left over but rounding."""
    make = sum_test.Params if joint else l1.Params
    params = make(n=1000, d=3, k=10, lower=0, upper=1, **ZCDP, composition=composition)
    made, curator = params.plan, Curator(epsilon=1, delta=1e-6, rng=0)
    payer = l1.sub_curator(params, curator)
    runs = {"epsilon": made.test_epsilon, "positives": made.total}
    test = payer.above_threshold(0.0, sensitivity=1, **runs, label="test")
    vector = {"value": [0.0, 0.0], "l1_sensitivity": 1, "l2_sensitivity": 1}
    for _ in range(made.total):
        assert test.above(1e9)
        l1.measure(payer, made, **vector, label="tangent")
    with pytest.raises(BudgetExceeded):
        l1.measure(payer, made, **vector, label="one more")
    spent, budget = payer.ledger.spent, payer.budget
    assert spent.rho + spent.epsilon == pytest.approx(budget.rho + budget.epsilon)
    whole = curator.ledger.spent
    assert whole.epsilon == pytest.approx(1)
    assert whole.delta == (0 if composition == "pure" else 1e-6)


# Error of one coordinate at (1, 1e-6), k = 10^4, n = 1e4 ... 1e7, by an analysis that bounded
# both noises of the tests apart and composed by the advanced theorem.
EARLIER = {
    "pure": [0.1064, 0.0238, 0.00533, 0.00119],
    "advanced": [0.2017, 0.0338, 0.00564, 0.00094],
    "zcdp": [0.1150, 0.0190, 0.00312, 0.00051],
}


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_the_bounds_are_below_those_of_an_earlier_analysis(composition):
    for n, earlier in zip((10**4, 10**5, 10**6, 10**7), EARLIER[composition], strict=True):
        assert plan(n, 1, 10_000, **ZCDP, composition=composition).error <= 0.95 * earlier


def test_pure_wins_at_small_n_and_the_default_takes_the_better():
    small, large = (plan(n, 1, 10_000, **ZCDP) for n in (10**4, 10**6))
    assert (small.composition, large.composition) == ("pure", "zcdp")
    assert plan(10**4, 1, 10, epsilon=1).composition == "pure"


def test_exact_composition_is_never_worse_than_the_advanced_theorem():
    for updates in (5, 50, 500):
        sizes = allocate(
            l1.Params(n=1000, d=1, k=10, lower=0, upper=1, **ZCDP), "advanced", np.array([updates])
        )
        theorem = accounting.step_for(total=1, k=2 * updates, delta=1e-6, rule="advanced")
        assert sizes["test_epsilon"][0] >= theorem


@given(st.integers(1, 10**6), st.integers(1, 8), st.sampled_from([0.0, 1e-6]))
@settings(max_examples=50)
def test_more_records_never_hurt(n, d, delta):
    task = {"epsilon": 1, "delta": delta}
    assert plan(n + 1, d, 100, **task).error <= plan(n, d, 100, **task).error


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("d", [1, 3, 10])
def test_the_paper_s_alpha_solves_its_equation(delta, d):
    """c alpha = 3000 sqrt(|S| m) ln(4/delta) ln(k/beta) / (n epsilon), and the pure one."""
    n, k, beta = 10**8, 1000, 0.05
    alpha = paper_alpha(
        l1.Params(n=n, d=d, k=k, epsilon=1, delta=delta, beta=beta, lower=0, upper=1)
    )
    size = 2 * d * 3 * d**1.5 / math.sqrt(alpha)
    factor = math.sqrt(size) * math.log(4 / delta) if delta else size
    assert alpha / (4 * d) == pytest.approx(3000 / n * factor * math.log(k / beta))


def test_erratum_lemma_3_is_vacuous_below_five_million_records():
    """Not false: its constant is 3000. At (1, 1e-6), k = 10^4, d = 1; five dimensions: 2e8."""

    def alpha(n, d=1):
        return paper_alpha(l1.Params(n=n, d=d, k=10_000, lower=0, upper=1, **ZCDP))

    assert not alpha(5_400_000) <= 1
    assert alpha(5_500_000) <= 1
    assert not alpha(2 * 10**8, d=5) <= 1
    assert plan(5_400_000, 1, 10_000, **ZCDP).error < 0.001


def test_erratum_the_pure_bound_in_the_proof_is_infinite():
    """Theorem 1's proof keeps ln^(2/3)(4/delta) in the pure bound: no bound at all at delta = 0."""
    alpha = paper_alpha(l1.Params(n=10**6, d=1, k=10_000, epsilon=1, lower=0, upper=1))
    with np.errstate(divide="ignore"):
        stated = alpha * np.log(np.divide(4.0, 0.0)) ** (2 / 3)
    assert not math.isfinite(stated)
    assert 0 < alpha < 1


@pytest.mark.parametrize("delta", [0.0, 1e-9])
@pytest.mark.parametrize("d", [1, 5])
@pytest.mark.parametrize("n", [10**3, 10**6, 10**9, 10**12])
def test_the_paper_s_sizes_cover_their_noise_and_pay_for_enough_updates(n, d, delta):
    """3000 is generous: the noises are far within alpha/4, and the proved error within alpha_1."""
    params = l1.Params(
        n=n, d=d, k=10_000, epsilon=1, delta=delta, constants="paper", lower=0, upper=1
    )
    made, alpha = _paper_plan(params), paper_alpha(params) / d
    assert made.test_accuracy + made.tau <= alpha / 100
    assert made.error <= alpha
    assert made.gap >= alpha / 4
    if made.gap < 1:
        assert made.updates >= mistake_bound(alpha / 4)
    assert params.plan == made


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"n": 0}, "n"),
        ({"d": 0}, "d"),
        ({"k": 0}, "k"),
        ({"k": 2.5}, "k"),
        ({"epsilon": 0}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"beta": 0}, "beta"),
        ({"updates": 0}, "updates"),
        ({"share": 1}, "share"),
        ({"composition": "basic"}, "composition"),
        ({"constants": "mine"}, "constants"),
        ({"delta": 0, "composition": "zcdp"}, "composition"),
        ({"constants": "paper", "updates": 3}, "constants"),
        ({"constants": "paper", "share": 0.5}, "constants"),
    ],
)
def test_bad_arguments_name_themselves(change, name):
    given_ = {"n": 10, "d": 1, "k": 1, **ZCDP, **change}
    with pytest.raises((ValueError, TypeError), match=f"^{name} must"):
        plan(**given_)
