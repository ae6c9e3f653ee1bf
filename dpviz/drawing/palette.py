"""What a page may do with a picture's colours: each has a name, and a value on a dark ground.

A picture is written in the colours of paper, each with its name beside it; a page whose theme is
dark gives the names other values (:data:`DARK`). A tint is mixed with the ground it stands on.
"""

from __future__ import annotations

import re

from dpviz.drawing.roles import (
    GRID,
    HATCH,
    INK,
    MUTED,
    ON_EVENT,
    ROLES,
    SPINE,
    STRENGTHS,
    UNLIT,
    ZONE,
    mixed,
    tint,
)

GROUND = "#16181c"  # of a dark picture
# On the dark ground a word keeps a contrast of 4.5, a mark one of 3.
NEUTRALS = {
    "ground": ("#ffffff", GROUND),
    "ink": (INK, "#ececec"),
    "muted": (MUTED, "#b0b4ba"),
    "on_event": (ON_EVENT, ON_EVENT),
    "spine": (SPINE, "#8a8f98"),
    "grid": (GRID, "#2c3037"),
    "zone": (ZONE, "#23262b"),
    "hatch": (HATCH, "#5b6068"),
    "unlit": (UNLIT, "#2a2d33"),
}
LIGHTER = {  # of each role its colour and that of its words
    "released": ("#6ea8ff", "#82b4ff"),
    "bound": ("#f08a55", "#f08a55"),
    "paper": ("#c792ea", "#c792ea"),
    "baseline": ("#6fc48a", "#7fd19a"),
    "baseline2": ("#e0a93a", "#e6b450"),
    "other": ("#9aa0a8", "#a9afb7"),
    "public": ("#9aa0a8", "#a9afb7"),
    "lattice": ("#5b6068", "#a9afb7"),
    "event": ("#ffc52e", "#ececec"),
}
# What a reader is told of a mark in a role's colour.
MEANINGS = {"ink": "private", "released": "released", "bound": "proved", "paper": "paper"}
MEANINGS |= {"baseline": "baseline", "baseline2": "baseline", "public": "public"}
MEANINGS |= {"lattice": "public", "other": "baseline", "event": "event"}


def _known() -> dict[str, tuple[str, str]]:
    """Of each colour on paper its name and its dark value."""
    known = {light: (name, dark) for name, (light, dark) in NEUTRALS.items()}
    for role, (mark, word) in LIGHTER.items():
        known.setdefault(ROLES[role].colour, (role, mark))
        known.setdefault(ROLES[role].text, (f"{role}-word", word))
    for role in ROLES:
        for strength in STRENGTHS:
            dark = _under_words(known[ROLES[role].colour][1], strength)
            known.setdefault(tint(role, strength), (f"{role}-{10000 * strength:g}", dark))
    return known


def _under_words(colour: str, strength: float) -> str:
    """So much of a colour on the dark ground, or as much as leaves words on it readable."""
    while _light(NEUTRALS["ink"][1]) < 4.5 * _light(tinted := mixed(colour, strength, GROUND)):
        strength -= 0.01
    return tinted


def _light(colour: str) -> float:
    """Relative luminance as WCAG 2 compares it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.05 + sum(
        part * share for part, share in zip(linear, (0.2126, 0.7152, 0.0722), strict=True)
    )


COLOURS = _known()
NAME = re.compile(r"var\(--dpviz-([\w-]+)")


def themed(colour: str) -> str:
    """A colour as a page reads it; one without a name stays what it is.

    >>> themed("#2a6fdb"), themed("#123456")
    ('var(--dpviz-released,#2a6fdb)', '#123456')
    """
    return f"var(--dpviz-{COLOURS[colour][0]},{colour})" if colour in COLOURS else colour


def meaning(colour: str) -> str:
    """What a mark of this colour is: private, released, proved ...; "" if no role has it."""
    return MEANINGS.get(COLOURS.get(colour, ("",))[0].partition("-")[0], "")


def dark(picture: str | None = None) -> str:
    """The values of all names on a dark ground, as rules of style; or of those in a picture.

    >>> dark('<path fill="var(--dpviz-released,#2a6fdb)"/>')
    '--dpviz-released:#6ea8ff'
    """
    values = dict(COLOURS.values())
    used = values if picture is None else sorted(set(NAME.findall(picture)))
    return ";".join(f"--dpviz-{name}:{values[name]}" for name in used)
