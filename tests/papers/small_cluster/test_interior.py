"""IntPoint: the reduction, step by step, and what it needs."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.audit.transcript import faults
from dpviz.papers.small_cluster import interior_point, radius_then_center
from dpviz.papers.small_cluster.rec_concave import log_star

BUDGET = {"epsilon": 1.0, "delta": 1e-6}
ROWS = st.lists(st.integers(0, 15), min_size=5, max_size=12)


@given(ROWS, st.data())
def test_the_middle_changes_by_one_element_as_a_multiset(rows, more):
    outer = more.draw(st.integers(0, (len(rows) - 1) // 2))
    other = list(rows)
    other[more.draw(st.integers(0, len(rows) - 1))] = more.draw(st.integers(0, 15))
    one, two = (Counter(interior_point._middle(np.array(x), outer).tolist()) for x in (rows, other))
    assert sum((one - two).values()) <= 1
    assert sum((two - one).values()) <= 1


@given(ROWS, st.data())
@settings(deadline=None, max_examples=100)
def test_the_solver_s_transcripts_agree_on_middles_that_differ_in_one_element(rows, more):
    params = interior_point.Params(epsilon=20.0, delta=0.2, size=16)
    other = list(rows)
    other[more.draw(st.integers(0, len(rows) - 1))] = more.draw(st.integers(0, 15))

    def run(data, sub_curator):
        return interior_point._solve(interior_point._middle(data, 0), params, sub_curator)

    pair = np.array(rows, float), np.array(other, float)
    found = faults(run, *pair, rng=0, epsilon=20.0, delta=0.2)
    # Sorted rows may all shift by one place: the cells are compared as a multiset below.
    assert [fault for fault in found if "heaviest_cell" not in fault] == []


@given(ROWS, st.data())
def test_the_cells_of_the_solver_change_by_one_in_each_direction(rows, more):
    other = list(rows)
    other[more.draw(st.integers(0, len(rows) - 1))] = more.draw(st.integers(0, 15))
    shift, z = more.draw(st.sampled_from([0.0, 0.5])), more.draw(st.sampled_from([0.25, 1, 2]))
    one, two = (Counter(np.floor(np.array(x) / (4 * z) + shift).tolist()) for x in (rows, other))
    assert sum((one - two).values()) <= 1


# Statements: NSV Definition 5.1; NSV Theorem 5.3; NSV Algorithm 3.
@pytest.mark.parametrize("size", [2**4, 2**16, 2**48])
@pytest.mark.parametrize("family", interior_point.FAMILIES)
def test_340_rows_suffice_on_every_line_and_family(size, family):
    """Three quarters are asked for; 40 runs, at least 30."""
    params = interior_point.Params(**BUDGET, size=size)
    wins = [
        interior_point.trial(params, rng=seed, n=340, family=family)["success"]
        for seed in range(40)
    ]
    assert sum(wins) >= 30


def test_200_rows_do_not_for_a_cell_is_released_from_221_on():
    params = interior_point.Params(**BUDGET)
    wins = [interior_point.trial(params, rng=seed, n=200)["success"] for seed in range(40)]
    assert sum(wins) < 30


# Statements: NSV Theorem 5.2; NSV Remark 3.4.
def test_the_need_grows_hardly_with_the_line_but_the_bound_never_stops():
    lines = [interior_point.Params(**BUDGET, size=2**bits) for bits in (4, 16, 48)]
    assert [interior_point.paper_rate(line) for line in lines] == [3, 4, 5]
    assert interior_point.paper_bound(lines[0], n=1000, w=8) > 1e6


def test_half_of_epsilon_goes_to_the_solver_and_half_to_the_choice():
    params = interior_point.Params(**BUDGET)
    curator = params.curator(rng=0)
    interior_point.release(np.full(400, 0.5), params, curator)
    sub_curator = curator.ledger.charges[0].sub_ledger
    assert sub_curator.spent.epsilon == pytest.approx(1.0)
    assert sub_curator.spent.delta == pytest.approx(1e-6)
    assert sub_curator.charges[-1].cost.epsilon == 0.5


def test_too_few_rows_say_how_many_would_do():
    params = interior_point.Params(**BUDGET)
    curator = params.curator(rng=0)
    with pytest.raises(ValueError, match="at least 43 records"):
        interior_point.release(np.zeros(42), params, curator)
    assert curator.ledger.charges == ()
    with pytest.raises(ValueError, match="size"):
        interior_point.Params(**BUDGET, size=1)


def asked(cost=None, **change):
    """The mean of all as a "solver": its ball is the whole line."""
    cost = cost or {"epsilon": 0.5, "delta": 0.0}
    find = lambda rows, curator: (0.5, 0.5)  # noqa: E731
    return interior_point.Solver(**{"find": find, "wider": 1, "rows": 1, **cost, **change})


def test_any_solver_gives_interior_points():
    """Statements: NSV Theorem 5.3; NSV Algorithm 3.

    GoodRadius and GoodCenter as solver, with their proved ratio; the rows of its need are in the
    middle. 5 runs; it is asked for a quarter of the middle only, which is at one place.
    """
    n, size = 40_000, 2**16
    params = interior_point.Params(**BUDGET, size=size)
    theorem = radius_then_center.Params(
        t=n // 4, d=1, epsilon=0.5, delta=1e-6, size=size, lower=0, upper=1
    )
    wider = radius_then_center.error_bound_radius(theorem, n=n, least=0.01) / 0.01

    def find(rows, curator):
        ball = radius_then_center.release(rows[:n], theorem, curator)
        return (float(ball.center[0]), ball.radius) if ball.found else None

    solver = interior_point.Solver(find=find, wider=wider, epsilon=0.5, delta=1e-6, rows=n)
    rng, wins = np.random.default_rng(0), 0
    for seed in range(5):
        rows = np.append(rng.uniform(0.70, 0.72, n // 2), rng.uniform(0.6, 0.8, n // 2 + 200))
        curator = params.curator(rng=seed)
        point = interior_point.release(rows, params, curator, solver=solver).point
        wins += rows.min() <= point <= rows.max()
        assert curator.ledger.charges[0].sub_ledger.spent.epsilon == pytest.approx(1.0)
    assert wins >= 4


def test_a_solver_cannot_read_the_order_of_the_middle_rows():
    """Statements: NSV Theorem 5.3. Sorted data would show each row's rank."""
    seen = []
    find = lambda rows, curator: seen.append(rows[:, 0].copy())  # noqa: E731
    params = interior_point.Params(**BUDGET)
    interior_point.release(
        np.linspace(0, 1, 400), params, params.curator(rng=0), solver=asked(find=find)
    )
    assert len(seen[0]) == 400 - 2 * params.outer_for(3)
    assert (np.diff(seen[0]) < 0).any()


@pytest.mark.parametrize(
    ("solver", "error", "words"),
    [
        (lambda rows, curator: (0.5, 0.5), TypeError, "solver must be a Solver"),
        (asked({"epsilon": 0.6, "delta": 0.0}), ValueError, "at most half of epsilon"),
        (asked({"epsilon": 0.5, "delta": 1e-3}), ValueError, "delta"),
        (asked(rows=10_000), ValueError, "records at this budget"),
    ],
)
def test_a_solver_that_does_not_keep_the_form_is_refused_before_anything_is_paid(
    solver, error, words
):
    params = interior_point.Params(**BUDGET)
    curator = params.curator(rng=0)
    with pytest.raises(error, match=words):
        interior_point.release(np.full(400, 0.5), params, curator, solver=solver)
    assert curator.ledger.charges == ()


@pytest.mark.parametrize("change", [{"wider": 0.5}, {"wider": 10**6}, {"rows": 0}])
def test_a_promise_that_is_none_is_refused(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        asked(**change)


def test_the_corollary_speaks_of_no_domain_that_fits_into_a_computer():
    """Statements: NSV Corollary 5.4. By hand: 8^(log* 2w) is at most log*^(3/4)."""
    assert interior_point.widest_ratio(5) < 1
    for stars in (2.0**4, 2.0**8, 2.0**12, 2.0**16):
        w = interior_point.widest_ratio(stars)
        assert 8 ** log_star(2 * w) <= stars**0.75 * (1 + 1e-9)
