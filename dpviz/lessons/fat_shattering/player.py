"""The players of lesson 08: a grid of patients that answers give away; shattering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from dpviz.drawing import style
from dpviz.drawing.roles import ON_EVENT, UNLIT
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.fat_shattering.recovery import place_cells
from dpviz.papers.fat_shattering import linear_reconstruction
from dpviz.papers.fat_shattering.classes import unit_queries
from dpviz.papers.fat_shattering.dimension import ROUNDING, patterns

SHOWN = 60  # queries of the class drawn behind
EVERY, MOST = 8, 4  # answers that arrive together, and the right end of their axis, per patient


@dataclass(frozen=True, eq=False)
class Decoded:
    """What an attacker makes of the answers so far: pure data.

    Attributes
    ----------
    asked : answers that have arrived
    bits, found, before : arrays (n,), the truth (private), the guess now and the one before
    shares : array, share of the patients that was right in each state so far
    """

    asked: int
    bits: np.ndarray
    found: np.ndarray
    before: np.ndarray
    shares: np.ndarray

    @property
    def right(self) -> int:
        """Patients whose bit is guessed correctly."""
        return int((self.found == self.bits).sum())


def record_attack(
    published: linear_reconstruction.Release, bits: np.ndarray, method: str = "least squares"
) -> list[Decoded]:
    """Decode what was published, with more and more of the answers.

    Parameters
    ----------
    published : the subsets and their noisy counts, in the order in which they arrive
    bits : array (n,), the truth, with which the guesses are compared
    method : as of ``linear_reconstruction.decode``; before the first answer every guess is 0
    """
    trace = []
    shares = []
    before = np.zeros(len(bits))
    for asked in range(0, len(published.answers) + 1, EVERY):
        sample = published.queries[:asked]
        answers = published.answers[:asked]
        guess = linear_reconstruction.decode(sample, answers, method) if asked else before
        shares.append((guess == bits).mean())
        trace.append(Decoded(asked, bits, guess, before, np.array(shares)))
        before = guess
    return trace


def frame_decoded(mode: str) -> Figure:
    """Left the room for the grid, right the share that is recovered."""
    look = {"mode": mode, "columns": 2, "sharey": False, "widths": [1.2, 1], "gutter": True}
    fig, (left, right) = style.figure("", alt="", **look)
    left.set_axis_off()
    left.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", anchor="W")
    style.linear_axis(right, "x", 0, MOST, [0, 1, 2, 3, 4])
    style.linear_axis(right, "y", 0.42, 1.04, [0.5, 0.6, 0.7, 0.8, 0.9, 1])
    style.axis_titles(right, "answers for each patient", "share guessed right")
    return fig


def paint_decoded(fig: Figure, step: Decoded) -> None:
    """A square for each patient, bright if guessed correctly; what flipped; the share so far."""
    (left, right), n = fig.axes, len(step.bits)
    style.retitle(fig, f"{step.asked} answers: {step.right} of {n} guessed right",
                  "bright: right, dot: malignant, thick: has just flipped")  # fmt: skip
    corners, side = place_cells(n)
    for correct, colour in ((True, style.ROLES["event"].colour), (False, UNLIT)):
        for flipped, width in ((False, 0.6), (True, 2.4)):
            which = ((step.found == step.bits) == correct) & (
                (step.found != step.before) == flipped
            )
            edge = style.INK if correct or flipped else UNLIT
            cells = [Rectangle(corner, 0.9 * side, 0.9 * side) for corner in corners[which]]
            look = {"facecolors": colour, "edgecolors": edge, "linewidths": width, "zorder": 2}
            left.add_collection(PatchCollection(cells, **look, clip_on=False))
    places = corners + 0.45 * side
    look = {"ls": "none", "marker": "o", "ms": 26 * side * style.mode_of(left).marker_scale}
    for correct, colour in ((True, ON_EVENT), (False, style.INK)):  # dark on yellow in any theme
        dots = places[(step.bits == 1) & ((step.found == step.bits) == correct)]
        left.plot(*dots.T, color=colour, mew=0, zorder=4, **look)
    _draw_shares(right, step)


def _draw_shares(ax: Axes, step: Decoded) -> None:
    """The share after each answer, and what "benign" to all is right about."""
    mode = ax.get_figure(root=True).mode
    base = step.shares[0]
    at = EVERY * np.arange(len(step.shares)) / len(step.bits)
    ax.axhline(base, **style.line("baseline", mode, marker=False))
    ax.plot(at, step.shares, **style.line("released", mode, marker=False))
    ax.plot(at[-1:], step.shares[-1:], **style.points("released", mode))
    style.label_ends(ax, [(MOST, base, "“benign”\nto all", "baseline")])


def say_decoded(step: Decoded) -> str:
    """One sentence of reading."""
    n = len(step.bits)
    flips = int((step.found != step.before).sum())
    guesses = "1 guess has" if flips == 1 else f"{flips} guesses have"
    return (
        f"After {step.asked} answers {step.right} of {n} patients are reconstructed correctly "
        f"(share {style.number(step.shares[-1], 3)}); {guesses} just flipped. "
        f"“Benign” to all is right for {style.number(step.shares[0], 3)}."
    )


def table_decoded(step: Decoded) -> list[list[str]]:
    """The counts."""
    rows = [["answers", str(step.asked)], ["recovered", str(step.right)]]
    rows += [["flipped just now", str(int((step.found != step.before).sum()))]]
    return [["", "number"], *rows, ["malignant", str(int(step.bits.sum()))]]


DECODED = View(frame_decoded, paint_decoded, say_decoded, table_decoded)


def play_reconstruction(published: linear_reconstruction.Release, bits: np.ndarray) -> Player:
    """Let the answers arrive; arguments as in :func:`record_attack`. It starts in the middle."""
    trace = record_attack(published, bits)
    return Player(DECODED, trace, start=len(trace) // 2)


@dataclass(frozen=True, eq=False)
class Step:
    """One pattern: pure data.

    Attributes
    ----------
    number, of : which pattern of how many
    queries : array (q, cells), some of the class, for the background
    points, witness : arrays (d,), the points and their levels
    gamma : float
    pattern : bool array (d,), high or low
    query : array (cells,) that shows it, or None
    best : largest gamma for which some query shows it with these levels
    """

    number: int
    of: int
    queries: np.ndarray
    points: np.ndarray
    witness: np.ndarray
    gamma: float
    pattern: np.ndarray
    query: np.ndarray | None
    best: float


def record(
    queries: ArrayLike, points: Sequence[int], witness: ArrayLike, gamma: float
) -> list[Step]:
    """One state for each pattern, in the order in which one counts.

    Parameters
    ----------
    queries : array (k, cells), the class
    points, witness : (d,) each
    """
    table, points = unit_queries(queries), np.asarray(points)
    witness = np.asarray(witness, dtype=float)
    behind = table[:: max(1, len(table) // SHOWN)]
    trace = []
    all_patterns = patterns(len(points))
    for i, pattern in enumerate(all_patterns):
        reach = (np.where(pattern, 1, -1) * (table[:, points] - witness)).min(axis=1)
        best = int(reach.argmax())
        witness_row = table[best] if reach[best] >= gamma - ROUNDING else None
        place = (i + 1, len(all_patterns), behind, points, witness, gamma)
        trace.append(Step(*place, pattern, witness_row, float(reach[best])))
    return trace


def frame_step(mode: str, cells: int) -> Figure:
    """Axes: so many cells, and values from 0 to 1."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", -0.4, cells - 0.6, list(range(cells)))
    style.linear_axis(ax, "y", -0.04, 1.04, [0, 0.25, 0.5, 0.75, 1])
    style.axis_titles(ax, "cell", "value of a query")
    return fig


def paint_step(fig: Figure, step: Step) -> None:
    """Witness levels with their margins, the pattern asked, the query that shows it."""
    ax = fig.axes[0]
    cells = step.queries.shape[1]
    verdict = "some query shows it" if step.query is not None else "no query shows it"
    style.retitle(fig, f"Pattern {_word(step)}: {verdict}", _subtitle(step))
    draw_pattern(ax, step)
    labels = [(cells - 1, float(step.queries[len(step.queries) // 2, -1]), "the class", "lattice")]
    if step.query is not None:
        labels.append((cells - 1, float(step.query[-1]), "shows the\npattern", "public"))
    style.label_ends(ax, labels)


def draw_pattern(ax: Axes, step: Step) -> None:
    """Behind, the class; then levels; then the pattern; then its query."""
    mode = ax.get_figure(root=True).mode
    cells = np.arange(step.queries.shape[1])
    behind = [np.stack([cells, row], axis=1) for row in step.queries]
    look = {"colors": style.ROLES["lattice"].colour, "linewidths": 0.5, "alpha": 0.6}
    ax.add_collection(LineCollection(behind, zorder=1, **look), autolim=False)
    for x, level, high in zip(step.points, step.witness, step.pattern, strict=True):
        low_end = level - step.gamma
        top_end = level + step.gamma
        ax.plot([x - 0.22, x + 0.22], [level, level], **style.line("truth", mode) | {"lw": 1})
        for end in (low_end, top_end):
            ax.plot([x - 0.15, x + 0.15], [end, end], **style.line("public", mode))
        ax.plot([x, x], [low_end, top_end], **style.line("public", mode))
        asked = style.points("event", mode) | {"marker": "^" if high else "v", "ms": 9}
        ax.plot([x], [top_end if high else low_end], **asked, clip_on=False)
    if step.query is not None:
        ax.plot(cells, step.query, **style.line("public", mode) | {"lw": 2.4, "marker": "o"})


def _word(step: Step) -> str:
    return "".join("↑" if high else "↓" for high in step.pattern)


def _subtitle(step: Step) -> str:
    gamma = style.number(step.gamma)
    return (
        f"{step.number} of {step.of}; bars: levels ± γ = {gamma}; triangles: the query beyond these"
    )


def say_step(step: Step) -> str:
    """One sentence of reading."""
    words = ", ".join("high" if high else "low" for high in step.pattern)
    if step.query is not None:
        verdict = f"Yes, by a query that keeps {style.number(step.best)} from every level."
    elif step.best > ROUNDING:
        verdict = f"No: the best query keeps only {style.number(step.best)} from the levels."
    else:
        verdict = "No, by no query, at any γ with these levels."
    return (
        f"Pattern {step.number} of {step.of} at cells {', '.join(map(str, step.points))}: {words}. "
        f"γ = {style.number(step.gamma)}; levels "
        f"{', '.join(style.number(r) for r in step.witness)}. Shown? {verdict}"
    )


def table_step(step: Step) -> list[list[str]]:
    """Points, levels, pattern, values."""
    rows = [["cell", "level", "wanted", "value"]]
    for i, (x, level) in enumerate(zip(step.points, step.witness, strict=True)):
        value = "-" if step.query is None else style.number(float(step.query[x]), 3)
        wanted = f"≥ {style.number(level + step.gamma)}"
        if not step.pattern[i]:
            wanted = f"≤ {style.number(level - step.gamma)}"
        rows.append([str(x), style.number(level), wanted, value])
    return rows


def view_of(step: Step) -> View[Step]:
    """How the patterns of a class are shown: its axis has a tick for each cell."""
    frame = partial(frame_step, cells=step.queries.shape[1])
    return View(frame, paint_step, say_step, table_step)


def play_shattering(
    queries: ArrayLike,
    points: Sequence[int],
    witness: ArrayLike,
    gamma: float,
    start: int | None = None,
) -> Player:
    """Step through all patterns. It starts at the first that no query shows, if there is one.

    Parameters
    ----------
    queries, points, witness, gamma : as in :func:`record`
    start : index of the first pattern, if not that
    """
    trace = record(queries, points, witness, gamma)
    missing = [i for i, step in enumerate(trace) if step.query is None]
    first = missing[0] if missing else len(trace) // 2
    return Player(view_of(trace[0]), trace, start=first if start is None else start)


@still
def figure_pattern(step: Step, mode: str = "notebook") -> Figure:
    """The still picture of one pattern."""
    return view_of(step).figure(step, mode)
