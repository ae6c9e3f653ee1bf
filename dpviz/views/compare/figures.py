"""Still pictures of lesson 09: one data set, the guide, smallest n, and the best of twenty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from dpviz.experiments import calculator, compare, guide, smallest
from dpviz.experiments.mechanisms.kinds import KINDS, WITHOUT
from dpviz.views import style
from dpviz.views.errors import ErrorAxes, log, measured
from dpviz.views.roles import HATCH, ZONE
from dpviz.views.style import Figure

if TYPE_CHECKING:
    from IPython.display import DisplayObject

ROLES = {
    "distance": {"interactive": "released", "release": "other", "noise": "baseline"},
    "sparse": {
        "weights": "paper",
        "thumb": "released",
        "lazy": "other",
        "hashed": "baseline2",
        "noise": "baseline",
    },
    "smooth": {
        "paper": "paper",
        "truncation": "released",
        "functional": "other",
        "noise": "baseline",
    },
    "cluster": {
        "solver": "released",
        "theorem": "paper",
        "medians": "baseline",
        "mean": "baseline2",
        "all balls": "other",
    },
    "linear": {"net": "released", "weights": "paper", "histogram": "other", "noise": "baseline"},
}
ORIGINS = {"paper": "released", "other": "other", "baseline": "baseline"}
SHORT = {
    "interactive": "interactive",
    "release": "one release",
    "noise": "noise on each",
    "weights": "weights",
    "thumb": "quick weights",
    "lazy": "lazy histogram",
    "hashed": "hash histogram",
    "paper": "Jackson",
    "truncation": "moments",
    "functional": "functional",
    "solver": "1-cluster",
    "theorem": "theorem",
    "medians": "medians",
    "mean": "noisy mean",
    "all balls": "all balls",
    "net": "net",
    "histogram": "histogram",
    "": "nothing",
}


def figure_clinic(mode: str = "notebook", *, epsilon: float = 1.0) -> Figure:
    """Errors of every mechanism on the clinic's patients, beside the best answer without data."""
    at, few = guide.EPSILONS.index(epsilon), mode == "projector"  # large type: two a kind
    rows = _ranked(at, 2 if few else 5)
    fig, ax = style.figure(
        "For each kind of query another mechanism is best",
        f"569 patients, ε = {style.number(epsilon)}; median and range of 20 runs; bar: the best "
        "answer without data",
        alt=_alt_clinic(rows),
        mode=mode,
        height=1.3,
        grid=False,
    )
    style.log_axis(ax, "x", 3e-3, 3)
    style.linear_axis(ax, "y", len(rows) - 0.4, -0.6, [])
    for i, (kind, key, errors, without) in enumerate(rows):
        role = ROLES[kind][key]
        ax.plot([without] * 2, [i - 0.5, i + 0.5], **style.line("truth", mode))
        line = style.line(role, mode, marker=False) | {"ls": "-"}
        ax.plot([errors.min(), errors.max()], [i, i], **line)
        ax.plot([np.median(errors)], [i], **style.points(role, mode))
    style.axis_titles(ax, "largest error (log scale)")
    named = [(3, i, SHORT[key] if few else f"{kind}: {SHORT[key]}", ROLES[kind][key])
             for i, (kind, key, *_) in enumerate(rows)]  # fmt: skip
    style.label_ends(ax, named)
    return fig


def _ranked(at: int, most: int) -> list[tuple[str, str, np.ndarray, float]]:
    """Kind, key, errors and error without data of the best mechanisms that answer, best first."""
    rows = []
    for name, kind in KINDS.items():
        found = {key: each[at, -1] for key, each in guide.of_clinic(name).items()}
        without = float(np.median(found[WITHOUT]))
        keys = [each.key for each in kind.mechanisms if np.isfinite(found[each.key]).all()]
        keys.sort(key=lambda key, found=found: float(np.median(found[key])))
        rows += [(name, key, found[key], without) for key in keys[:most]]
    return rows


def _alt_clinic(rows: list[tuple[str, str, np.ndarray, float]]) -> str:
    best = {kind: (key, errors, without) for kind, key, errors, without in reversed(rows)}
    told = [
        f"{kind}: {SHORT[key]} {style.number(float(np.median(errors)))}, no data "
        f"{style.number(without)}"
        for kind, (key, errors, without) in reversed(best.items())
    ]
    return (
        f"Dots on lines, one a mechanism; x is the largest error, log. Best of {'; '.join(told)}."
    )


def table_clinic(*, epsilon: float = 1.0) -> DisplayObject:
    """Error, bound and limits of every mechanism on the clinic; the last row is without data."""
    at, rows = guide.EPSILONS.index(epsilon), []
    for name, kind in KINDS.items():
        found = guide.of_clinic(name)
        task = compare.clinic(compare.Sample(kind=name)).task(epsilon=epsilon)
        for each in kind.mechanisms:
            error, bound = found[each.key][at, -1], each.error_bound(task)
            rows.append([name, each.name, _errors(error), _finite(bound), each.cannot])
        rows.append(
            [name, f"*without data: {kind.without}*", _errors(found[WITHOUT][at, -1]), "", ""]
        )
    head = ["kind", "mechanism", "error: median (range)", "proved", "cannot"]
    lines = [" | ".join(row) for row in [head, [":--", ":--", "--:", "--:", ":--"], *rows]]
    return markdown([f"| {line} |" for line in lines])


def markdown(lines: Sequence[str]) -> DisplayObject:
    """Lines for a page; the pictures of this lesson need no IPython."""
    from IPython.display import Markdown

    return Markdown("\n".join(lines))


def _errors(errors: np.ndarray) -> str:
    if np.isinf(errors).all():
        return "refuses"
    low, high = (style.number(float(end)) for end in (errors.min(), errors.max()))
    return f"{style.number(float(np.median(errors)))} ({low} to {high})"


def _finite(value: float) -> str:
    return style.number(value) if math.isfinite(value) else "–"


def asked(where: guide.Setting) -> str:
    """A setting in words.

    >>> asked(guide.Setting(kind="smooth", d=2, k=1000, delta=0.0))
    'smooth, d 2, k 1000, δ 0'
    """
    many = "" if where.kind == "cluster" else f", k {where.k}"
    return f"{where.kind}, d {where.d}{many}{'' if where.delta else ', δ 0'}"


def figure_guide(mode: str = "notebook") -> Figure:
    """The decision guide: the mechanism of the smallest error, over settings and n."""
    few = mode == "projector"  # large type: every second row and column
    rows, shown = guide.guide()[few :: 1 + few], range(0, len(guide.N), 1 + few)
    told = [each for _, row in rows for each in row]
    nothing = sum(not each.key for each in told)
    fig, ax = style.figure(
        "The guide that the trials wrote",
        "smallest median error, ε = 1; blue: of the paper, grey: from elsewhere, green: baseline; "
        "pale: a tie",
        alt=f"Table of {len(rows)} settings by {len(guide.N)} numbers of records; each cell names "
        f"the mechanism with the smallest error. In {nothing} of {len(told)} nothing beats no "
        f"data; {sum(each.tie for each in told)} are ties within a factor {guide.CLEAR}.",
        mode=mode,
        height=1.25,
        grid=False,
        gutter=False,
    )
    style.linear_axis(ax, "x", -2.1 if few else -1.9, len(shown) - 0.5, [])
    style.linear_axis(ax, "y", len(rows) - 0.5, -0.5, [])
    ax.set_xticks(range(len(shown)), [style.number(guide.N[j]) for j in shown])
    ax.spines[["left", "bottom"]].set_visible(False)
    for i, (where, row) in enumerate(rows):
        style.note(ax, -2.07 if few else -1.87, i, asked(where), halo="none")
        for x, j in enumerate(shown):
            _advice(ax, x, i, where.kind, row[j])
    style.axis_titles(ax, "n, records")
    return fig


def _advice(ax: Axes, x: int, y: int, kind: str, told: guide.Advice) -> None:
    """One cell of the guide."""
    look = {"ec": "white", "lw": 1.2, "zorder": 2}
    if told.key:
        origin = KINDS[kind].mechanism(told.key).origin
        strength = 0.22 if told.tie else 0.42 if told.margin < 2 else 0.68
        look["fc"] = style.tint(ORIGINS[origin], strength)
    else:
        look |= {"fc": ZONE, "ec": HATCH, "hatch": "////"}
    ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **look))
    size = style.mode_of(ax).small
    words = {"ha": "center", "va": "center", "color": style.INK, "zorder": 9, "fontsize": size}
    ax.text(x, y, SHORT[told.key], **words)


def table_guide() -> DisplayObject:
    """The guide in words: what to use from which n on, and how clear that is."""
    lines = ["| asked | n | use | error | without data | next best |", "|:--|--:|:--|--:|--:|--:|"]
    for where, row in guide.guide():
        for n, each in zip(guide.N, row, strict=True):
            if n not in (1000, 10_000):
                continue
            name = KINDS[where.kind].mechanism(each.key).name if each.key else "**nothing**"
            margin = "tie" if each.tie else f"{each.margin:.1f} times"
            cells = [asked(where), style.number(n), name, style.number(each.error)]
            lines.append(f"| {' | '.join([*cells, style.number(each.without), margin])} |")
    return markdown(lines)


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
    found = smallest.FOUND.stored()["n"]
    for i, case in enumerate(cases):
        ax.axhline(i, **style.line("lattice", mode))
        for source, role in sources.items():
            n = calculator.smallest_n(**smallest.task_of(case), source=source)
            if math.isfinite(n):
                ax.plot([n], [i], **style.points(role, mode))
        ax.plot(found[i], [i] * len(found[i]), **style.points("released", mode))
    style.axis_titles(ax, "n, records (log scale)")
    style.label_ends(ax, [(1e9, i, case, "public") for i, case in enumerate(cases)])
    return fig


def _alt_smallest() -> str:
    n = smallest.found_n()
    least, most = min(n, key=n.get), max(n, key=n.get)
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


def figure_selected(kind: str = "linear", key: str = "histogram", mode: str = "notebook") -> Figure:
    """The same twenty runs: their median, and the best of them at each n."""
    at = guide.EPSILONS.index(1.0)
    runs, n = guide.of_clinic(kind)[key][at], compare.OF_CLINIC[kind].grid["n"]
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
