"""Each instrument as a page of its own: its code is enough, and shows what the lesson shows."""

import http.client
import json
import re
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from dpviz import __main__ as dpviz_command
from dpviz import files, lab
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
    older.write_text(apps.notebook("older = 1"))
    mine.write_text("mine")
    record = tmp_path / files.RECORD
    told = json.loads(record.read_text("utf-8"))
    told["files"][older.name] = [files.digest(older.read_bytes())]
    record.write_text(json.dumps(told))
    assert apps.write(tmp_path, lab.LESSONS) == written
    assert not older.exists() and mine.read_text() == "mine"
    record.write_text("{damaged")
    with pytest.raises(ValueError, match="holds something else"):
        apps.write(tmp_path, lab.LESSONS)
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("trust", [lambda data: "", files.digest, lambda data: 3])
def test_a_forged_record_removes_no_file(tmp_path, trust):
    """Of somebody's own files that it names: in the folder, outside, and behind a link."""
    folder, outside = tmp_path / "apps", tmp_path / "outside.ipynb"
    apps.write(folder, lab.LESSONS)
    mine, link = folder / "mine.ipynb", folder / "link.ipynb"
    for path in (outside, mine):
        path.write_text("mine")
    link.symlink_to(outside)
    record = folder / files.RECORD
    told = json.loads(record.read_text("utf-8"))
    names = ("mine.ipynb", "link.ipynb", "../outside.ipynb", str(outside), "", ".", "..")
    told["files"] |= {name: [trust(b"mine")] for name in names}
    record.write_text(json.dumps(told))
    apps.write(folder, lab.LESSONS)
    assert link.is_symlink() and mine.read_text() == outside.read_text() == "mine"
    assert names[0] not in record.read_text("utf-8")  # it is not asked about again
    older = dict.fromkeys(("mine.ipynb", "index.html"), "written")
    (folder / ".dpviz-apps.json").write_text(json.dumps(older))
    apps.write(folder, lab.LESSONS)
    assert mine.read_text() == "mine"


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


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Port and process of Voila as ``dpviz apps --serve`` starts it, with one small page."""
    folder = tmp_path_factory.mktemp("apps")
    (folder / "page.ipynb").write_text(apps.notebook("1"), "utf-8")
    (folder / apps.INDEX).write_text("first", "utf-8")
    port = apps.free(0)
    with subprocess.Popen(apps.command(folder, port)) as voila:
        try:
            apps.answered(f"http://127.0.0.1:{port}{apps.PLACE}", voila)
            yield port, psutil.Process(voila.pid)
        finally:
            voila.terminate()


PAGE, KERNEL = "/voila/render/page.ipynb", f"/api/kernels/{'0' * 8}-0000-0000-0000-{'0' * 12}"
ASKS = [apps.PLACE, PAGE, "/voila/static/voila.js", f"{KERNEL}/channels", "/absent"]


def status(port, path, **headers):
    """What the server answers to a request with these headers."""
    names = {name.replace("_", "-"): text.format(port=port) for name, text in headers.items()}
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=120)) as asked:
        asked.request("GET", path, headers={"Host": f"127.0.0.1:{port}", **names})
        with asked.getresponse() as answer:
            answer.read()
            return answer.status


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example:{port}"},  # a name that was made to lead here
        {"Host": "evil.example"},
        {"Host": "127.0.0.1:1"},
        {"Host": "127.0.0.1.evil.example:{port}"},
        {"Host": "[::1"},
        {"Host": ""},
        {"Sec_Fetch_Site": "cross-site"},  # a picture on a page of another site
        {"Sec_Fetch_Site": "same-site"},  # another server on this computer
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
    ],
)
def test_a_request_from_elsewhere_is_refused_and_starts_no_kernel(served, headers):
    port, voila = served
    before = voila.children()
    assert {path: status(port, path, **headers) for path in ASKS} == dict.fromkeys(ASKS, 403)
    assert voila.children() == before


@pytest.mark.parametrize(
    "headers",
    [{}, {"Host": "localhost:{port}"}, {"Host": "LOCALHOST:{port}"}, {"Host": "[::1]:{port}"}],
)
def test_a_request_from_here_is_answered(served, headers):
    for own in ({}, {"Sec_Fetch_Site": "none"}, {"Sec_Fetch_Site": "same-origin"}):
        assert status(served[0], apps.PLACE, **headers, **own) == 200


def test_a_page_that_is_asked_for_from_here_starts_its_kernel(served):
    """So the tests above would see one."""
    port, voila = served
    before = len(voila.children())
    assert status(port, PAGE, Sec_Fetch_Site="none") == 200
    assert len(voila.children()) == before + 1
