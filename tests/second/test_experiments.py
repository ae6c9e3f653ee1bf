"""What experiments and the audit state as proved: baselines, the calculator, bounds of a share."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.spatial import cKDTree

from dpviz.audit import auditor
from dpviz.comparison.calculator import smallest_epsilon, smallest_n
from dpviz.comparison.mechanisms import cluster, linear, noise, smooth
from dpviz.comparison.mechanisms.kinds import KINDS
from dpviz.comparison.mechanisms.task import Task
from dpviz.papers.distance_queries.releases import average_sign, haar_wavelet
from dpviz.papers.small_cluster import radius_then_center
from dpviz.papers.smooth_queries import bounds, functional_mechanism
from second import second
from second.exact import coin_exponent, failing, gaussian_unit, laplace_chernoff, normal_tail

ROOMS = (
    "comparison",
    "experiments",
    "lessons.learner.experiments",
    "lessons.distance.experiments",
    "lessons.embedding.experiments",
    "lessons.sparse.experiments",
    "lessons.smooth.experiments",
    "lessons.cluster.experiments",
    "lessons.fat_shattering.experiments",
    "audit",
    "sweeps",
)
WITHOUT = {
    "experiments.plan": "a plan of time and memory; it states no bound of an error",
    "comparison.guide.quantile": "a quantile of stored trials, measured and not proved",
    "lessons.distance.experiments.bounds": "bounds of the l1 mechanism; derived in their room",
    "lessons.distance.experiments.bound_terms": "terms of curves' bounds; derived in their room",
    "comparison.mechanisms.smooth._moments": "runs the summary of moments; it bounds nothing",
    "sweeps.sweep.Sweep.quantile": "a quantile of stored trials, measured and not proved",
}


def all_below(task, law):
    """The least t that k independent noises pass together with probability beta: exact."""
    k, n = task.k, task.n
    if law == "laplace":
        scale, tail = k / n / task.epsilon, lambda t: math.exp(-t)
    else:
        scale, tail = math.sqrt(k) / n * gaussian_unit(task.epsilon, task.delta), normal_tail
    passed = lambda t: -math.expm1(k * math.log1p(-tail(t))) - task.beta  # noqa: E731
    return scale * optimize.brentq(passed, 1e-6, 38)


@second(
    "comparison.mechanisms.noise.bounds",
    "comparison.mechanisms.noise.error_bound",
    "comparison.mechanisms.task.Mechanism.error_bound",
)
@pytest.mark.parametrize(("k", "beta"), [(1, 0.05), (7, 0.5), (1000, 1e-4)])
def test_noise_on_each_answer_passes_its_bound_with_beta_exactly(k, beta):
    """k independent noises of the true scales, which replace one record by all answers at once;
    all are below a root with probability 1 - beta. Each kind of query hands on the smaller."""
    task = Task(n=500, d=1, k=k, epsilon=0.8, delta=1e-6, beta=beta)
    exact = [all_below(task, law) for law in ("laplace", "gaussian")]
    assert noise.bounds(task) == pytest.approx(exact, rel=1e-6)
    assert noise.error_bound(task) == pytest.approx(min(exact), rel=1e-6)
    for kind in ("sparse", "smooth", "linear"):
        mechanism = KINDS[kind].mechanism("noise")
        assert mechanism.error_bound(task) == pytest.approx(min(exact), rel=1e-6)
    pure = replace(task, delta=0.0)
    assert noise.error_bound(pure) == pytest.approx(exact[0], rel=1e-6)
    assert KINDS["sparse"].mechanism("mwem").error_bound(task) == math.inf


@second("comparison.mechanisms.distance.release_bound")
@pytest.mark.parametrize(
    ("n", "d", "epsilon", "pure"), [(300, 1, 20.0, True), (3000, 5, 0.1, False)]
)
def test_the_release_that_runs_is_the_one_whose_bound_is_said(n, d, epsilon, pure):
    """200 runs: exceedances as by a binomial of beta (alarm 1e-6); and the bound is at most six
    times the quantile (it holds for a thousand questions of any places, these are 40). Which of
    both it is shows in the ledger: a pure one spends no delta."""
    task = Task(n=n, d=d, k=40, epsilon=epsilon, beta=0.1)
    kind, mechanism = KINDS["distance"], KINDS["distance"].mechanism("release")
    rng = np.random.default_rng(0)
    instance = kind.draw(task, rng)
    errors = np.array([mechanism.outcome(task, instance, rng=rng).error for _ in range(200)])
    bound = mechanism.error_bound(task)
    assert (errors > bound).sum() <= stats.binom.isf(1e-6, 200, 0.1)
    assert bound <= 6 * np.quantile(errors, 0.9)
    assert (mechanism.spends(task)[1] == 0) == pure
    one, other = mechanism.params(task)
    mine = haar_wavelet.error_bound(one, k=40) if pure else average_sign.error_bound(other, k=40)
    assert bound == pytest.approx(mine / d)


@second("comparison.mechanisms.linear._histogram_bound", "comparison.mechanisms.linear._net_bound")
@pytest.mark.parametrize("beta", [0.05, 1e-6])
def test_histogram_and_net_say_their_errors_as_shares_of_the_records(beta):
    """Cells move by two when a record is replaced: Chernoff's inequality at the bound gives beta
    (2 percent for the grid of 99 values). The net: the best of all its databases by listing, and
    the exact odds of a bad one."""
    task = Task(n=2000, d=2, k=15, epsilon=0.7, beta=beta)
    bound = KINDS["linear"].mechanism("histogram").error_bound(task) * 2000
    chance = 2 * 15 * laplace_chernoff(np.full(4, 2 / 0.7), bound)
    assert 0.98 * beta <= chance <= beta
    rows = linear.net(task).rows
    bars = np.array(list(itertools.combinations(range(rows + 3), 3)))  # between the four cells
    small = np.diff(bars, axis=1, prepend=-1, append=rows + 3) - 1
    loss = KINDS["linear"].mechanism("net").error_bound(task) - linear.approximation(2, 15, rows)
    odds = failing(loss * 2000, len(small) - 1, 0.7)
    assert odds / (1 - odds) == pytest.approx(beta * (len(small) - 1) / len(small), rel=1e-6)
    shares = np.random.default_rng(0).dirichlet(np.full(4, 0.5), 300) @ linear.sets(2, 15).T
    listed = small / rows @ linear.sets(2, 15).T
    best = cKDTree(listed).query(shares, p=np.inf)[0].max()
    assert best <= linear.approximation(2, 15, rows) <= 1.5 * best


@second(
    "comparison.mechanisms.smooth._moments_bound",
    "comparison.mechanisms.smooth._functional_bound",
)
def test_kernels_bounds_are_the_largest_over_the_questions():
    """200 runs at beta = 0.1 each, judged by an exact binomial (alarm 1e-6). The
    kernel curve: at the worst question its noise has a Gaussian tail of beta / k."""
    task = Task(n=3000, d=1, k=25, epsilon=1.0, beta=0.1)
    kind, rng = KINDS["smooth"], np.random.default_rng(1)
    instance = kind.draw(task, rng)
    for key, times in (("paper", 8), ("truncation", 4), ("functional", 2)):
        mechanism = kind.mechanism(key)
        errors = np.array([mechanism.outcome(task, instance, rng=rng).error for _ in range(200)])
        bound = mechanism.error_bound(task)
        assert (errors > bound).sum() <= stats.binom.isf(1e-6, 200, 0.1)
        assert bound <= times * np.quantile(errors, 0.9), key
    queries = smooth.kernels(1, 25)
    singly = functional_mechanism.error_bound(
        smooth.functional(task), n=3000, queries=queries.centres
    )
    assert bound == max(singly.tolist()) > min(singly.tolist())  # the worst of all questions
    singly = bounds.error_bound_kernels(smooth.truncated(task), n=3000, queries=queries)
    found = kind.mechanism("truncation").error_bound(task)
    assert found == max(singly.tolist()) > min(singly.tolist())
    move = math.sqrt(2 - 2 * math.exp(-2 / smooth.WIDTH**2)) / 3000
    sd = move * gaussian_unit(1.0, 1e-6)
    noise_part = optimize.brentq(lambda x: normal_tail(x / sd) * 25 - 0.1, 0, 1)
    # twelve nodes: interpolation is off by 4 percent of the noise here, and never helps
    assert noise_part * (1 - 1e-3) <= bound <= 1.04 * noise_part


@second("comparison.mechanisms.cluster._radius_bound")
@pytest.mark.parametrize("d", [1, 3])
def test_a_cluster_s_radius_is_a_share_of_the_way_to_the_farthest_corner(d):
    """And nothing is said where the theorem may lose more than a tenth of t: the ball must hold
    nine tenths. Both sides of that are looked at."""
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=d)))
    reach = np.linalg.norm(corners - 0.5, axis=1).max()
    mechanism, seen = KINDS["cluster"].mechanism("theorem"), set()
    for n, epsilon in itertools.product((10_000, 10**6), (1.0, 20.0, 200.0)):
        task = Task(n=n, d=d, k=1, epsilon=epsilon)
        params = radius_then_center.Params(
            t=n // 4, d=d, epsilon=epsilon, delta=1e-6, beta=0.05, lower=0.0, upper=1.0
        )
        kept = params.t - radius_then_center.error_bound(params, n=n) >= 0.9 * params.t
        seen.add(kept)
        radius = radius_then_center.error_bound_radius(params, n=n, least=cluster.SPREAD)
        expected = radius / reach if kept else math.inf
        assert mechanism.error_bound(task) == pytest.approx(expected)
    assert seen == {True, False}


@pytest.mark.parametrize("alpha", [0.05, 0.003])
def test_the_smallest_n_of_noise_is_found_by_counting_up(alpha):
    """All n from 1 on against the root of the exact law: the calculator is at most a thousandth
    and one above the least, and never below it."""
    for task in (Task(n=1, d=3, k=30), Task(n=1, d=3, k=3, delta=0.0, beta=0.01)):
        laws = ("laplace", "gaussian") if task.delta else ("laplace",)
        unit = min(all_below(task, law) for law in laws)  # bounds fall as 1 / n
        sizes = np.arange(1, 10**6)
        least = int(sizes[unit / sizes <= alpha][0])
        found = smallest_n(task, kind="linear", mechanism="noise", alpha=alpha)
        assert least <= found <= least * 1.001 + 1


def test_the_smallest_n_of_a_histogram_is_found_by_counting_up():
    """Chernoff's inequality at alpha n, n by n. The grid of the package costs a half percent."""
    task = Task(n=1, d=2, k=10, epsilon=2.0)
    weights, least = np.full(4, 2 / 2.0), 1
    while 2 * 10 * laplace_chernoff(weights, 0.05 * least) > task.beta:
        least += 1
    found = smallest_n(task, kind="linear", mechanism="histogram", alpha=0.05)
    assert least <= found <= least * 1.006 + 1


@pytest.mark.parametrize("key", ["noise", "histogram"])
def test_the_smallest_epsilon_is_found_by_counting_up(key):
    """A grid of epsilons, each a ten-thousandth above the last, against the exact laws."""
    task, alpha = Task(n=569, d=2, k=12, delta=0.0), 0.05
    epsilons = np.exp(np.arange(0, 20_000) * 2e-4 + math.log(0.05))
    unit = replace(task, epsilon=1.0)  # both laws fall as 1 / epsilon
    if key == "noise":
        at_1 = all_below(unit, "laplace")
    else:
        at_1 = (
            optimize.brentq(
                lambda x: 2 * 12 * laplace_chernoff(np.full(4, 2.0), x) - task.beta, 1, 1e4
            )
            / 569
        )
    least = float(epsilons[at_1 / epsilons <= alpha][0])
    found = smallest_epsilon(task, kind="linear", mechanism=key, alpha=alpha)
    assert least * (1 - 3e-4) <= found <= least * 1.006


@second("audit.auditor._bounds")
@pytest.mark.parametrize(("ones", "zeros"), [(500, 0), (40, 3), (1000, 1)])
def test_an_audit_s_bound_has_exact_binomial_tails_on_both_sides(ones, zeros):
    """The shares at which so many, or so few, positives have probability alpha: by summing the
    binomial law in logarithms and looking for the root."""
    n, alpha, delta = 1000, 0.005, 1e-3
    count = np.arange(n + 1)
    logs = np.array([math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
                     for i in count])  # fmt: skip

    def law(p):
        return np.exp(logs + count * math.log(p) + (n - count) * math.log1p(-p))

    low = optimize.brentq(lambda p: law(p)[ones:].sum() - alpha, 1e-9, 1 - 1e-9)
    high = optimize.brentq(lambda p: law(p)[: zeros + 1].sum() - alpha, 1e-9, 1 - 1e-9)
    found = float(auditor._bounds(ones, zeros, n, delta=delta, alpha=alpha))
    assert found == pytest.approx(math.log((low - delta) / high), rel=1e-6)


def test_the_smallest_share_that_an_audit_sees_is_found_by_counting_up():
    n, alpha, delta = 400, 0.005, 1e-2
    seen = [k for k in range(n + 1) if auditor._bounds(k, 0, n, delta=delta, alpha=alpha) > 0]
    assert auditor._smallest(n, delta=delta, alpha=alpha) == seen[0] / n
    # as many as that with no hit on the other side: its share is below, with exact tails
    k = seen[0]
    low = optimize.brentq(lambda p: stats.binom.sf(k - 1, n, p) - alpha, 1e-9, 1 - 1e-9)
    high = -math.expm1(math.log(alpha) / n)
    assert low - delta > high


def test_the_exponent_of_a_coin_is_below_hoeffding_s_nowhere():
    """The helper that stands for Hoeffding's inequality in these files: its exponent is larger, and
    the same for a small share."""
    for share in (1e-4, 0.01, 0.3):
        assert coin_exponent(share) >= 2 * share**2 * (1 - 1e-6)
    assert coin_exponent(1e-3) == pytest.approx(2e-6, rel=1e-5)
