"""From one point in four directions: the error of every method against n, epsilon, d and k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes

from dpviz.papers.distance_queries.baselines.comparison import METHODS
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.views import style
from dpviz.views.distance.stored import EPSILONS, D, K, N, methods
from dpviz.views.explorer import Explorer, Slider
from dpviz.views.live import View
from dpviz.views.style import Figure

AXES = {"n": N, "epsilon": EPSILONS, "d": D, "k": K}
TITLES = {"n": "n, records", "epsilon": "ε", "d": "d, columns", "k": "k, questions"}
ROLES = {"interactive": "released", "noise": "baseline", "release": "other"}
NAMES = {
    "interactive": "the paper's mechanism",
    "noise": "noise on each answer",
    "release": "one release for all",
}
DELTA = 1e-6


@dataclass(frozen=True, eq=False)
class Directions:
    """Errors along each axis through one point.

    Attributes
    ----------
    at : dict from axis to its value here
    errors : dict (axis, method) to an array along the axis: medians of the stored trials
    bounds : dict from axis to an array, proved for the interactive mechanism
    """

    at: dict[str, float]
    errors: dict[tuple[str, str], np.ndarray]
    bounds: dict[str, np.ndarray]

    def here(self, method: str) -> float:
        """The error of one method at the point."""
        return float(self.errors["n", method][AXES["n"].index(self.at["n"])])

    @property
    def best(self) -> str:
        """The method with the least error here, "constant" too."""
        return min((*METHODS, "constant"), key=self.here)


@lru_cache
def medians() -> dict[str, np.ndarray]:
    """Medians of the stored trials; arrays (n, epsilon, d, k)."""
    found = methods()
    tables = {"constant": np.median(found["constant"], axis=-1)[:, None]}
    tables["constant"] = np.repeat(tables["constant"], len(EPSILONS), axis=1)
    for method in METHODS:
        each = [np.median(found[f"{method} {epsilon:g}"], axis=-1) for epsilon in EPSILONS]
        tables[method] = np.stack(each, axis=1)
    return tables


@lru_cache(maxsize=4096)
def proved(*, n: int, epsilon: float, d: int, k: int) -> float:
    """The bound of the interactive mechanism at (epsilon, DELTA)."""
    return l1.error_bound(l1.Params(n=n, d=d, k=k, epsilon=epsilon, delta=DELTA))


def directions(*, n: int, epsilon: float, d: int, k: int, seed: int = 0) -> Directions:
    """Look up the stored trials along the four axes through a point of the grid."""
    at = {"n": n, "epsilon": epsilon, "d": d, "k": k}
    place = tuple(AXES[axis].index(value) for axis, value in at.items())
    errors, bounds = {}, {}
    for i, axis in enumerate(AXES):
        line = tuple(slice(None) if j == i else p for j, p in enumerate(place))
        errors |= {(axis, method): table[line] for method, table in medians().items()}
        bounds[axis] = np.array([proved(**{**at, axis: value}) for value in AXES[axis]])
    return Directions(at, errors, bounds)


def frame_directions(mode: str) -> Figure:
    """Four panels with one y axis."""
    fig, axes = style.figure(
        "", alt="", mode=mode, columns=4, widths=[1.25, 1, 0.8, 1], names=[""] * 4
    )
    for ax, (axis, values) in zip(axes, AXES.items(), strict=True):
        if axis == "d":
            style.base2_axis(ax, "x", values, pad=0.4)
        else:
            style.log_axis(ax, "x", values[0] / 2, values[-1] * 2, every=2)
        style.log_axis(ax, "y", 2e-6, 20)
        style.axis_titles(ax, TITLES[axis])
    style.axis_titles(axes[0], "", "largest error (log scales)")
    return fig


def paint_directions(fig: Figure, result: Directions) -> None:
    """Each method in each direction, the proved bound, and the point."""
    style.retitle(fig, _title(result), _subtitle(result))
    for ax, axis in zip(fig.axes, AXES, strict=True):
        x = AXES[axis]
        chosen = style.line("event", fig.mode, marker=False) | {"zorder": 1.4}
        ax.axvline(result.at[axis], **chosen)
        constant = style.line("baseline2", fig.mode, marker=False)
        ax.plot(x, result.errors[axis, "constant"], **constant)
        ax.plot(x, result.bounds[axis], **style.line("bound", fig.mode, marker=False))
        for method in METHODS:
            line = style.line(ROLES[method], fig.mode)
            ax.plot(x, result.errors[axis, method], **line | {"ms": 0.7 * line["ms"]})
    _names(fig.axes)


def _names(axes: Sequence[Axes]) -> None:
    """Each line named once, in a row of its own at the foot of a panel."""
    places = zip(axes, ("interactive", "noise", "release"), strict=False)
    short = {"interactive": "paper", "noise": "noise on each", "release": "one release"}
    for ax, method in places:
        style.note(ax, 0.04, 0.03, short[method], ROLES[method], at="axes", va="bottom")
    style.note(axes[3], 0.04, 0.03, "without data", "baseline2", at="axes", va="bottom")
    style.note(axes[3], 0.04, 0.11, "proved, paper's", "bound", at="axes", va="bottom")


def _title(result: Directions) -> str:
    name = {**NAMES, "constant": "an answer without data"}[result.best]
    return f"Here the least error has {name}"


def _subtitle(result: Directions) -> str:
    at = ", ".join(f"{name} = {style.number(value)}" for name, value in _at(result).items())
    return f"yellow: {at}; δ = 10⁻⁶; medians of 3 trials"


def _at(result: Directions) -> dict[str, float]:
    return {{"epsilon": "ε"}.get(axis, axis): value for axis, value in result.at.items()}


def say_directions(result: Directions) -> str:
    """One sentence of reading."""
    errors = ", ".join(f"{NAMES[name]} {style.number(result.here(name))}" for name in METHODS)
    at = ", ".join(f"{name} {style.number(value)}" for name, value in _at(result).items())
    bound = result.bounds["n"][AXES["n"].index(result.at["n"])]
    return (
        f"Largest error against n, ε, d and k through {at}: {errors}, without data "
        f"{style.number(result.here('constant'))}; proved for the paper's mechanism "
        f"{style.number(bound)}."
    )


def table_directions(result: Directions) -> list[list[str]]:
    """Errors here."""
    rows = [["way", "largest error"]]
    rows += [[NAMES[name], style.number(result.here(name), 3)] for name in METHODS]
    return [*rows, ["without data", style.number(result.here("constant"), 3)]]


DIRECTIONS = View(frame_directions, paint_directions, say_directions, table_directions)


def explore_errors() -> Explorer:
    """Move the point; watch which line is lowest."""
    controls = [
        Slider(name="n", label="n, records", values=N, start=100_000),
        Slider(name="epsilon", label="ε", values=EPSILONS, start=1.0),
        Slider(name="d", label="d, columns", values=D, start=1),
        Slider(name="k", label="k, questions", values=K, start=10_000),
    ]
    presets = {
        "Tie": {},
        "One question": {"k": 1},
        "Many more questions": {"k": 100_000},
        "Ten columns": {"d": 10},
        "A small archive": {"n": 300, "d": 5},
    }
    return Explorer(directions, DIRECTIONS, controls, presets, random=False)
