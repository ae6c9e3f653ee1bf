"""Sparse queries: every proved bound a second time, from its proof."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize

from dpviz.papers.sparse_queries import (
    baselines,
    count_sketch,
    hashed_histogram,
    plan,
    sparse_multiplicative_weights,
)
from dpviz.papers.sparse_queries.queries import Batch, Query
from dpviz.privacy.curator import Curator
from second import laws, second

ROOMS = ("papers.sparse_queries",)


@second("papers.sparse_queries.baselines.error_bound_lazy_histogram")
@pytest.mark.parametrize(("m", "k", "loose"), [(1, 1000, 1.4), (100, 1000, 1.2), (2000, 1, 1.42)])
@pytest.mark.parametrize("beta", [0.05, 0.9])
def test_a_lazy_histogram_errs_by_a_sum_of_m_laplace_variables(m, k, beta, loose):
    """The chances that Chernoff grants to 2 k events are beta; the exact quantile is near.

    ``loose``: Chernoff's inequality against an exact tail, most for one query and a large beta.
    """
    n, epsilon = 1000, 0.5
    params = plan.Params(epsilon=epsilon, m=m, k=k, beta=beta)
    bound = baselines.error_bound_lazy_histogram(params, n=n) * n
    entries = np.full(m, 2 / epsilon)
    assert 0.98 * beta <= 2 * k * laws.chernoff_tail(entries, bound, "laplace") <= beta * (1 + 1e-6)
    exact = laws.quantile(entries, beta / k, "laplace")
    assert exact <= bound
    if beta < 0.1:
        assert bound <= loose * exact


def test_names_of_a_lazy_histogram_have_that_noise():
    """100,000 names nobody has: the scale read off their tail."""
    names, epsilon = range(10**5), 0.5
    params = plan.Params(epsilon=epsilon, m=1, k=1)
    public = {"params": params, "curator": params.curator(rng=1), "vocabulary": names}
    noise = np.abs(baselines.InteractiveLazyHistogram(["x"], **public)._counts(names))
    for x in (2.0, 8.0):
        exact = laws.tail(np.array([2 / epsilon]), x, "laplace")
        assert np.mean(noise > x) == pytest.approx(exact, abs=laws.spread(exact, len(noise)))


@second("papers.sparse_queries.baselines.error_bound_adaptive")
@pytest.mark.parametrize(("m", "touched"), [(1, 1), (1, 10**5), (7, 300)])
def test_adaptive_queries_meet_the_largest_of_all_noises(m, touched):
    """Where none of the names passes a level, no sum of m of them passes m levels."""
    beta, epsilon, n = 0.05, 0.5, 100
    params = plan.Params(epsilon=epsilon, m=m, k=1, beta=beta)
    level = baselines.error_bound_adaptive(params, n=n, touched=touched) * n / m
    one = laws.tail(np.array([2 / epsilon]), level, "laplace")
    assert 0.97 * beta <= -math.expm1(touched * math.log1p(-one)) <= beta * (1 + 1e-12)


@second("papers.sparse_queries.baselines.error_bound_gaussian")
@pytest.mark.parametrize("k", [1, 1000])
def test_gaussian_noise_on_each_query(k):
    """The scale is what the release draws; exact tail: within 1.4 for one query, 1.15 for many."""
    params = plan.Params(epsilon=1.0, delta=1e-6, m=1, k=k, beta=0.05)
    data, probe = ["x"] * 50 + ["y"] * 50, laws.Probe()
    baselines.release_gaussian(data, params, probe, queries=[Query(["x"])] * k)
    bound = baselines.error_bound_gaussian(params, n=100)
    weights = np.array([probe.scale])
    share = 2 * k * laws.chernoff_tail(weights, bound, "gaussian")
    assert share == pytest.approx(params.beta, rel=1e-3)
    exact = laws.largest(params.beta, k, "gaussian") * probe.scale
    assert exact <= bound <= exact * (1.4 if k == 1 else 1.15)


@second("papers.sparse_queries.count_sketch.noise")
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("rows", [1, 3])
def test_noise_of_a_sketch_is_that_of_its_largest_move(rows, delta):
    """All that a replaced record can do to a row: one sign leaves a bucket, one enters another.

    A row of the other sign in the same bucket moves most; all rows can do so at once.
    """
    size = 3
    entries = [sign * np.eye(size)[place] for place in range(size) for sign in (1, -1)]
    norm = 2 if delta else 1
    moves = [np.linalg.norm(one - other, norm) for one in entries for other in entries]
    largest = np.linalg.norm([max(moves)] * rows, norm)
    epsilon = 0.7
    unit = laws.gaussian_unit(epsilon, delta) if delta else math.sqrt(2) / epsilon
    how = {"epsilon": epsilon, "delta": delta, "size": size, "rows": rows, "rng": 0}
    params, probe = count_sketch.Params.draw(**how), laws.Probe()
    assert count_sketch.noise(params) == pytest.approx(largest * unit, rel=1e-8)
    count_sketch.release(["a"] * 9, params, probe)
    drawn = probe.scale * (1 if delta else math.sqrt(2))
    assert count_sketch.noise(params) == pytest.approx(drawn, rel=1e-8)


QUERIES = [Query({"a": 1, "b": 0.5, "c": 0.25}), Query(["a", "d"]), Query(["c"])]
RECORDS = ["a"] * 30 + ["b"] * 20 + ["e"] * 50


@second(
    "papers.sparse_queries.hashed_histogram.noise_bound",
    "papers.sparse_queries.hashed_histogram.error_bound",
)
@pytest.mark.parametrize("size", [2, 3, 40])
@pytest.mark.parametrize("beta", [0.05, 0.9])
def test_noise_of_a_hashed_histogram(size, beta):
    """Impulses in every bucket give each answer's weights, solved for Q(D) and all.

    Two sides of k queries have beta / 2; the worst of them attains its share, beta / (4 k). What
    collisions add is taken off, with the same division by 1 - 1 / s.
    """
    public = {"epsilon": 1.0, "m": 3, "k": 3, "size": size, "beta": beta}
    params = hashed_histogram.Params.draw(**public, rng=4)
    n, batch = len(RECORDS), Batch(QUERIES)
    weights, law = laws.response(lambda probe: answers(params, probe), 1e-4)
    collisions = hashed_histogram.collision_bound(params, n, batch) / (1 - 1 / size)
    level = hashed_histogram.error_bound(params, n=n, queries=QUERIES) - collisions
    tails = [laws.chernoff_tail(row, level, law) for row in weights]
    assert 0.97 * beta / 12 <= max(tails) and 2 * sum(tails) <= beta / 2
    alone = hashed_histogram.noise_bound(params, n, batch) / (1 - 1 / size)
    assert alone == pytest.approx(level, rel=1e-9)
    assert max(laws.quantile(row, beta / 6, law) for row in weights) <= level


def answers(params, probe):
    """What a hashed histogram answers, before that is clipped to what is possible."""
    release = hashed_histogram.release(RECORDS, params, probe)
    return hashed_histogram._solved(
        hashed_histogram._loads(Batch(QUERIES), params), Batch(QUERIES), release.counts / release.n
    )


@second("papers.sparse_queries.hashed_histogram.collision_bound")
def test_collisions_by_all_functions_of_five_names():
    """E C over all 5^5 functions; Markov's inequality for k queries makes it beta / 2.

    All records lie outside the query, so that the mean W / s is attained.
    """
    s, names = 5, ["a", "b", "p", "q", "r"]
    query, share = {"a": 1.0, "b": 0.5}, {"p": 0.5, "q": 0.25, "r": 0.25}
    values = []
    for buckets in itertools.product(range(s), repeat=len(names)):
        h = dict(zip(names, buckets, strict=True))
        values.append(
            sum(q * d for x, q in query.items() for y, d in share.items() if h[x] == h[y])
        )
    mean, values = np.mean(values), np.array(values)
    for k, beta in ((1, 0.9), (4, 0.9), (4, 0.05)):
        public = {"epsilon": 1.0, "m": 2, "k": k, "size": s, "beta": beta}
        params = hashed_histogram.Params.draw(**public, rng=0)
        bound = hashed_histogram.collision_bound(params, 1000, Batch([Query(query)] * k))
        assert k * mean / bound == pytest.approx(beta / 2)
        assert k * np.mean(np.abs(values - mean) > bound) <= beta / 2


@second("papers.sparse_queries.hashed_histogram.collision_bound")
@pytest.mark.parametrize(("n", "widths"), [(60, [1, 1]), (40, [3, 5])])
def test_from_how_many_buckets_on_no_two_names_meet(n, widths):
    """The least such s leaves beta / 2 for all pairs, of n + m names and the query's; at most.

    The pairs are counted one by one; records under m query names at the most are pairs of the
    query itself, counted twice: the rule is at most (m + 1) / (2 n) above the count.
    """
    beta = 0.4
    queries = [Query([f"{i} {j}" for j in range(w)]) for i, w in enumerate(widths)]
    records = [f"record {i}" for i in range(n)]
    pairs = sum(
        len(list(itertools.combinations(query.names, 2))) + len(query) * n for query in queries
    )

    def safe(size):
        public = {"epsilon": 1.0, "m": max(widths), "k": len(widths), "size": size, "beta": beta}
        params = hashed_histogram.Params.draw(**public, rng=0)
        mass = max(widths)
        return hashed_histogram.collision_bound(params, n, Batch(queries)) == mass / size

    size = next(s for s in itertools.count(2) if safe(s))
    most = 1 + (max(widths) + 1) / (2 * n)
    assert beta / 2 / most - 0.01 <= pairs / size <= beta / 2
    # 400 hash functions of the package: names that meet, within five standard deviations
    public = {"epsilon": 1.0, "m": max(widths), "k": len(widths), "size": size, "beta": beta}
    meetings = 0
    for seed in range(400):
        params = hashed_histogram.Params.draw(**public, rng=seed)
        used = {
            name: hashed_histogram._bucket(name, params)
            for query in queries
            for name in query.names
        }
        others = {hashed_histogram._bucket(name, params) for name in records}
        meetings += any(
            used[name] in others or list(map(used.get, query.names)).count(used[name]) > 1
            for query in queries
            for name in query.names
        )
    assert meetings / 400 <= beta / 2 + laws.spread(beta / 2, 400)


def test_without_a_meeting_the_mean_is_what_is_left():
    """Nobody has the query's names: the answer is off by just W / s / (1 - 1 / s)."""
    public = {"epsilon": 1.0, "m": 2, "k": 1, "size": 10**4, "beta": 0.9}
    params = hashed_histogram.Params.draw(**public, rng=0)
    batch = Batch([Query({"u": 1.0, "v": 0.5})])
    sums = hashed_histogram.statistic(["a"] * 10, params)
    counts = sums.value(hashed_histogram.BUCKETS, (10**4,)) / 10
    gap = -hashed_histogram._solved(hashed_histogram._loads(batch, params), batch, counts)[0]
    limit = hashed_histogram.collision_bound(params, 10, batch) / (1 - 1 / params.size)
    assert gap == pytest.approx(limit, rel=1e-9)


def noises(params, n, composition, share, c):
    """Test and answer errors of ``plan.noise``, as the exact quantiles of what would be drawn."""
    _, _, test, measure = plan._noise(params, n, composition, share, c)
    budget = {"epsilon": 1e9, "rng": 0}
    method = "once" if composition == "basic" else "fresh"
    threshold = Curator(**budget).above_threshold(
        0.5, sensitivity=1 / n, epsilon=test, positives=c, method=method, label="gap"
    )
    drawn = 1 if method == "once" else c
    third = params.beta / 3
    error = threshold.threshold_scale * laws.largest(third, drawn, "laplace")
    error += threshold.value_scale * laws.largest(third, params.k, "laplace")
    probe = laws.Probe()
    if composition == "basic":
        probe.laplace(0.0, sensitivity=1 / n, epsilon=measure, label="")
    else:
        probe.gaussian(0.0, sensitivity=1 / n, rho=measure, label="")
    return error, probe.scale * laws.largest(third, c, probe.law), test, measure, probe


CASES = [("basic", 1, 1000), ("basic", 40, 10), ("zcdp", 1, 1), ("zcdp", 60, 1000)]


@second("papers.sparse_queries.plan._noise")
@pytest.mark.parametrize(("composition", "c", "k"), CASES)
@pytest.mark.parametrize("beta", [0.05, 0.9])
def test_noise_of_the_test_and_of_the_measurements(composition, c, k, beta):
    """Unions of independent events: exact to a share of beta / 6 in the logarithm.

    Gaussian measurements by Chernoff: their 2 c tails are granted beta / 3 in all.
    """
    params = plan.Params(epsilon=1.0, delta=1e-6, m=1, k=k, beta=beta)
    test_error, answer_error, *_ = plan._noise(params, 100, composition, 0.3, c)
    test, answer, epsilon, measure, probe = noises(params, 100, composition, 0.3, c)
    rest = 1 + beta / 4 / math.log(3 / beta)
    assert test * (1 - 1e-9) <= test_error <= rest * test
    if composition == "basic":
        assert answer * (1 - 1e-9) <= answer_error <= rest * answer
        assert epsilon + c * measure == pytest.approx(params.epsilon)
    else:
        share = 2 * c * laws.chernoff_tail(np.array([probe.scale]), answer_error, "gaussian")
        assert answer <= answer_error and share == pytest.approx(beta / 3, rel=1e-3)
        payer = Curator(epsilon=1.0, delta=1e-6, rng=0).sub_curator_zcdp(
            epsilon=1.0, delta=1e-6, label="all"
        )
        assert c * (epsilon**2 / 2 + measure) == pytest.approx(payer.budget.rho)


@second("papers.sparse_queries.plan.plan", "papers.sparse_queries.plan.error_bound")
@pytest.mark.parametrize("composition", ["basic", "zcdp"])
@pytest.mark.parametrize("rule", ["projection", "paper"])
@pytest.mark.parametrize(("k", "m"), [(1000, 10), (3, 1)])
def test_a_plan_keeps_its_promise(composition, rule, k, m):
    """Each step with exact noises: updates certify alpha and suffice, guesses stand if near."""
    public = {"m": m, "k": k, "update_rule": rule, "composition": composition}
    params, n = plan.Params(epsilon=1.0, delta=1e-6, **public), 10**5
    found = plan.plan(params, n)
    share = 1 - found.test / params.epsilon
    if composition == "zcdp":
        share = found.updates * found.measure / plan._rho(epsilon=1.0, delta=1e-6)
    test, answer, *_ = noises(params, n, composition, share, found.updates)
    assert found.error == plan.error_bound(params, n=n) < 1
    assert found.threshold - test >= found.alpha, "an update certifies a gap"
    assert found.updates >= min(k, falls(found.size, found.alpha, rule))
    assert found.size >= m * (min(k, found.updates) + 1) + 1, "no index is missing"
    assert answer <= found.alpha, "the reply lies on the right side"
    assert found.threshold + test <= found.error <= 1.01 * (found.alpha + 2 * test)


@second("papers.sparse_queries.plan._fixed_point")
@pytest.mark.parametrize(("composition", "share"), [("basic", 0.3), ("zcdp", 0.1)])
def test_the_fixed_point_is_the_least_alpha_above_both_noises(composition, share):
    params, n = plan.Params(epsilon=1.0, delta=1e-6, m=10, k=10**4), 10**5
    alpha = plan._fixed_point(params, n, composition, share)

    def worst(x):
        return max(noises(params, n, composition, share, plan.updates(params, x)[0])[:2])

    assert worst(alpha) <= alpha * (1 + 1e-6) < 1
    assert worst(0.97 * alpha) > 0.97 * alpha


def least_fall(alpha, rule):
    """Least fall of the divergence in an update at a gap of alpha, over guesses q of a 0/1 query.

    The step eta lowers it by eta (q + alpha) - ln(1 - q + q e^eta).
    """

    def fall(q, eta):
        return eta * (q + alpha) - math.log1p(q * math.expm1(eta))

    guesses = np.linspace(1e-6, 1 - alpha - 1e-6, 4001)
    if rule == "projection":
        best = {"bounds": (0, 9), "method": "bounded"}
        return min(
            -optimize.minimize_scalar(lambda eta, q=q: -fall(q, eta), **best).fun
            for q in guesses[::40]
        )
    return min(fall(q, alpha / 2 if rule == "paper" else 4 * alpha) for q in guesses)


def falls(size, alpha, rule):
    """How many such falls a point's divergence from the uniform law on ``size`` indices allows."""
    start = -math.log(1 / size)
    return math.floor(start / least_fall(alpha, rule))


@second("papers.sparse_queries.sparse_multiplicative_weights.mistake_bound")
@pytest.mark.parametrize("rule", ["paper", "best", "projection"])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_updates_are_limited_by_the_falls_of_the_divergence(rule, alpha):
    """Hoeffding's lemma is exact at a half but for the next power of alpha: 2 per cent here."""
    bound = sparse_multiplicative_weights.mistake_bound(500, alpha, rule)
    exact = falls(500, alpha, rule)
    assert exact <= bound <= math.ceil(1.02 * (exact + 1))


def test_lowering_a_guess_costs_as_much_as_raising_it():
    """The learner itself, one query at a half, either way: its weights and a divergence of ours."""
    for rule in ("paper", "best", "projection"):
        for side in (1, -1):
            alpha = 0.05
            learner = sparse_multiplicative_weights.SparseWeights(4, alpha=alpha, update_rule=rule)
            query, truth = Query([1, 2]), 0.5 + side * alpha
            data = np.array([truth, 1 - truth]) / 2
            before = data @ np.log(data / 0.25)
            learner.update(query, truth)
            guess = learner.predict(query)
            after = data @ np.log(data / np.array([guess, 1 - guess]) * 2)
            assert 2 * (before - after) == pytest.approx(least_fall(alpha, rule), rel=0.01)
