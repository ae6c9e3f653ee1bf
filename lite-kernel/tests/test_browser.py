"""A folder of two notebooks, made into a site and opened in Chromium, all other hosts blocked."""

import json
import threading

import pytest
from lite_kernel import site
from lite_kernel.__main__ import main

pytestmark = pytest.mark.browser
CODE = {
    "sums": "import numpy as np\nprint(np.arange(4).sum(), open('data/three.txt').read())",
    "loop": "while True: pass",
}
ASK = """async code => {
  const { sessionContext } = jupyterapp.shell.currentWidget;
  await sessionContext.ready;
  const future = sessionContext.session.kernel.requestExecute({ code });
  const said = [];
  future.onIOPub = ({ content }) => said.push(content.text ?? content.evalue ?? "");
  const reply = await future.done;
  return [reply.content.status, said.join("")];
}"""
OPEN = "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel"
SECONDS = 1000


def notebook(source):
    """A notebook of one cell."""
    cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
    cell |= {"execution_count": None, "id": "a"}
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"cells": [cell], "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The site that the command makes of a folder, on the loopback address."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "mine" / "data").mkdir(parents=True)
    (folder / "mine" / "data" / "three.txt").write_text("three", "utf-8")
    for name, source in CODE.items():
        (folder / "mine" / f"{name}.ipynb").write_text(notebook(source), "utf-8")
    for _ in range(2):  # a site takes the place of an older one
        asked = [str(folder / "mine"), str(folder / "site"), "--cache", str(folder / "parts")]
        assert main([*asked, "--requires", "numpy"]) == 0
    with site.server(folder / "site") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def page(browser, address):
    """The first page, and the addresses elsewhere that are asked for."""
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.set_default_timeout(180 * SECONDS)  # Python arrives and starts
    page.outside = []

    def decide(route):
        if route.request.url.startswith((address, "blob:", "data:")):
            route.continue_()
        else:
            page.outside.append(route.request.url)
            route.abort()

    page.route("**/*", decide)
    page.goto(address)
    yield page
    assert page.outside == []
    context.close()


def test_a_notebook_runs_with_its_files_and_an_endless_loop_is_stopped(page):
    assert page.get_by_role("listitem").count() == len(CODE)
    page.get_by_role("link", name="sums.ipynb").click()
    page.wait_for_function(OPEN)
    status, said = page.evaluate(ASK, CODE["sums"])
    assert (status, said) == ("ok", "6 three\n")
    page.evaluate(f"void (window.endless = ({ASK})({json.dumps(CODE['loop'])}))")
    page.wait_for_function(f"{OPEN}.status === 'busy'")
    page.evaluate("void jupyterapp.commands.execute('notebook:interrupt-kernel')")
    status, said = page.evaluate("window.endless")
    assert status == "error"
    assert "stopped" in said
    assert page.evaluate(ASK, "print(6 * 7)") == ["ok", "42\n"]


WITHOUT = {
    "database": """
      IDBFactory.prototype.open = () => { throw new DOMException("denied", "SecurityError"); };""",
    "storage": """
      Object.defineProperty(window, "indexedDB", { get: () => undefined });
      Object.defineProperty(window, "localStorage", {
        get() { throw new DOMException("denied", "SecurityError"); },
      });""",
    "service worker": """
      Object.defineProperty(Navigator.prototype, "serviceWorker", { get: () => undefined });""",
}
SAID = {"storage": "may keep nothing of this page", "service worker": "could not be kept for use"}
SAID["database"] = SAID["service worker"]  # the notebooks are kept in the other storage


@pytest.mark.parametrize("what", WITHOUT)
def test_where_a_browser_keeps_nothing_a_notebook_runs_and_it_is_said(page, what):
    page.add_init_script(WITHOUT[what])
    page.reload()
    page.get_by_role("link", name="sums.ipynb").click()
    page.wait_for_function(OPEN)
    assert page.evaluate(ASK, "print(6 * 7)") == ["ok", "42\n"]
    page.get_by_text(SAID[what]).first.wait_for()
    page.get_by_role("button", name="Download", exact=True).wait_for()


PART = "pygments.lexers.bin"  # of the library, and not of the first piece
USED = "import pygments.lexers.sql as it; print(it.__name__)"


def test_a_part_of_the_library_that_does_not_come_is_said_and_may_be_asked_again(page):
    page.get_by_role("link", name="sums.ipynb").click()
    page.wait_for_function(OPEN)
    page.route(f"**/{PART}", lambda route: route.abort())
    status, said = page.evaluate(ASK, USED)
    assert (status, "I/O error" in said) == ("error", True)
    page.unroute(f"**/{PART}")
    assert page.evaluate(ASK, USED) == ["ok", "pygments.lexers.sql\n"]


def test_a_part_of_the_library_comes_from_what_the_browser_keeps(browser, address):
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(180 * SECONDS)
    page.goto(f"{address}/{site.LESSON}sums.ipynb")
    page.evaluate("navigator.serviceWorker.ready.then(() => 0)")  # all is kept
    page.reload()
    page.wait_for_function(OPEN)
    with page.expect_response(f"**/{PART}") as found:
        assert page.evaluate(ASK, USED) == ["ok", "pygments.lexers.sql\n"]
    assert found.value.from_service_worker
    context.close()


def test_a_browser_that_is_too_old_is_told_before_anything_is_loaded(page):
    page.add_init_script("WebAssembly.validate = () => false;")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.get_by_role("link", name="sums.ipynb").click()
    page.get_by_text("too old for Python in the page").wait_for()
    page.wait_for_function("jupyterapp.shell.currentWidget?.sessionContext?.isReady")
    assert page.get_by_role("dialog").count() == 0
    assert not any(url.endswith(".bin") for url in asked)


def test_a_widget_is_drawn(page):
    page.get_by_role("link", name="sums.ipynb").click()
    page.wait_for_function(OPEN)
    source = "import ipywidgets as w; w.IntSlider(3, 0, 9, description='how many')"
    cell = "jupyterapp.shell.currentWidget.content.widgets[0].model.sharedModel"
    page.evaluate(f"source => {cell}.setSource(source)", source)
    page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells').then(() => 0)")
    page.get_by_text("how many", exact=True).wait_for()
    assert page.locator(".widget-slider").count() == 1
