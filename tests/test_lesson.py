"""What a cell is, it says by its tags: words can change, and nothing else does."""

import json
import re

import pytest
from small_lesson import FIRST, book, cell

from dpviz import lab, lesson, theorems
from dpviz.student import stripped

PATHS = lesson.paths(lab.LESSONS)
LESSONS = {path.stem: lesson.read(path) for path in PATHS}
IDEA = cell("## Idea\n\nSo.", "text", "section", "core")
THEOREM = cell("**Theorem 1.1.** It is.", "statement", number="Theorem 1.1")


def parse(*cells):
    return lesson.parse(book(*FIRST, *cells), "01_small")


def test_parts_and_core_come_from_tags():
    more = cell("### Further: more\n\nMore.", "text", "further")
    read = parse(
        IDEA, cell("1", "code", "core"), more, cell("2", "code"), cell("3", "code", "core")
    )
    assert [each.part for each in read.cells] == [
        *("Title", "Title", "Idea", "Idea", "Further: more", "Further: more", "Idea")
    ]
    assert read.core == ("Title", "Idea")
    assert (read.title, read.promise) == ("What?", "You can.")
    assert [each.body for each in read.tagged("section")] == ["So."]
    assert {each.section for each in read.cells[2:]} == {"Idea"}


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([cell("x")], "cell 2 .* has no tags"),
        ([cell("x", "text", "nonsense")], "cell 2 .* the unknown tag 'nonsense'"),
        ([cell("x", "core", "text", "proof")], "cell 2 .* must have a tag of title, .*, not proof"),
        ([{**IDEA, "cell_type": "code"}], "cell 2 .* must have a tag of code, .*, not none"),
        ([cell("Idea", "text", "section")], "cell 2 .* without a heading"),
        ([cell("x", "text", slide="large")], "cell 2 .* must have a slide_type of slide, "),
        ([cell("assert x", "check")], "cell 2 .* is a check, which must have .*'hide-input'"),
        ([cell("x", "statement")], "cell 2 .* is a statement without a number"),
        ([THEOREM, IDEA, THEOREM], "Theorem 1.1 stands in cell 2 and in cell 4"),
        ([FIRST[1]], "must have one cell with the tag 'promise'"),
    ],
)
def test_a_lesson_whose_cells_do_not_say_what_they_are_is_refused(cells, said):
    with pytest.raises(ValueError, match=f"^lesson 01_small:? .*{said}"):
        parse(*cells)


def test_tags_of_other_tools_are_left_alone():
    assert parse(cell("1", "code", "nbval-skip", "hide-input", "raises-exception"))


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"cells": [{}]}', b"\xff"])
def test_what_is_no_notebook_is_refused(data):
    with pytest.raises(ValueError, match="lesson x is no notebook"):
        lesson.parse(data, "x")


def told(read):
    """All that readers ask a lesson, without its words."""
    return [
        (each.kind, each.slide, each.part, each.number, each.tags, each.is_text)
        for each in read.cells
    ]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_words_decide_nothing(path):
    """Every text without its words, but headings, is still the same lesson."""
    whole = json.loads(path.read_bytes())
    for each in whole["cells"]:
        if each["cell_type"] == "markdown":
            source = "".join(each["source"])
            heading = source.partition("\n")[0] if source.startswith("#") else ""
            each["source"] = f"{heading}\n\nOther words."
    changed = json.dumps(whole).encode()
    read = lesson.parse(changed, path.stem)
    assert told(read) == told(LESSONS[path.stem]) and read.core == LESSONS[path.stem].core
    student = json.loads(stripped(changed))["cells"]
    ours = json.loads(stripped(path.read_bytes()))["cells"]
    assert [each["id"] for each in student] == [each["id"] for each in ours]


STATED = r"\*\*(?:As stated in the paper \()?((?:Definition|Theorem|Lemma) [\d.]*\d)"


@pytest.mark.parametrize("name", LESSONS)
def test_statements_have_the_numbers_that_are_written(name):
    """In a row from 1 on; a statement of a paper under its own number says that it is one."""
    numbers = []
    for each in LESSONS[name].cells:
        if each.is_text:
            found = re.findall(f"^{STATED}", each.source, re.M)
            own = each.number.removesuffix(" as stated")
            assert found == ([own] if each.kind == "statement" else []), each.at
        if each.number and not each.number.endswith("as stated"):
            numbers.append(each.number.split()[1])
    assert numbers == [f"{int(name[:2])}.{at}" for at in range(1, len(numbers) + 1)]


def mentioned(text):
    """Numbers with a dot that a text calls a definition, theorem or lemma."""
    return re.findall(r"\b((?:Definition|Theorem|Lemma) \d\.\d+)\b", text)


PAPERS = {"06": ["W13"], "07": ["NSV"], "01": ["NSV", "W13"]}


@pytest.mark.parametrize("name", LESSONS)
def test_every_statement_that_is_mentioned_is_there(name):
    """In a lesson, or in the paper that a lesson is about."""
    known = {each.number for read in LESSONS.values() for each in read.tagged("statement")}
    for letters in PAPERS.get(name[:2], []):
        for statement in theorems.statements(letters):
            known |= {each.split(" ", 1)[1].partition(" (")[0] for each in statement.names}
    texts = [each.source for each in LESSONS[name].cells]
    assert [other for text in texts for other in mentioned(text) if other not in known] == []


def test_planted_mention_of_nothing_is_seen():
    assert mentioned("by Theorem 3.99 and Lemma 9") == ["Theorem 3.99"]


SHOWS = {
    "picture": r"figure",
    "explorer": r"^[\w.]*\bexplore_\w+\(",
    "player": r"^[\w.]*\bplay_\w+\(",
    "prediction": r"\bexercises\.predict_|\.hold\(|\.ask\(\)",
    "result": r"^\w*question\.show\(",
    "program": r"\bexercises\.write_",
}


@pytest.mark.parametrize("name", LESSONS)
def test_code_shows_what_its_tags_say(name):
    for each in LESSONS[name].cells:
        if not each.is_text:
            shows = {tag for tag, words in SHOWS.items() if re.search(words, each.source, re.M)}
            shows = {"result"} if "result" in shows else shows
            shows |= {"check"} & each.tags
            asks = bool(re.search(r"\bexercises\.\w+\(", each.source))
            shows |= {"exercise"} if asks and "prediction" not in shows else set()
            assert each.tags & set(lesson.CODE) == (shows or {"code"}), each.at
