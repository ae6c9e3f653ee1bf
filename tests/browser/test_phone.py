"""The opening of a lesson in JupyterLab on a telephone: read, and held by a finger.

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
