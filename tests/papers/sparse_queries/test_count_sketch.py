"""Private count-sketch: what Pagh and Thorup say of its noise, and its sensitivity."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz import accounting
from dpviz.papers.sparse_queries import count_sketch
from dpviz.papers.sparse_queries.queries import Query, Records

BOTH = {"epsilon": 1.0, "delta": 1e-6}
ABSENT = [f"name {i}" for i in range(4000)]


def drawn(rows, size, seed=0, **budget):
    return count_sketch.Params.draw(rows=rows, size=size, rng=seed, **{**BOTH, **budget})


@pytest.mark.parametrize("rows", [1, 31, 101])
def test_the_noise_of_an_estimate_does_not_grow_with_the_rows(rows):
    """Pagh and Thorup: the noise of one row, but for the median's constant sqrt(pi / 2)."""
    params = drawn(rows, 3000, seed=rows)
    released = count_sketch.release(["a"] * 100, params, params.curator(rng=0))
    one = 2 * accounting.gaussian_sd(**BOTH)
    spread = count_sketch._estimates(released, ABSENT).std()
    median = 1.0 if rows == 1 else math.sqrt(math.pi / 2)
    assert spread == pytest.approx(median * one, rel=0.1)
    assert count_sketch.noise(params) == pytest.approx(math.sqrt(rows) * one)


def test_without_noise_a_median_forgets_the_rows_in_which_a_common_name_is_in_the_way():
    data = ["common"] * 10_000 + ["rare"] * 10
    params = drawn(11, 20, epsilon=1e9, delta=0.0)
    released = count_sketch.release(data, params, params.curator(rng=0))
    assert count_sketch._estimates(released, ["rare", "common"]) == pytest.approx([10, 10_000])


@given(st.integers(0, 2**32), st.sampled_from([1, 3, 7]), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_a_replaced_record_moves_the_sketch_by_no_more_than_is_paid_for(seed, rows, size):
    params = drawn(rows, size, seed)
    rng = np.random.default_rng(seed)
    names = rng.integers(0, 50, 5).tolist()
    other = [*names[:-1], int(rng.integers(50, 99))]
    one, two = (count_sketch._sketch(Records(data), params) for data in (names, other))
    assert np.abs(one - two).sum() <= 2 * rows
    assert np.linalg.norm(one - two) <= 2 * math.sqrt(rows) + 1e-12


def test_signs_are_balanced_and_buckets_even():
    places, signs = count_sketch.buckets(ABSENT, drawn(5, 10))
    assert np.abs(signs.mean(axis=1)).max() < 0.1  # 6 sd
    shares = np.array([np.bincount(row, minlength=10) / len(ABSENT) for row in places])
    assert np.abs(shares - 0.1).max() < 0.03


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"rows": 2}, "rows"),
        ({"size": 0}, "size"),
        ({"rows": 0}, "rows"),
        ({"size": 10**7, "rows": 3}, "size"),
        ({"epsilon": 0.0}, "epsilon"),
    ],
)
def test_bad_sketches_name_what_is_wrong(fields, name):
    with pytest.raises(ValueError, match=f"^{name} must"):
        count_sketch.Params.draw(**{"rows": 1, "size": 9, "rng": 0, **BOTH, **fields})


@pytest.mark.parametrize("coefficients", [(), ((1, 2, 3),), [(1, 2)], ((1, -2),)])
def test_bad_hash_functions_are_refused(coefficients):
    with pytest.raises(ValueError, match=r"^coefficients must"):
        count_sketch.Params(size=9, coefficients=coefficients, **BOTH)


def test_data_that_have_no_fingerprint_are_refused_before_anything_is_paid():
    params = drawn(1, 9)
    curator = params.curator(rng=0)
    with pytest.raises(TypeError, match=r"^data must be strings"):
        count_sketch.release([frozenset([1])], params, curator)
    assert not curator.ledger.charges


def test_answers_add_up_and_are_possible():
    params = drawn(3, 1000, epsilon=1e6, delta=0.0)
    released = count_sketch.release(["a"] * 6 + ["b"] * 4, params, params.curator(rng=0))
    found = count_sketch.answer(released, [Query(["a", "b"]), Query(["c"])])
    assert found == pytest.approx([1.0, 0.0], abs=1e-3)
