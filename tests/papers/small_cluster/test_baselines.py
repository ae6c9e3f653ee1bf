"""Table 1: every row runs, pays, and behaves as the table says; the table itself."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.audit.transcript import faults
from dpviz.comparison.mechanisms import cluster
from dpviz.papers.small_cluster import baselines, bounds, one_cluster, radius_then_center
from dpviz.papers.small_cluster.planted import plant

BUDGET = {"epsilon": 1.0, "delta": 1e-6, "lower": 0, "upper": 1}


@pytest.mark.parametrize("method", baselines.METHODS)
@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=40)
def test_transcripts_agree(method, seed):
    rng = np.random.default_rng(seed)
    d = 1 if method == "threshold release" else 2
    data = rng.integers(0, 9, size=(rng.integers(2, 12), d)) / 8
    other = data.copy()
    other[rng.integers(len(data))] = rng.integers(0, 9, size=d) / 8
    params = baselines.Params(
        t=1, d=d, epsilon=40.0, delta=0.1, method=method, size=2**4, lower=0, upper=1
    )
    run = lambda rows, curator: baselines.release(rows, params, curator)  # noqa: E731
    assert faults(run, data, other, rng=seed, epsilon=40.0, delta=0.1) == []


@pytest.mark.parametrize("method", baselines.METHODS)
def test_each_spends_its_budget_and_not_more(method):
    params = baselines.Params(t=300, d=1, **BUDGET, method=method, size=2**6)
    curator = params.curator(rng=0)
    baselines.release(np.full((500, 1), 0.4), params, curator)
    (charge,) = curator.ledger.charges
    assert (charge.cost.epsilon, charge.cost.delta) == (1.0, 1e-6)
    assert 0.8 <= charge.sub_ledger.spent.rho / charge.sub_ledger.budget.rho <= 1 + 1e-12


def median(method, d, share, size, field="ratio", n=5000):
    params = baselines.Params(t=int(share * n), d=d, **BUDGET, method=method, size=size)
    return float(np.median([baselines.trial(params, rng=seed, n=n)[field] for seed in range(5)]))


# Statements: NSV Section 1.2 (aggregation).
def test_private_aggregation_needs_a_majority():
    assert median("private aggregation", 10, 0.6, 2**12) < 2
    assert median("private aggregation", 10, 0.25, 2**12, "off") > 4


def test_axis_by_axis_needs_a_cluster_that_each_axis_shows():
    """On uniform others it finds the ball; where others share a value of each column it does not,
    and the solver does."""
    rng, n = np.random.default_rng(1), 5000
    params = baselines.Params(t=n // 4, d=10, **BUDGET, method="axis by axis", size=2**10)
    solver = one_cluster.Params(t=n // 4, d=10, **BUDGET)
    seen, unseen = plant(n, n // 4, 10, 0.02, rng=rng).data, cluster.hidden(n, 10, rng=rng)
    for law, shown in ((seen, True), (unseen, False)):
        ball = baselines.release(law, params, params.curator(rng=rng))
        assert (cluster.reach(law, ball.center) < 0.03) == shown
        found = one_cluster.release(law, solver, solver.curator(rng=rng))
        assert cluster.reach(law, found.center) < 0.03


# Statements: NSV Section 1.2 (all balls); NSV Section 1.2 (thresholds).
def test_all_balls_and_all_intervals_work_where_they_can_be_listed():
    assert median("all balls", 2, 0.25, 2**6) < 1.3
    assert median("threshold release", 1, 0.25, 2**10) < 1.3
    with pytest.raises(ValueError, match="at most 2 for 'all balls'"):
        baselines.Params(t=5, d=3, **BUDGET, method="all balls")
    with pytest.raises(ValueError, match="too large"):
        baselines.Params(t=5, d=2, **BUDGET, method="all balls", size=2**16)


def test_the_mean_of_all_misses_a_quarter_that_the_solver_finds():
    assert median("mean of all", 10, 0.25, 2**16) > 7
    params = one_cluster.Params(t=1250, d=10, **BUDGET)
    assert one_cluster.trial(params, rng=0, n=5000, spread=0.05)["ratio"] < 1.2


def test_the_papers_constants_promise_nothing_below_billions_of_records():
    """At half the budget for each step; with the whole budget for each it would be 7.9e9."""
    for d in (2, 10, 50):
        n = bounds.paper_smallest_n(d, epsilon=1, delta=1e-6)
        promise = bounds.paper_guarantee(n, d, epsilon=1, delta=1e-6)
        assert 1e10 < n < 2e10
        assert promise["t"] <= 0.25 * n
        assert bounds.paper_guarantee(n / 2, d, epsilon=1, delta=1e-6)["t"] > 0.25 * n / 2
        assert promise["wider"] > 70_000
        assert promise["trivial"] < 1e-4
    assert 7e9 < bounds.paper_smallest_n(10, epsilon=2, delta=2e-6) < 9e9


def test_ours_starts_at_a_thousand():
    for d in (2, 10, 50):
        n = bounds.smallest_n(d, epsilon=1, delta=1e-6)
        assert 900 < n < 1000
        one_cluster.check_size(n, one_cluster.Params(t=math.floor(n / 4) + 1, d=d, **BUDGET))


# Statements: NSV Table 1.
def test_the_table_of_requirements_orders_the_approaches():
    rows = {row.approach: row for row in bounds.requirements(10**5, 10, epsilon=1, delta=1e-6)}
    assert rows["this work"].t < rows["all balls"].t < rows["private aggregation"].t
    assert rows["all balls"].wider == 1 < rows["this work"].wider


# Statements: NSV Table 1.
def test_only_private_aggregation_pays_for_a_smaller_epsilon_with_its_radius():
    one, half = (bounds.requirements(10**5, 10, epsilon=e, delta=1e-6) for e in (1.0, 0.5))
    grown = {a.approach: b.wider / a.wider for a, b in zip(one, half, strict=True)}
    assert grown.pop("private aggregation") == pytest.approx(2)
    assert set(grown.values()) == {1.0}


@pytest.mark.parametrize("d", range(1, 13))
def test_the_mean_of_all_counts_rows_in_a_corner(d):
    """All rows lie as far from the middle as any can, up to the rounding of two roots."""
    params = baselines.Params(
        t=4000, d=d, epsilon=50, delta=1e-3, method="mean of all", lower=0, upper=1
    )
    ball = baselines.release(np.zeros((5000, d)), params, params.curator(rng=0))
    assert np.abs(ball.center).max() < 0.05


def test_from_which_n_the_theorem_as_stated_says_something():
    """Statements: NSV Theorem 3.2. From that n on, and not with a row less."""
    budget, d = {"epsilon": 1.0, "delta": 1e-6}, 2
    n = bounds.smallest_n_as_stated(d, spread=0.02, **budget)
    radii = []
    for rows in (n, n - 1):
        params = radius_then_center.Params(t=rows // 4, d=d, lower=0, upper=1, **budget)
        radii.append(radius_then_center.error_bound_radius(params, n=rows, least=0.02))
    assert radii[0] < math.sqrt(d) / 2 < radii[1]
    assert n < bounds.paper_smallest_n(d, **budget) / 10**5


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("radius", [0.0, 1.0, 3.0, 9.0])
def test_rows_within_a_radius_of_each_grid_point_are_those_of_all_distances(d, radius):
    points = np.random.default_rng(5).integers(0, 7, (200, d)).astype(float)
    centers = np.stack(np.meshgrid(*[np.arange(7)] * d, indexing="ij"), -1).reshape(-1, d)
    away = np.square(centers[:, None] - points).sum(axis=2)
    assert (
        baselines._held_by(points, 7, radius).tolist() == (away <= radius**2).sum(axis=1).tolist()
    )
