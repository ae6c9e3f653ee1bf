"""Learner and mechanisms of distance queries: each step of their proofs a second time."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, optimize, special

from dpviz.papers.distance_queries.baselines import private_multiplicative_weights
from dpviz.papers.distance_queries.learner import mistake_bounds, other_learners
from dpviz.papers.distance_queries.mechanism import l1, offline, reduction, sum_test
from dpviz.privacy.curator import Curator
from second import laws, second

ROOMS = (
    "papers.distance_queries.learner",
    "papers.distance_queries.mechanism",
    "papers.distance_queries.baselines.private_multiplicative_weights",
)
WITHOUT = {
    "papers.distance_queries.learner.mistake_bounds.lower_bound": (
        "a construction: tests/papers/distance_queries/test_adversary.py plays it and counts"
    ),
}
BUDGET = {"epsilon": 1.0, "delta": 1e-6}


def check_test(checks, runs, beta, *, s, n, epsilon):
    """All checks are right up to s but with chance beta: scales from the threshold itself."""
    threshold = Curator(epsilon=1e9, rng=0).above_threshold(
        0.0, sensitivity=1 / n, epsilon=epsilon, label="gap"
    )
    scales = threshold.threshold_scale, threshold.value_scale
    assert checks * laws.misjudged(s, *scales, runs) <= beta
    assert checks * laws.misjudged_at_most(s, *scales, runs) == pytest.approx(beta, rel=1e-4)


def misses(scale, tau, law):
    """Chance that |a + h| or |a - h| passes tau: a noisy tangent somewhere on [0, 1]."""
    if law == "gaussian":  # the two ends are independent, each of variance 2
        return 1 - (1 - laws.tail(np.full(2, scale), tau, law)) ** 2
    x = tau / scale  # |a| + |h|, a sum of two exponentials
    inside, _ = integrate.quad(lambda a: math.exp(-a) * -math.expm1(-(x - a)), 0, x)
    return 1 - inside


def most_mistakes(gap):
    """The most points whose neighbours span more than ``gap``, steps of 1 in place, 2 in slope.

    Equal steps are best: r of them have r^2 gap < 2.
    """
    r = 0
    while (r + 1) ** 2 * gap < 2 * (1 - 1e-12):
        r += 1
    return r + 1


def tangent_noise(params, *, joint):
    """Scale and law of the noise on a tangent's two numbers, as the mechanism asks for it."""
    asked = []

    class Watch(laws.Probe):
        """A probe that stands in for the sub-curator, the threshold being a real one."""

        def _add(self, value):
            asked.append((self.scale, self.law))
            return super()._add(value)

    data = np.full((params.n, params.d), 0.5)
    make = sum_test.Interactive if joint else l1.Interactive
    mechanism = make(data, params, params.curator(rng=0))
    mechanism._sub_curator = Watch()
    mechanism._measure([0.5] * params.d if joint else (0, 0.5))
    return asked[-1]


CASES = [
    {"composition": "zcdp"},
    {"composition": "pure"},
    {"composition": "advanced"},
    {"composition": "pure", "beta": 0.9, "k": 1},
    {"composition": "zcdp", "beta": 0.9, "k": 1},
    {"composition": "zcdp", "d": 5},
    {"composition": "pure", "d": 5},
    {"constants": "paper", "n": 10**8},
]


@second(
    "papers.distance_queries.mechanism.l1.allocate",
    "papers.distance_queries.mechanism.l1._tangent_error_quantile",
    "papers.distance_queries.mechanism.l1.Params.plan",
    "papers.distance_queries.mechanism.l1.plan_for",
    "papers.distance_queries.mechanism.l1.error_bound",
    "papers.distance_queries.mechanism.sum_test.error_bound",
)
@pytest.mark.parametrize(
    ("case", "joint"),
    [(case, joint) for case in CASES for joint in (False, True) if not (joint and "n" in case)],
)
def test_a_plan_keeps_its_promise(case, joint):
    """Both noises have their shares of beta; gaps are certified; answers stand between two ends."""
    module = sum_test if joint else l1
    public = BUDGET | {"n": 200, "d": 2, "k": 50, "lower": 1.0, "upper": 4.0} | case
    params = module.Params(**public)
    plan, beta, d = params.plan, params.beta, params.d
    runs = d * plan.updates
    assert plan.total == runs
    checks, tangents = (params.k, d * runs) if joint else (d * params.k, runs)
    check_test(
        checks, runs, 2 * beta / 3, s=plan.test_accuracy, n=params.n, epsilon=plan.test_epsilon
    )
    if params.n < 10**6:
        scale, law = tangent_noise(params, joint=joint)
        share = tangents * misses(scale, plan.tau, law)
        assert share <= beta / 3 * (1 + 1e-6)
        assert share >= (0.85 if beta > 0.5 else 0.98) * beta / 3, "two ends, as independent ones"
    spent(params, plan, runs)
    certified = plan.threshold - plan.test_accuracy - plan.tau
    assert certified >= plan.gap * (1 - 1e-9)
    assert most_mistakes(plan.gap) <= plan.updates
    low, high = plan.shift + plan.tau, plan.threshold + plan.test_accuracy - plan.shift
    if case.get("constants") == "paper":
        assert max(plan.tau, high) <= plan.error * (1 + 1e-9) <= 1.01 * high
    else:
        assert plan.error == pytest.approx(max(low, high)) and low == pytest.approx(high)
    frozen = max(plan.shift + plan.tau, plan.gap + plan.tau - plan.shift)
    assert frozen <= plan.error * (1 + 1e-9)
    # each coordinate may be off by that share of its side, all in one direction
    assert module.error_bound(params) == pytest.approx(sum([3 * plan.error] * d))


def spent(params, plan, runs):
    """The runs of the test and the measurements take the whole budget."""
    curator = params.curator(rng=0)
    if plan.composition == "zcdp":
        whole = curator.sub_curator_zcdp(**BUDGET, label="all").budget.rho
        cost = runs * (plan.test_epsilon**2 / 2 + plan.measurement_budget)
    elif plan.composition == "pure":
        whole, cost = params.epsilon, runs * (plan.test_epsilon + plan.measurement_budget)
    else:
        assert plan.test_epsilon == plan.measurement_budget
        steps = {"epsilon": plan.test_epsilon, "k": 2 * runs, "delta": params.delta}
        sub = curator.sub_curator_steps(**steps, label="all")
        assert sub.budget.epsilon == pytest.approx(2 * runs * plan.test_epsilon)
        whole, cost = params.epsilon, curator.ledger.spent.epsilon
    assert cost == pytest.approx(whole, rel=1e-6)


@second("papers.distance_queries.mechanism.offline.error_bound")
@pytest.mark.parametrize("cells", [1, 8])
def test_between_grid_points_a_gap_grows_by_half_a_cell(cells):
    """All hypotheses of two lines of slopes -1 and 1 below a chord, on a fine grid.

    The interval of possible gaps grows by that; its middle is answered, so half of it counts.
    """
    params = offline.Params(n=5000, d=2, lower=0, **BUDGET, upper=(1.0, 3.0), cells=cells)
    h = 1 / cells
    x, worst = np.linspace(0, h, 201), 0.0
    for rise in np.linspace(-h, h, 21):
        lowest = np.maximum(-x, rise - (h - x))  # convex, slopes in [-1, 1], through both ends
        worst = max(worst, float((rise * x / h - lowest).max()))
    plan = params.online.plan
    certain = (plan.threshold + plan.test_accuracy + plan.tau + worst) / 2
    assert offline.error_bound(params) == pytest.approx(4.0 * certain)


TASKS = [
    reduction.Task(n=2000, k=1, epsilon=1.0, beta=0.9),
    reduction.Task(n=20_000, k=1000, epsilon=1.0, delta=1e-6),
    reduction.Task(n=20_000, k=100, epsilon=1.0, functions=3, tolerance=0.25),
    reduction.Task(n=20_000, k=100, epsilon=1.0, delta=1e-6, functions=3, tolerance=0.25),
]


def check_reduction(plan, task):
    """A plan of Lemma 3: shares of beta, the whole budget, the place of the threshold."""
    third, runs, gaussian = task.beta / 3, plan.total, bool(task.delta)
    check_test(task.k, runs, 2 * third, s=plan.test_accuracy, n=task.n, epsilon=plan.test_epsilon)
    probe = laws.Probe()
    if gaussian:
        probe.gaussian(0.0, sensitivity=1 / task.n, rho=plan.measurement_budget, label="")
    else:
        probe.laplace(0.0, sensitivity=1 / task.n, epsilon=plan.measurement_budget, label="")
    one = laws.tail(np.array([probe.scale]), task.tolerance * plan.gamma, probe.law)
    assert runs * task.functions * one == pytest.approx(third, rel=1e-6)
    if gaussian:
        payer = Curator(epsilon=task.epsilon, delta=task.delta, rng=0)
        whole = payer.sub_curator_zcdp(epsilon=task.epsilon, delta=task.delta, label="a").budget.rho
        test = plan.test_epsilon**2 / 2
    else:
        whole, test = task.epsilon, plan.test_epsilon
    cost = runs * (test + task.functions * plan.measurement_budget)
    assert cost == pytest.approx(whole, rel=1e-9)
    threshold = plan.gamma + plan.test_accuracy
    assert plan.error == pytest.approx(threshold + plan.test_accuracy)


@second(
    "papers.distance_queries.mechanism.reduction.best_plan",
    "papers.distance_queries.mechanism.reduction._allocate",
)
@pytest.mark.parametrize("task", TASKS)
def test_the_reduction_step_by_step(task, monkeypatch):
    """And no other gamma, alone on the list, has a smaller error."""
    plan = reduction.best_plan(lambda gamma: 2 / gamma, task)
    check_reduction(plan, task)
    assert plan.total == max(1, math.floor(2 / plan.gamma))
    for gamma in reduction.GAMMAS[200::5]:
        monkeypatch.setattr(reduction, "GAMMAS", np.array([gamma]))
        try:
            assert plan.error <= reduction.best_plan(lambda g: 2 / g, task).error
        except ValueError:
            continue  # too small to be seen


@second(
    "papers.distance_queries.baselines.private_multiplicative_weights.error_bound",
    "papers.distance_queries.baselines.private_multiplicative_weights.Params.plan",
)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("cells", [2, 50])
def test_weights_on_a_grid_step_by_step(delta, cells):
    """Updates: 15/8 of what the divergence needs (``Weights.mistake_bound``); then the rounding."""
    public = {"n": 50_000, "k": 20, "epsilon": 1.0, "delta": delta, "upper": (1.0, 3.0)}
    params = private_multiplicative_weights.Params(lower=0, **public, d=2, cells=cells)
    names = ("n", "k", "epsilon", "delta", "beta")
    plan = params.plan
    check_reduction(plan, reduction.Task(**{name: getattr(params, name) for name in names}))
    guesses = np.linspace(0.001, 0.999 - plan.gamma, 2001)
    eta = plan.gamma / 2
    falls = eta * (guesses + plan.gamma) - np.log1p(guesses * np.expm1(eta))
    needed = math.log(cells**2) / falls.min()
    assert needed <= plan.total == pytest.approx(15 / 8 * needed, rel=0.03, abs=1.0)
    places = np.linspace(0, 1, 20 * cells + 1)
    centers = (np.arange(cells) + 0.5) / cells
    rounding = np.abs(places[:, None] - centers).min(axis=1).max()
    mechanism = private_multiplicative_weights.Interactive(
        np.full((params.n, 2), 0.5), params, params.curator(rng=0)
    )
    stands = mechanism._threshold.threshold + plan.test_accuracy + rounding
    assert private_multiplicative_weights.error_bound(params) == pytest.approx(4.0 * stands)


def noisy_mistakes(alpha, v, s, w):
    """The most mistakes T with T - 1 steps dx, sum (alpha - v - s dx) / dx < 2 and sum dx = w.

    Each summand is convex in dx, so equal steps make the sum least; random ones are tried too.
    """
    rng, r = np.random.default_rng(0), 0

    def total(steps):
        return ((alpha - v) / steps - s).sum()

    while total(np.full(r + 1, w / (r + 1))) < 2 * (1 - 1e-12):
        r += 1
        for _ in range(20):
            steps = rng.dirichlet(np.ones(r)) * w
            assert total(steps) >= total(np.full(r, w / r)) * (1 - 1e-12)
    return r + 1


@second("papers.distance_queries.learner.mistake_bounds.mistake_bound")
@pytest.mark.parametrize("alpha", [0.3, 0.02, 0.002])
@pytest.mark.parametrize("noise", [(0, 0), (0.25, 0), (0, 0.25), (0.25, 0.25), (0.1, 0.7)])
@pytest.mark.parametrize("width", [1.0, 4.0])
def test_as_many_mistakes_as_rectangles_fit(alpha, noise, width):
    """Exactly so for an exact oracle; the sum of roots loses at most one mistake else."""
    v, s = alpha * noise[0], alpha * noise[1] / width
    bound = mistake_bounds.mistake_bound(alpha, value_error=v, slope_error=s, width=width)
    most = noisy_mistakes(alpha, v, s, width)
    assert most <= bound <= most + (noise[1] > 0)
    assert mistake_bounds.mistake_bound(alpha, value_error=alpha, width=width) == math.inf


@second("papers.distance_queries.learner.other_learners.mistake_bound_nearest")
@pytest.mark.parametrize("alpha", [0.3, 0.25, 0.01, 2**-9])
def test_as_many_mistakes_as_points_that_far_apart(alpha):
    """Points more than alpha apart on [0, 1], placed one by one, as near as can be."""
    place, count, tiny = Fraction(0), 0, Fraction(1, 10**9)
    while place <= 1:
        place, count = place + Fraction(alpha) + tiny, count + 1
    assert other_learners.mistake_bound_nearest(alpha) == count


@second("papers.distance_queries.learner.other_learners.mistake_bound_planes")
@pytest.mark.parametrize(("alpha", "d"), [(0.02, 1), (0.02, 2), (0.1, 3)])
def test_as_many_mistakes_as_balls_fit_into_a_grown_cube(alpha, d):
    """Volumes by simulation: 400,000 points in the box around the cube grown by r."""
    r, count, rng = math.sqrt(alpha) / 2, 400_000, np.random.default_rng(1)
    points = rng.uniform(-r, 1 + r, size=(count, d))
    outside = np.maximum(0, np.maximum(-points, points - 1))
    share = np.mean(np.square(outside).sum(axis=1) <= r * r)
    inside = np.mean(np.square(rng.uniform(-1, 1, size=(count, d))).sum(axis=1) <= 1)
    balls = share * (1 + 2 * r) ** d / (inside * (2 * r) ** d)
    error = laws.spread(share, count) / share + laws.spread(inside, count) / inside
    bound = other_learners.mistake_bound_planes(alpha, d)
    assert balls * (1 - error) - 1 <= bound <= balls * (1 + error) + 1
    assert special.gamma(d / 2 + 1) * inside * 2**d == pytest.approx(math.pi ** (d / 2), rel=0.02)


@second(
    "papers.distance_queries.mechanism.l1.error_bound_closed",
    "papers.distance_queries.mechanism.l1._closed",
)
@pytest.mark.parametrize("composition", ["zcdp", "pure"])
@pytest.mark.parametrize(("n", "d"), [(300, 3), (10**5, 1), (10**8, 20)])
def test_the_closed_form_by_trying_every_number_of_updates(composition, n, d):
    """Noises of real plans, relative to C^(1/2) or C, never fall; every C up to the cap is tried.

    The sum with the cap's noise at the best C, rounded up, is at most the closed form; the form is
    what the worst rounding, from C* to 2 C*, makes of it.
    """
    delta = 1e-6 if composition == "zcdp" else 0.0
    power = 0.5 if composition == "zcdp" else 1.0
    public = {"n": n, "d": d, "k": 100, "epsilon": 1.0, "delta": delta}
    size = math.sqrt(laws_rho(1.0, 1e-6)) if delta else 1.0
    cap = 2 * (4 * n * size) ** 0.4 if delta else 2 * (2 * n) ** (1 / 3)
    tried = np.unique(np.append(np.geomspace(1, cap, 40).astype(int), math.ceil(cap)))
    noise = []
    for updates in tried.tolist():
        plan = l1.Params(lower=0, upper=1, **public, composition=composition, updates=updates).plan
        noise.append((plan.test_accuracy + plan.tau) / updates**power)
    assert np.all(np.diff(noise) > 0)
    every = np.arange(1, math.ceil(cap) + 1)
    sums = 1 / every**2.0 + noise[-1] * every**power
    closed = (
        l1.error_bound_closed(l1.Params(lower=0, upper=1, **public, composition=composition)) / d
    )
    assert sums.min() <= closed * (1 + 1e-6)
    steps = np.geomspace(1e-3, cap, 200_001)
    star = steps[np.argmin(1 / steps**2 + noise[-1] * steps**power)]
    if star < 1:
        assert closed == pytest.approx(1 + noise[-1], rel=0.02)
    else:
        worst = 1 / star**2 + noise[-1] * (2 * star) ** power
        assert closed == pytest.approx(worst, rel=0.02)


def laws_rho(epsilon, delta):
    """The largest rho that implies (epsilon, delta), from the curve over orders itself."""

    def least(rho):
        orders = np.geomspace(1.0001, 10**4, 200_001)
        logs = (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders)
        return (logs - np.log(orders - 1)).min()

    return optimize.brentq(lambda rho: least(rho) - math.log(delta), 1e-6, 1.0)
