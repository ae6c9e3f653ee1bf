"""The decision guide of lesson 09 as a table, and who leads at some places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dpviz.comparison import experiments, guide
from dpviz.comparison.mechanisms.kinds import KINDS, WITHOUT
from dpviz.drawing import style
from dpviz.lessons.compare.figures import error_range, markdown
from dpviz.lessons.compare.names import asked

if TYPE_CHECKING:
    from IPython.display import DisplayObject


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
