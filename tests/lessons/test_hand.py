"""Marks that a hand takes hold of stand where their controls say, and lead them where it goes."""

import gc
import importlib
import json
import pkgutil
import re
import xml.etree.ElementTree as xml
from dataclasses import replace
from functools import cache

import ipywidgets as widgets
import pytest

from dpviz import lessons
from dpviz.instruments import faces
from dpviz.instruments.controls import Click, Handle, Points
from dpviz.instruments.explorer import Choice, Explorer, Slider, View
from dpviz.instruments.faces import ExplorerFace
from dpviz.pages import stored

FOLDERS = [module.name for module in pkgutil.iter_modules(lessons.__path__) if module.ispkg]
MAKERS = {
    f"{folder}.{name}": getattr(lesson, name)
    for folder in FOLDERS
    for lesson in [importlib.import_module(f"dpviz.lessons.{folder}")]
    for name in lesson.__all__
    if name.startswith("explore_")
}
BARE = {  # nothing of these is moved by hand
    "embedding.explore_distortion",
    "learner.explore_learner",
    "learner.explore_mistakes",
    "privacy.explore_auditor",
    "smooth.explore_approximation",
    "smooth.explore_bias_variance",
    "sparse.explore_online",
}
NEEDED = {  # of each lesson what a hand moves at least
    "start": {"patient", "record", "tuesday"},
    "privacy": {"output", "epsilon"},
    "learner": {"bottles", "queries"},
    "distance": {"questions", "coins"},
    "embedding": {"towns", "cuts"},
    "sparse": {"truth", "query"},
    "cluster": {"records", "shift", "pin", "t"},
    "smooth": {"records", "centre", "terms"},
    "fat_shattering": {"error", "levels", "pattern", "rows"},
    "compare": {"n", "epsilon", "errors", "alpha", "product"},
}
FAR = 1e9


@cache
def made(name):
    """One of the explorers, for all tests that do not mind what was set before."""
    return MAKERS[name]()


@pytest.fixture(scope="module", params=sorted(set(MAKERS) - BARE))
def explorer(request):
    return made(request.param)


@pytest.fixture(autouse=True)
def at_its_start(request):
    if "explorer" in request.fixturenames:
        made = request.getfixturevalue("explorer")
        made.set(**{name: control.start for name, control in made.controls.items()})


def moved(handle):
    """The controls that a handle moves."""
    if isinstance(handle, Click):
        return {handle.control}
    return {name for name in (handle.x, handle.y) if name}


def held(explorer):
    """Of each mark that the picture lets a hand hold, its attributes."""
    tags = re.findall(r'<g data-mark="([^"]+)"([^>]*data-held[^>]*)>', explorer.screen.picture)
    return {name: dict(re.findall(r'([\w-]+)="([^"]*)"', more)) for name, more in tags}


def place(attributes, axis):
    """Where a mark stands along an axis, in the axis's units, by the scale that it brings."""
    how, *numbers = attributes[f"data-{axis}"].split()
    zero, per, now, *_ = map(float, numbers)
    assert how in ("lin", "log")
    along = (now - zero) / per
    return 2.718281828459045**along if how == "log" else along


@pytest.mark.parametrize("name", sorted(BARE))
def test_what_is_called_bare_is(name):
    assert not made(name).handles


@pytest.mark.parametrize("lesson", NEEDED)
def test_each_lesson_has_its_own_things_in_the_hand(lesson):
    names = [name for name in MAKERS if name.startswith(f"{lesson}.")]
    handles = [handle for name in names for handle in made(name).handles.values()]
    assert set().union(*map(moved, handles)) >= NEEDED[lesson]


def test_every_handle_is_a_mark_of_the_picture_as_often_as_it_can_be_moved(explorer):
    for setting in [{}, *explorer.presets.values()]:
        explorer.set(**setting)
        there = {name.partition(":")[0] for name in held(explorer)}
        able = {
            mark: moved(handle)
            for mark, handle in explorer.handles.items()
            if any(map(explorer.acts, moved(handle)))
        }
        assert not explorer.problem and there <= set(able)
        # A picture with rows or columns has one of two marks for the same control.
        led = set().union(*(able[mark] for mark in there))
        assert led == set().union(*able.values()), (setting, led)


def test_a_mark_stands_where_its_control_says_and_goes_where_a_hand_leads_it(explorer):
    for mark, handle in explorer.handles.items():
        for axis in "xy":
            name = getattr(handle, axis, "")
            control = explorer.controls.get(name)
            seen = isinstance(control, Slider) and mark in held(explorer)
            if not seen or not explorer.acts(name):
                continue
            values = [value for value in control.values if not isinstance(value, str)]
            for value in (values[0], values[len(values) // 3], values[-1]):
                numbers = [None, None]
                numbers["xy".index(axis)] = handle.place(name, value)
                explorer.hand(mark, "to", *numbers)
                now = explorer.values[name]
                assert handle.place(name, now) == pytest.approx(handle.place(name, value))
                at = place(held(explorer)[mark], axis)
                assert at == pytest.approx(handle.place(name, now), rel=2e-3, abs=2e-3), mark


def test_the_words_say_all_that_a_hand_and_its_keys_can_do(explorer):
    """What is dragged, pressed, added: by the labels of the controls, each once; and the keys."""
    words, controls = explorer.movable, explorer.controls
    handles = {held.mark.partition(":")[0] for held in explorer.held()}
    own = [explorer.handles[mark] for mark in explorer.handles if mark in handles]
    drags = [each for each in own if isinstance(each, Handle)]
    presses = [each for each in own if isinstance(each, Click)]
    assert ("drag " in words, "press " in words) == (bool(drags), bool(presses))
    assert (", arrows" in words, ", Enter" in words) == (bool(drags), bool(presses))
    moved = {name for each in drags for name in (each.x, each.y) if name and explorer.acts(name)}
    for name in moved | {each.control for each in presses}:
        assert controls[name].label in words
    records = [controls[name] for name in moved if isinstance(controls[name], Points)]
    assert ("n for the next" in words) == any(control.most > 1 for control in records)
    for control in records:
        grows = control.fewest < control.most
        assert (f"double-click adds a {control.label}, Delete" in words) == grows


def test_tab_stops_at_one_mark_of_a_kind(explorer):
    """A mark that stands in two panels is one in each."""
    held = r'data-mark="([^"]*)"[^>]* data-held="([^"]*)" tabindex="(-?\d)"'
    marks = re.findall(held, explorer.screen.picture)
    assert marks
    first = {kind: mark for mark, kind, _ in reversed(marks)}
    assert {(mark, kind) for mark, kind, stop in marks if stop == "0"} == {
        (mark, kind) for kind, mark in first.items()
    }


def test_a_hand_far_outside_leads_to_an_end_and_no_further(explorer):
    for mark, handle in explorer.handles.items():
        for axis in "xy":
            name = getattr(handle, axis, "")
            control = explorer.controls.get(name)
            if not isinstance(control, Slider) or not explorer.acts(name):
                continue
            values = [value for value in control.values if not isinstance(value, str)]
            ends = {handle.place(name, value) for value in values}
            for far, end in ((-FAR, min(ends)), (FAR, max(ends))):
                numbers = [None, None]
                numbers["xy".index(axis)] = far
                explorer.hand(mark, "to", *numbers)
                assert handle.place(name, explorer.values[name]) == end
            explorer.set(**{name: control.start})


def test_a_step_by_keys_goes_the_way_of_the_axis(explorer):
    for mark, handle in explorer.handles.items():
        name = getattr(handle, "x", "")
        control = explorer.controls.get(name)
        if not isinstance(control, Slider) or not explorer.acts(name):
            continue
        values = [value for value in control.values if not isinstance(value, str)]
        explorer.set(**{name: values[len(values) // 2]})
        before = handle.place(name, explorer.values[name])
        explorer.hand(mark, "by", 1, None)
        assert handle.place(name, explorer.values[name]) >= before, mark


def records(explorer):
    """Each list of records with its handle and the axes along which they move."""
    for mark, handle in explorer.handles.items():
        if isinstance(handle, Handle):
            control = explorer.controls[handle.x or handle.y]
            if isinstance(control, Points):
                axes = [axis for axis in "xy" if getattr(handle, axis) == control.name]
                yield mark, control, axes


def numbers_for(axes, at):
    """Coordinates as a page sends them."""
    return [at if axis in axes else None for axis in "xy"]


def test_a_record_that_passes_others_stays_the_one_that_is_held(explorer):
    """Each marker is the record of its own number: the others do not move."""
    for mark, control, axes in records(explorer):
        start = explorer.values[control.name]
        for i in range(len(start)):
            for at in (control.lower, 0.3 * control.lower + 0.7 * control.upper):
                explorer.set(**{control.name: start})
                explorer.hand(f"{mark}:{i}", "to", *numbers_for(axes, at))
                now = explorer.values[control.name]
                if explorer.problem:
                    continue  # told to the reader; the picture is the last good one
                assert now[i] == pytest.approx((at,) * len(axes), abs=1e-3)
                assert now[:i] + now[i + 1 :] == start[:i] + start[i + 1 :]
                there = held(explorer)
                for k, record in enumerate(now):
                    drawn = [place(there[f"{mark}:{k}"], axis) for axis in axes]
                    assert drawn == pytest.approx(record, abs=5e-3), (mark, i, k)


def test_records_come_and_go_between_fewest_and_most(explorer):
    for mark, control, axes in records(explorer):
        middle = (control.lower + control.upper) / 2
        for _ in range(control.most + 1):
            explorer.hand(f"{mark}:0", "add", *numbers_for(axes, middle))
        assert len(explorer.values[control.name]) == control.most
        for _ in range(control.most + 1):
            explorer.hand(f"{mark}:0", "remove")
        assert len(explorer.values[control.name]) == control.fewest
        explorer.hand(f"{mark}:0", "to", *numbers_for(axes, FAR))
        assert max(explorer.values[control.name][0]) == control.upper


def test_what_is_pressed_sets_its_control(explorer):
    for mark, handle in explorer.handles.items():
        if isinstance(handle, Click):
            start = explorer.values[handle.control]
            seen = set()
            for i, name in enumerate(handle.names):
                explorer.set(**{handle.control: start})
                explorer.hand(f"{mark}:{i}", "press")
                assert explorer.values[handle.control] == handle.to(start, i)
                seen.add(explorer.values[handle.control])
                assert name in held(explorer)[f"{mark}:{i}"]["aria-label"]
            assert len(seen - {start}) >= len(handle.names) - 1


def test_what_no_hand_can_do_changes_nothing(explorer):
    before = dict(explorer.values)
    mark = next(iter(explorer.handles))
    for act in (("nobody", "to", 1.0, 1.0), (mark, "to", None, None), (mark, "fly", 1.0, 1.0)):
        explorer.hand(*act)
        assert explorer.values == before


# A small one by hand ----------------------------------------------------------------------------
def small():
    """One slider from 0 to 10 that stands at its value, and up to 30 records."""
    from dpviz.drawing import style

    def frame(mode):
        fig, ax = style.figure("", alt="", mode=mode)
        style.linear_axis(ax, "x", 0, 10)
        style.linear_axis(ax, "y", 0, 1)
        return fig

    def paint(fig, result):
        value, many = result
        fig.axes[0].plot([value], [0.5], **style.points("released", fig.mode) | {"gid": "here"})
        dots = style.points("records", fig.mode) | {"gid": "dot"}
        fig.axes[0].plot([x for (x,) in many], [0.1] * len(many), **dots)

    view = View(frame, paint, lambda result: f"It is {result[0]}.", lambda result: [])
    controls = [
        Slider(name="a", label="a", values=range(11), start=3),
        Points(name="many", label="dot", start=((1.0,),), lower=0, upper=10),
        Choice(name="word", label="word", values=("no", "yes"), start="no"),
    ]
    handles = [Handle(mark="here", x="a"), Handle(mark="dot", x="many")]
    compute = lambda a, many, word, seed: (a, many)  # noqa: E731
    return Explorer(compute, view, controls, handles=handles)


def test_thirty_records_and_not_one_more():
    made = small()
    for i in range(40):
        made.hand("dot:0", "add", i / 4, None)
    assert len(made.values["many"]) == 30


def test_a_page_that_sends_an_act_twice_is_heard_once():
    made = small()
    face = ExplorerFace(made)
    acts = [[1, "dot:0", "add", 2.0, None], [2, "dot:0", "add", 3.0, None]]
    first, second = face.wires
    first.value = json.dumps(acts)
    second.value = json.dumps([*acts, [3, "here", "to", 7.2, None]])
    assert made.values["many"] == ((1.0,), (2.0,), (3.0,)) and made.values["a"] == 7
    first.value = json.dumps([*acts, [2.5, "here", "to", 1.0, None]])  # it was overtaken
    assert made.values["a"] == 7
    assert 'data-done="3"' in face.screen.answer.value
    face.leave()


@pytest.fixture
def sent(monkeypatch):
    """What widgets send while a test runs: the first class of each, or its kind, and the key."""
    seen = []
    send = widgets.Widget.send_state

    def send_state(self, key=None):
        names = getattr(self, "_dom_classes", ()) or [type(self).__name__]
        seen.append((names[0], key))
        send(self, key)

    monkeypatch.setattr(widgets.Widget, "send_state", send_state)
    return seen


def drag(face, serial, *to):
    """A page sends where a hand has led the mark, and "let" if it leads nowhere."""
    act = ["to", *to] if to else ["let"]
    face.wires[int(serial) % 2].value = json.dumps([[serial, "here", *act]])


def shown(face, before):
    """What a page that shows a picture shows after an answer; each picture as its elements."""
    answer = face.screen.answer.value
    if "<svg" not in answer:
        return before
    picture = list(xml.fromstring(answer[answer.index("<svg") : answer.index("</svg></div>") + 6]))
    return [
        old if new.get("data-same") == "" else xml.tostring(new)
        for old, new in zip(before or picture, picture, strict=not before)
    ]


def whole(screen):
    """A screen's picture as its elements."""
    return [xml.tostring(each) for each in xml.fromstring(screen.picture)]


PARTS = [("dpviz-picture", "value"), ("dpviz-sentence", "value")]  # the table has no rows


def test_a_move_of_a_hand_is_one_answer_and_nothing_else(sent):
    made = small()
    face = ExplorerFace(made)
    stored = face.screen.picture.value
    page = whole(made.screen)
    for serial, to in enumerate([7, 7, 9], 1):
        sent.clear()
        drag(face, serial, to, None)
        assert [each for each in sent if each[0] != "dpviz-wire"] == [("dpviz-reply", "value")], (
            serial
        )
        # What has not changed is not sent; what a page that is loaded again asks for is of now.
        assert ("<svg" in face.screen.answer.value) is (serial != 2)
        assert (made.screen.picture in face.screen.answer.value) is (serial == 1)
        page = shown(face, page)
        assert page == whole(made.screen)
        assert face.screen.picture.value == made.screen.picture != stored
    sent.clear()
    drag(face, 4)
    assert [each for each in sent if each in PARTS] == PARTS
    sent.clear()
    drag(face, 5)
    assert not [each for each in sent if each in PARTS]
    face.leave()


def test_sliders_follow_a_drag_now_and_then_and_where_it_rests_or_ends(sent):
    """Each of them is a message of its own, which a page hears as long as half a picture."""
    made = small()
    face = ExplorerFace(made)
    slider = face.inputs["a"]
    steps = [4, 5] * faces.TOGETHER
    shown = [drag(face, serial, to, None) or slider.value for serial, to in enumerate(steps, 1)]
    assert [i for i in range(1, len(steps)) if shown[i] != shown[i - 1]] == [faces.TOGETHER - 1]
    drag(face, 90, 7, None)
    assert (slider.value, made.values["a"]) == (5, 7)
    sent.clear()
    face.wires[0].value = json.dumps([[91, "here", "rest"]])
    assert slider.value == 7
    assert not [each for each in sent if each in PARTS]  # the mark in the hand stays as it is
    drag(face, 92, 9, None)
    drag(face, 93)
    assert slider.value == 9
    face.leave()


def test_a_hand_that_comes_back_is_answered_with_the_picture_of_the_start():
    """The page knows that picture as the last one that was sent whole, and shows another."""
    made = small()
    face = ExplorerFace(made)
    start = made.screen.picture
    drag(face, 1, 7, None)
    face.wires[0].value = json.dumps([[2, "here", "to", 3, None], [3, "here", "let"]])
    assert made.screen.picture == start and "<svg" in face.screen.answer.value
    face.leave()


@pytest.mark.parametrize("name", ["cluster.explore_cluster", "cluster.explore_line"])
def test_an_answer_names_what_stays_and_a_page_shows_the_whole_picture(name):
    """Also after what is sent whole in between, and where something comes or goes."""
    made = MAKERS[name]()
    face = ExplorerFace(made)
    mark, page, sizes = next(iter(made.handles)), whole(made.screen), []
    for serial, at in enumerate([0.2, 0.4, 0.6, None, 0.7, 0.8], 1):
        if at is None:
            faces.narrow().value = "phone"
            page = whole(made.screen)
            continue
        act = [serial, f"{mark}:0", "to", at, 0.3]
        face.wires[serial % 2].value = json.dumps([act])
        page = shown(face, page)
        assert page == whole(made.screen)
        sizes.append(len(face.screen.answer.value))
    faces.narrow().value = ""
    assert max(sizes[1:3] + sizes[4:]) < min(sizes[0], sizes[3]) / 2
    face.leave()


def test_a_key_after_a_drag_without_an_end_sends_what_is_late(sent):
    made = small()
    face = ExplorerFace(made)
    drag(face, 1, 7, None)
    sent.clear()
    face.wires[0].value = json.dumps([[2, "dot", "by", 0, None]])  # it moves nothing
    assert [each for each in sent if each in PARTS] == PARTS
    face.leave()


@pytest.mark.parametrize("end", [[2, "here", "let"], [2, "dot", "by", 0, None]])
def test_no_look_at_all_objects_holds_a_drag_back(end):
    face = ExplorerFace(small())
    before = gc.get_freeze_count()
    drag(face, 1, 7, None)
    drag(face, 1.5, 8, None)
    everything = len(gc.get_objects())
    assert gc.get_freeze_count() > before + everything
    face.wires[0].value = json.dumps([end])
    assert gc.get_freeze_count() == 0
    face.leave()


def test_a_drag_computes_once_for_each_value_and_draws_what_stays_once(monkeypatch):
    made = small()
    face = ExplorerFace(made)
    framed, computed, compute = [], [], made.compute
    made.compute = lambda **values: (computed.append(values["a"]), compute(**values))[1]
    view = made.screen.view
    monkeypatch.setattr(made.screen, "view", replace(view, frame=framed.append))
    for serial, to in enumerate([4, 4.2, 5, 5.4, 6], 1):
        drag(face, serial, to, None)
    drag(face, 6)
    assert computed == [4, 5, 6] and not framed
    face.leave()


@pytest.mark.parametrize(
    "sent",
    ["nonsense", "{}", "[1, 2]", '[["x", "here", "to", 5]]', '[[9, "here"]]', "null", "[[]]"],
)
def test_what_is_no_list_of_acts_is_none(sent):
    made = small()
    face = ExplorerFace(made)
    face.wires[0].value = sent
    assert made.values["a"] == 3
    face.leave()


@pytest.mark.parametrize("number", ["NaN", "Infinity", '"5"', "null", "true"])
def test_a_number_that_is_none_moves_nothing(number):
    made = small()
    face = ExplorerFace(made)
    face.wires[0].value = f'[[5, "here", "to", {number}, null]]'
    assert made.values["a"] in (3, 1) and not made.problem  # JSON's true is Python's 1
    face.leave()


@pytest.mark.parametrize(
    ("handle", "word"),
    [
        (Handle(mark="here", x="b"), "b"),
        (Handle(mark="here", x="word"), "word"),
        (Click(mark="here", control="b", names=("b",), to=lambda value, i: value), "b"),
    ],
)
def test_a_handle_of_no_control_is_refused_by_name(handle, word):
    made = small()
    with pytest.raises(ValueError, match=repr(word)):
        Explorer(made.compute, made.screen.view, list(made.controls.values()), handles=[handle])


@pytest.mark.parametrize(
    ("places", "why"),
    [
        ([], "1 to 30"),
        ([[0.5]] * 31, "1 to 30"),
        ([[0.5, 0.5]], "1 finite"),
        ([[float("nan")]], "1"),
    ],
)
def test_places_that_are_none_are_refused_by_name(places, why):
    control = small().controls["many"]
    with pytest.raises(ValueError, match=f"many must be .*{why}"):
        control.placed(places)


def test_a_stored_page_knows_where_a_press_leads():
    made = MAKERS["sparse.explore_update"]()
    data = stored.unpacked(stored.explorer(made, {"notebook": 10**6})["notebook"])
    control, follows = data["handles"]["name"]["press"]
    shown = data["controls"][control]["shown"]
    assert shown[follows[shown.index("a")][2]] == "a, c"
    assert follows[shown.index("a")][0] == shown.index("a")  # it asks for one name at least
