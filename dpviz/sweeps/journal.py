"""The file of a sweep: one line of JSON says what was run, then one line per finished trial.

Python writes a float so that reading it gives the same bits, so nothing is lost. A line is
appended as soon as its trial ends; a last line cut short by an interruption is ignored.
The first line also says which version of dpviz wrote it, which is no part of what was run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpviz import __version__


def begin(path: str | Path, header: dict) -> dict[int, dict]:
    """Results already in the file, which is made (or cut to its whole lines) if need be.

    A file that is whole is not touched, so a finished one may be read-only.

    Raises
    ------
    ValueError
        If it holds another sweep, or a line of it is damaged.
    """
    if not Path(path).exists():
        write(path, header, {})
        return {}
    first, done = _read(path)
    if _run(first) != header:
        raise ValueError(
            f"file {str(path)!r} holds another sweep, of {first.get('trial')!r}, written by dpviz "
            f"{first.get('dpviz', '0.1')} (this is {__version__}): give another name; nothing "
            "was overwritten"
        )
    if not Path(path).read_text(encoding="utf-8").endswith("\n"):
        _write(path, first, done)
    return done


def parse(path: str | Path) -> tuple[dict, dict[int, dict]]:
    """Header and finished trials; a last line cut by an interruption is left out."""
    first, done = _read(path)
    return _run(first), done


def write(path: str | Path, header: dict, done: Mapping[int, dict]) -> None:
    """Write header and trials to a new file, then put it in the old one's place."""
    _write(path, {"dpviz": __version__, **header}, done)


def _read(path: str | Path) -> tuple[dict, dict[int, dict]]:
    """The first line as it stands, and the finished trials."""
    whole, _, _ = Path(path).read_text(encoding="utf-8").rpartition("\n")
    found = [_parsed(path, i, line) for i, line in enumerate(whole.split("\n"), start=1)]
    return found[0], dict(found[1:])


def _parsed(path: str | Path, i: int, line: str) -> Any:
    """One line: the header, or a trial's index and its numbers."""
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    trial = isinstance(value, list) and len(value) == 2 and isinstance(value[1], dict)
    if not (isinstance(value, dict) if i == 1 else trial):
        what = "that says what was run" if i == 1 else "of a trial"
        raise ValueError(f"file {str(path)!r} is damaged in line {i}, which is no line {what}")
    return value


def _run(first: dict) -> dict:
    """What was run, whichever version wrote it down."""
    return {name: value for name, value in first.items() if name != "dpviz"}


def _write(path: str | Path, first: dict, done: Mapping[int, dict]) -> None:
    """Write the whole file beside the old one, then take its place."""
    lines = [
        json.dumps(first),
        *(json.dumps([i, row]) for i, row in sorted(done.items())),
    ]
    fresh = Path(f"{path}.new")
    fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fresh.replace(path)


def append(path: str | Path, index: int, row: dict) -> None:
    """Add one finished trial; the file is whole after each."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps([index, row]) + "\n")
