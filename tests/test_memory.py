"""What a page's Python has no room for: memory that grows there is never given back.

Peaks are those of what Python and numpy allocate, so they do not hang on the machine.
"""

import tracemalloc

import numpy as np
import pytest

from dpviz.papers.distance_queries.embeddings import (
    any_metric,
    johnson_lindenstrauss,
    metrics,
    weighted_hamming,
)
from dpviz.papers.distance_queries.releases import curves
from dpviz.papers.sparse_queries import hashed_histogram, workloads
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


def test_rows_of_many_embedded_records_are_held_once():
    n, m = 10_000, 300
    plane = metrics.norm([0.0, 0.0], [1.0, 1.0], unit=False)
    lines = johnson_lindenstrauss.Params(d=2, target=m, lower=0, upper=1).draw(rng=1)
    mapped = any_metric.Params(n=n, metric=plane, embedding=lines, epsilon=1.0, delta=1e-6)
    people, places = np.random.default_rng(2).uniform(size=(2, n, 2))
    held = peak(lambda: any_metric.trial(mapped, people, places[:9], rng=3))
    assert held < 2.5 * 8 * n * m  # they themselves, and what the release has in its cells


def test_pairs_of_records_and_queries_are_compared_some_at_a_time():
    n, k, f = 200, 2000, 13
    rows = np.random.default_rng(1).integers(0, 3, (n + k, f))
    shop = weighted_hamming.Params(n=n, sizes=(3,) * f, epsilon=1.0)
    held = peak(lambda: weighted_hamming.truth(rows[:n], rows[n:], shop))
    assert held < 2.5 * 8 * n * k + 2_000_000  # a number for each pair, not for each feature too


def test_a_trial_of_many_buckets_holds_two_numbers_for_each():
    size = 10**6
    params = hashed_histogram.Params.draw(epsilon=1.0, m=5, k=5, size=size, rng=0)
    held = peak(lambda: hashed_histogram.trial(params, rng=1, recipe="zipf", n=1000))
    assert held < 2.2 * 8 * size
