"""The Jupyter protocol: one message in, its answers out, in the order of the protocol.

Nothing here knows how messages travel: a kernel is given ``send``, and whoever runs it calls
``handle``. So the same kernel serves a worker of a page and a test.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from IPython import __version__
from IPython.core.completer import provisionalcompleter, rectify_completions
from IPython.utils.tokenutil import token_at_cursor

from lite_kernel import comms, messages, shell

Message = messages.Message


class Kernel:
    """Python behind the protocol.

    Parameters
    ----------
    send : called with each message that leaves, at once, also in the middle of a cell
    names : the module whose names the cells see
    """

    def __init__(self, send: Callable[[Message], None], names: ModuleType):
        self._send = send
        self._parent: Message = {}
        comms.connect(self.publish)
        self.shell = shell.make(self, names)

    def get_parent(self) -> Message:
        """The request that is being answered; ipywidgets asks for it."""
        return self._parent

    def handle(self, message: Message) -> None:
        """Answer one message: busy, what it asks for, idle."""
        self._parent = message
        kind = message["header"]["msg_type"]
        self.publish("status", {"execution_state": "busy"})
        if kind.startswith("comm_") and not kind.endswith("_request"):
            comms.receive(message)
        elif answer := getattr(self, f"_{kind}", None):
            content = answer(message["content"])
            self._flush()
            reply = kind.replace("_request", "_reply")
            self._send(messages.make(reply, content, message, channel="shell"))
        self.publish("status", {"execution_state": "idle"})

    def publish(self, kind: str, content: Any, metadata: Any = None, buffers: Any = None) -> None:
        """Send a message to everybody who listens, after what was printed before it."""
        if kind != "stream":
            self._flush()
        more = {"metadata": metadata, "buffers": buffers}
        self._send(messages.make(kind, content, self._parent, **more))

    def _flush(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()

    def _kernel_info_request(self, _: Any) -> dict[str, Any]:
        version = ".".join(map(str, sys.version_info[:3]))
        language = {
            "name": "python",
            "version": version,
            "mimetype": "text/x-python",
            "codemirror_mode": {"name": "ipython", "version": sys.version_info[0]},
            "pygments_lexer": "ipython3",
            "nbconvert_exporter": "python",
            "file_extension": ".py",
        }
        return {
            "status": "ok",
            "protocol_version": messages.VERSION,
            "implementation": "lite-kernel",
            "implementation_version": __version__,
            "language_info": language,
            "banner": f"Python {version} in the page",
            "help_links": [],
        }

    def _execute_request(self, asked: dict[str, Any]) -> dict[str, Any]:
        quiet = asked.get("silent", False)
        code = asked["code"]
        self.shell.displayhook.failed = False
        if not quiet:
            told = {"code": code, "execution_count": self.shell.execution_count}
            self.publish("execute_input", told)
        how = {"store_history": asked.get("store_history", not quiet), "silent": quiet}
        done = self.shell.run_cell(code, **how)
        success = done.success and not self.shell.displayhook.failed
        count = self.shell.execution_count - 1
        return {**self._outcome(success, asked), "execution_count": count}

    def _outcome(self, success: bool, asked: dict[str, Any]) -> dict[str, Any]:
        manager: Any = self.shell.payload_manager
        payload = manager.read_payload()
        manager.clear_payload()
        if not success:
            failed = self.shell.failed or {}
            return {"status": "error", **failed, "user_expressions": {}, "payload": payload}
        wanted = self.shell.user_expressions(asked.get("user_expressions") or {})
        return {"status": "ok", "user_expressions": wanted, "payload": payload}

    def _complete_request(self, asked: dict[str, Any]) -> dict[str, Any]:
        code = asked["code"]
        at = asked.get("cursor_pos")
        at = len(code) if at is None else at
        with provisionalcompleter():
            found = list(rectify_completions(code, self.shell.Completer.completions(code, at)))
        fields = ("start", "end", "text", "type", "signature")
        kinds = [{field: getattr(each, field) for field in fields} for each in found]
        return {
            "status": "ok",
            "matches": [each.text for each in found],
            "cursor_start": found[0].start if found else at,
            "cursor_end": found[0].end if found else at,
            "metadata": {"_jupyter_types_experimental": kinds},
        }

    def _inspect_request(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = token_at_cursor(asked["code"], asked.get("cursor_pos", 0))
        level = asked.get("detail_level", 0)
        try:
            data = self.shell.object_inspect_mime(name, detail_level=level)
        except KeyError:
            return {"status": "ok", "found": False, "data": {}, "metadata": {}}
        if not self.shell.enable_html_pager:
            data.pop("text/html", None)
        return {"status": "ok", "found": True, "data": data, "metadata": {}}

    def _is_complete_request(self, asked: dict[str, Any]) -> dict[str, Any]:
        manager = self.shell.input_transformer_manager
        status, indent = manager.check_complete(asked["code"])
        if status != "incomplete":
            return {"status": status}
        return {"status": status, "indent": " " * indent}

    def _comm_info_request(self, asked: dict[str, Any]) -> dict[str, Any]:
        return {"status": "ok", "comms": comms.known(asked.get("target_name"))}

    def _history_request(self, _: Any) -> dict[str, Any]:
        return {"status": "ok", "history": []}

    def _shutdown_request(self, asked: dict[str, Any]) -> dict[str, Any]:
        return {"status": "ok", "restart": asked.get("restart", False)}
