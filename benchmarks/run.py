"""Time dpviz beside its peers, in one run: ``python benchmarks/run.py [--results FILE] [ID ...]``.

Each line has an id, what is measured, the value, its unit, the target and whether it holds.
Ratios are stable from machine to machine; absolute times are not. A line is printed as soon as
it is measured; a group that breaks off says why, and the others go on. ``make bench`` runs all of
them and writes RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import accounting
import audit
import browser
import cluster
import distance
import embedding
import fat
import imports
import lessons
import noise
import peers
import results
import smooth
import sparse
import sweeps
import yardsticks


def load() -> float:
    """How many processes wanted a processor in the last minute; nan where nobody counts."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


@dataclass(frozen=True)
class Line:
    """One measured figure; ``holds`` says whether it meets its target."""

    id: str
    what: str
    value: float
    unit: str
    target: str
    holds: bool
    peer: str
    load: float = field(default_factory=load)


GROUPS = {
    "T1": noise.lines,
    "T2": yardsticks.lines,
    "T3": distance.lines,
    "T4": cluster.lines,
    "T5": sparse.lines,
    "T6": smooth.lines,
    "T8": accounting.lines,
    "T9": audit.lines,
    "T10": imports.lines,
    "T11": browser.lines,
    "T12": lessons.lines,
    "E": embedding.lines,
    "T13": fat.lines,
    "T15": sweeps.lines,
    "P": peers.lines,
}


def show(line: Line) -> None:
    """One row of the table, at once."""
    held = "holds" if line.holds else "FAILS"
    figures = f"{line.id:5} {line.value:10.4g} {line.unit:6} {line.target:10} {held:6} {line.what}"
    print(figures, flush=True)


def measure(
    groups: dict[str, Callable[[], Iterable[dict]]],
    file: Path | None = None,
    page: Path | None = None,
) -> list[str]:
    """Run the groups, show and store each line as it comes; the names of those that broke off."""
    lines, broken, loads = [], [], [load()]
    for name, group in groups.items():
        start = time.perf_counter()
        try:
            for line in group():
                lines.append(Line(**line))
                show(lines[-1])
                if file:
                    file.write_text(json.dumps([asdict(line) for line in lines], indent=1) + "\n")
                loads.append(load())
        except Exception as error:
            why = "".join(traceback.format_exception_only(error)).split()
            print(f"{name:5} broke off: {' '.join(why)}", flush=True)
            broken.append(name)
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    if page:
        results.write(page, lines, broken, loads)
    return broken


def main() -> int:
    """Run the chosen benchmarks, all by default; the exit status is 1 if a group broke off."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, help="also write the lines to this file")
    parser.add_argument("--results", type=Path, help="write the table to this Markdown file")
    parser.add_argument("ids", nargs="*", help=f"of {' '.join(GROUPS)}; all if none is given")
    options = parser.parse_args()
    if unknown := set(options.ids) - GROUPS.keys():
        parser.error(f"no such group: {' '.join(sorted(unknown))}")
    chosen = {name: GROUPS[name] for name in GROUPS if not options.ids or name in options.ids}
    return 1 if measure(chosen, options.json, options.results) else 0


if __name__ == "__main__":
    sys.exit(main())
