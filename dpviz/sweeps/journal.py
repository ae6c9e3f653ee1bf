"""The file of a sweep: one line of JSON says what was run, then one line per finished trial.

Python writes a float so that reading it gives the same bits, so nothing is lost. A line is
appended as soon as its trial ends; a last line cut short by an interruption is ignored.
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
import sys
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


def begin(path: str | Path, header: dict) -> dict[int, dict]:
    """Results already in the file, which is made (or cut to its whole lines) if need be.

    A file that is whole is not touched, so a finished one may be read-only.

    Raises
    ------
    ValueError
        If it holds another sweep, a line of it is damaged, or it is no ordinary file.
    """
    if not Path(path).exists():
        write(path, header, {})
        return {}
    first, done = _read(path)
    if (held := _run(first)) != header:
        other = ", ".join(key for key in {**header, **held} if header.get(key) != held.get(key))
        raise ValueError(
            f"file {str(path)!r} holds another sweep (other {other}), written by dpviz "
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
        return _header(path, file.readline())


def write(path: str | Path, header: dict, done: Mapping[int, dict]) -> None:
    """Write header and trials to a new file, then put it in the old one's place."""
    _write(path, {"dpviz": __version__, "numpy": np.__version__, **header}, done)


def seal(path: str | Path, done: Mapping[int, dict], **more: float) -> None:
    """Write a finished sweep in order, with its digest (and ``more``) in the first line.

    If all trials have the same fields in the same order, these stand there too, and only once.
    """
    first = {**first_line(path), **more}
    first["sha256"] = digest(_run(first), done)
    if len({tuple(row) for row in done.values()}) == 1:
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


def _check(path: str | Path, first: dict, done: Mapping[int, dict]) -> None:
    """That a finished file holds what it held when it was finished."""
    if "sha256" in first and digest(_run(first), done) != first["sha256"]:
        raise ValueError(
            f"file {str(path)!r} is damaged: its first line or its numbers are not those that its "
            "digest was made from"
        )


def _read(path: str | Path) -> tuple[dict, dict[int, dict]]:
    """The first line as it stands, and the finished trials."""
    if Path(path).exists() and not Path(path).is_file():  # /dev/full has no end
        raise ValueError(f"file {str(path)!r} must be an ordinary file, or one that is not there")
    whole, _, _ = Path(path).read_text(encoding="utf-8", errors="replace").rpartition("\n")
    head, *lines = whole.split("\n")
    first = _header(path, head)
    fields = first.get("fields")
    return first, dict(_trial(path, i, line, fields) for i, line in enumerate(lines, start=2))


def _header(path: str | Path, line: str) -> dict:
    """The first line."""
    value = _parsed(line)
    if not isinstance(value, dict):
        raise ValueError(_damaged(path, 1, "that says what was run"))
    return value


def _trial(path: str | Path, i: int, line: str, fields: list | None) -> tuple[int, dict]:
    """Another line: a trial's index and its numbers, by their names or in the order of these."""
    match _parsed(line):
        case [index, dict(row)]:
            return index, row
        case [index, [*row]] if fields and len(row) == len(fields):
            return index, dict(zip(fields, row, strict=True))
    raise ValueError(_damaged(path, i, "of a trial"))


def _damaged(path: str | Path, i: int, what: str) -> str:
    return f"file {str(path)!r} is damaged in line {i}, which is no line {what}"


def _parsed(line: str) -> Any:
    """A line of JSON; None if it is none."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def _run(first: dict) -> dict:
    """What was run, whichever version wrote it down."""
    return {name: value for name, value in first.items() if name not in WRITTEN}


def _write(path: str | Path, first: dict, done: Mapping[int, dict]) -> None:
    """Write the whole file beside the old one, then take its place."""
    fresh = Path(f"{path}.new")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(json.dumps(first) + "\n")
            for i in sorted(done):
                row = list(done[i].values()) if "fields" in first else done[i]
                file.write(json.dumps([i, row]) + "\n")
        fresh.replace(path)
    except OSError:  # a full disk: the old file stays
        fresh.unlink(missing_ok=True)
        raise


def append(path: str | Path, index: int, row: dict) -> None:
    """Add one finished trial; the file is whole after each."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps([index, row]) + "\n")
