"""The site in Firefox and in WebKit: lesson 00 whole, an explorer of each, a page from disk.

`make test` runs lesson 00 in Firefox, `make test-all` the rest: WebKit takes four times as long.
"""

import os
from pathlib import Path

import firefox
import hands
import lab
import pytest
import webkit
from window import needed

pytestmark = pytest.mark.site
BROWSERS = {"firefox": firefox, "webkit": webkit}
NAMES = sorted(path.name for path in lab.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
READY = "window.jupyterapp?.shell?.currentWidget?.context"
INSERT = """(text) => {
  document.head.append(Object.assign(document.createElement("script"), { textContent: text }));
}"""
FAULTS = """dpviz.cells().flatMap(({ outputs }) => outputs)
  .filter((it) => it.output_type === "error").map((it) => it.evalue)"""
EXPLORER = r"dpviz.cells().find(({ source }) => /explore_\w+\(/.test(source)).index"
# What may move first in the explorer of a cell, a slider or a mark; it gets the focus.
FOCUS = """async (index) => {
  const moved = ".noUi-target:not([disabled]) .noUi-handle, [data-held][role=slider]";
  const cell = await dpviz.show(index);
  const found = () => cell.querySelector(".dpviz-explorer:has(svg[role])")?.querySelector(moved);
  while (!found()) await new Promise(requestAnimationFrame);
  const handle = found(), { ariaValueNow: now, ariaValueMin: least, ariaValueMax: most } = handle;
  window.explorer = handle.closest(".dpviz-explorer");
  handle.scrollIntoView({ block: "center" });
  handle.focus();
  return [await dpviz.read(explorer), +now < (+least + +most) / 2];
}"""
READ = "async () => dpviz.read(explorer)"
END, HOME = "\ue010", "\ue011"


@pytest.fixture(params=BROWSERS)
def window(request, tmp_path):
    """A new browser, for JupyterLab opens again what was open; without one the tests say so."""
    browser = BROWSERS[request.param]
    with browser.opened(found(browser), tmp_path) as window:
        yield window


def found(browser):
    """Path of a browser."""
    path = browser.find()
    if path is None:
        (pytest.fail if needed() else pytest.skip)(browser.MISSING)
    return path


def opened(window, pages, name):
    """Open a lesson."""
    window.goto(f"{pages}/jupyter/lab/index.html?path={name}")
    window.wait_for(READY)
    window.evaluate(INSERT, (lab.HERE / "page.js").read_text("utf-8"))
    window.evaluate("dpviz.ready()")


# A player of a lesson: what it shows at its start, a step on, and a step back.
STEPS = """async () => {
  const player = () => document.querySelector(".dpviz-player:has(svg[role])");
  const index = dpviz.cells().find(({ source }) => /play_\\w+\\(/.test(source)).index;
  await dpviz.show(index);
  while (!player()) await new Promise(requestAnimationFrame);
  const root = player(), seen = [];
  for (const name of ["", "step", "back"]) {
    if (name) root.querySelector(`.dpviz-${name} button, button.dpviz-${name}`).click();
    await dpviz.read(root);
    while (root.querySelector(".dpviz-moving")) await new Promise(requestAnimationFrame);
    seen.push(await dpviz.read(root));
  }
  return seen;
}"""


def test_lesson_00_runs_and_its_player_steps(window, pages):
    opened(window, pages, NAMES[0])
    window.evaluate("jupyterapp.commands.execute('notebook:run-all-cells').then(() => 0)")
    assert window.evaluate(FAULTS) == []
    assert window.evaluate(
        "dpviz.cells().every((it) => !it.source || it.type !== 'code' || it.count)"
    )
    first, second, third = window.evaluate(STEPS)
    assert first["picture"] != second["picture"]
    assert first == third
    assert window.evaluate("dpviz.complaints") == []


@pytest.mark.parametrize("name", NAMES)
def test_an_explorer_follows_its_slider(window, pages, name):
    opened(window, pages, name)
    index = window.evaluate(EXPLORER)
    window.evaluate("(index) => dpviz.wake(index)", index)
    assert window.evaluate(FAULTS) == []
    before, low = window.evaluate(FOCUS, index)
    window.press(END if low else HOME)
    after = window.evaluate(READ)
    assert after["picture"] != before["picture"]
    assert after["problem"] == ""


# What a reader's Firefox may lack, and what is said then; room is in kB.
OFF = {
    "storage": ({"dom.storage.enabled": False}, "may keep nothing of this page"),
    "cookies": ({"network.cookie.cookieBehavior": 2}, "may keep nothing of this page"),
    "room": ({"dom.quotaManager.temporaryStorage.fixedLimit": 30_000}, "could not be kept for use"),
    "workers": ({"dom.serviceWorkers.enabled": False}, "could not be kept for use"),
    "WebAssembly": ({"javascript.options.wasm": False}, "WebAssembly is switched off"),
}


@pytest.mark.parametrize("what", OFF)
def test_without_something_a_lesson_is_read_and_it_is_said(tmp_path, pages, what):
    settings, words = OFF[what]
    with firefox.opened(found(firefox), tmp_path, **settings) as window:
        window.goto(f"{pages}/jupyter/lab/index.html?path={NAMES[0]}")
        window.wait_for(f"document.body.innerText.includes({words!r})")
        window.wait_for("document.querySelector('.jp-Notebook h1')?.checkVisibility()")
        if what != "WebAssembly":  # all else runs without
            window.wait_for(
                "jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"
            )


# On a page without Python: whether the picture moved with the slider, and what was answered.
MOVED = """() => {
  const root = document.querySelector(".dpviz-explorer");
  const seen = () => root.querySelector(".dpviz-picture").innerHTML;
  const before = seen(), slider = root.querySelector(".controls input:not([disabled])");
  slider.value = +slider.value === +slider.min ? slider.max : slider.min;
  slider.dispatchEvent(new Event("input"));
  return seen() !== before;
}"""

# There, a player from its first state to its last and back, as its sentences.
PLAYED = """() => {
  const root = document.querySelector(".dpviz-player");
  const button = (name) => [...root.querySelectorAll("button")].find((b) => b.innerText === name);
  const seen = [], last = +root.querySelector(".dpviz-position input").max;
  const look = () => seen.push(root.querySelector(".sentence").innerText);
  for (let place = 0; place < last; place++) button("back").click(); // it opens further on
  for (let place = 0; place < last; place++, button("step").click()) look();
  for (let place = last; place > 0; place--, button("back").click()) look();
  look();
  return seen;
}"""
# There, what is said of the right answer to the first prediction.
ANSWERED = """() => {
  const root = document.querySelector(".prediction:has(form)");
  const told = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  root.querySelector("form :is(input, select)").value = told.right;
  [...root.querySelectorAll("button")].find((b) => b.innerText === "check").click();
  return root.querySelector(".said").innerText;
}"""


def opened_from_disk(window, name):
    """Open the page of a lesson."""
    page = Path(os.environ["DPVIZ_SITE"]).resolve() / "pages" / name.replace("ipynb", "html")
    window.goto(page.as_uri())
    window.wait_for("document.documentElement.dataset.awake !== undefined")


# There, where a mark of the first explorer is, and what is said.
HELD = f"""(mark) => {{
  const root = document.querySelector(".dpviz-explorer");
  return [({hands.PLACE})(root, mark), root.querySelector(".sentence").innerText];
}}"""


def test_a_mark_of_a_page_from_disk_follows_a_pointer(window):
    opened_from_disk(window, "02_learner.ipynb")
    before, said = window.evaluate(HELD, "bottle:1")
    window.drag(before["x"], before["y"], 60)
    after, then = window.evaluate(HELD, "bottle:1")
    assert abs(after["x"] - before["x"] - 60) < 30  # the nearest of the stored places
    assert then != said


def test_a_page_from_disk_moves_plays_and_judges(window):
    opened_from_disk(window, NAMES[0])
    assert window.evaluate(MOVED)
    seen = window.evaluate(PLAYED)
    assert len(set(seen)) > len(seen) / 4
    assert seen == seen[::-1]
    assert window.evaluate(ANSWERED) == "Yes."
