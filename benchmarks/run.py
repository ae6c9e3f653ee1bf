"""Time dpviz beside its peers: ``python benchmarks/run.py [--results FILE] [GROUP ...]``.

Each line has an id, what is measured, the value, its unit, the target and whether it holds.
Ratios are stable from machine to machine; absolute times are not. A line is printed as soon as
it is measured; a group that breaks off says why, and the others go on. The newest run of
each group is stored in ``measured``, and RESULTS.md is made of these: ``make bench`` runs all, and
``make bench GROUPS="T4 P1"`` some, each in a few minutes, as a machine is free.
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
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import accounting
import audit
import browser
import cluster
import distance
import door
import embedding
import fat
import growth
import imports
import lessons
import noise
import pages
import peers
import pieces
import results
import smooth
import sparse
import sweeps
import yardsticks

KEPT = Path(__file__).parent / "measured"  # the newest run of each group, of which the page is made


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


@dataclass
class Run:
    """One run of a group: its lines, the load before and after each, why it broke off."""

    day: str = ""
    seconds: float = 0.0
    lines: list[Line] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)
    broken: str = ""
    peers: dict[str, str] = field(default_factory=dict)  # and their versions


GROUPS = {
    "T1": noise.lines,
    "T2": yardsticks.lines,
    "T3": distance.lines,
    "T4": cluster.lines,
    "T4g": cluster.harder_lines,
    "T5": sparse.lines,
    "T6": smooth.lines,
    "T8": accounting.lines,
    "T9": audit.lines,
    "T10": imports.lines,
    "F": door.lines,
    "F-5": door.tables,
    "T11": browser.kernel,
    "T11-1": browser.half(0),
    "T11-2": browser.half(1),
    "T11-3": browser.hands,
    "T11-4": partial(browser.hands, "firefox"),
    "T11-5": partial(browser.hands, "webkit"),
    "T12": lessons.lines,
    "E": embedding.lines,
    "T13": fat.lines,
    "S": pages.lines,
    "S-1": pages.hands,
    **{f"S-{2 + i}": partial(pages.lines, partial(pages.held, 2 * i)) for i in range(5)},
    "T19": partial(pages.lines, pages.first_page),
    "T15": sweeps.short_lines,
    "T15c": sweeps.long_on_dask,
    "T15d": sweeps.long_on_processes,
    "T17": pieces.lines,
    "T17g": pieces.cluster,
    "T18": growth.lines,
    **{name: partial(peers.lines, name) for name in peers.PARTS},
}


def show(line: Line) -> None:
    """One row of the table, at once."""
    held = "holds" if line.holds else "FAILS"
    figures = f"{line.id:5} {line.value:10.4g} {line.unit:6} {line.target:10} {held:6} {line.what}"
    print(figures, flush=True)


def measure(
    groups: dict[str, Callable[[], Iterable[dict]]], kept: Path, file: Path | None = None
) -> list[str]:
    """Run the groups, show and store each line as it comes; the names of those that broke off."""
    every: list[Line] = []
    kept.mkdir(parents=True, exist_ok=True)
    for name, group in groups.items():
        run, start = Run(time.strftime("%Y-%m-%d"), loads=[load()]), time.perf_counter()
        peers.VERSIONS.clear()
        try:
            for figures in group():
                run.lines.append(Line(**figures))
                run.loads.append(load())
                show(run.lines[-1])
                every.append(run.lines[-1])
                if file:
                    write(file, [asdict(line) for line in every])
        except Exception as error:
            run.broken = " ".join("".join(traceback.format_exception_only(error)).split())
            print(f"{name:5} broke off: {run.broken}", flush=True)
        run.seconds, run.peers = time.perf_counter() - start, dict(peers.VERSIONS)
        write(kept / f"{name}.json", asdict(run))
        said = f"{name}: {run.seconds:.0f} s, load {run.loads[0]:.1f} to {max(run.loads):.1f}"
        print(said, file=sys.stderr, flush=True)
    return [name for name in groups if read(kept, name).broken]


def write(file: Path, value: object) -> None:
    """Write it as JSON."""
    file.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def read(kept: Path, name: str) -> Run:
    """The newest run of a group; one without lines if there was none."""
    file = kept / f"{name}.json"
    if not file.exists():
        return Run()
    found = json.loads(file.read_text(encoding="utf-8"))
    return Run(**{**found, "lines": [Line(**line) for line in found["lines"]]})


def main() -> int:
    """Run the chosen benchmarks, all by default; the exit status is 1 if a group broke off."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, help="also write the lines to this file")
    parser.add_argument("--results", type=Path, help="write the table to this Markdown file")
    parser.add_argument("groups", nargs="*", help=f"of {' '.join(GROUPS)}; all if none is given")
    options = parser.parse_args()
    if unknown := set(options.groups) - GROUPS.keys():
        parser.error(f"no such group: {' '.join(sorted(unknown))}")
    chosen = {name: GROUPS[name] for name in GROUPS if name in (options.groups or GROUPS)}
    broken = measure(chosen, KEPT, options.json)
    if options.results:
        results.write(options.results, {name: read(KEPT, name) for name in GROUPS})
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
