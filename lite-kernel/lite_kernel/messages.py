"""A message of the Jupyter protocol, and its bytes on the way out of the page's Python.

A message is a dictionary: ``channel``, ``header``, ``parent_header``, ``metadata``, ``content``
and ``buffers``. On the way it is one frame: the length of its JSON, the JSON, then the buffers as
they are, so that a picture is never written in letters.
"""

from __future__ import annotations

import json
import math
import uuid
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

VERSION = "5.3"
HEAD = 4  # bytes of the length that begins a frame, least significant first

Message = dict[str, Any]


def make(
    kind: str,
    content: Mapping[str, Any],
    parent: Message,
    *,
    channel: str = "iopub",
    metadata: Mapping[str, Any] | None = None,
    buffers: Sequence[Any] | None = None,
) -> Message:
    """A message that answers ``parent`` in its session.

    Parameters
    ----------
    kind : the protocol's ``msg_type``
    content, metadata, buffers : as the protocol asks for that kind
    parent : the request, or ``{}`` before the first
    channel : "iopub" for everybody, "shell" for who asked

    >>> made = make("status", {"execution_state": "busy"}, {"header": {"session": "s"}})
    >>> made["header"]["session"], made["parent_header"], made["channel"]
    ('s', {'session': 's'}, 'iopub')
    """
    asked = parent.get("header", {})
    header = {
        "msg_id": uuid.uuid4().hex,
        "msg_type": kind,
        "session": asked.get("session", ""),
        "username": asked.get("username", ""),
        "date": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        "version": VERSION,
    }
    return {
        "channel": channel,
        "header": header,
        "parent_header": asked,
        "metadata": dict(metadata or {}),
        "content": dict(content),
        "buffers": list(buffers or []),
    }


def pack(message: Message) -> bytes:
    """One frame: length of the JSON, the JSON with the sizes of the buffers, the buffers.

    >>> frame = pack({"content": {"value": float("inf")}, "buffers": [b"abc"]})
    >>> unpack(frame)
    {'content': {'value': 'inf'}, 'buffers': [b'abc']}
    """
    buffers = [memoryview(buffer).cast("B") for buffer in message["buffers"]]
    said = {**plain(message, leave="buffers"), "sizes": [buffer.nbytes for buffer in buffers]}
    words = json.dumps(said, allow_nan=False).encode()
    return b"".join([len(words).to_bytes(HEAD, "little"), words, *buffers])


def unpack(frame: bytes) -> Message:
    """The message of a frame."""
    start = HEAD + int.from_bytes(frame[:HEAD], "little")
    message = json.loads(frame[HEAD:start])
    buffers = []
    for size in message.pop("sizes"):
        buffers.append(frame[start : start + size])
        start += size
    return {**message, "buffers": buffers}


def plain(value: Any, leave: str = "") -> Any:
    """A value as JSON can hold it: bytes in letters, what is no number as its name.

    >>> plain({"png": b"abc", "x": (1, float("nan"))})
    {'png': 'YWJj', 'x': [1, 'nan']}
    """
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items() if key != leave}
    if isinstance(value, list | tuple | set):
        return [plain(part) for part in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)
