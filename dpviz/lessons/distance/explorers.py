"""The explorers of lesson 03: a curve and its tangents, every method, the map, the growers."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, Vacuous, log
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Handle, Slider, View, stops
from dpviz.lessons.distance.experiments import (
    ASKED,
    BEST,
    BUDGETS,
    EPSILONS,
    GRID,
    GROWERS_EPSILONS,
    MADE,
    PROLINE,
    UPDATES,
    Answered,
    D,
    K,
    N,
    answer_column,
)
from dpviz.lessons.distance.figures import SHARES, shares
from dpviz.lessons.distance.methods import ALL, DIRECTIONS, MAP, WITHOUT, best_methods, directions
from dpviz.lessons.learner.figures import draw_tangents


def explore_growers() -> Explorer:
    """Drag the number of columns: from where on does their noise eat the gain?"""
    controls = [
        Slider(name="epsilon", label="ε of each archive", values=GROWERS_EPSILONS, start=1),
        Slider(name="d", label="columns", values=range(1, 14), start=1),
    ]
    presets = {
        "One column": {},
        "Three columns": {"d": 3},
        "All thirteen": {"d": 13},
        "Ten times the budget": {"d": 3, "epsilon": 10},
    }
    handles = [Handle(mark="here", x="d", jump=True)]
    return Explorer(shares, SHARES, controls, presets, random=False, handles=handles)


def explore_errors() -> Explorer:
    """Move the point; watch which line is lowest."""
    controls = [
        Slider(name="n", label="n, records", values=N, start=100_000),
        Slider(name="epsilon", label="ε", values=EPSILONS, start=1.0),
        Slider(name="d", label="d, columns", values=D, start=1),
        Slider(name="k", label="k, queries", values=K, start=10_000),
    ]
    presets = {
        "Tie": {},
        "One query": {"k": 1},
        "Many more queries": {"k": 100_000},
        "Ten columns": {"d": 10},
        "A small archive": {"n": 300, "d": 5},
    }
    handles = [Handle(mark=f"at {axis}", x=axis, jump=True) for axis in ("n", "epsilon", "d", "k")]
    return Explorer(directions, DIRECTIONS, controls, presets, random=False, handles=handles)


def explore_map() -> Explorer:
    """Drag the point over the map: which method wins at its n and epsilon?"""
    controls = [
        Slider(name="n", label="here: n", values=N, start=100_000),
        Slider(name="epsilon", label="here: ε", values=EPSILONS, start=1.0),
        Slider(name="d", label="d, columns", values=D, start=1),
        Slider(name="k", label="k, queries", values=K[1:], start=10_000),
        Choice(name="compared", label="compared", values=[ALL, WITHOUT], start=WITHOUT),
    ]
    presets = {
        "Paper or noise": {},
        "All three": {"compared": ALL},
        "Many more queries": {"k": 100_000},
        "Ten columns": {"d": 10},
        "A hundred queries": {"k": 100, "compared": ALL},
    }
    handles = [Handle(mark="here", x="n", y="epsilon", jump=True)]
    return Explorer(best_methods, MAP, controls, presets, random=False, handles=handles)


SIZES = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]


def frame_answered(mode: str) -> Figure:
    """Left the curve; right the proved error against the number of tangents allowed."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.35, 1], sharey=False, names=["", ""]
    )
    style.linear_axis(left, "x", 0, 1, [0.2, 0.4, 0.6, 0.8])
    style.linear_axis(left, "y", -0.05, 1.05, [0, 0.2, 0.4, 0.6, 0.8, 1])
    style.axis_titles(left, "place y", "average distance")
    zone = Vacuous(words="½ without data", side="left")
    ErrorAxes(log("C, tangents allowed", 0.8, 80), log("error", 1e-4, 10), zone).dress(right)
    return fig


def paint_answered(fig: Figure, result: Answered) -> None:
    """Truth, hypothesis and updates; the terms of the bound, and what was measured."""
    left, right = fig.axes
    plan = result.params.plan
    style.retitle(fig, _title(result), _subtitle(result))
    _draw_curve(left, result)
    _draw_terms(right, result)
    chosen = style.line("event", fig.mode, marker=False) | {"zorder": 1.4, "gid": "allowed"}
    right.axvline(plan.updates, **chosen)
    right.plot([plan.updates], [result.error], **style.points("released", fig.mode))


def _title(result: Answered) -> str:
    plan = result.params.plan
    ends = f"error {style.number(result.error)}, proved {style.number(plan.error)}"
    return f"{len(result.updates)} of {plan.updates} tangents; {ends}"


def _subtitle(result: Answered) -> str:
    params = result.params
    budget = f"ε = {style.number(params.epsilon)}" + (", δ = 10⁻⁶" if params.delta else "")
    return f"n = {style.number(params.n)}, {budget}; {style.number(params.k)} queries"


def _draw_curve(ax: Axes, result: Answered) -> None:
    mode = ax.get_figure(root=True).mode
    plan = result.params.plan
    answers = result.hypothesis.predict(GRID) + plan.shift
    style.band(ax, GRID, answers - plan.error, answers + plan.error, alpha=0.13)
    draw_tangents(ax, result.hypothesis.lines[1:])
    ax.plot(GRID, result.curve, **style.line("truth", mode))
    ax.plot(GRID, answers, **style.line("released", mode, marker=False))
    ticks = style.points("event", mode) | {"marker": "|", "ms": 9}
    ax.plot(result.updates, 0 * result.updates - 0.03, **ticks)
    style.note(ax, 0.97, 0.97, "truth (private)", "truth", at="axes", ha="right", va="top")
    style.note(ax, 0.97, 0.89, "answers ± proved", "released", at="axes", ha="right", va="top")


def _draw_terms(ax: Axes, result: Answered) -> None:
    """The proved error and its three terms, each against the number of updates."""
    mode = ax.get_figure(root=True).mode
    x = np.array(UPDATES)
    coarse = 1 / x**2
    test = result.terms["test_accuracy"]
    tau = result.terms["tau"]
    for term in (coarse, test, tau):
        ax.plot(x, term, **style.line("public", mode))
    ax.plot(x, coarse + test + tau, **style.line("bound", mode, marker=False))
    ends = {"too coarse": coarse[-1], "testing": test[-1], "tangents": tau[-1]}
    _name_ends(ax, {name: end for name, end in ends.items() if 1e-4 < end < 10})


def _name_ends(ax: Axes, ends: dict[str, float]) -> None:
    """Names at the right ends of lines, inside the axes, apart from each other."""
    low, high = np.log10(ax.get_ylim())
    names = sorted(ends, key=ends.get)
    wanted = [(np.log10(ends[name]) - low) / (high - low) for name in names]
    room = 1.35 * style.mode_of(ax).small / 72 / (ax.bbox.height / ax.figure.dpi)
    places = style.spread(wanted, [room] * len(names), 0.0, 1.0)
    for name, place in zip(names, places, strict=True):
        style.note(ax, 0.98, place, name, "public", at="axes", ha="right")


def say_answered(result: Answered) -> str:
    """One sentence of reading."""
    plan = result.params.plan
    params = result.params
    return (
        f"One column, n = {style.number(params.n)}, ε = {style.number(params.epsilon)}: of "
        f"{style.number(ASKED)} queries {len(result.updates)} caused an update, "
        f"{plan.updates} allowed. "
        f"The worst answer is off by {style.number(result.error)}, proved "
        f"{style.number(plan.error)} = {style.number(1 / plan.updates**2)} coarse + "
        f"{style.number(plan.test_accuracy)} test + {style.number(plan.tau)} tangents."
    )


def table_answered(result: Answered) -> list[list[str]]:
    """Updates, the error and its proved parts."""
    plan = result.params.plan
    return [
        ["", "number"],
        ["tangents used, of those allowed", f"{len(result.updates)} of {plan.updates}"],
        ["share of the budget for tests", style.number(plan.share)],
        ["worst error, measured", style.number(result.error, 3)],
        ["worst error, proved", style.number(plan.error, 3)],
    ]


ANSWERED = View(frame_answered, paint_answered, say_answered, table_answered)


def explore_curve() -> Explorer:
    """One column: drag the number of tangents that the budget allows."""
    made = [{"source": [MADE]}]
    controls = [
        Slider(name="n", label="n, records", values=SIZES, start=100_000, acts=made),
        Slider(name="epsilon", label="ε", values=stops(0.1, 10, log=True, also=[1]), start=1),
        Slider(
            name="updates",
            label="C, tangents allowed",
            values=[BEST, *UPDATES],
            start=BEST,
            show=str,
        ),
        Choice(name="composition", label="budget adds as", values=list(BUDGETS), start="zCDP"),
        Choice(name="source", label="data", values=[MADE, PROLINE], start=MADE),
    ]
    presets = {
        "Best": {},
        "Two tangents": {"updates": 2},
        "Too many tangents": {"updates": 60},
        "A million records": {"n": 1_000_000},
        "Pure at 10 000": {"n": 10_000, "composition": "pure ε"},
        "The real archive": {"source": PROLINE},
    }
    handles = [Handle(mark="allowed", x="updates", jump=True)]
    return Explorer(answer_column, ANSWERED, controls, presets, random=made, handles=handles)
