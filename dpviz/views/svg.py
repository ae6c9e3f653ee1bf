"""The words of SVG: paths, fills, windows, hatches. Nothing has an id."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TypeAlias

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase as Context
from matplotlib.colors import to_hex
from matplotlib.path import Path
from matplotlib.transforms import Bbox

Colour: TypeAlias = tuple[float, ...]
Shape: TypeAlias = tuple[tuple[str, str], str]  # (window, look), element

LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}
FONTS = "DejaVu Sans, Verdana, sans-serif"
LOOK = "display:block;max-width:100%;height:auto;background:white"


def page(size: Sequence[float], title: str, alt: str, elements: Iterable[str]) -> str:
    """A whole picture, with what it is called and what it tells.

    >>> page((2, 1), "A < B", "Nothing.", [])[-50:]
    '<title>A &lt; B</title><desc>Nothing.</desc></svg>'
    """
    width, height = (f"{round(length, 1):g}" for length in size)
    told = f"<title>{html.escape(title)}</title><desc>{html.escape(alt)}</desc>"
    frame = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
    style = f'font-family="{FONTS}" fill="none" style="{LOOK};--ratio:{size[0] / size[1]:.4g}"'
    inside = "".join(elements)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {frame} {style}>{told}{inside}</svg>'


def grouped(shapes: Iterable[Shape]) -> str:
    """Shapes in their order; neighbours that look alike share a group, and a window."""
    words = []
    for window, some in groupby(shapes, key=lambda shape: shape[0][0]):
        groups = groupby(some, key=lambda shape: shape[0][1])
        inside = [f"<g {look}>{''.join(part for _, part in parts)}</g>" for look, parts in groups]
        words += [f"<svg {window}>", *inside, "</svg>"] if window else inside
    return "".join(words)


@lru_cache(200)
def window(*sides: float) -> str:
    """Attributes of a nested picture: it shows only what is inside, and needs no id for that.

    >>> window(1, 2, 3, 4)
    'x="1" y="2" width="3" height="4" viewBox="1 2 3 4"'
    """
    numbers = [f"{round(side, 1):g}" for side in sides]
    names = zip(("x", "y", "width", "height"), numbers, strict=True)
    return " ".join([*(f'{name}="{x}"' for name, x in names), f'viewBox="{" ".join(numbers)}"'])


def box(sides: Bbox) -> str:
    """A filled box."""
    x, y, width, height = sides.bounds
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def path(vertices: np.ndarray, codes: np.ndarray | None = None) -> str:
    """A path in SVG's letters; a letter holds until the next one.

    >>> path(np.array([[0, 0], [1, 0.25], [2, 0]]))
    '<path d="M0 0L1 0.2 2 0"/>'
    """
    codes = [Path.MOVETO] + [Path.LINETO] * len(vertices) if codes is None else codes.tolist()
    words, last = [], None
    for (x, y), code in zip(vertices.round(1).tolist(), codes, strict=False):
        if code == Path.CLOSEPOLY:
            words.append("Z")
        elif code != last or code == Path.MOVETO:
            words.append(f"{LETTERS[code]}{x:g} {y:g}")
        else:
            words.append(f" {x:g} {y:g}")
        last = code
    return f'<path d="{"".join(words)}"/>'


def dots(places: np.ndarray) -> str:
    """Many dots as one element: the round ends of lines without length."""
    return f'<path d="{"M%.1f %.1fh0" * len(places) % tuple(places.ravel())}"/>'


def cells(xs: np.ndarray, ys: np.ndarray, chosen: np.ndarray) -> str:
    """The chosen cells of an upright grid, (len(ys) - 1, len(xs) - 1), in runs, as one element."""
    words = []
    for row, line in enumerate(chosen):
        for start, stop in _runs(line):
            across, down = xs[stop] - xs[start], ys[row + 1] - ys[row]
            words.append(f"M{xs[start]:.1f} {ys[row]:.1f}h{across:.1f}v{down:.1f}h{-across:.1f}z")
    return f'<path d="{"".join(words)}"/>'


@lru_cache(200)
def rising(left: float, top: float, right: float, bottom: float, step: float) -> str:
    """Rising lines over a box, ``step`` pixels apart down the page."""
    words = []
    for index in range(math.ceil((left + top) / step), math.ceil((right + bottom) / step)):
        total = index * step  # x + y is the same all along a line
        x0, x1 = max(left, total - bottom), min(right, total - top)
        words.append(f"M{x0:.1f} {total - x0:.1f}L{x1:.1f} {total - x1:.1f}")
    return f'<path d="{"".join(words)}"/>'


def fill(gc: Context, face: Colour | None) -> str:
    """Attributes of a filled shape; empty if nothing is seen."""
    if face is None:
        return ""
    alpha = gc.get_alpha() if gc.get_forced_alpha() or len(face) < 4 else face[3]
    seen = "" if alpha == 1 else f' fill-opacity="{alpha:.3g}"'
    return f'fill="{to_hex(face)}"{seen}' if alpha else ""


def opacity(gc: Context, name: str = "opacity") -> str:
    """How much shows through lines or letters; empty if nothing does."""
    alpha = gc.get_alpha() if gc.get_forced_alpha() else gc.get_rgb()[3]
    return "" if alpha == 1 else f' {name}="{alpha:.3g}"'


def _runs(line: np.ndarray) -> Iterator[tuple[int, int]]:
    """Start and stop of each run of true entries.

    >>> list(_runs(np.array([True, False, True, True])))
    [(0, 1), (2, 4)]
    """
    turns = [0, *(np.flatnonzero(np.diff(line)) + 1), len(line)]
    return ((int(start), int(stop)) for start, stop in pairwise(turns) if line[start])
