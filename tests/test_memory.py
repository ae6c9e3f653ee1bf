"""What a page's Python has no room for: memory that grows there is never given back.

Peaks are those of what Python and numpy allocate, so they do not hang on the machine.
"""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng

from dpviz.audit import broken
from dpviz.papers.distance_queries.embeddings import (
    any_metric,
    euclidean,
    johnson_lindenstrauss,
    metrics,
    weighted_hamming,
)
from dpviz.papers.distance_queries.releases import curves
from dpviz.papers.fat_shattering import median_mechanism
from dpviz.papers.smooth_queries import jackson, minimax_rate, moments, sparse_grids
from dpviz.papers.sparse_queries import hashed_histogram, workloads
from dpviz.privacy.box import Box


def peak(compute):
    """Bytes that a call holds at most, beyond what was there."""
    return held_by(compute)[1]


def held_by(compute):
    """Bytes that stay after a call, and that it holds at most."""
    tracemalloc.start()
    try:
        compute()
        return tracemalloc.get_traced_memory()
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
    rows = default_rng(1).uniform(0.1, 1.0, (n, d))
    assert peak(lambda: confined.admitted(rows)) < 2.5 * rows.nbytes


def test_rows_of_many_embedded_records_are_never_held_together():
    n, m = 30_000, 300
    plane = metrics.norm([0.0, 0.0], [1.0, 1.0], unit=False)
    lines = johnson_lindenstrauss.Params(d=2, target=m, lower=0, upper=1).draw(rng=1)
    mapped = any_metric.Params(n=n, metric=plane, embedding=lines, epsilon=1.0, delta=1e-6)
    people, places = default_rng(2).uniform(size=(2, n, 2))
    held = peak(lambda: any_metric.trial(mapped, people, places[:9], rng=3))
    assert held < 8 * n * m


def test_pairs_of_records_and_queries_are_compared_some_at_a_time():
    n, k, f = 200, 2000, 13
    rows = default_rng(1).integers(0, 3, (n + k, f))
    shop = weighted_hamming.Params(n=n, sizes=(3,) * f, epsilon=1.0)
    held = peak(lambda: weighted_hamming.truth(rows[:n], rows[n:], shop))
    assert held < 2.5 * 8 * n * k + 2_000_000  # a number for each pair, not for each feature too


def test_a_trial_of_many_buckets_holds_two_numbers_for_each():
    size = 10**6
    params = hashed_histogram.Params.draw(epsilon=1.0, m=5, k=5, size=size, rng=0)
    held = peak(lambda: hashed_histogram.trial(params, rng=1, recipe="zipf", n=1000))
    assert held < 2.2 * 8 * size


def test_plans_of_many_projections_keep_no_box():
    params = euclidean.Params(n=10**7, d=2, k=1000, epsilon=1.0, delta=1e-6, lower=0, upper=1)
    euclidean.error_bound(replace(params, n=100))  # imports what it needs
    kept, _ = held_by(lambda: euclidean.error_bound(params))
    assert euclidean.best_dimension(params) > 20_000  # a box of these has two words for each
    assert kept < 300_000


@pytest.mark.parametrize("sensitivity", [moments.l1_set, moments.l2_set])
def test_a_grid_of_cosines_is_held_once(sensitivity):
    index = moments.multi_indices(2, 33)[1:]
    held = peak(lambda: sensitivity(np.ones(len(index)), index))
    assert held < 1.3 * 8 * moments.LARGEST_GRID


def test_a_plan_of_many_terms_takes_one_coefficient_of_each_kernel():
    jackson._rounded.cache_clear()
    minimax_rate._curve.cache_clear()
    asks = minimax_rate.Params(d=1, terms=1, epsilon=1, lower=-1, upper=1)
    kept, held = held_by(lambda: minimax_rate.tried(asks))
    cosines = 8 * 1024 * minimax_rate.MOST_TERMS
    assert held < 1.3 * cosines and kept < 0.1 * cosines


def test_places_are_looked_up_without_a_number_for_each_pair():
    places = sparse_grids.places(2, 6)
    function = sparse_grids.unseen(places, 1)
    points = default_rng(1).uniform(-1, 1, (50_000, 2))
    assert peak(lambda: function(points)) < 0.2 * points.size * len(places)


def test_candidates_are_compared_with_the_queries_some_at_a_time():
    asked = default_rng(1).uniform(size=(400, 5))
    numbers = {"cells": 5, "rows": 16, "total": 1000, "k": 400}
    params = median_mechanism.Params(epsilon=1.0, eta=0.1, **numbers)
    candidates = 4845  # 20 choose 4
    people = np.full(5, 200)
    held = peak(lambda: median_mechanism.trial(params, people, asked, rng=1))
    assert held < 0.8 * 8 * len(asked) * candidates


def test_noise_of_many_samples_is_added_in_place():
    fault = broken.FAULTS["printed comparison"]
    samples = 50_000
    rng = default_rng(1)
    held = peak(lambda: fault.mechanism(fault.data, samples, rng))
    assert held < 1.7 * 8 * samples * len(fault.data)
