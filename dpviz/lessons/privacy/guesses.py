"""A player of lesson 01: published counts fall into two heaps, and the reader guesses which."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz import checks
from dpviz.data import real_sets
from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.privacy.figures import least_misses
from dpviz.privacy.curator import Curator
from dpviz.sweeps import seeds

EPSILON = 1.0
ROUNDS = 40
REACH, BIN, SIZE = 6.0, 0.75, 0.05  # of the axis beside the counts; of a heap's place; of a ball
FLOORS, CEILING, TOP = (0.0, 0.55), 1.06, 1.13  # of the heaps, and where balls wait above them
LEVELS = np.arange(-25.0, 25.01, 0.25)  # from which a test says "with you", from the lower count


@dataclass(frozen=True, eq=False)
class Guesses:
    """The counts that have been published so far: pure data.

    Attributes
    ----------
    done : how many
    count : the true count with the record in question, which the other one is 1 below
    values : array (rounds,), what is published in each round
    sides : bool array (rounds,), whether the record was in (the secret that is guessed)
    epsilon : of each round
    """

    done: int
    count: int
    values: np.ndarray
    sides: np.ndarray
    epsilon: float

    @property
    def guesses(self) -> np.ndarray:
        """Whether a reader says "with you": the likelier side; (done,)."""
        return self.values[: self.done] > self.count - 0.5

    @property
    def right(self) -> int:
        """How many guesses were right."""
        return int((self.guesses == self.sides[: self.done]).sum())

    @property
    def limit(self) -> float:
        """What no guess can exceed on average, where both sides are equally likely."""
        return 1 / (1 + math.exp(-self.epsilon))


def record(
    *, epsilon: float = EPSILON, rounds: int = ROUNDS, seed: checks.Seed = 0
) -> list[Guesses]:
    """A coin chooses one of two neighbouring data sets in each round; its count is published.

    The counts are those of malignant tumours in the clinic, with one patient and without.
    """
    coins, noise = seeds.spawn(seed, 2)
    count = int(real_sets.diagnoses().data[:, 0].sum())
    sides = np.random.default_rng(coins).random(rounds) < 0.5
    curator = Curator(epsilon=rounds * epsilon, rng=noise)
    cost = {"sensitivity": 1, "epsilon": epsilon, "label": "malignant"}
    values = [float(curator.laplace(count - 1 + int(side), **cost)) for side in sides]
    return [Guesses(i, count, np.array(values), sides, epsilon) for i in range(rounds + 1)]


def places(step: Guesses) -> np.ndarray:
    """Where each ball is, (rounds, 2): in its heap, or waiting above (far: at an end)."""
    low = step.count - 0.5 - REACH  # so that no heap stands on both sides of the line
    rounds = len(step.values)
    last = int(2 * REACH / BIN) - 1
    at = np.clip((step.values - low) // BIN, 0, last).astype(int)
    x = low + (np.arange(rounds) + 0.5) * 2 * REACH / rounds
    points = np.column_stack([x, np.full(rounds, TOP)])
    heights: dict[tuple[int, bool], int] = {}
    for i in range(step.done):
        heap = int(at[i]), bool(step.sides[i])
        heights[heap] = heights.get(heap, 0) + 1
        floor = FLOORS[heap[1]]
        points[i] = low + (heap[0] + 0.5) * BIN, floor + (heights[heap] - 0.5) * SIZE
    return points


def rates(step: Guesses) -> np.ndarray:
    """Shares of false alarms and of hits so far, from each level on; (levels, 2)."""
    values = step.values[: step.done]
    sides = step.sides[: step.done]
    alarm = values >= step.count - 1 + LEVELS[:, None]
    return np.column_stack(
        [alarm[:, side].sum(axis=1) / max(1, side.sum()) for side in (~sides, sides)]
    )


def frame_guesses(mode: str) -> Figure:
    """Left the room for the heaps, right the limit of every test."""
    look = {"mode": mode, "columns": 2, "widths": [1.4, 1], "sharey": False, "names": ["", ""]}
    fig, (left, right) = style.figure("", alt="", **look)
    count = int(real_sets.diagnoses().data[:, 0].sum())
    ticks = [count - 5, count - 1, count + 3]
    style.linear_axis(left, "x", count - 0.5 - REACH, count - 0.5 + REACH, ticks)
    style.linear_axis(left, "y", 0, 1.2, [])
    for which in ("x", "y"):
        style.linear_axis(right, which, 0, 1, [0, 0.5, 1])
    style.axis_titles(left, "published count", "a dot for each count; top row: to come")
    style.axis_titles(right, "false alarms", "hits")
    for height in (FLOORS[1], CEILING):
        left.axhline(height, **style.line("lattice", mode))
    left.plot([count - 0.5] * 2, [0, CEILING], **style.line("public", mode))
    for floor, words in zip(FLOORS, ("without you", "with you"), strict=True):
        style.note(left, count - 0.5 - REACH, floor + 0.42, words, "truth", dx=4)
    a = np.linspace(0, 1, 201)
    most = 1 - least_misses(a, epsilon=EPSILON)
    style.band(right, a, most, np.ones_like(a), "bound")
    right.plot(a, most, **style.line("bound", mode, marker=False))
    style.note(right, 0.04, 0.95, "impossible\nin the long run", "bound", va="top")
    return fig


def paint_guesses(fig: Figure, step: Guesses) -> None:
    """The balls, the last of them bright; the trade-off so far."""
    left, right = fig.axes
    chance = f"guess “with you” right of the line; limit {100 * step.limit:.0f} %"
    style.retitle(fig, f"{step.right} of {step.done} guessed right", chance)
    _draw_balls(left, step)
    if 0 < step.sides[: step.done].sum() < step.done:
        right.plot(*rates(step).T, **style.line("released", fig.mode, marker=False))


def _draw_balls(ax: Axes, step: Guesses) -> None:
    at = places(step)
    mode = ax.get_figure(root=True).mode
    ax.plot(*at.T, **style.points("released", mode) | {"ms": 7})
    last = style.points("event", mode) | {"marker": "o", "ms": 8}
    ax.plot(*at[max(0, step.done - 1) : step.done].T, **last)


def say_guesses(step: Guesses) -> str:
    """One sentence of reading."""
    counts = "1 noisy count has" if step.done == 1 else f"{step.done} noisy counts have"
    times = "once" if step.right == 1 else f"{step.right} times"
    return (
        f"{counts} been published; a reader who guesses the likelier side "
        f"was right {times}. At ε = {style.number(step.epsilon)} no guess is right with "
        f"a probability above {style.number(step.limit, 3)}."
    )


def table_guesses(step: Guesses) -> list[list[str]]:
    """The score."""
    rows = [["published", str(step.done)], ["guessed right", str(step.right)]]
    return [["", "number"], *rows, ["limit, probability", style.number(step.limit, 3)]]


GUESSES = View(frame_guesses, paint_guesses, say_guesses, table_guesses)


def play_guesses(seed: checks.Seed = 0) -> Player:
    """Publish one count after the other; it starts in the middle."""
    return Player(GUESSES, record(seed=seed), start=ROUNDS // 2)
