"""The border: private points are checked and clipped, and never shown."""

import re
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpviz import checks
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import cells, finite, finite_table, records_of, unit_points

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
        (["123.456"], TypeError),
        ([SECRET, "patient"], TypeError),
        ([1j], TypeError),
        ([[SECRET], [1, 2]], TypeError),
    ],
)
def test_bad_private_points_are_refused_without_showing_them(data, error):
    with pytest.raises(error, match=r"^data must") as caught:
        unit_points(data, lower=0, upper=1)
    assert not re.search(r"123|456|patient|\b[235-9]\b", str(caught.value))
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_refusing_outside_points_shows_nothing():
    with pytest.raises(ValueError, match="within the public bounds") as caught:
        unit_points([0.5, SECRET], outside="refuse", lower=0, upper=1)
    assert "123" not in str(caught.value)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (1, 1, "lower must be below upper"),
        (np.nan, 1, "lower must be finite"),
        ([0, 0], 1, r"lower must be a number or have shape \(1,\)"),
        ("a", 1, "lower must be an array"),
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
    assert together == pytest.approx(alone, rel=1e-9)


@pytest.mark.parametrize("refuse", [finite, finite_table, partial(unit_points, lower=0, upper=1)])
@pytest.mark.parametrize(
    "data",
    [
        [SECRET, 1j],
        np.array([SECRET + 1j]),
        [np.complex64(SECRET + 1j)],
        np.array([SECRET, np.complex128(1j)], dtype=object),
        np.ma.array([SECRET, 2.0], mask=[True, False]),
        [SECRET, np.ma.masked],
        [[np.ma.array(SECRET, mask=True)]],
        [10**400],
        [SECRET, "patient"],
        ["123"],
        [b"123"],
        np.array(["123", SECRET], dtype=object),
        np.array(["2020"], dtype="datetime64[Y]"),
        np.array([123], dtype="timedelta64[D]"),
        np.array([np.datetime64("2020"), SECRET], dtype=object),
    ],
    ids=range(15),
)
def test_what_would_lose_a_part_is_refused_without_a_trace(refuse, data):
    """No imaginary part, no mask; the error holds nothing private, nor does what it came from."""
    with pytest.raises(TypeError, match=r"^(data|value) must") as caught:
        refuse(data)
    assert not re.search(r"123|456|patient", str(caught.value))
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize(
    "ask",
    [
        lambda c, x: c.laplace(x, sensitivity=1, epsilon=1, label="x"),
        lambda c, x: c.gaussian(x, sensitivity=1, epsilon=1, delta=0.1, label="x"),
        lambda c, x: c.choose(x, sensitivity=1, epsilon=1, label="x"),
        lambda c, x: c.stable_choice(x, epsilon=1, delta=0.1, label="x"),
        lambda c, x: c.average(x[:, None], center=[0], radius=1, epsilon=1, delta=0.1, label="x"),
        lambda c, x: c.above_threshold(0, sensitivity=1, epsilon=1, label="x").above_first(x),
        lambda c, x: c.lazy_histogram(epsilon=1, label="x").entry("a", x),
    ],
    ids=range(7),
)
def test_every_verb_refuses_masks_and_imaginary_parts_by_name(ask):
    dates = np.array([50, 51], dtype="datetime64[Y]")
    others = (np.array([1.0, 1j]), dates, dates - dates[0], np.array(["1", "2"]))
    for data in (np.ma.array([1.0, 2.0], mask=[True, False]), *others):
        with pytest.raises(TypeError, match=r"^(data|value|scores) must"):
            ask(Curator(epsilon=2, delta=0.1, rng=0), data)


def test_keys_and_records_are_there_to_be_read_twice():
    masked = np.ma.array([1, 2], mask=[True, False])
    for bad in (iter("ab"), (x for x in "ab"), masked, [["a"]]):
        with pytest.raises(TypeError, match=r"^keys must"):
            cells(bad)
    for bad in (3.0, masked, [[1], [1, 2]]):
        with pytest.raises(TypeError, match=r"^data must") as caught:
            records_of(bad)
        assert caught.value.__context__ is None
    assert cells(np.array([1, 2])) == [1, 2]


def test_bounds_as_wide_as_the_floats_and_records_far_outside():
    top = np.finfo(float).max
    found = unit_points([-top, -1e308, 0.0, 1e308, top], -1e308, 1e308).ravel()
    assert found.tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert unit_points([-top, 1.0, top], 0, 2).ravel().tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    "value", [10**400, -(10**400), Fraction(1, 10**400), 10**5000], ids=range(4)
)
def test_public_numbers_beyond_the_floats_are_refused_by_name(value):
    """A sensitivity that is 0 as a float would be no noise at all."""
    with pytest.raises(ValueError, match="sensitivity must be a number with 0 < sensitivity"):
        Curator(epsilon=1, rng=0).laplace(0.0, sensitivity=value, epsilon=1, label="x")
    with pytest.raises(TypeError, match="y must be an array of real numbers"):
        checks.queries("y", [10**400])
