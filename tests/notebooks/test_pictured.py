"""Stored pictures are held against new ones: a line elsewhere is seen, rounding is not."""

import base64
import io
import json
import re
import urllib.parse
from pathlib import Path
from types import SimpleNamespace

import pictured
import pictures
import pytest
from PIL import Image, ImageDraw

LESSON = Path(__file__).parents[2] / "notebooks" / "06_smooth.ipynb"
CELLS = json.loads(LESSON.read_text(encoding="utf-8"))["cells"]
DRAWN = [svg for cell in CELLS for svg in pictures.pictures(cell.get("outputs", []))]
VECTORS = [svg for svg in DRAWN if "data:image/png" not in svg]
IMAGES = [svg for svg in DRAWN if "data:image/png" in svg]


def moved(svg, pixels):
    """One line drawn elsewhere: the first number with a fraction of the longest path with one."""
    path = max(re.findall(r"<path[^>]*\d\.\d[^>]*>", svg), key=len)
    place = re.search(r"\d+\.\d+", path)
    return svg.replace(path, path.replace(place[0], f"{float(place[0]) + pixels:.2f}", 1))


@pytest.mark.parametrize("svg", VECTORS, ids=range(len(VECTORS)))
def test_a_line_drawn_elsewhere_is_seen_and_rounding_is_not(svg):
    assert pictures.differences(svg, svg) == []
    if "<path" in svg:
        assert pictures.differences(svg, moved(svg, 0.1)) == []
        assert pictures.differences(svg, moved(svg, 0.5)) != []
    words = re.findall(r">([^<>]*\d[^<>]*)</text>", svg)[0]
    other = words.replace(re.search(r"\d", words)[0], "x", 1)
    assert pictures.differences(svg, svg.replace(words, other)) != []
    assert pictures.differences(svg, svg.replace("</svg>", "<g></g></svg>")) != []


def test_a_picture_kept_as_an_image_is_compared_dot_by_dot():
    def drawn(size):
        picture = Image.new("RGB", (200, 100), "white")
        ImageDraw.Draw(picture).rectangle((10, 10, 10 + size, 10), fill="black")
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        code = base64.b64encode(buffer.getvalue()).decode()
        return f"<image href='data:image/png;base64,{code}'/>"

    assert IMAGES  # a lesson has one
    assert pictures.differences(drawn(100), drawn(120)) == []  # 20 dots
    assert pictures.differences(drawn(100), drawn(160)) != []  # 60 dots


def cell_of(svg):
    """The outputs of a cell that shows one picture."""
    source = urllib.parse.quote(svg.replace('"', "'"), safe=" '=:/,;<>")
    return [{"data": {"text/html": f'<source srcset="data:image/svg+xml,{source}">'}}]


@pytest.mark.parametrize("pixels", [0.0, 5.0])
def test_nbval_fails_where_a_picture_has_changed(monkeypatch, pixels):
    monkeypatch.setattr(pictured, "compare_outputs", lambda *arguments: True)
    cell = SimpleNamespace(comparison_traceback=[])
    svg = next(svg for svg in VECTORS if "<path" in svg)
    alike = pictured.compare_all(cell, cell_of(moved(svg, pixels)), cell_of(svg))
    assert alike == (pixels == 0)
    assert [words[:24] for words in cell.comparison_traceback] == ["Picture 1 of the cell:\n "] * (
        not alike
    )


def test_nbval_fails_where_its_own_comparison_does(monkeypatch):
    monkeypatch.setattr(pictured, "compare_outputs", lambda *arguments: False)
    svg = VECTORS[0]
    cell = SimpleNamespace(comparison_traceback=[])
    assert not pictured.compare_all(cell, cell_of(svg), cell_of(svg))
