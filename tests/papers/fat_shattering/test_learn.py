"""Private learning of thresholds: sensitivity, transcript, bound, and what privacy costs."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dpviz.audit.transcript import faults
from dpviz.papers.fat_shattering.threshold_learner import (
    Params,
    _mistakes,
    error_bound,
    release,
    trial,
)
from dpviz.privacy.curator import Curator
from dpviz.sweeps.sweep import sweep

RECORD = st.tuples(st.integers(-1, 5), st.integers(0, 1))


@given(st.lists(RECORD, min_size=1, max_size=12))
def test_mistakes_are_counted_as_the_rule_makes_them(data):
    cells = 4
    found = _mistakes(data, cells)
    for start in range(cells + 1):
        said = np.clip(np.array(data)[:, 0], 0, cells - 1) >= start
        assert found[start] == (said != np.array(data)[:, 1]).sum()


def test_the_sensitivity_is_1_by_brute_force():
    records = list(itertools.product(range(3), (0, 1)))
    for rest in itertools.combinations_with_replacement(records, 2):
        counts = np.array([_mistakes([*rest, record], 3) for record in records])
        assert np.ptp(counts, axis=0).max() == 1


@given(st.lists(RECORD, min_size=1, max_size=8), RECORD, st.integers(0, 99))
@settings(max_examples=60)
def test_the_transcript_of_neighbours_agrees(data, record, seed):
    run = lambda data, curator: release(data, Params(epsilon=1.0, cells=5), curator)  # noqa: E731
    assert faults(run, data, [*data[:-1], record], rng=seed, epsilon=1.0) == []


def test_an_average_instead_of_a_count_is_caught():
    def weak(data, curator):
        scores = -2.0 * _mistakes(data, 5)
        return curator.choose(scores, sensitivity=1.0, epsilon=1.0, label="rule")

    found = faults(weak, [[0, 1], [3, 1]], [[0, 1], [3, 0]], rng=0, epsilon=1.0)
    assert any("moved by 2, paid for 1" in sentence for sentence in found)


@pytest.mark.parametrize("n", [200, 3000])
def test_the_bound_holds(n):
    """beta = 0.05, 200 runs, false alarm below 1e-6.

    Statements: R10 Section 1 (learning).
    """
    params = Params(epsilon=0.5, cells=64)
    runs = [trial(params, n=n, rng=i) for i in range(200)]
    wrong = sum(run["excess"] > run["bound"] for run in runs)
    assert wrong <= binom(200, 0.05).ppf(1 - 1e-6)
    assert error_bound(params, n=10**6) < 0.01


def test_privacy_costs_a_term_that_falls_faster_than_sampling():
    """At 100 people the private rule is worse; at 10,000 it is as good, within its noise."""
    params = Params(epsilon=0.5, cells=64)
    found = sweep(trial, params, {"n": [100, 1000, 10_000]}, repeats=100, rng=1)
    private, nonprivate = found["excess"].mean(axis=1), found["nonprivate"].mean(axis=1)
    assert private[0] > 1.5 * nonprivate[0]
    assert private[2] < 2 * nonprivate[2] + 0.005
    assert (np.diff(private) < 0).all()


def test_people_may_be_given():
    params = Params(epsilon=50.0, cells=4)
    found = trial(params, [[0, 0], [1, 0], [2, 1], [3, 1]] * 9, rng=0)
    assert (found["excess"], found["bound"]) == (0.0, error_bound(params, n=36))


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="cells must be"):
        Params(epsilon=1.0, cells=0)
    with pytest.raises(ValueError, match="delta must be"):
        Params(epsilon=1.0, delta=0.1, cells=4)
    with pytest.raises(ValueError, match="beta must be"):
        Params(epsilon=1.0, cells=4, beta=1)
    with pytest.raises(ValueError, match="label_noise must be"):
        trial(Params(epsilon=1.0, cells=4), n=10, label_noise=0.7, rng=0)
    curator = Curator(epsilon=1.0, rng=0)
    for data in ([1.0, 2.0], [[1, 2, 3]], [[np.nan, 1]], [[1, 7]], [[1, -3]]):
        with pytest.raises(ValueError, match=r"^data must"):
            release(data, Params(epsilon=1.0, cells=4), curator)
    assert not curator.ledger.charges
