"""The opening of a lesson in JupyterLab: on a telephone, held by a finger, and on a low screen.

The lesson with the tallest one; with ``DPVIZ_EVERY`` set (`make test-all`) each. The toys of all
lessons are looked at on a telephone by `test_hands`.
"""

import json
import re

import lab
import pytest
from every import EVERY

from dpviz.lesson import joined

pytestmark = pytest.mark.browser
TALLEST = "01_privacy.ipynb"
NAMES = sorted(path.name for path in lab.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
SIZE = {"width": 360, "height": 740}
LOW_SCREEN = {"width": 1280, "height": 720}
FOOT = """(root) => {
  const outer = root.closest(".jp-WindowedPanel-outer");
  outer.scrollTop = 0;
  const below = (e) => e.getBoundingClientRect().bottom;
  return below(outer) - below(root.querySelector(".dpviz-picture svg[role]"));
}"""
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


def slim_faults(book, root):
    """What cannot be read or held on a telephone of an instrument that is on screen there."""
    book.page.wait_for_function("document.body.classList.contains('dpviz-slim')")
    book.page.evaluate("dpviz.laid()")
    if (type_ := root.evaluate("dpviz.smallest")) < SMALLEST:
        yield f"letters of {type_:.1f} pixels"
    yield from root.evaluate(WIDE) + root.evaluate(LOW)


@pytest.fixture(scope="module", params=NAMES if EVERY else [TALLEST])
def opened(request, browser, folder, address):
    """A lesson up to its first instrument, on a low screen, and where that stands."""
    book, first = opening(request.param)
    (folder / f"opening_{request.param}").write_text(json.dumps(book), "utf-8")
    book = lab.Book(browser, address, f"opening_{request.param}", LOW_SCREEN)
    book.run()
    yield book, book.page.locator(":is(.dpviz-explorer, .dpviz-player)").first, first
    book.page.close()


def test_on_a_low_screen_beside_the_file_browser_the_whole_picture_is_seen(opened):
    book, root, _ = opened
    book.page.evaluate("jupyterapp.shell.expandLeft()")
    book.page.evaluate("dpviz.laid()")
    assert root.evaluate(FOOT) >= 0


def test_on_a_telephone_an_opening_can_be_read_and_nothing_is_cut(opened):
    """The same page, once it has become as small."""
    book, root, first = opened
    book.page.set_viewport_size(SIZE)
    book.page.evaluate("index => dpviz.show(index).then(() => 0)", first)
    assert list(slim_faults(book, root)) == []
    assert book.complaints() == []
