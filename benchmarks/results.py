"""RESULTS.md: the lines of all groups for a reader, ratios first; what misses, and why."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import peers

RATIOS = ("ratio", "share", "slope")
# Why a line may miss: what was found when it did.
REASONS = {
    "F2": "a summary computes a sensitivity for each number of terms that it tries; what every "
    "call needs, numpy.random and some 25 dataclasses, takes most of the rest",
    "F3": "it loads no scipy, but each of its two searches compares all pairs of 4,000 records",
    "F4c": "private-pgm draws the noisy counts to the public total; ours are left as proved",
    "P3b": "each call is checked, paid and written into the ledger; a release asks for a vector",
    "T6": "the matrix product alone would take a third of it (T6b); terms and memory take the rest",
    "T6c": "at the edge: its peers' times vary by a tenth from run to run",
    "T10": "two thirds of what numpy does not take goes into making 126 dataclasses",
    "T10b": "lesson 09 compares the mechanisms of all five papers, so it loads nearly all",
    "T17a": "nearly half is reading; eight looks at each number and one addition into its cell "
    "take the rest",
    "T17b": "as T17a; three columns are also brought together, block by block",
    "T17c": "512 moments take a matrix product of 1,152 operations a record, which alone takes "
    "longer than numpy's pass; its factors take about as long, and reading and waves the rest",
    "T11e": "the search, 120 grids of 10,000 rows and all pairs of 2,000, is most of that move",
}
PACKAGES = ("numpy", "scipy", "scikit-learn", "distributed", "dp-accounting", "dpviz")


def table(lines: Iterable[Any]) -> str:
    """Rows of a Markdown table."""
    head = "| id | value | target | holds | what | beside |\n|:--|--:|:--|:--|:--|:--|\n"
    return head + "".join(
        f"| {line.id} | {f'{line.value:.4g} {line.unit}'.removesuffix(' ratio').strip()} | "
        f"{line.target} | {'yes' if line.holds else '**no**'} | {line.what} | {line.peer} |\n"
        for line in lines
    )


def misses(lines: Iterable[Any]) -> str:
    """Each line that does not hold, and why."""
    many = os.cpu_count() or 1
    found = []
    for line in lines:
        if not line.holds:
            busy = f"measured at a load of {line.load:.1f} on {many} processors"
            why = REASONS.get(line.id, busy if line.load > many else "no reason is known")
            found.append(f"* **{line.id}** ({line.value:.4g}, target {line.target}): {why}.\n")
    return "".join(found) or "None.\n"


def versions(measured: Mapping[str, str]) -> str:
    """Packages that took part, the peers that were measured and those that are missing."""
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    with_peers = ", ".join(f"{name} {number}" for name, number in sorted(measured.items()))
    lines = [f"* Here: Python {platform.python_version()}, {', '.join(found)}.\n"]
    lines.append(f"* Peers, in environments of their own: {with_peers or 'none'}.\n")
    lines += [f"* Missing: {name}: {why}.\n" for name, why in peers.missing().items()]
    return "".join(lines)


def machine() -> str:
    """Its kind; no name and no place."""
    memory = ""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        gigabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        memory = f", {gigabytes:.0f} GB of memory"
    threads = os.environ.get("OMP_NUM_THREADS", "as many as the library takes")
    kind = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} processors{memory}"
    return f"{kind}; BLAS threads: {threads}"


def loads(runs: Mapping[str, Any]) -> str:
    """How busy the machine was while each group ran."""
    head = "| group | day | seconds | load before | most |\n|:--|:--|--:|--:|--:|\n"
    return head + "".join(
        f"| {name} | {run.day} | {run.seconds:.0f} | {run.loads[0]:.1f} | {max(run.loads):.1f} |\n"
        for name, run in runs.items()
        if run.loads
    )


def growth(path: Path) -> str:
    """The curves of T18, where they were drawn beside the page."""
    pictures = {"growth.svg": "n, out of files", "curves.svg": "n, d, k, universe and degree"}
    return "".join(
        f"## Growth with {what}\n\n![Processor time, log-log]({name})\n\n"
        for name, what in pictures.items()
        if path.with_name(name).exists()
    )


def write(path: Path, groups: Mapping[str, Any]) -> None:
    """The whole page, from the newest run of each group."""
    runs = {name: run for name, run in groups.items() if run.loads}
    lines = [line for run in runs.values() for line in run.lines]
    first = [line for line in lines if line.unit in RATIOS]
    rest = [line for line in lines if line.unit not in RATIOS]
    aimed = [line.holds for line in lines if line.target != "none"]
    absent = ", ".join(name for name in groups if name not in runs)
    never = f" Groups that were not measured: {absent}." if absent else ""
    broken = "".join(
        f" {name} broke off: {run.broken}." for name, run in runs.items() if run.broken
    )
    beside = sum(run.loads[0] > (os.cpu_count() or 1) for run in runs.values())
    busy = f"Other programs ran beside {beside} of {len(runs)} groups: times are longer for it. "
    measured = {peer: number for run in runs.values() for peer, number in run.peers.items()}
    path.write_text(
        "# dpviz beside its peers\n\n"
        "Made by `make bench`, group by group (`make peers` installs the peers); not edited. "
        "Ratios hold on other machines too, more or less; times do not. "
        "P: the peer's time, or its radius, over ours.\n\n"
        f"{sum(aimed)} of {len(aimed)} lines meet their target.{never}{broken}\n\n"
        f"## Ratios\n\n{table(first)}\n## Times, sizes, counts\n\n{table(rest)}\n"
        f"{growth(path)}## Lines that miss\n\n{misses(lines)}\n"
        f"## Versions\n\n{versions(measured)}\n"
        f"## Machine\n\n{machine()}. {busy if beside else ''}"
        f"Its load, a minute's mean, with the benchmark itself:\n\n"
        f"{loads(runs)}",
        encoding="utf-8",
    )
