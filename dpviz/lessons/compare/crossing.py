"""Three numbers decide: proved errors of three mechanisms against the product of n and epsilon."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import HALF, ErrorAxes, Vacuous, log
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Explorer, Handle, Slider, View, stops
from dpviz.papers.fat_shattering import baselines

BETA = 0.05
LOW, HIGH = 30.0, 3e5  # of the product of n and epsilon
LEAST, MOST = 1e-5, 3.0  # of the errors that are drawn
PRODUCTS = np.geomspace(LOW, HIGH, 201)
ROWS = np.unique(np.geomspace(1, 10**6, 400).round())  # of a small database, that are tried
NAMES = {"each": "noise on each answer", "table": "noisy table", "small": "small database"}
ROLES = {"each": "baseline", "table": "released", "small": "baseline2"}


@dataclass(frozen=True, eq=False)
class Crossing:
    """Proved errors over the product of n and epsilon, and where the reader stands.

    Attributes
    ----------
    product : float, n times epsilon
    k, cells : int
    curves : by a key of ``NAMES``, array (201,) over ``PRODUCTS``
    here : by the same keys, errors at ``product``
    best : key of the smallest; "" if 1/2, which needs no data, is no worse
    """

    product: float
    k: int
    cells: int
    curves: dict[str, np.ndarray]
    here: dict[str, float]
    best: str


def bounds(product: np.ndarray, *, k: int, cells: int) -> dict[str, np.ndarray]:
    """Proved: no answer is off by more, with probability 0.95; shares of the records.

    Noise on each answer and the table: `papers.fat_shattering.baselines`. The small database: of m
    rows, the best one is off by at most sqrt(ln(2k) / (2m)) (Hoeffding, a union bound over the k
    queries); the exponential mechanism takes one of at most cells^m, and loses at most
    2 ln(cells^m / beta) / (n epsilon). The best m is taken.

    >>> found = bounds(np.array([569.0]), k=30, cells=8)
    >>> {name: round(float(error), 2) for name, (error,) in found.items()}
    {'each': 0.34, 'table': 0.06, 'small': 0.48}
    """
    one = baselines.Params(epsilon=1.0, beta=BETA)
    two = baselines.Params(epsilon=1.0, l1_distance=2.0, beta=BETA)
    chosen = 2 * (ROWS * math.log(cells) + math.log(1 / BETA))
    small = np.sqrt(math.log(2 * k) / (2 * ROWS)) + chosen / product[:, None]
    return {
        "each": baselines.error_bound_laplace(one, k=k) / product,
        "table": baselines.error_bound_histogram(two, cells=cells, k=k) / product,
        "small": small.min(axis=1),
    }


def cross(*, product: float, k: int, cells: int, seed: int = 1) -> Crossing:
    """Who has the smallest proved error; nothing is random, ``seed`` is not used.

    >>> cross(product=569, k=1, cells=8).best, cross(product=569, k=30, cells=8).best
    ('each', 'table')
    """
    k, cells = int(k), int(cells)
    curves = bounds(PRODUCTS, k=k, cells=cells)
    here = {
        name: float(at[0]) for name, at in bounds(np.array([product]), k=k, cells=cells).items()
    }
    best = min(here, key=lambda name: here[name])
    return Crossing(product, k, cells, curves, here, best if here[best] < HALF else "")


ZONE = Vacuous(HALF, words="½ without data")
frame_crossing = ErrorAxes(log("εn", LOW, HIGH), log("proved error", LEAST, MOST), ZONE).frame


def paint_crossing(fig: Figure, result: Crossing) -> None:
    """A curve for each mechanism, and the product of here."""
    ax, mode = fig.axes[0], fig.mode
    style.retitle(fig, f"εn = {_three(result.product)}: {_winner(result)}", _sizes(result))
    here = style.line("event", mode, marker=False) | {"zorder": 1.4, "gid": "product"}
    ax.axvline(result.product, **here)
    ends = []
    for name, errors in result.curves.items():
        seen = (errors <= MOST) & (errors >= LEAST)
        if not seen.any():
            continue
        ax.plot(PRODUCTS[seen], errors[seen], **style.line(ROLES[name], mode, marker=False))
        last = np.flatnonzero(seen)[-1]
        ends.append((PRODUCTS[last], errors[last], _short(name), ROLES[name]))
    if result.best:
        ax.plot([result.product], [result.here[result.best]], **style.points("released", mode))
    style.label_ends(ax, ends)


def _short(name: str) -> str:
    return NAMES[name].replace("noise on", "noise on\n").replace("\n ", "\n")


def _winner(result: Crossing) -> str:
    if not result.best:
        return "½ without data is no worse"
    return f"{NAMES[result.best]} is best, {style.number(result.here[result.best])}"


def _three(product: float) -> str:
    return style.number(product, 3)


def _sizes(result: Crossing) -> str:
    many = "1 question" if result.k == 1 else f"{style.number(result.k)} questions"
    return f"{many}, {style.number(result.cells)} cells"


def say_crossing(result: Crossing) -> str:
    """One sentence of reading."""
    k, cells = style.number(result.k), style.number(result.cells)
    return f"εn = {_three(result.product)}, k = {k}, N = {cells}: {_winner(result)}."


def table_crossing(result: Crossing) -> list[list[str]]:
    """The proved errors here."""
    rows = [[NAMES[name], style.number(error, 3)] for name, error in result.here.items()]
    return [["", "proved error"], *rows, ["½ without data", "0.5"]]


CROSSING = View(frame_crossing, paint_crossing, say_crossing, table_crossing)


def explore_crossing() -> Explorer:
    """Drag the product of n and epsilon; change the number of questions and of cells."""
    products = stops(LOW, HIGH, log=True, also=[569, 4600, 5690, 8400])
    controls = [
        Slider(name="product", label="εn", values=products, start=569, show=_three),
        Slider(
            name="k",
            label="k, queries",
            values=stops(1, 10**6, log=True, whole=True, also=[30, 1000]),
            start=1,
        ),
        Slider(name="cells", label="N, cells", values=[2**i for i in range(1, 31)], start=8),
    ]
    presets = {
        "One question": {},
        "Thirty questions": {"k": 30},
        "Many cells": {"k": 1000, "cells": 2**16},
        "Ten times the records": {"k": 1000, "cells": 2**16, "product": 5690},
    }
    handles = [Handle(mark="product", x="product", jump=True)]
    return Explorer(cross, CROSSING, controls, presets, random=False, handles=handles)
