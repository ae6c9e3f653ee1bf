"""What each colour, marker and line means, and the three sizes a picture is drawn in.

Ink is private, blue is released, grey is public. Rust is proved here and violet is the paper;
solid comes with every constant, dashed is only a rate. Yellow is an event, edged in ink.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from matplotlib.artist import Artist

STRENGTHS = (0.12, 0.15, 0.2, 0.22, 0.3, 0.3625, 0.42, 0.575, 0.6, 0.68, 0.7875)  # of tints
INK = "#1a1a1a"
MUTED = "#595959"
ON_EVENT = "#1a1a1c"  # words on an event's yellow, on both themes
SPINE = "#8a8a8a"
GRID = "#e4e4e4"
ZONE = "#f1efea"
HATCH = "#bdb8ab"
WARNING = "#d4582a"  # the bar beside a warning, on both themes
UNLIT = "#ededed"  # a cell of which nothing is known

LineStyle: TypeAlias = str | tuple[int, tuple[float, ...]]
Look: TypeAlias = dict[str, Any]  # keyword arguments of matplotlib

SOLID = "-"
DASHED = (0, (4, 2.2))
OUTLINE = (0, (3, 1.6))
DASH_DOT = (0, (5, 1.6, 1, 1.6))
DOTTED = (0, (1, 1.4))


@dataclass(frozen=True)
class Role:
    """How one meaning is drawn; lengths in points of the notebook picture.

    Attributes
    ----------
    colour, text : hex colours of the line and of its label
    width : line width
    style : matplotlib line style; dash patterns are in line widths
    marker, size : marker of its points ("" for none) and the marker's size
    filled : whether the marker is filled (released, proved) or hollow (baseline, private)
    edge : width of the marker's edge: white around a filled one, else in the line's colour
    z : drawing order
    """

    colour: str
    text: str
    width: float
    style: LineStyle = SOLID
    marker: str = ""
    size: float = 5.0
    filled: bool = True
    edge: float = 0.9
    z: float = 3.0


ROLES = {
    "truth": Role(INK, INK, 1.8, z=4),
    "released": Role("#2a6fdb", "#2362c6", 2.2, marker="o", size=6.2, z=6),
    "bound": Role("#b03406", "#b03406", 1.9, marker="s", size=4.4, z=5),
    "paper": Role("#5a1a86", "#5a1a86", 1.6, marker="D", size=3.9, z=4),
    "rate": Role("#5a1a86", "#5a1a86", 1.35, DASHED, z=3),
    "baseline": Role("#4a9a64", "#2f7a48", 1.35, DASH_DOT, "^", 5.2, False, 1.1, 3.4),
    "baseline2": Role("#b77a03", "#8a5b00", 1.5, DOTTED, "v", 5.2, False, 1.1, 3.3),
    "other": Role("#8a8a8a", "#666666", 1.35, OUTLINE, "D", 4.4, False, 1.1, 3.2),
    "public": Role("#767676", "#666666", 0.9, z=1.5),
    "lattice": Role("#bdbdbd", "#666666", 0.8, z=1),
    "event": Role("#ffc52e", INK, 4.0, marker="*", size=14, edge=1.1, z=8),
    "records": Role(INK, INK, 0.7, "none", "o", 3.1, False, 0.7, 4),
}


@dataclass(frozen=True)
class Mode:
    """A picture's size: lengths in inches, type in points, dots per inch.

    ``dpi`` is for the stored picture, ``shown`` are the pixels per inch of a screen. The
    drops go down to a baseline: from the top edge for title and subtitle, from the axes for
    the x title. ``leader`` are the points beyond the axes at which the leader of a label starts
    and ends and its words start.

    ``tight`` type is large for the width of its picture: there are fewer words, ticks and values.
    ``lines`` may have the title, and the subtitle. Panels that stand below each other have a
    height of ``panel`` each; 0 where they stand as they were asked for.
    """

    width: float
    height: float
    dpi: int
    shown: int
    left: float
    right: float
    top: float
    bottom: float
    base: float
    title: float
    small: float
    title_drop: float
    subtitle_drop: float
    x_drop: float
    title_length: int
    ticks: int
    line_scale: float = 1.0
    marker_scale: float = 1.0
    tight: bool = False
    lines: int = 1
    panel: float = 0.0
    leader: tuple[float, float, float] = (3, 13, 17)


MODES = {
    "notebook": Mode(
        7.6, 4.2, 144, 100, 0.62, 1.62, 0.78, 0.50, 9, 11.5, 8.2, 0.236, 0.438, 0.350, 70, 8
    ),
    "projector": Mode(
        8.0, 4.5, 160, 160, 1.00, 2.30, 1.15, 0.88, 14.5, 16.5, 14.5, 0.29, 0.63, 0.57, 50, 6,
        line_scale=2.6 / 1.8, marker_scale=7 / 5, tight=True,
    ),
    "phone": Mode(
        3.6, 3.2, 100, 100, 0.50, 1.12, 0.95, 0.46, 9, 10, 8.3, 0.19, 0.37, 0.36, 70, 5,
        tight=True, lines=2, panel=1.1, leader=(2, 8, 10),
    ),
}  # fmt: skip


def mode_of(ax: Artist) -> Mode:
    """The mode of the figure that ``ax`` stands in (notebook if it is not one of ours)."""
    return MODES[getattr(ax.get_figure(root=True), "mode", "notebook")]


def role_of(role: str | Role) -> Role:
    """Look a role up by name; ValueError names the known ones.

    >>> role_of("bound").colour
    '#b03406'
    """
    if isinstance(role, Role):
        return role
    if role not in ROLES:
        raise ValueError(f"unknown role {role!r}; known: {', '.join(ROLES)}")
    return ROLES[role]


def text_colour(role: str) -> str:
    """Colour of a role's label, dark enough for type (contrast at least 4.5 on white).

    >>> text_colour("released")
    '#2362c6'
    """
    return role_of(role).text


def line(role: str, mode: str = "notebook", *, marker: bool = True) -> Look:
    """Keyword arguments for ``ax.plot`` that draw a line by its role.

    Parameters
    ----------
    role : a name in ``ROLES``
    mode : a name in ``MODES``
    marker : whether measured points are marked; False for smooth curves

    Raises
    ------
    ValueError
        If there is no such role.

    >>> line("rate")["ls"]
    (0, (4, 2.2))
    >>> line("released")["marker"], line("released", marker=False)["marker"]
    ('o', '')
    """
    role_style = role_of(role)
    size = MODES[mode]
    return {
        "color": role_style.colour,
        "lw": role_style.width * size.line_scale,
        "ls": role_style.style,
        "zorder": role_style.z,
        "solid_capstyle": "round",
        "dash_capstyle": "butt",
        **_marker(role_style, size),
        **({} if marker else {"marker": ""}),
    }


def points(role: str, mode: str = "notebook") -> Look:
    """Keyword arguments for ``ax.plot`` that draw a role's markers without a line.

    >>> points("records")["ls"], points("records")["mfc"]
    ('none', 'none')
    """
    return {**line(role, mode), "ls": "none", "lw": 0, "marker": role_of(role).marker or "o"}


def _marker(role: Role, size: Mode) -> Look:
    """Marker part of the plot arguments; hollow baselines hide their line, records do not."""
    hollow = "none" if role.style == "none" else "white"
    edge = INK if role.marker == "*" else "white"
    return {
        "marker": role.marker,
        "ms": role.size * size.marker_scale,
        "mfc": role.colour if role.filled else hollow,
        "mec": edge if role.filled else role.colour,
        "mew": role.edge,
    }


def tint(role: str, strength: float) -> str:
    """A role's colour on white, of one of the `STRENGTHS`, which have a dark value each.

    Maps use .68, .42 and .22 (clear win, win, tie).

    >>> tint("released", 0.42)
    '#a6c3f0'
    >>> tint("released", 0.5)  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    ...
    ValueError: strength must be 0, 1 or one of 0.12, 0.15, 0.2, 0.22, 0.3, 0.3625, 0.42, 0.575,
    0.6, 0.68, 0.7875
    """
    if strength not in (0, 1, *STRENGTHS):
        raise ValueError(f"strength must be 0, 1 or one of {', '.join(map(str, STRENGTHS))}")
    return mixed(role_of(role).colour, strength, "#ffffff")


def mixed(colour: str, strength: float, ground: str) -> str:
    """So much of a colour on a ground, as hex codes."""
    above, below = ([int(each[i : i + 2], 16) for i in (1, 3, 5)] for each in (colour, ground))
    parts = [round(low + strength * (high - low)) for high, low in zip(above, below, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in parts)
