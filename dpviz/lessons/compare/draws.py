"""A player of lesson 09: two mechanisms, draw by draw, and who leads after so many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.comparison import experiments, guide
from dpviz.comparison.mechanisms import linear
from dpviz.comparison.mechanisms.task import Task
from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, log
from dpviz.drawing.errors import linear as straight
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View

NAMES = {"joint": "noise on\neach answer", "histogram": "noisy table"}
SAID = {key: name.replace("\n", " ") for key, name in NAMES.items()}
ROLES = {"joint": "baseline", "histogram": "released"}
DRAWS = 40


@dataclass(frozen=True, eq=False)
class Draws:
    """What is known after some draws.

    Attributes
    ----------
    number, of : draws so far, and in all
    k : queries
    errors : by mechanism, array (number,)
    medians, quantiles : by mechanism, arrays (number,): after 1, 2, ... draws
    leader : key of the mechanism that leads; "" for a tie
    """

    number: int
    of: int
    k: int
    errors: dict[str, np.ndarray]
    medians: dict[str, np.ndarray]
    quantiles: dict[str, np.ndarray]
    leader: str


def errors(k: int, draws: int, *, rng: checks.Seed) -> dict[str, np.ndarray]:
    """Largest errors of k queries about the clinic's table of eight cells, at epsilon = 1.

    Returns
    -------
    dict from "joint" (Laplace noise on each answer) and "histogram" to arrays (draws,)

    >>> errors(1, 2, rng=0)["joint"].shape
    (2,)
    """
    task = Task(n=len(experiments.patients()), d=3, k=k, epsilon=1.0, delta=0.0)
    asked = linear.of_rows(task, experiments.patients())
    found = {key: np.empty(draws) for key in NAMES}
    rng = checks.generator(rng)
    for i in range(draws):
        for key in NAMES:
            found[key][i] = linear.KIND.mechanism(key).outcome(task, asked, rng=rng).error
    return found


def record(found: dict[str, np.ndarray], k: int) -> list[Draws]:
    """The state after each draw of some :func:`errors` of ``k`` queries."""
    of = len(found["joint"])
    medians, quantiles = (
        {key: np.array([how(each[:i]) for i in range(1, of + 1)]) for key, each in found.items()}
        for how in (np.median, guide.quantile)
    )
    return [
        Draws(
            number=i,
            of=of,
            k=k,
            errors={key: each[:i] for key, each in found.items()},
            medians={key: each[:i] for key, each in medians.items()},
            quantiles={key: each[:i] for key, each in quantiles.items()},
            leader=leader_of({key: each[:i] for key, each in found.items()}),
        )
        for i in range(1, of + 1)
    ]


def leader_of(draws: dict[str, np.ndarray], beta: float = guide.BETA) -> str:
    """Key of the one of two mechanisms that leads in the same draws; "" for a tie.

    >>> leader_of({"a": np.ones(4), "b": np.full(4, 2.0)})
    'a'
    """
    one, other = draws
    if guide.is_clear(draws[one], draws[other], beta):
        return one
    return other if guide.is_clear(draws[other], draws[one], beta) else ""


frame_draws = ErrorAxes(
    straight("runs", 0, DRAWS + 1, [1, 10, 20, 30, 40]), log("error", 3e-4, 0.1)
).frame


def paint_draws(fig: Figure, step: Draws) -> None:
    """The errors so far, their medians (thin) and quantiles (thick)."""
    ax, mode = fig.axes[0], fig.mode
    many = "1 run" if step.number == 1 else f"{step.number} runs"
    style.retitle(
        fig,
        f"After {many}: {verdict_of(step)}",
        f"{step.k} queries about 569 patients, ε = 1; thick: 0.95 quantile",
    )
    at = np.arange(1, step.number + 1)
    ends = []
    for key, role in ROLES.items():
        ax.plot(at, step.errors[key], **style.points(role, mode))
        for lines, width in ((step.medians, 1.0), (step.quantiles, 2.6)):
            look = style.line(role, mode, marker=False) | {"lw": width, "ls": "-"}
            ax.plot(at, lines[key], **look)
        ends.append((float(at[-1]), step.quantiles[key][-1], NAMES[key], role))
    style.label_ends(ax, ends)


def say_draws(step: Draws) -> str:
    """One sentence of reading."""
    medians, quantiles = (
        " and ".join(style.number(each[key][-1]) for key in NAMES)
        for each in (step.medians, step.quantiles)
    )
    return (
        f"Run {step.number} of {step.of}: medians {medians}, quantiles {quantiles}; "
        f"{verdict_of(step)}."
    )


def verdict_of(step: Draws) -> str:
    """Who leads, in words."""
    return f"{SAID[step.leader]} leads" if step.leader else "a tie"


def table_draws(step: Draws) -> list[list[str]]:
    """Median and quantile of each so far."""
    rows = [
        [name, style.number(step.medians[key][-1], 3), style.number(step.quantiles[key][-1], 3)]
        for key, name in SAID.items()
    ]
    return [["", "median", "quantile"], *rows]


DRAWN = View(frame_draws, paint_draws, say_draws, table_draws)


def play_draws(k: int = 4, *, rng: checks.Seed = 1) -> Player:
    """Step through ``DRAWS`` runs of both mechanisms on ``k`` queries."""
    return Player(DRAWN, record(errors(k, DRAWS, rng=rng), k), start=4)
