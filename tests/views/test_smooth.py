"""Lesson 06: its pictures, the tasks' answers, the stored sweep."""

import dataclasses

import numpy as np
import pytest
from matplotlib.text import Text

from dpviz.experiments.smooth import ERRORS
from dpviz.papers.smooth_queries import bounds, moments
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.release import Params, release, rescaled, truth
from dpviz.views import smooth as view
from dpviz.views.smooth import exercises, explorers, figures
from dpviz.views.smooth.bias_variance import BIAS_VARIANCE
from dpviz.views.smooth.player import TERM_ADDED, X

MODES = ["notebook", "projector"]


def player():
    data, params = (
        np.random.default_rng(0).uniform(-1, 1, (300, 1)),
        Params(d=1, terms=6, epsilon=1),
    )
    released = release(data, params, params.curator(rng=1))
    query = GaussianKernels(centres=[[0.2]], width=0.5)
    coefficients, values = query.factors(6)[0][0], query.value(X[:, None])[:, 0]
    exact = float(query.mean(rescaled(data, params))[0])
    return (
        view.play_terms(released, truth(data, None, params), coefficients, values, exact),
        exact,
        released,
    )


@pytest.fixture(scope="module")
def pictures():
    degrees = [8, 16, 32, 64]
    operators = ["truncation", "vallee poussin", "jackson 1", "jackson 2"]
    errors = {
        name: view.errors_of(view.FUNCTIONS[name], operators, degrees)
        for name in ("kink |x|", "Gaussian kernel")
    }
    found = ERRORS.stored()
    slopes = {m: found.select(method=m).slope("error", rng=1) for m in bounds.METHODS}
    terms = [2, 3, 8, 64]
    clinic = {
        "paper's algorithm": {"d = 1": 0.11, "d = 2": 0.64, "d = 3": 0.66},
        "truncation": {"d = 1": 0.012, "d = 2": 0.065, "d = 3": 0.2},
    }
    table = {"d = 1, K = 1": {"error": (-0.33, -0.5), "summary": (1.33, 1.34), "query": (1.7, 0.4)}}
    return {
        "bias_variance": lambda m: view.figure_bias_variance(
            view.trade_off(**view.START, seed=1), m
        ),
        "median": lambda m: view.figure_bias_variance(
            view.median_trade_off(range(5), **view.START), m
        ),
        "approximation": lambda m: view.figure_approximation(
            view.approximate(t=9, operator="jackson 2", function="Gaussian kernel"), m
        ),
        "slopes": lambda m: view.figure_slopes(degrees, errors, m),
        "errors": lambda m: view.figure_errors(found, slopes, m),
        "spent": lambda m: view.figure_spent(
            terms, [1 + moments.excess(t) for t in terms], 1.2173, m
        ),
        "clinic": lambda m: view.figure_clinic(clinic, "a setting", m),
        "exponents": lambda m: view.figure_exponents(table, m),
    }


NAMES = "bias_variance approximation slopes errors spent clinic exponents"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [*NAMES.split(), "median"])
def test_nothing_is_clipped_and_no_words_overlap(pictures, layout_problems, name, mode):
    figure = pictures[name](mode)
    assert layout_problems(figure) == []
    assert 40 <= len(figure.alt) <= 300


def test_every_picture_is_tested():
    assert {f for f in vars(view) if f.startswith("figure_")} == {
        f"figure_{n}" for n in NAMES.split()
    }


@pytest.mark.parametrize("mode", MODES)
def test_the_player_draws_cleanly_and_ends_at_the_released_answer(mode, layout_problems):
    shown, exact, released = player()
    for state in shown.trace:
        assert layout_problems(TERM_ADDED.figure(state, mode)) == []
    last = shown.trace[-1]
    query = GaussianKernels(centres=[[0.2]], width=0.5)
    assert last.answer == pytest.approx(query.factors(6)[0][0] @ released.summary)
    assert last.exact == exact
    assert shown.trace[0].sd == 0  # the constant needs no noise


def task(**change):
    return view.trade_off(**{**view.START, **change}, seed=1)


def planted(state, *fields):
    """The same result with errors that are nothing but rounding."""
    return dataclasses.replace(state, **dict.fromkeys(fields, 4.4e-16))


def said(shown, result):
    """Everything that a view says: picture, sentence, table."""
    words = [text.get_text() for text in shown.figure(result, "notebook").findobj(Text)]
    return " ".join([*words, shown.say(result), *np.ravel(shown.table(result))])


def test_what_is_only_rounding_is_called_rounding_not_a_number():
    """A planted residue in each view, and in the slopes; an error just above it is a number."""
    truncated = view.approximate(t=3, operator="truncation", function="Gaussian kernel")
    lost = said(explorers.APPROXIMATION, planted(truncated, "worst", "usual"))
    assert "rounding" in lost and "10⁻¹⁶" not in lost
    assert "rounding" not in said(
        explorers.APPROXIMATION, dataclasses.replace(truncated, worst=1.1e-12)
    )
    bottom = task()
    bottom = dataclasses.replace(
        bottom, approximation_error=np.full_like(bottom.approximation_error, 4.4e-16)
    )
    lost = said(BIAS_VARIANCE, planted(bottom, "moved"))
    assert lost.count("rounding") >= 3 and "10⁻¹⁶" not in lost
    step = player()[0].trace[-1]
    step = dataclasses.replace(step, exact=0.5, noiseless=0.5 + 4.4e-16, answer=0.5 - 4.4e-16)
    lost = said(TERM_ADDED, step)
    assert lost.count("rounding") >= 2 and "10⁻¹⁶" not in lost


def test_a_slope_is_never_fitted_to_rounding():
    assert figures.slope([1, 2, 4, 8], np.array([1.0, 0.1, 4e-16, 3e-16])) == pytest.approx(
        np.log2(0.1)
    )
    assert np.isnan(figures.slope([1, 2], np.array([1.0, 4e-16])))
    kink = np.array([0.07, 0.04])
    exact = {"kink": {"fejer": kink}, "degree 2": {"truncation": np.array([4e-16, 4e-16])}}
    assert "truncation rounding" in view.figure_slopes([8, 16], exact).alt


def test_the_tasks_of_lesson_06_have_the_answers_it_prints():
    best = [task(n=n).terms[task(n=n).best] for n in (1000, 10**6)]
    assert 4 <= best[0] <= best[1] <= 10
    assert task(d=5, epsilon=0.1).best == 0  # exercise 3
    moved = {n: task(n=n, d=2, operator="jackson 2").moved for n in (2000, 4096)}
    assert moved[2000] < 1e-9 < 0.01 < moved[4096]
    errors = [
        view.approximate(t=t, operator="jackson 2", function="Gaussian kernel").worst
        for t in (4, 5, 6, 7, 10)
    ]
    assert errors[0] == errors[1] == errors[2] < errors[3] > errors[4]
    three = task(d=3)
    assert three.error[three.paper_terms - 1] > 0.9 * three.error[0] > three.error[three.best]


def test_the_trade_off_is_made_of_what_the_papers_say():
    """Its bound and noise are those of `bounds`, its exact answers those of the population."""
    from dpviz.papers.smooth_queries.bounds import error_bound_kernels, noise_of
    from dpviz.views.smooth.bias_variance import BETA, population_truth

    for mechanism, delta in (("Laplace", 0.0), ("Gaussian", 1e-6)):
        shown = task(mechanism=mechanism, d=2, epsilon=2.0)
        queries, exact = population_truth("skewed", 2, 0.5)
        params = Params(d=2, terms=6, epsilon=2.0, delta=delta)
        assert shown.bound[5] == pytest.approx(
            error_bound_kernels(
                dataclasses.replace(params, beta=BETA), n=569, queries=queries
            ).max()
        )
        assert shown.noise[5] == pytest.approx(noise_of(queries.factors(6), params, 569)[0].max())
        assert (shown.error <= shown.bound).mean() > 0.9
    rng = np.random.default_rng(0)
    sample = queries.mean(2 * rng.beta(2, 3, (200_000, 2)) - 1)
    assert exact == pytest.approx(sample, abs=5 * 0.5 / np.sqrt(200_000))


@pytest.mark.parametrize(
    ("typed", "word"),
    [("1", "Yes."), ("3", "kink"), ("9", "from 1 to"), ("2", "smoother"), ("6", "Yes.")],
)
def test_the_function_that_breaks_the_kernel_is_diagnosed(typed, word):
    assert word in exercises.break_kernel().answer.judge(typed)
