"""``lite-kernel NOTEBOOKS SITE``: write a folder of notebooks as a site, and serve it if asked."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lite_kernel import site


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    asked = argparse.ArgumentParser(prog="lite-kernel", description=(__doc__ or "").strip())
    asked.add_argument("notebooks", type=Path, help="a folder of notebooks and their files")
    asked.add_argument("site", type=Path, help="a new or empty folder, or an older site")
    asked.add_argument("--requires", nargs="*", default=[], help="distributions they import")
    asked.add_argument("--without", nargs="*", default=[], help="what these require in vain")
    asked.add_argument("--title", default="Notebooks", help="of the page")
    asked.add_argument("--cache", type=Path, help="keeps parts from one build to the next")
    asked.add_argument("--serve", action="store_true", help="and serve it to this computer")
    return asked


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what was asked; 2 if it cannot be done here."""
    asked = parser().parse_args(arguments)
    try:
        contents = site.Contents(
            notebooks=site.files_of(asked.notebooks),
            requires=tuple(asked.requires),
            without=tuple(asked.without),
            title=asked.title,
        )
        with tempfile.TemporaryDirectory() as folder:
            parts = site.build(asked.site, contents, asked.cache or Path(folder))
    except ValueError as problem:
        print(f"lite-kernel: {problem}", file=sys.stderr)
        return 2
    size = sum(parts[part]["size"] for part in ("wasm", "library")) / 1e6
    print(f"{asked.site}: Python and what it reads at once are {size:.0f} MB")
    if asked.serve:
        with site.server(asked.site) as server:
            print(f"Open http://127.0.0.1:{server.server_port} in a browser; Ctrl-C ends this.")
            sys.stdout.flush()
            server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
