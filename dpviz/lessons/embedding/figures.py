"""The question, the rows of an embedding, and how errors fall (lesson 04)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import (
    HALF,
    ErrorAxes,
    Exponent,
    Line,
    Vacuous,
    doubling,
    log,
    measured,
    trials_said,
    without_data,
)
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.papers.distance_queries.embeddings import p_stable
from dpviz.sweeps.slope import Slope
from dpviz.sweeps.sweep import Sweep


@still
def figure_question(answers: Mapping[str, float], what: str, mode: str = "notebook") -> Figure:
    """Average distances of a few characters from all records, nearest on top.

    Parameters
    ----------
    answers : dict from a name to the exact average
    what : the distance in words
    """
    ranked = sorted(answers.items(), key=lambda pair: pair[1])
    first = ranked[0]
    last = ranked[-1]
    fig, ax = style.figure(
        f"{first[0]} is nearest to the action",
        f"{what}, averaged over all appearances (private)",
        alt=f"Average distances of {len(ranked)} characters as dots on rows: from {first[0]}, "
        f"{style.number(first[1])}, to {last[0]}, {style.number(last[1])}.",
        mode=mode,
    )
    rows = np.arange(len(ranked))[::-1]
    values = np.array([value for _, value in ranked])
    ax.hlines(rows, 0, values, color=style.ROLES["lattice"].colour, lw=1)
    ax.plot(values, rows, **style.points("records", mode) | {"ms": 6, "mfc": "white"})
    for (name, value), row in zip(ranked, rows, strict=True):
        style.note(ax, value, row, f"{name} {style.number(value)}", dx=8)
    style.linear_axis(ax, "x", 0, 0.9, [0, 0.2, 0.4, 0.6, 0.8])
    style.linear_axis(ax, "y", -0.7, len(rows) - 0.3, [])
    style.axis_titles(ax, "average distance, share of the largest possible", "character")
    return fig


@still
def figure_rows(moved: Mapping[str, np.ndarray], mode: str = "notebook") -> Figure:
    """Which rows move when one record is replaced: one line of squares for each embedding.

    Parameters
    ----------
    moved : dict from an embedding's name to bools (n,)
    """
    counts = {name: int(flags.sum()) for name, flags in moved.items()}
    words = "; ".join(f"{name}: {count}" for name, count in counts.items()).replace("\n", " ")
    fig, ax = style.figure(
        "Fitting to the records moves other people's rows",
        "a square is a record's row; yellow: it moved",
        alt=f"Rows that move when one of {len(next(iter(moved.values())))} records is replaced. "
        f"{words}.",
        mode=mode,
        height=0.84,
        grid=False,
    )
    ends = []
    for y, (name, flags) in zip(range(len(moved))[::-1], moved.items(), strict=True):
        x = np.arange(len(flags))
        size = 5 * style.mode_of(ax).marker_scale
        still = {"mfc": "white", "mec": style.ROLES["lattice"].colour, "mew": 0.8}
        ax.plot(x[~flags], y + 0 * x[~flags], "s", ms=size, **still)
        appearance = {"mfc": style.ROLES["event"].colour, "mec": style.INK, "mew": 0.9}
        ax.plot(x[flags], y + 0 * x[flags], "s", ms=size, **appearance)
        style.note(ax, -0.5, y, name.replace("\n", " "), dy=13)
        ends.append((len(flags), y, f"{counts[name]} of {len(flags)}", "event"))
    style.linear_axis(ax, "x", -1, len(flags), [])
    style.linear_axis(ax, "y", -0.6, len(moved) - 0.3, [])
    style.label_ends(ax, ends)
    return fig


@still
def figure_projections(excess: Sweep, fitted: Slope, mode: str = "notebook") -> Figure:
    """Spread of the ratios, and error of averages, against the number of projections.

    Parameters
    ----------
    excess : over "target", with fields ``spread``, ``error`` and ``bound`` (of the error)
    fitted : exponent of the measured spread
    """
    x = excess.axes["target"]
    lines = [
        Line("proved, averages", "bound", x, excess["bound"][:, 0]),
        measured("largest over\nsmallest ratio (ln)", "released", x, excess["spread"]),
        measured("averages", "other", x, excess["error"]),
    ]
    first, last = (excess.quantile("spread")[i] for i in (0, -1))
    axes = ErrorAxes(log("ℓ′, number of projections", x[0], x[-1]), log("relative error", 0.002, 5))
    return axes.figure(
        f"Fourfold projections leave {style.number(100 * 4**fitted.value)} % of the error",
        f"wine, five columns, Euclidean distance; {trials_said(excess.repeats, 'draws')}",
        lines,
        alt=f"Log-log: logarithm of largest over smallest ratio against projections, from "
        f"{style.number(first)} at {x[0]} to {style.number(last)} at {x[-1]}. Fitted slope "
        f"{style.fixed(fitted.value)} {style.interval(fitted.low, fitted.high)}, predicted −0.5.",
        mode=mode,
        exponent=Exponent(fitted, -0.5, width=4),
    )


@still
def figure_norms(found: Sweep, p: float, mode: str = "notebook") -> Figure:
    """Error of one distance against coordinates: plain and importance-sampled projections.

    Parameters
    ----------
    found : over "method" ("importance-sampled", "plain") and "target", with field ``error``
    """
    x = found.axes["target"]
    parts = {method: found.select(method=method)["error"] for method in p_stable.METHODS}
    last = {method: float(np.median(part[-1])) for method, part in parts.items()}
    lines = [
        measured("plain average\n(the textbook's)", "baseline", x, parts["plain"]),
        measured("importance-\nsampled", "released", x, parts["importance-sampled"]),
    ]
    axes = ErrorAxes(log("ℓ′, coordinates", x[0], x[-1]), log("relative error", 0.003, 3))
    return axes.figure(
        f"At p = {p:g} the plain average hardly improves",
        f"largest relative error of an average, wine; {trials_said(found.repeats, 'draws')}",
        lines,
        alt=f"Log-log: relative error against coordinates. At {x[-1]}: plain average "
        f"{style.number(last['plain'])}, importance-sampled "
        f"{style.number(last['importance-sampled'])}.",
        mode=mode,
    )


@still
def figure_subsets(
    found: Sweep, bounds: Sequence[float], needed: Sequence[int], what: str, mode: str = "notebook"
) -> Figure:
    """Contraction of drawn Frechet embeddings against K, with the two proved limits.

    Parameters
    ----------
    found : over "subsets", with field ``contraction``
    bounds : the proved contraction and the paper's
    needed : from how many subsets at a scale on each of them holds
    """
    x = found.axes["subsets"]
    middle = found.quantile("contraction")
    start = style.number(middle[0])
    end = style.number(middle[-1])
    flat = np.ones(len(x))
    lines = [
        Line("paper's bound", "paper", x, bounds[1] * flat, since=needed[1]),
        Line("proved", "bound", x, bounds[0] * flat, since=needed[0]),
        measured("measured,\nworst pair", "released", x, found["contraction"]),
    ]
    axes = ErrorAxes(
        doubling("K, subsets at a scale", x, pad=0.1), log("true over embedded", 3, 500)
    )
    return axes.figure(
        f"More sets lower the contraction from {start} to {end}",
        f"{what}; {trials_said(found.repeats, 'draws')}",
        lines,
        alt=f"Contraction against K, log-log. Measured {start} at K = {x[0]}, "
        f"{end} at {x[-1]}; proved {style.number(bounds[0], 3)} from "
        f"K = {needed[0]}, paper {style.number(bounds[1], 3)} from {style.number(needed[1])} on.",
        mode=mode,
    )


@still
def figure_parts(
    found: Sweep,
    baselines: Mapping[str, Sweep],
    bounds: tuple[Sequence[float], Sequence[float]],
    mode: str = "notebook",
    *,
    without_data: float = HALF,
) -> Figure:
    """Error against epsilon: what the embedding loses, what privacy costs, and the baselines.

    Parameters
    ----------
    found : over "epsilon", with fields ``error``, ``embedding``, ``privacy``
    baselines : at most two sweeps over "epsilon" with field ``error``
    bounds : error for each epsilon, both parts together: proved, and the paper's
    without_data : largest error of answering 1/2 to all 77 queries
    """
    x = np.array(found.axes["epsilon"])
    at = int(np.argmin(np.abs(x - 1)))
    here = {f: float(np.median(found[f][at])) for f in ("error", "embedding", "privacy")}
    plain = {name: float(np.median(sweep["error"][at])) for name, sweep in baselines.items()}
    words = ", ".join(
        f"{name.replace(chr(10), ' ')} {style.number(v)}" for name, v in plain.items()
    )
    vacuous = Vacuous(without_data, low=True)
    axes = ErrorAxes(log("ε, budget", x[0], x[-1]), log("largest error", 3e-4, 7), vacuous)
    return axes.figure(
        "More budget does not reduce the distortion",
        f"the novel by hops, 1 640 records, 77 queries, K = 16; "
        f"{trials_said(found.repeats, 'runs')}",
        _lines_of_parts(x, found, baselines, bounds),
        alt=f"Largest error against ε, log-log. At ε = 1: embedding part "
        f"{style.number(here['embedding'])}, privacy part {style.number(here['privacy'])}, "
        f"both {style.number(here['error'])}; {words}.",
        mode=mode,
    )


@still
def figure_euclidean(
    found: Sweep,
    pure: Sweep,
    paper: Sequence[float],
    fitted: tuple[Slope, Slope],
    mode: str = "notebook",
) -> Figure:
    """Theorem 10: the largest error over n, with delta and without.

    Parameters
    ----------
    found, pure : over "n", with fields ``error``, ``bound``, ``constant``
    paper : the paper's bound at each n of ``found``
    fitted : exponents of ``found`` and ``pure``
    """
    x = np.array(found.axes["n"])
    slopes = [style.number(each.value) for each in fitted]
    constant = np.median(found["constant"])
    axes = ErrorAxes(
        log("n, records", x[0], pure.axes["n"][-1]),
        log("largest error", 0.03, 3),
        Vacuous(without_data(constant), "a constant does as well", low=True),
    )
    lines = [
        Line("paper's bound", "paper", x, paper),
        Line("proved", "bound", x, found["bound"][:, 0]),
        measured(f"δ = 10⁻⁶,\nexponent {slopes[0]}", "released", x, found["error"]),
        measured(f"pure,\nexponent {slopes[1]}", "other", pure.axes["n"], pure["error"]),
    ]
    return axes.figure(
        "Projections cost less privacy than was charged",
        "Euclidean queries in a square of diameter 1; k = 100, ε = 1; "
        f"{trials_said(found.repeats, 'draws')}",
        lines,
        alt=f"Largest error against n, log-log. With δ = 10⁻⁶ it falls with exponent {slopes[0]}, "
        f"pure with {slopes[1]}; constant answers are off by {style.number(constant)}. "
        f"The paper's bound is above {style.number(min(paper))}.",
        mode=mode,
    )


@still
def figure_field(
    found: Sweep,
    projected: Sweep,
    rate: Sequence[float],
    fitted: Slope,
    mode: str = "notebook",
) -> Figure:
    """Euclidean queries with the field's noise, beside projections and the paper's rate.

    Parameters
    ----------
    found : of ``negative_type.trial`` over "n", with fields ``error`` and ``bound``
    projected : of ``euclidean.trial`` over the same "n", with ``error`` and ``constant``
    rate : Theorem 10's at each n, constant 1
    fitted : exponent of ``found``
    """
    x = np.array(found.axes["n"])
    both = [float(np.median(sweep["error"][-1])) for sweep in (projected, found)]
    factor = style.number(both[0] / both[1])
    constant = np.median(projected["constant"])
    axes = ErrorAxes(
        log("n, records", x[0], x[-1]),
        log("largest error", 3e-6, 7),
        Vacuous(without_data(constant), "a constant does as well"),
    )
    lines = [
        Line("Theorem 10,\na rate", "rate", x, rate),
        measured("Theorem 1 behind\nprojections", "other", x, projected["error"]),
        Line("proved", "bound", x, found["bound"][:, 0]),
        measured("Gaussian field", "released", x, found["error"]),
    ]
    return axes.figure(
        f"No map: {factor} times smaller at n = {style.number(x[-1])}",
        "Euclidean queries in a square of diameter 1; k = 100, ε = 1, δ = 10⁻⁶; "
        f"{trials_said(found.repeats, 'draws')}",
        lines,
        alt=f"Largest error against n, log-log. At n = {style.number(x[-1])}: behind projections "
        f"{style.number(both[0])}, Gaussian field {style.number(both[1])}, proved "
        f"{style.number(found['bound'][-1, 0])}; Theorem 10's rate {style.number(rate[-1])}.",
        mode=mode,
        exponent=Exponent(fitted, -1.0),
    )


def _lines_of_parts(x: np.ndarray, found: Sweep, baselines: Mapping, bounds: tuple) -> list:
    """Bounds, measured errors, baselines."""
    lines = [
        Line("paper's bound", "paper", x, bounds[1]),
        Line("proved", "bound", x, bounds[0]),
        measured("measured, all", "released", x, found["error"]),
        measured("of which privacy", "other", x, found["privacy"]),
    ]
    roles = ("baseline", "baseline2")
    return lines + [
        measured(name, role, x, sweep["error"])
        for role, (name, sweep) in zip(roles, baselines.items(), strict=False)
    ]
