"""The explorers of lesson 05: one run, and the smallest error bound."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.papers.sparse_queries import baselines, online, plan, workloads
from dpviz.papers.sparse_queries.queries import Records
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import UPDATE_RULES
from dpviz.views import style
from dpviz.views.errors import ErrorAxes, Vacuous, log
from dpviz.views.explorer import Choice, Explorer, Slider, View
from dpviz.views.style import Figure

NS = [1000, 3000, 10**4, 3 * 10**4, 10**5, 3 * 10**5]
MS = [1, 2, 5, 10, 20, 30]
KS = [10, 30, 100, 200, 300]
EPSILONS, DELTA = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0], 1e-6
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
    params = plan.Params(epsilon=epsilon, delta=DELTA, m=m, k=k, update_rule=update_rule)
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
    style.axis_titles(ax, "truth (private)", "answer")
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


GRID = (10**3, 10**4, 10**5, 10**6, 10**7)

PROMISE_NS = [1000, 2000, 5000, 10**4, 20_000, 50_000, 10**5, 300_000, 10**6, 3_000_000, 10**7]
PROMISE_MS = [1, 2, 5, 10, 20, 50, 100, 300, 1000, 3000, 10_000, 20_000, 100_000]
PROMISE_KS = [10, 100, 1000, 2000, 5000, 10_000, 100_000, 10**6, 10**7]
QUERIES = ("fixed", "adaptive")

NAMES = {
    "ours": ("bound", "sparse weights,\nproved"),
    "paper": ("paper", "Theorem 1"),
    "lazy_histogram": ("baseline", "lazy histogram"),
    "gaussian": ("baseline2", "noise on each"),
}


@dataclass(frozen=True, eq=False)
class Promise:
    """Promised largest errors over n.

    Attributes
    ----------
    params : plan.Params; n : the number of records chosen
    queries : "fixed" in advance or "adaptive"
    lines : name -> array over GRID; here : name -> value at n
    split : plan.Plan at n
    """

    params: plan.Params
    n: int
    queries: str
    lines: dict[str, np.ndarray]
    here: dict[str, float]
    split: plan.Plan

    @property
    def winner(self) -> str:
        """Whose promise is smallest at n, among those below one half; "nobody" if none is."""
        ours = {name: self.here[name] for name in ("ours", "lazy_histogram", "gaussian")}
        best = min(ours, key=ours.get)
        return best if ours[best] < 0.5 else "nobody"


def promise(
    *, n: int, m: int, k: int, epsilon: float, update_rule: str, queries: str, seed: int = 1
) -> Promise:
    """All promises over the grid and at n; nothing random in it.

    >>> how = {"n": 10**5, "m": 50, "k": 2000, "update_rule": "projection", "queries": "fixed"}
    >>> promise(epsilon=1.0, **how).winner
    'lazy_histogram'
    """
    params = plan.Params(epsilon=epsilon, delta=DELTA, m=m, k=k, update_rule=update_rule)
    points = {each: _promises(params, each, queries) for each in (*GRID, n)}
    lines = {name: np.array([points[each][name] for each in GRID]) for name in NAMES}
    return Promise(params, n, queries, lines, points[n], plan.plan(params, n))


@lru_cache(maxsize=4096)
def _promises(params: plan.Params, n: int, queries: str) -> dict[str, float]:
    """The four promises at one n."""
    if queries == "fixed":
        histogram = baselines.error_bound_lazy_histogram(params, n=n)
    else:
        histogram = baselines.error_bound_adaptive(params, n=n, touched=params.m * params.k)
    return {
        "ours": plan.error_bound(params, n=n),
        "paper": plan.paper_bound(params, n=n),
        "lazy_histogram": histogram,
        "gaussian": baselines.error_bound_gaussian(params, n=n),
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
    style.event(ax, result.n, min(5.0, max(1.5e-6, low)), "here")
    style.label_ends(ax, ends)


def _title(result: Promise) -> str:
    said = {
        "ours": "Sparse weights have the smallest bound here",
        "lazy_histogram": "The lazy histogram has the smallest bound here",
        "gaussian": "Noise on each query has the smallest bound here",
        "nobody": "No mechanism has a bound that says anything here",
    }
    return said[result.winner]


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
    """Who promises least? n, m, k, epsilon, update rule, fixed or adaptive queries."""
    controls = [
        Slider(name="n", label="n, records", values=PROMISE_NS, start=10**5),
        Slider(name="epsilon", label="ε", values=EPSILONS, start=1.0),
        Slider(name="m", label="m, names", values=PROMISE_MS, start=50),
        Slider(name="k", label="k, queries", values=PROMISE_KS, start=1000),
        Choice(name="update_rule", label="step", values=UPDATE_RULES, start="projection"),
        Choice(name="queries", label="queries", values=QUERIES, start="fixed"),
    ]
    wide = {"m": 100_000, "k": 10**7, "queries": "adaptive"}
    presets = {
        "Manual": {"k": 2000},
        "Wide, adaptive": wide,
        "Paper's step": {"update_rule": "paper", "k": 100_000},
        "Few queries": {"k": 10},
        "Too few records": {"n": 1000, "m": 20_000, "k": 5000},
    }
    return Explorer(promise, PROMISE, controls, presets, random=False)
