"""The minutes that a lesson promises are those of its words, code and widgets; a core is short."""

import ast
import builtins
import json

import minutes
import pytest

PATHS = sorted(minutes.FOLDER.glob("*.ipynb"))
NAMES = [path.stem for path in PATHS]


def first_cell(path):
    return "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_a_lesson_says_how_long_it_takes(path):
    said = minutes.TABLE.search(first_cell(path))[0]
    assert said == minutes.table(path, minutes.core(path)), (
        "run: tests/notebooks/minutes.py --write"
    )


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_a_core_takes_25_minutes_at_most_and_the_first_path_ten(path):
    times, core = minutes.minutes(path), minutes.core(path)
    limit = 10 if path.stem == "00_start" else 25
    assert len(core) >= 4
    assert sum(times[name] for name in core) <= limit
    assert sum(max(1, round(times[name])) for name in core) <= limit


def names(tree):
    """What a cell binds, and what it reads."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in found if isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(name.asname or name.name).partition(".")[0] for name in node.names}
        bound |= {node.arg} if isinstance(node, ast.arg) else set()
        bound |= {node.name} if isinstance(node, ast.ExceptHandler) else set()
    return bound, {node.id for node in found if isinstance(node.ctx, ast.Load)}


def missing(cells, core):
    """Names that cells of the core read and only others bind."""
    known = set(dir(builtins))
    for part, cell in cells:
        if part in core and cell["cell_type"] == "code":
            bound, read = names(ast.parse("".join(cell["source"])))
            known |= bound
            yield from sorted(read - known)


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_a_core_stands_alone(path):
    assert list(missing(minutes.parts(path), minutes.core(path))) == []


def book(tmp_path, *cells):
    path = tmp_path / "book.ipynb"
    cells = [{"cell_type": kind, "source": [text]} for kind, text in cells]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return path


def test_minutes_of_a_small_book(tmp_path):
    proof = "<details><summary>Proof</summary>" + "word " * 500 + "</details>"
    path = book(
        tmp_path,
        ("markdown", "word " * 400),
        ("code", "x = 1\n\ny = 2\nview.play_it(x)"),
        ("markdown", "## Idea\n" + "word " * 100 + proof + "\n### Further: more\n$$x$$"),
        ("code", "exercises.predict_it().hold(view.figure_it())"),
        ("markdown", "## Exercises"),
        ("code", "exercises.ask()"),
    )
    line = minutes.LINE
    assert minutes.minutes(path) == pytest.approx(
        {
            "Title": 2 + 3 * line + 2,
            "Idea": 0.5,
            "Further: more": 1 / 200 + 1 / 3 + line + 0.5 + 0.75,
            "Exercises": line + 6,
        }
    )
    made = minutes.table(path, ("Title",))
    assert "| Title | 4 | core |\n| Idea | 1 | further |\n| Further: more | 2 | further |" in made
    assert "| **the core** | **4** | |\n| Exercises | 6 | by yourself |" in made


def test_a_core_that_leans_on_a_further_part_is_found(tmp_path):
    cells = [("markdown", "## A"), ("code", "x = 1"), ("markdown", "## B"), ("code", "y = x")]
    path = book(tmp_path, *cells)
    assert list(missing(minutes.parts(path), ("A", "B"))) == []
    assert list(missing(minutes.parts(path), ("B",))) == ["x"]
