"""What was answered is kept in one small file: whole, apart from runs, with nothing personal."""

import errno
import json
import os
from pathlib import Path

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbclient import NotebookClient

from dpviz.exercises import predictions
from dpviz.exercises import record as kept
from dpviz.exercises.answers import RIGHT, Number
from dpviz.exercises.exercise import Exercise
from dpviz.exercises.program import Coding
from dpviz.exercises.record import FILE, MARKS, Record, packed, unpacked
from dpviz.lessons.start import exercises
from dpviz.words import say


@pytest.fixture(autouse=True)
def lesson(monkeypatch):
    """A lesson in which nothing was predicted yet."""
    monkeypatch.setattr(predictions, "_LESSON", predictions.Kept())


@pytest.fixture
def record(tmp_path):
    return Record(tmp_path / FILE)


def asked(record, name="start.half_the_noise", held=False):
    """An exercise whose answers are kept."""
    exercise = Exercise("<b>2 + 2</b> &lt; x?", Number(value=4, slips={5: "One too many?"}), [], "")
    if held:
        exercise.hold("It is 4.")
    exercise.name, exercise.record = name, record
    return exercise


def test_answers_are_kept_with_what_was_said_and_the_same_one_twice_is_one(record):
    one = asked(record, held=True)
    for typed in ("", "four", "5", "5", "3", "4"):
        one.check(typed)
    again = Record(record.path).entries()  # as the next kernel finds it
    assert again == {
        "start.half_the_noise": {
            "question": "2 + 2 < x?",
            "prediction": True,
            "tries": [["5", "One too many?"], ["3", say(one.answer.otherwise)], ["4", RIGHT]],
            "waived": False,
            "mark": "",
        }
    }
    assert again == unpacked(record.path.read_text("utf-8"))


def test_a_waiver_is_kept_but_not_after_an_answer(record):
    asked(record, "start.ask_often", held=True).waive()
    late = asked(record, held=True)
    late.check("5")
    late.waive()
    assert {name: one["waived"] for name, one in record.entries().items()} == {
        "start.ask_often": True,
        "start.half_the_noise": False,
    }


def test_two_lessons_write_one_file_and_lose_nothing_of_each_other(record):
    other = Record(record.path)
    asked(record, "start.ask_often").check("5")
    asked(other, "learner.wider_box").check("4")
    asked(record, "start.half_the_noise").check("3")
    assert set(other.entries()) == {"start.ask_often", "learner.wider_box", "start.half_the_noise"}


def test_marks_and_erasing(record):
    calls = []
    record.watchers.append(lambda: calls.append(1))
    asked(record).check("5")
    record.mark("start.half_the_noise", "to do again")
    assert record.entries()["start.half_the_noise"]["mark"] == "to do again"
    for name, mark in (("start.half_the_noise", "splendid"), ("start.unknown", "done")):
        with pytest.raises(ValueError, match="was not answered"):
            record.mark(name, mark)
    record.erase()
    assert record.entries() == {} and not record.path.exists() and len(calls) == 3
    record.erase()
    assert record.problem == ""


def test_what_has_no_name_is_not_kept(record):
    asked(record, name="").check("4")
    assert not record.path.exists()


def test_every_maker_names_what_it_makes():
    assert exercises.half_the_noise().name == "start.half_the_noise"
    assert exercises.write_recovery(len).name == "start.write_recovery"


def test_nothing_personal_is_kept(record, tmp_path, monkeypatch):
    """No time, no place, no name; of an error in a reader's function its kind alone."""
    secret = tmp_path / "anna" / "mine.txt"

    def reads_a_file(monday, tuesday, n, blank):
        return secret.read_text()

    monkeypatch.setattr("dpviz.exercises.program.here", lambda: record)
    monkeypatch.setattr("dpviz.exercises.exercise.here", lambda: record)
    monkeypatch.setattr(Exercise, "_ipython_display_", lambda self, **more: None)
    coded = exercises.write_recovery(reads_a_file)
    assert "anna" in coded.said.lines[0]
    coded._ipython_display_()
    asked(record).check("5")
    text = record.path.read_text("utf-8")
    assert "It raised FileNotFoundError" in text and "anna" not in text
    told = json.loads(text)
    assert set(told) == {"dpviz answers", "entries"}
    assert all(
        set(entry) == {"question", "prediction", "tries", "waived", "mark"}
        for entry in told["entries"].values()
    )


def test_a_stub_is_no_answer_and_a_function_is_one(record, monkeypatch):
    monkeypatch.setattr("dpviz.exercises.program.here", lambda: record)
    monkeypatch.setattr(Exercise, "_ipython_display_", lambda self, **more: None)
    stub = exercises.write_recovery(lambda monday, tuesday, n, blank: ...)
    stub._ipython_display_()
    assert isinstance(stub, Coding) and not record.path.exists()
    exercises.write_recovery(stub.answer.solution)._ipython_display_()
    assert record.entries()["start.write_recovery"]["tries"] == [["a function", RIGHT]]


BAD = {
    "no JSON": ("{", "damaged"),
    "no object": ("[1]", "no file of answers"),
    "another file": ('{"cells": []}', "no file of answers"),
    "too large": (" " * (kept.LARGEST + 1), "damaged"),
    "too deep": ("[" * 100_000, "no file of answers"),
    "another version": ('{"dpviz answers": 2, "new": []}', "another version"),
    "no entries": ('{"dpviz answers": 1}', "something else"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_read_is_put_aside_whole_and_the_lesson_goes_on(name, record):
    text, why = BAD[name]
    with pytest.raises(ValueError, match=why):
        unpacked(text)
    record.path.write_text(text)
    assert record.entries() == {} and why in record.problem
    assert record.path.read_text() == text  # looking changes nothing
    reply = asked(record).check("5")
    assert reply.lines[0] == "One too many?" and "a new one was begun" in reply.lines[-1]
    aside = record.path.with_name("dpviz-answers-unread-1.json")
    assert aside.read_text() == text and why in reply.lines[-1] and aside.name in reply.lines[-1]
    assert record.entries()["start.half_the_noise"]["tries"] == [["5", "One too many?"]]
    assert record.path.name not in asked(record).check("4").lines[-1]  # said once
    record.path.write_bytes(b"\xff")
    asked(record).check("5")
    assert record.path.with_name("dpviz-answers-unread-2.json").read_bytes() == b"\xff"


WRONG_SHAPES = [
    {"a": 1},
    {"a": {}},
    {"a": {**kept.blank("?", False), "tries": [["5"]]}},
    {"a": {**kept.blank("?", False), "tries": [[5, "No."]]}},
    {"a": {**kept.blank("?", False), "mark": "splendid"}},
    {"a": {**kept.blank("?", False), "waived": "yes"}},
    {"a": {**kept.blank("?", False), "more": ""}},
]


@pytest.mark.parametrize("entries", WRONG_SHAPES)
def test_entries_of_another_shape_are_refused(entries):
    with pytest.raises(ValueError, match="something else than answers"):
        unpacked(packed(entries))


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_what_cannot_be_written_is_said_and_comes_as_soon_as_it_can(number, record, monkeypatch):
    asked(record).check("5")
    before = record.path.read_bytes()
    with monkeypatch.context() as broken:

        def fail(self, *data):
            raise OSError(number, os.strerror(number), str(self))

        broken.setattr(Path, "replace", fail)
        reply = asked(record, "start.ask_often").check("4")
        assert reply.right and os.strerror(number) in reply.lines[-1]
        assert "the lesson goes on" in reply.lines[-1] and str(record.path) not in reply.lines[-1]
        assert record.path.read_bytes() == before and len(list(record.path.parent.iterdir())) == 1
        assert len(record.entries()) == 2  # still shown
    assert len(asked(record, "start.rounded_twice").check("3").lines) == 1 and not record.problem
    assert len(Record(record.path).entries()) == 3


def test_a_file_that_may_not_go_is_said(record, monkeypatch):
    asked(record).check("5")

    def fail(self, missing_ok=False):
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "unlink", fail)
    record.erase()
    assert "could not be erased (Permission denied)" in record.problem


TEXTS = st.text(max_size=20)
ENTRIES = st.dictionaries(
    TEXTS,
    st.fixed_dictionaries(
        {
            "question": TEXTS,
            "prediction": st.booleans(),
            "tries": st.lists(st.lists(TEXTS, min_size=2, max_size=2), max_size=3),
            "waived": st.booleans(),
            "mark": st.sampled_from(MARKS),
        }
    ),
    max_size=3,
)


@given(ENTRIES)
def test_whatever_was_answered_is_read_as_it_was_written(entries):
    assert unpacked(packed(entries)) == entries


@given(typed=TEXTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_typed_can_be_kept(typed, record):
    record.tried(asked(record), typed, "No.")
    assert record.problem == "" and len(record.entries()) == 1


def test_long_answers_and_many_are_cut(record):
    one = asked(record)
    for i in range(kept.MOST + 5):
        record.tried(one, f"{i} " + "9" * 1000, "No.")
    (entry,) = record.entries().values()
    assert len(entry["tries"]) == kept.MOST and entry["tries"][-1][0].startswith("104 ")
    assert max(len(given) for given, _ in entry["tries"]) == kept.LONGEST


RUN = [
    "from IPython.display import display\nfrom dpviz.exercises import done\n"
    "from dpviz.lessons.start import exercises",
    "asked = exercises.half_the_noise()\ndisplay(asked)",
    "def recovered(monday, tuesday, n, blank):\n    return ...\n\n\n"
    "exercises.write_recovery(recovered)",
    "done.Done()",
    "import os\nprint(sorted(os.listdir()))",
    "asked.check('0.25')\nprint(sorted(os.listdir()))",
]


def run(folder):
    """What each cell puts out in a kernel of its own, started in a folder."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in RUN])
    NotebookClient(book, resources={"metadata": {"path": str(folder)}}).execute()
    said = [cell.outputs[0].text.strip() for cell in book.cells[-2:]]
    stored = [[out.data for out in cell.outputs] for cell in book.cells[:-2]]
    text = json.dumps(stored)
    for each in {data["model_id"] for cell in stored for out in cell for data in views(out)}:
        text = text.replace(each, "")
    return said, text


def views(out):
    return [data for kind, data in out.items() if "widget-view" in kind]


def test_a_run_writes_nothing_before_somebody_answers_and_depends_on_no_answers(tmp_path):
    (before, after), first = run(tmp_path)
    assert (before, after) == ("[]", f"['{FILE}']")
    (before, _), second = run(tmp_path)
    assert before == f"['{FILE}']" and first == second
