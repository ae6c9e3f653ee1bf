"""S: the site in Chromium: when a lesson is seen and its Python answers, what comes over the wire.

The site is the one that `make site` wrote; the server is on this machine, so the times are those
of the page, not of a network.
"""

from __future__ import annotations

import gzip
import json
import os
import statistics
import subprocess
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
FAILED = "dpviz.cells().some((c) => c.outputs.some((each) => each.output_type === 'error'))"
MOVES = 20  # keys pressed on a slider
# When the first picture of a page could be handled, in ms after somebody went there.
AWAKE = "performance.getEntriesByName('dpviz-awake')[0]?.startTime"
SENT = "performance.getEntries().reduce((sum, { transferSize }) => sum + (transferSize ?? 0), 0)"
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
def visited() -> Iterator[tuple[Callable[[], Any], str]]:
    """What opens a browser, and the address of the site."""
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

        yield browse, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def figures() -> Iterator[tuple[str, str, float, str, float]]:
    """Id, what, value, unit and the most that is wanted."""
    with visited() as (browse, address):
        browser = browse()
        page = Counted(browser)
        seen, ready = page.visit(address, FIRST)
        yield "Sa", "lesson 00 seen, cold cache", seen, "s", 10
        yield "Sb", "its Python answers, cold cache", ready, "s", 15
        yield "Sc", "loaded by the page of the first visit", page.bytes / 1e6, "MB", 73
        yield "Sd", "key to picture in lesson 00, median", moves(page.page), "ms", 300
        browser.close()
        browser = browse()
        page = Counted(browser)
        yield "Sf", "Python answers, second visit", page.visit(address, FIRST)[1], "s", 8
        page.bytes = 0
        page.visit(address, SECOND)
        yield "Sg", "loaded by the page of a second lesson", page.bytes / 1e6, "MB", 5
        browser.close()


class Unrecorded:
    """A page that nothing records: Playwright has a page keep what it loads, up to 190 MB here."""

    def __init__(self, profile: str, path: str, flags: list[str], script: str):
        theirs, ours = zip(os.pipe(), reversed(os.pipe()), strict=True)
        command = [path, *flags, "--headless=new", "--remote-debugging-pipe"]
        command += [f"--user-data-dir={profile}", "--window-size=1280,720", "about:blank"]
        # Chromium reads what it is asked from its file 3 and answers to its file 4
        shell = f'exec "$0" "$@" 3<&{theirs[0]} 4>&{theirs[1]} 2>/dev/null'
        self.process = subprocess.Popen(["bash", "-c", shell, *command], pass_fds=theirs)
        for end in theirs:
            os.close(end)
        self.asks, self.hears = os.fdopen(ours[0], "wb"), os.fdopen(ours[1], "rb")
        self.number, self.session = 0, dict[str, str]()
        pages = self.ask("Target.getTargets")["targetInfos"]
        place = next(each["targetId"] for each in pages if each["type"] == "page")
        opened = self.ask("Target.attachToTarget", targetId=place, flatten=True)
        self.session = {"sessionId": opened["sessionId"]}
        self.ask("Page.enable")
        self.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=script)

    def ask(self, method: str, **params: Any) -> dict:
        """What the browser answers."""
        self.number += 1
        asked = {"id": self.number, "method": method, "params": params, **self.session}
        self.asks.write(json.dumps(asked).encode() + b"\0")
        self.asks.flush()
        heard = b""
        while True:
            heard += self.hears.read1()
            *whole, heard = heard.split(b"\0")
            for answer in map(json.loads, whole):
                if answer.get("id") == self.number:
                    if "error" in answer:
                        raise RuntimeError(answer["error"]["message"])
                    return answer["result"]

    def evaluate(self, code: str) -> Any:
        """What a script gives, after its promise."""
        how = {"awaitPromise": True, "returnByValue": True}
        told = self.ask("Runtime.evaluate", expression=code, **how)
        if "exceptionDetails" in told:
            raise RuntimeError(told["exceptionDetails"]["exception"]["description"])
        return told["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Until a script says that it holds; ``TimeoutError`` after three minutes."""
        end = time.monotonic() + 180
        while not self.evaluate(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.2)

    def close(self) -> None:
        """End the browser."""
        self.ask("Browser.close")
        self.process.wait(20)


def held(first: int) -> Iterator[tuple[str, str, float, str, float]]:
    """Memory 20 s after all cells of two lessons were run: a page's, in 00 the whole browser's."""
    sys.path.insert(0, str(ROOT / "tests" / "browser"))
    import chromium
    import lab

    from dpviz.pages import site

    for lesson in sorted(path.name for path in lab.NOTEBOOKS.glob("*.ipynb"))[first : first + 2]:
        with site.server(SITE) as server, tempfile.TemporaryDirectory() as profile:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            script = (lab.HERE / "page.js").read_text()
            page = Unrecorded(profile, chromium.find() or "", lab.FLAGS, script)
            address = f"http://127.0.0.1:{server.server_port}/jupyter/lab/index.html?path={lesson}"
            page.ask("Page.navigate", url=address)
            page.wait_for(SEEN)
            page.wait_for(OPEN)
            page.evaluate("dpviz.ready()")
            page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells').then(() => 0)")
            page.evaluate("dpviz.settled()")
            if page.evaluate(FAILED):
                raise RuntimeError(f"a cell of {lesson} fails")
            time.sleep(20)  # s: what a run leaves behind is collected
            parts = memory(profile)
            page.close()
            server.shutdown()
        name = lesson.removesuffix(".ipynb")
        yield "Si", f"memory of the page's process, all cells of {name} run", parts[0], "MB", 800
        if lesson == FIRST:
            yield "Se", "of the whole browser", sum(parts), "MB", 800


def first_page() -> Iterator[tuple[str, str, float, str, float]]:
    """The same of the first page: what it loads, and when its first picture can be handled."""
    with visited() as (browse, address):
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
        page.goto(f"{address}/")
        page.wait_for_function(AWAKE)
        yield "T19h", "loaded by a second visit", page.evaluate(SENT) / 1e3, "kB", 10
        yield "T19i", f"{wait} Chromium on a second visit", found() / 1e3, "s", 1
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
    with visited() as (browse, address):
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
