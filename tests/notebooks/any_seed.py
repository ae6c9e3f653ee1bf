"""Does what a lesson claims hold for any seed? ``any_seed.py [LESSON ...] --seeds 20 [--first 1]``

Runs the code cells of each lesson in order, in a process of its own for each seed, which has
imported the lesson's modules and nothing else, with DPVIZ_SEED set, and prints how often each
assertion failed. Part of `make test-all` with three seeds. What an assertion that fails with some
seeds should say instead: ``bands.py``.
"""

from __future__ import annotations

import argparse
import ast
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


def import_modules(path: Path) -> None:
    """Run the imports of a lesson, so that they are not repeated for each seed."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            body = ast.parse("".join(cell["source"])).body
            imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
            exec(compile(ast.Module(imports, []), path.stem, "exec"), {})


def one(path: Path, seed: int) -> list:
    """Failures of a lesson with one seed, in a copy of this process."""
    reader, writer = os.pipe()
    if not (child := os.fork()):
        try:
            os.environ["DPVIZ_SEED"] = str(seed)
            with contextlib.redirect_stdout(io.StringIO()):
                text = json.dumps(failures(path))
            os.write(writer, text.encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as pipe:
        text = pipe.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(text) if text else [[-1, f"the process ended with {status}"]]


def run(path: Path, seeds: list[int]) -> list[tuple[int, list]]:
    """Failures of a lesson with each of some seeds, in a process of their own."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    command = [sys.executable, __file__, path.stem, "--one", *map(str, seeds)]
    how = {"env": {**os.environ, **one_thread}, "cwd": FOLDER, "capture_output": True, "text": True}
    done = subprocess.run(command, **how, check=False)
    if done.returncode:
        return [(seed, [[-1, done.stderr[-500:]]]) for seed in seeds]
    return json.loads(done.stdout)


def main() -> int:
    """Print a table: lesson, runs, failures by cell."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lessons", nargs="*", help="e.g. 07_cluster; all if none is given")
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="at the same time")
    parser.add_argument("--one", type=int, nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        path = FOLDER / f"{options.lessons[0]}.ipynb"
        import_modules(path)
        print(json.dumps([(seed, one(path, seed)) for seed in options.one]))
        return 0
    names = options.lessons or sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    seeds = range(options.first, options.first + options.seeds)
    shares = [list(seeds[i :: options.processes]) for i in range(options.processes)]
    failed = 0
    with ThreadPoolExecutor(options.processes) as pool:
        for name in names:
            path = FOLDER / f"{name}.ipynb"
            runs = pool.map(lambda share, path=path: run(path, share), filter(None, shares))
            failed += report(name, [result for results in runs for result in results])
    return int(failed > 0)


def report(name: str, runs: list[tuple[int, list]]) -> int:
    """Print how often each cell of a lesson failed, with the first failure; their number."""
    counts, said = Counter(), {}
    for seed, found in runs:
        for index, message in found:
            counts[index] += 1
            said.setdefault(index, f"seed {seed}: {message}")
    print(f"{name:15} {len(runs)} seeds, {counts.total()} failures", flush=True)
    for index, count in sorted(counts.items()):
        print(f"    cell {index}: {count} of {len(runs)}; {said[index]}", flush=True)
    return counts.total()


if __name__ == "__main__":
    sys.exit(main())
