"""Each instrument as a page of its own: its code is enough, and shows what the lesson shows."""

import json
import re
import socket
import sys
from pathlib import Path

import pytest

from dpviz import __main__ as dpviz_command
from dpviz import lab
from dpviz.pages import apps
from dpviz.views import whole_window

BOOKS = lab.notebooks(lab.LESSONS)
PAGES = {name: (book, code) for book in BOOKS for name, code in apps.pages(book)}


def text(words):
    """The words of HTML, without the rules of style and the scripts."""
    bare = re.sub(r"<(style|script)>.*?</\1>", " ", words, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", bare).split())


def stored(book):
    """What a lesson keeps in words of each of its explorers and players, in order."""
    for cell in json.loads(book.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code" and re.search(
            r"^\w+\.(explore|play)_", "".join(cell["source"]), re.M
        ):
            kept = [
                output["data"].get("text/html", "")
                for output in cell["outputs"]
                if "data" in output
            ]
            yield text("".join(next(each for each in kept if "dpviz-words" in "".join(each))))


def test_every_explorer_and_player_has_a_page():
    for book in BOOKS:
        source = book.read_text("utf-8")
        shown = re.findall(r'^ +"\w+\.((?:explore|play)_\w+)\(', source, re.M)
        named = [re.sub(r"_\d$", "", name[3:]) for name in PAGES if name[:2] == book.stem[:2]]
        assert named == shown


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_its_lesson_shows(name, monkeypatch, capsys):
    book, code = PAGES[name]
    shown = []
    monkeypatch.setattr(whole_window, "show", shown.append)
    exec(code, {})
    place = [each for each in PAGES if each[:2] == name[:2]].index(name)
    words = text(shown[0].still()[1])
    assert len(words) > 60 and words in list(stored(book))[place]
    assert capsys.readouterr().out == ""


def test_pages_and_index_are_written_and_renewed(tmp_path):
    folder = tmp_path / "apps"
    written = apps.write(folder, lab.LESSONS)
    assert [path.stem for path in written] == list(PAGES)
    linked = re.findall(r'href="\.\./render/(.+?)"', (folder / "index.html").read_text("utf-8"))
    assert linked == [path.name for path in written]
    (cell,) = json.loads(written[0].read_text("utf-8"))["cells"]
    assert cell["source"] == next(iter(PAGES.values()))[1]


def test_an_older_page_goes_and_what_is_not_ours_stays(tmp_path):
    written = apps.write(tmp_path, lab.LESSONS)
    older, mine = tmp_path / "03_explore_older.ipynb", tmp_path / "03_mine.ipynb"
    older.write_text("{}")
    mine.write_text("mine")
    outside = tmp_path.parent / "outside.ipynb"
    outside.write_text("mine")
    record = tmp_path / apps.RECORD
    told = json.loads(record.read_text("utf-8"))
    record.write_text(json.dumps({**told, older.name: "", "../outside.ipynb": ""}))
    assert apps.write(tmp_path, lab.LESSONS) == written
    assert not older.exists() and outside.exists() and mine.read_text() == "mine"
    record.write_text("{damaged")
    assert apps.write(tmp_path, lab.LESSONS) == written and mine.read_text() == "mine"


def test_a_folder_with_something_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "03_mine.ipynb").write_text("mine")
    (tmp_path / "index.html").write_text("mine")
    assert dpviz_command.main(["apps", str(tmp_path)]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert (tmp_path / "03_mine.ipynb").read_text() == "mine"
    assert dpviz_command.main(["apps", str(tmp_path / "03_mine.ipynb" / "below")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_what_hinders_serving_is_said(tmp_path, capsys, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        asked = ["apps", str(tmp_path / "apps"), "--serve", "--no-browser", "--port", port]
        assert dpviz_command.main(asked) == 2
        assert f"port {port} is not free" in capsys.readouterr().err
    assert dpviz_command.main([*asked[:-1], "99999"]) == 2
    assert "port 99999" in capsys.readouterr().err
    monkeypatch.setattr(apps, "command", lambda folder, port: [sys.executable, "-c", ""])
    assert dpviz_command.main([*asked[:-1], "0"]) == 2
    assert "Voila did not start" in capsys.readouterr().err
    monkeypatch.setattr(apps.importlib.util, "find_spec", lambda name: None)
    assert dpviz_command.main(asked) == 2
    assert "Voila is not installed" in capsys.readouterr().err
    assert len(list(Path(tmp_path / "apps").glob("*.ipynb"))) == len(PAGES)
