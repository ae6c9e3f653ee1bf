"""JupyterLab asks nobody for news, and does not cover the lesson to ask whether it may."""

from urllib.parse import urlparse

import lab
import pytest

pytestmark = pytest.mark.browser
NAME = "00_start.ipynb"
QUESTION = "get notified about official Jupyter news"


def opened(browser, address):
    """A lesson, and all that its page asks for from now on."""
    asked = []
    browser.on("request", lambda request: asked.append(request.url))
    return lab.Book(browser, address, NAME), asked


def test_without_the_configuration_jupyterlab_asks(browser, folder, tmp_path):
    """So that the next test can fail; how soon it asks is how long that one waits."""
    options = [option for option in lab.OPTIONS if not option.startswith("--config")]
    with lab.server(folder, tmp_path, options) as address:
        book, _ = opened(browser, address)
        book.page.get_by_text(QUESTION).wait_for(timeout=10_000)  # ms
        book.page.close()


def test_with_it_nothing_is_asked(browser, address):
    book, asked = opened(browser, address)
    book.page.wait_for_timeout(10_000)  # ms
    assert book.page.get_by_text(QUESTION).count() == 0
    assert asked
    outside = [url for url in asked if urlparse(url).hostname not in (None, "127.0.0.1")]
    assert outside + [url for url in asked if "/lab/api/news" in url or "/api/update" in url] == []
    book.page.close()
