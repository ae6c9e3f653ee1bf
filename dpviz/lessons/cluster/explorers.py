"""The explorers of lesson 07 and their still pictures: one search, and rows lost."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, Line, draw_lines, log
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Choice, Explorer, Handle, Points, Slider, View, stops
from dpviz.lessons.cluster.experiments import CLINIC, DIGITS, SHAPES, WINE, Seen, find_ball
from dpviz.papers.small_cluster import good_radius, rec_concave


def _what(seen: Seen) -> str:
    """The data of a search in words."""
    n, d = seen.points.shape
    return f"{seen.source}, n = {style.number(n)}, d = {d}, t = {style.number(seen.params.t)}"


def _visible(seen: Seen, most: int) -> str:
    """What part of the data the picture shows, if that is at most so many rows.

    In many columns a ball looks too wide for what it holds, since two of them are a small part of
    each distance.
    """
    n, d = seen.points.shape
    rows = f"{style.number(most)} of {style.number(n)} records" if n > most else "all records"
    return f"{rows}, 2 of {d} columns" if d > 2 else rows


def frame_plane(mode: str) -> Figure:
    """Left the cube's first two columns, right the same around the ball."""
    fig, axes = style.figure(
        "",
        alt="",
        mode=mode,
        columns=2,
        square=2,
        sharey=False,
        grid=False,
        names=["", ""],
        height=1.12,
    )
    style.linear_axis(axes[0], "x", 0, 1, [0, 0.5, 1])
    style.linear_axis(axes[0], "y", 0, 1, [0, 0.5, 1])
    style.linear_axis(axes[1], "x", -3, 3, [-2, 0, 2])
    style.linear_axis(axes[1], "y", -3, 3, [-2, 0, 2])
    style.axis_titles(axes[0], "column 1", "column 2")
    style.axis_titles(axes[1], "from the centre, in radii", "the same, enlarged")
    for ax in axes:
        ax.set_box_aspect(1)
    return fig


def paint_plane(fig: Figure, seen: Seen) -> None:
    """Rows, box, ball, mean; enlarged where a ball was found."""
    left, right = fig.axes
    most = 1000 if fig.mode == "phone" else 3000
    setting = f"{_what(seen)}; ε = {style.number(seen.params.epsilon)}"
    style.retitle(fig, _title(seen), f"{setting}; shown: {_visible(seen, most)}")
    some = seen.points[
        np.linspace(0, len(seen.points) - 1, min(len(seen.points), most)).astype(int)
    ]
    draw_rows(left, some[:, :2])
    left.plot(*seen.mean[:2], **style.points("baseline", fig.mode))
    _say_mean(left, seen.mean)
    if seen.pin is not None:
        draw_pin(left, seen)
    if seen.found is None or not seen.found.found:
        words = "refused: nothing was spent" if seen.found is None else "not found: all was spent"
        words = words.split(":")[0] if style.MODES[fig.mode].tight else words
        style.note(right, 0.5, 0.5, words, "muted", at="axes", ha="center")
        return
    ball = seen.found
    draw_ball(left, ball.center[:2], ball.radius, "released")
    draw_rows(right, (some[:, :2] - ball.center[:2]) / ball.radius, size=1.6)
    draw_box(right, (ball.box[:2] - ball.center[:2]) / ball.radius, ball.side / ball.radius)
    draw_ball(right, np.zeros(2), 1.0, "released")
    style.note(right, 0, 1, "published ball", "released", ha="center", va="bottom", dy=3)


def draw_pin(ax: Axes, seen: Seen) -> None:
    """A reader's guess, and the smallest ball around it that holds t rows."""
    draw_ball(ax, seen.pin, seen.reach, "truth")
    mode = ax.get_figure(root=True).mode
    look = style.points("event", mode) | {"marker": "P", "ms": 10, "gid": "pin"}
    ax.plot(*seen.pin[:, None], **look, clip_on=False)
    words = "pin" if style.MODES[mode].tight else "ball around the pin: radius"
    words = f"{words} {style.number(seen.reach)} (private)"
    # Away from the pin's ball, and from where the planted one starts.
    x, y, ha, va = (
        (0.97, 0.03, "right", "bottom") if seen.pin[1] > 0.5 else (0.03, 0.97, "left", "top")
    )
    style.note(ax, x, y, words, "truth", at="axes", ha=ha, va=va)


def _say_mean(ax: Axes, mean: np.ndarray) -> None:
    below = mean[1] > 0.5
    left = mean[0] > 0.6
    place = {"dy": -9 if below else 9, "ha": "right" if left else "left"}
    style.note(ax, *np.clip(mean[:2], 0.03, 0.97), "mean of all", "baseline", **place)


def draw_rows(ax: Axes, rows: np.ndarray, size: float = 0.8) -> None:
    """Private rows as small ink dots; at most 3,000 of them, evenly chosen, are shown."""
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), 3000)).astype(int)]
    look = {"ms": size * style.mode_of(ax).marker_scale, "mew": 0, "color": style.INK}
    look |= {"marker": "o", "ls": "none", "alpha": 0.6, "zorder": 3}
    ax.plot(*some[:, :2].T, scalex=False, scaley=False, **look)


def draw_ball(ax: Axes, center: np.ndarray, radius: float, role: str) -> None:
    """A circle in a role's colour."""
    hue = style.ROLES[role]
    scale = style.mode_of(ax).line_scale
    look = {
        "fill": False,
        "ec": hue.colour,
        "lw": hue.width * scale,
        "zorder": hue.z,
    }
    ax.add_patch(Circle(tuple(center), radius, ls=hue.style, **look))


def draw_box(ax: Axes, center: np.ndarray, side: float, role: str = "public") -> None:
    """A square in a role's colour."""
    hue = style.ROLES[role]
    scale = style.mode_of(ax).line_scale
    look = {
        "fill": False,
        "ec": hue.colour,
        "lw": 1.4 * scale,
        "ls": (0, (3, 2)),
        "zorder": 5,
    }
    ax.add_patch(Rectangle(tuple(np.asarray(center) - side / 2), side, side, **look))


def _title(seen: Seen) -> str:
    if seen.found is None:
        return "Refused: too few records at this budget"
    if not seen.found.found:
        return f"The step {seen.found.failed!r} found nothing"
    if math.isnan(seen.captured):
        return f"A ball of radius {style.number(seen.found.radius)} was found"
    return f"The ball holds {style.number(100 * seen.captured, 3)} % of the cluster"


def say_plane(seen: Seen) -> str:
    """One sentence of reading."""
    if seen.found is None:
        return f"Records ({_what(seen)}); {seen.refused[:190]}. Nothing was spent."
    around = ""
    if seen.pin is not None:
        reach = style.number(seen.reach)
        around = f" Around the pin t records need radius {reach} (private)."
    if not seen.found.found:
        return (
            f"Records ({_what(seen)}). The step {seen.found.failed!r} found nothing: an "
            f"honest answer that cost all of ε = {style.number(seen.params.epsilon)}.{around}"
        )
    return (
        f"Records ({_what(seen)}), their noisy mean, and a published ball of radius "
        f"{style.number(seen.found.radius)} that holds {style.number(seen.held)}, proved at least "
        f"{style.number(math.ceil(seen.found.holds))}.{around}"
    )


def table_plane(seen: Seen) -> list[list[str]]:
    """Radius, rows, steps."""
    rows = [["", "number"], ["t, records wanted", style.number(seen.params.t)]]
    if seen.pin is not None:
        rows.append(["radius around the pin (private)", style.number(seen.reach, 3)])
    rows.append(["records the radius may lose", style.number(seen.params.loss, 3)])
    if seen.found is None or not seen.found.found:
        return [*rows, ["ball", "none"]]
    return [
        *rows,
        ["radius chosen first", style.number(seen.found.z, 3)],
        ["radius published", style.number(seen.found.radius, 3)],
        ["records in the ball (private)", style.number(seen.held)],
        ["proved: at least", style.number(math.ceil(seen.found.holds))],
        ["over the planted radius", "–" if math.isnan(seen.ratio) else f"{seen.ratio:.3g}"],
    ]


PLANE = View(frame_plane, paint_plane, say_plane, table_plane)


@still
def figure_plane(seen: Seen, mode: str = "notebook") -> Figure:
    """One search, still."""
    return PLANE.figure(seen, mode)


_search = lru_cache(maxsize=1)(find_ball)  # a pin that moves needs no other search


def search_and_guess(*, pin: Places, **asked: Any) -> Seen:
    """:func:`find_ball`, and, in two columns, a reader's guess beside it.

    >>> pinned = {"pin": ((0.5, 0.5),), "source": "planted ball", "n": 500, "share": 0.25}
    >>> round(search_and_guess(**pinned, d=2, epsilon=1, seed=1).reach, 2)
    0.32
    """
    seen = _search(**asked)
    return replace(seen, pin=np.array(pin[0])) if seen.params.d == 2 else seen


def explore_cluster() -> Explorer:
    """One search for a ball: 2,000 rows are looked at for the radius, 10 shifts of the grid.

    Drag the pin to where you see the cluster: how small is the ball that holds as many rows?
    """
    sources = [*SHAPES, DIGITS, CLINIC, WINE]
    sizes = stops(500, 20_000, log=True, whole=True, also=[1000, 5000, 10_000])
    epsilons = stops(0.1, 10, log=True, also=[0.5, 1, 4])
    shares = stops(0.05, 0.9, also=[0.08, 0.25])
    made = [{"source": [*SHAPES]}]
    controls = [
        Slider(name="n", label="n, records", values=sizes, start=5000, acts=made),
        Slider(name="epsilon", label="ε", values=epsilons, start=1),
        Slider(name="d", label="d, columns", values=[2, 3, 5, 9, 20, 50], start=2),
        Slider(name="share", label="t / n", values=shares, start=0.25),
        Choice(name="source", label="data", values=sources, start="planted ball"),
        Points(
            name="pin",
            label="pin",
            start=((0.65, 0.65),),
            lower=0,
            upper=1,
            most=1,
            acts=[{"d": [2]}],
        ),
    ]
    presets: dict[str, dict[str, str | float]] = {
        "Found": {},
        "Too few": {"n": 500},
        "Fifty axes": {"d": 50, "n": 10_000},
        "Zeros, ε = 1": {"source": DIGITS, "share": 0.08, "d": 9},
        "Zeros, ε = 4": {"source": DIGITS, "share": 0.08, "d": 9, "epsilon": 4},
        "Outliers of the clinic": {"source": CLINIC, "share": 0.9, "d": 3},
        "No cluster": {"source": "no cluster", "d": 9},
    }
    handles = [Handle(mark="pin", x="pin", y="pin", jump=True)]
    return Explorer(search_and_guess, PLANE, controls, presets, handles=handles)


BITS = (4, 8, 16, 32, 64, 128, 256, 512, 1000)

NAMES = {
    "exponential": ("exponential", "released"),
    "binary search": ("binary search", "baseline"),
    "AboveThreshold": ("AboveThreshold", "baseline2"),
    "RecConcave": ("RecConcave", "bound"),
}


@dataclass(frozen=True, eq=False)
class Losses:
    """Rows lost at most, by method: {method: array (len(BITS),)}; and what was asked."""

    epsilon: float
    beta: float
    t: int
    lost: dict[str, np.ndarray]
    paper: np.ndarray


def rows_lost(*, epsilon: float, beta: float, t: int, seed: int = 0) -> Losses:
    """Formulas only: no data, no noise; d = 10, delta = 1e-6."""
    lost: dict[str, list[float]] = {method: [] for method in NAMES}
    paper = []
    for bits in BITS:
        radii = 2 * (2 * bits + 4) + 3  # of ``radius_grid`` in ten dimensions
        half = {"epsilon": epsilon / 2, "delta": 1e-6, "beta": beta / 2}
        line = rec_concave.Params(candidates=8 * 2**bits + 1, **half)
        promise = rec_concave.error_bound(line)
        paper.append(4 * rec_concave.paper_bound(line))
        for method in NAMES:
            loss = good_radius.loss(method, radii, epsilon=epsilon, beta=beta, promise=promise)
            lost[method].append(loss)
    loss = {method: np.array(values) for method, values in lost.items()}
    return Losses(epsilon, beta, t, loss, np.array(paper))


LOSSES_AXES = ErrorAxes(log("bits of a coordinate", 3.5, 1200), log("records lost at most", 5, 2e6))


def paint_losses(fig: Figure, result: Losses) -> None:
    """Four methods, the paper's constants off the scale, and t."""
    ax = fig.axes[0]
    able = sum(lost[BITS.index(16)] < result.t for lost in result.lost.values())
    style.retitle(
        fig,
        f"With {style.number(result.t)} records, {able} of 4 methods promise a radius",
        f"d = 10, ε = {style.number(result.epsilon)}, δ = 10⁻⁶, β = {style.number(result.beta)}",
    )
    lines = [Line(name, role, BITS, result.lost[method]) for method, (name, role) in NAMES.items()]
    draw_lines(ax, [*lines, Line("paper", "paper", BITS, result.paper)])
    wanted = style.line("truth", fig.mode, marker=False) | {"lw": 1}
    ax.axhline(result.t, **wanted)
    style.note(ax, 4, result.t, "t, records wanted", "truth", dy=7)


def say_losses(result: Losses) -> str:
    """Rows lost on a grid of 16 bits."""
    at = BITS.index(16)
    words = ", ".join(f"{NAMES[m][0]} {style.number(v[at], 3)}" for m, v in result.lost.items())
    return (
        f"Rows that a method to choose the radius may lose, against the bits of a coordinate. At "
        f"16 bits and ε = {style.number(result.epsilon)}: {words}; the paper's constants: "
        f"{style.number(result.paper[at], 2)}. Wanted: {style.number(result.t)}."
    )


def table_losses(result: Losses) -> list[list[str]]:
    """One row a method, at 16 and 1,000 bits."""
    rows = [
        ["records lost of", style.number(result.t), "wanted"],
        ["method", "16 bits", "1,000 bits"],
    ]
    for method, (name, _) in NAMES.items():
        values = result.lost[method]
        rows.append([name, style.number(values[2], 3), style.number(values[-1], 3)])
    return rows


LOSSES = View(LOSSES_AXES.frame, paint_losses, say_losses, table_losses)
figure_losses = LOSSES.figure
