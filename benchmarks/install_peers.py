"""Install the peers, each list in an environment of its own: ``make peers``.

Every line of ``peers-NAME.txt`` is installed by itself into ``.venv-peers/NAME``; one that does not
install is named in ``.venv-peers/missing.json`` with what pip said, and the others go on.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE.parent / ".venv-peers"


def lists() -> dict[str, list[list[str]]]:
    """Environments, and what is installed in each, together as on a line."""
    found = {}
    for path in sorted(HERE.glob("peers-*.txt")):
        lines = [line.partition("#")[0].split() for line in path.read_text().splitlines()]
        found[path.stem.removeprefix("peers-")] = [line for line in lines if line]
    return found


def python(environment: str) -> Path:
    """The interpreter of an environment of peers."""
    folder = FOLDER / environment
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def reason(said: str) -> str:
    """What pip said went wrong, without addresses and paths.

    >>> reason("Looking in: x\\nERROR: No version of y at https://z/y from /a/b")
    'No version of y at ... from ...'
    """
    errors = [line.removeprefix("ERROR: ") for line in said.splitlines() if "ERROR" in line]
    told = errors[0] if errors else "pip failed and did not say why"
    return re.sub(r"(\w+://|(?<!\w)/)\S+", "...", told)


def install() -> dict[str, str]:
    """Make the environments; what is missing, and why."""
    missing = {}
    for environment, lines in lists().items():
        if not python(environment).exists():
            venv.create(FOLDER / environment, with_pip=True)
        for line in lines:
            print(f"Installing {' '.join(line)} into .venv-peers/{environment} ...", flush=True)
            command = [str(python(environment)), "-m", "pip", "install", "--quiet", *line]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                missing[line[0]] = reason(done.stderr)
                print(f"    missing: {missing[line[0]]}", flush=True)
    (FOLDER / "missing.json").write_text(json.dumps(missing, indent=1) + "\n", encoding="utf-8")
    return missing


if __name__ == "__main__":
    install()
