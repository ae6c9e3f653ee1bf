"""The error figure and the map of winners."""

import math
from pathlib import Path

import numpy as np
import pytest
from coloraide import Color
from matplotlib.colors import to_hex

from dpviz import lessons
from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, Line, Vacuous, log, measured
from dpviz.drawing.palette import COLOURS, NEUTRALS
from dpviz.drawing.winners import NOTHING, UNCLEAR, Winners, draw_winners, edges, winners
from dpviz.lessons.cluster import errors as cluster_errors
from dpviz.lessons.cluster import experiments as cluster
from dpviz.lessons.distance import experiments as distance
from dpviz.lessons.distance import explorers as distance_explorers
from dpviz.lessons.distance import figures as distance_figures
from dpviz.lessons.embedding import experiments as embedding
from dpviz.lessons.embedding import figures as embedding_figures
from dpviz.lessons.fat_shattering import experiments as fat_shattering
from dpviz.lessons.fat_shattering import figures as fat_figures
from dpviz.lessons.fat_shattering import sufficiency
from dpviz.lessons.learner import mistakes
from dpviz.lessons.smooth import bias_variance
from dpviz.lessons.smooth import experiments as smooth
from dpviz.lessons.smooth import figures as smooth_figures
from dpviz.lessons.sparse import errors as sparse_errors
from dpviz.lessons.sparse import experiments as sparse
from dpviz.lessons.sparse import explorers as sparse_explorers
from dpviz.sweeps.slope import Slope
from dpviz.sweeps.sweep import Sweep

N = np.logspace(3, 7, 9)


def error_figure(mode, repeats=50):
    """Invented numbers: what is measured, its bound, baselines, and two lines off the scale."""
    trials = 300 * N[:, None] ** -0.78 * np.exp(np.linspace(-0.3, 0.3, repeats))
    axes = ErrorAxes(log("n", 700, 1.5e7), log("error", 1e-6, 7), Vacuous(low=True))
    lines = [
        measured("interactive", "released", N, trials),
        Line("proved", "bound", N, 400 * N**-0.78),
        Line("the paper's bound", "paper", N, 1e9 / N**0.2),
        Line("Gauss", "baseline", N, 1800 / N),
        Line("release", "baseline2", N, 10 / N),
    ]
    return axes.figure("Invented", "no trials", lines, alt="Invented.", mode=mode)


@pytest.mark.parametrize("mode", ["notebook", "projector"])
def test_error_figure_is_readable(mode, layout_problems):
    assert layout_problems(error_figure(mode)) == []


def test_a_line_off_the_scale_keeps_its_values_in_its_name():
    words = {text.get_text() for text in error_figure("notebook").texts}
    assert "the paper's bound,\n4×10⁷ to 2.5×10⁸" in words
    assert "release" in words
    beside = {text.get_text() for text in error_figure("notebook").axes[0].texts}
    assert not any("×10" in each for each in beside)  # what the name says is not said again


def test_few_trials_are_dots_and_many_a_band():
    few, many = (error_figure("notebook", repeats=r).axes[0] for r in (39, 40))
    assert len(many.patches) == len(few.patches) + 1
    assert max(len(each.get_xdata()) for each in few.lines) == 39 * len(N)


def test_winners_by_brute_force():
    rng = np.random.default_rng(1)
    tables = {(name, "released"): rng.random((3, 4)) for name in "abc"}
    found = winners([1, 2, 4, 8], [1, 2, 4], tables, floor=0.3)
    for i, j in np.ndindex(3, 4):
        values = [table[i, j] for table in tables.values()]
        best = int(np.argmin(values))
        if values[best] >= 0.3:
            assert (found.winner[i, j], found.margin[i, j]) == (NOTHING, 1)
        else:
            second = min(sorted(values)[1], 0.3)
            assert found.winner[i, j] == best
            assert found.margin[i, j] == pytest.approx(second / values[best])
    shares = [found.share(name) for name in [*"abc", None]]
    assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize("mode", ["notebook", "projector"])
def test_map_names_each_region_once(mode, layout_problems):
    y = np.logspace(-2, 1, 13)
    product = N * y[:, None]
    tables = {("paper", "released"): 300 / product**0.8, ("Gauss", "baseline"): 1e4 / product}
    fig, ax = style.figure("Invented", alt="Invented.", mode=mode, grid=False)
    style.log_axis(ax, "x", *edges(N)[[0, -1]])
    style.log_axis(ax, "y", *edges(y)[[0, -1]])
    draw_winners(ax, winners(N, y, tables, 0.5))
    names = [" ".join(text.get_text().split()) for text in ax.texts]
    assert sorted(names) == ["nothing beats a constant", "paper"]  # Gauss has fewer than 12 cells
    assert layout_problems(fig) == []


@pytest.mark.parametrize("mode", ["notebook", "projector"])
def test_a_key_names_each_winner_however_small_beside_the_map(mode, layout_problems):
    y = np.logspace(-2, 1, 13)
    product = N * y[:, None]
    tables = {("paper", "released"): 300 / product**0.8, ("Gauss", "baseline"): 1e4 / product}
    fig, ax = style.figure("Invented", alt="Invented.", mode=mode, grid=False)
    style.log_axis(ax, "x", *edges(N)[[0, -1]])
    style.log_axis(ax, "y", *edges(y)[[0, -1]])
    found = winners(N, y, tables, 0.5)
    draw_winners(ax, found, key=True)
    names = [text.get_text() for text in ax.texts]
    assert found.share("Gauss") > 0
    assert names == ["paper", "Gauss", "nothing beats\na constant"]
    assert layout_problems(fig) == []


def test_a_swatch_on_the_ground_s_own_colour_has_an_edge_that_is_seen():
    """Where no winner is clear a cell is white: its swatch is seen by its edge, in both themes."""
    _, ax = style.figure("Invented", alt="Invented.", grid=False)
    style.log_axis(ax, "x", 0.5, 8)
    style.log_axis(ax, "y", 0.5, 8)
    codes = np.array([[0, 0], [UNCLEAR, UNCLEAR]])
    ends = np.array([1.0, 4.0])
    draw_winners(ax, Winners(ends, ends, ("a",), ("released",), codes, np.ones((2, 2))), key=True)
    (edge,) = [to_hex(each.get_edgecolor()) for each in ax.patches if each.get_linewidth()]
    for seen, ground in zip((edge, COLOURS[edge][1]), NEUTRALS["ground"], strict=True):
        assert Color(seen).contrast(ground) >= 3


FITTED = Slope(-0.5, -0.6, -0.4)


def errors_of_distances():
    found, baselines = distance.SLOPES.stored().select(composition="zcdp"), distance.BASELINES
    flat = np.ones(len(found.axes["n"]))
    return distance_figures.figure_errors(found, baselines.stored(), flat, FITTED)


TRADED = bias_variance.trade_off(**bias_variance.START, seed=1)


def errors_of_smooth():
    slopes = dict.fromkeys(("paper", "truncation"), FITTED)
    return smooth_figures.figure_errors(smooth.ERRORS.stored(), slopes)


def euclidean_errors():
    both = embedding.EUCLIDEAN.stored(), embedding.EUCLIDEAN_PURE.stored()
    return embedding_figures.figure_euclidean(*both, np.ones(5), (FITTED, FITTED))


def field_errors():
    projected = embedding.EUCLIDEAN.stored()
    return embedding_figures.figure_field(projected, projected, np.ones(5), FITTED)


def scaled():
    kinds = {"ε": sparse.EPSILON, "m": sparse.WIDTH, "k": sparse.QUERIES}
    return sparse_errors.figure_scaling({name: each.stored() for name, each in kinds.items()})


def parted():
    fields = dict.fromkeys(("error", "embedding", "privacy"), np.full((3, 2), 0.1))
    found = Sweep({"epsilon": (0.1, 1.0, 10.0)}, 2, {}, fields)
    return embedding_figures.figure_parts(found, {"plain": found}, (np.ones(3), np.ones(3)))


def attacked():
    run = {"adaptive": 0.2, "fixed": 0.1, "expected": 0.2, "bound": 0.3}
    return sparse_errors.figure_adaptive_analyst({10: [run], 100: [run]}, 100, 100)


def sparse_error():
    return sparse_errors.figure_error(sparse.RECORDS.stored(), sparse.RECORDS.params, FITTED)


# figure -> where vacuous begins in each panel: the largest error of the best answer without data.
# One half where answers lie in [0, 1], for then no data can be further from one half.
ERROR_FIGURES = {
    "distance": (
        errors_of_distances,
        [np.median(distance.BASELINES.stored()["constant"])],
    ),
    "distance, terms": (lambda: distance_explorers.frame_answered("notebook"), [0.5]),
    "embedding": (parted, [0.5]),
    "embedding, euclidean": (
        euclidean_errors,
        [np.median(embedding.EUCLIDEAN.stored()["constant"])],
    ),
    "embedding, field": (
        field_errors,
        [np.median(embedding.EUCLIDEAN.stored()["constant"])],
    ),
    "sparse": (sparse_error, [0.5]),
    "sparse, scaling": (scaled, [0.5] * 3),
    "sparse, promise": (sparse_explorers.PROMISE_AXES.frame, [0.5]),
    "sparse, analyst": (attacked, [0.5]),
    "smooth": (
        errors_of_smooth,
        [np.median(smooth.ERRORS.stored().select(method="truncation")["constant"])],
    ),
    "smooth, terms": (lambda: bias_variance.figure_bias_variance(TRADED), [TRADED.error[0]]),
    "cluster": (  # half the diagonal of the unit cube, in planted radii
        lambda: cluster_errors.figure_theorem(cluster.THEOREM.stored()),
        [math.sqrt(2) / 0.04, math.sqrt(10) / 0.04],
    ),
    "fat": (
        lambda: fat_figures.figure_release(fat_shattering.RELEASED.stored()),
        [fat_figures.without_data()],
    ),
    "fat, sufficiency": (
        lambda: sufficiency.figure_sufficiency(fat_shattering.BY_DIMENSION.stored()),
        [max(map(sufficiency.without_data, fat_shattering.DIMENSIONS))],
    ),
    "fat, regression": (
        lambda: sufficiency.figure_regression(fat_shattering.LEARNT_BY_PEOPLE.stored()),
        [fat_shattering.LEARNT_BY_PEOPLE.stored()["constant"][0, 0]],
    ),
    # counts lie in [0, 1000]
    "fat, crossover": (lambda: fat_figures.figure_crossover(1000, 10**6), [500]),
    # mistakes, not errors: who looks at each query learns nothing
    "learner": (mistakes.counted_axes(range(-16, -2)).frame, [1000]),
}


@pytest.mark.parametrize("name", ERROR_FIGURES)
def test_vacuous_begins_at_the_best_answer_without_data(name):
    draw, begins = ERROR_FIGURES[name]
    zones = [p for ax in draw().axes for p in ax.patches if p.get_hatch()]
    assert [zone.get_y() for zone in zones] == pytest.approx(begins)


def test_no_figure_hatches_by_itself():
    """One rule: who draws the zone does it through `errors.Vacuous`."""
    folder = Path(lessons.__file__).parents[1]
    own = {folder / "drawing" / f"{name}.py" for name in ("marks", "style", "errors")}
    files = [f for f in folder.rglob("*.py") if f not in own]
    assert len(own & set(folder.rglob("*.py"))) == 3
    assert files and not [f.name for f in files if "vacuous_zone" in f.read_text("utf-8")]
