"""Live pictures of explorers, two of each lesson, in Chromium, beside their still pictures."""

import importlib
import io
import pkgutil

import every
import numpy as np
import pytest
from PIL import Image, ImageFilter

from dpviz import lessons

pytestmark = pytest.mark.browser
FOLDERS = [found.name for found in pkgutil.iter_modules(lessons.__path__) if found.ispkg]
LESSONS = [importlib.import_module(f"dpviz.lessons.{name}") for name in FOLDERS]
MAKERS = {
    f"{name}.{word}": getattr(lesson, word)
    for name, lesson in zip(FOLDERS, LESSONS, strict=True)
    for word in every.spread([word for word in lesson.__all__ if word.startswith("explore_")], 2)
}
# Letters are hinted and lines smoothed differently; measured at most 0.84 %, but 1.53 % in
# explore_evidence, of which 0.94 % is outside letters, nearly all beside long level lines, which
# are set to whole pixels (0.52 % at twice the size); and 2.2 % or more when the picture is three
# pixels aside.
LIMIT = 0.016
WIDTHS = """() => [...document.querySelectorAll("text")].map((text) => [
  text.textLength.baseVal.value, text.getBoundingClientRect().width])"""


@pytest.fixture(scope="module", params=MAKERS, ids=str)
def explorer(request):
    return MAKERS[request.param]()


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    yield page
    page.close()


def show(page, svg):
    page.set_content(f"<body style='margin:0'>{svg}</body>")
    return page.locator("svg").first


def pixels(locator):
    """The picture as a uint8 array (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB"))


def blurred(picture):
    return np.asarray(Image.fromarray(picture).filter(ImageFilter.BoxBlur(2)), dtype=int)


def differing(one, other):
    """Share of the pixels that differ after a blur by more than 24 of 255 in some colour."""
    tall, wide = np.minimum(one.shape[:2], other.shape[:2])
    off = blurred(one[:tall, :wide].copy()) - blurred(other[:tall, :wide].copy())
    return (np.abs(off).max(axis=2) > 24).mean()


def steps(picture):
    """Share of neighbours that differ by more than half of black and white: sharp edges."""
    return (np.abs(np.diff(picture.astype(int), axis=1)).max(axis=2) > 127).mean()


def test_the_live_picture_is_the_still_one(page, explorer):
    live = pixels(show(page, explorer.screen.picture))
    screen = explorer.screen
    still = screen.view.figure(screen.result).pixels(100)[..., :3]
    assert abs(live.shape[0] - still.shape[0]) <= 1  # a height may be a fraction of a pixel
    assert live.shape[1] == still.shape[1]
    assert differing(live, still) < LIMIT
    assert differing(np.roll(live, 3, axis=1), still) > LIMIT


def test_a_missing_font_leaves_every_width(page, explorer):
    svg = explorer.screen.picture.replace("DejaVu Sans, Verdana, sans-serif", "monospace")
    show(page, svg)
    wanted, seen = np.array(page.evaluate(WIDTHS)).T
    np.testing.assert_allclose(seen, wanted, atol=1)  # pixel
    show(page, svg.replace("textLength", "data-length"))
    _, free = np.array(page.evaluate(WIDTHS)).T
    assert np.abs(free - wanted).max() > 1


def test_at_300_percent_it_fits_and_is_sharp(browser):
    """A page of 1280 pixels zoomed to 300 % is 427 wide."""
    shown = importlib.import_module("dpviz.lessons.learner").explore_learner()
    zoomed = {"device_scale_factor": 3, "viewport": {"width": 427, "height": 240}}
    context = browser.browser.new_context(**zoomed)
    live = pixels(show(context.new_page(), shown.screen.picture))
    context.close()
    still = shown.screen.view.figure(shown.screen.result).pixels(1281 / 7.6)[..., :3]
    assert live.shape[1] == still.shape[1] == 1281
    small = shown.screen.view.figure(shown.screen.result).pixels(427 / 7.6)[..., :3]
    enlarged = np.asarray(Image.fromarray(small).resize((1281, 708)))
    assert (
        differing(*(np.asarray(Image.fromarray(a).resize((760, 420))) for a in (live, still)))
        < LIMIT
    )
    assert steps(live) > 0.7 * steps(still)
    assert steps(enlarged) < 0.1 * steps(still)
