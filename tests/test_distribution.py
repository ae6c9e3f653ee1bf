"""What is handed out: the wheel holds the lessons, the source distribution all that tests need."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import fresh
import pytest

from dpviz import lesson

ROOT = Path(__file__).parents[1]
# In a network of its own a computer has to switch the way to itself on.
LOOPBACK = """import fcntl, os, socket, struct, sys
request = struct.pack("16sH14s", b"lo", 0x1 | 0x40, b"")  # up, running
fcntl.ioctl(socket.socket(), 0x8914, request)
os.execvp(sys.argv[1], sys.argv[1:])"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the source distribution."""
    return fresh.build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def installed(built):
    """The wheel as an installation lays it out, in a folder for PYTHONPATH."""
    folder = built[0].parent / "installed"
    with zipfile.ZipFile(built[0]) as wheel:
        wheel.extractall(folder)
    return folder


def test_the_wheel_holds_the_lessons_and_nothing_of_the_tests(installed):
    held = {path.name for path in (installed / "dpviz/installed/notebooks").iterdir()}
    lessons = {path.name for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")}
    translated = lesson.translations(ROOT / "notebooks")
    assert held == lessons | {"frontier.md", "frontier.svg"} | {
        path.parent.name for path in translated
    }
    for path in translated:
        assert (
            installed / "dpviz/installed" / path.relative_to(ROOT)
        ).read_bytes() == path.read_bytes()
    assert {path.name for path in installed.iterdir()} == {
        "dpviz",
        next(installed.glob("*.dist-info")).name,
    }


# What runs leave in the checkout.
MADE = ("theorems.rst", "frontier.rst", "gallery.rst")
OWN = {"__pycache__", ".ipynb_checkpoints", "api", "pictures", "node_modules"}


def test_the_source_distribution_is_the_checkout(built):
    with tarfile.open(built[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {path.name for path in ROOT.iterdir() if path.is_file() and path.name != ".git"}
    for top in ("dpviz", "tests", "docs", "notebooks", "benchmarks", "binder", ".ci", ".github"):
        for folder, _, files in os.walk(ROOT / top):
            here = Path(folder).relative_to(ROOT)
            if not OWN & set(here.parts):
                wanted |= {(here / name).as_posix() for name in files if name not in MADE}
    assert not wanted - names


def without_network():
    """What a command is begun with so that it reaches this computer only; nothing if none can."""
    begin = ["unshare", "-rn", sys.executable, "-c", LOOPBACK]
    works = shutil.which("unshare") and not subprocess.run([*begin, "true"], check=False).returncode
    return begin if works else []


def test_an_installation_copies_serves_and_runs_its_lessons_without_network(installed, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [*without_network(), sys.executable, str(ROOT / "tests" / "installed.py")]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"):
        assert (tmp_path / "lessons of mine" / path.name).read_bytes() == path.read_bytes()
