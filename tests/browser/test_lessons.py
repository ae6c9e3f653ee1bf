"""Every lesson in JupyterLab in Chromium; four are run, and all their instruments worked.

With ``DPVIZ_EVERY`` set (`make test-all`) each value of each list, each slider by arrows and in a
fast drag, each lesson in all looks, woken and restarted; without it a sample, in which no explorer,
player or prediction is left out. What is the same script or the same command in all lessons is then
tried in one of them, and what differs between them in each.
"""

import itertools
import re
from contextlib import suppress
from functools import partial

import access
import checks
import every
import lab
import pytest
from every import EVERY
from playwright.sync_api import TimeoutError

pytestmark = pytest.mark.browser
NAMES = sorted(path.name for path in lab.NOTEBOOKS.glob("*.ipynb"))
SHOTS = lab.NOTEBOOKS.parent / "reports" / "screenshots"
INSTRUMENT = re.compile(r"^[\w.]*\b(explore|play)_\w+\(", re.M)  # shown, not put into a name
ADVICE = "Run > Run All Above Selected Cell, then this cell"
# In the kernel: give the element of each exercise a class by its model, and tell the answers, but
# for the one that asks for a program.
ANSWERS = """
import json
from ipywidgets.widgets.widget import _instances
from dpviz.exercises.answers import RIGHT
from dpviz.exercises.faces import ExerciseFace
from dpviz.exercises.program import Coding
_faces = {f"try-{key}": e for key, e in _instances.items() if isinstance(e, ExerciseFace)}
_all = {key: e for key, e in _faces.items() if not isinstance(e.exercise, Coding)}
_ = [e.add_class(name) for name, e in _all.items()]
_elsewhere = lambda e: e.exercise.name if e.exercise.asked else ""
_asks = lambda e: [e.exercise.right, e.exercise.wrong, RIGHT, _elsewhere(e)]
_said = lambda e: [*_asks(e), e.exercise.marks, bool(e.exercise.held)]
print(json.dumps([[name, *_said(e)] for name, e in _all.items()]))
"""


LIGHT, LONG = "00_start", "02_learner"  # soonest opened and run; a player of many states
RUN = (
    NAMES
    if EVERY
    else ["00_start.ipynb", "02_learner.ipynb", "06_smooth.ipynb", "09_compare.ipynb"]
)
ASLEEP = NAMES if EVERY else [name for name in NAMES if name not in RUN]
SIXTEEN_PT = 21  # pixels, and a third
SIZES, THEMES = [(1280, 720), (1024, 768), (1920, 1080)], ["Light", "Dark"]
THEME = "theme => jupyterapp.commands.execute('apputils:change-theme', { theme }).then(() => 0)"
THEMED = "light => document.body.dataset.jpThemeLight === `${light}`"
LAYOUT = (lab.HERE / "layout.js").read_text(encoding="utf-8")
ADD = """(root, text) => {
  const style = document.createElement("style");
  style.textContent = text;
  return root.appendChild(style);
}"""
CROWDED = {
    ".dpviz-live .dpviz-presets button { max-width: 40px; overflow: hidden; }": "cut",
    ".dpviz-live .dpviz-sentence { margin-top: -60px !important; }": "overprinted",
    ".dpviz-live .dpviz-stage { height: 200px; overflow: auto !important; }": "a scroll bar",
    ".dpviz-live .dpviz-sentence p { color: #999; }": "contrast",
    ".dpviz-live .dpviz-picture { padding-top: 900px; }": "pixels of",
    ".dpviz-live .dpviz-controls { padding-top: 900px; }": "pixels of",
}


def unrun(book):
    """Source of each cell that shows an instrument, and what a person sees below it."""
    cells = [cell for cell in book.cells() if cell["type"] == "code"]
    return [
        (cell["source"], book.seen(cell["index"]))
        for cell in cells
        if INSTRUMENT.search(cell["source"])
    ]


class Lesson(lab.Book):
    """A notebook that was looked at before it was run, and then run."""

    def __init__(self, browser, address, name):
        super().__init__(browser, address, name)
        self.unrun = unrun(self)
        self.run()
        self.said = {index: self.page.evaluate(SAID, index) for index in self.shown()}


# What the instrument of a cell is, and says: the sentence below its picture, or its question.
SAID = """async (index) => {
  const cell = await dpviz.show(index);
  const told = ".dpviz-sentence, .dpviz-exercise > .widget-html, .dpviz-done > .widget-html";
  const pictured = !cell.querySelector(".dpviz-exercise, .dpviz-done");
  return [pictured ? 1 : 0, cell.querySelector(told).innerText];
}"""


def sampled(lesson, *names):
    """Whether a test that says the same of all lessons is made in this one."""
    return EVERY or lesson.name in (names or (LIGHT,))


@pytest.fixture(scope="module", params=RUN)
def lesson(request, browser, address):
    lesson = Lesson(browser, address, request.param)
    yield lesson
    lesson.page.close()


def stored_faults(unrun):
    """The cells of a lesson that was not run without one picture of their instrument, or advice."""
    assert unrun
    for source, seen in unrun:
        if seen["pictures"] != 1 or seen["words"].count(ADVICE) != 1:
            yield source


def test_opened_without_running_it_shows_one_picture_of_each_instrument_and_the_advice(lesson):
    assert list(stored_faults(lesson.unrun)) == []


@pytest.mark.parametrize("lesson", ASLEEP)
def test_so_does_every_lesson_and_its_advice_wakes_what_opens_it(browser, address, lesson):
    """Which follows its first control, fits into the window, and everybody can use."""
    book = lab.Book(browser, address, lesson)
    found = list(stored_faults(unrun(book)))
    first = next(c["index"] for c in book.cells() if INSTRUMENT.search(c["source"]))
    book.wake(first)
    root = book.page.locator(".jp-Cell").nth(first).locator(".dpviz-explorer, .dpviz-player")
    found += checks.awake_faults(root)
    book.page.set_viewport_size(dict(zip(("width", "height"), SIZES[0], strict=True)))
    book.page.evaluate("dpviz.laid()")
    root.evaluate("root => root.scrollIntoView()")
    found += root.evaluate(LAYOUT) + book.complaints()
    found += access.faults(book.page, access.OURS[:2])
    book.page.close()
    assert found == []


def test_every_cell_runs(lesson):
    cells = lab.sources(lesson.cells())
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [output["evalue"] for output in outputs if output["output_type"] == "error"] == []
    assert [cell["count"] for cell in cells] == list(range(1, len(cells) + 1))


def test_every_instrument_is_on_the_page(lesson):
    shown = [len(lesson.roots(kind)) for kind in ("explorer", "player", "exercise")]
    assert sum(shown) + len(lesson.roots("done")) == len(lesson.shown())
    assert all(shown)


@pytest.mark.parametrize("kind", ["explorer", "player"])
def test_its_instruments_have_their_portrait_taken(lesson, kind):
    """In one lesson: that each is drawn, `test_vector` and the rules of layout see in all."""
    if not sampled(lesson):
        return
    SHOTS.mkdir(parents=True, exist_ok=True)
    for i, root in enumerate(lesson.roots(kind), start=1):
        path = SHOTS / f"{lesson.name}-{kind}-{i}.png"
        root.screenshot(path=path)
        assert path.stat().st_size > 10_000  # bytes: an empty frame has fewer


@pytest.fixture
def window(lesson):
    """Sets size and theme; afterwards both are as before."""
    page, before = lesson.page, lesson.page.viewport_size
    shown = "Light"

    def use(size, theme):
        nonlocal shown
        page.set_viewport_size({"width": size[0], "height": size[1]})
        if theme != shown:
            page.evaluate(THEME, f"JupyterLab {theme}")
            page.wait_for_function(THEMED, arg=theme == "Light")
            shown = theme
        page.evaluate("dpviz.laid()")

    yield use
    use((before["width"], before["height"]), "Light")


def pictured(lesson):
    """Name and element of each explorer and player."""
    for kind in ("explorer", "player"):
        for i, root in enumerate(lesson.roots(kind), start=1):
            root.evaluate("root => root.scrollIntoView()")
            yield f"{lesson.name}-{kind}-{i}", root


def test_instruments_fit_and_can_be_used_at_every_size_in_both_themes(lesson, window):
    """One lesson in all six, the others by turns in the two tight ones."""
    looks = list(itertools.product(SIZES, THEMES))
    if not sampled(lesson):
        looks = every.in_turn([looks[0], looks[3]], RUN.index(f"{lesson.name}.ipynb"))
    found = {}
    for size, theme in looks:
        window(size, theme)
        for name, root in pictured(lesson):
            place = f"{name}-{size[0]}-{theme}"
            shoot(lesson, place)
            found[place] = root.evaluate(LAYOUT)
        found[f"axe, {theme}"] = list(access.faults(lesson.page))
    assert {name: faults for name, faults in found.items() if faults} == {}


def shoot(lesson, place):
    """Take the whole window: all looks with `DPVIZ_EVERY`, otherwise of one lesson."""
    if sampled(lesson):
        SHOTS.mkdir(parents=True, exist_ok=True)
        lesson.page.screenshot(path=SHOTS / f"{place}.png")


def test_projected_every_letter_of_a_picture_is_16_pt_and_all_fits(lesson, window):
    """With the side bar closed, as Ctrl + B does.

    At the tight size in each lesson, at the wide one in one: there is room for the same there.
    """
    page, switch, found = lesson.page, lesson.page.locator(".dpviz-projector").first, {}
    page.evaluate("jupyterapp.shell.collapseLeft()")
    window(SIZES[0], "Light")
    assert min(root.evaluate("dpviz.smallest") for _, root in pictured(lesson)) < SIXTEEN_PT
    before = states(lesson)
    switch.click()
    large = states(lesson)
    for size in (SIZES[0], SIZES[2]) if sampled(lesson) else SIZES[:1]:
        window(size, "Light")
        for name, root in pictured(lesson):
            shoot(lesson, f"{name}-{size[0]}-projected")
            found[f"{name}, {size}"] = root.evaluate(LAYOUT)
            if (type_ := root.evaluate("dpviz.smallest")) < SIXTEEN_PT:
                found[f"{name}, {size}"].append(f"type of {type_:.1f} pixels")
    window(SIZES[0], "Light")
    types = page.evaluate("dpviz.stills()")
    assert types or lesson.name == LIGHT  # there each stands in a prediction
    found |= {f"figure of cell {i}": [type_] for i, type_ in types.items() if type_ < SIXTEEN_PT}
    switch.click()
    after = states(lesson)
    page.evaluate("jupyterapp.shell.expandLeft()")
    for name in before:
        told = checks.projector_faults(name, before[name], large[name], after[name])
        found[name] = list(told)
    assert {name: faults for name, faults in found.items() if faults} == {}


def states(lesson):
    """What each explorer and player shows."""
    return {name: checks.read(root) for name, root in pictured(lesson)}


# What a theme of somebody else may set, and what one may leave out.
STRANGE = """:root:root {
  --jp-ui-font-color0: #ffe9b0; --jp-ui-font-color1: #ffe9b0; --jp-content-font-color1: #ffe9b0;
  --jp-layout-color0: #10243a; --jp-layout-color1: #10243a; --jp-layout-color2: #1c3550;
  --jp-ui-font-color2: #ffe9b0; --jp-widgets-label-color: #ffe9b0; --jp-brand-color1: initial;
}"""


def test_a_narrow_window_and_an_unknown_theme_leave_everything_readable(lesson, window):
    """In one lesson: the rules of style are the same in all."""
    if not sampled(lesson):
        return
    lesson.page.evaluate("jupyterapp.shell.collapseLeft()")
    window((600, 800), "Light")
    narrow = {name: root.evaluate(LAYOUT) for name, root in pictured(lesson)}
    added = lesson.page.locator("head").evaluate_handle(ADD, STRANGE)
    strange = {name: root.evaluate(LAYOUT) for name, root in pictured(lesson)}
    lesson.page.screenshot(path=SHOTS / f"{lesson.name}-strange.png")
    added.evaluate("style => style.remove()")
    lesson.page.evaluate("jupyterapp.shell.expandLeft()")
    for found in (narrow, strange):
        faults = [fault for some in found.values() for fault in some if "pixels of" not in fault]
        assert faults == []


def test_a_crowded_page_is_seen(lesson):
    """The check of the layout finds words that are cut, overprinted, scrolled or pale."""
    presets = ".dpviz-presets button"
    root = max(lesson.roots("explorer"), key=lambda each: each.locator(presets).count())
    for style, fault in CROWDED.items():
        added = root.evaluate_handle(ADD, style)
        assert [said for said in root.evaluate(LAYOUT) if fault in said], style
        added.evaluate("style => style.remove()")
    assert root.evaluate(LAYOUT) == []


def test_explorers(lesson):
    """In one lesson all that is the same script in all; in the others a control of each."""
    all_in_one = partial(checks.explorer_faults, whole=EVERY)
    worked = all_in_one if sampled(lesson) else checks.awake_faults
    assert [fault for root in lesson.roots("explorer") for fault in worked(root)] == []
    assert lesson.complaints() == []


def test_players(lesson):
    """In two lessons buttons, play and Tab; in the others the keys."""
    whole = sampled(lesson, LIGHT, LONG)
    faults = [list(checks.player_faults(root, whole)) for root in lesson.roots("player")]
    assert [fault for some in faults for fault in some] == []
    assert lesson.complaints() == []


def test_objects_of_a_player_move_and_keys_step_it_from_anywhere(lesson):
    """In two lessons: it is the same script in all."""
    if sampled(lesson, LIGHT, "06_smooth"):
        root = lesson.roots("player")[0]
        root.scroll_into_view_if_needed()
        assert [*checks.motion_faults(root), *checks.key_faults(root)] == []
        assert lesson.complaints() == []


def asked(lesson, held):
    """The exercises that hold something back or do not.

    Of the proofs to find one is taken, or all. Element, right and wrong answer, praise; of a
    question that is asked before its answer is computed, the name by which what happened is found.
    """
    answers = lesson.ask(ANSWERS)
    assert len(answers) == len(lesson.roots("exercise")) - 1  # a cell asks for a program
    some = [each for each in answers if each[-1] == held]
    proofs = [each for each in some if each[-2]]
    few = proofs if EVERY else proofs[len(answers) % 4 :][:1]  # unit tests judge all of them
    some = [each for each in some if each in few or each not in proofs]
    return [(lesson.page.locator(f".{name}"), *words) for name, *words, _, _ in some]


def test_exercises(lesson):
    """Each is answered, or three of a lesson; hints and a check without an answer, the same in all,
    on the first.
    """
    plain = asked(lesson, held=False)
    plain = plain if sampled(lesson) else every.spread(plain, 3)
    faults = [
        fault
        for i, each in enumerate(plain)
        for fault in checks.exercise_faults(*each[:4], whole=EVERY or not i)
    ]
    for root, *_ in plain if EVERY else plain[:1]:
        faults += checks.tab_faults(root)
    assert faults == []
    assert lesson.complaints() == []


def test_what_happened_is_seen_when_it_was_predicted_or_waived_and_not_before(lesson):
    """In one pass over the lesson: at first nothing that is held back is on the page.

    Each is waived, and answered too in one lesson, and the first in the others; hints and a check
    without an answer, the same in all, on the first.
    """
    held = asked(lesson, held=True)
    assert [root.locator(".dpviz-solution").inner_text() for root, *_ in held] == [""] * len(held)
    faults = [
        fault
        for i, each in enumerate(held)
        for fault in checks.held_faults(
            *each, whole=EVERY or not i, answered=sampled(lesson) or not i
        )
    ]
    assert faults == []
    assert lesson.complaints() == []
    stored = lesson.page.locator("details.dpviz-held").all()
    below = [each for each in held if not each[-1]]  # the answer opens below its question
    assert [each.is_visible() for each in stored] == [False] * len(below)
    ends = [cell["index"] for cell in lesson.cells() if "review()" in cell["source"]]
    assert len(ends) == bool(held)
    for index in ends:  # the lesson's last word: all of them were waived last
        assert f"0 of {len(held)} as predicted" in lesson.seen(index)["words"]


def test_one_lesson_is_walked_by_the_keyboard_alone(lesson):
    """Its player stepped, a slider moved, a preset chosen, an exercise answered."""
    if lesson.name != "02_learner":
        return
    keyboard, answers = lesson.page.keyboard, {name: said for name, *said in lesson.ask(ANSWERS)}
    lesson.page.evaluate("jupyterapp.commands.execute('notebook:enter-command-mode').then(() => 0)")
    player, explorer = lesson.roots("player")[0], lesson.roots("explorer")[-1]
    lesson.walk(next(i for i in lesson.shown() if "play_" in lesson.cells()[i]["source"]))
    for aim, key in ((".dpviz-step", "Enter"), (".dpviz-step", "ArrowRight")):
        before = checks.read(player)
        lesson.tab_to(aim)
        keyboard.press(key)
        assert checks.read(player) != before
    lesson.walk(last_explorer(lesson))
    last = "handle => handle.ariaValueNow === handle.ariaValueMax"  # there End moves nothing
    keys = ["End", "Home"]
    if explorer.locator(".noUi-handle").first.evaluate(last):
        keys.reverse()
    for aim, key in (*((".noUi-handle", key) for key in keys), (".dpviz-preset", "Enter")):
        before = checks.read(explorer)
        lesson.tab_to(f".dpviz-explorer {aim}", "Shift+Tab" if key == "Enter" else "Tab")
        keyboard.press(key)
        assert checks.read(explorer) != before, key
    lesson.tab_to(".dpviz-answer input")
    asked = lesson.page.locator(".dpviz-exercise:focus-within")
    names = asked.get_attribute("class").split()
    right, _, praise, *_ = next(said for name, said in answers.items() if name in names)
    keyboard.type(right)
    checks.read(asked)  # a hand takes longer to Enter than the kernel to hear what was typed
    keyboard.press("Enter")
    checks.read(asked)
    assert praise in asked.locator(".dpviz-feedback").text_content()


def test_the_advice_has_the_words_of_the_menu(lesson):
    item = lesson.page.evaluate("jupyterapp.commands.label('notebook:run-all-above')")
    assert item == "Run All Above Selected Cell"
    notices = [notice.text_content() for notice in lesson.page.locator(".dpviz-notice").all()]
    assert [notice for notice in notices if f"Run > {item}" not in notice] == []
    assert len(notices) == len(lesson.roots("explorer")) + len(lesson.roots("player"))


def last_explorer(lesson):
    """The index of its cell."""
    return max(i for i in lesson.shown() if "explore_" in lesson.cells()[i]["source"])


def awake_faults(lesson, index):
    """Whether the explorer of a cell is alive, and its picture the only one."""
    (root,) = lesson.page.locator(".jp-Cell").nth(index).locator(".dpviz-explorer").all()
    yield from checks.follow_faults(checks.sliders(root)[0])
    if (pictures := lesson.seen(index)["pictures"]) != 1:
        yield f"cell {index}: {pictures} pictures"


def test_after_a_restart_the_last_picture_stays_and_a_player_stops_and_says_so(lesson):
    """A player of few states is at its end by then: it says so when it is played again."""
    if not sampled(lesson, LIGHT, LONG):
        return
    root, player = lesson.roots("explorer")[-1], lesson.roots("player")[0]
    last = player.locator(".dpviz-position .noUi-handle").get_attribute("aria-valuemax")
    plays = float(last) >= 12  # states, of half a second each
    assert plays or lesson.name != LONG
    before = checks.read(root)
    if plays:
        player.locator(".dpviz-play button").first.click()
        player.locator(".dpviz-play .fa-pause").wait_for()
    lesson.restart()
    if not plays:
        player.locator(".dpviz-play button").first.click()
    player.locator(".dpviz-gone").wait_for()  # it waits 4 seconds
    assert player.locator(".dpviz-play .fa-pause").count() == 0
    assert player.locator(".dpviz-gone").get_attribute("role") == "alert"
    checks.sliders(root)[0].drag(0, 1)
    lesson.page.wait_for_timeout(500)  # ms: for what might still arrive
    assert checks.read(root) == before
    assert lesson.page.get_by_text("Traceback").count() == 0


def test_after_a_restart_its_advice_wakes_an_explorer(lesson):
    """In one lesson: it is the same command in all; here in a page that saw its widgets die."""
    if sampled(lesson):
        lesson.wake(last_explorer(lesson))
        assert list(awake_faults(lesson, last_explorer(lesson))) == []


def asleep_faults(lesson, index):
    """What is wrong with an instrument whose kernel is gone: one picture, its words, advice."""
    pictures, said = lesson.said[index]
    seen = lesson.seen(index)
    words = " ".join(seen["words"].split())
    if not said:
        yield f"cell {index}: it said nothing on the first day"
    if seen["pictures"] != pictures:
        yield f"cell {index}: {seen['pictures']} pictures"
    for wanted in (" ".join(said.split()), ADVICE):
        if words.count(wanted) != 1:
            yield f"cell {index}: {wanted!r} is not said once"
    if "widget" in words:
        yield f"cell {index}: it says {words!r}"
    if "model not found" not in seen["hidden"]:
        yield f"cell {index}: its model is not dead, so nothing was tested"


GIVEN_UP = "many => document.body.textContent.split('model not found').length > many"


def test_on_the_second_day_every_instrument_shows_what_it_showed(lesson):
    """Run, saved, closed and opened again, with a new kernel.

    In two lessons: what hides a widget that has died is the same rule in all, and what each then
    shows was looked at before it was run.
    """
    if not sampled(lesson, LIGHT, LONG):
        return
    lesson.reopen()
    assert lesson.trusted()
    assert list(lesson.said) == lesson.shown()
    for index in lesson.said:
        lesson.seen(index)
    with suppress(TimeoutError):  # the page looks 2000 ms for each model before it gives up
        often = {"polling": 250}  # ms: it reads the whole page each time
        lesson.page.wait_for_function(GIVEN_UP, arg=len(lesson.said), **often)
    assert [fault for index in lesson.said for fault in asleep_faults(lesson, index)] == []


def test_begun_in_the_middle_it_says_what_to_run_first_and_that_wakes_an_explorer(lesson):
    """One cell of a fresh kernel; then what it advises; then the program of an exercise.

    In one lesson: it is the same command in all.
    """
    if not sampled(lesson):
        return
    index = next(c["index"] for c in lesson.cells() if "exercises.write_" in c["source"])
    lesson.page.evaluate(RUN_ONE, index)
    said = "".join(str(output) for output in lesson.cells()[index]["outputs"])
    assert "name 'exercises' is not defined" in said
    assert "If a cell above defines 'exercises', run that one first" in said
    assert ADVICE in said
    lesson.wake(last_explorer(lesson))
    assert list(awake_faults(lesson, last_explorer(lesson))) == []
    if lesson.name == LIGHT:
        lesson.page.evaluate(WRITE, [index, RIGHT_RECOVERY])
        lesson.page.evaluate(RUN_ONE, index)
        assert "Yes." in lesson.seen(index)["words"]


RUN_ONE = """async (index) => {
  jupyterapp.shell.currentWidget.content.activeCellIndex = index;
  await jupyterapp.commands.execute("notebook:run-cell").then(() => 0);
}"""
WRITE = """([index, text]) => {
  jupyterapp.shell.currentWidget.content.widgets[index].model.sharedModel.setSource(text);
}"""
RIGHT_RECOVERY = """def recovered(monday, tuesday, n, blank):
    return n * (monday - tuesday) + blank


exercises.write_recovery(recovered)"""
