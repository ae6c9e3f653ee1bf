"""Run a command while no other ``make`` here does the same: ``alone.py COMMAND ...``

Two commands that made .venv at once would destroy it. Whoever comes second waits, and says so.
The lock is the Makefile itself, so nothing is left behind when a command is interrupted.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock on a file; where the system has no such locks, go on without."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("Another make is installing here; waiting until it has finished.", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> int:
    """Exit status of the command."""
    with alone(Path(__file__).parents[1] / "Makefile"):
        return subprocess.run(sys.argv[1:], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
