"""The errors of lesson 05: against n, over epsilon, m and k, winners, an adaptive analyst."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from dpviz.drawing import style
from dpviz.drawing.errors import (
    ErrorAxes,
    Exponent,
    Line,
    Vacuous,
    draw_line,
    log,
    measured,
    trials_said,
)
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.papers.sparse_queries import plan
from dpviz.sweeps.sweep import Sweep

Lines: TypeAlias = tuple[tuple[str, str, str], ...]  # field of a sweep, role, words

LINES: Lines = (
    ("online", "released", "sparse weights"),
    ("bound", "bound", "proved"),
    ("gaussian", "baseline2", "noise on each\nquery"),
    ("lazy_histogram", "baseline", "lazy Laplace\nhistogram"),
)

PUBLISHED: Lines = (
    ("hashed", "released", "hashed histogram"),
    ("bound", "bound", "proved for it"),
    ("lazy_histogram", "baseline", "lazy histogram"),
    ("laplace", "baseline2", "noise on each"),
    ("mwem", "other", "MWEM"),
)

METHODS = {  # the map's mechanisms, with role and marker
    "rule_of_thumb": ("released", "sparse weights"),
    "lazy_histogram": ("baseline", "lazy histogram"),
    "gaussian": ("baseline2", "noise on each"),
    "constant": ("other", "answer ½"),
}


@still
def figure_error(sweep: Sweep, params: plan.Params, slope, mode: str = "notebook") -> Figure:
    """Largest error against n: measured, proved, as stated in the paper, and two baselines.

    Parameters
    ----------
    sweep : over n, fields of ``baselines.trial_all``
    slope : fitted exponent of the measured errors, from n = 1e4 on
    """
    n = np.array(sweep.axes["n"])
    ratio = sweep["bound"][-1, 0] / sweep.quantile("online")[-1]
    stated = [plan.paper_bound(params, n=int(each)) for each in n]
    axes = ErrorAxes(log("n, records", 700, 1.4e6), log("largest error", 2e-5, 7), Vacuous())
    return axes.figure(
        f"Lists of {params.m}: the lazy histogram is far ahead",
        f"largest error of {style.number(params.k)} queries of {params.m} names, "
        f"ε = {style.number(params.epsilon)}, {trials_said(sweep.repeats, 'runs')}",
        [Line("as stated", "paper", n, stated), *lines_of(n, sweep)],
        alt=f"Log-log chart of largest error against records, 1000 to 10⁶. At 10⁶: "
        f"{_ends(sweep)}. The promise is {style.number(ratio)} times the measured error. Fitted "
        f"slope {style.fixed(slope.value)}.",
        mode=mode,
        exponent=Exponent(slope, -0.5, width=8),
    )


def lines_of(x: np.ndarray, sweep: Sweep) -> list[Line]:
    """The four lines of medians."""
    return [measured(words, role, x, sweep[field]) for field, role, words in LINES]


@still
def figure_scaling(sweeps: Mapping[str, Sweep], mode: str = "notebook") -> Figure:
    """The same lines against epsilon, m and k: one panel each.

    Parameters
    ----------
    sweeps : title of the x axis -> sweep over one axis
    """
    fig, axes = style.figure(
        "Long lists hurt histograms, many queries the rest",
        "largest error, medians; n = 10⁵, else ε = 1, 50 names, 1\u202f000 queries",
        alt="Three log-log panels. "
        + " ".join(f"Against {name}: {_change(sweep)}." for name, sweep in sweeps.items()),
        mode=mode,
        columns=len(sweeps),
        names=list(sweeps),
    )
    _draw_panels(axes, sweeps.values(), LINES)
    line = 1.4 * style.mode_of(axes[0]).small
    style.note(axes[0], 0.03, 0.03, "sparse weights", "released", at="axes")
    style.note(axes[0], 0.03, 0.03, "proved", "bound", at="axes", dy=line)
    style.note(axes[2], 0.97, 0.03, "lazy histogram", "baseline", at="axes", ha="right")
    style.note(axes[2], 0.97, 0.03, "noise on each", "baseline2", at="axes", ha="right", dy=line)
    style.axis_titles(axes[-1], "(log scales)")
    return fig


@still
def figure_published(sweeps: Mapping[str, Sweep], mode: str = "notebook") -> Figure:
    """What can be published at once, against n, m and k: one panel each.

    Parameters
    ----------
    sweeps : title of the x axis -> sweep over one axis, fields of ``baselines.trial_published``
    """
    fig, axes = style.figure(
        "Hashing nearly equals the lazy histogram",
        "largest error, medians; n = 10⁵, else ε = 1, 20 names, 300 queries, 10⁷ buckets",
        alt="Three log-log panels. "
        + " ".join(
            f"Against {name}: {_change(each, PUBLISHED[:3:2])}." for name, each in sweeps.items()
        ),
        mode=mode,
        columns=len(sweeps),
        names=list(sweeps),
    )
    _draw_panels(axes, sweeps.values(), PUBLISHED)
    for i, (_, role, words) in enumerate(PUBLISHED):
        rise = 1.4 * style.mode_of(axes[0]).small * (i % 2)
        style.note(axes[i // 2], 0.03, 0.03, words, role, at="axes", dy=rise)
    style.axis_titles(axes[-1], "(log scales)")
    return fig


def _draw_panels(axes: Sequence[Axes], sweeps: Iterable[Sweep], lines: Lines) -> None:
    """One sweep over one axis in each panel, all with the same errors."""
    for ax, sweep in zip(axes, sweeps, strict=True):
        x = np.array(next(iter(sweep.axes.values())))
        span = log("", x[0] / 1.4, x[-1] * 1.4)
        ErrorAxes(span, log("", 2e-5, 7), Vacuous(words="")).dress(ax, titles=False)
        for field, role, words in lines:
            draw_line(ax, measured(words, role, x, sweep[field]))


@still
def figure_winners(sweep: Sweep, n: int, mode: str = "notebook") -> Figure:
    """Which mechanism has the smallest error, over width and number of queries.

    Parameters
    ----------
    sweep : over m and k, fields of ``baselines.trial_all``
    n : number of records
    """
    errors = np.array([sweep.quantile(name) for name in METHODS])  # (mechanism, m, k)
    best = errors.argmin(axis=0)
    ours = 0
    won = int((best == ours).sum())
    fig, ax = style.figure(
        "Sparse weights barely win, and only for wide lists",
        f"smallest error of four, n = {n}, ε = 1, δ = 10⁻⁶, median of {sweep.repeats}; "
        "dark: twice as good",
        alt=f"Map of width m over k queries, n = {n}. Sparse weights win {won} of {best.size} "
        f"cells; {_wins(best)}. In each cell the winner and its error.",
        mode=mode,
        grid=False,
        gutter=False,
    )
    ms = sweep.axes["m"]
    ks = sweep.axes["k"]
    style.linear_axis(ax, "x", -0.5, len(ms) - 0.5, [])
    style.linear_axis(ax, "y", -0.5, len(ks) - 0.5, [])
    ax.set_xticks(range(len(ms)), [style.number(m / n) for m in ms])
    ax.set_yticks(range(len(ks)), [style.number(k / n) for k in ks])
    for i, j in np.ndindex(best.shape):
        _draw_cell(ax, i, j, errors[:, i, j])
    style.axis_titles(ax, "m/n, names in a query for each record", "k/n, queries for each record")
    return fig


def _draw_cell(ax: Axes, i: int, j: int, errors: np.ndarray) -> None:
    """The winner's colour, as strong as the win is clear, its name and error."""
    order = np.argsort(errors)
    role, words = list(METHODS.values())[order[0]]
    lead = errors[order[1]] / errors[order[0]]
    strength = 0.68 if lead > 2 else 0.42 if lead > 1.25 else 0.22
    face = style.tint(role, strength)
    ax.add_patch(Rectangle((i - 0.5, j - 0.5), 1, 1, fc=face, ec="white", lw=1.6, zorder=2))
    look = {"ha": "center", "va": "center", "color": style.INK, "zorder": 9}
    size = style.mode_of(ax).small
    if style.mode_of(ax).tight:  # large type leaves room for the name alone
        narrow = style.mode_of(ax).lines > 1
        short = words.replace("histogram", "hist.") if narrow else words
        name = short.replace(" ", "\n", 2 if narrow else 1)
        ax.text(i, j, name, fontsize=size, weight="normal" if narrow else "bold", **look)
        return
    ax.text(i, j + 0.14, words, fontsize=size, weight="bold", **look)
    ax.text(i, j - 0.2, style.number(errors[order[0]]), fontsize=size, **look)


@still
def figure_adaptive_analyst(
    runs: Mapping[int, Sequence[Mapping[str, float]]], n: int, m: int, mode: str = "notebook"
) -> Figure:
    """Error of the lazy histogram for fixed and for adaptive queries, against names asked before.

    Parameters
    ----------
    runs : names asked before -> runs of ``baselines.adaptive_analyst``
    """
    counts = np.array(sorted(runs))
    fields = {
        name: np.array([np.median([run[name] for run in runs[each]]) for each in counts])
        for name in ("adaptive", "fixed", "expected", "bound")
    }
    axes = ErrorAxes(
        log("names asked before", counts[0] / 1.3, counts[-1] * 1.3),
        log("error before clipping", 0.01, 100),
        Vacuous(side="left"),
    )
    lines = [
        Line("proved, any query", "bound", counts, fields["bound"]),
        Line("", "public", counts, fields["expected"]),
        Line("adaptive\n(line: expected)", "released", counts, fields["adaptive"], joined=False),
        Line("fixed", "baseline", counts, fields["fixed"]),
    ]
    return axes.figure(
        "An adaptive analyst finds the largest noise",
        f"lazy Laplace histogram, n = m = {style.number(n)}, ε = 1, "
        f"median of {len(runs[int(counts[0])])} runs",
        lines,
        alt=f"Error against names asked before, log-log. At {style.number(int(counts[-1]))}: "
        f"proved for all queries {style.number(fields['bound'][-1])}, adaptive "
        f"{style.number(fields['adaptive'][-1])}, fixed {style.number(fields['fixed'][-1])}.",
        mode=mode,
    )


def _ends(sweep: Sweep) -> str:
    """The four values at the right end."""
    clauses = (
        f"{words} {style.number(sweep.quantile(field)[-1])}".replace("\n", " ")
        for field, _, words in LINES
    )
    return ", ".join(clauses)


def _change(sweep: Sweep, lines: Lines = (LINES[0], LINES[3])) -> str:
    """Medians of some lines from the first to the last point."""
    parts = []
    for field, _, words in lines:
        values = sweep.quantile(field)
        parts.append(f"{words} {style.number(values[0])} to {style.number(values[-1])}")
    return ", ".join(parts).replace("\n", " ")


def _wins(best: np.ndarray) -> str:
    names = [words for _, words in METHODS.values()]
    counts = [(int((best == i).sum()), name) for i, name in enumerate(names) if i]
    return ", ".join(f"{name} {count}" for count, name in counts)
