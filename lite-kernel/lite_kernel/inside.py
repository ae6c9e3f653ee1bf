"""What runs in the page: the kernel on the channel that the page keeps open for it.

The page's Python has no processes, no terminal and no users; what asks for them at import finds
an empty module. One call of :func:`turn` answers one message.
"""

from __future__ import annotations

import os
import sys
import traceback
from types import ModuleType
from typing import Any

from lite_kernel import messages

CHANNEL = "/dev/page"
# Modules of the standard library that a Python without processes and terminals has not.
MISSING = ("fcntl", "resource", "termios", "tty", "pty", "pexpect")
BLOCK = 1 << 20  # bytes read at once

_running: dict[str, Any] = {}  # the kernel and its channel


def stand_in() -> list[str]:
    """Put an empty module where one is missing; returns their names."""
    here = [name for name in MISSING if not _found(name)]
    for name in here:
        sys.modules[name] = ModuleType(name, "Not there in a page.")
    if not hasattr(os, "getuid"):
        os.getuid = lambda: 1
    return here


def _found(name: str) -> bool:
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def start() -> None:
    """Make the kernel, and with it the shell: once, before the first turn."""
    stand_in()
    # The page's files belong to the page: whoever asks may read and write them.
    os.access = lambda *path, **how: True
    from lite_kernel.kernel import Kernel

    channel = os.open(CHANNEL, os.O_RDWR)
    os.chdir("/notebooks")
    _running["channel"] = channel

    def send(message: messages.Message) -> None:
        os.write(channel, messages.pack(message))

    _running["kernel"] = Kernel(send, sys.modules["__main__"])


def turn() -> None:
    """Read one message from the page and answer it; a fault of the kernel is logged, not fatal."""
    channel = _running["channel"]
    parts = []
    while part := os.read(channel, BLOCK):
        parts.append(part)
    try:
        _running["kernel"].handle(messages.unpack(b"".join(parts)))
    except BaseException:
        os.write(2, traceback.format_exc().encode())
