"""T11: from a key on a slider to the new picture, ready to paint, in JupyterLab in Chromium."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from playwright.sync_api import Locator

MOVES = 60  # keys pressed per explorer, shared by its sliders


def press(root: Locator, key: str) -> float | None:
    """Milliseconds from one key to the new picture; None if it stays as it is."""
    root.evaluate("root => dpviz.clock(root)")
    root.page.keyboard.press(key)
    elapsed = root.page.evaluate("dpviz.elapsed")
    root.evaluate("dpviz.settled()")
    return elapsed


def slider_times(root: Locator, handle: Locator, moves: int) -> list[float]:
    """Of so many keys, to and fro over the slider, those that brought a new picture.

    A slider that has shown nothing new is taken to its other end before it counts as dead.
    """
    times: list[float] = []
    handle.focus()
    root.page.keyboard.press("Home")
    root.evaluate("dpviz.settled()")
    value, key, pressed = handle.get_attribute("aria-valuenow"), "ArrowRight", 0
    while pressed < moves or not times:
        elapsed, before = press(root, key), value
        value, pressed = handle.get_attribute("aria-valuenow"), pressed + 1
        if value == before and not times:
            break
        if value == before:
            key = "ArrowLeft" if key == "ArrowRight" else "ArrowRight"
        elif elapsed is not None:
            times.append(elapsed)
    return times


def explorer_times(root: Locator, name: str) -> list[float]:
    """Of all its sliders, the other controls as they are when it opens."""
    handles, times = root.locator(".noUi-handle").all(), []
    for i, handle in enumerate(handles, start=1):
        found = slider_times(root, handle, -(-MOVES // len(handles)))
        if not found:
            print(f"T11: {name}: slider {i} of {len(handles)} is dead", file=sys.stderr, flush=True)
        times += found
    return times


def explorers(folder: Path, private: Path) -> Iterator[tuple[str, list[float]]]:
    """Name and times of every explorer of every notebook."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))
    import chromium
    import lab

    path = chromium.find()
    if path is None:
        raise RuntimeError(chromium.how())
    with lab.server(folder, private) as address, lab.chromium(path) as browser:
        for file in sorted(path.name for path in folder.glob("*.ipynb")):
            book = lab.Book(browser, address, file)
            book.run()
            for i, root in enumerate(book.roots("explorer"), start=1):
                yield (name := f"{book.name} {i}"), explorer_times(root, name)
            book.page.close()


def lines() -> Iterator[dict]:
    """Median and 95 % of the worst explorer."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "lessons"
        shutil.copytree(Path(__file__).parents[1] / "notebooks", folder)
        found = dict(explorers(folder, Path(home) / "private"))
    measured = {name: times for name, times in found.items() if times}
    for id_, q, limit in (("T11a", 0.5, 70), ("T11b", 0.95, 120)):
        worst = max(measured, key=lambda name: np.quantile(measured[name], q))
        value = float(np.quantile(measured[worst], q))
        yield {
            "id": id_,
            "what": f"key on a slider to new picture, {q:.0%} (worst of {len(measured)}: {worst})",
            "value": value,
            "unit": "ms",
            "target": f"< {limit}",
            "holds": value < limit,
            "peer": "",
        }
