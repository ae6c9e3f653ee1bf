"""The frontier: a bound is quoted from what was read, and the page says what the tables say."""

import importlib
import importlib.util
import itertools
import sys
from pathlib import Path

import pytest

from dpviz import lab, lesson
from dpviz.pages import from_disk
from dpviz.pages.text import prose

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("frontier", ROOT / "docs" / "frontier.py")
frontier = importlib.util.module_from_spec(SPEC)
sys.modules["frontier"] = frontier  # its dataclasses look themselves up there
SPEC.loader.exec_module(frontier)
PROBLEMS = frontier.problems()


def test_the_tables_are_in_order():
    assert list(frontier.faults()) == []
    assert {bound.read for row in PROBLEMS for bound in (row.upper, row.lower) if bound.by} == set(
        frontier.STATES
    )


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({2: "1/n", 3: "W13", 4: "unread"}, "quoted from what is unread"),
        ({2: "1/n", 3: "W13", 4: "seen"}, "what was read is one of"),
        ({2: "1/n", 3: "", 4: ""}, "whose bound is"),
        ({5: "1/n", 6: "XY99", 7: "read"}, "there is no source XY99"),
    ],
)
def test_planted_faults_of_a_line_are_caught(monkeypatch, cells, words):
    lines = frontier.table("bounds.tsv")
    line = ["area", "problem", "", "", "", "", "", "", "", "", ""]
    for at, text in cells.items():
        line[at] = text
    read = frontier.table
    monkeypatch.setattr(
        frontier, "table", lambda name: [*lines, line] if name == "bounds.tsv" else read(name)
    )
    assert any(words in fault for fault in frontier.faults())


def test_a_source_that_no_line_names_is_caught(monkeypatch):
    monkeypatch.setattr(frontier, "problems", lambda: PROBLEMS[1:])
    assert any(fault.startswith("no line names the source") for fault in frontier.faults())


def test_the_page_and_its_picture_are_up_to_date():
    words = "run: python docs/frontier.py"
    assert frontier.PAGE.read_text(encoding="utf-8") == frontier.page(), words
    assert frontier.PICTURE.read_text(encoding="utf-8") == frontier.picture(), words


def test_every_module_that_it_names_is_there():
    named = {name for row in PROBLEMS for name in row.here.split(", ") if name}
    assert named and [name for name in sorted(named) if not importlib.import_module(name)] == []


@pytest.mark.parametrize("path", lesson.paths(ROOT / "notebooks"), ids=lambda path: path.stem)
def test_every_lesson_leads_to_it_from_its_literature(path):
    cells = [cell.source for cell in lesson.read(path).cells if "frontier.md" in cell.source]
    assert len(cells) == 1 and "In the literature" in cells[0]


def boxes():
    """Left, top, right and bottom of each box of the map."""
    for name in frontier.BOXES:
        left, top, wide = frontier.corner(name)
        yield name, (left, top, left + wide, top + frontier.TALL)


def crosses(one, other, box):
    """Whether an upright or level line passes through the inside of a box."""
    left, top, right, bottom = box
    low = [min(a, b) for a, b in zip(one, other, strict=True)]
    high = [max(a, b) for a, b in zip(one, other, strict=True)]
    return low[0] < right and high[0] > left and low[1] < bottom and high[1] > top


def test_on_the_map_no_boxes_overlap_and_no_arrow_passes_through_one():
    for (_, a), (_, b) in itertools.combinations(boxes(), 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for first, last, corners, *_ in frontier.ARROWS:
        points = [frontier.port(first), *corners, frontier.port(last)]
        for one, other in itertools.pairwise(points):
            assert one[0] == other[0] or one[1] == other[1], f"{first} to {last} leans"
            through = [name for name, box in boxes() if crosses(one, other, box)]
            assert through == [], f"{first} to {last}"


def test_a_place_that_leaves_an_axis_open_is_refused():
    with pytest.raises(ValueError, match="leaves an axis open"):
        frontier.measured("cluster_planted|ratio|n=10000|of all dimensions")


def test_a_copy_of_the_lessons_has_it_beside_them_and_keeps_an_edit(tmp_path):
    outcome = lab.copy(tmp_path)
    for name in lesson.BESIDE:
        assert (tmp_path / name).read_bytes() == (lab.LESSONS / name).read_bytes()
        assert not any(name in names for names in outcome.values())
    (tmp_path / "frontier.md").write_text("mine")
    lab.copy(tmp_path)
    assert (tmp_path / "frontier.md").read_text() == "mine"


def test_the_page_without_python_holds_the_map_and_leads_to_the_lessons(tmp_path):
    page = from_disk.frontier(lab.LESSONS).partition('<article class="frontier">')[2]
    assert page.count("<svg") == 1 and 'href="03_distance.html"' in page
    assert "frontier.svg" not in page and "$" not in page.partition("</article>")[0]
    assert from_disk.frontier(tmp_path) == ""
    assert 'href="frontier.html"' in prose("[The frontier](frontier.md)")


def test_the_reference_links_modules_and_no_lesson():
    text = frontier.reference(frontier.PAGE.read_text(encoding="utf-8"))
    assert 'href="api/dpviz.papers.smooth_queries.release.html"' in text
    assert text.count("<svg") == 1 and ".ipynb" not in text
