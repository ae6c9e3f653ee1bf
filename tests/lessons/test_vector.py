"""Pictures as SVG: nothing is lost, nothing has an id, and what cannot be drawn is refused."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import Rectangle

from dpviz.drawing import style, svg
from dpviz.drawing.live import Live, View
from dpviz.drawing.vector import LAYERS, Vector, stack
from dpviz.drawing.winners import Winners, draw_winners

SVG = "{http://www.w3.org/2000/svg}"


def drawn(prepare):
    """The parsed picture of what ``prepare`` puts on axes from 0 to 1."""
    fig, ax = style.figure("A < B & C", alt='Says "so".')
    ax.set(xlim=(0, 1), ylim=(0, 1))
    prepare(ax)
    fig.dpi = 100
    vector = Vector(fig)
    page = fig.page(map(vector.elements, stack(fig)))
    return ElementTree.fromstring(re.sub(r"var\([\w-]+,([#\w]+)\)", r"\1", page))


def parts(root, kind, **look):
    """The elements of a kind that stand in a group of that look."""
    return [
        part
        for group in root.iter(f"{SVG}g")
        if all(group.get(name.replace("_", "-")) == value for name, value in look.items())
        for part in group.findall(f"{SVG}{kind}")
    ]


def test_it_is_an_image_with_title_and_description_and_without_ids():
    root = drawn(lambda ax: ax.plot([0, 1], [0, 1], "o-"))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "A < B & C"
    assert root.find(f"{SVG}desc").text == 'Says "so".'
    assert [part for part in root.iter() if part.get("id")] == []
    assert root.get("viewBox") == "0 0 760 420"


def test_words_stay_letters_as_wide_as_measured():
    root = drawn(lambda ax: style.note(ax, 0.5, 0.5, "error of α", bold=True))
    (words,) = [text for text in parts(root, "text", font_weight="bold") if "α" in text.text]
    assert words.text == "error of α"
    assert 50 < float(words.get("textLength")) < 90


def test_marked_points_tell_their_numbers():
    root = drawn(lambda ax: ax.plot([0.25, 0.5], [0.1, 0.2], "o", color="#b03406"))
    points = parts(root, "g", fill="#b03406")
    assert [point.find(f"{SVG}title").text for point in points] == ["0.25, 0.1", "0.5, 0.2"]


def test_a_mark_on_the_edge_tells_its_own_value():
    root = drawn(lambda ax: style.off_scale(ax, [0.25, 0.5], [7.0, -3.0], "bound"))
    told = [title.text for title in root.iter(f"{SVG}title")]
    assert {"0.25, 7", "0.5, −3"} <= set(told)
    assert not {"0.25, 1", "0.5, 0"} & set(told)


def test_no_words_are_no_element():
    root = drawn(lambda ax: (style.note(ax, 0.5, 0.5, ""), ax.set_xticks([0, 1], ["", "one"])))
    letters = [text.text for text in root.iter(f"{SVG}text")]
    assert "one" in letters and all(letters)


def test_a_copy_of_a_line_is_drawn_as_one_made_anew():
    """The second line of a look is a copy; what follows the first must not move it."""
    fig, ax = style.figure("", alt="")
    ax.set(xlim=(0, 1), ylim=(0, 1))
    vector, look = Vector(fig), style.line("released")
    first, second = ax.plot([0, 1], [0, 1], **look), ax.plot([0, 1], [0, 0.5], **look)
    elements = [vector.elements(line) for line in (*first, *second)]
    first[0].remove()
    first[0].set(color="black", zorder=1)
    assert [vector.elements(second[0]), len(ax.lines)] == [elements[1], 1]
    (third,) = ax.plot([0, 1], [0, 0.5], **look)
    assert vector.elements(third) == elements[1] == Vector(fig).elements(third) != elements[0]
    xs = np.linspace(0, 1, 500)  # so many points are simplified, though the first line's were not
    (curve,) = ax.plot(xs, xs**2, **style.line("released", marker=False))
    vector.elements(curve)
    (long,) = ax.plot(xs, xs**2, **look)
    assert vector.elements(long) == Vector(fig).elements(long)


@pytest.mark.parametrize(
    "prepare",
    [
        lambda ax: ax.vlines([0.2, 0.4, 0.7], 0.1, [0.5, 0.9, 1.2], color="red", lw=2),
        lambda ax: ax.vlines([0.2, 0.4], 0, 1, color=["red", "blue"]),
        lambda ax: ax.scatter([0.2, 0.4], [0.5, 0.7], [20, 80], "red", marker="s"),
        lambda ax: ax.add_collection(PatchCollection([Rectangle((0.1, 0.2), 0.3, 0.4)] * 2)),
        lambda ax: ax.add_collection(
            PatchCollection([Rectangle((0.1, 0.2), 0.3, 0.4)] * 2, hatch="/", fc="none")
        ),
        lambda ax: ax.add_collection(
            PatchCollection([Rectangle((0.1, 0.2), 0.3, 0.4)] * 2, offsets=[(60, 40)])
        ),
        lambda ax: ax.add_collection(LineCollection([], colors="red")),
    ],
)
def test_lines_of_one_look_are_drawn_as_one_by_one(prepare, monkeypatch):
    quick = ElementTree.tostring(drawn(prepare))
    slow = RendererBase.draw_path_collection
    monkeypatch.setattr(Vector, "draw_path_collection", slow)
    assert quick == ElementTree.tostring(drawn(prepare))


def test_a_cloud_is_a_few_elements():
    places = np.random.default_rng(1).uniform(size=(3000, 2))
    root = drawn(lambda ax: ax.plot(*places.T, "o", mew=0, color="#2a6fdb"))
    clouds = parts(root, "path", stroke="#2a6fdb")
    assert len(clouds) < 10
    assert sum(cloud.get("d").count("h0") for cloud in clouds) == 3000


def test_of_a_cloud_only_what_is_seen_is_drawn_and_no_dot_moves_by_half_a_pixel():
    places = np.random.default_rng(1).uniform(-1, 2, size=(3000, 2))
    clouds = {}

    def paint(ax):
        ax.plot(*places.T, "o", ms=1, mew=0, color="#2a6fdb")
        ax.figure.dpi = 100
        box = ax.transData.transform(places)
        clouds["true"] = np.column_stack([box[:, 0], ax.figure.bbox.height - box[:, 1]])

    root = drawn(paint)
    seen = []
    for cloud in parts(root, "path", stroke="#2a6fdb"):
        steps = re.findall(r"[Mm](\S+) (\S+?)h0", cloud.get("d"))
        seen.append(np.cumsum(np.array(steps, dtype=float), axis=0))
    at = np.concatenate(seen)
    inside = ((places > 0) & (places < 1)).all(axis=1)
    assert inside.sum() <= len(at) < inside.sum() + 60  # of some on the edge a part is seen
    apart = np.abs(clouds["true"][inside][:, None] - at).max(axis=2).min(axis=1)
    assert apart.max() <= 0.25 + 1e-6


def live(paint):
    """A live picture on axes from 0 to 1."""

    def frame(mode):
        fig, ax = style.figure("", alt="", mode=mode)
        ax.set(xlim=(0, 1), ylim=(0, 1))
        return fig

    return Live(View(frame, lambda fig, result: paint(fig.axes[0], result), str, list), "notebook")


def test_a_cloud_that_stays_is_written_once_and_one_that_moves_anew(monkeypatch):
    written = []
    monkeypatch.setattr(
        svg, "rows", lambda places, rows=svg.rows: [written.append(0), rows(places)][1]
    )
    places = np.random.default_rng(1).uniform(size=(3000, 2))
    look = {"marker": "o", "ls": "none", "mew": 0, "ms": 6, "color": "#2a6fdb"}

    def paint(ax, other):
        x = 1 - places[:, 0] if other == "moved" else places[:, 0]
        ax.plot(x, places[:, 1], **look | OTHER.get(other, {}))

    picture = live(paint)
    first = [picture.svg("stays") for _ in range(3)][-1]
    assert len(written) == 2 * LAYERS  # by matplotlib, then as a copy
    assert "will-change" in first  # a browser does not paint it again with what moves above it
    for other in ("moved", *OTHER):
        assert picture.svg(other) == live(paint).svg(other) != first


def mapped(ax, two):
    """Four cells, each won narrowly or clearly."""
    places, cells = np.array([0.3, 0.6]), np.array([[0, 0], [0, 1]])
    margin = np.full((2, 2), 1.0 + 9 * two)
    draw_winners(ax, Winners(places, places, ("a", "b"), ("released", "bound"), cells, margin))


OTHER = {"coloured": {"color": "#b03406"}, "larger": {"ms": 9}}
# Of each kind of copy, two that differ in one thing alone.
COPIES = {
    "place of a line": lambda ax, two: ax.plot([0, 0.5], [0, 0.3 + 0.1 * two], color="#2a6fdb"),
    "value on the edge": lambda ax, two: style.off_scale(ax, 0.5, 2 + two, "released", ""),
    "height of a box": lambda ax, two: ax.bar(0.5, 0.3 + 0.1 * two, fc="#2a6fdb"),
    "zone": lambda ax, two: ax.fill_between([0, 1], 0, [0.3, 0.3 + two / 2], color="#2a6fdb"),
    "words": lambda ax, two: style.note(ax, 0.5, 0.5, "12"[two]),
    "place of words": lambda ax, two: style.note(ax, 0.5, 0.5 + 0.1 * two, "1"),
    "name": lambda ax, two: [ax.plot([0, y], [0, y], color="#2a6fdb") for y in (1, 2)[1 - two :]],
    "cells of a map": mapped,
    "title": lambda ax, two: style.retitle(ax.figure, "12"[two]),
}


@pytest.mark.parametrize("kind", COPIES)
def test_what_stood_in_a_picture_before_is_drawn_as_in_a_new_one(kind, monkeypatch):
    drawn, elements = [], Vector.elements
    monkeypatch.setattr(
        Vector, "elements", lambda *given: [drawn.append(given[1]), elements(*given)][1]
    )
    picture, alone = live(COPIES[kind]), live(COPIES[kind])
    first, second, again = map(picture.svg, (0, 1, 0))
    assert first == again != second == alone.svg(1)
    drawn.clear()
    assert picture.svg(1) == second and not drawn


def test_what_leaves_the_axes_is_seen_through_a_window():
    root = drawn(lambda ax: ax.plot([-1, 2], [0.5, 0.5], color="#b03406"))
    assert parts(root, "path", stroke="#b03406")
    assert [
        window for window in root.findall(f"{SVG}svg") if parts(window, "path", stroke="#b03406")
    ]
    inside = drawn(lambda ax: ax.plot([0.1, 0.2], [0.5, 0.5], color="#b03406"))
    assert parts(inside, "path", stroke="#b03406")
    windows = inside.findall(f"{SVG}svg")
    assert [window for window in windows if parts(window, "path", stroke="#b03406")] == []


def test_a_hatch_is_rising_lines():
    root = drawn(lambda ax: ax.axhspan(0.5, 0.9, hatch="////", lw=0, fc="none", ec="#bdb8ab"))
    (lines,) = parts(root, "path", stroke="#bdb8ab")
    ends = np.array(re.findall(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", lines.get("d")), float)
    assert len(ends) > 50
    # Each end is rounded to a tenth of a pixel.
    np.testing.assert_allclose(ends[:, 0] + ends[:, 1], ends[:, 2] + ends[:, 3], atol=0.3)
    assert (ends[:, 2] >= ends[:, 0]).all()


def test_a_map_is_a_path_for_each_colour():
    colours = np.zeros((20, 30, 3))
    colours[:, 10:] = 1
    root = drawn(lambda ax: ax.pcolormesh(*[np.linspace(0, 1, m) for m in (31, 21)], colours))
    (dark,) = parts(root, "path", fill="#000000", shape_rendering="crispEdges")
    assert dark.get("d").count("M") == 20


@pytest.mark.parametrize(
    "prepare",
    [
        lambda ax: ax.axhspan(0, 1, hatch="xx"),
        lambda ax: ax.imshow(np.eye(3)),
        lambda ax: ax.plot([0, 1], [0, 1])[0].set_clip_path(
            style.figure("", alt="")[1].transAxes.transform_path(ax.patch.get_path()), ax.transAxes
        ),
    ],
    ids=["hatch", "image", "clip"],
)
def test_what_it_cannot_draw_is_refused(prepare):
    with pytest.raises(NotImplementedError):
        drawn(prepare)


def test_memory_of_measured_texts_is_limited():
    fig, ax = style.figure("", alt="")
    vector = Vector(fig)
    for letters in itertools.product("abcdefghij", repeat=3):
        vector.elements(ax.text(0, 0, "".join(letters)))
    assert vector._measure.cache_info().currsize < 1000


@pytest.mark.parametrize("mode", style.MODES)
@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_a_number_is_as_large_as_another_of_its_digits(mode, weight):
    """So it is measured once for all of them."""
    fig, ax = style.figure("", alt="", mode=mode)
    fig.dpi = style.MODES[mode].shown
    measure = fig.canvas.get_renderer().get_text_width_height_descent
    vector = Vector(fig)
    for size, digit in itertools.product([7, 9, 11, 13], "123456789"):
        font = ax.text(0, 0, "", size=size, weight=weight).get_fontproperties()
        for text in (
            digit,
            f"{digit}7,{digit}{digit}1.4{digit}",
            f"ε = {digit}.{digit} of {digit}",
        ):
            told = vector.get_text_width_height_descent(text, font, False)
            assert told == measure(text, font, False)
    assert vector._measure.cache_info().misses == 4 * 3


def test_last_bits_move_no_line():
    def text(nudge):
        def prepare(ax):
            for place in (300, 300.5):  # pixels: where lines of either width snap to one side
                at = [place + nudge] * 2
                ax.plot(at, [100, 200], transform=None, lw=1)
                ax.plot(at, [100, 200], transform=None, lw=1.5)

        return ElementTree.tostring(drawn(prepare))

    assert text(-1e-10) == text(0) == text(1e-10)
    assert text(0) != text(1)


def windows(right):
    """How many windows there are for an area from the axes' left edge so far to the right."""

    def prepare(ax):
        ax.grid(False)
        ax.fill([0, 0, right, right], [0, 1, 1, 0], lw=0)

    return len(drawn(prepare).findall(f"{SVG}svg"))


def test_what_ends_with_the_axes_has_no_window():
    assert [windows(right) for right in (0.9, 1, 1 + 1e-12, 1.1)] == [0, 0, 0, 1]
