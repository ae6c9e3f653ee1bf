"""The rivals: private by transcript, within their bounds, and how the table's error is hunted."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, laplace

from dpviz import accounting
from dpviz.audit.transcript import faults
from dpviz.papers.sparse_queries import baselines, plan, workloads
from dpviz.papers.sparse_queries.baselines import RememberingTable
from dpviz.papers.sparse_queries.queries import Batch, Query
from dpviz.privacy.curator import Curator

NAMES = "abcdef"
QUERIES = Batch([Query(["a", "b"]), Query(["c"], 0.5), Query(["a", "d", "e"])])


@pytest.mark.parametrize("name", baselines.MECHANISMS)
@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=10),
    st.sampled_from(NAMES),
    st.integers(0, 2**32),
)
@settings(max_examples=30)
def test_rivals_are_private_by_their_transcripts(name, data, other, seed):
    def run(data, curator):
        return baselines.MECHANISMS[name](data, QUERIES, curator, epsilon=1.0, delta=1e-6)

    changed = [other, *data[1:]]
    assert faults(run, data, changed, rng=seed, epsilon=1.0, delta=1e-6) == []


def adaptive_table(data, curator):
    """Supports that depend on earlier answers are fine: names are drawn from public ones."""
    table = RememberingTable(data, curator, epsilon=1.0, vocabulary=set(NAMES))
    first = table.answer(Query(["a"]))
    second = table.answer(Query(["b", "c"] if first > 0.5 else ["d"]))
    return first, second, table.answer(Query(["a"]))


def forgetful_table(data, curator):
    """Planted fault: the stored value is evicted, and a fresh table is asked at no charge."""
    table = RememberingTable(data, curator, epsilon=1.0, vocabulary=set(NAMES))
    return [table._records.counts["a"] + x for x in np.random.default_rng(0).normal(size=2)]


@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=9),
    st.sampled_from(NAMES),
    st.integers(0, 2**32),
)
@settings(max_examples=50)
def test_the_table_is_private_also_for_adaptive_queries(data, other, seed):
    assert faults(adaptive_table, data, [other, *data[1:]], rng=seed, epsilon=1.0) == []


def test_a_table_that_forgets_is_caught():
    assert faults(forgetful_table, list("aab"), list("cab"), rng=0, epsilon=1.0) != []


def test_the_exact_loss_of_the_table_is_epsilon_at_most_and_reached():
    """All transcripts of adaptive runs on a grid of replies: the log-ratio of their densities."""
    epsilon, scale = 0.8, 2 / 0.8
    counts, others = {"a": 2, "b": 1, "c": 0}, {"a": 1, "b": 1, "c": 1}
    worst = 0.0
    for replies in product(np.linspace(-9, 9, 13), repeat=3):
        order = ["a", "c", "b"] if replies[0] > 1 else ["a", "b", "c"]
        loss = sum(
            laplace.logpdf(y - counts[x], scale=scale) - laplace.logpdf(y - others[x], scale=scale)
            for x, y in zip(order, replies, strict=True)
        )
        worst = max(worst, abs(loss))
    assert worst <= epsilon + 1e-12
    assert worst == pytest.approx(epsilon)


def test_the_same_name_has_the_same_noise_in_every_query():
    data, curator = ["a"] * 500 + ["b"] * 500, Curator(epsilon=1.0, rng=0)
    table = RememberingTable(data, curator, epsilon=1.0, vocabulary=set(NAMES))
    a, b, both = (table.answer(Query(names)) for names in (["a"], ["b"], ["a", "b"]))
    assert both == pytest.approx(a + b)
    assert list(table.answer_all(Batch([Query(["a"]), Query(["b"])]))) == [a, b]
    assert len(curator.ledger.charges) == 1


def test_bad_queries_are_refused():
    curator = Curator(epsilon=1.0, rng=0)
    table = RememberingTable(["a"], curator, epsilon=1.0, vocabulary=set(NAMES))
    with pytest.raises(ValueError, match="'z' is not in it"):
        table.answer(Query(["z"]))
    for bad in ("a", QUERIES):
        with pytest.raises(TypeError, match="must be a Query"):
            table.answer(bad)
    with pytest.raises(TypeError, match="must be a Batch"):
        table.answer_all(Query(["a"]))
    with pytest.raises(ValueError, match="vocabulary must be given"):
        RememberingTable(["a"], curator, epsilon=0.1)


def share_beyond(errors, bound):
    return int((np.asarray(errors) > bound).sum())


def test_the_tables_bound_holds_for_honest_queries_and_is_near():
    """200 runs, beta = 0.05: more than 26 failures have probability below 1e-5.

    The bound is at most 1.6 times the measured 95 % quantile.
    """
    assert binom.sf(26, 200, 0.05) < 1e-5
    how = {"m": 50, "k": 100, "n": 1000, "epsilon": 1.0}
    bound = baselines.error_bound_table(**how)
    params = plan.Params(epsilon=1.0, m=50, k=100)
    errors = [
        workloads.trial(params, 1000, kind="uneven", mechanism="table", rng=child)["error"]
        for child in np.random.SeedSequence(3).spawn(200)
    ]
    assert share_beyond(errors, bound) <= 26
    assert bound < 1.6 * np.quantile(errors, 0.95)


def test_hunting_breaks_the_honest_bound_but_not_the_one_for_all():
    """n = m = 1000, N = 2000 absent names: 2 m (1 + ln(N/2m)) / (epsilon n) = 2 on average."""
    how = {"n": 1000, "m": 1000, "absent": 2000, "epsilon": 1.0}
    runs = [baselines.trial(**how, rng=child) for child in np.random.SeedSequence(5).spawn(20)]
    honest_bound = baselines.error_bound_table(m=1000, k=2001, n=1000, epsilon=1.0)
    for run in runs:
        assert run["honest"] < honest_bound < run["hunted"] < run["bound"]
    # the sum of the 1000 largest of 2000 has a standard deviation near 0.06; mean of 20 runs
    assert np.mean([run["hunted"] for run in runs]) == pytest.approx(runs[0]["expected"], rel=0.03)


def test_cutting_negative_counts_off_is_a_bias():
    """n = m = 1000, all names absent but one: cut noise adds up to m / (epsilon n)."""
    curator = Curator(epsilon=1.0, rng=0)
    table = RememberingTable([-1] * 1000, curator, epsilon=1.0, vocabulary=range(1000))
    noise = np.array([table._count(name) for name in range(1000)])
    kept, cut = abs(noise.sum()) / 1000, np.maximum(noise, 0).sum() / 1000
    assert kept < 0.4  # 4.5 sd of sqrt(8 m) / (epsilon n) = 0.089
    assert cut == pytest.approx(1.0, abs=0.3)


def test_the_gaussian_bound_holds_and_is_near():
    how = {"epsilon": 1.0, "delta": 1e-6}
    bound = baselines.error_bound_gaussian(k=50, n=2000, **how)
    params = plan.Params(m=5, k=50, **how)
    errors = [
        workloads.trial(params, 2000, kind="uneven", mechanism="gaussian", rng=child)["error"]
        for child in np.random.SeedSequence(9).spawn(200)
    ]
    assert share_beyond(errors, bound) <= 26
    assert bound < 1.5 * np.quantile(errors, 0.95)


def hockey_stick(threshold, epsilon):
    """Largest P(E) - e^epsilon Q(E): one count goes from 1 to 0, another from 3 to 4."""
    shows = laplace.sf(threshold - 1, scale=2 / epsilon)  # the lone record's cell
    grid = np.linspace(-60, 60, 200_001)
    p = laplace.pdf(grid - 3, scale=2 / epsilon)
    q = laplace.pdf(grid - 4, scale=2 / epsilon)
    hidden = np.maximum((1 - shows) * p - math.exp(epsilon) * q, 0)
    return shows + np.trapezoid(hidden, grid)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_threshold_of_common_names_costs_delta_exactly(epsilon):
    delta = 1e-3
    threshold = 1 + 2 / epsilon * math.log(1 / (2 * delta))
    assert hockey_stick(threshold, epsilon) == pytest.approx(delta, rel=1e-3)
    wider = 1 + 2 / epsilon * math.log(2 / delta)
    assert hockey_stick(wider, epsilon) == pytest.approx(delta / 4, rel=1e-3)


def test_the_order_of_common_names_is_that_of_their_noisy_counts():
    draws = Curator(epsilon=9.0, delta=0.1, rng=0)
    found = draws.stable_histogram(
        ["b"] * 900 + ["a"] * 950 + [None], epsilon=1, delta=1e-6, label="x"
    )
    assert set(found) == {"a", "b"}
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert draws.stable_histogram(["me"], epsilon=1, delta=1e-6, label="y") == {}


def test_common_names_are_those_of_an_iterator_too():
    data, found = ["a"] * 500 + ["c"] * 500, []
    for given_as in (data, iter(data)):
        curator = Curator(epsilon=1.0, delta=1e-6, rng=0)
        found.append(baselines.release_heavy(given_as, QUERIES, curator, epsilon=1.0, delta=1e-6))
    assert np.array_equal(*found)
    assert found[0].max() > 0.4


def test_laplace_on_every_query_has_the_scale_of_its_ledger():
    curator = Curator(epsilon=1.0, rng=0)
    answers = baselines.release_laplace(["a"] * 100, QUERIES, curator, epsilon=1.0)
    (charge,) = curator.ledger.charges
    assert charge.scale == pytest.approx(3 / 100)
    assert np.all((answers >= 0) & (answers <= 1))


def test_gaussian_on_every_query_has_the_least_deviation():
    curator = Curator(epsilon=1.0, delta=1e-6, rng=0)
    baselines.release_gaussian(["a"] * 100, QUERIES, curator, epsilon=1.0, delta=1e-6)
    sd = math.sqrt(3) / 100 * accounting.gaussian_sd(epsilon=1.0, delta=1e-6)
    assert curator.ledger.charges[0].scale == pytest.approx(sd)


@pytest.mark.parametrize("kind", workloads.KINDS)
def test_recipes_give_n_records_and_k_queries_of_width_m_at_most(kind):
    data, queries = workloads.draw(kind, n=100, m=20, k=7, rng=0)
    assert (len(data), len(queries)) == (100, 7)
    assert queries.width <= 20
    again, same = workloads.draw(kind, n=100, m=20, k=7, rng=0)
    assert np.array_equal(again, data)
    assert [q.names for q in same.queries] == [q.names for q in queries.queries]


def test_wide_questions_over_few_records_are_where_the_online_form_wins():
    """n = k = 500, m = 4 n at (1, 1e-6), by the rule of thumb; medians of three draws."""
    params = plan.Params(epsilon=1.0, delta=1e-6, m=2000, k=500)
    runs = [workloads.trial_all(params, 500, kind="wide", rng=seed) for seed in (1, 2, 3)]
    medians = {name: np.median([run[name] for run in runs]) for name in runs[0]}
    assert medians["practical"] < min(medians["table"], medians["gaussian"])
