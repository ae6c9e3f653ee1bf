"""The pictures of lessons 00 and 02: nothing clipped, nothing overlapping, numbers told twice."""

import numpy as np
import pytest

from dpviz.papers.distance_queries.learner import mistake_bounds, other_learners
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Tangents, learn
from dpviz.sweeps.sweep import sweep
from dpviz.views import learner as view
from dpviz.views import start, style
from dpviz.views.learner.figures import draw_step

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
        "recovered": lambda m: start.figure_recovered(rows, 12.23, 30, m),
    }


NAMES = """
question idea steps tent noisy_oracle rectangles mistakes columns dimension recovered
"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES.split())
def test_nothing_is_clipped_and_no_words_overlap(pictures, layout_problems, name, mode):
    figure = pictures[name](mode)
    assert layout_problems(figure) == []
    assert 40 <= len(figure.alt) <= 300


def test_every_picture_is_tested(pictures):
    modules = (view, start)
    drawn = {f for module in modules for f in vars(module) if f.startswith("figure_")}
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
