"""Every explorer and player of the lessons, in process: each control at its ends, each preset."""

import importlib
import pkgutil

import every
import numpy as np
import pytest

from dpviz import lessons
from dpviz.instruments.controls import Slider
from dpviz.lessons import compare, learner, privacy, start
from dpviz.lessons.learner.explorers import WORST, learn_all
from dpviz.lessons.start.explorers import EPSILONS, recover
from dpviz.papers.distance_queries.learner import mistake_bounds
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance

FOLDERS = [found.name for found in pkgutil.iter_modules(lessons.__path__) if found.ispkg]
LESSONS = [importlib.import_module(f"dpviz.lessons.{name}") for name in FOLDERS]
MAKERS = {
    f"{module.__name__.split('.')[-1]}.{name}": getattr(module, name)
    for module in LESSONS
    for name in module.__all__
    if name.startswith("explore_")
}


@pytest.fixture(scope="module", params=MAKERS, ids=str)
def explorer(request):
    return MAKERS[request.param]()


def seen(explorer):
    """What is told, and what is drawn."""
    screen = explorer.screen
    return screen.sentence, screen.table, explorer.problem, screen.picture


def acts(explorer, move):
    """Whether a move changes what is seen."""
    before = seen(explorer)
    move()
    return seen(explorer) != before


def others(control, now):
    """Other values of a control, the far ones first."""
    values = [value for value in control.values if value != now]
    return [*values[:1], *values[:0:-1]]


def test_every_enabled_control_changes_what_is_shown(explorer):
    """At the start and at each preset; what is switched off says why."""
    start = {c.name: c.start for c in explorer.controls.values()}
    for preset in ({}, *explorer.presets.values()):
        values = {**start, **preset}
        explorer.set(**values, seed=1)
        before, controls = seen(explorer), explorer.controls
        able = [name for name in controls if explorer.acts(name)]
        assert all(controls[name].label in explorer.idle for name in set(controls) - set(able))
        for name in able:
            for value in others(controls[name], values[name]):
                explorer.set(**{**values, name: value}, seed=1)
                if seen(explorer) != before:
                    break
            else:
                raise AssertionError((preset, name))
        explorer.set(**values, seed=1)
        if explorer.random and explorer.acts("seed"):
            assert any(acts(explorer, explorer.again) for _ in range(5)), preset


def test_a_slider_tells_apart_where_it_stands(explorer):
    """Of many stops at least forty: two digits of 196 to 228 are four."""
    for control in explorer.controls.values():
        if isinstance(control, Slider):
            told = {control.show(value) for value in control.values}
            assert len(told) >= min(len(control.values), 40), control.label


def test_what_is_switched_off_acts_somewhere(explorer):
    """No control is dead: each case names values that its other controls have."""
    cases = [case for control in explorer.controls.values() for case in control.acts]
    for case in cases:
        assert all(set(case[other]) <= set(explorer.controls[other].values) for other in case)
    assert all(any(case.values()) for case in cases)


def test_what_is_off_at_the_start_of_the_suite_says_why():
    explorer = start.explore_averages()
    assert not explorer.acts("epsilon")
    assert "ε for each mean, repeats, draw again: only with noise on" in explorer.idle
    explorer.set(noise="on")
    assert explorer.acts("epsilon")
    assert not explorer.acts("decimals")


def test_of_many_words_those_are_named_that_do_not_act():
    explorer = compare.explore_winners()
    explorer.set(kind="cluster")
    assert "questions: only with kind other than cluster or hidden" in explorer.idle


def test_settings_that_do_not_fit_together_become_a_sentence():
    shown = learner.explore_learner()
    before = shown.screen.picture
    shown.set(source=WORST, d=3)
    assert "d must be 1 for" in shown.problem
    assert shown.screen.picture == before


TASK = {"source": "wine: alcohol", "alpha": 0.01, "order": "random", "oracle_error": "none"}
TASK |= {"d": 1, "learner": "tangents", "seed": 1}


def test_the_tasks_of_lesson_02_have_the_answers_it_prints():
    worst = {**TASK, "source": WORST, "order": "left to right"}
    assert [learn_all(**{**worst, "alpha": a}).total for a in (0.08, 0.02)] == [5, 10]
    orders = mistake_bounds.ORDERS
    mistakes = {order: learn_all(**{**TASK, "order": order}).total for order in orders}
    assert max(mistakes, key=mistakes.get) == "right to left"
    assert (mistakes["right to left"], learn_all(**TASK).bound) == (10, 15)
    noisy = learn_all(**{**TASK, "alpha": 0.05, "oracle_error": "α/2"})
    assert np.isinf(noisy.bound)
    grid = np.linspace(0, 1, 101)
    above = noisy.learner.predict(grid) - noisy.function.value(grid)
    assert 0.01 < above.max() <= 0.05


PUBLISH = {"decimals": 4, "noise": "off", "epsilon": 0.5, "repeats": 1, "patient": 201, "seed": 1}


def test_the_tasks_of_lesson_00_have_the_answers_it_prints():
    off = [abs(recover(**{**PUBLISH, "decimals": k}).values[0] - 12.23) for k in (2, 1)]
    assert off[0] < 1 < off[1]
    noisy = {**PUBLISH, "noise": "on"}
    near = {
        epsilon: np.mean(
            [
                abs(recover(**{**noisy, "epsilon": epsilon, "seed": s}).values[0] - 12.23) < 5
                for s in range(1000)
            ]
        )
        for epsilon in EPSILONS
    }
    assert near[5] < 0.5 < near[10]
    assert near[7] == pytest.approx(0.5, abs=0.06)  # 4 sd of 1,000 tries is 0.063
    often = [recover(**{**noisy, "repeats": 400, "seed": s}) for s in range(2000)]
    # 4 sd of a spread of 2,000 tries is a share of 0.063
    assert np.std([each.values.mean() for each in often]) == pytest.approx(6, rel=0.065)
    assert often[0].sd == 6 and often[0].spent == 400
    repeats = start.explore_averages().presets["Half an ε"]["repeats"]
    twenty = recover(**{**noisy, "epsilon": 7, "repeats": repeats}).values
    assert [len(twenty), (abs(twenty - 12.23) < 5).sum()] == [20, 10]  # in the draw of a page


def test_the_trace_of_the_learner_is_what_happened():
    column = np.random.default_rng(0).uniform(size=50)
    tangents, run = mistake_bounds.learn_column(
        mistake_bounds.Params(alpha=0.05, k=30), column, rng=1
    )
    player = learner.play_learner(AverageDistance(column), run, tangents.lines, 0.05)
    steps = [step for step in player.trace if not step.updated]
    assert [step.missed for step in steps] == run.missed.tolist()
    before = 1 + np.cumsum(run.missed) - run.missed  # the zero line, and a tangent for each miss
    assert [len(step.lines) for step in steps] == before.tolist()
    assert len(player.trace[-1].places) == run.mistakes <= steps[-1].limit
    areas = [np.diff(step.slopes) * np.diff(step.places) for step in player.trace]
    assert all((each > 0.05).all() for each in areas)


@pytest.mark.parametrize("mode", ["notebook", "projector"])
def test_players_draw_cleanly_at_every_step(mode, layout_problems):
    column = np.random.default_rng(0).uniform(size=50)
    tangents, run = mistake_bounds.learn_column(
        mistake_bounds.Params(alpha=0.05, k=12), column, rng=1
    )
    players = [
        learner.play_learner(AverageDistance(column), run, tangents.lines, 0.05),
        start.play_publication(),
    ]
    for player in players:
        for state in every.spread(player.trace, 5):
            figure = player.screen.view.figure(state, mode)
            assert layout_problems(figure) == []
            assert len(figure.alt) <= 300


def test_the_ledger_grows_at_the_charge_and_before_the_draw():
    spent = [step.spent for step in start.play_publication().trace]
    assert spent == [0, 0, 0.5, 0.5, 0.5]


def test_the_tasks_of_lesson_01_have_the_answers_it_prints():
    family = privacy.laws(mechanism="Laplace", epsilon=0.5, delta=0, distance=5)
    assert family.ratio.max() == pytest.approx(5 * 0.5)
    assert privacy.totals(k=20, step=0.1).first == 35
    large = privacy.totals(k=20, step=1).here
    assert large["basic"] < min(large["advanced"], large["zCDP"])
    assert large["exact"] == pytest.approx(large["basic"], rel=0.01)


def test_the_area_shown_for_gauss_is_its_delta():
    """The yellow area, summed over the printed numbers, over the area of the whole law."""
    shown = privacy.laws(mechanism="Gauss", epsilon=1, delta=0.01, distance=1)
    here, there = np.exp(shown.log_here), np.exp(shown.log_there)
    area = np.maximum(here - np.exp(shown.epsilon) * there, 0).sum() / here.sum()
    assert area == pytest.approx(0.01, rel=0.02)  # the grid has steps of 0.05
    assert shown.needed == pytest.approx(0.01, rel=1e-3)
