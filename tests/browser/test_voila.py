"""The same explorers, alive in Voila."""

import checks
import pytest

pytestmark = pytest.mark.browser
# How much is seen of what the lesson keeps for readers without a kernel.
STILLS = """() => {
  const words = [...document.querySelectorAll(".dpviz-words")];
  const all = [...words, ...document.querySelectorAll(":has(+ * .dpviz-pictured) img")];
  return [words.length, all.filter((still) => still.checkVisibility()).length];
}"""


def test_explorers_are_alive_in_voila(browser, address):
    page, thrown = browser.new_page(), []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    page.goto(f"{address}/voila/render/00_start.ipynb", timeout=180_000)  # ms: it runs all cells
    page.locator(".dpviz-picture svg").first.wait_for(timeout=180_000)
    page.evaluate("dpviz.ready()")
    roots = page.locator(".dpviz-explorer").all()
    faults = [fault for root in roots for fault in checks.slider_faults(checks.sliders(root)[0])]
    assert roots
    kept, seen = page.evaluate(STILLS)
    assert kept > len(roots)  # its players and exercises keep something too
    assert seen == 0
    assert faults == []
    assert thrown == []
    page.close()
