"""The auditor: catches what is short of noise, and seldom accuses the innocent."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from dpviz.audit import auditor
from dpviz.audit.auditor import Finding, alarms, audit
from dpviz.audit.broken import CORRECT, FAULTS
from dpviz.audit.broken_mechanisms import laplace_noise

RUNS = 200
ZERO, ONE = np.zeros(1), np.ones(1)


def audit_of(fault, samples, seed):
    claim = {"samples": samples, "delta": fault.delta}
    return audit(fault.mechanism, fault.data, fault.neighbour, rng=seed, **claim)


def false_alarms(samples):
    """Alarms in 200 audits of the sound mechanisms in turn, each on its worst pair."""
    cases = [list(CORRECT.values())[i % len(CORRECT)] for i in range(RUNS)]
    return sum(alarms(audit_of(f, samples, i), f.epsilon) for i, f in enumerate(cases))


def allowed(level):
    """The 99.9 % quantile of alarms in 200 runs that alarm at this level."""
    return stats.binom(RUNS, level).ppf(0.999)


def test_sound_mechanisms_are_seldom_accused():
    """Stated level 1 %: 8 alarms or fewer. False alarm of this test below 1e-3."""
    assert false_alarms(2_000) <= allowed(0.01) == 8


@pytest.mark.slow
def test_sound_mechanisms_are_seldom_accused_at_full_size():
    """As above at 1e5 samples a side: below 1e-3."""
    assert false_alarms(100_000) <= allowed(0.01)


def noise_alone(data, samples, rng):
    """The same on both sides: the true epsilon is 0."""
    return rng.normal(size=(samples, 3))


def test_a_bound_above_zero_is_rare_where_nothing_leaks():
    """Level 10 %, 200 runs: at most the 99.9 % quantile 34. False alarm below 1e-3."""
    runs = [audit(noise_alone, 0, 1, samples=400, confidence=0.9, rng=i) for i in range(RUNS)]
    assert sum(run.lower > 0 for run in runs) <= allowed(0.1) == 34


def test_judging_the_samples_that_were_fitted_would_accuse_the_innocent(monkeypatch):
    def stale(codes, quarter):
        fit = codes[:, :quarter]
        return fit, fit, np.concatenate([fit, fit], axis=1)

    monkeypatch.setattr(auditor, "_parts", stale)
    runs = [audit(noise_alone, 0, 1, samples=400, confidence=0.9, rng=i) for i in range(RUNS)]
    assert sum(run.lower > 0 for run in runs) > allowed(0.1)


@pytest.mark.parametrize("short", [0.05, 0.1])
def test_noise_a_little_too_small_is_caught(short):
    """Power in unseeded runs: 87 % at 5 %, 300 of 300 at 10 %. Here the seeds are fixed."""
    mechanism = partial(laplace_noise, epsilon=1 / (1 - short))
    found = [audit(mechanism, ZERO, ONE, rng=seed) for seed in (0, 1, 2)]
    assert all(alarms(finding, 1.0) for finding in found)
    assert all(finding.lower < 1 / (1 - short) for finding in found)  # false alarm below 1e-3 each


@pytest.mark.slow
def test_two_per_cent_needs_four_million():
    mechanism = partial(laplace_noise, epsilon=1 / 0.98)
    assert not alarms(audit(mechanism, ZERO, ONE, rng=0), 1.0)
    assert alarms(audit(mechanism, ZERO, ONE, samples=4_000_000, rng=0), 1.0)


def test_the_bound_is_that_of_clopper_and_pearson():
    """Against scipy's interval, and the rule of no hits: 1 - alpha^(1/n)."""
    low = stats.binomtest(700, 1000).proportion_ci(0.99, "exact").low
    high = stats.binomtest(90, 1000).proportion_ci(0.99, "exact").high
    found = auditor._bounds(700, 90, 1000, delta=0.1, alpha=0.005)
    assert found == pytest.approx(np.log((low - 0.1) / high), rel=1e-9)
    none = auditor._bounds(1000, 0, 1000, delta=0, alpha=0.005)
    assert none == pytest.approx(np.log(0.005**0.001 / (1 - 0.005**0.001)), rel=1e-9)
    assert auditor._bounds(0, 1000, 1000, delta=0, alpha=0.005) == 0


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_smallest_is_the_least_share_that_can_prove_anything(delta):
    """One hit fewer proves nothing: Clopper and Pearson's ends from scipy, on 1000 judged."""
    finding = audit(noise_alone, 0, 1, samples=2000, delta=delta, rng=0)
    positives = round(finding.smallest * finding.judged)
    low, less = (stats.beta(k, 1001 - k).ppf(0.005) for k in (positives, positives - 1))
    assert less - delta <= stats.beta(1, 1000).ppf(0.995) < low - delta


def test_too_few_samples_for_a_large_delta_can_prove_nothing():
    assert audit(noise_alone, 0, 1, samples=100, delta=0.95, rng=0).smallest == np.inf


def far(data, samples, rng, chance):
    """With this chance 1000 is added to one of three coordinates; the others are noise."""
    out = rng.normal(size=(samples, 3))
    out[:, 1] += 1000 * data * (rng.uniform(size=samples) < chance)
    return out


@pytest.mark.parametrize(("chance", "least"), [(0.02, 4.5), (0.002, 2)])
@pytest.mark.parametrize("pair", [(0, 1), (1, 0), (0, -1)])
def test_what_is_far_and_seldom_is_seen(pair, chance, least):
    """At either end, on either side. Without a hit at all, ln(p n / 5.3): 5.2 and 2.9."""
    assert audit(partial(far, chance=chance), *pair, rng=0).lower > least


def test_a_rare_value_amid_the_others_is_seen():
    """One run in two hundred gives exactly 1/3, which is no tail and no gap."""

    def stuck(data, samples, rng):
        out = rng.normal(size=samples)
        return np.where(data * (rng.uniform(size=samples) < 0.005), 1 / 3, out)

    assert audit(stuck, 0, 1, rng=0).lower > 2.5


def reaches_half(data, samples, rng):
    """1 with probability 0.5 on one side and 0.2 on the other."""
    return rng.uniform(size=samples) < (0.5 if data else 0.2)


def test_finding_is_the_known_answer_on_a_coin():
    """Truth ln 2.5, from either side; counts within 5 sd (false alarm 1e-6)."""
    for pair, side in [((1, 0), "data"), ((0, 1), "neighbour")]:
        finding = audit(reaches_half, *pair, rng=3)
        assert 0.85 < finding.lower < np.log(2.5)
        assert f"likelier with {side}, such as (1)" in finding.event
        assert finding.judged == 50_000
        assert finding.counts[0] == pytest.approx(25_000, abs=5 * 112)
        assert finding.counts[1] == pytest.approx(10_000, abs=5 * 90)


def test_delta_is_granted():
    """A leak of probability 0.01 shows without delta, and is forgiven with delta 0.01."""

    def slip(data, samples, rng):
        return np.where(rng.uniform(size=samples) < 0.01, data, 0.5)

    assert audit(slip, 0.0, 1.0, rng=0).lower > 4
    assert audit(slip, 0.0, 1.0, delta=0.01, rng=0).lower == 0


def test_nan_and_infinities_are_values_like_others():
    def codes(data, samples, rng):
        return rng.choice([np.nan, np.inf, -np.inf, 0.0], size=samples, p=data)

    pairs = np.full((4, 4), 0.1) + 0.6 * np.eye(4)
    for i in range(4):
        assert audit(codes, pairs[i], pairs[i - 1], samples=20_000, rng=i).lower > 1.5


def test_values_that_come_on_one_side_only_are_seen():
    """Two words that data never says, among eight: the bound is that of no hits, ln(p n / 5.3)."""

    def words(data, samples, rng):
        return rng.integers(data, size=samples) * 10.0

    assert audit(words, 6, 8, rng=0).lower == pytest.approx(7.7, abs=0.2)


def test_the_same_seed_gives_the_same_finding():
    fault = FAULTS["variant 6"]
    assert audit_of(fault, 2_000, 5) == audit_of(fault, 2_000, 5)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"samples": 10}, ValueError, "samples must be a whole number, at least 100"),
        ({"samples": 1e5}, TypeError, "samples must be a whole number"),
        ({"delta": 1}, ValueError, "delta must be"),
        ({"delta": -0.1}, ValueError, "delta must be"),
        ({"confidence": 1}, ValueError, "confidence must be"),
        ({"rng": "seven"}, TypeError, "rng must be a seed"),
        ({"mechanism": lambda *_: np.zeros(3)}, ValueError, "must give 400 outputs"),
        ({"mechanism": lambda *_: np.zeros((400, 0))}, ValueError, "must give 400 outputs"),
        ({"mechanism": lambda *_: np.full(400, "yes")}, TypeError, "must give numbers"),
        ({"mechanism": lambda data, *_: np.zeros((400, data))}, ValueError, "of one shape"),
    ],
)
def test_bad_arguments_are_named(change, error, message):
    good = {"mechanism": noise_alone, "data": 1, "neighbour": 2, "samples": 400, "rng": 0}
    with pytest.raises(error, match=message):
        audit(**{**good, **change})


def test_a_claim_is_positive():
    with pytest.raises(ValueError, match="claimed must be"):
        alarms(Finding(1.0, 0.99, 0.0, "", (1, 0), 1, 1.0), 0.0)
