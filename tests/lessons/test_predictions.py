"""A prediction holds back what happened until it was answered or waived; all are kept."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpviz.drawing import style
from dpviz.exercises import predictions
from dpviz.exercises.answers import RIGHT, Curve, Number, Numbers, Pick, written
from dpviz.exercises.exercise import Exercise
from dpviz.exercises.faces import ExerciseFace

ANSWERS = [
    (Number(value=4, slips={5: "One too many?"}), "5", ["", "four", "1,138"]),
    (Pick(options={"all & more": RIGHT, "none": "Who?"}), "none", ["", "choose ..."]),
    (Numbers(check=lambda x: RIGHT if x.sum() == 1 else "No.", right="0, 1", wrong="1, 1", count=2),
     "1, 1", ["", "1", "a, b"]),
    (Curve(places=[0, 1], heights=[0, 1], within=0.1, low=0, high=1), (1, 1), []),
]  # fmt: skip


@pytest.fixture(autouse=True)
def lesson(monkeypatch):
    """A lesson in which nothing was predicted yet."""
    monkeypatch.setattr(predictions, "_LESSON", kept := predictions.Kept())
    return kept


def held(answer, *shown, question="How many?"):
    return Exercise(question, answer, ["Look."], "Because.").hold(*(shown or ("It is so.",)))


@pytest.mark.parametrize(("answer", "given", "nonsense"), ANSWERS)
def test_nothing_is_seen_before_an_answer_or_a_waiver(answer, given, nonsense):
    exercise = held(answer)
    face = ExerciseFace(exercise)
    assert face.solution.value == ""
    face.hint()
    for typed in nonsense:
        face._say(exercise.check(typed))
        assert face.solution.value == ""
    face._say(exercise.check(given))
    for said in ("It is so.", "Because.", f"You predicted: {written(given)}."):
        assert said in face.solution.value
    assert not exercise.met
    face.reset()
    assert face.solution.value == ""
    face.waive()
    assert "It is so." in face.solution.value and "You predicted" not in face.solution.value


def test_only_a_prediction_can_be_waived():
    asked = ExerciseFace(held(Number(value=4)))
    plain = ExerciseFace(Exercise("2 + 2?", Number(value=4), [], "4"))
    names = [[each.description for each in face.children[1].children] for face in (asked, plain)]
    assert names[0][1:] == ["check", "show me", "hint", "reset"]
    assert names[1][1:] == ["check", "hint", "reset"]
    assert "<summary>Solution" in plain.solution.value


def test_a_page_without_a_kernel_folds_what_happened():
    figure = style.figure("A line", alt="A picture; x is time < 3.", mode="notebook")[0]
    rows = [("n", "error"), (10, "<b>")]
    exercise = held(ANSWERS[1][0], "1 < 2\nand more", rows, figure)
    page = ExerciseFace(exercise).outputs()[0]["text/html"]
    before, _, folded = page.partition('<details class="dpviz-held">')
    assert "<li>all &amp; more</li>" in before and "Who?" not in page
    folded, _, after = folded.partition("</p></details>")
    for part in ("1 &lt; 2\nand more", "<td>&lt;b&gt;</td>", 'alt="A picture; x is time &lt; 3."'):
        assert part in folded and part not in before + after
    assert "Because." in page.partition('<details class="dpviz-held">')[2]
    assert not re.search(r"<details[^>]* open", page)


def test_what_has_no_page_is_refused():
    with pytest.raises(TypeError, match="a float has no HTML form"):
        held(Number(value=4), 4.0)


@pytest.mark.parametrize(
    ("answer", "truth", "other"),
    [
        (Number(value=4, within=0.1), 4.05, 4.2),
        (ANSWERS[1][0], "all & more", "none"),
        (ANSWERS[2][0], (0.25, 0.75), (0, 2)),
    ],
)
def test_what_the_cell_computed_must_be_what_is_taken_as_right(answer, truth, other):
    exercise = Exercise("How many?", answer, [], "So.")
    assert exercise.hold("It is so.", truth=truth) is exercise
    with pytest.raises(ValueError, match="the exercise expects"):
        exercise.hold("It is so.", truth=other)


def test_all_are_shown_beside_what_happened(lesson):
    assert "Nothing was predicted yet" in lesson.page() and "0 in all" in lesson.page()
    first = held(Number(value=4), question="<b>2 + 2?</b>")
    second = held(ANSWERS[1][0], question="Who?")
    third = held(Number(value=1), question="1?")
    assert predictions.review() is lesson
    assert "Nothing was predicted yet" in lesson.page() and "3 in all" in lesson.page()
    calls = []
    lesson.watchers["test"] = lambda: calls.append(lesson.page())
    first.check("x")
    assert calls == []
    first.check("4")
    first.check("5")  # the first one counts
    second.waive()
    assert lesson.rows() == [("<b>2 + 2?</b>", "4", "4"), ("Who?", "(waived)", "all & more")]
    assert "<td>all &amp; more</td>" in lesson.page()
    assert "1 of 2 as predicted; 1 not yet" in lesson.page() and "1?" not in lesson.page()
    third.check("2")
    third.reset()
    assert len(calls) == 4 and "Nothing" not in calls[-1]


def test_what_was_predicted_outlives_its_cell_and_ends_with_a_reset(lesson):
    held(Number(value=4)).check("5")
    again = held(Number(value=4), "Now drawn anew.")
    assert "You predicted: 5. What happened:</p><pre" in again.below
    assert "Now drawn anew." in again.below and len(lesson.rows()) == 1
    again.reset()
    assert held(Number(value=4)).below == "" and lesson.rows() == []


def test_the_review_follows_on_its_page(lesson, monkeypatch):
    from IPython import display

    shown = []

    class Place:
        def __init__(self, page):
            shown.append(page.data)

        def update(self, page):
            shown.append(page.data)

    monkeypatch.setattr(display, "display", lambda page, display_id: Place(page))
    exercise = held(Number(value=4))
    lesson._ipython_display_()
    exercise.check("4")
    assert ["Nothing" in page for page in shown] == [True, False]


TEXT_FACE = """
import sys
sys.modules["ipywidgets"] = sys.modules["IPython"] = sys.modules["matplotlib"] = None
from dpviz.exercises import predictions
from dpviz.exercises.answers import Number
from dpviz.exercises.exercise import Exercise
one = Exercise("2 + 2?", Number(value=4), ["Count."], "4").hold("It is 4.", truth=4)
print(one.below or "nothing")
print(*one.check("5").lines, "It is 4." in one.below, predictions.review().rows())
"""


def test_the_logic_of_a_prediction_needs_no_widget():
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", TEXT_FACE]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == "nothing"
    assert second.endswith("True [('2 + 2?', '5', '4')]")
