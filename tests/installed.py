"""What an installation must do, run by its own Python in a folder: list, serve and run lessons.

Uses nothing but what dpviz brings along; ``tests/fresh.py`` calls it in a new environment, and
``tests/test_distribution.py`` with the wheel unpacked.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path


def main() -> None:
    """Copy the lessons, serve them, run the first one; ends with an error if one fails."""
    import dpviz

    folder = Path.cwd()
    lessons = folder / "lessons of mine"
    command("dpviz", "lessons", str(lessons))
    names = [path.name for path in sorted(lessons.glob("[0-9][0-9]_*.ipynb"))]
    assert len(names) >= 10, names
    served(lessons, names[0])
    command("nbconvert", "--to", "notebook", "--execute", str(lessons / names[0]), "--stdout")
    python = sys.version.split()[0]
    print(f"dpviz {dpviz.__version__}, Python {python}: {len(names)} lessons, served, run")


def command(*words: str) -> None:
    """Run a module; what it said, if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, f"{words}: {done.stderr[-2000:]}"


def served(folder: Path, name: str, seconds: float = 120) -> None:
    """Start ``dpviz lab`` on a port in use: it says so, takes another and gives a lesson."""
    private = folder.parent / "jupyter"
    homes = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = {**os.environ, **{home: str(private / home) for home in homes}}
    private.mkdir(exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as other, (private / "log").open("w") as log:
        port = other.getsockname()[1]
        words = ["dpviz", "lab", str(folder), f"--port={port}", "--no-browser"]
        lab = subprocess.Popen(
            [sys.executable, "-m", *words],
            env=environment | {"JUPYTER_TOKEN": "given"},
            stdout=log,
            stderr=log,
        )
        try:
            end = time.monotonic() + seconds
            while not asked(told := (private / "log").read_text(errors="replace"), name):
                assert time.monotonic() < end and lab.poll() is None, told[-2000:]
                time.sleep(0.2)
            assert f"The port {port} is already in use" in told, told[-2000:]
        finally:
            lab.terminate()
            lab.wait(timeout=60)


def asked(told: str, name: str) -> bool:
    """Whether the server that a log tells of answers with the lesson."""
    address = re.search(r"http://127\.0\.0\.1:\d+/", told)
    if address is None:
        return False
    asking = f"{address[0]}api/contents/{name}?content=0&token=given"
    try:
        with urllib.request.urlopen(asking, timeout=10) as answer:
            return name.encode() in answer.read()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


if __name__ == "__main__":
    main()
