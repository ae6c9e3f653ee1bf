"""Small clusters: what each step may lose, from exact chances, integrals and enumeration."""

import itertools
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize, stats

from dpviz.audit.transcript import Recorder
from dpviz.papers.small_cluster import (
    enclosing_ball,
    good_center,
    good_radius,
    interior_point,
    one_cluster,
    radius_then_center,
    rec_concave,
    sample_and_aggregate,
)
from dpviz.privacy.curator import Curator
from second import second
from second.exact import coin_exponent, failing, gaussian_unit, threshold_gap

ROOMS = ("papers.small_cluster",)
WITHOUT = {
    "papers.small_cluster.one_cluster.Params.slack": "a share of delta, said in the ledger",
    "papers.small_cluster.radius_then_center._hypergeometric_tail": "scipy's law agrees, in "
    "tests/papers/small_cluster/test_radius_then_center.py",
    "papers.small_cluster.rec_concave._union": "the union of two stretches of places, no bound",
}
ROWS = np.full((300, 1), 0.5)


def asked(run, rows=ROWS, **budget):
    """Every charge of a run: label, verb, scale, sensitivity, cost."""
    curator = Recorder(rng=0, **budget)
    run(rows, curator)
    return [question.charge for question, _ in curator.questions]


def comparisons(candidates):
    """The most questions that halving asks, by running all of its ends."""
    most = 0
    for goal in range(candidates):
        below, above, count = -1, candidates - 1, 0
        while above - below > 1:
            middle, count = (below + above) // 2, count + 1
            below, above = (below, middle) if goal <= middle else (middle, above)
        most = max(most, count)
    return most


@second("papers.small_cluster.good_radius.error_bound")
@pytest.mark.parametrize("beta", [0.1, 1e-4])
def test_a_radius_by_the_exponential_mechanism_or_by_halving(beta):
    """Each from the law of what the run really draws, whose scales are read off its charges.

    Exponential: all radii but one lose the whole promise, that one half of it; the exact chance
    of a bad one is beta, but for one of M candidates. Halving: all noises below half of the
    promise have exactly the chance (1 - exp(-loss / 2 scale))^s; its complement is beta to first
    order, for beta / s each.
    """
    size = 2**10
    params = good_radius.Params(t=200, d=1, epsilon=2.0, beta=beta, size=size, lower=0, upper=1)
    (choice,) = asked(lambda r, c: good_radius.release(r, params, c), epsilon=2.0)
    loss, many = good_radius.error_bound(params), params.candidates
    # quality: half the lesser of t - L(before) and L - t + loss
    good, bad = min(loss, loss / 2) / 2, min(loss, 0.0) / 2
    chance = failing(good - bad, many - 2, choice.cost.epsilon / choice.sensitivity)
    assert beta * (many - 3) / many <= chance / (1 - chance) <= beta
    params = replace(params, method="binary search")
    charges = asked(lambda r, c: good_radius.release(r, params, c), epsilon=2.0)
    scale = max(charge.scale for charge in charges)
    steps, loss = comparisons(params.candidates), good_radius.error_bound(params)
    beyond = -math.expm1(steps * math.log1p(-math.exp(-loss / 2 / scale)))
    assert beta * (1 - beta) <= beyond <= beta


def test_a_radius_by_above_threshold_loses_four_gaps():
    """The gap is a root of an integral; the package's closed form is at most 1 percent above.

    Taken where L / 2 is 2 gaps below t / 2, L is 4 gaps below t.
    """
    params = good_radius.Params(
        t=200, d=1, epsilon=0.7, beta=0.05, method="AboveThreshold", lower=0, upper=1
    )
    gap = threshold_gap(params.candidates, 0.05) / 0.7
    assert 4 * gap <= good_radius.error_bound(params) <= 4.04 * gap


def test_a_radius_by_rec_concave_loses_three_promises():
    """The least L that a quality of half the promise allows, and what passes the test at 0.

    The second never decides: Gamma is at least (8 / epsilon) ln(2 / beta), being made of such.
    """
    for beta, size in ((0.1, 2**16), (1e-6, 2**5)):
        params = good_radius.Params(
            t=200,
            d=1,
            epsilon=2.0,
            delta=1e-6,
            beta=beta,
            size=size,
            method="RecConcave",
            lower=0,
            upper=1,
        )
        gamma, t = params.promise, 1e6
        levels = np.linspace(t - 10 * gamma, t, 100_001)
        quality = np.minimum(t - 0.0, levels - t + 4 * gamma) / 2
        least = levels[quality >= gamma / 2].min()  # alpha = 1/2 of the promise is reached
        assert good_radius.error_bound(params) == pytest.approx(t - least, rel=1e-4)
        charges = asked(
            lambda r, c, p=params: good_radius.release(r, p, c), epsilon=2.0, delta=1e-6
        )
        (zero,) = [charge for charge in charges if charge.label == "score at 0"]
        noise = next(x for x in np.arange(0, 1e3, 0.1) if math.exp(-x / zero.scale) <= beta / 2)
        assert 2 * gamma + 2 * noise <= t - least


@second("papers.small_cluster.good_center.error_bound")
@pytest.mark.parametrize(("rounds", "n", "beta"), [(10, 300, 0.1), (200, 10**6, 1e-3)])
def test_the_box_loses_the_margin_a_gap_and_twice_a_noise(rounds, n, beta):
    """Gap by integration at a quarter of the budget; noise: the largest of n Laplace noises passes
    it with exactly 1 - (1 - e^-x)^n, for the scale that the step charges."""
    params = good_center.Params.practical(
        t=200, d=1, radius=0.1, epsilon=8, delta=1e-3, n=300, lower=0, upper=1
    )
    params = replace(params, rounds=rounds, margin=5.0, beta=beta)
    charges = asked(lambda r, c: good_center.release(r, params, c), epsilon=8, delta=1e-3)
    (box,) = [charge for charge in charges if charge.label == "box"]
    noise = -box.scale * math.log(-math.expm1(math.log1p(-beta / 2) / n))
    gap = threshold_gap(rounds, beta / 2) / (8 / 4)
    by_hand = 5.0 + gap + 2 * noise
    assert by_hand * (1 - 1e-9) <= good_center.error_bound(params, n=n) <= 1.03 * by_hand


@second("papers.small_cluster.good_center.projection_tail")
def test_a_projection_s_tail_is_chernoff_s_and_above_the_exact_one():
    """A squared length is chi-squared over k. Its moments by the density, minimised over l; at
    eta = 0.01 the lemma's exponent is that of Chernoff but for k eta^3 / 12."""
    for k, eta in ((40, 0.5), (1000, 0.1), (20_000, 0.01)):
        exact = stats.chi2.cdf(k * (1 - eta), k) + stats.chi2.sf(k * (1 + eta), k)
        assert exact <= good_center.projection_tail(k, eta)
        both = sum(chernoff(k, sign * eta) for sign in (1, -1))
        assert both <= good_center.projection_tail(k, eta) * (1 + 1e-9)
    assert both >= 0.99 * good_center.projection_tail(k, eta)


def chernoff(k, shift):
    """Least E exp(l (X - k (1 + shift))) of X chi-squared, ln E exp(l X) = -k/2 ln(1 - 2 l)."""
    logs = lambda v: -k / 2 * math.log1p(-2 * v) - v * k * (1 + shift)  # noqa: E731
    ends = (0.0, 0.499) if shift > 0 else (-10.0, 0.0)
    return math.exp(optimize.minimize_scalar(logs, bounds=ends, method="bounded").fun)


def test_a_rotated_axis_s_share_is_a_union_of_exact_tails():
    """All pairs of n rows, all axes: at n = 10^9, d = 10^4 the share whose exact union is beta is
    1.15 times smaller at most, and never larger. So sqrt 2 less would break the promise."""
    for d, n, beta in ((400, 40, 0.5), (200, 300, 0.01), (10**4, 10**9, 0.1)):
        pairs = n * (n - 1) / 2

        def union(share, d=d, pairs=pairs):
            squared = stats.beta.logsf(share**2, 0.5, (d - 1) / 2)
            return math.log(pairs * d) + squared

        share = good_center.turned_share(d, n=n, beta=beta)
        exact = optimize.brentq(lambda s, u=union, b=beta: u(s) - math.log(b), 1e-3, 1 - 1e-9)
        assert exact <= share < 1
    assert share <= 1.15 * exact


@second("papers.small_cluster.one_cluster.error_bound")
@pytest.mark.parametrize("beta", [0.1, 1e-5])
def test_the_reported_ball_loses_twice_a_gap(beta):
    """All radii but the last lose the promise, that one half of it; the exact chance is beta.

    Radii are counted one by one, from a quarter of a grid step until the box is covered; the
    budget of the choice is what its step charges, epsilon^2 / 8 in zCDP.
    """
    params = one_cluster.Params(
        t=200, d=2, epsilon=30, delta=1e-6, size=2**8, beta=beta, lower=0, upper=1
    )
    rows = np.full((300, 2), 0.5)
    charges = asked(lambda r, c: one_cluster.release(r, params, c), rows, epsilon=30, delta=1e-6)
    (report,) = [charge for charge in charges if charge.label == "report"]
    radius, many = 1 / (2**8 - 1) / 4, 1
    while radius < math.sqrt(2) * (1 - 1e-9):
        radius, many = radius * 2 ** (1 / 16), many + 1
    chance = failing(one_cluster.error_bound(params) / 2, many - 1, math.sqrt(8 * report.cost.rho))
    assert beta * (many - 2) / many <= chance / (1 - chance) <= beta


@second("papers.small_cluster.interior_point.error_bound")
@pytest.mark.parametrize(("epsilon", "beta"), [(1.0, 0.1), (0.05, 0.01), (7.0, 1e-6)])
def test_the_rows_beside_the_middle_are_the_least_that_suffice(epsilon, beta):
    """One end with so many rows on each side among 17, the others with none: the least number at
    which the exact chance of a bad one is at most beta, by counting up."""
    params = interior_point.Params(epsilon=epsilon, delta=1e-6, beta=beta)
    pieces, depth = 2 * 8, 0
    while failing(depth, pieces, epsilon / 2) > beta:
        depth += 1
    # the proof's union over 17 instead of 16, and an odds ratio instead of a chance
    slack = 4 / epsilon * (math.log(17 / 16) - math.log1p(-beta)) + 1
    assert 2 * depth + 1 <= interior_point.error_bound(params) <= 2 * (depth + slack) + 1


@second("papers.small_cluster.sample_and_aggregate.error_bound")
@pytest.mark.parametrize("beta", [0.1, 1e-8])
def test_a_certified_share_has_both_halves_of_beta(beta):
    """Noise: the exact one-sided Laplace tail of the count that is charged. Sample: the exponent
    of a fair coin, found numerically; for so many blocks it is Hoeffding's."""
    blocks = 10**8
    how = {"block": 1, "d": 1, "alpha": 0.5, "delta": 1e-6, "beta": beta, "method": "holdout"}
    quiet = sample_and_aggregate.Params(epsilon=1e9, lower=0, upper=1, **how)
    share = sample_and_aggregate.error_bound(quiet, blocks=blocks)
    assert math.exp(-blocks * coin_exponent(share)) == pytest.approx(beta / 2, rel=1e-4)
    loud = sample_and_aggregate.Params(epsilon=40.0, lower=0, upper=1, **how)
    run = lambda rows, curator: sample_and_aggregate.release(  # noqa: E731
        rows, loud, curator, function=lambda block: block.mean(axis=0)
    )
    (count,) = [c for c in asked(run, epsilon=40.0, delta=1e-6) if c.label == "check"]
    checked = len(ROWS) - len(ROWS) // 2
    sampled = optimize.brentq(
        lambda s: checked * 2 * s * s - math.log(2 / beta), 0, 10
    )  # Hoeffding, as found above
    noise = sample_and_aggregate.error_bound(loud, blocks=checked) - sampled
    assert math.exp(-noise / count.scale) / 2 == pytest.approx(beta / 2, rel=1e-9)


@second("papers.small_cluster.rec_concave.error_bound", "papers.small_cluster.rec_concave._needed")
@pytest.mark.parametrize("beta", [0.1, 1e-4])
def test_a_choice_among_few_needs_no_recursion(beta):
    """One good candidate of 30, the others half of the promise below: the exact chance is beta."""
    params = rec_concave.Params(candidates=30, epsilon=0.4, beta=beta)
    chance = failing(0.5 * rec_concave.error_bound(params), 29, 0.4)
    assert beta / 1.15 <= chance <= beta


@pytest.mark.parametrize(("delta", "leading"), [(1e-6, "bottom"), (1e-80, "lead")])
def test_each_thing_that_may_fail_in_a_recursion_has_its_share_of_beta(delta, leading):
    """Two levels, three things that may fail. What each needs is read off the code by running it
    with a curator that notes what it is asked: promises, budgets, numbers of candidates.

    A clear lead is named but for the exact tail of one Laplace noise; a choice fails with its
    exact chance. The largest need is the promise, so one of them has beta / 3 exactly and the
    others less. (The third, among 16 windows, never decides: 16 ln(16 / b) / 3 is below
    16 ln(m / b), m > 6.)
    """
    beta, size = 0.03, 2**20
    params = rec_concave.Params(candidates=size, epsilon=1.0, delta=delta, beta=beta, depth=2)
    promise = rec_concave.error_bound(params)
    scores = promise * np.exp(-np.abs(np.arange(size) - 12_345) / 400.0)  # quasi-concave
    charges = asked(lambda r, c: rec_concave.release(r, params, c), scores, epsilon=1, delta=delta)
    kinds = [charge.verb for charge in charges]
    assert kinds == ["choose", "stable_choice", "stable_choice", "choose"]
    bottom, named, _, last = charges
    # what is certain of a window of K = 2^k: (1 - 5/16) of the promise; a block leads by 3/16
    lead = promise * 3 / 16
    enough = 2 + named.scale * math.log(1 / (2 * named.cost.delta))
    unnamed = math.exp(-(lead - enough) / named.scale) / 2
    few = failing(promise * (0.5 - 5 / 16), 15, last.cost.epsilon)
    exponents = 22  # 0 ... 20, and the window that is too wide
    wrong = failing(promise * 0.25 * 0.25, exponents - 2, bottom.cost.epsilon)
    assert max(unnamed, few, wrong) <= beta / 3
    assert {"bottom": wrong, "lead": unnamed}[leading] >= beta / 3 / 1.2


@second("papers.small_cluster.radius_then_center._noise_length")
@pytest.mark.parametrize("d", [1, 4, 300])
@pytest.mark.parametrize("beta", [0.1, 1e-100])
def test_a_noise_s_length_is_a_quantile_of_chi(d, beta):
    """Never below the exact one; at most 1.15 times it where one of both terms is large: many
    columns, or a tiny beta. (Of one column at beta = 0.1 the mean length is added in vain.)"""
    params = radius_then_center.Params(
        t=5000, d=d, epsilon=1, delta=1e-6, beta=beta, lower=0, upper=1
    )
    exact = 0.3 * stats.chi.isf(beta / 12, d)
    found = radius_then_center._noise_length(0.3, params)
    assert exact <= found <= (1.6 if d < 10 and beta > 1e-9 else 1.15) * exact


def hypergeometric(n, marked, drawn, least):
    """P(at least so many of the marked are drawn), by counting subsets in whole numbers."""
    ways = sum(
        math.comb(marked, i) * math.comb(n - marked, drawn - i)
        for i in range(least, min(marked, drawn) + 1)
        if drawn - i <= n - marked
    )
    return ways / math.comb(n, drawn)


@second("papers.small_cluster.radius_then_center.error_bound")
def test_the_theorem_s_rows_are_those_of_both_steps_and_of_the_sample():
    """300 rows, 100 of them looked at: subsets are counted, the rest are the steps' own bounds.

    The sample holds its share but for beta / 12; GoodRadius loses rows of it (beta / 4); a ball of
    fewer of all rows shows so many with less than beta / 12 over all centres and radii: the least
    number is found by counting up. And a sample of all has no such loss.
    """
    n, t, sample, beta = 300, 240, 100, 0.2
    params = radius_then_center.Params(
        t=t, d=2, epsilon=600.0, delta=1e-6, beta=beta, size=2**6, sample=sample, lower=0, upper=1
    )
    share = 0
    while 1 - hypergeometric(n, t, sample, share + 1) < beta / 12:
        share += 1
    first = good_radius.error_bound(params.radius_params(share))
    enough, held = math.floor(share - first) + 1, 0
    centres = n * params.radius_params(share).candidates
    while centres * hypergeometric(n, held, sample, enough) <= beta / 12:
        held += 1
    second_step = good_center.error_bound(params.center_params(1.0, n=n), n=n)
    assert radius_then_center.error_bound(params, n=n) == pytest.approx(t - held + second_step)
    assert 0 < t - held < t
    whole = replace(params, sample=n)
    first = good_radius.error_bound(whole.radius_params(t))
    by_hand = t - (math.floor(t - first) + 1) + second_step
    assert radius_then_center.error_bound(whole, n=n) == pytest.approx(by_hand)


def centre_laws(params, rows):
    """What the box, an axis and the average of GoodCenter add and ask for, read off a run: scale of
    the noise, and the level that a lone record's noisy count passes with the step's delta."""
    charges = asked(
        lambda r, c: good_center.release(r, params, c), rows, epsilon=params.epsilon, delta=0.4
    )
    laws = {}
    for charge in charges:
        if charge.label in ("box", "axis 1"):
            law = stats.laplace(scale=charge.scale)
            level = optimize.brentq(lambda x, f=law: f.sf(x - 1) - charge.cost.delta, 1, 1e6)  # noqa: B023
            laws[charge.label] = law, level
        if charge.label == "average":
            law = stats.laplace(scale=charge.scale)
            # the count is lowered so far that it exceeds the truth with half of delta
            laws["average"] = law, law.isf(charge.cost.delta / 2)
    return laws


@second("papers.small_cluster.good_center.needed")
@pytest.mark.parametrize(
    ("d", "epsilon", "beta"), [(1, 8.0, 0.1), (3, 40.0, 1e-3), (12, 90.0, 0.02)]
)
def test_what_a_ball_needs_for_each_step_is_where_the_exact_chance_is_its_share(d, epsilon, beta):
    """Levels, scales and shifts are read off a run; the chances are exact.

    Box: margin, gap (by integration), the noise that the largest of n passes with beta / 2, level.
    Axes: the rows of the box lie in two intervals, split anywhere (4,001 splits): the chance that
    both stay below the level is largest at the even split, and times d it is beta / 2.
    Average: its lowered noisy count is 1 or less with beta / 2.
    """
    n, rows = 2000, np.full((2000, d), 0.5)
    lengths = {"side": 4.0, "interval": 4.0 * math.sqrt(d), "rounds": 20, "k": d, "radius": 0.1}
    params = good_center.Params(
        t=2000,
        d=d,
        epsilon=epsilon,
        delta=1e-3,
        beta=beta,
        margin=50.0,
        lower=0,
        upper=1,
        **lengths,
    )
    laws, found = centre_laws(params, rows), good_center.needed(params, n=n)
    lost = good_center.error_bound(params, n=n)
    law, level = laws["box"]
    noise = law.isf(-math.expm1(math.log1p(-beta / 2) / n) / 2)  # the largest of n, both sides
    gap = threshold_gap(20, beta / 2) / (epsilon / 4)
    by_hand = 50.0 + gap + noise + level
    assert by_hand * (1 - 1e-9) <= found.box <= 1.01 * by_hand
    law, level = laws["axis 1"]
    whole = found.axes - lost
    splits = np.linspace(whole / 2, whole, 4001)
    both = law.cdf(level - splits) * law.cdf(level - (whole - splits))
    assert both.argmax() == 0 or both.max() <= both[0] * (1 + 1e-9)
    assert d * both.max() == pytest.approx(beta / 2)
    law, shift = laws["average"]
    assert law.cdf(1 + shift - (found.average - lost)) == pytest.approx(beta / 2)
    assert found.most == max(found.box, found.axes, found.average)


@second("papers.small_cluster.radius_then_center.needed")
@pytest.mark.parametrize("d", [1, 4])
def test_a_promise_begins_at_the_first_t_whose_ball_has_what_is_needed(d):
    """Every t from 1 to n is looked at; GoodCenter is asked with half of both budgets, the lengths
    change nothing. What is sure never falls as t rises."""
    n = 120
    params = radius_then_center.Params(
        t=1,
        d=d,
        epsilon=300.0,
        delta=1e-2,
        beta=0.3,
        size=2**6,
        sample=60,
        rounds=30,
        lower=0,
        upper=1,
    )
    half = {"epsilon": 150.0, "delta": 5e-3, "beta": 0.3 / 6, "rounds": 30, "t": 1, "d": d, "k": d}
    gap = threshold_gap(30, 0.3 / 12) / (150.0 / 4)
    for lengths in (
        {"side": 3.0, "interval": 5.0, "radius": 0.1},
        {"side": 9.0, "interval": 1.0, "radius": 7.0},
    ):
        step = good_center.Params(margin=gap, **half, **({"lower": 0, "upper": 1} | lengths))
        by_hand = good_center.needed(step, n=n).most
        found = radius_then_center.needed(params, n).most
        assert found == pytest.approx(by_hand, rel=0.02)  # the gap's closed form: 1 percent above
    sure = [radius_then_center.guaranteed(replace(params, t=t), n) for t in range(1, n + 1)]
    assert sure == sorted(sure)
    first = 1 + next(i for i, rows in enumerate(sure) if rows >= found)
    assert radius_then_center.smallest_t(params, n=n) == first > 1
    assert [radius_then_center.promised(replace(params, t=t), n) for t in (first - 1, first)] == [
        False,
        True,
    ]
    shares = [
        radius_then_center.promised(replace(params, t=max(1, m // 2)), m) for m in range(2, 400)
    ]
    assert radius_then_center.smallest_n(params, share=0.5) == 2 + shares.index(True)
    assert all(shares[shares.index(True) :])


def test_the_theorem_s_shares_of_beta_add_up_and_its_budgets_too():
    """Halves of the budget; of beta GoodRadius has 3 twelfths, GoodCenter 2 for its box and one
    each for intervals and average, and one each have the sample, the balls, the grids, the rotation
    and the noise. All shifts miss the ball together with just a twelfth."""
    params = radius_then_center.Params(
        t=5000, d=300, epsilon=1.0, delta=1e-6, beta=0.08, rounds=500, lower=0, upper=1
    )
    steps = params.radius_params(9), params.center_params(0.1, n=20_000)
    assert sum(step.epsilon for step in steps) == 1.0 and sum(step.delta for step in steps) == 1e-6
    radius_beta, center_beta = (step.beta for step in steps)
    # needed: intervals and average fail with half of GoodCenter's beta each
    assert radius_beta + 2 * center_beta + 5 * params.beta / 12 == pytest.approx(params.beta)
    places, half = (np.arange(10**6) + 0.5) / 10**6, 1 / params.side
    inside = float(((places > half) & (places < 1 - half)).mean())  # of a diameter 2 in a side s
    # counted to 1e-6 on each axis
    assert (1 - inside**300) ** 500 == pytest.approx(0.08 / 12, rel=5e-3)
    share = steps[1].interval / params.side / math.sqrt(300)
    assert share == pytest.approx(good_center.turned_share(300, n=20_000, beta=0.08 / 12))
    assert share < 0.6


@second("papers.small_cluster.radius_then_center.error_bound_radius")
@pytest.mark.parametrize("d", [1, 3])
def test_the_theorem_s_radius_is_a_box_s_diagonal_and_a_noise(d):
    """Recomputed from geometry and laws: the worst place of a centre in a cell, the largest step
    between radii by looking, corners of the box, the average's noise with its own unit.
    """
    t, n, least = 60_000, 200_000, 0.01
    params = radius_then_center.Params(
        t=t, d=d, epsilon=1.0, delta=1e-6, beta=0.1, size=2**10, lower=0, upper=1
    )
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * d), -1).reshape(-1, d) / (2**10 - 1)
    middle = corners.mean(axis=0)
    cell = float(np.linalg.norm(corners - middle, axis=1).max())
    radii = good_radius.radius_grid(2**10, d)
    apart = max(b / a for a, b in itertools.pairwise(radii) if a >= 1)
    # radius before, halved: t rows in a ball of twice that; grid steps of sqrt(1.5) at most
    assert apart <= math.sqrt(1.5) * (1 + 1e-9)
    z = 2 * math.sqrt(1.5) * (least + cell)
    asked_for = params.center_params(z, n=n)
    box = np.linalg.norm(np.full(d, params.side * (z + 2 * cell)))  # two roundings
    epsilon, delta = 1.0 / 8, 1e-6 / 8
    held = params.t - radius_then_center.error_bound(params, n=n)
    scale = 2 / epsilon  # of the count's noise; its mean is shifted so that delta covers an excess
    tail = lambda x: 0.5 * math.exp(-x / scale)  # noqa: E731
    low = optimize.brentq(lambda x: math.log(tail(x) / (0.1 / 12)), 0, 1e4)
    held -= low + scale * math.log(1 / delta)
    reach = 1.5 * asked_for.interval * asked_for.radius * math.sqrt(d)
    sd = 2 * reach / held * gaussian_unit(epsilon / 2, delta / 2)
    found = radius_then_center.error_bound_radius(params, n=n, least=least)
    by_hand = radius_then_center._noise_length(sd, params)
    assert found - box == pytest.approx(by_hand, rel=1e-6)
    few = replace(params, t=1000)
    assert radius_then_center.error_bound_radius(few, n=n, least=least) == math.inf


@second("papers.small_cluster.enclosing_ball.error_bound")
@pytest.mark.parametrize(("gamma", "d"), [(1.0, 1), (0.5, 10)])
def test_a_walk_s_distances_are_never_passed_by_the_worst_step(gamma, d):
    """Noises by their exact laws: of each release a count, a direction and a length, whose chances
    add up to beta at most, and to a half of it at least (the length's tail is rounded up). Then the
    worst step is searched in the plane: mean of the rows outside with D / 2 at least towards the
    best centre and r + D long at most, both ends of the count, noise of any direction within its
    two bounds. It stays within the next distance, and comes near to it. Rows: K, then three noises
    of a count: one lets it stop early, one lets it look small at the end, one is in the test."""
    params = enclosing_ball.Params(
        center=(0.5,) * d, reach=0.1, gamma=gamma, d=d, epsilon=1, delta=1e-6, lower=0, upper=1
    )
    plan = enclosing_ball._schedule(params)
    charges = asked(
        lambda r, c: enclosing_ball.release(r, params, c),
        np.full((9, d), 0.5),
        epsilon=1,
        delta=1e-6,
    )
    sd = next(charge.scale for charge in charges if charge.label == "step")
    assert sd == pytest.approx(plan.sd)
    assert enclosing_ball.error_bound(params) == pytest.approx(plan.enough + 3 * plan.noise)
    releases = params.calls * (len(plan.steps) + 1)
    rare = params.beta / 3 / releases
    along = stats.norm.isf(rare)
    length = math.sqrt(d) + math.sqrt(-2 * math.log(rare))
    chances = 2 * stats.norm.sf(plan.noise / (sd / math.sqrt(3))) + stats.norm.sf(along)
    chances += stats.chi.sf(length, d)
    assert params.beta / 2 <= releases * chances <= params.beta
    wrong = plan.noise / plan.enough
    turns, worst = np.linspace(0, np.pi, 181), []
    for step, within, after in zip(plan.steps, plan.within, plan.within[1:], strict=False):
        reach = 1 + within
        towards = np.linspace(within / 2, reach, 50)
        mean = np.stack([towards, np.sqrt(np.maximum(0, reach**2 - towards**2))])
        ends = []
        for m in (1 - wrong, 1 + wrong):
            for turn in (np.cos(turns), np.maximum(np.cos(turns), -along / length)):
                noise = np.stack([turn, np.sqrt(np.maximum(0, 1 - turn**2))])
                noise *= length * sd * reach / plan.enough
                move = step * (m * mean[:, :, None] + noise[:, None])
                ends.append(np.hypot(within - move[0], move[1])[:, turn >= -along / length - 1e-9])
        worst.append(max(float(end.max()) for end in ends) / after)
    assert 0.95 <= min(worst) <= max(worst) <= 1 + 1e-9


def test_a_sample_of_one_record_pays_for_every_copy():
    """n = 1: all draws are that record, so the step runs on ``draws`` copies of another one.

    A step with two outputs that attains (epsilon, delta) at each copy: p -> e^epsilon p + delta,
    by repetition; the excess over e^(draws epsilon) p is what must be paid, exactly.
    """
    from dpviz import accounting

    for draws, epsilon, delta in ((1, 0.5, 1e-3), (3, 0.5, 1e-3), (5, 1.0, 1e-6)):
        total, paid = accounting.resample_step(epsilon=epsilon, delta=delta, draws=draws, n=1)
        chance = start = 1e-9
        for _ in range(draws):
            chance = math.exp(epsilon) * chance + delta
        assert total == pytest.approx(draws * epsilon, rel=1e-12)
        needed = chance - math.exp(total) * start
        # the sum of e^(i epsilon) delta over i < draws, charged as draws of the largest
        assert needed <= paid <= needed * draws
        assert paid >= delta * math.exp((draws - 1) * epsilon)
        child_budget = SimpleNamespace(epsilon=epsilon, delta=delta)
        curator = Curator(epsilon=total * (1 + 1e-9), delta=min(0.9, paid * (1 + 1e-9)), rng=0)
        curator.sub_curator_resampled(
            [[0.0]], size=draws, epsilon=child_budget.epsilon, delta=child_budget.delta, label="x"
        )
        assert curator.ledger.spent.delta == pytest.approx(paid, rel=1e-12)
