"""Lemma 4.4: how few evaluations an integral of the class can do with."""

import math

import numpy as np
import pytest

from dpviz.papers.smooth_queries import sparse_grids
from dpviz.papers.smooth_queries.sparse_grids import _nodes, least_error, unseen


def rules(d):
    """Places that are regular, random, sparse, or all in one corner."""
    rng = np.random.default_rng(3)
    axis = _nodes(2)
    full = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    yield from (full, rng.uniform(-1, 1, size=(50, d)), sparse_grids.places(d, 4))
    yield 1 - 1e-3 * rng.random((30, d))


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("smoothness", [1, 2, 3])
def test_a_rule_sees_nothing_of_a_function_that_is_in_the_class_and_large(d, smoothness):
    for places in rules(d):
        f = unseen(places, smoothness, bound=2.0)
        assert np.abs(f(places)).max() == 0
        least = least_error(len(places), d, smoothness, bound=2.0)
        assert chebyshev_mean(f, d, len(places)) >= least * (1 - 1e-9)


def chebyshev_mean(f, d, evaluations):
    """pi^-d int f prod dx_i, by Gauss-Legendre inside each cell: less than c_0."""
    m = sparse_grids._cells_per_side(evaluations, d)
    offsets, weights = np.polynomial.legendre.leggauss(8)
    axis = ((2 * np.arange(m)[:, None] + 1 + offsets) / m - 1).ravel()
    mass = np.tile(weights / m, m)
    points = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    masses = np.prod(np.stack(np.meshgrid(*[mass] * d, indexing="ij"), axis=-1), axis=-1).ravel()
    values = np.concatenate([f(block) for block in np.array_split(points, 1 + len(points) // 2000)])
    return float(masses @ values) / math.pi**d


@pytest.mark.parametrize("smoothness", [1, 2, 3])
def test_all_derivatives_up_to_the_order_are_at_most_the_bound(smoothness):
    """By divided differences, which are mean values of derivatives; the bound is nearly met."""
    f = unseen(np.array([[0.9, 0.9], [-0.9, 0.9]]), smoothness)
    step = 1e-3
    axis = np.arange(-1, 1, step)
    grid = f(np.stack(np.meshgrid(axis, axis[: len(axis) // 2], indexing="ij"), -1).reshape(-1, 2))
    grid = grid.reshape(len(axis), -1)
    largest = 0.0
    for first in range(smoothness + 1):
        for second in range(smoothness + 1 - first):
            slopes = np.diff(np.diff(grid, first, axis=0), second, axis=1)
            largest = max(largest, np.abs(slopes).max() / step ** (first + second))
    M, _ = sparse_grids._piece_size(smoothness)
    assert 0.9 / M <= largest <= 1 + 1e-6


SIZES = [10**12, 10**24, 10**36, 10**72]


def test_erratum_no_rule_has_as_few_evaluations_as_lemma_4_4():
    """The stated N = tau^(-2/K) leaves an error of order tau^(2/d): more than any multiple of tau.

    So for d >= 3 the quotient of least error and tau grows without end as N^(K/2 - K/d), and for
    d = 2 it stays: there, nothing is refuted.

    Statements: W13 Lemma 4.4.
    """
    for d, smoothness in [(3, 1), (3, 4), (6, 2)]:
        quotients = [least_error(n, d, smoothness) * n ** (smoothness / 2) for n in SIZES]
        slopes = np.diff(np.log(quotients)) / np.diff(np.log(np.array(SIZES, dtype=float)))
        assert slopes == pytest.approx(smoothness / 2 - smoothness / d, rel=0.02)
        assert max(quotients) > 1000
    flat = [least_error(n, 2, 3) * n**1.5 for n in SIZES]
    assert max(flat) / min(flat) == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize(("d", "level"), [(1, 4), (3, 3), (5, 3)])
def test_the_places_are_counted_once_each(d, level):
    assert sparse_grids.places(d, level).shape == (sparse_grids.count(d, level), d)


@pytest.mark.parametrize(
    "wrong", [{"evaluations": 0}, {"evaluations": 2.5}, {"d": 0}, {"smoothness": 0}]
)
def test_bad_numbers_are_refused_by_name(wrong):
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
        least_error(**{"evaluations": 4, "d": 2, "smoothness": 1, **wrong})
