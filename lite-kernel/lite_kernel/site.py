"""JupyterLab with Python inside, as a folder that any web server can serve.

Everything comes from what is installed here, and nothing in the folder asks another host. One
hash names all that belongs together: runtime, library, and the scripts that load them; what was
built before is taken from the cache.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path
from typing import Any

from lite_kernel import compiled, library, offline, wasm, words

HERE = Path(__file__).parent
SCRIPTS = ("lab.js", "reader.js", "worker.js", "wasi.js", "inflate.js")
EXTENSION = "lite-kernel"
PLACE = Path("extensions") / EXTENSION / "static"
# JupyterLite reads settings from the first page of its own folder, which is not ours.
LAB = "jupyter"
LESSON = f"{LAB}/lab/index.html?path="  # before the name of a notebook
STAMP = "lite-kernel.json"
# What else is installed here may ask a server, which a page has not.
WITH = {"@jupyter-widgets/jupyterlab-manager", "jupyterlab_pygments"}
EXTENSIONS = ("jupyterlab-widgets", "jupyterlab-pygments")
# JupyterLite's own service worker would take the lab's pages away from ours.
DISABLED = ["@jupyterlite/application-extension:service-worker-manager"]
# Where contents, settings and layouts are stored; in memory where the browser stores nothing.
DRIVERS = ["asyncStorage", "localStorageWrapper", "memoryStorageDriver"]
STORES = ("contents", "settings", "workspaces")
SETTINGS = {"@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 3}}  # seconds


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a site holds.

    Attributes
    ----------
    notebooks : the files of its folder, notebooks among them, by name
    requires : installed distributions that the notebooks import
    without : distributions that these require, and the notebooks do not
    more : further files of Python's library, by path
    soon : modules that are imported while nobody asks
    kept : a file that Python writes beside the notebooks and the browser's storage keeps, if any:
        ``file`` and its ``name`` in the storage
    title : of the page
    language : what the lab says is said in it, but beside a notebook in a folder that is named
        by another language
    words : messages of the site's own, by language and name, as in :func:`words.messages`
    """

    notebooks: Mapping[str, bytes]
    requires: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    more: Mapping[str, bytes] = field(default_factory=dict)
    soon: tuple[str, ...] = ("numpy", "ipywidgets")
    kept: Mapping[str, str] | None = None
    title: str = "Notebooks"
    language: str = words.SOURCE
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = self.messages()
        if self.language not in known:
            raise ValueError(f"language must be one of {', '.join(known)}, not {self.language!r}")
        if not any(name.endswith(".ipynb") for name in self.notebooks):
            raise ValueError("notebooks: the folder holds none")

    def messages(self) -> dict[str, dict[str, str]]:
        """What the lab says, by language and name."""
        return words.messages(self.words)

    def page(self, template: str, **values: str) -> str:
        """A page of ours with its messages and these values in it."""
        page = (HERE / template).read_text("utf-8")
        title = html.escape(self.title)
        said = self.messages()[self.language]
        for name, text in {**said, "language": self.language, "title": title, **values}.items():
            page = page.replace(f"{{{name}}}", text)
        return page

    def library(self) -> list[tuple[str, bytes]]:
        """Every file that the page's Python reads."""
        return library.everything(self.notebooks, self.requires, self.without, self.more)

    def unused(self) -> list[str]:
        """Top names of the runtime's packages that the library has not."""
        held = library.closure([*library.ALWAYS, *self.requires], self.without)
        left = library.brought().keys() - (set(held) - set(self.without))
        return sorted(top for name in left for top in library.modules(name))

    def digest(self, files: list[tuple[str, bytes]]) -> str:
        """One name for everything that the lab loads and shows, ``files`` its library."""
        whole = hashlib.sha256(library.artifact("python.wasm").read_bytes())
        pages = {path.name: path.read_bytes() for path in sorted(HERE.glob("*.*"))}
        for name, data in [*files, *sorted(self.notebooks.items()), *pages.items()]:
            whole.update(f"{name} {len(data)}\n".encode() + data)
        for package in ("jupyterlite-core", *EXTENSIONS):
            whole.update(metadata.version(package).encode())
        whole.update(
            json.dumps([self.soon, self.kept, self.title, self.language, self.messages()]).encode()
        )
        return whole.hexdigest()[:16]


def build(target: Path, contents: Contents, cache: Path) -> dict[str, Any]:
    """Write a whole site: the lab, its licences, a first page, what a browser keeps.

    Parameters
    ----------
    target : a new or empty folder, or one that holds an older site and nothing else
    contents : what the site holds
    cache : where compiled and compressed parts are kept from one build to the next

    Raises
    ------
    ValueError
        If the folder holds something else, or something that the build needs is missing.
    """
    older = target / STAMP
    if target.exists() and any(target.iterdir()) and not older.exists():
        raise ValueError(f"{target} holds something else: name a new or an empty folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as fresh:
        made = Path(fresh) / "site"
        parts = lab(made, contents, cache)
        licences(made / "licences", contents)
        first_page(made, contents)
        offline.write(made)
        (made / STAMP).write_text(json.dumps(parts), "utf-8")
        if target.exists():
            os.replace(target, Path(fresh) / "older")
        os.replace(made, target)
    return parts


def lab(made: Path, contents: Contents, cache: Path) -> dict[str, Any]:
    """Write JupyterLab with Python into a new folder, below ``jupyter``; its parts and sizes."""
    files = contents.library()
    name = contents.digest(files)
    runtime = library.artifact("python.wasm")
    names = library.carried(contents.requires, contents.without)
    # Beside the page's Python, which compiles: both wait for a process, or pack without Python.
    with ThreadPoolExecutor(2) as others:
        packing = others.submit(compressed, cache, runtime, contents.unused())
        building = others.submit(jupyterlite, made / LAB, contents.notebooks)
        compiled.importable(files, library.quickened(names))
        files = compiled.beside(files, runtime, cache)
        first = compiled.read(files, contents.soon)
        building.result()
        parts = write_parts(made / LAB, name, contents, files, first, packing.result())
    return {"hash": name, **parts}


def jupyterlite(made: Path, notebooks: Mapping[str, bytes]) -> None:
    """JupyterLab without a server, as JupyterLite builds it, with the notebooks as its files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in notebooks.items():
            place = Path(folder) / "files" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            is_book = name.endswith(".ipynb")
            place.write_bytes(
                json.dumps(in_one_piece(json.loads(data))).encode() if is_book else data
            )
        command = [sys.executable, "-c", "from jupyterlite_core.app import main; main()", "build"]
        command += ["--apps", "lab", "--no-sourcemaps", "--no-unused-shared-packages"]
        command += ["--contents", str(Path(folder) / "files")]
        command += ["--lite-dir", folder, "--output-dir", str(made)]
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


def write_parts(
    made: Path,
    name: str,
    contents: Contents,
    files: list[tuple[str, bytes]],
    first: Collection[str],
    runtime: bytes,
) -> dict[str, Any]:
    """Put the runtime, the library and our scripts into the lab; returns name and size of each.

    ``first`` are the paths of what is read at once.
    """
    place = made / PLACE / name
    place.mkdir(parents=True)
    for script in SCRIPTS:
        shutil.copy(HERE / script, place)
    parts: dict[str, Any] = {"index": "index.json", "soon": contents.soon, "kept": contents.kept}
    index = {}

    def put(piece: str, data: bytes) -> dict[str, Any]:
        (place / f"{piece}.bin").write_bytes(data)
        return {"url": f"{piece}.bin", "size": len(data)}

    parts["wasm"] = put("wasm", runtime)
    with ThreadPoolExecutor(2) as packers:
        squeezed = packers.map(deflated, [data for _, data in files])
        packed_as = dict(zip([path for path, _ in files], squeezed, strict=True))
    for piece, held in library.pieces(files, first).items():
        packed = [packed_as[path] for path, _ in held]
        told = put(piece, b"".join(packed))
        if piece == library.FIRST:
            parts["library"] = told
        pairs = zip(held, packed, strict=True)
        index[told["url"]] = [(path, len(data), len(part)) for (path, data), part in pairs]
    (place / "index.json").write_text(json.dumps(index), "utf-8")
    told = {"words": contents.messages(), "language": contents.language}
    (place / "parts.json").write_text(json.dumps(parts | told), "utf-8")
    announce(made, f"static/{name}/lab.js", contents.title)
    return parts


def compressed(cache: Path, runtime: Path, unused: Collection[str] = ()) -> bytes:
    """The runtime without its names and without some packages, compressed; kept in the cache."""
    data = runtime.read_bytes()
    key = hashlib.sha256(data + Path(wasm.__file__).read_bytes() + " ".join(unused).encode())
    kept = cache / f"{key.hexdigest()[:16]}.gz"
    if not kept.exists():
        cache.mkdir(parents=True, exist_ok=True)
        part = cache / f"{kept.stem}.{os.getpid()}.part"
        part.write_bytes(gzip.compress(wasm.smaller(data, unused), compresslevel=6, mtime=0))
        part.replace(kept)
    return kept.read_bytes()


def deflated(data: bytes) -> bytes:
    """A file as the page's system unpacks it; as it is where that is no shorter.

    >>> len(deflated(b"a" * 99)) < 9, deflated(b"a")
    (True, b'a')
    """
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = packer.compress(data) + packer.flush()
    return packed if len(packed) < len(data) else data


def announce(made: Path, script: str, title: str) -> None:
    """Tell JupyterLab which extensions to load, ours among them, and which kernel to take."""
    path = made / "jupyter-lite.json"
    settings = json.loads(path.read_text("utf-8"))
    config = settings["jupyter-config-data"]
    ours = {"name": EXTENSION, "extension": "./extension", "load": script, "liteExtension": True}
    known = [one for one in config["federated_extensions"] if one["name"] in WITH]
    for one in config["federated_extensions"]:
        if one["name"] not in WITH:
            shutil.rmtree(made / "extensions" / one["name"], ignore_errors=True)
    config["federated_extensions"] = [*known, ours]
    if missing := WITH - {one["name"] for one in known}:
        raise ValueError(f"not installed, or not as an extension: {', '.join(sorted(missing))}")
    config |= {"defaultKernelName": "python3", "appName": title, "exposeAppInBrowser": True}
    config |= {"disabledExtensions": DISABLED, "settingsOverrides": SETTINGS}
    config |= {f"{store}StorageDrivers": DRIVERS for store in STORES}
    config["enableMemoryStorage"] = True
    path.write_text(json.dumps(settings, indent=1), "utf-8")


def licences(folder: Path, contents: Contents) -> None:
    """The words under which each part may be handed on: the runtime's, the packages', the lab's."""
    shutil.copytree(library.artifact("LICENSES"), folder / "runtime")
    packages = library.carried(contents.requires, contents.without)
    for name in [*packages, *EXTENSIONS, "jupyterlite-core"]:
        for path in library.installed(name).files or []:
            if path.name.upper().startswith(("LICENSE", "COPYING", "LICENCE")):
                (folder / name).mkdir(parents=True, exist_ok=True)
                shutil.copy(path.locate(), folder / name / path.name)
    (folder / "fonts").mkdir()
    for name, text in library.fonts_licences():
        (folder / "fonts" / name).write_bytes(text)
    found = sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*"))
    found.append(f"../{LAB}/build/third-party-licenses.json")  # of what JupyterLab is made of
    rows = "".join(f'<li><a href="{path}">{path.removeprefix("../")}</a></li>\n' for path in found)
    (folder / "index.html").write_text(contents.page("licences.html", rows=rows), "utf-8")


def first_page(made: Path, contents: Contents) -> None:
    """A list of the notebooks, each a link into the lab."""
    names = sorted(name for name in contents.notebooks if name.endswith(".ipynb"))
    rows = "".join(
        f'<li><a href="{html.escape(LESSON + name)}">{html.escape(name)}</a></li>\n'
        for name in names
    )
    (made / "index.html").write_text(contents.page("first.html", rows=rows), "utf-8")


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


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its name, those that begin with a dot or an underscore left out.

    Raises ``ValueError`` if there is no such folder.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder): path for path in paths}
    shown = {
        name: path
        for name, path in names.items()
        if not any(part.startswith((".", "_")) for part in name.parts)
    }
    return {name.as_posix(): path.read_bytes() for name, path in shown.items()}
