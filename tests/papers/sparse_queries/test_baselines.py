"""The baselines: private by transcript, within their bounds, and against an adaptive analyst."""

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
from dpviz.papers.sparse_queries.baselines import InteractiveLazyHistogram
from dpviz.papers.sparse_queries.queries import Batch, Query
from dpviz.privacy.curator import Curator

NAMES = "abcdef"
QUERIES = Batch([Query(["a", "b"]), Query(["c"], 0.5), Query(["a", "d", "e"])])
PURE = plan.Params(epsilon=1.0, m=3, k=3)
BOTH = plan.Params(epsilon=1.0, delta=1e-6, m=3, k=3)


@pytest.mark.parametrize("name", baselines.MECHANISMS)
@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=10),
    st.sampled_from(NAMES),
    st.integers(0, 2**32),
)
@settings(max_examples=30)
def test_baselines_are_private_by_their_transcripts(name, data, other, seed):
    def run(data, curator):
        return baselines.MECHANISMS[name](data, BOTH, curator, queries=QUERIES)

    changed = [other, *data[1:]]
    assert faults(run, data, changed, rng=seed, epsilon=1.0, delta=1e-6) == []


def adaptive_queries(data, curator):
    """Supports that depend on earlier answers are fine: names are drawn from public ones."""
    histogram = InteractiveLazyHistogram(data, PURE, curator, vocabulary=set(NAMES))
    first = histogram.answer(Query(["a"]))
    second = histogram.answer(Query(["b", "c"] if first > 0.5 else ["d"]))
    return first, second, histogram.answer(Query(["a"]))


def forgetful_histogram(data, curator):
    """Planted fault: the stored value is evicted, and a fresh one is asked at no charge."""
    histogram = InteractiveLazyHistogram(data, PURE, curator, vocabulary=set(NAMES))
    return [histogram._records.counts["a"] + x for x in np.random.default_rng(0).normal(size=2)]


@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=9),
    st.sampled_from(NAMES),
    st.integers(0, 2**32),
)
@settings(max_examples=50)
def test_the_lazy_histogram_is_private_also_for_adaptive_queries(data, other, seed):
    assert faults(adaptive_queries, data, [other, *data[1:]], rng=seed, epsilon=1.0) == []


def test_a_histogram_that_forgets_is_caught():
    assert faults(forgetful_histogram, list("aab"), list("cab"), rng=0, epsilon=1.0) != []


def test_the_exact_loss_of_the_lazy_histogram_is_epsilon_at_most_and_reached():
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
    histogram = InteractiveLazyHistogram(data, PURE, curator, vocabulary=set(NAMES))
    a, b, both = (histogram.answer(Query(names)) for names in (["a"], ["b"], ["a", "b"]))
    assert both == pytest.approx(a + b)
    assert list(histogram.answer_all(Batch([Query(["a"]), Query(["b"])]))) == [a, b]
    assert len(curator.ledger.charges) == 1


def test_bad_queries_are_refused():
    curator = Curator(epsilon=1.0, rng=0)
    histogram = InteractiveLazyHistogram(["a"], PURE, curator, vocabulary=set(NAMES))
    with pytest.raises(ValueError, match="'z' is not in it"):
        histogram.answer(Query(["z"]))
    for bad in ("a", QUERIES):
        with pytest.raises(TypeError, match="must be a Query"):
            histogram.answer(bad)
    with pytest.raises(TypeError, match="must be a Batch"):
        histogram.answer_all(Query(["a"]))
    with pytest.raises(ValueError, match="vocabulary must be given"):
        InteractiveLazyHistogram(["a"], PURE, curator)


def share_beyond(errors, bound):
    return int((np.asarray(errors) > bound).sum())


def test_the_lazy_histograms_bound_holds_for_fixed_queries_and_is_near():
    """200 runs, beta = 0.05: more than 26 failures have probability below 1e-5.

    The bound is at most 1.6 times the measured 95 % quantile.
    """
    assert binom.sf(26, 200, 0.05) < 1e-5
    params = plan.Params(epsilon=1.0, m=50, k=100)
    bound = baselines.error_bound_lazy_histogram(params, n=1000)
    errors = [
        baselines.trial(params, n=1000, method="lazy_histogram", rng=child)["error"]
        for child in np.random.SeedSequence(3).spawn(200)
    ]
    assert share_beyond(errors, bound) <= 26
    assert bound < 1.6 * np.quantile(errors, 0.95)


def test_an_adaptive_analyst_breaks_the_bound_for_fixed_queries_only():
    """n = m = 1000, N = 2000 absent names: 2 m (1 + ln(N/2m)) / (epsilon n) = 2 on average."""
    params = plan.Params(epsilon=1.0, m=1000, k=2001)
    how = {"n": 1000, "absent": 2000}
    children = np.random.SeedSequence(5).spawn(20)
    runs = [baselines.adaptive_analyst(params, **how, rng=child) for child in children]
    bound = baselines.error_bound_lazy_histogram(params, n=1000)
    for run in runs:
        assert run["fixed"] < bound < run["adaptive"] < run["bound"]
    # the sum of the 1000 largest of 2000 has a standard deviation near 0.06; mean of 20 runs
    found = np.mean([run["adaptive"] for run in runs])
    assert found == pytest.approx(runs[0]["expected"], rel=0.03)


def test_truncating_negative_counts_is_a_bias():
    """n = m = 1000, all names absent but one: truncated noise adds up to m / (epsilon n)."""
    curator = Curator(epsilon=1.0, rng=0)
    histogram = InteractiveLazyHistogram([-1] * 1000, PURE, curator, vocabulary=range(1000))
    noise = histogram._counts(range(1000))
    kept, truncated = abs(noise.sum()) / 1000, np.maximum(noise, 0).sum() / 1000
    assert kept < 0.4  # 4.5 sd of sqrt(8 m) / (epsilon n) = 0.089
    assert truncated == pytest.approx(1.0, abs=0.3)


def test_the_gaussian_bound_holds_and_is_near():
    params = plan.Params(epsilon=1.0, delta=1e-6, m=5, k=50)
    bound = baselines.error_bound_gaussian(params, n=2000)
    errors = [
        baselines.trial(params, n=2000, method="gaussian", rng=child)["error"]
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
        curator = BOTH.curator(rng=0)
        release = baselines.release_stable_histogram(given_as, BOTH, curator, queries=QUERIES)
        found.append(release)
    assert np.array_equal(*found)
    assert found[0].max() > 0.4


def test_laplace_on_every_query_has_the_scale_of_its_ledger():
    curator = PURE.curator(rng=0)
    answers = baselines.release_laplace(["a"] * 100, PURE, curator, queries=QUERIES)
    (charge,) = curator.ledger.charges
    assert charge.scale == pytest.approx(3 / 100)
    assert np.all((answers >= 0) & (answers <= 1))


def test_gaussian_on_every_query_has_the_least_deviation():
    curator = BOTH.curator(rng=0)
    baselines.release_gaussian(["a"] * 100, BOTH, curator, queries=QUERIES)
    sd = math.sqrt(3) / 100 * accounting.gaussian_sd(epsilon=1.0, delta=1e-6)
    assert curator.ledger.charges[0].scale == pytest.approx(sd)


@pytest.mark.parametrize("recipe", workloads.RECIPES)
def test_recipes_give_n_records_and_k_queries_of_width_m_at_most(recipe):
    data, queries = workloads.draw(recipe, n=100, m=20, k=7, rng=0)
    assert (len(data), len(queries)) == (100, 7)
    assert queries.width <= 20
    again, same = workloads.draw(recipe, n=100, m=20, k=7, rng=0)
    assert np.array_equal(again, data)
    assert [q.names for q in same.queries] == [q.names for q in queries.queries]


def test_wide_questions_over_few_records_are_where_the_online_form_wins():
    """n = k = 500, m = 4 n at (1, 1e-6), by the rule of thumb; medians of three draws."""
    params = plan.Params(epsilon=1.0, delta=1e-6, m=2000, k=500)
    runs = [baselines.trial_all(params, n=500, recipe="wide", rng=seed) for seed in (1, 2, 3)]
    medians = {name: np.median([run[name] for run in runs]) for name in runs[0]}
    assert medians["rule_of_thumb"] < min(medians["lazy_histogram"], medians["gaussian"])


def test_unions_of_groups_are_the_batch_of_their_queries():
    rng = np.random.default_rng(4)
    groups = rng.permutation(60).reshape(12, 5)
    unions = np.array([rng.choice(12, 4, replace=False) for _ in range(9)])
    batch = Batch.of_unions(groups, unions)
    listed = Batch([Query(groups[union].ravel()) for union in unions])
    assert batch.queries == listed.queries and len(batch) == len(listed) == 9
    assert batch.names == listed.names and batch.number == listed.number
    assert batch.ids.tolist() == listed.ids.tolist() and batch.width == listed.width == 20
    weights = rng.uniform(size=len(batch.names))
    assert batch.apply(weights).tolist() == listed.apply(weights).tolist()
