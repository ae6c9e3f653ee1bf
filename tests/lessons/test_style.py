"""The drawing style: colours that stay apart, numbers that read well, pictures that repeat."""

import base64
import html
import io
import math
from itertools import combinations

import numpy as np
import pytest
from coloraide import Color
from matplotlib.colors import to_rgb
from PIL import Image

from dpviz.drawing import picture, roles, style

MAIN = ("truth", "released", "bound", "paper", "public")
ALL = (*MAIN, "baseline", "baseline2")
MODES = ("notebook", "projector")


def seen(colour, vision):
    """The colour as an eye sees it that lacks one kind of cone (Machado 2009, severity 1)."""
    colour = Color(colour)
    return colour.filter(vision, 1, method="machado") if vision else colour


def closest(roles, vision):
    colours = [seen(style.ROLES[role].colour, vision) for role in roles]
    return min(a.delta_e(b, method="2000") for a, b in combinations(colours, 2))


def decoded(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def falling(mode="notebook"):
    """A small error figure on invented numbers, with one line in each of four roles."""
    fig, ax = style.figure("It falls", "invented", alt="Four falling lines.", mode=mode)
    style.log_axis(ax, "x", 100, 1e5)
    style.log_axis(ax, "y", 1e-3, 7)
    x = np.logspace(2, 5, 4)
    for factor, role in ((1, "released"), (3, "bound"), (9, "paper"), (0.5, "truth")):
        ax.plot(x, factor / np.sqrt(x), **style.line(role, mode))
    return fig, ax


@pytest.mark.parametrize("vision", [None, "protan", "deutan", "tritan"])
def test_colours_stay_apart_in_every_vision(vision):
    # CIEDE2000; measured minima over the visions: 12.60 for all roles, 17.47 for the main ones.
    assert closest(ALL, vision) >= 12
    assert closest((*ALL, "event"), vision) >= 12
    assert closest(MAIN, vision) >= 17


def test_colour_check_catches_a_red_and_green_pair():
    assert seen("#b03406", "deutan").delta_e(seen("#5f6d1a", "deutan"), method="2000") < 12


def test_contrast_of_lines_and_texts():
    for role in ALL:
        assert Color(style.ROLES[role].colour).contrast("white") >= 3
    for role in style.ROLES:
        for ground in ("white", "#f1efea"):  # page and vacuous zone
            assert Color(style.text_colour(role)).contrast(ground) >= 4.5
    assert Color(style.INK).contrast(style.ROLES["event"].colour) >= 11


GROUNDS = {"Light": "#ffffff", "Dark": "#111111"}  # JupyterLab's, around a picture


def test_marks_part_from_the_ground_they_stand_on():
    """WCAG 1.4.11. Pictures are white in every theme; an event has an edge in ink."""
    fig, _ = falling()
    assert set(map(tuple, fig.pixels()[[0, 0, -1], [0, -1, 0], :3].tolist())) == {(255, 255, 255)}
    assert "background:var(--dpviz-ground,white)" in fig.svg()
    for role in set(style.ROLES) - {"lattice", "event"}:  # a lattice carries nothing
        assert Color(style.ROLES[role].colour).contrast("white") >= 3, role
    assert Color(style.line("event")["mec"]).contrast("white") >= 3
    assert Color(roles.SPINE).contrast("white") >= 3
    for ground in GROUNDS.values():  # the bar beside a warning stands in the page
        assert Color(roles.WARNING).contrast(ground) >= 3


def test_main_lines_part_in_grey():
    grey = sorted(Color(style.ROLES[r].colour).convert("lab-d65")["l"] for r in MAIN[:4])
    assert min(np.diff(grey)) > 6.9  # measured: rust 41, blue 48, the closest two


def test_no_two_roles_share_both_line_and_marker():
    looks = [(role.style, role.marker, role.colour) for role in style.ROLES.values()]
    assert len(set(looks)) == len(looks)
    kinds = [
        (style.ROLES[role].style, style.ROLES[role].marker) for role in ALL if role != "public"
    ]
    assert len(set(kinds)) == len(kinds)


def test_projected_lines_are_heavier_and_unknown_roles_are_named():
    assert style.line("released", "projector")["lw"] > style.line("released")["lw"]
    assert style.line("truth")["marker"] == "" == style.line("bound", marker=False)["marker"]
    with pytest.raises(ValueError, match="unknown role 'proof'; known: truth"):
        style.line("proof")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (9.96, "10"),
        (0.33333, "0.33"),
        (0.00331, "0.0033"),
        (0.0009996, "0.001"),
        (0.00099, "9.9×10⁻⁴"),
        (1e-5, "10⁻⁵"),
        (-1e-5, "−10⁻⁵"),
        (-0.497, "−0.5"),
        (999.6, "1\u202f000"),
        (1500.0, "1\u202f500"),
        (12000, "12\u202f000"),
        (np.int64(1234567), "1\u202f234\u202f567"),
        (9.97e6, "10⁷"),
        (10**9, "10⁹"),
        (3.3e12, "3.3×10¹²"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "–"),
    ],
)
def test_numbers(value, text):
    assert style.number(value) == text


def test_number_words():
    assert style.number(0.123456, 3) == "0.123"
    assert style.signed(0.5) == "+0.5"
    assert style.fixed(-0.0001) == "0.000"
    assert style.interval(-0.512, -0.481) == "[−0.512, −0.481]"
    with pytest.raises(ValueError, match="integer"):
        style.power(10, 2.5)


def labels(ax, which):
    return [label.get_text() for label in getattr(ax, f"get_{which}ticklabels")()]


def test_log_ticks():
    _, ax = falling()
    assert labels(ax, "x") == ["100", "10³", "10⁴", "10⁵"]
    assert labels(ax, "y") == ["10⁻³", "0.01", "0.1", "1"]
    assert np.allclose(ax.get_xticks(minor=True)[:3], [200, 500, 2000])
    style.log_axis(ax, "y", 1e-6, 1e3)
    assert labels(ax, "y") == ["10⁻⁶", "10⁻⁴", "0.01", "1", "100"]
    style.log_axis(ax, "y", 0.3, 6)
    assert labels(ax, "y") == ["0.5", "1", "2", "5"]
    with pytest.raises(ValueError, match="0 < low < high"):
        style.log_axis(ax, "y", 0, 1)


def test_base2_and_linear_ticks():
    _, ax = style.figure("Ticks", alt="No data.")
    style.base2_axis(ax, "x", [2, 4, 8, 16])
    assert labels(ax, "x") == ["2", "4", "8", "16"]
    style.base2_axis(ax, "x", 2.0 ** np.arange(-3, 8))
    assert labels(ax, "x") == ["2⁻³", "2⁻¹", "2¹", "2³", "2⁵", "2⁷"]
    style.base2_axis(ax, "x", [3, 6, 12])
    assert labels(ax, "x") == ["3", "6", "12"]
    style.linear_axis(ax, "y", -1, 1, [-1, 0, 0.5])
    assert labels(ax, "y") == ["−1.0", "0.0", "0.5"]
    with pytest.raises(ValueError, match="positive"):
        style.base2_axis(ax, "x", [0, 1])


@pytest.mark.parametrize(("mode", "size"), [("notebook", (1094, 604)), ("projector", (1280, 720))])
def test_picture_repeats_to_the_byte(mode, size):
    first, second = falling(mode)[0].png(), falling(mode)[0].png()
    assert first == second
    image = Image.open(io.BytesIO(first))
    assert image.size == size
    assert image.mode == "P"
    assert not image.info.keys() & {"Software", "date:create"}
    assert Image.open(io.BytesIO(falling()[0].png(100))).size == (760, 420)


def test_drawing_at_another_size_leaves_the_figure_alone():
    fig, _ = falling()
    before = fig.png()
    fig.png(100)
    assert fig.png() == before


def test_palette_keeps_roles_and_makes_the_ground_white():
    fig, ax = falling()
    rare = {"event": 40, "baseline": 6, "baseline2": 6}  # a star, two short strokes; pixels
    style.event_star(ax, 3e4, 2)
    for x, role in ((1e4, "baseline"), (2e4, "baseline2")):
        ax.plot([x, x], [2, 3], color=style.ROLES[role].colour, lw=2)
    ax.imshow(np.linspace(0, 1, 256)[None], extent=(0.6, 1, 0.6, 1), transform=ax.transAxes)
    true, stored = fig.pixels()[..., :3].astype(int), decoded(fig.png())
    assert (stored[(true == 255).all(-1)] == 255).all()
    for role in ("released", "bound", "paper", "truth", *rare):
        pure = (true == np.round(255 * np.array(to_rgb(style.ROLES[role].colour)))).all(-1)
        assert pure.sum() > rare.get(role, 100)
        assert np.abs(stored[pure] - true[pure]).max() <= 3, role


def test_a_cloud_of_dots_is_an_image_in_its_svg_and_keeps_its_words():
    fig, ax = style.figure("Many dots", alt="Four thousand dots.")
    ax.plot(*np.random.default_rng(0).uniform(size=(2, 4000)), "o", ms=1)
    drawn = fig.svg()
    assert len(drawn) < 2 * picture.LARGEST
    assert "<image href=" in drawn
    assert "<title>Many dots</title><desc>Four thousand dots.</desc>" in drawn
    turned = "image%7Bfilter:invert(.93)hue-rotate(180deg)%7D"  # no white slab in a dark page
    assert turned in picture.image(drawn, "Many dots", 760)
    assert turned not in picture.image(drawn.replace("<image", "<g"), "No image", 760)


def test_picture_shows_itself_with_its_alt_text():
    for mode, width in (("notebook", 760), ("projector", 1280)):
        fig, _ = falling(mode)
        data = fig._repr_mimebundle_()
        shown = f'<img alt="{html.escape(fig.alt)}" width="{width}" src="data:image/png;base64,'
        _, _, code = data["text/html"].partition(shown)
        assert base64.b64decode(code.partition('"')[0]) == fig.png(style.MODES[mode].shown)
        assert data["text/plain"] == fig.alt == "Four falling lines."


@pytest.mark.parametrize(("mode", "most"), [("notebook", 70), ("projector", 50)])
def test_long_titles_and_alt_texts_are_refused(mode, most):
    style.figure("x" * most, alt="", mode=mode)
    with pytest.raises(ValueError, match=f"at most {most}"):
        style.figure("x" * (most + 1), alt="", mode=mode)
    with pytest.raises(ValueError, match="at most 300"):
        style.figure("x", alt="x" * 301, mode=mode)
    with pytest.raises(ValueError, match="unknown mode"):
        style.figure("x", alt="", mode="poster")


def test_panels():
    _, axes = style.figure("Six", alt="", rows=2, columns=3, names=["a", "b"])
    assert axes.shape == (2, 3)
    assert [text.get_text() for text in axes[0, 1].texts] == ["b"]
    fig, (top, low) = style.figure("Two", alt="", rows=2, gutter=True, heights=[2, 1], height=1.12)
    assert fig.get_figheight() == pytest.approx(1.12 * 4.2)
    assert top.get_position().height == pytest.approx(2 * low.get_position().height)
    assert (1 - top.get_position().x1) * 7.6 == pytest.approx(1.62)
    assert (1 - axes[0, 2].get_position().x1) * 7.6 == pytest.approx(0.2)
    style.retitle(fig, "Three", "again")
    assert [text.get_text() for text in fig.texts] == ["Three", "again"]
