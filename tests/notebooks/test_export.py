"""A lesson exported as a web page, without a kernel, still shows every instrument."""

import base64
import html
import io
import json
import re
from functools import cache
from html.parser import HTMLParser
from itertools import zip_longest
from pathlib import Path

import every
import numpy as np
import pytest
from anatomy import FORMULA, SCRIPT, TAG
from elsewhere import PNG, sanitized
from nbconvert import HTMLExporter
from PIL import Image

from dpviz.drawing.picture import image, palette_png
from dpviz.instruments.instrument import VIEW
from dpviz.lesson import picture_of
from dpviz.words import say

FOLDER = Path(__file__).parents[2] / "notebooks"
ADVICE = say("instrument.advice")
PATHS = sorted(FOLDER.glob("*.ipynb"))
# A page puts its words in another order.
PICTURE = re.compile(r'<(?:img|source) [^>]*?src(?:set)?="([^"]*)"[^>]*>')


@pytest.fixture(scope="module", params=every.spread(PATHS, 4), ids=lambda path: path.stem)
def path(request):
    """A lesson; what is asked of one stands together, so that it is exported once."""
    return request.param


@cache
def exported(path):
    """By nbconvert's default template."""
    return HTMLExporter().from_filename(str(path))[0]


def outputs(book):
    """What each output of a notebook holds, by kind."""
    for cell in book["cells"]:
        yield from (output.get("data", {}) for output in cell.get("outputs", []))


def taken(data):
    """What a page takes of an output."""
    return "".join(data.get("text/html", ""))


def known_by(data):
    """What finds a picture again: the address of its PNG (a page writes its tags anew)."""
    return taken(data).partition(' src="')[2].partition('"')[0]


def instruments(book):
    """The contents stored of each instrument: picture (not of an exercise), words, widget."""
    for outputs in (cell.get("outputs", []) for cell in book["cells"]):
        cell = [output.get("data", {}) for output in outputs]
        for end in [i for i, data in enumerate(cell) if VIEW in data]:
            pictured = "dpviz-pictured" in "".join(cell[end - 1]["text/html"]).split("<style>")[0]
            yield cell[max(0, end - 1 - pictured) : end + 1]


def plain(text):
    """The same for each way of writing it in HTML; of a picture its address."""
    return html.unescape(PICTURE.sub(r"<img \1>", text)).replace("\n", "")


def faults(book, page):
    """Instruments that the page does not show as often as the notebook stores them."""
    page = plain(page)
    stored = plain("\n".join(map(taken, outputs(book))))
    for i, (*pictures, words, live) in enumerate(instruments(book)):
        told = "".join(words["text/html"])
        if plain(told) not in page:
            yield f"the words of instrument {i} are missing"
        for mark in map(known_by, pictures):
            if page.count(plain(mark)) != stored.count(plain(mark)):  # two may be the same
                yield f"the picture of instrument {i} is missing or shown twice"
        if html.escape(ADVICE) not in told:
            yield f"instrument {i} does not say how it wakes"
        if any("".join(live[kind]) for kind in live if kind != VIEW):
            yield f"instrument {i} stores {list(live)} with its widget, and JupyterLab hides it"


def test_the_exported_page_shows_every_instrument_once(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    page = exported(path)
    assert len(list(instruments(book))) >= 3
    assert list(faults(book, page)) == []


class Told(HTMLParser):
    """What a screen reader is told of each picture of a page: title and description, or alt."""

    def __init__(self):
        super().__init__()
        self.pictures, self.inside = [], ""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "svg" and attributes.get("role") == "img":
            self.pictures.append({})
        if tag == "img":
            self.pictures.append({"desc": attributes.get("alt", "")})
            if source := attributes.get("src"):
                self.pictures[-1]["src"] = source
        self.inside = tag if tag in ("title", "desc") else ""

    def handle_data(self, text):
        if self.inside and self.pictures:
            self.pictures[-1].setdefault(self.inside, text)

    def handle_endtag(self, tag):
        self.inside = ""


def told(page):
    reader = Told()
    reader.feed(page)
    return reader.pictures


def told_of(data):
    """The alt texts stored with an output: of its picture, or of those that it holds back."""
    if picture_of({"data": data}):
        return [data["text/plain"]]
    held = "".join(data.get("text/html", ""))
    return [picture["desc"] for picture in told(held)] if "dpviz-held" in held else []


def test_the_exported_page_tells_every_picture(path):
    """By nbconvert's default template, which drops the alt text of a PNG."""
    book = json.loads(path.read_text(encoding="utf-8"))
    page = exported(path)
    alts = [alt for data in outputs(book) for alt in told_of(data)]
    heard = [picture.get("desc", "") for picture in told(page)]
    assert len(heard) == len(alts) > 0
    for alt, desc in zip(alts, heard, strict=True):
        assert 40 <= len(desc) <= 300
        assert "".join(alt).startswith(desc)  # an instrument's plain text goes on with its table


def test_a_picture_without_words_is_found():
    assert told('<img src="a.png">') == [{"desc": "", "src": "a.png"}]
    assert told('<svg role="img"><title>A</title><desc>B &lt; C</desc></svg>') == [
        {"title": "A", "desc": "B < C"}
    ]


DRAWN = {"text/html": image("<svg/>", "A", 2, palette_png(np.zeros((1, 2, 3), np.uint8)))}
DRAWN["text/plain"] = "A"
WORDS = {"text/html": f'<div class="dpviz-pictured"><style></style>{html.escape(ADVICE)}</div>'}


@pytest.mark.parametrize(
    ("stored", "page", "count"),
    [
        ([DRAWN, WORDS, {VIEW: {}}], "P W", 0),
        ([DRAWN, WORDS, {VIEW: {}}], "W", 1),
        ([DRAWN, WORDS, {VIEW: {}}], "P P W", 1),
        ([DRAWN, {"text/html": "words"}, {VIEW: {}}], "words", 1),
        ([DRAWN, WORDS, {VIEW: {}, **DRAWN}], "P P W", 1),
    ],
)
def test_a_missing_or_second_picture_is_caught(stored, page, count):
    page = page.replace("P", DRAWN["text/html"])
    page = page.replace("W", WORDS["text/html"])
    assert len(list(faults({"cells": [{"outputs": [{"data": d} for d in stored]}]}, page))) == count


class Folds(HTMLParser):
    """What a page holds back: for each place, whether something around it folds it."""

    def __init__(self):
        super().__init__()
        self.around, self.held = [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "details":
            if attributes.get("class") == "dpviz-held":
                self.held.append("open" not in attributes)
            self.around.append("open" not in attributes)

    def handle_endtag(self, tag):
        if tag == "details":
            self.around.pop()


def folds(page):
    reader = Folds()
    reader.feed(page)
    assert reader.around == []  # each that begins ends
    return reader.held


def predictions(book):
    """Index of each cell that holds an answer back."""
    cells = enumerate(book["cells"])
    return [i for i, cell in cells if ").hold(" in "".join(cell["source"])]


def results(book):
    """Index of each cell whose answer opens with a question that stands above it."""
    cells = enumerate(book["cells"])
    return [i for i, cell in cells if "result" in cell["metadata"].get("tags", [])]


def unfolded(book):
    """Predictions after which the text goes on with what happened, for all to read."""
    for i in predictions(book) + results(book):
        later = [cell for cell in book["cells"][i + 1 :] if cell["cell_type"] == "markdown"]
        text = "".join(later[0]["source"]) if later else ""
        if not text.startswith(("<details><summary>Why", "#")):
            yield f"cell {i}: {text[:40]!r}"


def test_the_exported_page_folds_what_happened_after_each_prediction(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    page = exported(path)
    assert folds(page) == [True] * len(predictions(book))
    assert list(unfolded(book)) == []


def test_an_answer_that_is_not_held_back_is_seen():
    assert folds('<details class="dpviz-held"><p>4</p></details>') == [True]
    assert folds('<details class="dpviz-held" open><p>4</p></details>') == [False]
    ask = {"cell_type": "code", "source": ["four().hold(4)"], "metadata": {}}
    said = {"cell_type": "markdown", "source": ["It is four."], "metadata": {}}
    why = {**said, "source": ["<details><summary>Why</summary>\n\nIt is."]}
    result = {**ask, "source": ["question.show(4)"], "metadata": {"tags": ["result"]}}
    assert len(list(unfolded({"cells": [ask, said]}))) == 1
    assert len(list(unfolded({"cells": [result, said]}))) == 1
    assert list(unfolded({"cells": [ask, why, said]})) == []


def read(page):
    """The words of a page in one line, as somebody reads them who unfolds everything."""
    return " ".join(html.unescape(TAG.sub(" ", SCRIPT.sub(" ", PICTURE.sub(" ", page)))).split())


def parts(book):
    """What has to be read of a lesson wherever it is shown: formulas, questions, explorers."""
    texts = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "markdown"]
    formulas = [each for text in texts for each in FORMULA.findall(text)]
    words = ["".join(words["text/html"]) for *_, words, _ in instruments(book)]
    moved = ["dpviz-pictured" in each.partition("<style>")[0] for each in words]
    return {
        "formula": [" ".join(html.unescape(each).split()) for each in formulas],
        "question": [read(each) for each, moves in zip(words, moved, strict=True) if not moves],
        "explorer": [read(each) for each, moves in zip(words, moved, strict=True) if moves],
        "picture": ["".join(alt) for data in outputs(book) for alt in told_of(data)],
    }


def lost(book, page):
    """What a page that trusts nothing no longer shows; of a picture its words have to stay too."""
    left = sanitized(page)
    yield from re.findall(r"<pre>\s*</pre>", left)  # an empty box
    text, seen, found = read(left), told(left), parts(book)
    for kind in ("formula", "question", "explorer"):
        yield from (f"{kind} is lost: {each}" for each in found[kind] if each not in text)
    for each in found["question"] + found["explorer"]:
        if f"in JupyterLab: {ADVICE}" not in each:
            yield f"does not say where it moves: {each}"
    for alt, picture in zip_longest(found["picture"], seen, fillvalue={}):
        if not (alt and picture and alt.startswith(picture["desc"] or "?")):
            yield f"words of a picture are lost: {alt}"
        elif not opens(picture.get("src", "")):
            yield f"picture is lost: {alt}"


def opens(source):
    """Whether an address is a whole PNG."""
    try:
        Image.open(io.BytesIO(base64.b64decode(source.partition(PNG)[2], validate=True))).load()
    except (OSError, ValueError):
        return False
    return True


def test_a_page_that_trusts_nothing_still_shows_every_part(path):
    """Such as GitHub's view of a notebook: no scripts, no styles, no image but a PNG."""
    book = json.loads(path.read_text(encoding="utf-8"))
    assert all(len(each) >= 3 for each in parts(book).values())
    assert list(lost(book, exported(path))) == []


@pytest.mark.parametrize("kind", ["script", "style"])
def test_what_a_whole_page_needs_is_stored_once(path, kind):
    """A script works for all cells; rules of style are the same words in each output."""
    book = json.loads(path.read_text(encoding="utf-8"))
    stored = "".join(map(taken, outputs(book)))
    each = re.findall(rf"<{kind}>.*?</{kind}>", PICTURE.sub("", stored), re.DOTALL)
    assert len(set(each)) in ((2, 3) if kind == "script" else (1,))
    assert kind == "style" or len(each) == len(set(each))


def test_every_place_takes_the_same_of_a_picture(path):
    """Places differ in what they take of an output; a picture is HTML, or else its words."""
    book = json.loads(path.read_text(encoding="utf-8"))
    drawn = [data for data in outputs(book) if picture_of({"data": data})]
    assert drawn
    assert {tuple(data) for data in drawn} == {("text/html", "text/plain")}
    assert not any(kind.startswith("image/") for data in outputs(book) for kind in data)


def test_what_such_a_page_loses_is_found():
    line = f"To answer in JupyterLab: {ADVICE}."
    stored = {"text/html": f"<div><style></style>How many? {html.escape(line)}</div>"}
    ask = {"cell_type": "code", "outputs": [{"data": stored}, {"data": {VIEW: {}}}]}
    text = {"cell_type": "markdown", "source": ["So $a < b$."]}
    picture = {"cell_type": "code", "outputs": [{"data": DRAWN}]}
    book = {"cells": [text, ask, picture]}
    page = f"<p>So $a &lt; b$.</p>{stored['text/html']}{DRAWN['text/html']}"
    assert list(lost(book, page)) == []
    assert list(lost(book, f"{page}<pre>\n</pre>")) == ["<pre>\n</pre>"]
    picture = image("<svg/>", "A", 2)  # a vector alone
    mutants = [("$a", "", "formula is"), ("How", "", "question is"), ("base64,", "", "picture is")]
    mutants += [
        ('alt="A"', "", "words of a picture are"),
        (DRAWN["text/html"], picture, "picture is"),
    ]
    mutants += [(DRAWN["text/html"], "", "words of a picture are"), ("iVBO", "iVB", "picture is")]
    for piece, other, said in mutants:
        (fault,) = lost(book, page.replace(piece, other))
        assert fault.startswith(f"{said} lost")
    (fault,) = lost(book, page.replace(stored["text/html"], f"<script>{line}</script>"))
    assert fault.startswith("question is lost")
    silent = {"text/html": "<div><style></style>How many?</div>"}
    ask["outputs"][0]["data"] = silent
    (fault,) = lost(book, page)
    assert fault.startswith("does not say where it moves")
