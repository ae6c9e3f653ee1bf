"""The picture of lesson 00."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure


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
        "Two harmless averages give one value away",
        "n × (Monday − Tuesday); line: the patient's true value (private); ◂ ▸: off the page",
        alt=f"One row for each way of publishing; x is the recovered value, 0 to {upper:g}, the "
        f"truth is {truth:g}. First row {exact[0]:.2f}; last row: "
        f"{_inside(noisy, upper)} of {len(noisy)} noisy recoveries are on the page.",
        mode=mode,
    )
    style.linear_axis(ax, "x", 0, upper)
    style.linear_axis(ax, "y", len(rows) - 0.5, -0.5, [])
    ax.axvline(truth, **style.line("truth", mode))
    for i, values in enumerate(rows.values()):
        _draw_row(ax, i, np.asarray(values), upper)
    style.label_ends(ax, [(upper, i, name, "released") for i, name in enumerate(rows)])
    style.axis_titles(ax, "recovered radius of the cell nuclei")
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
