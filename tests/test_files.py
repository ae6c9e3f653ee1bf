"""What is written into somebody's folder: whole, through no symbolic link, over nobody's work."""

import json
import os

import pytest

from dpviz import files, lab, lesson
from dpviz.exercises.record import Record
from dpviz.pages import from_disk, lecture, site

OURS = f"<p>{files.MARK}</p>".encode()


@pytest.fixture
def precious(tmp_path):
    """Somebody's file outside of every folder."""
    path = tmp_path / "precious.txt"
    path.write_text("mine")
    yield path
    assert path.read_text() == "mine"


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a"
    files.replace(path, b"one")
    with monkeypatch.context() as patched:
        patched.setattr(files.Path, "replace", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            files.replace(path, b"two")
    assert path.read_bytes() == b"one" and os.listdir(tmp_path) == ["a"]


def test_nothing_is_written_through_a_link(tmp_path, precious, monkeypatch):
    """Neither where the file stands nor where it is written first."""
    link = tmp_path / "link"
    link.symlink_to(precious)
    with pytest.raises(OSError, match="symbolic link"):
        files.replace(link, b"ours")
    assert link.is_symlink()
    monkeypatch.setattr(files.os, "urandom", bytes)
    for part in ("a.part", "a.00000000.part"):
        (tmp_path / part).symlink_to(precious)
    with pytest.raises(FileExistsError):
        files.replace(tmp_path / "a", b"ours")


def test_a_folder_is_renewed_beside_what_was_added(tmp_path):
    files.write(tmp_path, {"a": OURS, "below/b": OURS, "below/c/d": OURS}, "pages")
    (tmp_path / "mine").write_text("mine")
    files.write(tmp_path, {"a": OURS + b"2"}, "pages")
    assert sorted(os.listdir(tmp_path)) == [files.RECORD, "a", "mine"]
    assert (tmp_path / "a").read_bytes() == OURS + b"2"


@pytest.mark.parametrize("name", ["index.html", "photo.png", "below/index.html"])
def test_a_folder_that_holds_something_else_is_refused(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(ValueError, match="holds something else: name a new or an empty folder"):
        files.write(tmp_path, {name: OURS}, "pages")
    with pytest.raises(ValueError, match="holds something else"):
        from_disk.pages(tmp_path, lab.LESSONS, tmp_path / "cache")
    assert (tmp_path / name).read_text() == "mine" and not (tmp_path / "cache").exists()


def test_an_edited_file_stays_and_nothing_else_is_written(tmp_path):
    files.write(tmp_path, {"a": OURS, "b": OURS, "c": OURS}, "pages")
    (tmp_path / "b").write_bytes(OURS + b" mine")
    with pytest.raises(ValueError, match="b was not written by dpviz, or edited: rename it"):
        files.write(tmp_path, {"a": OURS + b"2", "b": OURS + b"2"}, "pages")
    assert (tmp_path / "a").read_bytes() == OURS and (tmp_path / "c").exists()
    (tmp_path / "c").write_bytes(OURS + b" mine")
    (tmp_path / "b").rename(tmp_path / "mine")
    files.write(tmp_path, {"a": OURS}, "pages")
    assert (tmp_path / "c").exists() and (tmp_path / "mine").exists()  # edited, so it stays


def test_a_forged_record_makes_no_file_ours(tmp_path):
    """One that names somebody's own page with its digest: our mark is not in it."""
    folder = tmp_path / "pages"
    files.write(folder, {"a": OURS}, "pages")
    (folder / "index.html").write_bytes(b"mine")
    told = json.loads((folder / files.RECORD).read_text())
    told["files"]["index.html"] = [files.digest(b"mine")]
    (folder / files.RECORD).write_text(json.dumps(told))
    with pytest.raises(ValueError, match="was not written by dpviz"):
        files.write(folder, {"index.html": OURS}, "pages")
    files.write(folder, {"a": OURS}, "pages")
    assert (folder / "index.html").read_bytes() == b"mine"


def test_a_folder_below_that_is_a_link_is_not_entered(tmp_path, precious):
    folder, outside = tmp_path / "pages", tmp_path / "outside"
    outside.mkdir()
    (outside / "b").write_bytes(OURS)
    files.write(folder, {"a": OURS}, "pages")
    (folder / "below").symlink_to(outside)
    told = {"what": "pages", "files": {"below/b": [files.digest(OURS)], "a": [files.digest(OURS)]}}
    (folder / files.RECORD).write_text(json.dumps(told))
    for name in ("below/b", "below/new", "../new"):
        with pytest.raises(ValueError, match="was not written by dpviz"):
            files.write(folder, {name: OURS + b"2"}, "pages")
    files.write(folder, {"a": OURS}, "pages")
    assert os.listdir(outside) == ["b"] and (outside / "b").read_bytes() == OURS


def test_writing_that_stopped_between_two_files_can_be_repeated(tmp_path, monkeypatch):
    files.write(tmp_path, {"a": OURS, "b": OURS}, "pages")

    def full(path, data, replace=files.replace):
        if path.name == "b":
            raise OSError("no space left")
        replace(path, data)

    newer = {"a": OURS + b"2", "b": OURS + b"2"}
    with monkeypatch.context() as patched:
        patched.setattr(files, "replace", full)
        with pytest.raises(ValueError, match=r"pages: .* cannot be written: no space left"):
            files.write(tmp_path, newer, "pages")
    files.write(tmp_path, newer, "pages")
    assert [(tmp_path / name).read_bytes() for name in newer] == list(newer.values())


def test_all_that_write_folders_refuse_those_of_others(tmp_path):
    """Pages, a site, a lecture: none into the folder of another."""
    writers = {
        "pages": lambda folder: from_disk.pages(folder, lab.LESSONS, tmp_path / "cache"),
        "site": lambda folder: site.build(folder, lab.LESSONS, tmp_path / "cache"),
        "lecture 00_start": lambda folder: lecture.write(
            lesson.paths(lab.LESSONS)[0], folder, tmp_path / "cache", tmp_path
        ),
    }
    for what in writers:
        for other, write in writers.items():
            folder = tmp_path / f"{what} {other}"
            if what != other:
                files.write(folder, {"a": OURS}, what)
                with pytest.raises(ValueError, match=f"holds '{what}', not '{other}'"):
                    write(folder)


def test_lessons_and_answers_are_not_written_through_a_link(tmp_path, precious):
    folder = tmp_path / "lessons"
    folder.mkdir()
    for name in (lab.RECORD, "dpviz-answers.json"):
        (folder / name).symlink_to(precious)
    with pytest.raises(ValueError, match="symbolic link"):
        lab.copy(folder)
    record = Record(folder / "absent.json")
    (folder / "absent.json").symlink_to(tmp_path / "elsewhere.json")

    class Asked:
        name, question, held, asked = "start.one", "?", "", False

    record.tried(Asked, "1", "No.")
    assert "symbolic link" in record.problem and not (tmp_path / "elsewhere.json").exists()
