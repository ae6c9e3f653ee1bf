"""T12: every notebook from a clean kernel: time and memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

FOLDER = Path(__file__).parents[1] / "notebooks"


def megabytes(process: psutil.Process) -> float:
    """Memory of a process and all its children, shared pages counted once (where known)."""
    total = 0
    for part in [process, *process.children(recursive=True)]:
        try:
            memory = part.memory_full_info()
        except psutil.Error:
            continue
        total += getattr(memory, "pss", memory.rss)
    return total / 2**20


def run(path: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of executing one notebook, kernel start included."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", str(path)]
        start, peak = time.perf_counter(), 0.0
        process = psutil.Popen([*command, "--output-dir", folder], stderr=subprocess.DEVNULL)
        while process.poll() is None:
            peak = max(peak, megabytes(process))
            time.sleep(0.05)
        if process.returncode:
            raise RuntimeError(f"{path.name} does not run")
        return time.perf_counter() - start, peak


def lines() -> Iterator[dict]:
    """Slowest notebook, largest memory, and all together."""
    measured = {path.stem: run(path) for path in sorted(FOLDER.glob("*.ipynb"))}
    slowest = max(measured, key=lambda name: measured[name][0])
    largest = max(measured, key=lambda name: measured[name][1])
    total = sum(seconds for seconds, _ in measured.values())
    for id_, what, value, unit, limit in [
        ("T12a", f"slowest notebook ({slowest})", measured[slowest][0], "s", 30),
        ("T12b", f"largest peak memory ({largest})", measured[largest][1], "MB", 1000),
        ("T12c", f"all {len(measured)} notebooks, one after the other", total, "s", 300),
    ]:
        yield {
            "id": id_,
            "what": what,
            "value": value,
            "unit": unit,
            "target": f"< {limit}",
            "holds": value < limit,
            "peer": "",
        }
