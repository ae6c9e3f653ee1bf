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
# From now on: each picture that came, with what it says; how far mark and hand are apart.
WATCH = """(root) => {
  const seen = { pictures: [], lags: [], asked: [], answers: [] };
  const place = root.querySelector(".dpviz-picture");
  let last = null, waits = [];
  const said = () => root.querySelector(".dpviz-sentence, .sentence").textContent
    + place.querySelector("svg[role]").outerHTML.length;
  place.addEventListener("dpviz-drawn", () => {
    const now = performance.now();
    seen.pictures.push([now, said()]);
    if (waits.length) seen.answers.push(now - waits.shift());
    waits = waits.slice(-1);
  });
  root.addEventListener("dpviz-hand", () => waits.push(performance.now()));
  addEventListener("pointermove", (event) => { last = event; }, true);
  const frame = () => {
    if (seen.done) return;
    const lit = place.querySelector("[data-held].dpviz-lit > :last-child");
    if (lit && last) {
      const box = lit.getBoundingClientRect();
      seen.lags.push([box.x + box.width / 2 - last.clientX, box.y + box.height / 2 - last.clientY]);
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  root.dpvizSeen = seen;
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
    dict with ``pictures`` (different ones, a second), ``answers`` (ms from an act to its picture)
    and ``lags`` (from hand to mark along its way, in moves of the hand, of which 60 are a second)
    """
    at = place(root, mark)
    axis = "x" if "x" in at["ends"] else "y"
    ends = sorted(at["ends"][axis][1:])
    mouse = root.page.mouse
    root.evaluate(WATCH)
    mouse.move(at["x"], at["y"])
    mouse.down()
    many = int(seconds * 60)
    start = root.page.evaluate("performance.now()")
    for i in range(many):
        share = abs((i / many * 4 + 1) % 2 - 1)
        to = ends[0] + (0.05 + 0.9 * share) * (ends[1] - ends[0])
        mouse.move(*((to, at["y"]) if axis == "x" else (at["x"], to)))
        root.page.wait_for_timeout(max(0.0, start + 1000 * seconds * i / many - _now(root)))
    elapsed = (_now(root) - start) / 1000
    mouse.up()
    root.page.wait_for_timeout(300)
    seen = root.evaluate("root => { root.dpvizSeen.done = true; return root.dpvizSeen; }")
    different = sum(
        a[1] != b[1] for a, b in zip(seen["pictures"], seen["pictures"][1:], strict=False)
    )
    stride = 4 * 0.9 * (ends[1] - ends[0]) / many
    lags = [abs(pair["xy".index(axis)]) / stride for pair in seen["lags"]]
    return {"pictures": (different + 1) / elapsed, "answers": seen["answers"], "lags": lags}


def _now(root: Locator) -> float:
    return root.page.evaluate("performance.now()")
