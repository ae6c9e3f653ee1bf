"""A visit to the site in Chromium: one lesson, with every other host blocked."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lab

from dpviz.pages import site


def built() -> Path:
    """The folder of the built site."""
    return Path(os.environ["DPVIZ_SITE"]).resolve()


@contextmanager
def served(folder: Path | None = None) -> Iterator[str]:
    """The address of the built site, or of a copy of it, on the loopback address."""
    with site.server(folder or built()) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Page(lab.Book):
    """One lesson of the site; ``outside`` are the addresses elsewhere that it asked for.

    ``before`` is a script that runs before those of the page.
    """

    def __init__(self, browser, address, name, workers="block", before=""):
        self.name, self.thrown, self.outside = name.removesuffix(".ipynb"), [], []
        self._size = None
        # A context of its own: JupyterLab opens again what was open on the last visit.
        self.context = browser.browser.new_context(
            viewport={"width": 1400, "height": 1000},
            service_workers=workers,
            reduced_motion="reduce",  # what is read is then what was sent
        )
        self.context.add_init_script(path=lab.HERE / "page.js")
        self.context.add_init_script(before)
        self._new_page = lambda: self._blocked(self.context.new_page(), address)
        self._url = f"{address}/jupyter/lab/index.html?path={name}"
        self.open()

    def _blocked(self, page, address):
        page.set_default_timeout(180_000)  # ms: Python arrives and starts

        def decide(route):
            if route.request.url.startswith((address, "blob:", "data:")):
                route.continue_()
            else:
                self.outside.append(route.request.url)
                route.abort()

        page.route("**/*", decide)
        return page
