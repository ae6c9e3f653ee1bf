"""What every stored notebook keeps to; nbval compares the outputs themselves."""

import importlib
import json
import re
from pathlib import Path

import pytest

from dpviz import lesson

FOLDER = Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
# Where a reader writes: a function of which nothing is there yet, and what checks it.
STUB = re.compile(r"def (\w+)\([\w, *]+\):\n    return \.\.\.\n\n\nexercises\.write_\w+\(\1\)")
HELD = re.compile(r"\.(hold|ask)\(")
HIDDEN = {"nbval-skip", "nbval-ignore-output"}


def source(cell):
    return "".join(cell["source"])


def code_cells(book):
    return [cell for cell in book["cells"] if cell["cell_type"] == "code" and source(cell)]


def lines(cell):
    return [line for line in source(cell).split("\n") if line.strip()]


def draws(cell):
    """Whether the last expression of a cell is a picture."""
    return bool(re.match(r"[\w.]*(figure|explore|play)_\w+\(", last_statement(source(cell))))


def last_statement(text):
    """The last statement that is not indented."""
    return re.split(r"\n(?=[^\s)\]}])", text.strip())[-1]


def stores_picture(cell):
    return any(map(lesson.picture_of, cell["outputs"]))


def faults(book):
    """Everything in one notebook that breaks a rule of the house."""
    cells = code_cells(book)
    if [cell["execution_count"] for cell in cells] != list(range(1, len(cells) + 1)):
        yield "not executed once, in order, from a clean kernel"
    if "widgets" in book["metadata"] or "version" in book["metadata"].get("language_info", {}):
        yield "stores widget state or the version of Python"
    sizes = sorted(len(lines(cell)) for cell in cells)
    if sizes and (sizes[-1] > 12 or sizes[len(sizes) // 2] > 4):
        yield f"code cells are too long: {sizes}"
    if sum(bool(HIDDEN & set(cell["metadata"].get("tags", []))) for cell in cells) > 2:
        yield "more than two cells hide their output from nbval"
    for i, cell in enumerate(cells):
        if re.search(r"^\s*(def|class) ", source(cell), re.M) and not STUB.fullmatch(source(cell)):
            yield f"code cell {i + 1} defines something"
        if draws(cell) and not stores_picture(cell):
            yield f"code cell {i + 1} stores no picture"
        if any(output["output_type"] == "error" for output in cell["outputs"]):
            yield f"code cell {i + 1} stores an error"


def headings(book):
    texts = [source(cell) for cell in book["cells"] if cell["cell_type"] == "markdown"]
    return re.findall(r"^## (.+)$", "\n".join(texts), re.M)


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def book(request):
    return load(request.param)


def test_rules(book):
    assert list(faults(book)) == []


def test_a_lesson_asks_for_one_program(book):
    assert sum(bool(STUB.fullmatch(source(cell))) for cell in code_cells(book)) == 1


def test_a_lesson_has_exercises_by_hand_by_code_and_one_that_breaks_something(book):
    """Beside the predictions; one by hand has three hints and a worked solution."""
    text = "\n".join(source(cell) for cell in code_cells(book) if not HELD.search(source(cell)))
    module = re.search(r"^from (dpviz\.lessons\.\w+) import (?:.*, )?exercises", text, re.M)[1]
    makers = importlib.import_module(f"{module}.exercises")
    names = re.findall(r"^exercises\.((?!write_|predict_)\w+)\(\)", text, re.M)
    asked = [getattr(makers, name)() for name in names]
    breaks = [each for each in asked if ", break.</b>" in each.question]
    by_hand = [each for each in asked if each not in breaks]
    assert len(breaks) >= 1 and len(asked) >= 3
    solutions = [re.sub("<summary>.*?</summary>|<[^>]+>", "", each.solution) for each in by_hand]
    assert max(map(len, solutions)) > 120  # characters: steps, not only a result
    assert max(len(each.hints) for each in by_hand) == 3


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_the_first_cells_say_where_to_begin_and_where_the_symbols_are(path):
    read = lesson.read(path)
    first = "\n".join(cell.source for cell in read.cells if cell.part == lesson.TITLE)
    assert first.startswith(f"# {path.stem[:2]} {read.title}")
    assert "*Run > Run All Above Selected Cell*" in first
    assert "](00_start.ipynb#Notation)" in first or first.startswith("# 00")
    assert "Notation" in {cell.section for cell in lesson.read(PATHS[0]).tagged("reference")}


# The core, then whatever of the further sections there is, then the end.
CORE = ["By hand", "Ten lines", "Watch it", "Why it works", "The statement", "On real data"]
CORE += ["When to use it"]
FURTHER = ["Further", "Experiment", "Explore", "Against the alternatives"]
FURTHER += ["Where the paper and this code differ", "Where it fails"]
END = ["Exercises", "Lessons", "References"]


@pytest.mark.parametrize("path", PATHS[1:], ids=lambda path: path.stem)
def test_every_lesson_has_the_same_sections_in_order(path):
    there = headings(json.loads(path.read_text(encoding="utf-8")))
    between = there[len(CORE) : -len(END)]
    assert between == [name for name in FURTHER if name in between]
    assert there == [*CORE, *between, *END]


def prerequisites(text):
    """Lessons that a sentence of what is needed names, up to those that only help."""
    needed = re.search(
        r"^\*\*You need\*\*(.*?)(?=\[?Lesson \d\d\]?.* helps|\n\n|\Z)", text, re.M | re.S
    )
    return sorted(set(re.findall(r"lessons? (\d\d)", needed[1])))


def test_the_map_of_the_lessons_has_the_prerequisites_that_they_state():
    start = source_of_all(json.loads(PATHS[0].read_text(encoding="utf-8")))
    rows = re.findall(r"^\| (\d\d) \| ([\d, ]*)\|", start, re.M)
    said = {name: re.findall(r"\d\d", uses) for name, uses in rows}
    needed = [prerequisites(next(lesson.read(path).tagged("needs")).source) for path in PATHS[1:]]
    names = [path.stem[:2] for path in PATHS[1:]]
    assert said == dict(zip(names, needed, strict=True))
    assert all(use < name for name, uses in said.items() for use in uses)


def source_of_all(book):
    return "\n".join(source(cell) for cell in book["cells"])


def test_every_test_named_in_a_lesson_exists(book):
    paths = (FOLDER.parent / "tests").rglob("test_*.py")
    tests = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    named = set(re.findall(r"`(test_\w+)`", "\n".join(source(cell) for cell in book["cells"])))
    assert {name for name in named if f"def {name}(" not in tests} == set()


SHOWN = "".join(
    path.read_text(encoding="utf-8")
    for room in ("instruments", "lessons")
    for path in (FOLDER.parent / "dpviz" / room).rglob("*.py")
)


def unknown_presets(text):
    """Buttons that a text says to press, and that no instrument has."""
    return [name for name in re.findall(r"[Pp]ress \*([^*]+)\*", text) if f'"{name}"' not in SHOWN]


def test_every_preset_named_in_a_lesson_exists(book):
    texts = [source(cell) for cell in book["cells"] if cell["cell_type"] == "markdown"]
    assert [name for text in texts for name in unknown_presets(text)] == []
    assert unknown_presets("Press *No such button* twice") == ["No such button"]


def test_links_between_lessons_lead_somewhere(book):
    links = re.findall(r"\]\((\w+\.ipynb)\)", json.dumps(book))
    assert [name for name in links if not (FOLDER / name).exists()] == []


def cell(text, count=1, **more):
    empty = {"cell_type": "code", "metadata": {}, "outputs": []}
    return {**empty, "source": [text], "execution_count": count, **more}


def small_book(*cells, **metadata):
    return {"cells": list(cells), "metadata": metadata}


ERROR = [{"output_type": "error"}]
SKIP = {"tags": ["nbval-skip"]}


@pytest.mark.parametrize(
    "fault",
    [
        small_book(cell("1", count=2)),
        small_book(cell("1"), widgets={}),
        small_book(cell("1"), language_info={"version": "3"}),
        small_book(cell("\n".join(["1"] * 13))),
        small_book(*[cell("1\n1\n1\n1\n1", count=i + 1) for i in range(3)]),
        small_book(*[cell("1", count=i + 1, metadata=SKIP) for i in range(3)]),
        small_book(cell("def f():\n    return 1")),
        small_book(cell("def f(x):\n    return x\n\n\nexercises.write_f(f)")),
        small_book(cell("x = 1\nview.figure_question(\n    x\n)")),
        small_book(cell("1 / 0", outputs=ERROR)),
    ],
)
def test_each_rule_catches_a_planted_fault(fault):
    stub = "def f(x):\n    return ...\n\n\nexercises.write_f(f)"
    assert list(faults(small_book(cell("1"), cell(stub, count=2)))) == []
    assert len(list(faults(fault))) == 1
