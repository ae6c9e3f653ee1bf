"""A handout holds the core without what needs a screen: toy, ten lines, balance, statement."""

import pytest

from dpviz import lab, lesson
from dpviz.pages import from_disk
from dpviz.pages.run import code


@pytest.mark.parametrize("path", lesson.paths(lab.LESSONS), ids=lambda path: path.stem)
def test_a_handout_holds_the_core_and_two_pictures(path):
    read = lesson.read(path)
    sheet = from_disk.sheet(read, [])
    assert sheet.count("<figure>") == 2
    titles = [cell.section for tag in ("by-hand", "ten-lines", "why") for cell in read.tagged(tag)]
    assert [title for title in titles if f">{title}</h2>" not in sheet] == []
    lines = [cell for cell in read.within("ten-lines") if not cell.is_text and "core" in cell.tags]
    for cell in lines:
        assert (code(cell.source) in sheet) != ("hide-input" in cell.tags)
    further = [cell.number for cell in read.tagged("statement") if "core" not in cell.tags]
    assert [number for number in further if f"<strong>{number}" in sheet] == []
    assert "<code>test_" not in sheet and "<details" not in sheet
