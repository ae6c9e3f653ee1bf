"""Explorer of lesson 09: a map of winners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.comparison import guide
from dpviz.comparison.mechanisms.kinds import KINDS
from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.drawing.winners import NOTHING, UNCLEAR, Winners, draw_winners, edges
from dpviz.instruments.explorer import Choice, Explorer, Handle, Slider, View
from dpviz.lessons.compare.names import SHORT, roles

MANY = [what for what, (kind, _) in guide.WHATS.items() if kind != "cluster"]
WORDS = {"one": "small", "some": "middle", "many": "large"}  # of questions, as the guide has them


@dataclass(frozen=True, eq=False)
class Map:
    """A map of winners, and where the reader stands.

    Attributes
    ----------
    winners : Winners over n and the rows, which are equally high
    over, rows : what differs from row to row, and its values in words, from below
    row : int, that of the reader
    where, n, epsilon : guide.Setting, and where the reader stands
    here : guide.Advice there
    """

    winners: Winners
    over: str
    rows: tuple[str, ...]
    row: int
    where: guide.Setting
    n: int
    epsilon: float
    here: guide.Advice


HIGH = 5.0  # of the map, in powers of two, whatever the number of its rows


def compared(
    *,
    kind: str,
    over: str,
    size: str,
    questions: str,
    n: int,
    epsilon: float,
    seed: int = 0,
) -> Map:
    """Who is clearly best by the stored trials, at every n and every epsilon, d or k.

    >>> how = {"kind": "hidden", "size": "large", "questions": "one"}
    >>> compared(**how, over="ε", n=10_000, epsilon=1.0).here.keys
    ('solver', 'triples', 'pairs', 'tree', 'closest')
    """
    here = kind, size, WORDS[questions]
    if over == "ε":
        places = [(here, each) for each in guide.EPSILONS]
    elif over == "d" or kind not in MANY:
        over = "d"
        places = [((kind, each, here[2]), epsilon) for each in guide.SIZES]
    else:
        places = [((kind, size, each), epsilon) for each in guide.SIZES]
    settings = [(guide.setting(*words), at) for words, at in places]
    values: Any = {"ε": [at for _, at in settings], "d": [where.d for where, _ in settings]}
    rows = values.get(over) or [where.k for where, _ in settings]
    won = _won(kind, [[guide.advice(where, n=n, epsilon=at) for n in guide.N]
                      for where, at in settings])  # fmt: skip
    where = guide.setting(*here)
    advised = guide.advice(where, n=n, epsilon=epsilon)
    words = tuple(style.number(each) for each in rows)
    return Map(won, over, words, places.index((here, epsilon)), where, n, epsilon, advised)


def _won(kind: str, advices: list[list[guide.Advice]]) -> Winners:
    """As ``draw_winners`` takes it."""
    kind, _ = guide.WHATS[kind]
    keys = [each.key for each in KINDS[kind].mechanisms]
    codes = {key: i for i, key in enumerate(keys)}
    return Winners(
        x=np.array(guide.N, dtype=float),
        y=row_place(np.arange(len(advices)), len(advices)),
        names=tuple(SHORT[key] for key in keys),
        roles=tuple(roles(kind).values()),
        winner=np.array([[codes.get(told.key, UNCLEAR if told.tie else NOTHING)
                          for told in row] for row in advices]),
        margin=np.array([[told.margin for told in row] for row in advices]),
    )  # fmt: skip


def row_place(row: ArrayLike, of: int) -> np.ndarray:
    """Where a row of the map stands on its axis."""
    return np.exp2((np.asarray(row) + 0.5) * HIGH / of)


def frame_map(mode: str) -> Figure:
    """A log axis to the edges of the cells, and rows without names."""
    fig, ax = style.figure("", alt="", mode=mode, grid=False)
    style.log_axis(ax, "x", *edges(np.array(guide.N, dtype=float))[[0, -1]])
    style.log_axis(ax, "y", 1, 2**HIGH)
    ax.set_yticks([], minor=False)
    ax.set_yticks([], minor=True)
    style.axis_titles(ax, "n, records (log scale)")
    return fig


def paint_map(fig: Figure, result: Map) -> None:
    """The regions, named in the gutter, the rows, and here."""
    ax = fig.axes[0]
    style.retitle(fig, f"Here: {_winner(result)}", _subtitle(result))
    draw_winners(ax, result.winners, nothing="no mechanism", key=True)
    for i, words in enumerate(result.rows):
        style.note(ax, -0.015, (i + 0.5) / len(result.rows), words, at="axes", ha="right",
                   halo="none")  # fmt: skip
    style.note(ax, 0, 1.05, f"rows: {result.over}", at="axes", halo="none")
    rows = "row" if result.over == "ε" else "column"
    style.event(ax, result.n, result.winners.y[result.row], "here", name=f"here, {rows}")


def _winner(result: Map) -> str:
    kind = KINDS[result.where.kind]
    keys = result.here.keys
    if len(keys) < 2:
        return kind.mechanism(keys[0]).name if keys else "no mechanism clearly beats no data"
    others = SHORT[keys[1]] if len(keys) == 2 else f"{len(keys) - 1} others"
    return f"{SHORT[keys[0]]} or {others}: not clear"


def _subtitle(result: Map) -> str:
    where = result.where
    many = "" if where.kind == "cluster" else f", {style.number(where.k)} questions"
    delta = "10⁻⁶" if where.delta else "0"
    law = ", hidden" if where.hidden else ""
    words = (
        f"{where.kind}{law}, d = {where.d}{many}, ε = {style.number(result.epsilon)}, δ = {delta}"
    )
    return f"{words}; full colour: twice as good"


def say_map(result: Map) -> str:
    """One sentence of reading."""
    advice = result.here
    clear = f"{advice.margin:.1f} times better than the next"
    share = style.number(100 * result.winners.share(None))
    over = {"d": "the size d", "questions": "the number of questions"}.get(result.over, "ε")
    return (
        f"Map over n and {over}: no mechanism clearly beats an answer without data in {share} % "
        f"of the cells. Here ({_subtitle(result).partition(';')[0]}, n = "
        f"{style.number(result.n)}): {_winner(result)}, error {style.number(advice.error)} "
        f"({clear}); without data {style.number(advice.without)}."
    )


def table_map(result: Map) -> list[list[str]]:
    """Errors here."""
    at = guide.EPSILONS.index(result.epsilon), guide.N.index(result.n)
    tables = guide.medians(result.where)
    rows = [["mechanism", "median error here"]]
    for each in KINDS[result.where.kind].mechanisms:
        error = float(tables[each.key][at])
        rows.append([each.name, style.number(error, 3) if math.isfinite(error) else "refuses"])
    return [*rows, ["without data", style.number(result.here.without, 3)]]


MAP = View(frame_map, paint_map, say_map, table_map)


def explore_winners() -> Explorer:
    """Which mechanism has the smallest error? Kind of query, size, number of questions, n, ε."""
    many = [{"kind": MANY}]
    names = tuple(WORDS)
    controls = [
        Choice(name="kind", label="kind", values=list(guide.WHATS), start="distance"),
        Choice(name="over", label="rows", values=("ε", "d", "questions"), start="ε"),
        Choice(name="size", label="d", values=guide.SIZES, start="middle"),
        Choice(name="questions", label="questions", values=names, start="many", acts=many),
        Slider(name="n", label="n, records", values=guide.N, start=1000),
        Slider(name="epsilon", label="ε", values=guide.EPSILONS, start=1.0),
    ]
    presets = {
        "One question": {"kind": "distance", "questions": "one", "n": 10_000},
        "Wide lists": {"kind": "sparse", "size": "large"},
        "Kernels, pure": {"kind": "smooth, pure", "size": "small", "n": 30_000},
        "A minority": {"kind": "hidden", "size": "large", "n": 10_000},
        "Little budget": {"kind": "linear", "size": "small", "epsilon": 0.1, "n": 300},
    }
    # A click on a cell goes there: to its n, and to its ε where the rows are those of ε.
    rows = {"epsilon": lambda each: row_place(guide.EPSILONS.index(each), len(guide.EPSILONS))}
    handles = [
        Handle(mark="here, row", x="n", y="epsilon", at=rows, jump=True),
        Handle(mark="here, column", x="n", jump=True),
    ]
    return Explorer(compared, MAP, controls, presets, random=False, handles=handles)
