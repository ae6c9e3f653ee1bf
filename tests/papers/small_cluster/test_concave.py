"""RecConcave: its cost, its block claim, its promise, its transcript."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import laplace

from dpviz.audit.transcript import faults
from dpviz.papers.small_cluster import rec_concave
from dpviz.privacy.curator import Curator
from dpviz.privacy.exponential_mechanism import StepFunction


def quasi_concave(rng, size, height):
    """Quasi-concave scores with a plateau of random width and steep or gentle flanks."""
    width = int(2 ** rng.uniform(0, np.log2(size)))
    start = rng.integers(0, size - width + 1)
    place = np.arange(size)
    off = np.maximum(0, np.maximum(start - place, place - start - width + 1))
    return np.minimum(height, height - off * 2.0 ** rng.integers(-4, 6))


def block_starts(size, window, offset):
    """First places of the blocks of 8 windows, cut so that one boundary lies at ``offset``."""
    starts = np.arange(offset, size, 8 * window)
    return starts if offset == 0 else np.append(0, starts)


@pytest.mark.parametrize(("size", "depth"), [(5, 1), (32, 1), (33, 2), (2**31, 2), (2**31 + 1, 3)])
def test_the_depth_follows_from_the_number_of_candidates(size, depth):
    assert rec_concave._levels(size) == depth


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
@settings(max_examples=10 * settings.default.max_examples)
def test_without_noise_the_named_blocks_hold_a_window_of_good_places(seed):
    """The claim behind the bound, for every exponent that is good enough."""
    rng = np.random.default_rng(seed)
    size, alpha, promise = int(rng.integers(33, 3000)), 0.5, 1.0
    scores = quasi_concave(rng, size, promise)
    best = rec_concave._windows(rec_concave._laid_out(scores))
    wide = np.minimum(best[:-1] - (1 - alpha) * promise, promise - best[1:])
    for k in np.flatnonzero(wide >= 3 * alpha / 8 * promise):
        window, led, named = 2**k, [], []
        for offset in (0, 4 * window):
            starts = block_starts(size, window, offset)
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
    padded = np.append(
        scores, np.full(2 ** rec_concave._exponents(size) - size, min(0, scores[-1]))
    )
    view = np.lib.stride_tricks.sliding_window_view
    brute = [view(padded, 2**j).min(axis=1).max() for j in range(rec_concave._exponents(size) + 1)]
    best, after = (rec_concave._windows(rec_concave._laid_out(each)) for each in (scores, moved))
    assert best[:-1].tolist() == brute
    assert np.abs(best - after).max() <= 1


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


class Branch(Exception):
    """A question without a prepared reply: (reply, chance) of all replies it may have."""


class Law:
    """Stands in front of a curator: replies as prepared, then stops and gives the law of a reply.

    With it every branch of a mechanism can be followed, so that the law of what comes out is
    exact. Scores come as a vector or as a step function.
    """

    def __init__(self, replies):
        self.replies = iter(replies)

    def sub_curator(self, **_):
        return self

    def ask(self, law):
        reply = next(self.replies, law)
        if reply is law:
            raise Branch(law())
        return reply

    def choose(self, scores, *, epsilon, **_):
        return self.ask(lambda: list(enumerate(softmax(epsilon / 2, scores))))

    def stable_choice(self, scores, *, epsilon, delta, **_):
        return self.ask(lambda: named(scores, epsilon, delta))


def softmax(half, scores):
    """Chances of the exponential mechanism; of a step function by intervals, then laid out."""
    if isinstance(scores, StepFunction):
        weights = scores.lengths * np.exp(half * (scores.values - scores.values.max()))
        return np.repeat(weights / weights.sum() / scores.lengths, scores.lengths)
    weights = np.exp(half * (scores - scores.max()))
    return weights / weights.sum()


def named(scores, epsilon, delta):
    """What the stability-based selection says, and with which chance."""
    if isinstance(scores, StepFunction):
        best, lead = scores.highest()
    else:
        best = int(np.argmax(scores))
        lead = scores[best] - np.delete(scores, best).max(initial=-np.inf)
    noise = laplace(scale=2 / epsilon).sf(2 + 2 / epsilon * np.log(1 / (2 * delta)) - lead)
    return [(best, noise), (None, 1 - noise)]


def law_of(mechanism, size):
    """The exact chance of each candidate."""
    chances, open_branches = np.zeros(size), [((), 1.0)]
    while open_branches:
        replies, chance = open_branches.pop()
        try:
            chances[mechanism(Law(replies))] += chance
        except Branch as question:
            open_branches += [((*replies, r), chance * p) for r, p in question.args[0]]
    return chances


def descend_laid_out(scores, promise, alpha, depth, curator, step):
    """RecConcave with every score laid out, straight from its definition."""
    choose = {"epsilon": step["epsilon"]}
    if depth == 1 or len(scores) <= rec_concave.FEW:
        return curator.choose(scores, **choose)
    m = rec_concave._exponents(len(scores))
    padded = np.append(scores, np.full(2**m - len(scores), min(0, scores[-1])))
    view = np.lib.stride_tricks.sliding_window_view
    best = [view(padded, 2**j).min(axis=1).max() for j in range(m + 1)]
    best = np.array([*best, min(0, best[-1])])
    wide = np.minimum(best[:-1] - (1 - alpha) * promise, promise - best[1:])
    k = descend_laid_out(wide, alpha / 2 * promise, 0.25, depth - 1, curator, step)
    places = []
    for offset in (0, 4 * 2**k):
        starts = block_starts(len(scores), 2**k, offset)
        block = curator.stable_choice(np.maximum.reduceat(scores, starts), **step)
        if block is not None:
            places.append(np.arange(starts[block], [*starts[1:], len(scores)][block]))
    where = np.unique(np.concatenate(places)) if places else np.array([0])
    return int(where[curator.choose(scores[where], **choose)])


# Statements: NSV Remark 4.4.
@given(st.integers(0, 10**9), st.sampled_from([(2, 40), (3, 12)]))
@settings(max_examples=8, deadline=None)
def test_by_intervals_the_law_of_the_choice_is_that_of_all_scores_laid_out(seed, depth_and_most):
    """Every branch is followed; few intervals or many, quasi-concave or not; also three levels."""
    rng, (depth, most) = np.random.default_rng(seed), depth_and_most
    size = int(rng.integers(6, most))
    starts = np.append(0, 1 + np.flatnonzero(rng.random(size - 1) < rng.choice([0.05, 0.3, 1])))
    steps = StepFunction(starts, rng.integers(-40, 40, len(starts)) / 2.0, size)
    step, promise = {"epsilon": 1.0, "delta": 0.05}, 15.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rec_concave, "FEW", 4)
        laws = [
            law_of(lambda c: rec_concave._descend(steps, promise, 0.5, depth, c, step), size),
            law_of(
                lambda c: descend_laid_out(steps.at(np.arange(size)), promise, 0.5, depth, c, step),
                size,
            ),
        ]
    assert laws[1].sum() == pytest.approx(1, rel=1e-9)
    assert laws[0] == pytest.approx(laws[1], rel=1e-9, abs=1e-15)


@given(st.integers(0, 10**9), st.integers(1, 300))
@settings(deadline=None)
def test_the_tops_of_blocks_are_those_of_all_scores_laid_out(seed, size):
    rng = np.random.default_rng(seed)
    starts = np.append(0, 1 + np.flatnonzero(rng.random(size - 1) < rng.choice([0.02, 0.2, 1])))
    steps = StepFunction(starts, rng.normal(size=len(starts)), size)
    for window in 2 ** np.arange(6):
        for offset in (0, int(4 * window)):
            begin = block_starts(size, window, offset)
            tops = rec_concave._block_tops(steps, int(window), offset)
            laid_out = np.maximum.reduceat(steps.at(np.arange(size)), begin[begin < size])
            assert tops.at(np.arange(tops.size)).tolist() == laid_out.tolist()
            ends = [rec_concave._block(i, size, int(window), offset) for i in range(tops.size)]
            assert ends == list(zip(begin, [*begin[1:], size], strict=True))


# Statements: NSV Remark 4.4.
def test_a_line_of_2_to_the_50_costs_its_intervals_and_finds_the_narrow_peak():
    """40 runs of failure chance 0.1 at most: 14 failures have probability below 1e-4."""
    params = rec_concave.Params(candidates=2**50, epsilon=1.0, delta=1e-3, beta=0.1)
    height, place = rec_concave.error_bound(params), 2**49 + 12_345
    scores = StepFunction([0, place, place + 7], [0.0, height, 0.0], 2**50)
    chosen = [rec_concave.release(scores, params, params.curator(rng=i)) for i in range(40)]
    assert sum(not place <= each < place + 7 for each in chosen) < 14


# Statements: NSV Remark 4.4.
@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=40)
def test_transcripts_agree_although_the_intervals_differ(seed):
    rng = np.random.default_rng(seed)
    starts = np.append(0, np.unique(rng.integers(1, 2**40, 6)))
    more = np.union1d(starts, rng.integers(1, 2**40, 6))
    coarse = StepFunction(starts, rng.normal(0, 30, len(starts)), 2**40)
    moved = coarse.at(more) + rng.uniform(-1, 1, len(more))
    both = [coarse, StepFunction(more, moved, 2**40)]
    params = rec_concave.Params(candidates=2**40, promise=20, epsilon=4, delta=0.1)
    run = lambda scores, curator: rec_concave.release(scores, params, curator)  # noqa: E731
    assert faults(run, *both, rng=seed, epsilon=4.0, delta=0.1) == []
    far = StepFunction(more, moved + 3, 2**40)
    found = faults(run, coarse, far, rng=seed, epsilon=4.0, delta=0.1)
    assert any("moved by" in fault for fault in found)
