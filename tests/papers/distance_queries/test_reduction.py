"""Lemma 3 for any mistake bound: its equation, its plan, two learners, and what it costs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpviz.papers.distance_queries.baselines import private_multiplicative_weights as pmw
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.papers.distance_queries.mechanism.reduction import Task, best_plan, paper_alpha
from dpviz.privacy.online import Online

ZCDP = {"epsilon": 1, "delta": 1e-6}


# Statements: HR Lemma 3.
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("d", [1, 3, 10])
def test_the_paper_s_alpha_is_that_of_the_l1_mechanism(delta, d):
    """c = 1/(4 l), 2 l functions, m(alpha) = 3 l^1.5 / sqrt(alpha): the closed form of Lemma 6."""
    task = Task(n=10**8, k=1000, epsilon=1, delta=delta, functions=2 * d, tolerance=1 / (4 * d))
    alpha = paper_alpha(lambda alpha: 3 * d**1.5 / math.sqrt(alpha), task)
    closed = l1.paper_alpha(
        l1.Params(n=10**8, d=d, k=1000, epsilon=1, delta=delta, lower=0, upper=1)
    )
    assert alpha == pytest.approx(closed, rel=1e-9)


@pytest.mark.parametrize(
    ("power", "delta"), [(0.5, 0.0), (0.5, 1e-6), (1, 0.0), (2, 0.0), (2, 1e-6)]
)
def test_the_paper_s_alpha_has_the_exponent_of_its_mistake_bound(power, delta):
    """m = alpha^-p: n^(-1/(1 + p)) pure, n^(-2/(2 + p)) with delta."""
    task = Task(n=10**6, k=100, epsilon=1, delta=delta)
    small, large = (
        paper_alpha(lambda alpha: alpha**-power, replace(task, n=n)) for n in (10**6, 10**9)
    )
    expected = -2 / (2 + power) if delta else -1 / (1 + power)
    assert math.log(large / small) / math.log(1000) == pytest.approx(expected)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_private_multiplicative_weights_are_one_case(delta):
    params = pmw.Params(n=10_000, d=2, k=100, epsilon=1, delta=delta, cells=50, lower=0, upper=1)
    task = Task(n=10_000, k=100, epsilon=1, delta=delta)
    assert params.plan == best_plan(lambda gamma: 4 * math.log(2500) / gamma**2, task)
    assert pmw.error_bound(params) == pytest.approx(2 * (params.plan.error + 0.01))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("n", [10**4, 10**6, 10**8])
def test_the_l1_plan_is_better_than_the_lemma_s_and_not_by_much(n, delta):
    """One column: gamma/2 + s + tau in the place of gamma + 2 s, with the same learner.

    The lemma's update measures 2 numbers to a tolerance of gamma/4; then Lemma 5 allows at most 1 +
    sqrt(2 / (gamma/2)) mistakes.
    """
    task = Task(n=n, k=1000, epsilon=1, delta=delta, functions=2, tolerance=1 / 4)
    lemma = best_plan(lambda gamma: 1 + np.sqrt(4 / gamma), task).error
    ours = l1.Params(n=n, d=1, k=1000, epsilon=1, delta=delta, lower=0, upper=1).plan.error
    assert ours < lemma < 5 * ours


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_plan_spends_the_budget_exactly_and_its_noise_keeps_its_promises(delta):
    """Three numbers an update: C runs and 3 C numbers; 2000 draws, false alarm 1e-6."""
    from dpviz import accounting

    task = Task(n=5000, k=50, epsilon=2, delta=delta, beta=0.15, functions=3, tolerance=0.5)
    plan = best_plan(lambda gamma: 2 / gamma, task)
    numbers, rng = 3 * plan.total, np.random.default_rng(0)
    if delta:
        spent = plan.total * plan.test_epsilon**2 / 2 + numbers * plan.measurement_budget
        assert spent == pytest.approx(accounting.zcdp_rho(epsilon=2, delta=delta))
        noise = rng.normal(size=(2000, numbers)) / 5000 / math.sqrt(2 * plan.measurement_budget)
    else:
        assert plan.total * plan.test_epsilon + numbers * plan.measurement_budget == pytest.approx(
            2
        )
        noise = rng.laplace(size=(2000, numbers)) / 5000 / plan.measurement_budget
    exceeded = (np.abs(noise).max(axis=1) > 0.5 * plan.gamma).sum()
    assert exceeded <= stats.binom.isf(1e-6, 2000, 0.05)
    assert exceeded >= stats.binom.ppf(1e-6, 2000, 0.02)  # nor is the budget wasted


class Alternating:
    """A learner of one number that must be told it often: m(gamma) = 1 / gamma mistakes."""

    def __init__(self, step):
        self.guess, self.step = 0.0, step

    def predict(self, query):
        return self.guess

    def update(self, query, reply):
        self.guess += math.copysign(min(self.step, abs(reply - self.guess)), reply - self.guess)


def test_the_reduction_keeps_its_promise_for_another_learner():
    """A learner that moves by gamma/2 towards each reply: at most 2 / gamma updates.

    Replies are within gamma/2 of the truth, so that a mistake of gamma moves the guess nearer by
    gamma/2. 100 runs; exceedances judged by the binomial at beta = 0.05, false alarm 1e-6.
    """
    task, bad = Task(n=2000, k=200, **ZCDP, tolerance=0.5), 0
    plan = best_plan(lambda gamma: 2 / gamma, task)
    public = l1.Params(n=2000, d=1, k=1, lower=0, upper=1, **ZCDP)
    for seed in range(100):
        curator = public.curator(rng=seed).sub_curator_zcdp(**ZCDP, label="reduction")
        threshold = curator.above_threshold(
            plan.gamma + plan.test_accuracy,
            sensitivity=1 / 2000,
            epsilon=plan.test_epsilon,
            positives=plan.total,
            label="gap",
        )
        number = {"sensitivity": 1 / 2000, "rho": plan.measurement_budget, "label": "number"}
        online = Online(
            Alternating(plan.gamma / 2),
            truth=lambda query: 0.9,
            oracle=lambda query, c=curator, how=number: c.gaussian(0.9, **how),
            threshold=threshold,
            answers="oracle",
            after="freeze",
        )
        answers = [online.answer(None) for _ in range(200)]
        bad += max(abs(answer.value - 0.9) for answer in answers) > plan.error
    assert bad <= stats.binom.isf(1e-6, 100, 0.05)
    assert plan.total <= 2 / plan.gamma


def test_too_few_records_and_bad_tasks_are_named():
    with pytest.raises(ValueError, match="n must be larger: with 3 records"):
        best_plan(lambda gamma: 1 / gamma, Task(n=3, k=10, **ZCDP))
    for name in ("n", "k", "functions"):
        with pytest.raises(ValueError, match=f"{name} must be a whole number"):
            Task(**{"n": 10, "k": 10, **ZCDP, name: 0})
    with pytest.raises(ValueError, match="tolerance must be"):
        Task(n=10, k=10, **ZCDP, tolerance=0)
