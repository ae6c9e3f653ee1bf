"""Chebyshev expansions of functions: operators, transforms, sparse grids, and their slopes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.papers.smooth_queries import jackson, sparse_grids
from dpviz.papers.smooth_queries.chebyshev import (
    approximation_error,
    chebyshev,
    chebyshev_nodes,
    expand,
    monomials,
    transform,
    transform_rows,
)
from dpviz.papers.smooth_queries.jackson import lebesgue

DEGREES = np.array([32, 64, 128, 256])


def errors(function, operator):
    """Errors at a top degree of 32, 64, 128, 256."""
    return np.array([approximation_error(function, operator, t + 1) for t in DEGREES])


def slope(found):
    return np.polyfit(np.log(DEGREES), np.log(found), 1)[0]


def bump(x):
    return np.exp(-2 * (x - 0.2) ** 2)


def test_the_slopes_of_the_jackson_operators():
    """Smooth enough or not: exponent K at a K-th derivative that is bounded, no better."""
    assert slope(errors(np.abs, "jackson 1")) == pytest.approx(-1, abs=0.1)
    cube = lambda x: np.abs(x) ** 3  # noqa: E731
    assert slope(errors(cube, "jackson 2")) == pytest.approx(-3, abs=0.2)
    last = errors(cube, "jackson 1")[-2:]
    assert np.log2(last[1] / last[0]) < -1.9
    last = errors(lambda x: np.exp(-2 * x**2), "jackson 4")[-2:]
    assert np.log2(last[1] / last[0]) < -5


@pytest.mark.parametrize(("power", "expected"), [(1, -1), (3, -3), (5, -5)])
@pytest.mark.parametrize("operator", ["truncation", "vallee poussin"])
def test_cutting_off_and_fading_the_upper_half_reach_every_exponent(power, expected, operator):
    found = errors(lambda x: np.abs(x) ** power, operator)
    assert slope(found) == pytest.approx(expected, abs=0.1)


def test_fejer_and_the_classical_kernel_saturate():
    assert slope(errors(bump, "fejer")) == pytest.approx(-1, abs=0.05)
    assert slope(errors(bump, "jackson 0")) == pytest.approx(-2, abs=0.1)


@pytest.mark.parametrize("power", [0.75, 1.5, 2.25])
def test_a_singularity_at_the_end_counts_twice(power):
    """(1 - x)^a is as rough in the angle as |theta|^(2 a)."""
    found = errors(lambda x: (1 - np.asarray(x)) ** power, "truncation")
    assert slope(found) == pytest.approx(-2 * power, abs=0.1)


def test_cutting_off_is_nearly_as_good_as_the_best_everywhere():
    """Erratum: "L2-approximation does not guarantee accuracy". Its norm grows as a logarithm.

    Statements: W13 Section 5 (worst case).
    """
    norms = {t: lebesgue(np.ones(t + 1)) for t in (8, 16, 32, 128)}
    law = {t: 4 / np.pi**2 * np.log(t) + 1.27 for t in norms}
    assert norms == pytest.approx(law, abs=0.05)
    for terms in (9, 33, 129):
        assert lebesgue(jackson.operator_weights("vallee poussin", terms)) <= 1.47  # proved: 3
        assert lebesgue(jackson.operator_weights("fejer", terms)) <= 1.01


def test_the_kernel_buys_nothing_in_noise_and_loses_orders_in_approximation():
    """What multiplies the noise is the l1 norm of the coefficients: within 8 % at 33 terms."""
    for function in (np.abs, bump, lambda x: 1 / (1 + np.exp(-10 * x))):
        norms = [
            np.abs(
                expand(
                    function, 1, 33, operator=operator, nodes=2048, lower=-1, upper=1
                ).coefficients
            ).sum()
            for operator in ("truncation", "vallee poussin", *jackson.JACKSON)
        ]
        assert max(norms) <= 1.08 * min(norms)
    small = {
        op: np.abs(expand(bump, 1, 9, operator=op, lower=-1, upper=1).coefficients).sum()
        for op in jackson.JACKSON
    }
    assert (
        min(small.values())
        >= 1.03 * np.abs(expand(bump, 1, 9, lower=-1, upper=1).coefficients).sum()
    )
    ratios = [
        approximation_error(bump, "jackson 2", w) / approximation_error(bump, "truncation", w)
        for w in (9, 17, 33)
    ]
    assert ratios[0] > 100 and ratios[1] > 1e6 and ratios[2] > 1e10


def test_powers_of_x_have_coefficients_that_explode():
    """The top term alone: (1 + sqrt 2)^n / 2 in all; the terms themselves need 1.

    Statements: W13 Section 5 (polynomials).
    """
    for n in (8, 16, 32):
        top = np.eye(n + 1)[n]
        assert np.abs(monomials(top)).sum() == pytest.approx((1 + 2**0.5) ** n / 2, rel=1e-3)


@given(st.integers(1, 9), st.integers(1, 3), st.integers(0, 10**6))
def test_terms_below_the_top_are_represented_exactly(terms, d, seed):
    rng = np.random.default_rng(seed)
    coefficients = rng.normal(size=(terms,) * d)

    def function(x):
        x = x[:, None] if d == 1 else x
        values = np.ones((len(x), 1))
        for i in range(d):
            values = (values[:, :, None] * chebyshev(x[:, i], terms).T[:, None]).reshape(len(x), -1)
        return values @ coefficients.ravel()

    found = expand(function, d, terms, lower=-1, upper=1)
    assert found.coefficients == pytest.approx(coefficients, abs=1e-11)
    assert found.tail < 1e-9


def test_a_product_needs_one_transform_for_each_variable():
    c = np.array([0.3, -0.5, 0.1])
    whole = expand(
        lambda x: np.exp(-2 * ((x - c) ** 2).sum(axis=1)), 3, 5, nodes=32, lower=-1, upper=1
    ).coefficients
    rows = transform_rows(np.exp(-2 * (chebyshev_nodes(32) - c[:, None]) ** 2), 5)
    assert np.einsum("a,b,c->abc", *rows) == pytest.approx(whole, abs=1e-14)


def test_the_recurrence_is_exact_in_means_and_near_so_in_values():
    """Single values err by about terms^2 1e-16 at the ends, means by 1e-14."""
    x = np.linspace(-1, 1, 20_001)
    for terms in (32, 64):
        gap = chebyshev(x, terms) - np.cos(np.outer(np.arange(terms), np.arccos(x)))
        assert np.abs(gap).max() <= 20 * terms**2 * 1e-16
        assert np.abs(gap.mean(axis=1)).max() <= 1e-14


def test_two_nodes_a_wave_are_enough_for_the_paper_s_rate():
    """Erratum of Lemma 4.4: t^d evaluations of f do, for any d; |x|, |x|^3, a kink in the plane.

    Statements: W13 Theorem 3.2 (time).
    """
    for terms in (17, 65, 257):
        for function, k in ((np.abs, 1), (lambda x: np.abs(x) ** 3, 2)):
            cheap, fine = (
                expand(
                    function, 1, terms, operator=f"jackson {k}", nodes=m * terms, lower=-1, upper=1
                ).coefficients
                for m in (2, 64)
            )
            x = np.linspace(-1, 1, 2001)
            gap = np.abs((cheap - fine) @ chebyshev(x, terms)).max()
            assert gap <= terms ** -float(k)


def function_5(x):
    centre = np.array([0.1, -0.2, 0.3, 0.0, 0.5])
    return np.exp(-((x - centre) ** 2).sum(axis=1) / 2)


def test_trap_sparse_grids_alias_when_each_coefficient_is_integrated_by_itself():
    """The paper's use errs by up to 18.9; combining whole transforms by a thousandth of it.

    Statements: W13 Lemma 4.4.
    """
    full = expand(function_5, 5, 4, nodes=12, lower=-1, upper=1).coefficients
    low = np.indices(full.shape).sum(axis=0) <= 3
    for level, aliased_error, error in [(3, 10, 1e-2), (5, 1, 1e-3), (7, 0.1, 1e-4)]:
        paper = np.abs(sparse_grids.combine(function_5, 5, 4, level=level, aliased=True) - full)
        corrected = np.abs(sparse_grids.combine(function_5, 5, 4, level=level) - full)
        assert paper.max() > aliased_error
        assert corrected.max() < error
        assert paper[low].max() < error * 10  # harmless for low total degree
    assert [sparse_grids.count(5, level) for level in (3, 5, 7)] == [241, 2433, 19_313]


@pytest.mark.parametrize(("d", "level"), [(1, 3), (2, 3), (3, 4)])
def test_the_combination_is_exact_on_what_one_of_its_grids_could_hold(d, level):
    rng = np.random.default_rng(0)
    for levels, _ in sparse_grids._grids(d, level):
        if sum(levels) < level:
            continue
        degrees = [2**fine if fine else 0 for fine in levels]
        coefficients = np.zeros((9,) * d if d > 1 else (9,))
        if max(degrees) > 8:
            continue
        coefficients[tuple(slice(m + 1) for m in degrees)] = rng.normal(
            size=[m + 1 for m in degrees]
        )

        def function(x, coefficients=coefficients):
            values = np.ones((len(x), 1))
            for i in range(d):
                values = (values[:, :, None] * chebyshev(x[:, i], 9).T[:, None]).reshape(len(x), -1)
            return values @ coefficients.ravel()

        assert sparse_grids.combine(function, d, 9, level=level) == pytest.approx(
            coefficients, abs=1e-12
        )


def test_the_count_of_sparse_points_is_right():
    for d, level in ((2, 3), (3, 3), (4, 2)):
        points = set()
        for levels, _ in sparse_grids._grids(d, level):
            axes = [np.round(sparse_grids._nodes(fine), 12) + 0.0 for fine in levels]
            points |= set(map(tuple, np.stack(np.meshgrid(*axes), -1).reshape(-1, d)))
        assert len(points) == sparse_grids.count(d, level)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: np.where(x > 0.5, np.nan, x), r"finite .* at 0\."),
        (lambda x: x + 1j, "real"),
        (lambda x: np.stack([x, x]), "shape"),
        (lambda x: np.array("word"), "shape"),
        (lambda x: np.full(x.shape, "word"), "real"),
    ],
)
def test_a_bad_query_is_refused_and_its_node_named(function, message):
    with pytest.raises((ValueError, TypeError), match=f"function must .*{message}"):
        expand(function, 1, 4, lower=-1, upper=1)


def test_a_rough_query_is_answered_with_a_warning_figure():
    """The tail bounds what truncation leaves out, as far as the grid saw it."""
    step = expand(lambda x: (x > 0.3).astype(float), 1, 16, lower=-1, upper=1)
    assert step.tail > 1
    assert expand(bump, 1, 16, lower=-1, upper=1).tail < 1e-6


def test_bad_arguments_name_themselves():
    with pytest.raises(
        ValueError, match=r"needs terms >= 4, not 3: .* does not depend on the data"
    ):
        jackson.operator_weights("jackson 2", 3)
    assert jackson.operator_weights("jackson 2", 3, allow_data_independent=True).tolist() == [
        1,
        0,
        0,
    ]
    with pytest.raises(ValueError, match="operator must be one of"):
        jackson.operator_weights("jackson", 3)
    with pytest.raises(ValueError, match="nodes must satisfy"):
        transform(bump, 12, 8)
    with pytest.raises(ValueError, match="terms must satisfy"):
        sparse_grids.combine(bump, 20, 3, level=1)
    with pytest.raises(ValueError, match="level"):
        sparse_grids.combine(bump, 2, 3, level=-1)
