"""JupyterLab on loopback, Chromium on it, and one notebook open there."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Locator, sync_playwright

HERE = Path(__file__).parent
NOTEBOOKS = HERE.parents[1] / "notebooks"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OPTIONS = [
    "--no-browser",
    "--allow-root",
    "--expose-app-in-browser",
    "--ip=127.0.0.1",
    "--IdentityProvider.token=",
    f"--config={Path(__file__).parents[2] / 'binder' / 'jupyter_server_config.py'}",
]

# Whether the notebook of an address is there: JupyterLab first opens what was open before.
OPENED = """(address) => {
  const path = window.jupyterapp?.shell?.currentWidget?.context?.path;
  return path && address.endsWith(path);
}"""
# The last cell, at or above one, whose input is not hidden.
REACHED = """(index) => {
  const cells = jupyterapp.shell.currentWidget.content.widgets;
  return cells.slice(0, index + 1).findLastIndex((cell) => !cell.inputHidden);
}"""


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def server(folder: Path, private: Path, options: Sequence[str] = OPTIONS) -> Iterator[str]:
    """The address of a JupyterLab on a folder; its settings live in ``private``."""
    homes = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    private.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, **{name: str(private / name.lower()) for name in homes}}
    port = free_port()
    places = [f"--ServerApp.root_dir={folder}", f"--port={port}"]
    command = [sys.executable, "-m", "jupyterlab", *options, *places]
    with (private / "log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
        try:
            yield answering(process, private / "log")
        finally:
            process.terminate()
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:  # a busy machine: how it ends is not tested
                process.kill()
                process.wait()


def answering(process: subprocess.Popen, log: Path, seconds: float = 300) -> str:
    """The address that it says, once it answers there; its log if it never does.

    Where somebody else took the port meanwhile, it is another than was asked for.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        time.sleep(0.1)
        if said := re.search(r"http://127\.0\.0\.1:\d+", log.read_text(errors="replace")):
            with suppress(urllib.error.URLError, ConnectionError, TimeoutError):
                urllib.request.urlopen(f"{said[0]}/api/status", timeout=60).close()
                return said[0]
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-2000:]}")


@contextmanager
def chromium(path: str) -> Iterator[BrowserContext]:
    """A Chromium without a window, whose pages get page.js and share one cache."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        # Nothing moves but where a test asks for it: what is read is then what was sent.
        calm = {"reduced_motion": "reduce"}
        context = browser.new_context(viewport={"width": 1400, "height": 1000}, **calm)
        context.set_default_timeout(60_000)  # ms: a busy machine is slow, not broken
        context.add_init_script(path=HERE / "page.js")
        try:
            yield context
        finally:
            browser.close()


class Book:
    """One notebook in one page of JupyterLab.

    Parameters
    ----------
    browser, address : where
    name : file name in the server's folder
    size : width and height of its window, if not the browser's
    """

    def __init__(
        self,
        browser: BrowserContext,
        address: str,
        name: str,
        size: dict[str, int] | None = None,
    ):
        self.name, self.thrown = name.removesuffix(".ipynb").replace("/", "_"), []
        self._new_page = browser.new_page
        self._size = size
        self._url = f"{address}/lab/workspaces/{self.name}/tree/{name}"
        self.open()

    def open(self) -> None:
        """Open it in a new page."""
        self.page = self._new_page()
        if self._size:
            self.page.set_viewport_size(self._size)
        self.page.on("pageerror", lambda error: self.thrown.append(str(error)))
        self.page.goto(self._url)
        self.page.wait_for_function(OPENED, arg=self._url)
        self.page.evaluate("dpviz.ready()")

    def run(self) -> None:
        """Run all cells, and bring each that shows a widget on screen once."""
        self.page.evaluate("dpviz.execute('run-all-cells').then(() => 0)")
        for index in self.shown():
            self.page.evaluate("index => dpviz.show(index).then(() => 0)", index)
        self.page.evaluate("dpviz.settled()")

    def walk(self, index: int) -> None:
        """To a cell, by the arrow keys of command mode.

        JupyterLab's arrows jump over a cell whose input is hidden, which Tab enters from the one
        before: they then lead to the last one above it that they do not jump over.
        """
        index = self.page.evaluate(REACHED, index)
        for _ in range(2 * len(self.cells())):
            here = self.page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")
            if here == index:
                return
            self.page.keyboard.press("ArrowUp" if here > index else "ArrowDown")
            self.page.wait_for_timeout(30)  # ms: it scrolls
        raise RuntimeError(f"arrows lead to cell {here}, not to {index}")

    def tab_to(self, selector: str, key: str = "Tab", most: int = 60) -> None:
        """To the next element of a kind, unless one has the focus, by Tab."""
        for _ in range(most):
            if self.page.evaluate("aim => document.activeElement.matches(aim)", selector):
                return
            self.page.keyboard.press(key)
        raise RuntimeError(f"{most} times {key} do not lead to {selector}")

    def restart(self) -> None:
        """Restart the kernel, as the menu does, and confirm."""
        self.page.evaluate("void jupyterapp.commands.execute('notebook:restart-kernel')")
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        self.page.wait_for_function("dpviz.kernel().status.endsWith('starting')")
        self.page.wait_for_function("dpviz.kernel().status === 'idle'")

    def reopen(self) -> None:
        """Save it, end its kernel, close the page, and open it again as on another day."""
        self.page.evaluate("dpviz.leave()")
        self.page.close()
        self.open()

    def wake(self, index: int) -> None:
        """Follow the advice of an instrument that sleeps: run all above its cell, then it."""
        self.page.evaluate("index => dpviz.wake(index)", index)

    def seen(self, index: int) -> dict[str, Any]:
        """What a person sees below a cell: the number of pictures, and the words."""
        return self.page.evaluate("index => dpviz.seen(index)", index)

    def cells(self) -> list[dict[str, Any]]:
        """Index, source, execution count and outputs of every cell."""
        return self.page.evaluate("dpviz.cells()")

    def shown(self) -> list[int]:
        """Indices of the cells whose output is a widget."""
        return [cell["index"] for cell in self.cells() if widget_outputs(cell)]

    def ask(self, code: str) -> Any:
        """What the notebook's kernel prints, read as JSON."""
        printed = self.page.evaluate("code => dpviz.ask(code)", code)
        try:
            return json.loads(printed)
        except json.JSONDecodeError:
            raise RuntimeError(f"the kernel said {printed!r}") from None

    def trusted(self) -> bool:
        """Whether JupyterLab trusts all outputs, as it does after a run."""
        return self.page.evaluate("dpviz.trusted()")

    def roots(self, kind: str) -> list[Locator]:
        """All instruments of one kind, in the order of the page.

        Nothing of ours lies in a shadow tree, and to look for one walks over the whole page.
        """
        return self.page.locator(f":light(.dpviz-{kind})").all()

    def complaints(self) -> list[str]:
        """What the kernel and the page's scripts objected to outside any cell."""
        return self.page.evaluate("dpviz.complaints") + self.thrown


def sources(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The code cells that hold code."""
    return [cell for cell in cells if cell["type"] == "code" and cell["source"].strip()]


def widget_outputs(cell: dict[str, Any]) -> list[dict[str, Any]]:
    """The outputs of a cell that are widgets."""
    kind = "application/vnd.jupyter.widget-view+json"
    return [output for output in cell["outputs"] if kind in output.get("data", {})]
