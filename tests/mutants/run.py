"""Do the tests see planted faults? ``python tests/mutants/run.py [--list unseen] [ROOM ...]``

Each fault of a list, ``planted`` unless another is named, is put into a copy of the project, and
the tests of its room run there until the first that fails. A fault that none sees is printed, and
has either a test missing or a reason, in ``SURVIVORS``, why it changes nothing that was promised.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import painted
import planted
import unseen

LISTS = {"planted": planted, "unseen": unseen, "painted": painted}
ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", "__pycache__", "build", "reports", ".*cache")
SECOND = "tests/second"  # bounds derived a second time, of all rooms
COMMON = ["tests/test_registry.py", *([SECOND] if (ROOT / SECOND).is_dir() else [])]
PATIENCE = 1800  # seconds; the tests of a room take a few minutes, with some faults for ever
BASE = ("accounting", "privacy", "audit")  # their tests lean on each other
PAPERS = {room: ["papers/" + room] for room in planted.ROOMS if room not in (*BASE, "door")}
FOLDERS = {
    **{room: list(BASE) for room in BASE},
    **PAPERS,
    **{room: [room] for room in ("door", *unseen.ROOMS) if room not in {*BASE, *PAPERS}},
}


def tests_of(room: str) -> list[str]:
    """Where the tests and doctests of a room are."""
    own = [f"{top}/{folder}" for folder in FOLDERS[room] for top in ("tests", "dpviz")]
    return ["tests/test_privacy.py", *own] if room in BASE else own


def plant(folder: Path, name: str, old: str, new: str) -> None:
    """Change one place of a file; raise ``ValueError`` unless it is there exactly once."""
    path = folder / "dpviz" / name
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{name} holds {text.count(old)} times {old!r}: mend the list")
    path.write_text(text.replace(old, new), encoding="utf-8")


def seen(room: str, fault: tuple[str, str, str] | None) -> str:
    """The first test that fails with a fault, "" if none does; None: the project as it is."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "copy"
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
        if fault is not None:
            plant(folder, *fault)
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "--no-header",
            "-p",
            "no:cacheprovider",
        ]
        try:
            done = subprocess.run(
                [*command, *COMMON, *tests_of(room)],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"},
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return "tests that do not end"
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "" if done.returncode == 0 else (lines or [done.stdout[-200:]])[0]


def main() -> int:
    """Print one line for each fault and a sum; fail if one survives without a reason."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", choices=LISTS, default="planted", help="planted")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="one for each core")
    parser.add_argument("rooms", nargs="*", help="all if none")
    given = parser.parse_args()
    faulty = LISTS[given.list]
    rooms = given.rooms or list(faulty.ROOMS)
    if unknown := set(rooms) - set(faulty.ROOMS):
        parser.error(f"rooms must be among {', '.join(faulty.ROOMS)}, not {', '.join(unknown)}")
    tasks = [(room, fault) for room in rooms for fault in faulty.ROOMS[room]]
    survived = 0
    with ThreadPoolExecutor(given.processes) as pool:
        for room, found in zip(rooms, pool.map(lambda room: seen(room, None), rooms), strict=True):
            if found:
                raise SystemExit(f"{room}: a test fails without a fault: {found}")
        for (_, fault), found in zip(tasks, pool.map(lambda task: seen(*task), tasks), strict=True):
            name, old, _ = fault
            reason = faulty.SURVIVORS.get((name, old), "")
            survived += not found and not reason
            what = f"seen by {found}" if found else f"SURVIVES {reason}"
            print(f"{name}: {old.strip()[:60]!r}: {what[:150]}", flush=True)
    print(f"{len(tasks)} faults, {survived} survive without a reason")
    return int(survived > 0)


if __name__ == "__main__":
    sys.exit(main())
