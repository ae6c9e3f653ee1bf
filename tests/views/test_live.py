"""Live pictures: cached layers draw what a full draw draws; failures keep the last picture."""

import html
import json

import ipywidgets as widgets
import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter

from dpviz.views import instrument, style
from dpviz.views.explorer import Choice, Explorer, Slider
from dpviz.views.instrument import ADVICE
from dpviz.views.instrument import VIEW as WIDGET
from dpviz.views.live import Layers, View
from dpviz.views.player import Player


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


def compute(*, height, word, seed):
    if height == 0:
        raise ValueError("height must be above 0, not 0")
    return height + 0 * seed


def explorer(**more):
    controls = [
        Slider(name="height", label="height", values=range(10), start=3),
        Choice(name="word", label="word", values=("a", "b"), start="a"),
    ]
    return Explorer(compute, VIEW, controls, {"High": {"height": 9}, "Start": {}}, **more)


@pytest.mark.parametrize("mode", ["notebook", "projector"])
def test_layers_draw_the_same_pixels_as_a_full_draw(mode):
    """The grey of a mark under a line may differ by its antialiasing: under 1 % of pixels."""
    layers = Layers(VIEW, mode)
    for height in (3, 8, 3):
        layers.png(height)
        cached = np.asarray(layers.figure.canvas.buffer_rgba())
        whole = VIEW.figure(height, mode).pixels(style.MODES[mode].live)
        assert (np.abs(cached.astype(int) - whole) > 8).any(axis=2).mean() < 0.01


def test_what_was_painted_before_is_gone():
    layers = Layers(VIEW, "notebook")
    first = layers.png(3)
    assert layers.png(8) != first
    assert layers.png(3) == first
    assert len(layers.figure.axes[0].lines) == 1


def test_a_failed_painting_leaves_nothing_behind():
    layers = Layers(VIEW, "notebook")
    good = layers.png(3)
    with pytest.raises(ValueError, match="must not be 7"):
        layers.png(7)
    assert layers.png(3) == good


def test_a_slider_moves_picture_sentence_and_table():
    shown = explorer()
    before = shown.screen.picture.value, shown.screen.sentence.value, shown.screen.table.value
    shown.inputs["height"].value = 5
    after = shown.screen.picture.value, shown.screen.sentence.value, shown.screen.table.value
    assert all(a != b for a, b in zip(after, before, strict=True))
    assert "height 5" in after[1]


@pytest.mark.parametrize("bad", [0, 7])
def test_a_bad_value_becomes_a_sentence_and_the_picture_stays(bad):
    shown = explorer()
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
    shown.inputs["word"].value = "b"
    update = shown.update
    monkeypatch.setattr(shown, "update", lambda: (drawn.append(1), update()))
    shown.set(**shown.presets["High"])
    assert drawn == [1]
    assert (shown.values["height"], shown.values["word"]) == (9, "a")


def test_a_preset_with_an_unknown_value_is_refused():
    controls = [Slider(name="height", label="height", values=range(3), start=1)]
    for wrong in ({"width": 1}, {"height": 9}):
        with pytest.raises(ValueError, match="preset 'Odd' sets"):
            Explorer(lambda **v: 1, VIEW, controls, {"Odd": wrong})


def test_draw_again_changes_the_seed_and_says_so():
    shown = explorer()
    shown.again.click()
    assert shown.values["seed"] == 2
    assert shown.again.description == "draw again (seed 2)"


def test_the_projector_is_larger_and_comes_back():
    shown = explorer()
    small = shown.screen.picture.value
    shown.projector.value = True
    assert shown.screen.picture.layout.width == "1280px"
    assert shown.screen.picture.value != small
    shown.projector.value = False
    assert shown.screen.picture.value == small


def test_slow_computing_reacts_on_release():
    import time

    controls = [Slider(name="height", label="height", values=range(3), start=1)]
    slow = Explorer(lambda **v: time.sleep(0.06) or v["height"], VIEW, controls)
    assert slow.inputs["height"].continuous_update is False


def test_what_is_stored_is_a_picture_the_words_and_the_widget_each_once():
    outputs = explorer().outputs()
    (data, metadata), (words, _), (live, _) = outputs
    assert list(data) == ["image/png", "text/plain"]
    assert data["image/png"].startswith("iVBOR")
    assert data["text/plain"] == "A line of height 3.\n  number\nheight  3"
    assert metadata["image/png"]["width"] == 760
    assert list(live) == [WIDGET, "text/plain"]
    assert live["text/plain"] == ""
    for part in ("A line of height 3.", "<td>3</td>", html.escape(ADVICE), "dpviz-pictured"):
        assert part in words["text/html"]
    json.dumps(outputs)


@pytest.mark.parametrize("trace", [None, [1, 2], []])
def test_displayed_it_sends_what_is_stored(trace, monkeypatch):
    """Both display() and the end of a cell ask this formatter; an empty answer ends the matter."""
    shown, sent = explorer() if trace is None else Player(VIEW, trace), []
    monkeypatch.setattr(instrument, "display", lambda data, **how: sent.append((data, how)))
    assert DisplayFormatter().format(shown) == ({}, {})
    assert sent == [(data, {"metadata": more, "raw": True}) for data, more in shown.outputs()]


def test_both_notice_and_words_give_the_advice():
    shown = explorer()
    advice = html.escape(ADVICE)
    assert advice in shown.screen.notice.value
    assert advice in shown.outputs()[1][0]["text/html"]


def test_words_are_escaped():
    view = View(frame, lambda fig, result: None, str, lambda result: [["<b>", "x"], [result, 1]])
    player = Player(view, ["<script>"])
    assert "<script>" not in player.screen.sentence.value + player.screen.table.value


def test_a_player_steps_within_its_trace():
    player = Player(VIEW, [1, 2, 3], start=1)
    assert "height 2" in player.screen.sentence.value
    player.step(5)
    assert player.position.value == 2
    assert "height 3" in player.screen.sentence.value
    player.step(-9)
    assert player.position.value == 0


def test_play_and_position_are_one():
    player = Player(VIEW, [1, 2, 3])
    play = next(w for w in player.children[0].children if isinstance(w, widgets.Play))
    play.value = 2
    assert player.position.value == 2


def test_an_empty_trace_is_a_sentence():
    player = Player(VIEW, [])
    assert "empty" in player.children[0].value
    (words, _), _ = player.outputs()
    assert "empty" in words["text/html"]
    assert "dpviz-pictured" not in words["text/html"].split("<style>")[0]


def test_a_stamped_text_is_the_text():
    """Drawn once, put down at two whole pixels: as in a full draw, up to rounding of colours."""
    from matplotlib.transforms import IdentityTransform

    from dpviz.views.stamps import Stamps

    fig, _ = style.figure("", alt="")
    fig.dpi = 100
    stamps, blank = Stamps(760, 420, 100), fig.pixels(100)
    words = fig.text(200, 150, "words", transform=IdentityTransform(), color="#b03406")
    for place in ((200, 150), (331, 222)):
        words.set_position(place)
        stamped, whole = blank.copy(), fig.pixels(100)
        stamps.draw(words, stamped)
        assert (stamped != blank).any(axis=2).sum() > 100
        assert np.abs(stamped.astype(int) - whole).max() <= 2
    assert len(stamps._kept) == 1


def test_a_picture_does_not_depend_on_what_was_shown_before():
    fresh, used = Layers(VIEW, "notebook"), Layers(VIEW, "notebook")
    for height in (1, 2.3, 9, 4.7):
        used.png(height)
    assert used.png(5) == fresh.png(5)


def test_a_text_over_the_edge_is_not_kept_cut():
    from dpviz.views.stamps import Stamps

    fig, _ = style.figure("", alt="")
    stamps, pixels = Stamps(760, 420, 100), fig.pixels(100)
    words = fig.text(0.999, 0.5, "words", ha="left")
    fig.dpi = 100
    stamps.draw(words, pixels)
    assert len(stamps._kept) == 0
    words.set_position((0.5, 0.5))
    stamps.draw(words, pixels)
    assert len(stamps._kept) == 1
