"""Words as stamps: a text is drawn once, and its pixels are put down wherever it stands next.

Drawing letters is most of the cost of a live picture, and most words stay the same from one
move of a slider to the next.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

PAD = 6  # pixels around a text, for its ground
KEPT = 400


@dataclass(frozen=True, eq=False)
class Stamp:
    """Pixels of one text: colours times opacity, what shows through, place from its anchor.

    ``whole`` says that no part of it was beyond the edge of the picture.
    """

    ink: np.ndarray
    through: np.ndarray
    left: int
    top: int
    whole: bool


class Stamps:
    """Draws texts into a canvas, each kind of text really only once."""

    def __init__(self, width: int, height: int, dpi: float):
        self._renderer = RendererAgg(width, height, dpi)
        self._kept: OrderedDict[tuple[Hashable, ...], Stamp] = OrderedDict()

    def draw(self, text: Text, pixels: np.ndarray) -> None:
        """Put a text into ``pixels``, array (height, width, 4), which is changed."""
        if not text.get_text() or not text.get_visible():
            return
        column, row = self._anchor(text)
        stamp = self._stamp(text, column, row)
        top, left = row + stamp.top, column + stamp.left
        height, width = stamp.ink.shape[:2]
        rows = slice(max(top, 0), min(top + height, pixels.shape[0]))
        columns = slice(max(left, 0), min(left + width, pixels.shape[1]))
        inside = (
            slice(rows.start - top, rows.stop - top),
            slice(columns.start - left, columns.stop - left),
        )
        place = pixels[rows, columns, :3]
        place[:] = stamp.ink[inside] + place * stamp.through[inside] + 0.5

    def _anchor(self, text: Text) -> tuple[int, int]:
        """Column and row, from the top, of the point at which the text is placed."""
        x, y = _place(text)
        return round(x), int(self._renderer.height) - round(y)

    def _stamp(self, text: Text, column: int, row: int) -> Stamp:
        """The stamp of a text: a kept one, or one drawn now."""
        key = _look(text)
        if key not in self._kept:
            stamp = self._press(text, column, row)
            if not stamp.whole:  # it stands over the edge here, and need not elsewhere
                return stamp
            self._kept[key] = stamp
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _press(self, text: Text, column: int, row: int) -> Stamp:
        """Draw the text alone, and cut it out."""
        self._renderer.clear()
        with _on_whole_pixel(text):  # so that a stamp does not depend on where it was pressed
            text.draw(self._renderer)
            box = text.get_window_extent(self._renderer)
        drawn = np.asarray(self._renderer.buffer_rgba())
        height = drawn.shape[0]
        top, bottom = int(height - box.y1) - PAD, int(height - box.y0) + PAD
        left, right = int(box.x0) - PAD, int(box.x1) + PAD
        cut = drawn[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)].astype(float)
        opacity = cut[..., 3:] / 255
        whole = top >= 0 and left >= 0 and bottom <= height and right <= drawn.shape[1]
        place = max(left, 0) - column, max(top, 0) - row
        return Stamp(cut[..., :3] * opacity, 1 - opacity, *place, whole)


def _place(text: Text) -> np.ndarray:
    """Where a text is placed, in pixels."""
    return text.get_transform().transform(text.get_unitless_position())


@contextmanager
def _on_whole_pixel(text: Text) -> Iterator[None]:
    """Move a text by less than a pixel while it is drawn."""
    usual, place = text.get_transform(), _place(text)
    text.set_transform(usual + Affine2D().translate(*(np.round(place) - place)))
    try:
        yield
    finally:
        text.set_transform(usual)


def _look(text: Text) -> tuple[Hashable, ...]:
    """All that the pixels of a text depend on, but its place."""
    ground = text.get_bbox_patch()
    return (
        text.get_text(),
        text.get_fontsize(),
        text.get_weight(),
        text.get_color(),
        text.get_ha(),
        text.get_va(),
        ground and (ground.get_facecolor(), ground.get_edgecolor()),
    )
