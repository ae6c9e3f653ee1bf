"""Explorer of lesson 09: a map of winners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

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
    """A map of leaders, and where the reader stands.

    Attributes
    ----------
    winners : Winners over n and epsilon
    where, n, epsilon : guide.Setting, and where the reader stands
    here : guide.Advice there
    """

    winners: Winners
    where: guide.Setting
    n: int
    epsilon: float
    here: guide.Advice


def compared(*, kind: str, size: str, questions: str, n: int, epsilon: float, seed: int = 0) -> Map:
    """Who leads by the stored trials, at every n and every epsilon.

    >>> how = {"kind": "hidden", "size": "large", "questions": "one"}
    >>> compared(**how, n=10_000, epsilon=1.0).here.keys
    ('solver', 'triples', 'pairs', 'tree', 'closest')
    """
    where = guide.setting(kind, size, WORDS[questions])
    return Map(_won(where), where, n, epsilon, guide.advice(where, n=n, epsilon=epsilon))


@lru_cache(maxsize=256)
def _won(where: guide.Setting) -> Winners:
    """As ``draw_winners`` takes it."""
    advices = [[guide.advice(where, n=n, epsilon=at) for n in guide.N] for at in guide.EPSILONS]
    keys = [each.key for each in KINDS[where.kind].mechanisms]
    codes = {key: i for i, key in enumerate(keys)}
    return Winners(
        x=np.array(guide.N, dtype=float),
        y=np.array(guide.EPSILONS),
        names=tuple(SHORT[key] for key in keys),
        roles=tuple(roles(where.kind).values()),
        winner=np.array([[codes.get(told.key, UNCLEAR if told.tie else NOTHING)
                          for told in row] for row in advices]),
        margin=np.array([[told.margin for told in row] for row in advices]),
    )  # fmt: skip


def frame_map(mode: str) -> Figure:
    """Two log axes to the edges of the cells."""
    fig, ax = style.figure("", alt="", mode=mode, grid=False, height=0.8)
    style.log_axis(ax, "x", *edges(np.array(guide.N, dtype=float))[[0, -1]])
    style.log_axis(ax, "y", *edges(np.array(guide.EPSILONS))[[0, -1]])
    style.axis_titles(ax, "n, records (log scale)", "ε (log scale)")
    return fig


def paint_map(fig: Figure, result: Map) -> None:
    """The regions, named in the gutter, and here."""
    ax = fig.axes[0]
    style.retitle(fig, f"Here: {_winner(result)}", _subtitle(result))
    draw_winners(ax, result.winners, nothing="no mechanism", key=True)
    style.event(ax, result.n, result.epsilon, "here", name="here")


def _winner(result: Map) -> str:
    kind = KINDS[result.where.kind]
    keys = result.here.keys
    if len(keys) < 2:
        return kind.mechanism(keys[0]).name if keys else "no mechanism clearly beats no data"
    others = SHORT[keys[1]] if len(keys) == 2 else f"{len(keys) - 1} others"
    return f"{SHORT[keys[0]]} or {others}: not clear"


def _subtitle(result: Map) -> str:
    where = result.where
    plural = "question" if where.k == 1 else "questions"
    many = "" if where.kind == "cluster" else f", {style.number(where.k)} {plural}"
    delta = "10⁻⁶" if where.delta else "0"
    law = ", hidden" if where.hidden else ""
    budget = f"ε = {style.number(result.epsilon)}, δ = {delta}"
    return f"{where.kind}{law}, d = {where.d}{many}, {budget}"


def say_map(result: Map) -> str:
    """One sentence of reading."""
    advice = result.here
    lead = f"{advice.margin:.1f} times better than" if advice.margin >= 1.05 else "as good as"
    return (
        f"n = {style.number(result.n)}, ε = {style.number(result.epsilon)}: {_winner(result)}, "
        f"error {style.number(advice.error)} ({lead} the next); "
        f"without data {style.number(advice.without)}."
    )


def table_map(result: Map) -> list[list[str]]:
    """The three smallest errors here of those that are judged, and that without data."""
    at = guide.EPSILONS.index(result.epsilon), guide.N.index(result.n)
    medians = {key: float(table[at]) for key, table in guide.medians(result.where).items()}
    there = {key for key, error in medians.items() if math.isfinite(error)}
    finite = [key for key in SHORT if key in there and guide.LOOSER.get(key) not in there]
    best = sorted(finite, key=lambda key: medians[key])[:3]
    rows = [[SHORT[key], style.number(medians[key], 3)] for key in best]
    return [["", "median error"], *rows, ["without data", style.number(result.here.without, 3)]]


MAP = View(frame_map, paint_map, say_map, table_map)


def explore_winners() -> Explorer:
    """Drag the point over the map: which mechanism has the smallest error at its n and epsilon?"""
    many = [{"kind": MANY}]
    names = tuple(WORDS)
    controls = [
        Choice(name="kind", label="kind", values=list(guide.WHATS), start="smooth, pure"),
        Choice(name="size", label="d", values=guide.SIZES, start="large"),
        Choice(name="questions", label="questions", values=names, start="some", acts=many),
        Slider(name="n", label="n, records", values=guide.N, start=1000),
        Slider(name="epsilon", label="ε", values=guide.EPSILONS, start=1.0),
    ]
    presets = {
        "Thirty kernels": {},
        "One question": {"questions": "one"},
        "Wide lists": {"kind": "sparse", "questions": "many"},
        "Kernels, pure": {"size": "small", "questions": "many", "n": 30_000},
        "A minority": {"kind": "hidden", "n": 10_000},
        "Little budget": {"kind": "linear", "size": "small", "questions": "many", "epsilon": 0.1,
                          "n": 300},
    }  # fmt: skip
    handles = [Handle(mark="here", x="n", y="epsilon", jump=True)]
    return Explorer(compared, MAP, controls, presets, random=False, handles=handles)
