"""An eye: what is wrong with a picture as a reader gets it, read back from its SVG.

Nothing here asks how a picture was drawn: only where its letters, lines and marks stand and which
colours they have, on paper and in a dark page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
from matplotlib.path import Path

from dpviz.drawing.palette import GROUND, NEUTRALS, dark
from dpviz.drawing.roles import MODES

SMALLEST = {"notebook": 9.0, "phone": 11.0}  # px of a picture in its own size
# A projected picture takes at least two thirds of its width of the window, and 16 pt are 21.3 px.
SMALLEST["projector"] = 32.0
NEAR = 40.0  # px of a notebook's picture, from a label to what it names
SLACK = 1.0  # px that two boxes may share: they hold a little air
WORDS, MARKS = 4.5, 3.0  # least contrast
ASCENT, DESCENT = 0.74, 0.2  # of the size of the type, around the baseline
THEMES = ("light", "dark")
# What carries nothing, or stands beside a mark that has the contrast.
QUIET = {"grid", "lattice", "hatch", "zone", "unlit", "ground", "on_event"}
# Roles whose words have one colour.
SHARED = {"other": {"other", "public", "lattice", "spine", "unlit"}}
NAMED = {
    "blue": {"released"},
    "grey": {"public", "other", "lattice", "unlit", "truth", "muted"},
    "black": {"ink"},
    "yellow": {"event"},
    "green": {"baseline"},
    "violet": {"paper"},
    "rust": {"bound"},
    "ochre": {"baseline2"},
}
COLOUR_WORD = re.compile(rf"\b({'|'.join(NAMED)})\b(?=:)|(?<=: )({'|'.join(NAMED)})\b")
COLOUR = re.compile(r"(?:var\(--dpviz-([\w-]+),)?(#[0-9a-f]{6})\)?|(white|transparent|none)")
TICK = re.compile(r"[−½\d.\u202f⁻⁰¹²³⁴⁵⁶⁷⁸⁹×]+")
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-", "\u202f")
GLYPHS = "●○◆◇■□★✕×+▲△▼▽◂▸"
# What is named may lie beyond the axes, or not be there at all, where the words say so.
ABSENT = re.compile(r"\bnothing\b|\bno\b|: 0$|\bfrom\b")
STEP = re.compile(r"([A-Za-z])([^A-Za-z]*)")
DARK = dict(re.findall(r"--dpviz-([\w-]+):(#\w+)", dark()))


@dataclass(frozen=True)
class Colour:
    """A name (or "" where it has none), and its value on paper and on a dark ground."""

    name: str
    light: str
    dark: str

    @property
    def role(self) -> str:
        """Whose colour it is, or whose tint, or whose words'."""
        return self.name.removesuffix("-word").partition("-")[0]

    @property
    def is_tint(self) -> bool:
        """Whether it is a pale one."""
        return bool(re.search(r"-\d+$", self.name))


@dataclass(frozen=True, eq=False)
class Shape:
    """One element: a text, or what is drawn, with all the places of its outline."""

    kind: str
    outlines: list[np.ndarray]
    fill: Colour | None
    line: Colour | None
    opacity: float
    words: str = ""
    size: float = 0.0
    mark: str = ""
    group: int = 0  # number of the group that it stands in

    @cached_property
    def points(self) -> np.ndarray:
        """All places, (n, 2)."""
        return np.concatenate(self.outlines) if self.outlines else np.empty((0, 2))

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        return (*self.points.min(axis=0).tolist(), *self.points.max(axis=0).tolist())

    @cached_property
    def dense(self) -> np.ndarray:
        """Places along the outlines, at most a few pixels apart."""
        return np.concatenate([along(line) for line in self.outlines])

    def covers(self, x: float, y: float) -> bool:
        """Whether a place is inside the filled shape."""
        left, top, right, bottom = self.box
        if not (left <= x <= right and top <= y <= bottom):
            return False
        if self.kind == "rect":
            return True
        return (
            sum(Path(line).contains_point((x, y)) for line in self.outlines if len(line) > 2) % 2
            == 1
        )


@dataclass(eq=False)
class Picture:
    """All elements from back to front."""

    width: float
    height: float
    shapes: list[Shape] = field(default_factory=list)
    groups: int = 0

    @cached_property
    def texts(self) -> list[Shape]:
        """What has letters."""
        return [shape for shape in self.shapes if shape.kind == "text"]

    @cached_property
    def drawn(self) -> list[Shape]:
        """What has none."""
        return [shape for shape in self.shapes if shape.kind != "text" and shape.outlines]

    def count(self, role: str = "", mark: str = "", kind: str = "circle path") -> int:
        """How many separate outlines have a role's colour, or belong to a mark."""
        return sum(
            len(shape.outlines)
            for shape in self.drawn
            if shape.kind in kind.split()
            and (not mark or shape.mark.partition(":")[0] == mark)
            and (not role or any(c and c.name == role for c in (shape.fill, shape.line)))
        )


def read(svg: str) -> Picture:
    """The picture that SVG shows."""
    root = ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", svg, count=1))
    width, height = map(float, root.get("viewBox", "0 0 0 0").split()[2:])
    picture = Picture(width, height)
    _walk(root, {}, (0.0, 0.0, width, height), picture)
    return picture


def faults(svg: str, mode: str) -> list[str]:
    """What is wrong with a picture, one sentence each; empty if all is well."""
    picture = read(svg)
    rules = (small, cut, overlapping, far, absent, faint, disordered)
    return [sentence for rule in rules for sentence in rule(picture, mode)]


def disordered(picture: Picture, mode: str) -> Iterator[str]:
    """Numbers of an axis that do not rise, or fall, from one end to the other."""
    for group in {text.group for text in picture.texts}:
        ticks = [text for text in picture.texts if text.group == group]
        if len(ticks) < 3 or not all(TICK.fullmatch(text.words) for text in ticks):
            continue
        middles = np.array([np.mean(text.points[:4], axis=0) for text in ticks])
        along = int(np.ptp(middles[:, 1]) > np.ptp(middles[:, 0]))
        values = np.array([worth(text.words) for text in ticks])[middles[:, along].argsort()]
        steps = np.diff(values)
        if not ((steps > 0).all() or (steps < 0).all()):
            yield f"an axis says {', '.join(text.words for text in ticks)}"


def worth(words: str) -> float:
    """A number as an axis writes it.

    >>> worth("−½"), worth("2×10⁻³"), worth("10⁶"), worth("2⁻²"), worth("12\u202f000")
    (-0.5, 0.002, 1000000.0, 0.25, 12000.0)
    """
    sign = -1 if words.startswith("−") else 1
    rest = words.removeprefix("−").replace("½", "0.5")
    factor, _, power = rest.rpartition("×")
    base, raised = re.fullmatch(r"([\d.\u202f]+)([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*)", power).groups()
    plain = float(base.translate(RAISED)) ** int(raised.translate(RAISED) or 1)
    return sign * float(factor.translate(RAISED) or 1) * plain


def small(picture: Picture, mode: str) -> Iterator[str]:
    """Letters that are hard to read."""
    for text in picture.texts:
        if text.size < SMALLEST[mode] - 0.05:
            yield f"{text.words!r} is {text.size:.1f} px high"


def cut(picture: Picture, mode: str) -> Iterator[str]:
    """Words beyond the edge."""
    for text in picture.texts:
        left, top, right, bottom = text.box
        inside = left >= -SLACK and top >= -SLACK
        if not (inside and right <= picture.width + SLACK and bottom <= picture.height + SLACK):
            yield f"{text.words!r} is cut by the picture's edge"


def overlapping(picture: Picture, mode: str) -> Iterator[str]:
    """Words over other words."""
    boxes = [(text, text.box) for text in picture.texts]
    for (one, a), (other, b) in combinations(boxes, 2):
        across = min(a[2], b[2]) - max(a[0], b[0])
        down = min(a[3], b[3]) - max(a[1], b[1])
        if across > SLACK and down > SLACK:
            yield f"{one.words!r} overlaps {other.words!r}"


def struck(picture: Picture) -> Iterator[str]:
    """Words that a line goes through, or a mark stands in; of stills on a telephone."""
    for text in picture.texts:
        left, top, right, bottom = text.box
        for shape in picture.drawn:
            line = shape.line and shape.line.role not in QUIET and shape.opacity > 0.5
            least = 2 if line and shape.line.role == "spine" else 1  # points of an axis, of a dot
            outlines = [along(each) for each in shape.outlines if len(each) > least]
            if not line or not outlines:
                continue
            x, y = np.concatenate(outlines).T
            inside = (left + 1 < x) & (x < right - 1) & (top + 1 < y) & (y < bottom - 1)
            if inside.any() and (shape.points.min(axis=0) > 0).all():
                yield f"{text.words!r} is struck by {shape.line.role}"


def far(picture: Picture, mode: str) -> Iterator[str]:
    """Labels that stand away from all that has their colour.

    A label with a leader stands where its leader begins. Beside the numbers of a y axis there are
    curves, elsewhere rows: there it names what stands at its height. Words of a key, or with a
    marker of their own, are read by their colour, which must be there.
    """
    reach = NEAR * MODES[mode].small / MODES["notebook"].small * MODES[mode].shown / 100
    labels = grouped(picture.texts)
    leaders = {id(text): leader for text in labels if (leader := led(picture, text))}
    lines = {id(leader) for leader in leaders.values()}
    begins = [(text.fill, leaders[id(text)]) for text in labels if id(text) in leaders]
    marks = [shape for shape in picture.drawn if id(shape) not in lines]
    for text in labels:
        leader = leaders.get(id(text))
        role = text.fill.role if text.fill else ""
        if role in ("", "muted", "ground", "on_event") or (role == "ink" and leader is None):
            continue
        roles = SHARED.get(role, {role})
        alike = [
            shape for shape in marks if any(c and c.role in roles for c in (shape.fill, shape.line))
        ]
        if role == "ink":  # words in ink name a mark of any colour, such as a row of marks
            alike = marks
        if not alike:
            if not ABSENT.search(text.words):
                yield f"nothing has the colour of {text.words!r}"
        elif not (keyed(text, labels) or text.words[0] in GLYPHS):
            start = tuple(leader.outlines[0][0]) if leader else None
            box = text.box if start is None else start * 2
            if leader and not among_numbers(picture, start[1]):
                others = [other for other in picture.texts if other.fill == text.fill]
                box = (0.0, start[1], picture.width, start[1])
                alike = [*alike, *(other for other in others if other.words not in text.words)]
            off = min(away(shape, box) for shape in alike)
            heights = [each.outlines[0][0][1] for key, each in begins if key == text.fill]
            middle = (text.box[1] + text.box[3]) / 2
            if leader is None and any(abs(middle - height) < 4 for height in heights):
                continue  # a word in a row that is named beside it
            if off > reach:
                yield f"{text.words!r} stands {off:.0f} px from what it names"


def among_numbers(picture: Picture, height: float) -> bool:
    """Whether a height lies between the numbers of a y axis: so few pixels below and above it."""
    ticks = [text.box for text in picture.texts if TICK.fullmatch(text.words)]
    columns: dict[float, list[float]] = {}
    for _, top, right, bottom in ticks:
        place = next((x for x in columns if abs(x - right) < 1.5), right)
        columns.setdefault(place, []).append((top + bottom) / 2)
    return any(len(ys) > 2 and min(ys) - 12 <= height <= max(ys) + 12 for ys in columns.values())


def keyed(text: Shape, labels: list[Shape]) -> bool:
    """Whether words are part of a key: with others in another colour below or above them."""
    for other in labels:
        if other.fill == text.fill or not other.fill or other.fill.role == "muted":
            continue
        a, b = text.box, other.box
        aligned = min(abs(a[0] - b[0]), abs(a[2] - b[2])) < 2
        if aligned and min(abs(a[3] - b[1]), abs(b[3] - a[1])) < 2.2 * text.size:
            return True
    return False


def grouped(texts: list[Shape]) -> list[Shape]:
    """Labels: lines of one colour that stand below each other are one."""
    labels: list[Shape] = []
    for text in texts:
        last = labels[-1] if labels else None
        if last and (last.fill, last.size, last.mark) == (text.fill, text.size, text.mark):
            (left, _, right, bottom), (x0, _, x1, y1) = last.box, text.box
            aligned = min(abs(left - x0), abs(right - x1), abs(left + right - x0 - x1) / 2) < 2
            if aligned and 0 < y1 - bottom < 1.6 * text.size:
                outlines, words = last.outlines + text.outlines, f"{last.words} {text.words}"
                labels[-1] = replace(last, outlines=outlines, words=words)
                continue
        labels.append(text)
    return labels


def led(picture: Picture, text: Shape) -> Shape | None:
    """The thin straight line that leads from a mark to the left of a text."""
    left, top, _, bottom = text.box
    for shape in picture.drawn:
        if shape.kind != "path" or len(shape.outlines) != 1 or len(shape.outlines[0]) not in (2, 3):
            continue
        x, y = shape.outlines[0][-1]
        begin = shape.outlines[0][0]
        rightward = x - begin[0] > 3
        if (
            shape.line
            and shape.line.role == "ink"
            and left <= begin[0] <= text.box[2]
            and top <= begin[1] <= bottom
        ):
            return replace(shape, outlines=[shape.outlines[0][::-1]])  # a pointer from the words
        alike = (
            shape.line
            and text.fill
            and shape.line.role in SHARED.get(text.fill.role, {text.fill.role})
        )
        if (
            alike
            and rightward
            and 0 <= left - x <= text.size
            and top - text.size <= y <= bottom + text.size
        ):
            return shape
    return None


def away(shape: Shape, box: tuple[float, ...]) -> float:
    """Pixels from a box to the nearest part of what is drawn."""
    left, top, right, bottom = box
    places = shape.dense
    out = np.maximum(np.maximum([left, top] - places, places - [right, bottom]), 0)
    nearest = float(np.hypot(*out.T).min())
    middle = (left + right) / 2, (top + bottom) / 2
    return 0.0 if nearest and shape.fill and shape.covers(*middle) else nearest


def along(line: np.ndarray) -> np.ndarray:
    """Places along a line, at most a few pixels apart."""
    if len(line) < 2:
        return line
    steps = np.ceil(np.hypot(*np.diff(line, axis=0).T) / 4).astype(int).clip(1, 200)
    share = np.concatenate([np.arange(n) / n for n in steps])[:, None]
    start = np.repeat(line[:-1], steps, axis=0)
    return np.concatenate([start + share * (np.repeat(line[1:], steps, axis=0) - start), line[-1:]])


def absent(picture: Picture, mode: str) -> Iterator[str]:
    """Colours that a key, or the words of a picture, name and nothing has."""
    keys = dict(swatches(picture))
    present = {
        colour
        for shape in picture.drawn
        if id(shape) not in keys
        for colour in (shape.fill, shape.line)
        if colour
    }
    roles = {colour.role for colour in present}
    for name, colour in keys.values():
        if colour not in present:
            yield f"the key's colour of {name!r} occurs nowhere"
    for text in picture.texts:
        for match in COLOUR_WORD.finditer(text.words):
            if not NAMED[match[0]] & roles:
                yield f"{text.words!r} names {match[0]}, which occurs nowhere"


def swatches(picture: Picture) -> Iterator[tuple[int, tuple[str, Colour]]]:
    """The little boxes of a key: each with a name to its right, outside of the axes."""
    texts = picture.texts
    for shape in picture.drawn:
        left, top, right, bottom = shape.box
        boxed = len(shape.outlines) == 1 and len(shape.outlines[0]) in (4, 5)
        if not (boxed and shape.fill and right - left < 2.5 * (bottom - top) and bottom - top < 60):
            continue
        for text in texts:
            x, y0, _, y1 = text.box
            if not re.search("[A-Za-z]", text.words):
                continue  # a number beside a bar
            beside = right < x < right + 1.5 * text.size and min(bottom, y1) - max(top, y0) > 4
            if beside and left > 0.6 * picture.width:
                yield id(shape), (text.words, shape.fill)
                break


def faint(picture: Picture, mode: str) -> Iterator[str]:
    """Words and marks that hardly part from their ground, in either theme."""
    filled = [
        s for s in picture.shapes if s.fill and s.kind not in ("text", "image") and s.outlines
    ]
    order = {id(shape): place for place, shape in enumerate(picture.shapes)}
    for theme in THEMES:
        for text in picture.texts:
            left, top, right, bottom = text.box
            below = [s for s in filled if order[id(s)] < order[id(text)]]
            y = (top + bottom) / 2
            ratio = min(
                contrast(getattr(text.fill, theme), ground(below, x, y, theme))
                for x in (left + 1, (left + right) / 2, right - 1)
            )
            if ratio < WORDS:
                yield f"{text.words!r} has a contrast of {ratio:.1f}, {theme}"
        for shape in picture.drawn:
            dot = (
                shape.kind == "circle" and shape.fill and shape.line is None and shape.opacity == 1
            )
            below = (
                [s for s in filled if order[id(s)] < order[id(shape)] and is_event(s)]
                if dot
                else []
            )
            x, y = (shape.box[0] + shape.box[2]) / 2, (shape.box[1] + shape.box[3]) / 2
            if dot and any(s.covers(x, y) for s in below):
                ratio = contrast(getattr(shape.fill, theme), ground(below, x, y, theme))
                if ratio < MARKS:
                    yield f"a dot on yellow has a contrast of {ratio:.1f}, {theme}"
        paper = NEUTRALS["ground"][theme == "dark"]
        for colour in {c for shape in picture.drawn for c in marking(shape)}:
            ratio = contrast(getattr(colour, theme), paper)
            if ratio < MARKS:
                yield f"{colour.name or colour.light} has a contrast of {ratio:.1f}, {theme}"


def is_event(shape: Shape) -> bool:
    """Whether it is filled with an event's yellow."""
    return bool(shape.fill and shape.fill.name == "event")


def marking(shape: Shape) -> Iterator[Colour]:
    """The colours of a shape by which it is seen: its edge in ink, if it has one."""
    edge = shape.line if shape.line and shape.line.role not in QUIET else None
    if shape.opacity < 1 or (edge and edge.role == "ink"):
        return
    for colour in (shape.fill, edge):
        quiet = colour is None or colour.role in QUIET or colour.is_tint
        if colour is not None and not quiet and not (colour.role == "event" and shape.fill is None):
            yield colour


def ground(below: list[Shape], x: float, y: float, theme: str) -> str:
    """The colour on which something stands, from all that was filled before it."""
    colour = rgb(NEUTRALS["ground"][theme == "dark"])
    for shape in below:
        if shape.covers(x, y):
            colour = colour + shape.opacity * (rgb(getattr(shape.fill, theme)) - colour)
    return "#" + "".join(f"{round(part):02x}" for part in colour)


@cache
def rgb(colour: str) -> np.ndarray:
    """Three numbers to 255."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=float)


@cache
def contrast(one: str, other: str) -> float:
    """WCAG 2: of the lighter to the darker.

    >>> round(contrast("#ffffff", "#000000"), 1), round(contrast("#767676", "#ffffff"), 2)
    (21.0, 4.54)
    """
    lights = []
    for colour in (one, other):
        parts = rgb(colour) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        lights.append(float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05)
    return max(lights) / min(lights)


@cache
def colour(words: str | None) -> Colour | None:
    """What an attribute says; None for nothing that is seen."""
    match = COLOUR.fullmatch(words or "none")
    if match is None or match[3] in ("none", "transparent"):
        return None
    if match[3] == "white":
        return Colour("ground", "#ffffff", GROUND)
    return Colour(match[1] or "", match[2], DARK.get(match[1] or "", match[2]))


def _walk(
    element: ElementTree.Element, look: dict[str, str], window: tuple, picture: Picture
) -> None:
    """Add all that is drawn inside an element."""
    for part in element:
        own = {**look, **part.attrib}
        if part.tag in ("g", "svg"):
            inside = window
            if part.tag == "svg":
                x, y, wide, high = (
                    float(part.get(name, 0)) for name in ("x", "y", "width", "height")
                )
                inside = (x, y, x + wide, y + high)
            picture.groups += 1
            _walk(part, own | {"group": str(picture.groups)}, inside, picture)
        elif part.tag in ("path", "rect", "circle", "text", "image"):
            picture.shapes.append(_shape(part, own, window))


def _shape(part: ElementTree.Element, look: dict[str, str], window: tuple) -> Shape:
    fill, line = colour(look.get("fill")), colour(look.get("stroke"))
    opacity = min(
        float(look.get(name, 1)) for name in ("opacity", "fill-opacity", "stroke-opacity")
    )
    more = {"mark": look.get("data-mark", ""), "group": int(look.get("group", 0))}
    if part.tag == "text":
        more |= {"words": part.text or "", "size": float(look["font-size"])}
    outlines = [line for line in _outlines(part, look) if len(line)]
    left, top, right, bottom = window
    if part.tag != "text":
        low, high = np.array([left, top]), np.array([right, bottom])
        outlines = [
            within(line, low, high)
            for line in outlines
            if (line.max(axis=0) >= low).all() and (line.min(axis=0) <= high).all()
        ]
    return Shape(part.tag, outlines, fill, line, opacity, **more)


def within(line: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """A line cut where it crosses the edges of a window; what is beyond lies on the edge.

    >>> within(np.array([(0.0, 0.0), (4.0, 8.0)]), np.array([0, 0]), np.array([4, 2])).tolist()
    [[0.0, 0.0], [1.0, 2.0], [4.0, 2.0]]
    """
    if (line >= low).all() and (line <= high).all():
        return line
    places = [line[0]]
    for start, step in zip(line, np.diff(line, axis=0), strict=False):
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.concatenate([(edge - start) / step for edge in (low, high)])
        shares = np.sort(shares[(shares > 0) & (shares < 1)])
        places += [*(start + share * step for share in shares), start + step]
    return np.clip(places, low, high)


def _outlines(part: ElementTree.Element, look: dict[str, str]) -> list[np.ndarray]:
    at = {
        name: float(part.get(name, 0))
        for name in ("x", "y", "cx", "cy", "r", "width", "height")
        if not part.get(name, "0").endswith("%")
    }
    if part.tag == "path":
        return _path(part.get("d", ""))
    if part.tag == "circle":
        turns = np.linspace(0, 2 * np.pi, 9)
        return [
            np.array([at["cx"], at["cy"]])
            + at["r"] * np.column_stack([np.cos(turns), np.sin(turns)])
        ]
    if part.tag == "image":
        return []
    x, y = at["x"], at["y"]
    wide, up, down = at.get("width", 0), 0.0, at.get("height", 0)
    if part.tag == "text":
        size = float(look["font-size"])
        wide, up, down = float(part.get("textLength", 0)), ASCENT * size, DESCENT * size
    corners = np.array(
        [(x, y - up), (x + wide, y - up), (x + wide, y + down), (x, y + down), (x, y - up)]
    )
    turned = re.match(r"rotate\(([-\d.]+)", part.get("transform", ""))
    if turned:
        angle = np.deg2rad(float(turned[1]))
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        corners = (corners - [x, y]) @ turn + [x, y]
    return [corners]


@cache
def _path(words: str) -> list[np.ndarray]:
    """The outlines of a path's letters; of a curve, its control points too."""
    outlines: list[list[tuple[float, float]]] = []
    for letter, rest in STEP.findall(words):
        numbers = [float(x) for x in re.findall(r"-?\d*\.?\d+(?:e-?\d+)?", rest)]
        if letter in "Mm":
            start = outlines[-1][-1] if letter == "m" and outlines else (0.0, 0.0)
            outlines.append([(start[0] + numbers[0], start[1] + numbers[1])])
            numbers = numbers[2:]
        last = outlines[-1]
        if letter in "MLQC":
            last += zip(numbers[::2], numbers[1::2], strict=True)
        elif letter == "h" and numbers != [0.0]:
            last.append((last[-1][0] + numbers[0], last[-1][1]))
        elif letter == "v":
            last.append((last[-1][0], last[-1][1] + numbers[0]))
        elif letter == "H":
            last.append((numbers[0], last[-1][1]))
        elif letter in "Zz":
            last.append(last[0])
    return [np.array(line) for line in outlines]
