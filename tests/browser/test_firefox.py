"""The site in Firefox: lesson 00 whole, and one explorer of each lesson."""

import firefox
import lab
import pytest

pytestmark = pytest.mark.site
NAMES = sorted(path.name for path in lab.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
READY = "window.jupyterapp?.shell?.currentWidget?.context"
INSERT = """(text) => {
  document.head.append(Object.assign(document.createElement("script"), { textContent: text }));
}"""
FAULTS = """dpviz.cells().flatMap(({ outputs }) => outputs)
  .filter((it) => it.output_type === "error").map((it) => it.evalue)"""
EXPLORER = r"dpviz.cells().find(({ source }) => /explore_\w+\(/.test(source)).index"
# The first slider that may move, in the explorer of a cell; it gets the focus.
FOCUS = """async (index) => {
  const cell = await dpviz.show(index), slider = ".noUi-target:not([disabled]) .noUi-handle";
  const explorer = () => cell.querySelector(".dpviz-explorer:has(svg[role])");
  while (!explorer()?.querySelector(slider)) await new Promise(requestAnimationFrame);
  const root = explorer();
  window.handle = root.querySelector(slider);
  handle.scrollIntoView({ block: "center" });
  handle.focus();
  const { ariaValueNow: now, ariaValueMin: least, ariaValueMax: most } = handle;
  return [await dpviz.read(root), +now < (+least + +most) / 2];
}"""
READ = "async () => dpviz.read(handle.closest('.dpviz-explorer'))"
RIGHT, LEFT = "\ue014", "\ue012"


@pytest.fixture
def window(tmp_path):
    """A new Firefox, for JupyterLab opens again what was open; without one the tests say so."""
    path = firefox.find()
    if path is None:
        pytest.fail(firefox.MISSING)
    with firefox.opened(path, tmp_path) as window:
        yield window


def opened(window, pages, name):
    """Open a lesson."""
    window.goto(f"{pages}/jupyter/lab/index.html?path={name}")
    window.wait_for(READY)
    window.evaluate(INSERT, (lab.HERE / "page.js").read_text("utf-8"))
    window.evaluate("dpviz.ready()")


def test_lesson_00_runs(window, pages):
    opened(window, pages, NAMES[0])
    window.evaluate("jupyterapp.commands.execute('notebook:run-all-cells').then(() => 0)")
    assert window.evaluate(FAULTS) == []
    assert window.evaluate(
        "dpviz.cells().every((it) => !it.source || it.type !== 'code' || it.count)"
    )
    assert window.evaluate("dpviz.complaints") == []


@pytest.mark.parametrize("name", NAMES)
def test_an_explorer_follows_its_slider(window, pages, name):
    opened(window, pages, name)
    index = window.evaluate(EXPLORER)
    window.evaluate("(index) => dpviz.wake(index)", index)
    assert window.evaluate(FAULTS) == []
    before, low = window.evaluate(FOCUS, index)
    window.press(RIGHT if low else LEFT)
    after = window.evaluate(READ)
    assert after["picture"] != before["picture"]
    assert after["problem"] == ""
