"""Each term of the l1 mechanism's promise, and the releases', has a case where it dominates."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

from dpviz import accounting
from dpviz.papers.distance_queries.baselines import continual_counting, finite_metric
from dpviz.papers.distance_queries.embeddings import any_metric, johnson_lindenstrauss, p_stable
from dpviz.papers.distance_queries.embeddings.l1_embedding import linear
from dpviz.papers.distance_queries.embeddings.metrics import finite
from dpviz.papers.distance_queries.embeddings.metrics import norm as metric_norm
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.mechanism import l1, offline, sum_test
from dpviz.papers.distance_queries.releases import (
    anchored,
    average_sign,
    curves,
    haar_wavelet,
    noise_suprema,
)
from dpviz.privacy.curator import Curator

FIRST, SECOND = 1 + 2 ** (2 / 3), 2 * (1 + 2 ** (2 / 3)) / 2 ** (2 / 3)  # scales of both noises


def threshold_accuracy(checks, runs, beta):
    """``test_accuracy``, written down once more: the largest of the thresholds' noises as a sum."""
    up = math.prod(1 / (1 - FIRST / SECOND / j) for j in range(1, runs + 1))
    down = math.prod(1 / (1 + FIRST / SECOND / j) for j in range(1, runs + 1))
    return SECOND * math.log(checks * (up + down) / 2 / beta)


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("composition", ["pure", "zcdp"])
def test_the_union_is_over_all_checks_and_all_tangents(composition, joint):
    """d = 3, k = 7, C_1 = 4, n = 1000, share 1/2, beta = 0.06, by hand.

    Each coordinate is tested by itself: 21 checks and 12 runs at 2/3 of beta, 12 tangents at a
    third.
    A joint test: 7 checks, 36 tangents, each as sensitive as 3 (or the root of it).
    """
    make = sum_test.Params if joint else l1.Params
    params = make(n=1000, d=3, k=7, epsilon=1.0, delta=1e-6, beta=0.06, share=0.5, lower=0, upper=1)
    sizes = l1.allocate(params, composition, np.array([4]))
    tangents, wide = (36, 3) if joint else (12, 1)
    if composition == "pure":
        test = budget = 0.5 / 12
        tail = brentq(lambda u: tangents * math.exp(-u) * (1 + u) - 0.02, 1, 99)
        tau = 2 * wide * tail / budget / 1000
    else:
        rho = accounting.zcdp_rho(epsilon=1.0, delta=1e-6)
        test, budget = math.sqrt(rho / 12), rho / 24
        tau = math.sqrt(2 * wide) * norm.isf(0.02 / (4 * tangents)) / math.sqrt(budget) / 1000
    accuracy = threshold_accuracy(7 if joint else 21, 12, 0.04) / test / 1000
    assert sizes["test_accuracy"][0] == pytest.approx(accuracy, rel=1e-9)
    assert sizes["tau"][0] == pytest.approx(tau, rel=1e-9)


def test_all_coordinates_checks_can_err():
    """Three runs of 2000 checks, in coordinates of their own: noise passes it as promised.

    That is with probability 2/3 of beta at most (20,000 trials, false alarms 1e-6); and four fifths
    of it are passed more often. The largest of m noises is read off one uniform number to
    the power 1/m.
    """
    beta, trials, rng = 0.15, 20_000, np.random.default_rng(0)
    task = {"k": 2000, "epsilon": 3.0, "beta": beta, "share": 0.5, "updates": 1}
    accuracy = l1.Params(
        n=1, d=3, lower=0, upper=1, **task
    ).plan.test_accuracy  # 3 runs, epsilon 1/2 each
    largest = rng.uniform(size=(trials, 3)) ** (1 / 2000)
    value = -2 * SECOND * np.log(2 * (1 - largest))  # Laplace noise of scale 2 SECOND
    worst = (value - 2 * rng.laplace(0, FIRST, (trials, 3))).max(axis=1)
    promised = 2 * beta / 3
    assert (worst > accuracy).sum() <= binom.isf(1e-6, trials, promised)
    assert (worst > 0.8 * accuracy).sum() > binom.isf(1e-6, trials, promised)


class Adversary:
    """A sub-curator whose noises are as bad as the plan allows: ``sign`` times."""

    def __init__(self, plan):
        self.plan, self.positives_left = plan, plan.total

    def above_threshold(self, level, **_):
        self.level = level
        return self

    def above(self, gap):
        is_above = gap > self.level + self.plan.test_accuracy
        self.positives_left -= is_above
        return is_above


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("composition", ["pure", "zcdp"])
def test_a_guess_can_be_off_by_the_whole_promise_both_ways(monkeypatch, composition, d):
    """gap / 2 + test_accuracy + tau: too low before the first update, too high after it."""
    too_high = lambda curator, plan, value, **_: np.add(value, [plan.tau, 0.0])  # noqa: E731
    monkeypatch.setattr(l1, "sub_curator", lambda params, curator: Adversary(params.plan))
    monkeypatch.setattr(l1, "measure", too_high)
    task = {"epsilon": 1.0, "delta": 1e-6, "composition": composition}
    params = l1.Params(n=10**5, d=d, k=100, lower=0, upper=1, **task)
    mechanism, plan, bound = (
        l1.Interactive(np.zeros((10**5, d)), params, params.curator(rng=0)),
        params.plan,
        0.0,
    )
    bound = l1.error_bound(params)
    far = plan.threshold + plan.test_accuracy
    assert bound == pytest.approx(d * plan.error)
    found = mechanism.answer(np.full(d, far - 1e-9) if d > 1 else far - 1e-9)
    assert found.kind == "guess"
    low = d * (far - 1e-9) - found.value
    assert bound * (1 - 1e-6) <= low <= bound * (1 + 1e-9)
    place = np.full(d, far + 1e-9) if d > 1 else far + 1e-9
    assert mechanism.answer(place).kind == "measured"
    high = mechanism.answer(place).value - d * (far + 1e-9)
    assert bound * (1 - 1e-6) <= high <= bound * (1 + 1e-9)


@pytest.mark.parametrize("composition", ["pure", "zcdp"])
def test_the_gap_is_what_the_number_of_updates_allows(composition):
    """C_1 updates: gap 2 / C_1^2, half of it in the promise; see ``mistakes`` for its proof."""
    task = {"d": 2, "k": 50, "epsilon": 1.0, "delta": 1e-6, "composition": composition}
    plan = l1.Params(
        n=10**9, lower=0, upper=1, **task, updates=3
    ).plan  # noise is a ten-thousandth of the promise at most
    assert plan.gap == pytest.approx(2 / 9, rel=1e-15)
    assert plan.error == pytest.approx(1 / 9, rel=1e-4)
    assert (plan.total, plan.updates) == (6, 3)
    noise = plan.test_accuracy + plan.tau
    assert plan.threshold == pytest.approx(2 / 9 + noise, rel=1e-15)
    assert plan.shift == pytest.approx(1 / 9 + plan.test_accuracy, rel=1e-15)


def test_the_tangent_at_a_record_is_the_left_one():
    """Records at the query count as right of it; by hand, then against ``slope``."""
    distance = AverageDistance([0.25, 0.75])
    assert distance.tangent_at(0, 0.25) == (0.0, -0.5)
    assert distance.tangent_at(0, 0.75) == (0.25, 0.0)
    data = np.random.default_rng(0).integers(0, 9, (40, 3)) / 8
    many = AverageDistance(data)
    for place in np.arange(9) / 8:
        left = many.slope(np.full((1, 3), place), side="left")[0]
        value = many.values(np.full((1, 3), place))[0]
        for i in range(3):
            height, half = many.tangent_at(i, place)
            assert (height, half) == pytest.approx(
                (value[i] + left[i] * (0.5 - place), left[i] / 2)
            )


def test_rows_outside_the_public_box_are_clipped_by_themselves():
    """A map whose box is too small: each row alone ends on the box, so no record moves more."""
    turned = replace(linear([[1.0, 1.0], [1.0, -1.0]], [0, 0], [1, 1]), upper=np.array([1.5, 0.5]))
    plane = metric_norm([0, 0], [1, 1], unit=False)
    params = any_metric.Params(n=2, metric=plane, embedding=turned, epsilon=1.0, delta=1e-6)
    rows = params.rows([[1.0, 1.0], [1.0, 0.0]])
    assert rows.tolist() == [[1.5, 0.0], [1.0, 0.5]]


BOXES = {
    "average_sign": average_sign,
    "anchored": anchored,
    "tree": continual_counting,
    "haar": haar_wavelet,
}


@pytest.mark.parametrize("name", BOXES)
def test_the_grid_is_all_that_is_left_without_noise(name):
    """Records on both ends of a cell's middle: off by the whole of ``resolution``, up to 1/2.

    epsilon is 10^12: the noise is a millionth of the grid's part.
    """
    module = BOXES[name]
    delta = {} if name in ("haar", "tree") else {"delta": 1e-6}
    near = {"diameter": 1.0} if name == "anchored" else {}
    params = module.Params(n=10, d=1, epsilon=1e12, cells=8, lower=0, upper=1, **delta, **near)
    middle = 5 / 16
    data, queries = np.full(10, middle), [middle, 1 / 16, 0.25]
    answers = module.answer(module.release(data, params, params.curator(rng=0)), queries)
    error = np.abs(answers - np.abs(np.subtract(queries, middle))).max()
    assert error <= module.error_bound(params, k=3) <= 2.05 * error
    assert error > 0.02


@pytest.mark.parametrize("name", ["average_sign", "anchored"])
def test_one_gaussian_answer_has_its_exact_tail(name):
    """k = 1 at the worst corner: the bound is the noise's own quantile; k enters as a union."""
    module = BOXES[name]
    near = {"diameter": 3.0} if name == "anchored" else {}
    price = {"n": 100, "epsilon": 1.0, "delta": 1e-6, "beta": 0.01}
    params = module.Params(d=3, cells=2**14, lower=0, upper=1, **price, **near)
    sd = float(np.max(module.standard_deviation(params, [[0.0, 0.0, 0.0]])))
    for k in (1, 50):
        exact = sd * norm.isf(0.005 / k)
        assert exact <= module.error_bound(params, k=k) <= exact * 1.001 + 3 / 2**14


def test_the_offline_grid_is_all_that_is_left_without_noise():
    """A quarter of a cell, either way: at grid points too high, at a kink inside too low."""
    params = offline.Params(n=1000, d=1, epsilon=1e12, delta=1e-6, cells=8, lower=0, upper=1)
    released = offline.release(
        np.full(1000, 5 / 16), params, Curator(epsilon=1e12, delta=1e-6, rng=0)
    )
    bound = offline.error_bound(params)
    places = np.linspace(0, 1, 161)
    error = np.abs(offline.answer(released, places) - np.abs(places - 5 / 16)).max()
    assert 0.03 < error <= bound <= 1.05 * error


@pytest.mark.parametrize("k", [1, 40])
def test_the_universe_s_answers_have_exact_tails(k):
    """Two points at distance 1: joint Laplace exactly, Gaussian ones by hand; k as a union."""
    two = finite([[0, 1], [1, 0]])
    many = {"n": 100, "metric": two, "queries": [0, 1] * (k // 2) or [0], "beta": 0.01}
    pure = finite_metric.Params(epsilon=0.5, **many, method="joint")
    move = finite_metric.joint_sensitivity(pure)  # all answers move by 1/n
    assert move == pytest.approx(k / 100)
    exact = move / 0.5 * math.log(k / 0.01)  # P(|noise| > x) = exp(-x / scale), k times
    assert finite_metric.error_bound(pure) == pytest.approx(exact)
    normal = finite_metric.Params(epsilon=0.5, delta=1e-6, **many, method="joint")
    unit = accounting.gaussian_sd(epsilon=0.5, delta=1e-6)
    joint = math.sqrt(k) / 100 * unit * norm.isf(0.005 / k)
    assert finite_metric.error_bound(normal) == pytest.approx(joint)
    # a share moves by sqrt(2) / n; distance less mean is -1/2, 1/2, of length 1 / sqrt(2)
    cells = math.sqrt(2) / 100 * unit * norm.isf(0.005 / k) / math.sqrt(2)
    assert finite_metric.error_bound(replace(normal, method="histogram")) == pytest.approx(cells)


def test_the_length_of_one_projection_is_nearly_normal():
    """A mean of sqrt(pi / 2) |N|: at most 1.85 times its quantile, and k as a union."""
    params = johnson_lindenstrauss.Params(d=5000, target=2000, beta=1e-6, lower=0, upper=1)
    exact = math.sqrt((math.pi / 2 - 1) / 2000) * norm.isf(1e-6 / 2)
    found = johnson_lindenstrauss.error_bound(params, k=1)
    assert exact <= found <= 1.85 * exact
    split = johnson_lindenstrauss.error_bound(replace(params, beta=1e-6 / 7), k=1)
    assert johnson_lindenstrauss.error_bound(params, k=7) == pytest.approx(split)


def test_all_of_space_costs_the_dimension_and_the_tail():
    """2 sqrt(pi d / (2 l')) + sqrt(pi ln(2 / beta) / l'), by hand; each dominates once."""
    for d, beta in ((1, 1e-300), (400, 0.5)):
        found = johnson_lindenstrauss.error_bound(
            johnson_lindenstrauss.Params(d=d, target=100, beta=beta, lower=0, upper=1)
        )
        by_hand = 2 * math.sqrt(math.pi * d / 200) + math.sqrt(math.pi * math.log(2 / beta) / 100)
        assert found == pytest.approx(by_hand)


@pytest.mark.parametrize(("d", "target"), [(2, 10**6), (50, 30)])
def test_the_stable_bound_solves_bernstein_s_equation(d, target):
    """2 k exp(-l' a^2 / (2 (d - 1) (1 + a / 3))) = beta, by bisection; both parts dominate once."""
    params = p_stable.Params(d=d, target=target, p=1.1, beta=0.01, lower=0, upper=1)

    def chance(a):
        return math.log(2 * 9 / 0.01) - target * a**2 / (2 * (d - 1) * (1 + a / 3))

    found = p_stable.error_bound(params, k=9)
    assert found == pytest.approx(brentq(chance, 1e-9, 1e3))


def test_both_signs_of_the_average_sign_release_share_beta():
    """Chernoff's bound at level ln(2 / beta), its moments 1 + theta int e^(theta x) P(R > x)."""
    params = curves.Params(n=1000, d=3, epsilon=1, delta=1e-6, beta=0.04, lower=0, upper=1)
    r, half = average_sign._detail_variance(params), average_sign._white_noise_sd(params) / 2
    x = np.linspace(0, 15, 200_001)
    tail = noise_suprema.bridge_tail(x, r)

    def bound(theta):
        moment = 1 + theta * np.trapezoid(np.exp(theta * x) * tail, x)
        return (3 * math.log(moment) + math.log(2 / params.beta)) / theta

    best = min(bound(theta) for theta in np.geomspace(0.3, 6, 200))
    noise = average_sign.error_bound(params) - curves.resolution(params)
    assert best <= noise / half <= 1.005 * best  # with ln(1 / beta) it would be 4 % less
