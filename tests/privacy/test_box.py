"""Public boxes: rescaling, and clear refusals of what is no box or lies outside."""

import numpy as np
import pytest

from dpviz.privacy.box import EDGE, Box

BOX = Box.of(2, lower=(0, 10), upper=(1, 14))


def test_it_rescales_queries_and_records_alike():
    points = [[0.5, 11.0], [1.0, 14.0]]
    assert BOX.units(points).tolist() == [[0.5, 0.25], [1.0, 1.0]]
    assert BOX.private(points).tolist() == BOX.units(points).tolist()
    assert (BOX.d, BOX.total, BOX.widths.tolist()) == (2, 5.0, [1.0, 4.0])
    assert BOX.private([[7.0, 0.0]]).tolist() == [[1.0, 0.0]]


def test_one_query_is_rescaled_to_the_same_bits():
    odd = Box.of(1, lower=0.1, upper=0.7)
    for y in np.random.default_rng(0).uniform(0.1, 0.7, 100).tolist():
        assert odd.unit(y) == odd.unit([y]) == odd.units([y])[0].tolist()
    assert BOX.unit((0.5, 11)) == [0.5, 0.25]


@pytest.mark.parametrize("query", [1.5, -0.1, np.nan, np.inf, [2.0], "x", [0.1, 0.2], None])
def test_one_bad_query_is_refused(query):
    with pytest.raises((ValueError, TypeError), match=r"^quer(y|ies) must"):
        Box.of(1, lower=0, upper=1).unit(query)


def test_the_message_says_which_query_left_the_box():
    with pytest.raises(
        ValueError, match="coordinate 1 of query 2 must be between 10 and 14, not 9"
    ):
        BOX.units([[0, 10], [1, 14], [0.5, 9]])
    with pytest.raises(ValueError, match=r"shape \(k, 2\)"):
        BOX.units([0.5, 11])


@pytest.mark.parametrize(
    ("lower", "upper", "name"),
    [
        (0, 0, "lower"),
        (1, 0, "lower"),
        ((0, 0, 0), 1, "lower"),
        (0, np.inf, "upper"),
        ("a", 1, "lower"),
    ],
)
def test_what_is_no_box_is_refused(lower, upper, name):
    with pytest.raises((ValueError, TypeError), match=f"^{name} must"):
        Box.of(2, lower=lower, upper=upper)


def test_a_query_may_lie_outside_by_the_rounding_of_its_rescaling_only():
    edge = [[1 + EDGE / 2, 10 - 2 * EDGE]]
    assert BOX.units(edge).tolist() == [[1.0, 0.0]]
    assert BOX.admitted(edge).tolist() == edge
    assert BOX.rescaled(np.array(edge)) == pytest.approx(np.array([[1.0, 0.0]]), abs=EDGE)
    for far in ([1 + 2 * EDGE, 10], [0, 10 - 1e-10], [1e308, 10]):
        with pytest.raises(ValueError, match=r"^queries must lie in the public box"):
            BOX.admitted([far])


def test_what_is_not_finite_is_refused_also_after_the_rescaling():
    for wrong in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match=r"^queries must be finite"):
            BOX.rescaled(np.array([[0.5, wrong]]))


def test_records_are_clipped_in_their_own_unit():
    assert BOX.clipped([[7.0, 0.0], [0.5, 11.0]]).tolist() == [[1.0, 10.0], [0.5, 11.0]]
    with pytest.raises(ValueError, match="data must have d = 2 columns"):
        BOX.clipped([[7.0]])
