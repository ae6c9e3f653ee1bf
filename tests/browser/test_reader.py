"""What a reader writes in the site's JupyterLab: kept, downloaded, reset, never lost in silence."""

import json
import os
import shutil

import lab
import pytest
from lite_kernel import offline, site
from visit import Page, built, served

pytestmark = pytest.mark.site
NAME = "00_start.ipynb"
TITLE = "# 00 What does one person change?"
FIRST = "jupyterapp.shell.currentWidget.content.widgets[0].model.sharedModel"
CLEAN = "!jupyterapp.shell.currentWidget.context.model.dirty"
ACTIVE = "navigator.serviceWorker.ready.then(it => it.active.state === 'activated')"
# As in a browser without room: the write fails, all else goes on.
FULL = """() => {
  const put = IDBObjectStore.prototype.put;
  window.writes = 0;
  IDBObjectStore.prototype.put = function (value, key) {
    if (!String(key).endsWith(".ipynb") || (window.room && window.writes++ > 0))
      return put.call(this, value, key);
    throw new DOMException("no room", "QuotaExceededError");
  };
}"""


@pytest.fixture
def lesson(browser, pages):
    """Lesson 00, on a first visit."""
    page = Page(browser, pages, NAME)
    yield page
    page.context.close()


def write(lesson, text):
    """Write into the first cell."""
    lesson.page.evaluate(f"text => {FIRST}.setSource(text)", text)


def source(lesson):
    """What stands in the first cell."""
    return lesson.page.evaluate(f"{FIRST}.getSource()").split("\n")[0]


def saved(lesson):
    """Until the browser has stored it, without anybody asking."""
    lesson.page.wait_for_function(CLEAN)


def told(lesson, words):
    """Until JupyterLab shows these words."""
    lesson.page.get_by_text(words).first.wait_for()


def downloaded(lesson, act):
    """The first cell of the notebook that comes as a file."""
    with lesson.page.expect_download() as found:
        act()
    assert found.value.suggested_filename == NAME
    with open(found.value.path(), encoding="utf-8") as file:
        return "".join(json.load(file)["cells"][0]["source"])


def press(lesson, name):
    """A button of the lesson's toolbar, by keyboard."""
    toolbar = lesson.page.locator(".jp-NotebookPanel-toolbar")
    toolbar.get_by_role("button", name=name, exact=True).press("Enter")


def again(lesson, book=None):
    """Close the page and open it on another day, on which the host may have a newer lesson."""
    lesson.page.close()
    make = lesson._new_page

    def visit():
        page = make()
        if book:
            page.route(f"**/files/{NAME}", lambda route: route.fulfill(json=book))
        return page

    lesson._new_page = visit
    lesson.open()


@pytest.fixture
def newer():
    """A newer edition of the lesson."""
    book = site.in_one_piece(json.loads((lab.NOTEBOOKS / NAME).read_text("utf-8")))
    book["cells"][0]["source"] = "# 00 A newer lesson"
    return book


def test_what_was_written_is_there_on_the_next_visit(lesson):
    write(lesson, "# mine")
    saved(lesson)
    again(lesson)
    assert source(lesson) == "# mine"


def test_a_lesson_is_downloaded_and_reset(lesson):
    write(lesson, "# mine")
    assert downloaded(lesson, lambda: press(lesson, "Download")) == "# mine"
    names = lesson.page.evaluate("[...jupyterapp.shell.currentWidget.toolbar.names()]")
    place = names.index("lite-kernel-download")
    assert names[place : place + 3] == ["lite-kernel-download", "lite-kernel-reset", "spacer"]
    saved(lesson)
    press(lesson, "Reset")
    dialog = lesson.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel").click()
    dialog.wait_for(state="detached")
    assert source(lesson) == "# mine"
    lesson.page.wait_for_timeout(600)  # ms: two presses sooner count as one
    press(lesson, "Reset")
    dialog.wait_for()
    reset = dialog.get_by_role("button", name="Reset")
    assert downloaded(lesson, reset.click) == "# mine"
    lesson.page.wait_for_function(f"{FIRST}.getSource() !== '# mine'")
    saved(lesson)
    again(lesson)
    assert source(lesson) == TITLE


def test_an_update_keeps_what_was_written_and_says_so(lesson, newer):
    write(lesson, "# mine")
    saved(lesson)
    again(lesson, newer)
    told(lesson, "This notebook has a newer edition")
    assert source(lesson) == "# mine"
    press(lesson, "Reset")
    lesson.page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    lesson.page.wait_for_function(f"{FIRST}.getSource() === '# 00 A newer lesson'")


def test_an_update_replaces_a_lesson_that_was_only_run(lesson, newer):
    lesson.page.evaluate("jupyterapp.commands.execute('notebook:run-cell').then(() => 0)")
    saved(lesson)
    again(lesson, newer)
    told(lesson, "This notebook is newer than on your last visit")
    assert source(lesson) == "# 00 A newer lesson"


def test_two_tabs_are_told_of_each_other_and_overwrite_nothing_in_silence(lesson):
    saved(lesson)
    first = lesson.page
    lesson.open()
    told(lesson, "This notebook is open in another tab as well")
    write(lesson, "# second tab")
    saved(lesson)
    first.evaluate(f"{FIRST}.setSource('# first tab')")
    dialog = first.get_by_role("dialog")
    dialog.wait_for()
    assert "has changed on disk" in dialog.inner_text()
    again(lesson)
    assert source(lesson) == "# second tab"


def test_a_full_storage_is_said_and_the_lesson_can_be_downloaded(lesson):
    saved(lesson)
    lesson.page.evaluate(FULL)
    write(lesson, "# mine")
    told(lesson, "storage for this page is full")
    lesson.page.get_by_role("dialog").get_by_role("button").first.click()
    assert downloaded(lesson, lambda: press(lesson, "Download")) == "# mine"


def test_the_copy_of_the_site_goes_before_what_was_written(lesson):
    saved(lesson)
    address = lesson._url.partition("jupyter/")[0]
    lesson.page.evaluate(
        "address => caches.open(`lite-kernel ${address} old`).then(() => 0)", address
    )
    lesson.page.evaluate("window.room = true")
    lesson.page.evaluate(FULL)
    write(lesson, "# mine")
    saved(lesson)
    assert lesson.page.evaluate("caches.keys()") == []


def test_formulas_are_drawn_without_another_host(lesson):
    write(lesson, r"$\ell_1 \leq \int_0^1 x^2$")
    formula = lesson.page.locator(".jp-RenderedMarkdown mjx-container").first
    formula.wait_for()
    assert formula.evaluate("it => it.getBoundingClientRect().width") > 50
    assert lesson.outside == []


def test_the_second_visit_works_without_network(browser):
    with served() as address:
        lesson = Page(browser, address, NAME, workers="allow")
        told(lesson, "they work without network too")
        lesson.page.wait_for_function(ACTIVE)
        lesson.page.close()
    lesson._new_page = lesson.context.new_page
    lesson._url = lesson._url.replace(NAME, "02_learner.ipynb")
    lesson.open()
    assert lesson.ask("print(6 * 7)") == 42
    page = lesson.context.new_page()
    page.goto(f"{address}/")
    root = page.locator("[data-stored='09']")
    root.scroll_into_view_if_needed()
    page.locator("[data-stored='09'][data-awake]").wait_for()
    page.get_by_role("link", name="slides: Which mechanism").click()
    page.wait_for_selector("html[data-awake]")
    page.goto(f"{address}/pages/02_learner.html")
    page.wait_for_selector("html[data-awake]")
    lesson.context.close()


def test_a_newer_edition_is_offered_and_comes_whole(browser, tmp_path, newer):
    made = tmp_path / "site"
    shutil.copytree(built(), made, copy_function=os.link)
    with served(made) as address:
        lesson = Page(browser, address, NAME, workers="allow")
        told(lesson, "they work without network too")
        lesson.page.wait_for_function(ACTIVE)
        saved(lesson)
        for path in (made / "jupyter" / "files" / NAME, made / offline.WORKER):
            path.unlink()  # the built site itself keeps its own
        (made / "jupyter" / "files" / NAME).write_text(json.dumps(newer), "utf-8")
        offline.write(made)
        again(lesson)
        told(lesson, "A newer edition of the notebooks is here")
        assert source(lesson) == TITLE
        lesson.page.get_by_role("button", name="Load it").click()
        first = "window.jupyterapp?.shell?.currentWidget?.content?.widgets?.[0]"
        lesson.page.wait_for_function(
            f"{first}?.model.sharedModel.source === '# 00 A newer lesson'"
        )
        lesson.context.close()
