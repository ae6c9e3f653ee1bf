"""Time dpviz beside its peers, in one run: ``python benchmarks/run.py [--json FILE] [ID ...]``.

Each line has an id, what is measured, the value, its unit, the target and whether it holds.
Ratios are stable from machine to machine; absolute times are not.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
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
import smooth
import sparse
import yardsticks


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


def main() -> None:
    """Run the chosen benchmarks (all by default), print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, help="also write the lines to this file")
    parser.add_argument("ids", nargs="*", help="e.g. T3 T12; all if none is given")
    options = parser.parse_args()
    groups = {
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
    }
    chosen = [group for name, group in groups.items() if not options.ids or name in options.ids]
    measured = [Line(**line) for group in chosen for line in group()]
    for line in measured:
        held = "holds" if line.holds else "FAILS"
        print(f"{line.id:5} {line.value:10.4g} {line.unit:6} {line.target:10} {held:6} {line.what}")
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in measured], indent=1) + "\n")


if __name__ == "__main__":
    main()
