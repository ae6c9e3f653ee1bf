"""LP decoding: exact without noise, with corrupted answers, below the bound on any attack."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dpviz.audit.transcript import faults
from dpviz.papers.fat_shattering.linear_reconstruction import (
    METHODS,
    Params,
    _publish,
    attack_accuracy_bound,
    decode,
    release,
    trial,
)
from dpviz.privacy.curator import BudgetExceeded, Curator

PRIVATE = Params(epsilon=1)
BITS = np.random.default_rng(0).integers(0, 2, 64)


def mean(runs=5, data=BITS, **settings_):
    params = Params(**{"method": "L1", **settings_})
    return np.mean([trial(params, data, rng=i)["recovered"] for i in range(runs)])


@pytest.mark.parametrize("method", METHODS)
def test_exact_answers_to_two_questions_a_person_give_all_back(method):
    for seed in range(5):
        data = np.random.default_rng(seed).integers(0, 2, 32)
        params = Params(ratio=2, noise=0.0, method=method)
        assert trial(params, data, rng=seed)["recovered"] == 1.0


# 5 runs of 64 bits: a standard error of at most sqrt(1/4/320) = 0.028, times 4.
@pytest.mark.parametrize(
    ("ratio", "noise", "share"),
    [(2, 0.2, 0.928), (2, 1, 0.631), (4, 0.35, 0.866), (4, 1, 0.659), (8, 0.5, 0.884)],
)
def test_the_curves_of_recovery(ratio, noise, share):
    assert mean(ratio=ratio, noise=noise) == pytest.approx(share, abs=0.112)


def test_more_questions_undo_noise():
    """Statements: R10 Section 1.1 (blatant non-privacy)."""
    shares = [mean(runs=8, ratio=ratio, noise=0.35) for ratio in (2, 4, 8)]
    assert shares == sorted(shares)


def test_lies_ruin_least_squares_and_not_the_sum_of_misfits():
    corrupted = {"noise": 0.0, "corrupted": 0.3}
    assert mean(**corrupted) == 1.0
    assert mean(method="least squares", noise=0.0, corrupted=0.05) < 0.85


def test_least_squares_is_as_good_under_gaussian_noise():
    shares = [mean(runs=8, method=d, noise=0.2) for d in ("least squares", "L1")]
    assert shares[0] == pytest.approx(shares[1], abs=0.05)  # one run in 512 bits: 3 sd of 0.012


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 3.0])
def test_no_private_answers_give_more_than_the_ceiling(epsilon):
    """Fresh fair bits; exact binomial, false alarms below 1e-6."""
    right, n, runs = 0, 32, 20
    for seed in range(runs):
        data = np.random.default_rng(seed).integers(0, 2, n)
        right += round(n * trial(Params(epsilon=epsilon), data, rng=seed + 1)["recovered"])
    assert right <= binom(n * runs, attack_accuracy_bound(epsilon=epsilon)).ppf(1 - 1e-6)


def test_the_ceiling_is_reached_by_randomised_response():
    e = np.exp(1.3)
    assert attack_accuracy_bound(epsilon=1.3) == pytest.approx(e / (1 + e))
    assert attack_accuracy_bound(epsilon=0.0) == 0.5
    assert attack_accuracy_bound(epsilon=1.0, delta=0.9) == pytest.approx((np.e + 0.9) / (1 + np.e))


@given(st.lists(st.integers(0, 1), min_size=2, max_size=8), st.integers(0, 7), st.integers(0, 99))
@settings(max_examples=60)
def test_private_counts_keep_what_they_promise(bits, who, seed):
    data, other = np.array(bits), np.array(bits)
    other[who % len(bits)] ^= 1
    subsets = np.random.default_rng(seed).random((9, len(bits))) < 0.5

    def run(data, curator):
        return release(data, Params(epsilon=1.0), curator, queries=subsets)

    assert faults(run, data, other, rng=seed, epsilon=1.0) == []


def test_the_sensitivity_is_reached_and_half_of_it_is_caught():
    subsets = np.array([[1, 1], [1, 0], [1, 1]])

    def weak(data, curator):
        return curator.laplace(subsets @ data, sensitivity=1.5, epsilon=1.0, label="counts")

    found = faults(weak, np.array([0, 1]), np.array([1, 1]), rng=0, epsilon=1.0)
    assert any("moved by 3, paid for 1.5" in sentence for sentence in found)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Params(noise=-1), "noise must be"),
        (lambda: Params(corrupted=1.1), "corrupted must be"),
        (lambda: Params(method="L3"), "method must be one of"),
        (lambda: Params(epsilon=0), "epsilon must be"),
        (lambda: Params(epsilon=1, delta=0.1), "delta must be"),
        (lambda: Params(distribution="cauchy"), "distribution must be one of"),
        (lambda: release([1], Params(), Curator(epsilon=1, rng=0), queries=[[1]]), "^epsilon must"),
        (lambda: release([1], PRIVATE, PRIVATE.curator(rng=0)), "^queries must be given"),
        (lambda: decode([[1, 0]], [1.0, 2.0]), r"answers must have shape \(1,\)"),
        (lambda: decode([[0.5, 0]], [1.0]), "queries must hold zeros and ones"),
        (lambda: decode([], []), "queries must have shape"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("data", [[np.nan, 1], ["secret", 1], [], [[1, 0]]])
def test_bad_data_are_refused_before_anything_is_spent_and_not_shown(data):
    curator = Curator(epsilon=1, rng=0)
    with pytest.raises(ValueError, match=r"^data must be a vector of zeros and ones$"):
        release(data, PRIVATE, curator, queries=np.ones((3, 2)))
    assert not curator.ledger.charges


def test_what_cannot_be_paid_is_not_published():
    with pytest.raises(BudgetExceeded):
        release([1, 0], Params(epsilon=2), Curator(epsilon=1, rng=0), queries=np.ones((3, 2)))


def test_bits_and_subsets_may_be_given():
    """Exact counts of every pair of neighbours, and of the first alone, give all bits back."""
    subsets = np.eye(9) + np.eye(9, k=1)
    found = trial(Params(noise=0.0), queries=subsets, rng=0, n=9)
    assert found["recovered"] == 1.0
    assert found["error"] == pytest.approx(0.0)


def test_corrupted_answers_are_as_many_as_said():
    data = np.ones(40)
    published = _publish(data, Params(noise=0, corrupted=0.25), np.random.default_rng(3))
    assert (published.answers != published.queries @ data).sum() == 40
