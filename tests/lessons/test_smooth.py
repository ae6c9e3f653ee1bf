"""Lesson 06: its pictures, the tasks' answers, the stored sweep."""

import dataclasses

import every
import numpy as np
import pytest
from matplotlib.patches import Polygon
from matplotlib.text import Text

from dpviz.lessons import smooth as view
from dpviz.lessons.smooth import balance, exercises, explorers, figures, published
from dpviz.lessons.smooth.bias_variance import BIAS_VARIANCE
from dpviz.lessons.smooth.experiments import CLASS, ERRORS
from dpviz.lessons.smooth.player import ANGLES, TERM_ADDED
from dpviz.papers.smooth_queries import bounds, moments
from dpviz.papers.smooth_queries.chebyshev import chebyshev
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.release import Params, answer, release, rescaled, truth

MODES = ["notebook", "projector"]


def player(draws=4):
    data = np.random.default_rng(0).uniform(-1, 1, (300, 1))
    params = Params(d=1, terms=6, epsilon=1, lower=-1, upper=1)
    released = [release(data, params, params.curator(rng=seed)) for seed in range(draws)]
    query = GaussianKernels(centres=[[0.2]], width=0.5, lower=-1, upper=1)
    return view.play_terms(query, data, released), query, data, released


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
        "Jackson, K = 1": {"d = 1": 0.11, "d = 2": 0.64, "d = 3": 0.66},
        "moments": {"d = 1": 0.012, "d = 2": 0.065, "d = 3": 0.2},
        "functional": {"d = 1": 0.012, "d = 2": 0.065, "d = 3": 0.2},
        "noise, adaptive": {"d = 1": 12.0, "d = 2": 12.5, "d = 3": 13.0},
        "without data": {"d = 1": 0.31, "d = 2": 0.48, "d = 3": 0.5},
    }
    table = {"d = 1, K = 1": {"error": (-0.33, -0.5), "summary": (1.33, 1.34), "query": (1.7, 0.4)}}
    asked = Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1)
    one_class = CLASS.stored().select(delta=1e-6, d=1, smoothness=2)
    slope = one_class.slope("most", rng=1)
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
        "class": lambda m: view.figure_class(one_class, asked, slope, -1.0, m),
    }


def test_of_the_clinic_each_dimension_has_its_own_vacuous_zone():
    """A mark lies in the shade where it is no better than the best answer without data of its d."""
    rows = {
        "between": {"d = 1": 0.43, "d = 2": 0.43, "d = 3": 0.43},
        "above": {"d = 1": 0.6, "d = 2": 0.6, "d = 3": 0.6},
        "without data": {"d = 1": 0.42, "d = 2": 0.45, "d = 3": 0.5},
    }
    least = rows["without data"]
    ax = view.figure_clinic(rows, "a setting").axes[0]
    (zone,) = (patch for patch in ax.patches if isinstance(patch, Polygon))
    marks = [line.get_xydata()[0] for line in ax.lines if line.get_marker() in "osD"]
    assert len(marks) == 6  # the answer without data is the zone, and no row
    values = [(rows[name][d], least[d]) for name in ("between", "above") for d in least]
    for (x, y), (error, limit) in zip(marks, values, strict=True):
        assert x == error
        shaded = zone.get_path().contains_point((x * 1.001, y))
        assert shaded == (error >= limit), (error, limit)


NAMES = "bias_variance approximation slopes errors spent clinic exponents class"


@pytest.mark.parametrize("mode", every.stills(MODES))
@pytest.mark.parametrize("name", [*NAMES.split(), "median"])
def test_nothing_is_clipped_and_no_words_overlap(pictures, layout_problems, name, mode):
    figure = pictures[name](mode)
    assert layout_problems(figure) == []
    assert 40 <= len(figure.alt) <= 300


def test_every_picture_is_tested():
    assert {f for f in view.__all__ if f.startswith("figure_")} == {
        f"figure_{n}" for n in NAMES.split()
    }


@pytest.mark.parametrize("mode", MODES)
def test_the_player_draws_cleanly_at_every_step(mode, layout_problems):
    for state in every.spread(player()[0].trace, 5):
        figure = TERM_ADDED.figure(state, mode)
        assert layout_problems(figure) == []
        assert len(figure.alt) <= 300


def test_the_player_adds_up_what_the_mechanism_released():
    """Term by term, with Chebyshev polynomials instead of cosines, up to `answer` itself."""
    shown, query, data, (released, *_) = player()
    params, coefficients = released.params, query.factors(6)[0][0]
    moments, polynomials = truth(data, None, params), chebyshev(np.cos(ANGLES), 6)
    exact = query.mean(rescaled(data, params))[0]
    for m, step in enumerate(shown.trace[:6]):
        known = coefficients[: m + 1]
        assert (step.degree, step.draw, step.exact) == (m, 0, exact)
        assert (step.moment, step.noisy) == (moments[m], released.summary[m])
        assert step.after == pytest.approx(known @ polynomials[: m + 1], abs=1e-12)
        assert step.after == pytest.approx(step.before + step.cosine, abs=1e-12)
        assert step.answer == pytest.approx(known @ released.summary[: m + 1], abs=1e-12)
        bias = step.noiseless - exact
        assert bias + step.noise.sum() == pytest.approx(step.answer - exact, abs=1e-12)
        assert step.spread == pytest.approx(abs(known) * released.sd[: m + 1], abs=1e-15)
    assert step.answer == pytest.approx(answer(released, coefficients), abs=1e-12)
    assert shown.trace[0].sd == 0  # the constant needs no noise


def test_the_amplitudes_tremble_as_the_mechanism_draws_them():
    """Each further state is one release at the same epsilon; only its noise differs."""
    shown, query, data, released = player(draws=1001)
    coefficients, last = query.factors(6)[0][0], shown.trace[5:]
    moments = truth(data, None, released[0].params)
    for draw, (step, each) in enumerate(zip(last, released, strict=True)):
        assert (step.draw, step.degree) == (draw, 5)
        assert step.noise == pytest.approx(coefficients * (each.summary - moments), abs=1e-15)
        assert step.trembling[-1] == pytest.approx(step.noise.sum(), abs=1e-12)
        assert (step.after == last[0].after).all() and step.noiseless == last[0].noiseless
    # a mean of 1,001 |noise| / b, exponential with mean and sd 1: 5.2 sd of it is 0.165
    sizes = np.abs([step.noise[1:] for step in last]) / last[0].spread[1:] * np.sqrt(2)
    assert sizes.mean(axis=0) == pytest.approx(np.ones(5), abs=0.165)


def test_a_summary_of_more_variables_is_refused_by_the_player():
    params = Params(d=2, terms=3, epsilon=1, lower=-1, upper=1)
    data = np.zeros((9, 2))
    query = GaussianKernels(centres=[[0.2, 0.2]], width=0.5, lower=-1, upper=1)
    with pytest.raises(ValueError, match="releases must be of one variable, not of 2"):
        view.play_terms(query, data, [release(data, params, params.curator(rng=1))])


def test_with_noise_the_toy_still_teaches_the_answer_and_not_the_noise():
    """A dot is 2,000 records; the median worst error is below half of the best constant's."""
    toy = view.explore_published()
    runs = [published.publish(**toy.values | {"seed": seed}) for seed in range(41)]
    assert published.EACH * len(published.RECORDS) == 8000 and toy.values["epsilon"] <= 1
    off = np.median([np.abs(run.answers - run.exact).max() for run in runs])
    assert off < np.ptp(runs[0].exact) / 2 / 2
    assert any((run.noisy != run.averages).any() for run in runs)
    assert runs[0].answer == pytest.approx(runs[0].answers[50])  # the kernel at 0 is one of all


def test_more_cosines_are_worse_only_if_their_noise_is_equal():
    how = {"n": 100_000, "terms": 5, "smoothness": 2}
    equal, growing = (balance.weigh(**how, noise=noise) for noise in balance.NOISES)
    assert equal.best < 100 and equal.error[-1] > 10 * equal.error.min()
    assert growing.error[-1] == growing.error.min() < equal.error.min() / 10


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
    assert [float(error) for error in errors[:3]] == pytest.approx([float(errors[0])] * 3, rel=1e-9)
    assert errors[0] < 0.999 * errors[3] and errors[4] < 0.999 * errors[3]
    three = task(d=3)
    assert three.error[three.paper_terms - 1] > 0.9 * three.error[0] > three.error[three.best]


def test_the_trade_off_is_made_of_what_the_papers_say():
    """Its bound and noise are those of `bounds`, its exact answers those of the population."""
    from dpviz.lessons.smooth.bias_variance import BETA, population_truth
    from dpviz.papers.smooth_queries.bounds import error_bound_kernels, noise_of

    for mechanism, delta in (("Laplace", 0.0), ("Gaussian", 1e-6)):
        shown = task(mechanism=mechanism, d=2, epsilon=2.0)
        queries, exact = population_truth("skewed", 2, 0.5)
        params = Params(d=2, terms=6, epsilon=2.0, delta=delta, lower=-1, upper=1)
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


def test_the_picture_of_a_class_shows_what_is_proved():
    """Stored draws lie between the worst member and the bound; once computed again, one is there.

    Beyond the bound are 9.6 of 192 on average, and 24 once in 10,000 times.
    """
    stored = CLASS.stored()
    assert (stored["error"] < stored["most"]).all()
    assert (stored["most"] > stored["bound"]).sum() <= 24
    place = 4 * 6 * 4 + 5  # approximate privacy, d = 1, K = 1, 3,000 records
    again = CLASS.once(place)
    kept = stored.select(delta=1e-6, d=1, smoothness=1, n=3000)
    assert again["error"] == pytest.approx(kept["error"][5], rel=1e-6)
    assert again["bound"] == pytest.approx(kept["bound"][5], rel=1e-9)
    asks = Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1)
    assert view.limit(asks, 10_000) < view.proved(asks, 10_000) < 0.01
