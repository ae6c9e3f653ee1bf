"""All at once: private by transcript, flat in the universe's size, the same as the dense form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.audit.transcript import faults
from dpviz.papers.sparse_queries import mwem, workloads
from dpviz.papers.sparse_queries.mwem import Params, release
from dpviz.papers.sparse_queries.queries import Batch, Query, Records
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import LARGEST_STEP
from dpviz.privacy.curator import BudgetExceeded, Curator

NAMES = "abcdef"
QUERIES = Batch([Query(["a"]), Query(["b", "c"]), Query(["c", "d", "e"], [1, 0.5, 0.25])])
PURE, ZCDP = Params(epsilon=1.0, m=3, rounds=5), Params(epsilon=1.0, delta=1e-6, m=3, rounds=5)


def mechanism(params):
    def run(data, curator):
        out = release(data, params, curator, queries=QUERIES, vocabulary=set(NAMES))
        return out.measured, out.hypothesis.names, out.hypothesis.weights

    return run


@pytest.mark.parametrize("params", [PURE, ZCDP], ids=["pure", "zcdp"])
@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=10),
    st.sampled_from(NAMES),
    st.integers(0, 2**32),
)
@settings(max_examples=30)
def test_it_is_private_by_its_transcript(params, data, other, seed):
    budget = {"epsilon": 1.0, "delta": params.delta}
    assert faults(mechanism(params), data, [other, *data[1:]], rng=seed, **budget) == []


def test_planted_faults_are_caught():
    def counts_twice(data, curator):
        return mechanism(PURE)([*data, data[0]], curator)  # n = 4 becomes 5; record 0 weighs 2/5

    def tells_the_truth(data, curator):
        return mechanism(PURE)(data, curator), Records(data).truths(QUERIES)

    for fault in (counts_twice, tells_the_truth):
        assert faults(fault, list("aabc"), list("dabc"), rng=1, epsilon=1.0) != []


@pytest.mark.parametrize("params", [PURE, ZCDP], ids=["pure", "zcdp"])
def test_the_whole_budget_is_spent_and_not_more(params):
    curator = Curator(epsilon=1.0, delta=params.delta, rng=0)
    mechanism(params)(list("aabc"), curator)
    (charge,) = curator.ledger.charges
    assert charge.cost == curator.ledger.budget
    spent, budget = charge.sub_ledger.spent, charge.sub_ledger.budget
    if params.delta:  # a choice costs half of what a pure step of its epsilon may
        assert spent.rho == pytest.approx(budget.rho, rel=1e-9)
    else:
        assert spent.epsilon == pytest.approx(1.0, rel=1e-12)
    with pytest.raises(BudgetExceeded):
        mechanism(params)(list("aabc"), curator)


def test_it_gives_the_same_answers_as_the_dense_form():
    """A universe of 10,000 with every name indexed, against the lazy weights."""
    data, queries = workloads.draw("zipf", n=10**4, m=20, k=300, rng=1)
    params = Params(epsilon=1.0, m=20, size=10_000)
    lazy = release(data, params, params.curator(rng=2), queries=queries, vocabulary=range(10_000))
    dense = np.full(10_000, 1e-4)
    for times in range(1, params.rounds + 1):
        for worst, value in [lazy.measured[times - 1], *lazy.measured[:times]]:
            names = list(queries.queries[worst].names)
            now = dense[names].sum()
            if 0 < now < 1 and 0 < value < 1:
                dense[names] *= value * (1 - now) / (now * (1 - value))
            else:
                dense[names] *= np.exp(LARGEST_STEP * np.sign(value - now))
            dense /= dense.sum()
    answers = mwem.answer(lazy, queries.queries)
    expected = [dense[list(query.names)].sum() for query in queries.queries]
    assert np.abs(answers - expected).max() < 1e-12


def test_the_error_does_not_grow_with_the_universe():
    """The same records and queries; 1e4, 1e6, 1e9 and 1e15 indices: medians within 1.5 times."""
    medians = []
    for size in (10**4, 10**6, 10**9, 10**15):
        errors = []
        for seed in range(5):
            data, queries = workloads.draw("zipf", n=10**5, m=20, k=300, rng=seed)
            params = Params(epsilon=1.0, m=20, size=size)
            errors.append(mwem.trial(params, data, queries, rng=seed)["error"])
        medians.append(np.median(errors))
    assert max(medians) < 1.5 * min(medians)


def test_bad_queries_are_refused_before_anything_is_paid():
    curator = Curator(epsilon=1.0, rng=0)
    for queries, words in (([Query(list("abcd"))], "at most m = 3"), ([Query(["z"])], "not in it")):
        with pytest.raises(ValueError, match=words):
            release(list("aab"), PURE, curator, queries=queries, vocabulary=set(NAMES))
    with pytest.raises(ValueError, match="vocabulary must be given"):
        release(list("aab"), PURE, curator, queries=QUERIES)
    assert curator.ledger.charges == ()


@pytest.mark.parametrize("how", [{"share": 1.0}, {"rounds": 0}, {"size": 15}])
def test_bad_parameters_are_refused(how):
    with pytest.raises(ValueError, match=f"{next(iter(how))} must be"):
        Params(**{"epsilon": 1.0, "m": 3, "rounds": 5} | how)


def test_the_worst_query_may_be_one_that_is_guessed_too_high():
    """No data on five of seven names, guessed 5/7; half on "a", guessed 1/7."""
    queries = Batch([Query(["a"]), Query(list("bcdef"))])
    params = Params(epsilon=1e6, m=5, rounds=1, size=7)
    data = ["a"] * 50 + ["g"] * 50
    found = release(data, params, params.curator(rng=0), queries=queries, vocabulary=set("abcdefg"))
    assert [worst for worst, _ in found.measured] == [1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("low", [0.5, 0.1, 0.01])
def test_real_coefficients_are_learnt_as_well_as_0_and_1(low):
    """Eight sets at n = 10^4, epsilon = 1: the median largest error is 0.04, a constant's 0.3."""
    errors = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        shares = rng.dirichlet(np.full(80, 0.05))
        data = rng.choice(80, 10**4, p=shares / shares.sum())
        queries = [
            Query(rng.choice(80, 20, replace=False), np.append(low, rng.uniform(low, 1, 19)))
            for _ in range(200)
        ]
        params = Params(epsilon=1.0, m=20)
        errors.append(mwem.trial(params, data, queries, rng=rng)["error"])
    assert np.median(errors) <= 0.15
