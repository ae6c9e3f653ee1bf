"""What an installation without extras must do: numpy and scipy, the ten jobs of the front door, and
a table of one's own in a terminal.

Uses nothing but what dpviz brings along; ``tests/fresh.py`` calls it in a new environment, and with
``--safe`` again where OpenDP draws the noise.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "door"))
TOOLS = {"pip", "setuptools", "wheel"}  # what an environment is made with


TABLE = "age;income\n" + "34;1200,5\n51;NA\n29;980\n" * 500
TERMINAL = """
plan --ask means --columns 2 --n 1500 --epsilon 1 --json plan.json
ledger budget.json --dataset table.csv --epsilon 2
run plan.json table.csv --bounds bounds.csv --ledger budget.json
run plan.json table.csv --bounds bounds.csv --ledger budget.json --out again.json
ledger budget.json
"""


def terminal(noise: str) -> None:
    """From a table to its answers, as a new user types it; two runs use the budget up."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("table.csv").write_text(TABLE, encoding="utf-8")
        Path("bounds.csv").write_text("age;0;100\nincome;0;5000\n", encoding="utf-8")
        lines = [
            f"{line} {noise}" if line.startswith("run") else line
            for line in TERMINAL.strip().splitlines()
        ]
        for line in lines:
            command = [sys.executable, "-m", "dpviz", *line.split()]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        assert Path("plan.answers.csv").read_text("utf-8").startswith("column,answer,off_by")
        more = [*lines[2].split(), "--out", "more.csv"]
        again = [sys.executable, "-m", "dpviz", *more]
        refused = subprocess.run(again, check=False, capture_output=True)
        assert refused.returncode == 2 and not Path("more.csv").exists()
        os.chdir(Path(__file__).parent)


def main() -> None:
    """Run all jobs; ends with an error if one fails or more is installed than is needed."""
    if "--safe" in sys.argv:
        terminal("")
        print("OpenDP: a terminal ran")
        return
    import jobs

    here = {each.metadata["Name"].lower() for each in distributions()} - TOOLS
    assert here == {"dpviz", "numpy", "scipy"}, here
    for job in jobs.LINES:
        jobs.run(job, jobs.variables(jobs.ODD))
    terminal("--numpy-noise")
    print(f"numpy and scipy only: {len(jobs.LINES)} jobs of the front door, and a terminal, ran")


if __name__ == "__main__":
    main()
