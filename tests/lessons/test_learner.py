"""The pictures of lessons 00 and 02: nothing clipped, nothing overlapping, numbers told twice."""

from itertools import pairwise

import every
import numpy as np
import pytest

from dpviz.drawing import style
from dpviz.lessons import learner as view
from dpviz.lessons import start
from dpviz.lessons.learner import player
from dpviz.lessons.learner.figures import draw_step
from dpviz.papers.distance_queries.learner import mistake_bounds, other_learners
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Tangents, learn
from dpviz.sweeps.sweep import sweep

MODES = ["notebook", "projector"]
ALPHA = 0.02


def learnt(function, queries, alpha=ALPHA, oracle=None):
    learner = Tangents()
    return learn(learner, function, queries, alpha, oracle=oracle), learner.lines


@pytest.fixture(scope="module")
def column():
    return np.random.default_rng(0).beta(2, 3, size=178)


@pytest.fixture(scope="module")
def pictures(column):
    """Every picture as a function of the mode, drawn from small honest results."""
    function = AverageDistance(column)
    queries = np.random.default_rng(1).uniform(size=300)
    run, lines = learnt(function, queries)
    tent_run, tent_lines = learnt(other_learners.tent(), np.append(0.3, np.ones(50)))
    oracles = {}
    for name, error in [("exact", 0.0), ("lies high", ALPHA / 4), ("lies at random", ALPHA / 4)]:
        sign = "positive" if name == "lies high" else "random"
        params = mistake_bounds.Params(
            alpha=ALPHA, value_error=error, slope_error=error, error_sign=sign
        )
        oracle = mistake_bounds.noisy_oracle(function, params, np.random.default_rng(2))
        oracles[name] = learnt(function, queries, oracle=oracle)[1]
    data, places = mistake_bounds.worst_data(ALPHA)
    worst = AverageDistance(data)
    runs = {
        "alcohol": (run, function.slope),
        "worst data": (learnt(worst, places)[0], worst.slope),
    }
    alphas = 2.0 ** np.arange(-10, -2)
    grid, usual = {"alpha": alphas}, mistake_bounds.Params(alpha=0.1)
    counted = sweep(mistake_bounds.trial, usual, grid, repeats=40, rng=1, fixed={"data": column})
    forced = [mistake_bounds.mistake_bound(a) for a in alphas]
    slope = counted.slope("bound", rng=1)
    by_dimension = sweep(
        other_learners.trial,
        other_learners.Params(alpha=0.1, d=1),
        {"d": [1, 2, 3]},
        repeats=1,
        rng=1,
    )
    counts = {("wine", 0.01): [7, 8, 8, 10], ("breast cancer", 0.001): [14, 20, 25]}
    rows = {"2 decimals": [11.38], "noise, ε = 0.5\nper mean, 3 times": [-120.0, 15.0, 90.0]}
    return {
        "question": lambda m: view.figure_question(
            function, column, what="bottle", x_title="alcohol", mode=m
        ),
        "idea": lambda m: view.figure_idea([0.1, 0.4, 0.9], [0.05, 0.6], m),
        "steps": lambda m: view.figure_steps(function, run, lines, ALPHA, m),
        "tent": lambda m: view.figure_tent(tent_run, tent_lines, m),
        "noisy_oracle": lambda m: view.figure_noisy_oracle(function, oracles, ALPHA, ALPHA / 4, m),
        "rectangles": lambda m: view.figure_rectangles(runs, ALPHA, m),
        "mistakes": lambda m: view.figure_mistakes(counted, forced, slope, "alcohol", m),
        "columns": lambda m: view.figure_columns(counts, m),
        "dimension": lambda m: view.figure_dimension(by_dimension, 0.1, m),
        "budget": lambda m: start.figure_budget(epsilon=0.5, mode=m),
        "recovered": lambda m: start.figure_recovered(rows, 12.23, 30, m),
    }


NAMES = """
question idea steps tent noisy_oracle rectangles mistakes columns dimension budget recovered
"""


@pytest.mark.parametrize("mode", every.stills(MODES))
@pytest.mark.parametrize("name", NAMES.split())
def test_nothing_is_clipped_and_no_words_overlap(pictures, layout_problems, name, mode):
    figure = pictures[name](mode)
    assert layout_problems(figure) == []
    assert 40 <= len(figure.alt) <= 300


def test_every_picture_is_tested(pictures):
    modules = (view, start)
    drawn = {f for module in modules for f in module.__all__ if f.startswith("figure_")}
    assert drawn == {f"figure_{name}" for name in NAMES.split()}


def test_the_alt_text_holds_the_numbers_of_the_result(pictures, column):
    assert f"{len(column)} records" in pictures["question"]("notebook").alt
    assert "50 further mistakes in 50" in pictures["tent"]("notebook").alt
    assert "1 of 3 noisy" in pictures["recovered"]("notebook").alt


def test_a_drawn_step_shows_the_gap_at_the_miss(pictures, column):
    """The bar at the star runs from the guess to the truth."""
    function = AverageDistance(column)
    _, ax = style.figure("One step", alt="One step.")
    draw_step(ax, function, [(0.0, 0.0)], 0.25)
    bar = next(line for line in ax.lines if list(line.get_xdata()) == [0.25, 0.25])
    assert list(bar.get_ydata()) == [0.0, float(function.value(0.25))]


@pytest.fixture(scope="module")
def trace(column):
    function = AverageDistance(column)
    run, lines = learnt(function, np.random.default_rng(4).uniform(size=40))
    return function, run, player.record(function, run, lines, ALPHA)


def test_the_player_shows_the_run_of_the_learner(trace):
    """State by state a learner of our own: the same guesses, updates, tangents."""
    function, run, steps = trace
    learner, asked = Tangents(), []
    assert [step.place for step in steps if not step.updated] == run.queries.tolist()
    for step in steps:
        guess, truth = float(learner.predict(step.place)), float(function.value(step.place))
        if step.updated:
            learner.update(step.place, truth, float(function.slope(step.place)))
            asked.append(step.place)
        else:
            assert (step.guess, step.truth) == pytest.approx((guess, truth), abs=1e-12)
            assert step.missed == (truth - guess > ALPHA)
        assert step.known == learner.lines
        assert step.places.tolist() == sorted(asked)
        assert step.mistakes == len(asked) + (step.missed and not step.updated)
    assert steps[-1].mistakes == run.mistakes <= steps[-1].limit


def test_a_tangent_rises_from_the_guess_until_it_touches_the_curve(trace):
    function, _, steps = trace
    grid = np.linspace(0, 1, 1001)
    missed = [step for step in steps if step.missed]
    assert [step.updated for step in missed] == [False, True] * (len(missed) // 2)
    for asked, updated in zip(missed[::2], missed[1::2], strict=True):
        heights = [slope * asked.place + start for slope, start in (asked.rising, updated.rising)]
        assert heights == pytest.approx([asked.guess, asked.truth], abs=1e-12)
        assert asked.rising[0] == updated.rising[0] == float(function.slope(asked.place))
        slope, start = updated.rising
        assert (slope * grid + start <= function.value(grid) + 1e-12).all()


def test_the_area_that_is_left_shrinks_at_updates_only(trace, column):
    """Against an exact integral; the grid of the pictures is off by at most 4e-6."""
    function, _, steps = trace
    assert steps[0].areas[0] == pytest.approx((column**2 + (1 - column) ** 2).mean() / 2, abs=4e-6)
    for before, step in pairwise(steps):
        assert step.areas[-1] == pytest.approx(area_between(function, column, step), abs=4e-6)
        fall = before.areas[-1] - step.areas[-1]
        assert fall > 0 if step.updated else fall == 0
        if step.updated:  # at least a triangle as high as the gap: slopes differ by at most 2
            gap = step.truth - step.guess
            assert fall >= gap * min(gap / 2, 0.5) / 2 - 8e-6


def area_between(function, column, step):
    """Between G and the tangents: both have corners at known places only."""
    lines = np.array(step.known)
    slope, start = (np.subtract.outer(each, each) for each in lines.T)
    crossings = -start[slope != 0] / slope[slope != 0]
    inside = crossings[(crossings > 0) & (crossings < 1)]
    places = np.unique(np.concatenate([[0, 1], column, inside]))
    highest = (lines[:, :1] * places + lines[:, 1:]).max(axis=0)
    return np.trapezoid(function.value(places) - highest, places)


@pytest.mark.parametrize("mode", MODES)
def test_the_player_draws_cleanly_at_every_step(trace, layout_problems, mode):
    for step in every.spread(trace[-1][:20], 5):
        figure = player.STEP.figure(step, mode)
        assert layout_problems(figure) == []
        assert len(figure.alt) <= 300
