"""What was answered: there after a reload, on the page "what you have done"; gone when erased.

In JupyterLab on a server, in the site's JupyterLab and on a page from disk.
"""

import json
import os
from pathlib import Path

import access
import lab
import pytest
from visit import Page

from dpviz.exercises.record import FILE, Record, packed, unpacked
from dpviz.lesson import joined
from dpviz.lessons.start import exercises
from dpviz.words import say

NAME, KEY = "00_start.ipynb", "dpviz answers"
QUESTION = "start.predict_guess"
WRONG = exercises.predict_guess().wrong
FEEDBACK = exercises.predict_guess().answer.judge(WRONG)
EMPTY = say("done.nothing")


def cell(book, words):
    """The index of the cell whose source holds these words."""
    return next(each["index"] for each in book.cells() if words in each["source"])


def answered_and_erased(book):
    """Answer a prediction of lesson 00; after a reload mark it, download it, erase it."""
    book.wake(cell(book, "predict_guess"))
    asked = book.page.locator(".dpviz-exercise").first
    asked.locator("select").select_option(WRONG)
    book.page.evaluate("dpviz.settled()")  # a hand takes longer to the button
    asked.get_by_role("button", name="check").click()
    asked.locator(".dpviz-feedback", has_text=FEEDBACK).wait_for()
    book.page.close()
    book.open()
    done = seen(book)
    assert WRONG in done.inner_text() and "0 of 1 right" in done.inner_text()
    done.locator("select").last.select_option("to do again")
    book.page.evaluate("dpviz.settled()")
    done.get_by_role("button", name="mark").click()
    done.locator("td", has_text="to do again").wait_for()
    with book.page.expect_download() as found:
        done.get_by_text("download as one file").click()
    assert found.value.suggested_filename == FILE
    entries = unpacked(Path(found.value.path()).read_text("utf-8"))
    assert list(entries) == [QUESTION] and entries[QUESTION]["mark"] == "to do again"
    assert list(access.faults(book.page, [".dpviz-done"])) == []
    return done


def seen(book):
    """The page "what you have done"."""
    book.wake(cell(book, "done.Done()"))
    done = book.page.locator(".dpviz-done")
    done.wait_for()
    return done


def erase(done):
    done.get_by_role("button", name="erase all").click()
    done.get_by_role("button", name="are you sure").click()
    done.get_by_text(EMPTY).wait_for()


def short():
    """Of the lesson what is worked here: what it imports, a prediction, what was done."""
    book = json.loads((lab.NOTEBOOKS / NAME).read_text("utf-8"))
    needed = ("import contents, exercises", "predict_guess", "done.Done()")
    worked = [c for c in book["cells"] if any(part in joined(c["source"]) for part in needed)]
    return {**book, "cells": worked}


@pytest.mark.browser
def test_in_a_lab_on_a_server_the_file_stands_beside_the_lessons(browser, tmp_path):
    folder = tmp_path / "lessons"
    folder.mkdir()
    (folder / NAME).write_text(json.dumps(short()), "utf-8")
    with lab.server(folder, tmp_path / "private") as address:
        book = lab.Book(browser, address, NAME)
        done = answered_and_erased(book)
        assert list(Record(folder / FILE).entries()) == [QUESTION]
        erase(done)
        assert not (folder / FILE).exists()
        book.page.close()


@pytest.mark.site
def test_in_a_lab_in_a_page_the_browser_keeps_it_for_the_readable_pages_too(browser, pages):
    book = Page(browser, pages, NAME)
    done = answered_and_erased(book)
    text = book.page.evaluate("key => localStorage.getItem(key)", KEY)
    assert list(unpacked(text)) == [QUESTION]
    leaf = book.context.new_page()
    leaf.goto(f"{pages}/pages/done.html")
    assert WRONG in leaf.locator(".done").inner_text()
    leaf.locator(".done select").select_option("done")  # and back into the lab
    again = seen(book)
    again.locator("td", has_text="done").wait_for()
    erase(done)
    assert book.page.evaluate("key => localStorage.getItem(key)", KEY) is None
    leaf.get_by_text(EMPTY).wait_for()
    book.context.close()


@pytest.fixture
def leaf(browser):
    """Lesson 00 from disk; what its script throws is in ``faults``."""
    context = browser.browser.new_context(offline=True, reduced_motion="reduce")
    page = context.new_page()
    page.faults = []
    page.on("pageerror", lambda thrown: page.faults.append(str(thrown)))
    opened(page, "00_start.html")
    yield page
    assert page.faults == []
    context.close()


def opened(page, name):
    folder = Path(os.environ["DPVIZ_SITE"]).resolve() / "pages"
    page.goto((folder / name).as_uri())
    page.wait_for_selector("html[data-awake]", timeout=120_000)


def answer(page, *words):
    """Choose each at the first prediction."""
    root = page.locator(".prediction:has(form)").first
    for word in words:
        root.locator("select").select_option(word)
        root.get_by_role("button", name="check").click()
    return root.locator(".said")


def stored(page):
    return page.evaluate("key => localStorage.getItem(key)", KEY)


@pytest.mark.site
def test_on_a_page_from_disk_it_is_there_after_a_reload_and_gone_when_erased(leaf):
    right = exercises.predict_guess().right
    assert answer(leaf, WRONG, right).inner_text() == "Yes."
    entries = unpacked(stored(leaf))
    assert entries[QUESTION]["tries"] == [[WRONG, FEEDBACK], [right, "Yes."]]
    # The same text that Python would write.
    assert packed(entries) == stored(leaf) and entries[QUESTION]["prediction"]
    leaf.reload()
    leaf.wait_for_selector("html[data-awake]")
    root = leaf.locator(".prediction:has(form)").first
    assert f"You answered: {WRONG}; {right}." in root.inner_text()
    assert root.locator(".dpviz-held").is_visible()
    assert "0 of 1 as predicted" in leaf.locator(".review").inner_text()
    opened(leaf, "done.html")
    done = leaf.locator(".done")
    assert "00 start: 1 of 1 right" in done.inner_text() and "in the end" in done.inner_text()
    done.locator("select").select_option("done")
    with leaf.expect_download() as found:
        done.get_by_text("download as one file").click()
    assert unpacked(Path(found.value.path()).read_text("utf-8"))[QUESTION]["mark"] == "done"
    erase(done)
    opened(leaf, "00_start.html")
    assert stored(leaf) is None
    assert not leaf.locator(".dpviz-held").first.is_visible()


BROKEN = ["{", '{"dpviz answers": 2}', packed({}).replace("{}", '{"a": 1}')]


@pytest.mark.site
@pytest.mark.parametrize("text", BROKEN)
def test_what_cannot_be_read_is_put_aside_and_said(leaf, text):
    leaf.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
    leaf.reload()
    leaf.wait_for_selector("html[data-awake]")
    assert "was put aside" in answer(leaf, WRONG).inner_text()
    assert leaf.evaluate("key => localStorage.getItem(`${key} unread 0`)", KEY) == text
    assert list(unpacked(stored(leaf))) == [QUESTION]


@pytest.mark.site
def test_a_full_storage_is_said_and_the_answers_can_be_downloaded(leaf):
    leaf.evaluate(
        "() => { Storage.prototype.setItem = () => "
        "{ throw new DOMException('', 'QuotaExceededError'); }; }"
    )
    said = answer(leaf, WRONG).inner_text()
    assert "no room left" in said and "download them" in said
    assert stored(leaf) is None
    assert leaf.evaluate("Object.keys(dpvizRecord.entries())") == [QUESTION]


@pytest.mark.site
def test_the_page_writes_what_python_writes(leaf):
    for text in ["", "a", "ε < 2", "\u2028\U0001f642"]:
        entries = {"name": {"question": text, "tries": [[text, text]], "waived": False}}
        assert leaf.evaluate("all => dpvizRecord.packed(all)", entries) == packed(entries)


@pytest.mark.site
@pytest.mark.parametrize("size", [(320, 640), (390, 844), (1024, 768)])
def test_the_page_is_whole_in_every_window_and_read_by_everybody(leaf, size):
    answer(leaf, WRONG)
    opened(leaf, "done.html")
    leaf.set_viewport_size({"width": size[0], "height": size[1]})
    assert leaf.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert access.violations(leaf) == {}
