"""WebKit, the engine of Safari: Debian's small browser, by its WebDriver, on a screen in memory.

``python tests/browser/webkit.py``, a step of `make test-all`, finds or installs it.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chromium
from window import LIMITS, SECONDS, Window, needed

DRIVER, SCREEN = "WebKitWebDriver", "Xvfb"
PACKAGES = {DRIVER: "webkit2gtk-driver", SCREEN: "xvfb"}
MISSING = """No WebKit here: the lessons are not tested in it. Type
    apt-get install webkit2gtk-driver xvfb (on Debian, as root)"""
PATHS = {
    "Navigate": "/url",
    "SetTimeouts": "/timeouts",
    "ExecuteAsyncScript": "/execute/async",
    "PerformActions": "/actions",
}


def find() -> str | None:
    """Path of WebKit's driver, or None without it or without a screen in memory."""
    return shutil.which(DRIVER) if shutil.which(SCREEN) else None


class WebKit(Window):
    """One window of a WebKit whose driver listens at ``port``."""

    def __init__(self, port: int):
        self._address = f"http://127.0.0.1:{port}/session"
        session = self._send("POST", "", {"capabilities": {}})
        self._address += f"/{session['sessionId']}"
        self.ask("SetTimeouts", **LIMITS)

    def _send(self, method: str, path: str, what: Any = None) -> Any:
        text = None if what is None else json.dumps(what).encode()
        request = urllib.request.Request(self._address + path, text, method=method)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS + 10) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as refusal:
            raise RuntimeError(f"{path}: {json.load(refusal)['value']['message']}") from None

    def ask(self, command: str, **what: Any) -> Any:
        """Give one command and wait for its answer; what it objects to is a RuntimeError."""
        return self._send("POST", PATHS[command], what)

    def close(self) -> None:
        """End the session, and with it the browser."""
        self._send("DELETE", "")


@contextmanager
def running(command: list[str], **more: Any) -> Iterator[subprocess.Popen]:
    """A process that ends with the block."""
    with subprocess.Popen(command, **more) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def displayed(log: Any) -> Iterator[str]:
    """The name of a screen in memory."""
    command = [SCREEN, "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
    with running(command, stdout=subprocess.PIPE, stderr=log, text=True) as screen:
        yield f":{screen.stdout.readline().strip()}"


@contextmanager
def opened(path: str, profile: Path) -> Iterator[WebKit]:
    """A WebKit on a screen of its own; all that it keeps is in a new folder."""
    port = _free_port()
    with (profile / "log").open("w") as log, displayed(log) as screen:
        places = {"DISPLAY": screen, "HOME": str(profile), "XDG_RUNTIME_DIR": str(profile)}
        # It would paint by a graphics card, which is simulated here and takes half the machine.
        places |= {"WEBKIT_DISABLE_COMPOSITING_MODE": "1"}
        command = [path, f"--port={port}"]
        with running(command, stdout=log, stderr=log, env=os.environ | places) as driver:
            _await_port(driver, port, profile / "log")
            window = WebKit(port)
            try:
                yield window
            finally:
                window.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def _await_port(driver: subprocess.Popen, port: int, log: Path) -> None:
    """Until the driver listens."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            if driver.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"WebKit does not start: {log.read_text()[-500:]}") from None
            time.sleep(0.1)


def main() -> int:
    """Say in one line what will be used; without it, fail only in CI."""
    if not find():
        for package in PACKAGES.values():
            chromium.install(package)
    print(f"Browser tests use {find()}" if find() else MISSING)
    return int(not find() and needed())


if __name__ == "__main__":
    sys.exit(main())
