"""The page "what you have done": all lessons, marks, one file to download, erased when asked."""

import base64
import re

import pytest

from dpviz.exercises import predictions
from dpviz.exercises.done import Done, DoneFace, kept
from dpviz.exercises.record import FILE, LESSONS, Record, unpacked
from dpviz.lessons.learner import exercises as learner
from dpviz.lessons.start import exercises
from dpviz.words import say


@pytest.fixture
def record(tmp_path, monkeypatch):
    monkeypatch.setattr(predictions, "_LESSON", predictions.Kept())
    return Record(tmp_path / FILE)


def answer(record, exercise, *given):
    exercise.record = record
    for each in given:
        exercise.check(each)
    if not given:
        exercise.waive()


@pytest.fixture
def face(record):
    """Two lessons were begun."""
    answer(record, learner.wider_box(), learner.wider_box().right)
    answer(record, exercises.half_the_noise(), "<b>", "0.25", "2", "1")
    answer(record, exercises.predict_recovered().hold("So."), "about 12")
    answer(record, exercises.predict_average().hold("So."))
    return DoneFace(Done(record))


def test_each_lesson_has_its_table_in_order(face):
    rows = dict(face.done.rows())
    assert list(rows) == ["00 start", "02 learner"]
    assert [cells[1:] for cells in rows["00 start"]] == [
        ("0.25", "3", "in the end", ""),
        ("about 12", "1", "not yet", ""),
        ("(shown without an answer)", "0", "not yet", ""),
    ]
    assert rows["02 learner"][0][2:] == ("1", "at once", "")
    page = face.page.value
    assert "00 start: 1 of 3 right" in page and "02 learner: 1 of 1 right" in page
    assert page.index("00 start") < page.index("02 learner")


def test_the_folders_are_those_of_the_lessons():
    from dpviz import lab, lesson

    assert [path.stem.partition("_")[2] for path in lesson.paths(lab.LESSONS)] == list(LESSONS)


def test_an_answer_in_this_kernel_appears(face, record):
    assert "rounded" not in face.page.value
    answer(record, exercises.rounded_twice(), "0.2845")
    assert "0.2845" in face.page.value and "1 of 4 right" in face.page.value


def test_a_question_is_marked(face, record):
    assert face.question.value == next(iter(record.entries()))  # the first until one is chosen
    face.question.value, face.mark.value = "start.half_the_noise", "to do again"
    face.put.click()
    assert record.entries()["start.half_the_noise"]["mark"] == "to do again"
    assert "<td>to do again</td>" in face.page.value
    assert face.question.value == "start.half_the_noise"


def test_what_was_erased_in_another_lesson_is_not_marked(face, record):
    Record(record.path).erase()
    face.put.click()
    assert not record.path.exists() and say("done.nothing") in face.page.value and face.put.disabled


def test_the_file_is_the_one_beside_the_lessons(face, record):
    link = re.search(r'href="data:application/json;base64,(\S+)" download="(.+?)"', face.link.value)
    assert link[2] == FILE
    text = base64.b64decode(link[1]).decode()
    assert text == record.path.read_text("utf-8") and unpacked(text) == record.entries()


def test_erasing_is_asked_twice(face, record):
    face.erase.click()
    assert face.erase.description == say("done.sure") and record.path.exists()
    answer(record, exercises.rounded_twice(), "0.2845")
    face.erase.click()  # somebody answered meanwhile: asked anew
    assert face.erase.description == say("done.sure") and record.path.exists()
    face.erase.click()
    assert not record.path.exists() and say("done.nothing") in face.page.value
    assert face.erase.disabled and face.put.disabled and face.erase.description == "erase all"


def test_what_a_notebook_stores_says_no_answer(face, record):
    words, live = face.outputs()
    stored = words["text/html"] + words["text/plain"] + live["text/html"]
    assert kept() in stored and "about 12" not in stored
    record.erase()
    assert DoneFace(Done(record)).outputs()[0] == words


def test_a_file_that_cannot_be_read_is_said_on_the_page(record):
    record.path.write_text("{")
    face = DoneFace(Done(record))
    assert (
        "is damaged, or no file of answers" in face.page.value
        and say("done.nothing") in face.page.value
    )
    assert record.path.read_text() == "{"


def test_a_question_is_text_and_not_a_part_of_the_page(record):
    exercise = exercises.half_the_noise()
    exercise.question = "<b>Is</b> 1 &lt;script&gt; 2?"
    answer(record, exercise, "0.25")
    assert "1 &lt;script&gt; 2?" in DoneFace(Done(record)).page.value


def test_who_left_follows_no_longer(face, record):
    face.leave()
    assert record.watchers == []
