"""The pictures of lesson 08, its stored trials, its tasks and its player."""

import itertools
import math

import every
import numpy as np
import pytest
from matplotlib.colors import to_hex

from dpviz.drawing import style
from dpviz.lessons import fat_shattering as view
from dpviz.lessons.fat_shattering import (
    balance,
    exercises,
    experiments,
    explorers,
    figures,
    patterns,
    player,
    recovery,
    toy,
)
from dpviz.papers.fat_shattering import (
    classes,
    linear_reconstruction,
    lower_bounds,
    net_mechanism,
    reconstruction,
    small_databases,
)
from dpviz.papers.fat_shattering.dimension import shatter
from dpviz.privacy.curator import Curator
from dpviz.sweeps.sweep import sweep

MODES = ["notebook", "projector"]
START = {"n": 64, "ratio": 4, "noise": 0.1, "budget": 0, "corrupted": 0, "seed": 1}
START |= {"method": "least squares"}


def attacked(**change):
    return recovery.attack(**{**START, **change})


@pytest.fixture(scope="module")
def pictures():
    """Every picture as a function of the mode, drawn from small honest results."""
    queries = reconstruction.shattering_class([0.5] * 8, 0.25)
    family = reconstruction.bucket_attack(queries, shatter(queries, 0.25))
    fixed, grid = {"queries": queries, "attack": family}, {"scale": [0.05, 0.5, 2.0, 8.0]}
    guessed = {
        noise: sweep(
            reconstruction.trial,
            reconstruction.Params(scale=1.0, noise=noise),
            grid,
            repeats=20,
            rng=1,
            fixed=fixed,
        )
        for noise in reconstruction.NOISES
    }
    shares = np.random.default_rng(1).dirichlet(np.ones(20))
    fixed = {"queries": classes.thresholds(20), "data": shares}
    few = sweep(
        small_databases.trial,
        small_databases.Params(rows=1),
        {"rows": [10, 100, 1000]},
        repeats=40,
        rng=1,
        fixed=fixed,
    )
    cells = [10, 100, 1000]
    noise = [[float(i + 10 * j) for i in range(40)] for j in range(3)]
    names = ("monotone functions", "Lipschitz functions", "thresholds", "all subsets")
    gammas = explorers.GAMMAS
    found = {n: (gammas, [explorers.found(n, 5, g).d for g in gammas]) for n in names}
    won = figures.compare()
    return {
        "reconstruction": lambda m: view.figure_reconstruction(attacked(noise=0.35), m),
        "guess": lambda m: view.figure_guess(guessed, 0.25, 4, m),
        "recovery": lambda m: view.figure_recovery(
            experiments.DECODED.stored().select(method="L1"), 42 / 64, m
        ),
        "dimension": lambda m: view.figure_dimension(found, 5, m),
        "rows": lambda m: view.figure_rows(few, 21, m),
        "release": lambda m: view.figure_release(experiments.RELEASED.stored(), m),
        "sufficiency": lambda m: view.figure_sufficiency(experiments.BY_DIMENSION.stored(), m),
        "regression": lambda m: view.figure_regression(experiments.LEARNT_BY_PEOPLE.stored(), m),
        "points": lambda m: view.figure_points(cells, noise, epsilon=0.1, mode=m),
        "winners": lambda m: view.figure_winners(won, m),
        "crossover": lambda m: view.figure_crossover(10_000.0, 10**8, m),
    }


NAMES = """
reconstruction guess recovery dimension rows release sufficiency regression
points winners crossover
"""


@pytest.mark.parametrize("mode", every.stills(MODES))
@pytest.mark.parametrize("name", NAMES.split())
def test_nothing_is_clipped_and_no_words_overlap(pictures, layout_problems, name, mode):
    figure = pictures[name](mode)
    assert layout_problems(figure) == []
    assert 40 <= len(figure.alt) <= 300


def test_every_picture_is_tested():
    drawn = {f for f in view.__all__ if f.startswith("figure_")}
    assert drawn == {f"figure_{name}" for name in NAMES.split()}


def test_the_tasks_of_the_lesson_have_the_answers_it_prints():
    lost = [noise for noise in recovery.NOISES if attacked(noise=noise).share < 1]
    assert lost[0] == 0.2
    dull = [noise for noise in recovery.NOISES if attacked(noise=noise).share <= 42 / 64]
    assert dull[0] == 0.7
    corrupted = {g: attacked(corrupted=g, noise=0.02, method="L1").share for g in (0.4, 0.5)}
    assert corrupted[0.4] == 1.0
    assert corrupted[0.5] < 0.8
    assert attacked(corrupted=0.05, noise=0.02).share < 0.9
    dimension = dict(zip(explorers.GAMMAS, explorers.measure(**MONOTONE).dimensions, strict=True))
    assert (dimension[0.15], dimension[0.2]) == (3, 2)


def test_point_queries_are_below_what_the_proved_theorem_needs():
    """They shatter one cell; our form of Theorem 2 needs two, so only its rate is drawn."""
    assert shatter(np.eye(4), 0.5).d == 1
    with pytest.raises(ValueError, match="d must be a whole number, at least 2"):
        lower_bounds.lower_bound(0.5, 1, epsilon=0.1, beta=0.05)
    fig = view.figure_points([10, 100], [[30.0, 40.0], [50.0, 70.0]], epsilon=0.1)
    rate = lower_bounds.paper_lower_rate(0.5, 1, epsilon=0.1)
    flat = [line for line in fig.axes[0].lines if np.all(line.get_ydata() == rate)]
    assert flat and "rate of Theorem 2" in [text.get_text() for text in fig.texts]


MONOTONE = {"name": "monotone functions", "cells": 4, "gamma": 0.25, "pattern": 1}


def test_slow_programs_are_refused_in_the_explorer():
    with pytest.raises(ValueError, match="method 'L1' is slow for 256 patients"):
        attacked(n=256, method="L1", ratio=5)
    assert attacked(n=64, method="L1", ratio=8).share == 1.0


def test_the_dimension_of_each_class_is_its_formula():
    for name in (
        "monotone functions",
        "Lipschitz functions",
        "thresholds",
        "intervals",
        "all subsets",
    ):
        for cells in explorers.CELLS:
            for gamma in explorers.GAMMAS:
                found = explorers.found(name, cells, gamma).d
                assert found == explorers.known(name, cells, gamma), (name, cells, gamma)


def brute_force(name, pattern, levels, gamma):
    """Whether a function with values on a grid shows a pattern; its values need no other places."""
    ends = {0.0, 1.0, *(levels + gamma), *(levels - gamma)}
    grid = (0.0, 1.0) if name != patterns.RISING else sorted(v for v in ends if 0 <= v <= 1)
    for values in itertools.product(grid, repeat=3):
        rises = all(a <= b for a, b in itertools.pairwise(values))
        far = [
            (v - r if bit == "1" else r - v)
            for v, r, bit in zip(values, levels, pattern, strict=True)
        ]
        if min(far) >= gamma - 1e-9 and (rises or name == patterns.GROUPS):
            return True
    return False


@pytest.mark.parametrize("name", [patterns.THRESHOLDS, patterns.RISING, patterns.GROUPS])
def test_the_patterns_that_are_lit_are_those_that_some_query_shows(name):
    rng = np.random.default_rng(1)
    for _ in range(30):
        levels, gamma = rng.uniform(size=3).round(2), float(rng.choice([0.02, 0.15, 0.25, 0.5]))
        places = tuple((level,) for level in levels.tolist())
        seen = patterns.show(levels=places, name=name, gamma=gamma, pattern="000")
        for word in patterns.PATTERNS:
            assert (word in seen.shown) == brute_force(name, word, levels, gamma), (levels, gamma)
        for word, values in seen.queries.items():
            if values is not None:
                signs = np.where([bit == "1" for bit in word], 1, -1)
                assert (signs * (values - levels)).min() >= gamma - 1e-9


def test_one_level_leads_from_the_preset_to_all_patterns_on_a_page_too():
    explorer = view.explore_patterns()
    levels, preset = explorer.controls["levels"], explorer.presets["Rising"]
    at = {
        step: [
            len(patterns.show(**{**preset, "levels": places}).shown)
            for places in levels.around(preset["levels"], step)
        ]
        for step in (1, 2)  # a page may store every second place
    }
    assert all(shown[0] == 6 and max(shown) == 8 for shown in at.values())


def test_how_many_patients_are_shattered():
    """Thresholds one; rising functions as many as have levels 2 gamma apart; groups all."""
    apart = {"levels": patterns.APART, "pattern": "101"}
    for name, gamma, d in ((patterns.THRESHOLDS, 0.15, 1), (patterns.RISING, 0.15, 3),
                           (patterns.RISING, 0.2, 2), (patterns.GROUPS, 0.15, 3)):  # fmt: skip
        assert patterns.show(name=name, gamma=gamma, **apart).shattered == d
    near = patterns.show(levels=patterns.LEVELS, name=patterns.RISING, gamma=0.15, pattern="101")
    assert near.shattered == 1 and near.shown == ["000", "001", "011", "111"]


@pytest.mark.parametrize("n", "48")
def test_all_that_fits_is_within_4_e_of_the_truth(n):
    """For counts as they are within 2 E, for drawn errors within 4 E; the truth always fits."""
    for drawn, factor in (("", 2), (toy.DRAWN, 4)):
        for error in (0.4, 0.9, 1.0, 1.7, 2.5):
            for seed in range(3):
                left = toy.fit(patients=n + drawn, error=error, seed=seed)
                assert left.farthest <= factor * error
                assert left.fits[(left.databases == left.secret).all(axis=1)].all()
                assert left.fits.sum() > 1 or error < 1 or drawn


def test_the_balance_is_that_of_the_theorem_and_its_best_is_the_least():
    for d, n, epsilon in ((40, 10**8, 1.0), (2, 10**6, 0.1), (100, 10**9, 5.0)):
        weighed = balance.weigh(rows=1000, d=d, n=n, epsilon=epsilon)
        best = sum(balance.parts(weighed.best, d=d, n=n, epsilon=epsilon))
        assert best <= (weighed.few + weighed.choice).min() * (1 + 1e-9)
    small = small_databases.Params(rows=1000, beta=1)
    k = (balance.CELLS + 1) ** 3
    few, choice = balance.parts(1000, d=3, n=10**6, epsilon=1)
    assert few == pytest.approx(10**6 * small_databases.error_bound_sampled(small, k=k))
    proved = net_mechanism.Params(epsilon=1.0, rows=1000, total=1e6, beta=balance.BETA)
    assert net_mechanism.error_bound_noise(proved, cells=balance.CELLS) <= choice


def test_the_one_number_of_the_lesson():
    """Forms with forty items: 1.5 people are needed, 13 % are enough."""
    least = balance.least_error(d=40, n=10**8, epsilon=1)
    assert least == pytest.approx(1.5, abs=0.02)
    sharper = {"beta": balance.BETA, "spread": 0}
    assert least < lower_bounds.lower_bound(0.5, 40, epsilon=1, **sharper)
    for d, epsilon in ((2, 0.1), (16, 0.3), (100, 2.0)):
        some = balance.least_error(d=d, n=10**6, epsilon=epsilon)
        copied = [
            lower_bounds.lower_bound(0.5, d, epsilon=epsilon, copies=w, **sharper)
            for w in range(1, 32)
        ]
        assert some <= max(copied) + 1e-9
    parts = balance.parts(77_000, d=40, n=10**8, epsilon=1)
    assert sum(parts) / 10**8 == pytest.approx(0.13, abs=0.003)


def test_questions_for_all_of_some_items_shatter_as_many_forms_as_there_are_items():
    """Form i says no to item i alone; "yes to these items" holds for it if i is not among them."""
    items = 5
    forms = 1 - np.eye(items, dtype=int)
    asked = np.array(list(np.ndindex(*[2] * items)))
    shown = (forms[None] >= asked[:, None]).all(axis=2)
    assert len(np.unique(shown, axis=0)) == 2**items


def test_the_grid_shows_what_was_decoded_from_the_answers_so_far():
    patients, params = experiments.patients(), linear_reconstruction.Params(noise=0.2)
    bits, found, published = linear_reconstruction.attack(params, patients, rng=3)
    trace = view.play_reconstruction(published, bits).trace
    assert [step.asked for step in trace] == list(range(0, 257, player.EVERY))
    assert trace[0].right == (bits == 0).sum()
    np.testing.assert_array_equal(trace[-1].found, found)
    for former, step in itertools.pairwise(trace):
        so_far = published.queries[: step.asked], published.answers[: step.asked]
        guess = linear_reconstruction.decode(*so_far, params.method)
        np.testing.assert_array_equal(step.found, guess)
        np.testing.assert_array_equal(step.before, former.found)
        assert step.shares[-1] == (guess == bits).mean()


@pytest.mark.parametrize("mode", MODES)
def test_the_grid_has_a_bright_square_for_each_right_guess(mode, layout_problems):
    bits, _, published = linear_reconstruction.attack(
        linear_reconstruction.Params(noise=0.2), experiments.patients(), rng=3
    )
    made = view.play_reconstruction(published, bits)
    for step in made.trace[::4]:
        figure = made.screen.view.figure(step, mode)
        assert layout_problems(figure) == []
        bright_ones, flipped = 0, 0
        for group in figure.axes[0].collections:
            size = len(group.get_paths())
            bright = size and to_hex(group.get_facecolor()[0]) == style.ROLES["event"].colour
            bright_ones += size if bright else 0
            flipped += size if group.get_linewidth()[0] > 2 else 0
        assert (bright_ones, flipped) == (step.right, (step.found != step.before).sum())


def test_rows_are_chosen_by_the_bound_and_more_people_deserve_more():
    rows = [figures.best_rows(total, "corrected") for total in experiments.TOTALS]
    assert rows == sorted(rows)
    assert rows[0] < rows[-1]


def test_the_verdict_of_the_map():
    won = figures.compare()
    assert 0.05 < won.share("small database") < won.share("Laplace histogram")
    assert won.share(None) > 0.2
    ours = won.winner == won.names.index("small database")
    rows = won.y.round()[ours.any(axis=1)]
    assert rows[:2].tolist() == [4, 8] and rows[2] > 10_000
    assert won.x[ours[:2].any(axis=0)].max() < 1000 < won.x[ours[2:].any(axis=0)].min()


def test_the_release_of_the_lesson_loses_to_the_table():
    table = figures.chosen(experiments.RELEASED.stored(), "corrected", "histogram_error")
    ours = figures.chosen(experiments.RELEASED.stored(), "corrected", "error")
    assert (np.median(table, axis=1) < np.median(ours, axis=1)).all()
    as_stated = figures.chosen(experiments.RELEASED.stored(), "as stated", "error")
    middle = [experiments.TOTALS.index(total) for total in (100, 300)]
    assert (np.median(ours, axis=1) < np.median(as_stated, axis=1))[middle].all()


def test_the_exercises_know_their_answers():
    assert exercises.cells_wrong().right == "2"
    assert exercises.fitting_databases().right == "12"
    assert exercises.known_diagnoses().right == "900"
    assert float(exercises.line_to_beat().right) == pytest.approx(42 / 64)
    found = shatter(classes.monotone(6, steps=10), 0.1)
    assert found.d == float(exercises.monotone_dimension().right) == 5
    broken = exercises.break_the_proviso()
    cells, epsilon = map(float, broken.right.split(","))
    curators = [Curator(epsilon=epsilon, rng=i) for i in range(2000)]
    cost = {"sensitivity": 1.0, "epsilon": epsilon, "label": "table"}
    exact = [np.rint(c.laplace(np.zeros(int(cells)), **cost)).any() for c in curators]
    assert np.mean(exact) <= 0.1 + 4.9 * math.sqrt(0.09 / 2000)


def test_a_bound_stands_in_the_table_of_a_private_attack():
    rows = dict(recovery.RECONSTRUCTION.table(attacked(budget=1))[1:])
    assert float(rows["bound for fair bits"]) == pytest.approx(
        linear_reconstruction.attack_accuracy_bound(epsilon=1), abs=1e-3
    )


def test_what_the_lesson_says_of_its_stored_trials():
    """Rounding, not privacy, limits the net mechanism; the stated exponent loses in the middle."""
    by_class = experiments.BY_DIMENSION.stored()
    error, best = (np.median(by_class[f], axis=1) for f in ("error", "best_error"))
    assert error == pytest.approx(best, rel=0.1)
    stored = experiments.RELEASED.stored()
    middle = [np.median(figures.chosen(stored, m, "error")[3]) for m in ("corrected", "as stated")]
    assert middle[1] > 1.5 * middle[0]
    learnt = np.median(experiments.LEARNT_BY_PEOPLE.stored()["excess"], axis=1)
    assert learnt[-1] == pytest.approx(learnt[-3], rel=0.1), "it stops falling at 3,000 people"
