"""Private learning of a real-valued class: loss, transcript, bound, and what privacy costs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dpviz.audit.transcript import faults
from dpviz.papers.fat_shattering.dimension import shatter
from dpviz.papers.fat_shattering.regression_learner import (
    Params,
    _draw,
    _isotonic,
    _label_chances,
    _loss_queries,
    best_rows,
    error_bound,
    paper_rate,
    release,
    trial,
)
from dpviz.papers.fat_shattering.threshold_learner import labelled_counts
from dpviz.privacy.curator import Curator

RECORD = st.tuples(st.integers(-1, 3), st.integers(0, 1))


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_the_loss_is_two_queries_of_the_class(seed):
    """E y + E h0 [y = 0] - E h1 [y = 1], and both are within the largest error of the corners."""
    rng = np.random.default_rng(seed)
    one, other = rng.dirichlet(np.ones(8), size=2).reshape(2, 2, 4)
    f = np.sort(rng.uniform(size=4))

    def loss(shares):
        return (shares[0] * f**2 + shares[1] * (1 - f) ** 2).sum()

    h0, h1 = f**2, 2 * f - f**2
    assert loss(one) == pytest.approx(one[1].sum() + one[0] @ h0 - one[1] @ h1)
    worst = np.abs(_loss_queries(4) @ (one - other).ravel()).max()
    gap = (loss(one) - one[1].sum()) - (loss(other) - other[1].sum())
    assert abs(gap) <= 2 * worst + 1e-12


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_the_fit_is_the_best_of_many(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 6, size=(2, 4))
    found = _isotonic(counts)
    assert (np.diff(found) >= -1e-12).all()
    tried = np.sort(rng.uniform(size=(300, 4)), axis=1)
    losses = (counts[0] * tried**2 + counts[1] * (1 - tried) ** 2).sum(axis=1)
    assert (counts[0] * found**2 + counts[1] * (1 - found) ** 2).sum() <= losses.min() + 1e-9


@pytest.mark.parametrize("cells", [1, 2, 3])
def test_the_dimension_of_the_class_is_that_of_the_functions(cells):
    """Statements: R10 Section 5 (learning)."""
    rng = np.random.default_rng(cells)
    functions = np.sort(rng.integers(0, 9, size=(40, cells)), axis=1) / 8
    both = np.hstack([functions, np.zeros_like(functions)])
    both = np.vstack([both, np.roll(both, cells, axis=1)])
    for gamma in (0.1, 0.25):
        assert shatter(both, gamma).d == shatter(functions, gamma).d


@given(st.lists(RECORD, min_size=2, max_size=6), RECORD, st.integers(0, 99))
@settings(max_examples=25)
def test_the_transcript_of_neighbours_agrees(data, record, seed):
    params = Params(epsilon=1.0, cells=3, rows=2)
    run = lambda data, curator: release(data, params, curator)  # noqa: E731
    assert faults(run, data, [*data[:-1], record], rng=seed, epsilon=1.0) == []


@pytest.mark.parametrize("n", [100, 3000])
def test_the_bound_holds(n):
    """beta = 0.05, 60 runs, false alarm below 1e-6.

    Statements: R10 Section 1 (learning); R10 Section 5 (learning).
    """
    params = Params(epsilon=1.0, cells=3, rows=8)
    runs = [trial(params, n=n, rng=i) for i in range(60)]
    assert sum(run["excess"] > run["bound"] for run in runs) <= binom(60, 0.05).ppf(1 - 1e-6)


def test_each_part_of_the_bound_dominates_somewhere():
    """Few rows; an epsilon that is small; a sample that is small. And beta is shared."""
    rounded = 4 * 6 / (4 * 3)  # four times cells / (4 rows) of 6 cells and 3 rows
    quiet = Params(epsilon=1e9, cells=3, rows=3)
    assert error_bound(quiet, n=10**9) == pytest.approx(rounded, rel=1e-3)
    corners = len(_loss_queries(3))
    sampled = 4 * np.sqrt(np.log(4 * corners / 0.05) / 200)
    assert error_bound(Params(epsilon=1e9, cells=3, rows=10**9), n=100) == pytest.approx(
        sampled, rel=1e-3
    )
    loud = [error_bound(Params(epsilon=e, cells=3, rows=3), n=10**3) for e in (1e-5, 2e-5)]
    assert loud[0] == pytest.approx(2 * loud[1], rel=1e-3)


def test_privacy_costs_most_when_people_are_few():
    runs = {
        n: [trial(Params(epsilon=1.0, cells=3, rows=m), n=n, rng=i) for i in range(30)]
        for n, m in ((30, 3), (10_000, 14))
    }
    private, nonprivate = (
        {n: np.mean([run[name] for run in runs[n]]) for n in runs}
        for name in ("excess", "nonprivate")
    )
    assert private[30] > 1.2 * nonprivate[30]
    assert private[10_000] < private[30] / 4
    assert nonprivate[10_000] < private[10_000]  # a small database rounds


def test_rows_are_chosen_by_the_bound_alone():
    few, many = (best_rows(Params(epsilon=1.0, cells=3, rows=1), n=n, most=14) for n in (50, 10**5))
    assert 1 <= few < many <= 14


def test_the_rate_is_a_cube_root():
    params = Params(epsilon=1.0, cells=3, rows=2)
    assert paper_rate(params, n=8000, dimension=3) == pytest.approx(
        paper_rate(params, n=1000, dimension=3) / 2
    )
    assert labelled_counts(_draw(params, 50, np.random.default_rng(0)), 3).sum() == 50
    assert (np.diff(_label_chances(6)) < 0).any(), "no function of the class is right"


def test_bad_arguments_are_refused_before_anything_is_spent():
    with pytest.raises(ValueError, match="delta must be"):
        Params(epsilon=1.0, delta=0.1, cells=4, rows=2)
    curator = Curator(epsilon=1.0, rng=0)
    for data in ([1.0, 2.0], [[1, 2]], [[np.nan, 1]]):
        with pytest.raises(ValueError, match=r"^data must"):
            release(data, Params(epsilon=1.0, cells=4, rows=2), curator)
    with pytest.raises(ValueError, match="too many to list"):
        release([[0, 1]], Params(epsilon=1.0, cells=20, rows=20), curator)
    assert not curator.ledger.charges
