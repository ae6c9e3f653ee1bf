"""The lower bounds: each step of the proofs on exact random mechanisms, and the errata."""

import itertools
import math

import numpy as np
import pytest

from dpviz.papers.fat_shattering import lower_bounds
from dpviz.papers.fat_shattering.dimension import patterns
from dpviz.papers.fat_shattering.reconstruction import shattering_class


def databases(d, size):
    return np.array([np.isin(np.arange(d), c) for c in itertools.combinations(range(d), size)])


def private_laws(data, epsilon, outputs, rng):
    """A random mechanism that is epsilon-private at distance 1: each output prefers databases
    near a centre of its own; rows are databases, columns outputs."""
    centres = rng.integers(0, 2, size=(outputs, data.shape[1]))
    weights = -epsilon / 2 * (data[:, None] ^ centres[None].astype(bool)).sum(axis=2)
    weights = weights + rng.normal(size=outputs)
    distribution = np.exp(weights)
    return distribution / distribution.sum(axis=1, keepdims=True)


def index(sets):
    return {row.tobytes(): i for i, row in enumerate(sets)}


@pytest.mark.parametrize("d", [4, 6])
def test_the_steps_of_the_deletion_proof(d):
    """(ii) privacy for each T and x, (iii) the count on T', for any guess P, at every u.

    Statements: R10 Theorem 2.
    """
    halves, lacking = databases(d, d // 2), databases(d, d // 2 - 1)
    both, place = np.vstack([halves, lacking]), index(np.vstack([halves, lacking]))
    for seed in range(100):
        rng = np.random.default_rng(seed)
        epsilon = rng.uniform(0.05, 2)
        laws = private_laws(both, epsilon, 12, rng)
        guesses = halves[rng.integers(len(halves), size=12)]
        for reach in range(0, d + 1, 2):  # 4 e / gamma
            on_t, on_less = [], []
            for t in range(len(halves)):
                for x in np.flatnonzero(halves[t]):
                    less = halves[t].copy()
                    less[x] = False
                    event = guesses[:, x] & ((guesses ^ halves[t]).sum(axis=1) <= reach)
                    on_t.append(laws[t][event].sum())
                    on_less.append(laws[place[less.tobytes()]][event].sum())
            assert (np.array(on_t) <= np.exp(epsilon) * np.array(on_less) + 1e-12).all()
            assert np.mean(on_less) <= (reach / 2 + 1) / (d / 2 + 1) + 1e-12


@pytest.mark.parametrize("m", [2, 3, 4])
def test_the_steps_of_the_pairing_proof(m):
    """Our remark: flip one pair, distance 2; m pairs."""
    picks = patterns(m)
    data = np.hstack([picks, ~picks])
    for seed in range(100):
        rng = np.random.default_rng(seed)
        epsilon = rng.uniform(0.05, 2)
        laws = private_laws(data, epsilon, 12, rng)
        guesses = picks[rng.integers(len(picks), size=12)]
        for reach in range(m + 1):  # 2 e / gamma
            on_t, on_flipped = [], []
            for t, j in itertools.product(range(len(picks)), range(m)):
                near = (guesses ^ picks[t]).sum(axis=1) <= reach
                event = near & (guesses[:, j] == picks[t, j])
                on_t.append(laws[t][event].sum())
                on_flipped.append(laws[t ^ 1 << j][event].sum())
            bound = np.exp(2 * epsilon) * np.array(on_flipped)
            assert (np.array(on_t) <= bound + 1e-12).all()
            assert np.mean(on_flipped) <= (reach + 1) / m + 1e-12


def needed_error(laws, errors, beta):
    """Least e that holds with probability 1 - beta on every database."""
    worst = 0.0
    for distribution, error in zip(laws, errors, strict=True):
        order = np.argsort(error)
        mass = np.cumsum(distribution[order])
        worst = max(worst, error[order][np.searchsorted(mass, 1 - beta - 1e-12)])
    return worst


@pytest.mark.parametrize("d", [4, 8])
@pytest.mark.parametrize("gamma", [0.25, 0.5])
def test_no_exponential_mechanism_beats_the_bounds(d, gamma):
    """Exact laws; its outputs are all databases of the family.

    Statements: R10 Theorem 2.
    """
    queries = shattering_class([0.5] * d, gamma)
    for family, bound in (
        (databases(d, d // 2), lambda **b: lower_bounds.lower_bound(gamma, d, **b)),
        (databases(d, d // 2), lambda **b: lower_bounds.lower_bound(gamma, d, spread=0, **b)),
        (
            np.hstack([patterns(d // 2), ~patterns(d // 2)]),
            lambda **b: lower_bounds.lower_bound_pairs(gamma, d // 2, **b),
        ),
    ):
        answers = queries @ family.T.astype(float)
        errors = np.abs(answers[:, :, None] - answers[:, None, :]).max(axis=0)
        for epsilon, beta in itertools.product((0.05, 0.2, 1.0, 3.0), (0.01, 0.1, 0.5, 0.9)):
            distribution = np.exp(-epsilon / 2 * errors)
            distribution /= distribution.sum(axis=1, keepdims=True)
            assert (
                needed_error(distribution, errors, beta)
                >= bound(epsilon=epsilon, beta=beta) - 1e-12
            )


def test_values_and_what_they_need():
    u = {
        (a, b): lower_bounds.lower_bound(0.5, 100, epsilon=a, beta=b) / (0.5 * 100 / 4)
        for a in (0.1, 0.5, 1.0)
        for b in (0.1, 0.5, 0.9)
    }
    expected = [0.443, 0.302, 0.066, 0.345, 0.221, 0.039, 0.238, 0.141, 0.017]
    assert list(u.values()) == pytest.approx(expected, abs=5e-4)
    assert lower_bounds.lower_bound(0.25, 4, epsilon=3.0, beta=0.5) == 0, (
        "says nothing: d is too small"
    )
    copied = lower_bounds.lower_bound(0.25, 40, epsilon=0.05, beta=0.1, copies=10)
    assert copied == pytest.approx(10 * lower_bounds.lower_bound(0.25, 40, epsilon=0.5, beta=0.1))


@pytest.mark.parametrize("beta", [0.05, 0.5])
def test_the_simple_forms_follow(beta):
    """gamma d/8 ((1 - beta) e^-epsilon - 2/d), twice that for equal levels, and
    gamma P/4 ((1 - beta) e^-2epsilon - 1/P)."""
    for d, epsilon in itertools.product((10, 100, 1000), (0.1, 0.5, 1.0)):
        share = (1 - beta) * math.exp(-epsilon)
        simple = 0.25 * d / 8 * (share - 2 / d)
        public = {"epsilon": epsilon, "beta": beta}
        assert lower_bounds.lower_bound(0.25, d, **public) >= simple
        assert lower_bounds.lower_bound(0.25, d, **public, spread=0) >= 2 * simple
        share = (1 - beta) * math.exp(-2 * epsilon)
        simple = 0.25 * d / 4 * (share - 1 / d)
        assert lower_bounds.lower_bound_pairs(0.25, d, epsilon=epsilon, beta=beta) >= simple - 1e-12


def test_pairing_gains_a_factor_of_gamma():
    """At small gamma and large dimension, with the counts that are there for sure.

    Statements: R10 Section 3 (conjecture).
    """
    gamma, dimension = 0.02, 10_000
    cost = {"epsilon": 0.1, "beta": 0.1}
    by_bucket = lower_bounds.lower_bound(gamma, lower_bounds.least_bucket(gamma, dimension), **cost)
    by_pairs = lower_bounds.lower_bound_pairs(
        gamma, lower_bounds.least_pairs(gamma, dimension), **cost
    )
    assert by_pairs > 0.5 / gamma * by_bucket


def test_erratum_exchanging_a_person_costs_twice():
    """The proof of Theorem 2 pays e^epsilon for a pair at distance 2: it can be e^(2 epsilon).
    Randomised response of 4 cells; the event: the output has x and lacks y."""
    epsilon, outputs = 1.0, patterns(4)
    keep = np.exp(epsilon) / (1 + np.exp(epsilon))

    def chance(data):
        distribution = np.where(outputs == data, keep, 1 - keep).prod(axis=1)
        return distribution[outputs[:, 0] & ~outputs[:, 3]].sum()

    with_x, exchanged = np.array([1, 1, 0, 0], bool), np.array([0, 1, 0, 1], bool)
    without = np.array([0, 1, 0, 0], bool)
    assert not chance(with_x) / chance(exchanged) <= np.exp(epsilon)
    assert chance(with_x) / chance(exchanged) == pytest.approx(np.exp(2 * epsilon))
    assert chance(with_x) / chance(without) <= np.exp(epsilon) * (1 + 1e-12)


def test_erratum_success_may_not_be_taken_for_granted():
    """The proof assumes it on both databases: then error 0 would be impossible at any epsilon.
    Two cells, one person: named rightly with probability e^a/(1 + e^a), at random if absent."""
    epsilon, u = 1.0, 0.0  # u = 4 e / (gamma d)
    right = np.exp(epsilon) / (1 + np.exp(epsilon))
    present, absent = np.array([right, 1 - right]), np.array([0.5, 0.5])
    assert np.abs(np.log(present / absent)).max() <= epsilon
    assert not (1 - u) <= np.exp(epsilon) * u  # as stated, of an exact mechanism
    beta = 1 - right
    assert (
        lower_bounds.lower_bound(0.5, 2, epsilon=epsilon, beta=beta) == 0
    )  # corrected: no contradiction


def test_erratum_the_exchanged_person_must_come_from_the_bucket():
    """Printed: y from S without T. With a level outside the bucket Lemma 1 fails."""
    gamma, witness = 0.1, np.array([0.15, 0.15, 0.85])
    queries = shattering_class(witness, gamma)
    shown = queries[0b001]  # high on the first point only
    lost = shown @ np.array([1, 0, 0]) - shown @ np.array([0, 0, 1])
    assert not lost >= gamma / 2 * 2
    assert shown @ np.array([1, 0, 0]) - shown @ np.array([0, 1, 0]) >= gamma / 2 * 2 - 1e-12


def test_erratum_theorem_2_needs_a_large_dimension():
    """Whole-number data: a rounded private table is exact with probability 1 - beta, error 0."""
    cells, beta = 20, 0.05
    epsilon = lower_bounds.exact_epsilon(cells, beta=beta)
    exact = (1 - math.exp(-epsilon / 2)) ** cells
    assert exact >= 1 - beta
    assert (
        lower_bounds.paper_lower_rate(0.5, cells, epsilon=epsilon) > 0
    )  # with any constant: error > 0
    assert lower_bounds.lower_bound(0.5, cells, epsilon=epsilon, beta=beta) == 0
    noise = np.random.default_rng(1).laplace(scale=1 / epsilon, size=(20_000, cells))
    share = (np.rint(noise) == 0).all(axis=1).mean()
    assert share == pytest.approx(exact, abs=4.9 * math.sqrt(exact * (1 - exact) / 20_000))


@pytest.mark.parametrize("cells", [10, 1000, 10**6])
def test_the_log_of_the_cells_is_real_for_point_queries(cells):
    """A private table needs it and the bound proves it: within a factor that does not grow.

    Statements: R10 Section 1.1 (point queries); R10 Section 3 (point queries).
    """
    for epsilon, beta in itertools.product((0.01, 0.1, 1.0), (0.05, 0.5)):
        table = -math.log1p(-((1 - beta) ** (1 / cells))) / epsilon  # exact quantile of the max
        bound = lower_bounds.lower_bound_points(cells, epsilon=epsilon, beta=beta)
        assert bound <= table
        if epsilon <= 0.1 and cells > 10:
            assert table <= 6 * bound


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lower_bounds.lower_bound(0.6, 4, epsilon=1, beta=0), "gamma must be"),
        (lambda: lower_bounds.lower_bound(0.5, 4, epsilon=-1, beta=0), "epsilon must be"),
        (lambda: lower_bounds.lower_bound(0.5, 4, epsilon=1, beta=1), "beta must be"),
        (lambda: lower_bounds.lower_bound(0.5, 0, epsilon=1, beta=0), "d must be"),
        (lambda: lower_bounds.lower_bound(0.5, 3, epsilon=1, beta=0), "d must be even"),
        (lambda: lower_bounds.lower_bound(0.1, 4, epsilon=1, beta=0, spread=0.3), "spread must"),
        (lambda: lower_bounds.lower_bound_points(0, epsilon=1, beta=0), "cells must be"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
