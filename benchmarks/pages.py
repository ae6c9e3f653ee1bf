"""S: the site in Chromium: when a lesson is seen and its Python answers, what comes over the wire.

The site is the one that `make site` wrote; the server is on this machine, so the times are those
of the page, not of a network.
"""

from __future__ import annotations

import gzip
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Response

ROOT = Path(__file__).parents[1]
SITE = Path(os.environ.get("DPVIZ_SITE", ROOT / "build" / "site"))
FIRST, SECOND = "00_start.ipynb", "01_privacy.ipynb"
SEEN = "document.querySelector('.jp-Notebook .jp-MarkdownOutput h1')?.checkVisibility()"
OPEN = "window.jupyterapp?.shell?.currentWidget?.context"
MOVES = 20  # keys pressed on a slider
# When the first picture of a page could be handled, in ms after somebody went there.
AWAKE = "performance.getEntriesByName('dpviz-awake')[0]?.startTime"
PHONE = {"width": 390, "height": 844}
SLOW = {
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 0.75e6 / 8,
}  # ms, bytes/s


class Counted:
    """A page that counts the bytes of what it loads over the wire, workers included."""

    def __init__(self, browser: Any):
        self.page: Page = browser.new_page()
        self.page.set_default_timeout(180_000)  # ms
        self.bytes = 0
        self.page.on("requestfinished", self._count)

    def _count(self, request: Any) -> None:
        answer = request.response()
        if answer and not answer.from_service_worker:
            self.bytes += request.sizes()["responseBodySize"]

    def visit(self, address: str, lesson: str) -> tuple[float, float]:
        """Seconds until the lesson is seen, and until its Python has answered."""
        start = time.monotonic()
        self.page.goto(f"{address}/jupyter/lab/index.html?path={lesson}")
        self.page.wait_for_function(SEEN)
        seen = time.monotonic() - start
        self.page.wait_for_function(OPEN)
        self.page.evaluate("dpviz.ready()")
        self.page.evaluate("dpviz.ask('print(6 * 7)')")
        return seen, time.monotonic() - start


def memory(profile: str) -> list[float]:
    """MB of each process of a browser with this profile, the largest first.

    A page that processes share is shared out among them.
    """
    import psutil

    named = [(p, p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"])]
    found = [p for p, words in named if profile in " ".join(words)]
    family = {each for one in found for each in [one, *one.children(recursive=True)]}
    return sorted((each.memory_full_info().pss / 1e6 for each in family), reverse=True)


def first(page: Page) -> Locator:
    """The first explorer, after Run All."""
    page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells').then(() => 0)")
    page.evaluate("dpviz.settled()")
    root = page.locator(".dpviz-explorer").first
    root.scroll_into_view_if_needed()
    return root


def moves(page: Page) -> float:
    """Median milliseconds from a key on a slider to the new picture."""
    import browser

    return statistics.median(browser.key_times(first(page))[:MOVES])


@contextmanager
def visited() -> Iterator[tuple[Callable[[], Any], str, str]]:
    """What opens a browser, the address of the site, and the folder of the browser's profile."""
    sys.path.insert(0, str(ROOT / "tests" / "browser"))
    import chromium
    import lab
    from playwright.sync_api import sync_playwright

    from dpviz.pages import site

    if not (SITE / site.STAMP).exists():
        raise RuntimeError("no site here: make site")
    if (path := chromium.find()) is None:
        raise RuntimeError(chromium.how())
    with (
        site.server(SITE) as server,
        tempfile.TemporaryDirectory() as profile,
        sync_playwright() as playwright,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def browse() -> Any:
            opened = playwright.chromium.launch_persistent_context(
                profile, executable_path=path, args=lab.FLAGS
            )
            opened.add_init_script(path=lab.HERE / "page.js")
            return opened

        yield browse, f"http://127.0.0.1:{server.server_port}", profile
        server.shutdown()


def figures() -> Iterator[tuple[str, str, float, str, float]]:
    """Id, what, value, unit and the most that is wanted."""
    with visited() as (browse, address, profile):
        browser = browse()
        page = Counted(browser)
        seen, ready = page.visit(address, FIRST)
        yield "Sa", "lesson 00 seen, cold cache", seen, "s", 10
        yield "Sb", "its Python answers, cold cache", ready, "s", 15
        yield "Sc", "loaded by the page of the first visit", page.bytes / 1e6, "MB", 73
        yield "Sd", "key to picture in lesson 00, median", moves(page.page), "ms", 300
        page.page.wait_for_timeout(20_000)  # ms: what a run leaves behind is collected
        held = memory(profile)
        yield "Se", "the browser's memory 20 s later", sum(held), "MB", 800
        yield "Si", "of it the process of the page with its Python", held[0], "MB", 800
        browser.close()
        browser = browse()
        page = Counted(browser)
        yield "Sf", "Python answers, second visit", page.visit(address, FIRST)[1], "s", 8
        page.bytes = 0
        page.visit(address, SECOND)
        yield "Sg", "loaded by the page of a second lesson", page.bytes / 1e6, "MB", 5
        browser.close()


def first_page() -> Iterator[tuple[str, str, float, str, float]]:
    """The same of the first page: what it loads, and when its first picture can be handled."""
    with visited() as (browse, address, _):
        import firefox
        import webkit

        browser = browse()
        page = browser.new_page()
        page.set_viewport_size({"width": 1280, "height": 720})
        bodies: list[Response] = []
        page.on("response", lambda answer: bodies.append(answer))  # noqa: PLW0108, a builtin cannot be marked
        page.goto(f"{address}/")
        page.wait_for_load_state("networkidle")
        loaded = [body.body() for body in bodies]
        packed = sum(len(gzip.compress(body)) for body in loaded)
        yield (
            "T19a",
            "loaded by a first visit of the first page",
            sum(map(len, loaded)) / 1e3,
            "kB",
            300,
        )
        yield "T19b", "the same, from a server that compresses", packed / 1e3, "kB", 300
        yield "T19c", "its requests", len(loaded), "", 8
        wait, found = "first picture can be handled, in", partial(page.evaluate, AWAKE)
        yield "T19d", f"{wait} Chromium", found() / 1e3, "s", 1
        page = browser.new_page()
        page.set_viewport_size(PHONE)
        phone = browser.new_cdp_session(page)
        phone.send("Network.enable")
        phone.send("Network.setCacheDisabled", {"cacheDisabled": True})
        phone.send("Network.emulateNetworkConditions", {"offline": False, **SLOW})
        phone.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        page.goto(f"{address}/")
        page.wait_for_function(AWAKE)
        what = f"{wait} a slow telephone: a quarter of the processor, 1.6 Mbit/s, 150 ms"
        yield "T19e", what, page.evaluate(AWAKE) / 1e3, "s", 4
        browser.close()
        for id_, name, engine in (("T19f", "Firefox", firefox), ("T19g", "WebKit", webkit)):
            if (path := engine.find()) is None:
                raise RuntimeError(engine.MISSING)
            with (
                tempfile.TemporaryDirectory() as profile,
                engine.opened(path, Path(profile)) as window,
            ):
                window.goto(f"{address}/")
                window.wait_for(AWAKE)
                yield id_, f"{wait} {name}", window.evaluate(AWAKE) / 1e3, "s", 1


def lines(
    measured: Callable[[], Iterable[tuple[str, str, float, str, float]]] = figures,
) -> Iterator[dict]:
    """Times of a visit and of a move, bytes, memory."""
    for id_, what, value, unit, most in measured():
        yield {
            "id": id_,
            "what": f"{what}; load {os.getloadavg()[0]:.1f}",
            "value": value,
            "unit": unit,
            "target": f"<= {most}",
            "holds": value <= most,
            "peer": "",
        }


def hands() -> Iterator[dict]:
    """Values a second that the page computes while a mark of its first picture is dragged."""
    with visited() as (browse, address, _):
        import hands

        page = Counted(browse())
        page.visit(address, FIRST)
        root = first(page.page)
        marks = [mark for mark in hands.marks(root) if hands.place(root, mark)["ends"]]
        value = hands.swing(root, marks[0])["answers"]
        what = (
            f"values computed a second while dragging, in lesson 00; load {os.getloadavg()[0]:.1f}"
        )
        yield {
            "id": "Sh",
            "what": what,
            "value": value,
            "unit": "1/s",
            "target": ">= 6",
            "holds": value >= 6,
            "peer": "",
        }
