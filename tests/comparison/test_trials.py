"""The comparison of stored trials sees what a machine does not explain."""

import numpy as np
import pytest

STORED = {"error": np.array([0.25123, 1e-7]), "updates": np.array([3.0, 0.0])}


def test_rounding_is_no_difference(differences):
    rounded = {"error": np.nextafter(STORED["error"], 1), "updates": STORED["updates"]}
    assert differences(rounded, STORED) == []
    assert differences({"error": [0.25, np.nan]}, {"error": [0.25, np.nan]}) == []


def test_the_last_bits_of_a_half_are_no_difference_where_four_digits_are_stored(differences):
    """What is stored as 0.39 is 0.38995 here and one bit less there, which is rounded to 0.3899."""
    stored = {"error": np.array([0.39, -1.0])}
    for half in (np.nextafter(0.38995, 0), 0.38995, np.nextafter(0.38995, 1), 0.39, 0.39004):
        assert differences({"error": [half, -1.0]}, stored) == []
    for other in (0.3899, 0.389949, 0.390051):
        assert differences({"error": [other, -1.0]}, stored) == ["error"]
    assert differences({"error": [0.39004, -1.0]}, {"error": np.array([0.39, -1.23456])}) == [
        "error"
    ]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("error", [0.25123, 1.00001e-7]),  # however small the number is
        ("error", [0.25123, np.nan]),
        ("error", [0.25]),
        ("updates", [3.0, 1.0]),
        ("updates", [3.0 + 1e-12, 0.0]),  # a count is exact
    ],
)
def test_anything_else_is(differences, field, values):
    assert differences({**STORED, field: values}, STORED) == [field]


def test_a_field_more_or_less_is_a_difference(differences):
    assert differences({"error": STORED["error"]}, STORED) == ["updates"]
    assert differences({**STORED, "bound": [1, 1]}, STORED) == ["bound"]
