"""The first page in Chromium: it is light, moves, and can be read where it cannot move."""

import shutil
import threading

import access
import hands
import lab
import pytest

from dpviz.pages import front, site

pytestmark = pytest.mark.browser
DESK = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# Those that a first visit loads, and the still of one more, at most, that is not here.
LESSONS = ("00_start.ipynb", "01_privacy.ipynb", "02_learner.ipynb")
FIRST_LOAD, ONE_MORE = 300_000, 15_000  # bytes, as a plain static server sends them
OLD = "delete window.DecompressionStream;"
NO_WASM = "delete window.WebAssembly;"
LITTLE = "Object.defineProperty(navigator, 'deviceMemory', { get: () => 2 });"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The first page and its pictures, without the rest of the site."""
    source = tmp_path_factory.mktemp("lessons")
    for name in LESSONS:
        shutil.copy(lab.NOTEBOOKS / name, source)
    shutil.copytree(lab.NOTEBOOKS / "de", source / "de")
    made = tmp_path_factory.mktemp("made")
    front.write(made, source, front.openings(source), 40_000_000, 20_000_000, ("pages",))
    return made


@pytest.fixture(scope="module")
def address(made):
    """Where it is served."""
    with site.server(made) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def opened(browser, address):
    """A function that opens the page in a browser like this, after a script."""
    contexts = []

    def opened(script="", absent="", **like):
        context = browser.browser.new_context(**{"reduced_motion": "reduce", **DESK, **like})
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(script)
        if absent:
            page.route(absent, lambda route: route.abort())
        page.answers = []
        page.on("requestfinished", lambda request: page.answers.append(request))  # noqa: PLW0108, a builtin cannot be marked
        page.goto(address)
        page.wait_for_load_state("networkidle")
        return page

    yield opened
    for context in contexts:
        context.close()


def exhibits(page):
    """Each lesson's element, scrolled to, so that what it loads has come."""
    for name in LESSONS:
        item = page.locator(f"li[id='{name.removesuffix('.ipynb')}']")
        item.scroll_into_view_if_needed()
        page.wait_for_load_state("networkidle")
        yield item


def end(item):
    """Where the picture of a lesson ends, in pixels of the window."""
    box = item.locator(".dpviz-picture").bounding_box()
    return box["y"] + box["height"]


@pytest.mark.parametrize("like", [DESK, PHONE], ids=["desk", "phone"])
def test_a_first_visit_is_light_and_its_first_picture_stands_on_the_first_screen(opened, like):
    page = opened(**like)
    assert page.locator("#cannot").is_hidden()
    assert end(page.locator("li").first) <= like["viewport"]["height"]
    assert page.locator("li .instrument").first.get_attribute("data-awake") == "yes"
    sizes = [request.sizes()["responseBodySize"] for request in page.answers]
    assert 100_000 < sum(sizes) < FIRST_LOAD - ONE_MORE
    assert len(sizes) <= 6


@pytest.mark.parametrize("like", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_pictures_wake_as_they_come_near_and_everybody_can_use_them(opened, like, scheme):
    page = opened(**like, color_scheme=scheme)
    for item in exhibits(page):
        item.locator("[data-awake]").wait_for()
        assert item.locator("[data-held]").count()
    assert page.evaluate("document.documentElement.scrollWidth") <= like["viewport"]["width"]
    assert list(access.faults(page, ["html"])) == []
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


def test_a_mark_of_a_loaded_picture_follows_the_hand_and_the_keys(opened):
    page = opened()
    *_, item = exhibits(page)
    root = item.locator(".instrument")
    before = root.locator(".sentence").inner_text()
    at = hands.place(root, "bottle:2")
    page.mouse.move(at["x"], at["y"])
    page.mouse.down()
    page.mouse.move(at["x"] + 150, at["y"], steps=6)
    page.mouse.up()
    assert root.locator(".sentence").inner_text() != before
    assert abs(hands.place(root, "bottle:2")["x"] - at["x"] - 150) < 40  # nine places are stored
    picture = root.locator(".dpviz-picture")
    before = picture.inner_html()
    root.locator("[data-held]").first.focus()
    assert root.locator(".note").is_visible()  # which keys there are
    page.keyboard.press("ArrowRight")
    assert picture.inner_html() != before


def test_the_keyboard_reaches_picture_and_links_of_each_lesson_in_order(opened):
    page = opened()
    met = {}
    for _ in range(150):
        page.keyboard.press("Tab")
        where = page.evaluate(
            "[document.activeElement.closest('li')?.id, document.activeElement.innerText,"
            " getComputedStyle(document.activeElement).outlineStyle,"
            " document.activeElement.hasAttribute('data-held')]"
        )
        name, words, outline, held = where
        if name:
            met.setdefault(name, []).append("mark" if held else words)
            assert held or outline != "none"
        elif met:
            break
    assert [f"{name}.ipynb" for name in met] == list(LESSONS)
    for words in met.values():
        assert words[0] == "mark"
        assert words[-3:] == ["read", "run in the page", "slides"]


@pytest.mark.parametrize("like", [DESK, PHONE], ids=["desk", "phone"])
def test_without_a_script_every_picture_is_seen_and_it_is_said(opened, like):
    page = opened(**like, java_script_enabled=False)
    assert page.get_by_text("The pictures stand still here").is_visible()
    for item in exhibits(page):
        box = item.locator(".dpviz-picture :is(img, svg[role]):visible").bounding_box()
        assert box["width"] > 0.6 * min(like["viewport"]["width"], 800)
        assert box["height"] > 200
    kind = "phone" if like is PHONE else "notebook"
    loaded = [request.url.split("/")[-1] for request in page.answers]
    assert {f"01_{kind}.svg", f"02_{kind}.svg"} < set(loaded)
    assert not any(name.endswith(".js") for name in loaded)


def test_an_old_browser_shows_still_pictures_and_says_so(opened):
    page = opened(OLD)
    assert page.get_by_text("The pictures stand still here").is_visible()
    for item in exhibits(page):
        assert item.locator(":is(img, svg[role]):visible").bounding_box()["height"] > 200
        assert "2023 or later" in item.locator(".panel").inner_text()
    assert list(access.faults(page, ["html"])) == []


def test_states_that_do_not_come_leave_the_still_and_it_is_said(opened):
    page = opened(absent="**/*.js")
    for item in list(exhibits(page))[1:]:
        item.get_by_text("did not load").wait_for()
        assert item.locator("img").bounding_box()["height"] > 200


@pytest.mark.parametrize(
    ("script", "like", "words"),
    [
        (NO_WASM, {}, "This browser is too old"),
        (LITTLE, {}, "This device has little memory"),
        ("", PHONE, "A telephone has too little room"),
    ],
)
def test_who_cannot_run_a_lesson_is_told_and_led_to_what_can_be_read(opened, script, like, words):
    page = opened(script, **like)
    page.get_by_role("link", name="run in the page").first.click()
    line = page.locator("#run + p")
    assert words in line.inner_text()
    assert line.locator("a[href='#install']").count() == 1
    assert page.url.endswith("#run")
    assert page.locator("a[href^='jupyter/lab']").count() == 0
    assert page.locator("a[href='pages/00_start.html']").count() == 1
    assert list(access.faults(page, ["html"])) == []


def test_the_page_is_there_in_german_and_opens_the_german_lesson(opened):
    page = opened()
    link = page.get_by_role("link", name="Deutsch")
    assert (link.get_attribute("lang"), link.get_attribute("hreflang")) == ("de", "de")
    link.click()
    page.wait_for_load_state("networkidle")
    assert page.locator("html").get_attribute("lang") == "de"
    assert page.locator("h1").inner_text().startswith("Mit Differential Privacy")
    first, second = list(exhibits(page))[:2]
    links = [link.get_attribute("href") for link in first.locator(".ways a").all()]
    assert links == [
        "pages/00_start_de.html",
        "jupyter/lab/index.html?path=de/00_start.ipynb",
        "pages/00_start_de_slides.html",
    ]
    picture = first.locator(".dpviz-picture svg[role]:visible")
    assert "Mittelwert" in picture.text_content()
    assert second.locator("h2 [lang=en]").count() == 1  # which is not translated
    assert second.get_by_role("link", name="lesen").get_attribute("hreflang") == "en"
    second.locator("[data-awake]").wait_for()
    assert "Einstellungen" in second.locator(".note [lang=de]").text_content()
    assert "Einstellungen" not in second.locator(".note").evaluate("it => it.firstChild.data")
    assert second.get_by_role("button", name="Anfang").get_attribute("lang") == "de"
    assert list(access.faults(page, ["html"])) == []
    page.get_by_role("link", name="English").click()
    assert page.url.endswith("/index.html")
