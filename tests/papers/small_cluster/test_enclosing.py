"""The least ball of nearly all rows: its promise over many runs, its price, what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dpviz.audit.transcript import faults
from dpviz.papers.small_cluster import enclosing_ball
from dpviz.papers.small_cluster.enclosing_ball import Params
from dpviz.papers.small_cluster.planted import Planted, offsets
from dpviz.privacy.curator import BudgetExceeded, Curator

RICH = {"epsilon": 300.0, "delta": 1e-3}
UNIT = st.tuples(*[st.integers(0, 8).map(lambda i: i / 8)] * 2)


@given(st.lists(UNIT, min_size=2, max_size=30), UNIT, st.integers(0, 2**32))
@settings(deadline=None, max_examples=40)
def test_transcripts_agree(rows, row, seed):
    other = np.array(rows)
    other[seed % len(rows)] = row
    params = Params(center=(0.5, 0.4), reach=0.6, gamma=1, d=2, lower=0, upper=1, **RICH)

    def run(data, curator):
        ball = enclosing_ball.release(data, params, curator)
        return ball.tries, ball.radius, ball.center

    assert faults(run, np.array(rows), other, rng=seed, **RICH) == []


@pytest.mark.parametrize(("gamma", "d"), [(1.0, 2), (0.5, 10)])
def test_the_promise_holds_in_40_runs(gamma, d):
    """Statements: lesson Theorem 7.7.

    Rows: more than 13 of 40 break a promise of beta = 0.1 with probability below 1e-4. The
    rows' own radius is at least r_opt, which is close to it."""
    params = Params(
        center=(0.4,) * d, reach=0.08, gamma=gamma, d=d, epsilon=20, delta=1e-6, lower=0, upper=1
    )
    runs = [enclosing_ball.trial(params, rng=seed, n=6000) for seed in range(40)]
    broken = [run["error"] > run["bound"] or run["ratio"] > (1 + gamma) ** 2 for run in runs]
    assert sum(broken) <= binom.isf(1e-4, 40, params.beta)
    assert runs[0]["bound"] < 3000
    assert np.median([run["ratio"] for run in runs]) <= (1 + gamma) * (1 + 1e-9)


def test_the_first_ball_is_given_back_where_no_smaller_one_would_do():
    """A third of the rows at each of two ends of the first ball: no radius tried holds both."""
    params = Params(
        center=(0.5,), reach=0.3, gamma=0.5, d=1, epsilon=40, delta=1e-6, lower=0, upper=1
    )
    rows = np.repeat([[0.21], [0.5], [0.79]], 3000, axis=0)
    ball = enclosing_ball.release(rows, params, params.curator(rng=0))
    assert (ball.center[0], ball.radius) == pytest.approx((0.5, 0.3))
    assert ball.tries == 2


def test_rows_outside_the_first_ball_count_nowhere():
    """A ring just outside it, on one side: the first step averages a ball that reaches as far."""
    params = Params(
        center=(0.5, 0.5), reach=0.08, gamma=1, d=2, epsilon=20, delta=1e-6, lower=0, upper=1
    )
    inside = 0.5 + 0.02 * offsets(6000, 2, "ball", np.random.default_rng(0))
    turn = np.random.default_rng(1).uniform(0, 1, 6000)
    far = 0.5 + 0.09 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    balls = [
        enclosing_ball.release(rows, params, params.curator(rng=2))
        for rows in (inside, np.vstack([inside, far]))
    ]
    assert balls[0].center == pytest.approx(balls[1].center)
    assert balls[0].radius == balls[1].radius < 0.08


def test_a_step_goes_towards_the_rows_outside_by_claim_3_3():
    """Claim 3.3 over 2,000 draws: a row of the least ball outside B(centre, r), r >= r_opt, has at
    least half of the distance in the direction of the best centre; attained in the limit."""
    rng, least = np.random.default_rng(0), 1.0
    for d in (1, 2, 5):
        for _ in range(2000):
            row, place = offsets(2, d, "ball", rng) * [[1.0], [3.0]]
            distance, radius = np.linalg.norm(place), rng.uniform(1, 1.5)
            if np.linalg.norm(row - place) > radius:
                along = float((row - place) @ -place) / distance
                assert along >= distance / 2 - 1e-12
                least = min(least, along / distance)
    assert least < 0.6


def test_data_in_another_unit_give_the_same_ball_in_that_unit():
    params = Params(
        center=(0.5,) * 2, reach=0.08, gamma=1, d=2, epsilon=20, delta=1e-6, lower=0, upper=1
    )
    rows = 0.52 + 0.02 * offsets(6000, 2, "ball", np.random.default_rng(0))
    one = enclosing_ball.release(rows, params, params.curator(rng=1))
    scaled = replace(params, lower=-100.0, upper=300.0, reach=32.0, center=(100.0,) * 2)
    other = enclosing_ball.release(400 * rows - 100, scaled, params.curator(rng=1))
    assert other.center == pytest.approx(400 * one.center - 100, rel=1e-9)
    assert other.radius == pytest.approx(400 * one.radius, rel=1e-9)


def test_the_price_is_charged_once_and_what_cannot_work_is_refused_before():
    params = Params(center=(0.5,), reach=0.3, gamma=1, d=1, epsilon=1, delta=1e-6, lower=0, upper=1)
    curator = params.curator(rng=0)
    enclosing_ball.release(np.full((9, 1), 0.5), params, curator)
    (charge,) = curator.ledger.charges
    assert (charge.cost.epsilon, charge.cost.delta) == (1.0, 1e-6)
    assert charge.sub_ledger.spent.rho <= params.rho
    fine = replace(params, gamma=1e-3)
    curator = fine.curator(rng=0)
    with pytest.raises(ValueError, match=r"gamma = 0\.001 is too small"):
        enclosing_ball.release(np.full((9, 1), 0.5), fine, curator)
    with pytest.raises(ValueError, match="d = 1"):
        enclosing_ball.release(np.full((9, 2), 0.5), params, curator)
    assert curator.ledger.charges == ()
    poor = Curator(epsilon=0.5, delta=1e-6, rng=0)
    with pytest.raises(BudgetExceeded):
        enclosing_ball.release(np.full((9, 1), 0.5), params, poor)
    assert poor.ledger.charges == ()
    with pytest.raises(ValueError, match="center must have d = 1"):
        replace(params, center=(0.5, 0.5))
    with pytest.raises(ValueError, match="gamma"):
        replace(params, gamma=1.5)


def test_fewer_rows_are_lost_than_by_lemma_4_3_and_more_for_a_smaller_gamma():
    """The lemma's constants ask for more than 100 times as many at every gamma and d here."""
    lost = []
    for gamma in (1.0, 0.5, 0.25):
        for d in (2, 10, 50):
            params = Params(
                center=(0.5,) * d,
                reach=0.1,
                gamma=gamma,
                d=d,
                epsilon=1,
                delta=1e-6,
                lower=0,
                upper=1,
            )
            lost.append(enclosing_ball.error_bound(params))
            assert 100 * lost[-1] < enclosing_ball.paper_bound(params)
    assert lost == sorted(lost)


def test_the_steps_cannot_do_with_many_fewer_rows():
    """At three tenths of K the noise alone may keep the centre away: no schedule is made."""
    params = Params(
        center=(0.5,) * 10, reach=0.1, gamma=0.5, d=10, epsilon=1, delta=1e-6, lower=0, upper=1
    )
    plan = enclosing_ball._schedule(params)
    steps = len(plan.steps)
    assert enclosing_ball._distances(params, steps, plan.sd, plan.enough) is not None
    assert enclosing_ball._distances(params, steps, plan.sd, 0.99 * plan.enough) is None
    assert math.isclose(plan.within[0], params.ratio) and plan.within[-1] <= params.gamma


def test_a_trial_takes_given_rows():
    params = Params(
        center=(0.5,), reach=0.2, gamma=1, d=1, epsilon=40, delta=1e-6, lower=0, upper=1
    )
    rows = np.linspace(0.45, 0.55, 4001)[:, None]
    data = Planted(rows, (np.ones(4001, dtype=bool),), np.array([[0.5]]), 0.05)
    run = enclosing_ball.trial(params, data, rng=0)
    assert run["error"] <= run["bound"] and run["ratio"] <= 4
