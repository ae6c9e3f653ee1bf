"""Pictures as inline SVG: crisp at every zoom, and their letters stay letters.

Matplotlib's own SVG names shapes by ids, which collide between two pictures of a page, and draws
letters as shapes. Here an element stands for each path, marker and text; nothing has an id, so
equal pictures are equal strings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import GraphicsContextBase as Context
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Bbox, Transform

from dpviz.drawing import palette, private, svg
from dpviz.drawing.held import Held
from dpviz.drawing.numerals import number
from dpviz.drawing.svg import Colour, Shape

HATCH = 1 / 12  # in, vertical distance of the lines of matplotlib's "////"
HIDDEN = ("None", "none", " ", "")  # markers
NAMED = 60  # a line of more points has no words on them
MOST = 500  # markers of a line that are marks of their own
MOST_EXACT = 600  # dots of a cloud that stand on tenths of a pixel
LAYERS = 8  # of a cloud of dots that show through
MEASURED = 500  # texts whose size is remembered
DIGITS = str.maketrans("123456789", 9 * "0")  # each is as wide as a zero
# Neither the pixel that a line snaps to nor whether a shape ends inside its axes may hang on the
# last bits of a place: see `svg.EQUAL`.
INSIDE = 0.05  # px; places are written in tenths


class Vector(RendererBase):
    """Writes what an artist draws as SVG elements.

    Parameters
    ----------
    figure : its size and dots per inch are the picture's; its canvas measures texts, so that
        each stands where the still picture has it
    named : whether a hand that rests on a mark is told its place (an image tells nothing)
    """

    def __init__(self, figure: Figure, *, named: bool = True):
        super().__init__()
        measure = figure.canvas.get_renderer().get_text_width_height_descent
        self._measure = lru_cache(MEASURED)(measure)
        self.width = figure.bbox.width
        self.height = figure.bbox.height
        self.dpi = figure.dpi
        self._named = named
        self._flip = Affine2D().scale(1, -1).translate(0, self.height)
        self.recipes: dict[object, list[tuple]] = {}
        self._layouts: dict[tuple, tuple[list, tuple, tuple]] = {}
        self._shapes: list[Shape] = []
        self._names: Sequence[str] = ()
        self._mark = ""
        self._held: Held | None = None
        self._artist: Artist = figure
        self._recipe: list[tuple] = []
        self._opaque = self.new_gc()

    def elements(self, artist: Artist, mark: str = "", held: Held | None = None) -> str:
        """The elements of one artist.

        Parameters
        ----------
        mark : its name; the i-th of a line's markers, if they are at most 500, is mark:i
        held : how it can be taken hold of
        """
        self._shapes, self._names = [], _names(artist) if self._named else ()
        self._mark = mark
        self._held = held
        self._artist = artist
        model = getattr(artist, "model", None)
        if isinstance(artist, Text) and "$" not in artist.get_text():
            self._draw_words(artist)
        elif model in self.recipes:
            self._draw_again(artist, self.recipes[model])
        else:
            self._recipe = []
            artist.draw(self)
            if model and self._recipe:
                self.recipes[model] = self._recipe
        if isinstance(artist, Axis):  # marks and numbers come in turns: together they are shorter
            self._shapes.sort(key=lambda shape: (shape[1].startswith("<text"), shape[0]))
        words = svg.grouped(self._shapes, joined=isinstance(artist, Axis))
        if not mark or not words:
            return words
        whole = held is not None and not held.records
        how = held.attributes(artist, self.height)[0] if whole and held is not None else ""
        if whole:
            sides = artist.get_window_extent(self).extents.tolist()
            words += svg.halo(sides[0], self.height - sides[3], sides[2], self.height - sides[1])
        return svg.mark(words, mark, palette.meaning(colour_of(artist)), how)

    def draw_path(
        self, gc: Context, path: Path, transform: Transform, rgbFace: Colour | None = None
    ) -> None:
        """A path; its hatch as lines."""
        filled = rgbFace is not None or gc.get_hatch() is not None
        style = gc, self._look(gc, rgbFace), filled
        self._recipe.append((self._put_path, style))
        self._put_path(style, (transform + self._flip).transform_path(path))

    def draw_markers(
        self,
        gc: Context,
        marker_path: Path,
        marker_trans: Transform,
        path: Path,
        trans: Transform,
        rgbFace: Colour | None = None,
    ) -> None:
        """The same shape at each point, with the point's own words."""
        shape = (marker_trans + Affine2D().scale(1, -1)).transform_path(marker_path)
        round_ = marker_path is Path.unit_circle()
        style = gc, self._look(gc, rgbFace), shape, round_
        self._recipe.append((self._put_markers, style))
        self._put_markers(style, (trans + self._flip).transform_path(path))

    def draw_path_collection(
        self, gc: Context, master_transform: Transform, paths: Sequence[Path],
        all_transforms: Sequence, offsets: np.ndarray, offset_trans: Transform,
        *styles: Any, **more: Any,
    ) -> None:  # fmt: skip
        """As one by one; quicker for lines of one look that stand where they are."""
        places = offsets, offset_trans
        moved = len(all_transforms) or len(offsets) > 1 or np.any(offset_trans.transform(offsets))
        if moved or gc.get_hatch() or any(len(each) > 1 for each in styles[:-1]):
            others = master_transform, paths, all_transforms, *places, *styles
            return super().draw_path_collection(gc, *others, **more)
        for *_, alike, face in self._iter_collection(gc, paths[:1], *places, *styles, **more):
            style = alike, self._look(alike, face), face is not None
            for path in paths:
                self._put_path(style, (master_transform + self._flip).transform_path(path))

    def _draw_again(self, artist: Line2D | Patch, recipe: Sequence[tuple]) -> None:
        """What looks like an artist drawn before, and stands elsewhere."""
        places = Artist.get_transform(artist).transform(_corners(artist))
        places[:, 1] = self.height - places[:, 1]
        codes = artist.get_path().codes if isinstance(artist, Patch) else None
        for put, style in recipe:
            put(style, Path(places, codes))

    def _put_path(self, style: tuple, path: Path) -> None:
        gc, look, filled = style
        width = self.points_to_pixels(gc.get_linewidth())
        zone = self._named and filled and _closes_once(path)
        if zone:  # without its end it is a line, and is made as short as one
            path = Path(path.vertices[:-1])
        outline = Path(path.vertices.round(svg.EQUAL), path.codes).cleaned(
            remove_nans=True,
            clip=None if filled else (0, 0, self.width, self.height),
            simplify=path.should_simplify and (zone or not filled),
            curves=True,
            stroke_width=width,
            snap=gc.get_snap(),
        )
        vertices, codes = outline.vertices[:-1], outline.codes[:-1]  # without its end
        if not len(vertices):
            return
        clip = self._clip(gc, vertices, width)
        if zone:
            vertices = np.append(vertices, vertices[:1], axis=0)
            codes = np.append(codes, np.uint8(Path.CLOSEPOLY))
        if look:
            self._shapes.append(((clip, look), svg.path(vertices, codes)))
        if gc.get_hatch():
            self._draw_hatch(gc, vertices[codes != Path.CLOSEPOLY])  # its place is not outline

    def _put_markers(self, style: tuple, path: Path) -> None:
        gc, look, shape, round_ = style
        places = path.vertices[np.isfinite(path.vertices).all(axis=1)]
        width = self.points_to_pixels(gc.get_linewidth())
        if not len(places) or not look:
            return
        clip = self._clip(gc, places, np.abs(shape.vertices).max() + width / 2)
        alone = self._held is not None and self._held.records
        if round_ and len(places) > NAMED and not width and not alone:
            self._shapes += self._cloud(gc, look, places, shape)
            return
        wrap = self._wrapped(places) if (self._mark and 1 < len(places) <= MOST) or alone else None
        parts = svg.marks(shape, places, self._names, wrap)
        self._shapes += [((clip, look), part) for part in parts]

    def _wrapped(self, places: np.ndarray) -> svg.Wrap:
        """What makes a mark of each marker of a line."""
        held, hows = self._held, list[str]()
        if held is not None and held.records:
            hows = held.attributes(self._artist, self.height)

        def wrap(i: int, words: str) -> str:
            words += svg.halo(*places[i], *places[i]) if hows else ""
            return svg.mark(words, f"{self._mark}:{i}", "", hows[i] if hows else "")

        return wrap

    def draw_quad_mesh(
        self,
        gc: Context,
        master_transform: Transform,
        meshWidth: int,
        meshHeight: int,
        coordinates: np.ndarray,
        offsets: np.ndarray,
        offsetTrans: Transform,
        facecolors: np.ndarray,
        *more: object,
    ) -> None:
        """Upright cells, a path for each colour: a map has thousands of cells and ten colours."""
        corners = (master_transform + self._flip).transform(coordinates.reshape(-1, 2))
        corners = corners.reshape(coordinates.shape).round(1)
        xs = corners[0, :, 0]
        ys = corners[:, 0, 1]
        colours, which = np.unique(facecolors.reshape(-1, 4), axis=0, return_inverse=True)
        clip = self._clip(gc, corners.reshape(-1, 2), 0)
        for index, colour in enumerate(colours):
            look = f'fill="{to_hex(colour)}" shape-rendering="crispEdges"'
            chosen = which.reshape(meshHeight, meshWidth) == index
            self._shapes.append(((clip, look), svg.cells(xs, ys, chosen)))

    def draw_text(
        self,
        gc: Context,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: bool | str = False,
        mtext: Text | None = None,
    ) -> None:
        """A line of letters, as wide as measured whatever font the page has."""
        if ismath:
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        look = self._type(gc, prop)
        wide = self.get_text_width_height_descent(s, prop, False)[0]
        self._shapes += [(("", look), svg.words(s, x, y, wide, angle))] * bool(s)

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: bool | str
    ) -> tuple[float, float, float]:
        """As in the still picture; of texts that differ in digits alone one is measured."""
        return self._measure(s.translate(DIGITS), prop, ismath)

    def get_canvas_width_height(self) -> tuple[float, float]:
        """Pixels."""
        return self.width, self.height

    def points_to_pixels(self, points: float) -> float:
        """Pixels of a length in points."""
        return points * self.dpi / 72

    def _draw_words(self, text: Text) -> None:
        """A text on its ground."""
        lines, corner, size = self._laid_out(text)
        gc = self.new_gc()
        gc.set_foreground(text.get_color())
        gc.set_alpha(text.get_alpha())
        x, y = text.get_transform().transform(text.get_unitless_position()).tolist()
        ground = text.get_bbox_patch()
        if ground is not None and text.get_text():
            pad = self.points_to_pixels(ground.get_boxstyle().pad * text.get_size())
            low = np.array([x + corner[0] - pad, self.height - y - corner[1] - size[1] - pad])
            box = Bbox([low, low + size + 2 * pad])
            fill = svg.fill(self._opaque, ground.get_facecolor())
            self._shapes += [(("", fill), svg.box(box))] * bool(fill)
        font = text.get_fontproperties()
        angle = text.get_rotation()
        for line, _, (dx, dy) in lines:
            self.draw_text(gc, x + dx, self.height - y - dy, line, font, angle)

    def _laid_out(self, text: Text) -> tuple[list, tuple, tuple]:
        """Lines, corner and size; one line in one type is laid out once, wherever it stands."""
        turned = text.get_rotation(), text.get_rotation_mode()
        sides = text.get_horizontalalignment(), text.get_verticalalignment()
        key = text.get_text().translate(DIGITS), text.get_fontproperties(), *turned, *sides
        if "\n" in text.get_text() or text.get_wrap():
            return private.lines_of(text, self)
        if key not in self._layouts:
            if len(self._layouts) == MEASURED:
                self._layouts.clear()
            font = text.get_fontproperties().copy()
            self._layouts[key[0], font, *turned, *sides] = private.lines_of(text, self)
        (line,), corner, size = self._layouts[key]
        return [(text.get_text(), *line[1:])], corner, size

    def _type(self, gc: Context, font: FontProperties) -> str:
        size = self.points_to_pixels(font.get_size_in_points())
        bold = ' font-weight="bold"' if font.get_weight() == "bold" else ""
        return f'font-size="{size:.4g}" fill="{to_hex(gc.get_rgb())}"{svg.opacity(gc)}{bold}'

    def _look(self, gc: Context, face: Colour | None) -> str:
        """Fill and line; empty for what cannot be seen."""
        fill = svg.fill(gc, face)
        width = self.points_to_pixels(gc.get_linewidth())
        stroke = gc.get_rgb()
        if not width or stroke[3] == 0:
            return fill
        # A page fills nothing by itself.
        words = [f'{fill} stroke="{to_hex(stroke)}"'.lstrip(), f'stroke-width="{width:.3g}"']
        offset, dashes = gc.get_dashes()
        if dashes is not None:
            lengths = " ".join(f"{self.points_to_pixels(length):.3g}" for length in dashes)
            words.append(f'stroke-dasharray="{lengths}"')
            words += [f'stroke-dashoffset="{self.points_to_pixels(offset):.3g}"'] * bool(offset)
        cap = gc.get_capstyle().replace("projecting", "square")
        join = gc.get_joinstyle()
        words += [f'stroke-linecap="{cap}"'] * (cap != "butt")
        words += [f'stroke-linejoin="{join}"'] * (join != "miter")
        return " ".join(words) + svg.opacity(gc, "stroke-opacity")

    def _cloud(self, gc: Context, look: str, places: np.ndarray, shape: Path) -> Iterator[Shape]:
        """Many dots as few elements: round ends of lines without length; those that are seen.

        Within an element nothing shows through twice, so neighbours are spread over several.
        """
        radius = float(np.abs(shape.vertices).max())
        many = len(places)
        if gc.get_clip_rectangle() is not None:
            left, low, right, high = gc.get_clip_rectangle().extents
            ends = np.array([left, self.height - high]), np.array([right, self.height - low])
            seen = (places > ends[0] - radius) & (places < ends[1] + radius)
            places = places[seen.all(axis=1)]
        if not len(places):
            return
        clip = self._clip(gc, places, radius)
        width = 2 * radius
        write = svg.dots if many <= MOST_EXACT else svg.rows
        look = f'{look.replace("fill", "stroke")} stroke-width="{width:.3g}" stroke-linecap="round"'
        look += ' style="will-change:opacity"' * self._named  # else painted with all that moves
        for part in (places[start::LAYERS] for start in range(LAYERS)):
            yield (clip, look), write(part)

    def _clip(self, gc: Context, points: np.ndarray, margin: float) -> str:
        """The attributes of a window to look through; empty if all is inside it."""
        margin -= INSIDE
        if gc.get_clip_path()[0] is not None:
            raise NotImplementedError("a live picture has only upright rectangles to clip to")
        if gc.get_clip_rectangle() is None:
            return ""
        x0, y0, x1, y1 = gc.get_clip_rectangle().extents.tolist()
        (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        top, bottom = self.height - top, self.height - bottom
        across = left - margin >= x0 and right + margin <= x1
        up = bottom - margin >= y0
        inside = across and up and top + margin <= y1
        return "" if inside else svg.window(x0, self.height - y1, x1 - x0, y1 - y0)

    def _draw_hatch(self, gc: Context, vertices: np.ndarray) -> None:
        """Rising lines over the box around a shape: hatched zones are boxes here."""
        if set(hatch := gc.get_hatch()) != {"/"}:
            raise NotImplementedError(f"a live picture has only the hatch /, not {hatch!r}")
        box = Bbox([vertices.min(axis=0), vertices.max(axis=0)])
        width = gc.get_hatch_linewidth()
        stroke = f'stroke="{to_hex(gc.get_hatch_color())}"'
        look = f'{stroke} stroke-width="{self.points_to_pixels(width):.3g}"'
        lines = svg.rising(box.x0, box.y0, box.x1, box.y1, HATCH * self.dpi)
        self._shapes.append(((self._clip(gc, vertices, 0), look), lines))


def stack(figure: Figure) -> Iterator[Artist]:
    """All artists from back to front, as a full draw takes them.

    >>> figure = Figure()
    >>> next(stack(figure)) is figure.patch
    True
    """
    yield figure.patch
    for artist in _from_behind(figure, {figure.patch}):
        if not isinstance(artist, Axes):
            yield artist
        elif artist.get_visible():
            artist.apply_aspect()
            yield artist.patch
            axes = {artist.xaxis, artist.yaxis, *artist.spines.values()}
            hidden = set() if artist.axison else axes
            yield from _from_behind(artist, {artist.patch, *hidden})


def _from_behind(parent: Figure | Axes, without: set[Artist]) -> list[Artist]:
    artists = [artist for artist in parent.get_children() if artist not in without]
    return sorted((artist for artist in artists if artist.get_visible()), key=Artist.get_zorder)


def placed(artist: Artist) -> tuple:
    """What an artist is a copy of (`picture.again`) and where it stands; () if it is no copy."""
    model = getattr(artist, "model", None)
    if model is None:
        return ()
    if isinstance(artist, Text):
        return model, artist.get_text(), *map(float, artist.get_position())
    if isinstance(artist, QuadMesh):  # its look is all that it shows
        return (model,)
    told = np.asarray(getattr(artist, "told", ()))
    return model, _corners(artist).tobytes(), told.tobytes()


def _corners(artist: Line2D | Patch) -> np.ndarray:
    """Of a line, an upright box or a polygon: (points, 2) in the units in which it was made."""
    if isinstance(artist, Line2D):
        return np.array(artist.get_data(), dtype=float).T
    corners = artist.get_path().vertices
    if isinstance(artist, Rectangle):
        return artist.get_xy() + corners * (artist.get_width(), artist.get_height())
    return corners


def colour_of(artist: Artist) -> str:
    """The colour that tells an artist's role, as on paper; "" if it has many or none."""
    if isinstance(artist, Line2D):
        hollow = artist.get_linestyle() in HIDDEN and artist.get_markerfacecolor() != "none"
        return _hex(artist.get_markerfacecolor() if hollow else artist.get_color())
    if isinstance(artist, Text):
        return _hex(artist.get_color())
    if isinstance(artist, Patch):
        face = artist.get_facecolor()
        return _hex(face if artist.get_fill() and face[3] else artist.get_edgecolor())
    return ""


def marked(figure: Figure, artists: set[Artist]) -> dict[Artist, str]:
    """Of each artist the name of its mark, which is the same in the next picture.

    That is its ``gid``; if it has none: its role, its kind, the number of its axes, and how many
    alike were painted before it. A picture's title is no mark.
    """
    names: dict[Artist, str] = {}
    for place, axes in enumerate([None, *figure.axes]):
        alike: Counter[str] = Counter()
        for artist in (figure if axes is None else axes).get_children():
            gid = artist.get_gid()
            if artist not in artists or gid in ("title", "subtitle"):
                continue
            colour = colour_of(artist)
            role = palette.COLOURS.get(colour, (colour,))[0]
            kind = type(artist).__name__.lower()
            look = f"{role} {kind} {place}"
            names[artist] = gid or f"{look}.{alike[look]}"
            alike[look] += 1
    return names


def _closes_once(path: Path) -> bool:
    """Whether straight lines lead around one piece."""
    if path.codes is None or len(path.codes) < 3:
        return False
    lines = path.codes[1:-1] == Path.LINETO
    return bool(lines.all()) and path.codes[-1] == Path.CLOSEPOLY


def _names(artist: Artist) -> Sequence[str]:
    """What a hand that rests on a marked point is told: both coordinates."""
    if not isinstance(artist, Line2D) or artist.axes is None:
        return ()
    data = artist.get_transform() == artist.axes.transData
    if not data or artist.get_marker() in HIDDEN or len(artist.get_xdata()) > NAMED:
        return ()
    xs, ys = artist.get_data()
    ys = getattr(artist, "told", ys)  # a mark on the edge tells its own value
    return [f"{_told(float(x))}, {_told(float(y))}" for x, y in zip(xs, ys, strict=True)]


_hex = lru_cache(MEASURED)(to_hex)


@lru_cache(2000)
def _told(value: float) -> str:
    return number(value, 3)
