"""Lesson 09 in the hand: ten errors of two mechanisms at three n, and from which n they hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpviz.comparison import guide
from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Explorer, Handle, Points, Slider, View
from dpviz.lessons.compare.draws import leader_of

N = (100, 200, 400)
BETA = 0.1
MOVED = 1  # of N: there the errors of A are moved by hand
# Of the same ten runs, in the order in which those of A rise.
A = ((0.05, 0.06, 0.07, 0.08, 0.09, 0.09, 0.1, 0.12, 0.18, 0.22),
     (0.03, 0.04, 0.04, 0.04, 0.05, 0.05, 0.06, 0.07, 0.12, 0.2),
     (0.02, 0.02, 0.02, 0.03, 0.03, 0.03, 0.03, 0.04, 0.08, 0.09))  # fmt: skip
B = ((0.14, 0.13, 0.15, 0.14, 0.16, 0.15, 0.17, 0.16, 0.18, 0.19),
     (0.08, 0.07, 0.06, 0.08, 0.07, 0.09, 0.07, 0.08, 0.09, 0.1),
     (0.04, 0.04, 0.05, 0.04, 0.03, 0.04, 0.05, 0.04, 0.05, 0.05))  # fmt: skip
ROLES = {"A": "released", "B": "baseline"}
ALPHAS = [round(0.01 * i, 2) for i in range(2, 21)]
STAGGER = 0.13 * (np.arange(len(A[0])) % 3 - 1)  # so that equal errors do not hide each other


@dataclass(frozen=True, eq=False)
class Trials:
    """Ten errors of each mechanism at each n, and the error that is wanted.

    Attributes
    ----------
    errors : by mechanism, array (3, 10); the runs are the same for both
    alpha : float
    """

    errors: dict[str, np.ndarray]
    alpha: float

    @cached_property
    def quantiles(self) -> dict[str, list[float]]:
        """The smallest error that at most one in ten exceeds, at each n."""
        return {
            name: [guide.quantile(row, BETA) for row in rows] for name, rows in self.errors.items()
        }

    @cached_property
    def medians(self) -> dict[str, np.ndarray]:
        """Medians at each n; arrays (3,)."""
        return {name: np.median(rows, axis=1) for name, rows in self.errors.items()}

    @property
    def smallest(self) -> dict[str, float]:
        """The least n from which on the quantile is at most alpha; infinite if there is none."""
        return {name: _from(levels, self.alpha) for name, levels in self.quantiles.items()}

    @property
    def leader(self) -> str:
        """Who leads at the n whose errors are moved; "" for a tie."""
        return leader_of({name: self.errors[name][MOVED] for name in "AB"}, BETA)


def _from(levels: list[float], alpha: float) -> float:
    """The n after the last at which a level is above alpha."""
    above = [i for i, level in enumerate(levels) if level > alpha]
    first = above[-1] + 1 if above else 0
    return N[first] if first < len(N) else math.inf


def compare(*, errors: Places, alpha: float, seed: int = 1) -> Trials:
    """Compare two mechanisms; nothing is random, ``seed`` is not used.

    >>> found = compare(errors=tuple((x,) for x in A[MOVED]), alpha=0.1)
    >>> found.smallest, found.leader
    ({'A': 400, 'B': 200}, '')
    """
    moved = np.array(A)
    moved[MOVED] = [x for (x,) in errors]
    return Trials({"A": moved, "B": np.array(B)}, alpha)


def row_of(name: str, i: int) -> float:
    """Where a mechanism at the i-th n has its row, from above."""
    return 2.2 * i + (name == "B")


def frame_trials(mode: str) -> Figure:
    """Six rows of errors."""
    fig, ax = style.figure("", alt="", mode=mode, grid=False)
    style.linear_axis(ax, "x", 0, 0.24, [0, 0.05, 0.1, 0.15, 0.2])
    style.linear_axis(ax, "y", row_of("B", 2) + 0.6, -0.6, [])
    style.axis_titles(ax, "error")
    for i in range(len(N)):
        for name in "AB":
            ax.axhline(row_of(name, i), **style.line("lattice", mode))
    return fig


def paint_trials(fig: Figure, result: Trials) -> None:
    """Dots, the quantile as a bar, the median as a short line, the wanted error across."""
    ax, mode = fig.axes[0], fig.mode
    style.retitle(
        fig,
        f"Error {style.number(result.alpha)}: {_smallest(result)}",
        f"thick: 0.9 quantile, thin: median; {_verdict(result)}",
    )
    wanted = style.line("event", mode, marker=False) | {"gid": "alpha", "zorder": 1.4}
    ax.axvline(result.alpha, **wanted)
    ends = []
    for i, n in enumerate(N):
        for name, role in ROLES.items():
            row, here = row_of(name, i), result.errors[name][i]
            dots = style.points(role, mode)
            if name == "A" and i == MOVED:
                dots |= {"gid": "error", "ms": 8}
            ax.plot(here, row + STAGGER, **dots, clip_on=False)
            look = style.line(role, mode, marker=False) | {"ls": "-"}
            ax.plot([result.quantiles[name][i]] * 2, [row - 0.42, row + 0.42], **look | {"lw": 3})
            ax.plot([result.medians[name][i]] * 2, [row - 0.42, row + 0.42], **look | {"lw": 1})
            words = f"{name}, n = {n}: {style.number(result.quantiles[name][i])}"
            ends.append((0.24, row, words, role))
    style.label_ends(ax, ends)


def _smallest(result: Trials) -> str:
    """From which n each of them holds, in words."""
    said = [
        f"{name} from n = {n}" if math.isfinite(n) else f"{name} beyond n = {N[-1]}"
        for name, n in result.smallest.items()
    ]
    return ", ".join(said)


def _verdict(result: Trials) -> str:
    verdict = f"{result.leader} leads" if result.leader else "a tie"
    return f"n = {N[MOVED]}: {verdict}"


def say_trials(result: Trials) -> str:
    """One sentence of reading."""
    one, other = result.errors["A"][MOVED], result.errors["B"][MOVED]
    medians = [style.number(float(result.medians[name][MOVED])) for name in "AB"]
    quantiles = [style.number(result.quantiles[name][MOVED]) for name in "AB"]
    better = f"A is better in {(one < other).sum()} of {len(one)} runs"
    return (
        f"{_smallest(result)}. Medians {' and '.join(medians)}, quantiles "
        f"{' and '.join(quantiles)}; {better}. {_verdict(result)}."
    )


def table_trials(result: Trials) -> list[list[str]]:
    """Median and quantile of each."""
    head = ["n", "A: median", "quantile", "B: median", "quantile"]
    rows = []
    for i, n in enumerate(N):
        numbers = [(result.medians[name][i], result.quantiles[name][i]) for name in "AB"]
        rows.append([str(n), *(style.number(float(x), 3) for pair in numbers for x in pair)])
    enough = [str(n) if math.isfinite(n) else "none" for n in result.smallest.values()]
    return [head, *rows, ["enough", enough[0], "", enough[1], ""]]


TRIALS = View(frame_trials, paint_trials, say_trials, table_trials)


def explore_trials() -> Explorer:
    """Drag an error, or the error that is wanted: from which n, and who leads?"""
    start = tuple((x,) for x in A[MOVED])
    better = tuple((min(x, 0.09),) if x < 0.2 else (x,) for x in A[MOVED])
    controls = [
        Points(
            name="errors", label="error of A", start=start, lower=0, upper=0.24, fewest=10, most=10
        ),
        Slider(name="alpha", label="α, error", values=ALPHAS, start=0.1),
    ]
    presets = {
        "As stored": {},
        "One error less": {"errors": better},
        "Half the error": {"alpha": 0.05},
        "Twice the error": {"alpha": 0.2},
    }
    handles = [Handle(mark="error", x="errors"), Handle(mark="alpha", x="alpha")]
    return Explorer(compare, TRIALS, controls, presets, random=False, handles=handles)
