"""Exercises: right is right, slips are told apart, nothing gives the answer away."""

import html
import importlib
import inspect
import json
import math
import os
import pkgutil
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from coloraide import Color
from hypothesis import given
from hypothesis import strategies as st
from ipywidgets.widgets.widget import _instances

from dpviz import lessons
from dpviz.exercises import answers, faces
from dpviz.exercises.answers import (
    RIGHT,
    Curve,
    Number,
    Numbers,
    Pick,
    readings,
    several,
    single,
    tolerance,
)
from dpviz.exercises.exercise import Exercise
from dpviz.exercises.faces import ExerciseFace
from dpviz.instruments.instrument import VIEW
from dpviz.lessons.learner import exercises as learner_exercises
from dpviz.lessons.start import exercises as start_exercises
from dpviz.words import say

FOLDERS = [found.name for found in pkgutil.iter_modules(lessons.__path__) if found.ispkg]
MAKERS = [
    make
    for module in (importlib.import_module(f"dpviz.lessons.{name}.exercises") for name in FOLDERS)
    for name, make in inspect.getmembers(module, inspect.isfunction)
    if not name.startswith("_") and make.__module__ == module.__name__
]
CODED = [make for make in MAKERS if inspect.signature(make).parameters]  # test_program.py
MAKERS = [make for make in MAKERS if make not in CODED]


def give(face, text):
    """Put an answer in as the right widget wants it, and check it."""
    curve = isinstance(face.exercise.answer, Curve)
    face.entry.value = tuple(map(float, text.split(","))) if curve else text
    face.check()
    return face.feedback.value


def test_what_is_no_answer_is_not_listed_among_them():
    face = ExerciseFace(start_exercises.half_the_noise())
    assert give(face, "") and "so far" not in give(face, "0.25")
    assert "cannot be read" in give(face, "abc")
    assert "so far: 0.25; 1" in give(face, "1")


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_right_is_right_wrong_is_not_and_reset_forgets(make):
    face = ExerciseFace(make())
    assert RIGHT not in give(face, face.exercise.wrong)
    assert RIGHT in give(face, face.exercise.right)
    assert "Your answers so far" in face.feedback.value
    give(face, face.exercise.right)
    assert len(face.exercise.tries) == 2  # the same one twice is one
    blank, widgets = ExerciseFace(make()).entry.value, set(_instances)
    face.reset()
    assert face.feedback.value == "" and face.entry.value == blank
    assert set(_instances) == widgets  # none is made that the page would keep for ever
    assert "so far" not in give(face, face.exercise.right)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_hints_come_one_by_one_and_do_not_say_the_answer(make):
    exercise = make()
    for i, hint in enumerate(exercise.hints, start=1):
        assert len(exercise.hint().lines) == i
        if isinstance(exercise.answer, Number):
            assert exercise.right not in hint.split()
    assert len(exercise.hint().lines) == len(exercise.hints)


def test_enter_checks_a_typed_answer():
    face = ExerciseFace(Exercise("2 + 2?", Number(value=4), ["Count."], "4"))
    face.entry.value = "4"
    face.entry._handle_custom_msg({"event": "something else"}, [])
    assert face.feedback.value == ""
    face.entry._handle_custom_msg({"event": "submit"}, [])
    assert RIGHT in face.feedback.value


def test_a_bar_stands_beside_the_verdict_of_a_right_answer_alone():
    face = ExerciseFace(Exercise("2 + 2?", Number(value=4), ["Count."], "4"))
    for typed, right in (("5", False), ("4", True)):
        face.entry.value = typed
        face.check()
        assert ("solid transparent" in face.feedback.value.partition("</p>")[0]) is not right


def test_there_are_exercises_enough():
    assert len(MAKERS) >= 9
    assert {make.__module__.split(".")[2] for make in CODED} == set(FOLDERS)  # each lesson has one


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_every_told_slip_is_wrong(make):
    answer = make().answer
    if isinstance(answer, Number):
        for slip, said in answer.slips.items():
            assert answer.judge(f"{slip:.10g}") == said != RIGHT
            assert answer.right not in said.split()
    if isinstance(answer, Pick):
        assert list(answer.options.values()).count(RIGHT) == 1


NONSENSE = [
    "",
    "  ",
    "seven",
    "1 2",
    "nan",
    "inf",
    "1e400",
    "1e",
    "1/0",
    "0x1f",
    "1_0",
    "--1",
    "%",
    "½½",
]
NONSENSE += [
    "9" * 5000,
    "1,2,3",
    "2^^3",
    "10^99999",
    "<b>3</b>",
    "1.2.3",
    "½/0",
    "٣٣",
    "🙂",
    "/",
    "x",
]


@pytest.mark.parametrize("typed", NONSENSE)
def test_what_is_no_number_gets_a_sentence(typed):
    said = Number(value=46).judge(typed)
    assert said.startswith("Please type")
    assert len(said) < 150


WRITTEN = [
    "46",
    "46.0",
    " 46 ",
    "4.6e1",
    "46,0",
    "4,6e1",
    "4.6·10¹",
    "4600 %",
    "92/2",
    "= 46",
    "+46.",
]


@pytest.mark.parametrize("typed", WRITTEN)
def test_a_number_may_be_written_in_several_ways(typed):
    assert Number(value=46).judge(typed) == RIGHT


def test_whole_numbers_are_exact_and_others_have_their_band():
    assert Number(value=46).judge("46.01") != RIGHT
    band = Number(value=0.569, within=0.002)
    assert band.judge("0.57") == RIGHT
    assert band.judge("0.572") != RIGHT


@pytest.mark.parametrize("typed", ["", "a, b", "1/0", "1, nan", "1, 2", "💥" * 5000, "[[]]", ",;,"])
def test_several_numbers_are_read_with_care(typed):
    three = Numbers(check=lambda numbers: RIGHT, right="1, 2, 3", wrong="0, 0, 0", count=3)
    assert three.judge(typed).startswith("Please type")
    assert three.judge("1, 1/2, -3") == RIGHT


def test_the_truth_is_drawn_over_a_curve_once_it_was_answered_and_not_before():
    face = faces.ExerciseFace(learner_exercises.predict_curve())
    picture = face.entry.screen.picture
    assert "truth" not in picture.value
    face.entry.value = (0.5, 0.4, 0.3, 0.4, 0.5)
    face.check()
    assert "truth" in picture.value and "off by at most 0.3" in face.entry.screen.sentence.value
    face.reset()
    assert "truth" not in picture.value and face.entry.value == (0.5,) * 5
    face.leave()


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
    words, live = ExerciseFace(exercise).outputs()
    page = words["text/html"]
    assert "How many?" in page
    assert "Count &lt; 2." in page
    assert "<summary>Solution</summary>One." in page
    assert html.escape(say("instrument.advice")) in page
    assert "<ul>" not in page
    assert VIEW in live
    assert VIEW not in words
    json.dumps(words)


def test_without_a_kernel_the_choices_can_still_be_read():
    words = Pick(options={"one & all": RIGHT, "none": "Not this one."})
    face = ExerciseFace(Exercise("Who?", words, [], "All."))
    page = face.outputs()[0]["text/html"]
    assert "<ul><li>one &amp; all</li><li>none</li></ul>" in page
    assert "Not this one" not in page


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1/2", 0.5),
        ("½", 0.5),
        ("1½", 1.5),
        ("0,5", 0.5),
        (",5", 0.5),
        ("0,138", 0.138),
        ("2e-3", 0.002),
        ("2,5E-3", 0.0025),
        ("2 × 10^-3", 0.002),
        ("10⁻³", 0.001),
        ("2**-10", 2**-10),
        ("50 %", 0.5),
        ("1/2 %", 0.005),
        ("12 000", 12_000),
        ("1\u202f234\u202f567,5", 1_234_567.5),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1,234,567", 1_234_567),
        ("−3", -3),
        ("≈ 0.25", 0.25),
    ],
)
def test_a_number_is_read_as_a_person_means_it(typed, value):
    (number,) = readings(typed)
    assert number == pytest.approx(value, rel=1e-12)  # products and quotients round


@pytest.mark.parametrize("typed", ["1,138", "999,000", "-1,138", "1,138 %", "1,138/2", "2·1,138"])
def test_what_two_people_mean_differently_is_asked_back(typed):
    """Also where one of the two readings would be right."""
    for value in (1138, 1.138, *readings(typed)):
        said = Number(value=value).judge(typed)
        assert said.startswith("Do you mean") and said.endswith("without the comma.")


@given(st.decimals(-(10**6), 10**6, places=5), st.sampled_from("pce%t"))
def test_however_a_number_is_written_it_is_never_read_as_another(value, way):
    """Point, comma, power of ten, per cent, grouped thousands: the number, or a question."""
    grouped = f"{value:,}"
    written = {
        "p": str(value),
        "c": str(value).replace(".", ","),
        "e": f"{value:.12e}",
        "%": f"{100 * value} %",
        "t": grouped.translate(str.maketrans(",.", ".,")),
    }
    for text in (written[way], grouped, grouped.replace(",", " ")):
        found = readings(text)
        near = [number for number in found if math.isclose(number, value, rel_tol=1e-12)]
        assert near and (len(found) == 1 or isinstance(single(text), str))


@given(st.text(max_size=40))
def test_any_text_gets_a_sentence_or_is_one_number(text):
    found = single(text)
    assert isinstance(found, str) or (len(found) == 1 and math.isfinite(found[0]))
    many = several(text)
    assert isinstance(many, str) or (many and all(map(math.isfinite, many)))


@given(st.lists(st.decimals(-999, 999, places=2), min_size=1, max_size=6))
def test_a_list_is_never_read_as_another(values):
    """Three ways to separate, two decimal signs: the list, or a question."""
    numbers = tuple(map(float, values))
    for sign in ".,":
        words = [str(value).replace(".", sign) for value in values]
        for between in (", ", "; ", " ", ","):
            found = several(between.join(words), len(values))
            assert found == numbers or isinstance(found, str)
    assert several(", ".join(map(str, values))) == numbers
    assert several("; ".join(map(str, values)), len(values)) == numbers


def test_a_list_that_two_people_mean_differently_is_asked_back():
    assert several("3,4") == "Do you mean 3; 4 or 3.4? Please put a semicolon between numbers."
    assert several("3,4", 2) == (3, 4)
    assert several("3,4", 1) == (3.4,)
    assert several("1, 2, 3", 2) == "Please type 2 numbers, not 3."


THEMES = files("jupyterlab") / "themes" / "@jupyterlab"


def theme(name):
    """The colours that a theme of JupyterLab gives to its names, references followed."""
    text = (THEMES / f"theme-{name}-extension" / "index.css").read_text(encoding="utf-8")
    found = dict(re.findall(r"(--[\w-]+):\s*([^;]+);", text))
    follow = re.compile(r"^var\((--[\w-]+)\)$")

    def colour(key):
        value = found[key].strip()
        while at := follow.match(value):
            value = found[at[1]].strip()
        return Color(value)

    return colour


def contrast(ink, ground):
    """WCAG 2.1, an ink that is not opaque laid over its ground."""
    return Color.layer([ink, ground]).contrast(ground, method="wcag21")


@pytest.mark.parametrize("name", ["light", "dark"])
def test_what_is_said_can_be_read_in_both_themes(name):
    colour = theme(name)
    told = ExerciseFace(Exercise("2 + 2?", Number(value=4), ["Count."], "4"))
    said = give(told, "5") + give(told, "4")
    inks = set(re.findall(r"(?<![-\w])color:([^;\"]+)", said))
    assert inks == {faces.INK} and "#" not in said.replace("&#x27;", "")
    key = re.match(r"var\((--[\w-]+), currentColor\)", faces.INK)[1]
    assert contrast(colour(key), colour("--jp-layout-color0")) >= 4.5  # WCAG 2.1, level AA


def test_the_contrast_test_sees_the_old_ink():
    """Ink on the dark theme's ground: 1.08."""
    assert contrast(Color("#1a1a1a"), theme("dark")("--jp-layout-color0")) < 1.2


# A face of plain text, in an interpreter that has neither ipywidgets nor IPython.
TEXT_FACE = """
import sys
sys.modules["ipywidgets"] = sys.modules["IPython"] = None  # whoever imports them fails
from dpviz.exercises.answers import Curve, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise

def ask(exercise, typed):
    while typed:
        word = typed.pop(0)
        reply = exercise.hint() if word == "?" else exercise.check(word)
        print(*reply.lines, sep=" | ")

ask(Exercise("2 + 2?", Number(value=4), ["Count.", "On four fingers."], "4"),
    ["5", "?", "?", "8/2"])
ask(Exercise("Who?", Pick(options={"all": "Yes.", "none": "No."}), [], "All."), ["none", "all"])
ask(Exercise("Where?", Numbers(check=lambda x: "Yes." if x.sum() == 1 else "Not 1.", right="½ ½",
    wrong="1 1"), [], ""), ["0,5; 0,5"])
ask(Exercise("Draw.", Curve(places=[0, 1], heights=[0, 1], within=0.1, low=0, high=1), [], ""),
    [(0, 1)])
assert not [name for name in sys.modules if name.startswith("matplotlib")]
"""


def test_the_logic_of_an_exercise_needs_no_widget():
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", TEXT_FACE]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "Not this one. Which relation did you use, and what did you put in?",
        "Hint 1. Count.",
        "Hint 1. Count. | Hint 2. On four fingers.",
        "Yes. | Your answers so far: 5; 8/2",
        "No.",
        "Yes. | Your answers so far: none; all",
        "Yes.",
        "Yes.",
    ]
