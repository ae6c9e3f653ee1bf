"""The first page in Chromium: it fits, can be read by everybody, and warns before a download."""

import threading

import access
import hands
import lab
import pytest

from dpviz.pages import front, site

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
OLD = "WebAssembly.validate = () => false;"
LITTLE = "Object.defineProperty(navigator, 'deviceMemory', { get: () => 2 });"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The first page of a site without the rest."""
    made = tmp_path_factory.mktemp("made")
    front.write(made, lab.NOTEBOOKS, 40_000_000, 20_000_000)
    with site.server(made) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def opened(browser, address):
    """A function that opens the page in a browser like this, after a script."""
    contexts = []

    def opened(script="", **like):
        context = browser.browser.new_context(**like)
        contexts.append(context)
        page = context.new_page()
        if script:
            page.add_init_script(script)
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280, 1920])
def test_it_fits_and_everybody_can_use_it(opened, width, scheme):
    page = opened(viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert list(access.faults(page, ["html"])) == []
    assert page.locator("#cannot").is_hidden()
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


def test_nothing_is_loaded_before_somebody_asks(opened, address):
    page = opened()
    page.wait_for_load_state("networkidle")
    near = [url.removeprefix(address) for url in page.asked]
    assert set(near) <= {"", "jupyter/icon-120x120.png", "favicon.ico"}


def test_the_keyboard_leads_to_the_lessons_in_order(opened):
    page = opened()
    seen = []
    page.wait_for_selector("html[data-awake]")
    for _ in range(99):
        if len(seen) == 13:
            break
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.instrument') !== null"):
            continue
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        seen.append(page.evaluate("document.activeElement.getAttribute('href')"))
    assert seen[0] == "jupyter/lab/index.html?path=00_start.ipynb"
    assert seen[1:3] == ["#lessons", "#install"]
    assert seen[3:] == sorted(seen[3:])
    assert len(set(seen[3:])) == len(seen[3:]) == 10


def test_a_bottle_follows_the_hand(opened):
    page = opened(reduced_motion="reduce")
    page.wait_for_selector("html[data-awake]")
    root = page.locator(".instrument")
    before = root.locator(".sentence").inner_text()
    at = hands.place(root, "bottle:2")
    page.mouse.move(at["x"], at["y"])
    page.mouse.down()
    page.mouse.move(at["x"] + 150, at["y"], steps=6)
    page.mouse.up()
    assert root.locator(".sentence").inner_text() != before
    assert abs(hands.place(root, "bottle:2")["x"] - at["x"] - 150) < 40  # nine places are stored
    root.locator("button", has_text="Three").click()
    assert "3 tangents" in root.locator(".dpviz-picture").inner_text()


@pytest.mark.parametrize(
    ("script", "like", "words"),
    [
        (OLD, {}, "This browser is too old"),
        (LITTLE, {}, "This device has little memory"),
        ("", PHONE, "A telephone has too little room"),
    ],
)
def test_who_cannot_open_it_is_told_and_led_to_what_can_be_read(opened, script, like, words):
    page = opened(script, **like)
    line = page.locator("#cannot")
    assert words in line.inner_text()
    assert line.locator("a[href='#install']").count() == 1
    links = page.locator("[data-read]").evaluate_all(
        "all => all.map(it => it.getAttribute('href'))"
    )
    assert len(links) == 11
    assert all("jupyter/lab" not in link for link in links)
    assert list(access.faults(page, ["html"])) == []
