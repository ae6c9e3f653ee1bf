"""One window of a browser that speaks W3C WebDriver, by whatever carrier."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

SECONDS = 600  # the longest that one command may take: a whole lesson, on a busy machine
LIMITS = {"script": SECONDS * 1000, "pageLoad": SECONDS * 1000}  # ms


def needed() -> bool:
    """Whether a browser that is missing is a failure: in CI, on the systems that have them all."""
    return bool(os.environ.get("CI")) and sys.platform == "linux"


class Window:
    """What a test does in a window; a subclass carries each command to its browser."""

    def ask(self, command: str, **what: Any) -> Any:
        """Give one command of WebDriver and wait for its answer; an objection is a RuntimeError."""
        raise NotImplementedError

    def goto(self, address: str) -> None:
        """Open an address."""
        self.ask("Navigate", url=address)

    def evaluate(self, script: str, *arguments: Any) -> Any:
        """What an expression, or an async function of these arguments, comes to in the page."""
        body = f"""const given = [...arguments], done = given.pop();
        (async () => {{
            const it = ({script});
            return typeof it === "function" ? it(...given) : it;
        }})().then((value) => done([value ?? null]), (problem) => done([null, `${{problem}}`]));"""
        told = self.ask("ExecuteAsyncScript", script=body, args=list(arguments))
        if len(told) > 1:
            raise RuntimeError(told[1])
        return told[0]

    def wait_for(self, condition: str) -> None:
        """Until an expression is true in the page."""
        end = time.monotonic() + SECONDS
        while not self.evaluate(f"!!({condition})"):
            if time.monotonic() > end:
                raise RuntimeError(f"{condition} does not come true")
            time.sleep(0.1)

    def press(self, key: str) -> None:
        """Press a key, as a person does."""
        pair = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        steps = [{"type": "key", "id": "keys", "actions": pair}]
        self.ask("PerformActions", actions=steps)

    def drag(self, x: float, y: float, across: float) -> None:
        """Press at a place of the window, move so many pixels across in steps, let go."""
        move = {"type": "pointerMove", "duration": 50, "y": round(y)}
        places = [round(x + across * step / 4) for step in range(1, 5)]
        acts = [
            {**move, "x": round(x)},
            {"type": "pointerDown", "button": 0},
            *({**move, "x": place} for place in places),
            {"type": "pointerUp", "button": 0},
        ]
        steps = [{"type": "pointer", "id": "hand", "actions": acts}]
        self.ask("PerformActions", actions=steps)
