"""T11: from a key on a slider to the new picture, ready to paint, in JupyterLab in Chromium."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))
if TYPE_CHECKING:
    from playwright.sync_api import Locator

MOVES = 60  # new pictures per explorer, shared by its sliders


def slider_times(root: Locator, handle: Locator, moves: int) -> list[float]:
    """Milliseconds of one move after another, to and fro over the whole slider."""
    times: list[float] = []
    handle.focus()
    for key in ["Home", *["ArrowRight", "ArrowLeft"] * moves]:
        value = None
        while len(times) < moves and value != (value := handle.get_attribute("aria-valuenow")):
            root.evaluate("root => dpviz.clock(root)")
            root.page.keyboard.press(key)
            if (elapsed := root.page.evaluate("dpviz.elapsed")) is not None:
                times.append(elapsed)
            root.evaluate("dpviz.settled()")
    return times


def explorer_times(root: Locator) -> list[float]:
    """Of all its sliders, the other controls as they are when it opens."""
    handles = root.locator(".noUi-handle").all()
    moves = -(-MOVES // len(handles))
    return [t for handle in handles for t in slider_times(root, handle, moves)]


def explorers(folder: Path, private: Path) -> Iterator[tuple[str, list[float]]]:
    """Name and times of every explorer of every notebook."""
    import chromium
    import lab

    path = chromium.find()
    if path is None:
        raise RuntimeError(chromium.how())
    with lab.server(folder, private) as address, lab.chromium(path) as browser:
        for name in sorted(path.name for path in folder.glob("*.ipynb")):
            book = lab.Book(browser, address, name)
            book.run()
            for i, root in enumerate(book.roots("explorer"), start=1):
                yield f"{book.name} {i}", explorer_times(root)
            book.page.close()


def lines() -> Iterator[dict]:
    """Median and 95 % of the worst explorer."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "lessons"
        shutil.copytree(Path(__file__).parents[1] / "notebooks", folder)
        measured = dict(explorers(folder, Path(home) / "private"))
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
