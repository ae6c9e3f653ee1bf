"""The file of a sweep: one line of JSON says what was run, then one line per finished trial.

Python writes a float so that reading it gives the same bits, so nothing is lost. A line is
appended as soon as its trial ends; a last line cut short by an interruption is ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path


def begin(path: str | Path, header: dict) -> dict[int, dict]:
    """Results already in the file, which is made (or cut to its whole lines) if need be."""
    done: dict[int, dict] = {}
    if Path(path).exists():
        before, done = parse(path)
        if before != header:
            raise ValueError(f"file {str(path)!r} holds another sweep: give another name")
    write(path, header, done)
    return done


def parse(path: str | Path) -> tuple[dict, dict[int, dict]]:
    """Header and finished trials; a last line cut by an interruption is left out."""
    whole, _, _ = Path(path).read_text(encoding="utf-8").rpartition("\n")
    header, *rows = [json.loads(line) for line in whole.split("\n")]
    return header, dict(rows)


def write(path: str | Path, header: dict, done: Mapping[int, dict]) -> None:
    """Write header and trials to a new file, then put it in the old one's place."""
    lines = [
        json.dumps(header),
        *(json.dumps([i, row]) for i, row in sorted(done.items())),
    ]
    fresh = Path(f"{path}.new")
    fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fresh.replace(path)


def append(path: str | Path, index: int, row: dict) -> None:
    """Add one finished trial; the file is whole after each."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps([index, row]) + "\n")
