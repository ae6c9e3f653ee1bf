"""The dimension is sufficient: covering numbers by brute force, uniform convergence, sizes."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dpviz.papers.fat_shattering import (
    classes,
    covering_numbers,
    lower_bounds,
    net_mechanism,
    small_databases,
)
from dpviz.papers.fat_shattering.dimension import shatter
from dpviz.papers.fat_shattering.small_databases import Params, consistent_database

STEPS = 6  # values of the tiny classes are multiples of 1/6


def tiny_class(seed, k=7):
    """At most k different functions on at most three points."""
    rng = np.random.default_rng(seed)
    points = rng.integers(1, 4)
    return np.unique(rng.integers(0, STEPS + 1, size=(k, points)), axis=0) / STEPS


def packing_number(functions, radius):
    """By brute force over all subsets."""
    far = np.abs(functions[:, None] - functions).max(axis=2) > radius + 1e-9
    for size in range(len(functions), 1, -1):
        for chosen in itertools.combinations(range(len(functions)), size):
            if all(far[i, j] for i, j in itertools.combinations(chosen, 2)):
                return size
    return 1


def grid(radius, gamma):
    """The levels of the proof."""
    gap = radius - 2 * gamma
    count = math.floor((1 - 2 * gamma) / gap)
    return gamma + gap * np.arange(1, count + 1)


def shattered(functions, gamma, levels):
    """How many pairs (points, levels on them) are shattered, the empty one too."""
    count = 0
    for size in range(functions.shape[1] + 1):
        for points in itertools.combinations(range(functions.shape[1]), size):
            for chosen in itertools.product(levels, repeat=size):
                above = functions[:, points] - np.array(chosen)
                clear = (np.abs(above) >= gamma - 1e-9).all(axis=1)
                count += len(np.unique(above[clear] > 0, axis=0)) == 2**size
    return count


@pytest.mark.parametrize(("radius", "gamma"), [(0.4, 0.1), (0.45, 0.15), (0.6, 0.05), (0.9, 0.4)])
def test_each_step_of_the_packing_proof(radius, gamma):
    """On random tiny classes: some cut is as balanced as said, counts of shattered sets add up,
    they are at least N^theta and at most Y, and the bound is above the packing number.

    Statements: R10 Theorem 3.
    """
    levels = grid(radius, gamma)
    for seed in range(10):
        functions, d = tiny_class(seed), shatter(tiny_class(seed), gamma).d
        points, cuts = functions.shape[1], functions.shape[1] * len(levels)
        number = packing_number(functions, radius)
        bound = covering_numbers.log_packing_bound(
            radius, gamma, dimension=lambda g, d=d: d, points=points
        )
        assert number <= math.exp(bound) * (1 + 1e-9)
        far = itertools.combinations(range(len(functions)), number)
        apart = next(c for c in far if packing_number(functions[list(c)], radius) == number)
        packed = functions[list(apart)]
        total = shattered(packed, gamma, levels)
        most = sum(math.comb(points, i) * len(levels) ** i for i in range(d + 1))
        assert number ** (2 / math.log2(4 * cuts)) <= total + 1e-9
        assert total <= most
        if number > 1:
            best = 0
            for x, level in itertools.product(range(points), levels):
                low = packed[packed[:, x] <= level - gamma + 1e-9]
                high = packed[packed[:, x] >= level + gamma - 1e-9]
                best = max(best, len(low) * len(high))
                if len(low) and len(high) and seed < 2:
                    parts = [shattered(part, gamma, levels) for part in (low, high)]
                    assert total >= sum(parts)
            assert best >= number * (number - 1) / (2 * cuts)


def test_the_packing_bound_is_attained_and_needs_its_terms():
    """One point, one level: two functions, and the bound is 2. Four subsets of two points: 4 of
    the growth bound, which is Sauer's."""
    one = covering_numbers.log_packing_bound(0.9, 0.05, dimension=lambda gamma: 1, points=1)
    assert one == pytest.approx(math.log(2))
    assert packing_number(np.array([[0.0], [1.0]]), 0.9) == 2
    two = covering_numbers.log_growth_bound(dimension=lambda gamma: 2, points=2)
    assert two == pytest.approx(math.log(len(classes.subsets(2))))


@given(st.integers(1, 12), st.integers(1, 5))
def test_the_growth_bound_is_attained_by_small_subsets(cells, d):
    bound = covering_numbers.log_growth_bound(dimension=lambda gamma: d, points=cells)
    assert bound == pytest.approx(math.log(len(classes.subsets(cells, at_most=d))))


@given(st.integers(65, 200), st.integers(1, 9), st.integers(0, 200))
@settings(max_examples=40)
def test_what_is_not_added_up_is_bounded(d, levels, more):
    points = d + more
    exact = math.log(sum(math.comb(points, i) * levels**i for i in range(d + 1)))
    assert exact <= covering_numbers._log_sum(d, points, levels) + 1e-9
    assert covering_numbers._log_sum(d, points, levels) <= 1.5 * exact


def ladder(gamma):
    """Dimension of the non-decreasing functions."""
    return math.floor(1 / (2 * gamma))


@pytest.mark.parametrize("cells", [None, 40])
def test_random_rows_keep_the_bound_by_the_dimension(cells):
    """Non-decreasing functions on 40 cells: an infinite class, largest error at a threshold.
    beta = 0.1, 200 draws; it is proved and loose, up to 60 times the 0.9 quantile.

    Statements: R10 Theorem 3; R10 Corollary 1.
    """
    params = Params(rows=4000, beta=0.1)
    bound = small_databases.error_bound_uniform(params, dimension=ladder, cells=cells)
    shares = np.random.default_rng(1).dirichlet(np.ones(40))
    runs = [
        small_databases.trial(params, shares, classes.thresholds(40), rng=i)["error"]
        for i in range(200)
    ]
    assert (np.array(runs) > bound).sum() <= binom(200, 0.1).ppf(1 - 1e-6)
    assert bound <= 60 * np.quantile(runs, 0.9)
    best = small_databases.error_bound_dimension(params, dimension=ladder, cells=cells)
    assert best <= bound


@pytest.mark.parametrize("d", [1, 3])
def test_the_error_falls_like_the_root_of_the_rows_and_grows_with_the_dimension(d):
    """Up to logarithms: a fixed dimension at every gamma."""
    rows = [10**3, 10**4, 10**5, 10**6]
    found = [
        small_databases.error_bound_uniform(Params(rows=m), dimension=lambda g: d, cells=None)
        for m in rows
    ]
    slopes = np.diff(np.log(found)) / math.log(10)
    assert (slopes < -0.3).all()
    assert (slopes > -0.5).all()
    larger = small_databases.error_bound_uniform(
        Params(rows=10**6), dimension=lambda g: 4 * d, cells=None
    )
    assert 1.5 < larger / found[-1] < 2.5  # about the root of 4


def test_a_class_of_zeros_and_ones_has_a_smaller_bound():
    known = {"dimension": lambda gamma: 2, "cells": 50}
    real = small_databases.error_bound_dimension(Params(rows=1000), **known)
    boolean = small_databases.error_bound_dimension(Params(rows=1000), boolean=True, **known)
    k = len(classes.subsets(50, at_most=2))
    plain = small_databases.error_bound_sampled(Params(rows=1000, beta=1.0), k=k)
    assert boolean == pytest.approx(plain)
    assert boolean < real / 2


def test_each_term_of_the_bound_dominates_somewhere():
    """The radius where rows are endless; the confidence where beta is tiny; the size of the
    cover, checked by hand, for values 0 and 1."""
    endless = small_databases.error_bound_uniform(
        Params(rows=10**12), dimension=lambda g: 1, cells=None
    )
    assert 2e-3 <= endless <= 2.2e-3  # twice the smallest radius tried
    rare = small_databases.error_bound_uniform(
        Params(rows=100, beta=1e-300), dimension=lambda g: 0, cells=None, boolean=True
    )
    confidence, symmetric = math.sqrt(300 * math.log(10) / 200), math.sqrt(2 * math.log(2) / 100)
    assert rare == pytest.approx(confidence + symmetric)
    known = small_databases.error_bound_uniform(
        Params(rows=100, beta=0.5), dimension=lambda g: 1, cells=3, boolean=True
    )
    assert known == pytest.approx(math.sqrt(math.log(2 * 4 / 0.5) / 200))


def test_from_which_size_of_a_class_the_dimension_is_the_better_bound():
    """At dimension 1, 100 cells and 10,000 rows the plain bound in ln k is larger only for more
    than e^100 queries; a finite class of dimension 1 with values on a grid has far fewer."""
    error = small_databases.error_bound_dimension(
        Params(rows=10_000), dimension=lambda g: 1, cells=100
    )
    log_k = 2 * 10_000 * error**2 - math.log(2)
    assert log_k > 100
    plain = small_databases.error_bound_any(Params(rows=10_000), k=10**30, cells=10**9)
    assert plain < error


SIZES = [(0.3, None), (0.5, None), (0.5, 1e9)]


@pytest.mark.parametrize(("eta", "total"), SIZES)
def test_from_the_relative_size_on_the_bound_is_relative(eta, total):
    """Statements: R10 Definition 1; R10 Theorem 5."""
    params = net_mechanism.Params(epsilon=0.5, rows=2000, total=total)
    small = small_databases.Params(rows=2000)
    best = small_databases.error_bound_dimension(small, dimension=lambda g: 1, cells=100)
    size = net_mechanism.relative_size(params, eta=eta, best_error=best, cells=100)
    bound = net_mechanism.error_bound_dimension(
        params, dimension=lambda g: 1, cells=100, total=size
    )
    assert bound / size == pytest.approx(eta)
    with pytest.raises(ValueError, match="eta must be above the error"):
        net_mechanism.relative_size(params, eta=best, best_error=best, cells=100)


def test_a_release_is_relatively_useful_from_that_size_on():
    """Three cells, all subsets, 60 runs at exactly that size, beta = 0.2; and the bound says
    something: at most six times the 0.8 quantile.

    Statements: R10 Definition 1; R10 Theorem 5.
    """
    queries = classes.subsets(3)
    params = net_mechanism.Params(epsilon=1.0, rows=6, beta=0.2)
    best = small_databases.error_bound(small_databases.Params(rows=6), queries=queries)
    size = math.ceil(net_mechanism.relative_size(params, eta=0.3, best_error=best, cells=3))
    data = small_databases.rounded(np.array([0.55, 0.3, 0.15]), size).astype(float)
    runs = np.array(
        [net_mechanism.trial(params, data, queries, rng=i)["error"] / size for i in range(60)]
    )
    assert (runs > 0.3).sum() <= binom(60, 0.2).ppf(1 - 1e-6)
    assert np.quantile(runs, 0.8) >= 0.3 / 6


def test_an_infinite_dimension_is_refused_by_name():
    """All functions on an infinite domain shatter everything."""
    with pytest.raises(ValueError, match="dimension is infinite at gamma = "):
        small_databases.error_bound_uniform(
            Params(rows=100), dimension=lambda gamma: math.inf, cells=None
        )
    with pytest.raises(TypeError, match="dimension must be a whole number"):
        covering_numbers.log_packing_bound(0.4, 0.1, dimension=lambda gamma: 1.5, points=3)
    with pytest.raises(ValueError, match=r"gamma must be below half of the radius"):
        covering_numbers.log_packing_bound(0.4, 0.2, dimension=lambda gamma: 1, points=3)


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_any_answers_become_a_database_with_at_most_twice_the_error(seed):
    """Statements: R10 Footnote 1."""
    rng = np.random.default_rng(seed)
    data, error = rng.integers(0, 9, size=5).astype(float), rng.uniform(0.1, 4)
    queries = rng.uniform(size=(12, 5)).round(seed % 2)
    answers = queries @ data + rng.uniform(-error, error, size=12)
    for total in (None, data.sum()):
        found = consistent_database(queries, answers, error=error, total=total)
        assert (found >= 0).all()
        assert np.abs(queries @ found - answers).max() <= error * (1 + 1e-6) + 1e-6
        assert np.abs(queries @ (found - data)).max() <= 2 * error * (1 + 1e-6) + 1e-6
        if total is not None:
            assert found.sum() == pytest.approx(total)


def test_twice_the_error_is_attained():
    """Answers e below one, e above the other of two equal queries on data that could be either."""
    queries, data, error = [[1.0, 0.0], [1.0, 1.0]], np.array([2.0, 0.0]), 1.0
    answers = np.array([3.0, 3.0])
    found = consistent_database(queries, answers, error=0.0)
    assert np.abs(np.array(queries) @ (found - data)).max() == pytest.approx(error)
    found = consistent_database([[1.0]], [2.0 + error])
    assert abs(found[0] - 2.0) == pytest.approx(error)


def test_answers_of_no_database_are_refused():
    """A part that is larger than the whole by four: the best is off by two."""
    with pytest.raises(ValueError, match=r"has no solution; every database is off by 2 somewhere"):
        consistent_database([[1.0, 0.0], [1.0, 1.0]], [9.0, 5.0], error=1.0)
    with pytest.raises(ValueError, match=r"answers must have shape \(2,\)"):
        consistent_database(np.eye(2), [1.0])
    with pytest.raises(ValueError, match="total must be"):
        consistent_database(np.eye(2), [1.0, 1.0], total=-2.0)


def test_a_polytope_takes_an_answer_for_each_corner():
    polytope = classes.monotone_polytope(3)
    data = np.array([4.0, 2.0, 1.0])
    found = consistent_database(polytope, polytope.corners @ data)
    assert found == pytest.approx(data)


@pytest.mark.parametrize("d", [2, 4, 6])
def test_what_is_measured_lies_between_the_bounds(d):
    """All subsets of at most d of six cells: dimension d.

    Statements: R10 Section 5 (necessary and sufficient).
    """
    queries, params = (
        classes.subsets(6, at_most=d),
        net_mechanism.Params(epsilon=0.1, rows=6, total=3000.0),
    )
    assert shatter(queries, 0.5).d == d
    data = np.array([1000.0, 800.0, 500.0, 400.0, 200.0, 100.0])
    runs = [net_mechanism.trial(params, data, queries, rng=i) for i in range(8)]
    least = max(
        lower_bounds.lower_bound(0.5, d, epsilon=0.1, beta=0.05, copies=w) for w in range(1, 30)
    )
    most = net_mechanism.error_bound_dimension(
        params, dimension=lambda gamma: d, cells=6, boolean=True
    )
    measured = [run[name] for run in runs for name in ("error", "histogram_error")]
    assert 0 < least < min(measured)
    assert max(run["error"] for run in runs) < most
