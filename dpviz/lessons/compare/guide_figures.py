"""The decision guide of lesson 09 as a picture and as a table."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from dpviz.comparison import experiments, guide
from dpviz.comparison.mechanisms.kinds import KINDS, WITHOUT
from dpviz.drawing import style
from dpviz.drawing.roles import HATCH, UNLIT, ZONE
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.lessons.compare.figures import error_range, markdown
from dpviz.lessons.compare.names import NAMED, ORIGINS, SHORT, asked, origin

if TYPE_CHECKING:
    from IPython.display import DisplayObject


@still
def figure_guide(mode: str = "notebook") -> Figure:
    """The decision guide: the mechanism of clearly smallest error, over settings and n."""
    few = style.MODES[mode].tight  # large type: every second row and column
    rows = guide.guide()[few :: 1 + few]
    columns = range(0, len(guide.N), 1 + few)
    advice = [each for _, row in rows for each in row]
    nothing = sum(not each.keys for each in advice)
    fig, ax = style.figure(
        "The guide that the trials wrote",
        "smallest median error, ε = 1; strong colour: twice as good as the next",
        alt=f"Table of {len(rows)} settings by {len(guide.N)} numbers of records; each cell names "
        f"the mechanism with the smallest error. In {nothing} of {len(advice)} nothing clearly "
        f"beats no data; in {sum(each.tie for each in advice)} it is not clear which is best.",
        mode=mode,
        height=1.9 if mode == "phone" else 1.6,
        grid=False,
        gutter=False,
    )
    style.linear_axis(ax, "x", -1.6 if few else -1.4, len(columns) - 0.5, [])
    style.linear_axis(ax, "y", len(rows) + 1 + few, -0.5, [])
    ax.set_xticks(range(len(columns)), [style.number(guide.N[j]) for j in columns])
    ax.spines[["left", "bottom"]].set_visible(False)
    for i, (where, row) in enumerate(rows):
        _row_name(ax, i, asked(where))
        for x, j in enumerate(columns):
            _advice(ax, x, i, where.kind, row[j])
    _key_of_colours(ax, len(rows) + 0.4, len(columns))
    style.axis_titles(ax, "n, records")
    return fig


def _row_name(ax: Axes, y: float, words: str) -> None:
    """The name of a row, from the left margin on."""
    bottom, top = ax.get_ylim()
    at = {"at": "axes", "halo": "none"}
    style.note(ax, -0.07, (y - bottom) / (top - bottom), _narrow(ax, words, 18), **at)


def _narrow(ax: Axes, words: str, letters: int) -> str:
    """Words in lines of so many letters, where the picture is a telephone's."""
    return textwrap.fill(words, letters) if style.mode_of(ax).lines > 1 else words


def _key_of_colours(ax: Axes, y: float, columns: int) -> None:
    """What the colours mean, as further rows of the table."""
    fills = [(words, {"fc": style.tint(ORIGINS[where], 0.68)}) for where, words in NAMED.items()]
    _row_name(ax, y, "what colours mean")
    for i, (words, fill) in enumerate([*fills, ("not clear", UNSURE), ("nothing helps", NONE)]):
        _cell(ax, i % columns, y + i // columns, words, fill)


UNSURE = {"fc": UNLIT}
NONE = {"fc": ZONE, "ec": HATCH, "hatch": "////"}


def _cell(ax: Axes, x: float, y: float, words: str, fill: dict) -> None:
    """A filled cell with words in it."""
    look = {"ec": "white", "lw": 1.2, "zorder": 2} | fill
    ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **look))
    size = style.mode_of(ax).small
    how = {"ha": "center", "va": "center", "color": style.INK, "zorder": 9, "fontsize": size}
    ax.text(x, y, _narrow(ax, words, 10), linespacing=1.15, **how)


def _advice(ax: Axes, x: int, y: int, kind: str, told: guide.Advice) -> None:
    """One cell of the guide."""
    if told.key:
        strength = 0.42 if told.margin < 2 else 0.68
        _cell(ax, x, y, SHORT[told.key], {"fc": style.tint(origin(kind, told.key), strength)})
    elif told.tie and style.mode_of(ax).tight:  # large type: no room for two names
        _cell(ax, x, y, "not clear", UNSURE)
    elif told.tie:
        first, *rest = (SHORT[key] for key in told.keys)
        others = rest[0] if len(rest) == 1 else f"or {len(rest)} others"
        _cell(ax, x, y, f"{first}\n{others}", UNSURE)
    else:
        _cell(ax, x, y, "nothing", NONE)


def table_guide() -> DisplayObject:
    """The guide in words: what to use at which n, its error over the draws, how clear that is."""
    head = ["asked", "n", "use", "error: median (range)", "without data", "next best"]
    lines = [f"| {' | '.join(head)} |", "|:--|--:|:--|--:|--:|--:|"]
    for where, row in guide.guide():
        for n, each in zip(guide.N, row, strict=True):
            if n not in (1000, 10_000):
                continue
            names = [KINDS[where.kind].mechanism(key).name for key in each.keys]
            clear = f"{style.number(each.margin)} times" if each.key else "not clear"
            error = error_range(each.error, each.low, each.high)
            cells = [asked(where), style.number(n), " or ".join(names) or "**nothing**", error]
            cells += [style.number(each.without), clear if names else "–"]
            lines.append(f"| {' | '.join(cells)} |")
    return markdown(lines)


def table_cells(places: Sequence[str]) -> DisplayObject:
    """Who leads at some of ``experiments.PLACES``: median, 0.95 quantile and share of failures.

    A failure is a run that is not better than an answer without data. Mechanisms in order of their
    medians, up to the best of a paper; that line is there wherever it stands.
    """
    head = ["records, n", "mechanism", "median", "0.95 quantile", "fails"]
    lines = [f"| {' | '.join(head)} |", "|:--|:--|--:|--:|--:|"]
    for place in places:
        draws = guide.cell(place)
        kind = KINDS[experiments.kind_of(place)]
        keys = [each.key for each in kind.mechanisms if np.isfinite(np.median(draws[each.key]))]
        keys.sort(key=lambda key, draws=draws: float(np.median(draws[key])))
        papers = [key for key in keys if kind.mechanism(key).origin == "paper"]
        for key in dict.fromkeys([*keys[:4], *papers[:1]]):
            errors = draws[key]
            fails = float(np.mean(errors >= draws[WITHOUT]))
            numbers = style.number(float(np.median(errors))), style.number(guide.quantile(errors))
            cells = [place, kind.mechanism(key).name, *numbers, f"{fails:.0%}"]
            lines.append(f"| {' | '.join(cells)} |")
        if not papers:
            lines.append(f"| {place} | *those of the papers refuse* | | | |")
    return markdown(lines)
