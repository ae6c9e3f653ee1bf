"""The player of lesson 06: wave by wave a bump is drawn, and each wave brings its noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.papers.smooth_queries.chebyshev import chebyshev
from dpviz.papers.smooth_queries.release import Release
from dpviz.views import style
from dpviz.views.live import View
from dpviz.views.player import Player
from dpviz.views.smooth import residue
from dpviz.views.style import Figure

X = np.cos(np.linspace(0, np.pi, 401))


@dataclass(frozen=True, eq=False)
class Joined:
    """The state after one more wave: pure data.

    Attributes
    ----------
    wave, of : which wave has just joined, and how many there are
    moment, noisy, sd : its exact mean over the records, the released one, the noise's deviation
    share : its share in the question
    values, before, after : arrays (401,), the question, and its drawing before and after
    exact, drawn, answer : the true answer, the one without noise so far, the released one so far
    """

    wave: int
    of: int
    moment: float
    noisy: float
    sd: float
    share: float
    values: np.ndarray
    before: np.ndarray
    after: np.ndarray
    exact: float
    drawn: float
    answer: float


def record(
    released: Release, moments: np.ndarray, shares: np.ndarray, values: np.ndarray, exact: float
) -> list[Joined]:
    """One state for each wave of a table of one variable.

    Parameters
    ----------
    released : the noisy table
    moments : array (waves,), the exact one: for the lesson only, not private
    shares : array (waves,), the question's coefficients
    values : array (401,), the question on the grid ``X``
    exact : its true answer
    """
    parts = shares[:, None] * chebyshev(X, len(shares))
    drawings = np.concatenate([np.zeros((1, len(X))), np.cumsum(parts, axis=0)])
    drawn, answers = np.cumsum(shares * moments), np.cumsum(shares * released.table)
    return [
        Joined(
            m,
            len(shares),
            *(float(column[m]) for column in (moments, released.table, released.sd, shares)),
            values,
            drawings[m],
            drawings[m + 1],
            exact,
            float(drawn[m]),
            float(answers[m]),
        )
        for m in range(len(shares))
    ]


def frame_joined(mode: str) -> Figure:
    """Left the drawing, right the two errors so far."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, sharey=False, widths=[1.6, 1], names=["", ""]
    )
    style.linear_axis(left, "x", -1, 1, [-1, -0.5, 0, 0.5, 1])
    style.linear_axis(left, "y", -0.35, 1.25, [0, 0.5, 1])
    style.linear_axis(right, "x", -0.6, 1.6, [])
    style.log_axis(right, "y", 1e-5, 2)
    style.axis_titles(left, "x, one measurement", "the question, drawn so far")
    style.axis_titles(right, "", "error of the answer so far")
    return fig


def paint_joined(fig: Figure, step: Joined) -> None:
    """The bump, its drawing before and after; the answer's error without and with noise."""
    (left, right), mode = fig.axes, fig.mode
    style.retitle(fig, _title(step), _subtitle(step))
    left.plot(X, step.values, **style.line("truth", mode, marker=False))
    left.plot(X, step.before, **style.line("public", mode) | {"lw": 1.4})
    left.plot(X, step.after, **style.line("released", mode, marker=False))
    shape, whole = abs(step.drawn - step.exact), abs(step.answer - step.exact)
    for place, height, role in ((0, shape, "truth"), (1, whole, "released")):
        right.plot([place, place], [1e-5, max(height, 1.1e-5)], **_bar(role, mode))
        style.note(
            right, place, max(height, 1.1e-5), residue.error(height), role, dy=8, ha="center"
        )
    style.note(right, 0, 1e-5, "no noise", "truth", dy=-9, ha="center", halo="white")
    style.note(right, 1, 1e-5, "released", "released", dy=-9, ha="center", halo="white")


def _bar(role: str, mode: str) -> dict:
    return style.line(role, mode, marker=False) | {
        "lw": 16,
        "solid_capstyle": "butt",
        "alpha": 0.75,
    }


def _title(step: Joined) -> str:
    noise = abs(step.share) * step.sd
    if step.wave == 0:
        return "Wave 0 is a constant: it needs no noise"
    return f"Wave {step.wave}: share {style.fixed(step.share, 3)}, noise {residue.error(noise)}"


def _subtitle(step: Joined) -> str:
    return (
        f"its mean over the records {style.fixed(step.moment, 3)}, released "
        f"{style.fixed(step.noisy, 3)}; ink: the question, blue: drawn by waves 0 to {step.wave}"
    )


def say_joined(step: Joined) -> str:
    """One sentence of reading."""
    return (
        f"Wave {step.wave} of {step.of - 1}: mean {style.fixed(step.moment, 3)}, released "
        f"{style.fixed(step.noisy, 3)}, share {style.fixed(step.share, 3)}; the answer is off "
        f"by {residue.error(abs(step.drawn - step.exact))} without noise and by "
        f"{residue.error(abs(step.answer - step.exact))} as released."
    )


def table_joined(step: Joined) -> list[list[str]]:
    """The wave and the answer so far."""
    return [
        ["", "number"],
        ["exact mean of the wave", style.fixed(step.moment, 4)],
        ["released mean", style.fixed(step.noisy, 4)],
        ["noise, 1 sd", style.number(step.sd, 3)],
        ["share in the question", style.fixed(step.share, 4)],
        ["true answer", style.fixed(step.exact, 4)],
        ["answer so far, no noise", style.fixed(step.drawn, 4)],
        ["answer so far, released", style.fixed(step.answer, 4)],
    ]


JOINED = View(frame_joined, paint_joined, say_joined, table_joined)


def play_waves(
    released: Release, moments: np.ndarray, shares: np.ndarray, values: np.ndarray, exact: float
) -> Player:
    """Step through the waves; arguments as in :func:`record`. It starts at wave 3."""
    trace = record(released, moments, shares, values, exact)
    return Player(JOINED, trace, start=min(3, len(trace) - 1))
