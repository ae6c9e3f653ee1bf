"""What reconstruction attacks recover, bit by bit and against the errors' size (lesson 08)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from dpviz.drawing import style
from dpviz.drawing.errors import Line, draw_lines
from dpviz.drawing.live import View
from dpviz.drawing.roles import ON_EVENT, UNLIT
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.lessons.fat_shattering import experiments
from dpviz.papers.fat_shattering import linear_reconstruction, reconstruction
from dpviz.sweeps.sweep import Sweep


@still
def figure_guess(
    runs: Mapping[str, Sweep], gamma: float, people: int, mode: str = "notebook"
) -> Figure:
    """Share of the people that the choice among sets recovers, against the answers' error.

    Parameters
    ----------
    runs : dict from "uniform", "gaussian" and "laplace" to a sweep over ``scale``
    people : in each database
    """
    ends = {noise: sweep["recovered"].mean(axis=1) for noise, sweep in runs.items()}
    scales = np.array(runs["uniform"].axes["scale"])
    words = "; ".join(
        f"{noise} {style.number(y[0])} to {style.number(y[-1])}" for noise, y in ends.items()
    )
    fig, (within, noisy) = style.figure(
        "Accurate answers give the whole set back",
        f"share recovered of {people} people in {2 * people} cells, γ = {style.number(gamma)}; "
        f"mean of {runs['uniform'].repeats} attacks",
        alt=f"Share of people recovered against the size of the error, {scales[0]} to "
        f"{scales[-1]}, log scale. {words}. Proved: at least 1 − 2E/(γ {people}) where answers "
        "are within E. A coin gets 0.5.",
        mode=mode,
        columns=2,
        names=["errors of at most E", "errors of size E"],
        gutter=True,
    )
    draw_recovered(within, noisy, scales, ends)
    draw_limits(within, noisy, gamma, people)
    style.axis_titles(noisy, "E (log scale)")
    return fig


def draw_recovered(
    within: Axes, noisy: Axes, scales: np.ndarray, ends: Mapping[str, np.ndarray]
) -> None:
    """Shares recovered: where no error exceeds E, and where only its size is E."""
    for ax in (within, noisy):
        style.log_axis(ax, "x", 0.04, 12)
        style.linear_axis(ax, "y", 0.4, 1.03, [0.4, 0.6, 0.8, 1])
    within.plot(
        scales, ends["uniform"], **style.line("released", within.get_figure(root=True).mode)
    )
    style.note(within, scales[-1], ends["uniform"][-1], "uniform", "released", dy=-12, ha="right")
    lines = [
        Line("Gauss", "baseline", scales, ends["gaussian"]),
        Line("private histogram", "baseline2", scales, ends["laplace"]),
    ]
    draw_lines(noisy, lines)


def draw_limits(within: Axes, noisy: Axes, gamma: float, people: int) -> None:
    """What must be recovered from answers within E; what no private histogram gives away."""
    mode = within.get_figure(root=True).mode
    fine = np.geomspace(0.04, 12, 200)
    proved = 1 - reconstruction.reconstruction_bound(1.0, gamma) * fine / (2 * people)
    privately = [linear_reconstruction.attack_accuracy_bound(epsilon=2 / scale) for scale in fine]
    look = style.line("bound", mode, marker=False)
    within.plot(fine, np.where(proved >= 0.4, proved, np.nan), **look)
    noisy.plot(fine, privately, **look | {"lw": 1})
    last = np.flatnonzero(proved >= 0.45)[-1]
    style.note(within, fine[last], 0.45, "at least", "bound", dx=-6, ha="right")
    style.note(noisy, 11, 0.96, "histogram: at most", "bound", ha="right", va="bottom")


@still
def figure_recovery(sweep: Sweep, base_rate: float, mode: str = "notebook") -> Figure:
    """Share of patients recovered against the noise, for 2, 4 and 8 queries each.

    Parameters
    ----------
    sweep : over ratio and noise, as `stored.decoded` for one method
    base_rate : share if the commoner answer is given to all
    """
    people = math.sqrt(64) * np.array(sweep.axes["noise"])
    curves = {r: sweep.select(ratio=r)["recovered"] for r in sweep.axes["ratio"]}
    at = sweep.axes["noise"].index(0.35)
    words = ", ".join(style.number(shares[at].mean()) for shares in curves.values())
    fig, ax = style.figure(
        "More queries undo more noise",
        f"64 patients; mean of {sweep.repeats} attacks; band: 5–95 % for 4 queries each",
        alt="Share recovered against the noise in people, 0.16 to 32, log scale: from 1 down to a "
        f"coin's 0.5. At noise 2.8 with 2, 4 and 8 queries each: {words}. “Benign” to all gets "
        f"{style.number(base_rate, 3)}.",
        mode=mode,
    )
    style.log_axis(ax, "x", 0.12, 40)
    style.linear_axis(ax, "y", 0.42, 1.03, [0.5, 0.6, 0.7, 0.8, 0.9, 1])
    style.band(ax, people, *np.quantile(curves[4], [0.05, 0.95], axis=1))
    for shares in curves.values():
        ax.plot(people, shares.mean(axis=1), **style.line("released", mode))
    for value, role in ((base_rate, "baseline"), (0.5, "baseline2")):
        ax.axhline(value, **style.line(role, mode, marker=False))
    ends = [(40, base_rate, "“benign”\nto all", "baseline"), (40, 0.5, "coin flip", "baseline2")]
    style.label_ends(ax, ends)
    for ratio, x, dx, ha in ((2, 1.6, -8, "right"), (4, 5.7, 0, "center"), (8, 4, 8, "left")):
        words = f"{ratio} each" if dx else str(ratio)
        y = np.interp(np.log(x), np.log(people), curves[ratio].mean(axis=1))
        style.note(ax, x, y, words, "released", dx=dx, ha=ha)
    style.axis_titles(ax, "noise, people (log scale)", "share recovered")
    return fig


SIZES = [16, 36, 64, 100, 144, 196, 256]
LARGEST_PROGRAM = 4 * 256**2  # people times questions: a linear program takes about a second
EPSILONS = [0, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 300, 500]
NOISES = [0.02, 0.03, 0.05, 0.07, 0.1, 0.14, 0.2, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0]
HERE = {2: 0.2, 4: 0.35, 8: 0.5}  # where the curve of so many questions each is named


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """One attack.

    Attributes
    ----------
    params : how was published and attacked
    bits, found : arrays (n,), the truth and the guess
    noise : standard deviation of the answers' errors in units of sqrt(n), corrupted ones apart
    """

    params: linear_reconstruction.Params
    bits: np.ndarray
    found: np.ndarray
    noise: float

    @property
    def share(self) -> float:
        """Recovered."""
        return float((self.bits == self.found).mean())

    @property
    def base_rate(self) -> float:
        """Recovered by guessing the commoner bit for all."""
        return float(max(self.bits.mean(), 1 - self.bits.mean()))


def attack(
    *, n: int, ratio: int, noise: float, budget: float, corrupted: float, method: str, seed: int
) -> Reconstruction:
    """Publish counts of the patients and decode them.

    Raises ``ValueError`` if a linear program would take too long to wait for.
    """
    if method != "least squares" and n * n * ratio > LARGEST_PROGRAM:
        raise ValueError(
            f"method {method!r} is slow for {n} patients and {n * ratio} queries: take fewer "
            "of them, or least squares"
        )
    wrong = {"epsilon": budget} if budget else {"noise": noise, "corrupted": corrupted}
    params = linear_reconstruction.Params(ratio=ratio, method=method, **wrong)
    bits, guess, out = linear_reconstruction.attack(params, experiments.patients(n), rng=seed)
    if budget:
        most = max(out.queries.sum(axis=0).max(), 1)
        noise = math.sqrt(2) * most / budget / math.sqrt(n)
    return Reconstruction(params, bits, guess, noise)


def frame_reconstruction(mode: str) -> Figure:
    """Left the room for the grid; right the curves over many attacks."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, square=1, sharey=False, widths=[1.2, 1], gutter=True
    )
    left.set_axis_off()
    left.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", anchor="W")
    style.log_axis(right, "x", 0.015, 6)
    style.linear_axis(right, "y", 0.42, 1.04, [0.5, 0.6, 0.7, 0.8, 0.9, 1])
    style.axis_titles(right, "noise in units of √n (log scale)", "share recovered")
    curves = experiments.DECODED.stored().select(method="least squares")
    for ratio in experiments.RATIOS:
        shares = curves.select(ratio=ratio)["recovered"].mean(axis=1)
        right.plot(
            experiments.NOISES, shares, **style.line("released", mode, marker=False) | {"lw": 1.4}
        )
        at = experiments.NOISES.index(HERE[ratio])
        if not style.MODES[mode].tight or ratio != 4:
            style.note(right, HERE[ratio], shares[at], str(ratio), "released", ha="center")
    style.label_ends(right, [(6, 0.5, "coin flip", "baseline2")])
    right.axhline(0.5, **style.line("baseline2", mode, marker=False))
    return fig


def paint_reconstruction(fig: Figure, result: Reconstruction) -> None:
    """The cells, the place of this attack on the curves, the base rate."""
    left, right = fig.axes
    n = len(result.bits)
    mode = fig.mode
    style.retitle(fig, f"{round(n * result.share)} of {n} patients recovered", _how(result))
    draw_cells(left, result)
    right.axhline(result.base_rate, **style.line("baseline", mode, marker=False))
    words = "“benign”\nto all" if not style.MODES[mode].tight else "“benign”"
    style.label_ends(right, [(6, result.base_rate, words, "baseline")])
    place = min(max(result.noise, 0.016), 5.6)
    look = style.points("event", mode) | {"marker": "P", "ms": 9, "gid": "noise"}
    right.plot([place], [result.share], **look, clip_on=False)
    words = "this attack" if place == result.noise else f"noise {style.number(result.noise)}"
    side = "right" if place > 0.5 else "left"
    if not style.MODES[mode].tight or place != result.noise:
        style.note(right, place, result.share, words, dx=8 if side == "left" else -8, ha=side)


def draw_cells(ax: Axes, result: Reconstruction) -> None:
    """A square for each patient, coloured if reconstructed correctly; a dot if malignant."""
    corners, side = place_cells(len(result.bits))
    right = result.bits == result.found
    unlit = {"fc": UNLIT, "ec": UNLIT}
    correct = {"fc": style.ROLES["event"].colour, "ec": style.INK}
    for some, look in ((right, correct), (~right, unlit)):  # each kind is one path: that is quick
        squares = squares_at(corners[some], 0.9 * side)
        ax.add_artist(PathPatch(squares, lw=0.6, zorder=2, clip_on=False, **look))
    look = {"ls": "none", "marker": "o", "ms": 26 * side * style.mode_of(ax).marker_scale}
    for some, colour in ((right, ON_EVENT), (~right, style.INK)):  # dark on yellow in any theme
        dots = corners[some & (result.bits == 1)] + 0.45 * side
        ax.plot(*dots.T, color=colour, mew=0, zorder=4, **look)


def squares_at(corners: np.ndarray, side: float) -> Path:
    """Squares as one path, from their lower left corners, (m, 2).

    >>> len(squares_at(np.zeros((3, 2)), 1.0).vertices)
    15
    """
    around = side * np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)])
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path((corners[:, None] + around).reshape(-1, 2), codes * len(corners))


def place_cells(n: int) -> tuple[np.ndarray, float]:
    """Lower left corners, (n, 2), of the squares of a grid in [0, 1]^2, and their distance.

    >>> place_cells(4)[0].tolist()
    [[0.0, 0.5], [0.5, 0.5], [0.0, 0.0], [0.5, 0.0]]
    """
    side = round(math.sqrt(n))
    rows, columns = np.divmod(np.arange(n), side)
    return np.column_stack([columns / side, 1 - (rows + 1) / side]), 1 / side


def _how(result: Reconstruction) -> str:
    params = result.params
    n = len(result.bits)
    words = f"{params.ratio * n} counts"
    if params.epsilon is not None:
        wrong = f"private, ε = {style.number(params.epsilon)} in all"
    else:
        wrong = f"noise {style.number(params.noise * math.sqrt(n))}"
        wrong += f", {100 * params.corrupted:.0f} % corrupted" if params.corrupted else ""
    return f"{words}, {wrong}; {params.method}; dot: malignant"


def say_reconstruction(result: Reconstruction) -> str:
    """One sentence of reading."""
    n = len(result.bits)
    return (
        f"A grid of {n} patients, {round(n * result.share)} reconstructed correctly (share "
        f"{style.number(result.share, 3)}), from {_how(result).split(';')[0]}, by "
        f"{result.params.method}. Random guesses get 0.5, “benign” to all "
        f"{style.number(result.base_rate, 3)}. Curves: share falls with noise, later with more "
        "counts."
    )


def table_reconstruction(result: Reconstruction) -> list[list[str]]:
    """The shares and the noise."""
    rows = [["", "number"], ["share recovered", style.number(result.share, 3)]]
    rows += [["“benign” to all", style.number(result.base_rate, 3)]]
    rows += [["noise ÷ √n", style.number(result.noise, 3)]]
    rows += [["malignant", str(int(result.bits.sum()))]]
    if result.params.epsilon is not None and result.params.epsilon < 50:
        bound = linear_reconstruction.attack_accuracy_bound(epsilon=result.params.epsilon)
        rows += [["bound for fair bits", style.number(bound, 3)]]
    return rows


RECONSTRUCTION = View(
    frame_reconstruction, paint_reconstruction, say_reconstruction, table_reconstruction
)
figure_reconstruction = RECONSTRUCTION.figure
