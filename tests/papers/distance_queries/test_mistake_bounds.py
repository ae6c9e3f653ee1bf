"""Lemmas 4 and 5: the bound holds for any data and order, is attained, and beats the paper's."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.data import real_sets as sets
from dpviz.papers.distance_queries.learner import other_learners
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Function, Tangents, learn
from dpviz.papers.distance_queries.learner.mistake_bounds import (
    ORDERS,
    SIGNS,
    Params,
    draw_queries,
    mistake_bound,
    noisy_oracle,
    paper_bound,
    trial,
)

UNIT = st.integers(0, 60).map(lambda i: i / 60)
DATA = st.lists(UNIT, min_size=1, max_size=40)
ALPHA = st.floats(2**-12, 0.99)
SIDE = st.sampled_from(["left", "right", "middle"])
POWERS = 2.0 ** -np.arange(3, 17)


# Statements: HR Definition 4; HR Lemma 4.
@given(DATA, st.lists(UNIT, min_size=1, max_size=61), ALPHA, SIDE)
@settings(max_examples=300)
def test_no_data_and_no_order_exceed_the_bound(data, queries, alpha, side):
    distance = AverageDistance(data)
    function = Function(distance.value, lambda y: distance.slope(y, side))
    run = learn(Tangents(), function, np.array(queries), alpha)
    assert run.mistakes <= mistake_bound(alpha) < paper_bound(Params(alpha=alpha))


@given(st.integers(1, 9), st.integers(2, 40))
def test_the_bound_also_holds_where_a_gap_equals_alpha(copies, m):
    """Equal steps, alpha their exact area: rounding must not make a miss of a tie."""
    data, queries = np.repeat(np.arange(m) / m, copies), np.arange(m + 1) / m
    alpha = 2 / m**2
    if alpha < 1:
        run = learn(Tangents(), AverageDistance(data), queries, alpha)
        assert run.mistakes <= mistake_bound(alpha)


# Statements: HR Lemma 5.
@given(
    DATA, st.integers(0, 10**6), ALPHA, st.floats(0, 0.5), st.floats(0, 0.5), st.sampled_from(SIGNS)
)
@settings(max_examples=300)
def test_a_noisy_oracle_does_not_exceed_its_bound(data, seed, alpha, v, s, sign):
    rng = np.random.default_rng(seed)
    params = Params(alpha=alpha, value_error=v * alpha, slope_error=s * alpha, error_sign=sign)
    function = AverageDistance(data)
    queries = draw_queries(params, rng)
    run = learn(Tangents(), function, queries, alpha, oracle=noisy_oracle(function, params, rng))
    bound = mistake_bound(alpha, value_error=v * alpha, slope_error=s * alpha)
    assert run.mistakes <= bound


def test_the_bound_is_the_ceiling_of_the_root():
    assert [mistake_bound(a) for a in POWERS] == [math.ceil(math.sqrt(2 / a)) for a in POWERS]
    for m in range(1, 200):  # sqrt(2 / alpha) = m up to the last bit of alpha, whichever way
        assert mistake_bound(2 / (m + 0.5) ** 2) == m + 1
        assert mistake_bound(np.nextafter(2 / (m + 1) ** 2, 1)) <= m + 1


def test_the_noisy_bound_is_at_most_the_paper_s_with_its_constant():
    """At the paper's errors alpha/4 + alpha/4: below 1 + 2/sqrt(alpha), and 3/sqrt(alpha)."""
    for a in POWERS:
        bound = mistake_bound(a, value_error=a / 4, slope_error=a / 4)
        assert bound < 1 + 2 / math.sqrt(a)
        assert bound < paper_bound(Params(alpha=a))
        assert bound >= mistake_bound(a)


def test_the_noisy_bound_falls_to_the_exact_one_and_ends_at_infinity():
    assert mistake_bound(0.01, value_error=1e-9, slope_error=1e-9) == mistake_bound(0.01)
    assert mistake_bound(0.01, value_error=0.005, slope_error=0.005) == math.inf


def test_width_stretches_the_box():
    assert mistake_bound(0.01, width=4) == 29 == math.ceil(math.sqrt(8 / 0.01))


def test_erratum_places_in_minus_one_to_one_would_need_a_larger_constant():
    """The proof has -1 <= x_1: on that interval 20 mistakes are forced, more than it allows.

    Records at -1 + 2i/m, asked from left to right; the stated bound is sqrt(2/alpha) + 1.
    """
    alpha = 0.01
    m = mistake_bound(alpha, width=2) - 1
    places = -1 + 2 * np.arange(m + 1) / m

    def value(y):
        return np.abs(np.asarray(y)[..., None] - places[:-1]).mean(axis=-1)

    def slope(y):
        return np.sign(np.asarray(y)[..., None] - places[:-1] - 1e-9).mean(axis=-1)

    run = learn(Tangents(), Function(value, slope), places, alpha)
    stated = math.sqrt(2 / alpha) + 1
    assert not run.mistakes <= stated
    assert run.mistakes <= mistake_bound(alpha, width=2) == 20


def test_erratum_the_stated_condition_of_lemma_5_lacks_a_bracket():
    """G(x) - G(x') + G'(x')(x - x') <= alpha/2 with a plus does not measure the miss.

    On the V at 1/2, the tangent at 0 is exact at 1/4, yet the stated left side is -1/2; and
    at x = 1 the tangent misses by 1, while the stated left side is -1.
    """
    function = AverageDistance([0.5])
    g, slope, x0 = function.value, float(function.slope(0.0)), 0.0
    for x, miss in [(0.25, 0.0), (1.0, 1.0)]:
        stated = float(g(x) - g(x0)) + slope * (x - x0)
        corrected = float(g(x) - (g(x0) + slope * (x - x0)))
        assert corrected == pytest.approx(miss)
        assert stated != pytest.approx(miss)
        assert stated <= 0  # "accurate" in both cases


@pytest.mark.parametrize("name", ["wine", "breast cancer"])
@pytest.mark.parametrize("alpha", [0.01, 0.001])
def test_every_column_of_real_data_stays_below_the_bound(name, alpha):
    real = sets.SETS[name]()
    for column in real.columns:
        for order in ORDERS:
            params = Params(alpha=alpha, order=order)
            result = trial(params, real.column(column), rng=1)
            assert 1 <= result["mistakes"] <= result["bound"]
            assert result["error"] <= alpha + 1e-12


def test_mistakes_on_smooth_data_grow_like_the_rate():
    """Left to right over evenly spread records: 1.00/sqrt(alpha), slope -0.49 (no noise)."""
    data = (np.arange(100_000) + 0.5) / 100_000
    alphas = 2.0 ** -np.arange(4, 13)
    counts = [
        trial(Params(alpha=a, order="left to right", k=10_000), data, rng=0)["mistakes"]
        for a in alphas
    ]
    assert np.polyfit(np.log(alphas), np.log(counts), 1)[0] == pytest.approx(-0.5, abs=0.02)
    assert np.multiply(counts, np.sqrt(alphas)) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    "change",
    [
        {"alpha": 0},
        {"alpha": 1},
        {"alpha": np.nan},
        {"k": 0},
        {"order": "up"},
        {"value_error": -0.1},
        {"slope_error": 1},
        {"error_sign": "white"},
        {"outside": "drop"},
    ],
)
def test_bad_parameters_name_themselves_and_show_their_value(change):
    ((name, value),) = change.items()
    with pytest.raises(ValueError, match=f"^{name} must .* not {value!r}"):
        Params(**{"alpha": 0.1, **change})


def test_records_outside_are_clipped_or_refused():
    assert trial(Params(alpha=0.1), [0.2, 7.0], rng=0) == trial(Params(alpha=0.1), [0.2, 1], rng=0)
    with pytest.raises(ValueError, match="public bounds"):
        trial(Params(alpha=0.1, outside="refuse"), [0.2, 7.0], rng=0)


@pytest.mark.parametrize("name", ["value_error", "slope_error"])
def test_an_oracle_s_error_is_below_one(name):
    with pytest.raises(ValueError, match=f"{name} must be a number with 0 <= {name} < 1"):
        Params(alpha=0.1, **{name: 1})


def test_the_tent_falls_behind_its_top():
    tent = other_learners.tent()
    assert tent.slope(np.array([0.25, 0.75])).tolist() == [1.0, -1.0]
