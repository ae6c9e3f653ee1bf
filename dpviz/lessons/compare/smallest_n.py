"""Explorer of lesson 09: the smallest n for an error, proved, stated and measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.comparison import guide
from dpviz.comparison.mechanisms.kinds import KINDS, Task
from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, log
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Handle, Slider, View
from dpviz.lessons.compare.names import SHORT

GRID = np.geomspace(30, 3e8, 15).round()
ALPHAS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3]
WHO = {
    f"{name}: {SHORT[key]}": (name, key)
    for name, key in (
        ("distance", "interactive"),
        ("distance", "release"),
        ("distance", "noise"),
        ("sparse", "lazy"),
        ("sparse", "weights"),
        ("smooth", "truncation"),
        ("smooth", "functional"),
        ("linear", "net"),
        ("linear", "histogram"),
    )
}


@dataclass(frozen=True, eq=False)
class Smallest:
    """Errors over n, and from where they are small enough.

    Attributes
    ----------
    who : name of a mechanism; alpha : the error wanted; epsilon
    lines : source -> (n, error)
    n : source -> smallest n, infinite if there is none on the grid
    """

    who: str
    alpha: float
    epsilon: float
    lines: dict[str, tuple[np.ndarray, np.ndarray]]
    n: dict[str, float]


@lru_cache(maxsize=512)
def line(who: str, source: str, *, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Error over n by one source: bounds on ``GRID``, medians of the stored trials on theirs."""
    kind, key = WHO[who]
    where = guide.setting(kind, "middle", "middle")
    if source == "measured":
        errors = guide.medians(where)[key][guide.EPSILONS.index(epsilon)]
        return np.array(guide.N, dtype=float), errors
    mechanism = KINDS[kind].mechanism(key)
    bound = mechanism.error_bound if source == "proved" else mechanism.paper_bound
    size = {"d": where.d, "k": where.k, "epsilon": epsilon}
    return GRID, np.array([bound(Task(n=int(n), **size)) for n in GRID])


def crossing(n: np.ndarray, errors: np.ndarray, alpha: float) -> float:
    """Where a falling line passes alpha, between its points on log axes; infinite if nowhere.

    >>> round(crossing(np.array([10.0, 1000.0]), np.array([1.0, 0.01]), 0.1))
    100
    """
    above = np.flatnonzero(~(errors <= alpha))
    if not len(above):
        return float(n[0])
    last = above[-1]
    if last == len(n) - 1 or not np.isfinite(errors[last]):
        return math.inf if last == len(n) - 1 else float(n[last + 1])
    x = np.log(n[last : last + 2])
    y = np.log(errors[last : last + 2])
    return float(np.exp(x[0] + (math.log(alpha) - y[0]) / (y[1] - y[0]) * (x[1] - x[0])))


def smallest(*, who: str, alpha: float, epsilon: float, seed: int = 0) -> Smallest:
    """Smallest n by three sources.

    >>> found = smallest(who="linear: histogram", alpha=0.05, epsilon=1.0)
    >>> found.n["measured"] < found.n["proved"] < found.n["paper"]
    True
    """
    lines = {
        source: line(who, source, epsilon=epsilon) for source in ("proved", "paper", "measured")
    }
    n = {source: crossing(*each, alpha) for source, each in lines.items()}
    return Smallest(who, alpha, epsilon, lines, n)


SMALLEST_AXES = ErrorAxes(log("n, records", 30, 3e8), log("largest error", 1e-4, 10))
SOURCES = {"proved": "bound", "paper": "paper", "measured": "released"}
NAMED = {"proved": "proved", "paper": "paper's constants", "measured": "measured"}


def paint_smallest(fig: Figure, result: Smallest) -> None:
    """Three lines, the wanted error, and where they pass it."""
    ax = fig.axes[0]
    ends = []
    style.retitle(fig, f"Error {style.number(result.alpha)}: {_from(result, 'measured')}",
                  _subtitle_smallest(result))  # fmt: skip
    wanted = style.line("baseline2", fig.mode, marker=False) | {"gid": "wanted"}
    ax.axhline(result.alpha, **wanted)
    for source, role in SOURCES.items():
        n, errors = result.lines[source]
        visible = np.isfinite(errors) & (errors >= 1e-4) & (errors <= 10)
        if not visible.any():
            continue
        ax.plot(n[visible], errors[visible], **style.line(role, fig.mode))
        ends.append((n[visible][-1], errors[visible][-1], NAMED[source], role))
    style.label_ends(ax, ends)


def _from(result: Smallest, source: str) -> str:
    n = result.n[source]
    first, last = (result.lines[source][0][i] for i in (0, -1))
    if math.isinf(n):
        return f"{NAMED[source]} not up to n = {style.number(last)}"
    if n <= first:  # it may be smaller still
        return f"{NAMED[source]} at n = {style.number(first)} already"
    return f"{NAMED[source]} from n = {style.number(n, 2)}"


def _subtitle_smallest(result: Smallest) -> str:
    kind, _ = WHO[result.who]
    where = guide.setting(kind, "middle", "middle")
    return (
        f"{result.who}, d = {where.d}, {where.k} questions, ε = {style.number(result.epsilon)}; "
        "measured: median of stored runs"
    )


def say_smallest(result: Smallest) -> str:
    """One sentence of reading."""
    words = "; ".join(
        _from(result, source) if np.isfinite(result.lines[source][1]).any() else
        f"{NAMED[source]}: none" for source in SOURCES)  # fmt: skip
    return (
        f"Largest error against n, log-log: {result.who}, ε = {style.number(result.epsilon)}. "
        f"Error {style.number(result.alpha)}: {words}."
    )


def table_smallest(result: Smallest) -> list[list[str]]:
    """Smallest n by each source."""
    rows = [
        [NAMED[source], style.number(n, 3) if math.isfinite(n) else "none"]
        for source, n in result.n.items()
    ]
    return [["source", "smallest n"], *rows]


SMALLEST = View(SMALLEST_AXES.frame, paint_smallest, say_smallest, table_smallest)


def explore_smallest() -> Explorer:
    """Drag the error that is wanted: from which n on does a mechanism reach it?"""
    controls = [
        Choice(name="who", label="mechanism", values=tuple(WHO), start="linear: histogram"),
        Slider(name="alpha", label="α, error", values=ALPHAS, start=0.05),
        Slider(name="epsilon", label="ε", values=guide.EPSILONS, start=1.0),
    ]
    presets = {
        "Tenth of the budget": {"epsilon": 0.1},
        "The paper's constants": {"who": "distance: interactive"},
        "One release": {"who": "distance: one release", "alpha": 0.01},
    }
    handles = [Handle(mark="wanted", y="alpha")]
    return Explorer(smallest, SMALLEST, controls, presets, random=False, handles=handles)
