"""Slides in Chromium from disk with the network off.

`make test-all` builds them and says where they are (DPVIZ_SITE).
"""

import re

import access
import pytest
from test_from_disk import NAMES, elsewhere, folder

pytestmark = pytest.mark.site
SIZES = {"small": (1024, 768), "large": (1920, 1080)}
# What is drawn outside of its slide, or can be scrolled in it: a picture's own parts are inside.
CUT = """() => {
  const on = document.querySelector(".slide.now .on"), box = on.getBoundingClientRect(), found = [];
  const all = [on, ...on.querySelectorAll("*")].filter((e) => e.checkVisibility() &&
    !e.closest("option") && !(e.ownerSVGElement) && !e.closest("math > *"));
  for (const e of all) {
    const { left, top, right, bottom, width } = e.getBoundingClientRect();
    const out = left < box.left - 1 || top < box.top - 1 || right > box.right + 1 ||
      bottom > box.bottom + 1;
    const inner = !/^(INPUT|SELECT|BUTTON|svg|math)$/.test(e.tagName) &&
      (e.scrollWidth > e.clientWidth + 2 || e.scrollHeight > e.clientHeight + 2) &&
      getComputedStyle(e).overflow !== "visible";
    const told = `${e.tagName} ${e.className} ${e.textContent.slice(0, 40)}`;
    if (width && (out || inner)) found.push(told);
  }
  const whole = document.documentElement;
  if (whole.scrollWidth > innerWidth || whole.scrollHeight > innerHeight) found.push("the page");
  return found;
}"""
# Share of the window's width that a picture has: its box may be larger than what is drawn in it.
DRAWN = """() => [...document.querySelectorAll(".slide.now :is(svg[role], .body img)")]
  .filter((e) => e.checkVisibility()).map((e) => {
    const box = e.getBoundingClientRect(), { width, height } = e.viewBox?.baseVal ??
      { width: e.naturalWidth, height: e.naturalHeight };
    return Math.min(box.width / width, box.height / height) * width / innerWidth;
  })"""
# A slide with at most 25 words, of which a formula is one, and nothing to see or to use.
BARE = """() => {
  const on = document.querySelector(".slide.now:not(.is-title, .is-stated) .on")?.cloneNode(true);
  if (!on || on.querySelector("img, svg[role], table, pre, form")) return false;
  for (const e of on.querySelectorAll("h1, math")) e.replaceWith(e.matches("h1") ? "" : " x ");
  return on.textContent.split(/\\s+/).filter(Boolean).length <= 25;
}"""
# Dots of the stored places of what a hand leads: of a slide that was hidden none is at the edge.
DOTS = """() => [...document.querySelectorAll(".slide.now .dpviz-ghost")]
  .every((e) => e.cx.baseVal.value > 5 && e.cy.baseVal.value > 5)"""
HEADING = "document.querySelector('.slide.now').id"


def opened(browser, name):
    """A page from disk; what fails is in ``faults``."""
    context = browser.browser.new_context(offline=True, reduced_motion="reduce")
    page = context.new_page()
    page.faults = []
    page.on("requestfailed", lambda asked: page.faults.append(asked.url[:200]))
    page.on("request", lambda asked: page.faults.extend(elsewhere(asked.url)))
    page.on("pageerror", lambda thrown: page.faults.append(str(thrown)))
    page.goto((folder() / f"{name}.html").as_uri())
    page.wait_for_selector("html[data-awake]", timeout=120_000)
    afresh(page)
    return page


def afresh(page):
    """The same page in a small window, as it was opened, but for where its controls stand."""
    width, height = SIZES["small"]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.evaluate("document.documentElement.removeAttribute('data-noted')")
    page.evaluate("document.activeElement?.blur()")
    page.keyboard.press("Home")


@pytest.fixture(scope="module", params=NAMES)
def slides(request, browser):
    """The slides of a lesson, opened once: their pages are large."""
    page = opened(browser, f"{request.param}_slides")
    page.lesson = request.param
    page.many = page.evaluate("document.querySelectorAll('.slide').length")
    yield page
    page.context.close()


@pytest.fixture
def deck(slides):
    """The same, at the first."""
    afresh(slides)
    yield slides
    assert slides.faults == []


def walk(page):
    """Each slide, in order, from the first."""
    page.keyboard.press("Home")
    for at in range(page.many):
        assert page.evaluate(HEADING) == f"s{at + 1}"
        yield at
        page.keyboard.press("PageDown")


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_on_any_slide_and_its_words_can_be_read_from_afar(deck, size):
    width, height = SIZES[size]
    deck.set_viewport_size({"width": width, "height": height})
    for at in walk(deck):
        assert deck.evaluate(CUT) == [], at
        assert not deck.evaluate(BARE), at
        deck.wait_for_function(DOTS)
        share = deck.evaluate(
            "parseFloat(getComputedStyle(document.querySelector('.slide.now .on')).fontSize)"
        )
        assert all(share > 0.5 for share in deck.evaluate(DRAWN)), at
        # A sixtieth of the height is the usual least size of letters on a projector.
        assert share > height / 60, at


# How far a mark is from a place of the window, in pixels.
APART = """([mark, x, y]) => {
  const e = document.querySelector(`.slide.now [data-mark="${mark}"][data-held]`);
  const box = e.lastElementChild.getBoundingClientRect();
  return Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y);
}"""


def test_on_a_telephone_no_slide_is_wider_than_its_window(deck):
    deck.set_viewport_size({"width": 390, "height": 844})
    for at in walk(deck):
        assert deck.evaluate("document.documentElement.scrollWidth") <= 390, at


def test_a_mark_stays_under_the_hand_where_a_slide_leaves_room_beside_its_picture(browser):
    """The picture is as high as its slide here, so that it is narrower than its box."""
    page = opened(browser, "02_learner_slides")
    page.set_viewport_size({"width": 1800, "height": 600})
    page.keyboard.press("PageDown")
    mark = page.locator(".slide.now [data-mark='bottle:1'][data-held] > :last-child")
    box = mark.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=4)
    assert page.evaluate(APART, ["bottle:1", x + 60, y]) < 2
    page.mouse.up()
    assert page.faults == []
    page.context.close()


def test_every_preset_of_every_explorer_answers_to_its_key_and_cuts_nothing(deck):
    for _ in walk(deck):
        buttons = deck.query_selector_all(".slide.now .presets button")
        for at, button in enumerate(buttons[:10]):  # 0 is the start
            before = deck.inner_html(".slide.now .dpviz-picture")
            button.click()
            wanted = deck.inner_html(".slide.now .dpviz-picture")
            buttons[0].click()
            deck.keyboard.press(str(at))
            assert deck.inner_html(".slide.now .dpviz-picture") == wanted
            assert at == 0 or len(before) > 1000
            assert deck.evaluate(CUT) == []
        if buttons:  # a button that was clicked does not keep the arrows
            here = deck.evaluate(HEADING)
            buttons[0].click()
            deck.keyboard.press("ArrowLeft")
            assert deck.evaluate(HEADING) != here
            deck.keyboard.press("ArrowRight")
    assert deck.query_selector(".presets"), "a lesson without an explorer"


def test_the_slides_move_by_every_key_that_a_presenter_has(deck):
    steps = {
        "ArrowRight": 1,
        " ": 2,
        "PageDown": 3,
        "ArrowLeft": 2,
        "PageUp": 1,
        "End": deck.many - 1,
    }
    for key, to in {**steps, "Home": 0, "ArrowDown": 1, "ArrowUp": 0}.items():
        deck.keyboard.press(key)
        assert deck.evaluate(HEADING) == f"s{to + 1}", key
        assert deck.evaluate("location.hash") == f"#{to + 1}"
    assert deck.inner_text("header output") == f"1 / {deck.many}"


def test_a_player_plays_by_its_key_and_the_arrows_then_step_it(deck):
    for _ in walk(deck):
        if not deck.query_selector(".slide.now .dpviz-player"):
            continue
        here = deck.evaluate(HEADING)
        deck.click(".slide.now button:text-is('step')")
        first = deck.inner_html(".slide.now .sentence")
        deck.keyboard.press("ArrowLeft")
        assert deck.inner_html(".slide.now .sentence") != first
        assert deck.evaluate(HEADING) == here
        deck.keyboard.press("p")
        assert deck.inner_text(".slide.now .buttons button") == "pause"
        deck.keyboard.press("p")


def test_what_happened_is_seen_on_the_slide_after_its_question(deck):
    questions = 0
    for at in walk(deck):
        if deck.query_selector(".slide.now.is-question"):
            questions += 1
            happened = deck.query_selector_all(".slide")[at + 1]
            assert not happened.is_visible()
            assert deck.query_selector_all(".slide.now .held") == []
            deck.keyboard.press("PageDown")
            assert happened.is_visible()
            assert len(happened.query_selector(".body").inner_text()) + len(
                happened.query_selector_all("img")
            )
            deck.keyboard.press("PageUp")
    assert questions >= 1  # as many as a core predicts


def test_an_answer_comes_with_what_was_asked_about_as_it_was_left(deck):
    """And leaves with it when the presenter goes back; on paper it stands with its question."""
    deck.evaluate("['beforeprint', 'afterprint'].forEach((e) => dispatchEvent(new Event(e)))")
    places = deck.evaluate(
        "[...document.querySelectorAll('.slide')].flatMap((e, i) => "
        "e.querySelector('.body:empty') ? [i] : [])"
    )
    for place in places:
        deck.evaluate(f"location.hash = '#{place}'")
        deck.wait_for_function(f"{HEADING} === 's{place}'")
        shown = deck.query_selector(".slide.now .body > *")
        if step := deck.query_selector(".slide.now button:text-is('step')"):
            step.click()
        before = shown.inner_html()
        for key, at in (("PageDown", place + 1), ("PageUp", place), ("PageDown", place + 1)):
            deck.keyboard.press(key)
            assert deck.evaluate(HEADING) == f"s{at}"
            assert shown.is_visible() and shown.inner_html() == before
        assert deck.is_visible(".slide.now .said-first")
    assert places or deck.lesson not in ("01_privacy", "03_distance", "06_smooth")


def test_notes_open_by_a_key_and_cut_nothing(deck):
    deck.keyboard.press("n")
    noted = 0
    for at in walk(deck):
        assert deck.evaluate(CUT) == [], at
        noted += deck.is_visible(".slide.now .notes")
    assert noted > deck.many / 2
    deck.keyboard.press("n")
    assert deck.query_selector_all(".notes:visible") == []


def test_the_notes_in_a_second_window_follow_and_lead(deck):
    with deck.context.expect_page() as popup:
        deck.keyboard.press("w")
    second = popup.value
    second.wait_for_selector("html[data-awake]")
    assert second.evaluate("document.documentElement.hasAttribute('data-noted')")
    deck.keyboard.press("PageDown")
    second.wait_for_function(f"{HEADING} === 's2'")
    second.keyboard.press("PageDown")
    deck.wait_for_function(f"{HEADING} === 's3'")
    second.close()


def test_the_overview_lists_every_slide_and_leads_to_it(deck):
    deck.keyboard.press("o")
    links = deck.query_selector_all("dialog li a")
    assert len(links) == deck.many
    links[4].click()
    deck.wait_for_function(f"{HEADING} === 's5'")
    assert not deck.is_visible("dialog")


def test_axe_finds_nothing_on_the_slides_light_or_dark(deck):
    deck.keyboard.press("n")
    # Each slide has its heading of the first level: only one of them is ever seen.
    deck.evaluate("document.querySelectorAll('.slide').forEach((e) => e.classList.add('now'))")
    found = access.violations(deck)
    deck.evaluate("document.querySelectorAll('.slide').forEach((e) => e.classList.remove('now'))")
    assert found == {}


def test_formulas_are_drawn_on_slides_and_in_notes(deck):
    left = deck.evaluate(
        "[...document.querySelectorAll('.slide :is(p, li, td, h1)')].map((e) => e.textContent)"
        ".filter((t) => /FORMULA\\d|\\$|\\\\[a-z]|\\*\\*/.test(t))"
    )
    assert left == []


def test_slides_are_printed_one_to_a_page(deck):
    printed = deck.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) == deck.many


@pytest.mark.parametrize("name", NAMES)
def test_without_a_script_slides_can_be_read_one_below_another(browser, name):
    context = browser.browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto((folder() / f"{name}_slides.html").as_uri())
    slides = page.locator(".slide")
    assert slides.count() >= 10
    assert all(slides.nth(at).is_visible() for at in range(slides.count()))
    assert page.locator(".notes").first.is_visible()
    assert page.locator(".dpviz-picture svg[role]").first.is_visible()
    assert not page.locator("details.held").first.evaluate("(e) => e.open")
    context.close()
