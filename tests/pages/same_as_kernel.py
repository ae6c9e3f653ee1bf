"""Whether a page from disk shows at every stored point what a kernel shows: for test_stored.

``python same_as_kernel.py LESSON.ipynb PAGE.html`` runs the lesson once more, in its folder, and
goes to the points in another order than the page was written in.
"""

import random
import re
import sys
from pathlib import Path

import pytest

from dpviz import lesson
from dpviz.instruments.explorer import Explorer
from dpviz.instruments.player import Player
from dpviz.pages import run, stored

NUMBER = r"-?\d+(?:\.\d+)?"
TAG = r"<[^>]*>"
SIZE = r'<script type="text/plain" class="(\w+)">'
STORED = r'<script type="text/plain" class="\w+">(.*?)</script>'


def text(told, numbers):
    """A text from its pieces, as the page joins them."""
    return "".join(told["pieces"][number] for number in numbers)


def offered(told, one):
    """The values of each control that are stored: of every so many, those that are shown so."""
    faces = list(one.controls.values())
    for step in (*stored.STEPS, stored.LAST):
        values = stored.thinned(one, step)
        if list(map(stored.faced, faces, values)) == told["controls"]:
            return values
    raise AssertionError("a control of the page has other values than the kernel's")


def explorer_points(told, one):
    """Each stored point of an explorer, and what the kernel's shows there."""
    values = offered(told, one)
    points = list(told["points"].items())
    random.Random(1).shuffle(points)
    one.grows = False
    for point, (picture, sentence, table, problem, idle, acts) in points:
        at = stored.valued(values, map(int, point.split(",")))
        one.set(**dict(zip(one.controls, at, strict=True)))
        page = [*(text(told, numbers) for numbers in (picture, sentence, table)), problem, idle]
        drawn = ("", "", "") if one.problem else stored.shown(one.screen)
        kernel = [
            *drawn,
            one.problem,
            " ".join(filter(None, [one.movable, one.idle_of(one.controls)])),
        ]
        yield page + acts, kernel + [int(one.acts(name)) for name in one.controls]


def player_points(told, one):
    """Each stored state of a player, and what the kernel's shows there."""
    order = list(enumerate(told["states"]))
    random.Random(1).shuffle(order)
    for position, numbers in order:
        one.go(position)
        yield [text(told, some) for some in numbers], list(stored.shown(one.screen))


def assert_same(page, kernel):
    """What a page and a kernel show: no word differs, a coordinate by at most a tenth of a pixel.

    Where a coordinate lies between two tenths, the way on which it was reached decides.
    """
    for ours, theirs in zip(page, kernel, strict=True):
        if ours != theirs:
            words, places = apart(str(ours))
            others, moved = apart(str(theirs))
            assert words == others
            assert places == pytest.approx(moved, rel=0, abs=0.11)


def apart(text):
    """A text without the numbers in its tags, and these."""
    numbers = [float(n) for tag in re.findall(TAG, text) for n in re.findall(NUMBER, tag)]
    return re.sub(TAG, lambda tag: re.sub(NUMBER, "#", tag[0]), text), numbers


def instruments(page):
    """What the instruments of a page store, in order."""
    found = re.findall(STORED, page.read_text("utf-8"), re.DOTALL)
    return [stored.unpacked(raw) for raw in found]


def same(told, one):
    """How many points are the same: all that are stored, or it fails."""
    points = explorer_points if isinstance(one, Explorer) else player_points
    return sum(assert_same(said, kernel) is None for said, kernel in points(told, one))


def compared(book, page):
    """How many points of a lesson's page are the same, and of its slides."""
    cells = lesson.read(book).cells
    left, count, slides = iter(instruments(page)), 0, ([], [])
    sections = page.read_text("utf-8").split('<section class="instrument dpviz-')[1:]
    sizes = [re.findall(SIZE, section.partition("</section>")[0]) for section in sections]
    for cell, (awake, _) in zip(cells, run.worked(cells), strict=True):
        for one in awake:
            if not isinstance(one, Explorer | Player) or one.screen is None:
                continue
            for mode in run.READ:
                if mode in sizes[0]:
                    count += same(next(left), run.use(one, mode))
            sizes.pop(0)
            further = lesson.CORE not in cell.tags
            if isinstance(one, Explorer) or not further:
                slides[further].append(one)  # those of the core come first
    assert next(left, None) is None, "the page holds more instruments than the lesson"
    stored_there = instruments(page.with_name(f"{page.stem}_slides.html"))
    shown = zip(stored_there, [*slides[0], *slides[1]], strict=True)
    return count + sum(same(told, run.use(one)) for told, one in shown)


if __name__ == "__main__":
    print(compared(Path(sys.argv[1]), Path(sys.argv[2])))
