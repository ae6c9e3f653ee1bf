"""RecConcave: its cost, its block claim, its promise, its transcript."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.audit.transcript import faults
from dpviz.papers.small_cluster import rec_concave
from dpviz.privacy.curator import Curator


def quasi_concave(rng, size, height):
    """Quasi-concave scores with a plateau of random width and steep or gentle flanks."""
    width = int(2 ** rng.uniform(0, np.log2(size)))
    start = rng.integers(0, size - width + 1)
    place = np.arange(size)
    off = np.maximum(0, np.maximum(start - place, place - start - width + 1))
    return np.minimum(height, height - off * 2.0 ** rng.integers(-4, 6))


@pytest.mark.parametrize(("size", "depth"), [(5, 1), (32, 1), (33, 2), (2**31, 2), (2**31 + 1, 3)])
def test_the_depth_follows_from_the_number_of_candidates(size, depth):
    assert rec_concave.levels(size) == depth


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_the_cost_is_exact_by_depth_and_paid_to_the_last_bit(depth, monkeypatch):
    """Three levels really reached need more candidates than fit here: 4 count as few instead."""
    monkeypatch.setattr(rec_concave, "FEW", 4)
    curator = Curator(epsilon=1.0, delta=1e-3, rng=0)
    scores = np.zeros(1000)
    params = rec_concave.Params(candidates=1000, promise=1, epsilon=1.0, delta=1e-3, depth=depth)
    rec_concave.release(scores, params, curator)
    (charge,) = curator.ledger.charges
    steps = charge.sub_ledger.charges
    assert len(steps) == 3 * depth - 2
    assert sum(step.verb == "stable_choice" for step in steps) == 2 * (depth - 1)
    assert charge.sub_ledger.spent.epsilon == pytest.approx(1.0, rel=1e-12)  # 3 depth - 2 shares
    assert charge.sub_ledger.spent.delta == pytest.approx(1e-3 if depth > 1 else 0)


@given(st.integers(0, 10**9))
@settings(max_examples=3000, deadline=None)
def test_without_noise_the_named_blocks_hold_a_window_of_good_places(seed):
    """The claim behind the bound, for every exponent that is good enough."""
    rng = np.random.default_rng(seed)
    size, alpha, promise = int(rng.integers(33, 3000)), 0.5, 1.0
    scores = quasi_concave(rng, size, promise)
    best = rec_concave.windows(scores)
    wide = np.minimum(best[:-1] - (1 - alpha) * promise, promise - best[1:])
    for k in np.flatnonzero(wide >= 3 * alpha / 8 * promise):
        window, led, named = 2**k, [], []
        for offset in (0, 4 * window):
            starts = rec_concave.block_starts(size, window, offset)
            tops = np.maximum.reduceat(scores, starts)
            first = int(np.argmax(tops))
            led.append(tops[first] - np.delete(tops, first).max(initial=-np.inf))
            named.append(scores[starts[first] : [*starts[1:], size][first]])
        block = named[int(np.argmax(led))]
        assert max(led) >= 3 * alpha / 8 * promise - 1e-9  # scores are multiples of 1/16
        assert (block >= (1 - 5 * alpha / 8) * promise).sum() >= min(window, size // 2)
        assert len(block) <= 8 * window


@given(st.integers(0, 10**9), st.integers(2, 300))
def test_windows_are_best_minima_and_move_by_at_most_one(seed, size):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-9, 9, size).astype(float)
    moved = scores + rng.integers(-1, 2, size)
    padded = np.append(scores, np.full(2 ** rec_concave.exponents(size) - size, min(0, scores[-1])))
    view = np.lib.stride_tricks.sliding_window_view
    brute = [view(padded, 2**j).min(axis=1).max() for j in range(rec_concave.exponents(size) + 1)]
    assert rec_concave.windows(scores)[:-1].tolist() == brute
    assert np.abs(rec_concave.windows(scores) - rec_concave.windows(moved)).max() <= 1


# Statements: NSV Theorem 4.3.
def test_the_promise_suffices_and_half_a_percent_of_it_does_not():
    """200 narrow peaks, beta = 0.1: more than 34 failures have probability 1e-3 if the bound
    held only just (binomial). At 1/200 of the promise most choices fail: the test can fail."""
    size, budget = 2000, {"epsilon": 1.0, "delta": 1e-3}
    params = rec_concave.Params(candidates=size, **budget, beta=0.1)
    promise = rec_concave.error_bound(params)
    failures = {1.0: 0, 0.005: 0}
    for share in failures:
        for seed in range(200):
            rng = np.random.default_rng(seed)
            scores = quasi_concave(rng, size, share * promise)
            less = replace(params, promise=share * promise)
            chosen = rec_concave.release(scores, less, less.curator(rng=rng))
            failures[share] += scores[chosen] < share * promise / 2
    assert failures[1.0] <= 34
    assert failures[0.005] >= 50


def chosen(scores, curator):
    params = rec_concave.Params(candidates=90, promise=20, epsilon=4, delta=0.1)
    return rec_concave.release(scores, params, curator)


# Statements: NSV Theorem 4.3.
@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=60)
def test_transcripts_agree_whatever_the_scores(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 30, 90)
    moved = scores + rng.uniform(-1, 1, 90)
    assert faults(chosen, scores, moved, rng=seed, epsilon=4.0, delta=0.1) == []


def test_the_transcript_catches_scores_that_move_by_more_than_one():
    found = faults(chosen, np.zeros(90), np.full(90, 1.5), rng=0, epsilon=4.0, delta=0.1)
    assert any("moved by 1.5" in fault for fault in found)


def test_the_papers_promise_is_thousands_of_times_ours():
    params = rec_concave.Params(candidates=2**17, epsilon=1, delta=1e-6, beta=0.05)
    assert rec_concave.paper_bound(params) > 1e5 * rec_concave.error_bound(params)


def test_bad_arguments_are_refused_before_anything_is_spent():
    curator = Curator(epsilon=1, delta=1e-3, rng=0)
    for bad in ({"promise": 0}, {"alpha": 1}, {"depth": 0}, {"delta": 0}):
        numbers = {"candidates": 100, "promise": 1, "epsilon": 1, "delta": 1e-3, **bad}
        with pytest.raises(ValueError, match=next(iter(bad))):
            rec_concave.release(np.zeros(100), rec_concave.Params(**numbers), curator)
    params = rec_concave.Params(candidates=101, epsilon=1, delta=1e-3)
    with pytest.raises(ValueError, match="101 scores"):
        rec_concave.release(np.zeros(100), params, curator)
    assert curator.ledger.charges == ()
