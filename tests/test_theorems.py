"""The index of theorems: every mark means a statement, every statement stands somewhere.

After a mark was set, or a row of a list changed: ``dpviz theorems --write``. It makes THEOREMS.md
anew.
"""

import importlib
import re

import pytest
import small_lesson

from dpviz import __main__ as command
from dpviz import lesson, theorems
from dpviz.theorems import Mark, Statement

LISTS = {letters: theorems.statements(letters) for letters in theorems.PAPERS}
ALL = [statement for statements in LISTS.values() for statement in statements]
EVERY = list(theorems.every_statement())  # those of lessons too
REFERENCE = re.compile(r"`([^`]+)`")


def exists(reference):
    """Whether "tests/...py::test_x", "dpviz.module.name" or the name of a statement is there."""
    if "::" in reference:
        path, _, name = reference.partition("::")
        file = theorems.ROOT / path
        return file.is_file() and f"def {name}(" in file.read_text(encoding="utf-8")
    if not reference.startswith("dpviz."):
        return any(reference in statement.names for statement in ALL)
    module, _, name = reference.rpartition(".")
    try:
        return hasattr(importlib.import_module(module), name) or bool(
            importlib.import_module(reference)
        )
    except ModuleNotFoundError:
        return False


def faults(statement, found):
    """What is wrong with one row, whatever is still missing."""
    if statement.state not in theorems.STATES:
        yield f"{statement.names}: the state is one of {list(theorems.STATES)}"
    references = REFERENCE.findall(statement.why)
    yield from (
        f"{statement.names}: {name} is not there" for name in references if not exists(name)
    )
    if statement.state in ("replaced", "misprint", "weaker here") and not references:
        yield f"{statement.names}: {statement.state}, but how? name a test or a theorem"
    tests = [name for name in references if "::" in name]
    if statement.state == "misprint" and not tests:
        yield f"{statement.names}: a misprint that no test shows"
    if statement.state == "quoted" and not statement.why:
        yield f"{statement.names}: quoted from where, or why?"
    if statement.unseen and theorems.places(statement, found)["cell"]:
        yield f"{statement.names}: a lesson shows it, so there is no reason why none does"


def unknown(found):
    """Marks that mean no statement, and tests marked outside a test."""
    for mark in found:
        if not any(statement.answers_to(mark.name) for statement, _ in EVERY):
            yield f"{mark.file} {mark.where}: there is no statement {mark.name!r}"
        if mark.kind == "test" and not mark.where.split(".")[-1].startswith("test_"):
            yield f"{mark.file} {mark.where}: a mark in the tests stands in or above one test"


def test_every_mark_means_a_statement():
    assert list(unknown(theorems.marks())) == []


def test_every_statement_is_in_order():
    assert [fault for s in ALL for fault in faults(s, theorems.marks())] == []
    names = [name for statement in ALL for name in statement.names]
    assert len(names) == len(set(names)) and len(ALL) == 167
    assert {name.split()[0] for name in names} == set(theorems.PAPERS)


def test_nothing_is_missing():
    assert theorems.all_gaps() == []


def test_the_page_is_up_to_date():
    written = (theorems.ROOT / "THEOREMS.md").read_text(encoding="utf-8")
    assert written == theorems.page(), "run: dpviz theorems --write"


def test_every_link_of_the_page_leads_somewhere():
    links = set(re.findall(r"\]\(([^)]+)\)", theorems.page()))
    assert links and [link for link in links if not (theorems.ROOT / link).is_file()] == []


@pytest.mark.parametrize(
    ("source", "file", "where"),
    [
        ('"""A module.\n\nStatements: HR Lemma 3.\n"""\n', "dpviz/a.py", ""),
        ('def f():\n    """F.\n\n    Statements: HR Lemma\n    3.\n    """\n', "dpviz/a.py", "f"),
        ("class A:\n    def f(self):\n        # Statements: HR Lemma 3.\n        return 1\n",
         "dpviz/a.py", "A.f"),
        ("# Statements: HR\n# Lemma 3.\n@mark\ndef test_a(): ...\n", "tests/test_a.py", "test_a"),
        ("def test_a():\n    # Statements: HR Lemma 3.\n    pass\n", "tests/test_a.py", "test_a"),
    ],
)  # fmt: skip
def test_marks_are_read_where_they_stand(source, file, where):
    kind = "test" if file.startswith("tests") else "code"
    assert list(theorems.marks_of_source(source, file)) == [Mark("HR Lemma 3", kind, file, where)]


def test_a_text_that_only_looks_like_a_mark_is_none():
    source = 'x = "Statements: HR Lemma 3."  # Statements: HR Lemma 3.\n'
    assert list(theorems.marks_of_source(source, "dpviz/a.py")) == []


def test_cells_are_marked_by_their_metadata():
    marked = small_lesson.cell("1", "code", statements=["HR Lemma 3"])
    book = lesson.parse(small_lesson.book(*small_lesson.FIRST, marked), "03_distance")
    (mark,) = theorems.marks_of_lesson(book, "notebooks/03_distance.ipynb")
    assert (mark.kind, mark.link()) == ("cell", "[03[2]](notebooks/03_distance.ipynb)")


def test_a_mark_without_brackets_is_about_all_parts_and_about_no_other_number():
    parts = {s.names[0] for s in ALL if s.answers_to("HR Theorem 1")}
    assert parts == {f"HR Theorem 1 ({part})" for part in ("approximate", "pure", "time")}


CODE = Mark("HR Lemma 3", "code", "dpviz/theorems.py", "")
TEST = Mark("HR Lemma 3", "test", "tests/test_theorems.py", "test_a")
CELL = Mark("HR Lemma 3", "cell", "notebooks/03_distance.ipynb", "3")


@pytest.mark.parametrize(
    ("found", "state", "unseen", "lacks"),
    [
        ([CODE, TEST, CELL], "works", "", []),
        ([TEST, CELL], "works", "", ["code"]),
        ([CODE, CELL], "works", "", ["test"]),
        ([CODE, TEST], "works", "", ["cell"]),
        ([CODE, TEST], "works", "a remark on notation", []),
        ([CELL], "replaced", "", []),
        ([CELL], "weaker here", "", ["code", "test"]),
        ([CODE, CELL], "misprint", "", ["test"]),
        ([], "quoted", "", ["cell"]),
    ],
)
def test_what_a_statement_lacks(found, state, unseen, lacks):
    assert theorems.gaps(Statement(("HR Lemma 3",), "", state, "", unseen), found) == lacks


@pytest.mark.parametrize(
    ("state", "why", "unseen"),
    [
        ("perhaps", "", ""),
        ("replaced", "it is better so", ""),
        ("weaker here", "it was too much work", ""),
        ("misprint", "see `dpviz.theorems`", ""),
        ("replaced", "`tests/test_theorems.py::test_that_is_not_there`", ""),
        ("replaced", "`dpviz.theorems.nothing`", ""),
        ("replaced", "`HR Theorem 99`", ""),
        ("quoted", "", ""),
        ("works", "", "no lesson has room"),
    ],
)
def test_planted_faults_of_a_row_are_caught(state, why, unseen):
    assert list(faults(Statement(("HR Lemma 3",), "", state, why, unseen), [CODE, TEST, CELL]))


@pytest.mark.parametrize(
    "mark",
    [
        Mark("HR Theorem 99", "code", "dpviz/theorems.py", ""),
        Mark("HR Theorem 1 (fast)", "cell", "notebooks/03_distance.ipynb", "3"),
        Mark("HR Lemma 3", "test", "tests/test_theorems.py", "exists"),
        Mark("HR Lemma 3", "test", "tests/test_theorems.py", ""),
    ],
)
def test_planted_marks_are_caught(mark):
    assert list(unknown([mark]))


def test_the_command_writes_the_page(monkeypatch, tmp_path):
    made = theorems.page()
    monkeypatch.setattr(theorems, "page", lambda: made)
    monkeypatch.setattr(theorems, "ROOT", tmp_path)
    assert command.main(["theorems", "--write"]) == 0
    assert (tmp_path / "THEOREMS.md").read_text(encoding="utf-8") == made


NUMBERS = [
    (read.name, cell) for read in theorems.all_lessons() for cell in read.tagged("statement")
]


@pytest.mark.parametrize(("name", "cell"), NUMBERS, ids=lambda value: getattr(value, "number", ""))
def test_a_statement_is_found_by_its_number_in_the_lesson_and_in_the_paper(name, cell):
    """Both ways, and with the code that does it."""
    place = f"{cell.number} ({name}[{cell.at}])"
    by_lesson = [row for row in theorems.find([cell.number]) if place in row]
    assert by_lesson and all("\n    code: dpviz." in row for row in by_lesson)
    for statement in cell.statements or [f"lesson {cell.number}"]:
        assert any(statement in row.splitlines()[0] for row in by_lesson)
        assert any(place in row for row in theorems.find([statement.split(" (")[0]]))


def test_eighty_one_statements_have_numbers():
    numbers = [cell.number for _, cell in NUMBERS if not cell.number.endswith("as stated")]
    assert len(set(numbers)) == len(numbers) == 81


GRADES = (
    "*Wrong as stated; a test runs the statement.*",
    "*Misprints; what is meant is plain.*",
    "*Imprecise; the conclusion stands.*",
    "*Right, and improved upon here.*",
)
GRADED = [read for read in theorems.all_lessons() if read.name[:2] not in ("00", "07", "09")]


def ungraded(text):
    """Points of a list of errata that stand under no grade, and headings that are none."""
    grade = False
    for line in text.splitlines():
        if line.startswith("*") and not line.startswith("* "):
            grade = line in GRADES
            if not grade:
                yield line
        elif line.startswith("* ") and not grade:
            yield line


@pytest.mark.parametrize("read", GRADED, ids=lambda read: read.name)
def test_every_erratum_has_a_grade(read):
    """Lesson 07 has none: its points are about our own reconstruction. 00 and 09 have no paper."""
    (cell,) = read.tagged("differences")
    assert list(ungraded(cell.source)) == []
    assert sum(grade in cell.source for grade in GRADES) >= 2


def test_an_erratum_without_a_grade_is_caught():
    assert list(ungraded(f"## A\n\n* b\n\n{GRADES[0]}\n\n* c\n\n*Other:*\n\n* d")) == [
        "* b",
        "*Other:*",
        "* d",
    ]
