"""Run Python as on an ARM64 processor: ``arm64.py -m pytest ...``, or ``arm64.py SCRIPT ...``

Another family of processors has another C library and another BLAS, so the last bits of results
differ. qemu runs its Python here, about fifteen times slower; Debian's packages and the wheels of
the tests' lock are unpacked into ``build/arm64``, and the system itself gets nothing but qemu.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement

sys.path.insert(0, str(Path(__file__).parent / "browser"))
import chromium

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements-test.lock"
FOLDER = ROOT / "build" / "arm64"
QEMU = "qemu-aarch64-static"
NAMES = ("aarch64", "arm64")
MISSING = """No ARM64 here: nothing is run as on it. It needs Debian and, as root,
    apt-get install qemu-user-static"""
# The browser's driver, and programs that check and do not run: large, and not needed there.
UNUSED = {"playwright", "mypy", "ruff"}
# What says to a lesson that the package is installed, and what it needs.
METADATA = """
import os, sys
from setuptools import build_meta
os.chdir(sys.argv[1])
build_meta.prepare_metadata_for_build_wheel(sys.argv[2])
"""
# A child process that Python starts by its own name goes through qemu too.
STARTER = f"""#!/bin/sh
here=$(dirname "$0")
exec {QEMU} -L "$here/../.." -0 "$0" "$here/python3" "$@"
"""


def requirements(lock: str, version: str) -> str:
    """The lines of a lock that a Python of this version on ARM64 needs, hashes and all."""
    here = {
        "platform_machine": "aarch64",
        "python_full_version": version,
        "python_version": version.rpartition(".")[0],
    }
    chosen = []
    for block in lock.removesuffix("\n").replace("\n    ", "\0").split("\n"):
        line, _, hashes = block.partition(" \\\0")
        need = Requirement(line)
        if need.name not in UNUSED and (need.marker is None or need.marker.evaluate(here)):
            chosen.append(f"{need.name}{need.specifier} \\\0{hashes}\n".replace("\0", "\n    "))
    return "".join(chosen)


def run(command: list[object]) -> str:
    """What a command prints; SystemExit with the end of it if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words[0]} failed:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return done.stdout


def unpack_debian(system: Path, packages: Path) -> None:
    """Debian's Python for ARM64 with all that it needs; apt keeps its lists apart from its own."""
    for folder in ("lists/partial", "archives/partial"):
        (packages / folder).mkdir(parents=True)
    (packages / "status").touch()
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures::": "arm64",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",  # the usual one may not write here
        "Dir::Cache": packages,
        "Dir::State": packages,
        "Dir::State::status": packages / "status",
    }
    apt = ["apt-get", *(f"--option={name}={value}" for name, value in settings.items())]
    run([*apt, "update"])
    run([*apt, "install", "--yes", "--download-only", "python3", "libstdc++6"])
    for package in sorted((packages / "archives").glob("*.deb")):
        run(["dpkg-deb", "--extract", package, system])


def unpack_wheels(system: Path, python: Path) -> None:
    """The wheels of the lock, each checked by its hash."""
    version = run([python, "-c", "import platform; print(platform.python_version())"]).strip()
    wanted = system / "requirements.txt"
    wanted.write_text(requirements(LOCK.read_text("utf-8"), version), "utf-8")
    libc = int(platform.libc_ver()[1].split(".")[1])  # the same Debian, so the same one there
    systems = ["manylinux2014", *(f"manylinux_2_{minor}" for minor in range(17, libc + 1))]
    target = system / "usr/lib/python3/dist-packages"
    where = ["--target", target, "--python-version", version]
    where += [f"--platform={name}_aarch64" for name in systems]
    how = ["--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    run([sys.executable, "-m", "pip", "install", *how, *where, "--requirement", wanted])
    metadata = system / "metadata"
    metadata.mkdir()
    run([sys.executable, "-c", METADATA, ROOT, metadata])
    shutil.copytree(metadata, target, dirs_exist_ok=True)


def unpack() -> Path:
    """The path of a Python for ARM64; made again when what it was made from changes."""
    sources = [LOCK, ROOT / "pyproject.toml", Path(__file__)]
    made_from = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    stamp, system = FOLDER / "made_from", FOLDER / "system"
    python = system / "usr/bin/python"
    if not stamp.exists() or stamp.read_text() != made_from:
        print(f"Unpacking a Python for ARM64 into {FOLDER.relative_to(ROOT)} ...", flush=True)
        shutil.rmtree(FOLDER, ignore_errors=True)
        unpack_debian(system, FOLDER / "packages")
        python.write_text(STARTER)
        python.chmod(0o755)
        unpack_wheels(system, python)
        stamp.write_text(made_from)
    return python


def is_debian() -> bool:
    """Whether this is Debian itself: elsewhere the packages for ARM64 stand apart."""
    try:
        return platform.freedesktop_os_release()["ID"] == "debian"
    except OSError:
        return False


def obstacle() -> str:
    """Why nothing can be run as on ARM64 here, "" if it can."""
    if not is_debian():
        return MISSING
    if not shutil.which(QEMU):
        chromium.install("qemu-user-static")
    return "" if shutil.which(QEMU) else MISSING


def main() -> int:
    """Exit status of the command; where it cannot run that is said, and is a failure in CI."""
    if platform.machine() in NAMES:
        print("This processor is ARM64: the other tests run on it already.")
        return 0
    if why := obstacle():
        print(why)
        return int(bool(os.environ.get("CI")))
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    command = [unpack(), *sys.argv[1:]]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
