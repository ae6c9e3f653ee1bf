"""Live pictures: the frame is kept, the result drawn anew; failures keep the last picture."""

import html
import importlib
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import IPython
import pytest
from IPython.core.formatters import DisplayFormatter

from dpviz import lessons
from dpviz.drawing import page, stills, style
from dpviz.drawing.live import Live, View
from dpviz.exercises.answers import Number
from dpviz.exercises.exercise import Exercise
from dpviz.exercises.faces import ExerciseFace
from dpviz.instruments import instrument
from dpviz.instruments.explorer import Choice, Explorer, Slider
from dpviz.instruments.faces import ExplorerFace, PlayerFace
from dpviz.instruments.instrument import VIEW as WIDGET
from dpviz.instruments.player import Player
from dpviz.words import say


def frame(mode):
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", 0, 10)
    return fig


def paint(fig, result):
    style.retitle(fig, f"Height {result}", "a line")
    fig.axes[0].plot([0, 1], [0, result], **style.line("released", fig.mode))
    style.label_ends(fig.axes[0], [(1, result, "end", "released")])
    if result == 7:
        raise ValueError("height must not be 7")


VIEW = View(frame, paint, "A line of height {}.".format, lambda r: [["", "number"], ["height", r]])


HEIGHT = [Slider(name="height", label="height", values=range(10), start=3)]


def compute(*, height, word, seed):
    if height == 0:
        raise ValueError("height must be above 0, not 0")
    return height + 0 * seed


def explorer(**more):
    """The logic alone."""
    controls = [
        Slider(name="height", label="height", values=range(10), start=3),
        Choice(name="word", label="word", values=("a", "b"), start="a"),
    ]
    return Explorer(compute, VIEW, controls, {"High": {"height": 9}, "Start": {}}, **more)


def face(**more):
    return ExplorerFace(explorer(**more))


def parts(shown):
    """Picture, sentence and table on the page."""
    return shown.screen.picture.value, shown.screen.sentence.value, shown.screen.table.value


def test_what_was_painted_before_is_gone():
    live = Live(VIEW, "notebook")
    first = live.svg(3)
    assert live.svg(8) != first
    assert live.svg(3) == first
    assert len(live.figure.axes[0].lines) == 1


def test_a_failed_painting_leaves_nothing_behind():
    live = Live(VIEW, "notebook")
    good = live.svg(3)
    with pytest.raises(ValueError, match="must not be 7"):
        live.svg(7)
    assert live.svg(3) == good


def test_a_slider_moves_picture_sentence_and_table():
    shown = face()
    before = parts(shown)
    shown.inputs["height"].value = 5
    after = parts(shown)
    assert all(a != b for a, b in zip(after, before, strict=True))
    assert "height 5" in after[1]


@pytest.mark.parametrize("bad", [0, 7])
def test_a_bad_value_becomes_a_sentence_and_the_picture_stays(bad):
    shown = face()
    before = shown.screen.picture.value
    shown.inputs["height"].value = bad
    assert "height must" in shown.problem.value
    assert "last good one" in shown.problem.value
    assert shown.screen.picture.value == before
    shown.inputs["height"].value = 5
    assert shown.problem.value == ""
    assert shown.screen.picture.value != before


def test_a_preset_sets_everything_and_draws_once(monkeypatch):
    shown, drawn = explorer(), []
    shown.set(word="b")
    update = shown.update
    monkeypatch.setattr(shown, "update", lambda: (drawn.append(1), update()))
    shown.set(**shown.presets["High"])
    assert drawn == [1]
    assert (shown.values["height"], shown.values["word"]) == (9, "a")


def test_a_move_to_an_unknown_value_is_refused_and_nothing_moves():
    shown = explorer()
    for wrong in ({"width": 1}, {"word": "b", "height": 10}):
        with pytest.raises(ValueError, match="no such control or value"):
            shown.set(**wrong, seed=5)
    assert shown.values == {"height": 3, "word": "a", "seed": 1}
    shown.set(height=4.0)
    assert type(shown.values["height"]) is int  # as listed


def test_two_faces_of_one_explorer_show_the_same_and_so_does_a_move_by_program():
    shown = explorer()
    first, second = ExplorerFace(shown), ExplorerFace(shown)
    first.inputs["height"].value = 5
    assert second.inputs["height"].value == 5
    shown.set(height=8, word="b")
    assert first.inputs["height"].value == 8 and first.inputs["word"].value == "b"
    assert parts(first) == parts(second) != parts(face())


def test_a_face_draws_once_a_move(monkeypatch):
    shown, drawn = face(), []
    show = shown.explorer.screen.show
    monkeypatch.setattr(
        shown.explorer.screen, "show", lambda r, *held: (drawn.append(r), show(r, *held))
    )
    shown.inputs["height"].value = 5
    preset = shown.children[0].children[0].children[0]
    assert preset.description == "High"
    preset.click()
    shown.again.click()
    assert drawn == [5, 9, 9]


def test_a_preset_with_an_unknown_value_is_refused():
    controls = [Slider(name="height", label="height", values=range(3), start=1)]
    for wrong in ({"width": 1}, {"height": 9}):
        with pytest.raises(ValueError, match="preset 'Odd' sets"):
            Explorer(lambda **v: 1, VIEW, controls, {"Odd": wrong})


def test_draw_again_changes_the_seed_and_says_so():
    shown = face()
    shown.again.click()
    assert shown.explorer.values["seed"] == 2
    assert shown.again.description == "draw again (seed 2)"


def test_the_projector_is_one_switch_for_all_pictures_of_a_lesson():
    first, second, player = face(), face(), PlayerFace(Player(VIEW, [1, 2]))
    pictures = [one.screen.picture for one in (first, second, player)]
    small = [picture.value for picture in pictures]
    first.projector.value = True
    try:
        late = face().screen.picture
        for picture in (*pictures, late):
            assert 'viewBox="0 0 1280 720"' in picture.value
            assert "dpviz-projected" in picture._dom_classes
    finally:
        second.projector.value = False
    assert [picture.value for picture in pictures] == small
    assert "dpviz-projected" not in first.screen.picture._dom_classes


def test_slow_computing_reacts_on_release():
    """By processor time: a machine that is busy with something else does not make it slow."""

    def busy(seconds):
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass

    controls = [Slider(name="height", label="height", values=range(3), start=1)]
    for wait, follows in ((busy, False), (time.sleep, True)):
        shown = Explorer(lambda wait=wait, **v: wait(0.06) or v["height"], VIEW, controls)
        assert shown.is_slow() is not follows
        assert ExplorerFace(shown).inputs["height"].continuous_update is follows


def test_slow_once_is_not_slow():
    """The first call may read data that later calls find in memory."""
    times = [0.2, 0.2, 0.0]

    def compute(*, height, seed):
        end = time.process_time() + (times.pop(0) if times else 0)
        while time.process_time() < end:
            pass
        return height

    controls = [Slider(name="height", label="height", values=range(3), start=1)]
    assert not Explorer(compute, VIEW, controls).is_slow()


def test_what_is_stored_is_a_picture_the_words_and_the_widget_each_once():
    outputs = face().outputs()
    data, words, live = outputs
    assert list(data) == ["text/html", "text/plain"]
    assert data["text/html"].count('src="data:image/png;base64,iVBOR') == 1
    assert data["text/plain"] == "A line of height 3.\n  number\nheight  3"
    assert list(live) == [WIDGET, "text/html"]
    assert live["text/html"] == ""  # as text it is an empty box where nobody knows widgets
    for part in (
        "A line of height 3.",
        "<td>3</td>",
        html.escape(say("instrument.advice")),
        "dpviz-pictured",
    ):
        assert part in words["text/html"]
    json.dumps(outputs)


@pytest.mark.parametrize("trace", [None, [1, 2], []])
def test_displayed_it_sends_what_is_stored(trace, monkeypatch):
    """Both display() and the end of a cell ask this formatter; an empty answer ends the matter."""
    shown, sent = explorer() if trace is None else Player(VIEW, trace), []
    stored = (ExplorerFace if trace is None else PlayerFace)(shown).outputs()
    monkeypatch.setattr(instrument, "display", lambda data, **how: sent.append((data, how)))
    assert DisplayFormatter().format(shown) == ({}, {})
    assert [how for _, how in sent] == [{"raw": True}] * len(stored)
    assert [data for data, _ in sent[:-1]] == stored[:-1]
    assert list(sent[-1][0]) == list(stored[-1]) == [WIDGET, "text/html"]


def test_run_again_a_cell_lets_go_of_what_it_showed(monkeypatch):
    def run(cell, message, *shown):
        header = {"metadata": {"cellId": cell}, "header": {"msg_id": message}}
        kernel = type("Kernel", (), {"parent_header": header})
        monkeypatch.setattr(instrument, "get_ipython", lambda: kernel)
        for each in shown:
            each._ipython_display_()

    monkeypatch.setattr(instrument, "display", lambda *data, **how: None)
    first, second, player = face(), face(), PlayerFace(Player(VIEW, [1, 2]))
    run("a", "1", first, player)
    run("b", "2", second)
    pictures = [each.screen.picture.value for each in (first, player)]
    run("a", "3", again := face())
    second.projector.value = True
    try:
        assert [each.screen.picture.value for each in (first, player)] == pictures
        assert first.comm is None and not first.explorer.watchers and not player.player.watchers
        assert all("0 0 1280 720" in each.screen.picture.value for each in (second, again))
    finally:
        second.projector.value = False


@pytest.mark.parametrize("known", ["cellId", "code", "In"])
def test_a_script_is_stored_by_the_first_cell_that_needs_it(known, monkeypatch):
    """Also when it runs again; where each is a page of its own, as in Colab, by each.

    Some front ends give a cell no name, nbval keeps no history, and pages with Python no message.
    """

    def brings(cell):
        says = {name: f"show({cell!r})" if name == known else "" for name in ("cellId", "code")}
        source = f"show({cell!r})" if known == "In" else ""
        shell = SimpleNamespace(
            parent_header={"metadata": says, "content": says}, user_ns={"In": ["", source]}
        )
        monkeypatch.setattr(instrument, "get_ipython", lambda: shell)
        (words, _), (*_, more, _) = ExerciseFace(asked).outputs(), face().outputs()
        return tuple(each["text/html"].count("<script>") for each in (words, more))

    asked = Exercise("How many?", Number(value=4), [], "Count.")
    monkeypatch.setattr(instrument, "_stores", {})
    assert [brings(cell) for cell in "abab"] == [(1, 2), (0, 0), (1, 2), (0, 0)]
    monkeypatch.setattr(instrument, "_stores", {page.SCRIPT: "elsewhere"})
    assert brings("a") == (0, 1)
    monkeypatch.setitem(sys.modules, instrument.APART, None)
    assert brings("b") == (1, 2)


def test_both_notice_and_words_give_the_advice():
    shown = face()
    advice = html.escape(say("instrument.advice"))
    assert advice in shown.screen.notice.value
    assert advice in shown.outputs()[1]["text/html"]


def test_words_are_escaped():
    view = View(frame, lambda fig, result: None, str, lambda result: [["<b>", "x"], [result, 1]])
    shown = PlayerFace(Player(view, ["<script>"]))
    assert "<script>" not in shown.screen.sentence.value + shown.screen.table.value


def test_a_player_steps_within_its_trace():
    player = Player(VIEW, [1, 2, 3], start=1)
    assert "height 2" in player.screen.sentence
    player.step(5)
    assert player.position == 2
    assert "height 3" in player.screen.sentence
    player.step(-9)
    assert player.position == 0
    assert Player(VIEW, [1, 2, 3], start=9).position == 2


def bar_of(shown):
    """The controls of a player: its body, its panel, its bar."""
    return shown.children[0].children[0].children[0].children


def test_the_buttons_and_the_slider_of_a_player_move_it():
    shown = PlayerFace(Player(VIEW, [1, 2, 3], start=1))
    play, back, step, position, _ = bar_of(shown)
    step.click()
    assert shown.player.position == position.value == play.value == 2
    assert "height 3" in shown.screen.sentence.value
    back.click()
    position.value -= 1
    assert shown.player.position == 0
    assert "height 1" in shown.screen.sentence.value
    shown.player.go(2)
    assert position.value == play.value == 2


def test_play_and_position_are_one():
    shown = PlayerFace(Player(VIEW, [1, 2, 3]))
    shown.play.value = 2
    assert shown.position.value == shown.player.position == 2
    assert "height 3" in shown.screen.sentence.value


def test_a_player_starts_still_and_never_changes_more_than_three_times_a_second():
    shown = PlayerFace(Player(VIEW, [1, 2, 3]))
    assert not shown.play.playing and not shown.play.repeat
    for name, interval in shown.player.speeds.items():
        shown.speed.value = interval
        assert shown.play.interval == interval > 1000 / 3
        assert shown.player.speed == name
    shown.player.play_at("slow")
    assert shown.play.interval == 1000
    with pytest.raises(ValueError, match="speed must be one of"):
        shown.player.play_at("fastest")


def test_every_control_of_a_player_has_a_name():
    for control in bar_of(PlayerFace(Player(VIEW, [1, 2, 3]))):
        assert control.tooltip


def test_an_empty_trace_is_a_sentence():
    shown = PlayerFace(Player(VIEW, []))
    assert "empty" in shown.children[0].value
    words, _ = shown.outputs()
    assert "empty" in words["text/html"]
    assert "dpviz-pictured" not in words["text/html"].split("<style>")[0]


def test_a_picture_does_not_depend_on_what_was_shown_before():
    fresh, used = Live(VIEW, "notebook"), Live(VIEW, "notebook")
    for height in (1, 2.3, 9, 4.7):
        used.svg(height)
    assert used.svg(5) == fresh.svg(5)


def test_what_cannot_be_drawn_is_told_and_the_picture_stays():
    def broken(fig, result):
        if result > 8:
            raise ZeroDivisionError
        paint(fig, result)

    view = View(frame, broken, VIEW.say, VIEW.table)
    shown = Explorer(lambda *, height, seed: height, view, HEIGHT)
    before = shown.screen.picture
    shown.set(height=9)
    assert shown.problem == "ZeroDivisionError. The picture is the last good one."
    assert shown.screen.picture == before


def test_still_figures_follow_the_projector_and_what_a_cell_showed_before_is_let_go(monkeypatch):
    lesson, outputs = stills.Stills(), []

    class Output:
        def __init__(self, data, **how):
            self.drawn = [data["text/html"]]
            outputs.append(self)

        def update(self, data, **how):
            self.drawn.append(data["text/html"])

    def run(cell, message, height):
        header = {"metadata": {"cellId": cell}, "header": {"msg_id": message}}
        kernel = type("Kernel", (), {"parent_header": header})
        monkeypatch.setattr(IPython, "get_ipython", lambda: kernel)
        lesson.show(VIEW.figure(height))

    monkeypatch.setattr(IPython.display, "display", Output)
    for place in (("a", "1", 1), ("b", "2", 2), ("a", "3", 3)):
        run(*place)
    lesson.use("projector")
    run("c", "4", 4)
    lesson.use("notebook")
    first, *others, late = [output.drawn for output in outputs]
    assert len(first) == 1
    for small, large, again in others:
        assert 'width="760"' in small == again
        assert 'width="1280"' in large
    assert ['width="1280"' in page for page in late] == [True, False]


def test_every_figure_of_a_lesson_can_be_drawn_again():
    """By the mark on the function; what each draws in both sizes is tested with its lesson."""
    folders = Path(lessons.__file__).parent.glob("*/__init__.py")
    rooms = [importlib.import_module(f"dpviz.lessons.{path.parent.name}") for path in folders]
    figures = {name: getattr(room, name) for room in rooms for name in room.__all__}
    drawn = {name: each for name, each in figures.items() if name.startswith("figure_")}
    assert len(drawn) > 30
    assert [name for name, each in drawn.items() if not hasattr(each, "__wrapped__")] == []


def test_a_stored_script_is_one_line_without_comments():
    """A comment that was left would silence the rest of the line."""
    for script in (page.SCRIPT, page.PLAYER):
        assert script.startswith("<script>(() => {") and script.endswith("})();</script>")
        assert "//" not in script and "\n" not in script
