"""IntPoint: the reduction, step by step, and what it needs."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.audit.transcript import faults
from dpviz.papers.small_cluster import interior_point

BUDGET = {"epsilon": 1.0, "delta": 1e-6}
ROWS = st.lists(st.integers(0, 15), min_size=5, max_size=12)


@given(ROWS, st.data())
def test_the_middle_changes_by_one_element_as_a_multiset(rows, more):
    outer = more.draw(st.integers(0, (len(rows) - 1) // 2))
    other = list(rows)
    other[more.draw(st.integers(0, len(rows) - 1))] = more.draw(st.integers(0, 15))
    one, two = (Counter(interior_point.middle(np.array(x), outer).tolist()) for x in (rows, other))
    assert sum((one - two).values()) <= 1
    assert sum((two - one).values()) <= 1


@given(ROWS, st.data())
@settings(deadline=None, max_examples=100)
def test_the_solver_s_transcripts_agree_on_middles_that_differ_in_one_element(rows, more):
    params = interior_point.Params(epsilon=20.0, delta=0.2, size=16)
    other = list(rows)
    other[more.draw(st.integers(0, len(rows) - 1))] = more.draw(st.integers(0, 15))

    def run(data, sub_curator):
        return interior_point.solve(interior_point.middle(data, 0), params, sub_curator)

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
