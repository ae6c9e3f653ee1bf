"""Small databases: the listing, the three bounds, the slope, and how rounding is attained."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from dpviz.papers.fat_shattering import classes, small_databases
from dpviz.papers.fat_shattering.small_databases import Params
from dpviz.sweeps.sweep import sweep


@pytest.mark.parametrize(("cells", "rows"), [(1, 3), (2, 5), (4, 4), (6, 3)])
def test_all_databases_are_listed_once(cells, rows):
    """Erratum: they are C(n + m - 1, m), and not n^m."""
    found = small_databases.databases(cells, rows)
    assert (
        len(np.unique(found, axis=0)) == len(found) == small_databases.count_databases(cells, rows)
    )
    assert (found.sum(axis=1) == rows).all()
    assert found.min() >= 0
    assert len(found) == cells**rows if cells == 1 else len(found) < cells**rows


def test_too_many_to_list_says_how_many_and_offers_the_sampler():
    words = (
        "8614411471 databases of 15 rows in 25 cells are too many .* steps in the params of dpviz"
    )
    assert small_databases.count_databases(25, 15) == math.comb(39, 15)
    with pytest.raises(ValueError, match=words.replace("8614411471", str(math.comb(39, 15)))):
        small_databases.databases(25, 15)


CLASSES = {
    "thresholds": classes.thresholds(5),
    "points": np.eye(5),
    "subsets": classes.subsets(5),
    "real": np.random.default_rng(0).uniform(size=(40, 5)),
}


@given(st.sampled_from(list(CLASSES)), st.integers(1, 7), st.integers(0, 10**6))
def test_the_best_database_is_within_the_bound(name, rows, seed):
    """Statements: R10 Corollary 1; R10 Remark 1."""
    queries, rng = CLASSES[name], np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(5, rng.choice([0.1, 1.0, 10.0])))
    found = small_databases.databases(5, rows) / rows
    best = np.abs((found - shares) @ queries.T).max(axis=1).min()
    assert best <= small_databases.error_bound(Params(rows=rows), queries=queries) + 1e-12


def test_two_of_the_bounds_are_attained():
    """Rounding by cells/(4 m) with all subsets, and 1/(2 m) with thresholds."""
    shares = np.full(4, 0.25)  # two rows: two cells of four are rounded up
    found = small_databases.databases(4, 2) / 2
    best = np.abs((found - shares) @ classes.subsets(4).T).max(axis=1).min()
    assert best == pytest.approx(4 / (4 * 2))
    half = np.array([0.25, 0.75])
    found = small_databases.databases(2, 2) / 2
    best = np.abs((found - half) @ classes.thresholds(2).T).max(axis=1).min()
    assert best == pytest.approx(1 / (2 * 2))


@given(st.integers(1, 9), st.integers(1, 30), st.integers(0, 10**6))
def test_rounding_keeps_the_sum_and_its_bound(cells, rows, seed):
    shares = np.random.default_rng(seed).dirichlet(np.ones(cells))
    counts = small_databases.rounded(shares, rows)
    assert counts.sum() == rows
    assert counts.min() >= 0
    off = np.maximum(counts / rows - shares, 0).sum()  # the worst 0/1 query
    assert off <= cells / (4 * rows) + 1e-9


def test_random_rows_keep_the_bound_that_is_proved_for_them():
    """beta = 0.1, 400 draws: more than the 1e-6 quantile of a binomial would be a false alarm."""
    queries, shares = CLASSES["real"], np.random.default_rng(1).dirichlet(np.ones(5))
    params = Params(rows=30, beta=0.1)
    limit = small_databases.error_bound_sampled(params, k=len(queries))
    errors = [small_databases.trial(params, shares, queries, rng=i)["error"] for i in range(400)]
    assert (np.array(errors) > limit).sum() <= binom(400, 0.1).ppf(1 - 1e-6)
    assert limit <= 3 * np.quantile(errors, 0.9), "tight within 3: a union over 40 queries"


@pytest.mark.parametrize("name", ["thresholds", "real"])
def test_the_error_falls_with_the_root_of_the_rows(name):
    queries = {
        "thresholds": classes.thresholds(100),
        "real": np.random.default_rng(2).uniform(size=(1000, 100)),
    }[name]
    shares = np.random.default_rng(3).dirichlet(np.ones(100))
    fixed = {"queries": queries, "data": shares}
    grid = {"rows": [10, 30, 100, 300, 1000, 3000]}
    found = sweep(small_databases.trial, Params(rows=1), grid, repeats=40, rng=1, fixed=fixed)
    slope = found.slope("error", rng=2)
    assert slope.value == pytest.approx(-0.5, abs=0.04)  # its own 95 % interval is about 0.02


def test_equal_shares_unless_data_are_given():
    params, queries = Params(rows=4), classes.subsets(4)
    equal = small_databases.trial(params, np.full(4, 0.25), queries, rng=0)
    assert small_databases.trial(params, queries=queries, rng=0) == equal
    with pytest.raises(ValueError, match=r"^queries must be given"):
        small_databases.trial(params, np.full(4, 0.25), rng=0)


def test_erratum_corollary_1_needs_a_row_where_the_dimension_is_0():
    """One constant query: dimension 0, and m = 0 rows as stated are no database."""
    as_stated = lambda eta, d: d * (math.log(1 / eta) / eta) ** 2  # noqa: E731
    assert as_stated(0.1, 0) == 0
    assert small_databases.paper_rows(0.1, 0) == 1
    assert small_databases.databases(3, 1) @ np.full(3, 0.5) == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("eta", [0.0, 1.0])
def test_eta_outside_0_1_is_refused(eta):
    with pytest.raises(ValueError, match="eta must be a number with 0 < eta < 1"):
        small_databases.paper_rows(eta, 2)


def test_erratum_the_scale_of_a_small_database_is_printed_upside_down():
    """(||D*|| / ||D'||) q(D*) is 1 x q(D*), as both have m rows; it must be (||D|| / m) q(D*)."""
    data, chosen, query = np.array([60.0, 40.0]), np.array([3, 2]), np.array([1.0, 0.0])
    as_stated = abs(query @ data - chosen.sum() / chosen.sum() * (query @ chosen))
    corrected = abs(query @ data - data.sum() / chosen.sum() * (query @ chosen))
    assert not as_stated <= 0.1 * data.sum()
    assert corrected == pytest.approx(0)
