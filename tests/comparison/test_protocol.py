"""The protocol: one wrapper makes the budget, judges the answers, and refuses who asks for more."""

from dataclasses import replace

import numpy as np
import pytest

from dpviz import accounting
from dpviz.comparison.mechanisms import kinds
from dpviz.comparison.mechanisms.task import TUNINGS, Instance, Mechanism, Outcome, Task
from dpviz.privacy.curator import Cost, Curator

TASK = Task(n=1000, d=2, k=3)
EXACT = np.array([0.1, 0.5, 0.9])
INSTANCE = Instance(None, None, EXACT, 0.5)


def rival(run, **fields):
    public = {"key": "rival", "name": "rival", "origin": "other"}
    public |= {"cannot": "do anything useful", "params": lambda task: task}
    return Mechanism(**{**public, "tuned": "nothing to tune", "run": run, **fields})


def test_the_curator_has_exactly_the_budget_in_the_form_that_suits():
    seen = []

    def run(task, instance, curator):
        seen.append(curator.budget)
        return instance.exact

    rho = accounting.zcdp_rho(epsilon=1.0, delta=1e-6)
    for fields, budget in [
        ({"pure": lambda task: True}, Cost(epsilon=1.0)),
        ({"pure": lambda task: False}, Cost(epsilon=1.0, delta=1e-6)),
        ({"zcdp": True}, Cost(rho=rho)),
    ]:
        rival(run, **fields).outcome(TASK, INSTANCE, rng=0)
        assert seen.pop() == budget


def test_gaussian_steps_under_zcdp_have_the_noise_that_the_whole_rho_pays_for():
    """At sensitivity 1 the noise has variance 1 / (2 rho)."""

    def run(task, instance, curator):
        return curator.gaussian(
            np.zeros(20_000), sensitivity=1.0, rho=curator.budget.rho, label="x"
        )

    rho = accounting.zcdp_rho(epsilon=1.0, delta=1e-6)
    drawn = []
    instance = Instance(None, None, None, 0.5, judge=lambda answers: drawn.append(answers) or 0.0)
    outcome = rival(run, zcdp=True).outcome(TASK, instance, rng=0)
    assert np.std(drawn[0]) == pytest.approx((2 * rho) ** -0.5, rel=0.03)
    assert outcome.spent == Cost(epsilon=1.0, delta=1e-6)


@pytest.mark.parametrize("fields", [{"pure": lambda task: True}, {"zcdp": True}])
def test_who_asks_for_more_than_was_given_is_refused(fields):
    def run(task, instance, curator):
        form = "rho" if curator.composition == "zcdp" else "epsilon"
        budget = getattr(curator.budget, form)
        verb = curator.gaussian if form == "rho" else curator.laplace
        return verb(instance.exact, sensitivity=1.0, **{form: 1.01 * budget}, label="too much")

    outcome = rival(run, **fields).outcome(TASK, INSTANCE, rng=0)
    assert outcome.error == np.inf and "more than the budget" in outcome.refused


def test_a_fault_of_a_rival_is_no_refusal():
    with pytest.raises(ZeroDivisionError):
        rival(lambda *_: 1 / 0, pure=lambda task: True).outcome(TASK, INSTANCE, rng=0)


def test_impossible_answers_are_clipped_before_they_are_judged():
    wild = rival(lambda *_: np.array([-9.0, 0.5, 9.0]), pure=lambda task: True)
    assert wild.outcome(TASK, INSTANCE, rng=0).error == pytest.approx(0.1)


def test_another_budget_than_the_task_has_is_not_taken():
    mechanism = rival(lambda *_: EXACT, pure=lambda task: True)
    for curator in (Curator(epsilon=2.0, rng=0), Curator(rho=1.0, rng=0)):
        with pytest.raises(ValueError, match="curator must compose by basic composition and have"):
            mechanism.outcome(TASK, INSTANCE, rng=0, curator=curator)


def test_without_a_delta_there_is_no_zcdp():
    outcome = rival(lambda *_: EXACT, zcdp=True).outcome(replace(TASK, delta=0.0), INSTANCE, rng=0)
    assert outcome == Outcome(refused="delta must be above 0 for zCDP, not 0")


def test_a_rival_says_how_its_parameters_are_chosen_and_has_the_bound_that_it_names():
    with pytest.raises(ValueError, match="tuned must be one of"):
        rival(lambda *_: EXACT, tuned="on the private records")
    with pytest.raises(ValueError, match="bound must be given"):
        rival(lambda *_: EXACT, tuned="proved bound")
    assert {each.tuned for _, each in kinds.all_mechanisms()} == set(TUNINGS)


def test_a_stored_trial_is_read_back_as_it_was():
    params = kinds.Params(kind="linear", n=400, d=2, k=5, epsilons=(0.5, 1.0))
    rng = np.random.default_rng(3)
    instance = kinds.KINDS["linear"].draw(params.task(epsilon=1.0), rng)
    some = kinds.IN_CELLS["linear"]  # which the trials of the map leave out
    keys = [each.key for each in kinds.KINDS["linear"].mechanisms if each.key not in some]
    record = kinds.outcomes(params, instance, rng=rng, keys=keys)
    fields = {name: np.array([error]) for name, error in kinds.trial(params, rng=3).items()}
    for (key, epsilon), outcome in record.outcomes.items():
        stored = kinds.errors(fields, "linear", epsilon=epsilon)
        assert stored[key][0] == pytest.approx(outcome.error, rel=1e-3)
        assert stored[kinds.WITHOUT][0] == pytest.approx(record.without, rel=1e-3)
