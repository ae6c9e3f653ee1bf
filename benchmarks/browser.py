"""T11: a move of a control: processor time in the kernel, and key to new picture in Chromium.

The browser takes the explorers in two halves, groups of their own, so that each ends in time on a
busy machine too; an explorer that was not reached is named.
"""

from __future__ import annotations

import importlib
import io
import itertools
import os
import pkgutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from playwright.sync_api import Locator

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))
INSERT = """(text) => {
  document.head.append(Object.assign(document.createElement("script"), { textContent: text }));
}"""
SHOW = """async () => {
  for (const { index } of dpviz.cells()) await dpviz.show(index);
}"""
ROOT = "document.querySelectorAll('.dpviz-explorer')[i]"
MARKS = f"""(i) => [...{ROOT}.querySelectorAll("[data-held]:is([data-x], [data-y])")]
  .map((e) => e.dataset.mark)"""
SWING = f"""async (i, mark) => {{
  const seen = await dpviz.swing({ROOT}, mark, 2);
  await dpviz.settled();
  return seen;
}}"""
MOVES = 40  # of each explorer in the kernel, shared by its controls
KEYS = 30  # pressed on each in the browser, shared by its sliders
SECONDS = 200  # after which no further explorer is begun in the browser


def makers() -> dict[str, Callable]:
    """Every explorer of every lesson, by name."""
    from dpviz import lessons

    folders = [found.name for found in pkgutil.iter_modules(lessons.__path__) if found.ispkg]
    lessons = {name: importlib.import_module(f"dpviz.lessons.{name}") for name in folders}
    return {
        f"{name}.{word}": getattr(lesson, word)
        for name, lesson in lessons.items()
        for word in lesson.__all__
        if word.startswith("explore_")
    }


def processor(act: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    start = time.process_time()
    act()
    return 1e3 * (time.process_time() - start)


def moves(face) -> Iterator[Callable[[], None]]:
    """To and fro over each control that acts when its turn comes, each time to another value."""
    share = -(-MOVES // max(len(face.inputs), 1))
    yield from record_moves(face.explorer)
    for name, widget in face.inputs.items():
        values = list(face.explorer.controls[name].values)
        way = [*values, *values[-2:0:-1]]
        for value in itertools.islice(itertools.cycle(way[:: max(1, len(way) // share)]), share):
            if value != widget.value and not widget.disabled:
                yield partial(setattr, widget, "value", value)


def record_moves(explorer) -> Iterator[Callable[[], None]]:
    """The first of each kind of records through its range."""
    for mark, handle in explorer.handles.items():
        control = explorer.controls.get(getattr(handle, "x", "") or getattr(handle, "y", ""))
        if hasattr(control, "places"):
            for at in np.linspace(control.lower, control.upper, MOVES // 4):
                yield partial(explorer.hand, f"{mark}:0", "to", float(at), float(at))


def inline(explorer) -> None:
    """The same picture as a plot in the output of a cell."""
    figure = explorer.screen.view.figure(explorer.screen.result)
    figure.canvas.print_png(io.BytesIO())


def in_kernel(explorer) -> tuple[list[float], float]:
    """Times of the moves that led to a picture, and that of the same figure as an inline plot."""
    from dpviz.instruments.faces import ExplorerFace

    times = [
        spent for move in moves(ExplorerFace(explorer))
        if (spent := processor(move)) and not explorer.problem
    ]  # fmt: skip
    return times, float(np.median([processor(lambda: inline(explorer)) for _ in range(3)]))


def press(root: Locator, key: str) -> float | None:
    """Milliseconds from one key to the new picture; None if it stays as it is."""
    root.evaluate("root => dpviz.clock(root)")
    root.page.keyboard.press(key)
    return root.page.evaluate("dpviz.elapsed.then((ms) => dpviz.settled().then(() => ms))")


def key_times(root: Locator) -> list[float]:
    """Of so many keys, to and fro over each slider, those that brought a new picture.

    A slider that another one has switched off is passed over.
    """
    sliders, times = root.locator(".noUi-target").all(), []
    for slider in sliders:
        if slider.get_attribute("disabled") is not None:
            continue
        handle, keys = slider.locator(".noUi-handle"), itertools.cycle(["ArrowRight", "ArrowLeft"])
        handle.focus()
        root.page.keyboard.press("Home")
        root.evaluate("dpviz.settled()")
        key, value = next(keys), handle.get_attribute("aria-valuenow")
        for _ in range(-(-KEYS // len(sliders))):
            times.append(press(root, key))
            before, value = value, handle.get_attribute("aria-valuenow")
            if value == before:
                key = next(keys)
    return [elapsed for elapsed in times if elapsed is not None]


@contextmanager
def served(names: list[str]) -> Iterator[tuple[str, Path]]:
    """The address of a JupyterLab with these explorers in one notebook, and an empty folder."""
    import lab
    import nbformat

    cells = [f"from dpviz.lessons import {n.split('.')[0]} as view\nview.{n.split('.')[1]}()"
             for n in names]  # fmt: skip
    with tempfile.TemporaryDirectory() as home:
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        (folder := Path(home) / "page").mkdir()
        nbformat.write(book, folder / "all.ipynb")
        (free := Path(home) / "browser").mkdir()
        with lab.server(folder, Path(home) / "private") as address:
            yield address, free


def in_browser(names: list[str], end: float, timed=key_times) -> Iterator[tuple[str, list]]:
    """Name and times of every explorer begun before ``end``, all on one page."""
    import chromium
    import lab

    if (path := chromium.find()) is None:
        raise RuntimeError(chromium.how())
    with served(names) as (address, _), lab.chromium(path) as browser:
        opened = lab.Book(browser, address, "all.ipynb")
        opened.run()
        for name, root in zip(names, opened.roots("explorer"), strict=True):
            if time.monotonic() < end:
                yield name, timed(root)


def in_window(browser: str, names: list[str], end: float) -> Iterator[tuple[str, list]]:
    """As :func:`in_browser`, of marks that are dragged in "firefox" or "webkit"."""
    import lab

    driver = importlib.import_module(browser)
    if (path := driver.find()) is None:
        raise RuntimeError(driver.MISSING)
    with served(names) as (address, free), driver.opened(path, free) as window:
        window.goto(f"{address}/lab/workspaces/all/tree/all.ipynb")
        window.wait_for("window.jupyterapp?.shell?.currentWidget?.context")
        window.evaluate(INSERT, (lab.HERE / "page.js").read_text("utf-8"))
        window.evaluate("dpviz.ready()")
        window.evaluate("jupyterapp.commands.execute('notebook:run-all-cells').then(() => 0)")
        window.evaluate(SHOW)
        held = "document.querySelectorAll('.dpviz-explorer:has([data-held])').length"
        window.wait_for(f"{held} === {len(names)}")
        for i, name in enumerate(names):
            kinds = {mark.partition(":")[0]: mark for mark in reversed(window.evaluate(MARKS, i))}
            if time.monotonic() < end:
                yield (
                    name,
                    [
                        {"mark": kind, **window.evaluate(SWING, i, mark)}
                        for kind, mark in kinds.items()
                    ],
                )


def line(id_: str, what: str, value: float, unit: str, target: str, *, holds: bool) -> dict:
    """One line of the table, with the load it was measured under."""
    what = f"{what}; load {os.getloadavg()[0]:.1f}"
    return {"id": id_, "what": what, "value": value, "unit": unit, "target": target,
            "holds": holds, "peer": "inline plot"}  # fmt: skip


def kernel() -> Iterator[dict]:
    """How many explorers are fast, the slowest, the largest ratio."""
    medians, ratios = {}, {}
    for name, make in makers().items():
        times, plot = in_kernel(make())
        medians[name] = float(np.median(times))
        ratios[name] = medians[name] / plot
        tell(f"{name}: {spread(times)}, {ratios[name]:.2f} of a plot")
    fast = sum(median <= 20 for median in medians.values())
    what = f"explorers of {len(medians)} with a median of at most 20 ms of a processor a move"
    yield line("T11c", what, fast, "", ">= 15", holds=fast >= 15)
    slowest, against = (max(found, key=found.get) for found in (medians, ratios))
    value = medians[slowest]
    yield line("T11d", f"slowest median ({slowest})", value, "ms", "<= 40", holds=value <= 40)
    value = ratios[against]
    what = f"largest ratio to an inline plot ({against})"
    yield line("T11e", what, value, "", "<= 0.5", holds=value <= 0.5)


def half(first: int) -> Callable[[], Iterator[dict]]:
    """In the browser, every other explorer: the slowest median, and 95 % of the moves."""

    def lines() -> Iterator[dict]:
        names, shown = list(makers())[first::2], {}
        for name, times in in_browser(names, time.monotonic() + SECONDS):
            if times:
                shown[name] = times
                tell(f"{name}: {spread(times)}")
        if missed := [name for name in names if name not in shown]:
            tell(f"not reached, or no new picture: {', '.join(missed)}")
        for id_, q, limit in (("T11a", 0.5, 70), ("T11b", 0.95, 120)):
            worst = max(shown, key=lambda name: np.quantile(shown[name], q))
            value = float(np.quantile(shown[worst], q))
            what = f"key to picture, {q:.0%}, worst of {len(shown)} of {len(names)} ({worst})"
            holds = value < limit and not missed
            yield line(id_, what, value, "ms", f"< {limit}", holds=holds)

    return lines


def swings(root: Locator) -> list[dict]:
    """Of each kind of mark that is dragged, what was seen in two seconds."""
    import hands

    kinds = {mark.partition(":")[0]: mark for mark in reversed(hands.marks(root))}
    return [
        {"mark": kind, **hands.swing(root, mark)}
        for kind, mark in kinds.items()
        if (at := hands.place(root, mark)) and at["ends"]
    ]


def hands(browser: str = "chromium") -> Iterator[dict]:
    """Every mark that is dragged: answers a second, hand to picture, how far it lags behind."""
    names = [name for name, make in makers().items() if make().handles]
    end = time.monotonic() + SECONDS
    if browser == "chromium":
        some = in_browser(names, end, swings)
    else:
        some = in_window(browser, names, end)
    seen = {f"{name}, {each['mark']}": each for name, marks in some for each in marks}
    if not seen:
        raise RuntimeError(f"{browser}: no mark was dragged")
    for name, each in seen.items():
        lag = np.quantile(each["lags"], 0.95)
        tell(f"{browser}: {name}: {each['answers']:.0f} answers a second, "
             f"{each['pictures']:.0f} of them new pictures, {each['frames']:.0f} frames, "
             f"{spread(each['times'])}, "
             f"the mark {lag:.1f} moves behind")  # fmt: skip
    slowest = min(seen, key=lambda name: seen[name]["answers"])
    value = seen[slowest]["answers"]
    of = f"of {len(seen)} marks in {browser.capitalize()}"
    what = f"values computed a second while dragging, fewest {of} ({slowest})"
    yield line("T11f", what, value, "1/s", ">= 30", holds=value >= 30)
    farthest = max(seen, key=lambda name: np.quantile(seen[name]["lags"], 0.95))
    value = float(np.quantile(seen[farthest]["lags"], 0.95))
    what = f"frames that the mark is behind the hand, 95 %, most {of} ({farthest})"
    yield line("T11i", what, value, "", "<= 1", holds=value <= 1)
    for id_, q, limit in (("T11g", 0.5, 50), ("T11h", 0.95, 100)):
        worst = max(seen, key=lambda name: np.quantile(seen[name]["times"], q))
        value = float(np.quantile(seen[worst]["times"], q))
        what = f"hand to picture, {q:.0%}, worst {of} ({worst})"
        yield line(id_, what, value, "ms", f"< {limit}", holds=value < limit)


def spread(times: list[float]) -> str:
    """How many moves, their median and 95 % of them."""
    median, most = np.quantile(times, [0.5, 0.95])
    return f"{len(times)} moves, median {median:.1f} ms, 95 % {most:.1f} ms"


def tell(words: str) -> None:
    """A line beside the table, with the load."""
    print(f"T11: {words}; load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
