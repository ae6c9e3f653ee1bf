"""The player of lesson 08: a grid of patients that answers give away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Rectangle

from dpviz.drawing import style
from dpviz.drawing.roles import ON_EVENT, UNLIT
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.fat_shattering.recovery import place_cells
from dpviz.papers.fat_shattering import linear_reconstruction

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
    fig, (left, right) = style.figure("", alt="", square=1, **look)
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
                  "yellow: right, dot: malignant, thick: has just flipped")  # fmt: skip
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
    return (
        f"{step.asked} answers: {step.right} of {n} guessed right (share "
        f"{style.number(step.shares[-1], 3)}), {flips} just flipped. “Benign” to all: "
        f"{style.number(step.shares[0], 3)}."
    )


def table_decoded(step: Decoded) -> list[list[str]]:
    """The counts."""
    rows = [["answers", str(step.asked)], ["recovered", str(step.right)]]
    rows += [["just flipped", str(int((step.found != step.before).sum()))]]
    return [["", "number"], *rows, ["malignant", str(int(step.bits.sum()))]]


DECODED = View(frame_decoded, paint_decoded, say_decoded, table_decoded)


def play_reconstruction(published: linear_reconstruction.Release, bits: np.ndarray) -> Player:
    """Let the answers arrive; arguments as in :func:`record_attack`. It starts in the middle."""
    trace = record_attack(published, bits)
    return Player(DECODED, trace, start=len(trace) // 2)
