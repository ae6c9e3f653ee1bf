"""Each term of each promise of the sparse mechanisms has a case in which it dominates."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from dpviz import accounting
from dpviz.papers.sparse_queries import baselines, online, sparse_multiplicative_weights
from dpviz.papers.sparse_queries.plan import Params, plan
from dpviz.papers.sparse_queries.queries import Query
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import SparseWeights, mistake_bound

USUAL = {"epsilon": 1.0, "delta": 1e-6, "m": 10, "k": 1000}
N = 10**6


class Adversary:
    """A sub-curator whose noises are as bad as the plan allows, and no worse.

    A comparison within ``test_error`` of the threshold comes out as ``eager`` says; a measured
    value is ``answer_error`` nearer to the guess than the truth is.
    """

    def __init__(self, split, *, eager):
        self.split, self.eager, self.positives_left = split, eager, split.updates

    def above_threshold(self, level, **_):
        self.level = level
        return self

    def above(self, gap):
        room = self.split.test_error
        positive = gap >= self.level - room if self.eager else gap > self.level + room
        self.positives_left -= positive
        return positive

    def laplace(self, value, **_):
        return value - self.split.answer_error

    gaussian = laplace


def asked_against(monkeypatch, params, share, *, eager):
    """(plan, mechanism, answer, truth): one name that so many of the records hold is asked for."""
    monkeypatch.setattr(
        online, "_sub_curator", lambda params, split, curator: Adversary(split, eager=eager)
    )
    held = math.floor(share * N)
    data = np.array(["a"] * held + ["-"] * (N - held))
    mechanism = online.InteractiveSparse(data, params, None, vocabulary={"a"})
    return mechanism, mechanism.answer(Query(["a"])), held / N


@pytest.mark.parametrize("composition", ["basic", "zcdp"])
def test_a_guess_that_stands_can_be_off_by_the_whole_promise(monkeypatch, composition):
    """alpha + 2 test_error: attained to 2/n, if both noises of one test are at their worst."""
    params = Params(**USUAL, composition=composition)
    split = plan(params, N)
    share = split.threshold + split.test_error + 1 / split.size
    mechanism, answer, truth = asked_against(monkeypatch, params, share, eager=False)
    assert answer.kind == "guess"
    error = abs(answer.value - truth)
    assert error <= mechanism.plan.error <= error + 2 / N


@pytest.mark.parametrize("composition", ["basic", "zcdp"])
def test_an_update_can_come_as_early_as_at_alpha_and_no_earlier(monkeypatch, composition):
    """Just below alpha even the worst noise buys nothing; from alpha on it can."""
    params = Params(**USUAL, composition=composition)
    split = plan(params, N)
    for extra, found in ((-2 / N, "guess"), (2 / N, "measured")):
        share = split.alpha + 1 / split.size + extra
        _, answer, _ = asked_against(monkeypatch, params, share, eager=True)
        assert answer.kind == found


@pytest.mark.parametrize("composition", ["basic", "zcdp"])
def test_a_promise_needs_replies_on_the_right_side(monkeypatch, composition):
    """answer_error <= alpha in each plan that promises something, and only just for small n.

    Below that, at alpha = 1, the share of the budget with the least noisy test leaves replies
    far too noisy; with fewest records there is no promise at all.
    """
    params = Params(**USUAL, composition=composition)
    some = [plan(params, n) for n in range(2, 62, 3)]
    promised = [each for each in some if math.isfinite(each.error)]
    assert all(each.answer_error <= each.alpha for each in promised)
    assert max(each.answer_error / each.alpha for each in promised) > 0.9
    assert len(promised) < len(some)


def spread_from(hypothesis, truth):
    """KL from a law: ``truth`` on the indexed names, evenly, the rest on one free index."""
    own = hypothesis.weights
    each = truth / len(own)
    rest = (1 - truth) * math.log((1 - truth) / hypothesis.untouched_weight)
    return rest + sum(each * math.log(each / weight) for weight in own)


@pytest.mark.parametrize(
    ("update_rule", "ceiling"), [("paper", 1.1), ("best", 1.1), ("projection", 1.1)]
)
def test_an_update_takes_hardly_more_than_is_proved(update_rule, ceiling):
    """A guess of 1/2, a gap of alpha = 0.1: Hoeffding's lemma is nearly exact there.

    So an update takes 1 / kappa alpha^2 of the relative entropy, and at most a tenth more. A step
    of 8 alpha would take nothing.
    """
    alpha, names = 0.1, list(range(50))
    learner, query = SparseWeights(100, alpha=alpha, update_rule=update_rule), Query(names)
    assert learner.predict(query) == 0.5
    learner.hypothesis.update(query, 0.0)
    before = spread_from(learner.hypothesis, 0.6)
    learner.update(query, 0.6)
    taken = before - spread_from(learner.hypothesis, 0.6)
    least = alpha**2 / sparse_multiplicative_weights.KAPPA[update_rule]
    # the projection takes KL(0.6 | 0.5) = 2 alpha^2 + (4/3) alpha^4 + ...: never less
    assert least * (1 - 2e-3) <= taken <= 1.1 * least


def test_the_steps_are_those_of_the_proof():
    """eta = alpha / 2 and 4 alpha, as odds: a guess of 1/2 moves to 1 / (1 + exp(-eta)).

    Statements: L13 Algorithm 1.
    """
    for update_rule, eta in (("paper", 0.05), ("best", 0.4)):
        learner, query = SparseWeights(100, alpha=0.1, update_rule=update_rule), Query(range(50))
        learner.update(query, 0.9)
        assert learner.predict(query) == pytest.approx(1 / (1 + math.exp(-eta)), rel=1e-12)
        learner.update(query, 0.0)
        assert learner.predict(query) == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("update_rule", ["best", "projection"])
def test_the_limit_on_updates_is_attained_but_for_ln_4(update_rule):
    """All records hold one of 2^b - 1 names; queries ask for its digits: b updates at alpha = 1/2.

    Statements: L13 Theorem 4.

    The limit is 2 ln(2^b) = 1.39 b.
    """
    digits, names = 8, range(1, 2**8)
    learner, made = SparseWeights(2**digits, alpha=0.499, update_rule=update_rule), 0
    for digit in range(digits):
        query = Query([name for name in names if name >> digit & 1])
        if 1 - learner.predict(query) >= 0.499:
            learner.update(query, 1.0)
            made += 1
    assert made == digits
    assert made <= mistake_bound(2**digits, 0.499, update_rule) <= 1.5 * made


def test_one_count_of_the_lazy_histogram_has_an_exact_tail():
    """k queries of one name each: k exp(-x) = beta. At most 1.05 times too large."""
    params = Params(epsilon=0.5, m=1, k=10**6, beta=1e-60)
    exact = 2 / params.epsilon * math.log(params.k / params.beta) / 1000
    found = baselines.error_bound_lazy_histogram(params, n=1000)
    assert exact <= found <= 1.05 * exact


def test_many_counts_of_the_lazy_histogram_are_nearly_normal():
    """m = 10^4 counts: against the normal quantile, for both signs and 50 queries."""
    params = Params(epsilon=0.5, m=10**4, k=50, beta=1e-6)
    tail = norm.isf(params.beta / (2 * params.k))
    exact = math.sqrt(2 * params.m) * 2 / params.epsilon * tail / 1000
    found = baselines.error_bound_lazy_histogram(params, n=1000)
    assert exact <= found <= 1.09 * exact


def test_the_largest_count_and_the_gaussian_answers_have_exact_tails():
    """The largest of 1000 counts; the largest of 1000 independent Gaussian answers."""
    params = Params(epsilon=1.0, delta=1e-6, m=1, k=1000, beta=1e-9)
    k, beta = params.k, params.beta
    exact = -2 * math.log(-math.expm1(math.log1p(-beta) / k))
    found = baselines.error_bound_adaptive(params, n=1, touched=k)
    assert exact <= found * (1 + 1e-9)
    assert found <= 1.001 * exact
    assert baselines.error_bound_adaptive(replace(params, m=7), n=1, touched=k) == 7 * found
    sd = math.sqrt(k) * accounting.gaussian_sd(epsilon=1.0, delta=1e-6)
    exact = sd * norm.isf(beta / (2 * k))
    found = baselines.error_bound_gaussian(params, n=1)
    assert exact <= found <= 1.06 * exact
