"""The site in Chromium, with every other host blocked: lessons without a server or a kernel.

`make test-all` builds it and says where it is (DPVIZ_SITE).
"""

import json
import math
import re
from functools import partial

import checks
import every
import lab
import nbclient
import nbformat
import pytest
from every import EVERY
from test_lessons import asked
from visit import Page

pytestmark = pytest.mark.site
WALK = (lab.HERE / "walk.py").read_text(encoding="utf-8")
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


def ordinary(name):
    """What the walk prints in an ordinary kernel that has run the lesson."""
    book = nbformat.read(lab.NOTEBOOKS / f"{name}.ipynb", as_version=4)
    book.cells.append(nbformat.v4.new_code_cell(WALK))
    where = {"metadata": {"path": lab.NOTEBOOKS}}
    nbclient.NotebookClient(book, timeout=600, resources=where).execute()
    return json.loads("".join(output["text"] for output in book.cells[-1].outputs))


def test_after_the_same_moves_its_instruments_say_what_an_ordinary_kernel_says(lesson):
    here, there = lesson.ask(WALK), ordinary(lesson.name)
    assert [kind for kind, _ in here] == [kind for kind, _ in there]
    assert {kind for kind, _ in here} == {"ExplorerFace", "PlayerFace", "ExerciseFace"}
    assert [len(said) for _, said in here] == [len(said) for _, said in there]
    flat = [[each for _, said in told for each in said] for told in (here, there)]
    assert [(a, b) for a, b in zip(*flat, strict=True) if not all(map(same, a, b))] == []


def test_its_explorers_follow_every_control_and_preset(lesson):
    """Each control only in `make test-all`: the scripts are those of `test_lessons`."""
    worked = partial(checks.explorer_faults, whole=False) if EVERY else checks.awake_faults
    assert [fault for root in lesson.roots("explorer") for fault in worked(root)] == []


def test_its_players_step_and_play(lesson):
    roots = lesson.roots("player")
    assert [fault for root in roots for fault in checks.player_faults(root, EVERY)] == []


def test_its_exercises_take_right_answers_and_no_wrong_ones(lesson):
    some = [every.spread(asked(lesson, held=held), 2) for held in (False, True)]
    plain = [checks.exercise_faults(*each[:4]) for each in some[0]]
    held = [checks.held_faults(*each) for each in some[1]]
    assert [fault for faults in plain + held for fault in faults] == []
    assert lesson.complaints() == []


ASK = """async code => {
  const future = dpviz.kernel().requestExecute({ code });
  const said = [];
  future.onIOPub = ({ content }) => said.push(content.text ?? content.evalue ?? "");
  const reply = await future.done;
  return [reply.content.status, said.join("")];
}"""


UNCOMPILED = """
import json, os, sys
specs = [spec for m in [*sys.modules.values()] if (spec := getattr(m, "__spec__", None))]
own = [spec for spec in specs if (spec.origin or "").endswith(".py")]
print(json.dumps([len(own), [s.name for s in own if not os.path.exists(s.cached or "")]]))
"""


def test_python_compiles_nothing_at_its_start(lesson):
    count, uncompiled = lesson.ask(UNCOMPILED)
    assert count > 100
    assert uncompiled == []


IMPORTED = "import json, sys; print(json.dumps('dpviz.instruments.faces' in sys.modules))"


def test_what_every_lesson_imports_is_there_before_a_cell_asks(browser, pages):
    lesson = Page(browser, pages, NAMES[0])
    for _ in range(120):
        if lesson.ask(IMPORTED):
            break
        lesson.page.wait_for_timeout(500)  # ms
    assert lesson.ask(IMPORTED)
    assert lesson.ask("import json; print(json.dumps('dpviz' in dir()))") is False
    lesson.context.close()


FATAL = {
    "wants more than there is": (
        "import numpy; [numpy.empty(2**31 - 9, 'u1') for _ in range(2)]",
        "allocate",
        "",
    ),
    "calls too deep": (
        "import sys; sys.setrecursionlimit(10**8); f = lambda x: f([x]); f(0)",
        "",
        "Python ended in this page",
    ),
    "breaks off": ("import os; os.abort()", "", "Python ended in this page"),
}


@pytest.mark.parametrize("lesson", NAMES[:1], indirect=True)
@pytest.mark.parametrize("name", FATAL)
def test_what_kills_python_is_said_and_the_next_cell_runs(lesson, name):
    code, kind, words = FATAL[name]
    status, said = lesson.page.evaluate(ASK, code)
    assert status == "error"
    assert kind in said
    assert words in said
    assert lesson.page.evaluate(ASK, "print(6 * 7)") == ["ok", "42\n"]


def pythons(page):
    """How many Pythons the page holds."""
    return sum(worker.url.endswith("worker.js") for worker in page.workers)


OPENED = "name => jupyterapp.shell.currentWidget?.context?.path === name"


def test_where_memory_is_short_one_python_lives_at_a_time_and_it_is_said(browser, pages):
    short = "Object.defineProperty(navigator, 'deviceMemory', { value: 4 })"
    lesson = Page(browser, pages, NAMES[0], before=short)
    page = lesson.page
    assert page.evaluate(ASK, "x = 1; print(x)") == ["ok", "1\n"]
    page.evaluate(
        "name => void jupyterapp.commands.execute('docmanager:open', { path: name })", NAMES[1]
    )
    page.wait_for_function(OPENED, arg=NAMES[1])
    page.evaluate("dpviz.ready()")
    assert page.evaluate(ASK, "print(2)") == ["ok", "2\n"]
    assert pythons(page) == 1
    assert "memory is short" in page.locator("#lite-kernel-loading").inner_text()
    page.evaluate(
        "name => void jupyterapp.commands.execute('docmanager:open', { path: name })", NAMES[0]
    )
    page.wait_for_function(OPENED, arg=NAMES[0])
    assert page.evaluate(ASK, "x")[0] == "error"
    assert page.evaluate(ASK, "print(3)") == ["ok", "3\n"]
    assert pythons(page) == 1
    lesson.context.close()


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
