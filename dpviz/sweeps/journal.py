"""The file of a sweep: one line of JSON says what was run, then one line per finished trial.

Python writes a float so that reading it gives the same bits, so nothing is lost. A line is
appended as soon as its trial ends, with a checksum of its own; a last line cut short by an
interruption is ignored. Every other line is checked when it is read, and a file with a line that
nobody wrote so is refused and left as it is.
The first line also says who wrote it, which is no part of what was run: the versions of dpviz and
numpy. When all trials are there, they are put in order, and the first line says how many seconds
they took and the SHA-256 digest of what was run and all its numbers, which is checked when the file
is read. So two runs gave the same table if their digests are equal. The first line then also names
the numbers of a trial, and its line has only the numbers.

What was run enters by its contents, not as it prints: numpy prints arrays of more than 1,000
entries with an ellipsis and every float to 8 digits, and two functions made by the same ``def``
have the same name. So parameters that do not print in full enter by a digest of their contents, and
a trial that closes over values by a digest of these too.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import re
import sys
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import __version__

WRITTEN = ("dpviz", "numpy", "seconds", "sha256", "fields")  # no part of what was run
LONGEST = 2000  # characters of parameters that are written in full


def header(
    trial: Callable,
    params: Any,
    axes: Mapping[str, tuple],
    repeats: int,
    seed: np.random.SeedSequence,
    fixed: Mapping[str, object],
) -> dict:
    """All that decides the numbers of a sweep, as plain JSON; equal headers mean equal sweeps.

    Raises
    ------
    ValueError
        If the trial or an argument holds something whose contents cannot be compared.
    """
    held = contents(trial)
    return {
        "trial": name(trial),
        **({"trial_holds": _digest(held, "trial")} if held else {}),
        "params": _said(params),
        "fixed": {key: _digest(value, f"fixed[{key!r}]") for key, value in fixed.items()},
        "axes": {key: list(values) for key, values in axes.items()},
        "repeats": repeats,
        "seed": [str(seed.entropy), list(seed.spawn_key)],
    }


def name(trial: Callable) -> str:
    """Module and name of a trial; of a partial, those of its function.

    >>> name(functools.partial(max, 3))
    'builtins.max'
    """
    function = trial.func if isinstance(trial, functools.partial) else trial
    return f"{function.__module__}.{function.__qualname__}"


def contents(trial: Callable) -> tuple:
    """What a trial brings along besides its name: arguments, defaults, closed-over values, self.

    >>> def make(scale):
    ...     return lambda params, *, rng: {"error": scale}
    >>> contents(make(5)) == contents(make(5)), contents(make(5)) == contents(make(1))
    (True, False)
    >>> contents(max)
    ()
    """
    if isinstance(trial, functools.partial):
        return (trial.args, sorted(trial.keywords.items()), contents(trial.func))
    held = [cell.cell_contents for cell in getattr(trial, "__closure__", None) or ()]
    if "<" in getattr(trial, "__qualname__", ""):  # of a module's function the name says them
        held += [*(trial.__defaults__ or ()), *sorted((trial.__kwdefaults__ or {}).items())]
    owner = getattr(trial, "__self__", None)
    if owner is not None and owner is not sys.modules.get("builtins"):
        held.append(owner)
    return tuple(held)


def _said(params: Any) -> str:
    """Parameters in full, or a digest where they would be long or print an address."""
    if _entries(params) <= LONGEST:
        with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
            text = repr(params)
        if len(text) <= LONGEST and " at 0x" not in text:
            return text
    return f"{type(params).__qualname__} {_digest(params, 'params')}"


def _entries(value: Any) -> int:
    """Array entries that a value's text would hold; each takes a character at least.

    >>> _entries((np.zeros(3), [np.zeros((2, 2)), "some words"]))
    7
    """
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, (tuple, list)):
        return sum(map(_entries, value))
    if dataclasses.is_dataclass(value) and type(value).__dataclass_params__.repr:
        named = (each.name for each in dataclasses.fields(value) if each.repr)
        return sum(_entries(getattr(value, name)) for name in named)
    return 0


def _digest(value: object, what: str) -> str:
    """Digest of a value's contents."""
    import pickle

    import joblib

    try:
        return joblib.hash(value)
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        raise ValueError(f"{what} holds what cannot be compared: {problem}") from problem


@dataclasses.dataclass(frozen=True)
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
        """What was run, whichever version wrote it down."""
        return _run(self.first)


def begin(path: str | Path, header: dict) -> Journal:
    """The file of a sweep, which is made if it is not there; what there is is not touched.

    Raises
    ------
    ValueError
        If it holds another sweep, a line of it is damaged, or it is no ordinary file.
    """
    if not Path(path).exists():
        write(path, header, {})
    journal = _read(path)
    if journal.header != header:
        keys = {**header, **journal.header}
        other = ", ".join(key for key in keys if header.get(key) != journal.header.get(key))
        raise ValueError(
            f"file {str(path)!r} holds another sweep (other {other} in line 1), written by dpviz "
            f"{journal.first.get('dpviz', '0.1')} (this is {__version__}): give another name; "
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

    said = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for i in sorted(done):
        said.update(json.dumps([i, done[i]]).encode())
    return said.hexdigest()


def append(path: str | Path, index: int, row: dict) -> None:
    """Add one finished trial; the file is whole after each."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps([index, row, _checksum(index, row)]) + "\n")


def trials(first: dict) -> int:
    """How many trials a whole file with this first line has."""
    return math.prod(map(len, first["axes"].values())) * first["repeats"]


def _compare_digest(path: str | Path, journal: Journal) -> None:
    """That a finished file holds what it held when it was finished."""
    first, there, whole = journal.first, len(journal.rows), trials(journal.first)
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
                named = rest.get("fields", ["x"])
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
    """What was run, whichever version wrote it down."""
    return {name: value for name, value in first.items() if name not in WRITTEN}


def _write(path: str | Path, first: dict, done: Mapping[int, dict]) -> None:
    """Write the whole file beside the old one, then take its place."""
    fresh = Path(f"{path}.new")
    fields = first.get("fields")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(json.dumps(first) + "\n")
            for i in sorted(done):
                row = [done[i][field] for field in fields] if fields else done[i]
                file.write(json.dumps([i, row]) + "\n")
        fresh.replace(path)
    except OSError:  # a full disk: the old file stays
        fresh.unlink(missing_ok=True)
        raise
