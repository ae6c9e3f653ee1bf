"""The search against brute force, an integer program, linear programs and known formulas."""

import importlib
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.papers.fat_shattering import classes
from dpviz.papers.fat_shattering.dimension import (
    Shattering,
    _largest_gamma,
    is_shattered,
    patterns,
    polytope_dimension,
    shatter,
)

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def brute_force(queries, gamma):
    """Every set of points, and on each point every level v +- gamma and every midpoint."""
    k, cells = queries.shape
    levels = []
    for column in queries.T:
        v = np.unique(column)
        tried = np.unique([*(v + gamma), *(v - gamma), *((v[1:] + v[:-1]) / 2)])
        high, low = v[-1] >= tried + gamma - 1e-12, v[0] <= tried - gamma + 1e-12
        levels.append(tried[high & low])  # elsewhere nothing is high, or nothing low
    for d in range(min(cells, int(math.log2(k))), 0, -1):
        for points in itertools.combinations(range(cells), d):
            values = queries[:, points]
            for r in itertools.product(*(levels[i] for i in points)):
                above = values - np.array(r)
                clear = (np.abs(above) >= gamma - 1e-12).all(axis=1)  # as the search compares
                if len(np.unique(above[clear] > 0, axis=0)) == 2**d:
                    return d
    return 0


def random_class(seed):
    """A small class: real, on a coarse grid (many ties), or of zeros and ones."""
    rng = np.random.default_rng(seed)
    k, cells = rng.integers(1, 11), rng.integers(1, 5)
    kind = rng.integers(3)
    if kind == 0:
        return rng.uniform(size=(k, cells))
    grid = 1 if kind == 1 else 10
    return rng.integers(0, grid + 1, size=(k, cells)) / grid


@pytest.mark.parametrize("gamma", [0.1, 0.25, 0.5])
@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 60), marks=pytest.mark.slow)], ids=str
)
def test_the_search_equals_brute_force_on_many_random_classes(gamma, seeds):
    """Statements: R10 Definition 3."""
    for seed in seeds:
        queries = random_class(seed)
        found = shatter(queries, gamma)
        assert found.d == brute_force(queries, gamma), seed
        assert found.exact
        assert is_shattered(queries, found), seed


def test_an_integer_program_agrees(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    peer = importlib.import_module("fat")
    for seed, (k, cells, gamma) in enumerate([(8, 4, 0.25), (12, 4, 0.1), (16, 5, 0.2)]):
        queries = np.random.default_rng(seed).uniform(size=(k, cells))
        d = shatter(queries, gamma).d
        assert peer.shatters(queries, gamma, d)
        assert not peer.shatters(queries, gamma, d + 1)


GAMMAS = [0.05, 0.1, 0.125, 0.2, 0.25, 0.3, 0.5]
BOOLEAN = {
    "thresholds": (classes.thresholds(9), 1),
    "intervals": (classes.intervals(9), 2),
    "one interval": (classes.intervals(1), 1),
    "subsets": (classes.subsets(6), 6),
    "small subsets": (classes.subsets(7, at_most=3), 3),
    "points": (np.eye(6), 1),
}


@pytest.mark.parametrize("name", BOOLEAN)
def test_classes_of_zeros_and_ones_have_their_vc_dimension_at_every_gamma(name):
    """Remark: the text claims it for gamma = 1/2 only.

    Statements: R10 Section 2.1 (VC dimension).
    """
    queries, known = BOOLEAN[name]
    assert [shatter(queries, gamma).d for gamma in GAMMAS] == [known] * len(GAMMAS)
    vc = max(
        d
        for d in range(len(queries[0]) + 1)
        for points in itertools.combinations(range(len(queries[0])), d)
        if len(np.unique(queries[:, points], axis=0)) == 2**d
    )
    assert vc == known


@pytest.mark.parametrize("gamma", GAMMAS)
def test_known_values_on_grids(gamma):
    g, cells = 10, 4
    steps = math.ceil(2 * gamma * g - 1e-9)  # 2 gamma in steps of the grid
    assert shatter(classes.monotone(cells, steps=g), gamma).d == min(cells, g // steps)
    for slope in (1, 3):
        found = shatter(classes.lipschitz(cells, steps=g, slope=slope), gamma).d
        assert found == 1 + (cells - 1) // math.ceil(steps / slope)
    if abs(2 * gamma * g - steps) < 1e-9:
        for p, t in ((1, 0.9), (2, 0.7), (1, 1.0)):
            found = shatter(classes.lp_ball(cells, steps=g, p=p, radius=t), gamma).d
            assert found == min(cells, int((t / (2 * gamma)) ** p + 1e-9))


@pytest.mark.parametrize("gamma", [0.07, 0.1, 0.15, 0.25, 0.251, 0.5])
def test_known_values_of_infinite_classes(gamma):
    """Linear programs; levels and queries are free, no grid."""
    cells = 5
    top = math.floor(1 / (2 * gamma) + 1e-9)
    assert polytope_dimension(classes.monotone_polytope(cells), gamma) == min(cells, top)
    ball = classes.Polytope(np.ones((1, cells)), [1.0])  # of l1 norm at most 1
    assert polytope_dimension(ball, gamma) == min(cells, top)
    gap = math.ceil(2 * gamma / 0.25 - 1e-9)
    found = polytope_dimension(classes.lipschitz_polytope(cells, slope=0.25), gamma)
    assert found == 1 + (cells - 1) // gap


@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.2, 0.3]))
@settings(max_examples=40)
def test_what_does_not_matter_and_what_must_fall(seed, gamma):
    """Statements: R10 Observation 1."""
    rng = np.random.default_rng(seed)
    queries = random_class(seed)
    d = shatter(queries, gamma).d
    assert shatter(np.repeat(queries, 2, axis=0), gamma).d == d
    assert shatter(queries[:, rng.permutation(queries.shape[1])], gamma).d == d
    assert shatter(1 - queries, gamma).d == d
    assert shatter(queries, gamma + 0.1).d <= d
    assert 2**d <= len(queries), "Observation 1"


def test_levels_lie_between_gamma_and_one_less_gamma():
    """Why 1/gamma buckets are enough (erratum: 1/gamma need not be whole)."""
    for seed in range(60):
        found = shatter(random_class(seed), 0.15)
        assert (found.witness >= 0.15 - 1e-12).all()
        assert (found.witness <= 0.85 + 1e-12).all()


def test_rounding_does_not_hide_a_set():
    """0.1 + 2 x 0.1 > 0.3 in floating point: without the tolerance the answer would be 0."""
    values = np.array([[0.1], [0.3]])
    assert not values[0, 0] + 2 * 0.1 <= values[1, 0]
    assert shatter(values, 0.1).d == 1


def test_a_certificate_that_is_wrong_is_refused():
    queries = classes.subsets(3)
    found = shatter(queries, 0.25)
    assert is_shattered(queries, found)
    rows = found.rows.copy()
    rows[[0, 1]] = rows[[1, 0]]
    for change in ({"rows": rows}, {"witness": found.witness + 0.6}, {"gamma": 0.5 + 1e-9}):
        assert not is_shattered(queries, Shattering(**{**vars(found), **change}))


def test_a_search_cut_short_says_so():
    queries = np.random.default_rng(0).uniform(size=(128, 10))
    found = shatter(queries, 0.1, nodes=200)
    assert not found.exact
    assert 0 < found.d <= 5
    assert is_shattered(queries, found)


@pytest.mark.slow
def test_random_classes_of_128_queries_have_dimension_5():
    found = shatter(np.random.default_rng(128).uniform(size=(128, 10)), 0.1)
    assert (found.d, found.exact) == (5, True)


def test_patterns_are_all_patterns():
    assert len(np.unique(patterns(5), axis=0)) == 32


@pytest.mark.parametrize(
    ("queries", "gamma", "words"),
    [
        ([[0.0, 1.2]], 0.25, r"queries must have coefficients in \[0, 1\], not from 0 to 1.2"),
        ([[-0.1, 1]], 0.25, "queries must have coefficients"),
        ([], 0.25, "queries must have shape"),
        ([[0, 1]], 0.0, "gamma must be a number with 0 < gamma <= 0.5"),
        ([[0, 1]], 0.51, "gamma must be a number with 0 < gamma <= 0.5"),
        ([[0, float("nan")]], 0.2, "queries must be finite"),
    ],
)
def test_bad_classes_are_refused(queries, gamma, words):
    with pytest.raises(ValueError, match=words):
        shatter(queries, gamma)


def test_lists_that_are_too_long_say_how_long():
    with pytest.raises(ValueError, match="subsets: 1073741824 rows of 30 are too many"):
        classes.subsets(30)
    with pytest.raises(ValueError, match="monotone functions: "):
        classes.monotone(30, steps=30)


def test_bad_polytopes_are_refused():
    with pytest.raises(ValueError, match="the class is empty"):
        classes.Polytope([[-1.0, -1.0]], [-3.0])
    with pytest.raises(ValueError, match="points must be 1 to 8 distinct cells"):
        _largest_gamma(classes.Polytope([[1.0, 1.0]], [1.0]), [0, 0])
    with pytest.raises(ValueError, match="matrix must have shape"):
        classes.Polytope([[1.0, 1.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="cells must be a whole number"):
        polytope_dimension(classes.monotone_polytope(9), 0.25)
