"""Which grower does a bottle resemble? The running example of lesson 03, private and not.

Three archives of wines each publish their distance curves once; a newcomer is told to which
one it is nearest on average. Newcomers are bottles that no archive holds: a tenth of the wines
at a time is kept out of the archives, and asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.data import real_sets
from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet
from dpviz.privacy.curator import Curator
from dpviz.sweeps.sweep import Sweep, load, sweep
from dpviz.views import style
from dpviz.views.explorer import Explorer, Slider
from dpviz.views.live import View
from dpviz.views.style import Figure

ORDER = (12, 6, 9, 0, 5, 11, 10, 1, 4, 8, 3, 7, 2)  # columns; chosen by someone who had looked
FOLDS = 10
DELTA = 1e-6
EPSILONS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]
SEEDS = 10  # trials at each point
FILE = Path(__file__).parent / "growers.jsonl"


@dataclass(frozen=True, kw_only=True)
class Params:
    """How the archives are run: the first ``d`` columns of ORDER, at (epsilon, DELTA)."""

    d: int
    epsilon: float


@dataclass(frozen=True, eq=False)
class Shares:
    """How often the right grower is named, for 1, 2, ... columns.

    Attributes
    ----------
    epsilon : float
    d : int, the number of columns of the moment
    exact : array (13,), with exact distances
    private : array (13, repeats), with released curves
    largest : float, if always the largest archive is named
    """

    epsilon: float
    d: int
    exact: np.ndarray
    private: np.ndarray
    largest: float


@lru_cache
def bottles() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Records (178, 13) in the lesson's order of columns, growers, and the fold of each."""
    rows, grower = real_sets.wine().unit()[:, ORDER], real_sets.growers().data[:, 0].astype(int)
    return rows, grower, np.random.default_rng(0).permutation(len(rows)) % FOLDS


def archives(fold: int) -> list[np.ndarray]:
    """The records of each grower without those of one fold; list of (n_g, 13)."""
    rows, grower, folds = bottles()
    return [rows[(grower == g) & (folds != fold)] for g in range(3)]


def trial(params: Params, *, rng: checks.Seed) -> dict[str, float]:
    """Share of newcomers named rightly: each archive is released once for each fold.

    Returns
    -------
    dict with ``right`` in [0, 1]
    """
    rows, grower, folds = bottles()
    rng, right = np.random.default_rng(rng), 0
    for fold in range(FOLDS):
        new = folds == fold
        found = [
            curves.answer(released(own, params, rng), rows[new, : params.d])
            for own in archives(fold)
        ]
        right += int((np.argmin(found, axis=0) == grower[new]).sum())
    return {"right": right / len(rows)}


def released(own: np.ndarray, params: Params, rng: np.random.Generator) -> curves.Curves:
    """One archive's curves, by whichever release has the smaller error: Haar for one column."""
    pure = params.d == 1
    public = curves.Params(
        n=len(own),
        d=params.d,
        epsilon=params.epsilon,
        delta=0.0 if pure else DELTA,
        cells=256,
    )
    curator = Curator(epsilon=params.epsilon, delta=public.delta, rng=rng)
    return (haar_wavelet if pure else average_sign).release(own[:, : params.d], public, curator)


@lru_cache
def exact_share() -> np.ndarray:
    """Share of newcomers that exact distances assign to the right grower; (13,)."""
    rows, grower, folds = bottles()
    right = np.zeros(rows.shape)
    for fold in range(FOLDS):
        new = folds == fold
        distances = [np.abs(rows[new][:, None] - own).mean(axis=1) for own in archives(fold)]
        nearest = np.cumsum(distances, axis=2).argmin(axis=0)
        right[new] = nearest == grower[new, None]
    return right.mean(axis=0)


@lru_cache
def stored() -> Sweep:
    """The stored trials; ``sweep_growers(file=FILE)`` made them."""
    return load(FILE)


def sweep_growers(**options: Any) -> Sweep:
    """Run the trials that lesson 03 shows; ``options`` go to :func:`dpviz.sweeps.sweep.sweep`."""
    grid = {"d": range(1, 14), "epsilon": EPSILONS}
    return sweep(trial, Params(d=1, epsilon=1), grid, repeats=SEEDS, rng=2014, **options)


def shares(*, d: int, epsilon: float, seed: int) -> Shares:
    """What the explorer shows at one epsilon; the seed is that of the stored trials."""
    grower = bottles()[1]
    private = stored().select(epsilon=epsilon)["right"]
    return Shares(
        epsilon, d, exact_share(), private, float(np.bincount(grower).max() / len(grower))
    )


def frame_shares(mode: str) -> Figure:
    """Axes of the share against the number of columns, and the naive answer."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0.5, 13.5, [1, 3, 5, 7, 9, 11, 13])
    style.linear_axis(ax, "y", 0.2, 1, [0.2, 0.4, 0.6, 0.8, 1])
    style.axis_titles(ax, "columns published by each archive", "share of newcomers named rightly")
    return fig


def paint_shares(fig: Figure, result: Shares) -> None:
    """Exact shares, private shares with every trial as a dot, and here."""
    ax, mode = fig.axes[0], fig.mode
    x, median = np.arange(1, 14), np.median(result.private, axis=1)
    here = median[result.d - 1]
    style.retitle(fig, _title(result), f"ε = {style.number(result.epsilon)}, {SEEDS} releases each")
    ax.plot(x, result.exact, **style.line("truth", mode))
    style.dots(ax, x, result.private)
    ax.plot(x, median, **style.line("released", mode))
    ax.plot(x, 0 * x + result.largest, **style.line("baseline2", mode, marker=False))
    style.event(ax, result.d, here, "here")
    style.label_ends(
        ax,
        [
            (13, result.exact[-1], "exact distances\n(private)", "truth"),
            (13, median[-1], "released curves", "released"),
            (13, result.largest, "always the\nlargest archive", "baseline2"),
        ],
    )


def _title(result: Shares) -> str:
    share = float(np.median(result.private[result.d - 1]))
    word = "column" if result.d == 1 else "columns"
    return f"{result.d} {word}: {style.number(100 * share)} % named rightly"


def say_shares(result: Shares) -> str:
    """One sentence of reading."""
    median = np.median(result.private, axis=1)
    best = int(median.argmax())
    return (
        f"Share of newcomers named rightly against the number of columns, ε = "
        f"{style.number(result.epsilon)}: {style.number(median[result.d - 1])} with {result.d}, at "
        f"best {style.number(median[best])} with {best + 1}; exact distances reach "
        f"{style.number(result.exact[result.d - 1])}; always the largest archive "
        f"{style.number(result.largest)}."
    )


def table_shares(result: Shares) -> list[list[str]]:
    """Exact and private shares."""
    rows = [["columns", "exact", "private, median"]]
    for d in (1, 3, 5, 13, result.d):
        name = f"here: {d}" if len(rows) == 5 else str(d)
        exact, private = result.exact[d - 1], np.median(result.private[d - 1])
        rows.append([name, style.number(exact, 3), style.number(private, 3)])
    return rows


SHARES = View(frame_shares, paint_shares, say_shares, table_shares)


def explore_growers() -> Explorer:
    """Columns and epsilon: where does noise eat the gain?"""
    controls = [
        Slider(name="epsilon", label="ε of each archive", values=EPSILONS, start=1),
        Slider(name="d", label="columns", values=range(1, 14), start=1),
    ]
    presets = {
        "One column": {},
        "Three columns": {"d": 3},
        "All thirteen": {"d": 13},
        "Ten times the budget": {"d": 3, "epsilon": 10},
    }
    return Explorer(shares, SHARES, controls, presets, random=False)
