"""Lesson 05 in the hand: a bar for each word that was asked about, one line for all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Click, Explorer, Handle, Slider, View, stops

WORDS = ("the", "a", "is", "of")
WEIGHTS = (0.16, 0.08, 0.08, 0.04)  # of the words, before one is moved
PLACES = np.arange(len(WORDS), dtype=float)
LINE = (4.6, 8.4)  # where the line of the others stands
BUTTON = -0.06  # where a word is pressed
TOP = 0.6
MEASURED = 0.4  # of the first word


@dataclass(frozen=True, eq=False)
class Moved:
    """A public guess before and after the share of one word was set.

    Attributes
    ----------
    moved : which word, from 0
    others : number of strings that nobody asked about
    before, after : arrays (4,), weights of the words
    levels : weight of each other string, before and after
    """

    moved: int
    others: int
    before: np.ndarray
    after: np.ndarray
    levels: tuple[float, float]

    @property
    def factor(self) -> float:
        """By which everything but the moved word is multiplied."""
        return self.levels[1] / self.levels[0]


def move(*, share: float, word: str, others: int, seed: int = 1) -> Moved:
    """Set the weight of one word, and divide by the sum; nothing is random.

    >>> moved = move(share=0.37, word="the", others=16)
    >>> [round(level, 3) for level in moved.levels], round(moved.factor, 3)
    ([0.04, 0.03], 0.75)
    """
    before = np.array(WEIGHTS)
    chosen = np.array(WORDS) == word
    factor = (1 - share) / (1 - before[chosen].item())
    after = np.where(chosen, share, before * factor)
    levels = tuple(float(1 - weights.sum()) / others for weights in (before, after))
    return Moved(WORDS.index(word), int(others), before, after, levels)


def frame_moved(mode: str) -> Figure:
    """Four words and, to the right, all other strings."""
    fig, ax = style.figure("", alt="", mode=mode, height=0.8)
    style.linear_axis(ax, "x", -0.6, LINE[1] + 0.2, [*PLACES, np.mean(LINE)])
    ax.set_xticklabels([*WORDS, "every other string"])
    style.linear_axis(ax, "y", 2 * BUTTON, TOP + 0.05, [0, 0.2, 0.4, 0.6])
    style.axis_titles(ax, "", "probability")
    return fig


def paint_moved(fig: Figure, result: Moved) -> None:
    """The weights now as bars and a line; where they were, as diamonds and a thin line."""
    ax, mode = fig.axes[0], fig.mode
    old, new = result.levels
    style.retitle(
        fig,
        f"“{WORDS[result.moved]}”: {style.number(result.after[result.moved])}; all else "
        f"is multiplied by {style.number(result.factor)}",
        f"stored: four bars, and {style.number(new)} for each of "
        f"{style.number(result.others)} other strings",
    )
    colours = [style.tint("released", 0.42)] * len(WORDS)
    colours[result.moved] = style.tint("released", 0.7875)
    ax.bar(PLACES, result.after, 0.6, color=colours, ec=style.INK, lw=0.8, zorder=2)
    ax.plot(LINE, [new] * 2, **style.line("public", marker=False) | {"lw": 4})
    ax.plot(LINE, [old] * 2, **style.line("lattice", mode))
    ax.plot(PLACES, result.before, **style.points("other", mode))
    ax.plot(PLACES, 0 * PLACES + BUTTON, **_circle(mode) | {"mfc": "white", "gid": "word"})
    ax.plot([PLACES[result.moved]], [BUTTON], **_circle(mode))
    style.event_star(ax, PLACES[0], MEASURED)
    top = style.points("released", mode) | {"ms": 11, "gid": "bar"}
    ax.plot([PLACES[result.moved]], [result.after[result.moved]], **top)
    style.note(ax, PLACES[0], MEASURED, "measured", "event", dx=9)
    style.note(ax, 0.98, 0.97, "◇ before", "other", at="axes", ha="right", va="top")
    ends = [(LINE[1], new, "one number\nfor all of them", "public")]
    style.label_ends(ax, ends)


def _circle(mode: str) -> dict:
    return style.points("event", mode) | {"marker": "o", "ms": 10}


def say_moved(result: Moved) -> str:
    """One sentence of reading."""
    old, new = map(style.number, result.levels)
    at = result.moved
    return (
        f"“{WORDS[at]}” goes from {style.number(result.before[at])} to "
        f"{style.number(result.after[at])}, all else is multiplied by "
        f"{style.number(result.factor)}, the line too: from {old} to {new}."
    )


def table_moved(result: Moved) -> list[list[str]]:
    """Each weight before and after."""
    rows = [*zip(WORDS, result.before, result.after, strict=True)]
    rows.append(("other", *result.levels))
    digits = [[name, *(style.number(x, 3) for x in weights)] for name, *weights in rows]
    return [["", "before", "after"], *digits]


MOVED = View(frame_moved, paint_moved, say_moved, table_moved)


def explore_common_weight() -> Explorer:
    """Drag the bar of a word; press another word to move that one."""
    many = stops(5, 10**9, log=True, whole=True, also=[20])
    controls = [
        Slider(
            name="share",
            label="probability",
            values=stops(0, TOP, also=[WEIGHTS[0], MEASURED]),
            start=WEIGHTS[0],
            show=lambda share: style.number(share, 4),
        ),
        Choice(name="word", label="word", values=WORDS, start=WORDS[0]),
        Slider(name="others", label="other strings", values=many, start=20),
    ]
    presets = {
        "Raise the": {"share": MEASURED},
        "Nobody writes is": {"word": "is", "share": 0.0},
        "A billion others": {"share": MEASURED, "others": 10**9},
    }
    handles = [
        Handle(mark="bar", y="share"),
        Click(mark="word", control="word", names=WORDS, to=lambda _, i: WORDS[i]),
    ]
    return Explorer(move, MOVED, controls, presets, random=False, handles=handles)
