"""RESULTS.md: the lines of one run for a reader, ratios first; what misses, with the reason."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import peers

RATIOS = ("ratio", "share", "slope")
# Why a line may miss: what was found when it did.
REASONS = {
    "P3b": "each call is checked, paid and written into the ledger; a release asks for a vector",
    "T6": "the matrix product alone would take a third of it (T6b); terms and memory take the rest",
    "T10": "over half of what numpy does not take goes into making some 110 dataclasses",
    "T15c": "wall time: the workers share the processors with whatever else runs",
    "T15d": "wall time: the processes share the processors with whatever else runs",
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


def versions() -> str:
    """Packages that took part, and the peers that are missing."""
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    with_peers = ", ".join(f"{name} {number}" for name, number in sorted(peers.VERSIONS.items()))
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


def write(path: Path, lines: Sequence[Any], broken: Sequence[str], loads: Sequence[float]) -> None:
    """The whole page."""
    first = [line for line in lines if line.unit in RATIOS]
    rest = [line for line in lines if line.unit not in RATIOS]
    held = sum(line.holds for line in lines)
    busy = max(loads) > (os.cpu_count() or 1)
    others = " Other programs ran beside it, so times are longer than they need be." if busy else ""
    ended = f" Groups that broke off: {', '.join(broken)}." if broken else ""
    path.write_text(
        "# dpviz beside its peers\n\n"
        "Made by `make bench` in one run (`make peers` installs the peers); not edited. "
        "Ratios hold on other machines too, more or less; times do not. "
        "P: the peer's time, or its radius, over ours.\n\n"
        f"{held} of {len(lines)} lines meet their target.{ended}{others}\n\n"
        f"## Ratios\n\n{table(first)}\n## Times, sizes, counts\n\n{table(rest)}\n"
        f"## Lines that miss\n\n{misses(lines)}\n## Versions\n\n{versions()}\n"
        f"## Machine\n\n{machine()}. Load: {min(loads):.1f} to {max(loads):.1f}.\n",
        encoding="utf-8",
    )
