"""The first page: sizes are the build's, sentences the lessons', and the address one setting."""

import re
from pathlib import Path

import pytest
from small_lesson import book, cell

from dpviz.pages import front

CELLS = (
    cell("# 00 What is <this>?", "title", "core"),
    cell("**Promise.** You embed into $\\ell_1$.", "promise", "core"),
)


@pytest.fixture
def lessons(tmp_path):
    """A folder with one lesson."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    (folder / "00_start.ipynb").write_bytes(book(*CELLS))
    return folder


def page(lessons, made, python=40_000_000, others=10_000_001):
    """The first page of a site of these sizes."""
    made.mkdir(exist_ok=True)
    front.write(made, lessons, python, others)
    return (made / "index.html").read_text("utf-8")


def test_sizes_and_times_are_those_of_the_build(lessons, tmp_path):
    small = page(lessons, tmp_path / "small")
    assert "51 MB on the first visit" in small
    assert "Python with its library, 40 MB" in small
    assert re.findall(r"<li>(.*?) on ", small) == ["41 seconds", "9 seconds", "2 seconds"]
    large = page(lessons, tmp_path / "large", python=90_000_000)
    assert re.findall(r"<li>(.*?) on ", large) == ["1.3 minutes", "17 seconds", "4 seconds"]


def test_a_lesson_opens_and_can_be_read(lessons, tmp_path, monkeypatch):
    shown = page(lessons, tmp_path / "made")
    assert "What is &lt;this&gt;?" in shown
    assert "You embed into ℓ<sub>1</sub>." in shown
    assert 'href="jupyter/lab/index.html?path=00_start.ipynb"' in shown
    assert 'data-read="jupyter/files/00_start.ipynb"' in shown
    monkeypatch.setattr(front, "repository", lambda: "https://example.org/us/dpviz")
    shown = page(lessons, tmp_path / "made")
    assert 'data-read="https://example.org/us/dpviz/blob/HEAD/notebooks/00_start.ipynb"' in shown
    assert '<a href="https://example.org/us/dpviz">the repository</a>' in shown


def test_nothing_is_left_to_fill_in(lessons, tmp_path):
    shown = page(lessons, tmp_path / "made")
    shown = re.sub(r"window\.dpvizWords = .*", "", shown)  # messages have places of their own
    assert not re.search(r"(?<!\$)\{[a-z]+\}", shown)  # scripts fill in theirs, with a dollar


def test_every_lesson_of_ours_is_there_with_its_promise(tmp_path):
    """A promise with a formula that the page cannot show fails here, before a site is built."""
    ours = Path(__file__).parents[2] / "notebooks"
    shown = page(ours, tmp_path / "made")
    for path in ours.glob("*.ipynb"):
        assert f"path={path.name}" in shown


def test_a_formula_that_cannot_be_shown_is_refused():
    with pytest.raises(ValueError, match="no formula but norms"):
        front.prose("at most $x^2$")


def test_the_readme_shows_the_explorer_as_it_is_now():
    """Make it anew: ``make portrait``."""
    root = Path(__file__).parents[2]
    assert (root / ".github" / "explorer.svg").read_text("utf-8") == f"{front.portrait()}\n"
    assert ".github/explorer.svg" in (root / "README.md").read_text("utf-8")
    assert "var(" not in front.portrait()


def test_the_page_opens_with_an_explorer_to_move_and_is_light(lessons, tmp_path):
    shown = page(lessons, tmp_path / "made")
    assert shown.count('data-held="bottle"') == 5
    assert shown.index("dpviz-explorer") < shown.index("What it loads")
    assert len(shown.encode()) < 300_000
