"""Marks in the hand, in JupyterLab: by pointer, by finger, by keys; and when nobody answers.

The toys of the lessons stand in one notebook, with a curve to draw.
"""

import re

import hands
import lab
import nbformat
import pytest
from test_phone import SIZE, slim_faults

from dpviz.drawing import style
from dpviz.instruments.explorer import Explorer, Handle, Points, Slider, View
from dpviz.lessons import cluster
from dpviz.pages import run, sheet, stored

pytestmark = pytest.mark.browser
TOYS = {
    "start": "averages",
    "privacy": "laws",
    "learner": "bottles",
    "distance": "purse",
    "embedding": "towns",
    "sparse": "update",
    "smooth": "kernel",
    "cluster": "line",
    "fat_shattering": "databases",
    "compare": "plans",
}
CURVE = "from dpviz.lessons.learner import exercises\nexercises.predict_curve()"


@pytest.fixture(scope="module")
def book(browser, folder, address):
    cells = [
        nbformat.v4.new_code_cell(f"from dpviz.lessons import {lesson}\n{lesson}.explore_{name}()")
        for lesson, name in TOYS.items()
    ]
    cells.append(nbformat.v4.new_code_cell(CURVE))
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "hands.ipynb")
    book = lab.Book(browser, address, "hands.ipynb")
    book.run()
    yield book
    book.page.close()


@pytest.fixture
def toys(book):
    """The explorers by lesson, each at its start: its first preset changes nothing."""
    return dict(zip(TOYS, book.roots("explorer"), strict=True))


def told(root):
    """What an explorer says, once its kernel has answered."""
    return root.evaluate("root => dpviz.read(root)")


def whither(root, mark):
    """An axis of a mark and the farther of its ends, as pixels across and down."""
    at = hands.place(root, mark)
    axis = "x" if "x" in at["ends"] else "y"
    now, *ends = at["ends"][axis]
    far = max(ends, key=lambda end: abs(end - now)) - now
    return (0.7 * far, 0.0) if axis == "x" else (0.0, 0.7 * far)


@pytest.mark.parametrize("lesson", TOYS)
def test_every_mark_follows_a_pointer_and_stays_where_it_was_led(toys, lesson):
    root = toys[lesson]
    kinds = {mark.partition(":")[0]: mark for mark in reversed(hands.marks(root))}
    assert kinds
    for mark in kinds.values():
        before = told(root)
        if not hands.place(root, mark)["ends"]:
            root.locator(f"[data-mark='{mark}'][data-held]").last.focus()
            root.page.keyboard.press("Enter")
            assert told(root)["picture"] != before["picture"], mark
            continue
        across, down = whither(root, mark)
        wanted = hands.place(root, mark)
        hands.drag(root, mark, across, down)
        after = told(root)
        assert after["picture"] != before["picture"], mark
        now = hands.place(root, mark)
        if now is None:
            continue  # in another row or column of the map
        # A slider may have whole numbers only: 13 of them over some 300 pixels. What no hand leads
        # is free: a query stands on the curve.
        off = now["x"] - wanted["x"] - across if across else now["y"] - wanted["y"] - down
        assert abs(off) < 30, mark


@pytest.mark.parametrize(("lesson", "mark"), [("privacy", "output"), ("learner", "bottle:1")])
def test_keys_move_a_mark_and_it_keeps_the_focus(toys, lesson, mark):
    root, page = toys[lesson], toys[lesson].page
    at = hands.place(root, mark)["x"]
    root.locator(f"[data-mark='{mark}'][data-held]").first.focus()
    for key in ["ArrowRight"] * 3 + ["Shift+ArrowRight"]:
        page.keyboard.press(key)
        told(root)
    assert hands.place(root, mark)["x"] > at + 5
    assert page.evaluate("document.activeElement.dataset.mark") == mark
    page.keyboard.press("Home")
    told(root)
    now, low, high = hands.place(root, mark)["ends"]["x"]
    assert now == pytest.approx(min(low, high), abs=1.5)


STOPS = (
    "(root) => [...root.querySelectorAll('[data-held][tabindex=\"0\"]')].map((e) => e.dataset.mark)"
)


def test_tab_stops_once_at_marks_of_a_kind_and_keys_lead_to_the_others(toys):
    """Records by n and p, what is pressed by arrows; where a hand was, Tab comes back to."""
    root, page = toys["learner"], toys["learner"].page
    focus = "document.activeElement.dataset.mark"
    root.locator("[data-mark='bottle:0'][data-held]").focus()
    assert root.evaluate(STOPS) == ["bottle:0", "query:0"]
    marks = [page.keyboard.press(key) or page.evaluate(focus) for key in "npppn"]
    assert marks == ["bottle:1", "bottle:0", "bottle:4", "bottle:3", "bottle:4"]
    page.keyboard.press("ArrowLeft")  # it moves, and stays the one
    told(root)
    assert page.evaluate(focus) == "bottle:4"
    assert root.evaluate(STOPS) == ["bottle:4", "query:0"]
    page.keyboard.press("Tab")
    assert page.evaluate(focus) == "query:0"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(focus) == "bottle:4"


def test_a_mark_tells_a_screen_reader_what_it_is_and_where(toys):
    mark = toys["privacy"].locator("[data-mark='output'][data-held]").first
    assert mark.get_attribute("role") == "slider"
    assert mark.get_attribute("aria-label") == "printed number"
    low, now, high = (
        float(mark.get_attribute(f"aria-value{name}")) for name in ("min", "now", "max")
    )
    assert low <= now <= high


def test_records_are_added_by_a_double_click_and_taken_away_by_delete(toys):
    root = toys["learner"]
    queries = [mark for mark in hands.marks(root) if mark.startswith("query")]
    at = hands.place(root, queries[0])
    root.page.mouse.dblclick(at["x"] + 90, at["y"] - 60)
    told(root)
    more = [mark for mark in hands.marks(root) if mark.startswith("query")]
    assert len(more) == len(queries) + 1
    root.locator(f"[data-mark='{more[-1]}'][data-held]").focus()
    root.page.keyboard.press("Delete")
    told(root)
    assert [mark for mark in hands.marks(root) if mark.startswith("query")] == queries


def test_a_mark_that_is_led_off_its_axis_stays_at_the_edge(toys):
    root = toys["cluster"]
    hands.drag(root, "grid", 4000)
    now, *ends = hands.place(root, "grid")["ends"]["x"]
    assert now == pytest.approx(max(ends), abs=1.5)


def test_a_drag_keeps_its_mark_and_lays_out_little(toys):
    """No times, which hang on the machine: the same element throughout, few layouts a frame."""
    root, page = toys["privacy"], toys["privacy"].page
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable")

    def layouts():
        metrics = client.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "LayoutCount")

    icons = []
    page.on("request", lambda asked: icons.append(asked.url) if "favicon" in asked.url else None)
    before = layouts()
    seen = hands.swing(root, "output", seconds=1)
    assert icons == []  # nor is the icon of the page another while the kernel works
    frames = len(seen["lags"])
    assert seen["pictures"] and frames
    assert layouts() - before < 6 * frames
    assert max(seen["lags"]) <= 1
    assert root.evaluate(
        """async (root) => {
        const shown = () => root.querySelector("[data-mark='output'][data-held]");
        const drawn = new Promise((done) => root.addEventListener("dpviz-drawn", done));
        const box = shown().lastElementChild.getBoundingClientRect();
        const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 }, first = shown();
        const point = (kind, by) => first.dispatchEvent(new PointerEvent(kind, { bubbles: true,
          cancelable: true, pointerId: 1, clientX: at.x + by, clientY: at.y }));
        point("pointerdown", 0);
        point("pointermove", 30);
        await drawn;
        const same = shown() === first && document.activeElement === first;
        point("pointerup", 30);
        return same;
        }"""
    )
    told(root)


def attributes(picture):
    """The picture without what the hand leaves on it, the attributes of an element in one order."""
    left = r' transform="translate[^"]*"| class="[^"]*"| tabindex="[^"]*"'
    return re.sub(
        r"(<[\w-]+)((?: [\w:-]+=\"[^\"]*\")+)",
        lambda tag: tag[1] + "".join(sorted(re.findall(r' [\w:-]+="[^"]*"', tag[2]))),
        re.sub(left, "", picture),
    )


@pytest.mark.parametrize(("lesson", "mark"), [("cluster", "grid"), ("privacy", "output")])
def test_what_answers_have_changed_is_the_picture_that_is_sent_whole_in_the_end(toys, lesson, mark):
    root, page = toys[lesson], toys[lesson].page
    at = hands.place(root, mark)
    page.mouse.move(at["x"], at["y"])
    page.mouse.down()
    page.mouse.move(at["x"] + 60, at["y"], steps=6)
    held = attributes(told(root)["picture"])
    page.mouse.up()
    assert held == attributes(told(root)["picture"])


def test_of_the_places_on_the_way_one_is_asked_and_the_last_is_shown(toys):
    """What waits in a queue is late: while an answer is awaited, the places in between pass."""
    root = toys["privacy"]
    seen = root.evaluate(
        """async (root) => {
        const asked = [], names = [], reply = root.querySelector(".dpviz-reply");
        const note = ({ target }) => target.closest(".dpviz-wire")
          && asked.push(JSON.parse(target.value).at(-1));
        const ask = document.querySelectorAll;
        document.querySelectorAll = (what) => names.push(what) && ask.call(document, what);
        let most = 0;
        new MutationObserver((records) => {
          for (const { dataset } of records.flatMap((r) => [...r.addedNodes]))
            most = Math.max(most, asked.filter((act) => act[0] > Number(dataset.done)).length);
        }).observe(reply, { subtree: true, childList: true });
        root.addEventListener("input", note);
        let seconds = -performance.now() / 1000; // that twenty frames take here, at least one
        for (let i = 0; i < 20; i++) await new Promise(requestAnimationFrame);
        seconds = Math.max(1, seconds + performance.now() / 1000);
        const { frames, answers } = await dpviz.swing(root, "output", seconds);
        root.removeEventListener("input", note);
        await dpviz.settled();
        delete document.querySelectorAll;
        const all = names.filter((w) => w === ".dpviz-live").length;
        return { most, all, frames: frames * seconds, answers: answers * seconds };
        }"""
    )
    assert seen["answers"] > 1
    assert seen["most"] <= 1
    # Nor are the other instruments of the page gone through: once, as what names the mark comes.
    assert seen["all"] <= 2 < seen["frames"] / 4


def test_rules_of_style_stand_once_however_many_pictures_there_are(book):
    """A rule that stands twice is asked twice of each element that is new."""
    texts = book.page.evaluate(
        """[...document.querySelectorAll("style")].map((e) => e.textContent)
        .filter((text) => text.includes("dpviz"))"""
    )
    assert len(texts) == len(set(texts)) == 2


def test_a_second_finger_is_not_heard(toys):
    root = toys["fat_shattering"]
    at = hands.place(root, "dial")
    mouse = root.page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    mouse.move(at["x"] + 40, at["y"], steps=4)
    root.page.evaluate(
        """([x, y]) => document.querySelector(".jp-Notebook").dispatchEvent(new PointerEvent(
        "pointermove", { pointerId: 77, clientX: x, clientY: y, bubbles: true }))""",
        [at["x"] - 300, at["y"]],
    )
    mouse.up()
    told(root)
    assert hands.place(root, "dial")["x"] == pytest.approx(at["x"] + 40, abs=4)


def test_one_finger_drags_a_mark(toys):
    root = toys["smooth"]
    client = root.page.context.new_cdp_session(root.page)
    client.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    at = hands.place(root, "centre")

    def touch(kind, *points):
        spots = [{"x": x, "y": y} for x, y in points]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": spots})

    touch("touchStart", (at["x"], at["y"]))
    for step in range(1, 7):
        touch("touchMove", (at["x"] + 10 * step, at["y"]))
    touch("touchEnd")
    client.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    told(root)
    assert hands.place(root, "centre")["x"] == pytest.approx(at["x"] + 60, abs=4)


def test_a_drawn_curve_is_judged_and_the_truth_drawn_over_it(book):
    (root,) = book.roots("exercise")
    paths = "root => root.querySelectorAll('.dpviz-picture path').length"
    before = root.evaluate(paths)
    for i, height in enumerate((0.5, 0.25, 0.0, 0.25, 0.5)):
        at = hands.place(root, f"guess:{i}")
        _, *ends = at["ends"]["y"]
        hands.drag(root, f"guess:{i}", 0, (max(ends) - min(ends)) * (0.5 - height))
    root.locator(".dpviz-check").click()
    told(root)
    assert "Yes." in root.locator(".dpviz-feedback").inner_text()
    assert root.evaluate(paths) > before
    assert "truth" in root.locator(".dpviz-picture").inner_text()


def test_a_stored_page_asked_for_a_value_between_two_shows_the_nearer(browser, tmp_path):
    explorer = cluster.explore_losses()
    path = tmp_path / "one.html"
    path.write_text(sheet.page("One", run.moved(explorer, ["notebook"])), "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-awake]")
    told = stored.unpacked(page.locator("script.notebook").text_content())
    _, (low, high, *_) = told["handles"]["t"]["x"]
    for share, nearer in ((0.3, low), (0.7, high)):
        page.locator(".instrument").evaluate(
            """(root, at) => root.dispatchEvent(new CustomEvent("dpviz-hand",
            { detail: { mark: "t", act: "to", numbers: [at, null] } }))""",
            low + share * (high - low),
        )
        explorer.set(t=nearer)
        assert page.locator(".sentence").inner_text().strip() == explorer.screen.sentence
    page.close()


@pytest.fixture
def small(browser, tmp_path):
    """A page from disk with one dot in the plane and one slider, in two sizes."""

    def frame(mode):
        return style.figure("", alt="", mode=mode)[0]

    def paint(figure, result):
        look = style.points("records", figure.mode) | {"gid": "dot"}
        figure.axes[0].plot(*[[x] for x in result], **look)

    view = View(
        frame, paint, lambda result: f"It is at {result[0]:g}, {result[1]:g}.", lambda _: []
    )
    dot = Points(name="dot", label="dot", start=((0.5, 0.5),), lower=0, upper=1, most=1)
    lift = Slider(name="lift", label="lift", values=(0, 0.1), start=0)
    made = Explorer(
        lambda dot, lift, seed: (dot[0][0], dot[0][1] + lift),
        view,
        [dot, lift],
        {"lifted": {"lift": 0.1}},
        handles=[Handle(mark="dot", x="dot", y="dot")],
    )
    path = tmp_path / "small.html"
    path.write_text(sheet.page("Small", run.moved(made, ["notebook", "phone"])), "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-awake]")
    yield page
    page.close()


def test_keys_lead_a_record_of_a_stored_page_from_place_to_place(small):
    """Along each axis to the next place that is stored, and to the ends."""
    keys = ["ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"]
    seen = []
    for key in keys:
        small.locator("[data-mark='dot:0'][data-held]").focus()
        small.keyboard.press(key)
        seen.append(small.locator(".sentence").inner_text().strip())
    places = ["0.625, 0.5", "0.5, 0.5", "0.375, 0.5", "0.5, 0.625", "0.5, 0.5", "0, 0.5", "1, 0.5"]
    assert seen == [f"It is at {place}." for place in places]


def test_a_stored_page_that_is_narrowed_shows_the_picture_of_a_telephone_and_keeps_its_preset(
    small,
):
    width = "document.querySelector('.dpviz-picture svg').viewBox.baseVal.width"
    wide = small.evaluate(width)
    small.get_by_role("button", name="lifted").click()
    small.set_viewport_size(SIZE)
    small.wait_for_function(f"{width} < {wide}")
    assert small.locator(".sentence").inner_text().strip() == "It is at 0.5, 0.6."
    small.locator("[data-mark='dot:0'][data-held]").focus()
    small.keyboard.press("ArrowRight")
    assert small.locator(".sentence").inner_text().strip() == "It is at 0.625, 0.6."
    small.set_viewport_size({"width": 1000, "height": 700})
    small.wait_for_function(f"{width} === {wide}")


def test_on_a_telephone_every_toy_can_be_read_and_held(book, toys):
    """The openings of all lessons in one page; with their words above them in `test_phone`."""
    page, before, found = book.page, book.page.viewport_size, {}
    page.set_viewport_size(SIZE)
    for lesson, root in toys.items():
        root.scroll_into_view_if_needed()
        found[lesson] = list(slim_faults(book, root))
    page.set_viewport_size(before)
    page.evaluate("dpviz.laid()")
    assert {lesson: faults for lesson, faults in found.items() if faults} == {}


# In the kernel, until the file of a test is there.
BUSY = """import pathlib, time
while not pathlib.Path({!r}).exists(): time.sleep(0.05)"""


def test_while_the_kernel_is_busy_the_mark_goes_back_and_its_answer_still_comes(toys, tmp_path):
    root = toys["fat_shattering"]
    page = root.page
    at = hands.place(root, "dial")
    page.evaluate("code => void dpviz.ask(code)", BUSY.format(str(tmp_path / "go on")))
    mouse = page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    mouse.move(at["x"] - 40, at["y"], steps=4)
    mouse.up()
    page.wait_for_function("document.querySelector('.dpviz-gone')")
    assert hands.place(root, "dial")["x"] == pytest.approx(at["x"], abs=2)
    (tmp_path / "go on").touch()
    told(root)
    assert page.locator(".dpviz-gone").count() == 0
    assert hands.place(root, "dial")["x"] == pytest.approx(at["x"] - 40, abs=4)


def test_without_a_kernel_the_mark_goes_back_and_a_sentence_says_why(book, toys):
    """The last test of this notebook: its kernel is gone afterwards."""
    root, page = toys["fat_shattering"], book.page
    at = hands.place(root, "dial")
    page.evaluate("dpviz.leave()")
    mouse = page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    mouse.move(at["x"] - 60, at["y"], steps=4)
    mouse.up()
    page.wait_for_function("document.querySelector('.dpviz-gone')")
    assert "does not answer" in page.locator(".dpviz-gone").inner_text()
    assert hands.place(root, "dial")["x"] == pytest.approx(at["x"], abs=2)
