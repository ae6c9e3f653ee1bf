"""What matplotlib does not tell in public: the two places where we ask it all the same.

`tests/lessons/test_private.py` holds what is expected of each, so that a new matplotlib that knows
them no more is met there first.
"""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text


def siblings(artist: Artist) -> list[Artist]:
    """The list of a figure's or axes' own in which an artist stands, to put another beside it."""
    return artist._remove_method.__self__


def lines_of(text: Text, renderer: RendererBase) -> tuple[list, tuple, tuple]:
    """A text's lines with their places, and the lower left corner and size of the whole."""
    _, lines, (corner, size) = text._get_layout(renderer)
    return lines, corner, size
