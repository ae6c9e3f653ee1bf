"""What dpviz brings to the site, and what is said where lite-kernel is not installed."""

import subprocess
import sys
from pathlib import Path

from lite_kernel import compiled

import dpviz
from dpviz import lab
from dpviz.pages import site

ABSENT = "import sys; sys.modules['lite_kernel'] = None; from dpviz.__main__ import main; "
ABSENT += "sys.exit(main(['site', 'folder']))"


def test_without_the_kernel_it_is_said_what_installs_it():
    done = subprocess.run(
        [sys.executable, "-c", ABSENT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "lite_kernel is not installed: the site needs what `make site` installs" in done.stderr


def test_every_module_of_dpviz_can_be_imported_in_the_page():
    files = site.contents(lab.LESSONS).library()
    ours = Path(dpviz.__file__).parent
    shown = [path for room in ("lessons", "papers") for path in (ours / room).rglob("*.py")]
    names = [".".join(path.relative_to(ours.parent).with_suffix("").parts) for path in shown]
    assert len(names) > 140
    compiled.importable(files, [", ".join(name for name in names if "__init__" not in name)])


def test_the_lab_holds_the_lessons_the_package_and_its_data():
    held = site.contents(lab.LESSONS)
    assert next(iter(held.notebooks)) == "00_start.ipynb"
    paths = {path for path, _ in held.library()}
    room = next(path for path in paths if path.endswith("dpviz/__init__.py"))
    room = room.removesuffix("dpviz/__init__.py")
    assert f"{room}sklearn/datasets/data/{site.SETS[0]}" in paths
    assert f"{room}sklearn/__init__.py" not in paths
    assert any(path.startswith(f"{room}dpviz/lessons/") for path in paths)
    assert any(path.startswith(f"{room}scikit_learn-") for path in paths), "described all the same"
    soon = [name.replace(".", "/") for name in site.SOON]
    assert all(
        {f"{room}{name}.py", f"{room}{name}/__init__.py"} & paths
        or {f"{room}{name}.pyc", f"{room}{name}/__init__.pyc"} & paths
        for name in soon
    )
