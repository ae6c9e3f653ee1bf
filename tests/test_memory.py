"""What a page's Python has no room for: memory that grows there is never given back.

Peaks are those of what Python and numpy allocate, so they do not hang on the machine.
"""

import tracemalloc

import numpy as np
import pytest

from dpviz.papers.distance_queries.releases import curves
from dpviz.papers.sparse_queries import workloads
from dpviz.privacy.box import Box


def peak(compute):
    """Bytes that a call holds at most, beyond what was there."""
    tracemalloc.start()
    try:
        compute()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("k", [100, 200])
def test_wide_queries_hold_a_name_and_its_number_for_each_of_their_places(k):
    m = 2000
    names = peak(lambda: workloads.draw("wide", n=500, m=m, k=k, rng=1))
    assert names < (8 + 8) * m * k + 2_000_000  # two words a place, and what is there once


def test_equal_sides_of_a_box_are_one_number():
    d = 500_000
    corners = peak(lambda: Box.of(d, lower=0.0, upper=1.0))
    assert corners < 2 * 8 * d + 1_000_000


def test_wide_rows_are_confined_in_place():
    d, n = 500, 1000
    confined = curves.Params(n=n, d=d, epsilon=1.0, lower=0.1, upper=1.0, diameter=5.0)
    rows = np.random.default_rng(1).uniform(0.1, 1.0, (n, d))
    assert peak(lambda: confined.admitted(rows)) < 2.5 * rows.nbytes
