"""The folder that any web server can serve: a first page and JupyterLab with Python inside.

The lab is lite-kernel's; here stands what dpviz brings to it: the lessons, the package with its
data, the first page, the readable pages and the reference.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from dpviz import lesson
from dpviz.files import RECORD, known, write
from dpviz.words import languages, table

try:
    from lite_kernel import offline
    from lite_kernel.site import LAB, Contents, Handler, lab, licences, server
except ModuleNotFoundError as missing:
    raise ValueError(
        f"{missing.name} is not installed: the site needs what `make site` installs"
    ) from None

__all__ = ["LAB", "STAMP", "Handler", "build", "contents", "server"]
HERE = Path(__file__).parent
WHAT = "site"
STAMP = "dpviz-site.json"
# Required by dpviz, and no lesson in a page needs it: sets of data are all it is used for there.
WITHOUT = ("scikit-learn",)
SETS = ("wine_data.csv", "breast_cancer.csv", "diabetes_data_raw.csv.gz", "digits.csv.gz")
# Beside the lab, and read with a network: a browser keeps all else.
ONLINE = ("reference/",)
# What every lesson imports.
SOON = ("numpy", "ipywidgets", "matplotlib.figure", "dpviz.privacy.curator")
SOON += ("dpviz.instruments.explorer", "dpviz.exercises.faces")
# A reader's answers, as Python writes them beside the lessons and the readable pages keep them.
ANSWERS = {"file": "dpviz-answers.json", "name": "dpviz answers"}


def lab_requires() -> list[str]:
    """Names of what the lessons import beside the package: its extra ``lab``.

    >>> "matplotlib" in lab_requires()
    True
    """
    lines = [Requirement(line) for line in metadata.requires("dpviz") or []]
    wanted = [each for each in lines if not each.marker or each.marker.evaluate({"extra": "lab"})]
    return sorted(each.name for each in wanted)


def contents(source: Path) -> Contents:
    """What the lab holds: the lessons of a folder, dpviz and what it requires, sets of data."""
    sets = Path(next(iter(find_spec("sklearn").submodule_search_locations))) / "datasets" / "data"
    books = [*lesson.paths(source), *lesson.translations(source)]
    held = [*books, *lesson.beside(source)]
    return Contents(
        notebooks={path.relative_to(source).as_posix(): path.read_bytes() for path in held},
        requires=("dpviz", *lab_requires()),
        without=WITHOUT,
        more={f"sklearn/datasets/data/{name}": (sets / name).read_bytes() for name in SETS},
        soon=SOON,
        kept=ANSWERS,
        title="dpviz",
        words={code: {"record": str(table(code)["lab.record"])} for code in languages()},
    )


def build(
    target: Path,
    source: Path,
    cache: Path,
    beside: Mapping[str, Path] | None = None,
    runs: Path | None = None,
) -> dict[str, Any]:
    """Write the site, unless the folder holds just this one; returns its parts and their sizes.

    Parameters
    ----------
    target : a new folder, or one that holds a site; what else stands in it is left alone
    source : the folder of notebooks
    cache : where compressed parts are kept from one build to the next
    beside : folders that are put beside the lab, named as in ``front.BESIDE``; the first page
        leads to them
    runs : where the runs of lessons are kept (:func:`dpviz.pages.from_disk.pages`): what opens a
        lesson is not drawn again

    Raises
    ------
    ValueError
        If the folder holds something else or cannot be written, or something that the build needs
        is missing.
    """
    from dpviz.pages import front
    from dpviz.pages.stored import processors

    stamp = target / STAMP
    known(target, WHAT)
    inside = contents(source)
    beside = beside or {}
    name = digest(inside, beside)
    if stamp.exists() and json.loads(stamp.read_text("utf-8"))["hash"] == name:
        return json.loads(stamp.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as fresh:
        root = Path(fresh) / "site"
        # Not a fork: the page's Python has threads here, which a fork would lack.
        with ProcessPoolExecutor(1, get_context("spawn")) as other:
            building = other.submit(lab, root, inside, cache)
            openings = front.openings(source, processors(), runs)
            parts = building.result()
        licences(root / "licences", inside)
        for place, folder in beside.items():
            shutil.copytree(folder, root / place, ignore=shutil.ignore_patterns(RECORD))
        python = parts["wasm"]["size"] + parts["library"]["size"]
        others = sum(path.stat().st_size for path in offline.kept(root, ONLINE)) - python
        front.write(root, source, openings, python, others, beside)
        offline.write(root, ONLINE)
        parts["hash"] = name
        (root / STAMP).write_text(json.dumps(parts), "utf-8")
        paths = sorted(path for path in root.rglob("*") if path.is_file())
        tree = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
        write(target, tree, WHAT, mark="")  # much of it is other people's, as they wrote it
    return parts


def digest(held: Contents, beside: Mapping[str, Path]) -> str:
    """One name for everything that the folder shows."""
    whole = hashlib.sha256(held.digest(held.library()).encode())
    whole.update((HERE / "landing.html").read_bytes())
    for place, folder in beside.items():
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            whole.update(f"{place}/{path.relative_to(folder)}".encode() + path.read_bytes())
    return whole.hexdigest()[:16]
