"""What explorers and players store for a page without Python: each state as they show it."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpviz.drawing import style
from dpviz.drawing.live import View
from dpviz.instruments.controls import Choice, Slider
from dpviz.instruments.explorer import Explorer
from dpviz.instruments.player import Player
from dpviz.lessons import fat_shattering, learner, privacy, start
from dpviz.pages import run, stored
from dpviz.words import languages, spoken

LESSONS = Path(__file__).parents[2] / "notebooks"


def frame(mode):
    return style.figure("", alt="", mode=mode)[0]


def paint(figure, result):
    figure.axes[0].plot([0, 1], [0, result], color="black")


VIEW = View(frame, paint, lambda result: f"A line of height {result}." + 30 * " .", lambda r: [[r]])


def explorer(many=5):
    """A slider and a list; one setting cannot be drawn, the list acts only above zero."""

    def compute(x, sign, seed):
        if x == 2 and sign == "down":
            raise ValueError("not two down")
        return float(x if sign == "up" else -x)

    controls = [
        Slider(name="x", label="x", values=list(range(many)), start=1),
        Choice(name="sign", label="to", values=["up", "down"], start="up", acts=[{"x": [1, 2, 3]}]),
    ]
    return Explorer(compute, VIEW, controls, {"high": {"x": many - 1}}, random=False)


def packed(instrument, budget=stored.BUDGET):
    """What is stored of an explorer in the size of a notebook."""
    return stored.explorer(instrument, {"notebook": budget})["notebook"]


def told_of(instrument, budget=stored.BUDGET):
    """The same as a page reads it."""
    return stored.unpacked(packed(instrument, budget))


def text(told, numbers):
    """A text from its pieces, as the page joins them."""
    return "".join(told["pieces"][number] for number in numbers)


def test_few_settings_are_stored_whole_and_as_they_are_shown():
    told = told_of(explorer())
    assert told["whole"]
    assert len(told["points"]) == 10
    fresh = explorer()
    for x, sign in itertools.product(range(5), range(2)):
        fresh.set(x=x, sign=["up", "down"][sign])
        picture, sentence, table, problem, idle, acts = told["points"][f"{x},{sign}"]
        shown = [fresh.screen.picture, *fresh.screen.words()] if not problem else ["", "", ""]
        assert [text(told, numbers) for numbers in (picture, sentence, table)] == shown
        assert (problem, idle) == (fresh.problem, fresh.idle)
        assert acts == [1, int(fresh.acts("sign"))]
    assert [point for point, state in told["points"].items() if state[3]] == ["2,1"]


def test_a_page_does_not_speak_of_drawing_again_which_no_button_of_it_does():
    toy = fat_shattering.explore_databases()
    toy.set(patients="4")
    assert "draw again" in toy.idle
    assert not any("draw again" in state[4] for state in told_of(toy)["points"].values())


def test_a_page_does_not_offer_to_add_records_for_which_it_stores_no_setting():
    toy = learner.explore_bottles()
    assert "double-click adds" in toy.movable and "data-more" in toy.screen.picture
    told = told_of(toy, budget=1)
    assert not any("double-click" in state[4] for state in told["points"].values())
    assert not any("data-more" in piece for piece in told["pieces"])
    assert "double-click adds" in toy.movable


def test_it_says_where_it_starts_and_where_the_presets_lead():
    told = told_of(explorer())
    assert (told["start"], told["presets"]) == ([1, 0], {"high": [4, 0]})
    assert told["controls"][1] == {"label": "to", "kind": "choice", "shown": ["up", "down"]}


def test_many_settings_are_stored_around_the_start_and_each_preset():
    told = told_of(explorer(many=900))
    assert not told["whole"]
    # Of a slider with so many values a page offers two dozen, with the start and the presets.
    [offered, _] = stored.thinned(explorer(many=900), 1)
    assert offered == sorted({*range(0, 900, 38), 1, 899})
    # The list has an effect at the start and none where the preset leads.
    wanted = {(x, 0) for x in range(len(offered))} | {(offered.index(1), 1)}
    assert {tuple(map(int, point.split(","))) for point in told["points"]} == wanted


def test_a_slider_that_is_counted_by_hand_moves_by_one():
    numbers = start.explore_worlds().controls["numbers"].values
    assert stored.thinned(start.explore_worlds(), 1)[0] == numbers == [*range(51), 5000]


def test_what_is_a_little_too_large_is_not_taken_and_what_cannot_fit_is_not_drawn():
    whole = told_of(explorer(many=900))
    size = len(packed(explorer(many=900)))
    assert len(packed(explorer(many=900), size)) == size
    for budget in (size - 1, size // 8):
        one, drawn = explorer(many=900), []
        one.watchers.append(lambda drawn=drawn: drawn.append(1))
        told = told_of(one, budget)
        if budget == size - 1:
            assert len(stored.packed(told)) <= budget
        else:
            assert len(drawn) < len(whole["points"])


def test_what_is_too_large_by_the_measure_of_what_was_too_large_is_not_packed(monkeypatch):
    tried, pack = [], stored.packed
    monkeypatch.setattr(stored, "packed", lambda told: tried.append(pack(told)) or tried[-1])
    monkeypatch.setattr(stored, "SHARED", 0)  # nothing is known before the first is tried
    budget = len(packed(explorer(many=900))) * 3 // 4
    tried.clear()
    assert len(packed(explorer(many=900), budget)) <= budget
    assert sum(len(text) > budget for text in tried) == 1


def test_a_page_that_would_be_too_large_offers_fewer_values():
    whole = told_of(explorer(many=900))
    told = told_of(explorer(many=900), len(packed(explorer(many=900))) // 3)
    assert len(told["points"]) < len(whole["points"]) / 2
    offered = [int(value.replace("\u202f", "")) for value in told["controls"][0]["shown"]]
    assert {0, 1, 899} <= set(offered)
    # Every point that a control alone leads to is there.
    for base in [told["start"], *told["presets"].values()]:
        for place in range(len(offered)):
            assert ",".join(map(str, (place, *base[1:]))) in told["points"]


def test_at_last_a_control_moves_around_the_start_alone_and_presets_stay():
    told = told_of(explorer(many=900), 1)
    [offered, _] = stored.thinned(explorer(many=900), stored.LAST)
    start, high = offered.index(1), offered.index(899)
    wanted = {(x, 0) for x in range(len(offered))} | {(start, 1), (high, 0)}
    assert {tuple(map(int, point.split(","))) for point in told["points"]} == wanted
    assert (told["start"], told["presets"]) == ([start, 0], {"high": [high, 0]})


def test_each_size_is_stored_as_if_alone_and_a_setting_is_computed_once_for_all():
    budgets = {"notebook": stored.BUDGET, "phone": stored.BUDGET, "projector": 1}
    one, computed = explorer(many=70), []
    compute = one.compute
    one.compute = lambda **values: computed.append(tuple(values.values())) or compute(**values)
    told = stored.explorer(one, budgets)
    alone = {mode: stored.explorer(explorer(many=70), {mode: budgets[mode]}) for mode in budgets}
    assert told == {mode: alone[mode][mode] for mode in budgets}
    assert list(told) == list(budgets) and len(set(told.values())) == 3
    *drawn, last = computed
    assert last == (1, "up", 1) and len(drawn) == len(set(drawn))


@pytest.mark.skipif(sys.platform != "linux", reason="a process is copied as it stands")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_several_processes_store_what_one_does():
    budgets = {"notebook": stored.BUDGET, "phone": stored.BUDGET}
    one, drawn = explorer(many=70), []
    one.watchers.append(lambda: drawn.append(1))
    told = stored.explorer(one, budgets, processes=3)
    assert told == stored.explorer(explorer(many=70), budgets)
    assert len(drawn) < len(stored.unpacked(told["notebook"])["points"])  # others drew the rest


def test_an_explorer_ends_where_it_began():
    one = explorer()
    told_of(one)
    assert (one.values["x"], one.values["sign"]) == (1, "up")


def test_a_real_explorer_is_stored_as_it_shows_itself():
    told, fresh = told_of(privacy.explore_totals()), privacy.explore_totals()
    points = list(told["points"])
    for point in np.random.default_rng(0).choice(points, 5, replace=False):
        places = map(int, point.split(","))
        offered = zip(fresh.controls, stored.thinned(fresh, 1), places, strict=True)
        fresh.set(**{name: values[place] for name, values, place in offered})
        picture, sentence, *_ = told["points"][point]
        assert text(told, picture) == fresh.screen.picture
        assert text(told, sentence) == fresh.screen.words()[0]


@pytest.mark.parametrize("start", [0, 2])
def test_a_player_stores_every_state(start):
    player = Player(VIEW, [0.0, 1.0, 2.0, 3.0], start)
    told = stored.player(player)
    assert (told["start"], player.position, told["speeds"]) == (start, start, Player.speeds)
    for position, (picture, sentence, _) in enumerate(told["states"]):
        player.go(position)
        assert text(told, picture) == player.screen.picture
        assert text(told, sentence) == player.screen.words()[0]


@pytest.mark.site
@pytest.mark.parametrize("name", sorted(path.stem for path in LESSONS.glob("[0-9][0-9]_*.ipynb")))
def test_every_stored_point_of_every_page_is_what_a_kernel_shows(name):
    page = Path(os.environ["DPVIZ_SITE"]).resolve() / "pages" / f"{name}.html"
    script = Path(__file__).with_name("same_as_kernel.py")
    done = subprocess.run(
        [sys.executable, script, LESSONS / f"{name}.ipynb", page],
        cwd=LESSONS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) >= 20


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize(
    "make", [start.explore_record, start.explore_averages, start.explore_worlds]
)
def test_lesson_00_can_be_projected_in_every_language(make, language):
    with spoken(language):
        explorer = run.use(make(), "projector")
        for values in stored.settings(explorer):
            explorer.set(**values)
            for name, control in explorer.controls.items():
                for end in (control.values[0], control.values[-1]):
                    explorer.set(**{**values, name: end})
                    assert explorer.problem == ""
