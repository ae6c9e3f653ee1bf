"""A matplotlib figure without pyplot that shows itself as SVG or as a small PNG, always the same.

Both stand in HTML with the alt text, as one image with two sources: a page that takes vectors out
(GitHub's, that of a notebook which is not trusted) shows the PNG, every other the SVG, none both.
"""

from __future__ import annotations

import base64
import html
import io
import urllib.parse
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from copy import copy
from typing import Any, TypeVar

import matplotlib.figure
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon, Rectangle
from numpy.typing import ArrayLike
from PIL import Image

from dpviz.drawing import palette, private, svg, vector
from dpviz.drawing.held import Held
from dpviz.drawing.roles import MODES

COLOURS = 128
LARGEST = 30_000  # characters of an SVG; a cloud of dots is smaller as an image
MADE = 500  # looks that a figure or its axes remember

Made = TypeVar("Made", bound=Artist)


def again(parent: Artist, look: Hashable, make: Callable[[], Made]) -> Made:
    """What ``make`` puts on a figure or axes; where that look was made before, a copy of it.

    A copy costs a tenth. Data, place and words are set by the caller, each time. What it looks
    like is known to a `vector.Vector` by its ``model``.
    """
    copies = vars(parent).setdefault("_dpviz_made", {})
    if look in copies:
        artist = object.__new__(type(copies[look]))
        vars(artist).update(vars(copies[look]))
        private.siblings(artist).append(artist)
        return artist
    if len(copies) == MADE:
        copies.clear()
    artist = make()
    artist.model = object()
    copies[look] = copy(artist)
    return artist


class Panel(Axes):
    """Axes of fixed limits: nothing asks of what is drawn on them how far it reaches."""

    @property
    def fixed(self) -> bool:
        """Whether what is drawn leaves both limits alone."""
        return not (self.get_autoscalex_on() or self.get_autoscaley_on())

    def plot(self, *places: ArrayLike, **look: Any) -> list[Line2D]:
        """As of any axes; quicker for places x and y, (points,), in a given colour."""
        flat = len(places) == 2 and all(np.ndim(each) == 1 for each in places)
        if not (self.fixed and flat and "color" in look):
            return super().plot(*places, **look)
        style = {name: look[name] for name in look if name not in ("scalex", "scaley")}
        line = self._again("plot", style, lambda: self.add_artist(Line2D([], [], **style)))
        line.set_data(*places)
        return [line]

    def axhline(self, y: float = 0, **look: Any) -> Line2D:
        """As of any axes, from side to side."""
        line = self._again("across", look, lambda: Axes.axhline(self, y, **look))
        line.set_ydata([y, y])
        return line

    def axvline(self, x: float = 0, **look: Any) -> Line2D:
        """As of any axes, from the bottom to the top."""
        line = self._again("up", look, lambda: Axes.axvline(self, x, **look))
        line.set_xdata([x, x])
        return line

    def _again(self, kind: str, look: dict[str, Any], make: Callable[[], Made]) -> Made:
        return again(self, (kind, *look.items()), make) if self.fixed else make()

    def bar(
        self, x: ArrayLike, height: ArrayLike, width: ArrayLike = 0.8, bottom: ArrayLike = 0,
        *, align: str = "center", **look: Any,
    ) -> Sequence[Artist]:  # fmt: skip
        """As of any axes; quicker for bars of one given colour."""
        if not (self.fixed and "fc" in look):
            return super().bar(x, height, width, bottom, align=align, **look)
        left = np.subtract(x, np.divide(width, 2)) if align == "center" else x
        return self._boxes(look, left, bottom, width, height)

    def barh(
        self, y: ArrayLike, width: ArrayLike, height: ArrayLike = 0.8, left: ArrayLike = 0,
        **look: Any,
    ) -> Sequence[Artist]:  # fmt: skip
        """As of any axes; quicker for bars of one given colour."""
        if not (self.fixed and "fc" in look):
            return super().barh(y, width, height, left, **look)
        return self._boxes(look, left, np.subtract(y, np.divide(height, 2)), width, height)

    def _boxes(self, look: dict[str, Any], *sides: ArrayLike) -> list[Rectangle]:
        boxes = []
        for bounds in np.broadcast(*sides):
            box = self._again("box", look, lambda: self.add_artist(Rectangle((0, 0), 0, 0, **look)))
            box.set_bounds(*bounds)
            boxes.append(box)
        return boxes

    def add_patch(self, patch: Patch) -> Artist:
        """As of any axes; quicker where nobody asks how far it reaches."""
        return self.add_artist(patch) if self.fixed else super().add_patch(patch)

    def fill_between(
        self, x: ArrayLike, low: ArrayLike, high: ArrayLike = 0, where: Any = None, **look: Any
    ) -> Artist:
        """As of any axes; quicker for a zone in one piece."""
        low, high = np.broadcast_to(low, np.shape(x)), np.broadcast_to(high, np.shape(x))
        if where is not None or not (self.fixed and np.isfinite([low, high]).all()):
            return super().fill_between(x, low, high, where, **look)
        ends = np.column_stack([np.append(x, x[::-1]), np.append(low, high[::-1])])
        zone = self._again("zone", look, lambda: self.add_artist(Polygon(ends, **look)))
        zone.set_xy(ends)
        return zone


class Figure(matplotlib.figure.Figure):
    """A picture of fixed size that knows its mode and its alt text.

    Parameters
    ----------
    mode : "notebook" (7.6 x 4.2 in) or "projector" (8.0 x 4.5 in)
    height : share of the mode's height, e.g. 0.84 for a ledger
    alt : the picture in one or two sentences with its numbers, at most 300 characters

    >>> figure = Figure(alt="An empty page.")
    >>> data = figure._repr_mimebundle_()
    >>> data["text/plain"], data["text/html"][:30]
    ('An empty page.', '<picture><source srcset="data:')
    """

    def __init__(self, mode: str = "notebook", height: float = 1.0, alt: str = "") -> None:
        if mode not in MODES:
            raise ValueError(f"unknown mode {mode!r}; known: {', '.join(MODES)}")
        size = MODES[mode]
        super().__init__((size.width, size.height * height), dpi=size.dpi, facecolor="white")
        FigureCanvasAgg(self)
        self.mode = mode
        self.alt = alt

    @property
    def alt(self) -> str:
        """What a reader without the picture is told."""
        return self._alt

    @alt.setter
    def alt(self, text: str) -> None:
        if len(text) > 300:
            raise ValueError(f"alt text has {len(text)} characters; at most 300 are read out")
        self._alt = text

    def pixels(self, dpi: float | None = None) -> np.ndarray:
        """Draw everything; the picture as a uint8 array (height, width, 4), opaque RGBA."""
        stored = self.dpi
        try:
            self.dpi = dpi or stored
            self.canvas.draw()
            return np.array(self.canvas.buffer_rgba())
        finally:
            self.dpi = stored

    def png(self, dpi: float | None = None) -> bytes:
        """The picture as a palette PNG; ``dpi`` dots per inch (the mode's if not given)."""
        return palette_png(self.pixels(dpi))

    def svg(self) -> str:
        """The picture as SVG of screen size, with its title and its alt text."""
        stored = self.dpi
        size = MODES[self.mode].shown
        try:
            self.dpi = size
            canvas = vector.Vector(self, named=False)
            elements = [canvas.elements(artist) for artist in vector.stack(self)]
        finally:
            self.dpi = stored
        if sum(map(len, elements)) > LARGEST:
            png = base64.b64encode(self.png(size)).decode("ascii")
            elements = [f'<image href="data:image/png;base64,{png}" width="100%"/>']
        return self.page(map(svg.themed, elements))

    def page(self, elements: Iterable[str], held: Sequence[Held] = ()) -> str:
        """SVG of elements, with the picture's title and alt text, and what a hand can take."""
        size = self.get_size_inches() * MODES[self.mode].shown
        title = " ".join(text.get_text() for text in self.texts if text.get_gid() == "title")
        jumps = any(each.jump for each in held)
        return svg.page(size, title, self.alt, elements, held=bool(held), jumps=jumps)

    def _ipython_display_(self, **kwargs: object) -> None:
        from dpviz.drawing.stills import LESSON

        LESSON.show(self)

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """SVG and PNG as one image of the size of a screen, and the alt text."""
        size = MODES[self.mode].shown
        width = round(self.get_figwidth() * size)
        page = image(self.svg(), self.alt, width, self.png(size))
        return {"text/html": page, "text/plain": self.alt}


def image(svg: str, alt: str, width: int, png: bytes = b"") -> str:
    """HTML of an SVG as an image with alt text; in a dark page it is dark.

    A page that does not trust a notebook takes an inline SVG out, and nbconvert's templates give an
    output's picture no alt text unless it is HTML. Such a page takes the source of an image out,
    too, and then shows the ``png``, if there is one.

    >>> image("<svg/>", "a < b", 760)
    '<img alt="a &lt; b" width="760" src="data:image/svg+xml,<svg/>">'
    >>> image("<svg/>", "A", 760, b"PNG").split('<img alt="A" width="760" ')[1]
    'src="data:image/png;base64,UE5H"></picture>'
    """
    # Dots that are kept as an image are drawn on white: turned in a dark page, but not their hues.
    turned = "image{filter:invert(.93)hue-rotate(180deg)}" * ("<image" in svg)
    look = f"svg{{{palette.dark(svg)}}}{turned}"
    rules = f"<style>@media(prefers-color-scheme:dark){{{look}}}</style>"
    svg = svg.replace("<title>", f"{rules}<title>", 1)
    # Single quotes need no code in the address, nor do angles; double ones stand around
    # attributes alone. At a space the address of a source would end.
    safe = "!$'()*+,;=:@/?|~-._<>" + " " * (not png)
    address = "data:image/svg+xml," + urllib.parse.quote(svg.replace('"', "'"), safe=safe)
    shown = f'<img alt="{html.escape(alt)}" width="{width}" src="'
    if not png:
        return f'{shown}{address}">'
    code = base64.b64encode(png).decode("ascii")
    return f'<picture><source srcset="{address}">{shown}data:image/png;base64,{code}"></picture>'


def palette_png(pixels: np.ndarray) -> bytes:
    """Encode a picture in 128 colours, the colour of its top left corner being the background.

    Parameters
    ----------
    pixels : uint8 array (height, width, 3 or 4); alpha is dropped

    Returns
    -------
    PNG bytes, equal for equal pixels. The octree keeps rare colours, nothing is dithered, and
    a near-white background becomes pure white.

    >>> palette_png(np.full((2, 2, 3), 254, np.uint8))[:4]
    b'\\x89PNG'
    """
    image = Image.fromarray(np.ascontiguousarray(pixels[..., :3]))
    image = image.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    palette = image.getpalette()
    corner = image.getpixel((0, 0))
    if min(palette[3 * corner : 3 * corner + 3]) >= 240:
        palette[3 * corner : 3 * corner + 3] = [255, 255, 255]
    image.putpalette(palette)
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
