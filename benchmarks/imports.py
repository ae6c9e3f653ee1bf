"""T10: importing every room below the pictures, and what a lesson needs of them, beside numpy."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLOCK = "import time; start = time.process_time(); {}; print(time.process_time() - start)"
ROUNDS = 11  # after one that compiles
OF_ALL = "09_compare"  # the lesson that has the mechanisms of all papers


def modules() -> set[str]:
    """Every module below the rooms that show something."""
    above = {"drawing", "instruments", "exercises", "lessons", "pages"}
    paths = [p for p in (ROOT / "dpviz").rglob("*.py") if not above.intersection(p.parts)]
    names = [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in paths]
    return {name.removesuffix(".__init__") for name in names}


def taken(path: Path) -> set[str]:
    """The modules below the pictures that the cells of a lesson name."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    source = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    froms = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    named = {f"{node.module}.{alias.name}" for node in froms for alias in node.names}
    return modules() & (named | {node.module for node in froms})


def seconds(statement: str, cache: str) -> float:
    """Processor time of one import in a fresh interpreter, without the start of that."""
    command = [sys.executable, "-c", CLOCK.format(statement)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": cache}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    return float(subprocess.run(command, capture_output=True, check=True, env=env).stdout)


def least(named: dict[str, set[str]]) -> dict[str, float]:
    """Least time of each import, taken in turn; all of it compiled before, as after an install."""
    return least_of({name: "import " + ", ".join(sorted(these)) for name, these in named.items()})


def least_of(statements: dict[str, str]) -> dict[str, float]:
    """Least time of each statement in a fresh interpreter, taken in turn."""
    with tempfile.TemporaryDirectory() as cache:
        rounds = [
            {name: seconds(statement, cache) for name, statement in statements.items()}
            for _ in range(ROUNDS + 1)
        ]
    return {name: min(times[name] for times in rounds[1:]) for name in statements}


def lines() -> Iterator[dict]:
    """All of it; then the lesson that takes most."""
    lessons = {path.stem: taken(path) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    times = least({"numpy": {"numpy"}, "all": modules(), **lessons})
    most, of_one = (max(some, key=times.get) for some in (lessons, lessons.keys() - {OF_ALL}))
    told = f"{most}; of a lesson on one paper {of_one}, {times[of_one] / times['numpy']:.2f}"
    for id_, what, name, limit in [
        ("T10", "import of all below the pictures, over import numpy", "all", 2.5),
        ("T10b", f"what the mechanisms of one lesson need, the most: {told}", most, 1.5),
    ]:
        ratio = times[name] / times["numpy"]
        yield {
            "id": id_,
            "what": what,
            "value": ratio,
            "unit": "ratio",
            "target": f"<= {limit}",
            "holds": ratio <= limit,
            "peer": "numpy",
        }
