"""The frontier: best known bounds beside what dpviz proves and measures, and a map of the field.

``python docs/frontier.py`` makes ``notebooks/frontier.md`` and its picture from
``docs/frontier/bounds.tsv`` and ``sources.tsv``; ``docs/conf.py`` makes the page of the reference.
A line of ``bounds.tsv`` is a problem: the best upper bound, who proves it and what of it was read
("read" means the statement with its text, "abstract" the abstract only, "unread" nothing: then no
bound is quoted), the same for the lower bound, a module, a point that is measured
(``experiment|field|axis=value,...|words``, filled in from the stored trials), and a lesson.
"""

from __future__ import annotations

import csv
import re
import sys
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
TABLES = HERE / "frontier"
NOTEBOOKS = HERE.parent / "notebooks"
PAGE = NOTEBOOKS / "frontier.md"
PICTURE = NOTEBOOKS / "frontier.svg"
STATES = ("read", "abstract", "unread")
BOTH = ["upper", "by", "read", "lower", "by", "read"]
HEAD = ["area", "problem", *BOTH, "here", "measured", "lesson"]


@dataclass(frozen=True)
class Bound:
    """What is known of a problem from one side: the bound, whose it is, and what was read of it."""

    says: str
    by: str
    read: str


@dataclass(frozen=True)
class Problem:
    """One line of ``bounds.tsv``."""

    area: str
    problem: str
    upper: Bound
    lower: Bound
    here: str
    measured: str
    lesson: str


def table(name: str) -> list[list[str]]:
    """The lines of a file of the folder ``frontier``, its heading first."""
    text = (TABLES / name).read_text(encoding="utf-8")
    return list(csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def problems() -> list[Problem]:
    """The lines of ``bounds.tsv``, in order."""
    head, *rows = table("bounds.tsv")
    if head != HEAD:
        raise ValueError(f"the first line of bounds.tsv names the columns {HEAD}, not {head}")
    return [Problem(*row[:2], Bound(*row[2:5]), Bound(*row[5:8]), *row[8:]) for row in rows]


def sources() -> dict[str, tuple[str, str]]:
    """For each key the reference, and what of it was read."""
    return {key: (reference, read) for key, reference, read in table("sources.tsv")[1:]}


def keys(by: str) -> list[str]:
    """The sources that a bound names.

    >>> keys("HR10; the formula in BUV14")
    ['HR10', 'BUV14']
    """
    return re.findall(r"\b[A-Z]+\d*\b(?!\.)", by)


def measured(spec: str) -> str:
    """A median over stored trials in two digits, and what it is of."""
    import numpy as np

    from dpviz.lessons.registry import find

    experiment, field, place, words = spec.split("|")
    run = find(experiment)
    point = {}
    for pair in place.split(","):
        axis, value = pair.split("=")
        point[axis] = next(each for each in run.grid[axis] if f"{each}" == value)
    values = run.stored().select(**point)[field]
    if values.ndim != 1:
        raise ValueError(f"{spec}: the place leaves an axis open")
    return f"**{float(f'{np.median(values):.2g}'):.10g}**: {words} (`{experiment}`)"


def side(bound: Bound) -> str:
    """A bound as a cell of the page."""
    if not bound.by:
        return "none found"
    return f"{bound.says or 'not quoted'} [{bound.by}; *{bound.read}*]"


def ours(problem: Problem) -> str:
    """What dpviz has of a problem, as a cell of the page."""
    from dpviz import lesson

    names = {path.name[:2]: path.name for path in lesson.paths(NOTEBOOKS)}
    code = ", ".join(f"`{name}`" for name in problem.here.split(", ") if name) or "not here"
    place = f"[lesson {problem.lesson}]({names[problem.lesson]})" if problem.lesson else ""
    points = "; ".join(measured(spec) for spec in problem.measured.split(";;") if spec)
    return ". ".join(filter(None, (", ".join(filter(None, (code, place))), points)))


INTRODUCTION = r"""# The frontier

What is known about the problems of the lessons, from above and from below, and what stands here. A
bound is quoted only from what was read, and the word in italics says how much that was: *read* is
the statement with the text around it, *abstract* the abstract only, and from what is *unread* no
bound is quoted. "None found" means that our search found none, not that there is none.
Privacy is $(\varepsilon,\delta)$ or pure $\varepsilon$, $n$ the number of records; constants and,
under $(\varepsilon,\delta)$, powers of $\log\frac1\delta$ are left out where the source leaves them
out. The measured points are medians of stored trials, and no bound: a bound is about the worst
case, a trial about one table.

![The map of the field: problems, what solves them, and what limits them](frontier.svg)

*The map.* An arrow leads from a tool or a problem to what it solves; a dashed arrow leads from what
limits a problem to that problem. The words beside an arrow name the source, below. Blue boxes run
in dpviz, white ones do not."""


def page() -> str:
    """All of ``notebooks/frontier.md``."""
    everything = problems()
    lines = [INTRODUCTION]
    for area, rows in groupby(everything, key=lambda row: row.area):
        lines += ["", f"## {area}", ""]
        lines += ["| problem | best upper bound | best lower bound | here |", "|:--|:--|:--|:--|"]
        lines += [
            f"| {row.problem} | {side(row.upper)} | {side(row.lower)} | {ours(row)} |"
            for row in rows
        ]
    lines += ["", "## Sources", ""]
    lines += [f"* **{key}** {text}. Read: {read}." for key, (text, read) in sources().items()]
    return "\n".join(lines) + "\n"


def faults() -> Iterator[str]:
    """What is wrong with the tables."""
    known = sources()
    used = set()
    for row in problems():
        for bound in (row.upper, row.lower):
            used |= set(keys(bound.by))
            if bound.by and bound.read not in STATES:
                yield f"{row.problem}: what was read is one of {STATES}, not {bound.read!r}"
            if bound.says and not bound.by:
                yield f"{row.problem}: whose bound is {bound.says}?"
            if bound.says and bound.read == "unread":
                yield f"{row.problem}: a bound is quoted from what is unread"
    yield from (f"there is no source {key}" for key in sorted(used - set(known)))
    yield from (f"no line names the source {key}" for key in sorted(set(known) - used))


# The map. A box: column, row, how many columns wide, its words in lines, whether it runs here.
COLUMN, GUTTER, ROW, TALL, LEFT, TOP = 158, 40, 122, 54, 22, 64
WIDTH, HEIGHT = 7 * COLUMN + 6 * GUTTER + 2 * LEFT, TOP + 4 * ROW + TALL + 26
BOXES = {
    "learner": (0, 0, 1, "online learner\nand private test", True),
    "net": (1, 0, 1, "small database\n(net mechanism)", True),
    "summary": (2, 0, 1, "noisy summary\nof moments", True),
    "tree": (3, 0, 1, "noise along\na tree", True),
    "process": (4, 0, 1, "noise of a\nGaussian process", True),
    "concave": (5, 0, 1, "quasi-concave\noptimisation", True),
    "stable": (6, 0, 1, "stability-based\nhistogram", True),
    "linear": (0, 1, 2, "linear queries:\ncounts, marginals", True),
    "smooth": (2, 1, 1, "smooth\nqueries", True),
    "prefix": (3, 1, 1, "prefix sums", True),
    "kernels": (4, 1, 1, "kernels", True),
    "interior": (5, 1, 1, "interior\npoint", True),
    "cluster": (6, 1, 1, "1-cluster,\ndensest ball", True),
    "sparse": (0, 2, 1, "sparse queries", True),
    "learning": (1, 2, 1, "agnostic\nlearning", True),
    "measure": (2, 2, 1, "private\nmeasures", False),
    "l1": (3, 2, 1, "ℓ₁ distances", True),
    "l2": (4, 2, 1, "Euclidean\ndistances", True),
    "thresholds": (5, 2, 1, "releasing all\nthresholds", True),
    "sample": (6, 2, 1, "sample and\naggregate", True),
    "metric": (4, 3, 1, "any metric", True),
    "means": (6, 3, 1, "k-means", False),
    "reconstruction": (0, 4, 1, "reconstruction\nattack", True),
    "fat": (1, 4, 1, "fat-shattering\ndimension", True),
    "fingerprints": (2, 4, 1, "fingerprinting\ncodes", False),
    "stars": (5, 4, 1, "n ≥ Ω(log* |X|)", False),
}
# An arrow: the sides where it begins and ends, as box and side (with a shift along it); the x and y
# of its corners; its words and where they stand, from the middle of the part that is named by a
# number; whether it limits.
ARROWS = [
    ("learner s", "linear n -99", (), "HR14, Lemma 3", (0, 60, 0), False),
    ("learner n", "l1 w", ((101, 40), (600, 40), (600, 335)), "HR14, Theorem 1", (1, 0, -8), False),
    ("net s", "linear n 99", (), "R10, Theorem 5", (0, 60, 0), False),
    ("summary s", "smooth n", (), "W13, DHZ26", (0, 48, 0), False),
    ("tree s", "prefix n", (), "BL26", (0, 24, 0), False),
    ("process s", "kernels n", (), "HRW13", (0, 32, 0), False),
    ("concave s", "interior n", (), "", (0, 0, 0), False),
    ("concave s 50", "cluster n -50", ((1141, 152), (1239, 152)), "NSV16", (1, -4, -9), False),
    ("stable s", "cluster n", (), "NSV16", (0, 30, 6), False),
    ("linear s -99", "sparse n", (), "R11", (0, 20, 0), False),
    ("linear s 99", "learning n", (), "R10", (0, 20, 0), False),
    ("smooth s", "measure n", (), "K = 1: duality", (0, 51, 0), False),
    ("prefix s", "l1 n", (), "one per axis", (0, 48, 0), False),
    ("l1 e", "l2 w", (), "", (0, 0, 0), False),
    ("l1 s", "metric w", ((695, 457),), "HR14, Theorem 15", (0, -68, 20), False),
    ("cluster w", "interior e", (), "", (0, 0, 0), False),
    ("interior s -12", "thresholds n -12", (), "", (0, 0, 0), False),
    ("thresholds n 12", "interior s 12", (), "BNSV15", (0, 40, 0), False),
    ("cluster s", "sample n", (), "NSV16", (0, 32, 0), False),
    (
        "cluster s -60",
        "means w",
        ((1229, 262), (1190, 262), (1190, 457)),
        "NS18",
        (2, -22, 46),
        False,
    ),
    ("reconstruction e", "fat w", (), "", (0, 0, 0), False),
    ("fat n", "linear s", ((299, 522), (200, 522)), "R10, Theorem 2", (1, 14, -10), True),
    ("fingerprints n", "linear e", ((497, 522), (398, 522), (398, 213)), "BUV14", (1, 0, -9), True),
    ("stars n", "thresholds s", (), "BNSV15", (0, 36, 0), True),
]


def corner(name: str) -> tuple[float, float, float]:
    """Left, top and width of a box."""
    column, row, wide, _, _ = BOXES[name]
    left = LEFT + column * (COLUMN + GUTTER)
    return left, TOP + row * ROW, wide * COLUMN + (wide - 1) * GUTTER


def port(place: str) -> tuple[float, float]:
    """Where an arrow meets a box: "linear s -99" is 99 left of the middle of its lower side."""
    name, where, *shift = place.split()
    left, top, wide = corner(name)
    along = float(shift[0]) if shift else 0.0
    if where in "ns":
        return left + wide / 2 + along, top + TALL * (where == "s")
    return left + wide * (where == "e"), top + TALL / 2 + along


def picture() -> str:
    """The map as SVG; it has a ground of its own, so that it can be read on a dark page."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-label="Map of the field" font-family="sans-serif" font-size="18">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for name, words in {INK: "tip", RUST: "limit"}.items():
        parts.append(
            f'<marker id="{words}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" '
            f'markerHeight="8" orient="auto"><path d="M0 0L10 5L0 10z" fill="{name}"/></marker>'
        )
    rows = {0: "tools", 1: "problems", 4: "limits"}
    for row, words in rows.items():
        parts.append(
            f'<text x="{LEFT}" y="{TOP + row * ROW - 14}" font-size="15" fill="{MUTED}" '
            f'font-style="italic">{words}</text>'
        )
    parts += [arrow(*each) for each in ARROWS]
    parts += [box(name) for name in BOXES]
    return "\n".join([*parts, "</svg>", ""])


INK, MUTED, BLUE, RUST = "#1a1a1a", "#595959", "#2362c6", "#b03406"


def box(name: str) -> str:
    """A box of the map with its words."""
    left, top, wide = corner(name)
    *_, words, runs = BOXES[name]
    lines = words.split("\n")
    shape = (
        f'<rect x="{left}" y="{top}" width="{wide}" height="{TALL}" rx="7" '
        f'fill="{"#e9f0fc" if runs else "#ffffff"}" stroke="{BLUE if runs else MUTED}"/>'
    )
    middle = top + TALL / 2 + 6 - 10 * (len(lines) - 1)
    texts = [
        f'<text x="{left + wide / 2}" y="{middle + 20 * at}" text-anchor="middle" '
        f'fill="{INK}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    ]
    return "".join([shape, *texts])


def arrow(
    first: str,
    last: str,
    corners: tuple[tuple[float, float], ...],
    words: str,
    place: tuple[int, float, float],
    limits: bool,
) -> str:
    """An arrow of the map, with its words beside one of its parts."""
    points = [port(first), *corners, port(last)]
    colour, tip = (RUST, "limit") if limits else (INK, "tip")
    dashes = ' stroke-dasharray="6 4"' if limits else ""
    drawn = (
        f'<polyline points="{" ".join(f"{x:g},{y:g}" for x, y in points)}" fill="none" '
        f'stroke="{colour}" stroke-width="1.6"{dashes} marker-end="url(#{tip})"/>'
    )
    if not words:
        return drawn
    part, right, down = place
    x = (points[part][0] + points[part + 1][0]) / 2 + right
    y = (points[part][1] + points[part + 1][1]) / 2 + down + 4
    return (
        drawn + f'<text x="{x:g}" y="{y:g}" text-anchor="middle" font-size="15" '
        f'fill="{RUST if limits else MUTED}">{escape(words)}</text>'
    )


def reference(text: str) -> str:
    """The page as reStructuredText: HTML without anything loaded, modules as links."""
    from dpviz.pages.text import prose

    text = re.sub(r"\[(lesson \d\d)\]\([^)]*\)", r"\1", text.partition("\n")[2])
    html = re.sub(r'<img[^>]*src="frontier.svg"[^>]*>', lambda _: picture(), prose(text))
    html = re.sub(
        r"<code>(dpviz\.papers\.[\w.]+)</code>",
        r'<a href="api/\1.html"><code>\1</code></a>',
        html,
    )
    title = "The frontier"
    body = "\n".join(f"   {line}" for line in f'<div class="frontier">{html}</div>'.splitlines())
    return f"{title}\n{'=' * len(title)}\n\n.. raw:: html\n\n{body}\n"


if __name__ == "__main__":
    wrong = list(faults())
    if wrong:
        sys.exit("\n".join(wrong))
    PAGE.write_text(page(), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
