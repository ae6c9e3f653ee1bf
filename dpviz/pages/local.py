"""Voila for this computer only: no page of another site can read from it or make it start a kernel.

A browser lets any site send requests to this computer. Refused is a request whose host is not this
computer's by name and port (a foreign name can be made to lead here), and one of which the browser
says that a page from elsewhere sent it; every browser says so since 2023.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from tornado.httputil import HTTPServerRequest
from tornado.routing import Matcher, Rule
from tornado.web import ErrorHandler
from voila.app import Voila

NAMES = ("127.0.0.1", "localhost", "::1")
OWN = (None, "same-origin", "none")  # "none": an address that was typed


def local(address: str, port: int) -> bool:
    """Whether an address is this computer's, at this port.

    >>> local("//localhost:8866", 8866), local("//evil.example:8866", 8866), local("null", 8866)
    (True, False, False)
    """
    try:
        parts = urlsplit(address)
        return parts.hostname in NAMES and (parts.port or 80) == port
    except ValueError:
        return False


class Foreign(Matcher):
    """Requests that did not come from a page of this server, or from its reader."""

    def __init__(self, port: int):
        self.port = port

    def match(self, request: HTTPServerRequest) -> dict | None:
        """Arguments for what refuses a request; None if it may pass."""
        headers = request.headers
        addresses = [f"//{headers.get('Host', '')}", *headers.get_list("Origin")]
        own = headers.get("Sec-Fetch-Site") in OWN
        return None if own and all(local(each, self.port) for each in addresses) else {}


class Local(Voila):
    """Voila that asks first where a request comes from."""

    def listen(self) -> None:
        """Listen, with the rule that refuses before all others."""
        refuse = Rule(Foreign(self.port), ErrorHandler, {"status_code": 403})
        self.app.default_router.rules.insert(0, refuse)
        super().listen()


if __name__ == "__main__":
    Local.launch_instance()
