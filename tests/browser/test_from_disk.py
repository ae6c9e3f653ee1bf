"""The pages that work from disk, in Chromium with the network off: read, moved, answered.

`make test-all` builds them and says where they are (DPVIZ_SITE).
"""

import html
import json
import os
import re
from pathlib import Path
from urllib.parse import unquote

import access
import eye
import lab
import pytest

from dpviz.exercises.answers import DRAWN
from dpviz.pages import stored
from dpviz.words import say

pytestmark = pytest.mark.site
NAMES = sorted(path.stem for path in lab.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
SIZES = {"phone": (390, 844), "small": (1024, 768), "large": (1920, 1080), "narrow": (320, 640)}
PUT = "(e, place) => { e.value = place; e.dispatchEvent(new Event('input')); }"
# Words of a picture that stand outside of it.
OUTSIDE = """() => [...document.querySelectorAll('.dpviz-picture > svg')].flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter((e) => {
    const place = e.getBoundingClientRect();
    return place.left < box.left - 2 || place.right > box.right + 2;
  }).map((e) => e.textContent);
})"""
# Of a still picture in two sizes, the one for a telephone.
SMALL = re.compile(r'class="sizes"><img .*?><img .*?src="data:image/svg\+xml,([^"]*)"')
LARGEST = 2_000_000  # bytes


def folder():
    """Where the pages are."""
    return Path(os.environ["DPVIZ_SITE"]).resolve() / "pages"


@pytest.fixture(scope="module", params=NAMES)
def leaf(request, browser):
    """A page from disk; what failed or was asked for elsewhere is in ``faults``."""
    context = browser.browser.new_context(offline=True, reduced_motion="reduce")
    page = context.new_page()
    page.faults, page.name = [], request.param
    page.on("requestfailed", lambda asked: page.faults.append(asked.url[:200]))
    page.on("request", lambda asked: page.faults.extend(elsewhere(asked.url)))
    page.on("pageerror", lambda thrown: page.faults.append(str(thrown)))
    page.goto((folder() / f"{request.param}.html").as_uri())
    page.wait_for_selector("html[data-awake]", timeout=120_000)
    yield page
    assert page.faults == []
    context.close()


def elsewhere(address):
    """An address that is not on this disk."""
    return [] if address.startswith(("file:", "data:", "blob:")) else [address]


def test_no_stored_page_is_too_large():
    sizes = {path.name: path.stat().st_size for path in folder().glob("*.html")}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}


def test_no_line_goes_through_the_words_of_a_still_on_a_telephone():
    struck, count = [], 0
    for name in NAMES:
        page = (folder() / f"{name}.html").read_text("utf-8")
        for svg in SMALL.findall(page):
            count += 1
            picture = unquote(html.unescape(svg)).replace("'", '"')
            picture = eye.read(re.sub("<style>.*?</style>", "", picture))
            struck += [f"{name}: {fault}" for fault in eye.struck(picture)]
    assert (struck, count > 50) == ([], True)


def test_an_old_browser_shows_the_page_and_says_why_nothing_moves(browser):
    context = browser.browser.new_context()
    page = context.new_page()
    page.add_init_script("delete window.DecompressionStream;")
    page.goto((folder() / f"{NAMES[0]}.html").as_uri())
    page.wait_for_selector("html[data-awake]")
    said = page.locator(".dpviz-explorer .panel").all_inner_texts()
    assert said
    assert all("moves in a browser of 2023 or later" in words for words in said)
    assert page.locator(".dpviz-picture svg:visible").count() >= len(said)
    context.close()


def test_a_curve_is_drawn_by_hand_and_the_truth_over_it(leaf):
    """By pointer and by arrow keys; the sentence says what was drawn."""
    for root in leaf.locator(".dpviz-exercise").all():
        root.scroll_into_view_if_needed()
        said = root.locator(".sentence")
        before = said.inner_text()
        box = root.locator('[data-mark="guess:1"] circle').bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        leaf.mouse.move(x, y)
        leaf.mouse.down()
        leaf.mouse.move(x, y + 30, steps=3)
        leaf.mouse.up()
        dragged = said.inner_text()
        root.locator('[data-mark="guess:0"]').focus()
        leaf.keyboard.press("Shift+ArrowUp")
        assert len({before, dragged, said.inner_text()}) == 3
        assert root.locator('[data-mark="truth"]').count() == 0
        root.get_by_role("button", name="check").click()
        assert root.locator('[data-mark="truth"] path').count() == 2
        assert "It is off by at most" in said.inner_text()
        assert root.locator(".said").inner_text() in map(say, DRAWN.values())


def test_formulas_are_drawn_and_nothing_is_left_of_their_source(leaf):
    left = leaf.evaluate(
        "[...document.querySelectorAll('math')].map((m) => m.textContent)"
        ".filter((t) => t.includes('\\\\'))"
    )
    assert left == []
    assert leaf.evaluate("document.querySelectorAll('math').length") > 5
    assert "FORMULA" not in leaf.evaluate("document.body.textContent")


def test_the_first_picture_stands_on_the_first_screen(leaf):
    size = leaf.viewport_size
    leaf.set_viewport_size({"width": 1280, "height": 720})
    picture = leaf.query_selector(".dpviz-picture").bounding_box()
    top = leaf.evaluate("scrollY")
    assert top + picture["y"] + picture["height"] <= 710  # of 720
    leaf.set_viewport_size(size)


# The parts of an instrument that are not those of a stored state.
OTHERS = """(root, state) => [".dpviz-picture", ".sentence", ".table"].filter((part, i) => {
  const wanted = document.createElement("div");
  wanted.innerHTML = state[i];
  return root.querySelector(part).textContent !== wanted.textContent;
})"""
# What a control shows, and tells, at each of its values.
EACH_VALUE = """(e) => {
  const root = e.closest('.instrument'), pictures = new Set(), words = new Set();
  const values = e.options ? [...e.options].map((o) => o.value)
    : [...Array(Number(e.max) + 1).keys()];
  for (const value of values) {
    e.value = value;
    e.dispatchEvent(new Event('input'));
    pictures.add(root.querySelector('.dpviz-picture').innerHTML);
    words.add(e.options ? value : e.parentNode.querySelector('output').textContent);
  }
  return [pictures.size, words.size > values.length / 2]; // 12 and 12.3 are told alike
}"""


def unpacked(root):
    """What is stored of an explorer or a player."""
    return stored.unpacked(root.query_selector('script[type="text/plain"]').text_content())


def other_parts(root, told, state):
    """The parts of an instrument whose words are not those of a state."""
    texts = ["".join(told["pieces"][i] for i in numbers) for numbers in state[:3]]
    return root.evaluate(OTHERS, texts)


def test_every_control_and_preset_of_every_explorer_moves_it(leaf):
    for root in leaf.query_selector_all(".dpviz-explorer"):
        told = unpacked(root)
        places = [told["start"], *told["presets"].values()]
        buttons = root.query_selector_all(".presets button")
        for button, place in zip(buttons, places, strict=True):
            button.click()
            state = told["points"][",".join(map(str, place))]
            assert state[3] or other_parts(root, told, state) == []
        buttons[0].click()
        for control in root.query_selector_all(".controls :is(input, select)"):
            if control.is_disabled():
                continue
            before = root.query_selector(".dpviz-picture").inner_html()
            seen, named = control.evaluate(EACH_VALUE)
            label = control.evaluate("(e) => e.parentNode.textContent")
            assert seen >= 2, f"{label} moves nothing"
            assert named, f"{label} tells its values alike"
            root.query_selector(".presets button").click()
            assert root.query_selector(".dpviz-picture").inner_html() == before


HAND = """(root, [mark, numbers]) => root.dispatchEvent(new CustomEvent("dpviz-hand",
  { detail: { mark, act: "to", numbers } }))"""


def lead(root, told, at, place, now):
    """Set a control of a stored explorer to its value of that place; records by a hand.

    Returns
    -------
    whether one hand can: it moves one record
    """
    if told["controls"][at]["kind"] != "points":
        inputs = root.query_selector_all(".controls :is(input, select)")
        beside = [each["kind"] != "points" for each in told["controls"][:at]]
        inputs[sum(beside)].evaluate(PUT, place)
        return True
    mark, axes = next(
        (mark, [axis for axis in "xy" if axis in ways and ways[axis][0] == at])
        for mark, ways in told["handles"].items()
        if any(ways[axis][0] == at for axis in "xy" if axis in ways)
    )
    values = told["handles"][mark][axes[0]][1]
    pairs = zip(values[now], values[place], strict=True)
    record, *others = [i for i, (before, after) in enumerate(pairs) if before != after]
    if others:
        return False
    numbers = dict(zip(axes, values[place][record], strict=True))
    root.evaluate(HAND, [f"{mark}:{record}", [numbers.get("x"), numbers.get("y")]])
    return True


def test_what_cannot_be_drawn_leaves_the_last_good_picture_and_says_why(leaf):
    for root in leaf.query_selector_all(".dpviz-explorer"):
        told = unpacked(root)
        buttons = root.query_selector_all(".presets button")
        for button, point in zip(buttons, [told["start"], *told["presets"].values()], strict=True):
            for at, some in enumerate(told["controls"]):
                for place in range(len(some["shown"])):
                    moved = ",".join(map(str, [*point[:at], place, *point[at + 1 :]]))
                    # Not from everywhere all is stored: of records one at a time has moved.
                    if problem := told["points"].get(moved, [""] * 4)[3]:
                        button.click()
                        before = root.query_selector(".dpviz-picture").inner_html()
                        if not lead(root, told, at, place, point[at]):
                            continue
                        assert root.query_selector(".dpviz-picture").inner_html() == before
                        assert problem in root.query_selector(".note").inner_text()


def test_every_player_steps_from_its_first_state_to_its_last(leaf):
    for root in leaf.query_selector_all(".dpviz-player"):
        told = unpacked(root)
        slider = root.query_selector(".dpviz-position input")
        play, back, step = root.query_selector_all(".buttons button")
        place = root.query_selector(".dpviz-position output")
        slider.focus()
        leaf.keyboard.press("Home")
        last = len(told["states"])
        for at, state in enumerate(told["states"], start=1):
            assert other_parts(root, told, state) == []
            assert place.inner_text() == say("player.place", now=at, last=last)
            step.click()
        assert int(slider.input_value()) == last - 1
        back.click()
        assert other_parts(root, told, told["states"][-2]) == []
        play.click()
        leaf.wait_for_function("(e) => e.value === e.max", arg=slider)
        assert play.inner_text() == say("player.play")  # it stops there


def test_a_player_plays_as_fast_as_it_is_told(leaf):
    leaf.evaluate(
        """() => { window.clocks = [];
        window.setInterval = (act, every) => window.clocks.push(every); }"""
    )
    for root in leaf.query_selector_all(".dpviz-player"):
        choice = root.query_selector(".controls select")
        play = root.query_selector(".buttons button")
        for speed in unpacked(root)["speeds"].values():
            choice.select_option(str(speed))
            play.click()
            assert leaf.evaluate("clocks.pop()") == speed
            play.click()
    leaf.reload()
    leaf.wait_for_selector("html[data-awake]", timeout=120_000)


# What Tab should reach in an instrument.
STOPS = """(root) => [...root.querySelectorAll("button, input, select, summary")]
  .filter((e) => e.checkVisibility() && !e.disabled)"""


def test_tab_goes_through_every_control_of_the_first_of_each_kind(leaf):
    """What is held in a picture is a stop on the way."""
    for kind in (".dpviz-player", ".dpviz-explorer", ".prediction:has(form)"):
        root = leaf.query_selector(kind)
        stops = leaf.evaluate_handle(STOPS, root)
        stops.evaluate("all => all[0].focus()")
        seen = set()
        for _ in range(stops.evaluate("all => all.length") + root.evaluate(HELD)):
            seen.add(stops.evaluate("all => all.indexOf(document.activeElement)"))
            leaf.keyboard.press("Tab")
        assert set(range(stops.evaluate("all => all.length"))) - seen == set(), kind


HELD = "root => root.querySelectorAll('[data-held][tabindex=\"0\"]').length"


def test_predictions_hold_their_answer_until_they_are_answered_or_waived(leaf):
    """The first is answered wrong, then right; the next right; the others waived."""
    leaf.evaluate("localStorage.clear()")  # another test has drawn a curve
    leaf.reload()
    leaf.wait_for_selector("html[data-awake]", timeout=120_000)
    roots = leaf.query_selector_all(".prediction:has(form)")
    for at, root in enumerate(roots):
        held = root.query_selector(".dpviz-held")
        assert not held.is_visible()
        told = json.loads(root.query_selector('script[type="application/json"]').inner_text())
        (wrong, _), (right, _) = answers(told)
        for answer in ((wrong, right), (right,))[at] if at < 2 else ():
            give(root, told["kind"], answer)
            root.query_selector("button:text-is('check')").click()
            assert held.is_visible()
        if at >= 2:
            root.query_selector("button:text-is('show me')").click()
            assert held.is_visible()
            assert root.query_selector(".said").inner_text() == ""
    review = leaf.query_selector(".review")
    if roots and review:
        rows = review.query_selector_all("tr")[1:]
        assert len(rows) == len(roots)
        met = {"met": int(len(roots) > 1), "all": len(roots), "left": 0}
        assert review.query_selector("p").inner_text() == say("prediction.met", **met)
        waived = [row.query_selector_all("td")[1].inner_text() for row in rows[2:]]
        assert set(waived) <= {say("prediction.waived")}
        for root, row in zip(roots, rows, strict=True):
            told = json.loads(root.query_selector('script[type="application/json"]').inner_text())
            assert row.query_selector_all("td")[2].inner_text() == told["right"]


def test_every_question_takes_a_right_answer_and_no_wrong_one(leaf):
    for root in leaf.query_selector_all(".instrument:has(form)"):
        told = json.loads(root.query_selector('script[type="application/json"]').inner_text())
        said = root.query_selector(".said")
        for answer, good in answers(told):
            give(root, told["kind"], answer)
            root.query_selector("button:text-is('check')").click()
            assert (said.inner_text() == "Yes.") is good, (told, answer)
            assert said.inner_text()
        for slip, _, reply in told.get("slips", ()):  # by the key that answers
            root.query_selector("form input").fill(repr(slip))
            root.query_selector("form input").press("Enter")
            assert said.inner_text() == reply


def answers(told):
    """A wrong and a right answer; of a curve, its heights."""
    if told["kind"] == "curve":
        return ([told["low"]] * len(told["heights"]), False), (told["heights"], True)
    if told["kind"] == "choice":
        wrong = next(word for word, reply in told["options"].items() if reply != "Yes.")
    else:
        wrong = str(told["value"] + 10 * told["within"] + 1)
    return (wrong, False), (told["right"], True)


def give(root, kind, answer):
    """Type, choose or draw an answer."""
    if kind == "curve":
        for i, height in enumerate(answer):
            root.evaluate(HAND, [f"guess:{i}", [None, height]])
        return
    entry = root.query_selector("form :is(input, select)")
    (entry.select_option if kind == "choice" else entry.fill)(answer)


def test_axe_finds_nothing_light_or_dark(leaf):
    leaf.evaluate("document.querySelectorAll('details').forEach((e) => (e.open = true))")
    assert access.violations(leaf) == {}
    leaf.evaluate("document.querySelectorAll('details').forEach((e) => (e.open = false))")


# Items of a list whose first words stand below the line of their number.
PARTED = """() => [...document.querySelectorAll("main li")].filter((e) => {
  const words = e.querySelector(":scope > p")?.firstChild, place = document.createRange();
  if (!words) return false;
  place.selectNode(words);
  const [first] = place.getClientRects();
  return first && first.top - e.getBoundingClientRect().top > first.height;
}).map((e) => e.textContent.slice(0, 40))"""


def test_on_a_telephone_a_list_begins_beside_its_numbers(leaf):
    leaf.set_viewport_size(dict(zip(("width", "height"), SIZES["phone"], strict=True)))
    assert leaf.evaluate(PARTED) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut(leaf, size):
    width, height = SIZES[size]
    leaf.set_viewport_size({"width": width, "height": height})
    assert leaf.evaluate("document.documentElement.scrollWidth") <= width


def test_numbers_are_read_as_python_reads_them(leaf):
    cases = Path(__file__).parents[1] / "lessons" / "typed_numbers.json"
    for text, values in json.loads(cases.read_text("utf-8")):
        found = leaf.evaluate("text => dpvizReadings(text)", text)
        assert found == pytest.approx(values, rel=1e-12, abs=1e-300), text  # powers round


def test_a_page_saved_in_use_and_opened_elsewhere_works_as_the_first_one(leaf, tmp_path):
    count = "(s) => document.querySelectorAll(s).length"
    parts = ("form", ".said", ".presets button", ".controls input", ".dpviz-picture > svg", "math")
    wanted = [leaf.evaluate(count, part) for part in parts]
    saved = tmp_path / "saved.html"
    saved.write_text(leaf.content(), encoding="utf-8")
    other = leaf.context.browser.new_context(offline=True, reduced_motion="reduce")
    page = other.new_page()  # nothing is kept there of what was answered here
    page.on("pageerror", lambda thrown: leaf.faults.append(str(thrown)))
    page.goto(saved.as_uri())
    page.wait_for_selector("html[data-awake]", timeout=120_000)
    assert [page.evaluate(count, part) for part in parts] == wanted
    assert page.evaluate("[...document.querySelectorAll('.dpviz-held')].every((e) => !e.open)")
    for root in page.query_selector_all(".dpviz-explorer"):
        for button in root.query_selector_all(".presets button"):
            button.click()
            assert len(root.query_selector(".sentence").inner_text()) > 40
    other.close()


def test_a_page_can_be_read_in_another_font(leaf):
    """No letter hangs on the fonts that a computer has: texts keep the width they were given."""
    for family in ("monospace", "fantasy"):
        style = leaf.add_style_tag(content=f"* {{ font-family: {family} !important }}")
        for width, height in SIZES.values():
            leaf.set_viewport_size({"width": width, "height": height})
            assert leaf.evaluate("document.documentElement.scrollWidth") <= width
        assert leaf.evaluate(OUTSIDE) == []
        style.evaluate("(e) => e.remove()")


def test_a_handout_has_two_pages_for_everybody(leaf):
    page = leaf.context.new_page()
    page.goto((folder() / f"{leaf.name}_handout.html").as_uri())
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) <= 2
    assert access.violations(page) == {}
    page.emulate_media(media="print")
    size = "parseFloat(getComputedStyle(document.querySelector('.handout')).fontSize)"
    assert page.evaluate(size) * 0.75 == pytest.approx(10, abs=0.001)  # points
    assert page.evaluate("document.querySelectorAll('ol li').length") >= 3
    assert "(test_" not in page.inner_text("main")
    assert page.evaluate("[...document.querySelectorAll('h2')].every((e) => e.nextElementSibling)")
    assert page.evaluate("document.querySelectorAll('h2 + h2').length") == 0
    page.close()


def test_without_a_script_a_page_can_be_read(browser):
    context = browser.browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto((folder() / "02_learner.html").as_uri())
    assert page.locator(".dpviz-picture svg").count() >= 2
    assert page.locator("details.dpviz-held").first.is_visible()
    assert not page.locator("details.dpviz-held").first.evaluate("(e) => e.open")
    context.close()


def test_the_index_leads_to_every_lesson(browser):
    context = browser.browser.new_context(offline=True)
    page = context.new_page()
    page.goto((folder() / "index.html").as_uri())
    links = page.eval_on_selector_all("main a", "(all) => all.map((e) => e.getAttribute('href'))")
    lessons = [link for link in links if link.removesuffix(".html") in NAMES]
    assert lessons == [f"{name}.html" for name in NAMES]
    beside = {path.name for path in folder().glob("*.html")} - {"index.html"}
    beside = {name for name in beside if not name.startswith("done")}
    assert len(links) == len(set(links))
    assert set(links) == beside
    context.close()
