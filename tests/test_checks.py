"""Public arguments: the message names the argument, the rule and the value."""

from functools import partial

import numpy as np
import pytest

from dpviz import checks


@pytest.mark.parametrize("value", [0, 1, -0.1, 2, np.nan, np.inf])
def test_number_outside_its_range_is_refused(value):
    with pytest.raises(ValueError, match=r"alpha must be a number with 0 < alpha < 1, not"):
        checks.number("alpha", value, above=0, below=1)


@pytest.mark.parametrize("value", ["0.1", None, True, 1j, [0.1]])
def test_number_of_another_type_is_refused(value):
    with pytest.raises(TypeError, match="alpha must be a number, not"):
        checks.number("alpha", value, above=0, below=1)


def test_numbers_of_numpy_and_closed_ends_are_accepted():
    assert checks.number("e", np.float32(0.5), at_least=0, at_most=0.5) == 0.5
    assert checks.integer("n", np.int64(3), at_least=3, at_most=3) == 3


@pytest.mark.parametrize(("value", "error"), [(0, ValueError), (1.0, TypeError), (True, TypeError)])
def test_whole_numbers(value, error):
    with pytest.raises(error, match="n must be a whole number"):
        checks.integer("n", value, at_least=1)


@pytest.mark.parametrize("rng", ["seven", -1, 1.5])
def test_a_seed_that_is_none_is_refused(rng):
    with pytest.raises((TypeError, ValueError), match="rng must be a seed"):
        checks.generator(rng)


@pytest.mark.parametrize(
    ("value", "dimension", "error"),
    [([np.nan], 1, ValueError), (["a"], 1, TypeError), ([0.1, 0.2], 2, ValueError)],
)
def test_queries_are_checked(value, dimension, error):
    with pytest.raises(error, match="y must"):
        checks.queries("y", value, dimension)


@pytest.mark.parametrize(
    "value", [np.timedelta64(5), np.timedelta64(5, "D"), np.datetime64("2020")]
)
def test_a_time_is_no_number(value):
    """numpy registers a time span as a whole number."""
    for ask in (checks.number, partial(checks.integer, at_least=0), checks.queries):
        with pytest.raises(TypeError, match=r"^epsilon must be a"):
            ask("epsilon", value)
