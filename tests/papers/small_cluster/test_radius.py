"""GoodRadius by four methods: bounds over many trials, transcripts, costs, refusals."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dpviz.audit.transcript import faults
from dpviz.papers.small_cluster import good_radius, planted
from dpviz.papers.small_cluster.public_grid import grid_points
from dpviz.papers.small_cluster.radius_quality import (
    quality_function,
    score,
    score_at,
    score_breakpoints,
)
from dpviz.privacy.curator import BudgetExceeded, Curator

SMALL = {"size": 2**8, "d": 2, "lower": 0, "upper": 1}
BUDGET = {"epsilon": 4.0, "delta": 0.05}
UNIT = st.tuples(*[st.integers(0, 16).map(lambda i: i / 16)] * 2)


@st.composite
def neighbours(draw):
    """Two data sets in the square that differ in one record, t, and a seed."""
    data = draw(st.lists(UNIT, min_size=1, max_size=12))
    other = list(data)
    other[draw(st.integers(0, len(data) - 1))] = draw(UNIT)
    t = draw(st.integers(1, len(data)))
    return np.array(data), np.array(other), t, draw(st.integers(0, 2**32))


# Statements: NSV Lemma 4.5; NSV Algorithm 1.
@pytest.mark.parametrize("method", good_radius.METHODS)
@given(pair=neighbours())
@settings(deadline=None, max_examples=40)
def test_transcripts_agree(method, pair):
    data, other, t, seed = pair
    params = good_radius.Params(t=t, **SMALL, **BUDGET, method=method)
    run = lambda rows, curator: good_radius.release(rows, params, curator)  # noqa: E731
    assert faults(run, data, other, rng=seed, **BUDGET) == []


def test_the_transcript_catches_the_uncapped_maximum():
    """The count of the heaviest ball as a score: one record moves it by half of the rows."""

    def uncapped(data, curator):
        held = [(np.abs(data - x) <= 0.25).sum() for x in data.ravel()]
        return curator.choose([max(held), 3.0], sensitivity=1, epsilon=1, label="heaviest")

    sides = np.array([[0.1]] * 5 + [[0.5]] * 5)
    found = faults(
        uncapped, np.vstack([sides, [[0.3]]]), np.vstack([sides, [[0.9]]]), rng=0, epsilon=1
    )
    assert any("moved by" in fault for fault in found)


@pytest.mark.parametrize("method", good_radius.METHODS)
def test_each_method_pays_what_it_says_and_no_more(method):
    params = good_radius.Params(t=20, **SMALL, epsilon=0.7, delta=0.01, method=method)
    curator = Curator(epsilon=1.0, delta=0.02, rng=0)
    good_radius.release(np.full((50, 2), 0.5), params, curator)
    spent = curator.ledger.spent
    assert spent.epsilon == pytest.approx(0.7, rel=1e-12)
    assert spent.delta == pytest.approx(0.01 if method == "RecConcave" else 0.0)


def searched(params, *, rng, n):
    """One radius for n rows with a ball of t: rows lost, the bound, the ratio to the least ball."""
    data = planted.plant(n, params.t, params.d, 0.05, rng=rng).within(params.box).data
    z = good_radius.release(data, params, params.curator(rng=rng)).radius / params.unit
    points = grid_points(params.rows_of(data), params.size)
    radii = np.array([z * (params.size - 1) * (1 + 1e-12)])
    score = score_at(score_breakpoints(points, params.t), params.t, radii)[0]
    best = good_radius.least_ball(points, params.t)[0] / (params.size - 1)
    ratio = z / best if best else math.inf
    return {"error": max(0.0, params.t - score), "bound": params.loss, "ratio": ratio}


def allowed(runs, beta):
    """More exceedances than this have probability below 1e-4 if each has probability beta."""
    return int(binom(runs, beta).ppf(1 - 1e-4))


# Statements: NSV Lemma 3.6; NSV Lemma 4.6; NSV Footnote 2.
@pytest.mark.parametrize(
    ("method", "epsilon"), [("exponential", 1), ("binary search", 2), ("AboveThreshold", 4)]
)
def test_the_bound_holds_over_60_trials_and_is_not_huge(method, epsilon):
    """False alarms below 1e-4. Tightness: the worst loss is at least a seventh of the bound."""
    params = good_radius.Params(
        t=300, d=2, epsilon=epsilon, size=2**12, method=method, lower=0, upper=1
    )
    runs = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        runs.append(searched(params, rng=rng, n=900))
    beyond = sum(r["error"] >= r["bound"] or r["ratio"] >= 2.45 for r in runs)
    assert beyond <= allowed(60, params.beta)
    assert max(r["error"] for r in runs) >= runs[0]["bound"] / 7
    assert runs[0]["bound"] < params.t


# Statements: NSV Lemma 3.6; NSV Algorithm 1.
def test_recconcave_keeps_its_bound_where_it_says_something():
    """At epsilon = 60 the promise is small enough for 500 rows; 40 trials, alarms below 1e-4."""
    params = good_radius.Params(
        t=500,
        d=1,
        epsilon=60,
        delta=1e-3,
        size=2**8,
        method="RecConcave",
        beta=0.1,
        lower=0,
        upper=1,
    )
    assert params.loss < params.t
    runs = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        runs.append(searched(params, rng=rng, n=700))
    assert sum(r["error"] > r["bound"] or r["ratio"] > 4 for r in runs) <= allowed(40, 0.1)


def test_rows_lost_by_each_method_as_the_lesson_states_them():
    """21 radii, epsilon = 1, beta = 0.05 (delta 1e-6): who loses least."""
    losses = {w: good_radius.loss(w, 21, epsilon=1, beta=0.05) for w in good_radius.METHODS[:3]}
    assert [round(losses[w]) for w in good_radius.METHODS[:3]] == [48, 92, 92]


def test_exponential_beats_recconcave_up_to_absurd_grids():
    """On 2^16 steps and on 2^32: log* grows slower, but its constant is larger."""
    for size, d in ((2**16, 10), (2**20, 1)):
        budget = {"t": 1, "d": d, "epsilon": 1, "delta": 1e-6, "size": size, "lower": 0, "upper": 1}
        simple, recursive = (
            good_radius.Params(**budget),
            good_radius.Params(**budget, method="RecConcave"),
        )
        assert recursive.loss > 20 * simple.loss


def test_the_papers_bound_says_nothing_below_a_billion_rows():
    params = good_radius.Params(t=1, d=10, epsilon=1, delta=1e-6, lower=0, upper=1)
    assert good_radius.paper_bound(params) > 1e9
    assert good_radius.error_bound(params) < 60


# Statements: NSV Definition 4.1; NSV Definition 4.2.
@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=50)
def test_the_quality_is_quasi_concave_and_changes_by_at_most_one(seed):
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 64, size=(30, 2)) / 63
    other = data.copy()
    other[0] = rng.uniform(size=2)
    quality, moved = (
        quality_function(score(grid_points(rows, 64), 10, 64), 10, 6.0) for rows in (data, other)
    )
    assert np.abs(quality - moved).max() <= 1
    top = int(np.argmax(quality))
    assert (np.diff(quality[: top + 1]) >= 0).all()
    assert (np.diff(quality[top:]) <= 0).all()


def test_equal_points_and_one_dimension_give_the_least_radius():
    params = good_radius.Params(t=400, d=1, epsilon=2, lower=0, upper=1)
    found = good_radius.release(np.full(500, 0.3), params, params.curator(rng=0))
    assert found.radius == 1 / (2**16 - 1)


box = {"lower": 0, "upper": 1}
LARGE = {"d": 2, "size": 2**25, "epsilon": 60.0, "delta": 1e-3, "method": "RecConcave", **box}


# Statements: NSV Remark 4.4.
def test_recconcave_on_134_million_radii_needs_memory_for_its_intervals_only():
    """Less than a byte for each radius, and the promise is kept (it fails with beta at most)."""
    params = good_radius.Params(t=500, **LARGE, beta=1e-4)
    data = planted.plant(n=2000, t=700, d=2, spread=0.05, rng=0).data
    tracemalloc.start()
    found = good_radius.release(data, params, params.curator(rng=0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < params.candidates == 2**27 + 1
    assert 0 < found.radius <= 4 * good_radius.truth(data, None, params)
    points, z = grid_points(params.rows_of(data), params.size), found.radius * (params.size - 1)
    held = score_at(score_breakpoints(points, params.t), params.t, np.array([z * (1 + 1e-9)]))
    assert held[0] >= params.t - good_radius.error_bound(params)


# Statements: NSV Remark 4.4.
@given(pair=neighbours())
@settings(deadline=None, max_examples=40)
def test_transcripts_agree_on_134_million_radii(pair):
    data, other, t, seed = pair
    params = good_radius.Params(t=t, **LARGE)
    run = lambda rows, curator: good_radius.release(rows, params, curator)  # noqa: E731
    assert faults(run, data, other, rng=seed, epsilon=60.0, delta=1e-3) == []


def test_more_intervals_than_recconcave_can_hold_are_refused_before_anything_is_spent():
    with pytest.raises(ValueError, match=r"^size or t is too large for 'RecConcave'"):
        good_radius.Params(t=1449, **LARGE)
    assert good_radius.Params(t=1448, **LARGE).intervals < 2**22
    params = good_radius.Params(t=1448, **LARGE)
    curator, rows = params.curator(rng=0), np.zeros((92_700, 2))
    with pytest.raises(ValueError, match="n times t"):
        good_radius.release(rows, params, curator)
    assert curator.ledger.charges == ()


@pytest.mark.parametrize(
    ("change", "word"), [({"t": 51}, "t must be"), ({"t": 0}, "t must"), ({"d": 3}, "columns")]
)
def test_bad_arguments_spend_nothing(change, word):
    curator = Curator(epsilon=1, rng=0)
    with pytest.raises(ValueError, match=word):
        params = replace(good_radius.Params(t=5, d=2, epsilon=1, lower=0, upper=1), **change)
        good_radius.release(np.zeros((50, 2)), params, curator)
    assert curator.ledger.charges == ()


# Statements: NSV Section 3 (facts); NSV Definition 1.2; NSV Definition 3.1.
def test_truth_is_the_least_ball_about_a_row():
    data = np.random.default_rng(0).uniform(size=(60, 3))
    far = np.sqrt(((data[:, None] - data) ** 2).sum(-1))
    least = np.sort(far, axis=1)[:, 19]
    params = good_radius.Params(t=20, d=3, epsilon=1, lower=0, upper=1)
    assert good_radius.truth(data, None, params) == pytest.approx(least.min())
    assert good_radius.least_ball(data, 20)[1] == int(least.argmin())


def test_a_recursion_that_cannot_be_paid_in_full_does_not_begin():
    params = good_radius.Params(
        t=300, d=1, epsilon=4.0, delta=0.1, method="RecConcave", lower=0, upper=1
    )
    poor = Curator(epsilon=3.0, delta=0.1, rng=0)  # enough for the score at 0
    with pytest.raises(BudgetExceeded):
        good_radius.by_rec_concave(np.zeros((500, 1)), params, poor)
    assert poor.ledger.charges == ()
