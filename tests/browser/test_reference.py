"""The reference in Chromium, from disk: its search finds, and everybody can use its gallery."""

import os
from pathlib import Path

import access
import pytest

pytestmark = pytest.mark.site


@pytest.fixture
def opened(browser):
    """A function that opens one of its pages."""
    page = browser.new_page()
    folder = Path(os.environ["DPVIZ_SITE"]).resolve() / "reference"
    yield lambda name: page.goto(f"{(folder / 'index.html').parent.as_uri()}/{name}") and page
    page.close()


@pytest.mark.parametrize(
    ("words", "place"),
    [("sparse_counts", "dpviz.door.names.html"), ("AboveThreshold", "privacy.sparse_vector.html")],
)
def test_the_search_finds_a_function_and_a_term(opened, words, place):
    page = opened(f"search.html?q={words}")
    page.wait_for_selector("#search-results .search li a")
    found = page.locator("#search-results .search li a").evaluate_all("all => all.map(a => a.href)")
    assert any(place in link for link in found), found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_gallery_is_legible_and_fits(opened, scheme):
    page = opened("gallery.html")
    page.emulate_media(color_scheme=scheme)
    assert list(access.faults(page, [".gallery"])) == []
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".gallery img").last.scroll_into_view_if_needed()
    page.wait_for_function("[...document.querySelectorAll('.gallery img')].at(-1).naturalWidth > 0")
