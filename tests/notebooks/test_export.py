"""A lesson exported as a web page, without a kernel, still shows every instrument."""

import json
from pathlib import Path

import pytest
from nbconvert import HTMLExporter

FOLDER = Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
WIDGET = "application/vnd.jupyter.widget-view+json"


def instruments(book):
    """What is stored of each explorer and player: their outputs by kind of content."""
    outputs = [output for cell in book["cells"] for output in cell.get("outputs", [])]
    stored = [output["data"] for output in outputs if WIDGET in output.get("data", {})]
    return [data for data in stored if "text/html" not in data]  # exercises are text


def missing(page, book):
    """Instruments whose stored picture is not an image of the page."""
    pictures = [data.get("image/png", "none").replace("\n", "") for data in instruments(book)]
    page = page.replace("\n", "")
    return [i for i, png in enumerate(pictures) if f'src="data:image/png;base64,{png}' not in page]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_the_exported_page_shows_every_instrument(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    page, _ = HTMLExporter().from_filename(str(path))
    assert instruments(book)
    assert missing(page, book) == []


def test_a_missing_picture_is_caught():
    book = {"cells": [{"outputs": [{"data": {WIDGET: {}, "image/png": "abc\n"}}]}]}
    assert missing('<img alt="x" src="data:image/png;base64,abc">', book) == []
    assert missing("", book) == [0]
