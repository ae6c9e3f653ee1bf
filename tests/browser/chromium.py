"""Find Chromium, or install it: ``python tests/browser/chromium.py``, a step of `make test`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
WAYS = """No Chromium here: the browser tests cannot run. Type one of
    {python} -m playwright install chromium
    apt-get install chromium (on Debian, as root)"""


def how(python: str = sys.executable) -> str:
    """What to type where there is no Chromium; paths are shown from here."""
    here = Path(python)
    short = here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here
    return WAYS.format(python=short)


def find() -> str | None:
    """Path of a Chromium: one on the PATH, else the one that Playwright fetched, else None."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def install(package: str = "chromium") -> None:
    """Debian's package, where this process may install it; does nothing elsewhere."""
    root = hasattr(os, "getuid") and os.getuid() == 0
    if not (root and shutil.which("apt-get")):
        return
    print(f"Installing {package} for the browser tests ...", flush=True)
    quiet = {"env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
    for command in ["apt-get", "update"], ["apt-get", "install", "--yes", package]:
        done = subprocess.run(command, capture_output=True, text=True, check=False, **quiet)
        if done.returncode:
            print(f"{' '.join(command)} failed:\n{done.stdout[-500:]}{done.stderr[-500:]}")


def main() -> int:
    """Say in one line what will be used; without any, fail only in CI."""
    if not find():
        install()
    path = find()
    print(f"Browser tests use {path}" if path else how())
    return int(not path and bool(os.environ.get("CI")))


if __name__ == "__main__":
    sys.exit(main())
