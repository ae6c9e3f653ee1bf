"""Each explorer and player as a page of its own, served by Voila: no code, the whole window.

A page is a notebook of one cell: of the lesson's statements those that its instrument needs, found
by the names that they bind and read. A reader presses 1 to 9 for the presets. One kernel runs for
each open page, so this is for a class with a server; the pages of `from_disk` need none.
"""

from __future__ import annotations

import ast
import html
import importlib.util
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from dpviz import files, lab

SHOWS = ("explore_", "play_")
PORT = 8866  # Voila's own
INDEX = "index.html"
PLACE = f"/voila/files/{INDEX}"
SHOW = """from dpviz.views import whole_window

whole_window.show({})
"""
FIRST = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="{mark}">
<title>dpviz: explorers</title>
<style>body {{ font: 20px/1.5 system-ui, sans-serif; max-width: 44em; margin: 2em auto;
padding: 0 1em; color-scheme: light dark; }}</style>
<main>
<h1>Explorers and players</h1>
<p>Each opens as a page of its own, without code. The keys 1 to 9 press the presets, F fills the
screen, the switch <i>projector</i> changes the size of everything.</p>
{lessons}
</main>
</html>
"""


def ask(folder: Path, *, serve: bool, port: int, no_browser: bool) -> None:
    """What ``dpviz apps`` does: write the pages, and serve them if asked."""
    written = write(folder, lab.LESSONS)
    print(f"{folder}: {len(written)} pages")
    if serve:
        run(folder, port, browser=not no_browser)


def write(target: Path, source: Path) -> list[Path]:
    """Write a notebook for each explorer and player of the lessons, and an index of them.

    Parameters
    ----------
    target : a new folder, or one that holds such pages; what else stands in it is left alone
    source : the folder of the lessons

    Raises
    ------
    ValueError
        If there are no lessons, or the folder holds something else or cannot be written.
    """
    made = [(book, dict(pages(book))) for book in lab.notebooks(source)]
    texts = {f"{name}.ipynb": notebook(code) for _, each in made for name, code in each.items()}
    named = list(texts)
    texts[INDEX] = index(made)
    files.write(target, {name: text.encode() for name, text in texts.items()}, "explorers")
    return [target / name for name in named]


def notebook(code: str) -> str:
    """A notebook of one cell."""
    cell = {"cell_type": "code", "source": code, "metadata": {}, "id": "page"}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {
        "cells": [{**cell, "outputs": [], "execution_count": None}],
        "metadata": {
            "kernelspec": kernel,
            "language_info": {"name": "python"},
            "generator": files.MARK,
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(book, indent=1)


def pages(book: Path) -> Iterator[tuple[str, str]]:
    """Name and code of the page of each instrument that a lesson shows, in order."""
    cells = json.loads(book.read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    before: list[ast.stmt] = []
    names: list[str] = []
    for statement in (each for text in code for each in ast.parse(text).body):
        if shown := instrument(statement):
            again = names.count(shown) + 1
            names.append(shown)
            name = f"{book.stem[:2]}_{shown}" + (f"_{again}" if again > 1 else "")
            needs = [ast.unparse(each) for each in needed(before, statement)]
            yield name, "\n".join([*needs, SHOW.format(ast.unparse(statement))])
        else:
            before.append(statement)


def instrument(statement: ast.stmt) -> str:
    """The name of the explorer or player that a statement shows, or "".

    >>> instrument(ast.parse("view.explore_curve(seed=1)").body[0])
    'explore_curve'
    """
    call = statement.value if isinstance(statement, ast.Expr) else None
    name = getattr(call.func, "attr", "") if isinstance(call, ast.Call) else ""
    return name if name.startswith(SHOWS) else ""


def needed(before: Sequence[ast.stmt], last: ast.stmt) -> list[ast.stmt]:
    """The statements on which the last one depends, in order.

    Backwards: what binds a name that is read later, and what calls a method of it, which may
    change it. Checks and what is only printed are left out.

    >>> text = "a = 1; b = [a]; c = 3; b.append(2); print(c); assert a; explore(b)"
    >>> *earlier, shown = ast.parse(text).body
    >>> [ast.unparse(each) for each in needed(earlier, shown)]
    ['a = 1', 'b = [a]', 'b.append(2)']
    """
    imports = [each for each in before if isinstance(each, ast.Import | ast.ImportFrom)]
    fixed = {name for each in imports for name in binds(each)}
    wanted, kept = read(last), []
    for statement in reversed(before):
        bound = binds(statement)
        touched = bound | (calls(statement) - fixed)
        if isinstance(statement, ast.Assert) or not touched & wanted:
            continue
        if isinstance(statement, ast.Assign | ast.Import | ast.ImportFrom):
            wanted -= bound
        wanted |= read(statement)
        kept.append(statement)
    return kept[::-1]


def read(statement: ast.stmt) -> set[str]:
    """Names that a statement reads, those of its own lambdas too."""
    loads = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in loads if isinstance(node.ctx, ast.Load)}


def binds(statement: ast.stmt) -> set[str]:
    """Names that a statement gives a value."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(each.asname or each.name).partition(".")[0] for each in statement.names}
    stores = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in stores if isinstance(node.ctx, ast.Store)}


def calls(statement: ast.stmt) -> set[str]:
    """Names of which a statement calls a method, unless it only shows something."""
    if isinstance(statement, ast.Expr) and not isinstance(
        getattr(statement.value, "func", None), ast.Attribute
    ):
        return set()
    attributes = (
        node.func.value
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    )
    return {node.id for node in attributes if isinstance(node, ast.Name)}


def index(made: Iterable[tuple[Path, Iterable[str]]]) -> str:
    """The first page: the explorers and players of each lesson."""
    from dpviz.views.lessons import heading

    parts = []
    for book, names in made:
        links = [
            f'<li><a href="../render/{name}.ipynb">{html.escape(words(name))}</a></li>'
            for name in names
        ]
        title = html.escape(f"{book.stem[:2]} {heading(book)[0]}")
        parts.append(f"<h2>{title}</h2>\n<ul>\n{chr(10).join(links)}\n</ul>")
    return FIRST.format(mark=files.MARK, lessons="\n".join(parts))


def words(name: str) -> str:
    """A page's name for its reader.

    >>> words("08_play_shattering_2")
    'play: shattering 2'
    """
    kind, _, rest = name[3:].partition("_")
    return f"{kind}: {rest.replace('_', ' ')}"


def run(folder: Path, port: int = PORT, *, browser: bool = True) -> None:
    """Serve the pages to this computer with Voila until interrupted.

    Parameters
    ----------
    folder : what :func:`write` wrote
    port : where; 0 takes a free one
    browser : whether to open the index, where there is a screen

    Raises
    ------
    ValueError
        If Voila is not installed, the port is taken, or Voila does not start.
    """
    if importlib.util.find_spec("voila") is None:
        raise ValueError("Voila is not installed here: type pip install voila, or make apps")
    port = free(port)
    address = f"http://127.0.0.1:{port}{PLACE}"
    with subprocess.Popen(command(folder, port)) as voila:
        try:
            answered(address, voila)
            print(f"Open {address} in a browser; Ctrl-C ends this.", flush=True)
            if browser and lab.screen():
                webbrowser.open(address)
            voila.wait()
        finally:
            voila.terminate()


def command(folder: Path, port: int) -> list[str]:
    """What runs Voila on a folder of pages: on this computer only, and quietly."""
    return [
        *(sys.executable, "-m", "dpviz.pages.local", str(folder)),
        *("--no-browser", "--Voila.ip=127.0.0.1"),
        *(f"--port={port}", "--Voila.port_retries=0", "--Voila.log_level=ERROR"),
        f"--VoilaConfiguration.file_allowlist={INDEX}",
        # A page that is left ends its kernel by a message that cannot carry the token against
        # forgery; who would forge it must know the kernel's random name.
        "--Voila.tornado_settings=disable_check_xsrf=True",
        # Should the message be lost: seconds after which a kernel without a page ends.
        *(
            "--MappingKernelManager.cull_idle_timeout=120",
            "--MappingKernelManager.cull_interval=60",
        ),
    ]


def free(port: int) -> int:
    """The port, or a free one for 0; ``ValueError`` if somebody listens there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as problem:
            raise ValueError(
                f"port {port} is not free ({problem}): name another with --port, or 0 for any"
            ) from problem
        return probe.getsockname()[1]


def answered(address: str, voila: subprocess.Popen, seconds: float = 120) -> None:
    """Wait until Voila answers; ``ValueError`` if it ends before."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and voila.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise ValueError("Voila did not start; what it said stands above")
