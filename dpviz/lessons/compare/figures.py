"""Pictures and tables of lesson 09: one data set, the smallest n, the best of twenty, the guide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from dpviz.comparison import calculator, experiments, guide, smallest
from dpviz.comparison.mechanisms.kinds import IN_CELLS, KINDS, WITHOUT
from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, log, measured
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.lessons.compare.names import NAMED, ORIGINS, SHORT, asked, origin

if TYPE_CHECKING:
    from IPython.display import DisplayObject


@still
def figure_clinic(
    kinds: Sequence[str] = tuple(KINDS), mode: str = "notebook", *, epsilon: float = 1.0
) -> Figure:
    """Errors on the clinic's patients, beside the best answer without data: of one kind of query
    all mechanisms that answer, of several the best."""
    at, few = guide.EPSILONS.index(epsilon), style.MODES[mode].tight  # large type: two a kind
    alone = len(kinds) == 1
    most = len(SHORT) if alone else 2 if few else 5
    rows = _ranked(kinds, at, most)
    shown = f"{kinds[0]} queries" if alone else f"the best {most} of each kind"
    fig, ax = style.figure(
        f"{SHORT[rows[0][1]].capitalize()} has the smallest error"
        if alone
        else "One mechanism leads in each kind but clusters",
        f"569 patients, ε = {style.number(epsilon)}; {shown}, median and range of 20 runs",
        alt=_alt_clinic(rows),
        mode=mode,
        height=0.8 if alone else 1.3,
        grid=False,
    )
    style.log_axis(ax, "x", 3e-3, 3)
    style.linear_axis(ax, "y", len(rows) - 0.4, -3.5 if few else -1.7, [])
    _key_of_origins(ax, mode)
    for i, (kind, key, errors, without) in enumerate(rows):
        role = origin(kind, key)
        ax.plot([without] * 2, [i - 0.5, i + 0.5], **style.line("truth", mode))
        line = style.line(role, mode, marker=False) | {"ls": "-"}
        ax.plot([errors.min(), errors.max()], [i, i], **line)
        ax.plot([np.median(errors)], [i], **style.points(role, mode))
    style.axis_titles(ax, "largest error (log scale)")
    heads = {kind: i for i, (kind, *_) in reversed([*enumerate(rows)])}  # its first row
    named = [(3, i, f"{kind}: {SHORT[key]}" if heads[kind] == i and not few else SHORT[key],
              origin(kind, key)) for i, (kind, key, *_) in enumerate(rows)]  # fmt: skip
    style.label_ends(ax, named)
    return fig


def _key_of_origins(ax: Axes, mode: str) -> None:
    """What the marks mean, above the first row; in large type in two rows."""
    if style.MODES[mode].tight:
        places = [(0.0035, -2.7), (0.11, -2.7), (0.0035, -1.3), (0.11, -1.3)]
    else:
        places = [(0.0035, -1.15), (0.023, -1.15), (0.11, -1.15), (0.55, -1.15)]
    *marks, (x, y) = places
    for place, (where, role) in zip(marks, ORIGINS.items(), strict=True):
        ax.plot(*np.transpose([place]), **style.points(role, mode))
        style.note(ax, *place, NAMED[where], dx=9, halo="none")
    ax.plot([x, x], [y - 0.4, y + 0.4], **style.line("truth", mode))
    style.note(ax, x, y, "without data", dx=9, halo="none")


def _ranked(kinds: Sequence[str], at: int, most: int) -> list[tuple[str, str, np.ndarray, float]]:
    """Kind, key, errors and error without data of the best mechanisms that answer, best first."""
    rows = []
    for name in kinds:
        found = {key: each[at, -1] for key, each in guide.of_clinic(name).items()}
        without = float(np.median(found[WITHOUT]))
        keys = [each.key for each in KINDS[name].mechanisms if np.isfinite(found[each.key]).all()]
        keys.sort(key=lambda key, found=found: float(np.median(found[key])))
        rows += [(name, key, found[key], without) for key in keys[:most]]
    return rows


def _alt_clinic(rows: list[tuple[str, str, np.ndarray, float]]) -> str:
    best = {kind: (key, errors, without) for kind, key, errors, without in reversed(rows)}
    clauses = [
        f"{kind}: {SHORT[key]} {style.number(float(np.median(errors)))}, no data "
        f"{style.number(without)}"
        for kind, (key, errors, without) in reversed(best.items())
    ]
    best = "; ".join(clauses)
    return f"Dots on lines, one a mechanism; x is the largest error, log. Best of {best}."


def table_clinic(
    taken: dict[tuple[str, str], tuple[int, int]], *, epsilon: float = 1.0
) -> DisplayObject:
    """Every mechanism on the clinic: error, bound, time, memory, budget, limits; then without data.

    Parameters
    ----------
    taken : time and memory as ``costs.of_clinic`` measures them
    """
    at = guide.EPSILONS.index(epsilon)
    rows = []
    for name, kind in KINDS.items():
        errors = guide.of_clinic(name)
        task = experiments.clinic(experiments.Sample(kind=name)).task(epsilon=epsilon)
        for each in kind.mechanisms:
            if each.key in IN_CELLS.get(name, ()):
                continue  # not tried on these patients
            error = errors[each.key][at, -1]
            bound = each.error_bound(task)
            cost = ["–"] * 3
            if (name, each.key) in taken:
                cost = [f"×\u00a0{10.0**power:g}" for power in taken[name, each.key]]
                cost.append("ε, δ" if each.spends(task)[1] else "ε")
            cells = [_errors(error), _finite(bound), *cost, each.cannot]
            rows.append([name, each.name, *cells])
        without = [f"*without data: {kind.without}*", _errors(errors[WITHOUT][at, -1])]
        rows.append([name, *without, "–", "–", "–", "nothing", "tell anything of these patients"])
    head = ["kind", "mechanism", "error: median (range)", "proved", "time", "memory", "pays",
            "cannot"]  # fmt: skip
    lines = [" | ".join(row) for row in [head, [":--", ":--", *["--:"] * 4, ":--", ":--"], *rows]]
    return markdown([f"| {line} |" for line in lines])


def markdown(lines: Sequence[str]) -> DisplayObject:
    """Lines for a page; the pictures of this lesson need no IPython."""
    from IPython.display import Markdown

    return Markdown("\n".join(lines))


def _errors(errors: np.ndarray) -> str:
    if np.isinf(errors).all():
        return "refuses"
    return error_range(*(float(end) for end in (np.median(errors), errors.min(), errors.max())))


def error_range(middle: float, low: float, high: float) -> str:
    r"""A median with its range, if there is one, which no line breaks.

    >>> error_range(0.2, 0.1, 0.4).replace("\u00a0", " "), error_range(0.2, 0.2, 0.2)
    ('0.2 (0.1 to 0.4)', '0.2')
    """
    median, least, most = (style.number(each) for each in (middle, low, high))
    return median if least == most else f"{median} ({least}\u00a0to\u00a0{most})"


def _finite(value: float) -> str:
    return style.number(value) if math.isfinite(value) else "–"


@still
def figure_smallest(mode: str = "notebook") -> Figure:
    """Smallest n for error 0.05: measured, proved, and by the paper's constants."""
    cases = list(smallest.CASES)
    sources = {"proved": "bound", "paper": "paper"}
    fig, ax = style.figure(
        "The paper's constants ask for far more records",
        f"smallest n for error {smallest.ALPHA} with probability 0.95, ε = 1; measured: 5 times",
        alt=_alt_smallest(),
        mode=mode,
        grid=False,
    )
    style.log_axis(ax, "x", 100, 1e9)
    style.linear_axis(ax, "y", len(cases) - 0.4, -0.6, [])
    sizes = smallest.FOUND.stored()["n"]
    for i, case in enumerate(cases):
        ax.axhline(i, **style.line("lattice", mode))
        for source, role in sources.items():
            n = calculator.smallest_n(**smallest.task_of(case), source=source)
            if math.isfinite(n):
                ax.plot([n], [i], **style.points(role, mode))
        ax.plot(sizes[i], [i] * len(sizes[i]), **style.points("released", mode))
    _name_sources(ax, cases)
    style.axis_titles(ax, "n, records (log scale)")
    style.label_ends(ax, [(1e9, i, case, "public") for i, case in enumerate(cases)])
    return fig


def _name_sources(ax: Axes, cases: list[str]) -> None:
    """What each mark means, beside one of its kind that has room."""
    named = {
        "measured": ("distance, interactive", "released", "right"),
        "proved": ("linear, histogram", "bound", "left"),
        "paper": ("distance, interactive", "paper", "right"),
    }
    for source, (case, role, side) in named.items():
        task = smallest.task_of(case)
        n = smallest.found_n()[case]
        if source != "measured":
            n = calculator.smallest_n(**task, source=source)
        words = "the paper's constants" if source == "paper" else source
        dx = -7 if side == "right" else 7
        style.note(ax, n, cases.index(case), words, role, dx=dx, ha=side)


def _alt_smallest() -> str:
    n = smallest.found_n()
    least = min(n, key=n.get)
    most = max(n, key=n.get)
    proved, paper = (_farther(n, source) for source in ("proved", "paper"))
    return (
        f"Dots on {len(n)} lines, one a mechanism; x is n, log. Measured: from "
        f"{style.number(n[least])} ({least}) to {style.number(n[most])} ({most}). Proved: at most "
        f"{style.number(proved[-1])} times as many; by the paper's constants, where there are any, "
        f"{style.number(paper[0])} to {style.number(paper[-1])} times."
    )


def _farther(n: dict[str, float], source: str) -> list[float]:
    """How many times the measured n a source asks for, in order, where it asks for any."""
    ratios = (
        calculator.smallest_n(**smallest.task_of(case), source=source) / n[case] for case in n
    )
    return sorted(filter(math.isfinite, ratios))


@still
def figure_selected(kind: str = "linear", key: str = "histogram", mode: str = "notebook") -> Figure:
    """The same twenty runs: their median, and the best of them at each n."""
    at = guide.EPSILONS.index(1.0)
    runs = guide.of_clinic(kind)[key][at]
    n = experiments.OF_CLINIC[kind].grid["n"]
    gain = guide.selected_gain(kind, key)
    axes = ErrorAxes(log("n, patients", 80, 800), log("largest error", 1e-3, 1))
    return axes.figure(
        f"The best of twenty runs looks {gain:.1f} times better",
        f"{KINDS[kind].mechanism(key).name}, ε = 1; the same stored runs, each of 20 a dot",
        [
            measured("median of 20", "released", n, runs),
            measured("best of 20", "baseline2", n, runs.min(axis=1, keepdims=True)),
        ],
        alt=f"Two falling lines over n, log-log: the median of twenty runs, and the best of the "
        f"same twenty, {gain:.1f} times lower.",
        mode=mode,
    )


def table_guide() -> DisplayObject:
    """The guide in words: what to use at which n, its error over the draws, how clear that is."""
    head = ["asked", "n", "use", "error: median (range)", "draws", "without data", "next best"]
    lines = [f"| {' | '.join(head)} |", "|:--|--:|:--|--:|--:|--:|--:|"]
    for where, row in guide.guide():
        for n, each in zip(guide.N, row, strict=True):
            if n not in (1000, 10_000):
                continue
            names = [KINDS[where.kind].mechanism(key).name for key in each.keys]
            clear = f"{style.number(each.margin)} times" if each.key else "not clear"
            error = error_range(each.error, each.low, each.high)
            cells = [asked(where), style.number(n), " or ".join(names) or "**nothing**", error]
            cells += [f"{each.draws}", style.number(each.without), clear if names else "–"]
            lines.append(f"| {' | '.join(cells)} |")
    return markdown(lines)


def table_cells(places: Sequence[str]) -> DisplayObject:
    """Who leads at some of ``experiments.PLACES``: median, 0.95 quantile and share of failures.

    A failure is a run that is not better than an answer without data. Mechanisms in order of their
    medians, up to the best of a paper; that line is there wherever it stands.
    """
    head = ["records, n", "mechanism", "median", "0.95 quantile", "fails"]
    lines = [f"| {' | '.join(head)} |", "|:--|:--|--:|--:|--:|"]
    for place in places:
        draws = guide.cell(place)
        kind = KINDS[experiments.kind_of(place)]
        keys = [each.key for each in kind.mechanisms if np.isfinite(np.median(draws[each.key]))]
        keys.sort(key=lambda key, draws=draws: float(np.median(draws[key])))
        papers = [key for key in keys if kind.mechanism(key).origin == "paper"]
        for key in dict.fromkeys([*keys[:4], *papers[:1]]):
            errors = draws[key]
            fails = float(np.mean(errors >= draws[WITHOUT]))
            numbers = style.number(float(np.median(errors))), style.number(guide.quantile(errors))
            cells = [place, kind.mechanism(key).name, *numbers, f"{100 * fails:.0f} %"]
            lines.append(f"| {' | '.join(cells)} |")
        if not papers:
            lines.append(f"| {place} | *those of the papers refuse* | | | |")
    return markdown(lines)
