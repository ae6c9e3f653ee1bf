"""Wheels and source distributions, built and used in environments made for them.

For every Python that dpviz supports: a new environment, ``pip install`` of the wheel, which brings
numpy and scipy and nothing else, and in which the ten jobs of the front door run; then its extra
``safe``, by which OpenDP draws the noise of a table in a terminal; then its extra ``lab``: ``dpviz
lab`` serves a copy of the lessons, and the first lesson runs in a folder of its own. At last the
versions of the lock, and with them a selection of the tests, from the unpacked source distribution.
``release.py`` calls it, and ``test_distribution.py`` builds with it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13")
NEWER = ("3.14",)  # tried where it is
BUILD = "import sys; from setuptools import build_meta as b; b.build_{0}(sys.argv[1])"
# Not part of a checkout, and large.
LEFT = shutil.ignore_patterns(
    ".git", ".venv*", "build", "dist", "reports", "*.egg-info", "__pycache__"
)
# What privacy, the front door and the files around hang on; all else is `make test`'s.
SELECTION = [
    *("dpviz/accounting", "dpviz/door", "dpviz/papers", "dpviz/privacy"),
    *("tests/accounting", "tests/door", "tests/privacy", "tests/test_command.py"),
    *("tests/test_distribution.py", "tests/test_project.py", "tests/test_readme.py"),
]


def build(
    target: Path, project: str = ".", kinds: Sequence[str] = ("sdist", "wheel")
) -> tuple[Path, ...]:
    """Wheel and source distribution of a folder of ours, from a copy where nothing was built."""
    target.mkdir(parents=True, exist_ok=True)
    before = set(target.iterdir())
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        shutil.copytree(ROOT / project, source, ignore=LEFT)
        for kind in kinds:
            command = [sys.executable, "-c", BUILD.format(kind), str(target.resolve())]
            run(command, source, quiet=True)
    return tuple(sorted(set(target.iterdir()) - before, key=lambda path: path.suffix != ".whl"))


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


def commands(environment: Path) -> Path:
    """Where an environment keeps its commands."""
    return environment / ("Scripts" if os.name == "nt" else "bin")


def works(python: str, version: str) -> bool:
    """Whether a command is that version of Python, and can make environments."""
    script = "import ensurepip, sys; print('{}.{}'.format(*sys.version_info))"
    if not shutil.which(python):
        return False
    answer = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    return answer.returncode == 0 and answer.stdout.strip() == version


def pythons() -> list[str]:
    """A Python of each version that dpviz supports; one that is missing ends the program."""
    usable = {}
    for version in (*VERSIONS, *NEWER):
        names = [name for name in (sys.executable, f"python{version}") if works(name, version)]
        if names:
            usable[version] = names[0]
    if missing := [f"python{version}" for version in VERSIONS if version not in usable]:
        raise SystemExit(f"A release is tried by every Python, and here is no {missing[0]}.")
    return list(usable.values())


def used(python: str, wheel: Path, source: Path, folder: Path) -> None:
    """An environment for the wheel with its extras, and for the tests of the source."""
    run([python, "-m", "venv", folder / "venv"], folder, quiet=True)
    own = commands(folder / "venv") / "python"
    install = [own, "-m", "pip", "install", "--quiet"]
    run([*install, wheel], folder, quiet=True)
    run([own, ROOT / "tests" / "base.py"], folder)
    run([*install, f"{wheel}[safe]"], folder, quiet=True)
    run([own, ROOT / "tests" / "base.py", "--safe"], folder)
    run([*install, f"{wheel}[lab]"], folder, quiet=True)
    run([own, ROOT / "tests" / "installed.py"], folder)
    run([*install, "--require-hashes", "-r", "requirements-test.lock"], source, quiet=True)
    # The wheel of the environment would be imported otherwise.
    tests = [own, "-m", "pytest", "-q", "-n", "2", *SELECTION]
    run(tests, source, PYTHONPATH=str(source), OMP_NUM_THREADS="1")


def tried(target: Path, pythons: Sequence[str]) -> None:
    """Use what lies in a folder by each Python."""
    wheel, archive = (next(target.glob(f"dpviz-[0-9]*{end}")) for end in (".whl", ".tar.gz"))
    for python in pythons:
        with tempfile.TemporaryDirectory() as name:
            begin = time.monotonic()
            folder = Path(name)
            print(f"{python}: the wheel, its extras, the tests of the source", flush=True)
            with tarfile.open(archive) as opened:
                opened.extractall(folder, filter="data")
            used(python, wheel, folder / archive.name.removesuffix(".tar.gz"), folder)
            print(f"{python}: all of it in {time.monotonic() - begin:.0f} s", flush=True)
