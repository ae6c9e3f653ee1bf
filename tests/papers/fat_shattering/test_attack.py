"""Lemmas 1 and 2 on every pair of sets, the pairing remark, attacks against their bound."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.papers.fat_shattering import lower_bounds
from dpviz.papers.fat_shattering.classes import monotone
from dpviz.papers.fat_shattering.dimension import shatter
from dpviz.papers.fat_shattering.linear_reconstruction import attack_accuracy_bound
from dpviz.papers.fat_shattering.reconstruction import (
    Params,
    _close_pairs,
    bucket_attack,
    bucket_members,
    pairing_attack,
    reconstruction_bound,
    shattering_class,
    told_apart,
    trial,
)

GAMMA = 0.25


def drawn_witness(seed, d=8, gamma=GAMMA, lower=None, upper=None):
    rng = np.random.default_rng(seed)
    return rng.uniform(lower or gamma, upper or 1 - gamma, d)


def gains(queries, attack):
    """q_T(D_T) - q_T(D_T') for every pair of sets, and how many cells differ."""
    gain = attack.witness_answers[:, None] - queries[
        attack.witness_queries
    ] @ attack.databases.T.astype(float)
    differing = (attack.databases[:, None] ^ attack.databases[None]).sum(axis=2)
    return gain, differing


def attacked(witness, gamma, make):
    queries = shattering_class(witness, gamma)
    found = shatter(queries, gamma)
    assert found.d == len(witness)
    return queries, make(queries, found)


@pytest.mark.parametrize("make", [bucket_attack, pairing_attack])
def test_every_pair_of_sets_is_told_apart_by_half_gamma_a_cell(make):
    """Lemma 1 and our remark, exhaustively at d = 8; attained where a level gap is gamma.

    Statements: R10 Lemma 1.
    """
    least = []
    for seed in range(30):
        witness = drawn_witness(
            seed, lower=0.25 + 1e-6, upper=0.5 if make is bucket_attack else 0.75
        )
        gain, differing = gains(*attacked(witness, GAMMA, make))
        least.append((gain - GAMMA / 2 * differing).min())
    assert min(least) >= -1e-12  # sums of doubles
    for spread in (0, 0.1, 0.24):  # attained at every spread of the levels of a bucket
        gain, differing = gains(*attacked([0.26, 0.26 + spread] * 3, GAMMA, bucket_attack))
        short = gain - told_apart(GAMMA, spread) / 2 * differing
        assert short[differing > 0].min() == pytest.approx(0, abs=1e-12)
    gain, differing = gains(*attacked([0.25, 0.5, 0.5, 0.75], GAMMA, pairing_attack))
    assert (gain - GAMMA / 2 * differing)[differing > 0].min() == pytest.approx(0, abs=1e-12)


def test_without_leaving_out_wide_pairs_the_inequality_fails():
    """The pair 0.1, 0.9 is no pair: the query that is high on the low level says nothing."""
    witness, gamma = np.array([0.1, 0.9]), 0.1
    assert len(_close_pairs(witness, gamma)) == 0
    high_on_first = witness + gamma * np.array([1, -1])
    assert high_on_first @ [1, -1] < gamma


@given(
    st.integers(0, 10**6), st.sampled_from(["uniform", "gaussian", "laplace"]), st.floats(0.01, 9)
)
@settings(max_examples=60)
def test_the_guess_never_differs_in_more_than_the_bound(seed, noise, scale):
    """Statements: R10 Lemma 2."""
    make = pairing_attack if seed % 2 else bucket_attack
    queries, attack = attacked(drawn_witness(seed), GAMMA, make)
    result = trial(Params(scale=scale, noise=noise), queries=queries, attack=attack, rng=seed)
    assert result["differing"] <= result["bound"] + 1e-9


def test_the_worst_errors_reach_the_bound():
    """Tightness: the truth is said too low by e, another set too high by e."""
    queries, attack = attacked([0.25, 0.5, 0.5, 0.75], GAMMA, pairing_attack)
    truth, other = queries @ attack.databases[0].astype(float), len(attack.databases) - 1
    error = (attack.witness_answers[other] - truth[attack.witness_queries[other]]) / 2 + 1e-9
    answers = truth.copy()
    answers[attack.witness_queries] -= error
    answers[attack.witness_queries[other]] += 2 * error
    differing = (attack.databases[attack.guess(answers)] ^ attack.databases[0]).sum()
    assert differing == 4
    assert differing == pytest.approx(reconstruction_bound(error, GAMMA), rel=1e-6)  # for the 1e-9


def test_the_curves_of_recovery():
    """40 runs a point, 14 points, 3,432 sets. Exact answers give all back, and a private table
    of scale 8 little more than half. Each mean has a standard error below 0.04."""
    queries, attack = attacked([0.5] * 14, GAMMA, bucket_attack)
    assert len(attack.databases) == 3432
    run = partial(trial, queries=queries, attack=attack)
    table = {
        noise: [
            np.mean([run(Params(scale=s, noise=noise), rng=i)["recovered"] for i in range(40)])
            for s in (0.05, 1.0, 8.0)
        ]
        for noise in ("uniform", "gaussian", "laplace")
    }
    expected = {
        "uniform": [1, 0.904, 0.832],
        "gaussian": [1, 0.764, 0.507],
        "laplace": [1, 0.679, 0.539],
    }
    for noise, shares in expected.items():
        assert table[noise] == pytest.approx(shares, abs=0.16), noise  # 4 standard errors
    assert (
        table["laplace"][1] <= attack_accuracy_bound(epsilon=2.0) + 0.16
    )  # distance 2: a person exchanged


def test_a_real_class_can_be_attacked_too():
    """Rising functions of 10 cells: 5 levels a ladder apart, so pairing leaves nothing."""
    queries = monotone(10, steps=10)
    found = shatter(queries, 0.1)
    assert found.d == 5
    assert len(_close_pairs(found.witness, 0.1)) == 0
    assert len(bucket_members(found.witness, 0.1)) == 0


@given(st.integers(0, 10**6), st.sampled_from([0.05, 0.1, 0.2, 0.25, 0.3, 0.5]))
@settings(max_examples=200)
def test_counts_of_buckets_and_pairs(seed, gamma):
    """Erratum: 1/gamma buckets, also where 1/gamma is no whole number; odd sets lose one.

    Statements: R10 Section 3 (buckets).
    """
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 40))
    witness = rng.uniform(gamma, 1 - gamma, d)
    if seed % 3 == 0:  # ladders are the extreme witnesses
        witness = np.resize(np.append(np.arange(gamma, 1 - gamma, gamma * 1.001), 1 - gamma), d)
    members, kept = bucket_members(witness, gamma), _close_pairs(witness, gamma)
    assert len(members) % 2 == 0
    assert len(members) >= lower_bounds.least_bucket(gamma, d)
    assert len(members) >= gamma * d - 1
    assert np.ptp(witness[members]) <= gamma + 1e-12 if len(members) else True
    assert len(kept) >= lower_bounds.least_pairs(gamma, d)


def test_pairing_beats_buckets_on_spread_levels():
    """gamma 0.2, 16 points: 8 pairs hold 16 points, the best bucket holds less."""
    witness = np.linspace(0.2, 0.8, 16)
    assert 2 * len(_close_pairs(witness, 0.2)) == 16
    assert len(bucket_members(witness, 0.2)) < 8


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: shattering_class([0.1], 0.25), "witness must lie between gamma and 1 - gamma"),
        (
            lambda: shattering_class([0.5] * 30, 0.25),
            "patterns: 1073741824 rows of 30 are too many",
        ),
        (lambda: reconstruction_bound(-1, 0.25), "error must be a number with 0 <= error"),
        (lambda: reconstruction_bound(1, 0.75), "gamma must be a number with 0 < gamma <= 0.5"),
        (lambda: Params(scale=1, noise="loud"), "noise must be one of"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
