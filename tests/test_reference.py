"""The reference pages: what they say is there, examples are short, links lead somewhere.

Sphinx itself refuses a reference to a name that is not there (`make docs`); examples are doctests.
"""

import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from dpviz import lesson as lessons

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FAMILIES = sorted((DOCS / "families").glob("*.rst"))
CONF = (DOCS / "conf.py").read_text(encoding="utf-8")


def examples(text):
    """The examples of a page: a run of lines without an empty one is one example."""
    return [block for block in re.split(r"\n\s*\n", text) if block.lstrip().startswith(">>>")]


def test_each_family_answers_a_query_in_five_lines():
    text = (DOCS / "index.rst").read_text(encoding="utf-8")
    found = examples(text.partition("Quick use\n")[2])[1:]  # the first one makes the data
    assert len(found) == len(FAMILIES) == len(re.findall(r":doc:`families/", text))
    for block in found:
        assert 2 <= block.count(">>> ") <= 5, block


@pytest.mark.parametrize("page", FAMILIES, ids=lambda path: path.stem)
def test_a_family_says_what_it_promises_and_costs_and_when(page):
    text = page.read_text(encoding="utf-8")
    for words in ("**What it promises.**", "**What it costs.**", "**When to use it.**", ":alt: "):
        assert words in text
    assert f"../pictures/{page.stem}.png" in text


def test_every_paper_has_a_family():
    papers = {path.name for path in (ROOT / "dpviz/papers").iterdir() if path.is_dir()}
    text = "".join(page.read_text(encoding="utf-8") for page in FAMILIES)
    assert papers - {"__pycache__"} <= set(re.findall(r"`dpviz\.papers\.(\w+)`", text))


@pytest.mark.parametrize(
    ("lesson", "words"), re.findall(r'^    "\w+": \("(\w+)", "(.+)"\),$', CONF, re.MULTILINE)
)
def test_the_picture_of_a_family_is_stored_in_its_lesson(lesson, words):
    assert lessons.read(ROOT / "notebooks" / f"{lesson}.ipynb").picture(words)[1:4] == b"PNG"


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.places |= {told[name] for name in ("id", "name") if told.get(name)}
        if tag == "a" and "href" in told:
            self.links += [told["href"]]
        elif "src" in told or (tag == "link" and told.get("rel") == "stylesheet"):
            self.loads += [told.get("src") or told["href"]]


def faults(folder):
    """Links of the pages in a folder that lead nowhere, and what they load from elsewhere."""
    pages = {path.resolve(): Page(path.read_text("utf-8")) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        for address in [*page.links, *page.loads]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loads and parts.scheme != "data":
                    yield f"{path.name} loads {address}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = {"", *pages[target].places} if target in pages else {parts.fragment}
            if not target.is_file() or unquote(parts.fragment) not in known:
                yield f"{path.name}: {address}"


def test_faults_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here"></a><a href="b.html#x"></a><a href="c.html"></a>'
        '<script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "b.html").write_text('<a href="a.html#here"></a><a href="https://example.org"></a>')
    assert sorted(faults(tmp_path)) == [
        "a.html loads https://example.org/x.js",
        "a.html: b.html#x",
        "a.html: c.html",
    ]


@pytest.mark.site
def test_no_link_of_the_reference_is_broken():
    folder = Path(os.environ["DPVIZ_SITE"]).resolve() / "reference"
    assert len(list(folder.rglob("*.html"))) > 100
    assert not list(faults(folder))
