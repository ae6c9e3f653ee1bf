"""The explorers of lesson 05: one run, and the smallest error bound."""

from __future__ import annotations

import math

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, Vacuous, log
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Handle, Slider, View, stops
from dpviz.lessons.sparse.experiments import AIMS, ASKED, GRID, Promise, Ran, promise, run
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import UPDATE_RULES

NS = [1000, 3000, 10**4, 3 * 10**4, 10**5, 3 * 10**5]
MS = [1, 2, 5, 10, 20, 30]
KS = [10, 30, 100, 200, 300]
EPSILONS = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
KINDS = {"guess": ("released", "o"), "measured": ("event", "*"), "frozen": ("event", "X")}


def _what(result: Ran) -> str:
    """The settings of a run in words."""
    return (
        f"n = {style.number(result.n)}, m = {result.params.m}, ε = "
        f"{style.number(result.params.epsilon)}, {result.params.update_rule} step, {result.aim}"
    )


def frame_run(mode: str) -> Figure:
    """Truth across, answer up, and the diagonal."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", -0.03, 1.03, [0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.plot([0, 1], [0, 1], **style.line("truth", mode) | {"lw": 1.0})
    style.axis_titles(ax, "truth (private)", "answer")
    return fig


def paint_run(fig: Figure, result: Ran) -> None:
    """Every answer by its kind, the promise as two lines."""
    ax = fig.axes[0]
    bound = result.split.error
    measured = int((result.kinds == "measured").sum())
    title = f"{measured} of {len(result.kinds)} answers measured"
    style.retitle(fig, title, f"{_what(result)}; largest error {style.number(result.error)}")
    if bound < 1:
        for shift in (-bound, bound):
            ends = np.array([0.0, 1.0])
            ax.plot(ends, ends + shift, **style.line("bound", fig.mode, marker=False) | {"lw": 0.9})
    for kind, (role, marker) in KINDS.items():
        chosen = result.kinds == kind
        look = style.points(role, fig.mode) | {"marker": marker}
        look |= {"ms": 4.5} if kind == "guess" else {"ms": 8, "mew": 0.6}
        ax.plot(result.truths[chosen], result.values[chosen], **look)
    style.label_ends(ax, _labels(result))


def _labels(result: Ran) -> list[tuple]:
    """What is drawn, named from top to bottom."""
    bound = result.split.error
    promise = f"promise ±{style.number(bound)}" if bound < 1 else "nothing promised"
    names = [(1, 1, "truth", "truth"), (1, 1 - bound if bound < 1 else 0.75, promise, "bound")]
    counts = [(kind, int((result.kinds == kind).sum())) for kind in KINDS]
    marks = {"guess": "● guess", "measured": "★ measured", "frozen": "✕ frozen"}
    heights = (0.5, 0.35, 0.2)
    for (kind, count), height in zip(counts, heights, strict=True):
        role = "released" if kind == "guess" else "event"
        names.append((1, height, f"{marks[kind]}: {count}", role))
    return names


def say_run(result: Ran) -> str:
    """One sentence of reading."""
    counts = ", ".join(f"{int((result.kinds == kind).sum())} {kind}" for kind in KINDS)
    bound = result.split.error
    promise = "nothing is promised" if math.isinf(bound) else f"promised {style.number(bound)}"
    return (
        f"Answers against truths, {_what(result)}: {counts}; at most "
        f"{style.number(result.split.updates)} could be measured. Largest error "
        f"{style.number(result.error)}, {promise}. {result.used} of "
        f"{style.number(float(result.split.size))} indices in use."
    )


def table_run(result: Ran) -> list[list[str]]:
    """The numbers of the sentence."""
    return [
        ["", "number"],
        ["measured", str(int((result.kinds == "measured").sum()))],
        ["could be measured", style.number(result.split.updates)],
        ["largest error", style.number(result.error, 3)],
        ["promised", style.number(result.split.error, 3)],
        ["indexed elements", str(result.used)],
    ]


RUN = View(frame_run, paint_run, say_run, table_run)


def explore_online() -> Explorer:
    """One run of sparse multiplicative weights: which answers were guessed, which measured?"""
    controls = [
        Slider(name="n", label="n, records", values=NS, start=10**5),
        Slider(name="epsilon", label="ε", values=EPSILONS, start=1.0),
        Slider(name="m", label="m, names", values=MS, start=10),
        Slider(name="k", label="k, queries", values=KS, start=200),
        Choice(name="update_rule", label="step", values=UPDATE_RULES, start="projection"),
        Choice(name="aim", label="aim", values=AIMS, start="promised"),
    ]
    presets = {
        "Promised": {},
        "Rule of thumb": {"aim": "rule of thumb", "k": 300},
        "Paper's step": {"update_rule": "paper"},
        "Few records": {"n": 1000},
        "Exhausted": {"n": 3000, "aim": "rule of thumb", "update_rule": "paper", "k": 300},
    }
    return Explorer(run, RUN, controls, presets)


PROMISE_MS = [1, 2, 5, 10, 20, 50, 100, 300, 1000, 3000, 10_000, 20_000, 100_000]
PROMISE_KS = [10, 100, 300, 1000, 2000, 5000, 10_000, 100_000, 10**6, 10**7]

NAMES = {
    "ours": ("bound", "sparse weights,\nproved"),
    "paper": ("paper", "Theorem 1"),
    "lazy_histogram": ("baseline", "lazy histogram"),
    "gaussian": ("baseline2", "noise on each"),
}


PROMISE_AXES = ErrorAxes(
    log("n, records", 800, 1.25e7), log("promised largest error", 1e-6, 7), Vacuous()
)


def paint_promise(fig: Figure, result: Promise) -> None:
    """Four lines, and the best of them at n."""
    ax = fig.axes[0]
    style.retitle(fig, _title(result), _subtitle(result))
    ends = []
    for name, (role, words) in NAMES.items():
        ax.plot(GRID, result.lines[name], **style.line(role, fig.mode))
        if np.isfinite(result.lines[name]).all():
            style.off_scale(ax, GRID, result.lines[name], role, "")
        last = min(7.0, max(1e-6, result.lines[name][-1]))
        ends.append((GRID[-1], last, words, role))
    low = min(result.here[name] for name in ("ours", "lazy_histogram", "gaussian"))
    style.event(ax, result.n, min(5.0, max(1.5e-6, low)), "here", name="here")
    style.label_ends(ax, ends)


def _title(result: Promise) -> str:
    words = {
        "ours": "Sparse weights have the smallest bound here",
        "lazy_histogram": "The lazy histogram has the smallest bound here",
        "gaussian": "Noise on each query has the smallest bound here",
        "nobody": "No mechanism has a bound that says anything here",
    }
    return words[result.winner]


def _subtitle(result: Promise) -> str:
    params = result.params
    return (
        f"n = {style.number(result.n)}, m = {style.number(params.m)}, k = "
        f"{style.number(params.k)}, ε = {style.number(params.epsilon)}, {result.queries} "
        f"queries, {params.update_rule} step"
    )


def say_promise(result: Promise) -> str:
    """One sentence of reading."""
    here = {name: style.number(value) for name, value in result.here.items()}
    return (
        f"Promised largest error against n, log-log; {_subtitle(result)}. At this n: sparse "
        f"weights {here['ours']} with {style.number(result.split.updates)} updates, Theorem 1 "
        f"{here['paper']}, lazy histogram {here['lazy_histogram']}, noise on each query "
        f"{here['gaussian']}."
    )


def table_promise(result: Promise) -> list[list[str]]:
    """The promises at n."""
    rows = [[words.replace("\n", " "), style.number(result.here[name], 3)]
            for name, (_, words) in NAMES.items()]  # fmt: skip
    updates = ["updates allowed", style.number(result.split.updates)]
    return [["promise at this n", "largest error"], *rows, updates]


PROMISE = View(PROMISE_AXES.frame, paint_promise, say_promise, table_promise)


def explore_promise() -> Explorer:
    """Which mechanism promises the smallest error? Drag the number of records."""
    many = stops(1000, 10**7, log=True, whole=True, also=[50_000])
    controls = [
        Slider(name="n", label="n, records", values=many, start=10**5),
        Slider(name="epsilon", label="ε", values=stops(0.1, 10, log=True, also=[1]), start=1.0),
        Slider(name="m", label="m, names", values=PROMISE_MS, start=50),
        Slider(name="k", label="k, queries", values=PROMISE_KS, start=1000),
        Choice(name="update_rule", label="step", values=UPDATE_RULES, start="projection"),
        Choice(name="queries", label="queries", values=ASKED, start="fixed"),
    ]
    wide = {"m": 100_000, "k": 10**7, "queries": "adaptive"}
    presets = {
        "Manual": {"n": 50_000, "k": 300},
        "Wide, adaptive": wide,
        "Paper's step": {"update_rule": "paper", "k": 100_000},
        "Few queries": {"k": 10},
        "Too few records": {"n": 1000, "m": 20_000, "k": 5000},
    }
    handles = [Handle(mark="here", x="n", jump=True)]
    return Explorer(promise, PROMISE, controls, presets, random=False, handles=handles)
