"""The nearest possible counts: against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.privacy.simplex import nearest_on_simplex

NUMBERS = st.lists(st.floats(-9, 9), min_size=1, max_size=7)


@given(NUMBERS, st.floats(0.1, 20), st.integers(0, 2**32))
def test_it_is_possible_and_nothing_possible_is_nearer(noisy, total, seed):
    found = nearest_on_simplex(noisy, total)
    assert found.min() >= 0 and found.sum() == pytest.approx(total)
    rng = np.random.default_rng(seed)
    for other in rng.dirichlet(np.full(len(noisy), 0.5), 20) * total:
        near = np.square(found - noisy).sum()
        assert np.square(other - noisy).sum() >= near - 1e-7 * (1 + near)


@pytest.mark.parametrize("noisy", [[], [[1.0]], [np.nan]])
def test_what_is_no_table_is_refused(noisy):
    with pytest.raises(ValueError, match=r"^noisy must"):
        nearest_on_simplex(noisy, 1.0)


def test_a_total_of_nothing_is_refused():
    with pytest.raises(ValueError, match=r"^total must"):
        nearest_on_simplex([1.0], 0.0)
