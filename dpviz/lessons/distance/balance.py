"""The balance of lesson 03: how many coins, if many leave less error and share one budget?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, log
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Handle, Slider, View, stops
from dpviz.lessons.distance.experiments import ASKED, BUDGETS, DELTA
from dpviz.papers.distance_queries.mechanism import l1

MOST = 100  # coins
COINS = np.arange(1, MOST + 1)
OFFERED = [*range(1, 21), *range(22, 41, 2), 41, *range(45, MOST + 1, 5)]  # by the slider


@dataclass(frozen=True, eq=False)
class Balance:
    """The proved error of one column for each number of coins, and one of them.

    Attributes
    ----------
    n, coins : int
    composition : how the budget adds up, a key of ``BUDGETS``
    coarse, noise : arrays (MOST,), the two parts of the error with 1, 2, ... coins
    """

    n: int
    coins: int
    composition: str
    coarse: np.ndarray
    noise: np.ndarray

    @property
    def error(self) -> np.ndarray:
        """Their sum; (MOST,)."""
        return self.coarse + self.noise

    @property
    def here(self) -> tuple[float, float, float]:
        """Coarseness, noise and their sum at the chosen number of coins."""
        at = self.coins - 1
        return float(self.coarse[at]), float(self.noise[at]), float(self.error[at])

    @property
    def best(self) -> int:
        """The number of coins with the smallest sum."""
        return int(COINS[self.error.argmin()])


def weigh(*, n: int, coins: int, composition: str, seed: int = 1) -> Balance:
    """The terms of Theorem 3.2 at epsilon = 1; nothing is random, ``seed`` is not used.

    >>> weigh(n=100_000, coins=16, composition="zCDP").best
    16
    """
    name = BUDGETS[composition]
    delta = DELTA if name == "zcdp" else 0.0
    params = l1.Params(
        n=n, d=1, k=ASKED, epsilon=1.0, delta=delta, composition=name, lower=0, upper=1
    )
    sizes = l1.allocate(params, name, COINS)
    noise = sizes["test_accuracy"] + sizes["tau"]
    return Balance(n, int(coins), composition, 1 / COINS**2, noise)


frame_weighed = ErrorAxes(log("C, coins", 0.9, 115), log("error", 1e-4, 2)).frame


def paint_weighed(fig: Figure, result: Balance) -> None:
    """The two parts, their sum with its minimum, and the chosen number of coins."""
    ax, mode = fig.axes[0], fig.mode
    coarse, noise, error = result.here
    parts = f"{style.number(coarse)} coarse + {style.number(noise)} noise"
    style.retitle(
        fig, f"{_coins(result.coins)}: {parts} = {style.number(error)}", _subtitle(result)
    )
    ax.axvline(
        result.coins, **style.line("event", mode, marker=False) | {"zorder": 1.4, "gid": "coins"}
    )
    ax.plot(COINS, result.coarse, **style.line("public", mode))
    ax.plot(COINS, result.noise, **style.line("public", mode) | {"ls": "--"})
    ax.plot(COINS, result.error, **style.line("bound", mode, marker=False))
    ax.plot([result.coins] * 2, [coarse, noise], **style.points("public", mode) | {"ms": 6})
    ax.plot([result.coins], [error], **style.points("released", mode) | {"ms": 8})
    style.event_star(ax, result.best, float(result.error.min()))
    ends = [
        (MOST, result.error[-1], "their sum, proved", "bound"),
        (MOST, result.noise[-1], "noise", "public"),
        (MOST, result.coarse[-1], "coarse: 1/C²", "public"),
    ]
    style.label_ends(ax, ends)


def _coins(many: int) -> str:
    return "1 coin" if many == 1 else f"{many} coins"


def _subtitle(result: Balance) -> str:
    growth = "√C" if BUDGETS[result.composition] == "zcdp" else "C"
    return (
        f"n = {style.number(result.n)}, ε = 1, {style.number(ASKED)} queries; "
        f"noise grows like {growth}; star: the smallest sum"
    )


def say_weighed(result: Balance) -> str:
    """One sentence of reading."""
    coarse, noise, error = (style.number(term) for term in result.here)
    return (
        f"{_coins(result.coins)}, n = {style.number(result.n)}, {result.composition}: proved "
        f"{coarse} + {noise} = {error}; the smallest sum, "
        f"{style.number(float(result.error.min()))}, is that of {_coins(result.best)}."
    )


def table_weighed(result: Balance) -> list[list[str]]:
    """The parts at the chosen and at the best number of coins."""
    chosen = [result.coins, result.best]
    rows = [
        [
            str(c),
            *(
                style.number(float(t[c - 1]), 3)
                for t in (result.coarse, result.noise, result.error)
            ),
        ]
        for c in chosen
    ]
    return [["coins", "coarse", "noise", "sum"], *rows]


WEIGHED = View(frame_weighed, paint_weighed, say_weighed, table_weighed)


def explore_balance() -> Explorer:
    """Drag the number of coins: few are coarse, many share the budget."""
    sizes = stops(10_000, 1_000_000, log=True, whole=True, also=[100_000])
    controls = [
        Slider(name="coins", label="C, coins", values=OFFERED, start=2),
        Slider(name="n", label="n, records", values=sizes, start=100_000),
        Choice(name="composition", label="budget adds as", values=list(BUDGETS), start="pure ε"),
    ]
    presets = {
        "Two coins": {},
        "Sixty coins": {"coins": 60},
        "A million records": {"n": 1_000_000, "coins": 24},
        "With a δ": {"composition": "zCDP", "coins": 16},
    }
    handles = [Handle(mark="coins", x="coins", jump=True)]
    return Explorer(weigh, WEIGHED, controls, presets, random=False, handles=handles)
