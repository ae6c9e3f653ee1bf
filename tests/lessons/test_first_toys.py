"""What the toys of lessons 00 and 01 show is what noise and coins do; a question opens below."""

import math

import numpy as np
import pytest

from dpviz.exercises.answers import Number
from dpviz.exercises.exercise import Exercise
from dpviz.exercises.faces import ExerciseFace
from dpviz.exercises.predictions import Kept
from dpviz.lessons import privacy, start
from dpviz.lessons.privacy import toy as coins
from dpviz.lessons.start import toy

SIGMAS = 4.9  # once in a million


@pytest.mark.parametrize("patient", [1, 201, 569])
def test_the_step_of_the_mean_times_n_is_the_value(patient):
    out = toy.take(patient=patient, record=toy.OUT)
    there = toy.take(patient=patient, record=toy.IN)
    blank = start.radii().copy()
    blank[patient - 1] = 0
    assert math.isclose(out.now, blank.mean()) and there.now == start.radii().mean()
    assert math.isclose(out.seen, start.radii()[patient - 1]) and there.seen == 0


def test_a_press_takes_the_record_out_and_puts_it_back():
    explorer = start.explore_record()
    explorer.hand("record:0", "press")
    assert explorer.values["record"] == toy.OUT
    explorer.hand("record:0", "press")
    assert explorer.values["record"] == toy.IN


@pytest.mark.parametrize(("epsilon", "value"), [(1, 30), (0.5, 30), (2, 12)])
def test_the_best_guess_is_right_as_often_as_the_formula_says(epsilon, value):
    """The noise is the curator's; a threshold beside the middle is no better."""
    result = toy.compare_worlds(epsilon=epsilon, value=value, numbers=toy.MOST, seed=3)
    margin = SIGMAS * math.sqrt(0.25 / toy.MOST)
    assert abs(result.right / toy.MOST - result.best) < margin
    assert result.best < result.limit
    for level in (0, result.apart):
        other = np.mean((result.published > level) == result.sides)
        assert other < result.best + margin


def test_best_guess_after_several_publications_against_a_simulation():
    rng = np.random.default_rng(5)
    noisy = 1 + rng.laplace(scale=2, size=(200_000, 4))
    evidence = 0.5 * (np.abs(noisy) - np.abs(noisy - 1))
    for times in (1, 2, 4):
        total = evidence[:, :times].sum(axis=1)
        right = (total > 1e-12).mean() + 0.5 * (np.abs(total) <= 1e-12).mean()
        exact = start.best_guess(epsilon=0.5, times=times)
        assert abs(right - exact) < SIGMAS * math.sqrt(0.25 / 200_000)
        assert exact <= 1 / (1 + math.exp(-0.5 * times))
    assert math.isclose(start.best_guess(epsilon=1, times=1), 1 - math.exp(-0.5) / 2, rel_tol=1e-6)


@pytest.mark.parametrize("answers", [1, 2, 4])
def test_answers_by_coins_move_the_odds_as_counted(answers):
    """The evidence of an outcome is the logarithm of the quotient of two binomial laws."""
    result = coins.toss(truthful=0.75, answers=answers)
    yes = result.yes
    law = {p: p**yes * (1 - p) ** (answers - yes) for p in (0.75, 0.25)}
    assert np.allclose(result.evidence, np.log(law[0.75] / law[0.25]))
    assert math.isclose(result.evidence.max(), answers * math.log(3))


def test_both_moves_of_above_threshold_keep_the_answers():
    steps = privacy.play_shift().trace
    answers = [(step.values >= step.level).tolist() for step in steps]
    assert answers[0] == answers[3] == [False] * 4 + [True]
    assert answers[1] != answers[0]  # the neighbour alone does not
    assert answers[2][:4] == [False] * 4  # the first move keeps every "below"
    assert np.abs(steps[1].values - steps[0].values).max() <= coins.STEP + 1e-12
    assert steps[2].level - steps[0].level == pytest.approx(coins.STEP)
    assert steps[3].values[-1] - steps[1].values[-1] == pytest.approx(2 * coins.STEP)


# A question that is asked before what happens is computed ----------------------------------------


@pytest.fixture
def lesson(monkeypatch):
    """The predictions of a lesson of its own."""
    kept = Kept()
    for module in ("exercise", "faces"):
        monkeypatch.setattr(f"dpviz.exercises.{module}.review", lambda: kept)
    return kept


@pytest.fixture
def question(lesson, monkeypatch):
    monkeypatch.setattr(Exercise, "_ipython_display_", lambda self, **more: None)
    return Exercise("2 + 2?", Number(value=4), ["Count."], "Because.").ask()


def test_a_question_opens_below_the_cell_that_computes(question, lesson):
    assert "Because." not in question.page() and "Hint 1" in question.page()
    happened = question.show("It is 4.", truth=4)
    assert "It is 4." not in happened.page() and question.below == ""
    question.check("5")
    assert "You predicted: 5" in happened.page() and "It is 4." in happened.page()
    assert question.below == "" and lesson.rows() == [("2 + 2?", "5", "4")]


def test_a_question_that_was_answered_first_opens_at_once(question):
    question.check("4")
    assert "You predicted: 4" in question.show("It is 4.", truth=4).page()


def test_an_answer_is_not_lost_when_its_cell_runs_again(question, lesson):
    question.show("It is 4.", truth=4)
    again = Exercise("2 + 2?", Number(value=4), ["Count."], "Because.").ask()
    again.check("3")
    assert "You predicted: 3" in again.show("It is 4.", truth=4).page()


def test_another_truth_is_refused(question):
    with pytest.raises(ValueError, match="computed 5, but the exercise expects 4"):
        question.show("It is 5.", truth=5)


def test_a_question_that_is_asked_can_be_waived(question):
    face = ExerciseFace(question)
    names = [getattr(child, "description", "") for child in face.children[1].children]
    assert "show me" in names
    happened = question.show("It is 4.", truth=4)
    face.waive()
    assert "It is 4." in happened.page() and "You predicted" not in happened.page()


def test_what_happened_follows_its_question(question, lesson):
    seen = []
    happened = question.show("It is 4.", truth=4)
    lesson.watchers["2 + 2?"] = lambda: seen.append(happened.page())
    question.check("4")
    question.reset()
    assert "It is 4." in seen[0] and "It is 4." not in seen[-1]
