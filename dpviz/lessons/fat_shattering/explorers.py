"""The explorers of lesson 08: an attack, and the dimension against gamma."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from dpviz.drawing import style
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Handle, Slider, View, stops
from dpviz.lessons.fat_shattering.recovery import EPSILONS, NOISES, RECONSTRUCTION, SIZES, attack
from dpviz.papers.fat_shattering import classes, linear_reconstruction
from dpviz.papers.fat_shattering.dimension import Shattering, patterns, shatter


def explore_attack() -> Explorer:
    """Ask for random sums, drag their noise: how many patients' bits are recovered?"""
    presets = {
        "All recovered": {},
        "Some recovered": {"noise": 0.35},
        "Too noisy": {"noise": 2.0},
        "Corrupted": {"corrupted": 0.3, "noise": 0.02, "method": "L1"},
        "Least squares": {"corrupted": 0.05, "noise": 0.02},
        "ε = 10": {"budget": 10},
    }
    # Less noise than that never hides a bit, whatever is drawn; nor do few corrupted answers
    # from linear programming.
    large = [noise for noise in LEVELS if noise >= 0.2]
    drawn = [
        {"noise": large},
        {"corrupted": CORRUPTED[1:], "method": ["least squares"]},
        {"corrupted": [share for share in CORRUPTED if share >= 0.4]},
        {"budget": EPSILONS[1:]},
    ]
    handles = [Handle(mark="noise", x="noise", jump=True)]
    return Explorer(attack, RECONSTRUCTION, _controls(), presets, random=drawn, handles=handles)


LEVELS = stops(0.02, 4, log=True, also=NOISES)
CORRUPTED = [percent / 100 for percent in range(51)]


def _controls() -> list[Slider | Choice]:
    chosen = [{"budget": [0]}]  # a budget decides on the noise, and corrupts nothing
    return [
        Slider(name="n", label="n, patients", values=SIZES, start=64),
        Slider(
            name="budget",
            label="total ε",
            values=EPSILONS,
            start=0,
            show=lambda e: style.number(e) if e else "off",
        ),
        Slider(name="noise", label="noise ÷ √n", values=LEVELS, start=0.1, acts=chosen),
        Slider(name="ratio", label="queries ÷ n", values=range(1, 9), start=4),
        Slider(
            name="corrupted",
            label="corrupted",
            values=CORRUPTED,
            start=0,
            show=lambda g: f"{100 * g:.0f} %",
            acts=chosen,
        ),
        Choice(
            name="method",
            label="method",
            values=list(linear_reconstruction.METHODS),
            start="least squares",
        ),
    ]


STEPS = 10  # values of functions are multiples of 0.1, and 2 gamma is one too: so the grid
GAMMAS = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]  # shatters what all functions do

MAKERS = {
    "monotone functions": lambda n: classes.monotone(n, steps=STEPS),
    "Lipschitz functions": lambda n: classes.lipschitz(n, steps=STEPS, slope=2),
    "small l1 norm": lambda n: classes.lp_ball(n, steps=4, p=1, radius=1.0),
    "thresholds": classes.thresholds,
    "intervals": classes.intervals,
    "all subsets": classes.subsets,
}

CELLS = range(2, 6)
BEHIND = 60  # queries of the class that are drawn


@dataclass(frozen=True, eq=False)
class Measured:
    """The dimension of one class.

    Attributes
    ----------
    name, cells, gamma : which class, on how many cells, at which gamma
    found : Shattering at that gamma
    pattern : bool array (d,), the one that is drawn; empty if nothing is shattered
    query : array (cells,), a query that shows it
    gammas, dimensions : what the search finds at each gamma of the picture
    """

    name: str
    cells: int
    gamma: float
    found: Shattering
    pattern: np.ndarray
    query: np.ndarray
    gammas: Sequence[float]
    dimensions: Sequence[int]


@lru_cache
def listed(name: str, cells: int) -> np.ndarray:
    """The class as a table."""
    return MAKERS[name](cells)


@lru_cache(maxsize=4096)
def found(name: str, cells: int, gamma: float) -> Shattering:
    """What the search finds, remembered."""
    return shatter(listed(name, cells), gamma)


def measure(*, name: str, cells: int, gamma: float, pattern: int, seed: int = 0) -> Measured:
    """Search at one gamma, and at all those of the picture."""
    here = found(name, cells, gamma)
    number = pattern % 2**here.d
    query = listed(name, cells)[here.rows[number]]
    dimensions = [found(name, cells, g).d for g in GAMMAS]
    return Measured(name, cells, gamma, here, patterns(here.d)[number], query, GAMMAS, dimensions)


def frame_measured(mode: str) -> Figure:
    """Left a pattern on the points, right the dimension against gamma."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, sharey=False, widths=[1.2, 1], names=["", ""]
    )
    style.linear_axis(left, "x", -0.4, max(CELLS) - 0.6, list(range(max(CELLS))))
    style.linear_axis(left, "y", -0.04, 1.04, [0, 0.25, 0.5, 0.75, 1])
    style.linear_axis(right, "x", 0, 0.52, [0, 0.1, 0.2, 0.3, 0.4, 0.5])
    style.linear_axis(right, "y", 0, 5.7, list(range(6)))
    style.axis_titles(left, "cell", "value of a query")
    style.axis_titles(right, "γ", "dimension")
    return fig


def paint_measured(fig: Figure, result: Measured) -> None:
    """The pattern, and where this gamma stands."""
    left, right = fig.axes
    d = result.found.d
    points = f"{d} point" + "s" * (d != 1)
    title = f"{result.name[0].upper()}{result.name[1:]}: {points} shattered"
    style.retitle(
        fig,
        title,
        f"{result.cells} cells, γ = {style.number(result.gamma)}; shown: {pattern_shown(result)}",
    )
    if d:
        draw_pattern(left, result)
    dots = style.points("released", fig.mode) | {"ms": 5}
    right.plot(result.gammas, result.dimensions, **dots)
    here = style.points("event", fig.mode) | {"marker": "P", "ms": 9, "gid": "here"}
    right.plot([result.gamma], [d], **here)


def say_measured(result: Measured) -> str:
    """One sentence of reading."""
    at = ", ".join(map(str, result.found.points)) or "none"
    dimension = dict(zip(result.gammas, result.dimensions, strict=True))
    return (
        f"{result.name[0].upper()}{result.name[1:]} on {result.cells} cells: at γ = "
        f"{style.number(result.gamma)} the search finds {result.found.d} shattered cell"
        f"{'s' * (result.found.d != 1)} ({at}); "
        f"shown: {pattern_shown(result)}. Dimension {dimension[0.05]} at γ = 0.05, "
        f"{dimension[0.25]} at 0.25, {dimension[0.5]} at 0.5."
    )


def draw_pattern(ax: Axes, result: Measured) -> None:
    """Behind, the class; then levels; then the pattern; then its query."""
    mode = ax.get_figure(root=True).mode
    table = listed(result.name, result.cells)
    cells, found = np.arange(result.cells), result.found
    behind = [np.stack([cells, row], axis=1) for row in table[:: max(1, len(table) // BEHIND)]]
    look = {"colors": style.ROLES["lattice"].colour, "linewidths": 0.5, "alpha": 0.6}
    ax.add_collection(LineCollection(behind, zorder=1, **look), autolim=False)
    for x, level, high in zip(found.points, found.witness, result.pattern, strict=True):
        ax.plot([x - 0.22, x + 0.22], [level, level], **style.line("truth", mode) | {"lw": 1})
        draw_margin(ax, x, level, result.gamma, high)
    ax.plot(cells, result.query, **style.line("public", mode) | {"lw": 2.4, "marker": "o"})


def draw_margin(
    ax: Axes, x: float, level: float, gamma: float, high: bool, *, clip: bool = False
) -> None:
    """A level with its margin on both sides, and a triangle where a query has to lie beyond."""
    mode = ax.get_figure(root=True).mode
    ends = level - gamma, level + gamma
    for end in ends:
        ax.plot([x - 0.15, x + 0.15], [end, end], **style.line("public", mode))
    ax.plot([x, x], ends, **style.line("public", mode))
    wanted = style.points("event", mode) | {"marker": "^" if high else "v", "ms": 9}
    ax.plot([x], [ends[int(high)]], **wanted, clip_on=clip)


def pattern_shown(result: Measured) -> str:
    """The pattern that is drawn, in words."""
    return ", ".join("high" if high else "low" for high in result.pattern) or "no pattern"


def table_measured(result: Measured) -> list[list[str]]:
    """Cells and their levels."""
    words = pattern_shown(result).split(", ")
    levels = zip(result.found.points, result.found.witness, words, strict=False)
    rows = [[str(x), style.number(r, 3), word] for x, r, word in levels]
    return [["cell", "level", "pattern"], *rows]


MEASURED = View(frame_measured, paint_measured, say_measured, table_measured)


def explore_dimension() -> Explorer:
    """Choose a class of queries and drag gamma: how many cells does it shatter?"""
    controls = [
        Slider(name="gamma", label="γ", values=GAMMAS, start=0.25),
        Slider(name="cells", label="cells", values=CELLS, start=4),
        Slider(name="pattern", label="pattern", values=range(16), start=1),
        Choice(name="name", label="class", values=list(MAKERS), start="monotone functions"),
    ]
    presets = {
        "Monotone": {},
        "Smaller margin": {"gamma": 0.1, "cells": 5},
        "Thresholds": {"name": "thresholds"},
        "All subsets": {"name": "all subsets", "gamma": 0.5},
    }
    handles = [Handle(mark="here", x="gamma", jump=True)]
    return Explorer(measure, MEASURED, controls, presets, random=False, handles=handles)


def known(name: str, cells: int, gamma: float) -> float:
    """The formula that belongs to a class, for pictures and tests only.

    >>> known("monotone functions", 9, 0.1), known("all subsets", 9, 0.1)
    (5, 9)
    """
    formulas = {
        "monotone functions": min(cells, math.floor(1 / (2 * gamma) + 1e-9)),
        "Lipschitz functions": 1 + (cells - 1) // math.ceil(gamma * STEPS - 1e-9),
        "thresholds": 1,
        "intervals": min(cells, 2),
        "all subsets": cells,
    }
    return formulas[name]


@still
def figure_dimension(
    searched: Mapping[str, tuple[Sequence[float], Sequence[int]]], cells: int, mode="notebook"
) -> Figure:
    """Dimension against gamma: what the search found, and the formula beside it.

    Parameters
    ----------
    searched : dict from the class to (gammas, dimensions)
    """
    ends = {name: dims for name, (_, dims) in searched.items()}
    words = "; ".join(f"{name} {dims[0]} to {dims[-1]}" for name, dims in ends.items())
    fig, axes = style.figure(
        "A larger margin leaves fewer points",
        f"points shattered of {cells} cells; dots: found by search; line: formula",
        alt=f"Fat-shattering dimension against γ from {searched[next(iter(ends))][0][0]} to 0.5, "
        f"falling in steps. {words}. Every dot lies on its formula.",
        mode=mode,
        columns=len(searched),
        names=[name.removesuffix(" functions") for name in searched],
    )
    fine = np.linspace(0.05, 0.5, 901)
    for ax, (name, (gammas, dims)) in zip(axes, searched.items(), strict=True):
        style.linear_axis(ax, "x", 0, 0.55, [0.1, 0.3, 0.5])
        style.linear_axis(ax, "y", 0, cells + 0.7, list(range(cells + 1)))
        values = [known(name, cells, g) for g in fine]
        ax.plot(fine, values, **style.line("bound", mode, marker=False) | {"lw": 1.1})
        ax.plot(gammas, dims, **style.points("released", mode) | {"ms": 5})
    style.axis_titles(axes[-1], "γ, margin")
    return fig
