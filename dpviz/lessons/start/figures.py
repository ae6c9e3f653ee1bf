"""The pictures of lesson 00."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.words import say


@still
def figure_recovered(
    rows: Mapping[str, Sequence[float]], truth: float, upper: float, mode: str = "notebook"
) -> Figure:
    """What two published averages give away about the one record in which they differ.

    Parameters
    ----------
    rows : dict from how the averages were published to the values recovered from them
    truth : the record's value
    upper : public upper bound of the value; the lower is 0
    """
    exact, *_, noisy = rows.values()
    fig, ax = style.figure(
        say("Two harmless averages give one value away"),
        say("n × (Monday − Tuesday); line: the patient's true value (private); ◂ ▸: off the page"),
        alt=say(
            "One row for each way of publishing; x is the recovered value, 0 to {upper:g}, the "
            "truth is {truth:g}. First row {exact:.2f}; last row: {inside} of {noisy} noisy "
            "recoveries are on the page.",
            upper=upper,
            truth=truth,
            exact=exact[0],
            inside=_inside(noisy, upper),
            noisy=len(noisy),
        ),
        mode=mode,
    )
    style.linear_axis(ax, "x", 0, upper)
    style.linear_axis(ax, "y", len(rows) - 0.5, -0.5, [])
    ax.axvline(truth, **style.line("truth", mode))
    for i, values in enumerate(rows.values()):
        _draw_row(ax, i, np.asarray(values), upper)
    style.label_ends(ax, [(upper, i, name, "released") for i, name in enumerate(rows)])
    style.axis_titles(ax, say("recovered radius of the cell nuclei"))
    return fig


def _draw_row(ax: Axes, row: int, values: np.ndarray, upper: float) -> None:
    """Dots for what is on the page, counts at the edges for what is not."""
    mode = ax.get_figure(root=True).mode
    on = values[(values >= 0) & (values <= upper)]
    ax.axhline(row, **style.line("lattice", mode))
    ax.plot(on, [row] * len(on), **style.points("released", mode), clip_on=False)
    left = int((values < 0).sum())
    right = int((values > upper).sum())
    if left:
        style.note(ax, 0, row, f"◂ {left}", "released", dx=4)
    if right:
        style.note(ax, upper, row, f"{right} ▸", "released", dx=-4, ha="right")


def _inside(values: Sequence[float], upper: float) -> int:
    return sum(0 <= value <= upper for value in values)


def best_guess(*, epsilon: float, times: int, cells: int = 400) -> float:
    """Probability that the best guess of the world is right after so many noisy publications.

    Both worlds are equally likely before, and the record is the worst case: it moves the value by
    a whole sensitivity. The evidence of one publication under Laplace noise is epsilon with
    probability 1/2, -epsilon with probability exp(-epsilon)/2, and between them it has a density;
    that of several is their sum. Computed on a grid of ``2 * cells`` steps from -epsilon to
    epsilon.

    Parameters
    ----------
    epsilon : float > 0, of each publication
    times : int >= 1

    >>> round(best_guess(epsilon=1, times=1), 3), round(1 - math.exp(-0.5) / 2, 3)
    (0.697, 0.697)
    """
    ends = np.linspace(-epsilon, epsilon, 2 * cells)
    edges = np.concatenate([[-epsilon], (ends[1:] + ends[:-1]) / 2, [epsilon]])
    below = np.exp((edges - epsilon) / 2) / 2  # of evidence between its ends, with the record
    one = np.diff(below)
    one[0] += math.exp(-epsilon) / 2
    one[-1] += 0.5
    law = one
    for _ in range(times - 1):
        law = np.convolve(law, one)
    evidence = np.linspace(-times * epsilon, times * epsilon, len(law))
    return float(0.5 + (law * np.clip(-np.expm1(-evidence), 0, None)).sum() / 2)


@still
def figure_budget(*, epsilon: float, most: int = 12, mode: str = "notebook") -> Figure:
    """How often the best guess is right, publication by publication, beside what ε allows.

    Parameters
    ----------
    epsilon : of each publication
    most : publications that are drawn
    """
    times = np.arange(1, most + 1)
    allowed = 1 / (1 + np.exp(-epsilon * times))
    best = np.array([best_guess(epsilon=epsilon, times=int(k)) for k in times])
    game = {"most": most, "epsilon": style.number(epsilon)}
    title = "{most} times at ε = {epsilon}: right with probability {best}"
    fig, ax = style.figure(
        say(title, **game, best=style.number(best[-1], 2)),
        say("evidence adds up: k publications at ε allow as much as one at kε"),
        alt=say(
            "Probability of a right guess against the number of publications, 1 to {most}, each "
            "at ε = {epsilon}: the limit rises from {first:.3f} to {last:.3f}, the best guess "
            "against this noise from {low:.3f} to {high:.3f}.",
            **game,
            first=allowed[0],
            last=allowed[-1],
            low=best[0],
            high=best[-1],
        ),
        mode=mode,
    )
    style.linear_axis(ax, "x", 0, most, list(range(0, most + 1, 2)))
    style.linear_axis(ax, "y", 0.5, 1, [0.5, 0.6, 0.7, 0.8, 0.9, 1])
    ax.plot(times, allowed, **style.line("bound", mode, marker=False))
    ax.plot(times, best, **style.line("released", mode))
    ends = [(most, allowed[-1], say("limit"), "bound")]
    ends += [(most, best[-1], say("best guess"), "released")]
    style.label_ends(ax, ends)
    style.axis_titles(ax, say("publications"), say("probability of a right guess"))
    return fig
