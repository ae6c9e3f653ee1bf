"""The folder of web pages: what is refused, cached, announced, and served."""

import gzip
import json
import threading
import urllib.request
from pathlib import Path

import pytest
import wasmtime
from lite_kernel import compiled, library, site, wasm
from lite_kernel.__main__ import main

HERE = Path(__file__).parent
BOOK = b'{"cells": []}'
NAME = "".join(["dp", "viz"])  # who made this for their own


def test_a_folder_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "mine.txt").write_text("precious", "utf-8")
    with pytest.raises(ValueError, match="holds something else"):
        site.build(tmp_path, site.Contents(notebooks={"a.ipynb": BOOK}), tmp_path / "parts")
    assert (tmp_path / "mine.txt").read_text("utf-8") == "precious"


def test_what_is_missing_is_named():
    with pytest.raises(ValueError, match="no_such_package is not installed"):
        library.folder("no_such_package")
    with pytest.raises(ValueError, match="no-such-package is not installed"):
        library.closure(["No_Such.Package"])
    with pytest.raises(ValueError, match="the folder holds none"):
        site.Contents(notebooks={"a.csv": b""})
    with pytest.raises(ValueError, match="is no folder"):
        site.files_of(Path("no such folder"))


def test_the_packages_are_what_is_required_and_what_that_requires():
    names = library.closure(["matplotlib"])
    assert {"numpy", "pillow", "python-dateutil", "six"} < set(names)
    assert set(library.closure(["matplotlib"], without=["python-dateutil"])) == set(names) - {"six"}
    always = library.closure(library.ALWAYS)
    assert {"traitlets", "pygments", "wcwidth", "psutil", "jedi"} < set(always)
    assert "parso" not in always, "what only jedi requires"


def test_a_package_comes_from_the_runtime_or_is_pure():
    files = dict(library.packages(["matplotlib"]))
    tops = {path.split("/")[0].split(".")[0] for path in files}
    assert {"PIL", "dateutil", "mpl_toolkits", "numpy", "IPython", "lite_kernel", "json"} < tops
    assert not {"sympy", "pandas", "jedi", "psutil", "_pyrepl"} & tops
    assert any(path.startswith("psutil-") for path in files), "described all the same"
    assert "lite_kernel/worker.js" in files


def test_the_page_has_its_own_settings_and_every_module_that_was_asked_for():
    files = library.everything({}, ["matplotlib", "scipy"])
    names = {path.removeprefix(f"{library.runtime()[0]}/") for path, _ in files}
    assert any(name.startswith("_sysconfigdata") for name in names)
    modules = ["matplotlib.figure", "scipy.stats", "IPython", "ipywidgets", "lite_kernel.kernel"]
    compiled.importable(files, [*modules, "sysconfig; sysconfig.get_config_vars()"])


def test_a_compiled_part_stays_behind_where_a_package_works_without():
    files = library.everything({}, ["pyzmq"])
    assert not any(path.endswith(".so") for path, _ in files)
    compiled.importable(files, ["wcwidth"])
    with pytest.raises(ValueError, match="zmq needs a compiled part"):
        compiled.importable(files, library.quickened(["pyzmq"]))


def test_a_folder_is_taken_whole_but_what_is_hidden(tmp_path):
    for name in ("a.ipynb", "data/b.csv", ".ipynb_checkpoints/a.ipynb", "_output/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    assert list(site.files_of(tmp_path)) == ["a.ipynb", "data/b.csv"]


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    assert main([str(tmp_path), str(tmp_path / "site")]) == 2
    assert capsys.readouterr().err == "lite-kernel: notebooks: the folder holds none\n"


def test_nothing_here_knows_whose_notebooks_they_are():
    files = [path for path in HERE.parent.rglob("*") if path.suffix in (".py", ".js", ".html")]
    assert len(files) > 15
    assert [path for path in files if NAME in path.read_text("utf-8").lower()] == []


PROGRAM = """(module
  (import "a" "memory" (memory 1 2)) (import "a" "table" (table 1 funcref))
  (import "a" "number" (global i32)) (import "a" "f" (func $outside (result i32)))
  (func $__pyx_f_6pandas_5_libs_x (result i32) i32.const 1 i32.const 2 i32.add)
  (func $__pyx_f_5numpy_x (result i32) i32.const 5)
  (func (export "ours") (result i32) call $__pyx_f_5numpy_x)
  (func (export "theirs") (result i32) call $__pyx_f_6pandas_5_libs_x))"""


def test_a_package_that_nobody_imports_is_left_out_of_the_runtime():
    data = wasmtime.wat2wasm(PROGRAM)
    assert wasm.imported(data) == 1
    assert set(wasm.function_names(data).values()) >= {"outside", "__pyx_f_5numpy_x"}
    for packages, ends in ((), 3), (["numpy"], 3), (["pandas"], None):
        store = wasmtime.Store()
        module = wasmtime.Module(store.engine, wasm.smaller(data, packages))
        limits = wasmtime.Limits(1, 2)
        given = [
            wasmtime.Memory(store, wasmtime.MemoryType(limits)),
            wasmtime.Table(store, wasmtime.TableType(wasmtime.ValType.funcref(), limits), None),
            wasmtime.Global(
                store,
                wasmtime.GlobalType(wasmtime.ValType.i32(), mutable=False),
                wasmtime.Val.i32(1),
            ),
            wasmtime.Func(store, wasmtime.FuncType([], [wasmtime.ValType.i32()]), lambda: 1),
        ]
        exports = wasmtime.Instance(store, module, given).exports(store)
        if ends is None:
            with pytest.raises(wasmtime.Trap, match="unreachable"):
                exports["theirs"](store)
        else:
            assert exports["theirs"](store) == ends


def test_the_runtime_is_compressed_once(tmp_path, monkeypatch):
    monkeypatch.setattr(site.wasm, "smaller", lambda data, unused: data[:3])
    runtime = tmp_path / "python.wasm"
    runtime.write_bytes(b"runtime")
    assert gzip.decompress(site.compressed(tmp_path, runtime)) == b"run"
    monkeypatch.undo()
    assert gzip.decompress(site.compressed(tmp_path, runtime)) == b"run"


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
    site.announce(tmp_path, "static/hash/lab.js", "Mine")
    told = json.loads(path.read_text("utf-8"))["jupyter-config-data"]
    assert [each["name"] for each in told["federated_extensions"]] == [*known, site.EXTENSION]
    assert (told["baseUrl"], told["defaultKernelName"]) == ("./", "python3")
    assert told["appName"] == "Mine"
    assert not asks.exists()


def test_the_library_comes_in_pieces_and_the_first_is_what_a_kernel_reads():
    files = library.everything({"a.ipynb": BOOK}, ["numpy"])
    first = compiled.read(files, ["numpy"])
    names = {path.removeprefix(f"{library.runtime()[0]}/") for path in first}
    assert "numpy/__init__.pyc" in names
    assert not any(name.startswith(("pydoc_data", "numpy/f2py")) for name in names)
    pieces = library.pieces(files, first)
    assert sorted(file for piece in pieces.values() for file in piece) == files
    assert {"numpy.f2py", "pydoc_data", "notebooks"} < set(pieces)
    sizes = {name: sum(len(data) for _, data in held) for name, held in pieces.items()}
    assert sizes[library.FIRST] < sum(sizes.values()) / 2
    with pytest.raises(ValueError, match=r"imported at once is not.*no_such_module"):
        compiled.read(files, ["no_such_module"])


def test_a_notebook_travels_without_outputs():
    cell = {"cell_type": "code", "source": "1", "outputs": [{"text": "1"}]}
    book = json.dumps({"cells": [cell]}).encode()
    data = json.loads(library.without_outputs("a.ipynb", book))
    assert data == {"cells": [{"cell_type": "code", "source": "1"}]}
    assert library.without_outputs("a.csv", b"1,2") == b"1,2"


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
        site.announce(tmp_path, "static/hash/lab.js", "Mine")
