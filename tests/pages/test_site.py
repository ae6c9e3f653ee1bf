"""The folder of web pages: what is refused, cached, announced, and served."""

import json
import threading
import urllib.request

import pytest

from dpviz.pages import compiled, library, site


def test_a_folder_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "mine.txt").write_text("precious", "utf-8")
    with pytest.raises(ValueError, match="holds something else"):
        site.build(tmp_path, tmp_path, tmp_path / "parts")
    assert (tmp_path / "mine.txt").read_text("utf-8") == "precious"


def test_what_is_missing_is_named():
    with pytest.raises(ValueError, match="no_such_package is not installed"):
        library.folder("no_such_package")


def test_a_part_is_compressed_once(tmp_path):
    made = []
    first = site.compressed(tmp_path, lambda: made.append(1) or b"library", "key")
    second = site.compressed(tmp_path, lambda: made.append(2) or b"another", "key")
    assert first == second
    assert made == [1]


def test_sources_are_compiled_once_and_stand_beside_what_was_made_of_them(tmp_path, monkeypatch):
    asked = []

    def compile_all(sources):
        asked.append([path for path, _ in sources])
        return [(f"lib/__pycache__/{len(asked)}.pyc", b"made")]

    monkeypatch.setattr(compiled, "compiled", compile_all)
    (runtime := tmp_path / "python.wasm").write_bytes(b"runtime")
    files = [("lib/a.py", b"1"), ("lib/b.txt", b"2")]
    first, second = (compiled.beside(files, runtime, tmp_path / "cache") for _ in range(2))
    assert first == second == sorted([*files, ("lib/__pycache__/1.pyc", b"made")])
    assert asked == [["lib/a.py"]]
    other = compiled.beside([("lib/a.py", b"3")], runtime, tmp_path / "cache")
    assert ("lib/__pycache__/2.pyc", b"made") in other


def test_jupyterlab_is_told_of_the_kernel_and_keeps_what_it_knew(tmp_path):
    known = sorted(site.WITH)
    asks = tmp_path / "extensions" / "asks a server"
    asks.mkdir(parents=True)
    found = [*({"name": name} for name in known), {"name": asks.name}]
    config = {"federated_extensions": found, "baseUrl": "./"}
    path = tmp_path / "jupyter-lite.json"
    path.write_text(json.dumps({"jupyter-config-data": config}), "utf-8")
    site.announce(tmp_path, "static/hash/lab.js")
    told = json.loads(path.read_text("utf-8"))["jupyter-config-data"]
    assert [each["name"] for each in told["federated_extensions"]] == [*known, site.EXTENSION]
    assert (told["baseUrl"], told["defaultKernelName"]) == ("./", "python3")
    assert not asks.exists()


def test_the_lessons_travel_without_outputs(tmp_path):
    cell = {"cell_type": "code", "source": "1", "outputs": [{"text": "1"}]}
    (tmp_path / "00_start.ipynb").write_text(json.dumps({"cells": [cell]}), "utf-8")
    ((name, data),) = library.lessons(tmp_path)
    assert name == "00_start.ipynb"
    assert json.loads(data) == {"cells": [{"cell_type": "code", "source": "1"}]}


def test_the_server_gives_scripts_the_type_that_a_browser_asks_for(tmp_path):
    (tmp_path / "worker.js").write_text("", "utf-8")
    with site.server(tmp_path) as server:
        assert server.server_address[0] == "127.0.0.1"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/worker.js"
        with urllib.request.urlopen(address) as answer:
            assert answer.headers["Content-Type"] == "text/javascript"
        server.shutdown()


def test_a_lab_without_widgets_is_no_lab(tmp_path):
    config = {"jupyter-config-data": {"federated_extensions": [{"name": "jupyterlab_pygments"}]}}
    (tmp_path / "jupyter-lite.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(ValueError, match="@jupyter-widgets/jupyterlab-manager"):
        site.announce(tmp_path, "static/hash/lab.js")
