"""Every lesson in JupyterLab in Chromium: all instruments worked by mouse and keyboard."""

import re

import checks
import lab
import pytest

pytestmark = pytest.mark.browser
NAMES = sorted(path.name for path in lab.NOTEBOOKS.glob("*.ipynb"))
SHOTS = lab.NOTEBOOKS.parent / "reports" / "screenshots"
INSTRUMENT = re.compile(r"\b(explore|play)_\w+\(")
# In the kernel: give the element of each exercise a class by its model, and tell the answers.
ANSWERS = """
import json
from ipywidgets.widgets.widget import _instances
from dpviz.views.answers import RIGHT
from dpviz.views.exercise import Exercise
_all = {f"try-{key}": e for key, e in _instances.items() if isinstance(e, Exercise)}
_ = [e.add_class(name) for name, e in _all.items()]
print(json.dumps([[name, e.right, e.wrong, RIGHT] for name, e in _all.items()]))
"""


class Lesson(lab.Book):
    """A notebook that was looked at before it was run."""

    def __init__(self, browser, address, name):
        super().__init__(browser, address, name)
        self.unrun = [
            (cell["source"], self.page.evaluate(STILLS, cell["index"]))
            for cell in self.cells()
            if INSTRUMENT.search(cell["source"]) and cell["type"] == "code"
        ]
        self.run()


# The pictures that a person sees below a cell.
STILLS = """async (index) => {
  const cell = await dpviz.show(index);
  const seen = [...cell.querySelectorAll(".jp-OutputArea-output img")];
  return seen.filter((img) => img.naturalWidth > 0 && img.checkVisibility()).length;
}"""


@pytest.fixture(scope="module", params=NAMES)
def lesson(request, browser, address):
    lesson = Lesson(browser, address, request.param)
    yield lesson
    lesson.page.close()


def test_opened_without_running_it_shows_a_picture_of_each_instrument(lesson):
    assert lesson.unrun
    assert [source for source, stills in lesson.unrun if stills < 1] == []


def test_every_cell_runs(lesson):
    cells = lab.sources(lesson.cells())
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [output["evalue"] for output in outputs if output["output_type"] == "error"] == []
    assert [cell["count"] for cell in cells] == list(range(1, len(cells) + 1))


def test_every_instrument_is_on_the_page(lesson):
    shown = [len(lesson.roots(kind)) for kind in ("explorer", "player", "exercise")]
    assert sum(shown) == len(lesson.shown())
    assert all(shown)


@pytest.mark.parametrize("kind", ["explorer", "player"])
def test_its_instruments_have_their_portrait_taken(lesson, kind):
    SHOTS.mkdir(parents=True, exist_ok=True)
    for i, root in enumerate(lesson.roots(kind), start=1):
        path = SHOTS / f"{lesson.name}-{kind}-{i}.png"
        root.screenshot(path=path)
        assert path.stat().st_size > 10_000  # bytes: an empty frame has fewer


def test_explorers(lesson):
    assert [
        fault for root in lesson.roots("explorer") for fault in checks.explorer_faults(root)
    ] == []
    assert lesson.complaints() == []


def test_players(lesson):
    faults = [list(checks.player_faults(root)) for root in lesson.roots("player")]
    assert [fault for some in faults for fault in some] == []
    assert lesson.complaints() == []


def test_exercises(lesson):
    answers = lesson.ask(ANSWERS)
    assert len(answers) == len(lesson.roots("exercise"))
    roots = {name: lesson.page.locator(f".{name}") for name, *_ in answers}
    faults = [list(checks.exercise_faults(roots[name], *words)) for name, *words in answers]
    assert [fault for some in faults for fault in some] == []
    assert lesson.complaints() == []


def test_after_a_restart_the_last_picture_stays(lesson):
    """Last of all: the widgets are dead afterwards."""
    root = lesson.roots("explorer")[0]
    before = checks.read(root)
    lesson.restart()
    checks.sliders(root)[0].drag(0, 1)
    lesson.page.wait_for_timeout(500)  # ms: for what might still arrive
    assert checks.read(root) == before
    assert lesson.page.get_by_text("Traceback").count() == 0
