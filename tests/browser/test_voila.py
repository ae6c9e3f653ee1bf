"""The same explorers, alive in Voila: inside their lesson, and each as a page of its own."""

import subprocess

import checks
import pytest

from dpviz import lab
from dpviz.pages import apps

pytestmark = pytest.mark.browser
# How much is seen of what the lesson keeps for readers without a kernel.
STILLS = """() => {
  const words = [...document.querySelectorAll(".dpviz-words")];
  const all = [...words, ...document.querySelectorAll(":has(+ * .dpviz-pictured) img")];
  return [words.length, all.filter((still) => still.checkVisibility()).length];
}"""
CODE = ".jp-InputArea, .jp-Editor, .highlight, .jp-InputPrompt"
PLACED = """() => {
  const picture = document.querySelector(".dpviz-picture svg").getBoundingClientRect();
  return [picture.right, picture.bottom, document.documentElement.scrollWidth];
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


@pytest.fixture
def served(tmp_path):
    """Where Voila serves the pages of the explorers, by the command that `make apps` runs."""
    apps.write(tmp_path, lab.LESSONS)
    port = apps.free(0)
    with subprocess.Popen(apps.command(tmp_path, port)) as voila:
        try:
            apps.answered(f"http://127.0.0.1:{port}{apps.PLACE}", voila)
            yield f"http://127.0.0.1:{port}"
        finally:
            voila.terminate()


def app_faults(page):
    """No code is seen; at both sizes the picture lies in the window; slider and keys move it."""
    root = page.locator(".dpviz-explorer")
    if page.locator(CODE).filter(visible=True).count():
        yield "shows code"
    for width, height in ((1024, 768), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("width => innerWidth === width", arg=width)
        page.evaluate("new Promise(requestAnimationFrame)")
        right, bottom, whole = page.evaluate(PLACED)
        if not (0.5 * width < right <= width and bottom <= height and whole <= width):
            yield f"at {width}: the picture ends at {right:.0f}, {bottom:.0f}; page {whole}"
    yield from checks.follow_faults(checks.sliders(root)[0])
    pressed = [checks.press(root, key) for key in ("1", "2", "1")]
    if pressed[0] != pressed[2] or checks.same(pressed, "sentence"):
        yield "the keys 1 and 2 do not press the presets"
    for filled in (True, False):
        page.keyboard.press("f")
        page.wait_for_function("filled => !!document.fullscreenElement === filled", arg=filled)


def test_the_first_explorer_of_each_lesson_is_a_page_of_its_own(browser, served):
    page, thrown = browser.new_page(), []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    page.goto(served + apps.PLACE)
    links = page.locator("li a").evaluate_all("links => links.map((link) => link.href)")
    assert len(links) == len(set(links)) >= 30
    first = {}
    for link in links:
        if "explore_" in link:
            first.setdefault(link.rsplit("/", 1)[1][:2], link)
    assert len(first) == len(lab.notebooks(lab.LESSONS))
    faults = []
    for lesson, link in first.items():
        page.goto(link, timeout=180_000)
        page.locator(".dpviz-picture svg").first.wait_for(timeout=180_000)
        page.evaluate("dpviz.ready()")
        faults += [f"{lesson}: {fault}" for fault in app_faults(page)]
    page.close()
    assert faults == []
    assert thrown == []
