"""The folder of one lesson for a stick: what is in it, and what it never writes over."""

from types import SimpleNamespace

import pytest
import small_lesson
from small_lesson import FIRST, cell

from dpviz import __main__ as command
from dpviz import files
from dpviz.pages import from_disk, lecture

GUIDE = (
    "# Guide\n\n## Lesson 00: No\n\nNot this.\n\n## Lesson 01: What?\n\nSay $x$.\n\n## Exams\n\nNo."
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """The lesson's pages are made once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def book(tmp_path):
    """A small lesson, and its section in a guide."""
    see = "## Idea\n\nLook at [another](02_other.ipynb)."
    cells = [
        *FIRST,
        cell(see, "text", "section", "core"),
        cell("x = 1", "code", "core"),
        cell("## Lessons\n\n* One.", "text", "section", "lessons", slide="slide"),
    ]
    path = tmp_path / "notebooks" / "01_small.ipynb"
    path.parent.mkdir()
    path.write_bytes(small_lesson.book(*cells))
    (tmp_path / "INSTRUCTOR.md").write_text(GUIDE)
    return path


def write(book, cache, target="out", guide="INSTRUCTOR.md"):
    home = book.parents[1]
    return lecture.write(book, home / target, cache, home / guide)


def test_a_folder_holds_every_page_of_the_lesson_and_its_notes(book, cache):
    missing = write(book, cache)
    folder = book.parents[1] / "out"
    names = {path.name for path in folder.iterdir()} - {files.RECORD}
    assert names == {"index.html", "notes.html", "done.html", "01_small.html"} | {
        f"01_small_{kind}.html" for kind in ("slides", "handout")
    }
    notes = (folder / "notes.html").read_text("utf-8")
    assert "Say <span" in notes and "Not this" not in notes and "Exams" not in notes
    assert missing == []


def test_every_link_leads_to_a_file_of_the_folder(book, cache):
    write(book, cache)
    folder = book.parents[1] / "out"
    links = {
        link[2]
        for path in folder.glob("*.html")
        for link in lecture.LINK.finditer(path.read_text("utf-8"))
    }
    assert links and links <= {path.name for path in folder.iterdir()}
    assert "another" in (folder / "01_small.html").read_text("utf-8")
    assert 'class="live"' not in (folder / "01_small_slides.html").read_text("utf-8")


def test_a_guide_without_the_lesson_is_said_and_the_rest_written(book, cache):
    missing = write(book, cache, guide="no such file")
    assert any("notes" in sentence for sentence in missing)
    assert not (book.parents[1] / "out" / "notes.html").exists()
    assert "notes.html" not in (book.parents[1] / "out" / "index.html").read_text("utf-8")


def test_it_can_be_written_again_beside_what_was_added(book, cache):
    write(book, cache)
    own = book.parents[1] / "out" / "mine.txt"
    own.write_text("mine")
    write(book, cache)
    assert own.read_text() == "mine"


def test_a_lesson_is_made_again_when_what_it_is_made_of_has_changed(tmp_path, monkeypatch):
    book, package, installed = tmp_path / "01.ipynb", tmp_path / "package", [("numpy", "2.0")]
    (package / "pages").mkdir(parents=True)
    monkeypatch.setattr(from_disk, "HERE", package / "pages")
    found = [SimpleNamespace(name=name, version=version) for name, version in installed]
    monkeypatch.setattr(from_disk, "distributions", lambda: found)
    made = []

    def make(pair, processes):
        made.append(pair)
        pair[1].write_text("{}")

    def is_made_again():
        before = len(made)
        for _ in range(2):
            from_disk.kept([book], tmp_path / "cache")
        return len(made) - before

    monkeypatch.setattr(from_disk, "make", make)
    book.write_text("x = 1")
    assert is_made_again() == 1 and is_made_again() == 0
    for path in (book, package / "code.py", package / "trials.jsonl", package / "words.toml"):
        path.write_text("x = 2")
        assert is_made_again() == 1, path
    found[0].version = "2.1"
    assert is_made_again() == 1


@pytest.mark.parametrize("name", ["photo.png", "index.html"])
def test_a_folder_that_holds_something_else_is_left_as_it_is(book, cache, name):
    out = book.parents[1] / "out"
    out.mkdir()
    (out / name).write_text("mine")
    with pytest.raises(ValueError, match="holds something else"):
        write(book, cache)
    assert [path.name for path in out.iterdir()] == [name]
    assert (out / name).read_text() == "mine"


def test_an_edited_page_is_not_written_over_and_nothing_else_is(book, cache):
    write(book, cache)
    out = book.parents[1] / "out"
    (out / "01_small_slides.html").write_text("edited")
    (out / "index.html").unlink()
    with pytest.raises(
        ValueError, match=r"01_small_slides\.html was not written by dpviz, or edited"
    ):
        write(book, cache)
    assert (out / "01_small_slides.html").read_text() == "edited"
    assert not (out / "index.html").exists()


def test_writing_that_was_interrupted_can_be_repeated(book, cache, monkeypatch):
    def full(path, data, replace=files.replace):
        if path.name == "index.html":
            raise OSError("no space left")
        replace(path, data)

    with monkeypatch.context() as patched:
        patched.setattr(files, "replace", full)
        with pytest.raises(ValueError, match=r"cannot be written: no space left"):
            write(book, cache)
    write(book, cache)
    assert (book.parents[1] / "out" / "index.html").is_file()


@pytest.mark.parametrize("record", ["", "[", "{}", '{"what": "lecture 01_small", "files": {}}'])
def test_a_damaged_record_makes_no_file_ours(book, cache, record):
    write(book, cache)
    out = book.parents[1] / "out"
    (out / files.RECORD).write_text(record)
    (out / "notes.html").write_text("mine")
    with pytest.raises(ValueError, match=r"something else|was not written by dpviz"):
        write(book, cache)
    assert (out / "notes.html").read_text() == "mine"


def test_a_folder_of_another_lesson_is_refused(book, cache):
    write(book, cache)
    other = book.with_name("02_other.ipynb")
    other.write_text(book.read_text())
    with pytest.raises(ValueError, match="holds 'lecture 01_small'"):
        write(other, cache)


@pytest.mark.parametrize("target", ["out", "out/below"])
def test_a_file_in_the_place_of_the_folder_is_said(book, cache, target):
    (book.parents[1] / "out").write_text("a file")
    with pytest.raises(ValueError, match=r"no folder|cannot be written"):
        write(book, cache, target)
    assert (book.parents[1] / "out").read_text() == "a file"


@pytest.mark.parametrize("name", ["01", "1", "01_small"])
def test_a_lesson_is_named_by_its_number_or_in_full(book, name):
    assert lecture.found(name, book.parent) == book


@pytest.mark.parametrize("name", ["", "0", "10", "01_", "../x", "small"])
def test_a_lesson_that_does_not_exist_is_said_with_those_that_do(book, name):
    with pytest.raises(ValueError, match=r"no lesson .*01_small"):
        lecture.found(name, book.parent)


def test_the_command_says_what_it_cannot_do(capsys):
    assert command.main(["lecture", "77"]) == 2
    assert "there is no lesson '77'" in capsys.readouterr().err
