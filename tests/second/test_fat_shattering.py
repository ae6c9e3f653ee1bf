"""Fat-shattering classes: errors of small databases, nets, medians and learners, from the laws."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from dpviz.audit.transcript import Recorder
from dpviz.papers.fat_shattering import (
    baselines,
    covering_numbers,
    dimension,
    linear_reconstruction,
    lower_bounds,
    median_mechanism,
    net_mechanism,
    reconstruction,
    regression_learner,
    small_databases,
    smooth_functions,
    threshold_learner,
)
from second import second
from second.exact import coin_exponent, failing, laplace_chernoff, laplace_tail

ROOMS = ("papers.fat_shattering",)
WITHOUT = {}


def all_databases(cells, rows):
    """Every way to put rows into cells, by listing."""
    picks = itertools.combinations_with_replacement(range(cells), rows)
    return np.array([np.bincount(pick, minlength=cells) for pick in picks])


def asked(run, data, **budget):
    curator = Recorder(rng=0, **budget)
    run(data, curator)
    return [question.charge for question, _ in curator.questions]


@second("papers.fat_shattering.baselines.error_bound_laplace")
@pytest.mark.parametrize(("k", "beta", "l1"), [(1, 0.05, 1.0), (30, 0.01, 2.0)])
def test_noise_on_each_answer_takes_beta_once(k, beta, l1):
    """Queries that count everybody move together: the scale is their L1 movement. The union of k
    exact tails is beta."""
    params = baselines.Params(epsilon=0.7, l1_distance=l1, beta=beta)
    moved = np.abs(np.ones((k, 2)) @ (np.array([3.0, l1]) - np.array([3.0, 0.0]))).sum()
    bound = baselines.error_bound_laplace(params, k=k)
    assert k * laplace_tail(np.array([moved / 0.7]), bound) == pytest.approx(beta, rel=1e-9)


@second("papers.fat_shattering.baselines.error_bound_histogram")
@pytest.mark.parametrize(("cells", "k", "beta"), [(1, 1, 0.05), (6, 40, 0.01), (300, 5, 1e-6)])
def test_a_histogram_s_error_is_chernoff_s_and_above_the_exact_tail(cells, k, beta):
    """All cells in one query: at the bound Chernoff's inequality for both signs and all k gives
    beta, but for the package's grid of 99 values (2 percent of the probability); the exact tail
    is less, and at half of the bound it is more (one noise alone has the largest
    ratio: Chernoff's factor before the exponential)."""
    params = baselines.Params(epsilon=0.5, l1_distance=2.0, beta=beta)
    weights, bound = np.full(cells, 4.0), baselines.error_bound_histogram(params, cells=cells, k=k)
    assert 0.98 * beta <= 2 * k * laplace_chernoff(weights, bound) <= beta
    if beta > 1e-5:
        assert k * laplace_tail(weights, bound) <= beta < k * laplace_tail(weights, bound / 2)


@second("papers.fat_shattering.small_databases.error_bound_sampled")
@pytest.mark.parametrize(("k", "beta"), [(1, 0.05), (100, 1.0), (7, 1e-9)])
def test_random_rows_err_by_a_union_of_coins(k, beta):
    """2 k times the exact large-deviation probability of a fair coin, for so many rows that
    Hoeffding's exponent is the exact one."""
    rows = 10**9
    bound = small_databases.error_bound_sampled(small_databases.Params(rows=rows, beta=beta), k=k)
    assert 2 * k * math.exp(-rows * coin_exponent(bound)) == pytest.approx(beta, rel=1e-4)


def worst_best_error(queries, rows, grid):
    """Over all shares that are multiples of 1 / grid: how far the best small database is off."""
    cells = queries.shape[1]
    small = all_databases(cells, rows) / rows @ queries.T
    shares = all_databases(cells, grid) / grid @ queries.T
    return float(np.abs(shares[:, None] - small[None]).max(axis=2).min(axis=1).max())


@second(
    "papers.fat_shattering.small_databases.error_bound",
    "papers.fat_shattering.small_databases.error_bound_any",
)
def test_every_database_has_a_small_one_near_it():
    """Brute force over all small databases and a fine grid of shares; the roundings are attained.

    All subsets of two and of four cells: cells / (4 rows) exactly. Thresholds: 1 / (2 rows). Where
    k is small and rows are few random rows are better than rounding: the union over 2 k.
    """
    subsets = np.array(list(itertools.product((0.0, 1.0), repeat=4)))
    for cells, rows, grid in ((2, 3, 12), (4, 2, 8)):
        queries = np.unique(subsets[:, :cells], axis=0)
        exact = worst_best_error(queries, rows, grid)
        found = small_databases.error_bound(small_databases.Params(rows=rows), queries=queries)
        assert found == pytest.approx(exact, rel=1e-12)
        any_queries = small_databases.error_bound_any(
            small_databases.Params(rows=rows), k=len(queries), cells=cells
        )
        assert any_queries == pytest.approx(exact, rel=1e-12)
    rising = np.tri(4, 5)[:, ::-1]
    exact = worst_best_error(rising, 3, 12)
    found = small_databases.error_bound(small_databases.Params(rows=3), queries=rising)
    assert found == pytest.approx(exact, rel=1e-12) == pytest.approx(1 / 6)
    many = small_databases.Params(rows=10**6)
    found = small_databases.error_bound_any(many, k=3, cells=10**8)
    assert 6 * math.exp(-(10**6) * coin_exponent(found)) == pytest.approx(1.0, rel=1e-3)


def largest_of(count, sd):
    """Mean of the largest of so many normal variables, by integration."""
    points = np.linspace(-12, 12, 200_001)
    cdf = np.exp(count * stats.norm.logcdf(points))
    return sd * float(integrate.trapezoid((points >= 0) - cdf, points))


@second(
    "papers.fat_shattering.small_databases.error_bound_uniform",
    "papers.fat_shattering.small_databases.error_bound_dimension",
)
def test_uniform_convergence_pays_for_a_cover_its_mean_and_its_spread():
    """Values 0 and 1, one shattered point: the cover is counted by hand.

    Known cells: a union over 2 (cells + 1) functions of fair coins. Any domain: twice the mean of
    the largest of 2 (rows + 1) sums of variance 1 / (4 rows), which the exponential bound
    overstates by 1.25 at this number, and McDiarmid's share, a coin's exponent again.
    """
    rows, one = 10**6, lambda gamma: 1
    for beta in (0.1, 1e-200):
        params = small_databases.Params(rows=rows, beta=beta)
        how = {"dimension": one, "boolean": True}
        known = small_databases.error_bound_uniform(params, cells=100, **how)
        log_union = math.log(2 * (1 + 100)) - rows * coin_exponent(known)
        assert log_union == pytest.approx(math.log(beta), rel=2e-3)
        any_domain = small_databases.error_bound_uniform(params, cells=None, **how)
        spread = optimize.brentq(lambda s, b=beta: rows * coin_exponent(s) + math.log(b), 0, 0.4)
        mean = 2 * largest_of(2 * (rows + 1), 0.5 / math.sqrt(rows))
        assert mean < any_domain - spread * (1 - 1e-3) <= 1.25 * mean
    certain = small_databases.Params(rows=rows, beta=0.3)
    found = small_databases.error_bound_dimension(certain, cells=100, **how)
    log_union = math.log(2 * 101) - rows * coin_exponent(found)
    assert log_union == pytest.approx(0.0, abs=2e-3)  # "some rows": probability below 1


def test_a_class_of_real_values_pays_twice_the_radius():
    """No rows are too few: with 10^15 of them only the radius is left, the least that is tried is
    1/1000; a cover at the radius costs it for the sample and for the law."""
    quiet = small_databases.Params(rows=10**15, beta=0.5)
    found = small_databases.error_bound_uniform(quiet, dimension=lambda gamma: 1, cells=10)
    assert 2e-3 <= found <= 2.002e-3


def shattered_pairs(table, gamma, levels):
    """Pairs (points, their levels) that a class shatters, the empty set too: brute force."""
    cells, count = table.shape[1], 1
    for size in range(1, cells + 1):
        for points in itertools.combinations(range(cells), size):
            for chosen in itertools.product(levels, repeat=size):
                above = table[:, points] - np.array(chosen)
                clear = (np.abs(above) >= gamma - 1e-12).all(axis=1)
                count += len({tuple(row) for row in above[clear] > 0}) == 2**size
    return count


@second("papers.fat_shattering.covering_numbers.log_packing_bound")
def test_a_packing_is_bounded_by_the_pairs_that_it_shatters():
    """Each step by brute force: levels one by one, cuts of each pair, S(F) >= N^theta for random
    packings, S(F) <= Y by listing all pairs of the class; the bound is ln Y / theta. On one point
    with one level it is attained: two functions."""
    rng = np.random.default_rng(0)
    for radius, gamma, cells in ((0.5, 0.1, 2), (0.4, 0.15, 3), (0.9, 0.3, 1)):
        levels = []
        while gamma + (len(levels) + 1) * (radius - 2 * gamma) < 1 - gamma - 1e-9:
            levels.append(gamma + (len(levels) + 1) * (radius - 2 * gamma))
        cuts = cells * len(levels)
        for _ in range(20):
            table = []
            for row in rng.uniform(size=(200, cells)):
                if all(np.abs(row - other).max() > radius for other in table):
                    table.append(row)
            table = np.array(table)
            for one, other in itertools.combinations(table, 2):
                low, high = np.minimum(one, other), np.maximum(one, other)
                told = [low[x] <= v - gamma and high[x] >= v + gamma
                        for x in range(cells) for v in levels]  # fmt: skip
                assert any(told)
            theta = 2 / math.log2(4 * cuts)
            pairs = shattered_pairs(table, gamma, levels)
            assert pairs >= len(table) ** theta * (1 - 1e-12)
            d = dimension.shatter(table, gamma).d
            listed = sum(
                len(list(itertools.combinations(range(cells), i))) * len(levels) ** i
                for i in range(d + 1)
            )
            found = covering_numbers.log_packing_bound(
                radius, gamma, dimension=lambda _, d=d: d, points=cells
            )
            assert pairs <= listed
            assert found == pytest.approx(math.log(listed) / theta, rel=1e-9)
            assert math.log(len(table)) <= found + 1e-12
    found = covering_numbers.log_packing_bound(0.9, 0.3, dimension=lambda _: 1, points=1)
    assert math.exp(found) == pytest.approx(2.0)  # 0 and 1


@second("papers.fat_shattering.covering_numbers.log_growth_bound")
@pytest.mark.parametrize(("points", "d"), [(5, 0), (6, 2), (7, 3)])
def test_a_class_of_zeros_and_ones_attains_its_growth(points, d):
    """All sets of at most d points: so many different functions, and no more than d shattered."""
    rows = [row for row in itertools.product((0, 1), repeat=points) if sum(row) <= d]
    found = covering_numbers.log_growth_bound(dimension=lambda gamma: d, points=points)
    assert math.exp(found) == pytest.approx(len(set(rows)))


def test_a_long_sum_of_binomials_is_bounded_from_above():
    """More than 64 terms: never below the sum in whole numbers, and at most 3 percent above its
    logarithm where all subsets count, 1.1 times where few do."""
    for points, d, levels, ratio in ((100, 90, 1, 1.03), (10**5, 70, 3, 1.1)):
        exact = sum(math.comb(points, i) * levels**i for i in range(d + 1))
        log = math.log2(exact >> 400) + 400 if exact >> 400 else math.log2(exact)
        found = covering_numbers._log_sum(d, points, levels) / math.log(2)
        assert log <= found * (1 + 1e-12) <= ratio * log


@second("papers.fat_shattering.linear_reconstruction.attack_accuracy_bound")
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (1.0, 1e-3), (3.0, 0.2)])
def test_no_attack_guesses_a_bit_more_often(epsilon, delta):
    """The best over all private answers of one bit, as a linear program over both chances."""
    grown = math.exp(epsilon)
    rows = [[1, -grown], [grown, -1]]  # p <= e q + delta; 1 - q <= e (1 - p) + delta
    best = optimize.linprog([-0.5, 0.5], A_ub=rows, b_ub=[delta, grown - 1 + delta], bounds=(0, 1))
    found = linear_reconstruction.attack_accuracy_bound(epsilon=epsilon, delta=delta)
    assert found == pytest.approx(0.5 - best.fun, rel=1e-9)


@second(
    "papers.fat_shattering.net_mechanism.error_bound_noise",
    "papers.fat_shattering.net_mechanism.error_bound",
    "papers.fat_shattering.net_mechanism.error_bound_dimension",
)
@pytest.mark.parametrize(("cells", "rows"), [(3, 4), (5, 3)])
@pytest.mark.parametrize("beta", [0.05, 1e-6])
def test_a_small_database_is_drawn_with_its_exact_chance(cells, rows, beta):
    """All databases are listed; all but one are as bad as may be: their chance is beta, in odds.

    A private total: half of beta for its exact two-sided Laplace tail, at the scale it charges.
    The best one is paid for in people.
    """
    count = len(all_databases(cells, rows))
    queries = np.eye(cells)
    public = net_mechanism.Params(epsilon=0.8, rows=rows, total=500, beta=beta)
    loss = net_mechanism.error_bound_noise(public, cells=cells)
    odds = failing(loss, count - 1, 0.8)
    assert odds / (1 - odds) == pytest.approx(beta * (count - 1) / count, rel=1e-9)
    private = net_mechanism.Params(epsilon=0.8, rows=rows, share=0.25, beta=beta)
    run = lambda data, curator: net_mechanism.release(data, private, curator, queries=queries)  # noqa: E731
    choice, total = asked(run, np.full(cells, 9.0), epsilon=0.8)
    best = small_databases.error_bound(small_databases.Params(rows=rows), queries=queries)
    wide = best * 500 + net_mechanism.error_bound_noise(private, cells=cells)
    assert net_mechanism.error_bound(private, queries=queries, total=500) == pytest.approx(wide)
    noise = wide - best * 500
    chosen = optimize.brentq(
        lambda x: math.log(failing(x, count - 1, choice.cost.epsilon)) - math.log(beta / 2), 0, 1e3
    )
    counted = -total.scale * math.log(beta / 2)
    # a union over all N instead of N - 1, and odds instead of a chance: 10 percent at N = 15
    assert chosen + counted <= noise <= 1.1 * chosen + counted
    known = net_mechanism.error_bound_dimension(
        public, dimension=lambda gamma: 1, cells=cells, boolean=True
    )
    eta = small_databases.error_bound_dimension(
        small_databases.Params(rows=rows), dimension=lambda gamma: 1, cells=cells, boolean=True
    )
    assert known == pytest.approx(eta * 500 + loss)


def noises(params, seed=0, runs=200_000):
    """A simulated threshold's noise and the largest of the comparisons' and answers' noises."""
    rng, many = np.random.default_rng(seed), params.positives
    compare = params.share * params.epsilon
    # the split whose sum of scales is least: one threshold, two for each positive answer
    split = optimize.minimize_scalar(
        lambda first: 1 / first**2 + (2 * many / (compare - first)) ** 2,
        bounds=(compare * 1e-6, compare * (1 - 1e-6)), method="bounded",
        options={"xatol": 1e-12},
    ).x  # fmt: skip
    scales = 1 / split, 2 * many / (compare - split), many / (params.epsilon - compare)
    largest = lambda count: -np.log(-np.expm1(np.log(rng.uniform(size=runs)) / count))  # noqa: E731
    threshold, compared, answered = largest(1), largest(params.k), largest(many)
    return scales, (scales[0] * threshold, scales[1] * compared, scales[2] * answered)


@second("papers.fat_shattering.median_mechanism.Params.accuracy")
@pytest.mark.parametrize(("k", "beta", "share"), [(1, 0.3, 0.8), (10**5, 0.03, 0.3)])
def test_the_median_s_three_noises_share_beta(k, beta, share):
    """200,000 draws of each law (the largest of k exponentials by its distribution function).

    Threshold and comparisons stay within the first bound but for 2/3 of beta, answers within the
    second but for 1/3: exactly in the union. The sum of two bounds is at most 1.6 times the
    quantile of the sum, at a large beta.
    """
    params = median_mechanism.Params(
        epsilon=1.3, cells=4, rows=8, total=100.0, k=k, beta=beta, share=share
    )
    candidates = len(all_databases(4, 8))
    assert params.positives == math.floor(math.log2(candidates))
    (_, _, last), (threshold, compared, answered) = noises(params)
    first_bound, second_bound = (bound * 100 for bound in params.accuracy())
    together = float((threshold + compared > first_bound).mean())
    assert together <= 2 / 3 * beta
    assert first_bound <= 1.6 * np.quantile(threshold + compared, 1 - 2 / 3 * beta)
    assert params.positives * math.exp(-second_bound / last) == pytest.approx(beta / 3, rel=1e-9)
    spread = 5 * math.sqrt(beta / 3 / 200_000)
    assert (answered > second_bound).mean() <= beta / 3 + spread
    # each of both thirds by itself, exactly
    scales, _ = noises(params, runs=1)
    by_hand = scales[0] * -math.log(beta / 3) + scales[1] * -math.log(beta / 3 / k)
    assert first_bound == pytest.approx(by_hand, rel=1e-5)


class Worst:
    """A curator whose noises are as bad as may be: a comparison is off by ``compared``."""

    def __init__(self, compared, positives):
        self.compared, self.positives_left = compared, positives

    def sub_curator(self, **_):
        return self

    def above_threshold(self, level, **_):
        self.level = level
        return self

    def above(self, gap):
        return gap > self.level + self.compared


@second("papers.fat_shattering.median_mechanism.error_bound")
@pytest.mark.parametrize("eta", [0.2, 0.0])
def test_a_median_can_err_by_its_whole_bound(eta):
    """Brute force over where the data may lie: the largest error of a median that stands."""
    params = median_mechanism.Params(
        epsilon=30.0, cells=2, rows=16, total=1000.0, k=5, eta=eta, beta=0.1
    )
    compared, _ = params.accuracy()
    worst = 0.0
    for share in np.linspace(0, 1, 501):
        data = np.array([share, 1 - share]) * 1000
        mechanism = median_mechanism.InteractiveMedian(
            data, params, Worst(compared, params.positives)
        )
        if not mechanism._online.threshold.above(abs(0.5 - share)):
            worst = max(worst, abs(0.5 - share) * 1000)
    bound = median_mechanism.error_bound(params)
    assert bound < 500  # so that something could be seen
    assert worst <= bound <= worst + 2.0  # data in steps of two people


@second("papers.fat_shattering.threshold_learner.error_bound")
@pytest.mark.parametrize("beta", [0.1, 1e-6])
def test_a_rule_s_choice_and_its_sample_have_half_of_beta_each(beta):
    """The choice: all rules but one as bad as may be, odds beta / 2. The sample: a union of exact
    coin exponents over 2 R, met twice: once for the chosen rule and once for the best."""
    cells = 9
    quiet = threshold_learner.Params(epsilon=1e12, cells=cells, beta=beta)
    each = threshold_learner.error_bound(quiet, n=10**8) / 2
    union = 2 * (cells + 1) * math.exp(-(10**8) * coin_exponent(each))
    assert union == pytest.approx(beta / 2, rel=1e-3)
    loud = threshold_learner.Params(epsilon=1e-6, cells=cells, beta=beta)
    mistakes = threshold_learner.error_bound(loud, n=10**4) * 10**4
    odds = failing(mistakes, cells, 1e-6)
    # the sample's part is 10^-5 of it
    assert odds / (1 - odds) == pytest.approx(beta / 2 * cells / (cells + 1), rel=2e-3)


@second("papers.fat_shattering.regression_learner.error_bound")
@pytest.mark.parametrize("beta", [0.1, 1e-6])
def test_a_fit_pays_four_times_for_its_queries(beta):
    """The loss is f^2 on label 0 and f^2 - 2 f on label 1 (and a constant): brute force over all
    rising functions on a grid finds loss differences of twice the largest query difference, and
    never more. The sample: a union of coins over 2 k corners; the release has half of beta."""
    cells, rng, worst = 3, np.random.default_rng(0), 0.0
    queries = regression_learner._loss_queries(cells)
    corners = {tuple(row) for row in np.vstack([
        np.hstack([rising, other]) for t in range(cells + 1)
        for rising, other in (
            ((np.arange(cells) >= t) * 1.0, np.zeros(cells)),
            (np.zeros(cells), (np.arange(cells) >= t) * 1.0),
        )
    ])}  # fmt: skip
    assert corners == {tuple(row) for row in queries}
    grid = np.linspace(0, 1, 5)
    functions = [f for f in itertools.product(grid, repeat=cells) if list(f) == sorted(f)]
    shifted = [np.array([0.1, 0.0, 0.0, -0.1, 0.0, 0.0])]  # labels change in one cell
    for change in (*shifted, *rng.uniform(-1, 1, (200, 6))):
        balanced = change - change.mean()
        most = np.abs(queries @ balanced).max()
        for f in map(np.array, functions):
            loss = balanced[:3] @ f**2 + balanced[3:] @ (f**2 - 2 * f)
            worst = max(worst, abs(loss) / most)
            assert abs(loss) <= 2 * most + 1e-12
    assert worst == pytest.approx(2)
    n = 10**8
    params = regression_learner.Params(epsilon=1e12, cells=cells, rows=12, beta=beta)
    released = net_mechanism.error_bound(
        net_mechanism.Params(epsilon=1e12, rows=12, total=float(n), beta=beta / 2), queries=queries
    )
    sampled = regression_learner.error_bound(params, n=n) / 4 - released / n
    union = 2 * len(corners) * math.exp(-n * coin_exponent(sampled))
    assert union == pytest.approx(beta / 2, rel=1e-3)
    loud = regression_learner.Params(epsilon=1e-12, cells=cells, rows=2, beta=beta)
    odds = failing(regression_learner.error_bound(loud, n=n) / 4 * n, 20, 1e-12)
    assert odds / (1 - odds) == pytest.approx(beta / 2 * 20 / 21, rel=1e-3)


@second("papers.fat_shattering.reconstruction.reconstruction_bound")
def test_an_attack_can_be_wrong_by_its_whole_bound():
    """Two low and two high levels, nearly gamma apart; the truth holds the high ones. Answers are
    moved by the error: against the truth and for another set. From the error at which the
    wrong set wins the bound is the number of cells that differ, within a percent."""
    gamma = 0.2
    queries = reconstruction.shattering_class([0.401, 0.401, 0.6, 0.6], gamma)
    attack = reconstruction.bucket_attack(queries, dimension.shatter(queries, gamma))
    sets = attack.databases
    truth = next(i for i, row in enumerate(sets) if row.tolist() == [False, False, True, True])
    for wrong in range(len(sets)):
        differing = int((sets[wrong] ^ sets[truth]).sum())
        if not differing:
            continue

        def guesses(error, wrong=wrong):
            answers = queries @ sets[truth] * 1.0
            answers[attack.witness_queries[wrong]] += error
            answers[attack.witness_queries[truth]] -= error
            return attack.guess(answers) != truth

        least = optimize.bisect(lambda e: guesses(e) - 0.5, 0.0, 2.0, xtol=1e-12)
        assert differing <= reconstruction.reconstruction_bound(least, gamma) * (1 + 1e-9)
        if differing == 4:
            assert reconstruction.reconstruction_bound(least, gamma) == pytest.approx(4, rel=0.01)


@second(
    "papers.fat_shattering.lower_bounds.lower_bound",
    "papers.fat_shattering.lower_bounds.lower_bound_pairs",
)
@pytest.mark.parametrize(
    ("epsilon", "beta", "copies"), [(0.1, 0.1, 1), (0.5, 0.3, 1), (0.05, 0.1, 3)]
)
def test_a_lower_bound_is_the_error_at_which_the_argument_ends(epsilon, beta, copies):
    """The least error at which the chances on T and on its neighbour are possible: found by
    counting, not by solving. Sizes as whole fractions of people; steps of 1e-5 in the error."""
    gamma, d = 0.25, 60
    errors = np.arange(0, gamma * d, 1e-4)

    missed = 4 * errors / gamma / 2  # of d / 2 people, when 2 N cells differ
    found_on_t = (1 - beta) * np.maximum(0, 1 - missed / (d / 2))
    others = d - (d // 2 - 1)  # places where the one who left may have stood
    found_off = (missed + 1) / others
    possible = found_on_t <= math.exp(epsilon * copies) * found_off
    least = copies * float(errors[possible][0])
    found = lower_bounds.lower_bound(gamma, d, epsilon=epsilon, beta=beta, copies=copies)
    assert least - copies * 1e-4 <= found <= least
    pairs = 30
    differ = 2 * errors / gamma  # pairs in which the set that is found differs at most
    on_t = (1 - beta) * np.maximum(0, 1 - differ / pairs)
    possible = on_t <= math.exp(2 * epsilon * copies) * (differ + 1) / pairs
    least = copies * float(errors[possible][0])
    found = lower_bounds.lower_bound_pairs(gamma, pairs, epsilon=epsilon, beta=beta, copies=copies)
    assert least - copies * 1e-4 <= found <= least
    assert least > 0.1  # so that something is said


@second("papers.fat_shattering.lower_bounds.lower_bound_points")
@pytest.mark.parametrize(("cells", "epsilon"), [(10**6, 0.1), (50, 0.02), (10, 0.001)])
def test_point_queries_need_a_logarithm_of_the_cells(cells, epsilon):
    """People are counted up until the events no longer fit beside each other; below half of the
    last number the error is impossible. Solving without rounding gives away half a person."""
    people = 0
    while cells * (1 - 0.05) * math.exp(-epsilon * people) > 1:
        people += 1
    impossible = (people - 1) / 2  # errors below it
    found = lower_bounds.lower_bound_points(cells, epsilon=epsilon, beta=0.05)
    assert impossible - 0.5 <= found <= impossible + 1e-9


def test_an_exact_table_is_exact_but_for_beta():
    """Rounded Laplace noise of scale 1 / epsilon in each cell: the union of exact tails is beta."""
    for cells, beta in ((1, 0.1), (50, 1e-3)):
        epsilon = lower_bounds.exact_epsilon(cells, beta=beta)
        assert cells * laplace_tail(np.array([1 / epsilon]), 0.5) == pytest.approx(beta, rel=1e-9)


@second("papers.fat_shattering.smooth_functions.lower_bound_peaks")
@pytest.mark.parametrize(("epsilon", "delta", "group"), [(1.0, 0.0, 1), (0.2, 1e-3, 4)])
def test_peaks_that_are_told_apart_tell_where_records_are(epsilon, delta, group):
    """The error at which guessing fails first, by counting, for cells that are drawn and measured.

    The best private guess of a bit is found by a linear program over a mechanism with two outputs
    whose neighbours are chained through the group; heights of peaks by differences on a grid.
    """
    n, beta, d, smoothness = 24 * group, 0.05, 1, 2
    # the best guess: outputs' chances along databases with 0, ..., group records moved
    steps, step = group + 1, math.exp(epsilon)
    rows, limits = [], []
    for i in range(group):
        for here, there in ((i, i + 1), (i + 1, i)):
            for sign in (1, -1):  # the event "one", and the event "zero"
                row = np.zeros(steps)
                row[here], row[there] = sign, -sign * step
                rows.append(row)
                limits.append(delta if sign > 0 else delta + step - 1)
    goal = np.zeros(steps)
    goal[0], goal[-1] = 1 / 2, -1 / 2  # guess right at both ends, each with chance 1/2
    best = optimize.linprog(goal, rows, limits, bounds=[(0, 1)] * steps)
    guessed = 1 / 2 - best.fun
    # the largest derivative up to the second of 48 peaks side by side, the height that it allows
    x = np.linspace(-1, 1, 96_001)
    place = (x + 1) * 24 % 1 * 2 - 1
    row = (1 - place**2) ** 3
    first = np.gradient(row, x)
    largest = max(np.abs(row).max(), np.abs(first).max(), np.abs(np.gradient(first, x)).max())
    height = 1 / largest
    errors = np.linspace(0, height, 100_001)
    possible = (1 - beta) * (1 - errors / height) <= guessed
    found = smooth_functions.lower_bound_peaks(
        n, d=d, smoothness=smoothness, group=group, epsilon=epsilon, delta=delta, beta=beta
    )
    # the chain's guess is at most what group privacy allows, and for one record just as much
    assert found <= errors[possible][0] * (1 + 1e-3)
    assert errors[possible][0] <= found * (1.001 if group == 1 else 1.8)


@second("papers.fat_shattering.smooth_functions.lower_bound_one")
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.1, 1e-4), (0.02, 0.0)])
def test_one_query_needs_an_error_that_hides_a_few_records(epsilon, delta):
    """Records are moved one by one: the chance that the same answer is right, step by step."""
    beta, n = 0.05, 1000
    wrong, moved = beta, 0
    while True:
        after = math.exp(epsilon) * wrong + delta
        if 1 - beta <= after:
            break
        wrong, moved = after, moved + 1
    found = smooth_functions.lower_bound_one(n, epsilon=epsilon, delta=delta, beta=beta)
    assert found == pytest.approx(moved / n)


@second("papers.fat_shattering.smooth_functions.lower_bound")
def test_the_lower_bound_is_the_best_of_all_groups_and_of_one_query():
    """Every group by itself: at most 10 percent better than those that are tried."""
    for n, epsilon, d, smoothness in ((300, 0.1, 2, 1), (300, 1.0, 1, 1), (50, 0.5, 1, 3)):
        budget = {"epsilon": epsilon, "delta": 1e-6}
        where = {"d": d, "smoothness": smoothness}
        every = [
            smooth_functions.lower_bound_peaks(n, group=g, **where, **budget)
            for g in range(1, n + 1)
        ]
        best = max(*every, smooth_functions.lower_bound_one(n, **budget))
        found = smooth_functions.lower_bound(n, **where, **budget)
        assert best / 1.1 <= found <= best
