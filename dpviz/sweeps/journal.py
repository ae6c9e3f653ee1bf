"""The file of a sweep: one line of JSON says what was run, then one line per finished trial.

Python writes a float so that reading it gives the same bits, so nothing is lost. A line is
appended as soon as its trial ends, with a checksum of its own; a last line cut short by an
interruption is ignored. Every other line is checked when it is read, and a file with a line that
nobody wrote so is refused and left as it is.
The first line also says who wrote it, which is no part of what was run: the versions of dpviz and
numpy, and a digest of the trial's source. When all trials are there, they are put in order, and the
first line says how many seconds they took and the SHA-256 digest of what was run and all its
numbers, which is checked when the file is read. So two runs gave the same table if their digests
are equal. The first line then also names the numbers of a trial, and its line has only the numbers.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import sys
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import __version__
from dpviz.sweeps.call import Call

# No part of what was run.
WRITTEN = ("dpviz", "numpy", "source", "seconds", "sha256", "fields")


@dataclass(frozen=True)
class Journal:
    """A file that was read and checked.

    Attributes
    ----------
    first : its first line as it stands
    rows : dict from a trial's place to its numbers, in the order of the lines
    size : bytes up to the end of the last whole line
    """

    first: dict
    rows: dict[int, dict[str, float]]
    size: int

    @property
    def header(self) -> dict:
        """What was run."""
        return _run(self.first)

    @property
    def version(self) -> str:
        """Of dpviz, that wrote it; the first one did not say so."""
        return self.first.get("dpviz", "0.1")


def begin(path: str | Path, call: Call) -> Journal:
    """The file of a sweep, which is made if it is not there; what there is is not touched.

    Raises
    ------
    ValueError
        If it holds another sweep, a line of it is damaged, or it is no ordinary file.
    """
    if not Path(path).exists():
        write(path, {"source": call.source, **call.header}, {})
    journal = _read(path)
    if other := call.differences(journal.header):
        raise ValueError(
            f"file {str(path)!r} holds another sweep (other {', '.join(other)} in line 1), written "
            f"by dpviz {journal.version} (this is {__version__}): give another name; "
            "nothing was overwritten"
        )
    _compare_digest(path, journal)
    return journal


def read(path: str | Path) -> Journal:
    """A file's first line and its trials; a last line cut by an interruption is left out.

    Raises
    ------
    ValueError
        That names file and line, if a line is damaged or the digest is not that of the numbers.
    """
    journal = _read(path)
    _compare_digest(path, journal)
    return journal


def _read(path: str | Path) -> Journal:
    """The same, whatever the digest."""
    if not Path(path).is_file() and Path(path).exists():  # /dev/full has no end
        raise ValueError(f"file {str(path)!r} must be an ordinary file, or one that is not there")
    content = Path(path).read_bytes()
    head, *lines = content.split(b"\n")
    first = _header(path, head if lines else b"")  # a first line without its end is cut
    rest = lines.pop()
    rows: dict[int, dict[str, float]] = {}
    for number, line in enumerate(lines, start=2):
        try:
            index, row = _trial(line, first, rows)
        except ValueError as flaw:
            raise ValueError(_damaged(path, number, str(flaw))) from None
        rows[index] = row
    if not re.fullmatch(rb"(\[[ -~]*)?", rest):
        raise ValueError(_damaged(path, len(lines) + 2, "which no trial's line begins with"))
    return Journal(first, rows, len(content) - len(rest))


def first_line(path: str | Path) -> dict:
    """What was run and who wrote it down: versions, and of a finished sweep its digest."""
    with Path(path).open("rb") as file:
        return _header(path, file.readline().removesuffix(b"\n"))


def write(path: str | Path, header: dict, done: Mapping[int, dict]) -> None:
    """Write header and trials to a new file, then put it in the old one's place."""
    _write(path, {"dpviz": __version__, "numpy": np.__version__, **header}, done)


def mend(path: str | Path, journal: Journal) -> None:
    """Take away a last line that was cut."""
    if Path(path).stat().st_size > journal.size:
        with Path(path).open("r+b") as file:
            file.truncate(journal.size)


def seal(path: str | Path, done: Mapping[int, dict], **more: float) -> None:
    """Write a finished sweep in order, with its digest (and ``more``) in the first line.

    If all trials have the same fields in the same order, these stand there too, and only once. A
    file that holds some of ``more`` already was sealed before: it gets the first line that it had.
    """
    first = first_line(path)
    fields = first.pop("fields", None)
    older = first.keys() & more.keys()
    first = {**first, **{name: more[name] for name in more if name not in first}}
    first["sha256"] = digest(_run(first), done)
    if fields or (not older and len({tuple(row) for row in done.values()}) == 1):
        first["fields"] = list(next(iter(done.values())))
    _write(path, first, done)


def digest(header: dict, done: Mapping[int, dict]) -> str:
    """SHA-256 of what was run and of all numbers, in order; 64 hexadecimal digits.

    >>> digest({"trial": "t"}, {1: {"x": 0.5}, 0: {"x": 1.0}})[:8]
    'f59beca9'
    """
    import hashlib  # loads OpenSSL

    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for i in sorted(done):
        digest.update(json.dumps([i, done[i]]).encode())
    return digest.hexdigest()


def append(path: str | Path, index: int, row: dict) -> None:
    """Add one finished trial; the file is whole after each."""
    with Path(path).open("ab") as file:
        file.write(_line([index, row, _checksum(index, row)]))


def trials(first: dict) -> int:
    """How many trials a whole file with this first line has."""
    return math.prod(map(len, first["axes"].values())) * first["repeats"]


def _compare_digest(path: str | Path, journal: Journal) -> None:
    """That a finished file holds what it held when it was finished."""
    first = journal.first
    there = len(journal.rows)
    whole = trials(journal.first)
    if "sha256" not in first or digest(journal.header, journal.rows) == first["sha256"]:
        return
    text = "its numbers from line 2 on, or what was run, are not those of the digest in line 1"
    if there < whole:
        text = f"it ends after line {there + 1}, but the digest in line 1 is of {whole} trials"
    raise ValueError(f"file {str(path)!r} is damaged: {text}")


def _header(path: str | Path, line: bytes) -> dict:
    """The first line, with all that reading the others needs."""
    try:
        match _parsed(line):
            case {"axes": dict(axes), "repeats": int(repeats), **rest} as first:
                named: Any = rest.get("fields", ["x"])
                lists = isinstance(named, list) and all(isinstance(x, list) for x in axes.values())
                if lists and repeats >= 1 and all(isinstance(name, str) for name in named):
                    return first
    except ValueError as flaw:
        raise ValueError(_damaged(path, 1, str(flaw))) from None
    raise ValueError(_damaged(path, 1, "which is no line that says what was run"))


def _trial(line: bytes, first: dict, rows: Mapping[int, dict]) -> tuple[int, dict]:
    """Another line: a trial's place and its numbers, by their names or in the order of these.

    Raises ``ValueError`` with half a sentence about the line.
    """
    fields = first.get("fields") or []
    match _parsed(line):
        case [index, dict(row)]:
            pass
        case [index, dict(row), checksum] if checksum == _checksum(index, row):
            pass
        case [index, [*numbers]] if fields and len(numbers) == len(fields):
            row = dict(zip(fields, numbers, strict=True))
        case _:
            raise ValueError("which is no line of a trial")
    if type(index) is not int or not 0 <= index < trials(first):
        raise ValueError(f"whose trial is none of 0 to {trials(first) - 1}")
    if index in rows:
        raise ValueError(
            f"whose trial {index} stands in line {list(rows).index(index) + 2} already"
        )
    if not row or not all(map(_is_number, row.values())):
        raise ValueError(f"whose trial {index} has something else than finite numbers")
    if set(row) != set(fields or next(iter(rows.values()), row)):
        raise ValueError(f"whose trial {index} has other fields than line {1 if fields else 2}")
    return index, row


def _is_number(value: object) -> bool:
    """Whether it is a finite number, which a truth value is not.

    >>> [_is_number(value) for value in (2, 0.5, True, "x", float("nan"), 10**400)]
    [True, True, False, False, False, False]
    """
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _damaged(path: str | Path, number: int, flaw: str) -> str:
    return f"file {str(path)!r} is damaged in line {number}, {flaw}"


def _parsed(line: bytes) -> Any:
    """A line of JSON; None if it is none."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise ValueError("which is not UTF-8") from None
    if text.startswith("\ufeff") or text.endswith("\r"):
        raise ValueError("which has a byte order mark or a carriage return, as no journal has")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _checksum(index: object, row: dict) -> int:
    """CRC-32 of a trial's line: any eight bits in a row that were changed are seen."""
    return zlib.crc32(json.dumps([index, row]).encode())


def _run(first: dict) -> dict:
    """What was run, without who wrote it down."""
    return {name: value for name, value in first.items() if name not in WRITTEN}


def _write(path: str | Path, first: dict, done: Mapping[int, dict]) -> None:
    """Write the whole file, its trials in order."""
    fields = first.get("fields")
    rows = ([i, [done[i][field] for field in fields] if fields else done[i]] for i in sorted(done))
    _replace(path, map(_line, itertools.chain([first], rows)))


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _replace(path: str | Path, parts: Iterable[bytes]) -> None:
    """Write a file beside the old one, then take its place."""
    fresh = Path(f"{path}.new")
    try:
        with fresh.open("wb") as file:
            file.writelines(parts)
        fresh.replace(path)
    except OSError:  # a full disk: the old file stays
        fresh.unlink(missing_ok=True)
        raise
