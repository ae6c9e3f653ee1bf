"""Lesson 01 in the hand: a coin that answers for you, and the two moves of AboveThreshold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments import player
from dpviz.instruments.explorer import Explorer, Handle, Slider, View, stops

MOST = 4  # answers
TOP = 0.9  # of the probability of a true answer
REACH = 9.0  # of the axis of evidence


@dataclass(frozen=True, eq=False)
class Coins:
    """What answers by randomized response tell about one bit.

    Attributes
    ----------
    truthful : probability of a true answer
    answers : how many are given, each with fresh coins
    """

    truthful: float
    answers: int

    @property
    def epsilon(self) -> float:
        """Of one answer: the logarithm of the largest factor by which the odds move."""
        return math.log(self.truthful / (1 - self.truthful))

    @property
    def yes(self) -> np.ndarray:
        """How many of the answers can be yes."""
        return np.arange(self.answers + 1)

    @property
    def evidence(self) -> np.ndarray:
        """Of each such number its log-likelihood ratio, for yes against no."""
        return (2 * self.yes - self.answers) * self.epsilon


def toss(*, truthful: float, answers: int, seed: int = 1) -> Coins:
    """The evidence of every outcome; nothing is random, ``seed`` is not used."""
    return Coins(truthful, int(answers))


def frame_coins(mode: str) -> Figure:
    """Left the coin, right what each outcome tells."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1, 3], sharex=False, sharey=False
    )
    style.linear_axis(left, "x", 0, 1, [])
    style.linear_axis(left, "y", 0, 1, [0, 0.25, 0.5, 0.75, 1])
    style.linear_axis(right, "x", -0.6, MOST + 0.6, list(range(MOST + 1)))
    style.linear_axis(right, "y", -REACH - 2.8, REACH, [-6, -3, 0, 3, 6])
    style.axis_titles(left, "", "P(true answer)")
    style.axis_titles(right, "answers that are yes", "log of the factor on the odds")
    right.axhline(0, **style.line("lattice", mode))
    return fig


def paint_coins(fig: Figure, result: Coins) -> None:
    """The coin's probability; a bar of evidence for each outcome, between the proved lines."""
    (left, right), mode = fig.axes, fig.mode
    total = result.answers * result.epsilon
    many = "answer multiplies" if result.answers == 1 else "answers multiply"
    style.retitle(
        fig,
        f"{result.answers} {many} the odds by at most {style.number(math.exp(total), 3)}",
        f"each ε = ln {style.number(math.exp(result.epsilon), 3)} = "
        f"{style.fixed(result.epsilon, 2)}; together {style.fixed(total, 2)}",
    )
    blue = style.ROLES["released"].colour
    left.bar(0.5, result.truthful, 0.5, fc=blue, alpha=0.34, lw=0)
    hold = style.points("event", mode) | {"marker": "o", "ms": 9, "gid": "coin"}
    left.plot([0.5], [result.truthful], **hold)
    for yes, evidence in zip(result.yes, result.evidence, strict=True):
        _draw_evidence(right, float(yes), float(evidence))
    for sign in (-1, 1):
        right.axhline(sign * total, **style.line("bound", mode, marker=False) | {"lw": 1.2})
    words = "±ε" if result.answers == 1 else f"±{result.answers}ε"
    style.note(right, MOST + 0.6, total, words, "bound", ha="right", va="bottom", dy=2)


def _draw_evidence(ax: Axes, yes: float, evidence: float) -> None:
    """A bar from nothing to the evidence; below all bars the factor that it is the logarithm of."""
    ax.bar(yes, evidence, 0.5, fc=style.ROLES["released"].colour, alpha=0.34, lw=0)
    factor = math.exp(abs(evidence))
    words = f"× {style.number(factor, 3)}" if evidence > 0 else f"÷ {style.number(factor, 3)}"
    words = words if abs(evidence) > 1e-9 else "× 1"
    style.note(ax, yes, ax.get_ylim()[0], words, ha="center", va="bottom", dy=2)


def say_coins(result: Coins) -> str:
    """One sentence of reading."""
    total = result.answers * result.epsilon
    return (
        f"Probability of a true answer {style.number(result.truthful, 3)}, ε = "
        f"{style.fixed(result.epsilon, 2)}; {result.answers} in all "
        f"multipl{'y' if result.answers > 1 else 'ies'} the odds by "
        f"at most {style.number(math.exp(total), 3)} = e^{style.fixed(total, 2)}."
    )


def table_coins(result: Coins) -> list[list[str]]:
    """The factor of each outcome."""
    rows = zip(result.yes, result.evidence, strict=True)
    factors = [[f"{yes} yes", style.number(math.exp(evidence), 3)] for yes, evidence in rows]
    return [["answers", "factor on the odds"], *factors]


COINS = View(frame_coins, paint_coins, say_coins, table_coins)


def explore_coins() -> Explorer:
    """Drag the coin; ask more often."""
    chances = stops(0.5, TOP, also=[0.6, 0.75])
    controls = [
        Slider(
            name="truthful",
            label="true answer",
            values=chances,
            start=0.75,
            show=lambda value: style.fixed(value, 3),
        ),
        Slider(name="answers", label="answers", values=range(1, MOST + 1), start=2),
    ]
    presets = {"One answer": {"answers": 1}, "Two answers": {}, "Four answers": {"answers": 4}}
    handles = [Handle(mark="coin", y="truthful")]
    return Explorer(toss, COINS, controls, presets, random=False, handles=handles)


VALUES = np.array([0.32, 0.50, 0.41, 0.55, 0.78])  # with their noise, of five checks on the data
CHANGES = np.array([0.12, 0.12, -0.12, 0.08, -0.12])  # from the data to a neighbour
LEVEL, STEP = 0.6, 0.12  # the noisy threshold; one sensitivity
STATES = [
    (
        "Four checks are below, the fifth is above",
        "the data; the threshold has noise, and each check has its own",
    ),
    (
        "On a neighbour each value moves by at most Δ",
        "the answers must come out the same, with nearly the same probability",
    ),
    (
        "First move: raise the threshold by Δ",
        "every “below” stays; the density of this noise changes by a factor of at most e^ε₁",
    ),
    (
        "Second move: raise the last noise by 2Δ",
        "Δ for the threshold, Δ for the value; its density changes by a factor of at most e^ε₂",
    ),
]


@dataclass(frozen=True)
class Shift:
    """A state of the argument: pure data. ``at`` is its number, from 0."""

    at: int

    @property
    def values(self) -> np.ndarray:
        """The compared values, with their noise."""
        last = np.array([0, 0, 0, 0, 2 * STEP if self.at == 3 else 0])
        return VALUES + (CHANGES if self.at else 0) + last

    @property
    def level(self) -> float:
        """The noisy threshold."""
        return LEVEL + (STEP if self.at > 1 else 0)


def frame_shift(mode: str) -> Figure:
    """Checks from left to right, their values upwards."""
    fig, ax = style.figure("", alt="", mode=mode, height=0.8)
    style.linear_axis(ax, "x", 0.4, len(VALUES) + 0.6, list(range(1, len(VALUES) + 1)))
    style.linear_axis(ax, "y", 0, 1.05, [])
    style.axis_titles(ax, "check", "value with its noise (private)")
    return fig


def paint_shift(fig: Figure, step: Shift) -> None:
    """Values and threshold now, those on the data in grey."""
    (ax,) = fig.axes
    title, subtitle = STATES[step.at]
    style.retitle(fig, f"{step.at + 1}. {title}", subtitle)
    checks = np.arange(1, len(VALUES) + 1)
    if step.at:
        grey = style.points("public", fig.mode)
        ax.plot(checks, VALUES, **grey | {"mfc": "none", "mec": grey["color"], "mew": 1, "ms": 7})
        ax.axhline(LEVEL, **style.line("public", fig.mode) | {"ls": (0, (1, 2))})
        now = step.values
        ax.vlines(checks, VALUES, now, color=style.INK, lw=0.8)
    ax.axhline(step.level, **style.line("truth", fig.mode, marker=False))
    look = style.points("records", fig.mode) | {"mfc": style.INK, "ms": 7}
    ax.plot(checks, step.values, **look)
    for check, value in zip(checks, step.values, strict=True):
        word = "above" if value >= step.level else "below"
        style.note(ax, float(check), 0, word, "released", ha="center", va="bottom", dy=2)
    edge = len(VALUES) + 0.6
    named = [(edge, step.level, "threshold\nwith noise", "truth")]
    if step.at:
        named.append((edge, LEVEL - 0.2, "data", "public"))
    style.label_ends(ax, named)


def say_shift(step: Shift) -> str:
    """One sentence of reading."""
    title, subtitle = STATES[step.at]
    return f"{step.at + 1}. {title}: {subtitle}."


def table_shift(step: Shift) -> list[list[str]]:
    """Every value beside the threshold."""
    rows = [
        [str(i + 1), f"{value:.2f}", f"{step.level:.2f}"] for i, value in enumerate(step.values)
    ]
    return [["check", "value", "threshold"], *rows]


SHIFT = View(frame_shift, paint_shift, say_shift, table_shift)


def play_shift() -> player.Player:
    """AboveThreshold's two moves, a state each; it starts with the first move."""
    return player.Player(SHIFT, [Shift(at) for at in range(len(STATES))], start=2)
