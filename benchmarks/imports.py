"""T10: importing all of base and every paper, against importing numpy alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLOCK = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def modules() -> list[str]:
    """Every module of ``dpviz.base`` and ``dpviz.papers``."""
    paths = [p for room in ("base", "papers") for p in (ROOT / "dpviz" / room).rglob("*.py")]
    names = [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in paths]
    return sorted(name.removesuffix(".__init__") for name in names)


def seconds(statement: str) -> float:
    """Time of one import in a fresh interpreter, without the interpreter's own start."""
    command = [sys.executable, "-c", CLOCK.format(statement)]
    return float(subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout)


def lines() -> Iterator[dict]:
    """Least time of eleven runs of each, in turn."""
    ours = "import " + ", ".join(modules())
    pairs = [(seconds(ours), seconds("import numpy")) for _ in range(11)]
    ratio = min(a for a, _ in pairs) / min(b for _, b in pairs)
    yield {
        "id": "T10",
        "what": "import of all of base and papers, over import numpy",
        "value": ratio,
        "unit": "ratio",
        "target": "<= 1.5",
        "holds": ratio <= 1.5,
        "peer": "numpy",
    }
