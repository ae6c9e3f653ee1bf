"""Every picture is looked at: in three sizes and both themes, and each rule sees its planted fault.

Players in their first two states, the middle one and the last: the first in every size, at the
others the sizes take turns (`every`); still figures as their lessons store
them, and explorers in `test_claims`. Still figures of the other sizes are drawn by the tests of
their lessons (`layout_problems`).
"""

import importlib.util
import json
import sys
from pathlib import Path

import every
import eye
import pictures
import pytest

from dpviz.drawing import labels, style
from dpviz.drawing.live import Live
from dpviz.drawing.style import MODES


def load(name):
    """A module that stands beside this one."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


players = load("players")

BOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("key", players.PLAYERS)
def test_the_eye_finds_nothing_in_a_player(key):
    player = players.PLAYERS[key]()
    lives = {mode: Live(player.screen.view, mode) for mode in MODES}
    found = [
        f"{mode}, state {i}: {fault}"
        for k, (i, state) in enumerate(players.looked_at(player))
        for mode in (every.in_turn(list(MODES), k) if k else MODES)
        for fault in eye.faults(lives[mode].svg(state), mode)
    ]
    assert found == []


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_the_eye_finds_nothing_in_a_stored_picture(book):
    cells = json.loads(book.read_text(encoding="utf-8"))["cells"]
    found = [
        f"cell {i}: {fault}"
        for i, cell in enumerate(cells)
        for svg in pictures.pictures(cell.get("outputs", []))
        for fault in eye.faults(svg, "notebook")
    ]
    assert found == []


def falling(plant=lambda figure, ax: None, mode="notebook", **ends):
    """SVG of a small figure, with what ``plant`` does to it; ``ends`` of the label move."""
    fig, ax = style.figure("It falls", "invented", alt="A falling line.", mode=mode)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", 0, 1)
    ax.plot([0, 1], [0.9, 0.2], **style.line("released", mode))
    style.label_ends(ax, [(1, ends.get("y", 0.2), "measured", ends.get("role", "released"))])
    style.axis_titles(ax, "n, records", "error")
    plant(fig, ax)
    return fig.svg()


@pytest.mark.parametrize("mode", MODES)
def test_a_sound_picture_has_no_fault(mode):
    assert eye.faults(falling(mode=mode), mode) == []


def key_of(colour):
    """Plants a swatch of a key, with its name, beside the axes."""

    def plant(fig, ax):
        from matplotlib.patches import Rectangle

        look = {"transform": ax.transAxes, "clip_on": False, "width": 0.035, "height": 0.05}
        ax.add_patch(Rectangle((1.03, 0.8), **look, fc=colour, lw=0))
        style.note(ax, 1.08, 0.825, "winner", at="axes", halo="none")

    return plant


PLANTED = {
    "small letters": (lambda fig, ax: fig.text(0.3, 0.5, "tiny", fontsize=5), "'tiny' is 6.9 px"),
    "words cut": (lambda fig, ax: fig.text(0.97, 0.5, "too far out"), "is cut by"),
    "numbers of an axis exchanged": (
        lambda fig, ax: ax.set_xticks([0, 0.5, 1], ["0", "1", "½"]),
        "an axis says 0, 1, ½",
    ),
    "words on words": (lambda fig, ax: style.note(ax, 1, 0.2, "over it", dx=18), "overlaps"),
    "a key without its colour": (key_of(style.tint("baseline", 0.68)), "colour of 'winner'"),
    "a colour named": (lambda fig, ax: style.note(ax, 0.5, 0.8, "violet: paper"), "names violet"),
    "pale words": (lambda fig, ax: fig.text(0.3, 0.5, "pale", color="#b0b0b0"), "2.2, light"),
    "a mark without a dark value": (
        lambda fig, ax: ax.plot([0.2, 0.4], [0.1, 0.1], color="#123456"),
        "#123456 has a contrast of 1.4, dark",
    ),
    "a pale mark": (lambda fig, ax: ax.plot([0, 1], [0.1, 0.1], color="#c0c0c0"), "1.8, light"),
    "a dot of ink on yellow": (
        lambda fig, ax: (
            ax.axvspan(0.1, 0.4, color=style.ROLES["event"].colour),
            ax.plot([0.2, 0.3], [0.5, 0.5], "o", color=style.INK, mew=0),
        ),
        "a dot on yellow has a contrast of 1.3, dark",
    ),
    "ink on yellow": (
        lambda fig, ax: (
            ax.axvspan(0.1, 0.4, color=style.ROLES["event"].colour),
            style.note(ax, 0.2, 0.5, "asked", halo="none"),
        ),
        "'asked' has a contrast of 1.3, dark",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_seen(name):
    plant, words = PLANTED[name]
    found = eye.faults(falling(plant), "notebook")
    assert any(words in fault for fault in found), found


def test_words_that_a_line_goes_through_are_seen_and_settled():
    def drawn(settle):
        def plant(fig, ax):
            style.note(ax, 0.5, 0.55, "median of all")
            style.note(ax, 0.3, 0.5, "beside")
            settle(fig)

        return list(eye.struck(eye.read(falling(plant, "phone"))))

    assert drawn(lambda fig: None) == ["'median of all' is struck by released"]
    assert drawn(labels.settled) == []


def test_a_label_that_leaves_its_curve_is_seen():
    assert any("stands" in fault for fault in eye.faults(falling(y=0.6), "notebook"))
    assert any("stands" in fault for fault in eye.faults(falling(y=0.6, mode="phone"), "phone"))


def test_a_label_in_the_colour_of_another_curve_is_seen():
    (found,) = eye.faults(falling(role="baseline"), "notebook")
    assert found == "nothing has the colour of 'measured'"


def test_a_projected_picture_is_larger_than_before():
    """As large of its window, its letters are; and no rule of style shows it smaller."""
    before, large = MODES["notebook"], MODES["projector"]
    share = {mode: size.small / size.width for mode, size in MODES.items()}
    assert share["projector"] > share["notebook"]
    assert large.width * large.shown > before.width * before.shown
