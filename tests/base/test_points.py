"""The border: private points are checked and clipped, and never shown."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpviz.base.points import unit_points

SECRET = 123.456


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ([SECRET, np.nan], ValueError),
        ([SECRET, np.inf], ValueError),
        ([], ValueError),
        (SECRET, ValueError),
        ([[[SECRET]]], ValueError),
        (np.empty((3, 0)), ValueError),
        (["123.456"], None),
        ([SECRET, "patient"], TypeError),
        ([1j], TypeError),
        ([[SECRET], [1, 2]], TypeError),
    ],
)
def test_bad_private_points_are_refused_without_showing_them(data, error):
    if error is None:  # numpy reads this as a number
        assert unit_points(data, 0, 200)[0, 0] == pytest.approx(SECRET / 200)
        return
    with pytest.raises(error, match=r"^data must") as caught:
        unit_points(data)
    assert not re.search(r"123|456|patient|\b[235-9]\b", str(caught.value))
    assert caught.value.__cause__ is None


def test_refusing_outside_points_shows_nothing():
    with pytest.raises(ValueError, match="within the public bounds") as caught:
        unit_points([0.5, SECRET], outside="refuse")
    assert "123" not in str(caught.value)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (1, 1, "low must be below high"),
        (np.nan, 1, "low must be finite"),
        ([0, 0], 1, r"low must be a number or have shape \(1,\)"),
        ("a", 1, "low must be an array"),
    ],
)
def test_public_bounds_are_checked_and_shown(low, high, words):
    with pytest.raises((TypeError, ValueError), match=words):
        unit_points([0.5], low, high)


@given(arrays(float, st.tuples(st.integers(1, 20), st.integers(1, 4)), elements=st.floats(-9, 9)))
def test_clipping_is_record_by_record(data):
    together = unit_points(data, -1, 2)
    alone = np.vstack([unit_points(row[None], -1, 2) for row in data])
    assert ((together >= 0) & (together <= 1)).all()
    assert np.array_equal(together, alone)
