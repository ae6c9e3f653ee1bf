"""The line between a widget and its face: opened by either side, used by both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import comm
from comm.base_comm import BaseComm


def connect(publish: Any) -> None:
    """From now on every new comm speaks through ``publish(kind, content, metadata, buffers)``.

    It has to come before ipywidgets is imported.
    """

    class Comm(BaseComm):
        """One line, by its ``comm_id``."""

        def publish_msg(
            self,
            msg_type: str,
            data: Mapping[str, Any] | None = None,
            metadata: Mapping[str, Any] | None = None,
            buffers: Sequence[Any] | None = None,
            **keys: Any,
        ) -> None:
            content = {"data": data or {}, "comm_id": self.comm_id, **keys}
            publish(msg_type, content, metadata, buffers)

    comm.create_comm = Comm


def receive(message: dict[str, Any]) -> None:
    """Hand a message of the page to its comm; one that nobody knows is logged, not raised."""
    getattr(comm.get_comm_manager(), message["header"]["msg_type"])(None, None, message)


def known(target: str | None) -> dict[str, dict[str, str]]:
    """The open comms by their id, each with its target; only those of one target, if one is given.

    >>> known("nobody")
    {}
    """
    comms = comm.get_comm_manager().comms.items()
    return {
        name: {"target_name": line.target_name}
        for name, line in comms
        if target in (None, line.target_name)
    }
