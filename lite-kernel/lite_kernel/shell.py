"""IPython, whose results, pictures and errors leave as messages instead of being printed."""

from __future__ import annotations

import io
import os
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from typing import Any

from IPython.core import page, payloadpage
from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any as AnyTrait
from traitlets import Type
from traitlets.config import Config

PAUSE = 0.05  # seconds between two messages of one stream: a loop that prints sends few
NO_INPUT = "a cell in the page cannot ask: give the value in the code"


class Stream(io.TextIOBase):
    """Standard output or standard error: joins what is written in quick succession.

    Parameters
    ----------
    name : "stdout" or "stderr"
    publish : called as ``publish("stream", {"name": ..., "text": ...})``

    >>> stream = Stream("stdout", lambda kind, content: print(kind, content["text"]))
    >>> stream.write("once"), stream.write(" more"), stream.flush()
    stream once more
    (4, 5, None)
    """

    encoding = "utf-8"

    def __init__(self, name: str, publish: Callable[..., None]):
        self.name = name
        self._publish = publish
        self._text: list[str] = []
        self._sent = time.monotonic()

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Keep it, and send all that is kept if the last sending was not just now."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._text.append(text)
        if text.endswith("\n") and time.monotonic() - self._sent > PAUSE:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Send what is kept."""
        text = "".join(self._text)
        self._text = []
        if text:
            self._sent = time.monotonic()
            self._publish("stream", {"name": self.name, "text": text})


class Compiler(CachingCompiler):
    """Each cell is a file by the sum of its letters, which no file of that name has to back."""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        """The file that an error or a warning names."""
        name = f"{zlib.crc32(raw_code.encode())}.py"
        return os.path.join(tempfile.gettempdir(), "cells", name)


class Results(DisplayHook):
    """The value of a cell's last line leaves as ``execute_result``.

    ``failed`` says whether its own words for itself raised an error.
    """

    showing = failed = False

    def start_displayhook(self) -> None:
        """Nothing is printed before a value."""
        self.showing = True

    def write_output_prompt(self) -> None:
        """Its number is in the message."""

    def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
        """Send the value in all its forms."""
        content = {"data": format_dict, "metadata": md_dict or {}}
        content["execution_count"] = self.prompt_count
        shell: Any = self.shell
        shell.kernel.publish("execute_result", content)

    def finish_displayhook(self) -> None:
        """Nothing is printed after a value."""
        self.showing = False


class Publisher(DisplayPublisher):
    """What ``display`` shows leaves as ``display_data``, or brings an earlier one up to date."""

    def publish(
        self, data: dict, metadata: dict | None = None, source: Any = None, **more: Any
    ) -> None:
        """Send it; with ``update=True`` in place of the one with its ``display_id``."""
        kind = "update_display_data" if more.get("update") else "display_data"
        content = {"data": data, "metadata": metadata or {}}
        self.shell.kernel.publish(kind, {**content, "transient": more.get("transient") or {}})

    def clear_output(self, wait: bool = False) -> None:
        """Empty the cell's output, at once or before the next one."""
        self.shell.kernel.publish("clear_output", {"wait": wait})


class Shell(InteractiveShell):
    """IPython's shell without a terminal.

    ``kernel`` is who publishes; ``failed`` the last error as the protocol wants it.
    """

    kernel = AnyTrait()
    failed = AnyTrait()
    compiler_class = Type(Compiler)
    displayhook_class = Type(Results)
    display_pub_class = Type(Publisher)

    def init_hooks(self) -> None:
        """Long texts go into the pager of the page."""
        super().init_hooks()
        self.set_hook("show_in_pager", page.as_hook(payloadpage.page), 99)

    def set_next_input(self, text: str, replace: bool = False) -> None:
        """Put a text into the next cell, or in place of this one."""
        wish = {"source": "set_next_input", "text": text, "replace": replace}
        manager: Any = self.payload_manager
        manager.write_payload(wish)

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        content = {"ename": etype.__name__, "evalue": str(evalue), "traceback": stb}
        self.failed = content
        self.displayhook.failed = self.displayhook.showing
        self.kernel.publish("error", content)


def make(kernel: Any, names: Any) -> Shell:
    """The shell of a kernel: takes over the streams and ``input``.

    Parameters
    ----------
    kernel : has ``publish(kind, content)``
    names : the module whose names the cells see
    """
    config = Config()
    config.HistoryManager.enabled = False
    config.IPCompleter.use_jedi = False
    shell = Shell.instance(kernel=kernel, user_module=names, config=config)
    sys.stdout, sys.stderr = (Stream(name, kernel.publish) for name in ("stdout", "stderr"))
    shell.builtin_trap.activate()
    shell.user_ns_hidden.update(shell.user_ns)
    shell.user_global_ns["__builtins__"].input = _no_input
    return shell


def _no_input(prompt: str = "") -> str:
    raise RuntimeError(NO_INPUT)
