"""The checks catch broken instruments: deaf, stale, late, and an exercise that praises anything."""

import access
import checks
import lab
import nbformat
import pytest
from playwright.sync_api import Error

pytestmark = pytest.mark.browser
SETUP = """
from dpviz.drawing import style
from dpviz.exercises.answers import Number
from dpviz.exercises.exercise import Exercise
from dpviz.instruments.explorer import Choice, Explorer, Slider
from dpviz.instruments.faces import ExplorerFace, PlayerFace
from dpviz.drawing.live import View
from dpviz.instruments.player import Player

def frame(mode):
    figure, ax = style.figure("", alt="", mode=mode)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    return figure

def paint(figure, height):
    figure.axes[0].plot([0, 1], [height, height], color="black")

def line(height):
    return f"The line is at {height}."

view = View(frame, paint, line, lambda height: [["height"], [str(height)]])
controls = [Slider(name="a", label="height", values=[0.1, 0.3, 0.5, 0.7, 0.9], start=0.3)]

def explorer(compute=lambda a, seed: a + 0.01 * seed, view=view):
    return Explorer(compute, view, controls, {"low": {"a": 0.1}, "high": {"a": 0.9}})
"""
CELLS = {
    "sound": "explorer()",
    "deaf": "deaf = ExplorerFace(explorer())\n"
    "_ = [i.unobserve_all('value') for i in deaf.inputs.values()]\ndeaf",
    "stale": "explorer(view=View(frame, lambda figure, height: None, line, view.table))",
    "late": "past = [0.3]\nexplorer(lambda a, seed: past.append(a) or past[-2])",
    "stuck": "explorer(lambda a, seed: a)",
    "sound player": "Player(view, [place / 10 for place in range(10)], start=2)",
    "deaf player": "dumb = PlayerFace(Player(view, [0.1, 0.5]))\n"
    "dumb.position.unobserve_all('value')\ndumb",
    "sound exercise": "Exercise('2 + 2?', Number(value=4), ['Count.'], '4')",
    "praising exercise": "Exercise('2 + 2?', Number(value=4, within=100), ['Count.'], '4')",
}


@pytest.fixture(scope="module")
def roots(browser, folder, address):
    """The instruments by name."""
    cells = [nbformat.v4.new_code_cell(text.strip()) for text in (SETUP, *CELLS.values())]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "broken.ipynb")
    book = lab.Book(browser, address, "broken.ipynb")
    book.run()
    found = [root for kind in ("explorer", "player", "exercise") for root in book.roots(kind)]
    yield dict(zip(CELLS, found, strict=True))
    book.page.close()


def test_sound_instruments_have_no_fault(roots):
    assert list(checks.explorer_faults(roots["sound"])) == []
    assert list(checks.player_faults(roots["sound player"])) == []
    assert list(checks.key_faults(roots["sound player"])) == []
    assert list(checks.motion_faults(roots["sound player"])) == []
    assert list(checks.exercise_faults(roots["sound exercise"], "4", "5", "Yes.")) == []


def first_slider_faults(root, check=checks.follow_faults):
    return list(check(checks.sliders(root)[0]))


def test_what_a_screen_reader_cannot_use_is_caught(roots):
    root = roots["sound"]
    before = list(access.faults(root.page))  # its pictures have no title
    added = root.evaluate_handle("root => root.appendChild(document.createElement('img'))")
    (fault,) = set(access.faults(root.page)) - set(before)
    assert fault.startswith("image-alt")
    added.evaluate("image => image.remove()")


def test_a_deaf_explorer_is_caught(roots):
    assert first_slider_faults(roots["deaf"]) == [
        f"slider height: the {part} does not follow" for part in checks.PARTS
    ]


def test_a_stale_picture_is_caught(roots):
    assert first_slider_faults(roots["stale"]) == ["slider height: the picture does not follow"]


def test_a_picture_one_move_late_is_caught(roots):
    (fault,) = first_slider_faults(roots["late"], checks.slider_faults)
    assert "show different states" in fault


def test_a_picture_that_lags_behind_fast_keys_is_caught(roots):
    (fault,) = first_slider_faults(roots["late"], checks.fast_faults)
    assert "60 fast keys" in fault


def test_a_draw_that_changes_nothing_is_caught(roots):
    assert list(checks.again_faults(roots["stuck"])) == ["draw again: nothing changes"]


def test_a_deaf_player_is_caught(roots):
    faults = list(checks.player_faults(roots["deaf player"], whole=False))
    assert "position, by keys: the picture does not follow" in faults


@pytest.mark.parametrize(
    ("limit", "plant", "wait", "words"),
    [
        ("frame", "requestAnimationFrame = () => 0", "dpviz.settled()", "a frame did not come"),
        ("kernel", "void dpviz.ask('import time; time.sleep(1.5)')", "dpviz.ask('1')",
         "an answer of the kernel did not come"),
    ],
)  # fmt: skip
def test_a_wait_without_an_end_is_a_failure_with_a_name(roots, limit, plant, wait, words):
    page = roots["sound"].page
    page.evaluate(f"dpviz.usual = [dpviz.limits.{limit}, window.requestAnimationFrame]")
    with pytest.raises(Error, match=f"{words} within 0.3 s; the page is visible, its kernel"):
        page.evaluate(f"() => {{ {plant}; dpviz.limits.{limit} = 0.3; return {wait}; }}")
    page.evaluate(f"[dpviz.limits.{limit}, window.requestAnimationFrame] = dpviz.usual")
    page.evaluate("dpviz.ask('1')")


def test_an_object_that_takes_another_way_is_caught():
    """A line that rises from 0 to 4."""
    old, on, off, new = ([{"kind": "path", "at": [0, y, 1, y]}] for y in (0, 3, 5, 4))
    assert checks.between(old, on, new) == (1, [])
    assert checks.between(old, new, new) == (0, [])
    assert checks.between(old, off, new) == (0, ["path at [0, 5, 1, 5]"])


def test_an_exercise_that_praises_everything_is_caught(roots):
    (fault,) = checks.exercise_faults(roots["praising exercise"], "4", "5", "Yes.")
    assert fault.startswith("'5' is wrong, it says 'Yes.")
