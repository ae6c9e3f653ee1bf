"""Labels, marks and slopes stand where they should, and no text is cut or covered."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.patches import Polygon

from dpviz.drawing import style

MODES = ("notebook", "projector")


def error_figure(mode="notebook"):
    """Every mark of an error figure, on invented numbers."""
    far = mode == "projector"
    title = "Invented error falls like 1/√n"
    subtitle = f"invented; ε = 1, k = {style.number(1000)}"
    fig, ax = style.figure(title, subtitle, alt="Invented.", mode=mode)
    style.log_axis(ax, "x", 250, 1.3e6)
    style.log_axis(ax, "y", 6e-4, 7)
    n = np.logspace(2.5, 6, 8)
    lines = {
        "released": (3.3 / np.sqrt(n), "measured"),
        "bound": (10.5 / np.sqrt(n), "proved bound"),
        "paper": (330 / np.sqrt(n), "paper’s bound"),
        "rate": (1 / np.sqrt(n), "rate only" if far else "paper’s rate"),
        "baseline": (700 / n, "Laplace each" if far else "Laplace each query"),
        "baseline2": (0.42 + 0 * n, "always ½" if far else "answer ½ always"),
    }
    style.vacuous_zone(ax, 1, "vacuous: answers lie in [0, 1]")
    style.band(ax, n, 2 / np.sqrt(n), 5 / np.sqrt(n))
    for role, (y, _) in lines.items():
        ax.plot(n, y, **style.line(role, mode))
        style.off_scale(ax, n, y, role)
    style.slope_triangle(ax, -0.497, (-0.512, -0.481), -0.5)
    style.label_ends(ax, [(n[-1], y[-1], text, role) for role, (y, text) in lines.items()])
    style.axis_titles(ax, "n, records (log scale)", "worst error (log scale)")
    return fig, ax


def learner_figure(mode="notebook"):
    """A step of a player: a curve, a miss, ticks, pips."""
    fig, ax = style.figure("Invented steps", "step 9 of 40", alt="Invented.", mode=mode)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", 0, 0.7)
    y = np.linspace(0, 1, 50)
    ax.plot(y, 0.1 + 0.5 * y**2, **style.line("truth", mode))
    ax.plot(y, 0.05 + 0.5 * y**2, **style.line("released", mode, marker=False))
    style.event_star(ax, 0.3, 0.145)
    style.note(ax, 0.2, 0.45, "missed by 0.08", target=(0.3, 0.145))
    ends = [(1, 0.6, "truth F\n(never leaves)", "truth"), (1, 0.55, "hypothesis", "released")]
    style.label_ends(ax, ends)
    style.pips(fig, 3, 5)
    style.axis_titles(ax, "query point y", "average distance")
    return fig, ax


def panels_figure(mode="notebook"):
    """Small multiples with a base-2 axis and an off-scale line at the lower edge."""
    names = [f"ε = {style.number(e)}" for e in (0.1, 0.3, 1, 3, 10, 30)]
    fig, axes = style.figure("Six", alt="Invented.", mode=mode, rows=2, columns=3, names=names)
    x = 2.0 ** np.arange(1, 7)
    for ax in axes.flat:
        style.base2_axis(ax, "x", x)
        style.log_axis(ax, "y", 1e-3, 10)
        style.vacuous_zone(ax, 1, "")
        ax.plot(x, 1 / x, **style.line("released", mode))
        style.note(ax, 0.04, 0.14, "bound ÷ error 3.2", "muted", at="axes")
    style.off_scale(axes[0, 0], x, 1e-4 / x, "bound", "")
    style.axis_titles(axes[-1, -1], "degree t")
    return fig, axes


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("draw", [error_figure, learner_figure, panels_figure])
def test_no_text_is_cut_covered_or_small(draw, mode, layout_problems):
    assert layout_problems(draw(mode)[0]) == []


def test_layout_check_catches_planted_faults(layout_problems):
    fig, ax = error_figure()
    style.note(ax, 1e6, 0.4, "a note that runs into the gutter", "truth")
    found = layout_problems(fig)
    assert any(
        "a note that runs" in line and "overlaps 'answer ½ always'" in line for line in found
    )
    fig, ax = error_figure("projector")
    fig.text(0.95, 0.5, "far too long for the gutter", fontsize=9)
    ax.text(250, 1e-3, "cut off", clip_on=True, ha="right")
    found = layout_problems(fig)
    assert "'far too long for the gutter' is clipped by the picture's edge" in found
    assert "'far too long for the gutter' is set in 9.0 pt, under 11" in found
    assert "'cut off' is clipped by its axes" in found


def test_layout_check_skips_what_is_not_shown(layout_problems):
    fig, ax = learner_figure()
    style.note(ax, 0.2, 0.45, "hidden").set_visible(False)
    ax.set_xlim(0, 0.5)
    assert layout_problems(fig) == []


@pytest.mark.parametrize("mode", MODES)
def test_gutter_labels_keep_order_and_distance(mode):
    _, ax = error_figure(mode)
    ends = [(1e6, y, f"line {k}", "paper") for k, y in enumerate([1e-9, 0.011, 0.01, 0.0101, 5])]
    texts = style.label_ends(ax, ends)
    assert [text.get_text()[-1] for text in texts] == list("02314")  # bottom to top
    heights = np.array([text.get_position()[1] for text in texts]) * 72  # pt
    assert min(np.diff(heights)) >= 1.25 * style.MODES[mode].small - 1e-9
    alone = style.label_ends(ax, [(1e6, 0.1, "alone", "paper")])[0]
    level = ax.transData.transform((1e6, 0.1))[1] / ax.figure.dpi
    assert alone.get_position()[1] == pytest.approx(level)


def test_of_equal_ends_the_first_given_stands_above():
    _, ax = error_figure()
    low, high = style.label_ends(ax, [(1e6, 0.1, "first", "paper"), (1e6, 0.1, "next", "bound")])
    assert (low.get_text(), high.get_text()) == ("next", "first")


def test_too_many_labels_are_refused():
    _, ax = error_figure()
    with pytest.raises(ValueError, match="do not fit"):
        style.label_ends(ax, [(1e6, 0.1, "x", "paper")] * 40)


@given(st.lists(st.floats(0, 10), max_size=8), st.floats(0.1, 1.1))
def test_spread_keeps_order_room_and_what_already_fits(wanted, height):
    wanted = sorted(wanted)
    places = style.spread(wanted, [height] * len(wanted), 0, 10)
    assert all(np.diff(places) >= height - 1e-9)
    assert all((places >= height / 2 - 1e-9) & (places <= 10 - height / 2 + 1e-9))
    assert np.allclose(style.spread(places, [height] * len(wanted), 0, 10), places)


@pytest.mark.parametrize("slope", [-0.5, -2.0, 0.9])
@pytest.mark.parametrize("corner", ["lower left", "upper left", "lower right", "upper right"])
def test_slope_triangle_has_the_angle_of_the_axes(slope, corner):
    _, ax = style.figure("Slope", alt="")
    style.log_axis(ax, "x", 100, 1e7)
    style.log_axis(ax, "y", 1e-4, 10)
    style.slope_triangle(ax, slope, (slope, slope), slope, corner)
    x = np.array([1e3, 1e4])
    true = ax.transData.transform(np.column_stack([x, 0.01 * x**slope]))
    drawn = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 2]
    for ends in (ax.transData.transform(points) for points in drawn):
        assert angle(ends) == pytest.approx(angle(true), abs=1e-9)
    polygon = next(patch for patch in ax.patches if isinstance(patch, Polygon))
    shares = ax.transAxes.inverted().transform(ax.transData.transform(polygon.get_xy()))
    assert ((shares > 0) & (shares < 1)).all()


def angle(ends):
    return math.atan2(*(ends[1] - ends[0])[::-1])


def test_slope_triangle_says_what_it_shows():
    for mode, said in (("notebook", "fitted −0.497 [−0.512, −0.481]"), ("projector", "± 0.02")):
        words = [text.get_text() for text in error_figure(mode)[1].texts]
        assert any(said in text for text in words)
        assert "predicted −0.5" in words
    _, ax = style.figure("Linear", alt="")
    with pytest.raises(ValueError, match="two log axes"):
        style.slope_triangle(ax, -1, (-1, -1), -1)


def test_off_scale_values_stand_at_the_edge():
    _, ax = error_figure()
    marks = [line for line in ax.lines if line.get_marker() == "^" and line.get_ydata()[0] == 7]
    assert [round(float(x)) for line in marks for x in line.get_xdata()] == [316, 1000]
    assert {"19", "10"} <= {text.get_text() for text in ax.texts}
    assert style.off_scale(ax, [1e3, 1e4], [0.1, 1.0], "bound") == []
    texts = style.off_scale(ax, [1e4, 1.01e4, 1e5], [1e-5, 1e-5, 1e-6], "bound")
    assert [text.get_text() for text in texts] == ["10⁻⁵", "10⁻⁶"]
    assert ax.lines[-1].get_marker() == "v"


def test_vacuous_zone_needs_room():
    _, ax = error_figure()
    with pytest.raises(ValueError, match="at least 8"):
        style.vacuous_zone(ax, 2, "vacuous")


def test_marks_leave_the_limits_alone():
    _, ax = learner_figure()
    before = SimpleNamespace(x=ax.get_xlim(), y=ax.get_ylim())
    for kind in ("miss", "here", "worst", "refused"):
        style.event(ax, 3, 3, kind)
    style.dots(ax, [0.1, 0.2], np.ones((2, 5)))
    style.note(ax, 0.5, 0.5, "far", at="axes", target=(5, 5))
    assert (ax.get_xlim(), ax.get_ylim()) == (before.x, before.y)


def test_pips_count_and_give_way_to_words():
    fig, _ = style.figure("Pips", alt="")
    style.pips(fig, 3, 5)
    used, left = [len(line.get_xdata()) for line in fig.findobj(lambda a: a in fig.artists)]
    assert (used, left) == (3, 2)
    style.pips(fig, 13, 40)
    assert fig.texts[-1].get_text() == "updates 13 of 40"
