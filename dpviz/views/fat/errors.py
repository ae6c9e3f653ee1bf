"""Error figures of lesson 08: what an attack finds, and what a small database answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpviz.base.sweep import Sweep
from dpviz.papers.fat import decode, learn, lower, release, small
from dpviz.views import style
from dpviz.views.errors import Line, draw_lines, measured
from dpviz.views.fat import stored
from dpviz.views.style import Figure


def figure_guess(
    runs: Mapping[str, Sweep], gamma: float, people: int, mode: str = "notebook"
) -> Figure:
    """Share of the people that the choice among sets recovers, against the answers' error.

    Parameters
    ----------
    runs : dict from "bounded", "gauss" and "laplace" to a sweep over ``scale``
    people : in each database
    """
    ends = {noise: found["recovered"].mean(axis=1) for noise, found in runs.items()}
    scales = np.array(runs["bounded"].axes["scale"])
    said = "; ".join(
        f"{noise} {style.number(y[0])} to {style.number(y[-1])}" for noise, y in ends.items()
    )
    fig, ax = style.figure(
        "Good answers give the set back",
        f"{people} of {2 * people} cells, γ = {style.number(gamma)}; mean of "
        f"{runs['bounded'].repeats} attacks",
        alt=f"Share of people recovered against the size of the error, {scales[0]} to "
        f"{scales[-1]}, log scale. {said}. Proved: at least 1 − 2e/(γ {people}) where answers "
        "are within e. A coin gets 0.5.",
        mode=mode,
    )
    style.log_axis(ax, "x", 0.04, 12)
    style.linear_axis(ax, "y", 0.4, 1.03, [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
    fine = np.geomspace(0.04, 12, 200)
    proved = 1 - 2 * fine / (gamma * people)
    ceiling = np.array([decode.ceiling(epsilon=2 / scale) for scale in fine])
    lines = [
        Line("uniform,\nup to e", "released", scales, ends["bounded"]),
        Line("Gauss,\nsd e", "baseline", scales, ends["gauss"]),
        Line("private table,\nscale e", "baseline2", scales, ends["laplace"]),
    ]
    draw_lines(ax, lines)
    ax.plot(
        fine, np.where(proved >= 0.4, proved, np.nan), **style.line("bound", mode, marker=False)
    )
    ax.plot(fine, ceiling, **style.line("bound", mode, marker=False) | {"lw": 1})
    style.note(ax, 0.28, 0.62, "proved: at least" if mode == "notebook" else "at least", "bound")
    high = "table: at most" if mode == "notebook" else "at most"
    style.note(ax, 1.3, 0.96, high, "bound", dx=4, va="bottom")
    style.axis_titles(ax, "e, size of the errors (log scale)", "share of the people recovered")
    return fig


def figure_recovery(sweep: Sweep, floor: float, mode: str = "notebook") -> Figure:
    """Share of patients recovered against the noise, for 2, 4 and 8 questions each.

    Parameters
    ----------
    sweep : over ratio and noise, as `stored.decoded` for one decoder
    floor : share if the commoner answer is given to all
    """
    noises = np.array(sweep.axes["noise"])
    curves = {r: sweep.select(ratio=r)["recovered"] for r in sweep.axes["ratio"]}
    at = noises.tolist().index(0.35)
    said = ", ".join(style.number(found[at].mean()) for found in curves.values())
    fig, ax = style.figure(
        "More questions undo more noise",
        f"64 patients; mean of {sweep.repeats} attacks; band: 5–95 % for 4 questions each",
        alt="Share recovered against noise in units of √n, 0.02 to 4, log scale: from 1 down to a "
        f"coin's 0.5. At noise 0.35 with 2, 4 and 8 questions each: {said}. “Benign” to all gets "
        f"{style.number(floor, 3)}.",
        mode=mode,
    )
    style.log_axis(ax, "x", 0.015, 5)
    style.linear_axis(ax, "y", 0.42, 1.03, [0.5, 0.6, 0.7, 0.8, 0.9, 1])
    style.band(ax, noises, *np.quantile(curves[4], [0.05, 0.95], axis=1))
    for found in curves.values():
        ax.plot(noises, found.mean(axis=1), **style.line("released", mode))
    for value, role in ((floor, "baseline"), (0.5, "baseline2")):
        ax.axhline(value, **style.line(role, mode, marker=False))
    ends = [(5, floor, "“benign”\nto all", "baseline"), (5, 0.5, "coin flip", "baseline2")]
    style.label_ends(ax, ends)
    for ratio, x, dx, ha in ((2, 0.2, -8, "right"), (8, 0.5, 8, "left")):
        y = curves[ratio].mean(axis=1)[noises.tolist().index(x)]
        style.note(ax, x, y, f"{ratio} questions each", "released", dx=dx, ha=ha)
    style.axis_titles(ax, "noise in units of √n (log scale)", "share recovered")
    return fig


def figure_rows(sweep: Sweep, k: int, mode: str = "notebook") -> Figure:
    """Error of a few random rows against their number.

    Parameters
    ----------
    sweep : of `small.trial` over ``rows``
    k : number of queries
    """
    rows, fitted = np.array(sweep.axes["rows"], dtype=float), sweep.slope("error", rng=0)
    bound = [
        small.error_bound_sampled(small.Params(rows=int(m)), k, beta=0.05)
        for m in sweep.axes["rows"]
    ]
    middle = float(np.median(sweep["error"][2]))
    fig, ax = style.figure(
        f"{style.number(rows[2])} rows answer all {k} queries to {style.number(middle)}",
        f"relative error; median and 5–95 % of {sweep.repeats} random small databases; β = 0.05",
        alt=f"Largest error against rows, {style.number(rows[0])} to {style.number(rows[-1])}, "
        f"log-log: measured slope {style.fixed(fitted.value)} "
        f"{style.interval(fitted.low, fitted.high)}, predicted −0.5; proved bound "
        f"{style.number(bound[0])} to {style.number(bound[-1])}, above the measured.",
        mode=mode,
    )
    style.log_axis(ax, "x", rows[0] * 0.8, rows[-1] * 1.2)
    style.log_axis(ax, "y", 0.005, 7)
    style.vacuous_zone(ax, 1, "vacuous: shares lie in [0, 1]")
    lines = [
        measured("measured", "released", rows, sweep["error"]),
        Line("proved bound", "bound", rows, bound),
    ]
    draw_lines(ax, lines, spread="released")
    style.slope_triangle(ax, fitted.value, (fitted.low, fitted.high), -0.5, width=5)
    style.axis_titles(ax, "m, rows (log scale)", "largest error, share of the people (log scale)")
    return fig


def best_rows(total: float, exponent: str) -> int:
    """Rows with the least proved bound: a public choice."""
    bounds = {
        m: release.error_bound(
            release.Params(epsilon=1.0, rows=m, exponent=exponent), stored.queries(), total
        )
        for m in stored.ROWS
    }
    return min(bounds, key=bounds.get)


def chosen(sweep: Sweep, exponent: str, field: str) -> np.ndarray:
    """Relative errors at the publicly best rows; array (totals, repeats)."""
    part = sweep.select(exponent=exponent)
    return np.array(
        [
            part.select(rows=best_rows(total, exponent), people_in_all=total)[field] / total
            for total in part.axes["people_in_all"]
        ]
    )


def figure_release(sweep: Sweep, mode: str = "notebook") -> Figure:
    """The error figure: the exponential mechanism against a noisy table, by number of people.

    Parameters
    ----------
    sweep : over exponent, rows and people, as `stored.released`
    """
    totals = np.array(sweep.axes["people_in_all"], dtype=float)
    ours, table = chosen(sweep, "sharp", "error"), chosen(sweep, "sharp", "table")
    bound, printed = chosen(sweep, "sharp", "bound")[:, 0], chosen(sweep, "paper", "error")
    ratio = float(np.median(ours[-1]) / np.median(table[-1]))
    rate = [release.paper_rate(t, stored.K, stored.CELLS, epsilon=1.0) / t for t in totals]
    fig, ax = style.figure(
        f"Six cells: the table wins, {style.number(ratio)} times at the end",
        f"{stored.K} queries, ε = 1, rows chosen by the bound; median, 5–95 % of "
        f"{sweep.repeats} releases",
        alt=f"Relative error against people, 10 to 3000, log-log. At 3000: proved bound "
        f"{style.number(bound[-1])}, exponent as printed {style.number(np.median(printed[-1]))}, "
        f"sharp exponent {style.number(np.median(ours[-1]))}, noisy table "
        f"{style.number(np.median(table[-1]))}. The bound is vacuous at few people.",
        mode=mode,
    )
    style.log_axis(ax, "x", 8, 3800)
    style.log_axis(ax, "y", 5e-4, 30)
    style.vacuous_zone(ax, 1, "vacuous: shares lie in [0, 1]", low=True)
    lines = [
        measured("exponent ε/2", "released", totals, ours),
        measured("noisy table", "baseline", totals, table),
        measured("exponent ε/4,\nas printed", "other", totals, printed),
        Line("proved bound", "bound", totals, bound),
        Line("paper's rate", "rate", totals, rate, smooth=True),
    ]
    draw_lines(ax, lines, spread="released")
    style.axis_titles(ax, "people (log scale)", "largest error, share of the people (log scale)")
    return fig


def figure_points(cells: Sequence[int], errors: Any, epsilon: float, mode="notebook") -> Figure:
    """Point queries: dimension 1, and the log of the cells is real.

    Parameters
    ----------
    cells : numbers of cells
    errors : array (len(cells), repeats), largest error of a noisy table
    """
    cells = np.asarray(cells, dtype=float)
    beta = 0.05
    below = [lower.error_bound_points(int(n), epsilon=epsilon, beta=beta) for n in cells]
    above = -np.log1p(-((1 - beta) ** (1 / cells))) / epsilon
    flat = lower.error_bound(0.5, 2, epsilon=epsilon, beta=beta)
    fig, ax = style.figure(
        "The log of the cells is real: one-point counts",
        f"ε = {style.number(epsilon)}, β = 0.05; median and 5–95 % of {np.shape(errors)[1]} tables",
        alt=f"Largest error in people against {style.number(cells[0])} to "
        f"{style.number(cells[-1])} cells: noisy table, its proved bound "
        f"{style.number(above[0])} to {style.number(above[-1])}, and a proved limit for every "
        f"private answer, {style.number(below[0])} to {style.number(below[-1])}. The dimension is "
        "1 throughout.",
        mode=mode,
    )
    style.log_axis(ax, "x", cells[0] * 0.8, cells[-1] * 1.25)
    style.linear_axis(ax, "y", 0, float(1.25 * above[-1]))
    lines = [
        Line("a table stays\nbelow (proved)", "bound", cells, above),
        measured("noisy table", "released", cells, errors),
        Line("any private\nanswer: at least\n(proved)", "bound", cells, below),
        Line("Theorem 2", "paper", cells, np.full(len(cells), flat)),
    ]
    draw_lines(ax, lines, spread="released")
    style.axis_titles(ax, "cells (log scale)", "largest error, people")
    return fig


def figure_learning(sweep: Sweep, params: learn.Params, mode: str = "notebook") -> Figure:
    """Sample size against error: a threshold learnt with and without privacy.

    Parameters
    ----------
    sweep : of `learn.trial` over ``n``
    """
    n = np.array(sweep.axes["n"], dtype=float)
    private, plain = sweep["excess"].mean(axis=1), sweep["plain"].mean(axis=1)
    bound = [learn.error_bound(params, int(m)) for m in n]
    rate = [learn.paper_rate(int(m), 1, params.cells, epsilon=params.epsilon) for m in n]
    fig, ax = style.figure(
        "Privacy costs a learner most when people are few",
        f"thresholds on {params.cells} cells, ε = {style.number(params.epsilon)}; mean of "
        f"{sweep.repeats} samples; β = 0.05",
        alt=f"Excess error against people, {style.number(n[0])} to {style.number(n[-1])}, log-log. "
        f"Private {style.number(private[0])} to {style.number(private[-1])}, not private "
        f"{style.number(plain[0])} to {style.number(plain[-1])}, proved bound "
        f"{style.number(bound[0])} to {style.number(bound[-1])}.",
        mode=mode,
    )
    style.log_axis(ax, "x", n[0] * 0.8, n[-1] * 1.25)
    style.log_axis(ax, "y", 2e-4, 7)
    style.vacuous_zone(ax, 1, "vacuous: an error is at most 1")
    lines = [
        Line("proved bound", "bound", n, bound),
        Line("paper's rate", "rate", n, rate, smooth=True),
        Line("private", "released", n, private),
        Line("not private", "baseline", n, plain),
    ]
    draw_lines(ax, lines)
    style.axis_titles(ax, "n, people (log scale)", "error above the least (log scale)")
    return fig
