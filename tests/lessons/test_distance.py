"""The pictures of lesson 03, its stored trials and its running example."""

import every
import numpy as np
import pytest

from dpviz.drawing.style import MODES
from dpviz.lessons import distance as view
from dpviz.lessons.distance import experiments, methods, player
from dpviz.papers.distance_queries.baselines import comparison
from dpviz.papers.distance_queries.learner import average_distance
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.papers.distance_queries.releases import average_sign, curves
from dpviz.privacy.curator import Curator
from dpviz.sweeps import slope

DELTA = 1e-6


@pytest.fixture(scope="module")
def pictures():
    """Name of each picture -> function of the mode."""
    column = average_distance.mixture(200, 1, rng=0)[:, 0]
    public = curves.Params(n=200, epsilon=1, delta=DELTA, cells=64, lower=0, upper=1)
    released = average_sign.release(column, public, Curator(epsilon=1, delta=DELTA, rng=0))
    interactive, baselines = (
        experiments.SLOPES.stored().select(composition="zcdp"),
        experiments.BASELINES.stored(),
    )
    n = interactive.axes["n"]
    at = [l1.Params(n=m, d=1, k=10_000, epsilon=1, delta=DELTA, lower=0, upper=1) for m in n]
    proved = np.array([l1.error_bound(params) for params in at])
    fitted = slope.fit(n, interactive["error"], rng=0)
    kinds = ("zcdp", "pure")
    over_d = {kind: experiments.DIMENSION.stored().select(composition=kind) for kind in kinds}
    grown = {kind: each.slope("error", rng=0) for kind, each in over_d.items()}
    places = np.linspace(0, 1, 5)
    spread = average_sign.standard_deviation(public, places)
    archives = {"A": AverageDistance(column[:90]), "B": AverageDistance(column[90:])}
    errors = np.linspace(-0.01, 0.01, 1000)
    return {
        "question": lambda m: view.figure_question(archives, 0.3, x_title="place", mode=m),
        "updates": lambda m: view.figure_updates(errors, np.array([1, 7, 90]), 0.02, 16, m),
        "release": lambda m: view.figure_release(AverageDistance(column), released, public, m),
        "cost": lambda m: view.figure_cost(public, places, spread, m),
        "errors": lambda m: view.figure_errors(interactive, baselines, proved, fitted, m),
        "dimension": lambda m: view.figure_dimension(over_d, grown, m),
    }


NAMES = "question updates release cost errors dimension"


@pytest.mark.parametrize("mode", every.stills(MODES))
@pytest.mark.parametrize("name", NAMES.split())
def test_nothing_is_clipped_and_no_words_overlap(pictures, layout_problems, name, mode):
    figure = pictures[name](mode)
    assert layout_problems(figure) == []
    assert 40 <= len(figure.alt) <= 300


def test_every_picture_is_tested():
    drawn = {name for name in view.__all__ if name.startswith("figure_")}
    assert drawn == {f"figure_{name}" for name in NAMES.split()}


def test_exact_shares_by_brute_force():
    """Distances one by one, for the first fold and three columns."""
    rows, grower, folds = experiments.bottles()
    right = []
    for fold in range(experiments.FOLDS):
        own = experiments.archives(fold)
        for new, name in zip(rows[folds == fold], grower[folds == fold], strict=True):
            far = [np.mean([np.abs(x - new)[:3].sum() for x in archive]) for archive in own]
            right.append(int(np.argmin(far)) == name)
    assert experiments.exact_share()[2] == pytest.approx(np.mean(right))


def test_noise_eats_the_gain_of_more_columns():
    """What lesson 03 says of the growers, at epsilon = 1 and 10."""
    private = np.median(experiments.GROWERS.stored().select(epsilon=1)["right"], axis=1)
    assert private[2] > private[0] + 0.1
    assert private[12] < private[2] - 0.1
    ten = np.median(experiments.GROWERS.stored().select(epsilon=10)["right"], axis=1)
    assert np.all(experiments.exact_share() - ten < 0.04)


def test_directions_agree_with_the_stored_trials():
    at = methods.directions(n=1000, epsilon=1.0, d=2, k=100)
    trials = experiments.METHODS.stored().select(n=1000, d=2, k=100)
    for method in (*comparison.METHODS, "constant"):
        field = method if method == "constant" else f"{method} 1"
        assert at.here(method) == np.median(trials[field])
    assert at.bounds["n"][experiments.N.index(1000)] == l1.error_bound(
        l1.Params(n=1000, d=2, k=100, epsilon=1, delta=DELTA, lower=0, upper=1)
    )


def test_the_release_wins_wherever_anything_does():
    """At every stored point but a few with one question: the release, or nothing at all."""
    tables = methods.medians()
    best = np.minimum(tables["interactive"], tables["noise"])
    loses = (tables["release"] > best) & (best < tables["constant"])
    assert not loses[..., 1:].any(), "with a hundred questions and more"


def test_the_player_tells_the_truth_about_each_question():
    params = l1.Params(n=20_000, d=1, k=100, epsilon=1, delta=DELTA, lower=0, upper=1)
    column = average_distance.mixture(params.n, 1, rng=0)
    curator = params.curator(rng=0)
    mechanism = l1.Interactive(column, params, curator, record=True, trace=True)
    queries = np.random.default_rng(1).uniform(size=30)
    answers = [mechanism.answer(float(y)) for y in queries]
    before, *steps = player.record(mechanism)
    assert (before.number, before.paid, len(before.gaps)) == (0, (), 0)
    assert before.after == mechanism.learners[0].lines[:1]
    assert [step.place for step in steps] == queries.tolist()
    assert [step.measured for step in steps] == [a.kind == "measured" for a in answers]
    truth = average_distance.truth(column, queries, params)
    for step, exact in zip(steps, truth, strict=True):
        guess = max(a * step.place + b for a, b in step.lines)
        assert step.gaps[-1] == pytest.approx(exact - guess, abs=1e-12)
        assert step.used == step.positives.sum()
        assert step.paid == tuple(s.place for s in steps[: step.number] if s.measured)


def test_a_coin_leaves_the_purse_at_each_update_and_lies_at_the_tangent_it_paid_for():
    params = l1.Params(n=20_000, d=1, k=100, epsilon=1, delta=DELTA, lower=0, upper=1)
    column, curator = average_distance.mixture(params.n, 1, rng=0), params.curator(rng=0)
    mechanism = l1.Interactive(column, params, curator, record=True, trace=True)
    _ = [mechanism.answer(float(y)) for y in np.random.default_rng(1).uniform(size=12)]
    left, right, low, high = player.PURSE
    for i, step in enumerate(player.record(mechanism)):
        measured = [e.place for e in mechanism.history[:i] if e.kind == "measured"]
        places = player.coins(step)
        inside = (places > [left, low]).all(axis=1) & (places < [right, high]).all(axis=1)
        assert inside.sum() == mechanism.plan.total - len(measured) == step.allowed - step.used
        assert places[: len(measured), 0].tolist() == measured
        exact = average_distance.truth(column, measured, params) if measured else []
        np.testing.assert_allclose(places[: len(measured), 1], exact, atol=1e-3)  # drawn to a grid
        figure = player.STEP.figure(step)
        drawn = [line.get_xydata() for line in figure.axes[0].lines]
        assert any(np.array_equal(line, places) for line in drawn)


def test_the_release_wins_by_as_much_as_lesson_03_says():
    """50 to 370 times over the paper's mechanism, from n = 10,000 on 250 over noise on each answer.

    Below, noise on each answer is clipped to what is possible.
    """
    release = np.median(experiments.BASELINES.stored()["release 1"], axis=1)
    paper = (
        np.median(experiments.SLOPES.stored().select(composition="zcdp")["error"], axis=1) / release
    )
    noise = np.median(experiments.BASELINES.stored()["noise 1"], axis=1) / release
    assert 55 < paper.min() < 65
    assert 360 < paper.max() < 380
    assert noise[2:].min() > 225
    assert noise.max() < 275
