"""Pictures of the other road: publish one curve, answer every question."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.releases import average_sign, curves
from dpviz.sweeps.slope import Slope
from dpviz.sweeps.sweep import Sweep
from dpviz.views import style
from dpviz.views.errors import Line, draw_lines, measured
from dpviz.views.style import Figure

GRID = np.linspace(0, 1, 401)


def figure_release(
    truth: AverageDistance, release: curves.Curves, params: curves.Params, mode: str = "notebook"
) -> Figure:
    """Left: the released slopes, noisy. Right: the curve that they add up to, smooth.

    Parameters
    ----------
    truth : AverageDistance of one column
    release : what was published of it
    """
    values, grid = release.values[0], release.grid[0]
    m, exact = len(values) - 1, truth.value(grid)
    gap = float(np.abs(values - exact).max())
    fig, (left, right) = style.figure(
        "Noise on every slope nearly cancels in the curve",
        f"n = {style.number(params.n)}, ε = {style.number(params.epsilon)}, δ = 10⁻⁶, {m} cells",
        alt=f"Left: {m} slopes from −1 to 1 over the places, exact and released with noise. Right: "
        f"the curves that they add up to, which differ by at most {style.number(gap)}.",
        mode=mode,
        columns=2,
        sharey=False,
        names=["slope in each cell", "the curve: slopes added up"],
    )
    middles = (grid[1:] + grid[:-1]) / 2
    left.plot(middles, m * np.diff(values), **style.points("released", mode) | {"ms": 3, "mew": 0})
    left.plot(middles, m * np.diff(exact), **style.line("truth", mode))
    right.plot(grid, exact, **style.line("truth", mode))
    right.plot(grid, values, **style.line("released", mode, marker=False))
    for ax, (low, high) in ((left, (-3, 3)), (right, (0, 0.8))):
        style.linear_axis(ax, "x", 0, 1, [0.2, 0.5, 0.8])
        style.linear_axis(ax, "y", low, high)
    style.note(left, 0.04, 0.97, "exact (private)", "truth", at="axes", va="top")
    style.note(left, 0.04, 0.87, "released", "released", at="axes", va="top")
    style.axis_titles(right, "place y")
    return fig


def figure_cost(
    params: curves.Params, places: np.ndarray, spread: np.ndarray, mode: str = "notebook"
) -> Figure:
    """What one answer of the sign release costs beside a question asked alone; one column.

    Parameters
    ----------
    places : array (p,), where it was measured
    spread : array (p,), standard deviation of released answers there, over many releases
    """
    one = average_sign.single_query_sd(params)
    exact = average_sign.standard_deviation(params, GRID) / one
    alone = np.maximum(GRID, 1 - GRID)
    ends, middle = float(exact[0]), float(exact[200])
    fig, ax = style.figure(
        f"All answers at the price of one: {style.fixed(middle, 2)} to {style.fixed(ends, 2)}",
        f"one column, n = {style.number(params.n)}; 1 is the dearest answer, asked alone",
        alt=f"Standard deviation against place, as a share of that of the dearest single answer. "
        f"Sign release: {style.fixed(ends, 2)} at the ends, {style.fixed(middle, 2)} in the "
        "middle; white noise 1 everywhere; asked alone 1 at the ends, 0.5 in the middle.",
        mode=mode,
    )
    for height, role in ((exact, "bound"), (0 * GRID + 1, "baseline2"), (alone, "baseline")):
        ax.plot(GRID, height, **style.line(role, mode, marker=False))
    ax.plot(places, spread / one, **style.points("released", mode))
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", 0, 1.2)
    style.axis_titles(ax, "place y", "standard deviation, in units of one answer")
    names = {"white noise": "baseline2", "exact law": "bound", "asked alone": "baseline"}
    ends = [(1, 1.0, name, role) for name, role in names.items()]
    style.label_ends(ax, [*ends, (1, float(spread[-1] / one), "measured", "released")])
    return fig


def figure_errors(
    interactive: Sweep,
    baselines: Sweep,
    bounds: Mapping[str, np.ndarray],
    fitted: Slope,
    mode="notebook",
) -> Figure:
    """The error figure: every method against n, for one column and ten thousand questions.

    Parameters
    ----------
    interactive, baselines : over n, the stored trials
    bounds : dict with "proved" and "paper" of the interactive mechanism, over the same n
    fitted : Slope of the interactive mechanism from n = 10 000 on
    """
    n = np.array(interactive.axes["n"], dtype=float)
    errors, release = interactive["error"], np.median(baselines["release 1"], axis=1)
    ratio = float(np.median(errors[-1]) / release[-1])
    fig, ax = style.figure(
        f"One release errs {style.number(ratio)} times less",
        "one column, ε = 1, δ = 10⁻⁶, 10\u202f000 questions; medians of 40 trials, band 5–95 %",
        alt=f"Log-log chart, largest error against n from {style.number(n[0])} to "
        f"{style.number(n[-1])}. At the right end: paper's mechanism "
        f"{style.number(np.median(errors[-1]))}, proved {style.number(bounds['proved'][-1])}, "
        f"noise {style.number(np.median(baselines['noise 1'][-1]))}, release "
        f"{style.number(release[-1])}.",
        mode=mode,
    )
    style.log_axis(ax, "x", 700, 1.6e6)
    style.log_axis(ax, "y", 3e-6, 7)
    style.vacuous_zone(ax, 0.5, "vacuous: no data errs by ½ at most", low=True)
    lines = [
        measured("paper's mechanism", "released", n, errors),
        Line("proved for it", "bound", n, bounds["proved"]),
        Line("paper's bound", "paper", n, bounds["paper"]),
        measured("noise on each", "baseline", n, baselines["noise 1"]),
        measured("one release", "baseline2", n, baselines["release 1"]),
    ]
    draw_lines(ax, lines, spread="released")
    style.slope_triangle(ax, fitted.value, (fitted.low, fitted.high), -0.8, "lower left")
    style.axis_titles(ax, "n, records (log scale)", "largest error (log scale)")
    return fig
