"""Lesson 05 in the hand: four names, one query, one step of multiplicative weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Choice, Click, Explorer, Handle, Points, View

NAMES = ("a", "b", "c", "d")
QUERIES = tuple(", ".join(some) for size in (1, 2, 3) for some in combinations(NAMES, size))
BARS = (0.5, 0.25, 0.25, 0.0)
PLACES = np.arange(len(NAMES), dtype=float)
BUTTON = -0.09  # where the names are pressed, below the bars
LEVELS = (1.0, 2.0)  # where potential before and after stand
LARGEST = math.log(len(NAMES))


@dataclass(frozen=True, eq=False)
class Updated:
    """One update: truth, guess before and after, and what is left to learn.

    Attributes
    ----------
    bars : array (4,), the heights that a hand has given
    truth, before, after : arrays (4,), shares that add up to 1
    query : bool array (4,), the names that are asked about
    """

    bars: np.ndarray
    truth: np.ndarray
    before: np.ndarray
    after: np.ndarray
    query: np.ndarray

    @property
    def left(self) -> tuple[float, float]:
        """Relative entropy of the guess before and after, in nats."""
        return entropy(self.truth, self.before), entropy(self.truth, self.after)

    @property
    def off(self) -> float:
        """By how much the guess missed the query."""
        return float(abs(self.truth[self.query].sum() - self.before[self.query].sum()))


def entropy(truth: np.ndarray, guess: np.ndarray) -> float:
    """Relative entropy in nats.

    >>> round(entropy(np.array([0.5, 0.25, 0.25, 0]), np.full(4, 0.25)), 3)
    0.347
    """
    some = truth > 0
    if (guess[some] <= 0).any():
        return math.inf
    return max(float((truth[some] * np.log(truth[some] / guess[some])).sum()), 0.0)


def update(*, truth: Places, query: str, seed: int = 1) -> Updated:
    """Start from equal weights and correct one query; nothing is random, ``seed`` is not used.

    The names asked about share their true sum, the others the rest.

    Raises
    ------
    ValueError
        If all bars are empty.
    """
    bars = np.array([height for (height,) in truth])
    if bars.sum() <= 0:
        raise ValueError("truth must have a bar above 0")
    shares = bars / bars.sum()
    asked = np.isin(NAMES, query.split(", "))
    before = np.full(len(NAMES), 1 / len(NAMES))
    total = shares[asked].sum()
    after = np.where(asked, total / asked.sum(), (1 - total) / (~asked).sum())
    return Updated(bars, shares, before, after, asked)


def frame_updated(mode: str) -> Figure:
    """Left the four names, right what is left to learn."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.7, 1], sharex=False, sharey=False
    )
    style.linear_axis(left, "x", -0.6, len(NAMES) - 0.4, list(PLACES))
    left.set_xticklabels(NAMES)
    style.linear_axis(left, "y", 2 * BUTTON, 1.4, [0, 0.25, 0.5, 0.75, 1])
    style.linear_axis(right, "x", 0.4, 2.6, list(LEVELS))
    right.set_xticklabels(["before", "after"])
    style.linear_axis(right, "y", 0, 1.5, [0, 0.5, 1])
    style.axis_titles(left, "name (yellow: asked)", "share of the records")
    style.axis_titles(right, "", "KL")
    right.axhline(LARGEST, **style.line("bound", mode, marker=False))
    style.note(right, 2.6, LARGEST, "ln 4", "bound", ha="right", va="bottom", dy=2)
    return fig


def paint_updated(fig: Figure, result: Updated) -> None:
    """Truth and guess of each name; the entropy falls by at least 2 times the error squared."""
    (left, right), mode = fig.axes, fig.mode
    before, after = result.left
    asked = ", ".join(np.array(NAMES)[result.query])
    falls = "falls to" if result.off > 1e-9 else "stays at"
    scaled = "" if np.allclose(result.bars, result.truth) else "; bars are scaled to sum to 1"
    style.retitle(
        fig,
        f"Off by {style.number(result.off)}; KL {falls} {style.fixed(after, 3)}",
        f"asked: {asked}; 2 × error² = {style.number(2 * result.off**2, 3)}{scaled}",
    )
    for place, share, name in zip(PLACES, result.truth, result.query, strict=True):
        fill = style.tint("event", 0.6) if name else style.tint("truth", 0.15)
        left.bar(place - 0.2, share, 0.36, fc=fill, ec=style.INK, lw=0.8, zorder=2)
    for place, share in zip(PLACES, result.after, strict=True):
        left.bar(place + 0.2, share, 0.36, fc=style.tint("released", 0.68), lw=0, zorder=2)
    left.plot(PLACES + 0.2, result.before, **style.points("other", mode))
    top = style.points("records", mode) | {"ms": 9, "mfc": "white", "gid": "bar"}
    left.plot(PLACES - 0.2, result.bars, **top, clip_on=False)
    button = style.points("event", mode) | {"marker": "o", "ms": 10}
    below = np.full(len(NAMES), BUTTON)
    left.plot(PLACES, below, **button | {"mfc": "white", "gid": "name"})
    left.plot(PLACES[result.query], below[result.query], **button)
    for place, level in zip(LEVELS, (before, after), strict=True):
        right.bar(place, level, 0.6, fc=style.tint("bound", 0.3), ec="none", zorder=2)
        style.note(right, place, level, style.fixed(level, 3), ha="center", va="bottom", dy=2)
    style.note(left, 0.98, 0.97, "truth (private)", "truth", at="axes", ha="right", va="top")
    style.note(left, 0.98, 0.89, "guess after", "released", at="axes", ha="right", va="top")
    style.note(left, 0.98, 0.81, "◇ guess before", "other", at="axes", ha="right", va="top")


def say_updated(result: Updated) -> str:
    """One sentence of reading."""
    before, after = result.left
    asked = ", ".join(np.array(NAMES)[result.query])
    truth = float(result.truth[result.query].sum())
    guess = float(result.before[result.query].sum())
    return (
        f"Asked for {asked}: guess {style.number(guess)}, truth {style.number(truth)}. "
        f"KL falls from {style.fixed(before, 3)} to {style.fixed(after, 3)}: by "
        f"{style.fixed(before - after, 3)}, at least {style.fixed(2 * result.off**2, 3)}."
    )


def table_updated(result: Updated) -> list[list[str]]:
    """Of each name its shares."""
    rows = zip(NAMES, result.truth, result.before, result.after, strict=True)
    return [
        ["name", "truth", "before", "after"],
        *([name, *(f"{share:.3f}" for share in shares)] for name, *shares in rows),
    ]


UPDATED = View(frame_updated, paint_updated, say_updated, table_updated)


def toggle(query: str, i: int) -> str:
    """The query with the i-th name added or taken away; it never asks for none or for all.

    >>> toggle("a", 2), toggle("a, c", 0), toggle("a", 0)
    ('a, c', 'c', 'a')
    """
    names = set(query.split(", ")) ^ {NAMES[i]}
    changed = ", ".join(sorted(names))
    return changed if changed in QUERIES else query


def explore_update() -> Explorer:
    """Drag a bar of the truth; press the names that are asked about."""
    bars = tuple((height,) for height in BARS)
    controls = [
        Points(name="truth", label="bar", start=bars, lower=0, upper=1, fewest=4, most=4),
        Choice(name="query", label="names asked", values=QUERIES, start="a"),
    ]
    presets = {
        "Half are a": {},
        "All are a": {"truth": ((1.0,), (0.0,), (0.0,), (0.0,))},
        "Two names": {"query": "a, b"},
        "Nothing to learn": {"truth": ((0.25,), (0.25,), (0.25,), (0.25,))},
    }
    handles = [
        Handle(mark="bar", y="truth"),
        Click(mark="name", control="query", names=NAMES, to=toggle),
    ]
    return Explorer(update, UPDATED, controls, presets, random=False, handles=handles)
