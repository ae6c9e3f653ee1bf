"""The service worker on a site of three files: one edition, whole or not at all."""

import os
import threading
from collections import Counter
from http.server import ThreadingHTTPServer

import pytest
from lite_kernel import offline, site

pytestmark = pytest.mark.browser
READ = "Promise.all(['a.txt', 'b.txt'].map(async name => (await fetch(name)).text()))"
ACTIVE = "navigator.serviceWorker.ready.then(it => it.active.state === 'activated')"
# The state that the next worker comes to: of a first visit, or when a newer edition is looked for.
ENDS = """async (first) => {
  const { serviceWorker } = navigator;
  const registration = first
    ? await serviceWorker.register("offline.js") : await serviceWorker.getRegistration();
  let found = first;
  registration.addEventListener("updatefound", () => (found = true));
  if (!first) await registration.update();
  const worker = registration.installing ?? registration.waiting;
  while (worker?.state === "installing")
    await new Promise(done => worker.addEventListener("statechange", done, { once: true }));
  return worker?.state ?? (found ? "redundant" : "nothing new"); // it ended before anybody looked
}"""


def edition(folder, word, number=1):
    """Write the site of one edition: its page and ``a.txt`` change, ``b.txt`` does not."""
    (folder / offline.WORKER).unlink(missing_ok=True)
    texts = {"index.html": f"<title>{word}</title>", "a.txt": word, "b.txt": "the same"}
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    offline.write(folder)
    for path in folder.iterdir():
        aged(path, number)


def aged(path, number):
    """Tell editions apart by their time: a host tells whole seconds, and tests take less."""
    os.utime(path, times=(1e9 + 10 * number,) * 2)


class Host:
    """The site in a subfolder of a host, which counts what it is asked for."""

    def __init__(self, root):
        self.asked = asked = Counter()
        self.folder = root / "below"
        self.folder.mkdir()

        class Counting(site.Handler):
            def do_GET(self):
                asked[self.path.split("/")[-1]] += 1
                super().do_GET()

            def __init__(self, *args):
                super().__init__(*args, directory=str(root))

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Counting)
        self.address = f"http://127.0.0.1:{self.server.server_port}/below/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def ends(self):
        """Answer no more, as if there were no network."""
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def host(tmp_path):
    """A host with the first edition."""
    host = Host(tmp_path)
    edition(host.folder, "first")
    yield host
    host.ends()


@pytest.fixture
def visits(browser):
    """A browser that was never here."""
    context = browser.new_context()
    yield context
    context.close()


def visit(visits, host):
    """Open the page, have the browser keep the site, and say whether it does."""
    page = visits.new_page()
    page.goto(host.address)
    return page, page.evaluate(ENDS, True)


def test_the_second_visit_needs_no_network(visits, host):
    page, state = visit(visits, host)
    assert state == "installed"
    page.wait_for_function(ACTIVE)
    page.close()
    host.ends()
    page = visits.new_page()
    page.goto(f"{host.address}?path=any")
    assert page.title() == "first"
    assert page.evaluate(READ) == ["first", "the same"]


@pytest.fixture
def kept(visits, host):
    """A page that shows the first edition, all from what the browser keeps."""
    page, _ = visit(visits, host)
    page.wait_for_function(ACTIVE)
    page.reload()
    assert page.evaluate("!!navigator.serviceWorker.controller")
    return page


def test_a_newer_edition_takes_the_place_of_all_of_the_older(visits, host, kept):
    edition(host.folder, "second", 2)
    host.asked.clear()
    assert kept.evaluate(ENDS, False) == "installed"
    assert host.asked["a.txt"] == 1
    assert host.asked["b.txt"] == 0, "what did not change was loaded again"
    kept.reload()
    assert (kept.title(), kept.evaluate(READ)[0]) == ("first", "first"), "two editions are mixed"
    kept.evaluate("""() => {
      navigator.serviceWorker.addEventListener("message", ({ data }) => (window.told = data));
      navigator.serviceWorker.addEventListener("controllerchange", () => (window.changed = true));
    }""")
    take = """navigator.serviceWorker.getRegistration()
      .then(it => it.waiting.postMessage("take over"))"""
    other = visits.new_page()
    other.goto(host.address)
    kept.evaluate(take)
    kept.wait_for_function("window.told")
    assert kept.evaluate("window.told") == {"others": 1}
    assert kept.evaluate(READ)[0] == "first"
    other.close()
    kept.evaluate(take)
    kept.wait_for_function("window.changed")
    kept.reload()
    assert (kept.title(), kept.evaluate(READ)) == ("second", ["second", "the same"])
    kept.wait_for_function("caches.keys().then(names => names.length === 1)")


def test_half_an_update_is_refused_and_the_older_edition_stays(visits, host, kept):
    edition(host.folder, "second", 2)
    (host.folder / "a.txt").write_text("first", "utf-8")  # the second is not copied yet
    assert kept.evaluate(ENDS, False) == "redundant"
    kept.reload()
    assert (kept.title(), kept.evaluate(READ)) == ("first", ["first", "the same"])


def test_without_room_nothing_is_kept(visits, host):
    worker = host.folder / offline.WORKER
    full = "Cache.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') };\n"
    worker.write_text(full + worker.read_text("utf-8"), "utf-8")
    page, state = visit(visits, host)
    assert state == "redundant"
    assert page.evaluate("caches.keys()") == []
    assert page.evaluate(READ) == ["first", "the same"]


def test_a_cache_given_up_for_room_is_no_mixture(host, kept):
    kept.evaluate("caches.keys().then(names => Promise.all(names.map(it => caches.delete(it))))")
    assert kept.evaluate(READ) == ["first", "the same"]
    (host.folder / "a.txt").write_text("second", "utf-8")
    failed = "fetch('a.txt').then(() => 'came', () => 'refused')"
    assert kept.evaluate(failed) == "refused"
    kept.reload()
    assert kept.title() == "first"
