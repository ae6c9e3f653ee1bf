"""Do the tests see planted faults? ``make mutants``, or ``python tests/mutants/run.py [ROOM ...]``

Each fault of ``planted`` is put into a copy of the project, and the tests of its room run there
until the first that fails. A fault that none sees is printed, and has either a test missing or a
reason, in ``SURVIVORS``, why it changes nothing that was promised.
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
import planted

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv*", "__pycache__", "build", "reports", "notebooks", ".*cache"
)
COMMON = ["tests/test_registry.py"]
PATIENCE = 1800  # seconds; the tests of a room take a few minutes, with some faults for ever
TESTS = {
    **{room: [f"tests/papers/{room}", f"dpviz/papers/{room}"] for room in planted.ROOMS},
    "privacy": [
        "tests/test_privacy.py",
        *(
            f"{top}/{room}"
            for top in ("tests", "dpviz")
            for room in ("accounting", "privacy", "audit")
        ),
    ],
}


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
                [*command, *COMMON, *TESTS[room]],
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
    parser.add_argument("rooms", nargs="*", choices=[*planted.ROOMS, []], help="all if none")
    rooms = parser.parse_args().rooms or list(planted.ROOMS)
    tasks = [(room, fault) for room in rooms for fault in planted.ROOMS[room]]
    survived = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for room, found in zip(rooms, pool.map(lambda room: seen(room, None), rooms), strict=True):
            if found:
                raise SystemExit(f"{room}: a test fails without a fault: {found}")
        for (_, fault), found in zip(tasks, pool.map(lambda task: seen(*task), tasks), strict=True):
            name, old, _ = fault
            reason = planted.SURVIVORS.get((name, old), "")
            survived += not found and not reason
            what = f"seen by {found}" if found else f"SURVIVES {reason}"
            print(f"{name}: {old.strip()[:60]!r}: {what[:150]}", flush=True)
    print(f"{len(tasks)} faults, {survived} survive without a reason")
    return int(survived > 0)


if __name__ == "__main__":
    sys.exit(main())
