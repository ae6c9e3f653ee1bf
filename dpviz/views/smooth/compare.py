"""Errors side by side: over n, over mechanisms, and the exponents of Table 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dpviz.base.slope import Slope
from dpviz.base.sweep import Sweep, load, sweep
from dpviz.papers.smooth import choose
from dpviz.papers.smooth.bounds import paper_rate
from dpviz.papers.smooth.table import Params
from dpviz.views import style
from dpviz.views.style import Figure

STORED = Path(__file__).with_name("errors.jsonl")
RUN = {
    "grid": {"n": [100, 1000, 10_000, 100_000], "plan": ["paper", "cut"]},
    "repeats": 12,
    "rng": 2013,
}


def errors(file: str | Path = STORED) -> Sweep:
    """The stored sweep of ``choose.trial_plan`` over n; what is missing is run and added."""
    return sweep(choose.trial_plan, Params(d=1, waves=1, epsilon=1.0), **RUN, file=file)


def stored_errors() -> Sweep:
    """The same as it is stored."""
    return load(STORED)


def figure_errors(found: Sweep, slopes: Mapping[str, Slope], mode: str = "notebook") -> Figure:
    """Worst error over n: the paper's plan, cutting off where a proved bound is least, no data.

    Parameters
    ----------
    found : over n and plan ("paper", "cut"), with fields error, bound, constant
    slopes : fitted exponents of the medians of both plans
    """
    n, paper, cut = np.array(found.axes["n"]), *(found.select(plan=p) for p in ("paper", "cut"))
    rate = np.array([paper_rate(int(m), d=1, smoothness=2, epsilon=1) for m in n])
    last = {p.header["at"]["plan"]: p.quantile("error")[-1] for p in (paper, cut)}
    fig, ax = style.figure(
        "The paper's plan is held up by drawing",
        f"one variable, ε = 1, worst of 100 bumps; median and 5–95 % of {found.repeats} runs",
        alt=f"Worst error against n, log-log. Paper's plan {style.number(last['paper'])} at "
        f"n = {style.number(n[-1])}, slope {style.fixed(slopes['paper'].value)}; cutting off "
        f"{style.number(last['cut'])}, slope {style.fixed(slopes['cut'].value)}.",
        mode=mode,
    )
    style.log_axis(ax, "x", 80, 1.25e5)
    style.log_axis(ax, "y", 3e-5, 30)
    style.vacuous_zone(ax, 1, "vacuous: answers lie in [0, 1]", side="left")
    for runs, role in ((paper, "paper"), (cut, "released")):
        low, high = runs.quantile("error", [0.05, 0.95])
        style.band(ax, n, low, high, role)
        ax.plot(n, runs.quantile("error"), **style.line(role, mode))
    bound, constant = np.median(cut["bound"], axis=-1), np.median(cut["constant"], axis=-1)
    ax.plot(n, bound, **style.line("bound", mode))
    ax.plot(n, rate, **style.line("rate", mode))
    ax.plot(n, constant, **style.line("baseline", mode, marker=False))
    style.axis_titles(ax, "n, records (log scale)", "worst error (log scale)")
    style.label_ends(
        ax,
        [
            (n[-1], constant[-1], "no data at all", "baseline"),
            (n[-1], last["paper"], f"paper's plan {style.fixed(slopes['paper'].value)}", "paper"),
            (n[-1], rate[-1], "rate −0.50", "rate"),
            (n[-1], bound[-1], "proved for the cut", "bound"),
            (n[-1], last["cut"], f"cut {style.fixed(slopes['cut'].value)}", "released"),
        ],
    )
    return fig


def figure_spent(
    waves: Sequence[int], spent: Sequence[float], limit: float, mode: str = "notebook"
) -> Figure:
    """What the noise as printed really spends, for a claimed epsilon of 1.

    Parameters
    ----------
    waves : numbers of waves; spent : 1 + kappa_t at each; limit : proved for all of them
    """
    fig, ax = style.figure(
        "Noise as printed spends more than it says",
        "claimed ε = 1; exact, attained by two rows that can be named",
        alt=f"True epsilon against the number of waves: 1 at t = 2, {style.fixed(spent[1], 3)} at "
        f"t = {waves[1]}, {style.fixed(spent[-1], 3)} at t = {waves[-1]}; never above "
        f"{style.fixed(limit, 4)}.",
        mode=mode,
        height=0.84,
    )
    style.base2_axis(ax, "x", [2, 4, 8, 16, 32, 64, 128, 256])
    style.linear_axis(ax, "y", 0.98, 1.25, [1, 1.05, 1.1, 1.15, 1.2])
    ax.axhline(1, **style.line("paper", mode, marker=False))
    ax.axhline(limit, **style.line("bound", mode, marker=False))
    ax.plot(waves, spent, **style.line("released", mode))
    style.axis_titles(ax, "t, waves per variable (log scale)", "ε that is really spent")
    ends = [(waves[-1], 1, "claimed", "paper"), (waves[-1], limit, "proved limit", "bound")]
    style.label_ends(ax, [*ends, (waves[-1], spent[-1], "spent", "released")])
    return fig


def figure_clinic(
    rows: Mapping[str, Mapping[str, float]], setting: str, mode: str = "notebook"
) -> Figure:
    """Worst errors of mechanisms on the clinic, one row each, one mark for each d.

    Parameters
    ----------
    rows : mechanism -> {"d = 1": error, ...}
    setting : what is asked, in words
    """
    best = min((min(row.values()), name) for name, row in rows.items())
    fig, ax = style.figure(
        "What beats an answer without data?",
        setting,
        alt=f"Worst errors on a log axis, {len(rows)} mechanisms, marks for "
        f"{', '.join(next(iter(rows.values())))}. Least {style.number(best[0])} ({best[1]}).",
        mode=mode,
    )
    style.log_axis(ax, "x", 3e-3, 20)
    style.linear_axis(ax, "y", -len(rows) + 0.4, 1.1, [])
    blue = style.line("released")["color"]
    fills = {
        "d = 1": ("o", blue),
        "d = 2": ("s", "white"),
        "d = 3": ("D", style.tint("released", 0.42)),
    }
    ax.axvspan(1, 20, facecolor="#f1efea", lw=0, zorder=0.5)
    for i, row in enumerate(rows.values()):
        ax.axhline(-i, color="#e4e4e4", lw=0.7, zorder=1)
        for d, error in row.items():
            marker, fill = fills[d]
            look = {"marker": marker, "ms": 7, "mfc": fill, "mec": blue, "mew": 1.2}
            ax.plot([error], [-i], **style.points("released", mode) | look)
    apart = [np.diff(np.sort(np.log(list(row.values())))).min(initial=9) for row in rows.values()]
    clearest = int(np.argmax(apart))
    for d, error in list(rows.values())[clearest].items():
        style.note(ax, error, -clearest, d, "released", dy=11, ha="center", halo="white")
    style.note(ax, 19, 0.9, "vacuous", "muted", ha="right", halo="#f1efea")
    style.label_ends(ax, [(20, -i, name, "truth") for i, name in enumerate(rows)])
    style.axis_titles(ax, "worst error over all questions (log scale)")
    return fig


def figure_table(
    rows: Mapping[str, Mapping[str, tuple[float, float]]], mode: str = "notebook"
) -> Figure:
    """Table 1 measured: for each row and cost the printed exponent of n and the fitted one.

    Parameters
    ----------
    rows : "d = 1, K = 1" -> {"error": (printed, fitted), "summary": ..., "query": ...}
    """
    costs = list(next(iter(rows.values())))
    said = "; ".join(
        f"{name} {style.fixed(row['error'][0])} and {style.fixed(row['error'][1])}"
        for name, row in rows.items()
    )
    fig, axes = style.figure(
        "Table 1: exponents of n, printed and measured",
        "diamond: printed; circle: fitted from n = 10³ to 10⁶ with the paper's own plan",
        alt=f"Exponents of n in three panels; of the error, printed and fitted: {said}."[:300],
        mode=mode,
        columns=len(costs),
        names=costs,
        gutter=True,
    )
    limits = {"error": (-0.9, 0.25), "summary": (0.9, 1.6), "query": (0, 2)}
    for ax, cost in zip(axes, costs, strict=True):
        style.linear_axis(
            ax,
            "x",
            *limits[cost],
            {"error": [-0.5, 0], "summary": [1, 1.5], "query": [0, 1, 2]}[cost],
        )
        style.linear_axis(ax, "y", -len(rows) + 0.4, 0.6, [])
        for i, row in enumerate(rows.values()):
            printed, fitted = row[cost]
            ax.plot([printed, fitted], [-i, -i], color="#bdbdbd", lw=1.2, zorder=1)
            ax.plot([printed], [-i], **style.points("paper", mode) | {"ms": 7})
            ax.plot([fitted], [-i], **style.points("released", mode) | {"ms": 7})
    style.label_ends(axes[-1], [(2, -i, name, "truth") for i, name in enumerate(rows)])
    style.axis_titles(axes[-1], "exponent of n")
    return fig
