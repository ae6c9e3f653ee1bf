"""The site in Chromium, with every other host blocked: lessons without a server or a kernel.

`make test-all` builds it and says where it is (DPVIZ_SITE).
"""

import math
import re

import checks
import lab
import pytest
from visit import Page

pytestmark = pytest.mark.site
NAMES = sorted(path.name for path in lab.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
NUMBER = re.compile(r"\d+\.?\d*(?:e[+-]?\d+)?")
# Python's own words differ with its version, a place in memory with every run.
LOOSE = re.compile(r"0x[0-9a-f]+|Help on|Signature:")


@pytest.fixture(scope="module", params=NAMES)
def lesson(request, browser, pages):
    """A lesson after Run All."""
    page = Page(browser, pages, request.param)
    page.stored = [text_of(cell) for cell in lab.sources(page.cells())]
    page.run()
    yield page
    page.context.close()


def text_of(cell):
    """What a cell printed or gave as plain text."""
    texts = [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for output in cell["outputs"]
        if "application/vnd.jupyter.widget-view+json" not in output.get("data", {})
    ]
    return "".join("".join(text) for text in texts)


def same(one, other):
    """Whether two texts agree but for the last digits of their numbers."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=1e-6) for a, b in pairs)


def test_what_counts_as_the_same():
    assert same("0.1234567 of 3", "0.1234568 of 3")
    assert not same("0.12 of 3", "0.13 of 3")
    assert not same("yes", "no")


def test_all_cells_run_without_an_error(lesson):
    cells = lab.sources(lesson.cells())
    faults = [o for cell in cells for o in cell["outputs"] if o["output_type"] == "error"]
    assert [fault["evalue"] for fault in faults] == []
    assert all(cell["count"] for cell in cells)
    assert lesson.outside == []
    assert lesson.thrown == []


def test_it_says_what_an_ordinary_kernel_says(lesson):
    now = [text_of(cell) for cell in lab.sources(lesson.cells())]
    pairs = list(zip(now, lesson.stored, strict=True))
    told = [(new, old) for new, old in pairs if old and not LOOSE.search(old)]
    assert told, "the stored notebook says nothing"
    assert [(new[:200], old[:200]) for new, old in told if not same(new, old)] == []


def test_a_slider_moves_its_picture(lesson):
    root = lesson.roots("explorer")[0]
    free = root.locator(".noUi-target:not([disabled]) .noUi-handle").first
    slider = checks.Slider(root, free)
    slider.handle.scroll_into_view_if_needed()
    before = checks.read(root)
    slider.handle.focus()
    after = checks.press(root, "ArrowRight" if slider.place < 0.5 else "ArrowLeft")
    assert after["picture"] != before["picture"]
    assert after["problem"] == ""


def test_an_exercise_answers(lesson):
    root = lesson.page.locator(".dpviz-exercise:has(input[type=text])").first
    root.scroll_into_view_if_needed()
    root.locator("input[type=text]").fill("-12345")
    root.get_by_role("button", name="check", exact=True).click()
    said = root.locator(".dpviz-feedback [role=status]").first
    said.wait_for()
    assert said.inner_text().strip()


ASK = """async code => {
  const future = dpviz.kernel().requestExecute({ code });
  const said = [];
  future.onIOPub = ({ content }) => said.push(content.text ?? content.evalue ?? "");
  const reply = await future.done;
  return [reply.content.status, said.join("")];
}"""


@pytest.mark.parametrize("lesson", NAMES[:1], indirect=True)
def test_stop_ends_an_endless_loop_and_says_what_it_cost(lesson):
    page = lesson.page
    page.evaluate(f"void (window.endless = ({ASK})('while True: pass'))")
    page.wait_for_function("dpviz.kernel().status === 'busy'")
    page.evaluate("void jupyterapp.commands.execute('notebook:interrupt-kernel')")
    status, said = page.evaluate("window.endless")
    assert status == "error"
    assert "stopped" in said
    assert page.evaluate(ASK, "print(6 * 7)") == ["ok", "42\n"]
