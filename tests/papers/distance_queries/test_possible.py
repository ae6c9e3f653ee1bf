"""Answers are clipped to what an average distance in the public box can be; bad calls are named."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.papers.distance_queries.baselines import (
    continual_counting,
    noise_per_query,
    private_multiplicative_weights,
)
from dpviz.papers.distance_queries.learner.average_distance import _farthest, possible, run_trial
from dpviz.papers.distance_queries.mechanism import l1, offline, sum_test
from dpviz.papers.distance_queries.releases import anchored, average_sign, curves, haar_wavelet
from dpviz.privacy.curator import Curator

DELTA = 1e-6
BOX = {"lower": (-1.0, 0.0), "upper": (1.0, 3.0)}
PUBLIC = {"n": 2, "d": 2, "epsilon": 0.01, "delta": DELTA, **BOX}  # all noise, hardly a record
PMW = {"n": 400, "epsilon": 1.0, "k": 20, "cells": 5}  # the fewest that its plan can use
RELEASES = {
    "average sign": (average_sign, {}),
    "average sign, convex": (average_sign, {"convex": True}),
    "Haar": (haar_wavelet, {}),
    "anchored": (anchored, {"diameter": 1.0}),
    "counting": (continual_counting, {}),
}
ONLINE = {
    "l1": (l1, {"k": 20, "updates": 2}),
    "sum": (sum_test, {"k": 20, "updates": 2}),
    "weights": (private_multiplicative_weights, PMW),
}


def asked(seed, k=20):
    return np.random.default_rng(seed).uniform(BOX["lower"], BOX["upper"], (k, 2))


def records(n):
    return np.random.default_rng(0).uniform(BOX["lower"], BOX["upper"], (n, 2))


def within(answers, queries):
    """Between 0 and the distance to the farthest corner; rounding of sums of doubles."""
    far = np.maximum(np.abs(queries - BOX["lower"]), np.abs(queries - BOX["upper"])).sum(axis=1)
    return (answers >= 0).all() and (answers <= far * (1 + 1e-12)).all()


@pytest.mark.parametrize("name", RELEASES)
def test_every_release_answers_within_the_box(name):
    module, how = RELEASES[name]
    params, loose = curves.Params(**PUBLIC, cells=16, **how), 0
    for seed in range(10):
        released = module.release(records(2), params, params.curator(rng=seed))
        queries = asked(seed)
        assert within(module.answer(released, queries), queries)
        loose += not within(curves.interpolated(released, queries), queries)
    # The curves themselves are not, unless made convex: the noise is a hundred boxes wide.
    assert params.convex or loose >= 5


@pytest.mark.parametrize("name", ONLINE)
def test_every_interactive_mechanism_answers_within_the_box(name):
    """One by one and many at once; guesses, measurements and frozen answers."""
    module, how = ONLINE[name]
    params, kinds = module.Params(**{**PUBLIC, **how}), set()
    if name != "weights":  # a low threshold: half of all checks are above
        params.__dict__["plan"] = replace(params.plan, threshold=0.0)
    for seed in range(10):
        both = [
            module.Interactive(records(params.n), params, params.curator(rng=seed)) for _ in "ab"
        ]
        queries = asked(seed)
        one_by_one = [both[0].answer(query) for query in queries]
        values, found = both[1].answer_all(queries)
        # Products of two shapes: the last bits are the machine's.
        assert [answer.value for answer in one_by_one] == pytest.approx(values, rel=1e-9)
        assert within(values, queries)
        kinds |= set(found)
    assert {"guess"} <= kinds
    assert name == "weights" or {"measured", "frozen"} <= kinds


def test_noise_on_each_answer_and_the_frozen_hypothesis_stay_within_the_box():
    queries = asked(1)
    params = noise_per_query.Params(**PUBLIC, k=20)
    found = noise_per_query.release(records(2), params, params.curator(rng=0), queries=queries)
    assert within(found.answers, queries)
    params = offline.Params(**PUBLIC, cells=4)
    assert within(
        offline.answer(offline.release(records(2), params, params.curator(rng=0)), queries), queries
    )


def test_two_records_are_no_more_than_a_range_away():
    """n = 2, d = 1: unclipped, errors on a range of 1 were as large as 23.5."""
    for module in (l1, sum_test):
        params = module.Params(n=2, d=1, k=100, epsilon=1, delta=DELTA, lower=0, upper=1)
        bound = module.error_bound(params)
        for seed in range(20):
            run = run_trial(module.Interactive, params, None, None, bound=bound, rng=seed)
            assert run["error"] <= 1


@given(st.integers(0, 2**32), st.integers(1, 4))
@settings(max_examples=50)
def test_clipping_never_moves_an_answer_away_from_the_truth(seed, d):
    rng = np.random.default_rng(seed)
    widths, places, data = (
        rng.uniform(0.1, 5, d),
        rng.uniform(size=(9, d)),
        rng.uniform(size=(3, d)),
    )
    truth = np.abs(places[:, None] - data).mean(axis=1) @ widths
    noisy = truth + rng.normal(scale=4, size=9)
    clipped = possible(noisy, places, widths)
    assert (np.abs(clipped - truth) <= np.abs(noisy - truth) + 1e-12).all()  # rounding
    assert (truth <= _farthest(places, widths) + 1e-12).all()


CALLS = {
    "l1": (l1.Interactive, l1.Params(n=2, d=1, k=3, epsilon=1, delta=DELTA, lower=0, upper=1)),
    "sum": (
        sum_test.Interactive,
        sum_test.Params(n=2, d=1, k=3, epsilon=1, delta=DELTA, lower=0, upper=1),
    ),
    "offline": (
        offline.release,
        offline.Params(n=2, d=1, epsilon=1, delta=DELTA, lower=0, upper=1),
    ),
    "noise": (
        noise_per_query.release,
        noise_per_query.Params(n=2, d=1, k=300, epsilon=1, delta=DELTA, lower=0, upper=1),
    ),
    "weights": (
        private_multiplicative_weights.Interactive,
        private_multiplicative_weights.Params(
            n=1000, d=1, k=3, epsilon=1, cells=4, lower=0, upper=1
        ),
    ),
    "average sign": (
        average_sign.release,
        curves.Params(n=2, epsilon=1, delta=DELTA, lower=0, upper=1),
    ),
    "anchored": (
        anchored.release,
        curves.Params(n=2, epsilon=1, delta=DELTA, diameter=0.5, lower=0, upper=1),
    ),
    "counting": (
        continual_counting.release,
        curves.Params(n=2, epsilon=1, delta=DELTA, lower=0, upper=1),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_of_the_wrong_kind_is_named_before_anything_is_paid(name):
    make, params = CALLS[name]
    data, curator = np.full(params.n, 0.5), params.curator(rng=0)
    with pytest.raises(TypeError, match="curator must be a Curator, not None"):
        make(data, params, None)
    with pytest.raises(TypeError, match="params must be the Params of this mechanism, not None"):
        make(data, None, curator)
    with pytest.raises(ValueError, match="curator must have a budget epsilon"):
        make(data, params, Curator(rho=1, delta=0.5, rng=0))
    with pytest.raises((TypeError, ValueError), match=r"^(data|queries) must"):
        make(None, params, curator)
    assert curator.ledger.charges == ()


@pytest.mark.parametrize("value", [1, None, "yes", 0.0])
def test_convex_is_true_or_false(value):
    with pytest.raises(ValueError, match=f"convex must be True or False, not {value!r}"):
        curves.Params(n=2, epsilon=1, convex=value, lower=0, upper=1)


def test_an_answer_needs_a_release():
    with pytest.raises(TypeError, match="release must be Curves, not 3"):
        curves.answer(3, [0.5])


@pytest.mark.parametrize("queries", [[[0.1, 0.2]], np.zeros((2, 2, 1)), ["x"], [[0.1], [0.2, 0.3]]])
def test_queries_of_another_shape_are_refused_before_anything_is_paid(queries):
    params = noise_per_query.Params(n=2, d=1, k=3, epsilon=1, lower=0, upper=1)
    curator = params.curator(rng=0)
    with pytest.raises((TypeError, ValueError), match="queries must"):
        noise_per_query.release([0.1, 0.2], params, curator, queries=queries)
    assert curator.ledger.charges == ()
    asked_ = l1.Params(n=2, d=1, k=3, epsilon=1, lower=0, upper=1)
    mechanism = l1.Interactive([0.1, 0.2], asked_, curator)
    with pytest.raises((TypeError, ValueError), match="queries must"):
        mechanism.answer_all(queries)
