"""Do the tests see planted faults? ``python tests/mutants/run.py [--list unseen] [ROOM ...]``

Each fault of a list, ``planted`` unless another is named, is put into a copy of the project, and
the tests of its room run there until the first that fails: of a fault in a picture those of its
lesson, and then its notebook, whose stored pictures are drawn again. A fault that none sees is
printed, and has either a test missing or a reason, in ``SURVIVORS``, why it changes nothing that
was promised.
"""

from __future__ import annotations

import argparse
import os
import re
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
# What looks at pictures, of all lessons.
EYES = [f"tests/lessons/test_{name}.py" for name in ("claims", "player_claims", "eye")]
BASE = ("accounting", "privacy", "audit")  # their tests lean on each other
OTHERS = ("comparison", "door")
PAPERS = {room: ["papers/" + room] for room in planted.ROOMS if room not in (*BASE, *OTHERS)}
FOLDERS = {
    **{room: list(BASE) for room in BASE},
    **PAPERS,
    **{room: [room] for room in (*OTHERS, *unseen.ROOMS) if room not in {*BASE, *PAPERS}},
}


def room_of(room: str, name: str) -> str:
    """Whose tests could see a fault in a file: the room's, or of a picture the lesson's."""
    return "/".join(name.split("/")[:2]) if room == "lessons" else room


def commands(room: str) -> list[list[str]]:
    """What pytest is asked to run, one after the other, until something fails."""
    if not room.startswith("lessons/"):
        return [[*COMMON, *tests_of(room)]]
    lesson = room.removeprefix("lessons/")
    own = [path for path in tests_of_lesson(lesson) if path not in EYES]
    (book,) = (ROOT / "notebooks").glob(f"[0-9]*_{lesson}.ipynb")
    stored = ["-p", "tests.notebooks.pictured", "--nbval", "--nbval-current-env"]
    hidden = ["--nbval-sanitize-with", "tests/notebooks/sanitize.cfg"]
    return [
        [*EYES, "-k", f"{lesson}."],
        [*own, f"dpviz/{room}"],
        [*stored, *hidden, f"notebooks/{book.name}"],
    ]


def tests_of_lesson(lesson: str) -> list[str]:
    """The tests of pictures that name a lesson."""
    named = re.compile(rf"lessons(?:\.| import [\w, ]*){lesson}\b")
    files = sorted((ROOT / "tests/lessons").glob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in files if named.search(path.read_text("utf-8"))]


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
    for arguments in commands(room):
        if found := first_failure(arguments, fault):
            return found
    return ""


def first_failure(arguments: list[str], fault: tuple[str, str, str] | None) -> str:
    """The first test that fails in a copy of the project, "" if none does."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "copy"
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
        if fault is not None:
            plant(folder, *fault)
        try:
            done = subprocess.run(
                [*command, *arguments],
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
    return "" if done.returncode in (0, 5) else (lines or [done.stdout[-200:]])[0]


def fails_anyway(room: str, found: str) -> bool:
    """Whether the test of a lesson that a line of pytest names fails without a fault, too."""
    name = re.match(r"(?:FAILED|ERROR) (tests/\S+|dpviz/\S+)", found)
    return bool(first_failure([name[1]] if name else commands(room)[-1], None))


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
    tasks = [(room_of(room, fault[0]), fault) for room in rooms for fault in faulty.ROOMS[room]]
    rooms = list(dict.fromkeys(room for room, _ in tasks))
    survived = 0
    with ThreadPoolExecutor(given.processes) as pool:
        sound = [room for room in rooms if not room.startswith("lessons/")]
        for room, found in zip(sound, pool.map(lambda room: seen(room, None), sound), strict=True):
            if found:
                raise SystemExit(f"{room}: a test fails without a fault: {found}")
        for (room, fault), found in zip(
            tasks, pool.map(lambda task: seen(*task), tasks), strict=True
        ):
            name, old, _ = fault
            # Of a lesson only the test that has failed is run without a fault.
            if found and room not in sound and fails_anyway(room, found):
                raise SystemExit(f"{room}: a test fails without a fault: {found}")
            reason = faulty.SURVIVORS.get((name, old), "")
            survived += not found and not reason
            what = f"seen by {found}" if found else f"SURVIVES {reason}"
            print(f"{name}: {old.strip()[:60]!r}: {what[:150]}", flush=True)
    print(f"{len(tasks)} faults, {survived} survive without a reason")
    return int(survived > 0)


if __name__ == "__main__":
    sys.exit(main())
