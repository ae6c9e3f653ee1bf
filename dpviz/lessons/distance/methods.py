"""Which method has the smallest error, in four directions and on a map (lesson 03)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.live import View
from dpviz.drawing.style import Figure
from dpviz.drawing.winners import Winners, draw_winners, edges, winners
from dpviz.lessons.distance import experiments
from dpviz.lessons.distance.experiments import EPSILONS, D, K, N
from dpviz.papers.distance_queries.baselines.comparison import METHODS
from dpviz.papers.distance_queries.mechanism import l1

AXES = {"n": N, "epsilon": EPSILONS, "d": D, "k": K}
TITLES = {"n": "n, records", "epsilon": "ε", "d": "d, columns", "k": "k, queries"}
ROLES = {"interactive": "released", "noise": "baseline", "release": "other"}

NAMES = {
    "interactive": "the paper's mechanism",
    "noise": "noise on each answer",
    "release": "a release of all answers",
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
    sweep = experiments.METHODS.stored()
    tables = {"constant": np.median(sweep["constant"], axis=-1)[:, None]}
    tables["constant"] = np.repeat(tables["constant"], len(EPSILONS), axis=1)
    for method in METHODS:
        each = [np.median(sweep[f"{method} {epsilon:g}"], axis=-1) for epsilon in EPSILONS]
        tables[method] = np.stack(each, axis=1)
    return tables


@lru_cache(maxsize=4096)
def proved(*, n: int, epsilon: float, d: int, k: int) -> float:
    """The bound of the interactive mechanism at (epsilon, DELTA)."""
    return l1.error_bound(l1.Params(n=n, d=d, k=k, epsilon=epsilon, delta=DELTA, lower=0, upper=1))


def directions(*, n: int, epsilon: float, d: int, k: int, seed: int = 0) -> Directions:
    """Look up the stored trials along the four axes through a point of the grid."""
    at = {"n": n, "epsilon": epsilon, "d": d, "k": k}
    place = tuple(AXES[axis].index(value) for axis, value in at.items())
    errors: dict[tuple[str, str], np.ndarray] = {}
    bounds: dict[tuple[str, str], np.ndarray] = {}
    for i, axis in enumerate(AXES):
        line = tuple(slice(None) if j == i else p for j, p in enumerate(place))
        errors |= {(axis, method): table[line] for method, table in medians().items()}
        bounds[axis] = np.array([proved(**{**at, axis: value}) for value in AXES[axis]])
    return Directions(at, errors, bounds)


def frame_directions(mode: str) -> Figure:
    """Four panels with one y axis."""
    fig, axes = style.figure(
        "", alt="", mode=mode, columns=4, widths=[1.25, 1, 0.8, 1], names=[""] * 4, gutter=True
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
        chosen = style.line("event", fig.mode, marker=False) | {"zorder": 1.4, "gid": f"at {axis}"}
        ax.axvline(result.at[axis], **chosen)
        constant = style.line("baseline2", fig.mode, marker=False)
        ax.plot(x, result.errors[axis, "constant"], **constant)
        ax.plot(x, result.bounds[axis], **style.line("bound", fig.mode, marker=False))
        for method in METHODS:
            line = style.line(ROLES[method], fig.mode)
            ax.plot(x, result.errors[axis, method], **line | {"ms": 0.7 * line["ms"]})
    _names(fig.axes[-1], result)


def _names(ax: Axes, result: Directions) -> None:
    """Each line named once, where it ends in the last panel."""
    short = {"interactive": "paper's", "noise": "noise on each", "release": "release of all"}
    names = [(result.errors["k", m][-1], short[m], ROLES[m]) for m in METHODS]
    names.append((result.errors["k", "constant"][-1], "without data", "baseline2"))
    names.append((result.bounds["k"][-1], "paper's, proved", "bound"))
    low, high = ax.get_ylim()
    edge = ax.get_xlim()[1]
    ends = [(edge, float(np.clip(y, low, high)), words, role) for y, words, role in names]
    style.label_ends(ax, ends)


def _title(result: Directions) -> str:
    name = {**NAMES, "constant": "an answer without data"}[result.best]
    return f"{name[0].upper()}{name[1:]} has the smallest error"


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
    rows = [["method", "largest error"]]
    rows += [[NAMES[name], style.number(result.here(name), 3)] for name in METHODS]
    return [*rows, ["without data", style.number(result.here("constant"), 3)]]


DIRECTIONS = View(frame_directions, paint_directions, say_directions, table_directions)
ALL = "all three"
WITHOUT = "without the release"


@dataclass(frozen=True, eq=False)
class Map:
    """A map and its parameters.

    Attributes
    ----------
    winners : Winners over n and epsilon
    d, k : int
    compared : "all three" or "without the release"
    n, epsilon : where the reader stands
    """

    winners: Winners
    d: int
    k: int
    compared: str
    n: int
    epsilon: float


def best_methods(*, d: int, k: int, compared: str, n: int, epsilon: float, seed: int = 0) -> Map:
    """Compare the stored medians at every n and epsilon."""
    place = (slice(None), slice(None), D.index(d), K.index(k))
    tables = {method: table[place].T for method, table in medians().items()}
    methods = METHODS if compared == ALL else METHODS[:2]
    errors = {(NAMES[method], ROLES[method]): tables[method] for method in methods}
    return Map(winners(N, EPSILONS, errors, tables["constant"]), d, k, compared, n, epsilon)


def frame_map(mode: str) -> Figure:
    """Two log axes to the edges of the cells."""
    fig, ax = style.figure("", alt="", mode=mode, grid=False)
    style.log_axis(ax, "x", *edges(np.array(N, dtype=float))[[0, -1]])
    style.log_axis(ax, "y", *edges(np.array(EPSILONS))[[0, -1]])
    style.axis_titles(ax, "n, records (log scale)", "ε (log scale)")
    return fig


def paint_map(fig: Figure, result: Map) -> None:
    """The regions, named, and here."""
    style.retitle(fig, _title_map(result), _subtitle_map(result))
    draw_winners(fig.axes[0], result.winners, key=True)
    style.event(fig.axes[0], result.n, result.epsilon, "here", name="here")


def _title_map(result: Map) -> str:
    share = style.number(100 * result.winners.share(None))
    return f"In {share} % of settings a constant answer is best"


def _subtitle_map(result: Map) -> str:
    size = f"d = {style.number(result.d)}, k = {style.number(result.k)}"
    return f"{size}; {result.compared}; full colour: twice as good as the next; δ = 10⁻⁶"


def say_map(result: Map) -> str:
    """One sentence of reading."""
    shares = "; ".join(
        f"{name} in {style.number(100 * result.winners.share(name))} %"
        for name in result.winners.names
    )
    here = _winner_here(result)
    return (
        f"Map over n and ε, d = {result.d}, k = {style.number(result.k)}: smallest error: "
        f"{shares}; a constant answer is best in "
        f"{style.number(100 * result.winners.share(None))} %. "
        f"At n = {style.number(result.n)}, ε = {style.number(result.epsilon)}: {here}."
    )


def _winner_here(result: Map) -> str:
    """Who wins where the reader stands."""
    index = result.winners.winner[EPSILONS.index(result.epsilon), N.index(result.n)]
    return "an answer without data" if index < 0 else result.winners.names[index]


def table_map(result: Map) -> list[list[str]]:
    """Shares of the map, and who wins here."""
    rows = [["smallest error", "share of the map"]]
    rows += [[name, style.number(result.winners.share(name))] for name in result.winners.names]
    rows += [["an answer without data", style.number(result.winners.share(None))]]
    at = f"at n = {style.number(result.n)}, ε = {style.number(result.epsilon)}"
    return [*rows, [at, _winner_here(result)]]


MAP = View(frame_map, paint_map, say_map, table_map)
