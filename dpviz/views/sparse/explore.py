"""Explorer of lesson 05: one run of the online mechanism, answer against truth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.papers.sparse_queries import online, plan, workloads
from dpviz.papers.sparse_queries.queries import Records
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import UPDATE_RULES
from dpviz.views import style
from dpviz.views.explorer import Choice, Explorer, Slider
from dpviz.views.live import View
from dpviz.views.style import Figure

NS = [1000, 3000, 10**4, 3 * 10**4, 10**5, 3 * 10**5]
MS = [1, 2, 5, 10, 20, 30]
KS = [10, 30, 100, 200, 300]
EPSILONS = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
AIMS = ("promised", "rule of thumb")
KINDS = {"guess": ("released", "o"), "measured": ("event", "*"), "frozen": ("event", "X")}


@dataclass(frozen=True, eq=False)
class Ran:
    """One run.

    Attributes
    ----------
    what : settings in words
    truths, values : arrays (k,); kinds : array (k,) of words
    split : plan.Plan
    used : number of indexed elements in the end
    """

    what: str
    truths: np.ndarray
    values: np.ndarray
    kinds: np.ndarray
    split: plan.Plan
    used: int

    @property
    def error(self) -> float:
        """Largest error."""
        return float(np.abs(self.values - self.truths).max())


@lru_cache(maxsize=64)
def _instance(n: int, m: int, k: int, seed: int) -> tuple:
    """Records and queries of the recipe "uneven", with their truths."""
    data, queries = workloads.draw("uneven", n=n, m=m, k=k, rng=seed)
    return data, queries, Records(data).truths(queries)


def run(*, n: int, m: int, k: int, epsilon: float, update_rule: str, aim: str, seed: int) -> Ran:
    """Ask k questions once.

    >>> ran = run(n=10**4, m=5, k=30, epsilon=1.0, update_rule="best", aim="promised", seed=1)
    >>> ran.error <= ran.split.error
    True
    """
    data, queries, truths = _instance(n, m, k, seed)
    params = plan.Params(epsilon=epsilon, delta=1e-6, m=m, k=k, update_rule=update_rule)
    if aim != "promised":
        params = plan.rule_of_thumb(params, n)
    curator = params.curator(rng=seed)
    mechanism = online.InteractiveSparse(data, params, curator, vocabulary=range(4 * m))
    answers = [mechanism.answer(query) for query in queries.queries]
    values = np.array([each.value for each in answers])
    what = f"n = {style.number(n)}, m = {m}, ε = {style.number(epsilon)}, {update_rule} step, {aim}"
    kinds = np.array([each.kind for each in answers])
    return Ran(what, truths, values, kinds, mechanism.plan, mechanism.hypothesis.used)


def frame_run(mode: str) -> Figure:
    """Truth across, answer up, and the diagonal."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", -0.03, 1.03, [0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.plot([0, 1], [0, 1], **style.line("truth", mode) | {"lw": 1.0})
    style.axis_titles(ax, "truth (never leaves)", "answer")
    return fig


def paint_run(fig: Figure, result: Ran) -> None:
    """Every answer by its kind, the promise as two lines."""
    ax, bound = fig.axes[0], result.split.error
    measured = int((result.kinds == "measured").sum())
    title = f"{measured} of {len(result.kinds)} answers were measured"
    style.retitle(fig, title, f"{result.what}; largest error {style.number(result.error)}")
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
    names = [(1, 1, "truth", "truth"), (1, 0.75, promise, "bound")]
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
        f"Answers against truths, {result.what}: {counts}; at most "
        f"{style.number(result.split.updates)} could be measured. Largest error "
        f"{style.number(result.error)}, {promise}. {result.used} of "
        f"{style.number(float(result.split.size))} indices are in use."
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
    """One run: n, m, k, epsilon, update rule, promised or by rule of thumb."""
    controls = [
        Slider(name="n", label="n, records", values=NS, start=10**5),
        Slider(name="epsilon", label="ε", values=EPSILONS, start=1.0),
        Slider(name="m", label="m, names", values=MS, start=10),
        Slider(name="k", label="k, questions", values=KS, start=200),
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
