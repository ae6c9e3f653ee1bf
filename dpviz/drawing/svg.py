"""The words of SVG: paths, fills, windows, hatches. Nothing has an id."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TypeAlias

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase as Context
from matplotlib.colors import to_hex
from matplotlib.path import Path
from matplotlib.transforms import Bbox

from dpviz.drawing import palette
from dpviz.words import SOURCE, lesson, other

Colour: TypeAlias = tuple[float, ...]
Shape: TypeAlias = tuple[tuple[str, str], str]  # (window, look), element
Wrap: TypeAlias = Callable[[int, str], str]

PLACE = "%s %s"  # its two numbers, written later
LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}
FONTS = "DejaVu Sans, Verdana, sans-serif"
LOOK = "display:block;max-width:100%;height:auto;background:var(--dpviz-ground,white)"
HEX = re.compile('"(#[0-9a-f]{6})"')  # of a fill or a stroke: nothing else has such a value
SAME = '<g data-same=""></g>'  # an element as it stands on the page already
EQUAL = 6  # decimals of a pixel; the last bits of a place differ between machines
ROW = 12  # halves of a pixel: how high a row of dots is
HALO = 16  # px around a mark that can be taken hold of


def page(
    size: Sequence[float],
    title: str,
    alt: str,
    elements: Iterable[str],
    *,
    held: bool = False,
    jumps: bool = False,
) -> str:
    """A whole picture, with what it is called and what it tells.

    ``held`` says whether something in it can be taken hold of, ``jumps`` whether a click brings it.

    >>> page((2, 1), "A < B", "Nothing.", [])[-50:]
    '<title>A &lt; B</title><desc>Nothing.</desc></svg>'
    """
    width, height = map(_tenth, size)
    head = f"<title>{html.escape(title)}</title><desc>{html.escape(alt)}</desc>"
    role = f'role="{"group" if held else "img"}"' + ' data-jumps=""' * jumps
    role += other(lesson(), SOURCE)
    frame = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" {role}'
    style = f'font-family="{FONTS}" fill="none" style="{LOOK};--ratio:{size[0] / size[1]:.4g}"'
    inside = "".join(elements)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {frame} {style}>{head}{inside}</svg>'


def themed(words: str) -> str:
    """Elements whose colours of roles are left to the page, which knows its theme.

    Where it says nothing, they are those of paper.
    """
    return HEX.sub(lambda colour: f'"{palette.themed(colour[1])}"', words)


def grouped(shapes: Iterable[Shape], *, joined: bool = False) -> str:
    """Shapes in their order; neighbours that look alike share a group, and a window.

    ``joined`` makes one path of neighbouring paths; they must not show through each other.
    """
    words = []
    for window, some in groupby(shapes, key=lambda shape: shape[0][0]):
        groups = groupby(some, key=lambda shape: shape[0][1])
        inside = [f"<g {look}>{''.join(part for _, part in parts)}</g>" for look, parts in groups]
        words += [f"<svg {window}>", *inside, "</svg>"] if window else inside
    text = "".join(words)
    return text.replace('"/><path d="', "") if joined else text


def window(*sides: float) -> str:
    """Attributes of a nested picture: it shows only what is inside, and needs no id for that.

    >>> window(1, 2, 3, 4)
    'x="1" y="2" width="3" height="4" viewBox="1 2 3 4"'
    """
    numbers = list(map(_tenth, sides))
    names = zip(("x", "y", "width", "height"), numbers, strict=True)
    return " ".join([*(f'{name}="{x}"' for name, x in names), f'viewBox="{" ".join(numbers)}"'])


def words(line: str, x: float, y: float, wide: float, angle: float) -> str:
    """A line of letters, exactly so wide, turned about its start by so many degrees."""
    x, y = _tenth(x), _tenth(y)
    where = f'x="{x}" y="{y}" textLength="{_tenth(wide)}"'
    if angle:
        where += f' transform="rotate({-angle:g} {x} {y})"'
    return f'<text {where} lengthAdjust="spacingAndGlyphs">{html.escape(line)}</text>'


def box(sides: Bbox) -> str:
    """A filled box."""
    x, y, width, height = map(_tenth, sides.bounds)
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}"/>'


def path(vertices: np.ndarray, codes: np.ndarray | None = None) -> str:
    """A path in SVG's letters; a letter holds until the next one.

    >>> path(np.array([[0, 0], [1, 0.25], [2, 0]]))
    '<path d="M0 0L1 0.2 2 0"/>'
    """
    return _unplaced(len(vertices), codes) % tuple(_numbers(vertices))


def mark(words: str, name: str, role: str, held: str = "") -> str:
    """A mark with its name, its role and, if it can be taken hold of, how."""
    role = f' data-role="{role}"' if role else ""
    return f'<g data-mark="{html.escape(name)}"{role}{held}>{words}</g>'


def halo(x0: float, y0: float, x1: float, y1: float) -> str:
    """Room for a finger around a mark, which nobody sees."""
    sides = map(_tenth, (x0 - HALO, y0 - HALO, x1 - x0 + 2 * HALO, y1 - y0 + 2 * HALO))
    place = 'x="{}" y="{}" width="{}" height="{}"'.format(*sides)
    return f'<rect {place} fill="transparent" stroke="none"/>'


def marks(
    shape: Path, places: np.ndarray, told: Sequence[str] = (), wrap: Wrap | None = None
) -> list[str]:
    """The same small shape around each of (n, 2) places, with what a hand on it is told.

    ``wrap`` makes a mark of the i-th shape: its name is around all of it.

    >>> marks(Path.unit_circle(), np.array([[3, 4]]))
    ['<circle cx="3" cy="4" r="1"/>']
    """
    if len(shape.vertices) == len(Path.unit_circle().vertices):
        template = f'<circle cx="%s" cy="%s" r="{np.abs(shape.vertices).max():.3g}"/>'
        numbers = _numbers(places)
        each = 2
    else:
        template = _unplaced(len(shape.vertices), shape.codes)
        numbers = _numbers(shape.vertices + places[:, None])
        each = shape.vertices.size
    shapes = [template % tuple(numbers[i : i + each]) for i in range(0, len(numbers), each)]
    if len(told) == len(shapes):
        pairs = zip(told, shapes, strict=True)
        titled = [(f"<title>{html.escape(words)}</title>", each) for words, each in pairs]
    else:
        titled = [("", each) for each in shapes]
    if wrap is not None:
        return [wrap(i, f"{title}{each}") for i, (title, each) in enumerate(titled)]
    return [f"<g>{title}{each}</g>" if title else each for title, each in titled]


def dots(places: np.ndarray) -> str:
    """Many dots as one element: the round ends of lines without length."""
    return f'<path d="{f"M{PLACE}h0" * len(places) % tuple(_numbers(places))}"/>'


def rows(places: np.ndarray) -> str:
    """As :func:`dots`, of a large cloud: in a third of the letters.

    Each dot stands on half a pixel, and row by row its place is told from the one before.

    >>> rows(np.array([[7.3, 5.1], [2, 4]]))
    '<path d="M2 4h0m5.5 1h0"/>'
    """
    halves = np.rint(2 * np.round(places, EQUAL)).astype(int)
    halves = halves[np.lexsort((halves[:, 0], halves[:, 1] // ROW))]
    steps = np.diff(halves, axis=0, prepend=0).ravel() / 2
    words = "m%g %gh0" * len(places) % tuple(steps.tolist())
    return f'<path d="{words.replace("m", "M", 1)}"/>'


def cells(xs: np.ndarray, ys: np.ndarray, chosen: np.ndarray) -> str:
    """The chosen cells of an upright grid, (len(ys) - 1, len(xs) - 1), in runs, as one element."""
    words = []
    for row, line in enumerate(chosen):
        for start, stop in _runs(line):
            sides = xs[start], ys[row], xs[stop] - xs[start], ys[row + 1] - ys[row]
            x, y, across, down = map(_tenth, sides)
            words.append(f"M{x} {y}h{across}v{down}H{x}z")
    return f'<path d="{"".join(words)}"/>'


def rising(left: float, top: float, right: float, bottom: float, step: float) -> str:
    """Rising lines over a box, ``step`` pixels apart down the page."""
    words = []
    for index in range(math.ceil((left + top) / step), math.ceil((right + bottom) / step)):
        total = index * step  # x + y is the same all along a line
        x0 = max(left, total - bottom)
        x1 = min(right, total - top)
        places = map(_tenth, (x0, total - x0, x1, total - x1))
        words.append("M{} {}L{} {}".format(*places))
    return f'<path d="{"".join(words)}"/>'


def fill(gc: Context, face: Colour | None) -> str:
    """Attributes of a filled shape; empty if nothing is seen."""
    if face is None:
        return ""
    alpha = gc.get_alpha() if gc.get_forced_alpha() or len(face) < 4 else face[3]
    opacity = "" if alpha == 1 else f' fill-opacity="{alpha:.3g}"'
    return f'fill="{to_hex(face)}"{opacity}' if alpha else ""


def opacity(gc: Context, name: str = "opacity") -> str:
    """How much shows through lines or letters; empty if nothing does."""
    alpha = gc.get_alpha() if gc.get_forced_alpha() else gc.get_rgb()[3]
    return "" if alpha == 1 else f' {name}="{alpha:.3g}"'


def _unplaced(length: int, codes: np.ndarray | None) -> str:
    line = [Path.MOVETO] + [Path.LINETO] * (length - 1)
    return _lettered(bytes(line if codes is None else codes))


@lru_cache(500)
def _lettered(codes: bytes) -> str:
    """A path without its numbers; a closing step has a place that is not written."""
    words = []
    last = None
    for code in codes:
        again = code == last and code != Path.MOVETO
        words.append(
            "Z%.0s%.0s" if code == Path.CLOSEPOLY else (" " if again else LETTERS[code]) + PLACE
        )
        last = code
    return f'<path d="{"".join(words)}"/>'


def _numbers(places: np.ndarray) -> list[str]:
    """All coordinates in tenths of a pixel."""
    return [f"{count / 10:g}" for count in np.rint(10 * places).astype(int).ravel().tolist()]


def _tenth(length: float) -> str:
    """To a tenth of a pixel."""
    return f"{round(10 * length) / 10:g}"


def _runs(line: np.ndarray) -> Iterator[tuple[int, int]]:
    """Start and stop of each run of true entries.

    >>> list(_runs(np.array([True, False, True, True])))
    [(0, 1), (2, 4)]
    """
    turns = [0, *(np.flatnonzero(np.diff(line)) + 1), len(line)]
    return ((int(start), int(stop)) for start, stop in pairwise(turns) if line[start])
