"""The site without network: a list of all files with their digests, for the service worker."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from pathlib import Path

WORKER = "offline.js"
# Licences are there to be read, not to run; the other fonts are for browsers of another age.
LEFT_OUT = ("licences/", "jupyter/build/third-party-licenses.json")
OLD_FONTS = {".eot", ".svg", ".ttf"}


def kept(made: Path, without: tuple[str, ...] = ()) -> list[Path]:
    """What a browser keeps of the site: all but licences and the folders ``without``."""
    found = []
    for path in sorted(made.rglob("*")):
        place = path.relative_to(made).as_posix()
        old_font = path.suffix in OLD_FONTS and place.startswith("jupyter/build/")
        if path.is_file() and not place.startswith((*LEFT_OUT, *without)) and not old_font:
            found.append(path)
    return found


def digest(data: bytes) -> str:
    """A file's digest as a browser checks it.

    >>> digest(b"")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return "sha256-" + b64encode(hashlib.sha256(data).digest()).decode()


def write(made: Path, without: tuple[str, ...] = ()) -> str:
    """Write the service worker into a finished site; returns the edition's name.

    Parameters
    ----------
    made : the folder, with everything else in it
    without : names of folders, each with a slash, that a browser does not keep
    """
    paths = kept(made, without)
    files = {path.relative_to(made).as_posix(): digest(path.read_bytes()) for path in paths}
    listed = json.dumps(files)
    name = hashlib.sha256(listed.encode()).hexdigest()[:16]
    source = (Path(__file__).parent / WORKER).read_text("utf-8")
    edition = f'const EDITION = {{ name: "{name}", files: {listed} }};\n'
    (made / WORKER).write_text(edition + source, "utf-8")
    return name
