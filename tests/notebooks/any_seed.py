"""Does what a lesson claims hold for any seed? ``any_seed.py --seeds 30 [--first 1] [LESSON ...]``

Runs the code cells of each lesson in order, in a fresh process for each seed, with DPVIZ_SEED set,
and prints how often each assertion failed. Part of `make test-all` with three seeds.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "notebooks"


def failures(path: Path) -> list[tuple[int, str]]:
    """Index and message of each cell of a lesson that fails; the cells after it run too."""
    found, names = [], {"__name__": "__main__"}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for index, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            try:
                exec(compile("".join(cell["source"]), f"cell {index}", "exec"), names)
            except Exception as problem:
                line = problem.__traceback__.tb_next.tb_lineno
                words = "".join(cell["source"]).split("\n")[line - 1].strip()
                found.append((index, f"{type(problem).__name__} {problem}: {words}"))
    return found


def one(path: Path) -> None:
    """Run one lesson in this process and print its failures as JSON."""
    with contextlib.redirect_stdout(io.StringIO()):
        found = failures(path)
    print(json.dumps(found))


def run(task: tuple[Path, int]) -> tuple[str, int, list]:
    """Failures of one lesson with one seed, in a process of its own."""
    path, seed = task
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = {**os.environ, **one_thread, "DPVIZ_SEED": str(seed)}
    command = [sys.executable, __file__, "--one", str(path)]
    how = {"env": environment, "cwd": FOLDER, "capture_output": True, "text": True}
    done = subprocess.run(command, **how, check=False)
    if done.returncode:
        return path.stem, seed, [[-1, done.stderr[-500:]]]
    return path.stem, seed, json.loads(done.stdout)


def main() -> int:
    """Print a table: lesson, runs, failures by cell."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="at the same time")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("lessons", nargs="*", help="e.g. 07_cluster; all if none is given")
    options = parser.parse_args()
    if options.one:
        one(options.one)
        return 0
    names = options.lessons or sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    seeds = range(options.first, options.first + options.seeds)
    failed = 0
    with ThreadPoolExecutor(options.processes) as pool:
        for name in names:
            tasks = [(FOLDER / f"{name}.ipynb", seed) for seed in seeds]
            failed += report(name, list(pool.map(run, tasks)))
    return int(failed > 0)


def report(name: str, runs: list[tuple[str, int, list]]) -> int:
    """Print how often each cell of a lesson failed, with the first failure; their number."""
    counts, said = Counter(), {}
    for _, seed, found in runs:
        for index, message in found:
            counts[index] += 1
            said.setdefault(index, f"seed {seed}: {message}")
    print(f"{name:15} {len(runs)} seeds, {counts.total()} failures", flush=True)
    for index, count in sorted(counts.items()):
        print(f"    cell {index}: {count} of {len(runs)}; {said[index]}", flush=True)
    return counts.total()


if __name__ == "__main__":
    sys.exit(main())
