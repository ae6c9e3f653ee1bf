"""The release: private by its transcript, right without noise, and refusing what is bad."""

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.audit.auditor import alarms, audit
from dpviz.audit.transcript import faults
from dpviz.papers.smooth_queries import moments
from dpviz.papers.smooth_queries.chebyshev import expand
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, answer_kernels, unseen
from dpviz.papers.smooth_queries.moments import worst_angle
from dpviz.papers.smooth_queries.release import (
    NOISE_SCALINGS,
    Params,
    _padded,
    answer,
    exact_moments,
    noise_sd,
    paper_terms,
    relative_scales,
    release,
    truth,
)
from dpviz.privacy.curator import BudgetExceeded, Curator

UNIT = st.integers(-8, 8).map(lambda i: i / 8)


def params_for(d=2, terms=3, **change):
    """Params of a square, but for what is changed."""
    return Params(d=d, terms=terms, epsilon=1.0, **({"lower": -1, "upper": 1} | change))


@st.composite
def neighbours(draw):
    """Two data sets of two columns that differ in one record, and a seed."""
    rows = draw(st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=6))
    other = list(rows)
    other[draw(st.integers(0, len(rows) - 1))] = draw(st.tuples(UNIT, UNIT))
    return np.array(rows), np.array(other), draw(st.integers(0, 2**32))


@given(
    neighbours(),
    st.integers(1, 5),
    st.sampled_from(NOISE_SCALINGS),
    st.sampled_from([0.0, 1e-6]),
)
@settings(max_examples=150)
def test_the_transcript_shows_no_fault(pair, terms, shape, delta):
    """Statements: W13 Definition 2.1."""
    data, other, seed = pair
    params = params_for(terms=terms, noise_scaling=shape, delta=delta)
    run = lambda data, curator: release(data, params, curator)  # noqa: E731
    assert faults(run, data, other, rng=seed, epsilon=1.0, delta=delta) == []


def test_planted_faults_are_caught_on_the_worst_pair():
    """The paper's scale; records that are not clipped; a summary with the exact moments in it."""
    data, other = np.ones((4, 1)), np.ones((4, 1))
    other[0] = np.cos(worst_angle(3))
    params = Params(d=1, terms=3, epsilon=1, lower=-1, upper=1)

    def as_printed(data, curator):
        exact = exact_moments(data, params)
        return curator.laplace(exact, sensitivity=3 / 4, epsilon=1, label="moments")

    def leaking(data, curator):
        return release(data, params, curator), 1e-3 * truth(data, None, params)[1]

    assert "moved by 0.7812, paid for 0.75" in faults(as_printed, data, other, rng=0, epsilon=1)[0]
    assert "the releases differ" in faults(leaking, data, other, rng=0, epsilon=1)[0]

    def unclipped(data, curator):
        exact = exact_moments(data, params)
        return curator.laplace(exact, sensitivity=3.2 / 4, epsilon=1, label="moments")

    far = np.ones((4, 1))
    far[0] = 3.0
    assert "moved by" in faults(unclipped, data, far, rng=0, epsilon=1)[0]
    assert faults(lambda x, c: release(x, params, c), data, far, rng=0, epsilon=1) == []


def released_often(data, samples, rng, params):
    """The mechanism itself, over and over; a curator that is never poor."""
    curator = Curator(epsilon=1e9, delta=0.999, rng=rng)
    curator._pay = lambda *charge: None
    return np.array([release(data, params, curator).summary[1:] for _ in range(samples)])


@pytest.mark.parametrize(("d", "terms"), [(1, 2), (1, 3), (2, 2)])
def test_the_audit_of_a_whole_release_passes_it_and_catches_half_the_noise(d, terms):
    """On a worst pair; confidence 0.99, so a sound release alarms for one seed in a hundred.

    Pure noise only: with delta = 0.01 granted, so few runs do not show half the noise.
    """
    data, other = np.ones((3, d)), np.ones((3, d))
    other[0, 0] = -1.0 if terms == 2 else np.cos(worst_angle(terms))
    for epsilon, caught in ((1.0, False), (2.0, True)):
        run = partial(
            released_often, params=Params(d=d, terms=terms, epsilon=epsilon, lower=-1, upper=1)
        )
        assert alarms(audit(run, data, other, samples=3000, rng=11), 1.0) == caught


def test_the_release_asks_once_and_spends_all_of_it():
    for delta, verb in ((0.0, "laplace"), (1e-6, "gaussian")):
        curator = Curator(epsilon=1, delta=delta, rng=0)
        released = release(np.zeros((9, 2)), params_for(delta=delta), curator)
        (charge,) = curator.ledger.charges
        assert (charge.verb, charge.sensitivity) == (verb, released.sensitivity)
        assert (charge.cost.epsilon, charge.cost.delta) == (1, delta)
        assert released.summary[0] == 1 and released.sd[0] == 0


def test_releasing_twice_draws_fresh_noise_and_costs_twice():
    curator = Curator(epsilon=2, rng=0)
    first, second = (release(np.zeros((9, 2)), params_for(), curator) for _ in range(2))
    assert not np.array_equal(first.summary, second.summary)
    assert curator.ledger.spent.epsilon == 2
    with pytest.raises(BudgetExceeded):
        release(np.zeros((9, 2)), params_for(), curator)


def test_one_wave_is_a_constant_and_costs_nothing():
    curator = Curator(epsilon=1, rng=0)
    released = release(np.zeros((9, 2)), params_for(terms=1), curator)
    assert released.summary.tolist() == [1.0]
    assert curator.ledger.charges == ()


def test_a_release_holds_nothing_private_and_can_be_stored():
    data = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    released = pickle.loads(pickle.dumps(release(data, params_for(), params_for().curator(rng=0))))
    exact = truth(data, None, params_for())
    arrays = [value for value in vars(released).values() if isinstance(value, np.ndarray)]
    assert len(arrays) == 2
    assert not any(np.isin(exact[1:], array).any() for array in arrays)


@pytest.mark.parametrize(("d", "terms"), [(1, 7), (2, 5), (3, 4), (4, 3), (5, 2)])
def test_the_moments_are_those_of_the_definition(d, terms):
    """Algorithm 1 word by word; means agree to 1e-14, whatever the size of the blocks.

    Statements: W13 Algorithm 1.
    """
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (1500, d))
    params = Params(d=d, terms=terms, epsilon=1, lower=-1, upper=1)
    rows = moments.multi_indices(d, terms)
    direct = [np.cos(m * np.arccos(points)).prod(axis=1).mean() for m in rows]
    assert exact_moments(points, params) == pytest.approx(np.array(direct), abs=1e-14)


def test_without_noise_the_answer_is_the_approximation():
    """A generic query and a kernel; noise of 1e-9 is no noise.

    Statements: W13 Algorithm 2.
    """
    rng = np.random.default_rng(0)
    data = rng.uniform(-1, 1, (40, 2))
    params = Params(d=2, terms=6, epsilon=1e12, lower=-1, upper=1)
    released = release(data, params, params.curator(rng=0))
    wave = expand(lambda x: 3 * x[:, 0] - 2 * (2 * x[:, 1] ** 2 - 1) + 0.5, 2, 6, lower=-1, upper=1)
    exact = (3 * data[:, 0] - 2 * (2 * data[:, 1] ** 2 - 1) + 0.5).mean()
    assert answer(released, wave.coefficients) == pytest.approx(exact, abs=1e-9)
    queries = GaussianKernels.draw(7, d=2, width=0.5, rng=1, lower=-1, upper=1)
    gaps = np.abs(answer_kernels(released, queries) - queries.mean(data))
    flat = [
        expand(lambda x, i=i, b=queries: b.value(x)[:, i], 2, 6, lower=-1, upper=1).coefficients
        for i in range(7)
    ]
    assert [answer(released, c) for c in flat] == pytest.approx(
        answer_kernels(released, queries), abs=1e-9
    )
    assert gaps.max() <= 0.1


def test_the_noise_of_an_answer_has_the_variance_that_is_stated():
    """8,000 summaries; the variance of one answer within 5 standard errors (kurtosis <= 6)."""
    params = params_for(d=1, terms=5)
    c = np.array([0.3, 0.5, -0.2, 0.1, 0.05])
    data = np.zeros((10, 1))
    rng = np.random.default_rng(0)
    answers = [answer(release(data, params, params.curator(rng=rng)), c) for _ in range(8000)]
    stated = (c**2) @ noise_sd(params, 10) ** 2
    assert np.var(answers) == pytest.approx(stated, rel=5 * np.sqrt(5 / 8000))


def test_clipping_a_summary_never_hurts():
    data = np.random.default_rng(0).uniform(-1, 1, (30, 2))
    exact = truth(data, None, params_for())
    for seed in range(20):
        released = release(data, params_for(), params_for().curator(rng=seed))
        assert (
            np.abs(released.clipped().summary - exact) <= np.abs(released.summary - exact)
        ).all()


def test_the_approximation_bound_of_kernels_holds_and_is_close():
    points = np.random.default_rng(3).uniform(-1, 1, (4000, 2))
    queries = GaussianKernels.draw(20, d=2, width=0.5, rng=0, lower=-1, upper=1)
    for operator in ("truncation", "vallee poussin", "jackson 2"):
        for terms in (5, 9, 14):
            factors = queries.factors(terms, operator=operator)
            params = Params(d=2, terms=terms, epsilon=1, lower=-1, upper=1)
            rows = np.array([exact_moments(x[None], params) for x in points[:300]])
            coefficients = np.einsum("ka,kb->kab", *factors).reshape(20, -1)
            seen = np.abs(rows @ coefficients.T - queries.value(points[:300])).max(axis=0)
            bound = queries.approximation_bound(terms, operator=operator)
            assert (seen <= bound).all()
            assert bound.max() <= 6 * seen.max() + 1e-11


def test_what_a_grid_of_nodes_cannot_see_is_bounded():
    """The exact coefficients at c = 0: 2 I_n(1/(4h^2)) exp(-1/(4h^2)) at even degree 2n."""
    from scipy.special import ive

    for width in (0.25, 0.5, 2.0):
        for nodes in (8, 16, 32):
            n = np.arange(nodes // 2, 200)
            exact = 2 * ive(n, 1 / (4 * width**2)).sum()
            assert exact <= unseen(nodes, width)


def test_the_root_is_taken_in_whole_numbers():
    """Trap: (10^6)^(1/6) is 9.99... in floating point.

    Statements: W13 Algorithm 1.
    """
    assert paper_terms(10**6, d=2, smoothness=2) == 10 > int((10**6) ** (1 / 6))
    for t in (2, 3, 7, 31):
        for d, k in ((1, 1), (2, 2), (3, 2)):
            power = 2 * d + k
            assert paper_terms(t**power, d=d, smoothness=k) == t
            assert paper_terms(t**power - 1, d=d, smoothness=k) == t - 1


@pytest.mark.parametrize(("d", "n"), [(1, 256), (2, 4096), (3, 65_536)])
def test_trap_below_a_threshold_the_literal_algorithm_never_looks_at_the_data(d, n):
    """K = 2 needs t >= 4: two data sets, the same answer, though noise was paid for."""
    queries = GaussianKernels.draw(5, d=d, width=0.5, rng=0, lower=-1, upper=1)
    for size, allow_data_independent in ((n - 1, True), (n, False)):
        t = paper_terms(size, d=d, smoothness=2)
        params = Params(d=d, terms=t, epsilon=1e9, lower=-1, upper=1)
        sides = [
            answer_kernels(
                release(np.full((50, d), x), params, params.curator(rng=0)),
                queries,
                operator="jackson 2",
                allow_data_independent=True,
            )
            for x in (0.9, -0.9)
        ]
        assert np.allclose(*sides, atol=1e-6) == allow_data_independent
        if allow_data_independent:
            with pytest.raises(ValueError, match="does not depend on the data"):
                answer_kernels(
                    release(np.zeros((9, d)), params, params.curator(rng=0)),
                    queries,
                    operator="jackson 2",
                )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d": 0}, "d must"),
        ({"d": 1.5}, "d must"),
        ({"terms": 0}, "terms must"),
        ({"epsilon": 0}, "epsilon must"),
        ({"epsilon": np.nan}, "epsilon must"),
        ({"delta": 1}, "delta must"),
        ({"delta": -1e-9}, "delta must"),
        ({"noise_scaling": "flat"}, "noise_scaling must"),
        ({"smoothness": -1}, "smoothness must"),
        ({"outside": "drop"}, "outside must"),
        ({"d": 9, "terms": 40}, "terms must give at most 10000000 moments, not .*: take fewer"),
    ],
)
def test_bad_plans_name_what_is_wrong(change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Params(**({"lower": -1, "upper": 1} | {"d": 2, "terms": 3, "epsilon": 1.0, **change}))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "shape"),
        ([[np.nan, 0.123456]], "finite"),
        ([[np.inf, 0.123456]], "finite"),
        ([["secret", 0.123456]], "real numbers"),
        ([[0.123456]], "d = 2 columns"),
        (np.zeros((2, 2, 2)), "shape"),
    ],
)
def test_bad_data_are_refused_before_anything_is_spent_and_never_shown(data, message):
    curator = Curator(epsilon=1, rng=0)
    with pytest.raises((ValueError, TypeError), match=f"data must .*{message}") as caught:
        release(data, params_for(), curator)
    assert "0.123456" not in str(caught.value) and "secret" not in str(caught.value)
    assert curator.ledger.charges == ()


def test_records_outside_the_public_bounds_are_clipped_or_refused():
    inside, outside = [[1.0, 0.5]], [[7.0, 0.5]]
    clipped = truth(outside, None, params_for())
    assert clipped == pytest.approx(truth(inside, None, params_for()), rel=1e-9)
    with pytest.raises(ValueError, match="public bounds"):
        release(outside, params_for(outside="refuse"), Curator(epsilon=1, rng=0))
    with pytest.raises(ValueError, match="lower must be below upper"):
        release(inside, params_for(lower=1, upper=0), Curator(epsilon=1, rng=0))


def test_bounds_in_units_are_the_same_as_rescaled_data():
    params = params_for(lower=[0, 10], upper=[4, 20])
    assert truth([[1.0, 20.0]], None, params) == pytest.approx(
        truth([[-0.5, 1.0]], None, params_for())
    )


def test_a_query_beyond_the_summary_is_refused():
    released = release(np.zeros((9, 2)), params_for(), params_for().curator(rng=0))
    with pytest.raises(ValueError, match=r"queries must have shape .* no other moments"):
        answer(released, np.ones((4, 4)))
    with pytest.raises(ValueError, match="queries must have shape"):
        answer(released, np.ones(8))
    with pytest.raises(ValueError, match="finite"):
        answer(released, np.full(9, np.nan))
    assert _padded(np.ones((2, 1)), params_for()).tolist() == [1, 0, 0, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "change",
    [
        {"centres": [[2.0]]},
        {"centres": [[np.nan]]},
        {"width": 0},
        {"width": 1e-3},
        {"centres": np.zeros((0, 2))},
    ],
)
def test_bad_kernels_name_what_is_wrong(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        GaussianKernels(**{"centres": [[0.0]], "width": 0.5, **change}, lower=-1, upper=1)


def test_the_scales_follow_the_stated_powers():
    for change, power in (({}, 4 / 3), ({"delta": 1e-6}, 1.0)):  # 2 K / 3 and K / 2, K = 2
        scales = relative_scales(params_for(d=1, terms=5, noise_scaling="smoothness", **change))
        assert scales / scales[0] == pytest.approx(np.arange(1.0, 5.0) ** power)


@pytest.mark.parametrize("noise_scaling", NOISE_SCALINGS)
def test_with_hardly_any_noise_the_summary_is_the_moments_whatever_the_scaling(noise_scaling):
    params = replace(params_for(noise_scaling=noise_scaling), epsilon=1e12)
    points = np.random.default_rng(3).uniform(-1, 1, (50, 2))
    found = release(points, params, params.curator(rng=0)).summary
    assert found == pytest.approx(exact_moments(points, params), abs=1e-6)


def test_a_step_function_warns_and_a_smooth_one_does_not(recwarn):
    """Of a step at seven terms more is left out than kept; of a kernel or |x| it is not."""
    params = Params(d=1, terms=7, epsilon=1.0, lower=-1, upper=1)
    released = release(np.zeros((9, 1)), params, params.curator(rng=0))
    step = expand(lambda x: (x > 0.1).astype(float), 1, 7, lower=-1, upper=1)
    with pytest.warns(UserWarning, match=r"not smooth enough for 7 terms: .* left out"):
        assert answer(released, step) == answer(released, step.coefficients)
    recwarn.clear()
    for smooth in (lambda x: np.exp(-2 * x**2), np.abs):
        answer(released, expand(smooth, 1, 7, lower=-1, upper=1))
    assert not recwarn.list


def test_what_is_of_the_wrong_kind_is_named_before_anything_is_paid():
    params = Params(d=1, terms=3, epsilon=1, lower=-1, upper=1)
    gauss = Params(d=1, terms=3, epsilon=1, delta=1e-6, lower=-1, upper=1)
    curator, data = Curator(rho=1.0, delta=0.1, rng=0), np.zeros((9, 1))
    for wrong, words in (
        (lambda: release(data, None, curator), "params must be a Params"),
        (lambda: release(data, params, None), "curator must be a Curator"),
        (lambda: release(data, gauss, curator), "curator must be made with epsilon and delta"),
        (lambda: answer(None, [1.0]), "release must be a Release"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            wrong()
    assert curator.ledger.charges == ()
