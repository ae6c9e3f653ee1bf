"""The file of a sweep: one line of JSON says what was run, then one line per finished trial.

Python writes a float so that reading it gives the same bits, so nothing is lost. A line is
appended as soon as its trial ends; a last line cut short by an interruption is ignored.
The first line also says who wrote it, which is no part of what was run: the versions of dpviz and
numpy. When all trials are there, they are put in order, and the first line says how many seconds
they took and the SHA-256 digest of what was run and all its numbers, which is checked when the file
is read. So two runs gave the same table if their digests are equal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import __version__

WRITTEN = ("dpviz", "numpy", "seconds", "sha256")  # of the first line: what is no part of the run


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
    _check(path, first, done)
    if not Path(path).read_bytes().endswith(b"\n"):
        _write(path, first, done)
    return done


def parse(path: str | Path) -> tuple[dict, dict[int, dict]]:
    """Header and finished trials; a last line cut by an interruption is left out."""
    first, done = _read(path)
    _check(path, first, done)
    return _run(first), done


def first_line(path: str | Path) -> dict:
    """What was run and who wrote it down: versions, and of a finished sweep its digest."""
    with Path(path).open(encoding="utf-8") as file:
        return _parsed(path, 1, file.readline())


def write(path: str | Path, header: dict, done: Mapping[int, dict]) -> None:
    """Write header and trials to a new file, then put it in the old one's place."""
    _write(path, {"dpviz": __version__, "numpy": np.__version__, **header}, done)


def seal(path: str | Path, done: Mapping[int, dict], **more: float) -> None:
    """Write a finished sweep in order, with its digest (and ``more``) in the first line."""
    first = first_line(path)
    _write(path, {**first, **more, "sha256": digest(_run(first), done)}, done)


def digest(header: dict, done: Mapping[int, dict]) -> str:
    """SHA-256 of what was run and of all numbers, in order; 64 hexadecimal digits.

    >>> digest({"trial": "t"}, {1: {"x": 0.5}, 0: {"x": 1.0}})[:8]
    'f59beca9'
    """
    import hashlib  # loads OpenSSL

    said = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for i in sorted(done):
        said.update(json.dumps([i, done[i]]).encode())
    return said.hexdigest()


def _check(path: str | Path, first: dict, done: Mapping[int, dict]) -> None:
    """That a finished file holds what it held when it was finished."""
    if "sha256" in first and digest(_run(first), done) != first["sha256"]:
        raise ValueError(
            f"file {str(path)!r} is damaged: its first line or its numbers are not those that its "
            "digest was made from"
        )


def _read(path: str | Path) -> tuple[dict, dict[int, dict]]:
    """The first line as it stands, and the finished trials."""
    whole, _, _ = Path(path).read_text(encoding="utf-8", errors="replace").rpartition("\n")
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
    return {name: value for name, value in first.items() if name not in WRITTEN}


def _write(path: str | Path, first: dict, done: Mapping[int, dict]) -> None:
    """Write the whole file beside the old one, then take its place."""
    fresh = Path(f"{path}.new")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(json.dumps(first) + "\n")
            file.writelines(json.dumps([i, done[i]]) + "\n" for i in sorted(done))
        fresh.replace(path)
    except OSError:  # a full disk: the old file stays
        fresh.unlink(missing_ok=True)
        raise


def append(path: str | Path, index: int, row: dict) -> None:
    """Add one finished trial; the file is whole after each."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps([index, row]) + "\n")
