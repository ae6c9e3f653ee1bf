"""The built site, file by file: everything it names is there, with its licence."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from lite_kernel import library

from dpviz import lab, lesson

pytestmark = pytest.mark.site
LARGEST = 95_000_000  # bytes: common hosts refuse a file of more than 100 MB
# Modules named otherwise than what they belong to.
OF = {"pil": "pillow", "mpl_toolkits": "matplotlib", "pylab": "matplotlib", "tlz": "toolz"}
OF |= {"dateutil": "python-dateutil", "sklearn": "scikit-learn", "isympy": "sympy"}
OF |= {"reportlab_mods": "reportlab", "reportlab_settings": "reportlab"}
# The page's Python is newer than the one that runs this; "host" is its own.
NEWER = {"annotationlib", "compression", "host"}


@pytest.fixture(scope="module")
def made():
    """The folder of the site."""
    return Path(os.environ["DPVIZ_SITE"]).resolve()


def unlicensed(paths, licences):
    """Top names of the page's library for which no licence is shipped."""
    names = {path.split("/")[0].split(".")[0] for path in paths if ".dist-info/" not in path}
    ours = {name for name in names if name in sys.stdlib_module_names | NEWER or name[0] == "_"}
    known = {name.replace("_", "-") for name in licences}
    return {
        name
        for name in names - ours
        if OF.get(name.lower(), name.lower()).replace("_", "-") not in known
    }


def test_each_package_has_its_licence(made):
    (index,) = made.glob("jupyter/extensions/lite-kernel/static/*/index.json")
    room = library.runtime()[0] + "/"
    pieces = json.loads(index.read_text("utf-8")).values()
    listed = [path for piece in pieces for path, *_ in piece]
    paths = [path.removeprefix(room) for path in listed if path.startswith(room)]
    places = [*(made / "licences").glob("*"), *(made / "licences" / "runtime").glob("*")]
    held = {path.name.removesuffix(".txt") for path in places}
    assert "cpython" in held
    assert unlicensed(paths, held) == set()
    assert unlicensed(paths, held - {"traitlets", "numpy"}) == {"traitlets", "numpy"}


def test_each_extension_and_font_has_its_licence(made):
    said = json.loads((made / "jupyter" / "jupyter-lite.json").read_text("utf-8"))
    loaded = {each["name"] for each in said["jupyter-config-data"]["federated_extensions"]}
    found = {
        path.parent.relative_to(made / "jupyter" / "extensions").as_posix()
        for path in (made / "jupyter" / "extensions").rglob("package.json")
    }
    assert found | {"lite-kernel"} == loaded, "an extension that nothing loads is shipped"
    for name in ("jupyterlab-widgets", "jupyterlab-pygments", "jupyterlite-core", "dpviz"):
        assert list((made / "licences" / name).iterdir()), name
    assert {path.name for path in (made / "licences" / "fonts").iterdir()} >= {"LICENSE_DEJAVU"}
    third = json.loads((made / "jupyter/build/third-party-licenses.json").read_text("utf-8"))
    assert any("mathjax" in package["name"] for package in third["packages"])


@pytest.mark.parametrize("name", ["index.html", "licences/index.html"])
def test_links_lead_to_what_is_there(made, name):
    page = made / name
    links = re.findall(r'(?:href|src|data-read)="([^"#][^"]*)"', page.read_text("utf-8"))
    near = [link.partition("?")[0] for link in links if not link.startswith(("https://", "data:"))]
    assert len(near) > 10
    assert [link for link in near if not (page.parent / link).exists()] == []


def test_what_the_browser_keeps_is_there_and_whole(made):
    first = (made / "offline.js").read_text("utf-8").splitlines()[0]
    files = json.loads(re.search(r"files: (\{.*?\})", first)[1])
    assert all((made / path).is_file() for path in files)
    folder = "jupyter/files/"
    stored = {path.removeprefix(folder) for path in files if path.startswith(folder)}
    shown = (path for path in (made / folder).rglob("*") if path.is_file())
    assert stored == {path.relative_to(made / folder).as_posix() for path in shown}
    books = [*lesson.paths(lab.LESSONS), *lesson.translations(lab.LESSONS)]
    assert {path for path in stored if path.endswith(".ipynb")} == {
        path.relative_to(lab.LESSONS).as_posix() for path in books
    }
    assert stored >= {path.name for path in lesson.beside(lab.LESSONS)}
    assert {"index.html", "jupyter/lab/index.html"} < set(files)
    places = (path.relative_to(made).as_posix() for path in (made / "pages").glob("*"))
    assert set(places) == {path for path in files if path.startswith("pages/")}
    assert not any(path.startswith("reference/") for path in files)
    kinds = [path.split("/")[-1] for path in files]
    assert {"wasm.bin", "first.bin", "worker.js", "lab.js"} < set(kinds)


def test_no_file_is_larger_than_a_host_takes(made):
    sizes = {path: path.stat().st_size for path in made.rglob("*") if path.is_file()}
    assert max(sizes.values()) < LARGEST


def test_the_pages_from_disk_hold_nothing_of_what_they_were_made_of(made):
    assert {path.suffix for path in (made / "pages").iterdir()} == {".html"}
