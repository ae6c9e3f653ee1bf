"""Exercises: right is right, slips are told apart, nothing gives the answer away."""

import html
import importlib
import inspect
import json
import pkgutil

import numpy as np
import pytest

from dpviz import views
from dpviz.views import answers
from dpviz.views.answers import RIGHT, Curve, Number, Numbers, Pick, tolerance
from dpviz.views.exercise import Exercise
from dpviz.views.instrument import ADVICE, VIEW
from dpviz.views.learner import exercises as learner_exercises
from dpviz.views.start import exercises as start_exercises

FOLDERS = [found.name for found in pkgutil.iter_modules(views.__path__) if found.ispkg]
MAKERS = [
    make
    for module in (importlib.import_module(f"dpviz.views.{name}.exercises") for name in FOLDERS)
    for name, make in inspect.getmembers(module, inspect.isfunction)
    if not name.startswith("_") and make.__module__ == module.__name__
]


def give(exercise, text):
    """Put an answer in as the right widget wants it, and check it."""
    curve = isinstance(exercise.answer, Curve)
    exercise.entry.value = tuple(map(float, text.split(","))) if curve else text
    exercise.check()
    return exercise.feedback.value


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_right_is_right_wrong_is_not_and_reset_forgets(make):
    exercise = make()
    assert RIGHT not in give(exercise, exercise.wrong)
    assert RIGHT in give(exercise, exercise.right)
    assert "Your answers so far" in exercise.feedback.value
    exercise.reset()
    assert exercise.feedback.value == ""
    assert "so far" not in give(exercise, exercise.right)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_hints_come_one_by_one_and_do_not_say_the_answer(make):
    exercise = make()
    for i, hint in enumerate(exercise.hints, start=1):
        exercise.hint()
        assert exercise.feedback.value.count("Hint") == i
        if isinstance(exercise.answer, Number):
            assert exercise.right not in hint.split()
    exercise.hint()
    assert exercise.feedback.value.count("Hint") == len(exercise.hints)


def test_there_are_exercises_enough():
    assert len(MAKERS) >= 9


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_every_told_slip_is_wrong(make):
    answer = make().answer
    if isinstance(answer, Number):
        for slip, said in answer.slips.items():
            assert answer.judge(f"{slip:.10g}") == said != RIGHT
            assert answer.right not in said.split()
    if isinstance(answer, Pick):
        assert list(answer.options.values()).count(RIGHT) == 1


@pytest.mark.parametrize("typed", ["", "seven", "1 2", "nan", "1e400"])
def test_what_is_no_number_gets_a_sentence(typed):
    said = Number(value=46).judge(typed)
    assert said != RIGHT
    assert said


@pytest.mark.parametrize("typed", ["46", "46.0", " 46 ", "4.6e1"])
def test_a_number_may_be_written_in_several_ways(typed):
    assert Number(value=46).judge(typed) == RIGHT


def test_whole_numbers_are_exact_and_others_have_their_band():
    assert Number(value=46).judge("46.01") != RIGHT
    band = Number(value=0.569, within=0.002)
    assert band.judge("0.57") == RIGHT
    assert band.judge("0.572") != RIGHT


@pytest.mark.parametrize("typed", ["", "a, b", "1/0", "1, nan", "1, 2"])
def test_several_numbers_are_read_with_care(typed):
    three = Numbers(check=lambda numbers: RIGHT, right="1, 2, 3", wrong="0, 0, 0", count=3)
    assert three.judge(typed).startswith("Please type")
    assert three.judge("1, 1/2, -3") == RIGHT


@pytest.mark.parametrize(
    ("drawn", "word"),
    [
        ((0, 0, 0, 0, 0), "flat"),
        ((0.9, 0.65, 0.4, 0.65, 0.9), "level"),
        ((0, 0.25, 0.5, 0.25, 0), "other way"),
        ((0.5, 0.4, 0.1, 0.2, 0.45), "shape is not"),
    ],
)
def test_a_curve_is_diagnosed_by_its_kind_of_fault(drawn, word):
    answer = learner_exercises.predict_curve().answer
    assert word in answer.judge(drawn)
    assert answer.judge((0.52, 0.25, 0, 0.27, 0.5)) == RIGHT


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("0.5", "One kink"),
        (", ".join(f"{i}/11" for i in range(11)), "exceed"),
        ("0, 0.1, 0.9", "equal"),
        ("0, 2", "between 0 and 1"),
    ],
)
def test_the_attack_on_the_learner_is_run_and_diagnosed(typed, word):
    assert word in learner_exercises.build_worst().answer.judge(typed)


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("60, 60", "1 to 50"),
        ("3, 3", "Within 17 in"),
        ("50, 25", "price"),
        ("2.5, 1", "whole"),
    ],
)
def test_the_averaging_attack_is_run_and_diagnosed(typed, word):
    assert word in start_exercises.ask_often().answer.judge(typed)


def test_a_right_random_answer_fails_once_in_a_million():
    """4.9 standard deviations: a normal mean is further off with probability 9.6e-7."""
    from scipy import stats

    assert 2 * stats.norm.sf(answers.SIGMAS) < 1e-6
    means = np.random.default_rng(0).normal(5, 3, size=(2000, 100)).mean(axis=1)
    assert np.abs(means - 5).max() < tolerance(3, 100)
    assert np.abs(means - 5).max() > tolerance(3, 100) / 3  # and it is not lax


def test_without_a_kernel_the_question_can_still_be_read():
    exercise = Exercise("<b>How many?</b>", Number(value=1), ["Count < 2."], "One.")
    (words, _), (live, _) = exercise.outputs()
    page = words["text/html"]
    assert "How many?" in page
    assert "Count &lt; 2." in page
    assert "<summary>Solution</summary>One." in page
    assert html.escape(ADVICE) in page
    assert "<ul>" not in page
    assert VIEW in live
    assert VIEW not in words
    json.dumps(words)


def test_without_a_kernel_the_choices_can_still_be_read():
    words = Pick(options={"one & all": RIGHT, "none": "Not this one."})
    page = Exercise("Who?", words, [], "All.").outputs()[0][0]["text/html"]
    assert "<ul><li>one &amp; all</li><li>none</li></ul>" in page
    assert "Not this one" not in page
