"""Lessons for students: answers are gone, every exercise is checked both ways, no edit is lost."""

import html
import importlib
import inspect
import json
import re
from functools import cache

import pytest
import small_lesson

from dpviz import __main__ as command
from dpviz import lab, lesson
from dpviz.exercises import exercise as exercises_of
from dpviz.exercises.answers import RIGHT, Curve, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise
from dpviz.exercises.faces import ExerciseFace
from dpviz.exercises.formulas import Formula, Order, Parts
from dpviz.exercises.program import NOTHING, Program
from dpviz.student import SWITCH, stripped, stub, without
from dpviz.words import say

PATHS = lesson.paths(lab.LESSONS)
BOOKS = {path.stem: json.loads(stripped(path.read_bytes())) for path in PATHS}
ASKED = r"exercises\.([a-z]\w+)\("


def source(cell):
    return "".join(cell["source"])


def code(name):
    return "\n".join(source(cell) for cell in BOOKS[name]["cells"] if cell["cell_type"] == "code")


def makers():
    """Lesson, maker and cell of every exercise, as the copies for students ask them."""
    for name, book in BOOKS.items():
        asks = r"^from (dpviz\.lessons\.\w+) import [\w\s(,]*\bexercises\b"
        module = re.search(asks, code(name), re.M)[1]
        module = importlib.import_module(f"{module}.exercises")
        for cell in book["cells"]:
            for asked in re.findall(ASKED, source(cell)):
                yield pytest.param(module, asked, source(cell), id=f"{name}-{asked}")


ALL = list(makers())


@pytest.fixture
def student(monkeypatch):
    """What the first cell of a copy does."""
    monkeypatch.setattr(Exercise, "solutions", True)  # put back after the test
    exercises_of.hide_solutions()


def test_every_exercise_of_the_package_is_asked():
    asked = {(param.values[0].__name__, param.values[1]) for param in ALL}
    modules = {param.values[0] for param in ALL}
    made = {
        (module.__name__, name)
        for module in modules
        for name, made in inspect.getmembers(module, inspect.isfunction)
        if made.__module__ == module.__name__ and not name.startswith("_")
    }
    assert asked == made and len(asked) == len(ALL) and len(modules) == len(PATHS)


def untouched(answer):
    """What is said to an exercise in which nothing was typed, chosen or dragged."""
    if isinstance(answer, Number):
        return "Please type a number."
    if isinstance(answer, Numbers):
        many = answer.count or "some"
        return f"Please type {many} numbers with commas between them, such as 0, 1/4, 0.5."
    if isinstance(answer, Pick):
        return "Please choose one."
    if isinstance(answer, Formula):
        return answer.judge("")
    if isinstance(answer, Order):
        return f"Please type letters of lines ({letters(answer)}), and ? for the missing line."
    if isinstance(answer, Parts):
        return " ".join(
            f"{name.capitalize()}: {untouched(one)}" for name, one in answer.parts.items()
        )
    assert isinstance(answer, Curve)
    return "A flat line: does the answer not depend on the place?"


def letters(order):
    return " ".join(sorted(line.label for line in order.lines if line.label != "?"))


def wrong(answer):
    """Wrong answers with what is to be said to each; None where any diagnosis will do."""
    if isinstance(answer, Number):
        return [(f"{slip:.10g}", said) for slip, said in answer.slips.items()]
    if isinstance(answer, Pick):
        return [(word, said) for word, said in answer.options.items() if said != RIGHT]
    return [(answer.wrong, None)]


def given(answer, text):
    return tuple(map(float, text.split(","))) if isinstance(answer, Curve) else text


def numbered(name, cell):
    """The function of a cell, after its cell ran without the check."""
    names = {"np": importlib.import_module("numpy")}
    exec(cell, names)
    return names[name]


@pytest.mark.parametrize(("module", "name", "cell"), ALL)
def test_the_solution_passes_and_the_untouched_exercise_fails(module, name, cell, student):
    """Both with the intended words; slips of programs are told in lessons/test_program.py."""
    make = getattr(module, name)
    exercise = make()
    answer = exercise.answer
    if isinstance(answer, Program):
        written = re.match(r"def (\w+)", cell)[1]
        begun = make(numbered(written, cell.partition("exercises.")[0]))
        assert begun.said.lines == (say(NOTHING),) and not begun.said.right
        solved = make(numbered(written, answer.right))
        assert solved.said.lines == (RIGHT,) and solved.said.right
        shown = begun.page() + solved.page() + solved.below
        assert "Solution" not in shown and answer.right not in shown
        return
    face = ExerciseFace(exercise)
    face.check()
    assert exercise.check(face.entry.value).lines[0] == untouched(answer)
    assert not exercise.check(face.entry.value).right
    for text, told in wrong(answer):
        reply = exercise.check(given(answer, text))
        assert not reply.right
        assert reply.lines[0] == told if told else len(reply.lines[0]) > 15
    assert exercise.check(given(answer, answer.right)).right
    for shown in (face.solution.value, exercise.page(), exercise.below):
        assert "Solution" not in shown


def plain(page):
    """Its words: without tags, each blank a single one."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def solution_of(exercise):
    """The words of a solution, without the code of a program."""
    folded = exercise.solution.removeprefix("<details><summary>Solution</summary>")
    return plain(folded.partition("<pre>")[0].removesuffix("</details>"))


@pytest.mark.parametrize(("module", "name", "cell"), ALL)
def test_no_solution_stands_in_a_copy(module, name, cell):
    worked = solution_of(getattr(module, name)())
    assert len(worked) >= 10 and worked not in copies()


def test_the_lessons_themselves_hold_the_solutions():
    """So the search finds what is there, but for questions that are asked before their answer."""
    whole = words_of(json.loads(path.read_bytes()) for path in PATHS)
    others = [param.values[:2] for param in ALL if not re.search(r"\.ask\(\)", param.values[2])]
    found = [solution_of(getattr(*each)()) in whole for each in others]
    assert sum(found) > 0.9 * len(found) and len(found) > 50


@cache
def copies():
    return words_of(BOOKS.values())


def words_of(books):
    """All that lessons hold, in words."""
    cells = (cell for book in books for cell in book["cells"])
    stored = (data for cell in cells for data in [source(cell), *map(json_text, outputs(cell))])
    return plain("\n".join(stored))


def outputs(cell):
    return [part for output in cell.get("outputs", []) for part in output.get("data", {}).items()]


def json_text(part):
    kind, data = part
    return "" if kind.startswith("image/") else data if isinstance(data, str) else "".join(data)


@pytest.mark.parametrize("name", BOOKS)
def test_nothing_of_an_answer_is_folded_in_a_copy_and_all_else_is_there(name):
    before = json.loads((lab.LESSONS / f"{name}.ipynb").read_text("utf-8"))
    text = json.dumps(BOOKS[name], ensure_ascii=False)
    for title in ("Why", "Solution", "What happened"):
        assert f"<summary>{title}</summary>" not in text
    assert text.count("<summary>Proof") == json.dumps(before, ensure_ascii=False).count(
        "<summary>Proof"
    )
    left = [cell for cell in BOOKS[name]["cells"] if cell != SWITCH]
    gone = len(before["cells"]) - len(left)
    cut = {"answer", "check"}
    whole = [c for c in before["cells"] if not cut & set(c["metadata"]["tags"])]
    assert [c["id"] for c in left] == [c["id"] for c in whole] and gone < len(left)
    # Whatever asks nothing keeps its outputs.
    kept = {c["id"]: c.get("outputs") for c in left}
    for cell in whole:
        if not re.search(ASKED, source(cell)):
            assert kept[cell["id"]] == cell.get("outputs")


def test_the_first_cell_of_code_hides_the_solutions(student, monkeypatch):
    for book in BOOKS.values():
        first = next(cell for cell in book["cells"] if cell["cell_type"] == "code")
        assert first == SWITCH
    monkeypatch.setattr(Exercise, "solutions", True)
    assert "Because." in Exercise("?", Number(value=1), [], "Because.").below
    exec(SWITCH["source"], {})
    assert Exercise("?", Number(value=1), [], "Because.").below == ""
    held = Exercise("?", Number(value=1), [], "Because.").hold("It is 1.")
    held.check("2")
    assert "It is 1." in held.below and "Because." not in held.below + held.page()


SOLVED = """def recovered(
    monday, tuesday, n, blank
):
    # mine
    difference = monday - tuesday

    return n * difference + blank


exercises.write_recovery(recovered)"""


def test_a_function_that_was_written_becomes_the_untouched_stub():
    begun = stub(SOLVED)
    assert begun.endswith("):\n    return ...\n\n\nexercises.write_recovery(recovered)")
    assert "difference" not in begun and stub(begun) == begun
    cell = {**small_lesson.cell(SOLVED, "exercise", "program"), "outputs": [{"data": {}}]}
    made = json.loads(stripped(small_lesson.book(*small_lesson.FIRST, cell)))["cells"][3]
    assert made["outputs"] == [] and made["source"] == begun and made["execution_count"] is None


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"cells": [1]}', b"\xff"])
def test_what_is_no_lesson_is_refused(data):
    with pytest.raises(ValueError, match="no notebook"):
        stripped(data)


def test_a_fold_that_is_not_closed_is_refused_rather_than_left_in():
    with pytest.raises(ValueError, match="not closed"):
        without("a <details><summary>Why</summary> because", ("Why",))


def test_a_students_edit_is_never_overwritten_and_the_folder_stays_a_students(tmp_path, capsys):
    folder = tmp_path / "class"
    assert command.main(["lessons", str(folder), "--student"]) == 0
    assert "00_start.ipynb" in capsys.readouterr().out
    for path in PATHS:
        assert (folder / path.name).read_bytes() == stripped(path.read_bytes())
    mine = folder / PATHS[2].name
    mine.write_text("mine")
    for asked in (["lessons", str(folder), "--student"], ["lessons", str(folder)]):
        assert command.main(asked) == 0
        assert "left as they are" in capsys.readouterr().out
        assert mine.read_text() == "mine"
        assert (folder / PATHS[0].name).read_bytes() == stripped(PATHS[0].read_bytes())


def test_lessons_with_solutions_are_not_turned_into_copies_without(tmp_path, capsys):
    assert command.main(["lessons", str(tmp_path)]) == 0
    assert command.main(["lessons", str(tmp_path), "--student"]) == 2
    assert "another folder" in capsys.readouterr().err
    assert (tmp_path / PATHS[0].name).read_bytes() == PATHS[0].read_bytes()


def test_a_translated_lesson_is_copied_without_solutions_too(tmp_path, capsys):
    asked = ["lessons", str(tmp_path), "--student", "--language"]
    assert command.main([*asked, "xx"]) == 2
    assert "--language must be one of de, en" in capsys.readouterr().err
    assert command.main([*asked, "de"]) == 0
    (path,) = lesson.translations(lab.LESSONS, "de")
    copied, whole = (tmp_path / "de" / path.name).read_text("utf-8"), path.read_text("utf-8")
    assert "hide_solutions()" in copied
    for title in ("Warum", "Lösung"):
        assert f"<summary>{title}</summary>" in whole
        assert f"<summary>{title}</summary>" not in copied


@pytest.mark.parametrize("option", [["--student"], ["--language", "de"]])
def test_options_of_copies_need_a_folder(option, capsys):
    assert command.main(["lessons", *option]) == 2
    assert f"dpviz lessons FOLDER {option[0]}" in capsys.readouterr().err
