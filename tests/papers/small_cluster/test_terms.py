"""Each term of each promise of the cluster paper's code has a case in which it dominates."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.audit.transcript import Recorder, Replayer, movement
from dpviz.papers.small_cluster import (
    good_center,
    good_radius,
    interior_point,
    one_cluster,
    rec_concave,
    sample_and_aggregate,
)
from dpviz.papers.small_cluster.public_grid import FAR, grid_points
from dpviz.papers.small_cluster.radius_quality import quality_function, radius_grid, score
from dpviz.privacy import curator as curators
from dpviz.privacy.sparse_vector import threshold_accuracy

SIZE, T = 2**8, 401  # grid points, rows
BY = {
    "binary search": good_radius._by_binary_search,
    "AboveThreshold": good_radius._by_above_threshold,
}


class Asked(Replayer):
    """A replayer that keeps by how much each answer's private value moved, over what is paid."""

    def __init__(self, recorded=(), **budget):
        super().__init__(recorded, **budget)
        self.pairs, self.shares = list(recorded), []

    def _reply(self, question, draw):
        at = len(self.shares)
        moved = movement(self.pairs[at][0].private, question.private, "max")
        self.shares.append((question.charge.label, moved / question.charge.sensitivity))
        return super()._reply(question, draw)

    def _make(self, *how):
        sub_curator = super()._make(*how)
        sub_curator.pairs, sub_curator.shares = self.pairs, self.shares
        return sub_curator


def largest_shares(run, data, other, **budget):
    """Largest movement of each question, over its sensitivity; no fault is allowed."""
    recorder = Recorder(rng=0, **budget)
    run(data, recorder)
    asked = Asked(recorder.questions, rng=0, **budget)
    run(other, asked)
    assert asked.faults == []
    largest = {}
    for label, share in asked.shares:
        largest[label] = max(share, largest.get(label, 0.0))
    return largest


def two_clusters(apart):
    """200 rows each at two places; a record between them sees all, one elsewhere nobody."""
    step = 1 / (SIZE - 1)
    clusters = np.repeat([0.0, 2 * apart], (T - 1) // 2) * step
    return (np.append(clusters, x * step)[:, None] for x in (apart, SIZE - 1))


def one_cluster_alone():
    """400 rows at one place; a record among them, or alone."""
    return (np.append(np.zeros(T - 1), x)[:, None] for x in (0.0, 1.0))


def test_the_score_changes_by_two_less_two_over_t_on_the_worst_pair():
    scores = [score(grid_points(rows, SIZE), T, SIZE) for rows in two_clusters(8)]
    assert np.abs(scores[0] - scores[1]).max() == pytest.approx(2 - 2 / T)


@pytest.mark.parametrize(
    ("method", "label"),
    [("exponential", "radius"), ("binary search", "score"), ("AboveThreshold", "radius")],
)
def test_each_choice_of_a_radius_is_charged_for_the_worst_pair(method, label):
    """Two clusters; the radius at which they are told apart is the first one that a search asks."""
    candidates = radius_grid(SIZE, 1)
    first = (len(candidates) - 2) // 2
    apart = math.floor(candidates[first])
    params = good_radius.Params(t=T, d=1, epsilon=1.0, size=SIZE, method=method, lower=0, upper=1)
    run = lambda rows, curator: good_radius.release(rows, params, curator)  # noqa: E731
    shares = largest_shares(run, *two_clusters(apart), epsilon=1.0)
    assert 0.99 <= shares[label] <= 1


def test_the_score_at_zero_is_charged_for_the_worst_pair():
    """One cluster of 400, and a record in it or not: the score at 0 moves by 2 - 2/t."""
    params = good_radius.Params(
        t=T, d=1, epsilon=1.0, delta=1e-3, size=SIZE, method="RecConcave", lower=0, upper=1
    )
    run = lambda rows, curator: good_radius.release(rows, params, curator)  # noqa: E731
    shares = largest_shares(run, *one_cluster_alone(), epsilon=1.0, delta=1e-3)
    assert 0.99 <= shares["score at 0"] <= 1


def failing(good, bad, count, epsilon):
    """Chance that the exponential mechanism takes one of ``count`` bad ones, not the good one."""
    weight = count * math.exp(-epsilon * (good - bad) / 2)
    return weight / (1 + weight)


def test_the_exponential_mechanism_can_lose_all_that_is_promised():
    """L = t - 2a at all radii but one, where it is t - a: the bad ones have quality 0.

    One of them is drawn with nearly probability beta.
    """
    params = good_radius.Params(t=2000, d=1, epsilon=1.0, beta=0.01, size=2**12, lower=0, upper=1)
    loss, t, many = params.loss, params.t, params.candidates
    scores = np.append(np.full(many - 1, t - loss), t - loss / 2)
    quality = quality_function(scores, t, params.loss)
    assert quality[1:-1] == pytest.approx(np.zeros(many - 2), abs=1e-9)
    chance = failing(quality[-1], 0.0, many - 2, params.epsilon)
    assert params.beta / 1.1 <= chance <= params.beta


@pytest.mark.parametrize("method", ["binary search", "AboveThreshold"])
def test_comparisons_can_lose_three_quarters_of_what_is_promised(monkeypatch, method):
    """All radii but the last lose as much as may be lost: one is taken with beta at most.

    Where they lose three quarters of that, one is taken more often. 400 runs each, alarms 1e-6.
    """
    params = good_radius.Params(
        t=2000, d=1, epsilon=1.0, beta=0.2, size=2**12, method=method, lower=0, upper=1
    )
    last, runs = radius_grid(params.size, 1)[-1], 400
    curator, allowed = curators.Curator(epsilon=2.0 * runs, rng=0), binom.isf(1e-6, runs, 0.2)
    for share, often in ((1.0, False), (0.75, True)):
        scores = np.append(np.full(params.candidates - 1, params.t - share * params.loss), params.t)
        monkeypatch.setattr(good_radius, "score", lambda *_, scores=scores: scores)
        taken = sum(BY[method](None, params, curator) < last for _ in range(runs))
        assert (taken > allowed) == often


class Recursion:
    """A sub-curator whose one Laplace noise is as large as it may be."""

    def __init__(self, noise):
        self.noise = noise

    def sub_curator(self, **_):
        return self

    def laplace(self, value, **_):
        return value + self.noise


def test_the_recursion_can_lose_all_that_is_promised(monkeypatch):
    """0 is taken although L(0) = t - 2 Gamma - (8 / epsilon) ln(2 / beta); or 3 Gamma are lost.

    L rises evenly; RecConcave is as bad as it may be: half of its promise.
    """
    budget = {"epsilon": 20.0, "delta": 1e-2, "beta": 0.1, "lower": 0, "upper": 1}
    params = good_radius.Params(t=20_000, d=1, size=2**10, method="RecConcave", **budget)
    gamma, noise = params.promise, 4 / 20 * math.log(2 / 0.1)
    far = 2 * gamma + 2 * noise
    assert params.loss == pytest.approx(max(far, 3 * gamma)) == pytest.approx(3 * gamma)
    t = params.t
    monkeypatch.setattr(good_radius, "score_breakpoints", lambda points, t: None)
    line = lambda breakpoints, t, radii: np.minimum(t, t - 5 * gamma + radii)  # noqa: E731
    monkeypatch.setattr(good_radius, "score_at", line)

    def steps(breakpoints, t, margin, candidates):
        before, here = (line(None, t, np.arange(candidates) / parts) for parts in (4, 2))
        return rec_concave._laid_out(np.minimum(t - before, here - t + margin) / 2)

    monkeypatch.setattr(good_radius, "quality_steps", steps)

    def worst(quality, *_):
        enough = np.flatnonzero(quality.at(np.arange(quality.size)) >= gamma / 2)
        return enough[0]

    monkeypatch.setattr(good_radius.rec_concave, "release", worst)
    z = good_radius.by_rec_concave(None, params, Recursion(0.0))
    lost = t - float(line(None, t, np.array([z]))[0])
    assert 3 * gamma - 0.5 <= lost <= params.loss
    for extra, zero in ((1e-6, True), (-1e-6, False)):
        at_zero = t - far + extra
        monkeypatch.setattr(
            good_radius, "score_at", lambda breakpoints, t, radii, h=at_zero: h + 0 * radii
        )
        monkeypatch.setattr(good_radius.rec_concave, "release", lambda *_: 7)
        assert (good_radius.by_rec_concave(None, params, Recursion(noise)) == 0.0) == zero


def test_the_reported_ball_can_lack_all_that_is_promised():
    """N = t - 2a for all radii but the last, where it is t - a: the last has quality 0."""
    params = one_cluster.Params(t=5000, d=2, epsilon=1, delta=1e-6, beta=0.01, lower=0, upper=1)
    grid = one_cluster.report_grid(1 / (params.size - 1), 2)
    bound, chance = one_cluster.error_bound(params), math.sqrt(8 * params.rho[6])
    sub_curator = SimpleNamespace(choose=lambda scores, **budget: (scores, budget))
    held = params.t - math.ceil(bound)
    rows = np.zeros((params.t, 2))
    rows[held:] = grid[-1] * 0.999
    scores, budget = one_cluster.choose_report(
        rows, np.zeros(2), grid, params.t - bound / 2, sub_curator, params.rho[6]
    )
    assert budget["epsilon"] == pytest.approx(chance)
    # held rows at every radius: bound - 1/2 below t on average of the ceiling
    assert scores[1:-1] == pytest.approx(np.full(len(grid) - 2, held - (params.t - bound / 2)))
    gap = float(bound / 2)
    found = failing(0.0, -gap, len(grid) - 1, chance)
    assert params.beta / 1.02 <= found <= params.beta


def test_the_published_count_holds_for_the_worst_radius_that_may_be_chosen(monkeypatch):
    """Any radius whose quality is within a of the best: none holds fewer than t - 2a rows.

    Some hold fewer than t - a, so no better number could be published.
    """
    params = one_cluster.Params(t=3000, d=2, epsilon=2, delta=1e-6, lower=0, upper=1)
    core = params.t - round(1.4 * params.gap(101))  # of rows at one place, the others around
    turn = np.linspace(0, 2 * np.pi, 6000 - core)
    ring = 0.5 + 0.3 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    rows, counts = np.vstack([np.full((core, 2), 0.5), ring]), []

    def worst(rows, center, grid, aim, curator, rho):
        far = np.sqrt(((rows - center) ** 2).sum(axis=1))
        held = (far[:, None] <= grid).sum(axis=0)
        quality = np.minimum(aim - np.append(0, held[:-1]), held - aim)
        gap = params.t - aim
        assert gap == pytest.approx(params.gap(len(grid)))
        near = np.flatnonzero(quality >= quality.max() - gap)
        counts.append((held[near[0]], gap))
        return near[0]

    monkeypatch.setattr(one_cluster, "choose_report", worst)
    found = one_cluster.release(rows, params, params.curator(rng=0))
    (held, gap), *_ = counts
    assert found.found and found.holds <= held < params.t - gap


def test_a_smaller_ball_is_as_wide_as_the_last_noise():
    """1.1 sd sqrt(d) + 1.5 z after the first mean, 1.1 sd sqrt(d) + 1.2 z after the second."""
    answers = iter([(0.010, 0.4), (0.002, 0.5), (0.001, 0.6)])
    seen = []

    def average(rows, *, center, radius, **_):
        seen.append((np.array(center), radius, rows))
        sd, place = next(answers)
        return SimpleNamespace(center=np.full(4, place), sd=sd)

    rows, inside = np.full((5, 4), 0.5), np.array([1, 1, 0, 0, 0], dtype=bool)
    params = SimpleNamespace(rho=(0.1,) * 7, d=4, top=np.ones(4))
    start = (np.full(4, 0.3), 0.5, 0.01)
    means, radii = one_cluster._averages(
        rows, inside, start, params, SimpleNamespace(average=average)
    )
    assert radii == pytest.approx([0.5, 0.022 + 0.015, 0.0044 + 0.012])
    assert means[:, 0].tolist() == [0.4, 0.5, 0.6]
    assert [float(place[0]) for place, _, _ in seen] == [0.3, 0.4, 0.5]
    assert (seen[0][2][2:] == FAR).all()
    assert (seen[1][2] == 0.5).all()


def test_the_box_of_good_center_pays_for_margin_threshold_and_counts():
    """By hand at epsilon = 2, 10 rounds, 1000 rows, beta = 0.1: three terms, a quarter each."""
    params = good_center.Params.practical(
        t=500, d=2, radius=0.1, epsilon=2, delta=1e-6, n=1000, lower=0, upper=1
    )
    params = replace(params, rounds=10, margin=30.0)
    compared = float(threshold_accuracy(checks=10, runs=1, beta=0.05)) / 0.5
    counts = 2 / 0.5 * math.log(2 * 1000 / 0.1)  # Laplace noise of scale 2 over a quarter
    assert good_center.error_bound(params, n=1000) == pytest.approx(30 + compared + 2 * counts)


def test_the_certified_share_needs_its_noise_and_its_sample():
    """Each is the exact quantile (of noise), or 1.15 times that of a coin (of the sample)."""
    beta, blocks = 1e-6, 10_000
    box = {"lower": 0, "upper": 1}
    numbers = {"block": 1, "d": 1, "alpha": 1.0, "delta": 1e-6, "beta": beta, **box}
    loud, quiet = (
        sample_and_aggregate.error_bound(
            sample_and_aggregate.Params(epsilon=epsilon / 0.1, **numbers), blocks=blocks
        )
        for epsilon in (1e-6, 1e6)
    )
    noise = math.log(1 / beta) / (blocks * 1e-6)  # exp(-x) / 2 = beta / 2
    assert noise <= loud <= 1.001 * noise
    sample = binom.isf(beta / 2, blocks, 0.5) / blocks - 0.5
    assert sample <= quiet <= 1.15 * sample


def test_the_rows_beside_the_middle_are_just_enough():
    """One end with ``outer`` rows on each side, 16 with none: one of these comes with beta."""
    params = interior_point.Params(epsilon=0.1, delta=1e-6, beta=0.01)
    good = params.outer
    assert failing(good, 0, interior_point.ENDS - 1, params.epsilon / 2) <= params.beta
    assert failing(0.98 * good, 0, interior_point.ENDS - 1, params.epsilon / 2) > params.beta
    assert interior_point.error_bound(params) == 2 * good + 1


@pytest.mark.parametrize(("share", "often"), [(1.0, False), (0.8, True)])
def test_two_halves_on_an_axis_can_need_all_the_rows_that_are_asked_for(share, often):
    """The rows of the box lie evenly in two intervals: with all that is needed, no interval is
    named as seldom as promised; with four fifths more often. 3,000 runs, alarms 1e-6."""
    lengths = {"side": 4.0, "interval": 4.0, "rounds": 5, "k": 1, "radius": 0.1, "margin": 9.0}
    params = good_center.Params(
        t=99, d=1, epsilon=16.0, delta=1e-2, beta=0.4, lower=0, upper=1, **lengths
    )
    asked = good_center.needed(params, n=99).axes - good_center.error_bound(params, n=99)
    half, runs = math.ceil(share * asked / 2), 3000
    epsilon, delta = params.axis
    rng, missed = np.random.default_rng(0), 0
    for _ in range(runs):
        curator = curators.Curator(epsilon=epsilon, delta=delta, rng=rng)
        keys = [0] * half + [1] * half
        missed += curator.heaviest_cell(keys, epsilon=epsilon, delta=delta, label="axis") is None
    assert (missed > binom.isf(1e-6, runs, params.beta / 2)) == often
