"""One interface over all mechanisms: it runs them as they are, and its bounds hold."""

from dataclasses import replace

import numpy as np
import pytest

from dpviz.comparison import costs, experiments
from dpviz.comparison.mechanisms import cluster, kinds, smooth
from dpviz.comparison.mechanisms.task import ORIGINS, Task, largest
from dpviz.privacy.account import Account
from dpviz.sweeps.experiment import Experiment

SMALL = {
    "distance": Task(n=2000, d=2, k=20),
    "sparse": Task(n=2000, d=10, k=20),
    "smooth": Task(n=2000, d=2, k=20),
    "cluster": Task(n=4000, d=2, k=1, epsilon=4.0),
    "linear": Task(n=2000, d=2, k=20),
}
SIZE = {"intervals": 1, "triples": 3}  # of what a line has, and what needs three columns
ALL = [(kind.name, each.key) for kind, each in kinds.all_mechanisms()]


def of(kind, key):
    return kinds.KINDS[kind], kinds.KINDS[kind].mechanism(key)


@pytest.mark.parametrize(("name", "key"), ALL)
def test_each_mechanism_answers_within_its_bound(name, key):
    """The bound fails with probability 1e-4 in each of five trials."""
    kind, mechanism = of(name, key)
    d = SIZE.get(key, SMALL[name].d)
    task, rng = replace(SMALL[name], d=d, beta=1e-4), np.random.default_rng(1)
    errors = [mechanism.outcome(task, kind.draw(task, rng), rng=rng).error for _ in range(5)]
    assert min(errors) >= 0 and max(errors) <= 1
    assert max(errors) <= mechanism.error_bound(task)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(("name", "key"), ALL)
def test_each_mechanism_spends_what_it_says(monkeypatch, name, key, many):
    """All curators of a run are recorded; one of them has no parent, and its ledger counts."""
    kind, mechanism = of(name, key)
    task = replace(SMALL[name], d=SIZE.get(key, SMALL[name].d))
    task = replace(task, k=2000) if many and name != "cluster" else task
    instance, made, make = kind.draw(task, np.random.default_rng(1)), [], Account.__init__

    def recorded(self, **budget):
        make(self, **budget)
        made.append(self)

    monkeypatch.setattr(Account, "__init__", recorded)
    outcome = mechanism.outcome(task, instance, rng=2)
    parts = {id(child) for account in made for _, child in account._charges if child}
    (whole,) = [account for account in made if id(account) not in parts]
    spent = whole.ledger.spent
    assert outcome.spent == spent and not outcome.refused
    assert (spent.epsilon, spent.delta) == pytest.approx(mechanism.spends(task), rel=1e-9)


@pytest.mark.parametrize(("name", "key"), ALL)
def test_each_mechanism_says_what_it_is(name, key):
    kind, mechanism = of(name, key)
    assert mechanism.origin in ORIGINS and len(mechanism.cannot) > 10
    assert kind.question.endswith("?") and kind.size and kind.without


@pytest.mark.parametrize("name", kinds.KINDS)
def test_each_kind_takes_a_table_and_has_an_answer_without_data(name):
    task = replace(SMALL[name], n=569)
    instance = kinds.KINDS[name].of_rows(task, experiments.patients())
    assert 0 < instance.without_data <= 1


@pytest.mark.parametrize("name", ["distance", "smooth", "linear"])
def test_questions_are_public_and_the_same_for_all_records(name):
    kind, task = kinds.KINDS[name], SMALL[name]
    one, other = (kind.draw(task, np.random.default_rng(seed)) for seed in (1, 2))
    asked = [getattr(each.queries, "centres", each.queries) for each in (one, other)]
    assert np.array_equal(*asked) and not np.array_equal(one.exact, other.exact)


def test_what_does_not_fit_is_refused_and_kept_as_such():
    solver = kinds.KINDS["cluster"].mechanism("solver")
    few = Task(n=400, d=2, k=1)
    assert "too few at this budget" in solver.misfit(few)
    assert solver.error_bound(few) == np.inf
    run = kinds.trial(kinds.Params(kind="cluster", n=400, d=2, k=1), rng=0)
    assert run["solver 1"] == kinds.REFUSED and run["medians 1"] > 0


def test_without_delta_only_what_is_pure_answers():
    pure = kinds.Params(kind="smooth", n=400, d=1, k=5, delta=0.0)
    run = kinds.trial(pure, rng=0)
    assert run["functional 1"] == kinds.REFUSED and run["truncation 1"] > 0
    assert smooth.KIND.mechanism("noise").form(pure.task(epsilon=1.0)) == "pure"


def test_the_better_of_two_noises_is_taken_by_its_bound():
    few, many = Task(n=1000, d=1, k=1), Task(n=1000, d=1, k=1000)
    form = smooth.KIND.mechanism("noise").form
    assert (form(few), form(many)) == ("pure", "approximate")


def test_all_have_a_cost_beside_the_table_but_those_that_refuse():
    taken = costs.of_clinic(epsilon=1.0, rng=0)
    refused = set(ALL) - taken.keys()
    assert refused == {
        ("distance", "grid"),
        ("cluster", "solver"),
        ("cluster", "theorem"),
        ("cluster", "intervals"),
        ("cluster", "triples"),
    }
    assert all(-4 <= power <= 5 for pair in taken.values() for power in pair)


def test_memory_is_that_of_the_largest_moment():
    """An array of a million doubles, and a copy."""
    found = costs.measured(lambda: np.zeros(10**6).copy().sum())
    assert 1.6e7 <= found.memory < 1.7e7 and found.seconds >= 0


def test_a_key_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="key must be one of 'interactive', 'offline', 'release'"):
        kinds.KINDS["distance"].mechanism("solver")


def test_the_clinic_is_asked_by_its_public_bounds_on_a_sample_without_replacement():
    params = experiments.Sample(kind="cluster", n=569, epsilons=(1.0,))
    runs = [experiments.trial_clinic(params, rng=seed)["constant"] for seed in (1, 2)]
    assert runs[0] == runs[1]  # all patients: the sample cannot matter
    few = replace(params, n=100)
    assert len({experiments.trial_clinic(few, rng=seed)["constant"] for seed in range(4)}) > 1


def test_a_hidden_cluster_is_close_together_and_no_axis_shows_it():
    """Its quarter lies in one interval of each axis; another one holds more of the records."""
    for seed in range(5):
        rows = cluster.hidden(4000, 4, rng=seed)
        best = min((cluster.reach(rows, row) for row in rows[:200]), default=1.0)
        assert best < 0.05  # one of 200 records is in the cluster
        for column in rows.T:
            counts = np.histogram(column, bins=25, range=(0, 1))[0]
            assert (counts[1:] + counts[:-1]).max() > 0.3 * 4000  # a value may lie on an edge


@pytest.mark.parametrize("name", ["sparse", "linear"])
def test_some_trials_inside_the_grid_come_out_again(name, differences):
    experiment = experiments.OVER[name]
    stored = experiment.stored().values
    for index in (40, 111):
        there = {field: values.ravel()[index] for field, values in stored.items()}
        assert differences(experiment.once(index), there, stored) == []


def test_an_experiment_has_trials_of_every_mechanism_at_every_budget():
    hidden = ("cluster", experiments.HIDDEN)
    for kind, experiment in [*experiments.OVER.items(), *experiments.OF_CLINIC.items(), hidden]:
        assert isinstance(experiment, Experiment) and experiment.repeats == 20
        later = kinds.LATER.get(kind, ()) + kinds.IN_CELLS.get(kind, ())
        keys = [each.key for each in kinds.KINDS[kind].mechanisms if each.key not in later]
        fields = {f"{key} {epsilon:g}" for key in keys for epsilon in experiments.EPSILONS}
        assert set(experiment.stored().values) == fields | {kinds.WITHOUT}


def test_largest_is_a_share_of_possible_answers():
    assert largest(np.array([2.0, 0.0]), np.zeros(2), 4) == 0.5
    assert largest(np.array([9.0, -3.0]), np.array([3.0, 1.0]), 4) == 0.25
