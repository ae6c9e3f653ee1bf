"""The minutes that a lesson promises are those of its words, code and widgets; a core is short."""

import ast
import builtins

import minutes
import pytest
import small_lesson
from small_lesson import cell

from dpviz import lesson

PATHS = sorted(minutes.FOLDER.glob("*.ipynb"))
NAMES = [path.stem for path in PATHS]


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_a_lesson_says_how_long_it_takes(path):
    (said,) = lesson.read(path).tagged("minutes")
    assert said.source == minutes.table(path, minutes.core(path)), (
        "run: tests/notebooks/minutes.py --write"
    )


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_a_core_is_shown_in_31_minutes_at_most_and_the_first_path_in_ten(path):
    times, core = minutes.minutes(path), minutes.core(path)
    limit = 10 if path.stem == "00_start" else 31  # two or three of them in the hand
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


def missing(cells):
    """Names that cells of the core read and only others bind."""
    known = set(dir(builtins))
    for each in cells:
        if "core" in each.tags and not each.is_text:
            bound, read = names(ast.parse(each.source))
            known |= bound
            yield from sorted(read - known)


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_a_core_stands_alone(path):
    assert list(missing(lesson.read(path).cells)) == []


def book(tmp_path, *cells):
    path = tmp_path / "book.ipynb"
    path.write_bytes(small_lesson.book(*cells))
    return path


def test_minutes_of_a_small_book(tmp_path):
    title = cell("# " + "word " * 199, "title", "core")
    path = book(
        tmp_path,
        title,
        cell("word " * 200, "promise", "core"),
        cell("x = 1\n\ny = 2\nview.play_it(x)", "player", "core"),
        cell("## Idea\n" + "word " * 100, "text", "section"),
        cell("word " * 500, "proof"),
        cell("### Further: more\n$$x$$", "text", "further"),
        cell("figure_it()", "prediction", "picture"),
        cell("## Exercises", "text", "section", "exercises"),
        cell("exercises.ask()", "exercise"),
        cell("## Lessons\n\nOne.", "text", "section", "lessons"),
    )
    line = minutes.LINE
    assert minutes.minutes(path) == pytest.approx(
        {
            "Title": 2 + 3 * line + 2,
            "Idea": 0.5,
            "Further: more": 1 / 200 + 1 / 3 + line + 0.5 + 0.75,
            "Exercises": line + 6,
            "Lessons": 1 / 200,
        }
    )
    made = minutes.table(path, ("Title",))
    rows = [row.strip("| ").split(" | ") for row in made.split("\n") if row.startswith("| ")]
    shown = {name: show for name, _, show, *_ in rows}
    assert [shown[name] for name in ("Opening", "Idea", "Further: more")] == ["4", "1", "2"]
    assert shown["**the core**"] == "**4**" and "| Exercises | 6 | | by yourself |" in made
    assert "Lessons" not in made


def test_a_core_that_leans_on_a_further_part_is_found():
    for tags, lacks in ((("code", "core"), []), (("code",), ["x"])):
        cells = [cell("x = 1", *tags), cell("y = x", "code", "core")]
        read = lesson.parse(small_lesson.book(*small_lesson.FIRST, *cells), "book")
        assert list(missing(read.cells)) == lacks
