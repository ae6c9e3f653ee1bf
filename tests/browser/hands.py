"""A hand in Chromium: drags a mark of a picture, types on it, and times what it sees."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator

# Where the middle of a mark is on the screen, and where it could go: pixels of the screen.
PLACE = """(root, mark) => {
  const svg = root.querySelector(".dpviz-picture svg[role]");
  const e = svg.querySelector(`[data-mark="${mark}"][data-held]`);
  if (!e) return null;
  svg.scrollIntoView({ block: "nearest" });
  const box = e.lastElementChild.getBoundingClientRect(), whole = svg.getBoundingClientRect();
  const scale = whole.width / svg.viewBox.baseVal.width, ends = {};
  for (const axis of ["x", "y"]) {
    const told = e.dataset[axis]?.split(" ").slice(3).map(Number);
    if (!told) continue;
    const start = axis === "x" ? whole.left : whole.top;
    ends[axis] = told.map((px) => start + px * scale);
  }
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  if (ends.x) at.x = ends.x[0];
  if (ends.y) at.y = ends.y[0];
  return { ...at, ends };
}"""


def place(root: Locator, mark: str) -> dict[str, Any] | None:
    """Where a mark is; None if no hand can take it."""
    return root.evaluate(PLACE, mark)


def marks(root: Locator) -> list[str]:
    """The names of all marks that a hand can take."""
    return root.evaluate(
        "root => [...root.querySelectorAll('[data-held]')].map((e) => e.dataset.mark)"
    )


def drag(root: Locator, mark: str, across: float, down: float = 0.0, steps: int = 8) -> None:
    """Take a mark, lead it so many pixels, let go."""
    at = place(root, mark)
    mouse = root.page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    mouse.move(at["x"] + across, at["y"] + down, steps=steps)
    mouse.up()
    root.page.evaluate("dpviz.settled()")


def swing(root: Locator, mark: str, seconds: float = 2.0) -> dict[str, Any]:
    """Drag a mark to and fro along its axis and tell what was seen meanwhile.

    Returns
    -------
    dict with ``answers``, ``pictures`` and ``frames`` (a second: acts that were done, new pictures
    among them, frames of the page), ``times`` (of each move, ms until it was answered) and ``lags``
    (from hand to mark along its way, in moves of the hand, one a frame)
    """
    swung = "(root, [mark, seconds]) => dpviz.swing(root, mark, seconds)"
    seen = root.evaluate(swung, [mark, seconds])
    root.page.evaluate("dpviz.settled()")
    return seen
