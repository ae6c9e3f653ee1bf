"""JupyterLab asks nobody for news, and does not cover the lesson to ask whether it may."""

import json
from functools import partial
from urllib.parse import urlparse

import lab
import pytest

pytestmark = pytest.mark.browser
NAME = "00_start.ipynb"
QUESTION = "get notified about official Jupyter news"


def stranger(browser, folder, private):
    """Until a JupyterLab without the configuration asks."""
    options = [option for option in lab.OPTIONS if not option.startswith("--config")]
    context = browser.browser.new_context()
    context.add_init_script(path=lab.HERE / "page.js")
    with lab.server(folder, private, options) as address:
        page = lab.Book(context, address, NAME).page
        page.get_by_text(QUESTION).wait_for()
        context.close()


def test_nothing_is_asked_while_jupyterlab_without_the_configuration_asks(
    browser, folder, address, tmp_path
):
    """A page that was opened before the other has had as long as that one, and a second more."""
    asked = []
    browser.on("request", lambda request: asked.append(request.url))
    book = lab.Book(browser, address, NAME)
    stranger(browser, folder, tmp_path)
    book.page.wait_for_timeout(1000)  # ms
    assert book.page.get_by_text(QUESTION).count() == 0
    assert asked
    outside = [url for url in asked if urlparse(url).hostname not in (None, "127.0.0.1")]
    assert outside + [url for url in asked if "/lab/api/news" in url or "/api/update" in url] == []
    book.page.close()


def is_stored(answer, *, collapsed):
    """Whether this is the answer to storing a workspace whose side bar is so."""
    request = answer.request
    if request.method != "PUT" or "/api/workspaces/dpviz" not in request.url:
        return False
    layout = json.loads(request.post_data)["data"].get("layout-restorer:data", {})
    return layout.get("left", {}).get("collapsed") is collapsed


def test_a_lesson_opens_wide_and_the_side_bar_stays_where_its_reader_puts_it(browser, address):
    """On a machine that never had dpviz: in its workspace, as `dpviz lab` opens it, and no test."""
    page = browser.new_page()
    for closed, then in ((True, "expandLeft"), (False, "collapseLeft")):
        page.goto(f"{address}/lab/workspaces/dpviz/tree/{NAME}")
        page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.context")
        page.evaluate("dpviz.ready()")
        assert page.evaluate("jupyterapp.shell.leftCollapsed") is closed
        stored = partial(is_stored, collapsed=not closed)
        with page.expect_response(stored):
            page.evaluate(f"jupyterapp.shell.{then}()")
    page.close()
