"""Which method wins: the map of the smallest error over n and epsilon."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.papers.distance_queries.baselines.comparison import METHODS
from dpviz.views import style
from dpviz.views.distance.directions import NAMES, ROLES, medians
from dpviz.views.distance.stored import EPSILONS, D, K, N
from dpviz.views.explorer import Choice, Explorer, Slider
from dpviz.views.live import View
from dpviz.views.style import Figure
from dpviz.views.winners import Winners, draw_winners, edges, winners

ALL, WITHOUT = "all three", "without the release"


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
    fig, ax = style.figure("", alt="", mode=mode, gutter=False, grid=False)
    style.log_axis(ax, "x", *edges(np.array(N, dtype=float))[[0, -1]])
    style.log_axis(ax, "y", *edges(np.array(EPSILONS))[[0, -1]])
    style.axis_titles(ax, "n, records (log scale)", "ε (log scale)")
    return fig


def paint_map(fig: Figure, result: Map) -> None:
    """The regions, named, and here."""
    style.retitle(fig, _title(result), _subtitle(result))
    draw_winners(fig.axes[0], result.winners)
    style.event(fig.axes[0], result.n, result.epsilon, "here")


def _title(result: Map) -> str:
    share = style.number(100 * result.winners.share(None))
    return f"In {share} % of the map nothing beats no data"


def _subtitle(result: Map) -> str:
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
        f"Map over n and ε, d = {result.d}, k = {style.number(result.k)}: least error has "
        f"{shares}; nothing beats an answer without data in "
        f"{style.number(100 * result.winners.share(None))} %. "
        f"At n = {style.number(result.n)}, ε = {style.number(result.epsilon)}: {here}."
    )


def _winner_here(result: Map) -> str:
    """Who wins where the reader stands."""
    index = result.winners.winner[EPSILONS.index(result.epsilon), N.index(result.n)]
    return "an answer without data" if index < 0 else result.winners.names[index]


def table_map(result: Map) -> list[list[str]]:
    """Shares of the map, and who wins here."""
    rows = [["least error", "share of the map"]]
    rows += [[name, style.number(result.winners.share(name))] for name in result.winners.names]
    rows += [["an answer without data", style.number(result.winners.share(None))]]
    at = f"at n = {style.number(result.n)}, ε = {style.number(result.epsilon)}"
    return [*rows, [at, _winner_here(result)]]


MAP = View(frame_map, paint_map, say_map, table_map)


def explore_map() -> Explorer:
    """Which method wins, over n and epsilon."""
    controls = [
        Slider(name="n", label="here: n", values=N, start=100_000),
        Slider(name="epsilon", label="here: ε", values=EPSILONS, start=1.0),
        Slider(name="d", label="d, columns", values=D, start=1),
        Slider(name="k", label="k, questions", values=K[1:], start=10_000),
        Choice(name="compared", label="compared", values=[ALL, WITHOUT], start=WITHOUT),
    ]
    presets = {
        "Paper or noise": {},
        "All three": {"compared": ALL},
        "Many more questions": {"k": 100_000},
        "Ten columns": {"d": 10},
        "A hundred questions": {"k": 100, "compared": ALL},
    }
    return Explorer(best_methods, MAP, controls, presets, random=False)
