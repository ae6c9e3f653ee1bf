"""Build the wheel and the source distribution, and use both in environments made for it.

For every Python from 3.11 that this machine has: a new environment, ``pip install`` of the wheel,
which brings numpy and scipy and nothing else, and in which the ten jobs of the front door run; then
its extra ``lab``, ``dpviz lab`` serves a copy of the lessons, and the first lesson runs in a folder
of its own. With
``--tests`` the tests also run from the unpacked source distribution, with this Python.

    python tests/fresh.py dist [--tests]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
BUILD = "import sys; from setuptools import build_meta as b; b.build_{0}(sys.argv[1])"
# Not part of a checkout, and large.
LEFT = shutil.ignore_patterns(
    ".git", ".venv*", "build", "dist", "reports", "*.egg-info", "__pycache__"
)


def build(target: Path) -> tuple[Path, Path]:
    """The wheel and the source distribution, from a copy in which nothing was built before."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        shutil.copytree(ROOT, source, ignore=LEFT)
        for kind in ("sdist", "wheel"):
            command = [sys.executable, "-c", BUILD.format(kind), str(target.resolve())]
            run(command, source, quiet=True)
    return next(target.glob("*.whl")), next(target.glob("*.tar.gz"))


def run(command: list, folder: Path, *, quiet: bool = False, **more: str) -> None:
    """Run a command without the paths of this checkout; what it printed, if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    output = subprocess.PIPE if quiet else None
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment | more,
        stdout=output,
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{(done.stdout or '')[-3000:]}")


def found() -> list[str]:
    """The Pythons of this machine that dpviz supports."""
    names = [f"python{version}" for version in VERSIONS]
    works = [sys.executable]
    for name in names:
        answer = (
            subprocess.run(
                [name, "-c", "import ensurepip, sys; print(sys.version_info[:2])"],
                capture_output=True,
                text=True,
                check=False,
            )
            if shutil.which(name)
            else None
        )
        if answer and answer.returncode == 0 and answer.stdout.strip() != str(sys.version_info[:2]):
            works.append(name)
    return works


def used(python: str, wheel: Path, folder: Path) -> None:
    """An environment in which only the wheel was installed; the lessons served and run there."""
    run([python, "-m", "venv", folder / "venv"], folder, quiet=True)
    own = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    run([own, "-m", "pip", "install", "--quiet", wheel], folder, quiet=True)
    run([own, ROOT / "tests" / "base.py"], folder)
    run([own, "-m", "pip", "install", "--quiet", f"{wheel}[lab]"], folder, quiet=True)
    run([own, ROOT / "tests" / "installed.py"], folder)


def tested(archive: Path, folder: Path) -> None:
    """The tests, from the unpacked source distribution."""
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    source = next(path for path in folder.iterdir() if path.is_dir())
    # An editable install of the checkout would be imported otherwise.
    run([sys.executable, "-m", "pytest", "-q", "-n", "2"], source, PYTHONPATH=str(source))


def main() -> None:
    """Build, then use what was built."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("target", type=Path, help="folder for the wheel and the source distribution")
    asked.add_argument("--tests", action="store_true", help="run the tests from the latter")
    told = asked.parse_args()
    wheel, archive = (path.resolve() for path in build(told.target))
    for python in found():
        with tempfile.TemporaryDirectory() as folder:
            print(f"{python}: installing the wheel", flush=True)
            used(python, wheel, Path(folder))
    if told.tests:
        with tempfile.TemporaryDirectory() as folder:
            print("the tests, from the source distribution", flush=True)
            tested(archive, Path(folder))


if __name__ == "__main__":
    main()
