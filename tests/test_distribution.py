"""What is handed out: the wheel holds the lessons, the source distribution all that tests need."""

import os
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest
from lab import free_port

ROOT = Path(__file__).parents[1]
BUILD = "from setuptools import build_meta as b; b.build_{0}('..')"
# Not part of a checkout, and large.
LEFT = shutil.ignore_patterns(".git", ".venv*", "build", "reports", "*.egg-info", "__pycache__")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Folder with the wheel and the source distribution, built from a copy of the checkout."""
    folder = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, folder / "source", ignore=LEFT)
    for kind in ("sdist", "wheel"):
        command = [sys.executable, "-c", BUILD.format(kind)]
        done = subprocess.run(
            command, cwd=folder / "source", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
    return folder


@pytest.fixture(scope="module")
def installed(built):
    """The wheel as an installation lays it out, in a folder for PYTHONPATH."""
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(built / "installed")
    return built / "installed"


def run(installed, folder, *arguments, **more):
    """A Python that finds the unpacked wheel first, somewhere else."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, **more
    )


def test_the_wheel_holds_the_lessons_and_nothing_of_the_tests(installed):
    held = {path.name for path in (installed / "dpviz/installed/notebooks").iterdir()}
    assert held == {path.name for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")}
    assert {path.name for path in installed.iterdir()} == {
        "dpviz",
        next(installed.glob("*.dist-info")).name,
    }


def test_the_source_distribution_is_the_checkout(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {path.name for path in ROOT.iterdir() if path.is_file() and path.name != ".git"}
    for top in ("dpviz", "tests", "notebooks", "benchmarks", "binder", ".ci", ".github"):
        files = [path for path in (built / "source" / top).rglob("*") if path.is_file()]
        wanted |= {path.relative_to(built / "source").as_posix() for path in files}
    assert not {name for name in wanted - names if "/." not in name.removeprefix(".")}


def test_an_installation_lists_and_copies_its_lessons(installed, tmp_path):
    done = run(installed, tmp_path, "dpviz", "lessons", "mine")
    assert done.returncode == 0, done.stderr
    assert "Copied to mine: 00_start.ipynb" in done.stdout
    for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"):
        assert (tmp_path / "mine" / path.name).read_bytes() == path.read_bytes()


def test_a_lesson_runs_from_another_folder(installed, tmp_path):
    assert run(installed, tmp_path, "dpviz", "lessons", ".").returncode == 0
    execute = ("nbconvert", "--to", "notebook", "--execute", "00_start.ipynb", "--output", "done")
    done = run(installed, tmp_path, *execute, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_lab_serves_a_copy(installed, tmp_path):
    port = free_port()
    homes = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = {**os.environ, "PYTHONPATH": str(installed), "JUPYTER_TOKEN": "given"}
    environment |= {home: str(tmp_path / home) for home in homes}
    command = [sys.executable, "-m", "dpviz", "lab", "mine", f"--port={port}", "--no-browser"]
    with (tmp_path / "log").open("w") as log:
        lab = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}/api/contents/00_start.ipynb?content=0&token=given"
            assert b"00_start.ipynb" in fetched(address, lab, tmp_path / "log")
        finally:
            lab.terminate()
            lab.wait(timeout=60)


def fetched(address, server, log, seconds=120):
    """What an address answers as soon as somebody listens there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                return answer.read()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError(f"nobody answers at {address}: {log.read_text()[-2000:]}")
