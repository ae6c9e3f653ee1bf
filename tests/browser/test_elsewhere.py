"""Each stored picture in Chromium as other places show it: an output alone, or without vectors."""

import html
import json
import re
import sys
from pathlib import Path

import lab
import pytest
from every import EVERY

from dpviz.lesson import joined

sys.path.append(str(Path(__file__).parents[1] / "notebooks"))
from elsewhere import sanitized

pytestmark = pytest.mark.browser
PATHS = sorted(lab.NOTEBOOKS.glob("*.ipynb"))
if not EVERY:
    PATHS = PATHS[:1] + PATHS[2:3]  # 02 holds back a picture, and has a cloud of dots
# Of each image its words, what is shown, how wide, and whether it is seen.
IMAGES = """() => Promise.all([...document.images].map(async (image) => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  await image.decode();
  return [image.alt, image.currentSrc.slice(0, 14), image.naturalWidth, image.checkVisibility()];
}))"""
VECTOR, DOTS = "data:image/svg", "data:image/png"


def pictured(path):
    """The HTML of each output of a lesson that holds a picture."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = (output for cell in cells for output in cell.get("outputs", []))
    pages = (joined(output.get("data", {}).get("text/html", "")) for output in outputs)
    return [page for page in pages if "<img" in page]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.parametrize(("place", "kind"), [(str, VECTOR), (sanitized, DOTS)])
def test_each_picture_is_seen_and_told_once(browser, place, kind, path):
    """As in Colab, whose outputs are pages of their own; as in GitHub's view (`elsewhere`)."""
    page = browser.new_page()  # of its own: frames of a lesson before might close only now
    try:
        outputs = [place(each) for each in pictured(path)]
        code = (f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(o)}">' for o in outputs)
        page.set_content("</iframe>".join(code))
        for frame, output in zip(page.frames[1:], outputs, strict=True):
            images = frame.evaluate(IMAGES)
            assert len(images) == output.count("<img ") >= 1
            assert all(alt and each == [kind, 760, True] for alt, *each in images)
            told = frame.locator("body").aria_snapshot()
            assert len(re.findall(r"^ *- '?img ", told, re.MULTILINE)) == len(images)
    finally:
        page.close()
