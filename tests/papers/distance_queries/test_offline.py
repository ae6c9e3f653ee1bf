"""Theorem 2: a release for all queries; the bound on and off the grid, errata."""

import math
import pickle

import numpy as np
import pytest
from scipy import stats

from dpviz.papers.distance_queries.learner.average_distance import (
    drawn,
    mixture,
    prepare,
    truth,
)
from dpviz.papers.distance_queries.learner.convex_learner import Tangents
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.papers.distance_queries.mechanism.offline import (
    Params,
    _scattered,
    answer,
    error_bound,
    paper_bound,
    release,
)
from dpviz.privacy.curator import BudgetExceeded, Curator
from dpviz.sweeps import slope

BUDGET = {"epsilon": 1, "delta": 1e-6, "lower": 0, "upper": 1}


def curator(params, rng=0):
    return params.curator(rng=rng)


def largest_error(params, data=None, *, rng):
    """Of one release with a fresh budget, over as many queries as the params say."""
    rng = np.random.default_rng(rng)
    data, queries = drawn(params, data, None, rng)
    released = release(data, params, params.curator(rng=rng))
    return np.abs(answer(released, queries) - truth(data, queries, params)).max()


def supremum(released, data, params):
    """Largest error over all of [0, 1], d = 1: between kinks of both both are straight."""
    lines = Tangents(released.lines[0])
    kinks = lines._envelope[2]
    places = np.clip(np.concatenate([[0, 1], kinks, data.ravel()]), 0, 1)
    return np.abs(answer(released, places) - truth(data, places, params)).max()


# Statements: HR Theorem 2.
@pytest.mark.parametrize("composition", ["zcdp", "pure"])
def test_no_query_whatever_exceeds_the_bound_and_it_is_not_loose(composition):
    """The exact supremum in 60 runs; binomial at 0.05, false alarm 1e-6; ratio <= 1.35."""
    params = Params(n=10_000, d=1, **BUDGET, composition=composition)
    data = mixture(10_000, 1, rng=0)
    suprema = []
    for seed in range(60):
        suprema.append(supremum(release(data, params, curator(params, seed)), data, params))
    bound = error_bound(params)
    assert (np.array(suprema) > bound).sum() <= stats.binom.ppf(1 - 1e-6, 60, 0.05)
    assert bound <= 1.35 * np.quantile(suprema, 0.95)


# Largest error over 10^4 random queries, zCDP at (1, 1e-6), a guard against getting worse.
TABLE = {
    (1, 10**3): 0.269,
    (1, 10**4): 0.0867,
    (1, 10**5): 0.0158,
    (2, 10**4): 0.239,
    (2, 10**5): 0.0435,
    (5, 10**4): 0.887,
    (5, 10**5): 0.160,
}
LARGE = {(1, 10**6): 0.00277, (2, 10**6): 0.00764, (5, 10**6): 0.0281}


def not_worse(d, n, before):
    """Mean over fresh mixtures (20, or 5 large ones), at most 1.2 times the figure before."""
    params = Params(n=n, d=d, **BUDGET, composition="zcdp")
    errors = [largest_error(params, rng=seed) for seed in range(20 if n <= 10**4 else 5)]
    assert np.mean(errors) <= 1.2 * before


@pytest.mark.parametrize(("d", "n"), TABLE)
def test_the_error_is_not_worse_than_measured_before(d, n):
    not_worse(d, n, TABLE[d, n])


@pytest.mark.slow
@pytest.mark.parametrize(("d", "n"), LARGE)
def test_the_error_is_not_worse_than_measured_before_at_a_million(d, n):
    not_worse(d, n, LARGE[d, n])


def test_the_error_falls_with_the_exponent_of_theorem_2():
    sizes, errors = [10_000, 31_623, 100_000, 316_228], []
    for n in sizes:
        params = Params(n=n, d=1, k=2000, **BUDGET, composition="zcdp")
        data = prepare(mixture(n, 1, rng=3), params)
        errors.append([largest_error(params, data, rng=seed) for seed in range(5)])
    assert slope.fit(sizes, np.array(errors), rng=0).value == pytest.approx(-0.78, abs=0.05)


def test_a_million_queries_in_one_go():
    params = Params(n=1000, d=3, epsilon=5, lower=-1, upper=(0, 1, 2))
    data = np.random.default_rng(0).uniform(-1, 0, (1000, 3))
    released = release(data, params, curator(params))
    queries = np.random.default_rng(1).uniform(-1, (0, 1, 2), (10**6, 3))
    errors = np.abs(answer(released, queries) - truth(data, queries, params))
    assert errors.max() <= released.error == error_bound(params)


def test_the_grid_is_the_best_power_of_two():
    params = Params(n=100_000, d=2, **BUDGET)
    errors = [error_bound(Params(n=100_000, d=2, **BUDGET, cells=2**j)) for j in range(14)]
    assert params.grid == 2 ** int(np.argmin(errors))
    assert error_bound(params) == min(errors)


# Statements: HR Remark 2.1.
def test_the_number_of_queries_does_not_matter_but_online_it_does():
    many, few = (l1.error_bound(l1.Params(n=10_000, d=1, k=k, **BUDGET)) for k in (10**9, 100))
    assert error_bound(Params(n=10_000, d=1, **BUDGET)) < many
    assert few < many


def test_the_order_of_the_grid_is_public_and_complete():
    places = _scattered(65)
    assert sorted(places.tolist()) == np.linspace(0, 1, 65).tolist()


def test_erratum_the_grid_has_one_more_point_in_each_coordinate():
    """T = {0, a/l, 2a/l, ..., 1} with a = alpha/2: 2 l^2/alpha + l checks, not 2 l^2/alpha.

    Statements: HR Theorem 2.
    """
    alpha, d = 0.25, 2
    step = alpha / 2 / d
    grid = np.arange(0, 1 + step / 2, step)
    assert not d * len(grid) <= 2 * d**2 / alpha
    assert d * len(grid) == 2 * d**2 / alpha + d


def test_erratum_one_lipschitz_constant_is_not_enough():
    """Both near at 0, distance a from the grid: they part at rate 2, so 3 a and not 2 a.

    Statements: HR Theorem 2.

    Right is: no place is further than a/2 from the *nearest* grid point, and both move.
    """
    a = 0.1
    hypothesis, curve = Tangents([(-1.0, 0.5 - a)]), Tangents([(1.0, 0.5)])
    gap = [curve.height(y) - hypothesis.height(y) for y in (0.0, a / 2, a)]
    assert gap[0] == pytest.approx(a)
    assert not gap[2] <= 2 * a
    assert gap[2] == pytest.approx(3 * a)
    assert gap[1] == pytest.approx(2 * a)


# Statements: HR Section 3.3 (proof of Theorem 2).
@pytest.mark.parametrize("seed", range(20))
def test_between_grid_points_the_gap_grows_by_half_a_cell_at_most(seed):
    """Random convex curves with slopes in [-1, 1] that agree at both ends of a cell."""
    rng, h = np.random.default_rng(seed), 0.1

    def curve():
        slopes = np.sort(rng.uniform(-1, 1, 40))
        values = np.concatenate([[0], np.cumsum(slopes)]) * h / 40
        return values - np.linspace(0, values[-1], 41)

    assert np.max(curve() - curve()) <= h / 2
    extreme = -np.minimum(np.linspace(0, h, 41), np.linspace(h, 0, 41))
    assert -extreme.min() == pytest.approx(h / 2)  # reached by a V


def test_erratum_noisy_slopes_must_be_clipped():
    """Theorem 2 uses that the hypothesis is 1-Lipschitz; a noisy slope of 3 is not.

    Statements: HR Theorem 2.
    """
    learner = Tangents()
    learner.update(0.5, 0.5, 3.0)
    assert max(abs(a) for a, _ in learner.lines) <= 1
    unclipped = Tangents([(0.0, 0.0), (3.0, 0.5 - 3.0 * 0.5)])
    rise = float(unclipped.predict(1.0) - unclipped.predict(0.9))
    assert not rise <= 0.1
    assert float(learner.predict(1.0) - learner.predict(0.9)) <= 0.1 + 1e-12  # rounding


def test_the_paper_s_bound_solves_its_equation():
    """alpha / 2 is Lemma 3's alpha for k = 2 l^2 / alpha queries."""

    alpha = paper_bound(Params(n=10**10, d=3, **BUDGET))
    asked = l1.Params(n=10**10, d=3, k=math.ceil(18 / alpha), **BUDGET)
    assert alpha / 2 == pytest.approx(l1.paper_alpha(asked))


@pytest.fixture
def released():
    params = Params(n=50, d=2, epsilon=200, upper=(1, 3), cells=8, lower=0)
    return release(mixture(50, 2, rng=0), params, curator(params))


def test_a_release_can_be_stored(released):
    assert vars(pickle.loads(pickle.dumps(released))) == vars(released)


@pytest.mark.parametrize("queries", [[[0.5, 3.5]], [[0.5]], [[math.nan, 0.0]], "x"])
def test_bad_queries_are_refused(released, queries):
    with pytest.raises((ValueError, TypeError), match=r"^queries must"):
        answer(released, queries)


BAD = [{"cells": 0}, {"composition": "basic"}, {"n": 0}, {"beta": 1}]


@pytest.mark.parametrize("change", [*BAD, {"composition": "zcdp", "delta": 0, "cells": 8}])
def test_bad_parameters_name_themselves(change):
    name = next(iter(change))
    with pytest.raises(ValueError, match=f"^{name} must"):
        Params(**({"lower": 0, "upper": 1} | {"n": 10, "d": 1, **BUDGET, **change}))


def test_a_poor_curator_is_refused():
    params = Params(n=10, d=1, epsilon=1, lower=0, upper=1)
    with pytest.raises(BudgetExceeded):
        release(np.zeros(10), params, Curator(epsilon=0.5, rng=0))
