"""The plain baselines on a finite metric: histogram and joint noise."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpviz.audit.transcript import faults
from dpviz.data import real_sets as sets
from dpviz.papers.distance_queries.baselines.finite_metric import (
    Params,
    answer,
    joint_sensitivity,
    release,
    trial,
    truth,
)
from dpviz.papers.distance_queries.embeddings.metrics import finite, shortest_paths
from dpviz.privacy.curator import Curator

PRICES = pytest.mark.parametrize("delta", [0.0, 1e-6], ids=["pure", "gaussian"])
METHODS = ("histogram", "joint")


def novel(weighted=False, **more):
    network = sets.les_miserables_network()
    metric = shortest_paths(network.ties, network.names, 1 / network.counts if weighted else None)
    return Params(**{"n": 1640, "metric": metric, "queries": np.arange(77), "epsilon": 1.0, **more})


def small(n, delta, seed=0, method="histogram"):
    """Six points of a plane and three queries."""
    points = np.random.default_rng(seed).uniform(size=(6, 2))
    table = np.linalg.norm(points[:, None] - points, axis=2)
    table = (table + table.T) / 2
    public = {"n": n, "metric": finite(table), "queries": [0, 2, 3], "epsilon": 1.0}
    return Params(**public, delta=delta, method=method)


@pytest.mark.parametrize("method", METHODS)
@PRICES
@given(
    data=st.lists(st.integers(0, 5), min_size=1, max_size=6),
    new=st.integers(0, 5),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=40)
def test_both_methods_keep_what_they_promise(method, delta, data, new, seed):
    params, other = small(len(data), delta, seed, method), [new, *data[1:]]

    def mechanism(records, curator):
        return release(records, params, curator).answers

    assert faults(mechanism, data, other, rng=seed, epsilon=1.0, delta=delta) == []


@PRICES
def test_the_joint_sensitivity_is_that_of_all_pairs(delta):
    """Brute force; on the novel it is about half of sqrt(77), and half of 77."""
    params = novel(delta=delta)
    rows = params.metric.table
    order = 2 if delta else 1
    worst = max(np.linalg.norm(x - y, order) for x in rows for y in rows) / 1640
    assert joint_sensitivity(params) == pytest.approx(worst, rel=1e-12)
    assert joint_sensitivity(params) * 1640 < 0.6 * 77 ** (1 / order)


def test_a_sensitivity_without_the_joint_pair_is_caught():
    params = small(3, 0.0)

    def forgetful(records, curator):
        counts = np.bincount(records, minlength=6) @ params.table / 3
        return curator.laplace(counts, sensitivity=1 / 3, epsilon=1.0, label="joint")

    found = faults(forgetful, [0, 0, 0], [2, 0, 0], rng=0, epsilon=1.0)
    assert ["moved by" in sentence for sentence in found] == [True]


@pytest.mark.parametrize("method", METHODS)
@PRICES
def test_the_bounds_hold_and_are_guarded(method, delta):
    """100 runs: more than 15 beyond a bound with beta = 0.05 has probability < 1e-4."""
    params = novel(delta=delta, method=method)
    codes = sets.les_miserables().data[:, 0]
    runs = [trial(params, codes, rng=seed) for seed in range(100)]
    errors = np.array([run["error"] for run in runs])
    assert stats.binom.sf(15, 100, 0.05) < 1e-4
    assert (errors > runs[0]["bound"]).sum() <= 15
    assert runs[0]["bound"] <= 1.8 * np.quantile(errors, 0.95)


@pytest.mark.parametrize(
    ("weighted", "delta", "method", "stated"),
    [
        (False, 0.0, "histogram", 0.011),
        (True, 0.0, "histogram", 0.011),
        (False, 1e-6, "histogram", 0.026),
        (True, 1e-6, "histogram", 0.022),
        (False, 1e-6, "joint", 0.036),
        (True, 1e-6, "joint", 0.039),
    ],
)
def test_on_the_novel_they_are_no_worse_than_stated(weighted, delta, method, stated):
    """Mean of the largest error over the 77 queries, 20 runs; 1.2 is the room allowed."""
    params = novel(weighted=weighted, delta=delta, method=method)
    codes = sets.les_miserables().data[:, 0]
    errors = [trial(params, codes, rng=seed)["error"] for seed in range(20)]
    assert np.mean(errors) <= 1.2 * stated


def test_taking_out_the_mean_of_the_noise_helps():
    """The same noise with its mean left in: at least 1.5 times the error."""
    params = novel()
    codes = sets.les_miserables().data[:, 0]
    with_mean, without = [], []
    for seed in range(20):
        curator = Curator(epsilon=1.0, rng=seed)
        raw = curator.laplace(
            np.bincount(codes.astype(int)) / 1640, sensitivity=2 / 1640, epsilon=1.0, label="h"
        )
        with_mean.append(np.abs(raw @ params.table - truth(codes, params.queries, params)).max())
        without.append(trial(params, codes, rng=seed)["error"])
    assert np.mean(with_mean) > 1.5 * np.mean(without)


def test_the_histogram_answers_points_that_were_never_announced():
    params = novel(queries=[3], epsilon=1e9)
    codes = sets.les_miserables().data[:, 0]
    found = release(codes, params, Curator(epsilon=1e9, rng=0))
    everyone = truth(codes, np.arange(77), params)
    assert answer(found, np.arange(77)) == pytest.approx(everyone, abs=1e-6)


def test_a_release_holds_nothing_private_and_can_be_stored():
    found = release([0, 1, 2], small(3, 0.0), Curator(epsilon=1.0, rng=0))
    again = pickle.loads(pickle.dumps(found))
    assert (again.shares == found.shares).all()
    assert set(vars(found)) == {"params", "answers", "shares"}
    joint = small(3, 0.0, method="joint")
    assert release([0, 1, 2], joint, Curator(epsilon=1.0, rng=0)).shares is None


def test_joint_noise_answers_its_own_queries_only():
    params = small(3, 0.0, method="joint")
    found = release([0, 1, 2], params, params.curator(rng=0))
    assert answer(found, [3, 0, 3]).tolist() == found.answers[[2, 0, 2]].tolist()
    with pytest.raises(ValueError, match="queries must be among those"):
        answer(found, [1])


@pytest.mark.parametrize("method", METHODS)
def test_queries_given_to_a_release_replace_those_of_the_params(method):
    params = small(3, 0.0, method=method)
    other = replace(params, queries=[5])
    found = release([0, 1, 2], params, params.curator(rng=0), queries=[5]).answers
    assert (found == release([0, 1, 2], other, other.curator(rng=0)).answers).all()
    assert trial(params, [0, 1, 2], [5], rng=1) == trial(other, [0, 1, 2], rng=1)


@pytest.mark.parametrize("data", [[0, 1], [0, 1, 9], [0, 1, "x"]])
def test_bad_data_cost_nothing(data):
    curator = Curator(epsilon=1.0, rng=0)
    with pytest.raises((ValueError, TypeError), match="data must"):
        release(data, small(3, 0.0), curator)
    assert curator.ledger.spent.epsilon == 0


@pytest.mark.parametrize("wrong", [{"n": 0}, {"queries": []}, {"epsilon": -1}, {"delta": 2}])
def test_bad_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        novel(**wrong)


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="method must be one of 'histogram', 'joint'"):
        small(1, 0.0, method="guess")


@pytest.mark.parametrize("method", ["histogram", "joint"])
def test_answers_are_clipped_to_the_distances_of_the_query(method):
    """A path of three: the middle is never farther than 0.5 from anything."""
    path = finite([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    params = Params(n=2, metric=path, queries=[0, 1], epsilon=0.01, method=method)
    for seed in range(20):
        made = release([0, 2], params, params.curator(rng=seed))
        for found in (made.answers, answer(made, [0, 1])):
            assert ((found >= 0) & (found <= [1.0, 0.5])).all()


def test_what_is_of_the_wrong_kind_is_named_before_anything_is_paid():
    params = Params(n=2, metric=finite([[0, 1], [1, 0]]), queries=[0], epsilon=1.0, delta=1e-6)
    curator, zcdp = params.curator(rng=0), Curator(rho=1.0, delta=1e-6, rng=0)
    for data in (np.ma.array([0, 1], mask=[1, 0]), [0j, 1], {"a": 0}, ["a", "b"], None):
        with pytest.raises((TypeError, ValueError), match="data must"):
            release(data, params, curator)
    with pytest.raises(TypeError, match=r"params must be finite_metric\.Params, not None"):
        release([0, 1], None, curator)
    with pytest.raises(TypeError, match="curator must be a Curator, not None"):
        release([0, 1], params, None)
    with pytest.raises(ValueError, match="curator must have a budget epsilon"):
        release([0, 1], params, zcdp)
    with pytest.raises(TypeError, match="metric must be a finite Table"):
        replace(params, metric=None)
    assert curator.ledger.spent.epsilon == zcdp.ledger.spent.rho == 0
