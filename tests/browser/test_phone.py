"""The opening of a lesson in JupyterLab: on a telephone, held by a finger, and on a low screen.

Every third lesson; with ``DPVIZ_EVERY`` set (`make test-all`) each.
"""

import json
import os
import re

import lab
import pytest

from dpviz.lesson import joined

pytestmark = pytest.mark.browser
EVERY = bool(os.environ.get("DPVIZ_EVERY"))
NAMES = sorted(path.name for path in lab.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))[:: 1 if EVERY else 3]
SIZE = {"width": 360, "height": 740}
INSTRUMENT = re.compile(r"^[\w.]*\b(explore|play)_\w+\(", re.MULTILINE)
SMALLEST = 10  # pixels of a letter, as it is drawn
LOW = """(root) => [...root.querySelectorAll("button, select, .slider-container")]
  .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 43)
  .map((e) => e.textContent || e.className)"""
WIDE = """(root) => {
  const outer = root.closest(".jp-WindowedPanel-outer"), faults = [];
  if (outer.scrollWidth > outer.clientWidth + 1) faults.push(`scrolls: ${outer.scrollWidth}`);
  for (const part of root.querySelectorAll(".dpviz-picture svg[role], .dpviz-controls > *, p"))
    if (part.getBoundingClientRect().right > innerWidth) faults.push(part.className ?? "picture");
  return faults;
}"""


def opening(name):
    """A lesson up to its first instrument, and the cell that shows it."""
    book = json.loads((lab.NOTEBOOKS / name).read_text("utf-8"))
    sources = [joined(cell["source"]) for cell in book["cells"]]
    (first, *_) = (i for i, source in enumerate(sources) if INSTRUMENT.search(source))
    return {**book, "cells": book["cells"][: first + 1]}, first


@pytest.mark.parametrize("name", NAMES)
def test_on_a_telephone_an_opening_can_be_read_and_nothing_is_cut(browser, folder, address, name):
    book, first = opening(name)
    (folder / f"phone_{name}").write_text(json.dumps(book), "utf-8")
    phone = lab.Book(browser, address, f"phone_{name}", SIZE)
    phone.run()
    phone.page.evaluate("index => dpviz.show(index).then(() => 0)", first)
    root = phone.page.locator(":is(.dpviz-explorer, .dpviz-player)").first
    phone.page.wait_for_function("document.body.classList.contains('dpviz-slim')")
    phone.page.wait_for_timeout(500)  # ms: for the layout
    assert root.evaluate("dpviz.smallest") >= SMALLEST
    assert root.evaluate(WIDE) == []
    assert root.evaluate(LOW) == []
    assert phone.complaints() == []
    phone.page.close()


LOW_SCREEN = {"width": 1280, "height": 720}
TALLEST = "01_privacy.ipynb"
FOOT = """(root) => {
  const outer = root.closest(".jp-WindowedPanel-outer");
  outer.scrollTop = 0;
  const below = (e) => e.getBoundingClientRect().bottom;
  return below(outer) - below(root.querySelector(".dpviz-picture svg[role]"));
}"""


@pytest.mark.parametrize("name", NAMES if EVERY else [TALLEST])
def test_on_a_low_screen_beside_the_file_browser_the_whole_picture_is_seen(
    browser, folder, address, name
):
    book, _ = opening(name)
    (folder / f"low_{name}").write_text(json.dumps(book), "utf-8")
    low = lab.Book(browser, address, f"low_{name}", LOW_SCREEN)
    low.run()
    low.page.evaluate("jupyterapp.shell.expandLeft()")
    low.page.evaluate("dpviz.laid()")
    root = low.page.locator(":is(.dpviz-explorer, .dpviz-player)").first
    assert root.evaluate(FOOT) >= 0
    low.page.close()
