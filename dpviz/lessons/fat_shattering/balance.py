"""Two errors that a small database trades for each other, and the error that nobody avoids."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, Line, Vacuous, draw_lines, log
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Explorer, Handle, Slider, View, stops

CELLS = 2**40  # filled-in forms of forty questions
BETA = 0.05
PEOPLE = 10**8
MOST = 10**7  # rows on the axis
ROWS = np.geomspace(1, MOST, 300)


@dataclass(frozen=True, eq=False)
class Balance:
    """What so many rows cost, in people.

    Attributes
    ----------
    rows, d, n : int; epsilon : float
    few, choice : arrays over ``ROWS``, the two parts of Theorem 8.3
    here : (few, choice) at ``rows``
    best : the number of rows of the least sum
    least : error that every private answer has (Theorem 8.2); 0 says nothing
    """

    rows: int
    d: int
    n: int
    epsilon: float
    few: np.ndarray
    choice: np.ndarray
    here: tuple[float, float]
    best: float
    least: float


def parts(
    rows: np.ndarray | float, *, d: int, n: int, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    """The two parts of the error of Theorem 8.3, in people, at so many rows.

    >>> [round(float(part)) for part in parts(10_000, d=40, n=10**8, epsilon=1)]
    [23555558, 554524]
    """
    queries = math.log(2) + d * math.log(CELLS + 1)
    few = n * np.sqrt(queries / (2 * np.asarray(rows)))
    choice = 2 / epsilon * (np.asarray(rows) * math.log(CELLS) + math.log(1 / BETA))
    return few, choice


def least_error(*, d: int, n: int, epsilon: float) -> float:
    """The error of Theorem 8.2, with as many people for each of d/2 points as make it largest.

    >>> round(least_error(d=40, n=10**8, epsilon=1), 1)
    1.5
    """
    even = d // 2 * 2
    copies = np.arange(1, min(math.ceil(3 / epsilon), 2 * n // d) + 1)
    errors = copies * even / 8 * ((1 - BETA) * np.exp(-epsilon * copies) - 2 / even)
    return max(0.0, float(errors.max()))


def weigh(*, rows: int, d: int, n: int, epsilon: float, seed: int = 1) -> Balance:
    """Both parts of the error; nothing is random, ``seed`` is not used."""
    public = {"d": int(d), "n": int(n), "epsilon": epsilon}
    few, choice = parts(ROWS, **public)
    here = parts(rows, **public)
    best = (n * epsilon / (4 * math.log(CELLS))) ** (2 / 3)
    best *= ((math.log(2) + d * math.log(CELLS + 1)) / 2) ** (1 / 3)
    both = float(here[0]), float(here[1])
    return Balance(
        int(rows), int(d), int(n), epsilon, few, choice, both, best, least_error(**public)
    )


frame_balance = ErrorAxes(log("m, rows", 1, MOST), log("error, people", 0.1, 3e9)).frame


def paint_balance(fig: Figure, result: Balance) -> None:
    """Both parts, their sum with its least, and what no private answer avoids."""
    ax, mode = fig.axes[0], fig.mode
    total = sum(result.here)
    style.retitle(
        fig,
        f"{_counted(result.rows)}: off by at most {style.number(total, 3)} people",
        f"n = {style.number(result.n)}, d = {result.d}, ε = {style.number(result.epsilon)}; star: "
        "the best number of rows",
    )
    Vacuous(result.n / 2, "half of all").draw(ax)
    look = {"zorder": 1.4, "gid": "rows"}
    ax.axvline(result.rows, **style.line("event", mode, marker=False) | look)
    lines = [
        Line("sum: enough\n(proved)", "bound", ROWS, result.few + result.choice, smooth=True),
        Line("few rows", "released", ROWS, result.few, smooth=True),
        Line("choice", "baseline", ROWS, result.choice, smooth=True),
    ]
    if result.least:
        flat = np.full(len(ROWS), result.least)
        lines.append(Line("needed\n(proved)", "truth", ROWS, flat, smooth=True))
    draw_lines(ax, lines)
    best = parts(result.best, d=result.d, n=result.n, epsilon=result.epsilon)
    style.event_star(ax, result.best, float(sum(best)))


def say_balance(result: Balance) -> str:
    """One sentence of reading."""
    few, choice = (style.number(part, 3) for part in result.here)
    return (
        f"{_counted(result.rows)}: {few} for few rows, {choice} for the choice. Best: "
        f"{_counted(result.best)}. Needed: {style.number(result.least)} people."
    )


def _counted(rows: float) -> str:
    """So many rows in words."""
    return "1 row" if style.number(rows, 3) == "1" else f"{style.number(rows, 3)} rows"


def table_balance(result: Balance) -> list[list[str]]:
    """The parts at the chosen number of rows."""
    few, choice = result.here
    rows = [
        ("few rows", few),
        ("choice", choice),
        ("sum", few + choice),
        ("best m (rows)", result.best),
    ]
    rows.append(("needed", result.least))
    return [["", "people"], *([name, style.number(value, 3)] for name, value in rows)]


BALANCE = View(frame_balance, paint_balance, say_balance, table_balance)


def explore_rows() -> Explorer:
    """Drag the number of rows to where both parts cost the same."""
    controls = [
        Slider(
            name="rows",
            label="m, rows",
            values=stops(1, MOST, log=True, whole=True, also=[1000, 77_000, 10**6]),
            start=1000,
        ),
        Slider(
            name="d",
            label="d, dimension",
            values=stops(2, 400, log=True, whole=True, also=[40, 80]),
            start=40,
        ),
        Slider(
            name="n",
            label="n, people",
            values=stops(10**3, 10**9, log=True, whole=True, also=[PEOPLE]),
            start=PEOPLE,
        ),
        Slider(name="epsilon", label="ε", values=stops(0.1, 10, log=True, also=[1]), start=1),
    ]
    presets = {
        "Too few": {},
        "Balanced": {"rows": 77_000},
        "Too many": {"rows": 10**6},
        "Twice the d": {"rows": 77_000, "d": 80},
        "Too few people": {"rows": 1000, "n": 10**5},
    }
    handles = [Handle(mark="rows", x="rows", jump=True)]
    return Explorer(weigh, BALANCE, controls, presets, random=False, handles=handles)
