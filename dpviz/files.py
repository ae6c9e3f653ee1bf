"""Writing for others: a file whole or not at all, through no symbolic link, over nobody's work.

A folder that dpviz writes keeps a record: what it is, and the digest of each file. Replaced or
removed is only a regular file inside of the folder that still has such a digest; and, since
anybody can write a record, one in which our mark stands.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePath

RECORD = ".dpviz-folder.json"
MARK = "written by dpviz"  # in every page and every notebook of a page


def digest(data: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


def replace(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file whole or not at all; ``OSError`` also where a symbolic link stands.

    With ``durable`` it stands on the disk when this returns, so that a loss of power keeps it. Who
    may read and write a file that is replaced stays as it was.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a symbolic link, which is not written through", str(path))
    part = path.with_name(f"{path.name}.{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:  # a new file, whatever stands there
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            part.chmod(path.stat().st_mode & 0o777)
        part.replace(path)
        if durable and os.name == "posix":  # Windows opens no folders
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def write(target: Path, files: Mapping[str, bytes], what: str, *, mark: str = MARK) -> None:
    """Write a folder; what else stands in it stays, what an older version wrote there goes.

    Parameters
    ----------
    target : a new or an empty folder, or one that holds an older version
    files : by their names, with slashes for folders below
    what : what the folder holds, in words
    mark : what stands in each file of ours

    Raises
    ------
    ValueError
        If the folder holds something else, or a file that would be replaced is not as dpviz wrote
        it, before anything is written; if it cannot be written.
    """
    try:
        old = known(target, what)
        ours = {name for name in {**old, **files} if _ours(target, name, old.get(name, []), mark)}
        for name, data in files.items():
            if name not in ours and not _free(target, name, data):
                whose = f"{target / name} was not written by dpviz, or edited"
                raise ValueError(f"{whose}: rename it, then again")
        target.mkdir(parents=True, exist_ok=True)
        new = {name: [digest(data)] for name, data in files.items()}
        # First with both versions: a folder whose writing was interrupted can be written again.
        both = {name: old.get(name, []) + new.get(name, []) for name in {**old, **new}}
        _note(target, what, both)
        for name, data in files.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            replace(target / name, data)
        for name in ours - set(files):
            _remove(target, name)
        _note(target, what, new)
    except OSError as problem:
        raise ValueError(f"{what}: {target} cannot be written: {problem}") from problem


def known(target: Path, what: str) -> dict[str, list[str]]:
    """The digests of what an older version left in a folder, by name; ``ValueError`` if another."""
    try:
        if not target.exists() or not any(target.iterdir()):
            return {}
        record = json.loads((target / RECORD).read_text("utf-8"))
        contents = str(record["what"])
        digests = {str(k): list(v) for k, v in record["files"].items()}
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        contents = ""
        digests = {}
    except OSError as problem:
        raise ValueError(f"{target} is no folder that can be read: {problem}") from problem
    if not contents:
        raise ValueError(f"{target} holds something else: name a new or an empty folder")
    if contents != what:
        raise ValueError(f"{target} holds {contents!r}, not {what!r}: name another folder")
    return digests


def _note(target: Path, what: str, digests: Mapping[str, list[str]]) -> None:
    record = {"what": what, "files": dict(sorted(digests.items()))}
    replace(target / RECORD, json.dumps(record, indent=1).encode())


def _ours(target: Path, name: str, digests: list[str], mark: str) -> bool:
    """Whether a regular file inside of the folder is as dpviz wrote it."""
    path = target / name
    if not _inside(target, name) or not path.is_file():
        return False
    data = path.read_bytes()
    return digest(data) in digests and mark.encode() in data


def _free(target: Path, name: str, data: bytes) -> bool:
    """Whether nothing stands in the place of a file, or just what is to be written."""
    path = target / name
    if not _inside(target, name):
        return False
    return not path.exists() or (path.is_file() and path.read_bytes() == data)


def _inside(target: Path, name: str) -> bool:
    """Whether a name leads to a place below the folder, with no symbolic link on the way."""
    parts = PurePath(name).parts
    steps = [target.joinpath(*parts[: i + 1]) for i in range(len(parts))]
    inside = bool(parts) and ".." not in parts and not PurePath(name).anchor
    return inside and not any(step.is_symlink() for step in steps)


def _remove(target: Path, name: str) -> None:
    """Remove a file, and the folders that are empty without it."""
    (target / name).unlink(missing_ok=True)
    with suppress(OSError):  # one that is not empty stays
        for folder in PurePath(name).parents:
            if folder.parts:
                (target / folder).rmdir()
