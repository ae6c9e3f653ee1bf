"""Firefox, driven by its own remote control (Marionette): a socket, and JSON with its length.

``python tests/browser/firefox.py``, a step of `make test`, finds or installs it.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chromium
from window import LIMITS, SECONDS, Window, needed

NAMES = ("firefox-esr", "firefox")
MISSING = """No Firefox here: the lessons are not tested in it. Type
    apt-get install firefox-esr (on Debian, as root)"""
# A free port for Marionette; no other host is asked, as far as Firefox can be told.
SETTINGS = {
    "marionette.port": 0,
    "app.update.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.proxy.no_proxies_on": "127.0.0.1",
}
PORT = "MarionetteActivePort"


def find() -> str | None:
    """Path of a Firefox, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Firefox(Window):
    """One window of a Firefox that listens at ``port``."""

    def __init__(self, port: int):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self._read()  # it greets
        self._number = 0
        self.ask("NewSession")
        self.ask("SetTimeouts", **LIMITS)

    def _read(self) -> Any:
        head = b""
        while not head.endswith(b":"):
            head += self._received(1)
        return json.loads(self._received(int(head[:-1])))

    def _received(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self._socket.recv(count - len(data))
            if not piece:
                raise RuntimeError("Firefox ended")
            data += piece
        return data

    def ask(self, command: str, **what: Any) -> Any:
        """Give one command and wait for its answer; what it objects to is a RuntimeError."""
        self._number += 1
        text = json.dumps([0, self._number, f"WebDriver:{command}", what]).encode()
        self._socket.sendall(f"{len(text)}:".encode() + text)
        _, _, problem, answer = self._read()
        if problem:
            raise RuntimeError(f"{command}: {problem['message']}")
        return answer.get("value")

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


@contextmanager
def opened(path: str, profile: Path, **more: Any) -> Iterator[Firefox]:
    """A Firefox without a screen; its profile is a new folder, ``more`` further settings."""
    settings = SETTINGS | more
    lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in settings.items()]
    (profile / "user.js").write_text("".join(lines), "utf-8")
    command = [path, "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
    with (profile / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            window = Firefox(_port(process, profile))
            try:
                yield window
            finally:
                window.close()
        finally:
            process.terminate()
            process.wait(timeout=60)


def _port(process: subprocess.Popen, profile: Path) -> int:
    """Where Firefox listens: it writes the number into its profile."""
    end = time.monotonic() + SECONDS
    while not (profile / PORT).exists() or not (profile / PORT).read_text():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"Firefox does not start: {(profile / 'log').read_text()[-500:]}")
        time.sleep(0.1)
    return int((profile / PORT).read_text())


def main() -> int:
    """Say in one line what will be used; without any, fail only in CI."""
    if not find():
        chromium.install(NAMES[0])
    print(f"Browser tests use {find()}" if find() else MISSING)
    return int(not find() and needed())


if __name__ == "__main__":
    sys.exit(main())
