"""Who cannot see can use every page: axe finds nothing, and each part says its language.

What a lesson shows in the lab and its pages from disk are looked at in their own tests; here
stand the pages that no lesson runs for, the reference, and a translated lesson in the lab.
"""

import os
from pathlib import Path

import access
import lab
import pytest
import visit

from dpviz import lesson as lessons
from dpviz.exams.exam import draw_exam
from dpviz.lab import listed
from dpviz.pages import done, exam, from_disk, guide, sheet
from dpviz.words import SOURCE, say, spoken, table

BOOKS = lessons.paths(lab.NOTEBOOKS)
TRANSLATED = lessons.translations(lab.NOTEBOOKS)
REFERENCE = ("index", "gallery", "api/dpviz.privacy.curator", "search", "genindex")
BESIDE = (*(f"reference/{name}" for name in REFERENCE), "licences/index")
# Words on the page, each with the language in which it would be read; code has none.
SPOKEN = """() => {
  const book = document.querySelector(".jp-Notebook"), found = {};
  const all = document.createTreeWalker(book, NodeFilter.SHOW_TEXT);
  while (all.nextNode()) {
    const e = all.currentNode.parentElement;
    if (!/[a-zäöü]{4}/i.test(all.currentNode.data) || !e.checkVisibility()) continue;
    if (e.closest("style, script, .cm-editor, pre, .jp-Toolbar, .jp-Notebook-footer")) continue;
    const lang = e.closest("[lang]").getAttribute("lang");
    (found[lang] ??= []).push(all.currentNode.data.trim().slice(0, 60));
  }
  return found;
}"""


def written():
    """Pages that no lesson has to run for, by their names."""
    first = lessons.read(BOOKS[0])
    made = [{f"{from_disk.name(book)}.html": ""} for book in [*BOOKS, *TRANSLATED]]
    drawn = draw_exam(["01", "03"], 2, 7)
    yield "index", from_disk.index([*BOOKS, *TRANSLATED], made, True)
    teaching = guide.beside(lab.NOTEBOOKS).read_text("utf-8")
    before, _, _ = teaching.partition("## Lesson 00")  # axe is slow where all sections stand
    yield "guide", guide.written(before + guide.section(teaching, "00"))
    yield "frontier", from_disk.frontier(lab.NOTEBOOKS)
    yield "handout", sheet.page("handout", "".join(from_disk.handout(first)))
    yield "sheet", exam.sheet(drawn).decode()
    yield "solutions", exam.solutions(drawn).decode()
    with spoken("de"):
        yield "done_de", done.written()


@pytest.fixture(scope="module")
def leaf(browser):
    """A page without a network, which fails if its script does."""
    context = browser.browser.new_context(offline=True, reduced_motion="reduce")
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda thrown: faults.append(str(thrown)))
    yield page
    assert faults == []
    context.close()


@pytest.mark.browser
def test_axe_finds_nothing_on_pages_that_open_from_disk(leaf, tmp_path):
    found = {}
    for name, text in written():
        (tmp_path / f"{name}.html").write_text(text, "utf-8")
        leaf.goto((tmp_path / f"{name}.html").as_uri())
        found[name] = access.violations(leaf)
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.browser
def test_axe_sees_a_planted_fault(leaf):
    leaf.goto("data:text/html,<html lang='en'><title>x</title><main><h1>x</h1><button></button>")
    assert any("button-name" in fault for fault in access.violations(leaf)["light"])


@pytest.mark.site
@pytest.mark.parametrize("name", BESIDE)
def test_axe_finds_nothing_in_the_reference_and_the_licences(leaf, name):
    site = Path(os.environ["DPVIZ_SITE"]).resolve()
    leaf.goto((site / f"{name}.html").as_uri())
    assert access.violations(leaf) == {}


@pytest.mark.browser
@pytest.mark.parametrize("path", TRANSLATED, ids=lambda path: path.parent.name)
def test_a_translated_lesson_is_read_in_its_language(browser, address, path):
    code = path.parent.name
    book = lab.Book(browser, address, f"{code}/{path.name}")
    book.run()
    buttons = [button.text_content() for button in book.page.locator(".dpviz-live button").all()]
    with spoken(code):
        assert {say("answer.check"), say("player.back")} <= set(buttons)
    assert not {table("en")[f"answer.{name}"] for name in ("check", "hint")} & set(buttons)
    words = book.page.evaluate(SPOKEN)
    titles = [each[:60] for _, *told in listed(lab.NOTEBOOKS) for each in told]
    assert words.pop(SOURCE) == titles  # of the lessons that are not translated
    assert set(words) == {code} and len(words[code]) > 100
    assert list(access.faults(book.page)) == []
    assert book.complaints() == []
    book.page.close()


@pytest.mark.site
def test_beside_the_german_lesson_the_lab_of_the_site_speaks_german(browser, pages):
    lesson = visit.Page(browser, pages, "de/00_start.ipynb")
    lesson.page.get_by_role("button", name="Herunterladen", exact=True).wait_for()
    assert lesson.page.get_by_role("button", name="Download", exact=True).count() == 0
    (first,) = [cell["index"] for cell in lesson.cells() if "explore_record()" in cell["source"]]
    lesson.wake(first)
    root = lesson.roots("explorer")[0]
    with spoken("de"):
        assert root.get_by_role("button", name=say("instrument.projector"), exact=True).count() == 1
    spoken_there = "all => [...new Set(all.map((e) => e.getAttribute('lang')))]"
    assert root.locator("[lang]").evaluate_all(spoken_there) == ["de"]
    assert (lesson.outside, lesson.thrown) == ([], [])
    lesson.context.close()
