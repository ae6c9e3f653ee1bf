"""What is expected of matplotlib beyond what it promises; and nothing else of that kind is used."""

import re
from copy import copy
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import dpviz
from dpviz.drawing import private

HERE = Path(dpviz.__file__).parent
OF_MATPLOTLIB = r"(?:text|artist|ax|axes|fig|figure|line|canvas)\._(?!repr_)[a-z]\w*"


@pytest.fixture
def figure():
    """A figure that can be measured."""
    figure = Figure()
    FigureCanvasAgg(figure)
    return figure


def test_a_copy_beside_its_model_is_drawn_and_removed_alone(figure):
    model = figure.add_artist(Line2D([0, 1], [0, 1]))
    other = copy(model)
    private.siblings(model).append(other)
    assert figure.artists == [model, other]
    other.remove()
    assert figure.artists == [model]


def test_a_text_has_its_lines_from_top_to_bottom_inside_of_its_box(figure):
    text = figure.text(0.5, 0.5, "one\nlonger line", va="bottom", ha="left")
    lines, corner, size = private.lines_of(text, figure.canvas.get_renderer())
    assert [words for words, _, _ in lines] == ["one", "longer line"]
    assert tuple(corner) == (0, 0)
    widths = [extent[0] for _, extent, _ in lines]
    assert size[0] == max(widths) == widths[1]
    heights = [place[1] for _, _, place in lines]
    assert heights[0] > heights[1] >= 0


def strangers(source):
    """What is asked of matplotlib's objects that is not public."""
    return re.findall(OF_MATPLOTLIB, source)


def test_nothing_else_of_matplotlib_is_asked_that_is_not_public():
    files = [path for path in HERE.rglob("*.py") if path.name != "private.py"]
    assert {path: strangers(path.read_text("utf-8")) for path in files} == {
        path: [] for path in files
    }
    assert strangers("text._get_layout(self); artist._remove_method") == [
        "text._get_layout",
        "artist._remove_method",
    ]
