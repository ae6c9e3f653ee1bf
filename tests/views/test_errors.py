"""The error figure and the map of winners."""

import numpy as np
import pytest

from dpviz.views import style
from dpviz.views.errors import Line, draw_lines, measured
from dpviz.views.winners import NOTHING, draw_winners, edges, winners

N = np.logspace(3, 7, 9)


def error_figure(mode, repeats=50):
    """Invented numbers: what is measured, its bound, baselines, and two lines off the scale."""
    trials = 300 * N[:, None] ** -0.78 * np.exp(np.linspace(-0.3, 0.3, repeats))
    fig, ax = style.figure("Invented", "no trials", alt="Invented.", mode=mode)
    style.log_axis(ax, "x", 700, 1.5e7)
    style.log_axis(ax, "y", 1e-6, 7)
    style.vacuous_zone(ax, 1, "vacuous: answers lie in [0, 1]", low=True)
    lines = [
        measured("interactive", "released", N, trials),
        Line("proved", "bound", N, 400 * N**-0.78),
        Line("the paper's bound", "paper", N, 1e9 / N**0.2),
        Line("Gauss", "baseline", N, 1800 / N),
        Line("release", "baseline2", N, 10 / N),
    ]
    draw_lines(ax, lines, spread="released")
    return fig


@pytest.mark.parametrize("mode", ["notebook", "projector"])
def test_error_figure_is_readable(mode, layout_problems):
    assert layout_problems(error_figure(mode)) == []


def test_a_line_off_the_scale_keeps_its_values_in_its_name():
    words = {text.get_text() for text in error_figure("notebook").texts}
    assert "the paper's bound,\n4×10⁷ to 2.5×10⁸" in words
    assert "release" in words


def test_few_trials_are_dots_and_many_a_band():
    few, many = (error_figure("notebook", repeats=r).axes[0] for r in (39, 40))
    assert len(many.collections) == len(few.collections) + 1
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
    names = [text.get_text() for text in ax.texts]
    assert sorted(names) == ["nothing beats a constant", "paper"]  # Gauss has fewer than 12 cells
    assert layout_problems(fig) == []
