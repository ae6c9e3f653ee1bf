"""Is every text of a picture whole, apart from the others, and large enough to read?"""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

from matplotlib.text import Text
from matplotlib.transforms import Bbox

from dpviz.drawing import labels

SLACK = 1.0  # pixel: boxes hold a little air above and below the ink
SMALLEST = {"notebook": 8.0, "projector": 11.0, "phone": 7.92}  # pt


def problems(figure: Any) -> list[str]:
    """What is wrong with the texts of a figure, one sentence each; empty if all is well.

    Parameters
    ----------
    figure : a matplotlib Figure with an Agg canvas; a ``mode`` sets the smallest type

    Texts that are invisible or empty, and the labels of ticks outside the limits, are skipped.
    Notes of a still on a telephone stand where a page lets them settle.
    """
    if hasattr(figure, "again"):
        labels.settled(figure)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.draw_without_rendering()  # sets every text and warns of glyphs, but paints nothing
    boxes = [(text, _box(text)) for text in _shown_texts(figure)]
    found = [f"no glyph: {entry.message}" for entry in caught if "Glyph" in str(entry.message)]
    found += [sentence for text, box in boxes for sentence in _alone(figure, text, box)]
    pairs = [(a, b) for (a, p), (b, q) in combinations(boxes, 2) if _touch(p, q)]
    return found + [f"{_name(a)} overlaps {_name(b)}" for a, b in pairs]


def _shown_texts(figure: Any) -> list[Text]:
    ticks = {id(label) for ax in figure.axes for label in _tick_labels(ax, shown=False)}
    loose = [text for text in figure.findobj(Text) if id(text) not in ticks]
    labels = [label for ax in figure.axes for label in _tick_labels(ax, shown=True)]
    return [text for text in loose + labels if _is_shown(text)]


def _tick_labels(ax: Any, *, shown: bool) -> list[Text]:
    """Labels of all ticks, or of those within the limits only."""
    labels = []
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in [*axis.majorTicks, *axis.minorTicks]:
            if not shown or low <= tick.get_loc() <= high:
                labels += [tick.label1, tick.label2]
    return labels


def _is_shown(text: Text) -> bool:
    parent = text.axes.get_visible() if text.axes is not None else True
    return bool(text.get_text().strip()) and text.get_visible() and parent


def _box(text: Text) -> Bbox:
    """Pixels taken by the words alone, without arrow or ground."""
    return Text.get_window_extent(text)


def _alone(figure: Any, text: Text, box: Bbox) -> list[str]:
    """Faults of one text: clipped by the picture or by its axes, or too small."""
    found, least = [], SMALLEST.get(getattr(figure, "mode", ""), 0)
    if not _inside(box, figure.bbox):
        found.append(f"{_name(text)} is clipped by the picture's edge")
    if text.get_clip_on() and text.axes is not None and not _inside(box, text.axes.bbox):
        found.append(f"{_name(text)} is clipped by its axes")
    if text.get_fontsize() < least:
        found.append(f"{_name(text)} is set in {text.get_fontsize():.1f} pt, under {least:g}")
    return found


def _inside(box: Bbox, frame: Bbox) -> bool:
    left, low = box.x0 >= frame.x0 - SLACK, box.y0 >= frame.y0 - SLACK
    return left and low and box.x1 <= frame.x1 + SLACK and box.y1 <= frame.y1 + SLACK


def _touch(a: Bbox, b: Bbox) -> bool:
    wide = min(a.x1, b.x1) - max(a.x0, b.x0)
    tall = min(a.y1, b.y1) - max(a.y0, b.y0)
    return wide > SLACK and tall > SLACK


def _name(text: Text) -> str:
    return repr(text.get_text())
