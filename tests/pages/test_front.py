"""The first page: sizes are the build's, titles the lessons', and the address one setting."""

import re
from functools import cache
from pathlib import Path

import pytest
from small_lesson import book, cell

from dpviz import lesson
from dpviz.pages import from_disk, front
from dpviz.words import table

OURS = Path(__file__).parents[2] / "notebooks"
CELLS = (
    cell("# 00 What is <this>?", "title", "core"),
    cell("**Promise.** You can.", "promise", "core"),
)


@pytest.fixture(scope="module")
def lessons(tmp_path_factory):
    """A folder with one lesson, which has no picture; its explorer is drawn once."""
    folder = tmp_path_factory.mktemp("notebooks")
    (folder / "00_start.ipynb").write_bytes(book(*CELLS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(front, "opening", cache(front.opening))
        yield folder


def page(lessons, made, python=40_000_000, others=10_000_001):
    """The first page of a site of these sizes."""
    made.mkdir(exist_ok=True)
    front.write(made, lessons, front.openings(lessons), python, others)
    return (made / "index.html").read_text("utf-8")


def test_sizes_and_times_are_those_of_the_build(lessons, tmp_path):
    small = page(lessons, tmp_path / "small")
    assert "loads 40 MB of Python" in small
    assert "the whole site, 51 MB with Python," in small
    assert "takes 7 seconds on a line of 50 Mbit/s" in small
    assert small.count("The first run in the page loads 40 MB.") == 1
    large = page(lessons, tmp_path / "large", python=900_000_000)
    assert "takes 2.4 minutes" in large


def test_a_lesson_opens_and_can_be_read(lessons, tmp_path, monkeypatch):
    shown = page(lessons, tmp_path / "made")
    assert "What is &lt;this&gt;?" in shown
    assert 'href="jupyter/lab/index.html?path=00_start.ipynb" data-run' in shown
    assert 'href="jupyter/files/00_start.ipynb"' in shown
    monkeypatch.setattr(front, "repository", lambda: "https://example.org/us/dpviz")
    shown = page(lessons, tmp_path / "made")
    assert 'href="https://example.org/us/dpviz/blob/HEAD/notebooks/00_start.ipynb"' in shown
    assert '<a href="https://example.org/us/dpviz">the repository</a>' in shown


def test_what_opens_a_lesson_is_kept_with_its_run_and_not_drawn_again(tmp_path, monkeypatch):
    """In the bytes that it has when it is drawn for the first page alone."""
    path = tmp_path / "notebooks" / "00_start.ipynb"
    path.parent.mkdir()
    opens = cell("from dpviz.lessons import start\n\nstart.explore_record()", "explorer", "core")
    path.write_bytes(book(*CELLS, opens))
    drawn = front.openings(path.parent)
    from_disk.kept([path], tmp_path / "runs")
    monkeypatch.setattr(front, "opening", None)
    assert front.openings(path.parent, runs=tmp_path / "runs") == drawn
    assert drawn[path].states.keys() == drawn[path].pictures.keys() == {"notebook", "phone"}


def test_nothing_is_left_to_fill_in(lessons, tmp_path):
    shown = page(lessons, tmp_path / "made")
    shown = re.sub(r"window\.dpvizWords = .*", "", shown)  # messages have places of their own
    assert not re.search(r"(?<!\$)\{[a-z]+\}", shown)  # scripts fill in theirs, with a dollar


def test_every_lesson_of_ours_opens_with_an_explorer_and_has_a_sentence():
    paths = lesson.paths(OURS)
    known = [name.split(".")[-1] for name in table("en") if name.startswith("front.lessons.")]
    assert [path.stem[3:] for path in paths] == known
    assert all(front.explorer_of(path).handles for path in paths)
    assert all("slides" in front.exhibit(path, front.Opening(), pages=True) for path in paths)


def test_a_lesson_without_a_sentence_is_refused(tmp_path):
    path = tmp_path / "10_new.ipynb"
    path.write_bytes(book(*CELLS))
    with pytest.raises(ValueError, match=r"10_new.ipynb has no sentence"):
        front.exhibit(path, front.Opening())


def test_the_readme_shows_the_explorer_as_it_is_now():
    """Make it anew: ``make portrait``."""
    root = Path(__file__).parents[2]
    assert (root / ".github" / "explorer.svg").read_text("utf-8") == f"{front.portrait()}\n"
    assert ".github/explorer.svg" in (root / "README.md").read_text("utf-8")
    assert "var(" not in front.portrait()
